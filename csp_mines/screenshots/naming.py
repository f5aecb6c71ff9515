"""Decides what each kind of tile means: hidden, flag, opened mine or number.

A naming gives each kind a role, which stands for a code. The score of a naming has three parts: how
well the roles agree with the look of the tiles, how well they agree with the borders (hidden tiles
have other borders than opened tiles), and how well the cells fit together as a board. The search
returns the naming with the best score among those that it tries. The confidence in the role of a
kind depends on how much lower the score is with the next best role of this kind.

A glyph is the drawing on a tile, and the ground is its background."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, product
from typing import Any

import numpy as np
import numpy.typing as npt

from csp_mines.board import EXPLODED, HIDDEN, MARKED
from csp_mines.screenshots.arrays import Codes, Doubles, Flags, Floats, Numbers
from csp_mines.screenshots.glyphs import FLAG, MINE, OTHER, QUESTION, names_of
from csp_mines.screenshots.tiles import Kind

ROLES = (*range(9), HIDDEN, MARKED, EXPLODED)  # codes of a board; a role is an index in this tuple
_HIDDEN, _MARKED, _EXPLODED = 9, 10, 11
_LEAST = 1e-5
_MISFIT = 1.6  # cost of a number that cannot be true
_BESIDE = 0.6  # cost of a zero beside a hidden cell or a flag
_MOST_MISFITS = 10  # this many faults cost in full; each further fault costs a tenth
_ZERO = 0.1  # gain for a zero without a hidden cell or a flag around it
_MOST_ZEROS = 40
_UNSHOWN = 0.2  # cost of a number without enough mines and flags around it, see `unshown_mines`
_MOST_UNSHOWN = 60
_TWO_ZEROS = 4.0  # cost if some zeros are blank tiles and others are written digits
_SAME_FILL = 6.0  # greatest difference of colour between tiles filled with the same colour
_CROWDED = 60.0  # the cost is this times (share of flags and mines - `_MOST_MINES`), if positive
_IMPOSSIBLE = -15.0  # score of a board without a number from 1 to 8, or with nothing but numbers
_OPENED_ON_HIDDEN = -8.0  # score of a number on a tile with the border of hidden tiles
_HIDDEN_ON_OPENED = -4.0
_MINE_ON_HIDDEN = -1.0
_MOST_FREE_BORDERS = 8
_MOST_DIVISIONS = 6  # number of best divisions whose namings are improved, see `_divisions`
_MOST_CHANGES = 12  # greatest number of changes to one naming, see `improve`
_MOST_MINES = 0.4  # share of cells that may be flags or mines without a cost
_MOST_OPENED_MINES = 0.2  # opened mines are doubtful if they cover a larger share of the cells
_DOUBT = -1.2  # a role with a lower likelihood (as a logarithm) is doubtful
_MOST_DOUBTFUL = 0.04  # share of the cells that doubtful kinds may cover, see `_confused`
_MOST_MARKS = 2  # number of kinds of two cells or more that may be doubtful, see `_confused`
_OTHER_GROUND = 25.0  # least difference of colour between the grounds of hidden and opened tiles
_SAME_GROUND = 5.0  # two grounds whose colours differ by less are the same ground
_SIGNAL = 60.0  # least difference of colour between a blank kind of flags and commoner blank kinds
_CAUTIOUS = 0.85  # greatest confidence in a doubtful kind, see `_cautious`


@dataclass(frozen=True)
class Naming:
    """The codes of all cells, and how well these codes fit."""

    confidence: tuple[float, ...]  # for each kind: how sure its code is, from 0 to 1
    cells: Codes  # the code of each cell
    misfits: Flags  # the cells that do not fit, see `_Search._misfits`
    beside: int  # number of zeros beside a hidden cell or a flag
    alternatives: Mapping[int, list[int]]  # see `_Divided.alternatives`


def violations(cells: Codes) -> tuple[Flags, Flags]:
    """Return two arrays: which cells show a number that cannot be true, and which cells are zeros
    beside a hidden cell or a flag.

    A number cannot be true if it is larger than the count of hidden cells, flags and opened mines
    around it, or smaller than the count of opened mines around it. A zero beside a hidden cell may
    be right: most programs open all cells around a zero, but some open only the four that share an
    edge with it."""
    # Each sum holds two counts: its low 4 bits count the cells that are or may be mines (at most
    # 9), and the higher bits count the opened mines.
    around = _around(_WEIGHTS[cells])
    possible, opened = around & 15, around >> 4
    wrong = (cells >= 0) & ((cells > possible) | (cells < opened))
    return wrong, (cells == 0) & (possible > opened)


def _around(values: npt.NDArray[Any]) -> npt.NDArray[np.int16]:
    """Return for each cell the sum of its own value and the values of the cells around it."""
    padded = np.zeros((values.shape[0] + 2, values.shape[1] + 2), np.int16)
    padded[1:-1, 1:-1] = values
    across = padded[:, :-2] + padded[:, 1:-1] + padded[:, 2:]
    return np.asarray(across[:-2] + across[1:-1] + across[2:])


# The weight of each code: 0 if the cell cannot be a mine, 1 if it may be a mine, 17 if it is an
# opened mine. A code is an index, so negative codes count from the end.
_WEIGHTS = np.zeros(13, np.int16)
_WEIGHTS[[HIDDEN, MARKED, EXPLODED]] = 1, 1, 17


def unshown_mines(cells: Codes) -> int:
    """Return how many cells show a number larger than the count of opened mines and flags around
    the cell. Return 0 if the board has fewer than two opened mines: two of them suggest that the
    game is over and that the program has opened all mines."""
    if (cells == EXPLODED).sum() < 2:
        return 0
    return int((_around((cells == EXPLODED) | (cells == MARKED)) < cells).sum())


def _limited(cost: float, number: int) -> float:
    """Return the cost of `number` faults at `cost` each. Beyond `_MOST_MISFITS`, each further fault
    costs a tenth of `cost`."""
    return cost * (min(number, _MOST_MISFITS) + 0.1 * max(number - _MOST_MISFITS, 0))


def name_kinds(
    kinds: Sequence[Kind], shape: tuple[int, int], fixed: Mapping[int, int] | None = None
) -> Naming:
    """Return the best naming of `kinds`. `shape` is the number of rows and of columns. `fixed` maps
    the indices of kinds that a person has corrected to their codes."""
    return _Search(kinds, shape, fixed or {}).run()


def _on_red(kind: Kind) -> bool:
    """Whether the kind has a drawing on strong red. The mine that ended a game often has this
    ground."""
    red, green, blue = _ground(kind)
    return bool(not kind.blank and red > 150 and red > 2 * max(green, blue))


def _ground(kind: Kind) -> Floats:
    """Return the colour of the ground: the median of eight pixels near the corners."""
    return np.asarray(np.median(kind.mean[[3, 3, -4, -4, 4, 4, -5, -5], [3, -4] * 4], axis=0))


def _middle(kind: Kind) -> Floats:
    """Return the mean colour of the middle of a tile."""
    return np.asarray(kind.mean[6:-6, 6:-6].mean(axis=(0, 1)))


def _has_red(kind: Kind) -> bool:
    """Whether a part of the middle of the tile is red, but less than half of it. Most flags are
    red."""
    middle = kind.mean[4:-4, 4:-4]
    red = middle[..., 0] - middle[..., 1:].max(axis=-1) > 70
    return 0.02 < float(red.mean()) < 0.5


def _are_numbers(roles: Numbers) -> Flags:
    """Return which roles are numbers from 1 to 8."""
    return np.asarray((roles > 0) & (roles < _HIDDEN))


class _Search:
    """The search for the best naming. During the search, a naming is the array `roles` with the
    role of each kind."""

    def __init__(
        self, kinds: Sequence[Kind], shape: tuple[int, int], fixed: Mapping[int, int]
    ) -> None:
        self.kinds = kinds
        self.shape = shape
        self.owner = np.zeros(shape[0] * shape[1], np.int64)
        for number, kind in enumerate(kinds):
            self.owner[kind.cells] = number
        self.together = self._filled_alike()
        named = {number: ROLES.index(code) for number, code in fixed.items()}
        also = {int(n): role for number, role in named.items() for n in self.together[number]}
        self.fixed = also | named
        self.shown = names_of(np.array([kind.features for kind in kinds])).astype(np.float64)
        self.digits = self.shown[:, 1:9].max(axis=1)  # how surely a kind shows a digit from 1 to 8
        self.borders = [kind.border for kind in kinds]
        self.alarming = np.array([_on_red(kind) for kind in kinds])
        self.plain = np.array([self._plain(number) for number in range(len(kinds))])
        self.codes = np.array(ROLES, np.int8)
        self.blank = np.array([kind.blank for kind in kinds])
        self.every = np.arange(len(kinds))
        self.sizes = np.array([len(kind.cells) for kind in kinds])
        self.reddish = np.array([_has_red(kind) for kind in kinds]) & ~self.alarming

    def _plain(self, number: int) -> Doubles:
        """Return the logarithm of the likelihood of each role of kind `number`, judged by the look
        of its tiles without their border. If `fixed` has the kind, only its role there is
        likely."""
        kind, shown = self.kinds[number], self.shown[number]
        odds = np.zeros(len(ROLES))
        if kind.blank:
            odds[[0, _HIDDEN]] = 0.5
            odds[[_MARKED, _EXPLODED]] = 0.003, 0.001
            signal = self._signal(kind)
            if signal is not None:
                odds[[0, _HIDDEN]] = 0.02, 0.15
                odds[list(signal)] = list(signal.values())
        else:
            odds[:9] = shown[:9]
            # Flags have many shapes; question marks have few.
            odds[_MARKED] = shown[FLAG] + 0.35 * shown[OTHER] + 0.03 * shown[QUESTION]
            odds[_EXPLODED] = shown[MINE] + 0.2 * shown[OTHER]
            odds[_HIDDEN] = shown[QUESTION] + 0.08 * shown[OTHER]
            if self.alarming[number]:
                odds[_EXPLODED] += 1 - odds.max()
        if number in self.fixed:
            odds[:] = 0
            odds[self.fixed[number]] = 1
        return np.asarray(np.log(odds + _LEAST))

    def _signal(self, kind: Kind) -> dict[int, float] | None:
        """Return the likelihoods of the roles that a blank kind in a strong colour may have. Some
        programs fill a cell with colour instead of drawing a flag or a mine on it. Return None if
        the colour is weak, if the kind is common, or if the kind may be an ordinary hidden or
        opened tile."""
        middle = _middle(kind)
        if np.ptp(middle) < 120 or len(kind.cells) > 0.2 * len(self.owner):
            return None
        red, green, blue = middle
        if red > 2 * max(green, blue):
            return {_EXPLODED: 0.7, _MARKED: 0.2}
        # The kinds of hidden and opened tiles are blank, too, but have more cells than this kind.
        more = [_middle(k) for k in self.kinds if k.blank and len(k.cells) > len(kind.cells)]
        if any(np.abs(middle - other).max() < _SIGNAL for other in more):
            return None  # the kind differs only in its border, or the board is chequered
        pairs = combinations(more, 2)
        marked = any(np.abs(a - b).max() > _OTHER_GROUND for a, b in pairs)
        return {_MARKED: 0.7} if marked else None

    def _filled_alike(self) -> list[Numbers]:
        """Return for each kind the numbers of all kinds that must have the same role, the kind
        itself included. Blank kinds for which `_signal` returns roles belong together if they have
        the same colour, whatever their borders. Any other kind stands alone."""
        together = [np.array([number]) for number in range(len(self.kinds))]
        filled = [n for n, kind in enumerate(self.kinds) if kind.blank and self._signal(kind)]
        colours = {number: _middle(self.kinds[number]) for number in filled}
        for number in filled:
            near = [n for n in filled if np.abs(colours[n] - colours[number]).max() < _SAME_FILL]
            together[number] = np.array(near)
        return together

    def run(self) -> Naming:
        divided: dict[bytes, _Divided] = {}
        for division in self._divisions():
            each = _Divided(self, self._with_borders(division))
            key = each.roles.tobytes()
            if key not in divided or divided[key].score < each.score:
                divided[key] = each
        best = sorted(divided.values(), key=lambda each: -each.score)[:_MOST_DIVISIONS]
        for each in best:
            each.improve()
        best.sort(key=lambda each: -each.score)
        roles = best[0].roles
        cells = self.cells(roles)
        return Naming(
            tuple(self._cautious(roles, best[0].confidence(best[1:])).tolist()),
            cells,
            self._misfits(cells),
            int(violations(cells)[1].sum()),
            best[0].alternatives(),
        )

    def _cautious(self, roles: Numbers, confidence: Doubles) -> Doubles:
        """Return `confidence` with at most `_CAUTIOUS` for doubtful kinds. Examples of doubtful
        kinds are a rare blank kind with a border of its own, and a rare kind of flag if another
        kind of flag is commoner. If hidden and opened tiles may be confused, all blank kinds are
        doubtful."""
        lone = np.array([self.borders.count(border) == 1 for border in self.borders])
        flags = self.sizes[roles == _MARKED].max(initial=0)
        odd = (self.sizes < 5) & self.blank & lone
        odd |= (self.sizes < 3) & (roles == _MARKED) & (flags >= 3)
        odd |= self.blank & (self.shown[:, FLAG] > 0.5)  # a flag that can hardly be seen
        marked = (roles == _HIDDEN) | (roles == _MARKED)
        odd |= marked & ~self.blank & (self.digits > 0.5)
        mines = roles == _EXPLODED
        if self.sizes[mines].sum() > _MOST_OPENED_MINES * len(self.owner):
            odd |= mines
        doubtful = (self.plain[self.every, roles] < _DOUBT) & ~self.blank
        opened = (roles < _HIDDEN) | mines
        odd |= doubtful & opened
        odd |= mines & ~self.blank & ~self.alarming & (self.shown[:, MINE] < 0.5)
        if self._confused(roles, doubtful & opened, doubtful & ~opened):
            odd |= self.blank
        if not (roles[self.blank] == 0).any():
            odd |= self._on_hidden_ground(roles)
        return np.where(odd, np.minimum(confidence, _CAUTIOUS), confidence)

    def _confused(self, roles: Numbers, opened: Flags, marks: Flags) -> bool:
        """Whether hidden and opened tiles may be confused. `opened` says which doubtful kinds are
        read as opened tiles. `marks` says which doubtful kinds are read as flags or question marks.
        One of three conditions is enough:
        * the kinds in `opened`, and those in `marks` that look like digits, together cover more
          than the share `_MOST_DOUBTFUL` of the cells;
        * the kinds in `marks` cover more cells than the numbers from 1 to 8 that look like digits;
        * more than `_MOST_MARKS` kinds in `marks` have two cells or more."""
        digits = self.digits > 0.8
        numbers = _are_numbers(roles) & digits
        many = self.sizes[opened | (marks & digits)].sum() > _MOST_DOUBTFUL * len(self.owner)
        repeated = int((marks & (self.sizes > 1)).sum())
        more = self.sizes[marks].sum() > self.sizes[numbers].sum()
        return bool(many or more or repeated > _MOST_MARKS)

    def _on_hidden_ground(self, roles: Numbers) -> Flags:
        """Return which kinds are numbers from 1 to 8 with the ground and the border of a blank
        hidden kind. A table with some numbers in it has such kinds. In a game, opened tiles do not
        look like hidden tiles."""
        grounds = np.array([_ground(kind) for kind in self.kinds])
        borders = np.array(self.borders)
        hidden = np.nonzero(self.blank & (roles == _HIDDEN))[0]
        numbers = _are_numbers(roles)
        alike = np.zeros(len(roles), bool)
        for number in hidden.tolist():
            far = np.abs(grounds - _middle(self.kinds[number])).max(axis=1)
            alike |= numbers & (far < _SAME_GROUND) & (borders == borders[number])
        return alike

    def cells(self, roles: Numbers) -> Codes:
        return self.codes[roles[self.owner]].reshape(self.shape)

    def _misfits(self, cells: Codes) -> Flags:
        """Return which cells do not fit. A number that cannot be true does not fit. A zero beside a
        hidden cell or a flag does not fit if the same holds for most cells of its kind."""
        misfits, beside = violations(cells)
        for kind in self.kinds:
            if beside.ravel()[kind.cells].mean() > 0.5:
                misfits.ravel()[kind.cells] |= beside.ravel()[kind.cells]
        return misfits

    def fit(self, roles: Numbers) -> float:
        """Return a score that says how well the cells fit together. This score can be added to
        logarithms of likelihoods."""
        cells = self.cells(roles)
        misfits, beside = (int(wrong.sum()) for wrong in violations(cells))
        possible = (cells > 0).any() and (cells < 0).any()
        # A wrong naming has few zeros without a hidden cell or a flag around them.
        zeros = int((cells == 0).sum()) - beside
        return (
            (0.0 if possible else _IMPOSSIBLE)
            - _limited(_MISFIT, misfits)
            - _limited(_BESIDE, beside)
            + _ZERO * min(zeros, _MOST_ZEROS)
            - _UNSHOWN * min(unshown_mines(cells), _MOST_UNSHOWN)
            - _TWO_ZEROS * bool((roles[self.blank] == 0).any() and (roles[~self.blank] == 0).any())
            - _CROWDED * max(float((cells <= MARKED).mean()) - _MOST_MINES, 0)
        )

    def _divisions(self) -> Iterator[dict[int, bool]]:
        """Yield divisions of the borders into those of hidden tiles (True) and those of opened
        tiles (False). The `_MOST_FREE_BORDERS` commonest borders get every combination of True and
        False. The look of the tiles decides about any other border."""
        sizes: dict[int, int] = {}
        for kind in self.kinds:
            sizes[kind.border] = sizes.get(kind.border, 0) + len(kind.cells)
        common = sorted(sizes, key=lambda border: -sizes[border])[:_MOST_FREE_BORDERS]
        rest = {border: self._looks_hidden(border) for border in sizes if border not in common}
        for choice in product((True, False), repeat=len(common)):
            yield dict(zip(common, choice, strict=True)) | rest

    def _looks_hidden(self, border: int) -> bool:
        own = [n for n, kind in enumerate(self.kinds) if kind.border == border]
        digits = self.plain[own, :9].max(axis=1)
        others = self.plain[own, 9:].max(axis=1)
        return bool((others - digits).sum() > 0)

    def _with_borders(self, division: Mapping[int, bool]) -> Doubles:
        """Return the logarithm of the likelihood of each role of each kind, given a division of the
        borders."""
        hidden = np.array([division[border] for border in self.borders])
        result = self.plain.copy()
        result[hidden, :9] += _OPENED_ON_HIDDEN
        result[~hidden, 9:11] += _HIDDEN_ON_OPENED
        result[hidden & ~self.blank, _EXPLODED] += _MINE_ON_HIDDEN
        # On hidden tiles, a drawing that the classifier does not know is a flag or question mark.
        drawn = hidden & ~self.blank
        clearly = -4.0 * self.shown[:, :9].max(axis=1)
        rare = np.where(self.sizes < 4, 1.0, 0.0)
        for role, least in ((_HIDDEN, -3.0 + rare), (_MARKED, -2.5 - rare)):
            likely = np.maximum(result[:, role], least + clearly)
            result[:, role] = np.where(drawn, likely, result[:, role])
        result[drawn & self.reddish, _MARKED] += 1.5
        for number, role in self.fixed.items():
            result[number] = np.log(_LEAST)
            result[number, role] = 0
        return result


class _Divided:
    """The search with one division of the borders into those of hidden and those of opened tiles.
    `likely` has the logarithm of the likelihood of each role of each kind, given this division.
    `roles` is the best naming so far."""

    def __init__(self, search: _Search, likely: Doubles) -> None:
        self.search, self.likely, self.roles = search, likely, likely.argmax(axis=1)
        self.fitting = search.fit(self.roles)

    @property
    def score(self) -> float:
        return float(self.likely[self.search.every, self.roles].sum()) + self.fitting

    def improve(self) -> None:
        """Change the role of one kind at a time, together with the kinds that must have the same
        role. Stop when no change makes the naming better, or after `_MOST_CHANGES` changes."""
        for _ in range(_MOST_CHANGES):
            # To save time, only losses that a fit of 0 would make up for are tried.
            for number, role, loss in self._changes(-self.fitting):
                gain = self._fit_with(number, role) - self.fitting
                if gain > loss + 1e-6:
                    self.roles[self.search.together[number]] = role
                    self.fitting += gain
                    break
            else:
                return

    def _changes(self, most: float) -> list[tuple[int, int, float]]:
        """Return every possible change with a loss below `most`, the least loss first. A change
        gives one kind another role: it has the number of the kind, the new role, and the loss. The
        loss says by how much the change lowers the logarithm of the likelihood of the kind's role.
        Kinds that must have the same role change together, so the largest of their losses counts.
        Kinds in `fixed` never change."""
        loss = self.likely[self.search.every, self.roles][:, None] - self.likely
        loss = np.array([loss[kinds].max(axis=0) for kinds in self.search.together])
        loss[self.search.every, self.roles] = np.inf
        loss[list(self.search.fixed)] = np.inf
        numbers, roles = np.nonzero(loss < most)
        order = np.argsort(loss[numbers, roles], kind="stable")
        return [(int(numbers[n]), int(roles[n]), float(loss[numbers[n], roles[n]])) for n in order]

    def _fit_with(self, number: int, role: int) -> float:
        roles = self.roles.copy()
        roles[self.search.together[number]] = role
        return self.search.fit(roles)

    def alternatives(self) -> dict[int, list[int]]:
        """Return a dictionary from the number of a kind to other codes that the kind may have. A
        code is listed if, judged by the look and the border of the tiles, the kind's own code is
        less than e^7 (about 1,100) times as likely. Kinds without such a code are left out."""
        result: dict[int, list[int]] = {}
        for number, role, _ in self._changes(7.0):
            result.setdefault(number, []).append(ROLES[role])
        return result

    def confidence(self, others: Sequence[_Divided]) -> Doubles:
        """Return for each kind the probability of its role, as if only this role and the next best
        role were possible. The namings of `others`, the other divisions, count, too."""
        lead = np.full(len(self.roles), 12.0)
        for number, role, loss in self._changes(12.0):
            if loss < lead[number]:
                loss += self.fitting - self._fit_with(number, role)
                lead[number] = min(lead[number], loss)
        for other in others:
            differs = other.roles != self.roles
            lead[differs] = np.minimum(lead[differs], self.score - other.score)
        return np.asarray(1 / (1 + np.exp(-lead)))
