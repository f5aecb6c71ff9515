"""Reasoning: from clues that prove a cell to an argument that a person can follow.

`argue` looks for the simplest way. It tries each sentence alone, then two at a time, then the total
minus what disjoint sentences hold, and only then suppositions that end in a contradiction. If the
clues prove the cell, it finds an argument, since it finally tries every value of every cell.

`argue_from` uses only the steps of one grade and of easier ones: a clue alone (`single`), two clues
one of which lies inside the other (`pair`), the same with derived sentences (`subtraction`),
overlapping clues added and subtracted (`gauss`), cases (`search`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from enum import IntEnum
from itertools import count

from csp_mines.analysis.grades import BY_RULES, Grade
from csp_mines.constraints import Constraint, Problem, boxes_of, disjoint, places
from csp_mines.explanation.argument import GIVEN, Inference, Rule, Sentence, entails
from csp_mines.rows import RIGHT, Row, equation, forced, reduced

__all__ = ["argue", "argue_from"]

MOST_SENTENCES = 150  # the most that are kept while overlapping ones are combined
MOST_ROUNDS = 4


def argue(
    clues: Mapping[int, Constraint], total: Sentence | None, cell: int, *, mine: bool
) -> tuple[Inference, ...]:
    """Return steps that end with the value of `cell`, each after the steps it needs. Clues are
    named by their keys. The clues, with the total if given, must prove the cell; otherwise raise
    ValueError."""
    scope = _Scope.of(clues, Effort.ALL)
    if total is not None:
        scope.total = Inference(Rule.TOTAL, total)
    scope.run(cell)
    if cell not in scope.known:
        scope.split(cell, mine=mine)
    return scope.argument(cell, mine=mine)


def argue_from(
    weakest: Grade, clues: Mapping[int, Constraint], cell: int, *, mine: bool
) -> tuple[Grade, tuple[Inference, ...]]:
    """Return steps to the cell without a total, as the engine of the grade `weakest` takes them,
    and their grade.

    No step belongs to a harder grade; for `search` there is at least one case. If clues are only
    bounds, an engine may prove more than the steps of its grade. Then the steps and the grade are
    those of the next harder grade."""
    for grade in BY_RULES[weakest.rank :]:
        steps = _argue_by(grade, clues, cell, mine=mine)
        if steps is not None:
            return grade, steps
    steps = argue(clues, None, cell, mine=mine)
    if not any(step.rule is Rule.CASE for step in steps):
        scope = _Scope.of(clues, Effort.SINGLE)
        scope.run(cell)
        scope.split(cell, mine=mine)
        steps = scope.argument(cell, mine=mine)
    return Grade.SEARCH, steps


def _argue_by(
    grade: Grade, clues: Mapping[int, Constraint], cell: int, *, mine: bool
) -> tuple[Inference, ...] | None:
    """Return the steps of one grade, or None if they do not lead to the cell."""
    scope = _Scope.of(clues, _EFFORTS.get(grade, Effort.ALL))
    scope.run(cell)
    if cell not in scope.known and grade is Grade.GAUSS:
        scope = _Scope.of(clues, Effort.SINGLE)
        scope.add_up(cell)
    return scope.argument(cell, mine=mine) if cell in scope.known else None


def _needed(last: Inference) -> tuple[Inference, ...]:
    """Return the derived steps that `last` depends on, and `last`, in the order they were made."""
    steps: dict[int, Inference] = {}
    stack = [last]
    while stack:
        step = stack.pop()
        if step.rule in GIVEN or step.number in steps:
            continue
        steps[step.number] = step
        stack += step.premises
        stack += _from_outside(step)
    return tuple(steps[number] for number in sorted(steps))


def _from_outside(step: Inference) -> Iterator[Inference]:
    """Yield the premises that the steps inside a case take from outside."""
    own = {inner.number for inner in step.inside}
    for inner in step.inside:
        for premise in (*inner.premises, *_from_outside(inner)):
            if premise.number not in own:
                yield premise


# What a sentence still says, and the premises for that: its step and the known cells.
Live = tuple[Sentence, tuple[Inference, ...]]


class _Clash(Exception):
    """A step concludes an impossible sentence."""

    def __init__(self, step: Inference) -> None:
        self.step = step


class Effort(IntEnum):
    """How hard a scope tries."""

    SINGLE = 0  # each sentence alone
    NESTED = 1  # two clues, one inside the other
    CHAINED = 2  # the same with derived sentences
    PAIR = 3  # two clues that share cells
    ALL = 4  # the same with all sentences that two others give

    @property
    def nested(self) -> bool:
        """Whether one of two combined sentences must lie inside the other."""
        return self in (Effort.NESTED, Effort.CHAINED)


_EFFORTS = {  # a grade that is not here takes the greatest effort
    Grade.SINGLE: Effort.SINGLE,
    Grade.PAIR: Effort.NESTED,
    Grade.SUBTRACTION: Effort.CHAINED,
}


class _Scope:
    """What is known so far: sentences, and the cells they fix. A supposition opens a scope
    inside."""

    @classmethod
    def of(cls, clues: Mapping[int, Constraint], effort: Effort) -> _Scope:
        scope = cls()
        for index, clue in clues.items():
            scope.take(Inference(Rule.CLUE, Sentence.of(clue), statement=index))
        scope.given = dict(scope.steps)
        scope.effort = effort
        return scope

    def argument(self, cell: int, *, mine: bool) -> tuple[Inference, ...]:
        """Return the steps to a known cell. Raises ValueError if it is known to have the other
        value."""
        last = self.known[cell]
        if last.sentence.all_mines is not mine:
            raise ValueError(f"the clues prove the opposite for cell {cell}")
        return _needed(last)

    def __init__(self) -> None:
        # The tightest sentence for each set of cells, and those among them that the clues say.
        self.steps: dict[frozenset[int], Inference] = {}
        self.given: dict[frozenset[int], Inference] = {}
        self.known: dict[int, Inference] = {}
        self.effort = Effort.ALL
        self.total: Inference | None = None

    def fork(self, effort: Effort) -> _Scope:
        """Return a scope inside. Unless the effort is ALL, it starts from the given sentences and
        the known cells."""
        inner = _Scope()
        inner.steps = dict(self.steps) if effort is Effort.ALL else dict(self.given)
        inner.given, inner.total = self.given, self.total
        inner.known = dict(self.known)
        inner.effort = effort
        return inner

    def take(self, step: Inference) -> bool:
        """Keep a step's sentence if it is new. Raises _Clash."""
        sentence = step.sentence
        if sentence.impossible:
            raise _Clash(step)
        before = self.steps.get(sentence.cells)
        if before is not None:
            old = before.sentence
            if old.low >= sentence.low and old.high <= sentence.high:
                return False
            if not (sentence.low >= old.low and sentence.high <= old.high):
                both = Sentence(
                    sentence.cells, max(old.low, sentence.low), min(old.high, sentence.high)
                )
                return self.take(Inference(Rule.PAIR, both, (before, step), mains=2))
        self.steps[sentence.cells] = step
        return True

    def learn(self, step: Inference) -> None:
        for cell in step.sentence.cells:
            self.known.setdefault(cell, step)

    def _learn_all(self, steps: Sequence[Inference]) -> bool:
        """Learn all steps at once, so that no step depends on another one unnecessarily."""
        for step in steps:
            self.learn(_spare(step, nested=self.effort.nested))
        return bool(steps)

    def live(self, step: Inference) -> Live:
        """Return what a sentence still says, and the premises for that."""
        sentence = step.sentence
        gone = [cell for cell in sentence.cells if cell in self.known]
        if not gone:
            return sentence, (step,)
        mines = sum(self.known[cell].sentence.all_mines for cell in gone)
        facts = {self.known[cell].number: self.known[cell] for cell in sorted(gone)}
        rest = Sentence(
            sentence.cells - frozenset(gone), sentence.low - mines, sentence.high - mines
        )
        return rest, (step, *facts.values())

    def run(self, goal: int | None) -> None:
        """Apply the rules, simplest first, until the goal is known or nothing new follows. Raises
        _Clash."""
        for _ in count() if self.effort is Effort.CHAINED else range(MOST_ROUNDS):
            while goal not in self.known and (self._single() or self._pair(goal)):
                pass
            if goal in self.known or self.effort is Effort.SINGLE:
                return
            if self._sum():
                continue
            many = self.effort is Effort.ALL and len(self.steps) > MOST_SENTENCES
            if self.effort not in (Effort.CHAINED, Effort.ALL) or many or not self._combine():
                return

    def add_up(self, goal: int) -> None:
        """Use clues alone, and clues added and subtracted, until the goal is known or nothing new
        follows."""
        while goal not in self.known and (self._single() or self._rows()):
            pass

    def _single(self) -> bool:
        """Learn all cells that a sentence alone fixes. Raises _Clash."""
        facts = []
        for step in self.steps.values():
            rest, premises = self.live(step)
            if rest.impossible:
                raise _Clash(Inference(Rule.SINGLE, rest, premises))
            if rest.cells and (rest.all_safe or rest.all_mines):
                fact = Sentence.fact(rest.cells, mine=rest.all_mines)
                if len(premises) == 1 and fact == step.sentence and step.rule is not Rule.CLUE:
                    facts.append(step)
                else:
                    facts.append(Inference(Rule.SINGLE, fact, premises))
        return self._learn_all(facts)

    def _pair(self, goal: int | None) -> bool:
        """Learn all cells that two sentences together fix, or only the goal. Raises _Clash."""
        if self.effort is Effort.SINGLE:
            return False
        facts = [
            Inference(Rule.PAIR, sentence, premises, mains=2)
            for sentence, premises in self._pairs()
            if sentence.all_safe or sentence.all_mines
        ]
        aim = next((step for step in facts if goal in step.sentence.cells), None)
        return self._learn_all(facts if aim is None else [aim])

    def _combine(self) -> bool:
        """Learn every new sentence that two others give."""
        new = [
            Inference(Rule.PAIR, sentence, premises, mains=2)
            for sentence, premises in self._pairs()
        ]
        taken = [self.take(step) for step in new]
        return any(taken)

    def _pairs(self) -> Iterator[Live]:
        """Yield what two sentences with shared cells say about the shared cells and about the
        others. Of nested ones, yield what the larger leaves outside the smaller. Raises _Clash."""
        leaves = _difference if self.effort.nested else _overlap
        lives = [self.live(step) for step in self.steps.values()]
        for index, (first, some) in enumerate(lives):
            for other, others in lives[:index]:
                if first.cells.isdisjoint(other.cells) or first == other:
                    continue
                for sentence in leaves(first, other):
                    facts = dict.fromkeys((*others[1:], *some[1:]))
                    premises = (others[0], some[0], *facts)
                    if sentence.impossible:
                        raise _Clash(Inference(Rule.PAIR, sentence, premises, mains=2))
                    if sentence.low > 0 or sentence.high < len(sentence.cells):
                        yield sentence, premises

    def _rows(self) -> bool:
        """Reduce the equations of the clues and learn all cells that the bounds of a row fix."""
        lives = [self.live(step) for step in self.given.values()]
        exact = {live[0].cells: live for live in lives if live[0].low == live[0].high}
        told = tuple(
            Constraint(tuple(sorted(cells)), live[0].low, live[0].high)
            for cells, live in exact.items()
        )
        steps: list[Inference] = []
        for region in Problem.trusted(told).regions:
            sources = [
                exact[frozenset(cell for box in constraint.boxes for cell in region.boxes[box])]
                for constraint in region.constraints
            ]
            rows = (
                equation(constraint.boxes, constraint.low) | {RIGHT - 1 - index: 1}
                for index, constraint in enumerate(region.constraints)
            )
            for row in reduced(rows, _columns):
                steps += _row_steps(row, region.boxes, sources)
        return self._learn_all(steps)

    def _sum(self) -> bool:
        """Subtract disjoint sentences from the total. The rest may be all mines or all safe, or
        it may bound a sentence that was left out. Return whether something new follows. Raises
        _Clash."""
        if self.total is None:
            return False
        everything = self.live(self.total)
        lives = [self.live(step) for step in self.steps.values()]
        for family in _families([live for live in lives if live[0].cells]):
            for out in (None, *family):
                step = _remainder(everything, [live for live in family if live is not out])
                if step.sentence.impossible:
                    raise _Clash(step)
                if _bounds(step.sentence, out and out[0]) and self.take(step):
                    return True
        return False

    def split(self, goal: int | None, *, mine: bool = False) -> None:
        """Make the goal known by suppositions; without a goal, end in _Clash. Raises ValueError if
        no supposition helps."""
        while goal is None or goal not in self.known:
            step = self._first_case(goal, mine)
            if step is None:
                raise ValueError("the clues do not prove the cell")
            self.learn(step)
            self.run(goal)

    def _first_case(self, goal: int | None, mine: bool) -> Inference | None:
        """Return a case without other cases inside, found with as little effort as possible; else a
        case with others inside. The greatest effort is spent on the goal only."""
        candidates = list(self._candidates(goal, mine))
        aim = candidates[:1] if goal is not None else []
        for effort, nested, some in (
            (Effort.SINGLE, False, candidates),
            (Effort.PAIR, False, candidates),
            (Effort.ALL, False, aim),
            (Effort.PAIR, True, candidates),
        ):
            for cell, value in some:
                step = self._case(cell, value, effort, nested=nested)
                if step is not None:
                    return step
        return None

    def _candidates(self, goal: int | None, mine: bool) -> Iterator[tuple[int, bool]]:
        """Yield what to suppose: first the opposite of the goal, then cells that occur in many
        sentences. Of cells that no sentence distinguishes, only one is tried."""
        if goal is not None:
            yield goal, not mine
        inside = places(step.sentence.cells - self.known.keys() for step in self.given.values())
        boxes = boxes_of(inside)
        for _, cell in sorted((-len(indexes), min(cells)) for indexes, cells in boxes.items()):
            yield cell, True
            yield cell, False

    def _case(self, cell: int, value: bool, effort: Effort, *, nested: bool) -> Inference | None:
        inner = self.fork(effort)
        supposed = Inference(Rule.SUPPOSE, Sentence.fact([cell], mine=value))
        inner.learn(supposed)
        try:
            inner.run(None)
            if not nested:
                return None
            inner.split(None)
        except _Clash as clash:
            inside = tuple(step for step in _needed(clash.step) if step.number > supposed.number)
            return Inference(Rule.CASE, supposed.sentence.opposite(), (supposed,), inside)
        except ValueError:
            return None
        return None


