"""What the tests of commands share."""

from __future__ import annotations

import signal
from collections.abc import Iterator

import pytest


@pytest.fixture(autouse=True, scope="session")
def ctrl_c() -> Iterator[None]:
    """Commands that the tests start hear Ctrl-C. A shell ignores it for what runs in the
    background, and a command that starts so goes on ignoring it."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)
