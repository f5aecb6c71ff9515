"""Sheets of paper puzzles: a page to solve and a page of solutions, black on white, A4."""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil
from typing import TYPE_CHECKING

from csp_mines.board import HIDDEN
from csp_mines.errors import InputError, Unsupported
from csp_mines.pictures.canvas import Drawing, circle, line, rectangle, text

if TYPE_CHECKING:
    from csp_mines.generation.puzzles import Puzzle

__all__ = ["draw_sheet"]

WIDTH, HEIGHT = 794.0, 1123.0  # A4 at 96 pixels per inch
MARGIN, GAP, HEADING = 48.0, 26.0, 22.0
LEAST_CELL, MOST_CELL = 9.0, 34.0
INK, FAINT, PAPER = "#000000", "#888888", "#ffffff"


def draw_sheet(puzzles: Sequence[Puzzle]) -> tuple[Drawing, Drawing]:
    """Return a page with the puzzles, and a page with their solutions. Raises InputError unless all
    puzzles have the same size, Unsupported if they do not fit on a page."""
    columns, cell = _arrangement(puzzles)
    pages = (
        Drawing(WIDTH, HEIGHT, PAPER, "Minesweeper puzzles"),
        Drawing(WIDTH, HEIGHT, PAPER, "Minesweeper puzzles: solutions"),
    )
    for page, heading in zip(pages, ("Where are the mines?", "Solutions"), strict=True):
        page.add(text(MARGIN, MARGIN / 2, 15, heading, fill=INK, anchor="start", bold=True))
    rows, cols = puzzles[0].layout.shape
    for number, puzzle in enumerate(puzzles):
        x = MARGIN + (number % columns) * (cols * cell + GAP)
        y = MARGIN + (number // columns) * (rows * cell + HEADING + GAP)
        for page, solved in zip(pages, (False, True), strict=True):
            _puzzle(page, puzzle, number + 1, (x, y), cell, solved=solved)
    return pages


def _arrangement(puzzles: Sequence[Puzzle]) -> tuple[int, float]:
    """Return the number of columns that gives the largest cells, and the size of a cell."""
    if not puzzles or len({puzzle.layout.shape for puzzle in puzzles}) != 1:
        raise InputError("a sheet needs at least one puzzle, and all puzzles of the same size")
    rows, cols = puzzles[0].layout.shape

    def size(columns: int) -> float:
        lines = ceil(len(puzzles) / columns)
        wide = (WIDTH - 2 * MARGIN - (columns - 1) * GAP) / (columns * cols)
        high = (HEIGHT - 2 * MARGIN - lines * HEADING - (lines - 1) * GAP) / (lines * rows)
        return min(wide, high, MOST_CELL)

    best = max(range(1, len(puzzles) + 1), key=size)
    if size(best) < LEAST_CELL:
        problem = f"{len(puzzles)} puzzles of {rows}×{cols} cells do not fit on a page"
        raise Unsupported(f"{problem}; ask for fewer or smaller puzzles")
    return best, size(best)


def _puzzle(
    page: Drawing,
    puzzle: Puzzle,
    number: int,
    corner: tuple[float, float],
    cell: float,
    *,
    solved: bool,
) -> None:
    rows, cols = puzzle.layout.shape
    left, top = corner[0], corner[1] + HEADING
    name = f"{number}  ({puzzle.grade})"
    page.add(text(left, corner[1] + HEADING / 2, 11, name, fill=INK, anchor="start"))
    for row in range(rows):
        for col in range(cols):
            x, y = left + (col + 0.5) * cell, top + (row + 0.5) * cell
            clue = puzzle.board[row, col]
            if clue != HIDDEN:
                page.add(text(x, y, cell * 0.6, str(clue), fill=INK))
            elif solved and puzzle.layout.mines[row, col]:
                page.add(circle(x, y, cell * 0.28, fill=INK))
    width, height = cols * cell, rows * cell
    for col in range(1, cols):
        x = left + col * cell
        page.add(line((x, top), (x, top + height), stroke=FAINT, thick=0.6))
    for row in range(1, rows):
        y = top + row * cell
        page.add(line((left, y), (left + width, y), stroke=FAINT, thick=0.6))
    page.add(rectangle(left, top, width, height, stroke=INK, thick=1.4))
