"""Reviews of many games: made on all cores, kept in a file, and summed up in tables.

In this module, a review is the JSON document that `Review.to_json` returns. If a file cannot be
reviewed, its error is listed, and the work goes on with the other files.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields
from hashlib import sha256
from os import PathLike, fspath
from pathlib import Path
from statistics import fmean
from typing import Any

from csp_mines import arguments
from csp_mines.defaults import PLAYER, REVIEW_PRECISION
from csp_mines.errors import CspMinesError, FileError, InputError
from csp_mines.games.recording import read_recording
from csp_mines.layout import Seed
from csp_mines.reviews.review import Review, review
from csp_mines.reviews.store import Store
from csp_mines.reviews.values import Reference
from csp_mines.simulation.workers import LocalPool, run
from csp_mines.words import html_table, plural

GROUPS = ("player", "level", "month")  # the names by which games can be grouped


@dataclass(frozen=True)
class Settings:
    """The parameters of reviews, as in `review_many`."""

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
        """Return the key of the review of a file. The key changes if the path of the file, its
        contents or the settings change."""
        try:
            contents = Path(path).read_bytes()
        except (OSError, ValueError) as error:
            raise FileError.of(path, error) from None
        named = json.dumps([path, asdict(self)], sort_keys=True).encode()
        return sha256(sha256(named).digest() + contents).hexdigest()


@dataclass(frozen=True)
class Group:
    """The games of one player, level and month. `player`, `level` or `month` is None if it is
    unknown, or if the games are not grouped by it. The fields after `won` are means. Each mean is
    over the games for which the number is known, and is None if there is no such game.

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
        """Return the fields by name."""
        return asdict(self)


_MEANS = tuple(each.name for each in fields(Group))[5:]  # the fields after `won`


@dataclass(frozen=True, repr=False)
class Reviews:
    """The reviews of many games. `rows` are their summaries, as `Review.summary` makes them, each
    with its file name as `file`. `failures` maps each file that could not be reviewed to its
    error.

    >>> game = csp_mines.Game.new("beginner", seed=1)
    >>> record = csp_mines.play(game, "exact")
    >>> review = csp_mines.review(game)
    >>> csp_mines.Reviews([{"file": "game"} | review.summary()])
    <Reviews: 1 game, 1 won>
    """

    rows: Sequence[Mapping[str, Any]]
    failures: Mapping[str, str] = field(default_factory=dict)

    def groups(self, by: Iterable[str] = GROUPS) -> list[Group]:
        """Return one group for each combination of player, level and month that occurs. `by` may
        name fewer of these three. Raises UnknownName for another name."""
        wanted = [arguments.known_name("group", name, GROUPS) for name in by]
        found: dict[tuple[str | None, ...], list[Mapping[str, Any]]] = {}
        for row in self.rows:
            key = tuple(_label(row, name) if name in wanted else None for name in GROUPS)
            found.setdefault(key, []).append(row)
        ordered = sorted(found, key=lambda key: [name or "" for name in key])
        return [_group(key, found[key]) for key in ordered]

    def to_json(self) -> dict[str, Any]:
        """Return a document with the number of `games`, the `groups`, the summaries as `reviews`,
        and the `failures`."""
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
    """Return the files that `paths` names. A folder stands for all files in it and in its
    sub-folders, except hidden files and folders. A path that does not exist counts as a file.
    Raises InputError for an empty name, FileError for a folder that cannot be read."""
    files: dict[str, None] = {}
    for given in paths:
        if fspath(arguments.path_name(given)) == "":
            raise InputError("a recording needs a file name; '' is empty")
        path = Path(fspath(given))
        if not path.is_dir():
            files[str(path)] = None
            continue
        try:
            inside = sorted(each for each in path.rglob("*") if each.is_file())
        except OSError as error:
            raise FileError.of(path, error) from None
        for each in inside:
            if not any(part.startswith(".") for part in each.relative_to(path).parts):
                files[str(each)] = None
    return list(files)


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
    """Review files and folders of recorded games on all cores.

    Parameters:
        paths: files and folders. A folder stands for all files in it and in its sub-folders,
            except hidden ones.
        player: the name of the reference player.
        precision: a bound on the standard error of the estimated win chances.
        seconds: if given, each review is as precise as this time allows, and `precision` is not
            used.
        seed: determines the games that the reference player plays out for its estimates.
        unfinished: whether to review also games that were not played to their end.
        workers: the number of processes, by default one for each core.
        store: a file that keeps every review as soon as it is ready. Games whose reviews are in
            this file already are not reviewed again, so a run that was stopped continues.
        watch: is called with the number of games that are done and the number of all games.
        take: is called for every file, in order, with its name and its review as a JSON document.
            If the file cannot be reviewed, the second argument is the error message.

    Raises FileError for a folder that cannot be read, RunFileError if `store` cannot be used,
    InputError and UnknownName for wrong arguments.

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


class _Run:
    """Reviews many files, and passes the results to `take` in the order of the files."""

    def __init__(
        self,
        settings: Settings,
        files: list[str],
        watch: Callable[[int, int], None] | None,
        take: Callable[[str, dict[str, Any] | str], None] | None,
    ) -> None:
        self.settings, self.files = settings, files
        self.watch, self.take = watch, take
        self.keys: dict[str, str] = {}
        self.ready: dict[str, dict[str, Any] | str] = {}
        self.rows: list[Mapping[str, Any]] = []
        self.failures: dict[str, str] = {}
        self.handed_out = self.done = 0

    def run(self, kept: Path | None, workers: int | None) -> Reviews:
        with Store(kept) as store, LocalPool(workers) as pool:
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
        """Take the review of a file from the store if the store has it. Return True if the file is
        done: its review was in the store, or the file cannot be read."""
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
        self.done += 1
        while self.handed_out < len(self.files) and self.files[self.handed_out] in self.ready:
            self._hand_out(self.files[self.handed_out])
            self.handed_out += 1
        if self.watch is not None:
            self.watch(self.done, len(self.files))

    def _hand_out(self, name: str) -> None:
        result = self.ready[name]
        self.ready[name] = ""  # frees memory, because a review with its moves is large
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
    """Review files in a worker. Return for each file its name, its review as JSON text (None if it
    failed), and its error message (None if it succeeded)."""
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
