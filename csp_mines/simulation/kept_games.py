"""Where the games of a plan are kept: a journal of outcomes, and beside it, in FILE.times, how
long they took, since that differs from run to run.

What is read back is believed only when it can be: every outcome has to be one of a game of this
very plan, under its own seed, once.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, fields
from math import isfinite
from pathlib import Path
from typing import Any, Self

from csp_mines.simulation.journal import Journal, JournalError
from csp_mines.simulation.plans import Plan, Setup, game_seed
from csp_mines.simulation.results import Outcome

__all__ = ["KeptGames", "TimeSpent"]

_KIND = "csp-mines games"
_TIMES_KIND = "csp-mines times"
_VERSION = 2


@dataclass(frozen=True)
class TimeSpent:
    """How long some games of one agent on one setup took."""

    setup: int
    agent: str
    games: int
    seconds: float


class KeptGames:
    """The games of a plan at a path. `outcomes` and `times` are what was kept there before."""

    def __init__(self, plan: Plan, path: Path, *, resume: bool = False) -> None:
        """Raises JournalError where something else is there, or somebody else writes."""
        if not path.name or "\0" in path.name:
            raise JournalError(f"games cannot be kept in {str(path)!r}: that is no file name")
        beside = path.with_name(path.name + ".times")
        if beside.exists() and not path.exists():
            raise JournalError(
                f"{beside} exists without {path}: move it away, or give another file"
            )
        self._plan = plan
        self._seen: set[tuple[int, int, str]] = set()
        self._outcomes = Journal(path, _header(_KIND, plan), self._outcome, resume=resume)
        try:
            self._times = Journal(beside, _header(_TIMES_KIND, plan), self._time, resume=True)
        except BaseException:
            self._outcomes.close()
            raise

    @property
    def outcomes(self) -> list[Outcome]:
        return self._outcomes.entries

    @property
    def times(self) -> list[TimeSpent]:
        return self._times.entries

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *failure: object) -> None:
        with self._times:
            self._outcomes.close()

    def add(self, outcomes: Iterable[Outcome], spent: TimeSpent) -> None:
        """Keeps some games and how long they took. Raises JournalError."""
        self._outcomes.add(outcome.to_json() for outcome in outcomes)
        self._times.add([asdict(spent)])

    def finish(self, outcomes: Iterable[Outcome]) -> None:
        """Puts all games into their final order. Raises JournalError."""
        self._outcomes.finish(outcome.to_json() for outcome in outcomes)

    def _outcome(self, entry: Mapping[str, Any]) -> Outcome:
        outcome = read_outcome(self._plan, entry)
        key = (outcome.setup, outcome.game, outcome.agent)
        if key in self._seen:
            raise ValueError(f"game {outcome.game} of agent {outcome.agent!r} is there twice")
        self._seen.add(key)
        return outcome

    def _time(self, entry: Mapping[str, Any]) -> TimeSpent:
        _require_types(entry, _TIME_TYPES, "of times")
        spent = TimeSpent(**entry)
        _require_part(self._plan, spent.setup, spent.agent)
        if spent.games < 1 or not 0 <= spent.seconds < float("inf"):
            raise ValueError(f"{spent.games} games cannot take {spent.seconds} seconds")
        return spent


_TIME_TYPES = {"setup": int, "agent": str, "games": int, "seconds": float}
_OUTCOME_TYPES: dict[str, type] = {
    field.name: {"agent": str, "won": bool, "score": float}.get(field.name, int)
    for field in fields(Outcome)
}


def read_outcome(plan: Plan, entry: Mapping[str, Any]) -> Outcome:
    """The outcome that an entry says. Raises ValueError unless it is one of a game of the plan."""
    _require_types(entry, _OUTCOME_TYPES, "of a game")
    outcome = Outcome(**entry)
    setup = _require_part(plan, outcome.setup, outcome.agent)
    if not 0 <= outcome.game < plan.games:
        raise ValueError(f"game {outcome.game} is not in the plan, which has {plan.games}")
    seed = game_seed(plan.seed, outcome.game)
    if outcome.seed != seed:
        raise ValueError(f"the seed of game {outcome.game} is {seed}, not {outcome.seed}")
    _require_possible(outcome, setup)
    return outcome


def _header(kind: str, plan: Plan) -> dict[str, Any]:
    return {"kind": kind, "version": _VERSION, **plan.to_json()}


def _require_types(entry: Mapping[str, Any], types: Mapping[str, type], what: str) -> None:
    if tuple(entry) != tuple(types):
        raise ValueError(f"not the line {what}: it has {', '.join(entry)}")
    for name, value in entry.items():
        if type(value) is not types[name]:
            raise ValueError(f"not the line {what}: {name} cannot be {value!r}")


def _require_part(plan: Plan, place: int, agent: str) -> Setup:
    if not 0 <= place < len(plan.setups) or agent not in plan.agents:
        raise ValueError(f"agent {agent!r} on setup {place} is not in the plan")
    return plan.setups[place]


def _require_possible(outcome: Outcome, setup: Setup) -> None:
    """That a game under this setup can have gone so."""
    spec = setup.spec
    cells = spec.rows * spec.cols
    most = {"opened": cells - spec.mines, "exploded": spec.mines, "deduced": cells}
    for name in ("opened", "guesses", "deduced", "exploded", "steps"):
        number = getattr(outcome, name)
        if not 0 <= number <= most.get(name, number):
            raise ValueError(f"{name} cannot be {number} on {setup}")
    if not isfinite(outcome.score) or not 0 <= outcome.score <= 1:
        raise ValueError(f"the score cannot be {outcome.score}")
    if outcome.won and outcome.exploded:
        raise ValueError("a game in which a mine was opened cannot be won")
