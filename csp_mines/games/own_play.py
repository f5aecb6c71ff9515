"""The games of own agents. `OwnPlay` asks the agent for moves and checks its answers.

An agent sees copies of the board and nothing else. If it crashes, breaks the rules or takes too
long, an AgentError with the position is raised."""

from __future__ import annotations

import signal
import sys
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, redirect_stdout
from functools import cached_property
from traceback import extract_tb, format_list, walk_tb
from types import FrameType
from typing import Any, NoReturn

import numpy as np

from csp_mines import defaults
from csp_mines.analysis.analyze import Analysis, analyze
from csp_mines.arguments import several, shown
from csp_mines.board import CLEAR, HIDDEN, MARKED, Board, Cell
from csp_mines.errors import AgentError, CspMinesError, TooWide
from csp_mines.games.knowledge import Proved, Thought
from csp_mines.games.own_agents import OwnAgent, Turn
from csp_mines.games.policies import Guess
from csp_mines.layout import Seed
from csp_mines.words import plural

__all__ = ["OwnPlay"]

MOVE_SECONDS = 60.0  # time limit for one move


class OwnPlay:
    """One game of an own agent: `think` asks the agent and checks its answer.

    An opening or a mark counts as proved if an exact analysis of the board proves it. Else it
    counts as a guess. Raises AgentError for a crash, a move against the rules, and a slow move."""

    def __init__(self, own: OwnAgent, board: Board, seed: Seed, *, retry: bool = False) -> None:
        self._own = own
        self._codes = board.codes.copy()
        self._header = board
        self._retry = retry
        self._queue: deque[Cell] = deque()
        self._judge = _Judge(board)
        self._move: Callable[[Board], Any] = self._asked("was not constructed", own.player, seed)

    @property
    def done(self) -> bool:
        """Whether no cell is left to open or mark."""
        return not (self._codes == HIDDEN).any()

    @property
    def board(self) -> Board:
        """The board as the agent sees it, with its own marks. Each call makes a copy."""
        return self._header.with_codes(self._codes)

    def see(self, cells: Iterable[tuple[Cell, int]]) -> None:
        """Record what some cells show now."""
        for cell, code in cells:
            self._codes[cell] = code

    def think(self) -> Thought:
        """Return the next marks or the next opening. The agent is asked only if no move of its last
        turn is left."""
        while self._queue:
            cell = self._queue.popleft()
            if self._codes[cell] in self._closed:
                return self._opening(cell)
        answer = self._asked("returned no move", self._move, self.board)
        opened, marked = self._checked(answer)
        self._queue.extend(opened)
        self._judge = _Judge(self.board)
        for cell in marked:
            self._codes[cell] = MARKED
        return self._marking(marked) if marked else self.think()

    @property
    def _closed(self) -> tuple[int, ...]:
        return (HIDDEN, CLEAR) if self._retry else (HIDDEN,)

    def _asked(self, what: str, ask: Callable[..., Any], *given: Any) -> Any:
        begin = time.monotonic()
        try:
            with _time_limit(MOVE_SECONDS), _prints_apart():
                answer = ask(*given)
        except AgentError:
            raise
        except _TooSlow:
            self._blame(f"{what} within {MOVE_SECONDS:g} seconds")
        except (Exception, SystemExit, GeneratorExit) as error:
            raised = f"{type(error).__name__}: {error}".rstrip(": ")
            self._blame(f"raised {raised}", _own_frames(error, self._own))
        seconds = time.monotonic() - begin
        if seconds > MOVE_SECONDS:
            self._blame(f"took {seconds:.0f} seconds for a move; {MOVE_SECONDS:g} are allowed")
        return answer

    def _checked(self, answer: Any) -> tuple[list[Cell], list[Cell]]:
        """Return the cells to open and to mark. Raises AgentError if the rules forbid one of
        them."""
        try:
            turn = answer if isinstance(answer, Turn) else Turn(open=[answer])
            opened, marked = (
                [self._header.require(cell) for cell in several(cells, what, "cells")]
                for what, cells in (("open", turn.open), ("mark", turn.mark))
            )
        except CspMinesError as error:
            self._blame(f"returned {shown(answer)}: {error}")
        for cell in opened:
            self._require_closed(cell, self._closed, "opened")
        for cell in marked:
            self._require_closed(cell, (HIDDEN,), "marked")
        if not opened and not marked:
            self._blame("returned an empty turn; it must open or mark at least one cell")
        if set(opened) & set(marked) or len(set(marked)) < len(marked):
            self._blame(f"returned {shown(answer)}: a cell is marked twice, or marked and opened")
        return opened, marked

    def _require_closed(self, cell: Cell, closed: tuple[int, ...], what: str) -> None:
        code = int(self._codes[cell])
        if code not in closed:
            state = "marked as a mine" if code == MARKED else "open"
            self._blame(f"returned {cell[0]},{cell[1]}, which cannot be {what}: it is {state}")

    def _blame(self, problem: str, frames: str = "") -> NoReturn:
        raise AgentError(self._own.name, problem, self.board.to_line(), frames) from None

    def _opening(self, cell: Cell) -> Thought:
        proof = self._judge.proof(cell, mine=False)
        if proof is not None:
            return Thought(safe=(proof,))
        return Thought(guess=Guess(cell, self._judge.risk(cell), "its own choice"))

    def _marking(self, cells: list[Cell]) -> Thought:
        proofs = {cell: self._judge.proof(cell, mine=True) for cell in cells}
        return Thought(
            mines=tuple(proof for proof in proofs.values() if proof is not None),
            marks=tuple(cell for cell, proof in proofs.items() if proof is None),
        )


