"""`ClauseTools`, the engine of `csp_mines.exports`: it encodes, solves and refutes models.

A model is the constraints of a board, as sums of variables. Every hidden cell is a variable. (The
engine `pysat` has one number for each box instead.) `ClauseTools` encodes the sums with `cnf`. If a
model has no solution, `ClauseTools` can prove this. It solves the clauses that `export` writes, so
other solvers can repeat the result. Only `native` is different: `export` refuses this encoding.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from csp_mines.backend import Deadline
from csp_mines.errors import Unsupported
from csp_mines.exports.clauses import Clauses
from csp_mines.exports.model import Model

from .cnf import ENCODINGS, NATIVE, Formula
from .sat import DEFAULT_SOLVER, keep_signals, open_solver, punctual, refuting_models, solve

PROVER = "glucose4"  # logs its proof


class ClauseTools:
    """The engine behind `csp_mines.exports`; see `ClauseEngine` there for what each method
    promises."""

    def encodings(self) -> Sequence[str]:
        return ENCODINGS

    def encode(self, model: Model, encoding: str, *, native: bool = False) -> Clauses:
        formula = Formula(encoding)
        if encoding == NATIVE and not native:
            raise Unsupported(
                "the encoding 'native' leaves sums to the solver, but a DIMACS file has only "
                "clauses; choose another encoding, or export to opb, which has sums"
            )
        formula.variables = len(model.cells)
        ends = []
        for each in model.sums:
            numbers = [(variable,) for variable in each.variables]
            high = len(numbers) if each.high is None else each.high
            formula.between(numbers, each.low or 0, high)
            ends.append(len(formula.clauses))
        return Clauses(formula.variables, formula.clauses, ends, formula.atmosts)

    def certain(self, encoded: Clauses, cells: int, deadline: Deadline) -> frozenset[int]:
        flips = [literal for cell in range(1, cells + 1) for literal in (-cell, cell)]
        with open_solver(encoded, punctual(DEFAULT_SOLVER, cells, deadline)) as solver:
            for _ in refuting_models(solver, flips, partial(solve, deadline=deadline)):
                pass  # leaves in `flips` the literals that are true in no model
        return frozenset(-flip for flip in flips)

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
