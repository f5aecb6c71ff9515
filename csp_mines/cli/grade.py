"""`csp-mines grade`: how hard a layout is, and whether it needs a guess; or the next step."""

from __future__ import annotations

import time
from itertools import count
from typing import TYPE_CHECKING, Annotated

import typer

from csp_mines.cli import gameplay, options, several

if TYPE_CHECKING:
    from csp_mines.analysis.winning import WinChance
    from csp_mines.board import Board, Cell
    from csp_mines.explanation.explain import Explanation
    from csp_mines.formats import Part
    from csp_mines.games.playouts import WinEstimate
    from csp_mines.generation.layout_grades import LayoutGrade, NextStep
    from csp_mines.layout import Layout

LONGEST_ARGUMENT = 5  # sentences that are shown of the hardest step
LONGEST_LINE = 600  # characters


def grade(
    boards: Annotated[
        list[str],
        typer.Argument(
            metavar="LAYOUT...",
            help="Layouts in any notation: files, - for standard input, lines, links, IDs; or "
            "boards in mid-game.",
        ),
    ],
    first: Annotated[
        str | None,
        typer.Option(
            "--first",
            metavar="R,C",
            help="The first cell; by default the one that an ID or a line names, else the first 0, "
            "or safe cell.",
        ),
    ] = None,
    mines: options.Mines = None,
    no_total: options.NoTotal = False,
    ignore_marks: options.IgnoreMarks = False,
    format: options.Format = None,
    json: options.Json = False,
) -> int:
    """Say whether a layout is won without a guess, at which grade, and what its hardest step is.

    csp-mines grade examples/layouts/report4-10x10.txt --first 0,0

    For a board in the middle of a game: which grade the next step needs.
    """
    from csp_mines.analysis.refutation import Refutation
    from csp_mines.board import Board
    from csp_mines.cli.contradiction import tell_contradiction
    from csp_mines.errors import Contradiction

    corner, shown = gameplay.read_cell(first), count()

    def grade_one(name: str, part: Part) -> int:
        given, start = _read(part, mines, ignore_marks)
        _refuse_idle(given, part.name, first=first, mines=mines, ignore_marks=ignore_marks)
        begin = time.perf_counter()
        try:
            found, lines = _graded(given, corner or start, no_total=no_total)
        except Contradiction as error:
            board = given if isinstance(given, Board) else given.board()
            return tell_contradiction(name, Refutation(board, error), since=begin, json=json)
        heading = f"{name}:" if len(boards) > 1 or part.number is not None else ""
        _show(found, lines, heading, apart=next(shown) > 0, json=json)
        return 0

    return several.for_each(boards, format, grade_one, json=json)


def _refuse_idle(
    given: Layout | Board, source: str, *, first: str | None, mines: int | None, ignore_marks: bool
) -> None:
    """Raises InputError for options that would do nothing."""
    from csp_mines.errors import InputError
    from csp_mines.layout import Layout

    if isinstance(given, Layout):
        asked = ["--mines"] * (mines is not None) + ["--ignore-marks"] * ignore_marks
        why = "is a layout, which has its mines"
    else:
        asked = ["--first"] * (first is not None)
        why = "is a board in mid-game, which has begun"
    if asked:
        raise InputError(f"{source} {why}; leave {' and '.join(asked)} out")


def _graded(
    given: Layout | Board, corner: Cell | None, *, no_total: bool
) -> tuple[LayoutGrade | NextStep, list[str]]:
    """What there is to say, as a value and in words. Raises Contradiction for a board."""
    from csp_mines.generation import layout_grades
    from csp_mines.layout import Layout

    if isinstance(given, Layout):
        graded = layout_grades.grade(given, corner, use_total=not no_total)
        return graded, _layout_lines(graded)
    step = layout_grades.grade_position(given.without_total() if no_total else given)
    return step, _position_lines(step)


def _show(
    found: LayoutGrade | NextStep, lines: list[str], name: str, *, apart: bool, json: bool
) -> None:
    from csp_mines.cli.console import out, show_json

    if json:
        show_json(found.to_json())
        return
    for line in [*[""] * apart, *[name] * bool(name), *lines]:
        out().print(line)


