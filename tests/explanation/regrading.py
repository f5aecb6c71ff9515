"""The grade of an explanation, found again in two ways that share nothing with the explainer: from
the kinds of its steps, and by the engines on a board that has the clues it names and no others.
Boards to try that on: with cells opened at random, and from the middle of a game."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from csp_mines import Board, analyze
from csp_mines.analysis.grades import Grade, grade_board
from csp_mines.board import CLEAR, HIDDEN
from csp_mines.explanation.argument import Inference, Rule
from csp_mines.explanation.explain import Explanation
from csp_mines.games.game import Game
from csp_mines.geometry import SQUARE
from csp_mines.layout import Layout


def by_steps(steps: Sequence[Inference]) -> Grade:
    """The hardest kind of step: a clue alone, two clues one of which lies inside the other, the
    same with something derived, clues that overlap or are added up, a case, the total."""
    every = list(_with_inner(steps))
    if any(premise.rule is Rule.TOTAL for step in every for premise in step.premises):
        return Grade.TOTAL
    return max(map(_kind, every), key=list(Grade).index)


def _with_inner(steps: Sequence[Inference]) -> Iterator[Inference]:
    for step in steps:
        yield step
        yield from _with_inner(step.inside)


def _kind(step: Inference) -> Grade:
    if step.rule is Rule.CASE:
        return Grade.SEARCH
    mains, known = step.premises[: step.mains], step.premises[step.mains :]
    told = set[int]().union(*(fact.sentence.cells for fact in known))
    left = sorted((main.sentence.cells - told for main in mains), key=len)
    if len(mains) > 2 or not left[0] <= left[-1]:
        return Grade.GAUSS
    if any(main.rule is not Rule.CLUE for main in mains):
        return Grade.SUBTRACTION
    return Grade.SINGLE if len(mains) == 1 else Grade.PAIR


def by_engines(board: Board, explanation: Explanation) -> Grade:
    """The grade of the cell on a board that shows the clues of the explanation alone."""
    others = [cell for cell in board.cells() if board[cell] >= 0 and cell not in explanation.clues]
    rest = board.replace(dict.fromkeys(others, CLEAR))
    told = rest if explanation.uses_total else rest.without_total()
    return grade_board(told).grades[explanation.cell]


def scattered_board(random: np.random.Generator) -> Board:
    """A board with some of its safe cells open, anywhere."""
    layout = _layout(random)
    opened = ~layout & (random.random(layout.shape) < random.choice([0.2, 0.35, 0.5]))
    codes = np.where(opened, SQUARE.count(layout), HIDDEN)
    return Board(codes, mines=int(layout.sum()))


def played_board(random: np.random.Generator) -> Board:
    """A board after some rounds of a game that opens all proved cells, and otherwise a safe one."""
    layout = _layout(random)
    layout[:2, :2] = False
    game = Game(Layout(layout), first=(0, 0))
    game.open((0, 0))
    for _ in range(random.integers(0, 6)):
        if game.over:
            break
        hidden = np.argwhere((game.board.codes == HIDDEN) & ~layout).tolist()
        for row, col in sorted(analyze(game.board).safe) or [hidden[random.integers(len(hidden))]]:
            if not game.over:
                game.open((row, col))
    return game.board


def _layout(random: np.random.Generator) -> np.ndarray:
    density = random.choice([0.15, 0.2, 0.25, 0.3])
    mines: np.ndarray = random.random(tuple(random.integers(5, 13, 2))) < density
    return mines