def _spare(step: Inference, *, nested: bool) -> Inference:
    """Return the step without the known cells that it does not need. A sentence that already has
    its mines needs no safe cells. Two sentences may need neither, unless one lies inside the other
    only without these cells."""
    mains, facts = step.premises[: step.mains], step.premises[step.mains :]
    if step.rule is Rule.SINGLE and step.sentence.all_safe:
        facts = tuple(fact for fact in facts if fact.sentence.all_mines)
    elif step.rule is Rule.PAIR and not nested:
        for fact in reversed(facts):
            fewer = tuple(other for other in facts if other is not fact)
            if entails([premise.sentence for premise in (*mains, *fewer)], step.sentence):
                facts = fewer
    return replace(step, premises=(*mains, *facts))


def _overlap(first: Sentence, other: Sentence) -> Iterator[Sentence]:
    """Yield what two sentences say about the cells they share, and about those that only one
    has."""
    shared = first.cells & other.cells
    own, others = first.cells - shared, other.cells - shared
    low = max(0, first.low - len(own), other.low - len(others))
    high = min(len(shared), first.high, other.high)
    yield Sentence(shared, low, high)
    if low <= high:
        for cells, whole in ((own, first), (others, other)):
            if cells:
                most = min(len(cells), whole.high - low)
                yield Sentence(cells, max(0, whole.low - high), most)


