"""`csp-mines solve`: its text, its JSON, its exit status, and every kind of bad input."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from csp_mines import Analysis, Board, analyze
from csp_mines.analysis import overlays
from csp_mines.backend import Capability, offered
from csp_mines.board import HIDDEN, Cell
from csp_mines.cli.console import show_json
from csp_mines.errors import TooWide
from csp_mines.geometry import SQUARE
from tests.cli.runner import Result, run

ROOT = Path(__file__).parents[2]
CORNER = "????\n113?\n001?\n001?\n"


@pytest.fixture
def board(tmp_path: Path) -> Path:
    path = tmp_path / "board.txt"
    path.write_text(CORNER)
    return path


def solve_json(*arguments: str | Path) -> dict[str, object]:
    answer = run("solve", "--json", *arguments)
    assert answer.status == 0, answer.err
    loaded: dict[str, object] = json.loads(answer.out)
    return loaded


def test_json_has_all_fields(board: Path) -> None:
    answer = solve_json(board)
    assert answer.pop("seconds") > 0
    assert answer == {
        "rows": 4, "cols": 4, "mines": None, "density": None, "clues": "exact",
        "backend": "native", "complete": True, "exact": True, "status": "progress",
        "safe": [[0, 0], [0, 2], [1, 3], [3, 3]],
        "certain_mines": [[0, 1], [0, 3], [2, 3]],
        "probabilities": [
            [0.0, 1.0, 0.0, 1.0], [None, None, None, 0.0], [None, None, None, 1.0],
            [None, None, None, 0.0],
        ],
        "solutions": "1", "log_solutions": 0.0,
        "move": {
            "cell": [0, 0], "risk": 0.0, "reason": "proved safe", "win_chance": None,
            "exact": False,
        },
    }  # fmt: skip


def test_text_is_legible_without_colour(board: Path) -> None:
    answer = run("solve", board)
    assert answer.status == 0
    assert "0 >ok ** ok **" in answer.out
    assert "safe       0,0  0,2  1,3  3,3" in answer.out
    assert "mines      0,1  0,3  2,3" in answer.out
    assert "\x1b[" not in answer.out


@pytest.mark.parametrize("backend", ["single", "subtraction", "subtraction:1", "gauss"])
def test_engines_that_cannot_count_say_so(board: Path, backend: str) -> None:
    answer = run("solve", board, "--backend", backend)
    assert answer.status == 0
    assert (
        answer.err
        == f"deductions by backend {backend.split(':')[0]!r}, probabilities by 'native'\n"
    )


def test_without_probabilities_nothing_is_counted(board: Path) -> None:
    answer = solve_json(board, "--no-probabilities", "--backend", "single")
    assert answer["probabilities"] is answer["solutions"] is answer["move"] is None
    assert answer["safe"] == []


def test_the_total_decides(tmp_path: Path) -> None:
    path = tmp_path / "total.txt"
    path.write_text("?1?1?")
    assert solve_json(path)["status"] == "guess"
    assert solve_json(path, "--mines", "1")["certain_mines"] == [[0, 2]]
    assert solve_json(path, "--mines", "2")["certain_mines"] == [[0, 0], [0, 4]]
    assert solve_json(path, "--mines", "1", "--no-total")["certain_mines"] == []


def test_exact_fractions(tmp_path: Path) -> None:
    path = tmp_path / "density.txt"
    path.write_text("density: 0.25\n?1?1?")
    assert solve_json(path, "--exact")["fractions"] == [["1/4", None, "3/4", None, "1/4"]]
    assert "3/4: 0,2" in run("solve", path, "--exact").out


def test_clue_models_on_the_command_line(board: Path) -> None:
    answer = solve_json(board, "--clues", "optimistic", "--density", "0.2")
    assert (answer["clues"], answer["density"]) == ("optimistic", 0.2)
    assert answer["solutions"] == "45"


def test_several_boards_and_standard_input(board: Path) -> None:
    answer = run("solve", "--json", board, "-", stdin="?1")
    lines = [json.loads(line) for line in answer.out.splitlines()]
    assert [line["cols"] for line in lines] == [4, 2]


def test_marks_can_be_ignored(tmp_path: Path) -> None:
    path = tmp_path / "marked.txt"
    path.write_text("M1?")
    assert solve_json(path)["safe"] == [[0, 2]]
    assert solve_json(path, "--ignore-marks")["safe"] == []


def test_other_formats(tmp_path: Path) -> None:
    path = tmp_path / "board.mine"
    path.write_text("3x1x1\nH1F")
    assert solve_json(path)["safe"] == [[0, 0]]
    assert solve_json(path, "--format", "mine")["mines"] == 1


def test_contradictions_exit_1_and_name_the_clues(tmp_path: Path) -> None:
    path = tmp_path / "wrong.txt"
    path.write_text("1?2\n1?2\n???")
    answer = run("solve", path)
    assert answer.status == 1
    assert answer.err.startswith(f"{path}: contradiction: ")
    report = json.loads(run("solve", "--json", path).out)
    assert report["status"] == "contradiction"
    assert len(report["conflict"]) >= 2
    assert all(set(part) == {"cell", "clue"} for part in report["conflict"])


def test_marks_that_may_be_wrong_are_named(tmp_path: Path) -> None:
    path = tmp_path / "marked.txt"
    path.write_text("M1\n1?\nM0")
    answer = run("solve", path)
    assert (
        "contradiction: (1,0)=1, but 2 known mines are beside it; marked mines: 0,0  2,0; try"
        in answer.err
    )
    assert json.loads(run("solve", "--json", path).out)["marks"] == [[0, 0], [2, 0]]
    assert run("solve", path, "--ignore-marks").status == 0


@pytest.mark.parametrize(
    ("text", "arguments", "status", "message"),
    [
        ("", [], 2, "expected at least one row of cells"),
        ("??\n?", [], 2, "this row has 1 cell, the first row has 2"),
        ("?z", [], 2, "'z' does not stand for a cell"),
        ("?9", [], 2, "'9' does not stand for a cell"),
        ("??", ["--mines", "3"], 2, "a board of 2 cells has 0 to 2 mines, not 3"),
        ("??1", ["--mines", "3"], 1, "3 mines in all, but only 2 hidden cells are on the board"),
        ("MM?", ["--mines", "1"], 1, "1 mine in all, but 2 known mines are on the board"),
        ("?5?", [], 1, "(0,1)=5, but only 2 hidden cells are beside it"),
        ("M1M", [], 1, "(0,1)=1, but 2 known mines are beside it"),
        ("??", ["--mines", "-1"], 2, "a board of 2 cells has 0 to 2 mines, not -1"),
        ("??", ["--mines", "one"], 2, "--mines needs a whole number, not 'one'"),
        (
            "??",
            ["--density", "1e-99999999"],
            2,
            "density must differ from 0 and 1 by more than 1e-300, not '1e-99999999'",
        ),
        ("density: 0\n??", [], 2, "density must be greater than 0 and less than 1, not 0"),
        ("??", ["--density", "0e9"], 2, "density must be greater than 0 and less than 1, not 0e9"),
        ("??", ["--backend", "subtraction:²"], 2, "depth"),
        ("??", ["--density", "1.5"], 2, "density must be greater than 0 and less than 1, not 1.5"),
        ("??", ["--mines", "1", "--density", "0.5"], 2, "not both"),
        ("??", ["--clues", "vague"], 2, "unknown clue model 'vague'"),
        ("??", ["--backend", "magic"], 2, "unknown backend 'magic'"),
        ("??", ["--backend", "native:fast"], 2, "unknown option of native"),
        ("??", ["--backend", "subtraction:deep"], 2, "depth"),
        ("??", ["--counter", "single"], 2, "cannot count"),
        ("??", ["--format", "gif"], 2, "unknown board format 'gif'"),
        ("??", ["--frobnicate"], 2, "--frobnicate"),
        ("??", ["--exact", "--no-probabilities"], 2, "work only with probabilities"),
        ("??", ["--move", "safest", "--no-probabilities"], 2, "--move work only with"),
        ("?1?1?", ["--max-states", "1", "--exact"], 2, "too wide to count"),
    ],
)
def test_bad_input_is_one_line(
    tmp_path: Path, text: str, arguments: list[str], status: int, message: str
) -> None:
    path = tmp_path / "bad.txt"
    path.write_text(text)
    answer = run("solve", path, *arguments)
    _one_line(answer, status, message)


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    _one_line(run("solve", tmp_path), 2, "is a directory")
    _one_line(run("solve", tmp_path / "missing.txt"), 2, "no such file")
    path = tmp_path / "latin.txt"
    path.write_bytes(b"?1\n\xe9?")
    _one_line(run("solve", path), 2, "latin.txt:2:1: byte 0xe9 is not UTF-8 text")


def _one_line(answer: Result, status: int, message: str) -> None:
    assert answer.status == status
    assert message in answer.err
    assert answer.err.count("\n") == 1
    assert len(answer.err) < 400


def test_a_large_board_is_solved(tmp_path: Path) -> None:
    """Its number of solutions has more digits than Python prints by itself."""
    path = tmp_path / "large.txt"
    path.write_text("\n".join(["?" * 200] * 200))
    assert "solutions  1.5843e12041 (e^27725.8872)" in run("solve", path).out
    digits = str(solve_json(path)["solutions"])
    assert (len(digits), digits[:8]) == (12042, "15842603")
    assert solve_json(path, "--mines", "8000", "--exact")["fractions"][0][0] == "1/5"


@pytest.mark.once
def test_a_closed_pipe_is_no_error(board: Path) -> None:
    command = f"{Path(sys.executable).with_name('csp-mines')} solve {board} | head -1"
    script = ["bash", "-c", f"set -o pipefail; {command}"]
    answer = subprocess.run(script, capture_output=True, text=True, check=True)
    assert answer.stderr == ""


@pytest.mark.once
def test_output_that_cannot_be_written(board: Path) -> None:
    command = [Path(sys.executable).with_name("csp-mines"), "solve", board]
    with Path("/dev/full").open("w") as full:
        answer = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True)
    assert answer.returncode == 2
    assert answer.stderr == "csp-mines: output: no space left on device\n"


def test_ctrl_c_is_one_line(board: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("csp_mines.analysis.analyze.analyze", interrupt)
    answer = run("solve", board)
    assert (answer.status, answer.err) == (130, "csp-mines: interrupted\n")


def test_the_real_command(board: Path) -> None:
    command = [Path(sys.executable).with_name("csp-mines"), "solve", "--json", board]
    answer = subprocess.run(command, capture_output=True, text=True, check=True)
    assert json.loads(answer.stdout)["solutions"] == "1"
    assert answer.stderr == ""


def test_show_puts_other_numbers_on_the_board() -> None:
    """Five cells and three mines in the corner; 6,8 wins two layouts of three, 8,8 one."""
    stuck = (Path(__file__).parents[2] / "examples" / "boards" / "last-corner.txt").read_text()
    if offered(Capability.BOARDS) is None:
        shown = run("solve", "-", "--show", "win", stdin=stuck).out
        assert "risks, not win: playing to win needs the compiled kernel" in shown
        return
    lines = run("solve", "-", "--show", "win", stdin=stuck).out.splitlines()
    assert [line[-5:] for line in lines[9:12]] == ["33>67", "67 33", " 2 33"]
    told = json.loads(run("solve", "-", "--show", "win", "--json", stdin=stuck).out)["overlay"]
    assert told["values"][6][7:] == [1 / 3, 2 / 3]
    assert told["values"][8][8] == 1 / 3


def test_show_information_and_what_it_refuses() -> None:
    shown = run("solve", "-", "--show", "information", stdin="mines: 1\n?1?\n").out
    assert "10  1 10" in shown.replace(">", " ")  # ten tenths: which of the two it is
    refused = run("solve", "-", "--show", "information", stdin="density: 0.2\n?1?\n").out
    assert (
        "risks, not information: what a cell would show is available only for exact clues"
        in refused
    )
    sampled = ("solve", "-", "--counter", "sampling", "--approximate", "0.01", "--show")
    for number, what in (("information", "what a cell would show"), ("win", "the chance to win")):
        answer = run(*sampled, number, stdin="mines: 1\n?1?\n")
        why = f"{what} is available only for counted risks, not for estimates"
        if offered(Capability.BOARDS) is None:
            assert "sampling needs the compiled kernel" in answer.err
        else:
            assert f"risks, not {number}: {why}" in " ".join(answer.out.split())
    wrong = run("solve", "-", "--show", "luck", stdin="?\n")
    assert wrong.status == 2
    assert "luck" in wrong.err
    assert "information" in wrong.err


_AT_EACH_TIME = """
import sys, time
clock, loaded = time.perf_counter, []
def perf_counter():
    loaded.append(set(sys.modules))
    return clock()
