"""Boards in the terminal, readable without colour, with one to three characters per cell.

With three characters, a hidden cell of an analysed board shows `ok` (proved safe), `**` (proved
mine) or its risk in percent: `12` if it is exact, `~12` if it is an estimate, `~?` if it is
unknown. With one or two characters, the cell shows `+` (proved safe), `*` (proved mine) or a bar as
high as the risk. Undecided cells of the sea show `?`, and the legend gives the risk that they
share. The move has a `>` before it; with one character per cell, the move is an `@`. Without an
analysis, hidden cells show `?`. If a board is too large, only the rows and columns around the move
or a highlighted cell are shown."""

from __future__ import annotations

import os
import sys
import textwrap
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from rich.text import Text

from csp_mines.analysis.overlays import Overlay, Shown
from csp_mines.board import CLEAR, EXPLODED, HIDDEN, HOLE, MARKED, Board, Cell
from csp_mines.cli.console import out
from csp_mines.geometry import SQUARE
from csp_mines.words import percent, plural

if TYPE_CHECKING:
    from csp_mines import Analysis, Geometry

SAFE_STYLE = "bold green"
MINE_STYLE = "bold red"
MOST_ROWS = 60  # a terminal shows boards up to this height as a whole
WINDOW_ROWS = 40  # a terminal shows this many rows of a taller board
MOST_CELLS = 20_000  # without a terminal, boards of up to this many cells are written as a whole
MOST_LISTED = 12  # a list names at most this many cells, and says how many more there are

_SYMBOLS = {
    MARKED: ("M", "red"),
    EXPLODED: ("X", "bold white on red"),
    CLEAR: ("C", "green"),
    HOLE: (" ", ""),
}
_CLUE_STYLES = (
    "dim", "bright_blue", "green", "bright_red", "magenta", "yellow", "cyan", "white", "white",
)  # fmt: skip
# The colours of risks in steps of 10 %, from blue to orange-red: few people confuse the two.
_RISK_STYLES = (
    "color(39)", "color(38)", "color(37)", "color(72)", "color(107)",
    "color(179)", "color(215)", "color(209)", "color(203)", "color(197)",
)  # fmt: skip
_BARS, _LETTERS = "▁▂▃▄▅▆▇█", "abcdefgh"


@dataclass(frozen=True)
class Window:
    """The rows and columns of a board that are shown, and `wide`, the characters per cell."""

    rows: range
    cols: range
    wide: int


