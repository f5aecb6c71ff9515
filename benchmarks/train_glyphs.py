"""Train the classifier of glyphs that csp_mines/screenshots uses, and write its weights.

    python benchmarks/train_glyphs.py [--fonts FOLDER] [--emoji FOLDER] [--samples N] [--epochs N]

All samples are drawn: digits in the fonts of the folder and in dot matrices, blocks and segments;
flags and mines in invented shapes; question marks; and other signs that must not pass for digits.
Emoji are pictures, named by their code points like 1f4a3.png, in any folder below FOLDER: for
example the packages emoji-datasource-apple, -google, -twitter and -facebook of npm.
A tenth of the fonts is held out; the accuracy on them is printed. No screenshot is used."""

from __future__ import annotations

import argparse
import io
import random
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from pathlib import Path

import numpy as np
from PIL import Image, ImageFilter

sys.path.insert(0, str(Path(__file__).parents[1]))

from csp_mines.screenshots.glyphs import FEATURES, LABELS, SIZE, glyph
from csp_mines.screenshots.grid import TILE
from tests.screenshots import looks

WEIGHTS = Path(__file__).parents[1] / "csp_mines" / "screenshots" / "glyphs.npz"
LAYERS = (192, 96)
SIGNS = {
    "F": "⚑⚐🏴🏳⛳🚩✓✔",
    "X": "💣✹✺●☼✱✸☀⚙*✲✳☢☠⊛⬤",
    "~": "9ABCDEHKNPRSTUVWYZabdefghikmnrtuwxyz@#&%$+=<>!☺☻♥♦♣♠★☆▲▼◆◇■□◼♔♕♖♗♘♙♚♛♜♝♞♟✕✖✗×",
}
EMOJI = {  # code points; all other emoji are "~"
    "F": ["1f6a9", "1f3f4", "1f3f3-fe0f", "26f3", "1f3c1", "1f38c", "1f4cd"],
    "X": ["1f4a3", "1f4a5", "2620-fe0f", "1f480", "1f9e8", "1f525"],
    "?": ["2753", "2754"],
    **{str(digit): [f"003{digit}-fe0f-20e3"] for digit in range(9)},
}
MANY = ["10", "12", "25", "33", "50", "67", "100", "0.5", "5%", "17%", "42", "99", "88", "Aa", "ok"]


def fonts_below(folder: Path) -> list[str]:
    """Return fonts with ten different digits."""
    kept = []
    for path in sorted(folder.rglob("*.[ot]tf")):
        if not any(word in path.name for word in ("Emoji", "Math", "Symbols", "DSEGWeather")):
            try:
                masks = {looks.text_mask(d, 40, 0.7, str(path)).tobytes() for d in "0123456789?"}
            except (OSError, ValueError):
                continue
            if len(masks) == 11:
                kept.append(str(path))
    return kept


@dataclass(frozen=True)
class Sources:
    """What samples are drawn from: fonts, fonts with signs, and the pictures of emoji by label."""

    fonts: list[str]
    signs: list[str]
    emoji: dict[str, list[Path]]


def emoji_below(folder: Path | None) -> dict[str, list[Path]]:
    """Return the pictures of emoji for each label. Of the other emoji, each ninth is taken."""
    if folder is None:
        return {}
    known = {code: label for label, codes in EMOJI.items() for code in codes}
    found: dict[str, list[Path]] = {}
    for number, path in enumerate(sorted(folder.rglob("*.png"))):
        label = known.get(path.stem, "~")
        if label != "~" or number % 9 == 0:
            found.setdefault(label, []).append(path)
    return found


@cache
def picture_of(path: Path) -> Image.Image:
    """Return an emoji without its transparent rim."""
    picture = Image.open(path).convert("RGBA")
    return picture.crop(picture.getchannel("A").getbbox())


