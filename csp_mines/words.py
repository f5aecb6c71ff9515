"""Cells, lists and numbers as people write them."""

from __future__ import annotations

from collections.abc import Iterable
from unicodedata import category

__all__ = [
    "MOST_DIGITS",
    "cell_name",
    "clue_text",
    "cut",
    "few",
    "joined",
    "plural",
    "printable",
    "typed_cell",
]

MOST_DIGITS = 15  # a longer number of layouts is rounded
MOST_NAMED = 20  # a sentence that names more is not read


def cell_name(cell: tuple[int, int]) -> str:
    """`(3,4)`."""
    return f"({cell[0]},{cell[1]})"


def clue_text(cell: tuple[int, int], relation: str, shown: int) -> str:
    """`(3,4)=1`."""
    return f"{cell_name(cell)}{relation}{shown}"


def typed_cell(cell: tuple[int, int]) -> str:
    """`3,4`, as commands take it."""
    return f"{cell[0]},{cell[1]}"


def plural(number: int, noun: str, nouns: str | None = None) -> str:
    """`1 mine`, `2 mines`, `1,024 guesses`."""
    return f"{number:,} {noun if number == 1 else nouns or noun + 's'}"


def joined(parts: Iterable[str]) -> str:
    """`a`, `a and b`, `a, b and c`."""
    *most, last = parts
    return f"{', '.join(most)} and {last}" if most else last


def few(parts: Iterable[str], rest: str = "more") -> list[str]:
    """The parts, or the first `MOST_NAMED` of them and `12 more`."""
    everything = list(parts)
    if len(everything) <= MOST_NAMED:
        return everything
    return [*everything[:MOST_NAMED], f"{len(everything) - MOST_NAMED:,} {rest}"]


def cut(text: str, most: int = 60) -> str:
    """The text, or the beginning of a long one."""
    return text if len(text) <= most else f"{text[: most - 1]}…"


def printable(text: str) -> str:
    """The text with everything spelled out that a terminal would obey or could not show: control
    characters (a line break and a tab are none), marks that turn the direction of text around,
    and bytes that were no UTF-8."""
    return text if text.isprintable() else "".join(map(_spelled, text))


def _spelled(char: str) -> str:
    # Cc, Cf and Cs are controls, invisible marks and halves of characters; Zl and Zp break lines.
    if char in "\n\t" or category(char) not in ("Cc", "Cf", "Cs", "Zl", "Zp"):
        return char
    number = ord(char)
    return f"\\x{number:02x}" if number < 0x100 else f"\\u{{{number:x}}}"
