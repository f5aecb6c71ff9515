"""Engines side by side: what each proves, and its share of what is certain."""

from __future__ import annotations

from dataclasses import replace
from random import Random

import pytest

from csp_mines import (
    Board,
    Constraint,
    Contradiction,
    InputError,
    Problem,
    UnknownName,
    __version__,
    analyze,
    compare,
)
from csp_mines.analysis.comparison import summed_up
from csp_mines.backend import Backend, Deduction, backend_class, load
from tests.oracle import truth
from tests.strategies import dense_board

CORNER = Board.parse("mines: 3\n????\n113?\n001?\n001?")


def test_shares_are_of_what_is_certain() -> None:
    """Which a brute force knows."""
    random = Random(3)
    compared = 0
    for _ in range(40):
        board = dense_board(random, least=2, most=3, blank=0.2)
        try:
            found = compare(board, ["single", "subtraction", "native"])
        except Contradiction:
            continue
        safe, mines = truth(board).safe, truth(board).mines
        assert (found.entries[-1].safe, found.entries[-1].mines) == (safe, mines)
        for entry in found.entries:
            assert entry.safe <= safe
            assert entry.mines <= mines
            proved, certain = len(entry.safe | entry.mines), len(safe | mines)
            assert entry.share == (proved / certain if certain else None)
        compared += 1
    assert compared > 20


def test_without_a_complete_engine_nobody_knows_a_share() -> None:
    found = compare(CORNER, ["single", "subtraction"])
    assert [entry.share for entry in found.entries] == [None, None]


def test_an_answer_that_differs_is_not_whole() -> None:
    """Although it has as many cells as are certain."""
    found = compare(CORNER, ["native", "single"])
    native, single = found.entries
    floats = replace(native, floating_point=True, differs=True)
    told = summed_up([replace(found, entries=(native, floats, single))])
    assert [tally.whole for tally in told.tallies] == [1, 0, 0]


def test_arrays_are_boards() -> None:
    names = ["single", "native"]
    by_array = compare(CORNER.codes, names, mines=3).entries
    assert [entry.safe for entry in by_array] == [
        entry.safe for entry in compare(CORNER, names).entries
    ]


def test_nobody_runs_twice() -> None:
    with pytest.raises(InputError, match="backend 'single' is named twice"):
        compare(CORNER, ["single", "single"])


def test_progress_begins_with_the_first_complete_answer() -> None:
    shown: list[list[str]] = []
    found = compare(
        CORNER,
        ["single", "subtraction", "native", "gauss"],
        progress=lambda part: shown.append([entry.backend for entry in part.entries]),
    )
    assert shown == [
        ["single", "subtraction", "native"],
        ["single", "subtraction", "native", "gauss"],
    ]
    assert [entry.backend for entry in found.entries] == shown[-1]
    with pytest.raises(InputError, match="progress"):
        compare(CORNER, ["native"], progress="loud")  # type: ignore[arg-type]


def test_an_engine_that_does_not_keep_time_gets_a_process_of_its_own(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Only if there is a limit: otherwise it works where it is asked."""
    engine = backend_class("single")
    assert type(load("single", seconds=5)) is engine
    monkeypatch.setattr(engine, "keeps_time", False)
    assert type(load("single")) is engine
    limited = load("single", seconds=5)
    assert type(limited) is not engine
    assert (limited.name, limited.complete, limited.version()) == ("single", False, __version__)
    problem = Problem((Constraint((0, 1), 2, 2),))
    assert limited.deduce(problem) == load("single").deduce(problem)


def test_an_analysis_without_the_total_is_compared_without_it() -> None:
    board = Board([[-1, 1, -1, 1, -1]], mines=1)
    compared = compare(analyze(board, use_total=False), ["native"])
    assert (compared.use_total, compared.certain) == (False, 0)
    compared = compare(analyze(board), ["native"])
    assert (compared.use_total, compared.certain) == (True, 3)


def test_a_wrong_name_is_refused_before_any_engine_works(monkeypatch: pytest.MonkeyPatch) -> None:
    def works(engine: Backend, problem: Problem) -> Deduction:
        raise AssertionError("an engine works although another name is wrong")

    monkeypatch.setattr(type(load("single")), "deduce", works)
    with pytest.raises(UnknownName, match="nativ"):
        compare([[-1, 1, -1]], ["single", "nativ"])


def test_an_engine_in_floats_is_not_summed_up_as_complete() -> None:
    summary = summed_up([compare([[-1, 1, -1]], ["highs", "native"])])
    assert [tally.complete for tally in summary.tallies] == [False, True]
