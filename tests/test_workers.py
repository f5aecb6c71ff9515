"""Batches, and workers that die."""

from __future__ import annotations

import os
import time
from collections import Counter
from pathlib import Path

import pytest

from csp_mines.workers import LocalPool, WorkerError, run


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


def test_batches_grow_with_the_speed_and_shrink_towards_the_end() -> None:
    with LocalPool(1) as pool:
        sizes = [len(results) for _, results, _ in run(squares, {"a": range(1000)}, pool)]
    assert sum(sizes) == 1000
    assert sizes[0] == sizes[1] == 1  # two go out before the pace is known
    assert max(sizes) == sizes[2] == 499
    assert sizes[2:] == sorted(sizes[2:], reverse=True)
    assert sizes[-1] == 1


def test_slow_jobs_go_out_one_at_a_time() -> None:
    with LocalPool(1) as pool:
        sizes = [len(found) for _, found, _ in run(_slow, {"a": range(3)}, pool)]
    assert sizes == [1, 1, 1]


def _slow(kind: str, jobs: tuple[int, ...]) -> list[int]:
    time.sleep(0.34 * len(jobs))
    return list(jobs)


def test_all_kinds_advance_together() -> None:
    with LocalPool(1) as pool:
        kinds = [kind for kind, _, _ in run(_slow_enough, {"a": range(3), "b": range(3)}, pool)]
    assert Counter(kinds[:2]) == Counter(kinds[2:4]) == {"a": 1, "b": 1}


def _slow_enough(kind: str, jobs: tuple[int, ...]) -> list[int]:
    time.sleep(0.01 * len(jobs))
    return list(jobs)


def test_a_dead_worker_is_replaced_and_its_jobs_done_again(tmp_path: Path) -> None:
    kind = str(tmp_path / "died")
    with LocalPool(2) as pool:
        done = [job for _, jobs, _ in run(deadly_once, {kind: range(30)}, pool) for job in jobs]
    assert Path(kind).exists()
    assert sorted(done) == list(range(30))


def test_a_job_that_always_kills_is_named() -> None:
    with (
        pytest.raises(WorkerError, match="3 workers died one after another at 7, a"),
        LocalPool(2) as pool,
    ):
        list(run(deadly, {"a": range(9)}, pool))


@pytest.mark.parametrize("workers", [1, 2])
def test_what_a_task_raises_comes_through(workers: int) -> None:
    with pytest.raises(ArithmeticError, match="a mistake"), LocalPool(workers) as pool:
        list(run(failing, {"a": range(3)}, pool))
