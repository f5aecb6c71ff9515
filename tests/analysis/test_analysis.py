"""The public face: `csp_mines.analyze` on boards and arrays, moves, status, and the package."""

from __future__ import annotations

import pickle
import subprocess
import sys
from fractions import Fraction

import numpy as np
import pytest

import csp_mines
from csp_mines import Board, BoardError, Contradiction, Move, Status, analyze, analyze_many
from csp_mines.analysis import contract
from csp_mines.errors import MissingLibrary, UnknownName

CORNER = Board.parse("????\n113?\n001?\n001?")


def test_arrays_and_boards_agree() -> None:
    array = np.array(CORNER.codes, dtype=np.int64)
    for board in (array, array.tolist(), CORNER, array.astype(np.int8), array.T.copy().T):
        found = analyze(board, mines=3)
        assert found.safe == {(0, 0), (0, 2), (1, 3), (3, 3)}
        assert found.mines == {(0, 1), (0, 3), (2, 3)}
        assert found.solutions == 1
        assert found.log_solutions == 0
        assert found.probability((0, 2)) == 0
        assert np.array_equal(np.isnan(found.probabilities), CORNER.codes != -1)
        assert found.probabilities[0, 3] == 1
        assert set(zip(*np.nonzero(found.safe_mask), strict=True)) == found.safe
        assert set(zip(*np.nonzero(found.mine_mask), strict=True)) == found.mines
        assert found.safe_mask.shape == found.mine_mask.shape == (4, 4)


def test_what_is_no_board() -> None:
    for array in ([[9]], [[0.5]], [[1, 2], [3]], [], "board", None, [[[1]]], np.zeros((0, 4), int)):
        with pytest.raises(BoardError):
            analyze(array)


def test_what_is_no_total() -> None:
    array = np.array([[-1, 1, -1]])
    for mines in (3.5, 1.0, "1", True, -1, 99):
        with pytest.raises(BoardError):
            analyze(array, mines=mines)
    assert analyze(array, mines=np.int64(1)).solutions == 2


def test_many_boards_at_once() -> None:
    corner, row = np.array(CORNER.codes), np.array([[-1, 1, -1, 1, -1]], np.int8)
    found = analyze_many([corner, row] * 100, mines=[3, 1] * 100, workers=2)
    assert [analysis.solutions for analysis in found] == [1] * 200
    assert analyze_many([row, row.tolist()], mines=2)[1].mines == {(0, 0), (0, 4)}
    with pytest.raises(ValueError, match="1 board and 2 numbers of mines were given"):
        analyze_many([row], mines=[1, 2])
    with pytest.raises(Contradiction, match="board 1: ") as caught:
        analyze_many([row, np.array([[1, 0, -1]], np.int8)])
    assert caught.value.conflict is not None


def test_only_hidden_cells_have_a_probability() -> None:
    found = analyze(CORNER)
    with pytest.raises(BoardError, match="cell 1,0 is not hidden"):
        found.probability((1, 0))
    with pytest.raises(BoardError, match="9,9 is not on this 4×4 board"):
        found.probability((9, 9))


def test_the_boards_own_prior_counts_and_arguments_override_it() -> None:
    board = Board.parse("mines: 1\n?1?1?")
    assert analyze(board).mines == {(0, 2)}
    assert analyze(board, mines=2).mines == {(0, 0), (0, 4)}
    assert analyze(board, density=0.25).probability((0, 2)) == Fraction(3, 4)
    assert analyze(board, use_total=False).status is Status.GUESS
    with pytest.raises(BoardError, match="not both"):
        analyze(board, mines=1, density=0.5)


@pytest.mark.parametrize("backend", ["native", "native:pure", "pysat"])
def test_a_total_counts_where_one_is_known(backend: str) -> None:
    assert not analyze(CORNER, backend=backend).uses_total
    assert analyze(CORNER, mines=3, backend=backend).uses_total
    assert not analyze(CORNER, mines=3, use_total=False, backend=backend).uses_total


def test_proved_cells_are_made_once() -> None:
    found = analyze(CORNER)
    assert found.safe is found.safe
    assert found.mines is found.mines


def test_digits_are_spelled_out_where_they_cost_little(monkeypatch: pytest.MonkeyPatch) -> None:
    board = Board.parse("?1??1?")
    monkeypatch.setattr(contract, "MOST_JOINED", 0)
    assert analyze(board).to_json()["solutions"] == "4"
    assert analyze(board, mines=2).to_json()["solutions"] is None
    assert analyze(board, mines=2).to_json(exact=True)["solutions"] == "4"
    monkeypatch.setattr(contract, "MOST_DIGITS", 0)
    assert analyze(board).to_json()["solutions"] is None


