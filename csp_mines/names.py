"""Names that people type, with what each stands for. Nothing heavy is imported, so that help texts
list them."""

from __future__ import annotations

from collections.abc import Iterable
from enum import StrEnum

__all__ = [
    "CLUE_MODEL_NAMES",
    "EXPORT_NAMES",
    "LEVEL_SIZES",
    "MOVE_RULES",
    "REPORT_LEVEL_SIZES",
    "Grade",
    "listed",
]

CLUE_MODEL_NAMES = ("exact", "silent", "optimistic", "cautious")

EXPORT_NAMES = ("dimacs", "opb", "minizinc", "lp", "smtlib", "asp")

LEVEL_SIZES = {  # rows, columns, mines
    "beginner": (9, 9, 10),
    "intermediate": (16, 16, 40),
    "expert": (16, 30, 99),
}
REPORT_LEVEL_SIZES = {  # the three levels of report 3
    "easy": (9, 9, 10),
    "medium": (16, 16, 25),
    "hard": (16, 30, 99),
}

MOVE_RULES = ("safest", "win", "win:fast", "win:strong")


class Grade(StrEnum):
    """The weakest engine that suffices, easiest first."""

    SINGLE = "single"
    PAIR = "pair"
    SUBTRACTION = "subtraction"
    GAUSS = "gauss"
    SEARCH = "search"
    TOTAL = "total"

    @property
    def rank(self) -> int:
        """0 for the easiest."""
        return list(Grade).index(self)

    @property
    def words(self) -> str:
        """What it takes, for people who do not know the engines."""
        return _WORDS[self]


_WORDS = {
    Grade.SINGLE: "one clue at a time",
    Grade.PAIR: "two clues together",
    Grade.SUBTRACTION: "clues taken from one another",
    Grade.GAUSS: "clues added and subtracted",
    Grade.SEARCH: "trying cases",
    Grade.TOTAL: "the number of mines in all",
}


def listed(names: Iterable[str], joined_by: str = "or") -> str:
    """`a, b or c`."""
    *most, last = names
    return f"{', '.join(most)} {joined_by} {last}" if most else last
