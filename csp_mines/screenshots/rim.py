"""Finds where a board ends in a picture, and on which sides the board may go on.

The search begins with a grid that may show only a part of the board. It also looks at tiles beyond
this grid. The rim is the outermost rows and columns of the board. A `box` is a part of a grid: its
first row and column, and the row and column after its last ones, in the order top, left, bottom,
right. A `side` is an index in `SIDES`."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from csp_mines.board import HIDDEN
from csp_mines.screenshots.arrays import Codes, Floats, Pixels
from csp_mines.screenshots.clock import Clock
from csp_mines.screenshots.glyphs import glyph, names_of
from csp_mines.screenshots.grid import (
    LARGEST_SIDE,
    TILE,
    Grid,
    crossed,
    cut,
    part_of,
    visible_tiles,
    widened,
)
from csp_mines.screenshots.lattice import SMALLEST_SIDE
from csp_mines.screenshots.tiles import Kind, extent

SIDES = ("top", "left", "bottom", "right")
_AHEAD = 3  # rows or columns beyond each side that are searched for digits
_CLEAR = 0.9  # a digit with a higher probability is certain
_LEAST_CONTRAST = 40.0
_SAME_PLACE = 0.08  # how far the sizes and places of equal digits may differ, in parts of a tile
_SAME_COLOUR = 60.0
_SAME_TILE = 5.0
_PART_LIKE = 10.0
_PLAIN = 8.0
_LEAST_SUPPORT = 0.3
_MOST_CROSSED = 0.3  # if a larger share of the lines goes on beyond a side, the board may go on
# A row or column is removed as a frame if the share of its tiles with visible edges is less than
# _LEAST_VISIBLE times the usual share. No frame is removed if the usual share is below
# _USUALLY_VISIBLE.
_USUALLY_VISIBLE = 0.5
_LEAST_VISIBLE = 0.3


class _Digit(NamedTuple):
    label: int
    place: Floats  # height, width and centre, in parts of a tile
    colour: Floats


def found_extent(pixels: Pixels, grid: Grid, clock: Clock) -> Grid:
    """Return the grid of the whole board, without a frame around the board. `grid` is a first
    guess. The search looks for tiles of the board in `grid` and in a margin of two rows and columns
    around `grid`. If the board reaches the end of the margin, the search is repeated around the
    larger grid, with a margin twice as wide. The search ends when the board has more than
    `LARGEST_SIDE` rows or columns. Raises PictureTooBusy if the time of `clock` has passed."""
    margin = 2
    while True:
        wide, top, left = widened(grid, pixels, margin)
        box = (top, left, top + grid.rows, left + grid.cols)
        found = extent(cut(pixels, wide), wide.support, box, clock)
        part = part_of(wide, *found)
        ends = (0, 0, wide.rows, wide.cols)
        filled = any(
            place == end and place != start
            for place, end, start in zip(found, ends, box, strict=True)
        )
        if not filled or max(part.rows, part.cols) > LARGEST_SIDE:
            return _without_frame(pixels, part)
        grid, margin = part, 2 * margin


def _without_frame(pixels: Pixels, grid: Grid) -> Grid:
    """Return the grid without rows and columns of a frame or a page, which may look like hidden
    tiles. A row or column at the rim is removed if far fewer of its tiles have visible edges than
    usual, and if it shows fewer than two digits. At least `SMALLEST_SIDE` rows and columns remain.
    The `support` of the result is as in `visible_tiles`."""
    support = visible_tiles(pixels, grid)
    box = [0, 0, grid.rows, grid.cols]
    side, kept = 0, 0
    while kept < 4 and min(box[2] - box[0], box[3] - box[1]) > SMALLEST_SIDE:
        inside = support[box[0] : box[2], box[1] : box[3]]
        shares = inside.mean(axis=1 - side % 2)
        share, usual = shares[0 if side < 2 else -1], float(np.median(shares))
        line = _beyond(pixels, grid, box, side, 0) if share < _LEAST_VISIBLE * usual else None
        if line is None or usual < _USUALLY_VISIBLE or len(_digits(line)) >= 2:
            side, kept = (side + 1) % 4, kept + 1
        else:
            box[side] += 1 if side < 2 else -1
            kept = 0
    trimmed = part_of(grid, *box)
    return replace(trimmed, support=support[box[0] : box[2], box[1] : box[3]])


def continued(pixels: Pixels, grid: Grid, kinds: Sequence[Kind]) -> Grid:
    """Return the grid together with the rows and columns beyond it that belong to the board. Return
    `grid` itself if there are none. A row or column beyond the grid belongs to the board if at
    least two of its tiles show digits of the board, as in `_matches`. All rows or columns between
    the grid and this one are added, too, so up to `_AHEAD` - 1 of them need no digits. `kinds` are
    the kinds of the tiles on the grid."""
    known = _digits(kind.mean for kind in kinds if not kind.blank)
    while known and max(grid.rows, grid.cols) < LARGEST_SIDE:
        wide, top, left = widened(grid, pixels, _AHEAD)
        box = [top, left, top + grid.rows, left + grid.cols]
        further = list(box)
        for side in range(4):
            for steps in range(1, _AHEAD + 1):
                line = _beyond(pixels, wide, box, side, steps)
                if line is not None and _matches(line, known) >= 2:
                    further[side] = box[side] + (steps if side >= 2 else -steps)
        if further == box:
            break
        grid = part_of(wide, *further)
    return grid


def open_sides(pixels: Pixels, grid: Grid, kinds: Sequence[Kind], cells: Codes) -> list[str]:
    """Return the names of the sides on which the board may go on, in the order of `SIDES`. `cells`
    has the code of each cell. One of these conditions is enough:
    * just beyond the side, a tile shows a digit of the board, as in `_matches`;
    * most tiles there look like hidden tiles or tiles with a drawing on the board;
    * most tiles there look like blank zeros, and all outermost cells at the side show numbers;
    * many lines of the board go on there;
    * the border of the picture cuts off tiles there;
    * the outermost cells at the side may lie outside the board, as in `_unseen`."""
    known = _digits(kind.mean for kind in kinds if not kind.blank)
    wide, top, left = widened(grid, pixels, 1)
    box = [top, left, top + grid.rows, left + grid.cols]
    codes = [int(cells.ravel()[kind.cells[0]]) for kind in kinds]
    each = list(zip(kinds, codes, strict=True))
    zeros = [kind.mean for kind, code in each if kind.blank and code == 0]
    telling = [kind.mean for kind, code in each if not kind.blank or code == HIDDEN]
    found = []
    for side, name in enumerate(SIDES):
        line = _beyond(pixels, wide, box, side, 1)
        if line is None:
            is_open = _cut_off(pixels, grid, kinds, side)
        else:
            all_opened = bool((cells[line_of(side)] >= 0).all())
            is_open = _matches(line, known) > 0 or (all_opened and _same_as(line, zeros) > 0.5)
            is_open = is_open or crossed(pixels, _beside(wide, box, side), side) > _MOST_CROSSED
            is_open = is_open or _same_as(line, telling) > 0.5
        if is_open or _unseen(grid, cells, side):
            found.append(name)
    return found


def _beside(wide: Grid, box: list[int], side: int) -> Grid:
    """Return the part of `wide` in `box`, extended by one row or column at `side`."""
    box = list(box)
    box[side] += -1 if side < 2 else 1
    return part_of(wide, *box)


def _unseen(grid: Grid, cells: Codes, side: int) -> bool:
    """Whether the outermost row or column at `side` may lie outside the board: all its cells are
    read as hidden, but few have visible edges."""
    line = line_of(side)
    return bool((cells[line] == HIDDEN).all() and grid.support[line].mean() < _LEAST_SUPPORT)


def line_of(side: int) -> tuple[slice | int, slice | int]:
    """Return the index of the outermost row or column at `side`, for use as in `cells[index]`."""
    place = 0 if side < 2 else -1
    return (place, slice(None)) if side % 2 == 0 else (slice(None), place)


def _beyond(pixels: Pixels, wide: Grid, box: list[int], side: int, steps: int) -> Floats | None:
    """Return the tiles of the row or column that lies `steps` places outside `box` at `side`. With
    `steps` 0, this is the outermost row or column in `box`. Return None if the grid `wide` does not
    reach so far."""
    place = box[side] + steps - 1 if side >= 2 else box[side] - steps
    if not 0 <= place < (wide.rows, wide.cols)[side % 2]:
        return None
    line = (
        part_of(wide, place, box[1], place + 1, box[3])
        if side % 2 == 0
        else part_of(wide, box[0], place, box[2], place + 1)
    )
    return cut(pixels, line).reshape(-1, TILE, TILE, 3)


def _digits(tiles: Iterable[Floats]) -> list[_Digit]:
    """Return the digits from 1 to 8 on `tiles`. Tiles without a certain digit are left out."""
    drawn = [(tile, *glyph(tile)) for tile in tiles]
    drawn = [each for each in drawn if each[2] > _LEAST_CONTRAST]
    if not drawn:
        return []
    names = names_of(np.array([features for _, features, _ in drawn]))
    return [
        _Digit(int(name.argmax()), features[-4:], _ink(tile))
        for (tile, features, _), name in zip(drawn, names, strict=True)
        if name.max() > _CLEAR and 1 <= name.argmax() <= 8
    ]


def _ink(tile: Floats) -> Floats:
    """Return the colour of a digit: the median of the pixels that are least like the background."""
    inner = tile[4:-4, 4:-4].reshape(-1, 3)
    far = np.abs(inner - np.median(tile[3:6, 3:-3].reshape(-1, 3), axis=0)).max(axis=-1)
    return np.asarray(np.median(inner[np.argsort(-far)[:12]], axis=0))


def _matches(line: Floats, known: list[_Digit]) -> int:
    """Return how many tiles of a row or column show a digit of the board: a digit that is also in
    `known`, with nearly the same size, colour and place in its tile."""
    return sum(
        any(
            digit.label == other.label
            and np.abs(digit.place - other.place).max() < _SAME_PLACE
            and np.abs(digit.colour - other.colour).max() < _SAME_COLOUR
            for other in known
        )
        for digit in _digits(line)
    )


def _same_as(line: Floats, examples: list[Floats]) -> float:
    """Return the share of the tiles of a row or column that look like one of `examples`, borders
    included. Return 0 without examples."""
    if not examples:
        return 0.0
    differences = (line - example for example in examples)
    far = [
        np.max([np.abs(each.mean(axis=axis)).max(axis=(1, 2)) for axis in (1, 2)], axis=0)
        for each in differences
    ]
    return float((np.min(far, axis=0) < _SAME_TILE).mean())


def _cut_off(pixels: Pixels, grid: Grid, kinds: Sequence[Kind], side: int) -> bool:
    """Whether the border of the picture cuts off tiles that lie just beyond `side`."""
    lines = grid.ys if side % 2 == 0 else grid.xs
    size = pixels.shape[side % 2]
    room = float(lines[0] if side < 2 else size - lines[-1]) / grid.pitch
    if not 0.15 < room < 1:
        return False
    along = np.array(
        [lines[0] - grid.pitch, lines[0]] if side < 2 else [lines[-1], lines[-1] + grid.pitch]
    )
    xs, ys = (grid.xs, along) if side % 2 == 0 else (along, grid.ys)
    strip = Grid(xs, ys, np.zeros((len(ys) - 1, len(xs) - 1), bool))
    tiles = cut(pixels, strip).reshape(-1, *kinds[0].mean.shape)
    means = np.array([kind.mean for kind in kinds])
    if side % 2:  # the axis across the rim must come first
        tiles, means = tiles.transpose(0, 2, 1, 3), means.transpose(0, 2, 1, 3)
    seen = int(tiles.shape[1] * room) - 1
    part = slice(-seen, None) if side < 2 else slice(0, seen)
    far = [np.abs(means[:, part] - tile[part]).mean(axis=(1, 2, 3)).min() for tile in tiles]
    like = np.array(far) < _PART_LIKE
    drawn = np.array([tile[part].std(axis=(0, 1)).max() > _PLAIN for tile in tiles])
    return bool(like.mean() > 0.5 and (like & drawn).mean() > 0.2)
