"""csp_mines: Minesweeper as constraint solving.

    import csp_mines
    board = csp_mines.Board.parse("????\\n113?\\n001?\\n001?")
    found = csp_mines.analyze(board)
    sorted(found.safe)                # [(0, 0), (0, 2), (1, 3), (3, 3)]

Names are imported when they are first used, so that importing the package costs next to nothing.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from csp_mines.agents import PRESETS as PRESETS
    from csp_mines.agents import Agent as Agent
    from csp_mines.agents import Record as Record
    from csp_mines.agents import Step as Step
    from csp_mines.agents import agent as agent
    from csp_mines.agents import play as play
    from csp_mines.analysis import Analysis as Analysis
    from csp_mines.analysis import Memory as Memory
    from csp_mines.analysis import Move as Move
    from csp_mines.analysis import Status as Status
    from csp_mines.analysis import analyze as analyze
    from csp_mines.analysis import analyze_many as analyze_many
    from csp_mines.backend import Backend as Backend
    from csp_mines.backend import Deduction as Deduction
    from csp_mines.backend import RegionCount as RegionCount
    from csp_mines.board import Board as Board
    from csp_mines.board import Cell as Cell
    from csp_mines.comparison import Comparison as Comparison
    from csp_mines.comparison import Disagreement as Disagreement
    from csp_mines.comparison import compare as compare
    from csp_mines.conflict import Conflict as Conflict
    from csp_mines.conflict import find_conflict as find_conflict
    from csp_mines.constraints import Constraint as Constraint
    from csp_mines.constraints import Frontier as Frontier
    from csp_mines.constraints import Problem as Problem
    from csp_mines.constraints import Region as Region
    from csp_mines.difficulty import Difficulty as Difficulty
    from csp_mines.difficulty import Grade as Grade
    from csp_mines.difficulty import grade_board as grade_board
    from csp_mines.difficulty import grade_game as grade_game
    from csp_mines.errors import BackendUnavailable as BackendUnavailable
    from csp_mines.errors import BoardError as BoardError
    from csp_mines.errors import BoardSyntaxError as BoardSyntaxError
    from csp_mines.errors import Contradiction as Contradiction
    from csp_mines.errors import CspMinesError as CspMinesError
    from csp_mines.errors import TooWide as TooWide
    from csp_mines.errors import UnknownName as UnknownName
    from csp_mines.errors import Unsupported as Unsupported
    from csp_mines.explain import Explainer as Explainer
    from csp_mines.explain import Explanation as Explanation
    from csp_mines.explain import explain_board as explain_board
    from csp_mines.game import Game as Game
    from csp_mines.game import Rules as Rules
    from csp_mines.influence import Influence as Influence
    from csp_mines.influence import trace as trace
    from csp_mines.layout import LEVELS as LEVELS
    from csp_mines.layout import Layout as Layout
    from csp_mines.layout import Spec as Spec
    from csp_mines.pictures import draw_analysis as draw_analysis
    from csp_mines.pictures import draw_board as draw_board
    from csp_mines.pictures import draw_comparison as draw_comparison
    from csp_mines.pictures import draw_conflict as draw_conflict
    from csp_mines.pictures import draw_explanation as draw_explanation
    from csp_mines.pictures import draw_influence as draw_influence
    from csp_mines.simulate import Plan as Plan
    from csp_mines.simulate import Results as Results
    from csp_mines.simulate import Setup as Setup
    from csp_mines.simulate import Simulation as Simulation

__version__ = "0.1.0"

_HOMES = {
    "agents": (
        "PRESETS",
        "Agent",
        "Record",
        "Step",
        "agent",
        "play",
    ),
    "analysis": (
        "Analysis",
        "Memory",
        "Move",
        "Status",
        "analyze",
        "analyze_many",
    ),
    "backend": (
        "Backend",
        "Deduction",
        "RegionCount",
    ),
    "board": (
        "Board",
        "Cell",
    ),
    "comparison": (
        "Comparison",
        "Disagreement",
        "compare",
    ),
    "conflict": (
        "Conflict",
        "find_conflict",
    ),
    "constraints": (
        "Constraint",
        "Frontier",
        "Problem",
        "Region",
    ),
    "difficulty": (
        "Difficulty",
        "Grade",
        "grade_board",
        "grade_game",
    ),
    "errors": (
        "BackendUnavailable",
        "BoardError",
        "BoardSyntaxError",
        "Contradiction",
        "CspMinesError",
        "TooWide",
        "UnknownName",
        "Unsupported",
    ),
    "explain": (
        "Explainer",
        "Explanation",
        "explain_board",
    ),
    "game": (
        "Game",
        "Rules",
    ),
    "influence": (
        "Influence",
        "trace",
    ),
    "layout": (
        "LEVELS",
        "Layout",
        "Spec",
    ),
    "pictures": (
        "draw_analysis",
        "draw_board",
        "draw_comparison",
        "draw_conflict",
        "draw_explanation",
        "draw_influence",
    ),
    "simulate": (
        "Plan",
        "Results",
        "Setup",
        "Simulation",
    ),
}
_HOME_OF = {name: module for module, names in _HOMES.items() for name in names}

__all__ = ["__version__", *_HOME_OF]


def __getattr__(name: str) -> Any:
    try:
        home = _HOME_OF[name]
    except KeyError:
        raise AttributeError(f"module 'csp_mines' has no attribute {name!r}") from None
    value = getattr(import_module(f"csp_mines.{home}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(set(globals()) | set(_HOME_OF))
