"""Measure the page under load: `python benchmarks/web.py --seconds 60 --only load`.

1. Click to picture: the time in a real browser from a click that changes a clue to the frame that
   shows the new analysis, on an expert board and on 100×100.
2. Load: the number of expert analyses per second that one client gets, and the memory of the server
   and its workers before and after.
3. Fuzzed requests, 35,000 by default: fields of every route with right, odd and wrong values,
   broken JSON and broken HTTP. No answer may have a status 5xx.
4. A board that would take minutes to count: when the server answers with estimates or ends the
   work, and when it answers the next request.
5. Pressure: 300 clients send nothing, half a request or a byte per second, and 200 clients request
   heavy work again and again. One person uses the page at the same time. The server must answer
   each light request of that person within a second.
6. With --games FOLDER: every recording of the folder is dropped on the page, and the page goes to
   each of its mistakes.

Everything runs on this machine's loopback interface and stops by itself.
"""

from __future__ import annotations

import argparse
import asyncio
import base64
import contextlib
import json
import os
import random
import shutil
import socket
import statistics
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from csp_mines.board import HIDDEN, Board
from csp_mines.games.game import Game, Rules
from csp_mines.layout import Layout

ROOT = Path(__file__).parents[1]
CLICKS = 60
CHROMES = (
    "chromium-headless-shell", "chromium", "chromium-browser", "google-chrome",
    "google-chrome-stable",
)  # fmt: skip
FLAGS = (
    "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-sync",
    "--disable-background-networking", "--disable-component-update",
)  # fmt: skip

# In the page: resolves with the milliseconds from the press to the frame after the new analysis
TIMED = """
([selector, x, y, before]) => new Promise(resolve => {
    const status = document.querySelector(".view:not([hidden]) .status");
    const begin = performance.now();
    const watcher = new MutationObserver(() => {
        watcher.disconnect();
        requestAnimationFrame(() => setTimeout(() => resolve(performance.now() - begin)));
    });
    watcher.observe(status, {childList: true, subtree: true});
    const target = document.querySelector(selector);
    const how = {clientX: x, clientY: y, button: 0, buttons: 1, pointerId: 1, bubbles: true};
    target.dispatchEvent(new PointerEvent("pointerdown", {...how, pointerType: "mouse"}));
    target.dispatchEvent(new PointerEvent("pointerup", {...how, pointerType: "mouse"}));
})
"""


def row(what: str, measured: str) -> None:
    """Print a row of the table."""
    print(f"| {what} | {measured} |", flush=True)


PARTS = ("clicks", "load", "fuzz", "long", "pressure", "recordings")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--seconds", type=float, default=60, help="how long load and pressure last")
    parser.add_argument("--fuzzed", type=int, default=35_000, help="how many fuzzed requests")
    parser.add_argument("--seed", type=int, default=3, help="of the fuzzed requests")
    parser.add_argument("--connections", type=int, default=16)
    parser.add_argument("--games", type=Path, help="a folder of recordings to drop on the page")
    parser.add_argument("--only", choices=PARTS, action="append", help="one part; may be repeated")
    wanted = parser.parse_args()
    parts = wanted.only or PARTS
    print("| what | measured |\n|---|---|", flush=True)
    with server() as (port, process):
        if "clicks" in parts:
            clicks(port)
        if "load" in parts:
            asyncio.run(load(port, process, wanted.seconds, wanted.connections))
        if "fuzz" in parts:
            asyncio.run(fuzz(port, wanted.fuzzed, wanted.seed))
        if "long" in parts:
            asyncio.run(too_long(port))
        if "pressure" in parts:
            asyncio.run(pressure(port, wanted.seconds))
        if "recordings" in parts and wanted.games is not None:
            recordings(port, wanted.games)


