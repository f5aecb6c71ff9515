"""Reviews of many games: made on all cores, kept in a file, and summed up in tables.

In this module, the document of a review is the dictionary of `Review.to_json` with the path of the
game as one more field, `file`. If a file cannot be reviewed, `Reviews.failures` has the error
message of this file, and the other files are still reviewed.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields
from hashlib import sha256
from os import PathLike, fspath
from pathlib import Path
from statistics import fmean
from typing import Any

from csp_mines import __version__, arguments
from csp_mines.defaults import PLAYER, REVIEW_PRECISION
from csp_mines.errors import CspMinesError, FileError, InputError
from csp_mines.games.recording import read_recording
from csp_mines.layout import Seed
from csp_mines.reviews.review import Review, review
from csp_mines.reviews.store import Store
from csp_mines.reviews.values import Reference
from csp_mines.simulation.workers import LocalPool, run
from csp_mines.words import html_table, plural

GROUPS = ("player", "level", "month")  # the fields of `Group` by which games can be grouped


@dataclass(frozen=True)
class Settings:
    """The parameters of `review_many` that decide how each game is reviewed."""

    player: str = PLAYER
    precision: float = REVIEW_PRECISION
    seconds: float | None = None
    seed: Seed = 0
    unfinished: bool = False

    def review(self, path: str) -> Review:
        """Review the game in a file."""
        options = asdict(self)
        recording = read_recording(path, unfinished=options.pop("unfinished"))
        return review(recording, **options)

    def key(self, path: str) -> str:
        """Return the key under which a `Store` keeps the review of a file: a hash of the version of
        csp-mines, of `path`, of the contents of the file and of the settings. Raises FileError if
        the file cannot be read."""
        try:
            contents = Path(path).read_bytes()
        except (OSError, ValueError) as error:
            raise FileError.of(path, error) from None
        named = json.dumps([__version__, path, asdict(self)], sort_keys=True).encode()
        return sha256(sha256(named).digest() + contents).hexdigest()


@dataclass(frozen=True)
class Group:
    """The games of one player, level and month, summed up.

    `player` is the player of the games, not the reference player, and `month` is a text such as
    `2026-03`. Each of `player`, `level` and `month` is None if the value is unknown, or if the
    games are not grouped by this field. `games` and `won` are numbers of games. The fields after
    `won` are means over the games that have a value, or None if no game has a value. `start`,
    `lost`, `luck` and `accuracy` are shares of 1, not points.

    >>> game = csp_mines.Game.new("beginner", seed=1)
    >>> record = csp_mines.play(game, "exact")
    >>> review = csp_mines.review(game)
    >>> [group] = csp_mines.Reviews([{"file": "game"} | review.summary()]).groups()
    >>> group.level, group.games, group.won
    ('beginner', 1, 1)
    """

    player: str | None
    level: str | None
    month: str | None
    games: int
    won: int
    start: float | None
    lost: float | None
    luck: float | None
    accuracy: float | None
    forced: float
    needless: float
    inaccuracies: float
    mistakes: float
    blunders: float
    bits: float | None
    three_bv_per_second: float | None
    efficiency: float | None
    seconds_proved: float | None
    seconds_guessing: float | None

    def to_json(self) -> dict[str, Any]:
        """Return a dictionary of all fields."""
        return asdict(self)


_MEANS = tuple(each.name for each in fields(Group))[5:]  # the fields after `won`


@dataclass(frozen=True, repr=False)
class Reviews:
    """The reviews of many games. Each of the `rows` is the dictionary of `Review.summary` for one
    game, with the path of the game as one more field, `file`. `failures` maps the path of each file
    that could not be reviewed to its error message.

    >>> game = csp_mines.Game.new("beginner", seed=1)
    >>> record = csp_mines.play(game, "exact")
    >>> review = csp_mines.review(game)
    >>> csp_mines.Reviews([{"file": "game"} | review.summary()])
    <Reviews: 1 game, 1 won>
    """

    rows: Sequence[Mapping[str, Any]]
    failures: Mapping[str, str] = field(default_factory=dict)

    def groups(self, by: Iterable[str] = GROUPS) -> list[Group]:
        """Group the games by the fields that `by` names: `player`, `level` and `month`, or some of
        these. Return one group for each combination of values that occurs, sorted by player, level
        and month. Raises UnknownName for another name, InputError for a name that is not a
        string."""
        wanted = [arguments.known_name("group", name, GROUPS) for name in by]
        found: dict[tuple[str | None, ...], list[Mapping[str, Any]]] = {}
        for row in self.rows:
            key = tuple(_label(row, name) if name in wanted else None for name in GROUPS)
            found.setdefault(key, []).append(row)
        ordered = sorted(found, key=lambda key: [name or "" for name in key])
        return [_group(key, found[key]) for key in ordered]

    def to_json(self) -> dict[str, Any]:
        """Return a dictionary with four fields: the number of `games`, the `groups` by player,
        level and month, the rows as `reviews`, and the `failures`."""
        return {
            "games": len(self.rows),
            "groups": [group.to_json() for group in self.groups()],
            "reviews": [dict(row) for row in self.rows],
            "failures": dict(self.failures),
        }

    def __repr__(self) -> str:
        won = sum(row["won"] is True for row in self.rows)
        failed = f", {plural(len(self.failures), 'file')} failed" if self.failures else ""
        return f"<Reviews: {plural(len(self.rows), 'game')}, {won:,} won{failed}>"

    def _repr_html_(self) -> str:
        headings = [*GROUPS, "games", "won", *_MEANS]
        rows = [[_shown(getattr(group, name)) for name in headings] for group in self.groups()]
        return html_table([name.replace("_", " ") for name in headings], rows)


def game_files(paths: Iterable[str | PathLike[str]]) -> list[str]:
    """Return the paths of all files in `paths`, each path once. A folder stands for the files in
    the folder and in its subfolders, sorted, except hidden files and files in hidden subfolders. A
    path that does not exist counts as a file. Raises InputError for an empty path and for a value
    that is not a path, FileError for a folder that cannot be read."""
    files: dict[str, None] = {}
    for given in paths:
        if fspath(arguments.path_name(given)) == "":
            raise InputError("a recording needs a file name; '' is empty")
        path = Path(fspath(given))
        try:
            inside = _files_in(path) if os.path.isdir(path) else [path]
        except OSError as error:
            raise FileError.of(error.filename or path, error) from None
        files |= dict.fromkeys(map(str, inside))
    return list(files)


def _files_in(folder: Path) -> list[Path]:
    """Return the files in a folder and in its subfolders, sorted, except hidden files and files in
    hidden subfolders. Raises OSError if one of these folders cannot be read."""

    def refuse(error: OSError) -> None:  # without this function, os.walk skips such a folder
        raise error

    files: list[Path] = []
    for place, folders, names in os.walk(folder, onerror=refuse):
        folders[:] = [name for name in folders if not name.startswith(".")]
        files += [Path(place, name) for name in names if not name.startswith(".")]
    return sorted(path for path in files if path.is_file())


def review_many(
    paths: Iterable[str | PathLike[str]],
    *,
    player: str = PLAYER,
    precision: float = REVIEW_PRECISION,
    seconds: float | None = None,
    seed: Seed = 0,
    unfinished: bool = False,
    workers: int | None = None,
    store: str | PathLike[str] | None = None,
    watch: Callable[[int, int], None] | None = None,
    take: Callable[[str, dict[str, Any] | str], None] | None = None,
) -> Reviews:
    """Review the recorded games in files and folders, by default on all cores. `Reviews.failures`
    lists the files that cannot be reviewed.

    Parameters:
        paths: the paths of files and folders. A folder stands for the files in the folder and in
            its subfolders, except hidden files and files in hidden subfolders.
        player: the name of the reference player.
        precision: a number from 0.001 to 0.5. The standard error of an estimated win chance is at
            most about this number.
        seconds: if given, the time for each game. Each review is as precise as this time allows,
            and `precision` is not used. The first, rough review is finished in any case.
        seed: determines the layouts that are drawn for estimates.
        unfinished: whether to review games that were not played to their end. If False, the file of
            an unfinished game counts as cut off and cannot be reviewed.
        workers: the number of processes, by default one for each core. At most four for each core
            are used.
        store: the path of a SQLite file to which reviews are saved while the run goes on. A review
            in this file is used again for the same path and contents of a game, with the same
            `player`, `precision`, `seconds`, `seed` and `unfinished`, by the same version of
            csp-mines. The same call therefore continues a run that was stopped.
        watch: a function. `review_many` calls it after every file, with the number of files that
            are done and the number of all files.
        take: a function. `review_many` calls it once for every file, in the order of the files. The
            first argument is the path of the file. The second argument is the dictionary of
            `Review.to_json` with the path as one more field, `file`, or the error message if the
            file cannot be reviewed.

    Raises FileError for a folder that cannot be read, RunFileError if `store` cannot be used,
    InputError and UnknownName for wrong arguments, WorkerError if worker processes do not start or
    die one after another at the same file.

    >>> csp_mines.review_many([])
    <Reviews: 0 games, 0 won>
    """
    Reference(player, precision, seed)
    if seconds is not None:
        arguments.seconds(seconds)
    if workers is not None:
        arguments.whole(workers, "workers", 1)
    settings = Settings(player, precision, seconds, seed, unfinished)
    files = game_files(arguments.several(paths, "paths", "paths"))
    kept = None if store is None else Path(fspath(arguments.path_name(store, "store")))
    if kept is not None:
        files = [name for name in files if Path(name).absolute() != kept.absolute()]
    return _Run(settings, files, watch, take).run(kept, workers)


@dataclass
class _Run:
    """Reviews `files`, and passes the results to `take` in the order of `files`. `ready` has the
    results that wait for the result of an earlier file."""

    settings: Settings
    files: list[str]
    watch: Callable[[int, int], None] | None
    take: Callable[[str, dict[str, Any] | str], None] | None
    keys: dict[str, str] = field(default_factory=dict)
    ready: dict[str, dict[str, Any] | str] = field(default_factory=dict)
    rows: list[Mapping[str, Any]] = field(default_factory=list)
    failures: dict[str, str] = field(default_factory=dict)
    handed_out: int = 0

    def run(self, kept: Path | None, workers: int | None) -> Reviews:
        with Store(kept) as store, LocalPool(workers, len(self.files)) as pool:
            todo = [name for name in self.files if not self._find(name, store)]
            for _, results, _ in run(
                _review_files, {self.settings: todo}, pool, lambda _, name: name
            ):
                documents = [(name, json.loads(text)) for name, text, _ in results if text]
                store.add((self.keys[name], document) for name, document in documents)
                for name, document in documents:
                    self._finish(name, document)
                for name, _, error in results:
                    if error:
                        self._finish(name, error)
        return Reviews(self.rows, self.failures)

    def _find(self, name: str, store: Store) -> bool:
        """If the store has the review of the file `name`, pass this review to `_finish`. If the
        file cannot be read, pass the error message to `_finish`. Return whether `_finish` was
        called."""
        try:
            self.keys[name] = self.settings.key(name)
        except CspMinesError as error:
            self._finish(name, str(error))
            return True
        document = store.find(self.keys[name])
        if document is not None:
            self._finish(name, document)
        return document is not None

    def _finish(self, name: str, result: dict[str, Any] | str) -> None:
        self.ready[name] = result
        while self.handed_out < len(self.files) and self.files[self.handed_out] in self.ready:
            name = self.files[self.handed_out]
            self.handed_out += 1
            self._hand_out(name, self.ready.pop(name))
        if self.watch is not None:
            self.watch(self.handed_out + len(self.ready), len(self.files))

    def _hand_out(self, name: str, result: dict[str, Any] | str) -> None:
        if self.take is not None:
            self.take(name, result)
        if isinstance(result, str):
            self.failures[name] = result
        else:
            long = ("moves", "layout", "end")
            self.rows.append({key: value for key, value in result.items() if key not in long})


def _review_files(
    settings: Settings, names: tuple[str, ...]
) -> list[tuple[str, str | None, str | None]]:
    """Review files in a worker. Return three values for each file: the path, the document of the
    review as JSON text, and the error message. One of the last two values is None."""
    results: list[tuple[str, str | None, str | None]] = []
    for name in names:
        try:
            document = {"file": name} | settings.review(name).to_json()
            results.append((name, json.dumps(document), None))
        except CspMinesError as error:
            text = str(error)
            results.append((name, None, text if name in text else f"{name}: {text}"))
    return results


def _label(row: Mapping[str, Any], name: str) -> str | None:
    value = row["date"][:7] if name == "month" and row["date"] else row.get(name)
    return None if value is None else str(value)


def _group(key: tuple[str | None, ...], rows: Sequence[Mapping[str, Any]]) -> Group:
    player, level, month = key
    won = sum(row["won"] is True for row in rows)
    means: dict[str, Any] = {name: _mean(row[name] for row in rows) for name in _MEANS}
    return Group(player, level, month, len(rows), won, **means)


def _mean(values: Iterable[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return fmean(known) if known else None


def _shown(cell: Any) -> str:
    if cell is None:
        return ""
    return f"{cell:.3g}" if isinstance(cell, float) else str(cell)
