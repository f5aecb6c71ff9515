"""Every grid, with and without holes: engines against brute force, games, shifts, texts, two grids
at once. `benchmarks/grids.py` does the same for thousands of boards."""

from __future__ import annotations

import copy
import json
import pickle
import sys
from concurrent.futures import ThreadPoolExecutor
from fractions import Fraction
from math import comb, dist
from pathlib import Path

import numpy as np
import pytest

from csp_mines import Board, Game, Layout, Rules, Spec, analyze, as_geometry, explain, play
from csp_mines.board import CLEAR, EXPLODED, HIDDEN, HOLE
from csp_mines.clues import CLUE_MODELS
from csp_mines.errors import BoardError, Contradiction, InputError
from csp_mines.games.assist import Session, parse_entries, parse_row
from csp_mines.generation.boards import opened_board
from csp_mines.graph import Graph
from csp_mines.pictures.arrangement import arranged
from tests.cli.runner import run

sys.path.append(str(Path(__file__).parents[2] / "benchmarks"))
import grids as bench

HOLES = frozenset({(0, 0), (2, 3)})


@pytest.mark.parametrize("holes", [False, True])
@pytest.mark.parametrize("name", bench.GRIDS)
def test_engines_agree_with_brute_force(name: str, holes: bool) -> None:
    rng = np.random.default_rng([bench.GRIDS.index(name), holes, 7])
    for model in CLUE_MODELS.values():
        for _ in range(3):
            bench.compare(bench.random_board(name, model, holes, rng), ["pysat"])


@pytest.mark.once  # it compares the kernel with Python
@pytest.mark.parametrize("name", bench.GRIDS)
def test_python_and_the_kernel_play_the_same_games(name: str) -> None:
    geometry = bench.random_geometry(name, 42, np.random.default_rng(4))
    size, holes = ((1, 42), frozenset({(0, 3)})) if name == "graph" else ((6, 7), HOLES)
    spec = Spec(*size, 6, geometry, holes)
    for player in ("exact", "win"):
        bench.play_both(spec, player, 3)
    bench.generate_both(spec, 3)


@pytest.mark.parametrize("name", ["radius:2", "hex"])
def test_agents_play_under_every_clue_model(name: str) -> None:
    for clues in CLUE_MODELS:
        game = Game(Spec(5, 5, 5, as_geometry(name), HOLES), Rules(clues=clues), 3)
        play(game, "exact", 3)
        assert game.over
        assert (game.board.codes == HOLE).sum() == len(HOLES)


def test_a_shifted_torus_has_shifted_answers() -> None:
    rng = np.random.default_rng(5)
    for _ in range(10):
        layout = rng.random((4, 5)) < 0.25
        shown = Layout(layout, geometry="torus").numbers
        codes = np.where(layout | (rng.random((4, 5)) < 0.6), HIDDEN, shown)
        risks = analyze(Board(codes, geometry="torus", mines=int(layout.sum()))).probabilities
        shift = tuple(rng.integers(1, 4, 2).tolist())
        moved = Board(np.roll(codes, shift, (0, 1)), geometry="torus", mines=int(layout.sum()))
        np.testing.assert_allclose(
            analyze(moved).probabilities, np.roll(risks, shift, (0, 1)), atol=1e-12
        )


@pytest.mark.parametrize("name", ["square", "hex"])
def test_a_graph_of_a_board_has_the_answers_of_the_board(name: str) -> None:
    geometry, rows, cols = as_geometry(name), 4, 5
    names = [f"{row}/{col}" for row in range(rows) for col in range(cols)]
    pairs = [
        [names[row * cols + col], names[near[0] * cols + near[1]]]
        for row in range(rows)
        for col in range(cols)
        for near in geometry.neighbours((row, col), rows, cols)
    ]
    graph = as_geometry("graph " + json.dumps({"cells": names, "edges": pairs, "rows": rows}))
    game = Game(Spec(rows, cols, 4, geometry), seed=2)
    game.start()
    board = game.board
    same = Board(board.codes, mines=board.mines, geometry=graph)
    ours, theirs = analyze(board), analyze(same)
    assert ours.safe == theirs.safe
    assert ours.mines == theirs.mines
    assert ours.solutions == theirs.solutions
    np.testing.assert_array_equal(ours.probabilities, theirs.probabilities)


@pytest.mark.parametrize("name", ["square", "torus", "radius:2"])
def test_a_hole_is_an_opened_cell_that_says_nothing(name: str) -> None:
    rng = np.random.default_rng(3)
    for _ in range(10):
        board = bench.random_board(name, CLUE_MODELS["exact"], True, rng)
        filled = board.with_codes(np.where(board.codes == HOLE, CLEAR, board.codes))
        try:
            ours = analyze(board)
        except Contradiction:
            with pytest.raises(Contradiction):
                analyze(filled)
            continue
        theirs = analyze(filled)
        assert (ours.safe, ours.mines, ours.move) == (theirs.safe, theirs.mines, theirs.move)
        assert ours.solutions == theirs.solutions


