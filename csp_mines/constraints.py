"""Cardinality constraints (how many of some cells are mines), and the problems that they make up.

A `Frontier` is made from a board, a clue model and a prior. It has the `Problem` that backends get,
and one `Statement` for each clue that touches a hidden cell or contradicts the known mines around
it. In a problem, cells are plain integers without rows and columns. A `Region` is a part of a
problem that shares no cell and no constraint with the rest.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from itertools import islice
from math import prod
from operator import attrgetter
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from csp_mines import arguments
from csp_mines.board import HIDDEN, Board, Cell, as_board, known_mines
from csp_mines.clues import EXACT, ClueModel
from csp_mines.errors import Contradiction, InputError
from csp_mines.question import Question, ask
from csp_mines.words import plural

ItemT = TypeVar("ItemT")


def impossible(cells: int, low: int, high: int) -> bool:
    """Return True if `cells` cells cannot have between `low` and `high` mines."""
    return max(low, 0) > min(high, cells)


@dataclass(frozen=True)
class Constraint:
    """Between `low` and `high` of `cells` are mines. `cells` are in ascending order; `Problem(…)`
    sorts the cells of its constraints.

    Counting multiplies the weight of a layout by `weights[m]` if `m` of the cells are mines. A
    weight is a whole number, 0 or more; if `weights[m]` is 0, the cells cannot have exactly `m`
    mines. If `weights` is None, every weight is 1. Deduction uses only the bounds. A constraint may
    be impossible: `low` above `high`, `high` below 0, or `low` above the number of cells.
    `Problem(…)` raises InputError in the first two cases, but accepts the third.

    >>> clue = csp_mines.Constraint((0, 1, 2), 1, 1)
    >>> problem = csp_mines.Problem([clue])
    >>> csp_mines.analyze_problem(problem).solutions
    3
    """

    cells: tuple[int, ...]
    low: int
    high: int
    weights: tuple[int, ...] | None = None

    @property
    def fewest_safe(self) -> int:
        """The least number of safe cells that the bounds allow."""
        return max(len(self.cells) - self.high, 0)

    @property
    def impossible(self) -> bool:
        """Whether the bounds exclude every number of mines that the cells can have."""
        return impossible(len(self.cells), self.low, self.high)

    def given(self, known: Mapping[int, bool]) -> Constraint:
        """Return the constraint on the cells that are not in `known`. `known` maps known mines to
        True and known safe cells to False."""
        rest = tuple(cell for cell in self.cells if cell not in known)
        if len(rest) == len(self.cells):
            return self
        mines = sum(known.get(cell, False) for cell in self.cells)
        weights = self.weights
        if weights is not None:
            weights = weights[mines : mines + len(rest) + 1]
        return Constraint(rest, self.low - mines, self.high - mines, weights)


def merged(constraints: Iterable[Constraint]) -> tuple[Constraint, ...]:
    """Return the constraints, with all constraints over the same cells merged into one. The merged
    constraint has the intersection of their bounds and the products of their weights."""
    by_cells: dict[tuple[int, ...], Constraint] = {}
    for each in constraints:
        other = by_cells.get(each.cells)
        if other is None:
            by_cells[each.cells] = each
            continue
        weights = each.weights if other.weights is None else other.weights
        if each.weights is not None and other.weights is not None:
            weights = tuple(a * b for a, b in zip(each.weights, other.weights, strict=True))
        low, high = max(each.low, other.low), min(each.high, other.high)
        by_cells[each.cells] = Constraint(each.cells, low, high, weights)
    return tuple(by_cells.values())


def places(sets: Iterable[Iterable[int]]) -> dict[int, list[int]]:
    """Return, for each cell, the indexes of the sets that contain the cell."""
    inside: dict[int, list[int]] = {}
    for index, cells in enumerate(sets):
        for cell in cells:
            inside.setdefault(cell, []).append(index)
    return inside


def boxes_of(inside: Mapping[int, Iterable[int]]) -> dict[tuple[int, ...], list[int]]:
    """Group the cells that are in exactly the same sets. `inside` is a result of `places`. A key of
    the returned mapping has the indexes of the sets, and its value has the cells."""
    boxes: dict[tuple[int, ...], list[int]] = {}
    for cell, indexes in inside.items():
        boxes.setdefault(tuple(indexes), []).append(cell)
    return boxes


def disjoint(
    items: Iterable[ItemT], cells_of: Callable[[ItemT], Iterable[int]], taken: Iterable[int] = ()
) -> list[ItemT]:
    """Go through the items in order. Choose every item that shares no cell with `taken` or with an
    item chosen before, and return the chosen items. `cells_of(item)` are the cells of an item."""
    used = set(taken)
    chosen = []
    for item in items:
        cells = cells_of(item)
        if used.isdisjoint(cells):
            used.update(cells)
            chosen.append(item)
    return chosen


@dataclass(frozen=True)
class BoxConstraint:
    """A constraint whose cells are given as boxes. `boxes` has indexes into `Region.boxes`, or into
    `Problem.boxes` if the constraint is from `Problem.box_constraints`. The other fields mean the
    same as in `Constraint`.

    >>> frontier = csp_mines.Frontier.of(csp_mines.Board([[-1, 1, -1, 1, -1]]))
    >>> [clue.boxes for clue in frontier.problem.regions[0].constraints]
    [(0, 1), (1, 2)]
    """

    boxes: tuple[int, ...]
    low: int
    high: int
    weights: tuple[int, ...] | None = None


@dataclass(frozen=True)
class Region:
    """A connected component of a problem: boxes of interchangeable cells, and the constraints over
    these boxes.

    >>> frontier = csp_mines.Frontier.of(csp_mines.Board([[-1, 1, -1, 1, -1]]))
    >>> [region] = frontier.problem.regions
    >>> region.boxes
    ((0,), (2,), (4,))
    """

    boxes: tuple[tuple[int, ...], ...]
    constraints: tuple[BoxConstraint, ...]

    @property
    def cells(self) -> tuple[int, ...]:
        """The cells of all boxes, box after box."""
        return tuple(cell for box in self.boxes for cell in box)

    @cached_property
    def of_box(self) -> tuple[tuple[int, ...], ...]:
        """For each box, the indexes of the constraints that contain it."""
        inside = places(constraint.boxes for constraint in self.constraints)
        return tuple(tuple(inside.get(box, ())) for box in range(len(self.boxes)))

    @cached_property
    def sizes(self) -> tuple[int, ...]:
        """The number of cells of each constraint."""
        return tuple(
            sum(len(self.boxes[box]) for box in constraint.boxes) for constraint in self.constraints
        )

    def split_off_exact(self) -> tuple[int, list[int]]:
        """Choose exact constraints (`low` equals `high`) that share no box. Constraints with more
        cells are tried first. Return the number of mines that the chosen constraints have together,
        and the indexes of the boxes outside these constraints. A solution of the region has the
        returned number of mines, plus its mines in the returned boxes."""
        exact = [constraint for constraint in self.constraints if constraint.low == constraint.high]
        exact.sort(key=lambda constraint: -sum([len(self.boxes[box]) for box in constraint.boxes]))
        chosen = disjoint(exact, lambda constraint: constraint.boxes)
        covered = {box for constraint in chosen for box in constraint.boxes}
        left = [box for box in range(len(self.boxes)) if box not in covered]
        return sum(constraint.low for constraint in chosen), left

    def problem(self) -> Problem:
        """Return the problem of this region alone: without a total and a sea, and with odds 1."""
        return Problem.trusted(
            tuple(
                Constraint(
                    tuple(sorted(cell for box in constraint.boxes for cell in self.boxes[box])),
                    constraint.low, constraint.high, constraint.weights,
                )
                for constraint in self.constraints
            )
        )  # fmt: skip


@dataclass(frozen=True)
class Problem:
    """The input of a backend: constraints, and a sea of cells without a constraint. `mines` is the
    number of mines in the frontier and the sea together, or None if it is unknown. If `mines` is
    None, each mine makes a layout `odds` times as likely. With odds 1 and without weights, all
    layouts are equally likely.

    A problem sorts the cells of every constraint. A problem may have no solution: for example, the
    constraints may need more mines than there are cells.

    Raises InputError for values of a wrong type, for a negative number of mines, for odds that are
    not positive, for a constraint whose `high` is negative or less than its `low`, for a wrong
    number of weights, for a negative weight, for a cell that occurs twice in a constraint or in the
    sea, and for a cell that is both in a constraint and in the sea. The message counts the
    constraints from 0.

    >>> csp_mines.Problem([csp_mines.Constraint((0, 1, 2), 1, 1)], sea=(3, 4), mines=2).frontier
    (0, 1, 2)
    """

    constraints: tuple[Constraint, ...]
    sea: tuple[int, ...] = ()
    mines: int | None = None
    odds: Fraction = field(default=Fraction(1))

    def __post_init__(self) -> None:
        told = arguments.several(self.constraints, "constraints", "Constraint values")
        sea = arguments.several(self.sea, "sea", "cells")
        mines = None if self.mines is None else arguments.whole(self.mines, "mines", 0)
        if not isinstance(self.odds, (int, Fraction)) or self.odds <= 0:
            raise arguments.wrong("odds", "a Fraction greater than 0", self.odds)
        constraints = tuple(_checked_constraint(*each) for each in enumerate(told))
        cells = tuple(arguments.whole(cell, "a cell of the sea") for cell in sea)
        _require_once(cells, "the sea")
        beside = set(cells)
        for number, constraint in enumerate(constraints):
            if not beside.isdisjoint(constraint.cells):
                cell = min(beside.intersection(constraint.cells))
                raise InputError(
                    f"cell {cell} is in constraint {number} and in the sea; the sea must have only "
                    "cells that no constraint mentions"
                )
        odds = Fraction(self.odds)
        self.__dict__.update(constraints=constraints, sea=cells, mines=mines, odds=odds)

    @classmethod
    def trusted(
        cls,
        constraints: tuple[Constraint, ...],
        sea: tuple[int, ...] = (),
        mines: int | None = None,
        odds: Fraction = Fraction(1),
    ) -> Problem:
        """Make a problem without checking `constraints`, `sea`, `mines` and `odds`, which are its
        fields. The values must have the right types, and the cells of each constraint must be in
        ascending order. The bounds of a constraint may be impossible: the clues of a contradictory
        board may give such bounds, and engines must find the contradiction."""
        problem = object.__new__(cls)
        problem.__dict__.update(constraints=constraints, sea=sea, mines=mines, odds=odds)
        return problem

    def changed(self, **fields: Any) -> Problem:
        """Return the problem with other values in some fields. The new values are not checked. The
        result is a new object, which shares no cached values with this problem."""
        names = ("constraints", "sea", "mines", "odds")
        return Problem.trusted(**{name: getattr(self, name) for name in names} | fields)

    @cached_property
    def frontier(self) -> tuple[int, ...]:
        """The cells that some constraint mentions, sorted."""
        return tuple(sorted({cell for constraint in self.constraints for cell in constraint.cells}))

    @property
    def cells(self) -> tuple[int, ...]:
        """All cells: the frontier, then the sea."""
        return (*self.frontier, *self.sea)

    @property
    def is_exact(self) -> bool:
        """Whether every constraint is exact: its `low` equals its `high`."""
        return all(constraint.low == constraint.high for constraint in self.constraints)

    @cached_property
    def boxes(self) -> tuple[tuple[int, ...], ...]:
        """The boxes: sets of cells that occur in exactly the same constraints. Raises what
        `regions` raises."""
        return tuple(box for region in self.regions for box in region.boxes)

    @cached_property
    def regions(self) -> tuple[Region, ...]:
        """The connected components of the problem, in which constraints over the same cells are
        merged. Constraints without cells are left out.

        Raises Contradiction if a constraint, perhaps a merged one, is impossible."""
        together = merged(self.constraints)
        _require_possible(together)
        constraints = [constraint for constraint in together if constraint.cells]
        inside = places(constraint.cells for constraint in constraints)
        return tuple(_regions(constraints, boxes_of(dict(sorted(inside.items())))))

    @cached_property
    def box_constraints(self) -> list[BoxConstraint]:
        """The constraints of all regions, with indexes into `boxes` instead of `Region.boxes`.
        Raises what `regions` raises."""
        constraints: list[BoxConstraint] = []
        first = 0
        for region in self.regions:
            for each in region.constraints:
                boxes = tuple([first + box for box in each.boxes])
                constraints.append(BoxConstraint(boxes, each.low, each.high, each.weights))
            first += len(region.boxes)
        return constraints

    @cached_property
    def constant_weight(self) -> int:
        """The product of the weights of constraints without cells. Every solution has this factor
        in its weight."""
        return prod(
            constraint.weights[0]
            for constraint in self.constraints
            if constraint.weights is not None and not constraint.cells
        )

    @property
    def has_zero_weights(self) -> bool:
        """Whether a weight of 0 excludes a number of mines that the bounds of its constraint allow.
        If so, counting may prove more than deduction."""
        return any(
            0 in constraint.weights[max(constraint.low, 0) : constraint.high + 1]
            for constraint in self.constraints
            if constraint.weights is not None
        )

    def without_total(self) -> Problem:
        """Return the problem with None as `mines`: the number of mines is unknown."""
        return Problem.trusted(self.constraints, self.sea, None, self.odds)

    def told(self, total: bool) -> Problem:
        """Return this problem if `total` is true; otherwise return `without_total()`."""
        return self if total else self.without_total()

    def unweighted(self) -> Problem:
        """Return the problem without weights and with odds 1, so that all layouts are equally
        likely."""
        if self.odds == 1 and all(constraint.weights is None for constraint in self.constraints):
            return self
        bare = tuple(replace(constraint, weights=None) for constraint in self.constraints)
        return Problem.trusted(bare, self.sea, self.mines)

    def given(self, safe: Iterable[int], mines: Iterable[int]) -> Problem:
        """Return the problem that remains if the cells `safe` are known to be safe and the cells
        `mines` are known to be mines: these cells are left out. A constraint whose cells are all
        known stays only if it has weights. Raises Contradiction if the known cells make a
        constraint impossible."""
        known = dict.fromkeys(safe, False) | dict.fromkeys(mines, True)
        if not known:
            return self
        rest = merged(constraint.given(known) for constraint in self.constraints)
        _require_possible(rest)
        total = None if self.mines is None else self.mines - sum(known.values())
        return Problem.trusted(
            tuple(constraint for constraint in rest if constraint.cells or constraint.weights),
            tuple(cell for cell in self.sea if cell not in known),
            total,
            self.odds,
        )

    def check(self) -> None:
        """Raise Contradiction if a constraint is impossible by itself, or if the total is below 0
        or above the number of cells."""
        _require_possible(self.constraints)
        cells = len(self.cells)
        if self.mines is not None and not 0 <= self.mines <= cells:
            mines = plural(self.mines, "remaining mine")
            raise Contradiction(f"{plural(cells, 'hidden cell')} cannot hold {mines}")

    def split_off_exact(self) -> tuple[int, list[int]]:
        """Do `Region.split_off_exact` for all regions at once. Return the number of mines that the
        chosen constraints have together, and the boxes outside these constraints, as indexes into
        `boxes`."""
        return Region(self.boxes, tuple(self.box_constraints)).split_off_exact()

    def frontier_bounds(self) -> tuple[int, int]:
        """Return a lower and an upper bound on the mines of the frontier. The bounds follow from
        constraints that share no cell, and tighter bounds may exist."""
        fewest, safest = self._packed(attrgetter("low")), self._packed(attrgetter("fewest_safe"))
        return fewest, len(self.frontier) - safest

    def _packed(self, least: Callable[[Constraint], int]) -> int:
        """Choose constraints that share no cell. Constraints with a greater `least(constraint)` are
        tried first. Return the sum of `least` over the chosen constraints."""
        ordered = sorted(self.constraints, key=least, reverse=True)
        return sum(map(least, disjoint(ordered, lambda constraint: constraint.cells)))

    def mines_within(self, cells: Collection[int]) -> tuple[int, int]:
        """Return the fewest and the most mines that the total allows in `cells`: the frontier, and
        perhaps some cells of the sea. The rest of the sea may have any number of mines."""
        if self.mines is None:
            return 0, len(cells)
        rest = len(set(self.sea).difference(cells))
        return max(self.mines - rest, 0), min(self.mines, len(cells))

    @cached_property
    def total_bites(self) -> bool:
        """Whether the total may exclude a layout of the frontier or make a cell of the sea certain.
        False if there is no total, or if `frontier_bounds` proves that the total does neither. True
        is no proof that the total does one of the two."""
        if self.mines is None:
            return False
        low, high = self.frontier_bounds()
        return high >= self.mines or self.mines - low >= len(self.sea)


def _checked_constraint(number: int, constraint: Constraint) -> Constraint:
    """Return the constraint with sorted cells. All its numbers are plain Python integers, because
    numpy integers overflow. Raises InputError if the constraint is not valid; the message gives the
    `number` of the constraint."""
    what = f"constraint {number}"
    arguments.instance(constraint, Constraint, what)
    given = arguments.several(constraint.cells, f"the cells of {what}", "cells")
    cells = tuple(sorted(arguments.whole(cell, f"a cell of {what}") for cell in given))
    _require_once(cells, what)
    low, high = checked_bounds(constraint.low, constraint.high, what)
    if constraint.weights is None:
        return Constraint(cells, low, high)
    told = arguments.several(constraint.weights, f"the weights of {what}", "whole numbers")
    weights = tuple(arguments.whole(weight, f"a weight of {what}", 0) for weight in told)
    if len(weights) != len(cells) + 1:
        size = plural(len(cells), "cell")
        raise InputError(
            f"{what} has {size} and {plural(len(weights), 'weight')}; give {len(cells) + 1}, one "
            f"weight for each number of mines from 0 to {len(cells)}"
        )
    return Constraint(cells, low, high, weights)


def checked_bounds(low: Any, high: Any, what: str) -> tuple[int, int]:
    """Return the bounds of a constraint as plain integers. Messages call the constraint `what`.
    Raises InputError if a bound is not a whole number, or if `high` is negative or less than
    `low`."""
    least = arguments.whole(low, f"low of {what}")
    most = arguments.whole(high, f"high of {what}", 0)
    if least > most:
        bounds = f"low {arguments.shown(least)} above high {arguments.shown(most)}"
        raise InputError(f"{what} has {bounds}; exchange them")
    return least, most


def _require_once(cells: Sequence[int], what: str) -> None:
    """Raise InputError if a cell occurs twice in `cells`. The message calls the set of these cells
    `what`, such as `the sea`."""
    if len(set(cells)) < len(cells):
        twice = next(cell for cell in cells if cells.count(cell) > 1)
        raise InputError(f"{what} has cell {twice} twice; give each cell once")


def _require_possible(constraints: Iterable[Constraint]) -> None:
    """Raise Contradiction if a constraint is impossible. The message says which number of mines the
    cells cannot have."""
    wrong = next((constraint for constraint in constraints if constraint.impossible), None)
    if wrong is None:
        return
    low, high = wrong.low, wrong.high
    if high < 0:
        bounds = "a negative number of mines"
    elif low > high:
        bounds = f"at least {low} and at most {plural(high, 'mine')}"
    else:
        bounds = ("" if low == high else "at least ") + plural(low, "mine")
    raise Contradiction(f"{plural(len(wrong.cells), 'cell')} cannot hold {bounds}")


def _regions(
    constraints: Sequence[Constraint], boxes: Mapping[tuple[int, ...], list[int]]
) -> Iterable[Region]:
    """Yield the regions, found by union-find. A key of `boxes` has the indexes of some constraints,
    and the value has the cells that are in exactly these constraints."""
    parent = list(range(len(constraints)))

    def root(index: int) -> int:
        while parent[index] != index:
            parent[index] = index = parent[parent[index]]
        return index

    for signature in boxes:
        for other in signature[1:]:
            parent[root(other)] = root(signature[0])
    groups: dict[int, list[tuple[int, ...]]] = {}
    for signature in boxes:
        groups.setdefault(root(signature[0]), []).append(signature)
    for signatures in groups.values():
        yield Region(
            tuple(tuple(boxes[signature]) for signature in signatures),
            tuple(
                BoxConstraint(
                    tuple(numbers),
                    max(constraints[index].low, 0),
                    min(constraints[index].high, len(constraints[index].cells)),
                    constraints[index].weights,
                )
                for index, numbers in places(signatures).items()
            ),
        )


@dataclass(frozen=True)
class Statement:
    """One clue: its `cell`, the number `shown`, and the `constraint` that follows from the clue.

    >>> frontier = csp_mines.Frontier.of(csp_mines.Board([[-1, 1, -1, 1, -1]]))
    >>> [(statement.cell, statement.shown) for statement in frontier.statements]
    [((0, 1), 1), ((0, 3), 1)]
    """

    cell: Cell
    shown: int
    constraint: Constraint


@dataclass(frozen=True)
class Frontier:
    """A board, the statements of its clues, and the problem that follows from the statements and
    the prior. `model` is the clue model.

    In the problem, cell `(row, col)` is the integer `row * cols + col`.

    >>> frontier = csp_mines.Frontier.of(csp_mines.Board([[-1, 1, -1, 1, -1]]))
    >>> [sorted(frontier.cells(clue.cells)) for clue in frontier.problem.constraints]
    [[(0, 0), (0, 2)], [(0, 2), (0, 4)]]
    """

    board: Board
    statements: tuple[Statement, ...]
    problem: Problem
    model: ClueModel = EXACT

    @classmethod
    def of(
        cls,
        board: Board | npt.ArrayLike,
        *,
        mines: int | None = None,
        density: float | Fraction | str | None = None,
        clues: str | ClueModel | None = None,
    ) -> Frontier:
        """Return the `Frontier` of a board or of an array of integers. By default, the clue model
        `clues` and the prior (`mines` or `density`) are those of the board. Raises what `ask` and
        `asked` raise."""
        return cls.asked(ask(board, mines, density, clues))

    @classmethod
    def asked(cls, question: Question) -> Frontier:
        """Return the `Frontier` of a question. Its problem has a number of mines only if the board
        has a known total and `question.use_total` is true.

        The time is linear in the size of the board. This function looks for no contradictions;
        backends find them. Raises BoardError for an invalid array."""
        board = as_board(question.given)
        statements = tuple(_statements(board, question.clues))
        unseen = None if question.total is None else question.total - board.known_mines
        constraints = merged(statement.constraint for statement in statements)
        problem = Problem.trusted(constraints, _sea(board, statements), unseen, question.odds)
        return cls(board, statements, problem, question.clues)

    def cell(self, number: int) -> Cell:
        """Return the cell with this number."""
        return divmod(number, self.board.cols)

    def number(self, cell: Cell) -> int:
        """Return the number of a cell. Cells are numbered row by row, from 0."""
        return cell[0] * self.board.cols + cell[1]

    def cells(self, numbers: Iterable[int]) -> frozenset[Cell]:
        """Return the cells with these numbers."""
        cols = self.board.cols
        return frozenset(divmod(number, cols) for number in numbers)

    def clues(self, statements: Iterable[int]) -> tuple[Cell, ...]:
        """Return the cells of the clues whose statements have these indexes."""
        return tuple(self.statements[index].cell for index in statements)

    def told(self, total: bool) -> Frontier:
        """Return a copy of this `Frontier`. If `total` is false, the problem of the copy has no
        total."""
        return replace(self, problem=self.problem.told(total))

    def only(self, statements: Iterable[int], *, total: bool) -> Problem:
        """Return the problem that has only the constraints of the statements with these indexes,
        and odds 1. If `total` is true, the problem also has the total (if `self.problem` has one),
        and the sea has all hidden cells that these constraints do not mention. If `total` is false,
        the problem has neither a total nor a sea."""
        alone = Problem.trusted(merged(self.statements[index].constraint for index in statements))
        if not total:
            return alone
        sea = tuple(sorted({*self.problem.cells} - {*alone.frontier}))
        return Problem.trusted(alone.constraints, sea, self.problem.mines)


def _statements(board: Board, model: ClueModel) -> Iterable[Statement]:
    """Yield a statement for each clue that touches a hidden cell, and for each clue that the known
    mines around it contradict."""
    codes, geometry = board.codes, board.geometry
    known = geometry.count(known_mines(codes))
    unseen = geometry.count(codes == HIDDEN)
    clues = np.argwhere(_saying(board, model, known, unseen))
    at = clues[:, 0], clues[:, 1]
    bounds = model.all_bounds(geometry.most)
    columns = zip(
        clues.tolist(), codes[at].tolist(), known[at].tolist(), _around(board, at), strict=True
    )
    for (row, col), shown, mines, cells in columns:
        low, high = (bound - mines for bound in bounds[shown])
        constraint = _constraint(cells, low, high, mines, model, geometry.most)
        yield Statement((row, col), shown, constraint)


def _around(
    board: Board, clues: tuple[npt.NDArray[np.intp], npt.NDArray[np.intp]]
) -> Iterator[tuple[int, ...]]:
    """Yield, for each clue, the hidden cells around it. `clues` has the rows and the columns of the
    clues. The yielded cells are indexes into `board.codes.ravel()`, in ascending order."""
    numbers = clues[0] * board.cols + clues[1]
    near, counts = board.geometry.beside(numbers, board.rows, board.cols)
    hidden = board.codes.ravel()[near] == HIDDEN
    ends = np.concatenate([[0], np.cumsum(hidden)])[np.cumsum(counts)]
    cells = iter(near[hidden].tolist())
    for count in np.diff(ends, prepend=0).tolist():
        yield tuple(islice(cells, count))


def _saying(
    board: Board, model: ClueModel, known: npt.NDArray[Any], unseen: npt.NDArray[Any]
) -> npt.NDArray[np.bool_]:
    """Return a mask of the clues that need a statement (see `_statements`). `known` and `unseen`
    have the numbers of known mines and of hidden cells around each cell. The mask is computed with
    whole arrays, because a Python object for each clue would take too long: on a large board, most
    clues touch no hidden cell."""
    bounds = np.array(model.all_bounds(board.geometry.most), np.int8)
    shown = np.maximum(board.codes, 0)
    low, high = bounds[shown, 0], bounds[shown, 1]
    saying: npt.NDArray[np.bool_] = (unseen > 0) | (known < low) | (known > high)
    return saying & (board.codes >= 0)


def _constraint(
    cells: tuple[int, ...], low: int, high: int, mines: int, model: ClueModel, most: int
) -> Constraint:
    if low > len(cells) or high < 0:
        return Constraint(cells, low, high)
    low, high = max(low, 0), min(high, len(cells))
    if model.likelihood is None:
        return Constraint(cells, low, high)
    weights = tuple(model.likelihood(mines + m, most) for m in range(len(cells) + 1))
    return Constraint(cells, low, high, weights)


def _sea(board: Board, statements: Iterable[Statement]) -> tuple[int, ...]:
    sea = (board.codes == HIDDEN).ravel()
    touched = [cell for statement in statements for cell in statement.constraint.cells]
    sea[touched] = False
    return tuple(np.flatnonzero(sea).tolist())
