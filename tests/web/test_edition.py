"""The page for people: proofs that are drawn, bridges between the views, ways to play."""

from __future__ import annotations

import re
from importlib import resources
from typing import Any

import httpx
import numpy as np
from playwright.sync_api import expect

from csp_mines.board import Board
from csp_mines.games.game import Rules
from csp_mines.layout import Layout, Spec
from csp_mines.web.games import Held
from csp_mines.web.tasks import TASKS
from csp_mines.web.titles import TITLES
from tests.web.conftest import Site
from tests.web.test_faults import DESK, drop, opened, press
from tests.web.test_page import SHOWN, cell, heading, label, paste, wait_label
from tests.web.test_routes import ask, play, refused

__all__ = ["opened"]

# Asks why at each cell of a list, goes through all steps by the arrow key, and gives for each step
# the cells that its sentence names and those that are ringed or tinted.
WALK = """async cells => {
    const shown = ".view:not([hidden]) ";
    const seen = [];
    const until = async test => { while (!test()) await new Promise(r => setTimeout(r, 5)); };
    for (const [row, col] of cells) {
        const at = document.querySelector(`${shown}[id$="-${row}-${col}"]`);
        const {x, y} = at.getBoundingClientRect();
        const how = {clientX: x + 5, clientY: y + 5, bubbles: true, pointerId: 1, isPrimary: true,
            pointerType: "mouse"};
        at.closest(".board").setPointerCapture = () => {};
        at.dispatchEvent(new PointerEvent("pointerdown", how));
        at.dispatchEvent(new PointerEvent("pointerup", how));
        await until(() => document.querySelector(`${shown}.verdict strong`)?.textContent
            .startsWith(`${row},${col} `));
        for (;;) {
            await new Promise(r => setTimeout(r));
            const text = document.querySelector(`${shown}.sentences li.now`).textContent;
            const rings = Array.from(document.querySelectorAll(`${shown}.ring`), ring => {
                const [x, y] = ring.getAttribute("transform").match(/[\\d.]+/g).map(Number);
                return `(${y / 32},${x / 32})`;
            });
            const tints = new Set(Array.from(document.querySelectorAll(`${shown}.ring.clue`),
                ring => ring.getAttribute("class")));
            const clues = document.querySelectorAll(`${shown}.ring.clue`).length;
            seen.push([text, rings, tints.size, clues]);
            const count = document.querySelector(`${shown}.steps .count`)?.textContent || "1 of 1";
            const [now, all] = count.match(/\\d+/g);
            if (now === all) break;
            document.dispatchEvent(new KeyboardEvent("keydown", {key: "ArrowRight"}));
        }
    }
    return seen;
}"""


def test_thirty_proofs_are_drawn(opened: Any) -> None:
    page = opened(DESK)
    page.wait_for_selector(f"{SHOWN} .proof")
    page.get_by_label("coordinates").check()
    proved = page.locator(f"{SHOWN} .cell")
    page.keyboard.press("Escape")
    certain = page.locator(f"{SHOWN} .cell.safe, {SHOWN} .cell.mine")
    expect(certain).not_to_have_count(0)
    ids = certain.evaluate_all("cells => cells.map(cell => cell.id.split('-').slice(1))")
    assert proved.count() == 480
    cells = [[int(row), int(col)] for row, col in ids][:30]
    assert len(cells) == 30
    steps = page.evaluate(WALK, cells)
    assert len(steps) > 40
    assert any(clues > 1 for *_, clues in steps)
    for text, rings, tints, clues in steps:
        assert set(re.findall(r"\(\d+,\d+\)", text)) <= set(rings), text
        assert tints == min(clues, 4)  # each clue has a tint of its own


def test_the_first_minute(opened: Any) -> None:
    """A headline, a proof that is drawn already, samples, sizes, and a total that is assumed."""
    page = opened(DESK)
    assert page.locator("h1:visible").count() == 1
    page.wait_for_selector(f"{SHOWN} .proof")
    assert page.locator(f"{SHOWN} .ring.clue").count() == 1
    for words, told in (
        ("a stuck expert game", "No safe cell, 67 mines"),
        ("a 50/50", "No safe cell, 9 mines"),
        ("a contradiction", "No layout fits"),
        ("only the mine count decides", "2 safe cells, 1 mine"),
    ):
        page.get_by_role("button", name=words, exact=True).click()
        heading(page, told)
    page.get_by_role("button", name="a 50/50").click()
    page.wait_for_selector(f"{SHOWN} .verdict.open")
    page.keyboard.press("Escape")
    assert page.locator(f"{SHOWN} .ring.even").count() == 2
    mines = page.locator(SHOWN).get_by_label("Mines", exact=True)
    paste(page, "\n".join(["?" * 30] * 16))
    page.wait_for_selector(f"{SHOWN} .assumed >> text=99 mines assumed")
    assert mines.input_value() == "99"
    page.get_by_role("button", name="The number is not known").click()
    expect(mines).to_have_value("")
    assert page.locator(f"{SHOWN} .assumed:visible").count() == 0


