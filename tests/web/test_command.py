"""`csp-mines web`: what it says, what it opens, how it ends."""

from __future__ import annotations

import importlib.util
import signal
import socket
import subprocess
import sys
import urllib.request
import webbrowser
from collections.abc import Callable
from pathlib import Path

import pytest

from csp_mines.board import Board
from csp_mines.web import server
from tests.cli.runner import run

CORNER = "mines: 3\n????\n113?\n001?\n001?"


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


@pytest.fixture
def opened(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The addresses that a browser was asked to open; the server is ready at once and ends."""
    addresses: list[str] = []

    def serve(host: str, port: int, *, ready: Callable[[], None]) -> None:
        ready()

    monkeypatch.setattr(server, "serve", serve)
    monkeypatch.setattr(webbrowser, "open", addresses.append)
    return addresses


def test_a_board_is_in_the_link_that_opens(opened: list[str]) -> None:
    port = free_port()
    answer = run("web", "-", "--port", str(port), stdin=CORNER)
    assert answer.status == 0
    assert answer.out == f"csp-mines is at http://127.0.0.1:{port}/ (Ctrl-C ends it)\n"
    address, _, line = opened[0].partition("#/analyse/")
    assert address == f"http://127.0.0.1:{port}/"
    assert Board.parse(line) == Board.parse(CORNER)


def test_no_browser(opened: list[str]) -> None:
    assert run("web", "--no-browser", "--port", str(free_port())).status == 0
    assert opened == []


def test_an_address_beyond_loopback_says_what_that_means(opened: list[str]) -> None:
    answer = run("web", "--no-browser", "--host", "0.0.0.0", "--port", str(free_port()))
    assert answer.status == 0
    assert "there is no password" in answer.err


def test_a_wrong_board_is_refused_before_anything_is_served(opened: list[str]) -> None:
    answer = run("web", "-", stdin="no board")
    assert answer.status == 2
    assert opened == []


def test_a_missing_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    answer = run("web")
    assert answer.status == 2
    assert "pip install 'csp-mines[web]'" in answer.err


@pytest.mark.skipif(sys.platform == "win32", reason="there is no SIGINT for a process there")
def test_the_command_serves_until_it_is_interrupted() -> None:
    port = free_port()
    command = [str(Path(sys.executable).with_name("csp-mines")), "web", "--no-browser"]
    with subprocess.Popen(
        [*command, "--port", str(port)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        assert "Ctrl-C" in process.stdout.readline()
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/", timeout=10) as page:
            assert b"csp-mines" in page.read()
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=20)
    assert "Traceback" not in errors
    assert process.returncode in (0, 130)
