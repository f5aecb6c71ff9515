"""The outcomes of opening a cell, with their probabilities and the cells that they prove.

An outcome is what the cell may show: a number or a mine. All layouts that fit are equally likely,
because this module does not support a density. So the probability of an outcome is the number of
layouts that fit and have this outcome, divided by the number of all layouts that fit."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from csp_mines.analysis.analyze import Analysis, analyze
from csp_mines.analysis.contract import position_of
from csp_mines.board import EXPLODED, HIDDEN, MARKED, Board, Cell
from csp_mines.errors import Contradiction


@dataclass(frozen=True)
class Showing:
    """One outcome of opening a cell. `shown` is the clue, or EXPLODED for a mine. `probability` is
    the probability of the outcome. After the outcome, `safe` of the cells that are still hidden are
    proved safe, `mines` are proved mines, and `undecided` are neither.

    >>> explanation = csp_mines.explain([[-1, 1, -1]], (0, 0))
    >>> [(outcome.shown, outcome.probability) for outcome in explanation.outcomes]
    [(0, 0.5), (-3, 0.5)]
    """

    shown: int
    probability: float
    safe: int
    mines: int
    undecided: int

    @property
    def certain(self) -> bool:
        """Whether the outcome is a clue and no guess follows it: a cell is proved safe, or every
        cell that is still hidden is a proved mine."""
        return self.shown != EXPLODED and (self.safe > 0 or self.undecided == 0)

    def to_json(self) -> dict[str, Any]:
        """Return `{"shown": clue or "X", "probability": …, "safe": …, "mines": …, "undecided":
        …}`. The last three are numbers of cells."""
        return asdict(self) | {"shown": "X" if self.shown == EXPLODED else self.shown}


@dataclass(frozen=True)
class Prospects:
    """What opening a cell promises. `risk` is the chance of a mine, and `zero` the chance of a 0.
    `progress` is the chance that the cell is safe and the next step needs no guess. `safety` is the
    chance to survive both the opening and the safest step after it. `dead` is true if the cell may
    be a mine, but can show only one number: the opening then tells nothing except that the cell is
    safe or a mine."""

    risk: float
    zero: float
    progress: float
    safety: float
    dead: bool

    def to_json(self) -> dict[str, Any]:
        """Return the fields as an object."""
        return asdict(self)


def prospects(analysis: Analysis, cell: Cell) -> Prospects:
    """Return the prospects of a hidden cell. Raises what `outcomes` raises."""
    board = _board(analysis)
    zero = progress = safety = risk = 0.0
    numbers = 0
    for outcome, then in _after(analysis, board, board.require_hidden(cell)):
        share = outcome.probability
        if outcome.shown == EXPLODED:
            risk = share
            continue
        numbers += 1
        zero += share if outcome.shown == 0 else 0.0
        progress += share if outcome.certain else 0.0
        safety += share * (1.0 if outcome.certain else 1 - float(np.nanmin(then.probabilities)))
    return Prospects(risk, zero, progress, safety, numbers == 1 and risk > 0)


def zero_chances(analysis: Analysis) -> npt.NDArray[np.float64]:
    """Return an array: for each hidden cell, the chance that the cell shows a 0; nan at the other
    cells. Raises what `information` raises."""
    return _table(
        analysis,
        lambda board, cell: sum(zero.probability for zero, _ in _after(analysis, board, cell, [0])),
    )


def outcomes(analysis: Analysis, cell: Cell) -> list[Showing]:
    """Return the possible outcomes of opening a hidden cell: clues in order, then the mine.

    Raises BoardError if the cell is not hidden; Unsupported for a density, for clues that are not
    exact and for estimated risks; TooWide or OutOfTime if counting reaches a limit."""
    board = _board(analysis)
    return _outcomes(analysis, board, board.require_hidden(cell))


def information(analysis: Analysis) -> npt.NDArray[np.float64]:
    """Return an array: for each hidden cell, the information that opening the cell gives on
    average, in bits; nan at the other cells. Raises Unsupported for a density, for clues that are
    not exact and for estimated risks; TooWide or OutOfTime if counting reaches a limit."""
    return _table(analysis, lambda board, cell: bits(_outcomes(analysis, board, cell)))


def _board(analysis: Analysis) -> Board:
    return position_of(analysis, "what a cell would show").as_board()


def _table(analysis: Analysis, value: Callable[[Board, Cell], float]) -> npt.NDArray[np.float64]:
    """Return an array: for each hidden cell, `value(board, cell)` on the analysed board; nan at the
    other cells. Cells with the same `_alike_key` share one call of `value`."""
    board = _board(analysis)
    table = np.full(board.codes.shape, np.nan)
    asked: dict[Any, float] = {}
    for cell in board.cells(HIDDEN):
        key = _alike_key(board, cell)
        if key not in asked:
            asked[key] = value(board, cell)
        table[cell] = asked[key]
    return table


def bits(shown: Iterable[Showing]) -> float:
    """Return the information, in bits, that opening a cell gives on average: the entropy of the
    outcomes `shown`."""
    shares = (outcome.probability for outcome in shown)
    return -sum(share * math.log2(share) for share in shares if share > 0) + 0.0


def _outcomes(analysis: Analysis, board: Board, cell: Cell) -> list[Showing]:
    return [outcome for outcome, _ in _after(analysis, board, cell)]


def _after(
    analysis: Analysis, board: Board, cell: Cell, shows: Collection[int] | None = None
) -> Iterator[tuple[Showing, Analysis]]:
    """Yield each outcome of opening the hidden cell, and with it the analysis of the board that has
    the shown code at the cell. If `shows` is given, leave out the outcomes whose code is not in
    `shows`."""
    assert analysis.position is not None
    hidden = int(np.count_nonzero(board.codes == HIDDEN)) - 1
    for shown in _possible(board, cell):
        if shows is not None and shown not in shows:
            continue
        try:
            then = analyze(board.replace({cell: shown}), max_states=analysis.position.max_states)
        except Contradiction:
            continue
        share = math.exp(then.log_solutions - analysis.log_solutions)
        safe, mines = len(then.safe), len(then.mines)
        yield Showing(shown, share, safe, mines, hidden - safe - mines), then


def _possible(board: Board, cell: Cell) -> list[int]:
    """Return the codes that the cells around a hidden cell allow it to show. The rest of the board
    may exclude some of these codes."""
    around = [board[other] for other in board.neighbours(cell)]
    known = sum(code in (MARKED, EXPLODED) for code in around)
    most = known + sum(code == HIDDEN for code in around)
    return [*range(known, most + 1), EXPLODED]


def _alike_key(board: Board, cell: Cell) -> Any:
    """Return a key of a hidden cell. Two cells with the same key have the same outcomes. If all
    cells within two steps of the cell are hidden, the key is the number of neighbours of the cell.
    Otherwise the key is the cell itself."""
    near = board.neighbours(cell)
    # `near` is included: on some grids, such as `orthogonal`, neighbours do not touch each other.
    reach = {*near}.union(*map(board.neighbours, near))
    if all(board[other] == HIDDEN for other in reach):
        return len(near)
    return cell
