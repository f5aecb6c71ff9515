"""Chains of influence: the graph of a game is what the game was."""

from __future__ import annotations

import subprocess
import sys
from functools import cache
from itertools import pairwise
from pathlib import Path

import pytest

from csp_mines import Board, Frontier
from csp_mines.backend import load
from csp_mines.board import CLEAR, HIDDEN, MARKED
from csp_mines.games.agents import agent
from csp_mines.games.game import Game, Layout, Rules, level
from csp_mines.games.influence import How, Influence, Link, trace


@cache
def traced(name: str, seed: int, preset: str = "exact", rules: str = "classic") -> Influence:
    game = Game(level(name), Rules(rules=rules, start="zero"), seed)
    return trace(game, agent(preset), seed)


def test_a_corridor() -> None:
    """One row: the start floods to a 1 that proves its other neighbour a mine."""
    graph = trace(Game(Layout.parse("....*"), Rules(start="zero")), agent("single+random"))
    assert [link.how for link in graph.links.values()] == [How.START, *[How.FLOOD] * 3]
    assert graph.longest_chain == ((0, 0), (0, 1), (0, 2), (0, 3))
    assert [graph.reach[0, col] for col in range(4)] == [3, 2, 1, 0]
    assert graph.helped == {(0, 0): ((0, 1),), (0, 1): ((0, 2),), (0, 2): ((0, 3),)}
    assert graph.won


@pytest.mark.parametrize(
    ("name", "seed", "preset"), [("beginner", 3, "exact"), ("intermediate", 1, "pairwise")]
)
def test_every_link_is_a_proof(name: str, seed: int, preset: str) -> None:
    """The clues of a link, as they were shown, prove its cell to an engine that took no part."""
    graph = traced(name, seed, preset)
    board = graph.board
    for link in graph.links.values():
        if link.how not in (How.SAFE, How.MINE) or link.uses_total:
            continue
        shown = {cell: board[cell] for cell in link.clues}
        others = {cell: HIDDEN for cell in board.cells() if cell not in shown}
        known = {cell: -4 for cell in opened_before(graph, link.cell) if cell not in shown}
        alone = Board(board.codes).replace(others | known)
        frontier = Frontier.of(alone)
        answer = load("pysat").deduce(frontier.problem)
        proved = answer.mines if link.how is How.MINE else answer.safe
        assert frontier.number(link.cell) in proved


def opened_before(graph: Influence, cell: tuple[int, int]) -> set[tuple[int, int]]:
    """The safe cells that were open when a cell was proved."""
    before = set()
    for other, link in graph.links.items():
        if other == cell:
            break
        if link.how is not How.MINE and graph.board[other] >= 0:
            before.add(other)
    return before


def test_depths_reach_and_chains_agree() -> None:
    graph = traced("expert", 11)
    place = {cell: index for index, cell in enumerate(graph.links)}
    for cell, link in graph.links.items():
        assert all(place[clue] < place[cell] for clue in link.clues)
        assert link.depth == 1 + max((graph.links[clue].depth for clue in link.clues), default=-1)
    chain = graph.longest_chain
    assert len(chain) - 1 == max(link.depth for link in graph.links.values())
    for clue, cell in pairwise(chain):
        assert cell in graph.helped[clue]
    assert graph.links[chain[0]].how is How.START
    start = next(iter(graph.links))
    assert graph.unlocked(1) == [start]
    assert graph.reach[start] == len(graph.links) - 1 - graph.counts[How.GUESS]


def test_reach_by_following_every_link() -> None:
    graph = traced("beginner", 3)
    for cell in graph.links:
        seen, stack = set(), [cell]
        while stack:
            for other in graph.helped.get(stack.pop(), ()):
                if other not in seen:
                    seen.add(other)
                    stack.append(other)
        assert graph.reach[cell] == len(seen)


def test_a_proof_by_the_total_takes_marks_for_known() -> None:
    """Ten mines, most of them marked: the last cells need the clues of the others only."""
    graph = traced("beginner", 25)
    links = [link for link in graph.links.values() if link.uses_total]
    assert [(link.cell, len(link.clues)) for link in links] == [((7, 8), 5), ((8, 8), 5)]
    for link in links:
        before = list(graph.links)[: list(graph.links).index(link.cell)]
        hidden = {cell: HIDDEN for cell in graph.board.cells() if cell not in before}
        hidden |= dict.fromkeys((cell for cell in before if cell not in link.clues), CLEAR)
        marks = {cell: MARKED for cell in before if graph.links[cell].how is How.MINE}
        problem = Frontier.of(graph.board.replace(hidden | marks)).problem
        assert link.cell[0] * 9 + link.cell[1] in load("pysat").deduce(problem).safe
        assert not load("pysat").deduce(problem.without_total()).safe


def test_a_total_too_wide_to_explain_is_a_link_without_clues(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("csp_mines.analysis.clue_sets.WIDE", 0)
    game = Game(level("beginner"), Rules(start="zero"), 25)
    graph = trace(game, agent("exact"), 25)
    links = [link for link in graph.links.values() if link.uses_total]
    assert links == [
        Link(cell, How.SAFE, uses_total=True, reasoning=1) for cell in ((7, 8), (8, 8))
    ]
    assert not any(link.unproved for link in links)


def test_mines_are_no_openings() -> None:
    graph = traced("beginner", 3)
    assert graph.counts[How.MINE] == 10
    assert len(graph.unlocked(100)) == len(graph.links) - 10


def test_json() -> None:
    graph = traced("beginner", 3)
    report = graph.to_json()
    assert (report["rows"], report["cols"], report["won"]) == (9, 9, True)
    assert sum(report["counts"].values()) == len(report["links"])
    assert report["links"][0]["how"] == "start"
    assert report["unlocked_most"] == [0, 0]
    assert len(report["longest_chain"]) == len(graph.longest_chain)


def test_opened_mines_go_on_in_a_sweep() -> None:
    graph = traced("intermediate", 2, "rutgers-baseline", "sweep")
    assert graph.counts[How.GUESS] > 0
    assert all(not link.clues for link in graph.links.values() if link.how is How.GUESS)


def test_a_silent_cell_opened_again_keeps_its_link() -> None:
    rules = Rules(clues="silent", retry=True, start="zero")
    graph = trace(Game(level("beginner"), rules, 3), agent("exact"))
    assert graph.won
    assert graph.counts[How.START] == 1


def test_the_study(tmp_path: Path) -> None:
    script = Path(__file__).parents[2] / "examples" / "influence_study.py"
    plot = tmp_path / "study.svg"
    command = [sys.executable, script, "--games", "2", "--side", "6", "--plot", plot]
    done = subprocess.run(command, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
    lines = done.stdout.splitlines()
    assert lines[0].startswith("| clustering | density | longest chain")
    assert len(lines) == 2 + 15
    assert "<svg" in plot.read_text()
