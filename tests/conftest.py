"""Property tests run the same examples every time, so that a failure is never a matter of luck.
CSP_MINES_EXPLORE=1 looks for new ones instead."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import pytest
from hypothesis import HealthCheck, Phase, settings

settings.register_profile(
    "same", derandomize=True, deadline=None, max_examples=40, database=None,
    suppress_health_check=[HealthCheck.too_slow],
)  # fmt: skip
settings.register_profile(
    "brief", settings.get_profile("same"), max_examples=15, phases=[Phase.generate]
)
settings.register_profile(
    "explore", deadline=None, max_examples=600, database=None, print_blob=True,
    suppress_health_check=[HealthCheck.too_slow],
)  # fmt: skip
settings.load_profile("explore" if os.environ.get("CSP_MINES_EXPLORE") == "1" else "same")

# Started in the background, a shell has Ctrl-C ignored for us and all that we start; tests send it.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

# The folders whose tests take longest. They come first, so that at the end no worker is left with a
# long test while the others have nothing to do; and mostly one worker starts a browser.
LONGEST = ("web", "packaging", "conformance", "simulation", "examples")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    def place(item: pytest.Item) -> int:
        folder = item.path.relative_to(Path(__file__).parent).parts[0]
        return LONGEST.index(folder) if folder in LONGEST else len(LONGEST)

    items.sort(key=place)
