"""Where commands write: results on `out()`, messages and progress on `err()`.

Both are made when they are used, so that they follow whatever the streams are by then. Rich leaves
colours out when a stream is no terminal, and honours NO_COLOR and FORCE_COLOR. Every text goes
through one place here that spells out what a terminal would obey: no name of a file and no line of
a board can colour, move or clear anything, and `[red]` in them is no markup but what it says."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING, Any, TextIO

from csp_mines.words import printable

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rich.console import Console
    from rich.progress import Progress, ProgressColumn
    from rich.table import Table
    from rich.text import Text

__all__ = ["err", "out", "progress", "show_json", "show_table"]


def out() -> Console:
    """Standard output. A terminal's lines break between words; where there is none, never."""
    return _console(sys.stdout)


def err() -> Console:
    """Standard error."""
    return _console(sys.stderr)


def _console(stream: TextIO) -> Console:
    from rich.console import Console

    class Plain(Console):
        def on_broken_pipe(self) -> None:
            raise BrokenPipeError  # rich would exit with status 1

        def render_str(self, text: str, **how: Any) -> Text:
            return super().render_str(printable(text), **how)

    return Plain(file=stream, highlight=False, markup=False, soft_wrap=not stream.isatty())


def progress(*columns: ProgressColumn, shown: bool = True) -> Progress:
    """A bar on standard error, where that is a terminal. Standard output is left alone: rich would
    lead it to the terminal, too, past the file or the pipe that waits for it."""
    from rich.progress import Progress

    console = err()
    hidden = not (shown and console.is_terminal)
    return Progress(
        *columns, console=console, transient=True, disable=hidden, redirect_stdout=False
    )


def show_table(table: Table) -> None:
    """A table on standard output: as wide as it is, or in a terminal as narrow as its longest words
    let it be. Names and numbers are never cut."""
    console = out()
    for column in table.columns:
        column.overflow = "fold"  # rich would end them by an ellipsis
    wanted = console.measure(table, options=console.options.update(width=1000))
    width = wanted.minimum if console.is_terminal else wanted.maximum
    console.width = max(console.width, width)
    console.print(table)


def show_json(value: Any) -> None:
    """One line of JSON on standard output, without any styling; what a terminal would obey or
    could not show is written as `\\u009b`."""
    sys.stdout.write("".join((*_pieces(value), "\n")))  # at once: half a line is no answer
    sys.stdout.flush()


MANY = 100  # items of a list that are written at once; an item may be a row of thousands


def _pieces(value: Any) -> Iterator[str]:
    """The text of a value, in pieces: the encoder would keep every number of a large board as a
    string of its own until the last is written."""
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
