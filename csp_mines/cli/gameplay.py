"""The options that describe a game, and the functions that read them."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from csp_mines.arguments import shown
from csp_mines.cli.options import file_name
from csp_mines.errors import InputError
from csp_mines.graph import Graph
from csp_mines.names import CLUE_MODEL_NAMES, LEVEL_SIZES, REPORT_LEVEL_SIZES, listed

if TYPE_CHECKING:
    from csp_mines.board import Cell
    from csp_mines.games.game import Layout, Rules, Spec
    from csp_mines.geometry import Geometry

OneAgent = Annotated[
    str,
    typer.Option(
        "--agent",
        "-a",
        metavar="NAME",
        help="The agent: a preset, BACKEND+POLICY, or your own as PACKAGE.MODULE:NAME.",
    ),
]
LayoutFile = Annotated[
    Path | None,
    typer.Option(
        "--board",
        metavar="FILE",
        parser=file_name,
        help="Play this layout: a file, or a line, link or ID.",
    ),
]
Level = Annotated[
    str | None,
    typer.Option(
        "--level",
        "-l",
        metavar="NAME",
        help=f"{listed(LEVEL_SIZES)}; or {listed(REPORT_LEVEL_SIZES)}, as in report 3 of "
        "docs/reports.md.",
    ),
]
SizeText = Annotated[
    str | None, typer.Option("--size", metavar="RxC", help="Rows and columns, such as 16x30.")
]
Mines = Annotated[
    int | None, typer.Option("--mines", "-m", metavar="N", min=0, help="Mines on the whole board.")
]
Density = Annotated[
    float | None,
    typer.Option(
        "--density", "-d", metavar="P", help="Mines as a share of the cells, instead of --mines."
    ),
]
Grid = Annotated[
    str | None,
    typer.Option(
        "--grid",
        metavar="NAME",
        help="The grid: square, orthogonal, radius:2, torus, hex, or graph:FILE.",
    ),
]
ShapeFile = Annotated[
    Path | None,
    typer.Option(
        "--shape",
        metavar="FILE",
        parser=file_name,
        help="Take the size, the grid and the holes (~) from this board.",
    ),
]
First = Annotated[
    str | None,
    typer.Option("--first", metavar="R,C", help="The first cell. By default the corner 0,0."),
]
FirstOfGame = Annotated[
    str | None,
    typer.Option(
        "--first",
        metavar="R,C",
        help="The first cell. By default the one in the layout's ID or line, else the corner 0,0.",
    ),
]

Start = Annotated[
    str,
    typer.Option(
        "--start",
        metavar="KIND",
        help="safe: the first cell is safe; zero: its neighbours too; any: it may be a mine; "
        "sqrt: of N cells, √N safe ones are shown at the start.",
    ),
]
Flood = Annotated[
    bool, typer.Option("--flood/--no-flood", help="Whether a 0 opens its neighbours.")
]
ClueModel = Annotated[
    str,
    typer.Option("--clues", metavar="MODEL", help=f"What clues show: {listed(CLUE_MODEL_NAMES)}."),
]
Reveal = Annotated[
    float,
    typer.Option(
        "--reveal", metavar="P", help="Silent clues: the chance that a cell shows its number."
    ),
]


@dataclass(frozen=True)
class Size:
    """The size of a random layout."""

    level: Level = None
    size: SizeText = None
    grid: Grid = None
    shape: ShapeFile = None

    @property
    def rows_and_cols(self) -> tuple[int, int] | None:
        """Rows and columns, or None if no option gives them. Raises InputError if they cannot be
        read."""
        return None if self.size is None else parse_size(self.size)

    @property
    def geometry(self) -> Geometry:
        """The grid that --grid names; square without it. Raises what `as_geometry` raises."""
        from csp_mines.geometry import SQUARE
        from csp_mines.grids import as_geometry

        return SQUARE if self.grid is None else as_geometry(self.grid)

    def spec(self, mines: int | None, density: float | None = None) -> Spec:
        """Return the size and the mines that the options give; without options, those of the level
        `beginner`. Raises InputError if options are missing or do not fit together, UnknownName for
        an unknown level."""
        from csp_mines.games.game import Spec, level

        geometry, holes = self.geometry, frozenset[tuple[int, int]]()
        grid = self.rows_and_cols
        if isinstance(geometry, Graph):
            grid = grid or (geometry.rows, geometry.cols)
        if self.shape is not None:
            if grid is not None or self.level is not None or self.grid is not None:
                raise InputError("--shape gives the size and the grid: leave out the other options")
            grid, geometry, holes = _read_shape(self.shape)
        if grid is None and mines is None and density is None:
            named = level(self.level or "beginner")
            return Spec(named.rows, named.cols, named.mines, geometry)
        if self.level is not None:
            raise InputError("give either --level, or a size with --mines or --density")
        if grid is None or (mines is None) == (density is None):
            raise InputError("give --size (or --rows and --cols) with either --mines or --density")
        if mines is None:
            assert density is not None
            if not 0 <= density <= 1:
                raise InputError(f"--density must be between 0 and 1, not {density}")
            mines = round((grid[0] * grid[1] - len(holes)) * density)
        return Spec(*grid, mines, geometry, holes)


@dataclass(frozen=True)
class SizeByRows(Size):
    """The size of a random layout, for commands that also have --rows and --cols."""

    rows: Annotated[
        int | None, typer.Option("--rows", metavar="N", min=1, help="Number of rows.")
    ] = None
    cols: Annotated[
        int | None, typer.Option("--cols", metavar="N", min=1, help="Number of columns.")
    ] = None

    @property
    def rows_and_cols(self) -> tuple[int, int] | None:
        if self.rows is None and self.cols is None:
            return super().rows_and_cols
        if self.rows is None or self.cols is None or self.size is not None:
            raise InputError("give --size, or --rows together with --cols")
        return self.rows, self.cols


@dataclass(frozen=True)
class GameRules:
    """How games are played. The fields are those of the library's `Rules`."""

    rules: Annotated[
        str,
        typer.Option(
            "--rules",
            metavar="NAME",
            help="classic: a mine ends the game; sweep: a mine lowers the score, the game goes on.",
        ),
    ] = "classic"
    start: Start = "safe"
    flood: Flood = True
    clues: ClueModel = "exact"
    reveal: Reveal = 0.6
    retry: Annotated[
        bool,
        typer.Option(
            "--retry", help="Silent clues: agents may open a cell again if it showed no number."
        ),
    ] = False
    told_total: Annotated[
        bool,
        typer.Option(
            "--told-total/--not-told", help="Whether agents are told the total number of mines."
        ),
    ] = True

    def read(self) -> Rules:
        """Return the rules. Raises InputError or UnknownName if an option has an invalid value."""
        from csp_mines.games.game import Rules

        return Rules(**vars(self))


