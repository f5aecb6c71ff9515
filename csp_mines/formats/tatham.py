"""IDs of Simon Tatham's Mines: `WxH:x,y,mHEX` has a size, a first cell and a bitmap of the mines.

W is the width, H the height, x the column and y the row of the first cell. `WxHnN` also says that
there are N mines. The first cell may be missing. `m` says that the bitmap is masked; with `u`, the
bitmap is not masked.

The bitmap has one bit for each cell, row by row, and begins with the highest bit of the first byte.
Masking works on bytes. First the first half of the bytes is masked: it is XORed with a stream of
bytes made from the second half. Then the second half is masked with a stream made from the masked
first half. A stream is a series of SHA-1 digests. Digest n is the digest of the bytes of the other
half followed by n in decimal digits, with n = 0, 1, 2 and so on."""

from __future__ import annotations

import hashlib
import re

import numpy as np

from csp_mines.board import Cell
from csp_mines.formats.notation import Contents, Notation, Text, quoted
from csp_mines.formats.runs import check_size, from_digits, to_digits
from csp_mines.layout import Bools, Layout
from csp_mines.words import plural

_ID = re.compile(
    r"(\d{1,9})x(\d{1,9})(?:n(\d{1,9})a?)?:(?:(\d{1,9}),(\d{1,9}),)?([mu])([0-9a-fA-F]*)", re.ASCII
)
_SEED = re.compile(r"\d+(?:x\d+)?(?:n\d+a?)?#.*", re.ASCII)


def _recognise(text: Text) -> bool:
    line = text.one_line()
    return bool(_ID.fullmatch(line) or _SEED.fullmatch(line))


def _read(text: Text) -> Contents:
    line = text.one_line()
    if _SEED.fullmatch(line):
        raise text.error(
            1,
            f"{quoted(line)} is a random seed, from which only Tatham's program can make a layout; "
            "give the ID WxH:x,y,mHEX of the game instead",
        )
    match = _ID.fullmatch(line)
    if match is None:
        raise text.expected("an ID WxH:x,y,mHEX or WxH:x,y,uHEX", line)
    width, height = int(match[1]), int(match[2])
    check_size(text, height, width)
    first = None if match[4] is None else (int(match[5]), int(match[4]))
    if first is not None and (first[0] >= height or first[1] >= width):
        raise text.error(
            1,
            f"the first cell {first[1]},{first[0]} is not on the board: the first number must be "
            f"below the width {width}, the second below the height {height}",
        )
    mines = from_digits(text, match[7].lower(), 4, height, width)
    if match[6] == "m":
        mines = _masked(mines, (1, 0))
    layout = Layout(mines)
    if match[3] is not None and int(match[3]) != layout.count:
        raise text.error(
            1, f"the ID says {plural(int(match[3]), 'mine')}, but its bitmap has {layout.count}"
        )
    return Contents(layout=layout, first=first)


def _masked(mines: Bools, order: tuple[int, int]) -> Bools:
    """Return the bitmap `mines`: masked if `order` is (0, 1), or without its masks if `order` is
    (1, 0). `order` says which half is XORed first."""
    packed = np.packbits(mines)
    halves = np.split(packed, [len(packed) // 2])
    for place in order:
        mask = _stream(halves[1 - place].tobytes(), len(halves[place]))
        halves[place] ^= np.frombuffer(mask, np.uint8)
        # The bits after the last cell must stay 0.
        halves[1][-1] &= 0xFF << (-mines.size % 8) & 0xFF
    return np.unpackbits(packed, count=mines.size).astype(bool).reshape(mines.shape)


def _stream(key: bytes, length: int) -> bytes:
    """Return the bytes that mask one half of a bitmap. `key` is the other half."""
    blocks = (
        hashlib.sha1(key + str(counter).encode(), usedforsecurity=False).digest()
        for counter in range(-(-length // 20))
    )
    return b"".join(blocks)[:length]


def _write(layout: Layout, first: Cell | None) -> str:
    rows, cols = layout.shape
    digits = to_digits(_masked(layout.mines, (0, 1)).ravel(), 4)
    start = "" if first is None else f"{first[1]},{first[0]},"
    return f"{cols}x{rows}:{start}m{digits}"


NOTATION = Notation(
    "tatham",
    "ID of Simon Tatham's Mines, with a first cell x,y and a bitmap of the mines: WxH:x,y,mHEX "
    "(masked bitmap) or WxH:x,y,uHEX",
    "9x9:4,4,m00b7d48a3e0231c419200",
    read=_read,
    recognise=_recognise,
    write_layout=_write,
    keeps_first=True,
    one_line=_recognise,
)
