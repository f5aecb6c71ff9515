"""Simulations: the same games whatever happens to the run."""

from __future__ import annotations

import json
import multiprocessing
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from csp_mines.backend import Capability, offered
from csp_mines.errors import InputError, MissingLibrary, SimulationError, TooWide, WorkerError
from csp_mines.games import agents, playing
from csp_mines.games.game import Game, Rules, Spec
from csp_mines.simulation.plans import Plan, Setup, game_seed
from csp_mines.simulation.results import Results
from csp_mines.simulation.simulate import Simulation, simulate

SMALL = Setup(Spec(6, 6, 6), Rules(rules="sweep", start="any"))
CLASSIC = Setup(Spec(5, 8, 7), Rules())
# No engine plays these agents by the kernel, so tests that play them alone have the mark `once`.
PLAN = Plan((SMALL, CLASSIC), ("rutgers-kb", "disarm"), 30, seed=5)


Row = dict[str, Any]


def rows(path: Path) -> list[Row]:
    return list(Results.read(path).rows())


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> tuple[Results, list[Row]]:
    path = tmp_path_factory.mktemp("undisturbed") / "games.db"
    results = simulate(PLAN, path, workers=1)
    return results, rows(path)


@pytest.mark.once
def test_rows_are_in_the_order_of_the_plan(undisturbed: tuple[Results, list[Row]]) -> None:
    keys = [(row["setup"], row["game"], row["agent"]) for row in undisturbed[1]]
    assert keys == [
        (setup, game, agent)
        for setup in range(2)
        for game in range(30)
        for agent in ("rutgers-kb", "disarm")
    ]


def test_a_row_replays_its_game(undisturbed: tuple[Results, list[Row]]) -> None:
    row = undisturbed[1][17]
    setup, player = PLAN.setups[row["setup"]], agents.agent(row["agent"])
    record = playing.play(Game(setup.spec, setup.rules, row["seed"]), player, row["seed"])
    assert record.to_json().items() <= row.items()
    assert (row["rows"], row["cols"], row["mines"]) == (6, 6, 6)


def test_agents_meet_the_same_layouts(undisturbed: tuple[Results, list[Row]]) -> None:
    results = undisturbed[0]
    for setup in range(2):
        ours, theirs = results.of("rutgers-kb", setup), results.of("disarm", setup)
        assert [game.seed for game in ours] == [game.seed for game in theirs]
        assert len({game.seed for game in ours}) == 30


@pytest.mark.once
def test_workers_make_no_difference(undisturbed: tuple[Results, list[Row]], tmp_path: Path) -> None:
    path = tmp_path / "games.db"
    results = simulate(PLAN, path, workers=2)
    assert rows(path) == undisturbed[1]
    assert results.outcomes == undisturbed[0].outcomes


def test_more_games_begin_with_the_same_games(undisturbed: tuple[Results, list[Row]]) -> None:
    fewer = simulate(replace(PLAN, games=4), workers=1)
    assert fewer.of("disarm", 1) == undisturbed[0].of("disarm", 1)[:4]


@pytest.mark.once
def test_interrupted_it_goes_on_to_the_same_end(
    undisturbed: tuple[Results, list[Row]], tmp_path: Path
) -> None:
    path = tmp_path / "games.db"
    played: list[int] = []
    for stop in (1, 40, 95):
        simulation = Simulation(PLAN, path, resume=True)
        with pytest.raises(KeyboardInterrupt):
            simulation.run(1, watch=partial(_interrupt, stop))
        played.append(simulation.done)
        assert len(simulation.results.outcomes) == simulation.done
    assert played == sorted(played)
    assert 0 < played[0] < 120
    results = simulate(PLAN, path, resume=True, workers=1)
    assert rows(path) == undisturbed[1]
    assert results.agent_result("disarm").seconds is not None
    again = simulate(PLAN, path, resume=True, workers=1)
    assert again.outcomes == results.outcomes
    assert again.agent_result("disarm").seconds == results.agent_result("disarm").seconds
    assert rows(path) == undisturbed[1]


def _interrupt(stop: int, done: int) -> None:
    if done >= stop:
        raise KeyboardInterrupt


