"""`csp-mines grade`: how hard a layout, a puzzle or the next step on a board is. The command also
says whether a layout needs a guess, and which clues of a puzzle are needless."""

from __future__ import annotations

import time
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from csp_mines.cli import files, gameplay, options, several
from csp_mines.cli.console import out, show_json
from csp_mines.cli.contradiction import tell_contradiction
from csp_mines.cli.groups import argument, option
from csp_mines.errors import BoardError, Contradiction, InputError
from csp_mines.words import cut, few, plural, tallied

if TYPE_CHECKING:
    from csp_mines.analysis.winning import WinChance
    from csp_mines.board import Board, Cell
    from csp_mines.explanation.explain import Explanation
    from csp_mines.formats import Part
    from csp_mines.games.playouts import WinEstimate
    from csp_mines.generation.layout_grades import LayoutGrade, NextStep
    from csp_mines.generation.puzzle_grades import PuzzleGrade
    from csp_mines.layout import Layout

LONGEST_ARGUMENT = 5  # sentences; a longer argument is cut to its last sentence
LONGEST_LINE = 600  # characters


def grade(
    boards: Annotated[
        list[str],
        argument(
            "LAYOUT...",
            "Layouts, boards in mid-game or puzzles: files, - for standard input, or lines, links, "
            "IDs.",
        ),
    ],
    first: Annotated[
        str | None,
        option(
            "The first cell of a layout. By default the first cell that its text names; without "
            "one, the first 0 in reading order, else the first safe cell.",
            metavar="R,C",
        ),
    ] = None,
    mines: options.Mines = None,
    puzzle: Annotated[
        bool,
        option("Grade boards as paper puzzles: number of solutions, needless clues, difficulty."),
    ] = False,
    certificate: Annotated[
        Path | None, option("With --puzzle: write a proof of the solution to this file.")
    ] = None,
    no_total: options.NoTotal = False,
    ignore_marks: options.IgnoreMarks = False,
    format: options.Format = None,
    json: options.Json = False,
) -> int:
    """Say whether a layout can be won without a guess, its grade, and its hardest step.

    csp-mines grade examples/layouts/report4-10x10.txt --first 0,0

    The grade is the weakest engine that proves every step. For a board in mid-game, the command
    shows the grade of the next step. With --puzzle, it shows whether a board has exactly one
    solution, which clues are not needed, and how hard the cells are; if there are several
    solutions, it shows two of them. --certificate writes a proof of every cell, which 'csp-mines
    verify' checks.
    """
    from csp_mines import Board, certify_puzzle

    if certificate is not None and not puzzle:
        raise InputError("--certificate works only with --puzzle")
    shown = count()

    def grade_one(name: str, part: Part) -> int:
        given, start = _read(part, mines, ignore_marks)
        _refuse_idle(given, part.name, first=first, mines=mines, ignore_marks=ignore_marks)
        begin = time.perf_counter()
        try:
            if puzzle:
                graded_puzzle = _graded_puzzle(name, given, no_total=no_total)
                if json:
                    show_json({"board": name, **graded_puzzle.to_json()})
                else:
                    _tell_puzzle(name, graded_puzzle)
                write_proof(lambda: certify_puzzle(graded_puzzle))
                return 0
            corner = gameplay.read_cell(first, given.geometry)
            graded, lines = _graded(given, corner or start, no_total=no_total)
        except Contradiction as error:
            board = given if isinstance(given, Board) else given.board()
            return tell_contradiction(name, board, error, since=begin, json=json)
        if json:
            show_json(graded.to_json())
            return 0
        heading = len(boards) > 1 or part.number is not None
        for line in [*[""] * (next(shown) > 0), *[f"{name}:"] * heading, *lines]:
            out().print(line)
        return 0

    for name in boards:
        files.keep_input("--certificate", certificate, name)
    with files.proof_file(certificate) as write_proof:
        return several.for_each(boards, format, grade_one, json=json)


def _graded_puzzle(name: str, given: Layout | Board, *, no_total: bool) -> PuzzleGrade:
    """Return the grade of a puzzle. Raises InputError if `given` is a layout, and the errors of
    `grade_puzzle`."""
    from csp_mines import Board, grade_puzzle

    if not isinstance(given, Board):
        raise InputError(f"{name} is a layout, which has no hidden cells; --puzzle needs a board")
    return grade_puzzle(given.without_total() if no_total else given)


def _tell_puzzle(name: str, graded: PuzzleGrade) -> None:
    label = graded.board.geometry.label
    needless = ", ".join(map(label, graded.needless))
    solutions = "one" if graded.unique else f"{graded.solutions:,}; two of them:"
    lines = [f"{name}:", f"solutions  {solutions}"]
    if graded.unique:
        lines += [f"clues      not needed: {needless}" if needless else "clues      all are needed"]
        lines += [f"grade      {graded.grade}", f"cells      {tallied(graded.cells)}"]
    lines += [layout.to_text() for layout in graded.layouts]
    out().print("\n".join(lines), highlight=False)


