"""The compiled kernel of the native engine."""

import enum
from collections.abc import Sequence
from typing import Annotated

import numpy
import numpy.typing
from numpy.typing import NDArray

class Kernel:
    """Everything that is compiled. The class itself is the kernel."""

    class Status(enum.IntEnum):
        """How an analysis ended."""

        FITS = 0

        CONTRADICTION = 1

        TOO_WIDE = 2

        OUT_OF_TIME = 3

        FAULT = 4
        """The probabilities do not add up to the clues and the total."""

    class Outlook(enum.Enum):
        """What can be done on a board that some layout fits."""

        PROGRESS = 0

        GUESS = 1

        SOLVED = 2

    class Model(enum.Enum):
        """The clue models. EXACT also serves silent clues."""

        EXACT = 0

        OPTIMISTIC = 1

        CAUTIOUS = 2

    class Table:
        """The neighbours of all cells of a board, at most 99 each."""

        def __init__(
            self,
            rows: int,
            cols: int,
            most: int,
            starts: Annotated[
                NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)
            ],
            cells: Annotated[
                NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)
            ],
        ) -> None:
            """
            Make a table. The neighbours of cell i are `cells[starts[i]:starts[i + 1]]`; `most`
            is the largest clue of the grid. Raises ValueError for anything else.
            """

    class Result:
        """
        The answer of an analysis. Unless its status is FITS, only `states` and `board`
        mean anything. With TOO_WIDE, `states` is the number at which it gave up.
        """

        @property
        def status(self) -> Kernel.Status: ...
        @property
        def states(self) -> int: ...
        @property
        def outlook(self) -> Kernel.Outlook: ...
        def safest(self, alike: float) -> tuple[tuple[int, int], float, int, bool] | None:
            """
            Return the cell to open by the rule of `csp_mines.analysis.move`, its risk, the
            number of equally safe cells (risks that differ by less than `alike` are equal),
            and whether it is proved safe. None if only proved mines are hidden.
            """

        def best_move(
            self, mines: int, strength: Kernel.Strength, max_states: int
        ) -> Kernel.Advice:
            """Return the move of a player on the board that was analysed."""

        @property
        def error(self) -> float:
            """A bound on the error of every probability."""

        @property
        def log_solutions(self) -> float: ...
        @property
        def probabilities(self) -> numpy.typing.NDArray[numpy.float64]: ...
        @property
        def board(self) -> numpy.typing.NDArray[numpy.int8]: ...
        @property
        def safe(self) -> frozenset[tuple[int, int]]: ...
        @property
        def mines(self) -> frozenset[tuple[int, int]]: ...
        @property
        def safe_mask(self) -> numpy.typing.NDArray[numpy.bool_]: ...
        @property
        def mine_mask(self) -> numpy.typing.NDArray[numpy.bool_]: ...

    class Memory:
        """Counted regions that are kept between calls."""

        def __init__(self, max_bytes: int) -> None: ...
        def __len__(self) -> int: ...
        @property
        def bytes(self) -> int: ...
        @property
        def hits(self) -> int: ...
        @property
        def misses(self) -> int: ...

    @staticmethod
    def analyze(
        board: object | None,
        mines: int,
        odds: float,
        model: Kernel.Model,
        max_states: int,
        seconds: float,
        memory: Kernel.Memory | None,
        max_bytes: int = 2147483648,
        table: Kernel.Table | None = None,
    ) -> Kernel.Result:
        """
        Analyse a board. `mines` is -1 without a total; then every cell is a mine with odds
        `odds` to one. Without a `table`, the grid is square. Raises TypeError and ValueError
        if `board` is not a valid board.
        """

    class BoardStatus(enum.IntEnum):
        """How the analysis of one of many boards ended; the first three fit."""

        PROGRESS = 0

        GUESS = 1

        SOLVED = 2

        CONTRADICTION = 3

        TOO_WIDE = 4

        OUT_OF_TIME = 5

        FAULT = 6
        """The probabilities do not add up to the clues and the total."""

    @staticmethod
    def analyze_batch(
        boards: Annotated[
            NDArray[numpy.int8],
            dict(shape=(None, None, None), order="C", device="cpu", writable=False),
        ],
        totals: Annotated[
            NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        odds: float,
        model: Kernel.Model,
        max_states: int,
        seconds: float,
        threads: int,
        max_bytes: int,
        alike: float,
        probabilities: Annotated[
            NDArray[numpy.float64], dict(shape=(None, None, None), order="C", device="cpu")
        ],
        safe: Annotated[
            NDArray[numpy.bool_], dict(shape=(None, None, None), order="C", device="cpu")
        ],
        mine: Annotated[
            NDArray[numpy.bool_], dict(shape=(None, None, None), order="C", device="cpu")
        ],
        moves: Annotated[NDArray[numpy.int32], dict(shape=(None, None), order="C", device="cpu")],
        statuses: Annotated[NDArray[numpy.int8], dict(shape=(None,), order="C", device="cpu")],
        log_counts: Annotated[NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu")],
        errors: Annotated[NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu")],
        states: Annotated[NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu")],
        table: Kernel.Table | None = None,
    ) -> None:
        """
        Analyse boards of one size on several threads, and write the answers into arrays.
        A total is -1 where there is none; then every cell is a mine with odds `odds` to one.
        Unless a board fits, its probabilities are nan, its masks False, its move is -1, -1.
        """

    class Code(enum.IntEnum):
        """Codes of cells that the kernel proved."""

        PROVED_MINE = -5

        PROVED_SAFE = -6

    @staticmethod
    def count_region(
        sizes: Sequence[int],
        first: Sequence[int],
        members: Sequence[int],
        low: Sequence[int],
        high: Sequence[int],
        first_weight: Sequence[int],
        weights: Sequence[int],
        max_states: int,
        seconds: float,
        max_bytes: int = 2147483648,
    ) -> tuple[
        Kernel.Status,
        int,
        int,
        tuple[int, ...],
        tuple[tuple[int, ...], ...],
        tuple[tuple[int, ...], ...],
    ]:
        """
        Count any region. Its boxes have these `sizes`. Constraint c is about the boxes
        `members[first[c]:first[c + 1]]`; its weights, if it has any, are
        `weights[first_weight[c]:first_weight[c + 1]]`. Return status, states, and the fields of
        a RegionCount. Unless the status is FITS, only `states` means anything.
        """

    @staticmethod
    def count_board(
        board: object | None,
        boxes: bool,
        max_states: int,
        seconds: float,
        max_bytes: int = 2147483648,
        table: Kernel.Table | None = None,
    ) -> tuple[
        Kernel.Status,
        int,
        int,
        int,
        numpy.typing.NDArray[numpy.int8] | None,
        list[tuple[int, tuple[int, ...], tuple[tuple[int, ...], ...], list[list[int]]]],
        list[tuple[int, int, list[list[int]]]],
    ]:
        """
        Apply single clues and pairs of clues to a board with exact clues, then count its
        regions. Return the status, the number of states, the cells in the sea, the known mines,
        the codes with all PROVED cells, a list of regions, and a list of regions that have only
        one clue. A region has its fewest mines, its ways, the mines of its boxes and the cells
        of its boxes. A region of one clue has its size, its mines and the cells of its box.
        Without `boxes`, only the ways are counted.
        """

    @staticmethod
    def sample(
        sizes: Sequence[int],
        first: Sequence[int],
        members: Sequence[int],
        first_weight: Sequence[int],
        weights: Sequence[float],
        log_ways: Sequence[float],
        risks: Sequence[float],
        odds: float,
        starts: Sequence[int],
        seed: int,
        moves: int,
        work: int,
        seconds: float,
        sweeps: bool = True,
    ) -> tuple[list[float], list[float], int, int] | None:
        """
        Estimate risks. Boxes and constraints are those of all regions, in order. A constraint has
        a weight for every number of its mines. `log_ways` and `risks` are those of
        `csp_mines.sampling.Outside`, empty without a total. Return the expected mines of every
        box followed by the risk of every group outside, their standard errors, and the number of
        moves and batches behind them. None if the kernel finds no layout to start from.
        """

    class Reason(enum.Enum):
        """Why the player chose its move."""

        SAFEST = 0

        ENDGAME = 1

        CLOSED = 2

        NEXT_STEP = 3

        OPENING = 4

        PROVED = 5

        PLAYOUTS = 6

    class Searched(enum.Enum):
        """How an exact search ended."""

        FOUND = 0

        CONTRADICTION = 1

        TOO_MANY_CELLS = 2

        TOO_MANY_LAYOUTS = 3

        TOO_LONG = 4

    class Ending(enum.Enum):
        """How a game ended."""

        FINISHED = 0

        NO_ROOM = 1
        """The mines have no room beside the cells kept clear."""

        TOO_WIDE = 2
        """A position needs too many states."""

        UNSOUND = 3
        """A proof was wrong."""

    class MoveKind(enum.Enum):
        """What a move of a game does."""

        START = 0

        MARK = 1

        DEDUCED = 2

        GUESS = 3

    class Strength:
        """
        What the player does when no cell is proved safe, and how much work it may spend. Work is
        counted, never timed, so the same position gives the same move on every machine.
        """

        def __init__(self, **changes: float) -> None:
            """
            Make the usual strength with these fields changed. Raises TypeError for other names.
            """

        @property
        def next_step(self) -> bool: ...
        @property
        def influence(self) -> bool: ...
        @property
        def wide(self) -> bool: ...
        @property
        def closed(self) -> bool: ...
        @property
        def endgame(self) -> bool: ...
        @property
        def search(self) -> bool: ...
        @property
        def opening(self) -> bool: ...
        @property
        def playouts(self) -> bool: ...
        @property
        def exact_layouts(self) -> int: ...
        @property
        def search_layouts(self) -> int: ...
        @property
        def beam(self) -> int: ...
        @property
        def search_work(self) -> int: ...
        @property
        def work(self) -> int: ...
        @property
        def playout_cells(self) -> int: ...
        @property
        def playout_layouts(self) -> int: ...
        @property
        def playout_work(self) -> int: ...
        @property
        def playout_margin(self) -> float: ...
        @property
        def playout_prior(self) -> float: ...
        @property
        def playout_lead(self) -> float: ...

    class Record:
        """
        How a game went. The fields other than `ending` and `marked` are
        those of `csp_mines.games.playing.Record`.
        """

        @property
        def ending(self) -> Kernel.Ending: ...
        @property
        def won(self) -> bool: ...
        @property
        def deduced(self) -> int: ...
        @property
        def guesses(self) -> int: ...
        @property
        def steps(self) -> int: ...
        @property
        def opened(self) -> int: ...
        @property
        def exploded(self) -> int: ...
        @property
        def marked(self) -> int: ...

    class Advice:
        """The move of a player."""

        @property
        def status(self) -> Kernel.Status: ...
        @property
        def cell(self) -> tuple[int, int] | None: ...
        @property
        def risk(self) -> float: ...
        @property
        def chance(self) -> float | None:
            """The player's estimate of the win chance; None if it has none."""

        @property
        def exact(self) -> bool:
            """Whether no player has a better chance."""

        @property
        def reason(self) -> Kernel.Reason: ...
        @property
        def layouts(self) -> int:
            """The number of layouts that were searched."""

        @property
        def look_ahead(self) -> int:
            """Steps of work in look-aheads."""

        @property
        def search(self) -> int:
            """Steps of work in listing and searching layouts."""

        @property
        def playouts(self) -> int:
            """Steps of work in playouts."""

    @staticmethod
    def play_games(
        terms: dict[str, float],
        strength: Kernel.Strength | None,
        count: int,
        seeds: bytes,
        start_seeds: bytes | None,
        watched: bool,
        table: Kernel.Table | None = None,
        holes: Sequence[int] = [],
    ) -> tuple[list[Kernel.Record], list[list[tuple[Kernel.MoveKind, int, float, float]]]]:
        """
        Play `count` games, each from the 16 bytes of its seed. `start_seeds` are
        needed for the start sqrt. Without a strength, the player opens the safest
        cell. Return the record of each game and, if they are watched, its moves:
        kind, cell counted row by row, risk and win chance.
        """

    @staticmethod
    def draw_layouts(
        board: object | None, mines: int, count: int, seed: int, table: Kernel.Table | None = None
    ) -> bytes | None:
        """
        Draw `count` layouts that fit, a byte for each cell. None if the board is too
        large.
        """

    @staticmethod
    def play_on(
        board: object | None,
        mines: int,
        strength: Kernel.Strength,
        openings: Sequence[Sequence[int]],
        most_listed: int,
        count: int,
        seed: int,
        max_states: int,
        table: Kernel.Table | None = None,
    ) -> tuple[Kernel.Status, bool, int, list[float]]:
        """
        Play games on from a board: once for each list of cells in `openings`, which are opened
        first. The board must have no marks. All layouts are played if there are at most
        `most_listed`, otherwise `count` random ones. Return the status, whether all layouts
        were played, their number, and for each layout and each list of cells 1 for a win, 0 for
        a loss, a win chance in between, or -1 if one of these cells is a mine.
        """

    @staticmethod
    def win_chance(
        board: object | None,
        mines: int,
        max_layouts: int,
        work: int,
        table: Kernel.Table | None = None,
    ) -> tuple[Kernel.Searched, int, int, int]:
        """
        Search all layouts. Return how the search ended, the best cell counted row
        by row (-1: no cell), the layouts won by optimal play, and all layouts.
        """

    @staticmethod
    def win_chances(
        board: object | None,
        mines: int,
        cells: Sequence[int],
        max_layouts: int,
        work: int,
        table: Kernel.Table | None = None,
    ) -> tuple[Kernel.Searched, int, list[tuple[int, int]]]:
        """
        Search all layouts for these cells (empty: all hidden ones). Return how the search
        ended, the number of all layouts, and for each cell the number of layouts that opening
        it wins (-1: to find out takes too long).
        """

    class Grade(enum.IntEnum):
        """The ranks of `Grade` in Python."""

        NONE = -1

        SINGLE = 0

        PAIR = 1

        SUBTRACTION = 2

        GAUSS = 3

        SEARCH = 4

        TOTAL = 5

    class Made:
        """A generated layout, and how it is won."""

        @property
        def number(self) -> int:
            """The number of the layout among all draws of its seed."""

        @property
        def mines(self) -> bytes:
            """One byte for each cell."""

        @property
        def grade(self) -> Kernel.Grade: ...
        @property
        def rounds(self) -> tuple[int, ...]:
            """How many rounds needed each grade, by rank."""

    @staticmethod
    def uniform_layouts(
        size: tuple[int, int, int, int, int, bool],
        easiest: int,
        hardest: int,
        key: int,
        begin: int,
        end: int,
        max_states: int,
        threads: int,
        holes: Sequence[int] = [],
        table: Kernel.Table | None = None,
    ) -> tuple[list[Kernel.Made], int]:
        """
        Draw the layouts from `begin` to `end` - 1. Return those that are won at these grades,
        given by rank, and the number of draws that had a position that was too wide. `size`
        is rows, columns, mines, row and column of the first cell, and whether the start is
        zero; `holes` are the places that are not cells. Without a `table`, the grid is square.
        Raises ValueError for invalid arguments, OverflowError if a row reduction
        outgrows 64 bits.
        """

    @staticmethod
    def repaired_layouts(
        size: tuple[int, int, int, int, int, bool],
        easiest: int,
        hardest: int,
        key: int,
        begin: int,
        end: int,
        plays: int,
        max_states: int,
        threads: int,
        holes: Sequence[int] = [],
        table: Kernel.Table | None = None,
    ) -> list[Kernel.Made]:
        """
        Make a layout by repair for each number from `begin` to `end` - 1. A number whose `plays`
        games did not lead to a layout is left out.
        """

    @staticmethod
    def play_layout(
        size: tuple[int, int, int, int, int, bool],
        mines: bytes,
        hardest: int,
        max_states: int,
        holes: Sequence[int] = [],
        table: Kernel.Table | None = None,
    ) -> tuple[bool, bool, Kernel.Grade, tuple[int, ...], list[tuple[Kernel.Grade, list[int]]]]:
        """
        Play a layout, given as one byte for each cell. Return whether it is won, whether a
        position was too wide, its grade, its rounds by rank, and for each round its grade and
        cells.
        """

    @staticmethod
    def deduce_board(
        board: object, engine: int, mines: int, max_states: int, table: Kernel.Table | None = None
    ) -> tuple[list[int], list[int]] | None:
        """
        Return the cells that the engine of a grade proves safe, and those that it proves mines,
        counted row by row. None if the board is too wide.
        """
