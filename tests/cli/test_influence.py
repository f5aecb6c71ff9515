"""`csp-mines influence` from the outside."""

from __future__ import annotations

import json
from pathlib import Path

from csp_mines.backend import Capability, offered
from tests.cli.runner import run


def test_a_table() -> None:
    result = run("influence", "--seed", "3", "--top", "2")
    assert (result.status, result.err) == (0, "")
    assert result.out.startswith("won: 1 start, 41 flood, 28 safe, 10 mine\n")
    assert "longest chain: 12 links" in result.out
    assert result.out.count("│ 0,0  │ start") == 1


def test_the_table_shows_cells_as_boards_do_and_no_mines() -> None:
    result = run(
        "influence", "--size", "30x30", "--density", "0.3", "--agent", "rutgers-kb", "--seed", "2"
    )
    assert "│ 24,4 │ guess │    X │" in result.out
    assert "│ mine" not in result.out


def test_json() -> None:
    report = json.loads(run("influence", "--seed", "3", "--json").out)
    assert len(report["links"]) == 80
    assert report["links"][0]["reach"] == 79
    assert len(report["longest_chain"]) == 13


def test_a_given_layout_and_a_picture(tmp_path: Path) -> None:
    layout = tmp_path / "layout.txt"
    layout.write_text("....\n....\n...*\n")
    picture = tmp_path / "graph.svg"
    result = run("influence", "--board", layout, "--picture", picture)
    assert result.status == 0
    assert picture.read_text().startswith("<svg ")
    clash = run("influence", "--board", layout, "--level", "expert")
    assert (clash.status, clash.out) == (2, "")
    assert "leave out the options for the size" in clash.err


def test_an_unknown_agent() -> None:
    result = run("influence", "--agent", "nobody")
    assert result.status == 2
    assert "unknown agent 'nobody'" in result.err


def test_cells_of_a_graph_have_their_names() -> None:
    """In every command that prints the cells of a game."""
    web = Path(__file__).parents[2] / "examples" / "grids" / "web.json"
    game = ("--grid", f"graph:{web}", "--mines", "3")
    influence = run("influence", *game)
    assert "chain: hub → " in influence.out
    assert "hub " in influence.out.partition("links before")[2]
    assert run("generate", *game, "--no-guess").out.startswith("; first hub, grade ")
    assert ", start safe at 1a, " in run("simulate", *game, "-n", "1", "--first", "1a").out
    layout = 'grid: graph {"cells":["a","b","c"],"edges":[["a","b"],["b","c"]]}\n*..\n'
    line = run("convert", "-", "--to", "line", "--first", "b", stdin=layout).out
    assert "no place for the first cell b: " in run("convert", line.strip(), "--to", "layout").err
    if offered(Capability.WINNING) is not None:
        board = layout.replace("grid", "mines: 1\ngrid").replace("*..", "?1?")
        assert ", by opening a" in run("solve", "-", "--win", stdin=board).out
