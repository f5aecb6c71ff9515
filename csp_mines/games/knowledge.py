"""What an agent knows of a game, and what it makes of it.

`Knowledge` is given a board when it starts and then what single cells show; it never sees a layout.
`think` says what to do next: open cells that are proved safe, mark cells that are proved mines, or
guess.
"""

from __future__ import annotations

import random
from array import array
from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache, cached_property

import numpy as np

from csp_mines import defaults
from csp_mines.analysis.analyze import Analysis, Memory, analyze
from csp_mines.analysis.move import fewest_neighbours
from csp_mines.backend import Backend, load
from csp_mines.board import CLEAR, EXPLODED, HIDDEN, MARKED, Board, Cell
from csp_mines.constraints import Constraint, Problem
from csp_mines.errors import GaveUp, TooWide, Unsupported
from csp_mines.games.agents import Agent
from csp_mines.games.game import Seed
from csp_mines.games.policies import WORK, Guess, policy
from csp_mines.geometry import GRID
from csp_mines.sampling import SAMPLING, Budget
from csp_mines.words import typed_cell

__all__ = ["Knowledge", "Proved", "Thought"]

STILL_WIDE = 8  # noisy clues: so many openings on, what was too wide to count still is


@dataclass(frozen=True)
class Proved:
    """A cell proved safe or proved a mine, by which backend; `clues` where one clue was enough."""

    cell: Cell
    backend: str
    reason: str
    clues: tuple[Cell, ...] = ()


@dataclass(frozen=True)
class Thought:
    """What to do next: cells proved, and a guess when no cell was proved safe or a mine."""

    safe: tuple[Proved, ...] = ()
    mines: tuple[Proved, ...] = ()
    guess: Guess | None = None


