"""`csp-mines explain`: why a cell is safe, a mine or undecided; the easiest step; proofs in
DRAT."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from csp_mines import defaults
from csp_mines.cli import files, gameplay, options
from csp_mines.cli.console import out, show_item, show_json
from csp_mines.cli.contradiction import tell_contradiction
from csp_mines.cli.groups import argument, option
from csp_mines.errors import Contradiction, InputError
from csp_mines.words import plural, tallied

if TYPE_CHECKING:
    from csp_mines import Board, Cell, Explainer, Explanation, Hint, Proof

SEVERAL = 10  # --all shows at most this many proofs


def explain(
    board: options.OneBoard,
    cell: Annotated[
        str | None, argument("ROW,COL", "A hidden cell. By default all proved cells.")
    ] = None,
    every: Annotated[
        bool, option(f"Show up to {SEVERAL} proofs, each by a minimal set of clues.", "--all")
    ] = False,
    hint: Annotated[bool, option("Show only the easiest next step, or the guess to make.")] = False,
    backend: options.Backend = defaults.BACKEND,
    *,
    header: options.Header,
    no_total: options.NoTotal = False,
    limits: options.Limits,
    time_limit: options.TimeLimit = None,
    format: options.Format = None,
    drawn: options.Drawn,
    drat: Annotated[
        Path | None,
        option(
            "Also write a DRAT proof of the cell to FILE, and the clauses from which the proof "
            "starts to a file of the same name that ends in .cnf."
        ),
    ] = None,
    json: options.Json = False,
) -> int:
    """Explain a cell: a smallest set of clues that proves it, and the argument step by step.

    csp-mines explain board.txt 3,4

    The total is used only if the clues do not suffice. If the cell is undecided, you see how likely
    a mine is, whether to guess there and why, what the cell may show, and two layouts that fit.
    Without a cell, every deduction is explained, the easiest first. With --hint, you see only the
    easiest step. With --drat, you get a proof that programs such as drat-trim check.
    """
    from csp_mines import Explainer, Hint, analyze

    if hint and cell is not None:
        raise InputError("--hint chooses the cell: leave out the cell or --hint")
    if drawn.picture is not None and cell is None and not hint:
        raise InputError("--picture shows one cell: name the cell, or use 'csp-mines draw'")
    if every and cell is None and not hint:
        raise InputError("--all shows several proofs of one cell: name the cell, or add --hint")
    if drat is not None and cell is None:
        raise InputError("--drat proves one cell: name the cell")
    files.keep_input("--picture", drawn.picture, board)
    read = header.read(board, format)
    wanted = gameplay.read_cell(cell, read.geometry)
    if no_total:
        read = read.without_total()
    begin = time.perf_counter()
    if drat is not None and wanted is not None:
        _write_drat(drat, board, read, wanted, time_limit)
    try:
        analysis = analyze(read, backend=backend, seconds=time_limit, **limits.in_bytes)
    except Contradiction as error:
        return tell_contradiction(board, read, error, backend=backend, since=begin, json=json)
    explainer, most = Explainer(analysis), SEVERAL if every else 1
    if wanted is not None:
        _show_step(read, Hint(explainer.explain(wanted, most=most)), drawn, json=json)
    elif hint:
        _show_step(read, explainer.hint(most=most), drawn, json=json)
    else:
        _explain_board(board, explainer, json=json)
    return 0


def _write_drat(path: Path, name: str, board: Board, cell: Cell, seconds: float | None) -> None:
    """Write the DRAT proof of a cell to `path`, and the clauses from which the proof starts to the
    file that `clauses_beside` names. If no layout fits the board, write nothing. `name` is the
    argument that names the board. `seconds` is the time limit.

    Raises InputError if the cell is undecided, or if a file would overwrite the board's own file;
    FileError if a file cannot be written; and what else `drat_proof` and `clauses_beside` raise."""
    from csp_mines.exports.drat import clauses_beside, drat_proof

    for written in (path, clauses_beside(path)):
        files.keep_input("--drat", written, name)
    try:
        proof = drat_proof(board, cell, seconds=seconds)
    except Contradiction:
        return  # the caller reports the contradiction
    proof.save(path)


def _show_step(board: Board, hint: Hint, drawn: options.Drawn, *, json: bool) -> None:
    explanation, picture = hint.step, drawn.picture
    if explanation is None:
        show_json(hint.to_json()) if json else out().print("nothing is left to open")
        if picture is not None:
            options.tell(f"{picture} is not written: there is no step to show")
        return
    if picture is not None:
        from csp_mines.pictures.proofs import draw_explanation

        draw_explanation(board, explanation, theme=drawn.theme).save(picture)
    if json:
        show_json(hint.to_json())
    elif explanation.witnesses is None:
        _show_proved(board, explanation)
    else:
        _show_open(board, explanation)


def _explain_board(name: str, explainer: Explainer, *, json: bool) -> None:
    from csp_mines.cli.board_text import BoardView, headline

    if json:
        show_json(explainer.to_json())
        return
    console, analysis = out(), explainer.analysis
    console.print(headline(name, analysis), style="bold")
    console.print()
    console.print(BoardView(analysis.board, analysis, probabilities=False).text)
    for deduction in explainer.board():
        console.print()
        _show_first_proof(analysis.board, deduction)
    console.print()
    console.print(f"proved cells by grade: {tallied(explainer.difficulty.counts) or 'none'}")
    move = analysis.move
    if move is not None and not analysis.safe:
        label = analysis.board.geometry.label(move.cell)
        console.print(f"no cell is proved safe; the guess to make is {label}: {move.reason}")


def _show_proved(board: Board, explanation: Explanation) -> None:
    from csp_mines.cli.board_text import BoardView

    highlight = dict.fromkeys(explanation.clues, "reverse yellow")
    highlight |= dict.fromkeys(explanation.cells, f"reverse {_colour(explanation)}")
    out().print(BoardView(board, highlight=highlight).text)
    out().print()
    _show_first_proof(board, explanation)
    for number, proof in enumerate(explanation.proofs[1:], start=2):
        heading = f"proof {number} of {len(explanation.proofs)}, by {proof.sources}"
        out().print(f"\n{heading}: {proof.grade}")
        _show_steps(proof)


def _show_first_proof(board: Board, explanation: Explanation) -> None:
    """Show the verdict, and the steps of the first proof; if no proof is shown, the reason."""
    _show_verdict(board, explanation)
    if explanation.proofs:
        _show_steps(explanation.proofs[0])
    else:
        show_item("", explanation.text, 2)


def _show_verdict(board: Board, explanation: Explanation) -> None:
    from rich.text import Text

    cells = "  ".join(map(board.geometry.label, explanation.cells))
    grade = f"{explanation.grade}"
    if explanation.proofs:
        grade += f", {explanation.proofs[0].sources}"
    if explanation.board_grade is not explanation.grade:
        grade += f" ({explanation.board_grade} with all clues of the board)"
    verdict = Text(f"{cells}  {explanation.verdict}", style=f"bold {_colour(explanation)}")
    out().print(Text.assemble(verdict, "  ", (grade, "dim")))


def _colour(explanation: Explanation) -> str:
    from csp_mines.explanation.explain import Verdict

    return "red" if explanation.verdict is Verdict.MINE else "green"


def _show_steps(proof: Proof) -> None:
    for number, words in enumerate(proof.texts, start=1):
        mark = f"  {number}. " if len(proof.texts) > 1 else "  "
        show_item(mark, words, len(mark))


def _show_open(board: Board, explanation: Explanation) -> None:
    """Show the risk of an undecided cell and the outcomes of opening it. Then show the board, with
    the letter `a` or `b` at each cell at which two layouts that fit differ."""
    from rich.text import Text

    from csp_mines.cli.board_text import MINE_STYLE, BoardView, cell_list

    witnesses, console = explanation.witnesses, out()
    assert witnesses is not None
    label = board.geometry.label(explanation.cell)
    first, *told = explanation.texts
    console.print(Text.assemble((label, "bold"), f"  {first}"))
    for sentence in told:
        show_item("", sentence, 2)
    _show_outcomes(explanation)
    with_mine = witnesses.with_mine - witnesses.without
    without = witnesses.without - witnesses.with_mine
    labels = dict.fromkeys(sorted(with_mine), ("a", MINE_STYLE))
    labels |= dict.fromkeys(sorted(without), ("b", "bold yellow"))
    view = BoardView(board, highlight={explanation.cell: "reverse"}, labels=labels)
    rest = "" if witnesses.closest else " (other pairs may differ in fewer cells)"
    console.print(f"\nTwo layouts that fit differ only in these cells{rest}:")
    console.print(view.text)
    console.print(f"a  mines only in the first layout: {cell_list(with_mine, board.geometry)}")
    others = cell_list(without, board.geometry) or "none"
    console.print(f"b  mines only in the second layout: {others}")


def _show_outcomes(explanation: Explanation) -> None:
    """List the outcomes of opening the cell, a mine or a number, with their probabilities. For a
    number, add how many hidden cells are then proved safe, proved mines, or undecided."""
    from csp_mines.board import EXPLODED

    for outcome in explanation.outcomes:
        share = f"{outcome.probability:7.2%}"
        if outcome.shown == EXPLODED:
            out().print(f"  a mine:  {share}")
            continue
        then = (
            f"{outcome.safe} safe, {plural(outcome.mines, 'mine')}, {outcome.undecided} undecided"
        )
        out().print(f"  shows {outcome.shown}: {share}  then {then}")
