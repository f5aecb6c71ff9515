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
        """The probabilities do not fit the clues and the total: a defect."""

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
            is the largest clue of the grid. Raises ValueError if the lists do not fit this.
            """

    class Result:
        """
        The answer of an analysis. If its status is not FITS, only `states` and `board` mean
        anything. With TOO_WIDE, `states` is the number at which counting gave up; then
        `probabilities` has the risks of the regions that are not too wide, without the total.
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
            and whether it is proved safe. Return None if all hidden cells are proved mines.
            """

        def best_move(
            self, mines: int, strength: Kernel.Strength, max_states: int
        ) -> Kernel.Advice:
            """Return the player's move on the board. `mines` is -1 without a total."""

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
        Analyse a board. `mines` is -1 without a total; then the odds of a mine at any cell are
        `odds` to one. Without a `table`, the grid is square. Raises TypeError or ValueError if
        `board` is not a valid board.
        """

    class BoardStatus(enum.IntEnum):
        """How an analysis ended: one of the first three if some layout fits."""

        PROGRESS = 0

        GUESS = 1

        SOLVED = 2

        CONTRADICTION = 3

        TOO_WIDE = 4

        OUT_OF_TIME = 5

        FAULT = 6
        """The probabilities do not fit the clues and the total: a defect."""

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
        A total is -1 if there is none; then the odds of a mine at any cell are `odds` to one.
        If the status of a board is not one of the first three, its probabilities are nan, its
        masks are False, and its move is -1, -1.
        """

    class Code(enum.IntEnum):
        """Codes of cells that the kernel proved safe or mines."""

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
        `weights[first_weight[c]:first_weight[c + 1]]`. Return the status, the number of states,
        and the fields `low`, `ways`, `mines` and `witnesses` of a RegionCount. If the status is
        not FITS, only the number of states means anything.
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
        regions. Return the status, the number of states, the number of cells in the sea, the
        number of known mines, the codes of the board (`Code` for proved cells), a list of
        regions, and a list of regions of one clue and one box. For each region: its fewest
        mines, its solutions by number of mines, the mines of its boxes, and the cells of its
        boxes. For each region of one clue: its number of cells, its number of mines, and the
        cells of its box. Without `boxes`, only solutions are counted, and the codes are None.
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
        Estimate risks. Boxes and constraints are given as in `count_region`, for all regions
        together; each constraint has a weight for every number of its mines. `log_ways` and
        `risks` are those of `csp_mines.sampling.Outside`, empty without a total. Return the
        expected mines of every box and then the risk of every group outside, their standard
        errors, and the numbers of moves and batches. Return None if no layout was found.
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
        """The cells that may have a mine are fewer than the mines."""

        TOO_WIDE = 2
        """To count some position would take too many states."""

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
        counted in steps, not in time, so the same position gives the same move on every machine.
        """

        def __init__(self, **changes: float) -> None:
            """
            Make the usual strength with the given fields changed. Raises TypeError for other names.
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
            """Whether no player has a better win chance."""

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
        Play `count` games. `seeds` has 16 bytes for each, and so has `start_seeds`,
        which only the start sqrt needs. Without a strength, the player opens the
        safest cell. Return the record of each game and, if `watched`, the moves of
        each game: kind, cell (counted row by row), risk and win chance.
        """

    @staticmethod
    def draw_layouts(
        board: object | None, mines: int, count: int, seed: int, table: Kernel.Table | None = None
    ) -> bytes | None:
        """
        Draw `count` layouts that fit, with one byte for each cell. Return None if `mines`
        is -1 or some region is too large.
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
        Play games on from a board. Each layout is played once for each list of cells in
        `openings`: these cells are opened first. The board must have no marks. If there are
        at most `most_listed` layouts and they can be listed, all of them are played. Otherwise
        `count` random layouts are played.
        Return the status, whether all layouts were played, how many were, and for each layout
        and list of cells: 1 (won), 0 (lost), a win chance, or -1 if one of the cells is a mine.
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
        Search all layouts. Return how the search ended, the best cell (counted row by
        row; -1: none), how many layouts optimal play wins, and how many there are.
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
        Search all layouts for the win chances of `cells` (empty: of all hidden cells). Return
        how the search ended, the number of all layouts, and for each cell the number of layouts
        that are won if it is opened first (-1: to find out takes too long).
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
            """The number of the layout among the draws of its key."""

        @property
        def mines(self) -> bytes:
            """One byte for each cell."""

        @property
        def grade(self) -> Kernel.Grade: ...
        @property
        def rounds(self) -> tuple[int, ...]:
            """How many rounds had each grade, by the rank of the grade."""

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
        Draw the layouts with the numbers `begin` to `end` - 1. Return those that can be won
        without a guess at a grade from `easiest` to `hardest` (ranks), and the number of draws
        that had a position that was too wide. `size` is rows, columns, mines, row and column of
        the first cell, and whether the start is zero; `holes` are the places that are not
        cells. Without a `table`, the grid is square. Raises ValueError for invalid arguments,
        OverflowError if numbers in a row reduction become too large.
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
        Make a layout by repair for each number from `begin` to `end` - 1. A number is left out
        if `plays` games did not lead to a layout.
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
        Play a layout, given as one byte for each cell. Return whether it was won, whether a
        position was too wide, the grade of the game, the number of rounds of each grade, and
        for each round its grade and the cells that it proved safe.
        """

    @staticmethod
    def deduce_board(
        board: object, engine: int, mines: int, max_states: int, table: Kernel.Table | None = None
    ) -> tuple[list[int], list[int]] | None:
        """
        Return the cells that the engine of a grade proves safe, and those that it proves mines,
        counted row by row. Return None if the board is too wide to count.
        """
