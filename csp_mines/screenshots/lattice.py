"""Finds square lattices in a picture: places where vertical and horizontal edges repeat with the
same period. It knows nothing about Minesweeper."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

__all__ = ["Lattice", "Pixels", "channels_of", "edge_profile", "halved", "lattices", "widest"]

Pixels = npt.NDArray[np.uint8]  # rows, columns, 3 colours
Floats = npt.NDArray[np.float32]

SMALLEST_PERIOD = 10.0  # pixels, at the finest level
LARGEST_PERIOD = 27.0  # pixels at each level; longer periods are found at coarser levels
LEVELS = 4
_WINDOW = 288  # pixels at each level: ten cells or more
_EDGE_LENGTH = 7  # pixels of an edge that are averaged; shorter than the side of any cell
_LARGEST_EDGE = 24.0  # stronger edges count as this much, so that text does not outweigh tiles
_LEAST_SCORE = 0.1
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


def halved(pixels: Pixels) -> Pixels:
    """Return the picture at half its size; each pixel is the mean of four."""
    rows, cols = pixels.shape[0] // 2 * 2, pixels.shape[1] // 2 * 2
    even = pixels[:rows, :cols].astype(np.uint16)
    sums = even[0::2, 0::2] + even[1::2, 0::2] + even[0::2, 1::2] + even[1::2, 1::2]
    return (sums // 4).astype(np.uint8)


def lattices(pixels: Pixels) -> list[Lattice]:
    """Return candidates, best first. A picture has about one for each board in it, and some for
    other things that repeat."""
    found: list[Lattice] = []
    level = pixels
    for scale in (2**n for n in range(LEVELS)):
        if min(level.shape[:2]) < 3 * SMALLEST_PERIOD:
            break
        for top in _starts(level.shape[0]):
            found += _in_strip(level, top, scale)
        level = halved(level)
    return _without_doubles(found)


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


def _in_strip(level: Pixels, top: int, scale: int) -> Iterator[Lattice]:
    """Yield the lattices in the windows of one strip. The edges of the strip are found once."""
    bottom = min(top + _WINDOW, level.shape[0])
    part = level[top:bottom]
    if int(part.max()) - int(part.min()) < 6:
        return
    channels = channels_of(part)
    across = edge_profile(channels)
    along = np.cumsum(_edges(channels.transpose(1, 0, 2)), axis=0)
    for left in _starts(level.shape[1]):
        right = min(left + _WINDOW, level.shape[1])
        last = min(right, len(along)) - 1
        down = along[last] - along[left] if left < last else along[last]
        box = (top, left, bottom, right)
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
