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
from csp_mines.libraries import needed

if TYPE_CHECKING:
    from csp_mines.screenshots.arrays import Pixels

Source = str | PathLike[str] | bytes | BinaryIO | npt.NDArray[Any]

MOST_PIXELS = 64_000_000  # nearly two screens of 8K; unpacked, 192 MB
_FORMATS = ("PNG", "JPEG", "WEBP", "BMP")


def load_picture(source: Source) -> Pixels:
    """Return the pixels of a picture: an array of bytes, (rows, columns, 3). `source` is a path, an
    open binary file, the bytes of a file, or an array.

    Raises NoBoardInPicture if the file or the bytes are not a picture, or if a picture or an array
    has too many pixels; FileError if a file cannot be read; BoardError if a file has too many bytes
    or damaged gzip data; InputError if an array has a wrong type or shape, or if `source` has
    another type; MissingLibrary if a file or bytes are given, but Pillow is not installed."""
    if isinstance(source, np.ndarray):
        return _of_array(source)
    if isinstance(source, bytes):
        return _unpacked(source, "the picture")
    if not hasattr(source, "read") and not isinstance(source, str | PathLike):
        raise InputError(
            f"a picture must be a path, an open binary file, bytes or an array, not {shown(source)}"
        )
    name = fspath(source) if isinstance(source, str | PathLike) else "the picture"
    return _unpacked(load(source), name)


def _of_array(array: npt.NDArray[Any]) -> Pixels:
    fits = array.ndim >= 2 and array.shape[2:] in ((), (3,), (4,)) and 0 not in array.shape
    if array.dtype != np.uint8 or not fits:
        raise InputError(
            "a picture as an array must have the type uint8 and the shape (rows, columns), (rows, "
            "columns, 3) or (rows, columns, 4), and must not be empty; this array has the type "
            f"{array.dtype} and the shape {array.shape}"
        )
    _check_size(array.shape[1], array.shape[0], "the array")
    if array.ndim == 2:
        array = np.repeat(array[..., None], 3, axis=2)
    return np.ascontiguousarray(array[..., :3])


def _check_size(width: int, height: int, name: str) -> None:
    if width * height > MOST_PIXELS:
        raise _too_large(f"{name} has {width:,}×{height:,} pixels")


def _too_large(problem: str) -> NoBoardInPicture:
    most = f"at most {MOST_PIXELS // 1_000_000} million pixels can be read"
    return NoBoardInPicture(f"{problem}; {most}. Crop the picture to the board.")


def _unpacked(data: bytes, name: str) -> Pixels:
    with needed("reading pictures needs Pillow", "csp-mines[screenshots]"):
        from PIL import Image
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", Image.DecompressionBombWarning)  # checked below
            with Image.open(BytesIO(data), formats=_FORMATS) as picture:
                _check_size(*picture.size, name)
                return np.asarray(picture.convert("RGB"))
    except Image.DecompressionBombError:
        raise _too_large(f"{name} has too many pixels") from None
    except NoBoardInPicture:
        raise
    except (OSError, SyntaxError, ValueError, EOFError):  # the errors of Pillow for damaged files
        raise NoBoardInPicture(
            f"{name} is not a PNG, JPEG, WebP or BMP file, or is damaged"
        ) from None
