"""Folders of games: damaged files, the file of reviews, tables; recordings that are read."""

from __future__ import annotations

import json
from pathlib import Path
from random import Random
from typing import Any

import pytest

from csp_mines.errors import (
    BoardError,
    CspMinesError,
    FileError,
    InputError,
    RunFileError,
    UnknownName,
)
from csp_mines.games.game import Game, Rules
from csp_mines.games.log import Log
from csp_mines.games.own_agents import as_agent
from csp_mines.games.playing import play
from csp_mines.games.recording import (
    Recording,
    log_text,
    parse_recording,
    read_recording,
    record,
)
from csp_mines.layout import Layout
from csp_mines.reviews.many import Reviews, game_files, review_many
from csp_mines.reviews.review import review
from csp_mines.simulation.workers import LocalPool, most_workers

RAWVF = """RAWVF_Version: Rev5
Player: A. Player
Date: 2026-03-04
Width: 3
Height: 3
Mines: 1
Board:
*00
000
000
Events:
0.000 start
0.10 lc 2 2
0.20 lr 2 2
0.50 mv 2 3
1.50 lc 3 3
1.70 lr 3 3
1.70 won
"""


def write_log(path: Path, seed: int, rules: Rules | None = None, agent: str = "rutgers-kb") -> Game:
    """Play a small game and log it, as `play --log` does."""
    game = Game.new(rows=5, cols=5, mines=5, rules=rules, seed=seed)
    with Log(path) as log:
        log.begin(game, as_agent(agent), seed)
        log.end(play(game, agent, seed, watch=log.step), str(game.rules.rules))
    return game


def test_recordings_are_read(tmp_path: Path) -> None:
    text = tmp_path / "game.rawvf"
    text.write_text(RAWVF)
    recording = read_recording(text)
    assert (recording.won, recording.player, recording.date) == (True, "A. Player", "2026-03-04")
    assert (recording.level, recording.clicks, recording.name) == ("3x3/1", 2, "game.rawvf")
    assert recording.seconds == pytest.approx(1.5)
    for seed, rules in enumerate((Rules(), Rules("sweep", "any"), Rules(clues="silent"), None)):
        game = write_log(tmp_path / "log.jsonl", seed, rules)
        logged = read_recording(tmp_path / "log.jsonl")
        assert logged.actions == tuple(game.actions)
        assert (logged.layout, logged.rules, logged.won) == (game.layout, game.rules, game.won)
        assert logged.end == Recording.of(game).end == game.board


def damaged(data: bytes, random: Random) -> bytes:
    """Cut off the end, change a bit, or cut out a piece."""
    place = random.randrange(len(data))
    if random.random() < 0.4:
        return data[:place]
    if random.random() < 0.6:
        return data[:place] + bytes([data[place] ^ 1 << random.randrange(8)]) + data[place + 1 :]
    return data[:place] + data[place + random.randrange(1, 60) :]


def test_damaged_files_are_named_and_never_crash(tmp_path: Path) -> None:
    """A damaged file is refused with its name, or it is still a game that can be replayed."""
    log = tmp_path / "log.jsonl"
    write_log(log, 4)
    random, refused = Random(1), 0
    for original in (log.read_bytes(), RAWVF.encode()):
        for number in range(200):
            path = tmp_path / f"damaged {number}"
            path.write_bytes(damaged(original, random))
            problem = ""
            try:
                recording = read_recording(path)
            except CspMinesError as error:
                problem = str(error)
            if problem:
                refused += 1
                assert path.name in problem
            else:
                assert recording.won is not None
                assert recording.end.codes.shape == recording.layout.shape
    assert refused > 200


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        (RAWVF.split("1.50")[0], "neither won nor lost"),
        (RAWVF.split("0.10")[0], "no click changes the board"),
        ("mines: 1\n?1", "no clicks"),
        ('{"game": 3}', "JSON lines as `play --log` writes them"),
        ("{" * 100_000, "JSON lines"),
        ('{"a":' * 100_000, "JSON lines"),
        ("", "empty|board"),
    ],
)
def test_files_that_are_no_games(tmp_path: Path, text: str, problem: str) -> None:
    path = tmp_path / "file"
    path.write_text(text)
    with pytest.raises(BoardError, match=problem) as raised:
        read_recording(path)
    assert "file" in str(raised.value)
    if problem == "neither won nor lost":
        assert read_recording(path, unfinished=True).won is None