def emoji_layer(path: Path, box: int, height: float) -> tuple[Image.Image, Image.Image]:
    """Return an emoji of this height in the middle of a box: its mask and its colours."""
    picture = picture_of(path)
    scale = box * height / max(picture.size)
    size = max(round(picture.width * scale), 1), max(round(picture.height * scale), 1)
    whole = Image.new("RGBA", (box, box))
    whole.paste(picture.resize(size), ((box - size[0]) // 2, (box - size[1]) // 2))
    return whole.getchannel("A"), whole.convert("RGB")


def layers_of(
    label: str, rng: random.Random, height: float, sources: Sources
) -> list[tuple[Image.Image, object]]:
    """Return a glyph with the label, as layers of 96 times 96 pixels: masks with their paint."""
    box = 96
    fonts, signs = sources.fonts, sources.signs
    colour = tuple(rng.randrange(256) for _ in range(3))
    share = 0.03 if label.isdigit() else 0.3
    if label in sources.emoji and rng.random() < share:
        return [emoji_layer(rng.choice(sources.emoji[label]), box, height)]
    if label == "F" and rng.random() < 0.75:
        return looks.flag_layers(rng, box, height)
    if label == "X" and rng.random() < 0.75:
        return looks.mine_layers(rng, box, height)
    if label in SIGNS:
        if label == "~" and rng.random() < 0.25:
            return [
                (looks.text_mask(rng.choice(MANY), box, height * 0.6, rng.choice(fonts)), colour)
            ]
        text = rng.choice(SIGNS[label])
        font = rng.choice(fonts if text.isascii() else signs)
        return [(looks.text_mask(text, box, height, font), colour)]
    return [(distorted(mask_of(label, rng, height, fonts), rng), colour)]


def mask_of(label: str, rng: random.Random, height: float, fonts: list[str]) -> Image.Image:
    """Return a digit or a question mark."""
    kind = rng.random()
    if kind < 0.72:
        return looks.text_mask(label, 96, height, rng.choice(fonts))
    if kind < 0.78 and label != "?":
        return looks.segment_mask(label, 96, height, rng.uniform(0.1, 0.26))
    table = looks.DOTS if kind < 0.85 else looks.BLOCKS
    return looks.matrix_mask(table[label], 96, height)


def distorted(mask: Image.Image, rng: random.Random) -> Image.Image:
    """Make a glyph bolder, wider or narrower."""
    if rng.random() < 0.3:
        mask = mask.filter(ImageFilter.MaxFilter(rng.choice([3, 5, 7])))
    if rng.random() < 0.4:
        wide = round(mask.width * rng.uniform(0.75, 1.35))
        left = (wide - mask.width) // 2
        mask = mask.resize((wide, mask.height)).crop((left, 0, left + mask.width, mask.height))
    return mask


def tile_of(label: str, rng: random.Random, sources: Sources) -> np.ndarray:
    """Return a tile with such a glyph, as `cut` returns it from a picture."""
    ground = tuple(rng.randrange(256) for _ in range(3))
    cell = rng.choice([12, 14, 15, 16, 16, 17, 18, 20, 22, 24, 28, 32, 40, 48, 60])
    layers = layers_of(label, rng, rng.uniform(max(0.3, 7 / cell), 0.85), sources)
    wide = Image.new("RGB", (cell + 8, cell + 8), ground)
    place = (4 + rng.randrange(-1, 2), 4 + rng.randrange(-1, 2))
    for mask, paint in layers:
        kind = rng.choice(
            [Image.Resampling.BOX, Image.Resampling.BICUBIC, Image.Resampling.LANCZOS]
        )
        if isinstance(paint, Image.Image):
            paint = paint.resize((cell, cell), kind)
        elif max(abs(a - b) for a, b in zip(paint, ground, strict=True)) < 60:
            paint = tuple((value + 128) % 256 for value in paint)
        wide.paste(paint, place, mask.resize((cell, cell), kind))
    if rng.random() < 0.5:
        side = rng.choice([0, cell - 1])
        line = tuple(int(value * 0.7) for value in ground)
        wide.paste(line, (4 + side, 0, 5 + side, cell + 8))
        wide.paste(line, (0, 4 + side, cell + 8, 5 + side))
    wide = harmed(wide, rng, cell)
    shift = [4 + rng.uniform(-0.06, 0.06) * cell for _ in range(2)]
    size = cell * rng.uniform(0.97, 1.03)
    box = (shift[0], shift[1], min(shift[0] + size, wide.width), min(shift[1] + size, wide.height))
    side = 2 * TILE if cell > 1.3 * TILE else TILE
    return np.asarray(wide.resize((side, side), Image.Resampling.BOX, box=box), np.float32)


def harmed(tile: Image.Image, rng: random.Random, cell: int) -> Image.Image:
    if rng.random() < 0.3:
        tile = tile.filter(ImageFilter.GaussianBlur(rng.uniform(0.2, 0.045 * cell)))
    if rng.random() < 0.3:
        data = io.BytesIO()
        tile.save(data, "JPEG", quality=rng.randrange(50, 95))
        tile = Image.open(data).convert("RGB")
    return tile


def samples(count: int, seed: int, sources: Sources) -> Iterator[tuple[np.ndarray, int]]:
    rng = random.Random(seed)
    weights = [3] * 9 + [2, 2, 2, 5]
    while count:
        place = rng.choices(range(len(LABELS)), weights)[0]
        try:
            features, contrast = glyph(tile_of(LABELS[place], rng, sources))
        except (OSError, ValueError):  # the font has no such sign
            continue
        if contrast > 20:
            count -= 1
            yield features, place


def drawn(count: int, seed: int, sources: Sources) -> tuple[np.ndarray, np.ndarray]:
    both = list(samples(count, seed, sources))
    return np.array([each[0] for each in both], np.float32), np.array([each[1] for each in both])


class Network:
    """Layers with rectifiers, trained with Adam on the cross-entropy."""

    def __init__(self, seed: int = 0) -> None:
        rng = np.random.default_rng(seed)
        sizes = (FEATURES, *LAYERS, len(LABELS))
        self.values = []
        for before, after in pairwise(sizes):
            self.values += [rng.normal(0, (2 / before) ** 0.5, (before, after)), np.zeros(after)]
        self.values = [value.astype(np.float32) for value in self.values]
        self.means = [np.zeros_like(value) for value in self.values]
        self.squares = [np.zeros_like(value) for value in self.values]
        self.steps = 0

    def forward(self, inputs: np.ndarray) -> list[np.ndarray]:
        layers = [inputs]
        for matrix, offset in zip(self.values[::2], self.values[1::2], strict=True):
            layers.append(np.maximum(layers[-1] @ matrix + offset, 0))
        layers[-1] = layers[-2] @ self.values[-2] + self.values[-1]
        return layers

    def learn(self, inputs: np.ndarray, labels: np.ndarray, rate: float) -> None:
        layers = self.forward(inputs)
        odds = np.exp(layers[-1] - layers[-1].max(axis=1, keepdims=True))
        delta = odds / odds.sum(axis=1, keepdims=True)
        delta[np.arange(len(labels)), labels] -= 1 - 0.01
        delta -= 0.01 / len(LABELS)
        delta /= len(labels)
        slopes: list[np.ndarray] = []
        for number in range(len(layers) - 2, -1, -1):
            slopes = [layers[number].T @ delta, delta.sum(axis=0), *slopes]
            delta = (delta @ self.values[2 * number].T) * (layers[number] > 0)
        self.steps += 1
        for value, slope, mean, square in zip(
            self.values, slopes, self.means, self.squares, strict=True
        ):
            mean += 0.1 * (slope - mean)
            square += 0.001 * (slope**2 - square)
            step = mean / (1 - 0.9**self.steps) / (np.sqrt(square / (1 - 0.999**self.steps)) + 1e-8)
            value -= rate * (step + (1e-2 * value if value.ndim == 2 else 0))


def centred(features: np.ndarray) -> np.ndarray:
    return np.asarray(features - 0.5 * (np.arange(FEATURES) >= SIZE * SIZE), np.float32)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--fonts", type=Path, default=Path("/usr/share/fonts"))
    parser.add_argument("--emoji", type=Path)
    parser.add_argument("--samples", type=int, default=40_000)
    parser.add_argument("--epochs", type=int, default=30)
    options = parser.parse_args()
    fonts = fonts_below(options.fonts)
    signs = [
        str(p)
        for p in sorted(options.fonts.rglob("*.ttf"))
        if p.name
        in ("Symbola_hint.ttf", "DejaVuSans.ttf", "FreeSans.ttf", "FreeSerif.ttf", "FreeMono.ttf")
    ]
    emoji = emoji_below(options.emoji)
    rng = random.Random(1)
    rng.shuffle(fonts)
    held, used = fonts[: len(fonts) // 10], fonts[len(fonts) // 10 :]
    print(
        f"{len(used)} fonts to learn from, {len(held)} held out, signs from {len(signs)}, "
        f"{sum(map(len, emoji.values()))} emoji",
        flush=True,
    )
    inputs, labels = drawn(options.samples, 1, Sources(used, signs, emoji))
    tests, answers = drawn(options.samples // 10, 2, Sources(held, signs, emoji))
    print("drawn", flush=True)
    inputs, tests = centred(inputs), centred(tests)
    network, order = Network(), np.random.default_rng(3)
    for epoch in range(options.epochs):
        rate = 2e-3 * 0.5 * (1 + np.cos(np.pi * epoch / options.epochs)) + 2e-5
        for batch in np.array_split(order.permutation(len(labels)), len(labels) // 128):
            noise = order.normal(0, 0.04, (len(batch), FEATURES)).astype(np.float32)
            network.learn(inputs[batch] + noise, labels[batch], rate)
    for name, x, y in (("learnt", inputs, labels), ("held out", tests, answers)):
        right = network.forward(x)[-1].argmax(axis=1) == y
        digits = y <= 8
        print(f"{name}: {right.mean():.4f} of all, {right[digits].mean():.4f} of the digits")
    names = {
        f"{'matrix' if n % 2 == 0 else 'offset'}{n // 2}": v.astype(np.float16)
        for n, v in enumerate(network.values)
    }
    np.savez_compressed(WEIGHTS, **names)
    print(f"{WEIGHTS.name}: {WEIGHTS.stat().st_size} bytes")


if __name__ == "__main__":
    main()
