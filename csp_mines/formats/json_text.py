"""Read JSON from untrusted text: a value that Python cannot read is an error of the text."""

from __future__ import annotations

import json
from typing import Any


def from_json(text: str) -> Any:
    """Return the value of a JSON text. Raises json.JSONDecodeError, which has the problem and the
    number of the line, for invalid JSON, if lists and objects are nested too deeply, or if a number
    has too many digits."""
    try:
        return json.loads(text)
    except json.JSONDecodeError:
        raise
    except RecursionError:
        raise json.JSONDecodeError("the value is nested too deeply", text, 0) from None
    except ValueError:  # Python limits the digits of a number to a few thousand
        raise json.JSONDecodeError("a number has too many digits", text, 0) from None
