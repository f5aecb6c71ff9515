"""Find the compiled kernel, unless CSP_MINES_KERNEL switches it off. If this environment variable
is `pure`, the kernel is not used. If it is `compiled`, the kernel must have been built. If it is
empty or missing, the kernel is used if it was built."""

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
    """Return the kernel. Return None if CSP_MINES_KERNEL is `pure`, or if CSP_MINES_KERNEL is empty
    and the kernel cannot be imported. Later calls in the same process return the same result.

    Raises BackendUnavailable if CSP_MINES_KERNEL is `compiled` but the kernel cannot be imported,
    UnknownName if CSP_MINES_KERNEL has another value."""
    wanted = os.environ.get(VARIABLE, "")
    if wanted not in ("", "pure", "compiled"):
        raise UnknownName(VARIABLE, wanted, ["pure", "compiled"])
    if wanted == "pure":
        return None
    try:
        return cast("Kernel", import_module("._kernel", __package__).Kernel)
    except ImportError as error:
        if wanted == "compiled":
            raise BackendUnavailable(
                f"{VARIABLE} is 'compiled', but the kernel cannot be imported: {error}; install "
                f"again where there is a C++ compiler, or remove {VARIABLE}"
            ) from error
        return None


def why_not() -> str:
    """Return the reason why `load` returned None, as a relative clause about the kernel, such as
    `which CSP_MINES_KERNEL=pure switches off`. Call this function only if `load` returned None."""
    if os.environ.get(VARIABLE) == "pure":
        return f"which {VARIABLE}=pure switches off"
    return "which was not built here: install again where there is a C++ compiler"
