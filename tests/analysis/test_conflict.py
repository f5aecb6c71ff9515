"""Conflicts: they cannot hold, any less can, and small ones are the smallest there are."""

from __future__ import annotations

import json
import random
from itertools import combinations, product
from pathlib import Path

import numpy as np
import pytest

from csp_mines import Board, BoardError, Contradiction, Frontier, analyze
from csp_mines.analysis.conflict import find_conflict
from csp_mines.board import CLEAR, HIDDEN
from csp_mines.errors import Conflict, InputError
from csp_mines.games.game import Game, Rules, level
from csp_mines.geometry import SQUARE

DATA = Path(__file__).parents[1] / "data"


def conflict_of(text: str) -> Conflict:
    found = find_conflict(Frontier.of(Board.parse(text)))
    assert found is not None
    return found


@pytest.mark.parametrize(
    ("text", "clues", "mines"),
    [
        ("1?\n30", {(1, 0): 3}, None),  # more mines than cells
        ("M3M\n111", {(0, 1): 3}, None),  # nothing hidden around it, and it does not hold
        ("M1M\n???", {(0, 1): 1}, None),  # more marks than it says
        ("11?\n?20", {(0, 1): 1, (1, 1): 2}, None),
        ("mines: 4\n1?\n??", {}, 4),  # the total is too large for what is hidden
        ("mines: 1\nM?M", {}, 1),  # or smaller than what is marked
        ("mines: 1\n???\n121\n???", {(1, 1): 2}, 1),  # one clue against the total
        ("mines: 2\n?1C1?\n?CCC?\n?C1C?\n??C??", {(0, 1): 1, (0, 3): 1, (2, 2): 1}, 2),
        ("clues: cautious\nmines: 3\n?1?\n???", {(0, 1): 1}, 3),  # at most one of five cells
        (
            "clues: optimistic\nmines: 3\n??C??\n?2C2?\n??C??",
            {(1, 1): 2, (1, 3): 2},
            3,
        ),
    ],
)
def test_what_conflicts(text: str, clues: dict[tuple[int, int], int], mines: int | None) -> None:
    conflict = conflict_of(text)
    assert (dict(conflict.clues), conflict.mines) == (clues, mines)


def test_words_and_json() -> None:
    conflict = Conflict((((0, 1), 1), ((0, 2), 3)), 10)
    assert str(conflict) == "(0,1)=1, (0,2)=3 and 10 mines in all cannot hold together"
    assert conflict.to_json() == [
        {"cell": [0, 1], "clue": 1},
        {"cell": [0, 2], "clue": 3},
        {"mines": 10},
    ]
    assert str(Conflict((((2, 0), 4),))) == "(2,0)=4 cannot hold"


def test_clues_read_as_their_model_writes_them() -> None:
    assert "(0,1)≤1 and 2 mines in all" in str(conflict_of("clues: cautious\nmines: 2\n?1\n?0"))
    assert (
        str(conflict_of("clues: optimistic\n3?")) == "(0,0)≥3, but only 1 hidden cell is beside it"
    )


def test_a_board_without_one() -> None:
    with pytest.raises(BoardError, match="the board has no conflict: at least one layout fits"):
        conflict_of("1?")


def test_an_analysis_names_it() -> None:
    with pytest.raises(Contradiction) as caught:
        analyze(Board.parse("?1?\n???"), mines=4)
    assert caught.value.conflict == Conflict((((0, 1), 1),), 4)


def layouts_fit(board: Board, clues: set[tuple[int, int]], mines: int | None) -> bool:
    """Whether some layout fits these clues and the total, by going through all."""
    hidden = sorted(board.hidden)
    for bits in product((0, 1), repeat=len(hidden)):
        layout = {cell for cell, bit in zip(hidden, bits, strict=True) if bit}
        if mines is not None and len(layout) != mines:
            continue
        if all(len(layout.intersection(board.neighbours(cell))) == board[cell] for cell in clues):
            return True
    return False


def clues_of(board: Board) -> set[tuple[int, int]]:
    return {cell for cell in board.cells() if board[cell] >= 0}


def random_board(seed: int) -> Board:
    """A small board whose clues are often at odds."""
    rng = random.Random(seed)
    codes = np.full((3, 4), -1)
    for row, col in rng.sample(list(product(range(3), range(4))), 4):
        codes[row, col] = rng.randint(1, 3)
    return Board(codes, mines=rng.randint(0, 5))


def contradictory(seed: int) -> bool:
    board = random_board(seed)
    return not layouts_fit(board, clues_of(board), board.mines)


@pytest.mark.parametrize("seed", list(filter(contradictory, range(40))))
def test_the_smallest_by_brute_force(seed: int) -> None:
    board = random_board(seed)
    clues = clues_of(board)
    conflict = find_conflict(Frontier.of(board))
    named = {cell for cell, _ in conflict.clues}
    assert not layouts_fit(board, named, conflict.mines)
    for cell in named:
        assert layouts_fit(board, named - {cell}, conflict.mines)
    if conflict.mines is None:
        fewer = combinations(clues, len(named) - 1)
        assert all(layouts_fit(board, set(some), None) for some in fewer)
    else:
        assert layouts_fit(board, clues, None)  # the total is part of it only when it must be
        fewer = combinations(clues, max(len(named) - 1, 0))
        assert not named or all(layouts_fit(board, set(some), board.mines) for some in fewer)


