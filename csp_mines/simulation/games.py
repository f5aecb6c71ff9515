"""The work of one worker: it plays a batch of games of a plan. Errors name the game that failed.

`play_games` uses the compiled kernel for the games that the kernel can play. Its callers need not
know which games these are.
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

SMALL = Spec(6, 6, 8)  # a game of this size soon uses every engine and the guess policy of an agent


def play_games(part: PlanPart, games: Iterable[int]) -> list[Outcome]:
    """Play the games with the numbers `games`, which belong to a part of a plan. Return one outcome
    for each, in the given order. An outcome depends only on the part and the number of the game.

    Raises AgentError if an own agent crashes or breaks the rules, SimulationError if a game cannot
    be played to its end for another reason."""
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
    """Play a few small games with the agent and the rules of the part, once in each process, before
    time is measured. These games load the libraries that the agent needs. Without them, 20 beginner
    games of `cpsat+random` seem to take 23 ms each instead of 3 (measured). For an own agent, only
    start its process: an own agent must see no games except those of its plan."""
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
