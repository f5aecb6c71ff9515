"""Measure the player to win: its loss against optimal play, and the time of one move.

    python benchmarks/winning.py regret [--positions 300] [--layouts 300] [agent ...]
    python benchmarks/winning.py bound [--games 3] [agent ...]
    python benchmarks/winning.py calibration [--positions 300] [--games 50]
    python benchmarks/winning.py guesses [--positions 100] [--games 100] [agent agent]
    python benchmarks/winning.py second [--games 1000]
    python benchmarks/winning.py losses [--games 4000]
    python benchmarks/winning.py optimal

`regret` plays expert games to their end games and takes positions without a safe cell and with at
most so many layouts. It compares the exact win chance of the cell that an agent opens with that of
the best cell.

`bound` plays games on large and dense boards and times every choice.

`calibration` compares win chances with the results of expert games of `win:fast`: the win chances
of searched end games, and estimates by playing games out, at a guess of each game chosen at random.

`guesses` plays expert games with the first of two agents, until the two choose different cells at
so many guesses. It plays both cells out on the same layouts. This needs far fewer games to tell
players apart than a comparison of whole games.

`second` does the same for the cell opened second, when the first corner shows a number.

`losses` shows where `win` loses expert games, and at which risk. `optimal` shows how many layouts
optimal play wins on small boards, by the first cell.

`csp-mines simulate` measures win rates; docs/winning.md has the commands."""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterator, Sequence
from fractions import Fraction
from math import comb
from random import Random

import numpy as np

from csp_mines.analysis.analyze import analyze
from csp_mines.analysis.winning import TooManyLayouts, best_move, win_chance
from csp_mines.board import HIDDEN, Board, Cell
from csp_mines.errors import Contradiction, TooWide
from csp_mines.formats.replay import Replay
from csp_mines.games.agents import agent
from csp_mines.games.compiled import compiled_moves, play_games
from csp_mines.games.game import LEVELS, Game, Rules, Spec
from csp_mines.games.knowledge import Knowledge
from csp_mines.games.playing import Step, play
from csp_mines.games.playouts import draw_layout, estimate_win_chance, play_out
from csp_mines.games.policies import policy
from csp_mines.layout import Layout


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    kinds = ["regret", "bound", "calibration", "guesses", "second", "losses", "optimal"]
    parser.add_argument("what", choices=kinds)
    parser.add_argument("agents", nargs="*")
    parser.add_argument("--positions", type=int, default=300, help="end games to compare on")
    parser.add_argument("--layouts", type=int, default=300, help="at most so many in each")
    parser.add_argument(
        "--games", type=int, help="on each board of `bound` (3), played out by each estimate (50)"
    )
    given = parser.parse_args()
    agents = given.agents or ["exact", "win:fast", "win"]
    if given.what == "regret":
        show_regret(agents, given.positions, given.layouts)
    elif given.what == "bound":
        show_bounds([name for name in agents if name.startswith("win")], given.games or 3)
    elif given.what == "calibration":
        show_calibration(given.positions, given.games or 50)
    elif given.what == "guesses":
        show_guesses(given.agents or ["win", "win:strong"], given.positions, given.games or 100)
    elif given.what == "second":
        show_second_cells(given.games or 1000)
    elif given.what == "losses":
        show_losses(given.games or 4000)
    else:
        show_optimal()


def show_regret(names: list[str], positions: int, layouts: int) -> None:
    """Prints what agents lose to optimal play in end games, in percentage points."""
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
    print("| agent | mean loss, percentage points | positions with a loss |")
    print("| --- | --- | --- |")
    for name, some in lost.items():
        error = 1.96 * np.std(some) / np.sqrt(len(some))
        share = 100 * np.mean(np.array(some) > 0)
        print(f"| `{name}` | {np.mean(some):.3f} ± {error:.3f} | {share:.1f} % |")
    print(f"\nThese are {len(best):,} end games of at most {layouts} layouts. The best cell wins "
          f"{100 * np.mean(best):.1f} % on average.")  # fmt: skip


def _end_games(positions: int, layouts: int) -> Iterator[tuple[Board, Fraction]]:
    """Boards of expert games on which the agent had to guess, and their exact win chance."""
    seed = found = 0
    while found < positions:
        game = Game(LEVELS["expert"], Rules(start="zero"), f"end game {seed}", first=(3, 3))
        boards: list[Board] = []
        _guess_boards(game, seed, "exact", boards)
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
    """The exact win chance of opening this cell and playing optimally from then on."""
    won, total = 0, win_chance(board, max_layouts=1_000_000).layouts
    for number in range(9):
        codes = board.codes.copy()
        codes[cell] = number
        try:
            won += win_chance(Board(codes, mines=board.mines)).won
        except Contradiction:
            continue
    return Fraction(won, total)


def show_calibration(positions: int, games: int) -> None:
    """Prints two tables of win chances in bands, with the share of games won from there."""
    searched = "win chance in the first searched end game of a game"
    _show_bands(searched, "win chance", _searched_chances(100 * positions))
    print()
    estimated = f"estimate at a guess that no search reaches, by {games} games"
    _show_bands(estimated, "estimate", _estimates(positions, games))


