"""Play one game of an own agent: `OwnPlay` asks the agent for moves and checks the answers.

An agent gets copies of the board, a number for its random choices, and nothing else. The agent
runs either in a process of its own, which does not have the layout (`_Apart`), or in the calling
process (`_Here`). `OwnPlay` raises an AgentError if the agent crashes, breaks the rules or takes
too long.

The parameter `closed` of several functions lists the codes of the cells that the agent may open:
HIDDEN, and also CLEAR if the rules let a silent cell be opened again."""

from __future__ import annotations

import signal
import sys
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, redirect_stdout
from traceback import extract_tb, format_list, walk_tb
from types import FrameType
from typing import Any, NoReturn

import numpy as np

from csp_mines import apart, defaults
from csp_mines.analysis.analyze import Analysis, analyze
from csp_mines.arguments import several, shown
from csp_mines.board import CLEAR, HIDDEN, MARKED, Board, Cell
from csp_mines.errors import AgentError, CspMinesError, EngineFault, OutOfTime, TooWide
from csp_mines.games.knowledge import Proved, Thought, counted
from csp_mines.games.own_agents import OwnAgent, Turn, agent_seed
from csp_mines.games.policies import Guess
from csp_mines.layout import Seed
from csp_mines.words import error_text

MOVE_SECONDS = 60.0  # time limit for one move
LOADING_SECONDS = 60.0  # time limit for the start of an agent's process and the import of the agent


def start_process(own: OwnAgent) -> None:
    """Start the process in which an agent plays the games of this thread, and import the agent in
    that process. Raises AgentError if the agent cannot be imported, EngineFault if the process ends
    or fails, OutOfTime if the start and the import take longer than LOADING_SECONDS."""
    _Apart(own).load()


class OwnPlay:
    """One game of an own agent. `think` asks the agent for moves and checks the answer.

    `retry` says whether the rules let a silent cell be opened again. `isolated` says whether the
    agent runs in a process of its own. A move counts as proved if an analysis of the board before
    the turn proves the opened cell safe or the marked cell a mine. Any other move counts as a
    guess, also if a silent cell is opened again.

    The constructor and `think` raise AgentError if the agent crashes, breaks the rules or takes too
    long. With `isolated`, the constructor raises InputError if other processes cannot import the
    agent."""

    def __init__(
        self,
        own: OwnAgent,
        board: Board,
        seed: Seed,
        *,
        retry: bool = False,
        isolated: bool = False,
    ) -> None:
        self._own = own
        self._codes = board.codes.copy()
        self._header = board
        self._closed = (HIDDEN, CLEAR) if retry else (HIDDEN,)
        self._queue: deque[Cell] = deque()
        self._analysis: Analysis  # of the board before the present turn
        if isolated:
            own.require_portable()
        self._bot: _Apart | _Here = _Apart(own) if isolated else _Here(own)
        self._require("was not constructed", self._bot.begin, agent_seed(seed), board)

    @property
    def done(self) -> bool:
        """Whether no cell is hidden."""
        return not (self._codes == HIDDEN).any()

    @property
    def board(self) -> Board:
        """A new copy of the board as the agent sees it, with the agent's own marks."""
        return self._header.with_codes(self._codes)

    def see(self, cells: Iterable[tuple[Cell, int]]) -> None:
        """Record the present codes of some cells, given as pairs of a cell and its code."""
        for cell, code in cells:
            self._codes[cell] = code

    def think(self) -> Thought:
        """Return the next moves: all marks of a turn, or one opening. Ask the agent for a new turn
        only if no opening of the last turn is left."""
        while self._queue:
            cell = self._queue.popleft()
            if self._codes[cell] in self._closed:
                return self._opening(cell)
        turn: Turn = self._require("returned no move", self._bot.turn, self.board, self._closed)
        self._queue.extend(turn.open)
        self._analysis = _judged(self.board)
        for cell in turn.mark:
            self._codes[cell] = MARKED
        return self._marking(turn.mark) if turn.mark else self.think()

    def _require(self, what: str, ask: Callable[..., Any], *given: Any) -> Any:
        """Ask the agent by the call `ask(*given)`, and return the result. Raises AgentError if the
        agent failed, broke the rules or took too long. If no reply came in time or the process
        ended, the problem in the message begins with `what`, such as `returned no move`."""
        begin = time.monotonic()
        try:
            reply = ask(*given)
        except (_TooSlow, OutOfTime):
            self._blame(f"{what} within {MOVE_SECONDS:g} seconds")
        except EngineFault as error:
            self._blame(_end(error, what))
        seconds = time.monotonic() - begin
        if seconds > MOVE_SECONDS:
            self._blame(f"{what} within {MOVE_SECONDS:g} seconds, only after {seconds:.1f}")
        return reply

    def _blame(self, problem: str) -> NoReturn:
        """Raise the AgentError that says what the agent did (`problem`), and on which board."""
        raise AgentError(self._own.name, problem, self.board.to_line()) from None

    def _opening(self, cell: Cell) -> Thought:
        """Return the thought that opens a cell: as a cell proved safe, or as a guess."""
        proof = self._proof(cell, mine=False)
        if proof is not None:
            return Thought(safe=(proof,))
        return Thought(guess=Guess(cell, self._risk(cell), "chosen by the agent"))

    def _marking(self, cells: Iterable[Cell]) -> Thought:
        """Return the thought that marks `cells`. `mines` has the cells that are proved mines, and
        `marks` has the cells without a proof."""
        proofs = {cell: self._proof(cell, mine=True) for cell in cells}
        return Thought(
            mines=tuple(proof for proof in proofs.values() if proof is not None),
            marks=tuple(cell for cell, proof in proofs.items() if proof is None),
        )

    def _proof(self, cell: Cell, *, mine: bool) -> Proved | None:
        """Return the proof that a cell is a mine (if `mine` is True) or safe (if `mine` is False).
        Return None if the analysis has no such proof."""
        analysis = self._analysis
        if not (analysis.mine_mask if mine else analysis.safe_mask)[cell]:
            return None
        return Proved(cell, analysis.backend, "chosen by the agent, and proved")

    def _risk(self, cell: Cell) -> float | None:
        """Return the exact risk of a cell; None if the cell is not hidden or the board is too wide
        to count."""
        if self._analysis.backend != defaults.BACKEND:
            return None
        risk = float(self._analysis.probabilities[cell])
        return None if np.isnan(risk) else risk


