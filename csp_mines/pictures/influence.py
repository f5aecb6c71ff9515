"""The picture of the chains of influence of a game, drawn on the final board of the game."""

from __future__ import annotations

from csp_mines.arguments import instance
from csp_mines.games.influence import Influence
from csp_mines.pictures.boards import BoardArt, mix
from csp_mines.pictures.canvas import Drawing
from csp_mines.words import plural


def draw_influence(graph: Influence, *, theme: str = "light") -> Drawing:
    """Draw the chains of influence on the final board of a game. The more links the longest chain
    to a cell has, the deeper is the colour of the cell. A path shows one of the longest chains.
    Rings mark the start (cells that the game itself opened) and the guesses (cells that were opened
    or marked without a proof).

    Parameters:
        graph: the Influence that `trace` returned.
        theme: the colours, `light` or `dark`.

    Raises InputError if `graph` is not an Influence, UnknownName for an unknown theme,
    Unsupported for a board that is too large.

    >>> graph = csp_mines.trace(csp_mines.Game.new("beginner", seed=1), "exact")
    >>> csp_mines.draw_influence(graph).to_svg()[:4]
    '<svg'
    """
    links = instance(graph, Influence, "graph").links.values()
    deepest = max((link.depth for link in links), default=0)
    chain = graph.longest_chain
    best = next(iter(graph.unlocked(1)), None)
    captions = [
        f"Colour: number of links in the longest chain to a cell, up to {deepest}.  "
        "Path: a longest chain.",
    ]
    if best is not None:
        captions.append(
            f"Rings: start and guesses.  ({best[0]},{best[1]}) unlocked the most: "
            f"{plural(graph.reach[best], 'cell')}."
        )
    art = BoardArt(graph.board, theme, captions, "Chains of influence")
    fills = {
        link.cell: mix(art.theme.shallow, art.theme.deep, link.depth / max(deepest, 1))
        for link in links
    }
    art.cells(fills, chain)
    for link in links:
        if link.unproved:
            art.ring(link.cell, art.theme.clue)
    return art.drawing
