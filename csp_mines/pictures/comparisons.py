"""The picture of a comparison of engines: a bar for the cells that each engine proves, and its
time."""

from __future__ import annotations

from csp_mines.analysis.comparison import Comparison, Summary, summed_up
from csp_mines.arguments import instance
from csp_mines.pictures.boards import MARGIN, theme_named
from csp_mines.pictures.canvas import Drawing, rectangle, text, text_width
from csp_mines.words import plural


def draw_comparison(compared: Comparison | Summary, *, theme: str = "light") -> Drawing:
    """Draw a bar for every engine: the number of cells that the engine proves. A full bar stands
    for all certain cells or, if their number is unknown, for the most cells that one of the engines
    proves. The number and the time of the engine stand beside the bar.

    Parameters:
        compared: the `Comparison` of one board, or the `Summary` of several boards.
        theme: the colours, `light` or `dark`.

    Raises InputError if `compared` is neither a Comparison nor a Summary, UnknownName for an
    unknown theme.

    >>> comparison = csp_mines.compare([[-1, 1, -1]], ["single", "native"])
    >>> csp_mines.draw_comparison(comparison).to_svg()[:4]
    '<svg'
    """
    colours = theme_named(theme)
    if not isinstance(compared, Summary):
        compared = summed_up([instance(compared, Comparison, "compared")])
    entries = compared.tallies
    name_width = max(text_width(entry.backend, 13) for entry in entries) + 16
    bars, right = 320, 190
    height = 62 + 28 * len(entries)
    drawing = Drawing(
        MARGIN + name_width + bars + right, height, colours.background, "Engines compared"
    )
    certain = compared.certain
    heading = "Cells proved"
    if certain is not None:
        heading = f"Proved of the {plural(certain, 'certain cell')}"
    heading += " (blue: complete engines)"
    drawing.add(text(MARGIN, 22, 13, heading, fill=colours.ink, anchor="start", bold=True))
    most = certain or max((entry.proved for entry in entries), default=0) or 1
    left = MARGIN + name_width
    for index, entry in enumerate(entries):
        middle = 52 + 28 * index
        length = bars * entry.proved / most
        colour = colours.safe if entry.complete else colours.clue
        name = text(left - 8, middle, 13, entry.backend, fill=colours.ink, anchor="end")
        drawing.add(name, rectangle(left, middle - 9, bars, 18, 3, fill=colours.open))
        if length:
            drawing.add(rectangle(left, middle - 9, max(length, 4), 18, 3, fill=colour))
        share = (
            f"{entry.proved}" if certain is None else f"{entry.proved} ({entry.proved / most:.0%})"
        )
        drawing.add(
            text(left + bars + 8, middle, 12, share, fill=colours.ink, anchor="start"),
            text(
                left + bars + right - MARGIN, middle, 12, f"{entry.seconds * 1000:.1f} ms",
                fill=colours.faint, anchor="end",
            ),
        )  # fmt: skip
    drawing.height += 8
    return drawing
