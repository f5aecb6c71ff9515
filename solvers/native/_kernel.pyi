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
        """The answer breaks a law that every answer keeps."""

    class Outlook(enum.Enum):
        """How things stand on a board that some layout fits."""

        PROGRESS = 0

        GUESS = 1

        SOLVED = 2

    class Model(enum.Enum):
        """What a clue says; EXACT serves silent clues, too."""

        EXACT = 0

        OPTIMISTIC = 1

        CAUTIOUS = 2

    class Result:
        """
        What an analysis found. Unless its status is FITS only `states` and `board`
        mean anything; with TOO_WIDE, so many states were kept when it gave up.
        """

        @property
        def status(self) -> Kernel.Status: ...
        @property
        def states(self) -> int: ...
        @property
        def outlook(self) -> Kernel.Outlook: ...
        def safest(self, alike: float) -> tuple[tuple[int, int], float, int, bool] | None:
            """
            The cell to open by the rule of `csp_mines.analysis.move`, its risk, how many cells
            are as safe (risks that differ by less than `alike` are equal) and whether it is
            proved.
            """

        def best_move(
            self, mines: int, strength: Kernel.Strength, max_states: int
        ) -> Kernel.Advice:
            """Of the board that was analysed."""

        @property
        def error(self) -> float:
            """Bounds the error of every probability."""

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
        """Regions counted before, kept between calls."""

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
    ) -> Kernel.Result:
        """
        Analyse a board. `mines` is -1 without a total; then every cell is a mine with odds
        `odds` to one. Raises TypeError and ValueError for what is no board.
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
        """The answer breaks a law that every answer keeps."""

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
    ) -> None:
        """
        Analyse boards of one size on several threads, and write the answers into arrays.
        A total is -1 where there is none; then every cell is a mine with odds `odds` to one.
        Unless a board fits, its probabilities are nan, its masks False, its move is -1, -1.
        """

    class Code(enum.IntEnum):
        """Cells that are hidden no longer."""

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
        Count any region: boxes of these `sizes`, constraints over boxes
        `members[first[c]:first[c + 1]]`, whose weights, where it has any, are
        `weights[first_weight[c]:first_weight[c + 1]]`. Give status, states, and what a
        RegionCount holds; unless the status is FITS only `states` means anything.
        """

    @staticmethod
    def count_board(
        board: object | None,
        boxes: bool,
        max_states: int,
        seconds: float,
        max_bytes: int = 2147483648,
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
        Count the regions of a board with exact clues, after single clues and pairs of them.
        Give status, states, cells in the sea, known mines, codes that tell PROVED cells, per
        region its fewest mines, its ways, the mines of its boxes and their cells, and per region
        of one clue its size, its mines and its box. Without `boxes` only the ways.
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
        Estimate risks. Boxes and constraints are those of all regions, in order; a constraint's
        weights say how much every number of its mines weighs. `log_ways` and `risks` are those
        of `csp_mines.sampling.Outside`, empty without a total. Give the expected mines of every
        box, then the risk of every group outside, their standard errors, and how many moves and
        batches they come from; None when there is no layout to start from.
        """

    class Reason(enum.Enum):
        """By what the player chose its move."""

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

    class Ending(enum.IntEnum):
        """How a game ended."""

        FINISHED = 0

        NO_ROOM = 1
        """The mines do not fit beside the cells kept clear."""

        NO_START = 2
        """The given layout has no cell for the start."""

        TOO_WIDE = 3
        """A position needs too many states."""

        UNSOUND = 4
        """A cell was not what it was proved to be."""

    class MoveKind(enum.IntEnum):
        """What a move of a game does."""

        START = 0

        MARK = 1

        DEDUCED = 2

        GUESS = 3

    class Strength:
        """
        What the player does when nothing is proved, and how much work it may spend on it. Work
        is counted, never timed, so the same position gives the same move on every machine.
        """

        def __init__(self, **changes: float) -> None:
            """The usual strength but for these fields. Raises TypeError for others."""

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

    class Advice:
        """Where a player moves."""

        @property
        def status(self) -> Kernel.Status: ...
        @property
        def cell(self) -> tuple[int, int] | None: ...
        @property
        def risk(self) -> float: ...
        @property
        def chance(self) -> float | None:
            """Of winning, as the player estimates it; None where it does not."""

        @property
        def exact(self) -> bool:
            """No player has a better chance."""

        @property
        def reason(self) -> Kernel.Reason: ...
        @property
        def layouts(self) -> int:
            """How many were searched."""

    @staticmethod
    def play_games(
        terms: dict[str, float],
        strength: Kernel.Strength | None,
        count: int,
        seeds: bytes | None,
        start_seeds: bytes | None,
        flags: bytes | None,
        watched: bool,
    ) -> tuple[
        list[tuple[Kernel.Ending, bool, int, int, int, int, int, int]],
        list[list[tuple[Kernel.MoveKind, int, float, float]]],
    ]: ...
    @staticmethod
    def best_move(
        board: object | None, mines: int, strength: Kernel.Strength, max_states: int
    ) -> Kernel.Advice:
        """The move on a board."""

    @staticmethod
    def move_work(
        board: object | None, mines: int, strength: Kernel.Strength, max_states: int
    ) -> tuple[int, int, int]:
        """
        What the move of `best_move` costs in steps: of look-aheads, of the search,
        of playouts.
        """

    @staticmethod
    def draw_layouts(board: object | None, mines: int, count: int, seed: int) -> bytes | None:
        """
        So many layouts that fit, a byte a cell; None when the board is too large.
        """

    @staticmethod
    def win_chance(
        board: object | None, mines: int, max_layouts: int, work: int
    ) -> tuple[Kernel.Searched, int, int, int]:
        """
        How the search ended, the best cell counted row by row (-1: none), layouts
        won by optimal play, and all layouts.
        """

    @staticmethod
    def win_chances(
        board: object | None, mines: int, cells: Sequence[int], max_layouts: int, work: int
    ) -> tuple[Kernel.Searched, int, list[tuple[int, int]]]:
        """
        How the search ended, all layouts, and per cell those won by opening it (-1:
        that takes too long).
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
        """A layout that was made, and how it is won."""

        @property
        def number(self) -> int:
            """Of the draw."""

        @property
        def mines(self) -> bytes:
            """A byte a cell."""

        @property
        def grade(self) -> Kernel.Grade: ...
        @property
        def rounds(self) -> tuple[int, ...]:
            """By rank."""

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
    ) -> tuple[list[Kernel.Made], int]:
        """
        The layouts of some draws that are won at these grades, by rank, and how many
        draws had a position that was too wide. `size` is rows, columns, mines, row and
        column of the first cell, and whether it starts with a zero. Raises ValueError
        for what makes no sense, OverflowError when a row reduction outgrows 64 bits.
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
    ) -> list[Kernel.Made]:
        """
        Layouts by repair, one for each number; fewer when `plays` games were in vain.
        """

    @staticmethod
    def play_layout(
        size: tuple[int, int, int, int, int, bool], mines: bytes, hardest: int, max_states: int
    ) -> tuple[bool, bool, Kernel.Grade, tuple[int, ...], list[tuple[Kernel.Grade, list[int]]]]:
        """
        Play a layout, a byte a cell: whether it is won, whether a position was too
        wide, its grade, its rounds by rank, and per round its grade and cells.
        """

    @staticmethod
    def deduce_board(
        board: object, engine: int, mines: int, max_states: int
    ) -> tuple[list[int], list[int]] | None:
        """
        The cells that the engine of a grade proves safe, and mines, counted row by
        row; None when that is too wide.
        """
