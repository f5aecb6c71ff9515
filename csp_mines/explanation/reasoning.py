"""The search for arguments: steps by which a person can see that clues prove a cell safe or a mine.

A sentence says that between `low` and `high` of some cells are mines. Clues are sentences, and
steps derive more sentences. A cell is *known* once a step proves or supposes its value, safe or a
mine.

`argue` looks for a simple argument. It tries each sentence alone, then two sentences at a time.
Then it chooses sentences that share no cell, and subtracts them from the total. If none of this
suffices, it supposes the value of a cell and looks for a contradiction. If the clues, with the
total if it is given, prove the cell, `argue` always finds an argument, because it can put
suppositions inside suppositions until every cell has a value.

`argue_from` tries one grade after another, from easy to hard. For each grade, it uses only the
steps of this grade and of easier grades. Every step may also use known cells. A sentence lies
*inside* another one if all its cells are also cells of the other one. The steps of the grades are:

* `single`: one clue alone;
* `pair`: two clues, one of which lies inside the other;
* `subtraction`: two sentences, clues or derived, one of which lies inside the other;
* `gauss`: two sentences that share cells, clues or derived; also any number of clues, added and
  subtracted;
* `search`: cases.

An argument has only the steps that its last step needs.
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

MOST_SENTENCES = 150  # with more sentences, Effort.ALL does not call `_Scope._combine`
MOST_ROUNDS = 4  # the most rounds of `_Scope.run`; Effort.CHAINED has no limit


def argue(
    clues: Mapping[int, Constraint], total: Sentence | None, cell: int, *, mine: bool
) -> tuple[Inference, ...]:
    """Return steps, the last of which proves that `cell` is a mine, or safe if `mine` is False.
    Each step comes after the steps that it needs. The field `statement` of a clue among the
    premises is the key of this clue in `clues`.

    `total` is a sentence about all hidden cells, or None. The clues must not contradict each other
    or the total. Raises ValueError if the clues and the total do not prove the cell."""
    scope = _Scope(clues, Effort.ALL)
    if total is not None:
        scope.total = Inference(Rule.TOTAL, total)
    return scope.prove(cell, mine=mine)


def argue_from(
    weakest: Grade, clues: Mapping[int, Constraint], cell: int, *, mine: bool
) -> tuple[Grade, tuple[Inference, ...]]:
    """Return a grade, and steps that prove that `cell` is a mine, or safe if `mine` is False. The
    steps do not use the total. Each step is of the returned grade or of an easier one.

    `weakest` must be the easiest grade whose engine proves the cell from `clues`. The returned
    grade is the easiest one, from `weakest` on, whose steps prove the cell. If the returned grade
    is `search`, at least one step is a case. Raises ValueError if the clues do not prove the
    cell."""
    for grade in BY_RULES[weakest.rank :]:
        steps = _argue_by(grade, clues, cell, mine=mine)
        if steps is not None:
            return grade, steps
    steps = argue(clues, None, cell, mine=mine)
    if not any(step.rule is Rule.CASE for step in steps):
        steps = _Scope(clues, Effort.SINGLE).prove(cell, mine=mine)
    return Grade.SEARCH, steps


def _argue_by(
    grade: Grade, clues: Mapping[int, Constraint], cell: int, *, mine: bool
) -> tuple[Inference, ...] | None:
    """Return steps of `grade` and of easier grades that prove that `cell` is a mine, or safe if
    `mine` is False. Return None if the search finds no such steps."""
    scope = _Scope(clues, _EFFORTS.get(grade, Effort.ALL))
    scope.run(cell)
    if cell not in scope.known and grade is Grade.GAUSS:
        scope = _Scope(clues, Effort.SINGLE)
        scope.add_up(cell)
    return scope.argument(cell, mine=mine) if cell in scope.known else None


def _needed(last: Inference) -> tuple[Inference, ...]:
    """Return `last` and all derived steps on which `last` depends, directly or indirectly. The
    steps are in the order in which the search made them. Steps inside a case stay inside it."""
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
    """Yield the premises that the steps inside the case `step` take from outside this case. Yield
    nothing if `step` is not a case."""
    own = {inner.number for inner in step.inside}
    for inner in step.inside:
        for premise in (*inner.premises, *_from_outside(inner)):
            if premise.number not in own:
                yield premise


# A sentence from which the known cells were removed, and its premises: the step of the whole
# sentence, then the steps that proved the removed cells.
Live = tuple[Sentence, tuple[Inference, ...]]


class _Clash(Exception):
    """A step concludes an impossible sentence."""

    def __init__(self, step: Inference) -> None:
        self.step = step


class Effort(IntEnum):
    """Which pairs of sentences a `_Scope` combines. Sentences derived by `_sum` count as clues."""

    SINGLE = 0  # no pairs: each sentence is used alone
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
    supposition opens an inner scope. The *goal* is the cell to prove. An inner scope has no goal;
    it looks for a contradiction."""

    def __init__(self, clues: Mapping[int, Constraint], effort: Effort) -> None:
        """Make a scope with the clues as its only sentences. Raises _Clash if a clue is impossible,
        or if two clues about the same cells exclude each other."""
        self.effort = effort
        self.total: Inference | None = None
        self.known: dict[int, Inference] = {}
        # For each set of cells, the step whose sentence has the tightest bounds.
        self.steps: dict[frozenset[int], Inference] = {}
        for index, clue in clues.items():
            self.take(Inference(Rule.CLUE, Sentence.of(clue), statement=index))
        self.given = dict(self.steps)  # only the sentences of the clues

    def prove(self, goal: int, *, mine: bool) -> tuple[Inference, ...]:
        """Return the steps that prove the goal a mine, or safe if `mine` is False: with the rules
        that the effort allows and, if they do not suffice, with cases. Raises ValueError if the
        sentences do not prove this."""
        self.run(goal)
        self.split(goal, mine=mine)
        return self.argument(goal, mine=mine)

    def argument(self, cell: int, *, mine: bool) -> tuple[Inference, ...]:
        """Return the steps that prove a known cell. `mine` says whether the caller expects a mine
        or a safe cell. Raises ValueError if the steps prove the opposite."""
        last = self.known[cell]
        if last.sentence.all_mines is not mine:
            proved, expected = ("safe", "a mine") if mine else ("a mine", "safe")
            raise ValueError(f"the steps prove that cell {cell} is {proved}, not {expected}")
        return _needed(last)

    def fork(self, effort: Effort) -> _Scope:
        """Return an inner scope with this effort. It starts with the clues, the total and the known
        cells of this scope. If `effort` is ALL, it also starts with the derived sentences."""
        inner = copy(self)
        inner.steps = dict(self.steps if effort is Effort.ALL else self.given)
        inner.known, inner.effort = dict(self.known), effort
        return inner

    def take(self, step: Inference) -> bool:
        """If a kept step about the same cells has bounds that are at least as tight, return False.
        Otherwise keep `step` and return True. If each of these two steps has one tighter bound,
        keep a step that combines both instead. Raises _Clash if `step` or the combined step is
        impossible."""
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
        """Make the cells of `step` known. For cells that are known already, keep the older step."""
        for cell in step.sentence.cells:
            self.known.setdefault(cell, step)

    def _learn_all(self, steps: Sequence[Inference]) -> bool:
        """Learn the cells of all steps, and return whether there are any steps. `_spare` first
        removes needless premises. The caller makes all steps before the call, so that no step uses
        cells that another of these steps proves."""
        for step in steps:
            self.learn(_spare(step, nested=self.effort.nested))
        return bool(steps)

    def live(self, step: Inference) -> Live:
        """Return the sentence of a step without the known cells, and the premises of this shorter
        sentence."""
        gone = {cell: self.known[cell] for cell in step.sentence.cells if cell in self.known}
        if not gone:
            return step.sentence, (step,)
        facts = dict.fromkeys(gone[cell] for cell in sorted(gone))
        rest = step.sentence.given({cell: fact.sentence.all_mines for cell, fact in gone.items()})
        return rest, (step, *facts)

    def run(self, goal: int | None) -> None:
        """Apply the rules that the effort allows, the simplest first. Stop when the goal is known,
        when nothing new follows, or at a limit (MOST_ROUNDS or MOST_SENTENCES). Raises _Clash if a
        step concludes an impossible sentence."""
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
        """Use single clues, and clues added and subtracted. Stop when the goal is known or nothing
        new follows. Raises _Clash if the known cells contradict a clue."""
        while goal not in self.known and (self._single() or self._rows()):
            pass

    def _single(self) -> bool:
        """Learn every cell that one sentence proves together with the known cells. Return whether
        there are any such cells. Raises _Clash if the known cells contradict a sentence."""
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
        """Learn every cell that a sentence of `_pairs` proves, and return whether there are any
        such cells. If a sentence proves the goal, learn only the cells of this sentence. With
        Effort.SINGLE, learn nothing. Raises _Clash if two sentences exclude each other."""
        if self.effort is Effort.SINGLE:
            return False
        facts = [
            step for step in self._pairs() if step.sentence.all_safe or step.sentence.all_mines
        ]
        aim = next((step for step in facts if goal in step.sentence.cells), None)
        return self._learn_all(facts if aim is None else [aim])

    def _combine(self) -> bool:
        """Keep every new sentence of `_pairs`, and return whether there is one. Raises _Clash if
        sentences exclude each other."""
        steps = list(self._pairs())
        taken = [self.take(step) for step in steps]
        return any(taken)

    def _pairs(self) -> Iterator[Inference]:
        """Yield a step for each sentence that follows from two sentences with shared cells. If the
        effort is `nested`, `_difference` derives these sentences, otherwise `_overlap`. A sentence
        that excludes nothing is left out. Raises _Clash if two sentences exclude each other."""
        leaves = _difference if self.effort.nested else _overlap
        lives = [self.live(step) for step in self.steps.values()]
        for index, (first, some) in enumerate(lives):
            for other, others in lives[:index]:
                if first.cells.isdisjoint(other.cells) or first == other:
                    continue
                facts = dict.fromkeys((*others[1:], *some[1:]))
                for sentence in leaves(first, other):
                    if sentence.low <= 0 and sentence.high >= len(sentence.cells):
                        continue
                    premises = (others[0], some[0], *facts)
                    step = Inference(Rule.PAIR, sentence, premises, mains=2)
                    if sentence.impossible:
                        raise _Clash(step)
                    yield step

    def _rows(self) -> bool:
        """Add and subtract the clues that are equations, by row reduction. Learn every cell that a
        single row proves, and return whether there are any such cells."""
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
        """Subtract sentences from the total, and keep the first result that says something new (see
        `_bounds`). Return whether there is one; without a total, there is none.

        For each list of `_families`, first all sentences are subtracted; the remaining cells may be
        all mines or all safe. Then each sentence is left out in turn, and the others are
        subtracted; the cells of the left-out sentence may get tighter bounds. Raises _Clash if the
        total contradicts the subtracted sentences."""
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
        """Find a case, learn what the case proves, apply the rules with `run`, and repeat this
        until the goal is known. `mine` says whether the goal is to be proved a mine or safe.
        Without a goal, only an exception ends the loop. Raises ValueError if no case is found, and
        _Clash if the sentences contradict each other."""
        while goal is None or goal not in self.known:
            step = self._first_case(goal, mine)
            if step is None:
                told = "the clues" if self.total is None else "the clues and the total"
                raise ValueError(f"{told} do not prove cell {goal} {'a mine' if mine else 'safe'}")
            self.learn(step)
            self.run(goal)

    def _first_case(self, goal: int | None, mine: bool) -> Inference | None:
        """Return the first case that is found: a supposition that leads to a contradiction. Return
        None if no case is found. `mine` says whether the goal is to be proved a mine or safe.

        Cases without inner cases are tried first, with rising effort; then cases with inner cases.
        With Effort.ALL, only one supposition is tried: that the goal is safe if `mine` is True, or
        a mine if `mine` is False."""
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
        """Yield cells, each with a value to suppose: True for a mine, False for safe. If there is a
        goal, it comes first, with the value `not mine`. Then come the unknown cells of the clues,
        each with both values. Cells in many clues come before cells in few clues. Of the cells that
        are in exactly the same clues, only the one with the lowest number is yielded."""
        if goal is not None:
            yield goal, not mine
        inside = places(step.sentence.cells - self.known.keys() for step in self.given.values())
        boxes = boxes_of(inside)
        for _, cell in sorted((-len(indexes), min(cells)) for indexes, cells in boxes.items()):
            yield cell, True
            yield cell, False

    def _case(self, cell: int, value: bool, effort: Effort, *, nested: bool) -> Inference | None:
        """Suppose that `cell` is a mine, or safe if `value` is False, and look for a contradiction
        with `effort`. Return the case, or None if no contradiction is found. With `nested`, the
        case may have cases inside it."""
        inner = self.fork(effort)
        supposed = Inference(Rule.SUPPOSE, Sentence.fact([cell], mine=value))
        inner.learn(supposed)
        try:
            inner.run(None)
            if nested:
                inner.split(None)
        except _Clash as clash:
            inside = tuple(step for step in _needed(clash.step) if step.number > supposed.number)
            return Inference(Rule.CASE, supposed.sentence.opposite(), (supposed,), inside)
        except ValueError:  # no case inside this case was found
            pass
        return None


