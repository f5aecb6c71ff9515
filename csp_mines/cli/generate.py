"""`csp-mines generate`: no-guess games, puzzles, a layout, or a board in mid-game."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypeVar

import typer

from csp_mines import defaults
from csp_mines.cli import gameplay, options
from csp_mines.cli.console import err, out, progress, show_json
from csp_mines.errors import InputError, UnknownName
from csp_mines.names import Grade, listed
from csp_mines.words import plural

if TYPE_CHECKING:
    from csp_mines.board import Board
    from csp_mines.games.game import Game
    from csp_mines.generation.noguess import NoGuessGame
    from csp_mines.generation.puzzles import Puzzle
    from csp_mines.generation.wishes import Wish
    from csp_mines.layout import Spec

T = TypeVar("T")
WORTH_TELLING = 1.0  # seconds; longer work is announced on standard error, even without a terminal


def generate(
    *,
    size: gameplay.SizeByRows,
    mines: gameplay.Mines = None,
    density: gameplay.Density = None,
    no_guess: Annotated[
        bool, typer.Option("--no-guess", help="Make games that can be won without a guess.")
    ] = False,
    puzzle: Annotated[
        bool, typer.Option("--puzzle", help="Make paper puzzles: one solution, every clue needed.")
    ] = False,
    count: Annotated[
        int,
        typer.Option(
            "--count", "-n", metavar="N", min=1, help="How many games, puzzles or boards."
        ),
    ] = 1,
    difficulty: Annotated[
        str | None,
        typer.Option(
            "--difficulty",
            metavar="GRADE|at-most:GRADE",
            help=f"{listed(Grade)}: the hardest step needs exactly this grade; with at-most: it "
            "needs this grade or an easier one.",
        ),
    ] = None,
    without_total: Annotated[
        bool, typer.Option("--without-total", help="Make games that never need the total.")
    ] = False,
    method: Annotated[
        str | None,
        typer.Option(
            "--method",
            metavar="NAME",
            help="uniform (every matching layout is equally likely) or repair (quicker if few "
            "layouts match). By default, random layouts are tried to decide which.",
        ),
    ] = None,
    extra: Annotated[
        int, typer.Option("--extra", metavar="N", min=0, help="Clues to add to each puzzle.")
    ] = 0,
    certificate: Annotated[
        Path | None,
        typer.Option(
            "--certificate", metavar="FILE", help="Write a proof of every game or puzzle."
        ),
    ] = None,
    sheet: Annotated[
        Path | None,
        typer.Option(
            "--sheet",
            metavar="FILE",
            help="Draw all puzzles on one page, FILE.svg, and the solutions on FILE-solutions.svg.",
        ),
    ] = None,
    book: Annotated[
        Path | None,
        typer.Option(
            "--book",
            metavar="FILE",
            help="Write the puzzles and their solutions as a book: FILE.pdf, or one picture for "
            "each page, FILE-1.svg and so on.",
        ),
    ] = None,
    paper: Annotated[
        str,
        typer.Option("--paper", metavar="SIZE", help="The size of the pages: a4 or letter."),
    ] = "a4",
    opened: Annotated[
        float | None,
        typer.Option(
            "--opened", metavar="SHARE", help="Open this share of the safe cells at random."
        ),
    ] = None,
    stuck: Annotated[
        bool, typer.Option("--stuck", help="Show the board at the first forced guess.")
    ] = False,
    layout: Annotated[
        str | None,
        typer.Option(
            "--layout",
            metavar="NAME",
            help="Write the layout instead of a board: text, mbf, line, tatham, layout-link, ….",
        ),
    ] = None,
    first: gameplay.First = None,
    start: Annotated[
        str | None,
        typer.Option(
            "--start",
            metavar="KIND",
            help="safe: the first cell is safe; zero: its neighbours too; any: it may be a mine; "
            "sqrt: of N cells, √N safe ones are shown. By default safe; zero with --no-guess.",
        ),
    ] = None,
    flood: gameplay.Flood = True,
    clues: gameplay.ClueModel = "exact",
    reveal: gameplay.Reveal = 0.6,
    workers: Annotated[
        int | None,
        typer.Option(
            "--workers",
            metavar="N",
            min=1,
            max=defaults.MOST_THREADS,
            help="Threads. By default one per core.",
        ),
    ] = None,
    drawn: options.Drawn,
    format: options.Format = None,
    seed: options.Seed = 0,
    json: options.Json = False,
) -> int:
    """Make no-guess games, puzzles, a layout or a board. The same seed gives the same result.

    csp-mines generate --level expert --no-guess --difficulty gauss --count 10 --json

    csp-mines generate --level expert --opened 0.3 --seed 5 | csp-mines solve -

    By default the output is the board after the start of the game. With --start safe or zero, the
    mines are placed so that the first cell is safe or a 0.
    """
    from csp_mines.games.game import Game, Rules

    asked = {
        "--difficulty": difficulty is not None,
        "--without-total": without_total,
        "--method": method is not None,
        "--certificate": certificate is not None,
        "--extra": extra > 0,
        "--sheet": sheet is not None,
        "--book": book is not None,
        "--paper": paper != "a4",
        "--count": count > 1,
        "--workers": workers is not None,
        "--opened": opened is not None,
        "--stuck": stuck,
        "--layout": layout is not None,
        "--clues": clues != "exact",
        "--no-flood": not flood,
        "--start": start is not None,
        "--first": first is not None,
    }
    _check_combinations(asked, no_guess, puzzle)
    spec = size.spec(mines, density)
    show = _Shown(
        format, layout, opened, stuck, drawn, json, count, spec.rows == 1, book is not None
    )
    if puzzle:
        shown_on = _Paper(sheet, book, paper)
        return _puzzles(spec, count, seed, difficulty, extra, shown_on, certificate, show)
    corner = gameplay.read_cell(first, spec.geometry)
    if no_guess:
        from csp_mines.generation.wishes import Wish, read_difficulty

        bounds = read_difficulty(difficulty, use_total=not without_total)
        wish = Wish(spec, corner or spec.first, start or "zero", bounds)
        return _no_guess(wish, count, seed, method, workers, certificate, show)
    rules = Rules(start=start or "safe", flood=flood, clues=clues, reveal=reveal)
    games = (Game(spec, rules, seed + number, first=corner) for number in range(count))
    return show.each(games, show.game, "board")


def _check_combinations(asked: dict[str, bool], no_guess: bool, puzzle: bool) -> None:
    """Raise InputError for options that do not work together."""
    if no_guess and puzzle:
        raise InputError("give either --no-guess or --puzzle, not both")
    if asked["--layout"] and (asked["--opened"] or asked["--stuck"]):
        raise InputError("--layout shows every mine: leave out --opened and --stuck")
    if asked["--opened"] and asked["--stuck"]:
        raise InputError("give either --opened or --stuck, not both")
    either = no_guess or puzzle
    conditions = {
        "only with --no-guess or --puzzle": (either, ("--difficulty", "--certificate")),
        "only with --no-guess": (no_guess, ("--without-total", "--method", "--workers")),
        "only with --puzzle": (puzzle, ("--extra", "--sheet", "--book", "--paper")),
        "only without --no-guess and --puzzle": (
            not either, ("--stuck", "--clues", "--no-flood"),
        ),
        "only without --puzzle": (not puzzle, ("--opened", "--layout", "--start", "--first")),
    }  # fmt: skip
    for condition, (met, names) in conditions.items():
        for name in names:
            if asked[name] and not met:
                raise InputError(f"{name} works {condition}")


@dataclass(frozen=True)
class _Shown:
    """How the results are shown."""

    format: str | None
    layout: str | None
    opened: float | None
    stuck: bool
    drawn: options.Drawn
    json: bool
    count: int
    single_row: bool
    bound: bool = False  # the boards go into a book and are not printed

    def __post_init__(self) -> None:
        from csp_mines.formats import all_notations

        notations = all_notations().values() if self.layout is not None else ()
        known = ["text", *(each.name for each in notations if each.write_layout is not None)]
        if self.layout is not None and self.layout not in known:
            raise UnknownName("layout format", self.layout, known)
        if self.count > 1 and (self.layout == "mbf" or self.drawn.picture is not None):
            raise InputError("--layout mbf and --picture write one result: leave out --count")

    @property
    def between(self) -> str:
        """The text to write between two results in their notation."""
        from csp_mines.formats import between, notation

        name = self.layout or self.format or "canonical"
        target = notation("layout" if name == "text" else name)
        return between(target, single_row=self.single_row)

    def each(self, results: Iterable[T], show_one: Callable[[T], None], what: str) -> int:
        """Show each result as soon as it is made. Return the exit status."""
        done = 0
        try:
            with _progress(self.count) as watch:
                for result in results:
                    if done and not self.json and not self.bound:
                        sys.stdout.write(self.between)
                    show_one(result)
                    done += 1
                    watch(done)
        except KeyboardInterrupt:
            err().print(f"interrupted: {done:,} of {plural(self.count, what)} made")
            return 130
        return 0

    def game(self, game: Game, comment: str = "") -> None:
        """Show a game's layout or its board, and draw it."""
        from csp_mines.generation.boards import position

        if self.layout is not None:
            _show_layout(game, self.layout, comment, json=self.json)
            board = game.layout.board()
        else:
            board = position(game, opened=self.opened, stuck=self.stuck)
            _show_board(board, self.format, comment, json=self.json)
        self.draw(board)

    def draw(self, board: Board) -> None:
        if self.drawn.picture is not None:
            from csp_mines.pictures.boards import draw_board

            draw_board(board, theme=self.drawn.theme).save(self.drawn.picture)


