"""`csp-mines assist`: help with a game that runs elsewhere."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from csp_mines.cli import gameplay, options

if TYPE_CHECKING:
    from rich.console import Console

    from csp_mines.board import Board, Cell
    from csp_mines.play.assist import Advice, Session

HELP = """\
0 to 8       the number that the cell shows
x            it was a mine
c            it is safe and shows no number (silent clues)
R,C=V        what another cell shows; several in one line are taken together
undo         take the last entry back
why          the argument for the advice, step by step; why R,C for another cell
board        the board with the risk of every hidden cell
save FILE    write the board as text; load FILE reads one
help, quit"""


def assist(
    board: Annotated[
        str | None,
        typer.Argument(metavar="[BOARD]", help="A board to go on with; else give the size."),
    ] = None,
    level: gameplay.Level = None,
    size: gameplay.Size = None,
    rows: gameplay.Rows = None,
    cols: gameplay.Cols = None,
    mines: options.Mines = None,
    density: options.Density = None,
    clues: options.Clues = None,
    save: Annotated[
        Path | None,
        typer.Option(
            "--save",
            metavar="FILE",
            parser=options.file_name,
            help="Write the board there after every entry.",
        ),
    ] = None,
    format: options.Format = None,
) -> int:
    """Say which cell to open next in a game that runs elsewhere, and why.

    csp-mines assist --level expert --save game.txt

    You open the cell and type what was there: 0 to 8, or x for a mine. A cell is called safe only
    when it is proved; otherwise its exact risk is shown. Type help for all commands.
    """
    from csp_mines.cli.console import out
    from csp_mines.play.assist import Session

    if board is not None:
        first = _named(board, format, mines, density, clues)
    else:
        first = _fresh(level, gameplay.read_grid(size, rows, cols), mines, density, clues)
    return _Dialogue(Session(first), out(), save).run()


def _named(
    name: str, format: str | None, mines: int | None, density: str | None, clues: str | None
) -> Board:
    """The board in a file."""
    from csp_mines.errors import InputError

    if name == "-":
        raise InputError("assist reads your answers from standard input; name a board file")
    return options.read_board(name, format, mines=mines, density=density, clues=clues)


def _fresh(
    level: str | None,
    grid: tuple[int, int] | None,
    mines: int | None,
    density: str | None,
    clues: str | None,
) -> Board:
    """A board with nothing open. A density is a prior here: the total stays unknown."""
    import numpy as np

    from csp_mines.board import HIDDEN, Board

    if grid is None or density is None:
        spec = gameplay.read_spec(level, grid, mines)
        grid, mines = (spec.rows, spec.cols), spec.mines
    codes = np.full(grid, HIDDEN, np.int8)
    return Board(codes, mines=mines, density=density, clues=clues or "exact")


@dataclass
class _Dialogue:
    """Reads lines, answers them, and sees to it that no entry is lost."""

    session: Session
    console: Console
    save_path: Path | None
    unsaved: bool = False

    def run(self) -> int:
        self._show_board()
        self.console.print("Type what each cell shows; help lists the commands.", style="dim")
        try:
            while self._turn():
                pass
        except (EOFError, KeyboardInterrupt):
            self.console.print()
        finally:
            self._finish()
        return 0

    def _turn(self) -> bool:
        """One question and one answer; False when the dialogue is over."""
        from csp_mines.cli.contradiction import contradiction_text
        from csp_mines.errors import Contradiction, CspMinesError

        asked = self._advise()
        try:
            return self._answer(self._ask("> "), asked)
        except Contradiction as error:
            text = contradiction_text(self.session.board, error)
            self.console.print(f"{text[0].upper()}{text[1:]}. Entry not taken.", style="red")
        except CspMinesError as error:
            self.console.print(str(error), style="red")
        return True

    def _advise(self) -> Cell | None:
        """Shows the advice, or why there is none, and gives the cell to be opened."""
        from csp_mines.errors import CspMinesError

        try:
            advice = self.session.advice
        except CspMinesError as error:
            self.console.print(f"No advice: {error}", style="red")
            return None
        self._show_advice(advice)
        return advice.cell

    def _answer(self, line: str, asked: Cell | None) -> bool:
        from csp_mines.errors import InputError
        from csp_mines.play.assist import parse_entries

        command, _, rest = line.strip().partition(" ")
        command = command.lower()
        if command in ("quit", "exit", "q"):
            return False
        if command in ("help", "?"):
            self.console.print(HELP)
        elif command == "board":
            self._show_board(risks=True)
        elif command == "why":
            self._explain(gameplay.read_cell(rest or None) or asked)
        elif command == "undo":
            self.session.undo()
            self._changed()
            self._show_board()
        elif command in ("save", "load"):
            self._file(command, rest.strip())
        elif command:
            entries = parse_entries(line, asked)
            if entries is None:
                raise InputError(f"{line.strip()!r} is no entry and no command; try help")
            self.session.enter(entries)
            self._changed()
            self._show_board(highlight=tuple(entries))
        return True

    def _explain(self, cell: Cell | None) -> None:
        from csp_mines.explanation.explain import explain

        if cell is not None:
            self.console.print(explain(self.session.analysis, cell).text)

    def _file(self, command: str, name: str) -> None:
        from csp_mines.errors import InputError

        if not name:
            raise InputError(f"{command} needs the name of a file")
        if command == "save":
            self._write(Path(name))
            self.console.print(f"saved to {name}", style="dim")
        else:
            self.session.replace(options.read_board(name))
            self._changed()
            self._show_board()

    def _changed(self) -> None:
        self.unsaved = True
        if self.save_path is not None:
            self._write(self.save_path)

    def _write(self, path: Path) -> None:
        """In one piece: a file that was there stays whole until the new one is."""
        from csp_mines.errors import FileError

        text = str(self.session.board).rstrip("\n") + "\n"
        try:
            partial = path.with_name(path.name + ".part")
            partial.write_text(text, encoding="utf-8")
            partial.replace(path)
        except (OSError, ValueError) as error:  # ValueError: no file has such a name
            raise FileError.of(path, error) from None
        self.unsaved = False

    def _finish(self) -> None:
        """Nothing is lost: what no file has is offered to one, or shown."""
        from csp_mines.errors import CspMinesError

        if not self.unsaved:
            return
        if sys.stdin.isatty():
            try:
                name = self._ask("Save to which file? (Enter: none) ").strip()
                if name:
                    self._write(Path(name))
                    return
            except (EOFError, KeyboardInterrupt):
                self.console.print()
            except CspMinesError as error:
                self.console.print(str(error), style="red")
        self.console.print("The board so far:", style="dim")
        self.console.print(str(self.session.board))

    def _ask(self, prompt: str) -> str:
        from csp_mines.errors import InputError

        self.console.print(prompt, end="", style="bold")
        try:
            return input()
        except UnicodeDecodeError:
            raise InputError("that line is not UTF-8 text") from None

    def _show_board(self, *, risks: bool = False, highlight: tuple[Cell, ...] = ()) -> None:
        from csp_mines.cli.board_text import board_text

        found = self.session.analysis if risks else None
        styles = dict.fromkeys(highlight, "reverse")
        self.console.print(board_text(self.session.board, found, highlight=styles))

    def _show_advice(self, advice: Advice) -> None:
        from csp_mines.play.assist import AdviceKind

        if advice.cell is None:
            self.console.print(f"Done: {advice.reason}.", style="bold green")
            return
        row, col = advice.cell
        if advice.kind is AdviceKind.SAFE:
            self.console.print(f"Open {row},{col}: {advice.reason}.", style="green")
            return
        risk = f"{float(advice.risk):.2%}"
        if advice.risk.denominator < 10_000:
            risk += f" ({advice.risk})"
        self.console.print(f"Open {row},{col}: risk {risk}; {advice.reason}.", style="yellow")
