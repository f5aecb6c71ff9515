"""Parts of messages: cells, clues, plurals, lists, shortened texts, errors; also tables in HTML."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from html import escape
from typing import Any
from unicodedata import category

MOST_DIGITS = 15  # a number of layouts with more digits is shown rounded
MOST_NAMED = 20  # `few` keeps at most this many parts


def cell_name(cell: tuple[int, int]) -> str:
    """Return a cell in parentheses: `(3,4)`."""
    return f"({cell[0]},{cell[1]})"


def clue_text(label: str, relation: str, shown: int) -> str:
    """Return the text of a clue: `(3,4)=1`. `label` is the name of the clue's cell on the grid of
    the board, `relation` is `=`, `≥` or `≤`, and `shown` is the number that the cell shows."""
    return f"({label}){relation}{shown}"


def typed_cell(cell: tuple[int, int]) -> str:
    """Return a cell as people type it in commands: `3,4`."""
    return f"{cell[0]},{cell[1]}"


def plural(number: int, noun: str, nouns: str | None = None) -> str:
    """Return a number with its noun: `1 mine`, `2 mines`, `1,024 guesses`. `noun` is the singular,
    and `nouns` is the plural; by default the plural is the singular with an s."""
    return f"{number:,} {noun if number == 1 else nouns or noun + 's'}"


def tallied(counts: Mapping[Any, int]) -> str:
    """Return numbers with their names: `12 single, 3 pair`. Names with the number 0 are left
    out."""
    return ", ".join(f"{number} {name}" for name, number in counts.items() if number)


def percent(share: float) -> int:
    """Return a share that is neither 0 nor 1 in percent, from 1 to 99: 0 and 100 would look like a
    proof."""
    return min(max(round(share * 100), 1), 99)


def joined(parts: Iterable[str]) -> str:
    """Return the parts as a list in a sentence: `a`, `a and b`, `a, b and c`. There must be at
    least one part."""
    *most, last = parts
    return f"{', '.join(most)} and {last}" if most else last


def few(parts: Iterable[str], noun: str | None = None) -> list[str]:
    """Return a list of the first `MOST_NAMED` parts. If there are more parts, add an entry that
    says how many are left out: `12 more`, or `12 more clues` if `noun` is `clue`."""
    everything = list(parts)
    left = len(everything) - MOST_NAMED
    if left <= 0:
        return everything
    rest = f"{left:,} more" if noun is None else plural(left, f"more {noun}")
    return [*everything[:MOST_NAMED], rest]


def cut(text: str, most: int = 60) -> str:
    """Return the text. If it has more than `most` characters, replace its end with `…`, so that the
    result has `most` characters."""
    return text if len(text) <= most else f"{text[: most - 1]}…"


def error_text(error: BaseException) -> str:
    """Return the class and the message of an error: `ValueError: too large`. If the error has no
    message, return only the class."""
    return f"{type(error).__name__}: {error}".rstrip(": ")


def printable(text: str) -> str:
    """Return the text with an escape in place of each character that could control a terminal.

    These characters are control characters except newline and tab, the line and paragraph
    separators of Unicode, invisible characters such as those that change the direction of text, and
    bytes that are not UTF-8 (Python reads such a byte as a surrogate)."""
    return text if text.isprintable() else "".join(map(_spelled, text))


def _spelled(char: str) -> str:
    # Cc: control characters. Cf: invisible characters. Cs: surrogates. Zl, Zp: separators.
    if char in "\n\t" or category(char) not in ("Cc", "Cf", "Cs", "Zl", "Zp"):
        return char
    number = ord(char)
    return f"\\x{number:02x}" if number < 0x100 else f"\\u{{{number:x}}}"


def html_table(headings: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a table as HTML, for notebooks."""

    def line(tag: str, cells: Sequence[str]) -> str:
        return f"<tr>{''.join(f'<{tag}>{escape(cell)}</{tag}>' for cell in cells)}</tr>"

    body = "".join(line("td", row) for row in rows)
    return f"<table><thead>{line('th', headings)}</thead><tbody>{body}</tbody></table>"
