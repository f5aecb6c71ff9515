"""The clues it takes: smallest sets, held against all sets and all layouts."""

from __future__ import annotations

from itertools import combinations
from random import Random

from csp_mines import Board, Frontier
from csp_mines.analysis.clue_sets import Core, Cores
from tests.oracle import layouts, truth
from tests.strategies import dense_board


def proves(frontier: Frontier, core: Core, cell: int, *, mine: bool) -> bool:
    """By every layout of these statements alone, which leave a cell open that they do not name."""
    problem = frontier.only(core.statements, total=core.total)
    return cell in {*problem.frontier, *problem.sea} and all(
        (cell in mines) == mine for mines in layouts(problem)
    )


def test_no_smaller_set_proves_a_cell() -> None:
    random = Random(11)
    proved = 0
    for _ in range(80):
        board = dense_board(random, least=2, most=3, blank=0.2)
        frontier, cores = Frontier.of(board), Cores(Frontier.of(board))
        known = truth(board)
        for place in sorted(known.hidden if known.layouts else ()):
            cell, risk = frontier.number(place), known.probability(place)
            if risk not in (0, 1):
                assert cores.proof(cell, mine=True) is cores.proof(cell, mine=False) is None
                continue
            core = cores.proof(cell, mine=risk == 1)
            assert core is not None
            assert proves(frontier, core, cell, mine=risk == 1)
            smaller = combinations(range(len(frontier.statements)), len(core.statements) - 1)
            if core.statements and not core.total:
                for few in smaller:
                    assert not proves(frontier, Core(False, few), cell, mine=risk == 1)
            proved += 1
    assert proved > 40


def test_a_conflict_cannot_spare_a_clue() -> None:
    frontier = Frontier.of(Board.parse("11?\n1??\n?3?\n???"))
    assert Cores(frontier).conflict() is None
    frontier = Frontier.of(Board.parse("?????\n1131?\n?????"))
    core = Cores(frontier).conflict()
    assert core is not None
    assert not layouts(frontier.only(core.statements, total=core.total))
    for few in combinations(core.statements, len(core.statements) - 1):
        assert layouts(frontier.only(few, total=core.total))
