"""Titles: the names under which the page shows engines, agents and grids."""

from __future__ import annotations

TITLES = {
    "single": "One clue at a time",
    "subtraction": "Clues subtracted",
    "subtraction:1": "Two clues together",
    "gauss": "Row reduction",
    "native": "Exact counting",
    "pysat": "SAT solver",
    "cpsat": "CP-SAT",
    "ganak": "Model counter",
    "z3": "Z3",
    "clingo": "Answer sets",
    "highs": "Integer programming",
    "rutgers-baseline": "Beginner: one clue at a time, guesses at random",
    "rutgers-kb": "Subtracts clues, guesses at cells that touch no open cell",
    "rutgers-kb-total": "Subtracts clues, guesses by lowest mean ratio",
    "disarm-basic": "DISARM: one clue at a time, guesses at random",
    "disarm": "DISARM: row reduction",
    "disarm-global": "DISARM: row reduction with the mine count",
    "disarm-select": "DISARM: guesses where most clues are",
    "triple": "Three clues together",
    "triple-total": "Three clues together, stops when it knows all mines",
    "resolution": "Subtracts clues, guesses by lowest maximum ratio",
    "pairwise": "Two clues together, guesses by lowest maximum ratio",
    "exact": "Exact: takes the lowest risk",
    "win": "Champion: plays to win",
    "win:fast": "Champion, fast",
    "win:strong": "Champion, strong",
}

GRID_TITLES = {  # the grids that the page offers by name, in this order
    "square": "Squares",
    "orthogonal": "Squares, 4 around",
    "radius:2": "Squares, 24 around",
    "torus": "Torus",
    "hex": "Hexagons",
}
