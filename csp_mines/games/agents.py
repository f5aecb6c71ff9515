"""Agents: how to deduce and how to guess, put together.

An `Agent` is a value: backends to deduce with, cheapest first, and a policy for when they prove
nothing. Presets give the systems of the reports their names.
"""

from __future__ import annotations

from dataclasses import dataclass

from csp_mines import defaults
from csp_mines.arguments import several, text
from csp_mines.backend import load
from csp_mines.errors import UnknownName
from csp_mines.games.policies import policy

__all__ = ["PRESETS", "Agent", "agent"]


@dataclass(frozen=True)
class Agent:
    """`stages` are backends (`name` or `name:option`); each is asked when those before it prove
    nothing. `policy` names a way to guess. `told_total`: whether it hears how many mines there are;
    without `deduce_total` it guesses and stops by that number, but deduces nothing from it.
    `stop_early`: it stops when it knows all mines. `report`: which report it rebuilds."""

    name: str
    stages: tuple[str, ...]
    policy: str
    told_total: bool = False
    deduce_total: bool = True
    stop_early: bool = False
    report: int | None = None

    def __post_init__(self) -> None:
        """Raises InputError for what is no name."""
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
    """The preset of that name, `win` with other options (`win:-influence`), or the agent that
    `backend+policy` says; these are told the total. Raises UnknownName for a preset, backend or
    policy that nobody knows, MissingLibrary, Unsupported for an option that the backend does
    not take, InputError for what is no name."""
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
