"""Texts that are nearly boards: the examples of all notations, cut, doubled and stirred."""

from __future__ import annotations

import random
import time

from csp_mines import Board, BoardError, CspMinesError, Layout
from csp_mines.board import MAX_CELLS
from csp_mines.formats import all_notations, board_of, interpret, layout_of

LETTERS = "?012345678MXC.-_#*xHUFm!9 \t\n,;:=[]{}()|\"'&%/+éÿ☃🟦\x00\u20e3"
NAMES = [name for name, notation in all_notations().items() if notation.suffix in (None, ".mbf")]
EXAMPLES = {name: all_notations()[name].example for name in NAMES}
SEEDS = [
    *EXAMPLES.values(),
    "9x9:4,4,m00b7d48a3e0231c419200",
    "?1   \n11   ",
    "b1_99999x99999_m1_Hzzzz",
    "# 1 .\n. 1 #",
    "999999999x999999999x9\nHH",
    "?board=30x16x99&analysis=aEaqaabLVl0lVXW",
    "?b=99999999&m=vvvv",
    "[" * 50,
    '{"board": [[1, null], [2, "?"]], "mines": 1}',
]


def mutated(numbers: random.Random) -> tuple[str, str | None]:
    """A seed with a few changes, and the format to read it by: none, its own, or any."""
    kind = numbers.randrange(10)
    name = numbers.choice(NAMES) if kind < 5 else None
    text = EXAMPLES[name] if name is not None and kind < 4 else numbers.choice(SEEDS)
    for _ in range(numbers.randrange(5)):
        start = numbers.randrange(len(text) + 1)
        end = min(len(text), start + numbers.choice((0, 1, 1, 2, 5, 20)))
        new = numbers.choice(
            (
                "",
                numbers.choice(LETTERS),
                "".join(numbers.choices(LETTERS, k=3)),
                str(numbers.randrange(10 ** numbers.randrange(1, 12))),
                text[start:end] * numbers.randrange(1, 9),
                numbers.choice(SEEDS)[:30],
            )
        )
        text = text[:start] + new + text[end:]
    return text, name


def check(text: str, format: str | None) -> tuple[str, float]:
    """Reads a text; `error`, `board` or `layout`, and the seconds it took. Raises AssertionError
    for a value of a wrong shape; whatever is no error of ours goes through."""
    message, board, kind = "", None, "error"
    begin = time.perf_counter()
    try:
        found = interpret(text, format)
        board = found.board if found.layout is None else None
        kind = "layout" if board is None else "board"
    except CspMinesError as error:
        message = str(error)
    seconds = time.perf_counter() - begin
    if message:
        assert "\n" not in message, repr(message)
        return "error", seconds
    if board is not None:
        assert 1 <= board.codes.size <= MAX_CELLS
        assert Board.parse(str(board)) == board
        assert Board.parse(board.to_line()) == board
    else:
        _check_layout(found, text)
    return kind, seconds


def _check_layout(found: object, text: str) -> None:
    layout = layout_of(found, text)
    assert 1 <= layout.mines.size <= MAX_CELLS
    assert Layout.parse(layout.to_line()) == layout
    try:
        board = board_of(found)
    except BoardError:
        return
    assert board.codes.shape == layout.shape
