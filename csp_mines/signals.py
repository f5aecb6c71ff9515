"""The signals that end a command: SIGINT (Ctrl-C), SIGTERM and SIGHUP.

After `listen`, each of the three signals raises KeyboardInterrupt, unless the process ignores the
signal. So a command needs only one kind of cleanup. The exit status of a command that got a signal
is 128 plus the number of the first signal. Shells report the same status for a program that a
signal ended."""

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

ENDING = tuple(
    getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)
)
AGAIN_SECONDS = 0.005  # seconds between two attempts to interrupt the main thread

_received: list[int] = []


def listen() -> None:
    """From now on, raise KeyboardInterrupt in the main thread when a signal of `ENDING` arrives.
    Call this in the main thread. A signal that the process already ignores stays ignored: `nohup`
    starts a program with SIGHUP ignored, and a shell script starts background jobs with SIGINT
    ignored. Also install `_come_again` for a KeyboardInterrupt that Python cannot raise."""
    for number in ENDING:
        if signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, _interrupt)
    sys.unraisablehook = _come_again


def stop_listening() -> None:
    """Ignore the signals of `ENDING` from now on. A command calls this when its work is done.
    Otherwise a signal during the shutdown of Python would print a traceback."""
    for number in ENDING:
        signal.signal(number, signal.SIG_IGN)


def received() -> bool:
    """Return whether a signal of `ENDING` has arrived since `listen`. A signal that the process
    ignores does not count."""
    return bool(_received)


def exit_status(status: int) -> int:
    """Return the exit status of a command: 128 plus the number of the first signal that arrived, or
    `status` if no signal arrived."""
    return 128 + _received[0] if _received else status


@contextmanager
def held() -> Iterator[None]:
    """Delay the signals of `ENDING` until the `with` block ends, for work that must not be
    interrupted. Outside the main thread, no delay is needed: Python interrupts only the main
    thread. A SIGTERM that Python does not handle is not delayed.

    On POSIX systems, a child process that is started in the block never reacts to SIGINT or SIGHUP,
    even after the block. A terminal sends both signals to the parent and to the child. Only the
    parent reacts, and ends the child.
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
    """Let a signal interrupt any call in the `with` block that waits outside Python, such as
    `input` with readline. Use this in the main thread.

    Without `heard`, a signal could arrive just after the call has checked for signals and just
    before the call waits. The call would then wait until the user presses a key. With `heard`, the
    first signal makes a thread send SIGURG to the main thread again and again until the block ends.
    On systems without `pthread_kill`, such as Windows, `heard` does nothing."""
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
    """Treat SIGHUP like SIGTERM in the `with` block, for a server that shuts down cleanly at
    SIGTERM but not at SIGHUP. After a SIGHUP, `exit_status` still returns the status for SIGHUP.
    If the process ignores SIGHUP, or if `listen` was not called, change nothing."""
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
    """Wait for the byte that Python writes to the pipe of `heard` when a signal arrives. Then send
    SIGURG to the main thread again and again until `over` is set. `reader` is the end of the pipe
    to read from. This runs in the thread that `heard` starts."""
    os.read(reader, 1)  # returns when a signal arrives, or when `heard` closes the pipe
    while not over.wait(AGAIN_SECONDS):
        signal.pthread_kill(_main_thread(), signal.SIGURG)


def _defer(stack: ExitStack) -> None:
    """Replace the Python handlers of the signals of `ENDING` until `stack` is closed. Then restore
    the handlers, and raise the signals that arrived meanwhile. Blocking the signals in the
    main thread would not be enough: another thread would receive them, and Python would still run
    the handlers in the main thread."""
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
    """Handle an exception that Python cannot raise, such as an exception in a destructor. `listen`
    installs this function as `sys.unraisablehook`. If the exception is a KeyboardInterrupt and a
    signal has arrived, send the first of the signals again after AGAIN_SECONDS. Otherwise, call
    Python's own hook."""
    if _received and isinstance(unraisable.exc_value, KeyboardInterrupt):
        timer = threading.Timer(AGAIN_SECONDS, _send, [_received[0]])
        timer.daemon = True
        timer.start()
    else:
        sys.__unraisablehook__(unraisable)


def _send(number: int) -> None:
    """Send a signal to the main thread. A signal to another thread would not wake the main thread
    from a system call. Systems without `pthread_kill` cannot choose the thread."""
    if hasattr(signal, "pthread_kill"):
        signal.pthread_kill(_main_thread(), number)
    else:
        signal.raise_signal(number)


def _main_thread() -> int:
    ident = threading.main_thread().ident
    assert ident is not None
    return ident
