"""Random positions, the same in every run, and an oracle that tries every layout."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from random import Random

import numpy as np
import numpy.typing as npt

from csp_mines.board import CLEAR, EXPLODED, HIDDEN, MARKED, Cell
from csp_mines.geometry import SQUARE

DATA = Path(__file__).parents[1] / "data"
Codes = npt.NDArray[np.int8]

MODELS = ("exact", "optimistic", "cautious")


@dataclass(frozen=True)
class Position:
    codes: Codes
    mines: int  # -1: no total
    odds: float
    model: str


def clues_of(layout: npt.NDArray[np.bool_]) -> Codes:
    """The number of mines around every cell."""
    rows, cols = layout.shape
    padded = np.pad(layout.astype(np.int8), 1)
    shifts = [padded[r : r + rows, c : c + cols] for r in range(3) for c in range(3)]
    return np.sum(shifts, axis=0, dtype=np.int8) - layout.astype(np.int8)


def random_layout(random: Random, rows: int, cols: int, density: float) -> npt.NDArray[np.bool_]:
    cells = [random.random() < density for _ in range(rows * cols)]
    return np.array(cells, dtype=bool).reshape(rows, cols)


def showing(random: Random, model: str, count: int) -> int:
    """What an opened cell shows under a clue model."""
    if model == "optimistic":
        return random.randint(0, count)
    return random.randint(count, 8) if model == "cautious" else count


def small_position(random: Random) -> Position:
    """Up to 5 x 5, at most 12 hidden cells; one in ten contradicts itself."""
    while True:
        rows, cols = random.randint(1, 5), random.randint(1, 5)
        layout = random_layout(random, rows, cols, random.choice([0.1, 0.2, 0.4, 0.7]))
        model = random.choice(MODELS)
        clues = clues_of(layout)
        codes = np.full(layout.shape, HIDDEN, dtype=np.int8)
        for cell in np.ndindex(*layout.shape):
            if random.random() < 0.4:
                continue
            if layout[cell]:
                codes[cell] = random.choice([HIDDEN, HIDDEN, MARKED, EXPLODED])
            else:
                shown = showing(random, model, int(clues[cell]))
                codes[cell] = random.choice([shown] * 8 + [CLEAR, random.randint(0, 8)])
        if np.count_nonzero(codes == HIDDEN) <= 12:
            total = max(0, int(layout.sum()) + random.choice([0] * 8 + [-1, 1]))
            odds = random.choice([1.0, 0.25, 1e-6, 1e5])
            return Position(codes, random.choice([total, -1]), odds, model)


def large_position(random: Random) -> Position:
    """Up to 40 x 40, opened around a start or anywhere, exact clues."""
    rows, cols = random.choice([6, 9, 16, 40]), random.choice([8, 16, 30, 40])
    layout = random_layout(random, rows, cols, random.choice([0.1, 0.15, 0.2, 0.25, 0.4]))
    clues = clues_of(layout)
    codes = np.full(layout.shape, HIDDEN, dtype=np.int8)
    start = random.randrange(rows), random.randrange(cols)
    reach, share = random.choice([(40, 0.9), (40, 0.5), (40, 0.1), (8, 1.0), (20, 0.97)])
    for row, col in np.ndindex(rows, cols):
        if layout[row, col] or max(abs(row - start[0]), abs(col - start[1])) > reach:
            continue
        if random.random() < share:
            codes[row, col] = clues[row, col]
    total = int(layout.sum()) + random.choice([0, 0, 0, -5, 5])
    return Position(codes, random.choice([max(0, min(total, rows * cols)), -1]), 1.0, "exact")


def likelihood(model: str, shown: int, count: int) -> float:
    if model == "optimistic":
        return 1 / (count + 1) if count >= shown else 0.0
    if model == "cautious":
        return 1 / (9 - count) if count <= shown else 0.0
    return float(count == shown)


@dataclass(frozen=True)
class Truth:
    layouts: int
    probabilities: dict[Cell, float]
    safe: frozenset[Cell]
    mines: frozenset[Cell]


def truth(position: Position) -> Truth:
    """By trying every layout."""
    rows, cols = position.codes.shape
    codes = {(r, c): int(position.codes[r, c]) for r in range(rows) for c in range(cols)}
    cells = [cell for cell, code in codes.items() if code == HIDDEN]
    known = {cell for cell, code in codes.items() if code in (MARKED, EXPLODED)}
    clues = [
        (set(SQUARE.neighbours(cell, rows, cols)), code)
        for cell, code in codes.items()
        if code >= 0
    ]
    weights: list[tuple[float, set[Cell]]] = []
    for count in range(len(cells) + 1):
        if position.mines >= 0 and count + len(known) != position.mines:
            continue
        for chosen in map(set, combinations(cells, count)):
            weight = 1.0 if position.mines >= 0 else position.odds**count
            mines = chosen | known
            for around, shown in clues:
                weight *= likelihood(position.model, shown, len(around & mines))
            if weight > 0:
                weights.append((weight, chosen))
    whole = math.fsum(weight for weight, _ in weights)
    return Truth(
        len(weights),
        {c: math.fsum(w for w, chosen in weights if c in chosen) / (whole or 1) for c in cells},
        frozenset(c for c in cells if not any(c in chosen for _, chosen in weights)),
        frozenset(c for c in cells if all(c in chosen for _, chosen in weights)),
    )


def stored_positions(name: str, count: int) -> list[tuple[npt.NDArray[np.int8], int]]:
    """The first boards of a file of tests/data, with their totals."""
    lines = (DATA / f"{name}.jsonl").read_text().splitlines()[:count]
    read = map(json.loads, lines)
    return [
        (np.array([[-1 if c == "?" else int(c) for c in row] for row in record["rows"]], "i1"), m)
        for record in read
        for m in [int(record["mines"])]
    ]
