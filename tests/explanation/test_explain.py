"""Explanations: the named clues suffice, none is idle, every step is sound, the words are right."""

from __future__ import annotations

import json
import random
import re
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import replace
from fractions import Fraction
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from csp_mines import Analysis, Board, BoardError, Frontier, analyze
from csp_mines.analysis.grades import Grade
from csp_mines.backend import load
from csp_mines.board import EXPLODED, MARKED, Cell
from csp_mines.constraints import Constraint, Problem
from csp_mines.errors import Unsupported
from csp_mines.explanation.argument import Inference, Rule, Sentence, check, entails
from csp_mines.explanation.explain import (
    Explainer,
    Explanation,
    Verdict,
    explain,
    explain_board,
)
from csp_mines.explanation.reasoning import argue
from csp_mines.games.game import Game, Layout, Rules, level
from tests.explanation.regrading import by_engines, by_steps, played_board, scattered_board

PATTERNS = Path(__file__).parents[2] / "examples" / "boards" / "patterns"


def pattern(name: str) -> Analysis:
    return analyze(Board.read(PATTERNS / f"{name}.txt"))


def random_position(seed: int, rows: int, cols: int, mines: int, share: float) -> Board:
    """Some safe cells of a random layout, opened without flooding."""
    layout = Layout.random(rows, cols, mines, seed)
    safe = [cell for cell in np.ndindex(rows, cols) if not layout.mines[cell]]
    chosen = random.Random(seed).sample(safe, round(share * len(safe)))
    codes = np.full((rows, cols), -1)
    for cell in chosen:
        codes[cell] = layout.number(cell)
    return Board(codes, mines=mines)


def expert_positions() -> Iterator[Board]:
    """Boards in the middle of expert games: the start, then some rounds of what is proved."""
    for seed in (1, 3, 11):
        game = Game(level("expert"), Rules(start="zero"), seed)
        game.start()
        for move in range(9):
            if move % 4 == 0:
                yield game.board
            for cell in sorted(analyze(game.board).safe):
                game.open(cell)


# --- the classic patterns -----------------------------------------------------------------------

CLASSIC = [
    ("one-one-wall", (0, 2), "safe", {(1, 0), (1, 1)}),
    ("one-two-one", (0, 1), "mine", {(1, 2), (1, 3)}),
    ("one-two-one", (0, 3), "mine", {(1, 1), (1, 2)}),
    ("one-two-one", (0, 2), "safe", {(1, 1), (1, 2), (1, 3)}),
    ("one-two-two-one", (0, 2), "mine", {(1, 3), (1, 4)}),
    ("one-two-two-one", (0, 3), "mine", {(1, 1), (1, 2)}),
    ("one-two-two-one", (0, 0), "safe", {(1, 1), (1, 2)}),
    ("one-two-two-one", (0, 5), "safe", {(1, 3), (1, 4)}),
    ("hole", (0, 2), "safe", {(1, 2), (2, 2)}),
    ("triangle", (3, 3), "safe", {(1, 1), (2, 2)}),
]


@pytest.mark.parametrize(("name", "cell", "verdict", "clues"), CLASSIC)
def test_classic_patterns(name: str, cell: Cell, verdict: str, clues: set[Cell]) -> None:
    explanation = explain(pattern(name), cell)
    assert (explanation.verdict, set(explanation.clues), explanation.uses_total) == (
        verdict,
        clues,
        False,
    )
    assert explanation.proofs[0].check()
    assert not any(step.rule is Rule.CASE for step in explanation.proofs[0].steps)


def test_the_words_of_the_textbook() -> None:
    assert explain(pattern("one-one-wall"), (0, 2)).text == (
        "(1,0)=1 leaves one mine in (0,0) and (0,1); "
        "(1,1)=1 leaves one mine in (0,0), (0,1) and (0,2); so (0,2) is safe."
    )
    assert explain(pattern("one-two-one"), (0, 2)).proofs[0].texts == (
        "(1,3)=1 leaves one mine in (0,2), (0,3) and (0,4), so at most one mine in (0,2) and "
        "(0,3); (1,2)=2 leaves two mines in (0,1), (0,2) and (0,3); so (0,1) is a mine.",
        "(1,1)=1 already has its mine at (0,1): so (0,2) is safe.",
    )


