"""`csp-mines assist`: read what the user types, run commands, print advice.
This module defines the commands that the user can type. `games/assist.py` interprets the entries
and gives the advice."""

from __future__ import annotations

import sys
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from csp_mines import defaults, signals
from csp_mines.arguments import shown
from csp_mines.cli import files, gameplay, options, watching
from csp_mines.cli.console import out, show_item
from csp_mines.cli.contradiction import contradiction_text, show_contradiction
from csp_mines.cli.groups import argument, option
from csp_mines.cli.session_file import SessionFile, state_folder
from csp_mines.errors import Contradiction, CspMinesError, InputError
from csp_mines.words import plural

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rich.console import Console

    from csp_mines.board import Board, Cell
    from csp_mines.games.assist import Advice, Session

HELP = {
    "0 to 8": "the advised cell shows this number; if 4 cells are listed, 2011 gives the numbers "
    "of all 4 in order",
    "x, m": "x: the cell was a mine; m: the cell is marked as a mine",
    "c": "the cell is safe and shows no number (silent clues)",
    "R,C=V": "the cell in row R and column C shows V (? means hidden), also as a correction; a "
    "line may have several such entries; R,C V means the same; on a graph type NAME=V",
    "row R: …": "a whole row, such as row 3: ??1123",
    "a board": "paste a board in any notation, or as a line, link or ID; if its rows look like "
    "answers, first type the command paste",
    "undo": "take the last entry back",
    "why": "explain the advice: the proof step by step, or the guess compared with other cells; "
    "why R,C explains the cell R,C",
    "board": "show the board with the risk of every hidden cell",
    "save FILE": "write the board as text; load FILE reads a board",
    "help, quit": "show this list; end the session",
}


def assist(
    board: Annotated[
        str | None,
        argument("BOARD", "The board to begin with. By default the kept session, or a new game."),
    ] = None,
    *,
    size: gameplay.SizeByRows,
    header: options.Header,
    start: Annotated[str, option(f"{gameplay.STARTS}.", metavar="KIND")] = "safe",
    move: options.MoveRule = defaults.MOVE_RULE,
    save: Annotated[Path | None, option("Write the board to this file after every entry.")] = None,
    watch: Annotated[
        Path | None,
        option(
            "Read this screenshot, or the newest one in this folder, whenever it changes.",
            metavar="FILE_OR_FOLDER",
        ),
    ] = None,
    format: options.Format = None,
) -> int:
    """Say which cells to open next in a game that runs elsewhere, and why.

    csp-mines assist --level expert

    You open the advised cell and type what it shows: 0 to 8, or x for a mine. You can also paste
    the board. A cell is called safe only when that is proved; otherwise you see its risk. Every
    entry is kept until you type quit: after a crash or Ctrl-C, 'csp-mines assist' continues the
    session. A BOARD, or an option for the size, the mines or the clues, begins a new session. Type
    help to see all commands.
    """
    from csp_mines.games.assist import Session

    if watch is not None:
        if board is not None or save is not None or size.given:
            raise InputError(
                "--watch reads boards from screenshots: leave out BOARD, --save and the options "
                "for the size and the grid"
            )
        watching.follow(watch, header, move)
    if board is not None and save is not None:
        _keep_board(board, save)
    if board is not None and size.given:
        raise InputError(
            "BOARD gives the size and the grid: leave out --level, --size, --rows, --cols, --grid "
            "and --shape"
        )
    with SessionFile(state_folder() / "assist.sqlite") as file:
        said = replace(header, ignore_marks=False)  # --ignore-marks alone does not begin a new game
        asked = board is not None or size.given or said != options.Header()
        kept = [] if asked else file.boards()
        first = kept or [_fresh(size, header) if board is None else _named(board, format, header)]
        try:
            session = Session(*first, start=start, move=move)
        except Contradiction as error:
            if kept:
                raise
            return show_contradiction(board or "board", first[0], error)
        if not kept:
            file.rewrite(session.boards)
        return _Dialogue(session, out(), save, file, bool(kept)).run()