def test_two_grids_in_two_threads() -> None:
    codes = [[-1, -1, -1, -1], [-1, 2, 2, -1], [-1, -1, -1, -1]]
    names = ("square", "hex", "torus", "orthogonal", "radius:2")
    boards = [Board(codes, geometry=name) for name in names]
    alone = [analyze(board).probabilities for board in boards]
    with ThreadPoolExecutor(2) as pool:
        found = list(pool.map(lambda number: analyze(boards[number % 5]), range(200)))
    for number, analysis in enumerate(found):
        np.testing.assert_array_equal(analysis.probabilities, alone[number % 5])


def test_a_clue_may_have_99_neighbours() -> None:
    names = [f"c{number}" for number in range(100)]
    star = {"cells": names, "edges": [["c0", name] for name in names[1:]]}
    graph = f"graph {json.dumps(star)}"
    half = analyze(Board([[40, *[HIDDEN] * 99]], geometry=graph))
    assert half.solutions == comb(99, 40)
    assert half.probability((0, 1)) == Fraction(40, 99)
    assert analyze(Board([[99, *[HIDDEN] * 99]], geometry=graph)).mines == half.board.hidden


@pytest.mark.parametrize("name", bench.GRIDS)
def test_boards_and_layouts_keep_their_grid_in_every_form(name: str) -> None:
    rng = np.random.default_rng(11)
    for number in range(12):
        model = list(CLUE_MODELS.values())[number % 4]
        board = bench.random_board(name, model, number % 2 == 0, rng)
        for again in (
            Board.parse(board.to_text()),
            Board.parse(board.to_line()),
            Board.parse(json.dumps(board.to_json())),
            pickle.loads(pickle.dumps(board)),
            copy.deepcopy(board),
        ):
            assert again == board
            assert hash(again) == hash(board)
            assert again.geometry == board.geometry
        if not board.size:
            continue
        layout = Layout.random(
            board.rows, board.cols, 1, 1, geometry=board.geometry, holes=board.cells(HOLE)
        )
        assert Layout.parse(layout.to_line()) == layout
        assert Layout.parse(json.dumps(layout.to_json())) == layout


def test_clues_of_two_digits_are_words_between_blanks() -> None:
    board = Board([[-1, 12, -5], [3, -1, -2]], geometry="radius:2")
    assert board.to_text() == "grid: radius:2\n? 12 ~\n3 ? M"
    assert Board.parse(f"; one\n{board.to_text()} ; two") == board
    assert Board.parse("grid: radius:2\n12\n?").codes.tolist() == [[12], [-1]]
    assert Board.parse("grid: radius:2\n1?2\n???").codes.tolist() == [[1, -1, 2], [-1, -1, -1]]


@pytest.mark.parametrize("format", ["emoji", "table", "tatham", "minizinc", "position-link"])
def test_formats_that_cannot_say_the_grid_refuse_it(format: str) -> None:
    for board in (Board([[-1, 1]], geometry="hex", mines=1), Board([[-1, 1, -5]], mines=1)):
        with pytest.raises(BoardError, match=r"cannot (express|write)"):
            board.to_text(format)


def test_only_a_file_may_name_the_file_of_a_graph(tmp_path: Path) -> None:
    graph = tmp_path / "path.json"
    graph.write_text('{"cells": ["a", "b"], "edges": [["a", "b"]]}')
    with pytest.raises(BoardError, match="only a board in a file"):
        Board.parse(f"grid: graph:{graph}\n?1")
    (tmp_path / "board.txt").write_text("grid: graph:path.json\n?1")
    assert analyze(Board.read(tmp_path / "board.txt")).mines == {(0, 0)}


def test_rows_that_leave_only_safe_cells_are_put_into_words() -> None:
    around = {"A": "ymn", "B": "op", "C": "mo", "D": "np"}
    pairs = [[clue, cell] for clue, cells in around.items() for cell in cells]
    graph = json.dumps({"cells": list("ABCDymnop"), "edges": pairs})
    board = Board([[1, 1, 1, 1, *[HIDDEN] * 5]], geometry=f"graph {graph}")
    assert explain(board, (0, 4)).text == (
        "(A)=1 and (B)=1 together, minus (C)=1 and (D)=1, say: the mines in (y) make 0; "
        "so (y) is safe."
    )


def test_random_cells_are_opened_beside_holes() -> None:
    board = opened_board(Game(Spec(5, 5, 3, as_geometry("hex"), HOLES), Rules(), 1), 1.0)
    assert (board.codes == HOLE).sum() == len(HOLES)
    assert (board.codes == HIDDEN).sum() == 3


