"""`csp-mines` and `python -m csp_mines`.

A signal that comes during the imports ends the process at once, because there is nothing to clean
up. Without this, Python would print a traceback at Ctrl-C."""

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
