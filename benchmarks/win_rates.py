"""Measure how often `exact` and `win` win, on the same layouts of every level and start.

    python benchmarks/win_rates.py [--games 400000]

Expert boards get so many games, the others a quarter. The seeds were used for nothing else.
"""

from __future__ import annotations

import argparse

from csp_mines import LEVELS, Plan, Rules, Setup, simulate
from csp_mines.simulation.statistics import Rate

SETUPS = [  # level, start, first cell, seed
    ("expert", "safe", (0, 0), 3026),
    ("expert", "zero", (3, 3), 3027),
    ("intermediate", "safe", (0, 0), 4031),
    ("intermediate", "zero", (3, 3), 4031),
    ("beginner", "safe", (0, 0), 4031),
    ("beginner", "zero", (2, 2), 4031),
]


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--games", type=int, default=400_000, help="games on expert boards")
    parser.add_argument("--workers", type=int, help="processes; by default all cores")
    given = parser.parse_args()
    print("| level | start | games | `exact` | `win` | `win` ahead by |")
    print("| --- | --- | --- | --- | --- | --- |", flush=True)
    for level, start, first, seed in SETUPS:
        games = given.games if level == "expert" else max(1, given.games // 4)
        setup = Setup(LEVELS[level], Rules(start=start), first)
        plan = Plan([setup], ["exact", "win"], games, seed)
        results = simulate(plan, workers=given.workers, sums_only=True)
        ahead = results.paired_result("win", "exact").wins
        where = "safe, corner" if start == "safe" else f"zero, {first[0]},{first[1]}"
        rates = [percent(results.agent_result(name).wins) for name in ("exact", "win")]
        lead = f"{ahead.value * 100:+.2f} ± {(ahead.high - ahead.low) * 50:.2f}"
        print(f"| {level} | {where} | {games:,} | {' | '.join(rates)} | {lead} |", flush=True)


def percent(rate: Rate) -> str:
    """A rate with half of its 95 % interval."""
    return f"{rate.rate * 100:.2f} ± {(rate.high - rate.low) * 50:.2f} %"


if __name__ == "__main__":
    main()
