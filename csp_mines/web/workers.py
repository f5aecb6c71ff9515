"""Worker processes for the page's work: a few of them, each with a bounded time for a request.

A request that takes longer than its limit, or that nobody waits for any more, is ended by ending
its process; a fresh one takes its place, so the next request is answered at once."""

from __future__ import annotations

import asyncio
import multiprocessing
import signal
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from multiprocessing.connection import Connection
from typing import Any

from csp_mines.machine import usable_cores

__all__ = ["Answer", "Busy", "TooLong", "WorkPool"]

Answer = tuple[int, bytes]  # an HTTP status and a JSON text
Serve = Callable[[str, bytes], Answer]

GRACE = 0.2  # seconds in which work that nobody waits for may still end by itself
MEMORY = 6 << 30  # bytes of address space that a worker may take


class Busy(Exception):
    """More requests wait than may."""


class TooLong(Exception):
    """The work was ended at its time limit."""


class WorkPool:
    """`size` processes. `run` gives each request to one that is idle."""

    def __init__(
        self, size: int | None = None, *, seconds: float = 10.0, waiting: int = 64
    ) -> None:
        self.seconds = seconds
        self._size = size or max(2, usable_cores())
        self._room = self._size + waiting
        self._asked = 0
        self._idle: asyncio.Queue[_Worker] = asyncio.Queue()
        self._workers: set[_Worker] = set()
        self._tasks: set[asyncio.Task[None]] = set()
        self._threads = ThreadPoolExecutor(4 * self._size, thread_name_prefix="web-worker")

    def start(self) -> None:
        """Starts the processes, in a running event loop; requests that come early wait."""
        for _ in range(self._size):
            self._add()

    async def stop(self) -> None:
        """Ends all processes."""
        for worker in list(self._workers):
            self._drop(worker)
        for task in list(self._tasks):
            task.cancel()
        self._threads.shutdown(wait=False, cancel_futures=True)

    async def run(self, task: str, body: bytes) -> Answer:
        """The answer of a worker. Raises Busy, TooLong. When this is cancelled, the work is ended,
        unless it ends by itself within a moment."""
        if self._asked >= self._room:
            raise Busy
        self._asked += 1
        try:
            worker = await self._idle.get()
        finally:
            self._asked -= 1
        loop = asyncio.get_running_loop()
        self._asked += 1
        work = loop.run_in_executor(self._threads, worker.ask, task, body)
        try:
            answer = await asyncio.wait_for(asyncio.shield(work), self.seconds)
        except TimeoutError:
            self._replace(worker, work)
            raise TooLong from None
        except asyncio.CancelledError:
            ending = loop.create_task(self._settle(worker, work))
            self._tasks.add(ending)
            ending.add_done_callback(self._tasks.discard)
            raise
        except (EOFError, OSError):  # the process died: the kernel killed it for its memory
            self._replace(worker, None)
            return 413, b'{"error":"this needs more memory than the page may use"}'
        finally:
            self._asked -= 1
        self._idle.put_nowait(worker)
        return answer

    async def _settle(self, worker: _Worker, work: asyncio.Future[Answer]) -> None:
        done, _ = await asyncio.wait([work], timeout=GRACE)
        if done and work.exception() is None:
            self._idle.put_nowait(worker)
        else:
            self._replace(worker, work)

    def _replace(self, worker: _Worker, work: asyncio.Future[Answer] | None) -> None:
        if work is not None:
            work.add_done_callback(lambda future: future.cancelled() or future.exception())
        self._drop(worker)
        self._add()

    def _add(self) -> None:
        worker = _Worker()
        self._workers.add(worker)
        starting = asyncio.get_running_loop().create_task(self._begin(worker))
        self._tasks.add(starting)
        starting.add_done_callback(self._tasks.discard)

    async def _begin(self, worker: _Worker) -> None:
        """A worker is idle once it has loaded what it needs: that is nobody's time limit."""
        loop = asyncio.get_running_loop()
        with suppress(EOFError, OSError):  # whoever asks it will see that it is gone
            await loop.run_in_executor(self._threads, worker.wait)
        self._idle.put_nowait(worker)

    def _drop(self, worker: _Worker) -> None:
        self._workers.discard(worker)
        worker.end()


class _Worker:
    """One process and the pipe to it."""

    def __init__(self) -> None:
        context = _context()
        self._pipe, theirs = context.Pipe()
        self._process = context.Process(target=_serve, args=(theirs,), daemon=True)
        self._process.start()
        theirs.close()

    def wait(self) -> None:
        """Until it is ready. Raises EOFError, OSError when it died."""
        self._pipe.recv_bytes()

    def ask(self, task: str, body: bytes) -> Answer:
        """Sends a request and waits for the answer. Raises EOFError, OSError when it died."""
        self._pipe.send_bytes(task.encode() + b"\n" + body)
        answer = self._pipe.recv_bytes()
        return int(answer[:3]), answer[3:]

    def end(self) -> None:
        """Ends the process, whatever it does. The pipe stays for whoever still reads it: its other
        end is closed now, and that ends the reading."""
        self._process.kill()


def _context() -> Any:
    """A fork server where there is one: it has everything imported, so a process takes no time."""
    if "forkserver" not in multiprocessing.get_all_start_methods():
        return multiprocessing.get_context("spawn")
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["csp_mines.web.tasks"])
    return context


def _serve(pipe: Connection) -> None:
    """The life of a worker: it answers until the pipe closes. Ctrl-C is for the server."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    _bound_memory()
    from csp_mines.web.tasks import answer, warm_up

    warm_up()
    with suppress(EOFError, OSError):
        pipe.send_bytes(b"ready")
        while True:
            task, _, body = pipe.recv_bytes().partition(b"\n")
            status, document = answer(task.decode(), body)
            pipe.send_bytes(b"%d" % status + document)


def _bound_memory() -> None:
    try:
        import resource
    except ImportError:  # not on Windows
        return
    _, most = resource.getrlimit(resource.RLIMIT_AS)
    bound = MEMORY if most == resource.RLIM_INFINITY else min(MEMORY, most)
    resource.setrlimit(resource.RLIMIT_AS, (bound, most))
