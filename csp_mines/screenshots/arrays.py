"""Names for the arrays of this folder, and calculations on arrays that several modules share."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

Pixels = npt.NDArray[np.uint8]  # rows, columns, 3 colours
Floats = npt.NDArray[np.float32]
Doubles = npt.NDArray[np.float64]
Numbers = npt.NDArray[np.int64]
Flags = npt.NDArray[np.bool_]
Codes = npt.NDArray[np.int8]  # codes of a board
Box = tuple[int, int, int, int]  # top, left, bottom, right


def widest(differences: Floats) -> Floats:
    """Return the largest of the three values on the last axis. NumPy's own maximum is ten times
    slower along so short an axis."""
    red, green, blue = (differences[..., colour] for colour in range(3))
    return np.maximum(np.maximum(red, green), blue)


def weakest(pieces: npt.NDArray[Any]) -> Floats:
    """Return the strength of edges that consist of pieces. `pieces` has the change of colour at
    each piece; its first axis counts the pieces, its last axis the three values of a colour. At the
    side of a tile, the colour changes in the same direction along the whole side, so the weakest
    piece counts. The result is not positive if the colour changes in both directions."""
    return widest(np.maximum(pieces.min(axis=0), -pieces.max(axis=0)))


def mean_between(values: npt.NDArray[Any], cuts: Numbers) -> Doubles:
    """Return the means of `values`, which are whole numbers, over the rows between neighbouring
    cuts. Cuts are neighbours along the first axis of `cuts`. Between two equal cuts, the mean is
    0."""
    rows = np.maximum(np.diff(cuts, axis=0), 1)
    sums = np.zeros((len(values) + 1, *values.shape[1:]), np.int32)
    np.cumsum(values, axis=0, out=sums[1:])
    return np.asarray(
        np.diff(sums[cuts], axis=0) / rows.reshape(*rows.shape, *[1] * (values.ndim - 1))
    )


def smoothed(values: npt.NDArray[Any]) -> Doubles:
    """Return `values` with each value on the last axis replaced by a mean, in which it counts twice
    as much as each of its two neighbours."""
    padded = np.pad(values.astype(np.float64), [(0, 0)] * (values.ndim - 1) + [(1, 1)])
    return np.asarray(0.25 * padded[..., :-2] + 0.5 * padded[..., 1:-1] + 0.25 * padded[..., 2:])
