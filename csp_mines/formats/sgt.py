"""What Simon Tatham's Mines copies as text: `-` for 0, `*` a flag or mine, `!` the one that went
off, `?` hidden."""

from __future__ import annotations

from csp_mines.board import EXPLODED, HIDDEN, MARKED
from csp_mines.formats.alphabet import CLUES, Alphabet
from csp_mines.formats.plain import plain

NOTATION = plain(
    "sgt",
    "Tatham's text copy: ? hidden, - for 0, 1-8, * mine, ! detonated mine",
    "??*1\n-121",
    Alphabet({"?": HIDDEN, "-": 0, **CLUES, "*": MARKED, "!": EXPLODED}),
)
