"""The suite itself: it catches engines that break a promise, and says which and on what."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path

import pytest

from csp_mines.constraints import Constraint, Problem
from csp_mines.testing.engines import find_engine
from csp_mines.testing.shrinking import shrunk, written
from csp_mines.testing.suite import PROMISES, Breach, Sample, run_suite

ROOT = Path(__file__).parents[2]


def breach(engine: str, promise: str) -> Breach | None:
    (chosen,) = (known for known in PROMISES if known.name == promise)
    return chosen.check(find_engine(f"tests.conformance.broken:{engine}"), Sample(problems=100))


@pytest.mark.parametrize(
    ("engine", "promise", "what"),
    [
        ("DropsAConstraint", "complete", "no layout fits, but deduce does not say so"),
        ("DropsAConstraint", "contradictions", "deduce does not say so"),
        ("ClaimsASafeCell", "sound", "is safe, but in some layout it is not"),
        ("IgnoresTheTotal", "total", "the engine misses that cell 8 is safe in every layout"),
        ("IgnoresWeights", "counts", "count returned RegionCount(low="),
        ("Changes", "arguments", "deduce changed the problem that it was given"),
        ("Forgets", "repetition", "the same problem got another answer the second time"),
        ("StatesNoFacts", "facts", "the class must state complete as bool, not 'yes'"),
        ("NeverStops", "deadline", "deduce with seconds=0.5 did not end within 3.5 seconds"),
        ("SwallowsSignals", "signals", "deduce went on for 3 seconds after Ctrl-C"),
    ],
)
def test_a_broken_promise_is_caught(engine: str, promise: str, what: str) -> None:
    found = breach(engine, promise)
    assert found is not None
    assert what in found.what


def test_an_engine_that_never_stops_is_not_checked_further() -> None:
    engine = find_engine("tests.conformance.broken:NeverStops")
    *kept, last = run_suite(engine, Sample(problems=5))
    assert [outcome.promise.name for outcome in kept] == ["facts", "options"]
    assert last.breach is not None


def test_the_problem_is_minimal() -> None:
    found = breach("DropsAConstraint", "complete")
    assert found is not None
    assert found.problem is not None
    assert len(found.problem.constraints) == 1
    assert eval(written(found.problem)) == found.problem


def test_shrinking_leaves_out_what_does_not_matter() -> None:
    told = Constraint((0, 1, 2), 1, 2, (1, 2, 3, 4)), Constraint((2, 3), 1, 1)
    small = shrunk(Problem(told, (8, 9), 3), lambda problem: 3 in problem.frontier)
    assert small == Problem((Constraint((3,), 1, 1),))


def test_the_command_tells_of_a_broken_promise() -> None:
    done = command("tests.conformance.broken:ClaimsASafeCell", "--promise", "sound")
    assert done.returncode == 1
    assert "sound           BROKEN  every deduction holds in every layout" in done.stdout
    assert "Problem((Constraint(" in done.stdout
    assert "0 of 1 promises kept" in done.stdout


def test_promises_that_were_not_checked_are_not_called_kept() -> None:
    done = command("tests.conformance.broken:NeverStops", "--problems", "5")
    assert done.returncode == 1
    said = "2 of 16 promises kept, 13 not checked because the time limit was missed, "
    assert done.stdout.splitlines()[-1].startswith(said)


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no SIGINT for one process")
def test_ctrl_c_ends_the_trials_of_commands_without_a_traceback() -> None:
    with subprocess.Popen(
        [sys.executable, "-m", "csp_mines.testing", "--commands"],
        cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    ) as process:  # fmt: skip
        assert process.stdout is not None
        assert process.stdout.readline().split() == ["--version", "ok"]
        process.send_signal(signal.SIGINT)
        assert process.communicate()[1] == "stopped\n"
        assert process.returncode == 130


@pytest.mark.parametrize(
    ("engine", "told"),
    [
        ("nobody", "unknown backend 'nobody'"),
        ("tests.conformance.nowhere:Engine", "cannot be loaded"),
        ("tests.oracle:Truth", "is not a subclass of csp_mines.Backend"),
        ("pysat:", "expected the name of an engine, or package.module:Class, not 'pysat:'"),
    ],
)
def test_an_engine_that_is_not_there(engine: str, told: str) -> None:
    done = command(engine)
    assert (done.returncode, done.stdout) == (2, "")
    assert told in done.stderr
    assert done.stderr.count("\n") == 1


def command(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "csp_mines.testing", *arguments],
        cwd=ROOT, capture_output=True, text=True, check=False,
    )  # fmt: skip