@contextlib.contextmanager
def server() -> Iterator[tuple[int, subprocess.Popen[str]]]:
    """Runs the command `csp-mines web` on a free port."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    command = [str(Path(sys.executable).with_name("csp-mines")), "web", "--no-browser", "--port"]
    process = subprocess.Popen([*command, str(port)], stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    print(process.stdout.readline().strip(), file=sys.stderr, flush=True)
    try:
        yield port, process
    finally:
        process.terminate()
        process.wait(10)


# --- click to picture ----------------------------------------------------------------------------


def clicks(port: int) -> None:
    chrome = next(filter(None, map(shutil.which, CHROMES)), None)
    if chrome is None:
        row("click to drawn analysis", "no Chromium or Chrome here: not measured")
        return
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chrome, args=list(FLAGS))
        page = browser.new_page(viewport={"width": 1280, "height": 860})
        page.goto(f"http://127.0.0.1:{port}/")
        for name, board in (("expert board", expert()), ("100×100", large())):
            times = timed_clicks(page, board)
            middle, worst = statistics.median(times), sorted(times)[int(len(times) * 0.95)]
            row(f"click to drawn analysis, {name}", f"median {middle:.0f} ms, 95 % within "
                f"{worst:.0f} ms")  # fmt: skip
        browser.close()


def timed_clicks(page: Any, board: Board) -> list[float]:
    """Sets digits on clues near the upper left, one after the other, and undoes each."""
    page.evaluate("text => { const data = new DataTransfer(); data.setData('text/plain', text);"
                  "document.dispatchEvent(new ClipboardEvent('paste', {clipboardData: data})) }",
                  board.to_text())  # fmt: skip
    page.wait_for_timeout(1500)
    page.get_by_role("button", name="Draw", exact=True).click()
    page.get_by_role("group", name="Brush").get_by_role("button", name="Open or hide").click()
    selector = ".view:not([hidden]) .board"
    box = page.locator(f"{selector} svg, {selector} .board-window").first.bounding_box()
    scale = box["width"] / (21 + 32 * board.cols) if board.codes.size <= 2500 else 24 / 32
    times = []
    cells = [cell for cell in board.cells(HIDDEN) if cell[0] < 14 and cell[1] < 20]
    for number in range(CLICKS):
        row, col = cells[(number // 2 * 7) % len(cells)]  # shown, then hidden again
        x = box["x"] + (20 + 32 * col + 16) * scale
        y = box["y"] + (20 + 32 * row + 16) * scale
        times.append(page.evaluate(TIMED, [selector, x, y, None]))
        page.wait_for_timeout(30)
    return times[4:]  # the first clicks include loading


def expert() -> Board:
    return Board.read(ROOT / "examples" / "boards" / "expert.txt")


def large() -> Board:
    """A game on 100×100 with 1,500 mines, with the floods of a few zeros open."""
    game = Game(Layout.random(100, 100, 1500, 7), Rules(start="any"), 7)
    for row, col in zip(*(game.layout.numbers == 0).nonzero(), strict=True):
        if not game.layout.mines[row, col] and (row + col) % 5 == 0 and not game.over:
            game.open((int(row), int(col)))
    return game.board


# --- recordings ----------------------------------------------------------------------------------

DROPPED = """([name, letters]) => {
    const data = new DataTransfer();
    const bytes = Uint8Array.from(atob(letters), letter => letter.charCodeAt(0));
    data.items.add(new File([bytes], name));
    document.dispatchEvent(new DragEvent("drop", {dataTransfer: data, cancelable: true}));
}"""


def recordings(port: int, folder: Path) -> None:
    from playwright.sync_api import sync_playwright

    shown = ".view:not([hidden])"
    with sync_playwright() as playwright:
        chrome = next(filter(None, map(shutil.which, CHROMES)))
        browser = playwright.chromium.launch(executable_path=chrome, args=list(FLAGS))
        for file in sorted(folder.iterdir()):
            page = browser.new_page()
            page.goto(f"http://127.0.0.1:{port}/")
            page.wait_for_selector(f"{shown} .proof")
            begin = time.perf_counter()
            page.evaluate(DROPPED, [file.name, base64.b64encode(file.read_bytes()).decode()])
            page.wait_for_selector(f"{shown} h1 >> text=Review of {file.name}", timeout=60_000)
            took = time.perf_counter() - begin
            page.get_by_role("button", name="Next mistake").click()
            told = page.inner_text(f"{shown} .card:not(.status):not(.why)").replace("\n", " ")
            row(f"review of {file.name}", f"{took:.1f} s: {told}")
            page.close()
        browser.close()


# --- load ----------------------------------------------------------------------------------------


class Client:
    """One connection that stays open."""

    def __init__(self, port: int) -> None:
        self.port = port

    async def __aenter__(self) -> Client:
        self.reader, self.writer = await asyncio.open_connection("127.0.0.1", self.port)
        return self

    async def __aexit__(self, *_: object) -> None:
        self.writer.close()

    async def post(self, task: str, body: bytes) -> tuple[int, bytes]:
        head = (
            f"POST /api/{task} HTTP/1.1\r\nHost: 127.0.0.1:{self.port}\r\n"
            f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
        )
        self.writer.write(head.encode() + body)
        answer = await self.reader.readuntil(b"\r\n\r\n")
        length = int(answer.lower().split(b"content-length:")[1].split(b"\r\n")[0])
        return int(answer.split()[1]), await self.reader.readexactly(length)


async def load(port: int, process: subprocess.Popen[str], seconds: float, connections: int) -> None:
    body = json.dumps({"board": expert().to_text()}).encode()
    statuses: Counter[int] = Counter()
    waits: list[float] = []
    async with Client(port) as client:
        await client.post("analyze", body)  # this loads everything
    before = memory(process.pid)

    async def asking(until: float) -> None:
        async with Client(port) as client:
            while time.perf_counter() < until:
                begin = time.perf_counter()
                status, _ = await client.post("analyze", body)
                waits.append(time.perf_counter() - begin)
                statuses[status] += 1

    until = time.perf_counter() + seconds
    async with asyncio.TaskGroup() as group:
        for _ in range(connections):
            group.create_task(asking(until))
    rate, middle = len(waits) / seconds, statistics.median(waits) * 1000
    worst = sorted(waits)[int(len(waits) * 0.99)] * 1000
    assert set(statuses) == {200}, statuses
    row(f"expert analyses per second, {connections} clients for {seconds:g} s", f"{rate:,.0f}; "
        f"median {middle:.1f} ms, 99 % within {worst:.1f} ms")  # fmt: skip
    row("memory of the server and its workers, before and after these",
        f"{before:.0f} MB, {memory(process.pid):.0f} MB")  # fmt: skip


def memory(pid: int) -> float:
    """The resident memory of a process and everything below it, in MB."""
    total = 0.0
    for process in [pid, *descendants(pid)]:
        with contextlib.suppress(OSError):
            pages = int(Path(f"/proc/{process}/statm").read_text().split()[1])
            total += pages * os.sysconf("SC_PAGE_SIZE") / 1e6
    return total


def descendants(pid: int) -> list[int]:
    found: list[int] = []
    for path in Path(f"/proc/{pid}/task").glob("*/children"):
        for child in map(int, path.read_text().split()):
            found += [child, *descendants(child)]
    return found


# --- fuzzing -------------------------------------------------------------------------------------

BOARDS = (
    "??1\n???", "mines: 2\n?1M\n1??", "?????\n1131?\n?????", "density: 0.2\n?1?", "", "?", "9",
    "??\n?", "?" * 400, "0\n" * 30, "mines: 99\n?", "\ud800", "\x00", "💣1", "-1,1\n1,-1",
    "clues: any\n?2?",
)  # fmt: skip
ODD = (
    None, True, False, 0, 1, -1, 3, 10**6, 10**400, 0.5, -0.0, 1e300, "", "x", "\udfff", "zero",
    "sqrt", "1e99999", "../../etc/passwd", [], [[]], {}, [0, 0], [[0, 0], [99, 99]], [1, "2"],
    ["\ud83d"], "é" * 99,
)  # fmt: skip
RIGHT: dict[str, tuple[Any, ...]] = {
    "format": ("canonical", "line", "mine"), "mines": (0, 1, 2, 5), "density": ("1/4", "0.2"),
    "clues": ("exact", "silent"), "ignore_marks": (True, False), "exact": (True,), "hint": (True,),
    "backend": ("native", "pysat", "single", "cpsat"), "use_total": (True, False), "most": (1, 3),
    "show": ("risk", "win", "information"), "cell": ([0, 0], [1, 2]), "rows": (1, 4, 9),
    "backends": (["native", "single"],), "level": ("beginner", "expert"), "cols": (1, 5, 9),
    "seed": (0, 7), "first": ([0, 0], [2, 2]), "opened": (0.3,), "stuck": (True,),
    "no_guess": (True, False), "start": ("safe", "zero", "any", "sqrt"), "training": (True,),
    "grade": ("single", "at-most:pair"), "layout": (True, ["..*", "...", "*.."]),
    "agent": ("exact", "random"), "open": ([[0, 0]], [[1, 1], [2, 2]]), "undo": (True,),
    "turns": ([[[0, 0]]], [[[1, 1]], [], [[2, 2]]]),
    "give_up": (True,), "text": BOARDS, "to": ("line", "svg", "mine"), "theme": ("dark",),
}  # fmt: skip
TASKS = (
    "analyze", "explain", "compare", "generate", "play", "grade", "formats", "read", "choices",
)  # fmt: skip


async def fuzz(port: int, number: int, seed: int, connections: int = 3) -> None:
    """Sends so many requests over a few connections, every fiftieth as bytes that are not HTTP.
    Later requests continue the games that earlier ones began."""
    chance = random.Random(seed)
    statuses: Counter[int] = Counter()
    games = ["none"]

    async def asking(share: int) -> None:
        async with Client(port) as client:
            for _ in range(share):
                if chance.random() < 0.02:
                    statuses[await not_http(port, chance)] += 1
                task, body = fuzzed(chance, games[-5:])
                status, answer = await client.post(task, body)
                statuses[status] += 1
                if status >= 500:
                    print(f"{status} {answer[:200]!r} to {task} {body[:500]!r}", file=sys.stderr)
                if task == "play" and status == 200 and b'"game"' in answer:
                    games.append(json.loads(answer)["game"])

    async with asyncio.TaskGroup() as group:
        for _ in range(connections):
            group.create_task(asking(number // connections))
    closed = statuses.pop(0, 0)  # bytes that are not HTTP
    told = ", ".join(f"{number:,} with {status}" for status, number in sorted(statuses.items()))
    told += f"; {closed:,} connections closed instead"
    row(f"answers to {statuses.total() + closed:,} fuzzed requests", told)
    assert all(status < 500 for status in statuses)


def fuzzed(chance: random.Random, games: list[str]) -> tuple[str, bytes]:
    """A route and a body. Most fields are known to the route, and many have a wrong value."""
    task = chance.choice(TASKS)
    if chance.random() < 0.2:
        return task, broken(chance)
    fields: dict[str, Any] = {}
    if task not in ("generate", "play", "choices") and chance.random() < 0.9:
        fields["board"] = chance.choice(BOARDS)
    if task in ("generate", "play"):
        fields |= (
            {"rows": 4, "cols": 4, "mines": 3} if chance.random() < 0.7 else {"level": "beginner"}
        )
    if task == "play" and chance.random() < 0.5:
        fields = {"game": chance.choice(games), "open": chance.choice(RIGHT["open"])}
    for name in chance.sample(sorted(RIGHT), chance.choice([0, 1, 1, 2, 3])):
        fields[name] = chance.choice(RIGHT[name] if chance.random() < 0.6 else ODD)
    return task, json.dumps(fields).encode()


def broken(chance: random.Random) -> bytes:
    """A request with bytes changed, cut, or nested without end."""
    text = json.dumps({"board": "??1\n???", "mines": 2, "cell": [0, 0]}).encode()
    kind = chance.randrange(4)
    if kind == 0:
        return chance.randbytes(chance.randrange(200))
    if kind == 1:
        return text[: chance.randrange(len(text))]
    if kind == 2:
        changed = bytearray(text)
        for _ in range(chance.randint(1, 6)):
            changed[chance.randrange(len(changed))] = chance.randrange(256)
        return bytes(changed)
    return b"[" * chance.randrange(2, 3000)


async def not_http(port: int, chance: random.Random) -> int:
    """The status of the answer to bytes that are not a request; 0 if there is no answer."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    with contextlib.suppress(ConnectionError):
        writer.write(chance.choice([chance.randbytes(50), *broken_http(port)]))
        writer.write_eof()
        answer = await reader.read(12)
        writer.close()
        return int(answer[9:12] or 0)
    return 0


