"""docs/json.md lists every field that commands print with --json, with its type, and no others."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from csp_mines.backend import Capability, offered
from csp_mines.cli import whole_app
from tests.cli.runner import run
from tests.reviews.test_many import RAWVF, write_log

PAGE = Path(__file__).parents[2] / "docs" / "json.md"
SECTION = re.compile(r"^###? (.+)$", re.MULTILINE)
ROW = re.compile(r"^\| (`.+?`(?:, `.+?`)*) \| (.+?) \| (.+?) \|$", re.MULTILINE)
GAME = ("--size", "4x4", "--mines", "3")
CASE = "b1_6x6_m8_HH1HHH1112HH0001HH1101HHH321Hi"  # 1,4 is proved by a case
EASIER = "b1_4x4_He113H001H001H"  # with all clues, 3,3 has an easier proof
TWICE, NOISY = "b1_1x3_0H0", "b1_1x5_optimistic_H1H1H"
PROVED, GUESS, BROKEN = "b1_1x5_m2_H1H1H", "b1_4x4_m3_1HHHHHHHHHHHHHHH", "b1_2x2_m1_3HHH"

# For each document of the page, commands that print it; together they print every field.
COMMANDS: dict[str, list[tuple[str, ...]]] = {
    "solve": [
        ("solve", PROVED),
        ("solve", GUESS, "--exact", "--win", "--show", "information", "--effort"),
        ("solve", GUESS, "--counter", "sampling", "--approximate", "0.05"),
        ("solve", PROVED, "--no-probabilities"),
        ("solve", GUESS, "--density", "0.2", "--clues", "exact", "--win", "--show", "win"),
        ("solve", "wide.txt", "--win", "--approximate", "0.05"),
    ],
    "contradiction": [("solve", BROKEN), ("compare", BROKEN), ("explain", BROKEN, "0,1")],
    "error": [("solve", PROVED, "missing.txt")],
    "compare": [("compare", PROVED, "-b", "single", "-b", "native")],
    "compare --encodings": [("compare", PROVED, "--encodings")],
    "explain": [("explain", PROVED, "0,2"), ("explain", GUESS, "0,1"),
                ("explain", PROVED, "--hint"), ("explain", CASE, "1,4"),
                ("explain", EASIER, "3,3"), ("explain", TWICE, "0,1", "--all"),
                ("explain", NOISY, "0,2")],
    "explain (all cells)": [("explain", PROVED), ("explain", GUESS)],
    "play": [("play", *GAME), ("play", *GAME, "--agent", "disarm")],
    "review": [("review", "game.jsonl"), ("review", "game.rawvf")],
    "simulate": [("simulate", *GAME, "--games", "4", "-a", "exact", "-a", "single+random",
                  "-w", "1")],
    "densities": [("densities", "--size", "3x3", "-d", "0.1:0.3:0.2", "--games", "2", "-w", "1",
                   "-a", "exact", "-a", "single+random")],
    "influence": [("influence", *GAME)],
    "generate": [("generate", *GAME)],
    "generate --layout": [("generate", *GAME, "--layout", "text")],
    "generate --no-guess": [("generate", *GAME, "--no-guess")],
    "generate --puzzle": [("generate", "--size", "3x3", "--mines", "2", "--puzzle")],
    "grade": [("grade", "layout.txt"), ("grade", "stuck.txt")],
    "verify": [("verify", "proof.jsonl")],
    "backends": [("backends",), ("backends", "pysat")],
    "formats": [("formats",)],
}  # fmt: skip


def tables() -> dict[str, dict[str, tuple[str, bool]]]:
    """The tables of the page: for each heading, the type of each field, and whether it may be left
    out."""
    text = PAGE.read_text(encoding="utf-8")
    found = {}
    headings = list(SECTION.finditer(text))
    for place, heading in enumerate(headings):
        end = headings[place + 1].start() if place + 1 < len(headings) else len(text)
        fields = {}
        for names, kind, meaning in ROW.findall(text[heading.end() : end]):
            for name in re.findall(r"`(.+?)`", names):
                fields[name] = (kind, meaning.startswith("only"))
        found[heading[1]] = fields
    return found


TABLES = tables()


def faults(value: Any, kind: str, path: str, seen: set[tuple[str, str]]) -> Iterator[str]:
    """What is wrong with a value of the type `kind`. `seen` gets all fields that were met."""
    many = re.match(r"(list|rows|map) of (.+)", kind)
    if many is not None and value is None and kind.endswith(" or null"):
        return
    if many is not None:
        items = value.values() if many[1] == "map" and isinstance(value, dict) else value
        if not isinstance(value, dict if many[1] == "map" else list):
            yield f"{path}: {value!r} is not: {kind}"
            return
        inner = f"list of {many[2]}" if many[1] == "rows" else many[2]
        for item in items:
            yield from faults(item, inner, path, seen)
    elif " or " in kind.replace("true or false", ""):
        *heads, last = re.split(r"(?<!true) or ", kind)
        fitting = [each for each in heads if not list(faults(value, each, path, set()))]
        yield from faults(value, fitting[0] if fitting else last, path, seen)
    elif kind.startswith("*"):
        yield from object_faults(value, kind.strip("*"), path, seen)
    elif not PLAIN[kind](value):
        yield f"{path}: {value!r} is not: {kind}"


def object_faults(value: Any, name: str, path: str, seen: set[tuple[str, str]]) -> Iterator[str]:
    fields = TABLES[name]
    if not isinstance(value, dict):
        yield f"{path}: {value!r} is no object"
        return
    yield from (f"{path}.{key} is not on the page" for key in value.keys() - fields.keys())
    needed = {key for key, (_, optional) in fields.items() if not optional}
    yield from (f"{path}.{key} is missing" for key in needed - value.keys())
    for key in value.keys() & fields.keys():
        seen.add((name, key))
        yield from faults(value[key], fields[key][0], f"{path}.{key}", seen)


def is_whole(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def is_cell(value: Any) -> bool:
    return isinstance(value, list) and len(value) == 2 and all(map(is_whole, value))


PLAIN = {
    "whole number": is_whole,
    "number": lambda value: is_whole(value) or isinstance(value, float),
    "text": lambda value: isinstance(value, str),
    "true or false": lambda value: isinstance(value, bool),
    "null": lambda value: value is None,
    "cell": is_cell,
    "cells": lambda value: isinstance(value, list) and all(map(is_cell, value)),
}


def test_every_command_that_prints_json_is_on_the_page() -> None:
    commands = whole_app().commands
    printing = {name for name, each in commands.items() if has_json(each.params)}
    tried = {words[0] for lines in COMMANDS.values() for words in lines}
    assert printing - tried == {"results"}  # as simulate
    assert "results --json" in PAGE.read_text(encoding="utf-8")


def has_json(params: list[Any]) -> bool:
    return any("--json" in each.opts for each in params)


@pytest.mark.skipif(
    offered(Capability.BOARDS) is None, reason="some fields need the compiled kernel"
)
def test_the_page_lists_all_fields_and_no_others(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "layout.txt").write_text("*..\n...\n..*\n")
    (tmp_path / "stuck.txt").write_text(".*\n..\n*.\n")
    (tmp_path / "wide.txt").write_text("mines: 12\n" + "\n".join(["?" * 8] * 7 + ["1???????"]))
    run("generate", *GAME, "--no-guess", "--certificate", "proof.jsonl")
    with open("proof.jsonl", "a") as file:
        file.write('{"format": "another"}\n')
    write_log(tmp_path / "game.jsonl", 3, agent="rutgers-baseline")
    (tmp_path / "game.rawvf").write_text(RAWVF)
    wrong: list[str] = []
    seen: set[tuple[str, str]] = set()
    for name, commands in COMMANDS.items():
        for words in commands:
            answer = run(*words, "--json")
            printed = [json.loads(line) for line in answer.out.splitlines()]
            documents = [
                each
                for value in printed
                for each in (value if isinstance(value, list) else [value])
            ]
            assert documents, (words, answer.err)
            for document in documents:
                errors = document.get("status") == "error"
                if errors == (name == "error"):
                    wrong += object_faults(document, name, " ".join(words), seen)
    assert not wrong, "\n".join(wrong)
    listed = {(name, field) for name, fields in TABLES.items() for field in fields}
    unseen = sorted(listed - seen)
    assert not unseen, unseen
