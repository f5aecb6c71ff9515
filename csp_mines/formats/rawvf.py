"""RAWVF, the common text format of recordings. Lines `Key: value` come first. Below a line `Board:`
are rows of `*` (mines) and `0` (safe cells). Below a line `Events:`, every line is an event or a
remark. A recording is read as its layout, the board after the last event, and its events except
movements of the mouse."""

from __future__ import annotations

import re
from collections.abc import Iterator

from csp_mines.board import MARKED
from csp_mines.formats.alphabet import Alphabet
from csp_mines.formats.grids import read_grid
from csp_mines.formats.notation import Click, Clicks, Contents, Heading, Notation, Text
from csp_mines.formats.replay import Replay
from csp_mines.layout import Layout

ALPHABET = Alphabet({"*": MARKED, "0": 0})

# The time in seconds, the code, the column, the row, and perhaps the position of the mouse in
# pixels. Columns and rows count from 1.
_EVENT = re.compile(
    r"\s*(-?\d{1,9}(?:\.\d{1,9})?)\s+(lc|lr|rc|rr|mc|mr|mv|pf|sc|mt)\s+(\d{1,9})\s+(\d{1,9})\b.*",
    re.ASCII,
)
_REMARK = re.compile(
    r"(?:-?\d+(?:\.\d+)?\s+)?(?!(?:lc|lr|rc|rr|mc|mr|mv|pf|sc|mt)\b)[A-Za-z].*", re.ASCII
)


def _recognise(text: Text) -> bool:
    first = text.first_line().lower()
    return first.startswith("rawvf_version:") or bool(
        re.search(r"^[^\S\n]*Board:[^\S\n]*$", text.text, re.MULTILINE)
        and re.search(r"^[^\S\n]*Events:[^\S\n]*$", text.text, re.MULTILINE)
    )


def _read(text: Text) -> Contents:
    keys, board_at, events_at = _parts(text)
    if board_at is None:
        raise text.error(1, "expected a line 'Board:' in RAWVF text")
    layout = Layout(read_grid(text, ALPHABET, board_at, events_at) == MARKED)
    height, width = layout.shape
    text.check_counts(keys, {"width": width, "height": height, "mines": layout.count})
    replay = Replay(layout)
    events = tuple(_clicks(text, events_at, layout))
    for event in events:
        replay.mouse(event.code, event.cell)
    told = {key: value for key, (_, value) in keys.items() if value}
    date = re.search(r"\d{4}-\d\d-\d\d", told.get("date", ""))
    clicks = Clicks(events, told.get("player"), date[0] if date else None)
    return Contents(replay.board, layout, replay.first, clicks=clicks)


def _clicks(text: Text, start: int, layout: Layout) -> Iterator[Click]:
    """Yield the events below the position `start` of the text, except movements of the mouse. The
    line `Events:` counts as a remark. An event beside the board has the cell None. Raises
    BoardSyntaxError if a line is neither an event nor a remark, or if an event is beside the board
    in a row or column above 100,000."""
    rows, cols = layout.shape
    for number, line, _ in text.lines(start):
        match = _EVENT.fullmatch(line)
        if match is None and not _REMARK.fullmatch(line.strip()):
            raise text.expected("an event 'time code column row'", line, number)
        if match is None or match[2] == "mv":
            continue
        row, col = int(match[4]), int(match[3])
        on_board = 1 <= row <= rows and 1 <= col <= cols
        if not on_board and max(row, col) > 100_000:
            problem = f"the event at column {col:,}, row {row:,} is too far off the board"
            raise text.error(number, f"{problem}; expected numbers up to 100,000")
        yield Click(float(match[1]), match[2], (row - 1, col - 1) if on_board else None)


def _parts(text: Text) -> tuple[dict[str, tuple[int, str]], int | None, int]:
    """Return the keys in lower case, each with its line number and its value; the position in the
    text at which the line `Board:` ends, or None if there is no such line; and the position at
    which the line `Events:` begins, or the end of the text if there is no such line. Raises
    BoardSyntaxError if a line above `Board:` has no colon."""
    keys: dict[str, tuple[int, str]] = {}
    board_at: int | None = None
    for number, line, start in text.lines():
        key, colon, value = (part.strip() for part in line.partition(":"))
        if not colon:
            if board_at is None:
                raise text.expected("a line 'Key: value'", line, number)
            continue
        key = key.lower()
        if key == "board" and not value:
            board_at = start + len(line)
        elif key == "events" and not value:
            return keys, board_at, start
        else:
            keys[key] = number, value
    return keys, board_at, len(text.text)


NOTATION = Notation(
    "rawvf",
    "text of a recording: lines 'Key: value'; a line 'Board:', then rows of * (mine) and 0 (safe); "
    "a line 'Events:', then lines with a time, a code, a column and a row",
    "Width: 2\nHeight: 1\nMines: 1\nBoard:\n*0\nEvents:\n0.50 lc 2 1\n0.60 lr 2 1",
    read=_read,
    recognise=_recognise,
    heading=Heading("_", "(?i:rawvf_version):"),
)
