"""Many small jobs on many workers, through a `concurrent.futures` executor.

Jobs come in kinds; jobs of one kind take about the same time each. They are handed out in batches
of one kind, sized so that a batch takes about `BATCH_SECONDS`: short jobs cost little overhead, and
whatever is interrupted loses little. A worker that dies is replaced and its jobs are done again;
only the jobs that were out when it died are suspected, and they are then tried one at a time, so
that a job that kills its worker again and again is found out and named.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import sys
import threading
import time
from collections import Counter, deque
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from concurrent.futures import (
    FIRST_COMPLETED,
    BrokenExecutor,
    Executor,
    Future,
    ProcessPoolExecutor,
    wait,
)
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from dataclasses import dataclass
from types import ModuleType
from typing import Any, Generic, Self, TypeVar

from csp_mines.errors import WorkerError
from csp_mines.machine import usable_cores

__all__ = ["QUIET_SECONDS", "LocalPool", "Pool", "WorkerError", "run"]

BATCH_SECONDS = 0.5
MAX_DEATHS = 3  # of workers that had nothing but one and the same job
QUIET_SECONDS = 2.0  # without news, before somebody looks why

KindT = TypeVar("KindT", bound=Hashable)
JobT = TypeVar("JobT", bound=Hashable)
ResultT = TypeVar("ResultT")


class Pool:
    """Workers behind an executor, and how they fail. A context manager: leaving it by an exception
    (Ctrl-C, say) stops the workers in the middle of what they do."""

    workers: int
    deaths: tuple[type[BaseException], ...] = ()  # what a future raises when its worker died

    def submit(self, task: Callable[..., ResultT], *args: Any) -> Future[ResultT]:
        raise NotImplementedError

    @property
    def connected(self) -> bool:
        """Whether the workers can be reached."""
        return True

    def look(self) -> None:
        """Looks after workers from which nothing has come for a while. Raises WorkerError when
        nothing more will come."""

    def renew(self) -> None:
        """Makes the pool usable again after a death."""

    def close(self, *, at_once: bool) -> None:
        """Lets the workers go, when they have finished or at once."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: object, *failure: object) -> None:
        self.close(at_once=kind is not None)


def run(
    task: Callable[[KindT, tuple[JobT, ...]], list[ResultT]],
    jobs: Mapping[KindT, Iterable[JobT]],
    pool: Pool,
    name_of: Callable[[KindT, JobT], str] = "{1}, {0}".format,
    *,
    warm_up: Callable[[KindT], None] | None = None,
) -> Iterator[tuple[KindT, list[ResultT], float]]:
    """Does all jobs; yields the results of a batch as it comes back, and the seconds it took.

    `task` does a batch; it and its arguments must be picklable. All kinds advance together.
    `name_of` names a job in messages. `warm_up` is called in the worker before the clock starts: it
    does what is done once in a process and not once in a batch, such as imports.
    Raises WorkerError when a job kills its workers, and whatever `task` raises."""
    return _Dispatch(task, jobs, pool, name_of, warm_up).results()


class LocalPool(Pool):
    """Processes of this machine; a single worker is this very process."""

    deaths = (BrokenProcessPool,)

    def __init__(self, workers: int | None = None) -> None:
        """By default one for each core that this process may use."""
        self.workers = workers or usable_cores()
        self._executor = self._started()

    def submit(self, task: Callable[..., ResultT], *args: Any) -> Future[ResultT]:
        if isinstance(self._executor, _ThisProcess):
            return self._executor.submit(task, *args)
        with _interrupts_held(), _script_left_out():  # the executor starts processes here
            return self._executor.submit(task, *args)

    def renew(self) -> None:
        self.close(at_once=True)
        self._executor = self._started()

    def close(self, *, at_once: bool) -> None:
        processes = list((getattr(self._executor, "_processes", None) or {}).values())
        self._executor.shutdown(wait=not at_once, cancel_futures=True)
        if at_once:
            for process in processes:
                process.terminate()

    def _started(self) -> Executor:
        if self.workers == 1:
            return _ThisProcess()
        # Spawned, not forked: a fork would copy locks that a progress display's thread may hold.
        return ProcessPoolExecutor(
            self.workers, multiprocessing.get_context("spawn"), initializer=_start_worker
        )


class _ThisProcess(Executor):
    """An executor without workers: does what it is given, at once, here."""

    def submit(self, fn: Callable[..., ResultT], /, *args: Any, **kwargs: Any) -> Future[ResultT]:
        future: Future[ResultT] = Future()
        try:
            future.set_result(fn(*args, **kwargs))
        except Exception as error:
            future.set_exception(error)
        return future


@dataclass(frozen=True)
class _Batch(Generic[KindT, JobT]):
    kind: KindT
    jobs: tuple[JobT, ...]
    alone: bool = False  # nothing else was out with it, so a death is its own doing