@pytest.mark.parametrize(
    ("line", "old", "new", "problem"),
    [
        (0, '"game"', '"match"', "but a field is missing in the log: 'game'"),
        (0, '"layout"', '"plan"', "but a field is missing in the log: 'layout'"),
        (1, '"opened"', '"shown"', "but a field is missing in step 1: 'opened'"),
        (1, '"codes": [', '"codes": ["x", ', "but a field has a wrong value in step 1$"),
        (0, "}", "", r"log.jsonl:1: .* writes them, but this line is not JSON: "),
        (
            0,
            '"seed": 3',
            '"seed": ' + "9" * 5000,
            "this line is not JSON: a number has too many digits$",
        ),
    ],
)
def test_a_damaged_log_says_what_was_expected(
    tmp_path: Path, line: int, old: str, new: str, problem: str
) -> None:
    path = tmp_path / "log.jsonl"
    write_log(path, 3)
    lines = path.read_text().splitlines()
    assert old in lines[line]
    lines[line] = lines[line].replace(old, new, 1)
    path.write_text("\n".join(lines))
    expected = "expected JSON lines as `play --log` writes them, "
    with pytest.raises(BoardError, match=problem) as refused:
        read_recording(path)
    assert expected in str(refused.value)


def test_a_log_that_does_not_fit_its_layout(tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    write_log(path, 3)
    lines = path.read_text().splitlines()
    step = json.loads(lines[1])
    step["step"]["codes"][0] += 1
    path.write_text("\n".join([lines[0], json.dumps(step), *lines[2:]]))
    with pytest.raises(BoardError, match=r"log.jsonl: step 1 does not fit the layout"):
        read_recording(path)
    path.write_text("\n".join(lines[:-1]))
    with pytest.raises(BoardError, match="neither won nor lost"):
        read_recording(path)
    path.write_text("\n".join([*lines[:-2], lines[-1]]))
    with pytest.raises(BoardError, match="the result states"):
        read_recording(path)


def folder(tmp_path: Path) -> Path:
    games = tmp_path / "games"
    (games / "more").mkdir(parents=True)
    (games / "game.rawvf").write_text(RAWVF)
    (games / "cut.rawvf").write_text(RAWVF[:150])
    (games / "notes.txt").write_text("not a game")
    (games / ".hidden").write_text("not looked at")
    for seed in range(3):
        write_log(games / "more" / f"{seed}.jsonl", seed)
    return games


def test_a_folder_its_store_and_its_tables(tmp_path: Path) -> None:
    games, store = folder(tmp_path), tmp_path / "reviews.db"
    taken: list[tuple[str, Any]] = []

    def take(name: str, result: dict[str, Any] | str) -> None:
        taken.append((Path(name).name, result))

    reviews = review_many([games], precision=0.2, workers=1, store=store, take=take)
    assert [name for name, _ in taken] == [
        "cut.rawvf", "game.rawvf", "0.jsonl", "1.jsonl", "2.jsonl", "notes.txt",
    ]  # fmt: skip
    assert sorted(Path(name).name for name in reviews.failures) == ["cut.rawvf", "notes.txt"]
    assert all(Path(name).name in text for name, text in reviews.failures.items())
    assert len(reviews.rows) == 4
    again = review_many([games], precision=0.2, workers=1, store=store)
    assert again == reviews  # from the file
    other = review_many([games], precision=0.3, workers=1, store=store)
    assert [row["precision"] for row in other.rows] == [0.3] * 4
    by_player = {group.player: group for group in reviews.groups(["player"])}
    assert {name: group.games for name, group in by_player.items()} == {
        "A. Player": 1,
        "rutgers-kb": 3,
    }
    assert [group.month for group in reviews.groups(["month"])] == [None, "2026-03"]
    assert reviews.to_json()["games"] == 4
    assert (
        repr(reviews)
        == f"<Reviews: 4 games, {sum(r['won'] for r in reviews.rows)} won, 2 files failed>"
    )
    assert "rutgers-kb" in reviews._repr_html_()
    with pytest.raises(UnknownName, match="group"):
        reviews.groups(["year"])


def test_reviews_of_another_version_are_not_used_again(tmp_path: Path) -> None:
    """Another version may count other things, or count them otherwise."""
    games, store = folder(tmp_path), tmp_path / "reviews.db"
    ours = review_many([games], precision=0.2, workers=1, store=store)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("csp_mines.reviews.many.__version__", "0.0.1")
        patch.setattr("csp_mines.reviews.many.Review.summary", lambda _: {"won": True})
        theirs = review_many([games], precision=0.2, workers=1, store=store)
    assert {tuple(row) for row in theirs.rows} == {("file", "won")}
    assert review_many([games], precision=0.2, workers=1, store=store) == ours


def test_a_stopped_run_loses_nothing(tmp_path: Path) -> None:
    games, store = folder(tmp_path), tmp_path / "reviews.db"

    def stop(done: int, total: int) -> None:
        if done == 3:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        review_many([games], precision=0.2, workers=1, store=store, watch=stop)
    reviewed: list[str] = []
    with pytest.MonkeyPatch.context() as patch:
        real = read_recording

        def read(path: str, *, unfinished: bool) -> Recording:
            reviewed.append(Path(path).name)
            return real(path, unfinished=unfinished)

        patch.setattr("csp_mines.reviews.many.read_recording", read)
        assert len(review_many([games], precision=0.2, workers=1, store=store).rows) == 4
    assert len(reviewed) < 6


def test_a_run_has_few_workers_for_each_core_and_none_without_a_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pools: list[LocalPool] = []

    def noted(*given: int | None) -> LocalPool:
        pools.append(LocalPool(*given))
        return pools[-1]

    monkeypatch.setattr("csp_mines.reviews.many.LocalPool", noted)
    write_log(tmp_path / "log.jsonl", 1)
    assert len(review_many([tmp_path], workers=10_000).rows) == 1
    review_many((tmp_path / f"{number}" for number in range(100)), workers=10_000)
    assert [pool.workers for pool in pools] == [1, min(100, most_workers())]


def test_what_cannot_be_a_store_or_a_folder(tmp_path: Path) -> None:
    other = tmp_path / "other.db"
    other.write_text("not a database, but long enough to look like one")
    with pytest.raises(RunFileError, match=r"other\.db"):
        review_many([], store=other)
    with pytest.raises(RunFileError, match="no folder"):
        review_many([], store=tmp_path / "missing" / "reviews.db")
    assert game_files([tmp_path / "missing"]) == [str(tmp_path / "missing")]
    missing = review_many([tmp_path / "missing"], workers=1)
    assert "missing" in next(iter(missing.failures.values()))
    assert isinstance(missing, Reviews)
    with pytest.raises(FileError):
        read_recording(tmp_path / "missing")


def test_a_folder_that_cannot_be_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(path: str) -> None:
        raise PermissionError(13, "Permission denied", path)

    monkeypatch.setattr("os.scandir", refuse)
    with pytest.raises(FileError, match=r"games: permission denied"):
        game_files([folder(tmp_path)])


CLICKS = [("open", (1, 2), 0.5), ("open", (0, 1)), ("open", (1, 0)), ("open", (1, 1))]


@pytest.mark.parametrize("grid", ["square", "hex", "torus"])
def test_a_log_keeps_the_grid_and_its_holes(grid: str) -> None:
    layout = Layout.parse(f"grid: {grid}\n*.~\n...")
    recording = record(layout, CLICKS)
    again = parse_recording(log_text(recording).encode(), "game.jsonl")
    assert again.layout == layout
    assert again.won
    assert again.end == recording.end


def test_a_log_keeps_marks_chords_and_times() -> None:
    """A review of the log tells the same: one wrong mark, which was removed, and a chord."""
    layout = Layout.parse("*...\n....")
    clicks = [
        ("flag", (0, 1), 0.2), ("flag", (0, 1), 0.4), ("open", (1, 1), 0.5), ("flag", (0, 0), 1.0),
        ("chord", (1, 1), 1.5), ("open", (0, 3), 2.0),
    ]  # fmt: skip
    recording = record(layout, clicks, name="game.jsonl", player="you")
    again = parse_recording(log_text(recording).encode(), "game.jsonl")
    assert again == recording
    reviewed = review(again)
    assert (reviewed.wrong_marks, reviewed.seconds, recording.clicks) == (1, 1.0, 5)
    damaged = log_text(recording).replace('"chord", "cell": [1, 1]', '"chord", "cell": [1, 3]')
    with pytest.raises(BoardError, match="around 1,3, but that cell does not show 1 or more"):
        parse_recording(damaged.encode(), "game.jsonl")


@pytest.mark.parametrize(
    ("field", "value"),
    [("opened", []), ("codes", ["x"]), ("codes", [float("inf")]), ("cell", [0, 0])],
)
def test_a_wrong_step_is_told(field: str, value: object) -> None:
    lines = log_text(record(Layout.parse("*..\n..."), CLICKS)).splitlines()
    step = json.loads(lines[2])
    step["step"][field] = value
    damaged = "\n".join([*lines[:2], json.dumps(step), *lines[3:]])
    with pytest.raises(BoardError, match=r"^game\.jsonl: "):
        parse_recording(damaged.encode(), "game.jsonl")


@pytest.mark.parametrize("time", ["soon", [], float("nan"), float("inf")])
def test_a_wrong_time_is_told(time: object) -> None:
    with pytest.raises(InputError, match="the time of click 1 must be a number of seconds"):
        record(Layout.parse("*..\n..."), [("open", (1, 2), time)])