def test_last_cells_by_count() -> None:
    explanation = explain(pattern("last-cells"), (2, 0))
    assert (explanation.verdict, explanation.clues, explanation.uses_total) == (
        "safe",
        ((0, 1), (0, 3)),
        True,
    )
    assert (explanation.grade, explanation.cells) == (Grade.TOTAL, ((2, 0), (2, 4)))
    assert explanation.text == (
        "Two mines are left in (0,0), (0,4), (1,0), (1,4), (2,0) and (2,4); (0,1)=1 (one mine in "
        "(0,0) and (1,0)) and (0,3)=1 (one mine in (0,4) and (1,4)) account for two of them; so "
        "(2,0) and (2,4) are safe."
    )


def test_all_mines_marked() -> None:
    explanation = explain(analyze(Board.parse("mines: 3\n?M2\nMM2\n221")), (0, 0))
    assert (explanation.verdict, explanation.clues, explanation.uses_total) == ("safe", (), True)
    assert explanation.text == "All mines are found: so (0,0) is safe."


def test_marks_are_named() -> None:
    explanation = explain(analyze(Board.parse("M1?")), (0, 2))
    assert explanation.text == "(0,1)=1 already has its mine at (0,0): so (0,2) is safe."
    explanation = explain(analyze(Board.parse("M2?")), (0, 2))
    assert (
        explanation.text
        == "(0,1)=2 still needs one mine and has only (0,2) left: so (0,2) is a mine."
    )


def test_clues_that_say_too_little_or_too_much() -> None:
    low = explain(analyze(Board.parse("clues: optimistic\n?2?")), (0, 0))
    assert low.text.startswith("(0,1)≥2 needs two mines")
    high = explain(analyze(Board.parse("clues: cautious\n?0?")), (0, 0))
    assert high.text == "(0,1)≤0 has no mine around it: so (0,0) and (0,2) are safe."


# --- what the clues prove -----------------------------------------------------------------------


def proved_by(frontier: Frontier, cell: Cell, *, statements: tuple[int, ...], total: bool) -> bool:
    """Whether these clues prove the cell, says an engine that took no part in explaining."""
    found = load("cpsat" if total else "native").deduce(frontier.only(statements, total=total))
    return frontier.number(cell) in found.safe | found.mines


def assert_minimal(frontier: Frontier, explanation: Explanation) -> None:
    for proof in explanation.proofs:
        kept, total = proof.statements, proof.uses_total
        assert proved_by(frontier, explanation.cell, statements=kept, total=total)
        for index in kept:
            fewer = tuple(other for other in kept if other != index)
            assert not proved_by(frontier, explanation.cell, statements=fewer, total=total)
        if total:
            assert not proved_by(frontier, explanation.cell, statements=kept, total=False)


def test_expert_positions() -> None:
    explained = 0
    for board in expert_positions():
        found = analyze(board)
        for explanation in explain_board(found):
            assert_minimal(found.frontier, explanation)
            assert explanation.proofs[0].check()
            explained += 1
    assert explained > 60


@pytest.mark.parametrize(("name", "count"), [("expert-guess", 5), ("dense-30x30-300", 2)])
def test_positions_that_were_kept(name: str, count: int) -> None:
    """Every deduction of the first positions. Sets that need the total can be large; of those, a
    few clues are left out, one at a time."""
    lines = (PATTERNS.parents[2] / "tests" / "data" / f"{name}.jsonl").read_text().splitlines()
    for record in map(json.loads, lines[:count]):
        board = Board(Board.parse("\n".join(record["rows"])).codes, mines=record["mines"])
        found = analyze(board)
        for explanation in explain_board(found):
            proof = explanation.proofs[0]
            assert proof.check()
            if len(proof.statements) <= 4:
                assert_minimal(found.frontier, explanation)
                continue
            total = proof.uses_total
            assert proved_by(
                found.frontier, explanation.cell, statements=proof.statements, total=total
            )
            for index in proof.statements[::9]:
                fewer = tuple(other for other in proof.statements if other != index)
                assert not proved_by(
                    found.frontier, explanation.cell, statements=fewer, total=total
                )