def window_of(board: Board, centre: Cell | None, width: int | None) -> Window:
    """Return the part of the board to show in a terminal that is `width` characters wide. The part
    is around the cell `centre`, or around the middle of the board if `centre` is None.

    Without a terminal, `width` is None. Then a board of up to `MOST_CELLS` cells is shown as a
    whole."""
    label = len(str(board.rows - 1)) + 1
    room = (_paper_width() if width is None else width) - label
    for wide in (3, 2, 1):
        if board.cols * wide <= room:
            break
    whole = width is None and board.codes.size <= MOST_CELLS
    fits = board.cols * wide <= room
    row, col = centre or (board.rows // 2, board.cols // 2)
    rows, cols = range(board.rows), range(board.cols)
    if not whole and board.rows > MOST_ROWS:
        rows = _around(row, WINDOW_ROWS, board.rows)
    if not whole and not fits:
        wide = 2 if room >= 20 else 1
        cols = _around(col, max(room // wide, 5), board.cols)
    return Window(rows, cols, wide)


def _paper_width() -> int:
    """Return the width of the output without a terminal, in characters: the environment variable
    COLUMNS, or 80."""
    columns = os.environ.get("COLUMNS", "")
    return int(columns) if columns.isdecimal() and len(columns) < 6 else 80


def _around(place: int, size: int, of: int) -> range:
    start = max(0, min(place - size // 2, of - size))
    return range(start, min(of, start + size))


def terminal_width() -> int | None:
    """Return the width of the terminal in characters, or None if standard output is not a
    terminal."""
    console = out()
    return console.width if console.is_terminal else None


@dataclass(frozen=True)
class BoardView:
    """A board to show, with its analysis if there is one.

    If `probabilities` is false, the risks and the move are not shown. `highlight` adds a style to
    some cells. `labels` replaces the text and the style of some cells. The numbers of an `overlay`
    are shown instead of the risks and of `ok`. `width` is the width of the terminal in characters,
    or None without a terminal."""

    board: Board
    analysis: Analysis | None = None
    probabilities: bool = True
    highlight: Mapping[Cell, str] = field(default_factory=dict)
    width: int | None = field(default_factory=terminal_width)
    labels: Mapping[Cell, tuple[str, str]] = field(default_factory=dict)
    overlay: Overlay | None = None

    @cached_property
    def window(self) -> Window:
        centre = self.move or next(iter((*self.highlight, *self.labels)), None)
        return window_of(self.board, centre, self.width)

    @cached_property
    def move(self) -> Cell | None:
        """The cell of the move. None without an analysis, if the analysis has no move, or if risks
        are not shown."""
        if self.analysis is None or not self.probabilities or self.analysis.move is None:
            return None
        return self.analysis.move.cell

    @cached_property
    def text(self) -> Text:
        """The board as text: a line of column numbers, then the rows, each after its number. If
        rows or columns are missing, a last line says which ones are shown."""
        window = self.window
        label = len(str(self.board.rows - 1))
        text = Text(" " * (label + 1))
        text.append(_column_numbers(window) + "\n", style="dim")
        for row in window.rows:
            text.append(f"{row:>{label}} ", style="dim")
            if self.board.geometry.name == "hex" and row % 2:  # hexagons in odd rows are shifted
                text.append(" " * ((window.wide + 1) // 2))
            for col in window.cols:
                self._append(text, (row, col))
            text.append("\n")
        text.rstrip()
        if left_out := self._left_out():
            text.append("\n" + left_out, style="dim")
        return text

    @property
    def legend(self) -> str:
        """The meanings of the symbols that come from the analysis, wrapped to the width of the
        terminal. Empty without an analysis."""
        if self.analysis is None:
            return ""
        safe, mines = self._proved
        safe_sign, mine_sign = self._signs
        parts = []
        if safe.any() and self._others is None:
            parts.append(f"{safe_sign} proved safe")
        if mines.any():
            parts.append(f"{mine_sign} proved mine")
        if self._others is not None and self.overlay is not None:
            parts.append(_legend_of(self.overlay.shows, three=self._three))
        elif self._risks is not None and (self._undecided & ~self._sea).any():
            parts.append(
                "numbers: risk of a mine in %" if self._three else f"{_bars()} risk, low to high"
            )
        if self.move is not None:
            parts.append("@ the move" if self.window.wide == 1 else "> the move")
        if self._others is None and (risk := self.sea_risk) is not None:
            parts.append(f"? sea, {risk:.1%} each")
        return textwrap.fill(", ".join(parts), max(self.width or _paper_width(), 20))

    @property
    def sea_risk(self) -> float | None:
        """The risk that all undecided cells of the sea share. None if there are no such cells, or
        if risks are not shown."""
        open_sea = self._sea & self._undecided
        if self._risks is None or not open_sea.any():
            return None
        return float(self._risks[open_sea][0])

    @property
    def _three(self) -> bool:
        return self.window.wide == 3

    @property
    def _signs(self) -> tuple[str, str]:
        """The signs of a cell that is proved safe, and of a proved mine."""
        return ("ok", "**") if self._three else ("+", "*")

    @property
    def _others(self) -> np.ndarray | None:
        """The numbers of the overlay, which are shown instead of the risks. None without an
        overlay, and if its numbers are not available."""
        return None if self.overlay is None else self.overlay.values

    @cached_property
    def _largest(self) -> float:
        """The largest number of the overlay."""
        assert self._others is not None
        return max(float(np.nanmax(self._others)), 1e-9)

    def _other(self, value: float) -> tuple[str, str]:
        """Return the text and the style of a number of the overlay."""
        assert self.overlay is not None
        if np.isnan(value):
            return "?", "dim"
        share = value / self._largest
        if not self._three:
            return _bar(share), ""
        tenths = self.overlay.shows is Shown.INFORMATION
        text = str(round(value * 10)) if tenths else _percent(value, "")
        return text, _RISK_STYLES[0] if share == 1 else ""

    @cached_property
    def _risks(self) -> np.ndarray | None:
        shown = self.analysis if self.probabilities else None
        return None if shown is None else shown.probabilities

    @cached_property
    def _sea(self) -> np.ndarray:
        codes = self.board.codes
        sea: np.ndarray = (codes == HIDDEN) & (self.board.geometry.count(codes >= 0) == 0)
        return sea

    @property
    def _undecided(self) -> np.ndarray:
        safe, mines = self._proved
        undecided: np.ndarray = (self.board.codes == HIDDEN) & ~safe & ~mines
        return undecided

    @cached_property
    def _proved(self) -> tuple[np.ndarray, np.ndarray]:
        """Arrays that are true at cells proved safe, and at proved mines."""
        if self.analysis is not None:
            return self.analysis.safe_mask, self.analysis.mine_mask
        nowhere = np.zeros(self.board.codes.shape, bool)
        return nowhere, nowhere

    def _append(self, text: Text, cell: Cell) -> None:
        symbol, style = self._symbol(cell)
        wide = self.window.wide
        if cell == self.move:
            symbol = "@" if wide == 1 else f">{symbol}"
            style = f"{style} reverse"
        if cell in self.highlight:
            style = f"{style} {self.highlight[cell]}"
        text.append(" " * (wide - len(symbol)))
        text.append(symbol, style=style)

    def _symbol(self, cell: Cell) -> tuple[str, str]:
        if cell in self.labels:
            return self.labels[cell]
        code = int(self.board.codes[cell])
        if code >= 0:
            style = _CLUE_STYLES[min(code, len(_CLUE_STYLES) - 1)]
            shown = str(code) if code < 10 or self.window.wide > 1 else "#"
            return shown if code else ".", style
        if code != HIDDEN:
            return _SYMBOLS[code]
        safe, mines = self._proved
        if self._others is not None and not mines[cell]:
            return self._other(float(self._others[cell]))
        if safe[cell]:
            return self._signs[0], SAFE_STYLE
        if mines[cell]:
            return self._signs[1], MINE_STYLE
        if self._risks is None:
            return "?", ""
        if self._sea[cell]:
            return "?", "dim"
        if self.analysis is not None and cell in self.analysis.unknown:
            return "~?" if self._three else "?", "dim"
        risk = float(self._risks[cell])
        about = "~" if self.analysis is not None and not self.analysis.exact else ""
        text = _percent(risk, about) if self._three else _bar(risk)
        return text, _RISK_STYLES[min(int(risk * 10), 9)]

    def _left_out(self) -> str:
        window, board = self.window, self.board
        sides = ("rows", window.rows, board.rows), ("columns", window.cols, board.cols)
        parts = [
            f"{name} {shown[0]} to {shown[-1]} of {whole}"
            for name, shown, whole in sides
            if len(shown) < whole
        ]
        return f"shown: {', '.join(parts)}; rest: 'solve --json'" if parts else ""


def _column_numbers(window: Window) -> str:
    """Return a line with the numbers of all columns, or of every 5th, 10th and so on if not all
    numbers fit. The last digit of a number stands above the last character of its column."""
    longest = len(str(window.cols[-1]))
    step = next((s for s in (1, 5, 10, 20, 50) if longest < window.wide * s), 100)
    line = ""
    for place, col in enumerate(window.cols):
        end = (place + 1) * window.wide
        if col % step == 0 and end - len(str(col)) >= len(line):
            line = line.ljust(end - len(str(col))) + str(col)
    return line


def _bars() -> str:
    """Return eight characters for risks from low to high: bars, or letters if the encoding of
    standard output lacks bars."""
    try:
        _BARS.encode(sys.stdout.encoding or "ascii")
    except (UnicodeEncodeError, LookupError):
        return _LETTERS
    return _BARS


def _bar(share: float) -> str:
    return _bars()[min(int(share * 8), 7)]


def _percent(share: float, about: str) -> str:
    """Return a share in percent as a text of one to three characters, such as `7%`, `42` or `~42`.
    `about` is the sign before the number: `~` for an estimate, else nothing. A share of exactly 1
    becomes `!!`. Only a share of exactly 0 becomes `0%` (`~0` for an estimate); a share between 0
    and 1 becomes 1 to 99."""
    if share == 1:
        return "!!"
    shown = percent(share) if share else 0
    return f"{about}{shown}" if about or shown >= 10 else f"{shown}%"


def _legend_of(shows: Shown, *, three: bool) -> str:
    if shows is Shown.INFORMATION:
        tenths = "numbers: information in tenths of a bit"
        return tenths if three else f"{_bars()} information in bits, low to high"
    chance = "win chance of opening the cell" if shows is Shown.WIN else "chance of a 0"
    return f"numbers: {chance} in %, !! is 100%" if three else f"{_bars()} {chance}, low to high"


def headline(name: str, analysis: Analysis) -> str:
    """Return a line such as `corner.txt: 4×4, 3 mines, exact clues: progress`."""
    board = analysis.board
    return f"{name}: {size_and_prior(board)}, {board.clues.name} clues: {analysis.status}"


def size_and_prior(board: Board, mines: str | None = None) -> str:
    """Return the size and the prior of a board as text, such as `4×4, 3 mines`. A grid other than
    squares stands after the size, as in `4×4 torus, 3 mines`. If `mines` is given, this text
    replaces the prior."""
    if mines is None and board.mines is not None:
        mines = plural(board.mines, "mine")
    unknown = "mines unknown" if board.density is None else f"density {float(board.density):g}"
    grid = "" if board.geometry == SQUARE else f" {board.geometry}"
    return f"{board.rows}×{board.cols}{grid}, {mines or unknown}"


def certain_cells(number: int | None) -> str:
    """Return the end of a heading, such as `, 4 certain cells`. `number` is the number of certain
    cells; if it is None (unknown), return an empty text."""
    return "" if number is None else ", " + plural(number, "certain cell")


def cell_list(cells: Iterable[Cell], geometry: Geometry) -> str:
    """Return a text with the first `MOST_LISTED` cells, row by row, and how many more there are:
    `0,2  1,3  … and 5 more`."""
    ordered = sorted(cells)
    return _listed(ordered[:MOST_LISTED], len(ordered), geometry)


def mask_list(mask: np.ndarray, geometry: Geometry) -> str:
    """Return what `cell_list` returns for the cells at which `mask` is true. Only the listed cells
    become Python objects, because a mask may have millions of cells."""
    cols = mask.shape[1]
    places = np.flatnonzero(mask)
    shown = [divmod(place, cols) for place in places[:MOST_LISTED].tolist()]
    return _listed(shown, len(places), geometry)


def _listed(shown: Sequence[Cell], count: int, geometry: Geometry) -> str:
    rest = count - len(shown)
    cells = "  ".join(map(geometry.label, shown))
    return cells + (f"  … and {rest:,} more" if rest else "")
