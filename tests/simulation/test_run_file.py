"""The file of a run: one writer, whole batches whatever happens, and damage that is noticed."""

from __future__ import annotations

import os
import random
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from csp_mines.errors import RunFileError, RunFileExists
from csp_mines.games.game import Rules, Spec
from csp_mines.simulation.plans import Plan, Setup
from csp_mines.simulation.results import Results
from csp_mines.simulation.run_file import RunFile
from csp_mines.simulation.simulate import Simulation, simulate
from csp_mines.simulation.tally import TimeSpent

ROOT = Path(__file__).parents[2]
SETUPS = (
    Setup(Spec(5, 5, 4), Rules(rules="sweep", start="any")),
    Setup(Spec(4, 5, 3), Rules(), (1, 1)),
)
PLAN = Plan(SETUPS, ("rutgers-kb", "disarm"), 12, seed=5)

Row = dict[str, Any]


def rows(path: Path) -> list[Row]:
    return list(Results.read(path).rows())


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> tuple[bytes, list[Row]]:
    path = tmp_path_factory.mktemp("undisturbed") / "games.db"
    simulate(PLAN, path, workers=1)
    return path.read_bytes(), rows(path)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "games.db"


def resumed(path: Path, plan: Plan = PLAN) -> list[Row]:
    simulate(plan, path, resume=True, workers=1)
    return rows(path)


# --- what is in it -----------------------------------------------------------------------------


def test_a_game_is_a_row_with_the_fields_of_its_outcome(path: Path) -> None:
    results = simulate(PLAN, path, workers=1)
    with sqlite3.connect(path) as connection:
        columns = connection.execute("SELECT name, pk FROM pragma_table_info('games')").fetchall()
        found = connection.execute("SELECT setup, game, agent, won, score FROM games").fetchall()
        assert connection.execute("PRAGMA journal_mode").fetchone() == ("delete",)
    connection.close()
    keys = sorted((place, name) for name, place in columns if place)
    assert [name for _, name in keys] == ["run", "setup", "game", "agent"]
    assert [name for name, _ in columns] == ["run", *results.outcomes[0].to_json(), "batch"]
    assert sorted(found) == sorted(
        (game.setup, game.game, game.agent, game.won, game.score) for game in results.outcomes
    )
    assert [file.name for file in path.parent.iterdir()] == ["games.db"]


def test_the_results_are_read_back(path: Path) -> None:
    played = simulate(PLAN, path, workers=1)
    read = Results.read(path)
    assert read.to_json() == played.to_json()
    assert read.plan == PLAN
    assert read.outcomes == played.outcomes
    assert list(read.rows()) == list(played.rows())


# --- going on ----------------------------------------------------------------------------------


def test_a_run_is_extended_to_more_games_and_agents(path: Path) -> None:
    whole = replace(PLAN, agents=("exact", *PLAN.agents), games=20)
    simulate(replace(PLAN, games=5), path, workers=1)
    resumed(path)
    resumed(path, replace(PLAN, games=20))
    extended = simulate(whole, path, resume=True, workers=1)
    alone = simulate(whole, workers=1)
    assert rows(path) == list(alone.rows())
    assert Results.read(path).plan == whole
    for setup in range(2):
        assert extended.paired_results(setup) == alone.paired_results(setup)
        assert Results.read(path).paired_results(setup) == alone.paired_results(setup)


@pytest.mark.parametrize(
    ("plan", "message"),
    [
        (
            replace(PLAN, seed=6),
            "belongs to another run: seed is 5 in the file, but 6 was asked for",
        ),
        (
            replace(PLAN, setups=SETUPS[:1]),
            "another run: the number of setups is 2 in the file, but 1 was asked for",
        ),
        (
            replace(PLAN, setups=(SETUPS[0], replace(SETUPS[1], first=(2, 1)))),
            r"belongs to another run: first is \[1, 1\] in the file, but \[2, 1\] was asked for",
        ),
        (
            replace(PLAN, setups=(SETUPS[0], Setup(Spec(4, 5, 4), Rules(), (1, 1)))),
            "belongs to another run: mines is 3 in the file, but 4 was asked for",
        ),
        (replace(PLAN, games=11), "is planned for 12 games per agent: .* as many games, not 11"),
        (
            replace(PLAN, agents=("disarm", "exact")),
            "are rutgers-kb, disarm: to continue the run, name all of these agents",
        ),
    ],
)
def test_another_run_is_refused(
    undisturbed: tuple[bytes, list[Row]], path: Path, plan: Plan, message: str
) -> None:
    path.write_bytes(undisturbed[0])
    with pytest.raises(RunFileError, match=message):
        simulate(plan, path, resume=True, workers=1)
    assert path.read_bytes() == undisturbed[0]


