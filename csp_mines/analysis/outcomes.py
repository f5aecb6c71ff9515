"""What opening a cell would tell: the numbers it may show, how likely each is, what follows then.

With a known total, or with nothing known, all layouts that fit are alike, so the chance of a number
is the share of the layouts that show it."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from csp_mines.analysis.analyze import Analysis, analyze
from csp_mines.analysis.contract import hidden_cell, position_of
from csp_mines.board import EXPLODED, HIDDEN, MARKED, Board, Cell
from csp_mines.defaults import POSITION_STATES
from csp_mines.errors import Contradiction

__all__ = ["Showing", "bits", "information", "outcomes"]


@dataclass(frozen=True)
class Showing:
    """One thing that a cell may show: a clue, or EXPLODED for a mine. `safe` and `mines` are how
    many hidden cells are proved once it is seen, and so many are still `undecided`."""

    shown: int
    probability: float
    safe: int
    mines: int
    undecided: int

    @property
    def certain(self) -> bool:
        """Whether the next step needs no guess: a cell is proved safe, or all that is hidden are
        mines."""
        return self.shown != EXPLODED and (self.safe > 0 or self.undecided == 0)

    def to_json(self) -> dict[str, Any]:
        """`{"shown": 0…8 or "X", "probability": p, "safe": n, "mines": n, "undecided": n}`."""
        return {
            "shown": "X" if self.shown == EXPLODED else self.shown,
            "probability": self.probability,
            "safe": self.safe,
            "mines": self.mines,
            "undecided": self.undecided,
        }


def outcomes(found: Analysis, cell: Cell) -> list[Showing]:
    """What a hidden cell may show, clues in order and then the mine. Raises BoardError for another
    cell, Unsupported where layouts that fit are not alike: under a density, or with clues that may
    be wrong."""
    return list(_outcomes(found, _told(found), hidden_cell(found.board, cell)))


def information(found: Analysis) -> npt.NDArray[np.float64]:
    """How many bits opening each hidden cell tells on average; nan elsewhere. Cells that no clue
    touches and that see as much of the board tell alike, and are asked once. Raises Unsupported."""
    board = _told(found)
    table = np.full(board.codes.shape, np.nan)
    asked: dict[Any, float] = {}
    for cell in board.cells(HIDDEN):
        key = _alike_key(board, cell)
        if key not in asked:
            asked[key] = bits(_outcomes(found, board, cell))
        table[cell] = asked[key]
    return table


def bits(shown: Iterable[Showing]) -> float:
    """How much it tells on average which of these comes true."""
    shares = (outcome.probability for outcome in shown)
    return -sum(share * math.log2(share) for share in shares if share > 0) + 0.0


def _told(found: Analysis) -> Board:
    """The board with the number of mines as it was analysed, which may be told beside it."""
    position = position_of(found, "what a cell would show")
    return Board(position.codes, mines=position.total)


def _outcomes(found: Analysis, board: Board, cell: Cell) -> Iterator[Showing]:
    around = [board[other] for other in board.neighbours(cell)]
    known = sum(code in (MARKED, EXPLODED) for code in around)
    most = known + sum(code == HIDDEN for code in around)
    most_states = found.position.max_states if found.position is not None else POSITION_STATES
    for shown in (*range(known, most + 1), EXPLODED):
        try:
            then = analyze(board.replace({cell: shown}), max_states=most_states)
        except Contradiction:
            continue
        share = math.exp(then.log_solutions - found.log_solutions)
        hidden = int(np.count_nonzero(board.codes == HIDDEN)) - 1
        safe, mines = len(then.safe), len(then.mines)
        yield Showing(shown, share, safe, mines, hidden - safe - mines)


def _alike_key(board: Board, cell: Cell) -> Any:
    """The same for cells that are sure to tell alike: those in the sea with nothing but sea around
    them, as many."""
    near = board.neighbours(cell)
    reach = {other for neighbour in near for other in board.neighbours(neighbour)}
    if all(board[other] == HIDDEN for other in reach):
        return len(near)
    return cell
