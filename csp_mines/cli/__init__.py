"""The list of commands, their exit status, and the wording of their error messages. A command reads
its arguments, calls the library and shows the result.

Each command is a function in the module of the same name: `solve` in `solve.py`. `app_for` imports
only the module of the called command. Command modules import numpy and engines only while a command
runs.
Help is plain text, because loading typer's rich help takes as long as loading everything else."""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Mapping
from contextlib import suppress
from contextvars import ContextVar
from importlib import import_module
from typing import TYPE_CHECKING, Annotated, Protocol, TextIO, runtime_checkable

import typer
from typer.core import TyperGroup

from csp_mines import signals
from csp_mines.cli.groups import PlainCommand, with_options
from csp_mines.words import error_text

if TYPE_CHECKING:
    from csp_mines.errors import CspMinesError

COMMANDS = {
    "solve": "Show what is certain, the risk of every other cell, and the best move.",
    "compare": "Show what each engine proves, and what it misses.",
    "explain": "Say why a cell is safe or a mine: the clues and the argument.",
    "assist": "Say what to open next in a game that runs elsewhere.",
    "play": "Watch an agent play one game.",
    "review": "Judge recorded games: needless guesses, points lost, luck.",
    "simulate": "Play many games and say how often each agent wins.",
    "densities": "Show the score or the win rate of agents at each density of mines.",
    "results": "Show a run of simulate or densities again, from its file.",
    "influence": "Show how the deductions of a game led to each other.",
    "generate": "Make no-guess games, puzzles, layouts or boards.",
    "grade": "Say how hard a layout is, and whether it needs a guess.",
    "verify": "Check the certificates of no-guess games and puzzles.",
    "convert": "Write a board or a layout in another notation.",
    "export": "Write the constraints of a board for SAT, PB, CP, MIP, SMT or ASP solvers.",
    "formats": "List the notations that csp-mines reads and writes.",
    "draw": "Draw a board, its risks or a proof as SVG or PNG.",
    "web": "Serve the page: analyse, play and watch in the browser.",
    "backends": "List the engines, and which can be used here.",
}

OLD_WORDS = {"sweep": "densities"}  # renamed, because `sweep` is also a set of rules

_EPILOG = (
    "Exit status: 0 done, 1 the board contradicts itself or a certificate is wrong, 2 any other "
    "error, such as bad input, 3 engines disagree or one has a defect, 70 a defect of csp-mines "
    "itself or not enough memory, 130 after Ctrl-C, 143 after SIGTERM, 129 after SIGHUP."
)


INTERRUPTED = 130  # 128 + SIGINT; other signals give other numbers
INTERNAL_ERROR = 70  # EX_SOFTWARE of sysexits.h
TRACEBACK = "CSP_MINES_TRACEBACK"  # set this environment variable to get a traceback
COMPLETION = "_CSP_MINES_COMPLETE"  # set by the script that --install-completion installs

_called: ContextVar[list[str]] = ContextVar("the arguments of the command that runs")


def main() -> None:
    """Run the command line of this process and end the process.

    The entry point `csp-mines` is `csp_mines.__main__.main`, which imports this module and calls
    this function. During the import, the signal handlers of `csp_mines.__main__` end the process at
    once."""
    try:
        signals.listen()
        _open_streams()
        status = _flushed(run(sys.argv[1:]))
        signals.stop_listening()
    except KeyboardInterrupt:  # a signal before `run` can handle it, or a second signal
        signals.stop_listening()
        status = _give_up(INTERRUPTED, sys.stdout, sys.stderr)
    if signals.received():
        # If the KeyboardInterrupt came inside `exec`, which many imports call, Python would end
        # itself by SIGINT and ignore the status given to sys.exit. `os._exit` does not flush
        # streams, but they are flushed already.
        os._exit(signals.exit_status(status))
    sys.exit(status)


