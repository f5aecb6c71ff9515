"""The file of a run, a SQLite database with a plan and its games: writing, resuming, extending.

The module also finds out whether a file is damaged.

Only one process at a time can write to the file of a run. The process locks the file before it
reads the file, and keeps the lock until it closes the file. Each batch of games is one transaction,
so a process that is killed leaves only whole batches. SQLite notices only damage to its own
structures. Therefore the file has a checksum of the plan, and one of each batch of games.
"""

from __future__ import annotations

import json
import sqlite3
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict
from itertools import groupby
from operator import attrgetter
from pathlib import Path
from typing import Any, Self
from zlib import crc32

from csp_mines.errors import RunFileError, RunFileExists
from csp_mines.simulation import run_database as database
from csp_mines.simulation.game_numbers import GameNumbers
from csp_mines.simulation.outcomes import COLUMNS, Outcome
from csp_mines.simulation.plans import Plan
from csp_mines.simulation.tally import TimeSpent
from csp_mines.words import plural

_STORED = [int if kind is bool else kind for kind in COLUMNS.values()]
_FIELDS = ", ".join(COLUMNS)
_GAMES = f"SELECT {_FIELDS} FROM games ORDER BY run, setup, game, agent"
_CHECKED_GAMES = f"SELECT batch, run, {_FIELDS} FROM games ORDER BY run, setup, game, agent"
_OTHERS = (
    f"SELECT {_FIELDS} FROM games "
    "WHERE run = ? AND setup = ? AND game BETWEEN ? AND ? AND agent <> ?"
)
_CHECKED_BATCH = "SELECT run, setup, agent, games, seconds, checksum FROM batches WHERE batch = ?"
_NEXT_BATCH = "SELECT ifnull(max(batch), 0) + 1 FROM batches"
_ADD_GAME = f"INSERT INTO games VALUES ({', '.join('?' * (len(COLUMNS) + 2))})"
_ADD_BATCH = "INSERT INTO batches VALUES (?, ?, ?, ?, ?, ?, ?)"


