"""`csp-mines simulate`."""

from __future__ import annotations

import json
import os
import pty
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from csp_mines.machine import usable_cores
from csp_mines.simulation.results import Results
from tests.cli.runner import run

SMALL = ("simulate", "--size", "6x6", "--mines", "5", "--workers", "1", "--agent", "disarm")


def rows(path: Path) -> list[dict[str, Any]]:
    return list(Results.read(path).rows())


def without_times(text: str) -> dict[str, Any]:
    report: dict[str, Any] = json.loads(text)
    for agent in report["agents"]:
        assert agent.pop("seconds_per_game") > 0
    return report


def test_the_table_says_how_sure_it_is() -> None:
    result = run(*SMALL, "--agent", "rutgers-kb", "--games", "20", "--seed", "3")
    assert (result.status, result.err) == (0, "")
    assert "6×6 with 5 mines, rules classic, start safe, clues exact, seed 3" in result.out
    assert "95 %" in result.out
    for name in ("disarm", "rutgers-kb"):
        assert name in result.out


def test_json_and_nothing_else() -> None:
    result = run(*SMALL, "--games", "20", "--json", "--rules", "sweep", "--start", "any")
    assert (result.status, result.err) == (0, "")
    report = json.loads(result.out)
    assert list(report) == ["games", "agents", "comparisons"]
    assert (report["games"], report["comparisons"]) == (20, [])
    (agent,) = report["agents"]
    assert list(agent) == [
        "agent",
        "games",
        "wins",
        "win_rate",
        "interval",
        "score",
        "score_error",
        "score_interval",
        "guesses_per_game",
        "seconds_per_game",
    ]
    assert agent["agent"] == "disarm"
    assert agent["win_rate"] == agent["wins"] / 20
    assert agent["interval"][0] <= agent["win_rate"] <= agent["interval"][1]
    assert 0 < agent["score"] <= 1


def test_agents_are_compared_with_the_first_on_the_same_layouts() -> None:
    arguments = (*SMALL, "--agent", "rutgers-baseline", "--agent", "exact", "--games", "30")
    compared = json.loads(run(*arguments, "--json").out)["comparisons"]
    assert [(result["agent"], result["against"]) for result in compared] == [
        ("rutgers-baseline", "disarm"),
        ("exact", "disarm"),
    ]
    for result in compared:
        low, high = result["interval"]
        assert low < result["win_rate_difference"] < high
        both = result["only_agent_won"] - result["only_against_won"]
        assert result["win_rate_difference"] == both / result["games"] == both / 30
    text = run(*arguments).out
    assert "against disarm, same layouts" in text
    assert f"{compared[1]['win_rate_difference']:+.2%}" in text
    assert "against" not in run(*SMALL, "--games", "2").out


def test_one_game_has_no_margin_and_one_mine_is_one() -> None:
    result = run("simulate", "--size", "5x5", "--mines", "1", "-w", "1", "-n", "1")
    assert "±" not in result.out
    assert "5×5 with 1 mine, rules" in result.out


def test_the_margin_is_half_the_95_percent_interval() -> None:
    arguments = (*SMALL, "--games", "20", "--rules", "sweep")
    (agent,) = json.loads(run(*arguments, "--json").out)["agents"]
    low, high = agent["score_interval"]
    assert (high - low) / 2 == pytest.approx(1.959964 * agent["score_error"])
    assert f"{agent['score']:.4f} ± {(high - low) / 2:.4f}" in run(*arguments).out


def test_the_first_cell_can_be_chosen(tmp_path: Path) -> None:
    corner, middle = tmp_path / "corner", tmp_path / "middle"
    assert run(*SMALL, "--games", "9", "--out", corner).status == 0
    result = run(*SMALL, "--games", "9", "--out", middle, "--first", "3,3", "--start", "zero")
    assert result.status == 0
    assert "start zero at 3,3," in result.out
    assert Results.read(middle).plan.setups[0].first == (3, 3)
    assert rows(middle) != rows(corner)


def test_the_same_seed_gives_the_same_games(tmp_path: Path) -> None:
    first, again, other = (tmp_path / name for name in ("first", "again", "other"))
    assert run(*SMALL, "--games", "9", "--out", first).status == 0
    assert run(*SMALL, "--games", "9", "--out", again, "--workers", "2").status == 0
    assert run(*SMALL, "--games", "9", "--out", other, "--seed", "1").status == 0
    assert rows(first) == rows(again) != rows(other)


