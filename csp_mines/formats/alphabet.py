"""Alphabets: which letter or word stands for which code of a cell. `fits_locally` compares each
clue of a board with the cells around the clue."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from csp_mines.board import CLEAR, EXPLODED, HIDDEN, HOLE, MARKED, Board, Codes, known_mines
from csp_mines.errors import BoardError
from csp_mines.geometry import SQUARE

# Entries of an alphabet's table for characters that are not cells; every code of a cell is smaller.
UNKNOWN, BLANK, NEWLINE = 127, 126, 125
OTHER_BLANKS = frozenset("\t\v\f\x1c\x1d\x1e\x1f")  # they separate words, but are no cells

DIGITS = {str(clue): clue for clue in range(9)}
CLUES = {str(clue): clue for clue in range(1, 9)}
# The integers in the reports of Rutgers University.
RUTGERS = {"9": HIDDEN, **DIGITS, "-1": MARKED, "-9": EXPLODED, "20": CLEAR}
_NAMES = {
    HIDDEN: "a hidden cell",
    MARKED: "a marked mine",
    EXPLODED: "an opened mine",
    CLEAR: "a safe cell that shows no clue",
    HOLE: "a hole",
}


@dataclass(frozen=True)
class Alphabet:
    """The letters or words of a notation. `letters` maps each letter or word to a code. If several
    letters have the same code, the first of them is written. `separator` is written between cells.
    If `tokens` is true, each word between blanks or commas is read as a cell. If `tokens` is false,
    each letter is read as a cell. `comment` is the sign that begins a comment, or None if the
    notation has no comments."""

    letters: Mapping[str, int]
    separator: str = ""
    tokens: bool = False
    comment: str | None = None

    @cached_property
    def table(self) -> Codes:
        """One entry per byte: the code of a cell, BLANK for a byte to skip, NEWLINE for a line end,
        and UNKNOWN for every other byte."""
        table = np.full(256, UNKNOWN, np.int8)
        table[[ord(blank) for blank in (" ", *OTHER_BLANKS)]] = BLANK
        table[ord("\n")] = NEWLINE
        for letter, code in self.letters.items():
            if len(letter) == 1:
                table[ord(letter)] = code
        return table

    def reads(self, line: str) -> bool:
        """Whether the line has at least one cell, and all its cells are in this alphabet. A comment
        at the end of the line is ignored."""
        text = line.split(self.comment, 1)[0] if self.comment else line
        if self.tokens:
            cells = text.replace(",", " ").split()
            return bool(cells) and all(cell in self.letters for cell in cells)
        used = {char for char in set(text) if not char.isspace() or char in self.letters}
        return bool(used) and used <= self.letters.keys()

    def spelled(self, code: int) -> str:
        """Return the letter or word to write for a code. Raises BoardError if there is none."""
        for letter, meaning in self.letters.items():
            if meaning == code:
                return letter
        named = _NAMES.get(code, f"the clue {code}")
        raise BoardError(f"this format has no letter for {named}; use the format 'canonical'")

    def grid(self, board: Board) -> str:
        """Return the cells of a board as text, one line per row, without a line end after the last
        row. Raises BoardError if the alphabet has no letter for a cell."""
        used = np.unique(board.codes).tolist()
        letters = {code: self.spelled(code) for code in used}
        return "\n".join(
            self.separator.join([letters[code] for code in row]) for row in board.codes.tolist()
        )


def fits_locally(codes: Codes) -> bool:
    """Return False if some clue contradicts the cells around it on the square grid: if the clue is
    smaller than the number of known mines around it, or greater than the number of known mines and
    hidden cells around it."""
    known = SQUARE.count(known_mines(codes))
    room = known + SQUARE.count(codes == HIDDEN)
    clue = codes >= 0
    return bool((((known <= codes) & (codes <= room)) | ~clue).all())