class RunFile:
    """The open file of a run, and its `plan`. Use it in a `with` statement, which closes the
    file."""

    def __init__(self, path: Path, connection: sqlite3.Connection, plan: Plan) -> None:
        """Do not call this. Use `write` or `read`, which lock the connection and check the file."""
        self.plan = plan
        self._path = path
        self._connection = connection
        self._run = _run_number(plan)

    @classmethod
    def write(cls, path: Path, plan: Plan, *, resume: bool = False) -> Self:
        """Open the file at `path` to add games of `plan`. If the file is missing or empty, create
        it. If the file contains a run, `resume` must be True, and `plan` must continue this run:
        it must have the same setups and seed, at least as many games, and all agents of the run.

        Raises RunFileExists if the file contains a run and `resume` is False. Raises RunFileError
        if another process uses the file, if `plan` does not continue the run in the file, or if the
        file is damaged, is not the file of a run, or cannot be opened."""
        with database.written(path) as (connection, new):
            if not new:
                if not resume:
                    raise RunFileExists(path)
                _require_extension(path, _checked_plan(path, connection), plan)
                _require_undamaged(path, connection, _run_number(plan))
            text = _plan_text(plan)
            row = (_run_number(plan), text, crc32(text.encode()))
            connection.execute("INSERT OR REPLACE INTO runs VALUES (?, ?, ?)", row)
        return cls(path, connection, plan)

    @classmethod
    def read(cls, path: Path) -> Self:
        """Open the file of a run to read it. No run can write to the file until it is closed.

        Raises RunFileError if another process has the file open to write, or if the file is
        missing, is empty, is damaged, is not the file of a run, or cannot be opened."""
        database.require_place(path)
        if not database.exists(path):
            raise RunFileError(f"there is no file {path}")
        with database.opened(
            path, "rw"
        ) as connection:  # writable: SQLite may have to clean up after a killed run
            connection.execute("BEGIN")
            database.require_ours(path, connection)
            plan = _checked_plan(path, connection)
            _require_undamaged(path, connection, _run_number(plan))
            return cls(path, connection, plan)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *failure: object) -> None:
        self._connection.close()

    def outcomes(self) -> Iterator[Outcome]:
        """Iterate over all games in the file, in the order of the plan: by setup, game and agent.
        Raises RunFileError if the file cannot be read."""
        agents = self.plan.agents
        with database.explained(self._path, "read"):
            outcomes = map(Outcome.of_values, self._connection.execute(_GAMES))
            for _, game in groupby(outcomes, key=attrgetter("setup", "game")):
                yield from sorted(game, key=lambda outcome: agents.index(outcome.agent))

    def times(self) -> Iterator[TimeSpent]:
        """Iterate over the batches in the file, and yield the time that the games of each batch
        took. Raises RunFileError if the file cannot be read."""
        with database.explained(self._path, "read"):
            rows = self._connection.execute("SELECT setup, agent, games, seconds FROM batches")
            yield from (TimeSpent(*row) for row in rows)

    def others(self, outcomes: Iterable[Outcome]) -> dict[int, list[Outcome]]:
        """Return the outcomes that other agents had in the games of `outcomes`. All `outcomes` must
        belong to one agent and one setup. The key of the dictionary is the number of the game; a
        game that no other agent has played gives an empty list. Raises RunFileError if the file
        cannot be read."""
        others: defaultdict[int, list[Outcome]] = defaultdict(list)
        if len(self.plan.agents) == 1:
            return others
        numbers = GameNumbers()
        for outcome in outcomes:
            numbers.add(outcome.game)
        with database.explained(self._path, "read"):
            for games in numbers.ranges():
                key = (self._run, outcome.setup, games[0], games[-1], outcome.agent)
                for row in self._connection.execute(_OTHERS, key):
                    other = Outcome.of_values(row)
                    others[other.game].append(other)
        return others

    def add(self, outcomes: Sequence[Outcome], spent: TimeSpent) -> None:
        """Add the `outcomes` of one batch of games, and the time `spent` on the batch. When this
        method returns, the batch is on the disk. Raises RunFileError if the batch cannot be
        written; the file then has no game of the batch."""
        with database.explained(self._path, "write"), self._connection as connection:
            connection.execute("BEGIN")
            (batch,) = connection.execute(_NEXT_BATCH).fetchone()
            rows = [(self._run, *_stored(outcome), batch) for outcome in outcomes]
            head = (self._run, *asdict(spent).values())
            checksum = _checksum(head)
            for row in sorted(rows):
                checksum = _checksum((batch, *row[:-1]), checksum)
            connection.executemany(_ADD_GAME, rows)
            connection.execute(_ADD_BATCH, (batch, *head, checksum))


def _stored(outcome: Outcome) -> Iterator[Any]:
    return (kind(value) for kind, value in zip(_STORED, outcome.values(), strict=True))


def _checksum(row: tuple[Any, ...], before: int = 0) -> int:
    """Return the checksum of a row, continued from `before`, the checksum of earlier rows."""
    return crc32(repr(row).encode(), before)


def _plan_text(plan: Plan) -> str:
    return json.dumps(plan.to_json(), separators=(",", ":"))


def _run_number(plan: Plan) -> int:
    """Return the number of a run: a checksum of its setups and its seed. The number stays the same
    when the run is extended. With this number, `_require_undamaged` notices rows that were copied
    from the file of another run."""
    document = plan.to_json()
    return crc32(json.dumps([document["setups"], document["seed"]]).encode())


