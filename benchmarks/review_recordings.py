"""Compare the replay and the review of recordings with ms_toollib.

    python benchmarks/review_recordings.py FOLDER

For every AVF, EVF, RMV and MVF file of a folder: the board after each click, pLuck, and whether
each guess was needless, by `is_guess_while_needless`. ms_toollib runs in a process of its own for
each question, because its analysis of features can end the process.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np

from csp_mines.board import CLEAR, EXPLODED, HIDDEN, MARKED
from csp_mines.formats import interpret, load
from csp_mines.formats.replay import Replay
from csp_mines.reviews.review import Review, review

SHOWN = {10: HIDDEN, 11: MARKED, 12: HIDDEN, 14: CLEAR, 15: EXPLODED, 16: MARKED}
NEEDLESS = {2: "forced", 3: "needless"}  # what the codes of is_guess_while_needless mean
OPEN_VIDEO = """
import json, sys
import ms_toollib
path = sys.argv[1]
video = getattr(ms_toollib, path.rsplit(".", 1)[1].capitalize() + "Video")(path)
video.parse()
video.analyse()
"""
BOARDS = (
    OPEN_VIDEO
    + """
clicks = [each for each in video.events
          if each.event.is_mouse() and each.event.unwrap_mouse().mouse != "mv"]
json.dump([each.next_game_board.game_board for each in clicks], sys.stdout)
"""
)
PLUCK = (
    OPEN_VIDEO
    + """
video.analyse_for_features(["pluck"])
video.current_time = 1e6
json.dump(video.pluck, sys.stdout)
"""
)
GUESSES = """
import json, sys
import ms_toollib
json.dump([ms_toollib.is_guess_while_needless(board, tuple(cell))
           for board, cell in json.load(sys.stdin)], sys.stdout)
"""


def asked(program: str, *arguments: str, told: Any = None) -> Any:
    """What ms_toollib answers; None if its process ended."""
    done = subprocess.run(
        [sys.executable, "-c", program, *arguments],
        input=json.dumps(told).encode(),
        capture_output=True,
        timeout=300,
        check=False,
    )
    return json.loads(done.stdout) if done.returncode == 0 else None


def boards_that_agree(path: Path) -> tuple[int, int]:
    """How many boards are the same after a click, and how many clicks there are."""
    theirs = asked(BOARDS, str(path))
    contents = interpret(load(path), source=str(path))
    assert contents.clicks is not None
    assert contents.layout is not None
    replay, same = Replay(contents.layout), 0
    for event, shown in zip(contents.clicks.events, theirs, strict=True):
        replay.mouse(event.code, event.cell)
        board = [[SHOWN.get(code, code) for code in row] for row in shown]
        same += np.array_equal(board, replay.codes)
    return same, len(theirs)


def verdicts(reviewed: Review) -> list[str]:
    """What ms_toollib says about every guess, which it is told without marks."""
    told = [
        (np.where(move.board.codes < 0, 10, move.board.codes).tolist(), list(move.cell))
        for move in reviewed.guesses
    ]
    return [NEEDLESS.get(code, str(code)) for code in asked(GUESSES, told=told)]


def main(folder: Path) -> None:
    for path in sorted(folder.iterdir()):
        if path.suffix not in (".avf", ".evf", ".rmv", ".mvf"):
            continue
        same, clicks = boards_that_agree(path)
        reviewed, pluck = review(path, explain=False), asked(PLUCK, str(path))
        said = "its process ended" if pluck is None else f"{pluck:.6f}"
        theirs = verdicts(reviewed)
        agree = sum(
            move.verdict == word for move, word in zip(reviewed.guesses, theirs, strict=True)
        )
        print(
            f"{path.name}: {same} of {clicks} boards agree; pLuck {reviewed.pluck:.6f} and {said}"
        )
        print(f"  {agree} of {len(theirs)} guesses have the same verdict")
        for move, word in zip(reviewed.guesses, theirs, strict=True):
            if move.verdict != word:
                print(f"  opening {move.turn} at {move.cell}: ours {move.verdict}, theirs {word}")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
