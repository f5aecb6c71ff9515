"""Layouts that are drawn, and the player that tries cells on them; what a move may cost."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from fractions import Fraction
from itertools import combinations
from math import inf, sqrt
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt
import pytest

from csp_mines.analysis.analyze import analyze
from csp_mines.analysis.winning import (
    STRENGTHS,
    TooManyLayouts,
    best_move,
    strength,
    win_chance,
)
from csp_mines.board import Board, Cell
from csp_mines.errors import Contradiction
from csp_mines.games.agents import agent
from csp_mines.games.game import LEVELS, Game, Rules
from csp_mines.games.playing import Step, play
from csp_mines.geometry import SQUARE

if TYPE_CHECKING:
    from csp_mines.kernel import Kernel

pytestmark = pytest.mark.usefixtures("kernel")

DATA = Path(__file__).parents[1] / "data"
MAX_STATES = 200_000  # what a game allows one position


def fitting_layouts(board: Board) -> set[bytes]:
    """Every layout of a board, by trying all."""
    codes = board.codes
    hidden = [tuple(cell) for cell in np.argwhere(codes == -1)]
    marked = codes == -2
    layouts = set()
    for chosen in combinations(hidden, board.mines - int(marked.sum())):
        flags = marked.astype(np.uint8)
        for cell in chosen:
            flags[cell] = 1
        if all(
            sum(flags[near] for near in SQUARE.neighbours((row, col), *codes.shape)) == clue
            for (row, col), clue in np.ndenumerate(codes)
            if clue >= 0
        ):
            layouts.add(flags.tobytes())
    return layouts


@pytest.mark.parametrize(
    "text",
    [
        "mines: 4\n????\n?2??\n????",  # one region and a sea
        "mines: 5\n1??1\n????\n?1??\nM???",  # regions of different sizes, and a mark
        "mines: 2\n1?1\n???",  # one cell of a region decides the rest
        "mines: 3\n???\n???",  # nothing but sea
    ],
)
def test_every_layout_is_drawn_as_often(kernel: Kernel, text: str) -> None:
    board = Board.parse(text)
    truth, count = fitting_layouts(board), 40_000
    drawn = kernel.draw_layouts(board.codes, board.mines, count, 7)
    assert drawn is not None
    size = board.codes.size
    tally = Counter(drawn[at : at + size] for at in range(0, len(drawn), size))
    assert set(tally) == truth
    expected = count / len(truth)
    surprise = sum((seen - expected) ** 2 / expected for seen in tally.values())
    freedom = len(truth) - 1
    assert abs(surprise - freedom) < 5 * sqrt(2 * freedom) + 5


def test_what_is_too_large_is_not_drawn_from(kernel: Kernel) -> None:
    lattice = np.full((25, 25), -1, np.int8)
    lattice[1::2, 1::2] = 2
    assert kernel.draw_layouts(lattice, 150, 1, 0) is None
    assert kernel.draw_layouts(np.full((3, 3), -1, np.int8), 10, 1, 0) is None
    assert kernel.draw_layouts(np.full((3, 3), -1, np.int8), -1, 1, 0) is None


def guess_boards(seed: str, name: str = "exact") -> Iterator[Board]:
    """The boards of an expert game on which somebody had to guess."""
    boards: list[Board] = []
    last = Board.parse("?")

    def watch(step: Step) -> None:
        nonlocal last
        if step.kind == "guess":
            boards.append(last)
        last = step.board

    game = Game(LEVELS["expert"], Rules(start="zero"), seed, first=(3, 3))
    play(game, agent(name), seed, watch=watch)
    yield from boards


def test_playouts_estimate_the_chance_to_win(kernel: Kernel) -> None:
    """Where the exact chance can be searched: no player wins more, and this one not much less."""
    changes = {"search": False, "endgame": False, "closed": False}
    playing_out = kernel.Strength(**STRENGTHS["strong"] | changes)
    differences = []
    for seed in range(16):
        for board in guess_boards(f"estimate {seed}"):
            move = best_move(board, player=playing_out)
            assert move is not None
            if move.reason != "playouts":
                continue
            assert move == best_move(board, player=playing_out)
            try:
                exact = win_chance(board, max_layouts=3_000, work=20_000_000)
            except TooManyLayouts:
                continue
            assert move.chance is not None
            differences.append(move.chance - float(exact.chance))
    assert len(differences) > 5
    assert max(differences) < 0.1
    assert -0.05 < np.mean(differences) < 0.01


def seed_of(board: Board) -> int:
    """The seed by which layouts of a board are drawn: its codes with their border, eight bytes at a
    time."""
    seed, codes = 0x9E3779B97F4A7C15, np.pad(board.codes, 1, constant_values=-4).tobytes()
    for at in range(0, len(codes), 8):
        word = int.from_bytes(codes[at : at + 8], "little")
        seed = (seed ^ word) * 0xFF51AFD7ED558CCD % 2**64
        seed ^= seed >> 32
    return seed


SAFEST = {
    "next_step": False, "influence": False, "wide": False, "closed": False, "search": False,
    "opening": False, "exact_layouts": 100,
}  # fmt: skip


def play_out(kernel: Kernel, board: Board, mines: npt.NDArray[np.bool_], cell: Cell) -> float:
    """What opening a cell leads to on a layout when the safest cell is opened from then on: 1 or 0,
    or the exact chance where at most 100 layouts are left."""
    seen, numbers = board.codes.copy(), SQUARE.count(mines)
    safest = kernel.Strength(**SAFEST)
    opening = np.zeros(seen.shape, bool)
    opening[cell] = True
    while True:
        while opening.any():
            seen[opening] = numbers[opening]
            opening = (SQUARE.count(opening & (numbers == 0)) > 0) & (seen == -1)
        if not ((seen == -1) & ~mines).any():
            return 1.0
        found = analyze(Board(seen, mines=board.mines))
        seen[found.mine_mask] = -2
        opening = found.safe_mask
        if not opening.any():
            move = best_move(Board(seen, mines=board.mines), player=safest)
            assert move is not None
            if move.chance is not None:
                return move.chance
            if mines[move.cell]:
                return 0.0
            opening[move.cell] = True


def test_the_chance_is_the_mean_of_the_playouts(kernel: Kernel) -> None:
    """Played out once more in Python, on the same layouts and without remembering anything: the
    exact safety of the cell, times the mean where it is safe."""
    changes = {"playout_layouts": 50, "playout_prior": 0.0}
    playing_out = kernel.Strength(**STRENGTHS["strong"] | changes)
    checked = 0
    for seed in range(30):
        for board in guess_boards(f"mean {seed}"):
            if not 30 <= int((board.codes == -1).sum()) <= 80:
                continue
            move = best_move(board, player=playing_out)
            assert move is not None
            if move.reason != "playouts":
                continue
            drawn = kernel.draw_layouts(board.codes, board.mines, 50, seed_of(board))
            layouts = np.frombuffer(drawn, np.uint8).reshape(50, *board.codes.shape).astype(bool)
            results = [
                play_out(kernel, board, layout, move.cell)
                for layout in layouts
                if not layout[move.cell]
            ]
            assert move.chance == pytest.approx((1 - move.risk) * np.mean(results), abs=1e-12)
            checked += 1
    assert checked > 3


def chance_after(board: Board, cell: Cell) -> Fraction:
    """The exact chance to win for whoever opens this cell and plays optimally from then on."""
    won = 0
    for number in range(9):
        codes = board.codes.copy()
        codes[cell] = number
        try:
            won += win_chance(Board(codes, mines=board.mines)).won
        except Contradiction:
            continue
    return Fraction(won, win_chance(board).layouts)


def test_end_games_are_played_as_well_as_they_can_be() -> None:
    """Of 300 layouts at most: exactly so up to 200, and nearly above."""
    lost = []
    for seed in range(30):
        for board in guess_boards(f"end game {seed}"):
            try:
                exact = win_chance(board, max_layouts=300)
            except TooManyLayouts:
                continue
            move = best_move(board)
            assert move is not None
            lost.append(exact.chance - chance_after(board, move.cell))
            assert lost[-1] >= 0
            if exact.layouts <= 200:
                assert (lost[-1], move.exact, move.chance) == (0, True, float(exact.chance))
    assert len(lost) > 15
    assert sum(lost) / len(lost) < Fraction(1, 1000)


def stored_boards(name: str, count: int) -> Iterator[tuple[npt.NDArray[np.int8], int]]:
    with open(DATA / name) as lines:
        for _, line in zip(range(count), lines, strict=False):
            stored = json.loads(line)
            yield Board.parse("\n".join(stored["rows"])).codes, stored["mines"]


@pytest.mark.parametrize("name", ["win:fast", "win", "win:strong"])
@pytest.mark.parametrize(
    "positions",
    ["expert-guess", "dense-30x30-300", "big-100x100-2000", "big-100x100-3000", "lattice"],
)
def test_a_move_keeps_to_its_budget(kernel: Kernel, name: str, positions: str) -> None:
    """Counted in steps, so that it holds on every machine. An analysis that has begun is finished;
    one look-ahead costs about what the analysis of the position costs."""
    wanted = kernel.Strength(**strength(name))
    for codes, mines in stored_boards(f"{positions}.jsonl", 4):
        result = kernel.analyze(codes, mines, 1.0, kernel.Model.EXACT, MAX_STATES, inf, None)
        spent = result.best_move(mines, wanted, MAX_STATES)
        assert spent.look_ahead <= wanted.work + 4 * (result.states + codes.size)
        assert spent.search <= wanted.search_work + 200_000
        assert spent.playouts <= (wanted.playout_work + 10_000_000 if wanted.playouts else 0)


@pytest.mark.parametrize(("side", "mines", "step"), [(100, 2000, 4), (30, 300, 4), (13, 40, 2)])
@pytest.mark.parametrize("name", ["win:fast", "win", "win:strong"])
def test_a_move_keeps_to_its_budget_where_nothing_is_proved(
    kernel: Kernel, side: int, mines: int, step: int, name: str
) -> None:
    """Single clues in a sea: hundreds of cells promise as much as each other."""
    codes = np.full((side, side), -1, np.int8)
    codes[1::step, 1::step] = 2
    # A corner would be taken at once.
    wanted = kernel.Strength(**strength(name) | {"opening": False})
    result = kernel.analyze(codes, mines, 1.0, kernel.Model.EXACT, MAX_STATES, inf, None)
    spent = result.best_move(mines, wanted, MAX_STATES)
    assert 0 < spent.look_ahead <= wanted.work + 4 * (result.states + codes.size)
    assert spent.search <= wanted.search_work + 200_000
    assert spent.playouts <= (wanted.playout_work + 10_000_000 if wanted.playouts else 0)