def _no_guess(
    wish: Wish,
    count: int,
    seed: int,
    method: str | None,
    workers: int | None,
    certificate: Path | None,
    show: _Shown,
) -> int:
    from csp_mines.cli.proofs import proof_file
    from csp_mines.generation.certificates import certify
    from csp_mines.generation.noguess import Method, check_method, choose_method, sample
    from csp_mines.generation.noguess import generate as generate_games

    chosen = check_method(method)
    if chosen is not Method.REPAIR:
        expected = sample(wish, seed)
        chosen = chosen or choose_method(wish, expected)
        if err().is_terminal or expected.seconds_for(count) > WORTH_TELLING:
            err().print(f"{chosen}: {expected}", style="dim")
    games = generate_games(wish, count, seed, method=chosen, workers=workers)
    with proof_file(certificate) as write_proof:

        def show_one(game: NoGuessGame) -> None:
            _show_no_guess(game, show)
            hardest = wish.difficulty.hardest
            write_proof(lambda: certify(game.layout, game.first, hardest=hardest))

        return show.each(games, show_one, "board")


def _show_no_guess(game: NoGuessGame, show: _Shown) -> None:
    from csp_mines.games.game import Game, Rules

    if show.json:
        show_json(game.to_json())
        show.draw(game.layout.board())
        return
    comment = f"first {game.first[0]},{game.first[1]}, grade {game.grade or 'none'}"
    show.game(Game(game.layout, Rules(start="safe"), first=game.first), comment)


