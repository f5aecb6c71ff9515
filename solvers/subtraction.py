"""Set subtraction: when A lies inside B, what B has and A has not is known too.

A sentence is a set of cells with bounds on its mines. From A ⊆ B follows a sentence about B∖A.
Sentences are kept in a base that is worked to a fixpoint: only what changed is looked at again, and
only against sentences that share a cell with it, so the cost grows with the board, not its square.
Cells are kept in frozen sets of a few: a bit mask over a region would grow with the region.
"""

from __future__ import annotations

import re
from collections import deque
from dataclasses import dataclass, field
from typing import ClassVar

from csp_mines.arguments import shown
from csp_mines.backend import Backend, Deduction
from csp_mines.constraints import Problem
from csp_mines.errors import Contradiction, Unsupported

__all__ = ["Subtraction"]

Cells = frozenset[int]


class Subtraction(Backend):
    """Sound, not complete. `depth` bounds how many subtractions deep a sentence may be derived:
    1 is the pair rule, 2 combines up to three clues, None has no bound.

    The total is subtracted from along one chain of disjoint sentences: all chains would be
    exponentially many."""

    name = "subtraction"
    summary = "set subtraction to a fixpoint; option: depth"
    complete = False
    ranges = True
    counts = False
    options = "DEPTH"
    examples: ClassVar = {
        "subtraction:1": "the pair rule: each conclusion from two clues",
        "subtraction:2": "each conclusion from up to three clues",
    }

    def __init__(self, option: str | None = None, **limits: int) -> None:
        super().__init__(option, **limits)
        if option is not None and not re.fullmatch("[0-9]{1,9}", option):
            raise Unsupported(
                "the depth of 'subtraction' is a whole number of at most nine digits, not "
                f"{shown(option)}"
            )
        self.depth = None if option is None else int(option)

    def deduce(self, problem: Problem) -> Deduction:
        problem.check()
        base = _Base(self.depth)
        for constraint in problem.constraints:
            base.tell(frozenset(constraint.cells), constraint.low, constraint.high, 0)
        base.work()
        if problem.mines is not None:
            everything = frozenset((*problem.frontier, *problem.sea))
            while base.subtract_from_total(everything, problem.mines):
                base.work()
        return Deduction(
            frozenset(cell for cell, mine in base.known.items() if not mine),
            frozenset(cell for cell, mine in base.known.items() if mine),
        )


@dataclass
class _Base:
    """Sentences by their cells, with (low, high, depth); every one is informative, none mentions
    a known cell, and `of_cell` finds them by a cell."""

    limit: int | None
    sentences: dict[Cells, tuple[int, int, int]] = field(default_factory=dict)
    of_cell: dict[int, set[Cells]] = field(default_factory=dict)
    known: dict[int, bool] = field(default_factory=dict)
    queue: deque[Cells] = field(default_factory=deque)

    def tell(self, cells: Cells, low: int, high: int, depth: int) -> None:
        """Takes in a sentence. Raises Contradiction when it cannot hold."""
        for cell in cells & self.known.keys():
            cells -= {cell}
            low -= self.known[cell]
            high -= self.known[cell]
        low, high = max(low, 0), min(high, len(cells))
        if low > high:
            raise Contradiction("two clues cannot hold together")
        before = self.sentences.get(cells)
        if before is not None:
            low, high = max(low, before[0]), min(high, before[1])
            if low > high:
                raise Contradiction("two clues cannot hold together")
            if (low, high) == before[:2] and depth >= before[2]:
                return
        elif low == 0 and high == len(cells):
            return
        self.sentences[cells] = low, high, depth
        for cell in cells:
            self.of_cell.setdefault(cell, set()).add(cells)
        self.queue.append(cells)

    def work(self) -> None:
        """Until nothing is left to look at."""
        while self.queue:
            cells = self.queue.popleft()
            if cells not in self.sentences:
                continue
            low, high, _ = self.sentences[cells]
            if high == 0 or low == len(cells):
                self.learn(cells, mine=high > 0)
            else:
                self.subtract(cells)

    def learn(self, cells: Cells, *, mine: bool) -> None:
        """All of `cells` are mines, or all are safe: every sentence about them gets smaller."""
        self.known.update(dict.fromkeys(cells, mine))
        for sentence in set().union(*(self.of_cell.get(cell, ()) for cell in cells)):
            low, high, depth = self.sentences.pop(sentence)
            for cell in sentence:
                self.of_cell[cell].discard(sentence)
            self.tell(sentence, low, high, depth)

    def subtract(self, cells: Cells) -> None:
        """Whatever follows from `cells` and one sentence inside it or around it."""
        for other in set().union(*(self.of_cell[cell] for cell in cells)):
            if other < cells:
                self.derive(cells, other)
            elif cells < other:
                self.derive(other, cells)

    def derive(self, whole: Cells, part: Cells) -> None:
        low, high, depth = self.sentences[whole]
        part_low, part_high, part_depth = self.sentences[part]
        depth = max(depth, part_depth) + 1
        if self.limit is None or depth <= self.limit:
            self.tell(whole - part, low - part_high, high - part_low, depth)

    def subtract_from_total(self, everything: Cells, mines: int) -> bool:
        """Takes disjoint sentences out of "`mines` of `everything`", equalities first. What is
        left may be all mines or all safe; then each sentence taken gets what the total leaves it.
        True when that told something new. Raises Contradiction."""
        mines -= sum(mine for cell, mine in self.known.items() if cell in everything)
        left = len(everything - self.known.keys())
        low = high = mines
        taken: set[int] = set()
        chain: list[Cells] = []
        for part in [frozenset[int](), *sorted(self.sentences, key=self._vagueness)]:
            if not taken.isdisjoint(part):
                continue
            if part:
                chain.append(part)
                taken |= part
                left -= len(part)
                low -= self.sentences[part][1]
                high -= self.sentences[part][0]
            if low > left or high < 0:
                raise Contradiction("the number of mines contradicts the clues")
            if left and (high == 0 or low == left):
                self.learn(everything - self.known.keys() - taken, mine=high > 0)
                return True
        return self._tighten(chain, low - left, high)

    def _vagueness(self, cells: Cells) -> tuple[int, int, list[int]]:
        low, high, _ = self.sentences[cells]
        return high - low, -len(cells), sorted(cells)

    def _tighten(self, chain: list[Cells], short: int, spare: int) -> bool:
        """Each sentence of the chain has at least `high + short` and at most `low + spare` mines,
        since the others and what is left cannot take up more or fewer."""
        before = len(self.queue)
        for cells in chain:
            low, high, depth = self.sentences[cells]
            self.tell(cells, high + short, low + spare, depth + 1)
        return len(self.queue) > before