def test_a_run_is_not_started_twice(undisturbed: tuple[bytes, list[Row]], path: Path) -> None:
    path.write_bytes(undisturbed[0])
    with pytest.raises(RunFileExists, match=r"games\.db exists; continue its run with resume=True"):
        simulate(PLAN, path, workers=1)
    assert path.read_bytes() == undisturbed[0]


# --- one writer --------------------------------------------------------------------------------

_TRY = """
import sys
from pathlib import Path
from csp_mines.errors import RunFileError
from csp_mines.simulation.run_file import RunFile
from tests.simulation.test_run_file import PLAN
path = Path(sys.argv[1])
for open_it in (RunFile.read, lambda path: RunFile.write(path, PLAN, resume=True)):
    try:
        with open_it(path):
            print("opened")
    except RunFileError as error:
        print(error)
"""


def tried_by_another_process(path: Path) -> list[str]:
    """What another process is told that tries to read the file and then to write it."""
    command = [sys.executable, "-c", _TRY, path]
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, check=True)
    return done.stdout.splitlines()


def test_the_lock_is_held_between_transactions(path: Path) -> None:
    locked = [f"{path} is being written by another run"] * 2
    games = simulate(PLAN, workers=1).of("disarm")
    with RunFile.write(path, PLAN) as file:
        assert tried_by_another_process(path) == locked
        for game in games[:3]:
            file.add([game], TimeSpent(0, "disarm", 1, 0.5))
        assert tried_by_another_process(path) == locked
        assert list(file.outcomes()) == games[:3]
        assert tried_by_another_process(path) == locked
    assert tried_by_another_process(path) == ["opened"] * 2


def test_a_second_run_in_the_same_process_is_refused(
    undisturbed: tuple[bytes, list[Row]], path: Path
) -> None:
    refused: list[str] = []

    def second_run(done: int) -> None:
        if 4 < done < PLAN.total:
            return
        for resume in (True, False):
            with pytest.raises(RunFileError, match="is being written by another run") as caught:
                Simulation(PLAN, path, resume=resume).run(1)
            refused.append(str(caught.value))
        if done == PLAN.total:
            assert tried_by_another_process(path) == [refused[0]] * 2

    simulate(PLAN, path, workers=1, watch=second_run)
    assert len(refused) > 2
    assert rows(path) == undisturbed[1]


def test_of_runs_that_start_at_the_same_moment_one_goes_on(
    undisturbed: tuple[bytes, list[Row]], path: Path
) -> None:
    """Four processes begin a run in the same file at the same moment, three times. A run keeps the
    file until all others have tried."""
    code = (
        "import sys\n"
        "from tests.simulation.test_run_file import PLAN, simulate\n"
        "def wait(done):\n"
        "    if not done:\n"
        "        print('started', flush=True)\n"
        "        sys.stdin.readline()\n"
        "for path in sys.argv[1:]:\n"
        "    print('ready', flush=True)\n"
        "    sys.stdin.readline()\n"
        "    try:\n"
        "        simulate(PLAN, path, workers=1, watch=wait)\n"
        "    except Exception as error:\n"
        "        print(error, flush=True)\n"
        "        sys.stdin.readline()\n"
    )
    files = [path.with_name(f"games{number}.db") for number in range(3)]
    runs = [
        subprocess.Popen(
            [sys.executable, "-c", code, *files],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=ROOT,
        )
        for _ in range(4)
    ]  # fmt: skip

    def told() -> list[str]:
        return sorted(run.stdout.readline() for run in runs if run.stdout)

    def go_on() -> None:
        for run in runs:
            assert run.stdin is not None
            run.stdin.write("\n")
            run.stdin.flush()

    for file in files:
        assert told() == ["ready\n"] * 4
        go_on()
        refused = f"{file} is being written by another run\n"
        assert told() == sorted([refused, refused, refused, "started\n"])
        go_on()
    for run in runs:
        assert run.communicate(timeout=60) == ("", None)
    assert [rows(file) for file in files] == [undisturbed[1]] * 3


