"""Who may ask: rebinding, other sites, forms, long bodies and strange paths are refused."""

from __future__ import annotations

import http.client
import random
import socket
from collections.abc import Iterator

import httpx
import pytest

from csp_mines.web.guard import MOST_BODY, Guard, own_hosts
from tests.cli.runner import run
from tests.web.conftest import Command, Site, commanded

JSON = {"Content-Type": "application/json"}
BODY = b'{"board": "??"}'


@pytest.fixture
def command_everywhere() -> Iterator[Command]:
    yield from commanded("--host", "0.0.0.0")


def raw(
    site: Site | Command, method: str, path: str, body: bytes = b"", **headers: str
) -> tuple[int, dict[str, str]]:
    """One request, its head as it is given: nothing is tidied up."""
    connection = http.client.HTTPConnection("127.0.0.1", site.port, timeout=20)
    connection.putrequest(method, path, skip_host="Host" in headers, skip_accept_encoding=True)
    for name, value in headers.items():
        connection.putheader(name.replace("_", "-"), value)
    if body:
        connection.putheader("Content-Length", str(len(body)))
    connection.endheaders(body)
    response = connection.getresponse()
    response.read()
    connection.close()
    return response.status, dict(response.getheaders())


def test_our_own_page_is_served_with_a_strict_policy(site: Site) -> None:
    for host in (f"127.0.0.1:{site.port}", f"localhost:{site.port}"):
        status, headers = raw(site, "GET", "/", Host=host)
        assert status == 200
        assert headers["content-security-policy"].startswith("default-src 'self';")
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["content-type"].startswith("text/html")
    assert raw(site, "GET", "/app.js")[1]["content-type"].startswith("text/javascript")
    assert "access-control-allow-origin" not in headers


@pytest.mark.parametrize(
    "host",
    [
        "evil.example",
        "evil.example:{port}",
        "127.0.0.1",
        "localhost:1",
        "127.0.0.1.evil.example:{port}",
        "",
    ],
)
def test_other_host_names_are_refused(site: Site, host: str) -> None:
    for method, path in (("GET", "/"), ("POST", "/api/analyze")):
        given = {"Host": host.format(port=site.port), "Content_Type": "application/json"}
        assert raw(site, method, path, BODY if method == "POST" else b"", **given)[0] == 403


@pytest.mark.parametrize(
    "origin",
    [
        "http://evil.example",
        "null",
        "https://127.0.0.1:{port}",
        "http://127.0.0.1",
        "http://127.0.0.1:1",
        "file://",
    ],
)
def test_other_origins_are_refused(site: Site, origin: str) -> None:
    given = {"Origin": origin.format(port=site.port), "Content_Type": "application/json"}
    assert raw(site, "POST", "/api/analyze", BODY, **given)[0] == 403


def test_our_own_origin_is_taken(site: Site) -> None:
    given = {"Origin": site.url, "Content_Type": "application/json; charset=utf-8"}
    assert raw(site, "POST", "/api/analyze", BODY, **given)[0] == 200
    cross = {"Sec_Fetch_Site": "cross-site", "Content_Type": "application/json"}
    assert raw(site, "POST", "/api/analyze", BODY, **cross)[0] == 403


@pytest.mark.parametrize(
    "kind",
    [
        "text/plain",
        "application/x-www-form-urlencoded",
        "multipart/form-data",
        "",
        "application/jsonp",
    ],
)
def test_what_a_form_can_send_is_refused(site: Site, kind: str) -> None:
    assert raw(site, "POST", "/api/analyze", BODY, Content_Type=kind)[0] == 415