def test_a_wrong_clue_on_a_large_board() -> None:
    """One clue of an expert game is changed: the conflict is near it, and minimal."""
    game = Game(level("expert"), Rules(start="zero"), seed=4)
    game.start()
    board = game.board
    frontier = Frontier.of(board)
    statement = max(frontier.statements, key=lambda candidate: len(candidate.constraint.cells))
    cell = statement.cell
    wrong = Frontier.of(board.replace({cell: board[cell] + 3}))
    conflict = find_conflict(wrong)
    assert cell in {clue for clue, _ in conflict.clues}
    assert all(max(abs(r - cell[0]), abs(c - cell[1])) <= 4 for (r, c), _ in conflict.clues)


@pytest.mark.parametrize(("mines", "clues"), [(100, 51), (800, 68)])
def test_a_wrong_total_on_a_board_too_wide_for_search(mines: int, clues: int) -> None:
    """289 clues of 2, each with three cells of its own: 51 of them need more than 100 mines, and 68
    of them have more than 67 safe cells. Disjoint clues tell it at once."""
    codes = np.full((51, 51), -4)
    codes[1::3, 1::3] = 2
    codes[0::3] = -1
    conflict = find_conflict(Frontier.of(Board(codes, mines=mines)))
    assert (len(conflict.clues), conflict.mines) == (clues, mines)
    assert f"{clues - 20} more clues and {mines} mines in all cannot hold" in str(conflict)


@pytest.mark.parametrize("mines", [30, 36])
def test_a_total_that_many_sets_of_clues_exceed(mines: int) -> None:
    """There are so many minimal conflicts of about ten clues that no search goes through all. The
    search stops, and its answer is still minimal."""
    position = json.loads((DATA / "dense-30x30-300.jsonl").read_text().splitlines()[0])
    board = Board.parse("\n".join(position["rows"]))
    conflict = find_conflict(board, mines)
    assert conflict is not None
    assert conflict.mines == mines
    assert 1 < len(conflict.clues) <= 12
    for number in range(len(conflict.clues) + 1):
        kept = conflict.clues[:number] + conflict.clues[number + 1 :]
        codes = np.where(board.codes == HIDDEN, HIDDEN, CLEAR)
        for (row, col), clue in kept:
            codes[row, col] = clue
        if number < len(conflict.clues):
            assert analyze(codes, mines).solutions > 0
        else:
            with pytest.raises(Contradiction):
                analyze(codes, mines)


def _large(size: int) -> np.ndarray:
    """A board that fits: every clue is true of a layout with every seventh cell a mine."""
    mines = (np.arange(size * size) % 7 == 0).reshape(size, size)
    codes = SQUARE.count(mines)
    hidden = mines | (np.arange(size * size) % 5 == 1).reshape(size, size)
    return np.where(hidden, np.int8(HIDDEN), codes)


@pytest.mark.once
def test_a_large_board_is_searched_in_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    """A conflict of two clues far inside, none of which is wrong alone."""
    codes = _large(300)
    ring = codes[196:208, 94:110]
    ring[ring >= 0] = CLEAR
    codes[198:206, 96:108] = CLEAR
    codes[200, 100] = HIDDEN
    codes[201, 99], codes[201, 101] = 1, 0
    board = Board(codes)
    expected = Conflict((((201, 99), 1), ((201, 101), 0)))
    assert find_conflict(board) == expected
    with pytest.raises(Contradiction) as caught:
        analyze(board)
    assert caught.value.conflict == expected

    frontier_of = Frontier.of

    def of_a_part(part: Board) -> Frontier:
        assert part.codes.size <= 124 * 124
        return frontier_of(part)

    monkeypatch.setattr(Frontier, "of", of_a_part)
    assert find_conflict(board) == expected
    codes[1, 1] = 8
    assert find_conflict(Board(codes)) == Conflict((((1, 1), 8),))


@pytest.mark.once
def test_a_conflict_that_no_part_of_a_large_board_shows() -> None:
    board = Board(_large(300), mines=1)
    assert find_conflict(board) is None
    assert find_conflict(Frontier.of(board)) is None
    with pytest.raises(Contradiction) as caught:
        analyze(board)
    assert caught.value.conflict is None
    assert str(caught.value) == caught.value.message


def test_the_number_of_mines_may_be_given_with_an_array() -> None:
    array = np.array([[-1, 1, -1]], np.int8)
    with pytest.raises(BoardError, match="the board has no conflict: at least one layout fits"):
        find_conflict(array, 1)
    assert find_conflict(array, 2) == Conflict((((0, 1), 1),), 2)


def test_a_board_with_a_wide_frontier_and_a_layout_has_no_conflict(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The total is over too many cells to look for a small set, so the default engine decides."""
    monkeypatch.setattr("csp_mines.analysis.clue_sets.WIDE", 3)
    array = np.array([[-1, 1, -1, -1, -1, 1, -1]], np.int8)
    for mines in (2, 3):
        with pytest.raises(BoardError, match="at least one layout fits"):
            find_conflict(array, mines)
    assert find_conflict(array, 4) == Conflict((((0, 1), 1), ((0, 5), 1)), 4)


def test_the_number_of_mines_is_not_given_with_a_frontier() -> None:
    frontier = Frontier.of(Board([[-1, 1, -1]], clues="optimistic"))
    with pytest.raises(InputError, match="mines can be given only with a board or an array"):
        find_conflict(frontier, 1)
