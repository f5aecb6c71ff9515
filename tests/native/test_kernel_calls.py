"""Calling the kernel: what it takes and refuses, memory, batches, and who serves."""

from __future__ import annotations

import gc
from array import array
from math import inf
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt
import pytest
from csp_mines.solvers.native import compiled

import csp_mines
from csp_mines.analysis.by_kernel import KernelAnalysis
from csp_mines.errors import BackendUnavailable, BoardError, Contradiction, TooWide, UnknownName
from tests.native.positions import clues_of, random_layout, stored_positions

if TYPE_CHECKING:
    from csp_mines.kernel import Kernel

DATA = Path(__file__).parents[1] / "data"
EXAMPLE = np.array([[-1, -1, -1, -1], [1, 1, 3, -1], [0, 0, 1, -1], [0, 0, 1, -1]])
SAFE = frozenset({(0, 0), (0, 2), (1, 3), (3, 3)})


@pytest.mark.parametrize("dtype", ["i1", "i2", "i4", "i8"])
def test_signed_integers_of_every_width(kernel: Kernel, dtype: str) -> None:
    found = kernel.analyze(EXAMPLE.astype(dtype), -1, 1.0, kernel.Model.EXACT, 1000, inf, None)
    assert found.safe == SAFE


@pytest.mark.parametrize("dtype", ["u1", "u2", "u4", "u8"])
def test_unsigned_integers_hold_no_hidden_cell(kernel: Kernel, dtype: str) -> None:
    board = np.zeros((3, 3), dtype=dtype)
    assert np.isnan(
        kernel.analyze(board, -1, 1.0, kernel.Model.EXACT, 1000, inf, None).probabilities
    ).all()
    board[1, 2] = np.iinfo(dtype).max
    with pytest.raises(ValueError, match=r"cell 1,2 holds \d+: expected -5 to 8"):
        kernel.analyze(board, -1, 1.0, kernel.Model.EXACT, 1000, inf, None)


@pytest.mark.parametrize("dtype", ["i1", "i2", "i4", "i8"])
@pytest.mark.parametrize("value", [-6, 9, 11, 12, 100, -128, 127])
def test_values_that_are_no_codes(kernel: Kernel, dtype: str, value: int) -> None:
    board = np.zeros((4, 20), dtype=dtype)
    board[2, 17] = value
    with pytest.raises(ValueError, match=f"cell 2,17 holds {value}: expected -5 to 8"):
        kernel.analyze(board, -1, 1.0, kernel.Model.EXACT, 1000, inf, None)


def test_views_are_read_where_they_lie(kernel: Kernel) -> None:
    wide = np.full((9, 8), 77)
    wide[1::2, ::2] = EXAMPLE
    for view in (wide[1::2, ::2], np.asfortranarray(EXAMPLE), EXAMPLE[::-1, ::-1][::-1, ::-1]):
        assert kernel.analyze(view, -1, 1.0, kernel.Model.EXACT, 1000, inf, None).safe == SAFE


def test_other_buffers(kernel: Kernel) -> None:
    flat = array("h", EXAMPLE.ravel().tolist())
    view = memoryview(flat).cast("B").cast("h", [4, 4])
    assert kernel.analyze(view, -1, 1.0, kernel.Model.EXACT, 1000, inf, None).safe == SAFE


@pytest.mark.parametrize(
    "board",
    [
        None,
        "?1?",
        7,
        [[-1, 1]],
        EXAMPLE.astype(float),
        EXAMPLE.astype(bool),
        EXAMPLE.astype(object),
        EXAMPLE.astype(complex),
        EXAMPLE.astype(">i4"),
        np.zeros((2, 2), dtype="M8[s]"),
        memoryview(array("d", [1.0])),
    ],
    ids=lambda board: type(board).__name__,
)
def test_what_is_no_array_of_integers(kernel: Kernel, board: object) -> None:
    with pytest.raises(TypeError, match="a board must be an array of integers"):
        kernel.analyze(board, -1, 1.0, kernel.Model.EXACT, 1000, inf, None)


@pytest.mark.parametrize("shape", [(), (4,), (2, 2, 2)])
def test_other_than_two_dimensions(kernel: Kernel, shape: tuple[int, ...]) -> None:
    with pytest.raises(ValueError, match="2 dimensions"):
        kernel.analyze(np.zeros(shape, dtype=int), -1, 1.0, kernel.Model.EXACT, 1000, inf, None)


