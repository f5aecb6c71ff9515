"""Compare all engines on every grid with brute force, and games by Python with the kernel's.

The boards are random, with up to 20 cells, with and without holes, under every clue model. The
engines are the kernel, the pure engine and other backends.

    python benchmarks/grids.py [BOARDS] [BACKEND …]

The script stops at the first difference. After the boards it plays games of `exact` and `win` by
Python and by the kernel, and compares every move. At last it makes no-guess games by Python and by
the kernel, and compares their layouts, grades and rounds. It prints how many of each agree.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from fractions import Fraction
from itertools import product
from math import prod

import numpy as np

import csp_mines
from csp_mines.analysis.contract import Analysis
from csp_mines.board import CLEAR, HIDDEN, HOLE, MARKED, Board
from csp_mines.clues import CLUE_MODELS, ClueModel
from csp_mines.errors import Contradiction
from csp_mines.games.agents import agent
from csp_mines.games.compiled import compiled_moves, is_compiled
from csp_mines.games.game import Game, Rules
from csp_mines.games.playing import StepKind, play
from csp_mines.generation.deduction import solve_by_deduction
from csp_mines.geometry import Geometry
from csp_mines.grids import as_geometry
from csp_mines.layout import Layout, Spec

GRIDS = ("square", "orthogonal", "radius:2", "torus", "hex", "graph")
MOST_HIDDEN = 13
GAMES, LAYOUTS = 50, 60  # played twice for each kind of board


def random_geometry(
    name: str, cells: int, rng: np.random.Generator, share: float | None = None
) -> Geometry:
    """Return the grid with that name. A graph gets random edges: this share of all pairs, by
    default so many that a cell has few neighbours, or more than eight."""
    if name != "graph":
        return as_geometry(name)
    names = [f"c{number}" for number in range(cells)]
    chosen = rng.choice([min(1.0, 4 / cells), 0.8]) if share is None else share
    pairs = [
        f'["{names[a]}","{names[b]}"]'
        for a in range(cells)
        for b in range(a)
        if rng.random() < chosen
    ]
    listed = ",".join(f'"{name}"' for name in names)
    return as_geometry(f'graph {{"cells":[{listed}],"edges":[{",".join(pairs)}]}}')


def random_board(name: str, model: ClueModel, holes: bool, rng: np.random.Generator) -> Board:
    """Return a board of a random layout with some cells open, some marked, and a prior."""
    rows, cols = (int(rng.integers(1, 5)), int(rng.integers(1, 6)))
    if name == "graph":
        rows, cols = 1, int(rng.integers(2, 21))
    geometry = random_geometry(name, rows * cols, rng)
    mask = rng.random((rows, cols)) < 0.2 if holes else np.zeros((rows, cols), bool)
    mines = (rng.random((rows, cols)) < rng.uniform(0.1, 0.5)) & ~mask
    layout = Layout(mines, geometry=geometry, holes=mask)
    shown = np.array(layout.numbers, float)
    if model.draw is not None:
        shown = model.draw(layout.numbers, rng.random((rows, cols)), 0.7, geometry.most)
    codes = np.where(shown < 0, CLEAR, shown).astype(np.int8)
    hide = rng.random((rows, cols)) < rng.uniform(0.3, 0.9)
    codes[mines | hide] = HIDDEN
    codes[mines & (rng.random((rows, cols)) < 0.1)] = MARKED
    codes[mask] = HOLE
    hidden = np.argwhere(codes == HIDDEN)
    for row, col in rng.permutation(hidden)[MOST_HIDDEN:].tolist():
        codes[row, col] = MARKED if mines[row, col] else CLEAR
    header = [{"mines": int(mines.sum())}, {"density": Fraction(1, 4)}, {}]
    return Board(codes, **header[rng.integers(3)], clues=model, geometry=geometry)


def brute_force(board: Board) -> tuple[int, dict[tuple[int, int], Fraction]] | None:
    """Return the number of layouts that fit, and the risk of every hidden cell."""
    hidden = sorted(board.hidden)
    near = {cell: board.neighbours(cell) for cell in board.cells() if board[cell] >= 0}
    known = {cell for cell in board.cells() if board[cell] in (MARKED, -3)}
    odds = Fraction(1) if board.density is None else board.density / (1 - board.density)
    most, total, fitting = board.geometry.most, Fraction(0), 0
    risks = dict.fromkeys(hidden, Fraction(0))
    for chosen in product((False, True), repeat=len(hidden)):
        mines = known | {cell for cell, mine in zip(hidden, chosen, strict=True) if mine}
        if board.mines is not None and len(mines) != board.mines:
            continue
        weight = odds ** sum(chosen) if board.mines is None else Fraction(1)
        true = {clue: len(mines.intersection(cells)) for clue, cells in near.items()}
        weight *= prod((_chance(board, clue, true[clue], most) for clue in near), start=Fraction(1))
        if not weight:
            continue
        fitting += 1
        total += weight
        for cell, mine in zip(hidden, chosen, strict=True):
            risks[cell] += weight if mine else 0
    return (fitting, {cell: risk / total for cell, risk in risks.items()}) if fitting else None


def _chance(board: Board, clue: tuple[int, int], true: int, most: int) -> Fraction:
    """Return the probability that a cell with so many mines around it shows what it shows."""
    shown, model = board[clue], board.clues.name
    if model == "optimistic":
        return Fraction(1, true + 1) if shown <= true else Fraction(0)
    if model == "cautious":
        return Fraction(1, most + 1 - true) if shown >= true else Fraction(0)
    return Fraction(int(shown == true))


def compare(board: Board, backends: list[str]) -> None:
    """Raise AssertionError if an engine differs from brute force."""
    expected = brute_force(board)
    for name in ("native", "native:pure", *backends):
        try:
            analysis = csp_mines.analyze(board, backend=name)
        except Contradiction:
            assert expected is None, f"{name} finds a contradiction:\n{board}"
            continue
        assert expected is not None, f"{name} finds no contradiction:\n{board}"
        _check(board, name, analysis, *expected)


def _check(board: Board, name: str, analysis: Analysis, solutions: int, risks: dict) -> None:
    assert analysis.solutions == solutions, (
        f"{name}: {analysis.solutions}, not {solutions}\n{board}"
    )
    for cell, risk in risks.items():
        assert analysis.probability(cell) == risk, f"{name} at {cell}\n{board}"
        assert abs(analysis.probabilities[cell] - float(risk)) < 1e-9, f"{name} at {cell}\n{board}"
        if analysis.complete:
            assert (cell in analysis.safe) == (risk == 0), f"{name} at {cell}\n{board}"
            assert (cell in analysis.mines) == (risk == 1), f"{name} at {cell}\n{board}"
    if name == "native":
        for cell in sorted(analysis.safe | analysis.mines)[:2]:
            explanation = csp_mines.explain(board, cell)
            assert all(proof.check() for proof in explanation.proofs), f"{cell}\n{board}"


def play_both(spec: Spec, name: str, games: int) -> int:
    """Play games by Python and by the kernel. Raise AssertionError if a move differs. Return the
    number of games."""
    player, rules = agent(name), Rules()
    if not is_compiled(player, rules):
        return 0
    compiled = compiled_moves(spec, rules, player, range(games))
    for seed, moves in enumerate(compiled):
        steps: list[tuple[StepKind, tuple[int, int]]] = []
        play(
            Game(spec, rules, seed),
            player,
            seed,
            watch=lambda step, steps=steps: steps.append((step.kind, step.cell)),
        )
        assert steps == [move[:2] for move in moves], f"{name} on {spec}, seed {seed}"
    return games


def generate_both(spec: Spec, draws: int) -> int:
    """Play random layouts by Python and by the kernel without a guess. Raise AssertionError if a
    round differs. Return how many can be won."""
    first, won = spec.first, 0
    for seed in range(draws):
        layout = Layout.random(
            spec.rows, spec.cols, spec.mines, seed,
            clear=[first], geometry=spec.geometry, holes=spec.holes,
        )  # fmt: skip
        games = [solve_by_deduction(layout, first, pure=pure) for pure in (False, True)]
        assert games[0] == games[1], f"{spec}, seed {seed}"
        won += games[0].won
    return won


def specs() -> Iterator[Spec]:
    """Yield sizes of games on every grid, without and with holes."""
    holes = frozenset({(0, 0), (3, 3), (3, 4)})
    rng = np.random.default_rng(1)
    for name in GRIDS:
        mines = 9 if name == "radius:2" else 12
        size = (1, 60) if name == "graph" else (8, 9)
        geometry = random_geometry(name, size[0] * size[1], rng)
        yield Spec(*size, mines, geometry)
        yield Spec(*size, mines - 3, geometry, frozenset({(0, 3)}) if name == "graph" else holes)
    yield Spec(1, 50, 6, random_geometry("graph", 50, rng, 0.3))  # up to 25 neighbours


def main() -> None:
    boards = int(sys.argv[1]) if len(sys.argv) > 1 else 2000
    backends = sys.argv[2:] or ["pysat", "cpsat"]
    for number, name in enumerate(GRIDS):
        for holes in (False, True):
            rng = np.random.default_rng([number, holes])
            for place in range(boards):
                model = list(CLUE_MODELS.values())[place % len(CLUE_MODELS)]
                compare(random_board(name, model, holes, rng), backends)
            tell(f"{name}{' with holes' if holes else ''}: {boards} boards agree")
    games = layouts = won = 0
    for spec in specs():
        for player in ("exact", "win"):
            games += play_both(spec, player, GAMES)
        tell(f"{spec}: games are equal")
        won += generate_both(spec, LAYOUTS)
        layouts += LAYOUTS
        tell(f"{spec}: no-guess games are equal")
    print(
        f"{2 * boards * len(GRIDS):,} boards, {boards:,} of each grid without holes and as many "
        f"with holes: all answers agree. {games:,} games are equal in every move. {layouts:,} "
        f"layouts are equal in every round; {won:,} of them need no guess."
    )


def tell(text: str) -> None:
    """Say how far the run is."""
    print(text, file=sys.stderr, flush=True)


if __name__ == "__main__":
    main()