def _open_streams() -> None:
    """Open the null device in place of each closed standard stream. Otherwise, the next file that
    is opened would get the file number of that stream. Let each open output stream escape the
    characters that its encoding lacks; otherwise printing them would raise an error."""
    for number, name, mode in ((0, "stdin", "r"), (1, "stdout", "w"), (2, "stderr", "w")):
        stream = getattr(sys, name)
        if stream is None:
            opened = os.open(os.devnull, os.O_RDWR)
            if opened != number:
                os.dup2(opened, number)
                os.close(opened)
            setattr(sys, name, open(number, mode, closefd=False))  # noqa: SIM115
        elif mode == "w" and isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def run(arguments: list[str]) -> int:
    """Run the command that `arguments` call, and return its exit status. Without arguments, show
    the help. If the reader of the output is gone, the command ends silently with status 0. Every
    other error becomes one line on standard error, with two exceptions: an AgentError may have
    several lines, and an unexpected error may also print a traceback (see `_internal`)."""
    from csp_mines.errors import CspMinesError

    _called.set(arguments)
    try:
        status = _invoke(arguments or ["--help"])
        sys.stdout.flush()
    except (KeyboardInterrupt, typer.Abort):
        return _fail("interrupted", INTERRUPTED)
    except typer.Exit as stop:
        return stop.exit_code
    except CspMinesError as error:
        return tell_error(error)
    except BrokenPipeError:
        return _give_up(0, sys.stdout)
    except OSError as error:
        _fail(f"{error.filename or 'output'}: {(error.strerror or str(error)).lower()}", 2)
        return _give_up(2, sys.stdout)
    except Exception as error:
        if signals.received():  # a library turned the KeyboardInterrupt into its own error
            return _fail("interrupted", INTERRUPTED)
        return _usage(error) if isinstance(error, _Wrong) else _internal(error)
    return status


def _invoke(arguments: list[str]) -> int:
    """Run a command as typer does, and return its exit status. Unlike typer, let KeyboardInterrupt
    and BrokenPipeError pass to the caller."""
    if os.environ.get(COMPLETION):
        whole_app().main(arguments, "csp-mines")  # prints completions, and exits
    command = app_for(arguments)
    with command.make_context("csp-mines", list(arguments)) as context:
        status = command.invoke(context)
    return status if isinstance(status, int) else 0


def _flushed(status: int) -> int:
    """Flush standard output and return the given status. Ignore errors, because the terminal may be
    gone after SIGHUP."""
    try:
        sys.stdout.flush()
    except OSError:
        _give_up(status, sys.stdout)
    return status


def _give_up(status: int, *streams: TextIO) -> int:
    """Let `streams` write to the null device from now on. Otherwise Python would complain at exit
    about a stream whose reader is gone. Return the given status."""
    for stream in streams:
        with suppress(OSError, ValueError):
            os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
    return status


def app_for(arguments: list[str]) -> TyperGroup:
    """Return the typer application for a command line. If the first of the `arguments` is a
    command, the application has only this command. Otherwise, the application lists the names of
    all commands and has the options that install completion. `arguments` must not be empty."""
    called = OLD_WORDS.get(arguments[0], arguments[0])
    if called in COMMANDS:
        return _app({arguments[0]: called}, {}, completion=False)
    return _app({}, COMMANDS)


def whole_app() -> TyperGroup:
    """Import every command, and return the typer application with all commands and their
    options."""
    return _app({name: name for name in COMMANDS}, {})