@pytest.mark.once
def test_a_dead_worker_costs_nothing(
    undisturbed: tuple[Results, list[Row]], tmp_path: Path
) -> None:
    killed: list[int] = []

    def kill_one(done: int) -> None:
        children = multiprocessing.active_children()
        if done and children and not killed:
            pid = children[0].pid
            assert pid is not None
            killed.append(pid)
            os.kill(pid, signal.SIGKILL)

    path = tmp_path / "games.db"
    simulate(PLAN, path, workers=2, watch=kill_one)
    assert killed
    assert rows(path) == undisturbed[1]


@pytest.mark.once
def test_a_killed_run_goes_on_to_the_same_end(
    undisturbed: tuple[Results, list[Row]], tmp_path: Path
) -> None:
    """The whole run is killed at numbers of games that a seed chooses: before it can finish,
    however fast it is."""
    path = tmp_path / "games.db"
    chance = random.Random(20)
    for kill_at in (chance.randrange(1, 60), chance.randrange(60, PLAN.total + 1)):
        _run_and_kill(path, kill_at)
        assert Results.read(path).played >= kill_at
    simulate(PLAN, path, workers=1, resume=True)
    assert rows(path) == undisturbed[1]


def _run_and_kill(path: Path, games: int) -> None:
    """Goes on with the run in a process of its own, which kills itself and its workers as soon as
    so many games are written."""
    code = (
        "import os, signal\n"
        "from tests.simulation.test_simulate import PLAN, simulate\n"
        "def kill(done):\n"
        f"    if done >= {games}:\n"
        "        os.killpg(0, signal.SIGKILL)\n"
        f"simulate(PLAN, {str(path)!r}, workers=2, resume=True, watch=kill)\n"
    )
    command = [sys.executable, "-c", code]
    root = Path(__file__).parents[2]
    run = subprocess.run(command, start_new_session=True, cwd=root, timeout=600, check=False)
    assert run.returncode == -signal.SIGKILL


@pytest.mark.once
def test_workers_end_with_a_killed_parent(tmp_path: Path) -> None:
    """Only the parent is killed; its workers notice."""
    code = (
        "import multiprocessing, time\n"
        "from csp_mines.simulation.workers import LocalPool\n"
        "pool = LocalPool(2)\n"
        "pool.submit(abs, -1).result()\n"
        "print(multiprocessing.active_children()[0].pid, flush=True)\n"
        "time.sleep(60)\n"
    )
    run = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True)
    assert run.stdout is not None
    with run.stdout:
        worker = int(run.stdout.readline())
        run.kill()
        run.wait(60)
        assert run.stdout.read() == ""  # comes to an end only when all who hold it have ended
    deadline = time.monotonic() + 60
    while _alive(worker) and time.monotonic() < deadline:
        time.sleep(0.01)
    assert not _alive(worker)


def _alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


@dataclass
class Cluster:
    """A Dask cluster in a process group of its own: whatever becomes of it happens there."""

    process: subprocess.Popen[str]
    address: str
    workers: list[int]

    def kill(self) -> None:
        os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait(60)


@pytest.fixture
def cluster() -> Iterator[Cluster]:
    pytest.importorskip("distributed")
    code = (
        "import json, os, sys\n"
        "from distributed import Client, LocalCluster\n"
        "cluster = LocalCluster(2, threads_per_worker=1, dashboard_address=None, silence_logs=50)\n"
        "client = Client(cluster)\n"
        "client.wait_for_workers(2)\n"
        "pids = list(client.run(os.getpid).values())\n"
        "print(json.dumps([cluster.scheduler_address, pids]), flush=True)\n"
        "sys.stdin.read()\n"
    )
    process = subprocess.Popen(
        [sys.executable, "-c", code],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        start_new_session=True,
        cwd=Path(__file__).parents[2],
    )
    assert process.stdin is not None
    assert process.stdout is not None
    with process.stdin, process.stdout:
        made = Cluster(process, *json.loads(process.stdout.readline()))
        yield made
        if process.returncode is None:
            made.kill()


@pytest.mark.once
def test_a_dask_cluster_plays_the_same_games(
    undisturbed: tuple[Results, list[Row]], tmp_path: Path, cluster: Cluster
) -> None:
    """Two worker processes, one of which is killed on the way."""
    path = tmp_path / "games.db"
    assert len(set(cluster.workers)) == 2

    def kill_one(done: int) -> None:
        if done and len(cluster.workers) == 2:
            os.kill(cluster.workers.pop(), signal.SIGKILL)

    simulate(PLAN, path, dask=cluster.address, watch=kill_one)
    assert len(cluster.workers) == 1
    assert rows(path) == undisturbed[1]
    own = Plan([SMALL], ["tests.games.bots:Wild"], 5)  # imported by the worker
    assert simulate(own, dask=cluster.address).outcomes == simulate(own, workers=1).outcomes


