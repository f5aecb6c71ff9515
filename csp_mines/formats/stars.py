"""Layouts as people draw them: `*` for a mine, `.` for a safe cell."""

from __future__ import annotations

from csp_mines.board import MARKED, Cell
from csp_mines.formats.alphabet import Alphabet
from csp_mines.formats.grids import read_grid
from csp_mines.formats.notation import Contents, Notation, Text
from csp_mines.layout import Layout

ALPHABET = Alphabet({"*": MARKED, ".": 0}, comment=";")


def _recognise(text: Text) -> bool:
    letters: set[str] = set()
    for line in text.lines():
        letters |= set(line.text.split(";", 1)[0])
        if not letters <= set("*. \t"):
            return False
    return "*" in letters  # dots alone could be a board with only hidden cells


def _read(text: Text) -> Contents:
    return Contents(layout=Layout(read_grid(text, ALPHABET) == MARKED))


def _write(layout: Layout, _: Cell | None) -> str:
    return "\n".join("".join(".*"[mine] for mine in row) for row in layout.mines.tolist()) + "\n"


NOTATION = Notation(
    "layout",
    "a layout as * for mines and . for safe cells, comments after ;",
    "..*.\n*...",
    read=_read,
    recognise=_recognise,
    write_layout=_write,
    alphabet=ALPHABET,
    bare=True,
)
