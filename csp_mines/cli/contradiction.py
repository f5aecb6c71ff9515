"""How commands report that no layout fits a board. The report names the conflicting clues. If marks
may be the cause, it names the marks and a remedy."""

from __future__ import annotations

from typing import TYPE_CHECKING

from csp_mines.cli.console import err, out, show_json

if TYPE_CHECKING:
    from csp_mines import Board, Contradiction

IGNORE_MARKS = "; try --ignore-marks"


def show_contradiction(
    name: str, board: Board, error: Contradiction, *, with_board: bool = True
) -> int:
    """Print the contradiction of the board called `name` in one line on standard error. If
    `with_board` is true, first print the board on standard output, with the conflicting clues
    highlighted. A board without a known conflict, or with more than `MOST_CELLS` cells, is not
    printed. Return the exit status."""
    from csp_mines.cli.board_text import MOST_CELLS, BoardView

    conflict = error.conflict
    if with_board and conflict is not None and board.codes.size <= MOST_CELLS:
        highlight = dict.fromkeys((cell for cell, _ in conflict.clues), "reverse red")
        out().print(BoardView(board, highlight=highlight).text)
    text = contradiction_text(board, error, IGNORE_MARKS)
    err().print(f"{name}: contradiction: {text}", style="red")
    return error.exit_status


def tell_contradiction(
    name: str,
    board: Board,
    error: Contradiction,
    *,
    backend: str | None = None,
    since: float | None = None,
    json: bool,
    named: bool = False,
) -> int:
    """Report the contradiction of the board called `name`: as JSON if `json` is true, otherwise as
    `show_contradiction` does. Return the exit status. The JSON has the name if `named` is true, and
    the engine `backend` if it is given. `since` is the moment of `time.perf_counter` at which the
    analysis began; if it is given, the JSON has the seconds since that moment."""
    if not json:
        return show_contradiction(name, board, error)
    from csp_mines.analysis.refutation import contradiction_json

    told = name if named else None
    show_json(contradiction_json(board, error, backend, since=since, name=told))
    return error.exit_status


def contradiction_text(board: Board, error: Contradiction, remedy: str = "") -> str:
    """Return a text that names the conflicting clues, or the message of the error if no conflict is
    known. If the conflict depends on marked mines, the text also names these marks and ends with
    `remedy`."""
    from csp_mines.analysis.conflict import doubtful_marks
    from csp_mines.cli.board_text import cell_list

    conflict = error.conflict
    if conflict is None:
        return error.message
    text = error.message if error.names_clues else conflict.text
    marks = doubtful_marks(board, conflict)
    return f"{text}; marked mines: {cell_list(marks, board.geometry)}{remedy}" if marks else text
