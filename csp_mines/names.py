"""Names that people type: clue models, exports, levels, move rules, grades. This module imports
nothing that takes time, so that help texts can list the names quickly."""

from __future__ import annotations

from collections.abc import Iterable
from enum import StrEnum
from typing import Self

CLUE_MODEL_NAMES = ("exact", "silent", "optimistic", "cautious")

EXPORT_NAMES = ("dimacs", "opb", "minizinc", "lp", "smtlib", "asp")

LEVEL_SIZES = {  # rows, columns, mines
    "beginner": (9, 9, 10),
    "intermediate": (16, 16, 40),
    "expert": (16, 30, 99),
}
REPORT_LEVEL_SIZES = {  # the three levels of report 3 in docs/reports.md
    "easy": (9, 9, 10),
    "medium": (16, 16, 25),
    "hard": (16, 30, 99),
}

MOVE_RULES = ("safest", "win", "win:fast", "win:strong")


class Grade(StrEnum):
    """The grade of a deduction: the weakest engine that finds the deduction. The grades are listed
    from the easiest to the hardest.

    `engine` is the name of the engine. `search` and `total` have the same engine, which gets the
    number of mines only for `total`. `bounded` is True if the engine applies rules and its time is
    bounded; it is False if the engine searches. `words` describes a deduction of this grade to
    people who do not know the engines.

    >>> csp_mines.Grade.PAIR.rank < csp_mines.Grade.TOTAL.rank
    True
    >>> [f"{grade}" for grade in csp_mines.Grade]
    ['single', 'pair', 'subtraction', 'gauss', 'search', 'total']
    """

    engine: str
    bounded: bool
    words: str

    SINGLE = "single", "single", True, "one clue at a time"
    PAIR = "pair", "subtraction:1", True, "two clues together"
    SUBTRACTION = "subtraction", "subtraction", True, "clues subtracted from one another"
    GAUSS = "gauss", "gauss", True, "clues added and subtracted"
    SEARCH = "search", "native", False, "trying cases"
    TOTAL = "total", "native", False, "the number of mines in all"

    def __new__(cls, name: str, engine: str, bounded: bool, words: str) -> Self:
        grade = str.__new__(cls, name)
        grade._value_ = name
        grade.engine, grade.bounded, grade.words = engine, bounded, words
        return grade

    @property
    def rank(self) -> int:
        """0 for the easiest grade, 1 for the next one, and so on."""
        return list(Grade).index(self)


def listed(names: Iterable[str]) -> str:
    """Return the names as a choice in a sentence: `a, b or c`."""
    *most, last = names
    return f"{', '.join(most)} or {last}" if most else last
