"""Pictures of boards, analyses, explanations, conflicts, comparisons and influence graphs.

Every function gives a `Drawing`, to be saved as SVG or PNG. Colours tell blue from orange, never
red from green, and every colour is said by a number, a shape or the caption too.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from csp_mines.analysis.comparison import Comparison, Summary, summed_up
from csp_mines.board import HIDDEN, Board
from csp_mines.pictures.boards import (
    CELL,
    LABELS,
    MARGIN,
    THEMES,
    BoardArt,
    mix,
    theme_named,
    window,
)
from csp_mines.pictures.canvas import Drawing, rectangle, text, text_width

if TYPE_CHECKING:
    from csp_mines.analysis.analyze import Analysis
    from csp_mines.errors import Conflict
    from csp_mines.explanation.explain import Explanation
    from csp_mines.play.influence import Influence

__all__ = [
    "THEMES",
    "draw_analysis",
    "draw_board",
    "draw_comparison",
    "draw_conflict",
    "draw_explanation",
    "draw_influence",
]


def draw_board(board: Board, *, theme: str = "light") -> Drawing:
    """The board as a player sees it. Raises UnknownName, Unsupported for one that is too large."""
    art = BoardArt.of(board, theme, [], f"Board of {board.rows}×{board.cols} cells")
    art.cells()
    return art.drawing


def draw_analysis(found: Analysis, *, theme: str = "light") -> Drawing:
    """The board with the risk of every hidden cell in percent, as number and colour; proved cells
    have a tick or a mine, the suggested move a ring."""
    captions = ["Tick: proved safe.  Mine: proved mine.  Number: risk of a mine in percent."]
    move = found.move
    if move is not None:
        captions.append(f"Ring: safest move, {move.risk:.1%} risk.")
    art = BoardArt.of(found.board, theme, captions, "Risk of a mine at every hidden cell")
    art.cells()
    for cell in found.board.cells(HIDDEN):
        if cell in found.safe or cell in found.mines:
            art.verdict(cell, mine=cell in found.mines)
        else:
            art.risk(cell, float(found.probabilities[cell]))
    if move is not None:
        art.ring(move.cell, art.theme.ink)
    return art.drawing


def draw_explanation(board: Board, one: Explanation, *, theme: str = "light") -> Drawing:
    """The clues that prove a cell, and the argument below; or two layouts that leave it open. Only
    the part of the board that matters is shown."""
    if one.witnesses is not None:
        return _draw_witnesses(board, one, theme)
    if not one.proofs:
        return _draw_verdict(board, one, theme)
    proof = one.proofs[0]
    named = {cell for step in proof.steps for cell in proof.frontier.cells(step.sentence.cells)}
    shown = {*one.cells, *proof.clues}
    if len(named) <= 4 * len(shown) + 8:
        shown |= named
    captions = list(proof.texts)
    if len(captions) > 1:
        captions = [f"{number}. {words}" for number, words in enumerate(captions, start=1)]
    if one.uses_total and board.mines is not None:
        captions.append(f"Uses the total of {board.mines} mines.")
    art = BoardArt.of(board, theme, captions, one.text, window(board, shown))
    art.cells()
    for cell in sorted(named - set(one.cells)):
        art.tint(cell, art.theme.clue)
    for cell in one.cells:
        art.verdict(cell, mine=one.verdict == "mine")
        art.ring(cell, art.theme.mine if one.verdict == "mine" else art.theme.safe)
    for cell in proof.clues:
        art.ring(cell, art.theme.clue)
    return art.drawing


def _draw_verdict(board: Board, one: Explanation, theme: str) -> Drawing:
    """Cells that are proved in no way that can be shown."""
    art = BoardArt.of(board, theme, [one.text], one.text, window(board, one.cells))
    art.cells()
    for cell in one.cells:
        art.verdict(cell, mine=one.verdict == "mine")
    return art.drawing


def _draw_witnesses(board: Board, one: Explanation, theme: str) -> Drawing:
    assert one.witnesses is not None
    near = board.neighbours(one.cell)
    reach = {one.cell, *near, *(further for cell in near for further in board.neighbours(cell))}
    part = window(board, reach)
    captions = [one.text, "Two layouts that fit: with a mine at the ringed cell, and without."]
    wide = (part[3] - part[1]) * CELL + LABELS
    art = BoardArt.of(board, theme, captions, one.text, part, columns=2)
    for mines, shift in ((one.witnesses.with_mine, 0), (one.witnesses.without, 1)):
        art.shift = shift * (wide + 2 * MARGIN)
        art.cells()
        for cell in sorted(mines):
            if board[cell] == HIDDEN and art.shows(cell):
                art.verdict(cell, mine=True)
        art.ring(one.cell, art.theme.clue)
    return art.drawing


def draw_conflict(board: Board, conflict: Conflict, *, theme: str = "light") -> Drawing:
    """The clues that cannot hold together."""
    clues = [cell for cell, _ in conflict.clues]
    text_ = conflict.text[0].upper() + conflict.text[1:] + "."
    art = BoardArt.of(board, theme, [text_], text_, window(board, clues) if clues else None)
    art.cells()
    for cell in clues:
        art.ring(cell, art.theme.mine)
    return art.drawing


def draw_influence(graph: Influence, *, theme: str = "light") -> Drawing:
    """The board at the end of a game. The deeper the colour, the more links lead to a cell; the
    path is the longest chain; rings are openings that nothing proved."""
    deepest = max((link.depth for link in graph.links.values()), default=0)
    chain = graph.longest_chain
    best = next(iter(graph.unlocked(1)), None)
    captions = [
        f"Colour: links from an opening that nothing proved, up to {deepest}.  "
        "Path: a longest chain.",
    ]
    if best is not None:
        captions.append(
            f"Rings: start and guesses.  ({best[0]},{best[1]}) unlocked the most: "
            f"{graph.reach[best]} cells."
        )
    art = BoardArt.of(graph.board, theme, captions, "Chains of influence")
    fills = {
        link.cell: mix(art.theme.shallow, art.theme.deep, link.depth / max(deepest, 1))
        for link in graph.links.values()
    }
    art.cells(fills, chain)
    for link in graph.links.values():
        if link.unproved:
            art.ring(link.cell, art.theme.clue)
    return art.drawing


def draw_comparison(compared: Comparison | Summary, *, theme: str = "light") -> Drawing:
    """A bar for every engine: the share of the certain cells that it finds, on one board or on
    all that a summary adds up."""
    colours = theme_named(theme)
    compared = compared if isinstance(compared, Summary) else summed_up([compared])
    entries = compared.tallies
    name_width = max(text_width(one.backend, 13) for one in entries) + 16
    bars, right = 320, 190
    height = 62 + 28 * len(entries)
    drawing = Drawing(
        MARGIN + name_width + bars + right, height, colours.background, "Engines compared"
    )
    certain = compared.certain
    heading = "Cells proved" if certain is None else f"Proved of the {certain} certain cells"
    heading += " (blue: complete engines)"
    drawing.add(text(MARGIN, 22, 13, heading, fill=colours.ink, anchor="start", bold=True))
    most = certain or max((one.found for one in entries), default=0) or 1
    left = MARGIN + name_width
    for index, one in enumerate(entries):
        middle = 52 + 28 * index
        length = bars * one.found / most
        colour = colours.safe if one.complete else colours.clue
        name = text(left - 8, middle, 13, one.backend, fill=colours.ink, anchor="end")
        drawing.add(name, rectangle(left, middle - 9, bars, 18, 3, fill=colours.open))
        if length:
            drawing.add(rectangle(left, middle - 9, max(length, 4), 18, 3, fill=colour))
        share = f"{one.found}" if certain is None else f"{one.found} ({one.found / most:.0%})"
        drawing.add(
            text(left + bars + 8, middle, 12, share, fill=colours.ink, anchor="start"),
            text(
                left + bars + right - MARGIN, middle, 12, f"{one.seconds * 1000:.1f} ms",
                fill=colours.faint, anchor="end",
            ),
        )  # fmt: skip
    drawing.height += 8
    return drawing
