"""What an agent knows during a game, and its decision to open, to mark or to guess.

`Knowledge` gets a board at the start, and then the codes of newly opened cells. It never sees a
layout. `think` decides what to do next: open cells that are proved safe, mark cells that are proved
mines, or guess.
"""

from __future__ import annotations

import random
from array import array
from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache

import numpy as np

from csp_mines import defaults
from csp_mines.analysis.analyze import Analysis, Memory, analyze
from csp_mines.analysis.move import fewest_neighbours
from csp_mines.backend import Backend, load
from csp_mines.board import CLEAR, EXPLODED, HIDDEN, HOLE, MARKED, Board, Cell
from csp_mines.constraints import Constraint, Problem
from csp_mines.errors import GaveUp, TooWide, Unsupported
from csp_mines.games.agents import Agent
from csp_mines.games.game import Seed
from csp_mines.games.policies import WORK, Guess, policy
from csp_mines.sampling import SAMPLING, Budget

STILL_WIDE = 8  # a noisy board too wide to count is tried again after this many openings and marks


@dataclass(frozen=True)
class Proved:
    """A cell that is proved safe or a mine, and the backend that proved it. `clues` has one clue if
    this clue alone proves the cell; else it is empty."""

    cell: Cell
    backend: str
    reason: str
    clues: tuple[Cell, ...] = ()


@dataclass(frozen=True)
class Thought:
    """The next moves of an agent: the cells proved safe and the cells proved mines, or a guess if
    nothing is proved. `marks` are cells that an own agent marks without a proof."""

    safe: tuple[Proved, ...] = ()
    mines: tuple[Proved, ...] = ()
    guess: Guess | None = None
    marks: tuple[Cell, ...] = ()


