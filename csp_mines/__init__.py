"""csp_mines, Minesweeper as constraint solving: the public names of the package.

    import csp_mines
    board = csp_mines.Board.parse("????\\n113?\\n001?\\n001?")
    analysis = csp_mines.analyze(board)
    sorted(analysis.safe)             # [(0, 0), (0, 2), (1, 3), (3, 3)]

Each public name is imported at its first use, so `import csp_mines` takes almost no time. All
imports except `__future__` are inside functions, because Ctrl-C during an import at the top would
end a command with a traceback. The file `__init__.pyi` lists the public names, for this module and
for type checkers.
"""

from __future__ import annotations

__version__ = "0.2.0"


def __getattr__(name: str) -> object:
    """Import the object with the public name `name`, and return it. For `__all__`, return the list
    of the public names. Raises AttributeError for any other name."""
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
    """Return the public names and no others."""
    return sorted(["__version__", *_homes()])


def _homes() -> dict[str, str]:
    """Return, for each public name except `__version__`, the module from which it is imported."""
    import re
    from pathlib import Path

    listed = Path(__file__).with_suffix(".pyi").read_text(encoding="utf-8")
    lines = re.findall(r"^from (\S+) import (\w+) as \2$", listed, re.MULTILINE)
    return {name: home for home, name in lines}
