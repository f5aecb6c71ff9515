"""`csp-mines solve`: what follows from a board: certain cells, risks, the move and the chance to
win."""

from __future__ import annotations

import math
import time
from typing import TYPE_CHECKING, Annotated

import typer

from csp_mines import defaults
from csp_mines.cli import message_of, options, several
from csp_mines.cli.console import err, out, show_item, show_json
from csp_mines.cli.contradiction import tell_contradiction
from csp_mines.cli.groups import option
from csp_mines.cli.problem import effort_text, solve_problem
from csp_mines.cli.solve_options import Asked
from csp_mines.errors import BackendUnavailable, Contradiction, InputError, TooWide, Unsupported
from csp_mines.words import MOST_DIGITS, plural

if TYPE_CHECKING:
    from fractions import Fraction

    from csp_mines import Analysis, Board, Cell, WinChance, WinEstimate
    from csp_mines.analysis.overlays import Overlay
    from csp_mines.games.findings import Findings

PROBLEM_TAKES = (
    "--problem FILE replaces BOARD: leave out BOARD and every option except --backend, --exact, "
    "--effort, --max-states, --max-memory, --time-limit and --json"
)
PROBLEM_HELP = (
    "Solve the constraints in this .opb or .json file (- for standard input) instead of a board."
)
INDENT = 11  # the column at which the texts after the labels begin


def solve(
    boards: options.MaybeBoards = None,
    problem: Annotated[str | None, option(PROBLEM_HELP, metavar="FILE")] = None,
    *,
    asked: Asked,
) -> int:
    """Show what is certain on a board, the risk of every other cell, and the best move.

    csp-mines solve board.txt --mines 99

    csp-mines solve --problem committee.opb

    The move is a cell that cannot be a mine. If there is no such cell, --move chooses: the rules
    win, win:fast and win:strong look for the best chance to win, and safest takes the lowest risk.
    Every rule takes the lowest risk if the clues are noisy, if there is a density, if the board has
    more than 10,000 cells or is too wide to count, and without the compiled kernel. Among safe
    cells, and where the lowest risk decides, the cell with the fewest neighbours comes first
    (corners, then edges). If a board is too wide to count, the risks are estimates (~). The certain
    cells are still proved; a note says if some may be missing.
    """
    from csp_mines.analysis.overlays import Shown, read_shown

    numbers = read_shown(asked.show)
    if problem is not None:
        if boards or asked != asked.for_problem:
            raise InputError(PROBLEM_TAKES)
        return solve_problem(problem, asked)
    if not boards:
        raise InputError("give a BOARD, or constraints with --problem FILE")
    if math.isinf(asked.approximate):
        raise InputError("--approximate must be a finite number of seconds, not inf")
    counts = asked.exact or asked.counter is not None or numbers is not Shown.RISK
    if (counts or asked.move != defaults.MOVE_RULE) and not asked.probabilities:
        needing = "--exact, --counter, --show and --move work only with probabilities"
        raise InputError(f"{needing}; leave out --no-probabilities")

    def solve_one(name: str, board: Board) -> int:
        if asked.line and not asked.json:
            typer.echo(board.to_line())
        return _solve(name, board, asked)

    return several.for_each_board(boards, asked.format, asked.header, solve_one, json=asked.json)


def _solve(name: str, board: Board, asked: Asked) -> int:
    begin = time.perf_counter()
    try:
        analysis = asked.analyze(name, board)
        if asked.probabilities:
            _count(analysis, asked)
        seconds = time.perf_counter() - begin
        findings = _findings(board, analysis, asked)
    except Contradiction as error:
        return tell_contradiction(
            name, board, error, backend=asked.backend, since=begin, json=asked.json
        )
    if asked.json:
        since = time.perf_counter() - seconds  # without the time for the overlay and the win chance
        document = findings.to_json(counting=asked.probabilities, exact=asked.exact, since=since)
        measures = {"effort": analysis.effort.to_json()} if asked.effort else {}
        show_json({**document, **measures})
    else:
        _show(name, findings, seconds, asked)
        if findings.win is not None:
            _show_chance(findings.win, analysis)
        elif findings.no_win is not None:
            out().print(f"win chance unknown: {findings.no_win}", style="yellow")
        if asked.effort:
            out().print(effort_text(analysis.effort))
    if asked.probabilities and analysis.exact and analysis.counter != analysis.backend:
        err().print(
            f"deductions by backend {analysis.backend!r}, probabilities by {analysis.counter!r}"
        )
    return 0


def _findings(board: Board, analysis: Analysis, asked: Asked) -> Findings:
    """Return the analysis with the overlay that --show names; there is none for `risk`. With --win,
    add the chance to win, or the reason why this chance is not known."""
    from csp_mines.analysis.overlays import Shown, overlay, read_shown
    from csp_mines.games.findings import Findings
    from csp_mines.games.playouts import chance_to_win

    shown = read_shown(asked.show)
    other = None if shown is Shown.RISK else overlay(analysis, shown)
    if not asked.win:
        return Findings(analysis, overlay=other)
    told = board.without_total() if asked.no_total else board
    try:
        return Findings(analysis, chance_to_win(told, seed=asked.seed), other)
    except (BackendUnavailable, TooWide, Unsupported) as error:
        return Findings(analysis, overlay=other, no_win=message_of(error))


