"""Is the review right? Its win chances against games that are played out afresh, its sums, the
needless guesses of agents, and its speed.

    python benchmarks/review.py --games 10000 --out review.jsonl   # continues where it stopped
    python benchmarks/review.py --show review.jsonl

Agents, weak and strong, play games of three levels in turn. Every game is reviewed. At every guess,
the reference player plays games on fresh layouts from the board (V), and on the same ones after the
guess (Q). These games share no code with the review: the layouts are drawn cell by cell with exact
risks, the player is asked for each move, and Python keeps the board.

The guesses are put into bands by V. A guess whose V is too high by chance may land in a higher
band, so the mean V of a band need not agree with the fresh games, even if no V is biased. For this
reason every game is reviewed a second time, with another seed. The mean of the second V in the same
band has no such bias, and must agree.
"""

from __future__ import annotations

import argparse
import json
from collections import defaultdict
from collections.abc import Iterator
from itertools import cycle, islice
from math import sqrt
from pathlib import Path
from random import Random
from time import process_time
from typing import Any

import numpy as np

from csp_mines.analysis.analyze import analyze
from csp_mines.analysis.winning import Position, WinningMove, advise
from csp_mines.board import HIDDEN, Board, Cell
from csp_mines.formats.replay import Replay
from csp_mines.games.game import Game, Rules
from csp_mines.games.playing import play
from csp_mines.games.playouts import draw_layout
from csp_mines.layout import Layout
from csp_mines.reviews.review import review

AGENTS = ("win", "exact", "rutgers-kb", "disarm", "resolution", "rutgers-baseline")
LEVELS = ("beginner",) * 7 + ("intermediate",) * 2 + ("expert",)
STARTS = ("safe", "zero", "any")
PLAYER = "win:fast"
FRESH = 4  # games on fresh layouts at each guess
MEANS = ("won", "forced", "needless", "lost", "accuracy")


def wins(board: Board, mines: np.ndarray, opening: tuple[Cell, ...]) -> bool:
    """Whether the reference player wins on a layout after some cells were opened."""
    game = Replay(Layout(mines), board.codes)
    for cell in opening:
        game.open(cell)
    while not game.lost and ((game.codes == HIDDEN) & ~mines).any():
        seen = game.codes.copy()
        safe = analyze(seen, board.mines).safe
        move = advise(Position(seen, board.mines), PLAYER)
        assert isinstance(move, WinningMove)
        for cell in safe or [move.cell]:
            game.open(cell)
    return not game.lost


