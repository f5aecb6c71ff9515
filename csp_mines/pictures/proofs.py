"""The pictures of explanations and conflicts. The picture of an explanation shows why a cell is
safe, a mine or undecided. The picture of a conflict shows which clues cannot all be true."""

from __future__ import annotations

import numpy.typing as npt

from csp_mines.arguments import instance
from csp_mines.board import HIDDEN, Board, as_board
from csp_mines.errors import Conflict
from csp_mines.explanation.explain import Explanation, Verdict
from csp_mines.pictures.boards import BoardArt, window
from csp_mines.pictures.canvas import Drawing
from csp_mines.words import plural


def draw_explanation(
    board: Board | npt.ArrayLike, explanation: Explanation, *, theme: str = "light"
) -> Drawing:
    """Draw an explanation on the relevant part of the board. For a proved cell, mark the clues of
    the first proof, and write the argument below the board. If the explanation of a proved cell has
    no `proofs`, the picture shows only the verdict and the text of the explanation. For an
    undecided cell, draw two layouts that fit the board: one has a mine at this cell, the other does
    not.

    Parameters:
        board: a board, or an array of integers (-1 hidden, 0 to 8 clues).
        explanation: the Explanation that `explain` returned for this board.
        theme: the colours, `light` or `dark`.

    Raises BoardError if `board` is not a board, or if the explained cell is not on it; InputError
    if `explanation` is not an Explanation; UnknownName for an unknown theme; Unsupported if the
    part of the board to draw is too large.

    >>> board = [[-1, 1, 0, 1, -1]]
    >>> explanation = csp_mines.explain(board, (0, 0))
    >>> csp_mines.draw_explanation(board, explanation).to_svg()[:4]
    '<svg'
    """
    board = as_board(board)
    board.require(instance(explanation, Explanation, "explanation").cell)
    if explanation.witnesses is not None:
        return _draw_witnesses(board, explanation, theme)
    if not explanation.proofs:
        return _draw_verdict(board, explanation, theme)
    proof = explanation.proofs[0]
    named = {cell for step in proof.steps for cell in proof.frontier.cells(step.sentence.cells)}
    shown = {*explanation.cells, *proof.clues}
    if len(named) <= 4 * len(shown) + 8:
        shown |= named
    captions = list(proof.texts)
    if len(captions) > 1:
        captions = [f"{number}. {words}" for number, words in enumerate(captions, start=1)]
    if explanation.uses_total and board.mines is not None:
        captions.append(f"Uses the total of {plural(board.mines, 'mine')}.")
    mine = explanation.verdict is Verdict.MINE
    art = BoardArt(board, theme, captions, explanation.text, window(board, shown))
    art.cells()
    for cell in sorted(named - set(explanation.cells)):
        art.tint(cell, art.theme.clue)
    for cell in explanation.cells:
        art.verdict(cell, mine=mine)
        art.ring(cell, art.theme.mine if mine else art.theme.safe)
    for cell in proof.clues:
        art.ring(cell, art.theme.clue)
    return art.drawing


def _draw_verdict(board: Board, explanation: Explanation, theme: str) -> Drawing:
    """Draw the verdict on proved cells. Their proof needs the total and covers too many cells to be
    shown."""
    art = BoardArt(
        board, theme, [explanation.text], explanation.text, window(board, explanation.cells)
    )
    art.cells()
    for cell in explanation.cells:
        art.verdict(cell, mine=explanation.verdict is Verdict.MINE)
    return art.drawing


def _draw_witnesses(board: Board, explanation: Explanation, theme: str) -> Drawing:
    assert explanation.witnesses is not None
    near = {explanation.cell, *board.neighbours(explanation.cell)}
    part = window(board, near.union(*map(board.neighbours, near)))
    captions = [
        explanation.text,
        "Two layouts that fit: with a mine at the ringed cell, and without.",
    ]
    art = BoardArt(board, theme, captions, explanation.text, part, columns=2)
    for copy, mines in enumerate((explanation.witnesses.with_mine, explanation.witnesses.without)):
        art.turn_to(copy)
        art.cells()
        for cell in sorted(mines):
            if board[cell] == HIDDEN and art.shows(cell):
                art.verdict(cell, mine=True)
        art.ring(explanation.cell, art.theme.clue)
    return art.drawing


def draw_conflict(
    board: Board | npt.ArrayLike, conflict: Conflict, *, theme: str = "light"
) -> Drawing:
    """Draw a conflict on the relevant part of the board. Rings mark the clues that cannot all be
    true, and the text of the conflict stands below. If the conflict is the total alone, draw the
    whole board without rings.

    Parameters:
        board: a board, or an array of integers (-1 hidden, 0 to 8 clues).
        conflict: the Conflict that `find_conflict` returned for this board.
        theme: the colours, `light` or `dark`.

    Raises BoardError if `board` is not a board, or if the conflict names a cell that is not on it;
    InputError if `conflict` is not a Conflict; UnknownName for an unknown theme; Unsupported if the
    part of the board to draw is too large.

    >>> board = [[1, -1, 0]]
    >>> conflict = csp_mines.find_conflict(board)
    >>> csp_mines.draw_conflict(board, conflict).to_svg()[:4]
    '<svg'
    """
    board = as_board(board)
    clues = [board.require(cell) for cell, _ in instance(conflict, Conflict, "conflict").clues]
    text_ = conflict.text[0].upper() + conflict.text[1:] + "."
    art = BoardArt(board, theme, [text_], text_, window(board, clues) if clues else None)
    art.cells()
    for cell in clues:
        art.ring(cell, art.theme.mine)
    return art.drawing
