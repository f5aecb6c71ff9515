"""Letters for cells: tables from letters or words to codes and back, and the check whether a
reading of a grid makes sense."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from csp_mines.board import CLEAR, EXPLODED, HIDDEN, MARKED, Board, Codes
from csp_mines.errors import BoardError
from csp_mines.geometry import GRID

__all__ = ["BLANK", "CLUES", "DIGITS", "NEWLINE", "UNKNOWN", "Alphabet", "fits_locally"]

# What the table of an alphabet says of a character that is no cell; cells are 8 at most.
UNKNOWN, BLANK, NEWLINE = 127, 126, 125

DIGITS = {str(clue): clue for clue in range(9)}
CLUES = {str(clue): clue for clue in range(1, 9)}
_NAMES = {
    HIDDEN: "a hidden cell",
    MARKED: "a marked mine",
    EXPLODED: "an opened mine",
    CLEAR: "a cell that is safe without a clue",
}


@dataclass(frozen=True)
class Alphabet:
    """The letters of a format. `letters` reads, and writes where a code has more than one letter
    the first of them; `tokens` are separated by blanks and may be longer than one character."""

    letters: Mapping[str, int]
    separator: str = ""
    tokens: bool = False
    comment: str | None = None

    @cached_property
    def table(self) -> Codes:
        """The code of every byte: BLANK to skip, UNKNOWN where it has none."""
        table = np.full(256, UNKNOWN, np.int8)
        table[[ord(blank) for blank in " \t\v\f\x1c\x1d\x1e\x1f"]] = BLANK
        table[ord("\n")] = NEWLINE
        for letter, code in self.letters.items():
            table[ord(letter)] = code
        return table

    def reads(self, line: str) -> bool:
        """Whether every cell of the line has a letter here."""
        text = line.split(self.comment, 1)[0] if self.comment else line
        if self.tokens:
            cells = text.replace(",", " ").split()
            return bool(cells) and all(cell in self.letters for cell in cells)
        used = {char for char in set(text) if not char.isspace() or char in self.letters}
        return bool(used) and used <= self.letters.keys()

    def spelled(self, code: int) -> str:
        """The letter of a code. Raises BoardError where there is none."""
        for letter, meaning in self.letters.items():
            if meaning == code:
                return letter
        raise BoardError(f"this format has no letter for {_NAMES.get(code, f'the clue {code}')}")

    def grid(self, board: Board) -> str:
        """The cells of a board, a line a row, without a line end after the last."""
        used = np.unique(board.codes).tolist()
        letters = {code: self.spelled(code) for code in used}
        return "\n".join(
            self.separator.join([letters[code] for code in row]) for row in board.codes.tolist()
        )


def fits_locally(codes: Codes) -> bool:
    """Whether every clue by itself can hold: no more mines known around it than it says, and
    hidden cells enough for the rest."""
    known = GRID.count((codes == MARKED) | (codes == EXPLODED))
    room = known + GRID.count(codes == HIDDEN)
    clue = codes >= 0
    return bool((((known <= codes) & (codes <= room)) | ~clue).all())
