"""Kept games: whatever happens to the file, a run ends with the same result or says what is wrong.

A real journal is changed in every way that a fault, a careless hand or another program may change
it. It is enough to look at what is read back: the games that are missing there are played again,
and are the same again. Of the changes of single bytes a sample is tried, another part of the file
for each kind of change."""

from __future__ import annotations

import json
import os
import random
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from csp_mines.play.game import Rules, Spec
from csp_mines.simulation.journal import JournalError
from csp_mines.simulation.kept_games import KeptGames
from csp_mines.simulation.outcomes import Outcome
from csp_mines.simulation.plans import Plan, Setup, game_seed
from csp_mines.simulation.simulate import Simulation, simulate
from csp_mines.simulation.tally import Tally, TimeSpent

SETUPS = (
    Setup(Spec(5, 5, 4), Rules(rules="sweep", start="any")),
    Setup(Spec(4, 5, 3), Rules(), (1, 1)),
)
PLAN = Plan(SETUPS, ("rutgers-kb", "disarm"), 2, seed=5)


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> tuple[bytes, bytes]:
    """What an undisturbed run leaves: the games, and their times."""
    path = tmp_path_factory.mktemp("kept") / "games"
    simulate(PLAN, path, workers=1)
    return path.read_bytes(), path.with_name("games.times").read_bytes()


@pytest.fixture
def path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(os, "fsync", lambda _: None)  # thousands of them, and no power cut
    return tmp_path / "games"


class Found(KeptGames):
    """What is kept at a path. No game is taken twice."""

    def __init__(self, path: Path) -> None:
        self.outcomes: list[Outcome] = []
        self.times: list[TimeSpent] = []
        self.tally = Tally(PLAN.agents)
        super().__init__(PLAN, path, self.found, self.times.append, resume=True)

    def found(self, outcome: Outcome) -> None:
        self.tally.add(outcome)
        self.outcomes.append(outcome)


def read_back(path: Path, content: bytes, times: bytes) -> list[Outcome] | str:
    """The games that a run would go on with, or why it refuses to, in which case it leaves the
    file alone."""
    _written(path, content, times)
    try:
        with Found(path) as games:
            return games.outcomes
    except JournalError as error:
        assert path.read_bytes().startswith(content[: content.rfind(b"\n") + 1])
        return str(error)


def _written(path: Path, content: bytes, times: bytes) -> Path:
    for place, text in ((path, content), (path.with_name("games.times"), times)):
        if not place.exists() or place.read_bytes() != text:
            place.unlink(missing_ok=True)  # much faster than to write it anew
            place.write_bytes(text)
    return path


SAMPLE = 23  # 1 tries every change; not a multiple of the 9 changes of a byte


def bytes_changed(content: bytes) -> Iterator[bytes]:
    """Bytes changed in several ways, left out, doubled, or something put before them."""
    number = 0
    for place, byte in enumerate(content):
        before, after = content[:place], content[place + 1 :]
        others = [bytes([other]) for other in (byte ^ 1, byte ^ 0x20, byte ^ 0x80, 0, 0x0A, 0x39)]
        for middle in (*others, b"", bytes([byte, byte]), b"\n" + bytes([byte])):
            number += 1
            if number % SAMPLE == 0:
                yield before + middle + after


def lines_changed(content: bytes) -> Iterator[bytes]:
    """Lines left out, doubled, swapped, cut in the middle; blocks left out and moved."""
    lines = content.splitlines(keepends=True)
    for first in range(len(lines)):
        yield b"".join(lines[:first] + lines[first + 1 :])
        yield b"".join(lines[: first + 1] + lines[first:])
        yield b"".join([*lines, lines[first]])
        yield b"".join([*lines[:first], lines[first][:20], *lines[first + 1 :]])
        yield b"".join([*lines[:first], b"\n", *lines[first:]])
        for second in range(first + 1, len(lines)):
            swapped = list(lines)
            swapped[first], swapped[second] = swapped[second], swapped[first]
            yield b"".join(swapped)
            yield b"".join(lines[:first] + lines[second:])
            yield b"".join(lines[first:second] + lines[:first] + lines[second:])


@pytest.mark.parametrize("change", [bytes_changed, lines_changed])
def test_a_changed_file_is_refused_or_means_the_same(
    kept: tuple[bytes, bytes], path: Path, change: Callable[[bytes], Iterator[bytes]]
) -> None:
    content, times = kept
    true = read_back(path, content, times)
    assert len(true) == PLAN.total
    refused = 0
    for changed in change(content):
        if changed == content:
            continue
        found = read_back(path, changed, times)
        if isinstance(found, str):
            assert found.startswith(f"{path}")
            refused += 1
        else:  # only what stands at the end can be lost without a trace
            assert found == true[: len(found)]
    assert refused > 0.9 * sum(1 for _ in change(content))


