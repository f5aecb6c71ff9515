"""Simulations with agents of callers: the same games everywhere, and faults that stop no other
agent."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from threading import Thread
from typing import Any

import pytest

from csp_mines import (
    AgentError,
    Board,
    Game,
    Plan,
    Results,
    Rules,
    Setup,
    Simulation,
    Spec,
    play,
    simulate,
)
from csp_mines.errors import InputError
from csp_mines.games.own_agents import OwnAgent, as_agent
from csp_mines.simulation.plans import PlanPart
from tests.cli.runner import run
from tests.games import bots

ROOT = Path(__file__).parents[2]
SETUP = Setup(Spec(5, 5, 4))
BOTS = "tests.games.bots"


def games(results: Results, agent: str) -> list[dict[str, Any]]:
    return [{**outcome.to_json(), "agent": ""} for outcome in results.of(agent)]


def test_a_class_and_its_path_play_the_same_games_on_any_workers() -> None:
    by_value = simulate(Plan([SETUP], [bots.Wild, "exact"], 40), workers=1)
    by_path = simulate(Plan([SETUP], ["exact", f"{BOTS}:Wild"], 40), workers=2)
    assert games(by_value, f"{BOTS}:Wild") == games(by_path, f"{BOTS}:Wild")
    renamed = simulate(Plan([SETUP], [OwnAgent(bots.Wild, "wild")], 40), workers=1)
    assert games(renamed, "wild") == games(by_value, f"{BOTS}:Wild")
    (pair,) = by_value.paired_results()
    assert (pair.agent, pair.against, pair.wins.trials) == ("exact", f"{BOTS}:Wild", 40)
    assert f"{BOTS}:Wild" in json.dumps(by_value.to_json())


def test_a_run_is_extended_by_an_own_agent(tmp_path: Path) -> None:
    path = tmp_path / "games.db"
    simulate(Plan([SETUP], ["exact"], 10), path, workers=1)
    plan = Plan([SETUP], ["exact", bots.first_hidden], 20)
    results = simulate(plan, path, resume=True, workers=1)
    stored = Results.read(path)
    assert stored.plan == plan
    assert stored.outcomes == results.outcomes
    assert len(stored.of(f"{BOTS}:first_hidden")) == 20


def test_reading_a_run_imports_no_agent(tmp_path: Path) -> None:
    path = tmp_path / "games.db"
    simulate(Plan([SETUP], [OwnAgent(bots.Wild, "lost_module:Wild")], 5), path, workers=1)
    stored = Results.read(path)
    assert stored.plan.agents == ("lost_module:Wild",)
    assert run("results", path).status == 0
    with pytest.raises(InputError, match="no module 'lost_module'"):
        Simulation(stored.plan, path, resume=True).run()


# --- functions that workers cannot import


def nearest(board: Board) -> tuple[int, int]:
    return min(board.hidden)


def test_a_lambda_plays_in_this_process() -> None:
    said: list[str] = []
    plan = Plan([SETUP], [OwnAgent(lambda board: min(board.hidden), "first")], 10)
    results = simulate(plan, notify=said.append)
    assert games(results, "first") == games(
        simulate(Plan([SETUP], [bots.first_hidden], 10), workers=1), f"{BOTS}:first_hidden"
    )
    assert said == ["worker processes cannot import an agent, so this process plays all games"]


@pytest.mark.parametrize("way", [{"workers": 2}, {"dask": "tcp://localhost:1"}])
def test_workers_refuse_a_lambda(way: dict[str, Any]) -> None:
    plan = Plan([SETUP], ["exact", lambda board: min(board.hidden)], 10)
    with pytest.raises(InputError, match="other processes cannot import the agent") as caught:
        simulate(plan, **way)
    assert "such as bots.py" in str(caught.value)


def test_workers_refuse_what_a_notebook_defines() -> None:
    notebook = type("Mine", (bots.Wild,), {"__module__": "__main__"})
    sys.modules["__main__"].Mine = notebook  # type: ignore[attr-defined]
    try:
        with pytest.raises(InputError, match="'Mine': it is defined in a notebook"):
            simulate(Plan([SETUP], [notebook], 10), workers=2)
        assert simulate(Plan([SETUP], [notebook], 3)).played == 3
    finally:
        del sys.modules["__main__"].Mine  # type: ignore[attr-defined]


def test_two_lambdas_need_names() -> None:
    with pytest.raises(InputError, match="the same agent is given twice"):
        Plan([SETUP], [lambda board: (0, 0), lambda board: (1, 1)], 10)


# --- faults


@pytest.mark.parametrize("workers", [1, 2])
def test_a_fault_stops_no_other_agent(workers: int, tmp_path: Path) -> None:
    plan = Plan([SETUP], ["exact", bots.late_crash, "rutgers-baseline"], 30)
    path = tmp_path / "games.db"
    with pytest.raises(AgentError) as caught:
        simulate(plan, path, workers=workers)
    error = caught.value
    assert (error.agent, error.problem) == (
        f"{BOTS}:late_crash", "raised ValueError: it gets too hard",
    )  # fmt: skip
    assert error.game.startswith("game ")
    assert "in late_crash" in error.frames
    assert Board.parse(error.board or "").mines == 4
    for agent in ("exact", "rutgers-baseline"):
        assert len(error.results.of(agent)) == 30
        assert len(Results.read(path).of(agent)) == 30


def test_memory_forgets_the_games_that_a_stopped_agent_will_not_play() -> None:
    simulation = Simulation(Plan([SETUP], ["exact", bots.divides_by_zero], 50), sums_only=True)
    with pytest.raises(AgentError):
        simulation.run(1)
    assert not simulation._waiting._games
    assert len(simulation.faults) == 1


@pytest.mark.parametrize("sums_only", [False, True])
def test_an_agent_that_failed_is_compared_when_it_is_tried_again(
    sums_only: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Shy:
        fails = True

        def move(self, board: Board) -> tuple[int, int]:
            if self.fails and board[0, 0] == 2:
                raise ValueError("not yet")
            return bots.first_hidden(board)

    simulation = Simulation(Plan([SETUP], ["exact", OwnAgent(Shy, "shy")], 30), sums_only=sums_only)
    with pytest.raises(AgentError):
        simulation.run(1)
    assert 0 < simulation.done < 60
    monkeypatch.setattr(Shy, "fails", False)
    (pair,) = simulation.run(1).paired_results()
    assert (pair.wins.trials, simulation.done, simulation.faults) == (30, 60, [])


def test_a_fault_on_one_setup_leaves_the_others() -> None:
    setups = [SETUP, Setup(Spec(2, 2, 1), Rules(start="any"))]
    with pytest.raises(AgentError) as caught:
        simulate(Plan(setups, [bots.late_crash], 10), workers=1)
    assert len(caught.value.results.of(f"{BOTS}:late_crash", 1)) == 10


def test_a_worker_that_cannot_import_says_so() -> None:
    agent = as_agent(bots.Wild)
    make, (packed, _) = agent.__reduce__()
    packed.data = packed.data.replace(b"tests.games.bots", b"tests.games.lost")
    lost = make(packed, "lost")
    with pytest.raises(AgentError, match="cannot be imported by a worker") as caught:
        lost.player(0)
    assert "Install the package of the agent where the workers run" in str(caught.value)
    assert PlanPart(0, SETUP, lost, 0).agent == "lost"


# --- the command


def test_simulate_takes_a_path_and_reports_faults(capfd: pytest.CaptureFixture[str]) -> None:
    small = ("--size", "5x5", "--mines", "4", "--games", "20", "--workers", "1")
    answer = run("simulate", *small, "-a", "exact", "-a", f"{BOTS}:Wild", "--json")
    assert answer.status == 0
    document = json.loads(answer.out)
    assert [agent["agent"] for agent in document["agents"]] == ["exact", f"{BOTS}:Wild"]
    answer = run("simulate", *small, "-a", "exact", "-a", f"{BOTS}:divides_by_zero", "--json")
    assert answer.status == 2
    (exact,) = json.loads(answer.out)["agents"]
    assert (exact["agent"], exact["games"]) == ("exact", 20)
    assert "raised ZeroDivisionError" in answer.err
    assert "Traceback" not in answer.err
    answer = run("simulate", *small, "-a", f"{BOTS}:prints", "--json")
    assert json.loads(answer.out)["games"] == 20
    assert "thinking" in capfd.readouterr().err  # it prints in a process of its own


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The example package, installed into a folder of its own."""
    folder = tmp_path_factory.mktemp("site")
    pip = [sys.executable, "-m", "pip", "install", "-q", "--no-deps", "--no-index"]
    package = tmp_path_factory.mktemp("package")
    for name in ("pyproject.toml", "careful_bots.py"):
        (package / name).write_bytes((ROOT / "examples" / "own-agents" / name).read_bytes())
    subprocess.run([*pip, "--no-build-isolation", "--target", folder, package], check=True)
    return folder


