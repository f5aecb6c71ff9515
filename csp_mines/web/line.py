"""A board in one line that is safe in a link: `mines=99;???/1?1`."""

from __future__ import annotations

from csp_mines.board import Board

__all__ = ["board_line", "read_board"]


def board_line(board: Board) -> str:
    """The header and the rows of the canonical text, `;` between and `/` after each row."""
    lines = board.to_text().strip().split("\n")
    head, rows = lines[: -board.rows], lines[-board.rows :]
    return ";".join([*(one.replace(": ", "=") for one in head), "/".join(rows)])


def read_board(text: str) -> Board:
    """A board from such a line, or from text in the notation it is recognised to be in.
    Raises BoardSyntaxError."""
    stripped = text.strip()
    if "\n" not in stripped and ("/" in stripped or "=" in stripped):
        *head, rows = stripped.split(";")
        stripped = "\n".join([*(one.replace("=", ": ") for one in head), *rows.split("/")])
    return Board.parse(stripped or text, source="text")
