"""The program of Ganak's own process: it reads formulas and writes numbers of models.

    python ganak_process.py FOLDER BYTES

Ganak does not return to Python while it counts, prints on standard output, and may end its process.
So it gets a process of its own. Requests are pickled `(variables, clauses, seconds)` on standard
input. The answer to each is a line: a number in hexadecimal digits, `memory` if the memory did not
suffice, or `error` and a text. After `seconds`, unless None, the process ends by itself, even if
its parent has ended. FOLDER contains `pyganak`. BYTES is the memory that the process may take in
addition to what it has at the start.
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
    import pyganak  # noqa: F401  # imported first: the limit does not include its libraries

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