def broken_http(port: int) -> list[bytes]:
    """Requests that are invalid, cut short or too many at once."""
    host = f"Host: 127.0.0.1:{port}\r\n"
    page, post = f"GET / HTTP/1.1\r\n{host}", f"POST /api/analyze HTTP/1.1\r\n{host}"
    post += "Content-Type: application/json\r\n"
    texts = (
        "GET\r\n\r\n", "GET / HTTP/9.9\r\n\r\n", "GET / HTTP/1.1\r\n\r\n", f"{page}\r\n" * 5,
        f"GET /\x7f HTTP/1.1\r\n{host}\r\n", f"{page}{'x: y' * 30_000}",
        f"{post}Content-Length: x\r\n\r\n", f"{post}Content-Length: 9\r\n\r\n{{}}",
        f"{post}Content-Length: 2\r\nContent-Length: 3\r\n\r\n{{}}",
        f"{post}Transfer-Encoding: chunked\r\n\r\nzz\r\n",
        f"{post}Transfer-Encoding: chunked\r\n\r\n2\r\n{{}}\r\nzz\r\n",
        f"{post}Expect: 100-continue\r\nContent-Length: 1\r\n\r\n",
        f"{post}Upgrade: websocket\r\nConnection: upgrade\r\nContent-Length: 2\r\n\r\n{{}}",
    )  # fmt: skip
    return [text.encode() for text in texts]


