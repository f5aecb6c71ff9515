"""README and docs are true: every command and all Python in them is run, and prints what they show.

The blocks of a page are run in order and share their names. A block that names a file, as in
```python bots.py or ```text board.txt, is saved under that name; the page is
then run in the folder of these files."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from csp_mines.backend import Capability, offered
from tests.cli.runner import run

sys.path.insert(0, str(Path(__file__).parents[2] / "docs" / "site"))

from outputs import SOURCE, settled

ROOT = Path(__file__).parents[2]
WRITTEN = [*(ROOT / "docs").glob("*.md"), *(ROOT / "docs" / "tutorials").glob("*.md")]
PAGES = [ROOT / "README.md", *sorted(WRITTEN)]


def blocks(page: Path, kind: str) -> list[str]:
    """The ``` blocks of a page of that kind. Those that say `compiled` show what the player to win
    does, and are left out without a compiled kernel."""
    compiled = "(?: compiled)?" if offered(Capability.WINNING) is not None else ""
    return re.findall(rf"```{kind}{compiled}\n(.*?)```", page.read_text(), re.DOTALL)


def console_blocks() -> list[tuple[Path, str]]:
    """Every block with commands: page and text."""
    return [
        (page, block) for page in PAGES for block in blocks(page, "console") if "csp-mines" in block
    ]


def programs(command: str) -> list[str]:
    """The programs of a pipe."""
    return [part.split()[0] for part in command.split("|")]


def is_plain(command: str) -> bool:
    """Whether a command is csp-mines alone, which runs in this process."""
    return command.startswith("csp-mines ") and not re.search(r"[|<>;]", command)


def outcome(command: str, shown: str) -> str:
    """What a command prints. What other programs say on standard error is their own affair."""
    if not is_plain(command):
        done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, check=False)
        return done.stdout
    answer = run(*shlex.split(command)[1:])
    assert answer.status in (0, 1) or f"csp-mines: {answer.err[11:]}" in shown, answer.err
    return answer.out + answer.err


@pytest.fixture
def folder(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder like that of the project, with the files of the page, where commands may leave
    others. The programs that are installed beside Python are found first."""
    for path in ROOT.iterdir():
        (tmp_path / path.name).symlink_to(path)
    for name, text in SOURCE.findall(page.read_text()):
        (tmp_path / name).write_text(text)
        sys.modules.pop(Path(name).stem, None)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])
    monkeypatch.setenv("COLUMNS", "100")
    monkeypatch.setenv("PATH", f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}")
    return tmp_path


@pytest.mark.parametrize(("page", "block"), console_blocks())
@pytest.mark.usefixtures("folder")
def test_commands_print_what_is_shown(page: Path, block: str) -> None:
    for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
        command, _, shown = part.partition("\n")
        missing = [name for name in programs(command) if shutil.which(name) is None]
        if missing:
            pytest.skip(f"{page.name}: {missing[0]} is not installed here")
        printed = outcome(command, shown)
        if shown.strip() and command != "csp-mines backends":
            assert settled(printed) == settled(shown), f"{page.name}: {command}"


def python_blocks(page: Path) -> list[str]:
    return blocks(page, "python")


@pytest.mark.parametrize("page", list(filter(python_blocks, PAGES)), ids=lambda page: page.name)
@pytest.mark.usefixtures("folder")
def test_python_prints_what_is_shown(page: Path) -> None:
    """The blocks of a page are one program. A comment behind `print(...)` is what it prints."""
    program = "\n".join(python_blocks(page))
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    promised = re.findall(r"^ *print\(.*?\)\s+# (.*)$", program, re.MULTILINE)
    for line, promise in zip(done.stdout.splitlines(), promised, strict=True):
        pattern = re.escape(promise).replace("…", ".*")
        assert re.fullmatch(pattern, line), f"{line!r} is not {promise!r}"


def test_every_block_of_the_page_about_exports_is_run() -> None:
    fences = re.findall(r"^```(.*)$", (ROOT / "docs" / "exports.md").read_text(), re.MULTILINE)
    assert set(fences[::2]) == {"console", "python"}
    assert set(fences[1::2]) == {""}


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
