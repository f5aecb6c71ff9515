"""`csp-mines compare` and `csp-mines backends`."""

from __future__ import annotations

import contextlib
import io
import json
import re
from pathlib import Path

import pytest

from csp_mines.backend import Backend, Deduction, backend_class
from csp_mines.cli import run as run_command
from csp_mines.constraints import Problem
from csp_mines.errors import Contradiction, TooWide
from tests.cli.runner import run

RULES = ["-b", "single", "-b", "subtraction", "-b", "gauss", "-b", "native"]


@pytest.fixture
def board(tmp_path: Path) -> Path:
    path = tmp_path / "board.txt"
    path.write_text("????\n113?\n001?\n001?\n")
    return path


def compare(board: Path, *arguments: str) -> dict[str, dict[str, object]]:
    answer = run("compare", "--json", board, *arguments)
    assert answer.status == 0, answer.err
    return {engine["backend"]: engine for engine in json.loads(answer.out)["engines"]}


def test_all_but_single_prove_the_corner(board: Path) -> None:
    engines = compare(board)
    assert {"single", "subtraction", "gauss", "pysat", "cpsat", "native"} <= set(engines)
    assert engines.pop("single")["safe"] == []
    for name, entry in engines.items():
        assert [0, 2] in entry["safe"], name
        assert [1, 3] in entry["safe"], name


def test_shares_of_the_complete_answer(board: Path) -> None:
    engines = compare(board, *RULES)
    assert engines["single"]["share"] == 0
    assert engines["native"]["share"] == 1
    assert compare(board, "-b", "single")["single"]["share"] is None


def test_nothing_certain_is_not_found(tmp_path: Path) -> None:
    path = tmp_path / "open.txt"
    path.write_text("1?\n??")
    assert {engine["share"] for engine in compare(path, *RULES).values()} == {None}
    answer = run("compare", path, *RULES)
    assert "0 certain cells" in answer.out
    assert "%" not in answer.out


@pytest.mark.parametrize("name", ["native", "pysat:cadical195"])
def test_no_engine_is_compared_with_itself(board: Path, name: str) -> None:
    answer = run("compare", board, "-b", name, "-b", "single", "-b", name)
    assert (answer.status, answer.out) == (2, "")
    assert answer.err == f"csp-mines: backend '{name}' is named twice; name each backend once\n"


def test_with_and_without_the_total(tmp_path: Path) -> None:
    path = tmp_path / "total.txt"
    path.write_text("mines: 1\n?1?1?")
    assert compare(path, *RULES)["native"]["certain_mines"] == [[0, 2]]
    assert compare(path, *RULES, "--no-total")["native"]["certain_mines"] == []


def test_the_table(board: Path) -> None:
    answer = run("compare", board, board, *RULES)
    assert answer.status == 0
    assert answer.out.count("native") == 3  # in both tables, and in the total
    assert "total: 2 boards, 14 certain cells" in answer.out
    assert "board.txt: 4×4, mines unknown, 7 certain cells" in answer.out


def test_the_prior_reads_as_in_solve(tmp_path: Path) -> None:
    path = tmp_path / "dense.txt"
    path.write_text("density: 0.25\n?1?\n")
    for command in (["solve"], ["compare", "-b", "native"]):
        assert "dense.txt: 1×3, density 0.25, " in run(*command, path).out


def test_contradictions_exit_1(tmp_path: Path) -> None:
    path = tmp_path / "wrong.txt"
    path.write_text("1?2")
    answer = run("compare", path, *RULES)
    assert answer.status == 1
    assert answer.out == "    0  1  2\n0   1  ?  2\n"
    assert answer.err == f"{path}: contradiction: (0,2)=2, but only 1 hidden cell is beside it\n"
    good = tmp_path / "good.txt"
    good.write_text("?1")
    answer = run("compare", "--json", path, good, *RULES)
    lines = [json.loads(line) for line in answer.out.splitlines()]
    assert answer.status == 1
    assert lines[0]["conflict"] == [{"cell": [0, 2], "clue": 2}]
    assert lines[1]["certain"] == 1


