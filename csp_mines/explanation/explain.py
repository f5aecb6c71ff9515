"""`Explainer` and `Explanation`: why a cell is safe, a mine or undecided, and the hint for a
board.

The explanation of a proved cell names a minimal set of clues that proves the cell, usually a
smallest one, and the steps from these clues to the cell. The total is used only if the clues do not
suffice. The explanation of an undecided cell has the probability of a mine at the cell and two
layouts that fit the board: one with a mine at the cell, and one without.
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
from csp_mines.analysis.grades import (
    BY_RULES,
    Difficulty,
    Grade,
    deduce_at,
    easiest,
    grade_board,
)
from csp_mines.analysis.outcomes import Showing, outcomes
from csp_mines.arguments import instance, whole
from csp_mines.board import CLEAR, EXPLODED, MARKED, Board, Cell, Pictured
from csp_mines.constraints import Constraint, Frontier
from csp_mines.errors import BoardError, Contradiction, TooWide, Unsupported
from csp_mines.explanation.argument import Inference, Sentence, check
from csp_mines.explanation.english import Wording
from csp_mines.explanation.guesses import GuessComparison, compare_guesses
from csp_mines.explanation.reasoning import argue, argue_from
from csp_mines.explanation.witnesses import closest_pair, mines_of
from csp_mines.question import require_no_mines
from csp_mines.words import cell_name, plural

TOO_WIDE = "Proved by the total number of mines; the proof covers too many cells to be shown."
MOST_PROOFS = 1_000_000  # the largest number of proofs that a caller may ask for
HINTS = 6  # a hint compares the proofs of at most this many cells of the easiest grade


class Verdict(StrEnum):
    """What the clues, and the total if it is used, prove about a hidden cell.

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
    these clues, and also the total if `uses_total` is true. With the total, `grade` is `total`.
    Otherwise `grade` is the easiest grade whose steps prove the cell from these clues.

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
        """The opened cells whose clues the proof needs, sorted."""
        return self.frontier.clues(self.statements)

    @property
    def sources(self) -> str:
        """What the proof needs, in words: `2 clues`, `1 clue and the total` or `the total`."""
        clues = [plural(len(self.statements), "clue")] if self.statements else []
        return " and ".join(clues + ["the total"] * self.uses_total)

    @cached_property
    def texts(self) -> tuple[str, ...]:
        """Each step as an English sentence."""
        wording = Wording(self.frontier)
        return tuple(map(wording.sentence, self.steps))

    @property
    def cells(self) -> frozenset[Cell]:
        """Every cell that the last step proves."""
        return self.frontier.cells(self.steps[-1].sentence.cells)

    def check(self) -> bool:
        """Return whether every step is sound.

        Each premise must be one of the clues, the conclusion of an earlier step, the supposition of
        a case around the step or, if `uses_total` is true, the total. The conclusion must be true
        in all layouts that fit the premises. A case is checked differently: the steps inside the
        case must be sound and lead to a contradiction."""
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
    """Two layouts that fit a board and show that a cell is undecided.

    `with_mine` has the mines of a layout with a mine at the cell. `without` has the mines of a
    layout without a mine at the cell. Both sets include marked cells and opened mines. If `closest`
    is true, the two layouts differ in as few cells as possible. If `closest` is false, other
    layouts may differ in fewer cells.

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
class Explanation(Pictured):
    """What is known about a hidden cell of `board`, and why.

    The explanation of a proved cell has `proofs`. The first proof is a smallest one, unless the
    search for a smallest proof would take too long. `grade` is the grade of the first proof.
    `board_grade` is the grade of the cell if all clues of the board may be used. `board_grade` may
    be easier than `grade`, because more clues may allow simpler steps. `cells` are `cell` and other
    cells that the first proof proves, but no cells that may have a smaller proof.

    The explanation of an undecided cell has the `probability` of a mine, `witnesses`, `guess` and
    `outcomes`. `guess` says whether to guess at the cell, and `outcomes` says what the cell may
    show. With noisy clues or a density, `outcomes` is empty. If counting the board after an opening
    is too wide, `guess` is None and `outcomes` may be empty.

    On a large board, a proof that needs the total may cover too many cells to be shown.
    `explain_board` returns one explanation without `proofs` for all safe cells whose proof is not
    shown, and one for all mines whose proof is not shown.

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

    @property
    def clues(self) -> tuple[Cell, ...]:
        """The opened cells whose clues the first proof needs; empty without a proof."""
        return self.proofs[0].clues if self.proofs else ()

    @property
    def uses_total(self) -> bool:
        """Whether the first proof needs the total. For a proved cell without `proofs`, this is
        True, because only a proof that needs the total can be too large to be shown. For an
        undecided cell, this is False."""
        return self.proofs[0].uses_total if self.proofs else self.verdict is not Verdict.OPEN

    @property
    def text(self) -> str:
        """All sentences as one paragraph."""
        return " ".join(self.texts)

    @property
    def texts(self) -> tuple[str, ...]:
        """The sentences of the first proof. For a proved cell without `proofs`: one sentence that
        says why no proof is shown. For an undecided cell: the probability of a mine, and the texts
        of `guess` unless it is None."""
        if self.proofs:
            return self.proofs[0].texts
        if self.probability is None:
            return (TOO_WIDE,)
        share = f"{float(self.probability):.2%}" + _as_fraction(self.probability)
        told = () if self.guess is None else self.guess.texts
        return (f"Undecided: a mine with probability {share}.", *told)

    def to_json(self) -> dict[str, Any]:
        """Return the object that `explain --json` prints for a cell."""
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
        """Return the object that `explain --hint --json` prints: the explanation of the step, or
        `{"verdict": "done"}` if no cell is left to open."""
        return {"verdict": "done"} if self.step is None else self.step.to_json()


