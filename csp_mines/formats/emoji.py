"""Boards as people paste them in chats: in emoji, or in short names such as `:one:`."""

from __future__ import annotations

import re
from collections.abc import Iterator

from csp_mines.board import CLEAR, EXPLODED, HIDDEN, MARKED, Board
from csp_mines.formats.alphabet import Alphabet
from csp_mines.formats.notation import Notation, Text
from csp_mines.formats.words import read_cells

_KEYCAP = "\ufe0f\u20e3"
_WRITTEN = {
    "🟦": HIDDEN,
    "🚩": MARKED,
    "💥": EXPLODED,
    "✅": CLEAR,
    **{f"{clue}{_KEYCAP}": clue for clue in range(1, 9)},
}
_NAMES = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight")

MEANINGS: dict[str, tuple[int, ...]] = {
    **dict.fromkeys("🟦🟩🟨🟧🟪🔲🔳❓❔◼◾▪■█▓▒░🧱🌫", (HIDDEN,)),
    **dict.fromkeys("⬛⬜◻◽▫□▢🟫", (HIDDEN, 0)),
    **dict.fromkeys("🚩⛳🏴🏁💣🧨", (MARKED,)),
    **dict.fromkeys("💥🔥☠", (EXPLODED,)),
    **dict.fromkeys("✅🆗", (CLEAR,)),
    **{f"{clue}\u20e3": (clue,) for clue in range(9)},
    **{str(clue): (clue,) for clue in range(9)},
    **{f":{name}:": (clue,) for clue, name in enumerate(_NAMES)},
    **dict.fromkeys((":blue_square:", ":green_square:", ":question:"), (HIDDEN,)),
    **dict.fromkeys((":white_large_square:", ":black_large_square:"), (HIDDEN, 0)),
    **dict.fromkeys((":triangular_flag_on_post:", ":bomb:"), (MARKED,)),
    **dict.fromkeys((":boom:", ":collision:"), (EXPLODED,)),
}
_CELL = re.compile(r"[0-8]\ufe0f?\u20e3|:[a-z_]{1,40}:|\S")
_IGNORED = str.maketrans("", "", "\ufe0f\u200b\u200d")
_SEEN = re.compile("|".join(re.escape(key) for key in MEANINGS if not key.isdigit()))


def _recognise(text: Text) -> bool:
    head = text.text.lstrip()[:400]
    if head.isascii() and re.match(r"(?::[a-z_]+:\s*){2}", head) is None:
        return False  # ASCII text must begin with two short names such as `:one:`
    return _SEEN.search(head) is not None


def _rows(text: Text) -> Iterator[tuple[int, list[str]]]:
    for number, line, _ in text.lines():
        yield number, [cell.translate(_IGNORED) for cell in _CELL.findall(line.translate(_IGNORED))]


def _write(board: Board) -> str:
    # A white square is read as 0 if the board has blue squares. On other boards it could also be a
    # hidden cell, so a keycap is written for 0.
    zero = "⬜" if (board.codes == HIDDEN).any() else f"0{_KEYCAP}"
    return Alphabet({**_WRITTEN, zero: 0}).grid(board)


NOTATION = Notation(
    "emoji",
    "squares (🟦 hidden, ⬜ 0), keycaps 1️⃣ to 8️⃣, 🚩 or 💣 mines, 💥 opened mine; or :one: :bomb:",
    "🟦🟦🚩1️⃣\n1️⃣1️⃣2️⃣1️⃣",
    read=lambda text: read_cells(text, lambda: _rows(text), MEANINGS),
    recognise=_recognise,
    write=_write,
    bare=True,
)
