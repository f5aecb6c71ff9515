"""Solvers that share nothing with csp-mines: each reads an export, and says what follows from it.

A solver answers with the number of layouts, where it can enumerate them, and with the certain
cells. Only MiniZinc is a program of its own, which may not be installed.
"""

from __future__ import annotations

import re
import shutil
import signal
import subprocess
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import cache
from multiprocessing import get_context
from pathlib import Path
from tempfile import TemporaryDirectory

from csp_mines.analysis.problems import analyze_problem
from csp_mines.board import HIDDEN, Board, Cell
from csp_mines.constraints import Frontier
from csp_mines.errors import Contradiction

Cells = frozenset[Cell]


@dataclass(frozen=True)
class Answer:
    """The number of layouts (None: not counted), and the cells that are the same in all of them;
    with no layout, none are."""

    count: int | None
    safe: Cells = frozenset()
    mines: Cells = frozenset()

    def agrees(self, other: Answer) -> bool:
        counts = {self.count, other.count} - {None}
        return len(counts) < 2 and (self.safe, self.mines) == (other.safe, other.mines)


def ours(board: Board, *, use_total: bool = True) -> Answer:
    """What csp-mines says itself, every layout counted once."""
    frontier = Frontier.of(board)
    try:
        found = analyze_problem(frontier.problem.told(use_total).unweighted())
    except Contradiction:
        return Answer(0)
    return Answer(found.solutions, frontier.cells(found.safe), frontier.cells(found.mines))


def of_layouts(layouts: Iterable[Cells], cells: Sequence[Cell]) -> Answer:
    """The answer from all layouts, each given by its mines."""
    every = list(layouts)
    if not every:
        return Answer(0)
    assert len(every) == len(set(every))
    mines = frozenset.intersection(*every)
    return Answer(len(every), frozenset(cells) - frozenset.union(*every), mines)


def by_cadical(text: str, cells: Sequence[Cell]) -> Answer:
    """DIMACS, by CaDiCaL: models are enumerated, projected onto the cells."""
    from pysat.formula import CNF
    from pysat.solvers import Solver

    layouts = []
    with Solver("cadical153", bootstrap_with=CNF(from_string=text)) as solver:
        while solver.solve():
            true = {literal for literal in solver.get_model() if literal > 0}
            values = [number in true for number in range(1, len(cells) + 1)]
            layouts.append(_mines(values, cells))
            if not cells:
                break
            solver.add_clause([-k if mine else k for k, mine in enumerate(values, 1)])
    return of_layouts(layouts, cells)


def by_exact(text: str, cells: Sequence[Cell]) -> Answer:
    """OPB, by Exact. Its library has no reader of the format, so here is one for sums of literals
    with coefficients 1 and -1."""
    from exact import Exact

    size = re.match(r"\* #variable= (\d+) #constraint= (\d+)\n", text)
    assert size is not None
    names = [f"x{number}" for number in range(1, int(size[1]) + 1)]
    solver = Exact()
    signal.signal(signal.SIGINT, signal.getsignal(signal.SIGINT))  # Exact takes Ctrl-C for itself
    for name in names:
        solver.addVariable(name, 0, 1)
    rows = [line for line in text.splitlines() if not line.startswith("*")]
    assert len(rows) == int(size[2])
    for row in rows:
        read = re.fullmatch(r"((?:[+-]1 x\d+ )+)(>=|=) (-?\d+) ;", row)
        assert read is not None, row
        terms = [(int(sign + "1"), name) for sign, name in re.findall(r"([+-])1 (x\d+)", read[1])]
        bound = int(read[3])
        solver.addConstraint(terms, True, bound, read[2] == "=", bound)
    if solver.runFull(optimize=False) == "UNSAT":
        return Answer(0)
    state, count = solver.count(names)
    assert state != "TIMEOUT"
    _, domains = solver.pruneDomains(names)
    fixed = {cell: domain[0] for cell, domain in zip(cells, domains, strict=True) if not domain[1:]}
    return Answer(
        count,
        frozenset(cell for cell, value in fixed.items() if value == 0),
        frozenset(cell for cell, value in fixed.items() if value == 1),
    )


