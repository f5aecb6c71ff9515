"""Measure how long the kernel takes on every grid: expert boards (16×30) in mid-game.

    python benchmarks/grid_speed.py [GAMES]

Prints the median and the slowest position in milliseconds of processor time, the median compared
with the square grid, and no-guess games made in a second of processor time. A graph with the
neighbours of the square grid shows what the table of neighbours itself costs.
"""

from __future__ import annotations

import json
import statistics
import sys
from time import process_time

import numpy as np

import csp_mines
from csp_mines.generation.noguess import sample
from csp_mines.generation.wishes import Wish
from csp_mines.geometry import SQUARE, Geometry
from csp_mines.grids import as_geometry

ROWS, COLS = 16, 30
REPEAT = 20  # calls for one position, of which the fastest counts


def square_graph() -> Geometry:
    """Return the square grid as a graph."""
    names = [f"{row}/{col}" for row in range(ROWS) for col in range(COLS)]
    pairs = [
        [names[row * COLS + col], names[near[0] * COLS + near[1]]]
        for row in range(ROWS)
        for col in range(COLS)
        for near in SQUARE.neighbours((row, col), ROWS, COLS)
    ]
    return as_geometry("graph " + json.dumps({"cells": names, "edges": pairs, "rows": ROWS}))


def dense_graph() -> Geometry:
    """Return a graph in which every cell has about 12 neighbours: those of the square grid, and the
    cells two columns away."""
    names = [f"{row}/{col}" for row in range(ROWS) for col in range(COLS)]
    steps = ((0, 1), (1, -1), (1, 0), (1, 1), (0, 2), (2, 0))
    pairs = [
        [names[row * COLS + col], names[(row + down) * COLS + col + right]]
        for row in range(ROWS)
        for col in range(COLS)
        for down, right in steps
        if row + down < ROWS and 0 <= col + right < COLS
    ]
    return as_geometry("graph " + json.dumps({"cells": names, "edges": pairs, "rows": ROWS}))


def middle(spec: csp_mines.Spec, seed: int) -> csp_mines.Board:
    """Return the board of a game of `exact` when half of the safe cells are open, or its last
    board."""
    game = csp_mines.Game(spec, csp_mines.Rules(start="zero"), seed, first=(8, 15))
    boards = [game.board]

    def watch(step: csp_mines.Step) -> None:
        if (boards[-1].codes >= 0).sum() < (spec.cells - spec.mines) / 2:
            boards.append(step.board)

    csp_mines.play(game, "exact", seed, watch=watch)
    return boards[-1]


def milliseconds(board: csp_mines.Board) -> float:
    """Return the processor time of the fastest of some analyses of a board."""
    question = board.with_codes(np.array(board.codes))
    times = []
    for _ in range(REPEAT):
        begin = process_time()
        assert csp_mines.analyze(question).probabilities is not None
        times.append(process_time() - begin)
    return 1000 * min(times)


def main() -> None:
    games = int(sys.argv[1]) if len(sys.argv) > 1 else 40
    grids = [
        ("square", SQUARE, 99),
        ("graph of the square grid", square_graph(), 99),
        *((name, as_geometry(name), 99) for name in ("orthogonal", "torus", "hex")),
        ("graph with 12 neighbours", dense_graph(), 70),
        ("radius:2", as_geometry("radius:2"), 40),
    ]
    head = (
        "grid",
        "mines",
        "median, ms",
        "slowest, ms",
        "median, of square",
        "no-guess games a second",
    )
    print(f"| {' | '.join(head)} |")
    print("|---|--:|--:|--:|--:|--:|")
    square = 0.0
    for name, geometry, mines in grids:
        spec = csp_mines.Spec(ROWS, COLS, mines, geometry)
        times = [milliseconds(middle(spec, seed)) for seed in range(games)]
        median = statistics.median(times)
        square = square or median
        made = sample(Wish(spec, (8, 15)))
        pace = f"{made.matches / made.seconds:,.0f}" if made.matches else "none in the sample"
        cells = (name, mines, f"{median:.3f}", f"{max(times):.2f}", f"{median / square:.1f}", pace)
        print(f"| {' | '.join(map(str, cells))} |", flush=True)


if __name__ == "__main__":
    main()