time.perf_counter = perf_counter
from csp_mines.cli import run
assert run(sys.argv[1:]) == 0
last = -1 if "--json" in sys.argv else 1
sys.exit(" ".join(sorted(loaded[last] - loaded[0])))
"""


@pytest.mark.parametrize(
    ("backend", "more"),
    [
        ("native", ()), ("native", ("--json",)), ("native", ("--exact",)),
        ("native", ("--no-probabilities",)), ("single", ()), ("pysat", ("--json",)),
    ],
)  # fmt: skip
def test_the_time_is_that_of_the_engine_and_not_of_showing(
    backend: str, more: tuple[str, ...]
) -> None:
    """In a process that has just begun, the time shown includes loading what the analysis needs,
    and nothing that only prints."""
    board = ROOT / "examples" / "boards" / "last-corner.txt"
    arguments = ["solve", str(board), "--backend", backend, *more]
    done = subprocess.run(
        [sys.executable, "-c", _AT_EACH_TIME, *arguments], capture_output=True, text=True
    )
    timed = done.stderr.splitlines()[-1].split()
    assert f"csp_mines.solvers.{'sat' if backend == 'pysat' else backend}" in timed
    assert [name for name in timed if name.startswith(("rich", "csp_mines.cli"))] == []


def test_estimates_on_request() -> None:
    answer = run("solve", "-", "--counter", "sampling", "--approximate", "0.1", stdin="1?\n")
    assert (answer.status, answer.err) == (0, "")
    assert "risks      estimates" in answer.out


def test_other_numbers_that_are_too_wide_leave_the_answer(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Opening a cell may make a position wider than it is."""

    def too_wide(*_: object) -> None:
        raise TooWide(200, 100)

    monkeypatch.setattr(overlays, "information", too_wide)
    shown = run("solve", "-", "--show", "information", stdin="mines: 1\n?1?\n")
    assert shown.status == 0, shown.err
    assert "risks, not information: too wide to count" in shown.out
    assert "solutions  2" in shown.out


