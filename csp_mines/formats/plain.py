"""Notations that are a grid and nothing else: made from their alphabet."""

from __future__ import annotations

from csp_mines.board import Board
from csp_mines.formats.alphabet import Alphabet
from csp_mines.formats.grids import read_grid
from csp_mines.formats.notation import Contents, Notation, Text, require_exact

__all__ = ["plain"]


def plain(name: str, about: str, example: str, alphabet: Alphabet) -> Notation:
    """A notation that is its grid. It has no header, so it is never taken without being named,
    and writes no board whose clues are not exact."""

    def read(text: Text) -> Contents:
        return Contents(board=Board(read_grid(text, alphabet)))

    def write(board: Board) -> str:
        require_exact(board, name)
        return alphabet.grid(board)

    return Notation(name, about, example, read=read, write=write, alphabet=alphabet, bare=True)
