"""Worker processes: replaced when they end, and gone with their parent. All of it by signals."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from queue import Queue
from typing import Any

import pytest

from csp_mines import processes
from csp_mines.processes import Answer, ProcessPool, Worker

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="looks at /proc")

ROOT = Path(__file__).parents[1]
PRELOADED = "csp_mines.errors"
SECONDS = 60

Told = Queue[tuple[Worker, bytes | None]]


def prepare() -> Answer:
    """Workers that say their number, or are busy without ever letting go of the interpreter."""

    def answer(message: bytes) -> bytes:
        if message == b"busy":
            sum(range(10**12))
        return str(os.getpid()).encode()

    return answer


def fail() -> Answer:
    os._exit(3)


@contextmanager
def started(size: int, made: Callable[[], Answer] = prepare) -> Iterator[tuple[ProcessPool, Told]]:
    told: Told = Queue()
    lock = threading.Lock()

    def post(call: Callable[..., None], *arguments: Any) -> None:
        with lock:
            call(*arguments)

    pool = ProcessPool(size, made, lambda *news: told.put(news), post=post, preload=PRELOADED)
    with lock:
        pool.start()
    yield pool, told
    with lock:
        pool.stop()
    pool.wait()


def alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def wait_until(condition: Callable[[], bool]) -> None:
    deadline = time.monotonic() + SECONDS
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.01)


def asked(worker: Worker, told: Told) -> int:
    worker.ask(b"who?")
    answering, answer = told.get(timeout=SECONDS)
    assert answering is worker
    assert answer is not None
    return int(answer)


def test_workers_answer_one_message_after_another_and_end() -> None:
    with started(2) as (_, told):
        ready = [told.get(timeout=SECONDS) for _ in range(2)]
        assert [message for _, message in ready] == [b"", b""]
        pids = [asked(worker, told) for worker, _ in ready]
        assert pids == [asked(worker, told) for worker, _ in ready]
        assert len({os.getpid(), *pids}) == 3
    assert not any(map(alive, pids))
    assert told.empty()  # what was stopped is not told of


@pytest.mark.parametrize("busy", [False, True])
def test_a_killed_worker_is_replaced(busy: bool) -> None:
    with started(1) as (_, told):
        for _ in range(3):
            worker, message = told.get(timeout=SECONDS)
            assert message == b""
            pid = asked(worker, told)
            if busy:
                worker.ask(b"busy")
            os.kill(pid, signal.SIGKILL)
            assert told.get(timeout=SECONDS) == (worker, None)
            assert worker.exit_status == -signal.SIGKILL
        assert asked(told.get(timeout=SECONDS)[0], told) != pid


def test_a_worker_that_takes_too_long_can_be_replaced() -> None:
    with started(1) as (pool, told):
        worker, _ = told.get(timeout=SECONDS)
        pid = asked(worker, told)
        worker.ask(b"busy")
        wait_until(lambda: worker.clock() > 0.1)
        pool.replace(worker)
        other, message = told.get(timeout=SECONDS)
        assert (other is worker, message) == (False, b"")
        wait_until(lambda: not alive(pid))


def test_workers_that_die_as_they_start_are_tried_again_without_haste(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(processes, "RESTART_SECONDS", 0.3)
    with started(1, fail) as (pool, told):
        for _ in range(3):
            worker, message = told.get(timeout=SECONDS)
            assert (worker.ready, message, worker.exit_status) == (False, None, 3)
        assert pool.is_failing
        begin = time.monotonic()
        told.get(timeout=SECONDS)
        assert time.monotonic() - begin > 0.2


_PARENT = """
from tests.test_processes import asked, started, SECONDS
with started(2) as (pool, told):
    workers = [told.get(timeout=SECONDS)[0] for _ in range(2)]
    print(*(asked(worker, told) for worker in workers), flush=True)
    workers[0].ask(b"busy")
    told.get()
"""


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM])
def test_idle_and_busy_workers_end_with_their_parent(number: signal.Signals) -> None:
    """Only the parent gets the signal."""
    command = [sys.executable, "-c", _PARENT]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=ROOT) as parent:
        assert parent.stdout is not None
        workers = [int(pid) for pid in parent.stdout.readline().split()]
        assert len(workers) == 2
        parent.send_signal(number)
        assert parent.wait(SECONDS) == -number
        assert parent.stdout.read() == ""  # ends when no process holds the pipe any more
    wait_until(lambda: not any(map(alive, workers)))


def test_a_process_that_is_just_starting_ends_without_a_traceback() -> None:
    """The parent stops between the fork of its worker and the message that tells the worker what
    to do."""
    script = f"""
import os, threading, time
from multiprocessing import forkserver
from csp_mines.processes import ProcessPool
from tests.test_processes import prepare

forked, connect = threading.Event(), forkserver.connect_to_new_process

def connect_slowly(fds):
    ends = connect(fds)
    forked.set()
    time.sleep(0.5)
    return ends

forkserver.connect_to_new_process = connect_slowly
pool = ProcessPool(1, prepare, print, post=lambda call, *told: call(*told), preload={PRELOADED!r})
pool.start()
forked.wait()
pool.stop()
pool.wait()
os._exit(0)
"""
    done = subprocess.run([sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_a_fork_server_that_is_killed_is_replaced() -> None:
    with started(1) as (_, told):
        worker, _ = told.get(timeout=SECONDS)
        pid = asked(worker, told)
        server = int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])
        assert server != os.getpid()
        os.kill(server, signal.SIGKILL)
        assert told.get(timeout=SECONDS) == (worker, None)
        wait_until(lambda: told.get(timeout=SECONDS)[1] == b"")
        assert not alive(pid)