def _spare(step: Inference, *, nested: bool) -> Inference:
    """Return the step without needless premises about known cells.

    If one sentence proves cells safe because it has all its mines already, the premises about safe
    cells are needless. If the step combines two sentences, a premise about known cells is needless
    if the conclusion follows without this premise. With `nested`, a step that combines two
    sentences keeps all premises, because one sentence may lie inside the other only after the known
    cells are removed from both."""
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
    """Yield the sentences that follow from two sentences together: about the shared cells, about
    the other cells of `first`, and about the other cells of `other`. If the two sentences exclude
    each other, yield only the sentence about the shared cells, which is impossible."""
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
    """If the sentences have the same cells, yield one sentence with the higher `low` and the lower
    `high`. If the larger sentence contains all cells of the smaller one, yield the sentence that
    follows about the additional cells of the larger one. Otherwise yield nothing."""
    small, large = sorted((first, other), key=lambda sentence: len(sentence.cells))
    if small.cells == large.cells:
        yield Sentence(small.cells, max(small.low, large.low), min(small.high, large.high))
    elif small.cells < large.cells:
        cells = large.cells - small.cells
        low, high = large.low - small.high, large.high - small.low
        yield Sentence(cells, max(low, 0), min(high, len(cells)))


def _columns(row: Row) -> int:
    """Return the length of a row for the function `reduced`: the number of its entries for
    variables and the right side. Entries that say which equations the row combines do not count."""
    return sum(column >= RIGHT for column in row)


