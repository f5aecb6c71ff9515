"""Read JSON from untrusted text: a value that Python cannot read raises a ValueError."""

from __future__ import annotations

import json
from typing import Any


def from_json(text: str) -> Any:
    """Return the value of a JSON text. Raises json.JSONDecodeError, which has the number of the
    line, for invalid JSON. Raises ValueError if lists and objects are nested too deeply, or if a
    number has too many digits."""
    try:
        return json.loads(text)
    except json.JSONDecodeError:
        raise
    except RecursionError:
        raise ValueError("the value is nested too deeply") from None
    except ValueError:  # Python limits the digits of a number to a few thousand
        raise ValueError("a number has too many digits") from None
