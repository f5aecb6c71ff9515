"""Connections that keep others out are dropped: uvicorn itself waits for a request as long as its
client likes.

A connection has `REQUEST_SECONDS` to deliver a whole request, counted from its first byte, or from
the moment it was opened. Between two requests it may be idle for `IDLE_SECONDS`. There are never
more than `MOST_CONNECTIONS`: a new one takes the place of the one that has waited longest without
asking for anything."""

from __future__ import annotations

import asyncio
from enum import Enum

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

__all__ = ["IDLE_SECONDS", "MOST_CONNECTIONS", "REQUEST_SECONDS", "Connection"]

REQUEST_SECONDS = 5.0
IDLE_SECONDS = 30.0
MOST_CONNECTIONS = 512


class Phase(Enum):
    """Who is to act, and on what. The server's own work has limits of its own."""

    REQUEST = REQUEST_SECONDS  # the client, which has not sent all of a request
    WORK = None  # the server, which has not answered
    IDLE = IDLE_SECONDS  # the client, which has its answer


class Connection(H11Protocol):
    """What uvicorn makes for each connection, with a time limit whenever the client is to act."""

    _phase = Phase.REQUEST
    _since = 0.0  # when the phase began, by the loop's clock
    _timer: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._begin(Phase.REQUEST)
        self._make_room()

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        self._look()

    def on_response_complete(self) -> None:
        super().on_response_complete()  # may begin with a request that has come meanwhile
        self._look()

    def send_400_response(self, msg: str) -> None:
        """Answers what is not HTTP. Where an answer has begun already, the connection just ends."""
        if self.conn.our_state in (h11.IDLE, h11.SEND_RESPONSE):
            super().send_400_response(msg)
        else:
            self.transport.close()

    def connection_lost(self, exc: Exception | None) -> None:
        self._stop_timer()
        super().connection_lost(exc)

    def _look(self) -> None:
        """Begins another phase when there is one. Bytes that come one by one buy no time."""
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
        """Ends the connection, also when its client does not take what was sent."""
        self._stop_timer()
        self.transport.abort()

    def _make_room(self) -> None:
        """Drops one connection where there are too many: first those without a whole request, then
        those between two, the oldest first. Where all others are being answered, this one goes."""
        held = [other for other in self.connections if isinstance(other, Connection)]
        held = [other for other in held if not other.transport.is_closing()]
        if len(held) <= MOST_CONNECTIONS:
            return
        waiting = [other for other in held if other._phase is not Phase.WORK and other is not self]
        oldest = min(
            waiting, key=lambda other: (other._phase is Phase.IDLE, other._since), default=self
        )
        oldest._drop()
