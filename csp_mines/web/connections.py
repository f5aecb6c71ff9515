"""The time limits of connections, and how many connections there may be. Without the time limits,
uvicorn would wait for ever for the end of a request.

A client has `REQUEST_SECONDS` to send a whole request. This time begins with the first byte of the
request, but not before the server has answered the previous request. For the first request, the
time begins when the connection is opened. Between two requests a connection may be idle for
`IDLE_SECONDS`.

The server holds at most `MOST_CONNECTIONS` connections. If a new connection exceeds this number,
the server closes one connection:

1. the connection, other than the new one, that has the least time left for its request;
2. if the requests of all other connections are complete, the connection that has been idle longest;
3. if no other connection is idle either, the new connection."""

from __future__ import annotations

import asyncio
from enum import Enum

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

REQUEST_SECONDS = 5.0
IDLE_SECONDS = 30.0
MOST_CONNECTIONS = 512


class Phase(Enum):
    """What a connection waits for. The value of a phase is its time limit in seconds. `WORK` has no
    limit here, because `lanes.py` limits the work of the server."""

    REQUEST = REQUEST_SECONDS  # the client must send the rest of its request
    WORK = None  # the server must answer
    IDLE = IDLE_SECONDS  # the client may send another request


class Connection(H11Protocol):
    """A connection that is closed if the client takes too long. Uvicorn creates one object for each
    connection."""

    _phase = Phase.REQUEST
    _since = 0.0  # when the phase began, by the clock of the event loop
    _timer: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._begin(Phase.REQUEST)
        self._make_room()

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        self._look()

    def on_response_complete(self) -> None:
        super().on_response_complete()  # may begin the next request, if its bytes have arrived
        self._look()

    def send_400_response(self, msg: str) -> None:
        """Answer with status 400, because the bytes from the client are not HTTP. If the server has
        already begun to send an answer, close the connection instead."""
        if self.conn.our_state in (h11.IDLE, h11.SEND_RESPONSE):
            super().send_400_response(msg)
        else:
            self.transport.close()

    def connection_lost(self, exc: Exception | None) -> None:
        self._stop_timer()
        super().connection_lost(exc)

    def _look(self) -> None:
        """If the connection is now in another phase, begin that phase. Bytes that arrive within a
        phase do not extend the time limit of that phase."""
        phase = self._current_phase()
        if phase is not self._phase:
            self._begin(phase)

    def _current_phase(self) -> Phase:
        answered = self.cycle is None or self.cycle.response_complete
        if self.conn.their_state is h11.SEND_BODY:
            return Phase.REQUEST
        if not answered:
            return Phase.WORK
        begun = self.cycle is None or self.conn.trailing_data[0]
        return Phase.REQUEST if begun else Phase.IDLE

    def _begin(self, phase: Phase) -> None:
        self._phase, self._since = phase, self.loop.time()
        self._stop_timer()
        if phase.value is not None:
            self._timer = self.loop.call_later(phase.value, self._drop)

    def _stop_timer(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _drop(self) -> None:
        """Close the connection at once, even if the client has not read everything that the server
        has sent."""
        self._stop_timer()
        self.transport.abort()

    def _make_room(self) -> None:
        """If there are more than `MOST_CONNECTIONS` connections, close one of them. The docstring
        of the module says which one. This connection is the new one."""
        held = [other for other in self.connections if isinstance(other, Connection)]
        held = [other for other in held if not other.transport.is_closing()]
        if len(held) <= MOST_CONNECTIONS:
            return
        waiting = [other for other in held if other._phase is not Phase.WORK and other is not self]
        oldest = min(
            waiting, key=lambda other: (other._phase is Phase.IDLE, other._since), default=self
        )
        oldest._drop()
