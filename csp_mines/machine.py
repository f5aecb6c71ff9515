"""How much of the machine this process may use: the number of cores, memory and open files."""

from __future__ import annotations

import os


def usable_cores() -> int:
    """Return the number of cores that the system allows this process to use. If Python cannot ask
    the system for this number, return the number of cores of the machine, or 1 if that is
    unknown."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def set_limit(name: str, wanted: int, *, lower: bool = True) -> None:
    """Set a limit of this process to `wanted`, or to the hard limit if that is lower. `name` is the
    name of the limit in the module `resource`. If `lower` is false, keep a limit that is higher
    than `wanted`. Do nothing on Windows, which has no such limits."""
    try:
        import resource
    except ImportError:
        return
    limit = getattr(resource, name)
    soft, hard = resource.getrlimit(limit)
    if hard != resource.RLIM_INFINITY:
        wanted = min(wanted, hard)
    if lower or soft < wanted:
        resource.setrlimit(limit, (wanted, hard))
