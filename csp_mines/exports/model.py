"""`Model`: the constraints of a board over numbered variables, before any deduction.

Every hidden cell is a variable. Variables are numbered from 1, row by row. Every clue that excludes
some layout becomes a sum of variables with bounds. So do the total and each assumption.
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
from csp_mines.errors import BoardError
from csp_mines.formats.exported import board_comment
from csp_mines.words import clue_text, plural


class Assumption(Name):
    """A value that an export may assume for a cell."""

    MINE = "mine"
    SAFE = "safe"


@dataclass(frozen=True)
class Sum:
    """Between `low` and `high` of the variables are true; a bound of None excludes nothing. `name`
    is an identifier. `about` says where the sum comes from."""

    name: str
    about: str
    variables: tuple[int, ...]
    low: int | None
    high: int | None

    @property
    def impossible(self) -> bool:
        """Whether the sum has no variables. Such a sum cannot hold, because a model keeps it only
        if its bounds exclude 0."""
        return not self.variables

    @property
    def relations(self) -> list[tuple[str, int]]:
        """The bounds as relations: `[("=", 2)]`, or `[(">=", 1), ("<=", 3)]`. A bound that is None
        is left out. The list is empty if the sum excludes nothing."""
        if self.low is not None and self.low == self.high:
            return [("=", self.low)]
        bounds = ((">=", self.low), ("<=", self.high))
        return [(relation, bound) for relation, bound in bounds if bound is not None]

    def claims(self, claim: Callable[[str, int], str], never: str) -> list[str]:
        """Return the lines that state the sum: `claim(relation, bound)` for each of its relations,
        or only `never` if the sum is `impossible`."""
        return [never] if self.impossible else [claim(*each) for each in self.relations]


@dataclass(frozen=True)
class Model:
    """What is exported: a board, its hidden cells and its sums. `cells[k - 1]` is the cell of
    variable `k`. `assumed` has the assumptions, which are among the sums, too."""

    board: Board
    cells: tuple[Cell, ...]
    sums: tuple[Sum, ...]
    assumed: Mapping[Cell, Assumption] = field(default_factory=dict)

    @cached_property
    def names(self) -> tuple[str, ...]:
        """A name for each variable, such as `m_3_4`."""
        return tuple(f"m_{row}_{col}" for row, col in self.cells)

    def name(self, variable: int) -> str:
        """Return the name of a variable, such as `m_3_4`."""
        return self.names[variable - 1]

    @property
    def heading(self) -> list[str]:
        """The comments at the top of every export. `csp-mines convert` reads the board and the
        assumptions from the first comment."""
        board = self.board
        total = "no total" if board.mines is None else plural(board.mines, "mine")
        hidden = plural(len(self.cells), "hidden cell")
        about = f"{board.rows}x{board.cols} board, {board.clues.name} clues, {total}, {hidden}"
        return [board_comment(board, self.assumed), about]


def model_of(
    board: Board | npt.ArrayLike,
    *,
    mines: int | None = None,
    clues: str | ClueModel | None = None,
    use_total: bool = True,
    assume: Mapping[Cell, str] | None = None,
) -> Model:
    """Return the model of a board. The parameters and errors are those of `export`."""
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
    assumed = dict(_assumptions(board, {} if assume is None else assume, variables))
    for cell, what in assumed.items():
        mine = what is Assumption.MINE
        about = f"assumption: cell {label(cell)} is {'a mine' if mine else 'safe'}"
        low, high = (1, None) if mine else (None, 0)
        sums.append(Sum(f"assume_{cell[0]}_{cell[1]}", about, (variables[cell],), low, high))
    return Model(board, cells, tuple(each for each in sums if each.relations), assumed)


def _sum(
    name: str, about: str, variables: Sequence[int], bounds: tuple[int, int], *, exact: bool
) -> Sum:
    """Return the sum of `variables` with these bounds. A bound that excludes nothing is left out.
    With `exact`, the sum is an equation and keeps both bounds."""
    low, high = bounds
    kept = exact and len(variables) > 0
    return Sum(
        name,
        about,
        tuple(variables),
        low if kept or low > 0 else None,
        high if kept or high < len(variables) else None,
    )


def _assumptions(
    board: Board, assume: Mapping[Cell, Any], variables: Mapping[Cell, int]
) -> Iterator[tuple[Cell, Assumption]]:
    """Check the cell and the word (`mine` or `safe`) of each assumption that the caller gave, and
    yield the assumption."""
    for given, word in instance(assume, Mapping, "assume").items():
        cell = board.require(given)
        if cell not in variables:
            raise BoardError(
                f"cell {board.geometry.label(cell)} is not hidden: only hidden cells can be "
                "assumed to be mines or safe"
            )
        yield cell, choice("assumption", word, Assumption)
