"""`csp-mines assist`: the dialogue, its files, and its ends."""

from __future__ import annotations

import builtins
import contextlib
import io
import os
import signal
import sqlite3
import subprocess
import sys
from fractions import Fraction
from pathlib import Path

import pytest

from csp_mines import Board, BoardError
from csp_mines.cli import run as run_command
from csp_mines.games.assist import Advice, AdviceKind, Session
from tests.cli.runner import Result, run

SMALL = ("--size", "4x4", "--mines", "3", "--start", "any")


@pytest.fixture(autouse=True)
def _own_state(monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path_factory.mktemp("state")))


def talk(*lines: str, arguments: tuple[str | Path, ...] = SMALL) -> Result:
    return run("assist", *arguments, stdin="".join(line + "\n" for line in lines))


def test_it_asks_and_takes_answers() -> None:
    answer = talk("1", "0,1=1")
    assert answer.status == 0
    assert "Open 0,0: risk 18.75% (3/16)" in answer.out
    assert "Open 0,2: proved safe by the 1 at 0,0 and the 1 at 0,1." in answer.out


def test_a_wrong_entry_is_named_and_not_taken() -> None:
    answer = talk("1", "0,1=0 1,0=0 1,1=1", "board", "quit")
    assert "0,1, 1,0 and 1,1 cannot all be safe: (0,0)=1 rules it out." in answer.out
    assert "The entry was ignored." in answer.out
    assert answer.out.rstrip().endswith("1???\n????\n????\n????")


def test_words_that_are_no_commands() -> None:
    answer = talk("hello", "help", "undo", "save", "load nowhere.txt", "")
    assert "'hello' is neither an entry nor a command" in answer.out
    assert "R,C=V" in answer.out
    assert "there is nothing to undo" in answer.out
    assert "save needs a file name, such as save board.txt" in answer.out
    assert "nowhere.txt: no such file or directory" in answer.out
    assert answer.status == 0


@pytest.mark.parametrize("entry", ["0,0 1", "(0,0)=1", "0,0:1", " 0 , 0  =  1 ", "0,0 1 ; 0,1=?"])
def test_other_ways_to_name_a_cell(entry: str) -> None:
    answer = talk(entry, "quit")
    assert "Reading a board" not in answer.out
    assert answer.out.rstrip().endswith("1???\n????\n????\n????")


@pytest.mark.parametrize(
    "entry", ["0,0", "0,0 9", "0,0=", "0,0=11", "-1,0=1", "(0,0)", "0,0 is 1", "12345678,0=1"]
)
def test_what_is_nearly_an_entry_gets_a_hint_and_begins_no_board(entry: str) -> None:
    answer = talk(entry, "1", "quit")
    assert f"expected ROW,COL=VALUE, such as 0,0=1, got '{entry}'" in answer.out
    assert "Reading a board" not in answer.out
    assert answer.out.rstrip().endswith("1???\n????\n????\n????")


def test_a_board_that_is_waited_for_is_announced() -> None:
    answer = talk("1???", "????", "????", "????", "quit")
    assert answer.out.count("Reading a board; a blank line ends the board.") == 1
    assert answer.out.rstrip().endswith("1???\n????\n????\n????")


@pytest.mark.parametrize(
    ("mines", "start", "cause"),
    [
        (9, "safe", "no room for 9 mines on 9 cells: the first cell must be safe"),
        (
            6,
            "zero",
            "no room for 6 mines on 9 cells: the first cell and those around it must be safe",
        ),
    ],
)
def test_mines_that_leave_no_first_cell(mines: int, start: str, cause: str) -> None:
    size = ("--size", "3x3", "--start", start, "--mines")
    answer = talk(arguments=(*size, str(mines)))
    assert (answer.status, answer.out) == (2, "")
    assert cause in answer.err
    assert talk(arguments=(*size, str(mines - 1))).status == 0
    assert talk(arguments=(*size, str(mines), "--start", "any")).status == 0


def test_risks_are_shown_on_demand() -> None:
    answer = talk("1", "0,1=1", "board")
    assert "0   1  1>ok  ?\n1  50 50 ok  ?\n" in answer.out


def test_arguments_are_given_on_demand() -> None:
    answer = talk("1", "0,1=1", "why", "why 1,0")
    assert "so (0,2) and (1,2) are safe." in answer.out
    assert "Undecided: a mine with probability 50.00%" in answer.out


