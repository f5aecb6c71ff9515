"""The engine under test, loaded from `NAME` or `package.module:Class`."""

from __future__ import annotations

import re
from dataclasses import dataclass
from importlib.metadata import EntryPoint
from typing import Any

from csp_mines.backend import BACKENDS, Backend, backend_class, load_class
from csp_mines.errors import InputError, MissingLibrary


@dataclass(frozen=True)
class Engine:
    """An engine under test. `spec` is the text that `find_engine` was given, and `chosen` is the
    class. `declared` is the name of the entry point, or None if `spec` names a class."""

    spec: str
    chosen: type[Backend]
    declared: str | None

    def make(self, **bounds: Any) -> Backend:
        """Return a new instance. `bounds` are its limits, such as `seconds`. csp_mines does not
        enforce the time limit here, so that the suite sees whether the engine itself keeps the
        limit."""
        return self.chosen(None, **bounds)


def find_engine(spec: str) -> Engine:
    """Load the engine that `spec` names: by the name of its entry point, or as
    `package.module:Class`. Raises UnknownName for an unknown name, InputError if `spec` has a colon
    but not the second form, MissingLibrary if a library of the engine is not installed,
    BackendUnavailable if the engine cannot be loaded or is not a Backend."""
    if ":" in spec:
        if not re.fullmatch(r"\w+(\.\w+)*:\w+", spec):
            raise InputError(
                f"expected the name of an engine, or package.module:Class, not {spec!r}"
            )
        chosen = load_class(EntryPoint(spec, spec, BACKENDS), f"engine {spec!r}")
        declared = None
    else:
        chosen, declared = backend_class(spec), spec
    lacking = chosen.missing()
    if lacking is not None:
        raise MissingLibrary(f"engine {spec!r} is not available: {lacking}")
    return Engine(spec, chosen, declared)
