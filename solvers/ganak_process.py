"""What runs in Ganak's own process: formulas come in, numbers of models go out.

    python ganak_process.py FOLDER BYTES

Ganak counts in C++ without coming back, prints on standard output, and may end the process that it
runs in; so it gets one that can be ended. Requests are pickled `(variables, clauses, seconds)` on
standard input; each is answered by a line: a number in hexadecimal digits, `memory` when that did
not suffice, or `error` and its text. After `seconds`, if any, the process ends by itself, even if
its parent has ended. FOLDER is where `pyganak` is found, BYTES the memory that the process may take
in addition to what it has.
"""

from __future__ import annotations

import os
import pickle
import resource
import signal
import sys

Request = tuple[int, list[list[int]], float | None]


def main() -> None:
    answers = os.fdopen(os.dup(1), "w")
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 1)
    os.dup2(nowhere, 2)
    sys.path.append(sys.argv[1])
    import pyganak  # noqa: F401  # its libraries are not part of what is bounded

    _bound_memory(int(sys.argv[2]))
    while (request := _request()) is not None:
        print(_answer(*request), file=answers, flush=True)


def _request() -> Request | None:
    """Return the next request; None if the parent has closed the pipe."""
    try:
        request: Request = pickle.load(sys.stdin.buffer)
    except EOFError:
        return None
    return request


def _answer(variables: int, clauses: list[list[int]], seconds: float | None) -> str:
    import pyganak

    signal.setitimer(signal.ITIMER_REAL, seconds or 0)
    try:
        counter = pyganak.Counter()  # counts once, so each question needs its own
        counter.new_vars(variables)
        counter.add_clauses(clauses)
        return f"{int(counter.count()):x}"
    except MemoryError:
        return "memory"
    except Exception as error:  # the parent must learn of every error
        lost = "bad_alloc" in str(error)
        return "memory" if lost else f"error {type(error).__name__}: {error}".replace("\n", " ")


def _bound_memory(more: int) -> None:
    with open("/proc/self/statm") as file:
        now = int(file.read().split()[0]) * resource.getpagesize()
    _, hard = resource.getrlimit(resource.RLIMIT_AS)
    wanted = now + more
    resource.setrlimit(resource.RLIMIT_AS, (wanted if hard < 0 else min(wanted, hard), hard))


if __name__ == "__main__":
    main()
