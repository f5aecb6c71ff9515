"""Exports say what the board says: solvers that share nothing with csp-mines draw our conclusions.
benchmarks/exports.py does the same for 300 boards."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from pysat.solvers import Solver

from csp_mines import Board, BoardError, InputError, UnknownName, Unsupported, analyze, export
from csp_mines.formats import interpret
from csp_mines.names import EXPORT_NAMES
from tests.exports.boards import random_board
from tests.exports.outside import SOLVERS, by_cadical, by_exact, by_highs, hidden, ours

DATA = Path(__file__).parents[1] / "data"
CORNER = Board.parse("????\n113?\n001?\n001?")
ONLY_TOTAL = Board.parse("mines: 1\n?1?1?")
NOTHING_HIDDEN = Board.parse("mines: 2\n1M1")


@pytest.mark.parametrize("notation", SOLVERS)
@pytest.mark.parametrize("number", range(5))
def test_outside_solvers_agree(notation: str, number: int) -> None:
    board = random_board(number)
    answer = SOLVERS[notation](export(board, notation), hidden(board))
    assert answer.agrees(ours(board)), board


@pytest.mark.parametrize("notation", SOLVERS)
def test_marks_totals_and_impossible_clues(notation: str) -> None:
    solve = SOLVERS[notation]
    for board, count in (
        (ONLY_TOTAL, 1),
        (Board.parse("mines: 2\n?1M2?"), 1),
        (Board.parse("1?2"), 0),  # a clue that its cells cannot hold
        (Board.parse("mines: 1\n?MM?"), 0),  # a negative number of mines is left
        (Board.parse("1M\n1?\n0?"), 1),
    ):
        answer = solve(export(board, notation), hidden(board))
        assert answer.count in (count, None), board
        assert answer.agrees(ours(board)), board


def test_a_board_without_hidden_cells() -> None:
    for board, count in ((NOTHING_HIDDEN, 0), (NOTHING_HIDDEN.told(mines=1), 1)):
        for notation in EXPORT_NAMES:
            assert interpret(export(board, notation)).board == board
        assert by_cadical(export(board, "dimacs"), []).count == count
        assert by_highs(export(board, "lp"), []).count == (None if count else 0)
    assert by_exact(export(NOTHING_HIDDEN, "opb"), []).count == 0


@pytest.mark.parametrize("notation", [name for name in SOLVERS if name != "lp"])
def test_without_the_total(notation: str) -> None:
    text = export(ONLY_TOTAL, notation, use_total=False)
    assert SOLVERS[notation](text, hidden(ONLY_TOTAL)).count == 2


@pytest.mark.parametrize("notation", SOLVERS)
def test_the_opposite_of_what_is_certain_has_no_solution(notation: str) -> None:
    analysis = analyze(CORNER)
    for cell in hidden(CORNER):
        for word, certain in (("mine", analysis.safe), ("safe", analysis.mines)):
            text = export(CORNER, notation, assume={cell: word})
            answer = SOLVERS[notation](text, hidden(CORNER)) if notation != "minizinc" else None
            assert answer is None or (answer.count == 0) == (cell in certain)


@pytest.mark.parametrize(
    "encoding",
    ["direct", "seqcounter", "sortnetwrk", "cardnetwrk", "totalizer", "mtotalizer", "kmtotalizer"],
)
def test_every_encoding(encoding: str) -> None:
    for number in (0, 2, 3):
        board = random_board(number)
        answer = by_cadical(export(board, "dimacs", encoding=encoding), hidden(board))
        assert answer.agrees(ours(board))


def test_noisy_clues_are_bounds() -> None:
    low = export(Board.parse("clues: optimistic\n1??"), "opb")
    assert low.splitlines()[-2:] == ["* clue (0,0)>=1", "+1 x1 >= 1 ;"]
    high = export(Board.parse("clues: cautious\n?1??"), "opb")
    assert high.splitlines()[-2:] == ["* clue (0,1)<=1", "-1 x1 -1 x2 >= -1 ;"]
    assert "clue" not in export(Board.parse("clues: optimistic\n0?"), "lp").split("Subject To")[1]


def test_a_density_is_no_constraint() -> None:
    board = Board.parse("density: 0.2\n?1?\n???")
    told = export(board, "asp").splitlines()
    plain = export(Board(board.codes), "asp").splitlines()
    assert told[2:] == plain[2:]


@pytest.mark.parametrize("notation", EXPORT_NAMES)
def test_every_position_exports_and_is_read_back(notation: str) -> None:
    for path in sorted(DATA.glob("*.jsonl")):
        row = json.loads(path.read_text().splitlines()[0])
        board = Board.parse("\n".join(row["rows"])).told(mines=row["mines"])
        if notation == "dimacs" and len(hidden(board)) > 450:
            board = board.without_total()  # takes seconds as clauses; benchmarks/exports.py does it
        exported = export(board, notation)
        assert exported.isascii()
        assert interpret(exported).board == board


def test_lines_of_lp_are_short() -> None:
    board = Board.read(Path("examples/boards/expert.txt").resolve())
    assert max(map(len, export(board, "lp").splitlines())) <= 255


def test_an_array_and_arguments() -> None:
    assert export([[-1, 1]], "opb", mines=1) == export(Board.parse("mines: 1\n?1"), "opb")
    assert ">=" in export([[-1, 1]], "lp", clues="optimistic")


def test_refusals() -> None:
    with pytest.raises(UnknownName, match=r"unknown export 'dimcas'.*did you mean 'dimacs'"):
        export(CORNER, "dimcas")
    with pytest.raises(UnknownName, match="unknown assumption 'bomb'; known: mine, safe"):
        export(CORNER, "opb", assume={(0, 0): "bomb"})
    with pytest.raises(BoardError, match="cell 1,0 is not hidden"):
        export(CORNER, "opb", assume={(1, 0): "mine"})
    with pytest.raises(BoardError, match="cell 9,9 is not on this 4×4 board"):
        export(CORNER, "opb", assume={(9, 9): "mine"})
    with pytest.raises(InputError, match="assume must be a Mapping"):
        export(CORNER, "opb", assume=[(0, 0)])  # type: ignore[arg-type]
    with pytest.raises(InputError, match="encoding works only with dimacs"):
        export(CORNER, "opb", encoding="totalizer")
    with pytest.raises(UnknownName, match="did you mean 'totalizer'"):
        export(CORNER, "dimacs", encoding="totaliser")
    with pytest.raises(Unsupported, match="the encoding 'native' leaves sums to the solver"):
        export(CORNER, "dimacs", encoding="native")


@pytest.mark.parametrize("mines", [1, 1023])
def test_a_total_over_a_thousand_cells_is_written_as_clauses(mines: int) -> None:
    text = export(np.full((32, 32), -1, np.int8), "dimacs", mines=mines)
    clauses = [line for line in text.splitlines() if line[:1] not in ("c", "p")]
    with Solver("cadical195", bootstrap_with=[[*map(int, c.split())][:-1] for c in clauses]) as sat:
        assert sat.solve()
        assert sum(literal > 0 for literal in sat.get_model()[:1024]) == mines
