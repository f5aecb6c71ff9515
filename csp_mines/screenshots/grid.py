"""Finds the board in a lattice: follows the lines of the lattice as far as they separate tiles.

An edge is a change of colour from one pixel to the next. The pitch is the distance from a line to
the next one. The places of lines are chosen so that the sum of gains minus prices is largest. A
line gains if it is at an edge. Moving a line has a price, and so has an uneven distance between two
lines."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from csp_mines.screenshots.arrays import (
    Box,
    Doubles,
    Flags,
    Floats,
    Numbers,
    Pixels,
    mean_between,
    smoothed,
    weakest,
)
from csp_mines.screenshots.clock import Clock
from csp_mines.screenshots.lattice import SMALLEST_SIDE, Lattice, channels_of, edge_profile

TILE = 24  # pixels of a side of a tile after resampling
LARGEST_SIDE = 120  # cells
_EDGES = (2.5, 7.0, 20.0)  # limits that are tried: an edge changes a colour (0 to 255) by more
_STRONG = 12.0  # a greater change of colour at the side of a tile counts as this much
_LEAST_SIDE = 1.0  # change of colour that noise may cause at the side of a tile
_MARGIN = 0.06  # share of the side of a tile that is left out at each end
_PIECES_OF_WHOLE = 7  # number of pieces of a side in `_whole_sides`; the weakest counts
_STROKES = 0.2  # weight of edges of any length; edges as long as a tile are added with weight 1
_REACH = 0.16  # half the width of the gap between two tiles, in parts of the pitch
_UNEVEN = 0.06  # how far the distance of two lines may differ from the pitch, in parts of the pitch
_PRICE = 0.01  # price of each pixel by which a distance differs from the pitch
_PRICE_OF_RIM = 0.02  # price of each pixel by which the first or the last line is moved
_PRICE_OF_PLACE = 0.001  # price of each pixel by which any other line is moved
_PRICE_OF_STEP = 0.35  # price of each pixel by which a line is moved further than the line before
_GAIN = 1.1  # unevenly spaced lines must gain this many times as much as evenly spaced lines
_NEIGHBOURS = 4  # neighbours on each side of a line that smooth its place
_ROUNDING = 0.22  # how far rounding may move a line, in parts of the pitch
_FAINT = 5.0  # change of colour at a faint edge, in a picture without noise
_NOISY = 2.0  # a picture has noise if neighbouring pixels usually differ by this much
_MOST_SIDES = 3  # sides that need an edge, of four: some boards lack the line after their last row
_SHARE_OF_GRIDS = 0.7  # share of the time after which no further grid is looked for
_ROWS_OF_TILE = 72  # height in pixels; in a tile n times as high, only every n-th row is searched
_PIECES = 3  # number of pieces of a side in `_edges`; the weakest counts
_GROWTH = 12  # cells by which the search area grows each time


@dataclass(frozen=True)
class Grid:
    """The lines between and around the cells of a board, in pixels of the picture: `xs` are the
    vertical lines, and `ys` are the horizontal lines. There is one line more than there are columns
    or rows. `support[row, col]` says whether a cell has visible edges on as many sides as the
    search required. An edge is visible if the colour changes by more than `least`."""

    xs: Doubles
    ys: Doubles
    support: Flags
    least: float = 0.0

    @property
    def rows(self) -> int:
        return len(self.ys) - 1

    @property
    def cols(self) -> int:
        return len(self.xs) - 1

    @property
    def solid(self) -> bool:
        """Whether the grid has at least 64 cells, and more than 85 % of them have visible edges."""
        return bool(self.support.size >= 64 and self.support.mean() > 0.85)

    @property
    def score(self) -> float:
        """How much this looks like a board. The score grows with the share and with the number of
        cells that have visible edges."""
        return float(self.support.mean() ** 2 * self.support.sum() ** 0.4)

    @property
    def pitch(self) -> float:
        return _pitch(self.xs)


class _Need(NamedTuple):
    """The condition for a visible tile: at least `sides` of its sides have an edge at which the
    colour changes by more than `least`."""

    least: float
    sides: int


@dataclass
class _Axis:
    """Evenly spaced lines of one direction, with the indices `first` to `last`. The line with index
    `i` is at `start + i * pitch`, in pixels."""

    start: float
    pitch: float
    first: int
    last: int

    def lines(self) -> Doubles:
        return np.asarray(self.start + self.pitch * np.arange(self.first, self.last + 1))


def best_grids(
    pixels: Pixels,
    lattices: list[Lattice],
    clock: Clock,
    *,
    sides: int = _MOST_SIDES,
    known: Sequence[Grid] = (),
) -> list[Grid]:
    """Return the grids that `lattices` may show, together with the grids that are `known` from
    other lattices. The most likely grid comes first. A lattice shows up to three grids, one for
    each limit in `_EDGES`. A lattice shows no grid if too few tiles are visible, if the lattice
    lies in a solid grid that was found before, or if `clock` leaves no time.

    `sides` is the number of sides on which a tile must have visible edges. On a board without
    lines, one side is enough."""
    grids = list(known)
    for place, lattice in enumerate(lattices):
        is_late = clock.part(_SHARE_OF_GRIDS, len(lattices) - place)
        if any(_within(lattice, grid) for grid in grids if grid.solid):
            continue
        for least in _EDGES:
            grid = _grown(pixels, lattice, _Need(least, sides), is_late)
            if grid is not None and not any(_same(grid, other) for other in grids):
                grids.append(grid)
    grids.sort(key=lambda grid: -grid.score)
    return grids


def _within(lattice: Lattice, grid: Grid) -> bool:
    """Whether the middle of the window in which the lattice was found is on the grid."""
    top, left, bottom, right = lattice.box
    inside = grid.xs[0] <= (left + right) / 2 <= grid.xs[-1]
    return bool(inside and grid.ys[0] <= (top + bottom) / 2 <= grid.ys[-1])


def _same(each: Grid, other: Grid) -> bool:
    return (each.rows, each.cols) == (other.rows, other.cols) and bool(
        max(abs(each.xs[0] - other.xs[0]), abs(each.ys[0] - other.ys[0])) < 0.3 * each.pitch
    )


def _grown(
    pixels: Pixels, lattice: Lattice, need: _Need, is_late: Callable[[], bool]
) -> Grid | None:
    height, width = pixels.shape[:2]
    top, left, bottom, right = lattice.box
    across = _axis(lattice.left, lattice.pitch, left, right)
    down = _axis(lattice.top, lattice.pitch, top, bottom)
    support = _settled(pixels, across, down, need, is_late)
    if support is None or min(support.shape) < SMALLEST_SIDE or max(support.shape) > LARGEST_SIDE:
        return None
    xs, ys = across.lines(), down.lines()
    slack = 0.3 * across.pitch
    if min(xs[0], ys[0]) < -slack or xs[-1] > width + slack or ys[-1] > height + slack:
        return None  # the lines were moved out of the picture
    margin = round(0.25 * across.pitch)
    top, left = max(int(ys[0]) - margin, 0), max(int(xs[0]) - margin, 0)
    part = pixels[top : int(ys[-1]) + margin, left : int(xs[-1]) + margin]
    upright = part.transpose(1, 0, 2)
    xs, ys = _followed(part, xs, left, ys - top), _followed(upright, ys, top, xs - left)
    return Grid(xs, ys, support, need.least)


def _settled(
    pixels: Pixels, across: _Axis, down: _Axis, need: _Need, is_late: Callable[[], bool]
) -> Flags | None:
    """Change both axes in place: they end at the box around the visible tiles. Return for each tile
    in the box whether it is visible. Return None if there are too few lines or visible tiles, or if
    `is_late` says so.

    Each round finds the box, fits both axes to the edges in the box, and then lets the axes end
    `_GROWTH` cells outside the box. The rounds end when the box is the same as one round before, or
    when a side of the box has more than `LARGEST_SIDE` cells. After too many rounds, for example
    because two boxes alternate, the last box counts."""
    height, width = pixels.shape[:2]
    before: Box | None = None
    for _ in range(2 * LARGEST_SIDE // _GROWTH):
        if is_late():
            return None
        _clip(across, width)
        _clip(down, height)
        if across.last - across.first < SMALLEST_SIDE or down.last - down.first < SMALLEST_SIDE:
            return None
        upright, level = _both_edges(pixels, across.lines(), down.lines())
        support = _support(upright, level, need)
        bounds = _bounds(support)
        if bounds is None:
            return None
        top, left, bottom, right = bounds
        support = support[top:bottom, left:right]
        _refit(across, upright[:, top:bottom].sum(axis=1), left, right)
        _refit(down, level[left:right].sum(axis=0), top, bottom)
        box = (down.first + top, across.first + left, down.first + bottom, across.first + right)
        if box == before or max(support.shape) > LARGEST_SIDE:
            break
        before = box
        down.first, across.first = box[0] - _GROWTH, box[1] - _GROWTH
        down.last, across.last = box[2] + _GROWTH, box[3] + _GROWTH
    down.first, across.first, down.last, across.last = box
    return support


def _followed(part: Pixels, lines: Doubles, begin: int, bands: Doubles) -> Doubles:
    """Return the vertical `lines`, moved to the edges of tiles. The moved lines may be unevenly
    spaced: some programs round each line to a pixel, and some draw columns of two widths. `lines`
    are in pixels of the picture. `part` begins at column `begin` of the picture. `bands` are the
    horizontal lines, in pixels of `part`."""
    every = max(int(bands[1] - bands[0]) // _ROWS_OF_TILE, 1)
    edges = edge_profile(channels_of(part[::every]))
    # Strokes of digits are edges, too, but only the sides of tiles are as long as tiles. Edges of
    # any length count a little, because round corners make the sides of tiles shorter.
    edges = _STROKES * edges / max(edges.max(), 1e-6)
    sides = _whole_sides(part, bands)
    edges += sides / max(sides.max(), 1e-6)
    pitch = _pitch(lines)
    # The two edges of a gap between tiles become one peak in the middle of the gap.
    reach = max(round(_REACH * pitch), 2)
    kernel = 1 - (np.arange(-reach, reach + 1) / (reach + 1)) ** 2
    gains = np.convolve(edges, kernel, "same")
    gains /= max(gains.max(), 1e-6)
    lines = lines - begin - 1
    even, path = _comb(edges, lines), _tracked(gains, lines, pitch)
    uneven = gains[_inside(path, gains)].sum() > _GAIN * gains[_inside(even, gains)].sum()
    return np.asarray(_rounded(edges, _smoothed(path) if uneven else even) + begin + 1)


def _pitch(lines: Doubles) -> float:
    """Return the mean distance from a line to the next one."""
    return float(lines[-1] - lines[0]) / (len(lines) - 1)


def _inside(lines: Doubles | Numbers, gains: Doubles) -> Numbers:
    return np.asarray(np.clip(np.rint(lines), 0, len(gains) - 1), np.int64)


def _comb(edges: Floats, lines: Doubles) -> Doubles:
    """Return the evenly spaced lines near `lines` at which the sum of the strengths of edges is
    largest. `edges` has the strength for each pixel. The first and the last line do not count."""
    count, pitch = len(lines) - 1, _pitch(lines)
    # From one of these pitches to the next, the last line moves by half a pixel.
    pitches = np.arange(pitch * 0.985, pitch * 1.015, 0.5 / count)
    starts = lines[0] + np.arange(-0.2 * pitch, 0.2 * pitch, 0.5)
    places = starts[:, None, None] + pitches[:, None] * np.arange(1, count)
    profile = smoothed(edges)
    gains = profile[_inside(places, profile)].sum(axis=-1)
    # Where an edge is two pixels wide, several starts and pitches meet it equally well:
    # take their mean.
    good = np.argwhere(gains >= 0.998 * gains.max())
    start, step = starts[good[:, 0]].mean(), pitches[good[:, 1]].mean()
    return np.asarray(start + step * np.arange(count + 1))


def _tracked(gains: Doubles, lines: Doubles, pitch: float) -> Numbers:
    """Return one place for each of `lines`, so that the sum of gains minus prices is largest.
    `gains[x]` is the gain of a line at pixel `x`. Two things have a price: the distance of a place
    from the given place of its line, and the difference between `pitch` and the distance of two
    neighbouring places."""
    margin = int(2 * pitch)  # the first and the last line may be beyond the ends of `gains`
    gains = np.pad(gains, margin)
    places = np.arange(len(gains)) - margin
    most = max(round(_UNEVEN * pitch), 1)
    steps = np.arange(round(pitch) - most, round(pitch) + most + 1)
    prices = _PRICE * np.abs(steps - pitch)
    total = gains - _PRICE_OF_RIM * np.abs(places - lines[0])
    earlier: list[Numbers] = []
    for line in lines[1:]:
        options = np.full((len(steps), len(gains)), -np.inf)
        for option, step, price in zip(options, steps, prices, strict=True):
            option[step:] = total[:-step] - price
        earlier.append(np.arange(len(gains)) - steps[options.argmax(axis=0)])
        total = options.max(axis=0) + gains - _PRICE_OF_PLACE * np.abs(places - line)
    return _path(total - _PRICE_OF_RIM * np.abs(places - lines[-1]), earlier) - margin


def _path(total: Doubles, earlier: list[Numbers]) -> Numbers:
    """Return the best path: one place on each line, from the first line to the last. `total[place]`
    is the largest sum of a path that ends at `place`. `earlier[n][place]` is the place on line `n`
    of the best path that has `place` on line `n + 1`."""
    path = [int(total.argmax())]
    for before in reversed(earlier):
        path.append(int(before[path[-1]]))
    return np.array(path[::-1])


def _smoothed(path: Numbers) -> Doubles:
    """Return `path` with each place replaced by a linear fit to the places around it."""
    count = len(path)
    near = min(_NEIGHBOURS, count // 2)
    result = np.empty(count)
    for place in range(count):
        first = min(max(place - near, 0), count - 1 - 2 * near)
        index = np.arange(first, min(first + 2 * near + 1, count))
        result[place] = np.polyval(np.polyfit(index, path[index], 1), place)
    return result


def _rounded(edges: Floats, lines: Doubles) -> Doubles:
    """Return the lines, each moved to a strong edge within a few pixels. Programs round lines to
    whole pixels, so the distances between lines differ. Moving two neighbouring lines by different
    distances has a price."""
    profile = smoothed(edges)
    reach = max(round(_ROUNDING * float(lines[1] - lines[0])), 1)
    around = np.arange(-2 * reach, 2 * reach + 1)
    places = np.rint(lines).astype(int)[:, None] + around
    seen = (places >= 0) & (places < len(profile))
    near = np.where(seen, profile[np.clip(places, 0, len(profile) - 1)], 0)
    # There may be two edges near each line. The edges near a line are compared with the mean of the
    # edges near all lines, so that all lines take the same one of the two edges.
    usual = near[:, reach:-reach].mean(axis=0)
    gains = np.lib.stride_tricks.sliding_window_view(near, 2 * reach + 1, axis=1) @ usual
    gains = gains / max(float(np.median(gains.max(axis=1))), 1e-6)
    return np.asarray(lines + _best_path(np.minimum(gains, 1.5)) - reach)


def _best_path(gains: Doubles) -> Numbers:
    """Return the path with the largest sum of gains minus costs. A path has one column for each row
    of `gains`. A step to another column costs `_PRICE_OF_STEP` times the distance of the columns.
    The first column costs a fifth of that price times its distance from the middle column."""
    size = gains.shape[1]
    costs = _PRICE_OF_STEP * np.abs(np.arange(size)[:, None] - np.arange(size))
    total, earlier = gains[0] - _PRICE_OF_STEP * 0.2 * np.abs(np.arange(size) - size // 2), []
    for row in gains[1:]:
        options = total[:, None] - costs
        earlier.append(options.argmax(axis=0))
        total = options.max(axis=0) + row
    return _path(total, earlier)


def _whole_sides(part: Pixels, bands: Doubles) -> Floats:
    """Return the strength of the vertical edge between each column of pixels and the next, summed
    over all rows of tiles. Only edges as long as the side of a tile count. `bands` are the
    horizontal lines, in pixels of `part`."""
    cuts = _pieces(bands, _MARGIN * np.diff(bands), _PIECES_OF_WHOLE, len(part))
    along = weakest(np.diff(mean_between(part, cuts), axis=2))
    return np.asarray(np.clip(along - _LEAST_SIDE, 0, _STRONG).sum(axis=0), np.float32)


def _pieces(bands: Doubles, margin: Doubles | float, pieces: int, last: int) -> Numbers:
    """Return the rows of pixels at which the side of a tile is divided into `pieces`: an array
    (cuts, rows of tiles). At each end, `margin` is left out. No row is after the row `last`."""
    cuts = np.linspace(bands[:-1] + margin, bands[1:] - margin, pieces + 1)
    return np.asarray(np.clip(np.rint(cuts).astype(int), 0, last))


def _axis(line: float, pitch: float, low: int, high: int) -> _Axis:
    return _Axis(line, pitch, int(np.ceil((low - line) / pitch)), int((high - line) / pitch))


def _clip(axis: _Axis, size: int) -> None:
    """Change the axis in place: drop the lines that lie more than 0.12 of the pitch outside the
    picture. `size` is the width or height of the picture."""
    slack = 0.12 * axis.pitch
    axis.first = max(axis.first, int(np.ceil((-slack - axis.start) / axis.pitch)))
    axis.last = min(axis.last, int(np.floor((size + slack - axis.start) / axis.pitch)))


def _both_edges(pixels: Pixels, xs: Doubles, ys: Doubles) -> tuple[Floats, Floats]:
    """Return the strengths of the edges near the vertical lines `xs`, and of the edges near the
    horizontal lines `ys`, in the shapes that `_support` takes."""
    upright = _edges(pixels, xs, ys)
    return upright, _edges(pixels.transpose(1, 0, 2), ys, xs).transpose(1, 0, 2)


def _edges(pixels: Pixels, lines: Doubles, bands: Doubles) -> Floats:
    """Return the strengths of the vertical edges near `lines`: an array (lines, rows of cells,
    offsets). An offset is the distance of an edge from the line, in pixels. `bands` are the
    horizontal lines."""
    reach = max(2, round(0.09 * _pitch(lines)))
    height, width = pixels.shape[:2]
    offsets = np.arange(-reach, reach + 1)
    places = np.rint(lines).astype(int)[:, None] + offsets  # an edge at x: between x - 1 and x
    side = _pitch(bands)
    every = max(int(side) // _ROWS_OF_TILE, 1)
    cuts = _pieces(bands, 0.2 * side, _PIECES, height - 1)
    low, high = int(cuts.min()), int(cuts.max()) + 1
    rows, cuts = pixels[low:high:every], (cuts - low) // every
    after = rows[:, np.clip(places, 0, width - 1)].astype(np.int16)
    steps = after - rows[:, np.clip(places - 1, 0, width - 1)]
    outside = (places <= 0) | (places >= width)
    along = weakest(mean_between(steps, cuts))
    result = np.maximum(along, 0).astype(np.float32).transpose(1, 0, 2)
    # The border of the picture counts as an edge: a tight crop ends there.
    return np.where(outside[:, None, :], np.float32(np.inf), result)


def _support(upright: Floats, level: Floats, need: _Need) -> Flags:
    """Return which cells have edges on as many sides as `need` says. `upright` has the strengths of
    the edges near vertical lines, in the shape (vertical lines, rows, offsets). `level` has the
    strengths of the edges near horizontal lines, in the shape (columns, horizontal lines, offsets).
    An offset is the distance of an edge from the line, in pixels."""
    vertical = upright.max(axis=-1).T  # rows, lines
    horizontal = level.max(axis=-1).T  # lines, columns
    sides = np.stack([vertical[:, :-1], vertical[:, 1:], horizontal[:-1], horizontal[1:]])
    seen: Flags = (sides > need.least).sum(axis=0) >= need.sides
    return seen


def _bounds(support: Flags) -> Box | None:
    """Return the rectangle around the largest group of cells with `support`: top, left, bottom and
    right, where bottom and right are the first row and column after the rectangle. A gap of one or
    two cells does not divide a group. A cell with fewer than four other such cells within two steps
    belongs to no group. If there is no group, return None."""
    around = _windows(support, 2).sum(axis=(2, 3)) * support
    solid = around >= 5
    if not solid.any():
        return None
    labels = _components(solid)
    biggest = int(np.bincount(labels[labels > 0]).argmax())
    rows, cols = np.nonzero(labels == biggest)
    return int(rows.min()), int(cols.min()), int(rows.max()) + 1, int(cols.max()) + 1


def _windows(values: Flags | Numbers, reach: int) -> npt.NDArray[Any]:
    """Return for each cell the values up to `reach` steps away, also diagonally."""
    size = 2 * reach + 1
    return np.lib.stride_tricks.sliding_window_view(np.pad(values, reach), (size, size))


def _components(solid: Flags) -> Numbers:
    """Return for each cell the number of its group, or 0 if the cell is not `solid`. Solid cells up
    to three steps apart, also diagonally, are in one group."""
    labels = np.where(solid, np.arange(1, solid.size + 1).reshape(solid.shape), 0)
    while True:
        spread = np.where(solid, _windows(labels, 3).max(axis=(2, 3)), 0)
        if (spread == labels).all():
            return np.asarray(labels)
        labels = spread


def _refit(axis: _Axis, strengths: Floats, first: int, last: int) -> None:
    """Shift and stretch the axis in place, so that its lines meet the edges. `strengths` has the
    shape (lines, offsets). Only the edges near the lines `first` to `last` are used; both numbers
    are indices in `strengths`. The axis stays as it is if fewer than three lines have strong edges,
    or if the pitch would change by 2 % or more."""
    reach = strengths.shape[1] // 2
    lines = np.arange(first, last + 1)
    values = np.where(np.isfinite(strengths), strengths, 0)[first : last + 1]
    weights = values.max(axis=1)
    common = values.sum(axis=0)
    centre = int(common.argmax())
    # There may be two edges near each line. All lines must keep to the same one of the two, so
    # only edges near the offset with the strongest edges count.
    near = np.abs(np.arange(2 * reach + 1) - centre) <= max(1, reach // 2)
    places = np.where(near, values, 0).argmax(axis=1)
    used = weights > 0.25 * weights.max()
    if used.sum() < 3:
        return
    index = lines[used] + axis.first
    exact = np.rint(axis.start + axis.pitch * index) + places[used] - reach
    slope, start = np.polyfit(index, exact, 1, w=np.sqrt(weights[used]))
    if abs(slope - axis.pitch) < 0.02 * axis.pitch:
        axis.start, axis.pitch = float(start), float(slope)


def widened(grid: Grid, pixels: Pixels, lines: int) -> tuple[Grid, int, int]:
    """Add up to `lines` lines on each side of the grid, as far as the picture goes. Return the
    wider grid, the number of new rows at its top, and the number of new columns on its left."""
    xs, left = _more(grid.xs, pixels.shape[1], lines)
    ys, top = _more(grid.ys, pixels.shape[0], lines)
    support = np.zeros((len(ys) - 1, len(xs) - 1), bool)
    support[top : top + grid.rows, left : left + grid.cols] = grid.support
    return Grid(xs, ys, support, grid.least), top, left


def _more(lines: Doubles, size: int, most: int) -> tuple[Doubles, int]:
    # `first` and `last` are means of `near` distances: programs round lines to whole pixels.
    near = min(len(lines) - 1, 8)
    first, last = (lines[near] - lines[0]) / near, (lines[-1] - lines[-1 - near]) / near
    before = [lines[0] - step * first for step in range(most, 0, -1)]
    after = [lines[-1] + step * last for step in range(1, most + 1)]
    before = [line for line in before if line > -0.15 * first]
    after = [line for line in after if line < size + 0.15 * last]
    return np.array([*before, *lines, *after]), len(before)


def part_of(grid: Grid, top: int, left: int, bottom: int, right: int) -> Grid:
    """Return the part of a grid between four of its lines, which are given by their indices."""
    xs, ys = grid.xs[left : right + 1], grid.ys[top : bottom + 1]
    return Grid(xs, ys, grid.support[top:bottom, left:right], grid.least)


def middle_of(grid: Grid, most: int) -> Grid:
    """Return the middle of a grid: at most `most` rows and `most` columns."""
    top, left = max(grid.rows - most, 0) // 2, max(grid.cols - most, 0) // 2
    return part_of(grid, top, left, min(top + most, grid.rows), min(left + most, grid.cols))


def visible_tiles(pixels: Pixels, grid: Grid) -> Flags:
    """Return which tiles of the grid have visible edges on three sides or more. In a picture
    without noise, faint edges count as visible."""
    top, left = max(int(grid.ys[0]), 0), max(int(grid.xs[0]), 0)
    green = pixels[top : int(grid.ys[-1]) : 3, left : int(grid.xs[-1]), 1].astype(np.int16)
    noise = float(np.median(np.abs(np.diff(green, axis=1))))
    least = min(_FAINT, grid.least) if noise < _NOISY else grid.least
    return _support(*_both_edges(pixels, grid.xs, grid.ys), _Need(least, _MOST_SIDES))


def crossed(pixels: Pixels, grid: Grid, side: int) -> float:
    """Return the share of the lines across the outermost row or column that are visible as edges in
    this row or column. `side` says at which side of the grid the row or column is, as an index in
    `rim.SIDES`."""
    least = max(grid.least, _EDGES[1])
    upright, level = _both_edges(pixels, grid.xs, grid.ys)
    lines = upright[1:-1] if side % 2 == 0 else level[:, 1:-1].transpose(1, 0, 2)
    return float((lines[:, 0 if side < 2 else -1].max(axis=-1) > least).mean())


def cut(pixels: Pixels, grid: Grid, size: int = TILE) -> Floats:
    """Return the tiles of the grid, each resampled to `size` times `size` pixels: an array (rows,
    cols, size, size, 3). Each new pixel is the mean of the area of the picture that it covers."""
    xs, ys = _fine(grid.xs, size), _fine(grid.ys, size)
    top, bottom = max(int(ys[0]) - 1, 0), min(int(np.ceil(ys[-1])) + 2, pixels.shape[0])
    left, right = max(int(xs[0]) - 1, 0), min(int(np.ceil(xs[-1])) + 2, pixels.shape[1])
    part = _averaged(pixels[top:bottom, left:right], ys - top, axis=0)
    part = _averaged(part, xs - left, axis=1)
    shape = (grid.rows, size, grid.cols, size, 3)
    return np.ascontiguousarray(part.reshape(shape).transpose(0, 2, 1, 3, 4))


def _fine(lines: Doubles, size: int) -> Doubles:
    cells = len(lines) - 1
    return np.interp(np.arange(cells * size + 1) / size, np.arange(cells + 1), lines)


def _averaged(part: Pixels | Floats, borders: Doubles, axis: int) -> Floats:
    """Return the mean of `part` between each two neighbouring `borders` along `axis`."""
    size = part.shape[axis]
    borders = np.clip(borders, 0, size)
    whole = np.minimum(borders.astype(int), size - 1)
    shape = (-1, 1, 1) if axis == 0 else (1, -1, 1)
    share = (borders - whole).astype(np.float32).reshape(shape)
    widths = np.maximum(np.diff(borders), 1e-6).astype(np.float32).reshape(shape)
    # Sums of bytes are exact. Sums of fractions are wrong by less than a tenth of a step of colour.
    exact = np.int32 if part.dtype == np.uint8 else np.float32
    at = part.take(whole, axis)
    sums = np.cumsum(part, axis=axis, dtype=exact).take(whole, axis) - at
    return np.asarray(
        (np.diff(sums, axis=axis) + np.diff(share * at, axis=axis)) / widths, np.float32
    )
