"""Help, usage lines, the values of options, and completion by the shell."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from csp_mines.cli import COMMANDS, whole_app
from tests.cli.runner import run

PYTHON_TYPES = re.compile(r"<|\blist\[|\bint\b|\bstr\b|\bfloat\b|\bx[<>]=|TEXT|INTEGER|FLOAT")


@pytest.mark.parametrize("command", COMMANDS)
def test_help_has_words_instead_of_python_types(command: str) -> None:
    help = run(command, "--help").out
    assert not PYTHON_TYPES.search(help), help
    usage, _, rest = help.partition("\n\n")
    assert re.fullmatch(
        r"Usage: csp-mines \w+ \[OPTIONS\](?:\s+\[?[A-Z][A-Z,]*(?:\.\.\.)?\]?)*", usage
    ), usage
    assert max(map(len, rest.splitlines())) <= 80


def test_usage_tells_what_may_be_left_out() -> None:
    for command, usage in (
        ("solve", "[BOARD...]"),
        ("compare", "BOARD..."),
        ("explain", "BOARD [ROW,COL]"),
        ("assist", "[BOARD]"),
    ):
        assert run(command, "-h").out.startswith(f"Usage: csp-mines {command} [OPTIONS] {usage}\n")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("solve", "x", "--mines", "lots"), "--mines needs a whole number, not 'lots'"),
        (("solve", "x", "-m", "1.5"), "--mines needs a whole number, not '1.5'"),
        (("simulate", "-n", "0"), "--games needs a whole number from 1 on, not '0'"),
        (("web", "--port", "0"), "--port needs a whole number from 1 to 65,535, not '0'"),
        (("simulate", "-d", "x"), "--density needs a number, not 'x'"),
        (("draw", "x", "y.png", "--scale", "9"), "--scale needs a number from 0.25 to 8, not '9'"),
    ],
)
def test_a_wrong_number_is_told_with_its_option(words: tuple[str, ...], message: str) -> None:
    answer = run(*words)
    assert answer.status == 2
    assert answer.err == f"csp-mines: {message} (try 'csp-mines {words[0]} --help')\n"


def shell(env: dict[str, str], *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "csp_mines", *arguments],
        env={**os.environ, **env}, capture_output=True, text=True, check=False,
    )  # fmt: skip


def test_the_shell_completes_commands_options_and_names(tmp_path: Path) -> None:
    for words, completed in (
        (("so",), {"solve"}),
        (("solve", "--ma"), {"--max-states", "--max-memory"}),
        (("solve", "--backend", "py"), {"pysat"}),
        (("export", "--to", "m"), {"minizinc"}),
        (("convert", "--to", "m"), {"madewokherd", "mbf", "mine", "minesweepr", "minizinc"}),
        (("convert", "--format", "mv"), {"mvf"}),
        (("generate", "--format", "l"), {"line"}),
        (("generate", "--layout", "l"), {"layout", "layout-link", "line"}),
        (("simulate", "--level", "e"), {"expert", "easy"}),
        (("simulate", "--agent", "triple"), {"triple", "triple-total"}),
    ):
        typed = {"COMP_WORDS": " ".join(["csp-mines", *words]), "COMP_CWORD": str(len(words))}
        done = shell({"_CSP_MINES_COMPLETE": "complete_bash", **typed})
        assert (set(done.stdout.split()), done.stderr) == (completed, ""), words


def test_completion_is_installed_for_the_shell(tmp_path: Path) -> None:
    home = {"HOME": str(tmp_path), "_TYPER_COMPLETE_TEST_DISABLE_SHELL_DETECTION": "1"}
    assert shell(home, "--install-completion", "bash").returncode == 0
    written = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert any("_CSP_MINES_COMPLETE" in path.read_text() for path in written)
    assert "_CSP_MINES_COMPLETE" in shell(home, "--show-completion", "zsh").stdout


def test_the_whole_application_has_every_command() -> None:
    assert list(whole_app().commands) == list(COMMANDS)
