"""madewokherd's notation: `-` hidden, `m` a mine."""

from __future__ import annotations

from csp_mines.board import HIDDEN, MARKED
from csp_mines.formats.alphabet import DIGITS, Alphabet
from csp_mines.formats.plain import plain

NOTATION = plain(
    "madewokherd",
    "- hidden, 0-8, m mine",
    "--m1\n0121",
    Alphabet({"-": HIDDEN, **DIGITS, "m": MARKED}),
)
