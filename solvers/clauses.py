"""`ClauseTools`, the engine of `csp_mines.exports`: it encodes, solves and refutes models.

A model is the constraints of a board, as sums of variables. Every hidden cell is a variable. (The
engine `pysat` has one number for each box instead.) `ClauseTools` encodes the sums with `cnf`. If a
model has no solution, `ClauseTools` can prove this. It solves the clauses that `export` writes, so
other solvers can repeat the result. Only `native` is different: `export` refuses this encoding.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from math import inf

from csp_mines.arguments import known_name
from csp_mines.backend import Deadline
from csp_mines.errors import Contradiction, Unsupported
from csp_mines.exports.clauses import Clauses
from csp_mines.exports.model import Model

from .cnf import ENCODINGS, NATIVE, Formula
from .sat import DEFAULT_SOLVER, LARGE_FRONTIER, PUNCTUAL, keep_signals, open_solver, solve

PROVER = "glucose4"  # logs its proof


class ClauseTools:
    """The engine behind `csp_mines.exports`; see `ClauseEngine` there for what each method
    promises."""

    def encodings(self) -> Sequence[str]:
        return ENCODINGS

    def encode(self, model: Model, encoding: str, *, native: bool = False) -> Clauses:
        formula = Formula(known_name("cardinality encoding", encoding, ENCODINGS))
        if encoding == NATIVE and not native:
            raise Unsupported(
                "the encoding 'native' leaves sums to the solver, but a DIMACS file has only "
                "clauses; choose another encoding, or export to opb, which has sums"
            )
        formula.variables = len(model.cells)
        ends = []
        for each in model.sums:
            most = len(each.variables)
            numbers = [(variable,) for variable in each.variables]
            low = 0 if each.low is None else each.low
            formula.between(numbers, low, most if each.high is None else each.high)
            ends.append(len(formula.clauses))
        return Clauses(formula.variables, formula.clauses, ends, formula.atmosts)

    def certain(self, encoded: Clauses, cells: int, deadline: Deadline) -> frozenset[int]:
        with open_solver(encoded, _solver(cells, deadline)) as solver:
            if not solve(solver, deadline):
                raise Contradiction("the clues allow no layout")
            literals = {literal for literal in solver.get_model() if abs(literal) <= cells}
            while literals:
                flips = [-literal for literal in sorted(literals, key=abs)]
                solver.add_clause(flips)
                with suppress(NotImplementedError):
                    solver.set_phases(flips)
                if not solve(solver, deadline):
                    break
                literals.intersection_update(solver.get_model())
        return frozenset(literals)

    def refute(self, encoded: Clauses, deadline: Deadline) -> list[str] | None:
        from pysat.solvers import Solver

        keep_signals()
        with Solver(PROVER, bootstrap_with=encoded.clauses, with_proof=True) as solver:
            if solve(solver, deadline):
                return None
            logged: list[str] = solver.get_proof()
        # Deletions (lines with "d") are left out: Glucose may shorten a clause and log the deletion
        # of the long clause, but not the short clause. If Glucose finds the conflict while it reads
        # the clauses, it does not log the empty clause ("0"), so the empty clause is added.
        lines = [line for line in logged if not line.startswith("d")]
        return lines if lines[-1:] == ["0"] else [*lines, "0"]


def _solver(cells: int, deadline: Deadline) -> str:
    """Return the name of the solver to use. If there is a deadline, or if there are more than
    `LARGE_FRONTIER` cells, this is `PUNCTUAL`, which can stop in time. Otherwise it is
    `DEFAULT_SOLVER`, which is faster."""
    punctual = cells > LARGE_FRONTIER or deadline.seconds < inf
    return PUNCTUAL if punctual else DEFAULT_SOLVER
