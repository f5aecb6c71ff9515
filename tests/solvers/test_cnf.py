"""The encodings: a bounded sum is satisfiable for exactly the values within its bounds."""

from __future__ import annotations

from itertools import product

import pytest
from csp_mines.solvers.cnf import DIRECT, ENCODINGS, Formula, Number
from hypothesis import given
from hypothesis import strategies as st
from pysat.solvers import Solver

from csp_mines.errors import UnknownName

sizes = st.lists(st.integers(1, 4), min_size=1, max_size=4)


def literals(number: Number, value: int) -> list[int]:
    """What says that the number has this value."""
    return [literal if value > place else -literal for place, literal in enumerate(number)]


def opened(formula: Formula) -> Solver:
    solver = Solver(name="gluecard4", bootstrap_with=formula.clauses)
    for some, bound in formula.atmosts:
        solver.add_atmost(some, bound)
    return solver


@given(st.sampled_from(ENCODINGS), sizes, st.integers(-1, 17), st.integers(-1, 17), st.booleans())
def test_bounds_a_sum(encoding: str, most: list[int], low: int, high: int, guarded: bool) -> None:
    formula = Formula(encoding)
    numbers = [formula.number(size) for size in most]
    selector = formula.variable() if guarded else None
    formula.between(numbers, low, high, selector=selector)
    with opened(formula) as solver:
        for values in product(*(range(size + 1) for size in most)):
            said = [literal for number, value in zip(numbers, values, strict=True)
                    for literal in literals(number, value)]  # fmt: skip
            if selector is not None:
                assert solver.solve(assumptions=[*said, -selector])
                said.append(selector)
            assert solver.solve(assumptions=said) == (low <= sum(values) <= high)


@given(sizes)
def test_a_total_is_determined_by_its_summands(most: list[int]) -> None:
    formula = Formula()
    numbers = [formula.number(size) for size in most]
    total = formula.total(numbers)
    assert formula.total(numbers) == total
    with opened(formula) as solver:
        for values in product(*(range(size + 1) for size in most)):
            said = [literal for number, value in zip(numbers, values, strict=True)
                    for literal in literals(number, value)]  # fmt: skip
            _, implied = solver.propagate(assumptions=said)
            assert set(literals(total, sum(values))) <= set(implied)


def test_a_clue_needs_no_helper_variables() -> None:
    formula = Formula(DIRECT)
    cells = [formula.number(1) for _ in range(8)]
    formula.between(cells, 4, 4)
    assert formula.variables == 8
    assert len(formula.clauses) == 2 * 56  # every 5 of 8 cells have a safe one, and a mine
    box = Formula(DIRECT)
    box.between([box.number(4), box.number(4)], 4, 4)
    assert len(box.clauses) == 2 * 3 + 2 * 4  # the order of each, and 1+4, 2+3, 3+2, 4+1 twice


@pytest.mark.parametrize("determined", [False, True])
def test_bounds_a_long_sum(determined: bool) -> None:
    formula = Formula(determined=determined)
    cells = [formula.variable() for _ in range(301)]
    selector = formula.variable()  # without one, what holds anyway would not be reported as implied
    formula.between([[cell] for cell in cells], 150, 152, selector=selector)
    with opened(formula) as solver:
        for mines in range(148, 155):
            said = [selector, *cells[:mines], *(-cell for cell in cells[mines:])]
            assert solver.solve(assumptions=said) == (150 <= mines <= 152)
            if determined and mines == 151:
                _, implied = solver.propagate(assumptions=said)
                assert len(implied) == formula.variables


def test_refuses_an_unknown_encoding() -> None:
    with pytest.raises(UnknownName, match="'abacus'; known: direct, native"):
        Formula("abacus")
