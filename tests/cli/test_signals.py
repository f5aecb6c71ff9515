"""Signals, from outside: every command ends with 128 + the signal's number and without a traceback,
whenever the signal comes, and leaves nothing behind."""

from __future__ import annotations

import os
import pty
import re
import signal
import socket
import subprocess
import sys
import termios
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from csp_mines.simulation.results import Results
from tests.cli.runner import run
from tests.cli.test_simulate import without_times

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="there are no such signals there")

COMMAND = [sys.executable, "-m", "csp_mines"]
GAMES = ("simulate", "--level", "expert", "--agent", "disarm", "--workers", "2", "--games", "50000")


def started(*arguments: str | Path, folder: Path, **more: Any) -> subprocess.Popen[str]:
    """A command in a process group of its own, as in a terminal."""
    return subprocess.Popen(
        [*COMMAND, *map(str, arguments)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        env={**os.environ, "XDG_STATE_HOME": str(folder)},
        **more,
    )


def wait_for(true: Callable[[], object], what: str) -> None:
    deadline = time.monotonic() + 60
    while not true():
        assert time.monotonic() < deadline, what
        time.sleep(0.005)


def wait_for_our_code(process: subprocess.Popen[str]) -> None:
    """Until Python itself has started: the first thing that a command does is to hear SIGTERM."""
    status = Path(f"/proc/{process.pid}/status")
    terminate = 1 << signal.SIGTERM - 1
    caught = re.compile(r"SigCgt:\t(\w+)")
    wait_for(lambda: int(caught.findall(status.read_text())[0], 16) & terminate, "it is deaf")


@pytest.mark.parametrize(
    ("number", "moments"),
    [(signal.SIGINT, (0, 0.2)), (signal.SIGTERM, (0.05, 0.4)), (signal.SIGHUP, (0.1,))],
)
@pytest.mark.parametrize(
    "arguments", [GAMES, ("solve", "-"), ("generate", "--no-guess", "--count", "200000")],
    ids=lambda arguments: arguments[0],
)  # fmt: skip
def test_whenever_a_signal_comes_there_is_no_traceback(
    arguments: tuple[str, ...],
    number: signal.Signals,
    moments: tuple[float, ...],
    tmp_path: Path,
) -> None:
    """Also while it imports, and while workers start. The whole group gets the signal."""
    for moment in moments:
        process = started(*arguments, folder=tmp_path)
        wait_for_our_code(process)
        time.sleep(moment)
        os.killpg(process.pid, number)
        _, told = process.communicate(timeout=60)  # until workers have let go of the pipes, too
        assert process.returncode == 128 + number, told
        assert re.fullmatch(r"(\w+: \d.* layouts .*\n)?(csp-mines: )?(interrupted.*\n)?", told)


SMALL_GAMES = ("simulate", "--size", "2x2", "--mines", "1", "-a", "rutgers-kb", "-n", "4000")


@pytest.fixture(scope="module")
def undisturbed() -> str:
    """What SMALL_GAMES prints if no signal comes."""
    return run(*SMALL_GAMES, "--workers", "1", "--json").out


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_no_game_that_was_counted_is_lost(
    number: signal.Signals, tmp_path: Path, undisturbed: str
) -> None:
    path, games = tmp_path / "games", SMALL_GAMES
    kept = ("--workers", "2", "--out", path)
    process = started(*games, *kept, folder=tmp_path)
    wait_for(lambda: path.exists() and path.stat().st_size > 20_000, "no games are written")
    process.send_signal(number)
    _, told = process.communicate(timeout=60)
    assert process.returncode == 128 + number
    counted = re.match(r"interrupted: ([\d,]+) of 4,000 games played, kept in", told)
    assert counted is not None, told
    assert Results.read(path).played == int(counted[1].replace(",", ""))
    again = started(*games, *kept, "--resume", "--json", folder=tmp_path)
    shown, told = again.communicate(timeout=60)
    assert (again.returncode, told) == (0, "")
    assert without_times(shown) == without_times(undisturbed)


def test_a_signal_that_is_ignored_stays_so(tmp_path: Path) -> None:
    """By nohup, or by a shell that starts a job in the background."""

    def ignore() -> None:
        signal.signal(signal.SIGHUP, signal.SIG_IGN)
        signal.signal(signal.SIGINT, signal.SIG_IGN)

    process = started("solve", "-", folder=tmp_path, preexec_fn=ignore)
    wait_for_our_code(process)
    for number in (signal.SIGHUP, signal.SIGINT):
        process.send_signal(number)
        time.sleep(0.2)
    shown, told = process.communicate("?1\n", timeout=60)
    assert (process.returncode, told) == (0, "")
    assert "proved mine" in shown


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_assist_gives_the_terminal_back_as_it_was(number: signal.Signals, tmp_path: Path) -> None:
    pytest.importorskip("readline")
    ours, theirs = pty.openpty()
    before = termios.tcgetattr(theirs)
    process = subprocess.Popen(
        [*COMMAND, "assist", "--size", "4x4", "--mines", "3"],
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        env={**os.environ, "XDG_STATE_HOME": str(tmp_path), "TERM": "xterm"},
    )
    shown = b""
    while b"> " not in shown:
        shown += os.read(ours, 4096)
    wait_for(lambda: termios.tcgetattr(theirs) != before, "readline has not begun")
    process.send_signal(number)
    assert process.wait(60) == 128 + number
    assert termios.tcgetattr(theirs) == before
    os.close(theirs)
    os.close(ours)


def test_a_terminal_that_is_closed_ends_assist(tmp_path: Path) -> None:
    """SIGHUP comes, and nothing more can be shown."""
    pid, terminal = pty.fork()
    if not pid:
        os.environ["XDG_STATE_HOME"] = str(tmp_path)
        os.execv(COMMAND[0], [*COMMAND, "assist", "--size", "4x4", "--mines", "3"])
    shown = b""
    while b"> " not in shown:
        shown += os.read(terminal, 4096)
    os.write(terminal, b"1\n")
    wait_for(lambda: b"Open" in os.read(terminal, 4096), "no answer")
    os.close(terminal)
    _, status = os.waitpid(pid, 0)
    assert os.waitstatus_to_exitcode(status) == 128 + signal.SIGHUP


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_the_server_ends_in_good_order(number: signal.Signals, tmp_path: Path) -> None:
    pytest.importorskip("uvicorn")
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    process = started("web", "--no-browser", "--port", str(port), folder=tmp_path)
    assert process.stdout is not None
    assert "Ctrl-C ends it" in process.stdout.readline()
    process.send_signal(number)
    _, told = process.communicate(timeout=60)
    assert (process.returncode, told) == (128 + number, "csp-mines: interrupted\n")


def test_a_killed_command_leaves_no_folder_of_a_recording(tmp_path: Path) -> None:
    """Not even one that is killed while another process reads the recording."""
    pytest.importorskip("ms_toollib")
    recording, folder = tmp_path / "game.rmv", tmp_path / "temporary"
    recording.write_bytes(b"*rmv" + bytes(100))
    folder.mkdir()
    command = [*COMMAND, "solve", str(recording)]
    process = subprocess.Popen(command, env={**os.environ, "TMPDIR": str(folder)})
    children = Path(f"/proc/{process.pid}/task/{process.pid}/children")
    wait_for(children.read_text, "nobody reads it")
    reader = Path("/proc", children.read_text().split()[0], "cmdline")
    process.kill()
    process.wait(60)
    wait_for(lambda: not reader.exists() or not reader.read_bytes(), "it reads for ever")
    assert list(folder.iterdir()) == []
