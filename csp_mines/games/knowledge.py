"""What an agent knows during a game, and how it decides its next moves.

`Knowledge` gets a board at the start, and later the codes of the cells that the game opens. It
never gets the layout. Its method `think` returns the next moves: the cells that are proved safe and
the cells that are proved mines. If no cell is proved, `think` returns a guess.
"""

from __future__ import annotations

import random
from array import array
from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from csp_mines import defaults
from csp_mines.analysis.analyze import Analysis, Memory, analyze
from csp_mines.analysis.move import fewest_neighbours
from csp_mines.backend import Backend, load
from csp_mines.board import CLEAR, EXPLODED, HIDDEN, HOLE, MARKED, Board, Cell
from csp_mines.constraints import Constraint, Problem, merged
from csp_mines.errors import GaveUp, TooWide, Unsupported
from csp_mines.games.agents import Agent
from csp_mines.games.game import Seed
from csp_mines.games.policies import WORK, Guess, policy
from csp_mines.geometry import cells_at
from csp_mines.sampling import SAMPLING, Budget

# If a board with optimistic or cautious clues is too wide to count, the next count waits until this
# many more cells are open or marked.
STILL_WIDE = 8
_SEVERAL = "several clues together"  # the reason of a proof that needs more than one clue


@dataclass(frozen=True)
class Proved:
    """A cell that is proved safe or a mine, and the backend that proved it. If the agent deduced
    the cell from a single clue, `clues` has this clue; otherwise `clues` is empty."""

    cell: Cell
    backend: str
    reason: str
    clues: tuple[Cell, ...] = ()


@dataclass(frozen=True)
class Thought:
    """The next moves of an agent: open the cells `safe` and mark the cells `mines`, or make the
    `guess`. `marks` are cells that an own agent marks without a proof."""

    safe: tuple[Proved, ...] = ()
    mines: tuple[Proved, ...] = ()
    guess: Guess | None = None
    marks: tuple[Cell, ...] = ()


def counted(board: Board, **options: Any) -> Analysis:
    """Analyse a board with the limits of agents. The `options` are parameters of `analyze`. Raises
    what `analyze` raises."""
    truthful = board.clues.truthful
    states = defaults.AGENT_STATES if truthful else defaults.NOISY_AGENT_STATES
    return analyze(board, max_states=states, **options)


def estimated(board: Board, **options: Any) -> Analysis:
    """Analyse a board that is too wide to count, and estimate the risks in at most `WORK` steps.
    The estimates are the same in every run. The `options` are parameters of `analyze`. Raises what
    `analyze` raises."""
    budget = Budget(work=WORK)
    return analyze(board, backend="subtraction", counter=SAMPLING, approximate=budget, **options)


