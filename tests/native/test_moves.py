"""Moves by the chance to win: what an analysis recommends, and the chances behind it, against a
search that tries every strategy."""

from __future__ import annotations

import pickle
from collections import defaultdict
from fractions import Fraction
from functools import cache
from itertools import pairwise
from random import Random
from typing import Any

import numpy as np
import pytest

from csp_mines.analysis.analyze import analyze
from csp_mines.analysis.contract import Analysis
from csp_mines.analysis.move import Move
from csp_mines.analysis.winning import (
    TooManyLayouts,
    WinChance,
    advise,
    best_move,
    win_chance,
    win_chances,
)
from csp_mines.board import HIDDEN, Board, Cell
from csp_mines.errors import BoardError, Contradiction, InputError, UnknownName
from csp_mines.explanation.guesses import compare_guesses
from csp_mines.games.agents import agent
from csp_mines.games.assist import Session
from csp_mines.games.game import LEVELS, Game, Rules, Spec
from csp_mines.games.playing import Step, play
from csp_mines.games.playouts import WinEstimate
from csp_mines.generation.boards import stuck_board
from csp_mines.generation.layout_grades import grade
from csp_mines.layout import Layout
from tests.oracle import truth

pytestmark = pytest.mark.usefixtures("kernel")

LAST_CORNER = Board.parse(
    "mines: 10\n000000000\n000000000\n000000000\n012210111\n02MM223M1\n"
    "02M32MM32\n0222123??\n01M1012??\n011101M2?\n"
)  # generate --level beginner --stuck --seed 1106
Layouts = frozenset[frozenset[Cell]]


def optimal(board: Board) -> dict[Cell, int]:
    """For every hidden cell, in how many layouts it is opened and the game then won by the best
    strategy: by definition, trying every cell at every turn."""
    hidden = frozenset(board.cells(HIDDEN))
    marked = {cell for cell in board.cells() if board[cell] in (-2, -3)}

    def parts(layouts: Layouts, cell: Cell) -> list[Layouts]:
        found: defaultdict[int, set[frozenset[Cell]]] = defaultdict(set)
        for layout in layouts:
            if cell not in layout:
                near = board.neighbours(cell)
                found[sum(other in layout or other in marked for other in near)].add(layout)
        return [frozenset(some) for some in found.values()]

    @cache
    def value(layouts: Layouts, closed: frozenset[Cell]) -> int:
        if any(closed == layout for layout in layouts):  # every safe cell is open
            return len(layouts)
        return max(won(layouts, closed, cell) for cell in closed)

    def won(layouts: Layouts, closed: frozenset[Cell], cell: Cell) -> int:
        return sum(value(part, closed - {cell}) for part in parts(layouts, cell))

    everything = frozenset(truth(board).layouts)
    return {cell: won(everything, hidden, cell) for cell in hidden}


def small_board(seed: int) -> Board:
    """Three by three or four, some cells open."""
    random = Random(seed)
    rows, cols = 3, random.choice([3, 4])
    cells = [(row, col) for row in range(rows) for col in range(cols)]
    mines = set(random.sample(cells, random.randrange(2, 5)))
    blank = Board(np.full((rows, cols), HIDDEN), mines=len(mines))
    opened = random.sample(sorted(set(cells) - mines), random.randrange(2, 5))
    return blank.replace(
        {cell: sum(near in mines for near in blank.neighbours(cell)) for cell in opened}
    )


@pytest.mark.parametrize("seed", range(30))
def test_the_chance_of_every_cell_is_that_of_the_best_strategy(seed: int) -> None:
    board = small_board(seed)
    chances, exact = win_chances(board), optimal(board)
    assert chances.won == exact
    assert chances.layouts == len(truth(board).layouts)
    assert max(exact.values()) == win_chance(board).won
    first = min(exact)
    assert win_chances(board, cells=[first]).won == {first: exact[first]}
    assert chances.chance(first) == Fraction(exact[first], chances.layouts)


@pytest.mark.parametrize("seed", range(30))
def test_an_exact_move_is_one_of_the_best_and_says_how_many_layouts_it_wins(seed: int) -> None:
    board = small_board(seed)
    found, exact = analyze(board), optimal(board)
    move = found.move
    if found.safe or move is None:
        return
    most, layouts = max(exact.values()), len(truth(board).layouts)
    assert (exact[move.cell], move.win_chance, move.exact) == (most, most / layouts, True)
    assert f"{most} layout{'s' if most != 1 else ''} of {layouts}" in move.reason
    safest = found.choice
    assert safest is not None
    if move.cell == safest.cell:
        assert "no cell wins more" in move.reason
    else:
        assert exact[safest.cell] < most
        assert move.reason.endswith(f"instead of {exact[safest.cell]}")


