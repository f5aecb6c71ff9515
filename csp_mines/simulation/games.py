"""What a worker of a simulation does: play some games of one part of a plan.

`play_games` lets the compiled kernel play each game that the kernel can play, and plays all other
games with `playing.play`. An error of `playing.play` is raised again with the name of the game. An
error of the kernel is raised again only with the agent and the setup, because the kernel gets many
games at once.
"""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from functools import cache

from csp_mines.errors import AgentError, CspMinesError, SimulationError
from csp_mines.games import compiled, playing
from csp_mines.games.agents import Agent
from csp_mines.games.game import Rules, Spec
from csp_mines.games.own_agents import OwnAgent
from csp_mines.games.own_play import start_process
from csp_mines.simulation.outcomes import Outcome
from csp_mines.simulation.plans import PlanPart, Setup, game_seed

SMALL = Spec(6, 6, 8)  # a short game in which an agent soon needs all its engines and its policy


def play_games(part: PlanPart, games: Iterable[int]) -> list[Outcome]:
    """Play the games of `part` whose numbers are `games`. Return one outcome for each game, in the
    order of `games`. The outcome of a game depends only on `part` and the number of the game,
    unless an own agent uses random numbers that do not depend on the seed that the agent gets.

    Raises AgentError if an own agent cannot be imported, crashes, breaks the rules or takes too
    long; SimulationError if a game cannot be played to its end for another reason."""
    numbers = list(games)
    player = part.player
    records: list[playing.Record | None] = [None] * len(numbers)
    if compiled.is_compiled(player, part.setup.rules):
        records = _compiled(part, player, numbers)
    return [
        Outcome.of(
            record or _play(part, number),
            setup=part.place,
            game=number,
            agent=part.agent,
            seed=game_seed(part.seed, number),
        )
        for number, record in zip(numbers, records, strict=True)
    ]


def warm_up(part: PlanPart) -> None:
    """Load what the games of `part` need, before the time of these games is measured. Ignore every
    CspMinesError, because the games raise the same error again.

    For an `Agent`, play a few small games under the rules of the part, once in each process. In a
    measurement without these small games, 20 beginner games of `cpsat+random` took 23 ms each
    instead of 3 ms, because of imports.

    For an own agent, play no small games: an own agent must see no games except those of its plan.
    Start the process in which the own agent plays. An own agent that other processes cannot import
    has no such process, and needs nothing."""
    if isinstance(part.player, Agent):
        _warm_up(part.player, part.setup.rules)
    elif part.player.is_portable:
        with suppress(CspMinesError):  # the real games raise the same error and name the game
            start_process(part.player)


@cache
def _warm_up(agent: Agent, rules: Rules) -> None:
    with suppress(CspMinesError):  # the real games raise the same error and name the game
        play_games(PlanPart(0, Setup(SMALL, rules), agent, 0), range(3))


def _compiled(part: PlanPart, player: Agent, numbers: list[int]) -> list[playing.Record | None]:
    setup = part.setup
    seeds = [game_seed(part.seed, number) for number in numbers]
    try:
        return compiled.play_games(setup.spec, setup.rules, player, seeds, first=setup.first)
    except CspMinesError as error:
        raise SimulationError(f"agent {part.agent!r} on {setup}: {error}") from error


def _play(part: PlanPart, number: int) -> playing.Record:
    seed = game_seed(part.seed, number)
    try:
        player = part.player
        isolated = isinstance(player, OwnAgent) and player.is_portable
        return playing.play(part.setup.game(seed), player, seed, isolated=isolated)
    except AgentError as error:
        game = f"game {number} on {part.setup}, seed {seed}"
        what = error.agent, error.problem, error.board, error.frames
        raise AgentError(*what, game, number) from None
    except CspMinesError as error:
        raise SimulationError(f"{part.name_of(number)} (seed {seed}): {error}") from error
