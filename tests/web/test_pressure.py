"""The server when others do their worst: clients that never finish a request, heavy work, clients
that leave, and processes that are killed. All of it from outside: sockets, HTTP and signals."""

from __future__ import annotations

import json
import os
import signal
import socket
import sys
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from typing import Any

import httpx
import pytest

from tests.web.conftest import Command, Site, command_line, commanded, statistics_of

CORNER = "mines: 3\n????\n113?\n001?\n001?"
LINUX = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="looks at /proc")

SOON = 2.0  # seconds; benchmarks/web.py asks for one, on a machine that does nothing else

# Clues two apart, each sharing cells with its neighbours: branching counts that for minutes
WIDE = "\n".join(
    "".join("3" if row % 2 and col % 2 else "?" for col in range(31)) for row in range(31)
)
SLOW = {"board": WIDE, "backend": "pysat"}
SEARCH = {"rows": 100, "cols": 100, "mines": 2500, "no_guess": True, "layout": True}


def posted(port: int, task: str, fields: dict[str, Any], *, sent: int | None = None) -> bytes:
    """A request, or its first bytes."""
    body = json.dumps(fields).encode()
    head = (
        f"POST /api/{task} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n"
        f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
    )
    return (head.encode() + body)[:sent]


def connected(port: int, sent: bytes) -> socket.socket:
    line = socket.create_connection(("127.0.0.1", port), timeout=20)
    line.sendall(sent)
    return line


@contextmanager
def crowd(port: int, *sent: bytes) -> Iterator[list[socket.socket]]:
    """Clients that have each sent these bytes, and now wait."""
    with ExitStack() as stack:
        yield [stack.enter_context(connected(port, each)) for each in sent]


def takes(line: socket.socket, sent: bytes) -> bool:
    """Whether the other end still takes what is sent."""
    try:
        line.sendall(sent)
    except ConnectionError:
        return False
    return True


def wait_until(condition: Callable[[], bool]) -> None:
    for _ in range(200):
        if condition():
            return
        time.sleep(0.05)
    raise AssertionError("it did not happen within ten seconds")


def ask(url: str, task: str, **fields: Any) -> httpx.Response:
    """A light request, answered soon."""
    return httpx.post(f"{url}/api/{task}", json=fields, timeout=SOON)


def use(url: str) -> None:
    """What somebody at the page does: an analysis, a hint, notations, and a game."""
    assert ask(url, "analyze", board=CORNER, backend="native").json()["solutions"] == "1"
    assert ask(url, "explain", board=CORNER, hint=True).json()["difficulty"] == "pair"
    assert ask(url, "formats", board=CORNER, to="line").status_code == 200
    game = ask(url, "play", level="beginner", start="zero").json()["game"]
    assert ask(url, "play", game=game, open=[[4, 4]]).json()["turns"] == 1


@pytest.fixture(scope="module")
def crowded() -> Iterator[Command]:
    """A command for tests that leave it as it was. In all of them, it writes nothing."""
    for command in commanded():
        yield command
        assert command.ended() == "csp-mines: interrupted\n"


@pytest.fixture(scope="module")
def struck() -> Iterator[Command]:
    """A command for tests that end some of its processes, but not itself."""
    yield from commanded()


# --- clients that do not finish a request ------------------------------------------------------


@pytest.fixture(scope="module", autouse=True)
def unfinished() -> Iterator[Future[float]]:
    """The seconds after which a server has given up all requests that do not come. Other tests run
    meanwhile."""
    with ThreadPoolExecutor(1) as alone:
        yield alone.submit(given_up)


def given_up() -> float:
    """A client sends nothing, half a head, half a body or a head that is refused; another one has
    sent a whole request and goes on a byte at a time."""
    for command in commanded():
        port = command.port
        foreign = posted(port, "analyze", SLOW)[:-9].replace(b"Host: 127", b"Host: 128")
        half = posted(port, "analyze", SLOW)
        begin = time.perf_counter()
        with (
            crowd(port, b"", half[:40], half[:-9], foreign) as clients,
            connected(port, posted(port, "choices", {})) as dripping,
        ):
            while dripping.recv(10_000)[-1:] != b"}":
                pass  # one whole request first
            wait_until(lambda: not takes(dripping, b"P"))
            for client in clients:
                while client.recv(10_000):
                    pass
        return time.perf_counter() - begin
    raise AssertionError("the command did not start")


def test_more_clients_than_there_is_room_for(crowded: Command) -> None:
    with crowd(crowded.port, *[b""] * 900):
        use(crowded.url)