def test_the_better_of_two_cells_of_the_same_risk() -> None:
    found = analyze(LAST_CORNER)
    reason = "as safe as 8,8, and wins 2 layouts of 3 instead of 1"
    assert found.move == Move((6, 8), pytest.approx(1 / 3), reason, 2 / 3, True)
    safest = Move((8, 8), pytest.approx(1 / 3), "one of 4 cells with the lowest risk")
    assert found.move_by("safest") == safest
    assert analyze(LAST_CORNER, move="safest").move == safest
    assert found.to_json()["move"] == {
        "cell": [6, 8], "risk": pytest.approx(1 / 3), "reason": reason,
        "win_chance": 2 / 3, "exact": True,
    }  # fmt: skip
    assert win_chances(LAST_CORNER, cells=[(8, 8), (6, 8)]).won == {(8, 8): 1, (6, 8): 2}


def test_a_cell_is_risked_that_is_not_the_safest() -> None:
    """Found by going through small boards: the rule looks beyond the risk."""
    board = next(
        board
        for board in map(small_board, range(30, 300))
        if (move := analyze(board).move) is not None and move.reason.startswith("riskier")
    )
    found, exact = analyze(board), optimal(board)
    assert found.move is not None
    assert found.choice is not None
    assert found.move.risk > found.choice.risk
    assert exact[found.move.cell] > exact[found.choice.cell]
    row, col = found.choice.cell
    assert found.move.reason.startswith(f"riskier than {row},{col}, but wins ")


@pytest.mark.parametrize("backend", ["native", "native:pure", "pysat", "subtraction"])
def test_the_move_is_the_same_whichever_engine_proved_nothing(backend: str) -> None:
    for seed in range(12):
        board = small_board(seed)
        known = analyze(board)
        if known.safe:
            continue
        other = analyze(board, backend=backend).move
        assert (other and other.cell) == (known.move and known.move.cell)
        assert (other and other.reason) == (known.move and known.move.reason)


def stuck(level: str, count: int) -> list[Analysis]:
    """Positions of whole games in which nothing is proved."""
    found = []
    for seed in range(100):
        board = stuck_board(Game(LEVELS[level], Rules(start="zero"), seed, first=(3, 3)))
        if board is not None:
            found.append(analyze(board))
        if len(found) == count:
            return found
    raise AssertionError("too few games stick")


@pytest.mark.parametrize("level", ["beginner", "expert"])
def test_the_move_is_that_of_the_fast_player(level: str) -> None:
    for found in stuck(level, 6):
        move, advice = found.move, best_move(found.board, player="win:fast")
        assert move is not None
        assert advice is not None
        assert (move.win_chance, move.exact) == (advice.chance, advice.exact)
        if move.cell != advice.cell:  # the safest cell, which wins as much
            assert found.choice is not None
            assert (move.cell, move.exact) == (found.choice.cell, True)
        assert move.risk == found.probabilities[move.cell]
        assert pickle.loads(pickle.dumps(found)).move == move
        assert found.move is move  # chosen once


@pytest.mark.parametrize("player", ["win:fast", "win"])
@pytest.mark.parametrize("total", [True, False])
def test_what_was_found_need_not_be_found_again(player: str, total: bool) -> None:
    for known in stuck("beginner", 6) + stuck("expert", 6):
        found = analyze(known.board, use_total=total)
        position = found.position
        assert position is not None
        assert not isinstance(position.board, np.ndarray)
        anew = position._replace(board=known.board.codes)
        assert (position.codes == anew.codes).all()
        assert position.cells == anew.cells
        assert advise(position, player) == advise(anew, player)


def test_what_is_not_searched_has_no_chance_and_a_reason() -> None:
    moves = [found.move for found in stuck("expert", 6)]
    open_ones = [move for move in moves if move is not None and move.win_chance is None]
    assert open_ones
    for move in open_ones:
        assert not move.exact
        assert move.reason.endswith(
            ("cannot be avoided", "reveals almost nothing", "a corner has the fewest neighbours")
        )


def test_no_player_no_chance() -> None:
    """Where the player to win cannot play, the safest cell is the move."""
    for header in ("density: 0.3", "clues: silent", "clues: optimistic"):
        found = analyze(Board.parse(f"{header}\n?1?\n???"))
        assert found.choice is not None
        assert found.move == found.choice.move
        assert found.move.win_chance is None
    large = analyze(np.full((101, 100), -1, np.int8), 2000)
    lowest = "one of 10,100 cells with the lowest risk"
    assert large.move == Move((0, 0), pytest.approx(2000 / 10100), lowest)


def test_rules_have_names() -> None:
    found = analyze(LAST_CORNER)
    assert found.move_by("win:strong") == found.move
    for wrong in ("best", "win:slow", "safest:", ""):
        with pytest.raises(UnknownName):
            found.move_by(wrong)
        with pytest.raises(UnknownName):
            analyze(LAST_CORNER, move=wrong)


def test_proved_mines_are_no_open_question() -> None:
    """66 mines that the total proves, and one cell of two that is the last: 68 hidden cells."""
    board = Board.parse("mines: 67\n?1?C" + "?" * 66)
    assert win_chance(board).chance == Fraction(1, 2)
    assert win_chances(board, cells=[(0, 0), (0, 2)]).won == {(0, 0): 1, (0, 2): 1}
    reason = "one of 2 cells with the lowest risk, and no cell wins more: 1 layout of 2"
    assert analyze(board).move == Move((0, 0), 0.5, reason, 0.5, True)


