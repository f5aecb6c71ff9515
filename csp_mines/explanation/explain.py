"""Explanations: why a cell is safe or a mine, shortly and checkably.

For a proved cell: a smallest set of clues that proves it (with the total only if it is needed), and
an argument from them. For an unproved cell: its probability, and two layouts that fit, one
with a mine there and one without.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from enum import StrEnum
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from csp_mines.analysis.analyze import Analysis, analyze
from csp_mines.analysis.clue_sets import Core, Cores, core_engine
from csp_mines.analysis.contract import hidden_cell
from csp_mines.analysis.grades import BY_RULES, Difficulty, Grade, easiest, grade_board, proved_at
from csp_mines.analysis.outcomes import Showing, outcomes
from csp_mines.arguments import instance, whole
from csp_mines.board import CLEAR, EXPLODED, HIDDEN, MARKED, Board, Cell, as_svg
from csp_mines.constraints import Constraint, Frontier
from csp_mines.errors import BoardError, Contradiction, InputError, TooWide, Unsupported
from csp_mines.explanation.argument import Inference, Sentence, check
from csp_mines.explanation.english import Wording
from csp_mines.explanation.guesses import GuessComparison, compare_guesses
from csp_mines.explanation.reasoning import argue, argue_from
from csp_mines.explanation.witnesses import closest_pair
from csp_mines.words import cell_name, plural

TOO_WIDE = "Proved by the number of mines in all, over too many cells to explain."

MOST_PROOFS = 1_000_000
HINTS = 6  # cells of one grade whose proofs are compared for the shortest

__all__ = [
    "Explainer", "Explanation", "Hint", "Proof", "Verdict", "Witnesses", "explain", "explain_board",
]  # fmt: skip


class Verdict(StrEnum):
    """What the clues say of a cell."""

    SAFE = "safe"
    MINE = "mine"
    OPEN = "open"  # nothing decides it


@dataclass(frozen=True)
class Proof:
    """Clues that prove a cell (`statements` of the frontier by index), and the steps from them to
    it. Take away any one of the clues, or the total where it is used, and the rest proves nothing
    about the cell. `grade` is what these clues and these steps take: the weakest engine that proves
    the cell from these clues alone."""

    frontier: Frontier
    statements: tuple[int, ...]
    uses_total: bool
    steps: tuple[Inference, ...]
    grade: Grade

    @property
    def clues(self) -> tuple[Cell, ...]:
        """The opened cells whose clues are used, sorted."""
        return self.frontier.clues(self.statements)

    @cached_property
    def texts(self) -> tuple[str, ...]:
        """Each step in plain words."""
        wording = Wording(self.frontier)
        return tuple(_capital(wording.step(step)) + "." for step in self.steps)

    @property
    def cells(self) -> frozenset[Cell]:
        """Every cell that the last step proves."""
        return self.frontier.cells(self.steps[-1].sentence.cells)

    def check(self) -> bool:
        """Whether every step follows from its premises, told by going through all layouts."""
        return check(self.steps, _constraints(self.frontier, self.statements), self._total)

    @property
    def _total(self) -> Sentence | None:
        return _total(self.frontier) if self.uses_total else None

    def to_json(self) -> dict[str, Any]:
        """`{"difficulty": …, "clues": …, "uses_total": …, "steps": …}`."""
        wording = Wording(self.frontier)
        return {
            "difficulty": self.grade,
            "clues": [list(cell) for cell in self.clues],
            "uses_total": self.uses_total,
            "steps": [_step_json(step, self.frontier, wording) for step in self.steps],
        }


@dataclass(frozen=True)
class Witnesses:
    """Two layouts that fit a board: the mines of one with a mine at the cell, and of one without;
    known mines are among them. `closest`: no two differ in fewer cells."""

    with_mine: frozenset[Cell]
    without: frozenset[Cell]
    closest: bool = True

    def to_json(self) -> dict[str, Any]:
        """`{"with_mine": [[r, c], …], "without": [[r, c], …]}`."""
        return {
            "with_mine": [list(cell) for cell in sorted(self.with_mine)],
            "without": [list(cell) for cell in sorted(self.without)],
        }


@dataclass(frozen=True, repr=False)
class Explanation:
    """What there is to say about a cell. A proved cell has `proofs`, the first of them a smallest,
    its `grade`, and the `board_grade`: the weakest engine that proves the cell with all clues of
    the board at hand, which may do with simpler steps than the smallest set of clues. An open cell
    has `probability`, `witnesses`, `guess`, which says whether to guess there, and, for exact clues
    without a density, the `outcomes` of opening it. `cells` are all cells that the first proof
    proves and that need no less. In an account of a whole board, cells proved by a total too wide
    to explain come together, without a proof. `board` is what it is an explanation of."""

    cell: Cell
    cells: tuple[Cell, ...]
    verdict: Verdict
    grade: Grade | None = None
    proofs: tuple[Proof, ...] = ()
    probability: Fraction | None = None
    witnesses: Witnesses | None = None
    board: Board | None = field(default=None, compare=False)
    guess: GuessComparison | None = None
    outcomes: tuple[Showing, ...] = ()
    board_grade: Grade | None = None

    def __repr__(self) -> str:
        """`<Explanation (0,2) safe: pair, 2 clues>`, `<Explanation (0,1) open: 33.33%>`."""
        about = [] if self.grade is None else [str(self.grade)]
        if self.proofs:
            about.append(plural(len(self.proofs[0].statements), "clue"))
        if self.uses_total:
            about.append("the total")
        if self.probability is not None:
            about.append(f"{float(self.probability):.2%}")
        return f"<Explanation {cell_name(self.cell)} {self.verdict}: {', '.join(about)}>"

    def _repr_svg_(self) -> str | None:
        return as_svg(self)

    @property
    def clues(self) -> tuple[Cell, ...]:
        return self.proofs[0].clues if self.proofs else ()

    @property
    def uses_total(self) -> bool:
        return self.proofs[0].uses_total if self.proofs else self.verdict is not Verdict.OPEN

    @property
    def text(self) -> str:
        """All sentences as one paragraph."""
        return " ".join(self.texts)

    @property
    def texts(self) -> tuple[str, ...]:
        """The steps of the first proof; for an open cell the probability and whether to guess
        there."""
        if self.proofs:
            return self.proofs[0].texts
        if self.probability is None:
            return (TOO_WIDE,)
        share = f"{float(self.probability):.2%}" + _as_fraction(self.probability)
        told = () if self.guess is None else self.guess.texts
        return (f"Not decided: a mine with probability {share}.", *told)

    def to_json(self) -> dict[str, Any]:
        """The explanation as `explain --json` gives it."""
        document: dict[str, Any] = {
            "cell": list(self.cell),
            "verdict": self.verdict,
            "cells": [list(cell) for cell in self.cells],
        }
        if self.proofs:
            first, *others = (proof.to_json() for proof in self.proofs)
            document |= {"difficulty": self.grade}
            if self.board_grade is not self.grade:
                document["board_difficulty"] = self.board_grade
            document |= first
            return document | ({"others": others} if others else {})
        document |= {
            "difficulty": self.grade,
            "clues": [],
            "uses_total": self.uses_total,
            "steps": [],
        }
        if self.probability is None or self.witnesses is None:
            return document
        return document | {
            "probability": float(self.probability),
            "fraction": str(self.probability),
            "witnesses": self.witnesses.to_json(),
            "guess": None if self.guess is None else self.guess.to_json(),
            "outcomes": [outcome.to_json() for outcome in self.outcomes] or None,
        }


@dataclass(frozen=True)
class Hint:
    """The easiest next step, explained; None when nothing is left to open."""

    step: Explanation | None

    def to_json(self) -> dict[str, Any]:
        """The explanation as `explain --hint --json` gives it, or `{"verdict": "done"}`."""
        return {"verdict": "done"} if self.step is None else self.step.to_json()


def explain(
    board: Board | npt.ArrayLike | Analysis, cell: Cell, mines: int | None = None, *, most: int = 1
) -> Explanation:
    """Explains a hidden cell of a board, of an array of integers, or of the analysis of either, by
    up to `most` minimal sets of clues. Raises BoardError for a cell that is not hidden, Unsupported
    for the analysis of an engine that is not complete, and for a cell that only a total over very
    many cells proves, and what `analyze` raises."""
    return Explainer(_analysis(board, mines)).explain(cell, most=most)


def explain_board(
    board: Board | npt.ArrayLike | Analysis, mines: int | None = None
) -> list[Explanation]:
    """Every deduction with its reason, the easiest first; those by a total that is too wide to
    explain last, without a reason. Raises Unsupported for an analysis that is not complete."""
    return Explainer(_analysis(board, mines)).board()


def _analysis(board: Board | npt.ArrayLike | Analysis, mines: int | None) -> Analysis:
    if not isinstance(board, Analysis):
        return analyze(board, mines)
    if mines is not None:
        raise InputError("the number of mines belongs to a board; this one is analysed already")
    return board


class Explainer:
    """Explains the cells of one analysed board."""

    def __init__(self, found: Analysis) -> None:
        """Raises Unsupported unless the analysis is complete: only then is the rest open."""
        if not instance(found, Analysis, "found").complete:
            raise Unsupported(f"backend {found.backend!r} is not complete; explaining needs one")
        self.found = found
        told = found.frontier
        problem = told.problem.told(found.uses_total)
        self.frontier = told if problem is told.problem else replace(told, problem=problem)
        self.cores = Cores(self.frontier)
        self._found_by: dict[Grade, frozenset[int]] = {}

    @cached_property
    def difficulty(self) -> Difficulty:
        """The grade of every proved cell."""
        return grade_board(self.found)

    def explain(self, cell: Cell, *, most: int = 1) -> Explanation:
        """See `explain`."""
        cell, most = self.found.board.require(cell), whole(most, "most", 1, MOST_PROOFS)
        if self.found.board[cell] != HIDDEN:
            raise BoardError(f"cell {cell[0]},{cell[1]} is not hidden: there is nothing to explain")
        if cell in self.found.safe or cell in self.found.mines:
            return self._proved(cell, most)
        shown, guess = tuple[Showing, ...](), None
        with suppress(TooWide):  # a position may get wider when a cell is opened
            if self.found.position is not None:
                shown = tuple(outcomes(self.found, cell))
            guess = compare_guesses(self.found, cell, shown)
        return Explanation(
            cell,
            (cell,),
            Verdict.OPEN,
            probability=self.found.probability(cell),
            witnesses=self.witnesses(cell),
            board=self.found.board,
            guess=guess,
            outcomes=shown,
        )

    def hint(self, *, most: int = 1) -> Hint:
        """The easiest next step: a safe cell by the weakest engine that proves one, of those the
        one with the shortest proof, by up to `most` minimal sets of clues; without any, the move,
        which is a guess."""
        step = self._easiest()
        if step is None or not step.proofs or most == 1:
            return Hint(step)
        return Hint(self.explain(step.cell, most=most))

    def _easiest(self) -> Explanation | None:
        found = self.found
        if not found.safe:
            return None if found.move is None else self.explain(found.move.cell)
        # What could not be counted is not counted for this either: then all that SAT proved is
        # taken for as hard.
        grade, safe = easiest(self.frontier, Grade.TOTAL if found.exact else Grade.GAUSS)
        if grade is None:
            grade, safe = Grade.TOTAL, found.safe
        proved = []
        for cell in sorted(safe)[:HINTS]:
            with suppress(Unsupported):  # by a total over too many cells to explain
                proved.append(self.explain(cell))
        if proved:
            return min(proved, key=_ease)
        return self._unshown(sorted(safe), Verdict.SAFE, grade)

    def _unshown(self, cells: Sequence[Cell], verdict: Verdict, grade: Grade) -> Explanation:
        """Cells that are proved in no way that can be shown."""
        board = self.found.board
        return Explanation(cells[0], tuple(cells), verdict, grade, board=board, board_grade=grade)

    def board(self) -> list[Explanation]:
        """See `explain_board`."""
        return sorted(self._deductions(), key=_ease)

    def to_json(self) -> dict[str, Any]:
        """The whole board, as `explain --json` gives it without a cell."""
        return {
            "status": self.found.status,
            "difficulty": self.difficulty.to_json(),
            "deductions": [explanation.to_json() for explanation in self.board()],
        }

    def _deductions(self) -> Iterator[Explanation]:
        """Cells that are proved together come once, under the first of them."""
        seen: set[Cell] = set()
        wide: dict[Verdict, list[Cell]] = {}
        for cell in sorted(self.found.safe | self.found.mines):
            if cell in seen:
                continue
            try:
                explanation = self._proved(cell, 1)
            except Unsupported:
                wide.setdefault(self._verdict(cell), []).append(cell)
                continue
            new = tuple(other for other in explanation.cells if other not in seen)
            seen.update(new)
            yield replace(explanation, cells=new)
        for verdict, cells in wide.items():
            yield self._unshown(cells, verdict, Grade.TOTAL)

    def _verdict(self, cell: Cell) -> Verdict:
        return Verdict.MINE if cell in self.found.mines else Verdict.SAFE

    def _proved(self, cell: Cell, most: int) -> Explanation:
        mine = cell in self.found.mines
        number = self.frontier.number(cell)
        if most == 1:
            core = self.cores.proof(number, mine=mine)
            cores = [] if core is None else [core]
        else:
            cores = self.cores.proofs(number, mine=mine, limit=most)
        proofs = tuple(self._proof(core, number, mine) for core in cores)
        return Explanation(
            cell,
            self._together(cell, proofs[0]),
            self._verdict(cell),
            proofs[0].grade,
            proofs,
            board=self.found.board,
            board_grade=self._board_grade(number, proofs[0].grade),
        )

    def _proof(self, core: Core, cell: int, mine: bool) -> Proof:
        clues = _constraints(self.frontier, core.statements)
        if core.total:
            steps = argue(clues, _total(self.frontier), cell, mine=mine)
            return Proof(self.frontier, core.statements, True, steps, Grade.TOTAL)
        alone = self.frontier.only(core.statements, total=False)
        weakest = next((rule for rule in BY_RULES if cell in proved_at(rule, alone)), Grade.SEARCH)
        grade, steps = argue_from(weakest, clues, cell, mine=mine)
        return Proof(self.frontier, core.statements, False, steps, grade)

    def _board_grade(self, cell: int, grade: Grade) -> Grade:
        """Of a cell that is proved by clues of this grade: with all clues at hand. That takes cases
        or the total where this proof does and no weaker engine finds it."""
        if grade is Grade.SINGLE:
            return grade
        for weaker in BY_RULES:
            if weaker not in self._found_by:
                self._found_by[weaker] = proved_at(weaker, self.frontier.problem)
            if cell in self._found_by[weaker]:
                return weaker
        return Grade.TOTAL if grade is Grade.TOTAL else Grade.SEARCH

    def _together(self, cell: Cell, proof: Proof) -> tuple[Cell, ...]:
        """The cells that the same last step proves, when the same set is a smallest for them too:
        it is a single clue, or they are in the same constraints as the cell."""
        if len(proof.statements) + proof.uses_total == 1:
            return tuple(sorted(proof.cells))
        mine = self._signatures.get(cell)
        same = {other for other in proof.cells if self._signatures.get(other) == mine}
        return tuple(sorted(same | {cell}))

    @cached_property
    def _signatures(self) -> dict[Cell, tuple[int, ...]]:
        found: dict[Cell, tuple[int, ...]] = {}
        for index, statement in enumerate(self.frontier.statements):
            for number in statement.constraint.cells:
                cell = self.frontier.cell(number)
                found[cell] = (*found.get(cell, ()), index)
        return found

    def witnesses(self, cell: Cell) -> Witnesses:
        """Two layouts that fit, for a cell that is not decided; they differ in as few cells as
        possible, unless it takes too long to find such a pair. Raises BoardError."""
        found, number = self.found, self.frontier.number(hidden_cell(self.found.board, cell))
        undecided = frozenset(
            map(self.frontier.number, found.board.hidden - found.safe - found.mines)
        )
        problem, constraints = self.frontier.problem, self.cores.constraints
        pair = closest_pair(problem, constraints, number, undecided, self._fits)
        if pair is None:
            with_mine, without = (self._layout(cell, mine=mine) for mine in (True, False))
            return Witnesses(with_mine, without, closest=False)
        common = self._common(pair)
        with_mine, without = (self.frontier.cells(mines) | common for mines in pair)
        return Witnesses(with_mine, without)

    def _fits(self, pair: tuple[set[int], set[int]]) -> bool:
        """Whether some layout has mines in the first cells and none in the second."""
        mines, safe = map(self.frontier.cells, pair)
        known = dict.fromkeys(mines, MARKED) | dict.fromkeys(safe, CLEAR)
        try:
            analyze(
                self.found.board.replace(known), use_total=self.frontier.problem.mines is not None
            )
        except Contradiction:
            return False
        return True

    def _common(self, pair: tuple[set[int], set[int]]) -> frozenset[Cell]:
        """The known mines, and those that a pair leaves to the rest of the sea."""
        problem = self.frontier.problem
        mines: set[int] = set()
        if problem.mines is not None:
            taken = pair[0] | pair[1]
            sea = [cell for cell in problem.sea if cell not in taken]
            mines.update(_spread(sea, problem.mines - len(pair[0])))
        codes = self.found.board.codes
        known = np.argwhere((codes == MARKED) | (codes == EXPLODED)).tolist()
        return self.frontier.cells(mines) | {(row, col) for row, col in known}

    def _layout(self, cell: Cell, *, mine: bool) -> frozenset[Cell]:
        number = self.frontier.number(cell)
        problem = self.frontier.problem
        fixed = Constraint((number,), int(mine), int(mine))
        told = [*self.cores.constraints, fixed]
        if problem.mines is not None:
            told.append(self.cores.total(number))
        model = core_engine().model(told)
        assert model is not None  # an undecided cell has layouts either way
        mines = {other for other, value in model.items() if value}
        if problem.mines is not None:
            sea = [other for other in problem.sea if other != number]
            mines.update(_spread(sea, problem.mines - len(mines)))
        codes = self.found.board.codes
        known = np.argwhere((codes == MARKED) | (codes == EXPLODED)).tolist()
        return self.frontier.cells(mines) | {(row, col) for row, col in known}


def _spread(cells: list[int], mines: int) -> list[int]:
    """`mines` of the cells, evenly spaced."""
    return [cells[index * len(cells) // mines] for index in range(mines)]


def _constraints(frontier: Frontier, statements: tuple[int, ...]) -> dict[int, Constraint]:
    return {index: frontier.statements[index].constraint for index in statements}


def _total(frontier: Frontier) -> Sentence:
    problem = frontier.problem
    assert problem.mines is not None
    return Sentence(frozenset((*problem.frontier, *problem.sea)), problem.mines, problem.mines)


def _ease(explanation: Explanation) -> tuple[int, int, int, Cell]:
    assert explanation.grade is not None
    if not explanation.proofs:
        return explanation.grade.rank + 1, 0, 0, explanation.cell
    proof = explanation.proofs[0]
    return (
        explanation.grade.rank,
        len(proof.statements) + proof.uses_total,
        len(proof.steps),
        explanation.cell,
    )


def _step_json(step: Inference, frontier: Frontier, wording: Wording) -> dict[str, Any]:
    document: dict[str, Any] = {
        "rule": step.rule,
        "clues": [list(cell) for cell in frontier.clues(sorted(step.clues))],
        "cells": [list(cell) for cell in sorted(frontier.cells(step.sentence.cells))],
        "low": step.sentence.low,
        "high": step.sentence.high,
        "text": _capital(wording.step(step)) + ".",
    }
    if step.inside:
        document["suppose"] = wording.conclusion(step.premises[0].sentence)
        document["steps"] = [_step_json(inner, frontier, wording) for inner in step.inside]
    return document


def _as_fraction(share: Fraction) -> str:
    """` = 1/3` where that is short."""
    return f" = {share}" if share.denominator < 10_000 else ""


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