def explain(
    board: Board | npt.ArrayLike | Analysis, cell: Cell, mines: int | None = None, *, most: int = 1
) -> Explanation:
    """Explain a hidden cell. A proved cell gets up to `most` proofs, each by a minimal set of
    clues.

    Parameters:
        board: a board, an array of integers, or the analysis of a board.
        cell: the hidden cell, as `(row, col)`.
        mines: the total number of mines. By default the board's own number, if it has one. With an
            analysis, `mines` must be left out.
        most: the largest number of proofs, from 1 to 1,000,000.

    Raises BoardError for a cell that is not hidden; InputError for a wrong `most`, and for `mines`
    with an analysis; Unsupported if the analysis is not complete, or if the proof needs the total
    and covers too many cells; Unsupported, TooWide or OutOfTime for an undecided cell if the risks
    are estimates; and what `analyze` raises.

    >>> print(csp_mines.explain([[-1, 1, 0, 1, -1]], (0, 0)).text)
    (0,1)=1 needs one mine and has only (0,0) left: so (0,0) is a mine.
    """
    return Explainer(_analysis(board, mines)).explain(cell, most=most)


def explain_board(
    board: Board | npt.ArrayLike | Analysis, mines: int | None = None
) -> list[Explanation]:
    """Explain every deduction of a board, the easiest first. Cells that are proved together share
    one explanation. Deductions whose proof is not shown (see `Explanation`) come last.

    Parameters:
        board: a board, an array of integers, or the analysis of a board.
        mines: the total number of mines. By default the board's own number, if it has one. With an
            analysis, `mines` must be left out.

    Raises InputError for `mines` with an analysis; Unsupported if the analysis is not complete; and
    what `analyze` raises.

    >>> board = [[-1, 1, 0, 1, -1]]
    >>> [explanation.cell for explanation in csp_mines.explain_board(board)]
    [(0, 0), (0, 4)]
    """
    return Explainer(_analysis(board, mines)).board()


def _analysis(board: Board | npt.ArrayLike | Analysis, mines: int | None) -> Analysis:
    if not isinstance(board, Analysis):
        return analyze(board, mines)
    require_no_mines(mines, "an Analysis")
    return board