@pytest.mark.parametrize(
    ("start", "rule", "advised"),
    [
        ("safe", "The first cell is never a mine in this game", "0,0"),
        ("zero", "The first cell and those around it are never mines in this game", "3,3"),
    ],
)
def test_the_first_cell_has_no_risk_where_the_rules_keep_it_safe(
    start: str, rule: str, advised: str
) -> None:
    expert = ("--level", "expert", "--start", start)
    answer = talk("why", "why 5,5", "board", "why 16,0", arguments=expert)
    assert f"{rule}: {advised} is safe to open now.\n" in answer.out
    assert f"{rule}: 5,5 is safe to open now. The advice is {advised}.\n" in answer.out
    assert "Every cell is safe to open first, so there are no risks to show." in answer.out
    assert "cell 16,0 is not on this 16×30 board" in answer.out
    assert "%" not in answer.out
    later = talk("1", "why 5,5", arguments=expert)
    assert "5,5" in later.out
    assert "Undecided: a mine with probability 20." in later.out


def test_undo_takes_an_entry_back() -> None:
    answer = talk("1", "undo", "quit")
    assert answer.out.rstrip().endswith("????\n????\n????\n????")


def test_saving_and_loading(tmp_path: Path) -> None:
    path = tmp_path / "board.txt"
    first = talk("1", f"save {path}", "quit")
    assert "The board so far" not in first.out
    assert Board.read(path) == Board.parse("mines: 3\n1???\n????\n????\n????")
    second = talk(f"load {path}", "0,1=1")
    assert "Open 0,2: proved safe" in second.out
    third = talk("0,1=1", arguments=(path,))
    assert "Open 0,2: proved safe" in third.out


def test_every_entry_is_saved_at_once(tmp_path: Path) -> None:
    path = tmp_path / "game.txt"
    arguments = ("--size", "4x4", "--mines", "3", "--move", "safest")
    answer = talk("1", "x", arguments=(*arguments, "--save", path))
    assert Board.read(path)[0, 3] == -3
    assert "The board so far" not in answer.out
    assert list(tmp_path.iterdir()) == [path]


def test_a_file_that_cannot_be_written_loses_nothing(tmp_path: Path) -> None:
    answer = talk("1", arguments=("--size", "2x2", "--mines", "1", "--save", tmp_path / "no" / "f"))
    assert "no such file or directory" in answer.out
    assert answer.out.rstrip().endswith("1?\n??")


def test_an_interrupt_shows_the_board(monkeypatch: pytest.MonkeyPatch) -> None:
    lines = iter(["1"])

    def interrupted(prompt: str = "") -> str:
        for line in lines:
            return line
        raise KeyboardInterrupt

    monkeypatch.setattr(builtins, "input", interrupted)
    answer = talk()
    assert answer.status == 0
    assert "The board so far:\nmines: 3\n1???" in answer.out


def test_a_total_too_wide_to_explain_does_not_end_it(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr("csp_mines.analysis.clue_sets.WIDE", 0)
    path = tmp_path / "board.txt"
    path.write_text("mines: 2\n?????\n")
    answer = talk("0,1=1 0,3=1", "why", "0", arguments=(path,))
    assert answer.status == 0
    assert "Open 0,2: proved safe by all clues and the number of mines in all." in answer.out
    assert "too wide to explain" in answer.out
    assert answer.out.rstrip().endswith("?101?")


def test_without_advice_it_goes_on(monkeypatch: pytest.MonkeyPatch) -> None:
    def advice(_: Session) -> None:
        raise BoardError("out of ideas")

    monkeypatch.setattr(Session, "advice", property(advice))
    answer = talk("0", "0,0=1", "why", "quit")
    assert "No advice: out of ideas" in answer.out
    assert "does not name a cell; enter ROW,COL=VALUE" in answer.out
    assert answer.out.rstrip().endswith("1???\n????\n????\n????")


def test_a_defect_loses_nothing(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def advice(session: Session) -> Advice:
        if session.entries:
            raise ZeroDivisionError
        return Advice(AdviceKind.GUESS, (0, 0), Fraction(1, 2), "a try")

    monkeypatch.setattr(Session, "advice", property(advice))
    monkeypatch.setattr(builtins, "input", lambda: "1")
    assert run_command(["assist", "--size", "4x4", "--mines", "3"]) == 70
    shown = capsys.readouterr()
    assert "The board so far:\nmines: 3\n1???" in shown.out
    assert "internal error: ZeroDivisionError" in shown.err


def test_a_finished_game_is_done() -> None:
    answer = talk("1", "0,1=1", arguments=("--size", "1x3", "--mines", "1"))
    assert "0,1 cannot be safe: (0,0)=1 rules it out. The entry was ignored." in answer.out
    answer = talk("0", "1", arguments=("--size", "1x3", "--mines", "1"))
    assert "Done: every safe cell is open." in answer.out


def test_levels_densities_and_clue_models() -> None:
    free = ("--start", "any")
    assert "Open 0,0: risk 12.35% (10/81)" in talk(arguments=free).out
    assert "risk 20.62% (33/160)" in talk(arguments=("--level", "expert", *free)).out
    assert "risk 20.00% (1/5)" in talk(arguments=("--size", "3x3", "--density", "0.2", *free)).out
    assert "clues: silent" in talk("c", arguments=("--level", "easy", "--clues", "silent")).out


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        (("-",), "name a file instead of -"),
        (("--size", "4x4"), "give --mines or --density"),
        (("--rows", "4", "--mines", "3"), "--rows together with --cols"),
        (("--level", "expert", "--mines", "3"), "give either --level, or a size"),
        (("--level", "huge"), "unknown level 'huge'"),
        (("--size", "4x4", "--mines", "3", "--density", "0.2"), "not both"),
    ],
)
def test_bad_arguments(arguments: tuple[str, ...], problem: str) -> None:
    answer = talk(arguments=arguments)
    assert answer.status == 2
    assert problem in answer.err
    assert answer.err.count("\n") == 1