KNIGHT = f"graph:{Path(__file__).parents[2] / 'examples' / 'grids' / 'knight.json'}"


def test_cells_of_a_graph_are_entered_and_listed_by_their_names(tmp_path: Path) -> None:
    graph = as_geometry(KNIGHT)
    assert parse_entries("e6=1 a5:x", [], graph) == {(0, 4): 1, (1, 0): EXPLODED}
    with pytest.raises(InputError, match="the graph has no cell 'z9'"):
        parse_entries("z9=1", [], graph)
    with pytest.raises(InputError, match="expected NAME=VALUE, got 'e6=9'"):
        parse_entries("e6=9", [], graph)
    file = tmp_path / "board.txt"
    file.write_text(f"grid: {KNIGHT}\n1?2?1?\n0?1??1\n????0?\n?1?1??\n1?3??0\n??1?1?\n")
    assert "safe       d6  f6" in run("solve", file).out
    text = run("export", file, "--to", "opb", "--assume", "d6=mine").out
    assert "* x2 = cell d6 is a mine" in text
    assert "* clue (e4)=0" in text
    assert "assumption: cell d6 is a mine" in text
    played = run("play", "--grid", KNIGHT, "--mines", "6", "--brief").out
    assert played.startswith("   1  open a6 ")
    file.write_text(f"grid: {KNIGHT}\n3" + "?" * 5 + ("\n" + "?" * 6) * 5)
    assert "(a6)=3, but only 2 hidden cells are beside it" in run("solve", file).err


def test_entries_may_have_two_digits_and_rows_have_holes() -> None:
    board = Board([[HOLE, HIDDEN, HIDDEN], [HIDDEN] * 3], geometry="radius:2", mines=1)
    assert parse_entries("12", [(0, 1), (0, 2)], board.geometry) == {(0, 1): 12}
    assert parse_entries("1 x", [(0, 1), (0, 2)], board.geometry) == {(0, 1): 1, (0, 2): EXPLODED}
    assert parse_entries("0,1=12", [], board.geometry) == {(0, 1): 12}
    assert parse_row("row 0: ~ 11 ?", board) == {(0, 1): 11}
    with pytest.raises(InputError, match="'~' does not stand for a cell"):
        parse_row("row 1: ~ 1 ?", board)
    with pytest.raises(InputError, match=r"0,0 is a hole of the board: write ~, not '\?'"):
        parse_row("row 0: ? 11 ?", board)
    advice = Session(board, start="safe").advice
    assert (advice.cell, advice.kind) == ((0, 1), "first")


@pytest.mark.once
def test_cells_of_a_graph_without_positions_are_placed_by_their_edges() -> None:
    cube = [(a, a ^ bit) for a in range(8) for bit in (1, 2, 4) if a < a ^ bit]
    places = arranged(Graph(tuple("abcdefgh"), tuple(cube)))
    apart = {(a, b): dist(places[a], places[b]) for a in range(8) for b in range(a)}
    touching = [apart[b, a] for a, b in cube]
    opposite = [apart[7 - a, a] for a in range(4)]
    assert max(touching) < sorted(opposite)[1]
    assert min(apart.values()) > 0.3
    assert arranged(Graph(tuple("abcd"), ((0, 3),), rows=2)) == [(0, 0), (1, 0), (0, 1), (1, 1)]


@pytest.mark.once  # it compares the kernel with Python
@pytest.mark.parametrize("model", ["exact", "optimistic", "cautious"])
def test_clues_with_nearly_a_hundred_neighbours(model: str) -> None:
    """Two hubs share leaves. The bounds of a cautious clue and the leaves that are left add up to
    more than 127."""
    leaves = [f"l{number}" for number in range(96)]
    shared = {"a": leaves[:94], "b": leaves[2:]}
    graph = {
        "cells": ["a", "b", *leaves],
        "edges": [[hub, leaf] for hub, near in shared.items() for leaf in near],
    }
    geometry = as_geometry("graph " + json.dumps(graph))
    for clues in ([90, 91], [3, 1], [50, 49]):
        for mines in (None, max(clues)):
            codes = [clues + [HIDDEN] * len(leaves)]
            board = Board(codes, geometry=geometry, clues=model, mines=mines)
            compiled, exact = analyze(board), analyze(board, backend="native:pure")
            assert (compiled.safe, compiled.mines) == (exact.safe, exact.mines)
            assert compiled.solutions == exact.solutions
            np.testing.assert_allclose(compiled.probabilities, exact.probabilities, atol=1e-12)


def test_a_large_graph_with_a_name_twice_is_refused_at_once() -> None:
    names = [f"c{number}" for number in range(50_000)]
    document = json.dumps({"cells": [*names, "c49999"], "edges": []})
    with pytest.raises(BoardError, match="2 cells with the name 'c49999'"):
        as_geometry(f"graph {document}")
