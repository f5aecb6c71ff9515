"""Boards and problems for property tests: small ones, few enough hidden cells for brute force, and
adversarial ones, for engines to be compared on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from random import Random

from hypothesis import strategies as st

from csp_mines.board import CLEAR, EXPLODED, HIDDEN, MARKED, Board, Cell
from csp_mines.clues import CLUE_MODELS
from csp_mines.constraints import Constraint, Problem
from csp_mines.geometry import SQUARE

MOST_HIDDEN = 10

models = st.sampled_from(list(CLUE_MODELS))
densities = st.sampled_from([Fraction(1, 10), Fraction(1, 5), Fraction(1, 2), Fraction(7, 9)])


@st.composite
def consistent_boards(draw: st.DrawFn) -> Board:
    """A board that some layout gave rise to, under any clue model and any prior."""
    rows, cols = draw(st.integers(1, 5)), draw(st.integers(1, 5))
    cells = [(row, col) for row in range(rows) for col in range(cols)]
    mines = draw(st.sets(st.sampled_from(cells), max_size=len(cells)))
    hidden = draw(st.sets(st.sampled_from(cells), max_size=MOST_HIDDEN))
    model = draw(models)
    codes = [[HIDDEN] * cols for _ in range(rows)]
    for cell in cells:
        if cell not in hidden:
            codes[cell[0]][cell[1]] = draw(_seen(cell, mines, rows, cols, model))
    prior = draw(st.sampled_from(["mines", "density", "neither"]))
    return Board(
        codes,
        mines=len(mines) if prior == "mines" else None,
        density=draw(densities) if prior == "density" else None,
        clues=model,
    )


def _seen(cell: Cell, mines: set[Cell], rows: int, cols: int, model: str) -> st.SearchStrategy[int]:
    """What a cell that is not hidden may look like."""
    if cell in mines:
        return st.sampled_from([MARKED, EXPLODED])
    around = sum(other in mines for other in SQUARE.neighbours(cell, rows, cols))
    if model == "optimistic":
        return st.integers(0, around)
    if model == "cautious":
        return st.integers(around, 8)
    if model == "silent":
        return st.sampled_from([CLEAR, around])
    return st.sampled_from([around, around, around, CLEAR])


@st.composite
def arbitrary_boards(draw: st.DrawFn) -> Board:
    """Any codes at all, so mostly a contradiction. Small clues are likelier."""
    rows, cols = draw(st.integers(1, 5)), draw(st.integers(1, 5))
    hidden = draw(st.sets(st.integers(0, rows * cols - 1), max_size=MOST_HIDDEN))
    seen = st.sampled_from([0, 0, 1, 1, 1, 2, 2, 3, 4, 8, MARKED, EXPLODED, CLEAR])
    codes = [
        [HIDDEN if row * cols + col in hidden else draw(seen) for col in range(cols)]
        for row in range(rows)
    ]
    total = draw(st.none() | st.integers(0, rows * cols))
    return Board(codes, mines=total, clues=draw(models))


boards = consistent_boards() | arbitrary_boards()


@st.composite
def constraints(draw: st.DrawFn, cells: int) -> Constraint:
    """Equalities and ranges, with weights or without, now and then impossible or without cells."""
    members = tuple(sorted(draw(st.sets(st.integers(0, cells - 1), max_size=5))))
    low = draw(st.integers(0, len(members)))
    high = draw(st.just(low) | st.integers(low, len(members)) | st.integers(-1, 9))
    weights = draw(
        st.none()
        | st.lists(st.integers(0, 300), min_size=len(members) + 1, max_size=len(members) + 1)
    )
    return Constraint(members, low, high, None if weights is None else tuple(weights))


@st.composite
def problems(draw: st.DrawFn) -> Problem:
    """Constraints over few cells, with a sea, a total or odds."""
    cells = draw(st.integers(1, 8))
    told = tuple(draw(st.lists(constraints(cells), min_size=0, max_size=5)))
    sea = tuple(range(100, 100 + draw(st.integers(0, 3))))
    odds = draw(st.sampled_from([Fraction(1), Fraction(1, 4), Fraction(7, 2)]))
    total = draw(st.none() | st.integers(0, cells + len(sea)))
    return Problem(told, sea, total, odds)


# Adversarial boards: made to break an engine, not to be met in play. Each is a function of a source
# of randomness, so that a fuzzer can make millions without hypothesis; strategies draw the seed.


def dense_board(
    random: Random,
    *,
    least: int = 8,
    most: int = 25,
    model: str = "exact",
    blank: float = 0.0,
) -> Board:
    """A board without a total on which 30 to 50 % of the cells are mines and 40 to 70 % of the
    others are opened; a `blank` share of the opened cells shows no clue. Wide frontiers full of
    infeasible branches."""
    rows, cols = random.randint(least, most), random.randint(least, most)
    density, opened = random.uniform(0.3, 0.5), random.uniform(0.4, 0.7)
    cells = [(row, col) for row in range(rows) for col in range(cols)]
    mines = {cell for cell in cells if random.random() < density}
    codes = [[HIDDEN] * cols for _ in range(rows)]
    for cell in cells:
        if cell not in mines and random.random() < opened:
            around = sum(other in mines for other in SQUARE.neighbours(cell, rows, cols))
            shown = _shown(random, around, model)
            codes[cell[0]][cell[1]] = CLEAR if random.random() < blank else shown
    return Board(codes, clues=model)


def _shown(random: Random, around: int, model: str) -> int:
    """What a clue model shows of `around` mines."""
    if model == "optimistic":
        return random.randint(0, around)
    if model == "cautious":
        return random.randint(around, 8)
    if model == "silent":
        return random.choice([CLEAR, around])
    return around


@dataclass(frozen=True)
class Block:
    """A part of an assembly that no clue ties to the rest, and every number of mines that fits it.
    Its numbers have gaps, or one parity, or weights that differ by many powers of two."""

    codes: tuple[tuple[int, ...], ...]
    mines: tuple[int, ...]


def chain(pairs: int, size: int = 2, clue: int = 2) -> Block:
    """`pairs` columns of `size` hidden cells, each two neighbouring ones with `clue` mines: the
    columns alternate between `k` and `clue - k`."""
    told = (HIDDEN, clue) * (pairs - 1) + (HIDDEN,)
    silent = (HIDDEN, CLEAR) * (pairs - 1) + (HIDDEN,)
    middle = (size - 1) // 2  # from where a clue sees all of both columns
    codes = tuple(told if row == middle else silent for row in range(size))
    even, odd = (pairs + 1) // 2, pairs // 2
    taken = range(max(0, clue - size), min(size, clue) + 1)
    fitting = {k * even + (clue - k) * odd for k in taken} if pairs > 1 else set(range(size + 1))
    return Block(codes, tuple(sorted(fitting)))


def comb(teeth: int, arms: int = 1) -> Block:
    """`teeth` cells, each opposed to the two beside it and to `arms` (0 to 2) more above and below:
    all of these are mines, or all of those. Nothing in between."""
    width = 4 * teeth + 1
    rows = [[CLEAR] * width for _ in range(5)]
    rows[2] = [HIDDEN, 1] * (2 * teeth) + [HIDDEN]
    for tooth in range(2, width, 4):
        for clue, leaf in [(1, 0), (3, 4)][:arms]:
            rows[clue][tooth], rows[leaf][tooth] = 1, HIDDEN
    used = [rows[2:3], rows[:3], rows][arms]
    return Block(tuple(map(tuple, used)), (teeth, teeth + 1 + arms * teeth))


def lattice(side: int, clue: int) -> Block:
    """A square of hidden cells with a `clue` in every third row and column: every clue is a region
    of its own, of one box."""
    codes = [[HIDDEN] * (3 * side) for _ in range(3 * side)]
    for row in range(1, 3 * side, 3):
        for col in range(1, 3 * side, 3):
            codes[row][col] = clue
    return Block(tuple(map(tuple, codes)), (clue * side * side,))


def _some_block(random: Random, longest: int) -> Block:
    kind = random.randrange(6)
    if kind < 3:
        return comb(random.randint(1, max(1, longest // 2)), random.choice([0, 1, 1, 2]))
    if kind < 5:
        size = random.choice([1, 2, 2, 3])
        return chain(random.randint(1, longest), size, random.randint(1, 2 * size - 1))
    return lattice(1, random.randint(1, 7))


def assembly(blocks: Sequence[Block], width: int, mines: int | None, sea: int = 0) -> Board:
    """The blocks side by side, as many in a band as `width` columns hold, with opened cells between
    them that show nothing; `sea` hidden cells stand alone in a band of their own."""
    bands: list[list[Block]] = [[]]
    used = 0
    for block in blocks:
        cols = len(block.codes[0]) + 1
        if bands[-1] and used + cols > width:
            bands.append([])
            used = 0
        bands[-1].append(block)
        used += cols
    rows: list[list[int]] = []
    for band in bands:
        for row in range(max(len(block.codes) for block in band) + 1):
            line: list[int] = []
            for block in band:
                blank = (CLEAR,) * len(block.codes[0])
                line += [*(block.codes[row] if row < len(block.codes) else blank), CLEAR]
            rows.append(line)
    if sea:
        rows.append([HIDDEN] * sea)
    longest = max(map(len, rows))
    return Board([row + [CLEAR] * (longest - len(row)) for row in rows], mines=mines)


def gap_assembly(random: Random, *, blocks: int = 12, longest: int = 8, width: int = 60) -> Board:
    """Up to `blocks` blocks, some of them many times over, mostly without a sea, with a total at
    one end of what is possible, near it, in the middle or in a gap (then nothing fits)."""
    kinds = [_some_block(random, longest) for _ in range(random.randint(1, 4))]
    chosen = [random.choice(kinds) for _ in range(random.randint(1, blocks))]
    sea = random.choice([0, 0, 0, 0, 1, 2, random.randint(1, width)])
    return assembly(chosen, width, _extreme_total(random, chosen, sea), sea)


def _extreme_total(random: Random, blocks: Sequence[Block], sea: int) -> int | None:
    """The least or the most mines that fit, the same with one block at its other end, numbers in
    between that fit or may not, or none."""
    least = sum(block.mines[0] for block in blocks)
    most = sum(block.mines[-1] for block in blocks) + sea
    chosen = random.choice(blocks)
    step = chosen.mines[-1] - chosen.mines[0]
    inside = sum(random.choice(block.mines) for block in blocks) + random.randint(0, sea)
    between = random.randint(least, most)
    half = (least + most) // 2
    return random.choice([least, most, least + step, most - step, inside, between, half, None])


def small_adversary(random: Random) -> Board:
    """A little adversarial board of any kind: an engine does thousands of these a minute."""
    kind = random.randrange(5)
    if kind == 0:
        return gap_assembly(random, blocks=4, longest=3, width=24)
    if kind == 1:
        return dense_board(random, least=3, most=5, model=random.choice(list(CLUE_MODELS)))
    return dense_board(random, least=4, most=8, blank=random.choice([0, 0, 0.2, 0.5]))


seeds = st.integers(0, 2**32 - 1)
dense_boards = seeds.map(lambda seed: dense_board(Random(seed)))
gap_assemblies = seeds.map(lambda seed: gap_assembly(Random(seed)))
small_adversaries = seeds.map(lambda seed: small_adversary(Random(seed)))
large_dense_boards = seeds.map(lambda seed: dense_board(Random(seed), least=20, most=25))