class _Judge:
    """Judges whether a board proves a move. The board is analysed when the first judgement is asked
    for. The agent's marks do not count, because they may be wrong."""

    def __init__(self, board: Board) -> None:
        self._board = board.without_marks()

    @cached_property
    def _analysis(self) -> Analysis:
        exact = self._board.clues.likelihood is None
        states = defaults.AGENT_STATES if exact else defaults.NOISY_AGENT_STATES
        try:
            return analyze(self._board, max_states=states)
        except TooWide:
            return analyze(self._board, backend="subtraction", counting=False)

    def proof(self, cell: Cell, *, mine: bool) -> Proved | None:
        analysis = self._analysis
        if not (analysis.mine_mask if mine else analysis.safe_mask)[cell]:
            return None
        return Proved(cell, analysis.backend, "its own choice, and proved")

    def risk(self, cell: Cell) -> float | None:
        """Return the exact risk; None if the board is too wide to count."""
        if self._analysis.backend != defaults.BACKEND:
            return None
        risk = float(self._analysis.probabilities[cell])
        return None if np.isnan(risk) else risk


def _own_frames(error: BaseException, own: OwnAgent) -> str:
    """Return the frames of a traceback that belong to the agent's package. If there are none,
    return all frames outside this module."""
    frames = extract_tb(error.__traceback__)
    modules = [
        str(frame.f_globals.get("__name__", "")) for frame, _ in walk_tb(error.__traceback__)
    ]
    ours = [
        frame
        for frame, module in zip(frames, modules, strict=True)
        if module.partition(".")[0] == own.package
    ]
    others = [frame for frame, module in zip(frames, modules, strict=True) if module != __name__]
    return "".join(format_list(ours or others))


class _TooSlow(BaseException):
    """Raised in the agent's code when its time is over. It is not an Exception, so that no `except
    Exception` in the agent catches it."""


@contextmanager
def _prints_apart() -> Iterator[None]:
    """Send what the agent prints to standard error, since standard output may be JSON. This works
    only in the main thread: all threads share one standard output, and two of them would restore
    it in the wrong order."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    with redirect_stdout(sys.stderr):
        yield


@contextmanager
def _time_limit(seconds: float) -> Iterator[None]:
    """Raise _TooSlow after some seconds. This works only in the main thread of a system that has
    SIGALRM; elsewhere there is no limit."""
    alarm = getattr(signal, "SIGALRM", None)
    if alarm is None or threading.current_thread() is not threading.main_thread():
        yield
        return

    def stop(number: int, frame: FrameType | None) -> None:
        raise _TooSlow(f"{plural(round(seconds), 'second')} are over")

    before = signal.signal(alarm, stop)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(alarm, before)