def _difference(first: Sentence, other: Sentence) -> Iterator[Sentence]:
    """Yield what the larger of two nested sentences leaves outside the smaller. For two sentences
    about the same cells, yield what both say. Otherwise yield nothing."""
    small, large = sorted((first, other), key=lambda sentence: len(sentence.cells))
    if small.cells == large.cells:
        yield Sentence(small.cells, max(small.low, large.low), min(small.high, large.high))
    elif small.cells < large.cells:
        cells = large.cells - small.cells
        low, high = large.low - small.high, large.high - small.low
        yield Sentence(cells, max(low, 0), min(high, len(cells)))


def _columns(row: Row) -> int:
    """Count the columns of a row, without those that track which equations it is made of."""
    return sum(column >= RIGHT for column in row)


def _row_steps(
    row: Row, boxes: Sequence[tuple[int, ...]], sources: Sequence[Live]
) -> Iterator[Inference]:
    """Yield the mines and the safe cells that a row fixes. The factors are signed so that mines
    have positive weights and safe cells negative ones."""
    fixed = list(forced(row, [len(box) for box in boxes]))
    sign = 1 if all(mine == (row[box] > 0) for box, mine in fixed) else -1
    made_of = [(index, row.get(RIGHT - 1 - index, 0)) for index in range(len(sources))]
    used = [(sources[index][1], sign * factor) for index, factor in made_of if factor]
    facts = dict.fromkeys(fact for premises, _ in used for fact in premises[1:])
    for mine in (True, False):
        cells = [cell for box, value in fixed if value is mine for cell in boxes[box]]
        if cells:
            yield Inference(
                Rule.ROWS,
                Sentence.fact(cells, mine=mine),
                (*(premises[0] for premises, _ in used), *facts),
                mains=len(used),
                factors=tuple(factor for _, factor in used),
            )


