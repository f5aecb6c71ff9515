"""Sorts the tiles of a board into kinds by their look, and finds which tiles belong to it.

The drawing of a tile is the glyph on it, such as a digit or a flag. The ground is the background of
the drawing. A blank tile has no drawing."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from csp_mines.screenshots.arrays import Box, Flags, Floats, Numbers, widest
from csp_mines.screenshots.clock import Clock
from csp_mines.screenshots.glyphs import LABELS, glyph, names_of
from csp_mines.screenshots.grid import TILE

_BLOCK = 2  # side in pixels of the blocks whose means are compared
_BORDER = 3  # pixels at the border of a tile, where lines and bevels are
_LEAST_DIFFERENCE = 12.0  # a difference of colour (0 to 255) that noise may cause
_LEAST_NOISE = 1.5
_LEAST_STEP = 2.5  # least step between the colours of two kinds that are otherwise alike
_MOST_SPREAD = 0.3  # the colours of a kind differ by at most this share of the step to another kind
_SHARE = 0.38  # a shift by part of a pixel may change a tile by this share of its contrast
_BLANK = 15.0  # a tile with less contrast in its middle shows nothing
_SAME_BORDER = 14.0
_SHIFTED = 1.5  # a difference that is left after a shift is multiplied by this
_LONE = 0.05  # noise may divide kinds: share of the tiles that may be in groups of one or two
_OTHER_SHADE = 6.0  # blank kinds whose colours differ by more get different numbers `border`
_SIMILAR_BORDER = 28.0  # a drawing has the ground of a blank kind if their borders differ by less
_PLAIN = 4.0  # greatest standard deviation of a plain tile, in steps of colour
_FREE_PART = 0.4  # share of each side of a tile that no drawing reaches
_MOST_KINDS = 400
_LIKELY = 0.6  # a digit with a higher probability is likely
_CERTAIN = 0.97  # a digit with a higher probability is certain


@dataclass(frozen=True)
class Kind:
    """Tiles that look alike. `cells` has the numbers of their cells, counted row by row, and `mean`
    is their mean picture.

    `features` describes the drawing on the mean picture, as in `glyphs.glyph`. `blank` is true if
    there is no drawing. Kinds with the same number `border` have similar borders: the lines, the
    bevel and the ground near the sides of a tile. `contested` has those of `cells` whose tile,
    judged alone, probably shows a digit other than the drawing on the mean picture."""

    cells: Numbers
    mean: Floats
    features: Floats
    blank: bool
    border: int
    contested: Numbers


def kinds_of(tiles: Floats, clock: Clock, larger: Floats | None = None) -> list[Kind]:
    """Return the kinds of `tiles`, the commonest kind first. `tiles` is an array of shape (rows,
    cols, TILE, TILE, 3). If `larger` is given, it has the same tiles with more pixels, and the
    drawings are taken from `larger`. Raises PictureTooBusy if the time of `clock` has passed."""
    flat = tiles.reshape(-1, TILE, TILE, 3)
    groups = _groups(flat, clock)
    noise = _noise(flat, groups)
    lone = sum(len(group) for group in groups if len(group) < 3)
    if noise > _LEAST_NOISE and lone > _LONE * len(flat):
        groups = _groups(flat, clock, noise)
    fine = flat if larger is None else larger.reshape(-1, *larger.shape[2:])
    names = _own_names(flat, fine, groups)
    groups = [part for group in groups for part in _by_digit(fine, group, names)]
    groups.sort(key=lambda group: -len(group))
    means = np.array([flat[group].mean(axis=0) for group in groups])
    drawings = np.array([fine[group].mean(axis=0) for group in groups])
    blanks = [
        _is_blank(mean, _BLANK + min(2 * noise / len(group) ** 0.5, _BLANK))
        for mean, group in zip(means, groups, strict=True)
    ]
    borders = _border_groups(means, blanks)
    bases = _bases(means, blanks, borders)
    kinds = []
    for number, (group, base) in enumerate(zip(groups, bases, strict=True)):
        features, _ = glyph(drawings[number], None if base is None else drawings[base])
        contested = group[:0] if blanks[number] else _contested(group, names, features)
        kind = Kind(group, means[number], features, blanks[number], borders[number], contested)
        kinds.append(kind)
    return kinds


def _own_names(flat: Floats, fine: Floats, groups: list[Numbers]) -> Floats:
    """Return for each tile the probabilities of all `LABELS`, judged by this tile alone. All
    probabilities are 0 for a tile of a blank group and for a tile that is alone in its group."""
    drawn = [g for g in groups if len(g) > 1 and not _is_blank(flat[g].mean(axis=0), _BLANK)]
    names = np.zeros((len(flat), len(LABELS)), np.float32)
    if drawn:
        tiles = np.concatenate(drawn)
        names[tiles] = names_of(np.array([glyph(fine[tile])[0] for tile in tiles]))
    return names


def _by_digit(fine: Floats, group: Numbers, names: Floats) -> list[Numbers]:
    """Divide a group in which two or more different digits are certain: return one part for each
    of these digits. Return any other group whole, as the only entry. Small digits differ in few
    pixels, so tiles with different digits may be in one group. `names` is as in `_own_names`."""
    shown = names[group].argmax(axis=1)
    certain = (names[group].max(axis=1) > _CERTAIN) & (shown >= 1) & (shown <= 8)
    found = sorted(set(shown[certain].tolist()))
    if len(found) < 2:
        return [group]
    examples = np.array([fine[group[certain & (shown == digit)]].mean(axis=0) for digit in found])
    far = np.array([np.abs(examples - fine[tile]).mean(axis=(1, 2, 3)) for tile in group])
    nearest = np.where(np.isin(shown, found), shown, np.array(found)[far.argmin(axis=1)])
    return [group[nearest == digit] for digit in found]


def _contested(group: Numbers, names: Floats, features: Floats) -> Numbers:
    """Return the tiles of `group` that, each judged alone, probably show a digit other than the
    drawing with these `features`. `names` is as in `_own_names`."""
    name = int(names_of(features[None])[0].argmax())
    digits = names[group, 1:9]
    other = (digits.max(axis=1) > _LIKELY) & (digits.argmax(axis=1) + 1 != name)
    return np.asarray(group[other])


def _bases(means: Floats, blanks: list[bool], borders: list[int]) -> list[int | None]:
    """Return for each kind the index of the blank kind that shows its ground, or None. A kind with
    a drawing gets the commonest blank kind with the same number in `borders`. If no blank kind has
    this number, the kind gets the blank kind whose border differs least, or None if even this
    border differs by `_SIMILAR_BORDER` or more. A blank kind gets None."""
    empty = [number for number, blank in enumerate(blanks) if blank]
    if not empty:
        return [None] * len(means)
    rings = _rings(means)
    bases: list[int | None] = []
    for number, own in enumerate(rings):
        same = next((other for other in empty if borders[other] == borders[number]), None)
        if same is None:
            far = _apart(rings[empty], own)
            same = empty[int(far.argmin())] if far.min() < _SIMILAR_BORDER else None
        bases.append(None if blanks[number] else same)
    return bases


def _noise(flat: Floats, groups: list[Numbers]) -> float:
    """Return the noise of the picture: how far the tiles of a group differ from their mean, in
    steps of colour. JPEG, for example, causes noise. Return 0 if every group is small."""
    parts = [flat[group[:40], 4:-4, 4:-4] for group in groups[:12] if len(group) >= 5]
    spreads = [np.percentile(np.abs(part - part.mean(axis=0)), 95) for part in parts]
    return float(np.median(spreads)) if spreads else 0.0


def _is_blank(mean: Floats, least: float) -> bool:
    """Whether the middle of the tile `mean` is blank. Apart from a gradient, at most three of its
    pixels differ from the background by `least` steps of colour or more."""
    middle = mean[5:-5, 5:-5]
    steps = np.arange(len(middle))[:, None, None]
    gradient = _slope(middle) * steps, _slope(middle.transpose(1, 0, 2)) * steps.transpose(1, 0, 2)
    middle = middle - gradient[0] - gradient[1]
    rim = np.concatenate([middle[0], middle[-1], middle[:, 0], middle[:, -1]])
    ink = np.abs(middle - np.median(rim, axis=0)).max(axis=-1)
    return bool(np.partition(ink.ravel(), -4)[-4] < least)


def _slope(middle: Floats) -> Floats:
    """Return the mean change of colour from one row to the next."""
    change = middle[-3:].mean(axis=(0, 1)) - middle[:3].mean(axis=(0, 1))
    return np.asarray(change / (len(middle) - 3))


def extent(tiles: Floats, support: Flags, box: Box, clock: Clock) -> Box:
    """Return the bounds of the board in `tiles`: its first row and column, and the row and column
    after its last ones, in the order top, left, bottom, right.

    `box` is a first guess at these bounds. `support` says which tiles have visible edges. A row or
    column belongs to the board if enough of its tiles look like tiles in the middle of `box`.
    Raises PictureTooBusy if the time of `clock` has passed."""
    rows, cols = tiles.shape[:2]
    labels = np.zeros(rows * cols, np.int64)
    flat = tiles.reshape(-1, TILE, TILE, 3)
    for number, group in enumerate(_groups(flat, clock)):
        labels[group] = number
    labels = labels.reshape(rows, cols)
    drawn = _drawn(tiles)
    top, bottom = _grow(labels, drawn, support, (box[0], box[2]), (box[1], box[3]))
    drawn = _drawn(tiles.transpose(0, 1, 3, 2, 4))
    left, right = _grow(labels.T, drawn.T, support.T, (box[1], box[3]), (top, bottom))
    return top, left, bottom, right


def _drawn(tiles: Floats) -> Flags:
    """Return which tiles are not plain. Pixels near the upper and lower side do not count: in a
    tile just above or below the board, they may show the outermost line of the board."""
    between = tiles[:, :, _BORDER:-_BORDER]
    return np.asarray(between.std(axis=(2, 3)).max(axis=-1) > _PLAIN)


def _grow(
    labels: Numbers, drawn: Flags, support: Flags, box: tuple[int, int], other: tuple[int, int]
) -> tuple[int, int]:
    """Return the first row of the board and the row after its last row. `box` is a first guess at
    these two numbers. `other` has the first column of the board and the column after its last one.
    `labels` has the number of the group of each tile."""
    spare = min(3, (box[1] - box[0] - 2) // 3)
    first, last = box[0] + spare, box[1] - spare
    inner = slice(other[0], other[1])
    core = np.unique(labels[first:last, inner])
    known = np.isin(labels[:, inner], core)
    shared = known.mean(axis=1)
    seen = (known & drawn[:, inner]).mean(axis=1)
    edged = support[:, inner].mean(axis=1)
    lines = np.arange(len(labels))
    inside = (lines >= box[0]) & (lines < box[1])
    alike = shared >= 0.95
    beyond = alike | ((shared >= 0.6) & (seen >= 0.3))
    belongs = np.where(inside, shared >= 0.5 - edged / 2, beyond)
    # The outermost row of the board must show something: plain tiles may be the page around the
    # board.
    shows = (np.maximum(seen, edged) >= 0.3) | (alike & (seen > 0))
    first = _reached(belongs[:first][::-1], shows[:first][::-1], first, -1)
    last = _reached(belongs[last:], shows[last:], last, 1)
    return first, last


def _reached(belongs: Flags, shows: Flags, start: int, step: int) -> int:
    """Return the line at which the board ends, counted from the top. The search starts at line
    `start` and goes down if `step` is 1, and up if it is -1. `belongs` and `shows` have an entry
    for each row on the way. The search stops before the first row that does not belong to the
    board. The board ends after the last row on the way that shows something, or at `start` if no
    row does."""
    length = len(belongs) if belongs.all() else int(belongs.argmin())
    seen = np.nonzero(shows[:length])[0]
    return start + step * (int(seen[-1]) + 1 if len(seen) else 0)


def _groups(flat: Floats, clock: Clock, noise: float = 0.0) -> list[Numbers]:
    """Return groups of tiles that look alike, the largest group first. Noise or a small shift may
    explain the differences within a group. After `_MOST_KINDS` groups, each tile that is left is a
    group of its own. Raises PictureTooBusy if the time of `clock` has passed."""
    parts = _Parts(flat, _LEAST_DIFFERENCE + 2.5 * noise)
    left = np.arange(len(flat))
    groups: list[Numbers] = []
    while len(left) and len(groups) < _MOST_KINDS:
        clock.check()
        # The mean of similar tiles is a better example than a single tile.
        group = parts.like(left, left[:1])
        wider = parts.like(left, group)
        group = wider if left[0] in wider else group
        groups.append(group)
        left = np.setdiff1d(left, group, assume_unique=True)
    groups += [left[place : place + 1] for place in range(len(left))]
    groups = [part for group in groups for part in _parted(flat, group)]
    groups.sort(key=lambda group: -len(group))
    return groups


def _parted(flat: Floats, group: Numbers) -> list[Numbers]:
    """Divide a group whose tiles have two colours into two parts. Return any other group whole, as
    the only entry. In some programs, the colours of hidden and opened tiles differ as little as
    colours do because of noise. But noise would also make the tiles within each part differ."""
    colours = flat[group, 5:-5, 5:-5].mean(axis=(1, 2))
    colour = colours[:, int(np.ptp(colours, axis=0).argmax())]
    order = np.argsort(colour)
    steps = np.diff(colour[order])
    if not len(steps) or steps.max() < _LEAST_STEP:
        return [group]
    place = int(steps.argmax()) + 1
    low, high = colour[order[:place]], colour[order[place:]]
    if max(np.ptp(low), np.ptp(high)) > _MOST_SPREAD * steps.max():
        return [group]
    return [np.sort(group[order[:place]]), np.sort(group[order[place:]])]


class _Parts:
    """The colours by which tiles are compared: the mean colours of blocks in the middle, and those
    of the pixels at each distance from each side."""

    def __init__(self, flat: Floats, least: float) -> None:
        size = TILE // _BLOCK
        blocks = flat.reshape(-1, size, _BLOCK, size, _BLOCK, 3).mean(axis=(2, 4))
        middle = blocks[:, 2:-2, 2:-2].reshape(len(flat), -1, 3)
        contrast = (middle.max(axis=1) - middle.min(axis=1)).max(axis=1)
        self.allowed = np.maximum(least, _SHARE * contrast)
        self.middle = middle.reshape(len(flat), -1)
        self.sides = _sides(flat)

    def like(self, among: Numbers, examples: Numbers) -> Numbers:
        """Return the tiles of `among` that differ little from the mean of `examples`. The more
        contrast the first tile of `among` has, the more the middle of a tile may differ."""
        middle = self.middle[examples].mean(axis=0)
        far = np.abs(self.middle[among] - middle).max(axis=1) / self.allowed[among[0]]
        border = _between(self.sides[among], self.sides[examples].mean(axis=0)) / _SAME_BORDER
        return np.asarray(among[(far <= 1) & (border <= 1)])


def _sides(flat: Floats) -> Floats:
    """Return the pixels near the four sides of each tile, averaged along the side, as an array of
    shape (tiles, sides, depth, 3)."""
    return np.asarray(_rings(flat).mean(axis=2))


def _rings(flat: Floats) -> Floats:
    """Return the pixels near the four sides of each tile, as an array of shape (tiles, sides,
    along, depth, 3). The depth counts from the side."""
    along = slice(_BORDER, -_BORDER)
    first, last = slice(_BORDER + 1), slice(None, -_BORDER - 2, -1)
    upright = flat.transpose(0, 2, 1, 3)
    sides = [flat[:, along, first], flat[:, along, last]]
    return np.stack([*sides, upright[:, along, first], upright[:, along, last]], axis=1)


def _between(sides: Floats, other: Floats) -> Floats:
    """Return how much `sides` differ from `other`: the second largest of the differences at the
    four sides. The largest does not count, because a tile at the rim of the board may show the
    frame of the board on one side."""
    return np.asarray(np.sort(_unlike(sides, other), axis=-1)[..., -2])


def _apart(rings: Floats, other: Floats) -> Floats:
    """Return how much the borders `rings` differ from `other`, measured as in `_between`. A drawing
    may reach into a border. So only the share `_FREE_PART` of each side counts, where the border
    differs least."""
    far = np.sort(_unlike(rings, other), axis=-1)
    least = far[..., : round(_FREE_PART * far.shape[-1])].mean(axis=-1)
    return np.asarray(np.sort(least, axis=-1)[..., -2])


def _unlike(sides: Floats, other: Floats) -> Floats:
    """Return the differences of `sides` and `other`, averaged over the depth. The lines between
    tiles are known only to half a pixel. So the sides are also compared after a shift by half a
    pixel, and that difference is multiplied by `_SHIFTED`. The smallest difference counts."""
    outer, other_outer = sides[..., :-1, :], other[..., :-1, :]
    between, other_between = (outer + sides[..., 1:, :]) / 2, (other_outer + other[..., 1:, :]) / 2
    pairs = (outer, other_outer), (between, other_outer), (outer, other_between)
    far = [widest(np.abs(own - its)).mean(axis=-1) for own, its in pairs]
    return np.asarray(np.minimum(far[0], _SHIFTED * np.minimum(far[1], far[2])))


def _border_groups(means: Floats, blanks: list[bool]) -> list[int]:
    """Return for each kind the number of its border. Kinds with similar borders get the same
    number, but blank kinds of different colours do not. Blank kinds get their numbers before the
    other kinds, because no drawing hides their ground."""
    rings = _rings(means)
    grounds = means[:, 5:-5, 5:-5].mean(axis=(1, 2))
    examples: list[int] = []
    numbers = [0] * len(means)
    for place in sorted(range(len(means)), key=lambda kind: not blanks[kind]):
        far = _apart(rings[examples], rings[place]) if examples else np.array([np.inf])
        if blanks[place] and examples:
            far[widest(np.abs(grounds[examples] - grounds[place])) > _OTHER_SHADE] = np.inf
        if far.min() < _SAME_BORDER:
            numbers[place] = int(far.argmin())
        else:
            numbers[place] = len(examples)
            examples.append(place)
    return numbers
