"""The conflict of a board that no layout fits: a minimal set of clues that cannot all be true.

The total may belong to a conflict. If a conflict is a single clue or the total alone,
`Conflict.reason` says why this clue or this total is impossible.

`find_conflict` searches a board of more than `LARGE` cells in overlapping parts, one part after the
other. So neither time nor memory grows faster than the board. This search does not use the total,
and misses a conflict whose clues are not all in one part."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial

import numpy as np
import numpy.typing as npt

from csp_mines import defaults
from csp_mines.analysis.clue_sets import Cores
from csp_mines.backend import Capability, default_engine, offered
from csp_mines.board import CLEAR, HIDDEN, MARKED, Board, Cell, as_board, known_mines
from csp_mines.clues import ClueModel
from csp_mines.constraints import Frontier
from csp_mines.errors import BoardError, Conflict, Contradiction, TooWide
from csp_mines.geometry import Lattice, cells_at
from csp_mines.question import ask, require_no_mines
from csp_mines.words import joined, plural

LARGE = 40_000  # a board with more cells is searched in parts
PART = 100  # the number of rows and of columns of a part, without the overlap
# Adjacent parts share this many rows or columns, so that a small conflict lies inside one part.
OVERLAP = 24


def find_conflict(
    board: Board | npt.ArrayLike | Frontier, mines: int | None = None
) -> Conflict | None:
    """Return a minimal set of clues that cannot all be true; usually a smallest set.

    The total belongs to the conflict only if the clues alone do not contradict each other, or if
    the total alone is impossible. If the clues touch more than 600 hidden cells, such a conflict
    may be the total with all clues beside hidden cells.

    On a board of more than 40,000 cells, the search looks at one part of the board after another,
    without the total. The function returns None if this search finds no conflict.

    Parameters:
        board: a board, an array of integers, or the frontier of a board.
        mines: the total number of mines. By default the board's own number.

    Raises BoardError for an invalid board, and for a board of at most 40,000 cells that a layout
    fits; InputError if `mines` is given with a frontier.

    >>> print(csp_mines.find_conflict([[1, -1, 0]]))
    (0,0)=1 and (0,2)=0 cannot hold together
    """
    frontier = board if isinstance(board, Frontier) else None
    if frontier is not None:
        require_no_mines(mines, "a Frontier")
    whole = board.board if isinstance(board, Frontier) else as_board(board).told(mines=mines)
    if whole.codes.size > LARGE:
        model = whole.clues if frontier is None else frontier.model
        large = Board(whole.codes, clues=model, geometry=whole.geometry)
        return _impossible_clue(large) or next(filter(None, _in_parts(large)), None)
    conflict = _of_frontier(frontier or Frontier.of(whole))
    if conflict is None:
        raise BoardError("the board has no conflict: at least one layout fits")
    return conflict


@contextmanager
def explained(frontier: Frontier) -> Iterator[None]:
    """If the `with` block raises a Contradiction, raise a Contradiction with the same message and
    with the conflict of `frontier`. The search for the conflict starts when a caller first reads
    `conflict` or the text of this error."""
    try:
        yield
    except Contradiction as error:
        raise Contradiction(error.message, find=partial(find_conflict, frontier)) from None


def _of_frontier(frontier: Frontier, top: int = 0, left: int = 0) -> Conflict | None:
    """Return the conflict of a frontier, or None if a layout fits. If the frontier belongs to a
    part of a board, this part begins at row `top` and column `left` of the board."""
    core = Cores(frontier).conflict()
    if core is None:
        return None
    clues = [
        ((top + row, left + col), frontier.board[row, col])
        for row, col in frontier.clues(core.statements)
    ]
    labels = tuple(frontier.board.geometry.label(cell) for cell, _ in clues)
    mines = None
    if core.total and frontier.problem.mines is not None:
        mines = frontier.problem.mines + frontier.board.known_mines
    reason = ""
    if len(clues) == 1 and mines is None:
        reason = _against_clue(frontier.board, frontier.model, frontier.clues(core.statements)[0])
    elif not clues and mines is not None:
        reason = _against(list(map(int, frontier.board.codes.flat)), mines, mines, "on the board")
    return Conflict(tuple(clues), mines, frontier.model.relation, labels, reason)


def _impossible_clue(board: Board) -> Conflict | None:
    """Return the conflict of the first clue, row by row, that is impossible because of the cells
    around this clue. Return None if there is no such clue."""
    codes = board.codes
    least = board.geometry.count(known_mines(codes))
    most = least + board.geometry.count(codes == HIDDEN)
    bounds = np.array(board.clues.all_bounds(board.geometry.most))
    low, high = bounds[np.maximum(codes, 0)].transpose(2, 0, 1)
    wrong = cells_at((codes >= 0) & ((low > most) | (high < least)))
    if not wrong:
        return None
    cell = wrong[0]
    clues = ((cell, int(codes[cell])),)
    labels = (board.geometry.label(cell),)
    reason = _against_clue(board, board.clues, cell)
    return Conflict(clues, relation=board.clues.relation, labels=labels, reason=reason)


def _against_clue(board: Board, model: ClueModel, cell: Cell) -> str:
    """Return a text that says why the clue at `cell` contradicts the cells around this clue. The
    text is empty if there is no contradiction."""
    around = [board[each] for each in board.geometry.neighbours(cell, board.rows, board.cols)]
    return _against(around, *model.bounds(board[cell], board.geometry.most), "beside it")


def _against(codes: list[int], low: int, high: int, where: str) -> str:
    """Return a text that says why cells with these `codes` cannot have `low` to `high` mines, such
    as `only 2 hidden cells are beside it`. The text ends with `where`, such as `beside it`. The
    text is empty if the cells can have such a number of mines."""
    hidden, known = codes.count(HIDDEN), int(known_mines(np.array(codes)).sum())
    mines = plural(known, "known mine")
    if high < known:
        return f"{mines} {'is' if known == 1 else 'are'} {where}"
    if low <= known + hidden:
        return ""
    if known + hidden == 0:
        return f"no hidden cell is {where}"
    what = [plural(hidden, "hidden cell")] * (hidden > 0) + [mines] * (known > 0)
    return f"only {joined(what)} {'is' if known + hidden == 1 else 'are'} {where}"


def _in_parts(board: Board) -> Iterator[Conflict | None]:
    """Yield the conflict of each part of a large board. For a part without a conflict, yield None
    or nothing. A part leaves out the clues at its edge if cells around these clues may be outside
    the part. Yield nothing for a graph and for a grid whose edges are joined, because such boards
    cannot be divided."""
    geometry = board.geometry
    if not isinstance(geometry, Lattice) or geometry.wraps:
        return
    reach = geometry.reach
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
            part = Board(codes, clues=board.clues, geometry=geometry)
            if _may_contradict(part):
                yield _of_frontier(Frontier.of(part), top, left)


def _may_contradict(part: Board) -> bool:
    """Return False if a count shows that a layout fits the part, else True. True does not prove a
    contradiction: the count may have needed too many states, or there is no kernel to count."""
    if offered(Capability.BOARDS) is None:
        return True
    try:
        default_engine().analyze(ask(part, max_states=defaults.POSITION_STATES))
    except (Contradiction, TooWide):
        return True
    return False


def doubtful_marks(board: Board, conflict: Conflict) -> list[Cell]:
    """Return the marked cells that a conflict depends on, row by row: the marked cells around the
    clues of the conflict, or all marked cells if the total is part of the conflict."""
    beside = {cell for clue, _ in conflict.clues for cell in board.neighbours(clue)}
    return [cell for cell in board.cells(MARKED) if cell in beside or conflict.mines is not None]
