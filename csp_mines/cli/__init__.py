"""The command line: `csp-mines`. Commands only read arguments, call the library and show.

Each command lives in a module of its own, imported when it is called."""

from __future__ import annotations


def main() -> None:
    raise SystemExit("not yet")
