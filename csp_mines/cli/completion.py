"""The names that a shell offers as values of an option when the user presses Tab. The modules that
know the names of engines, agents and notations are imported only at that moment."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from csp_mines import names


def completion_of(command: str, option: str) -> Callable[[str], list[str]] | None:
    """Return a function that completes the value of an option of a command. The function gets the
    letters typed so far, and returns all known values that begin with them. Return None if no
    values are known for the option."""
    known = _NAMES.get(f"{command} {option}") or _NAMES.get(option)
    if known is None:
        return None

    def complete(incomplete: str) -> list[str]:
        return [name for name in known() if name.startswith(incomplete)]

    return complete


def _backends() -> Iterable[str]:
    from csp_mines.backend import backend_names

    return backend_names()


def _agents() -> Iterable[str]:
    from csp_mines.games.own_agents import agent_names

    return agent_names()


def _notations() -> Iterable[str]:
    from csp_mines.formats import all_notations

    return all_notations()


def writable(*, boards: bool = True, layouts: bool = True) -> list[str]:
    """Return the names of the notations in which boards or layouts can be written. Leave out
    notations that write only what is not asked for."""
    from csp_mines.formats import all_notations

    return [
        each.name
        for each in all_notations().values()
        if (boards and each.write is not None) or (layouts and each.write_layout is not None)
    ]


_NAMES: dict[str, Callable[[], Iterable[str]]] = {
    "--agent": _agents,
    "--backend": _backends,
    "--clues": lambda: names.CLUE_MODEL_NAMES,
    "--counter": _backends,
    "--difficulty": lambda: names.Grade,
    "--format": _notations,
    "--layout": lambda: writable(boards=False),
    "--level": lambda: [*names.LEVEL_SIZES, *names.REPORT_LEVEL_SIZES],
    "--move": lambda: names.MOVE_RULES,
    "--theme": lambda: ("light", "dark"),
    "--to": writable,
    "generate --format": lambda: writable(layouts=False),
    "export --to": lambda: names.EXPORT_NAMES,
}