def parse_size(size: str) -> tuple[int, int]:
    """Return rows and columns from a text such as 16x30. Raises InputError for any other text."""
    match = re.fullmatch(r"\s*(\d{1,9})\s*[x×]\s*(\d{1,9})\s*", size.lower())
    if match is None:
        raise InputError(f"--size must be rows x columns, such as 16x30, not {shown(size)}")
    return int(match[1]), int(match[2])


def _read_shape(path: Path) -> tuple[tuple[int, int], Geometry, frozenset[Cell]]:
    """Return the size, the grid and the holes of the board in a file."""
    from csp_mines.board import HOLE
    from csp_mines.cli.options import Header

    board = Header().read(str(path))
    return (board.rows, board.cols), board.geometry, frozenset(board.cells(HOLE))


def read_cell(text: str | None, geometry: Geometry | None = None) -> Cell | None:
    """Return the cell in a text such as `3,4`, or None for None. On a graph, the text is the name
    of a cell. Raises InputError for any other text."""
    if text is None:
        return None
    if isinstance(geometry, Graph):
        if text not in geometry.numbers:
            raise InputError(f"the graph has no cell {shown(text)}")
        return divmod(geometry.numbers[text], geometry.cols)
    match = re.fullmatch(r"\s*(\d{1,7})\s*,\s*(\d{1,7})\s*", text)
    if match is None:
        raise InputError(f"a cell must be ROW,COL, such as 3,4, not {shown(text)}")
    return int(match[1]), int(match[2])


def read_layout(path: Path) -> tuple[Layout, Cell | None]:
    """Return the layout in a file, line, link or ID, and the first cell that it names, or None.
    Raises BoardError if there is no layout."""
    from csp_mines.cli.options import interpret_argument, source_of
    from csp_mines.formats import layout_of

    contents, data = interpret_argument(str(path), layout=True)
    return layout_of(contents, data, source_of(str(path))), contents.first


def read_game(
    path: Path | None,
    size: Size,
    mines: int | None,
    density: float | None,
    first: str | None,
) -> tuple[Layout | Spec, Cell | None]:
    """Return the layout in the file `path`, or the size of a random layout; and the first cell. The
    option --first wins over the first cell that the layout names. Raises InputError or UnknownName
    if the options are invalid or do not fit together."""
    if path is None:
        spec = size.spec(mines, density)
        return spec, read_cell(first, spec.geometry)
    if size != type(size)() or (mines, density) != (None, None):
        raise InputError("--board gives the size and the mines: leave out the options for them")
    layout, named = read_layout(path)
    asked = read_cell(first, layout.geometry)
    return layout, named if asked is None else asked
