"""The conflict of a board that no layout fits: a minimal set of clues that contradict each other.

A board of more than `LARGE` cells is searched in overlapping parts, one after the other. So neither
time nor memory grows faster than the board. The search misses a conflict that does not lie within
one part, such as most conflicts with the total."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from csp_mines import defaults
from csp_mines.analysis.clue_sets import Cores
from csp_mines.backend import Capability, default_engine, offered
from csp_mines.board import CLEAR, EXPLODED, HIDDEN, MARKED, Board, Cell, as_board
from csp_mines.constraints import Frontier
from csp_mines.errors import BoardError, Conflict, Contradiction, TooWide
from csp_mines.geometry import GRID
from csp_mines.question import ask

__all__ = ["all_mines", "doubtful_marks", "find_conflict"]

LARGE = 40_000  # cells
PART = 100  # rows and columns of a part, without the overlap
OVERLAP = 24  # rows and columns shared with the next part: narrower conflicts are never missed


def find_conflict(
    board: Board | npt.ArrayLike | Frontier, mines: int | None = None
) -> Conflict | None:
    """Find a minimal conflict, and a smallest one if that is affordable.

    The total belongs to the conflict only if the clues alone do not contradict each other. None if
    the conflict of a large board does not lie within one part. Raises BoardError if a small board
    has no conflict.

    >>> print(csp_mines.find_conflict([[1, -1, 0]]))
    (0,0)=1 and (0,2)=0 cannot hold together
    """
    if not isinstance(board, Frontier):
        board = as_board(board)
    if mines is not None:
        board = board.board if isinstance(board, Frontier) else board
        board = Board(board.codes, mines=mines, clues=board.clues)
    small = (board.board if isinstance(board, Frontier) else board).codes.size <= LARGE
    if small:
        return _of_frontier(board if isinstance(board, Frontier) else Frontier.of(board))
    if isinstance(board, Frontier):
        board = Board(board.board.codes, clues=board.model)
    return _impossible_clue(board) or _in_parts(board)


def _of_frontier(frontier: Frontier) -> Conflict:
    core = Cores(frontier).conflict()
    if core is None:
        raise BoardError("the board has no conflict: at least one layout fits")
    clues = ((cell, frontier.board[cell]) for cell in frontier.clues(core.statements))
    mines = all_mines(frontier) if core.total else None
    return Conflict(tuple(clues), mines, frontier.model.relation)


def _impossible_clue(board: Board) -> Conflict | None:
    """Return the first clue, in reading order, that is impossible by itself."""
    codes = board.codes
    least = GRID.count((codes == MARKED) | (codes == EXPLODED))
    most = least + GRID.count(codes == HIDDEN)
    bounds = np.array([board.clues.bounds(shown) for shown in range(9)])
    low, high = bounds[np.maximum(codes, 0)].transpose(2, 0, 1)
    wrong = np.argwhere((codes >= 0) & ((low > most) | (high < least)))
    if not len(wrong):
        return None
    row, col = wrong[0].tolist()
    return Conflict((((row, col), int(codes[row, col])),), relation=board.clues.relation)


def _in_parts(board: Board) -> Conflict | None:
    for top, left, part in _parts(board):
        if not _may_contradict(part):
            continue
        frontier = Frontier.of(part)
        core = Cores(frontier).conflict()
        if core is not None:
            cells = frontier.clues(core.statements)
            clues = (((top + row, left + col), part[row, col]) for row, col in cells)
            return Conflict(tuple(clues), relation=board.clues.relation)
    return None


def _parts(board: Board) -> Iterator[tuple[int, int, Board]]:
    """Iterate over the parts, each with its first row and column. Clues at the edge of a part see
    cells outside of it, so they are left out."""
    reach = GRID.reach
    for top in range(0, board.rows, PART):
        for left in range(0, board.cols, PART):
            bottom, right = top + PART + OVERLAP, left + PART + OVERLAP
            codes = board.codes[top:bottom, left:right].copy()
            seen = np.zeros(codes.shape, bool)
            seen[
                0 if top == 0 else reach : None if bottom >= board.rows else -reach,
                0 if left == 0 else reach : None if right >= board.cols else -reach,
            ] = True
            codes[~seen & (codes >= 0)] = CLEAR
            yield top, left, Board(codes, clues=board.clues)


def _may_contradict(part: Board) -> bool:
    """Return False if a layout is known to fit. A part that takes long to decide gives True."""
    if offered(Capability.BOARDS) is None:
        return True
    try:
        default_engine().analyze(ask(part, max_states=defaults.POSITION_STATES))
    except (Contradiction, TooWide):
        return True
    return False


def doubtful_marks(board: Board, conflict: Conflict) -> list[Cell]:
    """Return the marked mines that a conflict depends on, sorted: those beside its clues, or all
    marked mines if the conflict needs the total."""
    beside = {cell for clue, _ in conflict.clues for cell in board.neighbours(clue)}
    return [cell for cell in board.cells(MARKED) if cell in beside or conflict.mines is not None]


def all_mines(frontier: Frontier) -> int | None:
    """Return the mines on the whole board, including marked and opened ones; None if unknown."""
    unseen = frontier.problem.mines
    return None if unseen is None else unseen + frontier.board.known_mines
