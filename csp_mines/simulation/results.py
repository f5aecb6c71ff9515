"""`Results`: the games of a plan, their sums for each agent, and comparisons of two agents.

results = Results.read("games.db")      # a file that `simulate` wrote
frame = results.to_pandas()             # one row for each game
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from html import escape
from importlib import import_module
from operator import attrgetter
from pathlib import Path
from typing import Any

from csp_mines.arguments import known_name, path_name, whole
from csp_mines.errors import InputError
from csp_mines.layout import Spec
from csp_mines.libraries import needed
from csp_mines.simulation.outcomes import COLUMNS, Outcome
from csp_mines.simulation.plans import Plan
from csp_mines.simulation.run_file import RunFile
from csp_mines.simulation.statistics import Mean, Rate, RateDifference, rate_difference, wilson
from csp_mines.simulation.tally import Tally
from csp_mines.words import few, html_table, plural

ROW_NAMES = ("rows", "cols", "mines", "grid", "holes", *COLUMNS)  # of `Results.rows`


def _size(spec: Spec) -> dict[str, Any]:
    """Return the columns of a row that describe a setup: the size, the number of mines, the grid
    and the number of holes."""
    size = {"rows": spec.rows, "cols": spec.cols, "mines": spec.mines}
    return size | {"grid": str(spec.geometry), "holes": len(spec.holes)}


@dataclass(frozen=True)
class AgentResult:
    """The result of one agent on one setup. `wins` is the win rate, `score` the mean score, and
    `guesses` the mean number of guesses per game. `seconds` is the mean time of a game in seconds,
    or None if no time was measured.

    >>> setup = csp_mines.Setup(csp_mines.Spec(5, 5, 4))
    >>> plan = csp_mines.Plan([setup], ["exact", "disarm"], games=100)
    >>> results = csp_mines.simulate(plan, workers=1)
    >>> results.agent_result("exact").wins.successes
    76
    """

    agent: str
    wins: Rate
    score: Mean
    guesses: Mean
    seconds: float | None

    def to_json(self) -> dict[str, Any]:
        """Return a document. `interval` is the 95 % interval of the win rate. `score_error` is the
        standard error of `score`, and `score_interval` is the 95 % interval of `score`; both are
        None for fewer than two games."""
        interval = self.score.interval
        return {
            "agent": self.agent,
            "games": self.wins.trials,
            "wins": self.wins.successes,
            "win_rate": self.wins.rate,
            "interval": [self.wins.low, self.wins.high],
            "score": self.score.value,
            "score_error": None if interval is None else self.score.error,
            "score_interval": None if interval is None else list(interval),
            "guesses_per_game": self.guesses.value,
            "seconds_per_game": self.seconds,
        }


@dataclass(frozen=True)
class PairedResult:
    """One agent compared with another on the layouts that both played. `wins` is the difference of
    their win rates, and `score` the mean difference of their scores. Both are `agent` minus
    `against`.

    >>> setup = csp_mines.Setup(csp_mines.Spec(5, 5, 4))
    >>> plan = csp_mines.Plan([setup], ["exact", "disarm"], games=100)
    >>> results = csp_mines.simulate(plan, workers=1)
    >>> paired = results.paired_result("exact", "disarm")
    >>> paired.wins.only_ours, paired.wins.only_theirs
    (20, 8)
    """

    agent: str
    against: str
    wins: RateDifference
    score: Mean

    def to_json(self) -> dict[str, Any]:
        """Return a document. A difference is `agent` minus `against`. `interval` is the 95 %
        interval of `win_rate_difference`. `score_interval` is the 95 % interval of
        `score_difference`, or None for fewer than two games. `p_value` is the result of McNemar's
        exact test of the wins."""
        interval = self.score.interval
        return {
            "agent": self.agent,
            "against": self.against,
            "games": self.wins.trials,
            "only_agent_won": self.wins.only_ours,
            "only_against_won": self.wins.only_theirs,
            "win_rate_difference": self.wins.value,
            "interval": [self.wins.low, self.wins.high],
            "p_value": self.wins.p_value,
            "score_difference": self.score.value,
            "score_interval": None if interval is None else list(interval),
        }


class Results:
    """The results of a plan: sums over its games, and the single games if they were kept.

    >>> setup = csp_mines.Setup(csp_mines.Spec(5, 5, 4))
    >>> plan = csp_mines.Plan([setup], ["exact", "disarm"], games=100)
    >>> results = csp_mines.simulate(plan, workers=1)
    >>> results.played, [result.agent for result in results.agent_results()]
    (200, ['exact', 'disarm'])
    """

    def __init__(
        self,
        plan: Plan,
        outcomes: Iterable[Outcome] | None,
        *,
        tally: Tally | None = None,
        path: Path | None = None,
    ) -> None:
        """Make the results of `plan`. `tally` has the sums; if `tally` is None, the sums are
        computed from `outcomes`. If `outcomes` is None, the methods that return single games read
        the file of the run at `path`, or raise InputError if `path` is None."""
        self.plan = plan
        self._path = path
        self._outcomes = None if outcomes is None else sorted(outcomes, key=self._order)
        self._tally = Tally(plan.agents) if tally is None else tally
        if tally is None:
            self._tally.add_in_order(self._outcomes or ())

    @classmethod
    def read(cls, path: str | Path) -> Results:
        """Read the results of a run, finished or not, from `path`, a file that `simulate` wrote.
        Only the sums are read into memory. Single games stay in the file until a method returns
        them.

        Raises RunFileError if the file is missing, is damaged, is not the file of a run, cannot be
        read, or is being written; InputError if `path` is neither a string nor a Path."""
        place = Path(path_name(path))
        with RunFile.read(place) as file:
            tally = Tally(file.plan.agents)
            tally.add_run(file.outcomes(), file.times())
            return cls(file.plan, None, tally=tally, path=place)

    @property
    def outcomes(self) -> list[Outcome]:
        """The outcomes of all finished games, ordered by setup, then by the number of the game,
        then by agent as in the plan. Raises InputError if only sums were kept, RunFileError if the
        file of the run cannot be read."""
        if self._outcomes is None:
            self._outcomes = list(self._stored())
        return self._outcomes

    def rows(self) -> Iterator[dict[str, Any]]:
        """Iterate over all finished games, in the order of `outcomes`. A row is a dictionary:
        `rows`, `cols`, `mines`, `grid` and `holes` (the number of holes) describe the setup, and
        the other keys are the fields of the `Outcome`. Games that are not in memory are read from
        the file one by one. Raises the same errors as `outcomes`."""
        sizes = [_size(setup.spec) for setup in self.plan.setups]
        for outcome in self._stored() if self._outcomes is None else self._outcomes:
            yield {**sizes[outcome.setup], **outcome.to_json()}

    def to_pandas(self) -> Any:
        """Return the `rows` as a pandas DataFrame. Raises MissingLibrary if pandas is not
        installed, and the same errors as `outcomes`."""
        return _library("pandas").DataFrame(self.rows())

    def to_polars(self) -> Any:
        """Return the `rows` as a polars DataFrame. Raises MissingLibrary if polars is not
        installed, and the same errors as `outcomes`."""
        return _library("polars").DataFrame(self.rows())

    def _stored(self) -> Iterator[Outcome]:
        if self._path is None:
            raise InputError("this simulation kept only sums; run it without sums_only")
        with RunFile.read(self._path) as file:
            yield from file.outcomes()

    @property
    def played(self) -> int:
        """The number of finished games of all agents on all setups."""
        return self._tally.played

    def of(self, agent: str, setup: int = 0) -> list[Outcome]:
        """Return the outcomes of one agent on one setup, ordered by the number of the game. `setup`
        is the index of the setup in the plan. Raises UnknownName for an unknown agent, InputError
        for a wrong index, and the same errors as `outcomes`."""
        place = self._place(agent, setup)
        setup_of = attrgetter("setup")
        begin = bisect_left(self.outcomes, place, key=setup_of)
        end = bisect_right(self.outcomes, place, key=setup_of)
        return [outcome for outcome in self.outcomes[begin:end] if outcome.agent == agent]

    def agent_result(self, agent: str, setup: int = 0) -> AgentResult:
        """Return the result of one agent on one setup. `setup` is the index of the setup in the
        plan. If the agent has finished no game, the rate and the means are nan. Raises UnknownName
        for an unknown agent, InputError for a wrong index."""
        place = self._place(agent, setup)
        sums = self._tally.parts[place, agent]
        return AgentResult(
            agent,
            wilson(sums.wins, sums.score.count),
            sums.score.mean(),
            sums.guesses.mean(),
            sums.seconds / sums.timed if sums.timed else None,
        )

    def agent_results(self, setup: int = 0) -> list[AgentResult]:
        """Return the results of all agents that have finished a game on one setup, in the order of
        the plan. `setup` is the index of the setup in the plan. Raises InputError for a wrong
        index."""
        results = (self.agent_result(agent, setup) for agent in self.plan.agents)
        return [result for result in results if result.wins.trials]

    def paired_result(self, agent: str, against: str, setup: int = 0) -> PairedResult:
        """Return the comparison of `agent` with the agent `against`, on the layouts of one setup
        that both have played. `setup` is the index of the setup in the plan. Without such a layout,
        the differences are nan. Raises UnknownName for an unknown agent, InputError for a wrong
        index."""
        place, _ = self._place(agent, setup), self._place(against, setup)
        sums = self._tally.pair(place, agent, against)
        wins = rate_difference(sums.only_first, sums.only_second, sums.score.count)
        return PairedResult(agent, against, wins, sums.score.mean())

    def paired_results(self, setup: int = 0) -> list[PairedResult]:
        """Return the comparison of each other agent with the first agent of the plan, on one setup.
        An agent that has played no layout together with the first agent is left out. `setup` is the
        index of the setup in the plan. Raises InputError for a wrong index."""
        first, *others = self.plan.agents
        compared = [self.paired_result(agent, first, setup) for agent in others]
        return [result for result in compared if result.wins.trials]

    def setup_json(self, setup: int = 0) -> dict[str, Any]:
        """Return a document about one setup: `agents` has the `agent_results`, and `comparisons`
        has the `paired_results`. `setup` is the index of the setup in the plan. Raises InputError
        for a wrong index."""
        return {
            "agents": [result.to_json() for result in self.agent_results(setup)],
            "comparisons": [result.to_json() for result in self.paired_results(setup)],
        }

    def to_json(self) -> dict[str, Any]:
        """Return a document. `games` is the planned number of games of each agent on each setup. If
        the plan has one setup, the document also has the fields of `setup_json`. If the plan has
        several setups, the document has a list `setups` instead. Each entry of this list has the
        size of a setup and the fields of `setup_json`."""
        games = self.plan.games
        if len(self.plan.setups) == 1:
            return {"games": games, **self.setup_json()}
        setups = [
            setup.spec.to_json() | self.setup_json(place)
            for place, setup in enumerate(self.plan.setups)
        ]
        return {"games": games, "setups": setups}

    def __repr__(self) -> str:
        played = plural(self.played, "game")
        if len(self.plan.setups) > 1:
            agents = plural(len(self.plan.agents), "agent")
            return f"<Results: {played} of {agents} on {len(self.plan.setups)} setups>"
        wins = ((result.agent, result.wins) for result in self.agent_results())
        rates = few(
            f"{agent} {rate.rate:.1%} ({rate.low:.1%} … {rate.high:.1%})" for agent, rate in wins
        )
        return f"<Results: {played} on {self.plan.setups[0]}: {', '.join(rates) or 'none yet'}>"

    def _repr_html_(self) -> str:
        return "".join(
            f"<p>{escape(setup.title)}, {plural(self.plan.games, 'game')} planned per agent</p>"
            + self._html_tables(place)
            for place, setup in enumerate(self.plan.setups)
        )

    def _html_tables(self, setup: int) -> str:
        agents = [
            (
                result.agent,
                f"{result.wins.trials:,}",
                f"{result.wins.rate:.2%}",
                f"{result.wins.low:.1%} … {result.wins.high:.1%}",
                f"{result.score.value:.4f}",
                f"{result.guesses.value:.2f}",
            )
            for result in self.agent_results(setup)
        ]
        compared = [
            (
                f"{result.agent} − {result.against}",
                f"{result.wins.trials:,}",
                f"{result.wins.value:+.2%}",
                f"{result.wins.low:+.2%} … {result.wins.high:+.2%}",
                f"{result.score.value:+.4f}",
                "",
            )
            for result in self.paired_results(setup)
        ]
        headings = ("agent", "games", "win rate", "95 %", "score", "guesses")
        return html_table(headings, [*agents, *compared])

    def _order(self, outcome: Outcome) -> tuple[int, int, int]:
        return outcome.setup, outcome.game, self.plan.agents.index(outcome.agent)

    def _place(self, agent: str, setup: int) -> int:
        """Check the arguments, and return the index `setup` as an int. Raises UnknownName if the
        plan does not have the agent, InputError if the plan has no setup with this index."""
        known_name("agent", agent, self.plan.agents)
        return whole(setup, "setup", 0, len(self.plan.setups) - 1)


def _library(name: str) -> Any:
    with needed(f"{name} is not installed", name):
        return import_module(name)
