"""Calls in a process apart, which can be ended whatever it does.

`call(function, …)` runs a function in another Python process and waits for the answer. When the
time is over, or Ctrl-C comes, the process is ended: also in the middle of a C library that never
comes back. One process serves all calls of an engine, because starting one takes as long as many
calls. Processes that take part in a larger job are in `processes.py`.
"""

from __future__ import annotations

import os
import pickle
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from functools import cache
from math import inf
from select import select
from typing import Any

from csp_mines import signals
from csp_mines.errors import CspMinesError, EngineFault, OutOfTime

__all__ = ["call", "is_possible"]

GRACE_SECONDS = 0.5  # past the limit, for an engine that keeps its limits to say so itself
AFTER = 5.0  # seconds past the limit after which the process ends by itself, should we be gone
OUT_OF_MEMORY = (1, -signal.SIGABRT)  # how C libraries end a process whose memory is bounded
PARENT_SECONDS = 1.0  # between two looks at whether the parent still lives


def is_possible() -> bool:
    """Whether this system has what `call` needs."""
    return os.name == "posix"


def call(
    function: Callable[..., Any],
    *arguments: Any,
    engine: str,
    seconds: float,
    max_memory: int | None = None,
    quiet: bool = False,
) -> Any:
    """Return `function(*arguments)`, computed in a process apart. The function is found by its
    name, so it must stand at the top of a module. What it raises is raised here.

    `engine` names the caller in messages. What a `quiet` one prints is not shown. `max_memory` is
    how many bytes the process may take in addition to what it needs to run at all. Raises OutOfTime
    if there is no answer `GRACE_SECONDS` after the limit of `seconds`, EngineFault if the process
    dies, MemoryError if the memory does not suffice."""
    process = _process(os.getpid(), engine, max_memory)
    return process.ask((function, arguments), seconds, quiet)


@cache
def _process(_parent: int, engine: str, max_memory: int | None) -> _Process:
    """One for all calls of an engine with the same bound, and none shared: libraries may clash. One
    that a fork left behind belongs to the parent."""
    return _Process(engine, max_memory)


class _Process:
    """A process that is started when it is first asked, and again after it was ended."""

    def __init__(self, engine: str, max_memory: int | None) -> None:
        self.engine, self.max_memory = engine, max_memory
        self.lock = threading.Lock()  # one call at a time
        self.running: subprocess.Popen[bytes] | None = None

    def ask(self, request: object, seconds: float, quiet: bool) -> Any:
        """Its answer. Whatever ends the waiting ends the process."""
        end = time.monotonic() + seconds + GRACE_SECONDS
        with self.lock:
            try:
                running = self._started()
                limit = None if seconds == inf else seconds + AFTER
                self._send(running, (limit, quiet, sys.path, pickle.dumps(request)))
                kind, answer = self._receive(running, end, seconds)
            except BaseException:
                self.end()
                raise
        if kind == "raised":
            raise answer
        if kind == "fault":
            raise EngineFault(f"{self.engine}: {answer}")
        return answer

    def end(self) -> None:
        """End the process, if it runs."""
        if self.running is not None:
            self.running.kill()
            self.running.communicate()
            self.running = None

    def _started(self) -> subprocess.Popen[bytes]:
        if self.running is None or self.running.poll() is not None:
            with signals.held():
                self.running = subprocess.Popen(
                    [sys.executable, "-P", "-m", "csp_mines.apart", str(self.max_memory or 0)],
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                )
        return self.running

    def _send(self, running: subprocess.Popen[bytes], request: object) -> None:
        assert running.stdin is not None
        try:
            pickle.dump(request, running.stdin)
            running.stdin.flush()
        except BrokenPipeError:
            raise self._fate(running) from None

    def _receive(
        self, running: subprocess.Popen[bytes], end: float, seconds: float
    ) -> tuple[str, Any]:
        assert running.stdout is not None
        left = None if end == inf else max(end - time.monotonic(), 0)
        if not select([running.stdout], [], [], left)[0]:
            raise OutOfTime(seconds, self.engine)
        try:
            kind, answer = pickle.load(running.stdout)
        except (EOFError, pickle.UnpicklingError):
            raise self._fate(running) from None
        return kind, answer

    def _fate(self, running: subprocess.Popen[bytes]) -> Exception:
        status = running.wait()
        if self.max_memory is not None and status in OUT_OF_MEMORY:
            return MemoryError()
        return EngineFault(
            f"the process of {self.engine!r} ended with status {status} instead of an answer"
        )


def main() -> None:
    """The life of the process: it answers requests until its parent closes the pipe."""
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what an engine prints must not stand between the answers
    threading.Thread(target=_end_with_parent, args=(os.getppid(),), daemon=True).start()
    while True:
        try:
            seconds, quiet, sys.path[:], request = pickle.load(sys.stdin.buffer)
        except EOFError:
            return
        if quiet:
            _silence()
        signal.setitimer(signal.ITIMER_REAL, seconds or 0)
        pickle.dump(_answer(request, int(sys.argv[1])), answers)
        answers.flush()


def _answer(request: bytes, max_memory: int) -> tuple[str, Any]:
    """The answer, or what was raised. An error of ours, and lack of memory, are raised again in the
    caller; any other is a defect of the engine, told in words: the caller may not know its class.
    """
    try:
        function, arguments = pickle.loads(request)  # imports the libraries that it needs
        _bound_memory(max_memory)
        return "answered", function(*arguments)
    except (CspMinesError, MemoryError) as error:
        return "raised", error
    except Exception as error:  # the caller must learn of every error
        return "fault", f"{type(error).__name__}: {error}"


@cache
def _silence() -> None:
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 1)
    os.dup2(nowhere, 2)


def _end_with_parent(parent: int) -> None:
    while os.getppid() == parent:
        time.sleep(PARENT_SECONDS)
    os._exit(1)


@cache
def _bound_memory(more: int) -> None:
    """Bound the memory, once, to what the process has now and `more` bytes; 0 means no bound."""
    if not more or not os.path.exists("/proc/self/statm"):
        return
    import resource

    with open("/proc/self/statm") as file:
        now = int(file.read().split()[0]) * resource.getpagesize()
    _, hard = resource.getrlimit(resource.RLIMIT_AS)
    wanted = now + more
    resource.setrlimit(resource.RLIMIT_AS, (wanted if hard < 0 else min(wanted, hard), hard))


if __name__ == "__main__":
    main()
