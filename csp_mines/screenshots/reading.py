"""Reads a picture of a game as a board.

The steps: find lattices (lines at equal distances), follow the best lattices to the rim of the
board, sort the tiles into kinds, give each kind a code, and let the solver look for numbers that
contradict each other. In this module, a grid is the lines of a board in pixels (`Grid`). An attempt
is one grid read as a board (`_Attempt`)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from csp_mines.analysis.conflict import find_conflict
from csp_mines.board import CLEAR, HIDDEN, Board, Cell
from csp_mines.errors import BoardError, GaveUp, NoBoardInPicture, PictureTooBusy
from csp_mines.geometry import cells_at
from csp_mines.screenshots.arrays import Doubles, Flags, Pixels
from csp_mines.screenshots.clock import SEARCH, Clock
from csp_mines.screenshots.grid import TILE, Grid, best_grids, cut, middle_of
from csp_mines.screenshots.lattice import Lattice, height_of_tiles, lattices
from csp_mines.screenshots.loading import Source, load_picture
from csp_mines.screenshots.naming import ROLES, Naming, name_kinds, violations
from csp_mines.screenshots.rim import SIDES, continued, found_extent, line_of, open_sides
from csp_mines.screenshots.tiles import Kind, kinds_of
from csp_mines.words import few, joined, plural

SURE = 0.9  # cells with less confidence are listed as unsure
_DOUBTED = 0.4  # the greatest confidence in a cell in `_contradicted`, `misfits` or `contested`
_OPEN_RIM = 0.6  # the greatest confidence in cells at a side where the board may go on
_TILED = 0.8  # see `shared_outside`: share of the inner tiles that must have visible edges
_FEW = 0.25  # see `shared_outside`: a smaller share of all tiles is few
_RIVAL = 0.7  # see `_sides_beyond`: least quality of the other attempt, as a share of the best
_LIKELIEST = 2  # lattices that are followed first; a flawless attempt may end the search here
_MOST_GRIDS = 4  # grids that are read as boards
_MOST_FLAT = 2  # grids that are read in the search for boards without lines
_POOR = 5.0  # see `poor`: an attempt with a lower quality is poor
_MOST_FINE = 2500  # cells; on larger boards, the drawings on tiles are read at half the resolution
_LARGE = 4e6  # a grid with at least this many pixels is large
_SAMPLE = 12  # rows and columns in the middle of a large grid, which are looked at first
_MOST_STRETCHED = 20e6  # pixels of a stretched picture; stretching takes 30 bytes for each
_HALVED = 4  # see `halved`: least number of rows or columns with numbers
_MOST_CONFLICTS = 4
_MOST_CHECKS = 12  # see `_checked`: about this many codes are tried
_MOST_SECONDS = 5.0  # processor time of the search for a board
_SECONDS_PER_MILLION = 0.1  # further processor time for each million pixels
_MOST_UNSURE = 0.25  # a picture with a larger share of unsure cells is refused
_MANY_UNSURE = 0.2  # with a larger share of unsure cells, a quality below `_POOR` is refused


@dataclass(frozen=True)
class Reading:
    """A board read from a picture.

    `board` has no number of mines: the mine counters of programs count in different ways, so they
    are not read. `confidence` is an array with a number from 0 to 1 for each cell. `columns` has
    the places of the vertical lines from the left side of the board to its right side, and `rows`
    those of the horizontal lines from top to bottom, in pixels of the picture. `open_sides` names
    the sides on which the board may go on, such as a side where the picture cuts the board off. The
    names are "top", "left", "bottom" and "right"."""

    board: Board
    confidence: Doubles
    columns: Doubles
    rows: Doubles
    open_sides: tuple[str, ...] = ()

    @property
    def unsure(self) -> list[Cell]:
        """The cells with a confidence below 0.9, row by row."""
        return cells_at(self.confidence < SURE)

    @property
    def note(self) -> str:
        """A text with the size of the board. If cells are unsure, the text also lists up to 20 of
        these cells, and the sides on which the board may go on."""
        size = f"{self.board.rows}×{self.board.cols}"
        unsure = self.unsure
        if not unsure:
            return f"a picture of a board of {size} cells"
        cells = joined(few(f"({row},{col})" for row, col in unsure))
        check = f"check {plural(len(unsure), 'unsure cell')}: {cells}"
        sides = f"; the board may go on at the {joined(self.open_sides)}" if self.open_sides else ""
        return f"a picture of a board of {size} cells; {check}{sides}"

    def to_json(self) -> dict[str, Any]:
        """Return a document with the fields of `Board.to_json` and with `confidence`, `unsure`,
        `open_sides` and `lines`. `lines` has `columns` as `x` and `rows` as `y`."""
        return {
            **self.board.to_json(),
            "confidence": np.round(self.confidence, 3).tolist(),
            "unsure": [list(cell) for cell in self.unsure],
            "open_sides": list(self.open_sides),
            "lines": {"x": self.columns.round(1).tolist(), "y": self.rows.round(1).tolist()},
        }


def read_picture(source: Source, *, corrections: Mapping[Cell, int] | None = None) -> Reading:
    """Read a screenshot of any Minesweeper program as a board.

    `source` is the path of a PNG, JPEG, WebP or BMP picture, an open binary file, the bytes of a
    file, or an array of bytes with the shape (rows, columns, 3).

    `corrections` maps cells that were misread to their codes. All tiles that look like a corrected
    cell get the same code, unless cells that look alike are corrected to different codes. With
    corrections, a doubtful board is not refused.

    Flags are read as marked cells. A flag may be wrong, so use `board.without_marks()` unless you
    trust the flags. The number of mines is never read. Cells whose meaning is doubtful are in
    `Reading.unsure`.

    Raises NoBoardInPicture if the source is not a picture in one of these formats, if the picture
    is too large or takes too long to search, or if it shows no board that can be read; BoardError
    for a correction outside the board or with an invalid code; FileError if the file cannot be
    read; InputError for an array or another object that cannot be a picture; MissingLibrary if
    Pillow is not installed.

    >>> reading = csp_mines.read_picture("game.png")   # doctest: +SKIP
    >>> reading.unsure                                 # doctest: +SKIP
    [(4, 7)]
    """
    pixels = load_picture(source)
    clock = Clock(_MOST_SECONDS + _SECONDS_PER_MILLION * pixels.size / 3e6)
    best, grids = _searched(pixels, clock)
    if best is None or best.poor:
        other = _oblong(pixels, best, clock)
        if other is not None:
            found = other.reading(corrections or {})
            down, across = np.array(pixels.shape[:2]) / other.pixels.shape[:2]
            return replace(found, rows=found.rows * down, columns=found.columns * across)
    if best is None:
        if not grids:
            raise NoBoardInPicture("the picture shows no grid of tiles")
        raise NoBoardInPicture("the picture shows a grid, but not the tiles of Minesweeper")
    return best.reading(corrections or {})


def _oblong(pixels: Pixels, best: _Attempt | None, clock: Clock) -> _Attempt | None:
    """Return the best attempt at a board with oblong tiles: the picture is stretched so that these
    tiles become square. Return None if there is no such board, if some of its numbers do not fit,
    if the stretched picture would be too large, if `best` is at least as good, or if the time
    passes. Raises PictureTooBusy if the time passes and `best` is None."""
    height = height_of_tiles(pixels, clock)
    if height is None or pixels.size / 3 * max(height, 1 / height) > _MOST_STRETCHED:
        return None
    try:
        other, _ = _searched(_stretched(pixels, height), clock)
    except PictureTooBusy:
        if best is None:
            raise
        return None
    if other is None or not other.fits or (best is not None and other.quality <= best.quality):
        return None
    return other


def _searched(pixels: Pixels, clock: Clock) -> tuple[_Attempt | None, list[Grid]]:
    """Return the best attempt at a board with square tiles, or None if no grid shows a board, and
    the grids that were found. Raises PictureTooBusy if the time for the search passes without any
    attempt at a board."""
    found = lattices(pixels, clock)
    grids: list[Grid] = []
    best = None
    for likely in (found[:_LIKELIEST], found[_LIKELIEST:]):
        grids = best_grids(pixels, likely, clock, known=grids)
        best = _best(pixels, grids[:_MOST_GRIDS], clock)
        if best is not None and best.flawless and best.grid.solid:
            return best, grids
    if best is None:
        clock.check(SEARCH)
    if (best is None or best.poor) and not clock.is_past(SEARCH):
        best = _without_lines(pixels, found, clock) or best
    return best, grids


def _stretched(pixels: Pixels, height: float) -> Pixels:
    """Return the picture, stretched so that its tiles become square. `height` is the height of a
    tile divided by its width. The picture becomes higher or wider, so no detail is lost."""
    if height > 1:
        return np.ascontiguousarray(
            _stretched(pixels.transpose(1, 0, 2), 1 / height).transpose(1, 0, 2)
        )
    size = round(len(pixels) / height)
    places = np.clip((np.arange(size) + 0.5) * height - 0.5, 0, len(pixels) - 1)
    low = places.astype(int)
    share = (places - low).astype(np.float32)[:, None, None]
    above, below = pixels[low], pixels[np.minimum(low + 1, len(pixels) - 1)]
    return np.asarray(np.rint(above * (1 - share) + below * share), np.uint8)


def _without_lines(pixels: Pixels, found: list[Lattice], clock: Clock) -> _Attempt | None:
    """Return a flawless attempt at a board without lines between its tiles. Return None if there is
    none, or if the time passes before there is one."""
    try:
        best = _best(pixels, best_grids(pixels, found, clock, sides=1)[:_MOST_FLAT], clock)
    except PictureTooBusy:
        return None
    return best if best is not None and best.flawless else None


def _best(pixels: Pixels, grids: list[Grid], clock: Clock) -> _Attempt | None:
    """Return the best attempt at `grids`, or None if no grid shows a board. After a flawless
    attempt, only grids that may show more of the same board are tried. Raises PictureTooBusy if the
    time passes before there is an attempt at a board."""
    best: _Attempt | None = None
    tried: list[Grid] = []
    attempts: list[_Attempt] = []
    for grid in grids:
        if best is not None and best.flawless and not _may_go_on(best.grid, grid):
            continue
        try:
            if _is_photo(pixels, grid, clock):
                continue
            grid = found_extent(pixels, grid, clock)
            if any(_contains(other, grid) and _contains(grid, other) for other in tried):
                continue
            tried.append(grid)
            attempt = _Attempt(pixels, grid, clock)
        except PictureTooBusy:
            if best is None:
                raise
            break  # the grids that are left are less likely
        if attempt.varied or attempt.halved:
            continue
        attempts.append(attempt)
        if best is None or _is_better(attempt, best):
            best = attempt
    if best is not None:
        best.contested = {side for other in attempts for side in _sides_beyond(best, other)}
    return best


def _is_photo(pixels: Pixels, grid: Grid, clock: Clock) -> bool:
    """Whether the grid is large, and nearly all tiles in its middle differ from each other, as in a
    photo."""
    if grid.rows * grid.cols * grid.pitch**2 < _LARGE:
        return False
    middle = middle_of(grid, _SAMPLE)
    return len(kinds_of(cut(pixels, middle), clock)) > 0.8 * middle.rows * middle.cols


def _sides_beyond(best: _Attempt, other: _Attempt) -> Iterator[str]:
    """Yield the sides on which the grid of `other` reaches further than the grid of `best`. Yield
    nothing if the lines of the two grids do not coincide, if `other` has much lower quality or more
    cells that do not fit, or if `other` reaches further by the shorter side of `best` or more."""
    inner, outer = best.grid, other.grid
    fits = other.naming.misfits.sum() <= best.naming.misfits.sum()
    fits &= other.naming.beside <= best.naming.beside
    if not (fits and _same_pitch(inner, outer) and other.quality >= _RIVAL * best.quality):
        return
    steps = np.array([
        inner.ys[0] - outer.ys[0], inner.xs[0] - outer.xs[0],
        outer.ys[-1] - inner.ys[-1], outer.xs[-1] - inner.xs[-1],
    ]) / inner.pitch  # fmt: skip
    if np.abs(steps - np.rint(steps)).max() < 0.3 and steps.max() < min(inner.rows, inner.cols):
        yield from (side for side, step in zip(SIDES, steps, strict=True) if step > 0.5)


def _may_go_on(board: Grid, grid: Grid) -> bool:
    """Whether `grid` may show more of the board that the grid `board` shows: both have the same
    pitch, and `grid` reaches beyond `board`."""
    return _same_pitch(grid, board) and not _contains(board, grid)


def _contains(larger: Grid, smaller: Grid) -> bool:
    slack = 0.3 * larger.pitch
    return bool(
        _same_pitch(larger, smaller)
        and larger.xs[0] - slack < smaller.xs[0]
        and larger.ys[0] - slack < smaller.ys[0]
        and larger.xs[-1] + slack > smaller.xs[-1]
        and larger.ys[-1] + slack > smaller.ys[-1]
    )


def _same_pitch(each: Grid, other: Grid) -> bool:
    return abs(each.pitch - other.pitch) < 0.02 * other.pitch


def _is_better(each: _Attempt, other: _Attempt) -> bool:
    """Whether the attempt `each` is better than the attempt `other`. Usually, the higher quality
    decides. If one grid contains the other grid and the two qualities are similar, the additional
    tiles of the larger grid decide. If most of these tiles look like tiles of the smaller grid, the
    attempt with the larger grid is better, else the attempt with the smaller grid."""
    larger, smaller = sorted((each, other), key=lambda attempt: -attempt.naming.cells.size)
    further = larger.shared_outside(smaller.grid)
    if (
        further is None
        or 2 * smaller.quality < larger.quality
        or 2 * larger.quality < smaller.quality
    ):
        return each.quality > other.quality
    return each is (larger if further > 0.5 else smaller)


class _Attempt:
    """One grid of a picture, read as a board. The grid given is first extended by the rows and
    columns beyond it that show digits of the board."""

    def __init__(self, pixels: Pixels, grid: Grid, clock: Clock) -> None:
        self.pixels, self.grid, self.clock = pixels, grid, clock
        self.contested: set[str] = set()  # sides on which another attempt reaches further
        self.kinds = self._kinds()
        further = self.grid if self.varied else continued(pixels, self.grid, self.kinds)
        if further is not self.grid:
            self.grid = further
            self.kinds = self._kinds()

    @property
    def shape(self) -> tuple[int, int]:
        return self.grid.rows, self.grid.cols

    def _kinds(self) -> list[Kind]:
        fine = self.grid.pitch > 1.3 * TILE and self.grid.rows * self.grid.cols <= _MOST_FINE
        if not fine:
            return kinds_of(cut(self.pixels, self.grid), self.clock)
        larger = cut(self.pixels, self.grid, 2 * TILE)
        pairs = larger.reshape(*self.shape, TILE, 2, TILE, 2, 3)
        return kinds_of(pairs.mean(axis=(3, 5)), self.clock, larger)

    @property
    def varied(self) -> bool:
        """Whether the tiles have too many kinds for a board, as in a photo."""
        return len(self.kinds) > 12 + 0.4 * self.shape[0] * self.shape[1]

    @property
    def halved(self) -> bool:
        """Whether the grid cuts each tile of the picture in two. In such a grid, only every second
        row has numbers, or only every second column. If fewer than `_HALVED` rows or columns have
        numbers, this may be chance and does not count."""
        lines = (np.nonzero(self.numbers.any(axis=axis))[0] for axis in (0, 1))
        return any(len(each) >= _HALVED and len(set((each % 2).tolist())) == 1 for each in lines)

    def shared_outside(self, part: Grid) -> float | None:
        """Return the share of the outer tiles whose kind also occurs among the inner tiles. The
        inner tiles are those in `part`, and the outer tiles are all other tiles of this grid.
        Return None if `part` is not a smaller part of this grid. If there are few outer tiles and
        nearly all inner tiles have visible edges, the share of the outer tiles with visible edges
        is also computed, and the larger share is returned."""
        pitch = self.grid.pitch
        top, left = (part.ys[0] - self.grid.ys[0]) / pitch, (part.xs[0] - self.grid.xs[0]) / pitch
        box = [round(top), round(left), round(top) + part.rows, round(left) + part.cols]
        off = max(abs(top - box[0]), abs(left - box[1]))
        fits = box[0] >= 0 and box[1] >= 0 and box[2] <= self.shape[0] and box[3] <= self.shape[1]
        fits &= off <= 0.3 and _same_pitch(part, self.grid)
        if not fits or part.support.shape == self.shape:
            return None
        numbers = self._spread(range(len(self.kinds)))
        outside = np.ones(self.shape, bool)
        outside[box[0] : box[2], box[1] : box[3]] = False
        known = np.isin(numbers, numbers[~outside])
        support = self.grid.support
        visible = support.shape == self.shape and support[~outside].mean() > _TILED
        if visible and outside.sum() < _FEW * outside.size:
            return float(max(known[outside].mean(), support[outside].mean()))
        return float(known[outside].mean())

    @cached_property
    def naming(self) -> Naming:
        return name_kinds(self.kinds, self.shape)

    @property
    def sure(self) -> Flags:
        """Which cells are sure."""
        return self._spread(self.naming.confidence) >= SURE

    @property
    def numbers(self) -> Flags:
        """Which cells show numbers from 1 to 8."""
        return self.naming.cells > 0

    @property
    def flawless(self) -> bool:
        """Whether nearly all cells are sure, at least 12 cells show numbers from 1 to 8, and `fits`
        is true."""
        return bool(self.sure.mean() > 0.95 and self.numbers.sum() >= 12 and self.fits)

    @property
    def fits(self) -> bool:
        """Whether no cell shows a number that cannot be true, and no zero is beside a hidden cell
        or a flag."""
        return not (self.naming.misfits.any() or self.naming.beside)

    @property
    def poor(self) -> bool:
        """Whether the attempt is doubtful: its quality is low, or many cells are unsure. Then
        boards with oblong tiles and boards without lines are tried, too."""
        return self.quality < _POOR or float(1 - self.sure.mean()) > _MOST_UNSURE

    @property
    def quality(self) -> float:
        """A score that is higher, the more likely the picture shows this board. Numbers from 1 to 8
        raise the score, sure ones most. Cells that do not fit, zeros beside hidden cells or flags,
        unsure cells, and the size of the board lower the score."""
        numbers, sure = self.numbers, self.sure
        wrong = int(self.naming.misfits.sum())
        speaks = (sure & numbers).sum() + 0.2 * numbers.sum() - 0.002 * numbers.size
        return float(speaks - 3 * wrong - 2 * self.naming.beside - 0.1 * (~sure).sum())

    def _spread(self, values: Sequence[float]) -> Doubles:
        """Return an array with the value of each cell. `values` has a value for each kind."""
        cells = np.zeros(self.shape[0] * self.shape[1])
        for kind, value in zip(self.kinds, values, strict=True):
            cells[kind.cells] = value
        return cells.reshape(self.shape)

    def reading(self, corrections: Mapping[Cell, int]) -> Reading:
        board = Board(self.naming.cells)
        corrections = {board.require(cell): code for cell, code in corrections.items()}
        board.replace(corrections)  # raises BoardError for an invalid code
        if corrections:
            self.naming = name_kinds(self.kinds, self.shape, self._taught(corrections))
        board = Board(self.naming.cells).replace(corrections)
        confidence = self._checked(board)
        doubted = self.naming.misfits.copy()
        for kind in self.kinds:
            doubted.ravel()[kind.contested] = True
        confidence[doubted] = np.minimum(confidence[doubted], _DOUBTED)
        found = open_sides(self.pixels, self.grid, self.kinds, self.naming.cells)
        sides = [side for side in SIDES if side in found or side in self.contested]
        for side in sides:
            rim = line_of(SIDES.index(side))
            confidence[rim] = np.minimum(confidence[rim], _OPEN_RIM)
        for cell in corrections:
            confidence[cell] = 1.0
        if not corrections:  # a person who corrects cells has seen the board
            self._require_board(board, confidence)
        return Reading(board, confidence, self.grid.xs, self.grid.ys, tuple(sides))

    def _taught(self, corrections: Mapping[Cell, int]) -> dict[int, int]:
        """Return the codes of the kinds with corrected cells, by the number of the kind. A kind
        gets no code if its cells were corrected to different codes: only these cells change. A code
        without a role, such as the code of a hole, counts as hidden."""
        codes: dict[int, set[int]] = {}
        for (row, col), code in corrections.items():
            place = row * self.shape[1] + col
            number = next(n for n, kind in enumerate(self.kinds) if place in kind.cells)
            codes.setdefault(number, set()).add(code if code in ROLES else HIDDEN)
        return {number: given.pop() for number, given in codes.items() if len(given) == 1}

    def _checked(self, board: Board) -> Doubles:
        """Return the confidence in each cell, after a check by the solver. If numbers contradict
        each other, the confidence in these numbers is lowered. Otherwise, the confidence in an
        unsure kind is raised if each of its `naming.alternatives` leads to a contradiction. To save
        time, only some unsure kinds are checked."""
        confidence = self._spread(self.naming.confidence)
        doubted = _contradicted(board)
        for cell in doubted:
            confidence[cell] = min(confidence[cell], _DOUBTED)
        if doubted:
            return confidence
        checks = 0
        for number, codes in self.naming.alternatives.items():
            if not 0.5 < self.naming.confidence[number] < SURE or checks >= _MOST_CHECKS:
                continue
            checks += len(codes)
            others = (self._with(board, number, code) for code in codes)
            if all(_contradicted(other, most=1) for other in others):
                confidence.ravel()[self.kinds[number].cells] = 0.95
        return confidence

    def _with(self, board: Board, number: int, code: int) -> Board:
        """Return the board with `code` at all cells of the kind `number`."""
        codes = board.codes.copy()
        codes.ravel()[self.kinds[number].cells] = code
        return Board(codes)

    def _require_board(self, board: Board, confidence: Doubles) -> None:
        """Raise NoBoardInPicture if the tiles are not those of a game, or if too many cells are
        unsure."""
        size = f"{self.shape[0]}×{self.shape[1]} tiles"
        if not ((board.codes > 0) & self.sure).any():
            raise NoBoardInPicture(
                f"the picture shows {size}, but no number that can be read clearly"
            )
        misfits, beside, cells = self.naming.misfits, self.naming.beside, board.codes.size
        if misfits.sum() > 3 + 0.03 * cells or beside > 0.1 * cells:
            wrong = int((misfits | violations(self.naming.cells)[1]).sum())
            raise NoBoardInPicture(
                f"the picture shows {size} that are not those of Minesweeper or were misread: "
                f"{wrong} numbers do not fit the tiles around them"
            )
        unsure = float((confidence < SURE).mean())
        if unsure > _MOST_UNSURE or (unsure > _MANY_UNSURE and self.quality < _POOR):
            raise NoBoardInPicture(
                f"the picture shows {size}, but the meaning of {unsure:.0%} of the tiles is unclear"
            )


def _contradicted(board: Board, most: int = _MOST_CONFLICTS) -> set[Cell]:
    """Return the cells whose numbers take part in a conflict. The search looks for up to `most`
    conflicts. Flags count as hidden, because players flag wrongly. After each conflict, the search
    leaves out one number of this conflict, so that a different conflict can be found."""
    rest = board.without_marks()
    found: set[Cell] = set()
    for _ in range(most):
        try:
            conflict = find_conflict(rest)
        except (BoardError, GaveUp):  # no conflict, or none found within the limits
            break
        if conflict is None or not conflict.clues:
            break
        cells = [cell for cell, _ in conflict.clues]
        found.update(cells)
        rest = rest.replace({cells[0]: CLEAR})
    return found
