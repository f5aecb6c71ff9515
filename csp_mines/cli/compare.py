"""`csp-mines compare`: what each engine proves on a board, what it misses, and how long it takes.
After several boards, the command also sums up the results of each engine. With --encodings, it
prints instead how many clauses each encoding needs for a board, and how long a SAT solver takes to
find all certain cells."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from csp_mines.cli import options, several, tell_error
from csp_mines.cli.console import numbers_table, out, progress, show_json, show_table
from csp_mines.cli.contradiction import tell_contradiction
from csp_mines.cli.groups import option
from csp_mines.errors import Contradiction, InputError
from csp_mines.words import plural, tallied

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rich.table import Table

    from csp_mines import Board, Cell, EncodingComparison
    from csp_mines.analysis.comparison import Comparison, Entry, Summary, Tally


def compare(
    boards: options.Boards,
    backend: Annotated[
        list[str] | None,
        option(
            "An engine to compare; repeat the option for more. By default all available engines.",
            "-b",
            metavar="NAME[:OPTION]",
        ),
    ] = None,
    *,
    header: options.Header,
    no_total: options.NoTotal = False,
    time_limit: options.TimeLimit = None,
    format: options.Format = None,
    cells: Annotated[
        bool, option("Show for each proved cell the first engine of the table that proves it.")
    ] = False,
    encodings: Annotated[
        bool, option("Instead of engines, compare ways to write the board as clauses.")
    ] = False,
    json: options.Json = False,
) -> int:
    """Compare what the engines can prove on one or more boards.

    csp-mines compare board.txt -b single -b subtraction:1 -b native

    "found" is the share of the certain cells that the engine proves. It is – or blank if no cell is
    certain or no complete engine answered. "calls" is the number of calls of a solver. "ms" is the
    time of the engine; for the first board, that includes loading the engine's library. A row is
    printed when its engine is done and a complete engine has answered, or at the end.

    An engine "failed" if it raised an error; the other engines go on. An engine "in floats"
    computes in floating point, so its answers prove nothing; "differs" says that they are not the
    answers of a complete engine. The exit status is 3 if an engine failed or two engines contradict
    each other.

    The line below the table counts the certain cells by the weakest reasoning that proves them.
    After several boards, a table of totals says how many cells each engine proved, and on how many
    boards it proved every certain cell.

    With --encodings you see how large the board becomes as clauses in each cardinality encoding,
    and how long the same SAT solver takes to find all certain cells. "native" stands for the
    solver's own at-most constraints.
    """
    from csp_mines.analysis.comparison import compare as compare_engines
    from csp_mines.backend import available_backends
    from csp_mines.constraints import Frontier

    if encodings and (backend or cells):
        raise InputError(
            "--encodings compares encodings, not engines: leave out --backend and --cells"
        )

    done: list[Comparison] = []

    def compare_one(name: str, board: Board) -> int:
        table = _Table(name, backend or available_backends())
        try:
            if encodings:
                _show_encodings(name, board, not no_total, time_limit, json=json)
                return 0
            compared = compare_engines(
                Frontier.of(board),
                backend,
                use_total=not no_total,
                seconds=time_limit,
                progress=None if json else table.add,
            )
        except Contradiction as error:
            return tell_contradiction(name, board, error, json=json, named=True)
        done.append(compared)
        if json:
            show_json(compared.to_json(name=name))
        else:
            table.add(compared)
            if compared.certain or cells:
                out().print()
            if compared.certain:
                unknown = "unknown, because grading takes too much time or memory"
                needed = tallied(compared.needed) or unknown
                out().print(f"  reasoning that the certain cells need: {needed}")
            if cells:
                _show_cells(compared)
        return max([0, *(tell_error(each.failed) for each in compared.entries if each.failed)])

    status = several.for_each_board(boards, format, header, compare_one, json=json)
    if len(done) > 1:
        _show_total(done, json=json)
    return status


def _show_total(done: list[Comparison], *, json: bool) -> None:
    """Print the results of each engine, summed over the boards in `done`."""
    from csp_mines.analysis.comparison import summed_up
    from csp_mines.cli.board_text import certain_cells

    summary = summed_up(done)
    if json:
        show_json(summary.to_json())
        return
    known = certain_cells(summary.certain)
    out().print(f"\ntotal: {plural(summary.boards, 'board')}{known}\n", style="bold")
    widths = max(6, *(len(tally.backend) for tally in summary.tallies)), 8, 9, 16, 8, 10
    headings = ("engine", "proved", "found", "whole boards", "calls", "ms")
    for row in (headings, *(_summed(tally, summary) for tally in summary.tallies)):
        out().print("  " + _aligned(row, widths))


def _title(name: str, board: Board, certain: int | None, mines: str | None = None) -> str:
    """Return the title of a table. If `mines` is given, it replaces the number of mines."""
    from csp_mines.cli.board_text import certain_cells, size_and_prior

    return f"{name}: {size_and_prior(board, mines)}{certain_cells(certain)}"


def _aligned(texts: Sequence[str], widths: Sequence[int], left: int = 1, gap: int = 2) -> str:
    """Return the texts as a line of columns, with `gap` blanks between them. In the first `left`
    columns, the texts stand at the left."""
    columns = [
        text.ljust(width) if place < left else text.rjust(width)
        for place, (text, width) in enumerate(zip(texts, widths, strict=True))
    ]
    return (" " * gap).join(columns).rstrip()


def _summed(tally: Tally, summary: Summary) -> tuple[str, ...]:
    return (
        tally.backend,
        f"{tally.proved:,}",
        f"{tally.proved / summary.certain:.0%}" if summary.certain else "–",
        f"{tally.whole:,} of {summary.boards:,}",
        f"{tally.calls:,}" if tally.calls else "",
        f"{tally.seconds * 1000:,.1f}",
    )


def _show_cells(compared: Comparison) -> None:
    """Print the board, with a letter at each proved cell: the letter of the first engine that
    proved the cell, small for a safe cell and capital for a mine. Below the board, list the letters
    and how many cells each engine adds. Engines that compute in floating point have no letter,
    because they prove nothing."""
    from csp_mines.cli.board_text import MINE_STYLE, SAFE_STYLE, BoardView

    labels: dict[Cell, tuple[str, str]] = {}
    lines = []
    proving = [entry for entry in compared.entries if not entry.floating_point]
    for letter, entry in zip("abcdefghijklmnopqrstuvwxyz", proving, strict=False):
        safe = sorted(entry.safe - labels.keys())
        mines = sorted(entry.mines - labels.keys())
        labels |= dict.fromkeys(safe, (letter, SAFE_STYLE))
        labels |= dict.fromkeys(mines, (letter.upper(), MINE_STYLE))
        added = f"{len(safe)} safe, {plural(len(mines), 'mine')}" if safe or mines else "nothing"
        lines.append(f"  {letter}  {entry.backend} adds {added}")
    lines += [
        f"  {entry.backend} has no letter: it computes in floats and proves nothing"
        for entry in compared.entries
        if entry.floating_point
    ]
    view = BoardView(compared.frontier.board, labels=labels)
    out().print(view.text)
    out().print("\n".join([*lines, "  small letters: safe cells; capitals: mines"]))


class _Table:
    """The table of a comparison, printed row by row while the engines work. In a narrow terminal
    the columns stand closer, and a long name has a line of its own."""

    MARGIN = "  "
    HEADINGS = ("engine", "complete", "safe", "mines", "found", "calls", "ms")

    def __init__(self, name: str, engines: list[str]) -> None:
        self.name = name
        numbers = (9, 6, 6, 11, 6, 9)
        longest = max(len(self.HEADINGS[0]), *map(len, engines))
        room = (out().width if out().is_terminal else 10_000) - len(self.MARGIN)
        self.narrow = longest + sum(numbers) + 2 * len(numbers) >= room
        self.gap = 1 if self.narrow else 2
        room -= sum(numbers) + self.gap * len(numbers)
        self.widths = (min(longest, max(room, len(self.HEADINGS[0]))), *numbers)
        self.shown = 0

    def add(self, compared: Comparison) -> None:
        """Print the rows of the engines that have finished since the last call. The first call also
        prints the title and the headings."""
        if not self.shown:
            out().print(
                self._title(compared), "", self._line(self.HEADINGS), sep="\n", style="bold"
            )
            rule = sum(self.widths) + self.gap * (len(self.widths) - 1) + 3 - self.narrow
            out().print(" " + "─" * (rule - 1))
        nothing = "–" if compared.certain == 0 else ""
        for entry in compared.entries[self.shown :]:
            whole = entry.share in (None, 1.0) and not entry.differs and not entry.failed
            style = "" if whole else "yellow"
            out().print(self._line(_row(entry, nothing)), style=style)
        self.shown = len(compared.entries)

    def _title(self, compared: Comparison) -> str:
        board = compared.frontier.board
        unused = board.mines is not None and not compared.use_total
        return _title(self.name, board, compared.certain, "total not used" if unused else None)

    def _line(self, texts: tuple[str, ...]) -> str:
        line = _aligned(texts, self.widths, 2, self.gap)
        if len(texts[0]) > self.widths[0]:
            line = f"{texts[0]}\n{self.MARGIN}{' ' * self.widths[0]}{line[len(texts[0]) :]}"
        return self.MARGIN + line


def _row(entry: Entry, nothing: str) -> tuple[str, ...]:
    return (
        entry.backend,
        "in floats" if entry.floating_point else "yes" if entry.complete else "no",
        str(len(entry.safe)),
        str(len(entry.mines)),
        _share(entry, nothing),
        str(entry.calls or ""),
        f"{entry.seconds * 1000:.1f}",
    )


def _share(entry: Entry, nothing: str) -> str:
    if entry.failed:
        return "failed"
    if entry.too_wide or entry.out_of_time:
        return "too wide" if entry.too_wide else "out of time"
    if entry.differs:
        return "differs"
    return nothing if entry.share is None else f"{entry.share:.0%}"


def _show_encodings(
    name: str, board: Board, use_total: bool, seconds: float | None, *, json: bool
) -> None:
    """Compare the encodings of a board, and print the comparison as a table or as JSON. A progress
    bar shows how many encodings are done, because a large board takes minutes."""
    from rich.progress import TextColumn

    from csp_mines.exports.clauses import clause_engine
    from csp_mines.exports.encodings import compare_encodings

    with progress(TextColumn("encodings")) as bar:
        task = bar.add_task("", total=len(clause_engine().encodings()))
        compared = compare_encodings(
            board,
            use_total=use_total,
            seconds=seconds,
            progress=lambda entry: bar.advance(task),
        )
    if json:
        show_json(compared.to_json(name=name))
    else:
        show_table(_encoding_table(name, compared))


def _encoding_table(name: str, compared: EncodingComparison) -> Table:
    title = _title(name, compared.board, compared.certain)
    numbers = ("variables", "clauses", "at-most", "encode ms", "deduce ms")
    table = numbers_table("encoding", numbers=numbers, title=title)
    for entry in compared.entries:
        deduced = entry.deduce_seconds
        table.add_row(
            entry.encoding,
            str(entry.variables),
            str(entry.clauses),
            str(entry.atmosts or ""),
            f"{entry.encode_seconds * 1000:.1f}",
            "out of time" if deduced is None else f"{deduced * 1000:.1f}",
        )
    return table
