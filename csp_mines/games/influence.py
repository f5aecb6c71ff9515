"""Chains of influence: which clues of a game helped to prove or open which later cells.

`trace` plays a game and returns a graph of its cells. A link of this graph leads from a clue to a
cell that the clue helped to prove, or from a 0 to a cell that the flood of this 0 opened. The links
to a proved cell come from the clues of a minimal proof: no clue of the proof can be left out. A
chain is a path in the graph. The length of a chain is the number of its links.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import asdict, dataclass, field, replace
from enum import StrEnum
from functools import cached_property
from typing import Any

from csp_mines.analysis.clue_sets import Cores
from csp_mines.arguments import instance, whole
from csp_mines.backend import default_engine
from csp_mines.board import Board, Cell
from csp_mines.constraints import Frontier
from csp_mines.errors import EngineFault
from csp_mines.games.game import Game, Seed
from csp_mines.games.own_agents import AgentLike
from csp_mines.games.playing import Step, StepKind, play


class How(StrEnum):
    """How a cell became known.

    >>> graph = csp_mines.trace(csp_mines.Game.new("beginner", seed=1), "exact")
    >>> graph.links[graph.longest_chain[0]].how is csp_mines.How.START
    True
    """

    START = "start"  # opened by the game itself
    GUESS = "guess"  # opened without a proof, or marked without a proof by an own agent
    FLOOD = "flood"  # opened by the flood of a 0 beside the cell
    SAFE = "safe"  # proved safe, then opened
    MINE = "mine"  # proved a mine


@dataclass(frozen=True)
class Link:
    """A known cell, and how it became known. One link leads to the cell from each cell of `clues`.

    `clues` are the clues that proved the cell, or the 0 whose flood opened the cell. `clues` is
    empty if `how` is START or GUESS. If `uses_total` is true, the clues alone do not prove the
    cell: the proof also uses the total, the marked mines or both, and `clues` may be empty. `depth`
    is the number of links of the longest chain that ends at the cell. `reasoning` is the greatest
    number of proved cells in a chain that ends at the cell.

    >>> graph = csp_mines.trace(csp_mines.Game.new("beginner", seed=1), "exact")
    >>> link = graph.links[graph.longest_chain[-1]]
    >>> f"{link.how}", link.depth
    ('mine', 13)
    """

    cell: Cell
    how: How
    clues: tuple[Cell, ...] = ()
    uses_total: bool = False
    depth: int = 0
    reasoning: int = 0

    @property
    def unproved(self) -> bool:
        """Whether `how` is START or GUESS."""
        return self.how in (How.START, How.GUESS)

    def to_json(self) -> dict[str, Any]:
        """Return the fields for JSON. `Influence.to_json` adds `helped` and `reach`."""
        return asdict(self) | {
            "cell": list(self.cell),
            "clues": [list(cell) for cell in self.clues],
        }


@dataclass(frozen=True)
class Influence:
    """The graph of one game. `links` maps each known cell to its `Link`, in the order in which the
    cells became known. `board` is the final board.

    >>> graph = csp_mines.trace(csp_mines.Game.new("beginner", seed=1), "exact")
    >>> graph.counts[csp_mines.How.FLOOD], graph.unlocked(2)
    (49, [(0, 0), (1, 0)])
    """

    board: Board
    links: Mapping[Cell, Link]
    won: bool

    @cached_property
    def helped(self) -> dict[Cell, tuple[Cell, ...]]:
        """For each clue, the cells that the clue helped to prove or that its flood opened. Clues
        without such cells are left out."""
        helped: dict[Cell, list[Cell]] = {}
        for link in self.links.values():
            for clue in link.clues:
                helped.setdefault(clue, []).append(link.cell)
        return {clue: tuple(cells) for clue, cells in helped.items()}

    @cached_property
    def reach(self) -> dict[Cell, int]:
        """For each known cell, the number of other cells to which a chain leads from this cell."""
        place = {cell: index for index, cell in enumerate(self.links)}
        below: dict[Cell, int] = {}  # for each cell, a bit mask of the cells in its reach
        for cell in reversed(list(self.links)):
            mask = 0
            for other in self.helped.get(cell, ()):
                mask |= below[other] | 1 << place[other]
            below[cell] = mask
        return {cell: below[cell].bit_count() for cell in self.links}

    @cached_property
    def longest_chain(self) -> tuple[Cell, ...]:
        """The cells of a longest chain, in order. Empty if no cell is known."""
        return self._chain("depth")

    @cached_property
    def longest_reasoning(self) -> tuple[Cell, ...]:
        """The cells of a chain with the most proved cells, in order. Empty if no cell is known."""
        return self._chain("reasoning")

    def _chain(self, measure: str) -> tuple[Cell, ...]:
        chain: list[Cell] = []
        ends: Collection[Cell] = self.links
        while ends:
            chain.append(max(ends, key=lambda cell: getattr(self.links[cell], measure)))
            ends = self.links[chain[-1]].clues
        return tuple(reversed(chain))

    def unlocked(self, most: int = 10) -> list[Cell]:
        """Return up to `most` known cells with the greatest reach, greatest reach first. Proved
        mines are left out. Raises InputError if `most` is not a whole number or is negative."""
        most = whole(most, "most", 0)
        opened = [link.cell for link in self.links.values() if link.how is not How.MINE]
        return sorted(opened, key=lambda cell: (-self.reach[cell], cell))[:most]

    @cached_property
    def counts(self) -> dict[How, int]:
        """For each `How`, the number of cells that became known in this way."""
        hows = [link.how for link in self.links.values()]
        return {how: hows.count(how) for how in How}

    @property
    def mean_depth(self) -> float:
        """The mean depth of all known cells; 0 if no cell is known."""
        return sum(link.depth for link in self.links.values()) / max(len(self.links), 1)

    def to_json(self) -> dict[str, Any]:
        """Return the document of `influence --json`."""
        best = self.unlocked(1)
        return {
            "rows": self.board.rows,
            "cols": self.board.cols,
            "won": self.won,
            "counts": dict(self.counts),
            "longest_chain": [list(cell) for cell in self.longest_chain],
            "longest_reasoning": [list(cell) for cell in self.longest_reasoning],
            "mean_depth": self.mean_depth,
            "unlocked_most": list(best[0]) if best else None,
            "links": [
                {
                    **link.to_json(),
                    "helped": [list(cell) for cell in self.helped.get(link.cell, ())],
                    "reach": self.reach[link.cell],
                }
                for link in self.links.values()
            ],
        }


def trace(game: Game, agent: AgentLike, seed: Seed = 0) -> Influence:
    """Play a game to its end and return the graph of its links.

    Parameters:
        game: a game in which no cell has been opened or marked.
        agent: a name, an `Agent` or an agent of your own, as in `play`.
        seed: determines the random choices of the agent.

    Raises what `play` raises, EngineFault if a deduction of the agent has no proof, and
    BackendUnavailable without an engine for explanations. After a wrong mark by an agent of your
    own, Contradiction or EngineFault may be raised.

    >>> graph = csp_mines.trace(csp_mines.Game.new("beginner", seed=1), "exact")
    >>> graph.won, len(graph.longest_chain)
    (True, 14)
    """
    recorder = _Recorder(instance(game, Game, "game").board)
    record = play(game, agent, seed, watch=recorder.see)
    return Influence(game.board, recorder.links, record.won)


@dataclass
class _Recorder:
    """Records the links of a game step by step. `board` is the board after the last step. `moment`
    is the position that was analysed last, or None."""

    board: Board
    links: dict[Cell, Link] = field(default_factory=dict)
    moment: _Moment | None = None

    def see(self, step: Step) -> None:
        """Record how the cell of a step became known, and which other cells the step opened."""
        if step.cell not in self.links:  # the cell has a `Link` if it is opened again (`retry`)
            self._link(self._first_link(step))
        self._flood(step)
        self.board = step.board

    def _first_link(self, step: Step) -> Link:
        """Return the `Link` of the cell of a step. If the cell was proved, but `moment` does not
        prove it, `moment` is replaced: by the analysis of `board`, which is still the position
        before the step."""
        if step.proof is None:
            how = How.START if step.kind is StepKind.START else How.GUESS
            return Link(step.cell, how)
        mine = step.kind is StepKind.MARK
        if self.moment is None or not self.moment.proves(step.cell, mine):
            self.moment = _Moment(self.board)
        return self.moment.link(step.cell, mine)

    def _flood(self, step: Step) -> None:
        """Record a `Link` for each cell that the step opened, in the order of opening. If the step
        opened 0s beside the cell earlier, the link leads from the 0 with the smallest depth. If the
        step opened no 0 beside the cell earlier and the cell has no `Link` yet, the game itself
        opened the cell."""
        zeros: set[Cell] = set()
        for cell in step.opened:
            near = [other for other in step.board.neighbours(cell) if other in zeros]
            if near:
                first = min(near, key=lambda zero: (self.links[zero].depth, zero))
                self._link(Link(cell, How.FLOOD, (first,)))
            else:
                self._link(Link(cell, How.START))
            if step.board[cell] == 0:
                zeros.add(cell)

    def _link(self, link: Link) -> None:
        """Record a `Link`, unless its cell has one already."""
        if link.cell in self.links:
            return
        parents = [self.links[clue] for clue in link.clues]
        depth = 1 + max((parent.depth for parent in parents), default=-1)
        reasoning = max((parent.reasoning for parent in parents), default=0)
        if link.how in (How.SAFE, How.MINE):
            reasoning += 1
        self.links[link.cell] = replace(link, depth=depth, reasoning=reasoning)


class _Moment:
    """A position and its deductions.

    `bare` gives proofs by clues alone, on the board without marks. So if a proof uses a marked
    mine, the proof also names the clues that prove this mine. `marked` gives proofs with the total,
    on the board with marks. `deduction` has the cells that the board with marks proves."""

    def __init__(self, board: Board) -> None:
        self.frontier = Frontier.of(board)
        self.marked = Cores(self.frontier)
        self.bare = Cores(Frontier.of(board.without_marks()))
        self.deduction = default_engine().deduce(self.frontier.problem)

    def proves(self, cell: Cell, mine: bool) -> bool:
        proved = self.deduction.mines if mine else self.deduction.safe
        return self.frontier.number(cell) in proved

    def link(self, cell: Cell, mine: bool) -> Link:
        """Return the `Link` of the cell, with the clues of a minimal proof. If the proof needs the
        total and is too wide to find, the `Link` has no clues. Raises EngineFault if the cell has
        no proof."""
        how = How.MINE if mine else How.SAFE
        core = self.bare.by_clues(self.frontier.number(cell), mine=mine)
        if core is not None:
            return Link(cell, how, self.bare.frontier.clues(core.statements))
        evidence = self.marked.evidence(cell, mine=mine)
        if evidence is None:
            label = self.frontier.board.geometry.label(cell)
            deduced = f"the agent deduced that cell {label} is {'a mine' if mine else 'safe'}"
            raise EngineFault(f"{deduced}, but the board does not prove this")
        return Link(cell, how, evidence.clues, uses_total=True)
