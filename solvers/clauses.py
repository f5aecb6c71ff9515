"""`ClauseTools`, the engine of `csp_mines.exports`: it encodes, solves and refutes models.

A model is the constraints of a board. The engine encodes it with `cnf`, as clauses in which every
hidden cell is a variable. (The engine `pysat` has one number for each box instead.) If the model
has no solution, the engine can prove this. It solves exactly the clauses that `export` writes, so
that others can repeat the result.
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
                "the encoding 'native' leaves sums to the solver, and DIMACS has only clauses; "
                "choose another encoding, or export to opb"
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
        # Deletions are left out: Glucose may shorten a clause, delete the long one, and not log the
        # short one. If Glucose finds the conflict while it reads the clauses, it does not log the
        # empty clause, so the empty clause is added.
        lines = [line for line in logged if not line.startswith("d")]
        return lines if lines[-1:] == ["0"] else [*lines, "0"]


def _solver(cells: int, deadline: Deadline) -> str:
    """Return the name of the solver to use: the fastest one or, if there is a deadline or the board
    is large, one that can stop in time."""
    punctual = cells > LARGE_FRONTIER or deadline.seconds < inf
    return PUNCTUAL if punctual else DEFAULT_SOLVER
