"""Arrays of boards: the numbers of `analyze`, bit for bit, and a status for every board."""

from __future__ import annotations

import os
import pickle
import signal
import threading

import numpy as np
import numpy.typing as npt
import pytest

import csp_mines
from csp_mines import (
    Batch,
    BoardError,
    Contradiction,
    InputError,
    Status,
    TooWide,
    analyze,
    analyze_batch,
    analyze_many,
)
from csp_mines.backend import Capability, load, offered
from csp_mines.errors import EngineFault, OutOfTime
from csp_mines.names import CLUE_MODEL_NAMES
from tests.native.positions import stored_positions

COMPILED = offered(Capability.BOARDS) is not None
SIDE = 25 if COMPILED else 15
LATTICE = np.full((1, SIDE, SIDE), -1, np.int8)
LATTICE[0, ::2, ::2] = 2


def random_boards(count: int, seed: int = 0) -> npt.NDArray[np.int8]:
    """Half-opened boards; in some of them one clue is wrong, some have marks."""
    numbers = np.random.default_rng(seed)
    boards = []
    for _ in range(count):
        layout = csp_mines.Layout(numbers.random((6, 7)) < 0.2)
        codes = np.where(~layout.mines & (numbers.random((6, 7)) < 0.6), layout.numbers, -1).astype(
            np.int8
        )
        codes[layout.mines & (numbers.random((6, 7)) < 0.2)] = -2
        codes[~layout.mines & (numbers.random((6, 7)) < 0.05)] = -4
        if numbers.random() < 0.2:
            row, col = numbers.integers(6), numbers.integers(7)
            codes[row, col] = numbers.integers(9)
        boards.append(codes)
    return np.array(boards)


def require_same(batch: Batch, boards: npt.NDArray[np.int8], **question: object) -> None:
    """Each row of the batch is what `analyze` says about the board."""
    mines = question.pop("mines", None)
    for number, board in enumerate(boards):
        total = mines[number] if isinstance(mines, list) else mines
        try:
            found = analyze(board, total, **question)
        except (Contradiction, TooWide) as error:
            status = Status.CONTRADICTION if isinstance(error, Contradiction) else Status.TOO_WIDE
            require_nothing(batch, number, status)
            continue
        np.testing.assert_array_equal(batch.probabilities[number], found.probabilities)
        np.testing.assert_array_equal(batch.safe[number], found.safe_mask)
        np.testing.assert_array_equal(batch.mines[number], found.mine_mask)
        choice = found.choice
        assert tuple(batch.moves[number]) == ((-1, -1) if choice is None else choice.cell)
        assert batch.statuses[number] is found.status
        assert batch.log_solutions[number] == found.log_solutions
        assert batch.errors[number] == found.error


def require_nothing(batch: Batch, number: int, status: Status) -> None:
    assert batch.statuses[number] is status
    assert np.isnan(batch.probabilities[number]).all()
    assert not batch.safe[number].any()
    assert not batch.mines[number].any()
    assert batch.moves[number].tolist() == [-1, -1]
    assert np.isnan([batch.log_solutions[number], batch.errors[number]]).all()
    assert batch.states[number] == -1


@pytest.mark.parametrize("clues", CLUE_MODEL_NAMES)
@pytest.mark.parametrize("prior", [{}, {"mines": 9}, {"density": "0.2"}])
def test_rows_are_analyses(clues: str, prior: dict[str, object]) -> None:
    boards = random_boards(40 if COMPILED else 6)
    for threads in (1, 3):
        batch = analyze_batch(boards, clues=clues, threads=threads, **prior)
        require_same(batch, boards, clues=clues, **prior)
    if clues == "exact":
        assert batch.having("contradiction").any()
        assert batch.having(Status.PROGRESS).any()


class OutOfPatience(OutOfTime):
    """What an engine of another package may raise: a more special error."""


