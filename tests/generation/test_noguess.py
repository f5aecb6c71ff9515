"""Games without a guess: what is made is as wished, whoever plays it."""

from __future__ import annotations

import json
from itertools import islice
from math import inf

import pytest

from csp_mines.analysis.grades import Grade
from csp_mines.backend import Capability, load, offered
from csp_mines.constraints import Frontier
from csp_mines.errors import BackendUnavailable, InputError, NotFound, UnknownName
from csp_mines.games.game import Game, Start
from csp_mines.generation.deduction import solve_by_deduction
from csp_mines.generation.noguess import (
    Expectation,
    Method,
    NoGuessGame,
    generate,
    sample,
)
from csp_mines.generation.wishes import GradeBounds, Wish, read_difficulty
from csp_mines.grids import as_geometry
from csp_mines.layout import Layout, Spec, level
from tests.generation.brute import Brute, all_layouts, as_layout

BEGINNER = Wish(level("beginner"), (4, 4))


def won_by(backend: str, game: NoGuessGame, *, use_total: bool) -> bool:
    """Whether an engine alone wins the game from its first cell."""
    played = Game(game.layout, first=game.first)
    played.open(game.first)
    engine = load(backend)
    while not played.over:
        frontier = Frontier.of(played.board)
        problem = frontier.problem if use_total else frontier.problem.without_total()
        safe = frontier.cells(engine.deduce(problem).safe)
        if not safe:
            return False
        for cell in sorted(safe):
            if not played.over:
                played.open(cell)
    return played.won


def test_other_engines_win_them() -> None:
    for game in generate(BEGINNER, 6, seed=5, method="uniform"):
        assert (game.layout.shape, game.layout.count, game.first) == ((9, 9), 10, (4, 4))
        assert game.layout.number((4, 4)) == 0
        for backend in ("pysat", "cpsat"):
            assert won_by(backend, game, use_total=True)
        assert won_by("pysat", game, use_total=False) is not game.needs_total


@pytest.mark.parametrize("grade", [Grade.SINGLE, Grade.PAIR, Grade.TOTAL])
def test_the_grade_is_exact(grade: Grade) -> None:
    wish = Wish(Spec(7, 7, 9), (3, 3), difficulty=GradeBounds(grade, grade))
    for game in generate(wish, 2, seed=1, method="uniform"):
        assert game.grade is grade
        counted = solve_by_deduction(game.layout, game.first, pure=True)
        assert (counted.grade, counted.won, counted.counts) == (grade, True, game.rounds)
        for weaker in list(Grade)[: grade.rank]:
            stuck = solve_by_deduction(game.layout, game.first, hardest=weaker)
            assert not stuck.won


def test_without_the_total_nobody_needs_it() -> None:
    wish = Wish(Spec(5, 5, 5), (0, 0), difficulty=read_difficulty(None, use_total=False))
    for game in generate(wish, 5, seed=2, method="uniform"):
        assert not game.needs_total
        assert won_by("pysat", game, use_total=False)


@pytest.mark.parametrize("total", [True, False])
@pytest.mark.parametrize(("rows", "cols", "mines"), [(3, 3, 2), (3, 4, 3)])
def test_deduction_wins_what_brute_force_wins(
    rows: int, cols: int, mines: int, total: bool
) -> None:
    most = Grade.TOTAL if total else Grade.SEARCH
    brute = Brute(rows, cols, [mines] if total else range(rows * cols))
    wins = 0
    for layout in all_layouts(rows, cols, mines, [(0, 0)])[:: 1 if rows * cols < 10 else 3]:
        expected = brute.won_without_a_guess(layout, 0)
        found = solve_by_deduction(as_layout(layout, rows, cols), (0, 0), hardest=most)
        assert found.won == expected, layout
        wins += expected
    assert wins > 0


def test_the_same_seed_gives_the_same_games_for_any_workers() -> None:
    layouts = [game.layout for game in generate(BEGINNER, 5, seed=9, workers=1)]
    assert layouts == [game.layout for game in generate(BEGINNER, 5, seed=9, workers=3)]
    assert layouts[:3] == [game.layout for game in generate(BEGINNER, 3, seed=9)]
    assert layouts != [game.layout for game in generate(BEGINNER, 5, seed=10)]


def test_what_a_seed_draws_never_changes() -> None:
    """Engines with and without a kernel draw, and choose, alike; so will later versions."""
    (game,) = generate(Wish(Spec(4, 5, 4), (0, 0)), 1, seed=1, method="uniform")
    assert game.layout == Layout.parse("...**\n.....\n.....\n...**\n")
    assert sample(Wish(Spec(3, 3, 1), (0, 0)), 1).matches > 0


