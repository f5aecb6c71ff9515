"""Read boards whose cells are words, as in tables, arrays and emoji boards."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import TypeAlias

from csp_mines.board import CLEAR, EXPLODED, HIDDEN, MARKED, Board
from csp_mines.formats.alphabet import fits_locally
from csp_mines.formats.grids import read_rows
from csp_mines.formats.meanings import MEANINGS, named, readings
from csp_mines.formats.notation import Contents, Text, quoted
from csp_mines.words import joined

Rows: TypeAlias = Iterable[tuple[int, list[str]]]

_OURS = {"-1": HIDDEN, "-2": MARKED, "-3": EXPLODED, "-4": CLEAR, "10": HIDDEN, "11": MARKED}
_RUTGERS = {"9": HIDDEN, "-1": MARKED, "-9": EXPLODED, "20": CLEAR}
_WORDS = {"null": HIDDEN, "None": HIDDEN, "nan": HIDDEN}


def read_words(text: Text, rows: Callable[[], Rows], hidden: Iterable[str] = ()) -> Contents:
    """Read a board whose cells are words, with the meanings that `_meanings` gives. If no other
    word of the board always means a hidden cell, all words in `hidden` mean hidden cells. `rows()`
    yields the rows, each as its line number and its words. Raises what `read_cells` raises."""
    meanings = _meanings({word for _, row in rows() for word in row}, hidden)
    return read_cells(text, rows, meanings, spelled=repr)


def read_cells(
    text: Text,
    rows: Callable[[], Rows],
    meanings: Mapping[str, tuple[int, ...]],
    spelled: Callable[[str], str] = str,
) -> Contents:
    """Read a board whose cells are words.

    * `rows()` yields the rows, each as its line number and its words. This function calls `rows`
      several times.
    * `meanings` has the codes that each word may stand for. A reading picks one code for each word
      of the board (see `readings`).
    * `spelled` returns the text of a word for messages.

    A reading makes sense if no clue contradicts the cells around the clue. The board is that of the
    one reading that makes sense. If no reading makes sense, there must be only one reading, and the
    board is that of this reading. For every word with several codes, the note of the contents says
    which code was picked.

    Raises BoardSyntaxError if `meanings` lacks a word, if there is no reading, if it is unclear
    which reading to use, if the rows have different lengths, or if there is no row."""
    used: dict[str, int] = {}
    for line, row in rows():
        for cell in row:
            used.setdefault(cell, line)
    for cell, line in used.items():
        if cell not in meanings:
            raise text.error(line, f"{quoted(cell)} does not stand for a cell in this format")
    grids = [
        (
            reading,
            read_rows(text, ((line, [reading[cell] for cell in row]) for line, row in rows())),
        )
        for reading in readings(used, meanings)
    ]
    if not grids:
        signs = joined(
            spelled(cell) for cell in used if len(meanings[cell]) > 1 and 0 in meanings[cell]
        )
        raise text.error(
            1,
            f"{signs} can only mean hidden or 0, but other signs of this board mean the same; "
            "use one sign for hidden and one sign for 0",
        )
    fitting = [grid for grid in grids if fits_locally(grid[1])] or grids
    notes = [
        ", ".join(
            f"{spelled(cell)} {named(code)}"
            for cell, code in reading.items()
            if len(meanings[cell]) > 1
        )
        for reading, _ in fitting
    ]
    if len({codes.tobytes() for _, codes in fitting}) > 1:
        ways = "; or ".join(notes)
        count = f"{len(fitting)} readings make sense"
        if not fits_locally(fitting[0][1]):
            count = f"none of the {count}, because a clue contradicts the cells around it"
        raise text.error(1, f"{count}: {ways}; use signs with only one meaning")
    return Contents(board=Board(fitting[0][1]), note=notes[0])


def _meanings(used: Iterable[str], hidden: Iterable[str]) -> dict[str, tuple[int, ...]]:
    """Return the codes that each word may stand for on a board with the words `used`. If one of
    these words is 9, -9 or 20, numbers have the meanings of the format `rutgers`. `read_words`
    explains `hidden`."""
    numbers = _RUTGERS if {"9", "-9", "20"} & set(used) else _OURS
    firm = {**numbers, **_WORDS}
    single = {word: codes[0] for word, codes in MEANINGS.items() if len(codes) == 1} | firm
    if not any(single.get(word) == HIDDEN for word in used):
        firm.update(dict.fromkeys(hidden, HIDDEN))
    empty = {"": (HIDDEN, 0), " ": (HIDDEN, 0)}
    return {**MEANINGS, **empty, **{word: (code,) for word, code in firm.items()}}