def test_an_engine_without_batches_answers_board_by_board(monkeypatch: pytest.MonkeyPatch) -> None:
    pure = load("native:pure")
    monkeypatch.setattr("csp_mines.analysis.batch.default_engine", lambda: pure)
    boards = np.array([[[-1, 1, -1]], [[-1, 2, -5]], [[-1, 1, -5]]], np.int8)
    batch = analyze_batch(boards)
    assert batch.statuses == [Status.GUESS, Status.CONTRADICTION, Status.PROGRESS]
    assert batch.mines[2].tolist() == [[True, False, False]]

    def too_late(_: object) -> None:
        raise OutOfPatience(1.0, "native:pure")

    monkeypatch.setattr(pure, "analyze", too_late)
    assert analyze_batch(boards).statuses == 3 * [Status.OUT_OF_TIME]

    def fail(_: object) -> None:
        raise EngineFault("wrong sum")

    monkeypatch.setattr(pure, "analyze", fail)
    with pytest.raises(EngineFault, match="board 0: wrong sum"):
        analyze_batch(boards)


@pytest.mark.parametrize("name", ["expert-guess", "intermediate-guess", "dense-30x30-300"])
def test_positions_of_games(name: str) -> None:
    some = stored_positions(name, 20 if COMPILED else 2)
    boards, mines = np.array([board for board, _ in some]), [total for _, total in some]
    require_same(analyze_batch(boards, mines), boards, mines=mines)
    numbers = np.array(mines, np.uint16)
    assert (
        analyze_batch(boards, numbers).status.tolist()
        == analyze_batch(boards, mines).status.tolist()
    )


def test_too_wide_and_out_of_time_are_statuses() -> None:
    lattice = np.repeat(LATTICE, 3, axis=0)
    lattice[1] = 0
    for threads in (1, 2):
        batch = analyze_batch(lattice, max_states=1000, threads=threads)
        assert batch.statuses == [Status.TOO_WIDE, Status.SOLVED, Status.TOO_WIDE]
        require_nothing(batch, 0, Status.TOO_WIDE)
        batch = analyze_batch(lattice, seconds=1e-6, threads=threads)
        assert batch.statuses == [Status.OUT_OF_TIME, Status.SOLVED, Status.OUT_OF_TIME]


def test_threads_share_the_limit_but_no_board_is_lost_by_that() -> None:
    board = stored_positions("expert-guess", 1)[0][0]
    alone = analyze_batch(board[None])
    for most in range(1, 3000, 400):
        single = analyze_batch(board[None], max_states=most).statuses
        several = analyze_batch(np.array([board] * 4), max_states=most, threads=4).statuses
        assert several == single * 4
    assert alone.statuses[0] is not Status.TOO_WIDE


@pytest.mark.parametrize("kind", ["i1", "i2", "i4", "i8", ">i4"])
def test_every_integer_type_and_layout_is_read(kind: str) -> None:
    boards = random_boards(6)
    true = analyze_batch(boards)
    wider = np.zeros((12, 6, 9), kind)
    wider[::2, :, 1:8] = boards
    for given in (boards.astype(kind), np.asfortranarray(boards.astype(kind)), wider[::2, :, 1:8]):
        np.testing.assert_array_equal(analyze_batch(given).probabilities, true.probabilities)
    turned = analyze_batch(boards.astype(kind).transpose(0, 2, 1))
    np.testing.assert_allclose(
        turned.probabilities.transpose(0, 2, 1), true.probabilities, rtol=0, atol=1e-12
    )
    assert turned.status.tolist() == true.status.tolist()
    opened = np.array([[[0, 0]], [[1, 1]]], np.uint8)
    assert analyze_batch(opened).statuses == [Status.SOLVED, Status.CONTRADICTION]


def test_memory_is_used_again() -> None:
    boards = random_boards(5)
    out = Batch.empty(5, 6, 7)
    batch = analyze_batch(boards, out=out)
    assert batch is out
    require_same(out, boards)
    assert repr(analyze_batch(np.array([[[1, -1]], [[2, -1]]]))) == (
        "<Batch of 2 boards: 1 progress, 1 contradiction>"
    )
    nothing = analyze_batch(np.zeros((0, 3, 4), np.int8))
    assert len(nothing) == 0
    assert nothing.probabilities.shape == (0, 3, 4)
    assert repr(nothing) == "<Batch of 0 boards>"


def changed(**fields: object) -> Batch:
    batch = Batch.empty(2, 1, 2)
    return Batch(**{**{name: getattr(batch, name) for name in Batch.__match_args__}, **fields})


