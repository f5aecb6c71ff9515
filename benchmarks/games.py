"""Measure games per second of every agent, on one core and the same layouts, and a large flood.

    python benchmarks/games.py [agent ...] [--level expert] [--seconds 5]
    python benchmarks/games.py [agent ...] --check 1000 [--level beginner]

The script also prints each speed as a multiple of the first agent's speed in the same run. Only
this multiple can be compared between machines. With --check the script measures no time. Every
agent plays so many games, and the script compares every proved cell with the layout. The kernel
does this in all its games.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Sequence

from csp_mines.games import agents, compiled, playing
from csp_mines.games.agents import PRESETS
from csp_mines.games.game import LEVELS, Game, Rules, Seed, Spec
from csp_mines.simulation.plans import game_seed
from csp_mines.simulation.statistics import wilson

BATCH = 100  # games in one batch of the kernel


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("agents", nargs="*", default=list(PRESETS), help="all presets by default")
    parser.add_argument("--level", choices=list(LEVELS), help="expert; with --check, beginner")
    parser.add_argument("--seconds", type=float, default=5.0, help="how long each agent plays")
    parser.add_argument("--check", type=int, metavar="GAMES", help="check proofs in so many games")
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    spec = LEVELS[given.level or ("beginner" if given.check else "expert")]
    print(f"{spec.rows}×{spec.cols} with {spec.mines} mines, classic, safe start\n")
    if given.check:
        show_checks(given.agents, spec, given.check, given.seed)
    else:
        show_speeds(given.agents, spec, given.seconds, given.seed)
        print(f"\nA million empty cells open in {flood():.2f} s of processor time.")


def show_speeds(names: list[str], spec: Spec, seconds: float, seed: int) -> None:
    """Prints a table of the speeds of agents."""
    print("| agent | games per second | of the first | ms per game | games | win rate |")
    print("| --- | --- | --- | --- | --- | --- |")
    first = None
    for name in names:
        games, wins, spent = measure(name, spec, seconds, seed)
        speed = games / spent
        first = first or speed
        rate = wilson(wins, games)
        print(
            f"| `{name}` | {speed:.1f} | {speed / first:.2f} | {1000 / speed:.2f} "
            f"| {games} | {rate.rate:.1%} ({rate.low:.1%} … {rate.high:.1%}) |",
            flush=True,
        )


def measure(name: str, spec: Spec, seconds: float, seed: int) -> tuple[int, int, float]:
    """Plays for so many seconds. Returns the games, the wins and the processor time. Games that the
    kernel can play go to it in batches, as in simulations."""
    player = agents.agent(name)
    batch = BATCH if compiled.is_compiled(player, Rules()) else 1
    _wins(player, spec, ["warm up"])
    games = wins = 0
    begin = time.process_time()  # other load on the machine must not count
    while (spent := time.process_time() - begin) < seconds:
        wins += _wins(player, spec, [game_seed(seed, games + place) for place in range(batch)])
        games += batch
    return games, wins, spent


def _wins(player: agents.Agent, spec: Spec, seeds: Sequence[Seed]) -> int:
    return sum(record.won for record in _records(player, spec, seeds))


def _records(
    player: agents.Agent, spec: Spec, seeds: Sequence[Seed], *, check: bool = False
) -> list[playing.Record]:
    """Plays the games of these seeds, in the kernel if possible. Raises UnsoundDeduction."""
    records: list[playing.Record | None] = [None] * len(seeds)
    if compiled.is_compiled(player, Rules()):
        records = compiled.play_games(spec, Rules(), player, seeds)
    return [
        record or playing.play(Game(spec, Rules(), seed), player, seed, check=check)
        for seed, record in zip(seeds, records, strict=True)
    ]


def show_checks(names: list[str], spec: Spec, games: int, seed: int) -> None:
    """Prints a table of how many proofs were compared with the layout. Raises UnsoundDeduction at
    the first wrong proof."""
    print("| agent | games | cells proved, all rightly | win rate |")
    print("| --- | --- | --- | --- |")
    for name in names:
        seeds = [game_seed(seed, game) for game in range(games)]
        records = _records(agents.agent(name), spec, seeds, check=True)
        proved = sum(record.deduced for record in records)
        wins = sum(record.won for record in records)
        rate = wilson(wins, games)
        interval = f"{rate.rate:.1%} ({rate.low:.1%} … {rate.high:.1%})"
        print(f"| `{name}` | {games:,} | {proved:,} | {interval} |", flush=True)


def flood() -> float:
    """Processor time to open a board of a million cells without mines, the best of three."""
    spent = []
    for _ in range(3):
        game = Game(Spec(1000, 1000, 0))
        assert not game.layout.count  # the layout is made before the clock starts
        begin = time.process_time()
        game.start()
        spent.append(time.process_time() - begin)
    return min(spent)


if __name__ == "__main__":
    main()
