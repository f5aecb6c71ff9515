"""Measure win rates of the agents that play to win, on the same layouts.

    python benchmarks/win_rates.py levels [--games 400000]
    python benchmarks/win_rates.py ingredients [--games 40000]
    python benchmarks/win_rates.py first [--games 60000]

`levels` compares `exact` and `win` on every level and start. Expert boards get so many games, the
others a quarter. `ingredients` compares `win` with players that lack an ingredient. `first` shows
the win rate by the first cell: beginner games from a zero start, and a third as many beginner and
an eighth as many intermediate games from a safe start. The seeds were used for nothing else.
"""

from __future__ import annotations

import argparse

from csp_mines import LEVELS, Cell, Plan, Results, Rules, Setup, simulate
from csp_mines.simulation.statistics import Rate

SETUPS = [  # level, start, first cell, seed
    ("expert", "safe", (0, 0), 3026),
    ("expert", "zero", (3, 3), 3027),
    ("intermediate", "safe", (0, 0), 4031),
    ("intermediate", "zero", (3, 3), 4031),
    ("beginner", "safe", (0, 0), 4031),
    ("beginner", "zero", (2, 2), 4031),
]
LACKING = ("-next-step", "-influence", "-opening", "-search,-endgame", "-closed", "-wide")
SAFE_STARTS = {  # corner, middle of the edge, 2,2 or 3,3, centre
    "beginner": [(0, 0), (0, 4), (2, 2), (4, 4)],
    "intermediate": [(0, 0), (0, 8), (3, 3), (8, 8)],
}
ZERO_STARTS = [(0, 0), (1, 1), (2, 2), (3, 3), (4, 4), (0, 2), (0, 4), (1, 3), (2, 4)]


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("table", choices=TABLES)
    parser.add_argument("--games", type=int, help="games of the largest setup")
    parser.add_argument("--workers", type=int, help="processes; by default all cores")
    given = parser.parse_args()
    show, games = TABLES[given.table]
    show(given.games or games, given.workers)


def played(
    agents: list[str], level: str, start: str, first: Cell, games: int, seed: int,
    workers: int | None,
) -> Results:  # fmt: skip
    setup = Setup(LEVELS[level], Rules(start=start), first)
    return simulate(Plan([setup], agents, games, seed), workers=workers, sums_only=True)


def show_levels(most: int, workers: int | None) -> None:
    print("| level | start | games | `exact` | `win` | `win` ahead by |")
    print("| --- | --- | --- | --- | --- | --- |", flush=True)
    for level, start, first, seed in SETUPS:
        games = most if level == "expert" else max(1, most // 4)
        results = played(["exact", "win"], level, start, first, games, seed, workers)
        ahead = results.paired_result("win", "exact").wins
        where = "safe, corner" if start == "safe" else f"zero, {first[0]},{first[1]}"
        rates = [percent(results.agent_result(name).wins, 2) for name in ("exact", "win")]
        lead = f"{ahead.value * 100:+.2f} ± {(ahead.high - ahead.low) * 50:.2f}"
        print(f"| {level} | {where} | {games:,} | {' | '.join(rates)} | {lead} |", flush=True)


def show_ingredients(games: int, workers: int | None) -> None:
    agents = ["win", *(f"win:{lacking}" for lacking in LACKING)]
    results = played(agents, "expert", "safe", (0, 0), games, 3131, workers)
    print("| agent | difference | 95 % |\n| --- | --- | --- |")
    for name in agents[1:]:
        ahead = results.paired_result(name, "win").wins
        value, low, high = (signed(100 * part) for part in (ahead.value, ahead.low, ahead.high))
        print(f"| `{name}` | {value} | {low} … {high} |")


def show_first(most: int, workers: int | None) -> None:
    print("| level | corner | middle of the edge | 2,2 or 3,3 | centre | games each |")
    print("| --- " * 6 + "|", flush=True)
    for (level, cells), share, seed in zip(SAFE_STARTS.items(), (3, 8), (51, 52), strict=True):
        games = max(1, most // share)
        rates = [
            percent(results.agent_result("win").wins, 1)
            for results in (
                played(["win"], level, "safe", cell, games, seed, workers) for cell in cells
            )
        ]
        print(f"| {level} | {' | '.join(rates)} | {games:,} |", flush=True)
    names = [f"{row},{col}" for row, col in ZERO_STARTS]
    print(f"\n| zero start, {most:,} games each | {' | '.join(names)} |")
    print("| --- " * (len(names) + 1) + "|", flush=True)
    rates = [
        played(["win"], "beginner", "zero", cell, most, 0, workers).agent_result("win").wins
        for cell in ZERO_STARTS
    ]
    print(f"| beginner, % won | {' | '.join(f'{100 * rate.rate:.1f}' for rate in rates)} |")


def percent(rate: Rate, digits: int) -> str:
    """A rate with half of its 95 % interval."""
    half = (rate.high - rate.low) * 50
    return f"{rate.rate * 100:.{digits}f} ± {half:.{digits}f} %"


def signed(points: float) -> str:
    return f"{points:+.2f}".replace("-", "−")


TABLES = {  # with the number of games
    "levels": (show_levels, 400_000),
    "ingredients": (show_ingredients, 40_000),
    "first": (show_first, 60_000),
}


if __name__ == "__main__":
    main()
