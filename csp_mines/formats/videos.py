"""Recordings in the binary formats AVF, EVF, RMV and MVF, parsed by ms_toollib.

The extra `videos` installs ms_toollib. A recording is read as its layout, the board after the last
event, and the events.

If a file is damaged, ms_toollib ends its whole process. So ms_toollib runs in a child process,
which gets the bytes of the file through a pipe."""

from __future__ import annotations

import json
import sys
from datetime import UTC, datetime
from functools import partial
from importlib.util import find_spec
from typing import Any

import numpy as np

from csp_mines.board import CLEAR, EXPLODED, HIDDEN, MARKED, Board
from csp_mines.errors import BoardError
from csp_mines.formats.notation import Click, Clicks, Contents, Notation, Text
from csp_mines.layout import Layout
from csp_mines.libraries import missing

SECONDS = 60  # time limit for parsing a recording

# The code of this package for each code of ms_toollib that is not a clue. 10 is a hidden cell, 11 a
# flag, 12 a hidden cell that ms_toollib has proved safe. At the end of a lost game, 14 is a flag on
# a safe cell, 15 is the mine that was opened, and 16 is any other mine without a flag.
_SHOWN = {10: HIDDEN, 11: MARKED, 12: HIDDEN, 14: CLEAR, 15: EXPLODED, 16: MARKED}

# The parsers write a log to the current folder. So the child makes a folder, makes it the current
# folder and deletes it. After that, no log can be written, and the child leaves no file behind.
_CHILD = """
import json, os, sys, tempfile
folder = tempfile.mkdtemp()
os.chdir(folder)
os.rmdir(folder)
import ms_toollib
video = getattr(ms_toollib, sys.argv[1])("", sys.stdin.buffer.read())
video.parse()
video.analyse()
shown = video.events[-1].next_game_board.game_board if len(video.events) else None
events, size = [], video.pix_size
for each in video.events:
    if each.event.is_mouse():
        mouse = each.event.unwrap_mouse()
        if mouse.mouse != "mv":
            events.append([each.time, mouse.mouse, mouse.y // size, mouse.x // size])
json.dump({"real": [list(row) for row in video.board], "view": shown, "events": events,
           "player": video.player_identifier, "start": video.start_time}, sys.stdout)
"""


def _read_bytes(kind: str, data: bytes, source: str) -> Contents:
    """Read a recording of the format `kind`, such as `avf`. `source` names the file in messages.
    Raises BoardError if ms_toollib cannot parse `data` within SECONDS, MissingLibrary if ms_toollib
    is not installed."""
    if find_spec("ms_toollib") is None:
        raise missing(f"{kind.upper()} recordings need ms_toollib", "csp-mines[videos]")
    recording = _parsed(kind, data)
    if recording is None:
        raise BoardError(f"{source}: ms_toollib cannot read this {kind.upper()} recording")
    layout = Layout(np.array(recording["real"]) == -1)
    if recording["view"] is None:
        codes = np.full(layout.shape, HIDDEN)
    else:
        codes = np.array([[_SHOWN.get(shown, shown) for shown in row] for row in recording["view"]])
    return Contents(Board(codes, mines=layout.count), layout, clicks=_clicks(recording, layout))


def _clicks(recording: dict[str, Any], layout: Layout) -> Clicks:
    rows, cols = layout.shape
    events = tuple(
        Click(seconds, code, (row, col) if 0 <= row < rows and 0 <= col < cols else None)
        for seconds, code, row, col in recording["events"]
    )
    start = recording["start"]  # microseconds since 1970; 0 if unknown
    date = datetime.fromtimestamp(start / 1e6, UTC).date().isoformat() if start else None
    return Clicks(events, recording["player"] or None, date)


def _parsed(kind: str, data: bytes) -> dict[str, Any] | None:
    """Return what the child process prints about the recording. Return None if the child fails,
    needs more than SECONDS, or prints no layout."""
    import subprocess

    try:
        child = subprocess.run(
            [sys.executable, "-P", "-c", _CHILD, f"{kind.capitalize()}Video"],
            input=data, capture_output=True, timeout=SECONDS, check=True,
        )  # fmt: skip
        recording: dict[str, Any] = json.loads(child.stdout)
    except (subprocess.SubprocessError, ValueError):
        return None
    return recording if recording["real"] and recording["real"][0] else None


def _no_text(kind: str, text: Text) -> Contents:
    raise text.error(
        1, f"{kind.upper()} recordings are binary files, not text; give the bytes of the file"
    )


def _notation(kind: str, program: str, magic: bytes | None = None) -> Notation:
    return Notation(
        kind,
        f"recording of {program}: the layout, the last board and the events of the mouse; needs "
        "the extra 'videos'",
        f"game.{kind}",
        read=partial(_no_text, kind),
        read_bytes=partial(_read_bytes, kind),
        suffix=f".{kind}",
        magic=magic,
    )


NOTATIONS = (
    _notation("avf", "Minesweeper Arbiter"),
    _notation("evf", "metasweeper"),
    _notation("rmv", "Viennasweeper", b"*rmv"),
    _notation("mvf", "Minesweeper Clone", b"\x11Minesweeper Clone"),
)