def test_a_client_that_leaves_in_the_middle_is_nothing_to_speak_of(crowded: Command) -> None:
    whole = posted(crowded.port, "analyze", {"board": CORNER})
    long = posted(crowded.port, "analyze", {"board": "?" * 400_000})
    broken = whole[:60] + b"Transfer-Encoding: chunked\r\n\r\nzz\r\n"
    for sent in (b"", whole[:40], whole[:-5], whole, long[:200_000], broken, b"\x00\r\n\r\n"):
        for linger in (False, True):
            with connected(crowded.port, sent) as client:
                if linger:  # ends by a reset
                    on = b"\x01\0\0\0\0\0\0\0"
                    client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, on)
    use(crowded.url)


def test_three_hundred_slow_clients_and_two_hundred_heavy_requests(crowded: Command) -> None:
    port = crowded.port
    half_head, half_body = (
        posted(port, "analyze", SLOW, sent=40),
        posted(port, "analyze", SLOW)[:-9],
    )
    slow = [b"", half_head, half_body] * 100
    heavy = [posted(port, "analyze", SLOW), posted(port, "generate", SEARCH)] * 100
    with crowd(port, *slow), crowd(port, *heavy):
        for _ in range(2):
            use(crowded.url)
            time.sleep(0.1)


# --- heavy work --------------------------------------------------------------------------------


def test_heavy_work_gets_its_time(site: Site) -> None:
    """As much as it is promised, also when it began anew because others were at work."""
    answers: list[int] = []

    def toil() -> None:
        fields = {"board": CORNER, "backends": ["native", "pysat", "cpsat", "gauss", "single"]}
        answers.append(httpx.post(f"{site.url}/api/compare", json=fields, timeout=300).status_code)

    toilers = [threading.Thread(target=toil) for _ in range(6)]
    for toiler in toilers:
        toiler.start()
    for toiler in toilers:
        toiler.join()
    assert answers == [200] * 6


@LINUX
def test_work_is_ended_when_its_client_leaves(struck: Command) -> None:
    struck.wait_for_workers()
    with crowd(struck.port, *[posted(struck.port, "analyze", SLOW)] * 2):
        wait_until(lambda: len(struck.busy()) == 2)
        busy = struck.busy()
    wait_until(lambda: not set(busy) & set(struck.workers))
    use(struck.url)


# --- processes that are killed -----------------------------------------------------------------


@LINUX
def test_workers_that_are_killed_are_replaced(struck: Command) -> None:
    for _ in range(3):
        for worker in struck.wait_for_workers():
            os.kill(worker, signal.SIGKILL)
        assert ask(struck.url, "analyze", board=CORNER).status_code == 200


@LINUX
def test_a_request_whose_worker_is_killed_is_tried_again(struck: Command) -> None:
    answers: list[httpx.Response] = []

    def toil() -> None:
        answers.append(httpx.post(f"{struck.url}/api/generate", json=SEARCH, timeout=60))

    struck.wait_for_workers()
    toiler = threading.Thread(target=toil)
    toiler.start()
    wait_until(lambda: bool(struck.busy()))
    for worker in struck.workers:
        os.kill(worker, signal.SIGKILL)
    toiler.join()
    assert answers[0].status_code in (200, 504), answers[0].text


@LINUX
@pytest.mark.parametrize("busy", [False, True])
def test_workers_die_with_the_server(command: Command, busy: bool) -> None:
    workers = command.wait_for_workers()
    requests = [posted(command.port, "analyze", SLOW)] * (2 if busy else 0)
    with crowd(command.port, *requests):
        wait_until(lambda: len(command.busy()) == len(requests))
        command.process.kill()
        command.process.wait()
        wait_until(lambda: not any(command_line(worker) for worker in workers))


@LINUX
def test_a_fork_server_that_is_killed_is_replaced(struck: Command) -> None:
    workers = struck.wait_for_workers()
    parent = int(statistics_of(workers[0])[1])
    assert parent != struck.process.pid
    os.kill(parent, signal.SIGKILL)
    answer = httpx.post(f"{struck.url}/api/analyze", json={"board": CORNER}, timeout=20)
    assert answer.status_code == 200


# --- requests that do not come, at last --------------------------------------------------------


def test_a_request_that_does_not_come_is_not_waited_for(unfinished: Future[float]) -> None:
    """Neither is one that comes a byte at a time, nor one that is refused at its head."""
    assert 3 < unfinished.result() < 10
