"""Divide many small jobs among workers: how large batches are, and what happens if a worker dies.

Jobs have kinds, and all jobs of one kind take about the same time. `run` makes batches. Each batch
has jobs of one kind, usually as many as a worker does in about `BATCH_SECONDS`. So the overhead is
small even for short jobs, and an interruption loses little work.

If a worker dies, the pool replaces the worker, and `run` repeats the batch while no other batch
runs. If a worker dies at this batch again, `run` tries the jobs of the batch one at a time. If
`MOST_DEATHS` workers die at one of these jobs, `run` raises an error that names the job.

`LocalPool` is the pool of workers on this machine; `dask_workers.py` has the pool of a Dask
cluster.
"""

from __future__ import annotations

import pickle
import threading
import time
from collections import Counter, deque
from collections.abc import Callable, Collection, Hashable, Iterator, Mapping
from concurrent.futures import FIRST_COMPLETED, Future, wait
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import islice
from typing import Any, Generic, Self, TypeVar

from csp_mines.errors import WorkerError
from csp_mines.machine import usable_cores
from csp_mines.processes import MOST_DEATHS, Answer, ProcessPool, Worker

MOST_PER_CORE = 4  # workers for each core; more would take memory and gain nothing
BATCH_SECONDS = 0.5
GROWTH = 4  # a batch has at most this many times as many jobs as are done
MOST_JOBS = 2000  # largest number of jobs in a batch; all results of a batch are held in memory
QUIET_SECONDS = 2.0  # if no result comes for this long, `run` lets the pool check its workers
PRELOADED = "csp_mines.simulation.games"

KindT = TypeVar("KindT", bound=Hashable)
JobT = TypeVar("JobT", bound=Hashable)
ResultT = TypeVar("ResultT")


def most_workers() -> int:
    """Return the largest number of workers of a `LocalPool`."""
    return MOST_PER_CORE * usable_cores()


class WorkerDied(Exception):
    """The error of a future whose worker process ended. `code` is the exit status, or
    None if it is unknown."""

    def __init__(self, code: int | None) -> None:
        super().__init__(f"its process ended with status {code}")


class Pool:
    """Workers that run jobs. A pool is a context manager. If an exception, such as
    KeyboardInterrupt, leaves the `with` block, the pool stops its workers at once."""

    workers: int
    deaths: tuple[type[BaseException], ...] = ()  # errors of a future whose worker died

    def submit(self, task: Callable[..., ResultT], *args: Any) -> Future[ResultT]:
        raise NotImplementedError

    @property
    def connected(self) -> bool:
        """Whether the workers can be reached."""
        return True

    def look(self) -> None:
        """Check the workers. `run` calls this method when no result has come for `QUIET_SECONDS`.
        Raises WorkerError if no result is to be expected."""

    def close(self, *, at_once: bool) -> None:
        """End the workers. If `at_once` is false, a pool may let its workers finish their jobs
        first."""

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
    give_up: Callable[[KindT, Exception], bool] | None = None,
) -> Iterator[tuple[KindT, list[ResultT], float]]:
    """Do all jobs. When a batch is done, yield its kind, its results and its seconds.

    * `task(kind, jobs)` does a batch and returns its results. If worker processes do the batches,
      `task`, `warm_up`, kinds, jobs and results must be picklable.
    * `jobs` has the jobs of each kind. The next batch has jobs of the kind from which `run` has
      handed out the fewest jobs so far. Kinds without jobs left do not count.
    * `name_of(kind, job)` is the name of a job in messages.
    * `warm_up(kind)` prepares a worker for the jobs of a kind, for example by imports. The worker
      calls `warm_up` before every batch, so later calls should do only what is still missing.
      The seconds of the batch do not include this call.
    * `give_up(kind, error)` is called if `task` or `warm_up` raises an error. If `give_up` returns
      True, `run` hands out no more jobs of this kind and goes on with the other kinds. If
      `give_up` returns False or is None, `run` raises the error.

    Raises WorkerError if `MOST_DEATHS` workers die at the same job, or if the pool cannot start or
    reach its workers."""
    queues = {kind: _Queue(some) for kind, some in jobs.items()}
    return _Dispatch(task, pool, name_of, warm_up, give_up, queues).results()


