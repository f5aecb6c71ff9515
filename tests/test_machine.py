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

LIMITED = """
import resource
from csp_mines.machine import set_limit

resource.setrlimit(resource.RLIMIT_NOFILE, (300, 500))
for wanted, lower in (200, True), (100, False), (400, False), (1000, True):
    set_limit("RLIMIT_NOFILE", wanted, lower=lower)
    print(*resource.getrlimit(resource.RLIMIT_NOFILE))
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


def test_a_limit_is_set_within_the_hard_limit() -> None:
    done = subprocess.run([sys.executable, "-c", LIMITED], capture_output=True, text=True)
    assert (done.stdout.splitlines(), done.stderr) == (
        ["200 500", "200 500", "400 500", "500 500"],
        "",
    )
