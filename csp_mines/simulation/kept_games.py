"""Where the games of a plan are kept: a journal of outcomes, and beside it, in FILE.times, how
long they took, since that differs from run to run.

What is read back is believed only when it can be: every outcome has to be one of a game of this
very plan, under its own seed, once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import asdict
from math import isfinite
from pathlib import Path
from struct import Struct
from tempfile import TemporaryFile
from typing import IO, Any, Self

from csp_mines.simulation.journal import Journal, JournalError
from csp_mines.simulation.outcomes import COLUMNS, Outcome
from csp_mines.simulation.plans import Plan, Setup, game_seed
from csp_mines.simulation.tally import TimeSpent

__all__ = ["KeptGames"]

_KIND = "csp-mines games"
_TIMES_KIND = "csp-mines times"
_VERSION = 2


class KeptGames:
    """The games of a plan at a path."""

    def __init__(
        self,
        plan: Plan,
        path: Path,
        take: Callable[[Outcome], None],
        take_time: Callable[[TimeSpent], None],
        *,
        resume: bool = False,
    ) -> None:
        """With `resume`, `take` is given every game that is kept there already, and `take_time` how
        long they took; `take` raises ValueError for a game that comes twice.

        Raises JournalError where something else is there, or somebody else writes."""
        if not path.name or "\0" in path.name:
            raise JournalError(f"games cannot be kept in {str(path)!r}: that is no file name")
        beside = path.with_name(path.name + ".times")
        if beside.exists() and not path.exists():
            raise JournalError(
                f"{beside} exists without {path}: move it away, or give another file"
            )
        self._plan = plan
        self._take, self._take_time = take, take_time
        with ExitStack() as stack:
            self._places = stack.enter_context(_Places(path.parent))
            header = _header(_KIND, plan)
            self._outcomes = stack.enter_context(
                Journal(path, header, self._read_outcome, resume=resume)
            )
            header = _header(_TIMES_KIND, plan)
            self._times = stack.enter_context(Journal(beside, header, self._read_time, resume=True))
            self._stack = stack.pop_all()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *failure: object) -> None:
        self._stack.close()

    def add(self, outcomes: Sequence[Outcome], spent: TimeSpent) -> None:
        """Keeps some games and how long they took. Raises JournalError."""
        places = self._outcomes.add(outcome.to_json() for outcome in outcomes)
        for outcome, place in zip(outcomes, places, strict=True):
            self._places.put(self._number(outcome), place)
        self._times.add([asdict(spent)])

    def finish(self) -> None:
        """Puts the games, which are all there, into their final order. Raises JournalError."""
        self._outcomes.finish(self._places)

    def _number(self, outcome: Outcome) -> int:
        """Which game of all it is in the final order: by setup, game and agent."""
        plan = self._plan
        games_before = outcome.setup * plan.games + outcome.game
        return games_before * len(plan.agents) + plan.agents.index(outcome.agent)

    def _read_outcome(self, entry: Mapping[str, Any], place: int) -> None:
        outcome = read_outcome(self._plan, entry)
        self._take(outcome)
        self._places.put(self._number(outcome), place)

    def _read_time(self, entry: Mapping[str, Any], _place: int) -> None:
        _require_types(entry, _TIME_TYPES, "of times")
        spent = TimeSpent(**entry)
        _require_part(self._plan, spent.setup, spent.agent)
        if spent.games < 1 or not 0 <= spent.seconds < float("inf"):
            raise ValueError(f"{spent.games} games cannot take {spent.seconds} seconds")
        self._take_time(spent)


class _Places:
    """For each game the place of its line in the journal: eight bytes a game, in a file without a
    name in the journal's folder, since there may be more games than the memory holds."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._file: IO[bytes] | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *failure: object) -> None:
        if self._file is not None:
            self._file.close()

    def put(self, game: int, place: int) -> None:
        """Raises JournalError."""
        try:
            if self._file is None:
                self._file = TemporaryFile(dir=self._folder, buffering=0)  # noqa: SIM115
            self._file.seek(_PLACE.size * game)
            self._file.write(_PLACE.pack(place))
        except OSError as error:
            raise JournalError(f"cannot write in {self._folder}: {error.strerror}") from error

    def __iter__(self) -> Iterator[int]:
        """In the order of the games."""
        assert self._file is not None
        self._file.seek(0)
        while chunk := self._file.read(_PLACE.size << 13):
            yield from (place for (place,) in _PLACE.iter_unpack(chunk))


_PLACE = Struct("<Q")
_TIME_TYPES = {"setup": int, "agent": str, "games": int, "seconds": float}


def read_outcome(plan: Plan, entry: Mapping[str, Any]) -> Outcome:
    """The outcome that an entry says. Raises ValueError unless it is one of a game of the plan."""
    _require_types(entry, COLUMNS, "of a game")
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
