"""A server of the page for the tests of this folder, and a browser where one is installed."""

from __future__ import annotations

import os
import shutil
import socket
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pytest
import uvicorn

from csp_mines.web.games import Games
from csp_mines.web.server import create_app
from csp_mines.web.workers import WorkPool

CHROMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
FLAGS = (
    "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-sync",
    "--disable-background-networking", "--disable-component-update",
)  # fmt: skip


@dataclass(frozen=True)
class Site:
    """A running server."""

    port: int
    pool: WorkPool
    games: Games

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"


def running(pool: WorkPool, games: Games) -> Iterator[Site]:
    """A server in a thread of this process, on a port of its own."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    app = create_app("127.0.0.1", port, pool=pool, games=games)
    config = uvicorn.Config(app, port=port, log_level="warning", timeout_graceful_shutdown=1)
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run)
    thread.start()
    for _ in range(200):
        if server.started:
            break
        time.sleep(0.05)
    assert server.started
    yield Site(port, pool, games)
    server.should_exit = True
    thread.join(10)
    assert not thread.is_alive()


@pytest.fixture(scope="session")
def site() -> Iterator[Site]:
    yield from running(WorkPool(2, seconds=20), Games())


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    from playwright.sync_api import sync_playwright

    found = os.environ.get("CSP_MINES_CHROME") or next(filter(None, map(shutil.which, CHROMES)), "")
    if not found:
        pytest.skip("no Chromium or Chrome is installed here: the page was not tried in a browser")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=found, args=list(FLAGS))
        yield browser
        browser.close()
