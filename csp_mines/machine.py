"""How much of the machine this process may use: the number of cores."""

from __future__ import annotations

import os


def usable_cores() -> int:
    """Return the number of cores that this process may use. The system may allow it fewer cores
    than the machine has."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
