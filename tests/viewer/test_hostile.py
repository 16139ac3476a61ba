"""Untrusted clients: any headers, any paths, any messages in any order. What isn't ours is refused, and the server goes on."""

import asyncio
import json
import random
import re
import socket
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from hypothesis import given
from hypothesis import strategies as st
from websockets.sync.client import connect
from websockets.typing import Origin

import bamdp.viewer
from bamdp.viewer.messages import MOST_BYTES
from bamdp.viewer.server import Guard, host_names, listen, page_files
from viewer.serving import serving, show_of

PATIENCE = 60  # seconds for an answer, far more than it takes

hosts = st.one_of(
    st.text(st.characters(min_codepoint=33, max_codepoint=126), max_size=12),
    st.builds(
        "{}{}{}".format,
        st.sampled_from(["", "evil.", "x@", "[", "0x"]),
        st.sampled_from(["127.0.0.1", "localhost", "LocalHost", "[::1]", "::1", "127.1", "2130706433", "0.0.0.0", "evil"]),
        st.sampled_from(["", ":80", ":0", ".", ".evil.example", ":80:90", "]", "%00", "/", "\t", ":evil", ":80@evil.example"]),
    ),
)
origins = st.one_of(st.none(), hosts.map("http://{}".format), hosts.map("https://{}".format), st.sampled_from(["null", ""]))


def let_in(kind: str, host: str, origin: str | None, served_at: str = "127.0.0.1") -> bool:
    """Whether a request gets past the guard."""
    passed = []

    async def app(scope: Any, receive: Any, send: Any) -> None:
        passed.append(scope)

    async def receive() -> Any:
        return {"type": f"{kind}.connect" if kind == "websocket" else "http.request"}

    async def send(message: Any) -> None:
        pass

    headers = [(b"host", host.encode()), *([] if origin is None else [(b"origin", origin.encode())])]
    scope = {"type": kind, "path": "/", "query_string": b"", "headers": headers, "method": "GET", "extensions": {}}
    asyncio.run(Guard(app, *host_names(served_at))(scope, receive, send))
    return bool(passed)


@given(st.sampled_from(["http", "websocket"]), hosts, origins)
def test_only_own_names_and_own_pages_are_let_in(kind: str, host: str, origin: str | None) -> None:
    if let_in(kind, host, origin):
        assert re.fullmatch(r"(127\.0\.0\.1|localhost|\[::1\])(:[0-9]*)?", host, re.IGNORECASE)
        assert origin == f"http://{host}" or (origin is None and kind == "http")


def test_own_names_and_own_pages_are_let_in() -> None:
    for host in ("127.0.0.1:8000", "localhost:8000", "[::1]:8000", "LOCALHOST", "[::1]"):
        assert let_in("websocket", host, f"http://{host}")
        assert let_in("http", host, None)
        assert not let_in("websocket", host, "null")
        assert not let_in("websocket", host, f"https://{host}")
        assert not let_in("websocket", host, f"http://{host}.evil.example")
        assert not let_in("websocket", host, None)


FORGED = [
    "evil.example",
    "127.0.0.1.evil.example",
    "localhost:8000@evil.example",
    "localhost:@evil.example",
    "localhost@evil.example:8000",
    "evil.example@localhost:8000",
    "localhost:8000/evil.example",
    "localhost:8000#evil.example",
    "localhost:8000?evil.example",
    "localhost:8000\\@evil.example",
    "localhost:80 evil.example",
    "localhost:evil.example",
    "localhost:-1",
    "localhost:123456",
    "localhost:\u0661",  # a digit, but not one of ASCII
    "localhost.evil.example:8000",
    "[::1]evil.example:8000",
    "[::1]@evil.example",
    "[[::1]]:8000",
    "[::1%25evil]:8000",
    "127.0.0.1:80,evil.example",
    "http://localhost:8000",
    "",
]


@pytest.mark.parametrize("host", FORGED)
@pytest.mark.parametrize("served_at", ["127.0.0.1", "0.0.0.0"])
def test_a_host_is_a_name_and_a_port_and_nothing_else(host: str, served_at: str) -> None:
    """Also where any numerical address will do."""
    assert not let_in("http", host, None, served_at)
    assert not let_in("websocket", host, f"http://{host}", served_at)


