"""Grids of words and numbers: the common part of tables and arrays."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TypeAlias

from csp_mines.board import CLEAR, EXPLODED, HIDDEN, MARKED, Board, Codes
from csp_mines.formats.alphabet import fits_locally
from csp_mines.formats.grids import read_rows
from csp_mines.formats.meanings import MEANINGS, flexible, named, readings
from csp_mines.formats.notation import Contents, Text, quoted

__all__ = ["read_words"]

Rows: TypeAlias = Iterable[tuple[int, list[str]]]

_OURS = {"-1": HIDDEN, "-2": MARKED, "-3": EXPLODED, "-4": CLEAR, "10": HIDDEN, "11": MARKED}
_RUTGERS = {"9": HIDDEN, "-1": MARKED, "-9": EXPLODED, "20": CLEAR}
_WORDS = {"null": HIDDEN, "None": HIDDEN, "nan": HIDDEN}


def read_words(text: Text, rows: Callable[[], Rows], hidden: Iterable[str] = ()) -> Contents:
    """Read a board whose cells are words. A word in `hidden` means a hidden cell if no other
    word does. The function iterates over the rows once to collect the words, and once for each
    reading."""
    used: dict[str, int] = {}
    for line, row in rows():
        for word in row:
            used.setdefault(word, line)
    meanings = _meanings(used, hidden)
    for word, line in used.items():
        if word not in meanings:
            raise text.error(line, f"{quoted(word)} is not a cell")
    grids = [
        (
            reading,
            read_rows(text, ((line, [reading[word] for word in row]) for line, row in rows())),
        )
        for reading in readings(used, meanings)
    ]
    return _chosen(text, grids, meanings)


def _meanings(used: Iterable[str], hidden: Iterable[str]) -> dict[str, tuple[int, ...]]:
    numbers = _RUTGERS if {"9", "-9", "20"} & set(used) else _OURS
    firm = {**numbers, **_WORDS}
    single = {word: codes[0] for word, codes in MEANINGS.items() if len(codes) == 1} | firm
    if not any(single.get(word) == HIDDEN for word in used):
        firm.update(dict.fromkeys(hidden, HIDDEN))
    empty = {"": (HIDDEN, 0), " ": (HIDDEN, 0)}
    return {**MEANINGS, **empty, **{word: (code,) for word, code in firm.items()}}


def _chosen(
    text: Text,
    grids: list[tuple[dict[str, int], Codes]],
    meanings: dict[str, tuple[int, ...]],
) -> Contents:
    if not grids:
        raise text.error(1, "two words would have the same meaning; use one word for each")
    fitting = [grid for grid in grids if fits_locally(grid[1])] or grids
    if len({codes.tobytes() for _, codes in fitting}) > 1:
        ways = "; or ".join(_spelled(flexible(reading, meanings)) for reading, _ in fitting)
        raise text.error(1, f"{len(fitting)} readings make sense: {ways}; use other words for them")
    reading, codes = fitting[0]
    return Contents(board=Board(codes), note=_spelled(flexible(reading, meanings)))


def _spelled(chosen: dict[str, int]) -> str:
    return ", ".join(f"{word!r} {named(code)}" for word, code in chosen.items())
