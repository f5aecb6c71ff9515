"""The options that describe one game, and reading them; shared by play, generate and assist."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from csp_mines.board import Cell
    from csp_mines.game import Layout, Spec

Level = Annotated[
    str | None,
    typer.Option(
        "--level",
        "-l",
        metavar="NAME",
        help="beginner, intermediate, expert, or easy, medium, hard of report 3.",
    ),
]
Size = Annotated[
    str | None, typer.Option("--size", metavar="RxC", help="Rows and columns, such as 16x30.")
]
Rows = Annotated[int | None, typer.Option("--rows", metavar="N", min=1, help="Rows.")]
Cols = Annotated[int | None, typer.Option("--cols", metavar="N", min=1, help="Columns.")]
Mines = Annotated[
    int | None, typer.Option("--mines", "-m", metavar="N", min=0, help="Mines on the whole board.")
]
Density = Annotated[
    float | None,
    typer.Option("--density", "-d", metavar="P", help="Mines as a share of the cells instead."),
]
First = Annotated[
    str | None,
    typer.Option("--first", metavar="R,C", help="The first cell; by default the corner 0,0."),
]


def read_grid(size: str | None, rows: int | None, cols: int | None) -> tuple[int, int] | None:
    """Rows and columns, or None when nothing is said. Raises BoardError."""
    from csp_mines.cli.simulate import parse_size
    from csp_mines.errors import BoardError

    if size is not None and rows is None and cols is None:
        return parse_size(size)
    if size is None and rows is not None and cols is not None:
        return rows, cols
    if size is None and rows is None and cols is None:
        return None
    raise BoardError("give --size, or --rows together with --cols")


def read_spec(
    level: str | None,
    grid: tuple[int, int] | None,
    mines: int | None,
    density: float | None = None,
) -> Spec:
    """The size that a command's options describe; a beginner's board when they say nothing.
    Raises BoardError, UnknownName."""
    from csp_mines.errors import BoardError
    from csp_mines.game import Spec
    from csp_mines.game import level as named

    if grid is None and mines is None and density is None:
        return named(level or "beginner")
    if level is not None:
        raise BoardError("give --level, or a size with its mines, not both")
    if grid is None or (mines is None) == (density is None):
        raise BoardError("a size needs rows, columns, and either --mines or --density")
    if mines is None:
        assert density is not None
        if not 0 <= density <= 1:
            raise BoardError(f"density {density} must lie between 0 and 1")
        mines = round(grid[0] * grid[1] * density)
    return Spec(*grid, mines)


def read_cell(text: str | None) -> Cell | None:
    """`R,C` as a cell. Raises BoardError."""
    from csp_mines.errors import BoardError

    if text is None:
        return None
    match = re.fullmatch(r"\s*(\d{1,7})\s*,\s*(\d{1,7})\s*", text)
    if match is None:
        raise BoardError(f"a cell is ROW,COL, such as 3,4, not {text!r}")
    return int(match[1]), int(match[2])


def read_layout(path: Path) -> Layout:
    """The layout in a file: MBF when its name ends in .mbf, else text. Raises BoardError."""
    from csp_mines.errors import BoardError
    from csp_mines.game import Layout
    from csp_mines.text import decode

    try:
        data = path.read_bytes()
    except OSError as error:
        raise BoardError(f"{path}: {(error.strerror or str(error)).lower()}") from None
    if path.suffix.lower() == ".mbf":
        return Layout.from_mbf(data, source=str(path))
    return Layout.parse(decode(data, str(path)), source=str(path))
