"""The server of the page: its routes, its files and its ports.

`POST /api/NAME` takes a JSON object and returns a JSON object. Worker processes do the tasks. The
process of the server holds the games that people play, and makes the turns of these games."""

from __future__ import annotations

import asyncio
import errno
import gzip
import hashlib
import json
import secrets
import socket
import sys
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from importlib import resources
from typing import Any

import uvicorn
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route
from starlette.types import Receive

from csp_mines import defaults
from csp_mines.board import CLEAR, HIDDEN, Board, Cell
from csp_mines.errors import BadRequest, CspMinesError, InputError, UnknownGame
from csp_mines.games.game import Rules
from csp_mines.generation.wishes import Wish, read_difficulty
from csp_mines.geometry import cells_at
from csp_mines.layout import Layout
from csp_mines.machine import set_limit
from csp_mines.web.connections import IDLE_SECONDS, MOST_CONNECTIONS, Connection
from csp_mines.web.fields import MOST_OPENED, Fields
from csp_mines.web.games import Games, Held
from csp_mines.web.guard import Guard, is_loopback, most_body, own_hosts, too_long
from csp_mines.web.lanes import MOST_WAITING, PATIENCE, Busy, TooLong, WorkPool
from csp_mines.web.tasks import TASKS, error_json, read_spec
from csp_mines.web.workers import Answer

BACKLOG = 1024  # connections that wait to be accepted; further clients try again after a second
GONE = 499  # the status of an answer whose client has disconnected
MOST_TURNS = 20_000  # the most turns in a request to restore a game that the server no longer holds

_TYPES = {
    "css": "text/css",
    "html": "text/html",
    "js": "text/javascript",
    "svg": "image/svg+xml",
}


def create_app(
    host: str = "127.0.0.1",
    port: int = 8000,
    *,
    pool: WorkPool | None = None,
    games: Games | None = None,
) -> Starlette:
    """Return the application. `Guard` refuses requests whose Host header does not name a server at
    `host` and `port`. The defaults of `pool` and `games` are a new `WorkPool` and new `Games`."""
    workers, held = pool or WorkPool(), Games() if games is None else games

    @asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncIterator[None]:
        workers.start()
        yield
        workers.stop()

    api = _Api(workers, held)
    routes = [Route(f"/api/{name}", api.route(name), methods=["POST"]) for name in TASKS]
    guard = Middleware(
        Guard, hosts=own_hosts(host, port), port=port, addresses=not is_loopback(host)
    )
    return Starlette(
        routes=[*routes, Route("/{path:path}", _files(), methods=["GET"])],
        middleware=[guard],
        lifespan=lifespan,
        exception_handlers={
            404: _refusal(404, "there is no such page"),
            405: _refusal(405, "POST needs the path of a task, such as /api/analyze"),
        },
    )


def create_server(app: Starlette, ready: Callable[[], None] | None = None) -> uvicorn.Server:
    """Return a server for the application. The server calls `ready` when it begins to listen."""

    class Server(uvicorn.Server):
        async def startup(self, sockets: list[socket.socket] | None = None) -> None:
            await super().startup(sockets)
            if ready is not None and self.started:
                ready()

    config = uvicorn.Config(
        app, http=Connection, ws="none", log_level="error", access_log=False, server_header=False,
        timeout_keep_alive=int(IDLE_SECONDS), timeout_graceful_shutdown=1, backlog=BACKLOG,
    )  # fmt: skip
    return Server(config)


def serve(host: str, port: int, *, ready: Callable[[], None] | None = None) -> None:
    """Serve the page until Ctrl-C, which raises KeyboardInterrupt. The server calls `ready` when it
    begins to listen. Raises InputError if it cannot listen at this host and port."""
    sockets = listen(host, port)
    # The process must be able to hold all connections.
    set_limit("RLIMIT_NOFILE", 2 * (MOST_CONNECTIONS + BACKLOG), lower=False)
    create_server(create_app(host, port), ready).run(sockets)


