"""Checks of the promises about time and signals. Each check runs the engine in another process,
because an engine that breaks one of these promises might never return."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from contextlib import suppress
from typing import IO

from csp_mines import apart
from csp_mines.backend import Backend
from csp_mines.constraints import Constraint, Problem
from csp_mines.errors import CspMinesError, GaveUp, OutOfTime
from csp_mines.testing.engines import Engine, find_engine
from csp_mines.testing.problems import endless_problem
from csp_mines.words import error_text

LIMIT_SECONDS = 0.5  # the time limit that an engine gets for an endless problem
PATIENCE_SECONDS = 3.0  # an engine must stop at most this long after the limit or the signal
LOADING_SECONDS = 20.0  # how long an engine may take to load its library and solve an easy problem
SIGNAL_SECONDS = 0.3  # the signal is sent this long after the engine has begun

EASY = Problem((Constraint((0, 1, 2), 1, 2), Constraint((2, 3), 1, 1)), (4, 5), 2)


def keeps_deadline(engine: Engine) -> str | None:
    """Check that `deduce` keeps the time limit on the endless problem. If the engine counts, check
    `count`, too. Return what is wrong, or None."""
    for method in _methods(engine.chosen):
        what, patience = "deduce of an easy problem", LOADING_SECONDS
        try:
            apart.call(_load, engine.spec, engine=engine.spec, seconds=patience)
            what = f"{method} with seconds={LIMIT_SECONDS}"
            patience = LIMIT_SECONDS + PATIENCE_SECONDS
            apart.call(_timed, engine.spec, method, engine=engine.spec, seconds=patience)
        except OutOfTime:
            return f"{what} did not end within {patience:g} seconds"
        except CspMinesError as error:
            return f"{what} raised {error_text(error)}"
    return None


def _methods(chosen: type[Backend]) -> list[str]:
    return ["deduce", "count"] if chosen.counts else ["deduce"]


def _load(spec: str) -> None:
    """Solve an easy problem, so that the library of the engine is loaded before `_timed` is called
    in the same process."""
    find_engine(spec).make().deduce(EASY)


def _timed(spec: str, method: str) -> None:
    """Call `method` on the endless problem with the time limit. The engine may raise GaveUp."""
    with suppress(GaveUp):
        _call(find_engine(spec).make(seconds=LIMIT_SECONDS), method)


def _call(engine: Backend, method: str) -> None:
    """Call `deduce` or `count`, whichever `method` names, on the endless problem."""
    problem = endless_problem()
    if method == "deduce":
        engine.deduce(problem)
    else:
        engine.count(problem.regions[0])


def keeps_interruption(engine: Engine) -> str | None:
    """Check that Ctrl-C soon raises KeyboardInterrupt in `deduce`. If the engine counts, check
    `count`, too. Return what is wrong, or None."""
    for method in _methods(engine.chosen):
        with subprocess.Popen(
            [sys.executable, "-P", "-m", "csp_mines.testing.in_processes", engine.spec, method],
            stdout=subprocess.PIPE,
            env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)},
        ) as process:
            assert process.stdout is not None
            try:
                fault = _interrupt(process, process.stdout, method)
            finally:
                process.kill()
        if fault is not None:
            return fault
    return None


def _interrupt(process: subprocess.Popen[bytes], said: IO[bytes], method: str) -> str | None:
    """Wait until the process begins `method`, and send Ctrl-C to the process. `said` is the output
    of the process. Return what is wrong, or None."""
    line = said.readline()
    if line != b"begin\n":
        happened = f"printed {line!r}" if line else "ended"
        return f"the process of the engine {happened} before {method} began on the endless problem"
    time.sleep(SIGNAL_SECONDS)
    process.send_signal(signal.SIGINT)
    try:
        process.wait(PATIENCE_SECONDS)
    except subprocess.TimeoutExpired:
        return f"{method} went on for {PATIENCE_SECONDS:g} seconds after Ctrl-C"
    answer = said.read().decode().strip()
    if answer != "interrupted":
        happened = f"raised {answer}" if answer else "ended its process"
        return f"{method} {happened}, expected KeyboardInterrupt after Ctrl-C"
    return None


def main() -> None:
    """Let an engine work until `_interrupt` sends SIGINT to this process, and print how the work
    ended. The command line has the engine and the method."""
    signal.signal(signal.SIGINT, signal.default_int_handler)
    spec, method = sys.argv[1:]
    engine = find_engine(spec).make(seconds=60)
    engine.deduce(EASY)
    try:
        print("begin", flush=True)
        while True:
            _call(engine, method)
    except KeyboardInterrupt:
        print("interrupted", flush=True)
    except Exception as error:  # `_interrupt` reads the printed name
        print(type(error).__name__, flush=True)


if __name__ == "__main__":
    main()
