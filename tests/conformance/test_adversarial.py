"""Every pair of counting engines on boards that were made to break one. benchmarks/fuzz_engines.py
does the same for as long as it is let; what it found stands here."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations
from typing import Any

import pytest
from hypothesis import Phase, given, settings

from csp_mines.analysis.analyze import analyze
from csp_mines.backend import backend_class, backend_names, load
from csp_mines.board import Board, Cell
from csp_mines.constraints import Frontier
from csp_mines.counting import count_by
from csp_mines.errors import Contradiction
from tests import strategies

COUNTING = [
    name
    for name in backend_names()
    if backend_class(name).missing() is None and backend_class(name).counts
]
EXAMPLES = {"ganak": 5, "cpsat": 20}
FAST = [name for name in COUNTING if name != "ganak"]


def cases(names: list[str], together: int) -> list[Any]:
    """So many of the engines at a time. Only `native` may use the kernel; others run once."""
    return [
        pytest.param(*some, marks=() if "native" in some else pytest.mark.once)
        for some in combinations(names, together)
    ]


# Where questions to CP-SAT that were left out made residual problems empty, and cells certain.
INFEASIBLE_SIBLINGS = [
    ("CCCCCCCCC??/CCCCCCCC?6?/CC???CCC???/CC?6?CCCC3C/CC?5?CC??CC/CC?4?3CC4?C/C?C???4??CC/"
     "C4??6???CCC/??????C4?CC/C?5?CC?CCCC/CC??CCCCCCC", 6_420, 4),
    ("CCCCCCCCCC1C/CCCCCCCCCC??/CCCCCCCC?34?/CC?CCCCC????/?5???C?CC?5?/???5???33??4/"
     "C????5??????/C3?C??C2CCCC/?2C?CC?C1CCC/??2?CC?2??CC", 115_440, 4),
]  # fmt: skip

Answer = tuple[int, frozenset[Cell], frozenset[Cell], dict[int, Fraction]]


def answer(board: Board, name: str) -> Answer | None:
    """Layouts, deductions and probabilities, all exact; None when nothing fits. An engine that
    deduces without counting has to deduce what it counts."""
    frontier = Frontier.of(board)
    engine = load(name, seconds=300)
    try:
        counted = count_by(engine, frontier.problem)
    except Contradiction:
        return None
    known, proved = counted.known, counted.certain()
    risks = {cell: Fraction(*share) for cell, share in counted.shares.items()}
    risks |= dict.fromkeys(frontier.problem.sea, counted.sea_share)
    risks |= dict.fromkeys(known.safe, Fraction(0)) | dict.fromkeys(known.mines, Fraction(1))
    certain = frontier.cells(proved.safe), frontier.cells(proved.mines)
    return counted.solutions, *certain, risks


def examples(*names: str) -> int:
    usual = settings().max_examples
    return min(max(1, min(EXAMPLES.get(name, 60) for name in names) * usual // 60), usual)


@pytest.mark.parametrize("name", cases(FAST, 1))
@pytest.mark.parametrize(("rows", "layouts", "mines"), INFEASIBLE_SIBLINGS)
def test_an_infeasible_sibling_empties_nothing(
    name: str, rows: str, layouts: int, mines: int
) -> None:
    found = analyze(Board.parse(rows.replace("/", "\n")), backend=name, counter=name)
    assert (found.solutions, len(found.safe), len(found.mines)) == (layouts, 0, mines)


@pytest.mark.parametrize(("first", "second"), cases(COUNTING, 2))
def test_small_adversarial_boards(first: str, second: str) -> None:
    @settings(max_examples=examples(first, second), phases=[Phase.generate])
    @given(strategies.small_adversaries)
    def check(board: Board) -> None:
        assert answer(board, first) == answer(board, second)

    check()


@pytest.mark.parametrize(("first", "second"), cases(FAST, 2))
def test_assemblies_with_gaps(first: str, second: str) -> None:
    @settings(max_examples=max(1, examples(first, second) // 2), phases=[Phase.generate])
    @given(strategies.gap_assemblies)
    def check(board: Board) -> None:
        assert answer(board, first) == answer(board, second)

    check()


@pytest.mark.parametrize(("first", "second"), cases(FAST, 2))
@pytest.mark.parametrize("boards", [strategies.dense_boards, strategies.large_dense_boards])
def test_dense_boards_without_a_total(first: str, second: str, boards: object) -> None:
    @settings(max_examples=max(1, examples(first, second) // 15), phases=[Phase.generate])
    @given(boards)
    def check(board: Board) -> None:
        assert answer(board, first) == answer(board, second)

    check()