def by_minizinc(text: str, cells: Sequence[Cell]) -> Answer:
    """MiniZinc, by its default solver: the layouts that the output of the model shows."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / "board.mzn"
        path.write_text(text)
        done = subprocess.run(
            ["minizinc", "--all-solutions", path], capture_output=True, text=True, check=True
        )
    grids = done.stdout.split("----------\n")[:-1]
    return of_layouts((_stars(grid) & frozenset(cells) for grid in grids), cells)


def by_highs(text: str, cells: Sequence[Cell]) -> Answer:
    """LP, by HiGHS, in a process of its own: OR-Tools brings another version of the same shared
    library, and after that one highspy cannot be loaded."""
    return _apart().submit(_by_highs, text, cells).result()


@cache
def _apart() -> ProcessPoolExecutor:
    return ProcessPoolExecutor(1, mp_context=get_context("spawn"))


def _by_highs(text: str, cells: Sequence[Cell]) -> Answer:
    """Each cell is fixed to the value that it does not have in the first layout."""
    from highspy import Highs, HighsModelStatus

    solver = Highs()
    solver.setOptionValue("output_flag", False)
    with TemporaryDirectory() as folder:
        path = Path(folder) / "board.lp"
        path.write_text(text)
        solver.readModel(str(path))
    columns = {solver.getColName(number)[1]: number for number in range(solver.getNumCol())}

    def values() -> list[int] | None:
        solver.run()
        if solver.getModelStatus() == HighsModelStatus.kInfeasible:
            return None
        solution = solver.getSolution().col_value
        return [round(solution[columns[f"m_{row}_{col}"]]) for row, col in cells]

    first = values()
    if first is None:
        return Answer(0)
    fixed = {}
    for cell, value in zip(cells, first, strict=True):
        column = columns["m_{}_{}".format(*cell)]
        solver.changeColBounds(column, 1 - value, 1 - value)
        if values() is None:
            fixed[cell] = value
        solver.changeColBounds(column, 0, 1)
    return Answer(
        None,
        frozenset(cell for cell, value in fixed.items() if value == 0),
        frozenset(cell for cell, value in fixed.items() if value == 1),
    )


def by_z3(text: str, cells: Sequence[Cell]) -> Answer:
    """SMT-LIB, by Z3: models are enumerated."""
    import z3

    solver = z3.Solver()
    solver.from_string(text)
    names = [z3.Bool("m_{}_{}".format(*cell)) for cell in cells]
    layouts = []
    while solver.check() == z3.sat:
        model = solver.model()
        values = [z3.is_true(model.eval(name, model_completion=True)) for name in names]
        layouts.append(_mines(values, cells))
        solver.add(z3.Or([name != value for name, value in zip(names, values, strict=True)]))
    return of_layouts(layouts, cells)


def by_clingo(text: str, cells: Sequence[Cell]) -> Answer:
    """ASP, by clingo: all answer sets."""
    import clingo

    control = clingo.Control(["0"])
    control.add("base", [], text)
    control.ground([("base", [])])
    layouts = []
    with control.solve(yield_=True) as models:
        for model in models:
            atoms = (atom.arguments for atom in model.symbols(shown=True))
            layouts.append(frozenset((row.number, col.number) for row, col in atoms))
    return of_layouts(layouts, cells)


SOLVERS: dict[str, Callable[[str, Sequence[Cell]], Answer]] = {
    "dimacs": by_cadical,
    "opb": by_exact,
    "lp": by_highs,
    "smtlib": by_z3,
    "asp": by_clingo,
}
if shutil.which("minizinc") is not None:
    SOLVERS["minizinc"] = by_minizinc


def hidden(board: Board) -> list[Cell]:
    return list(board.cells(HIDDEN))


def _mines(values: Iterable[bool], cells: Sequence[Cell]) -> Cells:
    return frozenset(cell for cell, mine in zip(cells, values, strict=True) if mine)


def _stars(grid: str) -> Cells:
    return frozenset(
        (row, col)
        for row, line in enumerate(grid.splitlines())
        for col, letter in enumerate(line)
        if letter == "*"
    )
