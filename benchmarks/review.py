"""Check reviews: their win chances, their sums, the needless guesses of agents, and their speed.

The win chances are compared with games that are played out afresh.

    python benchmarks/review.py chances --games 10000     # continues where it stopped
    python benchmarks/review.py needless --games 10000    # this, too
    python benchmarks/review.py clicks --games 5000
    python benchmarks/review.py layouts --games 900

Agents, weak and strong, play games of three levels in turn. Every game is reviewed. At every guess,
the reference player plays games on fresh layouts from the board (V), and on the same ones after the
guess (Q). These games share no code with the review: the layouts are drawn cell by cell with exact
risks, the player is asked for each move, and Python keeps the board. Q is also compared with its
definition, the mean of V after the guess on fresh layouts.

A guess whose V is too high by chance may land in a higher band. If V itself chose the bands, their
means would disagree with the fresh games although no V is biased. So an independent estimate
chooses the band of a guess. It also decides how many fresh games are played, because low bands have
few guesses.

`layouts` needs no statistics for most of this: it plays on the very layouts that the review drew.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from functools import partial
from math import sqrt
from pathlib import Path
from random import Random
from time import monotonic, process_time
from typing import Any

import numpy as np
import numpy.typing as npt

from csp_mines.analysis.analyze import analyze
from csp_mines.analysis.grades import Grade
from csp_mines.analysis.winning import orders, player_kernel
from csp_mines.board import HIDDEN, MARKED, Board, Cell
from csp_mines.defaults import AGENT_STATES
from csp_mines.formats.replay import Replay
from csp_mines.games.agents import PRESETS
from csp_mines.games.game import Game, Rules
from csp_mines.games.playing import play
from csp_mines.games.playouts import draw_layout
from csp_mines.games.recording import Recording, record
from csp_mines.generation.deduction import proved_by_clues
from csp_mines.layout import Layout
from csp_mines.reviews.moves import Judgement, ReviewedMove
from csp_mines.reviews.review import Review, review
from csp_mines.reviews.values import Reference

AGENTS = ("win", "exact", "rutgers-kb", "disarm", "resolution", "rutgers-baseline")
COMPLETE = ("win", "exact")  # these find every proof
LEVELS = ("beginner",) * 27 + ("intermediate",) * 2 + ("expert",)
STARTS = ("safe", "zero", "any")
PLAYER = "win:fast"
PLAIN = "win:fast,-endgame,-search"  # it never ends a game early because its win chance is known
COARSE = 0.05  # precision of the estimates that choose the bands
AFTER = 0.1  # precision of V after a guess
FRESH, RARE_FRESH = 8, 32  # fresh layouts at a guess, and at one whose V is below RARE
RARE = 0.6
VALUED = 4  # fresh layouts on which V after the guess is estimated
MEANS = ("won", "forced", "needless", "lost", "accuracy")
Bools = npt.NDArray[np.bool_]
Floats = npt.NDArray[np.float64]
Row = dict[str, Any]


def begun(board: Board, mines: Bools, opening: tuple[Cell, ...]) -> Replay:
    """Return the game on a layout after some cells were opened."""
    game = Replay(Layout(mines), board.codes)
    for cell in opening:
        game.open(cell)
    return game


def finished(game: Replay) -> bool:
    return game.lost or not ((game.codes == HIDDEN) & ~game.layout.mines).any()


def wins(board: Board, mines: Bools, opening: tuple[Cell, ...], player: str = PLAYER) -> bool:
    """Whether a player wins on a layout after some cells were opened."""
    game = begun(board, mines, opening)
    while not finished(game):
        analysis = analyze(game.codes.copy(), board.mines)
        move = analysis.move_by(player)
        assert move is not None
        for cell in analysis.safe or [move.cell]:
            game.open(cell)
    return not game.lost


def value_after(board: Board, mines: Bools, opening: tuple[Cell, ...], seed: str) -> float:
    """Return V of the board after an opening on a layout, 0 if the opening opened a mine."""
    game = begun(board, mines, opening)
    if finished(game):
        return float(not game.lost)
    value = Reference(PLAYER, AFTER, seed).value(board.with_codes(game.codes.copy()), 1)
    assert value is not None
    return value.value


def measured(move: ReviewedMove, name: str) -> Row:
    """Return V and Q of a guess, independent estimates of them, and what fresh games say."""
    weighed, board, random = move.weighed, move.board.without_marks(), Random(f"fresh {name}")
    reference = Reference(PLAYER, COARSE, f"again {name}")
    again = reference.weigh(analyze(board), move.cells, 1 - move.risk, move.turn)
    assert weighed is not None
    assert again is not None
    fresh = RARE_FRESH if again.value.value < RARE else FRESH
    layouts = [draw_layout(board, random) for _ in range(fresh)]
    after = [
        value_after(board, mines, move.cells, f"{name}/{number}")
        for number, mines in enumerate(layouts[:VALUED])
    ]
    return {
        "exact": weighed.exact,
        "V": weighed.value.value,
        "V again": again.value.value,
        "V won": np.mean([wins(board, mines, ()) for mines in layouts]),
        "Q": weighed.chance.value,
        "Q again": again.chance.value,
        "Q won": np.mean([wins(board, mines, move.cells) for mines in layouts]),
        "Q after": np.mean(after),
    }


def played(number: int, agent: str) -> Game:
    """Play a game of one of the levels and starts."""
    level = LEVELS[number // len(AGENTS) % len(LEVELS)]
    start = STARTS[number // (len(AGENTS) * len(LEVELS)) % len(STARTS)]
    game = Game.new(level, rules=Rules(start=start), seed=f"review {number}")
    play(game, agent, number)
    return game


def game_of_chances(number: int) -> Row:
    """Play and review a game, and measure its win chances."""
    agent = AGENTS[number % len(AGENTS)]
    game = played(number, agent)
    begin = process_time()
    found = review(game, seed=number, explain=False)
    seconds = process_time() - begin
    return {
        "agent": agent,
        "level": found.recording.level,
        "seconds": seconds,
        "gap": gap(found),
        **{name: getattr(found, name) for name in (*MEANS, "luck")},
        "guesses": [measured(move, f"{number}/{move.turn}") for move in found.weighed],
    }


def gap(found: Review) -> float:
    """Return start + luck − lost − result."""
    assert found.start is not None
    assert found.luck is not None
    assert found.lost is not None
    assert found.result is not None
    return found.start + found.luck - found.lost - found.result.value


def game_of_guesses(number: int) -> Row:
    """Let agents play a game; the weaker ones play one game in ten. Return the number of forced
    guesses, and for each needless one the grades of reasoning that prove a cell safe."""
    agents = {}
    for agent in AGENTS if number % 10 == 0 else COMPLETE:
        found = review(played(number, agent), precision=0.5, explain=False)
        needless = [move for move in found.moves if move.verdict is Judgement.NEEDLESS]
        missed = [missed_grades(move.board.without_marks()) for move in needless]
        agents[agent] = {"openings": len(found.moves), "forced": found.forced, "missed": missed}
    return {"agents": agents}


def missed_grades(board: Board) -> list[Grade]:
    """Return the grades of reasoning that prove a cell safe, on a board that has such cells. The
    total always counts as one of them."""
    by_clues = [grade for grade in Grade if grade is not Grade.TOTAL]
    found = [grade for grade in by_clues if proved_by_clues(board.codes, board.geometry, grade)[0]]
    return [*found, Grade.TOTAL]


def clicked_game(number: int) -> Recording:
    """Play a small game by random clicks: right and wrong flags, chords, proved cells, guesses."""
    random = Random(f"clicks {number}")
    rows, cols = random.randint(3, 6), random.randint(3, 6)
    layout = Layout.random(rows, cols, random.randint(2, rows * cols // 4), seed=number)
    game, clicks = Replay(layout), []
    while not finished(game):
        hidden = sorted(game.board.hidden)
        clues = [cell for cell in game.board.cells() if game.codes[cell] > 0]
        proved = sorted(analyze(game.board.without_marks()).safe & set(hidden))
        kind = random.choice(("open", "proved", "proved", "flag", "flag", "chord", "chord"))
        cells = {"open": hidden, "proved": proved, "flag": hidden, "chord": clues}[kind]
        if kind == "flag" and random.random() < 0.8:
            cells = [cell for cell in hidden if layout.mines[cell]]
        if not hidden:
            kind, cells = "flag", list(game.board.cells(MARKED))  # every safe cell is marked
        if not cells:
            continue
        does, cell = "open" if kind == "proved" else kind, random.choice(cells)
        clicks.append((does, cell))
        getattr(game, does)(cell)
    return record(layout, clicks)


def resumed(make: Callable[[int], Row], path: Path, games: int, seconds: float) -> list[Row]:
    """Return a row for each game. A file keeps them, and has those of earlier calls. After some
    seconds, stop early."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.touch()
    rows = {row["number"]: row for row in map(json.loads, path.read_text().splitlines())}
    begin = monotonic()
    with path.open("a") as file:
        for number in range(games):
            if number not in rows and monotonic() - begin < seconds:
                rows[number] = {"number": number} | make(number)
                file.write(json.dumps(rows[number]) + "\n")
                file.flush()
    return list(rows.values())


