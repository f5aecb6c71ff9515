"""The list of all files in docs/architecture.md is what `make map` writes. Its lines are short."""

from __future__ import annotations

import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "docs" / "site"))

import every_file  # noqa: E402

LONGEST = 140  # characters of a line; the folders of the kernel are described at more length


def test_the_list_of_files_is_current() -> None:
    text = every_file.PAGE.read_text(encoding="utf-8")
    begin, end = (f"<!-- {every_file.NAME}: {word} -->\n" for word in ("begin", "end"))
    written = text.partition(begin)[2].partition(end)[0]
    assert written == every_file.section(), "run `make map`"


def test_every_line_says_something_short() -> None:
    for folder in every_file.folders():
        rows = [] if folder == every_file.KERNEL else list(every_file.module_rows(folder))
        assert all(len(text) > 20 for _, text in rows), folder
        assert [name for name, text in rows if len(f"| `{name}` | {text} |") > LONGEST] == []
