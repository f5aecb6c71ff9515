"""Worker processes that answer one message at a time, and are replaced when they end.

The parent of a worker is the process that uses the worker. A worker ends when its parent ends, even
if the parent was killed with `kill -9`. On Linux, this holds even for a worker that an engine keeps
busy. A terminal sends SIGINT (Ctrl-C) and SIGHUP to parent and workers at once; only the parent
handles these signals. Where Python has a fork server, workers are forked from the fork server. The
fork server has already loaded what workers need, so a new worker is ready within milliseconds.
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

Answer = Callable[[bytes], bytes]  # the function that answers a message in a worker

NICENESS = 10  # added to the niceness of a worker that yields to others
RESTART_SECONDS = 1.0  # the wait before each start while many workers in a row die at their start
MOST_DEATHS = 3  # when this many workers have died at one piece of work, the work fails
END_SECONDS = 5.0  # the longest wait until the system has removed a process that has ended
# The option of prctl (Linux) that ends a process with the process that forked it, here the fork
# server.
PR_SET_PDEATHSIG = 1

_starting = threading.Lock()  # held while a process starts, because sys.modules is changed then


class Worker:
    """A process that answers messages. `ready` is True once the process can answer. `yields` is
    True after a call of `yield_to_others`. `failure` is the error that prevented the start, or
    None."""

    def __init__(self, hear: Callable[[Worker, bytes | None], None]) -> None:
        """Prepare a worker without starting its process.

        A thread of the worker calls `hear(worker, message)`: with b"" when the process is ready,
        with each answer of the process, and with None after the process has ended. If the process
        cannot be started, `begin` calls `hear` with None."""
        self.ready = False
        self.yields = False
        self.failure: Exception | None = None
        self._hear = hear
        self._process: Any = None
        self._pipe: Any = None
        self._ended = False
        self._listener = threading.Thread(target=self._listen, daemon=True)

    def begin(self, prepare: Callable[[], Answer], preload: str) -> None:
        """Start the process. This takes a moment. If the system cannot start the process, store the
        error as `failure`. `ProcessPool` explains `prepare` and `preload`."""
        try:
            context = _context(preload)
            self._pipe, theirs = context.Pipe()
            process = context.Process(target=_work, args=(theirs, prepare), daemon=True)
            with theirs, _starting, _script_left_out():
                process.start()
        except (EOFError, OSError) as error:
            self.failure = error
            self._hear(self, None)
            return
        self._process = process
        if self._ended:  # another thread has called `end` meanwhile
            process.kill()
        self._listener.start()

    def ask(self, message: bytes) -> None:
        """Send a message. Raises OSError if the process has ended."""
        self._pipe.send_bytes(message)

    def yield_to_others(self) -> None:
        """Lower the priority of the process for the rest of its life. On systems without
        `os.setpriority`, such as Windows, only set `yields`."""
        self.yields = True
        if hasattr(os, "setpriority"):
            with suppress(ProcessLookupError):  # the process has ended; `_listen` reports that
                before = os.getpriority(os.PRIO_PROCESS, self._process.pid)
                os.setpriority(os.PRIO_PROCESS, self._process.pid, before + NICENESS)

    def end(self) -> None:
        """Kill the process at once. If `begin` has not started the process yet, `begin` kills the
        process as soon as it has started."""
        self._ended = True
        if self._process is not None:
            self._process.kill()

    def wait(self) -> None:
        """Wait until the process is gone, but at most `END_SECONDS`. Call `end` first."""
        if self._listener.is_alive():
            self._listener.join(END_SECONDS)

    def clock(self) -> float:
        """Return how many seconds of processor time the process has used. If `/proc` does not say
        this, because the system has no `/proc` or the process has ended, return the time of a
        monotonic clock. Use only the difference between two results for a running process."""
        try:
            with open(f"/proc/{self._process.pid}/stat") as file:
                fields = file.read().rpartition(")")[2].split()
        except OSError:
            return time.monotonic()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    @property
    def has_died(self) -> bool:
        """Whether an idle worker has died, even if `hear` has not yet been called with None. An
        idle worker sends nothing, so its pipe becomes readable only when the process ends."""
        try:
            return bool(self._pipe.poll())
        except OSError:
            return True

    @property
    def exit_status(self) -> int | None:
        """The exit status of the process, or None if the process has not ended or was not started.
        On POSIX systems, -9 means that the process was killed: by `end` or, for example, by the
        system because memory ran out."""
        return None if self._process is None else self._process.exitcode

    def _listen(self) -> None:
        """Pass every message of the process to `hear`, and None after the process has ended. The
        thread of the worker runs this method."""
        with suppress(EOFError, OSError):
            while True:
                message = self._pipe.recv_bytes()
                self.ready = True
                self._hear(self, message)
        self._process.join(END_SECONDS)
        self._hear(self, None)


class ProcessPool:
    """A pool of `size` worker processes. The pool replaces a worker that ends."""

    def __init__(
        self,
        size: int,
        prepare: Callable[[], Answer],
        tell: Callable[[Worker, bytes | None], None],
        *,
        post: Callable[..., None],
        preload: str,
    ) -> None:
        """Prepare a pool without starting its processes.

        * `prepare()` runs in every worker process and returns the function that answers messages.
        * `tell(worker, message)` gets b"" when a worker is ready, then each answer of the worker.
          If a worker ends by itself or cannot be started, the pool first replaces the worker, then
          calls `tell` with None. After `replace(worker)`, `tell` gets nothing more from this
          worker. After `stop()`, `tell` gets nothing more from any worker.
        * `post(call, *arguments)` must call `call(*arguments)`, at once or later. The threads of
          the pool call `tell` only through `post`, so `post` chooses the thread or the lock for
          `tell`. Call `start`, `replace` and `stop` in the same thread or under the same lock.
        * `preload` names the module that the fork server loads."""
        self._size, self._prepare, self._preload = size, prepare, preload
        self._tell, self._post = tell, post
        self._starter = ThreadPoolExecutor(1, "worker-starter", initializer=_hold_signals)
        self._workers: set[Worker] = set()
        self._stopped = threading.Event()
        self._stillborn = 0  # how many workers in a row died at their start

    def start(self) -> None:
        """Start the processes in a thread of the pool. That thread blocks SIGINT and SIGHUP, so
        these signals do not reach the processes that it starts, not even a fork server that is
        still loading."""
        if os.name == "posix":
            # `ensure_running` unblocks SIGINT in the thread that calls it. The thread of the pool
            # must keep SIGINT blocked, so the call is here.
            with signals.held():
                resource_tracker.ensure_running()
        for _ in range(self._size):
            self._add()

    def replace(self, worker: Worker) -> None:
        """End a worker at once. Start another worker, unless the pool is stopped."""
        self._workers.discard(worker)
        worker.end()
        self._add()

    def stop(self) -> None:
        """End all processes at once. Afterwards, the pool starts no other process."""
        self._stopped.set()
        self._starter.shutdown(wait=False, cancel_futures=True)
        for worker in self._workers:
            worker.end()

    def wait(self) -> None:
        """Wait until the processes have ended, but at most `END_SECONDS` for each. Call `stop`
        first, and hold no lock that `post` needs. Without this wait, a process that is just
        starting could print a traceback when the parent ends."""
        self._starter.shutdown()
        for worker in self._workers:
            worker.wait()

    @property
    def is_failing(self) -> bool:
        """Whether more than `2 * size` workers in a row have died at their start."""
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
    """Return the multiprocessing context that starts workers. The context forks each worker from a
    fork server that has loaded the module `preload`. On systems without a fork server, it starts a
    new interpreter for each worker."""
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
    """Hide the script of this process from the processes that start in the `with` block. Otherwise
    each new process would first run the script, and a script without `if __name__ == "__main__"`
    would start more and more workers."""
    script = sys.modules["__main__"]
    sys.modules["__main__"] = ModuleType("__main__")
    try:
        yield
    finally:
        sys.modules["__main__"] = script


def _work(pipe: Connection, prepare: Callable[[], Answer]) -> None:
    """Answer messages in the worker process, until the pipe closes."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    _end_with_parent()
    answer = prepare()
    with suppress(EOFError, OSError):
        pipe.send_bytes(b"")
        while True:
            pipe.send_bytes(answer(pipe.recv_bytes()))


def _end_with_parent() -> None:
    """Make sure that this worker ends when its parent ends. A thread waits for the end of the
    parent, but this thread cannot run while an engine holds the lock of the interpreter. So on
    Linux, the system also ends the worker when the fork server ends, and the fork server ends when
    the parent ends."""
    parent = multiprocessing.parent_process()
    assert parent is not None
    threading.Thread(target=_wait_and_exit, args=(parent,), daemon=True).start()
    if sys.platform == "linux":
        _let_fork_server_go()
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)


def _let_fork_server_go() -> None:
    """Close the pipe that keeps the fork server alive; this worker has inherited the pipe. The fork
    server lives as long as any process has the pipe open. Without this call, a busy worker would
    keep the fork server alive, and the fork server would keep the worker alive."""
    from multiprocessing import forkserver  # Windows has no fork server

    pipe: int | None = getattr(forkserver._forkserver, "_forkserver_alive_fd", None)
    if pipe is not None:
        os.close(pipe)


def _wait_and_exit(parent: Any) -> None:
    parent.join()
    os._exit(1)