def test_a_cut_file_means_the_same(kept: tuple[bytes, bytes], path: Path) -> None:
    content, times = kept
    true = read_back(path, content, times)
    line_ends = [place for place, byte in enumerate(content) if byte == 0x0A]
    near = [end + step for end in line_ends for step in (-1, 0, 1)]
    for length in sorted({*near, *range(0, len(content), 7)}):
        found = read_back(path, content[:length], times)
        assert found == true[: max(0, content.count(b"\n", 0, length) - 1)]


@pytest.mark.parametrize("change", [bytes_changed, lines_changed])
def test_changed_times_are_refused_or_lost(
    kept: tuple[bytes, bytes], path: Path, change: Callable[[bytes], Iterator[bytes]]
) -> None:
    """How long games took is no result, but is not believed blindly either."""
    content, times = kept
    with Found(_written(path, content, times)) as games:
        true = games.times
    for changed in change(times):
        _written(path, content, changed)
        try:
            with Found(path) as games:
                assert games.times == true[: len(games.times)]
                assert len(games.outcomes) == PLAN.total
        except JournalError as error:
            assert str(error).startswith(f"{path}.times")  # noqa: PT017


def test_runs_go_on_from_changed_files_to_the_same_end(
    kept: tuple[bytes, bytes], path: Path
) -> None:
    content, times = kept
    chance = random.Random(3)
    ends = [content[: chance.randrange(len(content))] for _ in range(20)]
    changes = [*ends, *chance.sample(list(bytes_changed(content)), 20)]
    changes += chance.sample(list(bytes_changed(content))[-100:], 20)
    accepted = 0
    for changed in changes:
        if isinstance(read_back(path, changed, times), list):
            simulate(PLAN, path, resume=True, workers=1)
            assert path.read_bytes() == content
            accepted += 1
    assert accepted >= 20


def forged(content: bytes, number: int, entry: dict[str, Any] | None) -> bytes:
    """The journal with another entry in line `number`, and checksums that are right again."""
    lines = [json.loads(line) for line in content.splitlines()]
    if entry is None:
        del lines[number]
    else:
        lines[number] = entry
    made = b""
    for line in lines:
        line.pop("crc", None)
        made += json.dumps(line, separators=(",", ":")).encode()[:-1]
        made += b',"crc":"%08x"}\n' % zlib.crc32(made)
    return made


def entry_of(content: bytes, number: int = 3) -> dict[str, Any]:
    entry = json.loads(content.splitlines()[number])
    del entry["crc"]
    return entry


def test_forging_is_done_right(kept: tuple[bytes, bytes], path: Path) -> None:
    content, times = kept
    assert forged(content, 3, entry_of(content)) == content
    fewer = read_back(path, forged(content, 3, None), times)
    assert len(fewer) == PLAN.total - 1
    simulate(PLAN, path, resume=True, workers=1)
    assert path.read_bytes() == content


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"seed": 7}, f"the seed of game 1 is {game_seed(5, 1)}, not 7"),
        ({"game": 2}, "game 2 is not in the plan, which has 2"),
        ({"game": -1}, "game -1 is not in the plan"),
        ({"game": 0}, "the seed of game 0 is"),
        ({"game": 0, "seed": game_seed(5, 0)}, "game 0 of agent 'rutgers-kb' is there twice"),
        ({"setup": 2}, "agent 'rutgers-kb' on setup 2 is not in the plan"),
        ({"setup": -1}, "agent 'rutgers-kb' on setup -1 is not in the plan"),
        ({"agent": "exact"}, "agent 'exact' on setup 0 is not in the plan"),
        ({"agent": "disarm"}, "game 1 of agent 'disarm' is there twice"),
        ({"agent": None}, "agent cannot be None"),
        ({"score": float("nan")}, "the score cannot be nan"),
        ({"score": float("inf")}, "the score cannot be inf"),
        ({"score": -0.5}, "the score cannot be -0.5"),
        ({"score": 1.5}, "the score cannot be 1.5"),
        ({"score": 1}, "score cannot be 1"),
        ({"score": "1.0"}, "score cannot be '1.0'"),
        ({"score": [1.0]}, r"score cannot be \[1.0\]"),
        ({"won": 1}, "won cannot be 1"),
        ({"won": True, "exploded": 2}, "a game in which a mine was opened cannot be won"),
        ({"opened": 22}, "opened cannot be 22 on 5×5 with 4 mines"),
        ({"opened": -1}, "opened cannot be -1"),
        ({"opened": 3.0}, "opened cannot be 3.0"),
        ({"opened": True}, "opened cannot be True"),
        ({"exploded": 5}, "exploded cannot be 5"),
        ({"deduced": 26}, "deduced cannot be 26"),
        ({"guesses": -1}, "guesses cannot be -1"),
        ({"steps": -1}, "steps cannot be -1"),
        ({"steps": {}}, r"steps cannot be \{\}"),
        ({"more": 1}, "not the line of a game: it has setup, .*, steps, more"),
    ],
)
def test_an_outcome_that_cannot_be_is_refused(
    kept: tuple[bytes, bytes], path: Path, change: dict[str, Any], message: str
) -> None:
    """Right checksums or not."""
    content, times = kept
    # The last game stands before the one that is changed, so that a game that comes twice is
    # found at the line of the second.
    entry = {**entry_of(content, 3), **change}
    moved = content.splitlines()
    lines = [json.loads(line) for line in moved]
    order = [0, 1, 2, 4, 3, *range(5, len(lines))]
    content = b"\n".join(moved[place] for place in order) + b"\n"
    found = read_back(path, forged(content, 4, entry), times)
    assert isinstance(found, str)
    with pytest.raises(JournalError, match=rf"games:5: .*{message}"):
        Found(path)


