"""Measure the figures of README and docs again, and write them into the pages: `make figures`.

    python benchmarks/figures.py                       # all of them; this takes hours
    python benchmarks/figures.py "agents, speed"       # only these
    python benchmarks/figures.py --list                # what there is, and the command of each

A figure is what a script prints, and below it the command with its sizes. It stands in its page
between two comments, which name it. The figures of the front page are copied from those of the
other pages.
"""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT / "examples" / "reports"))

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


FIGURES = [
    Figure("docs/agents.md", "agents, speed", "benchmarks/games.py --seconds 2"),
    Figure("docs/agents.md", "agents, proofs", "benchmarks/games.py --check 1000"),
    Figure(
        "docs/influence.md",
        "influence, study",
        "examples/influence_study.py --plot docs/pictures/influence-study.svg",
    ),
    Figure(
        "docs/installing.md", "installing, environments", "benchmarks/environments.py --problems 5"
    ),
    Figure("docs/review.md", "review, layouts", "benchmarks/review.py layouts --games 900"),
    Figure("docs/review.md", "review, chances", "benchmarks/review.py chances --games 10000"),
    Figure("docs/review.md", "review, clicks", "benchmarks/review.py clicks --games 5000"),
    Figure("docs/review.md", "review, needless", "benchmarks/review.py needless --games 10000"),
    Figure("docs/winning.md", "winning, rates", "benchmarks/win_rates.py levels --games 400000"),
    Figure(
        "docs/winning.md",
        "winning, ingredients",
        "benchmarks/win_rates.py ingredients --games 40000",
    ),
    Figure("docs/winning.md", "winning, first cell", "benchmarks/win_rates.py first --games 60000"),
    Figure(
        "docs/winning.md",
        "winning, guesses",
        "benchmarks/winning.py guesses --positions 150 --games 300 win win:strong",
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
    Figure(
        "docs/generation.md",
        "generation, speed",
        "benchmarks/generation.py --seconds 0.5 --boards 300",
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
        "benchmarks/exact.py --boards 20000 --problems 1500 --seed 17",
    ),
    Figure(
        "docs/performance.md",
        "performance, deduction",
        "benchmarks/deduction.py --file expert-guess dense-30x30-300",
    ),
    Figure("docs/write-a-bot.md", "bots, gym", "benchmarks/gym_games.py --games 10000"),
    Figure(
        "docs/checking.md",
        "checking, problems",
        "benchmarks/problems.py --problems 50000 --seed 4711",
    ),
    Figure(
        "docs/explaining.md",
        "explaining, speed",
        "benchmarks/explanations.py tests/data/expert-guess.jsonl",
    ),
    Figure("docs/performance.md", "performance, batch", "benchmarks/batch.py"),
    Figure("docs/performance.md", "performance, agreement", "benchmarks/agreement.py 2000"),
]
REPORTS = [f"examples/reports/report{number}.py" for number in range(5)]
FRONT = Figure("README.md", "front, figures", "benchmarks/figures.py front")


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    known = {**{figure.name: figure for figure in FIGURES}, "reports": None, "front": None}
    parser.add_argument("names", nargs="*", metavar="NAME", help="by default all figures")
    parser.add_argument("--list", action="store_true", help="list the figures")
    given = parser.parse_args()
    unknown = [name for name in given.names if name not in known]
    if unknown:
        parser.error(f"there is no figure {unknown[0]!r}; --list shows all")
    if given.list:
        for figure in FIGURES:
            print(f"{figure.name}: python {figure.command} → {figure.page}")
        print("reports: python examples/reports/report….py → docs/reports.md\nfront → README.md")
        return
    for name in given.names or known:
        figure = known[name]
        if figure is not None:
            text = printed(figure.command)
            replace_section(figure.path, name, f"{text}\n{written_by(figure)}\n")
        elif name == "reports":
            for script in REPORTS:
                subprocess.run([sys.executable, script, "--into", "docs/reports.md"], check=True)
        else:
            replace_section(FRONT.path, FRONT.name, front())


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
    main()
