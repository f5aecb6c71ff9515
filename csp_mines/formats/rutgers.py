"""The integers of the Rutgers reports, between blanks: 9 hidden, -1 marked, -9 opened mine."""

from __future__ import annotations

from csp_mines.board import CLEAR, EXPLODED, HIDDEN, MARKED
from csp_mines.formats.alphabet import DIGITS, Alphabet
from csp_mines.formats.plain import plain

NOTATION = plain(
    "rutgers",
    "integers: 9 hidden, 0-8, -1 marked mine, -9 opened mine, 20 safe without a clue",
    "9 9 -1 1\n0 1 2 1",
    Alphabet({"9": HIDDEN, **DIGITS, "-1": MARKED, "-9": EXPLODED, "20": CLEAR}, " ", tokens=True),
)
