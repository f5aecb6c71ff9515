"""`csp-mines solve --problem`: what follows from constraints that belong to no board."""

from __future__ import annotations

import sys
import time
from typing import TYPE_CHECKING

from csp_mines.cli import options
from csp_mines.cli.console import err, out, show_json
from csp_mines.errors import Contradiction, InputError
from csp_mines.words import few, joined, plural

if TYPE_CHECKING:
    from collections.abc import Iterable

    from csp_mines import Effort, NamedAnalysis
    from csp_mines.cli.solve_options import Asked


def solve_problem(name: str, asked: Asked) -> int:
    """Print the answer to the problem in the file `name` (`-` for standard input): the certain
    cells, the number of solutions, and the probability of a mine at every other cell. JSON has the
    probability at every cell.

    --exact prints fractions in place of percentages, and adds fractions to JSON. --effort adds the
    effort. Return the exit status: 0, or 1 if the problem has no solution. Raises InputError or
    FileError if the problem cannot be read."""
    from csp_mines.analysis.problems import analyze_problem, find_problem_conflict, refuted_json
    from csp_mines.formats.problem_files import read_problem

    if not name.strip():
        raise InputError("--problem needs the name of a file, not an empty text")
    named = read_problem(sys.stdin.buffer if name == "-" else name)
    source = options.source_of(name)
    begin = time.perf_counter()
    try:
        analysis = analyze_problem(
            named, asked.backend, seconds=asked.time_limit, **asked.limits.in_bytes
        )
        _ = analysis.probabilities, analysis.solutions
    except Contradiction as error:
        conflict = find_problem_conflict(named)
        took = time.perf_counter() - begin
        if asked.json:
            show_json(refuted_json(named, asked.backend, conflict, took))
        else:
            why = _why(conflict) if conflict else error.message
            err().print(f"{source}: contradiction: {why}", style="red")
        return error.exit_status
    took = time.perf_counter() - begin
    if asked.json:
        show_json(analysis.to_json(exact=asked.exact, effort=asked.effort, seconds=took))
    else:
        _show(source, analysis, took, asked)
    return 0


def _why(conflict: tuple[str, ...]) -> str:
    together = " together" if len(conflict) > 1 else ""
    return f"{joined(few(conflict, 'constraint'))} cannot hold{together}"


def _show(source: str, analysis: NamedAnalysis, seconds: float, asked: Asked) -> None:
    from csp_mines.analysis.contract import digits, spelled

    console, risks = out(), analysis.probabilities
    size = f"{plural(len(risks), 'cell')}, {plural(len(analysis.named.labels), 'constraint')}"
    console.print(f"{source}: {size}: {analysis.status}", style="bold")
    console.print()
    console.print(f"safe       {_listed(risks, analysis.safe)}", style="green")
    console.print(f"mines      {_listed(risks, analysis.mines)}", style="red")
    console.print(f"solutions  {digits(analysis.solutions)}")
    width = max(map(len, risks), default=0)
    for name, risk in risks.items():
        if name not in analysis.safe and name not in analysis.mines:
            console.print(
                f"{name:<{width}}  {spelled(risk) if asked.exact else f'{float(risk):.2%}'}"
            )
    if asked.effort:
        console.print(effort_text(analysis.analysis.effort))
    console.print(f"{analysis.backend}, {seconds * 1000:.1f} ms", style="dim")


def _listed(names: Iterable[str], chosen: frozenset[str]) -> str:
    return ", ".join(name for name in names if name in chosen) or "none proved"


def effort_text(effort: Effort) -> str:
    """Return the effort in one line of text. Measures that the engine does not give are left
    out."""
    known = {name: number for name, number in effort.to_json().items() if number is not None}
    told = ", ".join(f"{name.replace('_', ' ')} {number:,}" for name, number in known.items())
    return f"effort     {told}"