class Knowledge:
    """What one agent knows of one game.

    Codes have a border (see `Bordered`), so cells are plain integers here and in the problems
    that backends get. For every cell it keeps how many neighbours are hidden and how many are known
    mines, so that the single-clue rule only looks at clues whose surroundings changed; other
    backends get only the parts of the frontier that changed since they last proved nothing.

    It keeps all this beside `Frontier` because it is asked after every single opening: building a
    frontier reads the whole board, this only what changed."""

    def __init__(self, agent: Agent, board: Board, seed: Seed, *, retry: bool = False) -> None:
        self.agent = agent
        self.random = random.Random(f"agent/{seed}")
        self.total = board.mines if agent.told_total else None
        self.retry = retry
        self._model = board.clues
        self.exact_clues = board.clues.likelihood is None  # a clue is the true number
        self._bounds = [board.clues.bounds(shown) for shown in range(9)]
        self._bordered = GRID.bordered(board.rows, board.cols)
        self._around = self._bordered.steps
        self.codes = self._bordered.filled(HIDDEN)
        self._seen = np.frombuffer(self.codes, np.int8)
        size = len(self.codes)
        self.neighbours = self._bordered.neighbour_counts
        self.unknown = list(self.neighbours)  # hidden neighbours
        self.known = [0] * size  # neighbours known to be mines
        self.touched = array("b", bytes(size))  # open neighbours
        self.hidden_left = board.codes.size
        self.mines_found = 0
        self.silent: dict[int, None] = {}
        self.clues: dict[int, None] = {}  # with hidden neighbours, in the order they were seen
        self._queue: deque[int] = deque()
        self._queued = bytearray(size)
        self._changed: dict[int, None] = {}  # clues whose surroundings changed
        self._version = 0  # counts changes, so that an analysis is made once for each state
        self._try_again = board.codes.size  # hidden cells left when it may be worth counting
        self._analysed: dict[bool, tuple[int, Analysis | None]] = {}  # with and without the total
        for row, col in np.argwhere(board.codes != HIDDEN).tolist():
            self.see([((row, col), board[row, col])])

    @property
    def done(self) -> bool:
        """Whether nothing is left to do, or nothing that this agent wants to do."""
        if self.agent.stop_early and self.mines_found and self.mines_found == self.total:
            return True
        return self.hidden_left == 0

    @property
    def board(self) -> Board:
        """The board as the agent sees it, with its own marks."""
        grid = self._bordered.inside(self._seen)
        return Board(grid, mines=self.total, clues=self._model)

    def see(self, shown: Iterable[tuple[Cell, int]]) -> None:
        """Takes in what some cells show now."""
        for cell, code in shown:
            self._take(self._bordered.index(cell), code)

    def think(self) -> Thought:
        """What to do now. Mines that it proves are marked in this knowledge at once."""
        thought = self._single()
        if thought is None and self.agent.deduce_total:
            thought = self._total()
        if thought is None and self.retry and self.silent:
            thought = self._asked_again()
        for stage in self.agent.stages:
            if thought is not None:
                return thought
            if stage != "single":
                thought = self._stage(stage)
        return thought or Thought(guess=policy(self.agent.policy)(self))

    def cell(self, index: int) -> Cell:
        return self._bordered.cell(index)

    def hidden(self) -> list[int]:
        """The hidden cells in reading order."""
        found: list[int] = np.flatnonzero(self._seen == HIDDEN).tolist()
        return found

    def hidden_around(self, clue: int) -> tuple[int, ...]:
        codes = self.codes
        return tuple([clue + step for step in self._around if codes[clue + step] == HIDDEN])

    def equations(self) -> list[tuple[tuple[int, ...], int]]:
        """The clues that say something: hidden cells, and mines among them as the number shown
        says (a bound under noisy clue models), in reading order."""
        rows = []
        for clue in sorted(self.clues):
            cells = self.hidden_around(clue)
            left = min(max(self.codes[clue] - self.known[clue], 0), len(cells))
            rows.append((cells, left))
        return rows

    def base_rate(self) -> float | None:
        """Mines left over hidden cells left, when the total is known."""
        if self.total is None:
            return None
        return min(max((self.total - self.mines_found) / self.hidden_left, 0.0), 1.0)

    def corners_first(self, cells: Iterable[int]) -> int:
        """The cell with the fewest neighbours (corner, edge, middle), then the first in reading
        order."""
        return fewest_neighbours(cells, self.neighbours.__getitem__)

    def _take(self, index: int, code: int) -> None:
        self._version += 1
        before = self.codes[index]
        self.codes[index] = code
        if before == HIDDEN:
            self._disclose(index, mine=code in (MARKED, EXPLODED), open=code != MARKED)
        self.silent.pop(index, None)
        if code >= 0:
            self.clues[index] = None
            self._look_at(index)
        elif code == CLEAR and self.unknown[index]:
            self.silent[index] = None

    def _disclose(self, index: int, *, mine: bool, open: bool) -> None:
        """A hidden cell is hidden no more: its neighbours have one fewer."""
        self.hidden_left -= 1
        self.mines_found += mine
        codes, unknown, known, touched = self.codes, self.unknown, self.known, self.touched
        for step in self._around:
            other = index + step
            unknown[other] -= 1
            known[other] += mine
            touched[other] += open
            if codes[other] >= 0:
                self._look_at(other)

    def _look_at(self, clue: int) -> None:
        if not self.unknown[clue]:
            self.clues.pop(clue, None)
            self._changed.pop(clue, None)
            return
        self._changed[clue] = None
        if not self._queued[clue]:
            self._queued[clue] = 1
            self._queue.append(clue)

    def _mark(self, index: int) -> None:
        self._version += 1
        self.codes[index] = MARKED
        self._disclose(index, mine=True, open=False)

    def _single(self) -> Thought | None:
        """Each clue alone, as long as that proves mines; all cells that it proves safe."""
        safe: dict[int, Proved] = {}
        mines: list[Proved] = []
        while self._queue:
            clue = self._queue.popleft()
            self._queued[clue] = 0
            hidden, known = self.unknown[clue], self.known[clue]
            low, high = self._bounds[self.codes[clue]]
            if not hidden or (high > known and low - known < hidden):
                continue
            source = (self.cell(clue),)
            named = f"the {self.codes[clue]} at {typed_cell(source[0])}"
            if high <= known:
                reason = f"{named} has all its mines"
                for cell in self.hidden_around(clue):
                    safe.setdefault(cell, Proved(self.cell(cell), "single", reason, source))
            else:
                reason = f"{named} needs all its hidden cells"
                for cell in self.hidden_around(clue):
                    mines.append(Proved(self.cell(cell), "single", reason, source))
                    self._mark(cell)
        if not safe and not mines:
            return None
        return Thought(tuple(safe.values()), tuple(mines))

    def _total(self) -> Thought | None:
        """The total alone: no mine is left, or every hidden cell is one."""
        left = None if self.total is None else self.total - self.mines_found
        if left == 0:
            return self._proved(self.hidden(), (), "single", "no mine is left in the total")
        if left == self.hidden_left:
            reason = "the total leaves a mine for every hidden cell"
            return self._proved((), self.hidden(), "single", reason)
        return None

    def _asked_again(self) -> Thought | None:
        """Silent cells that may still say something are opened once more."""
        asked = [cell for cell in sorted(self.silent) if self.unknown[cell]]
        self.silent = dict.fromkeys(asked)
        return self._proved(asked, (), "single", "silent, and asked again") if asked else None

    def _stage(self, stage: str) -> Thought | None:
        """What a backend proves beyond single clues. The parts of the frontier that did not change
        since it last proved nothing are left out; the total needs all of it."""
        last = stage == self.agent.stages[-1]
        engine = _engine(stage)
        if engine.reads_boards:  # the analysis by which policies guess has proved it all
            found = self.analysis(use_total=self.agent.deduce_total)
            if found is not None:
                self._changed.clear()
                safe = [self.index(cell) for cell in found.safe]
                return self._proved(safe, [self.index(cell) for cell in found.mines], stage)
            stage = "subtraction"
            engine = _engine(stage)
        # Clues that are all lower bounds, or all upper bounds, prove nothing together that one of
        # them does not prove alone: all mines, or all safe, is a layout that fits the others.
        changed = self._region(self._changed) if self.exact_clues else []
        thought = None
        if changed:
            deduction = engine.deduce(Problem(self._constraints(changed)))
            thought = self._proved(deduction.safe, deduction.mines, stage)
        if thought is None:
            if last:
                self._changed.clear()
            if self.total is not None and self.agent.deduce_total:
                thought = self._with_total(engine, stage)
        return thought

    def _with_total(self, engine: Backend, stage: str) -> Thought | None:
        assert self.total is not None
        if not self._total_may_matter(self.total - self.mines_found):
            return None
        constraints = self._constraints(sorted(self.clues))
        inside = {cell for constraint in constraints for cell in constraint.cells}
        sea = tuple(cell for cell in self.hidden() if cell not in inside)
        problem = Problem(constraints, sea, self.total - self.mines_found)
        if not problem.total_bites:
            return None
        deduction = engine.deduce(problem)
        return self._proved(deduction.safe, deduction.mines, stage, "all clues and the total")

    @cached_property
    def _memory(self) -> Memory:
        return Memory()

    def _total_may_matter(self, left: int) -> bool:
        """False when the frontier can neither take all the mines left nor leave the sea only mines:
        a quick look before the problem is built."""
        near = np.frombuffer(self.touched, np.int8) > 0
        frontier = int(np.count_nonzero(near & (self._seen == HIDDEN)))
        return frontier >= left or left >= self.hidden_left - frontier

    def analysis(self, *, use_total: bool = True) -> Analysis | None:
        """The exact analysis of the board as it is now; None when it is too wide to count, or was
        shortly before and had noisy clues: finding that out takes a while."""
        use_total = use_total or self.total is None
        version, found = self._analysed.get(use_total, (-1, None))
        if version != self._version:
            found = self._counted(use_total)
            self._analysed[use_total] = self._version, found
        return found

    def _counted(self, use_total: bool) -> Analysis | None:
        if self.hidden_left > self._try_again:
            return None
        states = defaults.AGENT_STATES if self.exact_clues else defaults.NOISY_AGENT_STATES
        try:
            return analyze(self.board, use_total=use_total, max_states=states, memory=self._memory)
        except TooWide:
            if not self.exact_clues:
                self._try_again = self.hidden_left - STILL_WIDE
            return None

    def estimate(self) -> Analysis | None:
        """Estimated risks of a board that is too wide to count, the same in every run; None where
        there is no compiled kernel to draw layouts, or it finds none."""
        try:
            found = analyze(
                self.board, backend="subtraction", counter=SAMPLING, approximate=Budget(work=WORK)
            )
            found.probabilities  # noqa: B018 (drawn when it is first asked for)
        except (TooWide, GaveUp, Unsupported):
            return None
        return found

    def index(self, cell: Cell) -> int:
        return self._bordered.index(cell)

    def _proved(
        self, safe: Iterable[int], mines: Iterable[int], backend: str, reason: str = ""
    ) -> Thought | None:
        reason = reason or "several clues together"
        thought = Thought(
            tuple(Proved(self.cell(cell), backend, reason) for cell in sorted(safe)),
            tuple(Proved(self.cell(cell), backend, reason) for cell in sorted(mines)),
        )
        for proof in thought.mines:
            self._mark(self.index(proof.cell))
        return thought if thought.safe or thought.mines else None

    def _region(self, clues: Iterable[int]) -> list[int]:
        """All clues that are connected with these through hidden cells, sorted."""
        found = dict.fromkeys(clues)
        queue = list(found)
        codes = self.codes
        visited: set[int] = set()
        while queue:
            for cell in self.hidden_around(queue.pop()):
                if cell in visited:
                    continue
                visited.add(cell)
                for step in self._around:
                    other = cell + step
                    if codes[other] >= 0 and other not in found:
                        found[other] = None
                        queue.append(other)
        return sorted(found)

    def _constraints(self, clues: Iterable[int]) -> tuple[Constraint, ...]:
        constraints: dict[tuple[int, ...], Constraint] = {}
        for clue in clues:
            cells = self.hidden_around(clue)
            low, high = self._bounds[self.codes[clue]]
            low = max(low - self.known[clue], 0)
            high = min(high - self.known[clue], len(cells))
            if cells in constraints:
                low = max(low, constraints[cells].low)
                high = min(high, constraints[cells].high)
            constraints[cells] = Constraint(cells, low, high)
        return tuple(constraints.values())


@cache
def _engine(stage: str) -> Backend:
    return load(stage)