class Knowledge:
    """The knowledge of one agent about one game.

    Inside the class and in the problems that backends get, a cell is its number (see `Places`). For
    every cell, the class keeps the counts of its hidden neighbours and of the known mines around
    it. A change updates only the counts beside the changed cell. So `_single` looks only at clues
    whose neighbours changed, and `_stage` first searches only the regions of such clues.

    The class does not use `Frontier`, which would read the whole board before every move."""

    def __init__(self, agent: Agent, board: Board, seed: Seed, *, retry: bool = False) -> None:
        self.agent = agent
        self.random = random.Random(f"agent/{seed}")
        self.total = board.mines if agent.told_total else None
        self.retry = retry
        self._model = board.clues
        self.exact_clues = board.clues.truthful
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
        self.silent: dict[int, None] = {}  # open cells that show no number
        self.clues: dict[int, None] = {}  # clues with hidden neighbours, oldest first
        self._queue: deque[int] = deque()
        self._queued = bytearray(size)
        # Clues that are new or whose neighbours changed since `_stage` last emptied this.
        self._changed: dict[int, None] = {}
        self._version = 0  # the number of changes; each version of the board is analysed once
        self._try_again = size  # a board with more hidden cells is not counted
        self._memory = Memory()
        # For the analysis with the total (True) and without it (False): the version of the board,
        # and the analysis of this version.
        self._analysed: dict[bool, tuple[int, Analysis | None]] = {}
        for hole in np.flatnonzero(holes).tolist():
            self._disclose(hole, mine=False, open=False)
        for cell in cells_at((board.codes != HIDDEN) & ~holes):
            self.see([(cell, board[cell])])

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
            self._take(self.index(cell), code)

    def think(self) -> Thought:
        """Decide the next moves. Also record the proved mines as marked in this object."""
        thought = self._single() or self._total() or self._asked_again()
        for stage in self.agent.stages:
            if stage != "single":
                thought = thought or self._stage(stage)
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
        """Return a pair for each clue that has hidden neighbours, in reading order: these
        neighbours, and how many of them are mines. For optimistic and cautious clues, the second
        number is only a bound."""
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
        """Return, of `cells`, the cell with the fewest neighbours: on most grids a corner before an
        edge, and an edge before the middle. Ties go to the first cell in reading order."""
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
        """Update the counts of the board and of the neighbours of a cell, because this cell is no
        longer hidden. `index` may also be a hole."""
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
        """Put a clue into the queue of `_single`, because the clue is new or its neighbours
        changed. A clue without hidden neighbours is dropped instead."""
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
        """Deduce from each clue of the queue alone. A proved mine is marked at once, which puts the
        clues beside this mine into the queue again. Return all proved cells, or None if no cell is
        proved."""
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
        are as many unknown mines as hidden cells, every hidden cell is a mine. In all other cases,
        return None."""
        left = self._mines_left
        if left == 0:
            return self._proved(self.hidden(), (), "single", "the total leaves no mine")
        if left == self.hidden_left:
            reason = "the total leaves a mine for every hidden cell"
            return self._proved((), self.hidden(), "single", reason)
        return None

    @property
    def _mines_left(self) -> int | None:
        """How many mines the agent does not know yet; None unless it may deduce from the total."""
        if self.total is None or not self.agent.deduce_total:
            return None
        return self.total - self.mines_found

    def _asked_again(self) -> Thought | None:
        """Return the decision to open every silent cell with hidden neighbours again. A silent cell
        is open, but shows no number. Return None if no silent cell has hidden neighbours, or if the
        rules do not let a cell be opened again."""
        if not self.retry:
            return None
        asked = [cell for cell in sorted(self.silent) if self.unknown[cell]]
        self.silent = dict.fromkeys(asked)
        return self._proved(asked, (), "single", "silent, opened once more") if asked else None

    def _stage(self, stage: str) -> Thought | None:
        """Deduce with the backend `stage`. Return None if no cell is proved.

        If this backend reads boards, the default engine analyses the whole board. If the board is
        too wide to count, the backend `subtraction` takes the place of `stage`. A backend that
        does not read boards gets the regions that changed. If these regions prove no cell and the
        agent may deduce from the total, the backend also gets all clues and the total."""
        last = stage == self.agent.stages[-1]
        engine = _engine(stage)
        if engine.reads_boards:  # the analysis has every deduction, and policies use it, too
            analysis = self.analysis(use_total=self.agent.deduce_total)
            if analysis is not None:
                self._changed.clear()
                safe, mines = map(self.index, analysis.safe), map(self.index, analysis.mines)
                reason = "the clues, perhaps with the total" if analysis.uses_total else _SEVERAL
                return self._proved(safe, mines, stage, reason)
            stage = "subtraction"
            engine = _engine(stage)
        # Optimistic clues are only lower bounds, and cautious clues are only upper bounds. So
        # `_single` has proved every cell that such clues prove, and regions need no search.
        changed = self._region(self._changed) if self.exact_clues else []
        thought = None
        if changed:
            deduction = engine.deduce(Problem.trusted(self._constraints(changed)))
            thought = self._proved(deduction.safe, deduction.mines, stage)
        if thought is None and last:
            self._changed.clear()
        return thought or self._with_total(engine, stage)

    def _with_total(self, engine: Backend, stage: str) -> Thought | None:
        """Deduce from all clues and the total. Return None if no cell is proved."""
        left = self._mines_left
        if left is None or not self._total_may_matter(left):
            return None
        constraints = self._constraints(sorted(self.clues))
        inside = {cell for constraint in constraints for cell in constraint.cells}
        sea = tuple(cell for cell in self.hidden() if cell not in inside)
        problem = Problem.trusted(constraints, sea, left)
        if not problem.total_bites:
            return None
        deduction = engine.deduce(problem)
        return self._proved(deduction.safe, deduction.mines, stage, "all clues and the total")

    def _total_may_matter(self, left: int) -> bool:
        """Return whether the total may prove a cell, if `left` mines are not known yet. The total
        proves no cell if the frontier has fewer than `left` cells and the sea has more than `left`
        cells."""
        near = np.frombuffer(self.touched, np.int8) > 0
        frontier = int(np.count_nonzero(near & (self._seen == HIDDEN)))
        return frontier >= left or left >= self.hidden_left - frontier

    def analysis(self, *, use_total: bool = True) -> Analysis | None:
        """Return the exact analysis of the current board; None if the board is too wide to count.
        With optimistic or cautious clues, each attempt to count takes long. So after an attempt
        that was too wide, the result is None until `STILL_WIDE` more cells are open or marked."""
        use_total = use_total or self.total is None
        version, analysis = self._analysed.get(use_total, (-1, None))
        if version != self._version:
            analysis = self._counted(use_total)
            self._analysed[use_total] = self._version, analysis
        return analysis

    def _counted(self, use_total: bool) -> Analysis | None:
        """Return the analysis of the board, made by the stage that reads boards or, without such a
        stage, by the default engine. Return None if the board is too wide to count, or if the next
        attempt to count is not due yet (see `analysis`)."""
        if self.hidden_left > self._try_again:
            return None
        readers = (stage for stage in self.agent.stages if _engine(stage).reads_boards)
        backend = next(readers, defaults.BACKEND)
        try:
            return counted(self.board, backend=backend, use_total=use_total, memory=self._memory)
        except TooWide:
            if not self.exact_clues:
                self._try_again = self.hidden_left - STILL_WIDE
            return None

    def estimate(self) -> Analysis | None:
        """Return an analysis with estimated risks (see `estimated`). Return None if the risks
        cannot be estimated, for example because there is no compiled kernel."""
        try:
            analysis = estimated(self.board)
            analysis.probabilities  # noqa: B018 (samples now, so that errors are caught here)
        except (TooWide, GaveUp, Unsupported):
            return None
        return analysis

    def index(self, cell: Cell) -> int:
        return self._places.index(cell)

    def _proved(
        self, safe: Iterable[int], mines: Iterable[int], backend: str, reason: str = _SEVERAL
    ) -> Thought | None:
        """Return a thought with the cells that a backend proved, and mark the proved mines. Return
        None if the backend proved no cell."""

        def proofs(cells: Iterable[int]) -> tuple[Proved, ...]:
            return tuple(Proved(self.cell(cell), backend, reason) for cell in sorted(cells))

        thought = Thought(proofs(safe), proofs(mines))
        for proof in thought.mines:
            self._mark(self.index(proof.cell))
        return thought if thought.safe or thought.mines else None

    def _region(self, clues: Iterable[int]) -> list[int]:
        """Return `clues`, and all clues that are connected with one of them through hidden cells
        and other clues. The result is in reading order."""
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

        def constraint(clue: int) -> Constraint:
            cells, known = self.hidden_around(clue), self.known[clue]
            low, high = self._bounds[self.codes[clue]]
            return Constraint(cells, max(low - known, 0), min(high - known, len(cells)))

        return merged(map(constraint, clues))


_engine = cache(load)
