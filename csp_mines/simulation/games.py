"""Playing a batch of games: what a worker does, and nothing else of a simulation.

Whatever plays games faster is called from `play_games`; plans, journals, workers and results see
only what it returns.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache

from csp_mines.errors import CspMinesError
from csp_mines.play import agents, playing
from csp_mines.simulation.plans import PlanPart, game_seed
from csp_mines.simulation.results import Outcome

__all__ = ["SimulationError", "play_games"]


class SimulationError(CspMinesError):
    """A game that could not be played to its end; the message says which one, and why."""


def play_games(part: PlanPart, games: Iterable[int]) -> list[Outcome]:
    """Plays these games of a part of a plan: one outcome for each, in the order given. What comes
    out follows from the part and the number of each game alone.

    Raises SimulationError for a game that cannot be played to its end."""
    return [_play(part, game) for game in games]


def _play(part: PlanPart, number: int) -> Outcome:
    seed = game_seed(part.seed, number)
    try:
        record = playing.play(part.setup.game(seed), _agent(part.agent), seed)
    except CspMinesError as error:
        raise SimulationError(f"{part.name_of(number)} (seed {seed}): {error}") from error
    return Outcome(
        part.place,
        number,
        part.agent,
        seed,
        won=record.won,
        score=record.score,
        opened=record.opened,
        guesses=record.guesses,
        deduced=record.deduced,
        exploded=record.exploded,
        steps=record.steps,
    )


@cache
def _agent(name: str) -> agents.Agent:
    return agents.agent(name)
