"""Drawings: a few kinds of shapes, written as SVG without any library, or as PNG with Pillow.

A `Drawing` has a list of shapes, measured in pixels. Later shapes cover earlier ones. Two things
keep the SVG small. First, a figure that repeats, such as a hidden cell or a mine, is defined once
with `define` and placed with `stamp`. Second, shapes in the same style share a CSS class.
"""

from __future__ import annotations

import io
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from enum import Enum, auto
from functools import lru_cache
from hashlib import blake2b
from itertools import chain
from math import inf
from pathlib import Path
from typing import TYPE_CHECKING, Any
from xml.sax.saxutils import escape

from csp_mines.arguments import number, path_name
from csp_mines.errors import InputError, Unsupported
from csp_mines.files import write_whole
from csp_mines.libraries import missing, needed

if TYPE_CHECKING:
    from PIL.ImageFont import FreeTypeFont

FONT = "DejaVu Sans, Verdana, Geneva, sans-serif"
OVERSAMPLING = 3  # a PNG is drawn this many times larger, then scaled down for smooth edges
MOST_PIXELS = 100_000_000  # of the largest PNG; a pixel takes 4 bytes of memory
# A PNG is drawn in bands from top to bottom. A band has at most this many enlarged pixels, unless
# one row of the PNG has more.
BAND_PIXELS = 12_000_000
# The image of a band begins this many pixels of the drawing above the band, because Pillow rounds a
# shape differently if the shape begins above the image.
OVERLAP = 40
Point = tuple[float, float]


class ShapeKind(Enum):
    """The kind of a shape. The comment beside a kind lists the `numbers` of a shape of this
    kind."""

    RECTANGLE = auto()  # x and y of the upper left corner, width, height, radius of the corners
    CIRCLE = auto()  # x and y of the middle, radius
    LINE = auto()  # x and y of each point
    POLYGON = auto()  # x and y of each corner
    TEXT = auto()  # x and y of the point that `anchor` names, size of the font


_ONE_POINT = (ShapeKind.RECTANGLE, ShapeKind.CIRCLE, ShapeKind.TEXT)


@dataclass(frozen=True)
class Shape:
    """A shape of some kind, with the numbers that `ShapeKind` lists. The `anchor` of a text says
    which point of the text is at x, y: its middle (`middle`), its left end (`start`) or its right
    end (`end`), always at half the height of a capital letter."""

    kind: ShapeKind
    numbers: tuple[float, ...]
    fill: str | None = None
    stroke: str | None = None
    thick: float = 1
    words: str = ""
    anchor: str = "middle"
    bold: bool = False

    @property
    def coordinates(self) -> int:
        """How many of `numbers` are coordinates. They come first, x and y in turn."""
        return 2 if self.kind in _ONE_POINT else len(self.numbers)

    @property
    def heights(self) -> tuple[float, float]:
        """Two y coordinates between which the whole shape lies, including its line."""
        if self.kind is ShapeKind.RECTANGLE:
            top, bottom = self.numbers[1], self.numbers[1] + self.numbers[3]
        elif self.kind in (ShapeKind.CIRCLE, ShapeKind.TEXT):
            top, bottom = self.numbers[1] - self.numbers[2], self.numbers[1] + self.numbers[2]
        else:
            top, bottom = min(self.numbers[1::2]), max(self.numbers[1::2])
        return top - self.thick - 1, bottom + self.thick + 1

    def moved(self, x: float, y: float) -> Shape:
        """Return the same shape, moved by `x` to the right and by `y` down."""
        numbers = list(self.numbers)
        for index in range(0, self.coordinates, 2):
            numbers[index] += x
            numbers[index + 1] += y
        return replace(self, numbers=tuple(numbers))


def rectangle(
    x: float, y: float, width: float, height: float, radius: float = 0, **style: Any
) -> Shape:
    return Shape(ShapeKind.RECTANGLE, (x, y, width, height, radius), **style)


def circle(x: float, y: float, radius: float, **style: Any) -> Shape:
    return Shape(ShapeKind.CIRCLE, (x, y, radius), **style)


def line(*points: Point, **style: Any) -> Shape:
    """Return an open path through the points."""
    return Shape(ShapeKind.LINE, tuple(chain.from_iterable(points)), **style)


