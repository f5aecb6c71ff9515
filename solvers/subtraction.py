"""The engine `subtraction`: one set of cells minus another, until nothing new follows. If all cells
of clue A are also cells of clue B, the two clues together bound the mines in the other cells of B.

A sentence is a set of cells with bounds on the number of mines in the set. If A ⊂ B, the sentences
about A and B give a sentence about B∖A. The engine derives sentences until nothing changes. It
combines only new or changed sentences, and only with sentences that share a cell with them. So the
time grows with the board, not with its square. Sets of cells are small frozen sets; a bit mask
would grow with the region.
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

Cells = frozenset[int]


class Subtraction(Backend):
    """An engine that is not complete. The sentence of a clue has depth 0. Subtracting one sentence
    from another gives a sentence with a depth 1 higher than the deeper of the two. `depth` limits
    the depth of these sentences: 1 is the pair rule, 2 combines up to four clues, None means no
    limit. Removing proved cells from a sentence does not change its depth.

    The engine also subtracts disjoint sentences from the total. There are exponentially many sets
    of disjoint sentences, so it tries only one set (`_Base.subtract_from_total`), and one more
    whenever something new follows."""

    name = "subtraction"
    summary = "set subtraction to a fixpoint; option: depth"
    ranges = True
    keeps_time = True
    options = "DEPTH"
    examples: ClassVar = {
        "subtraction:1": "the pair rule: each conclusion from two clues",
        "subtraction:2": "each conclusion from up to four clues",
    }

    def configure(self, option: str | None) -> None:
        if option is not None and not re.fullmatch("[0-9]{1,9}", option):
            raise Unsupported(
                "the option of 'subtraction' is the depth, a whole number of at most nine digits, "
                f"not {shown(option)}"
            )
        self.depth = None if option is None else int(option)

    def deduce(self, problem: Problem) -> Deduction:
        problem.check()
        base = _Base(self.depth)
        for constraint in problem.constraints:
            base.tell(frozenset(constraint.cells), constraint.low, constraint.high, 0)
        base.work()
        if problem.mines is not None:
            everything = frozenset(problem.cells)
            while base.subtract_from_total(everything, problem.mines):
                base.work()
        return Deduction.of(base.known)


@dataclass
class _Base:
    """All sentences so far, those of the clues and derived ones, and the proved cells. `of_cell`
    and `queue` give a sentence by its set of cells. Every sentence excludes at least one number of
    mines. No sentence mentions a proved cell."""

    limit: int | None  # the greatest depth that `derive` allows; None means no limit
    sentences: dict[Cells, tuple[int, int, int]] = field(default_factory=dict)  # low, high, depth
    of_cell: dict[int, set[Cells]] = field(default_factory=dict)  # the sentences about each cell
    known: dict[int, bool] = field(default_factory=dict)  # proved cells; True for a mine
    queue: deque[Cells] = field(default_factory=deque)  # new and changed sentences

    def tell(self, cells: Cells, low: int, high: int, depth: int) -> None:
        """Add the sentence that `cells` have `low` to `high` mines, without the cells that are
        already proved. If there is a sentence about the same cells, intersect the bounds of both.
        Do nothing if the result says nothing new. Raises Contradiction if no number of mines is
        within the bounds."""
        for cell in cells & self.known.keys():
            cells -= {cell}
            low -= self.known[cell]
            high -= self.known[cell]
        least, most, depth_before = self.sentences.get(cells, (0, len(cells), 0))
        low, high = max(low, least), min(high, most)
        if low > high:
            raise Contradiction
        if (low, high) == (least, most) and depth >= depth_before:
            return
        self.sentences[cells] = low, high, depth
        for cell in cells:
            self.of_cell.setdefault(cell, set()).add(cells)
        self.queue.append(cells)

    def work(self) -> None:
        """Go through the queue, and derive sentences, until the queue is empty."""
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
        """Record that `cells` are all mines, or all safe if `mine` is False. Remove these cells
        from all sentences."""
        self.known.update(dict.fromkeys(cells, mine))
        for sentence in set().union(*(self.of_cell.get(cell, ()) for cell in cells)):
            low, high, depth = self.sentences.pop(sentence)
            for cell in sentence:
                self.of_cell[cell].discard(sentence)
            self.tell(sentence, low, high, depth)

    def subtract(self, cells: Cells) -> None:
        """Subtract every sentence about a subset of `cells` from the sentence about `cells`.
        Subtract the sentence about `cells` from every sentence about a superset of `cells`."""
        for other in set().union(*(self.of_cell[cell] for cell in cells)):
            if other < cells:
                self.derive(cells, other)
            elif cells < other:
                self.derive(other, cells)

    def derive(self, whole: Cells, part: Cells) -> None:
        """Subtract the sentence about `part` from the sentence about `whole`, and add the resulting
        sentence about the other cells of `whole`. Do nothing if the depth of this sentence would be
        above `limit`."""
        low, high, depth = self.sentences[whole]
        part_low, part_high, part_depth = self.sentences[part]
        depth = max(depth, part_depth) + 1
        if self.limit is None or depth <= self.limit:
            self.tell(whole - part, low - part_high, high - part_low, depth)

    def subtract_from_total(self, everything: Cells, mines: int) -> bool:
        """Subtract disjoint sentences, one after the other, from the total: the sentence that the
        cells `everything` have `mines` mines. Try the sentences in the order of `_vagueness`. As
        soon as all remaining cells must be safe, or all must be mines, learn these cells and return
        True. If this never happens, narrow the bounds of each subtracted sentence to what the total
        allows, and return whether a sentence changed. Raises Contradiction if the total contradicts
        the clues."""
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
        """Return the sort key of a sentence. Sentences are sorted by the difference of their
        bounds, so exact sentences come first. If the differences are equal, the larger sentence
        comes first."""
        low, high, _ = self.sentences[cells]
        return high - low, -len(cells), sorted(cells)

    def _tighten(self, chain: list[Cells], short: int, spare: int) -> bool:
        """Narrow the bounds `low` and `high` of each sentence of the chain, and return whether a
        sentence changed. `short`, at most 0, is the total minus the most mines that all cells
        together can have. `spare`, at least 0, is the total minus the fewest mines that all cells
        together can have. So the cells of a sentence have at least `high + short` mines and at most
        `low + spare` mines."""
        before = len(self.queue)
        for cells in chain:
            low, high, depth = self.sentences[cells]
            self.tell(cells, high + short, low + spare, depth + 1)
        return len(self.queue) > before
