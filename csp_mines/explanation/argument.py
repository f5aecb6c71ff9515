"""The values of arguments: sentences, steps with premises and a conclusion, and the checker of
steps.

A sentence says how many of some cells are mines, for example: one or two of these three cells. A
step concludes one sentence from other sentences, its premises. The checker does not rely on the
code that found a step: it goes through all layouts that fit the premises, and tests that each fits
the conclusion.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from itertools import count

from csp_mines.constraints import Constraint, impossible


class Rule(StrEnum):
    """The rule by which a step concludes its sentence. The rules `clue`, `total` and `suppose`
    need no premises: their sentences are the clues, the total and the suppositions. The other rules
    derive a sentence from premises."""

    CLUE = "clue"
    TOTAL = "total"
    SUPPOSE = "suppose"
    SINGLE = "single"  # from one sentence and known cells
    PAIR = "pair"  # from two sentences and known cells
    ROWS = "rows"  # from known cells, and from sentences that are added or subtracted
    SUM = "sum"  # from known cells, and from the total minus sentences that share no cell
    CASE = "case"  # because the opposite leads to a contradiction


GIVEN = (Rule.CLUE, Rule.TOTAL, Rule.SUPPOSE)


@dataclass(frozen=True)
class Sentence:
    """The sentence that between `low` and `high` of `cells` are mines.

    >>> sentence = csp_mines.Sentence.of(csp_mines.Constraint((0, 1), 2, 2))
    >>> sentence.all_mines
    True
    """

    cells: frozenset[int]
    low: int
    high: int

    @classmethod
    def of(cls, constraint: Constraint) -> Sentence:
        """Return a constraint as a sentence."""
        return cls(frozenset(constraint.cells), constraint.low, constraint.high)

    @classmethod
    def fact(cls, cells: Iterable[int], *, mine: bool) -> Sentence:
        """Return the sentence that all these cells are mines (`mine=True`), or that all are
        safe."""
        cells = frozenset(cells)
        bound = len(cells) if mine else 0
        return cls(cells, bound, bound)

    @property
    def impossible(self) -> bool:
        """Whether no number of mines among the cells is within the bounds."""
        return impossible(len(self.cells), self.low, self.high)

    @property
    def all_mines(self) -> bool:
        """Whether the sentence says that all of its cells are mines."""
        return self.low >= len(self.cells)

    @property
    def all_safe(self) -> bool:
        """Whether the sentence says that all of its cells are safe."""
        return self.high <= 0

    def opposite(self) -> Sentence:
        """Return the sentence that says the opposite about a single cell: safe instead of a mine,
        or a mine instead of safe."""
        return Sentence.fact(self.cells, mine=not self.all_mines)


@dataclass(frozen=True, eq=False)
class Inference:
    """A step: `sentence` follows from the sentences of `premises`.

    * The rule combines the sentences of the first `mains` premises. The other premises are the
      steps that proved some cells of these sentences safe or mines.
    * A step by the rule `case` has one premise, a supposition. The steps `inside` lead from the
      supposition to an impossible sentence. The step concludes the opposite of the supposition.
    * `statement` is the index of the clue, if the rule is `clue`.
    * `factors` says how often the rule `rows` adds each of the first `mains` premises; with a
      negative number, the premise is subtracted."""

    rule: Rule
    sentence: Sentence
    premises: tuple[Inference, ...] = ()
    inside: tuple[Inference, ...] = ()
    statement: int | None = None
    mains: int = 1
    factors: tuple[int, ...] = ()
    number: int = field(default_factory=count().__next__)  # steps are numbered as they are made

    @property
    def clues(self) -> frozenset[int]:
        """The indexes of the clues among the premises of this step and of the steps inside it."""
        named = {premise.statement for premise in self.premises if premise.statement is not None}
        return frozenset(named).union(*(step.clues for step in self.inside))


def check(
    steps: Sequence[Inference],
    clues: Mapping[int, Constraint],
    total: Sentence | None,
    supposed: Iterable[Inference] = (),
) -> bool:
    """Return whether every step is sound. Each premise of a step must be one of the `clues`, the
    `total`, the conclusion of an earlier step or the supposition of a case around the step. The
    premises must entail the conclusion. If the steps lie inside a case, `supposed` has the
    suppositions of this case and of all cases around it, and the steps before this case."""
    open_cases = set(supposed)
    settled = {case for case in open_cases if case.rule not in GIVEN}
    open_cases -= settled

    def stands(premise: Inference) -> bool:
        if premise.rule is Rule.CLUE:
            given = clues.get(-1 if premise.statement is None else premise.statement)
            return given is not None and premise.sentence == Sentence.of(given)
        if premise.rule is Rule.TOTAL:
            return premise.sentence == total
        return premise in (open_cases if premise.rule is Rule.SUPPOSE else settled)

    for step in steps:
        if step.rule is Rule.CASE:
            (supposition,) = step.premises
            scope = [*open_cases, *settled, supposition]
            sound = (
                supposition.rule is Rule.SUPPOSE
                and len(supposition.sentence.cells) == 1
                and step.sentence == supposition.sentence.opposite()
                and check(step.inside, clues, total, scope)
                and step.inside[-1].sentence.impossible
            )
        else:
            sound = all(map(stands, step.premises)) and entails(
                [premise.sentence for premise in step.premises], step.sentence
            )
        if not sound:
            return False
        settled.add(step)
    return True


def entails(premises: Sequence[Sentence], conclusion: Sentence) -> bool:
    """Return whether every layout that fits the premises also fits the conclusion. Cells that are
    in the same sentences are interchangeable and form a set. The function tries every combination
    of numbers of mines in these sets."""
    sentences = [*premises, conclusion]
    signature: dict[int, int] = {}
    for bit, sentence in enumerate(sentences):
        for cell in sentence.cells:
            signature[cell] = signature.get(cell, 0) | 1 << bit
    sizes: dict[int, int] = {}
    for mask in signature.values():
        sizes[mask] = sizes.get(mask, 0) + 1
    atoms = sorted(sizes.items())
    left = [sum(size for mask, size in atoms if mask >> bit & 1) for bit in range(len(sentences))]
    bounds = [(sentence.low, sentence.high) for sentence in sentences]

    def refuted(at: int, mines: list[int], left: list[int]) -> bool:
        """Return whether some layout fits the premises but not the conclusion. The numbers of mines
        in the sets of cells before index `at` are chosen already. For each sentence, `mines` says
        how many mines the sentence has in these sets, and `left` how many cells it has in the other
        sets."""
        for bit in range(len(premises)):
            if not (mines[bit] <= bounds[bit][1] and mines[bit] + left[bit] >= bounds[bit][0]):
                return False
        if at == len(atoms):
            return not bounds[-1][0] <= mines[-1] <= bounds[-1][1]
        mask, size = atoms[at]
        rest = [n - size * (mask >> bit & 1) for bit, n in enumerate(left)]
        return any(
            refuted(at + 1, [n + k * (mask >> bit & 1) for bit, n in enumerate(mines)], rest)
            for k in range(size + 1)
        )

    return not refuted(0, [0] * len(sentences), left)
