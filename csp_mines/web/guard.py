"""The first checks of a request: its origin, its method, its content type and its length.

The server listens on this machine, but every page in the browser can send requests to the server.
An attacker can also make a domain name point to this machine. So the Host header must name this
server, including the port. The Origin header, if there is one, must name the same host and port.
The header Sec-Fetch-Site, if there is one, must be `none` or `same-origin`. The content type of a
POST must be JSON, which no HTML form can send."""

from __future__ import annotations

import ipaddress
from collections.abc import Iterable

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

MOST_BODY = 512 * 1024  # the largest length of a request without a file, in bytes
MOST_FILE = 4 << 20  # the largest length of a request that may contain a file, in bytes
_WITH_FILE = ("/api/read", "/api/review")

_HEADERS = {
    "Content-Security-Policy": "default-src 'self'; base-uri 'none'; form-action 'none'; "
    "frame-ancestors 'none'; object-src 'none'",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
}


def most_body(path: str) -> int:
    """Return the largest length, in bytes, of a request to this path."""
    return MOST_FILE if path in _WITH_FILE else MOST_BODY


def too_long(path: str) -> str:
    """Return the error message for a request that is longer than `most_body` allows."""
    return f"the request is too long; use at most {most_body(path):,} bytes"


def is_loopback(host: str) -> bool:
    """Whether `host` is `localhost` or a loopback address. Only this machine can reach a server
    that listens at such a host."""
    address = _address(host)
    return host.lower() == "localhost" if address is None else address.is_loopback


def own_hosts(host: str, port: int) -> frozenset[str]:
    """Return the values of the Host header that name a server at `host`: `localhost`, `127.0.0.1`,
    `[::1]` and `host`, each with the port. For port 80, also return these names without a port."""
    names = {"127.0.0.1", "localhost", "[::1]", f"[{host}]" if ":" in host else host.lower()}
    return frozenset(f"{name}:{port}" for name in names) | (names if port == 80 else set())


class Guard:
    """An ASGI middleware that refuses every request that fails a check of this module, and adds the
    headers `_HEADERS` to every answer.

    `hosts` lists the accepted values of the Host header. With `addresses`, the header may also be
    any IP address with the port `port`, because other machines reach the server by its address.
    Any other name is refused, because an attacker may have made the name point to this machine (DNS
    rebinding)."""

    def __init__(
        self, app: ASGIApp, hosts: Iterable[str], port: int, *, addresses: bool = False
    ) -> None:
        self._app, self._hosts, self._port = app, frozenset(hosts), port
        self._addresses = addresses

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return

        async def guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in _HEADERS.items():
                    headers[name] = value
                headers.setdefault("Cache-Control", "no-store")
            await send(message)

        refusal = self._refusal(scope["method"], scope["path"], Headers(scope=scope))
        if refusal is None:
            await self._app(scope, receive, guarded)
            return
        status, why = refusal
        await JSONResponse({"error": why}, status)(scope, receive, guarded)

    def _refusal(self, method: str, path: str, headers: Headers) -> tuple[int, str] | None:
        host = headers.get("host", "").lower()
        if not self._ours(host):
            return 403, "the Host header does not name this server"
        foreign = any(origin.lower() != f"http://{host}" for origin in headers.getlist("origin"))
        if foreign or headers.get("sec-fetch-site", "none") not in ("none", "same-origin"):
            return 403, "this server refuses requests from other sites"
        if method not in ("GET", "HEAD", "POST"):
            return 405, "this server accepts only GET, HEAD and POST"
        if method != "POST":
            return None
        kind = headers.get("content-type", "").partition(";")[0].strip().lower()
        if kind != "application/json":
            return 415, "the content type must be application/json"
        return _check_length(headers.get("content-length"), path)

    def _ours(self, host: str) -> bool:
        return host in self._hosts or (self._addresses and _is_address(host, self._port))


def _check_length(length: str | None, path: str) -> tuple[int, str] | None:
    if length is None:
        return None  # the body comes in pieces; `_body` in `server` counts their bytes
    if not (length.isascii() and length.isdigit()):
        return 400, "the content length is not a number"
    if len(length) > 12 or int(length) > most_body(path):
        return 413, too_long(path)
    return None


def _is_address(host: str, port: int) -> bool:
    name = host.removesuffix(f":{port}")
    if name == host and port != 80:
        return False
    return _address(name.removeprefix("[").removesuffix("]")) is not None


def _address(name: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    try:
        return ipaddress.ip_address(name)
    except ValueError:
        return None
