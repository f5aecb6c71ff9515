"""A server of the page for the tests of this folder, and a browser where one is installed."""

from __future__ import annotations

import os
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import pytest

from csp_mines.machine import usable_cores
from csp_mines.web import lanes
from csp_mines.web.games import Games
from csp_mines.web.lanes import WorkPool
from csp_mines.web.server import create_app, create_server, listen

# The first one has no windows: it takes half the time of a whole Chromium.
CHROMES = (
    "chromium-headless-shell", "chromium", "chromium-browser", "google-chrome",
    "google-chrome-stable", "chrome",
)  # fmt: skip
FLAGS = (
    "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-sync",
    "--disable-background-networking", "--disable-component-update",
)  # fmt: skip


@dataclass(frozen=True)
class Site:
    """A running server."""

    port: int
    games: Games

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"


def running(pool: WorkPool, games: Games) -> Iterator[Site]:
    """A server in a thread of this process, on a port of its own."""
    sockets = listen("127.0.0.1", 0)
    port = sockets[0].getsockname()[1]
    server = create_server(create_app("127.0.0.1", port, pool=pool, games=games))
    thread = threading.Thread(target=server.run, args=(sockets,))
    thread.start()
    for _ in range(200):
        if server.started:
            break
        time.sleep(0.05)
    assert server.started
    yield Site(port, games)
    server.should_exit = True
    thread.join(10)
    assert not thread.is_alive()


@pytest.fixture(scope="session")
def site() -> Iterator[Site]:
    """A server with much time for each request, because the machine may have other work."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(lanes, "PATIENCE", 60.0)
        yield from running(WorkPool(2, seconds=60), Games())


@dataclass
class Command:
    """`csp-mines web` in a process of its own, as people start it, with its workers."""

    port: int
    process: subprocess.Popen[str]

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @property
    def workers(self) -> list[int]:
        """The processes that answer: those that have no child, of all below the command."""
        below = descendants(self.process.pid)
        leaves = [pid for pid in below if not descendants(pid)]
        return [pid for pid in leaves if "resource_tracker" not in command_line(pid)]

    def wait_for_workers(self) -> list[int]:
        """The workers, when all have been started."""
        for _ in range(200):
            if len(self.workers) >= max(2, usable_cores()) + 3:
                break
            time.sleep(0.05)
        return self.workers

    def busy(self) -> list[int]:
        """The workers that have been at work for a while."""
        return [pid for pid in self.workers if processor_seconds(pid) > 0.3]

    def ended(self) -> str:
        """Interrupts the command; what it wrote to standard error."""
        self.process.send_signal(signal.SIGINT)
        return self.process.communicate(timeout=20)[1]


def descendants(pid: int) -> list[int]:
    """The processes below one, as Linux tells them."""
    found: list[int] = []
    for path in Path(f"/proc/{pid}/task").glob("*/children"):
        with suppress(OSError):
            for child in map(int, path.read_text().split()):
                found += [child, *descendants(child)]
    return found


def command_line(pid: int) -> str:
    """The words that a process was started with; none of one that has ended."""
    with suppress(OSError):
        return Path(f"/proc/{pid}/cmdline").read_text().replace("\0", " ")
    return ""


def processor_seconds(pid: int) -> float:
    """What a process has used; nothing of one that has ended."""
    fields = statistics_of(pid)
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK") if fields else 0.0


def statistics_of(pid: int) -> list[str]:
    """What Linux tells of a process, from its state on; nothing of one that has ended."""
    with suppress(OSError):
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return []


def start_command(port: int, *options: str) -> subprocess.Popen[str]:
    """Starts `csp-mines web` in a session of its own, so that signals reach all its processes."""
    script = str(Path(sys.executable).with_name("csp-mines"))
    return subprocess.Popen(
        [script, "web", "--no-browser", "--port", str(port), *options],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True,
    )  # fmt: skip


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


@pytest.fixture
def command() -> Iterator[Command]:
    yield from commanded()


def commanded(*options: str) -> Iterator[Command]:
    """The command while it listens."""
    port = free_port()
    with start_command(port, *options) as process:
        assert process.stdout is not None
        assert "Ctrl-C" in process.stdout.readline()
        command = Command(port, process)
        httpx.post(f"{command.url}/api/choices", json={}, timeout=20)  # workers have been loaded
        try:
            yield command
        finally:
            process.kill()


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    from playwright.sync_api import expect, sync_playwright

    expect.set_options(timeout=30_000)  # a loaded machine is slow, and no test measures seconds

    found = os.environ.get("CSP_MINES_CHROME") or next(filter(None, map(shutil.which, CHROMES)), "")
    if not found:
        pytest.skip("no Chromium or Chrome is installed here: the page was not tried in a browser")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=found, args=list(FLAGS))
        yield browser
        browser.close()
