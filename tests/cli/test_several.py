"""Several boards, in files and in one stream: one by one, numbered, going on after a bad one."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from csp_mines import certify
from csp_mines.layout import Layout
from tests.cli.runner import run

# Good, no board, contradiction, good.
MIXED = "?1\n11\n\n?q\n11\n---\n?3\n?1\nmines: 1\n1?\n1?\n"


@pytest.fixture
def mixed(tmp_path: Path) -> Path:
    path = tmp_path / "mixed.txt"
    path.write_text(MIXED)
    return path


def test_layouts_out_of_generate_are_graded_one_by_one() -> None:
    """From outside, through a pipe."""
    tool = [sys.executable, "-m", "csp_mines"]
    options = ["--no-guess", "--level", "beginner", "--count", "2", "--layout", "text"]
    generate = [*tool, "generate", *options]
    made = subprocess.run(generate, capture_output=True, check=True).stdout
    graded = subprocess.run([*tool, "grade", "-"], input=made, capture_output=True, check=False)
    lines = graded.stdout.decode().splitlines()
    assert graded.returncode == 0
    assert [line for line in lines if line.startswith("-: ")] == ["-: board 1:", "-: board 2:"]
    assert [line for line in lines if "×" in line] == ["9×9, 10 mines, first cell 0,0"] * 2


@pytest.mark.parametrize("kind", ["canonical", "table", "board", "emoji", "array", "line", "zig"])
@pytest.mark.parametrize("size", ["3x4", "1x5"])
def test_puzzles_out_of_generate_are_solved_one_by_one(kind: str, size: str) -> None:
    puzzle = ("generate", "--puzzle", "--size", size, "--mines", "2", "--count", "3")
    made = run(*puzzle, "--format", kind)
    answer = run("solve", "-", "--json", "--format", kind, stdin=made.out)
    lines = [json.loads(line) for line in answer.out.splitlines()]
    assert answer.status == 0
    assert [(line["rows"], line["cols"], line["solutions"]) for line in lines] == [
        (int(size[0]), int(size[2]), "1")
    ] * 3
    assert made.out == run("convert", "-", "--to", kind, "--format", kind, stdin=made.out).out or (
        kind == "canonical"  # whose comments are not kept
    )


def test_solve_goes_on(mixed: Path) -> None:
    answer = run("solve", mixed)
    headings = [line for line in answer.out.splitlines() if line.startswith(f"{mixed}: ")]
    assert answer.status == 2
    assert [heading.split(": ")[1] for heading in headings] == ["board 1", "board 4"]
    first, second = answer.err.splitlines()
    assert first.startswith(
        f"csp-mines: {mixed}:4:2: board 2: 'q' does not stand for a cell in '?q'"
    )
    assert second.startswith(
        f"{mixed}: board 3: contradiction: (0,1)=3, but only 2 hidden cells are beside it"
    )


def test_every_board_has_a_line_of_json(mixed: Path) -> None:
    answer = run("solve", mixed, "--json")
    lines = [json.loads(line) for line in answer.out.splitlines()]
    assert answer.status == 2
    assert [line["status"] for line in lines] == ["progress", "error", "contradiction", "guess"]
    assert lines[1]["board"] == f"{mixed}: board 2"
    assert "'q' does not stand for a cell" in lines[1]["error"]
    compared = run("compare", mixed, "--json", "-b", "single")
    *boards, total = map(json.loads, compared.out.splitlines())
    names = [line["board"] for line in boards]
    assert total["boards"] == 2  # the two that could be compared
    assert (compared.status, names) == (2, [f"{mixed}: board {number}" for number in range(1, 5)])
    graded = run("grade", mixed, "--json")
    assert (graded.status, len(graded.out.splitlines())) == (2, 4)


def test_compare_and_grade_go_on(mixed: Path) -> None:
    compared = run("compare", mixed, "-b", "single")
    assert compared.status == 2
    assert f"{mixed}: board 4: 2×2, 1 mine" in compared.out
    graded = run("grade", mixed)
    assert graded.status == 2
    assert graded.out.splitlines()[0] == f"{mixed}: board 1:"
    assert f"\n{mixed}: board 4:\n" in graded.out


def test_convert_goes_on(mixed: Path) -> None:
    lines = run("convert", mixed, "--to", "line")
    assert (lines.status, lines.out) == (2, "b1_2x2_H111\nb1_2x2_H3H1\nb1_2x2_m1_1H1H\n")
    again = run("convert", "-", stdin=lines.out)
    assert again.out == "?1\n11\n\n?3\n?1\n\nmines: 1\n1?\n1?\n"
    assert run("convert", "-", "--to", "line", stdin=again.out).out == lines.out
    rows = run("convert", "-", stdin="b1_1x2_H1\nb1_1x2_1H\n").out
    assert rows == "?1\n---\n1?\n"
    binary = run("convert", "-", "--to", "mbf", "--binary", stdin="*.\n..\n\n..\n*.\n")
    assert binary.status == 2
    assert "--binary writes only one layout" in binary.err


def test_draw_numbers_the_pictures(mixed: Path) -> None:
    answer = run("draw", mixed, mixed.with_name("x.svg"))
    assert answer.status == 2
    names = [path.name for path in sorted(mixed.parent.glob("*.svg"))]
    assert names == ["x-1.svg", "x-3.svg", "x-4.svg"]


def test_files_go_on_as_boards_do(mixed: Path) -> None:
    good = mixed.with_name("good.txt")
    good.write_text("?1\n11\n")
    answer = run("solve", "nowhere.txt", good, "--json")
    assert answer.status == 2
    assert [json.loads(line)["status"] for line in answer.out.splitlines()] == ["error", "progress"]
    assert answer.err == "csp-mines: nowhere.txt: no such file or directory\n"
    for wrong in (("--backend", "nobody"), ("--density", "2"), ("--format", "nothing")):
        answer = run("solve", good, good, *wrong)
        assert (answer.status, answer.out, answer.err.count("\n")) == (2, "", 1)


@pytest.mark.parametrize(
    "arguments",
    ["explain FILE", "explain FILE 0,0", "assist FILE", "web --no-browser FILE",
     "play --board FILE", "influence --board FILE"],
)  # fmt: skip
def test_other_commands_refuse_and_say_how_many(arguments: str, tmp_path: Path) -> None:
    path = tmp_path / "three.txt"
    path.write_text("mines: 1\n1M\n11\nmines: 1\n11\n1M\n\n11\nM1\n")
    answer = run(*(path if word == "FILE" else word for word in arguments.split()))
    problem = "expected one board, got 3: the second begins here"
    assert (answer.status, answer.out) == (2, "")
    assert answer.err == f"csp-mines: {path}:4: {problem}\n"


def test_double_spacing_is_unclear() -> None:
    for command in ("solve", "grade", "compare", "convert", "explain"):
        answer = run(command, "-", stdin="?11\n\n111\n\n11?\n")
        assert (answer.status, answer.out) == (2, "")
        assert "<stdin>:3: 3 single rows with blank lines between them may be one" in answer.err


def test_verify_goes_on(tmp_path: Path) -> None:
    good = json.dumps(certify(Layout.parse("..*..\n..*..\n....."), (2, 0)).to_json())
    lines = [good, "{", '{"rows": ' + "9" * 5000 + "}", "[" * 100_000, "3", good]
    answer = run("verify", "nowhere.jsonl", "-", stdin="\n\n".join(lines))
    assert answer.status == 2
    assert answer.out.startswith("2 of 3 certificates hold")
    told = answer.err.splitlines()
    assert told[0] == "csp-mines: nowhere.jsonl: no such file or directory"
    assert told[1].startswith("csp-mines: <stdin>:3: this line is not JSON")
    assert told[2].endswith("<stdin>:5: this line is not JSON: a number has too many digits")
    assert told[3].endswith("<stdin>:7: this line is not JSON: the value is nested too deeply")
    assert told[4].startswith("<stdin>:9: not a certificate")
    machine = run("verify", "-", "--json", stdin="\n\n".join(lines))
    holds = [json.loads(line)["holds"] for line in machine.out.splitlines()]
    assert holds == [True, False, False, False, False, True]
