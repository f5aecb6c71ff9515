"""JSON out of texts of unknown origin."""

from __future__ import annotations

import json
from typing import Any

__all__ = ["from_json"]


def from_json(text: str) -> Any:
    """The value that a text says. Raises ValueError for all that is no JSON or too much of it; a
    json.JSONDecodeError knows the line."""
    try:
        return json.loads(text)
    except json.JSONDecodeError:
        raise
    except RecursionError:
        raise ValueError("it is nested too deep") from None
    except ValueError:  # Python reads no more than some thousand digits
        raise ValueError("a number in it has too many digits") from None