def bands(guesses: list[Row], chooser: str, told: str, *seen: str) -> Iterator[str]:
    """Ten bands of a win chance, chosen by some estimate of it: its mean, and for each of the other
    columns the mean, half the 95 % interval of the difference, and whether they agree."""
    sorted_in: dict[int, list[Row]] = defaultdict(list)
    for guess in guesses:
        sorted_in[min(int(guess[chooser] * 10), 9)].append(guess)
    for band in sorted(sorted_in):
        chance = np.array([guess[told] for guess in sorted_in[band]])
        cells = [f"{10 * band} to {10 * band + 10} %", f"{len(chance):,}", f"{chance.mean():.1%}"]
        for name in seen:
            rate = np.array([guess[name] for guess in sorted_in[band]])
            spread = max(float((rate - chance).var()), 0.25 / len(chance))
            margin = 1.96 * sqrt(spread / len(chance))
            agrees = abs(rate.mean() - chance.mean()) <= max(margin, 0.02)
            cells += [f"{rate.mean():.1%}", f"{100 * margin:.1f}", "yes" if agrees else "NO"]
        yield f"| {' | '.join(cells)} |"


def table(*names: str) -> None:
    """Print the head of a table."""
    print(f"\n| {' | '.join(names)} |\n|{'---|' * len(names)}")


