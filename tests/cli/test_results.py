"""`csp-mines results`."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest

from csp_mines.games.game import Spec
from csp_mines.simulation.plans import Plan, Setup
from csp_mines.simulation.results import Results
from csp_mines.simulation.simulate import Simulation
from tests.cli.runner import run

GAMES = ("simulate", "--size", "6x6", "--mines", "5", "-w", "1", "-a", "disarm", "-a", "exact")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "games.db"


def test_the_tables_of_simulate_are_shown_again(path: Path) -> None:
    for more in ((), ("--json",)):
        path.unlink(missing_ok=True)
        played = run(*GAMES, "--games", "9", "--out", path, *more)
        again = run("results", path, *more)
        assert (again.status, again.out, again.err) == (0, played.out, "")


def test_games_as_csv(path: Path, tmp_path: Path) -> None:
    table = tmp_path / "games.csv"
    played = run(*GAMES, "--games", "9", "--out", path)
    assert run("results", path, "--csv", table).out == played.out
    with table.open(newline="") as file:
        lines = list(csv.DictReader(file))
    rows = list(Results.read(path).rows())
    assert lines == [{name: str(value) for name, value in row.items()} for row in rows]
    assert len(lines) == 18


def test_every_density_has_its_tables(path: Path) -> None:
    run("densities", "--size", "6x6", "-n", "3", "-w", "1", "-d", "0.1,0.2", "--out", path)
    shown = run("results", path).out
    assert shown.index("6×6 with 4 mines, rules sweep") < shown.index("6×6 with 7 mines")
    report = json.loads(run("results", path, "--json").out)
    assert [setup["mines"] for setup in report["setups"]] == [4, 7]


def test_an_unfinished_run_says_so(path: Path) -> None:
    def interrupt(done: int) -> None:
        if done:
            raise KeyboardInterrupt

    simulation = Simulation(Plan((Setup(Spec(5, 5, 3)),), ("disarm",), 1000), path)
    with pytest.raises(KeyboardInterrupt):
        simulation.run(1, watch=interrupt)
    shown = run("results", path)
    assert shown.status == 0
    assert shown.err == (
        "1 of 1,000 games played; to play the rest, run the command that wrote the file again, "
        "with --resume\n"
    )
    assert "disarm" in shown.out


def test_mistakes_are_one_line(path: Path, tmp_path: Path) -> None:
    missing = run("results", path)
    assert (missing.status, missing.err) == (2, f"csp-mines: there is no file {path}\n")
    path.write_text("precious")
    other = run("results", path)
    assert other.err == f"csp-mines: {path} is not the file of a run; give another file\n"
    path.unlink()
    run(*GAMES, "--games", "1", "--out", path)
    before = path.read_bytes()
    same = run("results", path, "--csv", path)
    assert (same.status, path.read_bytes()) == (2, before)
    assert "--csv would overwrite" in same.err
    nowhere = run("results", path, "--csv", tmp_path / "missing" / "games.csv")
    assert "no such file or directory" in nowhere.err
