"""Many small jobs on many workers.

Jobs come in kinds; jobs of one kind take about the same time each. They are handed out in batches
of one kind, sized so that a batch takes about `BATCH_SECONDS`: short jobs cost little overhead, and
whatever is interrupted loses little. A worker that dies is replaced, and its batch is done again
alone. When a worker dies of it again, its jobs are tried one at a time, so that a job that kills
its worker again and again is found out and named.
"""

from __future__ import annotations

import multiprocessing
import os
import pickle
import signal
import sys
import threading
import time
from collections import Counter, deque
from collections.abc import Callable, Collection, Hashable, Iterator, Mapping
from concurrent.futures import FIRST_COMPLETED, Future, wait
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from itertools import islice
from multiprocessing import resource_tracker
from multiprocessing.connection import Connection
from queue import SimpleQueue
from types import ModuleType
from typing import Any, Generic, Self, TypeVar

from csp_mines import signals
from csp_mines.errors import WorkerError
from csp_mines.machine import usable_cores

__all__ = ["QUIET_SECONDS", "LocalPool", "Pool", "WorkerError", "run"]

BATCH_SECONDS = 0.5
MOST_JOBS = 2000  # in a batch, however short they are: their results are held in memory
MAX_DEATHS = 3  # of workers that had nothing but one and the same job
QUIET_SECONDS = 2.0  # without news, before somebody looks why

KindT = TypeVar("KindT", bound=Hashable)
JobT = TypeVar("JobT", bound=Hashable)
ResultT = TypeVar("ResultT")

_Call = tuple[Future[Any], Callable[..., Any], tuple[Any, ...]]


class WorkerDied(Exception):
    """What a future raises when its worker's process ended, with this exit code."""

    def __init__(self, code: int | None) -> None:
        super().__init__(f"its process ended with status {code}")


class Pool:
    """Workers, and how they fail. A context manager: leaving it by an exception
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
        """Replaces the workers that died."""

    def close(self, *, at_once: bool) -> None:
        """Lets the workers go, when they have finished or at once."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: object, *failure: object) -> None:
        self.close(at_once=kind is not None)


def run(
    task: Callable[[KindT, tuple[JobT, ...]], list[ResultT]],
    jobs: Mapping[KindT, Collection[JobT]],
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

    deaths = (WorkerDied,)

    def __init__(self, workers: int | None = None) -> None:
        """By default one for each core that this process may use. Each starts when it is needed."""
        self.workers = workers or usable_cores()
        self._calls: SimpleQueue[_Call | None] = SimpleQueue()
        self._lanes: list[_Lane] = []

    def submit(self, task: Callable[..., ResultT], *args: Any) -> Future[ResultT]:
        future: Future[ResultT] = Future()
        if self.workers == 1:
            try:
                future.set_result(task(*args))
            except Exception as error:
                future.set_exception(error)
            return future
        self._calls.put((future, task, args))
        if len(self._lanes) < self.workers:
            self._lanes.append(_Lane(self._calls))
        return future

    def renew(self) -> None:
        self._lanes = [_Lane(self._calls) if lane.dead else lane for lane in self._lanes]

    def close(self, *, at_once: bool) -> None:
        for lane in self._lanes:
            if at_once:
                lane.process.kill()
            self._calls.put(None)
        for lane in self._lanes:
            lane.join()


class _Lane(threading.Thread):
    """A process, and the thread that hands it one call after the other and waits for the answer.
    It ends when the process does."""

    def __init__(self, calls: SimpleQueue[_Call | None]) -> None:
        super().__init__(daemon=True)
        self.dead = False
        self._calls = calls
        # Spawned, not forked: a fork would copy locks that a progress display's thread may hold.
        context = multiprocessing.get_context("spawn")
        self._pipe, theirs = context.Pipe()
        self.process = context.Process(target=_work, args=(theirs,), daemon=True)
        if os.name == "posix":
            with signals.held():  # started below, it would unblock SIGINT before the process is
                resource_tracker.ensure_running()
        with theirs, signals.held(), _script_left_out():
            self.process.start()
        self.start()

    def run(self) -> None:
        with self._pipe:
            while (call := self._calls.get()) is not None:
                future, *message = call
                try:
                    self._pipe.send(message)
                    result, error = self._pipe.recv()
                except (EOFError, OSError):
                    self.process.join()
                    self.dead = True
                    future.set_exception(WorkerDied(self.process.exitcode))
                    return
                except Exception as failure:  # something that cannot be sent
                    result, error = None, failure
                if error is None:
                    future.set_result(result)
                else:
                    future.set_exception(error)
        self.process.join()


def _work(pipe: Connection) -> None:
    """The life of a worker: it does what it is sent until the pipe closes. Ctrl-C is for the
    parent; when the parent ends, even by kill -9, so does this."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    parent = multiprocessing.parent_process()
    threading.Thread(target=_end_with, args=(parent,), daemon=True).start()
    with suppress(EOFError, OSError):
        while True:
            call = pipe.recv_bytes()
            try:
                task, args = pickle.loads(call)
                answer = pickle.dumps((task(*args), None))
            except Exception as error:
                answer = pickle.dumps((None, error))
            pipe.send_bytes(answer)


def _end_with(parent: Any) -> None:
    parent.join()
    os._exit(1)


@dataclass(frozen=True)
class _Batch(Generic[KindT, JobT]):
    kind: KindT
    jobs: tuple[JobT, ...]
    alone: bool = False  # nothing else was out with it, so a death is its own doing


class _Queue(Generic[JobT]):
    """The jobs of one kind that are still to be handed out, and what is known of their pace."""

    def __init__(self, jobs: Collection[JobT]) -> None:
        self._jobs = iter(jobs)
        self._left = len(jobs)
        self._done = 0
        self._seconds = 0.0
        self.handed_out = 0

    def __bool__(self) -> bool:
        return self._left > 0

    def take(self, workers: int) -> tuple[JobT, ...]:
        """The next batch: one job while the pace is unknown, and small ones towards the end so
        that no worker is left alone with a long batch."""
        size = 1
        if self._done:
            pace = max(self._seconds / self._done, 1e-6)
            size = min(round(BATCH_SECONDS / pace), -(-self._left // (2 * workers)), MOST_JOBS)
        size = max(1, min(size, self._left))
        self.handed_out += size
        self._left -= size
        return tuple(islice(self._jobs, size))

    def learn(self, jobs: int, seconds: float) -> None:
        self._done += jobs
        self._seconds += seconds


class _Dispatch(Generic[KindT, JobT, ResultT]):
    """What is queued, what is out, and what is suspected of killing workers."""

    def __init__(
        self,
        task: Callable[[KindT, tuple[JobT, ...]], list[ResultT]],
        jobs: Mapping[KindT, Collection[JobT]],
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
                self._hand_out(self._suspects.popleft())
                continue
            kinds = [kind for kind, queue in self._queues.items() if queue]
            if not kinds:
                break
            kind = min(kinds, key=lambda kind: self._queues[kind].handed_out)
            self._hand_out(_Batch(kind, self._queues[kind].take(self._pool.workers)))
        return bool(self._out)

    def _hand_out(self, batch: _Batch[KindT, JobT]) -> None:
        future = self._pool.submit(_timed, self._warm_up, self._task, batch.kind, batch.jobs)
        self._out[future] = batch

    def _suspect(self, batch: _Batch[KindT, JobT], error: BaseException) -> None:
        if not self._pool.connected:
            raise WorkerError("lost the connection to the workers") from None
        self._pool.renew()
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