def test_what_is_known_beside_the_pointer(opened: Any) -> None:
    page = opened(
        DESK, f"/#/analyse/{Board.parse('mines: 1/?1?/???'.replace('/', chr(10))).to_line()}"
    )
    wait_label(page, 1, 0, "hidden, 20")
    cell(page, 1, 0).hover()
    readout = page.locator(f"{SHOWN} .readout")
    expect(readout).to_contain_text("Risk20.0 %")
    expect(readout).to_contain_text("Chance of a 040.0 %")
    expect(readout).to_contain_text("Chance of progress80.0 %")
    page.get_by_role("button", name="Information").click()
    wait_label(page, 1, 0, "hidden, 1.5")
    page.get_by_role("button", name="Zero", exact=True).click()
    wait_label(page, 1, 0, "hidden, 40")
    page.keyboard.press("d")
    cell(page, 1, 2).click(button="right")
    expect(page.locator(f"{SHOWN} .termline")).to_contain_text("1 marked, 0 left")


def test_bridges_between_the_views(opened: Any, site: Site) -> None:
    page = opened(
        DESK, f"/#/analyse/{Board.parse('mines: 2/?1??/11??/????'.replace('/', chr(10))).to_line()}"
    )
    wait_label(page, 0, 1, "1")
    page.get_by_role("button", name="Play from here").click()
    heading(page, "Go on from here")
    assert [label(page, *at) for at in ((0, 1), (1, 0), (1, 1))] == ["1", "1", "1"]
    held = next(reversed(site.games._held.values()))
    safe = next(
        (int(row), int(col))
        for row, col in np.argwhere(~held.layout.mines)
        if held.board[row, col] < 0
    )
    press(page, *safe)
    heading(page, "to open|Won")
    page.locator(SHOWN).get_by_role("button", name="Analyse this position").click()
    page.wait_for_url("**/#/analyse/**")
    assert label(page, *safe).isdigit()
    page.goto("/#/watch")
    page.wait_for_selector(f"{SHOWN} .boards [role=grid]")
    page.get_by_label("Next step").click()
    page.locator(SHOWN).get_by_role("button", name="Analyse this position").click()
    expect(page.locator(f"{SHOWN} [role=gridcell]")).to_have_count(256)
    drop(page, "game.mbf", Layout.parse("....\n...*").to_mbf())
    if held.to_json()["status"] == "playing":
        page.get_by_role("dialog").get_by_role("button", name="New game").click()
    expect(page.locator(f"{SHOWN} [role=gridcell]")).to_have_count(8)
    press(page, 0, 0)
    heading(page, "to open")
    press(page, 0, 3)
    heading(page, "Won")
    expect(page.locator(f"{SHOWN} .figures")).to_contain_text("Efficiency")
    page.get_by_role("button", name="Same board again").click()
    wait_label(page, 0, 0, "0")


# --- the routes --------------------------------------------------------------------------------


def test_prospects_are_those_of_the_outcomes() -> None:
    """Of five layouts: one mine here, two show 0, two show 1. After a 0 or a 1, what is left is
    certain, or 1 in 2."""
    found = ask("prospects", board="mines: 1\n?1?\n???", cell=[1, 0])
    shown = {
        row["shown"]: row
        for row in ask("explain", board="mines: 1\n?1?\n???", cell=[1, 0])["outcomes"]
    }
    assert found["risk"] == shown["X"]["probability"]
    assert found["zero"] == shown[0]["probability"]
    sure = sum(row["probability"] for key, row in shown.items() if key != "X" and row["safe"])
    assert found["progress"] == sure
    assert sure <= found["safety"] <= 1 - found["risk"] + 1e-12
    assert not found["dead"]
    assert ask("prospects", board="mines: 1\n??", cell=[0, 0])["dead"]
    assert "the field 'cell' is missing" in refused("prospects", board="??")


def test_the_chance_of_a_zero() -> None:
    board = "mines: 2\n?1??\n????"
    values = ask("analyze", board=board, show="zero")["overlay"]["values"]
    for row, col in ((0, 3), (1, 3), (1, 0)):
        outcomes = ask("explain", board=board, cell=[row, col])["outcomes"]
        zero = sum(row["probability"] for row in outcomes if row["shown"] == 0)
        assert abs(values[row][col] - zero) < 1e-12


def test_a_layout_that_fits_is_drawn() -> None:
    seen = {
        tuple(ask("generate", board="mines: 1\n?1?", seed=seed)["layout"]) for seed in range(12)
    }
    assert seen == {("*..",), ("..*",)}
    assert "noisy clues" in refused("generate", board="clues: optimistic\n?1?")
    assert "is over" in refused("generate", board="mines: 1\nX1?")