def _board(size: int, opened: float) -> Board:
    """About 18 % of the cells are mines; of the safe ones a share is open."""
    random = np.random.default_rng(1)
    layout = random.random((size, size)) < 0.18
    shown = ~layout & (random.random((size, size)) < opened)
    return Board(np.where(shown, SQUARE.count(layout), HIDDEN), mines=int(layout.sum()))


@pytest.mark.parametrize("options", [(), ("--json",)])
def test_proved_cells_are_not_made_anew_for_every_cell(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, options: tuple[str, ...]
) -> None:
    """A large board would take minutes to print."""
    board = _board(60, 0.5)
    made = type(analyze(board))
    asked: list[str] = []
    for name in ("safe", "mines"):
        plain = getattr(made, name)

        def counted(self: Analysis, name: str = name, plain: Any = plain) -> frozenset[Cell]:
            asked.append(name)
            cells: frozenset[Cell] = plain.__get__(self)
            return cells

        monkeypatch.setattr(made, name, property(counted))
    path = tmp_path / "board.txt"
    path.write_text(str(board))
    assert run("solve", path, *options).status == 0
    assert len(asked) < 10


def test_long_lists_are_written_as_short_ones_are(capsys: pytest.CaptureFixture[str]) -> None:
    document = {
        "rows": [[row, None, 0.5, "é\x9b"] for row in range(250)],
        "empty": {}, "none": [], "nested": {"few": [1, 2], "many": list(range(101))},
    }  # fmt: skip
    show_json(document)
    line = capsys.readouterr().out
    assert json.loads(line) == document
    assert line == json.dumps(document, ensure_ascii=False).replace("\x9b", "\\u009b") + "\n"
    with pytest.raises(ValueError, match="Out of range float"):
        show_json({"rows": [1.0] * 500 + [float("nan")]})
    assert capsys.readouterr().out == ""