@pytest.mark.parametrize("seed", range(12))
def test_small_positions_to_the_smallest(seed: int) -> None:
    """Every proved cell; no smaller set of clues proves it, with or without the total."""
    found = analyze(random_position(seed, 5, 5, 6, 0.6))
    frontier = found.frontier
    explainer = Explainer(found)
    for cell in sorted(found.safe | found.mines):
        explanation = explainer.explain(cell)
        assert explanation.verdict == ("mine" if cell in found.mines else "safe")
        assert_minimal(frontier, explanation)
        assert explanation.proofs[0].check()
        size = len(explanation.proofs[0].statements)
        for fewer in combinations(range(len(frontier.statements)), max(size - 1, 0)):
            assert size == 0 or not proved_by(
                frontier, cell, statements=fewer, total=explanation.uses_total
            )


def test_several_explanations() -> None:
    found = analyze(Board.parse("?????\n11211\n00000"))
    explanation = explain(found, (0, 2), most=10)
    assert {((1, 0), (1, 1)), ((1, 3), (1, 4))} <= {proof.clues for proof in explanation.proofs}
    assert len({proof.statements for proof in explanation.proofs}) == len(explanation.proofs)
    assert_minimal(found.frontier, explanation)
    assert all(proof.check() for proof in explanation.proofs)
    sizes = [len(proof.statements) for proof in explanation.proofs]
    assert sizes == sorted(sizes)


def test_a_case_where_nothing_simpler_will_do() -> None:
    board = Board.parse("????2?\n?????1\n???21?\n??4?1?\n??21?1")
    explanation = explain(analyze(board), (4, 4))
    (step,) = explanation.proofs[0].steps
    assert (step.rule, explanation.clues) == (Rule.CASE, ((2, 4), (4, 3), (4, 5)))
    assert explanation.proofs[0].check()
    assert explanation.text == (
        "Suppose (4,4) is safe: then (4,3)=1 needs one mine and has only (3,3) left: so (3,3) is a "
        "mine; (4,5)=1 needs one mine and has only (3,5) left: so (3,5) is a mine; (2,4)=1 would "
        "have too many mines: a contradiction, so (4,4) is a mine."
    )
    (report,) = explanation.to_json()["steps"]
    assert (report["suppose"], len(report["steps"])) == ("(4,4) is safe", 3)


def random_clues(seed: int) -> tuple[dict[int, Constraint], Sentence | None, Problem]:
    """Bounds that a random layout of nine cells meets, and for every third seed its total."""
    rng = random.Random(seed)
    layout = [rng.random() < 0.5 for _ in range(9)]
    clues = {}
    for index in range(rng.randint(4, 9)):
        cells = tuple(sorted(rng.sample(range(9), rng.randint(2, 5))))
        mines, slack = sum(layout[cell] for cell in cells), rng.choice((0, 0, 1))
        low = max(0, mines - rng.randint(0, slack))
        clues[index] = Constraint(cells, low, min(len(cells), mines + rng.randint(0, slack)))
    touched = {cell for constraint in clues.values() for cell in constraint.cells}
    sea = tuple(sorted(set(range(9)) - touched))
    total = sum(layout) if seed % 3 == 0 else None
    whole = None if total is None else Sentence(frozenset(range(9)), total, total)
    return clues, whole, Problem(tuple(clues.values()), sea, total)


def nesting(steps: tuple[Inference, ...]) -> int:
    return max((1 + nesting(step.inside) for step in steps if step.rule is Rule.CASE), default=0)


