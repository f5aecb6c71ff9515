"""What opening a cell would tell: the numbers it may show, how likely each is, what follows then.

With a known total, or with nothing known, all layouts that fit are alike, so the chance of a number
is the share of the layouts that show it."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from csp_mines.analysis.analyze import Analysis, analyze
from csp_mines.board import EXPLODED, HIDDEN, MARKED, Cell
from csp_mines.clues import EXACT
from csp_mines.errors import Contradiction, Unsupported

__all__ = ["Showing", "information", "outcomes"]


@dataclass(frozen=True)
class Showing:
    """One thing that a cell may show: a clue, or EXPLODED for a mine. `safe` and `mines` are how
    many hidden cells are proved once it is seen."""

    shown: int
    probability: float
    safe: int
    mines: int

    def to_json(self) -> dict[str, Any]:
        """`{"shown": 0…8 or "X", "probability": p, "safe": n, "mines": n}`."""
        return {
            "shown": "X" if self.shown == EXPLODED else self.shown,
            "probability": self.probability,
            "safe": self.safe,
            "mines": self.mines,
        }


def outcomes(found: Analysis, cell: Cell) -> list[Showing]:
    """What a hidden cell may show, clues in order and then the mine. Raises Unsupported where
    layouts that fit are not alike: under a density, or with clues that may be wrong."""
    _require_alike(found)
    return list(_outcomes(found, cell))


def information(found: Analysis) -> npt.NDArray[np.float64]:
    """How many bits opening each hidden cell tells on average; nan elsewhere. Cells that no clue
    touches and that see as much of the board tell alike, and are asked once. Raises Unsupported."""
    _require_alike(found)
    table = np.full(found.board.codes.shape, np.nan)
    asked: dict[Any, float] = {}
    for cell in found.board.cells(HIDDEN):
        key = _alike_key(found, cell)
        if key not in asked:
            shares = (outcome.probability for outcome in _outcomes(found, cell))
            asked[key] = -sum(share * math.log2(share) for share in shares if share > 0) + 0.0
        table[cell] = asked[key]
    return table


def _require_alike(found: Analysis) -> None:
    if found.board.density is not None or found.board.clues is not EXACT:
        raise Unsupported("what a cell would show is told for exact clues and no density only")


def _outcomes(found: Analysis, cell: Cell) -> Iterator[Showing]:
    board = found.board
    around = [board[other] for other in board.neighbours(cell)]
    known = sum(code in (MARKED, EXPLODED) for code in around)
    most = known + sum(code == HIDDEN for code in around)
    for shown in (*range(known, most + 1), EXPLODED):
        try:
            then = analyze(board.replace({cell: shown}))
        except Contradiction:
            continue
        share = math.exp(then.log_solutions - found.log_solutions)
        yield Showing(shown, share, len(then.safe), len(then.mines))


def _alike_key(found: Analysis, cell: Cell) -> Any:
    """The same for cells that are sure to tell alike: those in the sea with nothing but sea around
    them, as many."""
    board = found.board
    near = board.neighbours(cell)
    reach = {other for neighbour in near for other in board.neighbours(neighbour)}
    if all(board[other] == HIDDEN for other in reach):
        return len(near)
    return cell
