"""Boards in real terminals: a pseudo-terminal of a given width, with and without colour."""

from __future__ import annotations

import fcntl
import os
import pty
import re
import struct
import subprocess
import sys
import termios
from pathlib import Path

import numpy as np
import pytest

from csp_mines import Board, analyze
from csp_mines.cli.board_text import BoardView, window_of
from csp_mines.formats import interpret
from tests.cli.runner import run

ROOT = Path(__file__).parents[2]
SCREENS = ROOT / "tests" / "data" / "screens"
STYLE = re.compile(r"\x1b\[[0-9;]*m")


def screen(width: int, *arguments: str, colour: bool = True) -> str:
    """What a terminal of that width gets from a command."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 50, width, 0, 0))
    env = {key: value for key, value in os.environ.items() if key not in ("COLUMNS", "LINES")}
    env |= {"TERM": "xterm-256color"} | ({} if colour else {"NO_COLOR": "1"})
    command = [sys.executable, "-c", "from csp_mines.cli import main; main()", *arguments]
    child = subprocess.Popen(command, stdout=theirs, stderr=theirs, cwd=ROOT, env=env)
    os.close(theirs)
    pieces = []
    while True:
        try:
            piece = os.read(ours, 65536)
        except OSError:  # the other end is closed
            break
        if not piece:
            break
        pieces.append(piece)
    os.close(ours)
    assert child.wait() == 0
    return b"".join(pieces).decode().replace("\r\n", "\n")


def timeless(text: str) -> str:
    return re.sub(r"[\d.]+ ms", "TIME ms", text)


@pytest.mark.parametrize("width", [80, 100, 140])
def test_expert_fits(width: int) -> None:
    coloured = screen(width, "solve", "examples/boards/expert.txt")
    plain = screen(width, "solve", "examples/boards/expert.txt", colour=False)
    assert re.search(r"\x1b\[[0-9;]*3[0-9]", coloured)
    assert not re.search(r"\x1b\[[0-9;]*(?:3|4|9)[0-9]m", plain)
    seen = timeless(STYLE.sub("", coloured))
    assert timeless(STYLE.sub("", plain)) == seen
    assert all(len(line) <= width for line in seen.split("\n"))
    assert seen == (SCREENS / f"expert-{width}.txt").read_text()


def test_what_was_printed_is_read_again() -> None:
    board = Board.read(ROOT / "examples" / "boards" / "expert.txt")
    for width in (80, 100, 140):
        assert interpret((SCREENS / f"expert-{width}.txt").read_text()).board == board


def test_a_larger_board_shows_the_window_around_the_move() -> None:
    codes = np.full((200, 300), -1)
    codes[150:153, 250:253] = [[1, 1, 1], [1, 0, 1], [1, 1, 1]]
    found = analyze(Board(codes, mines=9000))
    view = BoardView(found.board, found, width=80)
    assert found.move is not None
    row, col = found.move.cell
    assert row in view.window.rows
    assert col in view.window.cols
    lines = view.text.plain.split("\n")
    assert max(map(len, lines)) <= 80
    rows, cols = view.window.rows, view.window.cols
    wanted = f"shown: rows {rows[0]} to {rows[-1]} of 200, columns {cols[0]} to {cols[-1]} of 300"
    assert lines[-1].startswith(wanted)
    part = "x: 200×300, 9000 mines, exact clues: guess\n\n" + view.text.plain
    with pytest.raises(ValueError, match="gives 200 rows, but 0 are shown; give the whole board"):
        Board.parse(part)


@pytest.mark.parametrize(
    ("cols", "width", "wide"), [(9, 80, 3), (30, 80, 2), (30, 93, 3), (60, 80, 1), (30, 40, 1)]
)
def test_characters_a_cell(cols: int, width: int, wide: int) -> None:
    window = window_of(Board(np.full((16, cols), -1)), None, width)
    assert (window.wide, len(window.cols)) == (wide, cols)


def test_a_bar_leaves_standard_output_alone(tmp_path: Path) -> None:
    """What is written while a bar is shown on the terminal gets where it was sent, all of it."""
    code = (
        "from csp_mines.cli.batch import _progress\n"
        "with _progress(2) as (watch, _):\n"
        "    print('first')\n"
        "    watch(1)\n"
        "    print('second')\n"
    )
    ours, theirs = pty.openpty()
    with (tmp_path / "out").open("w") as out:
        done = subprocess.run([sys.executable, "-c", code], stdout=out, stderr=theirs, cwd=ROOT)
    os.close(theirs)
    bar = os.read(ours, 65536)
    os.close(ours)
    assert done.returncode == 0
    assert (tmp_path / "out").read_text() == "first\nsecond\n"
    assert b"1/2" in bar
    assert b"first" not in bar


@pytest.mark.parametrize("width", [80, 120])
def test_tables_keep_names_whole_and_rows_on_one_line(width: int) -> None:
    agents = ("rutgers-kb-total", "rutgers-kb", "exact")
    words = [word for agent in agents for word in ("--agent", agent)]
    game = ("--size", "4x4", "--mines", "3", "--games", "40", "--workers", "1")
    lines = STYLE.sub("", screen(width, "simulate", *game, *words)).split("\n")
    assert all(len(line) <= width for line in lines if "games/s" not in line and "0/" not in line)
    rows = [line.split() for line in lines if line.split()[:1] and line.split()[0] in agents]
    assert [row[0] for row in rows] == [*agents, *agents[1:]]
    assert all(row[1] == "40" for row in rows)
    assert [len(row) for row in rows] == [12] * 5
    assert not [line for line in lines if line.strip() in ("kb", "kb-total", "b")]


def test_lines_go_on_below_their_beginning() -> None:
    shown = STYLE.sub("", screen(80, "explain", "examples/boards/disarm-game.txt"))
    proofs = shown.split("\n\n")[2:-1]
    assert len(proofs) == 7
    for proof in proofs:
        _, *steps = proof.split("\n")
        assert steps
        assert all(line.startswith("  ") and len(line) <= 80 for line in steps), proof
    listed = STYLE.sub("", screen(80, "backends")).split("\n")
    assert "            clingo" in listed  # the summary of clingo takes two lines


def test_a_blank_line_separates_boards() -> None:
    boards = [f"examples/boards/{name}.txt" for name in ("last-corner", "disarm-corner")]
    for command in (["solve"], ["compare", "-b", "native"]):
        shown = STYLE.sub("", screen(80, *command, *boards))
        assert f"\n\n{boards[1]}: 4×4" in shown
        assert "\n\n\n" not in shown


def test_a_wide_comparison_is_not_double_spaced() -> None:
    engines = ("single", "pysat:glucose4/totalizer", "pysat:cadical195/seqcounter", "native")
    words = [word for engine in engines for word in ("-b", engine)]
    shown = STYLE.sub("", screen(80, "compare", "examples/boards/disarm-corner.txt", *words))
    table = shown.split("\n")[2:9]
    assert all(len(line) <= 80 for line in table)
    assert [line.split()[0] for line in table[2:]] == [*engines[:3], "yes", "native"]


def test_lists_of_cells_go_on_under_their_label() -> None:
    shown = STYLE.sub("", screen(60, "solve", "examples/boards/expert.txt")).split("\n")
    first = next(place for place, line in enumerate(shown) if line.startswith("mines "))
    assert shown[first + 1].startswith(" " * 11)
    assert shown[first + 1][11] != " "


@pytest.mark.parametrize("grid", ["torus", "orthogonal", "radius:2"])
def test_a_printed_board_keeps_its_grid(grid: str) -> None:
    rows = "? 1 ? ? ? ?\n" * 2 + "? ? ? ? ? ?\n" * 4
    board = f"grid: {grid}\nmines: 3\n{rows}"
    shown = run("solve", "-", "--no-probabilities", stdin=board)
    assert f"6×6 {grid}, 3 mines" in shown.out
    again = run("convert", "-", stdin=shown.out)
    assert again.out == run("convert", "-", stdin=board).out


def test_clues_of_two_digits_are_not_taken_for_risks() -> None:
    board = "grid: radius:2\n? ? ? ? ?\n? ? 9 ? ?\n? ? ? ? ?\n? ? ? ? ?\n? ? ? ? ?\n"
    shown = run("solve", "-", "--no-probabilities", stdin=board).out
    assert run("convert", "-", stdin=shown).out == run("convert", "-", stdin=board).out
    shown = run("solve", "-", "--no-probabilities", stdin=board.replace("9", "12")).out
    refused = run("convert", "-", stdin=shown)
    assert refused.status == 2
    assert "12 may be a clue or a risk on this grid" in refused.err