@pytest.mark.parametrize("shape", [(0, 0), (0, 5), (5, 0)])
def test_empty_boards(kernel: Kernel, shape: tuple[int, int]) -> None:
    with pytest.raises(ValueError, match="must have cells"):
        kernel.analyze(np.full(shape, -1), 0, 1.0, kernel.Model.EXACT, 1000, inf, None)


@pytest.mark.parametrize("shape", [(1, 1), (1, 9), (9, 1)])
def test_thin_boards(kernel: Kernel, shape: tuple[int, int]) -> None:
    found = kernel.analyze(np.full(shape, -1), 0, 1.0, kernel.Model.EXACT, 1000, inf, None)
    assert found.probabilities.shape == shape
    assert len(found.safe) == shape[0] * shape[1]


@pytest.mark.parametrize("odds", [0.0, -1.0, np.nan, np.inf])
def test_priors_that_make_no_sense(kernel: Kernel, odds: float) -> None:
    with pytest.raises(ValueError, match="must be"):
        kernel.analyze(EXAMPLE, -1, odds, kernel.Model.EXACT, 1000, inf, None)


@pytest.mark.parametrize("model", [3, -1, "exact", None])
def test_models_that_are_none(kernel: Kernel, model: object) -> None:
    with pytest.raises(TypeError, match="incompatible"):
        kernel.analyze(EXAMPLE, -1, 1.0, model, 1000, inf, None)  # type: ignore[arg-type]


def test_garbage_never_crashes(kernel: Kernel) -> None:
    random = np.random.default_rng(4)
    outcomes = set()
    for _ in range(1500):
        shape = random.integers(1, 9, size=2)
        codes: npt.NDArray[np.int8] = random.integers(-4, random.choice([1, 3, 9]), shape, np.int8)
        codes[random.random(codes.shape) < random.choice([0, 0.5, 0.9])] = -1
        total = int(random.integers(-1, 30))
        model = kernel.Model(int(random.integers(3)))
        outcomes.add(kernel.analyze(codes, total, 0.5, model, 20_000, inf, None).status)
    assert {0, 1} <= outcomes


def test_results_are_read_only_and_outlive_the_board(kernel: Kernel) -> None:
    board = EXAMPLE.copy()
    found = csp_mines.analyze(board, 3)
    board[:] = 0
    gc.collect()
    assert found.probabilities[0, 2] == 0.0
    assert not found.probabilities.flags.writeable
    assert found.board[0, 0] == -1
    assert found.probability((0, 2)) == 0
    assert found.solutions == round(np.exp(found.log_solutions))


def test_analyze_raises_the_same_errors(kernel: Kernel) -> None:
    with pytest.raises(Contradiction) as caught:
        csp_mines.analyze(np.array([[3, -1], [-1, 0]]), 1)
    assert caught.value.conflict is not None
    with pytest.raises(BoardError):
        csp_mines.analyze(np.array([[9, -1]]), 1)
    with pytest.raises(BoardError):
        csp_mines.analyze(EXAMPLE, 17)
    with pytest.raises(BoardError):
        csp_mines.analyze(EXAMPLE, -1)
    with pytest.raises(BoardError):
        csp_mines.analyze(EXAMPLE, 3, density=0.2)
    wide = np.full((31, 31), -1)
    layout = random_layout(Random(5), 31, 31, 0.3)
    layout[1::2, 1::2] = False
    wide[1::2, 1::2] = clues_of(layout)[1::2, 1::2]
    with pytest.raises(TooWide):
        csp_mines.analyze(wide, int(layout.sum()), max_states=50)


def test_memory_changes_nothing_but_the_work(kernel: Kernel) -> None:
    memory = csp_mines.Memory()
    boards = stored_positions("dense-30x30-300", 6) + stored_positions("lattice", 4)
    for _ in range(2):
        for board, mines in boards:
            fresh = csp_mines.analyze(board, mines)
            known = csp_mines.analyze(board, mines, memory=memory)
            np.testing.assert_array_equal(known.probabilities, fresh.probabilities)
            assert (known.safe, known.mines) == (fresh.safe, fresh.mines)
    assert len(memory) > 0


def test_memory_tells_similar_regions_apart(kernel: Kernel) -> None:
    """The same boxes, of one cell each, of two, of both sizes, and with other clues."""
    memory = csp_mines.Memory()
    clues, below = "?1" * 24 + "?", "?C" * 24 + "?"
    rows = [
        [clues],
        [clues, below],
        [clues, below[:25] + "C" * 24],
        [clues.replace("1", "2"), below],
    ]
    solutions = []
    for board in (csp_mines.Board.parse("\n".join(each)) for each in rows):
        fresh = csp_mines.analyze(board)
        known = csp_mines.analyze(board, memory=memory)
        np.testing.assert_array_equal(known.probabilities, fresh.probabilities)
        assert known.solutions == fresh.solutions
        solutions.append(known.solutions)
    assert solutions == [2, 2**12 + 2**13, 2**6 + 2**7, 2 + 2**25]
    assert len(memory) == 4


