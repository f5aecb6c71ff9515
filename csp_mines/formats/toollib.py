"""Board files of ms_toollib: a heading, keys, and one or two sections.

The section `[real]` has the layout, and the section `[view]` has the board."""

from __future__ import annotations

import re

from csp_mines.board import CLEAR, EXPLODED, HIDDEN, MARKED, Board, Cell, Codes
from csp_mines.formats.alphabet import DIGITS, Alphabet
from csp_mines.formats.grids import read_grid
from csp_mines.formats.notation import Contents, Heading, Notation, Text, quoted
from csp_mines.layout import Layout

HEADING = "# MINESWEEPER-BOARD v0.1"
VIEW = Alphabet(
    {"U": HIDDEN, "?": HIDDEN, **DIGITS, "F": MARKED, "X": EXPLODED, "@": EXPLODED, "#": CLEAR}
)
REAL = Alphabet({"*": MARKED, ".": 0, **DIGITS})
_NAME = re.compile(r"^[^\S\n]*\[(\w+)\][^\S\n]*$", re.MULTILINE)  # of a section

Keys = dict[str, tuple[int, str]]  # for each key, the number of its line, and its value
Section = tuple[int, int]  # the positions in the text at which a section begins and ends


def _read(text: Text) -> Contents:
    if text.first_line() != HEADING:
        shown = quoted(text.first_line())
        raise text.error(1, f"the first line must be {HEADING!r}, not {shown}")
    keys, sections = _parts(text)
    if not sections.keys() & {"view", "real"}:
        number = next(text.lines()).number
        raise text.error(number, "expected a section [view] or [real], found neither")
    if "rows" not in keys:
        for section in sections.values():
            _refuse_blank_line(text, section)
    board = layout = None
    if "view" in sections:
        board = _board(text, read_grid(text, VIEW, *sections["view"]), keys)
    if "real" in sections:
        layout = _layout(text, read_grid(text, REAL, *sections["real"]), keys, sections["real"])
        if board is not None and layout.shape != board.codes.shape:
            raise text.error_at(sections["real"][0], "[real] and [view] have different sizes")
    return Contents(board, layout)


def _parts(text: Text) -> tuple[Keys, dict[str, Section]]:
    """Return the keys above the sections, and the sections by name. Raises BoardSyntaxError if two
    sections have the same name."""
    keys: Keys = {}
    sections: dict[str, Section] = {}
    names = list(_NAME.finditer(text.text))
    starts = [*(name.start() for name in names), len(text.text)]
    for name, end in zip(names, starts[1:], strict=True):
        if name[1] in sections:
            problem = f"the section [{name[1]}] appears twice"
            raise text.error(text.line_number(name.start()), problem)
        sections[name[1]] = name.end(), end
    for number, line, start in text.lines():
        if start < starts[0] and not line.lstrip().startswith("#"):
            key, _, value = line.partition(":")
            keys[key.strip()] = number, value.strip()
    return keys, sections


def _refuse_blank_line(text: Text, section: Section) -> None:
    """Raise BoardSyntaxError if a section has rows after a blank line, because these rows may
    belong to another board."""
    rows = text.text[slice(*section)].rstrip()
    blank = re.search(r"\n[^\S\n]*\n", rows.lstrip())
    if blank is not None:
        place = section[0] + len(rows) - len(rows.lstrip()) + blank.end()
        raise text.error_at(
            place,
            "the rows after a blank line may belong to another board; if they belong to this "
            "board, add the key 'rows:' with the number of all rows",
        )


def _board(text: Text, codes: Codes, keys: Keys) -> Board:
    text.check_counts(keys, {"rows": codes.shape[0], "columns": codes.shape[1]})
    if "mines" not in keys:
        return Board(codes)
    number, value = keys["mines"]
    return text.board(number, codes, mines=text.number(number, "mines", value))


def _layout(text: Text, codes: Codes, keys: Keys, section: Section) -> Layout:
    layout = Layout(codes == MARKED)
    rows, cols = layout.shape
    text.check_counts(keys, {"rows": rows, "columns": cols, "mines": layout.count})
    shown = (codes > 0) & (codes != layout.numbers)
    if shown.any():
        raise text.error_at(
            section[0], "a number in [real] is not the number of mines around its cell"
        )
    return layout


def _head(rows: int, cols: int, mines: int | None) -> list[str]:
    head = [HEADING, "# Render: ascii", "", f"rows: {rows}", f"columns: {cols}"]
    if mines is not None:
        head.append(f"mines: {mines}")
    return [*head, "game_mode: classic", ""]


def _write(board: Board) -> str:
    return "\n".join([*_head(board.rows, board.cols, board.mines), "[view]", VIEW.grid(board)])


def _write_layout(layout: Layout, _: Cell | None) -> str:
    head = _head(*layout.shape, layout.count)
    return "\n".join([*head, "[real]", REAL.grid(layout.board())])


NOTATION = Notation(
    "board",
    "ms_toollib's file: a heading, keys, and a section [real] with the layout, a section [view] "
    "with the board, or both; in [view], U or ? for hidden, 0-8 for clues, F for marked, X or @ "
    "for an opened mine, # for safe without a clue",
    f"{HEADING}\nmines: 2\n[view]\nUUF1\n1121",
    read=_read,
    recognise=lambda text: text.first_line() == HEADING,
    write=_write,
    write_layout=_write_layout,
    alphabet=VIEW,
    heading=Heading(HEADING, re.escape(HEADING) + r"[^\S\n]*$"),
)
