"""Compiled games against the Python reference: same layouts, same moves, same records."""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING

import pytest

from csp_mines.analysis.move import ALIKE
from csp_mines.errors import BoardError
from csp_mines.games.agents import agent
from csp_mines.games.compiled import compiled_moves, is_compiled, play_games
from csp_mines.games.game import LEVELS, Game, RuleName, Rules, Spec, Start
from csp_mines.games.playing import Record, Step, play

if TYPE_CHECKING:
    from csp_mines.kernel import Kernel

pytestmark = pytest.mark.usefixtures("kernel")

Moves = list[tuple[str, tuple[int, int]]]


def reference(
    spec: Spec, rules: Rules, name: str, seed: int, first: tuple[int, int] | None = None
) -> tuple[Record, Moves]:
    steps: list[Step] = []
    game = Game(spec, rules, seed, first=first)
    record = play(game, agent(name), seed, watch=steps.append)
    return record, [(step.kind, step.cell) for step in steps]


def compiled(
    spec: Spec, rules: Rules, name: str, seeds: range, first: tuple[int, int] | None = None
) -> list[tuple[Record, Moves]]:
    records = play_games(spec, rules, agent(name), seeds, first=first)
    moves = compiled_moves(spec, rules, agent(name), seeds, first=first)
    return [
        (record, [(kind, cell) for kind, cell, _, _ in game])
        for record, game in zip(records, moves, strict=True)
        if record is not None
    ]


@pytest.mark.parametrize(
    ("rules", "start", "flood", "told"),
    list(product(list(RuleName), list(Start), [True, False], [True, False])),
)
def test_every_rule_gives_the_moves_of_the_reference(
    rules: str, start: str, flood: bool, told: bool
) -> None:
    spec, seeds = Spec(9, 11, 16), range(12)
    how = Rules(rules=rules, start=start, flood=flood, told_total=told)
    found = compiled(spec, how, "exact", seeds)
    assert found == [reference(spec, how, "exact", seed) for seed in seeds]


@pytest.mark.parametrize(
    ("level", "start", "games"),
    [("beginner", "safe", 1000), ("intermediate", "zero", 150), ("expert", "safe", 60)],
)
def test_the_levels_give_the_records_of_the_reference(level: str, start: str, games: int) -> None:
    how, player = Rules(start=start), agent("exact")
    found = play_games(LEVELS[level], how, player, range(games))
    for seed, record in enumerate(found):
        alone = play(Game(LEVELS[level], how, seed), player, seed)
        assert record is not None
        assert record == alone, seed


@pytest.mark.parametrize("first", [(0, 0), (4, 5), (8, 10), (3, 0)])
@pytest.mark.parametrize("start", ["safe", "zero", "any"])
def test_the_first_cell_may_be_chosen(start: str, first: tuple[int, int]) -> None:
    spec, how = Spec(9, 11, 16), Rules(start=start)
    found = compiled(spec, how, "exact", range(10), first)
    assert found == [reference(spec, how, "exact", seed, first) for seed in range(10)]


@pytest.mark.parametrize("name", ["win", "win:fast", "win:strong", "win:-influence,-closed"])
def test_the_player_to_win_moves_alike_in_both(name: str) -> None:
    for spec, start, games in (
        (LEVELS["beginner"], "safe", 60),
        (LEVELS["beginner"], "any", 20),
        (LEVELS["expert"], "zero", 12),
    ):
        how, seeds = Rules(start=start), range(games // 6 if name == "win:strong" else games)
        found = compiled(spec, how, name, seeds)
        assert found == [reference(spec, how, name, seed) for seed in seeds]


def test_wide_floods_open_in_the_same_order() -> None:
    spec, how = Spec(90, 90, 30), Rules(start="zero")
    found = compiled(spec, how, "exact", range(3), (45, 45))
    assert found == [reference(spec, how, "exact", seed, (45, 45)) for seed in range(3)]


@pytest.mark.parametrize("spec", [Spec(1, 1, 0), Spec(1, 9, 3), Spec(7, 1, 6), Spec(3, 3, 8)])
def test_odd_sizes(spec: Spec) -> None:
    for start in ("safe", "any", "sqrt"):
        how = Rules(start=start)
        found = compiled(spec, how, "exact", range(20))
        assert found == [reference(spec, how, "exact", seed) for seed in range(20)]


def test_what_has_no_room_or_is_too_wide_is_left_to_the_reference() -> None:
    assert play_games(Spec(3, 3, 9), Rules(), agent("exact"), [0, 1]) == [None, None]
    with pytest.raises(BoardError, match="cell 5,0 is not on this 3×3 board"):
        play_games(Spec(3, 3, 2), Rules(), agent("exact"), [0], first=(5, 0))


def test_what_the_kernel_does_not_play_is_left_to_the_reference() -> None:
    assert is_compiled(agent("exact"), Rules())
    assert is_compiled(agent("win:-influence"), Rules(rules="sweep", start="sqrt"))
    assert not is_compiled(agent("exact"), Rules(clues="silent"))
    assert not is_compiled(agent("pysat+lowest-risk"), Rules())
    assert not is_compiled(agent("disarm"), Rules())


def test_nonsense_is_refused_by_the_kernel(kernel: Kernel) -> None:
    terms = {
        "rows": 3, "cols": 3, "mines": 2, "sweep": False, "start": 0, "flood": True, "first": -1,
        "told_total": True, "max_states": 1000, "alike": ALIKE,
    }  # fmt: skip
    with pytest.raises(ValueError, match="16 bytes for each game"):
        kernel.play_games(terms, None, 2, bytes(16), None, False)
    with pytest.raises(ValueError, match="first is off the board"):
        kernel.play_games(terms | {"first": 9}, None, 1, bytes(16), None, False)
    with pytest.raises(ValueError, match="no board has this size"):
        kernel.play_games(terms | {"rows": 0}, None, 1, bytes(16), None, False)
    with pytest.raises(ValueError, match="start must be 0 to 3"):
        kernel.play_games(terms | {"start": 7}, None, 1, bytes(16), None, False)
    with pytest.raises(ValueError, match="sqrt needs seeds"):
        kernel.play_games(terms | {"start": 3}, None, 1, bytes(16), None, False)


def test_games_are_told_which_risks_are_alike(kernel: Kernel) -> None:
    """With a tolerance of 1 all cells are, so that the corners are guessed first."""
    terms = {
        "rows": 4, "cols": 4, "mines": 6, "sweep": True, "start": 2, "flood": False, "first": 5,
        "told_total": True, "max_states": 1000,
    }  # fmt: skip

    def first_guesses(alike: float) -> list[int]:
        moves = kernel.play_games(terms | {"alike": alike}, None, 1, bytes(16), None, True)[1][0]
        return [cell for kind, cell, *_ in moves if kind is kernel.MoveKind.GUESS][:3]

    assert first_guesses(1.0) == [0, 3, 12]
    assert first_guesses(ALIKE) != [0, 3, 12]
