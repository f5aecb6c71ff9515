"""The notations that are only a grid of letters or words, each defined by its alphabet."""

from __future__ import annotations

from csp_mines.board import CLEAR, EXPLODED, HIDDEN, MARKED, Board
from csp_mines.formats.alphabet import CLUES, DIGITS, Alphabet
from csp_mines.formats.grids import read_grid
from csp_mines.formats.notation import Contents, Notation


def plain(name: str, about: str, example: str, alphabet: Alphabet) -> Notation:
    """Return a notation that is only a grid. No text is recognised as this notation: callers must
    name it."""
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
        "- hidden, 0-8, m mine",
        "--m1\n0121",
        Alphabet({"-": HIDDEN, **DIGITS, "m": MARKED}),
    ),
    plain(
        "minesweepr",
        "x hidden, . for 0, 1-8, * mine",
        "xx*1\n.121",
        Alphabet({"x": HIDDEN, ".": 0, **CLUES, "*": MARKED}),
    ),
    plain(  # the integers in the reports of Rutgers University
        "rutgers",
        "integers: 9 hidden, 0-8, -1 marked mine, -9 opened mine, 20 safe without a clue",
        "9 9 -1 1\n0 1 2 1",
        Alphabet(
            {"9": HIDDEN, **DIGITS, "-1": MARKED, "-9": EXPLODED, "20": CLEAR}, " ", tokens=True
        ),
    ),
    plain(  # what Simon Tatham's Mines copies as text
        "sgt",
        "Tatham's text copy: ? hidden, - for 0, 1-8, * mine, ! detonated mine",
        "??*1\n-121",
        Alphabet({"?": HIDDEN, "-": 0, **CLUES, "*": MARKED, "!": EXPLODED}),
    ),
    plain(
        "zig",
        "words: # hidden, . or 0 for 0, 1-8, * mine",
        "# # * 1\n. 1 2 1",
        Alphabet({"#": HIDDEN, ".": 0, **DIGITS, "*": MARKED}, " ", tokens=True),
    ),
)
