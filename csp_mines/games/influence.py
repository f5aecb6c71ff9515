"""Chains of influence: which openings of a game made which later openings possible.

`trace` plays a game. For every proved cell it records the clues of a smallest proof at that moment.
For every cell that a flood opened it records the 0 that opened it. The result is a graph. A link of
the graph leads from a clue to a cell that it helped to prove, or from a 0 to a cell that it opened.
A chain is a path in this graph, and its length is the number of its links.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from enum import StrEnum
from functools import cached_property
from typing import Any

from csp_mines.analysis.clue_sets import Cores
from csp_mines.arguments import instance, whole
from csp_mines.backend import Deduction, load
from csp_mines.board import HIDDEN, MARKED, Board, Cell
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
    GUESS = "guess"
    FLOOD = "flood"  # opened by a 0 beside it
    SAFE = "safe"  # proved safe, then opened
    MINE = "mine"  # proved a mine


@dataclass(frozen=True)
class Link:
    """A known cell and the links that lead to it: one link from each cell of `clues`.

    `how` says how the cell became known. `clues` are the clues that proved the cell, or the 0 whose
    flood opened it. If the cell was opened by the start or by a guess, `clues` is empty. If
    `uses_total` is true, the proof needs the total and the mines that were marked before, and
    `clues` may be empty. `depth` is the number of links of the longest chain that leads to the
    cell. `reasoning` is the greatest number of proofs in a chain that leads to the cell; floods do
    not count.

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
        """Whether the cell was opened by the game itself, or by a guess."""
        return self.how in (How.START, How.GUESS)

    def to_json(self) -> dict[str, Any]:
        """Return the link as `influence --json` lists it."""
        return asdict(self) | {
            "cell": list(self.cell),
            "clues": [list(cell) for cell in self.clues],
        }


@dataclass(frozen=True)
class Influence:
    """The graph of one game. `links` has a `Link` for each known cell, in the order in which the
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
        """For each clue, the cells that it helped to prove, and the cells that its flood opened."""
        helped: dict[Cell, list[Cell]] = {}
        for link in self.links.values():
            for clue in link.clues:
                helped.setdefault(clue, []).append(link.cell)
        return {clue: tuple(cells) for clue, cells in helped.items()}

    @cached_property
    def reach(self) -> dict[Cell, int]:
        """For each cell, the number of cells to which some chain leads from this cell."""
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
        """The cells of a longest chain, from its first cell to its last."""
        return self._chain("depth")

    @cached_property
    def longest_reasoning(self) -> tuple[Cell, ...]:
        """The cells of a chain with the most proofs, in order. Floods do not count as proofs."""
        return self._chain("reasoning")

    def _chain(self, measure: str) -> tuple[Cell, ...]:
        def length(cell: Cell) -> int:
            value: int = getattr(self.links[cell], measure)
            return value

        if not self.links:
            return ()
        chain = [max(self.links, key=length)]
        while self.links[chain[-1]].clues:
            chain.append(max(self.links[chain[-1]].clues, key=length))
        return tuple(reversed(chain))

    def unlocked(self, most: int = 10) -> list[Cell]:
        """Return up to `most` openings with the greatest reach, greatest first."""
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
        """The mean depth of all known cells."""
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
        game: the game.
        agent: a name, an `Agent` or an agent of your own, as in `play`.
        seed: determines the random choices of the agent.

    Raises what `play` raises.

    >>> graph = csp_mines.trace(csp_mines.Game.new("beginner", seed=1), "exact")
    >>> graph.won, len(graph.longest_chain)
    (True, 14)
    """
    recorder = _Recorder(instance(game, Game, "game").board)
    record = play(game, agent, seed, watch=recorder.see)
    return Influence(game.board, recorder.links, record.won)


@dataclass
class _Recorder:
    """Records the links of a game step by step. `moment` is the last position that was analysed.
    Another position is analysed only for a proved cell that `moment` does not prove."""

    board: Board
    links: dict[Cell, Link] = field(default_factory=dict)
    moment: _Moment | None = None

    def see(self, step: Step) -> None:
        """Record how the cell of a step became known, and which cells the step opened by a
        flood."""
        how = How.START if step.kind is StepKind.START else How.GUESS
        proved = None if step.proof is None else self._proof(step)
        self._link(proved or Link(step.cell, how))
        self._flood(step)
        self.board = step.board

    def _proof(self, step: Step) -> Link | None:
        """Return the `Link` of a proved cell. If the position that was analysed last does not prove
        the cell, analyse the current board first."""
        mine = step.kind is StepKind.MARK
        if self.moment is None or not self.moment.proves(step.cell, mine):
            self.moment = _Moment.of(self.board)
        return self.moment.link(step.cell, mine)

    def _flood(self, step: Step) -> None:
        """Record the links of the cells that the step opened, in the order of opening. If the
        step opened a 0 and later a cell beside this 0, a link leads from the 0 to the cell. Of
        several such 0s, the one with the smallest depth is taken. Any other cell without a recorded
        link was opened by the game at its start."""
        zeros = set()
        for cell in step.opened:
            near = [other for other in step.board.neighbours(cell) if other in zeros]
            if near:
                first = min(near, key=lambda zero: (self.links[zero].depth, zero))
                self._link(Link(cell, How.FLOOD, (first,)))
            elif cell not in self.links:
                self._link(Link(cell, How.START))
            if step.board[cell] == 0:
                zeros.add(cell)

    def _link(self, link: Link) -> None:
        if link.cell in self.links:
            return
        parents = [self.links[clue] for clue in link.clues]
        depth = 1 + max((parent.depth for parent in parents), default=-1)
        reasoning = max((parent.reasoning for parent in parents), default=0)
        if link.how in (How.SAFE, How.MINE):
            reasoning += 1
        self.links[link.cell] = replace(link, depth=depth, reasoning=reasoning)


@dataclass(frozen=True)
class _Moment:
    """A position and its deductions.

    `bare` gives the proofs by clues alone. There, marked cells count as hidden, so that a proof
    that uses a marked mine also names the clues that prove this mine. `marked` gives the proofs
    that need the total. There, marked cells count as mines."""

    bare: Cores
    marked: Cores
    deduction: Deduction

    @classmethod
    def of(cls, board: Board) -> _Moment:
        marked = Frontier.of(board)
        bare = Frontier.of(board.replace(dict.fromkeys(board.cells(MARKED), HIDDEN)))
        return cls(Cores(bare), Cores(marked), load("native").deduce(marked.problem))

    def proves(self, cell: Cell, mine: bool) -> bool:
        return self._number(cell) in (self.deduction.mines if mine else self.deduction.safe)

    def link(self, cell: Cell, mine: bool) -> Link:
        """Return the `Link` of the cell, with the clues of a smallest proof. Raises EngineFault if
        nothing proves the cell."""
        how = How.MINE if mine else How.SAFE
        core = self.bare.by_clues(self._number(cell), mine=mine)
        if core is not None:
            return Link(cell, how, self.bare.frontier.clues(core.statements))
        evidence = self.marked.evidence(cell, mine=mine)
        if evidence is None:
            raise EngineFault(f"the agent deduced cell {cell[0]},{cell[1]}, but nothing proves it")
        return Link(cell, how, evidence.clues, uses_total=True)

    def _number(self, cell: Cell) -> int:
        return self.marked.frontier.number(cell)
