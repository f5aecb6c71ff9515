"""The question that engines answer: resolved once, checked once, and answered or refused."""

from fractions import Fraction
from types import MappingProxyType

import numpy as np
import pytest
from csp_mines.solvers.native import Native

from csp_mines import Board, analyze, defaults
from csp_mines.backend import Capability, capability, default_engine, load, offered
from csp_mines.clues import EXACT, clue_model
from csp_mines.errors import BackendUnavailable, BoardError, InputError, UnknownName
from csp_mines.question import ask


def test_arguments_come_before_what_the_board_says() -> None:
    board = Board([[1, -1]], mines=1, clues="silent")
    assert (ask(board).mines, ask(board).density, ask(board).clues.name) == (1, None, "silent")
    assert ask(board, 2).mines == 2
    told = ask(board, density="1/4", clues="optimistic")
    assert (told.mines, told.density) == (None, Fraction(1, 4))
    assert (told.odds, told.clues) == (Fraction(1, 3), clue_model("optimistic"))
    plain = ask(np.array([[1, -1]]))
    assert (plain.mines, plain.density, plain.clues, plain.odds) == (None, None, EXACT, 1)


def test_a_total_may_be_known_and_not_used() -> None:
    question = ask(np.array([[1, -1]]), 1, use_total=False)
    assert (question.mines, question.total) == (1, None)


@pytest.mark.parametrize("mines", [-1, 3, 1.5, True, "1"])
def test_an_impossible_number_of_mines_is_refused(mines: object) -> None:
    for board in (np.array([[1, -1]]), Board([[1, -1]]), [[1, -1]]):
        with pytest.raises(BoardError, match="mines"):
            ask(board, mines)  # type: ignore[arg-type]


def test_what_makes_no_question_is_refused() -> None:
    codes = np.array([[1, -1]])
    with pytest.raises(BoardError, match="not both"):
        ask(codes, 1, density="0.2")
    with pytest.raises(UnknownName):
        ask(codes, clues="wild")
    with pytest.raises(InputError):
        ask(codes, seconds=0)
    for wrong in (np.array([[0.5]]), "board", [[1], [1, 2]], None):
        with pytest.raises(BoardError):
            ask(wrong)  # type: ignore[arg-type]
    for wrong in (np.array([1, 2]), np.zeros((0, 3), int), np.zeros((2, 2, 2), int)):
        with pytest.raises(BoardError, match="rows and columns"):
            analyze(wrong)
        with pytest.raises(BoardError, match="rows and columns"):
            analyze(wrong, backend="pysat")


@pytest.mark.parametrize("kind", ["i1", "i2", "i4", "i8", ">i4", ">i8"])
def test_arrays_of_every_integer_are_read_alike(kind: str) -> None:
    codes = np.array([[1, -1, 1], [-1, -1, -1]])
    expected = analyze(codes, 1)
    found = analyze(codes.astype(kind), 1)
    assert (found.safe, found.mines) == (expected.safe, expected.mines)
    np.testing.assert_array_equal(found.probabilities, expected.probabilities)
    strided = np.repeat(codes.astype(kind), 2, axis=1)[:, ::2]
    np.testing.assert_array_equal(analyze(strided, 1).probabilities, expected.probabilities)
    with pytest.raises(BoardError, match="cell 0,0 has the value 9"):
        analyze(np.array([[9, -1]]).astype(kind), 1)


def test_what_the_kernel_raises_is_raised(monkeypatch: pytest.MonkeyPatch) -> None:
    """A valid board that it refuses is its fault: no other way is tried instead."""

    class Broken:
        Model = MappingProxyType({"EXACT": 0})

        def analyze(self, *_: object) -> None:
            raise ValueError("a fault of the kernel")

    monkeypatch.setattr("csp_mines.solvers.native.compiled.load", Broken)
    for board in (Board([[1, -1]]), np.array([[1, -1]])):
        with pytest.raises(ValueError, match="a fault of the kernel"):
            analyze(board, 1)
    with pytest.raises(BoardError, match="cell 0,0 has the value 9"):
        analyze(np.array([[9, -1]]), 1)


def test_every_engine_answers_questions() -> None:
    question = ask(Board([[1, -1, 1, -1]]), 1)
    for name in ("single", "subtraction", "gauss", "pysat", "cpsat", "native", "native:pure"):
        found = load(name).analyze(question)
        assert found.probabilities[0].tolist()[1::2] == [1.0, 0.0]
        assert found.backend == name.partition(":")[0]


def test_a_capability_says_why_it_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    assert default_engine().name == defaults.BACKEND
    with pytest.raises(BackendUnavailable, match="'gauss'"):
        load("gauss").capability(Capability.GAMES)
    monkeypatch.setattr("csp_mines.solvers.native.compiled.load", lambda: None)
    monkeypatch.setenv("CSP_MINES_KERNEL", "pure")
    with pytest.raises(BackendUnavailable, match="CSP_MINES_KERNEL=pure switches off"):
        Native.capability(Capability.GAMES)
    monkeypatch.delenv("CSP_MINES_KERNEL")
    with pytest.raises(BackendUnavailable, match="not built here"):
        capability(Capability.SAMPLING)


def test_what_is_offered_is_the_capability() -> None:
    for what in Capability:
        found = offered(what)
        if found is not None:
            assert found is capability(what)
