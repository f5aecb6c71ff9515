"""`csp-mines results`: the results of a run that `simulate` or `densities` wrote to a file."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from csp_mines.cli import files, options
from csp_mines.cli.console import err, show_json
from csp_mines.cli.groups import option
from csp_mines.words import plural

if TYPE_CHECKING:
    from csp_mines.simulation.results import Results


def results(
    run: Annotated[Path, typer.Argument(metavar="RUN", help="The file that --out wrote.")],
    csv: Annotated[Path | None, option("Also write every game to this CSV file.")] = None,
    json: options.Json = False,
) -> int:
    """Show the results of a run again, from the file that simulate or densities wrote.

    csp-mines results games.db --csv games.csv

    The run may be unfinished, but it must not be running.
    """
    from csp_mines.cli.result_tables import show_results
    from csp_mines.simulation.results import Results

    files.keep_input("--csv", csv, run)
    stored = Results.read(run)
    if csv is not None:
        _write_csv(csv, stored)
    if json:
        show_json(stored.to_json())
        return 0
    total = stored.plan.total
    if stored.played < total:
        err().print(f"{stored.played:,} of {plural(total, 'game')} played; --resume plays the rest")
    show_results(stored)
    return 0


def _write_csv(path: Path, stored: Results) -> None:
    from csv import DictWriter

    from csp_mines.simulation.results import ROW_NAMES

    with files.written_whole(path) as file:
        writer = DictWriter(file, ROW_NAMES, lineterminator="\n")
        writer.writeheader()
        writer.writerows(stored.rows())
