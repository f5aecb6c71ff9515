"""`Explainer` and `Explanation`: why a cell is safe, a mine or undecided, and the hint for a
board.

The explanation of a proved cell names a smallest set of clues that proves it, and the steps from
these clues to the cell. The total is used only if the clues do not suffice. The explanation of an
undecided cell has its probability and two layouts that fit: one with a mine there, and one without.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from enum import StrEnum
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy.typing as npt

from csp_mines.analysis.analyze import Analysis, analyze
from csp_mines.analysis.clue_sets import Core, Cores
from csp_mines.analysis.grades import BY_RULES, Difficulty, Grade, deduce_at, easiest, grade_board
from csp_mines.analysis.outcomes import Showing, outcomes
from csp_mines.arguments import instance, whole
from csp_mines.board import CLEAR, EXPLODED, HIDDEN, MARKED, Board, Cell, as_svg
from csp_mines.constraints import Constraint, Frontier
from csp_mines.errors import BoardError, Contradiction, InputError, TooWide, Unsupported
from csp_mines.explanation.argument import Inference, Sentence, check
from csp_mines.explanation.english import Wording
from csp_mines.explanation.guesses import GuessComparison, compare_guesses
from csp_mines.explanation.reasoning import argue, argue_from
from csp_mines.explanation.witnesses import closest_pair, mines_of
from csp_mines.words import cell_name, plural

TOO_WIDE = "Proved by the total number of mines; the proof covers too many cells to be shown."
MOST_PROOFS = 1_000_000  # the largest number of proofs that a caller may ask for
HINTS = 6  # a hint compares the proofs of at most this many cells of the easiest grade


class Verdict(StrEnum):
    """What the clues prove about a cell.

    >>> csp_mines.explain([[-1, 1, 0]], (0, 0)).verdict is csp_mines.Verdict.MINE
    True
    """

    SAFE = "safe"
    MINE = "mine"
    OPEN = "open"  # proved neither safe nor a mine: the cell is undecided

    @property
    def word(self) -> str:
        """The verdict in texts for people: `safe`, `mine` or `undecided`."""
        return "undecided" if self is Verdict.OPEN else str(self)


@dataclass(frozen=True)
class Proof:
    """Clues that prove a cell, and the steps from the clues to the cell.

    `statements` has the indexes of the clues in `frontier.statements`. The proof needs each of
    these clues, and also the total if `uses_total` is true. `grade` is the grade of the cell if
    only these clues are known.

    >>> [proof] = csp_mines.explain([[-1, 1, 0, 1, -1]], (0, 0)).proofs
    >>> proof.clues, proof.grade
    (((0, 1),), <Grade.SINGLE: 'single'>)
    """

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
        """Each step as an English sentence."""
        wording = Wording(self.frontier)
        return tuple(_capital(wording.step(step)) + "." for step in self.steps)

    @property
    def cells(self) -> frozenset[Cell]:
        """Every cell that the last step proves."""
        return self.frontier.cells(self.steps[-1].sentence.cells)

    def check(self) -> bool:
        """Return whether every step follows from its premises. The check goes through all layouts
        that fit the premises."""
        total = _total(self.frontier) if self.uses_total else None
        return check(self.steps, _constraints(self.frontier, self.statements), total)

    def to_json(self) -> dict[str, Any]:
        """Return `{"difficulty": …, "clues": …, "uses_total": …, "steps": …}`."""
        wording = Wording(self.frontier)
        return {
            "difficulty": self.grade,
            "clues": [list(cell) for cell in self.clues],
            "uses_total": self.uses_total,
            "steps": [_step_json(step, self.frontier, wording) for step in self.steps],
        }


@dataclass(frozen=True)
class Witnesses:
    """Two layouts that fit a board, each given by its mines: one has a mine at the undecided cell,
    and the other has none there. Known mines are included. If `closest` is true, no two such
    layouts differ in fewer cells.

    >>> csp_mines.explain([[-1, 1, -1]], (0, 0)).witnesses
    Witnesses(with_mine=frozenset({(0, 0)}), without=frozenset({(0, 2)}), closest=True)
    """

    with_mine: frozenset[Cell]
    without: frozenset[Cell]
    closest: bool = True

    def to_json(self) -> dict[str, Any]:
        """Return `{"with_mine": [[r, c], …], "without": [[r, c], …]}`."""
        return {
            "with_mine": [list(cell) for cell in sorted(self.with_mine)],
            "without": [list(cell) for cell in sorted(self.without)],
        }


@dataclass(frozen=True, repr=False)
class Explanation:
    """What is known about a cell of `board`, and why.

    The explanation of a proved cell has `proofs`. The first proof is a smallest one, and `grade` is
    its grade. `board_grade` is the grade of the cell if all clues of the board may be used; it may
    be easier than `grade`, because more clues may allow simpler steps. `cells` are the cells that
    the first proof proves, without those that may have a smaller proof.

    The explanation of an undecided cell has its `probability`, `witnesses`, and `guess`, which says
    whether to guess there. With exact clues and no density, it also has the `outcomes` of opening
    the cell.

    On a large board, a proof that needs the total may not be shown, because it covers too many
    cells. All safe cells whose proof is not shown share one explanation without `proofs`, and so do
    all mines whose proof is not shown.

    >>> explanation = csp_mines.explain([[-1, 1, 0, 1, -1]], (0, 0))
    >>> explanation
    <Explanation (0,0) mine: single, 1 clue>
    >>> explanation.clues
    ((0, 1),)
    """

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
        """Return a text such as `<Explanation (0,2) safe: pair, 2 clues>`, or `<Explanation (0,1)
        undecided: 33.33%>`."""
        about = [] if self.grade is None else [str(self.grade)]
        if self.proofs:
            about.append(plural(len(self.proofs[0].statements), "clue"))
        if self.uses_total:
            about.append("the total")
        if self.probability is not None:
            about.append(f"{float(self.probability):.2%}")
        return f"<Explanation {cell_name(self.cell)} {self.verdict.word}: {', '.join(about)}>"

    def _repr_svg_(self) -> str | None:
        return as_svg(self)

    @property
    def clues(self) -> tuple[Cell, ...]:
        """The clues of the first proof; empty without a proof."""
        return self.proofs[0].clues if self.proofs else ()

    @property
    def uses_total(self) -> bool:
        """Whether the first proof needs the total. If the proof of a proved cell is not shown, this
        is true: only a proof that needs the total may be left out."""
        return self.proofs[0].uses_total if self.proofs else self.verdict is not Verdict.OPEN

    @property
    def text(self) -> str:
        """All sentences as one paragraph."""
        return " ".join(self.texts)

    @property
    def texts(self) -> tuple[str, ...]:
        """The sentences of the first proof. For an undecided cell: its probability, and whether to
        guess there."""
        if self.proofs:
            return self.proofs[0].texts
        if self.probability is None:
            return (TOO_WIDE,)
        share = f"{float(self.probability):.2%}" + _as_fraction(self.probability)
        told = () if self.guess is None else self.guess.texts
        return (f"Undecided: a mine with probability {share}.", *told)

    def to_json(self) -> dict[str, Any]:
        """Return the object that `explain --json` prints."""
        document: dict[str, Any] = {
            "cell": list(self.cell),
            "verdict": self.verdict,
            "cells": [list(cell) for cell in self.cells],
            "difficulty": self.grade,
        }
        if self.proofs:
            first, *others = (proof.to_json() for proof in self.proofs)
            if self.board_grade is not self.grade:
                document["board_difficulty"] = self.board_grade
            document |= first
            return document | ({"others": others} if others else {})
        document |= {"clues": [], "uses_total": self.uses_total, "steps": []}
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
    """The easiest next step of a board. `step` is the explanation of the cell to open, or None if
    no cell is left to open.

    >>> hint = csp_mines.Explainer(csp_mines.analyze([[-1, 1, 0, 1, -1, -1]], mines=2)).hint()
    >>> hint.step
    <Explanation (0,5) safe: total, 2 clues, the total>
    """

    step: Explanation | None

    def to_json(self) -> dict[str, Any]:
        """Return the object that `explain --hint --json` prints. If no cell is left to open, it is
        `{"verdict": "done"}`."""
        return {"verdict": "done"} if self.step is None else self.step.to_json()


def explain(
    board: Board | npt.ArrayLike | Analysis, cell: Cell, mines: int | None = None, *, most: int = 1
) -> Explanation:
    """Explain a hidden cell. A proved cell gets up to `most` proofs, each by a minimal set of
    clues.

    Parameters:
        board: a board, an array of integers, or the analysis of one of them.
        cell: the hidden cell, as `(row, col)`.
        mines: the total number of mines. By default the board's own number.
        most: the largest number of proofs.

    Raises BoardError for a cell that is not hidden; Unsupported if the engine of the analysis is
    not complete, or if the proof needs the total and covers too many cells; and what `analyze`
    raises.

    >>> print(csp_mines.explain([[-1, 1, 0, 1, -1]], (0, 0)).text)
    (0,1)=1 needs one mine and has only (0,0) left: so (0,0) is a mine.
    """
    return Explainer(_analysis(board, mines)).explain(cell, most=most)


def explain_board(
    board: Board | npt.ArrayLike | Analysis, mines: int | None = None
) -> list[Explanation]:
    """Explain every deduction of a board, the easiest first. Deductions whose proof is not shown
    (see `Explanation`) come last.

    Parameters:
        board: a board, an array of integers, or the analysis of one of them.
        mines: the total number of mines. By default the board's own number.

    Raises Unsupported if the engine of the analysis is not complete, and what `analyze` raises.

    >>> board = [[-1, 1, 0, 1, -1]]
    >>> [explanation.cell for explanation in csp_mines.explain_board(board)]
    [(0, 0), (0, 4)]
    """
    return Explainer(_analysis(board, mines)).board()


def _analysis(board: Board | npt.ArrayLike | Analysis, mines: int | None) -> Analysis:
    if not isinstance(board, Analysis):
        return analyze(board, mines)
    if mines is not None:
        raise InputError(
            "mines must be None with an analysis, because the analysis has its own total"
        )
    return board


class Explainer:
    """Explains the cells of one analysed board.

    >>> explainer = csp_mines.Explainer(csp_mines.analyze([[-1, 1, 0, 1, -1]]))
    >>> print(explainer.explain((0, 4)).text)
    (0,3)=1 needs one mine and has only (0,4) left: so (0,4) is a mine.
    """

    def __init__(self, analysis: Analysis) -> None:
        """Prepare explanations. Raises Unsupported if the analysis is not complete: a cell that it
        does not prove might still be certain."""
        if not instance(analysis, Analysis, "analysis").complete:
            raise Unsupported(
                f"backend {analysis.backend!r} is not complete; explanations need a complete "
                "backend, such as 'native'"
            )
        self.analysis = analysis
        self.frontier = analysis.frontier
        self.cores = Cores(self.frontier)
        self._proved_by: dict[Grade, frozenset[int]] = {}

    @cached_property
    def difficulty(self) -> Difficulty:
        """The grade of every proved cell."""
        return grade_board(self.analysis)

    def explain(self, cell: Cell, *, most: int = 1) -> Explanation:
        """Explain a cell, by at most `most` proofs; see `csp_mines.explain`. Raises BoardError for
        a cell that is not hidden, and the other errors of `csp_mines.explain`."""
        cell, most = self.analysis.board.require(cell), whole(most, "most", 1, MOST_PROOFS)
        if self.analysis.board[cell] != HIDDEN:
            name = self.analysis.board.geometry.label(cell)
            raise BoardError(f"cell {name} is not hidden: there is nothing to explain")
        if cell in self.analysis.safe or cell in self.analysis.mines:
            return self._proved(cell, most)
        shown, guess = tuple[Showing, ...](), None
        with suppress(TooWide):  # after a cell is opened, the position may be too wide to count
            if self.analysis.position is not None:
                shown = tuple(outcomes(self.analysis, cell))
            guess = compare_guesses(self.analysis, cell, shown)
        return Explanation(
            cell,
            (cell,),
            Verdict.OPEN,
            probability=self.analysis.probability(cell),
            witnesses=self.witnesses(cell),
            board=self.analysis.board,
            guess=guess,
            outcomes=shown,
        )

    def hint(self, *, most: int = 1) -> Hint:
        """Return the easiest next step, with up to `most` proofs.

        The step opens a safe cell of the easiest grade. If there are several such cells, it opens
        one with a short proof. If no cell is proved safe, the step is the move, which is a
        guess."""
        step = self._easiest()
        if step is None or not step.proofs or most == 1:
            return Hint(step)
        return Hint(self.explain(step.cell, most=most))

    def _easiest(self) -> Explanation | None:
        """Return the explanation of the easiest next step; None if no cell is left to open."""
        analysis = self.analysis
        if not analysis.safe:
            return None if analysis.move is None else self.explain(analysis.move.cell)
        # If the board was too wide to count, only engines that do not count are asked here. If they
        # prove no cell safe, all safe cells of the analysis get the hardest grade.
        grade, safe = easiest(self.frontier, Grade.TOTAL if analysis.exact else BY_RULES[-1])
        if grade is None:
            grade, safe = Grade.TOTAL, analysis.safe
        proved = []
        for cell in sorted(safe)[:HINTS]:
            with suppress(Unsupported):  # the proof covers too many cells to be shown
                proved.append(self.explain(cell))
        if proved:
            return min(proved, key=_ease)
        return self._unshown(sorted(safe), Verdict.SAFE, grade)

    def _unshown(self, cells: Sequence[Cell], verdict: Verdict, grade: Grade) -> Explanation:
        """Return the explanation of proved cells whose proof is not shown, because it covers too
        many cells."""
        board = self.analysis.board
        return Explanation(cells[0], tuple(cells), verdict, grade, board=board, board_grade=grade)

    def board(self) -> list[Explanation]:
        """Explain every deduction; see `explain_board`."""
        return sorted(self._deductions(), key=_ease)

    def to_json(self) -> dict[str, Any]:
        """Return the object that `explain --json` prints for a whole board."""
        return {
            "status": self.analysis.status,
            "difficulty": self.difficulty.to_json(),
            "deductions": [explanation.to_json() for explanation in self.board()],
        }

    def _deductions(self) -> Iterator[Explanation]:
        """Yield the explanations of all proved cells. Cells that are proved together share the
        explanation of the first of them."""
        seen: set[Cell] = set()
        wide: dict[Verdict, list[Cell]] = {}
        for cell in sorted(self.analysis.safe | self.analysis.mines):
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
        return Verdict.MINE if cell in self.analysis.mines else Verdict.SAFE

    def _proved(self, cell: Cell, most: int) -> Explanation:
        """Return the explanation of a proved cell, with up to `most` proofs."""
        mine = cell in self.analysis.mines
        number = self.frontier.number(cell)
        cores = self.cores.proofs(number, mine=mine, limit=most)
        proofs = tuple(self._proof(core, number, mine) for core in cores)
        return Explanation(
            cell,
            self._together(cell, proofs[0]),
            self._verdict(cell),
            proofs[0].grade,
            proofs,
            board=self.analysis.board,
            board_grade=self._board_grade(number, proofs[0].grade),
        )

    def _proof(self, core: Core, cell: int, mine: bool) -> Proof:
        """Return the proof of a cell by the clues of a core. If the core has the total, the grade
        of the proof is `total`. If not, it is the easiest grade whose steps prove the cell from
        these clues."""
        clues = _constraints(self.frontier, core.statements)
        if core.total:
            steps = argue(clues, _total(self.frontier), cell, mine=mine)
            return Proof(self.frontier, core.statements, True, steps, Grade.TOTAL)
        alone = self.frontier.only(core.statements, total=False)
        proving = (rule for rule in BY_RULES if cell in deduce_at(rule, alone).cells)
        weakest = next(proving, Grade.SEARCH)
        grade, steps = argue_from(weakest, clues, cell, mine=mine)
        return Proof(self.frontier, core.statements, False, steps, grade)

    def _board_grade(self, cell: int, grade: Grade) -> Grade:
        """Return the grade of a cell if all clues of the board may be used. `grade` is the grade of
        its proof. The result is the easiest grade below `search` whose engine proves the cell. If
        there is none, the result is `total` for a proof with the total, and `search` for any other
        proof."""
        if grade is Grade.SINGLE:
            return grade
        for weaker in BY_RULES:
            if weaker not in self._proved_by:
                self._proved_by[weaker] = deduce_at(weaker, self.frontier.problem).cells
            if cell in self._proved_by[weaker]:
                return weaker
        return Grade.TOTAL if grade is Grade.TOTAL else Grade.SEARCH

    def _together(self, cell: Cell, proof: Proof) -> tuple[Cell, ...]:
        """Return the cells that the last step of the proof proves, without those that may have a
        smaller proof. If the proof has a single clue, or only the total, every cell that the
        step proves is returned. If the proof is larger, only the cells around the same clues as
        `cell` are returned."""
        if len(proof.statements) + proof.uses_total == 1:
            return tuple(sorted(proof.cells))
        clues = self.cores.clues_around(cell)
        same = {other for other in proof.cells if self.cores.clues_around(other) == clues}
        return tuple(sorted(same | {cell}))

    def witnesses(self, cell: Cell) -> Witnesses:
        """Return two layouts that fit, one with a mine at an undecided cell and one without. They
        differ in as few cells as possible, unless finding such layouts takes too long. Raises
        BoardError if the cell is not hidden."""
        analysis, frontier = self.analysis, self.frontier
        number = frontier.number(analysis.board.require_hidden(cell))
        open_cells = analysis.board.hidden - analysis.safe - analysis.mines
        undecided = frozenset(map(frontier.number, open_cells))
        constraints = self.cores.constraints
        pair = closest_pair(frontier.problem, constraints, number, undecided, self._fits)
        closest = pair is not None
        if pair is None:
            layouts = [self._model(number, mine=mine) for mine in (True, False)]
            common = [self._rest(mines, mines | {number}) for mines in layouts]
        else:
            layouts = list(pair)
            common = [self._rest(pair[0], pair[0] | pair[1])] * 2
        with_mine, without = map(frozenset.union, map(frontier.cells, layouts), common)
        return Witnesses(with_mine, without, closest)

    def _fits(self, pair: tuple[set[int], set[int]]) -> bool:
        """Return whether some layout that fits has mines in all cells of the first set and in none
        of the second set."""
        mines, safe = map(self.frontier.cells, pair)
        known = dict.fromkeys(mines, MARKED) | dict.fromkeys(safe, CLEAR)
        try:
            analyze(
                self.analysis.board.replace(known),
                use_total=self.frontier.problem.mines is not None,
            )
        except Contradiction:
            return False
        return True

    def _model(self, cell: int, *, mine: bool) -> set[int]:
        """Return the mines that some layout has in the frontier and at `cell`. In this layout, the
        cell is a mine if `mine` is true, and safe otherwise."""
        told = [*self.cores.constraints, Constraint((cell,), int(mine), int(mine))]
        if self.frontier.problem.mines is not None:
            told.append(self.cores.total(cell))
        return mines_of(told)

    def _rest(self, mines: set[int], taken: set[int]) -> frozenset[Cell]:
        """Return the other mines of a layout that has `mines` in the frontier. These are the known
        mines of the board, and as many cells of the sea as the total needs. Cells in `taken` get
        no mine."""
        problem, board = self.frontier.problem, self.analysis.board
        known = frozenset([*board.cells(MARKED), *board.cells(EXPLODED)])
        if problem.mines is None:
            return known
        sea = [cell for cell in problem.sea if cell not in taken]
        return known | self.frontier.cells(_spread(sea, problem.mines - len(mines)))


def _spread(cells: list[int], mines: int) -> list[int]:
    """Choose `mines` cells that are evenly spaced in the list, and return them."""
    return [cells[index * len(cells) // mines] for index in range(mines)]


def _constraints(frontier: Frontier, statements: tuple[int, ...]) -> dict[int, Constraint]:
    return {index: frontier.statements[index].constraint for index in statements}


def _total(frontier: Frontier) -> Sentence:
    """Return the total as a sentence about all hidden cells."""
    problem = frontier.problem
    assert problem.mines is not None
    return Sentence(frozenset(problem.cells), problem.mines, problem.mines)


def _ease(explanation: Explanation) -> tuple[int, int, int, Cell]:
    """Return a key that puts easy explanations before hard ones: by grade, then by the number of
    clues, then by the number of steps. Explanations without a proof come last in their grade."""
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
    """Return a text such as ` = 1/3`, or an empty text if the fraction is long."""
    return f" = {share}" if share.denominator < 10_000 else ""


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
