"""Notations: the ways in which this program and others write boards and layouts.

Each module defines one notation as `NOTATION`. Notations that are only a grid are listed in one
table in `plain`. `registry` finds all notations. `reading` uses them to read and write boards and
layouts, and `parts` says where one of several boards in a text ends."""

from csp_mines.formats.canonical import SYMBOLS
from csp_mines.formats.notation import Contents, Notation
from csp_mines.formats.parts import between
from csp_mines.formats.reading import (
    Part,
    board_of,
    encode_layout,
    interpret,
    is_picture,
    layout_of,
    load,
    parse,
    parse_layout,
    split,
    write,
    write_layout,
)
from csp_mines.formats.registry import all_notations, notation

__all__ = [
    "SYMBOLS",
    "Contents",
    "Notation",
    "Part",
    "all_notations",
    "between",
    "board_of",
    "encode_layout",
    "interpret",
    "is_picture",
    "layout_of",
    "load",
    "notation",
    "parse",
    "parse_layout",
    "split",
    "write",
    "write_layout",
]
