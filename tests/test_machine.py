"""What the machine allows this process."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from csp_mines.machine import usable_cores

WHO_ASKS = """
import os
os.sched_setaffinity(0, [min(os.sched_getaffinity(0))])
from csp_mines.analysis.batch import thread_count
from csp_mines.machine import usable_cores
from csp_mines.simulation.workers import LocalPool
from csp_mines.web.lanes import WorkPool
print(usable_cores(), thread_count(None, "threads"), LocalPool().workers, WorkPool()._size)
"""


def test_cores_are_those_that_the_process_may_use() -> None:
    assert usable_cores() == len(os.sched_getaffinity(0))


def test_a_process_bound_to_one_core_starts_one_worker() -> None:
    """The page keeps two, so that a long request does not hold up a short one."""
    done = subprocess.run([sys.executable, "-c", WHO_ASKS], capture_output=True, text=True)
    assert (done.stdout.split(), done.stderr) == (["1", "1", "1", "2"], "")


def test_without_affinity_all_cores_count(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(os, "sched_getaffinity")
    assert usable_cores() == os.cpu_count()
