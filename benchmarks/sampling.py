"""Check the standard errors of sampled risks on boards that can be counted exactly.

    python benchmarks/sampling.py [--positions 1000] [--work 14000000] [--seed 1]

The script samples such boards and prints for how many undecided cells the exact risk lies within
1.96 standard errors of the estimate. It leaves out certain cells, which need no sampling. The cells
of a box share one estimate, and so do all cells of the sea. So the script prints its figures both
by cells and by estimates.
"""

import argparse
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from csp_mines.analysis.analyze import Budget, analyze
from csp_mines.board import CLEAR, HIDDEN, Board
from csp_mines.clues import CLUE_MODELS, NOTHING
from csp_mines.errors import TooWide
from csp_mines.games.policies import WORK
from csp_mines.geometry import SQUARE
from csp_mines.sampling import SAMPLING

MAX_STATES = 100_000  # limit of the exact count of a position
BOUNDS = (0.5, 1.0, 1.645, 1.96, 2.576, 3.291)
HELD = (38.3, 68.3, 90.0, 95.0, 99.0, 99.9)  # percent of a normal distribution within them
BANDS = (0.0, 0.01, 0.05, 0.1, 0.2, 0.4, 0.6, 0.8, 1.0)


def shown_by(clues: str, mines: npt.NDArray[np.bool_], rng: np.random.Generator) -> npt.ArrayLike:
    """What every cell of a layout would show."""
    model, true = CLUE_MODELS[clues], SQUARE.count(mines)
    shown = true if model.draw is None else model.draw(true, rng.random(true.shape), 0.6, 8)
    return np.where(shown == NOTHING, CLEAR, shown)


def board_of(
    clues: str,
    mines: npt.NDArray[np.bool_],
    opened: npt.NDArray[np.bool_],
    rng: np.random.Generator,
    density: float,
) -> Board:
    codes = np.where(opened & ~mines, shown_by(clues, mines, rng), HIDDEN).astype(np.int8)
    prior = {"density": f"{density:.2f}"} if rng.random() < 0.5 else {"mines": int(mines.sum())}
    return Board(codes, clues=CLUE_MODELS[clues], **prior)


def lattice(rng: np.random.Generator) -> Board:
    """Isolated clues, exact or noisy, on every second cell of every second row."""
    side = int(rng.integers(9, 22))
    density = float(rng.uniform(0.1, 0.35))
    opened = np.zeros((side, side), bool)
    opened[1::2, 1::2] = True
    mines = rng.random(opened.shape) < density
    clues = ("exact", "exact", "optimistic", "cautious")[int(rng.integers(4))]
    return board_of(clues, mines, opened, rng, density)


def scattered(clues: str) -> Callable[[np.random.Generator], Board]:
    """Boards of this model with a random share of the safe cells open."""

    def draw(rng: np.random.Generator) -> Board:
        side = int(rng.integers(8, 21))
        density = float(rng.uniform(0.1, 0.35))
        mines = rng.random((side, side)) < density
        opened = rng.random((side, side)) < rng.uniform(0.15, 0.7)
        return board_of(clues, mines, opened, rng, density)

    return draw


FAMILIES: dict[str, Callable[[np.random.Generator], Board]] = {
    "lattices": lattice,
    "optimistic clues": scattered("optimistic"),
    "cautious clues": scattered("cautious"),
    "silent clues": scattered("silent"),
}


@dataclass
class Compared:
    """Estimates beside exact risks: one entry for each estimate, with the number of undecided cells
    that share it."""

    offs: list[float] = field(default_factory=list)  # in standard errors
    cells: list[int] = field(default_factory=list)
    risks: list[float] = field(default_factory=list)
    errors: list[float] = field(default_factory=list)
    positions: int = 0

    def add(self, exact: float, risk: float, error: float, cells: int) -> None:
        off = abs(exact - risk)
        self.offs.append(0.0 if off < 1e-9 else off / error if error > 0 else np.inf)
        self.cells.append(cells)
        self.risks.append(exact)
        self.errors.append(error)

    def __iadd__(self, other: "Compared") -> "Compared":
        for name in ("offs", "cells", "risks", "errors", "positions"):
            setattr(self, name, getattr(self, name) + getattr(other, name))
        return self