class LocalPool(Pool):
    """Worker processes on this machine. If the number of workers is 1, no process is started:
    `submit` itself does each job."""

    deaths = (WorkerDied,)

    def __init__(self, workers: int | None = None, jobs: int | None = None) -> None:
        """Prepare a pool of `workers` workers, by default one for each core that this process may
        use. There are at most `most_workers()`, and at most as many as there are jobs, if `jobs`
        says their number. The worker processes start with the first call of `submit`."""
        wanted = min(workers or usable_cores(), most_workers())
        self.workers = wanted if jobs is None else max(1, min(wanted, jobs))
        self._processes: ProcessPool | None = None
        self._lock = threading.RLock()  # protects the pool of processes and the fields below
        self._calls: deque[tuple[Future[Any], bytes]] = deque()
        self._idle: list[Worker] = []
        self._running: dict[Worker, Future[Any]] = {}

    def submit(self, task: Callable[..., ResultT], *args: Any) -> Future[ResultT]:
        future: Future[ResultT] = Future()
        if self.workers == 1:
            try:
                future.set_result(task(*args))
            except Exception as error:
                future.set_exception(error)
            return future
        message = pickle.dumps((task, args))
        with self._lock:
            self._calls.append((future, message))
            self._hand_out()
            if self._processes is None:
                self._processes = ProcessPool(
                    self.workers, _prepare, self._told, post=self._post, preload=PRELOADED
                )
                self._processes.start()
        return future

    def look(self) -> None:
        if self._processes is not None and self._processes.is_failing:
            raise WorkerError("worker processes do not start on this machine; use 1 worker")

    def close(self, *, at_once: bool) -> None:
        if self._processes is not None:
            with self._lock:
                self._processes.stop()
            self._processes.wait()

    def _post(self, call: Callable[..., None], *arguments: Any) -> None:
        with self._lock:
            call(*arguments)

    def _told(self, worker: Worker, message: bytes | None) -> None:
        future = self._running.pop(worker, None)
        if message is not None:
            self._idle.append(worker)
        elif worker in self._idle:
            self._idle.remove(worker)
        if future is not None:
            _settle(future, worker, message)
        self._hand_out()

    def _hand_out(self) -> None:
        while self._idle and self._calls:
            worker = self._idle.pop()
            self._running[worker], message = self._calls.popleft()
            with suppress(OSError):  # the worker has died, and `_told` will be called with None
                worker.ask(message)


def _settle(future: Future[Any], worker: Worker, message: bytes | None) -> None:
    if message is None:
        future.set_exception(WorkerDied(worker.exit_status))
        return
    try:
        result, error = pickle.loads(message)
    except Exception as failure:  # the answer could be pickled, but not unpickled
        result, error = None, failure
    if error is None:
        future.set_result(result)
    else:
        future.set_exception(error)


def _prepare() -> Answer:
    return _answer


def _answer(message: bytes) -> bytes:
    """Run a pickled call in the worker. Return a pickled pair: `(result, None)`, or `(None, error)`
    if the call fails."""
    try:
        task, args = pickle.loads(message)
        return pickle.dumps((task(*args), None))
    except Exception as error:
        return pickle.dumps((None, error))


@dataclass(frozen=True)
class _Batch(Generic[KindT, JobT]):
    kind: KindT
    jobs: tuple[JobT, ...]
    alone: bool = False  # no other batch runs meanwhile, so only this one can kill a worker


