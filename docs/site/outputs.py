"""Run the commands of pages and write what they print below them: `outputs.py PAGE…`.

The tests compare these outputs with what the commands print. This script mends the pages after a
change of the outputs. An output in which only times differ stays as it is, and so do commands
without output."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parents[2]
BLOCK = re.compile(r"(```console(?: compiled)?\n)(\$ .*?)(```)", re.DOTALL)
# What differs from run to run: times, and the widths of tables that hold them.
VOLATILE = [
    (re.compile(r"\b\d[\d,.]* (ms|s|µs)\b"), "TIME"),
    (re.compile(r" \d+\.\d +\d+\.\d\s*$", re.MULTILINE), " TIME"),
    (re.compile(r" \d+\.\d+\s*$", re.MULTILINE), " TIME"),
    (re.compile(r"[ ─]+"), " "),
    (re.compile(r"\n\s*\n+"), "\n"),
]
SOURCE = re.compile(r"```\w+ (\w+\.(?:py|txt))\n(.*?)```", re.DOTALL)


def main(pages: list[Path]) -> None:
    for page in pages:
        text = page.read_text(encoding="utf-8")
        files = SOURCE.findall(text)

        def fresh(block: re.Match[str], files: list[tuple[str, str]] = files) -> str:
            with tempfile.TemporaryDirectory() as folder:
                return block[1] + outputs(block[2], Path(folder), files) + block[3]

        page.write_text(BLOCK.sub(fresh, text), encoding="utf-8")


def outputs(block: str, folder: Path, files: list[tuple[str, str]]) -> str:
    """A block with the fresh output of each command that shows one."""
    for path in ROOT.iterdir():
        (folder / path.name).symlink_to(path)
    for name, text in files:
        (folder / name).write_text(text, encoding="utf-8")
    parts = re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]
    shown = [part.partition("\n") for part in parts]
    return "".join(f"$ {command}\n{_printed(command, was, folder)}" for command, _, was in shown)


def _printed(command: str, was: str, folder: Path) -> str:
    place = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(
        ["bash", "-c", command],
        cwd=folder,
        env={**os.environ, "PATH": place, "COLUMNS": "100"},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT if command.startswith("csp-mines ") else None,
        text=True,
        check=False,
    )
    missing = shutil.which(command.split()[0], path=place) is None
    if not was.strip() or missing or settled(was) == settled(done.stdout):
        return was
    return "\n".join(line.rstrip() for line in done.stdout.splitlines()) + "\n"


def settled(text: str) -> str:
    """A text without what differs from run to run."""
    for pattern, word in VOLATILE:
        text = pattern.sub(word, text)
    return "\n".join(line.strip() for line in text.strip().splitlines())


if __name__ == "__main__":
    main([Path(name) for name in sys.argv[1:]])
