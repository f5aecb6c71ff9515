"""The session of `assist`: reads entries, records and checks them, and advises what to open.

A `Session` holds the board so far. `advice` says which cell to open next. `enter` records or
corrects what cells show, and refuses entries that contradict the board. This module uses no
terminal and no file.
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
from csp_mines.board import CLEAR, EXPLODED, HIDDEN, HOLE, MARKED, Board, Cell
from csp_mines.constraints import Frontier
from csp_mines.errors import Contradiction, InputError
from csp_mines.explanation.explain import explain
from csp_mines.games.game import Start
from csp_mines.geometry import SQUARE, Geometry, checked_cell
from csp_mines.graph import Graph
from csp_mines.words import few, joined, plural

if TYPE_CHECKING:
    from csp_mines.errors import Conflict

STARTS = (Start.SAFE, Start.ZERO, Start.ANY)

_ENTRY = re.compile(
    r"\(?(\d{1,7})\s*,\s*(\d{1,7})\)?(?:\s*[=:]\s*|\s+)(\d{1,2}|[xXcCmMfF?])(?![^\s;])"
)
_NAMED = re.compile(r"([^\s=:;]+)\s*[=:]\s*(\d{1,2}|[xXcCmMfF?])(?![^\s;])")
_ABOUT_A_CELL = re.compile(r"\(?\s*-?\d+\s*,\s*-?\d+(?!\s*,)(?:\s*[)=:\s].*)?")
_ROW = re.compile(r"row\s+(\d{1,7})\s*[:=]\s*(.*)", re.IGNORECASE)
_CODES = {"x": EXPLODED, "c": CLEAR, "m": MARKED, "f": MARKED, "?": HIDDEN}


class AdviceKind(StrEnum):
    """Why the player should open the advised cell."""

    SAFE = "safe"  # the cell is proved safe
    FIRST = "first"  # the rules keep the first cell free of mines
    GUESS = "guess"
    DONE = "done"  # every safe cell is open


@dataclass(frozen=True)
class Advice:
    """The next cell to open. `kind` says why:

    * SAFE: the cell is proved safe by `clues`, and by the total if `uses_total`.
    * FIRST: no cell is open yet, and the rules keep the first cell free of mines.
    * GUESS: no cell is proved safe. `risk` is exact. `win_chance` is the exact win chance of
      optimal play, or None if no search computed it.
    * DONE: every safe cell is open, and `cell` is None.

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
    """The boards of one game, from the first board to the current one. `enter` records all given
    entries, or none if one of them is refused."""

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
        self.analysis: Analysis = analyze(boards[-1], move=move)

    @property
    def board(self) -> Board:
        return self._boards[-1]

    @property
    def boards(self) -> tuple[Board, ...]:
        """All boards, oldest first."""
        return tuple(self._boards)

    @property
    def entries(self) -> int:
        """How many times `undo` can go back to an earlier board."""
        return len(self._boards) - 1

    @property
    def advice(self) -> Advice:
        """The cell to open now: the first cell of the game if `first_is_safe`, else a proved safe
        cell if there is one, else a guess."""
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
        return self._start is not Start.ANY and _untouched(self.board)

    def why(self, cell: Cell) -> str:
        """Explain in words why a hidden cell is safe, a mine or undecided. If no cell is open yet
        and the rules keep the first cell free of mines, the reason is that rule. Otherwise the
        reason is the clues. Raises what `explain` raises."""
        if not self.first_is_safe:
            return explain(self.analysis, cell).text
        row, col = self.board.require(cell)
        first = self._first()
        label = self.board.geometry.label
        text = f"{first.reason[0].upper()}{first.reason[1:]}: "
        text += f"{label((row, col))} is safe to open now."
        assert first.cell is not None
        advised = first.cell == (row, col)
        return text if advised else f"{text} The advice is {label(first.cell)}."

    def _first(self) -> Advice:
        """Return the advice for the first cell: the corner 0,0, which has few neighbours. With the
        start `zero`, the advised cell is 3,3 on a board of more than 6 rows and columns, because a
        0 inside the board opens more cells. If that place is a hole, the advice is the first cell
        in reading order."""
        inside = self._start is Start.ZERO and min(self.board.rows, self.board.cols) > 6
        cell = (3, 3) if inside else (0, 0)
        if self.board.codes[cell] == HOLE:
            cell = next(iter(self.board.cells(HIDDEN)))
        reason = "the first cell is never a mine in this game"
        if self._start is Start.ZERO:
            reason = "the first cell and those around it are never mines in this game"
        return Advice(AdviceKind.FIRST, cell, Fraction(0), reason)

    @property
    def around_zeros(self) -> tuple[Cell, ...]:
        """The cells beside a 0 that are still hidden on this board. The game has opened them, so
        the player must enter their numbers."""
        codes = self.board.codes
        if not self.board.clues.floods:
            return ()
        places = np.argwhere((codes == HIDDEN) & (self.board.geometry.count(codes == 0) > 0))
        return tuple((row, col) for row, col in places.tolist())

    def enter(self, shown: Mapping[Cell, int]) -> None:
        """Record what cells show: 0 to 8, EXPLODED, CLEAR (safe, no clue), MARKED, or HIDDEN. An
        entry for an open cell corrects it.

        Raises BoardError for a cell that is not on the board. Raises InputError if nothing changes,
        or if `shown` has EXPLODED at the first cell although `first_is_safe`. Raises Contradiction
        if no layout fits any more. The Contradiction says why the entries are impossible. After an
        error the session is unchanged."""
        board = self.board.replace(shown)
        if self.first_is_safe and EXPLODED in shown.values():
            raise InputError(
                f"{self._first().reason}, so it cannot show x; if your game allows that, begin "
                "again with the start `any`"
            )
        if board == self.board:
            raise InputError("the board shows that already; enter another value, or another cell")
        self.replace(board, shown)

    def replace(self, board: Board, shown: Mapping[Cell, int] | None = None) -> None:
        """Continue with another board; `undo` takes it back. Raises Contradiction if no layout
        fits. `shown` has the entries that led to this board, so that the error can name those at
        fault."""
        try:
            self.analysis = analyze(board, move=self._move)
        except Contradiction as error:
            conflict = error.conflict
            if conflict is None:  # the search for a conflict gives up on very large boards
                raise
            text = _refusal(board, shown or {}, conflict)
            raise Contradiction(text, find=lambda: conflict, names_clues=True) from None
        self._boards.append(board)

    def undo(self) -> None:
        """Return to the previous board. Raises InputError at the first board."""
        if not self.entries:
            raise InputError("there is nothing to undo")
        self.analysis = analyze(self._boards[-2], move=self._move)
        self._boards.pop()