def test_what_is_expected() -> None:
    few = Expectation(1000, 40, 2.0)
    assert few.seconds_for(10) == 0.5
    assert (
        str(few)
        == "1 in 25.0 random layouts matches the request: about 50 ms per board on one core"
    )
    none = Expectation(1000, 0, 2.0)
    assert none.seconds_for(1) == inf
    assert str(none) == "none of 1,000 random layouts matches the request"


@pytest.mark.parametrize(
    ("spec", "first", "start", "problem"),
    [
        (Spec(4, 4, 3), (4, 0), "zero", "cell 4,0 is not on this 4×4 board"),
        (Spec(3, 3, 1), (1, 1), "zero", "no room for 1 mine: 9 of 9 cells must have no mine"),
        (Spec(1, 1, 1), (0, 0), "safe", "no room for 1 mine: 1 of 1 cell must have no mine for"),
        (
            Spec(4, 4, 3),
            (0, 0),
            "any",
            "start must be 'safe' or 'zero' for a no-guess game, not 'any'",
        ),
        (
            Spec(4, 4, 3),
            (0, 0),
            "sqrt",
            "start must be 'safe' or 'zero' for a no-guess game, not 'sqrt'",
        ),
    ],
)
def test_nonsense_is_refused(spec: Spec, first: tuple[int, int], start: str, problem: str) -> None:
    with pytest.raises(InputError, match=problem):
        Wish(spec, first, start)


def test_grades_that_cannot_be() -> None:
    with pytest.raises(UnknownName, match="unknown grade 'hard'"):
        read_difficulty("hard")
    with pytest.raises(InputError, match="grade 'total' cannot be requested without the total"):
        read_difficulty("total", use_total=False)
    with pytest.raises(
        InputError, match="won by its first cell, so its grade cannot be single or harder"
    ):
        Wish(Spec(4, 4, 0), (0, 0), difficulty=read_difficulty("single"))
    with pytest.raises(InputError, match=r"easiest \(gauss\) must not be harder"):
        GradeBounds(Grade.GAUSS, Grade.PAIR)
    with pytest.raises(UnknownName, match="unknown method 'magic'"):
        generate(BEGINNER, method="magic")


def test_a_grade_that_no_board_of_that_size_has(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("csp_mines.generation.noguess.DRAWS", 5_000)
    monkeypatch.setattr("csp_mines.generation.noguess.PURE_DRAWS", 50)
    wish = Wish(Spec(1, 5, 1), (0, 0), difficulty=read_difficulty("gauss"))
    with pytest.raises(NotFound, match=r"none of [\d,]+ random layouts matches 1×5 with 1 mine,"):
        list(generate(wish, method="uniform"))


def test_a_board_without_mines_has_no_grade() -> None:
    (game,) = generate(Wish(Spec(3, 3, 0)), 1)
    assert (game.grade, game.steps, game.needs_total) == (None, 0, False)
    assert game.to_json()["grade"] is None


def test_repair_needs_the_kernel_and_keeps_its_word() -> None:
    wish = Wish(Spec(12, 12, 45), (6, 6))
    games = generate(wish, 4, seed=3, method="repair")
    if offered(Capability.LAYOUTS) is None:
        with pytest.raises(BackendUnavailable, match="needs the compiled kernel"):
            list(games)
        return
    for game in games:
        assert (game.layout.shape, game.layout.count) == ((12, 12), 45)
        assert won_by("pysat", game, use_total=True)


def test_games_come_one_by_one() -> None:
    games = generate(BEGINNER, 10**6, seed=4, method="uniform")
    assert len(list(islice(games, 2))) == 2


def test_a_size_is_a_wish() -> None:
    size = Spec(9, 9, 10)
    assert list(generate(size, 2)) == list(generate(Wish(size), 2))


def test_names_as_strings_or_as_what_they_name() -> None:
    assert Wish(Spec(4, 4, 3), start="safe").start is Start.SAFE
    assert repr(Wish(Spec(4, 4, 3))).startswith("Wish(spec=Spec(rows=4, cols=4, mines=3), first=(")
    by_string, by_name = (
        next(generate(Wish(Spec(4, 4, 3)), seed=3, method=method))
        for method in ("uniform", Method.UNIFORM)
    )
    assert by_string.to_json() == by_name.to_json()
    assert json.loads(json.dumps(by_name.to_json()))["start"] == "zero"


def test_a_wish_on_a_graph_names_its_first_cell() -> None:
    path = as_geometry('graph {"cells":["a","b","c"],"edges":[["a","b"],["b","c"]]}')
    wish = Wish(Spec(1, 3, 1, path), (0, 2))
    assert str(wish) == "1×3 graph with 1 mine, zero start at c, any grade"
