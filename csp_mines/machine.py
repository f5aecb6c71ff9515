"""How much of the machine this process may use: the number of cores."""

from __future__ import annotations

import os


def usable_cores() -> int:
    """Return the number of cores that the system allows this process to use. If the system sets no
    such limit for processes, return the number of cores of the machine, or 1 if it is unknown."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
