"""The forgiving reader: reads rows of letters without a header in the one way that makes sense.

A format such as `letters:.=?,x=0` gives letters a meaning: `.` means `?` of the canonical notation,
and `x` means 0. A blank can have a meaning, too.

If the format gives no meanings, this reader tries every reading of the text. A reading takes one
meaning for each letter from the dictionary in `meanings`, and either ignores blanks or reads them
as 0. A reading makes sense if no clue contradicts the cells around it. If no reading makes sense,
the reader keeps all readings. If the kept readings give one board, the reader returns this board,
and `Contents.note` lists the meanings that the canonical notation does not have. If the kept
readings give several boards, the reader refuses the text."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import suppress

import numpy as np

from csp_mines.board import HIDDEN, MAX_CELLS, Board, Codes, known_mines
from csp_mines.errors import BoardSyntaxError, UnknownName
from csp_mines.formats import canonical, table
from csp_mines.formats.alphabet import OTHER_BLANKS, Alphabet, fits_locally
from csp_mines.formats.grids import read_grid
from csp_mines.formats.meanings import MEANINGS, Reading, named, readings, sensible, undecided
from csp_mines.formats.notation import Contents, Notation, Text
from csp_mines.geometry import SQUARE

_SYMBOLS = canonical.SYMBOLS
_NUMBER_A_LINE = re.compile(r"\s*(?:-?\d{1,2}[^\S\n]*(?:\n\s*|\Z))+", re.ASCII)
# A remark begins with `#`, `%` or `//` and contains two letters side by side. It is not a row.
_REMARK = re.compile(r"^[^\S\n]*(?:#|%|//)[^\n]*?[A-Za-z]{2}[^\n]*", re.MULTILINE)


def choose(text: Text, *, layout: bool = False) -> Contents:
    """Return the board of the one reading that makes sense. With `layout`, readings without hidden
    cells are preferred. Raises BoardSyntaxError if several boards remain. If there is no reading,
    because a letter has no meaning or the rows have different lengths, read the text in the
    canonical notation, which may raise BoardSyntaxError. If lines of blanks stand between the rows,
    only readings with blanks as 0 count."""
    candidates = list(_candidates(text))
    if _has_blank_rows(text):
        candidates = [reading for reading in candidates if reading.blanks]
    remaining = sensible(candidates)
    if layout:
        remaining = _preferred_as_layouts(remaining)
    remaining = _different(remaining)
    if not remaining:
        return canonical.NOTATION.read(text)
    if len(remaining) > 1:
        shown = "; or ".join(map(_shown, remaining[:3])) + ("; …" if len(remaining) > 3 else "")
        raise undecided(text, remaining, shown)
    return Contents(board=Board(remaining[0].codes), note=_note(remaining[0]))


def sensible_formats(text: Text) -> list[str]:
    """Return, for each reading that makes sense, the value of --format that selects the reading."""
    return [_format(reading) for reading in _candidates(text) if fits_locally(reading.codes)]


def has_rows_of_zeros(text: Text) -> bool:
    """Whether blank lines between the rows make sense as rows of 0s."""
    return _has_blank_rows(text) and any(
        reading.blanks and fits_locally(reading.codes) for reading in _candidates(text)
    )


def _has_blank_rows(text: Text) -> bool:
    """Whether some line between the rows has only blanks and is as long as the longest line."""
    if not re.search(r"\n[^\S\n]+\n", text.text):
        return False
    lines = text.text.split("\n")
    filled = [number for number, line in enumerate(lines) if line.strip()]
    between = lines[filled[0] : filled[-1]] if filled else []
    widest = max(map(len, lines))
    return any(len(line) == widest and not line.strip() for line in between)


def _without_remarks(text: Text) -> Text:
    if not re.search(r"#|%|//", text.text):
        return text
    return Text(text.without(_REMARK), text.source)


def _candidates(text: Text) -> Iterator[Reading]:
    """Yield every possible reading of a text, whether it makes sense or not."""
    text = _without_remarks(text)
    body = text.text
    meanings = list(readings(set(body) - {" ", "\n", *OTHER_BLANKS}))
    rectangular = False
    for letters in meanings:
        with suppress(BoardSyntaxError):
            yield Reading(read_grid(text, Alphabet(letters)), letters)
            rectangular = True
    if "-" in body and _NUMBER_A_LINE.fullmatch(body):
        yield from _column(text)
    if " " in body and OTHER_BLANKS.isdisjoint(body):
        for letters in meanings:
            if 0 not in letters.values():
                yield from _with_blanks(body, letters, padded=not rectangular)


def _column(text: Text) -> Iterator[Reading]:
    """Yield the reading of a text as a column of numbers. At least one of them is negative. Without
    a negative number, each digit could be a cell."""
    with suppress(BoardSyntaxError):  # a number without a meaning
        board = table.NOTATION.read(text).board
        assert board is not None
        numbers = zip(text.text.split(), board.codes.ravel().tolist(), strict=True)
        yield Reading(board.codes, dict(numbers))


def _with_blanks(body: str, letters: Mapping[str, int], *, padded: bool) -> Iterator[Reading]:
    """Yield the readings in which a blank is 0. There are at most two. In the first, every
    character is a cell. In the second, every second character is a cell, and the characters between
    cells are blanks. With `padded`, short lines are filled up with blanks. Without `padded`, a
    reading whose rows have different lengths is left out."""
    lines = _lines(body)
    for step in (1, 2):
        if step == 2 and any(line[1::2].strip() for line in lines):
            continue
        rows = [line[::step] for line in lines]
        if not padded and len(set(map(len, rows))) > 1:
            continue
        codes = _filled(rows, Alphabet({**letters, " ": 0}))
        # Programs that show a 0 as a blank also open all cells around this 0. So a reading with a
        # hidden cell beside a 0 is wrong.
        if codes is not None and not (SQUARE.count(codes == 0)[codes == HIDDEN] > 0).any():
            yield Reading(codes, letters, blanks=True)


def _lines(body: str) -> list[str]:
    """Return the lines of a text, without empty lines at its ends. If the text has more than
    MAX_CELLS lines, return an empty list."""
    return body.strip("\n").split("\n") if body.count("\n") < MAX_CELLS else []


def _filled(rows: list[str], alphabet: Alphabet) -> Codes | None:
    """Return the codes of rows in which every character is a cell. Short rows are filled up with
    blanks. Return None if the rows have no cells or more than MAX_CELLS."""
    width = max(map(len, rows), default=0)
    if not 0 < width * len(rows) <= MAX_CELLS:
        return None
    bytes_of = (np.frombuffer(row.ljust(width).encode("latin-1"), np.uint8) for row in rows)
    return np.array([alphabet.table[cells] for cells in bytes_of], np.int8)


def _preferred_as_layouts(remaining: list[Reading]) -> list[Reading]:
    """Return the readings without hidden cells, or all readings if there are none. Of these, return
    only the first with mines, if there is one."""
    whole = [reading for reading in remaining if not (reading.codes == HIDDEN).any()] or remaining
    mined = [reading for reading in whole if known_mines(reading.codes).any()]
    return mined[:1] or whole


def _different(remaining: list[Reading]) -> list[Reading]:
    """Return the readings, but of readings with the same codes only the first."""
    different: dict[tuple[tuple[int, ...], bytes], Reading] = {}
    for reading in remaining:
        different.setdefault((reading.codes.shape, reading.codes.tobytes()), reading)
    return list(different.values())


def _note(reading: Reading) -> str:
    """Return the meanings that the canonical notation does not have, such as `'.' hidden, '*' a
    marked mine`. The text is empty if there are none."""
    own = canonical.ALPHABET.letters
    told = [
        f"{letter!r} {named(code)}"
        for letter, code in reading.letters.items()
        if own.get(letter) != code
    ]
    return ", ".join(told + ["blanks 0"] * reading.blanks)


def _format(reading: Reading) -> str:
    """Return the value of --format that selects the reading."""
    if not _note(reading):
        return "canonical"
    if any(len(letter) > 1 for letter in reading.letters):
        return table.NOTATION.name
    said = [
        f"{letter}={_SYMBOLS[code]}"
        for letter, code in reading.letters.items()
        if len(MEANINGS[letter]) > 1
    ]
    said += [" =0"] * reading.blanks
    return f"letters:{','.join(said)}" if said else "letters"


def _shown(reading: Reading) -> str:
    """Describe a reading: the meanings of the letters, the size, the first row (at most 20 cells),
    and the value of --format that selects the reading."""
    row = "".join(_SYMBOLS[code] for code in reading.codes[0].tolist()[:20])
    rows, cols = reading.codes.shape
    more = "…" if cols > 20 else ""
    name = _format(reading)
    name = f"'{name}'" if " " in name else name
    note = _note(reading) or "as in the canonical notation"
    return f"{note}: {rows}×{cols}, first row {row}{more} (--format {name})"


def _configured(spec: str) -> Notation:
    """Return the notation that a text such as `.=?,x=0` defines. Raises UnknownName if a part
    between commas does not have the form of `x=0`."""
    said: dict[str, int] = {}
    for part in spec.split(","):
        code = canonical.ALPHABET.letters.get(part[2:])
        if len(part) != 3 or part[1] != "=" or code is None or not part[0].isascii():
            symbols = " ".join(canonical.ALPHABET.letters)
            hint = f"write a letter or a blank, then =, then one of {symbols}"
            raise UnknownName("meaning of a letter", part, [".=?", "x=0", "*=M"], hint)
        said[part[0]] = code
    return Notation(
        f"letters:{spec}",
        "letters with the meanings that the name lists",
        spec,
        read=lambda text: read_as(text, said),
        alphabet=Alphabet(said),
        bare=True,
    )


def read_as(text: Text, said: Mapping[str, int]) -> Contents:
    """Read a board in which each letter in `said` means the code that `said` gives. Every other
    letter has its first meaning in the dictionary in `meanings`. A blank is a cell only if `said`
    has a blank. Raises BoardSyntaxError if a letter has no meaning, or if the rows are not a
    board."""
    clean = _without_remarks(text)
    letters = {letter: codes[0] for letter, codes in MEANINGS.items()} | dict(said)
    if " " not in said:
        return Contents(board=Board(read_grid(clean, Alphabet(letters))))
    used = set(clean.text) - set("\n")
    if not used <= letters.keys():
        problem = f"{min(used - letters.keys())!r} has no meaning"
        raise text.error(1, f"{problem}; give it a meaning in the format, as in 'letters: =0,x=?'")
    return Contents(board=Board(_spaced(text, clean.text, Alphabet(letters))))


def _spaced(text: Text, body: str, alphabet: Alphabet) -> Codes:
    """Return the codes of the lines of `body`, in which a blank is a cell. But if every second
    character of every line is a blank, these blanks only separate cells. Short lines are filled up
    with blanks. Raises BoardSyntaxError if there is no cell or more than MAX_CELLS."""
    lines = _lines(body)
    if any(len(line) > 1 for line in lines) and not any(line[1::2].strip() for line in lines):
        lines = [line[::2] for line in lines]
    codes = _filled(lines, alphabet)
    if codes is None:
        raise text.error(1, f"expected a board of 1 to {MAX_CELLS:,} cells")
    return codes


NOTATION = Notation(
    "letters",
    "rows without a header; . # _ - F m * x X and blanks have the meanings that make sense; or "
    "give the meanings in the format: letters:.=?,x=0 reads . as ? (hidden) and x as 0",
    "..2.\n2*11",
    read=lambda text: choose(text),
    configure=_configured,
    bare=True,
)
