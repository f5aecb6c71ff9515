"""The presets, and `Agent`, which combines engines that deduce with a policy that guesses.

An `Agent` is a value. It names backends that deduce, cheapest first, and a policy that guesses when
these backends prove nothing. A preset with a `report` rebuilds an agent of `docs/reports.md`.
"""

from __future__ import annotations

from dataclasses import dataclass

from csp_mines import defaults
from csp_mines.arguments import several, text
from csp_mines.backend import load
from csp_mines.errors import UnknownName
from csp_mines.games.policies import policy


@dataclass(frozen=True)
class Agent:
    """A player of games: how it deduces and how it guesses.

    * `stages` are backends (`name` or `name:option`). The agent asks a backend only if the backends
      before it prove nothing.
    * `policy` is the name of the guess policy.
    * `told_total` says whether the agent knows the number of mines.
    * `deduce_total` says whether the agent deduces from that number. If not, it uses the number
      only to guess and to stop.
    * `stop_early` makes the agent stop when it knows all mines.
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
        """Raise InputError if a name is not a string."""
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
    """Return the agent with that name.

    A name is a preset, `win` with other options (`win:-influence`), or `backend+policy`. Agents of
    the last two kinds know the total. Raises UnknownName for an unknown preset, backend or policy,
    MissingLibrary if a library of the backend is not installed, Unsupported if the backend does not
    have the option, InputError if `name` is not a string.

    >>> csp_mines.agent("pysat+random").stages
    ('single', 'pysat')
    """
    if isinstance(name, Agent):
        return name
    if text(name, "agent") in PRESETS:
        return PRESETS[name]
    backend, plus, guess = name.partition("+")
    if not plus and name.startswith("win:"):
        backend, guess = defaults.BACKEND, name
    elif not plus:
        raise UnknownName("agent", name, [*PRESETS, "BACKEND+POLICY"])
    policy(guess)
    load(backend)
    stages = (backend,) if backend == "single" else ("single", backend)
    return Agent(name, stages, guess, told_total=True)
