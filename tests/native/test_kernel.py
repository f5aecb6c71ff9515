"""The compiled kernel against every layout tried, the exact engine, and recorded answers."""

from __future__ import annotations

import json
import math
from math import comb, inf, log
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING

import numpy as np
import pytest

import csp_mines
from csp_mines.errors import Contradiction
from csp_mines.geometry import SQUARE
from csp_mines.kernel import KERNEL_MODELS
from tests.native.positions import (
    Codes,
    Position,
    clues_of,
    large_position,
    random_layout,
    small_position,
    truth,
)

if TYPE_CHECKING:
    from csp_mines.kernel import Kernel, KernelResult

DATA = Path(__file__).parents[1] / "data"
STATES = 2_000_000


def ask(kernel: Kernel, position: Position) -> KernelResult:
    model = kernel.Model[KERNEL_MODELS[position.model]]
    return kernel.analyze(position.codes, position.mines, position.odds, model, STATES, inf, None)


@pytest.mark.parametrize("seed", range(8))
def test_every_layout_tried(kernel: Kernel, seed: int) -> None:
    random = Random(seed)
    for _ in range(40):
        position = small_position(random)
        expected, found = truth(position), ask(kernel, position)
        assert (found.status == kernel.Status.CONTRADICTION) == (expected.layouts == 0), position
        if expected.layouts == 0:
            continue
        assert math.isclose(found.log_solutions, math.log(expected.layouts), abs_tol=1e-11)
        assert found.safe == expected.safe, position
        assert found.mines == expected.mines, position
        for cell in np.ndindex(*position.codes.shape):
            share = expected.probabilities.get(cell, math.nan)
            np.testing.assert_allclose(found.probabilities[cell], share, rtol=0, atol=1e-12)


@pytest.mark.parametrize("seed", range(4))
def test_same_as_the_exact_engine(kernel: Kernel, seed: int) -> None:
    random = Random(100 + seed)
    for _ in range(10):
        position = large_position(random)
        mines = None if position.mines < 0 else position.mines
        found = ask(kernel, position)
        if found.status == kernel.Status.TOO_WIDE:
            continue
        try:
            exact = csp_mines.analyze(position.codes, mines, backend="native:pure")
        except Contradiction:
            assert found.status == kernel.Status.CONTRADICTION
            continue
        assert found.status == kernel.Status.FITS
        np.testing.assert_allclose(found.probabilities, exact.probabilities, rtol=0, atol=1e-12)
        assert (found.safe, found.mines) == (exact.safe, exact.mines)
        assert math.isclose(found.log_solutions, exact.log_solutions, rel_tol=1e-12, abs_tol=1e-11)


RECORDED = sorted(DATA.glob("*.jsonl"))


@pytest.mark.parametrize("path", RECORDED, ids=lambda path: path.stem)
def test_recorded_answers(kernel: Kernel, path: Path) -> None:
    for line in path.read_text().splitlines():
        known = json.loads(line)
        rows = [[-1 if c == "?" else int(c) for c in row] for row in known["rows"]]
        codes = np.array(rows, dtype=np.int8)
        found = ask(kernel, Position(codes, known["mines"], 1.0, "exact"))
        assert found.status == kernel.Status.FITS
        if known["probabilities"] is None:
            continue
        hidden = [(int(r), int(c)) for r, c in np.argwhere(codes == -1)]
        shares = dict(zip(hidden, known["probabilities"], strict=True))
        measured = np.array([found.probabilities[cell] for cell in hidden])
        np.testing.assert_allclose(measured, known["probabilities"], rtol=0, atol=1e-9)
        assert found.safe == {cell for cell, share in shares.items() if share == 0}, known["id"]
        assert found.mines == {cell for cell, share in shares.items() if share == 1}, known["id"]
        assert math.isclose(found.log_solutions, math.log(int(known["solutions"])), abs_tol=1e-9)


def hidden_board(rows: int, cols: int) -> Codes:
    return np.full((rows, cols), -1, dtype=np.int8)