def parse_entries(
    line: str, asked: Sequence[Cell], geometry: Geometry = SQUARE
) -> dict[Cell, int] | None:
    """Parse a line of entries. Return the code of each cell, or None if the line is not an entry.

    `asked` are the cells that the player was asked to enter. A line has one of three forms: one
    value for the first asked cell (`3`, `x`, `c` or `m`); one value for each asked cell; or cells
    with values, such as `2,5=1 2,6=x`. A cell with its value may also be written `2,5 1` or
    `(2,5)=1`, and on a graph it is written `e6=1`. Raises InputError if the line names a cell
    twice, if it has only values and `asked` is empty, or if it begins like an entry and has an
    error."""
    values = [_code(word, geometry.most) for word in _words(line, geometry)]
    if values and len(values) in (1, len(asked)) and None not in values and HIDDEN not in values:
        if not asked:
            raise InputError(f"{line.strip()!r} does not name a cell; enter ROW,COL=VALUE")
        return {cell: code for cell, code in zip(asked, values, strict=False) if code is not None}
    pattern = _NAMED if isinstance(geometry, Graph) else _ENTRY
    found = pattern.findall(line)
    codes = [_code(value, geometry.most) for *_, value in found]
    if not re.fullmatch(rf"(?:{pattern.pattern}[\s;]*)+", line.strip()) or None in codes:
        if found or _ABOUT_A_CELL.fullmatch(line.strip()):
            raise InputError(
                f"expected ROW,COL=VALUE, such as 0,0=1, got {line.strip()[:40]!r}; "
                f"a value is 0 to {geometry.most}, x, m, c or ?"
            )
        return None
    entries: dict[Cell, int] = {}
    for (*place, _), code in zip(found, codes, strict=True):
        cell = _named_cell(place, geometry)
        if cell in entries:
            raise InputError(f"cell {geometry.label(cell)} is named twice; enter it once")
        assert code is not None
        entries[cell] = code
    return entries


