"""Boards with their size above the rows, as in textbooks and in collections for constraint solvers.

The numbers of rows and columns stand at the top, in one line or in two. A single line may also have
the number of mines, as its third number. The rows of a board or a layout follow. If the three
numbers, written with blanks between them, could also be a row, they are written with commas below a
comment.

The size is only compared with the rows. So the number of columns may come before the number of
rows. If the lines with the size could also be rows, the text is refused as ambiguous."""

from __future__ import annotations

import re

from csp_mines.board import HIDDEN, Board
from csp_mines.errors import BoardError, BoardSyntaxError
from csp_mines.formats import stars
from csp_mines.formats.alphabet import DIGITS, Alphabet
from csp_mines.formats.letters import choose, read_as
from csp_mines.formats.notation import Contents, Line, Notation, Text, quoted, require_clues_only

_COMMENT = re.compile(r"^[^\S\n]*(?:#|%|//)(?:.*[A-Za-z]{2}.*|[^\S\n]*)$", re.MULTILINE)
_WRITTEN = Alphabet({".": HIDDEN, **DIGITS})
_NUMBERS = re.compile(
    r"\s*(\d{1,7})(?:\s*[ ,x]\s*(\d{1,7}))?(?:\s*[ ,x]\s*(\d{1,7}))?\s*", re.ASCII
)


def _head(text: Text) -> tuple[list[int], Line, int] | None:
    """Return the numbers at the top, the line of the first number, and the position in the text at
    which the rows begin. The text has no comments. Return None if the text does not begin with two
    or three numbers, or if no row follows the numbers."""
    numbers: list[int] = []
    first: Line | None = None
    for line in text.lines():
        match = _NUMBERS.fullmatch(line.text)
        if len(numbers) >= 2 or match is None or (numbers and match[2] is not None):
            return None if len(numbers) < 2 or first is None else (numbers, first, line.start)
        first = first or line
        numbers += [int(number) for number in match.groups() if number is not None]
    return None


def _fits(text: Text, head: tuple[list[int], Line, int]) -> bool:
    """Whether the rows have the size that the numbers at the top give. A blank may separate cells
    or be a cell. If blanks are cells, the blanks at the end of a row may be missing."""
    (rows, cols, *_), _, start = head
    lines = [line.text for line in text.lines(start)]
    widths = {len("".join(line.split())) for line in lines}
    shapes = {(len(lines), max(map(len, lines), default=0))}
    shapes |= {(len(lines), width) for width in widths if len(widths) == 1}
    return bool(shapes & {(rows, cols), (cols, rows)})


def _recognise(text: Text) -> bool:
    if not re.match(r"\s*(?:#|%|//|\d{1,7}\s)", text.text[:200]):
        return False
    plain = _without_comments(text)
    head = _head(plain)
    return head is not None and _fits(plain, head)


def _without_comments(text: Text) -> Text:
    """Return the text with an empty line in place of each comment."""
    return Text(_COMMENT.sub("", text.text), text.source)


def _read(text: Text) -> Contents:
    plain = _without_comments(text)
    head = _head(plain)
    if head is None:
        raise text.error(
            1,
            "expected one or two lines with the numbers of rows and columns, then the rows, but "
            f"the text begins with {quoted(text.first_line())}",
        )
    (rows, cols, *mines), line, start = head
    # Empty lines replace the lines above the rows, so that errors name the right line.
    above = "\n" * plain.text.count("\n", 0, start)
    contents = _rows(Text(above + plain.text[start:], text.source))
    shape = contents.shape
    if shape not in ((rows, cols), (cols, rows)):
        problem = f"the size is {rows}×{cols}, but the rows below are {shape[0]}×{shape[1]}"
        raise text.error(line.number, problem)
    if _are_rows(plain, start, shape[1]):
        raise text.error(
            line.number,
            f"{quoted(line.text)} may be the size or the first row; for the size, write "
            f"{'x'.join(map(str, (rows, cols, *mines)))} and name the format 'textbook'; for a "
            "row, name the format 'letters'",
        )
    if mines and contents.board is not None:
        board = text.board(line.number, contents.board.codes, mines=mines[0])
        return Contents(board=board, note=contents.note)
    return contents


def _rows(below: Text) -> Contents:
    """Read the rows: as a layout if the notation `layout` recognises them, else as a board. In a
    board, `.` means hidden. There are two exceptions: if the rows have a letter that always means
    hidden, such as `?`, or if they have no `.`, `choose` finds the meanings of all letters."""
    if stars.NOTATION.recognise(below):
        return stars.NOTATION.read(below)
    if "." in below.text and not set(below.text) & set("?#xHhUu"):
        return read_as(below, {".": HIDDEN})
    return choose(below)


def _are_rows(text: Text, start: int, width: int) -> bool:
    """Whether the lines that give the size can also be read as rows of `width` cells."""
    cells = ["".join(line.text.split()) for line in text.lines() if line.start < start]
    return all(len(row) == width and set(row) <= DIGITS.keys() for row in cells)


def _write(board: Board) -> str:
    require_clues_only(board, "textbook")
    if board.density is not None:
        raise BoardError("the format 'textbook' cannot write a density; use the format 'canonical'")
    size = f"{board.rows}\n{board.cols}"
    if board.mines is not None:
        size = f"{board.rows} {board.cols} {board.mines}"
        if len(size.replace(" ", "")) == board.cols:  # with blanks, it may also be a row
            size = "# rows, columns, mines\n" + size.replace(" ", ",")
    text = f"{size}\n{_WRITTEN.grid(board)}"
    try:
        _read(Text(text))
    except BoardSyntaxError:
        raise BoardError(
            "the format 'textbook' would be ambiguous for this board; use another format"
        ) from None
    return text


NOTATION = Notation(
    "textbook",
    "the numbers of rows and columns in one line or two, or of rows, columns and mines in one "
    "line; then the rows, with . for hidden; lines that begin with # are comments (Gecode, "
    "constraint collections)",
    "2\n4\n..2.\n12.1",
    read=_read,
    recognise=_recognise,
    write=_write,
)
