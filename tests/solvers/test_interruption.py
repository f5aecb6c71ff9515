"""Ctrl-C, deadlines and engines that fail: never an answer. Real signals in real processes."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from importlib.util import find_spec
from pathlib import Path

import pytest
from csp_mines.solvers import ganak

from csp_mines.analysis.analyze import analyze
from csp_mines.backend import Deadline, load
from csp_mines.board import Board
from csp_mines.constraints import BoxConstraint, Frontier
from csp_mines.errors import EngineFault, InputError, OutOfTime, TooWide

needs_ganak = pytest.mark.skipif(find_spec("pyganak") is None, reason="no wheel for this machine")

# Says when it begins, so that the signal comes while the engine works and not while it is imported.
COUNTING = """
import sys
from csp_mines.backend import load
from csp_mines.constraints import Frontier
from tests.solvers.test_interruption import lattice
engine = load(sys.argv[1], seconds=300)
engine.deduce(Frontier.of(lattice(3)).problem)
problem = Frontier.of(lattice(25)).problem
try:
    print("begin", flush=True)
    {call}
except KeyboardInterrupt:
    print("interrupted", flush=True)
else:
    print("answered", flush=True)
"""
PIGEONHOLE = """
from pysat.solvers import Solver
from csp_mines.backend import Deadline
from csp_mines.solvers.sat import keep_signals, solve
keep_signals()
holes, rows = range(12), range(13)
clauses = [[12 * i + j + 1 for j in holes] for i in rows]
clauses += [[-12 * a - j - 1, -12 * b - j - 1] for j in holes for a in rows for b in range(a)]
with Solver({solver!r}, bootstrap_with=clauses) as sat:
    try:
        print("begin", flush=True)
        print(solve(sat, Deadline(300)), flush=True)
    except KeyboardInterrupt:
        print("interrupted", flush=True)
"""
# Two groups contradict each other. Without one of them, the rest is a pigeonhole problem.
LEAVING_OUT = """
from csp_mines.constraints import Constraint
from csp_mines.solvers.mus import MusTools
holes, rows = range(15), range(16)
hard = [Constraint(tuple(15 * i + j for j in holes), 1, 15) for i in rows]
hard += [Constraint(tuple(15 * i + j for i in rows), 0, 1) for j in holes]
try:
    print("begin", flush=True)
    print(MusTools().minimal([Constraint((0,), 1, 1), Constraint((0,), 0, 0)], hard), flush=True)
except KeyboardInterrupt:
    print("interrupted", flush=True)
"""


def lattice(side: int) -> Board:
    """Isolated clues, each of which shares cells with the next: too wide for everybody."""
    clues = range(side)
    return Board([[2 if row % 2 and col % 2 else -1 for col in clues] for row in clues])


def interrupted(program: str, *arguments: str, after: float = 0.7) -> str:
    """What a program says that gets SIGINT some time after it said `begin`."""
    with subprocess.Popen(
        [sys.executable, "-c", program, *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        cwd=Path(__file__).parents[2],
        env=os.environ | {"CSP_MINES_KERNEL": "pure"},
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "begin\n"
        time.sleep(after)
        process.send_signal(signal.SIGINT)
        said, _ = process.communicate(timeout=60)
        assert process.returncode == 0, said
        return said


@pytest.mark.parametrize("after", [0.0, 0.1, 0.4])
def test_ctrl_c_is_no_proof_of_cpsat(after: float) -> None:
    deducing = COUNTING.format(call="\n    ".join(["while True:", "    engine.deduce(problem)"]))
    assert interrupted(deducing, "cpsat", after=after) == "interrupted\n"


@pytest.mark.parametrize("solver", ["m22", "gluecard4", "cadical153"])
def test_ctrl_c_in_the_middle_of_a_sat_solver(solver: str) -> None:
    assert interrupted(PIGEONHOLE.format(solver=solver)) == "interrupted\n"


def test_ctrl_c_while_a_group_is_left_out() -> None:
    assert interrupted(LEAVING_OUT) == "interrupted\n"


def test_an_engine_that_is_out_of_time_is_named() -> None:
    (region,) = Frontier.of(lattice(25)).problem.regions
    told = r"'pysat' gave no answer within 0\.2 seconds; allow more `seconds`"
    with pytest.raises(OutOfTime, match=told):
        load("pysat", seconds=0.2, max_states=10**9).count(region)


@pytest.mark.parametrize("name", ["pysat", "cpsat"])
def test_a_deduction_keeps_its_time(name: str) -> None:
    with pytest.raises(OutOfTime):
        load(name, seconds=1e-9).deduce(Frontier.of(lattice(9)).problem)


def test_counting_is_bounded_without_being_told_and_deduction_is_not() -> None:
    engine = load("pysat")
    assert 59 < engine.counting_deadline().left <= 60
    assert engine.deduction_deadline().left == float("inf")
    with pytest.raises(InputError, match="a number greater than 0, not nan"):
        load("pysat", seconds=float("nan"))


def test_regions_share_the_time_of_a_count() -> None:
    with pytest.raises(OutOfTime):
        analyze(Board.parse("?1?C?1?"), backend="pysat", seconds=1e-9).probabilities  # noqa: B018


def test_a_deduction_of_a_counting_engine_does_not_count() -> None:
    found = analyze(lattice(25), backend="pysat", seconds=60)
    assert found.safe == found.mines == frozenset()


def test_a_status_of_cpsat_that_is_no_answer_is_an_error() -> None:
    from csp_mines.solvers.cpsat import _Model

    boxes = [range(1 << 62)] * 2  # their sum may overflow, so CP-SAT does not take it
    model = _Model(boxes, [BoxConstraint((0, 1), 0, 1)], Deadline(None))
    with pytest.raises(EngineFault, match="MODEL_INVALID"):
        model.solve()


@needs_ganak
def test_an_answer_of_ganak_that_is_no_number_is_an_error(tmp_path: Path) -> None:
    """In place of pyganak the process apart finds a module that answers nonsense."""
    nonsense = (
        "class Counter:\n    new_vars = add_clauses = print\n    count = lambda self: 'c o'\n"
    )
    (tmp_path / "pyganak.py").write_text(nonsense)
    code = (
        "import sys\n"
        "from csp_mines.backend import load\n"
        "from csp_mines.constraints import Constraint, Problem\n"
        "sys.path.insert(0, sys.argv[1])\n"
        "load('ganak').count(Problem((Constraint((0, 1), 1, 1),)).regions[0])\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, tmp_path], capture_output=True, text=True, check=False
    )
    assert "EngineFault: ganak: ValueError: invalid literal for int()" in done.stderr


@needs_ganak
def test_ganak_keeps_its_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ganak, "LEAST_MEMORY", 12 << 20)
    (region,) = Frontier.of(lattice(13)).problem.regions
    with pytest.raises(TooWide, match="max_states is 400"):
        load("ganak", max_states=400).count(region)
