"""Ask the search of the built site what newcomers ask: `python docs/site/ask.py [SITE]`.

Each question is typed into the site's own search, in an installed Chromium or Chrome. The page that
answers it must be among the first ten results, which is what fits on a page of results."""

from __future__ import annotations

import shutil
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import quote_plus

ROOT = Path(__file__).parents[2]
CHROMES = (
    "chromium-headless-shell", "chromium", "chromium-browser", "google-chrome",
    "google-chrome-stable",
)  # fmt: skip
FIRST_PAGE = 10  # results
QUESTIONS = {  # what is typed, and the pages that answer it
    "own agent": ("write-a-bot", "tutorials/bot"),
    "CSV": ("simulating", "reference/commands/results"),
    "resume": ("simulating",),
    "environment variable": ("commands",),
    "uninstall": ("installing",),
    "cite": ("index",),
    "license": ("index",),
    "parallel": ("simulating",),
    "threads": ("api",),
    "export CNF": ("exports", "reference/commands/export"),
    "Gymnasium": ("write-a-bot",),
    "Game": ("reference/api/games",),
    "API of Game": ("reference/api/games",),
    "time limit": ("api", "solving", "commands"),
    "mines unknown": ("solving", "formats", "counting"),
    "simulate": ("simulating", "reference/commands/simulate"),
    "puzzle": ("tutorials/puzzles", "generation"),
    "probability": ("counting", "reference/notebooks/counting", "reference/api/analysis"),
    "install": ("installing",),
    "Contradiction": ("reference/api/errors",),
}


class Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *_: Any) -> None:
        pass


@contextmanager
def served(site: Path) -> Iterator[str]:
    """Serve a folder on a free port of this machine."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=site))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}/"
    server.shutdown()


def results(page: Any, address: str, question: str) -> list[str]:
    """The first results of the search: pages without their ending."""
    page.goto(f"{address}search.html?q={quote_plus(question)}")
    page.wait_for_function("document.querySelector('#search-results .search-summary')?.innerText")
    page.wait_for_function("!document.querySelector('#search-progress')?.innerText.includes('…')")
    links = page.locator("#search-results ul.search > li > a").evaluate_all(
        "links => links.map(link => link.getAttribute('href'))"
    )
    return [link.partition(".html")[0] for link in links[:FIRST_PAGE]]


def main(site: Path) -> int:
    from playwright.sync_api import sync_playwright

    chrome = next(filter(None, map(shutil.which, CHROMES)), None)
    if chrome is None:
        sys.exit("no Chromium or Chrome is installed here: the search cannot be tried")
    unanswered = 0
    with served(site) as address, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chrome, args=["--no-sandbox"])
        page = browser.new_page()
        foreign: list[str] = []
        page.on("request", lambda sent: foreign.append(sent.url))
        for question, answers in QUESTIONS.items():
            found = results(page, address, question)
            places = [found.index(answer) + 1 for answer in answers if answer in found]
            unanswered += not places
            where = f"result {min(places)}: {found[min(places) - 1]}" if places else f"no: {found}"
            print(f"{question:16} {where}")
        outside = [url for url in foreign if not url.startswith(address)]
        browser.close()
    print(f"{len(QUESTIONS) - unanswered} of {len(QUESTIONS)} questions answered")
    if outside:
        print(f"the site asks other machines: {outside}")
    return 1 if unanswered or outside else 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "build" / "docs"))