def _judged(board: Board) -> Analysis:
    """Return the analysis that judges which moves of a turn are proved. The agent's marks do not
    count, because they may be wrong."""
    unmarked = board.without_marks()
    try:
        return counted(unmarked)
    except TooWide:
        return analyze(unmarked, backend="subtraction", counting=False)


class _Apart:
    """An agent in a process of its own, which does not have the layout. The methods raise
    EngineFault if the process ends or fails, OutOfTime if no answer comes in time, and what the
    methods of `_Seat` raise."""

    def __init__(self, own: OwnAgent) -> None:
        self._own = own

    def load(self) -> None:
        """Start the process unless it is running, and import the agent in the process."""
        self._call(LOADING_SECONDS, OwnAgent.load, self._own)

    def begin(self, seed: int, board: Board) -> None:
        self.load()
        self._call(MOVE_SECONDS, _begin, self._own, seed, board)

    def turn(self, board: Board, closed: tuple[int, ...]) -> Turn:
        turn: Turn = self._call(MOVE_SECONDS, _turn, board, closed)
        return turn

    def _call(self, seconds: float, function: Callable[..., Any], *given: Any) -> Any:
        lane = threading.get_ident()  # no two running threads share a process
        return apart.call(function, *given, engine=self._own.name, seconds=seconds, lane=lane)


_seats: list[_Seat] = []  # in the process of an agent, this list has the present game


def _begin(own: OwnAgent, seed: int, board: Board) -> None:
    """Begin a game. This runs in the process of the agent."""
    _seats[:] = [_Seat(own)]
    _seats[0].begin(seed, board)


def _turn(board: Board, closed: tuple[int, ...]) -> Turn:
    """Ask the agent for a turn. This runs in the process of the agent."""
    return _seats[0].turn(board, closed)