def test_arguments_from_random_clues() -> None:
    """Every proved cell has a sound argument."""
    for seed in range(60):
        clues, total, problem = random_clues(seed)
        proved = load("native").deduce(problem)
        for cell in sorted(proved.safe | proved.mines):
            steps = argue(clues, total, cell, mine=cell in proved.mines)
            assert check(steps, clues, total)
            last = steps[-1].sentence
            assert cell in last.cells
            assert last.all_mines if cell in proved.mines else last.all_safe


def test_a_case_within_a_case() -> None:
    """Some twenty loose bounds on sixteen cells, found by search: less will not do here."""
    rng = random.Random(313)
    layout = [rng.random() < 0.5 for _ in range(16)]
    clues = {}
    for index in range(rng.randint(14, 22)):
        cells = tuple(sorted(rng.sample(range(16), rng.choice((3, 4, 4, 5)))))
        mines = sum(layout[cell] for cell in cells)
        if 0 < mines < len(cells):
            low = mines if rng.random() < 0.5 else 1
            high = mines if rng.random() < 0.5 else len(cells) - 1
            clues[index] = Constraint(cells, low, high)
    steps = argue(clues, None, 0, mine=layout[0])
    assert nesting(steps) == 2
    assert check(steps, clues, None)


# --- whole boards -------------------------------------------------------------------------------


def test_the_easiest_first_and_every_cell_once() -> None:
    for board in expert_positions():
        found = analyze(board)
        deductions = explain_board(found)
        ranks = [deduction.grade.rank for deduction in deductions if deduction.grade is not None]
        assert ranks == sorted(ranks)
        cells = [cell for deduction in deductions for cell in deduction.cells]
        assert len(cells) == len(set(cells))
        assert set(cells) == found.safe | found.mines


def test_json() -> None:
    report = explain(pattern("one-one-wall"), (0, 2)).to_json()
    assert report == {
        "cell": [0, 2],
        "verdict": "safe",
        "cells": [[0, 2]],
        "difficulty": "pair",
        "clues": [[1, 0], [1, 1]],
        "uses_total": False,
        "steps": [
            {
                "rule": "pair",
                "clues": [[1, 0], [1, 1]],
                "cells": [[0, 2]],
                "low": 0,
                "high": 0,
                "text": explain(pattern("one-one-wall"), (0, 2)).text,
            }
        ],
    }


def test_the_python_of_the_page(monkeypatch: pytest.MonkeyPatch) -> None:
    root = PATTERNS.parents[2]
    monkeypatch.chdir(root)
    (block,) = re.findall(
        r"```python\n(.*?)```", (root / "docs/explaining.md").read_text(), re.DOTALL
    )
    names: dict[str, Any] = {}
    exec(block, names)
    assert (names["why"].clues, names["why"].uses_total) == (((1, 2), (2, 2)), False)
    assert names["grade_board"](names["found"]).hardest is Grade.PAIR


def test_what_cannot_be_explained() -> None:
    found = analyze(Board.parse("?1?"))
    with pytest.raises(BoardError, match="not hidden"):
        explain(found, (0, 1))
    with pytest.raises(BoardError, match="not on this"):
        explain(found, (5, 5))
    with pytest.raises(Unsupported, match="not complete"):
        explain_board(analyze(Board.parse("?1?"), backend="single"))


# --- undecided cells ----------------------------------------------------------------------------


def assert_fits(board: Board, mines: frozenset[Cell]) -> None:
    """By counting neighbours."""
    for cell in board.cells():
        if board[cell] >= 0:
            assert len(mines.intersection(board.neighbours(cell))) == board[cell]
    known = {cell for cell in board.cells() if board[cell] in (MARKED, EXPLODED)}
    assert known <= mines <= known | board.hidden
    assert board.mines is None or len(mines) == board.mines


