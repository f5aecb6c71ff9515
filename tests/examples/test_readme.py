"""README and docs are true: every command and all Python in them is run, and prints what they show.

The blocks of a page are run in order and share their names. A block that names a file, as in
```python bots.py, is saved under that name; the page is then run in the folder of these files."""

from __future__ import annotations

import contextlib
import io
import re
import shlex
import sys
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


def console_blocks() -> list[tuple[Path, str]]:
    """Every ```console block with `$ csp-mines` commands: page and text. Those that say `compiled`
    show what the player to win does, and are left out without a compiled kernel."""
    compiled = offered(Capability.WINNING) is not None
    fence = r"```console(?: compiled)?\n" if compiled else r"```console\n"
    return [
        (page, block)
        for page in PAGES
        for block in re.findall(rf"{fence}(.*?)```", page.read_text(), re.DOTALL)
        if "$ csp-mines" in block
    ]


def go_to_place_of(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Change to the folder in which a page is true: that of its files, or else the repository."""
    monkeypatch.setattr(sys, "path", [*sys.path])
    monkeypatch.setenv("COLUMNS", "100")
    files = re.findall(r"```\w+ (\w+\.py)\n(.*?)```", page.read_text(), re.DOTALL)
    monkeypatch.chdir(tmp_path if files else ROOT)
    for name, text in files:
        (tmp_path / name).write_text(text)
        sys.modules.pop(Path(name).stem, None)
        sys.path.insert(0, str(tmp_path))


def _settled(text: str) -> str:
    for pattern, word in _VOLATILE:
        text = pattern.sub(word, text)
    return "\n".join(line.strip() for line in text.strip().splitlines())


@pytest.mark.parametrize(("page", "block"), console_blocks())
def test_commands_print_what_is_shown(
    page: Path, block: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    go_to_place_of(page, tmp_path, monkeypatch)
    for part in block.split("$ csp-mines ")[1:]:
        command, _, shown = part.partition("\n")
        answer = run(*shlex.split(command))
        assert answer.status in (0, 1) or f"csp-mines: {answer.err[11:]}" in shown, answer.err
        if shown.strip() and "backends" not in command:
            assert _settled(answer.out + answer.err) == _settled(shown), f"{page}: {command}"


@pytest.mark.parametrize(
    "page",
    [page for page in PAGES if "```python\n" in page.read_text()],
    ids=lambda page: page.name,
)
def test_the_python_of_a_page(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    go_to_place_of(page, tmp_path, monkeypatch)
    names: dict[str, object] = {"__name__": page.stem}
    for block in re.findall(r"```python\n(.*?)```", page.read_text(), re.DOTALL):
        written = io.StringIO()
        with contextlib.redirect_stdout(written):
            exec(compile(block, page.name, "exec"), names)
        promised = re.findall(r"^print\(.*?\)\s+# (.*)$", block, re.MULTILINE)
        for line, promise in zip(written.getvalue().splitlines(), promised, strict=True):
            pattern = re.escape(promise).replace("…", ".*")
            assert re.fullmatch(pattern, line), f"{line!r} is not {promise!r}"


def test_links_lead_somewhere() -> None:
    for page in PAGES:
        for target in re.findall(r"\]\(([^)#:\s]+)(?:#[^)]*)?\)", page.read_text()):
            assert (page.parent / target).exists(), f"{page.name}: {target}"