def test_a_reader_is_not_taken_for_a_writer(
    undisturbed: tuple[bytes, list[Row]], path: Path
) -> None:
    path.write_bytes(undisturbed[0])
    games = Results.read(path).rows()
    next(games)
    with pytest.raises(RunFileError, match="is being read by another process"):
        simulate(PLAN, path, resume=True, workers=1)
    assert [next(games) for _ in range(47)] == undisturbed[1][1:]


# --- kills and full disks ----------------------------------------------------------------------


MANY = replace(PLAN, games=400)


def run_and_kill(path: Path, seconds: float) -> None:
    """Goes on with the run, and kills all its processes some seconds after it has locked the
    file."""
    code = (
        "from tests.simulation.test_run_file import MANY, simulate\n"
        "def watch(done):\n"
        "    print(done, flush=True)\n"
        f"simulate(MANY, {str(path)!r}, workers=2, resume=True, watch=watch)\n"
    )
    command = [sys.executable, "-c", code]
    run = subprocess.Popen(command, start_new_session=True, cwd=ROOT, stdout=subprocess.PIPE)
    assert run.stdout is not None
    with run.stdout:
        run.stdout.readline()
        time.sleep(seconds)
        os.killpg(run.pid, signal.SIGKILL)
        run.wait(60)


def test_killed_at_random_moments_it_comes_to_the_same_end(path: Path) -> None:
    chance = random.Random(8)
    played = [0]
    for most in (0.01, 1, 1.5):
        run_and_kill(path, chance.random() * most)
        played.append(Results.read(path).played)
    for seconds in (2, 4, 8, 16):  # on a busy machine nothing may be played by then
        if played[-1] == 0:
            run_and_kill(path, seconds)
            played.append(Results.read(path).played)
    assert played == sorted(played)
    assert played[-1] > 0
    assert resumed(path, MANY) == list(simulate(MANY, workers=2).rows())


_IN_THE_FIRST_TRANSACTION = """
import os, signal, sys
from csp_mines.simulation import run_file
from tests.simulation.test_run_file import PLAN, Path
run_file._plan_text = lambda plan: os.kill(os.getpid(), signal.SIGKILL)
run_file.RunFile.write(Path(sys.argv[1]), PLAN)
"""
_IN_A_LATER_TRANSACTION = """
import os, signal, sys
from tests.simulation.test_run_file import PLAN, Path, RunFile
connection = RunFile.write(Path(sys.argv[1]), PLAN)._connection
connection.execute("PRAGMA cache_size = 1")  # so that SQLite writes before the end
connection.execute("BEGIN")
for batch in range(1000):
    connection.execute("INSERT INTO batches VALUES (?, 0, 0, 'x', 1, 1.0, 0)", [batch])
os.kill(os.getpid(), signal.SIGKILL)
"""


@pytest.mark.parametrize("code", [_IN_THE_FIRST_TRANSACTION, _IN_A_LATER_TRANSACTION])
def test_a_kill_within_a_transaction_leaves_what_was_there(
    undisturbed: tuple[bytes, list[Row]], path: Path, code: str
) -> None:
    run = subprocess.run([sys.executable, "-c", code, path], cwd=ROOT, check=False)
    assert run.returncode == -signal.SIGKILL
    assert path.with_name("games.db-journal").exists()
    assert resumed(path) == undisturbed[1]
    assert [file.name for file in path.parent.iterdir()] == ["games.db"]


def test_a_batch_is_on_the_disk_when_it_was_added(path: Path) -> None:
    """SQLite calls fsync at every commit. A test cannot cut the power."""
    with RunFile.write(path, PLAN) as file:
        assert file._connection.execute("PRAGMA synchronous").fetchone() == (2,)  # FULL
        assert file._connection.execute("PRAGMA journal_mode").fetchone() == ("delete",)


