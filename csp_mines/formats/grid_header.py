"""The header `grid:` of boards and layouts: the name of a grid, the file of a graph, or a graph.

This module decides which texts may name the file of a graph. It also packs a grid for the one-line
notation (see `line`)."""

from __future__ import annotations

import base64
import binascii
import re
import zlib
from os.path import isfile
from pathlib import Path

from csp_mines.errors import BoardError
from csp_mines.formats.alphabet import Alphabet
from csp_mines.formats.notation import Text
from csp_mines.geometry import Geometry
from csp_mines.grids import as_geometry

_LARGEST = 20_000_000  # the most bytes of a graph after unpacking
_MOST_LETTERS = 9  # if a cell may have more neighbours, blanks separate the cells


def named_grid(text: Text, line: int, name: str) -> Geometry:
    """Return the grid that a header names; `name` is the value of the header. Only a text that was
    read from a file may name the file of a graph. A relative path of such a graph begins at the
    folder of the text. Raises BoardSyntaxError, which names `line`, for an unknown grid, a graph
    that cannot be read, and a file that the text may not name."""
    with text.refusals(line):
        if name.startswith("graph:"):
            name = f"graph:{_beside(text.source) / name.removeprefix('graph:').strip()}"
        return as_geometry(name)


def _beside(source: str) -> Path:
    """Return the folder of the file `source`, from which a text was read. Raises BoardError if
    there is no such file, or if `source` begins with `<`, as the source of a request does: a user
    of the page must not be able to read files of the server."""
    if source.startswith("<") or not isfile(source):
        raise BoardError(
            "only a board in a file may name the file of a graph; write the graph itself after "
            "'grid: graph', as one line of JSON"
        )
    return Path(source).parent


def in_words(geometry: Geometry) -> bool:
    """Whether clues of this grid may have two digits, so that blanks separate the cells."""
    return geometry.most > _MOST_LETTERS


def worded(alphabet: Alphabet, geometry: Geometry) -> Alphabet:
    """Return the alphabet, extended by the clues above 8 that the grid may have. If clues of the
    grid may have two digits, the alphabet writes a blank between cells."""
    if geometry.most <= 8:
        return alphabet
    clues = {str(clue): clue for clue in range(geometry.most + 1)}
    separator = " " if in_words(geometry) else alphabet.separator
    return Alphabet({**alphabet.letters, **clues}, separator, comment=alphabet.comment)


def packed_grid(geometry: Geometry) -> str:
    """Return the grid as text for a line: the name of the grid or, for a graph, `graph.` and the
    compressed graph. The text has only letters, digits, dots and hyphens."""
    if geometry.name != "graph":
        return geometry.name.replace(":", "-")
    packed = zlib.compress(geometry.spelled.removeprefix("graph ").encode(), 9)
    return "graph." + base64.urlsafe_b64encode(packed).decode().rstrip("=").replace("_", ".")


def unpacked_grid(text: Text, packed: str) -> Geometry:
    """Return the grid that `packed_grid` wrote as `packed`. Raises BoardSyntaxError for any other
    text."""
    if not packed.startswith("graph."):
        return named_grid(text, 1, re.sub(r"^radius-", "radius:", packed))
    letters = packed.removeprefix("graph.").replace(".", "_")
    try:
        data = base64.urlsafe_b64decode(letters + "=" * (-len(letters) % 4))
        unpacker = zlib.decompressobj()
        spelled = unpacker.decompress(data, _LARGEST).decode()
    except (binascii.Error, zlib.error, ValueError):
        raise text.error(1, "the graph in this line is damaged") from None
    if unpacker.unconsumed_tail:
        raise text.error(1, f"the graph in this line has more than {_LARGEST:,} bytes")
    return named_grid(text, 1, f"graph {spelled}")
