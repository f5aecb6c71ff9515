"""Report 4: pairs of neighbouring clues, on 40×40 at 15 and 20 % mines and on 80×80.

The report gives no figures. It says that its program wins a fair number of times at 15 % and mostly
fails at 20 %."""

from __future__ import annotations

from rebuild import Rebuild, ahead, arguments, cost, percent, share, table

from csp_mines.games.game import Rules

RULES = Rules(rules="classic", start="any")
BOARDS = [  # side, mines, what the report says, games
    (10, 20, "almost always fails", 1000),
    (40, 240, "solved a fair number of times", 400),
    (40, 320, "mostly fails", 400),
    (80, 960, "plays at a reasonable speed", 100),
]


def main() -> None:
    rebuild, _ = arguments(description=__doc__)
    rebuild.publish("report 4, boards", boards(rebuild))


def boards(rebuild: Rebuild) -> str:
    """Win rates, and how far the lost games came."""
    rows = []
    for side, number, claim, games in BOARDS:
        spec = rebuild.spec(side, number)
        name = f"report4-{side}-{number}"
        results = rebuild.measure(name, spec, RULES, ["pairwise", "exact"], games)
        exact = results.agent_result("exact")
        safe = spec.rows * spec.cols - spec.mines
        for result in results.agent_results():
            played = results.of(result.agent)
            opened = sum(outcome.opened for outcome in played) / len(played) / safe
            rows.append(
                [
                    f"{spec.rows}×{spec.cols}, {spec.mines} mines",
                    claim,
                    f"`{result.agent}`",
                    percent(result.wins),
                    ahead(results, result.agent),
                    share(result.score),
                    f"{opened:.1%}",
                    f"{result.wins.trials:,}",
                    cost(result, exact),
                ]
            )
    headings = ["board", "the report says", "agent", "win rate", "`exact` is ahead by"]
    more = ["mines identified", "safe cells opened", "games", "time, `exact` = 1"]
    return table([*headings, *more], rows)


if __name__ == "__main__":
    main()