def test_a_full_disk_keeps_what_was_committed(path: Path) -> None:
    code = (
        "import resource\n"
        "from csp_mines.simulation import workers\n"
        "from tests.simulation.test_run_file import MANY, simulate\n"
        "workers.MOST_JOBS = 20\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (60_000, 60_000))\n"
        f"simulate(MANY, {str(path)!r}, workers=1)\n"
    )
    command = [sys.executable, "-c", code]
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, check=False)
    assert f"RunFileError: cannot write {path}: " in done.stderr
    kept = rows(path)
    assert len(kept) > 100
    whole = resumed(path, MANY)
    assert whole == list(simulate(MANY, workers=1).rows())
    assert len(kept) < len(whole)
    assert [row for row in whole if row in kept] == kept


# --- damage ------------------------------------------------------------------------------------


def changed(content: bytes) -> Iterator[bytes]:
    """Bytes changed in two ways, blocks lost, doubled and set to zero; the file cut."""
    for place in range(0, len(content), 47):
        for byte in (content[place] ^ 1, content[place] ^ 0x80):
            yield content[:place] + bytes([byte]) + content[place + 1 :]
    for place in range(0, len(content), 512):
        block = content[place : place + 512]
        yield content[:place] + content[place + 512 :]
        yield content[:place] + block + content[place:]
        yield content[:place] + bytes(512) + content[place + 512 :]
        yield content[: place + 100]


def test_a_changed_file_is_refused_or_means_the_same(
    undisturbed: tuple[bytes, list[Row]], path: Path
) -> None:
    content, true = undisturbed
    refused, accepted = 0, 0
    for other in changed(content):
        path.write_bytes(other)
        try:
            found = rows(path)
        except RunFileError as error:
            assert str(error).startswith(f"{path} is ")  # noqa: PT017
            with pytest.raises(RunFileError):
                RunFile.write(path, PLAN, resume=True)
            refused += 1
        else:
            assert found == true
            accepted += 1
        for file in path.parent.iterdir():
            file.unlink()
    assert refused > 200
    assert accepted  # a file has unused bytes


def test_a_changed_value_is_named_as_damage(
    undisturbed: tuple[bytes, list[Row]], path: Path
) -> None:
    """Changes that SQLite takes for good."""
    for change, problem in [
        ("UPDATE games SET won = 1 - won WHERE game = 3", "the checksum of batch"),
        ("UPDATE games SET score = 'high' WHERE game = 3", "the checksum of batch"),
        ("UPDATE games SET game = 99 WHERE game = 3", "the checksum of batch"),
        ("UPDATE games SET run = 3 WHERE game = 3", "the checksum of batch"),
        ("UPDATE batches SET seconds = 1", "the checksum of batch"),
        ("UPDATE batches SET checksum = 'x'", "the checksum of batch"),
        ("UPDATE batches SET games = 'many'", r"batch \d+ is missing"),
        ("DELETE FROM games WHERE game = 3", "too few or too many games|checksum of batch"),
        ("DELETE FROM games", "a batch has too few or too many games"),
        ("DELETE FROM batches", r"batch \d+ is missing"),
        ("UPDATE batches SET batch = batch + 900", "is missing"),
        ("DELETE FROM runs", "it must have exactly one readable plan"),
        ("UPDATE runs SET plan = x'00'", "it must have exactly one readable plan"),
        ("UPDATE runs SET plan = replace(plan, '5', '6')", "the checksum of its plan"),
        ("UPDATE runs SET run = 3", "the stored number of the run does not fit the stored plan"),
    ]:
        path.write_bytes(undisturbed[0])
        with sqlite3.connect(path) as connection:
            connection.execute(change)
        connection.close()
        with pytest.raises(RunFileError, match=rf"is damaged: .*({problem}).*; restore the file"):
            Results.read(path)


def test_games_of_another_run_are_refused(path: Path) -> None:
    """Whole batches, copied from another file with their checksums."""
    other = path.with_name("other.db")
    simulate(replace(PLAN, games=2), path, workers=1)
    simulate(replace(PLAN, seed=6), other, workers=1)
    with sqlite3.connect(path) as connection:
        connection.execute("ATTACH ? AS other", [str(other)])
        (last,) = connection.execute("SELECT max(batch) FROM batches").fetchone()
        for table in ("batches", "games"):
            rest = f"SELECT * FROM other.{table} WHERE batch > ?"
            connection.execute(f"INSERT INTO {table} {rest}", [last])
    connection.close()
    before = path.read_bytes()
    for use in (Results.read, resumed):
        with pytest.raises(RunFileError, match=r"is damaged: batch \d+ belongs to another run"):
            use(path)
    assert path.read_bytes() == before