EXPERT = (Path(__file__).parents[2] / "examples" / "boards" / "expert.txt").read_text()
ROWS = EXPERT.split("\n")[2:18]
WANTED = Board.parse(EXPERT).to_line()


def state() -> list[str]:
    """The boards in the session's file, as lines."""
    with contextlib.closing(sqlite3.connect(state_file())) as file:
        return [line for (line,) in file.execute("SELECT line FROM boards ORDER BY number")]


def state_file() -> Path:
    return Path(os.environ["XDG_STATE_HOME"]) / "csp-mines" / "assist.sqlite"


def test_an_expert_position_by_paste_in_one_step() -> None:
    answer = talk(*ROWS, arguments=("--level", "expert"))
    assert "Open 5,0: proved safe" in answer.out
    assert "Also safe: 4,3  4,4  4,5  9,19" in answer.out
    assert [len(state()), state()[-1]] == [2, WANTED]


def test_an_expert_position_by_rows_in_sixteen() -> None:
    rows = [f"row {number}: {row}" for number, row in enumerate(ROWS)]
    answer = talk(*rows, arguments=("--level", "expert"))
    assert "Open 5,0: proved safe" in answer.out
    # A row of nothing but hidden cells changes nothing, and says so.
    bare = sum(set(row) == {"?"} for row in ROWS)
    assert answer.out.count("the board shows that already") == bare
    assert [len(state()), state()[-1]] == [17 - bare, WANTED]


@pytest.mark.parametrize(
    "text",
    ["b1_1x5_m2_H1H1H", "[[-1, 1, -1, 1, -1]]", "H1H1H", "# 1 # 1 #", "5x1x2\nH1H1H"],
)  # fmt: skip
def test_pastes_in_other_notations(text: str) -> None:
    answer = talk(*text.split("\n"), arguments=("--size", "1x5", "--mines", "2"))
    assert "Open 0,2: proved safe by" in answer.out
    assert state()[-1] == "b1_1x5_m2_H1H1H"


def test_a_paste_that_is_no_board_is_refused() -> None:
    answer = talk("paste", "??", "?q", "", "quit")
    assert "'q' does not stand for a cell" in answer.out
    assert answer.status == 0


def test_marks_corrections_and_several_cells_at_once() -> None:
    answer = talk("1", "0,0=2", "1,1=m", "1,1=?", "0,0=0", "112", "quit")
    assert "A 0 opens all cells around it: 0,1  1,0  1,1; what do they show?" in answer.out
    assert answer.out.rstrip().endswith("mines: 3\n01??\n12??\n????\n????")
    refused = talk("0,0=?", "row 9: ????", "row 0: ??", "row 0: ??!?", "row 1: 1???")
    for problem in (
        "the board shows that already",
        "cell 9,0 is not on this 4×4 board",
        "a row of this board needs 4 values, one for each column, not 2",
        "'!' does not stand for a cell",
    ):
        assert problem in refused.out
    assert state()[-1].endswith("He1Hl")


def test_the_first_cell_is_no_risk_where_the_game_says_so() -> None:
    assert "Open 0,0: the first cell is never a mine in this game." in talk(arguments=()).out
    zero = talk(arguments=("--level", "expert", "--start", "zero")).out
    assert "Open 3,3: the first cell and those around it are never mines in this game." in zero
    assert "unknown start 'never'" in talk(arguments=("--start", "never")).err


