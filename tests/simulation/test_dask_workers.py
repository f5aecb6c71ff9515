"""Dask clusters that are not there, or say nothing: waited for aloud, and not for ever."""

from __future__ import annotations

import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from concurrent.futures import Future
from importlib.util import find_spec
from typing import Any

import pytest

from csp_mines.errors import WorkerError
from csp_mines.simulation import dask_workers, workers
from csp_mines.simulation.dask_workers import DaskPool
from csp_mines.simulation.workers import run

# Asked without an import, which takes a second in every worker.
pytestmark = pytest.mark.skipif(find_spec("distributed") is None, reason="no distributed")


@pytest.mark.parametrize(
    ("address", "why"),
    [
        ("nonsense", "expected an address HOST:PORT or tcp://HOST:PORT"),
        ("nonsense://nowhere", "expected an address HOST:PORT or tcp://HOST:PORT"),
        ("", "expected an address HOST:PORT or tcp://HOST:PORT"),
        ("ftp://localhost:1", "expected an address HOST:PORT or tcp://HOST:PORT"),
        ("localhost:99999", "expected an address HOST:PORT or tcp://HOST:PORT"),
        ("x" * 300 + ":1", "label too long"),
        ("tcp://localhost:1", "connection refused"),
    ],
)
def test_an_address_of_nobody_is_refused_at_once(address: str, why: str) -> None:
    begin = time.monotonic()
    with pytest.raises(WorkerError, match="no Dask scheduler at") as caught:
        DaskPool(address)
    assert why in str(caught.value)
    assert time.monotonic() - begin < dask_workers.DASK_SECONDS / 2


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dask_workers, "QUIET_SECONDS", 0.1)
    monkeypatch.setattr(workers, "QUIET_SECONDS", 0.1)


@pytest.mark.usefixtures("quick")
def test_a_silent_scheduler_is_waited_for_aloud_and_not_for_ever() -> None:
    said: list[str] = []
    with socket.create_server(("127.0.0.1", 0)) as silent:
        address = f"tcp://127.0.0.1:{silent.getsockname()[1]}"
        with pytest.raises(WorkerError, match=r"no answer in 0\.5 seconds"):
            DaskPool(address, notify=said.append, patience=0.5)
    waiting = f"waiting for the Dask scheduler at {address} to answer (up to 0.5 seconds)"
    assert said == [waiting]


def test_what_speaks_something_else_is_no_scheduler() -> None:
    def talk(server: socket.socket) -> None:
        while True:
            try:
                caller, _ = server.accept()
            except OSError:
                return
            with caller:
                caller.sendall(b"HTTP/1.1 200 OK\r\n\r\n" * 10)

    with socket.create_server(("127.0.0.1", 0)) as server:
        threading.Thread(target=talk, args=(server,), daemon=True).start()
        with pytest.raises(WorkerError, match="another program may answer there"):
            DaskPool(f"127.0.0.1:{server.getsockname()[1]}", patience=5)


@pytest.fixture
def lonely() -> Iterator[str]:
    """A scheduler without workers, in a process of its own."""
    code = (
        "import asyncio, sys\n"
        "from distributed import Scheduler\n"
        "async def main():\n"
        "    async with Scheduler(host='127.0.0.1', port=0, dashboard=False) as scheduler:\n"
        "        print(scheduler.address, flush=True)\n"
        "        await asyncio.to_thread(sys.stdin.read)\n"
        "asyncio.run(main())\n"
    )
    process = subprocess.Popen(
        [sys.executable, "-c", code],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    assert process.stdin is not None
    assert process.stdout is not None
    with process.stdin, process.stdout:
        yield process.stdout.readline().strip()
        process.kill()
        process.wait(60)


@pytest.mark.usefixtures("quick")
def test_a_scheduler_without_workers_is_waited_for_aloud_and_not_for_ever(lonely: str) -> None:
    said: list[str] = []
    with pytest.raises(WorkerError, match=r"has no workers: none connected within 0\.5 seconds"):
        DaskPool(lonely, notify=said.append, patience=0.5)
    assert said[-1].startswith(f"waiting for workers of the Dask scheduler at {lonely}")


class Deserted(DaskPool):
    """A cluster that answers, but whose workers have gone."""

    def __init__(self, said: list[str]) -> None:
        self.workers = 1
        self._executor = self._client = self
        self.status = "running"
        self._address, self._patience, self._alone = "tcp://somewhere", 0.3, None
        self._notify = said.append

    def submit(self, *_: object) -> Future[Any]:
        return Future()

    def _threads(self) -> int:
        return 0

    def shutdown(self, *, wait: bool) -> None:
        """Nobody is there."""


def squares(kind: str, jobs: tuple[int, ...]) -> list[int]:
    return [job * job for job in jobs]


@pytest.mark.usefixtures("quick")
def test_workers_that_go_for_good_end_the_run() -> None:
    said: list[str] = []
    with (
        pytest.raises(
            WorkerError,
            match=r"lost its workers or does not answer: no worker connected within 0\.3 s",
        ),
        Deserted(said) as pool,
    ):
        list(run(squares, {"a": range(9)}, pool))
    assert said == [
        "the Dask scheduler at tcp://somewhere has no workers or does not answer: "
        "waiting for up to 0.3 seconds"
    ]
