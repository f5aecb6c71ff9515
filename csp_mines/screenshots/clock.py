"""Bounds the time that reading a picture takes."""

from __future__ import annotations

from collections.abc import Callable
from time import thread_time

from csp_mines.errors import PictureTooBusy

SEARCH = 0.5  # share of `Clock.seconds` after which no more lattices are looked for (`lattice.py`)


class Clock:
    """A limit on the processor time for reading a picture: `seconds` from the creation of the
    clock. Only the processor time of the current thread counts, so other work of the machine does
    not use up the limit."""

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self.start = thread_time()

    def is_past(self, share: float) -> bool:
        """Whether more than `share * seconds` of processor time has passed."""
        return thread_time() - self.start > share * self.seconds

    def check(self, share: float = 1.0) -> None:
        """Raise PictureTooBusy if more than `share * seconds` of processor time has passed."""
        if self.is_past(share):
            raise PictureTooBusy(
                f"the search for a board takes more than {share * self.seconds:.1f} s of "
                "processor time. Crop the picture to the board."
            )

    def part(self, share: float, parts: int) -> Callable[[], bool]:
        """Return a function that says whether work on the next candidate must end. `parts` is the
        number of candidates that remain, with this candidate. Each candidate gets an equal part of
        the time that is left of `share * seconds`."""
        passed = thread_time() - self.start
        moment = self.start + passed + max(share * self.seconds - passed, 0) / parts
        return lambda: thread_time() > moment
