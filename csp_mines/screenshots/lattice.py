"""Finds square lattices in a picture: places where vertical and horizontal edges repeat with the
same period. It knows nothing about Minesweeper."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from csp_mines.screenshots.clock import SEARCH, Clock

__all__ = ["Lattice", "Pixels", "channels_of", "edge_profile", "halved", "lattices", "widest"]

Pixels = npt.NDArray[np.uint8]  # rows, columns, 3 colours
Floats = npt.NDArray[np.float32]
Flags = npt.NDArray[np.bool_]

SMALLEST_PERIOD = 10.0  # pixels, at the finest level
LARGEST_PERIOD = 27.0  # pixels at each level; longer periods are found at coarser levels
LEVELS = 4
_WINDOW = 288  # pixels at each level: ten cells or more
_EDGE_LENGTH = 7  # pixels of an edge that are averaged; shorter than the side of any cell
_LARGEST_EDGE = 24.0  # stronger edges count as this much, so that text does not outweigh tiles
_LEAST_SCORE = 0.05
_LEAST_SIZE = 30  # pixels of a level, three of the smallest tiles
_BLOCK = 24  # pixels of a side of the blocks that are looked at for edges
_LEAST_STEP = 4  # change of colour at an edge
_LEAST_BUSY = 0.08  # share of the blocks of a window with edges
_MOST_CANDIDATES = 9


@dataclass(frozen=True)
class Lattice:
    """Lines at `left + i * pitch` and `top + j * pitch`, in pixels of the whole picture.
    `box` is the window where they were found: top, left, bottom, right."""

    pitch: float
    left: float
    top: float
    score: float
    box: tuple[int, int, int, int]
    scale: int  # pixels of the picture for each pixel of the level on which it was found


def halved(pixels: Pixels) -> Pixels:
    """Return the picture at half its size; each pixel is the mean of four."""
    rows, cols = pixels.shape[0] // 2 * 2, pixels.shape[1] // 2 * 2
    even = pixels[:rows, :cols].astype(np.uint16)
    sums = even[0::2, 0::2] + even[1::2, 0::2] + even[0::2, 1::2] + even[1::2, 1::2]
    return (sums // 4).astype(np.uint8)


def lattices(pixels: Pixels, clock: Clock) -> list[Lattice]:
    """Return candidates, best first. A picture has about one for each board in it, and some for
    other things that repeat. Large tiles are looked for first, small ones if there is time."""
    if min(pixels.shape[:2]) < _LEAST_SIZE:
        return []
    levels = {1: pixels}
    while len(levels) < LEVELS and min(pixels.shape[:2]) // (2 * max(levels)) >= _LEAST_SIZE:
        levels[2 * max(levels)] = halved(levels[max(levels)])
    found: list[Lattice] = []
    for scale, level in reversed(levels.items()):
        busy = _busy(level)
        for top in _starts(level.shape[0]):
            if not clock.is_past(SEARCH):
                found += _in_strip(level, top, scale, busy)
    kept = _without_doubles(found)
    return _without_doubles([*(_moved(levels[each.scale], each) for each in kept), *kept])


def _busy(level: Pixels) -> Flags:
    """Return which blocks have edges. A plain wallpaper has none."""
    green = level[..., 1].astype(np.int16)
    rows, cols = (size // _BLOCK for size in green.shape)
    green = green[: rows * _BLOCK, : cols * _BLOCK]
    steep = np.abs(np.diff(green, axis=0, append=green[-1:])) > _LEAST_STEP
    steep |= np.abs(np.diff(green, axis=1, append=green[:, -1:])) > _LEAST_STEP
    return np.asarray(steep.reshape(rows, _BLOCK, cols, _BLOCK).any(axis=(1, 3)))


def _is_busy(busy: Flags, box: tuple[int, int, int, int]) -> bool:
    top, left, bottom, right = (side // _BLOCK for side in box)
    part = busy[top:bottom, left:right]
    return bool(not part.size or part.mean() > _LEAST_BUSY)


def _moved(level: Pixels, lattice: Lattice) -> Lattice:
    """Return the lattice with its lines at the sides of tiles. The strokes of digits repeat with
    the same period, but none is as long as the side of a tile."""
    scale = lattice.scale
    period = lattice.pitch / scale
    top, left, bottom, right = (side // scale for side in lattice.box)
    channels = channels_of(level[top:bottom, left:right])
    across = _whole_sides(channels, period).sum(axis=0)
    down = _whole_sides(channels.transpose(1, 0, 2), period).sum(axis=0)
    if not (across.any() and down.any()):
        return lattice
    (pitch_x, x), (pitch_y, y) = _comb(across, period), _comb(down, period)
    return replace(
        lattice,
        pitch=(pitch_x + pitch_y) / 2 * scale,
        left=(left + x + 1) * scale,
        top=(top + y + 1) * scale,
    )


def _whole_sides(channels: Floats, period: float) -> Floats:
    """Return the strength of vertical edges that are nearly as long as the side of a tile: the
    weakest of five pieces counts."""
    length = max(round(0.16 * period), 1)
    sums = np.cumsum(np.diff(channels, axis=1), axis=0)
    pieces = (sums[length:] - sums[:-length]) / length
    count = len(pieces) - 4 * length
    if count < 1:
        return np.zeros((1, channels.shape[1] - 1), np.float32)
    low = high = pieces[:count]
    for start in range(length, 5 * length, length):
        low = np.minimum(low, pieces[start : start + count])
        high = np.maximum(high, pieces[start : start + count])
    along = widest(np.maximum(low, -high))
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
    """Whether two windows see the same lattice: same pitch, and lines that agree between them."""
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


def _in_strip(level: Pixels, top: int, scale: int, busy: Flags) -> Iterator[Lattice]:
    """Yield the lattices in the windows of one strip. The edges of the strip are found once."""
    bottom = min(top + _WINDOW, level.shape[0])
    boxes = [
        (top, left, bottom, min(left + _WINDOW, level.shape[1])) for left in _starts(level.shape[1])
    ]
    boxes = [box for box in boxes if _is_busy(busy, box)]
    if not boxes:
        return
    begin = boxes[0][1]
    channels = channels_of(level[top:bottom, begin : boxes[-1][3]])
    across = edge_profile(channels)
    along = np.cumsum(_edges(channels.transpose(1, 0, 2)), axis=0)
    for box in boxes:
        left, right = box[1] - begin, box[3] - begin
        last = min(right, len(along)) - 1
        down = along[last] - along[left] if left < last else along[last]
        yield from _in_window(across[left : right - 1], down, box, scale)


def _in_window(
    across: Floats, down: Floats, box: tuple[int, int, int, int], scale: int
) -> Iterator[Lattice]:
    """Yield the lattices of a window, given its profiles."""
    top, left, bottom, right = box
    shortest = SMALLEST_PERIOD if scale == 1 else 0.48 * LARGEST_PERIOD
    periods = np.arange(shortest, LARGEST_PERIOD, 0.1)
    joint = np.minimum(_periodicity(across, periods), _periodicity(down, periods))
    for place in _peaks(joint):
        period = float(periods[place])
        pitch_x, x = _comb(across, period)
        pitch_y, y = _comb(down, period)
        if abs(pitch_x - pitch_y) > 0.03 * period:
            continue
        yield Lattice(
            (pitch_x + pitch_y) / 2 * scale,
            (left + x + 1) * scale,
            (top + y + 1) * scale,
            float(joint[place]),
            (top * scale, left * scale, bottom * scale, right * scale),
            scale,
        )


def channels_of(part: Pixels) -> Floats:
    """Return brightness and two differences of colours."""
    wide = part.astype(np.float32)
    red, green, blue = wide[..., 0], wide[..., 1], wide[..., 2]
    return np.stack([(red + 2 * green + blue) / 4, (red - green) / 2, (green - blue) / 2], axis=-1)


def widest(differences: Floats) -> Floats:
    """Return the largest of the three colours' differences. NumPy's own maximum is ten times slower
    along so short an axis."""
    red, green, blue = (differences[..., colour] for colour in range(3))
    return np.maximum(np.maximum(red, green), blue)


def edge_profile(channels: Floats) -> Floats:
    """Return how many straight vertical edges there are between each column of pixels and the
    next."""
    return np.asarray(_edges(channels).sum(axis=0), np.float32)


def _edges(channels: Floats) -> Floats:
    """Return the strength of the vertical edge between each column of pixels and the next.

    The change of colour is averaged over a short piece of the column first. An edge of a tile
    keeps its sign over that piece; letters and noise mostly do not."""
    steps = np.diff(channels, axis=1)
    sums = np.cumsum(steps, axis=0)
    pieces = widest(np.abs(sums[_EDGE_LENGTH:] - sums[:-_EDGE_LENGTH])) / _EDGE_LENGTH
    return np.asarray(np.minimum(np.maximum(pieces - 1.5, 0), _LARGEST_EDGE))


def _periodicity(profile: Floats, periods: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Return how well the profile repeats with each period, from about 0 to 1."""
    if len(profile) < 3.2 * periods[0] or profile.max() == 0:
        return np.zeros(len(periods))
    smooth = np.convolve(profile, [0.25, 0.5, 0.25], "same")
    flat = smooth - _moving_mean(smooth, int(LARGEST_PERIOD))
    flat = np.clip(flat, None, 4 * flat.std())
    size = len(flat)
    spectrum = np.fft.rfft(flat, 2 * size)
    auto = np.fft.irfft(spectrum * np.conj(spectrum))[:size]
    if auto[0] <= 0:
        return np.zeros(len(periods))
    auto = auto / auto[0]
    total = np.zeros(len(periods))
    harmonics = np.clip((size / periods - 1).astype(int), 1, 4)
    for times in range(1, 5):
        lags = np.minimum(periods * times, size - 2)
        whole = lags.astype(int)
        share = lags - whole
        value = (auto[whole] * (1 - share) + auto[whole + 1] * share) * size / (size - whole)
        total += np.where(times <= harmonics, value, 0)
    between = np.minimum(periods * 1.5, size - 2).astype(int)  # a true period has no match half-way
    return np.asarray(total / harmonics - 0.5 * np.maximum(auto[between], 0))


def _moving_mean(values: npt.NDArray[np.float64], reach: int) -> npt.NDArray[np.float64]:
    sums = np.concatenate([[0.0], np.cumsum(values)])
    places = np.arange(len(values))
    first, last = np.maximum(places - reach, 0), np.minimum(places + reach + 1, len(values))
    return np.asarray((sums[last] - sums[first]) / (last - first))


def _peaks(joint: npt.NDArray[np.float64]) -> list[int]:
    """Return the places of up to three peaks. Peaks are at least 8 % apart."""
    places: list[int] = []
    for place in np.argsort(-joint):
        if joint[place] < _LEAST_SCORE or len(places) == 3:
            break
        if all(abs(place - other) > 15 for other in places):
            places.append(int(place))
    return places


def _comb(profile: Floats, period: float) -> tuple[float, float]:
    """Return the pitch near `period` and the first line that together meet most edges."""
    smooth = np.convolve(profile, [0.25, 0.5, 0.25], "same")
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
