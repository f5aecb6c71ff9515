"""`Action`: one opening, chord, mark or removal of a mark. Games and recordings have lists of their
actions."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from csp_mines.board import Cell


class ActionKind(StrEnum):
    """What an action does.

    >>> game = csp_mines.Game(csp_mines.Layout.parse("*..\\n..."))
    >>> game.mark([(0, 0)])
    >>> [f"{action.kind}" for action in game.actions]
    ['mark']
    """

    START = "start"  # the game itself opens one or more cells
    OPEN = "open"
    CHORD = "chord"  # opens the cells around a clue that has enough marks around it
    MARK = "mark"  # marks a cell as a mine
    UNMARK = "unmark"


@dataclass(frozen=True, slots=True)
class Action:
    """An action that changed the board. `changes` are the cells that changed, with their new codes.
    `seconds` is the time since the beginning of the game, or None if the time is not known.

    >>> game = csp_mines.Game(csp_mines.Layout.parse("*..\\n..."))
    >>> opened = game.open((1, 2))
    >>> [(f"{action.kind}", action.cell, len(action.changes)) for action in game.actions]
    [('open', (1, 2), 4)]
    """

    kind: ActionKind
    cell: Cell
    changes: tuple[tuple[Cell, int], ...]
    seconds: float | None = None

    @property
    def opens(self) -> bool:
        """Whether the action opens cells."""
        return self.kind in (ActionKind.START, ActionKind.OPEN, ActionKind.CHORD)
