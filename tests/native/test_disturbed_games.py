"""Compiled games in simulations: those of the reference, whatever happens to the run."""

from __future__ import annotations

import signal
import subprocess
import sys
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest

from csp_mines.games.agents import agent
from csp_mines.games.compiled import is_compiled
from csp_mines.games.game import Game, Rules, Spec
from csp_mines.games.playing import play
from csp_mines.simulation.plans import Plan, Setup
from csp_mines.simulation.results import Results
from csp_mines.simulation.simulate import simulate
from tests.simulation.test_simulate import Cluster, cluster

pytestmark = pytest.mark.usefixtures("kernel")

__all__ = ["cluster"]  # the fixture

Row = dict[str, Any]

PLAN = Plan((Setup(Spec(9, 9, 14)), Setup(Spec(16, 16, 40))), ("exact", "win"), 70, seed=9)


def rows(path: Path) -> list[Row]:
    return list(Results.read(path).rows())


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> list[Row]:
    path = tmp_path_factory.mktemp("undisturbed") / "games.db"
    simulate(PLAN, path, workers=1)
    return rows(path)


def test_they_are_compiled_and_those_of_the_reference(tmp_path: Path) -> None:
    results = simulate(PLAN, tmp_path / "games.db", workers=1)
    for name in PLAN.agents:
        player = agent(name)
        assert is_compiled(player, Rules())
        for outcome in results.of(name, 0)[:40]:
            record = play(Game(PLAN.setups[0].spec, Rules(), outcome.seed), player, outcome.seed)
            for field, value in asdict(record).items():
                assert getattr(outcome, field) == value


def test_two_workers_make_no_difference(undisturbed: list[Row], tmp_path: Path) -> None:
    path = tmp_path / "games.db"
    simulate(PLAN, path, workers=2)
    assert rows(path) == undisturbed


def test_a_dask_cluster_plays_the_same_games(
    undisturbed: list[Row], tmp_path: Path, cluster: Cluster
) -> None:
    path = tmp_path / "games.db"
    simulate(PLAN, path, dask=cluster.address)
    assert rows(path) == undisturbed


def test_a_killed_run_goes_on_to_the_same_end(undisturbed: list[Row], tmp_path: Path) -> None:
    path = tmp_path / "games.db"
    for kill_at in (1, 100):
        code = (
            "import os, signal\n"
            "from tests.native.test_disturbed_games import PLAN, simulate\n"
            "def kill(done):\n"
            f"    if done >= {kill_at}:\n"
            "        os.killpg(0, signal.SIGKILL)\n"
            f"simulate(PLAN, {str(path)!r}, workers=2, resume=True, watch=kill)\n"
        )
        run = subprocess.run(
            [sys.executable, "-c", code],
            start_new_session=True,
            cwd=Path(__file__).parents[2],
            timeout=600,
            check=False,
        )
        assert run.returncode == -signal.SIGKILL
        assert kill_at <= len(rows(path)) < PLAN.total
    simulate(PLAN, path, workers=1, resume=True)
    assert rows(path) == undisturbed
