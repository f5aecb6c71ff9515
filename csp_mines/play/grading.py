"""How hard a game is: what it demands when the easiest deduction is always taken first."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from csp_mines.analysis.analyze import analyze
from csp_mines.analysis.grades import Grade, easiest, hardest
from csp_mines.arguments import instance
from csp_mines.constraints import Frontier
from csp_mines.play.game import Game

__all__ = ["GameDifficulty", "grade_game"]


@dataclass(frozen=True)
class GameDifficulty:
    """What a game demanded: how many rounds of deduction of each grade, how many guesses."""

    rounds: Mapping[Grade, int]
    guesses: int
    won: bool

    @property
    def hardest(self) -> Grade | None:
        """The hardest deduction that could not be avoided."""
        return hardest(self.rounds)

    def to_json(self) -> dict[str, Any]:
        """`{"hardest": …, "rounds": {grade: number, …}, "guesses": …, "won": …}`."""
        return {
            "hardest": self.hardest,
            "rounds": dict(self.rounds),
            "guesses": self.guesses,
            "won": self.won,
        }


def grade_game(game: Game) -> GameDifficulty:
    """Plays a classic game from its start: every round opens what the weakest engine proves safe
    that proves anything safe, or else the cell of lowest risk. Raises TooWide."""
    rounds: Counter[Grade] = Counter()
    guesses = 0
    instance(game, Game, "game").start()
    while not game.over:
        frontier = Frontier.of(game.board)
        grade, safe = easiest(frontier)
        if grade is not None:
            rounds[grade] += 1
        else:
            choice = analyze(game.board).choice
            assert choice is not None  # a game that is not over has a safe cell
            safe = frozenset([choice.cell])
            guesses += 1
        for cell in sorted(safe):
            if not game.over:
                game.open(cell)
    ordered = {grade: rounds[grade] for grade in Grade if rounds[grade]}
    return GameDifficulty(ordered, guesses, game.won)
