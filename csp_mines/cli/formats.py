"""`csp-mines formats`: list the notations, with an example of each."""

from __future__ import annotations

from typing import TYPE_CHECKING

from csp_mines.cli import options
from csp_mines.cli.console import out, show_json

if TYPE_CHECKING:
    from csp_mines.formats import Notation


def formats(json: options.Json = False) -> int:
    """List the notations that boards and layouts are read from and written in.

    csp-mines formats

    Each notation is listed with its name for --format and --to, with what csp-mines can write in
    it (boards, layouts, both or nothing), and with a description and an example.
    """
    from csp_mines.formats import all_notations

    if json:
        show_json([notation.to_json() for notation in all_notations().values()])
        return 0
    _show(list(all_notations().values()))
    return 0


def _show(notations: list[Notation]) -> None:
    """Print each notation: its name and what it can write, then its description, then its
    example."""
    import textwrap

    from rich.text import Text

    console = out()
    width = max(40, min(console.width, 100))
    for notation in notations:
        does = (
            notation.says if notation.says == "read only" else f"reads and writes: {notation.says}"
        )
        console.print(Text.assemble((f"{notation.name:<14}", "bold"), (f" {does}", "dim")))
        for line in textwrap.wrap(notation.about, width - 4, break_long_words=False):
            console.print(f"    {line}")
        for line in notation.example.splitlines():
            console.print(f"        {line}", style="cyan")
