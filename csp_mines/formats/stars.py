"""Layouts as people draw them: `*` for a mine, `.` for a safe cell, `~` for a hole."""

from __future__ import annotations

import re

import numpy as np

from csp_mines.board import HOLE, MARKED, Board, Cell
from csp_mines.formats.alphabet import Alphabet
from csp_mines.formats.grid_header import named_grid
from csp_mines.formats.grids import read_grid
from csp_mines.formats.notation import Contents, Notation, Text
from csp_mines.geometry import SQUARE, Geometry
from csp_mines.layout import Layout

ALPHABET = Alphabet({"*": MARKED, ".": 0, "~": HOLE}, comment=";")
_GRID = re.compile(r"\s*grid\s*:([^\n;]*|\s*graph[^\n]*)(?:;[^\n]*)?\n", re.IGNORECASE)


def _recognise(text: Text) -> bool:
    letters: set[str] = set()
    header = _GRID.match(text.text)
    for line in text.lines(header.end() if header else 0):
        letters |= set(line.text.split(";", 1)[0])
        if not letters <= set("*.~ \t"):
            return False
    # Without a header, a text that has only dots could be a board of hidden cells. No notation of
    # boards has both dots and holes.
    return "*" in letters or ("." in letters and (header is not None or "~" in letters))


def _read(text: Text) -> Contents:
    header = _GRID.match(text.text)
    geometry: Geometry = SQUARE if header is None else named_grid(text, 1, header[1].strip())
    codes = read_grid(text, ALPHABET, header.end() if header else 0)
    with text.refusals(1):
        return Contents(layout=Layout(codes == MARKED, geometry=geometry, holes=codes == HOLE))


def _write(layout: Layout, _: Cell | None) -> str:
    header = "" if layout.geometry == SQUARE else f"grid: {layout.geometry.spelled}\n"
    codes = np.where(layout.mines, np.int8(MARKED), layout.spec.codes(0))
    return f"{header}{ALPHABET.grid(Board.of_codes(codes))}\n"


NOTATION = Notation(
    "layout",
    "a layout: * for a mine, . for a safe cell, ~ for a hole; a line 'grid: …' at the top names "
    "any grid but square; comments after ;",
    "..*.\n*...",
    read=_read,
    recognise=_recognise,
    write_layout=_write,
    alphabet=ALPHABET,
    bare=True,
    keeps_grid=True,
)
