"""`export`: the constraints of a board in the notation that the caller names."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy.typing as npt

from csp_mines.arguments import looked_up
from csp_mines.board import Board, Cell
from csp_mines.clues import ClueModel
from csp_mines.errors import InputError
from csp_mines.exports import asp, dimacs, lp, minizinc, opb, smtlib
from csp_mines.exports.model import Model, model_of
from csp_mines.names import EXPORT_NAMES

_WRITERS: dict[str, Callable[[Model], str]] = dict(
    zip(
        EXPORT_NAMES,
        (dimacs.write, opb.write, minizinc.write, lp.write, smtlib.write, asp.write),
        strict=True,
    )
)


def export(
    board: Board | npt.ArrayLike,
    to: str,
    *,
    mines: int | None = None,
    clues: str | ClueModel | None = None,
    use_total: bool = True,
    assume: Mapping[Cell, str] | None = None,
    encoding: str | None = None,
) -> str:
    """Return the constraints of a board, before any deduction, as text for another solver.

    The solutions of the text are the layouts that fit the board and the assumptions. (In `dimacs`,
    several solutions may be one layout, because they differ only in helper variables.) If some
    layout fits the board, but the text with a single assumption has no solution, the opposite of
    the assumption is certain.

    Parameters:
        board: a board, or an array of integers. Marked mines (`M`) and cells known to be safe (`C`)
            are trusted.
        to: the notation: `dimacs`, `opb`, `minizinc`, `lp`, `smtlib` or `asp`.
        mines: the total number of mines. By default the board's own number.
        clues: the clue model. By default the board's own.
        use_total: whether the total becomes a constraint. A density never becomes a constraint.
        assume: facts to add, such as `{(3, 4): "mine", (0, 1): "safe"}`.
        encoding: the name of the encoding of sums as clauses, only for `dimacs`; by default
            `direct`.

    Raises BoardError for an invalid board or number of mines, and for an assumption about a cell
    that is not hidden; UnknownName for an unknown notation, assumption, clue model or encoding;
    InputError for an encoding with another notation than `dimacs`, and for a value of a wrong type;
    Unsupported for the encoding `native`; MissingLibrary or BackendUnavailable if the engine that
    makes the clauses for `dimacs` cannot be loaded.

    >>> csp_mines.export([[-1, 1, -1]], "opb").splitlines()[-1]
    '+1 x1 +1 x2 = 1 ;'
    """
    write = looked_up("export", to, _WRITERS)
    if encoding is not None and write is not dimacs.write:
        error = InputError(
            f"encoding works only with dimacs: {to} needs no clauses for sums; leave encoding out"
        )
        error.argument = "encoding"
        raise error
    model = model_of(board, mines=mines, clues=clues, use_total=use_total, assume=assume)
    return write(model) if encoding is None else dimacs.write(model, encoding)
