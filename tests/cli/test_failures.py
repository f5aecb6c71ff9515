"""What a command line may meet and must not fall over: hostile names, closed streams, defects."""

from __future__ import annotations

import json
import os
import pickle
import re
import subprocess
import sys
from pathlib import Path

import pytest

import csp_mines
from csp_mines import words
from csp_mines.errors import Contradiction, FileError, TooWide
from tests.cli.runner import run
from tests.solvers.test_interruption import lattice

FITS = "mines: 1\n?1?\n?1?\n"
BROKEN = "?3\n?1\n"  # the 3 has two cells
MARKED = "M0?\n?M?\n???\n"


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize(
    "name", ["[red].txt", "[/red].txt", "[bold]x[/bold].txt", ":bomb:.txt", "a\x1b[31mb.txt"]
)
@pytest.mark.parametrize("command", ["solve", "compare", "explain"])
def test_names_of_files_are_shown_as_they_are(command: str, name: str, here: Path) -> None:
    (here / name).parent.mkdir(exist_ok=True)
    (here / name).write_text(FITS)
    shown = name.replace("\x1b", "\\x1b")
    found = run(command, name)
    assert found.status == 0
    assert command == "explain" or shown in found.out
    missing = run(command, f"no{name}")
    assert missing.status == 2
    assert missing.err == f"csp-mines: no{shown}: no such file or directory\n"
    (here / name).write_text(BROKEN)
    broken = run(command, name)
    assert broken.status == 1
    assert broken.err.startswith(
        f"{shown}: contradiction: (0,1)=3, but only 2 hidden cells are beside it"
    )
    assert "\x1b" not in found.out + missing.err + broken.out + broken.err


@pytest.mark.parametrize("limit", ["0", "0.0", "-1", "nan", "-inf", "soon", ""])
@pytest.mark.parametrize("command", [("solve", "-"), ("compare", "-"), ("explain", "-", "0,0")])
def test_a_time_limit_is_some_time(command: tuple[str, ...], limit: str) -> None:
    answer = run(*command, "--time-limit", limit, stdin=FITS)
    assert (answer.status, answer.out) == (2, "")
    assert "--time-limit needs " in answer.err
    assert "0 seconds" in answer.err or "a number of seconds" in answer.err


@pytest.mark.parametrize("name", ["", " ", "\n"])
@pytest.mark.parametrize("command", ["solve", "compare", "explain", "grade", "convert", "draw"])
def test_an_empty_name_is_no_folder(command: str, name: str, here: Path) -> None:
    answer = run(command, name, *(["x.svg"] if command == "draw" else []))
    assert (answer.status, answer.out) == (2, "")
    assert (
        "a board must be a file, - for standard input, or a line, link or ID, not ''" in answer.err
    )


@pytest.mark.parametrize(
    ("arguments", "option"),
    [
        (("solve", "-", "--max-states", "9" * 23), "--max-states"),
        (("generate", "--no-guess", "--workers", "9" * 11), "--workers"),
    ],
)
def test_numbers_beyond_the_machine_are_no_defect(arguments: tuple[str, ...], option: str) -> None:
    answer = run(*arguments, stdin=FITS)
    assert (answer.status, answer.out) == (2, "")
    assert f"{option} needs a whole number from 1 to " in answer.err
    assert answer.err.count("\n") == 1


LONG = "9" * 5000  # digits


NO_DENSITY = "density must be a number greater than 0 and less than 1"


@pytest.mark.parametrize(
    ("density", "said"),
    [
        ("1e999999999", f"{NO_DENSITY}, not '1e999999999'"),
        (
            "1e-999999999",
            "density must differ from 0 and 1 by more than 1e-300, not '1e-999999999'",
        ),
        ("0e999999999", "density must be greater than 0 and less than 1, not 0e999999999"),
        (LONG, f"{NO_DENSITY}, at most 100 characters long, not '99999"),
    ],
)
def test_a_number_stalls_no_reader(density: str, said: str) -> None:
    """In a header, an option, JSON and what this program prints."""
    printed = f"x: 1×2, density {density[:40]}, exact clues: guess\n\n    0  1\n0   ?  1\n"
    for text in (
        f"density: {density}\n?1\n",
        f'{{"board": ["?1"], "density": "{density}"}}',
        printed,
    ):
        answer = run("solve", "-", stdin=text)
        assert (answer.status, answer.out) == (2, "")
        assert len(answer.err) < 250
    answer = run("solve", "-", "--density", density, stdin=FITS)
    assert (answer.status, answer.out) == (2, "")
    assert answer.err.startswith(f"csp-mines: {said}")


