"""The search for arguments: steps by which a person can see that clues prove a cell safe or a mine.

`argue` looks for a simple argument. It tries each sentence alone, then two sentences at a time.
Then it subtracts sentences from the total; no two of these sentences share a cell. If none of this
suffices, it supposes the value of a cell (safe or a mine) and looks for a contradiction. If the
clues prove the cell, `argue` always finds an argument, because it can put suppositions inside
suppositions until every cell has a value.

A sentence lies *inside* another one if all its cells are also cells of the other one. `argue_from`
uses only the steps of one grade and of easier grades. The steps of the grades are:

* `single`: one clue alone;
* `pair`: two clues, one of which lies inside the other;
* `subtraction`: two sentences, clues or derived, one of which lies inside the other;
* `gauss`: clues that are added and subtracted;
* `search`: cases.

Arguments are kept short: an argument has only the steps that its last step needs, and a step names
only the known cells that it needs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from copy import copy
from dataclasses import replace
from enum import IntEnum
from itertools import count

from csp_mines.analysis.grades import BY_RULES, Grade
from csp_mines.constraints import Constraint, Problem, boxes_of, disjoint, places
from csp_mines.explanation.argument import GIVEN, Inference, Rule, Sentence, entails
from csp_mines.rows import RIGHT, Row, equation, forced, reduced

MOST_SENTENCES = 150  # with more sentences, no two are combined into a new one
MOST_ROUNDS = 4  # how often `_Scope.run` combines sentences; no limit for Effort.CHAINED


def argue(
    clues: Mapping[int, Constraint], total: Sentence | None, cell: int, *, mine: bool
) -> tuple[Inference, ...]:
    """Return steps, the last of which proves that `cell` is a mine, or safe if `mine` is False.
    Each step comes after the steps that it needs. A step refers to a clue by its key in `clues`.
    Raises ValueError if the clues, with the total if it is given, do not prove this."""
    scope = _Scope(clues, Effort.ALL)
    if total is not None:
        scope.total = Inference(Rule.TOTAL, total)
    scope.run(cell)
    if cell not in scope.known:
        scope.split(cell, mine=mine)
    return scope.argument(cell, mine=mine)


def argue_from(
    weakest: Grade, clues: Mapping[int, Constraint], cell: int, *, mine: bool
) -> tuple[Grade, tuple[Inference, ...]]:
    """Return a grade, and steps that prove without the total that `cell` is a mine, or safe if
    `mine` is False. All steps are of this grade or easier. If the grade is `search`, at least one
    step is a case.

    The grade is the easiest one, from `weakest` on, whose steps prove the cell. With noisy clues,
    it may be harder than `weakest` even if the engine `weakest` proves the cell."""
    for grade in BY_RULES[weakest.rank :]:
        steps = _argue_by(grade, clues, cell, mine=mine)
        if steps is not None:
            return grade, steps
    steps = argue(clues, None, cell, mine=mine)
    if not any(step.rule is Rule.CASE for step in steps):
        scope = _Scope(clues, Effort.SINGLE)
        scope.run(cell)
        scope.split(cell, mine=mine)
        steps = scope.argument(cell, mine=mine)
    return Grade.SEARCH, steps


def _argue_by(
    grade: Grade, clues: Mapping[int, Constraint], cell: int, *, mine: bool
) -> tuple[Inference, ...] | None:
    """Return steps of this grade or easier that prove that the cell is a mine, or safe if `mine`
    is False. Return None if there are no such steps."""
    scope = _Scope(clues, _EFFORTS.get(grade, Effort.ALL))
    scope.run(cell)
    if cell not in scope.known and grade is Grade.GAUSS:
        scope = _Scope(clues, Effort.SINGLE)
        scope.add_up(cell)
    return scope.argument(cell, mine=mine) if cell in scope.known else None


def _needed(last: Inference) -> tuple[Inference, ...]:
    """Return `last` and all derived steps that it depends on, in the order in which they were
    made."""
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
    """Yield the premises that the steps inside a case take from outside the case."""
    own = {inner.number for inner in step.inside}
    for inner in step.inside:
        for premise in (*inner.premises, *_from_outside(inner)):
            if premise.number not in own:
                yield premise


# A sentence without its known cells, and the premises of this sentence: the step of the whole
# sentence, and the steps that made those cells known.
Live = tuple[Sentence, tuple[Inference, ...]]


class _Clash(Exception):
    """A step concludes an impossible sentence."""

    def __init__(self, step: Inference) -> None:
        self.step = step


class Effort(IntEnum):
    """How hard a `_Scope` tries: which pairs of sentences it combines."""

    SINGLE = 0  # no two sentences: each sentence is used alone
    NESTED = 1  # two clues, if one lies inside the other
    CHAINED = 2  # two sentences, clues or derived, if one lies inside the other
    PAIR = 3  # two clues that share cells
    ALL = 4  # two sentences, clues or derived, that share cells

    @property
    def nested(self) -> bool:
        """Whether two sentences are combined only if one lies inside the other."""
        return self in (Effort.NESTED, Effort.CHAINED)


_EFFORTS = {  # every other grade has Effort.ALL
    Grade.SINGLE: Effort.SINGLE,
    Grade.PAIR: Effort.NESTED,
    Grade.SUBTRACTION: Effort.CHAINED,
}


class _Scope:
    """The sentences that hold so far, and the cells that are known to be safe or mines. Each
    supposition opens an inner scope. The *goal* is the cell to prove; an inner scope has no goal,
    but looks for a contradiction."""

    def __init__(self, clues: Mapping[int, Constraint], effort: Effort) -> None:
        """Begin with the clues alone."""
        self.effort = effort
        self.total: Inference | None = None
        self.known: dict[int, Inference] = {}
        self.steps: dict[frozenset[int], Inference] = {}  # the tightest sentence about each set
        for index, clue in clues.items():
            self.take(Inference(Rule.CLUE, Sentence.of(clue), statement=index))
        self.given = dict(self.steps)  # only the sentences of the clues

    def argument(self, cell: int, *, mine: bool) -> tuple[Inference, ...]:
        """Return the steps that prove a known cell. Raises ValueError if they prove the opposite of
        `mine`."""
        last = self.known[cell]
        if last.sentence.all_mines is not mine:
            raise ValueError(f"the clues prove the opposite for cell {cell}")
        return _needed(last)

    def fork(self, effort: Effort) -> _Scope:
        """Return a scope inside this one. It starts with the known cells and the sentences of the
        clues. If the effort is ALL, it also starts with the derived sentences."""
        inner = copy(self)
        inner.steps = dict(self.steps if effort is Effort.ALL else self.given)
        inner.known, inner.effort = dict(self.known), effort
        return inner

    def take(self, step: Inference) -> bool:
        """Keep the sentence of a step if it says something new, and return whether it does. Raises
        _Clash if the sentence is impossible."""
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
        """Make the cells of a step known, except those that are known already."""
        for cell in step.sentence.cells:
            self.known.setdefault(cell, step)

    def _learn_all(self, steps: Sequence[Inference]) -> bool:
        """Make the cells of all steps known, and return whether there are any steps. The caller
        makes all steps first, so that no step uses cells that another step makes known."""
        for step in steps:
            self.learn(_spare(step, nested=self.effort.nested))
        return bool(steps)

    def live(self, step: Inference) -> Live:
        """Return the sentence of a step without its known cells, and the premises of this shorter
        sentence."""
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
        """Apply the rules, the simplest first, until the goal is known or nothing new follows.
        Raises _Clash if a sentence is impossible."""
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
        """Use single clues, and clues added and subtracted, until the goal is known or nothing new
        follows."""
        while goal not in self.known and (self._single() or self._rows()):
            pass

    def _single(self) -> bool:
        """Learn all cells that follow from one sentence alone, and return whether there are any.
        Raises _Clash if a sentence is impossible."""
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
        """Learn all cells that follow from two sentences, and return whether there are any. If the
        goal is among them, learn only the step that proves it. Raises _Clash if two sentences
        exclude each other."""
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
        """Keep every new sentence that follows from two others, and return whether there is one."""
        new = [
            Inference(Rule.PAIR, sentence, premises, mains=2)
            for sentence, premises in self._pairs()
        ]
        taken = [self.take(step) for step in new]
        return any(taken)

    def _pairs(self) -> Iterator[Live]:
        """Yield the sentences that follow from any two sentences with shared cells: those of
        `_difference` if the effort is `nested`, else those of `_overlap`. Raises _Clash if two
        sentences exclude each other."""
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
        """Add and subtract the clues that are equations, by row reduction. Learn all cells that
        follow from a single row, and return whether there are any."""
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
        """Subtract a list of sentences from the total; no two of them share a cell. If all of them
        are subtracted, the remaining cells may be all mines or all safe. If all but one are
        subtracted, the cells of that one may get tighter bounds. Keep the first new sentence that
        follows, and return whether there is one. Raises _Clash if the total cannot be met."""
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
        """Suppose values of cells until the goal is known; without a goal, until _Clash is raised.
        Raises ValueError if no supposition leads to a contradiction."""
        while goal is None or goal not in self.known:
            step = self._first_case(goal, mine)
            if step is None:
                raise ValueError("the clues do not prove the cell")
            self.learn(step)
            self.run(goal)

    def _first_case(self, goal: int | None, mine: bool) -> Inference | None:
        """Return a case: a supposition that leads to a contradiction. Return None if no case is
        found. Cases without inner cases are tried first, with rising effort; then cases with inner
        cases. `mine` says whether the goal is to be proved a mine or safe. Effort.ALL is tried only
        for the supposition that the goal has the opposite value."""
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
        """Yield cells, each with a value to suppose for it: True for a mine, False for safe. The
        goal comes first, with the value `not mine`. Then come unknown cells with both values. Cells
        in many sentences come before cells in few. Of cells that are in the same sentences, only
        one is tried."""
        if goal is not None:
            yield goal, not mine
        inside = places(step.sentence.cells - self.known.keys() for step in self.given.values())
        boxes = boxes_of(inside)
        for _, cell in sorted((-len(indexes), min(cells)) for indexes, cells in boxes.items()):
            yield cell, True
            yield cell, False

    def _case(self, cell: int, value: bool, effort: Effort, *, nested: bool) -> Inference | None:
        """Suppose that a cell is a mine, or safe if `value` is False. Return the case if this leads
        to a contradiction, else None. With `nested`, cases inside the case are tried, too."""
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
    """Return the step without its needless premises about known cells.

    If the step proves cells safe because one sentence has all its mines already, the premises about
    safe cells are needless. If the step combines two sentences, a premise about known cells is
    needless if the conclusion follows without it. With `nested`, two sentences are combined only if
    one lies inside the other. Sometimes this is true only after known cells are removed from both.
    So a step that combines two sentences then keeps all its premises."""
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
    """Yield the sentences that follow from two sentences together: one about the cells that they
    share, and one about the other cells of each."""
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
    """If the sentences have the same cells, yield one sentence with the tighter bounds of both. If
    one of them has more cells and contains the other, yield the sentence that follows about its
    additional cells. Otherwise yield nothing."""
    small, large = sorted((first, other), key=lambda sentence: len(sentence.cells))
    if small.cells == large.cells:
        yield Sentence(small.cells, max(small.low, large.low), min(small.high, large.high))
    elif small.cells < large.cells:
        cells = large.cells - small.cells
        low, high = large.low - small.high, large.high - small.low
        yield Sentence(cells, max(low, 0), min(high, len(cells)))


def _columns(row: Row) -> int:
    """Return the length by which the function `reduced` compares rows: the number of columns for
    variables and the right side. Columns that say which equations the row combines do not count."""
    return sum(column >= RIGHT for column in row)


def _row_steps(
    row: Row, boxes: Sequence[tuple[int, ...]], sources: Sequence[Live]
) -> Iterator[Inference]:
    """Yield a step for the mines that a row proves, and a step for the safe cells that it proves.
    The row is a sum of `sources`, each multiplied by a factor. If the proved mines have negative
    coefficients in the row, and the safe cells positive ones, the steps negate all factors."""
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
    """Yield four lists of sentences. For each list, the sentences are sorted in a different order.
    Each sentence that shares no cell with those already in the list is added to it. The orders
    begin with: exact and large sentences; sentences with the most mines; sentences with the most
    safe cells; exact and small sentences."""
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
    """Return the step that says how many mines the total leaves for the cells outside the sentences
    of `family`, which share no cell."""
    whole, (total, *known) = everything
    cells = whole.cells.difference(*(part.cells for part, _ in family))
    low = whole.low - sum(part.high for part, _ in family)
    high = whole.high - sum(part.low for part, _ in family)
    mains = (total, *(premises[0] for _, premises in family))
    facts = dict.fromkeys([*known, *(fact for _, premises in family for fact in premises[1:])])
    left = Sentence(cells, max(low, 0), min(high, len(cells)))
    return Inference(Rule.SUM, left, (*mains, *facts), mains=len(mains))


def _bounds(left: Sentence, out: Sentence | None) -> bool:
    """Return whether `left`, which is the total minus some sentences, says something new. If `out`
    is None, `left` must say that all its cells are safe, or that all are mines. Otherwise `out` is
    the sentence that was not subtracted, so `left` contains the cells of `out`. Then `left` and
    `out` together must give tighter bounds for these cells than `out` alone."""
    if out is None:
        return bool(left.cells) and (left.all_safe or left.all_mines)
    return any(
        sentence.low > out.low or sentence.high < out.high
        for sentence in _overlap(left, out)
        if sentence.cells == out.cells
    )
