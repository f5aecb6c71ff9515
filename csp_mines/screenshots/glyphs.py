"""Names what is drawn on a tile: a digit, a flag, a mine, a question mark, or something else.

The drawing on a tile is called a glyph, and the background of the drawing is called the ground. A
small neural network names glyphs. `benchmarks/train_glyphs.py` trains the network on many fonts,
invented shapes and emoji, and writes the weights of the network to `glyphs.npz`."""

from __future__ import annotations

from functools import cache
from importlib import resources

import numpy as np

from csp_mines.screenshots.arrays import Flags, Floats, widest

LABELS = "012345678FX?~"  # one for each output of the network
FLAG, MINE, QUESTION, OTHER = 9, 10, 11, 12  # indices in LABELS; the index of a digit is the digit
SIZE = 16  # the side of a scaled glyph, in pixels
FEATURES = SIZE * SIZE + 4


def glyph(tile: Floats, base: Floats | None = None) -> tuple[Floats, float]:
    """Return the features of the glyph on a tile, and the contrast of the glyph with the ground.

    `base` is an empty tile with the same border, and shows the ground. Without `base`, the ground
    is the median colour near the corners of `tile`. The features are the shape of the glyph, scaled
    to `SIZE` times `SIZE` pixels, then the height and the width of the glyph and the row and the
    column of its centre. These four numbers are fractions of the side of the tile without its
    margin. All features are 0 if the middle of the tile shows no glyph."""
    margin = len(tile) // 8  # the margin has lines and bevels
    inner = tile[margin:-margin, margin:-margin]
    ground = base[margin:-margin, margin:-margin] if base is not None else _ground(inner)
    ink = widest(np.abs(inner - ground))
    strongest = len(inner) ** 2 // 100  # 1 %: a small digit on a large tile has little ink
    contrast = float(np.partition(ink.ravel(), -strongest)[-strongest])
    shape = np.clip(ink / max(contrast, 1.0), 0, 1)
    return _features(_central(shape)), contrast


def _ground(inner: Floats) -> Floats:
    near = max(len(inner) // 9, 2)
    rows = np.concatenate([inner[:near], inner[-near:]])
    corners = np.concatenate([rows[:, :near], rows[:, -near:]], axis=1).reshape(-1, 3)
    return np.asarray(np.median(corners, axis=0))


def _central(shape: Floats) -> Floats:
    """Return only the parts of the shape that reach the middle of the tile. This drops lines at the
    sides of the tile."""
    ink = shape > 0.3
    quarter = len(shape) // 5
    kept = np.zeros_like(ink)
    kept[quarter:-quarter, quarter:-quarter] = ink[quarter:-quarter, quarter:-quarter]
    for _ in range(len(shape)):
        grown = _widened(kept) & ink
        if (grown == kept).all():
            break
        kept = grown
    return np.where(_widened(kept), shape, 0).astype(np.float32)


def _widened(mask: Flags) -> Flags:
    """Return the mask, extended by all pixels that share a side with a pixel of the mask."""
    wide = mask.copy()
    wide[1:] |= mask[:-1]
    wide[:-1] |= mask[1:]
    wide[:, 1:] |= mask[:, :-1]
    wide[:, :-1] |= mask[:, 1:]
    return wide


def _features(shape: Floats) -> Floats:
    mask = shape > 0.4
    rows, cols = np.nonzero(mask.any(axis=1))[0], np.nonzero(mask.any(axis=0))[0]
    if not len(rows):
        return np.zeros(FEATURES, np.float32)
    top, bottom, left, right = rows[0], rows[-1] + 1, cols[0], cols[-1] + 1
    part = shape[top:bottom, left:right]
    height, width = part.shape
    side = max(height, width)
    square = np.zeros((side, side), np.float32)
    y, x = (side - height) // 2, (side - width) // 2
    square[y : y + height, x : x + width] = part
    scaled = _resized(square, SIZE)
    size = len(shape)
    place = [height / size, width / size, (top + bottom) / 2 / size, (left + right) / 2 / size]
    return np.concatenate([scaled.ravel(), np.array(place, np.float32)])


def _resized(square: Floats, size: int) -> Floats:
    """Return `square`, resampled to `size` times `size` pixels by linear interpolation."""
    places = (np.arange(size) + 0.5) * len(square) / size - 0.5
    low = np.clip(np.floor(places).astype(int), 0, len(square) - 1)
    high = np.minimum(low + 1, len(square) - 1)
    share = np.clip(places - low, 0, 1).astype(np.float32)
    rows = square[low] * (1 - share)[:, None] + square[high] * share[:, None]
    return np.asarray(rows[:, low] * (1 - share) + rows[:, high] * share)


def names_of(features: Floats) -> Floats:
    """Return the probability of each label (column) for each row of `features`."""
    values = features - 0.5 * (np.arange(FEATURES) >= SIZE * SIZE)
    *inner, (matrix, offset) = _weights()
    for inner_matrix, inner_offset in inner:
        values = np.maximum(values @ inner_matrix + inner_offset, 0)
    values = values @ matrix + offset
    values = np.exp(values - values.max(axis=1, keepdims=True))
    return np.asarray(values / values.sum(axis=1, keepdims=True))


@cache
def _weights() -> list[tuple[Floats, Floats]]:
    with (
        resources.as_file(resources.files(__package__) / "glyphs.npz") as path,
        np.load(path) as data,
    ):
        count = len(data.files) // 2
        return [
            (data[f"matrix{n}"].astype(np.float32), data[f"offset{n}"].astype(np.float32))
            for n in range(count)
        ]
