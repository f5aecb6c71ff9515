"""`analyze_batch` takes an array of boards of one size, and returns the answers as arrays.

The risks and the certain cells are those of `analyze`; the moves follow the rule `safest`. With the
compiled kernel, `analyze_batch` makes no Python object for a board. If no layout fits a board, or
if its count reaches a limit, no error is raised: the status of the board says what happened. This
module also decides how many threads the kernel uses, and checks arrays of boards and lists of
totals.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, fields
from fractions import Fraction
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from csp_mines import arguments, defaults
from csp_mines.analysis.contract import Analysis, Status
from csp_mines.backend import Backend, default_engine
from csp_mines.board import (
    CLEAR,
    HIDDEN,
    HOLE,
    MAX_CELLS,
    Board,
    Codes,
    checked_mines,
    require_one_prior,
)
from csp_mines.clues import ClueModel
from csp_mines.errors import (
    BoardError,
    Contradiction,
    CspMinesError,
    EngineFault,
    InputError,
    OutOfTime,
    TooWide,
)
from csp_mines.kernel import in_kernel
from csp_mines.machine import usable_cores
from csp_mines.question import Questions, ask
from csp_mines.words import plural

Result = TypeVar("Result")

NOWHERE = -1  # the row and the column in `moves` if there is no move
UNTOLD = -1  # the entry of `states` if the engine does not say how many states it needed

# The type of each field of a Batch, and its value for a board without an answer. The status of such
# a board is in `_MISSING` instead.
_KINDS: dict[str, tuple[type[Any], Any]] = {
    "probabilities": (np.float64, np.nan),
    "safe": (np.bool_, False),
    "mines": (np.bool_, False),
    "moves": (np.int32, NOWHERE),
    "status": (np.int8, 0),
    "log_solutions": (np.float64, np.nan),
    "errors": (np.float64, np.nan),
    "states": (np.int64, UNTOLD),
}

# The errors that leave a board without an answer, each with the status of that board.
_MISSING: dict[type[Exception], Status] = {
    Contradiction: Status.CONTRADICTION,
    TooWide: Status.TOO_WIDE,
    OutOfTime: Status.OUT_OF_TIME,
}


@dataclass(frozen=True, eq=False, repr=False)
class Batch:
    """The answers about `n` boards of one size. Every field is an array whose first index is the
    number of the board.

    A board that no layout fits (`Status.CONTRADICTION`) or that could not be counted
    (`Status.TOO_WIDE`, `Status.OUT_OF_TIME`) has no answer: its probabilities, `log_solutions` and
    `errors` are nan, its `safe` and `mines` False, its `moves` and `states` -1.

    >>> batch = csp_mines.analyze_batch([[[-1, 1, -1]], [[-1, 2, -1]]])
    >>> batch.statuses
    [<Status.GUESS: 'guess'>, <Status.PROGRESS: 'progress'>]
    >>> batch.mines.sum(axis=(1, 2)).tolist()
    [0, 2]
    """

    probabilities: npt.NDArray[np.float64]
    """`(n, rows, cols)`: the probability of a mine at every hidden cell; nan elsewhere."""
    safe: npt.NDArray[np.bool_]
    """`(n, rows, cols)`: True at hidden cells that are proved safe."""
    mines: npt.NDArray[np.bool_]
    """`(n, rows, cols)`: True at hidden cells that are proved mines."""
    moves: npt.NDArray[np.int32]
    """`(n, 2)`: row and column of the move by the rule `safest`; -1 if there is no cell to open."""
    status: npt.NDArray[np.int8]
    """`(n,)`: the `Status.code` of every board."""
    log_solutions: npt.NDArray[np.float64]
    """`(n,)`: the natural logarithm of the number of layouts that fit."""
    errors: npt.NDArray[np.float64]
    """`(n,)`: a bound on the error of each probability of the board."""
    states: npt.NDArray[np.int64]
    """`(n,)`: the number of states of the count; -1 if the engine does not say it."""

    @classmethod
    def empty(cls, boards: int, rows: int, cols: int) -> Batch:
        """Make a batch for `boards` boards of `rows` × `cols` cells, with arbitrary values in its
        arrays. Pass it to `analyze_batch` as `out`. Raises InputError if `boards` is not a whole
        number, at least 0, or `rows` or `cols` is not a whole number, at least 1."""
        count = arguments.whole(boards, "boards", 0)
        shape = count, arguments.whole(rows, "rows", 1), arguments.whole(cols, "cols", 1)
        return cls(*(np.empty(_shape(name, shape), kind) for name, (kind, _) in _KINDS.items()))

    def __len__(self) -> int:
        return len(self.status)

    def having(self, status: Status | str) -> npt.NDArray[np.bool_]:
        """Return an array of shape `(n,)` that is True for the boards with this status. The array
        can be an index: `batch.probabilities[batch.having("guess")]`. Raises UnknownName for an
        unknown status, InputError for a value that is not a string."""
        name = arguments.known_name("status", status, tuple(Status))
        mask: npt.NDArray[np.bool_] = self.status == Status(name).code
        return mask

    @property
    def statuses(self) -> list[Status]:
        """The status of every board."""
        known = tuple(Status)
        return [known[code] for code in self.status.tolist()]

    def __repr__(self) -> str:
        count = Counter(self.statuses)
        listed = ", ".join(f"{count[status]:,} {status}" for status in Status if count[status])
        boards = plural(len(self), "board")
        return f"<Batch of {boards}{': ' if listed else ''}{listed}>"


def analyze_batch(
    boards: npt.ArrayLike,
    mines: int | Sequence[int | None] | npt.NDArray[Any] | None = None,
    *,
    density: float | Fraction | str | None = None,
    clues: str | ClueModel | None = None,
    max_states: int = defaults.MAX_STATES,
    max_memory: int = defaults.MAX_MEMORY,
    seconds: float | None = None,
    threads: int | None = None,
    out: Batch | None = None,
) -> Batch:
    """Analyse an array of boards, and return the answers as arrays.

    Parameters:
        boards: an array `(n, rows, cols)` of any integer type and memory layout. The codes are
            those that `analyze` takes: -1 hidden, 0 to 8 clues, -2 marked mine, -3 opened mine, -4
            safe without a clue, -5 a hole. An array that is not int8 in C order, or that has holes,
            is copied, which takes at least 1 byte for each cell.
        mines: one number of mines for all boards, or one for each; None means unknown.
        density, clues: as in `analyze`, for all boards.
        max_states, max_memory: as in `analyze`. The threads share these limits. A board that needs
            more than the share of one thread is analysed again at the end, alone.
        seconds: the time limit of each board.
        threads: the number of threads, by default one per core. Without the compiled kernel, there
            is one thread.
        out: a `Batch` into which the answers are written; `Batch.empty` makes one for the number
            and size of the boards. By default a new batch is made, which takes about 10 bytes for
            each cell.

    Raises BoardError for invalid boards or an invalid prior, UnknownName for an unknown clue model,
    InputError for any other invalid argument, EngineFault if the engine contradicts itself. A board
    without an answer raises no error: its status says why.

    >>> batch = csp_mines.analyze_batch([[[-1, 1, -1]], [[-1, 2, -1]]])
    >>> batch.probabilities[batch.having("guess")].tolist()
    [[[0.5, nan, 0.5]]]
    """
    codes = checked_codes(boards)
    count, rows, cols = codes.shape
    require_one_prior(mines, density)
    totals = _totals(mines, count, rows * cols)
    bounds = max_states, max_memory, seconds
    alone = np.full((1, 1), HIDDEN, np.int8)  # every question has a board; this one is not analysed
    shared = ask(alone, None, density, clues, True, *bounds)
    working = thread_count(threads, "threads")
    batch = Batch.empty(count, rows, cols) if out is None else _checked(out, codes)
    if count:
        fill(default_engine(), Questions(shared, codes, totals, working), batch)
    return batch


def fill(engine: Backend, asked: Questions, batch: Batch) -> None:
    """Write the answers about the boards of `asked` into a batch. The caller has checked the
    boards. Raises EngineFault if the engine contradicts itself."""
    if engine.analyze_batch(asked, batch):
        return
    for number, (board, total) in enumerate(zip(asked.codes, asked.totals.tolist(), strict=True)):
        mines = None if total < 0 else total
        question = asked.shared._replace(given=board, codes=board, mines=mines)
        try:
            note(batch, number, engine.analyze(question))
        except tuple(_MISSING) as error:
            for name, (_, missing) in _KINDS.items():
                getattr(batch, name)[number] = missing
            kind = next(kind for kind in type(error).__mro__ if kind in _MISSING)
            batch.status[number] = _MISSING[kind].code
        except EngineFault as error:
            raise error.about_board(number) from None


def note(batch: Batch, number: int, analysis: Analysis) -> None:
    """Write an analysis into a batch as the answer for the board with this number. The entry of
    the board in `batch.states` becomes -1. Risks that were not counted yet are counted now, which
    raises TooWide or OutOfTime at a limit."""
    choice = analysis.choice
    batch.probabilities[number] = analysis.probabilities
    batch.safe[number] = analysis.safe_mask
    batch.mines[number] = analysis.mine_mask
    batch.moves[number] = NOWHERE if choice is None else choice.cell
    batch.status[number] = analysis.status.code
    batch.log_solutions[number] = analysis.log_solutions
    batch.errors[number] = analysis.error
    batch.states[number] = UNTOLD


def numbered(number: int, step: Callable[..., Result], *given: Any) -> Result:
    """Return `step(*given)`. If this call raises an error of csp_mines, put `number`, the number of
    the board, before the message."""
    try:
        return step(*given)
    except Contradiction as error:
        raise Contradiction(f"board {number}: {error.message}", find=error.find) from None
    except CspMinesError as error:
        error.about_board(number)
        raise


def thread_count(threads: int | None, what: str) -> int:
    """Return how many threads to use. If `threads` is None, this is the number of cores that the
    process may use; otherwise it is the smaller of `threads` and `defaults.MOST_THREADS`. Raises
    InputError if `threads` is neither None nor a positive whole number; the message calls the
    argument `what`."""
    if threads is None:
        return usable_cores()
    return min(arguments.whole(threads, what, 1), defaults.MOST_THREADS)


def totals_of(mines: int | Iterable[int | None] | None, boards: int) -> list[int | None]:
    """Return one value of `mines` for every board: a number or None. `mines` is one value for all
    boards, or an iterable with one value for each board. `boards` is the number of boards. Raises
    InputError if the iterable has more or fewer values than there are boards."""
    if not isinstance(mines, Iterable):
        return [mines] * boards
    totals = arguments.several(mines, "mines", "numbers")
    if len(totals) != boards:
        given = f"{plural(boards, 'board')} and {plural(len(totals), 'number')} of mines"
        raise InputError(f"{given} were given; give one number for each board, or one for all")
    return totals


def _totals(
    mines: int | Iterable[int | None] | None, boards: int, cells: int
) -> npt.NDArray[np.int64]:
    """Return the number of mines of every board, -1 where it is unknown. `mines` and `boards` are
    as in `totals_of`, and `cells` is the number of cells of one board. Raises BoardError for a
    number that is not a whole number from 0 to `cells`, and InputError as `totals_of` does."""
    if not isinstance(mines, Iterable):
        total = None if mines is None else checked_mines(mines, cells)
        return np.full(boards, in_kernel(total), np.int64)
    checked = [
        None if total is None else numbered(number, checked_mines, total, cells)
        for number, total in enumerate(totals_of(mines, boards))
    ]
    return np.array(list(map(in_kernel, checked)), np.int64)


def checked_codes(boards: npt.ArrayLike) -> Codes:
    """Return the codes of the boards as int8 in C order, with CLEAR in place of holes. Raises
    BoardError if `boards` is not an array of valid boards."""
    expected = "an array of integers with the shape (boards, rows, columns)"
    try:
        array = np.asarray(boards)
    except ValueError:  # numpy cannot make an array from lists of different lengths
        raise BoardError(
            f"boards must be {expected}, but these boards or their rows differ in size; give "
            "boards of one size, or use analyze_many"
        ) from None
    if array.ndim != 3:
        given = f"shape {array.shape}" if array.ndim else arguments.shown(boards)
        raise BoardError(f"boards must be {expected}, not {given}")
    if array.dtype.kind not in "iu":
        raise BoardError(f"boards must be {expected}, not an array of {array.dtype}")
    cells = array.shape[1] * array.shape[2]
    if not 0 < cells <= MAX_CELLS:
        raise BoardError(f"a board must have 1 to {MAX_CELLS:,} cells, not {cells:,}")
    if array.size and not CLEAR <= array.min() <= array.max() <= 8:
        _refuse_value(array)
        array = np.maximum(array, CLEAR)  # a hole counts as a safe cell without a clue
    return np.ascontiguousarray(array, np.int8)


def _refuse_value(array: npt.NDArray[Any]) -> None:
    """If a board has a value that is not a code, raise BoardError for the first such board."""
    wrong = ((array < HOLE) | (array > 8)).any(axis=(1, 2))
    if not wrong.any():
        return
    number = int(np.flatnonzero(wrong)[0])
    numbered(number, Board, array[number])


def _shape(name: str, boards: tuple[int, int, int]) -> tuple[int, ...]:
    """Return the shape of the field `name` of a batch. `boards` is the shape of the array of
    boards."""
    if name in ("probabilities", "safe", "mines"):
        return boards
    return (boards[0], 2) if name == "moves" else boards[:1]


def _checked(out: Batch, codes: Codes) -> Batch:
    """Return `out`, the batch that a caller gave. Raises InputError if one of its arrays has the
    wrong type or shape for the answers about these boards, cannot be written, is not in C order, or
    shares memory with the boards."""
    arguments.instance(out, Batch, "out")
    for field in fields(Batch):
        array, shape = getattr(out, field.name), _shape(field.name, codes.shape)
        kind = np.dtype(_KINDS[field.name][0])
        if not isinstance(array, np.ndarray):
            raise arguments.wrong(f"out.{field.name}", "a numpy array", array)
        if array.dtype != kind or array.shape != shape:
            given = f"{array.dtype} and shape {array.shape}"
            what = f"out.{field.name} must have type {kind} and shape {shape}"
            raise InputError(f"{what}, not {given}")
        if not (array.flags.c_contiguous and array.flags.writeable):
            raise InputError(f"out.{field.name} must be writeable and contiguous, in C order")
        if np.may_share_memory(array, codes):
            raise InputError(f"out.{field.name} must not share memory with the boards")
    return out