def test_a_name_that_is_none_does_not_end_it() -> None:
    answer = talk("1", "save /", "save a\0b", "quit")
    assert "'/' is not a valid file name" in answer.out
    assert "The board so far" in answer.out


def test_a_session_goes_on_after_its_end_of_input_and_not_after_quit() -> None:
    assert "The board so far" in talk("1").out
    again = talk("0,1=1", arguments=())
    assert "Going on with the last session, after 1 entry." in again.out
    assert "Open 0,2: proved safe" in again.out
    assert "Open 0,0" in talk("undo", "undo", "quit", arguments=()).out
    assert state() == []
    assert "Going on" not in talk("quit", arguments=()).out


def test_kill_loses_nothing() -> None:
    code = "from csp_mines.cli import main; main()"
    child = subprocess.Popen(
        [sys.executable, "-u", "-c", code, "assist", "--level", "expert"],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
    )  # fmt: skip
    assert child.stdin is not None
    assert child.stdout is not None
    child.stdin.write("".join(f"row {number}: {row}\n" for number, row in enumerate(ROWS)))
    child.stdin.flush()
    for line in child.stdout:
        if "Open 5,0" in line:  # the advice on the whole position: every row was taken
            break
    other = talk("quit", arguments=())
    assert "another assist is running; this session is not kept" in other.out
    child.send_signal(signal.SIGKILL)
    child.wait()
    child.stdin.close()
    child.stdout.close()
    again = talk("undo", arguments=())
    assert "Going on with the last session, after" in again.out
    assert "Open 5,0: proved safe" in again.out


def test_an_unreadable_board_is_left_out() -> None:
    talk("1")
    with contextlib.closing(sqlite3.connect(state_file())) as file:
        file.execute("INSERT INTO boards (line) VALUES ('b1_4x4_m3_11')")
        file.commit()
    again = talk(arguments=()).out
    assert "after 1 entry." in again
    assert "ignored 1 unreadable board of the last session" in again.replace("\n", " ")


def test_a_contradiction_is_shown_as_everywhere(tmp_path: Path) -> None:
    path = tmp_path / "board.txt"
    path.write_text("M1\n?0\n")
    answer = talk(arguments=(path,))
    assert answer.status == 1
    told = (
        "contradiction: (1,1)=0, but 1 known mine is beside it; "
        "marked mines: 0,0; try --ignore-marks"
    )
    assert answer.err == f"{path}: {told}\n"
    assert run("solve", path).err == answer.err
    path.write_text("M1\n?1\n")
    assert talk("quit", arguments=(path,)).status == 0
    asked = talk("quit", arguments=(path, "--ignore-marks"))
    assert "M" not in asked.out.partition("\n\n")[0]


def test_a_board_has_its_size() -> None:
    board = str(Path(__file__).parents[2] / "examples" / "boards" / "disarm-corner.txt")
    for option in (("--rows", "3"), ("--size", "9x9"), ("--level", "expert")):
        answer = run("assist", board, *option)
        assert answer.status == 2
        assert answer.err == (
            "csp-mines: BOARD gives the size and the grid: leave out --level, --size, --rows, "
            "--cols, --grid and --shape\n"
        )


def test_too_many_numbers_are_counted() -> None:
    answer = talk("0", "01211", "quit")
    assert "expected 1 or 3 numbers, got 5: '01211'" in answer.out


@pytest.mark.parametrize("start", ["safe", "zero"])
def test_the_first_cell_cannot_explode_where_the_game_keeps_it_free(start: str) -> None:
    answer = talk("x", "0", "quit", arguments=("--size", "4x4", "--mines", "3", "--start", start))
    assert "never" in answer.out
    assert "so the first cell cannot show x; if the first cell of your game" in answer.out
    assert "A 0 opens all cells around it" in answer.out
    assert "cannot show x" not in talk("x", "quit").out  # the start `any`


def test_the_help_goes_on_under_its_texts(monkeypatch: pytest.MonkeyPatch) -> None:
    from csp_mines.cli import assist, console

    monkeypatch.setenv("COLUMNS", "60")
    for entry, meaning in assist.HELP.items():
        with contextlib.redirect_stdout(Terminal()) as terminal:
            console.show_item(entry, meaning, 13)
        first, *rest = terminal.getvalue().rstrip("\n").split("\n")
        assert len(first) <= 60
        assert all(line.startswith(" " * 13) and len(line) <= 60 for line in rest)


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True
