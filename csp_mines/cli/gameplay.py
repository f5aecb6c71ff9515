"""The options that describe a game, such as its level, size, grid and start, and how they are
read."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from csp_mines import defaults
from csp_mines.arguments import shown
from csp_mines.cli import options
from csp_mines.cli.groups import option
from csp_mines.errors import InputError
from csp_mines.names import CLUE_MODEL_NAMES, LEVEL_SIZES, REPORT_LEVEL_SIZES, listed

if TYPE_CHECKING:
    from csp_mines import Cell, Game, Geometry, Rules, Spec
    from csp_mines.games.own_agents import AnyAgent

OneAgent = Annotated[
    str,
    option("The agent: a preset, BACKEND+POLICY, or your own as PACKAGE.MODULE:NAME.", "-a"),
]
Level = Annotated[
    str | None,
    option(
        f"The level: {listed(LEVEL_SIZES)}; or, as in report 3 of docs/reports.md, "
        f"{listed(REPORT_LEVEL_SIZES)}. Without a level and a size, beginner.",
        "-l",
    ),
]
SizeText = Annotated[str | None, option("Rows and columns, such as 16x30.", metavar="RxC")]
Mines = Annotated[int | None, option("Mines on the whole board.", "-m", min=0)]
Density = Annotated[
    float | None, option("Mines as a share of the cells, instead of --mines.", "-d", metavar="P")
]
Grid = Annotated[
    str | None,
    option("The grid: square, orthogonal, radius:2, torus, hex, or graph:FILE."),
]
ShapeFile = Annotated[
    Path | None, option("Take the size, the grid and the holes (~) from the board in this file.")
]
First = Annotated[
    str | None,
    option("The first cell. By default 0,0, but none with --start any or sqrt.", metavar="R,C"),
]
STARTS = "safe: the first cell is safe; zero: it and its neighbours are safe; any: it may be a mine"
SQRT_START = "sqrt: of N cells, √N safe ones are shown"
Start = Annotated[str, option(f"{STARTS}; {SQRT_START} at the start.", metavar="KIND")]
Flood = Annotated[bool, option("Whether a 0 opens its neighbours.", "--flood/--no-flood")]
ClueModel = Annotated[str, option(f"What clues show: {listed(CLUE_MODEL_NAMES)}.", metavar="MODEL")]
Reveal = Annotated[
    float,
    option("With silent clues, the chance that an opened cell shows its number.", metavar="P"),
]


@dataclass(frozen=True)
class Size:
    """The options for the size and the grid of a game."""

    level: Level = None
    size: SizeText = None
    grid: Grid = None
    shape: ShapeFile = None

    @property
    def rows_and_cols(self) -> tuple[int, int] | None:
        """The numbers of rows and columns from --size. None without this option. Raises InputError
        if the value of --size is not a size."""
        return None if self.size is None else parse_size(self.size)

    @property
    def given(self) -> bool:
        """Whether the command line has at least one of these options."""
        return self != type(self)()

    def spec(self, mines: int | None, density: float | None = None) -> Spec:
        """Return the size, the grid, the holes and the number of mines that the options give.
        `mines` and `density` are the values of --mines and --density. If there is neither a size
        nor `mines` nor `density`, the level, by default `beginner`, gives the size and the mines.

        Raises InputError if an option is missing or invalid, or if options do not fit together;
        UnknownName for an unknown level or grid; FileError if a file cannot be read."""
        from csp_mines.games.game import Spec, level
        from csp_mines.graph import Graph
        from csp_mines.grids import as_geometry

        geometry = as_geometry("square" if self.grid is None else self.grid)
        grid, holes = self.rows_and_cols, frozenset[tuple[int, int]]()
        if grid is None and isinstance(geometry, Graph):
            grid = geometry.rows, geometry.cols
        if self.shape is not None:
            if grid is not None or self.level is not None or self.grid is not None:
                raise InputError(
                    "--shape gives the size and the grid: leave out --level, --grid and the "
                    "options for the size"
                )
            grid, geometry, holes = _read_shape(self.shape)
        if grid is None and mines is None and density is None:
            named = level(self.level or "beginner")
            return Spec(named.rows, named.cols, named.mines, geometry)
        if self.level is not None:
            if isinstance(geometry, Graph):
                raise InputError(
                    "--grid graph:FILE gives the size: replace --level by --mines or --density"
                )
            raise InputError("give either --level, or a size with --mines or --density")
        if grid is None:
            raise InputError("--mines and --density need a size: give --size, such as 16x30")
        if mines is not None and density is not None:
            raise InputError("give either --mines or --density, not both")
        if mines is None:
            if density is None:
                raise InputError("give --mines or --density: a size alone does not give the mines")
            if not 0 <= density <= 1:
                raise InputError(f"--density must be between 0 and 1, not {density}")
            mines = round((grid[0] * grid[1] - len(holes)) * density)
        return Spec(*grid, mines, geometry, holes)


@dataclass(frozen=True)
class SizeByRows(Size):
    """The options of `Size`, and also --rows and --cols."""

    rows: Annotated[int | None, option("Number of rows.", min=1)] = None
    cols: Annotated[int | None, option("Number of columns.", min=1)] = None

    @property
    def rows_and_cols(self) -> tuple[int, int] | None:
        """The numbers of rows and columns from --size, or from --rows and --cols. None without
        these options. Raises InputError if an option is wrong or if the options do not fit
        together."""
        if self.rows is None and self.cols is None:
            return super().rows_and_cols
        if self.rows is None or self.cols is None or self.size is not None:
            raise InputError("give --size, or --rows together with --cols")
        return self.rows, self.cols


@dataclass(frozen=True)
class Played:
    """The options for the layout of a game: a random layout, or the one that --board names."""

    size: Size = field(default_factory=Size)
    mines: Mines = None
    density: Density = None
    board: Annotated[Path | None, option("Play this layout: a file, or a line, link or ID.")] = None
    first: Annotated[
        str | None,
        option(
            "The first cell. By default the first cell that the text of the layout names; without "
            "one 0,0, or none with --start any or sqrt.",
            metavar="R,C",
        ),
    ] = None

    def game(self, rules: Rules, seed: int) -> Game:
        """Return the game to play. If --first is not given, the ID or the line of the layout may
        give the first cell. Raises InputError or UnknownName if the options are invalid or do not
        fit together, BoardError if --board names no layout, FileError if a file cannot be read."""
        from csp_mines.formats import layout_of
        from csp_mines.games.game import Game

        if self.board is None:
            spec = self.size.spec(self.mines, self.density)
            return Game(spec, rules, seed, first=read_cell(self.first, spec.geometry))
        if self.size.given or (self.mines, self.density) != (None, None):
            raise InputError(
                "--board gives the layout: leave out the options for the size, the grid and the "
                "mines"
            )
        name = str(self.board)
        contents, data = options.interpret_argument(name, layout=True)
        layout = layout_of(contents, data, options.source_of(name))
        asked = read_cell(self.first, layout.geometry)
        return Game(layout, rules, seed, first=contents.first if asked is None else asked)


@dataclass(frozen=True)
class PlayedByRows(Played):
    """The options of `Played`, and also --rows and --cols."""

    size: SizeByRows = field(default_factory=SizeByRows)


@dataclass(frozen=True)
class GameRules:
    """The options that say how games are played. The fields are those of the library's `Rules`."""

    rules: Annotated[
        str,
        option(
            "classic: an opened mine ends the game; sweep: it lowers the score, and the game goes "
            "on.",
        ),
    ] = defaults.RULES
    start: Start = defaults.START
    flood: Flood = True
    clues: ClueModel = defaults.CLUES
    reveal: Reveal = defaults.REVEAL
    retry: Annotated[
        bool, option("With silent clues, agents may open a cell again if it showed no number.")
    ] = False
    told_total: Annotated[
        bool,
        option("Whether agents are told the total number of mines.", "--told-total/--not-told"),
    ] = True

    def read(self) -> Rules:
        """Return the rules. Raises InputError or UnknownName if an option has an invalid value."""
        from csp_mines.games.game import Rules

        return Rules(**vars(self))