def _keep_board(board: str, save: Path) -> None:
    """Raise InputError if --save would overwrite the file of BOARD and lose something: comments, a
    layout, a recording. If the file has exactly the text that --save writes for its board, nothing
    is lost, and no error is raised."""
    if not files.same_file(save, board):
        return
    with suppress(CspMinesError):  # if the file is not a board, --save must not overwrite it
        if save.read_bytes() == _saved(options.Header().read(board)).encode():
            return
    files.keep_input("--save", save, board)


def _saved(board: Board) -> str:
    """Return the text that --save and the command `save` write for a board."""
    return str(board).rstrip("\n") + "\n"


def _named(name: str, format: str | None, header: options.Header) -> Board:
    """Read the board that the argument BOARD names. Raises InputError for `-` (standard input), and
    what `Header.read` raises."""
    if name == "-":
        raise InputError("assist reads your answers from standard input: name a file instead of -")
    return header.read(name, format)


def _fresh(size: gameplay.Size, header: options.Header) -> Board:
    """Return a board of the given size with all cells hidden. With --density, the board has that
    density and no total."""
    from csp_mines.board import HIDDEN, Board

    spec = size.spec(header.mines if header.density is None else 0)
    return header.applied(Board(spec.codes(HIDDEN), mines=spec.mines, geometry=spec.geometry))


