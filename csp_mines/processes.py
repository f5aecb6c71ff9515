"""Worker processes: each answers one message at a time, and a process that ends is replaced.

Workers end with the process that started them, even after `kill -9` of that process; on Linux also
while an engine keeps them busy. Ctrl-C and SIGHUP, which a terminal sends to all processes at once,
are left to the parent. Where the system has a fork server, workers are forked from it: the server
has loaded what they need, so a fresh worker is ready within milliseconds.
"""

from __future__ import annotations

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

from csp_mines import signals

__all__ = ["Answer", "ProcessPool", "Worker"]

Answer = Callable[[bytes], bytes]  # what a worker makes of a message

NICENESS = 10  # of a worker that yields to others
RESTART_SECONDS = 1.0  # before a further attempt when one worker after another dies as it starts
END_SECONDS = 5.0  # for the system to clear away a process that was killed
PR_SET_PDEATHSIG = 1  # of Linux's prctl

_starting = threading.Lock()  # starting a process changes sys.modules for a moment


class Worker:
    """A process that answers messages. `ready` once it has started; `failure` is why it could not
    be started."""

    def __init__(self, hear: Callable[[Worker, bytes | None], None]) -> None:
        """`hear` is called in a thread of the worker's own: with b"" when the process is ready,
        with each answer, and at last with None when the process has ended."""
        self.ready = False
        self.yields = False
        self.failure: Exception | None = None
        self._hear = hear
        self._process: Any = None
        self._pipe: Any = None
        self._ended = False
        self._listener = threading.Thread(target=self._listen, daemon=True)

    def begin(self, prepare: Callable[[], Answer], preload: str) -> None:
        """Starts the process; that takes a moment."""
        try:
            self._start(prepare, preload)
        except (EOFError, OSError) as error:
            self.failure = error
            self._hear(self, None)
            return
        self._listener.start()

    def ask(self, message: bytes) -> None:
        """Sends a message. Raises OSError when the process has ended."""
        self._pipe.send_bytes(message)

    def yield_to_others(self) -> None:
        """Lowers the priority of the process, for the rest of its life."""
        self.yields = True
        if hasattr(os, "setpriority"):
            with suppress(ProcessLookupError):  # it has ended, which `hear` is told
                os.setpriority(os.PRIO_PROCESS, self._process.pid, NICENESS)

    def end(self) -> None:
        """Ends the process, whatever it does."""
        self._ended = True
        if self._process is not None:
            self._process.kill()

    def wait(self) -> None:
        """Waits for the end of a process that was ended, if it had started."""
        if self._listener.is_alive():
            self._listener.join(END_SECONDS)

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
    def exit_status(self) -> int | None:
        """That of a process that has ended; -9 when it was killed, as the system does when memory
        runs out."""
        return None if self._process is None else self._process.exitcode

    def _start(self, prepare: Callable[[], Answer], preload: str) -> None:
        context = _context(preload)
        self._pipe, theirs = context.Pipe()
        process = context.Process(target=_work, args=(theirs, prepare), daemon=True)
        with theirs, _starting, _script_left_out():
            process.start()
        self._process = process
        if self._ended:  # meanwhile, by another thread
            process.kill()

    def _listen(self) -> None:
        """The life of a thread: it hears of answers, and of the end, also of an idle process."""
        with suppress(EOFError, OSError):
            while True:
                message = self._pipe.recv_bytes()
                self.ready = True
                self._hear(self, message)
        self._process.join(END_SECONDS)
        self._hear(self, None)