@pytest.mark.parametrize("seed", range(8))
def test_witnesses_fit(seed: int) -> None:
    board = random_position(seed, 7, 7, 10, 0.4)
    found = analyze(board)
    explainer = Explainer(found)
    for cell in sorted(board.hidden - found.safe - found.mines):
        explanation = explainer.explain(cell)
        assert explanation.verdict == "open"
        assert explanation.probability == found.probability(cell)
        assert explanation.witnesses is not None
        assert cell in explanation.witnesses.with_mine
        assert cell not in explanation.witnesses.without
        assert_fits(board, explanation.witnesses.with_mine)
        assert_fits(board, explanation.witnesses.without)


def test_an_undecided_cell() -> None:
    explanation = explain(analyze(Board.parse("?1?")), (0, 2))
    assert explanation.probability == Fraction(1, 2)
    assert explanation.texts[0] == "Undecided: a mine with probability 50.00% = 1/2."
    assert explanation.guess is not None
    assert explanation.texts[1:] == explanation.guess.texts
    report = explanation.to_json()
    assert report["witnesses"] == {"with_mine": [[0, 2]], "without": [[0, 0]]}
    assert (report["verdict"], report["clues"], report["steps"]) == ("open", [], [])


# --- the checker --------------------------------------------------------------------------------


def test_entailment() -> None:
    sentence = Sentence(frozenset({0, 1}), 1, 1)
    two = Sentence(frozenset({0, 1, 2}), 2, 2)
    assert entails([sentence, two], Sentence(frozenset({2}), 1, 1))
    assert not entails([sentence], Sentence(frozenset({0}), 1, 1))
    assert entails([sentence, Sentence(frozenset({0, 1}), 2, 2)], Sentence(frozenset({5}), 1, 1))


def test_the_checker_refuses_what_does_not_follow() -> None:
    found = pattern("one-two-one")
    proof = explain(found, (0, 2)).proofs[0]
    clues = {index: found.frontier.statements[index].constraint for index in proof.statements}
    first, last = proof.steps
    assert check(proof.steps, clues, None)
    assert not check([last], clues, None)  # a premise that nothing proved
    wrong = replace(first, sentence=first.sentence.opposite())
    assert not check([wrong], clues, None)  # a conclusion that does not follow
    without = {index: constraint for index, constraint in clues.items() if index not in first.clues}
    assert not check(proof.steps, without, None)  # a clue that is not among those named
    supposed = Inference(Rule.SUPPOSE, Sentence.fact([2], mine=True))
    forged = Inference(Rule.CASE, Sentence.fact([2], mine=False), (supposed,), (first,))
    assert not check([forged], clues, None)  # a case that does not end in a contradiction
    assert not check([replace(forged, inside=())], clues, None)
    assert not check([replace(forged, premises=())], clues, None)


def test_clues_that_prove_nothing() -> None:
    with pytest.raises(ValueError, match="do not prove"):
        argue({0: Constraint((0, 1), 1, 1)}, None, 0, mine=True)


