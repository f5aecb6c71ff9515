"""Help with a game that runs elsewhere: which cell to open next, and why.

A `Session` holds the board so far. `advice` is the next cell. `enter` records what cells show, or
corrects it, and refuses entries that contradict the board. This module reads and writes no terminal
and no file.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np

from csp_mines import defaults
from csp_mines.analysis.analyze import Analysis, analyze
from csp_mines.analysis.clue_sets import Cores
from csp_mines.arguments import known_name
from csp_mines.board import CLEAR, EXPLODED, HIDDEN, MARKED, Board, Cell
from csp_mines.constraints import Frontier
from csp_mines.errors import Contradiction, InputError
from csp_mines.explanation.explain import explain
from csp_mines.games.game import Start
from csp_mines.words import few, joined, plural, typed_cell

if TYPE_CHECKING:
    from csp_mines.errors import Conflict

__all__ = ["STARTS", "Advice", "AdviceKind", "Session", "parse_entries", "parse_row"]

STARTS = (Start.SAFE, Start.ZERO, Start.ANY)

_ENTRY = re.compile(r"\(?(\d{1,7})\s*,\s*(\d{1,7})\)?(?:\s*[=:]\s*|\s+)([0-8xXcCmMfF?])(?![^\s;])")
_ABOUT_A_CELL = re.compile(r"\(?\s*-?\d+\s*,\s*-?\d+(?!\s*,)(?:\s*[)=:\s].*)?")
_ROW = re.compile(r"row\s+(\d{1,7})\s*[:=]\s*(.*)", re.IGNORECASE)
_CODES = {
    **{str(clue): clue for clue in range(9)},
    **{"x": EXPLODED, "c": CLEAR, "m": MARKED, "f": MARKED, "?": HIDDEN},
}


class AdviceKind(StrEnum):
    """Why the advised cell is to be opened."""

    SAFE = "safe"  # a proof
    FIRST = "first"  # the rules of the game
    GUESS = "guess"
    DONE = "done"  # every safe cell is open


@dataclass(frozen=True)
class Advice:
    """The next cell to open, by `kind`:

    * SAFE: the cell is proved safe by `clues`, and by the total if `uses_total`.
    * FIRST: it is the first cell, which the game keeps free of mines.
    * GUESS: `risk` is exact. `win_chance` is the win chance if optimal play was searched.
    * DONE: the game is done, and `cell` is None.

    `safe` lists all cells that are proved safe now."""

    kind: AdviceKind
    cell: Cell | None
    risk: Fraction
    reason: str
    clues: tuple[Cell, ...] = ()
    uses_total: bool = False
    safe: tuple[Cell, ...] = ()
    win_chance: float | None = None


class Session:
    """The boards of one game, from the first to the current one. `enter` records all given entries,
    or none if one of them is refused."""

    def __init__(
        self, *boards: Board, start: Start | str = Start.ANY, move: str = defaults.MOVE_RULE
    ) -> None:
        """Begin with the boards of a game so far, oldest first.

        `start` is the start of the game: under `safe` and `zero` the first cell is not a mine.
        `move` is the rule that chooses guesses (see `analyze`). Raises Contradiction if no layout
        fits the last board, InputError if the mines leave no room for the start, UnknownName for an
        unknown start or rule."""
        self._start = Start(known_name("start", start, STARTS))
        _check_start(boards[-1], self._start)
        self._boards = list(boards)
        self._move = move
        self._analysis = analyze(boards[-1], move=move)

    @property
    def board(self) -> Board:
        return self._boards[-1]

    @property
    def boards(self) -> tuple[Board, ...]:
        """All boards, oldest first."""
        return tuple(self._boards)

    @property
    def analysis(self) -> Analysis:
        return self._analysis

    @property
    def entries(self) -> int:
        """The number of entries that `undo` can take back."""
        return len(self._boards) - 1

    @property
    def advice(self) -> Advice:
        """The cell to open now: a proved safe cell if there is one, else the move of the
        analysis."""
        analysis = self.analysis
        if self.first_is_safe:
            return self._first()
        move = analysis.move
        if move is None:
            return Advice(AdviceKind.DONE, None, Fraction(0), "every safe cell is open")
        if analysis.safe:
            return replace(_proved(analysis, move.cell), safe=tuple(sorted(analysis.safe)))
        return Advice(
            AdviceKind.GUESS,
            move.cell,
            analysis.probability(move.cell),
            f"no cell is proved safe; {move.reason}",
            win_chance=move.win_chance if move.exact else None,
        )

    @property
    def first_is_safe(self) -> bool:
        """Whether no cell is open yet in a game whose first cell is never a mine. Then every cell
        is safe to open, and the risks of the analysis do not apply."""
        return self._start is not Start.ANY and bool((self.board.codes == HIDDEN).all())

    def why(self, cell: Cell) -> str:
        """Explain in words why a hidden cell is safe, a mine or undecided. Before the first opening
        the reason is a rule of the game, afterwards it is the clues. Raises what `explain`
        raises."""
        if not self.first_is_safe:
            return explain(self.analysis, cell).text
        row, col = self.board.require(cell)
        first = self._first()
        text = f"{first.reason[0].upper()}{first.reason[1:]}: {row},{col} is safe to open now."
        assert first.cell is not None
        advised = first.cell == (row, col)
        return text if advised else f"{text} The advice is {typed_cell(first.cell)}."

    def _first(self) -> Advice:
        """Return the advice for the first cell: a corner, which has the fewest neighbours. Under
        the start `zero` it is a cell inside a large board, which opens more cells."""
        inside = self._start is Start.ZERO and min(self.board.rows, self.board.cols) > 6
        cell = (3, 3) if inside else (0, 0)
        reason = "the first cell is never a mine in this game"
        if self._start is Start.ZERO:
            reason = "the first cell and those around it are never mines in this game"
        return Advice(AdviceKind.FIRST, cell, Fraction(0), reason)

    @property
    def around_zeros(self) -> tuple[Cell, ...]:
        """The cells beside a 0 that are hidden here. The game has opened them, so the player must
        enter their numbers."""
        codes = self.board.codes
        if not self.board.clues.floods:
            return ()
        places = np.argwhere((codes == HIDDEN) & (self.board.geometry.count(codes == 0) > 0))
        return tuple((row, col) for row, col in places.tolist())

    def enter(self, shown: Mapping[Cell, int]) -> None:
        """Record what cells show: 0 to 8, EXPLODED, CLEAR (safe, no clue), MARKED, or HIDDEN. An
        entry for an open cell corrects it.

        Raises BoardError for a cell that is not on the board, InputError if nothing changes or if
        the first cell explodes although it is never a mine, and Contradiction if no layout fits any
        more. The Contradiction says what rules the entries out.
        After an error the session is unchanged."""
        board = self.board.replace(shown)
        if self.first_is_safe and EXPLODED in shown.values():
            raise InputError(
                f"{self._first().reason}, so it cannot show x; if your game allows that, begin "
                "again with the start `any`"
            )
        if board == self.board:
            raise InputError("the board shows that already; enter another value, or another cell")
        self._advance(board, shown)

    def replace(self, board: Board) -> None:
        """Continue with another board; `undo` takes it back. Raises Contradiction if no layout
        fits."""
        self._advance(board)

    def undo(self) -> None:
        """Return to the previous board. Raises InputError at the first board."""
        if not self.entries:
            raise InputError("there is nothing to undo")
        self._analysis = analyze(self._boards[-2], move=self._move)
        self._boards.pop()

    def _advance(self, board: Board, shown: Mapping[Cell, int] | None = None) -> None:
        try:
            self._analysis = analyze(board, move=self._move)
        except Contradiction as error:
            conflict = error.conflict
            assert conflict is not None  # a board was analysed
            text = _refusal(board, shown or {}, conflict)
            raise Contradiction(text, find=lambda: conflict, names_clues=True) from None
        self._boards.append(board)


def parse_entries(line: str, asked: Sequence[Cell]) -> dict[Cell, int] | None:
    """Parse a line of entries. Return None if the line is not an entry.

    `asked` are the cells that the player was asked to enter. A line is one letter for the first
    asked cell (`3`, `x`, `c` or `m`), one letter for each asked cell, or named cells: `2,5=1 2,6=x`
    (also `2,5 1` and `(2,5)=1`). Raises InputError if the line names a cell twice, if it names no
    cell and `asked` is empty, or if it begins like an entry and has an error."""
    word = line.replace(" ", "").strip().lower()
    if word and len(word) in (1, len(asked)) and set(word) <= _CODES.keys() - {"?"}:
        if not asked:
            raise InputError(f"{word!r} does not name a cell; enter ROW,COL=VALUE")
        return {cell: _CODES[char] for cell, char in zip(asked, word, strict=False)}
    if not re.fullmatch(rf"(?:{_ENTRY.pattern}[\s;]*)+", line.strip()):
        if _ABOUT_A_CELL.fullmatch(line.strip()):
            raise InputError(
                f"expected ROW,COL=VALUE, such as 0,0=1, got {line.strip()[:40]!r}; "
                "a value is 0 to 8, x, m, c or ?"
            )
        return None
    entries: dict[Cell, int] = {}
    for row, col, value in _ENTRY.findall(line):
        cell = int(row), int(col)
        if cell in entries:
            raise InputError(f"cell {row},{col} is named twice; enter it once")
        entries[cell] = _CODES[value.lower()]
    return entries


def parse_row(line: str, board: Board) -> dict[Cell, int] | None:
    """Parse a line such as `row 3: ??1123`. Return the cells that differ from the board, or None if
    the line is not a row. Raises InputError for a wrong length or letter."""
    match = _ROW.fullmatch(line.strip())
    if match is None:
        return None
    row, word = int(match[1]), "".join(match[2].split()).lower()
    board.require((row, 0))
    if len(word) != board.cols:
        raise InputError(f"a row of this board has {plural(board.cols, 'cell')}, not {len(word)}")
    if wrong := set(word) - _CODES.keys():
        raise InputError(f"{min(wrong)!r} does not stand for a cell; use ? 0-8 m x c")
    cells = {(row, col): _CODES[char] for col, char in enumerate(word)}
    return {cell: code for cell, code in cells.items() if board[cell] != code}


def _check_start(board: Board, start: Start) -> None:
    """Raise InputError if no cell is open yet and the mines leave no room for the first cell that
    `start` needs. A corner needs the least room."""
    if start is Start.ANY or board.mines is None or (board.codes != HIDDEN).any():
        return
    zero = start is Start.ZERO
    clear = min(board.rows, 2) * min(board.cols, 2) if zero else 1
    cells = board.rows * board.cols
    if board.mines > cells - clear:
        raise InputError(
            f"no room for {plural(board.mines, 'mine')} on {plural(cells, 'cell')}: the first cell "
            + ("and those around it must be safe" if zero else "must be safe")
            + f" under the start {str(start)!r}; use fewer mines or the start 'any'"
        )


def _proved(analysis: Analysis, cell: Cell) -> Advice:
    """Return the advice to open a safe cell, with a smallest set of clues that proves it."""
    frontier = analysis.frontier
    if frontier.problem.mines == 0:
        return Advice(AdviceKind.SAFE, cell, Fraction(0), "no mine is left", uses_total=True)
    evidence = Cores(frontier).evidence(cell, mine=False)
    if evidence is None:
        return Advice(AdviceKind.SAFE, cell, Fraction(0), "proved safe")
    clues, board = evidence.clues, analysis.board
    named = few((f"the {board[clue]} at {typed_cell(clue)}" for clue in clues), "more clues")
    if evidence.too_wide:
        named = ["all clues"]
    reason = f"proved safe by {joined(named + ['the number of mines in all'] * evidence.total)}"
    return Advice(AdviceKind.SAFE, cell, Fraction(0), reason, clues, evidence.total)


def _refusal(board: Board, shown: Mapping[Cell, int], conflict: Conflict) -> str:
    """Say why entries are impossible, as in `0,0 cannot be a mine: (0,1)=0 rules it out`. If no
    entry outside the conflict is at fault, return the conflict itself as the reason."""
    at_fault = _at_fault(board, shown, conflict)
    if not at_fault:
        return f"this entry is impossible: {conflict}"
    mines = few(typed_cell(cell) for cell in at_fault if shown[cell] == EXPLODED)
    safe = few(typed_cell(cell) for cell in at_fault if shown[cell] != EXPLODED)
    what = "safe" if not mines else "a mine" if len(mines) == 1 else "mines"
    claimed = mines or safe
    cannot = {1: "cannot", 2: "cannot both"}.get(len(claimed), "cannot all")
    text = f"{joined(claimed)} {cannot} be {what}"
    if mines and safe:
        text += f" while {joined(safe)} {'is' if len(safe) == 1 else 'are'} safe"
    rules = "rules" if len(conflict.parts) == 1 else "rule"
    return f"{text}: {joined(conflict.parts)} {rules} it out"


def _at_fault(board: Board, shown: Mapping[Cell, int], conflict: Conflict) -> list[Cell]:
    """Return the entries that cause the conflict but are not clues of it. If any of them is hidden
    again, there is no conflict."""
    clues = {cell for cell, _ in conflict.clues}
    idle = [cell for cell in board.cells() if board[cell] >= 0 and cell not in clues]
    codes = board.replace(dict.fromkeys(idle, CLEAR)).codes
    rest = Board(codes, mines=conflict.mines, clues=board.clues, geometry=board.geometry)
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
