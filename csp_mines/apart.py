"""Calls in a process apart, which can be ended at any moment, even inside a library in C.

`call(function, …)` runs a function in another Python process and waits for the answer. The caller
ends this process when the time is over or the user presses Ctrl-C, even while a C library that
never returns is running in it. The process ends itself when its parent has ended. Calls for the
same engine share a process, because starting one takes as long as many calls. `processes.py` has
the worker processes of the simulation and of the page.
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
from contextlib import suppress
from functools import cache
from math import inf
from queue import Empty, SimpleQueue
from typing import IO, Any

from csp_mines import signals
from csp_mines.errors import CspMinesError, EngineFault, OutOfTime
from csp_mines.words import error_text

GRACE_SECONDS = 0.5  # how long after the limit an engine may still report its own timeout
AFTER_SECONDS = 5.0  # a process ends itself this long after its parent should have ended it
OUT_OF_MEMORY = (1, -signal.SIGABRT)  # exit statuses of a process that hit its memory limit
PARENT_SECONDS = 1.0  # the interval at which a process checks that its parent is running


def call(
    function: Callable[..., Any],
    *arguments: Any,
    engine: str,
    seconds: float,
    patience: float = GRACE_SECONDS,
    max_memory: int | None = None,
    quiet: bool = False,
    lane: int = 0,
) -> Any:
    """Compute `function(*arguments)` in a process apart and return the result. The process finds
    the function by its name, so the function must be defined at the top level of a module.

    `engine` is the name that messages mention. All calls with the same engine, `max_memory` and
    `lane` use one process, one call after another. A lane is any number; calls with different lanes
    run at the same time. If `quiet`, nothing that the process prints is shown. `max_memory` is the
    number of bytes that the process may allocate after its imports.

    Raises OutOfTime if there is no answer within `patience` seconds after the limit of `seconds`,
    MemoryError if `max_memory` does not suffice, EngineFault if the process dies or the function
    raises an unexpected error. If the function raises a CspMinesError, `call` raises it, too."""
    process = _process(os.getpid(), engine, max_memory, lane)
    return process.ask((function, arguments), seconds, patience, quiet)


@cache
def _process(_parent: int, engine: str, max_memory: int | None, _lane: int) -> _Process:
    """Return the process for these arguments; equal arguments give the same process. Two engines
    never share a process, because their libraries may clash. `_parent` is part of the key of the
    cache: after a fork, the child must not use the process of its parent."""
    return _Process(engine, max_memory)


class _Process:
    """A process that starts at its first request. If it has ended, the next request starts it
    again."""

    def __init__(self, engine: str, max_memory: int | None) -> None:
        self.engine, self.max_memory = engine, max_memory
        self.lock = threading.Lock()  # one call at a time
        self.running: subprocess.Popen[bytes] | None = None
        self.answers: SimpleQueue[Any] = SimpleQueue()  # from the running process

    def ask(self, request: object, seconds: float, patience: float, quiet: bool) -> Any:
        """Send a request and return the result of the call, or raise its error. If no answer comes,
        because of the time limit, Ctrl-C or a crash, end the process if it is still running, and
        raise an error that says why."""
        end = time.monotonic() + seconds + patience
        with self.lock:
            try:
                running = self._started()
                limit = None if seconds == inf else seconds + patience + AFTER_SECONDS
                assert running.stdin is not None
                try:
                    pickle.dump((limit, quiet, sys.path, pickle.dumps(request)), running.stdin)
                    running.stdin.flush()
                except BrokenPipeError:
                    raise self._why_ended(running) from None
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
        """End the process if it is running."""
        if self.running is not None:
            self.running.kill()
            self.running.wait()
            assert self.running.stdin is not None
            with suppress(OSError):  # the dead process cannot get the rest of a request
                self.running.stdin.close()
            self.running = None

    def _started(self) -> subprocess.Popen[bytes]:
        """Return the running process. If none is running, start one."""
        if self.running is None or self.running.poll() is not None:
            with signals.held():
                self.running = subprocess.Popen(
                    [sys.executable, "-P", "-m", "csp_mines.apart", str(self.max_memory or 0)],
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                )
            self.answers = SimpleQueue()
            listening = (self.running.stdout, self.answers)
            threading.Thread(target=_listen, args=listening, daemon=True).start()
        return self.running

    def _receive(
        self, running: subprocess.Popen[bytes], end: float, seconds: float
    ) -> tuple[str, Any]:
        """Wait for an answer until the time `end`, and return the pair that `_answer` made in the
        process. Raises OutOfTime at that time. If the process has ended, raises the error that
        `_why_ended` returns."""
        left = None if end == inf else max(end - time.monotonic(), 0)
        try:
            answer = self.answers.get(timeout=left and min(left, threading.TIMEOUT_MAX))
        except Empty:
            raise OutOfTime(seconds, self.engine) from None
        if isinstance(answer, EOFError | pickle.UnpicklingError):
            raise self._why_ended(running)
        if isinstance(answer, Exception):
            raise answer
        kind, value = answer
        return kind, value

    def _why_ended(self, running: subprocess.Popen[bytes]) -> Exception:
        """Return the error for a process that ended instead of answering: MemoryError if it reached
        its memory limit, else EngineFault."""
        status = running.wait()
        if self.max_memory is not None and status in OUT_OF_MEMORY:
            return MemoryError()
        error = EngineFault(
            f"the process of {self.engine!r} ended with status {status} instead of an answer"
        )
        error.status = status
        return error


def _listen(stream: IO[bytes], answers: SimpleQueue[Any]) -> None:
    """Put every answer of a process into `answers`. When the process has ended, reading fails, and
    the error is put into `answers`, too. This function runs in a thread, and the caller waits for
    the queue, because only POSIX systems can wait for a pipe with a time limit."""
    with stream:
        while True:
            try:
                answers.put(pickle.load(stream))
            except Exception as error:  # the process has ended, or its answer cannot be read
                answers.put(error)
                return


def main() -> None:
    """Answer requests in the process apart, until the parent closes the pipe."""
    requests, answers = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)  # an engine must not read the requests
    os.dup2(2, 1)  # output of an engine must not mix with the answers
    threading.Thread(target=_end_with_parent, args=(os.getppid(),), daemon=True).start()
    while True:
        try:
            seconds, quiet, sys.path[:], request = pickle.load(requests)
        except EOFError:
            return
        if quiet:
            _silence()
        _end_after(seconds or 0)
        answer = _answer(request, int(sys.argv[1]))
        try:
            pickle.dump(answer, answers)
            answers.flush()
        except BrokenPipeError:  # the parent ended meanwhile
            os._exit(1)
        _end_after(0)


def _answer(request: bytes, max_memory: int) -> tuple[str, Any]:
    """Call the requested function and return a pair. It is `("answered", result)` if the function
    returns. It is `("raised", error)` for a CspMinesError or MemoryError, which the caller raises
    again. It is `("fault", text)` for any other error, which is a defect of the engine. That error
    is sent as text, because the caller may not know its class."""
    try:
        function, arguments = pickle.loads(request)  # this imports the libraries of the engine
        _bound_memory(max_memory)
        return "answered", function(*arguments)
    except (CspMinesError, MemoryError) as error:
        return "raised", error
    except Exception as error:  # the caller must learn of every error
        return "fault", error_text(error)


def _end_after(seconds: float) -> None:
    """Let the system end this process after `seconds`; 0 means never. Windows has no such timer:
    there the process ends itself only when its parent has ended."""
    if hasattr(signal, "setitimer"):
        signal.setitimer(signal.ITIMER_REAL, seconds)


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
    """Let the process allocate `more` bytes from now on; 0 means no limit. The first call sets
    the limit; later calls do nothing. Only Linux says in a file how much memory a process uses, so
    there is no limit on other systems."""
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
