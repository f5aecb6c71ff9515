"""Words between blanks: `#` hidden, `.` or 0 for 0, `*` a mine."""

from __future__ import annotations

from csp_mines.board import HIDDEN, MARKED
from csp_mines.formats.alphabet import DIGITS, Alphabet
from csp_mines.formats.plain import plain

NOTATION = plain(
    "zig",
    "words: # hidden, . or 0 for 0, 1-8, * mine",
    "# # * 1\n. 1 2 1",
    Alphabet({"#": HIDDEN, ".": 0, **DIGITS, "*": MARKED}, " ", tokens=True),
)
