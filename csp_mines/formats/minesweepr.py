"""minesweepr's notation: `.` for 0, `x` for hidden, `*` for a mine."""

from __future__ import annotations

from csp_mines.board import HIDDEN, MARKED
from csp_mines.formats.alphabet import CLUES, Alphabet
from csp_mines.formats.plain import plain

NOTATION = plain(
    "minesweepr",
    "x hidden, . for 0, 1-8, * mine",
    "xx*1\n.121",
    Alphabet({"x": HIDDEN, ".": 0, **CLUES, "*": MARKED}),
)