def test_any_address_is_let_in_where_all_are_served() -> None:
    assert not let_in("http", "evil.example", None, "0.0.0.0")
    for host in ("192.168.1.7", "192.168.1.7:8000", "[fe80::1]:8000"):
        assert let_in("websocket", host, f"http://{host}", "0.0.0.0")
        assert not let_in("websocket", host, f"http://{host}", "127.0.0.1")


def test_it_listens_to_this_machine_alone() -> None:
    listener, _ = listen("127.0.0.1", 0)
    with listener:
        assert listener.getsockname()[0] == "127.0.0.1"


PATHS = [
    "/watch.py",
    "/page/index.html",
    "//etc/passwd",
    "/a" * 999,
    "/..",
    "/../../../../etc/passwd",
    "/..%2f..%2f..%2fetc%2fpasswd",
    "/%2e%2e%2f%2e%2e%2fetc/passwd",
    "/..%5c..%5cetc",
    "/....//....//etc/passwd",
    "/index.html/../server.py",
    "/index.html%00.js",
    "/main.js/",
    "/./main.js/../../server.py",
    "/file:///etc/passwd",
    "http://127.0.0.1/etc/passwd",
    "/%c0%ae%c0%ae/etc/passwd",
    "/socket/../watch.py",
    "*",
]


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    with serving(show_of("chain random --steps 100000 --seed 1")) as address:
        yield address


@pytest.mark.parametrize("path", PATHS)
def test_no_path_reaches_the_disk(url: str, path: str) -> None:
    """As the bytes are: clients would tidy them up."""
    place = urlsplit(url)
    with socket.create_connection((place.hostname or "", place.port or 0), timeout=PATIENCE) as stream:
        stream.sendall(f"GET {path} HTTP/1.1\r\nHost: {place.netloc}\r\nConnection: close\r\n\r\n".encode())
        answer = b"".join(iter(lambda: stream.recv(65536), b""))
    status, body = int(answer.split()[1]), answer.partition(b"\r\n\r\n")[2]
    assert status in (400, 404, 405) or any(body == bytes(file.body) for file in page_files().values())
    assert b"root:" not in body
    assert b"import" not in body or status == 200


def test_files_are_those_of_the_page() -> None:
    folder = Path(bamdp.viewer.__file__).parent / "page"
    own = {bytes(file.body) for path, file in page_files().items() if path != "/roles.css"}  # which is made from the roles
    assert own == {path.read_bytes() for path in folder.iterdir()}


def hostile(chance: random.Random) -> str | bytes:
    """A message of at most `MOST_BYTES`: a right one, one that was tampered with, or noise."""
    right: list[dict[str, Any]] = [
        {"type": "play"},
        {"type": "pause"},
        {"type": "step"},
        {"type": "speed", "value": 1000},
        {"type": "simulations", "value": 5},
        {"type": "start", "seed": 3, "prior": "asked"},
        {"type": "go", "step": 50},
        {"type": "compute_bounds"},
        {"type": "film", "format": "exe"},  # a right one takes seconds
    ]
    message = chance.choice(right)
    odd: list[Any] = [None, -1, 2**63, 1e308, "x" * 900, [], {}, "\ud800", True, "../../etc/passwd", "<script>", "__class__"]
    kind = chance.randrange(6)
    if kind == 0:
        return chance.randbytes(chance.randrange(200))
    if kind == 1:
        return json.dumps(
            {**message, chance.choice(["type", "value", "seed", "prior", "step", "format", "__proto__"]): chance.choice(odd)}
        )
    if kind == 2:
        return json.dumps(message)[: chance.randrange(30)]
    if kind == 3:
        return chance.choice(["[" * MOST_BYTES, '{"a":' * 200, "9" * MOST_BYTES, '"' + "\\u0000" * 150 + '"', " " * MOST_BYTES])
    return json.dumps(message)


def test_no_message_ends_the_server(url: str) -> None:
    chance = random.Random(4)
    with connect(url.replace("http", "ws") + "/socket", origin=Origin(url)) as page:
        for _ in range(400):
            page.send(hostile(chance))
            with_answers(page)
        page.send(json.dumps({"type": "start", "seed": 8, "prior": "asked"}))
        while json.loads(page.recv(PATIENCE)).get("seed") != 8:
            pass


def with_answers(page: Any) -> None:
    """Whatever has come must be a message of ours."""
    while True:
        try:
            message = json.loads(page.recv(0.002))
        except TimeoutError:
            return
        assert message["type"] in ("init", "frame", "playing", "film", "error")
