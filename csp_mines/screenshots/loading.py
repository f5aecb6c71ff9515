"""Loads pictures from files, streams, bytes and arrays. The size of a picture is checked before its
pixels are unpacked."""

from __future__ import annotations

import warnings
from io import BytesIO
from os import PathLike, fspath
from typing import TYPE_CHECKING, Any, BinaryIO

import numpy as np
import numpy.typing as npt

from csp_mines.arguments import shown
from csp_mines.errors import InputError, NoBoardInPicture
from csp_mines.formats import load
from csp_mines.libraries import missing

if TYPE_CHECKING:
    from csp_mines.screenshots.lattice import Pixels

__all__ = ["MOST_PIXELS", "Source", "load_picture"]

Source = str | PathLike[str] | bytes | BinaryIO | npt.NDArray[Any]

MOST_PIXELS = 64_000_000  # two screens of 8K; unpacked, 192 MB
_FORMATS = ("PNG", "JPEG", "WEBP", "BMP")


def load_picture(source: Source) -> Pixels:
    """Return the pixels of a picture: an array of bytes, (rows, columns, 3).

    Raises FileError if the file cannot be read, NoBoardInPicture if the file or the bytes are
    not a picture or if the picture is too large, InputError for an array that is not a picture and
    for a source of any other type, MissingLibrary without Pillow."""
    if isinstance(source, np.ndarray):
        return _of_array(source)
    if isinstance(source, bytes):
        return _unpacked(source, "the picture")
    if not hasattr(source, "read") and not isinstance(source, str | PathLike):
        raise InputError(f"a picture must be a file, bytes or an array, not {shown(source)}")
    if isinstance(source, str | PathLike):
        return _unpacked(load(source), fspath(source))
    return _unpacked(load(source), "the picture")


def _of_array(array: npt.NDArray[Any]) -> Pixels:
    if array.dtype != np.uint8 or array.ndim not in (2, 3) or 0 in array.shape:
        raise InputError(
            "a picture as an array must have the shape (rows, columns, 3) and the type uint8, "
            f"not {array.shape} and {array.dtype}"
        )
    _check_size(array.shape[1], array.shape[0], "the array")
    if array.ndim == 2:
        array = np.repeat(array[..., None], 3, axis=2)
    if array.shape[2] not in (3, 4):
        raise InputError(f"a picture has 3 or 4 values for each pixel, not {array.shape[2]}")
    return np.ascontiguousarray(array[..., :3])


def _check_size(width: int, height: int, name: str) -> None:
    if width * height > MOST_PIXELS:
        raise NoBoardInPicture(
            f"{name} has {width:,}×{height:,} pixels; "
            f"at most {MOST_PIXELS // 1_000_000} million are read. Cut out the board."
        )


def _unpacked(data: bytes, name: str) -> Pixels:
    try:
        from PIL import Image
    except ImportError:
        raise missing("reading pictures needs Pillow", "csp-mines[screenshots]") from None
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", Image.DecompressionBombWarning)  # checked below
            with Image.open(BytesIO(data), formats=_FORMATS) as picture:
                _check_size(*picture.size, name)
                return np.asarray(picture.convert("RGB"))
    except Image.DecompressionBombError:
        raise NoBoardInPicture(f"{name} has too many pixels. Cut out the board.") from None
    except NoBoardInPicture:
        raise
    except (OSError, SyntaxError, ValueError, EOFError):  # the errors of Pillow for damaged files
        raise NoBoardInPicture(f"{name} is not a whole PNG, JPEG, WebP or BMP picture") from None