def polygon(*points: Point, **style: Any) -> Shape:
    return Shape(ShapeKind.POLYGON, tuple(chain.from_iterable(points)), **style)


def text(x: float, y: float, size: float, words: str, **style: Any) -> Shape:
    return Shape(ShapeKind.TEXT, (x, y, size), words=words, **style)


def text_width(words: str, size: float, *, bold: bool = False) -> float:
    """Estimate the width of a text in pixels. The estimate is seldom too small."""
    narrow = sum(char in "iljft.,;:()[]' |!" for char in words)
    wide = len(words) - narrow
    return size * (narrow * 0.4 + wide * (0.7 if bold else 0.63))


@dataclass(repr=False)
class Drawing:
    """A picture: shapes on a background. Sizes are in pixels.

    `shapes` has the shapes in the order of drawing. `define` puts the shapes of a figure into
    `stamps`, under the name of the figure. `stamp` adds this name, x and y to `shapes`.

    >>> drawing = csp_mines.draw_board([[-1, 1, -1]])
    >>> drawing.width, drawing.height
    (114, 66)
    >>> drawing.to_svg()[:4]
    '<svg'
    """

    width: float
    height: float
    background: str
    title: str = ""
    shapes: list[Shape | tuple[str, float, float]] = field(default_factory=list)
    stamps: dict[str, Sequence[Shape]] = field(default_factory=dict)

    def __repr__(self) -> str:
        """Return a text such as `<Drawing 'Engines compared', 640×258, 31 shapes>`."""
        size = f"{_short(self.width)}×{_short(self.height)}"
        return f"<Drawing {self.title!r}, {size}, {len(self.shapes)} shapes>"

    def _repr_svg_(self) -> str:
        return self.to_svg()

    def add(self, *shapes: Shape) -> None:
        """Add shapes. Each shape is drawn over all shapes that were added before."""
        self.shapes += shapes

    def define(self, name: str, *shapes: Shape) -> None:
        """Make the `shapes` a figure with this `name`. `stamp` can place the figure many times."""
        self.stamps[name] = shapes

    def stamp(self, name: str, x: float, y: float) -> None:
        """Add the figure of this `name`. The point 0, 0 of the figure is placed at `x`, `y`."""
        self.shapes.append((name, x, y))

    def save(self, path: str | Path, *, scale: float = 2) -> None:
        """Write the picture to `path`: as SVG if the name ends in `.svg`, as PNG if it ends in
        `.png`. A PNG is `scale` times as wide and as high as the drawing; an SVG does not depend on
        `scale`. The file is written as a whole or not at all.

        Raises InputError for a name with another ending, FileError if the file cannot be written.
        For a PNG, also raises what `to_png` raises."""
        path = Path(path_name(path))
        kind = path.suffix.lower()
        if kind not in (".svg", ".png"):
            raise InputError(f"a picture must be a .svg or .png file, not {path.name!r}")
        write_whole(path, self.to_svg().encode() if kind == ".svg" else self.to_png(scale))

    def to_svg(self) -> str:
        """Return a self-contained SVG document."""
        writer = _Svg()
        used = {shape[0] for shape in self.shapes if isinstance(shape, tuple)}
        stamps = {
            name: "".join(map(writer.shape, shapes))
            for name, shapes in self.stamps.items()
            if name in used
        }
        named = {name: _named_by(inside) for name, inside in stamps.items()}
        defined = "".join(f'<g id="{named[name]}">{inside}</g>' for name, inside in stamps.items())
        body = "\n".join(
            writer.shape(item)
            if isinstance(item, Shape)
            else f'<use href="#{named[item[0]]}" x="{_short(item[1])}" y="{_short(item[2])}"/>'
            for item in self.shapes
        )
        width, height = _short(self.width), _short(self.height)
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" '
            f'viewBox="0 0 {width} {height}" role="img">\n'
            f"<title>{escape(self.title)}</title>\n<style>{writer.styles()}</style>\n"
            f"<defs>{defined}</defs>\n"
            f'<rect width="100%" height="100%" fill="{self.background}"/>\n{body}\n</svg>\n'
        )

    def to_png(self, scale: float = 2) -> bytes:
        """Return a PNG that is `scale` times as wide and as high as the drawing.

        Raises InputError if `scale` is not a finite number greater than 0, Unsupported if the PNG
        would have more than 100 million pixels. Raises MissingLibrary if Pillow is missing, or if
        the drawing has text and matplotlib, which includes the font, is missing."""
        with needed("PNG pictures need Pillow (SVG needs nothing)", "csp-mines[plots]"):
            from PIL import Image
        scale = number(
            scale, "scale", "a finite number greater than 0", lambda size: 0 < size < inf
        )
        width, height = (max(1, round(size * scale)) for size in (self.width, self.height))
        if width * height > MOST_PIXELS:
            raise Unsupported(
                f"a PNG may have at most {MOST_PIXELS:,} pixels, not {width:,}×{height:,}; use a "
                "smaller scale, or SVG"
            )
        factor = scale * OVERSAMPLING
        rows = max(1, BAND_PIXELS // (OVERSAMPLING**2 * width))
        smooth = Image.new("RGB", (width, height), self.background)
        for band, shapes in enumerate(self._bands(rows / scale, -(-height // rows))):
            above = min(band * rows, round(OVERLAP * scale))
            top, bottom = band * rows - above, min((band + 1) * rows, height)
            large = (width * OVERSAMPLING, (bottom - top) * OVERSAMPLING)
            image = Image.new("RGB", large, self.background)
            canvas = _Canvas(image, factor, top * OVERSAMPLING)
            for shape in shapes:
                canvas.draw(shape)
            small = image.resize((width, bottom - top), Image.Resampling.BOX)
            smooth.paste(small.crop((0, above, width, bottom - top)), (0, top + above))
        stream = io.BytesIO()
        smooth.save(stream, "PNG", optimize=True)
        return stream.getvalue()

    def _bands(self, height: float, bands: int) -> list[list[Shape]]:
        """Return the shapes of each band of the drawing, in the order of drawing. There are `bands`
        bands of `height` pixels, from top to bottom. A shape belongs to every band into which it
        reaches."""
        shown: list[list[Shape]] = [[] for _ in range(bands)]
        for placed in self.placed():
            top, bottom = placed.heights
            for band in range(max(int(top / height), 0), min(int(bottom / height) + 1, bands)):
                shown[band].append(placed)
        return shown

    def placed(self) -> Iterator[Shape]:
        """Yield the shapes in the order of drawing. For a stamped figure, yield each of its shapes,
        moved to the place of the figure."""
        for item in self.shapes:
            if isinstance(item, Shape):
                yield item
            else:
                name, x, y = item
                for shape in self.stamps[name]:
                    yield shape.moved(x, y)


def _named_by(contents: str) -> str:
    """Return a name, made from `contents`, for the id of a figure or for a CSS class.

    The SVG pictures in one HTML page share their ids and classes. So two pictures may use one name
    only for the same contents."""
    return "n" + blake2b(contents.encode(), digest_size=4).hexdigest()


class _Svg:
    """Writes shapes as elements of SVG. Each different style becomes a CSS class."""

    def __init__(self) -> None:
        self._classes: dict[str, str] = {}

    def shape(self, drawn: Shape) -> str:
        name = self._class(drawn)
        numbers = [_short(number) for number in drawn.numbers]
        if drawn.kind is ShapeKind.RECTANGLE:
            x, y, width, height, radius = numbers
            corner = f' rx="{radius}"' if drawn.numbers[4] else ""
            return (
                f'<rect class="{name}" x="{x}" y="{y}" width="{width}" height="{height}"{corner}/>'
            )
        if drawn.kind is ShapeKind.CIRCLE:
            return f'<circle class="{name}" cx="{numbers[0]}" cy="{numbers[1]}" r="{numbers[2]}"/>'
        if drawn.kind is ShapeKind.TEXT:
            # Digits and capitals have their middle 0.36 em above the baseline.
            base = _short(drawn.numbers[1] + 0.36 * drawn.numbers[2])
            return f'<text class="{name}" x="{numbers[0]}" y="{base}">{escape(drawn.words)}</text>'
        kind = "polyline" if drawn.kind is ShapeKind.LINE else "polygon"
        points = " ".join(f"{x},{y}" for x, y in zip(numbers[::2], numbers[1::2], strict=True))
        return f'<{kind} class="{name}" points="{points}"/>'

    def styles(self) -> str:
        return "".join(f".{name}{{{style}}}" for style, name in self._classes.items())

    def _class(self, drawn: Shape) -> str:
        parts = [f"fill:{drawn.fill or 'none'}"]
        if drawn.stroke:
            parts.append(f"stroke:{drawn.stroke};stroke-width:{_short(drawn.thick)}")
            parts.append("stroke-linejoin:round;stroke-linecap:round")
        if drawn.kind is ShapeKind.TEXT:
            weight = "bold " if drawn.bold else ""
            parts.append(f"font:{weight}{_short(drawn.numbers[2])}px {FONT}")
            parts.append(f"text-anchor:{drawn.anchor}")
        style = ";".join(parts)
        return self._classes.setdefault(style, _named_by(style))


class _Canvas:
    """Draws shapes, enlarged by `factor`, on the image of one band of a PNG. The image begins `top`
    pixels below the upper edge of the enlarged picture."""

    def __init__(self, image: Any, factor: float, top: int) -> None:
        from PIL import ImageDraw

        self._pen = ImageDraw.Draw(image)
        self.factor = factor
        self.top = top

    def draw(self, shape: Shape) -> None:
        pen = self._pen
        numbers = [number * self.factor for number in shape.numbers]
        for index in range(1, shape.coordinates, 2):
            numbers[index] -= self.top
        width = max(1, round(shape.thick * self.factor)) if shape.stroke else 0
        if shape.kind is ShapeKind.RECTANGLE:
            self._rectangle(shape, numbers, width)
        elif shape.kind is ShapeKind.CIRCLE:
            x, y, radius = numbers
            half = width / 2
            box = (x - radius - half, y - radius - half, x + radius + half, y + radius + half)
            pen.ellipse(box, fill=shape.fill, outline=shape.stroke, width=width)
        elif shape.kind is ShapeKind.TEXT:
            font = _font(numbers[2], shape.bold)
            base = numbers[1] + 0.36 * numbers[2]
            anchor = {"start": "ls", "middle": "ms", "end": "rs"}[shape.anchor]
            pen.text((numbers[0], base), shape.words, fill=shape.fill, font=font, anchor=anchor)
        else:
            points = list(zip(numbers[::2], numbers[1::2], strict=True))
            if shape.kind is ShapeKind.POLYGON and shape.fill:
                pen.polygon(points, fill=shape.fill)
            if shape.stroke:
                closed = [*points, points[0]] if shape.kind is ShapeKind.POLYGON else points
                self._path(closed, shape.stroke, width)

    def _rectangle(self, shape: Shape, numbers: list[float], width: int) -> None:
        """Draw a rectangle. Its line is centred on its edges, as in SVG."""
        x, y, wide, high, radius = numbers
        half = width / 2
        # Pillow's coordinates include the last pixel.
        box = (x - half, y - half, x + wide + half - 1, y + high + half - 1)
        if radius:
            self._pen.rounded_rectangle(box, radius + half, shape.fill, shape.stroke, width)
        else:
            self._pen.rectangle(box, shape.fill, shape.stroke, width)

    def _path(self, points: list[Point], stroke: str, width: int) -> None:
        self._pen.line(points, fill=stroke, width=width, joint="curve")
        half = width / 2
        for x, y in (points[0], points[-1]):
            self._pen.ellipse((x - half, y - half, x + half, y + half), fill=stroke)


@lru_cache(maxsize=16)
def _font(size: float, bold: bool) -> FreeTypeFont:
    """Return the font of a PNG in this size. Raises MissingLibrary without matplotlib."""
    from PIL import ImageFont

    return ImageFont.truetype(str(_font_file(bold)), size)


def _font_file(bold: bool) -> Path:
    """Return the path of the font DejaVu Sans, which matplotlib includes. Raises MissingLibrary
    without matplotlib."""
    from importlib.util import find_spec

    matplotlib = find_spec("matplotlib")
    if matplotlib is None or matplotlib.origin is None:
        raise missing("PNG pictures need matplotlib's font", "csp-mines[plots]")
    fonts = Path(matplotlib.origin).parent / "mpl-data" / "fonts" / "ttf"
    return fonts / ("DejaVuSans-Bold.ttf" if bold else "DejaVuSans.ttf")


def _short(number: float) -> str:
    """Return a number as text with at most two decimals, without trailing zeros."""
    return f"{number:.2f}".rstrip("0").rstrip(".")
