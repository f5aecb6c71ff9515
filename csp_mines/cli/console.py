"""Where commands write: results on `out()`, messages and progress on `err()`.

Each console is made when it is used, so it follows the current streams. Rich omits colours if a
stream is not a terminal, and honours NO_COLOR and FORCE_COLOR. All text passes through `printable`,
which escapes terminal control codes: a file name or a board cannot colour, move or clear anything.
Markup and emoji codes are off: `[red]` or `:bomb:` in a name is shown as it is."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING, Any, TextIO

from csp_mines.words import printable

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from rich.console import Console
    from rich.progress import Progress, ProgressColumn
    from rich.table import Table
    from rich.text import Text

__all__ = ["err", "numbers_table", "out", "progress", "show_json", "show_table"]


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
            raise BrokenPipeError  # rich would exit with status 1

        def render_str(self, text: str, **how: Any) -> Text:
            return super().render_str(printable(text), **how)

    return Plain(
        file=stream, highlight=False, markup=False, emoji=False, soft_wrap=not stream.isatty()
    )


def progress(*columns: ProgressColumn, shown: bool = True) -> Progress:
    """Return a progress bar on standard error, shown only in a terminal. Rich must not redirect
    standard output: it would send results to the terminal instead of the file or pipe."""
    from rich.progress import Progress

    console = err()
    hidden = not (shown and console.is_terminal)
    return Progress(
        *columns, console=console, transient=True, disable=hidden, redirect_stdout=False
    )


def numbers_table(*words: str, numbers: Iterable[str] = (), title: str | None = None) -> Table:
    """Return an empty table: columns of words, then columns of numbers."""
    from rich.box import SIMPLE_HEAD
    from rich.table import Table

    table = Table(*words, title=title, title_justify="left", box=SIMPLE_HEAD)
    for heading in numbers:
        table.add_column(heading, justify="right")
    return table


def show_table(table: Table) -> None:
    """Print a table on standard output. In a terminal, wide columns are wrapped between words;
    elsewhere the table has its full width. Names and numbers are never cut."""
    console = out()
    for column in table.columns:
        column.overflow = "fold"  # by default rich cuts them with an ellipsis
    wanted = console.measure(table, options=console.options.update(width=1000))
    width = wanted.minimum if console.is_terminal else wanted.maximum
    console.width = max(console.width, width)
    console.print(table)


def show_json(value: Any) -> None:
    """Print one line of JSON on standard output, without styling. Control characters are escaped,
    such as `\\u009b`."""
    sys.stdout.write("".join((*_pieces(value), "\n")))  # in one call, so that no half line is left
    sys.stdout.flush()


MANY = 100  # items of a list that are encoded at once; an item may be a row of thousands of cells


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