class _Queue(Generic[JobT]):
    """The jobs of one kind that are still to be handed out, and what is known of their pace."""

    def __init__(self, jobs: Iterable[JobT]) -> None:
        self._left = deque(jobs)
        self._done = 0
        self._seconds = 0.0
        self.handed_out = 0

    def __bool__(self) -> bool:
        return bool(self._left)

    def take(self, workers: int) -> tuple[JobT, ...]:
        """The next batch: one job while the pace is unknown, and small ones towards the end so
        that no worker is left alone with a long batch."""
        size = 1
        if self._done:
            pace = max(self._seconds / self._done, 1e-6)
            size = min(round(BATCH_SECONDS / pace), -(-len(self._left) // (2 * workers)))
        size = max(1, min(size, len(self._left)))
        self.handed_out += size
        return tuple(self._left.popleft() for _ in range(size))

    def learn(self, jobs: int, seconds: float) -> None:
        self._done += jobs
        self._seconds += seconds


class _Dispatch(Generic[KindT, JobT, ResultT]):
    """What is queued, what is out, and what is suspected of killing workers."""

    def __init__(
        self,
        task: Callable[[KindT, tuple[JobT, ...]], list[ResultT]],
        jobs: Mapping[KindT, Iterable[JobT]],
        pool: Pool,
        name_of: Callable[[KindT, JobT], str],
        warm_up: Callable[[KindT], None] | None,
    ) -> None:
        self._task = task
        self._warm_up = warm_up
        self._pool = pool
        self._name_of = name_of
        self._queues = {kind: _Queue(some) for kind, some in jobs.items()}
        self._out: dict[Future[tuple[list[ResultT] | Exception, float]], _Batch[KindT, JobT]] = {}
        self._suspects: deque[_Batch[KindT, JobT]] = deque()
        self._deaths: Counter[tuple[KindT, JobT]] = Counter()
        self._broken = False

    def results(self) -> Iterator[tuple[KindT, list[ResultT], float]]:
        while self._fill():
            done, _ = wait(self._out, QUIET_SECONDS, return_when=FIRST_COMPLETED)
            if not done:
                self._pool.look()
            for future in [future for future in self._out if future in done]:
                batch = self._out.pop(future)
                try:
                    results, seconds = future.result()
                except self._pool.deaths as error:
                    self._suspect(batch, error)
                    continue
                if isinstance(results, Exception):
                    raise results
                self._queues[batch.kind].learn(len(batch.jobs), seconds)
                yield batch.kind, results, seconds

    def _fill(self) -> bool:
        """Hands out batches; False when nothing is out and nothing is left."""
        while len(self._out) < 2 * self._pool.workers:
            if self._suspects:
                if self._out:
                    break
                if self._broken:
                    self._pool.renew()
                    self._broken = False
                self._hand_out(self._suspects.popleft())
                continue
            kinds = [kind for kind, queue in self._queues.items() if queue]
            if not kinds:
                break
            kind = min(kinds, key=lambda kind: self._queues[kind].handed_out)
            self._hand_out(_Batch(kind, self._queues[kind].take(self._pool.workers)))
        return bool(self._out)

    def _hand_out(self, batch: _Batch[KindT, JobT]) -> None:
        try:
            future = self._pool.submit(_timed, self._warm_up, self._task, batch.kind, batch.jobs)
        except BrokenExecutor as error:
            self._suspect(batch, error)
        else:
            self._out[future] = batch

    def _suspect(self, batch: _Batch[KindT, JobT], error: BaseException) -> None:
        if not self._pool.connected:
            raise WorkerError("lost the connection to the workers") from None
        self._broken = True
        if not batch.alone:
            self._suspects.append(_Batch(batch.kind, batch.jobs, alone=True))
            return
        if len(batch.jobs) == 1:
            culprit = batch.kind, batch.jobs[0]
            self._deaths[culprit] += 1
            if self._deaths[culprit] == MAX_DEATHS:
                raise WorkerError(
                    f"{MAX_DEATHS} workers died one after another at {self._name_of(*culprit)}"
                    f" (the last: {str(error) or type(error).__name__})"
                ) from error
        self._suspects += [_Batch(batch.kind, (job,), alone=True) for job in batch.jobs]


def _timed(
    warm_up: Callable[[KindT], None] | None,
    task: Callable[[KindT, tuple[JobT, ...]], list[ResultT]],
    kind: KindT,
    jobs: tuple[JobT, ...],
) -> tuple[list[ResultT] | Exception, float]:
    """What a worker does. Errors of the task are results, so whatever a future raises is the
    worker's failure."""
    try:
        if warm_up is not None:
            warm_up(kind)
    except Exception as error:
        return error, 0.0
    begin = time.perf_counter()
    results: list[ResultT] | Exception
    try:
        results = task(kind, jobs)
    except Exception as error:
        results = error
    return results, time.perf_counter() - begin


@contextmanager
def _script_left_out() -> Iterator[None]:
    """While processes are started: each would begin with the script that runs here, and one that
    simulates without asking for its own name would never come to an end. Jobs need nothing of it.
    """
    script = sys.modules["__main__"]
    sys.modules["__main__"] = ModuleType("__main__")
    try:
        yield
    finally:
        sys.modules["__main__"] = script


@contextmanager
def _interrupts_held() -> Iterator[None]:
    """Ctrl-C waits meanwhile. Processes started here never get it, not even while they start."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGINT])
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _start_worker() -> None:
    """Leaves Ctrl-C to the parent, and ends when the parent does, even by kill -9."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    parent = multiprocessing.parent_process()
    if parent is not None:
        threading.Thread(target=_end_with, args=(parent,), daemon=True).start()


def _end_with(parent: Any) -> None:
    parent.join()
    os._exit(1)
