"""The options of `solve`, and the analysis that they ask for."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Annotated

from csp_mines import defaults
from csp_mines.cli import options
from csp_mines.cli.console import err
from csp_mines.cli.groups import option

if TYPE_CHECKING:
    from csp_mines import Analysis, Board

WITH_PROBLEM = ("backend", "exact", "effort", "limits", "time_limit", "json")
EXACT_HELP = (
    "Print every probability as a fraction. If a count reaches a limit, report an error instead of "
    "estimating."
)
APPROXIMATE_HELP = "The time limit for estimating the risks of a board that is too wide to count."
SHOW_HELP = (
    "The number at each hidden cell: risk, win (exact chance to win by opening the cell), zero "
    "(chance that the cell shows a 0), or information (how much opening the cell tells)."
)
EFFORT_HELP = "Also show the effort: regions, boxes, width, states, solver calls, conflicts."
WIN_HELP = (
    "Also show the chance to win: exact if few layouts fit, else estimated from games that "
    f"{defaults.PLAYER} plays on from the board."
)


@dataclass(frozen=True)
class Asked:
    """The options that say how to solve a board, and which parts of the answer to show."""

    backend: options.Backend = defaults.BACKEND
    header: options.Header = field(default_factory=options.Header)
    no_total: options.NoTotal = False
    counter: options.Counter = None
    exact: Annotated[bool, option(EXACT_HELP)] = False
    probabilities: Annotated[
        bool,
        option("Compute risks and the move, or only deduce.", "--probabilities/--no-probabilities"),
    ] = True
    approximate: Annotated[float, option(APPROXIMATE_HELP, metavar="SECONDS", min=0.0)] = (
        defaults.ESTIMATE_SECONDS
    )
    seed: options.Seed = 0
    move: options.MoveRule = defaults.MOVE_RULE
    win: Annotated[bool, option(WIN_HELP)] = False
    show: Annotated[str, option(SHOW_HELP, metavar="NUMBER")] = "risk"
    limits: options.Limits = field(default_factory=options.Limits)
    time_limit: options.TimeLimit = None
    format: options.Format = None
    effort: Annotated[bool, option(EFFORT_HELP)] = False
    line: Annotated[bool, option("Also print the board as one line (not with --json).")] = False
    json: options.Json = False

    @property
    def for_problem(self) -> Asked:
        """A copy of these options in which all but those of `WITH_PROBLEM` have their default
        values."""
        return Asked(**{name: getattr(self, name) for name in WITH_PROBLEM})

    def analyze(self, name: str, board: Board) -> Analysis:
        from csp_mines.analysis.analyze import Budget, analyze

        return analyze(
            board,
            backend=self.backend,
            counter=self.counter,
            use_total=not self.no_total,
            **self.limits.in_bytes,
            seconds=self.time_limit,
            counting=self.probabilities,
            approximate=None if self.exact else Budget(self.approximate, seed=self.seed),
            notice=lambda text: err().print(f"{name}: {text}"),
            move=self.move,
        )
