"""Read the codes of a board from text in which each cell is a letter or a word.

An `Alphabet` gives the code of each letter or word. Letters are looked up in a table, many lines at
a time, which is fast for large boards. Words are looked up one by one. A cell takes only a few
bytes of memory, because no list of rows is kept."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

import numpy as np

from csp_mines.board import MAX_CELLS, Codes
from csp_mines.errors import BoardSyntaxError
from csp_mines.formats.alphabet import NEWLINE, UNKNOWN, Alphabet
from csp_mines.formats.notation import Text, quoted
from csp_mines.words import plural

BLOCK = 1 << 20  # characters per block


def read_grid(text: Text, alphabet: Alphabet, start: int = 0, end: int | None = None) -> Codes:
    """Return the codes of the cells between the positions `start` and `end` of the text. If `end`
    is None, read to the end of the text. Raises BoardSyntaxError if a letter or word is unknown, if
    the rows have different lengths, or if there is no cell or more than MAX_CELLS."""
    end = len(text.text) if end is None else end
    if alphabet.tokens:
        return read_rows(text, _token_rows(text, alphabet, start, end))
    return _read_letters(text, alphabet, start, end)


def read_rows(text: Text, rows: Iterable[tuple[int, Sequence[int]]]) -> Codes:
    """Return the codes of all rows as one array. Each item of `rows` is the line number and the
    codes of a row. Rows without codes are skipped. Raises BoardSyntaxError if the other rows have
    different lengths, or if there is no cell or more than MAX_CELLS."""
    cells = bytearray()
    width = 0
    line = 1
    for line, row in rows:
        if not row:
            continue
        width = width or len(row)
        if len(row) != width:
            raise _ragged(text, line, len(row), width)
        cells += np.array(row, np.int8).tobytes()
        _limit(text, line, len(cells))
    if not cells:
        raise _no_board(text, line)
    return np.frombuffer(cells, np.int8).reshape(-1, width)


def _token_rows(
    text: Text, alphabet: Alphabet, start: int, end: int
) -> Iterator[tuple[int, list[int]]]:
    for number, line, begin in text.lines(start):
        if begin >= end:
            return
        codes = []
        for token in re.finditer(r"[^\s,]+", line):
            code = alphabet.letters.get(token.group())
            if code is None:
                raise _unknown(text, number, token.start(), token.group(), line, alphabet)
            codes.append(code)
        yield number, codes


def _read_letters(text: Text, alphabet: Alphabet, start: int, end: int) -> Codes:
    blocks: list[Codes] = []
    width = cells = 0
    for begin, block in _blocks(text.text, start, end):
        codes = _looked_up(text, alphabet, begin, block)
        is_cell = codes < NEWLINE
        breaks = np.flatnonzero(codes == NEWLINE)
        widths = np.diff(np.concatenate(([0], np.cumsum(is_cell, dtype=np.int32)[breaks])))
        filled = widths > 0
        if not filled.any():
            continue
        width = width or int(widths[filled][0])
        wrong = filled & (widths != width)
        if wrong.any():
            row = int(wrong.argmax())
            line = text.line_number(begin) + row
            raise _ragged(text, line, int(widths[row]), width)
        blocks.append(codes[is_cell])
        cells += len(blocks[-1])
        _limit(text, text.line_number(begin), cells)
    if not blocks:
        raise _no_board(text, text.line_number(end))
    return np.concatenate(blocks).reshape(-1, width)


def _blocks(text: str, start: int, end: int) -> Iterator[tuple[int, str]]:
    """Yield the position and the text of each block. A block has whole lines, and always ends with
    a line end."""
    while start < end:
        stop = text.find("\n", min(start + BLOCK, end), end)
        stop = end if stop < 0 else stop + 1
        block = text[start:stop]
        yield start, block if block.endswith("\n") else block + "\n"
        start = stop


def _looked_up(text: Text, alphabet: Alphabet, begin: int, block: str) -> Codes:
    """Return the entry of the alphabet's table for every character of a block. Comments count as
    blanks. `begin` is the position of the block in the text. Raises BoardSyntaxError for an unknown
    character."""
    if alphabet.comment is not None and alphabet.comment in block:
        block = Text(block).without(re.escape(alphabet.comment) + "[^\n]*")
    codes: Codes = alphabet.table[np.frombuffer(block.encode("latin-1", "replace"), np.uint8)]
    wrong = codes == UNKNOWN
    if not block.isascii():
        wrong |= np.frombuffer(block.encode("utf-32-le"), np.uint32) > 127
    if wrong.any():
        place = int(wrong.argmax())
        line_start = block.rfind("\n", 0, place) + 1
        line_end = block.find("\n", place)
        number = text.line_number(begin + place)
        line = text.text[begin + line_start : begin + line_end]
        raise _unknown(text, number, place - line_start, block[place], line, alphabet)
    return codes


def _no_board(text: Text, line: int) -> BoardSyntaxError:
    return text.error(line, "no board found: expected at least one row of cells")


def _limit(text: Text, line: int, cells: int) -> None:
    if cells > MAX_CELLS:
        raise text.error(line, f"a board may have at most {MAX_CELLS:,} cells")


def _ragged(text: Text, line: int, cells: int, width: int) -> BoardSyntaxError:
    shown = next((row.text for row in text.lines() if row.number == line), "")
    problem = (
        f"this row has {plural(cells, 'cell')}, the first row has {width}; a board is a "
        f"rectangle, so all rows must have the same length; this row is {quoted(shown)}"
    )
    return text.error(line, problem)


def _unknown(
    text: Text, number: int, column: int, letter: str, line: str, alphabet: Alphabet
) -> BoardSyntaxError:
    known = " ".join(alphabet.letters)
    problem = f"{quoted(letter)} does not stand for a cell in {quoted(line, column)}"
    return text.error(number, f"{problem}; expected one of: {known}", column + 1)