def show_chances(rows: list[Row]) -> None:
    guesses = [guess for row in rows for guess in row["guesses"]]
    exact = sum(guess["exact"] for guess in guesses)
    print(f"{len(rows):,} games with {len(guesses):,} guesses, {exact:,} of them exact.")
    table("V", "guesses", "mean V", "won afresh", "±", "agrees")
    print("\n".join(bands(guesses, "V again", "V", "V won")))
    table("Q", "guesses", "mean Q", "V after", "±", "agrees", "won afresh", "±", "agrees")
    print("\n".join(bands(guesses, "Q again", "Q", "Q after", "Q won")))
    print()
    for told, seen, words in (
        ("V", "V won", "won afresh, minus V"),
        ("Q", "Q after", "V after, minus Q"),
        ("Q", "Q won", "won afresh, minus Q"),
    ):
        more = np.array([guess[seen] - guess[told] for guess in guesses])
        print(f"All guesses, {words}: {points(more)} points.  ")
    print(f"Largest |start + luck − lost − result|: {max(abs(row['gap']) for row in rows):.1e}.")
    table("agent", "games", *MEANS, "luck")
    for agent in AGENTS:
        games = [row for row in rows if row["agent"] == agent]
        mean = {name: np.mean([game[name] for game in games]) for name in MEANS if games}
        if games:
            print(
                f"| `{agent}` | {len(games):,} | {mean['won']:.1%} | {mean['forced']:.2f} | "
                f"{mean['needless']:.2f} | {100 * mean['lost']:.1f} | {mean['accuracy']:.0%} | "
                f"{points(np.array([game['luck'] for game in games]))} |"
            )
    print()
    for level in dict.fromkeys(LEVELS):
        times = [row["seconds"] for row in rows if row["level"] == level]
        if times:
            print(
                f"{level}: {np.mean(times):.2f} s of processor time a game, "
                f"{np.quantile(times, 0.95):.2f} s for one in twenty.  "
            )


def points(values: Floats) -> str:
    """A mean with half its 95 % interval, in points."""
    return f"{100 * values.mean():+.1f} ± {196 * values.std() / sqrt(len(values)):.1f}"


def show_needless(rows: list[Row]) -> None:
    table("agent", "games", "openings", "forced", "needless", "avoidable", *Grade)
    for agent in AGENTS:
        games = [row["agents"][agent] for row in rows if agent in row["agents"]]
        guesses = [grades for game in games for grades in game["missed"]]
        own = [grade for grade in Grade if grade.engine in PRESETS[agent].stages]
        avoidable = sum(any(grade in own for grade in grades) for grades in guesses)
        easiest = Counter(grades[0] for grades in guesses)
        sums = [sum(game[name] for game in games) for name in ("openings", "forced")]
        counts = [len(games), *sums, len(guesses), avoidable, *(easiest[grade] for grade in Grade)]
        print(f"| `{agent}` | {' | '.join(f'{count:,}' for count in counts)} |")


