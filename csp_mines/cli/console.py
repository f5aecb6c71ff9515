"""Where commands write: results on `out()`, messages and progress on `err()`.

Both are made when they are used, so that they follow whatever the streams are by then. Rich leaves
colours out when a stream is no terminal, and honours NO_COLOR and FORCE_COLOR."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rich.console import Console

__all__ = ["err", "out", "show_json"]


def out() -> Console:
    """Standard output. Lines are never wrapped: a board or a path stays whole."""
    from rich.console import Console

    return Console(file=sys.stdout, highlight=False, soft_wrap=True)


def err() -> Console:
    """Standard error."""
    from rich.console import Console

    return Console(file=sys.stderr, highlight=False, soft_wrap=True)


def show_json(value: Any) -> None:
    """One line of JSON on standard output, without any styling."""
    sys.stdout.write(json.dumps(value, ensure_ascii=False, allow_nan=False) + "\n")
    sys.stdout.flush()