def test_a_package_gives_its_agent_a_name(installed: Path) -> None:
    code = (
        "import careful_bots\n"
        "from csp_mines import Plan, Setup, Spec, simulate\n"
        "if __name__ == '__main__':\n"
        "    played = []\n"
        "    for agent, workers in (('careful', 2), (careful_bots.Careful, 1),\n"
        "                           (careful_bots.careful, 1)):\n"
        "        results = simulate(Plan([Setup(Spec(5, 5, 4))], [agent], 30), workers=workers)\n"
        "        (name,) = results.plan.agents\n"
        "        played.append([{**game.to_json(), 'agent': ''} for game in results.of(name)])\n"
        "        print(name)\n"
        "    print(played[0] == played[1] == played[2], len(played[0]))\n"
    )
    script = installed / "script.py"
    script.write_text(code)
    environment = os.environ | {"PYTHONPATH": str(installed)}
    answer = subprocess.run(
        [sys.executable, script], env=environment, capture_output=True, text=True, check=False
    )
    assert answer.stderr == ""
    assert answer.stdout.split("\n")[:4] == [
        "careful", "careful_bots:Careful", "careful_bots:careful", "True 30",
    ]  # fmt: skip


def test_printing_agents_in_threads_leave_standard_output_alone() -> None:
    before = sys.stdout
    games = [Game(Spec(5, 5, 4), seed=number) for number in range(6)]
    threads = [Thread(target=play, args=(game, bots.prints_slowly)) for game in games]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sys.stdout is before
    assert all(game.over for game in games)
