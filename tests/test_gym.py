"""The Gymnasium environment: its contract, its rewards, and the same games as `simulate`."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest

gymnasium = pytest.importorskip("gymnasium")

from gymnasium.utils.env_checker import check_env  # noqa: E402

import csp_mines.gym  # noqa: E402
from csp_mines import Board, Game, InputError, Plan, Rules, Setup, Spec, UnknownName  # noqa: E402
from csp_mines import simulate as play_plan  # noqa: E402
from csp_mines.games.own_agents import OwnAgent  # noqa: E402
from csp_mines.gym import ENV_ID, Minesweeper  # noqa: E402
from csp_mines.simulation.plans import game_seed  # noqa: E402
from tests.games import bots  # noqa: E402

SMALL: dict[str, Any] = {"rows": 4, "cols": 5, "mines": 3}


def make(**options: Any) -> Minesweeper:
    env = gymnasium.make(ENV_ID, **options).unwrapped
    assert isinstance(env, Minesweeper)
    return env


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"level": "expert"},
        {**SMALL, "advice": "safest", "rewards": {"needless_guess": -0.5, "safe_cell": 0.1}},
        {**SMALL, "open_first": False, "render_mode": "ansi"},
        {**SMALL, "rules": "sweep", "start": "any", "flood": False},
        {**SMALL, "start": "sqrt"},
    ],
)
def test_the_checker_of_gymnasium_is_content(options: dict[str, Any]) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        check_env(make(**options))


def test_a_seed_gives_the_layout_of_a_game() -> None:
    env, game = make(level="intermediate"), Game.new("intermediate", seed=7)
    observed, info = env.reset(seed=7)
    game.start()
    assert (observed == game.board.codes).all()
    assert (env.game.layout.mines == game.layout.mines).all()
    assert (info["action_mask"] == (game.board.codes == -1).ravel()).all()
    assert (env.action_masks() == info["action_mask"].astype(bool)).all()
    later = [env.reset()[0].tolist() for _ in range(3)]
    env.reset(seed=7)
    assert [env.reset()[0].tolist() for _ in range(3)] == later
    assert len({str(game) for game in later}) == 3


def solved(env: Minesweeper, seed: int) -> bool:
    """Play the best moves to the end."""
    info = env.reset(seed=seed)[1]
    while info["best_move"] >= 0:
        *_, info = env.step(info["best_move"])
    won: bool = info["won"]
    return won


def test_lowest_risk_wins_the_games_that_exact_wins() -> None:
    plan = Plan([Setup(Spec(7, 7, 9))], ["exact"], 60)
    theirs = [outcome.won for outcome in play_plan(plan, workers=1).outcomes]
    env = make(rows=7, cols=7, mines=9, advice="safest")
    assert [solved(env, game_seed(0, game)) for game in range(60)] == theirs
    assert sum(theirs) == 50


def test_random_cells_win_the_games_that_they_win_in_simulate() -> None:
    outcomes = play_plan(Plan([Setup(Spec(3, 4, 2))], [bots.Wild], 100), workers=1).outcomes
    env = make(rows=3, cols=4, mines=2)
    for outcome in outcomes:
        env.reset(seed=outcome.seed)
        move = OwnAgent(bots.Wild).player(outcome.seed)
        while not env.won and not env.game.over:
            row, col = move(env.board)
            env.step(row * 4 + col)
        assert env.won == outcome.won
    assert 5 < sum(outcome.won for outcome in outcomes) < 60


def wall(**options: Any) -> Minesweeper:
    """One row of five cells, the first open, with one mine: 0 1 ? ? ?"""
    env = make(rows=1, cols=5, mines=1, **options)
    layouts = (Game(env.game_spec, Rules(), seed).layout for seed in range(1000))
    seed = next(seed for seed, layout in enumerate(layouts) if layout.mines[0, 2])
    assert env.reset(seed=seed)[0].tolist() == [[0, 1, -1, -1, -1]]
    return env


def test_rewards() -> None:
    env = wall(rewards={"safe_cell": 0.25, "open_cell": -0.5, "win": 10})
    assert env.step(0)[1:4] == (-0.5, False, False)
    assert env.step(np.int64(3))[1:4] == (0.25, False, False)
    observed, *rest, info = env.step(4)
    assert (rest, info["won"]) == ([10.25, True, False], True)
    assert observed.tolist() == [[0, 1, -1, 1, 0]]
    with pytest.raises(InputError, match=r"the episode has ended; call reset\(\)"):
        env.step(2)
    env = wall()
    assert env.step(2)[1:4] == (-1.0, True, False)
    assert not env.won


def test_needless_guesses_cost() -> None:
    env = wall(rewards={"needless_guess": -3})
    assert env.step(2)[1] == -4.0  # 0,3 and 0,4 were proved safe
    env = wall(rewards={"needless_guess": -3})
    assert env.step(3)[1] == 0.0


def test_advice() -> None:
    env = wall(advice="safest")
    _, _, _, _, info = env.step(3)
    assert info["risk"].tolist() == [[0.0, 0.0, 1.0, 0.0, 0.0]]
    assert (info["best_move"], info["regret"]) == (4, 0.0)
    *_, info = env.step(2)
    assert (info["best_move"], info["regret"]) == (-1, 1.0)
    env = make(rows=1, cols=3, mines=1, start="any", advice="safest")
    assert env.reset(seed=0)[1]["risk"].tolist() == [[1 / 3] * 3]


def test_sweep_goes_on_after_a_mine() -> None:
    env = wall(rules="sweep")
    assert env.step(2)[1:4] == (-1.0, False, False)
    assert env.step(3)[1:4] == (0.0, False, False)
    observed, reward, ended, truncated, info = env.step(4)
    assert (reward, ended, truncated, info["won"]) == (0.0, True, False, False)
    assert observed.tolist() == [[0, 1, -3, 1, 0]]


def test_an_episode_that_goes_nowhere_is_truncated() -> None:
    env = wall()
    assert [env.step(0)[3] for _ in range(5)] == [False] * 4 + [True]


def test_the_first_action_may_choose_the_first_cell() -> None:
    env = make(rows=4, cols=4, mines=15, open_first=False)
    for seed in range(16):
        observed, info = env.reset(seed=seed)
        assert (observed == -1).all()
        assert info["action_mask"].all()
        assert env.step(seed)[1:3] == (1.0, True)


def test_text() -> None:
    env = make(**SMALL, render_mode="ansi")
    env.reset(seed=1)
    assert Board.parse(str(env.render())) == env.board
    assert make().render() is None


def test_pictures() -> None:
    pytest.importorskip("PIL")
    env = make(**SMALL, render_mode="rgb_array")
    env.reset(seed=1)
    picture = env.render()
    assert picture.dtype == np.uint8
    assert picture.shape[2] == 3
    env.step(int(np.flatnonzero(env.action_masks())[0]))
    assert env.render().shape == picture.shape
    assert (env.render() != picture).any()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"level": "exprt"}, "unknown level 'exprt' (did you mean 'expert'?)"),
        ({"rows": 3}, "give either a level, or all of rows, cols and mines"),
        ({"level": "easy", "mines": 3}, "give either a level, or all of rows, cols and mines"),
        ({"rewards": {"wins": 1}}, "unknown reward 'wins' (did you mean 'win'?)"),
        ({"rewards": {"win": "much"}}, "the reward 'win' must be a finite number, not 'much'"),
        ({"rewards": 5}, "rewards must be a Mapping, not 5"),
        ({"advice": "best"}, "unknown move rule 'best'"),
        ({"start": "sqrt", "open_first": False}, "use another start than 'sqrt'"),
        ({"first": (99, 0)}, "cell 99,0 is not on this 9×9 board"),
    ],
)
def test_nonsense_is_refused(options: dict[str, Any], message: str) -> None:
    with pytest.raises((InputError, UnknownName)) as caught:
        make(**options)
    assert message in str(caught.value)


@pytest.mark.parametrize("action", [-1, 81, 2.5, None, (0, 0)])
def test_actions_are_cells(action: Any) -> None:
    env = make()
    env.reset(seed=0)
    with pytest.raises(InputError, match="action must be a whole number from 0 to 80"):
        env.step(action)


def test_reset_has_no_options() -> None:
    with pytest.raises(InputError, match="reset has no options"):
        make().reset(options={"level": "expert"})


def test_importing_registers_once() -> None:
    assert csp_mines.gym.ENV_ID in gymnasium.registry
