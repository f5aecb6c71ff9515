"""The pictures of reviews: the curve of the win chance through a game, and trends over many
games."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from csp_mines.arguments import instance
from csp_mines.pictures.boards import MARGIN, Theme, mix, theme_named
from csp_mines.pictures.canvas import Drawing, circle, line, polygon, rectangle, text
from csp_mines.reviews.many import Group, Reviews
from csp_mines.reviews.moves import Fault, Judgement, ReviewedMove
from csp_mines.reviews.review import Review
from csp_mines.sampling import Z95
from csp_mines.words import plural

WIDTH, HEIGHT = 640, 220  # of the plot of one game, in pixels
LEFT, TOP, BELOW = 44, 42, 74
SIGNS = {Fault.BLUNDER: "??", Fault.MISTAKE: "?", Fault.INACCURACY: "?!"}  # as in chess


def draw_review(review: Review, *, theme: str = "light") -> Drawing:
    """Draw the win chance of the reference player through a game.

    At every guess with win chances, a circle (forced guess) or a diamond (needless guess) shows V,
    the chance to win before the guess. A thin line shows the 95 % interval of V if V is an
    estimate. A thick bar leads from V to Q, the chance to win once the cells of the guess are
    opened. A line leads from Q to the V of the next guess or, after the last guess, to the result.
    If the result is unknown, a note replaces this line.

    Parameters:
        review: the Review of a game.
        theme: the colours, `light` or `dark`.

    Raises InputError if `review` is not a Review, UnknownName for an unknown theme.

    >>> game = csp_mines.Game.new("beginner", seed=1)
    >>> csp_mines.draw_review(csp_mines.review(game))
    <Drawing 'Win chance through the game', ...>
    """
    return _Curve(instance(review, Review, "review"), theme_named(theme)).drawing()


class _Curve:
    """A plot of the win chance over the guesses of a game."""

    def __init__(self, review: Review, colours: Theme) -> None:
        self.review = review
        self.colours = colours
        self.art = Drawing(
            LEFT + WIDTH + 2 * MARGIN, TOP + HEIGHT + BELOW, colours.background,
            "Win chance through the game",
        )  # fmt: skip

    def drawing(self) -> Drawing:
        title = f"{self.review.name}: {self.review.text}"
        self._text(LEFT, 18, title, 13, bold=True)
        _frame(self.art, self.colours, TOP, HEIGHT, ("0 %", "50 %", "100 %"))
        for move in self.review.weighed[:: len(self.review.weighed) // 16 + 1]:
            label = str(move.turn)
            self._text(self._x(move), TOP + HEIGHT + 14, label, 11, "middle", faint=True)
        self._text(LEFT + WIDTH, TOP + HEIGHT + 14, "end", 11, "middle", faint=True)
        words = "openings that were guesses"
        self._text(LEFT + WIDTH / 2, TOP + HEIGHT + 32, words, 11, "middle", faint=True)
        self._line()
        for move in self.review.weighed:
            self._mark(move)
        self._legend()
        return self.art

    def _x(self, move: ReviewedMove) -> float:
        weighed = self.review.weighed
        return LEFT + WIDTH * (weighed.index(move) + 1) / (len(weighed) + 1)

    def _y(self, chance: float) -> float:
        return TOP + HEIGHT * (1 - min(max(chance, 0.0), 1.0))

    def _line(self) -> None:
        """Draw the line of the win chance. The line is level up to the V of the first guess. Then
        it leads from the Q of each guess to the V of the next guess, and from the last Q to the
        result. If the result is unknown, write a note in place of the line."""
        review, colours = self.review, self.colours
        if review.start is None or review.result is None:
            note = review.note or "no win chances"
            self._text(LEFT + WIDTH / 2, TOP + HEIGHT / 2, note, 12, "middle", faint=True)
            return
        at = (float(LEFT), self._y(review.start))
        for move in review.weighed:
            assert move.weighed is not None
            here = (self._x(move), self._y(move.weighed.value.value))
            self.art.add(line(at, here, stroke=colours.safe, thick=2))
            at = (here[0], self._y(move.weighed.chance.value))
        end = (float(LEFT + WIDTH), self._y(review.result.value))
        self.art.add(line(at, end, stroke=colours.safe, thick=2))
        self.art.add(circle(*end, 4, fill=colours.ink))

    def _mark(self, move: ReviewedMove) -> None:
        weighed, colours = move.weighed, self.colours
        assert weighed is not None
        x, value, chance = self._x(move), weighed.value, weighed.chance
        reach = Z95 * value.error
        if reach:
            faint = (x, self._y(value.value + reach)), (x, self._y(value.value - reach))
            self.art.add(line(*faint, stroke=colours.faint, thick=1))
        if chance.value != value.value:
            worse = chance.value < value.value
            colour = colours.mine if worse else colours.low
            ends = (x, self._y(value.value)), (x, self._y(chance.value))
            self.art.add(line(*ends, stroke=colour, thick=4))
        y = self._y(value.value)
        self._shape(x, y, move.verdict, colours.mine if move.fault else colours.safe)
        if move.fault is not None:
            above = y - 13 if y > TOP + 20 else y + 15
            sign = text(x, above, 12, SIGNS[move.fault], fill=colours.mine, bold=True)
            self.art.add(sign)

    def _shape(self, x: float, y: float, verdict: Judgement, colour: str) -> None:
        style = {"fill": colour, "stroke": self.colours.background, "thick": 1.0}
        if verdict is Judgement.FORCED:
            self.art.add(circle(x, y, 5, **style))
        else:
            corners = (x, y - 6.5), (x + 6.5, y), (x, y + 6.5), (x - 6.5, y)
            self.art.add(polygon(*corners, **style))

    def _legend(self) -> None:
        y = TOP + HEIGHT + BELOW - 18
        x = float(LEFT)
        for verdict, words in (
            (Judgement.FORCED, "forced guess"),
            (Judgement.NEEDLESS, "needless guess"),
        ):
            self._shape(x + 5, y, verdict, self.colours.safe)
            self._text(x + 16, y, words, 11, faint=True)
            x += 120
        self.art.add(line((x, y), (x + 16, y), stroke=self.colours.mine, thick=4))
        self._text(x + 22, y, "lost:  ?! inaccuracy  ? mistake  ?? blunder", 11, faint=True)

    def _text(
        self,
        x: float,
        y: float,
        words: str,
        size: float,
        anchor: str = "start",
        *,
        bold: bool = False,
        faint: bool = False,
    ) -> None:
        fill = self.colours.faint if faint else self.colours.ink
        self.art.add(text(x, y, size, words, fill=fill, anchor=anchor, bold=bold))


def _frame(art: Drawing, colours: Theme, top: float, height: float, labels: Sequence[str]) -> None:
    """Draw the background of a plot: level lines at equal distances, one for each of the `labels`.
    The first label is at the bottom."""
    art.add(rectangle(LEFT, top, WIDTH, height, fill=colours.open))
    for place, words in enumerate(labels):
        y = top + height * (1 - place / (len(labels) - 1))
        art.add(line((LEFT, y), (LEFT + WIDTH, y), stroke=colours.grid, thick=1))
        art.add(text(LEFT - 6, y, 11, words, fill=colours.faint, anchor="end"))


# The name of a measure, its value for a group of games, and how to write a value.
Measure = tuple[str, Callable[[Group], float | None], Callable[[float], str]]


def _percent(share: float) -> str:
    return f"{100 * share:.0f} %"


MEASURES: tuple[Measure, ...] = (
    ("games won", lambda group: group.won / group.games, _percent),
    ("points lost per game", lambda group: group.lost, lambda lost: f"{100 * lost:.0f}"),
    ("accuracy", lambda group: group.accuracy, _percent),
    ("needless guesses per game", lambda group: group.needless, lambda number: f"{number:.2g}"),
)


def draw_trends(reviews: Reviews, *, theme: str = "light") -> Drawing:
    """Draw the trends of players over time. Four plots show, by month, the share of games won and
    the means of points lost, accuracy and needless guesses. Each plot has one line for each player
    at each level. All games without a date count as one month.

    Parameters:
        reviews: the Reviews that `review_many` returned.
        theme: the colours, `light` or `dark`.

    Raises InputError if `reviews` is not a Reviews, UnknownName for an unknown theme.

    >>> csp_mines.draw_trends(csp_mines.review_many([]))
    <Drawing 'Trends', ...>
    """
    colours = theme_named(theme)
    groups = instance(reviews, Reviews, "reviews").groups()
    months = sorted({_month(group) for group in groups})
    lines = sorted({_name(group) for group in groups})
    hues = {
        name: mix(colours.safe, colours.mine, place / max(len(lines) - 1, 1))
        for place, name in enumerate(lines)
    }
    each = 128
    height = TOP + len(MEASURES) * (each + 34) + 20 * max(len(lines), 1) + MARGIN
    art = Drawing(LEFT + WIDTH + 2 * MARGIN, height, colours.background, "Trends")
    title = f"{plural(len(reviews.rows), 'game')}, by month"
    art.add(text(LEFT, 18, 13, title, fill=colours.ink, anchor="start", bold=True))
    for place, measure in enumerate(MEASURES):
        top = TOP + 18 + place * (each + 34)
        _trend(art, colours, top, each - 18, measure, groups, months, hues)
    for place, (name, colour) in enumerate(hues.items()):
        y = height - MARGIN - 20 * (len(lines) - place) + 8
        art.add(line((LEFT, y), (LEFT + 18, y), stroke=colour, thick=3))
        art.add(text(LEFT + 26, y, 11, ", ".join(name), fill=colours.ink, anchor="start"))
    return art


def _name(group: Group) -> tuple[str, str]:
    """Return the player and the level of a group, each `?` if it is unknown."""
    return group.player or "?", group.level or "?"


def _month(group: Group) -> str:
    return group.month or "no date"


def _trend(
    art: Drawing,
    colours: Theme,
    top: float,
    height: float,
    measure: Measure,
    groups: Sequence[Group],
    months: Sequence[str],
    hues: Mapping[tuple[str, str], str],
) -> None:
    """Draw the plot of one measure, with a line for each player and level in `hues`, which has the
    colours of the lines."""
    name, value_of, spelled = measure
    known = [(group, value) for group in groups if (value := value_of(group)) is not None]
    values = [value for _, value in known]
    shares = spelled is _percent
    most = 1.0 if shares else max([*values, 0.0]) or 1.0
    least = 0.0 if shares else min([*values, 0.0])
    art.add(text(LEFT, top - 10, 11, name, fill=colours.ink, anchor="start"))
    _frame(art, colours, top, height, (spelled(least), spelled(most)))

    def middle(month: int) -> float:
        return LEFT + WIDTH * (month + 0.5) / len(months)

    for wanted, colour in hues.items():
        points = sorted(
            (middle(months.index(_month(group))), top + height * (most - value) / (most - least))
            for group, value in known
            if _name(group) == wanted
        )
        if len(points) > 1:
            art.add(line(*points, stroke=colour, thick=2))
        art.add(*(circle(*point, 3.5, fill=colour) for point in points))
    for number in range(0, len(months), len(months) // 8 + 1):
        x = middle(number)
        art.add(text(x, top + height + 10, 10, months[number], fill=colours.faint))