def test_long_bodies_are_refused(site: Site) -> None:
    long = b" " * (MOST_BODY + 1)
    assert raw(site, "POST", "/api/analyze", long, Content_Type="application/json")[0] == 413

    def pieces():
        for _ in range(MOST_BODY // 65_536 + 1):
            yield b" " * 65_536

    chunked = httpx.post(f"{site.url}/api/analyze", content=pieces(), headers=JSON)
    assert chunked.status_code == 413


@pytest.mark.parametrize("length", ["-1", "9" * 30, "1x", "١"])
def test_strange_lengths_are_refused(site: Site, length: str) -> None:
    with socket.create_connection(("127.0.0.1", site.port), timeout=10) as line:
        head = (
            f"POST /api/analyze HTTP/1.1\r\nHost: 127.0.0.1:{site.port}\r\n"
            f"Content-Type: application/json\r\nContent-Length: {length}\r\n\r\n"
        )
        line.sendall(head.encode("utf-8") + b"{}")
        assert line.recv(100).split()[1] in (b"400", b"413")


@pytest.mark.parametrize(
    "path",
    [
        "/../server.py",
        "/..%2fserver.py",
        "/%2e%2e/tasks.py",
        "//etc/passwd",
        "/static/app.js",
        "/app.js/",
        "/app.js%00",
        "/api/",
        "/api/secret",
        "/index.html/..",
        "/C:%5cboot.ini",
        "/..\\..\\x",
        "/%ff",
    ],
)
def test_no_path_reaches_the_disk(site: Site, path: str) -> None:
    assert raw(site, "GET", path)[0] in (400, 404)


def test_methods(site: Site) -> None:
    assert raw(site, "GET", "/api/analyze")[0] == 404
    assert raw(site, "POST", "/app.js", BODY, Content_Type="application/json")[0] == 405
    for method in ("PUT", "DELETE", "OPTIONS", "TRACE", "PATCH"):
        assert raw(site, method, "/api/analyze")[0] == 405


def test_malformed_bodies_are_4xx_each(site: Site) -> None:
    """A few hundred here; benchmarks/web.py sends ten thousand."""
    chance = random.Random(5)
    with httpx.Client(base_url=site.url) as client:
        for _ in range(300):
            body = bytearray(b'{"board": "??1\\n???", "mines": 2, "cell": [0, 0]}')
            for _ in range(chance.randint(1, 6)):
                body[chance.randrange(len(body))] = chance.randrange(256)
            task = chance.choice(["analyze", "explain", "compare", "play", "grade", "formats"])
            answer = client.post(f"/api/{task}", content=bytes(body) + b"}", headers=JSON)
            assert 400 <= answer.status_code < 500


def test_beyond_loopback_addresses_are_ours_but_names_are_not() -> None:
    guard = Guard(lambda *_: None, own_hosts("0.0.0.0", 80), 80, addresses=True)
    assert guard._ours("192.0.2.7:80")
    assert guard._ours("[2001:db8::1]:80")
    assert not guard._ours("192.0.2.7:81")
    assert not guard._ours("evil.example:80")
    local = Guard(lambda *_: None, own_hosts("127.0.0.1", 8421), 8421)
    assert not local._ours("192.0.2.7:8421")


def test_beyond_loopback_an_origin_must_be_the_host(command_everywhere: Command) -> None:
    """An address is ours whatever it is, but a page from another one is not our page."""
    site, port = command_everywhere, command_everywhere.port
    for host, origin, status in (
        (f"127.0.0.1:{port}", f"http://127.0.0.1:{port}", 200),
        (f"192.0.2.7:{port}", f"http://192.0.2.7:{port}", 200),
        (f"192.0.2.7:{port}", f"HTTP://192.0.2.7:{port}", 200),
        (f"127.0.0.1:{port}", f"http://192.0.2.7:{port}", 403),
        (f"192.0.2.7:{port}", f"http://127.0.0.1:{port}", 403),
        (f"192.0.2.7:{port}", f"https://192.0.2.7:{port}", 403),
        (f"localhost:{port}", f"http://127.0.0.1:{port}", 403),
        (f"127.0.0.1:{port}", "null", 403),
        (f"evil.example:{port}", f"http://evil.example:{port}", 403),
    ):
        given = {"Host": host, "Origin": origin, "Content_Type": "application/json"}
        assert raw(site, "POST", "/api/analyze", BODY, **given)[0] == status, (host, origin)


def test_a_port_that_is_taken_is_one_line(site: Site) -> None:
    answer = run("web", "--no-browser", "--port", str(site.port))
    assert answer.status == 2
    assert answer.err.startswith(f"csp-mines: cannot listen at 127.0.0.1, port {site.port}: ")
    assert answer.err.count("\n") == 1