def test_fields_that_are_swapped_or_missing_are_refused(
    kept: tuple[bytes, bytes], path: Path
) -> None:
    content, times = kept
    entry = entry_of(content)
    names = list(entry)
    for place in range(len(names) - 1):
        order = [*names[:place], names[place + 1], names[place], *names[place + 2 :]]
        swapped = {name: entry[name] for name in order}
        assert "not the line of a game" in read_back(path, forged(content, 3, swapped), times)
        fewer = {name: entry[name] for name in names if name != names[place]}
        assert "not the line of a game" in read_back(path, forged(content, 3, fewer), times)


@pytest.mark.parametrize(
    "change",
    [{"games": 0}, {"games": -2}, {"games": 1.0}, {"seconds": -1.0}, {"seconds": float("nan")},
     {"seconds": float("inf")}, {"seconds": 1}, {"setup": 9}, {"agent": "exact"}, {"more": 0}],
    ids=str,
)  # fmt: skip
def test_times_that_cannot_be_are_refused(
    kept: tuple[bytes, bytes], path: Path, change: dict[str, Any]
) -> None:
    content, times = kept
    entry = entry_of(times, 1) | change
    found = read_back(path, content, forged(times, 1, entry))
    assert isinstance(found, str)
    assert found.startswith(f"{path}.times:2: ")


def test_lines_of_another_run_are_refused(kept: tuple[bytes, bytes], tmp_path: Path) -> None:
    content, times = kept
    path = tmp_path / "other"
    simulate(Plan(SETUPS, PLAN.agents, 2, seed=6), path, workers=1)
    ours, theirs = content.splitlines(keepends=True), path.read_bytes().splitlines(keepends=True)
    mixed = b"".join([*ours[:3], theirs[3], *ours[4:]])
    assert "4: changed, or out of place" in read_back(tmp_path / "games", mixed, times)


def test_journals_of_an_earlier_version_are_refused(kept: tuple[bytes, bytes], path: Path) -> None:
    lines = [json.loads(line) for line in kept[0].splitlines()]
    for line in lines:
        del line["crc"]
    del lines[0]["version"]
    old = b"".join(json.dumps(line, separators=(",", ":")).encode() + b"\n" for line in lines)
    assert "written by an earlier version, without checksums" in read_back(path, old, kept[1])


def test_times_without_their_games_are_left_alone(path: Path) -> None:
    times = path.with_name("games.times")
    times.write_text("precious")
    for resume in (False, True):
        with pytest.raises(JournalError, match=r"games.times exists without .*games: move it away"):
            simulate(PLAN, path, resume=resume, workers=1)
    assert times.read_text() == "precious"
    assert not path.exists()


def test_times_of_something_else_are_left_alone(kept: tuple[bytes, bytes], path: Path) -> None:
    assert f"{path}.times holds something else" in read_back(path, kept[0][:900], b"precious\n")
    assert path.with_name("games.times").read_text() == "precious\n"


def test_lost_times_are_unknown(kept: tuple[bytes, bytes], path: Path) -> None:
    path.write_bytes(kept[0])
    results = simulate(PLAN, path, resume=True, workers=1)
    assert results.agent_result("disarm").seconds is None
    assert path.read_bytes() == kept[0]


@pytest.mark.parametrize("name", ["", ".", "/", "a\0b"])
def test_names_that_are_no_files(name: str) -> None:
    with pytest.raises(JournalError, match="games cannot be kept in"):
        simulate(PLAN, name, workers=1)


def test_a_second_run_on_the_same_file_is_refused(kept: tuple[bytes, bytes], path: Path) -> None:
    refused: list[str] = []

    def second_run(done: int) -> None:
        with pytest.raises(JournalError, match="is being written by another run") as caught:
            Simulation(PLAN, path, resume=True).run(1)
        refused.append(str(caught.value))

    simulate(PLAN, path, workers=1, watch=second_run)
    assert len(refused) > 1
    assert path.read_bytes() == kept[0]
