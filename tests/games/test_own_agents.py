"""Agents of callers: what may stand for one, what it sees, and how it is held to the rules."""

from __future__ import annotations

import gc
import importlib
import pickle
import sys
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from types import FunctionType, ModuleType
from typing import Any

import numpy as np
import pytest

import csp_mines
from csp_mines import (
    Agent,
    AgentError,
    Board,
    Game,
    Layout,
    OwnAgent,
    Plan,
    Rules,
    Setup,
    Spec,
    Turn,
    play,
    simulate,
)
from csp_mines.errors import InputError, MissingLibrary, UnknownName
from csp_mines.games import own_play
from csp_mines.games.influence import trace
from csp_mines.games.own_agents import as_agent
from csp_mines.games.playing import Step, StepKind
from tests.cli.runner import run
from tests.games import bots

LAYOUT = Layout.parse("*...\n....\n....\n...*")
ANY = Rules(start="any")


def game(layout: Layout = LAYOUT, rules: Rules = ANY) -> Game:
    return Game(layout, rules)


# --- what may stand for an agent


def test_a_function_plays() -> None:
    record = play(game(), lambda board: max(board.hidden - {(3, 3)}))
    assert (record.won, record.opened, record.exploded) == (True, 14, 0)


def test_a_class_is_constructed_for_each_game() -> None:
    bots.Counted.most = 0
    for _ in range(3):
        play(game(), bots.Counted)
    assert bots.Counted.most == 1  # each game ends with its first move, which is a mine


def test_a_class_gets_a_seed_that_is_not_the_seed_of_the_game() -> None:
    seeds: list[int] = []

    class Seeded:
        def __init__(self, seed: int) -> None:
            seeds.append(seed)

        def move(self, board: Board) -> tuple[int, int]:
            return min(board.hidden)

    for seed in (1, 1, 2):
        play(Game(Spec(3, 3, 1), ANY, seed), Seeded, seed)
    assert seeds[0] == seeds[1] != seeds[2]
    assert 1 not in seeds


def test_games_repeat() -> None:
    def records() -> list[Any]:
        return [play(Game.new("beginner", seed=seed), bots.Wild, seed) for seed in range(20)]

    assert records() == records()
    assert len({record.steps for record in records()}) > 3


def test_an_own_agent_can_do_what_exact_does() -> None:
    for seed in range(12):
        ours = play(Game.new("beginner", seed=seed), bots.Thinker, seed)
        theirs = play(Game.new("beginner", seed=seed), "exact", seed, check=True)
        assert (ours.won, ours.guesses) == (theirs.won, theirs.guesses)


def test_names() -> None:
    path = "tests.games.bots"
    assert as_agent(bots.Wild).name == as_agent(f"{path}:Wild").name == f"{path}:Wild"
    assert as_agent(bots.Wild) == as_agent(f"{path}:Wild")
    assert as_agent(f"{path}:THINKER") == Agent(
        f"{path}:THINKER", ("single", "native"), "lowest-risk", True
    )
    assert as_agent(OwnAgent(partial(bots.Wild, seed=3), "wild-3")).name == "wild-3"
    assert as_agent("exact") is csp_mines.PRESETS["exact"]
    assert as_agent("subtraction:1+random").name == "subtraction:1+random"
    assert as_agent("win:-influence").name == "win:-influence"


def test_a_module_in_the_current_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "my_bots.py").write_text("def corner(board):\n    return max(board.hidden)\n")
    (tmp_path / "needy_bots.py").write_text("import no_such_library\n")
    (tmp_path / "wrong_bots.py").write_text("limit = 1 / 0\n")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [place for place in sys.path if place != ""])
    importlib.invalidate_caches()
    try:
        assert as_agent("my_bots:corner").name == "my_bots:corner"
        with pytest.raises(UnknownName, match="did you mean 'corner'"):
            as_agent("my_bots:korner")
        with pytest.raises(InputError, match="no module 'no_bots' in the current folder"):
            as_agent("no_bots:corner")
        with pytest.raises(MissingLibrary, match="needs no_such_library, which is not installed"):
            as_agent("needy_bots:corner")
        with pytest.raises(AgentError, match="cannot be imported: ZeroDivisionError") as caught:
            as_agent("wrong_bots:corner")
        assert "limit = 1 / 0" in caught.value.frames
        assert "importlib" not in caught.value.frames
    finally:
        sys.modules.pop("my_bots", None)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (5, "agent must be a name, an Agent, a function or a class, not 5"),
        (object, "the class object needs a method move(board) to be an agent"),
        (bots.Thinker(), "agent must be a class, not an object of Thinker"),
        (Agent("exact", ("single",), "random"), "'exact' is the name of a preset"),
        ("nobody", "unknown agent 'nobody'; known: rutgers-baseline"),
        ("exat", "did you mean 'exact'?"),
        ("tests.games.bots:limits", "unknown name in tests.games.bots 'limits'"),
        ("os:sep", "agent must be a function or a class, not '/'"),
    ],
)
def test_what_is_not_an_agent(given: Any, message: str) -> None:
    with pytest.raises(InputError) as caught:
        as_agent(given)
    assert message in str(caught.value)