class ProcessPool:
    """`size` worker processes. A worker that ends is replaced, whatever it was doing."""

    def __init__(
        self,
        size: int,
        prepare: Callable[[], Answer],
        tell: Callable[[Worker, bytes | None], None],
        *,
        post: Callable[..., None],
        preload: str,
    ) -> None:
        """`prepare` is called in every process and gives what answers its messages. `preload` names
        the module that the fork server loads. `tell(worker, message)` hears what `Worker` tells,
        but not of workers that were replaced. `post(call, *arguments)` makes these calls, so that
        the caller decides in which thread or under which lock; `start`, `replace` and `stop` must
        be called in the same way."""
        self._size, self._prepare, self._preload = size, prepare, preload
        self._tell, self._post = tell, post
        self._starter = ThreadPoolExecutor(1, "worker-starter", initializer=_hold_signals)
        self._workers: set[Worker] = set()
        self._stopped = threading.Event()
        self._stillborn = 0  # workers that died as they started, one after another

    def start(self) -> None:
        """Starts the processes, in a thread: no signal reaches what that thread starts, not even
        the fork server while it is still loading."""
        if os.name == "posix":
            with signals.held():  # it would unblock SIGINT in the thread that starts it
                resource_tracker.ensure_running()
        for _ in range(self._size):
            self._add()

    def replace(self, worker: Worker) -> None:
        """Ends a worker and starts another."""
        self._workers.discard(worker)
        worker.end()
        self._add()

    def stop(self) -> None:
        """Ends all processes."""
        self._stopped.set()
        self._starter.shutdown(wait=False, cancel_futures=True)
        for worker in self._workers:
            worker.end()

    def wait(self) -> None:
        """Waits until the processes have ended, after `stop`. No lock may be held that `post`
        needs."""
        for worker in self._workers:
            worker.wait()

    @property
    def is_failing(self) -> bool:
        """Whether one worker after another dies as it starts."""
        return self._stillborn > 2 * self._size

    def _add(self) -> None:
        if self._stopped.is_set():
            return
        worker = Worker(lambda *told: self._post(self._heard, *told))
        self._workers.add(worker)
        self._starter.submit(self._begin, worker, RESTART_SECONDS if self.is_failing else 0.0)

    def _begin(self, worker: Worker, delay: float) -> None:
        if not self._stopped.wait(delay):
            worker.begin(self._prepare, self._preload)

    def _heard(self, worker: Worker, message: bytes | None) -> None:
        if self._stopped.is_set() or worker not in self._workers:
            return
        if message is not None:
            self._stillborn = 0
        else:
            self._stillborn += not worker.ready
            self.replace(worker)
        self._tell(worker, message)


def _context(preload: str) -> Any:
    if "forkserver" not in multiprocessing.get_all_start_methods():
        return multiprocessing.get_context("spawn")
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload([preload])
    return context


def _hold_signals() -> None:
    if hasattr(signal, "pthread_sigmask"):
        signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGINT, signal.SIGHUP])


@contextmanager
def _script_left_out() -> Iterator[None]:
    """While a process is started: it would begin with the script that runs here, and a script that
    starts workers without asking for its own name would never come to an end."""
    script = sys.modules["__main__"]
    sys.modules["__main__"] = ModuleType("__main__")
    try:
        yield
    finally:
        sys.modules["__main__"] = script


def _work(pipe: Connection, prepare: Callable[[], Answer]) -> None:
    """The life of a worker: it answers until the pipe closes."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    _end_with_parent()
    answer = prepare()
    with suppress(EOFError, OSError):
        pipe.send_bytes(b"")
        while True:
            pipe.send_bytes(answer(pipe.recv_bytes()))


def _end_with_parent() -> None:
    """On Linux the kernel sees to it: a thread of ours has to wait while an engine holds the
    interpreter. The kernel looks at the fork server, which ends with its parent."""
    parent = multiprocessing.parent_process()
    assert parent is not None
    threading.Thread(target=_wait_and_exit, args=(parent,), daemon=True).start()
    if sys.platform == "linux":
        _let_fork_server_go()
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)


def _let_fork_server_go() -> None:
    """A fork server lives as long as any process holds its pipe. Python hands the pipe to every
    worker, so that a worker could start processes of its own: a busy worker would keep the fork
    server alive, and so itself."""
    from multiprocessing import forkserver  # not on Windows

    pipe: int | None = getattr(forkserver._forkserver, "_forkserver_alive_fd", None)
    if pipe is not None:
        os.close(pipe)


def _wait_and_exit(parent: Any) -> None:
    parent.join()
    os._exit(1)
