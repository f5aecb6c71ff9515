"""Run the command line: `csp-mines` and `python -m csp_mines` start here.

A signal that arrives during the imports ends the process at once: there is nothing to clean up yet,
and Python by itself would answer Ctrl-C with a traceback."""

import os

try:
    import signal
except KeyboardInterrupt:
    os._exit(130)


def main() -> None:
    """Let signals end the process, then import the command line and run it."""
    for name in ("SIGINT", "SIGTERM", "SIGHUP"):
        number = getattr(signal, name, None)
        if number is not None and signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, lambda number, _: os._exit(128 + number))
    from csp_mines.cli import main as run_command

    run_command()


if __name__ == "__main__":
    main()
