"""Run every engine on a set of boards, and write what each finds as a table and a bar chart.

python examples/compare_engines.py                         # the example boards
python examples/compare_engines.py a.txt b.txt --out here  # yours; writes here/engines.md, .svg
"""

from __future__ import annotations

import argparse
from collections.abc import Iterable
from pathlib import Path

from csp_mines import Board, Contradiction, Frontier, draw_comparison
from csp_mines.analysis.comparison import Comparison, Summary, compare, summed_up

BOARDS = Path(__file__).parent / "boards"


def comparisons(paths: Iterable[Path]) -> list[Comparison]:
    """One comparison for each board. Boards that contradict themselves are named and left out."""
    done = []
    for path in paths:
        try:
            done.append(compare(Frontier.of(Board.read(path))))
        except Contradiction as error:
            print(f"{path.name}: left out, {error.conflict}")
    return done


def markdown(summary: Summary) -> str:
    lines = [
        f"{summary.boards} boards, {summary.certain} certain cells.",
        "",
        "| engine | cells found | share | solver calls | ms |",
        "|---|---:|---:|---:|---:|",
    ]
    for tally in summary.tallies:
        share = tally.proved / summary.certain if summary.certain else 1
        calls = tally.calls or ""
        ms = tally.seconds * 1000
        lines.append(f"| {tally.backend} | {tally.proved} | {share:.1%} | {calls} | {ms:.1f} |")
    return "\n".join(lines) + "\n"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("boards", nargs="*", type=Path, help="board files")
    parser.add_argument("--out", type=Path, default=Path("."), help="the folder to write to")
    arguments = parser.parse_args()
    done = comparisons(arguments.boards or sorted(BOARDS.rglob("*.txt")))
    if not done:
        parser.error("no board to compare engines on")
    summary = summed_up(done)
    arguments.out.mkdir(parents=True, exist_ok=True)
    table = markdown(summary)
    (arguments.out / "engines.md").write_text(table)
    draw_comparison(summary).save(arguments.out / "engines.svg")
    print(table, end="")


if __name__ == "__main__":
    main()
