"""Requests for no-guess games (`Wish`), with bounds on the grade (`GradeBounds`)."""

from __future__ import annotations

from dataclasses import dataclass

from csp_mines.analysis.grades import Grade, as_grade
from csp_mines.arguments import instance, require_at_most, text
from csp_mines.board import Cell
from csp_mines.errors import InputError, UnknownName
from csp_mines.games.game import Start, kept_clear
from csp_mines.layout import MAX_GAME_CELLS, Spec, require_room

NO_GUESS_STARTS = (Start.SAFE, Start.ZERO)
AT_MOST = "at-most:"


@dataclass(frozen=True)
class GradeBounds:
    """The easiest and the hardest grade that a game or a puzzle may have. If `easiest` is None,
    every grade up to `hardest` is allowed, and so is a game that needs no deduction at all.

    >>> bounds = csp_mines.GradeBounds("pair", "gauss")
    >>> bounds.allows(csp_mines.Grade.SINGLE)
    False
    """

    easiest: Grade | None = None
    hardest: Grade = Grade.TOTAL

    def __post_init__(self) -> None:
        """Raise InputError if `easiest` is harder than `hardest` or if a bound is not a string,
        UnknownName for an unknown grade."""
        easiest = None if self.easiest is None else as_grade(self.easiest, "easiest")
        object.__setattr__(self, "easiest", easiest)
        object.__setattr__(self, "hardest", as_grade(self.hardest, "hardest"))
        if self.easiest is not None and self.easiest.rank > self.hardest.rank:
            raise InputError(
                f"easiest ({self.easiest!s}) must not be harder than hardest ({self.hardest!s})"
            )

    @property
    def ranks(self) -> tuple[int, int]:
        """The ranks of `easiest` and `hardest`: 0 for `single`, 1 for `pair`, and so on. If
        `easiest` is None, its rank is -1."""
        return (-1 if self.easiest is None else self.easiest.rank), self.hardest.rank

    def allows(self, grade: Grade | None) -> bool:
        """Whether a grade is within the bounds. None stands for a game that needs no deduction."""
        low, high = self.ranks
        return low <= (-1 if grade is None else as_grade(grade).rank) <= high

    def __str__(self) -> str:
        if self.easiest is self.hardest:
            return f"exactly {self.easiest!s}"
        if self.easiest is not None:
            return f"{self.easiest!s} to {self.hardest!s}"
        return "any grade" if self.hardest is Grade.TOTAL else f"at most {self.hardest!s}"


def read_difficulty(wanted: str | None, *, use_total: bool = True) -> GradeBounds:
    """Return the bounds that `wanted` stands for. The name of a grade allows only this grade. The
    prefix `at-most:` allows all easier grades, too. None allows all grades, or all grades except
    `total` if `use_total` is False.

    Raises UnknownName for an unknown grade, InputError for a value that is not a string, and
    InputError for the grade `total` if `use_total` is False."""
    most = Grade.TOTAL if use_total else Grade.SEARCH
    if wanted is None:
        return GradeBounds(None, most)
    name = text(wanted, "grade").removeprefix(AT_MOST)
    if name not in list(Grade):
        raise UnknownName("grade", wanted, [*map(str, Grade), f"{AT_MOST}GRADE"])
    grade = as_grade(name)
    if grade is Grade.TOTAL and not use_total:
        raise InputError("grade 'total' cannot be requested without the total; use another grade")
    return GradeBounds(None if wanted.startswith(AT_MOST) else grade, grade)


@dataclass(frozen=True)
class Wish:
    """A request for a no-guess game: its size, its first cell, its start (`safe` or `zero`) and its
    difficulty.

    >>> wish = csp_mines.Wish(csp_mines.Spec(9, 9, 10), first=(4, 4), start="zero")
    >>> [game] = csp_mines.generate(wish, seed=1)
    >>> game.first
    (4, 4)
    """

    spec: Spec
    first: Cell = (0, 0)
    start: Start | str = Start.ZERO
    difficulty: GradeBounds = GradeBounds()

    def __post_init__(self) -> None:
        """Raise BoardError if `first` is not a cell of the board, or if there is no room for the
        mines. Raise InputError for a field of a wrong type, for a start other than `safe` and
        `zero`, for more than `MAX_GAME_CELLS` cells, and for an `easiest` grade if the first cell
        wins the game."""
        spec = instance(self.spec, Spec, "spec")
        instance(self.difficulty, GradeBounds, "difficulty")
        first = spec.require(self.first)
        object.__setattr__(self, "first", first)
        if text(self.start, "start") not in NO_GUESS_STARTS:
            raise InputError(
                f"start must be 'safe' or 'zero' for a no-guess game, not {self.start!r}"
            )
        object.__setattr__(self, "start", Start(self.start))
        require_at_most(spec.cells, MAX_GAME_CELLS, "a no-guess game")
        where = f"{self.start!r} start at {spec.geometry.label(first)}"
        require_room(spec, len(self.clear), f" for a {where}; use fewer mines")
        if self.difficulty.easiest is not None and spec.mines in (0, self.room):
            raise InputError(
                f"a board of {spec} is won by its first cell, so its grade cannot be "
                f"{self.difficulty.easiest!s} or harder; use another number of mines"
            )

    @property
    def clear(self) -> list[Cell]:
        """The cells that the start keeps free of mines: the first cell and, for the start `zero`,
        the neighbours of the first cell."""
        return kept_clear(self.spec, self.start, self.first)

    @property
    def room(self) -> int:
        """The number of cells that may be mines."""
        return self.spec.cells - len(self.clear)

    @property
    def size(self) -> tuple[int, int, int, int, int, bool]:
        """The request without its difficulty, as the kernel expects it: the numbers of rows,
        columns and mines, the row and column of the first cell, and whether the start is `zero`."""
        spec = self.spec
        return spec.rows, spec.cols, spec.mines, *self.first, self.start is Start.ZERO

    def __str__(self) -> str:
        where = f"{self.start} start at {self.spec.geometry.label(self.first)}"
        return f"{self.spec}, {where}, {self.difficulty}"