def _named_cell(place: Sequence[str], geometry: Geometry) -> Cell:
    """Return the cell at `place`: a row and a column, or on a graph the name of the cell."""
    if not isinstance(geometry, Graph):
        row, col = map(int, place)
        return row, col
    if place[0] not in geometry.numbers:
        raise InputError(f"the graph has no cell {place[0]!r}")
    return divmod(geometry.numbers[place[0]], geometry.cols)


def _words(line: str, geometry: Geometry) -> list[str]:
    """Return the values in a line. On a grid where a clue may have two digits, each word is a
    value. On other grids, each character that is not blank is a value."""
    return line.split() if geometry.most > 9 else list("".join(line.split()))


def _code(value: str, most: int) -> int | None:
    """Return the code that a value stands for, or None for an invalid value. `most` is the largest
    clue."""
    if value.isdecimal() and value.isascii():
        return int(value) if int(value) <= most else None
    return _CODES.get(value.lower())


def parse_row(line: str, board: Board) -> dict[Cell, int] | None:
    """Parse a line such as `row 3: ??1123`, with ~ at holes. Return the codes of the cells that
    differ from the board, or None if the line is not a row. Raises InputError for a wrong length or
    letter."""
    match = _ROW.fullmatch(line.strip())
    if match is None:
        return None
    row, values = int(match[1]), _words(match[2], board.geometry)
    checked_cell((row, 0), board.rows, board.cols)
    if len(values) != board.cols:
        raise InputError(f"a row of this board has {plural(board.cols, 'cell')}, not {len(values)}")
    entries: dict[Cell, int] = {}
    most = board.geometry.most
    for col, value in enumerate(values):
        before = int(board.codes[row, col])
        code = HOLE if value == "~" else _code(value, most)
        if code is None or (code == HOLE) != (before == HOLE):
            raise InputError(f"{value[:9]!r} does not stand for a cell; use ? 0-{most} m x c")
        if code != before:
            entries[row, col] = code
    return entries


def _untouched(board: Board) -> bool:
    """Return whether the board has cells, and all of them are hidden."""
    hidden = board.codes == HIDDEN
    return bool(hidden.any() and (hidden | (board.codes == HOLE)).all())


def _check_start(board: Board, start: Start) -> None:
    """Raise InputError if all cells are hidden and `start` leaves too few cells for the mines.
    Under `zero`, the first cell and its neighbours must be safe, so a first cell with the fewest
    neighbours leaves the most cells."""
    if start is Start.ANY or board.mines is None or not _untouched(board):
        return
    zero = start is Start.ZERO
    hidden = board.codes == HIDDEN
    clear = 1 + int(board.geometry.count(hidden)[hidden].min()) if zero else 1
    cells = int(hidden.sum())
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
    label = board.geometry.label
    named = few((f"the {board[clue]} at {label(clue)}" for clue in clues), "clue")
    if evidence.too_wide:
        named = ["all clues"]
    reason = f"proved safe by {joined(named + ['the number of mines in all'] * evidence.total)}"
    return Advice(AdviceKind.SAFE, cell, Fraction(0), reason, clues, evidence.total)


def _refusal(board: Board, shown: Mapping[Cell, int], conflict: Conflict) -> str:
    """Return the text that says why the entries `shown` are impossible, such as `0,0 cannot be a
    mine: (0,1)=0 rules it out`. If `_at_fault` returns no cell, the text only describes the
    conflict."""
    at_fault = _at_fault(board, shown, conflict)
    if not at_fault:
        return f"this entry is impossible: {conflict}"
    label = board.geometry.label
    mines = few(label(cell) for cell in at_fault if shown[cell] == EXPLODED)
    safe = few(label(cell) for cell in at_fault if shown[cell] != EXPLODED)
    what = "safe" if not mines else "a mine" if len(mines) == 1 else "mines"
    claimed = mines or safe
    cannot = {1: "cannot", 2: "cannot both"}.get(len(claimed), "cannot all")
    text = f"{joined(claimed)} {cannot} be {what}"
    if mines and safe:
        text += f" while {joined(safe)} {'is' if len(safe) == 1 else 'are'} safe"
    rules = "rules" if len(conflict.parts) == 1 else "rule"
    return f"{text}: {joined(conflict.parts)} {rules} it out"


def _at_fault(board: Board, shown: Mapping[Cell, int], conflict: Conflict) -> list[Cell]:
    """Return the cells whose entries in `shown` contradict the clues of the conflict. Entries that
    are themselves clues of the conflict are left out. The list is minimal: if one of its entries is
    taken back, the others fit these clues."""
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