def _families(lives: Sequence[Live]) -> Iterator[list[Live]]:
    """Yield families of disjoint sentences, chosen greedily in a few orders: exact and large ones
    first, those with the most mines, those that are nearly full, exact and small ones."""
    orders: tuple[Callable[[Sentence], tuple[int, int]], ...] = (
        lambda sentence: (sentence.high - sentence.low, -len(sentence.cells)),
        lambda sentence: (-sentence.low, len(sentence.cells)),
        lambda sentence: (sentence.high - len(sentence.cells), sentence.high),
        lambda sentence: (sentence.high - sentence.low, len(sentence.cells)),
    )
    for order in orders:
        ordered = sorted(lives, key=lambda live: (order(live[0]), sorted(live[0].cells)))
        yield disjoint(ordered, lambda live: live[0].cells)


def _remainder(everything: Live, family: Sequence[Live]) -> Inference:
    """Return what the total leaves outside disjoint sentences."""
    whole, (total, *known) = everything
    cells = whole.cells.difference(*(part.cells for part, _ in family))
    low = whole.low - sum(part.high for part, _ in family)
    high = whole.high - sum(part.low for part, _ in family)
    mains = (total, *(premises[0] for _, premises in family))
    facts = dict.fromkeys([*known, *(fact for _, premises in family for fact in premises[1:])])
    left = Sentence(cells, max(low, 0), min(high, len(cells)))
    return Inference(Rule.SUM, left, (*mains, *facts), mains=len(mains))


def _bounds(left: Sentence, out: Sentence | None) -> bool:
    """Whether the rest of the total fixes all of its cells, or, if it includes the cells of `out`,
    says more about them than `out` does."""
    if out is None:
        return bool(left.cells) and (left.all_safe or left.all_mines)
    return any(
        sentence.low > out.low or sentence.high < out.high
        for sentence in _overlap(left, out)
        if sentence.cells == out.cells
    )
