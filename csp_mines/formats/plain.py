"""The notations that are only rows of cells: letters or words. An alphabet defines each of them."""

from __future__ import annotations

from csp_mines.board import EXPLODED, HIDDEN, MARKED, Board
from csp_mines.formats.alphabet import CLUES, DIGITS, RUTGERS, Alphabet
from csp_mines.formats.grids import read_grid
from csp_mines.formats.notation import Contents, Notation


def plain(name: str, about: str, example: str, alphabet: Alphabet) -> Notation:
    """Return a notation that is only rows of cells. The notation recognises no text, so a text is
    read in this notation only if the caller names the notation."""
    return Notation(
        name,
        about,
        example,
        read=lambda text: Contents(board=Board(read_grid(text, alphabet))),
        write=alphabet.grid,
        alphabet=alphabet,
        bare=True,
    )


NOTATIONS = (
    plain(
        "madewokherd",
        "- for hidden, 0-8 for clues, m for a mine",
        "--m1\n0121",
        Alphabet({"-": HIDDEN, **DIGITS, "m": MARKED}),
    ),
    plain(
        "minesweepr",
        "x for hidden, . for 0, 1-8 for clues, * for a mine",
        "xx*1\n.121",
        Alphabet({"x": HIDDEN, ".": 0, **CLUES, "*": MARKED}),
    ),
    plain(
        "rutgers",
        "integers: 9 for hidden, 0-8 for clues, -1 for a marked mine, -9 for an opened mine, "
        "20 for a safe cell without a clue",
        "9 9 -1 1\n0 1 2 1",
        Alphabet(RUTGERS, " ", tokens=True),
    ),
    plain(  # what Simon Tatham's Mines copies as text
        "sgt",
        "Tatham's text copy: ? for hidden, - for 0, 1-8 for clues, * for a mine, ! for an opened "
        "mine",
        "??*1\n-121",
        Alphabet({"?": HIDDEN, "-": 0, **CLUES, "*": MARKED, "!": EXPLODED}),
    ),
    plain(
        "zig",
        "words: # for hidden, . or 0 for 0, 1-8 for clues, * for a mine",
        "# # * 1\n. 1 2 1",
        Alphabet({"#": HIDDEN, ".": 0, **DIGITS, "*": MARKED}, " ", tokens=True),
    ),
)
