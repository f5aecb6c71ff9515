"""Run the command line: `csp-mines` and `python -m csp_mines` start here.

During the imports, SIGINT (Ctrl-C), SIGTERM and SIGHUP end the process at once, because there is
nothing to clean up yet. By itself, Python would answer Ctrl-C with a traceback."""

import os

try:
    import signal
except KeyboardInterrupt:
    os._exit(130)


def main() -> None:
    """Let SIGINT, SIGTERM and SIGHUP end the process at once, unless they are ignored. Then import
    the command line and run it."""
    for name in ("SIGINT", "SIGTERM", "SIGHUP"):
        number = getattr(signal, name, None)
        if number is not None and signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, lambda number, _: os._exit(128 + number))
    from csp_mines.cli import main as run_command

    run_command()


if __name__ == "__main__":
    main()
