"""The player to win: what its moves lose to optimal play, and how long one move takes at most.

    python benchmarks/winning.py regret [--positions 300] [--layouts 300] [agent ...]
    python benchmarks/winning.py bound [--games 3] [agent ...]

`regret` plays expert games to their end games, takes positions without a safe cell and with at
most so many layouts, and compares the exact chance of the cell that an agent opens with that of
the best cell. `bound` plays games on large and dense boards and times every choice. Win rates are
measured by `csp-mines simulate`; docs/winning.md has the commands."""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterator
from fractions import Fraction

import numpy as np

from csp_mines.board import Board, Cell
from csp_mines.errors import Contradiction, TooWide
from csp_mines.play.agents import agent
from csp_mines.play.game import LEVELS, Game, Rules, Spec
from csp_mines.play.knowledge import Knowledge
from csp_mines.play.playing import Step, play
from csp_mines.play.policies import policy
from csp_mines.play.winning import TooManyLayouts, best_move, win_chance


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("what", choices=["regret", "bound"])
    parser.add_argument("agents", nargs="*", default=["exact", "win:fast", "win"])
    parser.add_argument("--positions", type=int, default=300, help="end games to compare on")
    parser.add_argument("--layouts", type=int, default=300, help="at most so many in each")
    parser.add_argument("--games", type=int, default=3, help="games on each board of `bound`")
    given = parser.parse_args()
    if given.what == "regret":
        show_regret(given.agents, given.positions, given.layouts)
    else:
        show_bounds([name for name in given.agents if name.startswith("win")], given.games)


def show_regret(names: list[str], positions: int, layouts: int) -> None:
    """A table of what agents lose to optimal play in end games, in points."""
    lost: dict[str, list[float]] = {name: [] for name in names}
    best = []
    for board, optimal in _end_games(positions, layouts):
        best.append(float(optimal))
        chances: dict[Cell, Fraction] = {}
        for name in names:
            cell = policy(agent(name).policy)(Knowledge(agent(name), board, 0)).cell
            if cell not in chances:
                chances[cell] = _chance_after(board, cell)
            lost[name].append(100 * float(optimal - chances[cell]))
    print(f"{len(best)} end games of at most {layouts} layouts; the best cell wins "
          f"{100 * np.mean(best):.2f} %\n")  # fmt: skip
    print(
        "| agent | points lost in the mean | ± | positions with a loss |\n| --- | --- | --- | --- |"
    )
    for name, some in lost.items():
        error = 1.96 * np.std(some) / np.sqrt(len(some))
        print(
            f"| `{name}` | {np.mean(some):.3f} | {error:.3f} | {np.mean(np.array(some) > 0):.1%} |"
        )


def _end_games(positions: int, layouts: int) -> Iterator[tuple[Board, Fraction]]:
    """Boards of expert games on which somebody had to guess, and their exact chance to win."""
    seed = found = 0
    while found < positions:
        game = Game(LEVELS["expert"], Rules(start="zero"), f"end game {seed}", first=(3, 3))
        boards = _guess_boards(game, seed)
        seed += 1
        for board in boards:
            try:
                chance = win_chance(board, max_layouts=layouts)
            except TooManyLayouts:
                continue
            if chance.layouts > 1:
                found += 1
                yield board, chance.chance
            if found == positions:
                return


def _chance_after(board: Board, cell: Cell) -> Fraction:
    """The exact chance to win for whoever opens this cell and plays optimally from then on."""
    won, total = 0, win_chance(board, max_layouts=1_000_000).layouts
    for number in range(9):
        codes = board.codes.copy()
        codes[cell] = number
        try:
            won += win_chance(Board(codes, mines=board.mines)).won
        except Contradiction:
            continue
    return Fraction(won, total)


def show_bounds(names: list[str], games: int) -> None:
    """A table of the longest and the usual time of one choice, in processor time."""
    boards = [Spec(16, 30, 99), Spec(30, 30, 225), Spec(30, 30, 300), Spec(100, 100, 2000)]
    print("| agent | board | choices | median ms | longest ms |\n| --- | --- | --- | --- | --- |")
    for name in names:
        for spec in boards:
            spent = [took for seed in range(games) for took in _choices(name, spec, seed)]
            shown = f"{spec.rows}×{spec.cols}/{spec.mines}"
            median, longest = 1000 * np.median(spent), 1000 * max(spent)
            print(
                f"| `{name}` | {shown} | {len(spent)} | {median:.2f} | {longest:.1f} |", flush=True
            )


def _choices(name: str, spec: Spec, seed: int) -> Iterator[float]:
    """The processor time of every choice in the boards of a game under the rules `sweep`, which
    goes on however many mines are opened."""
    boards = _guess_boards(Game(spec, Rules("sweep"), seed), seed)
    for board in boards:
        begin = time.process_time()
        try:
            best_move(board, player=name, max_states=200_000)
        except TooWide:
            continue
        yield time.process_time() - begin


def _guess_boards(game: Game, seed: int) -> list[Board]:
    """The boards on which exact play had to guess."""
    boards: list[Board] = []
    last = [game.board]

    def watch(step: Step) -> None:
        if step.kind == "guess":
            boards.append(last[0])
        last[0] = step.board

    play(game, agent("exact"), seed, watch=watch)
    return boards


if __name__ == "__main__":
    main()
