"""Reasons of moves and of guesses: each sentence against the numbers that stand beside it."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator

import numpy as np

from csp_mines import Analysis, Board, analyze
from csp_mines.analysis.move import alike_up_to
from csp_mines.analysis.winning import win_chances
from csp_mines.board import HIDDEN
from csp_mines.explanation.guesses import GuessComparison, compare_guesses
from csp_mines.geometry import SQUARE


def guessing_boards(seeds: Iterable[int]) -> Iterator[Board]:
    """Boards of games in which nothing is proved safe, early and late."""
    for seed in seeds:
        random = np.random.default_rng(seed)
        size = tuple(random.integers(4, 9, 2))
        layout = random.random(size) < random.choice([0.15, 0.2, 0.3])
        codes = np.full(size, HIDDEN)
        for place in random.permutation(np.flatnonzero(~layout)):
            codes.flat[place] = SQUARE.count(layout).flat[place]
            board = Board(codes, mines=int(layout.sum()))
            found = analyze(board)
            for cell in found.safe:
                codes[cell] = SQUARE.count(layout)[cell]
            if not found.safe and found.move is not None and random.random() < 0.3:
                yield board


def reason_is_true(found: Analysis, reason: str) -> bool:
    """Every part of a reason against numbers that the player was not asked for."""
    move = found.move
    assert move is not None
    risks = np.where(found.mine_mask, np.nan, found.probabilities)
    lowest, mine = np.nanmin(risks), risks[move.cell]
    safety, _, rest = reason.partition(", ")
    if match := re.fullmatch(r"(as safe as|riskier than) (\d+),(\d+)", safety):
        other = risks[int(match[2]), int(match[3])]
        right = other <= alike_up_to(lowest) and move.cell != (int(match[2]), int(match[3]))
        right &= (mine <= alike_up_to(lowest)) == (match[1] == "as safe as")
    else:
        alike = int(np.count_nonzero(risks <= alike_up_to(lowest)))
        many = f"one of {alike:,} cells with the lowest risk"
        right = mine <= alike_up_to(lowest) and safety == (many if alike > 1 else "lowest risk")
    if match := re.fullmatch(
        r"\w+ (?:no cell wins more: |wins )([\d,]+) layouts? of ([\d,]+).*", rest
    ):
        won = win_chances(found.board)
        numbers = [value for value in won.won.values() if value is not None]
        told = int(match[1].replace(",", "")), int(match[2].replace(",", ""))
        right &= told == (max(numbers), won.layouts)
        if "instead of" in rest:
            assert found.choice is not None
            right &= int(rest.split()[-1]) == won.won[found.choice.cell] < told[0]
    elif "no 0 is open yet" in rest:
        rows, cols = found.board.codes.shape
        right &= not (found.board.codes == 0).any()
        right &= move.cell[0] in (0, rows - 1) and move.cell[1] in (0, cols - 1)
    elif match := re.fullmatch(r"\w+ wins at least ([\d.]+)% of the layouts", rest):
        best = win_chances(found.board, cells=[move.cell]).chance(move.cell)
        right &= best is None or float(match[1]) <= 100 * float(best) + 0.005
    else:
        right &= rest.endswith(("cannot be avoided", "reveals almost nothing")) or not rest
    return bool(right)


def lead_is_true(told: GuessComparison) -> bool:
    """How the move is introduced, against the chances to win that are shown."""
    (lead,) = (text for text in told.texts if told.reason in text)
    here, other = (None if guess is None else guess.win_chance for guess in (told.here, told.other))
    if here is None or other is None:
        return lead.startswith(("It is the guess to make", "The move is")) and "though" not in lead
    move, beside = (here, other) if told.is_move else (other, here)
    if move < beside:
        return "though" in lead
    better = "Better open" in lead or lead.startswith("It is the guess to make")
    return better if move > beside else better or "is as good a guess" in lead


def test_every_reason_is_true() -> None:
    """Beside the numbers that are shown with it."""
    seen: Counter[str] = Counter()
    for board in guessing_boards(range(150)):
        found = analyze(board)
        assert found.move is not None
        reason = found.move.reason
        assert reason_is_true(found, reason), (str(board), found.move)
        seen[reason.rpartition(" ")[2] if not reason[-1].isdigit() else "counted"] += 1
        for cell in [found.move.cell, *sorted(board.hidden - found.mines)[:2]]:
            told = compare_guesses(found, cell)
            assert told is not None
            assert lead_is_true(told), (str(board), told.texts)
    assert {"counted", "avoided", "neighbours"} <= set(seen)