@contextmanager
def _progress(total: int) -> Iterator[Callable[[int], None]]:
    """Show a progress bar on standard error, if standard error is a terminal and standard output is
    not."""
    with progress(shown=not sys.stdout.isatty() and total > 1) as bar:
        task = bar.add_task("boards", total=total)
        yield lambda done: bar.update(task, completed=done)


def _puzzles(
    spec: Spec,
    count: int,
    seed: int,
    difficulty: str | None,
    extra: int,
    paper: _Paper,
    certificate: Path | None,
    show: _Shown,
) -> int:
    from csp_mines.cli.proofs import proof_file
    from csp_mines.generation.puzzle_certificates import certify_puzzle
    from csp_mines.generation.puzzles import puzzles
    from csp_mines.generation.wishes import read_difficulty

    paper.check(spec)
    bounds = read_difficulty(difficulty)
    made: list[Puzzle] = []

    def show_puzzle(puzzle: Puzzle) -> None:
        made.append(puzzle)
        if show.json:
            show_json(puzzle.to_json())
        elif not show.bound:
            _show_board(puzzle.board, show.format, f"grade {puzzle.grade}", json=False)
        show.draw(puzzle.board)

    asked = puzzles(spec, count, seed, difficulty=bounds, extra=extra)
    with proof_file(certificate) as write_proof:

        def show_one(puzzle: Puzzle) -> None:
            show_puzzle(puzzle)
            write_proof(lambda: certify_puzzle(puzzle.board))

        status = show.each(asked, show_one, "puzzle")
    if made:
        paper.save(made)
    return status


@dataclass(frozen=True)
class _Paper:
    """What --sheet, --book and --paper ask for."""

    sheet: Path | None
    book: Path | None
    size: str

    def check(self, spec: Spec) -> None:
        """Raise an error if the pages cannot be made, such as InputError for a wrong file name.
        Called before the puzzles are made."""
        from csp_mines.pictures.book import check_book

        if self.sheet is None and self.book is None and self.size != "a4":
            raise InputError("--paper works only with --sheet or --book")
        if self.sheet is not None and self.sheet.suffix.lower() != ".svg":
            raise InputError(f"--sheet must name a .svg file, not {self.sheet.name!r}")
        if self.book is not None:
            check_book(self.book, spec, self.size)

    def save(self, made: list[Puzzle]) -> None:
        from csp_mines.pictures.book import draw_book, draw_sheet, save_book

        if self.sheet is not None:
            page, solutions = draw_sheet(made, self.size)
            page.save(self.sheet)
            solutions.save(self.sheet.with_stem(f"{self.sheet.stem}-solutions"))
        if self.book is not None:
            pages = draw_book(made, self.size)
            written = save_book(pages, self.book)
            told = f"{plural(len(made), 'puzzle')} on {plural(len(pages), 'page')}"
            out().print(f"{told}: {written[0]}{' …' if written[1:] else ''}")


def _show_layout(game: Game, form: str, comment: str, *, json: bool) -> None:
    """Show the layout that the game has after its start."""
    from csp_mines.formats import notation

    game.start()
    layout = game.layout
    if json:
        show_json(layout.to_json())
    elif form == "mbf":
        sys.stdout.buffer.write(layout.to_mbf())
        sys.stdout.buffer.flush()
    elif form == "text":
        sys.stdout.write((f"; {comment}\n" if comment else "") + layout.to_text())
    else:
        first = game.first if notation(form).keeps_first else None
        sys.stdout.write(layout.to_text(form, first) + "\n")


def _show_board(board: Board, format: str | None, comment: str, *, json: bool) -> None:
    if json:
        show_json(board.to_json(format))
    else:
        text = board.to_text(format).rstrip("\n")
        commented = f"; {comment}\n" if comment and format is None else ""
        sys.stdout.write(f"{commented}{text}\n")
