"""Find where the boards of a text begin and end. A text may have several boards.

In a notation with headings, every heading begins a board. In a one-line notation, every line is a
board, except blank lines and comments. All other texts are divided into *segments*: at blank lines,
at lines `---`, and before header lines that stand below rows. If the text is rows of cells, every
segment with rows is a board. Other notations may have blank lines inside a board, so a segment is a
board only if it can be read by itself. Any other segment, such as a comment, belongs to the next
board, or to the last board if no other board follows."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property, partial
from itertools import islice, pairwise
from typing import NamedTuple

from csp_mines.errors import BoardError, BoardSyntaxError
from csp_mines.formats import letters
from csp_mines.formats.canonical import HEADER_LINE
from csp_mines.formats.notation import Notation, Text
from csp_mines.formats.registry import all_notations

MAX_BOARDS = 100_000  # in one text
TRIED = 100  # at most this many boards of a text are read to see whether any of them can be read

# Where a segment may end: at blank lines, at a line `---` (`rule`), or before a header line.
_SEPARATOR = re.compile(
    r"\n(?:(?P<blank>\s*(?=\n|\Z))|[^\S\n]*(?:(?P<rule>---[^\S\n]*(?=\n|\Z))"
    rf"|(?P<header>{HEADER_LINE.pattern})))"
)
_FIRST_RULE = re.compile(r"\s*---[^\S\n]*\n")
_LINE = re.compile(r"\S[^\n]*")
_COMMENT = re.compile(r";|(?:#|%|//)[^\n]*?[A-Za-z]{2}")


class Span(NamedTuple):
    """A part of a text, from the position `start` up to the position `end`. `firm` is True if more
    than a blank line separates the span from the text above it: a line `---` or a header line."""

    start: int
    end: int
    firm: bool = False


def boards_in(text: Text, chosen: Notation | None) -> list[Span]:
    """Return the spans of all boards in order. A text with one board or none has one span. `chosen`
    is the notation of the text, or None if the caller does not know the notation. Raises
    BoardSyntaxError if it is unclear where a board ends, or if the text has too many boards."""
    spans = list(islice(_Splitter(text, chosen).boards(), MAX_BOARDS + 1))
    if len(spans) > MAX_BOARDS:
        raise _too_many(text)
    return [Span(_first_line(text.text, span), span.end) for span in spans] if spans[1:] else spans


def between(notation: Notation, *, single_row: bool) -> str:
    """Return what to write between two boards in one text: nothing, a blank line or a line `---`.
    `single_row` says whether the second board has only one row."""
    if notation.one_line is not None:
        return ""
    dashes = notation.alphabet is not None and "-" in notation.alphabet.letters
    return "---\n" if single_row and notation.bare and not dashes else "\n"


@dataclass(frozen=True)
class _Splitter:
    """Finds the boards of the text `whole`, which is in the notation `chosen`. If `chosen` is None,
    the text may be in any of `notations`."""

    whole: Text
    chosen: Notation | None

    @cached_property
    def notations(self) -> list[Notation]:
        return [self.chosen] if self.chosen else list(all_notations().values())

    def boards(self) -> Iterator[Span]:
        """Yield the spans of all boards in order."""
        for chunk, headed in self._at_headings():
            if headed:
                yield chunk
                continue
            for board in self._at_separators(chunk):
                yield from self._one_a_line(board)

    def _at_headings(self) -> Iterator[tuple[Span, bool]]:
        """Divide the text at its headings. Yield every span, and whether it has a heading. Text
        above the first heading is a span of its own if it contains a board. If not, it belongs to
        the first span with a heading. A text without headings is one span."""
        text = self.whole.text
        starts = sorted({start for each in self.notations for start in _headings(text, each)})
        before = Span(0, starts[0] if starts else len(text))
        if not starts or any(map(self._is_board, self._segments(before))):
            yield before, False
        else:
            starts[0] = 0  # text above the first heading is a remark, such as a typed command
        for start, end in pairwise([*starts, len(text)]):
            yield Span(start, end), True

    def _one_a_line(self, board: Span) -> Iterator[Span]:
        """If the first line of a span is a whole board in a one-line notation, yield all lines that
        are neither blank nor comments. Otherwise yield the whole span."""
        lines = self._lines(board)
        first = next(lines, None)
        tests = [each.one_line for each in self.notations if each.one_line is not None]
        if first is None or not any(test(self._text(first)) for test in tests):
            yield board
            return
        yield first
        yield from lines

    def _at_separators(self, chunk: Span) -> list[Span]:
        """Return the boards of a span without headings. Return the whole span instead in three
        cases: the span has no board; the span has one board, unless the board is rows of cells and
        `_has_rules` is true; or a blank line may be a row of 0s, and at least one of the boards
        cannot be read by itself.

        Raises BoardSyntaxError if it is unclear whether a blank line ends a board. Also raises
        BoardSyntaxError for more than `MAX_BOARDS` segments, unless the notations of `_claiming`
        read at most one board."""
        segments = list(islice(self._segments(chunk), MAX_BOARDS + 1))
        claiming = self._claiming(chunk) if segments[1:] else []
        is_board = partial(self._reads, notations=claiming) if claiming else self._rows
        boards = self._joined(segments, is_board)
        if len(segments) > MAX_BOARDS and (boards[1:] or not claiming):
            raise _too_many(self.whole)
        if claiming:
            return boards if boards[1:] else [chunk]
        if not boards[1:]:
            return boards if boards and self._has_rules(chunk) else [chunk]
        # In a board whose blanks are 0s, a line of blanks may be a row.
        if self._guesses_letters and letters.has_rows_of_zeros(self._text(chunk)):
            if all(map(self._is_board, boards)):
                raise self._error(
                    boards[1], "the blank line before this line may be a row of 0s or the end of a "
                    "board; for a row of 0s use the format 'letters: =0', for the end of a board "
                    "put --- between the boards"
                )  # fmt: skip
            return [chunk]
        if self._is_double_spaced(boards):
            raise self._error(
                boards[1], f"{len(boards):,} single rows with blank lines between them may be one "
                f"board or {len(boards):,} boards; for one board remove the blank lines, for "
                f"{len(boards):,} boards put --- between the boards"
            )  # fmt: skip
        return boards

    def _has_rules(self, chunk: Span) -> bool:
        """Whether the lines `---` of a span separate boards. If the span has other lines, the lines
        `---` separate boards, with two exceptions. If the chosen notation has a letter `-`, `---`
        is a row. If no notation or `letters` was chosen, and another line has three letters, `---`
        may be a row, too; it separates boards only if it stands between two other lines and no
        other line of three letters has a `-`. Comments and blank lines do not count as lines."""
        if "-" in self._own_letters or self.whole.text.find("---", *chunk[:2]) < 0:
            return False
        lines = [self._text(line).text.strip() for line in self._lines(chunk)]
        kinds = "".join("-" if line == "---" else "." for line in lines)
        three = [line for line in lines if line != "---" and _is_three_letters(line)]
        if not three or not self._guesses_letters:
            return re.search(r"\.-|-\.", kinds) is not None
        return re.search(r"\.-+\.", kinds) is not None and not any("-" in row for row in three)

    def _segments(self, chunk: Span) -> Iterator[Span]:
        """Yield the segments of a span. A blank line ends a segment, unless the chosen notation has
        a blank for a cell. A line `---` ends a segment if `_has_rules` is true. A header line below
        rows begins a new segment."""
        text, place, firm = self.whole.text, chunk.start, False
        rules = self._has_rules(chunk)
        if rules and (first := _FIRST_RULE.match(text, *chunk[:2])):
            place = first.end()
        # From `place` to `rowless`, the text has only headers, comments and blank lines.
        rowless = place
        for separator in _SEPARATOR.finditer(text, place, chunk.end):
            kind, start = separator.lastgroup, separator.start()
            if kind == "rule" and not rules:
                continue
            if kind == "blank" and " " in self._own_letters:
                continue
            if kind == "header" and not self._rows(Span(rowless, start)):
                rowless = start
                continue
            if _LINE.search(text, place, start):
                yield Span(place, start, firm)
                firm = False
            firm = firm or kind != "blank"
            place = rowless = start if kind == "header" else separator.end()
        if _LINE.search(text, place, chunk.end):
            yield Span(place, chunk.end, firm)

    def _joined(self, segments: Sequence[Span], is_board: Callable[[Span], object]) -> list[Span]:
        """Return the boards. A board is a segment for which `is_board` is true, together with the
        segments between the previous board and this segment, such as headers and comments. If
        `is_board` is false for every segment, there is no board. The segments after the last board
        belong to the last board, with one exception: if there are two or more boards, and one of
        these segments begins with a header or after a line `---`, these segments are one more
        board."""
        boards: list[Span] = []
        start, firm = None, False
        for segment in segments:
            start = segment.start if start is None else start
            firm = firm or segment.firm
            firm = firm or any(map(self._is_header, islice(self._lines(segment), 1)))
            if is_board(segment):
                boards.append(Span(start, segment.end, firm))
                start, firm = None, False
        if start is not None and firm and len(boards) > 1:
            boards.append(Span(start, segments[-1].end, firm))
        elif start is not None and boards:
            boards[-1] = boards[-1]._replace(end=segments[-1].end)
        return boards

    def _readers(self, span: Span) -> list[Notation]:
        """Return the notations that may read a span: the chosen notation or, if no notation was
        chosen, all that recognise the span."""
        text = self._text(span)
        return [each for each in self.notations if self.chosen or each.recognise(text)]

    def _claiming(self, span: Span) -> list[Notation]:
        """Return the notations that may read a span, without `bare` notations (rows of cells)."""
        return [each for each in self._readers(span) if not each.bare]

    def _is_double_spaced(self, boards: Sequence[Span]) -> bool:
        """Whether `boards` may be the rows of one board, with blank lines between the rows. If so,
        each of the boards has at most one row, and only blank lines separate the boards. Of the
        first `TRIED` boards, at least one can be read, and all are rows of cells."""
        if any(board.firm for board in boards[1:]) or any(self._rows(each) > 1 for each in boards):
            return False
        first = boards[:TRIED]
        return any(map(self._is_board, first)) and not any(map(self._claiming, first))

    def _is_board(self, span: Span) -> bool:
        """Whether a span by itself can be read as a board."""
        return self._reads(span, self._readers(span) or [letters.NOTATION])

    def _reads(self, span: Span, notations: Sequence[Notation]) -> bool:
        """Whether at least one of `notations` can read the span."""
        text = self._text(span)
        for notation in notations:
            with suppress(BoardError):
                notation.read(text)
                return True
        return False

    @property
    def _guesses_letters(self) -> bool:
        """Whether the text may be in the notation `letters` or `letters:…`."""
        return any(each.name.startswith(letters.NOTATION.name) for each in self.notations)

    @cached_property
    def _own_letters(self) -> frozenset[str]:
        """The letters or words that stand for cells in the chosen notation. The set is empty if no
        notation was chosen, or if the chosen notation has no alphabet."""
        alphabet = self.chosen.alphabet if self.chosen else None
        return frozenset(alphabet.letters if alphabet else ())

    def _lines(self, span: Span) -> Iterator[Span]:
        """Yield the lines of a span that are neither blank nor comments."""
        for line in _LINE.finditer(self.whole.text, *span[:2]):
            if not _COMMENT.match(line.group()):
                yield Span(*line.span())

    def _rows(self, span: Span) -> int:
        """Return how many lines of a span may be rows of cells. The number 2 means two or more."""
        rows = (line for line in self._lines(span) if not self._is_header(line))
        return sum(1 for _ in islice(rows, 2))

    def _is_header(self, line: Span) -> bool:
        return HEADER_LINE.match(self.whole.text, *line[:2]) is not None

    def _text(self, span: Span) -> Text:
        return Text(self.whole.text[span.start : span.end], self.whole.source)

    def _error(self, board: Span, problem: str) -> BoardSyntaxError:
        first = next(self._lines(board), board)
        return self.whole.error(self.whole.line_number(first.start), problem)


def _is_three_letters(row: str) -> bool:
    """Whether a row is three characters, or three letters with blanks between the letters."""
    return len(row) == 3 or list(map(len, row.split())) == [1, 1, 1]


def _too_many(text: Text) -> BoardSyntaxError:
    problem = f"the text has more than {MAX_BOARDS:,} boards and comments together"
    return text.error(1, f"{problem}; divide the text into several files")


def _first_line(text: str, span: Span) -> int:
    """Return the position in the text at which a span begins if its leading blank lines are left
    out. For a blank span, return `span.start`."""
    filled = _LINE.search(text, *span[:2])
    return span.start + text[span.start : filled.start() if filled else 0].rfind("\n") + 1


def _headings(text: str, notation: Notation) -> Iterator[int]:
    """Yield the position of every line that is a heading of this notation. If the notation has no
    headings, yield nothing."""
    if notation.heading is None or notation.heading.mark not in text:
        return
    for line in re.finditer(rf"^[^\S\n]*{notation.heading.pattern}", text, re.MULTILINE):
        yield line.start()
