"""Boards in the terminal: rich text that stays readable without colour."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

import numpy as np
from rich.text import Text

from csp_mines.board import CLEAR, EXPLODED, HIDDEN, MARKED, Board, Cell

if TYPE_CHECKING:
    from csp_mines.analysis.analyze import Analysis

__all__ = ["LEGEND", "MOST_CELLS_SHOWN", "MOST_DIGITS", "board_text", "cell_list", "short_count"]

MOST_CELLS_SHOWN = 20_000  # more do not fit any terminal
MOST_DIGITS = 15
LEGEND = "ok proved safe, ** proved mine, % risk of a mine"
SAFE_STYLE = "bold green"
MINE_STYLE = "bold red"

_SYMBOLS = {MARKED: ("M", "red"), EXPLODED: ("X", "bold white on red"), CLEAR: ("C", "green")}
_CLUE_STYLES = (
    "dim", "bright_blue", "green", "bright_red", "magenta", "yellow", "cyan", "white", "white",
)  # fmt: skip
# From safe to deadly, a step each 10 %; blue to orange-red, so that few people confuse the ends.
_RISK_STYLES = (
    "color(39)", "color(38)", "color(37)", "color(72)", "color(107)",
    "color(179)", "color(215)", "color(209)", "color(203)", "color(197)",
)  # fmt: skip


def board_text(
    board: Board,
    found: Analysis | None = None,
    *,
    probabilities: bool = True,
    highlight: Mapping[Cell, str] | None = None,
) -> Text:
    """The board with coordinates. With an analysis, hidden cells show `ok` (proved
    safe), `**` (proved mine) or the risk in percent; `highlight` styles some cells further."""
    risks = found.probabilities if found is not None and probabilities else None
    rows = [
        [_cell(row, col, code, found, risks) for col, code in enumerate(codes)]
        for row, codes in enumerate(board.codes.tolist())
    ]
    numbers = len(str(board.rows - 1))
    symbols = max(len(symbol) for cells in rows for symbol, _ in cells)
    width = 1 + max(3, symbols, len(str(board.cols - 1)))  # neighbours never run together
    text = Text(" " * (numbers + 1), style="")
    text.append("".join(f"{col:>{width}}" for col in range(board.cols)) + "\n", style="dim")
    for row, cells in enumerate(rows):
        text.append(f"{row:>{numbers}} ", style="dim")
        for col, (symbol, style) in enumerate(cells):
            if highlight and (row, col) in highlight:
                style = f"{style} {highlight[row, col]}"
            text.append(" " * (width - len(symbol)))
            text.append(symbol, style=style)
        text.append("\n")
    text.rstrip()
    return text


def _cell(
    row: int, col: int, code: int, found: Analysis | None, risks: np.ndarray | None
) -> tuple[str, str]:
    if code >= 0:
        return str(code) if code else ".", _CLUE_STYLES[code]
    if code != HIDDEN:
        return _SYMBOLS[code]
    if found is not None and (row, col) in found.safe:
        return "ok", SAFE_STYLE
    if found is not None and (row, col) in found.mines:
        return "**", MINE_STYLE
    if risks is None:
        return "?", ""
    percent = float(risks[row, col]) * 100
    # What is not certain never reads as 0 or 100; what only another engine proved does.
    shown = round(percent) if percent in (0, 100) else min(max(round(percent), 1), 99)
    about = "~" if found is not None and not found.exact else ""
    return f"{about}{shown}%", _RISK_STYLES[min(int(percent / 10), 9)]


def cell_list(cells: Iterable[Cell], most: int = 12) -> str:
    """`0,2  1,3  …`, sorted, the rest only counted."""
    ordered = sorted(cells)
    shown = "  ".join(f"{row},{col}" for row, col in ordered[:most])
    return shown + (f"  … and {len(ordered) - most:,} more" if len(ordered) > most else "")


def short_count(found: Analysis) -> str:
    """The number of solutions: all digits up to `MOST_DIGITS`, then the leading ones and the
    power of ten, for which the logarithm suffices."""
    power = found.log_solutions / math.log(10)
    if power < MOST_DIGITS:
        return f"{found.solutions:,}"
    return f"{10 ** (power % 1):.4f}e{int(power)}"
