"""Read JSON from untrusted text: values beyond Python's limits raise a ValueError."""

from __future__ import annotations

import json
from typing import Any


def from_json(text: str) -> Any:
    """Return the value of a JSON text. Raises json.JSONDecodeError for invalid JSON; this error has
    the number of the line. Raises ValueError for a value beyond Python's limits."""
    try:
        return json.loads(text)
    except json.JSONDecodeError:
        raise
    except RecursionError:
        raise ValueError("the value is nested too deeply") from None
    except ValueError:  # Python limits the digits of a number to a few thousand
        raise ValueError("a number has too many digits") from None
