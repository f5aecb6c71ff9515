"""How requests share the workers, so that light work never waits for heavy work.

A request does not tell how long it takes, so a new request begins as light work. It becomes heavy
work after `LIGHT_SECONDS` of processor time, or at latest after `MOST_LIGHT_SECONDS`. If the same
request comes again, it is heavy from the start. At most `size` workers do heavy work at a time: by
default one for each core, but at least two. If a request becomes heavy while `size` workers do
heavy work, the pool ends this work and queues the request again. There are `LIGHT_WORKERS` more
workers than `size`, so heavy work never takes all workers.

`tasks.likely_effort` estimates the effort of a request. A request searches if its effort is at
least `SEARCHING`. The last idle worker is kept for light requests that do not search. Of the light
requests that wait, one with the least effort goes first, so requests that search go last. A request
is refused if it still waits `PATIENCE` seconds after its arrival. If more than `MOST_WAITING`
requests wait, one is refused: the heavy request that was queued last or, if no request is heavy,
the request with the greatest effort."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from csp_mines.machine import usable_cores
from csp_mines.processes import MOST_DEATHS, ProcessPool, Worker
from csp_mines.web.tasks import OUT_OF_MEMORY, SEARCHING, error_json, likely_effort
from csp_mines.web.workers import PRELOADED, Answer, prepare, read_answer, request_text

LIGHT_SECONDS = 0.2  # of processor time, or of elapsed time if the system reports no processor time
MOST_LIGHT_SECONDS = 1.0  # elapsed seconds after which work counts as heavy in any case
LIGHT_WORKERS = 3
PATIENCE = 10.0  # a request that still waits this many seconds after its arrival is refused
MOST_WAITING = 128
MOST_KNOWN = 1000  # how many requests are remembered as heavy
LONG_TASKS = ("review",)  # tasks with a longer time limit: a review judges a whole game
LONGER = 3  # the time limit of `LONG_TASKS`, as a multiple of the usual limit
GRACE = 0.2  # seconds for which work goes on after its client has left


class Busy(Exception):
    """The pool has refused the request: it waited too long, or too many requests wait."""


class TooLong(Exception):
    """The pool has ended the work at its time limit. `seconds` is this limit."""

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        super().__init__(seconds)


@dataclass(eq=False)
class _Request:
    task: str
    body: bytes
    arrived: float  # by the clock of the event loop
    effort: int
    answer: asyncio.Future[Answer]
    heavy: bool = False
    begun: float = 0.0  # when its work began, by `Worker.clock`
    deaths: int = 0
    timer: asyncio.TimerHandle | None = field(default=None, repr=False)

    @property
    def key(self) -> int:
        """A number by which equal requests are recognised."""
        return hash((self.task, self.body))

    def stop_timer(self) -> None:
        if self.timer is not None:
            self.timer.cancel()

    def settle(self, outcome: Answer | Exception) -> None:
        """Give the outcome to the caller of `run`, unless this caller no longer waits."""
        self.stop_timer()
        if self.answer.done():
            return
        if isinstance(outcome, Exception):
            self.answer.set_exception(outcome)
        else:
            self.answer.set_result(outcome)


class WorkPool:
    """The worker processes of the server. At most `size` workers do heavy work at a time; the
    default is one for each core, but at least two. `seconds` is the time limit of a request; a
    request for one of `LONG_TASKS` has `LONGER` times as long. Call all methods in the thread of
    the event loop."""

    def __init__(self, size: int | None = None, *, seconds: float = 10.0) -> None:
        self.seconds = seconds
        self._size = size or max(2, usable_cores())
        self._processes = ProcessPool(
            self._size + LIGHT_WORKERS, prepare, self._told, post=self._post, preload=PRELOADED
        )
        self._idle: list[Worker] = []
        self._running: dict[Worker, _Request] = {}
        self._known_heavy: dict[int, None] = {}  # keys of requests, the oldest first
        self._waiting: list[_Request] = []  # in the order in which they were queued

    def start(self) -> None:
        """Start the processes, and return before they are ready. Until a process is ready, requests
        wait. The event loop must be running."""
        self._loop = asyncio.get_running_loop()
        self._senders = ThreadPoolExecutor(thread_name_prefix="web-sender")
        self._processes.start()

    def stop(self) -> None:
        """End all processes, and wait until they have ended."""
        self._processes.stop()
        self._processes.wait()
        self._senders.shutdown(wait=False, cancel_futures=True)

    async def run(self, task: str, body: bytes, effort: int | None = None) -> Answer:
        """Let a worker do the task, and return the answer. Of the light requests that wait, one
        with the least `effort` goes first; the default effort is that of `likely_effort`. If the
        caller cancels this call, work that has begun goes on for at most `GRACE` seconds. Raises
        Busy if the pool refuses the request, TooLong if the work reaches its time limit."""
        now = self._loop.time()
        effort = likely_effort(task, body) if effort is None else effort
        request = _Request(task, body, now, effort, self._loop.create_future())
        request.heavy = request.key in self._known_heavy
        self._queue(request)
        try:
            return await request.answer
        finally:
            self._forget(request)

    # --- requests ------------------------------------------------------------------------------

    def _queue(self, request: _Request) -> None:
        self._waiting.append(request)
        request.timer = self._loop.call_at(request.arrived + PATIENCE, self._refuse, request)
        if len(self._waiting) > MOST_WAITING:
            self._refuse(self._last())
        self._hand_out()

    def _hand_out(self) -> None:
        self._idle = [worker for worker in self._idle if not worker.has_died]
        while self._idle and (request := self._next()) is not None:
            self._waiting.remove(request)
            self._give(request, self._idle.pop())

    def _next(self) -> _Request | None:
        """Return the waiting request that an idle worker should do next, or None if no waiting
        request may begin now."""
        light = [request for request in self._waiting if not request.heavy]
        if len(self._idle) == 1:
            light = [request for request in light if request.effort < SEARCHING]
        elif self._may_be_heavy() and len(light) < len(self._waiting):
            return next(request for request in self._waiting if request.heavy)
        if not light:
            return None
        least = min(request.effort for request in light)
        alike = [request for request in light if request.effort == least]
        late = self._loop.time() - alike[0].arrived > LIGHT_SECONDS
        # When requests come too fast, the newest goes first: its client most likely still waits.
        return alike[-1 if late else 0]

    def _last(self) -> _Request:
        """Return the waiting request to refuse when too many wait."""
        heavy = [request for request in self._waiting if request.heavy]
        return heavy[-1] if heavy else max(self._waiting, key=lambda request: request.effort)

    def _give(self, request: _Request, worker: Worker) -> None:
        self._running[worker] = request
        request.begun = worker.clock()
        request.stop_timer()
        if request.heavy:
            self._limit(self._allowed(request), request, worker)
        else:
            self._look_later(LIGHT_SECONDS, self._loop.time() + MOST_LIGHT_SECONDS, request, worker)
        self._senders.submit(worker.ask, request_text(request.task, request.body))

    def _look_later(self, wait: float, until: float, request: _Request, worker: Worker) -> None:
        request.timer = self._loop.call_later(wait, self._look, until, request, worker)

    def _look(self, until: float, request: _Request, worker: Worker) -> None:
        """Turn light work into heavy work if it has used `LIGHT_SECONDS` of processor time, or if
        the time `until` has come. Otherwise look again later."""
        left = LIGHT_SECONDS - (worker.clock() - request.begun)
        if left > 0.01 and self._loop.time() < until:
            self._look_later(max(left, 0.05), until, request, worker)
        else:
            self._outgrow(request, worker)

    def _allowed(self, request: _Request) -> float:
        """Return how many seconds the work of a request may take."""
        return self.seconds * (LONGER if request.task in LONG_TASKS else 1)

    def _limit(self, seconds: float, request: _Request, worker: Worker) -> None:
        """Give heavy work a time limit and a lower priority."""
        worker.yield_to_others()
        request.timer = self._loop.call_later(seconds, self._end, request, worker)

    def _may_be_heavy(self) -> bool:
        return sum(request.heavy for request in self._running.values()) < self._size

    def _outgrow(self, request: _Request, worker: Worker) -> None:
        """Turn light work into heavy work. If `size` workers do heavy work already, end this work
        and queue its request again."""
        goes_on = self._may_be_heavy()
        request.heavy = True
        self._known_heavy[request.key] = None
        if len(self._known_heavy) > MOST_KNOWN:
            del self._known_heavy[next(iter(self._known_heavy))]
        if goes_on:
            self._limit(max(0.0, self._allowed(request) - LIGHT_SECONDS), request, worker)
        else:
            self._replace(worker)
            self._queue(request)

    def _end(self, request: _Request, worker: Worker) -> None:
        self._replace(worker)
        request.settle(TooLong(self._allowed(request)))

    def _refuse(self, request: _Request) -> None:
        self._waiting.remove(request)
        request.settle(Busy())

    def _forget(self, request: _Request) -> None:
        """Drop a request that is answered, or whose client has left. If a worker still does the
        work, end this work after `GRACE` seconds."""
        request.stop_timer()
        if request in self._waiting:
            self._waiting.remove(request)
        for worker, running in self._running.items():
            if running is request:
                self._loop.call_later(GRACE, self._abandon, request, worker)

    def _abandon(self, request: _Request, worker: Worker) -> None:
        if self._running.get(worker) is request:
            self._replace(worker)

    # --- workers -------------------------------------------------------------------------------

    def _post(self, call: Callable[..., None], *arguments: Any) -> None:
        with suppress(RuntimeError):  # the loop is closed, so there are no requests
            self._loop.call_soon_threadsafe(call, *arguments)

    def _replace(self, worker: Worker) -> None:
        self._running.pop(worker, None)
        self._processes.replace(worker)

    def _told(self, worker: Worker, message: bytes | None) -> None:
        request = self._running.pop(worker, None)
        if message is None:
            self._bury(worker, request)
            return
        if request is not None:
            if worker.clock() - request.begun < LIGHT_SECONDS:
                self._known_heavy.pop(request.key, None)
            request.settle(read_answer(message))
        if worker.yields:
            self._replace(worker)
        else:
            self._idle.append(worker)
            self._hand_out()

    def _bury(self, worker: Worker, request: _Request | None) -> None:
        """Remove a worker that has died or did not start. If the worker was working on a request,
        queue this request again; after `MOST_DEATHS` such deaths, let the request fail instead."""
        if worker.failure is not None:
            print(f"csp-mines: a worker process did not start: {worker.failure}", file=sys.stderr)
        if worker in self._idle:
            self._idle.remove(worker)
        if request is None or request.answer.done():
            return
        request.stop_timer()
        request.deaths += 1
        if request.deaths < MOST_DEATHS:
            self._queue(request)
        elif worker.exit_status == -9:  # the system killed the process, which took too much memory
            request.settle((413, error_json(OUT_OF_MEMORY)))
        else:
            why = f"the server failed: {MOST_DEATHS} workers died while working on this request"
            request.settle((500, error_json(why)))
