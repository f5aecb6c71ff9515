"""Install csp-mines into fresh environments, one after the other, and try every command in each.

    python benchmarks/environments.py                 # all of them; needs uv, and a compiler
    python benchmarks/environments.py base-3.12 web   # only these
    python benchmarks/environments.py --wheels dist   # with wheels that are built already
    python benchmarks/environments.py --kept FILE     # without those that FILE has

An environment is a Python and what is installed: nothing but the package, one extra, all extras,
the lowest versions that pyproject.toml allows, a build without a compiler, everything but ortools.
In each, outside the checkout, every command runs (`python -m csp_mines.testing --commands`), the
engines that are installed keep their promises (`python -m csp_mines.testing`; not again where an
extra brings no engine), and what an extra is for is tried once. The table has the size on disk of
what is installed.

All of them take about ten minutes and a network. With --kept, the rows are kept in a file. A row is
taken from the file as long as everything that goes into the wheel is the same as when it was made.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import tomllib
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
EXTRAS = [
    name for name in PROJECT["optional-dependencies"] if name not in ("bench", "docs", "test")
]
PYTHONS = ("3.11", "3.12", "3.13")
WITH_ENGINES = ("", "engines", "ganak", "all")


@dataclass(frozen=True)
class Environment:
    """What is installed, and with which Python. `how` are options of the installer."""

    name: str
    python: str = "3.11"
    extra: str = ""
    how: tuple[str, ...] = ()
    without: str = ""
    compiled: bool = True


ENVIRONMENTS = (
    *(Environment(f"base-{python}", python) for python in PYTHONS),
    *(Environment(extra, extra=extra) for extra in EXTRAS if extra != "all"),
    *(Environment(f"all-{python}", python, "all") for python in PYTHONS),
    Environment("lowest", how=("--resolution", "lowest-direct")),
    Environment("no-compiler", compiled=False),
    Environment("without-ortools", without="ortools"),
)

PICTURE = ROOT / "docs" / "pictures" / "page-play-light.png"
WORKS = {  # what each extra is for, as a program
    "plots": """
import csp_mines
csp_mines.draw_board([[-1, 1, -1]]).save("board.png")
""",
    "book": """
import sys
from csp_mines.__main__ import main
sys.argv[1:] = "generate --puzzle --size 4x4 --mines 4 --book book.pdf".split()
sys.exit(main())
""",
    "ganak": """
import csp_mines
assert csp_mines.analyze([[-1, 1, -1, 1, -1]], mines=1, backend="ganak").safe
""",
    "engines": """
import csp_mines
for name in ("z3", "clingo", "sdd"):
    assert csp_mines.analyze([[-1, 1, -1, 1, -1]], mines=1, backend=name).safe
""",
    "dask": """
import csp_mines, distributed
setup = csp_mines.Setup(csp_mines.LEVELS["beginner"])
plan = csp_mines.Plan(agents=["exact"], setups=[setup], games=5)
if __name__ == "__main__":
    with distributed.LocalCluster(1, processes=False, dashboard_address=None) as cluster:
        results = csp_mines.simulate(plan, dask=cluster.scheduler_address)
    assert len(list(results.of("exact"))) == 5
""",
    "web": """
import socket, subprocess, sys, urllib.request
with socket.create_server(("127.0.0.1", 0)) as free:
    port = str(free.getsockname()[1])
words = [sys.executable, "-P", "-m", "csp_mines", "web", "--no-browser", "--port", port]
server = subprocess.Popen(words, stdout=subprocess.PIPE, text=True)
try:
    assert port in server.stdout.readline()
    assert b"<title>" in urllib.request.urlopen(f"http://127.0.0.1:{port}").read()
finally:
    server.terminate()
""",
    "screenshots": f"""
import csp_mines
assert csp_mines.read_picture({str(PICTURE)!r}).board.rows == 16
""",
    "gym": """
import gymnasium, csp_mines.gym
gymnasium.make("csp_mines/Minesweeper-v0").reset(seed=1)
""",
    "notebook": """
import csp_mines, jupyterlab
from csp_mines.web.widget import BoardWidget
BoardWidget(csp_mines.Board.parse("?1?"))
""",
    "videos": """
import ms_toollib
ms_toollib.AvfVideo
""",
}


def main() -> int:
    """Make the environments that are named, or all. The exit status is 1 if one does not work."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("name", nargs="*", help=", ".join(each.name for each in ENVIRONMENTS))
    parser.add_argument("--wheels", type=Path, help="a folder with wheels of csp-mines")
    parser.add_argument("--problems", type=int, default=20, help="for each engine")
    parser.add_argument("--kept", type=Path, metavar="FILE", help="where rows are kept")
    asked = parser.parse_args()
    kept = Kept(asked.kept, f"{sources()} {asked.problems}")
    uv = shutil.which("uv")
    if uv is None:
        parser.error("uv is not installed: pip install uv")
    failed = 0
    print(
        "| environment | Python | packages | MB | kernel | commands that work | "
        "engines that keep their promises | the extra |\n" + "|---" * 8 + "|"
    )
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        for environment in ENVIRONMENTS:
            if environment.name in (asked.name or [each.name for each in ENVIRONMENTS]):
                row = kept.rows.get(environment.name)
                if row is None:
                    wheel = _wheel(uv, environment, asked.wheels, place)
                    row, fine = _tried(uv, environment, wheel, place / "env", asked.problems)
                    failed += not fine
                    if fine:
                        kept.add(environment.name, row)
                print(row, flush=True)
    return 1 if failed else 0


