"""Paper puzzles to print, black on white: pages with puzzles, then pages with their solutions.

A book has as many pages as its puzzles need at a readable size. It is one PDF file, or one SVG file
for each page. A sheet has all puzzles on one page and all solutions on another. Each of these two
pages is an SVG file.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil
from pathlib import Path
from typing import TYPE_CHECKING, Any

from csp_mines.arguments import looked_up
from csp_mines.errors import InputError, Unsupported
from csp_mines.files import written_whole
from csp_mines.libraries import needed
from csp_mines.pictures.canvas import Drawing, Shape, ShapeKind, circle, line, text
from csp_mines.pictures.outlines import Outline, around_in_words
from csp_mines.words import plural

if TYPE_CHECKING:
    from csp_mines.generation.puzzles import Puzzle
    from csp_mines.layout import Spec

PAPERS = {"a4": (595.3, 841.9), "letter": (612.0, 792.0)}  # points: 72 to the inch
MARGIN, GAP, HEADING, FOOT = 54.0, 22.0, 18.0, 24.0  # points
TITLE = 84.0  # the height of the title and the rules of the puzzle on the first page, in points
CELL, LEAST_CELL, SOLUTION_CELL = 20.0, 13.0, 9.0  # widths in points, in a book
SHEET_CELL, LEAST_SHEET_CELL = 26.0, 4.5  # widths in points, on a sheet
INK, FAINT, PAPER = "#000000", "#777777", "#ffffff"


@dataclass(frozen=True)
class _Places:
    """How puzzles of one size are arranged on pages. All lengths are in points. `cell` is the width
    of a cell. `width` is the width of a puzzle and the gap after it. `height` is the height of a
    puzzle, its heading and the gap below. A page has room for `columns` puzzles side by side. The
    first page has a title, and below the title room for `first` rows of puzzles. Each later page
    has room for `others` rows of puzzles."""

    cell: float
    width: float
    height: float
    columns: int
    first: int
    others: int

    @classmethod
    def of(cls, outline: Outline, paper: tuple[float, float], cell: float) -> _Places:
        """Return the arrangement of puzzles whose cells are `cell` points wide."""
        across, down = outline.size
        width, height = across * cell + GAP, down * cell + HEADING + GAP
        wide, high = paper[0] - 2 * MARGIN + GAP, paper[1] - 2 * MARGIN + GAP

        def fit(room: float, each: float) -> int:
            return max(1, int(room / each + 1e-9))  # 2.9999999999 is 3 with a rounding error

        lines = fit(high - TITLE, height), fit(high - FOOT, height)
        return cls(cell, width, height, fit(wide, width), *lines)


def check_book(path: Path, spec: Spec, paper: str) -> None:
    """Check that a book of puzzles of the size `spec` can be made. Callers check this before they
    make the puzzles, because making puzzles takes long.

    Raises InputError if `path` does not end in .pdf or .svg; UnknownName for an unknown paper;
    Unsupported if a puzzle of this size does not fit on a page at a readable size; MissingLibrary
    if `path` ends in .pdf and ReportLab is missing."""
    if path.suffix.lower() not in (".pdf", ".svg"):
        raise InputError(f"--book must name a .pdf or .svg file, not {path.name!r}")
    if path.suffix.lower() == ".pdf":
        _reportlab()
    outline = Outline(spec.geometry, spec.rows, spec.cols)
    _arranged(outline, looked_up("paper", paper, PAPERS), CELL, LEAST_CELL)


def check_sheet(path: Path, spec: Spec, count: int, paper: str) -> None:
    """Check that a sheet of `count` puzzles of the size `spec` can be made. Raises InputError if
    `path` does not end in .svg, UnknownName for an unknown paper, Unsupported if the puzzles do not
    all fit on one page at a readable size."""
    if path.suffix.lower() != ".svg":
        raise InputError(f"--sheet must name a .svg file, not {path.name!r}")
    outline = Outline(spec.geometry, spec.rows, spec.cols)
    _on_one_page(outline, looked_up("paper", paper, PAPERS), count)


def draw_book(puzzles: Sequence[Puzzle], paper: str = "a4") -> list[Drawing]:
    """Return the pages of a book. Raises InputError if there is no puzzle, or if two puzzles differ
    in size or grid; UnknownName for an unknown paper; Unsupported if a puzzle does not fit on a
    page at a readable size."""
    outline, size = _measured(puzzles, paper)
    book = _Book(outline, size)
    title = plural(len(puzzles), "Minesweeper puzzle")
    book.add_part(puzzles, title, _arranged(outline, size, CELL, LEAST_CELL), solved=False)
    small = _arranged(outline, size, SOLUTION_CELL, min(SOLUTION_CELL, 6.0))
    book.add_part(puzzles, "Solutions", small, solved=True)
    for number, page in enumerate(book.pages, start=1):
        page.add(text(size[0] / 2, size[1] - MARGIN / 2, 9, str(number), fill=FAINT))
    return book.pages


def draw_sheet(puzzles: Sequence[Puzzle], paper: str = "a4") -> list[Drawing]:
    """Return a page with the puzzles, and a page with their solutions. Raises InputError and
    UnknownName as `draw_book` does, and Unsupported if the puzzles do not all fit on one page at a
    readable size."""
    outline, size = _measured(puzzles, paper)
    book = _Book(outline, size)
    places = _on_one_page(outline, size, len(puzzles))
    book.add_part(puzzles, "Where are the mines?", places, solved=False)
    book.add_part(puzzles, "Solutions", places, solved=True)
    return book.pages


def _measured(puzzles: Sequence[Puzzle], paper: str) -> tuple[Outline, tuple[float, float]]:
    """Return the outline of the puzzles, and the width and height of the paper in points. Raises
    InputError if there is no puzzle, or if two puzzles differ in size or grid; UnknownName for an
    unknown paper."""
    if len({(puzzle.layout.shape, puzzle.layout.geometry) for puzzle in puzzles}) != 1:
        raise InputError("give at least one puzzle; all puzzles must have the same size and grid")
    board = puzzles[0].board
    outline = Outline(board.geometry, board.rows, board.cols)
    return outline, looked_up("paper", paper, PAPERS)


def save_book(pages: Sequence[Drawing], path: Path) -> list[Path]:
    """Write the pages, and return the written files. If `path` is NAME.svg, the files are
    NAME-1.svg, NAME-2.svg and so on, one for each page. Otherwise `path` becomes one PDF file.
    Raises FileError if a file cannot be written, MissingLibrary if a PDF is wanted and ReportLab is
    missing."""
    if path.suffix.lower() == ".svg":
        files = [path.with_name(f"{path.stem}-{place + 1}.svg") for place in range(len(pages))]
        for page, file in zip(pages, files, strict=True):
            page.save(file)
        return files
    with written_whole(path, "wb") as written:
        canvas = _reportlab()(written, pagesize=(pages[0].width, pages[0].height))
        canvas.setTitle(pages[0].title)
        canvas.setCreator("csp-mines")
        for page in pages:
            for shape in page.placed():
                _put(canvas, page.height, shape)
            canvas.showPage()
        canvas.save()
    return [path]


def _arranged(outline: Outline, paper: tuple[float, float], most: float, least: float) -> _Places:
    """Return an arrangement of puzzles whose cells are `most` points wide, or less if a puzzle
    would otherwise not fit on a page. If the first page then has room left, the cells of all pages
    grow by up to 30 %, until the first page is full. Raises Unsupported if a puzzle does not fit on
    a page with cells that are `least` points wide."""
    cell = min(most, _largest_cell(outline, paper, 1, 1))
    if cell < least:
        problem = f"a puzzle of {outline.rows}×{outline.cols} cells does not fit on a page"
        raise Unsupported(f"{problem} at a readable size; ask for smaller puzzles")
    places = _Places.of(outline, paper, cell)
    fills = _largest_cell(outline, paper, places.columns, places.first)  # fills the page
    return _Places.of(outline, paper, min(1.3 * cell, fills))


def _on_one_page(outline: Outline, paper: tuple[float, float], puzzles: int) -> _Places:
    """Return the arrangement for one page with this number of `puzzles`. The cells are as large as
    possible, but at most `SHEET_CELL` points wide. Raises Unsupported if the cells would be too
    small to read."""
    cell = max(
        _largest_cell(outline, paper, columns, ceil(puzzles / columns))
        for columns in range(1, puzzles + 1)
    )
    if cell < LEAST_SHEET_CELL:
        problem = f"{puzzles} puzzles of {outline.rows}×{outline.cols} cells do not fit on a page"
        raise Unsupported(f"{problem}; ask for fewer or smaller puzzles")
    return _Places.of(outline, paper, min(SHEET_CELL, cell))


def _largest_cell(outline: Outline, paper: tuple[float, float], columns: int, lines: int) -> float:
    """Return the largest width of cells, in points, with which the first page has room for
    `columns` puzzles side by side and `lines` puzzles one below the other."""
    across, down = outline.size
    width = (paper[0] - 2 * MARGIN + GAP) / columns - GAP
    height = (paper[1] - 2 * MARGIN - TITLE + GAP) / lines - GAP - HEADING
    return min(width / across, height / down)


class _Book:
    def __init__(self, outline: Outline, paper: tuple[float, float]) -> None:
        self.outline, self.paper = outline, paper
        self.pages: list[Drawing] = []

    def add_part(
        self, puzzles: Sequence[Puzzle], title: str, places: _Places, *, solved: bool
    ) -> None:
        """Add pages with all the puzzles or, if `solved`, with their solutions. The first of these
        pages has the title."""
        done = 0
        while done < len(puzzles):
            page = Drawing(*self.paper, PAPER, title)
            top = MARGIN
            lines = places.others
            if not done:
                self._head(page, title, solved=solved)
                top, lines = MARGIN + TITLE, places.first
            some = puzzles[done : done + lines * places.columns]
            for place, puzzle in enumerate(some):
                x = MARGIN + (place % places.columns) * places.width
                y = top + (place // places.columns) * places.height
                self._puzzle(page, puzzle, done + place + 1, (x, y), places.cell, solved=solved)
            self.pages.append(page)
            done += len(some)

    def _head(self, page: Drawing, title: str, *, solved: bool) -> None:
        page.add(text(MARGIN, MARGIN + 12, 20, title, fill=INK, anchor="start", bold=True))
        if solved:
            return
        rules = (
            f"A number counts the mines among {around_in_words(self.outline.geometry)}.",
            "Find all mines; no guessing is needed. A cell with a number is not a mine.",
        )
        for place, words in enumerate(rules):
            at = MARGIN + 38 + 15 * place
            page.add(text(MARGIN, at, 10.5, words, fill=INK, anchor="start"))

    def _puzzle(
        self,
        page: Drawing,
        puzzle: Puzzle,
        number: int,
        corner: tuple[float, float],
        cell: float,
        *,
        solved: bool,
    ) -> None:
        left, top, shape = corner[0], corner[1] + HEADING, self.outline.corners
        name = f"{number}" if solved else f"{number}   {puzzle.grade}"
        size = 8 if solved else 10
        page.add(text(left, corner[1] + HEADING / 2, size, name, fill=INK, anchor="start"))

        def at(place: tuple[float, float]) -> tuple[float, float]:
            return left + place[0] * cell, top + place[1] * cell

        for first, second in self.outline.edges:
            page.add(line(at(first), at(second), stroke=FAINT, thick=0.7))
        for place in puzzle.board.cells():
            middle = at(self.outline.middle(place))
            if self.outline.edges:  # on a graph, a filled circle covers the ends of the edges
                page.add(circle(*middle, cell / 2, fill=PAPER))
            corners = [(middle[0] + x * cell, middle[1] + y * cell) for x, y in shape]
            page.add(line(*corners, corners[0], stroke=INK, thick=0.7))
            clue = puzzle.board[place]
            if clue >= 0:
                digits = 0.62 if clue < 10 else 0.5
                page.add(text(*middle, cell * digits, str(clue), fill=INK))
            elif solved and puzzle.layout.mines[place]:
                page.add(circle(*middle, cell * 0.27, fill=INK))


def _reportlab() -> Any:
    """Return ReportLab's class for PDF files. Raises MissingLibrary without ReportLab."""
    with needed("a book as PDF needs ReportLab (SVG needs nothing)", "csp-mines[book]"):
        from reportlab.pdfgen.canvas import Canvas
    return Canvas


