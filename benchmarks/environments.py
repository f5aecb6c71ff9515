"""Install csp-mines into fresh environments, one after the other, and try every command in each.

    python benchmarks/environments.py                 # all of them; needs uv, and a compiler
    python benchmarks/environments.py base-3.12 web   # only these
    python benchmarks/environments.py --wheels dist   # with wheels that are built already

An environment is a Python and what is installed: nothing but the package, one extra, all extras,
the lowest versions that pyproject.toml allows, a build without a compiler, everything but ortools.
In each, the commands run in an empty folder (as by `python -m csp_mines.testing --commands`), and
the engines keep their promises. The table has the size on disk of what is installed.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
import tomllib
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
EXTRAS = [
    name for name in PROJECT["optional-dependencies"] if name not in ("bench", "docs", "test")
]
PYTHONS = ("3.11", "3.12", "3.13")
ENGINES = ("single", "subtraction", "gauss", "pysat", "cpsat", "native")


@dataclass(frozen=True)
class Environment:
    """What is installed, and with which Python. `how` are options of the installer."""

    name: str
    python: str = "3.11"
    extra: str = ""
    how: tuple[str, ...] = ()
    without: str = ""
    compiled: bool = True
    engines: tuple[str, ...] = field(default=ENGINES)


ENVIRONMENTS = (
    *(Environment(f"base-{python}", python) for python in PYTHONS),
    *(Environment(extra, extra=extra) for extra in EXTRAS if extra != "all"),
    *(Environment(f"all-{python}", python, "all") for python in PYTHONS),
    Environment("lowest", how=("--resolution", "lowest-direct")),
    Environment("no-compiler", compiled=False),
    Environment(
        "without-ortools", without="ortools", engines=tuple(e for e in ENGINES if e != "cpsat")
    ),
)


def main() -> int:
    """Make the environments that are named, or all. The exit status is 1 if one does not work."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("name", nargs="*", help=", ".join(each.name for each in ENVIRONMENTS))
    parser.add_argument("--wheels", type=Path, help="a folder with wheels of csp-mines")
    parser.add_argument("--problems", type=int, default=20, help="for each engine")
    asked = parser.parse_args()
    uv = shutil.which("uv")
    if uv is None:
        parser.error("uv is not installed: pip install uv")
    failed = 0
    print(
        "| environment | Python | packages | MB | kernel | commands | engines |\n"
        + "|---" * 7
        + "|"
    )
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        for environment in ENVIRONMENTS:
            if environment.name in (asked.name or [each.name for each in ENVIRONMENTS]):
                wheel = _wheel(uv, environment, asked.wheels, place)
                row, fine = _tried(uv, environment, wheel, place / "env", asked.problems)
                print(row, flush=True)
                failed += not fine
    return 1 if failed else 0


def _wheel(uv: str, environment: Environment, given: Path | None, place: Path) -> Path:
    """Return the wheel for an environment; build it if it is not there."""
    folder = place / "wheels" / environment.python / ("" if environment.compiled else "pure")
    tag = f"cp{environment.python.replace('.', '')}" if environment.compiled else "py3"
    for source in filter(None, (given, folder)):
        for wheel in source.glob(f"*-{tag}-*.whl"):
            return wheel
    blind = {} if environment.compiled else {"CC": "/bin/false", "CXX": "/bin/false"}
    subprocess.run(
        [uv, "build", "-q", "--wheel", "-p", _python(environment.python), "-o", folder, ROOT],
        env={**os.environ, **blind}, check=True,
    )  # fmt: skip
    (wheel,) = folder.glob("*.whl")
    return wheel


def _python(version: str) -> str:
    """Return the interpreter of a version: as the shell finds it, or among those of pyenv."""
    if sys.version.startswith(f"{version}."):
        return sys.executable
    homes = sorted(Path.home().glob(f".pyenv/versions/{version}.*/bin/python"))
    return str(homes[-1]) if homes else f"python{version}"


def _tried(
    uv: str, environment: Environment, wheel: Path, place: Path, problems: int
) -> tuple[str, bool]:
    """Make an environment, try everything in it, and remove it. Return its row of the table, and
    whether everything works."""
    shutil.rmtree(place, ignore_errors=True)
    subprocess.run([uv, "venv", "-q", "-p", _python(environment.python), place], check=True)
    python = place / ("Scripts" if os.name == "nt" else "bin") / "python"
    what = f"csp-mines[{environment.extra}] @ {wheel.resolve().as_uri()}"
    direct = PROJECT["dependencies"] if environment.how else []  # else uv lowers csp-mines alone
    install = [uv, "pip", "install", "-q", "-p", python, *environment.how]
    install += [what.replace("[]", ""), *direct]
    subprocess.run(install, check=True)
    if environment.without:
        subprocess.run(
            [uv, "pip", "uninstall", "-q", "-p", python, environment.without], check=True
        )
    listed = subprocess.run(
        [uv, "pip", "list", "-q", "-p", python], capture_output=True, text=True, check=True
    )
    packages = len(listed.stdout.splitlines()) - 2
    size = sum(path.stat().st_size for path in place.rglob("*") if path.is_file()) / 1e6
    kernel = _said(python, "-c", "import csp_mines.solvers.native._kernel")[0] == 0
    commands = _said(python, str(ROOT / "csp_mines" / "testing" / "commands.py"))
    engines = _said(
        python, "-m", "csp_mines.testing", *environment.engines, "--problems", str(problems)
    )
    kept = engines[1].count("16 of 16 promises kept")
    done = re.findall(r"^\d+ of \d+ commands .*", commands[1], re.MULTILINE)
    fine = commands[0] == engines[0] == 0 and kernel == environment.compiled
    if not fine:
        print(commands[1], engines[1], file=sys.stderr)
    row = (
        environment.name, environment.python, packages, f"{size:.0f}", "yes" if kernel else "no",
        done[-1] if done else "failed", f"{kept} of {len(environment.engines)} keep their promises",
    )  # fmt: skip
    shutil.rmtree(place)
    return "| " + " | ".join(map(str, row)) + " |", fine


def _said(python: Path, *arguments: str) -> tuple[int, str]:
    """Run Python outside the checkout. Return its exit status and what it printed."""
    with tempfile.TemporaryDirectory() as elsewhere:
        done = subprocess.run(
            [python, "-P", *arguments], cwd=elsewhere, capture_output=True, text=True, check=False
        )
    return done.returncode, done.stdout + done.stderr


if __name__ == "__main__":
    sys.exit(main())