class Explainer:
    """Explains the cells of one analysed board.

    >>> explainer = csp_mines.Explainer(csp_mines.analyze([[-1, 1, 0, 1, -1]]))
    >>> print(explainer.explain((0, 4)).text)
    (0,3)=1 needs one mine and has only (0,4) left: so (0,4) is a mine.
    """

    def __init__(self, analysis: Analysis) -> None:
        """Prepare explanations. Raises InputError if `analysis` is not an Analysis, and Unsupported
        if the analysis is not complete: some cells that seem undecided may then be certain."""
        if not instance(analysis, Analysis, "analysis").complete:
            raise Unsupported(
                f"the analysis by backend {analysis.backend!r} is not complete: it may have missed "
                "safe cells and mines; use a complete backend, such as 'native', and allow more "
                "time if there is a time limit"
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
        """Explain a hidden cell, with up to `most` proofs if the cell is proved. Raises what
        `csp_mines.explain` raises, for example BoardError for a cell that is not hidden."""
        cell, most = self.analysis.board.require_hidden(cell), whole(most, "most", 1, MOST_PROOFS)
        if cell in self.analysis.safe or cell in self.analysis.mines:
            return self._proved(cell, most)
        shown, guess = tuple[Showing, ...](), None
        with suppress(TooWide):  # after the cell is opened, the board may be too wide to count
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

        The step opens a safe cell of the easiest grade. If there are several such cells, the step
        opens one with a short proof. If their proofs cover too many cells to be shown, the step has
        no `proofs`. If no cell is proved safe, the step is the move, which is a guess. If no cell
        is left to open, `Hint.step` is None. Raises what `explain` raises."""
        step = self._easiest()
        if step is None or not step.proofs or most == 1:
            return Hint(step)
        return Hint(self.explain(step.cell, most=most))

    def _easiest(self) -> Explanation | None:
        """Return the explanation of the easiest next step; None if no cell is left to open."""
        analysis = self.analysis
        if not analysis.safe:
            return None if analysis.move is None else self.explain(analysis.move.cell)
        # If the risks are estimates, the board may be too wide to count: then only the engines of
        # `BY_RULES` are asked. If these engines prove no cell safe, all safe cells of the analysis
        # get the hardest grade.
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
        """Return one explanation, without `proofs`, for the proved cells `cells`. The proof of each
        cell covers too many cells to be shown."""
        board = self.analysis.board
        return Explanation(cells[0], tuple(cells), verdict, grade, board=board, board_grade=grade)

    def board(self) -> list[Explanation]:
        """Explain every deduction, the easiest first; see `explain_board`."""
        return sorted(self._deductions(), key=_ease)

    def to_json(self) -> dict[str, Any]:
        """Return the object that `explain --json` prints for a whole board."""
        return {
            "status": self.analysis.status,
            "difficulty": self.difficulty.to_json(),
            "deductions": [explanation.to_json() for explanation in self.board()],
        }

    def _deductions(self) -> Iterator[Explanation]:
        """Yield explanations of all proved cells. Cells that are proved together (see `_together`)
        share one explanation. Explanations without `proofs` come last."""
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
        """Return the explanation of a proved cell, with up to `most` proofs. Raises Unsupported if
        the proof needs the total and covers too many cells."""
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
        """Return the proof of a cell by a core. If the core has the total, the grade of the proof
        is `total`. Otherwise the grade is the easiest one whose steps prove the cell from the clues
        of the core."""
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
        the first proof of the cell. The result is the easiest grade in `BY_RULES` whose engine
        proves the cell. If none of these engines proves the cell, the result is `total` if `grade`
        is `total`, and `search` otherwise."""
        if grade is Grade.SINGLE:
            return grade
        for weaker in BY_RULES:
            if weaker not in self._proved_by:
                self._proved_by[weaker] = deduce_at(weaker, self.frontier.problem).cells
            if cell in self._proved_by[weaker]:
                return weaker
        return Grade.TOTAL if grade is Grade.TOTAL else Grade.SEARCH

    def _together(self, cell: Cell, proof: Proof) -> tuple[Cell, ...]:
        """Return, in order, the cells that the last step of the proof proves, but no cells that may
        have a smaller proof. If the proof has a single clue, or only the total, return every cell
        that the step proves. If the proof is larger, return only `cell` and the cells that touch
        the same clues as `cell`."""
        if len(proof.statements) + proof.uses_total == 1:
            return tuple(sorted(proof.cells))
        clues = self.cores.clues_around(cell)
        same = {other for other in proof.cells if self.cores.clues_around(other) == clues}
        return tuple(sorted(same | {cell}))

    def witnesses(self, cell: Cell) -> Witnesses:
        """Return two layouts that fit: one with a mine at the undecided cell `cell`, and one
        without a mine at this cell. The layouts differ in as few cells as possible, unless the
        search for such layouts takes too long. Raises BoardError if the cell is not hidden, or if
        it is proved safe or a mine."""
        analysis, frontier = self.analysis, self.frontier
        cell = analysis.board.require_hidden(cell)
        number = frontier.number(cell)
        if cell in analysis.safe or cell in analysis.mines:
            label = analysis.board.geometry.label(cell)
            raise BoardError(f"cell {label} is proved, so all layouts agree there; choose another")
        open_cells = analysis.board.hidden - analysis.safe - analysis.mines
        undecided = frozenset(map(frontier.number, open_cells))
        constraints = self.cores.constraints
        pair = closest_pair(frontier.problem, constraints, number, undecided, self._fits)
        first, second = pair or (self._model(number, mine=mine) for mine in (True, False))
        with_mine, without = (
            frontier.cells(mines) | self._rest(mines, first | second) for mines in (first, second)
        )
        return Witnesses(with_mine, without, closest=pair is not None)

    def _fits(self, pair: tuple[set[int], set[int]]) -> bool:
        """Return whether some layout that fits the board has mines in all cells of the first set of
        `pair`, and in no cell of the second set."""
        mines, safe = map(self.frontier.cells, pair)
        known = dict.fromkeys(mines, MARKED) | dict.fromkeys(safe, CLEAR)
        asked = self.analysis._question
        try:
            analyze(
                self.analysis.board.replace(known),
                asked.mines,
                density=asked.density,
                clues=asked.clues,
                use_total=asked.use_total,
            )
        except Contradiction:
            return False
        return True

    def _model(self, cell: int, *, mine: bool) -> set[int]:
        """Return the mines that some layout that fits has in the frontier and at `cell`. In this
        layout, `cell` is a mine if `mine` is true, and safe otherwise."""
        told = [*self.cores.constraints, Constraint((cell,), int(mine), int(mine))]
        if self.frontier.problem.mines is not None:
            told.append(self.cores.total(cell))
        return mines_of(told)

    def _rest(self, mines: set[int], taken: set[int]) -> frozenset[Cell]:
        """Return the mines that complete `mines` to a layout: the marked cells and opened mines
        and, if the total is known, as many cells of the sea as the total still needs. No cell of
        the sea that is in `taken` is used."""
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
    """Return the sentence about all hidden cells that follows from the total and the mines that are
    marked or opened."""
    problem = frontier.problem
    assert problem.mines is not None
    return Sentence(frozenset(problem.cells), problem.mines, problem.mines)


def _ease(explanation: Explanation) -> tuple[int, int, int, Cell]:
    """Return a key that sorts explanations of proved cells by grade, then by the number of clues
    (the total counts as one more clue), then by the number of steps, then by cell. Explanations
    without `proofs` come last in their grade."""
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
        "text": wording.sentence(step),
    }
    if step.inside:
        document["suppose"] = wording.conclusion(step.premises[0].sentence)
        document["steps"] = [_step_json(inner, frontier, wording) for inner in step.inside]
    return document


def _as_fraction(share: Fraction) -> str:
    """Return a text such as ` = 1/3`, or an empty text if the denominator is 10,000 or more."""
    return f" = {share}" if share.denominator < 10_000 else ""
