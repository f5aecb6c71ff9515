"""`DaskPool`: a pool of workers on a Dask cluster (`workers.py` has the pool for this machine).

A Dask cluster is a scheduler and its workers. While the scheduler does not answer or has no
workers, the pool waits. The pool announces a long wait by a message, and raises WorkerError when
the time limit is past. If no server listens at the address, the pool raises the error at once.

This module needs the library `distributed`, which the extra `dask` installs."""

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
from csp_mines.libraries import needed
from csp_mines.simulation.workers import QUIET_SECONDS, Pool

Notify = Callable[[str], None]
ResultT = TypeVar("ResultT")

DASK_SECONDS = 20.0  # time limit of each wait: for the scheduler to answer, and for a worker

_ADDRESS = re.compile(r"(?:(\w+)://)?(?:\[([^]]+)\]|([^:/\[\]]+)):(\d{1,5})", re.ASCII)
_SCHEMES = ("tcp", "tls", "ws", "wss")


class DaskPool(Pool):
    """The workers of a Dask cluster. The cluster may replace workers that die; the pool does
    not."""

    # If a worker dies, Dask raises KilledWorker. If a result is lost together with its worker, Dask
    # raises other errors or cancels the future. So every error of a future counts as a death.
    deaths = (Exception, CancelledError)

    def __init__(
        self, address: str, *, notify: Notify | None = None, patience: float = DASK_SECONDS
    ) -> None:
        """Connect to the scheduler at `address`, and wait until the scheduler has a worker.

        * `notify` gets a message if the scheduler does not answer within QUIET_SECONDS, if no
          worker connects within QUIET_SECONDS, or if all workers are lost later.
        * `patience` is the time limit of each of these waits, in seconds.

        Raises MissingLibrary if Dask is not installed; WorkerError if no scheduler answers at
        `address`, or if no worker connects in time."""
        self._address, self._notify, self._patience = address, notify, patience
        self._alone: Deadline | None = None  # limits the present wait for workers, if any
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
            why = f"the connection failed (another program may answer there): {said}"
            raise self._no_scheduler(why) from None
        try:
            self._executor: Executor = self._client.get_executor(pure=False)
            with self._announced(f"waiting for workers of the Dask scheduler at {address}"):
                self.workers = self._wait_for_workers()
        except BaseException:
            self.close(at_once=True)
            raise

    @staticmethod
    def _library() -> Any:
        with needed("Dask is not installed", "csp-mines[dask]"):
            distributed = import_module("distributed")
        for name in ("distributed", "distributed.client", "tornado.application", "asyncio"):
            # The pool raises an error if the cluster fails, so Dask need not log the failure.
            logging.getLogger(name).setLevel(logging.CRITICAL + 1)
        return distributed

    def _require_answer(self) -> None:
        """Ask the scheduler for its identity. Raises TimeoutError if no answer comes within
        `patience` seconds, and any other error of the connection. Without this request, Dask's
        client would wait for ever for a server that accepts connections but does not answer.

        The request runs in a new thread, because an event loop may already run in the present
        thread, as in a notebook. The new thread is a daemon: after Ctrl-C, the process can end
        although the request still waits."""
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
        """Return the number of jobs that all workers together can run at once. Return 0 if the
        scheduler has no workers or does not answer."""
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
            self._say(
                f"the Dask scheduler at {self._address} has no workers or does not answer: "
                f"waiting for up to {self._patience:g} seconds"
            )
        elif self._alone.left <= 0:
            raise WorkerError(
                f"the Dask scheduler at {self._address} has lost its workers or does not answer: "
                f"no worker connected within {self._patience:g} seconds"
            )

    @contextmanager
    def _announced(self, what: str) -> Iterator[None]:
        """If the `with` block takes longer than QUIET_SECONDS, call `notify` with a message: `what`
        and the time limit."""
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
        except Exception as error:  # an error of the connection, not of a worker
            raise WorkerError(f"cannot hand work to the Dask cluster: {error}") from error

    @property
    def connected(self) -> bool:
        return bool(self._client.status == "running")

    def close(self, *, at_once: bool) -> None:
        # If the client has lost its scheduler, closing fails. An error has been raised for this
        # loss before, so `at_once` is true, and the failure of closing is ignored.
        with suppress(Exception) if at_once else nullcontext():
            if self.connected:
                self._executor.shutdown(wait=not at_once)
        with suppress(Exception) if at_once else nullcontext():
            self._client.close()


def _require_listener(address: str, patience: float) -> None:
    """Raise WorkerError unless `address` has the form of an address, and a server accepts a
    connection there within `patience` seconds. Without this check, Dask would try for a long time
    to connect to a wrong address. An `inproc` address names no server, and is not checked."""
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
