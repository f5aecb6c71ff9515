"""`Model`: the constraints of a board over numbered variables, before any deduction.

Every hidden cell is a variable. Variables are numbered from 1, row by row. The clues, the total and
the assumptions become sums of variables with bounds. A clue or a total that by itself excludes no
layout is left out.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy.typing as npt

from csp_mines.arguments import Name, choice, instance
from csp_mines.board import HIDDEN, Board, Cell, as_board
from csp_mines.clues import ClueModel
from csp_mines.constraints import Frontier
from csp_mines.formats.exported import board_comment
from csp_mines.words import clue_text, plural


class Assumption(Name):
    """An assumption about a cell: that it is a mine, or that it is safe."""

    MINE = "mine"
    SAFE = "safe"


@dataclass(frozen=True)
class Sum:
    """Between `low` and `high` of the variables are true; a bound of None excludes nothing. `name`
    is an identifier, such as `clue_3_4`. `about` says in words where the sum comes from."""

    name: str
    about: str
    variables: tuple[int, ...]
    low: int | None
    high: int | None

    @property
    def impossible(self) -> bool:
        """Whether the sum has no variables. A model keeps such a sum only if the bounds exclude 0,
        so the sum cannot hold. Whether a sum with variables can hold is left to the solver."""
        return not self.variables

    @property
    def relations(self) -> list[tuple[str, int]]:
        """The bounds as relations: `[("=", 2)]`, or `[(">=", 1), ("<=", 3)]`. A bound that is None
        is left out, so the list is empty if both bounds are None."""
        if self.low is not None and self.low == self.high:
            return [("=", self.low)]
        bounds = ((">=", self.low), ("<=", self.high))
        return [(relation, bound) for relation, bound in bounds if bound is not None]

    def claims(self, claim: Callable[[str, int], str], never: str) -> list[str]:
        """Return the lines that state the sum: `claim(relation, bound)` for each pair in
        `relations`. If the sum is `impossible`, return only the line `never`."""
        return [never] if self.impossible else [claim(*each) for each in self.relations]


@dataclass(frozen=True)
class Model:
    """What is exported: a board, its hidden cells and its sums. `cells[k - 1]` is the cell of
    variable `k`. `assumed` has the assumptions; `sums` has a sum for each of these assumptions,
    too."""

    board: Board
    cells: tuple[Cell, ...]
    sums: tuple[Sum, ...]
    assumed: Mapping[Cell, Assumption] = field(default_factory=dict)

    @cached_property
    def names(self) -> tuple[str, ...]:
        """A name for each variable, such as `m_3_4` for the cell 3,4."""
        return tuple(f"m_{row}_{col}" for row, col in self.cells)

    def name(self, variable: int) -> str:
        """Return the name of a variable, such as `m_3_4`."""
        return self.names[variable - 1]

    def heading(self, sign: str) -> list[str]:
        """Return two comments for the top of every export; each begins with `sign`. The first has
        the board and the assumptions, and `csp-mines convert` reads it. The second describes the
        board."""
        board = self.board
        total = "no total" if board.mines is None else plural(board.mines, "mine")
        hidden = plural(len(self.cells), "hidden cell")
        about = f"{board.rows}x{board.cols} board, {board.clues.name} clues, {total}, {hidden}"
        return [f"{sign} {board_comment(board, self.assumed)}", f"{sign} {about}"]

    def legend(self, sign: str) -> list[str]:
        """Return a comment for each variable that says which cell it stands for. A comment is
        `sign` followed by the number of the variable and the cell."""
        label = self.board.geometry.label
        return [
            f"{sign}{number} = cell {label(cell)} is a mine"
            for number, cell in enumerate(self.cells, 1)
        ]

    def stated(self, sign: str, state: Callable[[Sum], list[str]]) -> list[str]:
        """Return for each sum a comment and then the lines `state(sum)`. The comment begins with
        `sign` and says where the sum comes from."""
        return [line for each in self.sums for line in (f"{sign} {each.about}", *state(each))]


def model_of(
    board: Board | npt.ArrayLike,
    *,
    mines: int | None = None,
    clues: str | ClueModel | None = None,
    use_total: bool = True,
    assume: Mapping[Cell, str] | None = None,
) -> Model:
    """Return the model of a board. `export` explains the parameters. Raises BoardError, UnknownName
    and InputError as `export` does for these parameters."""
    board = as_board(board).told(mines=mines, clues=clues)
    if not use_total:
        board = board.without_total()
    cells = tuple(board.cells(HIDDEN))
    variables = {cell: number for number, cell in enumerate(cells, 1)}
    frontier, label = Frontier.of(board), board.geometry.label
    sums = []
    for statement in frontier.statements:
        row, col = statement.cell
        text = clue_text(label(statement.cell), board.clues.relation, statement.shown)
        about = f"clue {text.replace('≥', '>=').replace('≤', '<=')}"
        numbers = [variables[frontier.cell(number)] for number in statement.constraint.cells]
        bounds = statement.constraint.low, statement.constraint.high
        exact = board.clues.relation == "="
        sums.append(_sum(f"clue_{row}_{col}", about, numbers, bounds, exact=exact))
    if frontier.problem.mines is not None:
        left = frontier.problem.mines
        about = f"total: {plural(left, 'mine')} in {plural(len(cells), 'hidden cell')}"
        sums.append(_sum("total", about, range(1, len(cells) + 1), (left, left), exact=True))
    assumed = dict(_assumptions(board, {} if assume is None else assume))
    for cell, what in assumed.items():
        mine = what is Assumption.MINE
        about = f"assumption: cell {label(cell)} is {'a mine' if mine else 'safe'}"
        low, high = (1, None) if mine else (None, 0)
        sums.append(Sum(f"assume_{cell[0]}_{cell[1]}", about, (variables[cell],), low, high))
    return Model(board, cells, tuple(each for each in sums if each.relations), assumed)


def _sum(
    name: str, about: str, variables: Sequence[int], bounds: tuple[int, int], *, exact: bool
) -> Sum:
    """Return the sum of `variables` with these bounds. A bound that excludes nothing becomes None.
    But an `exact` sum with variables keeps both bounds, so that it becomes an equation."""
    low, high = bounds
    kept = exact and len(variables) > 0
    return Sum(
        name,
        about,
        tuple(variables),
        low if kept or low > 0 else None,
        high if kept or high < len(variables) else None,
    )


def _assumptions(board: Board, assume: Mapping[Cell, Any]) -> Iterator[tuple[Cell, Assumption]]:
    """Yield each cell in `assume` with its assumption. Raises BoardError for a cell that is not
    hidden, UnknownName for a word that is neither `mine` nor `safe`, InputError for a value of a
    wrong type."""
    for given, word in instance(assume, Mapping, "assume").items():
        yield board.require_hidden(given), choice("assumption", word, Assumption)