async def too_long(port: int) -> None:
    async with Client(port) as client:
        begin = time.perf_counter()
        status, _ = await client.post(
            "analyze", json.dumps({"board": wide(31), "backend": "pysat"}).encode()
        )
        ended = time.perf_counter() - begin
        begin = time.perf_counter()
        again, _ = await client.post("analyze", json.dumps({"board": expert().to_text()}).encode())
        next_one = (time.perf_counter() - begin) * 1000
        assert status in (200, 504), status
        assert again == 200, again
        how = "estimates" if status == 200 else "status 504"
        row("a board that would take minutes to count", f"answered by {how} after {ended:.1f} s; "
            f"the next request in {next_one:.0f} ms")  # fmt: skip


# --- pressure ------------------------------------------------------------------------------------


async def pressure(port: int, seconds: float, *, slow: int = 300, heavy: int = 200) -> None:
    """Measures how long one person waits while other clients load the server."""
    statuses: Counter[int] = Counter()
    waits: dict[str, list[float]] = {}
    requests = light_requests()
    async with asyncio.TaskGroup() as group:
        others = [group.create_task(loitering(port, number)) for number in range(slow)]
        others += [group.create_task(toiling(port, number, statuses)) for number in range(heavy)]
        await asyncio.sleep(1)
        until = time.perf_counter() + seconds
        while time.perf_counter() < until:
            for name, task, body in requests:
                begin = time.perf_counter()
                async with Client(port) as client:
                    status, answer = await client.post(task, body)
                waits.setdefault(name, []).append(time.perf_counter() - begin)
                assert status == 200, (name, status, answer)
            await play_some(port, waits)
            await asyncio.sleep(0.2)
        for other in others:
            other.cancel()
    for name, times in waits.items():
        middle, longest = statistics.median(times) * 1000, max(times) * 1000
        row(f"{name}, beside {slow} slow clients and {heavy} with heavy requests",
            f"median {middle:.0f} ms, longest {longest:.0f} ms of {len(times)}")  # fmt: skip
    assert max(map(max, waits.values())) < 1


