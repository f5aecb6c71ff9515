"""Report 2: three equations at a time, with and without stopping when all mines are found.

Without arguments, the script plays densities from 10 to 50 % on 30×30. With a dimension, a density
and an agent (ba basic, aa advanced, ec advanced with the total, ex exact), it plays one game."""

from __future__ import annotations

import argparse

from rebuild import DENSITIES, SWEEP, Rebuild, arguments, by_density, table

from csp_mines.games import agents, playing
from csp_mines.games.game import Game, Spec
from csp_mines.simulation.densities import DensityResults, density_of
from csp_mines.simulation.results import Results
from csp_mines.words import plural

AGENTS = {"ba": "rutgers-baseline", "aa": "triple", "ec": "triple-total", "ex": "exact"}
NAMES = list(AGENTS.values())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("game", nargs="*", help="dimension, density and agent of one game")
    parser.add_argument("--seed", type=int, default=0, help="another game")
    rebuild, given = arguments(parser)
    if not given.game:
        rebuild_report(rebuild)
    elif len(given.game) == 3 and given.game[2] in AGENTS:
        print(one_game(int(given.game[0]), float(given.game[1]), given.game[2], given.seed))
    else:
        parser.error("one game is a dimension, a density and one of " + ", ".join(AGENTS))


def one_game(dimension: int, density: float, agent: str, seed: int) -> str:
    """The report's own command line: one game and its result. A density is 0.2 or 20."""
    mines = round(dimension**2 * (density if density < 1 else density / 100))
    game = Game(Spec(dimension, dimension, mines), SWEEP, seed)
    record = playing.play(game, agents.agent(AGENTS[agent]), seed)
    return (
        f"{dimension}×{dimension} with {plural(mines, 'mine')}, agent {AGENTS[agent]}: "
        f"{round(record.score * mines)} identified, {record.exploded} opened, "
        f"score {record.score:.1%}, {plural(record.guesses, 'guess', 'guesses')}, "
        f"{plural(record.steps, 'step')}"
    )


def rebuild_report(rebuild: Rebuild) -> None:
    rebuild.check_plots()
    results = rebuild.play_densities("report2", NAMES, DENSITIES)
    curves, subject = DensityResults(results).curves(), "Report 2: average score"
    plot = rebuild.plot("report2-densities", curves, subject, results.plan.games)
    rebuild.publish("report 2, densities", plot, by_density(results, NAMES), moves(results))


def moves(results: Results) -> str:
    """The steps that stopping early saves."""
    rows = []
    for place, setup in enumerate(results.plan.setups):
        steps = [
            sum(outcome.steps for outcome in results.of(name, place)) / results.plan.games
            for name in ("triple", "triple-total")
        ]
        rows.append([f"{density_of(setup):.3f}", *(f"{number:.1f}" for number in steps)])
    return table(["density", "steps of `triple`", "steps of `triple-total`"], rows)


if __name__ == "__main__":
    main()
