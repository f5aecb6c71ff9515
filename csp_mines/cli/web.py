"""`csp-mines web`: the page, served on this machine."""

from __future__ import annotations

from typing import Annotated

import typer

from csp_mines.cli import options

LOOPBACK = ("127.0.0.1", "localhost", "::1")


def web(
    board: Annotated[
        str | None,
        typer.Argument(metavar="[BOARD]", help="A board to begin with: a file, or -."),
    ] = None,
    port: Annotated[
        int, typer.Option("--port", "-p", metavar="N", min=1, max=65535, help="Where to listen.")
    ] = 8421,
    no_browser: Annotated[
        bool, typer.Option("--no-browser", help="Do not open the page in a browser.")
    ] = False,
    host: Annotated[
        str,
        typer.Option(
            "--host",
            metavar="ADDRESS",
            help="Another address to listen at. Then others in the network can use this machine.",
        ),
    ] = LOOPBACK[0],
    mines: options.Mines = None,
    format: options.Format = None,
) -> int:
    """Analyse, play and watch in the browser. Ctrl-C ends it.

    csp-mines web board.txt

    Listens on 127.0.0.1 only, works offline, and answers no other site's requests.
    """
    from csp_mines.cli.console import err, out

    link = ""
    if board is not None:
        link = f"#/analyse/{options.read_board(board, format, mines=mines).to_line()}"
    _require_server()
    from csp_mines.web.server import serve

    if host not in LOOPBACK:
        err().print(
            f"listening at {host}: whoever reaches this machine can use its processor through the "
            "page; there is no password",
            style="yellow",
            markup=False,
        )
    shown = f"[{host}]" if ":" in host else host
    address = f"http://{shown}:{port}/"

    def ready() -> None:
        out().print(f"csp-mines is at {address} (Ctrl-C ends it)", markup=False)
        if not no_browser:
            import webbrowser

            webbrowser.open(address + link)

    _require_free(host, port)
    serve(host, port, ready=ready)
    return 0


def _require_server() -> None:
    """Raises MissingLibrary when the extra is not installed."""
    from importlib.util import find_spec

    from csp_mines.errors import MissingLibrary

    for library in ("starlette", "uvicorn"):
        if find_spec(library) is None:
            raise MissingLibrary(f"the page needs {library}: pip install 'csp-mines[web]'")


def _require_free(host: str, port: int) -> None:
    """Raises InputError when nothing can listen there."""
    import socket

    from csp_mines.errors import InputError

    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.socket(family, socket.SOCK_STREAM) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((host, port))
        except OSError as error:
            why = (error.strerror or str(error)).lower()
            raise InputError(f"cannot listen at {host}, port {port}: {why}") from None