def listen(host: str, port: int) -> list[socket.socket]:
    """Return sockets that are bound to the port, one for each address of `host` that this machine
    has. Raises InputError if this machine has no address of `host`, or if the system refuses to
    bind such an address, for example because the port is in use."""
    if not host.strip():
        raise InputError(
            f"{host!r} is not an address to listen at: use 127.0.0.1 for this machine only, "
            "0.0.0.0 for every network"
        )
    taken: list[socket.socket] = []
    why: OSError | UnicodeError | None = None
    try:
        for family, kind, protocol, _, address in socket.getaddrinfo(
            host, port, type=socket.SOCK_STREAM
        ):
            try:
                # Without the protocol TCP, asyncio would not turn off Nagle's delays.
                taken.append(_listening(socket.socket(family, kind, protocol), address))
            except OSError as error:
                why = error
                if error.errno not in (errno.EADDRNOTAVAIL, errno.EAFNOSUPPORT):
                    raise
    except (OSError, UnicodeError) as error:
        why = error
        while taken:
            taken.pop().close()
    if not taken:
        reason = (getattr(why, "strerror", None) or str(why)).lower()
        raise InputError(f"cannot listen at {host}, port {port}: {reason}")
    return taken


def _listening(opened: socket.socket, address: Any) -> socket.socket:
    try:
        if sys.platform != "win32":  # on Windows, this option would let two servers share a port
            opened.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        if opened.family == socket.AF_INET6:
            opened.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
        opened.bind(address)
    except OSError:
        opened.close()
        raise
    return opened


# --- files -------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _File:
    """A file of the page. The `tag` is made from the content. A browser sends the tag of its own
    copy, and the status 304 tells the browser that this copy is current."""

    content: bytes
    packed: bytes  # the content, compressed by gzip
    kind: str  # the media type
    tag: str

    @classmethod
    def of(cls, content: bytes, kind: str) -> _File:
        tag = hashlib.sha256(content).hexdigest()[:16]
        return cls(content, gzip.compress(content, mtime=0), kind, f'W/"{tag}"')

    def response(self, request: Request) -> Response:
        headers = {"Cache-Control": "no-cache", "ETag": self.tag, "Vary": "Accept-Encoding"}
        if self.tag in request.headers.get("if-none-match", ""):
            return Response(status_code=304, headers=headers)
        if "gzip" not in request.headers.get("accept-encoding", ""):
            return Response(self.content, media_type=self.kind, headers=headers)
        headers["Content-Encoding"] = "gzip"
        return Response(self.packed, media_type=self.kind, headers=headers)


def _files() -> Callable[[Request], Awaitable[Response]]:
    """Return the function that answers requests for the files of the page. Read and compress all
    files beforehand, so that no path in a request can reach the disk."""
    files: dict[str, _File] = {}
    for entry in resources.files("csp_mines.web").joinpath("static").iterdir():
        if entry.is_file():
            kind = _TYPES.get(entry.name.rpartition(".")[2], "text/plain")
            files[entry.name] = _File.of(entry.read_bytes(), kind)
    files[""] = files["index.html"]

    async def file(request: Request) -> Response:
        path = request.path_params["path"]
        if path not in files:
            raise HTTPException(404)
        return files[path].response(request)

    return file


def _refusal(status: int, message: str) -> Callable[[Request, Exception], Awaitable[Response]]:
    async def refuse(_: Request, __: Exception) -> Response:
        return JSONResponse({"error": message}, status)

    return refuse


# --- routes ------------------------------------------------------------------------------------


