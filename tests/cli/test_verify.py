"""`csp-mines verify`: which certificate fails, and at which step."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from csp_mines import certify
from csp_mines.layout import Layout
from tests.cli.runner import run

GOOD = certify(Layout.parse("..*..\n..*..\n....."), (2, 0)).to_json()
BAD = GOOD | {"moves": [{**GOOD["moves"][0], "clues": []}, *GOOD["moves"][1:]]}


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "proofs.jsonl"
    path.write_text(f"{json.dumps(GOOD)}\n\n{json.dumps(BAD)}\n")
    return path


def test_right_ones() -> None:
    answer = run("verify", "-", stdin=json.dumps(GOOD))
    assert (answer.status, answer.err) == (0, "")
    assert answer.out == f"1 of 1 certificate holds, {len(GOOD['moves'])} steps\n"


def test_the_step_that_fails_is_named(file: Path) -> None:
    answer = run("verify", file)
    assert answer.status == 1
    assert f"{file}:3: step 1: the clues allow a mine at" in answer.err
    assert answer.out.startswith("1 of 2 certificates hold")


@pytest.mark.parametrize("layout", ["..*..\n..*..\n.....", "..\n.."])
def test_a_certificate_says_its_grade(layout: str) -> None:
    certificate = certify(Layout.parse(layout, "layout"), (1, 0)).to_json()
    del certificate["grade"]
    answer = run("verify", "-", stdin=json.dumps(certificate))
    assert (answer.status, answer.err) == (1, "<stdin>:1: the certificate does not say its grade\n")


@pytest.mark.parametrize("key", ["rows", "first", "moves"])
def test_a_number_of_thousands_of_digits_is_cut(key: str) -> None:
    huge = {
        "rows": 10**4000,
        "first": [10**4000, 0],
        "moves": [{"open": [10**4000, 0], "clues": []}],
    }
    answer = run("verify", "-", stdin=json.dumps(GOOD | {key: huge[key]}))
    assert answer.status == 1
    assert len(answer.err) < 200


def test_json(file: Path) -> None:
    answer = run("verify", file, "--json")
    good, bad = (json.loads(line) for line in answer.out.splitlines())
    assert (answer.status, answer.err) == (1, "")
    assert good == {"certificate": f"{file}:1", "holds": True, "steps": len(GOOD["moves"])}
    assert (bad["holds"], bad["step"]) == (False, 1)


def test_each_file_without_certificates_is_named(file: Path) -> None:
    empty, blank = file.with_name("empty.jsonl"), file.with_name("blank.jsonl")
    empty.write_text("")
    blank.write_text("\n\n")
    file.write_text(json.dumps(GOOD))
    problems = [f"{name}: no certificates found; give one per line" for name in (empty, blank)]
    answer = run("verify", empty, file, blank)
    assert answer.status == 2
    assert answer.err.splitlines() == [f"csp-mines: {problem}" for problem in problems]
    assert answer.out.startswith("1 of 1 certificate holds")
    lines = [json.loads(line) for line in run("verify", empty, file, "--json").out.splitlines()]
    assert [line.get("problem") for line in lines] == [problems[0], None]


def test_a_missing_format_is_named() -> None:
    answer = run("verify", "-", stdin="{}")
    problem = "not a certificate: it has no field 'format', expected 'csp-mines certificate 1'"
    assert (answer.status, answer.err) == (1, f"<stdin>:1: {problem}\n")


@pytest.mark.parametrize(
    ("text", "problem"),
    [("", "no certificates found; give one per line"), ("{", "<stdin>:1: this line is not JSON")],
)
def test_bad_input(text: str, problem: str) -> None:
    answer = run("verify", "-", stdin=text)
    assert answer.status == 2
    assert problem in answer.err
    assert run("verify", "nowhere.jsonl").status == 2
