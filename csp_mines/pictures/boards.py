"""The picture of a board: its cells in the colours of a theme, and the signs on its cells.

`BoardArt` draws a board, or a window of it, with captions below. A window is a rectangular part of
a board. Other modules decide which cells get a risk, a verdict, a ring or a tint; this module draws
these signs. Blue stands for safe cells and low risks, orange for mines and high risks. A tick, a
mine or a number says the same without colour.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import hypot
from operator import mul

import numpy.typing as npt

from csp_mines.arguments import looked_up
from csp_mines.board import CLEAR, EXPLODED, HIDDEN, HOLE, MARKED, Board, Cell, as_board
from csp_mines.errors import Unsupported
from csp_mines.geometry import Lattice
from csp_mines.pictures.canvas import (
    Drawing,
    Shape,
    circle,
    line,
    polygon,
    rectangle,
    text,
    text_width,
)
from csp_mines.pictures.outlines import Outline
from csp_mines.words import percent

CELL = 24  # pixels
MARGIN = 10
LABELS = 22  # pixels for the row and column numbers
LINE = 17  # pixels from one line of a caption to the next
CAPTION = 12
MOST_CELLS = 40_000
AROUND = 2  # rows and columns that a window shows around the cells that matter


@dataclass(frozen=True)
class Theme:
    """The colours of a picture."""

    background: str
    ink: str
    faint: str
    face: str  # the middle of a hidden cell
    lit: str  # the upper left edges of a hidden cell
    shade: str  # the lower right edges of a hidden cell
    open: str
    grid: str
    digits: tuple[str, ...]
    safe: str
    mine: str
    clue: str  # the ring around a clue of a proof
    low: str  # the colour of risk 0
    middle: str  # the colour of risk 1/2
    high: str  # the colour of risk 1
    shallow: str  # the colour of the first links of a chain of influence
    deep: str  # the colour of the last links of a chain of influence


THEMES = {
    "light": Theme(
        background="#ffffff", ink="#20242b", faint="#7a818c",
        face="#c3c7cd", lit="#f4f6f8", shade="#878d96", open="#eceef1", grid="#c9cdd3",
        digits=("#b9bdc4", "#0a3bd6", "#0b7a2b", "#d3202f", "#14127f", "#8a1410", "#00797d",
                "#111111", "#6b6f76"),
        safe="#0072b2", mine="#d55e00", clue="#e69f00",
        low="#2f7ebc", middle="#f3efe6", high="#d9660d",
        shallow="#f7f3d6", deep="#35608d",
    ),
    "dark": Theme(
        background="#16191e", ink="#e6e9ee", faint="#8d95a1",
        face="#545b66", lit="#7c8592", shade="#30353c", open="#262a31", grid="#3b414a",
        digits=("#4c525c", "#6ea8ff", "#57c785", "#ff7a80", "#b09cff", "#ff9f6b", "#4fd0d6",
                "#f0f2f5", "#a3abb8"),
        safe="#56b4e9", mine="#f2873d", clue="#f0c419",
        low="#2b78b5", middle="#3d3f45", high="#e0741c",
        shallow="#2a3140", deep="#4f9fd6",
    ),
}  # fmt: skip


# The first row, the first column, the row after the last row, the column after the last column.
Window = tuple[int, int, int, int]


def theme_named(name: str) -> Theme:
    """Return the theme with this name. Raises UnknownName for an unknown theme, InputError if
    `name` is not a string."""
    return looked_up("theme", name, THEMES)


def window(board: Board, cells: Iterable[Cell]) -> Window:
    """Return the window that contains `cells` and `AROUND` more rows and columns on each side, up
    to the edges of the board. `cells` must not be empty. For a graph, or a grid whose opposite
    edges are joined, return the whole board."""
    if not isinstance(board.geometry, Lattice) or board.geometry.wraps:
        return 0, 0, board.rows, board.cols
    rows, cols = zip(*cells, strict=True)
    return (
        max(min(rows) - AROUND, 0),
        max(min(cols) - AROUND, 0),
        min(max(rows) + AROUND + 1, board.rows),
        min(max(cols) + AROUND + 1, board.cols),
    )


def draw_board(board: Board | npt.ArrayLike, *, theme: str = "light") -> Drawing:
    """Draw the board as a player sees it.

    Parameters:
        board: a board, or an array of integers (-1 hidden, 0 to 8 clues).
        theme: the colours, `light` or `dark`.

    Raises BoardError if `board` is not a board, UnknownName for an unknown theme, Unsupported for a
    board that is too large.

    >>> csp_mines.draw_board([[-1, 1, -1]], theme="dark")
    <Drawing 'Board of 1×3 cells', 114×66, 9 shapes>
    """
    board = as_board(board)
    art = BoardArt(board, theme, [], f"Board of {board.rows}×{board.cols} cells")
    art.cells()
    return art.drawing


class BoardArt:
    """A drawing of a board, or of a window of it, with captions below. The drawing has room for
    `columns` copies of the board side by side. The methods draw on the first copy, until `turn_to`
    names another one."""

    def __init__(
        self,
        board: Board,
        theme: str,
        captions: Sequence[str],
        title: str,
        window: Window | None = None,
        columns: int = 1,
    ) -> None:
        """Begin a drawing: it has the captions, but no cell yet. Raises Unsupported if the window
        has too many cells, UnknownName for an unknown theme."""
        self.board = board
        self.window = window = window or (0, 0, board.rows, board.cols)
        rows, cols = window[2] - window[0], window[3] - window[1]
        if rows * cols > MOST_CELLS:
            problem = f"a board of {rows}×{cols} cells is too large for a picture"
            raise Unsupported(f"{problem}; at most {MOST_CELLS:,} cells fit")
        self.theme = theme_named(theme)
        self._shift = 0.0
        self.outline = Outline(board.geometry, rows, cols, window[:2])
        across, down = self.outline.size
        self._step = across * CELL + LABELS + 2 * MARGIN  # from one copy to the next
        width = max(columns * self._step, 420 + 2 * MARGIN if captions else 0)
        lines = [part for caption in captions for part in _wrapped(caption, width - 2 * MARGIN)]
        top = down * CELL + LABELS + 2 * MARGIN
        below = len(lines) * LINE + MARGIN if lines else 0
        self.drawing = Drawing(width, top + below, self.theme.background, title)
        for index, words in enumerate(lines):
            at = top + LINE * (index + 0.5)
            self.drawing.add(text(MARGIN, at, CAPTION, words, fill=self.theme.ink, anchor="start"))
        self._define()

    def turn_to(self, copy: int) -> None:
        """Draw on the copy of this number from now on. The first copy has the number 0."""
        self._shift = copy * self._step

    def shows(self, cell: Cell) -> bool:
        first_row, first_col, last_row, last_col = self.window
        return first_row <= cell[0] < last_row and first_col <= cell[1] < last_col

    def cells(self, fills: Mapping[Cell, str] | None = None, path: Sequence[Cell] = ()) -> None:
        """Draw all cells of the window, the frame, and the row and column numbers. On a graph, draw
        the edges and the names of the cells instead of the numbers. `fills` maps cells to
        background colours. A line goes through the cells of `path`, over the backgrounds and under
        the clues."""
        fills = fills or {}
        first_row, first_col, last_row, last_col = self.window
        if self.outline.graph is None:
            self._number_rows()
        else:
            self._edges()
        shown = [
            (row, col)
            for row in range(first_row, last_row)
            for col in range(first_col, last_col)
            if self.board.codes[row, col] != HOLE
        ]
        for cell in shown:
            self._face(cell, fills.get(cell))
        self._path(path)
        for cell in shown:
            self._content(cell, fills.get(cell))
        self._frame()

    def risk(self, cell: Cell, probability: float) -> None:
        """Draw the risk of an undecided cell as a colour and a number in percent. The number is
        from 1 to 99, because 0 and 100 would look like a proof."""
        theme = self.theme
        if probability < 0.5:
            colour = mix(theme.low, theme.middle, probability * 2)
        else:
            colour = mix(theme.middle, theme.high, probability * 2 - 1)
        middle, number = self._middle(cell), str(percent(probability))
        self.drawing.add(
            self._filled(middle, 2, colour), text(*middle, 11, number, fill=_ink(colour))
        )

    def verdict(self, cell: Cell, *, mine: bool) -> None:
        """Draw a mine on a cell that is proved a mine, or a tick on a cell that is proved safe."""
        self.drawing.stamp("proved-mine" if mine else "tick", *self._corner(cell))

    def tint(self, cell: Cell, colour: str) -> None:
        if self.shows(cell):
            face = mix(self.theme.face, colour, 0.35)
            self.drawing.add(self._filled(self._middle(cell), 2, face))

    def ring(self, cell: Cell, colour: str) -> None:
        if self._squares:
            x, y = self._corner(cell)
            ring = rectangle(x + 1.5, y + 1.5, CELL - 3, CELL - 3, 3, stroke=colour, thick=2.5)
        else:
            corners = self._shape(self._middle(cell), 1.5)
            ring = line(*corners, corners[0], stroke=colour, thick=2.5)
        self.drawing.add(ring)

    def _path(self, cells: Sequence[Cell]) -> None:
        """Draw a line through the middles of the cells, with a dot in each cell but the last. The
        line ends with an arrow head just inside the last cell. Draw nothing for fewer than two
        cells."""
        if len(cells) < 2:
            return
        points = [self._middle(cell) for cell in cells]
        colour = self.theme.mine
        (x0, y0), (x1, y1) = points[-2:]
        length = hypot(x1 - x0, y1 - y0)
        dx, dy = (x1 - x0) / length, (y1 - y0) / length
        inside = CELL / 2 / max(abs(dx), abs(dy)) - 3
        tip = (x1 - inside * dx, y1 - inside * dy)
        base = (tip[0] - 7 * dx, tip[1] - 7 * dy)
        head = polygon(
            tip,
            (base[0] - 4.5 * dy, base[1] + 4.5 * dx),
            (base[0] + 4.5 * dy, base[1] - 4.5 * dx),
            fill=colour,
        )
        self.drawing.add(line(*points[:-1], base, stroke=colour, thick=2), head)
        self.drawing.add(*(circle(x, y, 2.4, fill=colour) for x, y in points[:-1]))

    def _corner(self, cell: Cell) -> tuple[float, float]:
        x, y = self._middle(cell)
        return x - CELL / 2, y - CELL / 2

    def _middle(self, cell: Cell) -> tuple[float, float]:
        return self._point(self.outline.middle(cell))

    def _point(self, place: tuple[float, float]) -> tuple[float, float]:
        left = MARGIN + LABELS
        return left + place[0] * CELL + self._shift, left + place[1] * CELL

    @property
    def _squares(self) -> bool:
        return len(self.outline.corners) == 4

    def _shape(self, middle: tuple[float, float], inset: float) -> list[tuple[float, float]]:
        """Return the corners of the shape of a cell, made smaller by `inset` pixels on each
        side."""
        size = CELL - 2 * inset
        return [(middle[0] + x * size, middle[1] + y * size) for x, y in self.outline.corners]

    def _filled(self, middle: tuple[float, float], inset: float, fill: str) -> Shape:
        """Return the shape of a cell in one colour, made smaller by `inset` pixels on each side."""
        corners = self._shape(middle, inset)
        if self._squares:
            side = CELL - 2 * inset
            return rectangle(*corners[0], side, side, fill=fill)
        return polygon(*corners, fill=fill)

    def _number_rows(self) -> None:
        first_row, first_col, last_row, last_col = self.window
        for row in range(first_row, last_row):
            x, y = self._corner((row, first_col))
            self._label(x - 6, y + CELL / 2, str(row), "end")
        for col in range(first_col, last_col):
            x, y = self._corner((first_row, col))
            self._label(x + CELL / 2, y - 9, str(col), "middle")

    def _edges(self) -> None:
        """Draw the edges of a graph, and above each cell its name."""
        for first, second in self.outline.edges:
            ends = self._point(first), self._point(second)
            self.drawing.add(line(*ends, stroke=self.theme.grid, thick=1.5))
        graph = self.outline.graph
        assert graph is not None
        for number, name in enumerate(graph.names):
            x, y = self._middle(divmod(number, graph.cols))
            self.drawing.add(text(x, y - CELL * 0.72, 8, name, fill=self.theme.faint))

    def _label(self, x: float, y: float, words: str, anchor: str) -> None:
        self.drawing.add(text(x, y, 10, words, fill=self.theme.faint, anchor=anchor))

    def _frame(self) -> None:
        """Draw a frame around the drawn cells, if they are squares and the board has no holes. If
        opposite edges of the board are joined, a small arrow at each side of the frame shows
        this."""
        if not self._squares or self.board.has_holes:
            return
        first_row, first_col, last_row, last_col = self.window
        x, y = self._corner((first_row, first_col))
        width, height = (last_col - first_col) * CELL, (last_row - first_row) * CELL
        self.drawing.add(rectangle(x, y, width, height, stroke=self.theme.shade, thick=1.5))
        geometry = self.board.geometry
        if not isinstance(geometry, Lattice) or not geometry.wraps:
            return
        # Each arrow stands between two cells, so that it covers no row or column number.
        across, along = x + width // CELL // 2 * CELL, y + height // CELL // 2 * CELL
        ends = {(1, 0): (x + width, along), (-1, 0): (x, along)}
        ends |= {(0, 1): (across, y + height), (0, -1): (across, y)}
        for (right, down), end in ends.items():
            tip = end[0] + 7 * right, end[1] + 7 * down
            back = tip[0] - 6 * right, tip[1] - 6 * down
            sides = [(back[0] + 5 * s * down, back[1] + 5 * s * right) for s in (1, -1)]
            self.drawing.add(polygon(tip, *sides, fill=self.theme.safe))

    def _face(self, cell: Cell, fill: str | None) -> None:
        x, y = self._corner(cell)
        closed = self.board[cell] in (HIDDEN, MARKED)
        self.drawing.stamp("hidden" if closed else "open", x, y)
        if fill is not None:
            self.drawing.add(self._filled(self._middle(cell), 1, fill))

    def _content(self, cell: Cell, fill: str | None) -> None:
        names = {MARKED: "flag", EXPLODED: "exploded", CLEAR: "clear"}
        code = self.board[cell]
        x, y = self._corner(cell)
        if code in names:
            self.drawing.stamp(names[code], x, y)
        elif code > 0 and fill is None:
            self.drawing.stamp(f"clue-{code}", x, y)
        elif code > 0 and fill is not None:
            digit = text(*self._middle(cell), 13, str(code), fill=_ink(fill), bold=True)
            self.drawing.add(digit)

    def _define(self) -> None:
        theme, drawing, middle = self.theme, self.drawing, CELL / 2
        self._define_faces()
        for number in range(1, max(8, int(self.board.codes.max())) + 1):
            colour, size = theme.digits[(number - 1) % 8 + 1], 15 if number < 10 else 12
            digit = text(middle, middle, size, str(number), fill=colour, bold=True)
            drawing.define(f"clue-{number}", digit)
        drawing.define("clear", circle(middle, middle, 2, fill=theme.faint))
        tick = line((6.5, 12.5), (10.5, 16.5), (17.5, 7.5), stroke=theme.safe, thick=3)
        drawing.define("tick", tick)
        drawing.define("proved-mine", *_mine(middle, theme.mine, theme.face))
        red = self._filled((middle, middle), 1, theme.mine)
        drawing.define("exploded", red, *_mine(middle, theme.ink, theme.open))
        drawing.define(
            "flag",
            line((11, 5), (11, 18), stroke=theme.ink, thick=1.8),
            polygon((11.5, 4.5), (18, 8), (11.5, 11.5), fill=theme.mine),
            line((7.5, 18.5), (15, 18.5), stroke=theme.ink, thick=2.4),
        )

    def _define_faces(self) -> None:
        """Define the figures `hidden` and `open`: a hidden and an open cell without a sign."""
        theme, squares, middle = self.theme, self._squares, (CELL / 2, CELL / 2)
        lit = [polygon((0, 0), (CELL, 0), (0, CELL), fill=theme.lit)] if squares else []
        for name, edge, above, inset, face in (
            ("hidden", theme.shade, lit, 2 if squares else 1, theme.face),
            ("open", theme.grid, [], 0.5 if squares else 1, theme.open),
        ):
            outer, inner = self._filled(middle, 0, edge), self._filled(middle, inset, face)
            self.drawing.define(name, outer, *above, inner)


def _mine(middle: float, colour: str, shine: str) -> list[Shape]:
    """Return the shapes of a mine: a ball with spikes."""
    arm, slant = 8.2, 5.8
    spikes = [((0, -arm), (0, arm)), ((-arm, 0), (arm, 0))]
    spikes += [((-slant, -slant), (slant, slant)), ((-slant, slant), (slant, -slant))]
    arms = [
        line(
            (middle + a, middle + b), (middle + c, middle + d), stroke=colour, thick=1.7
        )
        for (a, b), (c, d) in spikes
    ]  # fmt: skip
    ball = circle(middle, middle, 5.6, fill=colour)
    return [*arms, ball, circle(middle - 1.9, middle - 1.9, 1.5, fill=shine)]


def _wrapped(words: str, width: float) -> list[str]:
    """Break a caption at blanks into lines of at most `width` pixels. A single word may be
    wider."""
    lines: list[str] = []
    current = ""
    for word in words.split(" "):
        longer = f"{current} {word}" if current else word
        if current and text_width(longer, CAPTION) > width:
            lines.append(current)
            longer = word
        current = longer
    return [*lines, current]


def _rgb(colour: str) -> tuple[int, int, int]:
    return int(colour[1:3], 16), int(colour[3:5], 16), int(colour[5:7], 16)


def mix(colour: str, other: str, share: float) -> str:
    """Return a mixture of two colours. `share`, from 0 to 1, is the share of `other`."""
    parts = (round(a + (b - a) * share) for a, b in zip(_rgb(colour), _rgb(other), strict=True))
    return "#" + "".join(f"{part:02x}" for part in parts)


def _ink(colour: str) -> str:
    """Return black or white, whichever is easier to read on the colour."""
    channels = ((part / 255) ** 2.2 for part in _rgb(colour))
    luminance = sum(map(mul, channels, (0.2126, 0.7152, 0.0722)))
    return "#111418" if luminance > 0.18 else "#ffffff"
