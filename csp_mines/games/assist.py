"""The session of `assist`: its boards, its advice on the next cell to open, and the user's entries.

A `Session` holds the boards of a game that runs elsewhere. `advice` says which cell to open next.
`enter` records or corrects what cells show, and refuses entries if no layout fits the new board.
`parse_entries` and `parse_row` parse what the user types. This module uses no terminal and no file.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction
from functools import partial
from typing import TYPE_CHECKING

from csp_mines import defaults
from csp_mines.analysis.analyze import Analysis, analyze
from csp_mines.analysis.clue_sets import Cores
from csp_mines.arguments import known_name
from csp_mines.board import CLEAR, EXPLODED, HIDDEN, HOLE, MARKED, Board, Cell
from csp_mines.constraints import Frontier
from csp_mines.errors import Contradiction, InputError
from csp_mines.explanation.explain import explain
from csp_mines.games.game import Start
from csp_mines.geometry import SQUARE, Geometry, cells_at, checked_cell
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
    """Why a cell is advised, or why no cell is advised."""

    SAFE = "safe"  # the cell is proved safe
    FIRST = "first"  # the rules keep the first cell free of mines
    GUESS = "guess"  # no cell is proved safe
    DONE = "done"  # every safe cell is open, so no cell is advised


@dataclass(frozen=True)
class Advice:
    """The next cell to open. `kind` says why:

    * SAFE: the cell is proved safe by `clues`, and by the total if `uses_total`. If the search for
      these clues is too wide, `clues` is empty. `safe` lists all cells that are proved safe.
    * FIRST: no cell is open yet, and the rules keep the first cell free of mines.
    * GUESS: no cell is proved safe. `risk` is exact. `win_chance` is the exact win chance of
      optimal play, or None if no search computed it.
    * DONE: every safe cell is open, and `cell` is None.

    `safe` is empty for every other kind than SAFE. `risk` is 0 for every other kind than GUESS."""

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
        """Begin with one or more boards of a game, oldest first.

        `start` is the start of the game: under `safe` and `zero` the first cell is not a mine,
        under `any` it may be a mine. `move` is the move rule, which chooses guesses.

        Raises UnknownName for another start, for example `sqrt`. Raises InputError if the mines of
        the last board leave no room for the start. Raises what `analyze` raises for the last
        board and the move rule, such as Contradiction if no layout fits that board."""
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
        """How many times in a row `undo` can return to the previous board."""
        return len(self._boards) - 1

    @property
    def advice(self) -> Advice:
        """The advice for the current board: the first cell of the game if `first_is_safe`, else a
        cell that is proved safe, else a guess. If every safe cell is open, the advice has no cell.
        Raises TooWide or OutOfTime if the risks of a guess cannot be counted."""
        analysis = self.analysis
        if self.first_is_safe:
            return self._first()
        move = analysis.move
        if move is None:
            return Advice(AdviceKind.DONE, None, Fraction(0), "every safe cell is open")
        if analysis.safe:
            return _proved(analysis, move.cell)
        return Advice(
            AdviceKind.GUESS,
            move.cell,
            analysis.probability(move.cell),
            f"no cell is proved safe; {move.reason}",
            win_chance=move.win_chance if move.exact else None,
        )

    @property
    def first_is_safe(self) -> bool:
        """Whether all cells are hidden in a game whose first cell is never a mine. If so, every
        cell is safe to open as the first one, and the risks of the analysis do not apply."""
        return self._start is not Start.ANY and _untouched(self.board)

    def why(self, cell: Cell) -> str:
        """Return a text that says why a hidden cell is safe, a mine or undecided. If
        `first_is_safe`, the text says that the first cell is never a mine. Otherwise, the text is
        the explanation of `explain`. Raises what `explain` raises."""
        if not self.first_is_safe:
            return explain(self.analysis, cell).text
        cell, first = self.board.require(cell), self._first()
        label = self.board.geometry.label
        assert first.cell is not None
        advice = "" if first.cell == cell else f" The advice is {label(first.cell)}."
        reason = f"{first.reason[0].upper()}{first.reason[1:]}"
        return f"{reason}: {label(cell)} is safe to open now.{advice}"

    def _first(self) -> Advice:
        """Return the advice for the first cell. Usually the advised cell is the corner 0,0, which
        has few neighbours. With the start `zero`, on a board of more than 6 rows and more than 6
        columns, the advised cell is 3,3, because a 0 inside the board opens more cells. If a hole
        is at that place, the advised cell is the first cell of the board, row by row."""
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
        """The hidden cells beside a 0 on the current board, row by row. The game itself has opened
        these cells, so the user must enter their numbers. If a 0 of the clue model opens no cells
        around it, the result is empty."""
        codes = self.board.codes
        if not self.board.clues.floods:
            return ()
        return tuple(cells_at((codes == HIDDEN) & (self.board.geometry.count(codes == 0) > 0)))

    def enter(self, shown: Mapping[Cell, int]) -> None:
        """Record what cells show. `shown` has the code of each entered cell: a clue, EXPLODED,
        CLEAR (safe, but no clue), MARKED or HIDDEN. An entry for a cell that is already open
        corrects the board.

        Raises BoardError for a cell that is not on the board, and for an invalid code. Raises
        InputError if nothing changes, or if the entries open mines but no safe cell although
        `first_is_safe`. Raises Contradiction if no layout fits the new board. Its message says why
        the entries are impossible, except on very large boards. After an error the session is
        unchanged."""
        board = self.board.replace(shown)
        if self.first_is_safe and set(shown.values()) - {HIDDEN, MARKED} == {EXPLODED}:
            raise InputError(
                f"{self._first().reason}, so the first cell cannot show x; if the first cell of "
                "your game may be a mine, begin again with the start 'any'"
            )
        if board == self.board:
            raise InputError("the board shows that already; enter another value, or another cell")
        self.replace(board, shown)

    def replace(self, board: Board, shown: Mapping[Cell, int] | None = None) -> None:
        """Make `board` the current board; `undo` returns to the board before. If entries led to
        `board`, `shown` has these entries. Raises Contradiction if no layout fits `board`; the
        session then stays unchanged. The message names the entries of `shown` that are at fault, if
        the search for a conflict finds some."""
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
        """Return to the previous board. Raises InputError if there is no previous board."""
        if not self.entries:
            raise InputError("there is nothing to undo")
        self.analysis = analyze(self._boards[-2], move=self._move)
        self._boards.pop()


def parse_entries(
    line: str, asked: Sequence[Cell], geometry: Geometry = SQUARE
) -> dict[Cell, int] | None:
    """Parse a line of entries. Return the code of each entered cell, or None if the line is not a
    line of entries.

    `asked` are the cells whose values the user was asked for. A line of entries has one of three
    forms:

    * one value (a number, `x`, `c` or `m`) for the first asked cell;
    * one value for each asked cell, in order;
    * cells with values, such as `2,5=1 2,6=x`. `2,5 1` and `(2,5)=1` mean the same as `2,5=1`. On a
      graph, a cell is named: `e6=1`. In this form, the value `?` means a hidden cell.

    Raises InputError if the line is one value but `asked` is empty, if it names a cell twice, if it
    names a cell that the graph does not have, or if it names a cell in another form."""
    values = [_code(word, geometry.most) for word in _words(line, geometry)]
    if values and len(values) in (1, len(asked)) and None not in values and HIDDEN not in values:
        if not asked:
            form = _form(geometry)
            raise InputError(f"{line.strip()!r} does not name a cell; enter {form}")
        return {cell: code for cell, code in zip(asked, values, strict=False) if code is not None}
    pattern = _NAMED if isinstance(geometry, Graph) else _ENTRY
    found = pattern.findall(line)
    codes = [_code(value, geometry.most) for *_, value in found]
    if not re.fullmatch(rf"(?:{pattern.pattern}[\s;]*)+", line.strip()) or None in codes:
        if found or _ABOUT_A_CELL.fullmatch(line.strip()):
            raise InputError(
                f"expected {_form(geometry)}, got {line.strip()[:40]!r}; "
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


def _form(geometry: Geometry) -> str:
    """Return the form of an entry that names its cell, for messages."""
    return "NAME=VALUE" if isinstance(geometry, Graph) else "ROW,COL=VALUE, such as 0,0=1"


def _named_cell(place: Sequence[str], geometry: Geometry) -> Cell:
    """Return the cell at `place`: a row and a column, or on a graph the name of the cell. Raises
    InputError if the graph has no cell with this name."""
    if isinstance(geometry, Graph):
        return geometry.cell(place[0])
    row, col = map(int, place)
    return row, col


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
    """Parse a line such as `row 3: ??1123`, with ~ at holes. Return the new codes of the cells that
    differ from the board, or None if the line does not have this form. Raises InputError for a row
    that the board does not have, for a wrong number of values, and for a wrong value."""
    match = _ROW.fullmatch(line.strip())
    if match is None:
        return None
    row, values = int(match[1]), _words(match[2], board.geometry)
    checked_cell((row, 0), board.rows, board.cols)
    if len(values) != board.cols:
        needed = plural(board.cols, "value")
        raise InputError(
            f"a row of this board needs {needed}, one for each column, not {len(values)}"
        )
    entries: dict[Cell, int] = {}
    most = board.geometry.most
    for col, value in enumerate(values):
        before = int(board.codes[row, col])
        code = HOLE if value == "~" else _code(value, most)
        if before == HOLE and code != HOLE:
            raise InputError(f"{row},{col} is a hole of the board: write ~, not {value[:9]!r}")
        if code is None or (code == HOLE and before != HOLE):
            expected = f"?, 0 to {most}, m, x or c"
            raise InputError(f"{value[:9]!r} does not stand for a cell; use {expected}")
        if code != before:
            entries[row, col] = code
    return entries


def _untouched(board: Board) -> bool:
    """Return whether the board has at least one cell, and every cell is hidden."""
    hidden = board.codes == HIDDEN
    return bool(hidden.any() and (hidden | (board.codes == HOLE)).all())


def _check_start(board: Board, start: Start) -> None:
    """Raise InputError if all cells are hidden and the start leaves too few cells for the mines.
    Under `zero`, the first cell and its neighbours must be safe. So the most cells are left if the
    first cell has as few neighbours as possible."""
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
    """Return the advice to open `cell`, which is proved safe. The advice names a minimal set of
    clues that proves this, unless the search for such a set is too wide."""
    safe = tuple(sorted(analysis.safe))
    advice = partial(Advice, AdviceKind.SAFE, cell, Fraction(0), safe=safe)
    frontier = analysis.frontier
    if frontier.problem.mines == 0:
        return advice("no mine is left", uses_total=True)
    evidence = Cores(frontier).evidence(cell, mine=False)
    if evidence is None:
        return advice("proved safe")
    clues, board = evidence.clues, analysis.board
    label = board.geometry.label
    named = few((f"the {board[clue]} at {label(clue)}" for clue in clues), "clue")
    if evidence.too_wide:
        named = ["all clues"]
    reason = f"proved safe by {joined(named + ['the number of mines in all'] * evidence.total)}"
    return advice(reason, clues, evidence.total)


def _refusal(board: Board, shown: Mapping[Cell, int], conflict: Conflict) -> str:
    """Return a text that says why the entries `shown` are impossible, such as `0,0 cannot be a
    mine: (0,1)=0 rules it out`. If `_at_fault` returns no cell, the text only describes the
    conflict."""
    at_fault = _at_fault(board, shown, conflict)
    if not at_fault:
        return f"this entry is impossible: {conflict}"
    label = board.geometry.label
    mines = few(label(cell) for cell in at_fault if shown[cell] in (EXPLODED, MARKED))
    safe = few(label(cell) for cell in at_fault if shown[cell] not in (EXPLODED, MARKED))
    what = "safe" if not mines else "a mine" if len(mines) == 1 else "mines"
    claimed = mines or safe
    cannot = {1: "cannot", 2: "cannot both"}.get(len(claimed), "cannot all")
    text = f"{joined(claimed)} {cannot} be {what}"
    if mines and safe:
        text += f" while {joined(safe)} {'is' if len(safe) == 1 else 'are'} safe"
    rules = "rules" if len(conflict.parts) == 1 else "rule"
    return f"{text}: {joined(conflict.parts)} {rules} it out"


def _at_fault(board: Board, shown: Mapping[Cell, int], conflict: Conflict) -> list[Cell]:
    """Return cells whose entries in `shown` together contradict the clues of the conflict. An entry
    counts here only as a safe cell or a mine; entries that are clues of the conflict are left out.
    The list is minimal: if the entry of any one of the cells is taken back, the others fit the
    clues of the conflict. The list is empty if these clues already contradict each other."""
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
