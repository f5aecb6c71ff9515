"""`csp-mines formats`: list the notations, with an example of each."""

from __future__ import annotations

from typing import TYPE_CHECKING

from csp_mines.cli import options
from csp_mines.cli.console import out, show_json

if TYPE_CHECKING:
    from csp_mines.formats import Notation


def formats(json: options.Json = False) -> None:
    """List the notations that boards and layouts are read from and written in.

    csp-mines formats

    Each notation is listed with its name for --format and --to, with what csp-mines can write in
    it (boards, layouts, both or nothing), and with a description and an example.
    """
    from csp_mines.formats import all_notations

    notations = all_notations().values()
    if json:
        show_json([notation.to_json() for notation in notations])
    else:
        for notation in notations:
            _show(notation)


def _show(notation: Notation) -> None:
    """Print the name of a notation and what it can write, then its description, then its
    example."""
    import textwrap

    from rich.text import Text

    console = out()
    does = notation.says if notation.says == "read only" else f"reads and writes: {notation.says}"
    console.print(Text.assemble((f"{notation.name:<14}", "bold"), (f" {does}", "dim")))
    width = max(40, min(console.width, 100)) - 4
    for line in textwrap.wrap(notation.about, width, break_long_words=False):
        console.print(f"    {line}")
    for line in notation.example.splitlines():
        console.print(f"        {line}", style="cyan")
