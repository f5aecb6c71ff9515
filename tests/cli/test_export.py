"""`csp-mines export`, `convert --export`, `explain --drat` and `backends NAME`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from csp_mines import Board, export
from tests.cli.runner import run
from tests.exports.rup import refutes

CORNER = "????\n113?\n001?\n001?\n"


@pytest.fixture
def board(tmp_path: Path) -> Path:
    path = tmp_path / "board.txt"
    path.write_text("mines: 3\n" + CORNER)
    return path


def test_writes_what_the_library_writes(board: Path, tmp_path: Path) -> None:
    read = Board.read(board)
    assert run("export", board, "--to", "opb").out == export(read, "opb")
    assert run("export", board, "--to", "lp", "--no-total").out == export(
        read, "lp", use_total=False
    )
    out = tmp_path / "board.cnf"
    answer = run("export", board, "--to", "dimacs", "--encoding", "totalizer", "-o", out)
    assert (answer.status, answer.out, answer.err) == (0, "", "")
    assert out.read_text() == export(read, "dimacs", encoding="totalizer")
    assumed = run("export", board, "--to", "asp", "--assume", "0,0=mine", "--assume", "0,1=safe")
    assert assumed.out == export(read, "asp", assume={(0, 0): "mine", (0, 1): "safe"})


def test_marks_are_trusted_unless_told_otherwise() -> None:
    rows = ["export", "M1?\n111", "--to", "opb"]
    first = "* clue (0,1)=1\n"
    assert first + "+1 x1 = 0 ;\n" in run(*rows).out
    assert first + "+1 x1 +1 x2 = 1 ;\n" in run(*rows, "--ignore-marks").out


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        (["--to", "dimcas"], "did you mean 'dimacs'?"),
        (
            ["--to", "dimacs", "--assume", "0,0"],
            "--assume must be CELL=mine or CELL=safe, such as 3,4=mine",
        ),
        (["--to", "dimacs", "--assume", "x=mine"], "a cell must be ROW,COL"),
        (["--to", "dimacs", "--assume", "0,0=bomb"], "unknown assumption 'bomb'"),
        (["--to", "dimacs", "--assume", "1,1=mine"], "cell 1,1 is not hidden"),
        (
            ["--to", "dimacs", "--assume", "0,0=mine", "--assume", "0,0=safe"],
            "two different facts about",
        ),
        (["--to", "lp", "--encoding", "totalizer"], "--encoding works only with dimacs"),
        (["--to", "dimacs", "--encoding", "totaliser"], "did you mean 'totalizer'?"),
        ([], "Missing option '--to'"),
    ],
)
def test_nonsense_is_refused(board: Path, options: list[str], problem: str) -> None:
    answer = run("export", board, *options)
    assert (answer.status, answer.out) == (2, "")
    assert problem in answer.err
    assert answer.err.count("\n") == 1


def test_the_board_is_not_overwritten(board: Path) -> None:
    answer = run("export", board, "--to", "lp", "-o", board)
    assert answer.status == 2
    assert board.read_text().startswith("mines: 3")
    for drat in (board, board.with_suffix(".cnf")):
        assert run("explain", board, "0,2", "--drat", drat).status == 2
    assert board.read_text().startswith("mines: 3")


def test_answers_are_read_back(board: Path, tmp_path: Path) -> None:
    cnf, answer = tmp_path / "board.cnf", tmp_path / "answer.txt"
    run("export", board, "--to", "dimacs", "-o", cnf)
    answer.write_text("s SATISFIABLE\nv -1 2 -3 4\nv -5 6 -7 0\n")
    layout = ".*.*\n....\n...*\n....\n"
    assert run("convert", answer, "--export", cnf, "--to", "layout").out == layout
    joined = cnf.read_text() + answer.read_text()
    assert run("convert", "-", "--to", "layout", stdin=joined).out == layout
    piped = run("convert", "-", "--export", cnf, "--to", "layout", stdin=answer.read_text())
    assert piped.out == layout
    answer.write_text("v 1 2\n")
    wrong = run("convert", answer, "--export", cnf)
    assert wrong.status == 2
    assert wrong.err == (
        f"csp-mines: {answer}: the v lines give no value to variable 3, cell 0,2\n"
    )
    assert run("convert", answer, "--export", board).status == 2
    assert run("convert", answer, "--export", tmp_path / "none").status == 2
    assert run("convert", answer, "--export", cnf, "--format", "line").status == 2


def test_drat(board: Path, tmp_path: Path) -> None:
    answer = run("explain", board, "0,2", "--drat", tmp_path / "cell.drat")
    assert answer.status == 0
    assert "0,2  safe" in answer.out
    assert refutes((tmp_path / "cell.cnf").read_text(), (tmp_path / "cell.drat").read_text())


def test_drat_is_refused(tmp_path: Path) -> None:
    proof = tmp_path / "cell.drat"
    answer = run("explain", "?1?\n???", "0,0", "--drat", proof)
    assert answer.status == 2
    assert "cell 0,0 is undecided: it is a mine in some layouts that fit" in answer.err
    assert run("explain", CORNER, "--drat", proof).status == 2
    assert run("explain", CORNER, "0,0", "--drat", tmp_path / "cell.cnf").status == 2
    contradiction = run("explain", "1?2\n0??", "0,1", "--drat", proof)
    assert contradiction.status == 1
    assert list(tmp_path.iterdir()) == []


def test_what_a_backend_says_of_itself() -> None:
    shown = run("backends", "pysat").out
    assert "SOLVER[/ENCODING]" in shown
    assert "cadical195" in shown
    assert "kmtotalizer" in shown
    assert shown.count("--backend pysat:") == 3
    facts = json.loads(run("backends", "pysat", "--json").out)
    assert "totalizer" in facts["choices"]["ENCODING"]
    for spec in facts["examples"]:
        assert run("solve", CORNER, "--backend", spec).status == 0
    assert "option     none" in run("backends", "gauss").out
    assert "--backend native:pure" in run("backends", "native").out
    wrong = run("backends", "pysta")
    assert wrong.status == 2
    assert "did you mean 'pysat'?" in wrong.err


@pytest.mark.parametrize("spec", ["pysat:cadical195,totalizer", "pysat:cadical195:totalizer"])
def test_a_wrong_option_is_answered_with_the_right_form(spec: str) -> None:
    answer = run("solve", CORNER, "--backend", spec)
    assert answer.status == 2
    assert answer.err.endswith("write SOLVER/ENCODING, such as pysat:cadical195/totalizer\n")


@pytest.mark.parametrize("answer", ["", "garbage\n", "s UNKNOWN\n"])
def test_an_answer_without_values_is_refused(answer: str, tmp_path: Path) -> None:
    (tmp_path / "board.cnf").write_text(export(Board.parse("1?"), "dimacs"))
    refused = run("convert", "-", "--export", str(tmp_path / "board.cnf"), stdin=answer)
    assert (refused.status, refused.out) == (2, "")
    assert "expected the answer of a solver, with lines such as v 1 -2 0" in refused.err


def test_an_answer_without_a_layout_says_so(tmp_path: Path) -> None:
    cnf = tmp_path / "board.cnf"
    assumed = {(0, 0): "safe"}
    for assume, told in ((None, ""), (assumed, " with the assumptions 0,0=safe")):
        cnf.write_text(export(Board.parse("?1"), "dimacs", assume=assume))
        answer = run("convert", "-", "--export", cnf, "--to", "layout", stdin="s UNSATISFIABLE\n")
        assert (answer.status, answer.out) == (2, "")
        said = f"the solver says UNSATISFIABLE: no layout fits the board{told}\n"
        assert answer.err == f"csp-mines: <stdin>: {said}"
