"""`Question`: a board with its prior, clue model, limits and move rule. `ask` makes questions.

`ask` takes the prior and the clue model from the header of the board, unless they are given as
arguments. `ask` leaves some checks to others: `analyze` checks the move rule, and the engine that
reads an array of integers checks the shape and the values of the array.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any, NamedTuple

import numpy.typing as npt
from numpy import int64, ndarray

from csp_mines import arguments
from csp_mines.board import Board, Codes, as_board, as_density, checked_mines, require_one_prior
from csp_mines.clues import EXACT, ClueModel, clue_model
from csp_mines.defaults import MAX_MEMORY, MAX_STATES, MOVE_RULE
from csp_mines.errors import InputError
from csp_mines.geometry import SQUARE, Geometry


class Question(NamedTuple):
    """A board with everything that the answer depends on.

    * `given` is a Board, or an unchecked array of integers. `codes` has the codes of `given`. The
      engine that reads an array checks the array.
    * The prior is `mines`, the number of mines on the whole board, or `density`, or neither. What
      is unknown is None.
    * `clues` is the clue model, and `geometry` the grid.
    * If `use_total` is False, the engine must not use the number of mines.
    * `max_states`, `max_memory` (in bytes) and `seconds` are the limits of the engine.
    * `rule` is the move rule.

    >>> from csp_mines.question import ask
    >>> question = ask([[-1, 1, -1]], mines=1)
    >>> question.total, question.use_total
    (1, True)
    """

    given: Board | npt.NDArray[Any]
    codes: npt.NDArray[Any]
    mines: int | None
    density: Fraction | None
    clues: ClueModel
    use_total: bool
    max_states: int
    max_memory: int
    seconds: float | None
    rule: str
    geometry: Geometry = SQUARE

    @property
    def total(self) -> int | None:
        """The number of mines, or None if it is unknown or must not be used."""
        return self.mines if self.use_total else None

    @property
    def odds(self) -> Fraction:
        """The odds of a mine before any clue: the density divided by one minus the density, or 1 if
        there is no density."""
        return Fraction(1) if self.density is None else self.density / (1 - self.density)

    def board(self) -> Board:
        """Return a Board with the codes, the prior, the clue model and the grid of this question.
        Raises BoardError for an invalid array or an impossible number of mines."""
        mines, density, clues = self.mines, self.density, self.clues
        return Board(self.codes, mines=mines, density=density, clues=clues, geometry=self.geometry)


class Questions(NamedTuple):
    """Questions about many boards of one size. `codes` has the codes of the boards in the shape
    (boards, rows, columns). `totals` has the number of mines of each board, -1 where it is unknown.
    `shared` has all other values, such as the limits, for all boards. The board and the number of
    mines in `shared` are not used. `threads` is the number of threads to use.

    >>> import numpy as np
    >>> from csp_mines.question import ask
    >>> boards = np.array([[[-1, 1, -1]], [[-1, 2, -1]]], np.int8)
    >>> questions = csp_mines.Questions(ask(boards[0]), boards, np.array([1, 2]), threads=1)
    >>> questions.codes.shape
    (2, 1, 3)
    """

    shared: Question
    codes: Codes
    totals: npt.NDArray[int64]
    threads: int


_new = tuple.__new__


def ask(
    board: Board | npt.ArrayLike,
    mines: int | None = None,
    density: float | Fraction | str | None = None,
    clues: str | ClueModel | None = None,
    use_total: bool = True,
    max_states: int = MAX_STATES,
    max_memory: int = MAX_MEMORY,
    seconds: float | None = None,
    rule: str = MOVE_RULE,
) -> Question:
    """Return the question about a board, or about an array of integers. `mines` or `density`
    replaces the prior of the board, and `clues` replaces its clue model.

    Raises BoardError for an invalid board, number of mines or density, and if both `mines` and
    `density` are given; UnknownName for an unknown clue model; InputError for wrong limits, or if
    `clues` is neither a name nor a clue model. `ask` checks neither `rule` nor the shape and the
    values of a numpy array of integers."""
    if seconds is not None or max_states != MAX_STATES or max_memory != MAX_MEMORY:
        max_states, max_memory, seconds = limits(max_states, max_memory, seconds)
    given: Board | npt.NDArray[Any]
    if type(board) is ndarray and board.dtype.kind in "iu":
        given = codes = board
        geometry: Geometry = SQUARE
        model = EXACT if clues is None else clue_model(clues)
    else:
        given = as_board(board)
        codes, geometry = given.codes, given.geometry
        model = given.clues if clues is None else clue_model(clues)
        if mines is None and density is None:
            mines, density = given.mines, given.density
    if mines is not None and (type(mines) is not int or not 0 <= mines <= codes.size):
        mines = checked_mines(mines, codes.size)
    likely = None
    if density is not None:
        require_one_prior(mines, density)
        likely = as_density(density)
    return _new(  # quicker than `Question(…)`: a bot may ask 100,000 times a second
        Question,
        (
            given, codes, mines, likely, model, use_total, max_states, max_memory, seconds, rule,
            geometry,
        ),
    )  # fmt: skip


def require_no_mines(mines: int | None, given: str) -> None:
    """Raise InputError if a number of mines is given together with a value that has its own, such
    as `an Analysis`."""
    if mines is not None:
        raise InputError(
            f"mines can be given only with a board or an array; leave it out with {given}"
        )


def limits(
    max_states: int, max_memory: int, seconds: float | None
) -> tuple[int, int, float | None]:
    """Return the limits of an engine as plain numbers. For a `max_states` or `max_memory` greater
    than MAX_STATES, return MAX_STATES in its place: no count needs so many states or bytes. Raises
    InputError if `max_states` or `max_memory` is not a whole number, at least 1, or if `seconds` is
    neither None nor a number greater than 0."""
    states = min(arguments.whole(max_states, "max_states", 1), MAX_STATES)
    memory = min(arguments.whole(max_memory, "max_memory", 1), MAX_STATES)
    return states, memory, None if seconds is None else arguments.seconds(seconds)