def test_a_total_too_wide_to_explain_does_not_stop_the_rest(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("csp_mines.analysis.clue_sets.WIDE", 0)
    found = analyze(Board.parse("mines: 2\n?1?1?"))
    with pytest.raises(Unsupported, match="too wide to explain"):
        explain(found, (0, 2))
    *explained, wide = explain_board(found)
    assert [explanation.cell for explanation in explained] == [(0, 0), (0, 4)]
    assert all(explanation.proofs for explanation in explained)
    assert (wide.cells, wide.verdict, wide.proofs) == (((0, 2),), "safe", ())
    assert (
        wide.text
        == "Proved by the total number of mines; the proof covers too many cells to be shown."
    )
    assert wide.to_json() == {
        "cell": [0, 2],
        "verdict": "safe",
        "cells": [[0, 2]],
        "difficulty": "total",
        "clues": [],
        "uses_total": True,
        "steps": [],
    }


def test_of_very_many_clues_only_some_are_named() -> None:
    """25 clues of 2, each with three cells of its own, hold all 50 mines: the others are safe."""
    codes = np.full((15, 17), -4)
    codes[1::3, 1:15:3] = 2
    codes[0::3] = -1
    explanation = explain(analyze(Board(codes, mines=50)), (0, 16))
    assert len(explanation.clues) == 25
    assert explanation.text.count("=2") == 20
    assert "(10,13)=2 and 5 more account for 50 of them; so" in explanation.text


@pytest.mark.parametrize("engine", ["native", "pysat"])
def test_an_analysis_that_leaves_the_total_out_is_explained_without_it(engine: str) -> None:
    """One mine in all would decide the board; without it there are two layouts."""
    found = analyze(Board.parse("mines: 1\n?1?1?"), backend=engine, use_total=False)
    assert not found.uses_total
    explanation = explain(found, (0, 0))
    assert explanation.verdict is Verdict.OPEN
    assert explanation.probability == Fraction(1, 2)
    assert explanation.witnesses is not None
    layouts = {explanation.witnesses.with_mine, explanation.witnesses.without}
    assert layouts == {frozenset({(0, 0), (0, 4)}), frozenset({(0, 2)})}
    step = Explainer(found).hint().step
    assert step is not None
    assert step.verdict is Verdict.OPEN


@pytest.mark.parametrize("make", [scattered_board, played_board])
def test_the_grade_is_that_of_the_steps(
    make: Callable[[np.random.Generator], Board],
) -> None:
    """A slice of benchmarks/labels.py: found again from the steps, and from the clues alone."""
    random = np.random.default_rng(20)
    seen: Counter[Grade] = Counter()
    for _ in range(40):
        board = make(random)
        explainer = Explainer(analyze(board))
        for told in explainer.board():
            assert told.grade is not None
            if seen[told.grade] < 12 and told.proofs:
                seen[told.grade] += 1
                assert by_steps(told.proofs[0].steps) is told.grade
                assert by_engines(board, told) is told.grade
                assert told.board_grade is explainer.difficulty.grades[told.cell]
                assert told.proofs[0].check()
    assert set(seen) >= {Grade.SINGLE, Grade.PAIR, Grade.GAUSS, Grade.SEARCH, Grade.TOTAL}


def test_rows_are_added_and_subtracted() -> None:
    """Two at a time the four clues decide nothing."""
    told = explain(Board.parse("??C?C\n?21?C\n?22CC\nC??CC"), (0, 0))
    (step,) = told.proofs[0].steps
    assert (told.grade, step.rule, step.factors) == (Grade.GAUSS, Rule.ROWS, (1, -1, -1, 1))
    assert told.text == (
        "(1,1)=2 and (2,2)=2 together, minus (1,2)=1 and (2,1)=2, say: the mines in (0,0) minus "
        "the mines in (0,3) make 1, and cannot make more; so (0,0) is a mine."
    )


def test_a_clue_of_a_wide_grid_may_need_more_than_ten_mines() -> None:
    board = Board([[-1] * 5, [-1, -1, 14, -1, -1], [-1] * 5], geometry="radius:2")
    assert "(1,2)=14 needs 14 mines and has only" in explain(board, (0, 0)).text


def test_witnesses_fit_what_the_caller_told_the_analysis() -> None:
    """The number of mines is not in the board."""
    codes = [[-1, 2, -1, -1, 1], [-1, -1, 4, -1, -1], [-1, -1, -1, 2, -1]]
    witnesses = explain(codes, (2, 2), mines=6).witnesses
    assert witnesses is not None
    for layout in (witnesses.with_mine, witnesses.without):
        assert len(layout) == 6
        for row, col, clue in ((0, 1, 2), (0, 4, 1), (1, 2, 4), (2, 3, 2)):
            near = [(row + down, col + right) for down in (-1, 0, 1) for right in (-1, 0, 1)]
            assert sum(cell in layout for cell in near) == clue


def test_a_proved_cell_has_no_witnesses() -> None:
    for codes, mines, cell in (([[-1, 1, 0, 1, -1]], None, (0, 0)), ([[-1, 1, 0]], 1, (0, 0))):
        explainer = Explainer(analyze(codes, mines))
        with pytest.raises(BoardError, match="cell 0,0 is proved"):
            explainer.witnesses(cell)