def test_a_name_cannot_be_that_of_a_preset() -> None:
    with pytest.raises(InputError, match="'win' is the name of a preset"):
        OwnAgent(bots.Wild, "win")


def test_the_page_imports_no_module_that_a_request_names() -> None:
    with pytest.raises(UnknownName):
        csp_mines.agent("tests.games.bots:Wild")


# --- what an agent sees


def test_nothing_that_it_is_handed_leads_to_the_layout() -> None:
    seen: list[object] = []

    def look(board: Board) -> tuple[int, int]:
        todo: list[object] = [board]
        passed = {id(board)}
        while todo:
            value = todo.pop()
            seen.append(value)
            if isinstance(value, np.ndarray):
                todo.append(value.base)
            for other in gc.get_referents(value):
                outside = isinstance(other, type | ModuleType | FunctionType)
                if id(other) not in passed and not outside:
                    passed.add(id(other))
                    todo.append(other)
        return max(board.hidden - {(3, 3)})

    assert play(game(), look).won
    assert any(isinstance(value, np.ndarray) for value in seen)
    assert not any(isinstance(value, Game | Layout) for value in seen)
    arrays = [value for value in seen if isinstance(value, np.ndarray)]
    assert all(value.shape != LAYOUT.shape or (value == -1).any() for value in arrays)


def test_writing_to_its_board_changes_no_game() -> None:
    def scribbles(board: Board) -> tuple[int, int]:
        cell = max(board.hidden - {(3, 3)})
        board.codes.flags.writeable = True
        board.codes[:] = -1
        return cell

    assert play(game(), scribbles) == play(game(), lambda board: max(board.hidden - {(3, 3)}))


def test_it_is_told_the_total_only_if_the_rules_say_so() -> None:
    totals: list[int | None] = []

    def note(board: Board) -> tuple[int, int]:
        totals.append(board.mines)
        return 0, 0

    play(game(), note)
    play(game(rules=Rules(start="any", told_total=False)), note)
    assert totals == [2, None]


# --- turns, marks and records


def turns(*answers: Any) -> Callable[[Board], Any]:
    left = iter(answers)
    return lambda board: next(left)


def test_turns_mark_and_open() -> None:
    steps: list[Step] = []
    mark_all = turns((1, 1), Turn(mark=[(0, 0)]), Turn(mark=[(3, 3)]))
    record = play(game(), mark_all, watch=steps.append)
    assert (record.won, record.score, record.opened, record.steps) == (True, 1.0, 1, 3)
    assert [step.kind for step in steps] == [StepKind.GUESS, StepKind.MARK, StepKind.MARK]
    assert record.guesses == 3  # nothing proved the first opening or the marks


def test_proved_cells_are_told_from_guesses() -> None:
    steps: list[Step] = []
    agent = turns((0, 0), Turn(mark=[(0, 2)]), (0, 3))
    record = play(game(Layout.parse("..*.*")), agent, watch=steps.append)
    assert (record.won, record.guesses, record.deduced) == (True, 2, 1)
    assert [step.risk for step in steps] == [pytest.approx(0.4), None, pytest.approx(0.5)]
    assert [step.proof for step in steps] == [None, "native", None]


def test_cells_that_a_flood_opened_are_skipped() -> None:
    record = play(game(), turns(Turn(open=[(0, 3), (3, 0), (1, 1)])))
    assert (record.won, record.steps) == (True, 1)


def test_a_false_mark_loses_and_ends() -> None:
    layout = Layout.parse("*.")
    record = play(game(layout), turns(Turn(mark=[(0, 1)]), (0, 0)))
    assert (record.won, record.exploded) == (False, 1)
    record = play(game(layout), turns(Turn(mark=[(0, 1)]), Turn(mark=[(0, 0)])))
    assert (record.won, record.score) == (False, 0.0)