def _app(
    commands: Mapping[str, str], names: Mapping[str, str], *, completion: bool = True
) -> TyperGroup:
    """Return a typer application. `commands` maps each command that can be run to the name of its
    module. `names` maps each command that the help only lists to its short help. `completion` says
    whether the application has the options that install completion."""
    app = typer.Typer(
        add_completion=completion,
        pretty_exceptions_enable=False,
        rich_markup_mode=None,
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    app.callback(epilog=_EPILOG)(_about)
    for name, called in commands.items():
        module = import_module(f"csp_mines.cli.{called}")
        app.command(name, cls=PlainCommand)(with_options(getattr(module, called)))
    for name, short in names.items():
        app.command(name, short_help=short)(_name_only)
    command = typer.main.get_command(app)
    assert isinstance(command, TyperGroup)
    return command


def _name_only() -> None:
    """Do nothing. The list of all commands needs only names and short help, so this function takes
    the place of every command in the list."""


def _version(wanted: bool) -> None:
    if wanted:
        from csp_mines import __version__

        typer.echo(f"csp-mines {__version__}")
        raise typer.Exit


def _about(
    version: Annotated[
        bool,
        typer.Option("--version", callback=_version, is_eager=True, help="Show the version."),
    ] = False,
) -> None:
    """Minesweeper as constraint solving: what is certain, how likely a mine is, and why.

    A board can be a text file, a screenshot, or - for standard input. In a text, ? is a hidden
    cell, 0-8 a clue, M a marked mine, X an opened mine, and C a safe cell without a clue. A line
    such as "mines: 99" above the board gives the total number of mines. 'csp-mines COMMAND --help'
    explains a command.
    """


def tell_error(error: CspMinesError, name: str = "") -> int:
    """Print an error on standard error, and return the exit status. `name` is the name of the
    board, which is printed before the message; if it is empty, only the message is printed."""
    message = message_of(error)
    return _fail(f"{name}: {message}" if name else message, error.exit_status)


def message_of(error: CspMinesError) -> str:
    """Return the message of an error in the words of the command line. If the message is about a
    parameter and the command line has its long option, the message names this option instead. If a
    limit stopped the command, or if another --method may succeed, the message ends with the options
    that may help."""
    from csp_mines.errors import InputError, OutOfTime, TooWide

    arguments = _called.get()
    if isinstance(error, InputError) and error.argument is not None:
        option = f"--{error.argument.replace('_', '-')}"
        if any(word.partition("=")[0] == option for word in arguments):
            return str(error).replace(error.argument, option, 1)
    method = getattr(error, "method", None)  # a NotFound may name another --method
    if not isinstance(error, OutOfTime | TooWide) and method is None:
        return str(error)
    remedies = (
        ("--method", method and f"try --method {method}"),
        ("--time-limit", isinstance(error, OutOfTime) and "raise --time-limit"),
        ("--max-memory", isinstance(error, TooWide) and error.max_memory is not None
         and "raise --max-memory if the machine has more memory"),
        ("--max-states", isinstance(error, TooWide) and error.max_memory is None
         and "raise --max-states if memory allows"),
        ("--no-probabilities", isinstance(error, TooWide) and "or use --no-probabilities with a "
         "backend that deduces without counting, such as pysat"),
    )  # fmt: skip
    known = _options_of(arguments)
    hints = [hint for option, hint in remedies if hint and option in known]
    what: str = getattr(error, "what", str(error))
    return "; ".join([what, ", ".join(hints)] if hints else [what])


def _options_of(arguments: list[str]) -> set[str]:
    """Return the names of all options of the command that `arguments` call, such as `--mines`.
    Return an empty set if `arguments` call no command."""
    command = app_for(arguments).commands.get(arguments[0])
    if command is None:
        return set()
    return {name for option in command.params for name in (*option.opts, *option.secondary_opts)}


def _internal(error: Exception) -> int:
    """Report an unexpected error in one line. Print a traceback only if the environment variable
    CSP_MINES_TRACEBACK is set. Return the exit status."""
    if os.environ.get(TRACEBACK):
        from traceback import format_exception

        from csp_mines.cli.console import err

        err().print("".join(format_exception(error)), end="")
    if isinstance(error, MemoryError):
        return _fail("out of memory", INTERNAL_ERROR)
    return _fail(
        f"internal error: {error_text(error)} (a defect of csp-mines: please report it with the "
        f"command, the board and the traceback that {TRACEBACK}=1 prints)",
        INTERNAL_ERROR,
    )


@runtime_checkable
class _Wrong(Protocol):
    """The error that typer raises for a wrong command line. Its class has no public name."""

    exit_code: int

    def format_message(self) -> str: ...


def _usage(error: _Wrong) -> int:
    """Report a wrong command line in one line. Return the exit status. If the message of the error
    begins with `needs`, put the name of the option or argument before it, such as `--mines needs a
    whole number, not 'lots'`."""
    message, option = getattr(error, "message", ""), getattr(error, "param", None)
    if isinstance(error, typer.BadParameter) and option and message.startswith("needs "):
        long = max(option.opts, key=len)
        message = f"{long if long.startswith('-') else option.metavar} {message}"
    else:
        message = error.format_message()
    context = getattr(error, "ctx", None)
    hint = f" (try '{context.command_path} --help')" if context is not None else ""
    return _fail(message + hint, 2)


def _fail(message: str, status: int) -> int:
    from csp_mines.cli.console import err

    try:
        err().print(f"csp-mines: {message}", style="red")
    except OSError:  # standard error is closed: only the exit status tells of the error
        _give_up(status, sys.stderr)
    return status
