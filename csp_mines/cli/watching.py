"""`csp-mines assist --watch`: read the screenshots of a game, and say after each what to open."""

from __future__ import annotations

import time
from pathlib import Path
from typing import NoReturn

from csp_mines.cli import options
from csp_mines.cli.console import out
from csp_mines.cli.contradiction import show_contradiction
from csp_mines.errors import Contradiction, CspMinesError, FileError, NoBoardInPicture

SUFFIXES = (".png", ".jpg", ".jpeg", ".webp", ".bmp")
INTERVAL = 0.4  # seconds between two looks at the file or folder

State = tuple[Path, int, int]  # a file, the time of its last change in ns, and its size in bytes


def follow(place: Path, header: options.Header, move: str) -> NoReturn:
    """Show the next move on a screenshot, now and after every change, until Ctrl-C raises
    KeyboardInterrupt. `place` is the screenshot, or a folder whose newest screenshot is read.
    `header` has the options for the board, and `move` is the move rule. If a screenshot has an
    error, the error is printed. Raises FileError if `place` does not exist."""
    from csp_mines.cli import message_of

    if not place.exists():
        raise FileError(f"{place}: no such file or directory")
    console = out()
    console.print(f"watching {place}; Ctrl-C ends", style="dim")
    seen: State | None = None
    while True:
        changed = changed_picture(place, seen)
        if changed is None:
            time.sleep(INTERVAL)
            continue
        seen = changed
        try:
            advise(changed[0], header, move)
        except CspMinesError as error:
            console.print(message_of(error), style="yellow")


def changed_picture(place: Path, seen: State | None) -> State | None:
    """Return the state of the file `place`, or of the newest picture in the folder `place`. Return
    None if there is no picture, if the state is still `seen`, or if the state changes again within
    a tenth of a second: then a program is still writing the file."""
    now = _newest(place)
    if now is None or now == seen:
        return None
    time.sleep(INTERVAL / 4)
    return now if _newest(place) == now else None


def _newest(place: Path) -> State | None:
    if place.is_dir():
        pictures = [path for path in place.iterdir() if path.suffix.lower() in SUFFIXES]
    else:
        pictures = [place]
    states = []
    for path in pictures:
        try:
            state = path.stat()
        except FileNotFoundError:  # a program is replacing the file; the next look finds it
            continue
        states.append((path, state.st_mtime_ns, state.st_size))
    return max(states, key=lambda state: state[1], default=None)


def advise(path: Path, header: options.Header, move: str) -> None:
    """Print the board of a screenshot, the cells that are proved safe, the proved mines and the
    move. If no layout fits the board, print the contradiction instead. The flags of the screenshot
    are read as hidden cells. Raises NoBoardInPicture if `path` is not a picture or shows no board,
    and what `load`, `header.applied` and `analyze` raise, except Contradiction."""
    from csp_mines.analysis.analyze import analyze
    from csp_mines.cli.solve import show_board, show_certain, show_move
    from csp_mines.formats import is_picture, load

    data = load(path)
    if not is_picture(data):
        raise NoBoardInPicture(f"{path} is not a PNG, JPEG, WebP or BMP picture")
    board = header.applied(options.from_picture(data, str(path)).without_marks())
    try:
        analysis = analyze(board, move=move)
        show_board(path.name, analysis)
    except Contradiction as error:
        show_contradiction(path.name, board, error)
        return
    show_certain(analysis)
    show_move(analysis)
