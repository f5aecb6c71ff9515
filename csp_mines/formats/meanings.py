"""The dictionary of the forgiving reader: the codes that each letter may stand for.

Most letters have one meaning. A few have two, because programs differ: `.` is hidden or 0. A
*reading* picks one meaning for each letter of a text. At most one letter with two meanings may mean
hidden, and none if the text has a letter that always means hidden. The same holds for 0. A reading
makes sense if no clue contradicts the cells around it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import product

from csp_mines.board import CLEAR, EXPLODED, HIDDEN, MARKED, Codes
from csp_mines.errors import BoardSyntaxError
from csp_mines.formats.alphabet import DIGITS, fits_locally
from csp_mines.formats.notation import Text

_FIRM: dict[str, int] = {
    **DIGITS,
    **dict.fromkeys(("?", "#", "x", "H", "h", "U", "u"), HIDDEN),
    **dict.fromkeys(("M", "m", "F", "f"), MARKED),
    "!": EXPLODED,
    "C": CLEAR,
}
_FLEXIBLE: dict[str, tuple[int, int]] = {
    ".": (HIDDEN, 0),
    "_": (HIDDEN, 0),
    "-": (HIDDEN, 0),
    "X": (EXPLODED, HIDDEN),
    "*": (MARKED, HIDDEN),
}
MEANINGS: dict[str, tuple[int, ...]] = {
    **{letter: (code,) for letter, code in _FIRM.items()},
    **_FLEXIBLE,
}

_WORDS = {HIDDEN: "hidden", MARKED: "a marked mine", EXPLODED: "an opened mine", CLEAR: "safe"}


def readings(
    cells: Iterable[str], meanings: Mapping[str, tuple[int, ...]] = MEANINGS
) -> Iterator[dict[str, int]]:
    """Yield every reading of the letters or words in `cells`, as the code of each letter or word.
    If a letter or word is not in `meanings`, there is no reading."""
    used = sorted(set(cells))
    if not all(cell in meanings for cell in used):
        return
    loose = [cell for cell in used if len(meanings[cell]) > 1]
    firm = {cell: meanings[cell][0] for cell in used if len(meanings[cell]) == 1}
    for choice in product(*(meanings[cell] for cell in loose)):
        if all(choice.count(code) <= (code not in firm.values()) for code in (HIDDEN, 0)):
            chosen = {**firm, **dict(zip(loose, choice, strict=True))}
            yield {cell: chosen[cell] for cell in used}


@dataclass(frozen=True)
class Reading:
    """The codes of a board, and the meanings of the letters or words that give these codes.
    `blanks` says whether a blank means 0."""

    codes: Codes
    letters: Mapping[str, int]
    blanks: bool = False


def sensible(candidates: list[Reading]) -> list[Reading]:
    """Return the readings that make sense, or all readings if none makes sense. A single reading is
    always returned."""
    if len(candidates) < 2:
        return candidates
    return [reading for reading in candidates if fits_locally(reading.codes)] or candidates


def undecided(text: Text, remaining: list[Reading], shown: str) -> BoardSyntaxError:
    """Return the error that says how many readings `sensible` has left. `shown` describes them."""
    count = f"{len(remaining)} readings make sense"
    if not fits_locally(remaining[0].codes):
        count = f"none of the {count}, because a clue contradicts the cells around it"
    return text.error(1, f"{count}: {shown}")


def named(code: int) -> str:
    """Return a code in words, such as `hidden` or `an opened mine`. For a clue, return the number
    that it shows."""
    return _WORDS.get(code, str(code))