@pytest.mark.parametrize("rules", ["classic", "sweep"])
def test_marking_everything_is_worth_nothing(rules: str) -> None:
    everything = Turn(mark=[(row, col) for row in range(4) for col in range(4)])
    record = play(game(rules=Rules(rules, start="any")), turns(everything))
    assert (record.won, record.score) == (False, 0.0)


@pytest.mark.parametrize(
    ("layout", "marked", "score"),
    [
        ("*.*.*.*.", (0, 2, 4), 3 / 4),
        ("*.*.*.*.", (0, 2, 4, 1), 2 / 4),  # a wrong mark takes a right one away
        ("*.*.*.*.", (0, 1, 3), 0),
        ("........", (), 1),
        ("........", (3,), 0),
    ],
)
def test_the_score_of_a_sweep(layout: str, marked: tuple[int, ...], score: float) -> None:
    played = game(Layout.parse(layout), Rules("sweep", start="any", flood=False))
    played.mark((0, col) for col in marked)
    for col in set(range(8)) - set(marked):
        played.open((0, col))
    assert played.over
    assert played.score == score


def test_a_false_mark_contradicts_clues_and_stops_nothing() -> None:
    layout = Layout.parse("*..*\n....\n*..*")
    wrong = turns((1, 1), Turn(mark=[(0, 1), (0, 2), (1, 0)]), (2, 1), (0, 0))
    record = play(game(layout), wrong)
    assert (record.won, record.exploded, record.opened) == (False, 1, 2)


def test_an_object_that_is_called_need_not_be_hashable() -> None:
    @dataclass
    class Bot:
        row: int

        def __call__(self, board: Board) -> tuple[int, int]:
            return max(board.hidden, key=lambda cell: (cell[0] != self.row, cell))

    plan = Plan([Setup(Spec(3, 3, 1))], [OwnAgent(Bot(2), "bot")], 3)
    assert simulate(plan).played == 3


def test_influence_of_an_own_agent() -> None:
    assert trace(game(), turns((0, 3), (1, 1))).won


# --- faults


@pytest.mark.parametrize(
    ("answer", "problem"),
    [
        (None, "returned None: a cell must be a pair of whole numbers"),
        (5, "returned 5: a cell must be a pair of whole numbers"),
        ("ab", "returned 'ab': a cell must be a pair"),
        ((0.0, 1.0), "returned (0.0, 1.0): a cell must be a pair"),
        ((4, 0), "returned (4, 0): cell 4,0 is not on this 4×4 board"),
        ((0, -1), "returned (0, -1): cell 0,-1 is not on this 4×4 board"),
        ([(0, 1), (1, 1)], "returned [(0, 1), (1, 1)]: a cell must be a pair"),
        ((3, 0), "returned 3,0, which cannot be opened: it is open"),
        (Turn(mark=[(3, 0)]), "returned 3,0, which cannot be marked: it is open"),
        (Turn(), "returned an empty turn"),
        (Turn(open=(0, 0)), "a cell must be a pair of whole numbers, (row, col), not 0"),
        (Turn(open=[(0, 0)], mark=[(0, 0)]), "marked and opened"),
        (Turn(open=5), "open must be an iterable of cells"),  # type: ignore[arg-type]
    ],
)
def test_moves_against_the_rules(answer: Any, problem: str) -> None:
    played = game(Layout.parse("*...\n*...\n....\n...*"))
    with pytest.raises(AgentError) as caught:
        play(played, turns((3, 0), answer))
    assert problem in caught.value.problem
    assert caught.value.board is not None
    assert Board.parse(caught.value.board) == played.board


def test_a_marked_cell_cannot_be_opened() -> None:
    with pytest.raises(AgentError, match="2,2, which cannot be opened: it is marked as a mine"):
        play(game(), turns(Turn(mark=[(2, 2)]), (2, 2)))


def test_a_cell_of_a_graph_is_named() -> None:
    path = 'graph {"cells":["a","b","c"],"edges":[["a","b"],["b","c"]]}'
    graph = Layout([[False, False, True]], geometry=path)
    with pytest.raises(AgentError, match="returned b, which cannot be opened: it is open"):
        play(game(graph), turns((0, 1), (0, 1)))