def positions(
    draw: Callable[[np.random.Generator], Board], rng: np.random.Generator
) -> Iterator[tuple[Board, npt.NDArray[np.float64]]]:
    """Boards that can be counted, with their exact risks; nan where a cell is not undecided."""
    while True:
        board = draw(rng)
        try:
            exact = analyze(board, max_states=MAX_STATES)
        except TooWide:
            continue
        certain = exact.safe_mask | exact.mine_mask
        risks = np.where(certain, np.nan, exact.probabilities)
        if not np.isnan(risks).all():
            yield board, risks


def compare(board: Board, exact: npt.NDArray[np.float64], seed: int, work: int) -> Compared:
    """The estimates that an agent would get, each once."""
    found = analyze(
        board, backend="subtraction", counter=SAMPLING, approximate=Budget(work=work, seed=seed)
    )
    compared = Compared(positions=1)
    shared: dict[tuple[float, float, float], int] = {}
    open_cells = ~np.isnan(exact)
    if board.mines is None:  # the risk of the sea is the density and needs no estimate
        open_cells.ravel()[list(found.frontier.problem.sea)] = False
    for each in zip(
        exact[open_cells].round(12).tolist(),
        found.probabilities[open_cells].tolist(),
        found.standard_errors[open_cells].tolist(),
        strict=True,
    ):
        shared[each] = shared.get(each, 0) + 1
    for (risk, estimated, error), cells in shared.items():
        compared.add(risk, estimated, error, cells)
    return compared


def show(families: dict[str, Compared]) -> None:
    """Print three tables in markdown: by family, by standard errors, and by exact risk."""
    print("| | positions | estimates | cells | of the estimates | of the cells | median error |")
    print("|---" + "|--:" * 6 + "|")
    for name, each in families.items():
        held = np.array(each.offs) <= 1.96
        cells = np.array(each.cells)
        print(f"| {name} | {each.positions:,} | {len(held):,} | {cells.sum():,} | "
              f"{held.mean():.1%} | {(held * cells).sum() / cells.sum():.1%} | "
              f"{np.median(each.errors):.4f} |")  # fmt: skip
    every = families["all"]
    offs, risks = np.array(every.offs), np.array(every.risks)
    print(f"\n| within so many standard errors | {' | '.join(map(str, BOUNDS))} |")
    print("|---" + "|--:" * len(BOUNDS) + "|")
    print(f"| of a normal distribution, % | {' | '.join(map(str, HELD))} |")
    shares = [f"{100 * np.mean(offs <= bound):.1f}" for bound in BOUNDS]
    print(f"| of the estimates, % | {' | '.join(shares)} |")
    bands = [(low, high, (risks >= low) & (risks < high)) for low, high in pairwise(BANDS)]
    bands = [band for band in bands if band[2].any()]
    print(f"\n| exact risk | {' | '.join(f'{low:g} to {high:g}' for low, high, _ in bands)} |")
    print("|---" + "|--:" * len(bands) + "|")
    print(f"| estimates | {' | '.join(f'{inside.sum():,}' for *_, inside in bands)} |")
    held_in = [f"{100 * np.mean(offs[inside] <= 1.96):.1f}" for *_, inside in bands]
    print(f"| within 1.96 standard errors, % | {' | '.join(held_in)} |")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--positions", type=int, default=1000)
    parser.add_argument("--work", type=int, default=WORK)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    families = {}
    for number, (name, draw) in enumerate(FAMILIES.items()):
        rng = np.random.default_rng([given.seed, number])
        share = given.positions // len(FAMILIES)
        families[name] = Compared()
        for index, (board, exact) in zip(range(share), positions(draw, rng), strict=False):
            families[name] += compare(board, exact, index, given.work)
    families["all"] = Compared()
    for name in FAMILIES:
        families["all"] += families[name]
    show(families)


if __name__ == "__main__":
    main()
