"""Calls of functions in a process apart, that is, in a process that can be ended at any moment.

`call(function, …)` runs a function in another Python process and waits for the answer. When the
time is over or the user presses Ctrl-C, `call` ends this process, even if the function is stuck in
a C library that never returns. When the parent process has ended, the process apart ends by
itself; on Windows it first finishes its present call. Calls for one engine usually share a process,
because starting a process takes as long as many calls. `processes.py` has the worker processes of
the simulation and of the page.
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
from csp_mines.machine import set_limit
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
    """Compute `function(*arguments)` in a process apart and return the result. The process imports
    the function by name, so it cannot be a lambda or a function inside another function.

    * `engine` is the name that messages mention. All calls with the same `engine`, `max_memory` and
      `lane` use one process, one call after another.
    * `seconds` is the time limit. `call` waits `patience` seconds longer for the answer.
    * `max_memory` is the number of bytes that the process may allocate after the imports of its
      first call; None means no limit. Only Linux enforces this limit.
    * `quiet` hides what the process prints, in this call and in all later calls.
    * `lane` is any number. Calls with different numbers can run at the same time.

    Raises OutOfTime if no answer comes in this time, MemoryError if the memory does not suffice,
    EngineFault if the process dies or the function raises an unexpected error. If the function
    raises a CspMinesError, `call` raises this error, too."""
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
        """Send a request, which is a pair of a function and its arguments, and return the result of
        the function. Raises what `call` raises. If no answer comes, because of the time limit,
        Ctrl-C or a crash, make sure that the process has ended."""
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
        """Wait for an answer, and return the pair that `_answer` made in the process. Raises
        OutOfTime at the time `end`; the message mentions `seconds`, the time limit. If the process
        has ended, raises the error that `_why_ended` returns. Raises any other error that occurs in
        reading the answer."""
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
        """Return the error for a process that ended instead of answering. This is MemoryError if
        the process has a memory limit and an exit status in OUT_OF_MEMORY, else EngineFault."""
        status = running.wait()
        if self.max_memory is not None and status in OUT_OF_MEMORY:
            return MemoryError()
        error = EngineFault(
            f"the process of {self.engine!r} ended with status {status} instead of answering"
        )
        error.status = status
        return error


def _listen(stream: IO[bytes], answers: SimpleQueue[Any]) -> None:
    """Put every answer of a process into `answers`. `stream` is the pipe from the process. If
    reading fails, put the error into `answers` and return.

    This function runs in a thread of its own, and `_receive` waits for the queue `answers`. A wait
    for the pipe itself can have a time limit only on POSIX systems."""
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
    """Call the requested function and return one of three pairs:

    * `("answered", result)` if the function returns;
    * `("raised", error)` if the function raises a CspMinesError or MemoryError, which the parent
      process raises again;
    * `("fault", text)` for any other exception, which is a defect of the engine. The parent process
      gets only a text, because it may be unable to import the class of the exception."""
    try:
        function, arguments = pickle.loads(request)  # this imports the libraries of the engine
        _bound_memory(max_memory)
        return "answered", function(*arguments)
    except (CspMinesError, MemoryError) as error:
        return "raised", error
    except Exception as error:  # the parent process must learn of every error
        return "fault", error_text(error)


def _end_after(seconds: float) -> None:
    """Let the system end this process after `seconds`; 0 means never. Do nothing on Windows, which
    has no such timer."""
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
    """Let the process allocate `more` bytes from now on; 0 means no limit. A process calls this
    function before each answer, always with the same `more`. Because of the cache, only the first
    call sets the limit. Only Linux says in a file how much memory a process uses, so there is no
    limit on other systems."""
    if not more or not os.path.exists("/proc/self/statm"):
        return
    with open("/proc/self/statm") as file:
        now = int(file.read().split()[0]) * os.sysconf("SC_PAGE_SIZE")
    set_limit("RLIMIT_AS", now + more)


if __name__ == "__main__":
    main()
