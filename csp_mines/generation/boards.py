"""Positions: boards at the start, after random openings, at the first forced guess, or before a
step of a given grade."""

from __future__ import annotations

from itertools import combinations
from math import comb

from csp_mines.arguments import number
from csp_mines.board import Board
from csp_mines.errors import Unsupported
from csp_mines.games.agents import PRESETS
from csp_mines.games.game import Game, Start, kept_clear, shuffled_safe
from csp_mines.games.playing import Step, StepKind, play
from csp_mines.generation.deduction import solve_by_deduction
from csp_mines.generation.noguess import generate
from csp_mines.generation.wishes import Wish, read_difficulty
from csp_mines.layout import Seed, Spec
from csp_mines.names import Grade

# `_never_forces_a_guess` plays at most this many layouts, which takes under a second.
MOST_LAYOUTS = 200


def position(game: Game, *, opened: float | None = None, stuck: bool = False) -> Board:
    """Play a new game, and return one of its boards.

    If `opened` is given, this is the board of `opened_board` with the share `opened`. Otherwise, if
    `stuck` is true, it is the board of `stuck_board`. Otherwise it is the board after the start.

    Raises InputError if `opened` is not a number between 0 and 1, and Unsupported if `stuck_board`
    returns None. Raises BoardError if the start of the rules is impossible."""
    if opened is not None:
        return opened_board(game, opened)
    if not stuck:
        game.start()
        return game.board
    board = stuck_board(game)
    if board is None:
        another = "" if _never_forces_a_guess(game) else "; try another seed"
        asked = "the board at the first forced guess was requested"
        raise Unsupported(f"{asked}, but this game has no forced guess{another}")
    return board


def _never_forces_a_guess(game: Game) -> bool:
    """The game has no forced guess. Return True if no other seed would give it one. Return False if
    some seed gives one, or if this cannot be checked, because there are more than `MOST_LAYOUTS`
    layouts, the start is neither `safe` nor `zero`, or the clues are not exact."""
    spec, rules = game.spec, game.rules
    if game.given or spec.mines == 0 or spec.mines >= spec.cells - 1:
        return True
    if rules.start not in (Start.SAFE, Start.ZERO) or rules.clues != "exact":
        return False
    places = spec.numbers(kept_clear(spec, rules.start, game.first))
    if comb(len(places), spec.mines) > MOST_LAYOUTS:
        return False
    layouts = map(spec.layout, combinations(places, spec.mines))
    return all(stuck_board(Game(each, rules, first=game.first)) is None for each in layouts)


def opened_board(game: Game, share: float) -> Board:
    """Start the game, open random safe cells until at least the share `share` of all safe cells is
    open, and return the board. If `share` is 0, open nothing. The seed of the game determines the
    cells. Raises InputError if `share` is not a number between 0 and 1."""
    expected = "a number between 0 and 1"
    share = number(share, "the share of opened cells", expected, lambda part: 0 <= part <= 1)
    if share:
        game.start()
    safe = shuffled_safe(game, "opened")
    for cell in safe:
        if game.opened >= share * len(safe) or game.over:
            break
        game.open(cell)
    return game.board


def stuck_board(game: Game) -> Board | None:
    """Let the agent `exact` play the game to its end. Return the board on which the agent made its
    first forced guess, with the proved mines marked. Return None if the agent made no guess."""
    boards = [game.board]
    stuck: list[Board] = []

    def watch(step: Step) -> None:
        if step.kind is StepKind.GUESS and not stuck:
            stuck.append(boards[-1])
        boards[-1] = step.board

    play(game, PRESETS["exact"], game.seed, watch=watch)
    return stuck[0] if stuck else None


def graded_board(spec: Spec, grade: Grade, seed: Seed = 0) -> Board:
    """Return a position in which the easiest proof of a safe cell has the grade `grade`.

    The position comes from a no-guess game with this grade. Every safe cell that has an easier
    proof is open. Raises NotFound if the search finds no such game, and what `Wish` and `generate`
    raise for `spec` and `seed`."""
    first = (spec.rows // 2, spec.cols // 2)
    wish = Wish(spec, first, "zero", read_difficulty(grade))
    layout = next(generate(wish, 1, seed, workers=1)).layout
    if grade.rank == 0:
        return solve_by_deduction(layout, first).game().board
    return solve_by_deduction(layout, first, hardest=list(Grade)[grade.rank - 1]).end
