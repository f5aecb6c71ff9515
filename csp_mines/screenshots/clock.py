"""Bounds the time that reading a picture takes."""

from __future__ import annotations

from time import thread_time

from csp_mines.errors import PictureTooBusy

__all__ = ["SEARCH", "Clock", "Limit"]

SEARCH = 0.5  # the share of the time in which lattices are looked for


class Clock:
    """Counts the processor time of this thread, so that a busy machine refuses no picture."""

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self.start = thread_time()

    def is_past(self, share: float) -> bool:
        """Whether this share of the time has passed."""
        return thread_time() - self.start > share * self.seconds

    def check(self, share: float = 1.0) -> None:
        """Raise PictureTooBusy if this share of the time has passed."""
        if self.is_past(share):
            raise PictureTooBusy(
                f"the picture shows too much to be searched in {self.seconds:g} s. "
                "Cut out the board."
            )

    def part(self, share: float, parts: int) -> Limit:
        """Return the end of one of so many equal parts of the time that is left until this share of
        the time has passed, so that one candidate does not take the time of the others."""
        passed = thread_time() - self.start
        return Limit(self.start + passed + max(share * self.seconds - passed, 0) / parts)


class Limit:
    """A moment in the processor time of this thread."""

    def __init__(self, moment: float) -> None:
        self.moment = moment

    def is_past(self) -> bool:
        return thread_time() > self.moment