def test_status_and_move() -> None:
    assert analyze(Board.parse("000")).status is Status.SOLVED
    assert analyze(Board.parse("000")).move is None
    assert analyze(CORNER).move == Move((0, 0), 0.0, "proved safe")
    found = analyze(Board.parse("???\n???\n???"), mines=1)
    assert found.status is Status.GUESS
    lowest = Move((0, 0), 1 / 9, "one of 9 cells with the lowest risk")
    assert found.move_by("safest") == lowest
    assert analyze(found.board, mines=1, move="safest").move == lowest
    assert analyze(Board.parse("?1")).move is None


def test_incomplete_engines_prove_less_and_the_default_counts() -> None:
    found = analyze(CORNER, backend="single")
    assert (found.safe, found.complete, found.counter) == (frozenset(), False, "native")
    assert found.probability((0, 2)) == 0


def test_a_contradiction_knows_its_conflict() -> None:
    for backend in ("native", "single"):
        with pytest.raises(Contradiction) as caught:
            analyze(Board.parse("1?2\n1?1"), backend=backend)
        assert caught.value.conflict is not None
        assert len(caught.value.conflict.clues) >= 1


def test_unknown_names() -> None:
    with pytest.raises(UnknownName, match="unknown backend 'magic'; known: single, subtraction"):
        analyze(CORNER, backend="magic")
    with pytest.raises(UnknownName, match="unknown clue model"):
        analyze(CORNER, clues="vague")


def test_a_missing_library_is_a_clear_message(monkeypatch: pytest.MonkeyPatch) -> None:
    from csp_mines.solvers.native import Native

    monkeypatch.setattr(Native, "missing", classmethod(lambda cls: "pip install it"))
    with pytest.raises(MissingLibrary, match="'native' is not available: pip install it"):
        analyze(CORNER, backend="native:pure")


def test_everything_public_is_exported() -> None:
    for name in csp_mines.__all__:
        assert getattr(csp_mines, name) is not None
    assert set(csp_mines.__all__) <= set(dir(csp_mines))
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        csp_mines.nothing  # noqa: B018


@pytest.mark.parametrize(
    ("code", "unwanted"),
    [
        ("import csp_mines", "numpy pysat ortools matplotlib typer rich"),
        ("import csp_mines.cli as c; c.run(['--help'])", "numpy pysat ortools matplotlib"),
        ("import csp_mines; csp_mines.analyze([[-1, 1]])", "pysat ortools matplotlib typer rich"),
    ],
)
def test_nothing_heavy_is_imported_before_it_is_used(code: str, unwanted: str) -> None:
    check = f"import sys; {code}; print([n for n in {unwanted.split()} if n in sys.modules])"
    done = subprocess.run([sys.executable, "-c", check], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "[]"


def test_analyses_are_equal_if_question_and_answer_are() -> None:
    row = [[-1, 1, -1, 1, -1]]
    analysis = analyze(row, 1)
    for same in (
        analyze(np.array(row), 1),
        analyze(Board(row, mines=1)),
        analyze(row, 1, backend="native:pure"),
        analyze(row, 1, backend="pysat", max_states=10**6, seconds=60),
        pickle.loads(pickle.dumps(analysis)),
    ):
        assert analysis == same
        assert hash(analysis) == hash(same)
    for other in (
        analyze(row, 2),
        analyze(row),
        analyze(row, density=0.2),
        analyze(row, 1, use_total=False),
        analyze(row, 1, move="safest"),
        analyze(row, 1, clues="optimistic"),
        analyze([[-1, 1, -1, -1, -1]], 1),
        analyze(row, 1, backend="single"),  # proves less
        "an analysis",
    ):
        assert analysis != other
    assert len({analysis, analyze(row, 1), analyze(row, 2)}) == 2


def test_an_array_that_changes_later_changes_no_analysis() -> None:
    codes = np.array([[-1, 1, -1, 1, -1]])
    analysis = analyze(codes, 1)
    codes[0, 0] = 0
    assert analysis == analyze([[-1, 1, -1, 1, -1]], 1)


@pytest.mark.parametrize("backend", ["native", "gauss"])
def test_a_named_counter_must_count(backend: str) -> None:
    with pytest.raises(csp_mines.Unsupported, match="cannot count"):
        analyze([[-1, 1, -1]], backend=backend, counter="gauss")