def _show_chance(chance: WinChance | WinEstimate, analysis: Analysis) -> None:
    """Show the chance to win. If several cells are best to open and the move is one of them, name
    the move."""
    from csp_mines.games.playouts import WinEstimate

    if isinstance(chance, WinEstimate):
        out().print(
            f"win chance about {chance.chance:.1%} ± {100 * chance.margin:.1f}: "
            f"from {plural(chance.games, 'game')} that {chance.player} played out"
        )
        return
    cell, move = chance.cell, analysis.move
    if cell is not None and move is not None:
        as_good = move.exact and move.win_chance == float(chance.chance)
        if move.cell in analysis.safe or as_good:
            cell = move.cell
    where = "" if cell is None else f", by opening {analysis.board.geometry.label(cell)}"
    won = f"{chance.won:,} of {plural(chance.layouts, 'layout')}"
    out().print(f"win chance {float(chance.chance):.4%}: {won} under optimal play{where}")


def _count(analysis: Analysis, asked: Asked) -> None:
    """Let the analysis compute the risks and the move now, so that the time that is shown includes
    this work. Otherwise, the analysis would do this work while its results are shown. If the risks
    are exact, also compute the number of solutions, with --exact or if all its digits will be
    shown."""
    _ = analysis.probabilities, analysis.move
    if not analysis.exact:
        return
    if asked.exact or (analysis.spells_solutions if asked.json else _has_few_digits(analysis)):
        _ = analysis.solutions


def _show(name: str, findings: Findings, seconds: float, asked: Asked) -> None:
    console, analysis, other = out(), findings.analysis, findings.overlay
    show_board(name, analysis, asked.probabilities, other)
    if other is not None and other.refused is not None:
        console.print(f"showing risks, not {other.shows}: {other.refused}", style="yellow")
    show_certain(analysis)
    if asked.probabilities:
        if analysis.exact:
            count = f"{_short_count(analysis)} (e^{analysis.log_solutions:.4f})"
            show_item("solutions", count, INDENT)
        else:
            show_item("risks", _about_estimates(analysis), INDENT)
        show_move(analysis)
    console.print(f"{analysis.backend}, {seconds * 1000:.1f} ms", style="dim")
    if asked.exact and asked.probabilities:
        _show_fractions(analysis)


def _short_count(analysis: Analysis) -> str:
    """Return the number of solutions as text. A number with too many digits is shortened to its
    leading digits and a power of ten."""
    if _has_few_digits(analysis):
        return f"{analysis.solutions:,}"
    power = analysis.log_solutions / math.log(10)
    return f"{10 ** (power % 1):.4f}e{int(power)}"


def _has_few_digits(analysis: Analysis) -> bool:
    """Whether the number of solutions has at most `MOST_DIGITS` digits, so that it is shown in
    full."""
    return analysis.log_solutions < MOST_DIGITS * math.log(10)


def _about_estimates(analysis: Analysis) -> str:
    """Return a text about estimated risks: how accurate they are, how many are unknown, and whether
    the engine may have missed certain cells."""
    text = f"estimates, usually within {analysis.error:.2%}" if analysis.error < 1 else "estimates"
    if analysis.unknown:
        text += f"; {plural(len(analysis.unknown), 'cell')} with an unknown risk (~?)"
    if not analysis.complete:
        text += "; more cells may be certain"
    return text


def show_board(
    name: str, analysis: Analysis, risks: bool = True, overlay: Overlay | None = None
) -> None:
    """Print a headline, the analysed board, and what the symbols on the board mean. If `risks` is
    false, neither the risks nor the move are shown. If `overlay` has numbers, the board shows these
    numbers instead of the risks."""
    from csp_mines.cli.board_text import BoardView, headline

    console = out()
    console.print(headline(name, analysis), style="bold")
    console.print()
    view = BoardView(analysis.board, analysis, risks, overlay=overlay)
    console.print(view.text)
    console.print(view.legend, style="dim")


def show_certain(analysis: Analysis) -> None:
    """Print the cells that are proved safe, and the cells that are proved mines. Of a long list,
    print the first cells and how many more there are."""
    from csp_mines.cli.board_text import mask_list

    out().print()
    for label, mask, style in (
        ("safe", analysis.safe_mask, "green"),
        ("mines", analysis.mine_mask, "red"),
    ):
        cells = mask_list(mask, analysis.board.geometry)
        show_item(label, cells or "none proved", INDENT, style)


def show_move(analysis: Analysis) -> None:
    """Print the move with the reason, the risk and, if it is known exactly, the chance to win. If
    there is no move, print that nothing is left to open."""
    move = analysis.move
    if move is None:
        show_item("move", "none: nothing is left to open", INDENT)
        return
    label = analysis.board.geometry.label(move.cell)
    about = "" if analysis.exact or move.risk == 0 else "~"
    odds = "risk unknown" if move.cell in analysis.unknown else f"risk {about}{move.risk:.2%}"
    if move.win_chance is not None and move.exact:
        odds += f", win chance {move.win_chance:.2%}"
    show_item("move", f"open {label}: {move.reason}, {odds}", INDENT, "bold")


def _show_fractions(analysis: Analysis) -> None:
    from csp_mines.analysis.contract import spelled
    from csp_mines.board import HIDDEN
    from csp_mines.cli.board_text import cell_list

    out().print()
    groups: dict[Fraction, list[Cell]] = {}
    for cell in analysis.board.cells(HIDDEN):
        groups.setdefault(analysis.probability(cell), []).append(cell)
    for fraction, cells in sorted(groups.items()):
        out().print(f"{spelled(fraction)}: {cell_list(cells, analysis.board.geometry)}")
