"""`csp-mines backends`: the engines, what each can do, and whether it can be used here."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

from csp_mines.cli import options
from csp_mines.cli.console import numbers_table, out, show_item, show_json, show_table
from csp_mines.cli.groups import argument

if TYPE_CHECKING:
    from rich.table import Table

    from csp_mines.backend import Backend

_MEANINGS = {  # ability: (the meaning of yes, the meaning of no)
    "complete": ("finds every deduction", "may miss deductions"),
    "ranges": (
        "deduces from bounds such as 1 to 3 mines as fully as from exact numbers",
        "deduces fully only from exact numbers of mines",
    ),
    "counts": ("counts layouts, so it gives risks", "only deduces; native counts instead"),
}
_IN_FLOATS = (
    "computes in floating point: finds every safe cell and mine, but as no proof; only the command "
    "'compare' uses such an engine"
)


def backends(
    name: Annotated[
        str | None, argument("NAME", "Show only this engine, with its options and examples.")
    ] = None,
    json: options.Json = False,
) -> None:
    """List the engines: their versions, what each can do, and how to install a missing one.

    'csp-mines backends pysat' explains in words what the engine pysat can do, and lists its
    options. Commands such as solve have the option --backend for an engine. An option of the engine
    follows after a colon:

    csp-mines solve board.txt --backend pysat:cadical195
    """
    from csp_mines.backend import backend_class, backend_facts, backend_names

    if name is not None:
        _show_engine(backend_class(name), json=json)
        return
    facts = [backend_facts(name) for name in backend_names()]
    if json:
        show_json(facts)
        return
    show_table(_table(facts))
    console = out()
    for engine in facts:
        show_item(engine["name"], engine["summary"], 12)
    for engine in facts:
        if engine["problem"]:
            console.print(engine["problem"], style="yellow")
        elif not engine["available"]:
            console.print(f"to use {engine['name']}: {engine['install']}", style="yellow")


def _show_engine(engine: type[Backend], *, json: bool) -> None:
    """Show the version, the abilities, the options and the examples of one engine."""
    from csp_mines.supervised import ask_class

    facts = ask_class(engine, "to_json")
    choices = dict(ask_class(engine, "choices")) if facts["available"] else {}
    examples = dict(engine.examples) or {engine.name: "without an option"}
    if json:
        show_json(facts | {"choices": choices, "examples": examples})
        return
    console = out()
    console.print(f"{engine.name}: {engine.summary}", style="bold")
    version = facts["version"] if facts["available"] else f"not installed: {facts['install']}"
    console.print(f"version    {version}")
    for fact, (yes, no) in _MEANINGS.items():
        text = f"yes: {yes}" if facts[fact] else f"no: {no}"
        if fact == "complete" and facts["floating_point"]:
            text = _IN_FLOATS
        console.print(f"{fact:<10} {text}")
    console.print(f"option     {engine.options or 'none'}")
    for word, names in choices.items():
        console.print(f"{word:<10} {', '.join(names)}")
    console.print("examples")
    width = max(map(len, examples))
    for spec, meaning in examples.items():
        console.print(f"  --backend {spec:<{width}}  {meaning}")


def _table(facts: list[dict[str, Any]]) -> Table:
    table = numbers_table("engine", "available", "version", *_MEANINGS)
    for engine in facts:
        available, *abilities = (
            "yes" if engine[fact] else "no" for fact in ("available", *_MEANINGS)
        )
        if engine["floating_point"]:
            abilities[0] = "in floats"
        style = "" if engine["available"] else "dim"
        table.add_row(engine["name"], available, engine["version"], *abilities, style=style)
    return table
