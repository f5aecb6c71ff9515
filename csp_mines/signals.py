"""The signals that end a command: Ctrl-C (SIGINT), SIGTERM and SIGHUP.

A listening command gets a KeyboardInterrupt for each of them, so the cleanup after Ctrl-C works for
all. Its exit status is then 128 plus the number of the signal, as in a shell."""

from __future__ import annotations

import os
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from types import FrameType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sys import UnraisableHookArgs

__all__ = [
    "exit_status",
    "hang_up_as_termination",
    "heard",
    "held",
    "listen",
    "received",
    "stop_listening",
]

ENDING = tuple(
    getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)
)
AGAIN_SECONDS = 0.005  # a signal that was lost is sent again after this time

_received: list[int] = []


def listen() -> None:
    """Turn each of the signals into a KeyboardInterrupt from now on. A command calls this in its
    main thread. A signal that is already ignored stays ignored, as with `nohup` or for a background
    job of a script."""
    for number in ENDING:
        if signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, _interrupt)
    sys.unraisablehook = _come_again


def stop_listening() -> None:
    """Ignore the signals from now on. The command is done; only Python's own cleanup is left, which
    would answer a signal with a traceback."""
    for number in ENDING:
        signal.signal(number, signal.SIG_IGN)


def received() -> bool:
    """Whether a signal has come since `listen`."""
    return bool(_received)


def exit_status(status: int) -> int:
    """Return the exit status of a command: `status`, unless a signal came."""
    return 128 + _received[0] if _received else status


@contextmanager
def held() -> Iterator[None]:
    """Hold the signals back until this ends, for work that must not be interrupted.

    A process that is started meanwhile gets neither SIGINT nor SIGHUP, which a terminal sends to
    all processes at once. Its parent gets them and ends it.
    """
    with ExitStack() as stack:
        if threading.current_thread() is threading.main_thread():
            _defer(stack)
        if hasattr(signal, "pthread_sigmask"):
            before = signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGINT, signal.SIGHUP])
            stack.callback(signal.pthread_sigmask, signal.SIG_SETMASK, before)
        yield


@contextmanager
def heard() -> Iterator[None]:
    """Make sure that a call that waits outside Python, such as `input` in readline, notices
    signals.

    If a signal comes after the call has checked Python's signals and before it waits, the call
    would sleep until the next key. A thread keeps waking it until the signal has been handled."""
    if not hasattr(signal, "pthread_kill"):
        yield
        return
    over = threading.Event()
    reader, writer = os.pipe()
    os.set_blocking(writer, False)
    nudge = signal.signal(signal.SIGURG, lambda *_: None)
    thread = threading.Thread(target=_wake_main_thread, args=(reader, over), daemon=True)
    thread.start()
    before = signal.set_wakeup_fd(writer, warn_on_full_buffer=False)
    try:
        yield
    finally:
        signal.set_wakeup_fd(before)
        over.set()
        os.close(writer)
        thread.join()
        os.close(reader)
        signal.signal(signal.SIGURG, nudge)


@contextmanager
def hang_up_as_termination() -> Iterator[None]:
    """Treat SIGHUP as SIGTERM, for a server that shuts down cleanly only at SIGTERM. The exit
    status distinguishes the two."""
    number = getattr(signal, "SIGHUP", None)
    if number is None or signal.getsignal(number) is not _interrupt:
        yield
        return

    def terminate(number: int, _frame: FrameType | None) -> None:
        _received.append(number)
        signal.raise_signal(signal.SIGTERM)

    signal.signal(number, terminate)
    try:
        yield
    finally:
        signal.signal(number, _interrupt)


def _wake_main_thread(reader: int, over: threading.Event) -> None:
    os.read(reader, 1)  # waits for a signal, or for the end of the call
    while not over.wait(AGAIN_SECONDS):
        signal.pthread_kill(_main_thread(), signal.SIGURG)


def _defer(stack: ExitStack) -> None:
    """Defer the signals until the stack unwinds. Blocking them would not work: another thread would
    take them, and Python would still handle them in the main thread."""
    came: list[int] = []

    def act() -> None:
        for number in came:
            signal.raise_signal(number)

    stack.callback(act)
    for number in ENDING:
        handler = signal.getsignal(number)
        if callable(handler):
            stack.callback(signal.signal, number, handler)
            signal.signal(number, lambda number, _: came.append(number))


def _interrupt(number: int, _frame: FrameType | None) -> None:
    _received.append(number)
    raise KeyboardInterrupt


def _come_again(unraisable: UnraisableHookArgs) -> None:
    """Send a lost signal again a moment later. Python drops exceptions that are raised in a
    destructor or in a callback of its import system."""
    if _received and isinstance(unraisable.exc_value, KeyboardInterrupt):
        timer = threading.Timer(AGAIN_SECONDS, _send, [_received[0]])
        timer.daemon = True
        timer.start()
    else:
        sys.__unraisablehook__(unraisable)


def _send(number: int) -> None:
    """Send a signal to the main thread, which may sleep in a call that only its own signals end."""
    if hasattr(signal, "pthread_kill"):
        signal.pthread_kill(_main_thread(), number)
    else:
        signal.raise_signal(number)


def _main_thread() -> int:
    ident = threading.main_thread().ident
    assert ident is not None
    return ident