def test_a_crash_shows_the_frames_of_the_agent_only() -> None:
    with pytest.raises(AgentError) as caught:
        play(game(), bots.divides_by_zero)
    error = caught.value
    assert error.problem == "raised ZeroDivisionError: integer division or modulo by zero"
    lines = str(error).splitlines()
    assert lines[0] == f"agent 'tests.games.bots:divides_by_zero' {error.problem}"
    assert lines[1] == "board: b1_4x4_m2_Hq"
    assert [line.split()[-1] for line in lines if line.startswith("  File")] == [
        "divides_by_zero", "_deeper",
    ]  # fmt: skip


def test_frames_of_csp_mines_are_left_out() -> None:
    with pytest.raises(AgentError, match="raised BoardError: cell 99,99 is not on") as caught:
        play(game(), bots.complains)
    assert caught.value.frames.count("File") == 1


@pytest.mark.parametrize(
    ("agent", "problem"),
    [
        (bots.leaves, "raised SystemExit: 3"),
        (bots.Broken, "raised OSError: no model file"),
        (lambda: (0, 0), "takes 0 positional arguments but 1 was given"),
        (print, "returned None"),
    ],
)
def test_other_faults(agent: Any, problem: str) -> None:
    with pytest.raises(AgentError) as caught:
        play(game(), agent)
    assert problem in caught.value.problem


def test_a_move_that_never_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(own_play, "MOVE_SECONDS", 0.2)
    with pytest.raises(AgentError, match=r"returned no move within 0\.2 seconds"):
        play(game(), bots.endless)


@pytest.mark.parametrize(
    ("agent", "problem"),
    [
        (bots.ends_its_process, "returned no move: its process ended (exit status 7)"),
        (bots.kills_itself, "returned no move: its process ended (signal SIGKILL)"),
        (bots.recurses, "raised RecursionError: maximum recursion depth exceeded"),
        (bots.endless, "returned no move within 2 seconds"),
        (bots.asks_a_person, "raised EOFError: EOF when reading a line"),
        (bots.EndsItsProcess, "was not constructed: its process ended (exit status 7)"),
    ],
)
def test_an_agent_in_a_process_of_its_own_is_reported_whatever_it_does(
    agent: Any, problem: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(own_play, "MOVE_SECONDS", 60 if agent is not bots.endless else 2)
    plan = Plan([Setup(Spec(4, 4, 2))], [agent, "exact"], 3)
    with pytest.raises(AgentError) as caught:
        simulate(plan, workers=1)
    error = caught.value
    assert error.problem.startswith(problem)
    assert error.game.startswith("game 0 on 4×4 with 2 mines, seed")
    assert error.board is not None
    assert Board.parse(error.board).codes.shape == (4, 4)
    assert error.results.agent_result("exact").wins.trials == 3  # the other agent plays on


def test_an_isolated_agent_cannot_reach_the_layout() -> None:
    """The same agent finds it in the calling process."""
    played = game()
    with pytest.raises(AgentError, match="raised LookupError: found Game"):
        play(played, bots.searches)
    assert play(game(), bots.searches, isolated=True).steps > 0


def test_isolated_games_are_the_same() -> None:
    for agent in (bots.Wild, bots.Thinker, bots.first_hidden):
        for seed in range(5):
            records = [
                play(Game(Spec(5, 5, 4), seed=seed), agent, seed, isolated=isolated)
                for isolated in (False, True)
            ]
            assert records[0] == records[1]


def test_errors_are_pickled() -> None:
    error = AgentError("a", "raised X", "b1_1x1_H", "  File x\n", "game 3")
    copy = pickle.loads(pickle.dumps(error))
    assert str(copy) == str(error) == "agent 'a' raised X (game 3)\nboard: b1_1x1_H\n  File x"


# --- the command


def test_play_shows_the_steps_of_an_own_agent() -> None:
    answer = run("play", "--agent", "tests.games.bots:first_hidden", "--brief")
    assert answer.status == 0
    assert "guess, chosen by the agent, risk" in answer.out
    assert '"agent":"tests.games.bots:Thinker"' in run(
        "play", "--agent", "tests.games.bots:Thinker", "--json"
    ).out.replace(" ", "")


def test_play_reports_a_fault() -> None:
    answer = run("play", "--agent", "tests.games.bots:divides_by_zero", "--brief")
    assert answer.status == 2
    assert "csp-mines: agent 'tests.games.bots:divides_by_zero' raised" in answer.err
    assert "board: b1_9x9_m10_" in answer.err
