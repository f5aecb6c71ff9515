"""`csp-mines backends`: the engines, and which of them can be used here."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from csp_mines.cli import options
from csp_mines.cli.console import numbers_table, out, show_json, show_table

if TYPE_CHECKING:
    from rich.table import Table


def backends(json: options.Json = False) -> None:
    """List the engines: version, what each can do, and what to install if one is missing.

    Name an engine with --backend. An option follows after a colon where the list shows one:

    csp-mines solve board.txt --backend pysat:cadical195
    """
    from csp_mines.backend import backend_class, backend_names

    facts = [backend_class(name).to_json() for name in backend_names()]
    if json:
        show_json(facts)
        return
    show_table(_table(facts))
    console = out()
    for engine in facts:
        console.print(f"{engine['name']:<12}{engine['summary']}")
    for engine in facts:
        if not engine["available"]:
            console.print(f"to use {engine['name']}: {engine['install']}", style="yellow")


def _table(facts: list[dict[str, Any]]) -> Table:
    abilities = ("complete", "ranges", "counts")
    table = numbers_table("engine", "available", "version", *abilities)
    for engine in facts:
        table.add_row(
            engine["name"],
            "yes" if engine["available"] else "no",
            engine["version"],
            "in floats" if engine["floating_point"] else "yes" if engine["complete"] else "no",
            *("yes" if engine[fact] else "no" for fact in ("ranges", "counts")),
            style="" if engine["available"] else "dim",
        )
    return table
