"""Make the README's pictures of the page: `python examples/screens.py [FOLDER]`.

The script serves the page on a free port of this machine and photographs it in an installed
Chromium or Chrome: a proof in the middle of its steps, also on hexagons, a game with a hint, a
lesson, and two agents on one layout.
"""

from __future__ import annotations

import shutil
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from playwright.sync_api import sync_playwright

from csp_mines.web.server import create_app, create_server, listen

ROOT = Path(__file__).parents[1]
CHROMES = (
    "chromium-headless-shell", "chromium", "chromium-browser", "google-chrome",
    "google-chrome-stable",
)  # fmt: skip
FLAGS = (
    "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-sync",
    "--disable-background-networking", "--disable-component-update",
)  # fmt: skip
SIZE = {"width": 1280, "height": 800}
SHOWN = ".view:not([hidden])"
EXPLAINED = (4, 17)  # a cell of the example: five clues, in four sentences
HEXAGONS = (
    "b1_10x16_m32_ghex_Hw12HH222Hf2HHH101H101Hh1101H1001Hg2100022011Hh2112H11Hi22Hn101eHj220f1Hj10e"
    "1Hi"
)


@contextmanager
def served() -> Iterator[str]:
    """Serves the page in a thread of this process, and gives its address."""
    sockets, ready = listen("127.0.0.1", 0), threading.Event()
    port = sockets[0].getsockname()[1]
    server = create_server(create_app("127.0.0.1", port), ready.set)
    thread = threading.Thread(target=server.run, args=(sockets,))
    thread.start()
    ready.wait()
    yield f"http://127.0.0.1:{port}/"
    server.should_exit = True
    thread.join()


def analyse(page: Any, explained: tuple[int, int] = EXPLAINED) -> None:
    page.wait_for_selector(f"{SHOWN} .best-move")
    row, col = explained
    page.locator(f'{SHOWN} [role=gridcell][id$="-{row}-{col}"]').click()
    page.wait_for_selector(f"{SHOWN} .proof")
    for _ in range(2):
        page.get_by_role("button", name="Next").click()
    page.mouse.move(5, 700)


def hexagons(page: Any) -> None:
    analyse(page, (6, 8))


def play(page: Any) -> None:
    page.wait_for_selector(f"{SHOWN} [role=grid]")
    page.locator(f"{SHOWN} [role=gridcell]").nth(120).click()
    page.wait_for_selector(f"{SHOWN} .status >> text=to open")
    page.get_by_role("button", name="Hint").click()
    page.get_by_role("button", name="Show the step").click()
    page.mouse.move(5, 700)


def learn(page: Any) -> None:
    page.get_by_role("button", name="1-2-2-1", exact=True).click()
    page.wait_for_selector(f"{SHOWN} h1 >> text=1-2-2-1")
    page.get_by_role("button", name="Show me").click()
    page.wait_for_selector(f"{SHOWN} .proof")


def watch(page: Any) -> None:
    page.get_by_label("Compare with").select_option("pairwise")
    page.wait_for_selector(f"{SHOWN} .boards.two figure:nth-child(2) [role=grid]")
    page.get_by_label("Step", exact=True).fill("30")
    page.get_by_label("Step", exact=True).blur()
    page.mouse.move(5, 700)


VIEWS = {
    "analyse": ("analyse", analyse),
    "hex": (f"analyse/{HEXAGONS}", hexagons),
    "play": ("play", play),
    "learn": ("learn", learn),
    "watch": ("watch", watch),
}


def photograph(browser: Any, address: str, folder: Path, theme: str) -> None:
    """Photographs the views in one theme."""
    for name, (link, prepare) in VIEWS.items():
        page = browser.new_page(viewport=SIZE, color_scheme=theme)
        page.goto(f"{address}#/{link}")
        prepare(page)
        page.screenshot(path=folder / f"page-{name}-{theme}.png")
        page.close()


def main(folder: Path) -> None:
    chrome = next(filter(None, map(shutil.which, CHROMES)), None)
    if chrome is None:
        sys.exit("no Chromium or Chrome is installed here: the page cannot be photographed")
    folder.mkdir(parents=True, exist_ok=True)
    with served() as address, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chrome, args=list(FLAGS))
        for theme in ("light", "dark"):
            photograph(browser, address, folder, theme)
        browser.close()


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "docs" / "pictures")
