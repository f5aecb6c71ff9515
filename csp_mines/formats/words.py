"""Read boards whose cells are words, as in tables, arrays and emoji boards."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import TypeAlias

from csp_mines.board import CLEAR, EXPLODED, HIDDEN, MARKED, Board
from csp_mines.formats.alphabet import fits_locally
from csp_mines.formats.grids import read_rows
from csp_mines.formats.meanings import MEANINGS, named, readings
from csp_mines.formats.notation import Contents, Text, quoted

Rows: TypeAlias = Iterable[tuple[int, list[str]]]

_OURS = {"-1": HIDDEN, "-2": MARKED, "-3": EXPLODED, "-4": CLEAR, "10": HIDDEN, "11": MARKED}
_RUTGERS = {"9": HIDDEN, "-1": MARKED, "-9": EXPLODED, "20": CLEAR}
_WORDS = {"null": HIDDEN, "None": HIDDEN, "nan": HIDDEN}


def read_words(text: Text, rows: Callable[[], Rows], hidden: Iterable[str] = ()) -> Contents:
    """Read a board whose cells are words. The words in `hidden` mean hidden cells if the board has
    no other word that always means a hidden cell."""
    meanings = _meanings({word for _, row in rows() for word in row}, hidden)
    return read_cells(text, rows, meanings, spelled=repr)


def read_cells(
    text: Text,
    rows: Callable[[], Rows],
    meanings: Mapping[str, tuple[int, ...]],
    spelled: Callable[[str], str] = str,
) -> Contents:
    """Read a board. `meanings` has the codes that each word may stand for, and a reading picks one
    of them for each word (see `readings`). Readings in which a clue contradicts the cells around it
    are dropped; if this leaves no reading, all are kept. If a word may stand for several codes, the
    note of the contents says which was chosen; `spelled` writes the word in the note. `rows` is
    called once to collect the words, and once for each reading. Raises BoardSyntaxError if a word
    has no meaning, if there is no reading, or if the kept readings give different boards."""
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
        raise text.error(1, "two signs would have the same meaning; use one sign for each meaning")
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
        raise text.error(1, f"{len(fitting)} readings make sense: {ways}; use unambiguous signs")
    return Contents(board=Board(fitting[0][1]), note=notes[0])


def _meanings(used: Iterable[str], hidden: Iterable[str]) -> dict[str, tuple[int, ...]]:
    """Return the codes that each word may stand for, in a grid of the words `used`. If the grid has
    9, -9 or 20, its numbers have the meanings of the format `rutgers`."""
    numbers = _RUTGERS if {"9", "-9", "20"} & set(used) else _OURS
    firm = {**numbers, **_WORDS}
    single = {word: codes[0] for word, codes in MEANINGS.items() if len(codes) == 1} | firm
    if not any(single.get(word) == HIDDEN for word in used):
        firm.update(dict.fromkeys(hidden, HIDDEN))
    empty = {"": (HIDDEN, 0), " ": (HIDDEN, 0)}
    return {**MEANINGS, **empty, **{word: (code,) for word, code in firm.items()}}
