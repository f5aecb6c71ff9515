"""The signals that end a command: Ctrl-C (SIGINT), SIGTERM and SIGHUP.

After `listen`, each of these signals raises KeyboardInterrupt in a command, so all of them lead to
the same cleanup. The exit status of the command is then 128 plus the number of the signal, as in a
shell."""

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
AGAIN_SECONDS = 0.005  # seconds until a signal that had no effect is sent again

_received: list[int] = []


def listen() -> None:
    """Raise KeyboardInterrupt at each of the signals from now on. A command calls this in its main
    thread. Signals that the process ignores at that time remain ignored: `nohup` and shells that
    start background jobs rely on that."""
    for number in ENDING:
        if signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, _interrupt)
    sys.unraisablehook = _come_again


def stop_listening() -> None:
    """Ignore the signals from now on. A command calls this when its work is done. Otherwise Python
    would answer a signal during its own cleanup with a traceback."""
    for number in ENDING:
        signal.signal(number, signal.SIG_IGN)


def received() -> bool:
    """Return whether a signal has arrived since `listen`."""
    return bool(_received)


def exit_status(status: int) -> int:
    """Return the exit status of a command: 128 plus the number of the first signal that arrived, or
    `status` if no signal arrived."""
    return 128 + _received[0] if _received else status


@contextmanager
def held() -> Iterator[None]:
    """Delay the signals until the `with` block ends, for work that must not be interrupted.

    A child process that is started in the block never receives SIGINT or SIGHUP, even after the
    block. A terminal sends these signals to parent and child at once. So only the parent receives
    them, and the parent ends the child.
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
    """Make sure that a signal interrupts every call in the `with` block that waits outside Python,
    such as `input` with readline.

    Without this, a signal could arrive after such a call has looked for signals and before it
    waits. The call would then sleep until the next key is pressed. Here a thread wakes the call
    again and again until the signal has been handled."""
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
    """Treat SIGHUP like SIGTERM in the `with` block, for a server that shuts down cleanly only at
    SIGTERM. The exit status still says which of the two arrived."""
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
    """Wait for the byte that Python writes to a pipe when a signal arrives; `reader` is the end to
    read from. Then send SIGURG to the main thread again and again until `over` is set. This runs in
    the thread that `heard` starts."""
    os.read(reader, 1)  # waits for a signal or for the end of the `with` block
    while not over.wait(AGAIN_SECONDS):
        signal.pthread_kill(_main_thread(), signal.SIGURG)


def _defer(stack: ExitStack) -> None:
    """Delay the signals until the stack is closed. Blocking them in this thread would not help:
    another thread would receive them, and Python would handle them in the main thread anyway."""
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
    """Stand in for `sys.unraisablehook`, which Python calls for exceptions that it cannot raise,
    such as those in a destructor. If the exception is the KeyboardInterrupt of a signal, send the
    signal again a moment later."""
    if _received and isinstance(unraisable.exc_value, KeyboardInterrupt):
        timer = threading.Timer(AGAIN_SECONDS, _send, [_received[0]])
        timer.daemon = True
        timer.start()
    else:
        sys.__unraisablehook__(unraisable)


def _send(number: int) -> None:
    """Send a signal to the main thread: a signal to another thread would not wake the main thread
    from a system call."""
    if hasattr(signal, "pthread_kill"):
        signal.pthread_kill(_main_thread(), number)
    else:
        signal.raise_signal(number)


def _main_thread() -> int:
    ident = threading.main_thread().ident
    assert ident is not None
    return ident
