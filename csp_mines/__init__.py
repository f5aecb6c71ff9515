"""csp_mines: Minesweeper as constraint solving.

    import csp_mines
    board = csp_mines.Board.parse("????\\n113?\\n001?\\n001?")
    found = csp_mines.analyze(board)
    sorted(found.safe)                # [(0, 0), (0, 2), (1, 3), (3, 3)]

Names are imported when they are first used, so that importing the package costs next to nothing.
What is public is listed in `__init__.pyi`, for people, type checkers and this module alike.
"""

from __future__ import annotations

import re
from importlib import import_module
from pathlib import Path
from typing import Any

__version__ = "0.1.0"

_HOME_OF = {
    name: home
    for home, name in re.findall(
        r"^from (\S+) import (\w+) as \2$",
        Path(__file__).with_suffix(".pyi").read_text(encoding="utf-8"),
        re.MULTILINE,
    )
}

__all__ = ["__version__", *_HOME_OF]


def __getattr__(name: str) -> Any:
    try:
        home = _HOME_OF[name]
    except KeyError:
        raise AttributeError(f"module 'csp_mines' has no attribute {name!r}") from None
    value = getattr(import_module(home), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(set(globals()) | set(_HOME_OF))