def light_requests() -> list[tuple[str, str, bytes]]:
    """The requests of a person at the page: a name, a route and a body each."""
    board = {"board": expert().to_text()}
    asked: list[tuple[str, str, dict[str, Any]]] = [
        ("analysis", "analyze", {**board, "backend": "native"}),
        ("hint", "explain", {**board, "hint": True}),
        ("notation", "formats", {**board, "to": "line"}),
        ("choices", "choices", {}),
        ("large board", "analyze", {"board": large().to_text()}),
    ]
    return [(name, task, json.dumps(body).encode()) for name, task, body in asked]


async def play_some(port: int, waits: dict[str, list[float]]) -> None:
    """Begins a no-guess game and makes two moves."""
    async with Client(port) as client:
        game = None
        for name, body in (
            ("new game", {"level": "intermediate", "no_guess": True}),
            ("first move", {"open": [[4, 4]]}),
            ("move", {"open": [[9, 9]]}),
        ):
            begin = time.perf_counter()
            asked = {**body, "game": game} if game else body
            status, answer = await client.post("play", json.dumps(asked).encode())
            assert status == 200 or b"is over" in answer, answer
            waits.setdefault(name, []).append(time.perf_counter() - begin)
            game = game or json.loads(answer)["game"]


async def loitering(port: int, number: int) -> None:
    """A client that never sends a complete request, and reconnects when it is dropped."""
    head = f"POST /api/analyze HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n"
    head += "Content-Type: application/json\r\n"
    begun = ("", head, f"{head}Content-Length: 1000\r\n\r\n{{", head)[number % 4]
    while True:
        await asyncio.sleep(0.1)
        with contextlib.suppress(OSError):
            reader, writer = await asyncio.open_connection("127.0.0.1", port)
            try:
                writer.write(begun.encode())
                while number % 4 == 3:
                    writer.write(b"x")
                    await writer.drain()
                    await asyncio.sleep(1)
                await reader.read()
            finally:
                writer.close()


async def toiling(port: int, number: int, statuses: Counter[int]) -> None:
    """A client that requests heavy work, and repeats the request after each answer."""
    while True:
        async with Client(port) as client:
            status, _ = await client.post(*heavy_request(number))
            statuses[status] += 1


def heavy_request(number: int) -> tuple[str, bytes]:
    """Half of these count for minutes. The others search for a second or longer."""
    if number % 2:
        return "analyze", json.dumps({"board": wide(31), "backend": "pysat"}).encode()
    size = {"rows": 100, "cols": 100, "mines": 2500, "seed": number}
    return "generate", json.dumps({**size, "no_guess": True, "layout": True}).encode()


def wide(side: int) -> str:
    """Clues two apart, each sharing cells with its neighbours."""
    return "\n".join(
        "".join("3" if row % 2 and col % 2 else "?" for col in range(side)) for row in range(side)
    )


if __name__ == "__main__":
    main()