def test_strict_and_fair_games(site: Site) -> None:
    """A needless guess ends a strict game. In a fair game, a forced guess survives either way, and
    a certain mine does not."""
    with httpx.Client(base_url=site.url) as client:
        rows = ["..*.", "....", "...."]
        strict = play(client, layout=rows, strict=True, training=True)["game"]
        assert play(client, game=strict, open=[[2, 0]])["status"] == "playing"
        ended = play(client, game=strict, open=[[0, 2]])
        assert (ended["status"], ended["ended"]) == ("lost", "needless guess")
        assert ended["board"][0][2] == "?"
        assert play(client, game=strict, undo=True)["status"] == "playing"
        for guess in (0, 2):
            fair = play(client, board="mines: 1\n?1?", fair=True)["game"]
            assert play(client, game=fair, open=[[0, guess]])["status"] == "won"
        sure = play(client, board="mines: 2\n?1001?\n11001?", fair=True)["game"]
        assert play(client, game=sure, open=[[0, 0]])["status"] == "lost"


def test_a_game_is_made_again(site: Site) -> None:
    """From its request and its turns, also after moves were taken back and mines made way."""
    with httpx.Client(base_url=site.url) as client:
        wanted = {"rows": 4, "cols": 6, "mines": 6, "seed": 3, "training": True, "fair": True}
        game = play(client, **wanted)
        turns: list[list[list[int]]] = [[[0, 0]], [], [[3, 5]], [[0, 0], [1, 1]], [[0, 5]]]
        for cells in turns:
            told = {"open": cells} if cells else {"undo": True}
            game = play(client, game=game["game"], **told)
        again = play(client, **wanted, turns=turns)
        assert again.pop("game") != game.pop("game")
        assert again == game
        held = len(site.games)
        wrong = client.post("/api/play", json={**wanted, "turns": [[[9, 9]]]})
        assert (wrong.status_code, len(site.games)) == (400, held)


def test_the_same_seed_gives_the_same_board(site: Site) -> None:
    with httpx.Client(base_url=site.url) as client:
        boards = []
        for no_guess in (True, True, False, False):
            wanted = {"level": "beginner", "seed": 5, "start": "zero", "no_guess": no_guess}
            game = play(client, **wanted)["game"]
            boards.append(play(client, game=game, open=[[4, 4]])["board"])
        assert boards[0] == boards[1]
        assert boards[2] == boards[3]
        held = Held(Spec(4, 4, 2), Rules(), seed=7)
        assert "seed" not in held.to_json()


def test_a_layout_is_written_and_read_again() -> None:
    rows = ["..*", "*.."]
    line = ask("formats", layout=rows, first=[0, 0], to="line")["text"]
    assert Layout.parse(line).to_text().split() == rows
    read = ask("read", text=ask("formats", layout=rows, to="line")["text"])
    assert (read["kind"], read["layout"]) == ("layout", rows)


def test_engines_and_agents_have_names_for_people() -> None:
    offered = ask("choices")
    assert set(offered["agents"]) | set(offered["compared"]) <= set(TITLES)
    assert "prospects" in TASKS


def colour(css: str, name: str, theme: int) -> list[float]:
    """A colour of the style sheet, light (0) or dark (1)."""
    found = re.search(rf"--{name}: light-dark\((#\w+), (#\w+)\)", css)
    assert found is not None
    digits = found[theme + 1].removeprefix("#")
    return [int(digits[at : at + 2], 16) for at in (0, 2, 4)]


def luminance(rgb: list[float]) -> float:
    linear = [
        part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4
        for part in (value / 255 for value in rgb)
    ]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def test_numbers_in_heated_cells_can_be_read() -> None:
    """A contrast of 4.5 to 1, for every risk and every gain, in both themes."""
    static = resources.files("csp_mines.web").joinpath("static")
    css = static.joinpath("board.css").read_text("utf-8")
    assert "0.92 * share ** 1.2" in static.joinpath("board.js").read_text("utf-8")
    assert "0.5 * (value / most) ** 2" in static.joinpath("analyse.js").read_text("utf-8")
    for theme in (0, 1):
        ink, cool = colour(css, "ink", theme), colour(css, "cool", theme)
        for hue, most in (("heat", 1.0), ("accent", 0.5)):
            hot = colour(css, hue, theme)
            for step in range(51):
                share = 0.92 * (most * step / 50) ** 1.2
                face = [a * (1 - share) + b * share for a, b in zip(cool, hot, strict=True)]
                low, high = sorted((luminance(ink), luminance(face)))
                assert (high + 0.05) / (low + 0.05) >= 4.5, (theme, hue, step)
