"""Parameter files of Minesweeper models in the language Essence. -1 is hidden; comments begin with
`$`.

letting game be [[-1,1], …]
param game be [[-1,1], …]      in older versions"""

from __future__ import annotations

import re

from csp_mines.formats.array import read_array
from csp_mines.formats.notation import Contents, Notation, Text, quoted
from csp_mines.words import plural

_HEAD = re.compile(r"\s*(?:\$[^\n]*\s*)*(?:(?:language\s+)?ESSENCE|(?:letting|param)\s+\w+\s+be\b)")
_SIZE = re.compile(r"\b(?:letting|param)\s+(r|rows|c|cols)\s+be\s+(\d{1,7})\b", re.ASCII)
_GRID = re.compile(r"\b(?:letting|param)\s+(\w{1,99})\s+be\s+(?=\[\s*\[)")
_COMMENT = r"\$[^\n]*|;\s*int\([^()\n]{0,40}\)"  # a comment, or the index range that ends a row


def _read(text: Text) -> Contents:
    plain = Text(text.without(_COMMENT), text.source)
    match = _GRID.search(plain.text)
    if match is None:
        raise text.expected("'letting game be [[…]]'")
    if any(again[1] == match[1] for again in _GRID.finditer(plain.text, match.end())):
        problem = f"{quoted(match[1])} is given twice; put a blank line between boards"
        raise text.error(text.line_number(match.start()), problem)
    contents = read_array(plain, match.end(), alone=False)
    sizes = {key[0]: int(number) for key, number in _SIZE.findall(plain.text)}
    rows, cols = contents.shape
    for key, number, noun in (("r", rows, "row"), ("c", cols, "column")):
        if sizes.get(key, number) != number:
            problem = f"expected {plural(sizes[key], noun)}, but the array has {number}"
            raise text.error(text.line_number(match.start()), problem)
    return contents


NOTATION = Notation(
    "essence",
    "Essence parameters: letting game be [[…]], -1 hidden; comments after $",
    "letting r be 2\nletting c be 2\nletting game be [[-1, 1], [1, 1]]",
    read=_read,
    recognise=lambda text: "be" in text.text and _HEAD.match(text.text[:2_000]) is not None,
)
