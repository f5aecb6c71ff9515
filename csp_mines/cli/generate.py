"""`csp-mines generate`: no-guess games, puzzles, layouts, or boards in mid-game. This module says
which options work together, and writes the results."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypeVar

from csp_mines import defaults
from csp_mines.arguments import known_name
from csp_mines.cli import INTERRUPTED, files, gameplay, options
from csp_mines.cli.completion import writable
from csp_mines.cli.console import err, out, progress, show_json
from csp_mines.cli.groups import option
from csp_mines.errors import InputError
from csp_mines.names import Grade, listed
from csp_mines.words import plural

if TYPE_CHECKING:
    from csp_mines import Board, Cell, Game, NoGuessGame, Puzzle, Spec
    from csp_mines.formats import Notation

T = TypeVar("T")
OLD_LAYOUT = "text"  # an older name of the notation `layout`
WORTH_TELLING = 1.0  # seconds; longer work is announced even if standard error is not a terminal


def generate(*, asked: Asked) -> int:
    """Make no-guess games, puzzles, layouts or boards. The same options and the same seed give the
    same results.

    csp-mines generate --level expert --no-guess --difficulty gauss --count 10 --json

    csp-mines generate --level expert --opened 0.3 --seed 5 | csp-mines solve -

    By default the output is the board after the start of a game. With --start safe, the mines are
    placed so that the first cell is safe. With --start zero, they are placed so that it is a 0.
    """
    from csp_mines.games.game import Game, Rules

    asked.check_combinations()
    spec = asked.size.spec(asked.mines, asked.density)
    asked.check_formats()
    if asked.puzzle:
        return _puzzles(asked, spec)
    corner = gameplay.read_cell(asked.first, spec.geometry)
    if asked.no_guess:
        return _no_guess(asked, spec, corner)
    rules = Rules(
        start=asked.start or defaults.START,
        flood=asked.flood,
        clues=asked.clues,
        reveal=asked.reveal,
    )
    numbers = range(asked.seed, asked.seed + asked.count)
    games = (Game(spec, rules, number, first=corner) for number in numbers)
    return asked.show_each(games, asked.show_game, "board", spec)


@dataclass(frozen=True)
class Asked:
    """The options that say what to make, and how to show the results."""

    size: gameplay.SizeByRows = field(default_factory=gameplay.SizeByRows)
    mines: gameplay.Mines = None
    density: gameplay.Density = None
    no_guess: Annotated[bool, option("Make games that can be won without a guess.")] = False
    puzzle: Annotated[
        bool,
        option("Make paper puzzles: one solution, and no needless clue unless --extra is given."),
    ] = False
    count: Annotated[int, option("How many games, puzzles, layouts or boards.", "-n", min=1)] = 1
    difficulty: Annotated[
        str | None,
        option(
            f"The grade of the hardest step: {listed(Grade)}. at-most:GRADE also allows easier "
            "grades.",
            metavar="GRADE|at-most:GRADE",
        ),
    ] = None
    without_total: Annotated[bool, option("Make no-guess games that need no total.")] = False
    method: Annotated[
        str | None,
        option(
            "uniform (every matching layout is equally likely) or repair (quicker if few "
            "layouts match). By default a sample of random layouts decides.",
        ),
    ] = None
    extra: Annotated[
        int, option("Additional clues in each puzzle, which could all be left out.", min=0)
    ] = 0
    certificate: Annotated[
        Path | None,
        option("Also write a certificate of each game or puzzle, for 'csp-mines verify'."),
    ] = None
    sheet: Annotated[
        Path | None,
        option(
            "Also draw all puzzles on one page, such as page.svg, and their solutions on another, "
            "page-solutions.svg."
        ),
    ] = None
    book: Annotated[
        Path | None,
        option(
            "Write the puzzles and their solutions as a book instead of text: one .pdf file, or "
            "an .svg file for each page, such as book-1.svg for book.svg."
        ),
    ] = None
    paper: Annotated[str, option("The size of the pages: a4 or letter.", metavar="SIZE")] = "a4"
    opened: Annotated[
        float | None, option("Open this share of the safe cells at random.", metavar="SHARE")
    ] = None
    stuck: Annotated[bool, option("Show the board at the first forced guess.")] = False
    layout: Annotated[
        str | None,
        option(
            "Write the layout instead of a board, in the notation NAME: layout, mbf, line, tatham, "
            "layout-link, ….",
        ),
    ] = None
    first: gameplay.First = None
    start: Annotated[
        str | None,
        option(
            f"{gameplay.STARTS}; {gameplay.SQRT_START}. By default zero with --no-guess, else "
            "safe.",
            metavar="KIND",
        ),
    ] = None
    flood: gameplay.Flood = True
    clues: gameplay.ClueModel = defaults.CLUES
    reveal: gameplay.Reveal = defaults.REVEAL
    workers: Annotated[
        int | None, option("Threads. By default one per core.", min=1, max=defaults.MOST_THREADS)
    ] = None
    drawn: options.Drawn = field(default_factory=options.Drawn)
    format: Annotated[
        str | None,
        option(
            "The notation in which boards are written; see 'csp-mines formats'. By default "
            "canonical.",
            "-f",
        ),
    ] = None
    seed: options.Seed = 0
    json: options.Json = False

    def check_combinations(self) -> None:
        """Raise InputError for options that do not work together."""
        if self.no_guess and self.puzzle:
            raise InputError("give either --no-guess or --puzzle, not both")
        if self.layout is not None and (self.opened is not None or self.stuck):
            raise InputError("--layout works only without --opened and without --stuck")
        if self.opened is not None and self.stuck:
            raise InputError("give either --opened or --stuck, not both")
        either, default = self.no_guess or self.puzzle, Asked()
        conditions = {
            "only with --no-guess or --puzzle": (either, ("difficulty", "certificate")),
            "only with --no-guess": (self.no_guess, ("without_total", "method", "workers")),
            "only with --puzzle": (self.puzzle, ("extra", "sheet", "book", "paper")),
            "only without --no-guess and without --puzzle": (
                not either,
                ("stuck", "clues", "flood"),
            ),
            "only without --puzzle": (not self.puzzle, ("opened", "layout", "start", "first")),
        }
        for condition, (met, names) in conditions.items():
            for name in names:
                if not met and getattr(self, name) != getattr(default, name):
                    spelled = "no-flood" if name == "flood" else name.replace("_", "-")
                    raise InputError(f"--{spelled} works {condition}")

    def check_formats(self) -> None:
        """Raise UnknownName for an unknown name in --layout. Raise InputError if --count asks for
        several results, but --picture or --layout mbf writes only one."""
        if self.layout not in (None, OLD_LAYOUT):
            known_name("layout format", self.layout, writable(boards=False))
        if self.count > 1 and (self.layout == "mbf" or self.drawn.picture is not None):
            single = "--layout mbf" if self.layout == "mbf" else "--picture"
            raise InputError(f"{single} writes only one result: leave out --count")

    @property
    def notation(self) -> Notation:
        """The notation in which the results are written."""
        from csp_mines.formats import notation

        layout = "layout" if self.layout == OLD_LAYOUT else self.layout
        return notation(layout or self.format or "canonical")

    def show_each(
        self, results: Iterable[T], show_one: Callable[[T], None], what: str, spec: Spec
    ) -> int:
        """Call `show_one` for each result as soon as it is made, and return the exit status. If
        several results are wanted and standard output is not a terminal, also show a progress bar.
        After Ctrl-C, print how many results were made; `what` is the word for one result. `spec` is
        the size of the results."""
        from csp_mines.formats import between

        done = 0
        try:
            with progress(shown=not sys.stdout.isatty() and self.count > 1) as bar:
                task = bar.add_task("boards", total=self.count)
                for result in results:
                    if done and not self.json and self.book is None:
                        sys.stdout.write(between(self.notation, single_row=spec.rows == 1))
                    show_one(result)
                    done += 1
                    bar.update(task, completed=done)
        except KeyboardInterrupt:
            err().print(f"interrupted: {done:,} of {plural(self.count, what)} made")
            return INTERRUPTED
        return 0

    def show_game(self, game: Game, comment: str = "") -> None:
        """Show the board of a game or, with --layout, its layout. With --picture, also draw that
        board or layout."""
        from csp_mines.generation.boards import position

        if self.layout is not None:
            self._show_layout(game, comment)
            board = game.layout.board()
        else:
            board = position(game, opened=self.opened, stuck=self.stuck)
            self.show_board(board, comment)
        self.draw(board)

    def _show_layout(self, game: Game, comment: str) -> None:
        """Print the layout of a game: with --json as JSON, otherwise in the notation that --layout
        names. In the notation `layout`, print the comment before it."""
        game.start()
        layout, form = game.layout, self.notation
        if self.json:
            show_json(layout.to_json())
        elif form.name == "mbf":
            sys.stdout.buffer.write(layout.to_mbf())
            sys.stdout.buffer.flush()
        else:
            text = layout.to_text(form.name, game.first if form.keeps_first else None)
            _print_text(text, comment if form.name == "layout" else "")

    def show_board(self, board: Board, comment: str) -> None:
        """Print a board. If neither --format nor --json is given, print the comment before it."""
        if self.json:
            show_json(board.to_json(self.format))
        else:
            _print_text(board.to_text(self.format), comment if self.format is None else "")

    def draw(self, board: Board) -> None:
        """Draw a board into the file of --picture, if that option is given."""
        if self.drawn.picture is not None:
            from csp_mines.pictures.boards import draw_board

            draw_board(board, theme=self.drawn.theme).save(self.drawn.picture)

    def check_paper(self, spec: Spec) -> None:
        """Check --sheet, --book and --paper before the puzzles are made, because making puzzles
        takes long. Raises InputError for --paper alone, and what `check_sheet` and `check_book`
        raise."""
        from csp_mines.pictures.book import check_book, check_sheet

        if self.sheet is None and self.book is None and self.paper != "a4":
            raise InputError("--paper works only with --sheet or --book")
        if self.sheet is not None:
            check_sheet(self.sheet, spec, self.count, self.paper)
        if self.book is not None:
            check_book(self.book, spec, self.paper)

    def save_paper(self, made: list[Puzzle]) -> None:
        """With --sheet, write one page with the puzzles to the file that --sheet names, and one
        page with the solutions to a second file, whose name ends in `-solutions.svg`. With --book,
        write the puzzles and their solutions as a book, and print the number of puzzles, the number
        of pages and the first written file."""
        from csp_mines.pictures.book import draw_book, draw_sheet, save_book

        if self.sheet is not None:
            page, solutions = draw_sheet(made, self.paper)
            page.save(self.sheet)
            solutions.save(self.sheet.with_stem(f"{self.sheet.stem}-solutions"))
        if self.book is not None:
            pages = draw_book(made, self.paper)
            written = save_book(pages, self.book)
            told = f"{plural(len(made), 'puzzle')} on {plural(len(pages), 'page')}"
            console = err() if self.json else out()
            console.print(f"{told}: {written[0]}{' …' if written[1:] else ''}")


def _print_text(text: str, comment: str) -> None:
    """Print the text of a board or layout, after the comment if there is one."""
    sys.stdout.write((f"; {comment}\n" if comment else "") + text.rstrip("\n") + "\n")


def _no_guess(asked: Asked, spec: Spec, corner: Cell | None) -> int:
    from csp_mines import Game, Rules, certify
    from csp_mines.generation.noguess import Method, check_method, choose_method, sample
    from csp_mines.generation.noguess import generate as generate_games
    from csp_mines.generation.wishes import Wish, read_difficulty

    bounds = read_difficulty(asked.difficulty, use_total=not asked.without_total)
    wish = Wish(spec, corner or spec.first, asked.start or "zero", bounds)
    method = check_method(asked.method)
    if method is not Method.REPAIR:
        expected = sample(wish, asked.seed)
        method = method or choose_method(expected)
        if err().is_terminal or expected.seconds_for(asked.count) > WORTH_TELLING:
            err().print(f"{method}: {expected}", style="dim")
    games = generate_games(wish, asked.count, asked.seed, method=method, workers=asked.workers)
    with files.proof_file(asked.certificate) as write_proof:

        def show_one(game: NoGuessGame) -> None:
            if asked.json:
                show_json(game.to_json())
                asked.draw(game.layout.board())
            else:
                first = spec.geometry.label(game.first)
                comment = f"first {first}, grade {game.grade or 'none'}"
                played = Game(game.layout, Rules(start="safe"), first=game.first)
                asked.show_game(played, comment)
            write_proof(lambda: certify(game.layout, game.first, hardest=bounds.hardest))

        return asked.show_each(games, show_one, "board", spec)


def _puzzles(asked: Asked, spec: Spec) -> int:
    from csp_mines import certify_puzzle, puzzles
    from csp_mines.generation.wishes import read_difficulty

    asked.check_paper(spec)
    bounds = read_difficulty(asked.difficulty)
    made: list[Puzzle] = []
    results = puzzles(spec, asked.count, asked.seed, difficulty=bounds, extra=asked.extra)
    with files.proof_file(asked.certificate) as write_proof:

        def show_one(puzzle: Puzzle) -> None:
            made.append(puzzle)
            if asked.json:
                show_json(puzzle.to_json())
            elif asked.book is None:
                asked.show_board(puzzle.board, f"grade {puzzle.grade}")
            asked.draw(puzzle.board)
            write_proof(lambda: certify_puzzle(puzzle.board))

        status = asked.show_each(results, show_one, "puzzle", spec)
    if made:
        asked.save_paper(made)
    return status