class Kept:
    """Rows of the table, in a file if there is one. `of` says what they are rows of: rows of
    anything else are forgotten."""

    def __init__(self, path: Path | None, of: str) -> None:
        self.path, self.of = path, of
        told = json.loads(path.read_text(encoding="utf-8")) if path and path.exists() else {}
        self.rows: dict[str, str] = told["rows"] if told.get("of") == of else {}

    def add(self, name: str, row: str) -> None:
        """Add a row, and write the file."""
        self.rows[name] = row
        if self.path is not None:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            text = json.dumps({"of": self.of, "rows": self.rows}, indent=1, ensure_ascii=False)
            self.path.write_text(text, encoding="utf-8")


def sources() -> str:
    """Return a digest of everything that goes into the wheel."""
    paths = [ROOT / "pyproject.toml", ROOT / "CMakeLists.txt"]
    for folder in ("csp_mines", "solvers"):
        paths += (ROOT / folder).rglob("*")
    digest = hashlib.sha256()
    for path in sorted(paths):
        if path.is_file() and path.suffix not in (".pyc", ".so", ".pyd"):
            digest.update(f"{path.relative_to(ROOT).as_posix()}\n".encode())
            digest.update(path.read_bytes())
    return digest.hexdigest()


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
    python, packages = _installed(uv, environment, wheel, place)
    size = sum(path.stat().st_size for path in place.rglob("*") if path.is_file()) / 1e6
    kernel = _said(python, "-c", "import csp_mines.solvers.native._kernel")[0] == 0
    commands = _said(python, "-m", "csp_mines.testing", "--commands")
    suite = "-m", "csp_mines.testing", "--problems", str(problems)
    engines = _said(python, *suite) if environment.extra in WITH_ENGINES else (0, "")
    extras = WORKS if environment.extra == "all" else filter(None, [environment.extra])
    idle = [extra for extra in extras if not _works(python, extra)]
    kept = re.findall(r"^(\d+) of (\d+) promises kept", engines[1], re.MULTILINE)
    whole = sum(done == promised for done, promised in kept)
    worked = re.findall(r"^(\d+ of \d+) commands ", commands[1], re.MULTILINE)
    fine = commands[0] == engines[0] == 0 and kernel == environment.compiled and not idle
    if not fine:
        print(commands[1], engines[1], file=sys.stderr)
    row = (
        environment.name, environment.python, packages, f"{size:.0f}", "yes" if kernel else "no",
        worked[-1] if worked else "failed", f"{whole} of {len(kept)}" if kept else "",
        f"does not work: {', '.join(idle)}" if idle else "works" if environment.extra else "",
    )  # fmt: skip
    shutil.rmtree(place)
    return "| " + " | ".join(map(str, row)) + " |", fine


def _installed(uv: str, environment: Environment, wheel: Path, place: Path) -> tuple[Path, int]:
    """Make an environment. Return its Python, and how many packages are installed."""
    shutil.rmtree(place, ignore_errors=True)
    subprocess.run([uv, "venv", "-q", "-p", _python(environment.python), place], check=True)
    python = place / ("Scripts" if os.name == "nt" else "bin") / "python"
    what = f"csp-mines[{environment.extra}] @ {wheel.resolve().as_uri()}".replace("[]", "")
    direct = PROJECT["dependencies"] if environment.how else []  # else uv lowers csp-mines alone
    install = [uv, "pip", "install", "-q", "-p", python, *environment.how, what, *direct]
    subprocess.run(install, check=True)
    if environment.without:
        remove = [uv, "pip", "uninstall", "-q", "-p", python, environment.without]
        subprocess.run(remove, check=True)
    listed = subprocess.run(
        [uv, "pip", "list", "-q", "-p", python], capture_output=True, text=True, check=True
    )
    return python, len(listed.stdout.splitlines()) - 2


def _works(python: Path, extra: str) -> bool:
    """Return whether what an extra is for works. Print why, if it does not."""
    with tempfile.TemporaryDirectory() as folder:
        program = Path(folder, "tried.py")
        program.write_text(WORKS[extra], encoding="utf-8")
        status, said = _said(python, str(program))
    if status != 0:
        print(f"{extra}: {said}", file=sys.stderr)
    return status == 0


def _said(python: Path, *arguments: str) -> tuple[int, str]:
    """Run Python outside the checkout. Return its exit status and what it printed."""
    with tempfile.TemporaryDirectory() as elsewhere:
        done = subprocess.run(
            [python, "-P", *arguments], cwd=elsewhere, capture_output=True, text=True, check=False
        )
    return done.returncode, done.stdout + done.stderr


if __name__ == "__main__":
    sys.exit(main())
