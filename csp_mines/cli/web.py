"""`csp-mines web`: start the server of the page on this machine, and open the page in a browser."""

from __future__ import annotations

from typing import Annotated

from csp_mines import signals
from csp_mines.cli import options
from csp_mines.cli.console import err, out
from csp_mines.cli.groups import argument, option
from csp_mines.libraries import missing


def web(
    board: Annotated[
        str | None,
        argument(
            "BOARD",
            "A board to show first: a board file or a screenshot, - for standard input, or a line, "
            "link or ID.",
        ),
    ] = None,
    port: Annotated[int, option("The port to listen on.", "-p", min=1, max=65535)] = 8421,
    no_browser: Annotated[bool, option("Do not open the page in a browser.")] = False,
    host: Annotated[
        str,
        option(
            "The address to listen on. By default only this machine can use the page.",
            metavar="ADDRESS",
        ),
    ] = "127.0.0.1",
    mines: options.Mines = None,
    format: options.Format = None,
) -> None:
    """Analyse, play and watch in the browser. Ctrl-C ends the server.

    csp-mines web board.txt

    Without --host, the server listens on 127.0.0.1 only. The page works offline, and the server
    refuses requests from other sites.
    """
    link = ""
    if board is not None:
        from csp_mines.web.fields import checked_size

        shown = checked_size(options.Header(mines=mines).read(board, format))
        link = f"#/analyse/{shown.to_line()}"
    _require_server()
    from csp_mines.web.guard import is_loopback
    from csp_mines.web.server import serve

    address = f"http://{_shown(host)}:{port}/{link}"

    def ready() -> None:
        if not is_loopback(host):
            err().print(
                f"listening on {host}: everyone who can reach this machine can use its processor "
                "through the page; there is no password",
                style="yellow",
            )
        out().print(f"csp-mines is at {address} (Ctrl-C ends it)", soft_wrap=True)
        if not no_browser:
            import webbrowser

            webbrowser.open(address)

    with signals.hang_up_as_termination():
        serve(host, port, ready=ready)


def _require_server() -> None:
    """Raise MissingLibrary if a library of the extra `web` is not installed."""
    from importlib.util import find_spec

    for library in ("starlette", "uvicorn"):
        if find_spec(library) is None:
            raise missing(f"the page needs {library}", "csp-mines[web]")


def _shown(host: str) -> str:
    """Return the address `host` as a link needs it: an IPv6 address stands in brackets. A server at
    0.0.0.0 or :: listens at every address of this machine, but a browser cannot open 0.0.0.0 or ::.
    In their place, return the loopback address of this machine."""
    if host in ("0.0.0.0", "::"):
        host = "127.0.0.1" if host == "0.0.0.0" else "::1"
    return f"[{host}]" if ":" in host else host