@pytest.mark.parametrize(
    "arguments",
    [
        ("solve", "-", "--backend", f"subtraction:{LONG}"),
        ("solve", "-", "--backend", LONG),
        ("solve", "-", "--mines", LONG),
        ("solve", f"9x9:{LONG},4,m00"),
        ("solve", f"b1_{LONG}x1_H"),
        ("explain", "-", f"{LONG},1"),
        ("play", "--size", f"{LONG}x9", "--mines", "1"),
        ("play", "--delay", LONG),
        ("densities", "-d", f"0:1:{LONG}:"),
    ],
)
def test_numbers_of_thousands_of_digits_are_no_defect(arguments: tuple[str, ...]) -> None:
    answer = run(*arguments, stdin=FITS)
    assert (answer.status, answer.out) == (2, "")
    assert len(answer.err) < 600
    assert answer.err.count("\n") == 1


@pytest.mark.parametrize("command", ["solve", "grade", "compare", "convert", "explain"])
@pytest.mark.parametrize("text", ["?1\n1\udcff", "\ud800\n??"])
def test_half_a_character_is_no_text(command: str, text: str) -> None:
    answer = run(command, text)
    assert (answer.status, answer.out) == (2, "")
    assert "is not a character; write the text in UTF-8" in answer.err
    with pytest.raises(
        csp_mines.BoardSyntaxError, match="is not a character; write the text in UTF-8"
    ):
        csp_mines.Board.parse(text)


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("solve", "-", "--approximate", "inf"), "--approximate must be a finite number"),
        (("simulate", "--reveal", "3"), "--reveal must be a probability greater than 0"),
        (("play", "--reveal=nan"), "--reveal must be a probability greater than 0"),
        (
            ("generate", "--puzzle", "--size", "4x4", "--mines", "3", "--extra", "99"),
            "--extra must be a whole number from 0 to 16, not 99",
        ),
    ],
)
def test_what_the_library_refuses_is_told_of_the_option(
    arguments: tuple[str, ...], told: str
) -> None:
    answer = run(*arguments, stdin=FITS)
    assert (answer.status, answer.out) == (2, "")
    assert answer.err.startswith(f"csp-mines: {told}")
    assert answer.err.count("\n") == 1


HOSTILE = "\x1b[2J\x07\x9b31m\u202e\x7f\udcff"


def test_quoted_text_cannot_command_the_terminal(here: Path) -> None:
    (here / "board").write_text("??\n?\x1b[2J\x9b\n", encoding="utf-8")
    for arguments in (
        ("solve", "board"),
        ("solve", "board", "--backend", HOSTILE),
        ("explain", "board", HOSTILE),
        ("solve", "board", f"--{HOSTILE}"),
        ("play", "--agent", HOSTILE),
        (HOSTILE,),
    ):
        found = run(*arguments)
        assert found.status == 2
        assert found.out == ""
        assert found.err.rstrip("\n").isprintable(), arguments


def test_json_of_a_hostile_name_reads_back_and_is_printable(here: Path) -> None:
    name = "a\x9b31m\u202e\x7f.txt"
    (here / name).write_text(FITS)
    found = run("compare", name, "--json")
    assert found.out.rstrip("\n").isprintable()
    assert json.loads(found.out)["board"] == name


def test_printable_keeps_what_people_read() -> None:
    assert words.printable("größe\t5×5\n→ ok") == "größe\t5×5\n→ ok"
    assert words.printable(HOSTILE) == r"\x1b[2J\x07\x9b31m\u{202e}\x7f\u{dcff}"