def test_refusals() -> None:
    with pytest.raises(BoardError, match="cell 0,0 is not hidden"):
        win_chances(LAST_CORNER, cells=[(0, 0)])
    with pytest.raises(BoardError, match="cell 9,9 is not on this 9×9 board"):
        win_chances(LAST_CORNER, cells=[(9, 9)])
    with pytest.raises(InputError, match="cells is empty; leave it out"):
        win_chances(LAST_CORNER, cells=[])
    with pytest.raises(TooManyLayouts, match="more than 64 hidden cells besides proved mines"):
        win_chances(np.full((9, 9), -1, np.int8), 10)
    with pytest.raises(Contradiction, match="only 1 hidden cell is beside it"):
        win_chances(np.array([[3, -1]]))


def test_a_cell_that_takes_too_long_has_no_chance() -> None:
    board = np.full((4, 4), -1, np.int8)
    assert None in win_chances(board, 4, work=2_000).won.values()
    assert None not in win_chances(board, 3).won.values()


def test_a_player_behind_a_weak_engine_opens_what_it_proves_itself() -> None:
    """`single` proves less than the player: that is no guess to give reasons for."""
    for seed in range(8):
        play(Game(Spec(8, 8, 12), Rules(start="zero"), seed), agent("single+win"), seed)


def test_why_this_guess_and_not_that_one() -> None:
    found = analyze(LAST_CORNER)
    told = compare_guesses(found, (8, 8))
    assert told is not None
    assert told.texts == (
        "8,8 is safe in 66.67% (2/3) of all cases, needs no guess at the next step in 0.00%, wins "
        "in 33.33% (1/3) and tells 0.92 bits.",
        "Better open 6,8: as safe as 8,8, and wins 2 layouts of 3 instead of 1.",
        "6,8 is safe in 66.67% (2/3) of all cases, needs no guess at the next step in 66.67%, wins "
        "in 66.67% (2/3) and tells 1.58 bits.",
    )
    best = compare_guesses(found, (6, 8))
    assert best is not None
    assert best.texts[0].startswith("It is the guess to make: as safe as 8,8, and wins 2 layouts")
    assert (best.other and best.other.cell) == (8, 8)
    same = compare_guesses(analyze(Board.parse("mines: 1\n??")), (0, 1))
    assert same is not None
    assert same.texts[1].startswith("0,0 is as good a guess: one of 2 cells with the lowest risk")


def test_the_assistant_and_a_watched_game_say_why() -> None:
    reason = "as safe as 8,8, and wins 2 layouts of 3 instead of 1"
    advice = Session(LAST_CORNER).advice
    assert (advice.cell, advice.risk, advice.win_chance) == ((6, 8), Fraction(1, 3), 2 / 3)
    assert advice.reason == f"no cell is proved safe; {reason}"
    steps: list[Step] = []
    play(Game(LEVELS["beginner"], Rules(), 1106), agent("win"), watch=steps.append)
    assert [step.reason for step in steps if step.kind == "guess"] == [reason]


def test_a_layout_that_sticks_is_graded_by_the_chance_from_there() -> None:
    """The same by trying every strategy; a large board is estimated."""
    graded = grade(Layout.parse("..*\n...\n..*\n.*.\n*.."), (0, 0))
    assert graded.stuck is not None
    won = max(optimal(graded.stuck).values())
    assert graded.win == WinChance(won, len(truth(graded.stuck).layouts), (3, 1))
    random = np.random.default_rng(1)
    mines = random.random((12, 12)) < 0.25
    mines[0, 0] = False
    wide = grade(Layout(mines), (0, 0))
    assert isinstance(wide.win, WinEstimate)
    assert 0 < wide.win.chance < 1


@pytest.mark.parametrize("cell", [None, 5, (6,), (6, 8, 0), "68", (6.0, 8), (9, 0), (-1, 8)])
def test_chances_of_what_is_no_cell_are_refused(cell: Any) -> None:
    with pytest.raises(BoardError):
        win_chances(LAST_CORNER, cells=[cell])


def test_analyses_agents_and_the_player_choose_the_same_cell() -> None:
    """At guesses in games on 8x8 with 14 mines, where many cells win equally often."""
    guesses = safest = 0
    for seed in range(60):
        steps: list[Step] = []
        play(Game(Spec(8, 8, 14), Rules(), seed), agent("win:fast"), watch=steps.append)
        for before, step in pairwise(steps):
            if step.kind != "guess":
                continue
            found, advice = analyze(before.board), best_move(before.board, player="win:fast")
            assert advice is not None
            assert found.move is not None
            assert found.move.cell == advice.cell == step.cell
            guesses += 1
            if advice.exact and found.move.win_chance is not None:
                assert found.choice is not None
                won = win_chances(before.board).won
                safest += step.cell == found.choice.cell
                assert step.cell == found.choice.cell or won[step.cell] > won[found.choice.cell]
    assert guesses > 60
    assert safest > 5
