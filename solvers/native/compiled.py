"""Find the compiled kernel, unless CSP_MINES_KERNEL switches it off. If this environment variable
is `pure`, the kernel is not used. If it is `compiled`, the kernel must have been built."""

from __future__ import annotations

import os
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, cast

from csp_mines.errors import BackendUnavailable, UnknownName

if TYPE_CHECKING:
    from csp_mines.kernel import Kernel

VARIABLE = "CSP_MINES_KERNEL"


@cache
def load() -> Kernel | None:
    """Return the kernel, or None if the pure engine is used. A process looks for the kernel once.

    Raises BackendUnavailable if CSP_MINES_KERNEL is `compiled` but the kernel was not built, and
    UnknownName if CSP_MINES_KERNEL is neither `pure` nor `compiled` nor empty."""
    wanted = os.environ.get(VARIABLE, "")
    if wanted not in ("", "pure", "compiled"):
        raise UnknownName(VARIABLE, wanted, ["pure", "compiled"])
    if wanted == "pure":
        return None
    try:
        return cast("Kernel", import_module("._kernel", __package__).Kernel)
    except ImportError as error:
        if wanted == "compiled":
            message = f"{VARIABLE}=compiled, but the kernel was not built: {error}"
            raise BackendUnavailable(message) from error
        return None


def why_not() -> str:
    """Return a clause about the kernel, such as `which was not built here`, that says why it is not
    used. Call this only if the kernel is not used."""
    if os.environ.get(VARIABLE) == "pure":
        return f"which {VARIABLE}=pure switches off"
    return "which was not built here: install again where there is a C++ compiler"
