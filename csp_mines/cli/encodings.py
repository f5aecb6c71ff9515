"""`csp-mines compare --encodings`: how many clauses each encoding needs for a board, and how long a
SAT solver takes to find all certain cells."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.table import Table

    from csp_mines.board import Board
    from csp_mines.exports.encodings import EncodingComparison


def show_encodings(
    name: str, board: Board, use_total: bool, seconds: float | None, *, json: bool
) -> None:
    """Compare the encodings of a board, and show them as a table or as JSON. On a large board this
    takes minutes. A progress bar shows how many encodings are done."""
    from rich.progress import TextColumn

    from csp_mines.cli.console import progress, show_json, show_table
    from csp_mines.exports.clauses import clause_engine
    from csp_mines.exports.encodings import compare_encodings

    with progress(TextColumn("encodings")) as bar:
        task = bar.add_task("", total=len(clause_engine().encodings()))
        compared = compare_encodings(
            board,
            use_total=use_total,
            seconds=seconds,
            progress=lambda entry: bar.advance(task),
        )
    if json:
        show_json(compared.to_json(name=name))
    else:
        show_table(_table(name, compared))


def _table(name: str, compared: EncodingComparison) -> Table:
    from csp_mines.cli.board_text import certain_cells, size_and_prior
    from csp_mines.cli.console import numbers_table

    title = f"{name}: {size_and_prior(compared.board)}{certain_cells(compared.certain)}"
    numbers = ("variables", "clauses", "at-most", "encode ms", "deduce ms")
    table = numbers_table("encoding", numbers=numbers, title=title)
    for entry in compared.entries:
        deduced = entry.deduce_seconds
        table.add_row(
            entry.encoding,
            str(entry.variables),
            str(entry.clauses),
            str(entry.atmosts or ""),
            f"{entry.encode_seconds * 1000:.1f}",
            "out of time" if deduced is None else f"{deduced * 1000:.1f}",
        )
    return table
