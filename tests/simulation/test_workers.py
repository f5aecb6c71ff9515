"""Batches, and workers that die."""

from __future__ import annotations

import multiprocessing
import os
import signal
from collections import Counter
from concurrent.futures import CancelledError, Future
from pathlib import Path
from typing import Any

import pytest

from csp_mines.errors import WorkerError
from csp_mines.machine import usable_cores
from csp_mines.simulation import workers as module
from csp_mines.simulation.dask_workers import DaskPool
from csp_mines.simulation.workers import (
    BATCH_SECONDS,
    LocalPool,
    _Queue,
    most_workers,
    run,
)


def squares(kind: str, jobs: tuple[int, ...]) -> list[int]:
    return [job * job for job in jobs]


def deadly_once(kind: str, jobs: tuple[int, ...]) -> list[int]:
    """Kills the first worker that comes to job 7."""
    if 7 in jobs and not Path(kind).exists():
        Path(kind).touch()
        os._exit(1)
    return list(jobs)


def deadly(kind: str, jobs: tuple[int, ...]) -> list[int]:
    if 7 in jobs:
        os._exit(1)
    return list(jobs)


def die() -> None:
    os._exit(1)


def failing(kind: str, jobs: tuple[int, ...]) -> list[int]:
    raise ArithmeticError("a mistake in the task")


@pytest.mark.parametrize("workers", [1, 2])
def test_every_job_is_done_once(workers: int) -> None:
    jobs = {"a": range(100), "b": range(7), "none": range(0)}
    found: dict[str, list[int]] = {"a": [], "b": []}
    with LocalPool(workers) as pool:
        for kind, results, seconds in run(squares, jobs, pool):
            assert seconds >= 0
            found[kind] += results
    assert sorted(found["a"]) == [n * n for n in range(100)]
    assert sorted(found["b"]) == [n * n for n in range(7)]


def batch_sizes(jobs: int, workers: int, seconds: float) -> list[int]:
    """How jobs that take so many seconds each are handed out when each batch comes back at once."""
    queue = _Queue(range(jobs))
    sizes = []
    while queue:
        batch = queue.take(workers)
        queue.learn(len(batch), len(batch) * seconds)
        sizes.append(len(batch))
    return sizes


def test_batches_grow_with_the_speed_and_shrink_towards_the_end() -> None:
    assert batch_sizes(1000, 1, 0.0) == [1, 4, 20, 100, 438, 219, 109, 55, 27, 14, 7, 3, 2, 1]
    assert batch_sizes(1000, 1, BATCH_SECONDS / 300)[:6] == [1, 4, 20, 100, 300, 288]
    assert batch_sizes(1000, 4, 0.0)[:5] == [1, 4, 20, 100, 110]


def test_a_first_job_that_is_quick_does_not_make_a_long_batch() -> None:
    """A game may be lost at its first opening, and the next one may take far longer."""
    queue = _Queue(range(3000))
    for jobs, seconds in ((1, 0.0002), (1, 0.0006)):
        queue.take(1)
        queue.learn(jobs, seconds)
    assert len(queue.take(1)) == 8


def test_slow_jobs_go_out_one_at_a_time() -> None:
    assert batch_sizes(6, 1, BATCH_SECONDS) == [1] * 6
    assert batch_sizes(3, 1, 100.0) == [1, 1, 1]


def test_one_job_goes_out_at_a_time_until_the_pace_is_known() -> None:
    queue = _Queue(range(10))
    assert [queue.take(1), queue.take(1)] == [(0,), (1,)]
    queue.learn(1, 0.0)
    assert queue.take(1) == (2, 3, 4, 5)


def test_all_kinds_advance_together() -> None:
    with LocalPool(1) as pool:
        batches = list(run(squares, {"a": range(50), "b": range(50)}, pool))
    assert [kind for kind, _, _ in batches[:2]] == ["a", "b"]
    done = Counter[str]()
    for kind, results, _ in batches:
        done[kind] += len(results)
    assert done == {"a": 50, "b": 50}


def test_a_pool_has_few_workers_for_each_core_and_none_without_a_job() -> None:
    asked = [(10_000, None), (10_000, 2), (1, 5), (3, 0), (None, None)]
    cores = usable_cores()
    assert most_workers() == 4 * cores
    pools = [LocalPool(workers, jobs).workers for workers, jobs in asked]
    assert pools == [4 * cores, 2, 1, 1, cores]


def test_a_dead_worker_is_replaced_and_its_jobs_done_again(tmp_path: Path) -> None:
    kind = str(tmp_path / "died")
    with LocalPool(2) as pool:
        done = [job for _, jobs, _ in run(deadly_once, {kind: range(30)}, pool) for job in jobs]
    assert Path(kind).exists()
    assert sorted(done) == list(range(30))


def test_a_killed_idle_worker_is_replaced() -> None:
    with LocalPool(2) as pool:
        for _ in range(3):
            done = [job for _, jobs, _ in run(squares, {"a": range(9)}, pool) for job in jobs]
            assert sorted(done) == [n * n for n in range(9)]
            for child in multiprocessing.active_children():
                os.kill(child.pid or 0, signal.SIGKILL)


def test_workers_that_do_not_start_are_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_prepare", die)
    monkeypatch.setattr(module, "QUIET_SECONDS", 0.1)
    with pytest.raises(WorkerError, match="worker processes do not start"), LocalPool(2) as pool:
        list(run(squares, {"a": range(9)}, pool))


def test_a_job_that_always_kills_is_named() -> None:
    with (
        pytest.raises(
            WorkerError,
            match=r"3 workers died one after another at 7, a \(the last: .*ended with status 1\)",
        ),
        LocalPool(2) as pool,
    ):
        list(run(deadly, {"a": range(9)}, pool))


class Gone(DaskPool):
    """A cluster whose scheduler is gone: nothing can be done with its client."""

    def __init__(self, error: type[BaseException], *, running: bool = False) -> None:
        self.workers = 1
        self._executor = self._client = self
        self.status = "running" if running else "connecting"
        self.error = error

    def submit(self, *_: object) -> Future[Any]:
        future = Future[Any]()
        future.set_exception(self.error("on its way"))
        return future

    def shutdown(self, *, wait: bool) -> None:
        raise OSError("no scheduler")


@pytest.mark.parametrize("error", [CancelledError, OSError])
def test_a_lost_connection_is_no_death(error: type[BaseException]) -> None:
    with pytest.raises(WorkerError, match="lost the connection"), Gone(error) as pool:
        list(run(squares, {"a": range(9)}, pool))


@pytest.mark.parametrize("error", [CancelledError, OSError])
def test_what_a_connected_cluster_fails_with_is_named(error: type[BaseException]) -> None:
    message = r"3 workers died one after another at 0, a \(the last: on its way\)"
    with pytest.raises(WorkerError, match=message), Gone(error, running=True) as pool:
        list(run(squares, {"a": range(1)}, pool))


@pytest.mark.parametrize("workers", [1, 2])
def test_what_a_task_raises_comes_through(workers: int) -> None:
    with pytest.raises(ArithmeticError, match="a mistake"), LocalPool(workers) as pool:
        list(run(failing, {"a": range(3)}, pool))