@pytest.mark.parametrize(
    ("out", "message"),
    [
        (np.empty((2, 1, 2)), "out must be a Batch"),
        (Batch.empty(3, 1, 2), r"out.probabilities must have type float64 and shape \(2, 1, 2\)"),
        (changed(moves=np.empty((2, 2))), "out.moves must have type int32"),
        (changed(safe=np.empty((2, 1, 4), bool)[:, :, ::2]), "out.safe must be writeable and cont"),
        (changed(status=[0, 0]), "out.status must be a numpy array"),
    ],
)
def test_a_wrong_out(out: object, message: str) -> None:
    with pytest.raises(InputError, match=message):
        analyze_batch(np.array([[[1, -1]], [[2, -1]]], np.int8), out=out)


def test_out_may_not_be_the_boards() -> None:
    boards = np.array([[[1, -1]], [[1, -1]]], np.int8)
    with pytest.raises(InputError, match="must not share memory with the boards"):
        analyze_batch(boards, out=changed(safe=boards.view(bool)))


@pytest.mark.parametrize(
    ("boards", "message"),
    [
        ([np.zeros((2, 2), int), np.zeros((2, 3), int)], "differ in size; give boards of one size"),
        (np.zeros((2, 2), int), r"\(boards, rows, columns\), not shape \(2, 2\)"),
        (np.zeros((2, 2, 2)), "not an array of float64"),
        (np.zeros((2, 2, 2), bool), "not an array of bool"),
        (np.zeros((2, 0, 2), int), "must have 1 to 16,000,000 cells, not 0"),
        ("??", r"\(boards, rows, columns\), not '\?\?'"),
        (None, "not None"),
    ],
)
def test_what_is_no_array_of_boards(boards: object, message: str) -> None:
    with pytest.raises(BoardError, match=message):
        analyze_batch(boards)


def test_a_wrong_value_and_a_wrong_total_name_the_board() -> None:
    boards = np.full((3, 2, 2), -1)
    boards[1, 1, 0] = 9
    with pytest.raises(BoardError, match="cell 1,0 has the value 9") as caught:
        analyze_batch(boards)
    assert str(caught.value).startswith("board 1: ")
    with pytest.raises(BoardError, match="0 to 4 mines, not 5") as caught:
        analyze_batch(np.full((3, 2, 2), -1), [1, 2, 5])
    assert str(caught.value).startswith("board 2: ")
    with pytest.raises(InputError, match="3 boards and 2 numbers of mines were given"):
        analyze_batch(np.full((3, 2, 2), -1), [1, 2])
    with pytest.raises(BoardError, match="not both"):
        analyze_batch(np.full((3, 2, 2), -1), 1, density=0.5)


def test_analyses_of_many_boards_are_rows_of_a_batch() -> None:
    boards = [board for board in random_boards(30) if analyze_batch(board[None]).status[0] < 3]
    boards += [board[:4] for board in boards[:5] if analyze_batch(board[None, :4]).status[0] < 3]
    for found, board in zip(analyze_many(boards, workers=2), boards, strict=True):
        alone = analyze(board)
        np.testing.assert_array_equal(found.probabilities, alone.probabilities)
        assert (found.safe, found.mines) == (alone.safe, alone.mines)
        assert (found.status, found.choice, found.error) == (
            alone.status,
            alone.choice,
            alone.error,
        )
        assert found.log_solutions == alone.log_solutions
        assert (found.board, found.move) == (alone.board, alone.move)
        assert found.effort == alone.effort


@pytest.mark.skipif(not COMPILED, reason="the pure engine is interrupted like all Python code")
@pytest.mark.parametrize("threads", [1, 2])
def test_ctrl_c_is_heard(threads: int) -> None:
    boards = np.repeat(random_boards(1), 1_500_000, axis=0)
    timer = threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        analyze_batch(boards, threads=threads)
    timer.join()


def test_a_pickled_error_keeps_the_number_of_its_board() -> None:
    boards = [np.array([[-1, 1, -1]], np.int8), np.array([[-1, 9, -1]], np.int8)]
    with pytest.raises(BoardError, match=r"^board 1: ") as caught:
        analyze_many(boards)
    copied = pickle.loads(pickle.dumps(caught.value))
    assert (type(copied), str(copied)) == (type(caught.value), str(caught.value))
