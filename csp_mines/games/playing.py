"""Play a game with an agent, step by step.

`play` returns a `Record`; the declaration of each counter in this class says how the counter is
computed. An agent gets only what the game shows. An `Agent` makes the same moves on every machine
if the game and the seed are the same."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass, field, fields
from enum import StrEnum
from typing import Any, NamedTuple

from csp_mines import arguments
from csp_mines.board import CLEAR, HIDDEN, Board, Cell
from csp_mines.errors import UnsoundDeduction
from csp_mines.formats import SYMBOLS
from csp_mines.games.game import Game, Seed
from csp_mines.games.knowledge import Knowledge, Proved
from csp_mines.games.own_agents import AgentLike, OwnAgent, as_agent
from csp_mines.games.own_play import OwnPlay
from csp_mines.games.policies import Guess


class StepKind(StrEnum):
    """Why a cell was opened or marked.

    >>> steps = []
    >>> game = csp_mines.Game.new("beginner", seed=1)
    >>> record = csp_mines.play(game, "exact", watch=steps.append)
    >>> steps[0].kind is csp_mines.StepKind.START
    True
    """

    START = "start"  # opened by the game itself
    DEDUCED = "deduced"  # proved safe, then opened
    MARK = "mark"  # proved a mine, or marked by an own agent without a proof
    GUESS = "guess"  # opened without a proof


@dataclass(frozen=True)
class Step:
    """One move of a game: a cell is opened or marked.

    * `number` counts the steps of the game from 1.
    * `round` is 0 for the opening that the game itself makes. All steps with the same number
      `round` were decided before the first of these steps was made.
    * `kind` and `reason` say why the cell was opened or marked.
    * `risk` is the risk of a guess: the risk that the policy computed, or for an own agent the
      exact risk. `risk` is None for a step of another kind, and if the risk was not computed.
    * `proof` is the name of the backend that proved the cell, or None.
    * `clues` has the clue if an `Agent` proved the cell from one clue with the backend `single`.
      Otherwise `clues` is empty. `log.with_clues` returns a copy with the clues of other proofs.
    * `opened` has the cells that show something new after an opening.
    * `shown` is the code of `cell` after the step, and `board` is the board after the step.

    >>> steps = []
    >>> game = csp_mines.Game.new("beginner", seed=1)
    >>> record = csp_mines.play(game, "exact", watch=steps.append)
    >>> steps[1].cell, f"{steps[1].kind}", steps[1].reason
    ((1, 3), 'mark', 'the 1 at 2,2 needs all its hidden cells')
    """

    number: int
    round: int
    cell: Cell
    kind: StepKind
    reason: str
    risk: float | None
    proof: str | None
    clues: tuple[Cell, ...]
    opened: tuple[Cell, ...]
    shown: int
    board: Board

    def to_json(self) -> dict[str, Any]:
        """Return the step for JSON. `codes` has the codes of the cells in `opened`, and `backend`
        is `proof`. If `cell` shows no clue, `shown` is a symbol such as `M`. The round and the
        board are left out."""
        return {
            "number": self.number,
            "kind": self.kind,
            "cell": list(self.cell),
            "shown": self.shown if self.shown >= 0 else SYMBOLS[self.shown],
            "opened": [list(cell) for cell in self.opened],
            "codes": [self.board[cell] for cell in self.opened],
            "reason": self.reason,
            "risk": self.risk,
            "backend": self.proof,
            "clues": [list(cell) for cell in self.clues],
        }


class _Deed(NamedTuple):
    """The facts about one step that the counters of a game depend on."""

    kind: StepKind
    proved: bool
    again: bool  # an `Agent` opened a silent cell once more


def _each_step(amount: Callable[[_Deed], int]) -> Any:
    """Declare a counter. `amount` says how much a step adds to the counter."""
    return field(default=0, metadata={"each step": amount})


def _at_end(value: Callable[[Game], int]) -> Any:
    """Declare a counter. `value` reads the counter from the game after the last step."""
    return field(default=0, metadata={"at end": value})


@dataclass(frozen=True, slots=True)
class Record:
    """How a game went.

    * `won` and `score` are those of the `Game` after the last step.
    * `opened` counts the safe cells that are open at the end, `exploded` the opened mines.
    * `steps` counts all steps. If the game itself opens cells at the start, this is one step.
    * `guesses` counts the openings and marks without a proof, except the step of the start.
    * `deduced` counts the cells that were opened or marked with a proof. A silent cell that is only
      opened once more does not count.

    The fields are declared only in this class. Compiled games, outcomes of simulations and the
    columns of run files use this declaration. The kernel's `Record` has counters of the same names.

    >>> record = csp_mines.play(csp_mines.Game.new("beginner", seed=1), "exact")
    >>> record.won, record.guesses, record.opened
    (True, 0, 65)
    """

    won: bool
    score: float
    opened: int = _at_end(lambda game: game.opened)
    guesses: int = _each_step(lambda deed: not deed.proved and deed.kind is not StepKind.START)
    deduced: int = _each_step(lambda deed: deed.proved and not deed.again)
    exploded: int = _at_end(lambda game: game.exploded)
    steps: int = _each_step(lambda deed: 1)

    def to_json(self) -> dict[str, Any]:
        """Return the fields by name."""
        return asdict(self)


def _counters(when: str) -> list[tuple[str, Callable[[Any], int]]]:
    """Return the name and the function of each counter that is computed at `when`, which is `each
    step` or `at end`."""
    counters = [counter for counter in fields(Record) if when in counter.metadata]
    return [(counter.name, counter.metadata[when]) for counter in counters]


_EACH_STEP, _AT_END = _counters("each step"), _counters("at end")


def play(
    game: Game,
    agent: AgentLike,
    seed: Seed = 0,
    *,
    watch: Callable[[Step], None] | None = None,
    check: bool = False,
    isolated: bool = False,
) -> Record:
    """Play a game with an agent, until the game is over or the agent stops.

    Parameters:
        game: the game.
        agent: a name, an `Agent`, or an agent of your own: a function from a board to a cell, or a
            class with such a method (see `OwnAgent`).
        seed: determines the random choices of the agent.
        watch: a function that is called with each `Step` after the step.
        check: whether to compare every proof with the layout.
        isolated: whether an agent of your own runs in a process of its own, which does not have the
            layout. If the agent ends that process, `play` raises an AgentError. That process must
            be able to import the agent. `simulate` isolates every agent that other processes can
            import.

    Raises UnsoundDeduction if a checked proof is wrong, AgentError if an agent of your own cannot
    be imported, crashes, breaks the rules or takes too long, UnknownName for an unknown agent,
    BoardError if no cell fulfils the start of the game, InputError for other wrong arguments, and
    what `as_agent` and the backends raise.

    >>> csp_mines.play(csp_mines.Game.new("beginner", seed=1), "exact").won
    True
    >>> first_hidden = lambda board: min(board.hidden)
    >>> csp_mines.play(csp_mines.Game.new("beginner", seed=1), first_hidden).won
    False
    """
    arguments.instance(game, Game, "game")
    player, seed = as_agent(agent), arguments.seed(seed)
    arguments.callback(watch, "watch")
    board, retry = game.board, game.rules.retry
    knowledge = (
        OwnPlay(player, board, seed, retry=retry, isolated=isolated)
        if isinstance(player, OwnAgent)
        else Knowledge(player, board, seed, retry=retry)
    )
    return _Match(game, knowledge, watch, check).play()


@dataclass
class _Match:
    """A game and the knowledge of the agent that plays the game. `deeds` counts the steps that have
    the same facts; the record is computed from these counts."""

    game: Game
    knowledge: Knowledge | OwnPlay
    watch: Callable[[Step], None] | None
    check: bool
    deeds: Counter[_Deed] = field(default_factory=Counter)
    rounds: int = 0

    def play(self) -> Record:
        self._start()
        while not self.game.over and not self.knowledge.done:
            thought = self.knowledge.think()
            self.rounds += 1
            for proof in thought.mines:
                self._mark(proof.cell, proof.reason, proof)
            for cell in thought.marks:
                self._mark(cell, "chosen by the agent")
            self._open(thought.safe)
            if thought.guess is not None and not self.game.over:
                self._guess(thought.guess)
        game = self.game
        counts = {name: value(game) for name, value in _AT_END}
        for name, amount in _EACH_STEP:
            counts[name] = sum(amount(deed) * times for deed, times in self.deeds.items())
        return Record(game.won, game.score, **counts)

    def _start(self) -> None:
        opened = self.game.start()
        if opened:
            self._step(opened[0], StepKind.START, "opened by the game", opened)

    def _mark(self, cell: Cell, reason: str, proof: Proved | None = None) -> None:
        if self.game.over:
            return
        if proof is not None:
            self._checked(proof, mine=True)
        self.game.mark([cell])
        self._step(cell, StepKind.MARK, reason, proof=proof)

    def _open(self, proofs: Iterable[Proved]) -> None:
        closed = (HIDDEN, CLEAR) if self.game.rules.retry else (HIDDEN,)
        for proof in proofs:
            if self.game.over:
                return
            shown = self.game.shown(proof.cell)
            if shown not in closed:
                continue  # a flood has opened the cell
            self._checked(proof, mine=False)
            again = shown == CLEAR
            opened = self.game.open(proof.cell)
            self._step(proof.cell, StepKind.DEDUCED, proof.reason, opened, proof=proof, again=again)

    def _guess(self, guess: Guess) -> None:
        opened = self.game.open(guess.cell)
        self._step(guess.cell, StepKind.GUESS, guess.reason, opened, risk=guess.risk)

    def _checked(self, proof: Proved, *, mine: bool) -> None:
        """Raise UnsoundDeduction if `self.check` is true and the layout refutes this proof. `mine`
        is True if the proof calls the cell a mine, False if the proof calls the cell safe."""
        if self.check and bool(self.game.layout.mines[proof.cell]) != mine:
            label, what = self.game.spec.geometry.label(proof.cell), "a mine" if mine else "safe"
            raise UnsoundDeduction(f"{proof.backend} proves that {label} is {what}, but it is not")

    def _step(
        self,
        cell: Cell,
        kind: StepKind,
        reason: str,
        opened: Sequence[Cell] = (),
        *,
        proof: Proved | None = None,
        again: bool = False,
        risk: float | None = None,
    ) -> None:
        """Count a step, and tell the knowledge what the cells `opened` show. If the game has a
        `watch`, call `watch` with this step."""
        if opened:
            self.knowledge.see(self.game.actions[-1].changes)
        self.deeds[_Deed(kind, proof is not None, again)] += 1
        if self.watch is None:
            return
        backend, clues = (None, ()) if proof is None else (proof.backend, proof.clues)
        shown, board = self.game.shown(cell), self.game.board
        self.watch(
            Step(
                self.deeds.total(), self.rounds, cell, kind, reason, risk, backend, clues,
                tuple(opened), shown, board,
            )
        )  # fmt: skip
