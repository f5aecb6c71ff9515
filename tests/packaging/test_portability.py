"""Nothing needs what only POSIX systems have. Each command runs in a Python without it."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
BOARD = "examples/boards/disarm-corner.txt"
SMALL = ("--size", "4x4", "--mines", "3", "--json")

# Python imports this at its start, in worker processes, too. The modules, functions and signals
# named here do not exist on Windows; the fork server and the files below /proc neither.
WITHOUT_POSIX = """
import builtins, os, signal, sys, multiprocessing
for module in ("fcntl", "grp", "posix_ipc", "pty", "pwd", "resource", "termios", "tty"):
    sys.modules[module] = None
for name in ("SIGALRM", "SIGHUP", "SIGURG", "SIGVTALRM", "alarm", "pthread_kill",
             "pthread_sigmask", "setitimer", "sigtimedwait", "sigwait"):
    delattr(signal, name)
for name in ("chown", "fork", "getuid", "geteuid", "getpgid", "killpg", "nice", "sched_getaffinity",
             "setpriority", "setsid", "statvfs", "sysconf"):
    delattr(os, name)
multiprocessing.get_all_start_methods = lambda: ["spawn"]
real = builtins.open
def no_proc(file, *rest, **named):
    if str(file).startswith("/proc/"):
        raise FileNotFoundError(2, "No such file or directory", file)
    return real(file, *rest, **named)
builtins.open = no_proc
exists = os.path.exists
os.path.exists = lambda path: not str(path).startswith("/proc/") and exists(path)
"""


@pytest.fixture(scope="module")
def bare(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """The environment of a Python without POSIX."""
    folder = tmp_path_factory.mktemp("bare")
    (folder / "sitecustomize.py").write_text(WITHOUT_POSIX, encoding="utf-8")
    return {**os.environ, "PYTHONPATH": str(folder), "XDG_STATE_HOME": str(folder)}


@pytest.mark.parametrize(
    ("words", "stdin"),
    [
        (("solve", BOARD, "--json"), ""),
        (("compare", BOARD, "--time-limit", "60", "--json"), ""),  # engines in processes apart
        (("simulate", "--games", "20", "--workers", "2", *SMALL), ""),
        (("assist", "--size", "4x4", "--mines", "3"), "1\nquit\n"),
    ],
)
def test_commands(bare: dict[str, str], words: tuple[str, ...], stdin: str) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "csp_mines", *words],
        cwd=ROOT, env=bare, input=stdin, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (0, "")
    if words[0] == "compare":
        compared = json.loads(done.stdout)["engines"]
        assert {"highs", "z3", "clingo"} <= {each["backend"] for each in compared}
        assert [each["backend"] for each in compared if each["out_of_time"]] == []


def test_modules_of_one_system_are_imported_only_where_they_may_be_missing() -> None:
    """Such a module is never imported at the top of a file."""
    own = re.compile(r"^(?:import|from) (?:fcntl|grp|msvcrt|pty|pwd|resource|termios|tty|winreg)\b")
    for folder in ("csp_mines", "solvers"):
        for path in (ROOT / folder).rglob("*.py"):
            lines = path.read_text(encoding="utf-8").splitlines()
            assert [line for line in lines if own.match(line)] == [], path


def test_no_path_of_one_system_is_written_into_the_code() -> None:
    """/proc is read only where it exists; other folders are never named."""
    absolute = re.compile(r"""["']/(?!proc/)(?:bin|dev|etc|home|tmp|usr|var)\b""")
    for folder in ("csp_mines", "solvers"):
        for path in (ROOT / folder).rglob("*.py"):
            assert not absolute.search(path.read_text(encoding="utf-8")), path