class _Queue(Generic[JobT]):
    """The jobs of one kind that are not handed out yet, and the measured time per job."""

    def __init__(self, jobs: Collection[JobT]) -> None:
        self._jobs = iter(jobs)
        self._left = len(jobs)
        self._done = 0
        self._seconds = 0.0
        self.handed_out = 0

    def __bool__(self) -> bool:
        return self._left > 0

    def take(self, workers: int) -> tuple[JobT, ...]:
        """Return the jobs of the next batch. A batch has one job until the time per job is known,
        and at most GROWTH times as many jobs as are done, because the first jobs may take much less
        time than others. `workers` is the number of workers. Batches are small towards the end, so
        that the workers finish at about the same time."""
        pace = max(self._seconds / max(self._done, 1), 1e-6)
        wanted = min(round(BATCH_SECONDS / pace), GROWTH * self._done, MOST_JOBS)
        size = max(1, min(wanted, -(-self._left // (2 * workers))))
        self.handed_out += size
        self._left -= size
        return tuple(islice(self._jobs, size))

    def drop(self) -> None:
        self._left = 0

    def learn(self, jobs: int, seconds: float) -> None:
        self._done += jobs
        self._seconds += seconds


@dataclass
class _Dispatch(Generic[KindT, JobT, ResultT]):
    """The jobs that wait, the batches that are handed out, and the batches suspected of killing
    workers. `run` explains the first fields."""

    task: Callable[[KindT, tuple[JobT, ...]], list[ResultT]]
    pool: Pool
    name_of: Callable[[KindT, JobT], str]
    warm_up: Callable[[KindT], None] | None
    give_up: Callable[[KindT, Exception], bool] | None
    queues: dict[KindT, _Queue[JobT]]
    out: dict[Future[tuple[list[ResultT] | Exception, float]], _Batch[KindT, JobT]] = field(
        default_factory=dict
    )
    suspects: deque[_Batch[KindT, JobT]] = field(default_factory=deque)
    deaths: Counter[tuple[KindT, JobT]] = field(default_factory=Counter)

    def results(self) -> Iterator[tuple[KindT, list[ResultT], float]]:
        while self._fill():
            done, _ = wait(self.out, QUIET_SECONDS, return_when=FIRST_COMPLETED)
            if not done:
                self.pool.look()
            for future in [future for future in self.out if future in done]:
                batch = self.out.pop(future)
                try:
                    results, seconds = future.result()
                except self.pool.deaths as error:
                    self._suspect(batch, error)
                    continue
                if isinstance(results, Exception):
                    if self.give_up is None or not self.give_up(batch.kind, results):
                        raise results
                    self.queues[batch.kind].drop()
                    continue
                self.queues[batch.kind].learn(len(batch.jobs), seconds)
                yield batch.kind, results, seconds

    def _fill(self) -> bool:
        """Hand out batches to the workers. Return False if no batch is left to wait for."""
        while len(self.out) < 2 * self.pool.workers:
            if self.suspects:
                if self.out:
                    break
                self._hand_out(self.suspects.popleft())
                continue
            kinds = [kind for kind, queue in self.queues.items() if queue]
            if not kinds:
                break
            kind = min(kinds, key=lambda kind: self.queues[kind].handed_out)
            self._hand_out(_Batch(kind, self.queues[kind].take(self.pool.workers)))
        return bool(self.out)

    def _hand_out(self, batch: _Batch[KindT, JobT]) -> None:
        future = self.pool.submit(_timed, self.warm_up, self.task, batch.kind, batch.jobs)
        self.out[future] = batch

    def _suspect(self, batch: _Batch[KindT, JobT], error: BaseException) -> None:
        if not self.pool.connected:
            raise WorkerError("lost the connection to the workers") from None
        if not batch.alone:
            self.suspects.append(_Batch(batch.kind, batch.jobs, alone=True))
            return
        if len(batch.jobs) == 1:
            culprit = batch.kind, batch.jobs[0]
            self.deaths[culprit] += 1
            if self.deaths[culprit] == MOST_DEATHS:
                raise WorkerError(
                    f"{MOST_DEATHS} workers died one after another at {self.name_of(*culprit)}"
                    f" (the last: {str(error) or type(error).__name__})"
                ) from error
        self.suspects += [_Batch(batch.kind, (job,), alone=True) for job in batch.jobs]


def _timed(
    warm_up: Callable[[KindT], None] | None,
    task: Callable[[KindT, tuple[JobT, ...]], list[ResultT]],
    kind: KindT,
    jobs: tuple[JobT, ...],
) -> tuple[list[ResultT] | Exception, float]:
    """Run a batch in the worker. Return its results and its seconds. If `warm_up` or `task` raises
    an error, return this error in place of the results, and 0 seconds. So an error of the future
    comes neither from `warm_up` nor from `task`."""
    try:
        if warm_up is not None:
            warm_up(kind)
        begin = time.perf_counter()
        return task(kind, jobs), time.perf_counter() - begin
    except Exception as error:
        return error, 0.0
