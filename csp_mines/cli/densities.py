"""`csp-mines densities`: the score or the win rate of agents at each density of mines."""

from __future__ import annotations

from math import isnan
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from csp_mines import defaults
from csp_mines.arguments import choice
from csp_mines.cli import INTERRUPTED, batch, files, gameplay, options
from csp_mines.cli.console import numbers_table, show_json, show_table
from csp_mines.cli.groups import option
from csp_mines.errors import InputError
from csp_mines.words import cut, plural

if TYPE_CHECKING:
    from csp_mines.simulation.densities import CurvePoint, DensityResults, Measure

RULES = gameplay.GameRules(rules="sweep", start="any")  # as in the reports of docs/reports.md
_MOST_DENSITIES = 1000


def densities(
    agent: batch.Agents = None,
    games: batch.Games = 20,
    *,
    size: gameplay.SizeText = "30x30",
    at: Annotated[
        str,
        option(
            "Densities such as 0.1,0.2,0.3, or FIRST:LAST:STEP.",
            "--densities",
            "-d",
            metavar="LIST",
        ),
    ] = "0.05:0.5:0.05",
    measure: Annotated[str, option("What to show: score or win-rate.")] = "score",
    rules: gameplay.GameRules = RULES,
    seed: options.Seed = 0,
    run: batch.Run,
    plot: Annotated[Path | None, option("Draw the curves, as .png or .svg.", "-p")] = None,
    json: options.Json = False,
) -> int:
    """Show the score or the win rate of agents at each density of mines. --plot draws the curves.

    csp-mines densities --agent exact --agent disarm --plot density.svg

    The score is the share of the mines that the agent identified without opening them. All agents
    play the same layouts. With --out, add --resume to continue a run that was stopped.
    """
    from csp_mines.pictures.curves import check_plot
    from csp_mines.simulation.densities import DensityResults, Measure, density_plan

    shown = choice("measure", measure, Measure)
    if plot is not None:
        check_plot(plot)
        files.keep_input("--plot", plot, run.out)
    plan = density_plan(
        *gameplay.parse_size(size or "30x30"),
        _read(at),
        agent or [defaults.AGENT],
        games,
        rules=rules.read(),
        seed=seed,
    )
    simulation, status = run.play(plan)
    results = DensityResults(simulation.results)
    if json and status != INTERRUPTED:
        show_json(results.to_json())
    elif not json and simulation.done:
        _show(results, shown)
    if plot is not None and status != INTERRUPTED:
        _plot(plot, results, shown)
    batch.tell_faults(simulation)
    return status


def _read(text: str) -> list[float]:
    """Return the densities in the value of --densities. Raises InputError if the text is neither a
    list of numbers nor a FIRST:LAST:STEP with at most `_MOST_DENSITIES` densities."""
    try:
        if ":" not in text:
            return [float(part) for part in text.split(",")]
        first, last, step = map(float, text.split(":"))
        steps = (last - first) / step + 1e-9
        if not 0 <= steps < _MOST_DENSITIES:
            raise ValueError
        return [first + place * step for place in range(int(steps) + 1)]
    except (ValueError, ZeroDivisionError):
        raise InputError(
            "--densities must be a list such as 0.1,0.2,0.3, or FIRST:LAST:STEP with at most "
            f"{_MOST_DENSITIES:,} densities, not {cut(text)!r}"
        ) from None


def _show(results: DensityResults, measure: Measure) -> None:
    curves = results.curves(measure)
    title = f"{measure.words}, 95 % interval"
    table = numbers_table("density", numbers=curves, title=title)
    by_place = {(name, point.x): point for name, points in curves.items() for point in points}
    for density in sorted({place for _, place in by_place}):
        values = (_value(by_place.get((name, density))) for name in curves)
        table.add_row(f"{density:.3f}", *values)
    show_table(table)


def _value(point: CurvePoint | None) -> str:
    """Return the value at a point of a curve and its 95 % interval, as text. The score of a single
    game has no interval. Without a point, the text is empty."""
    if point is None:
        return ""
    return f"{point.y:.3f}" + ("" if isnan(point.low) else f"  {point.low:.3f} … {point.high:.3f}")


def _plot(path: Path, results: DensityResults, measure: Measure) -> None:
    from csp_mines.pictures.curves import plot_curves

    plan = results.results.plan
    spec = plan.setups[0].spec
    title = f"{spec.rows}×{spec.cols}, {plural(plan.games, 'game')} at each density"
    plot_curves(path, results.curves(measure), title=title, y_label=measure.words)
