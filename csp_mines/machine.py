"""How much of the machine this process may use: the number of cores."""

from __future__ import annotations

import os


def usable_cores() -> int:
    """Return the number of cores that the system allows this process to use. If Python cannot ask
    the system for this number, return the number of cores of the machine, or 1 if that is
    unknown."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