def _read(
    part: Part, mines: int | None, ignore_marks: bool
) -> tuple[Layout, Cell | None] | tuple[Board, None]:
    """A layout with the first cell that it names, if any; else a board. Raises BoardError: as a
    layout, unless it is a board's."""
    from csp_mines.errors import BoardError
    from csp_mines.formats import board_of

    found = part.contents(layout=True)
    try:
        return part.layout(found), found.first
    except BoardError as error:
        try:
            said = part.contents()
            board = board_of(said, part.name)
        except BoardError:
            raise error from None
    options.tell_reading(part.name, said)
    board = board.told(mines=mines)
    return (board.without_marks() if ignore_marks else board), None


def _layout_lines(found: LayoutGrade) -> list[str]:
    from csp_mines.words import plural

    deduced, numbers, score = found.deduced, found.numbers, found.score
    rows, cols = deduced.layout.shape
    where = f"{deduced.first[0]},{deduced.first[1]}"
    rounds = ", ".join(f"{number} {name}" for name, number in deduced.counts.items())
    lines = [f"{rows}×{cols}, {plural(deduced.layout.count, 'mine')}, first cell {where}"]
    if found.no_guess:
        needed = f"grade {found.grade}" if found.grade else "the first cell wins"
        lines.append(f"won without a guess: {needed}")
    else:
        lines.append("needs a guess")
    if rounds:
        lines.append(f"rounds of deduction: {rounds}")
    opened = f"{plural(score.openings, 'opening')} by {plural(score.clues, 'clue')}"
    measured = f"difficulty {score.value:,.1f}:" if score.value is not None else "before the guess:"
    lines.append(f"{measured} {opened}, the longest chain {score.depth}")
    lines.append(
        f"3BV {numbers.three_bv}, {plural(numbers.openings, 'opening')}, "
        f"{plural(numbers.islands, 'island')}"
    )
    step = found.hardest_step
    if step is not None:
        lines.append(f"hardest step, {step.cell[0]},{step.cell[1]}: {_argument(step)}")
    return lines + _stuck_lines(found)


def _argument(step: Explanation) -> str:
    """The argument of a step; of a long one, what it takes and how it ends."""
    from csp_mines.words import cut, plural

    if len(step.texts) <= LONGEST_ARGUMENT:
        return cut(step.text, LONGEST_LINE)
    total = " and the total" if step.uses_total else ""
    takes = f"{len(step.texts)} sentences on {plural(len(step.clues), 'clue')}{total}"
    return cut(f"{takes} (--json has them all). The last one: {step.texts[-1]}", LONGEST_LINE)


def _stuck_lines(found: LayoutGrade) -> list[str]:
    from csp_mines.words import plural

    if found.stuck is None or found.exact is None:
        return []
    exact = found.exact
    end = "wins" if exact.won else "loses"
    well = "goes well" if exact.guesses == 1 else "all go well"
    return [
        f"exact play meets {plural(exact.guesses, 'forced guess', 'forced guesses')}, which {well} "
        f"with probability {exact.survival:.1%}; here it {end}",
        *_win_lines(found.win),
        "sticks here:",
        *found.stuck.to_text().rstrip("\n").split("\n"),
    ]


def _win_lines(win: WinChance | WinEstimate | None) -> list[str]:
    from csp_mines.analysis.winning import WinChance
    from csp_mines.words import plural

    if win is None:
        return []
    if isinstance(win, WinChance):
        return [
            f"chance to win from where it sticks: {float(win.chance):.1%}, {win.won:,} of "
            f"{plural(win.layouts, 'layout')} under optimal play"
        ]
    return [
        f"chance to win from where it sticks: about {win.chance:.1%} ± {100 * win.margin:.1f}, "
        f"{win.player} by {plural(win.games, 'game')} played out"
    ]


def _position_lines(found: NextStep) -> list[str]:
    from csp_mines.words import few

    if found.grade is None:
        return ["next step: a guess, nothing is proved safe"]
    cells = few((f"({row},{col})" for row, col in found.cells), "more cells")
    lines = [f"next step: {found.grade}, opens {', '.join(cells)}"]
    counts = ", ".join(f"{number} {name}" for name, number in found.difficulty.counts.items())
    return [*lines, f"proved cells by grade: {counts}"]
