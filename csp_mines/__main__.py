"""`csp-mines` and `python -m csp_mines`.

A signal that comes while the command is still being imported ends the process on the spot: there is
nothing to clean up. Python would answer Ctrl-C by a traceback out of some import."""

import os

try:
    import signal
except KeyboardInterrupt:
    os._exit(130)


def main() -> None:
    """The entry point of the `csp-mines` command."""
    for name in ("SIGINT", "SIGTERM", "SIGHUP"):
        number = getattr(signal, name, None)
        if number is not None and signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, lambda number, _: os._exit(128 + number))
    from csp_mines.cli import main as run_command

    run_command()


if __name__ == "__main__":
    main()
