"""Measure the figures of README and docs again, and write them into the pages: `make figures`.

    python benchmarks/figures.py                       # all of them; this takes about an hour
    python benchmarks/figures.py "agents, speed"       # only these
    python benchmarks/figures.py --jobs 2              # two at a time; times get worse
    python benchmarks/figures.py --list                # what there is, and the command of each

A figure is what a script prints, and below it the command with its sizes. It stands in its page
between two comments, which name it. It is written as soon as it is measured. A figure whose script
fails stays as it was; the others are still measured, and the exit status is 1. The figures of the
front page are copied from those of the other pages.

The games of the five reports are kept in build/reports, so a second run continues a first one that
was stopped. So are the environments, in build/environments.json, as long as the wheel would be the
same. One page is not measured here: docs/screenshots.md needs a folder of screenshots of other
programs, which are not part of this project (`benchmarks/pictures.py FOLDER`).
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass
from pathlib import Path
from threading import Lock

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT / "examples" / "reports"))
WRITING = Lock()  # two figures may be of one page

from rebuild import replace_section  # noqa: E402


@dataclass(frozen=True)
class Figure:
    """A section of a page, and the script with its arguments that prints it."""

    page: str
    name: str
    command: str

    @property
    def path(self) -> Path:
        return ROOT / self.page

    def measure(self) -> None:
        """Run the script, and write what it prints into the page."""
        text = printed(self.command)
        with WRITING:
            replace_section(self.path, self.name, f"{text}\n{written_by(self)}\n")


FIGURES = [
    Figure("docs/agents.md", "agents, speed", "benchmarks/games.py --seconds 1"),
    Figure("docs/agents.md", "agents, proofs", "benchmarks/games.py --check 1000"),
    Figure("docs/checking.md", "checking, faults", "benchmarks/faults.py --count"),
    Figure(
        "docs/checking.md",
        "checking, fuzzer",
        "benchmarks/fuzz_engines.py --kind small=1000 --kind dense-small=40 --kind gaps=40",
    ),
    Figure(
        "docs/checking.md",
        "checking, problems",
        "benchmarks/problems.py --problems 15000 --seed 4711",
    ),
    Figure("docs/checking.md", "checking, assemblies", "benchmarks/assemblies.py 1000 7"),
    Figure(
        "docs/checking.md",
        "checking, wide boards",
        "benchmarks/wide.py count --boards 40 --seed 4242",
    ),
    Figure(
        "docs/checking.md",
        "checking, wide estimates",
        "benchmarks/wide.py estimate --modes 50 --beside 12 --boards 8 --seconds 3 --seed 2027",
    ),
    Figure("docs/checking.md", "checking, grades", "benchmarks/labels.py --each 50"),
    Figure(
        "docs/checking.md",
        "checking, sampling",
        "benchmarks/sampling.py --positions 1000 --seed 2026",
    ),
    Figure("docs/checking.md", "checking, noisy moves", "benchmarks/noisy_moves.py --games 200"),
    Figure(
        "docs/explaining.md",
        "explaining, speed",
        "benchmarks/explanations.py tests/data/expert-guess.jsonl",
    ),
    Figure(
        "docs/explaining.md",
        "explaining, checks",
        "benchmarks/explanations.py tests/data/expert-guess.jsonl --check",
    ),
    Figure("docs/exports.md", "exports, checked", "benchmarks/exports.py 100"),
    Figure("docs/formats.md", "formats, mutated", "benchmarks/mutated_texts.py --texts 20000"),
    Figure(
        "docs/generation.md",
        "generation, speed",
        "benchmarks/generation.py --seconds 0.5 --boards 300",
    ),
    Figure("docs/grids.md", "grids, checked", "benchmarks/grids.py 200"),
    Figure(
        "docs/influence.md",
        "influence, study",
        "examples/influence_study.py --plot docs/pictures/influence-study.svg",
    ),
    Figure("docs/performance.md", "performance, outside", "benchmarks/probabilities.py --cap 10"),
    Figure("docs/performance.md", "performance, growth", "benchmarks/growth.py --seeds 3"),
    Figure(
        "docs/performance.md",
        "performance, large boards",
        "benchmarks/large_boards.py --size 1000 3000",
    ),
    Figure(
        "docs/performance.md",
        "performance, exact",
        "benchmarks/exact.py --boards 3000 --problems 300 --seed 17",
    ),
    Figure(
        "docs/performance.md",
        "performance, deduction",
        "benchmarks/deduction.py --file expert-guess dense-30x30-300",
    ),
    Figure("docs/performance.md", "performance, batch", "benchmarks/batch.py"),
    Figure("docs/performance.md", "performance, grids", "benchmarks/grid_speed.py 100"),
    Figure("docs/performance.md", "performance, agreement", "benchmarks/agreement.py 2000"),
    Figure("docs/review.md", "review, layouts", "benchmarks/review.py layouts --games 900"),
    Figure("docs/review.md", "review, chances", "benchmarks/review.py chances --games 4000"),
    Figure("docs/review.md", "review, clicks", "benchmarks/review.py clicks --games 5000"),
    Figure("docs/review.md", "review, needless", "benchmarks/review.py needless --games 10000"),
    Figure("docs/simulating.md", "simulating, memory", "benchmarks/memory.py --seconds 10"),
    Figure("docs/web.md", "page, measured", "benchmarks/web.py --seconds 15 --fuzzed 5000"),
    Figure(
        "docs/winning.md",
        "winning, rates",
        "benchmarks/win_rates.py levels --games 400000 --workers 1",
    ),
    Figure(
        "docs/winning.md",
        "winning, ingredients",
        "benchmarks/win_rates.py ingredients --games 40000 --workers 1",
    ),
    Figure(
        "docs/winning.md",
        "winning, first cell",
        "benchmarks/win_rates.py first --games 60000 --workers 1",
    ),
    Figure(
        "docs/winning.md",
        "winning, guesses",
        "benchmarks/winning.py guesses win win:strong --positions 150 --games 300",
    ),
    Figure("docs/winning.md", "winning, losses", "benchmarks/winning.py losses --games 4000"),
    Figure("docs/winning.md", "winning, optimal", "benchmarks/winning.py optimal"),
    Figure("docs/winning.md", "winning, second cell", "benchmarks/winning.py second --games 1000"),
    Figure(
        "docs/winning.md",
        "winning, calibration",
        "benchmarks/winning.py calibration --positions 500 --games 50",
    ),
    Figure(
        "docs/winning.md",
        "winning, regret",
        "benchmarks/winning.py regret exact win:fast win --positions 2000",
    ),
    Figure("docs/winning.md", "winning, move", "benchmarks/api.py --only moves"),
    Figure("docs/write-a-bot.md", "bots, own agents", "benchmarks/own_agents.py --games 2000"),
    Figure("docs/write-a-bot.md", "bots, gym", "benchmarks/gym_games.py --games 5000"),
    Figure(
        "docs/installing.md",
        "installing, environments",
        "benchmarks/environments.py --problems 5 --kept build/environments.json",
    ),
]
REPORTS = {
    f"report {number}": f"examples/reports/report{number}.py --into docs/reports.md --workers 1"
    for number in range(5)
}
NOTEBOOKS = "examples/notebooks/run.py"
FRONT = Figure("README.md", "front, figures", "benchmarks/figures.py front")


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    known = parts()
    parser.add_argument("names", nargs="*", metavar="NAME", help="by default all figures")
    parser.add_argument("--list", action="store_true", help="list the figures")
    parser.add_argument("--jobs", type=int, default=1, help="how many are measured at a time")
    given = parser.parse_args()
    unknown = [name for name in given.names if name not in known]
    if unknown:
        parser.error(f"there is no figure {unknown[0]!r}; --list shows all")
    if given.list:
        for figure in FIGURES:
            print(f"{figure.name}: python {figure.command} → {figure.page}")
        for name, command in REPORTS.items():
            print(f"{name}: python {command}")
        print(f"notebooks: python {NOTEBOOKS}\nfront → {FRONT.page}")
        return 0
    return measure({name: known[name] for name in given.names or known}, given.jobs)


def parts() -> dict[str, Callable[[], None]]:
    """Everything that can be measured, by name. The front page comes last: it copies the others."""
    known = {figure.name: figure.measure for figure in FIGURES}
    for name, command in {**REPORTS, "notebooks": NOTEBOOKS}.items():
        known[name] = lambda command=command: print(printed(command), end="", file=sys.stderr)
    return {**known, "front": lambda: replace_section(FRONT.path, FRONT.name, front())}


def measure(chosen: dict[str, Callable[[], None]], jobs: int) -> int:
    """Measure some parts, and say which failed."""
    failed = []
    last = {name: chosen.pop(name) for name in ("front",) if name in chosen}
    number = len(chosen) + len(last)
    for group in (chosen, last):
        with ThreadPoolExecutor(jobs) as pool:
            begun = {pool.submit(timed, part): name for name, part in group.items()}
            for done in as_completed(begun):
                name, (trouble, took) = begun[done], done.result()
                failed += [name] if trouble else []
                number -= 1
                told = f"failed: {trouble}" if trouble else "written"
                print(f"{name}: {told} after {took}; {number} to go", file=sys.stderr, flush=True)
    if failed:
        print(f"failed: {'; '.join(failed)}", file=sys.stderr)
    return 1 if failed else 0


def timed(part: Callable[[], None]) -> tuple[str, str]:
    """Measure a part. Return why it failed, and how long it took."""
    begin, spent, trouble = time.monotonic(), processor_time(), ""
    try:
        part()
    except (subprocess.CalledProcessError, SystemExit, OSError, AssertionError) as error:
        trouble = str(error) or type(error).__name__
    took = time.monotonic() - begin
    return trouble, f"{took:.0f} s ({processor_time() - spent:.0f} s of the processor)"


def processor_time() -> float:
    """The processor time of all scripts so far."""
    used = os.times()
    return used.children_user + used.children_system


def written_by(figure: Figure) -> str:
    """The last line of a figure: the command that measured it."""
    return f"Measured by `python {figure.command}`."


def printed(command: str) -> str:
    """What a script prints, without blank lines around it."""
    done = subprocess.run(
        [sys.executable, *command.split()], cwd=ROOT, stdout=subprocess.PIPE, text=True, check=True
    )
    return done.stdout.strip() + "\n"


def section(name: str) -> str:
    """A figure as it stands in its page."""
    figure = next(figure for figure in FIGURES if figure.name == name)
    found = re.search(
        f"<!-- {name}: begin -->\n(.*?)<!-- {name}: end -->", figure.path.read_text(), re.DOTALL
    )
    assert found is not None, name
    return found[1]


def row(name: str, *begin: str) -> list[str]:
    """The cells of the first row of a figure that begins with these cells."""
    for line in section(name).splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if cells[: len(begin)] == list(begin):
            return cells
    raise SystemExit(f"{name} has no row {begin}")


def front() -> str:
    """The four figures of the front page, each with its script."""
    outside = row("performance, outside", "expert-guess (14)", "compiled")
    rates = row("winning, rates", "expert", "safe, corner")
    made = row("generation, speed", "16×30/99", "8,15", "csp-mines uniform")
    digits = re.search(
        r"(.* random boards are equal in every digit) \(", section("performance, exact")
    )
    assert digits is not None
    lines = [
        (
            "exact",
            f"{digits[1]}: compiled kernel and pure Python count the same layouts",
            "benchmarks/exact.py",
        ),
        (
            "fast",
            f"an expert position in {outside[2]} ms of processor time (median), {outside[8]} "
            "faster than ms_toollib",
            "benchmarks/probabilities.py",
        ),
        (
            "strong",
            f"the agent `win` wins {rates[4]} of expert games from a safe corner; opening the "
            f"safest cell wins {rates[3]}",
            "benchmarks/win_rates.py",
        ),
        (
            "productive",
            f"{made[3]} expert games without a guess per second of processor time: {made[4]} times "
            "as many as ms_toollib at its best",
            "benchmarks/generation.py",
        ),
    ]
    table = [f"| {what} | {figure} | `{script}` |" for what, figure, script in lines]
    return "\n".join(["| | | measured by |", "|---|---|---|", *table]) + "\n"


if __name__ == "__main__":
    sys.exit(main())
