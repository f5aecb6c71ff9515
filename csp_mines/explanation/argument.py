"""The parts of an argument that proves a cell: sentences and steps. A checker of the steps.

A sentence says how many of some cells are mines, for example: one or two of these three cells are
mines. A step concludes one sentence. Its premises are the steps from whose sentences the conclusion
follows. The checker does not rely on the code that finds the steps: it goes through all layouts
that fit the premises of a step, and tests that each layout also fits the conclusion. A case has
steps inside it, which are checked in the same way.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from itertools import count

from csp_mines.constraints import Constraint, impossible


class Rule(StrEnum):
    """The rule by which a step concludes its sentence. A step by the rule `clue`, `total` or
    `suppose` has no premises: its sentence is a clue, the total or a supposition. A step by any
    other rule derives its sentence."""

    CLUE = "clue"
    TOTAL = "total"
    SUPPOSE = "suppose"
    SINGLE = "single"  # from one sentence and known cells
    PAIR = "pair"  # from two sentences and known cells
    ROWS = "rows"  # from known cells, and from sentences that are added or subtracted
    SUM = "sum"  # from known cells, and from the total minus sentences that share no cell
    CASE = "case"  # because the opposite sentence leads to a contradiction


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
        """Return the sentence with the cells and the bounds of a constraint."""
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

    def given(self, known: Mapping[int, bool]) -> Sentence:
        """Return the sentence about the cells that are not in `known`. `known` maps known mines to
        True and known safe cells to False."""
        mines = sum(known.get(cell, False) for cell in self.cells)
        return Sentence(self.cells.difference(known), self.low - mines, self.high - mines)

    def opposite(self) -> Sentence:
        """Return the opposite of a sentence that says that a single cell is a mine or is safe."""
        return Sentence.fact(self.cells, mine=not self.all_mines)


@dataclass(frozen=True, eq=False)
class Inference:
    """A step of an argument. The step concludes `sentence` by `rule`. The other fields depend on
    the rule:

    * `clue`, `total`, `suppose`: the step has no premises. If the rule is `clue`, `statement` is
      the index of the clue.
    * `single`, `pair`, `rows`, `sum`: the step combines the sentences of its first `mains`
      premises. The other premises prove or suppose that some cells of these sentences are safe or
      mines. If the rule is `rows`, `factors` says how often each of the first `mains` premises is
      added; a premise with a negative factor is subtracted.
    * `case`: the step has one premise, a supposition. The steps `inside` lead from the supposition
      to an impossible sentence, so `sentence` is the opposite of the supposition."""

    rule: Rule
    sentence: Sentence
    premises: tuple[Inference, ...] = ()
    inside: tuple[Inference, ...] = ()
    statement: int | None = None
    mains: int = 1
    factors: tuple[int, ...] = ()
    number: int = field(default_factory=count().__next__)  # steps are numbered as they are made

    @property
    def known(self) -> dict[int, bool]:
        """The cells that the premises after the first `mains` prove or suppose: True for a mine,
        False for a safe cell."""
        facts = (fact.sentence for fact in self.premises[self.mains :])
        return {cell: sentence.all_mines for sentence in facts for cell in sentence.cells}

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
    """Return whether every step is sound.

    * A step by any rule except `case` is sound if its premises entail its sentence, and if each
      premise is one of the `clues`, the `total`, an earlier step, or the supposition of a case
      around the step.
    * A step by the rule `case` is sound if its sentence is the opposite of its supposition, the
      supposition is about a single cell, the steps inside are sound, and the last of these steps
      concludes an impossible sentence.

    `clues` maps the index of each clue to its constraint. `total` is None if no step may use the
    total. If `steps` are the steps inside a case, `supposed` has the suppositions of this case and
    of all cases around it, and all steps that were checked before this case."""
    held = set(supposed)

    def stands(premise: Inference) -> bool:
        if premise.rule is Rule.CLUE:
            given = clues.get(-1 if premise.statement is None else premise.statement)
            return given is not None and premise.sentence == Sentence.of(given)
        if premise.rule is Rule.TOTAL:
            return premise.sentence == total
        return premise in held

    for step in steps:
        if step.rule is Rule.CASE:
            if len(step.premises) != 1 or not step.inside:
                return False
            (supposition,) = step.premises
            sound = (
                supposition.rule is Rule.SUPPOSE
                and len(supposition.sentence.cells) == 1
                and step.sentence == supposition.sentence.opposite()
                and check(step.inside, clues, total, [*held, supposition])
                and step.inside[-1].sentence.impossible
            )
        else:
            sound = all(map(stands, step.premises)) and entails(
                [premise.sentence for premise in step.premises], step.sentence
            )
        if not sound:
            return False
        held.add(step)
    return True


def entails(premises: Sequence[Sentence], conclusion: Sentence) -> bool:
    """Return whether every layout that fits the premises also fits the conclusion. Cells that are
    in exactly the same sentences are interchangeable and form a set. The function tries every
    combination of numbers of mines in these sets."""
    sentences = [*premises, conclusion]
    signature: dict[int, int] = {}
    for bit, sentence in enumerate(sentences):
        for cell in sentence.cells:
            signature[cell] = signature.get(cell, 0) | 1 << bit
    atoms = sorted(Counter(signature.values()).items())
    left = [sum(size for mask, size in atoms if mask >> bit & 1) for bit in range(len(sentences))]
    bounds = [(sentence.low, sentence.high) for sentence in sentences]

    def refuted(at: int, mines: list[int], left: list[int]) -> bool:
        """Return whether some layout fits the premises but not the conclusion. The numbers of mines
        in the sets of cells `atoms[:at]` are chosen already. For each sentence, `mines` says how
        many mines the sentence has in these sets, and `left` says how many cells the sentence has
        in the other sets."""
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
