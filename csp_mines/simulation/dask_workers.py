"""The pool of workers on a Dask cluster (`workers.py` has the pool for this machine).

If the scheduler or its workers do not answer, the pool tells the caller that it waits, and gives up
after a limited time. This module needs the library `distributed`, which the extra `dask`
installs."""

from __future__ import annotations

import asyncio
import logging
import re
import socket
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import CancelledError, Executor, Future
from contextlib import contextmanager, nullcontext, suppress
from importlib import import_module
from typing import Any, TypeVar

from csp_mines.backend import Deadline
from csp_mines.errors import WorkerError
from csp_mines.libraries import missing
from csp_mines.simulation.workers import QUIET_SECONDS, Pool

Notify = Callable[[str], None]
ResultT = TypeVar("ResultT")

DASK_SECONDS = 20.0  # how long to wait for the answer of a scheduler, and for its workers

_ADDRESS = re.compile(r"(?:(\w+)://)?(?:\[([^]]+)\]|([^:/\[\]]+)):(\d{1,5})", re.ASCII)
_SCHEMES = ("tcp", "tls", "ws", "wss")


class DaskPool(Pool):
    """The workers of a Dask cluster. The cluster itself replaces workers that die."""

    # If a worker dies, Dask raises KilledWorker. If a result is lost together with its worker, Dask
    # raises other errors or cancels the future.
    deaths = (Exception, CancelledError)

    def __init__(
        self, address: str, *, notify: Notify | None = None, patience: float = DASK_SECONDS
    ) -> None:
        """Connect to the scheduler at `address`. If the cluster does not answer, `notify` is called
        with a message, and the pool waits for at most `patience` seconds.

        Raises MissingLibrary without Dask, WorkerError if no scheduler answers at the address, or
        if the scheduler has no workers."""
        self._address, self._notify, self._patience = address, notify, patience
        self._alone: Deadline | None = None  # when to give up; None if a worker is connected
        distributed = self._library()
        _require_listener(address, patience)
        try:
            with self._announced(f"waiting for the Dask scheduler at {address} to answer"):
                self._require_answer()
                self._client = distributed.Client(address, timeout=patience, set_as_default=False)
        except TimeoutError:
            raise self._no_scheduler(f"no answer in {patience:g} seconds") from None
        except Exception as error:  # Dask raises errors of many types
            said = (str(error).splitlines() or [type(error).__name__])[0]
            raise self._no_scheduler(f"another program answers there: {said}") from None
        try:
            self._executor: Executor = self._client.get_executor(pure=False)
            with self._announced(f"waiting for workers of the Dask scheduler at {address}"):
                self.workers = self._wait_for_workers()
        except BaseException:
            self.close(at_once=True)
            raise

    @staticmethod
    def _library() -> Any:
        try:
            distributed = import_module("distributed")
        except ImportError:
            raise missing("Dask is not installed", "csp-mines[dask]") from None
        for name in ("distributed", "distributed.client", "tornado.application", "asyncio"):
            # The pool raises an error if the cluster fails, so Dask need not log that as well.
            logging.getLogger(name).setLevel(logging.CRITICAL + 1)
        return distributed

    def _require_answer(self) -> None:
        """Ask the scheduler for its identity. Raises TimeoutError if no answer comes in time.
        Without this request, Dask's client would wait for ever for a server that accepts the
        connection and does not answer. The request runs in a thread of its own, because the thread
        of a notebook has an event loop already. The thread is a daemon, so that Ctrl-C does not
        wait for it."""
        answer: Future[Any] = Future()

        def ask() -> None:
            asked = asyncio.wait_for(_identity(self._address, self._patience), self._patience)
            try:
                answer.set_result(asyncio.run(asked))
            except Exception as error:
                answer.set_exception(error)

        threading.Thread(target=ask, daemon=True).start()
        answer.result()

    def _wait_for_workers(self) -> int:
        deadline = Deadline(self._patience)
        while not (threads := self._threads()):
            if deadline.left <= 0:
                raise WorkerError(
                    f"the Dask scheduler at {self._address} has no workers: "
                    f"none connected within {self._patience:g} seconds"
                )
            time.sleep(0.1)
        return threads

    def _threads(self) -> int:
        """Return the number of jobs that the workers can run at once; 0 if the scheduler does not
        answer."""
        try:
            asked = self._client.sync(
                self._client.scheduler.ncores, callback_timeout=self._patience / 2
            )
        except Exception:  # a connection can fail in many ways; each counts as no answer
            return 0
        return sum(asked.values())

    def look(self) -> None:
        if not self.connected:
            raise WorkerError("lost the connection to the workers")
        if self._threads():
            self._alone = None
        elif self._alone is None:
            self._alone = Deadline(self._patience)
            self._say(f"no workers are left at the Dask scheduler {self._address}: waiting")
        elif self._alone.left <= 0:
            raise WorkerError(
                f"the Dask scheduler at {self._address} has lost its workers: "
                f"none connected within {self._patience:g} seconds"
            )

    @contextmanager
    def _announced(self, what: str) -> Iterator[None]:
        """If the body of the `with` statement takes longer than `QUIET_SECONDS`, tell the caller
        what the pool waits for."""
        text = f"{what} (up to {self._patience:g} seconds)"
        timer = threading.Timer(QUIET_SECONDS, self._say, [text])
        timer.daemon = True
        timer.start()
        try:
            yield
        finally:
            timer.cancel()

    def _say(self, text: str) -> None:
        if self._notify is not None:
            self._notify(text)

    def _no_scheduler(self, why: str) -> WorkerError:
        return WorkerError(f"no Dask scheduler at {self._address!r}: {why}")

    def submit(self, task: Callable[..., ResultT], *args: Any) -> Future[ResultT]:
        try:
            return self._executor.submit(task, *args)
        except Exception as error:  # an error of the connection, never of a worker
            raise WorkerError(f"cannot hand work to the Dask cluster: {error}") from error

    @property
    def connected(self) -> bool:
        return bool(self._client.status == "running")

    def close(self, *, at_once: bool) -> None:
        # Closing fails if the client has lost its scheduler. That loss has raised an error already.
        with suppress(Exception) if at_once else nullcontext():
            if self.connected:
                self._executor.shutdown(wait=not at_once)
        with suppress(Exception) if at_once else nullcontext():
            self._client.close()


def _require_listener(address: str, patience: float) -> None:
    """Raise WorkerError unless a server accepts connections at the address. Without this check,
    Dask would try for a long time to connect to a wrong address."""
    if address.startswith("inproc://"):
        return
    match = _ADDRESS.fullmatch(address)
    if match is None or (match[1] or "tcp") not in _SCHEMES or int(match[4]) > 65535:
        raise WorkerError(
            f"no Dask scheduler at {address!r}: expected an address HOST:PORT or tcp://HOST:PORT"
        )
    host, port = match[2] or match[3], int(match[4])
    try:
        socket.create_connection((host, port), timeout=patience).close()
    except (OSError, UnicodeError) as error:
        why = getattr(error, "strerror", None) or str(error)
        raise WorkerError(f"no Dask scheduler at {address!r}: {why.lower()}") from None


async def _identity(address: str, patience: float) -> Any:
    comm = await import_module("distributed.core").connect(address, timeout=patience)
    try:
        await comm.write({"op": "identity", "reply": True})
        return await comm.read()
    finally:
        comm.abort()
