"""Help with a game that runs elsewhere: which cell to open and why, one entry after the other.

A `Session` holds the board so far. `advice` is the next cell; `enter` takes in what was there, or
corrects it, and refuses what contradicts the board. Nothing here reads or writes a terminal or a
file.
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
from csp_mines.errors import Contradiction, InputError, Unsupported
from csp_mines.explanation.explain import explain
from csp_mines.games.game import Start
from csp_mines.geometry import GRID
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
    """What an advice rests on."""

    SAFE = "safe"  # a proof
    FIRST = "first"  # the rules of the game
    GUESS = "guess"
    DONE = "done"  # every safe cell is open


@dataclass(frozen=True)
class Advice:
    """The next cell to open: safe, proved by `clues`, and the total with `uses_total`; or the first
    cell of a game that keeps it clear; or a guess whose `risk` is exact, with the chance to win
    where optimal play was searched; or none when the game is done. `safe` are all cells that are
    proved safe at the moment."""

    kind: AdviceKind
    cell: Cell | None
    risk: Fraction
    reason: str
    clues: tuple[Cell, ...] = ()
    uses_total: bool = False
    safe: tuple[Cell, ...] = ()
    win_chance: float | None = None


class Session:
    """The boards of one game from the first to the present one. Entries are taken all or none."""

    def __init__(
        self, *boards: Board, start: Start | str = Start.ANY, move: str = defaults.MOVE_RULE
    ) -> None:
        """A game from its boards so far, oldest first. `start` as in the rules of games: under
        `safe` and `zero` the first cell is no mine. `move` is the rule by which guesses are chosen
        (see `analyze`). Raises Contradiction for a last board that no layout fits, InputError when
        the mines leave no room for such a start, UnknownName."""
        self._start = Start(known_name("start", start, STARTS))
        _check_start(boards[-1], self._start)
        self._boards = list(boards)
        self._move = move
        self._found = analyze(boards[-1], move=move)

    @property
    def board(self) -> Board:
        return self._boards[-1]

    @property
    def boards(self) -> tuple[Board, ...]:
        """All boards, oldest first."""
        return tuple(self._boards)

    @property
    def analysis(self) -> Analysis:
        return self._found

    @property
    def entries(self) -> int:
        """How many times `undo` can be called."""
        return len(self._boards) - 1

    @property
    def advice(self) -> Advice:
        """What to open now: a proved safe cell if there is one, else the move of the analysis."""
        found = self.analysis
        if self.first_is_safe:
            return self._first()
        move = found.move
        if move is None:
            return Advice(AdviceKind.DONE, None, Fraction(0), "every safe cell is open")
        if found.safe:
            return replace(_proved(found, move.cell), safe=tuple(sorted(found.safe)))
        return Advice(
            AdviceKind.GUESS,
            move.cell,
            found.probability(move.cell),
            f"nothing is certain; {move.reason}",
            win_chance=move.win_chance if move.exact else None,
        )

    @property
    def first_is_safe(self) -> bool:
        """Whether nothing is open yet in a game that keeps mines away from its first cell: then
        every cell is safe to open, and the risks of the analysis are those of no opening."""
        return self._start is not Start.ANY and bool((self.board.codes == HIDDEN).all())

    def why(self, cell: Cell) -> str:
        """What there is to say about a hidden cell, in words: by the rules of the game before the
        first opening, afterwards by the clues. Raises BoardError, Unsupported."""
        if not self.first_is_safe:
            return explain(self.analysis, cell).text
        row, col = self.board.require(cell)
        first = self._first()
        told = f"{first.reason[0].upper()}{first.reason[1:]}: {row},{col} is safe to open now."
        assert first.cell is not None
        advised = first.cell == (row, col)
        return told if advised else f"{told} The advice is {typed_cell(first.cell)}."

    def _first(self) -> Advice:
        """Before anything is open: a corner has the fewest neighbours; where they are clear, too,
        a cell off the edge opens more."""
        inside = self._start is Start.ZERO and min(self.board.rows, self.board.cols) > 6
        cell = (3, 3) if inside else (0, 0)
        reason = "the first cell is no mine in this game"
        if self._start is Start.ZERO:
            reason = "the first cell and those around it are no mines in this game"
        return Advice(AdviceKind.FIRST, cell, Fraction(0), reason)

    @property
    def around_zeros(self) -> tuple[Cell, ...]:
        """The hidden cells beside a 0: a game has opened them, and waits for their numbers."""
        codes = self.board.codes
        if not self.board.clues.floods:
            return ()
        places = np.argwhere((codes == HIDDEN) & (GRID.count(codes == 0) > 0))
        return tuple((row, col) for row, col in places.tolist())

    def enter(self, shown: Mapping[Cell, int]) -> None:
        """Takes in what cells show: 0 to 8, EXPLODED, CLEAR (safe, no clue), MARKED, or HIDDEN; for
        a cell that is open, as a correction.

        Raises BoardError for a cell that is not on the board, Contradiction when no layout fits any
        more, which says what rules the entries out; the session is then as it was."""
        board = self.board.replace(shown)
        if board == self.board:
            raise InputError("that is what the board shows already")
        self._advance(board, shown)

    def replace(self, board: Board) -> None:
        """Goes on with another board, undoably. Raises Contradiction."""
        self._advance(board)

    def undo(self) -> None:
        """Back to the board before. Raises InputError at the first one."""
        if not self.entries:
            raise InputError("there is nothing to undo")
        self._found = analyze(self._boards[-2], move=self._move)
        self._boards.pop()

    def _advance(self, board: Board, shown: Mapping[Cell, int] | None = None) -> None:
        try:
            self._found = analyze(board, move=self._move)
        except Contradiction as error:
            conflict = error.conflict
            assert conflict is not None  # a board was analysed
            text = _refusal(board, shown or {}, conflict)
            raise Contradiction(text, find=lambda: conflict, names_clues=True) from None
        self._boards.append(board)


def parse_entries(line: str, asked: Sequence[Cell]) -> dict[Cell, int] | None:
    """What a line enters: `3`, `x`, `c`, `m` for the first cell asked about, as many of them as
    cells were asked about, or `2,5=1 2,6=x` (also `2,5 1` and `(2,5)=1`); None when it is no entry.
    Raises InputError when it names a cell twice, or none was asked about, and for what begins like
    such an entry and is none."""
    word = line.replace(" ", "").strip().lower()
    if word and len(word) in (1, len(asked)) and set(word) <= _CODES.keys() - {"?"}:
        if not asked:
            raise InputError("no cell was asked about; say which: ROW,COL=VALUE")
        return {cell: _CODES[char] for cell, char in zip(asked, word, strict=False)}
    if not re.fullmatch(rf"(?:{_ENTRY.pattern}[\s;]*)+", line.strip()):
        if _ABOUT_A_CELL.fullmatch(line.strip()):
            raise InputError(
                f"{line.strip()[:40]!r}: what a cell shows is entered as ROW,COL=VALUE, such as "
                "0,0=1; a value is 0 to 8, x, m, c or ?"
            )
        return None
    entries: dict[Cell, int] = {}
    for row, col, value in _ENTRY.findall(line):
        cell = int(row), int(col)
        if cell in entries:
            raise InputError(f"cell {row},{col} is named twice")
        entries[cell] = _CODES[value.lower()]
    return entries


def parse_row(line: str, board: Board) -> dict[Cell, int] | None:
    """What `row 3: ??1123` enters: the cells in which the row differs from the board; None when
    the line is no row. Raises InputError for a row of another length or with other letters."""
    match = _ROW.fullmatch(line.strip())
    if match is None:
        return None
    row, word = int(match[1]), "".join(match[2].split()).lower()
    board.require((row, 0))
    if len(word) != board.cols:
        raise InputError(f"a row has {plural(board.cols, 'cell')} here, not {len(word)}")
    if wrong := set(word) - _CODES.keys():
        raise InputError(f"{min(wrong)!r} is no cell; cells are: ? 0-8 m x c")
    cells = {(row, col): _CODES[char] for col, char in enumerate(word)}
    return {cell: code for cell, code in cells.items() if board[cell] != code}


def _check_start(board: Board, start: Start) -> None:
    """Raises InputError when nothing is open and the mines leave no first cell that `start` wants.
    Around the corner are the fewest cells."""
    if start is Start.ANY or board.mines is None or (board.codes != HIDDEN).any():
        return
    zero = start is Start.ZERO
    clear = min(board.rows, 2) * min(board.cols, 2) if zero else 1
    cells = board.rows * board.cols
    if board.mines > cells - clear:
        raise InputError(
            f"no room for {plural(board.mines, 'mine')} on {plural(cells, 'cell')}: the first cell "
            + ("and those around it are no mines" if zero else "is no mine")
            + " in this game; another start is 'any'"
        )


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
    named = few((f"the {found.board[clue]} at {typed_cell(clue)}" for clue in clues), "more clues")
    listed = joined([*named, total] if core.total else named)
    return Advice(AdviceKind.SAFE, cell, Fraction(0), f"proved safe by {listed}", clues, core.total)


def _refusal(board: Board, shown: Mapping[Cell, int], conflict: Conflict) -> str:
    """What is wrong with entries that leave no layout: `0,0 cannot be a mine: (0,1)=0 rules it
    out`, or the conflict where it names them itself."""
    at_fault = _at_fault(board, shown, conflict)
    if not at_fault:
        return f"that cannot be: {conflict}"
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
