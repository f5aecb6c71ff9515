"""Games per second of every agent, on one core and the same layouts.

    python benchmarks/games.py [--level expert] [--seconds 5] [agent ...]

A speed is also given as a multiple of the first agent's, measured in the same run: that is what can
be compared between machines."""

from __future__ import annotations

import argparse
import time

from csp_mines import agents
from csp_mines.agents import PRESETS
from csp_mines.game import LEVELS, Game, Rules, Spec
from csp_mines.simulate import game_seed
from csp_mines.statistics import wilson


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("agents", nargs="*", default=list(PRESETS), help="all presets by default")
    parser.add_argument("--level", default="expert", choices=list(LEVELS))
    parser.add_argument("--seconds", type=float, default=5.0, help="how long each agent plays")
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    spec = LEVELS[given.level]
    print(f"{spec.rows}×{spec.cols} with {spec.mines} mines, classic, safe start\n")
    print("| agent | games per second | of the first | ms per game | games | win rate |")
    print("| --- | --- | --- | --- | --- | --- |")
    first = None
    for name in given.agents:
        games, wins, spent = measure(name, spec, given.seconds, given.seed)
        speed = games / spent
        first = first or speed
        rate = wilson(wins, games)
        print(
            f"| `{name}` | {speed:.1f} | {speed / first:.2f} | {1000 / speed:.2f} "
            f"| {games} | {rate.rate:.1%} ({rate.low:.1%} … {rate.high:.1%}) |",
            flush=True,
        )


def measure(name: str, spec: Spec, seconds: float, seed: int) -> tuple[int, int, float]:
    """Plays for so many seconds: games, wins and the seconds it really took."""
    player = agents.agent(name)
    agents.play(Game(spec, Rules(), "warm up"), player, "warm up")
    games = wins = 0
    begin = time.perf_counter()
    while (spent := time.perf_counter() - begin) < seconds:
        number = game_seed(seed, games)
        wins += agents.play(Game(spec, Rules(), number), player, number).won
        games += 1
    return games, wins, spent


if __name__ == "__main__":
    main()