def show_clicks(games: int) -> None:
    """Review games of random clicks, and count those whose sum is hard to get right."""
    largest, counts = 0.0, Counter[str]()
    for number in range(games):
        found = review(clicked_game(number), precision=0.2, explain=False)
        left = (found.recording.end.codes < 0) & ~found.recording.layout.mines
        largest = max(largest, abs(gap(found)))
        counts["needless guess"] += found.needless > 0
        counts["chord"] += any(move.kind == "chord" for move in found.moves)
        counts["chord that is a guess"] += any(move.kind == "chord" for move in found.guesses)
        counts["wrong flag"] += found.wrong_marks > 0
        counts["loss at the last cell"] += found.won is False and int(left.sum()) == 1
    print(f"{games:,} games of random clicks.  ")
    print(f"Largest |start + luck − lost − result|: {largest:.1e}.")
    table("games with a", "number")
    for what, count in counts.items():
        print(f"| {what} | {count:,} |")


def drawn(board: Board, player: str, opening: tuple[Cell, ...], count: int) -> tuple[Bools, Floats]:
    """Let the kernel draw layouts and play on. Return the layouts, and the results from the board
    and after an opening. Each hidden cell is also opened first: that shows where the mines are."""
    assert board.mines is not None
    kernel, hidden = player_kernel(), np.flatnonzero(board.codes == HIDDEN).tolist()
    ways = [[], [row * board.cols + col for row, col in opening], *([cell] for cell in hidden)]
    _, _, layouts, results = kernel.play_on(
        board.codes, board.mines, orders(player), ways, 0, count, 1, AGENT_STATES
    )
    rows = np.array(results).reshape(layouts, len(ways))
    mines = np.zeros((layouts, board.codes.size), bool)
    mines[:, hidden] = rows[:, 2:] < 0
    return mines.reshape(layouts, *board.codes.shape), np.maximum(rows[:, :2], 0)


def show_layouts(games: int) -> None:
    """Compare the kernel with Python on the very layouts that the kernel draws, and compare how
    often it draws each layout. A player that does not search plays every game to its end."""
    boards = same = played_on = small = freedom = 0
    squares = 0.0
    for number in range(games):
        found = review(played(number, AGENTS[number % len(AGENTS)]), precision=0.5, explain=False)
        for move in found.weighed:
            board = move.board.without_marks()
            if len(board.hidden) > 100:
                continue
            boards += 1
            for mines, results in zip(*drawn(board, PLAIN, move.cells, 6), strict=True):
                expected = [wins(board, mines, opening, PLAIN) for opening in ((), move.cells)]
                same += int((results == expected).sum())
                played_on += 2
            fitting = analyze(board).solutions
            if fitting is not None and 2 <= fitting <= 60:
                count = Counter(map(bytes, drawn(board, PLAIN, move.cells, 40 * fitting)[0]))
                squares += sum(seen**2 for seen in count.values()) / 40 - 40 * fitting
                freedom, small = freedom + fitting - 1, small + 1
    print(f"{boards:,} boards: {same:,} of {played_on:,} games end alike.  ")
    print(f"{small:,} boards with at most 60 layouts: χ² is {squares:,.0f}, and should be ", end="")
    print(f"{freedom:,} ± {1.96 * sqrt(2 * freedom):.0f}.")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("what", choices=("layouts", "chances", "needless", "clicks"))
    parser.add_argument("--games", type=int, default=300)
    parser.add_argument("--out", type=Path, help="by default build/review-….jsonl")
    parser.add_argument("--seconds", type=float, default=float("inf"), help="stop after this time")
    given = parser.parse_args()
    path = given.out or Path("build", f"review-{given.what}.jsonl")
    keep = partial(resumed, path=path, games=given.games, seconds=given.seconds)
    match given.what:
        case "chances":
            show_chances(keep(game_of_chances))
        case "needless":
            show_needless(keep(game_of_guesses))
        case "clicks":
            show_clicks(given.games)
        case "layouts":
            show_layouts(given.games)


if __name__ == "__main__":
    main()
