"""The Gymnasium environment: steps per second, and the same games as `simulate`.

python benchmarks/gym_games.py                      # speed on expert, then 10,000 games each
python benchmarks/gym_games.py --games 1000

Random and lowest-risk policies play through the environment. `simulate` plays the same layouts with
the same policies. The script ends with an error if a single game ends differently."""

from __future__ import annotations

import argparse
import random
import sys
import time
from collections.abc import Callable

import gymnasium
import numpy as np

import csp_mines.gym
from csp_mines import LEVELS, Board, Cell, OwnAgent, Plan, Setup, Spec, simulate
from csp_mines.games.own_agents import AgentLike
from csp_mines.simulation.plans import game_seed

STEPS = 50_000  # for the speed


class RandomCells:
    """Opens any hidden cell."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)

    def move(self, board: Board) -> Cell:
        return self.random.choice(sorted(board.hidden))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--games", type=int, default=10_000)
    given = parser.parse_args()
    print(
        "| policy | board | games | won in the environment | won in `simulate` | different games |"
    )
    print("|---|---|---|---|---|---|", flush=True)
    differing = compared(
        "random cells", "4×4 with 2 mines", Spec(4, 4, 2), RandomCells, given.games
    )
    for level in ("beginner", "expert"):
        differing += compared("lowest risk", level, LEVELS[level], "exact", given.games)
    print()
    for advice in (None, "safest"):
        speed, episodes = steps_per_second(advice)
        played = "random cells" if advice is None else f'`advice="{advice}"` and its best moves'
        print(f"With {played}, it makes {speed:,.0f} steps per second of processor time on expert "
              f"boards, {STEPS / episodes:.1f} steps per game.")  # fmt: skip
    return 1 if differing else 0


def steps_per_second(advice: str | None) -> tuple[float, int]:
    """Play random hidden cells on expert; with advice, the best moves."""
    env = gymnasium.make(csp_mines.gym.ENV_ID, level="expert", advice=advice)
    numbers = np.random.default_rng(1)
    episodes, (_, info) = 1, env.reset(seed=1)
    begin = time.process_time()
    for _ in range(STEPS):
        if advice is None:
            action = numbers.choice(np.flatnonzero(info["action_mask"]))
        else:
            action = info["best_move"]
        _, _, ended, truncated, info = env.step(action)
        if ended or truncated:
            episodes += 1
            _, info = env.reset()
    return STEPS / (time.process_time() - begin), episodes


def compared(what: str, board: str, spec: Spec, agent: AgentLike, games: int) -> int:
    """Print the wins of a policy in the environment and in `simulate`; return how many games end
    differently."""
    results = simulate(Plan([Setup(spec)], [agent], games), workers=1)
    name = results.plan.agents[0]
    theirs = [outcome.won for outcome in results.of(name)]
    advice = "safest" if agent == "exact" else None
    size = {"rows": spec.rows, "cols": spec.cols, "mines": spec.mines}
    env = gymnasium.make(csp_mines.gym.ENV_ID, advice=advice, **size).unwrapped
    assert isinstance(env, csp_mines.gym.Minesweeper)
    ours = [plays(env, agent, game_seed(0, game)) for game in range(games)]
    differing = sum(our != their for our, their in zip(ours, theirs, strict=True))
    rate = results.agent_result(name).wins
    interval = f"{100 * rate.low:.1f} % … {100 * rate.high:.1f} %"
    print(f"| {what} | {board} | {games:,} | {sum(ours):,} | {rate.successes:,} ({interval}) | "
          f"{differing} |", flush=True)  # fmt: skip
    return differing


def plays(env: csp_mines.gym.Minesweeper, agent: AgentLike, seed: int) -> bool:
    """Play one game in the environment; return whether it is won."""
    _, info = env.reset(seed=seed)
    move: Callable[[Board], Cell] | None = None
    if agent != "exact":
        assert callable(agent)
        move = OwnAgent(agent).player(seed)
    while not env.won and not env.game.over:
        if move is None:
            action = info["best_move"]
        else:
            row, col = move(env.board)
            action = row * env.board.cols + col
        info = env.step(action)[-1]
    return env.won


if __name__ == "__main__":
    sys.exit(main())
