"""The class `Board`, the codes of cells, and `as_board`, which makes boards from arrays. A board is
what a player sees. A board has an array with a code for each cell, and a header with the prior (the
number of mines or the density), the clue model and the grid. No method changes a board. This module
also checks arrays of codes, numbers of mines and densities."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction
from functools import partial
from os import PathLike, fspath
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from csp_mines.arguments import instance, must_be, shown, whole
from csp_mines.clues import EXACT, ClueModel, clue_model
from csp_mines.errors import BoardError
from csp_mines.geometry import SQUARE, Geometry, cells_at, checked_cell
from csp_mines.geometry import Cell as Cell
from csp_mines.grids import as_geometry
from csp_mines.words import cut, plural

Codes = npt.NDArray[np.int8]

HIDDEN = -1
MARKED = -2  # `M`: a person or an agent marked the cell as a mine
EXPLODED = -3  # `X`: an opened mine
CLEAR = -4  # `C`: known to be safe, but shows no clue
HOLE = -5  # `~`: not a cell; as a neighbour it counts neither as hidden nor as a mine

# The most cells of a board. A cell takes one byte. While a board is read from rows of letters, each
# cell takes up to 3 bytes besides the text (benchmarks/reading.py): at most 50 MB.
MAX_CELLS = 16_000_000


def known_mines(codes: Codes) -> npt.NDArray[np.bool_]:
    """Return a mask that is True at marked cells and at opened mines."""
    mines: npt.NDArray[np.bool_] = (codes == MARKED) | (codes == EXPLODED)
    return mines


class Pictured:
    """The base class of values that notebooks show as a picture."""

    __slots__ = ()

    def _repr_svg_(self) -> str | None:
        """Return the picture as SVG text, or None if there is no picture."""
        from csp_mines.pictures.notebooks import svg

        return svg(self)


class Board(Pictured):
    """What a player sees: the `codes` of all cells (0 to 8 for clues, HIDDEN, MARKED, EXPLODED,
    CLEAR, HOLE) and a header.

    The header has `mines` (the total), `density` (the probability of a mine at a cell before any
    clue), `clues` (the clue model) and `geometry` (the grid, which says what is around a cell).
    At most one of `mines` and `density` is known; an unknown one is None.

    `board[row, col]` is a code; `print(board)` prints text that `Board.parse` reads back.
    """

    __slots__ = ("clues", "codes", "density", "geometry", "mines")

    codes: Codes
    mines: int | None
    density: Fraction | None
    clues: ClueModel
    geometry: Geometry

    def __init__(
        self,
        codes: npt.ArrayLike,
        *,
        mines: int | None = None,
        density: float | Fraction | str | None = None,
        clues: str | ClueModel = EXACT,
        geometry: str | Geometry = SQUARE,
    ) -> None:
        """Make a board from an array of codes. Raises BoardError for an invalid array, `mines` or
        `density`, and if both `mines` and `density` are given. Raises what `as_geometry` raises for
        `geometry`, UnknownName for an unknown clue model, InputError if `clues` is neither a name
        nor a clue model."""
        self.geometry = as_geometry(geometry)
        self.codes = _checked(codes, self.geometry)
        self.mines = None if mines is None else checked_mines(mines, self.size)
        self.density = None if density is None else as_density(density)
        self.clues = clue_model(clues)
        require_one_prior(mines, density)

    @classmethod
    def from_array(
        cls,
        array: npt.ArrayLike,
        *,
        mines: int | None = None,
        density: float | Fraction | str | None = None,
        clues: str | ClueModel = EXACT,
        geometry: str | Geometry = SQUARE,
    ) -> Self:
        """Make a board from integers: -1 hidden, 0 to 8 clues, -2 marked mine, -3 opened mine, -4
        safe without a clue, -5 a hole. On other grids, a clue is at most the largest number of
        neighbours of a cell. The array is copied. Give `mines` (the total), `density` (the
        probability of a mine at a cell before any clue) or neither. `clues` names the clue model
        and `geometry` the grid. Raises what `Board` raises.

        >>> csp_mines.Board.from_array([[-1, 1]], mines=1).hidden
        frozenset({(0, 0)})
        """
        return cls(array, mines=mines, density=density, clues=clues, geometry=geometry)

    @classmethod
    def of_codes(cls, codes: Codes) -> Board:
        """Make a board from valid codes, with the default header. The array is neither checked nor
        copied, so the caller must not change it afterwards."""
        board = cls.__new__(cls)
        board.codes = codes
        board.mines = board.density = None
        board.clues = EXACT
        board.geometry = SQUARE
        return board

    @classmethod
    def parse(cls, text: str, format: str | None = None, *, source: str = "<text>") -> Board:
        """Read a board from text in any notation. `csp-mines formats` lists the notations.

        Without `format`, the notation is recognised from the text. `source` names the text in
        messages. From a layout with a first cell, this makes the board after opening that cell.
        Raises BoardSyntaxError if the text is not exactly one board, or if two notations read the
        text as different boards; BoardError for a layout without a first cell; UnknownName for an
        unknown format."""
        from csp_mines import formats

        return formats.parse(text, format, source=source)

    @classmethod
    def read(cls, path: str | PathLike[str], format: str | None = None) -> Board:
        """Read a board from the file at `path`, gzipped or not. `format` is as in `parse`. Raises
        what `parse` raises, FileError if the file cannot be read, and BoardError if the file is too
        large or has damaged gzip data."""
        from csp_mines import formats

        return formats.parse(formats.load(path), format, source=fspath(path))

    def to_text(self, format: str | None = None) -> str:
        """Return the board as text in the notation `format`, by default the canonical one. Raises
        BoardError if the format cannot express the board, UnknownName for an unknown format."""
        from csp_mines import formats

        return formats.write(self, format)

    def to_line(self) -> str:
        """Return the board as one line of text, without characters that are special in a URL or in
        a shell. `Board.parse` reads it."""
        return self.to_text("line")

    def to_json(self, format: str | None = None) -> dict[str, Any]:
        """Return a document with `rows`, `cols`, `mines`, `density`, `clues` and `board`. On a grid
        that is not the square grid, the document also has `grid`. `board` lists the lines with the
        cells, in the notation `format`. A density becomes the text of a fraction, which can be read
        back exactly. Raises what `to_text` raises."""
        return {
            "rows": self.rows,
            "cols": self.cols,
            "mines": self.mines,
            "density": None if self.density is None else str(self.density),
            "clues": self.clues.name,
            **grid_json(self.geometry),
            "board": self.to_text(format).splitlines()[-self.rows :],  # without the header
        }

    @property
    def rows(self) -> int:
        """The number of rows."""
        return int(self.codes.shape[0])

    @property
    def cols(self) -> int:
        """The number of columns."""
        return int(self.codes.shape[1])

    @property
    def size(self) -> int:
        """The number of cells, without the holes."""
        codes = self.codes
        return int(codes.size - np.count_nonzero(codes == HOLE))

    @property
    def has_holes(self) -> bool:
        """Whether some place of the board is not a cell."""
        return bool((self.codes == HOLE).any())

    @property
    def hidden(self) -> frozenset[Cell]:
        """The hidden cells."""
        return frozenset(self.cells(HIDDEN))

    @property
    def known_mines(self) -> int:
        """The number of marked and opened mines."""
        return int(np.count_nonzero(known_mines(self.codes)))

    def cells(self, code: int | None = None) -> Iterator[Cell]:
        """Iterate over all cells row by row. With `code`, iterate only over the places with this
        code; for HOLE, these are the holes. Raises InputError if `code` is not a whole number."""
        where = self.codes != HOLE if code is None else self.codes == whole(code, "code")
        yield from cells_at(where)

    def neighbours(self, cell: Cell) -> list[Cell]:
        """Return the cells around `cell`, row by row. Raises BoardError if `cell` is not a cell of
        the board."""
        near = self.geometry.neighbours(self.require(cell), self.rows, self.cols)
        return [other for other in near if self.codes[other] != HOLE]

    def replace(self, changes: Mapping[Cell, int]) -> Board:
        """Return a copy of the board in which some cells have other codes. `changes` maps these
        cells to their new codes. Raises BoardError for a key that is not a cell of the board and
        for an invalid code, InputError if `changes` is not a mapping.

        >>> csp_mines.Board.parse("?1?").replace({(0, 0): 1}).to_text()
        '11?'
        """
        codes = self.codes.copy()
        for cell, code in instance(changes, Mapping, "changes").items():
            codes[self.require(cell)] = _checked_code(code, self.geometry)
        return self.with_codes(codes)

    def with_codes(self, codes: npt.ArrayLike) -> Board:
        """Return a board that has these codes and the header of this board. Raises BoardError for
        invalid codes."""
        return Board(codes, **self._header)

    @property
    def _header(self) -> dict[str, Any]:
        return {
            "mines": self.mines,
            "density": self.density,
            "clues": self.clues,
            "geometry": self.geometry,
        }

    def told(
        self,
        *,
        mines: int | None = None,
        density: Fraction | float | str | None = None,
        clues: ClueModel | str | None = None,
    ) -> Board:
        """Return the board with another header. A given `mines` or `density` replaces both the
        old number of mines and the old density. A given `clues` replaces the clue model. Raises
        BoardError for an invalid prior, UnknownName for an unknown clue model, InputError if
        `clues` is neither a name nor a clue model."""
        changes: dict[str, Any] = {} if clues is None else {"clues": clues}
        if mines is not None or density is not None:
            changes |= {"mines": mines, "density": density}
        return Board(self.codes, **self._header | changes) if changes else self

    def without_marks(self) -> Board:
        """Return the board without a player's marks. `M` becomes hidden. `C` becomes hidden, too,
        except under the clue model `silent`: there the game itself shows `C`."""
        marks = (MARKED,) if self.clues.silent else (MARKED, CLEAR)
        return self.with_codes(np.where(np.isin(self.codes, marks), np.int8(HIDDEN), self.codes))

    def without_total(self) -> Board:
        """Return the board with an unknown number of mines."""
        return Board(self.codes, **self._header | {"mines": None})

    def require(self, cell: Cell) -> Cell:
        """Return `cell` as a pair of plain integers. Raises BoardError if `cell` is not a cell of
        the board."""
        cell = checked_cell(cell, *self.codes.shape)
        if self.codes[cell] == HOLE:
            raise BoardError(f"{cell[0]},{cell[1]} is a hole of this board, not a cell")
        return cell

    def require_hidden(self, cell: Cell) -> Cell:
        """Return `cell` as a pair of plain integers. Raises BoardError if `cell` is not a hidden
        cell of the board."""
        cell = self.require(cell)
        if self.codes[cell] != HIDDEN:
            label = self.geometry.label(cell)
            raise BoardError(f"cell {label} is not hidden; choose a hidden cell")
        return cell

    def __getitem__(self, cell: Cell) -> int:
        return int(self.codes[checked_cell(cell, *self.codes.shape)])

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Board):
            return NotImplemented
        return self._key() == other._key()

    def __hash__(self) -> int:
        return hash(self._key())

    def _key(self) -> tuple[Any, ...]:
        return self.codes.shape, self.codes.tobytes(), *self._header.values()

    def __str__(self) -> str:
        return self.to_text()

    def __repr__(self) -> str:
        return f"Board.parse({self.to_text()!r})"

    def __reduce__(self) -> tuple[Any, ...]:
        return partial(Board, np.array(self.codes), **self._header), ()


def require_one_prior(mines: object, density: object) -> None:
    """Raise BoardError if both the number of mines and the density are given."""
    if mines is not None and density is not None:
        raise BoardError("give either the number of mines or the density, not both")


def as_board(board: Board | npt.ArrayLike) -> Board:
    """Return `board` if it is a Board. Make a Board from an array. Raises BoardError for an invalid
    array and for any other value."""
    return board if isinstance(board, Board) else Board(board)


# Limits of a density. They make sure that every accepted number can be written as a fraction and
# read back. Without these limits, the fraction of `1e-99999999` would fill the memory.
_LONGEST_DECIMAL = 100  # characters
_LONGEST_FRACTION = 1000  # characters
_MOST_BITS = 3400  # of numerator and denominator together; more always exceed _LONGEST_FRACTION
_LEAST = 1e-300  # a density is farther than this from 0 and 1, since the kernel's odds are floats
_MOST = 1e300  # a larger number is refused before it becomes a fraction
_BETWEEN = "greater than 0 and less than 1"
_APART = f"differ from 0 and 1 by more than {_LEAST:g}"


def as_density(value: float | Fraction | str) -> Fraction:
    """Return a density as the exact fraction of its decimal digits: 0.1 becomes 1/10. Raises
    BoardError if `value` is not a number between 0 and 1, is too close to 0 or to 1, or has too
    many digits."""
    density = value if isinstance(value, Fraction) else _fraction(value)
    bits = density.numerator.bit_length() + density.denominator.bit_length()
    if bits > _MOST_BITS or len(str(density)) > _LONGEST_FRACTION:
        expected = f"a fraction of at most {_LONGEST_FRACTION} characters"
        raise BoardError(must_be("density", expected, value))
    if not 0 < density < 1:
        raise BoardError(f"density must be {_BETWEEN}, not {cut(str(value))}")
    if not _LEAST < density < 1 - Fraction(_LEAST):
        raise BoardError(f"density must {_APART}, not {cut(str(value))}")
    return density


def _fraction(value: float | str) -> Fraction:
    """Return the exact fraction for `value`, which is a number or a text such as `0.1` or `1/10`.
    Raises BoardError if `value` is not a number or is too long. A decimal number also must not be
    too close to 0 or too large. The caller refuses 0, and checks the size of a fraction such as
    `1/10`."""
    expected = f"be a number {_BETWEEN}"
    try:
        text = str(value)
        longest = _LONGEST_FRACTION if "/" in text else _LONGEST_DECIMAL
        if len(text) > longest:
            expected += f", at most {longest} characters long"
        elif "/" in text or _LEAST < abs(float(text)) <= _MOST:
            return Fraction(text)  # quick, since the check above refuses 1e999999999
        elif float(text.lower().partition("e")[0]) == 0:
            return Fraction(0)
        elif abs(float(text)) <= _LEAST:
            expected = _APART
    except (ValueError, ZeroDivisionError):
        pass
    raise BoardError(f"density must {expected}, not {shown(value)}")


def grid_json(geometry: Geometry) -> dict[str, str]:
    """Return `{"grid": text}` with the text from which `as_geometry` makes the grid, or `{}` for
    the square grid."""
    return {} if geometry == SQUARE else {"grid": geometry.spelled}


def _meanings(geometry: Geometry) -> str:
    return (
        f"-1 hidden, 0 to {geometry.most} clues, -2 marked mine, -3 opened mine, "
        "-4 safe without a clue, -5 a hole"
    )


def as_array(values: npt.ArrayLike, what: str) -> npt.NDArray[Any]:
    """Return the values as an array. Raises BoardError if they are rows of different lengths; the
    message calls the values `what`."""
    try:
        return np.asarray(values)
    except ValueError:
        raise BoardError(f"the rows of {what} must have the same length") from None


def _checked(codes: npt.ArrayLike, geometry: Geometry) -> Codes:
    array = as_array(codes, "a board")
    if array.ndim == 0:
        raise BoardError(must_be("a board", "a Board or an array of rows", codes))
    if array.ndim != 2 or array.size == 0:
        raise BoardError(f"a board needs rows and columns, but the array has shape {array.shape}")
    require_size(*array.shape)
    if array.dtype.kind not in "iu":
        raise BoardError(f"a board must be an array of integers, not of {array.dtype}")
    geometry.check_size(*array.shape)
    wrong = (array < HOLE) | (array > geometry.most)
    if wrong.any():
        cell = cells_at(wrong)[0]
        name = geometry.label(cell)
        raise BoardError(f"cell {name} has the value {array[cell]}; use {_meanings(geometry)}")
    checked = array.astype(np.int8)
    checked.flags.writeable = False
    return checked


def _checked_code(code: int, geometry: Geometry) -> int:
    whole_number = isinstance(code, (int, np.integer)) and not isinstance(code, bool)
    if not whole_number or not HOLE <= code <= geometry.most:
        raise BoardError(f"{shown(code)} is not a code for a cell; use {_meanings(geometry)}")
    return int(code)


def require_size(rows: int, cols: int) -> None:
    """Raise BoardError if no board can have this many rows and columns."""
    size = f"{shown(rows)}×{shown(cols)}"
    if rows < 1 or cols < 1:
        raise BoardError(f"a board needs at least 1 row and 1 column, not {size}")
    if rows * cols > MAX_CELLS:
        cells = cut(f"{rows * cols:,}")
        raise BoardError(f"a board may have at most {MAX_CELLS:,} cells, not {cells} ({size})")


def checked_mines(mines: int, cells: int) -> int:
    """Return the number of mines as a plain integer. Raises BoardError if `mines` is not a whole
    number from 0 to `cells`, the number of cells of the board."""
    if isinstance(mines, bool) or not isinstance(mines, (int, np.integer)):
        raise BoardError(must_be("the number of mines", "a whole number", mines))
    if not 0 <= mines <= cells:
        raise BoardError(
            f"a board of {plural(cells, 'cell')} has 0 to {cells:,} mines, not {shown(int(mines))}"
        )
    return int(mines)