def reviewed_game(number: int, precision: float) -> dict[str, Any]:
    """Play and review one game. Return the figures that count."""
    agent = next(islice(cycle(AGENTS), number % len(AGENTS), None))
    level = LEVELS[number // len(AGENTS) % len(LEVELS)]
    start = STARTS[number // (len(AGENTS) * len(LEVELS)) % len(STARTS)]
    game = Game.new(level, rules=Rules(start=start), seed=f"review {number}")
    play(game, agent, number)
    begin = process_time()
    found = review(game, precision=precision, seed=number, explain=False)
    seconds = process_time() - begin
    again = review(game, precision=max(precision, 0.05), seed=f"again {number}", explain=False)
    random = Random(f"fresh {number}")
    guesses = []
    for move, same in zip(found.weighed, again.weighed, strict=True):
        weighed, second, board = move.weighed, same.weighed, move.board.without_marks()
        assert weighed is not None
        assert second is not None
        layouts = [draw_layout(board, random) for _ in range(FRESH)]
        guesses.append(
            {
                "verdict": move.verdict,
                "V": weighed.value.value,
                "V_error": weighed.value.error,
                "V_again": second.value.value,
                "Q": weighed.chance.value,
                "Q_again": second.chance.value,
                "lost": weighed.lost.value,
                "lost_error": weighed.lost.error,
                "exact": weighed.exact,
                "won": np.mean([wins(board, fresh, ()) for fresh in layouts]),
                "won_after": np.mean([wins(board, fresh, move.cells) for fresh in layouts]),
            }
        )
    assert found.start is not None
    assert found.luck is not None
    assert found.lost is not None
    assert found.result is not None
    return {
        "number": number,
        "agent": agent,
        "level": level,
        "won": found.won,
        "forced": found.forced,
        "needless": found.needless,
        "gap": found.start + found.luck - found.lost - found.result.value,
        "lost": found.lost,
        "luck": found.luck,
        "accuracy": found.accuracy,
        "seconds": seconds,
        "guesses": guesses,
    }


def run(out: Path, games: int, precision: float) -> None:
    done = set()
    if out.exists():
        done = {json.loads(line)["number"] for line in out.read_text().splitlines()}
    with out.open("a") as file:
        for number in range(games):
            if number not in done:
                file.write(json.dumps(reviewed_game(number, precision)) + "\n")
                file.flush()


def bands(records: list[dict[str, Any]], told: str, seen: str) -> Iterator[str]:
    """Ten bands of a win chance: its mean, the mean of the second estimate, how often the player
    won, and half the 95 % interval of the second difference."""
    sorted_in: dict[int, list[tuple[float, float, float]]] = defaultdict(list)
    for record in records:
        for guess in record["guesses"]:
            row = (guess[told], guess[f"{told}_again"], guess[seen])
            sorted_in[min(int(guess[told] * 10), 9)].append(row)
    for band in sorted(sorted_in):
        rows = np.array(sorted_in[band])
        first, again, rate = rows.mean(axis=0)
        spread = max(float((rows[:, 2] - rows[:, 1]).var()), 0.25 / len(rows))
        margin = 1.96 * sqrt(spread / len(rows))
        near = max(margin, 0.02)
        marks = ("yes" if abs(mean - rate) <= near else "NO" for mean in (first, again))
        yield (
            f"| {10 * band} to {10 * band + 10} % | {len(rows):,} | {first:.1%} | {again:.1%} | "
            f"{rate:.1%} | {100 * margin:.1f} | {' | '.join(marks)} |"
        )


def table(*names: str) -> None:
    """Print the head of a table."""
    print(f"\n| {' | '.join(names)} |\n|{'---|' * len(names)}")


def show(path: Path) -> None:
    records = [json.loads(line) for line in path.read_text().splitlines()]
    guesses = [guess for record in records for guess in record["guesses"]]
    exact = sum(guess["exact"] for guess in guesses)
    print(f"{len(records):,} games, {len(guesses):,} guesses, {exact:,} of them exact")
    print(f"largest |start + luck − lost − result|: {max(abs(r['gap']) for r in records):.1e}")
    for told, seen in (("V", "won"), ("Q", "won_after")):
        means = (f"mean {told}", f"second {told}", "won afresh", "±")
        table(told, "guesses", *means, f"{told} agrees", f"second {told} agrees")
        print("\n".join(bands(records, told, seen)))
    table("agent", "games", "won", "forced", "needless", "lost", "accuracy")
    for agent in AGENTS:
        games = [record for record in records if record["agent"] == agent]
        mean = {name: np.mean([game[name] for game in games]) for name in MEANS if games}
        if games:
            print(
                f"| `{agent}` | {len(games):,} | {mean['won']:.1%} | {mean['forced']:.2f} | "
                f"{mean['needless']:.2f} | {100 * mean['lost']:.1f} | {mean['accuracy']:.0%} |"
            )
    for level in dict.fromkeys(LEVELS):
        times = [record["seconds"] for record in records if record["level"] == level]
        if times:
            print(f"{level}: {np.mean(times):.3f} s of processor time a game")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--games", type=int, default=300)
    parser.add_argument("--precision", type=float, default=0.025)
    parser.add_argument("--out", type=Path, default=Path("review.jsonl"))
    parser.add_argument("--show", type=Path)
    given = parser.parse_args()
    if given.show is None:
        run(given.out, given.games, given.precision)
    show(given.show or given.out)


if __name__ == "__main__":
    main()