def _row_steps(
    row: Row, boxes: Sequence[tuple[int, ...]], sources: Sequence[Live]
) -> Iterator[Inference]:
    """Yield a step for the mines that a row proves, if there are any, and a step for the safe
    cells, if there are any. The row is a sum of `sources`, each multiplied by a factor. If the
    proved mines have negative coefficients in the row, or the proved safe cells have positive ones,
    all factors are negated in the steps."""
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
    """Yield four lists of sentences. No two sentences of a list share a cell. For each list,
    `lives` is sorted in a different order, and each sentence that shares no cell with the list so
    far is added. The orders begin with: tight and large sentences; sentences with many certain
    mines; sentences with many certain safe cells; tight and small sentences. A sentence is tight if
    `low` and `high` are close together."""
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
    """Return the step that subtracts the sentences of `family` from the total. The step says how
    many mines the total leaves for the other cells. `everything` is the total without the known
    cells. No two sentences of `family` share a cell."""
    whole, (total, *known) = everything
    cells = whole.cells.difference(*(part.cells for part, _ in family))
    low = whole.low - sum(part.high for part, _ in family)
    high = whole.high - sum(part.low for part, _ in family)
    mains = (total, *(premises[0] for _, premises in family))
    facts = dict.fromkeys([*known, *(fact for _, premises in family for fact in premises[1:])])
    left = Sentence(cells, max(low, 0), min(high, len(cells)))
    return Inference(Rule.SUM, left, (*mains, *facts), mains=len(mains))


def _bounds(left: Sentence, out: Sentence | None) -> bool:
    """Return whether `left` says something new. `left` is the total minus a list of sentences.

    If all sentences of the list were subtracted, `out` is None. In this case, `left` says something
    new if `left` has cells and says that all of them are safe or that all are mines. Otherwise
    `out` is the only sentence that was not subtracted, so `left` contains the cells of `out`. In
    this case, `left` says something new if `left` and `out` together give tighter bounds for these
    cells than `out` alone."""
    if out is None:
        return bool(left.cells) and (left.all_safe or left.all_mines)
    return any(
        sentence.low > out.low or sentence.high < out.high
        for sentence in _overlap(left, out)
        if sentence.cells == out.cells
    )
