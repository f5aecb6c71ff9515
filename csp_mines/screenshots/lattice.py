"""Finds square lattices in a picture: places where vertical and horizontal edges repeat with the
same period. This module knows nothing about Minesweeper.

The search uses the picture at several scales, called levels, and looks at each level in overlapping
windows. Each window has two profiles. The profile `across` says how strong the vertical edges are
between each column of pixels and the next one. The profile `down` says how strong the horizontal
edges are between each row of pixels and the next one."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from csp_mines.screenshots.arrays import (
    Box,
    Doubles,
    Flags,
    Floats,
    Pixels,
    smoothed,
    weakest,
    widest,
)
from csp_mines.screenshots.clock import SEARCH, Clock

SMALLEST_PERIOD = 10.0  # pixels, at the finest level
LARGEST_PERIOD = 27.0  # pixels at each level; longer periods are found at coarser levels
LEVELS = 4
_WINDOW = 288  # side of a window, in pixels of its level: ten cells or more
_EDGE_LENGTH = 7  # pixels of an edge that are averaged; shorter than the side of any cell
_LARGEST_EDGE = 24.0  # stronger edges count as this much, so that text does not outweigh tiles
_LEAST_SCORE = 0.05
_CLEAR = 0.2  # least score of the periods from which `height_of_tiles` takes its result
SMALLEST_SIDE = 4  # cells
_ALONE = 0.85  # without its multiples, a period must keep this share of its score
_LONGEST = 2.5  # the longer side of a tile is less than this many times the shorter side
_NOT_SQUARE = 0.04  # tiles whose height and width differ by less, in parts of the width, are square
_LEAST_SIZE = 30  # least side of the picture at each level, in pixels: three of the smallest tiles
_BLOCK = 24  # side of a block, in pixels; see `_busy`
_LEAST_STEP = 4  # an edge changes a colour by more than this
_LEAST_BUSY = 0.08  # least share of blocks with edges in a window that is searched
_MOST_CANDIDATES = 9
_MOST_WINDOWS = 40  # at each level; if there are more, the likeliest ones are searched
_BAND = 8  # rows of pixels in a band; a long edge is as long as the height of a band
_LONG_STEP = 6  # a long edge changes the mean colour of a band by more than this


@dataclass(frozen=True)
class Lattice:
    """Vertical lines at `left + i * pitch` and horizontal lines at `top + j * pitch`, in pixels of
    the whole picture. `box` is the window in which the lattice was found: top, left, bottom,
    right."""

    pitch: float
    left: float
    top: float
    score: float
    box: Box
    scale: int  # the scale of the level on which the lattice was found, as in `_levels`


def halved(pixels: Pixels) -> Pixels:
    """Return the picture at half its size; each pixel is the mean of four."""
    rows, cols = pixels.shape[0] // 2 * 2, pixels.shape[1] // 2 * 2
    even = pixels[:rows, :cols].astype(np.uint16)
    sums = even[0::2, 0::2] + even[1::2, 0::2] + even[0::2, 1::2] + even[1::2, 1::2]
    return (sums // 4).astype(np.uint8)


def lattices(pixels: Pixels, clock: Clock) -> list[Lattice]:
    """Return up to `_MOST_CANDIDATES` lattices that may be boards, the best one first. Some of them
    may be other patterns that repeat. The search begins with large tiles, and ends when the
    share `SEARCH` of the time of `clock` has passed."""
    levels = _levels(pixels)
    found: list[Lattice] = []
    for scale, across, down, box in _windows(levels, clock):
        found += _in_window(across, down, box, scale)
    kept = _without_doubles(found)
    return _without_doubles([*(_moved(levels[each.scale], each) for each in kept), *kept])


def height_of_tiles(pixels: Pixels, clock: Clock) -> float | None:
    """Return the height of the tiles divided by their width. Return None if no searched window
    shows oblong tiles: edges do not repeat clearly in both directions, the two periods are nearly
    equal, or the longer period is at least `_LONGEST` times the shorter period."""
    periods = np.arange(SMALLEST_PERIOD, 2.5 * LARGEST_PERIOD, 0.1)
    best, height = _CLEAR, None
    for _, across, down, _ in _windows(_levels(pixels), clock):
        scores = np.array([_periodicity(profile[None], periods)[0] for profile in (across, down)])
        shortest = min(len(across), len(down))
        scores[:, SMALLEST_SIDE * periods > shortest] = 0
        width_now, height_now = periods[scores.argmax(axis=1)]
        score = float(scores.max(axis=1).min())
        if score < best or abs(height_now - width_now) < _NOT_SQUARE * width_now:
            continue
        # Half of a true period gets a score, too, but only from its even multiples.
        alone = (
            float(_periodicity(profile[None], np.array([period]), 1)[0, 0])
            for profile, period in ((across, width_now), (down, height_now))
        )
        ratio = float(height_now / width_now)
        if min(alone) > _ALONE * score and 1 / _LONGEST < ratio < _LONGEST:
            best, height = score, ratio
    return height


def _levels(pixels: Pixels) -> dict[int, Pixels]:
    """Return the picture at several scales, the finest level first. The key of each level is its
    scale: the width of its pixels, measured in pixels of the picture. Return no level if the
    picture is too small."""
    if min(pixels.shape[:2]) < _LEAST_SIZE:
        return {}
    levels = {1: pixels}
    while len(levels) < LEVELS and min(pixels.shape[:2]) // (2 * max(levels)) >= _LEAST_SIZE:
        levels[2 * max(levels)] = halved(levels[max(levels)])
    return levels


def _windows(levels: dict[int, Pixels], clock: Clock) -> Iterator[tuple[int, Floats, Floats, Box]]:
    """Yield for each window its scale, its profile across, its profile down, and its box in pixels
    of the level. Coarse levels come first. No further strip of windows is searched when the share
    `SEARCH` of the time of `clock` has passed."""
    for scale, level in reversed(levels.items()):
        for boxes in _strips(level):
            if boxes and not clock.is_past(SEARCH):
                yield from ((scale, *window) for window in _in_strip(level, boxes))


def _busy(level: Pixels) -> Flags:
    """Return for each block whether it has an edge. The blocks of a plain wallpaper have none."""
    green = level[..., 1].astype(np.int16)
    rows, cols = (size // _BLOCK for size in green.shape)
    green = green[: rows * _BLOCK, : cols * _BLOCK]
    steep = np.abs(np.diff(green, axis=0, append=green[-1:])) > _LEAST_STEP
    steep |= np.abs(np.diff(green, axis=1, append=green[:, -1:])) > _LEAST_STEP
    return np.asarray(steep.reshape(rows, _BLOCK, cols, _BLOCK).any(axis=(1, 3)))


def _is_busy(busy: Flags, box: Box) -> bool:
    top, left, bottom, right = (side // _BLOCK for side in box)
    part = busy[top:bottom, left:right]
    return bool(not part.size or part.mean() > _LEAST_BUSY)


def _strips(level: Pixels) -> list[list[Box]]:
    """Return the windows in which lattices are looked for, in strips. A strip is a list of windows
    between the same two rows of pixels. Windows with few edges are left out, so a strip may be
    empty. If more than `_MOST_WINDOWS` windows remain, only the windows of `_likeliest` are
    returned, each in a strip of its own."""
    busy = _busy(level)
    height, width = level.shape[:2]
    lefts = _starts(width)
    strips = [
        [(top, left, min(top + _WINDOW, height), min(left + _WINDOW, width)) for left in lefts]
        for top in _starts(height)
    ]
    strips = [[box for box in boxes if _is_busy(busy, box)] for boxes in strips]
    boxes = [box for boxes in strips for box in boxes]
    return strips if len(boxes) <= _MOST_WINDOWS else [[box] for box in _likeliest(level, boxes)]


def _likeliest(level: Pixels, boxes: list[Box]) -> list[Box]:
    """Return the `_MOST_WINDOWS` windows in which long edges repeat most clearly, the best one
    first. This choice is quick and rough. It is made for levels that are too large to be searched
    everywhere."""
    green = np.ascontiguousarray(level[..., 1])
    across = _long_edges(_bands_of_rows(green))
    down = _long_edges(_bands_of_rows(np.ascontiguousarray(green.T)))
    first = [_counted(across, top, bottom)[left : right - 1] for top, left, bottom, right in boxes]
    second = [_counted(down, left, right)[top : bottom - 1] for top, left, bottom, right in boxes]
    periods = np.arange(SMALLEST_PERIOD, LARGEST_PERIOD, 0.25)
    both = (_periodicity(np.array(profiles), periods) for profiles in (first, second))
    scores = np.minimum(*both).max(axis=1)
    return [boxes[place] for place in np.argsort(-scores, kind="stable")[:_MOST_WINDOWS]]


def _bands_of_rows(green: npt.NDArray[np.uint8]) -> npt.NDArray[np.int16]:
    """Return one row for each band: the sum of the rows of pixels in the band."""
    bands = len(green) // _BAND
    rows = green[: bands * _BAND].reshape(bands, _BAND, -1)
    return np.asarray(rows.sum(axis=1, dtype=np.int16))


def _long_edges(bands: npt.NDArray[np.int16]) -> npt.NDArray[np.int32]:
    """Count the long vertical edges between each column of pixels and the next. Row i of the
    result counts the edges in the bands above band i. The last row counts all edges."""
    edges = np.abs(np.diff(bands, axis=1)) > _LONG_STEP * _BAND
    above = np.zeros((len(edges) + 1, edges.shape[1]), np.int32)
    np.cumsum(edges, axis=0, out=above[1:])
    return above


def _counted(above: npt.NDArray[np.int32], first: int, last: int) -> Floats:
    low, high = first // _BAND, min(last // _BAND, len(above) - 1)
    return np.asarray(above[high] - above[low], np.float32)


def _moved(level: Pixels, lattice: Lattice) -> Lattice:
    """Return the lattice with its lines moved to the sides of tiles. The lines of `lattice` may be
    at the strokes of digits, which repeat with the same period but are shorter than the sides of
    tiles. If no vertical edge or no horizontal edge is nearly as long as a side, return
    `lattice` itself."""
    scale = lattice.scale
    period = lattice.pitch / scale
    top, left, bottom, right = (side // scale for side in lattice.box)
    channels = channels_of(level[top:bottom, left:right])
    across = _whole_sides(channels, period).sum(axis=0)
    down = _whole_sides(channels.transpose(1, 0, 2), period).sum(axis=0)
    if not (across.any() and down.any()):
        return lattice
    return _lattice(across, down, period, lattice.score, (top, left, bottom, right), scale)


def _whole_sides(channels: Floats, period: float) -> Floats:
    """Return the strengths of vertical edges that are nearly as long as the side of a tile. Each
    edge consists of five pieces. The strength of the weakest piece is the strength of the edge."""
    length = max(round(0.16 * period), 1)
    sums = np.cumsum(np.diff(channels, axis=1), axis=0)
    pieces = (sums[length:] - sums[:-length]) / length
    count = len(pieces) - 4 * length
    if count < 1:
        return np.zeros((1, channels.shape[1] - 1), np.float32)
    along = weakest(np.array([pieces[n * length : n * length + count] for n in range(5)]))
    return np.asarray(np.clip(along - 1.5, 0, _LARGEST_EDGE))


def _without_doubles(found: list[Lattice]) -> list[Lattice]:
    kept: list[Lattice] = []
    for each in sorted(found, key=lambda lattice: -lattice.score):
        if not any(_same(each, other) for other in kept):
            kept.append(each)
        if len(kept) == _MOST_CANDIDATES:
            break
    return kept


def _same(each: Lattice, other: Lattice) -> bool:
    """Whether two lattices are the same: their pitches are nearly equal, their lines nearly
    coincide, and the windows in which they were found are close together."""
    if abs(each.pitch - other.pitch) > 0.02 * other.pitch:
        return False
    for a, b in ((each.left, other.left), (each.top, other.top)):
        steps = (a - b) / other.pitch
        if abs(steps - round(steps)) > 0.2 + 0.01 * abs(steps):
            return False
    apart = max(abs(each.box[0] - other.box[0]), abs(each.box[1] - other.box[1]))
    return apart < 60 * other.pitch


def _starts(size: int) -> list[int]:
    if size <= _WINDOW * 1.2:
        return [0]
    count = int(np.ceil((size - _WINDOW) / (_WINDOW * 0.55))) + 1
    return sorted({round(start) for start in np.linspace(0, size - _WINDOW, count)})


def _in_strip(level: Pixels, boxes: list[Box]) -> Iterator[tuple[Floats, Floats, Box]]:
    """Yield for each window of a strip its profile across, its profile down, and its box. To save
    time, the edges are found once for the whole strip."""
    top, bottom = boxes[0][0], boxes[0][2]
    begin = boxes[0][1]
    channels = channels_of(level[top:bottom, begin : boxes[-1][3]])
    across = edge_profile(channels)
    along = np.cumsum(_edges(channels.transpose(1, 0, 2)), axis=0)
    for box in boxes:
        left, right = box[1] - begin, box[3] - begin
        last = min(right, len(along)) - 1
        down = along[last] - along[left] if left < last else along[last]
        yield across[left : right - 1], down, box


def _in_window(across: Floats, down: Floats, box: Box, scale: int) -> list[Lattice]:
    """Return up to three lattices that the profiles of a window show."""
    shortest = SMALLEST_PERIOD if scale == 1 else 0.48 * LARGEST_PERIOD
    periods = np.arange(shortest, LARGEST_PERIOD, 0.1)
    both = (_periodicity(profile[None], periods)[0] for profile in (across, down))
    joint = np.minimum(*both)
    return [
        _lattice(across, down, float(periods[place]), float(joint[place]), box, scale)
        for place in _peaks(joint)
    ]


def _lattice(
    across: Floats, down: Floats, period: float, score: float, box: Box, scale: int
) -> Lattice:
    """Return the lattice with about this period whose lines have the strongest edges. `period` and
    the window `box` are in pixels of the level; the fields of a lattice are in pixels of the whole
    picture."""
    (pitch_x, x), (pitch_y, y) = _comb(across, period), _comb(down, period)
    top, left, bottom, right = box
    return Lattice(
        (pitch_x + pitch_y) / 2 * scale,
        (left + x + 1) * scale,
        (top + y + 1) * scale,
        score,
        (top * scale, left * scale, bottom * scale, right * scale),
        scale,
    )


def channels_of(part: Pixels) -> Floats:
    """Return three values for each pixel: its brightness, half the difference of red and green, and
    half the difference of green and blue."""
    wide = part.astype(np.float32)
    red, green, blue = wide[..., 0], wide[..., 1], wide[..., 2]
    return np.stack([(red + 2 * green + blue) / 4, (red - green) / 2, (green - blue) / 2], axis=-1)


def edge_profile(channels: Floats) -> Floats:
    """Return the total strength of the straight vertical edges between each column of pixels and
    the next."""
    return np.asarray(_edges(channels).sum(axis=0), np.float32)


def _edges(channels: Floats) -> Floats:
    """Return the strength of the vertical edge between each column of pixels and the next.

    The change of colour is first averaged over a short piece of the column. At the edge of a tile,
    all changes on this piece have the same sign. At letters and noise, they mostly cancel out."""
    steps = np.diff(channels, axis=1)
    sums = np.cumsum(steps, axis=0)
    pieces = widest(np.abs(sums[_EDGE_LENGTH:] - sums[:-_EDGE_LENGTH])) / _EDGE_LENGTH
    return np.asarray(np.minimum(np.maximum(pieces - 1.5, 0), _LARGEST_EDGE))


def _periodicity(profiles: Floats, periods: Doubles, multiples: int = 4) -> Doubles:
    """Return a score for each profile (row) and each period (column): how well the profile repeats
    after 1, 2, …, at most `multiples` periods. The best score is about 1. If the profiles are too
    short for the periods, all scores are 0."""
    size = profiles.shape[1]
    total = np.zeros((len(profiles), len(periods)))
    if size < 3.2 * periods[0]:
        return total
    smooth = smoothed(profiles)
    flat = smooth - _moving_mean(smooth, int(LARGEST_PERIOD))
    flat = np.minimum(flat, 4 * flat.std(axis=1, keepdims=True))
    spectrum = np.fft.rfft(flat, 2 * size)
    auto = np.fft.irfft(spectrum * np.conj(spectrum))[:, :size]
    auto = auto / np.maximum(auto[:, :1], 1e-9)
    harmonics = np.clip((size / periods - 1).astype(int), 1, multiples)
    for times in range(1, multiples + 1):
        lags = np.minimum(periods * times, size - 2)
        whole = lags.astype(int)
        share = lags - whole
        value = (auto[:, whole] * (1 - share) + auto[:, whole + 1] * share) * size / (size - whole)
        total += np.where(times <= harmonics, value, 0)
    between = np.minimum(periods * 1.5, size - 2).astype(int)  # nothing repeats at 1.5 true periods
    return np.asarray(total / harmonics - 0.5 * np.maximum(auto[:, between], 0))


def _moving_mean(values: Doubles, reach: int) -> Doubles:
    sums = np.pad(np.cumsum(values, axis=1), ((0, 0), (1, 0)))
    places = np.arange(values.shape[1])
    first, last = np.maximum(places - reach, 0), np.minimum(places + reach + 1, len(places))
    return np.asarray((sums[:, last] - sums[:, first]) / (last - first))


def _peaks(joint: Doubles) -> list[int]:
    """Return the indices of up to three peaks of `joint`, which has the score of each period. The
    periods of two peaks differ by more than 1.5 pixels."""
    places: list[int] = []
    for place in np.argsort(-joint):
        if joint[place] < _LEAST_SCORE or len(places) == 3:
            break
        if all(abs(place - other) > 15 for other in places):
            places.append(int(place))
    return places


def _comb(profile: Floats, period: float) -> tuple[float, float]:
    """Return the pitch of a comb of lines and the place of its first line. The pitch is near
    `period`. Of all such combs, this one has the strongest edges at its lines, on average."""
    smooth = smoothed(profile)
    best = (-1.0, period, 0.0)
    for pitch in np.linspace(period * 0.985, period * 1.015, 13):
        starts = np.arange(0, pitch, 0.5)
        count = max(int((len(smooth) - pitch) / pitch), 1)
        places = starts[:, None] + pitch * np.arange(count)
        values = smooth[np.minimum(np.rint(places).astype(int), len(smooth) - 1)].mean(axis=1)
        start = int(values.argmax())
        if values[start] > best[0]:
            best = (float(values[start]), float(pitch), float(starts[start]))
    return best[1], best[2]