def _show_bands(heading: str, what: str, pairs: list[tuple[float, bool]]) -> None:
    print(f"| {heading} | positions | mean {what} | games won | ± |\n" + "| --- " * 5 + "|")
    for low in (0, 20, 40, 60, 80, None):
        some = [pair for pair in pairs if low is None or min(80, 20 * int(5 * pair[0])) == low]
        if not some:
            continue
        name = "all" if low is None else f"{low} to {low + 20} %"
        mean, won = np.mean([chance for chance, _ in some]), np.mean([end for _, end in some])
        error = 196 * np.sqrt(won * (1 - won) / len(some))
        rates = f"{100 * mean:.1f} % | {100 * won:.1f} %"
        print(f"| {name} | {len(some):,} | {rates} | {error:.1f} |", flush=True)


def _searched_chances(games: int) -> list[tuple[float, bool]]:
    """The first win chance that the player knew in each game, and whether it won."""
    player, rules = agent("win:fast"), Rules()
    seeds = [f"calibration {number}" for number in range(games)]
    records = play_games(LEVELS["expert"], rules, player, seeds)
    played = compiled_moves(LEVELS["expert"], rules, player, seeds)
    pairs = []
    for record, moves in zip(records, played, strict=True):
        known = [chance for kind, _, _, chance in moves if kind == "guess" and chance == chance]
        if known and record is not None:
            pairs.append((known[0], record.won))
    return pairs


def _estimates(positions: int, games: int) -> list[tuple[float, bool]]:
    """An estimate at one guess of each game, and whether that game was won. The guess is chosen at
    random among those that are too large to search."""
    pairs: list[tuple[float, bool]] = []
    seed = 0
    while len(pairs) < positions:
        seed += 1
        boards: list[Board] = []
        game = Game(LEVELS["expert"], Rules(), f"calibration {seed}")
        won = _guess_boards(game, seed, "win:fast", boards)
        wide = [board for board in boards if analyze(board).log_solutions > np.log(5_000)]
        if wide:
            board = Random(seed).choice(wide)
            pairs.append((estimate_win_chance(board, games=games, seed=seed).chance, won))
    return pairs


def show_guesses(names: list[str], positions: int, games: int) -> None:
    """Prints how much more the second player's cell wins, in percentage points."""
    first, second = names
    gains: list[float] = []
    seed = guesses = 0
    while len(gains) < positions:
        seed += 1
        boards: list[Board] = []
        _guess_boards(Game(LEVELS["expert"], Rules(), f"guesses {seed}"), seed, first, boards)
        guesses += len(boards)
        for board in boards:
            moves = [best_move(board, player=name) for name in names]
            cells = [move.cell for move in moves if move is not None]
            if len(set(cells)) == 2:
                tried = try_cells(board, cells, games, seed)
                gains.append(100 * float(np.mean(tried[cells[1]]) - np.mean(tried[cells[0]])))
    error = 1.96 * np.std(gains, ddof=1) / np.sqrt(len(gains))
    a_game = len(gains) / seed
    print(
        f"In {seed:,} expert games of `{first}` from a safe corner, `{second}` would have opened "
        f"another cell at {len(gains):,} of {guesses:,} guesses. `win` then played both cells to "
        f"the end on the same {games:,} layouts. The cell of `{second}` won "
        f"{np.mean(gains):.2f} ± {error:.2f} percentage points more, which makes "
        f"**{a_game * np.mean(gains):+.3f} ± {a_game * error:.3f}** points per game."
    )


def try_cells(
    board: Board, cells: Sequence[Cell], games: int, seed: int
) -> dict[Cell, list[float]]:
    """For each of these hidden cells, the results of games of `win` that begin by opening the cell:
    1 for a win, 0 for a loss, or a win chance. All cells are tried on the same drawn layouts in the
    same order, so that two cells can be compared game by game."""
    random = Random(f"playouts {seed}")
    results: dict[Cell, list[float]] = {cell: [] for cell in cells}
    for _ in range(games):
        mines = draw_layout(board, random)
        for cell in cells:
            game = Replay(Layout(mines), board.codes)
            game.open(cell)
            won = 0.0 if game.lost else play_out(board.with_codes(game.codes), mines, "win")
            results[cell].append(won)
    return results


