"""The example script that compares engines over boards."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest

from csp_mines import Board, Frontier
from csp_mines.analysis.comparison import compare, summed_up

EXAMPLES = Path(__file__).parents[2] / "examples"


def test_the_script_writes_a_table_and_a_chart(tmp_path: Path) -> None:
    boards = sorted((EXAMPLES / "boards").glob("*.txt"))
    done = subprocess.run(
        [sys.executable, EXAMPLES / "compare_engines.py", *boards, "--out", tmp_path],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert "contradiction.txt: left out, (1,1)=1, (1,2)=3 and (1,3)=1 cannot hold" in done.stdout
    table = (tmp_path / "engines.md").read_text()
    assert "10 boards, 114 certain cells." in table
    assert "| native | 114 | 100.0% |" in table
    ElementTree.parse(tmp_path / "engines.svg")


def test_comparisons_add_up() -> None:
    engines = ["single", "native"]
    boards = [Board.parse("?1"), Board.parse("????\n113?\n001?\n001?")]
    summary = summed_up([compare(Frontier.of(board), engines) for board in boards])
    assert (summary.boards, summary.certain) == (2, 8)
    assert [tally.proved for tally in summary.tallies] == [1, 8]
    with pytest.raises(ValueError, match="the same engines"):
        summed_up([])