def test_memory_counts_no_region_twice(kernel: Kernel) -> None:
    memory = kernel.Memory(1 << 26)
    board, mines = stored_positions("lattice", 1)[0]
    first = kernel.analyze(board, mines, 1.0, kernel.Model.EXACT, 100_000, inf, memory)
    again = kernel.analyze(board, mines, 1.0, kernel.Model.EXACT, 100_000, inf, memory)
    assert (memory.misses, memory.hits) == (1, 1)
    assert first.states > 0
    assert again.states == 0


def test_memory_is_bounded(kernel: Kernel) -> None:
    small = kernel.Memory(1)
    for board, mines in stored_positions("lattice", 4) * 20:
        kernel.analyze(board, mines, 1.0, kernel.Model.EXACT, 100_000, inf, small)
    assert len(small) <= 16


@pytest.mark.parametrize("workers", [1, 3, None])
def test_many_boards_at_once(kernel: Kernel, workers: int | None) -> None:
    boards = stored_positions("expert-guess", 20) + stored_positions("intermediate-guess", 20)
    found = csp_mines.analyze_many(
        [board for board, _ in boards], [mines for _, mines in boards], workers=workers
    )
    for (board, mines), together in zip(boards, found, strict=True):
        alone = csp_mines.analyze(board, mines)
        np.testing.assert_array_equal(together.probabilities, alone.probabilities)
        assert (together.safe, together.mines) == (alone.safe, alone.mines)


def test_many_boards_raise_like_one(kernel: Kernel) -> None:
    with pytest.raises(Contradiction):
        csp_mines.analyze_many([EXAMPLE, np.array([[3, -1], [-1, 0]])])
    with pytest.raises(BoardError):
        csp_mines.analyze_many([EXAMPLE, np.array([[9, -1]])])
    with pytest.raises(ValueError, match="2 boards and 1 number of mines were given"):
        csp_mines.analyze_many([EXAMPLE, EXAMPLE], [4])
    assert csp_mines.analyze_many([]) == []


class TestWhoServes:
    @pytest.fixture(autouse=True)
    def _fresh(self, monkeypatch: pytest.MonkeyPatch) -> object:
        compiled.load.cache_clear()
        yield
        monkeypatch.undo()
        compiled.load.cache_clear()

    def test_pure(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv(compiled.VARIABLE, "pure")
        assert compiled.load() is None

    def test_compiled_but_missing(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv(compiled.VARIABLE, "compiled")
        monkeypatch.setitem(__import__("sys").modules, "csp_mines.solvers.native._kernel", None)
        with pytest.raises(BackendUnavailable, match="the kernel cannot be imported"):
            compiled.load()

    def test_missing(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.delenv(compiled.VARIABLE, raising=False)
        monkeypatch.setitem(__import__("sys").modules, "csp_mines.solvers.native._kernel", None)
        assert compiled.load() is None

    def test_another_word(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv(compiled.VARIABLE, "fast")
        with pytest.raises(UnknownName):
            compiled.load()


def test_boards_and_lists_are_analysed_by_the_kernel_too() -> None:
    """Each with its own prior; different priors or clue models go one by one."""
    lists, known = EXAMPLE.tolist(), csp_mines.Board(EXAMPLE, mines=3)
    assert isinstance(csp_mines.analyze(lists), KernelAnalysis)
    dense = csp_mines.Board(EXAMPLE, density="0.25")
    noisy = csp_mines.Board(EXAMPLE, clues="cautious")
    for boards in ([EXAMPLE, lists, known], [dense, dense], [EXAMPLE, dense, noisy]):
        for workers in (1, 2):
            many = csp_mines.analyze_many(boards * 3, workers=workers)
            for board, found in zip(boards * 3, many, strict=True):
                alone = csp_mines.analyze(board)
                assert isinstance(found, KernelAnalysis)
                np.testing.assert_array_equal(found.probabilities, alone.probabilities)
                assert found.board == alone.board
                assert found.move == alone.move
                assert found.solutions == alone.solutions


def test_a_board_among_many_that_makes_trouble_is_named() -> None:
    for wrong in ([[9]], [[0.5]], "??"):
        with pytest.raises(BoardError) as caught:
            csp_mines.analyze_many([EXAMPLE, wrong], workers=2)
        assert str(caught.value).startswith("board 1: ")