class TestMillionCells:
    """Priors at their ends, where a careless float would call a cell certain."""

    @pytest.mark.parametrize("mines", [0, 1, 2, 200_000, 999_998, 999_999, 1_000_000])
    def test_nothing_but_sea(self, kernel: Kernel, mines: int) -> None:
        found = ask(kernel, Position(hidden_board(1000, 1000), mines, 1.0, "exact"))
        assert abs(found.probabilities[3, 5] - mines / 1_000_000) <= 1e-15
        assert len(found.safe) == (1_000_000 if mines == 0 else 0)
        assert len(found.mines) == (1_000_000 if mines == 1_000_000 else 0)

    def test_the_last_mine_is_next_to_the_clue(self, kernel: Kernel) -> None:
        board = hidden_board(1000, 1000)
        board[500, 500] = 1
        found = ask(kernel, Position(board, 1, 1.0, "exact"))
        assert found.probabilities[499, 499] == 1 / 8
        assert len(found.safe) == 999_999 - 8
        assert not found.mines
        assert math.isclose(found.log_solutions, math.log(8))

    def test_one_cell_is_no_mine(self, kernel: Kernel) -> None:
        board = hidden_board(1000, 1000)
        board[500, 500] = 7
        board[0, 0] = 3
        found = ask(kernel, Position(board, 1_000_000 - 3, 1.0, "exact"))
        assert found.probabilities[499, 499] == 7 / 8
        assert len(found.mines) == 1_000_000 - 2 - 8
        assert not found.safe

    def test_two_regions_compete_for_one_mine(self, kernel: Kernel) -> None:
        # Each pair of clues has one mine between them or two apart; three mines in all.
        board = hidden_board(1000, 1000)
        for row in (100, 900):
            board[row, 500] = board[row, 502] = 1
        found = ask(kernel, Position(board, 3, 1.0, "exact"))
        # Shared 3 cells, own 5 and 5: 3 ways with one mine, 25 with two; sea of the rest.
        sea = 1_000_000 - 4 - 26
        ways = {"sea": 9 * sea, "apart": 2 * 3 * 25}
        whole = ways["sea"] + ways["apart"]
        assert math.isclose(found.log_solutions, math.log(whole))
        shared = (9 * sea + 3 * 25) / whole / 3
        np.testing.assert_allclose(found.probabilities[100, 501], shared, rtol=0, atol=1e-12)
        np.testing.assert_allclose(found.probabilities[0, 0], 9 / whole, rtol=1e-9)
        assert not found.safe
        assert not found.mines


def test_a_region_of_thousands_of_cells(kernel: Kernel) -> None:
    """A strip whose counts leave the range of a double; the exact engine on a shorter part of the
    same kind is the check of the method, here symmetry and totals are."""
    board = hidden_board(3, 4001)
    board[1, 1:-1] = 3
    found = ask(kernel, Position(board, -1, 1.0, "exact"))
    shares = found.probabilities
    assert found.status == kernel.Status.FITS
    np.testing.assert_allclose(shares[0], shares[2], rtol=0, atol=1e-12)
    np.testing.assert_allclose(shares[0], shares[0][::-1], rtol=0, atol=1e-12)
    columns = np.nansum(shares, axis=0)
    np.testing.assert_allclose(columns[2:-4] + columns[3:-3] + columns[4:-2], 3.0, atol=1e-9)


def test_strip_like_the_exact_engine(kernel: Kernel) -> None:
    board = hidden_board(3, 481)
    board[1, 1:-1] = 3
    for mines in (480, 470, 500):
        found = ask(kernel, Position(board, mines, 1.0, "exact"))
        try:
            exact = csp_mines.analyze(board, mines, backend="native:pure")
        except Contradiction:
            assert found.status == kernel.Status.CONTRADICTION
            continue
        np.testing.assert_allclose(found.probabilities, exact.probabilities, rtol=0, atol=1e-12)
        assert (found.safe, found.mines) == (exact.safe, exact.mines)


def test_too_wide_says_how_wide(kernel: Kernel) -> None:
    layout = random_layout(Random(5), 31, 31, 0.3)
    layout[1::2, 1::2] = False
    board = hidden_board(31, 31)
    board[1::2, 1::2] = clues_of(layout)[1::2, 1::2]
    found = kernel.analyze(board, int(layout.sum()), 1.0, kernel.Model.EXACT, 50, inf, None)
    assert found.status == kernel.Status.TOO_WIDE
    assert found.states > 50


@pytest.mark.parametrize(("clues", "shown"), [("cautious", 1), ("optimistic", 0)])
def test_many_noisy_clues_around_one_cell(clues: str, shown: int) -> None:
    """Eight clues around a hidden cell are one constraint, whose weight may be 9^-8. The product
    over all cells is too small for a double."""
    for cells in (30, 42, 43, 60, 150):
        codes = np.full((3, 4 * cells - 1), shown, np.int8)
        codes[1, 1::4] = -1
        for mines in (1, cells // 2, cells - 1):
            analysis = csp_mines.analyze(codes, mines, clues=clues)
            risks = analysis.probabilities[codes == -1]
            assert risks == pytest.approx(np.full(cells, mines / cells), abs=1e-11)
            assert analysis.log_solutions == pytest.approx(log(comb(cells, mines)), abs=1e-9)


@pytest.mark.parametrize("clues", ["cautious", "optimistic"])
def test_a_board_that_is_nearly_open_under_noisy_clues(clues: str) -> None:
    random = np.random.default_rng(8)
    for _ in range(12):
        mines = random.random((30, 30)) < 0.08
        true = SQUARE.count(mines).astype(int)
        chances = random.random((30, 30))
        low = (chances * (true + 1)).astype(int)
        high = true + (chances * (9 - true)).astype(int)
        codes = np.where(mines, -1, high if clues == "cautious" else low).astype(np.int8)
        codes[random.random((30, 30)) < 0.02] = -1
        analysis = csp_mines.analyze(codes, int(mines.sum()), clues=clues)
        assert np.nansum(analysis.probabilities) == pytest.approx(mines.sum())
