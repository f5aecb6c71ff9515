"""`Agent`, which names backends that deduce and a policy that guesses, and the presets.

The policy guesses when the backends prove nothing. A preset with a `report` rebuilds an agent of
that report (`docs/reports.md`).
"""

from __future__ import annotations

from dataclasses import dataclass

from csp_mines import defaults
from csp_mines.analysis.winning import is_player
from csp_mines.arguments import several, text
from csp_mines.backend import load
from csp_mines.errors import UnknownName
from csp_mines.games.policies import policy


@dataclass(frozen=True)
class Agent:
    """How an agent plays games: how it deduces and how it guesses.

    * `stages` are backends (`name` or `name:option`). The agent asks a backend only if the backends
      before it prove nothing. The agent deduces like `single` first, even if `stages` leaves out
      `single`.
    * `policy` is the name of the guess policy.
    * `told_total` says whether the agent knows the total.
    * `deduce_total` says whether the agent deduces from a known total. If not, the agent uses the
      total only to guess and to stop early.
    * `stop_early` makes an agent that knows the total stop as soon as it knows all mines.
    * `report` is the number of a report in `docs/reports.md` if the agent rebuilds an agent of that
      report, else None.

    >>> agent = csp_mines.agent("pysat+random")
    >>> agent.stages, agent.policy
    (('single', 'pysat'), 'random')
    """

    name: str
    stages: tuple[str, ...]
    policy: str
    told_total: bool = False
    deduce_total: bool = True
    stop_early: bool = False
    report: int | None = None

    def __post_init__(self) -> None:
        """Turn `stages` into a tuple. Raise InputError if `stages` is a string or not iterable, or
        if `name`, `policy` or a stage is not a string."""
        stages = several(self.stages, "stages", "names of backends")
        object.__setattr__(self, "stages", tuple(text(stage, "a stage") for stage in stages))
        text(self.name, "name")
        text(self.policy, "policy")


PRESETS: dict[str, Agent] = {
    preset.name: preset
    for preset in (
        Agent("rutgers-baseline", ("single",), "random", report=0),
        Agent("rutgers-kb", ("single", "subtraction"), "unexplored-first", report=0),
        Agent("rutgers-kb-total", ("single", "subtraction"), "mean-ratio", True, report=0),
        Agent("disarm-basic", ("single",), "random", report=1),
        Agent("disarm", ("single", "gauss"), "random", report=1),
        Agent("disarm-global", ("single", "gauss"), "random", True, report=1),
        Agent("disarm-select", ("single", "gauss"), "most-constrained", report=1),
        Agent("triple", ("single", "subtraction:2"), "random", report=2),
        Agent("triple-total", ("single", "subtraction:2"), "random", True, False, True, report=2),
        Agent("resolution", ("single", "subtraction"), "max-ratio", True, False, report=3),
        Agent("pairwise", ("single", "subtraction:1"), "local-ratio", report=4),
        Agent("exact", ("single", "native"), "lowest-risk", True),
        Agent("win", ("single", "native"), "win", True),
        Agent("win:fast", ("single", "native"), "win:fast", True),
        Agent("win:strong", ("single", "native"), "win:strong", True),
    )
}


def agent(name: str | Agent) -> Agent:
    """Return the agent with this name. An `Agent` is returned unchanged.

    There are three kinds of names: a preset, such as `exact`; `win:` with options that no preset
    has, such as `win:-influence`; and a backend and a policy, such as `pysat+random`. Agents of the
    last two kinds know the total.

    Raises UnknownName for an unknown name, policy or option of `win`, InputError if `name` is
    neither a string nor an `Agent`, and what `csp_mines.backend.load` raises.

    >>> csp_mines.agent("pysat+random").stages
    ('single', 'pysat')
    """
    if isinstance(name, Agent):
        return name
    if text(name, "agent") in PRESETS:
        return PRESETS[name]
    backend, plus, guess = name.partition("+")
    if not plus and is_player(name):
        backend, guess = defaults.BACKEND, name
    elif not plus:
        raise UnknownName("agent", name, [*PRESETS, "win:OPTIONS", "BACKEND+POLICY"])
    policy(guess)
    load(backend)
    stages = (backend,) if backend == "single" else ("single", backend)
    return Agent(name, stages, guess, told_total=True)