class _Seat:
    """An agent that plays one game. The methods run the agent's code in the present process. They
    raise AgentError if the agent cannot be imported, raises an error or breaks the rules."""

    def __init__(self, own: OwnAgent) -> None:
        self._own = own
        self._move: Callable[[Board], Any] = own.make

    def begin(self, seed: int, board: Board) -> None:
        """Construct the agent. `board` is the board at the start."""
        self._board = board
        self._move = self._asked(self._own.seeded, seed)

    def turn(self, board: Board, closed: tuple[int, ...]) -> Turn:
        """Ask the agent for a turn. Return the answer with cells that are pairs of plain
        integers."""
        self._board = board
        return self._checked(self._asked(self._move, board), closed)

    def _blame(self, problem: str, frames: str = "") -> NoReturn:
        """Raise the AgentError that says what the agent did (`problem`), and on which board."""
        raise AgentError(self._own.name, problem, self._board.to_line(), frames) from None

    def _asked(self, ask: Callable[..., Any], *given: Any) -> Any:
        """Return `ask(*given)`, the answer of the agent. If the agent's code raises an error, raise
        an AgentError that describes it. An AgentError, which says that the agent cannot be
        imported, is passed on unchanged."""
        try:
            return ask(*given)
        except AgentError:
            raise
        except (Exception, SystemExit, GeneratorExit) as error:
            self._blame(f"raised {error_text(error)}", _own_frames(error, self._own))

    def _checked(self, answer: Any, closed: tuple[int, ...]) -> Turn:
        """Return an answer as a turn whose cells are pairs of plain integers."""
        try:
            turn = answer if isinstance(answer, Turn) else Turn(open=[answer])
            opened, marked = (
                tuple(self._board.require(cell) for cell in several(cells, what, "cells"))
                for what, cells in (("open", turn.open), ("mark", turn.mark))
            )
        except CspMinesError as error:
            self._blame(f"returned {shown(answer)}: {error}")
        except Exception as error:  # an iterator of the agent may raise anything
            self._blame(f"returned {shown(answer)}, which raised {error_text(error)}")
        if not opened and not marked:
            self._blame("returned an empty turn; a turn must open or mark at least one cell")
        if set(opened) & set(marked) or len(set(marked)) < len(marked):
            twice = "a cell is marked twice, or marked and opened"
            self._blame(f"returned {shown(answer)}: {twice}")
        for what, cells, allowed in (("opened", opened, closed), ("marked", marked, (HIDDEN,))):
            for cell in cells:
                code = self._board[cell]
                if code not in allowed:
                    state = "marked as a mine" if code == MARKED else "open"
                    refusal = f"which cannot be {what}: it is {state}"
                    self._blame(f"returned {self._board.geometry.label(cell)}, {refusal}")
        return Turn(opened, marked)


def _end(error: EngineFault, what: str) -> str:
    """Return the problem of an agent whose process ended or failed. If the process ended, the text
    begins with `what`, such as `returned no move`."""
    status = error.status
    if status is None:
        return f"failed: {error}"
    if status < 0:
        name = signal.Signals(-status).name if -status in set(signal.Signals) else str(-status)
        return f"{what}: its process ended (signal {name})"
    return f"{what}: its process ended (exit status {status})"


def _own_frames(error: BaseException, own: OwnAgent) -> str:
    """Return as text the frames of the error's traceback that belong to the agent's package. If
    there are no such frames, return all frames outside this module."""
    trace = error.__traceback__
    modules = (str(frame.f_globals.get("__name__", "")) for frame, _ in walk_tb(trace))
    frames = list(zip(extract_tb(trace), modules, strict=True))
    ours = [frame for frame, module in frames if module.partition(".")[0] == own.package]
    others = [frame for frame, module in frames if module != __name__]
    return "".join(format_list(ours or others))


class _TooSlow(BaseException):
    """Raised in the agent's code when the time limit is past. This class is not derived from
    Exception, so `except Exception` in the agent's code does not catch it."""


@contextmanager
def _supervised() -> Iterator[None]:
    """Redirect the standard output of an agent to standard error, because standard output may be
    JSON. Raise _TooSlow if the agent takes longer than MOVE_SECONDS. Outside the main thread, do
    neither: signals reach only the main thread, and all threads share one standard output. `_Here`
    decorates the methods that run the agent's code with this context manager."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    with redirect_stdout(sys.stderr), _time_limit():
        yield


@contextmanager
def _time_limit() -> Iterator[None]:
    """Raise _TooSlow if the agent takes longer than MOVE_SECONDS. On systems without SIGALRM there
    is no limit."""
    alarm = getattr(signal, "SIGALRM", None)
    if alarm is None:
        yield
        return

    def stop(number: int, frame: FrameType | None) -> None:
        raise _TooSlow

    before = signal.signal(alarm, stop)
    signal.setitimer(signal.ITIMER_REAL, MOVE_SECONDS)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(alarm, before)


class _Here(_Seat):
    """An agent in the calling process. In the main thread, `_supervised` redirects the agent's
    output and limits its time."""

    begin = _supervised()(_Seat.begin)
    turn = _supervised()(_Seat.turn)
