"""An engine of another package, found by its entry point: examples/toy-engine, which
docs/adding-a-backend.md shows, and engines that do not keep their time limits."""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest

import csp_mines

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs/adding-a-backend.md").read_text(encoding="utf-8")
EXPERT = "examples/boards/expert.txt"

# The first sleeps in Python; the second is in a C function that holds the interpreter.
DEAF = """
import time
from csp_mines.solvers.native import Native

class Deaf(Native):
    name = "deaf"
    keeps_time = False
    reads_boards = False

    def analyze(self, question, memory=None):
        return super(Native, self).analyze(question, memory)

    def deduce(self, problem):
        while True:
            time.sleep(0.01)

    simplify = deduce

class Stuck(Deaf):
    name = "stuck"

    def deduce(self, problem):
        return 3 ** (10 ** 9)

    simplify = deduce

class Liar(Deaf):
    name = "liar"
    keeps_time = True
"""

# Engines with defects. Each has one method that does something wrong.
FAULTY = """
from csp_mines import Backend
from csp_mines.backend import Deduction

class Raising(Backend):
    name = summary = "raising"
    complete = True

    def deduce(self, problem):
        return 1 / 0

class Silent(Backend):
    name = summary = "silent"

    def deduce(self, problem):
        return None

class Beyond(Backend):
    name = summary = "beyond"

    def deduce(self, problem):
        return Deduction(frozenset([10**6]))

class Leaving(Backend):
    name = summary = "leaving"

    def deduce(self, problem):
        raise SystemExit

class Unversioned(Backend):
    name = summary = "unversioned"

    @classmethod
    def version(cls):
        raise KeyError("version")
"""
ENTRIES = """[csp_mines.backends]
deaf = deaf_engine:Deaf
stuck = deaf_engine:Stuck
liar = deaf_engine:Liar
raising = faulty_engine:Raising
silent = faulty_engine:Silent
beyond = faulty_engine:Beyond
leaving = faulty_engine:Leaving
unversioned = faulty_engine:Unversioned
no_class = faulty_engine:ZERO
broken = broken_engine:Broken
"""


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the example installed by pip, and the engines that ignore their limits."""
    folder = tmp_path_factory.mktemp("site")
    source = tmp_path_factory.mktemp("source") / "toy-engine"
    shutil.copytree(ROOT / "examples/toy-engine", source)
    subprocess.run(
        [sys.executable, "-m", "pip", "install", "-q", "--no-deps", "--no-build-isolation",
         "--no-index", "--disable-pip-version-check", "--target", folder, source],
        check=True,
    )  # fmt: skip
    (folder / "deaf_engine.py").write_text(DEAF, encoding="utf-8")
    (folder / "faulty_engine.py").write_text(FAULTY + "ZERO = 0\n", encoding="utf-8")
    (folder / "broken_engine.py").write_text("1 / 0\n", encoding="utf-8")
    info = folder / "deaf_engine-0.3.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: deaf-engine\nVersion: 0.3\n")
    (info / "entry_points.txt").write_text(ENTRIES)
    return folder


def python(site: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    path = os.pathsep.join([str(site), os.environ.get("PYTHONPATH", "")])
    return subprocess.run(
        [sys.executable, *arguments], cwd=ROOT, env=os.environ | {"PYTHONPATH": path},
        capture_output=True, text=True, check=False, timeout=60,
    )  # fmt: skip


def test_the_page_shows_the_example() -> None:
    folder = ROOT / "examples/toy-engine"
    for kind, file in (("python", "toy_engine.py"), ("toml", "pyproject.toml")):
        assert f"```{kind}\n{(folder / file).read_text(encoding='utf-8')}```" in PAGE


def test_the_python_of_the_page_runs() -> None:
    blocks = re.findall(r"```python\n(.*?)```", PAGE, re.S)
    assert len(blocks) == 3
    for block in blocks:
        exec(compile(block, "adding-a-backend.md", "exec"), {})


def test_the_example_keeps_every_promise(site: Path) -> None:
    done = python(site, "-m", "csp_mines.testing", "toy", "--problems", "20")
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.startswith("toy toy-engine 1.0\n")
    assert "16 of 16 promises kept" in done.stdout


def test_the_page_shows_what_the_suite_says(site: Path) -> None:
    kept, broken = re.findall(r"```text\n(.*?)```", PAGE, re.S)
    done = python(site, "-m", "csp_mines.testing", "toy", "--promise", "facts")
    assert done.stdout.splitlines()[:2] == kept.splitlines()[:2]
    ignoring = "tests.conformance.broken:IgnoresTheTotal"
    assert broken in python(site, "-m", "csp_mines.testing", ignoring, "--promise", "total").stdout


def test_the_commands_of_the_page_run(site: Path) -> None:
    """But for the suite and for pip, which other tests run."""
    commands = re.findall(r"^    csp-mines (.*)$", PAGE, re.M)
    assert len(commands) == 3
    for command in commands:
        done = python(site, "-m", "csp_mines", *shlex.split(command))
        assert done.returncode == 0, done.stderr
        assert "toy" in done.stdout


def test_the_version_is_that_of_the_package(site: Path) -> None:
    listed = json.loads(python(site, "-m", "csp_mines", "backends", "--json").stdout)
    versions = {engine["name"]: engine["version"] for engine in listed}
    assert versions["toy"] == "toy-engine 1.0"
    assert versions["single"] == csp_mines.__version__


@pytest.mark.parametrize("engine", ["toy", "deaf", "stuck"])
def test_a_time_limit_is_kept(site: Path, engine: str) -> None:
    begin = time.monotonic()
    done = python(site, "-m", "csp_mines", "solve", "-b", engine, "--time-limit", "1", EXPERT)
    assert time.monotonic() - begin < 10  # a loaded machine may take long to start the command
    assert (done.returncode, done.stdout) == (2, "")
    assert f"out of time: '{engine}' gave no answer within 1 second" in done.stderr


def test_the_comparison_goes_on_after_an_engine_that_ran_out_of_time(site: Path) -> None:
    engines = ("-b", "native", "-b", "stuck", "-b", "single")
    done = python(site, "-m", "csp_mines", "compare", *engines, "--time-limit", "0.5", EXPERT)
    assert done.returncode == 0, done.stderr
    rows = [line.split() for line in done.stdout.splitlines()]
    (stuck,) = (row for row in rows if row[:1] == ["stuck"])
    assert stuck[4:7] == ["out", "of", "time"]
    assert any(row[:1] == ["single"] for row in rows)


def test_the_library_keeps_the_limit_too(site: Path) -> None:
    code = (
        "import csp_mines\n"
        "try:\n"
        "    csp_mines.analyze([[-1, 1, -1]], backend='deaf', seconds=0.5).safe\n"
        "except csp_mines.OutOfTime as error:\n"
        "    print(error.engine, error.seconds)\n"
    )
    assert python(site, "-c", code).stdout == "deaf 0.5\n"


def test_an_engine_that_breaks_its_promise_about_time_is_ended(site: Path) -> None:
    code = (
        "import csp_mines\n"
        "from csp_mines.backend import load\n"
        "try:\n"
        "    load('liar', seconds=0.2).deduce(csp_mines.Problem(()))\n"
        "except csp_mines.OutOfTime as error:\n"
        "    print(error.engine, error.seconds)\n"
    )
    done = python(site, "-c", code)
    assert done.stdout == "liar 0.2\n", done.stderr


@pytest.mark.parametrize(
    ("engine", "what"),
    [
        ("raising", "deduce raised ZeroDivisionError: division by zero ("),
        ("silent", "deduce returned NoneType, expected Deduction"),
        ("beyond", "deduce returned 1000000, which is not a cell of the problem"),
        ("leaving", "deduce raised SystemExit"),
    ],
)
@pytest.mark.parametrize("limit", [(), ("--time-limit", "20")])
def test_a_defect_is_that_of_the_engine(
    site: Path, engine: str, what: str, limit: tuple[str, ...]
) -> None:
    done = python(site, "-m", "csp_mines", "solve", "-b", engine, *limit, EXPERT)
    assert (done.returncode, done.stdout) == (3, "")
    assert f"csp-mines: engine '{engine}' has a defect: {what}" in done.stderr
    assert "Report it to the authors of 'faulty_engine', or choose another engine" in done.stderr
    assert "defect of csp-mines" not in done.stderr


def test_the_comparison_goes_on_after_an_engine_that_failed(site: Path) -> None:
    engines = ("-b", "raising", "-b", "native", "-b", "silent", "-b", "single")
    done = python(site, "-m", "csp_mines", "compare", *engines, EXPERT)
    rows = {row[0]: row[4] for line in done.stdout.splitlines() if len(row := line.split()) > 5}
    assert rows["raising"] == rows["silent"] == "failed"
    assert (rows["native"], rows["single"]) == ("100%", "63%")
    assert done.returncode == 3
    assert done.stderr.count("has a defect") == 2
    answer = python(site, "-m", "csp_mines", "compare", "--json", *engines, EXPERT)
    failed = [engine["failed"] for engine in json.loads(answer.stdout)["engines"]]
    assert [each is not None for each in failed] == [True, False, True, False]


def test_engines_that_cannot_be_loaded_do_not_disturb_the_others(site: Path) -> None:
    listed = json.loads(python(site, "-m", "csp_mines", "backends", "--json").stdout)
    problems = {engine["name"]: engine["problem"] for engine in listed if engine["problem"]}
    assert problems.keys() == {"broken", "no_class", "unversioned"}
    assert "cannot be loaded: ZeroDivisionError: division by zero" in problems["broken"]
    assert problems["no_class"] == "backend 'no_class' is not a subclass of csp_mines.Backend"
    assert "has a defect: to_json raised KeyError: 'version'" in problems["unversioned"]
    done = python(site, "-m", "csp_mines", "solve", "-b", "broken", EXPERT)
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
