"""Draws boards in invented looks, for tests, for the training of the classifier of glyphs, and for
benchmarks. A look is drawn at random from a seed: colours, bevels, gaps, fonts, icons, scale,
surroundings and damage by JPEG, blur or noise. No look copies a program."""

from __future__ import annotations

import io
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any

import numpy as np
import numpy.typing as npt
from PIL import Image, ImageDraw, ImageFilter, ImageFont

Colour = tuple[int, int, int]
Pixels = npt.NDArray[np.uint8]
Cell = tuple[int, int]

CLASSIC = [
    (0, 0, 255), (0, 128, 0), (255, 0, 0), (0, 0, 128),
    (128, 0, 0), (0, 128, 128), (0, 0, 0), (128, 128, 128),
]  # fmt: skip
SEGMENTS = {
    "0": "abcdef", "1": "bc", "2": "abged", "3": "abgcd", "4": "fgbc",
    "5": "afgcd", "6": "afgedc", "7": "abc", "8": "abcdefg", "9": "abcdfg",
}  # fmt: skip
DOTS = {  # a matrix of 5 times 7 dots
    "0": "01110 10001 10001 10001 10001 10001 01110", "1": "00100 01100 00100 00100 00100 00100 01110",
    "2": "01110 10001 00001 00110 01000 10000 11111", "3": "11110 00001 00001 01110 00001 00001 11110",
    "4": "00010 00110 01010 10010 11111 00010 00010", "5": "11111 10000 11110 00001 00001 10001 01110",
    "6": "01110 10000 10000 11110 10001 10001 01110", "7": "11111 00001 00010 00100 00100 00100 00100",
    "8": "01110 10001 10001 01110 10001 10001 01110", "9": "01110 10001 10001 01111 00001 00001 01110",
    "?": "01110 10001 00001 00110 00100 00000 00100",
}  # fmt: skip
BLOCKS = {  # heavy digits of 7 times 9 dots, as on tiles of 16 pixels
    "0": "0111110 1110111 1100011 1100011 1100011 1100011 1100011 1110111 0111110",
    "1": "0001100 0011100 0111100 1111100 0011100 0011100 0011100 1111111 1111111",
    "2": "1111110 1111111 0000011 0000111 0111110 1111000 1100000 1111111 1111111",
    "3": "1111110 1111111 0000011 0000011 0011110 0000011 0000011 1111111 1111110",
    "4": "0011011 0011011 0110011 0110011 1111111 1111111 0000011 0000011 0000011",
    "5": "1111111 1111111 1100000 1100000 1111110 0000011 0000011 1111111 1111110",
    "6": "0111110 1111110 1100000 1100000 1111110 1100011 1100011 1111111 0111110",
    "7": "1111111 1111111 0000011 0000011 0000110 0000110 0001100 0001100 0001100",
    "8": "0111110 1111111 1100011 1100011 0111110 1100011 1100011 1111111 0111110",
    "9": "0111110 1111111 1100011 1100011 0111111 0000011 0000011 0111111 0111110",
    "?": "0111110 1100011 0000011 0000110 0001100 0001100 0000000 0001100 0001100",
}  # fmt: skip


@cache
def _font(path: str | None, size: int) -> Any:
    return ImageFont.load_default(size) if path is None else ImageFont.truetype(path, size)


def text_mask(text: str, box: int, height: float, font: str | None) -> Image.Image:
    """Return text as a mask of `box` times `box` pixels; the text is `height` of it high."""
    drawn = _font(font, max(int(box * height * 1.35), 6))
    mask = Image.new("L", (box, box), 0)
    left, top, right, bottom = drawn.getbbox(text)
    if right - left < 1 or bottom - top < 1:
        raise ValueError(f"the font {font} has no {text!r}")
    place = ((box - (right - left)) / 2 - left, (box - (bottom - top)) / 2 - top)
    ImageDraw.Draw(mask).text(place, text, fill=255, font=drawn)
    return mask


