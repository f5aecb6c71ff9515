"""`csp-mines web`: what it says, what it opens, how it ends."""

from __future__ import annotations

import importlib.util
import os
import signal
import sys
import time
import urllib.request
import webbrowser
from collections.abc import Callable

import pytest

from csp_mines.board import Board
from csp_mines.web import server
from tests.cli.runner import run
from tests.web.conftest import Command, descendants, free_port, start_command

CORNER = "mines: 3\n????\n113?\n001?\n001?"


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
    assert answer.out == f"csp-mines is at {opened[0]} (Ctrl-C ends it)\n"
    address, _, line = opened[0].partition("#/analyse/")
    assert address == f"http://127.0.0.1:{port}/"
    assert Board.parse(line) == Board.parse(CORNER)


def test_no_browser(opened: list[str]) -> None:
    answer = run("web", "-", "--no-browser", "--port", str(free_port()), stdin=CORNER)
    assert (answer.status, opened) == (0, [])
    assert f"#/analyse/{Board.parse(CORNER).to_line()} " in answer.out


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
    assert "the page needs starlette: " in answer.err
    assert "[web]" in answer.err


@pytest.mark.parametrize("host", ["", " "])
def test_an_empty_address_is_refused(host: str) -> None:
    answer = run("web", "--no-browser", "--host", host)
    assert answer.status == 2
    assert f"{host!r} is not an address to listen at" in answer.err


@pytest.mark.parametrize("host", ["no such name", "192.0.2.1", "256.1.1.1", "\udcff", "[::1]"])
def test_an_address_that_is_not_ours_is_one_line(host: str) -> None:
    answer = run("web", "--no-browser", "--host", host)
    assert answer.status == 2
    assert answer.err.count("\n") == 1
    assert answer.err.startswith("csp-mines: cannot listen at ")


@pytest.mark.parametrize(
    ("host", "link"),
    [("0.0.0.0", "127.0.0.1"), ("::", "[::1]"), ("::1", "[::1]"), ("192.0.2.7", "192.0.2.7")],
)
def test_the_link_can_be_opened(opened: list[str], host: str, link: str) -> None:
    assert run("web", "--host", host).status == 0
    assert opened == [f"http://{link}:8421/"]


def test_loopback_needs_no_warning(opened: list[str]) -> None:
    for host in ("127.0.0.1", "LOCALHOST", "::1", "127.0.0.2"):
        assert run("web", "--host", host).err == ""


@pytest.mark.skipif(sys.platform == "win32", reason="there is no SIGINT for a process there")
def test_the_command_serves_until_it_is_interrupted(command: Command) -> None:
    with urllib.request.urlopen(f"{command.url}/", timeout=10) as page:
        assert b"csp-mines" in page.read()
    assert command.ended() == "csp-mines: interrupted\n"
    assert command.process.returncode == 130


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="looks at processes in /proc")
@pytest.mark.parametrize("moment", ["first", "workers", "later"])
def test_ctrl_c_while_the_server_starts(moment: str) -> None:
    """A terminal sends it to all processes: to those, too, that are still loading."""
    with start_command(free_port()) as process:
        wanted = {"first": 1, "workers": 2, "later": 4}[moment]
        while len(descendants(process.pid)) < wanted:
            assert process.poll() is None
            time.sleep(0.002)
        os.killpg(process.pid, signal.SIGINT)
        _, errors = process.communicate(timeout=20)
    assert errors == "csp-mines: interrupted\n"
    assert process.returncode == 130
