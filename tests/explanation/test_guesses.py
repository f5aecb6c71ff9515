"""Why to guess here and not there: every number against all layouts."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from random import Random

import numpy as np
import pytest

from csp_mines.analysis.analyze import analyze
from csp_mines.board import HIDDEN, Board, Cell
from csp_mines.explanation.explain import explain
from csp_mines.explanation.guesses import WeighedGuess, compare_guesses
from tests.oracle import truth


def some_board(seed: int) -> Board:
    random = Random(seed)
    cells = [(row, col) for row in range(3) for col in range(4)]
    mines = set(random.sample(cells, random.randrange(2, 5)))
    blank = Board(np.full((3, 4), HIDDEN), mines=len(mines))
    opened = random.sample(sorted(set(cells) - mines), 2)
    return blank.replace(
        {cell: sum(near in mines for near in blank.neighbours(cell)) for cell in opened}
    )


def check(board: Board, guess: WeighedGuess) -> None:
    """By definition, over the layouts that fit."""
    known = truth(board)
    total, cell = len(known.layouts), guess.cell
    parts: defaultdict[int, list[frozenset[Cell]]] = defaultdict(list)
    for layout in known.layouts:
        around = sum(near in layout for near in board.neighbours(cell))
        parts[-1 if cell in layout else around].append(layout)
    assert guess.risk == known.probability(cell)
    shares = [len(some) / total for some in parts.values()]
    assert math.isclose(guess.bits, -sum(p * math.log2(p) for p in shares), abs_tol=1e-9)
    hidden = known.hidden - {cell}
    certain = 0
    for shown, some in parts.items():
        mines = Counter(mine for layout in some for mine in layout)
        proved = any(not mines[other] for other in hidden)
        done = all(mines[other] == len(some) for other in hidden)
        certain += len(some) if shown >= 0 and (proved or done) else 0
    assert math.isclose(guess.certain, certain / total, abs_tol=1e-9)


@pytest.mark.parametrize("seed", range(20))
def test_a_guess_is_told_as_it_is(seed: int) -> None:
    board = some_board(seed)
    found = analyze(board)
    for cell in sorted(set(board.cells(HIDDEN)) - found.safe - found.mines)[:3]:
        told = compare_guesses(found, cell)
        assert told is not None
        if found.safe:
            assert told.proved in found.safe
            assert told.texts == (
                f"No guess is needed: {told.proved[0]},{told.proved[1]} is proved safe.",
            )
            continue
        assert found.move is not None
        assert told.here is not None
        assert told.here.cell == cell
        check(board, told.here)
        assert told.is_move == (found.move.cell == cell)
        assert told.reason == found.move.reason
        if not told.is_move:
            assert told.other is not None
            assert told.other.cell == found.move.cell
        if told.other is not None:
            check(board, told.other)


def test_only_the_move_is_told_where_layouts_are_not_alike() -> None:
    for header in ("density: 0.3", "clues: optimistic", "clues: silent"):
        found = analyze(Board.parse(f"{header}\n?1?\n???"))
        assert found.move is not None
        move, why = found.move.cell, found.move.reason
        told = compare_guesses(found, move)
        assert told is not None
        assert (told.here, told.other) == (None, None)
        assert told.texts == (f"It is the guess to make: {why}.",)
        other = next(cell for cell in sorted(found.board.hidden) if cell != move)
        beside = compare_guesses(found, other)
        assert beside is not None
        assert beside.texts == (f"The move is {move[0]},{move[1]}: {why}.",)
        assert explain(found, other).texts[1:] == beside.texts


def test_nothing_is_told_of_estimates() -> None:
    found = analyze(Board.parse("?1?"), counter="sampling", approximate=0.01)
    assert compare_guesses(found, (0, 0)) is None


def test_the_last_cell_has_no_other_beside_it() -> None:
    """One cell, and nobody knows whether there is a mine."""
    told = compare_guesses(analyze(Board.parse("?")), (0, 0))
    assert told is not None
    assert (told.is_move, told.other) == (True, None)
    assert told.to_json()["other"] is None
    assert told.texts[0].startswith("It is the guess to make: lowest risk")
