"""The options of `pysat`, and how few questions it asks."""

from __future__ import annotations

from typing import Any

import pytest
from csp_mines.solvers import sat
from csp_mines.solvers.cnf import ENCODINGS, Formula
from csp_mines.solvers.sat import DEFAULT_SOLVER, PUNCTUAL, PySat, open_solver

from csp_mines.backend import load
from csp_mines.board import Board
from csp_mines.constraints import Constraint, Frontier, Problem
from csp_mines.counting import posterior
from csp_mines.errors import UnknownName, Unsupported

BOARD = Board.parse("mines: 7\n??????\n?2211?\n?2001?\n?3112?\n??????")
FRONTIER = Frontier.of(BOARD)
SOLVERS = [
    "cadical103", "cadical153", "cadical195", "gluecard3", "gluecard4", "glucose3", "glucose4",
    "glucose42", "lingeling", "maplechrono", "maplecm", "maplesat", "mergesat3", "minicard",
    "minisat22", "minisat-gh",
]  # fmt: skip


@pytest.mark.parametrize("solver", SOLVERS)
def test_every_solver_gives_the_same_answers(solver: str) -> None:
    check_same_answers(f"pysat:{solver}")


@pytest.mark.parametrize("encoding", ENCODINGS)
def test_every_encoding_gives_the_same_answers(encoding: str) -> None:
    check_same_answers(f"pysat:gluecard4/{encoding}")


def check_same_answers(name: str) -> None:
    engine, native = load(name), load("native")
    deduced, expected = engine.deduce(FRONTIER.problem), native.deduce(FRONTIER.problem)
    assert (deduced.safe, deduced.mines) == (expected.safe, expected.mines)
    counted = posterior(FRONTIER.problem, engine.count)
    assert counted.combined.counts == posterior(FRONTIER.problem, native.count).combined.counts


def test_takes_short_names_and_the_encoding_alone() -> None:
    assert PySat("g4").solver == "glucose4"
    assert PySat("/totalizer").solver == DEFAULT_SOLVER
    assert PySat("minicard").encoding == "native"
    assert PySat("minicard/direct").encoding == "direct"


def test_refuses_what_it_does_not_know() -> None:
    with pytest.raises(UnknownName, match=r"unknown PySAT solver 'zchaff'; known: .*minisat22"):
        load("pysat:zchaff")
    with pytest.raises(UnknownName, match="unknown PySAT solver 'kissat404'"):
        load("pysat:kissat404")
    with pytest.raises(UnknownName, match="unknown cardinality encoding 'abacus'"):
        load("pysat:glucose4/abacus")
    with pytest.raises(Unsupported, match="'glucose4' has no native at-most constraints"):
        load("pysat:glucose4/native")


@pytest.mark.parametrize("task", ["deduce", "layouts", "count"])
@pytest.mark.parametrize(
    ("clue", "used"),
    [(Constraint((0, 1), 1, 1), DEFAULT_SOLVER), (Constraint((0, 1), 0, 1), PUNCTUAL)],
)
def test_every_task_takes_a_solver_that_stops_in_time(
    task: str, clue: Constraint, used: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened = set()

    def noted(formula: Formula, solver: str) -> Any:
        opened.add(solver)
        return open_solver(formula, solver)

    monkeypatch.setattr(sat, "open_solver", noted)
    engine, problem = load("pysat", seconds=60), Problem((clue,))
    calls = {
        "deduce": lambda: engine.deduce(problem),
        "layouts": lambda: engine.layouts(problem, 1, 0),
        "count": lambda: engine.count(problem.regions[0]),
    }
    calls[task]()
    assert opened == {used}


def test_one_model_that_leaves_every_box_undecided_is_enough() -> None:
    problem = Problem((Constraint(tuple(range(8)), 3, 3),), (8, 9), 4)
    assert load("pysat").deduce(problem).calls == 1


def test_a_total_that_cannot_bite_is_not_posted() -> None:
    clues = tuple(Constraint(tuple(range(8 * i, 8 * i + 8)), 2, 2) for i in range(200))
    sea = tuple(range(2000, 12000))
    assert not Problem(clues, sea, 2000).total_bites
    assert load("pysat").deduce(Problem(clues, sea, 2000)).calls == 1
    assert load("pysat").deduce(Problem(clues, sea, 400)).safe == frozenset(sea)
    assert load("pysat").deduce(Problem(clues, sea, 10400)).mines == frozenset(sea)
