"""Every public callable, given what makes no sense for each of its parameters: a wrong type, a
number out of its range, an array that is no board. Nothing comes of it but an error of this
package that names the argument, never Python's own from somewhere inside."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from inspect import isfunction
from math import inf, nan
from typing import Any

import numpy as np
import pytest
from csp_mines.solvers.native.compiled import why_not

import csp_mines
from csp_mines import (
    Agent,
    Board,
    Conflict,
    Constraint,
    CspMinesError,
    Explainer,
    Frontier,
    Game,
    GradeBounds,
    InputError,
    Layout,
    Memory,
    Plan,
    Problem,
    Rules,
    Setup,
    Simulation,
    Spec,
    UnknownName,
    WinChances,
    Wish,
    analyze,
)
from csp_mines.backend import Capability, load, offered
from csp_mines.sampling import Budget

BOARD = Board.parse("????\n113?\n001?\n001?")
CODES = np.array(BOARD.codes)
LAYOUT = Layout.parse("...\n...\n..*")
SPEC = Spec(4, 4, 2)
NOBODY = object()
FAR = 10**5000  # more digits than Python spells out

# What is wrong for each kind of parameter; what is right for one kind and not for another is listed
# where it is wrong.
ANYTHING = (NOBODY, 1.5, nan, b"x", [], {}, [5], (1, 2, 3), print)
NAMES = (*ANYTHING, None, 5, "nobody", "")
AGENTS = tuple(name for name in NAMES if not callable(name))  # a function may be an agent
OPTIONAL_NAMES = (*ANYTHING, 5, "nobody")
CELLS = (*ANYTHING, None, 5, "x", "ab", (0.0, 1.0), (-1, 0), (0, 99), (FAR, 0))
WHOLE = (*ANYTHING, None, "5", True, FAR, inf, np.float64(2))
POSITIVE = (*WHOLE, 0, -1, np.int8(-3))
COUNTS = (*WHOLE, -1)
THREADS = (*ANYTHING, "5", True, 0, -1)
SECONDS = (NOBODY, nan, b"x", [], {}, "1", True, 0, -1, -FAR, np.float64("nan"))
SEEDS = (*ANYTHING, None, True, FAR)
ODDS = (*ANYTHING, None, "x", 0, -1)
CALLS = (NOBODY, 5, "x", [])
VALUES = (*ANYTHING, 5, "x", Board)
GIVEN = (*VALUES, None)
MINES = (NOBODY, 1.5, nan, "x", b"x", [], {}, True, -1, 99, FAR, np.float64(3))
DENSITIES = (NOBODY, nan, inf, "x", b"x", "", [], {}, True, 0, 1, 2, -1, FAR, "1/0", "1e999")
SEVERAL = (NOBODY, 5, 1.5, "native", b"x", [NOBODY], [None], [[]], np.array(5))
TEXTS = (NOBODY, None, 5, 1.5, [], {}, print, "", "nobody")
PATHS = (NOBODY, 5, 1.5, b"x", [], {})
ARRAYS = (
    NOBODY, None, 5, "x", b"x", [], {}, [[]], [[1], [1, 2]], [["?", "1"]], [[None, 1]],
    np.zeros((2, 2)), np.full((2, 2), 9), np.full((2, 2), 2**63, np.uint64), np.array(5),
    np.array([1, 2]), np.zeros((2, 2, 2), int), np.zeros((0, 3), int), np.array([["a"]]),
    np.array([[1, None]], object),
)  # fmt: skip
LAYOUTS = (*ARRAYS, np.zeros((2, 2), int))
ANALYSES = (*ARRAYS, LAYOUT)


@dataclass(frozen=True)
class Call:
    """A call that is right, and what is wrong for its parameters, by name."""

    of: Callable[..., Any]
    right: dict[str, Any]
    wrong: dict[str, tuple[Any, ...]]
    compiled: bool = False


PRIOR = {"mines": MINES, "density": DENSITIES, "clues": OPTIONAL_NAMES}
BOUNDS = {"max_states": POSITIVE, "seconds": SECONDS}
HELPERS = {
    "backend": NAMES,
    "counter": OPTIONAL_NAMES,
    "memory": VALUES,
    "approximate": (*SECONDS[:-4], -1, inf),
    "notice": CALLS,
    "move": NAMES,
}
BOARD_OR_ARRAY = {"board": ARRAYS, "mines": MINES}


@cache
def calls() -> dict[str, Call]:
    """Made when they are first needed: some of them need an analysis."""
    found = analyze(BOARD)
    given = {"board": BOARD}
    plan = Plan((Setup(SPEC),), ("exact",), 1)
    problem = Problem((Constraint((0, 1), 1, 1),))
    return {
        "analyze": Call(analyze, given, {"board": ARRAYS, **PRIOR, **BOUNDS, **HELPERS}),
        "analyze, array": Call(analyze, {"board": CODES}, {**PRIOR, **BOUNDS, **HELPERS}),
        "analyze, engine": Call(
            analyze,
            {"board": BOARD, "backend": "single"},
            {"board": ARRAYS, **PRIOR, **BOUNDS, **HELPERS},
        ),
        "analyze, sampling": Call(
            analyze,
            {"board": BOARD, "counter": "sampling"},
            {"board": ARRAYS, **PRIOR, **BOUNDS, **HELPERS},
        ),
        "Budget": Call(
            Budget, {}, {"seconds": (*SECONDS[:-4], -1), "samples": COUNTS, "seed": WHOLE}
        ),
        "analyze_many": Call(
            csp_mines.analyze_many,
            {"boards": [CODES, CODES], "workers": 2},
            {"boards": SEVERAL, **PRIOR, **BOUNDS, "workers": THREADS},
        ),
        "analyze_batch": Call(
            csp_mines.analyze_batch,
            {"boards": CODES[None]},
            {"boards": (*ARRAYS[:-4], CODES), **PRIOR, **BOUNDS, "threads": THREADS, "out": VALUES},
        ),
        "Batch.empty": Call(
            csp_mines.Batch.empty,
            {"boards": 1, "rows": 1, "cols": 1},
            {"boards": COUNTS, "rows": POSITIVE, "cols": POSITIVE},
        ),
        "parse_problem": Call(
            csp_mines.parse_problem,
            {"text": "+1 x1 >= 0 ;"},
            {"text": (*TEXTS[:-2], "x", "{"), "format": OPTIONAL_NAMES},
        ),
        "read_problem": Call(
            csp_mines.read_problem,
            {"path": "examples/problems/committee.json"},
            {"path": (*PATHS, "nowhere.opb"), "format": OPTIONAL_NAMES},
        ),
        "write_problem": Call(
            csp_mines.write_problem,
            {"problem": csp_mines.parse_problem("+1 x1 >= 0 ;"), "format": "opb"},
            {"problem": (*GIVEN, problem), "format": NAMES},
        ),
        "find_problem_conflict": Call(
            csp_mines.find_problem_conflict,
            {"problem": csp_mines.parse_problem("+1 x1 >= 0 ;")},
            {"problem": (*GIVEN, problem)},
        ),
        "analyze_problem": Call(
            csp_mines.analyze_problem,
            {"problem": problem},
            {"problem": GIVEN, "backend": NAMES, **BOUNDS},
        ),
        "export": Call(
            csp_mines.export,
            {**given, "to": "dimacs"},
            {
                "board": ARRAYS,
                "mines": MINES,
                "clues": OPTIONAL_NAMES,
                "to": NAMES,
                "assume": (NOBODY, 5, "x", [], {(0, 0): "bomb"}, {(0, 0): 5}, {(1, 0): "mine"}),
                "encoding": (*OPTIONAL_NAMES, "native"),
            },
        ),
        "drat_proof": Call(
            csp_mines.drat_proof,
            {**given, "cell": (0, 2)},
            {
                "board": ARRAYS,
                "mines": MINES,
                "clues": OPTIONAL_NAMES,
                "cell": CELLS,
                "encoding": NAMES,
                "seconds": SECONDS,
            },
        ),
        "compare_encodings": Call(
            csp_mines.compare_encodings,
            {**given, "encodings": ["direct"]},
            {
                "board": ARRAYS,
                "mines": MINES,
                "clues": OPTIONAL_NAMES,
                "encodings": SEVERAL,
                "seconds": SECONDS,
            },
        ),
        "Problem": Call(
            lambda **fields: csp_mines.analyze_problem(Problem(**fields)),
            {"constraints": (Constraint((0, 1), 1, 1),), "sea": (2, 3)},
            {
                "constraints": SEVERAL,
                "sea": SEVERAL,
                "mines": WHOLE[:9],
                "odds": ODDS,
            },
        ),
        "Constraint": Call(
            lambda **fields: csp_mines.analyze_problem(Problem((Constraint(**fields),))),
            {"cells": (0, 1), "low": 1, "high": 1, "weights": (1, 1, 1)},
            {"cells": SEVERAL, "low": WHOLE, "high": WHOLE, "weights": (5, "x", (1,), (1, 1, -1))},
        ),
        "ProblemAnalysis": Call(
            csp_mines.analyze_problem(problem).probability, {"cell": 0}, {"cell": (*WHOLE, 7, -1)}
        ),
        "move_by": Call(found.move_by, {"rule": "safest"}, {"rule": NAMES}),
        "compare": Call(
            csp_mines.compare,
            {"board": BOARD, "backends": ["single", "gauss"]},
            {**BOARD_OR_ARRAY, "backends": (*SEVERAL, [5], ["nobody"]), "seconds": SECONDS},
        ),
        "find_conflict": Call(
            csp_mines.find_conflict, {"board": np.array([[1, 0]])}, {"board": ARRAYS}
        ),
        "grade_board": Call(csp_mines.grade_board, given, BOARD_OR_ARRAY),
        "grade_position": Call(csp_mines.grade_position, given, BOARD_OR_ARRAY),
        "as_geometry": Call(csp_mines.as_geometry, {"grid": "hex"}, {"grid": TEXTS}),
        "grade_puzzle": Call(csp_mines.grade_puzzle, {"board": BOARD}, {"board": ARRAYS}),
        "certify_puzzle": Call(csp_mines.certify_puzzle, {"puzzle": BOARD}, {"puzzle": ARRAYS}),
        "explain": Call(
            csp_mines.explain,
            {"board": BOARD, "cell": (0, 0), "mines": 3},
            {"board": ANALYSES, "mines": MINES, "cell": CELLS, "most": POSITIVE},
        ),
        "explain, open": Call(
            csp_mines.explain, {"board": BOARD, "cell": (0, 1)}, {"cell": CELLS, "most": POSITIVE}
        ),
        "explain_board": Call(csp_mines.explain_board, given, {"board": ANALYSES, "mines": MINES}),
        "Explainer": Call(Explainer, {"analysis": found}, {"analysis": GIVEN}),
        "Memory": Call(Memory, {}, {"max_bytes": (*COUNTS, 10**30)}),
        "best_move": Call(
            csp_mines.best_move,
            given,
            {**BOARD_OR_ARRAY, "player": NAMES, "max_states": POSITIVE},
            compiled=True,
        ),
        "win_chance": Call(
            csp_mines.win_chance,
            {"board": BOARD, "mines": 5},
            {**BOARD_OR_ARRAY, "max_layouts": (*POSITIVE, 10**9), "work": (*POSITIVE, 10**30)},
            compiled=True,
        ),
        "win_chances": Call(
            csp_mines.win_chances,
            {"board": BOARD, "mines": 4},
            {**BOARD_OR_ARRAY, "cells": (*SEVERAL, [], [(9, 9)], [(2, 0)]), "work": POSITIVE},
            compiled=True,
        ),
        "WinChances": Call(WinChances(2, {(0, 1): 1}).chance, {"cell": (0, 1)}, {"cell": CELLS}),
        "estimate_win_chance": Call(
            csp_mines.estimate_win_chance,
            {"board": BOARD, "games": 1},
            {**BOARD_OR_ARRAY, "games": POSITIVE, "seed": SEEDS, "player": NAMES},
            compiled=True,
        ),
        **_boards_and_layouts(),
        **_pictures(found),
        **_games(plan),
    }


def _boards_and_layouts() -> dict[str, Call]:
    random = {"rows": 3, "cols": 3, "mines": 2, "seed": 0}
    return {
        "Board": Call(Board, {"codes": CODES}, {"codes": ARRAYS, **PRIOR}),
        "from_array": Call(Board.from_array, {"array": CODES}, {"array": ARRAYS, **PRIOR}),
        "Board.parse": Call(
            Board.parse,
            {"text": "?1"},
            {"text": TEXTS, "format": OPTIONAL_NAMES, "source": (5, None, b"x")},
        ),
        "Board.read": Call(Board.read, {"path": "no such file"}, {"path": (*PATHS, None, "\0")}),
        "to_text": Call(BOARD.to_text, {}, {"format": OPTIONAL_NAMES}),
        "cells": Call(lambda code: list(BOARD.cells(code)), {"code": 1}, {"code": ANYTHING}),
        "replace": Call(
            lambda code: BOARD.replace({(0, 0): code}), {"code": 1}, {"code": (*WHOLE, 9, -6)}
        ),
        "changes": Call(BOARD.replace, {"changes": {}}, {"changes": (5, "x", [], {0: 1})}),
        "Frontier": Call(Frontier.of, {"board": BOARD}, {"board": ARRAYS, **PRIOR}),
        "Spec": Call(
            Spec,
            {"rows": 3, "cols": 3, "mines": 2},
            {"rows": POSITIVE, "cols": POSITIVE, "mines": COUNTS},
        ),
        "Layout": Call(Layout, {"mines": [[True]]}, {"mines": LAYOUTS}),
        "Layout.random": Call(
            Layout.random,
            random,
            {
                "rows": POSITIVE,
                "mines": COUNTS,
                "seed": SEEDS,
                "clear": (*SEVERAL, [5], [(9, 9)]),
            },
        ),
        "Layout.parse": Call(
            Layout.parse, {"text": "*."}, {"text": TEXTS, "format": OPTIONAL_NAMES}
        ),
        "Layout.read": Call(Layout.read, {"path": "no such file"}, {"path": (*PATHS, None)}),
        "Layout.to_line": Call(LAYOUT.to_line, {"first": (0, 0)}, {"first": CELLS[:9]}),
        "GradeBounds": Call(GradeBounds, {}, {"easiest": (*OPTIONAL_NAMES, ""), "hardest": NAMES}),
        "allows": Call(GradeBounds().allows, {"grade": "pair"}, {"grade": OPTIONAL_NAMES}),
        "Wish": Call(
            Wish,
            {"spec": SPEC},
            {"spec": GIVEN, "first": CELLS, "start": NAMES, "difficulty": GIVEN},
        ),
        "generate": Call(
            lambda **asked: list(csp_mines.generate(**asked)),
            {"wish": Wish(SPEC), "method": "uniform"},
            {
                "wish": GIVEN,
                "count": COUNTS,
                "seed": SEEDS,
                "method": (*OPTIONAL_NAMES, ""),
                "workers": THREADS,
            },
        ),
        "puzzles": Call(
            lambda **asked: list(csp_mines.puzzles(**asked)),
            {"spec": SPEC},
            {
                "spec": GIVEN,
                "count": COUNTS,
                "seed": SEEDS,
                "difficulty": VALUES,
                "extra": (*COUNTS, 17),
            },
        ),
        "certify": Call(
            csp_mines.certify,
            {"layout": LAYOUT, "first": (0, 0)},
            {"layout": LAYOUTS, "first": CELLS, "hardest": NAMES},
        ),
        "grade": Call(csp_mines.grade, {"layout": LAYOUT}, {"layout": ARRAYS, "first": CELLS[:9]}),
    }


def _pictures(found: csp_mines.Analysis) -> dict[str, Call]:
    themes = {"theme": NAMES}
    compared = csp_mines.compare(BOARD, ["single", "native"])
    conflict = Conflict((((0, 0), 1),))
    explained = csp_mines.explain(BOARD, (0, 0))
    graph = csp_mines.trace(Game(LAYOUT), "exact")
    return {
        "draw_board": Call(csp_mines.draw_board, {"board": BOARD}, {"board": ARRAYS, **themes}),
        "save": Call(
            csp_mines.draw_board(BOARD).save,
            {"path": "picture.gif"},
            {"path": (*PATHS, None, "picture", "\0.svg")},
        ),
        "to_png": Call(
            csp_mines.draw_board(BOARD).to_png,
            {},
            {"scale": (NOBODY, None, nan, inf, "x", [], True, 0, -1, FAR)},
        ),
        "draw_analysis": Call(
            csp_mines.draw_analysis, {"analysis": found}, {"analysis": GIVEN, **themes}
        ),
        "draw_comparison": Call(
            csp_mines.draw_comparison, {"compared": compared}, {"compared": GIVEN, **themes}
        ),
        "draw_influence": Call(
            csp_mines.draw_influence, {"graph": graph}, {"graph": GIVEN, **themes}
        ),
        "draw_conflict": Call(
            csp_mines.draw_conflict,
            {"board": BOARD, "conflict": conflict},
            {"board": ARRAYS, "conflict": GIVEN, **themes},
        ),
        "draw_explanation": Call(
            csp_mines.draw_explanation,
            {"board": BOARD, "explanation": explained},
            {"board": ARRAYS, "explanation": GIVEN, **themes},
        ),
        **_reviews(themes),
    }


def _reviews(themes: dict[str, Any]) -> dict[str, Call]:
    recording = csp_mines.record(LAYOUT, [("open", (0, 0))])
    judge = {
        "player": NAMES,
        "precision": (NOBODY, nan, b"x", [], {}, "1", 0, -1),
        "seconds": SECONDS,
        "seed": SEEDS,
    }
    return {
        "record": Call(
            csp_mines.record,
            {"layout": LAYOUT, "clicks": [("open", (0, 0))]},
            {"layout": GIVEN, "clicks": (NOBODY, 5, ["open"], [("jump", (0, 0))], [("open", 5)])},
        ),
        "read_recording": Call(csp_mines.read_recording, {"path": "none.jsonl"}, {"path": PATHS}),
        "review": Call(csp_mines.review, {"game": recording}, {"game": GIVEN, **judge}),
        "review_many": Call(
            csp_mines.review_many,
            {"paths": []},
            {"paths": (NOBODY, 5, [NOBODY]), "workers": THREADS[:-1], **judge},
        ),
        "draw_review": Call(
            csp_mines.draw_review,
            {"review": csp_mines.review(recording)},
            {"review": GIVEN, **themes},
        ),
        "draw_trends": Call(
            csp_mines.draw_trends,
            {"reviews": csp_mines.review_many([])},
            {"reviews": GIVEN, **themes},
        ),
        "read_picture": Call(
            csp_mines.read_picture,
            {"source": b"x"},
            {"source": (NOBODY, None, 5, 1.5, {}, b"x", "none.png", np.zeros((2, 2)))},
        ),
    }


def _games(plan: Plan) -> dict[str, Call]:
    results = csp_mines.simulate(plan, workers=1)
    return {
        "agent": Call(csp_mines.agent, {"name": "exact"}, {"name": NAMES}),
        "Agent": Call(
            Agent,
            {"name": "a", "stages": ("single",), "policy": "random"},
            {"name": (5, None), "stages": SEVERAL, "policy": (5, None, [])},
        ),
        "Rules": Call(
            Rules,
            {},
            {
                "rules": NAMES,
                "start": NAMES,
                "clues": NAMES,
                "reveal": (NOBODY, None, nan, 0, 1.5, -1, "x", [], True),
            },
        ),
        "Game": Call(
            Game,
            {"layout": LAYOUT},
            {"layout": GIVEN, "rules": VALUES, "seed": SEEDS, "first": CELLS[:9]},
        ),
        "mark": Call(
            lambda cells: Game(LAYOUT).mark(cells), {"cells": []}, {"cells": (*SEVERAL, [5])}
        ),
        "play": Call(
            lambda **asked: csp_mines.play(**{"game": Game(LAYOUT), **asked}),
            {"agent": "exact"},
            {"game": GIVEN, "agent": AGENTS, "seed": SEEDS, "watch": CALLS},
        ),
        "trace": Call(
            lambda **asked: csp_mines.trace(**{"game": Game(LAYOUT), **asked}),
            {"agent": "exact"},
            {"game": GIVEN, "agent": AGENTS, "seed": SEEDS},
        ),
        "Setup": Call(Setup, {"spec": SPEC}, {"spec": GIVEN, "rules": GIVEN, "first": CELLS[:9]}),
        "Plan": Call(
            Plan,
            {"setups": [Setup(SPEC)], "agents": ["exact"], "games": 1},
            {
                "setups": (*SEVERAL, []),
                "agents": (*SEVERAL, [], ["nobody"]),
                "games": POSITIVE,
                "seed": WHOLE,
            },
        ),
        "density_plan": Call(
            csp_mines.density_plan,
            {"rows": 4, "cols": 4, "densities": [0.2], "agents": ["exact"], "games": 1},
            {
                "rows": POSITIVE,
                "cols": POSITIVE,
                "densities": (*SEVERAL, [], [nan], [0], [1], ["x"]),
                "agents": SEVERAL,
                "games": POSITIVE,
                "rules": VALUES,
                "seed": WHOLE,
            },
        ),
        "simulate": Call(
            csp_mines.simulate,
            {"plan": plan, "workers": 1},
            {
                "plan": GIVEN,
                "path": PATHS,
                "workers": THREADS,
                "dask": (5, b"x", []),
                "watch": CALLS,
                "notify": CALLS,
            },
        ),
        "Simulation": Call(Simulation, {"plan": plan}, {"plan": GIVEN, "path": PATHS}),
        "DensityResults": Call(csp_mines.DensityResults, {"results": results}, {"results": GIVEN}),
        "agent_result": Call(
            results.agent_result, {"agent": "exact"}, {"agent": NAMES, "setup": (*WHOLE, 1, -1)}
        ),
        "paired_result": Call(
            results.paired_result,
            {"agent": "exact", "against": "exact"},
            {"agent": NAMES, "against": NAMES, "setup": (*WHOLE, 1, -1)},
        ),
        "agent_results": Call(results.agent_results, {}, {"setup": (*WHOLE, 1, -1)}),
        "setup_json": Call(results.setup_json, {}, {"setup": (*WHOLE, 1, -1)}),
        "curves": Call(csp_mines.DensityResults(results).curves, {}, {"measure": NAMES}),
    }


def parameters() -> Iterator[tuple[str, str]]:
    for name, call in calls().items():
        for parameter in call.wrong:
            yield name, parameter


@pytest.mark.parametrize(("name", "parameter"), list(parameters()))
def test_what_makes_no_sense_is_refused(name: str, parameter: str) -> None:
    call = calls()[name]
    if call.compiled and offered(Capability.BOARDS) is None:
        with pytest.raises(CspMinesError):
            call.of(**call.right)
        return
    for value in call.wrong[parameter]:
        with pytest.raises(CspMinesError) as refusal:
            call.of(**{**call.right, parameter: value})
        assert str(refusal.value)


def test_no_public_function_is_left_out() -> None:
    public = {name for name in csp_mines.__all__ if isfunction(getattr(csp_mines, name))}
    assert public - calls().keys() == set()


def right(name: str, **changed: Any) -> Any:
    """The call of that name with some of its arguments changed."""
    call = calls()[name]
    return call.of(**{**call.right, **changed})


@pytest.mark.parametrize(
    ("name", "changed", "message"),
    [
        ("analyze", {"backend": 5}, "backend must be a string, not 5"),
        ("analyze", {"counter": 5}, "counter must be a string, not 5"),
        ("analyze", {"max_states": "a"}, "max_states must be a whole number, at least 1, not 'a'"),
        ("analyze", {"seconds": "a"}, "seconds must be a number greater than 0, not 'a'"),
        ("analyze", {"seconds": 0}, "seconds must be a number greater than 0, not 0"),
        ("analyze", {"mines": 1.5}, "the number of mines must be a whole number, not 1.5"),
        ("analyze", {"mines": True}, "the number of mines must be a whole number, not True"),
        ("analyze", {"mines": -1}, "a board of 16 cells has 0 to 16 mines, not -1"),
        (
            "analyze",
            {"density": nan},
            "density must be a number greater than 0 and less than 1, not nan",
        ),
        ("analyze", {"density": 2}, "density must be greater than 0 and less than 1, not 2"),
        (
            "analyze",
            {"clues": 7},
            "clue model must be one of exact, silent, optimistic, cautious, not 7",
        ),
        (
            "analyze",
            {"approximate": nan},
            "approximate must be a finite number of seconds, 0 or more, or a Budget, not nan",
        ),
        ("analyze", {"board": "??1"}, "a board must be a Board or an array of rows, not '??1'"),
        ("compare", {"backends": [5]}, "the name of a backend must be a string, not 5"),
        (
            "compare",
            {"backends": "native"},
            "backends must be an iterable of names of engines, such as a list, not 'native'",
        ),
        ("explain", {"most": -1}, "most must be a whole number from 1 to 1,000,000, not -1"),
        (
            "Plan",
            {"agents": "exact"},
            "agents must be an iterable of names, such as a list, not 'exact'",
        ),
        ("Spec", {"rows": "3"}, "rows must be a whole number, not '3'"),
        ("play", {"game": LAYOUT}, "game must be a Game, not Layout.parse('...\\n...\\n..*\\n')"),
        ("draw_board", {"theme": 5}, "theme must be one of light, dark, not 5"),
        (
            "Game",
            {"seed": -FAR},
            "seed must be a whole number of at most 4,096 bits, not a huge int",
        ),
        ("Game", {"seed": 1.5}, "seed must be a whole number or a string, not 1.5"),
    ],
)  # fmt: skip
def test_messages_name_the_argument_and_say_what_is_expected(
    name: str, changed: dict[str, Any], message: str
) -> None:
    with pytest.raises(InputError) as refusal:
        right(name, **changed)
    assert str(refusal.value) == message


@pytest.mark.parametrize(
    ("name", "changed", "message"),
    [
        ("best_move", {"player": 5}, "player must be a name such as 'win', or a Strength, not 5"),
        (
            "win_chance",
            {"work": 1.5},
            "work must be a whole number from 1 to 1,000,000,000,000,000, not 1.5",
        ),
        (
            "win_chance",
            {"max_layouts": 0},
            "max_layouts must be a whole number from 1 to 1,000,000, not 0",
        ),
    ],
)
def test_messages_of_the_player(name: str, changed: dict[str, Any], message: str) -> None:
    if offered(Capability.BOARDS) is None:
        changed, message = {}, f"playing to win needs the compiled kernel, {why_not()}"
    with pytest.raises(CspMinesError) as refusal:
        right(name, **changed)
    assert str(refusal.value) == message


def test_numbers_of_numpy_are_numbers() -> None:
    number, share = np.int8(3), np.float64(0.25)
    found = right("analyze", mines=number, max_states=np.int64(1000), seconds=np.float32(5))
    assert found.safe == analyze(BOARD, 3).safe
    assert right("analyze", density=share).solutions == analyze(BOARD, density=0.25).solutions
    assert right("analyze, array", mines=np.uint16(3)).solutions == 1
    assert Spec(number, np.int64(4), np.uint8(2)) == Spec(3, 4, 2)
    assert Layout.random(number, number, np.int16(2), np.int64(7)) == Layout.random(3, 3, 2, 7)
    assert right("Plan", games=number, seed=number) == right("Plan", games=3, seed=3)
    assert type(right("Plan", games=number).games) is int
    assert right("density_plan", densities=np.array([0.2])) == right("density_plan")
    assert len(right("puzzles", count=np.int64(2), extra=np.int8(1))) == 2
    assert right("explain", most=number).cell == (0, 0)
    assert load("native", max_states=np.int64(7)).max_states == 7  # type: ignore[arg-type]


def test_a_bound_above_everything_bounds_nothing() -> None:
    assert right("analyze", max_states=10**30, seconds=inf).safe == analyze(BOARD).safe
    assert right("analyze", backend="native:pure", max_states=10**30).solutions == 1


def test_names_stand_for_grades_and_agents() -> None:
    assert GradeBounds("pair", "gauss").ranks == (1, 3)  # type: ignore[arg-type]
    assert right("certify", hardest="single").moves == ()
    assert right("play", agent=csp_mines.PRESETS["exact"]).won
    with pytest.raises(UnknownName, match="unknown agent 'nobody'"):
        right("play", agent="nobody")