def test_a_defect_has_a_status_of_its_own(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object, **__: object) -> None:
        raise KeyError("surprise\x1b[31m")

    (here / "board").write_text(FITS)
    monkeypatch.setattr("csp_mines.cli.options.parts_of", broken)
    found = run("solve", "board")
    assert found.status == 70
    assert found.err.startswith("csp-mines: internal error: KeyError: 'surprise")
    assert "please report it" in found.err
    assert found.err.count("\n") == 1
    monkeypatch.setenv("CSP_MINES_TRACEBACK", "1")
    traced = run("solve", "board")
    assert traced.status == 70
    assert traced.err.startswith("Traceback (most recent call last):\n")
    assert "\x1b" not in traced.err
    assert "70 a defect" in " ".join(run("--help").out.split())


def test_too_little_memory_is_no_defect(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def hungry(*_: object, **__: object) -> None:
        raise MemoryError

    monkeypatch.setattr("csp_mines.cli.options.parts_of", hungry)
    assert run("solve", "board") == type(run())(70, "", "csp-mines: out of memory\n")


@pytest.mark.parametrize(
    "arguments",
    [
        ("draw", "board", ""),
        ("explain", "board", "0,0", "--picture", ""),
        ("influence", "--picture", ""),
        ("play", "--log", ""),
        ("play", "--board", ""),
        ("assist", "--save", ""),
    ],
)
def test_an_empty_name_is_no_file(arguments: tuple[str, ...], here: Path) -> None:
    (here / "board").write_text(FITS)
    found = run(*arguments)
    assert (found.status, found.out) == (2, "")
    assert "needs the name of a file, not an empty text" in found.err


def _shell(line: str, here: Path) -> subprocess.CompletedProcess[str]:
    command = f'"{sys.executable}" -m csp_mines'
    return subprocess.run(
        ["bash", "-c", f"set -o pipefail; {line.replace('csp-mines', command)}"],
        cwd=here, capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip


@pytest.mark.parametrize(
    ("line", "status"),
    [
        ("csp-mines solve board | head -0", 0),
        ("csp-mines solve board >&-", 0),
        ("csp-mines solve board --json >&-", 0),
        ("csp-mines --help >&-", 0),
        ("csp-mines generate --layout mbf >&-", 0),
        ("csp-mines draw board x.svg <&- >&- 2>&-", 0),
        ("csp-mines solve - <&-", 2),
        ("csp-mines solve missing 2>&-", 2),
        ("csp-mines solve board > /dev/full", 2),
    ],
)
def test_closed_streams_give_no_traceback(line: str, status: int, here: Path) -> None:
    (here / "board").write_text(FITS)
    found = _shell(line, here)
    assert found.returncode == status, found.stderr
    assert "Traceback" not in found.stderr
    assert "Exception ignored" not in found.stderr
    if "draw" in line:
        assert (here / "x.svg").read_text().startswith("<svg")


def test_an_encoding_that_lacks_a_character_is_no_error(here: Path) -> None:
    (here / "board").write_text(FITS)
    found = subprocess.run(
        [sys.executable, "-m", "csp_mines", "solve", "board"],
        cwd=here, capture_output=True, text=True, timeout=60, check=False,
        env={**os.environ, "PYTHONIOENCODING": "ascii"},
    )  # fmt: skip
    assert found.returncode == 0
    assert r"board: 2\xd73, 1 mine" in found.stdout


def test_a_module_called_solvers_does_not_hide_the_engines(here: Path) -> None:
    (here / "solvers.py").write_text("")
    (here / "script.py").write_text(
        # What is installed to be edited would come before the script's folder; put it last.
        "import sys\n"
        "sys.meta_path.sort(key=lambda finder: 'ScikitBuild' in type(finder).__name__)\n"
        "import csp_mines\n"
        "print(len(csp_mines.analyze([[1, -1]]).mines))\n"
    )
    found = subprocess.run(
        [sys.executable, "script.py"],
        cwd=here, capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip
    assert (found.stdout, found.stderr) == ("1\n", "")


def test_every_command_tells_a_contradiction_and_doubtful_marks_alike(here: Path) -> None:
    (here / "board").write_text(MARKED)
    told = (
        "board: contradiction: (0,1)=0, but 2 known mines are beside it; "
        "marked mines: 0,0  1,1; try --ignore-marks\n"
    )
    for arguments in (
        ("solve", "board"),
        ("compare", "board"),
        ("explain", "board"),
        ("draw", "board", "x.svg"),
    ):
        found = run(*arguments)
        assert found.status == 1
        assert found.err == told
    for command in ("solve", "compare", "explain"):
        report = json.loads(run(command, "board", "--json").out)
        assert report["status"] == "contradiction"
        assert report["conflict"] == [{"cell": [0, 1], "clue": 0}]
        assert report["marks"] == [[0, 0], [1, 1]]


def test_assist_names_the_marks_that_an_entry_does_not_go_with(here: Path) -> None:
    (here / "board").write_text("M??\n???\n")
    found = run("assist", "board", stdin="1,1=0\n")
    assert (
        "This entry is impossible: (1,1)=0, but 1 known mine is beside it; "
        "marked mines: 0,0. The entry was ignored." in found.out
    )


@pytest.mark.parametrize("name", ["/", "..", "a\0b", "nowhere/board", "x" * 300])
def test_assist_goes_on_when_a_file_cannot_be_written(name: str, here: Path) -> None:
    lines = f"0,0=1\nsave {name}\nload {name}\nsave good\nquit\n"
    found = run("assist", "--size", "2x2", "--mines", "1", stdin=lines)
    assert found.status == 0
    assert "saved to good" in found.out
    assert (here / "good").read_text() == "mines: 1\n1?\n??\n"


def test_str_of_a_contradiction_names_the_clues() -> None:
    with pytest.raises(Contradiction) as caught:
        csp_mines.analyze(csp_mines.Board.parse(BROKEN))
    error = caught.value
    assert str(error).endswith(": (0,1)=3, but only 2 hidden cells are beside it")
    copy = pickle.loads(pickle.dumps(error))
    assert (str(copy), copy.conflict) == (str(error), error.conflict)
    assert str(Contradiction()) == "no layout fits"
    assert str(pickle.loads(pickle.dumps(Contradiction("so")))) == "so"


def test_the_library_speaks_of_arguments_and_the_command_line_of_options(here: Path) -> None:
    (here / "board").write_text("?1?1?\n")
    with pytest.raises(TooWide, match=r"states or more, but max_states is 1$"):
        csp_mines.analyze(csp_mines.Board.read(here / "board"), max_states=1)
    wide = r"csp-mines: too wide to count: one region needs \d states or more"
    more = "; raise --max-states if memory allows"
    other = (
        ", or use --no-probabilities with a backend that deduces without counting, such as pysat"
    )
    told = run("solve", "board", "--max-states", "1", "--exact").err
    assert re.fullmatch(f"{wide}{more}{other}\n", told)
    assert re.fullmatch(f"{wide}{more}\n", run("explain", "board", "0,0", "--max-states", "1").err)


def test_a_file_error_is_an_os_error(here: Path) -> None:
    with pytest.raises(FileError, match=r"^.*x\.svg: no such file or directory$") as caught:
        csp_mines.draw_board(csp_mines.Board.parse(FITS)).save(here / "no" / "x.svg")
    assert isinstance(caught.value, OSError)
    assert str(pickle.loads(pickle.dumps(caught.value))) == str(caught.value)


def test_a_time_limit_is_told_in_options(tmp_path: Path) -> None:
    path = tmp_path / "wide.txt"
    path.write_text(lattice(25).to_text())
    answer = run("solve", str(path), "--exact", "--time-limit", "0.01")
    assert answer.status == 2
    told = "out of time: 'native' gave no answer within 0.01 seconds; raise --time-limit"
    assert answer.err == f"csp-mines: {told}\n"
    compared = run("compare", str(path), "-b", "cpsat", "--time-limit", "0.01")
    assert "out of time" in compared.out  # in the row of that engine
