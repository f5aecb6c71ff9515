"""csp_mines: Minesweeper as constraint solving.

    import csp_mines
    board = csp_mines.Board.parse("????\\n113?\\n001?\\n001?")
    found = csp_mines.analyze(board)
    found.safe                        # frozenset({(0, 2), (1, 3)})

Names are imported when they are first used, so that importing the package costs next to nothing.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from csp_mines.analysis import Analysis as Analysis
    from csp_mines.analysis import Memory as Memory
    from csp_mines.analysis import Move as Move
    from csp_mines.analysis import Status as Status
    from csp_mines.analysis import analyze as analyze
    from csp_mines.analysis import analyze_many as analyze_many
    from csp_mines.backend import Backend as Backend
    from csp_mines.board import Board as Board
    from csp_mines.board import Cell as Cell
    from csp_mines.constraints import Frontier as Frontier
    from csp_mines.constraints import Problem as Problem
    from csp_mines.errors import BoardError as BoardError
    from csp_mines.errors import BoardSyntaxError as BoardSyntaxError
    from csp_mines.errors import Contradiction as Contradiction
    from csp_mines.errors import CspMinesError as CspMinesError
    from csp_mines.errors import TooWide as TooWide

__version__ = "0.1.0"

_HOMES = {
    "analysis": ("Analysis", "Memory", "Move", "Status", "analyze", "analyze_many"),
    "backend": ("Backend",),
    "board": ("Board", "Cell"),
    "constraints": ("Frontier", "Problem"),
    "errors": ("BoardError", "BoardSyntaxError", "Contradiction", "CspMinesError", "TooWide"),
}
_HOME_OF = {name: module for module, names in _HOMES.items() for name in names}

__all__ = ["__version__", *_HOME_OF]


def __getattr__(name: str) -> Any:
    try:
        home = _HOME_OF[name]
    except KeyError:
        raise AttributeError(f"module 'csp_mines' has no attribute {name!r}") from None
    value = getattr(import_module(f"csp_mines.{home}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(set(globals()) | set(_HOME_OF))