def _put(canvas: Any, height: float, shape: Shape) -> None:
    """Draw a shape on a page of a PDF. `height` is the height of the page. In a PDF, y is the
    distance from the lower edge of the page."""
    from reportlab.lib.colors import HexColor

    fill, stroke = shape.fill is not None, shape.stroke is not None
    if fill:
        canvas.setFillColor(HexColor(shape.fill))
    if stroke:
        canvas.setStrokeColor(HexColor(shape.stroke))
        canvas.setLineWidth(shape.thick)
    x, y = shape.numbers[0], height - shape.numbers[1]
    if shape.kind is ShapeKind.CIRCLE:
        canvas.circle(x, y, shape.numbers[2], stroke=int(stroke), fill=int(fill))
    elif shape.kind is ShapeKind.TEXT:
        size = shape.numbers[2]
        canvas.setFont("Helvetica-Bold" if shape.bold else "Helvetica", size)
        draw = canvas.drawString if shape.anchor == "start" else canvas.drawCentredString
        draw(x, y - size * 0.35, shape.words)
    else:  # a line: a book has only circles, texts and lines
        path = canvas.beginPath()
        path.moveTo(x, y)
        for place in range(2, len(shape.numbers), 2):
            path.lineTo(shape.numbers[place], height - shape.numbers[place + 1])
        canvas.drawPath(path, stroke=int(stroke), fill=int(fill))
