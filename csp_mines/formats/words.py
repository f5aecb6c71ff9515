"""Read boards whose cells are words, as in tables, arrays and emoji boards."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import TypeAlias

from csp_mines.board import CLEAR, EXPLODED, HIDDEN, MARKED, Board
from csp_mines.formats.alphabet import RUTGERS
from csp_mines.formats.grids import read_rows
from csp_mines.formats.meanings import MEANINGS, Reading, named, readings, sensible, undecided
from csp_mines.formats.notation import Contents, Text, quoted
from csp_mines.words import joined

Rows: TypeAlias = Iterable[tuple[int, list[str]]]

_OURS = {"-1": HIDDEN, "-2": MARKED, "-3": EXPLODED, "-4": CLEAR, "10": HIDDEN, "11": MARKED}
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

    The board is that of the one reading that makes sense. If no reading makes sense, there must be
    only one reading, and the board is that of this reading. For every word with several codes, the
    note of the contents says which code was picked.

    Raises BoardSyntaxError if `meanings` lacks a word, if there is no reading, if it is unclear
    which reading to use, if the rows have different lengths, or if there is no row."""
    used: dict[str, int] = {}
    for line, row in rows():
        for cell in row:
            used.setdefault(cell, line)
    for cell, line in used.items():
        if cell not in meanings:
            raise text.error(line, f"{quoted(cell)} does not stand for a cell in this format")
    candidates: list[Reading] = []
    for codes in readings(used, meanings):
        coded = ((line, [codes[cell] for cell in row]) for line, row in rows())
        candidates.append(Reading(read_rows(text, coded), codes))
    if not candidates:
        signs = joined(
            spelled(cell) for cell in used if len(meanings[cell]) > 1 and 0 in meanings[cell]
        )
        raise text.error(
            1,
            f"{signs} can only mean hidden or 0, but other signs of this board mean the same; "
            "use one sign for hidden and one sign for 0",
        )
    remaining = sensible(candidates)
    loose = [cell for cell in sorted(used) if len(meanings[cell]) > 1]
    notes = [
        ", ".join(f"{spelled(cell)} {named(reading.letters[cell])}" for cell in loose)
        for reading in remaining
    ]
    if len(remaining) > 1:
        raise undecided(text, remaining, f"{'; or '.join(notes)}; use signs with only one meaning")
    return Contents(board=Board(remaining[0].codes), note=notes[0])


def _meanings(used: Iterable[str], hidden: Iterable[str]) -> dict[str, tuple[int, ...]]:
    """Return the codes that each word may stand for on a board with the words `used`. If one of
    these words is 9, -9 or 20, numbers have the meanings of the format `rutgers`. `read_words`
    explains `hidden`."""
    numbers = RUTGERS if {"9", "-9", "20"} & set(used) else _OURS
    firm = {**numbers, **_WORDS}
    single = {word: codes[0] for word, codes in MEANINGS.items() if len(codes) == 1} | firm
    if not any(single.get(word) == HIDDEN for word in used):
        firm.update(dict.fromkeys(hidden, HIDDEN))
    empty = {"": (HIDDEN, 0), " ": (HIDDEN, 0)}
    return {**MEANINGS, **empty, **{word: (code,) for word, code in firm.items()}}