def show_second_cells(games: int) -> None:
    """Prints the win chance by the cell opened second, when the first corner shows a number, and
    the difference from the next corner on the same layouts."""
    places = ("next corner", "opposite corner", "0,2", "2,2", "middle of the edge", "centre")
    print(f"| level | shows | {' | '.join(places)} |\n" + "| --- " * 8 + "|")
    for name in ("beginner", "intermediate", "expert"):
        spec = LEVELS[name]
        right, down = spec.cols - 1, spec.rows - 1
        middle = (spec.rows // 2, spec.cols // 2)
        cells = [(down, 0), (down, right), (0, 2), (2, 2), (0, middle[1]), middle]
        for shown in (1, 2, 3):
            codes = np.full((spec.rows, spec.cols), HIDDEN, np.int8)
            codes[0, 0] = shown
            tried = try_cells(Board(codes, mines=spec.mines), cells, games, seed=0)
            base = np.array(tried[cells[0]])
            row = [f"{100 * np.mean(base):.1f} %"]
            for cell in cells[1:]:
                apart = np.array(tried[cell]) - base
                error = 196 * np.std(apart) / np.sqrt(games)
                row.append(f"{100 * np.mean(apart):+.1f} ± {error:.1f}".replace("-", "−"))
            print(f"| {name} | {shown} | {' | '.join(row)} |", flush=True)


def show_losses(games: int) -> None:
    """Prints at which stage of the game, and at which risk, `win` lost expert games."""
    stages = {
        "with fewer than 60 cells proved so far": [], "later, before the end game": [],
        "in the end game, all layouts searched": [],
    }  # fmt: skip
    risks: dict[tuple[float, float], list[float]] = {
        (0, 0.15): [], (0.15, 0.3): [], (0.3, 0.45): [], (0.45, 1.01): []
    }  # fmt: skip
    heads, lost = [], []
    for start, first in (("safe", (0, 0)), ("zero", (3, 3))):
        heads.append("safe, corner" if start == "safe" else "zero, 3,3")
        fatal = list(_fatal_guesses(Rules(start=start), first, games))
        lost.append(len(fatal))
        for stage, shares in zip((0, 1, 2), stages.values(), strict=True):
            shares.append(100 * np.mean([each == stage for each, _ in fatal]))
        for (low, high), shares in risks.items():
            shares.append(100 * np.mean([low <= risk < high for _, risk in fatal]))
    names = ("less than 0.15", "0.15 to 0.3", "0.3 to 0.45", "0.45 and more")
    for head, rows in (
        ("lost", stages),
        ("at a risk of", dict(zip(names, risks.values(), strict=True))),
    ):
        print(f"| {head} | {' | '.join(heads)} |\n| --- | --- | --- |")
        for name, shares in rows.items():
            print(f"| {name} | {' | '.join(f'{share:.1f} %' for share in shares)} |")
        print()
    print(f"`win` lost {lost[0]:,} and {lost[1]:,} of {games:,} games each.")


def _fatal_guesses(rules: Rules, first: Cell, games: int) -> Iterator[tuple[int, float]]:
    """The last guess of each lost game of `win`: its stage (0, 1 or 2), and its risk."""
    player, spec = agent("win"), LEVELS["expert"]
    seeds = [f"losses {number}" for number in range(games)]
    records = play_games(spec, rules, player, seeds, first=first)
    played = compiled_moves(spec, rules, player, seeds, first=first)
    for record, moves in zip(records, played, strict=True):
        if record is None or record.won:
            continue
        kind, _, risk, chance = moves[-1]
        assert kind == "guess", "a lost game ends with a guess"
        proved = sum(step in ("deduced", "mark") for step, *_ in moves)
        yield (2 if chance == chance else 0 if proved < 60 else 1), risk


def show_optimal() -> None:
    """Prints how many layouts optimal play wins on small boards, by the first cell."""
    sizes = [(3, 2), (3, 3), (4, 2), (4, 3), (4, 4), (4, 5), (4, 6), (5, 2), (5, 3)]
    print("| board | corner | edge 0,1 | 1,1 | all layouts |\n| --- | --- | --- | --- | --- |")
    for side, mines in sizes:
        won = [_won_from(side, mines, cell) for cell in ((0, 0), (0, 1), (1, 1))]
        shown = " | ".join(f"{each:,}" for each in won)
        layouts = comb(side * side - 1, mines)
        print(f"| {side}×{side}, {mines} mines | {shown} | {layouts:,} |", flush=True)


def _won_from(side: int, mines: int, cell: Cell) -> int:
    """How many layouts optimal play wins, if it opens this safe cell first."""
    won = 0
    for number in range(9):
        codes = np.full((side, side), HIDDEN, np.int8)
        codes[cell] = number
        try:
            won += win_chance(Board(codes, mines=mines), max_layouts=10_000).won
        except Contradiction:
            continue
    return won


def show_bounds(names: list[str], games: int) -> None:
    """Prints a table of the longest and the median processor time of one choice."""
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
    """The processor time of every choice in a game under the rules `sweep`, under which the game
    goes on after an opened mine."""
    boards: list[Board] = []
    _guess_boards(Game(spec, Rules("sweep"), seed), seed, "exact", boards)
    for board in boards:
        begin = time.process_time()
        try:
            best_move(board, player=name, max_states=200_000)
        except TooWide:
            continue
        yield time.process_time() - begin


def _guess_boards(game: Game, seed: int, name: str, boards: list[Board]) -> bool:
    """Plays a game, adds the boards with a guess to the list, and returns whether it was won."""
    last = [game.board]

    def watch(step: Step) -> None:
        if step.kind == "guess":
            boards.append(last[0])
        last[0] = step.board

    return play(game, agent(name), seed, watch=watch).won


if __name__ == "__main__":
    main()
