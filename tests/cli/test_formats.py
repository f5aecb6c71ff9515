"""`csp-mines formats`: every notation with its example."""

from __future__ import annotations

import json

from csp_mines.formats import all_notations
from tests.cli.runner import run


def test_every_notation_is_listed_with_an_example() -> None:
    answer = run("formats")
    assert answer.status == 0
    for notation in all_notations().values():
        assert f"\n{notation.name} " in "\n" + answer.out
        assert notation.example.splitlines()[0] in answer.out


def test_as_json() -> None:
    listed = json.loads(run("formats", "--json").out)
    assert [notation["name"] for notation in listed] == list(all_notations())
    assert listed[0] == {
        "name": "canonical",
        "about": all_notations()["canonical"].about,
        "writes_boards": True,
        "writes_layouts": False,
        "example": "mines: 3\n??M1\n1121",
    }


def test_errors_know_the_same_names() -> None:
    answer = run("solve", "-", "--format", "gif", stdin="?1")
    assert answer.status == 2
    assert answer.err.rstrip().endswith(f"known: {', '.join(all_notations())}")
