"""The signals that end a command: Ctrl-C (SIGINT), SIGTERM and SIGHUP.

A command that listens gets a KeyboardInterrupt for each of them, so what cleans up after Ctrl-C
cleans up after all. Its exit status is then 128 plus the number of the signal, as in a shell."""

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
AGAIN_SECONDS = 0.005  # after which a signal that nothing could act upon comes again

_received: list[int] = []


def listen() -> None:
    """Makes each of the signals a KeyboardInterrupt from now on. To be called by a command, in its
    main thread. A signal that is ignored already stays so: of `nohup`, or of a job in the
    background of a script."""
    for number in ENDING:
        if signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, _interrupt)
    sys.unraisablehook = _come_again


def stop_listening() -> None:
    """Ignores the signals from now on: the command is done, and only Python's own cleaning up is
    left, which would answer them by a traceback."""
    for number in ENDING:
        signal.signal(number, signal.SIG_IGN)


def received() -> bool:
    """Whether a signal has come since `listen`."""
    return bool(_received)


def exit_status(status: int) -> int:
    """The exit status of a command that would end with `status` but for the signals that came."""
    return 128 + _received[0] if _received else status


@contextmanager
def held() -> Iterator[None]:
    """Holds the signals back: they act when this ends. For work that must not be cut in two.

    A process that is started meanwhile gets neither SIGINT nor SIGHUP, which a terminal sends to
    all at once: they are for its parent, which ends it.
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
    """For a call that waits outside Python, as `input` does in readline. It would sleep through a
    signal that comes after its last look at Python's signals and before it waits, so that nothing
    would happen before the next key. A thread wakes it until the signal has been acted upon."""
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
    """For a server that ends in good order at SIGTERM and does not know SIGHUP. The exit status
    tells them apart."""
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
    os.read(reader, 1)  # until a signal comes, or the end
    while not over.wait(AGAIN_SECONDS):
        signal.pthread_kill(_main_thread(), signal.SIGURG)


def _defer(stack: ExitStack) -> None:
    """Until the stack unwinds. Blocking the signals would not do: another thread takes them then,
    and Python acts upon them in the main thread all the same."""
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
    """Python drops what is raised in a destructor or in a callback of its own imports. A signal
    that was dropped there is sent again, a moment later."""
    if _received and isinstance(unraisable.exc_value, KeyboardInterrupt):
        timer = threading.Timer(AGAIN_SECONDS, _send, [_received[0]])
        timer.daemon = True
        timer.start()
    else:
        sys.__unraisablehook__(unraisable)


def _send(number: int) -> None:
    """To the main thread, which may sleep in a call that only its own signals end."""
    if hasattr(signal, "pthread_kill"):
        signal.pthread_kill(_main_thread(), number)
    else:
        signal.raise_signal(number)


def _main_thread() -> int:
    ident = threading.main_thread().ident
    assert ident is not None
    return ident
