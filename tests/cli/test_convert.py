"""`csp-mines convert`: from any notation to any other, and what cannot be."""

from __future__ import annotations

import gzip
from pathlib import Path

from csp_mines import Layout
from tests.cli.runner import run

ID = "9x9:4,4,m00b7d48a3e0231c419200"


def test_boards_layouts_lines_and_links() -> None:
    line = run("convert", "mines: 2\n?1?1?", "--to", "line")
    assert (line.status, line.out) == (0, "b1_1x5_m2_H1H1H\n")
    assert run("convert", line.out.strip()).out == "mines: 2\n?1?1?\n"
    link = run("convert", line.out.strip(), "--to", "position-link").out.strip()
    assert run("convert", link, "--to", "line").out == line.out
    layout = run("convert", ID, "--to", "layout")
    assert Layout.parse(layout.out) == Layout.parse(ID)
    assert "the format 'layout' has no place for the first cell 4,4: it is left out" in layout.err
    started = run("convert", ID, "--to", "line")
    assert (started.out, started.err) == ("l1_9x9_f4-4_vjt0hd287g9b0s1s0\n", "")
    assert run("convert", started.out.strip(), "--to", "tatham").out.strip() == ID
    hexed = run("convert", ID, "--to", "mbf").out.strip()
    assert Layout.parse(hexed) == Layout.parse(ID)


def test_a_layout_becomes_the_board_after_its_first_cell_or_all_of_it() -> None:
    assert run("convert", "3x2:2,1,u80").out == "mines: 1\n?10\n?10\n"
    assert run("convert", "*..\n...").out == "mines: 1\nM10\n110\n"
    assert run("convert", "*..\n...", "--first", "1,2").out == "mines: 1\n?10\n?10\n"
    assert run("convert", "3x2:2,1,u80", "--first", "0,1").out == "mines: 1\n?1?\n???\n"
    assert "cell 5,5 is not on this" in run("convert", "*..\n...", "--first", "5,5").err
    first = run("convert", "*..\n...", "--to", "line", "--first", "1,2")
    assert first.out == "l1_2x3_f1-2_g0\n"


def test_what_is_lost_is_told_and_what_cannot_be_is_refused() -> None:
    lost = run("convert", "mines: 1\n?1", "--to", "sgt")
    told = "the format 'sgt' has no place for the total of 1 mine: it is left out\n"
    assert (lost.out, lost.err) == ("?1\n", told)
    for text, target, problem in (
        ("C?", "sgt", "no letter for a safe cell that shows no clue"),
        ("?1", "layout", "a layout has no hidden cells, but cell 0,0 is hidden"),
        ("?1", "avf", "can only be read"),
        ("?1", "gif", "unknown board format 'gif'; known: canonical, array, board"),
        ("?1", "mine", "needs the number of mines"),
    ):
        answer = run("convert", f"{text}\n", "--to", target)
        assert answer.status == 2
        assert problem in answer.err
        assert answer.err.count("\n") == 1


def test_files_gzipped_or_not_and_endless_ones(tmp_path: Path) -> None:
    packed = tmp_path / "board.txt.gz"
    packed.write_bytes(gzip.compress(b"mines: 1\n?1\n"))
    assert run("convert", packed, "--to", "line").out == "b1_1x2_m1_H1\n"
    packed.write_bytes(gzip.compress(b"mines: 1\n?1\n")[:-9])
    assert "damaged gzip data" in run("convert", packed).err
    endless = run("convert", "/dev/zero")
    assert endless.status == 2
    assert endless.err == "csp-mines: /dev/zero: a file may have at most 64 MB\n"
    assert "nowhere.txt: no such file" in run("convert", "nowhere.txt").err


def test_mbf_files(tmp_path: Path) -> None:
    path = tmp_path / "game.mbf"
    path.write_bytes(Layout.parse("..*\n*..").to_mbf())
    assert run("convert", path, "--to", "layout").out == "..*\n*..\n"
    path.write_bytes(b"\x00")
    assert "not an MBF layout" in run("convert", path, "--to", "layout").err


def test_how_a_text_was_read_is_told() -> None:
    answer = run("convert", "-", stdin="..2.3.\n2.....\n")
    assert answer.out == "??2?3?\n2?????\n"
    assert answer.err == "<stdin>: read as letters: '.' hidden\n"
    refused = run("convert", "-", stdin="*1\n11\n")
    assert refused.status == 2
    assert "(--format letters:*=M)" in refused.err
    assert run("convert", "-", "--format", "letters:*=M", stdin="*1\n11\n").out == "M1\n11\n"


def test_options_of_layouts_and_boards_are_not_ignored() -> None:
    refused = run("convert", "-", "--first", "0,0", stdin="?11\n")
    assert (refused.status, refused.out) == (2, "")
    assert "--first opens the first cell of a layout, but the input is a board" in refused.err
    refused = run("convert", "-", "-m", "3", "--first", "1,0", stdin=".*\n..\n")
    assert (refused.status, refused.out) == (2, "")
    assert "does not fit the layout, which has 1 mine" in refused.err


def test_the_first_cell_of_a_graph_has_a_name() -> None:
    layout = 'grid: graph {"cells":["a","b","c"],"edges":[["a","b"],["b","c"]]}\n*..\n'
    opened = run("convert", "-", "--first", "b", stdin=layout)
    assert (opened.status, opened.out.splitlines()[-1]) == (0, "?1?")
    refused = run("convert", "-", "--first", "0,1", stdin=layout)
    assert (refused.status, refused.err) == (2, "csp-mines: the graph has no cell '0,1'\n")


def test_an_unknown_notation_to_write_is_answered_with_those_that_can_be_written() -> None:
    refused = run("convert", "-", "--to", "emojy", stdin="?11\n")
    assert (refused.status, refused.out) == (2, "")
    assert "unknown board format 'emojy' (did you mean 'emoji'?)" in refused.err
    known = refused.err.partition("known: ")[2].strip().split(", ")
    assert {"canonical", "layout", "line"} <= set(known)
    assert not {"avf", "exported", "letters", "rawvf"} & set(known)
