"""Where and how commands print: results, messages, progress bars, tables and JSON. Results go to
`out()`, messages and progress to `err()`.

Each call of `out` or `err` makes a new console, which writes to the stream that is `sys.stdout` or
`sys.stderr` at that moment. Rich omits colours if a stream is not a terminal, and honours NO_COLOR
and FORCE_COLOR. Every `str` that a console prints passes through `printable`, which escapes
terminal control codes: a file name cannot change colours, move the cursor or clear the screen. A
`rich.text.Text` is printed unchanged, so commands put only harmless characters into it. Markup and
emoji codes are off: `[red]` or `:bomb:` in a name is shown as it is."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING, Any, TextIO

from csp_mines.words import printable

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from rich.console import Console
    from rich.progress import Progress, ProgressColumn
    from rich.table import Table
    from rich.text import Text


def out() -> Console:
    """Return a console for standard output. Long lines are wrapped only in a terminal."""
    return _console(sys.stdout)


def err() -> Console:
    """Return a console for standard error."""
    return _console(sys.stderr)


def _console(stream: TextIO) -> Console:
    from rich.console import Console

    class Plain(Console):
        def on_broken_pipe(self) -> None:
            raise BrokenPipeError  # by default rich exits with status 1

        def render_str(self, text: str, **how: Any) -> Text:
            return super().render_str(printable(text), **how)

    return Plain(
        file=stream, highlight=False, markup=False, emoji=False, soft_wrap=not stream.isatty()
    )


def progress(*more: ProgressColumn, shown: bool = True) -> Progress:
    """Return a progress bar on standard error, with the number of items done, the columns `more`
    and the time left. The bar is hidden if `shown` is false or standard error is not a
    terminal."""
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TimeRemainingColumn

    console = err()
    columns = BarColumn(), MofNCompleteColumn(), *more, TimeRemainingColumn()
    hidden = not (shown and console.is_terminal)
    # Rich must not redirect standard output: it would send results to the terminal, not to a file.
    return Progress(
        *columns, console=console, transient=True, disable=hidden, redirect_stdout=False
    )


def numbers_table(*words: str, numbers: Iterable[str] = (), title: str | None = None) -> Table:
    """Return a table without rows. The first columns, with the headings `words`, are for texts. The
    other columns, with the headings `numbers`, are for numbers."""
    from rich.box import SIMPLE_HEAD
    from rich.table import Table

    table = Table(*words, title=title, title_justify="left", box=SIMPLE_HEAD)
    for heading in numbers:
        table.add_column(heading, justify="right")
    return table


def show_table(table: Table) -> None:
    """Print a table on standard output. A table that is wider than the terminal loses its padding,
    and its headings may be wrapped. If it is still too wide, its cells are wrapped, too. Wrapping
    never cuts a word. If standard output is not a terminal, the table has its full width."""
    console = out()
    free = console.options.update(width=1000)
    full = console.measure(table, options=free).maximum
    if not console.is_terminal:
        console.width = max(console.width, full)
    elif full > console.width:
        table.padding, table.show_edge = 0, False
        if not _fit(table, console.width, lambda cell: [cell]):
            _fit(table, console.width, str.split)
        console.width = max(console.width, console.measure(table, options=free).maximum)
    console.print(table)


def fits(table: Table, parts: Callable[[str], list[str]] = lambda cell: [cell]) -> bool:
    """Return whether `show_table` can print a table without making it wider than the terminal, and
    without breaking the `parts` of a cell: by default, the whole cell. Always true if standard
    output is not a terminal."""
    console = out()
    widths = _least_widths(table, parts)
    return not console.is_terminal or sum(widths) + len(widths) - 1 <= console.width


def _least_widths(table: Table, parts: Callable[[str], list[str]]) -> list[int]:
    """Return the width of the longest part of each column of a table. `parts` divides the text of a
    cell into parts; the parts of a heading are its words."""
    from rich.cells import cell_len

    widths = []
    for column in table.columns:
        whole = (part for cell in column.cells for part in parts(str(cell)))
        widths.append(max(map(cell_len, [*str(column.header).split(), *whole])))
    return widths


def _fit(table: Table, width: int, parts: Callable[[str], list[str]]) -> bool:
    """Set the width of each column of a table, and return whether the table fits into `width`.
    `parts` divides the text of a cell into parts that must not be broken; the parts of a heading
    are its words. First each column gets the width of its longest part. If room is left, widen the
    columns from left to right: first to their longest cell, then to their heading."""
    from rich.cells import cell_len

    room = width - (len(table.columns) - 1)
    for column, least in zip(table.columns, _least_widths(table, parts), strict=True):
        column.overflow = "fold"  # by default rich cuts words with an ellipsis
        column.width = least
        room -= least
    enough = room >= 0
    for headings in (False, True):  # first widen for cells, then for headings
        for column in table.columns:
            texts = [*map(str, column.cells), *([str(column.header)] if headings else [])]
            now = column.width or 0
            more = max(0, min(room, max(map(cell_len, texts), default=0) - now))
            column.width, room = now + more, room - more
    return enough


def show_item(label: str, text: str, indent: int, style: str = "") -> None:
    """Print a label, padded to `indent` characters, and then a text on standard output. In a
    terminal, a long text is wrapped, and its further lines begin with `indent` blanks."""
    console = out()
    line = label.ljust(indent) + text
    if console.is_terminal:
        from textwrap import fill

        width = max(console.width, indent + 20)
        line = fill(
            line, width, subsequent_indent=" " * indent, break_on_hyphens=False,
            break_long_words=False,
        )  # fmt: skip
    console.print(line, style=style, soft_wrap=True)


def show_json(value: Any) -> None:
    """Print one line of JSON on standard output, without styling. Control characters are escaped,
    for example as `\\u009b`."""
    sys.stdout.write("".join((*_pieces(value), "\n")))  # joined first: an error leaves no half line
    sys.stdout.flush()


MANY = 100  # this many items of a list are encoded at once; an item may be a row of a large board


def _pieces(value: Any) -> Iterator[str]:
    """Yield the JSON text of a value in pieces. Encoding a large board at once would keep every
    number in memory as a string."""
    if isinstance(value, dict) and all(isinstance(key, str) for key in value):
        for place, (key, item) in enumerate(value.items()):
            yield f"{', ' if place else '{'}{_encoded(key)}: "
            yield from _pieces(item)
        yield "}" if value else "{}"
    elif isinstance(value, list) and len(value) > MANY:
        for start in range(0, len(value), MANY):
            yield ", " if start else "["
            yield _encoded(value[start : start + MANY])[1:-1]
        yield "]"
    else:
        yield _encoded(value)


def _encoded(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False, allow_nan=False)
    if text.isprintable():
        return text
    return "".join(char if char.isprintable() else json.dumps(char)[1:-1] for char in text)