def test_resume_goes_on_extends_and_refuses_another_run(tmp_path: Path) -> None:
    path, other = tmp_path / "games.db", tmp_path / "other.db"
    assert run(*SMALL, "--games", "4", "--out", path).status == 0
    again = run(*SMALL, "--games", "9", "--out", path)
    assert (again.status, again.out) == (2, "")
    assert "exists; add --resume to continue its run" in again.err
    more = ("--games", "9", "--agent", "exact", "--json")
    extended = run(*SMALL, *more, "--out", path, "--resume")
    alone = run(*SMALL, *more, "--out", other)
    assert without_times(extended.out) == without_times(alone.out)
    assert rows(path) == rows(other)
    refused = run(*SMALL, *more, "--out", path, "--resume", "--seed", "8")
    assert refused.status == 2
    assert "belongs to another run: seed is 0 in the file, but 8 was asked for" in refused.err


def test_agents_that_are_not_told_the_total_play_without_it(tmp_path: Path) -> None:
    told, untold = tmp_path / "told", tmp_path / "untold"
    arguments = ("simulate", "--size", "5x5", "--mines", "6", "-w", "1", "-n", "20")
    assert run(*arguments, "--out", told, "--told-total").status == 0
    assert run(*arguments, "--out", untold, "--not-told").status == 0
    assert Results.read(untold).plan.setups[0].rules.told_total is False
    assert rows(untold) != rows(told)


def test_a_second_run_leaves_the_first_alone(tmp_path: Path) -> None:
    """From the moment at which the first run has its lock, which is before it writes, to its end.
    A second run fails at once and says why; the first ends well and has every game."""
    path = tmp_path / "games"
    games = ("--size", "2x2", "--mines", "1", "-a", "rutgers-kb", "-n", "6000", "--json")
    arguments = [sys.executable, "-m", "csp_mines", "simulate", *games, "--workers", "1"]
    first = subprocess.Popen([*arguments, "--out", path], stdout=subprocess.PIPE, text=True)
    while not (path.exists() and path.stat().st_size):
        time.sleep(0.001)
        assert first.poll() is None
    seconds = []
    while first.poll() is None:
        more = ("--resume",) if len(seconds) % 2 else ()
        seconds.append(run("simulate", *games, "--workers", "1", "--out", path, *more))
    shown, _ = first.communicate()
    assert first.returncode == 0
    refused = f"csp-mines: {path} is being written by another run\n"
    while seconds[-1].err != refused:  # those that came when all was written
        last = seconds.pop()
        assert "exists; add --resume to continue its run" in last.err or last.out == shown
    assert len(seconds) > 1  # at least one to begin again and one to resume
    assert {(second.status, second.out, second.err) for second in seconds} == {(2, "", refused)}
    again = run("simulate", *games, "--workers", "1", "--out", path, "--resume")
    assert again.status == 0
    assert json.loads(again.out) == json.loads(shown)
    alone = run("simulate", *games, "--workers", "1").out
    assert without_times(alone) == without_times(shown)
    assert [file.name for file in tmp_path.iterdir()] == ["games"]


def _peak(*arguments: str, seconds: float | None = None) -> int:
    """The most memory that a command takes, in bytes. It gets Ctrl-C after some seconds."""
    command = [sys.executable, "-m", "csp_mines", *arguments, "--workers", "1"]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    if seconds is not None:
        time.sleep(seconds)
        process.send_signal(signal.SIGINT)
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    assert process.returncode == (0 if seconds is None else 130)
    return used.ru_maxrss * 1024


@pytest.mark.parametrize(
    "command", [("simulate", "--mines", "1"), ("densities", "-d", "0.25,0.5")], ids=lambda it: it[0]
)
def test_memory_does_not_grow_with_the_games(command: tuple[str, ...], tmp_path: Path) -> None:
    small = (*command, "--size", "1x4", "--games")
    out = ("--out", str(tmp_path / "games"))
    few = _peak(*small, "1000")
    for peak in (
        _peak(*small, "8000", *out),
        _peak(*small, "8000", *out, "--resume"),
        _peak(*small, "1000000000", seconds=1.5),
    ):
        assert peak < few + (4 << 20)


def test_workers_are_as_many_as_make_sense() -> None:
    asked = run("simulate", "--level", "easy", "--games", "3", "--workers", "1000000")
    assert asked.status == 0
    most = 4 * usable_cores()
    assert asked.err.startswith(
        f"csp-mines: 1,000,000 workers were asked for; at most {most} are used, 4 for each of "
    )