def test_an_engine_that_gives_up_is_a_row(board: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from csp_mines.solvers.native import Native

    def give_up(engine: Native, problem: Problem) -> Deduction:
        raise TooWide(3, 2)

    monkeypatch.setattr(Native, "deduce", give_up)
    answer = run("compare", board, "-b", "native", "-b", "pysat")
    assert answer.status == 0
    assert "too wide" in answer.out
    assert "7 certain cells" in answer.out


class Liar(Backend):
    """Calls every cell safe, or says that nothing fits."""

    name, summary, complete, ranges, counts = "liar", "lies", False, True, False
    options = "WHAT"

    def deduce(self, problem: Problem) -> Deduction:
        if self.gives_up:
            raise Contradiction
        return Deduction(safe=frozenset(problem.frontier))

    def __init__(self, option: str | None = None, **limits: int) -> None:
        super().__init__(option, **limits)
        self.gives_up = option == "gives-up"


@pytest.mark.parametrize("liar", ["liar", "liar:gives-up"])
def test_a_disagreement_is_shouted(board: Path, liar: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def with_liar(name: str) -> type[Backend]:
        return Liar if name == "liar" else backend_class(name)

    monkeypatch.setattr("csp_mines.backend.backend_class", with_liar)
    answer = run("compare", board, "-b", liar, "-b", "native")
    assert answer.status == 3
    assert answer.out == ""
    assert "liar" in answer.err
    assert "native" in answer.err


def test_six_paradigms_agree(board: Path) -> None:
    names = ["pysat", "cpsat", "z3", "clingo", "highs", "sdd"]
    installed = [name for name in names if backend_class(name).missing() is None]
    engines = compare(board, *(f"--backend={name}" for name in (*installed, "native")))
    assert {engine["share"] for engine in engines.values()} == {1.0}
    assert not any(engine["differs"] for engine in engines.values())


@pytest.mark.parametrize("liar", ["liar", "liar:gives-up"])
def test_floating_point_decides_nothing(
    board: Path, liar: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An engine that decides in floats may be wrong: that is shown, and never believed."""

    class Floats(Liar):
        complete, floating_point = True, True

    def with_floats(name: str) -> type[Backend]:
        return Floats if name == "liar" else backend_class(name)

    monkeypatch.setattr("csp_mines.backend.backend_class", with_floats)
    answer = run("compare", board, "-b", liar, "-b", "native")
    assert answer.status == 0, answer.err
    assert "7 certain cells" in answer.out
    assert re.search(rf"^ +{liar} +in floats .* differs ", answer.out, re.M)
    answer = run("compare", board, "-b", liar, "-b", "native", "--cells")
    assert "\n  a  native adds 4 safe, 3 mines\n" in answer.out
    assert f"\n  {liar} has no letter: it computes in floats and proves nothing\n" in answer.out
    answer = run("compare", board, "-b", liar, "-b", "single", "--json")
    assert json.loads(answer.out)["certain"] is None


@pytest.mark.skipif(backend_class("highs").missing() is not None, reason="no highspy")
@pytest.mark.parametrize(
    "arguments",
    [
        ("solve", "-b", "highs"),
        ("solve", "-b", "highs", "--counter", "sampling"),
        ("solve", "-b", "highs", "--no-probabilities"),
        ("explain", "-b", "highs"),
        ("simulate", "--agent", "highs+random", "--games", "1"),
    ],
)
def test_no_task_takes_floating_point_for_a_proof(board: Path, arguments: tuple[str, ...]) -> None:
    boards = [] if arguments[0] == "simulate" else [board]
    answer = run(*arguments, *boards)
    assert (answer.status, answer.out) == (2, "")
    assert "'highs' computes in floating point, so its deductions are not proofs" in answer.err


def test_backends_lists_every_engine() -> None:
    answer = run("backends", "--json")
    engines = {engine["name"]: engine for engine in json.loads(answer.out)}
    assert list(engines) == [
        "single", "subtraction", "gauss", "pysat", "cpsat", "z3", "clingo", "highs", "native",
        "sdd", "ganak",
    ]  # fmt: skip
    assert list(engines)[3:] == [name for name, engine in engines.items() if engine["complete"]]
    assert [name for name, engine in engines.items() if engine["floating_point"]] == ["highs"]
    assert all(engine["version"] for engine in engines.values() if engine["available"])
    table = run("backends").out
    assert all(name in table for name in engines)


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize("columns", [80, 40])
def test_what_to_install_is_never_cut(columns: int, monkeypatch: pytest.MonkeyPatch) -> None:
    from csp_mines.solvers.ganak import Ganak

    monkeypatch.setattr(Ganak, "missing", lambda: "pip install 'csp-mines[ganak]'")
    monkeypatch.setenv("COLUMNS", str(columns))
    monkeypatch.setenv("NO_COLOR", "1")
    with contextlib.redirect_stdout(Terminal()) as terminal:
        assert run_command(["backends"]) == 0
    shown = re.sub(r"\x1b\[[0-9;]*m", "", terminal.getvalue())
    assert "…" not in shown
    assert "to use ganak: pip install 'csp-mines[ganak]'" in " ".join(shown.split())


def test_cells_that_each_engine_adds() -> None:
    """`1221`, the ends by one clue at a time, the rest by subtraction."""
    answer = run(
        "compare", "????\n1221", "-b", "single", "-b", "subtraction", "-b", "gauss", "--cells"
    )
    assert answer.status == 0
    assert "0   b  B  B  b\n1   1  2  2  1\n" in answer.out
    assert "  a  single adds nothing\n  b  subtraction adds 2 safe, 2 mines\n" in answer.out
    assert "  c  gauss adds nothing\n" in answer.out
