"""Links that contain a layout: `?b=SIZE&m=MINES`. PTTA's calculator, LlamaSweeper and JSMinesweeper
use such links.

SIZE is 1 (9×9), 2 (16×16), 3 (30 wide, 16 high), or width and height with the same number of
digits, such as 0812 (8 wide, 12 high). MINES is the mines in base 32, five cells per digit (see
`runs`)."""

from __future__ import annotations

import re

from csp_mines.board import Cell
from csp_mines.formats.notation import Contents, Notation, Text, quoted
from csp_mines.formats.runs import check_size, from_digits, to_digits
from csp_mines.layout import Layout

PAGE = "https://pttacgfans.github.io/Minesweeper-ZiNi-Calculator/"
_LEVELS = {"1": (9, 9), "2": (16, 16), "3": (30, 16)}


def query(line: str) -> dict[str, str]:
    """Return the parameters of a link. The parameters follow the `?` or, in a link without `?`, the
    `#`. If the text has no `?` and no `#`, the whole text is parameters."""
    from urllib.parse import parse_qsl  # slow to import, and few boards are links

    _, mark, behind = line.partition("?")
    if not mark:
        behind = line.partition("#")[2] or line
    return dict(parse_qsl(behind.partition("#")[0], keep_blank_values=True))


def _recognise(text: Text) -> bool:
    line = text.one_line()
    return "?" in line and query(line).keys() >= {"b", "m"}


def _read(text: Text) -> Contents:
    said = query(text.one_line())
    if not said.keys() >= {"b", "m"}:
        raise text.expected("a layout link with ?b=…&m=…")
    width, height = _size(text, said["b"])
    check_size(text, height, width)
    return Contents(layout=Layout(from_digits(text, said["m"].lower(), 5, height, width)))


def _size(text: Text, size: str) -> tuple[int, int]:
    if size in _LEVELS:
        return _LEVELS[size]
    if not re.fullmatch(r"(?:\d\d)+", size, re.ASCII) or len(size) > 18:
        problem = (
            "b must be 1, 2, 3, or width and height with the same number of digits (at most 9 "
            f"each), such as 0812 (8 wide, 12 high), not {quoted(size)}"
        )
        raise text.error(1, problem)
    half = len(size) // 2
    return int(size[:half]), int(size[half:])


def _write(layout: Layout, _: Cell | None) -> str:
    rows, cols = layout.shape
    digits = max(len(str(rows)), len(str(cols)))
    named = {size: name for name, size in _LEVELS.items()}
    size = named.get((cols, rows), f"{cols:0{digits}}{rows:0{digits}}")
    return f"{PAGE}?b={size}&m={to_digits(layout.mines.ravel(), 5)}"


NOTATION = Notation(
    "layout-link",
    "link with a layout (PTTA, LlamaSweeper, JSMinesweeper): ?b=size&m=mines in base 32",
    f"{PAGE}?b=42&m=4g",
    read=_read,
    recognise=_recognise,
    write_layout=_write,
    one_line=_recognise,
)