# --- other files -------------------------------------------------------------------------------


def _database(path: Path) -> None:
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE TABLE precious (data)")
    connection.close()


def _other_version(path: Path) -> None:
    simulate(PLAN, path, workers=1)
    with sqlite3.connect(path) as connection:
        connection.execute("ALTER TABLE games ADD COLUMN more")
    connection.close()


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda path: path.write_text("precious\n"), "is not the file of a run; give another"),
        (lambda path: path.write_bytes(b"\0"), "is not the file of a run; give another"),
        (
            lambda path: path.write_text('{"kind":"csp-mines games","version":2}\n'),
            "is a journal of JSON lines, which csp-mines wrote before it used SQLite",
        ),
        (_database, "is not the file of a run; give another"),
        (_other_version, "is the file of a run of another version of csp-mines"),
    ],
)
def test_a_file_that_is_not_ours_is_left_alone(path: Path, make: Any, message: str) -> None:
    make(path)
    before = path.read_bytes()
    for resume in (False, True):
        with pytest.raises(RunFileError, match=message):
            simulate(PLAN, path, resume=resume, workers=1)
    with pytest.raises(RunFileError, match=message):
        Results.read(path)
    assert path.read_bytes() == before


def test_an_empty_file_is_taken(undisturbed: tuple[bytes, list[Row]], path: Path) -> None:
    """That is what a run leaves that was killed before it wrote anything."""
    path.touch()
    with pytest.raises(RunFileError, match="is empty: no run has been written there"):
        Results.read(path)
    simulate(PLAN, path, workers=1)
    assert rows(path) == undisturbed[1]


def test_a_file_where_sqlite_keeps_its_journal_is_left_alone(path: Path) -> None:
    journal = path.with_name("games.db-journal")
    precious = path.with_name("precious")
    precious.write_text("precious")
    for make in (lambda: journal.write_text("precious"), lambda: journal.symlink_to(precious)):
        make()
        with pytest.raises(RunFileError, match=r"SQLite needs .*games\.db-journal for itself;"):
            simulate(PLAN, path, workers=1)
        assert journal.read_text() == "precious"
        assert not path.exists()
        journal.unlink()


def test_a_link_to_a_file_stays_a_link(undisturbed: tuple[bytes, list[Row]], path: Path) -> None:
    link = path.with_name("link")
    link.symlink_to(path)
    simulate(PLAN, link, workers=1)
    assert link.is_symlink()
    assert rows(path) == undisturbed[1]


def test_a_place_that_cannot_be_written_is_an_error(path: Path) -> None:
    for resume in (False, True):
        with pytest.raises(RunFileError, match=r"cannot open .*: there is no folder"):
            simulate(PLAN, path.parent / "missing" / "games", resume=resume, workers=1)
        with pytest.raises(RunFileError, match="is not a regular file"):
            simulate(PLAN, path.parent, resume=resume, workers=1)
        pipe = path.with_name(f"pipe{resume}")
        os.mkfifo(pipe)
        with pytest.raises(RunFileError, match="is not a regular file"):
            simulate(PLAN, pipe, resume=resume, workers=1)
    with pytest.raises(RunFileError, match="there is no file"):
        Results.read(path)


@pytest.mark.parametrize("name", ["", ".", "/", "a\0b"])
def test_names_that_are_no_files(name: str) -> None:
    with pytest.raises(RunFileError, match="is not the name of a file; give another name"):
        simulate(PLAN, name, workers=1)


def test_names_that_sqlite_would_read_otherwise(
    undisturbed: tuple[bytes, list[Row]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for name in (":memory:", "file:x?mode=memory", "100%25 #1?.db"):
        simulate(PLAN, name, workers=1)
        assert Path(name).read_bytes()[:6] == b"SQLite"
        assert rows(Path(name)) == undisturbed[1]
    shutil.rmtree(tmp_path)
