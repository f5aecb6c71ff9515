"""The names of the player to win, and what it says where it cannot play. Its play is tested in
tests/native, since it is compiled."""

from __future__ import annotations

import numpy as np
import pytest

from csp_mines.analysis.winning import STRENGTHS, best_move, strength, win_chance
from csp_mines.errors import BackendUnavailable, UnknownName
from csp_mines.games.agents import agent


def test_strengths_by_name() -> None:
    assert strength("win") == STRENGTHS[""]
    assert strength("win:fast") == STRENGTHS["fast"]
    assert strength("win:strong,-closed") == STRENGTHS["strong"] | {"closed": False}
    assert strength("win:-next-step") == {"next_step": False}
    for wrong in ("win:slow", "win:-slow", "lose", "win:-closed,fast", "win:,"):
        with pytest.raises(UnknownName):
            strength(wrong)
    assert agent("win:-influence").policy == "win:-influence"
    assert agent("pysat+win:fast").stages == ("single", "pysat")
    with pytest.raises(UnknownName):
        agent("win:slow")


def test_without_a_kernel_it_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("csp_mines.solvers.native.compiled.load", lambda: None)
    for ask in (best_move, win_chance):
        with pytest.raises(BackendUnavailable, match="playing to win needs the compiled kernel, "):
            ask(np.array([[-1, -1]]), 1)