class _Api:
    def __init__(self, pool: WorkPool, games: Games) -> None:
        self._pool, self._games = pool, games

    def route(self, name: str) -> Callable[[Request], Awaitable[Response]]:
        """Return the function that answers requests for the task `name`."""

        async def endpoint(request: Request) -> Response:
            try:
                body = await _body(request)
            except ClientDisconnect:  # the client left before it had sent the whole request
                return Response(status_code=GONE)
            if body is None:
                refusal = {"error": too_long(request.url.path)}
                return JSONResponse(refusal, 413, headers={"Connection": "close"})
            work = self._played(body) if name == "play" else self._pool.run(name, body)
            status, content = await _unless_gone(self._told(work), request.receive)
            later = {"Retry-After": "1"} if status == 503 else None
            return Response(content, status, media_type="application/json", headers=later)

        return endpoint

    async def _told(self, work: Awaitable[Answer]) -> Answer:
        try:
            return await work
        except Busy:
            return 503, error_json(
                f"the server is busy: more than {MOST_WAITING} requests wait, or this request "
                f"still waits after {PATIENCE:g} seconds; try again"
            )
        except TooLong as error:
            limit = f"{error.seconds:g} s"
            return 504, error_json(f"this takes longer than {limit}; the server has ended the work")
        except UnknownGame as error:
            return 410, error_json(str(error))
        except CspMinesError as error:
            return 400, error_json(str(error))

    async def _played(self, body: bytes) -> Answer:
        """Let a worker play the whole game of an agent, or do what a person requests: begin or
        restore a game, or go on with the game that the field `game` names."""
        fields = Fields.parse(body)
        if "agent" in fields:
            return await self._pool.run("play", body)
        if "game" not in fields:
            turns = fields.turns("turns", MOST_TURNS, MOST_OPENED) or []
            held = await self._new(fields)
            await self._repeat(held, turns)
            self._games.hold(held)
        else:
            held = self._games.find(fields.text("game") or "")
            await self._turn(held, fields)
        return 200, json.dumps(held.to_json()).encode()

    async def _repeat(self, held: Held, turns: list[list[Cell]]) -> None:
        """Restore a game that the server no longer holds: repeat its turns on the new game `held`.
        An empty turn means that the player took back the last turn. The same seed and the same
        turns give the same game."""
        for cells in turns:
            if cells:
                await self._open(held, cells)
            else:
                held.undo()
            await asyncio.sleep(0)  # lets the server answer other requests meanwhile

    async def _new(self, fields: Fields) -> Held:
        """Make the game that a request describes: on the given `layout`, from the given `board`
        on, or with a size, a grid and a random layout."""
        rules = Rules(start=fields.text("start") or defaults.START)
        options: dict[str, Any] = {
            name: fields.flag(name) for name in ("no_guess", "training", "strict", "fair")
        }
        grade, seed = fields.text("grade"), fields.seed()
        difficulty = read_difficulty(grade)
        options["seed"] = secrets.randbelow(10**9) if seed is None else seed
        if "board" in fields:
            return await self._from_here(fields, rules, options)
        layout = fields.layout()
        if layout is not None:
            fields.done()
            return Held(layout.spec, rules, layout=layout, **options)
        spec = read_spec(fields)
        fields.done()
        if options["no_guess"]:  # raises if the wish is impossible at the first cell of the board
            Wish(spec, spec.first, rules.start, difficulty)
        return Held(spec, rules, grade=grade, **options)

    async def _from_here(self, fields: Fields, rules: Rules, options: dict[str, Any]) -> Held:
        """Make a game that goes on from the board of the request, on a random layout that fits this
        board."""
        board = fields.board().without_marks()
        fields.done()
        layout = await self._fitting(board, options["seed"])
        shown = tuple(cells_at(board.codes >= 0))
        return Held(layout.spec, rules, layout=layout, from_here=shown, **options)

    async def _fitting(self, board: Board, seed: int) -> Layout:
        """Let a worker draw a random layout that fits the board. Raises BadRequest if the worker
        answers with an error, for example because no layout fits."""
        asked = {"board": board.to_text(), "seed": seed, "layout": True}
        return await self._made(asked, board.codes.size)

    async def _turn(self, held: Held, fields: Fields) -> None:
        cells = fields.cells("open", MOST_OPENED)
        undo, give_up = fields.flag("undo"), fields.flag("give_up")
        fields.done()
        if undo + give_up + bool(cells) > 1:
            raise BadRequest("give at most one of open, undo and give_up")
        if held.awaits_layout:
            raise BadRequest("the board of this game is still being made; wait for the board")
        if cells:
            await self._open(held, cells)
        elif undo:
            held.undo()
        elif give_up:
            held.give_up()

    async def _open(self, held: Held, cells: list[Cell]) -> None:
        held.check(cells)
        if held.needs_layout:
            held.awaits_layout = True
            try:
                held.give(await self._layout(held, cells[0]))
            finally:
                held.awaits_layout = False
        if held.judges:
            await self._judge(held, cells)
        if not held.needless:
            held.open(cells)

    async def _judge(self, held: Held, cells: list[Cell]) -> None:
        """Judge an opening of a strict or fair game before the cells are opened. A needless guess
        ends a strict game. If a forced guess of a fair game would open a mine, give the game
        another layout that fits the board and has no mine at the guessed cells. If no such layout
        exists, keep the layout."""
        board = held.board
        status, analysis = await self._answer("analyze", {"board": board.to_text()})
        if status != 200 or "safe" not in analysis:
            return
        safe = {(row, col) for row, col in analysis["safe"]}
        guessed = [cell for cell in cells if board[cell] == HIDDEN and cell not in safe]
        if guessed and safe:
            held.needless = held.strict
        elif held.fair and held.hits(guessed):
            asked = board.replace(dict.fromkeys(guessed, CLEAR))
            with suppress(BadRequest):  # no layout without these mines fits
                held.give(await self._fitting(asked, held.seed))

    async def _layout(self, held: Held, first: Cell) -> Layout:
        spec = held.spec
        board = Board(spec.codes(HIDDEN), mines=spec.mines, geometry=spec.geometry)
        asked = {
            "shape": board.to_text(), "first": first,
            "start": held.rules.start, "no_guess": True, "layout": True,
            "seed": held.seed, "grade": held.grade,
        }  # fmt: skip
        return await self._made(asked, spec.rows * spec.cols)

    async def _made(self, asked: dict[str, Any], cells: int) -> Layout:
        """Let a worker do the task `generate` with the fields `asked`, and return the layout. A
        player waits for it, so the request goes before all searches: its likely effort follows
        from `cells` alone, the number of cells of the layout. Raises BadRequest if the worker
        answers with an error."""
        status, document = await self._answer("generate", asked, cells.bit_length())
        if status != 200:
            raise BadRequest(document["error"])
        layout = Fields(document).layout()
        assert layout is not None
        return layout

    async def _answer(
        self, task: str, asked: dict[str, Any], effort: int | None = None
    ) -> tuple[int, dict[str, Any]]:
        """Let a worker do a task. Return the HTTP status and the JSON document of the answer."""
        status, content = await self._pool.run(task, json.dumps(asked).encode(), effort)
        return status, json.loads(content)


async def _body(request: Request) -> bytes | None:
    """Return the body of a request, or None if the body is too long. Count the bytes, because the
    length in the header may be missing or wrong."""
    parts: list[bytes] = []
    size, most = 0, most_body(request.url.path)
    async for part in request.stream():
        size += len(part)
        if size > most:
            return None
        parts.append(part)
    return b"".join(parts)


async def _unless_gone(work: Awaitable[Answer], receive: Receive) -> Answer:
    """Wait for the work, and return its answer. If the client disconnects before the answer comes,
    cancel the work and return an answer with the status `GONE`."""
    working = asyncio.ensure_future(work)
    leaving = asyncio.ensure_future(_gone(receive))
    try:
        await asyncio.wait([working, leaving], return_when=asyncio.FIRST_COMPLETED)
        if not working.done():
            working.cancel()
            with suppress(asyncio.CancelledError):
                await working
            return GONE, b"{}"
        return working.result()
    finally:
        leaving.cancel()


async def _gone(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass
