"""The routes give what the command line gives, and games keep their layout to themselves."""

from __future__ import annotations

import base64
import json
import time
from collections.abc import Iterator
from importlib import resources
from pathlib import Path
from typing import Any

import httpx
import numpy as np
import pytest

from csp_mines.analysis.grades import Grade
from csp_mines.backend import Capability, backend_class, offered
from csp_mines.board import HIDDEN, Board
from csp_mines.errors import BadRequest
from csp_mines.games.agents import PRESETS
from csp_mines.games.game import Rules, Spec
from csp_mines.generation.layout_grades import numbers
from csp_mines.layout import Layout
from csp_mines.web.games import Games, Held
from csp_mines.web.lanes import WorkPool
from csp_mines.web.tasks import TASKS, answer
from tests.cli.runner import run
from tests.web.conftest import Site, running

CORNER = "mines: 3\n????\n113?\n001?\n001?"


def ask(task: str, **fields: Any) -> Any:
    status, report = answer(task, json.dumps(fields).encode())
    assert status == 200, report
    return json.loads(report)


def refused(task: str, **fields: Any) -> str:
    status, report = answer(task, json.dumps(fields).encode())
    assert status == 400, report
    error: str = json.loads(report)["error"]
    return error


def timeless(report: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in report.items() if name not in ("seconds", "board")}


def test_analyze_gives_what_solve_gives() -> None:
    shown = json.loads(run("solve", "--json", "-", stdin=CORNER).out)
    assert timeless(ask("analyze", board=CORNER)) == timeless(shown)
    assert ask("analyze", board=CORNER)["solutions"] == "1"


def test_a_contradiction_is_an_answer() -> None:
    board = "?????\n1131?\n?????"
    shown = json.loads(run("solve", "--json", "-", stdin=board).out)
    report = ask("analyze", board=board)
    assert report["status"] == "contradiction"
    assert timeless(report) == timeless(shown)
    assert ask("explain", board=board, cell=[0, 0])["conflict"] == report["conflict"]
    assert ask("compare", board=board)["conflict"] == report["conflict"]


def test_explain_gives_what_explain_gives() -> None:
    for cell in ("0,2", "0,0"):
        shown = json.loads(run("explain", "--json", "-", cell, stdin=CORNER).out)
        assert (
            ask("explain", board=CORNER, cell=[int(number) for number in cell.split(",")]) == shown
        )
    assert ask("explain", board=CORNER) == json.loads(
        run("explain", "--json", "-", stdin=CORNER).out
    )


def test_compare_gives_what_compare_gives() -> None:
    shown = json.loads(
        run("compare", "--json", "-", "-b", "single", "-b", "native", stdin=CORNER).out
    )
    report = ask("compare", board=CORNER, backends=["single", "native"])
    for engine in (*shown["engines"], *report["engines"]):
        engine.pop("seconds")
    assert report == timeless(shown)


def test_grade_gives_what_grade_gives() -> None:
    for layout in ("..*.\n..**\n....\n....", "....\n.*..\n....\n...."):  # with and without a guess
        shown = json.loads(run("grade", "--json", "-", "--first", "3,0", stdin=layout).out)
        assert ask("grade", layout=layout.split("\n"), first=[3, 0]) == shown
    for board in (CORNER, "?????\n1131?\n?????"):
        shown = json.loads(run("grade", "--json", "-", stdin=board).out)
        assert timeless(ask("grade", board=board)) == timeless(shown)


def test_an_open_cell_is_told_what_each_number_would_tell() -> None:
    report = ask("explain", board="?1?\n???", mines=1, cell=[1, 0])
    # one mine in the five cells around the clue; at 1,0 with 1/5, else its own clue
    assert report["fraction"] == "1/5"
    shares = {outcome["shown"]: outcome["probability"] for outcome in report["outcomes"]}
    assert {shown: round(share, 9) for shown, share in shares.items()} == {0: 0.4, 1: 0.4, "X": 0.2}


def test_the_chance_to_win_of_every_cell() -> None:
    """Two cells, one mine: the 1 between them says no more."""
    report = ask("analyze", board="mines: 1\n?1?", show="win")["overlay"]
    if offered(Capability.BOARDS) is None:
        assert (report["shows"], report["values"]) == ("win", None)
        assert report["refused"].startswith("playing to win needs the compiled kernel, which ")
        return
    assert report == {"shows": "win", "values": [[0.5, None, 0.5]], "refused": None}
    assert "overlay" not in ask("analyze", board="mines: 1\n?1?")
    wide = ask("analyze", board="mines: 12\n" + "??????????\n" * 9, show="win")["overlay"]
    assert wide["refused"] == (
        "more than 64 hidden cells besides proved mines: too many for an exact search"
    )
    dense = ask("analyze", board="density: 0.2\n?1?", show="win")["overlay"]
    assert dense["refused"] == (
        "the chance to win is available only for exact clues and without a density"
    )
    without = ask("analyze", board="mines: 1\n?1?1?", show="win", use_total=False)["overlay"]
    assert without["values"] == [[0.5, None, 0.5, None, 0.5]]
    hint = ask("explain", board="mines: 1\n?1?", hint=True)
    assert hint["guess"]["texts"][0] == f"It is the guess to make: {hint['guess']['reason']}."


@pytest.mark.parametrize(
    ("fields", "options"),
    [
        ({}, ()),
        ({"show": "information"}, ("--show", "information")),
        ({"show": "win"}, ("--show", "win")),
        ({"exact": True, "use_total": False}, ("--exact", "--no-total")),
    ],
)
def test_an_analysis_is_what_solve_gives(
    fields: dict[str, Any], options: tuple[str, ...], tmp_path: Path
) -> None:
    board = "mines: 3\n?1?1?\n?1?1?\n?????"
    (tmp_path / "board.txt").write_text(board)
    shown = json.loads(run("solve", str(tmp_path / "board.txt"), "--json", *options).out)
    assert timeless(ask("analyze", board=board, **fields)) == timeless(shown)


@pytest.mark.parametrize(
    "board", ["mines: 1\n?1?", "mines: 3\n?1?1?\n?????", "mines: 1\nM1", CORNER]
)
def test_a_hint_and_a_cell_are_what_explain_gives(board: str, tmp_path: Path) -> None:
    (tmp_path / "board.txt").write_text(board)
    name = str(tmp_path / "board.txt")
    shown = json.loads(run("explain", name, "--hint", "--json").out)
    assert timeless(ask("explain", board=board, hint=True)) == timeless(shown)
    if board[-2:] != "M1":
        shown = json.loads(run("explain", name, "0,2", "--json").out)
        assert timeless(ask("explain", board=board, cell=[0, 2])) == timeless(shown)


def test_a_hint_is_the_easiest_safe_cell() -> None:
    assert ask("explain", board=CORNER, hint=True)["difficulty"] == "pair"
    guess = ask("explain", board="???\n???", mines=2, hint=True)
    assert guess["verdict"] == "open"
    assert guess["fraction"] == "1/3"


def test_play_gives_the_whole_game_of_an_agent() -> None:
    report = ask("play", agent="exact", level="beginner", seed=3)
    shown = json.loads(run("play", "--json", "--level", "beginner", "--seed", "3").out)
    assert report["won"] == shown["won"]
    assert report["layout"] == shown["layout"]
    assert [move["cell"] for move in report["moves"]] == [move["cell"] for move in shown["moves"]]
    cells = np.full((9, 9), HIDDEN)
    for move in report["moves"]:
        for (row, col), code in zip(move["opened"], move["codes"], strict=True):
            cells[row, col] = code
    truth = Layout.parse("\n".join(report["layout"])).numbers
    assert (cells[cells >= 0] == truth[cells >= 0]).all()


def test_generate_and_grade() -> None:
    made = ask("generate", level="beginner", no_guess=True, layout=True, seed=4, start="zero")
    assert sum(row.count("*") for row in made["layout"]) == 10
    graded = ask("grade", layout=made["layout"], first=[0, 0])
    assert graded["no_guess"] is True
    assert (graded["exact"], graded["stuck"]) == (None, None)
    wished = ask("generate", level="beginner", no_guess=True, layout=True, seed=4, grade="single")
    assert ask("grade", layout=wished["layout"], first=[0, 0])["grade"] == "single"
    assert ask("grade", board=CORNER)["next"] == "pair"
    stuck = ask("generate", level="expert", stuck=True, seed=3)
    board = Board.parse("\n".join([f"mines: {stuck['mines']}", *stuck["board"]]))
    assert ask("analyze", board=board.to_text())["safe"] == []


def test_every_format_is_read_and_written() -> None:
    board, plain = Board.parse("mines: 2\n?1M\n1??"), Board.parse("?1?\n1??")
    offered = ask("formats")
    assert list(offered) == ["formats"]
    written = [notation["name"] for notation in offered["formats"] if notation["writes_boards"]]
    assert {"canonical", "line", "mine", "zig"} <= set(written)
    for name in written:
        shown = plain if name in ("minizinc", "textbook") else board  # those have no marks
        text = ask("formats", board=shown.to_text(), to=name)["text"]
        rows = ask("read", text=text, format=name)["board"]
        assert rows == shown.to_text().split("\n")[-2:], name
    line = ask("formats", board=board.to_text(), to="line")["text"]
    assert line == board.to_line()
    assert ask("read", text=line)["format"] == "line"
    assert ask("formats", board=board.to_text(), to="svg")["text"].startswith("<svg")


def test_what_the_page_has_to_choose_from() -> None:
    offered = ask("choices")
    assert offered["levels"] == [
        {"name": "beginner", "rows": 9, "cols": 9, "mines": 10},
        {"name": "intermediate", "rows": 16, "cols": 16, "mines": 40},
        {"name": "expert", "rows": 16, "cols": 30, "mines": 99},
    ]
    assert offered["clues"] == ["exact", "silent", "optimistic", "cautious"]
    assert {"native", "single"} <= {backend["name"] for backend in offered["backends"]}
    assert offered["default_backend"] == "native"
    assert offered["compared"] == [
        "single", "subtraction:1", "subtraction", "gauss", "native", "pysat", "cpsat",
        *(name for name in ("z3", "clingo", "highs") if backend_class(name).missing() is None),
    ]  # fmt: skip
    assert offered["agents"] == list(PRESETS)
    assert offered["default_agent"] == "exact"
    assert offered["most"] == {"cells": 90_000, "played": 10_000, "opened": 99}
    assert offered["grades"][0] == {"name": "single", "words": "one clue at a time"}
    assert [grade["name"] for grade in offered["grades"]] == list(Grade)
    assert offered["formats"] == ask("formats")["formats"]


# --- what is refused ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("body", "why"),
    [
        (b"", "the request is not valid JSON"),
        (b"[]", "a request must be a JSON object"),
        (b"null", "a request must be a JSON object"),
        (b"[" * 100_000, "the request is not valid JSON"),
        (b'{"board": NaN}', "the request is not valid JSON"),
        (b'{"board": 1' + b"0" * 5000 + b"}", "the request is not valid JSON"),
        (b"\xff\xfe{", "the request is not valid JSON"),
        (b'{"board": 3}', "board must be a string, not 3"),
        (b'{"board": "??", "surprise": 1}', "unknown field 'surprise'"),
        (b'{"board": "??", "mines": true}', "mines must be a whole number"),
        (b'{"board": "??", "mines": 1e99}', "mines must be a whole number"),
        (b'{"board": "??", "mines": -1}', "mines must be a whole number"),
        (b'{"board": "??", "density": "1e-99999999"}', "density"),
        (b'{"board": "??", "clues": "loud"}', "unknown clue model"),
        (b'{"board": "??", "format": "../../etc/passwd"}', "unknown board format"),
        (b'{"board": "??", "backend": "os"}', "unknown backend"),
        (b'{"board": "?\\ud800"}', "is not valid text"),
        (b"{}", "the field 'board' is missing"),
    ],
)
def test_wrong_requests_are_refused_in_words(body: bytes, why: str) -> None:
    status, report = answer("analyze", body)
    assert status == 400
    assert why in json.loads(report)["error"]


TEXTS = (
    "board", "text", "format", "density", "clues", "backend", "show", "level", "start", "grade",
    "agent", "game", "to", "theme",
)  # fmt: skip


@pytest.mark.parametrize("half", ["\\ud800", "\\udfff", "\ud83d"])
def test_half_a_surrogate_pair_is_refused_wherever_it_stands(site: Site, half: str) -> None:
    """Escaped, or as the three bytes that UTF-8 does not allow."""
    fields = [f'"{name}": "?1?{half}"' for name in TEXTS]
    fields += [f'"layout": ["..*", "{half}"]', f'"backends": ["{half}"]', f'"{half}": 1']
    with httpx.Client(base_url=site.url, headers={"Content-Type": "application/json"}) as client:
        for task in TASKS:
            for field in fields:
                board = "" if '"board"' in field or '"text"' in field else '"board": "??", '
                body = f"{{{board}{field}}}".encode("utf-8", "surrogatepass")
                answer = client.post(f"/api/{task}", content=body)
                assert answer.status_code == 400, (task, field)
                assert answer.json()["error"]
        layout = client.post("/api/grade", content=b'{"layout": ["..*", "\\ud800.."]}')
        assert (
            layout.json()["error"]
            == "an item of layout is not valid text: it contains half a surrogate pair"
        )


def test_bounds_of_requests() -> None:
    assert "90,000 cells, not 90,300" in refused("analyze", board="\n".join(["?" * 301] * 300))
    assert "not 10,100" in refused("play", agent="exact", rows=101, cols=100, mines=10)
    assert "at most 12" in refused("compare", board="??", backends=["native"] * 13)
    assert "such as [3, 4]" in refused("explain", board="??", cell=[0, -1])
    assert "such as [3, 4]" in refused("explain", board="??", cell="00")
    assert "not on this" in refused("explain", board="??", cell=[7, 7])


# --- games -------------------------------------------------------------------------------------


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


def test_games_are_bounded_in_number_and_age() -> None:
    clock = Clock()
    games = Games(most=3, age=100, clock=clock)
    spec = Spec(4, 4, 3)
    first, *rest = [games.hold(Held(spec, Rules())) for _ in range(3)]
    clock.now = 50
    games.find(first.token)
    games.hold(Held(spec, Rules()))
    assert len(games) == 3
    games.find(first.token)  # touched, so another made room
    with pytest.raises(BadRequest, match="the server no longer has this game"):
        games.find(rest[0].token)
    clock.now = 149
    games.find(first.token)
    clock.now = 151
    games.find(first.token)
    assert len(games) == 1


def test_a_layout_is_shown_when_the_game_is_over_and_not_before() -> None:
    held = Held(Spec(5, 5, 5), Rules(start="safe"), no_guess=False, training=False)
    assert "layout" not in held.to_json()
    held.open([(0, 0)])
    seen = held.to_json()
    assert set(seen) == {
        "game", "rows", "cols", "mines", "status", "training", "turns", "board",
    }  # fmt: skip
    assert str(held.seed) not in json.dumps(seen)
    assert held.layout is not None
    mine = tuple(np.argwhere(held.layout.mines)[0].tolist())
    held.open([mine])
    over = held.to_json()
    assert over["status"] == "lost"
    assert over["layout"] == held.layout.to_text().split()
    assert over["3bv"] == numbers(held.layout).three_bv
    with pytest.raises(BadRequest, match="over"):
        held.open([(0, 1)])


def test_training_takes_back_also_a_mine_and_hides_the_layout_till_given_up() -> None:
    held = Held(Spec(5, 5, 5), Rules(start="safe"), no_guess=False, training=True)
    with pytest.raises(BadRequest, match="no move to take back"):
        held.undo()
    held.open([(0, 0)])
    before = held.to_json()
    assert held.layout is not None
    held.open([tuple(np.argwhere(held.layout.mines)[0].tolist())])
    assert held.to_json()["status"] == "lost"
    assert "layout" not in held.to_json()
    held.undo()
    assert held.to_json() == before
    held.give_up()
    assert held.to_json()["layout"] == held.layout.to_text().split()
    plain = Held(Spec(5, 5, 5), Rules(start="safe"), no_guess=False, training=False)
    plain.open([(0, 0)])
    with pytest.raises(BadRequest, match="training"):
        plain.undo()


def test_a_game_is_played_on_the_layout_that_was_made_for_it() -> None:
    held = Held(Spec(3, 3, 1), Rules(start="safe"), no_guess=True, training=False)
    assert held.to_json()["turns"] == 0
    assert held.needs_layout
    held.give(Layout.parse("...\n...\n..*"))
    held.open([(0, 0)])
    assert held.to_json()["board"] == ["000", "011", "01?"]


def test_a_no_guess_game_is_made_for_its_first_cell(site: Site) -> None:
    with httpx.Client(base_url=site.url) as client:
        wanted = {"level": "beginner", "start": "zero", "no_guess": True}
        game = client.post("/api/play", json=wanted).json()
        assert game["status"] == "playing"
        opened = client.post("/api/play", json={"game": game["game"], "open": [[4, 4]]}).json()
        assert opened["board"][4][4] == "0"
        while opened["status"] == "playing":
            body = {"board": "\n".join(opened["board"]), "mines": 10}
            found = client.post("/api/analyze", json=body).json()
            assert found["safe"], "a guess would be needed"
            turn = {"game": game["game"], "open": found["safe"][:8]}
            opened = client.post("/api/play", json=turn).json()
        assert opened["status"] == "won"
        assert opened["layout"]


@pytest.mark.once
def test_no_request_names_a_file_of_the_server(tmp_path: Path) -> None:
    """A board in a file may name the file of a graph. A name that a request gives is no file."""
    graph = tmp_path / "secret.json"
    graph.write_text('{"cells": ["a", "b"], "edges": [["a", "b"]]}')
    text = "grid: graph:secret.json\n??"
    (tmp_path / "board.txt").write_text(text)
    for task in ("read", "review"):
        error = refused(task, text=text, name=str(tmp_path / "board.txt"))
        assert "secret" not in error
    assert "unknown grid" in refused("grid", grid=f"graph:{graph}")
    assert "only a board in a file" in refused("analyze", board=f"grid: graph:{graph}\n??")
    assert "only a board in a file" in refused("generate", shape=f"grid: graph:{graph}\n??")


@pytest.mark.once
def test_a_game_on_a_shape_keeps_its_grid_and_holes() -> None:
    shape = {"shape": "grid: hex\n~???\n????\n????\n???~", "mines": 2}
    layout = ask("generate", **shape, no_guess=True, layout=True, first=[0, 1], seed=3)
    assert layout["grid"] == "hex"
    assert (layout["layout"][0][0], layout["layout"][3][3]) == ("~", "~")
    game = ask("play", **shape, agent="exact", seed=2)
    assert (game["grid"], game["holes"]) == ("hex", [[0, 0], [3, 3]])
    review = ask("review", grid="hex", layout=layout["layout"], clicks=[["open", [0, 1], 1]])
    assert review["level"].startswith("4x4/2 hex")
    assert "number of mines" in refused("generate", shape="??\n?~")
    assert ask("read", text='{"cells": ["a", "b"], "edges": [["a", "b"]]}')["board"] == ["??"]


def test_wrong_turns_are_refused(site: Site) -> None:
    with httpx.Client(base_url=site.url) as client:
        game = client.post("/api/play", json={"level": "beginner"}).json()["game"]
        for turn in (
            {"game": "nobody's", "open": [[0, 0]]},
            {"game": game, "open": [[99, 0]]},
            {"game": game, "open": [[0, 0]], "undo": True},
            {"game": game, "open": [[0, 0]] * 100},
            {"game": game, "undo": True},
            {"game": game, "give_up": True},
            {"level": "beginner", "rows": 4},
            {"rows": 4, "cols": 4},
            {"level": "nightmare"},
            {"level": "beginner", "no_guess": True, "grade": "impossible"},
        ):
            answer = client.post("/api/play", json=turn)
            assert answer.status_code == (410 if turn.get("game") == "nobody's" else 400), turn
            assert answer.json()["error"]


def play(client: httpx.Client, **fields: Any) -> dict[str, Any]:
    answer = client.post("/api/play", json=fields)
    assert answer.status_code == 200, answer.text
    game: dict[str, Any] = answer.json()
    return game


@pytest.mark.parametrize("no_guess", [False, True])
def test_a_turn_with_a_wrong_cell_opens_none(site: Site, no_guess: bool) -> None:
    with httpx.Client(base_url=site.url) as client:
        game = play(client, level="beginner", no_guess=no_guess)["game"]
        for cells in ([[0, 0], [99, 99]], [[99, 99], [0, 0]], [[0, 0], [8, 9]]):
            answer = client.post("/api/play", json={"game": game, "open": cells})
            assert answer.status_code == 400
            seen = play(client, game=game)
            assert (seen["turns"], seen["board"]) == (0, ["?" * 9] * 9)
        assert play(client, game=game, open=[[0, 0]])["board"][0][0] != "?"


def test_opening_an_open_cell_is_no_turn(site: Site) -> None:
    with httpx.Client(base_url=site.url) as client:
        game = play(client, level="expert", start="zero", training=True)["game"]
        first = play(client, game=game, open=[[4, 4], [4, 4]])
        assert first["turns"] == 1
        for _ in range(5):
            assert play(client, game=game, open=[[4, 4], [4, 5]]) == first
        assert play(client, game=game, undo=True)["board"] == ["?" * 30] * 16
        assert play(client, game=game, open=[[4, 4]]) == first


def test_a_turn_beyond_the_end_of_a_game_can_be_taken_back() -> None:
    held = Held(Spec(3, 3, 2), Rules(start="safe"), no_guess=True, training=True)
    held.give(Layout.parse("..*\n...\n*.."))
    held.open([(0, 0)])
    before = held.to_json()
    held.open([(1, 0), (0, 2), (1, 1)])  # the second one is a mine
    assert held.to_json()["status"] == "lost"
    held.undo()
    assert held.to_json() == before


def test_a_sqrt_start_shows_its_cells(site: Site) -> None:
    """√(16·30) is about 22: as many safe cells, and what a shown 0 opens."""
    with httpx.Client(base_url=site.url) as client:
        game = play(client, level="expert", start="sqrt", training=True)
        shown = "".join(game["board"])
        assert (game["status"], game["turns"]) == ("playing", 0)
        assert "layout" not in game
        assert 480 - shown.count("?") >= 22
        opened = play(client, game=game["game"], open=[[0, 0], [0, 1], [15, 29]])
        if opened["turns"]:
            assert play(client, game=game["game"], undo=True) == game
        ended = play(client, game=game["game"], give_up=True)
        rows = "".join(ended["layout"])
        assert all(place == "." for place, seen in zip(rows, shown, strict=True) if seen != "?")
        assert ended["board"] == game["board"]
        refused = client.post(
            "/api/play", json={"level": "expert", "start": "sqrt", "no_guess": True}
        )
        assert refused.status_code == 400
        assert (
            "start must be 'safe' or 'zero' for a no-guess game, not 'sqrt'"
            in refused.json()["error"]
        )


# --- long work ---------------------------------------------------------------------------------

# Clues two apart, each sharing cells with its neighbours: branching counts that for minutes
WIDE = "\n".join(
    "".join("3" if row % 2 and col % 2 else "?" for col in range(31)) for row in range(31)
)
SLOW = {"board": WIDE, "backend": "pysat"}


@pytest.fixture
def brief_site() -> Iterator[Site]:
    yield from running(WorkPool(2, seconds=1.0), Games())


def test_work_is_ended_at_its_limit_and_the_next_is_answered_at_once(brief_site: Site) -> None:
    with httpx.Client(base_url=brief_site.url, timeout=30) as client:
        assert client.post("/api/analyze", json={"board": CORNER}).status_code == 200
        begin = time.perf_counter()
        ended = client.post("/api/analyze", json=SLOW)
        assert ended.status_code == 504
        assert "takes longer than 1 s;" in ended.json()["error"]
        assert 0.9 < time.perf_counter() - begin < 5
        begin = time.perf_counter()
        assert client.post("/api/analyze", json={"board": CORNER}).status_code == 200
        assert time.perf_counter() - begin < 1


def test_every_task_has_a_route(site: Site) -> None:
    for name in TASKS:
        assert httpx.post(f"{site.url}/api/{name}", json={"surprise": 1}).status_code == 400


def test_odd_files_and_shapes_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Holes only; a graph in another encoding; a name that is too long; a file of the server."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "<board>").write_text("")
    (tmp_path / "secret.json").write_text('{"cells": ["a", "b"], "edges": [["a", "b"]]}')
    wide = base64.b64encode((tmp_path / "secret.json").read_text().encode("utf-16")).decode()
    for task, fields, status in [
        ("generate", {"shape": "~~\n~~", "mines": 0}, 400),
        ("read", {"data": wide, "name": "graph.json"}, 200),
        ("read", {"text": "grid: graph:x.json\n1??", "name": "x" * 290}, 400),
        ("analyze", {"board": "grid: graph:secret.json\n??"}, 400),
        ("analyze", {"board": "mines: 1\rgrid: graph:secret.json\r??"}, 400),
        ("analyze", {"board": '{"board": ["??"], "grid": "graph:secret.json"}'}, 400),
    ]:
        got, told = answer(task, json.dumps(fields).encode())
        assert got == status, (task, told)


def test_the_page_asks_again_where_another_seed_may_help() -> None:
    """The page looks for these words of the error."""
    wanted = {"level": "expert", "start": "zero", "first": [7, 14], "stuck": True}
    error = refused("generate", **wanted, seed=4)
    assert error.endswith("this game has no forced guess; try another seed")
    script = resources.files("csp_mines.web").joinpath("static/analyse.js").read_text("utf-8")
    assert "/try another seed/.test(report.error)" in script