def _refuse_idle(
    given: Layout | Board, source: str, *, first: str | None, mines: int | None, ignore_marks: bool
) -> None:
    """Raise InputError for options that have no effect: --mines and --ignore-marks on a layout,
    --first on a board in mid-game."""
    from csp_mines.layout import Layout

    if isinstance(given, Layout):
        asked = ["--mines"] * (mines is not None) + ["--ignore-marks"] * ignore_marks
        why = "is a layout, which shows all mines"
    else:
        asked = ["--first"] * (first is not None)
        why = "is a board in mid-game, which has no first cell"
    if asked:
        raise InputError(f"{source} {why}: leave out {' and '.join(asked)}")


def _graded(
    given: Layout | Board, corner: Cell | None, *, no_total: bool
) -> tuple[LayoutGrade | NextStep, list[str]]:
    """Return the grade of a layout, or of the next step on a board, and lines of text that tell
    this grade. `corner` is the first cell of the layout; None means the default first cell. Raises
    the same errors as `layout_grades.grade`."""
    from csp_mines.generation import layout_grades
    from csp_mines.layout import Layout

    if isinstance(given, Layout):
        graded = layout_grades.grade(given, corner, use_total=not no_total)
        return graded, _layout_lines(graded)
    step = layout_grades.grade_position(given.without_total() if no_total else given)
    return step, _position_lines(step, given)


def _read(
    part: Part, mines: int | None, ignore_marks: bool
) -> tuple[Layout, Cell | None] | tuple[Board, None]:
    """Return a layout and its first cell, which is None if the text names none. If the part is not
    a layout, return its board and None. Raises BoardError if the part is neither a layout nor a
    board; the error says why it is not a layout."""
    from csp_mines.formats import board_of

    contents = part.contents(layout=True)
    try:
        return part.layout(contents), contents.first
    except BoardError as error:
        try:
            said = part.contents()
            board_of(said, part.name)
        except BoardError:
            raise error from None
    header = options.Header(mines=mines, ignore_marks=ignore_marks)
    return header.board(said, part.name), None


def _layout_lines(graded: LayoutGrade) -> list[str]:
    deduced, numbers, score = graded.deduced, graded.numbers, graded.score
    rows, cols = deduced.layout.shape
    label = deduced.layout.geometry.label
    where = label(deduced.first)
    lines = [f"{rows}×{cols}, {plural(deduced.layout.count, 'mine')}, first cell {where}"]
    if graded.no_guess:
        needed = f"grade {graded.grade}" if graded.grade else "the first cell wins"
        lines.append(f"won without a guess: {needed}")
    else:
        lines.append("needs a guess")
    if deduced.counts:
        lines.append(f"rounds of deduction: {tallied(deduced.counts)}")
    proved = plural(score.openings, "proved opening")
    clues = f"{plural(score.clues, 'clue')} in all proofs"
    measured = f"difficulty {score.value:,.1f}:" if score.value is not None else "before the guess:"
    lines.append(f"{measured} {proved}, {clues}, the longest chain {score.depth}")
    lines.append(
        f"3BV {numbers.three_bv}, {plural(numbers.openings, 'opening')}, "
        f"{plural(numbers.islands, 'island')}"
    )
    step = graded.hardest_step
    if step is not None:
        lines.append(f"hardest step, {label(step.cell)}: {_argument(step)}")
    return lines + _stuck_lines(graded)


def _argument(step: Explanation) -> str:
    """Return the argument of a step as text. Of a long argument, return only the number of its
    sentences and clues, and its last sentence."""
    if len(step.texts) <= LONGEST_ARGUMENT:
        return cut(step.text, LONGEST_LINE)
    takes = f"{len(step.texts)} sentences about {step.proofs[0].sources}"
    return cut(f"{takes} (--json shows them all). The last one: {step.texts[-1]}", LONGEST_LINE)


def _stuck_lines(graded: LayoutGrade) -> list[str]:
    if graded.stuck is None or graded.exact is None:
        return []
    exact = graded.exact
    end = "wins" if exact.won else "loses"
    well = "goes well" if exact.guesses == 1 else "all go well"
    return [
        f"the agent exact meets {plural(exact.guesses, 'forced guess', 'forced guesses')}, which "
        f"{well} with probability {exact.survival:.1%}; on this layout it {end}",
        *_win_lines(graded.win),
        "stuck here:",
        *graded.stuck.to_text().splitlines(),
    ]


def _win_lines(win: WinChance | WinEstimate | None) -> list[str]:
    from csp_mines.analysis.winning import WinChance

    if win is None:
        return []
    if isinstance(win, WinChance):
        return [
            f"chance to win from the stuck board: {float(win.chance):.1%}, {win.won:,} of "
            f"{plural(win.layouts, 'layout')} under optimal play"
        ]
    return [
        f"chance to win from the stuck board: about {win.chance:.1%} ± {100 * win.margin:.1f}, "
        f"from {plural(win.games, 'game')} that {win.player} played out"
    ]


def _position_lines(step: NextStep, board: Board) -> list[str]:
    if step.grade is None:
        if sum(step.difficulty.counts.values()) == len(board.hidden):
            return ["no next step: no hidden cell may be safe"]
        return ["next step: a guess, since no cell is proved safe"]
    cells = few((f"({board.geometry.label(cell)})" for cell in step.cells), "cell")
    lines = [f"next step: {step.grade}, opens {', '.join(cells)}"]
    return [*lines, f"proved cells by grade: {tallied(step.difficulty.counts)}"]