class Knowledge:
    """The knowledge of one agent about one game.

    Cells are numbers here and in the problems that backends get (see `Places`). After every change
    the class updates the numbers of hidden neighbours and of known mines around each cell. So the
    single-clue rule looks only at clues whose neighbours changed. A backend that proved nothing is
    asked again only about the regions that changed since then.

    The class does not use `Frontier`, because an agent thinks after every opening. A `Frontier`
    reads the whole board; this class reads only the changed cells."""

    def __init__(self, agent: Agent, board: Board, seed: Seed, *, retry: bool = False) -> None:
        self.agent = agent
        self.random = random.Random(f"agent/{seed}")
        self.total = board.mines if agent.told_total else None
        self.retry = retry
        self._model = board.clues
        self.exact_clues = board.clues.likelihood is None  # every clue is the true number
        self._geometry = board.geometry
        self._bounds = board.clues.all_bounds(board.geometry.most)
        self._places = board.geometry.places(board.rows, board.cols)
        self._around = self._places.around
        holes = board.codes == HOLE
        self.codes = self._places.filled(np.where(holes, np.int8(HOLE), np.int8(HIDDEN)))
        self._seen = np.frombuffer(self.codes, np.int8)
        size = len(self.codes)
        self.neighbours = self._places.neighbour_counts
        self.unknown = list(self.neighbours)  # how many neighbours of each cell are hidden
        self.known = [0] * size  # how many neighbours of each cell are known mines
        self.touched = array("b", bytes(size))  # how many neighbours of each cell are open
        self.hidden_left = size
        self.mines_found = 0
        self.silent: dict[int, None] = {}
        self.clues: dict[int, None] = {}  # clues with hidden neighbours, oldest first
        self._queue: deque[int] = deque()
        self._queued = bytearray(size)
        self._changed: dict[int, None] = {}  # clues whose neighbours changed
        self._version = 0  # the number of changes; each version of the board is analysed once
        self._try_again = size  # the board is counted only if at most this many cells are hidden
        self._memory = Memory()
        # With the total (True) and without it (False): the version last analysed, and the analysis.
        self._analysed: dict[bool, tuple[int, Analysis | None]] = {}
        for hole in np.flatnonzero(holes).tolist():
            self._disclose(hole, mine=False, open=False)
        for row, col in np.argwhere((board.codes != HIDDEN) & ~holes).tolist():
            self.see([((row, col), board[row, col])])

    @property
    def done(self) -> bool:
        """Whether the agent has finished: no cell is hidden, or the agent stops early because it
        knows all mines."""
        if self.agent.stop_early and self.mines_found and self.mines_found == self.total:
            return True
        return self.hidden_left == 0

    @property
    def board(self) -> Board:
        """The board as the agent sees it, with the agent's own marks."""
        grid = self._places.grid(self._seen)
        return Board(grid, mines=self.total, clues=self._model, geometry=self._geometry)

    def see(self, shown: Iterable[tuple[Cell, int]]) -> None:
        """Record the present codes of some cells, given as pairs of a cell and its code."""
        for cell, code in shown:
            self._take(self._places.index(cell), code)

    def think(self) -> Thought:
        """Decide the next moves, and mark the proved mines in this knowledge."""
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
        return self._places.cell(index)

    def hidden(self) -> list[int]:
        """Return the hidden cells in reading order."""
        cells: list[int] = np.flatnonzero(self._seen == HIDDEN).tolist()
        return cells

    def hidden_around(self, clue: int) -> tuple[int, ...]:
        codes = self.codes
        return tuple([cell for cell in self._around[clue] if codes[cell] == HIDDEN])

    def equations(self) -> list[tuple[tuple[int, ...], int]]:
        """Return, for each clue in reading order, the hidden cells around it and the number of
        mines among these cells. If the clues are noisy, this number is only a bound."""
        rows = []
        for clue in sorted(self.clues):
            cells = self.hidden_around(clue)
            left = min(max(self.codes[clue] - self.known[clue], 0), len(cells))
            rows.append((cells, left))
        return rows

    def base_rate(self) -> float | None:
        """Return the share of mines among the hidden cells; None if the total is unknown."""
        if self.total is None:
            return None
        return min(max((self.total - self.mines_found) / self.hidden_left, 0.0), 1.0)

    def corners_first(self, cells: Iterable[int]) -> int:
        """Of `cells`, return the one with the fewest neighbours: a corner before an edge, an edge
        before the middle. Ties go to the first cell in reading order."""
        return fewest_neighbours(cells, self.neighbours.__getitem__)

    def _take(self, index: int, code: int) -> None:
        """Record that a cell shows `code` now."""
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
        """Update the counts around a cell that is no longer hidden."""
        self.hidden_left -= 1
        self.mines_found += mine
        codes, unknown, known, touched = self.codes, self.unknown, self.known, self.touched
        for other in self._around[index]:
            unknown[other] -= 1
            known[other] += mine
            touched[other] += open
            if codes[other] >= 0:
                self._look_at(other)

    def _look_at(self, clue: int) -> None:
        """Record that the neighbours of a clue changed, so that `_single` looks at the clue again.
        Drop the clue if it has no hidden neighbours."""
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
        """Deduce from each single clue whose neighbours changed. Proved mines are marked at once,
        so that the clues beside them are used, too. Return all proved cells, or None if there are
        none."""
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
            named = f"the {self.codes[clue]} at {self._geometry.label(source[0])}"
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
        """Deduce from the total alone. If all mines are known, every hidden cell is safe. If there
        are as many unknown mines as hidden cells, every hidden cell is a mine. Otherwise return
        None."""
        left = None if self.total is None else self.total - self.mines_found
        if left == 0:
            return self._proved(self.hidden(), (), "single", "the total leaves no mine")
        if left == self.hidden_left:
            reason = "the total leaves a mine for every hidden cell"
            return self._proved((), self.hidden(), "single", reason)
        return None

    def _asked_again(self) -> Thought | None:
        """Decide to open again every silent cell that has hidden neighbours. A silent cell is open,
        but showed no number. Return None if there is no such cell."""
        asked = [cell for cell in sorted(self.silent) if self.unknown[cell]]
        self.silent = dict.fromkeys(asked)
        return self._proved(asked, (), "single", "silent, opened once more") if asked else None

    def _stage(self, stage: str) -> Thought | None:
        """Deduce with the backend `stage`, which combines clues. A backend that reads boards gets
        the whole board. If the board is too wide to count, the backend `subtraction` is used
        instead. A backend that reads problems gets the regions that changed. If these prove nothing
        and the agent may use the total, the backend then gets all clues and the total. Return None
        if nothing is proved."""
        last = stage == self.agent.stages[-1]
        engine = _engine(stage)
        if engine.reads_boards:  # its analysis has every deduction, and policies reuse it
            analysis = self.analysis(use_total=self.agent.deduce_total)
            if analysis is not None:
                self._changed.clear()
                safe = [self.index(cell) for cell in analysis.safe]
                return self._proved(safe, [self.index(cell) for cell in analysis.mines], stage)
            stage = "subtraction"
            engine = _engine(stage)
        # The clues of a noisy board are all lower bounds or all upper bounds. So `_single` has
        # proved every cell that they prove, and regions need no search.
        changed = self._region(self._changed) if self.exact_clues else []
        thought = None
        if changed:
            deduction = engine.deduce(Problem.trusted(self._constraints(changed)))
            thought = self._proved(deduction.safe, deduction.mines, stage)
        if thought is None:
            if last:
                self._changed.clear()
            if self.total is not None and self.agent.deduce_total:
                thought = self._with_total(engine, stage)
        return thought

    def _with_total(self, engine: Backend, stage: str) -> Thought | None:
        """Deduce from all clues and the total. Return None if nothing is proved."""
        assert self.total is not None
        if not self._total_may_matter(self.total - self.mines_found):
            return None
        constraints = self._constraints(sorted(self.clues))
        inside = {cell for constraint in constraints for cell in constraint.cells}
        sea = tuple(cell for cell in self.hidden() if cell not in inside)
        problem = Problem.trusted(constraints, sea, self.total - self.mines_found)
        if not problem.total_bites:
            return None
        deduction = engine.deduce(problem)
        return self._proved(deduction.safe, deduction.mines, stage, "all clues and the total")

    def _total_may_matter(self, left: int) -> bool:
        """Whether the total may prove a cell. `left` is the number of mines that are not known yet.
        The total proves nothing if the frontier has fewer than `left` cells and the sea more than
        `left`.
        This check is quick, because it only counts cells."""
        near = np.frombuffer(self.touched, np.int8) > 0
        frontier = int(np.count_nonzero(near & (self._seen == HIDDEN)))
        return frontier >= left or left >= self.hidden_left - frontier

    def analysis(self, *, use_total: bool = True) -> Analysis | None:
        """Return the exact analysis of the current board; None if the board is too wide to count.
        With noisy clues each attempt to count takes long. So after a failed attempt, the result is
        None until `STILL_WIDE` more cells are open or marked."""
        use_total = use_total or self.total is None
        version, analysis = self._analysed.get(use_total, (-1, None))
        if version != self._version:
            analysis = self._counted(use_total)
            self._analysed[use_total] = self._version, analysis
        return analysis

    def _counted(self, use_total: bool) -> Analysis | None:
        """Return the analysis of the board; None if the board is too wide to count, or if the next
        attempt to count is not due yet (see `analysis`)."""
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
        """Estimate the risks of a board that is too wide to count. The estimates are the same in
        every run. Return None without the compiled kernel, or if the kernel finds no layout."""
        try:
            analysis = analyze(
                self.board, backend="subtraction", counter=SAMPLING, approximate=Budget(work=WORK)
            )
            analysis.probabilities  # noqa: B018 (samples now, so that errors are caught here)
        except (TooWide, GaveUp, Unsupported):
            return None
        return analysis

    def index(self, cell: Cell) -> int:
        return self._places.index(cell)

    def _proved(
        self, safe: Iterable[int], mines: Iterable[int], backend: str, reason: str = ""
    ) -> Thought | None:
        """Return a thought with the cells that a backend proved, and mark the mines among them.
        Return None if the backend proved no cell."""
        reason = reason or "several clues together"
        thought = Thought(
            tuple(Proved(self.cell(cell), backend, reason) for cell in sorted(safe)),
            tuple(Proved(self.cell(cell), backend, reason) for cell in sorted(mines)),
        )
        for proof in thought.mines:
            self._mark(self.index(proof.cell))
        return thought if thought.safe or thought.mines else None

    def _region(self, clues: Iterable[int]) -> list[int]:
        """Return `clues` and all clues that are connected with them through hidden cells, in
        reading order."""
        connected = dict.fromkeys(clues)
        queue = list(connected)
        codes = self.codes
        visited: set[int] = set()
        while queue:
            for cell in self.hidden_around(queue.pop()):
                if cell in visited:
                    continue
                visited.add(cell)
                for other in self._around[cell]:
                    if codes[other] >= 0 and other not in connected:
                        connected[other] = None
                        queue.append(other)
        return sorted(connected)

    def _constraints(self, clues: Iterable[int]) -> tuple[Constraint, ...]:
        """Return the constraints of these clues. Clues with the same hidden neighbours share one
        constraint."""
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


_engine = cache(load)
