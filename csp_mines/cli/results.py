"""`csp-mines results`: read the file of a run, and print its tables again."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from csp_mines.cli import files, options
from csp_mines.cli.console import err, show_json
from csp_mines.cli.groups import argument, option
from csp_mines.words import plural


def results(
    run: Annotated[
        Path, argument("RUN", "The file that 'simulate --out' or 'densities --out' wrote.")
    ],
    csv: Annotated[Path | None, option("Also write every game to this CSV file.")] = None,
    json: options.Json = False,
) -> None:
    """Show the results of a run again, from the file that simulate or densities wrote.

    csp-mines results games.db --csv games.csv

    The run may be unfinished, but it must not be running.
    """
    from csp_mines.cli.result_tables import show_results
    from csp_mines.simulation.results import ROW_NAMES, Results

    files.keep_input("--csv", csv, run)
    stored = Results.read(run)
    if csv is not None:
        files.write_csv(csv, ROW_NAMES, stored.rows())
    if json:
        show_json(stored.to_json())
        return
    total = stored.plan.total
    if stored.played < total:
        err().print(
            f"{stored.played:,} of {plural(total, 'game')} played; to play the rest, run the "
            "command that wrote the file again, with --resume"
        )
    show_results(stored)