def tell_lowest_risk(*agents: AnyAgent) -> None:
    """Say on standard error which of the agents cannot play to win, because the compiled kernel is
    missing."""
    from csp_mines.analysis.winning import is_player
    from csp_mines.backend import Capability, offered
    from csp_mines.games.agents import Agent

    if offered(Capability.WINNING) is not None:
        return
    for agent in agents:
        if isinstance(agent, Agent) and is_player(agent.policy):
            options.tell(
                f"without the compiled kernel, the agent {agent.name!r} guesses the cell with the "
                "lowest risk"
            )


def parse_size(size: str) -> tuple[int, int]:
    """Return the numbers of rows and columns in the value of --size, such as 16x30. Raises
    InputError for a text of another form."""
    match = re.fullmatch(r"\s*(\d{1,9})\s*[x×]\s*(\d{1,9})\s*", size.lower())
    if match is None:
        raise InputError(f"--size must be rows x columns, such as 16x30, not {shown(size)}")
    return int(match[1]), int(match[2])


def _read_shape(path: Path) -> tuple[tuple[int, int], Geometry, frozenset[Cell]]:
    """Return the numbers of rows and columns, the grid and the holes of the board in a file."""
    from csp_mines.board import HOLE

    board = options.Header().read(str(path))
    return (board.rows, board.cols), board.geometry, frozenset(board.cells(HOLE))


def read_cell(text: str | None, geometry: Geometry) -> Cell | None:
    """Return the cell that `text` names, or None if `text` is None. The text must be a row and a
    column, such as `3,4`; if `geometry` is a graph, it must be the name of a cell of the graph.
    Raises InputError for any other text. Does not check that the board has a cell `3,4`."""
    from csp_mines.graph import Graph

    if text is None:
        return None
    if isinstance(geometry, Graph):
        return geometry.cell(text)
    match = re.fullmatch(r"\s*(\d{1,7})\s*,\s*(\d{1,7})\s*", text)
    if match is None:
        raise InputError(f"a cell must be ROW,COL, such as 3,4, not {shown(text)}")
    return int(match[1]), int(match[2])
