"""Worker processes: each answers one request at a time, and is ended when it takes too long."""

from __future__ import annotations

import asyncio
import ctypes
import multiprocessing
import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from multiprocessing import resource_tracker
from multiprocessing.connection import Connection
from types import ModuleType
from typing import Any

__all__ = ["Answer", "Worker", "starter"]

Answer = tuple[int, bytes]  # an HTTP status and a JSON text

MEMORY = 6 << 30  # bytes of address space that a worker may take
NICENESS = 10  # of heavy work: the server and light work go before it
PRELOADED = "csp_mines.web.preloaded"
PR_SET_PDEATHSIG = 1  # of Linux's prctl


class Worker:
    """A process, once `begin` has started it. What comes of it is told in the event loop:
    `tell(worker, answer)` for each answer and, when it is ready, for an empty one; at last
    `tell(worker, None)` when it has died, whatever it was doing."""

    def __init__(self, tell: Callable[[Worker, Answer | None], None]) -> None:
        self.ready = False
        self.yields = False
        self._tell, self._loop = tell, asyncio.get_running_loop()
        self._process: Any = None
        self._pipe: Any = None
        self._ended = False

    def begin(self) -> None:
        """Starts the process. That takes a moment, so it is done by `starter`."""
        try:
            self._start()
        except (EOFError, OSError) as error:
            print(f"csp-mines: a worker process did not start: {error}", file=sys.stderr)
            self._post(self._tell, self, None)
            return
        threading.Thread(target=self._listen, daemon=True).start()

    def ask(self, task: str, body: bytes) -> None:
        """Sends a request. Raises OSError when the process has died."""
        self._pipe.send_bytes(task.encode() + b"\n" + body)

    def yield_to_others(self) -> None:
        """Lowers the priority of the process, for the rest of its life."""
        self.yields = True
        if hasattr(os, "setpriority"):
            with suppress(ProcessLookupError):  # it has died, which is told
                os.setpriority(os.PRIO_PROCESS, self._process.pid, NICENESS)

    def end(self) -> None:
        """Ends the process, whatever it does."""
        self._ended = True
        if self._process is not None:
            self._process.kill()

    def clock(self) -> float:
        """The seconds of processor time that the process has used, to be compared with a later
        value. Where the system does not tell, those of any clock."""
        try:
            with open(f"/proc/{self._process.pid}/stat") as file:
                fields = file.read().rpartition(")")[2].split()
        except OSError:
            return time.monotonic()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    @property
    def has_died(self) -> bool:
        """Of an idle worker: whether its death will be told in a moment. It has nothing to say, so
        its pipe can only have come to its end."""
        try:
            return bool(self._pipe.poll())
        except OSError:
            return True

    @property
    def was_killed(self) -> bool:
        """Of a worker that died: whether it was killed from outside, as the system does when
        memory runs out."""
        return self._process is not None and self._process.exitcode == -9

    def _start(self) -> None:
        context = _context()
        self._pipe, theirs = context.Pipe()
        process = context.Process(target=_serve, args=(theirs,), daemon=True)
        with _script_left_out():
            process.start()
        theirs.close()
        self._process = process
        if self._ended:  # by the event loop, meanwhile
            process.kill()

    def _listen(self) -> None:
        """The life of a thread: it hears of answers, and of the end, also of an idle process."""
        with suppress(EOFError, OSError):
            while True:
                self._post(self._hear, self._pipe.recv_bytes())
        self._process.join(1)
        self._post(self._tell, self, None)

    def _hear(self, message: bytes) -> None:
        self.ready = True
        self._tell(self, (int(message[:3]), message[3:]))

    def _post(self, call: Callable[..., None], *arguments: Any) -> None:
        with suppress(RuntimeError):  # the loop is closed: there is nobody left to be told
            self._loop.call_soon_threadsafe(call, *arguments)


def starter() -> ThreadPoolExecutor:
    """The thread that starts workers. Ctrl-C never reaches what it starts, not even the server from
    which workers are forked while that is still loading: they inherit the thread's signal mask."""
    resource_tracker.ensure_running()  # would unblock the signal in the thread that starts it
    return ThreadPoolExecutor(1, "web-starter", initializer=_hold_interrupts)


def _hold_interrupts() -> None:
    if hasattr(signal, "pthread_sigmask"):
        signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGINT])


def _context() -> Any:
    """A fork server where there is one: it has loaded everything, so a process takes no time."""
    if "forkserver" not in multiprocessing.get_all_start_methods():
        return multiprocessing.get_context("spawn")
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload([PRELOADED])
    return context


@contextmanager
def _script_left_out() -> Iterator[None]:
    """While a process is started: it would begin with importing the script that runs here, and a
    worker needs nothing of it."""
    script = sys.modules["__main__"]
    sys.modules["__main__"] = ModuleType("__main__")
    try:
        yield
    finally:
        sys.modules["__main__"] = script


# --- in the process ----------------------------------------------------------------------------


def _serve(pipe: Connection) -> None:
    """The life of a worker: it answers until the pipe closes. Ctrl-C is for the server."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    _end_with_parent()
    _bound_memory()
    import csp_mines.web.preloaded  # noqa: F401
    from csp_mines.web.tasks import answer

    with suppress(EOFError, OSError):
        pipe.send_bytes(b"200")
        while True:
            task, _, body = pipe.recv_bytes().partition(b"\n")
            status, document = answer(task.decode(), body)
            pipe.send_bytes(b"%d" % status + document)


def _end_with_parent() -> None:
    """A worker dies with the server, also when that is killed and the worker is busy. On Linux the
    kernel sees to it: a thread of ours has to wait while an engine holds the interpreter."""
    parent = multiprocessing.parent_process()
    assert parent is not None
    threading.Thread(target=_wait_and_exit, args=(parent,), daemon=True).start()
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)


def _wait_and_exit(parent: Any) -> None:
    parent.join()
    os._exit(1)


def _bound_memory() -> None:
    try:
        import resource
    except ImportError:  # not on Windows
        return
    _, most = resource.getrlimit(resource.RLIMIT_AS)
    bound = MEMORY if most == resource.RLIM_INFINITY else min(MEMORY, most)
    resource.setrlimit(resource.RLIMIT_AS, (bound, most))
