"""Measure moves under noisy clues on 30×30 with 300 mines: their time, and how good risks are.

    python benchmarks/noisy_moves.py [--games 500] [--stops 2] [--seed 1]

A quick agent plays the games. It sees only the board, so its choices do not change the posterior.
The script stops each game at random moments. There the agent `exact` chooses a move, and the script
compares the risk that it gives to every hidden cell with the layout. The cells of a game are not
independent, so errors are those of sums over games.
"""

import argparse
import time
from dataclasses import dataclass, field
from itertools import pairwise
from random import Random

import numpy as np
import numpy.typing as npt

from csp_mines.board import HIDDEN, Board
from csp_mines.games.agents import agent
from csp_mines.games.game import Game, Rules, Spec
from csp_mines.games.knowledge import Knowledge

SPEC = Spec(30, 30, 300)
QUICK, THINKER = "rutgers-kb", "exact"
MODELS = ("optimistic", "cautious")
FEWEST, MOST = 60, 880  # hidden cells at a stop
BANDS = (0.0, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.001)


@dataclass
class Outcomes:
    """For every stop: the risks of the hidden cells, whether they are mines, the game, and the
    seconds of the move."""

    games: list[int] = field(default_factory=list)
    risks: list[npt.NDArray[np.float64]] = field(default_factory=list)
    mines: list[npt.NDArray[np.bool_]] = field(default_factory=list)
    seconds: list[float] = field(default_factory=list)


def stops(game: Game, seed: str, at: list[int]) -> list[Board]:
    """For each number, the first board of the game with at most so many hidden cells."""
    known = Knowledge(agent(QUICK), game.board, seed)
    known.see((cell, game.shown(cell)) for cell in game.start())
    boards = []
    while at:
        thought = known.think()
        game.mark(proof.cell for proof in thought.mines)
        cells = [proof.cell for proof in thought.safe]
        if thought.guess is not None:
            cells.append(thought.guess.cell)
        for cell in cells:
            known.see((other, game.shown(other)) for other in game.open(cell))
        while at and known.hidden_left <= at[0]:
            boards.append(game.board)
            at = at[1:]
    return boards


def look(board: Board, seed: str) -> tuple[npt.NDArray[np.float64], float, bool] | None:
    """The risks at a guess of `exact`, the seconds of its move, and whether the risks are
    estimates. None if it does not have to guess."""
    known = Knowledge(agent(THINKER), board, seed)
    begin = time.process_time()
    thought = known.think()
    seconds = time.process_time() - begin
    if thought.guess is None:
        return None
    found = known.analysis()
    estimated = found is None
    if found is None:
        found = known.estimate()
        assert found is not None, "a layout to start from is found"
    return found.probabilities, seconds, estimated


def measure(clues: str, games: int, number: int, seed: int) -> dict[str, Outcomes]:
    outcomes = {"estimated": Outcomes(), "counted": Outcomes()}
    for index in range(games):
        name = f"noisy moves/{seed}/{clues}/{index}"
        random = Random(name)
        at = sorted((random.randint(FEWEST, MOST) for _ in range(number)), reverse=True)
        game = Game(SPEC, Rules(rules="sweep", clues=clues), name)
        for board in stops(game, name, at):
            looked = look(board, name)
            if looked is None:
                continue
            risks, seconds, estimated = looked
            hidden = (board.codes == HIDDEN) & ~np.isnan(risks)
            into = outcomes["estimated" if estimated else "counted"]
            into.games.append(index)
            into.risks.append(risks[hidden])
            into.mines.append(game.layout.mines[hidden])
            into.seconds.append(seconds)
    return outcomes


def band(outcomes: Outcomes, low: float, high: float) -> list[str]:
    """For a band of risk: the cells, the mean risk, the share of mines, and the difference with its
    error. Nothing where there are no cells."""
    sizes = [len(risks) for risks in outcomes.risks]
    games = np.repeat(outcomes.games, sizes)
    risks, mines = np.concatenate(outcomes.risks), np.concatenate(outcomes.mines)
    inside = (risks >= low) & (risks < high)
    if not inside.any():
        return ["", "", "", ""]
    offs = np.bincount(games[inside], mines[inside] - risks[inside])
    many, error = int(inside.sum()), float(np.sqrt(np.sum(offs**2)))
    apart = f"{offs.sum() / many:+.4f} ± {1.96 * error / many:.4f}".replace("-", "−")
    return [f"{many:,}", f"{risks[inside].mean():.4f}", f"{mines[inside].mean():.4f}", apart]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--games", type=int, default=500)
    parser.add_argument("--stops", type=int, default=2)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    found = {clues: measure(clues, given.games, given.stops, given.seed) for clues in MODELS}
    heads = [f"{clues}: cells | mean risk | mines | difference" for clues in MODELS]
    print(f"| estimated risk | {' | '.join(heads)} |\n|---" + "|--:" * 4 * len(MODELS) + "|")
    for low, high in [*pairwise(BANDS), (BANDS[0], BANDS[-1])]:
        name = "all" if high - low > 1 else f"{low:.2f} to {min(high, 1):.2f}"
        cells = [cell for clues in MODELS for cell in band(found[clues]["estimated"], low, high)]
        print(f"| {name} | {' | '.join(cells)} |")
    print("\n| clues | risks | positions | a move, median | 95 % | longest |")
    print("|---|---" + "|--:" * 4 + "|")
    for clues in MODELS:
        for name, each in found[clues].items():
            if each.seconds:
                middle, late, last = np.quantile(each.seconds, (0.5, 0.95, 1))
                times = f"{middle:.3f} s | {late:.3f} s | {last:.3f} s"
                print(f"| {clues} | {name} | {len(each.seconds):,} | {times} |")


if __name__ == "__main__":
    main()
