"""The outcomes of opening a cell: what it may show, how likely that is, and what is then proved.

With a known total, or without a prior, all layouts that fit are equally likely. So the probability
of an outcome is the number of layouts with this outcome divided by the number of all layouts."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from csp_mines.analysis.analyze import Analysis, analyze
from csp_mines.analysis.contract import position_of
from csp_mines.board import EXPLODED, HIDDEN, MARKED, Board, Cell
from csp_mines.defaults import POSITION_STATES
from csp_mines.errors import Contradiction

__all__ = ["Showing", "bits", "information", "outcomes"]


@dataclass(frozen=True)
class Showing:
    """One outcome of opening a cell. `shown` is the clue, or EXPLODED for a mine.
    `safe`, `mines` and `undecided` are the numbers of hidden cells that are then proved safe,
    proved mines, or neither."""

    shown: int
    probability: float
    safe: int
    mines: int
    undecided: int

    @property
    def certain(self) -> bool:
        """Whether the next step needs no guess: a cell is proved safe, or every hidden cell is a
        mine."""
        return self.shown != EXPLODED and (self.safe > 0 or self.undecided == 0)

    def to_json(self) -> dict[str, Any]:
        """Return `{"shown": 0…8 or "X", "probability": …, "safe": …, "mines": …, "undecided":
        …}`. The last three are numbers of cells."""
        return asdict(self) | {"shown": "X" if self.shown == EXPLODED else self.shown}


def outcomes(analysis: Analysis, cell: Cell) -> list[Showing]:
    """Return the possible outcomes of opening a hidden cell: clues in order, then the mine.

    Raises BoardError if the cell is not hidden. Raises Unsupported for a density, for clues that
    are not exact and for estimated risks."""
    board = position_of(analysis, "what a cell would show").as_board()
    return list(_outcomes(analysis, board, board.require_hidden(cell)))


def information(analysis: Analysis) -> npt.NDArray[np.float64]:
    """Return the average information, in bits, from opening each hidden cell; nan elsewhere. Sea
    cells with equally many neighbours have the same value, which is computed once. Raises
    Unsupported for a density, for clues that are not exact and for estimated risks."""
    board = position_of(analysis, "what a cell would show").as_board()
    table = np.full(board.codes.shape, np.nan)
    asked: dict[Any, float] = {}
    for cell in board.cells(HIDDEN):
        key = _alike_key(board, cell)
        if key not in asked:
            asked[key] = bits(_outcomes(analysis, board, cell))
        table[cell] = asked[key]
    return table


def bits(shown: Iterable[Showing]) -> float:
    """Return the information in bits that opening the cell gives on average: the entropy of its
    outcomes."""
    shares = (outcome.probability for outcome in shown)
    return -sum(share * math.log2(share) for share in shares if share > 0) + 0.0


def _outcomes(analysis: Analysis, board: Board, cell: Cell) -> Iterator[Showing]:
    around = [board[other] for other in board.neighbours(cell)]
    known = sum(code in (MARKED, EXPLODED) for code in around)
    most = known + sum(code == HIDDEN for code in around)
    most_states = analysis.position.max_states if analysis.position is not None else POSITION_STATES
    for shown in (*range(known, most + 1), EXPLODED):
        try:
            then = analyze(board.replace({cell: shown}), max_states=most_states)
        except Contradiction:
            continue
        share = math.exp(then.log_solutions - analysis.log_solutions)
        hidden = int(np.count_nonzero(board.codes == HIDDEN)) - 1
        safe, mines = len(then.safe), len(then.mines)
        yield Showing(shown, share, safe, mines, hidden - safe - mines)


def _alike_key(board: Board, cell: Cell) -> Any:
    """Return a key. Cells with the same key have the same information. Two cells share a key only
    if both have equally many neighbours and only hidden cells within two steps."""
    near = board.neighbours(cell)
    reach = {other for neighbour in near for other in board.neighbours(neighbour)}
    if all(board[other] == HIDDEN for other in reach):
        return len(near)
    return cell
