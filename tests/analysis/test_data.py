"""Positions with known answers: what is certain, how many layouts fit, every probability.

Each file of tests/data has one position a line. A position without an answer was too much for the
program that made the answers; there the engines are compared with each other."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from csp_mines.backend import Deduction, backend_class, backend_names, load
from csp_mines.board import HIDDEN, Board
from csp_mines.constraints import Frontier
from csp_mines.counting import posterior

DATA = Path(__file__).parents[1] / "data"
FILES = sorted(path.stem for path in DATA.glob("*.jsonl"))
SMALL = ["expert-guess", "intermediate-guess"]
INSTALLED = [name for name in backend_names() if backend_class(name).missing() is None]
INCOMPLETE = ["single", "subtraction", "gauss"]


@dataclass(frozen=True)
class Position:
    id: str
    frontier: Frontier
    solutions: int | None
    probabilities: dict[int, float]  # empty without an answer

    @property
    def certain(self) -> tuple[frozenset[int], frozenset[int]]:
        return (
            frozenset(cell for cell, share in self.probabilities.items() if share == 0),
            frozenset(cell for cell, share in self.probabilities.items() if share == 1),
        )


def positions(file: str) -> Iterator[Position]:
    for line in (DATA / f"{file}.jsonl").read_text().splitlines():
        record = json.loads(line)
        frontier = Frontier.of(Board.parse("\n".join(record["rows"])), mines=record["mines"])
        hidden = [frontier.number(cell) for cell in frontier.board.cells(HIDDEN)]
        yield Position(
            record["id"],
            frontier,
            None if record["solutions"] is None else int(record["solutions"]),
            dict(zip(hidden, record["probabilities"] or (), strict=bool(record["probabilities"]))),
        )


@cache
def by_pysat(file: str) -> tuple[Deduction, ...]:
    return tuple(load("pysat").deduce(position.frontier.problem) for position in positions(file))


def case(name: str, *more: str) -> Any:
    """The arguments of a test. Only `native` may use the kernel; others run once."""
    return pytest.param(name, *more, marks=() if name == "native" else pytest.mark.once)


def complete_engines() -> Iterator[tuple[str, str]]:
    """Engines and the files they can be expected to do in a test's time."""
    for file in FILES:
        yield "pysat", file
        yield "native", file
        if not file.startswith("big"):
            yield "cpsat", file
        if file in SMALL:
            yield from (
                (name, file)
                for name in ("ganak", "z3", "clingo", "highs", "sdd")
                if name in INSTALLED
            )


@pytest.mark.parametrize(("name", "file"), [case(*each) for each in complete_engines()])
def test_complete_engines_prove_exactly_what_is_certain(name: str, file: str) -> None:
    for position, reference in zip(positions(file), by_pysat(file), strict=True):
        found = load(name, floating_point=True).deduce(position.frontier.problem)
        assert (found.safe, found.mines) == (reference.safe, reference.mines), position.id
        if position.solutions is not None:
            assert (found.safe, found.mines) == position.certain, position.id


@pytest.mark.once
@pytest.mark.parametrize("file", FILES)
def test_engines_include_each_other(file: str) -> None:
    for position, everything in zip(positions(file), by_pysat(file), strict=True):
        single, subtraction, gauss = (
            load(name).deduce(position.frontier.problem) for name in INCOMPLETE
        )
        for less, more in [
            (single, subtraction),
            (single, gauss),
            (subtraction, everything),
            (gauss, everything),
        ]:
            assert less.safe <= more.safe, position.id
            assert less.mines <= more.mines, position.id


@pytest.mark.parametrize(
    ("name", "file"),
    [
        case(name, file)
        for name in INSTALLED
        if backend_class(name).counts
        for file in (FILES if name == "native" else SMALL)
    ],
)
def test_counts_to_the_digit(name: str, file: str) -> None:
    engine = load(name)
    for position in positions(file):
        if position.solutions is None:
            continue
        problem = position.frontier.problem
        known = engine.simplify(problem)
        counted = posterior(problem.given(known.safe, known.mines), engine.count)
        assert counted.solutions == position.solutions, position.id
        for cell, share in position.probabilities.items():
            if cell in known.safe or cell in known.mines:
                assert share == (cell in known.mines), position.id
            else:
                assert float(counted.probability(cell)) == pytest.approx(share, abs=1e-9), (
                    position.id
                )


@pytest.mark.parametrize("name", [case(name) for name in INSTALLED])
def test_the_corner_that_single_clues_cannot_solve(name: str) -> None:
    frontier = Frontier.of(Board.parse("????\n113?\n001?\n001?"))
    engine = load(name, floating_point=True)
    found = frontier.cells(engine.deduce(frontier.problem).safe)
    assert ({(0, 2), (1, 3)} <= found) == (name != "single")


@pytest.mark.once
def test_the_backbone_takes_few_calls() -> None:
    calls = [found.calls for found in by_pysat("expert-guess")]
    cells = [len(position.frontier.problem.frontier) for position in positions("expert-guess")]
    shares = sorted(call / (2 * cell) for call, cell in zip(calls, cells, strict=True))
    assert shares[len(shares) // 2] <= 1 / 10
