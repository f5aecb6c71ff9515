"""Every declared engine that is installed keeps every promise of the suite (`csp_mines.testing`),
also those of other packages."""

from __future__ import annotations

import pytest
from hypothesis import given, settings

from csp_mines.analysis.analyze import analyze
from csp_mines.backend import Backend, RegionCount, backend_class, backend_names
from csp_mines.board import Board
from csp_mines.constraints import Region
from csp_mines.errors import Contradiction, Unsupported
from csp_mines.testing.engines import find_engine
from csp_mines.testing.suite import PROMISES, Promise, Sample
from tests import oracle, strategies

SAMPLES = {"ganak": Sample(problems=5)}  # a call takes milliseconds however small the question
NAMES = [name for name in backend_names() if backend_class(name).missing() is None]
COUNTING = [name for name in NAMES if backend_class(name).counts]
PROVING = [name for name in NAMES if not backend_class(name).floating_point]
# Only `native` may use the kernel.
CASES = [name if name == "native" else pytest.param(name, marks=pytest.mark.once) for name in NAMES]


@pytest.mark.parametrize("promise", PROMISES, ids=[promise.name for promise in PROMISES])
@pytest.mark.parametrize("name", CASES)
def test_promises_are_kept(name: str, promise: Promise) -> None:
    breach = promise.check(find_engine(name), SAMPLES.get(name, Sample(problems=20)))
    assert breach is None, str(breach)


@pytest.mark.parametrize("name", COUNTING)
def test_analyses_boards_like_brute_force(name: str) -> None:
    @settings(max_examples=max(1, settings().max_examples // (6 if name == "ganak" else 2)))
    @given(strategies.boards)
    def check(board: Board) -> None:
        truth = oracle.truth(board)
        if not truth.layouts:
            with pytest.raises(Contradiction):
                analyze(board, backend=name)
            return
        found = analyze(board, backend=name)
        assert (found.safe, found.mines) == (truth.safe, truth.mines)
        assert found.solutions == len(truth.layouts)
        for cell in truth.hidden:
            assert found.probability(cell) == truth.probability(cell)

    check()


@pytest.mark.parametrize("name", [name for name in PROVING if name != "native"])
def test_nothing_is_counted_for_deductions_alone(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nor promised: an engine that can only count says so."""

    def count(engine: Backend, region: Region) -> RegionCount:
        raise AssertionError("this counts")

    board = Board.parse("mines: 3\n1???\n12??\n??1?")
    with_counting = analyze(board, backend=name)
    for counter in COUNTING:
        monkeypatch.setattr(backend_class(counter), "count", count)
    if backend_class(name).only_counts:
        with pytest.raises(Unsupported, match=f"'{name}' can only count"):
            analyze(board, backend=name, counting=False)
        return
    found = analyze(board, backend=name, counting=False)
    assert (found.safe, found.mines) == (with_counting.safe, with_counting.mines)
    assert found.to_json(counting=False)["probabilities"] is None