@pytest.mark.parametrize("level", ["beginner", "easy"])
def test_levels(level: str) -> None:
    result = run("simulate", "--level", level, "-a", "disarm", "-n", "2", "-w", "1", "--json")
    assert result.status == 0
    assert json.loads(result.out)["games"] == 2


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            ("--level", "expert", "--size", "9x9"),
            "give either --level, or a size with --mines or --density",
        ),
        (("--size", "9x9"), "give --mines or --density: a size alone does not give the mines"),
        (("--mines", "9"), "--mines and --density need a size: give --size, such as 16x30"),
        (
            ("--size", "9x9", "--mines", "9", "--density", "0.1"),
            "give either --mines or --density, not both",
        ),
        (("--level", "easy", "--resume"), "--resume needs --out"),
        (
            ("--size", "nine", "--mines", "3"),
            "--size must be rows x columns, such as 16x30, not 'nine'",
        ),
        (("--size", "9x9", "--mines", "99"), "a board of 81 cells has 0 to 81 mines, not 99"),
        (("--level", "hopeless"), "unknown level 'hopeless'"),
        (("--level", "easy", "--agent", "nobody"), "unknown agent 'nobody'"),
        (("--level", "easy", "--agent", "native+nothing"), "unknown policy 'nothing'"),
        (("--level", "easy", "--rules", "none"), "unknown rules 'none'"),
        (("--level", "easy", "--start", "late"), "unknown start 'late'"),
        (("--level", "easy", "--games", "0"), "--games needs a whole number from 1 on, not '0'"),
        (("--level", "easy", "--out", ""), "--out needs a file name"),
        (("--level", "easy", "--out", "."), "'.' is not the name of a file"),
        (("--level", "easy", "--out", "/"), "'/' is not the name of a file"),
        (("--level", "easy", "--out", "/tmp"), "/tmp is not a regular file"),
        (("--level", "easy", "--first", "x"), "a cell must be ROW,COL, such as 3,4, not 'x'"),
        (("--level", "easy", "--first", "99,0"), "cell 99,0 is not on this"),
        (("--level", "easy", "--first", "0,0", "--start", "sqrt"), "leave out the first cell"),
        (("--level", "easy", "--dask", "nonsense"), "no Dask scheduler at 'nonsense'"),
        (("--level", "easy", "--out", "/missing/games.db"), "cannot open /missing/games.db"),
    ],
)
def test_mistakes_are_one_line(arguments: tuple[str, ...], message: str) -> None:
    result = run("simulate", *arguments)
    assert (result.status, result.out) == (2, "")
    assert message in result.err
    assert result.err.count("\n") == 1


@pytest.mark.parametrize("size", [1, 5000], ids=["starting", "running"])
def test_interrupted_it_says_how_to_go_on(tmp_path: Path, size: int) -> None:
    """Ctrl-C in a terminal: the bar is there, the games are kept, and no worker complains."""
    path = tmp_path / "games.db"
    command = [sys.executable, "-c", "from csp_mines.cli import main; main()"]
    arguments = ["simulate", "--level", "expert", "-a", "disarm", "-n", "100000", "-w", "2"]
    terminal, stderr = pty.openpty()
    process = subprocess.Popen(
        [*command, *arguments, "--out", str(path)],
        stdout=subprocess.PIPE,
        stderr=stderr,
        start_new_session=True,
        env={**os.environ, "TERM": "xterm", "COLUMNS": "100"},
    )
    os.close(stderr)
    deadline = time.monotonic() + 300
    while time.monotonic() < deadline and not (path.exists() and path.stat().st_size > size):
        time.sleep(0.01)
    os.killpg(process.pid, signal.SIGINT)
    shown = _read_all(terminal)
    out, _ = process.communicate(timeout=300)
    assert process.returncode == 130
    assert "/100000" in shown
    assert "of 100,000 games played, kept in" in shown
    assert "continue with --resume" in " ".join(shown.split())
    assert "Traceback" not in shown
    assert (b"disarm" in out) == (Results.read(path).played > 0)


def _read_all(terminal: int) -> str:
    """What a terminal showed until everybody who could write to it has ended."""
    parts = []
    while True:
        try:
            part = os.read(terminal, 65536)
        except OSError:
            part = b""
        if not part:
            os.close(terminal)
            return b"".join(parts).decode()
        parts.append(part)


@pytest.mark.parametrize("command", ["simulate", "densities", "play", "influence"])
def test_without_the_kernel_an_agent_that_plays_to_win_says_what_it_does(
    command: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    told = "without the compiled kernel, the agent 'win:fast' guesses the cell with the lowest risk"
    size = ("--size", "4x4", *(("-d", "0.2") if command == "densities" else ("--mines", "3")))
    games = ("--games", "1") if command in ("simulate", "densities") else ()
    monkeypatch.setattr("csp_mines.backend.offered", lambda _: None)
    result = run(command, *size, *games, "--agent", "win:fast")
    assert (result.status, result.err.splitlines()) == (0, [told])
    assert run(command, *size, *games, "--agent", "exact").err == ""
    monkeypatch.setattr("csp_mines.backend.offered", lambda _: object())
    assert run(command, *size, *games, "--agent", "win:fast").err == ""
