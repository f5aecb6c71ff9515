"""Games played by the compiled kernel: which games the kernel can play, and their records.

`playing.play` defines the correct moves. The kernel makes the same moves many times faster.
`is_compiled` says whether the kernel can play the games of an agent. `playing.play` plays all other
games, for example those with noisy clues. It also plays each game in which the kernel meets a
position that is too wide to count.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields
from operator import attrgetter
from typing import TYPE_CHECKING, TypeGuard

from csp_mines import defaults
from csp_mines.analysis.move import ALIKE
from csp_mines.analysis.winning import is_player, orders
from csp_mines.backend import Capability, capability, offered
from csp_mines.board import Cell
from csp_mines.errors import UnsoundDeduction
from csp_mines.games.agents import Agent
from csp_mines.games.game import RuleName, Rules, Seed, Spec, Start
from csp_mines.games.own_agents import AnyAgent
from csp_mines.games.playing import Record, StepKind
from csp_mines.kernel import kernel_table
from csp_mines.layout import seed_bytes

if TYPE_CHECKING:
    from csp_mines.kernel import Kernel, KernelMoves, KernelRecord, KernelTable

# Reads the fields of a `Record`, except the score, from the kernel's record of a game.
_FIELDS = attrgetter(*(field.name for field in fields(Record) if field.name != "score"))


def is_compiled(agent: AnyAgent, rules: Rules) -> TypeGuard[Agent]:
    """Return whether the kernel can play the games of `agent` under `rules`. A few of these games
    may still be too wide for the kernel (see `play_games`)."""
    return (
        isinstance(agent, Agent)
        and offered(Capability.GAMES) is not None
        and rules.clues == "exact"
        and agent.stages == ("single", defaults.BACKEND)
        and agent.deduce_total
        and not agent.stop_early
        and (agent.policy == "lowest-risk" or is_player(agent.policy))
    )


def play_games(
    spec: Spec,
    rules: Rules,
    agent: Agent,
    seeds: Sequence[Seed],
    *,
    first: Cell | None = None,
) -> list[Record | None]:
    """Play one game for each seed, and return one record for each seed, in the same order.
    `play(Game(spec, rules, seed, first=first), agent, seed)` would return the same record.

    `is_compiled(agent, rules)` must be true. A record is None if the kernel cannot play the game to
    its end: a position is too wide to count, or the board has no room for the mines. The caller
    must then call `play` for this game. Without room for the mines, `play` raises BoardError.
    Ctrl-C interrupts the kernel.

    Raises BoardError if `first` is not a cell of the board, UnsoundDeduction if the layout of a
    game refutes a deduction."""
    endings = capability(Capability.GAMES).Ending
    records: list[Record | None] = []
    played = _play(spec, rules, agent, seeds, first, watched=False)[0]
    for seed, record in zip(seeds, played, strict=True):
        if record.ending is endings.UNSOUND:
            raise UnsoundDeduction(
                f"{defaults.BACKEND} made a deduction that the layout refutes (seed {seed})"
            )
        if record.ending is not endings.FINISHED:
            records.append(None)
            continue
        won, *counts = _FIELDS(record)
        whole = not spec.mines or (rules.rules is RuleName.CLASSIC and won)
        score = 1.0 if whole else record.marked / spec.mines
        records.append(Record(won, score, *counts))
    return records


def kernel_grid(kernel: Kernel, spec: Spec) -> tuple[list[int], KernelTable | None]:
    """Return the holes of a board, numbered row by row in ascending order, and its table of
    neighbours."""
    holes = sorted(row * spec.cols + col for row, col in spec.holes)
    return holes, kernel_table(kernel, spec.geometry, (spec.rows, spec.cols))


def compiled_moves(
    spec: Spec, rules: Rules, agent: Agent, seeds: Sequence[Seed], *, first: Cell | None = None
) -> list[list[tuple[StepKind, Cell, float, float]]]:
    """Play the same games as `play_games`, and return a list of moves for each game. If the kernel
    meets a position that is too wide to count, the list ends before this position.

    A move is a tuple: the kind of step, the cell, the risk of the cell, and a win chance. The win
    chance of a guess is what the player to win computed or estimated. It is nan if the player did
    neither, or if the policy is `lowest-risk`. The win chance of any other move has no meaning."""
    games = _play(spec, rules, agent, seeds, first, watched=True)[1]
    return [
        [
            (StepKind[kind.name], divmod(index, spec.cols), risk, chance)
            for kind, index, risk, chance in moves
        ]
        for moves in games
    ]


def _play(
    spec: Spec,
    rules: Rules,
    agent: Agent,
    seeds: Sequence[Seed],
    first: Cell | None,
    *,
    watched: bool,
) -> tuple[list[KernelRecord], list[KernelMoves]]:
    """Let the kernel play one game for each seed. Return a list of the kernel's records, and a list
    with the moves of each game. The second list is empty if `watched` is False."""
    if first is not None:
        first = spec.require(first)
    terms = {
        "rows": spec.rows,
        "cols": spec.cols,
        "mines": spec.mines,
        "sweep": rules.rules is RuleName.SWEEP,
        "start": tuple(Start).index(Start(rules.start)),
        "flood": rules.flood,
        "first": -1 if first is None else first[0] * spec.cols + first[1],
        "told_total": agent.told_total and rules.told_total,
        "max_states": defaults.AGENT_STATES,
        "alike": ALIKE,
    }
    wins = agent.policy != "lowest-risk"
    kernel = capability(Capability.GAMES)
    holes, table = kernel_grid(kernel, spec)
    return kernel.play_games(
        terms,
        orders(agent.policy) if wins else None,
        len(seeds),
        b"".join(seed_bytes("layout", seed) for seed in seeds),
        b"".join(seed_bytes("start", seed) for seed in seeds)
        if rules.start is Start.SQRT
        else None,
        watched,
        table,
        holes,
    )
