"""Report 3: sentences and resolution on three levels, with about √cells safe cells shown.

The report measures the win rate over 100 rounds of each level."""

from __future__ import annotations

from rebuild import PRESETS, Rebuild, ahead, arguments, percent, table

from csp_mines.games.game import LEVELS, Rules
from csp_mines.simulation.statistics import wilson

RULES = Rules(rules="classic", start="sqrt", flood=False)
REPORTED = {"easy": 100, "medium": 100, "hard": 36}  # wins in 100 rounds


def main() -> None:
    rebuild, _ = arguments(description=__doc__)
    rebuild.publish("report 3, levels", levels(rebuild))
    rebuild.publish("report 3, every preset", every_preset(rebuild))


def levels(rebuild: Rebuild) -> str:
    """Win rates on the three levels."""
    rows = []
    for level, reported in REPORTED.items():
        spec = LEVELS["easy" if rebuild.quick else level]
        results = rebuild.measure(f"report3-{level}", spec, RULES, ["resolution", "exact"], 2000)
        theirs, ours = results.agent_results()
        rows.append(
            [
                f"{level}: {spec.rows}×{spec.cols}, {spec.mines} mines",
                percent(wilson(reported, 100)),
                percent(theirs.wins),
                percent(ours.wins),
                f"{theirs.wins.trials:,}",
                f"{theirs.guesses.value:.2f}",
                f"{ours.guesses.value:.2f}",
            ]
        )
    headings = ["level", "reported, 100 rounds", "`resolution`", "`exact`", "games"]
    return table([*headings, "guesses of `resolution`", "of `exact`"], rows)


def every_preset(rebuild: Rebuild) -> str:
    """All agents of all reports on the same layouts of the hard level."""
    spec = LEVELS["easy" if rebuild.quick else "hard"]
    results = rebuild.measure("report3-presets", spec, RULES, [*PRESETS, "exact"], 1000)
    rows = [
        [
            f"`{result.agent}`",
            percent(result.wins),
            ahead(results, result.agent),
            f"{result.guesses.value:.2f}",
            f"{result.wins.trials:,}",
        ]
        for result in results.agent_results()
    ]
    headings = ["agent", "win rate", "`exact` is ahead by", "guesses per game", "games"]
    return table(headings, rows)


if __name__ == "__main__":
    main()
