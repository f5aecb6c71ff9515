"""Recordings of games that were played: made from a `Game`, from clicks, or from a file.

The file is a log, a RAWVF text or a video. A log has JSON lines, as `play --log` writes them to a
`.jsonl` file. A video is an AVF, EVF, RMV or MVF file. A log is refused if a step does not fit the
layout in the log.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field, fields
from functools import reduce
from math import isfinite
from operator import or_
from os import PathLike, fspath
from pathlib import Path
from typing import Any

from csp_mines import arguments
from csp_mines.arguments import instance, path_name, several, wrong
from csp_mines.board import CLEAR, EXPLODED, HIDDEN, MARKED, Board, Cell
from csp_mines.clues import EXACT
from csp_mines.errors import BoardError, BoardSyntaxError, CspMinesError
from csp_mines.formats import interpret, load
from csp_mines.formats.json_text import from_json
from csp_mines.formats.notation import Clicks
from csp_mines.formats.replay import Replay
from csp_mines.games.actions import Action, ActionKind
from csp_mines.games.game import Game, Rules, Start
from csp_mines.geometry import SQUARE, as_cell, cells_at
from csp_mines.layout import LEVELS, Layout, Spec
from csp_mines.words import plural, typed_cell


@dataclass(frozen=True)
class Recording:
    """A game that was played. `won` is None if the game did not end. `clicks` is the number of
    clicks before the end of the game, including clicks that changed nothing; `clicks` is None if
    this number is not known. `name` is the title of the recording, and `player` is the name of the
    person or program that played. `date` is a text such as `2026-11-18`.

    >>> layout = csp_mines.Layout.parse("*..\\n...")
    >>> clicks = [("open", (1, 2)), ("open", (0, 1)), ("open", (1, 0))]
    >>> recording = csp_mines.record(layout, clicks)
    >>> recording.won, recording.level
    (True, '2x3/1')
    """

    layout: Layout
    actions: tuple[Action, ...]
    won: bool | None
    rules: Rules = field(default_factory=Rules)
    name: str = "game"
    player: str | None = None
    date: str | None = None
    clicks: int | None = None

    @classmethod
    def of(cls, game: Game, *, name: str = "game", player: str | None = None) -> Recording:
        """Return a recording of everything that was played so far in a game. `name` is the title of
        the recording. `player` is the name of the person or program that played, if the name is
        known. Raises InputError if `game` is not a `Game`."""
        instance(game, Game, "game")
        won = game.won if game.over else None
        return cls(game.layout, tuple(game.actions), won, game.rules, name, player)

    @property
    def spec(self) -> Spec:
        """The size of the game and its number of mines."""
        return self.layout.spec

    @property
    def level(self) -> str:
        """The name of the level, such as `expert`. If no level has this size, the rows, columns and
        mines, such as `9x9/12`, and the grid if it is not square."""
        spec = self.spec
        named = (name for name, level in LEVELS.items() if level == spec)
        grid = "" if spec.geometry == SQUARE else f" {spec.geometry}"
        return next(named, f"{spec.rows}x{spec.cols}/{spec.mines}{grid}")

    @property
    def seconds(self) -> float | None:
        """The time from the first opening to the last action. None if one of these two times is not
        known, or if no action opens a cell."""
        first = next((action.seconds for action in self.actions if action.opens), None)
        last = self.actions[-1].seconds if self.actions else None
        return None if first is None or last is None else last - first

    def boards(self) -> Iterator[tuple[Action, Board]]:
        """Yield every action with the board before the action."""
        board = Game(self.layout, self.rules).board
        for action in self.actions:
            yield action, board
            board = board.replace(dict(action.changes))

    @property
    def end(self) -> Board:
        """The board after the last action."""
        changes = (dict(action.changes) for action in self.actions)
        return Game(self.layout, self.rules).board.replace(reduce(or_, changes, {}))


def record(
    layout: Layout,
    clicks: Iterable[tuple[str, Cell] | tuple[str, Cell, float]],
    *,
    name: str = "game",
    player: str | None = None,
) -> Recording:
    """Return the recording of clicks on a layout.

    Parameters:
        layout: the layout.
        clicks: tuples such as `("open", (3, 4))` or `("open", (3, 4), 1.5)`. The first entry is
            `"open"`, `"chord"` or `"flag"`. The third entry, which may be missing, is the time in
            seconds since the beginning of the game. A flag on a marked cell removes the mark. A
            click that changes nothing is counted, but gives no action. Clicks after the end of the
            game are ignored.
        name: the name of the recording.
        player: the name of the person or program that played, if it is known.

    Raises InputError for an invalid layout or click, BoardError for a cell off the board.

    >>> layout = csp_mines.Layout.parse("*..\\n...")
    >>> csp_mines.record(layout, [("open", (1, 2)), ("open", (0, 1)), ("open", (1, 0))]).won
    True
    """
    recorder = _Recorder(instance(layout, Layout, "layout"))
    rows, cols = layout.shape
    for number, click in enumerate(several(clicks, "clicks", "clicks"), 1):
        if not isinstance(click, (tuple, list)) or not 2 <= len(click) <= 3:
            expected = "a tuple such as ('open', (3, 4)) or ('open', (3, 4), 1.5)"
            raise wrong(f"click {number}", expected, click)
        kind, place, *time = click
        does = {"open": recorder.open, "chord": recorder.chord, "flag": recorder.flag}
        if not isinstance(kind, str) or kind not in does:
            raise wrong(f"the first entry of click {number}", "'open', 'chord' or 'flag'", kind)
        cell = as_cell(place)
        if not (0 <= cell[0] < rows and 0 <= cell[1] < cols):
            told = f"click {number} at {typed_cell(cell)} is off the board"
            raise BoardError(f"{told}, which has the size {rows}×{cols}")
        recorder.seconds = _time(time[0] if time else None, f"click {number}")
        does[kind](cell)
    return recorder.recording(name, player, None)


def _time(seconds: Any, what: str) -> float | None:
    """Return a time in seconds as a float, or None if the time is not known. Raises InputError if
    `seconds` is not a finite number. `what` names the click or the step in the message."""
    if seconds is None:
        return None
    return arguments.number(seconds, f"the time of {what}", "a number of seconds", isfinite)


class _Recorder(Replay):
    """A replay that counts the clicks, and records each click that changes the board as an action.
    `seconds` is the time of the next click, or None."""

    def __init__(self, layout: Layout) -> None:
        super().__init__(layout)
        self.actions: list[Action] = []
        self.clicks = 0
        self.seconds: float | None = None
        self._within = False  # True inside a click, for example while a chord opens cells

    @property
    def over(self) -> bool:
        closed = (self.codes == HIDDEN) | (self.codes == MARKED)
        return self.lost or not closed[self.layout.safe].any()

    def open(self, cell: Cell) -> None:
        self._click(ActionKind.OPEN, cell, super().open)

    def flag(self, cell: Cell) -> None:
        marked = self.codes[cell] == MARKED
        self._click(ActionKind.UNMARK if marked else ActionKind.MARK, cell, super().flag)

    def chord(self, cell: Cell) -> None:
        self._click(ActionKind.CHORD, cell, super().chord)

    def _click(self, kind: ActionKind, cell: Cell, act: Callable[[Cell], None]) -> None:
        """Count a click and call `act(cell)`. If this changes the board, record an action. Clicks
        after the end of the game are ignored."""
        if self._within:
            act(cell)
            return
        if self.over:
            return
        before = self.codes.copy()
        self.clicks += 1
        self._within = True
        act(cell)
        self._within = False
        changed = cells_at(before != self.codes)
        changes = tuple((each, int(self.codes[each])) for each in changed)
        if changes:
            self.actions.append(Action(kind, cell, changes, self.seconds))

    def recording(self, name: str, player: str | None, date: str | None) -> Recording:
        """Return the recording of all actions. If the first opening opened a mine, the start of the
        rules is `any`. Otherwise the start is `safe`, as in most programs."""
        opening = next((action for action in self.actions if action.opens), None)
        exploded = opening is not None and any(code == EXPLODED for _, code in opening.changes)
        return Recording(
            self.layout,
            tuple(self.actions),
            not self.lost if self.over else None,
            Rules(start=Start.ANY if exploded else Start.SAFE),
            name,
            player,
            date,
            self.clicks,
        )


def read_recording(path: str | PathLike[str], *, unfinished: bool = False) -> Recording:
    """Read a recorded game from a file.

    Parameters:
        path: the name of a file: a JSON log, a RAWVF text or a video. The file may be gzipped.
        unfinished: whether to accept a game that was not played to its end. If False, such a game
            raises BoardError.

    Raises FileError if the file cannot be read, BoardError if the file is damaged, cut off or not a
    recorded game, MissingLibrary for a video if ms_toollib is not installed. The message of a
    FileError or BoardError names the file.

    >>> from tempfile import NamedTemporaryFile
    >>> with NamedTemporaryFile("w", suffix=".rawvf") as file:
    ...     written = file.write("Board:\\n*0\\nEvents:\\n0.50 lc 2 1\\n0.60 lr 2 1\\n")
    ...     file.flush()
    ...     csp_mines.read_recording(file.name).won
    True
    """
    name = fspath(path_name(path))
    return parse_recording(load(name), name, unfinished=unfinished)


def parse_recording(data: bytes, name: str, *, unfinished: bool = False) -> Recording:
    """Read a recorded game from the bytes of a file. `name` is the name of the file. Raises
    BoardError and MissingLibrary as `read_recording` does."""
    if data.lstrip()[:1] == b"{":
        recording = _read_log(data, name)
    else:
        try:
            contents = interpret(data, source=name)
        except BoardSyntaxError:
            if b"Events:" in data:  # a RAWVF text, which is damaged
                raise
            given = "none of them" if data.strip() else "empty"
            raise BoardError(
                f"{name}: expected a recorded game: a .jsonl log of 'play --log', a RAWVF text or "
                f"a video; this file is {given}"
            ) from None
        if contents.clicks is None or contents.layout is None:
            raise BoardError(
                f"{name}: expected a recorded game, but this file has no clicks; give a .jsonl "
                "log, a RAWVF text or a video"
            )
        recording = _replayed(contents.layout, contents.clicks, name)
    if recording.won is None and not unfinished:
        raise BoardError(
            f"{name}: the game is neither won nor lost at the end of the file; the file is cut "
            "off, or the player gave up"
        )
    return recording


def log_text(recording: Recording) -> str:
    """Return a recording as the text of a log, which `read_recording` can read from a file. Every
    action is one step. The log of a game that did not end has no result. The name and the date of
    the recording are left out."""
    header = game_json(recording.player or "person", recording.layout, recording.rules)
    steps = [_step(number, action) for number, action in enumerate(recording.actions, 1)]
    lines: list[dict[str, Any]] = [{"game": header}, *({"step": step} for step in steps)]
    if recording.won is not None:
        codes = recording.end.codes
        opened = int(((codes >= 0) | (codes == CLEAR)).sum())
        result = {"won": recording.won, "steps": len(steps), "opened": opened}
        lines.append({"result": {**result, "clicks": recording.clicks}})
    return "".join(json.dumps(line) + "\n" for line in lines)


def game_json(player: str, layout: Layout, rules: Rules, **more: Any) -> dict[str, Any]:
    """Return the first line of a log without its key `game`: the player, the size, the fields
    `more`, the rules and the layout."""
    rows = layout.to_text().splitlines()
    return {"agent": player, **layout.spec.to_json(), **more, **asdict(rules), "layout": rows}


def _step(number: int, action: Action) -> dict[str, Any]:
    """Return an action as a step of a log."""
    changes = action.changes if action.opens else ()
    return {
        "number": number,
        "kind": action.kind,
        "cell": list(action.cell),
        "opened": [list(cell) for cell, _ in changes],
        "codes": [code for _, code in changes],
        "seconds": action.seconds,
    }


def _replayed(layout: Layout, clicks: Clicks, name: str) -> Recording:
    """Return the recording of the mouse events of the file `name`. Raises BoardError if no event
    changes the board."""
    recorder = _Recorder(layout)
    for event in clicks.events:
        recorder.seconds = event.seconds
        recorder.mouse(event.code, event.cell)
    if not recorder.actions:
        raise BoardError(f"{name}: expected a recorded game, but no click changes the board")
    return recorder.recording(Path(name).name, clicks.player, clicks.date)


_KINDS = {str(kind): kind for kind in ActionKind}
_SET = {ActionKind.MARK: MARKED, ActionKind.UNMARK: HIDDEN}
_EXPECTED = "expected JSON lines as `play --log` writes them"


def _read_log(data: bytes, name: str) -> Recording:
    """Return the recording in the log `name`. Raises BoardError if the log is damaged, or if a step
    does not fit the layout."""
    lines = _json_lines(data, name)
    try:
        with _fields_of("the log"):
            return _logged(lines, name)
    except CspMinesError as error:
        if str(error).startswith(f"{name}:"):
            raise
        raise BoardError(f"{name}: {error}") from None


@contextmanager
def _fields_of(what: str) -> Iterator[None]:
    """Turn the errors that missing and wrong fields cause in the body of the `with` statement into
    BoardError. `what` names the part of the log that has these fields."""
    try:
        yield
    except CspMinesError:
        raise
    except KeyError as error:
        problem = f"a field is missing in {what}: {error.args[0]!r}"
        raise BoardError(f"{_EXPECTED}, but {problem}") from None
    except (LookupError, TypeError, ValueError, ArithmeticError, AttributeError):
        raise BoardError(f"{_EXPECTED}, but a field has a wrong value in {what}") from None


def _json_lines(data: bytes, name: str) -> list[Any]:
    """Return the JSON value of every line that is not blank. Raises BoardError if the data is not
    UTF-8 text, or if a line is not JSON."""
    try:
        lines = data.decode().splitlines()
    except UnicodeDecodeError:
        raise BoardError(f"{name}: expected JSON lines, but the file is not UTF-8 text") from None
    values = []
    for number, line in enumerate(lines, 1):
        try:
            values += [from_json(line)] if line.strip() else []
        except json.JSONDecodeError as error:
            problem = f"{_EXPECTED}, but this line is not JSON: {error.msg}"
            raise BoardSyntaxError(problem, source=name, line=number) from None
    return values


def _logged(lines: list[Any], name: str) -> Recording:
    """Return the recording that the lines of a log describe: the game, its steps and perhaps its
    result. Raises BoardError if a step does not fit the layout, or if the result does not fit the
    steps."""
    game = lines[0]["game"]
    steps = [line["step"] for line in lines[1:] if "step" in line]
    results = [line["result"] for line in lines[1:] if "result" in line]
    if len(steps) + len(results) + 1 != len(lines) or len(results) > 1:
        raise BoardError(
            "expected a line with the game, then one line for each step and at most one line with "
            "the result"
        )
    layout = Layout.parse("\n".join(game["layout"]), source=f"{name}: layout")
    if Spec.from_json(game) != layout.spec:
        raise BoardError(
            "the layout does not have exactly the size, mines, grid and holes that the log states"
        )
    rules = Rules(**{each.name: game[each.name] for each in fields(Rules)})
    result = results[0] if results else {}
    clicks = result.get("clicks")
    recording = Recording(
        layout,
        tuple(_logged_action(number, step) for number, step in enumerate(steps, 1)),
        bool(result["won"]) if result else None,
        rules,
        Path(name).name,
        str(game["agent"]),
        clicks=None if clicks is None else arguments.whole(clicks, "clicks", 0),
    )
    opened = _replayed_steps(recording)
    if result and (len(steps), opened) != (result["steps"], result["opened"]):
        raise BoardError(
            f"the result states {result['steps']} steps and {result['opened']} open safe cells, "
            f"but the log has {plural(len(steps), 'step')} and {plural(opened, 'open safe cell')}"
        )
    return recording


def _logged_action(number: int, step: dict[str, Any]) -> Action:
    """Return the action of a step. Kinds outside `_KINDS`, such as `guess`, are openings."""
    with _fields_of(f"step {number}"):
        cell = as_cell(step["cell"])
        kind = _KINDS.get(step["kind"], ActionKind.OPEN)
        seconds = _time(step.get("seconds"), f"step {step['number']}")
        if kind in _SET:
            return Action(kind, cell, ((cell, _SET[kind]),), seconds)
        opened = zip(step["opened"], step["codes"], strict=True)
        changes = tuple((as_cell(each), int(code)) for each, code in opened)
        return Action(kind, cell, changes, seconds)


def _replayed_steps(recording: Recording) -> int:
    """Check the steps of a log against its layout. Return the number of safe cells that the steps
    open. Raises BoardError if a step does not fit the layout."""
    layout, exact = recording.layout, recording.rules.clues == EXACT.name
    opened: dict[Cell, int] = {}
    for number, (action, board) in enumerate(recording.boards(), 1):
        _check_cell(number, action, board, exact)
        for cell, code in action.changes:
            mine = bool(layout.mines[board.require(cell)])
            fits = (code == EXPLODED) == mine
            if exact and not mine:
                fits = code == layout.number(cell)
            place = typed_cell(cell)
            if action.opens and not fits:
                raise BoardError(
                    f"step {number} does not fit the layout: the code {code} at {place} is wrong"
                )
            if opened.get(cell, CLEAR) != CLEAR:
                raise BoardError(f"step {number} changes {place}, which is already open")
            if action.opens:
                opened[cell] = code
    return sum(code != EXPLODED for code in opened.values())


def _check_cell(number: int, action: Action, board: Board, exact: bool) -> None:
    """Raise BoardError for a chord at a cell that does not show 1 or more. If the clues are exact,
    also raise BoardError for an opening of a cell that is not among the changes of `action`.
    `board` is the board before the action."""
    place = typed_cell(action.cell)
    if action.kind is ActionKind.CHORD and board[action.cell] <= 0:
        raise BoardError(
            f"step {number} opens the cells around {place}, but that cell does not show 1 or more"
        )
    if exact and action.kind is ActionKind.OPEN and action.cell not in dict(action.changes):
        raise BoardError(
            f"step {number} opens {place}, but the field 'opened' of this step does not list that "
            "cell"
        )
