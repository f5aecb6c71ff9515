"""`csp-mines influence`: which openings of a game made later openings possible, as a table and a
picture."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from csp_mines import defaults
from csp_mines.cli import files, gameplay, options
from csp_mines.cli.console import out, show_json
from csp_mines.cli.groups import option
from csp_mines.words import plural, tallied

if TYPE_CHECKING:
    from rich.table import Table

    from csp_mines.games.influence import Influence


def influence(
    agent: gameplay.OneAgent = defaults.AGENT,
    *,
    layout: gameplay.Played,
    start: gameplay.Start = "zero",
    flood: gameplay.Flood = True,
    top: Annotated[int, option("Number of openings to list.", min=1)] = 10,
    drawn: options.Drawn,
    seed: options.Seed = 0,
    json: options.Json = False,
) -> None:
    """Play a game and show its chains of influence: which openings helped to prove which cells.

    csp-mines influence --level expert --seed 11 --picture game.svg

    A link leads from a clue to a cell that the clue helped to prove, or from a 0 to a cell that its
    flood opened. The reach of an opening is the number of cells that follow from it, directly or
    through other cells.
    """
    from csp_mines import Rules, trace
    from csp_mines.games.own_agents import as_agent

    files.keep_input("--picture", drawn.picture, layout.board)
    game = layout.game(Rules(start=start, flood=flood), seed)
    player = as_agent(agent)
    gameplay.tell_lowest_risk(player)
    graph = trace(game, player, seed)
    if drawn.picture is not None:
        from csp_mines.pictures.influence import draw_influence

        draw_influence(graph, theme=drawn.theme).save(drawn.picture)
    if json:
        show_json(graph.to_json())
    else:
        out().print(_summary(graph))
        out().print(_table(graph, top))


def _summary(graph: Influence) -> str:
    longest = max(len(graph.longest_chain) - 1, 0)
    reasoning = max((link.reasoning for link in graph.links.values()), default=0)
    return (
        f"{'won' if graph.won else 'lost'}: {tallied(graph.counts)}\n"
        f"longest chain: {plural(longest, 'link')}; most proofs in one chain: {reasoning}; "
        f"mean links before a cell: {graph.mean_depth:.1f}\n"
        f"chain: {_chain(graph)}"
    )


def _chain(graph: Influence) -> str:
    cells = list(map(graph.board.geometry.label, graph.longest_chain))
    if len(cells) > 12:
        cells = [*cells[:6], "…", *cells[-5:]]
    return " → ".join(cells)


def _table(graph: Influence, top: int) -> Table:
    from rich.table import Table

    from csp_mines.formats import SYMBOLS

    table = Table(title="Openings with the largest reach")
    for name in ("cell", "how", "clue", "helped directly", "reach", "links before"):
        table.add_column(name, justify="left" if name in ("cell", "how") else "right")
    for cell in graph.unlocked(top):
        link = graph.links[cell]
        table.add_row(
            graph.board.geometry.label(cell),
            link.how,
            SYMBOLS[graph.board[cell]],
            str(len(graph.helped.get(cell, ()))),
            str(graph.reach[cell]),
            str(link.depth),
        )
    return table
