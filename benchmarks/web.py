"""The page under load and against the clock: `python benchmarks/web.py [--seconds 60]`.

1. Click to picture: in a real browser, from a click that changes a clue to the frame that shows the
   new analysis; an expert board and a 100×100 one.
2. Load: as many expert analyses a second as one client holds, with the memory of the server and its
   workers before and after.
3. Ten thousand malformed requests: each must be answered 4xx.
4. A request that would count for minutes: when it is ended, and when the next is answered.

Everything runs on this machine's loopback interface and stops by itself.
"""

from __future__ import annotations

import argparse
import asyncio
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
from csp_mines.layout import Layout
from csp_mines.play.game import Game, Rules

ROOT = Path(__file__).parents[1]
CLICKS = 60
CHROMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
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


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--seconds", type=float, default=60, help="how long the load lasts")
    parser.add_argument("--malformed", type=int, default=10_000)
    parser.add_argument("--connections", type=int, default=16)
    wanted = parser.parse_args()
    with server() as (port, process):
        clicks(port)
        asyncio.run(load(port, process, wanted.seconds, wanted.connections))
        asyncio.run(malformed(port, wanted.malformed))
        asyncio.run(too_long(port))


@contextlib.contextmanager
def server() -> Iterator[tuple[int, subprocess.Popen[str]]]:
    """The command as people start it, on a free port."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    command = [str(Path(sys.executable).with_name("csp-mines")), "web", "--no-browser", "--port"]
    process = subprocess.Popen([*command, str(port)], stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    print(process.stdout.readline().strip(), flush=True)
    try:
        yield port, process
    finally:
        process.terminate()
        process.wait(10)


# --- click to picture ----------------------------------------------------------------------------


def clicks(port: int) -> None:
    chrome = next(filter(None, map(shutil.which, CHROMES)), None)
    if chrome is None:
        print("no Chromium or Chrome here: clicks are not timed")
        return
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chrome, args=list(FLAGS))
        page = browser.new_page(viewport={"width": 1280, "height": 860})
        page.goto(f"http://127.0.0.1:{port}/")
        for name, board in (("expert 16×30", expert()), ("large 100×100", large())):
            times = timed_clicks(page, board)
            middle, worst = statistics.median(times), sorted(times)[int(len(times) * 0.95)]
            print(f"click to picture, {name}: median {middle:.1f} ms, 95 % within {worst:.1f} ms")
        browser.close()


def timed_clicks(page: Any, board: Board) -> list[float]:
    """Digit after digit is set on clues near the upper left and taken back."""
    page.evaluate("text => { const data = new DataTransfer(); data.setData('text/plain', text);"
                  "document.dispatchEvent(new ClipboardEvent('paste', {clipboardData: data})) }",
                  board.to_text())  # fmt: skip
    page.wait_for_timeout(1500)
    page.get_by_role("button", name="Draw", exact=True).click()
    page.get_by_role("group", name="Brush").get_by_role("button", name="⇄").click()
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
    return times[4:]  # the first pay for what is loaded once


def expert() -> Board:
    return Board.read(ROOT / "examples" / "boards" / "expert.txt")


def large() -> Board:
    """A game on 100×100 with 1,500 mines, opened as far as a few zeros reach."""
    game = Game(Layout.random(100, 100, 1500, 7), Rules(start="any"), 7)
    for row, col in zip(*(game.layout.numbers == 0).nonzero(), strict=True):
        if not game.layout.mines[row, col] and (row + col) % 5 == 0 and not game.over:
            game.open((int(row), int(col)))
    return game.board


# --- load ----------------------------------------------------------------------------------------


class Client:
    """One connection that is kept."""

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
    print(f"load: {rate:.0f} expert analyses a second over {seconds:g} s, {connections} at a time")
    print(
        f"      waits: median {middle:.1f} ms, 99 % within {worst:.1f} ms; answers {dict(statuses)}"
    )
    print(
        f"      memory: {before:.0f} MB before, {memory(process.pid):.0f} MB after, workers and all"
    )


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


async def malformed(port: int, number: int) -> None:
    chance = random.Random(3)
    statuses: Counter[int] = Counter()
    async with Client(port) as client:
        for _ in range(number):
            task = chance.choice(
                ["analyze", "explain", "compare", "generate", "play", "grade", "formats", "choices"]
            )
            status, _ = await client.post(task, broken(chance))
            statuses[status] += 1
    print(f"malformed: {number:,} requests, answers {dict(sorted(statuses.items()))}")
    assert all(400 <= status < 500 for status in statuses)


def broken(chance: random.Random) -> bytes:
    """A request with bytes changed, cut, or fields of the wrong kind; never a right one."""
    whole = {"board": "??1\n???", "mines": 2, "cell": [0, 0], "surprise": True}
    kind = chance.randrange(4)
    if kind == 0:
        return chance.randbytes(chance.randrange(200))
    if kind == 1:
        text = json.dumps(whole).encode()
        return text[: chance.randrange(len(text))]
    if kind == 2:
        whole[chance.choice(list(whole))] = chance.choice([None, [], {}, -1, 1e300, "x" * 500])
        whole["surprise"] = 1
        return json.dumps(whole).encode()
    return b"[" * chance.randrange(2, 3000)


async def too_long(port: int) -> None:
    wide = "\n".join("".join("3" if r % 2 and c % 2 else "?" for c in range(31)) for r in range(31))
    async with Client(port) as client:
        begin = time.perf_counter()
        status, _ = await client.post(
            "analyze", json.dumps({"board": wide, "backend": "pysat"}).encode()
        )
        ended = time.perf_counter() - begin
        begin = time.perf_counter()
        again, _ = await client.post("analyze", json.dumps({"board": expert().to_text()}).encode())
        print(f"a count of minutes: ended after {ended:.1f} s with {status}, the next answered in "
              f"{(time.perf_counter() - begin) * 1000:.0f} ms with {again}")  # fmt: skip


if __name__ == "__main__":
    main()
