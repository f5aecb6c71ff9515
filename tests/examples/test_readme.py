"""README and docs are true: every command in them is run, and prints what they show."""

from __future__ import annotations

import contextlib
import io
import re
import shlex
from pathlib import Path

import pytest

from csp_mines.backend import Capability, offered
from tests.cli.runner import run

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]

# What differs from run to run: times, and the widths of tables that hold them.
_VOLATILE = [
    (re.compile(r"\b\d[\d,.]* (ms|s|µs)\b"), "TIME"),
    (re.compile(r" \d+\.\d+\s*$", re.MULTILINE), " TIME"),
    (re.compile(r"[ ─]+"), " "),
    (re.compile(r"\n\s*\n+"), "\n"),
]


def console_blocks() -> list[tuple[str, str]]:
    """Every ```console block with `$ csp-mines` commands: page and text. Those that say `compiled`
    show what the player to win does, and are left out without a compiled kernel."""
    compiled = offered(Capability.WINNING) is not None
    fence = r"```console(?: compiled)?\n" if compiled else r"```console\n"
    return [
        (page.name, block)
        for page in PAGES
        for block in re.findall(rf"{fence}(.*?)```", page.read_text(), re.DOTALL)
        if "$ csp-mines" in block
    ]


def _settled(text: str) -> str:
    for pattern, word in _VOLATILE:
        text = pattern.sub(word, text)
    return "\n".join(line.strip() for line in text.strip().splitlines())


@pytest.mark.parametrize(("page", "block"), console_blocks())
def test_commands_print_what_is_shown(
    page: str, block: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(ROOT)
    monkeypatch.setenv("COLUMNS", "100")
    for part in block.split("$ csp-mines ")[1:]:
        command, _, shown = part.partition("\n")
        answer = run(*shlex.split(command))
        assert answer.status in (0, 1), answer.err
        if shown.strip() and "backends" not in command:
            assert _settled(answer.out + answer.err) == _settled(shown), f"{page}: {command}"


def python_blocks(page: Path) -> list[str]:
    return re.findall(r"```python\n(.*?)```", page.read_text(), re.DOTALL)


@pytest.mark.parametrize("page", list(filter(python_blocks, PAGES)), ids=lambda page: page.name)
def test_python_prints_what_is_shown(page: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The blocks of a page are one program. A comment behind `print(...)` is what it prints."""
    monkeypatch.chdir(ROOT)
    names: dict[str, object] = {"__name__": page.stem}
    for block in python_blocks(page):
        written = io.StringIO()
        with contextlib.redirect_stdout(written):
            exec(compile(block, page.name, "exec"), names)
        promised = re.findall(r"^ *print\(.*?\)\s+# (.*)$", block, re.MULTILINE)
        for line, promise in zip(written.getvalue().splitlines(), promised, strict=True):
            pattern = re.escape(promise).replace("…", ".*")
            assert re.fullmatch(pattern, line), f"{line!r} is not {promise!r}"


def test_blocks_of_json_are_the_files_that_they_show() -> None:
    shown = re.findall(
        r"`(examples/\S+\.json)`.*?```json\n(.*?)```",
        (ROOT / "docs" / "problems.md").read_text(),
        re.DOTALL,
    )
    assert shown
    for name, text in shown:
        assert (ROOT / name).read_text() == text


def test_links_lead_somewhere() -> None:
    for page in PAGES:
        for target in re.findall(r"\]\(([^)#:\s]+)(?:#[^)]*)?\)", page.read_text()):
            assert (page.parent / target).exists(), f"{page.name}: {target}"