@dataclass
class _Dialogue:
    """The dialogue with the user: reads lines, answers them, and keeps every entry."""

    session: Session
    console: Console
    save_path: Path | None
    file: SessionFile
    continued: bool = False
    unsaved: bool = False

    def run(self) -> int:
        if sys.stdin.isatty():
            with suppress(ImportError):
                import readline  # noqa: F401 - gives input() line editing and history
        self._show_board()
        self._greet()
        try:
            while self._turn():
                pass
        except (EOFError, KeyboardInterrupt):
            self.console.print()
            self._leave()
        except BaseException:
            self._leave()
            raise
        else:
            self._leave()
            self.file.end()
        return 0

    def _greet(self) -> None:
        if self.continued:
            entries = plural(self.session.entries, "entry", "entries")
            self.console.print(f"Going on with the last session, after {entries}.")
        elif self.file.problem:
            self.console.print(self.file.problem, style="yellow")
        if self.file.unreadable:
            boards = plural(self.file.unreadable, "unreadable board")
            told = f"{self.file.path}: ignored {boards} of the last session."
            self.console.print(told, style="yellow")
        self.console.print("Type what each cell shows; help lists the commands.", style="dim")

    def _turn(self) -> bool:
        """Show the advice, read one line and answer it. Print an error about the line. Return False
        if the line ends the dialogue, otherwise True."""
        asked = self._advise()
        try:
            return self._answer(self._ask("> "), asked)
        except Contradiction as error:
            text = contradiction_text(self.session.board, error)
            if self.session.board.geometry.name != "graph":  # there, a name may begin the text
                text = text[0].upper() + text[1:]
            self.console.print(f"{text}. The entry was ignored.", style="red")
        except CspMinesError as error:
            self.console.print(str(error), style="red")
        return True

    def _advise(self) -> tuple[Cell, ...]:
        """If a 0 has hidden cells around it, ask what these cells show. Otherwise, show the advice.
        Return the cells that the user is asked about: the hidden cells around a 0, or the advised
        cell and then the other cells proved safe. If no cell is advised, say why and return ()."""
        try:
            advice = self.session.advice
        except CspMinesError as error:
            self.console.print(f"No advice: {error}", style="red")
            return ()
        around = self.session.around_zeros
        if around:
            cells = "  ".join(map(self.session.board.geometry.label, around[:12]))
            more = f"  … {len(around) - 12} more" if len(around) > 12 else ""
            text = f"A 0 opens all cells around it: {cells}{more}; what do they show?"
            self.console.print(text, style="green")
            return around
        self._show_advice(advice)
        if advice.cell is None:
            return ()
        return (advice.cell, *(cell for cell in advice.safe if cell != advice.cell))

    def _answer(self, line: str, asked: tuple[Cell, ...]) -> bool:
        command, _, rest = line.strip().partition(" ")
        command = command.lower()
        if command in ("quit", "exit", "q"):
            return False
        if command in ("help", "?"):
            for entry, meaning in HELP.items():
                show_item(entry, meaning, 13)
        elif command == "board":
            self._show_board(risks=True)
        elif command == "why":
            named = gameplay.read_cell(rest or None, self.session.board.geometry)
            if cell := named or next(iter(asked), None):
                self.console.print(self.session.why(cell))
        elif command == "undo":
            self.session.undo()
            self._changed(rewrite=True)
            self._show_board()
        elif command in ("save", "load"):
            self._file(command, rest.strip())
        elif command == "paste":
            self._paste([])
        elif command:
            self._enter(line, asked)
        return True

    def _enter(self, line: str, asked: Sequence[Cell]) -> None:
        """Enter what the line says: a row, such as `row 3: ??1123`, single cells with values, or
        only values, which belong to the cells `asked`. If the line begins a board, ask for the rest
        of the board. Raises InputError for any other line, and what `Session.enter` and `_paste`
        raise."""
        from csp_mines.games.assist import parse_entries, parse_row

        entries = parse_row(line, self.session.board)
        if entries is None:
            entries = parse_entries(line, asked, self.session.board.geometry)
        if entries is not None:
            self.session.enter(entries)
            self._changed()
            self._show_board(highlight=tuple(entries))
        elif self._begins_board(line):
            self._paste([line])
        else:
            raise InputError(_unknown_entry(line.strip(), len(asked)))

    def _begins_board(self, line: str) -> bool:
        """Whether a line is a board or the beginning of a board: a notation recognises the line, or
        the line is a row with as many cells as a row of the current board."""
        from csp_mines.formats.meanings import MEANINGS

        if options.is_recognised(line):
            return True
        cells = line.split()
        wide = len(cells) if len(cells) > 1 else len(line.strip())
        known = set("".join(cells)) <= MEANINGS.keys()
        return known and self.session.board.cols in (wide, len("".join(cells)), len(line.rstrip()))

    def _paste(self, lines: list[str]) -> None:
        """Ask for further lines until the board is complete (see `_read_pasted`), until a blank
        line, or until the end of the input. Then the pasted board replaces the current board. If
        the two boards have the same size and the pasted board gives neither a total nor a density,
        the header of the current board is kept. Raises InputError if the lines are not a board, or
        if nothing would change."""
        board = self._read_pasted(lines)
        if board is None:
            self.console.print("Reading a board; a blank line ends the board.", style="dim")
        while board is None:
            try:
                line = self._ask("… ")
            except EOFError:
                line = ""
            if line.strip():
                lines.append(line)
            board = self._read_pasted(lines, final=not line.strip())
        old = self.session.board
        if board.codes.shape == old.codes.shape and board.mines is None and board.density is None:
            board = old.with_codes(board.codes)
        if board == old:
            raise InputError("the pasted board is the current board; nothing changed")
        self.session.replace(board)
        self._changed()
        self._show_board()

    def _read_pasted(self, lines: list[str], *, final: bool = False) -> Board | None:
        """Return the board in the lines, or None if it is not complete. A board is complete if it
        has the size of the current board, if it is written in a one-line notation, or if `final` is
        true. Lines that are not a board give None; if `final` is true, they raise InputError."""
        from csp_mines.formats import board_of, interpret

        try:
            contents = interpret("\n".join(lines), source="<paste>")
            board = board_of(contents, "<paste>")
        except InputError:
            if final:
                raise
            return None
        one_line = len(lines) == 1 and contents.notation not in ("canonical", "letters", "table")
        if final or one_line or board.codes.shape == self.session.board.codes.shape:
            if contents.note:
                self.console.print(f"read as {contents.notation}: {contents.note}", style="dim")
            return board
        return None

    def _file(self, command: str, name: str) -> None:
        if not name:
            raise InputError(f"{command} needs a file name, such as {command} board.txt")
        if command == "save":
            self._write(Path(name))
            self.console.print(f"saved to {name}", style="dim")
        else:
            self.session.replace(options.Header().read(name))
            self._changed()
            self._show_board()

    def _changed(self, *, rewrite: bool = False) -> None:
        """Add the changed board to the session's file. With `rewrite`, replace all boards in this
        file by those of the session; undo needs this. If --save is given, write the board to its
        file, too."""
        self.unsaved = True
        if rewrite:
            self.file.rewrite(self.session.boards)
        else:
            self.file.append(self.session.board)
        if self.save_path is not None:
            self._write(self.save_path)

    def _write(self, path: Path) -> None:
        files.write_whole(path, _saved(self.session.board))
        self.unsaved = False

    def _leave(self) -> None:
        """Print the board if it has changed since it was last written to a file that the user
        named."""
        if self.unsaved:
            self.console.print("The board so far:", style="dim")
            self.console.print(str(self.session.board))

    def _ask(self, prompt: str) -> str:
        try:
            if sys.stdin.isatty() and self.console.is_terminal:
                with signals.heard():
                    return input(prompt)  # readline must know the prompt
            self.console.print(prompt, end="", style="bold")
            return input()
        except UnicodeDecodeError:
            raise InputError("that line is not UTF-8 text") from None

    def _show_board(self, *, risks: bool = False, highlight: tuple[Cell, ...] = ()) -> None:
        """Show the board, with the cells of `highlight` highlighted. In a dialogue on a terminal,
        clear the screen first, so that the board stays in place. With `risks`, also show the risks
        and a legend. With `risks` before the first opening of a game whose first cell is never a
        mine, show no board: print one line that says so."""
        from csp_mines.cli.board_text import BoardView

        if risks and self.session.first_is_safe:
            self.console.print("Every cell is safe to open first, so there are no risks to show.")
            return
        analysis = self.session.analysis if risks else None
        styles = dict.fromkeys(highlight, "reverse")
        view = BoardView(self.session.board, analysis, highlight=styles)
        if self.console.is_terminal and sys.stdin.isatty():
            self.console.clear()
        self.console.print(view.text)
        if risks:
            self.console.print(view.legend, style="dim")

    def _show_advice(self, advice: Advice) -> None:
        from csp_mines.games.assist import AdviceKind

        if advice.cell is None:
            self.console.print(f"Done: {advice.reason}.", style="bold green")
            return
        label = self.session.board.geometry.label(advice.cell)
        if advice.kind in (AdviceKind.SAFE, AdviceKind.FIRST):
            self.console.print(f"Open {label}: {advice.reason}.", style="green")
            self._show_others(advice)
            return
        risk = f"{float(advice.risk):.2%}"
        if advice.risk.denominator < 10_000:
            risk += f" ({advice.risk})"
        if advice.win_chance is not None:
            risk += f", win chance {advice.win_chance:.2%}"
        self.console.print(f"Open {label}: risk {risk}; {advice.reason}.", style="yellow")

    def _show_others(self, advice: Advice) -> None:
        from csp_mines.cli.board_text import cell_list

        others = [cell for cell in advice.safe if cell != advice.cell]
        if others:
            count = len(others) + 1
            cells = cell_list(others, self.session.board.geometry)
            text = f"Also safe: {cells}; {count} numbers in one line answer for all {count} cells."
            self.console.print(text, style="green")


def _unknown_entry(text: str, asked: int) -> str:
    """Return the error message for a line that is neither an entry nor a command. `asked` is the
    number of cells that the user is asked about."""
    if text.isdigit() and asked:
        expected = "1 number" if asked == 1 else f"1 or {asked} numbers"
        return f"expected {expected}, got {len(text)}: {shown(text)}"
    return f"{shown(text)} is neither an entry nor a command; try help"
