"""The map holds: a change goes to one place, and what repeats it elsewhere does not differ."""

from __future__ import annotations

import importlib
import inspect
import pkgutil
import re
from pathlib import Path

from csp_mines import errors
from csp_mines.errors import CspMinesError
from csp_mines.generation import checker

ROOT = Path(__file__).parents[2]
CHANGES = (
    "a clue model", "a policy", "a format", "a file", "an export", "a grid", "a picture",
    "a command", "an option",
    "a statistic", "a counter", "the tie rule", "a public name", "the words in which", "a backend",
    "a grade", "a JSON field", "a route",
    "a search policy", "a kernel rule", "an error", "the words of an error", "a check of a cell",
    "a check of another argument", "a limit", "a named choice", "a number of a review",
    "a hint", "a comparison",
    "the exact counts", "an entry", "an agent", "a position", "an array of many boards",
    "a list of many boards", "the limits",
    "the games of a simulation", "the tables", "a part of the page",
)  # fmt: skip


def test_each_typical_change_goes_to_one_room_that_is_there() -> None:
    text = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| (an? .*?|the .*?) \| (.*) \|$", text.partition("## Where a")[2], re.M)
    assert len(rows) == len(CHANGES)
    for change, (said, room) in zip(CHANGES, rows, strict=True):
        assert said.startswith(change)
        first, *others = re.findall(r"`([a-z_/]+/|[a-z_/]+\.pyi?|[a-z_/]+/[a-z_]+\.cpp)`", room)
        assert others == [], change
        assert room.startswith(f"`{first}`"), change
        assert (ROOT / first).exists() or (ROOT / "csp_mines" / first).exists(), change


def test_the_map_names_every_file_of_the_page() -> None:
    text = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    page = text.partition("The files of the page")[2].partition("Three pieces")[0]
    table = re.findall(r"^\| (`[a-z]+\..*?) \|", page, re.M)
    named = [name for files in table for name in re.findall(r"`([a-z]+\.[a-z]+)`", files)]
    there = [path.name for path in (ROOT / "csp_mines" / "web" / "static").iterdir()]
    assert sorted(named) == sorted(there)


def test_every_error_is_defined_among_the_errors() -> None:
    folder = Path(errors.__file__).parent  # an editable install has a longer path
    for module in pkgutil.walk_packages([str(folder)], "csp_mines."):
        if not module.name.endswith(("__main__", ".widget")):
            importlib.import_module(module.name)
    todo, found = [CspMinesError], set()
    while todo:
        error = todo.pop()
        found.add(error)
        todo += error.__subclasses__()
    ours = {error for error in found if error.__module__.startswith("csp_mines.")}
    assert {error.__module__ for error in ours} == {"csp_mines.errors"}
    assert all(getattr(errors, error.__name__) is error for error in ours)
    assert all(inspect.getdoc(error) for error in ours)


def test_the_checker_of_certificates_shares_no_code() -> None:
    code = Path(checker.__file__).read_text(encoding="utf-8")
    assert re.findall(r"csp_mines\.(\w+)", code) == ["errors", "names"]


def test_the_page_lists_no_grades() -> None:
    for path in sorted((ROOT / "csp_mines" / "web" / "static").glob("*.js")):
        named = re.findall(r"[\"']pair[\"']|\bpair:", path.read_text(encoding="utf-8"))
        assert named == [], path