@pytest.mark.once
def test_a_dask_cluster_that_is_lost_is_one_line(
    tmp_path: Path, cluster: Cluster, capfd: pytest.CaptureFixture[str]
) -> None:
    def kill_all(done: int) -> None:
        if done and cluster.process.returncode is None:
            cluster.kill()

    simulation = Simulation(PLAN, tmp_path / "games.db")
    with pytest.raises(WorkerError, match=r"lost the connection|cannot hand work"):
        simulation.run(dask=cluster.address, watch=kill_all)
    assert 0 < simulation.done < PLAN.total
    assert capfd.readouterr() == ("", "")


def test_dask_missing_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(MissingLibrary, match=r"pip install .*\[dask\]"):
        simulate(PLAN, dask="tcp://localhost:1")


@pytest.mark.once
def test_only_sums_are_kept_where_that_is_asked_for(undisturbed: tuple[Results, list[Row]]) -> None:
    results = simulate(PLAN, sums_only=True, workers=1)
    sums, whole = results.to_json(), undisturbed[0].to_json()
    for agent in (agent for setup in sums["setups"] + whole["setups"] for agent in setup["agents"]):
        del agent["seconds_per_game"]
    assert sums == whole
    assert results.played == PLAN.total
    with pytest.raises(InputError, match="kept only sums; run it without sums_only"):
        results.outcomes  # noqa: B018


def test_more_outcomes_than_memory_should_hold_are_refused() -> None:
    message = "the outcomes of 4,000,000,000 games take about 1,104 GB of memory; at most"
    with pytest.raises(InputError, match=message):
        Simulation(replace(PLAN, games=10**9))
    with pytest.raises(InputError, match="games must be at most 1,000,000,000,000, not 10"):
        replace(PLAN, games=10**13)


def test_a_game_that_cannot_be_played_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    def too_wide(*_: object, **__: object) -> None:
        raise TooWide(11, 10)

    monkeypatch.setattr(playing, "play", too_wide)
    seed = game_seed(5, 0)
    message = f"game 0, agent 'rutgers-kb' on 6×6 with 6 mines \\(seed {seed}\\): too wide to count"
    with pytest.raises(SimulationError, match=message):
        simulate(PLAN, workers=1)


_AT_EACH_TIME = """
import sys
from time import perf_counter
from types import SimpleNamespace
from csp_mines.games.game import Spec
from csp_mines.simulation import workers
from csp_mines.simulation.plans import Plan, Setup
from csp_mines.simulation.simulate import simulate
loaded = []
def clock():
    loaded.append(set(sys.modules))
    return perf_counter()
workers.time = SimpleNamespace(perf_counter=clock)
simulate(Plan((Setup(Spec(9, 9, 10)),), tuple(sys.argv[1:]), 3), workers=1)
batches = zip(loaded[::2], loaded[1::2], strict=True)
sys.exit(str(sorted(set().union(*(end - begin for begin, end in batches)))))
"""


WINNER = "win" if offered(Capability.BOARDS) is not None else "native+mean-ratio"


@pytest.mark.parametrize("agents", [("exact", "rutgers-kb"), (WINNER,), ("pysat+lowest-risk",)])
def test_no_import_is_timed(agents: tuple[str, ...]) -> None:
    """Between the two looks at the clock of every batch, in a process that has just begun."""
    done = subprocess.run(
        [sys.executable, "-c", _AT_EACH_TIME, *agents], capture_output=True, text=True
    )
    assert done.stderr.splitlines()[-1] == "[]"


def test_a_script_need_not_ask_for_its_name(tmp_path: Path) -> None:
    """Processes are started without the script, which would start its own."""
    script = tmp_path / "script.py"
    script.write_text(
        "import csp_mines\n"
        "setup = csp_mines.Setup(csp_mines.Spec(5, 5, 4))\n"
        "print(csp_mines.simulate(csp_mines.Plan((setup,), ('exact',), 300), workers=2))\n"
    )
    done = subprocess.run([sys.executable, script], capture_output=True, text=True, timeout=60)
    assert done.stderr == ""
    assert done.stdout.startswith("<Results: 300 games on 5×5 with 4 mines: exact ")
    assert done.stdout.count("Results") == 1
