"""Find where the boards of a text begin and end: a file or a stream may have several.

A board that is written as rows of cells ends at a blank line, at a line `---` or before a header
line. The text between two such places is a *segment*. In a notation with headings, every heading
begins a board. In a one-line notation, every line is a board. Notations with their own syntax may
have blank lines inside a board. In these notations, a segment is a board only if it can be read by
itself."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import islice, pairwise
from typing import NamedTuple

from csp_mines.errors import BoardError, BoardSyntaxError
from csp_mines.formats import letters
from csp_mines.formats.canonical import HEADER_LINE
from csp_mines.formats.notation import Notation, Text
from csp_mines.formats.registry import all_notations

MAX_BOARDS = 100_000  # in one text
TRIED = 100  # if none of the first 100 segments can be read, no segment counts as a board

# Where a board may end: at blank lines, at a line `---` (a rule), or before a header line.
_SEPARATOR = re.compile(
    r"\n(?:(?P<blank>\s*(?=\n|\Z))|[^\S\n]*(?:(?P<rule>---[^\S\n]*(?=\n|\Z))"
    rf"|(?P<header>{HEADER_LINE.pattern})))"
)
_FIRST_RULE = re.compile(r"\s*---[^\S\n]*\n")
_LINE = re.compile(r"\S[^\n]*")
_COMMENT = re.compile(r";|(?:#|%|//)[^\n]*?[A-Za-z]{2}")


class Span(NamedTuple):
    """A part of a text, from the position `start` to the position `end`. It is `firm` if it begins
    after a line `---` or with a header, not just after a blank line."""

    start: int
    end: int
    firm: bool = False


def boards_in(text: Text, chosen: Notation | None) -> list[Span]:
    """Return the span of every board in order. A text with one board or none has one span.
    Raises BoardSyntaxError if the text is ambiguous or has too many boards."""
    notations = [chosen] if chosen else list(all_notations().values())
    spans = list(islice(_Splitter(text, notations).boards(), MAX_BOARDS + 1))
    if len(spans) > MAX_BOARDS:
        raise _too_many(text)
    return [Span(_first_line(text.text, span), span.end) for span in spans] if spans[1:] else spans


def between(notation: Notation, *, single_row: bool) -> str:
    """Return the text to write between two boards, so that they are not read as one board.
    `single_row` says that a board is one row."""
    if notation.one_line is not None:
        return ""
    dashes = notation.alphabet is not None and "-" in notation.alphabet.letters
    return "---\n" if single_row and notation.bare and not dashes else "\n"


@dataclass(frozen=True)
class _Splitter:
    """Finds the boards of a text. `notations` are those that the text may use: all, or only the one
    that the caller named."""

    whole: Text
    notations: Sequence[Notation]

    def boards(self) -> Iterator[Span]:
        """Yield the span of every board in order."""
        for chunk, headed in self._at_headings():
            if headed:
                yield chunk
                continue
            for board in self._at_separators(chunk):
                yield from self._one_a_line(board)

    def _at_headings(self) -> Iterator[tuple[Span, bool]]:
        """Cut the text before every heading. Yield each span, and whether it has a heading."""
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
        """Yield every line of a span if its first line is a whole board. If not, yield the span
        itself."""
        lines = self._lines(board)
        first = next(lines, None)
        tests = [each.one_line for each in self.notations if each.one_line is not None]
        if first is None or not any(test(self._text(first)) for test in tests):
            yield board
            return
        yield first
        yield from lines

    def _at_separators(self, chunk: Span) -> list[Span]:
        """Cut a span without headings into segments. Return the boards among them. Raises
        BoardSyntaxError if it is unclear whether a blank line ends a board."""
        segments = list(islice(self._segments(chunk), MAX_BOARDS + 1))
        if claiming := self._claiming(chunk) if segments[1:] else []:
            boards = self._joined(segments, lambda each: self._reads(each, claiming))
            return boards if boards[1:] else [chunk]
        if len(segments) > MAX_BOARDS:
            raise _too_many(self.whole)
        boards = self._joined(segments, self._rows)
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
                f"board or {len(boards):,} boards; remove the blank lines, or put --- between "
                "the boards"
            )  # fmt: skip
        return boards

    def _has_rules(self, chunk: Span) -> bool:
        """Whether the lines `---` of a span separate boards. If other lines are rows of three
        letters, `---` may be such a row, too. In that case, `---` separates boards only if it
        stands between two other lines and no other row of three letters has a `-`."""
        if "-" in self._own_letters or self.whole.text.find("---", *chunk[:2]) < 0:
            return False
        lines = [self._text(line).text.strip() for line in self._lines(chunk)]
        kinds = "".join("-" if line == "---" else "." for line in lines)
        three = [line for line in lines if line != "---" and _is_three_letters(line)]
        if not three or not self._guesses_letters:
            return re.search(r"\.-|-\.", kinds) is not None
        return re.search(r"\.-+\.", kinds) is not None and not any("-" in row for row in three)

    def _segments(self, chunk: Span) -> Iterator[Span]:
        """Yield the segments of a span. Blank lines and lines `---` separate them. A header line
        below rows begins a new segment."""
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
        segments before it that are no boards, such as headers and comments. If segments follow the
        last board, they belong to it. There is one exception: if there are two or more boards, and
        one of the segments that follow begins with a header or stands after a line `---`, then
        these segments are one more board, without rows."""
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

    def _claiming(self, span: Span) -> list[Notation]:
        """Return the notations that may read a span: the notation that the caller named, or all
        that recognise the span. `bare` notations (rows of cells) are left out."""
        if len(self.notations) == 1:  # the notation that the caller named
            return [each for each in self.notations if not each.bare]
        text = self._text(span)
        return [each for each in self.notations if not each.bare and each.recognise(text)]

    def _is_double_spaced(self, boards: Sequence[Span]) -> bool:
        """Whether each of these boards is a single row, and all of them may be one board with blank
        lines between its rows."""
        if any(board.firm for board in boards[1:]) or any(self._rows(each) > 1 for each in boards):
            return False
        first = boards[:TRIED]
        return any(map(self._is_board, first)) and not any(map(self._claiming, first))

    def _is_board(self, span: Span) -> bool:
        """Whether a span can be read as a board by itself."""
        if len(self.notations) == 1:
            return self._reads(span, self.notations)
        text = self._text(span)
        claiming = [each for each in self.notations if each.recognise(text)]
        return self._reads(span, claiming or [letters.NOTATION])

    def _reads(self, span: Span, notations: Sequence[Notation]) -> bool:
        """Whether one of the notations can read a span by itself."""
        text = self._text(span)
        for notation in notations:
            try:
                notation.read(text)
            except BoardError:
                continue
            return True
        return False

    @property
    def _guesses_letters(self) -> bool:
        """Whether the notation `letters`, which chooses the meanings of letters, may be used."""
        return any(each.name.startswith(letters.NOTATION.name) for each in self.notations)

    @cached_property
    def _own_letters(self) -> frozenset[str]:
        """The characters that stand for cells in the notation that the caller named. If the caller
        named no notation, or one without an alphabet, the set is empty."""
        alphabet = self.notations[0].alphabet if len(self.notations) == 1 else None
        return frozenset(alphabet.letters) if alphabet is not None else frozenset()

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
    """Whether a row is three letters, with or without blanks between them."""
    return len(row) == 3 or list(map(len, row.split())) == [1, 1, 1]


def _too_many(text: Text) -> BoardSyntaxError:
    return text.error(1, f"one text may have at most {MAX_BOARDS:,} boards")


def _first_line(text: str, span: Span) -> int:
    """Return the position at which the first line that is not blank begins in a span."""
    filled = _LINE.search(text, *span[:2])
    return span.start + text[span.start : filled.start() if filled else 0].rfind("\n") + 1


def _headings(text: str, notation: Notation) -> Iterator[int]:
    """Yield the starts of the lines that begin a board of this notation."""
    if notation.heading is None or notation.heading.mark not in text:
        return
    for line in re.finditer(rf"^[^\S\n]*{notation.heading.pattern}", text, re.MULTILINE):
        yield line.start()
