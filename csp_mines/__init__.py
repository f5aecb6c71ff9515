"""csp_mines: Minesweeper as constraint solving.

    import csp_mines
    board = csp_mines.Board.parse("????\\n113?\\n001?\\n001?")
    found = csp_mines.analyze(board)
    sorted(found.safe)                # [(0, 0), (0, 2), (1, 3), (3, 3)]

Names are imported when they are first used, so that importing the package costs next to nothing.
This module itself imports nothing: Ctrl-C in here would end a command by a traceback.
What is public is listed in `__init__.pyi`, for people, type checkers and this module alike.
"""

from __future__ import annotations

__version__ = "0.1.0"


def __getattr__(name: str) -> object:
    """`__all__` and the public names, which are not there before they are asked for."""
    if name == "__all__":
        value: object = ["__version__", *_homes()]
    elif name in (homes := _homes()):
        from importlib import import_module

        value = getattr(import_module(homes[name]), name)
    else:
        raise AttributeError(f"module 'csp_mines' has no attribute {name!r}")
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    """What is public, and nothing else."""
    return sorted(["__version__", *_homes()])


def _homes() -> dict[str, str]:
    """The module of each public name."""
    import re
    from pathlib import Path

    listed = Path(__file__).with_suffix(".pyi").read_text(encoding="utf-8")
    lines = re.findall(r"^from (\S+) import (\w+) as \2$", listed, re.MULTILINE)
    return {name: home for home, name in lines}