def _checked_plan(path: Path, connection: sqlite3.Connection) -> Plan:
    rows = connection.execute("SELECT run, plan, checksum FROM runs").fetchmany(2)
    if len(rows) != 1 or not isinstance(rows[0][1], str):
        raise database.damaged(path, "it must have exactly one readable plan")
    ((run, text, checksum),) = rows
    if crc32(text.encode()) != checksum:
        raise database.damaged(path, "the checksum of its plan is wrong")
    plan = Plan.of_json(json.loads(text))
    if _run_number(plan) != run:
        raise database.damaged(path, "the stored number of the run does not fit the stored plan")
    return plan


def _require_extension(path: Path, stored: Plan, plan: Plan) -> None:
    """Raise RunFileError unless `plan` extends or equals `stored`, the plan in the file: it must
    have the same setups and seed, at least as many games, and all agents of `stored`."""
    theirs, ours = json.loads(_plan_text(stored)), json.loads(_plan_text(plan))
    for name in ("seed", "setups"):
        difference = _difference(name, theirs[name], ours[name])
        if difference is not None:
            raise RunFileError(f"{path} belongs to another run: {difference}")
    if plan.games < stored.games:
        raise RunFileError(
            f"the run in {path} is planned for {plural(stored.games, 'game')} per agent: ask for "
            f"at least as many games, not {plan.games:,}"
        )
    if not set(stored.agents) <= set(plan.agents):
        raise RunFileError(
            f"the agents of the run in {path} are {', '.join(stored.agents)}: to continue the run, "
            "name all of these agents; you may add others"
        )


def _difference(name: str, theirs: Any, ours: Any) -> str | None:
    """Compare the JSON values of the field `name`: `theirs` is in the file, `ours` in the new plan.
    Return a text about the first difference, or None if the values are equal."""
    pairs: list[tuple[str, Any, Any]] = []
    if isinstance(theirs, dict) and isinstance(ours, dict) and theirs.keys() == ours.keys():
        pairs = [(key, theirs[key], ours[key]) for key in theirs]
    elif name == "setups" and len(theirs) == len(ours):
        pairs = [("setup", *setups) for setups in zip(theirs, ours, strict=True)]
    elif name == "setups":
        pairs = [("the number of setups", len(theirs), len(ours))]
    elif theirs != ours:
        return f"{name} is {json.dumps(theirs)} in the file, but {json.dumps(ours)} was asked for"
    return next((text for pair in pairs if (text := _difference(*pair))), None)


def _require_undamaged(path: Path, connection: sqlite3.Connection, run: int) -> None:
    """Read all batches and games of the file. Raises RunFileError unless each game belongs to a
    batch of the run with the number `run`, each batch has all its games and no more, and the
    checksum of each batch is right. The games of a batch lie close together in the file, so only a
    few batches are open at a time."""
    ((state,),) = connection.execute("PRAGMA quick_check(1)").fetchall()
    if state != "ok":
        raise database.damaged(path, f"SQLite says: {state}")
    open_batches: dict[Any, list[Any]] = {}  # games still to read, checksum so far, stored checksum
    games = 0
    for row in connection.execute(_CHECKED_GAMES):
        games += 1
        batch = open_batches.get(row[0])
        if batch is None:
            *head, expected = connection.execute(_CHECKED_BATCH, row[:1]).fetchone() or (None,)
            if not head or not isinstance(head[3], int):
                raise database.damaged(path, f"batch {row[0]} is missing or unreadable")
            if head[0] != run:
                raise database.damaged(path, f"batch {row[0]} belongs to another run")
            batch = open_batches[row[0]] = [head[3], _checksum(tuple(head)), expected]
        batch[0] -= 1
        batch[1] = _checksum(row, batch[1])
        if batch[0] <= 0 and open_batches.pop(row[0])[1] != batch[2]:
            raise database.damaged(path, f"the checksum of batch {row[0]} is wrong")
    (expected_games,) = connection.execute("SELECT total(games) FROM batches").fetchone()
    if open_batches or games != expected_games:
        raise database.damaged(path, "a batch has too few or too many games")
