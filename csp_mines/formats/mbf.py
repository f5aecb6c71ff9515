"""MBF, the layout files of several Minesweeper clones. Width and height take one byte each. The
number of mines takes two bytes, the high byte first. For every mine, the column and the row follow,
one byte each, counted from 0. MBF text is the same bytes in hex."""

from __future__ import annotations

import re

import numpy as np

from csp_mines.errors import BoardError
from csp_mines.formats.notation import Contents, Notation, Text
from csp_mines.layout import Layout
from csp_mines.words import plural

_HEX = re.compile(r"(?:[0-9a-fA-F]{2}\s*)+")


def from_bytes(data: bytes, source: str) -> Contents:
    """Read a layout from the bytes of a file. `source` is the name of the file in messages. Raises
    BoardError if the bytes are not MBF."""
    if len(data) < 4 or not data[0] or not data[1]:
        raise BoardError(
            f"{source}: not an MBF layout: expected a width and a height of at least 1 in the "
            "first two bytes, and the number of mines in the next two"
        )
    cols, rows, count = data[0], data[1], int.from_bytes(data[2:4], "big")
    if len(data) != 4 + 2 * count:
        raise BoardError(
            f"{source}: an MBF layout of {plural(count, 'mine')} has {4 + 2 * count} bytes, "
            f"but this one has {len(data)}"
        )
    grid = np.zeros((rows, cols), bool)
    for x, y in zip(data[4::2], data[5::2], strict=True):
        if x >= cols or y >= rows or grid[y, x]:
            raise BoardError(
                f"{source}: the mine at column {x}, row {y} is off the board or given twice"
            )
        grid[y, x] = True
    return Contents(layout=Layout(grid))


def to_bytes(layout: Layout) -> bytes:
    """Return the bytes of an MBF file. Raises BoardError if the layout is larger than 255×255."""
    rows, cols = layout.shape
    if max(rows, cols) > 255 or layout.count > 0xFFFF:
        raise BoardError(f"MBF holds layouts up to 255×255, not {rows}×{cols}")
    places = np.argwhere(layout.mines)[:, ::-1].astype(np.uint8)
    return bytes([cols, rows]) + layout.count.to_bytes(2, "big") + places.tobytes()


def _recognise(text: Text) -> bool:
    """Whether the text is hex of exactly the length that its first four bytes require. A row of
    only clues could look like that. But such a row cannot be a board: at least one clue is not 0,
    and the row has no mine and no hidden cell."""
    line = text.one_line()
    if len(line) > 2 * (4 + 2 * 0xFFFF) or not re.fullmatch(r"(?:[0-9a-fA-F]{2}){4,}", line):
        return False
    data = bytes.fromhex(line)
    return bool(data[0] and data[1]) and len(data) == 4 + 2 * int.from_bytes(data[2:4], "big")


def _read(text: Text) -> Contents:
    line = text.text.strip()
    if len(line) > 1_000_000 or not _HEX.fullmatch(line):
        raise text.expected("MBF as hex, two digits per byte")
    return from_bytes(bytes.fromhex(line), text.source)


NOTATION = Notation(
    "mbf",
    "layout file of several Minesweeper clones: one byte each for width and height, two bytes for "
    "the number of mines, then x and y of each mine; as text, the same bytes in hex",
    "0402000203000101",
    read=_read,
    recognise=_recognise,
    write_layout=lambda layout, _: to_bytes(layout).hex(),
    read_bytes=from_bytes,
    write_bytes=to_bytes,
    suffix=".mbf",
)