def test_a_win_chance_without_the_total_keeps_the_density() -> None:
    answer = run("solve", "-", "--density", "0.1", "--no-total", "--win", stdin="2??\n???\n")
    assert answer.status == 0
    assert "playing to win does not work with a density" in answer.out


def test_a_total_that_is_not_used_is_not_blamed() -> None:
    for command in ("solve", "compare"):
        answer = run(command, "-", "--mines", "3", "--no-total", stdin="10?\n1?C\n")
        assert answer.status == 1
        assert "(0,0)=1 and (0,1)=0 cannot hold together" in answer.err


def test_without_a_win_chance_the_analysis_is_shown_and_the_reason() -> None:
    answer = run("solve", "-", "--density", "0.2", "--win", stdin="?1?\n???\n")
    assert answer.status == 0
    assert "solutions" in answer.out
    assert "win chance unknown: playing to win does not work with a density" in answer.out
    found = run("solve", "-", "--density", "0.2", "--win", "--json", stdin="?1?\n???\n")
    document = json.loads(found.out)
    assert document["win"]["win_chance"] is None
    assert document["win"]["refused"].startswith("playing to win does not work with a density")
    assert document["status"] == "guess"


def test_a_link_of_another_site_is_told_apart_from_a_file() -> None:
    answer = run("solve", "https://mines.example/game/1")
    assert answer.status == 2
    assert "expected a link that holds the board itself" in answer.err
    assert "no such file" not in answer.err


def test_rows_of_different_lengths_are_no_rectangle() -> None:
    answer = run("solve", "-", stdin="???\n?1\n")
    assert "this row has 2 cells, the first row has 3" in answer.err
    assert "a board is a rectangle, so all rows must have the same length" in answer.err
