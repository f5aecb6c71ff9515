"""The problems of the suite: random ones that reveal faults of engines, and one that no engine
finishes.

The random problems have so few cells that brute force can solve them. They depend only on the
argument `random`, so that a run can be repeated."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import combinations
from random import Random

import numpy as np

from csp_mines.board import HIDDEN
from csp_mines.constraints import Constraint, Frontier, Problem

WEIGHTS = (
    (1, 2, 3, 5, 7),
    (0, 1, 1, 2520),
    (1, 2**63, 2**64 - 1, 2**64, 10**40),
)


def some_weights(random: Random, cells: int) -> tuple[int, ...] | None:
    """Return None half of the time, otherwise weights for a constraint over `cells` cells. The
    weights are drawn from one of the three tuples in WEIGHTS."""
    if random.random() < 0.5:
        return None
    return tuple(random.choices(random.choice(WEIGHTS), k=cells + 1))


def some_constraint(random: Random, cells: Sequence[int], mines: set[int]) -> Constraint:
    """Return a constraint over some of the cells, perhaps over none. The layout with
    the mines `mines` usually fits the constraint."""
    inside = tuple(sorted(random.sample(cells, random.randint(0, min(len(cells), 6)))))
    number = len(mines.intersection(inside))
    low, high = number, number
    if random.random() < 0.6:
        low, high = number - random.randint(0, 3), number + random.randint(0, 3)
    elif random.random() < 0.1:
        low, high = random.randint(-1, len(inside) + 1), random.randint(-1, len(inside) + 1)
    return Constraint(inside, low, high, some_weights(random, len(inside)))


def planted_problem(random: Random) -> Problem:
    """Draw a random layout, and return a problem that this layout usually fits. The problem may
    have several regions, constraints that occur twice and a sea. Its total may be unknown, right or
    wrong."""
    cells = sorted(random.sample(range(-3, 40), random.randint(0, 11)))
    sea = tuple(cells.pop() for _ in range(min(len(cells), random.choice([0, 0, 1, 3]))))
    density = random.choice([0, 0.3, 0.5, 0.7, 1])
    mines = {cell for cell in (*cells, *sea) if random.random() < density}
    pieces = random.choice([1, 1, 2, 3])
    told = [
        some_constraint(random, cells[number % pieces :: pieces], mines)
        for number in range(random.randint(0, 7))
    ]
    told += random.choices(told, k=random.choice([0, 0, 1, 2])) if told else []
    touched = {cell for constraint in told for cell in constraint.cells}
    sea += tuple(cell for cell in cells if cell not in touched)
    total = random.choice([None, None, len(mines), len(mines), random.randint(-1, 11)])
    odds = Fraction(random.randint(1, 5), random.randint(1, 5))
    return Problem.trusted(tuple(told), sea, total, odds)


def subset_problem(random: Random) -> Problem:
    """Return a problem with up to 64 constraints over at most 7 cells. In this problem, an
    engine that counts cell by cell has far more unfinished constraints at a time than in the
    problem of a board."""
    count, least = random.randint(4, 7), random.randint(1, 4)
    mines = {cell for cell in range(count) if random.random() < 0.5}
    subsets = [
        inside for size in range(least, count + 1) for inside in combinations(range(count), size)
    ]
    most = min(len(subsets), 64)
    few, many = random.randint(1, most), max(1, most - random.randint(0, 7))
    told = []
    for inside in random.sample(subsets, random.choice([few, many])):
        number = len(mines.intersection(inside))
        low, high = min(number, 1), max(number, len(inside) - 1)
        if random.random() < 0.02:
            low = high = number
        weights = some_weights(random, len(inside)) if random.random() < 0.03 else None
        told.append(Constraint(inside, low, high, weights))
    return Problem(tuple(told), mines=random.choice([None, None, len(mines)]))


def adversarial_problem(random: Random) -> Problem:
    """Return a planted problem or, less often, a subset problem. Problems of both kinds are small:
    an engine solves thousands of these problems in a minute."""
    return subset_problem(random) if random.random() < 0.2 else planted_problem(random)


def endless_problem(side: int = 41, mines: int | None = 300) -> Problem:
    """Return the problem of a square board with a clue 2 at every second cell of every second row.
    `side` is the number of rows and of columns. `mines` is the total, or None. Neighbouring clues
    share cells. With the default `side`, every engine takes far too long to count this problem, or
    to prove what follows from the total."""
    codes = np.full((side, side), HIDDEN)
    codes[1::2, 1::2] = 2
    return Frontier.of(codes, mines=mines).problem
