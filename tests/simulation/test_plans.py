"""Plans: what makes sense, and what a first cell does."""

from __future__ import annotations

from dataclasses import replace

import pytest

from csp_mines.errors import InputError, UnknownName
from csp_mines.games.game import Rules, Spec
from csp_mines.simulation.games import play_games
from csp_mines.simulation.plans import Plan, Setup, game_seed

SETUP = Setup(Spec(6, 6, 6))
PLAN = Plan((SETUP,), ("disarm",), 3)


def test_plans_that_make_no_sense() -> None:
    with pytest.raises(InputError, match="a plan needs at least 1 game, 1 setup and 1 agent"):
        replace(PLAN, games=0)
    with pytest.raises(InputError, match="a plan needs at least 1 game, 1 setup and 1 agent"):
        replace(PLAN, agents=())
    with pytest.raises(InputError, match="same agent is given twice"):
        replace(PLAN, agents=("disarm", "disarm"))
    with pytest.raises(InputError, match="same setup is given twice"):
        replace(PLAN, setups=(SETUP, SETUP))
    with pytest.raises(UnknownName, match="unknown agent 'nobody'"):
        replace(PLAN, agents=("nobody",))


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"games": 2.5}, r"games must be a whole number, not 2\.5"),
        ({"games": True}, "games must be a whole number, not True"),
        ({"seed": "7"}, "seed must be a whole number, not '7'"),
        ({"agents": "disarm"}, "agents must be an iterable of names, such as a list, not 'disarm'"),
    ],
)
def test_what_is_of_the_wrong_kind_is_named(wrong: dict[str, object], message: str) -> None:
    with pytest.raises(InputError, match=message):
        replace(PLAN, **wrong)


def test_other_seeds_are_other_games() -> None:
    assert len({game_seed(seed, game) for seed in range(50) for game in range(50)}) == 2500
    assert game_seed(0, 0) < 2**48


def test_a_setup_says_one_mine_and_many() -> None:
    assert str(Setup(Spec(6, 6, 1))) == "6×6 with 1 mine"
    assert str(SETUP) == "6×6 with 6 mines"


@pytest.mark.parametrize("start", ["safe", "zero", "any"])
def test_the_first_cell_is_opened_first(start: str) -> None:
    setup = Setup(Spec(6, 6, 6), Rules(start=start), (2, 3))
    for seed in range(20):
        game = setup.game(seed)
        opened = game.start()
        assert opened[0] == (2, 3)
        if start != "any":
            assert not game.exploded
        if start == "zero":
            assert game.shown((2, 3)) == 0


def test_another_first_cell_is_another_game() -> None:
    corner, middle = (
        [play_games(part, range(20)) for part in replace(PLAN, setups=(setup,)).parts]
        for setup in (SETUP, Setup(SETUP.spec, SETUP.rules, (2, 3)))
    )
    assert corner != middle
    (same,) = (
        [play_games(part, range(20)) for part in replace(PLAN, setups=(setup,)).parts]
        for setup in (Setup(SETUP.spec, SETUP.rules, (0, 0)),)
    )
    assert same == corner


@pytest.mark.parametrize(
    ("first", "start", "message"),
    [
        ((6, 0), "safe", "cell 6,0 is not on this 6×6 board"),
        ((0, -1), "safe", "cell 0,-1 is not on this 6×6 board"),
        ((0, 0), "sqrt", "leave out the first cell"),
        (
            (0, 0.5),
            "safe",
            r"a cell must be a pair of whole numbers, \(row, col\), not \(0, 0\.5\)",
        ),
        ((0,), "safe", r"a cell must be a pair of whole numbers, \(row, col\)"),
    ],
)
def test_first_cells_that_make_no_sense(first: tuple[int, int], start: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        Setup(Spec(6, 6, 6), Rules(start=start), first)


def test_setups_that_differ_have_different_titles() -> None:
    spec = Spec(4, 5, 3)
    rules = [
        Rules(), Rules("sweep"), Rules(start="zero"), Rules(clues="silent"), Rules(flood=False),
        Rules(reveal=0.5), Rules(retry=True), Rules(told_total=False),
    ]  # fmt: skip
    setups = [Setup(spec, each) for each in rules] + [Setup(spec, first=(1, 2))]
    assert len({setup.title for setup in setups}) == len(setups)
    assert setups[0].title == "4×5 with 3 mines, rules classic, start safe, clues exact"
    assert setups[-1].title == "4×5 with 3 mines, rules classic, start safe at 1,2, clues exact"
    assert setups[4].title.endswith("clues exact, no flood")
