"""`NamedProblem`: a problem whose cells have names. Reading a problem file gives a `NamedProblem`.

A constraint in a file counts literals. A literal is a cell or the opposite of a cell: `~ann` is a
mine exactly if `ann` is not a mine. But a `Constraint` can only count cells. If most literals of a
constraint are opposites, `ProblemBuilder` counts the opposite of every literal instead. Each
opposite `~ann` that is still counted becomes a cell of its own, and one more constraint says that
exactly one of the cells `ann` and `~ann` is a mine. The number of solutions stays the same.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import count

from csp_mines.constraints import Constraint, Problem
from csp_mines.errors import InputError
from csp_mines.words import plural

NOT = "~"  # written before a name: `~ann` is the opposite of `ann`

Literal = tuple[str, bool]  # the name of a cell, and whether the literal is its opposite


@dataclass(frozen=True, repr=False)
class NamedProblem:
    """A problem and the names of its cells.

    `names` maps the number of each cell, except opposites, to the name of the cell. `opposites`
    maps the number of each opposite to the number of its cell. `labels` has a name for each
    constraint of the file, for use in messages. If the file has opposites and a number of mines,
    the last label is `the total`. After the constraints with labels, the problem has one more for
    each opposite: either the opposite or its cell is a mine.

    >>> problem = csp_mines.parse_problem("+1 x1 +1 x2 = 1;")
    >>> problem.names
    {0: 'x1', 1: 'x2'}
    """

    problem: Problem
    names: Mapping[int, str]
    labels: tuple[str, ...]
    opposites: Mapping[int, int] = field(default_factory=dict)

    @property
    def constraints(self) -> tuple[Constraint, ...]:
        """The constraints that have labels. The problem also has constraints without labels: one
        for each opposite, which says that either the opposite or its cell is a mine."""
        return self.problem.constraints[: len(self.labels)]

    def literal(self, cell: int) -> str:
        """Return the name of a cell, such as `ann`, or `~ann` for the opposite of `ann`."""
        other = self.opposites.get(cell)
        return self.names[cell] if other is None else NOT + self.names[other]

    def __repr__(self) -> str:
        cells, told = plural(len(self.names), "cell"), plural(len(self.labels), "constraint")
        return f"<NamedProblem of {cells} and {told}>"


class ProblemBuilder:
    """Builds a `NamedProblem` from constraints over named cells."""

    def __init__(self) -> None:
        new = count().__next__
        self._cells: defaultdict[str, int] = defaultdict(new)
        self._opposites: defaultdict[str, int] = defaultdict(new)
        self._constraints: list[Constraint] = []
        self._labels: list[str] = []

    def cell(self, name: str) -> int:
        """Return the number of the cell with this name. A new name gets the next number. A cell
        that no constraint mentions belongs to the sea."""
        return self._cells[name]

    def constrain(
        self,
        literals: Sequence[Literal],
        low: int,
        high: int,
        label: str,
        weights: Sequence[int] | None = None,
    ) -> None:
        """Add a constraint: `low` to `high` of the literals are mines. `label` is the name of the
        constraint in messages. `weights`, if given, has one weight for each number of mines among
        the literals, from 0 on. Raises InputError if two literals have the same cell."""
        names = [name for name, _ in literals]
        if len(set(names)) < len(names):
            twice = next(name for name in names if names.count(name) > 1)
            raise InputError(f"{twice} occurs twice in one constraint")
        if 2 * sum(opposite for _, opposite in literals) > len(literals):
            # Most literals are opposites (~). So count the opposite of every literal instead.
            literals = [(name, not opposite) for name, opposite in literals]
            low, high = len(literals) - high, len(literals) - low
            weights = None if weights is None else weights[::-1]
        low, high = max(0, low), min(high, len(literals))
        if low > high:
            low = high = len(literals) + 1  # just as impossible, but `Problem` accepts these bounds
        cells = tuple(sorted(self._of(*literal) for literal in literals))
        told = None if weights is None else tuple(weights)
        self._constraints.append(Constraint(cells, low, high, told))
        self._labels.append(label)

    def build(
        self, sea: Iterable[str] = (), mines: int | None = None, odds: Fraction = Fraction(1)
    ) -> NamedProblem:
        """Return the problem. `sea` has the names of the cells of the sea. `mines` is the number of
        mines among the named cells; opposites do not count. `odds` are the odds of a mine. Raises
        InputError if a cell of the sea occurs twice or in a constraint, or if the problem has both
        opposites and odds other than 1."""
        for name in sea:
            if name in self._cells:
                raise InputError(
                    f"{name} is in the sea, but occurs a second time; a cell of the sea must occur "
                    "once in the sea and in no constraint"
                )
            self.cell(name)
        if self._opposites:
            if odds != 1:
                raise InputError(
                    "odds and opposites (~) cannot be combined; remove the odds, or every ~"
                )
            if mines is not None:  # `Problem.mines` would count opposites, too
                named = tuple(self._cells.values())
                self._constraints.append(Constraint(tuple(sorted(named)), mines, mines))
                self._labels.append("the total")
                mines = None
        pairs = {cell: self._cells[name] for name, cell in self._opposites.items()}
        ties = [Constraint(tuple(sorted(pair)), 1, 1) for pair in pairs.items()]
        constraints = (*self._constraints, *ties)
        inside = {cell for constraint in constraints for cell in constraint.cells}
        free = tuple(cell for cell in self._cells.values() if cell not in inside)
        problem = Problem(constraints, free, mines, odds)
        names = {cell: name for name, cell in self._cells.items()}
        return NamedProblem(problem, names, tuple(self._labels), pairs)

    def _of(self, name: str, opposite: bool) -> int:
        """Return the number of the cell with this name or, if `opposite`, of its opposite."""
        cell = self.cell(name)
        return self._opposites[name] if opposite else cell
