"""Help with a game that runs elsewhere: which cell to open and why, one entry after the other.

A `Session` holds the board so far. `advice` is the next cell; `enter` takes in what was there and
refuses what contradicts the board. Nothing here reads or writes a terminal or a file.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction
from typing import TYPE_CHECKING

from csp_mines.analysis.analyze import Analysis, analyze
from csp_mines.analysis.clue_sets import Cores
from csp_mines.board import CLEAR, EXPLODED, HIDDEN, Board, Cell
from csp_mines.constraints import Frontier
from csp_mines.errors import BoardError, Contradiction, Unsupported
from csp_mines.words import few, joined

if TYPE_CHECKING:
    from csp_mines.errors import Conflict

__all__ = ["Advice", "AdviceKind", "Session", "parse_entries"]

_ENTRY = re.compile(r"(\d{1,7})\s*,\s*(\d{1,7})\s*=\s*([0-8xXcC])")
_CODES = {**{str(clue): clue for clue in range(9)}, "x": EXPLODED, "c": CLEAR}


class AdviceKind(StrEnum):
    """What an advice rests on."""

    SAFE = "safe"  # a proof
    GUESS = "guess"
    DONE = "done"  # every safe cell is open


@dataclass(frozen=True)
class Advice:
    """The next cell to open: safe, proved by `clues`, and the total with `uses_total`; or a guess
    whose `risk` is exact; or none when the game is done."""

    kind: AdviceKind
    cell: Cell | None
    risk: Fraction
    reason: str
    clues: tuple[Cell, ...] = ()
    uses_total: bool = False


class Session:
    """The boards of one game from the first to the present one. Entries are taken all or none."""

    def __init__(self, board: Board) -> None:
        """Raises Contradiction for a board that no layout fits."""
        self._boards = [board]
        self._found = analyze(board)

    @property
    def board(self) -> Board:
        return self._boards[-1]

    @property
    def analysis(self) -> Analysis:
        return self._found

    @property
    def entries(self) -> int:
        """How many times `undo` can be called."""
        return len(self._boards) - 1

    @property
    def advice(self) -> Advice:
        """What to open now: a proved safe cell if there is one, else the cell of lowest risk. Ties
        go to the cell with the fewest neighbours, then to the first in reading order."""
        found = self.analysis
        choice = found.choice
        if choice is None:
            return Advice(AdviceKind.DONE, None, Fraction(0), "every safe cell is open")
        if choice.proved:
            return _proved(found, choice.cell)
        reason = "nothing is certain; no cell has a lower risk"
        others = choice.alike - 1
        if others:
            reason += f", and {others} other{'s have' if others > 1 else ' has'} the same"
        return Advice(AdviceKind.GUESS, choice.cell, found.probability(choice.cell), reason)

    def enter(self, shown: Mapping[Cell, int]) -> None:
        """Takes in what opened cells show: 0 to 8, EXPLODED, or CLEAR (safe, no clue).

        Raises BoardError for a cell that is not hidden, Contradiction when no layout fits any more,
        which says what rules the entries out; the session is then as it was."""
        for cell in shown:
            if self.board[cell] != HIDDEN:
                row, col = cell
                raise BoardError(f"cell {row},{col} is open already; undo goes back")
        self._advance(self.board.replace(shown), shown)

    def replace(self, board: Board) -> None:
        """Goes on with another board, undoably. Raises Contradiction."""
        self._advance(board)

    def undo(self) -> None:
        """Back to the board before. Raises BoardError at the first one."""
        if not self.entries:
            raise BoardError("there is nothing to undo")
        self._found = analyze(self._boards[-2])
        self._boards.pop()

    def _advance(self, board: Board, shown: Mapping[Cell, int] | None = None) -> None:
        try:
            self._found = analyze(board)
        except Contradiction as error:
            conflict = error.conflict
            assert conflict is not None  # a board was analysed
            text = _refusal(board, shown or {}, conflict)
            raise Contradiction(text, find=lambda: conflict, names_clues=True) from None
        self._boards.append(board)


def parse_entries(line: str, asked: Cell | None) -> dict[Cell, int] | None:
    """What a line such as `3`, `x`, `c` (for the cell asked about) or `2,5=1 2,6=x` enters; None
    when it is no entry. Raises BoardError when it names a cell twice, or none was asked about."""
    word = line.strip().lower()
    if word in _CODES:
        if asked is None:
            raise BoardError("no cell was asked about; say which: ROW,COL=VALUE")
        return {asked: _CODES[word]}
    if not re.fullmatch(rf"(?:{_ENTRY.pattern}[\s;]*)+", line.strip()):
        return None
    entries: dict[Cell, int] = {}
    for row, col, value in _ENTRY.findall(line):
        cell = int(row), int(col)
        if cell in entries:
            raise BoardError(f"cell {row},{col} is named twice")
        entries[cell] = _CODES[value.lower()]
    return entries


def _proved(found: Analysis, cell: Cell) -> Advice:
    """A safe cell with a smallest set of clues that proves it."""
    if found.frontier.problem.mines == 0:
        return Advice(AdviceKind.SAFE, cell, Fraction(0), "no mine is left", uses_total=True)
    total = "the number of mines in all"
    try:
        core = Cores(found.frontier).proof(found.frontier.number(cell), mine=False)
    except Unsupported:
        reason = f"proved safe by all clues and {total}"
        return Advice(AdviceKind.SAFE, cell, Fraction(0), reason, uses_total=True)
    if core is None:
        return Advice(AdviceKind.SAFE, cell, Fraction(0), "proved safe")
    clues = found.frontier.clues(core.statements)
    named = few((f"the {found.board[clue]} at {_name(clue)}" for clue in clues), "more clues")
    listed = joined([*named, total] if core.total else named)
    return Advice(AdviceKind.SAFE, cell, Fraction(0), f"proved safe by {listed}", clues, core.total)


def _refusal(board: Board, shown: Mapping[Cell, int], conflict: Conflict) -> str:
    """What is wrong with entries that leave no layout: `0,0 cannot be a mine: (0,1)=0 rules it
    out`, or the conflict where it names them itself."""
    at_fault = _at_fault(board, shown, conflict)
    if not at_fault:
        return f"that cannot be: {conflict}"
    mines = few(_name(cell) for cell in at_fault if shown[cell] == EXPLODED)
    safe = few(_name(cell) for cell in at_fault if shown[cell] != EXPLODED)
    what = "safe" if not mines else "a mine" if len(mines) == 1 else "mines"
    claimed = mines or safe
    cannot = {1: "cannot", 2: "cannot both"}.get(len(claimed), "cannot all")
    text = f"{joined(claimed)} {cannot} be {what}"
    if mines and safe:
        text += f" while {joined(safe)} {'is' if len(safe) == 1 else 'are'} safe"
    rules = "rules" if len(conflict.parts) == 1 else "rule"
    return f"{text}: {joined(conflict.parts)} {rules} it out"


def _at_fault(board: Board, shown: Mapping[Cell, int], conflict: Conflict) -> list[Cell]:
    """The entries, besides those in the conflict, without any one of which it would be none."""
    clues = {cell for cell, _ in conflict.clues}
    idle = [cell for cell in board.cells() if board[cell] >= 0 and cell not in clues]
    codes = board.replace(dict.fromkeys(idle, CLEAR)).codes
    rest = Board(codes, mines=conflict.mines, clues=board.clues)
    at_fault = []
    for cell in shown:
        if cell in clues:
            continue
        without = rest.replace({cell: HIDDEN})
        if Cores(Frontier.of(without)).conflict() is None:
            at_fault.append(cell)
        else:
            rest = without
    return at_fault


def _name(cell: Cell) -> str:
    return f"{cell[0]},{cell[1]}"
