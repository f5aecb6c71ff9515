"""Measure the length of chains of influence, by density and by how much the mines cluster.

The agent deduces with a complete engine, and otherwise opens the cell of lowest risk. It does not
know the total, so no proof uses the number of mines. Every game goes on until the whole board is
open: an opened mine costs that mine and the game goes on. So no lost game cuts a chain short. The
agent treats all layouts that fit as equally likely; a cell without any clue has a risk of 1/2.

    python examples/influence_study.py --games 30 --plot docs/pictures/influence-study.svg
"""

from __future__ import annotations

import argparse
import random
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from csp_mines.errors import CspMinesError
from csp_mines.games.agents import Agent
from csp_mines.games.game import Game, Layout, Rules
from csp_mines.games.influence import Influence, trace
from csp_mines.geometry import SQUARE
from csp_mines.pictures.curves import check_plot
from csp_mines.sampling import Z95
from csp_mines.simulation.statistics import mean

DENSITIES = (0.05, 0.10, 0.15, 0.20, 0.25)
CLUSTERINGS = (0.0, 0.5, 0.9)
STYLES: tuple[dict[str, str], ...] = (
    {"color": "#0072b2", "marker": "o"},
    {"color": "#e69f00", "marker": "s", "linestyle": "--"},
    {"color": "#333333", "marker": "^", "linestyle": ":"},
)
PLAYER = Agent("study", ("single", "native"), "lowest-risk")
RULES = Rules(rules="sweep", start="safe", told_total=False)


def clustered(side: int, mines: int, clustering: float, seed: str) -> Layout:
    """A layout in which each mine is put next to an earlier one with probability `clustering`,
    and anywhere otherwise."""
    rng = random.Random(seed)
    cells = [(row, col) for row in range(side) for col in range(side)]
    placed: set[tuple[int, int]] = set()
    while len(placed) < mines:
        free = [cell for cell in cells if cell not in placed]
        near = {cell for mine in placed for cell in SQUARE.neighbours(mine, side, side)} - placed
        if near and rng.random() < clustering:
            free = sorted(near)
        placed.add(rng.choice(free))
    grid = np.zeros((side, side), bool)
    grid[tuple(zip(*placed, strict=True))] = True
    return Layout(grid)


@dataclass(frozen=True)
class Row:
    """The results of the games of one setting: links of the longest chain, and openings without a
    proof."""

    clustering: float
    density: float
    chains: list[int]
    unproved: list[int]


def play(side: int, clustering: float, density: float, game: int) -> Influence:
    seed = f"{clustering} {density} {game}"
    layout = clustered(side, round(density * side * side), clustering, seed)
    return trace(Game(layout, RULES, seed), PLAYER, seed)


def study(side: int, games: int) -> Iterator[Row]:
    for clustering in CLUSTERINGS:
        for density in DENSITIES:
            graphs = [play(side, clustering, density, game) for game in range(games)]
            yield Row(
                clustering,
                density,
                [len(graph.longest_chain) - 1 for graph in graphs],
                [sum(link.unproved for link in graph.links.values()) for graph in graphs],
            )


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--games", type=int, default=30, help="games for each setting")
    parser.add_argument("--side", type=int, default=16, help="rows and columns")
    parser.add_argument("--plot", type=Path, help="draw the curves there, as .png or .svg")
    arguments = parser.parse_args()
    if arguments.plot is not None:
        try:
            check_plot(arguments.plot)  # fails before the long computation
        except CspMinesError as error:
            parser.exit(2, f"{error}\n")
    rows = []
    print("| clustering | density | longest chain (links) | unproved openings |")
    print("|---|---|---|---|")
    for row in study(arguments.side, arguments.games):
        rows.append(row)
        print(
            f"| {row.clustering:.1f} | {row.density:.0%} | {mean(row.chains).value:.1f} "
            f"| {mean(row.unproved).value:.1f} |",
            flush=True,
        )
    if arguments.plot is not None:
        draw(rows, arguments.plot)


def draw(rows: list[Row], path: Path) -> None:
    """Draws two panels over the density: a curve for each clustering, bars for 95 % intervals."""
    import matplotlib
    from matplotlib.figure import Figure

    settings: dict[Any, Any] = {"svg.hashsalt": "csp-mines", "svg.fonttype": "none", "font.size": 9}
    with matplotlib.rc_context(settings):
        figure = Figure(figsize=(8.4, 3.6), layout="constrained")
        panels = figure.subplots(1, 2)
        for panel, name, title in zip(
            panels,
            ("chains", "unproved"),
            ("links of the longest chain", "openings that nothing proved"),
            strict=True,
        ):
            for clustering, style in zip(CLUSTERINGS, STYLES, strict=True):
                chosen = [row for row in rows if row.clustering == clustering]
                means = [mean(getattr(row, name)) for row in chosen]
                panel.errorbar(
                    [row.density for row in chosen],
                    [estimate.value for estimate in means],
                    yerr=[Z95 * estimate.error for estimate in means],
                    label=f"clustering {clustering:g}",
                    capsize=3,
                    markersize=5,
                    **style,
                )
            panel.set(xlabel="mine density", title=title, ylim=(0, None))
            panel.grid(alpha=0.3)
        panels[0].legend(loc="lower right")
        figure.savefig(path, metadata={"Date": None} if path.suffix == ".svg" else None)


if __name__ == "__main__":
    main()
