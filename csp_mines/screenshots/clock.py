"""Bounds the time that reading a picture takes."""

from __future__ import annotations

from time import thread_time

from csp_mines.errors import PictureTooBusy

__all__ = ["SEARCH", "Clock", "Limit"]

SEARCH = 0.5  # the share of `Clock.seconds` for the search for lattices (`lattice.py`)


class Clock:
    """The processor time that reading a picture may take: `seconds`. Only the time of this thread
    counts, so other work of the machine has no influence."""

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self.start = thread_time()

    def is_past(self, share: float) -> bool:
        """Whether this share of `seconds` has passed."""
        return thread_time() - self.start > share * self.seconds

    def check(self, share: float = 1.0) -> None:
        """Raise PictureTooBusy if this share of `seconds` has passed."""
        if self.is_past(share):
            raise PictureTooBusy(
                f"the picture shows too much to be searched in {self.seconds:g} s. "
                "Cut out the board."
            )

    def part(self, share: float, parts: int) -> Limit:
        """Return the limit for the next candidate. The time that remains of `share * seconds` is
        divided equally among the `parts` candidates that remain."""
        passed = thread_time() - self.start
        return Limit(self.start + passed + max(share * self.seconds - passed, 0) / parts)


class Limit:
    """A moment in the processor time of this thread."""

    def __init__(self, moment: float) -> None:
        self.moment = moment

    def is_past(self) -> bool:
        return thread_time() > self.moment