def matrix_mask(rows: str, box: int, height: float) -> Image.Image:
    """Return a pattern of dots as a mask."""
    bits = np.array([[int(bit) * 255 for bit in row] for row in rows.split()], np.uint8)
    tall = max(int(box * height), bits.shape[0])
    wide = max(round(tall * bits.shape[1] / bits.shape[0]), bits.shape[1])
    small = Image.fromarray(bits).resize((wide, tall), Image.Resampling.NEAREST)
    mask = Image.new("L", (box, box), 0)
    mask.paste(small, ((box - wide) // 2, (box - tall) // 2))
    return mask


def segment_mask(digit: str, box: int, height: float, thick: float = 0.16) -> Image.Image:
    """Return a digit of seven segments as a mask."""
    big = 120
    mask = Image.new("L", (big, big), 0)
    draw = ImageDraw.Draw(mask)
    tall, wide, line = big * height, big * height * 0.6, big * height * thick
    left, top = (big - wide) / 2, (big - tall) / 2
    right, bottom, middle = left + wide, top + tall, top + tall / 2
    places = {
        "a": (left, top, right, top + line), "g": (left, middle - line / 2, right, middle + line / 2),
        "d": (left, bottom - line, right, bottom), "f": (left, top, left + line, middle),
        "b": (right - line, top, right, middle), "e": (left, middle, left + line, bottom),
        "c": (right - line, middle, right, bottom),
    }  # fmt: skip
    for segment in SEGMENTS[digit]:
        draw.rectangle(places[segment], fill=255)
    return mask.resize((box, box), Image.Resampling.LANCZOS)


Layer = tuple[Image.Image, Colour]  # a mask and its colour


def flag_layers(rng: random.Random, box: int, height: float) -> list[Layer]:
    """Return a flag: a cloth and a pole, in several shapes."""
    big = 120
    cloth, pole = Image.new("L", (big, big), 0), Image.new("L", (big, big), 0)
    size = big * height
    left, top = (big - size * 0.7) / 2, (big - size) / 2
    x = left + size * rng.choice([0.1, 0.15, 0.6, 0.5])
    line = size * rng.uniform(0.05, 0.12)
    ImageDraw.Draw(pole).rectangle((x, top, x + line, top + size), fill=255)
    right = x < big / 2
    reach = size * rng.uniform(0.4, 0.65) * (1 if right else -1)
    drop = size * rng.uniform(0.35, 0.6)
    shape = rng.choice(["triangle", "triangle", "square", "swallow", "wave"])
    start = x + (line if right else 0)
    corners = {
        "triangle": [(start, top), (start + reach, top + drop / 2), (start, top + drop)],
        "square": [(start, top), (start + reach, top), (start + reach, top + drop), (start, top + drop)],
        "swallow": [(start, top), (start + reach, top), (start + reach * 0.7, top + drop / 2),
                    (start + reach, top + drop), (start, top + drop)],
        "wave": [(start, top), (start + reach / 2, top + drop * 0.15), (start + reach, top),
                 (start + reach, top + drop), (start + reach / 2, top + drop * 0.85), (start, top + drop)],
    }[shape]  # fmt: skip
    ImageDraw.Draw(cloth).polygon(corners, fill=255)
    if rng.random() < 0.5:  # a foot
        wide = size * rng.uniform(0.2, 0.4)
        foot = (x - wide, top + size * 0.85, x + wide + line, top + size)
        ImageDraw.Draw(pole).rectangle(foot, fill=255)
    red = rng.choice([(255, 0, 0), (220, 40, 30), (200, 20, 60), (255, 120, 0), (20, 20, 20)])
    dark = rng.choice([(0, 0, 0), (60, 50, 40), (90, 90, 90), red])
    fit = lambda mask: mask.resize((box, box), Image.Resampling.LANCZOS)  # noqa: E731
    return [(fit(pole), dark), (fit(cloth), red)]


def mine_layers(rng: random.Random, box: int, height: float) -> list[Layer]:
    """Return a mine: a ball with spikes, a ball with a fuse, or a plain ball, with a highlight."""
    big = 120
    body, shine = Image.new("L", (big, big), 0), Image.new("L", (big, big), 0)
    draw = ImageDraw.Draw(body)
    radius, centre = big * height * rng.uniform(0.3, 0.4), big / 2
    draw.ellipse((centre - radius, centre - radius, centre + radius, centre + radius), fill=255)
    kind = rng.choice(["spikes", "spikes", "fuse", "plain"])
    if kind == "spikes":
        count, line = rng.choice([4, 8, 8, 12]), max(int(big * height * rng.uniform(0.05, 0.1)), 1)
        for angle in np.arange(count) * 2 * np.pi / count:
            reach = big * height / 2
            end = (centre + reach * np.cos(angle), centre + reach * np.sin(angle))
            draw.line((centre, centre, *end), fill=255, width=line)
    if kind == "fuse":
        draw.line((centre, centre, centre + radius * 1.4, centre - radius * 1.4), fill=255, width=7)
    if rng.random() < 0.7:
        spot = (centre - radius * 0.5, centre - radius * 0.5)
        width = radius * rng.uniform(0.25, 0.5)
        ImageDraw.Draw(shine).ellipse((*spot, spot[0] + width, spot[1] + width), fill=255)
    fit = lambda mask: mask.resize((box, box), Image.Resampling.LANCZOS)  # noqa: E731
    black = rng.choice([(0, 0, 0), (30, 30, 30), (60, 60, 60)])
    return [(fit(body), black), (fit(shine), (255, 255, 255))]


@dataclass
class Look:
    """How a program draws its board."""

    cell: float  # pixels
    hidden: Colour
    opened: Colour
    style: str  # bevel, flat, gap, rounded, chequered
    digit_colours: Sequence[Colour]
    digits: Callable[[str, int], Image.Image]
    flag: list[Layer]
    mine: list[Layer]
    question: Layer
    line: Colour | None  # between opened cells
    around: Colour
    bevel: float = 0.1
    zero_shown: bool = False
    mine_ground: Colour | None = None
    tint: tuple[int, int, int] = (8, 8, 8)
    tiles: dict[tuple[str, int], Image.Image] = field(default_factory=dict)

    def tile(self, symbol: str, parity: int) -> Image.Image:
        key = (symbol, parity if self.style == "chequered" else 0)
        if key not in self.tiles:
            self.tiles[key] = self._drawn(*key)
        return self.tiles[key]

    def _drawn(self, symbol: str, parity: int) -> Image.Image:
        size = round(self.cell)
        closed = symbol in "?MQ"
        ground = self.hidden if closed else self.opened
        if symbol == "X" and self.mine_ground:
            ground = self.mine_ground
        if parity:
            ground = tuple(
                max(value - step, 0) for value, step in zip(ground, self.tint, strict=True)
            )
        tile = self._ground(size, ground, closed=closed)
        for mask, colour in self._layers(symbol, size):
            tile.paste(colour, (0, 0), mask)
        return tile

    def _layers(self, symbol: str, size: int) -> list[Layer]:
        fit = lambda layers: [(m.resize((size, size), Image.Resampling.BOX), c) for m, c in layers]  # noqa: E731
        if symbol == "M":
            return fit(self.flag)
        if symbol == "X":
            return fit(self.mine)
        if symbol == "Q":
            return fit([self.question])
        if symbol == "?" or (symbol == "0" and not self.zero_shown):
            return []
        colour = self.digit_colours[(int(symbol) - 1) % 8]
        return [(self.digits(symbol, size), colour)]

    def _ground(self, size: int, ground: Colour, *, closed: bool) -> Image.Image:
        tile = Image.new("RGB", (size, size), ground)
        draw = ImageDraw.Draw(tile)
        width = max(round(size * self.bevel), 1)
        last = size - 1
        if self.style == "bevel" and closed:
            light = tuple(min(value + 70, 255) for value in ground)
            dark = tuple(int(value * 0.6) for value in ground)
            for step in range(width):
                draw.line((step, step, last - step, step), fill=light)
                draw.line((step, step, step, last - step), fill=light)
                draw.line((step + 1, last - step, last - step, last - step), fill=dark)
                draw.line((last - step, step + 1, last - step, last - step), fill=dark)
        elif self.style in ("gap", "rounded"):
            tile.paste(self.around, (0, 0, size, size))
            gap = max(round(size * 0.04), 1)
            radius = round(size * 0.18) if self.style == "rounded" else 0
            draw.rounded_rectangle((gap, gap, last - gap, last - gap), radius, fill=ground)
        elif self.line and self.style != "chequered":
            draw.line((0, last, last, last), fill=self.line)
            draw.line((last, 0, last, last), fill=self.line)
        return tile

    def board(self, rows: Sequence[str]) -> Image.Image:
        """Draw the board alone. A `Q` is a question mark."""
        size = round(self.cell)
        picture = Image.new("RGB", (size * len(rows[0]), size * len(rows)), self.around)
        for r, row in enumerate(rows):
            for c, symbol in enumerate(row):
                picture.paste(self.tile(symbol, (r + c) % 2), (c * size, r * size))
        if size != self.cell:
            scale = self.cell / size
            new = (round(picture.width * scale), round(picture.height * scale))
            picture = picture.resize(new, Image.Resampling.BILINEAR)
        return picture


def random_look(rng: random.Random, fonts: Sequence[str | None] = (None,)) -> Look:
    """Return an invented look. `fonts` are paths of fonts; None is the font that Pillow brings."""
    style = rng.choice(["bevel", "bevel", "flat", "gap", "rounded", "chequered"])
    dark = rng.random() < 0.35
    base = [rng.randrange(20, 70) if dark else rng.randrange(175, 240) for _ in range(3)]
    grey = rng.random() < 0.5
    opened = (base[0],) * 3 if grey else tuple(base)
    step = rng.choice([-70, -50, -35, 35, 50, 70]) if not dark else rng.choice([40, 60, 80])
    if style == "bevel" and rng.random() < 0.6:
        step = rng.choice([0, 0, 10])
    hue = (0, 0, 0) if rng.random() < 0.5 else [rng.randrange(-30, 30) for _ in range(3)]
    hidden = tuple(int(np.clip(o + step + h, 0, 255)) for o, h in zip(opened, hue, strict=True))
    around = rng.choice([opened, (20, 20, 24), (240, 240, 240), (120, 140, 160)])
    if style in ("gap", "rounded") and _near(around, opened):
        around = tuple(max(value - 60, 0) for value in opened)
    cell = rng.choice([12, 13, 14, 16, 16, 18, 20, 22, 24, 24, 28, 32, 36, 40, 48, 60])
    box = 96
    height = rng.uniform(0.5, 0.75)
    return Look(
        cell=cell if rng.random() < 0.6 else cell * rng.uniform(1.0, 1.25),
        hidden=hidden, opened=opened, style=style,
        digit_colours=_digit_colours(rng, opened, dark=dark),
        digits=_digits(rng, height, rng.choice(list(fonts))),
        flag=flag_layers(rng, box, rng.uniform(0.5, 0.75)),
        mine=mine_layers(rng, box, rng.uniform(0.6, 0.85)),
        question=(text_mask("?", box, height, None), (10, 10, 10) if sum(hidden) > 300 else (240, 240, 240)),
        line=tuple(max(value - 50, 0) if not dark else value + 40 for value in opened)
        if style == "bevel" or rng.random() < 0.8 else None,
        around=around, bevel=rng.uniform(0.06, 0.15), zero_shown=rng.random() < 0.08,
        mine_ground=rng.choice([None, (230, 40, 40), opened]),
    )  # fmt: skip


def _near(each: Sequence[int], other: Sequence[int]) -> bool:
    return max(abs(a - b) for a, b in zip(each, other, strict=True)) < 30


def _digit_colours(rng: random.Random, opened: Colour, *, dark: bool) -> list[Colour]:
    kind = rng.choice(["classic", "classic", "one", "random"])
    if kind == "one":
        colour = (235, 235, 235) if dark else (20, 20, 20)
        return [colour] * 8
    colours = (
        CLASSIC
        if kind == "classic"
        else [tuple(rng.randrange(256) for _ in range(3)) for _ in range(8)]
    )
    return [_visible(colour, opened, dark=dark) for colour in colours]


def _visible(colour: Colour, ground: Colour, *, dark: bool) -> Colour:
    """Move a colour away from the ground until a person can read it."""
    while max(abs(a - b) for a, b in zip(colour, ground, strict=True)) < 70:
        colour = tuple(min(value + 25, 255) if dark else max(value - 25, 0) for value in colour)
        if colour in ((0, 0, 0), (255, 255, 255)):
            break
    return colour


def _digits(
    rng: random.Random, height: float, font: str | None
) -> Callable[[str, int], Image.Image]:
    kind = rng.choice(["font"] * 6 + ["dots", "blocks", "segments"])
    if kind == "font":
        return lambda digit, size: text_mask(digit, size, height, font)
    if kind == "segments":
        return lambda digit, size: segment_mask(digit, size, height)
    table = DOTS if kind == "dots" else BLOCKS
    return lambda digit, size: matrix_mask(table[digit], size, height)


def random_rows(
    rng: random.Random, rows: int, cols: int, *, density: float = 0.17, lost: bool = False
) -> list[str]:
    """Return a position: some cells opened, some mines flagged. `Q` is a question mark."""
    mines = {(r, c) for r in range(rows) for c in range(cols) if rng.random() < density}

    def around(r: int, c: int) -> list[tuple[int, int]]:
        return [(y, x) for y in range(max(r - 1, 0), min(r + 2, rows))
                for x in range(max(c - 1, 0), min(c + 2, cols)) if (y, x) != (r, c)]  # fmt: skip

    count = {
        (r, c): sum(n in mines for n in around(r, c)) for r in range(rows) for c in range(cols)
    }
    opened = _opened(rng, count, mines, around, rows * cols * rng.uniform(0.25, 0.7))
    grid = [
        [str(count[r, c]) if (r, c) in opened else "?" for c in range(cols)] for r in range(rows)
    ]
    for r, c in mines:
        if any(n in opened for n in around(r, c)) and rng.random() < 0.6:
            grid[r][c] = "M"
        elif lost:
            grid[r][c] = "X"
    for r in range(rows):
        for c in range(cols):
            if grid[r][c] == "?" and rng.random() < 0.01:
                grid[r][c] = "Q"
    return ["".join(row) for row in grid]


def _opened(
    rng: random.Random,
    count: dict[Cell, int],
    mines: set[Cell],
    around: Callable[[int, int], list[Cell]],
    wanted: float,
) -> set[Cell]:
    """Return the cells that a player has opened: about so many as wanted, all around a zero."""
    opened: set[Cell] = set()
    safe = [cell for cell in count if cell not in mines]
    rng.shuffle(safe)
    for start in sorted(safe, key=lambda cell: count[cell] > 0):
        if len(opened) >= wanted:
            break
        beside = any(cell in opened for cell in around(*start))
        stack = [start] if count[start] == 0 or rng.random() < 0.3 or beside else []
        while stack:
            cell = stack.pop()
            if cell not in opened:
                opened.add(cell)
                if count[cell] == 0:
                    stack += around(*cell)
    return opened


def framed(rng: random.Random, board: Image.Image, look: Look) -> Image.Image:
    """Put the board into a window, a page or a desktop, or crop it tightly."""
    kind = rng.choice(["tight", "window", "window", "desktop"])
    if kind == "tight":
        margin = rng.choice([0, 0, 1, 4])
        size = (board.width + 2 * margin, board.height + 2 * margin)
        picture = Image.new("RGB", size, look.around)
        picture.paste(board, (margin, margin))
        return picture
    side = rng.randrange(6, 90)
    top = rng.randrange(30, 120)
    size = (
        board.width + 2 * side + rng.randrange(0, 200),
        board.height + top + rng.randrange(6, 90),
    )
    window = Image.new("RGB", size, look.around)
    draw = ImageDraw.Draw(window)
    draw.rectangle(
        (0, 0, size[0], 20), fill=rng.choice([(50, 80, 160), (60, 60, 60), (230, 230, 230)])
    )
    draw.text((6, 4), "Game  Options  Help", fill=(128, 128, 128), font=_font(None, 12))
    draw.text((side, 22), f"{rng.randrange(0, 999):03d}", fill=(255, 0, 0), font=_font(None, 20))
    window.paste(board, (side, top))
    if kind == "window":
        return window
    desk = Image.new(
        "RGB", (size[0] + rng.randrange(100, 700), size[1] + rng.randrange(100, 400)), (40, 90, 120)
    )
    draw = ImageDraw.Draw(desk)
    for line in range(0, desk.height, 18):
        draw.text(
            (desk.width - 240, line),
            "lorem ipsum dolor sit amet 12345",
            fill=(200, 200, 200),
            font=_font(None, 13),
        )
    desk.paste(
        window, (rng.randrange(0, desk.width - size[0]), rng.randrange(0, desk.height - size[1]))
    )
    return desk


def damaged(rng: random.Random, picture: Image.Image, *, cell: float) -> Image.Image:
    """Compress, blur or add noise, as much as a person can still read."""
    kind = rng.choice(["none", "none", "none", "jpeg", "jpeg", "blur", "noise"])
    if kind == "jpeg":
        data = io.BytesIO()
        picture.save(data, "JPEG", quality=rng.randrange(50 if cell >= 20 else 75, 96))
        return Image.open(data).convert("RGB")
    if kind == "blur":
        return picture.filter(ImageFilter.GaussianBlur(rng.uniform(0.3, 0.035 * cell)))
    if kind == "noise":
        values = np.asarray(picture).astype(np.int16)
        noise = np.random.default_rng(rng.randrange(1 << 30)).normal(
            0, rng.uniform(1, 6), values.shape
        )
        return Image.fromarray(np.clip(values + noise, 0, 255).astype(np.uint8))
    return picture


def random_picture(
    seed: int, fonts: Sequence[str | None] = (None,)
) -> tuple[Image.Image, list[str], Look]:
    """Return a picture of a board, its rows (`?` for a question mark too) and its look."""
    rng = random.Random(seed)
    look = random_look(rng, fonts)
    rows, cols = rng.choice([(8, 8), (9, 9), (12, 15), (16, 16), (16, 30)])
    position = random_rows(
        rng, rows, cols, density=rng.uniform(0.12, 0.22), lost=rng.random() < 0.2
    )
    picture = damaged(rng, framed(rng, look.board(position), look), cell=look.cell)
    return picture, [row.replace("Q", "?") for row in position], look
