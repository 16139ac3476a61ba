"""Who may use the server, and what it serves: untrusted clients get nothing that isn't the page's,
and the server goes on.
"""

import http.client
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
from starlette.requests import HTTPConnection
from websockets.exceptions import InvalidStatus
from websockets.sync.client import connect
from websockets.typing import Origin

import bamdp.viewer
from bamdp.viewer.messages import MOST_BYTES
from bamdp.viewer.server import is_local, listen, page_files, refusal
from viewer.serving import serving, show_of

PATIENCE = 60  # seconds for an answer, far more than it takes

hosts = st.one_of(
    st.text(st.characters(min_codepoint=33, max_codepoint=126), max_size=12),
    st.builds(
        "{}{}{}".format,
        st.sampled_from(["", "evil.", "x@", "[", "0x"]),
        st.sampled_from(
            [
                "127.0.0.1",
                "localhost",
                "LocalHost",
                "[::1]",
                "::1",
                "127.1",
                "2130706433",
                "0.0.0.0",
                "evil",
            ]
        ),
        st.sampled_from(
            [
                "",
                ":80",
                ":0",
                ".",
                ".evil.example",
                ":80:90",
                "]",
                "%00",
                "/",
                "\t",
                ":evil",
                ":80@evil.example",
            ]
        ),
    ),
)
origins = st.one_of(
    st.none(),
    hosts.map("http://{}".format),
    hosts.map("https://{}".format),
    st.sampled_from(["null", ""]),
)


def let_in(kind: str, host: str, origin: str | None, served_at: str = "127.0.0.1") -> bool:
    headers = [
        (b"host", host.encode()),
        *([] if origin is None else [(b"origin", origin.encode())]),
    ]
    return not refusal(
        HTTPConnection({"type": kind, "path": "/", "query_string": b"", "headers": headers}),
        served_at,
    )


@given(st.sampled_from(["http", "websocket"]), hosts, origins)
def test_only_own_names_and_own_pages_are_let_in(kind: str, host: str, origin: str | None) -> None:
    if let_in(kind, host, origin):
        assert re.fullmatch(r"(127\.0\.0\.1|localhost|\[::1\])(:[0-9]*)?", host, re.IGNORECASE)
        assert origin == f"http://{host}" or (origin is None and kind == "http")


@pytest.mark.parametrize(
    "host", ["127.0.0.1:8000", "localhost:8000", "[::1]:8000", "LOCALHOST", "[::1]"]
)
def test_own_names_and_own_pages_are_let_in(host: str) -> None:
    assert let_in("websocket", host, f"http://{host}")
    assert let_in("http", host, None)
    for origin in ("null", f"https://{host}", f"http://{host}.evil.example", None):
        assert not let_in("websocket", host, origin)


FORGED = [
    *(
        "evil.example",
        "127.0.0.1.evil.example",
        "localhost.evil.example:8000",
        "[::1]evil.example:8000",
        "[::1]@evil.example",
    ),
    *(
        "localhost:8000@evil.example",
        "localhost:@evil.example",
        "localhost@evil.example:8000",
        "evil.example@localhost:8000",
    ),
    *(
        "localhost:8000/evil.example",
        "localhost:8000#evil.example",
        "localhost:8000?evil.example",
        "localhost:80 evil.example",
    ),
    *(
        "localhost:8000\\@evil.example",
        "localhost:evil.example",
        "localhost:-1",
        "localhost:123456",
        "[[::1]]:8000",
    ),
    *(
        "localhost:\u0661",
        "[::1%25evil]:8000",
        "127.0.0.1:80,evil.example",
        "http://localhost:8000",
        "",
    ),
]


@pytest.mark.parametrize("host", FORGED)
@pytest.mark.parametrize("served_at", ["127.0.0.1", "0.0.0.0"])
def test_a_host_is_a_name_and_a_port_and_nothing_else(host: str, served_at: str) -> None:
    """Also where any numerical address will do."""
    assert not let_in("http", host, None, served_at)
    assert not let_in("websocket", host, f"http://{host}", served_at)


def test_names_by_which_a_server_goes() -> None:
    for host in ("192.168.1.7", "192.168.1.7:8000", "[fe80::1]:8000", socket.gethostname()):
        assert let_in("websocket", host, f"http://{host}", "0.0.0.0")
        assert not let_in("websocket", host, f"http://{host}", "127.0.0.1")
    assert let_in("http", "[fd00::1]:80", None, "fd00::1")
    assert let_in("http", "my.machine", None, "My.Machine")
    assert is_local("localhost")
    assert is_local("::1")
    assert not is_local("0.0.0.0")
    listener, _ = listen("127.0.0.1", 0)
    with listener:
        assert listener.getsockname()[0] == "127.0.0.1", "it listens to this machine alone"


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    with serving(show_of("chain random --steps 100000 --seed 1")) as address:
        yield address


def get(url: str, path: str, **headers: str) -> tuple[int, dict[str, str], bytes]:
    connection = http.client.HTTPConnection(urlsplit(url).netloc, timeout=PATIENCE)
    connection.putrequest("GET", path, skip_host="Host" in headers)
    for name, value in headers.items():
        connection.putheader(name, value)
    connection.endheaders()
    answer = connection.getresponse()
    result = (
        answer.status,
        {name.lower(): value for name, value in answer.getheaders()},
        answer.read(),
    )
    connection.close()
    return result


def test_foreign_names_and_pages_are_rejected_for_real(url: str) -> None:
    assert get(url, "/", Host="evil.example")[::2] == (
        403,
        b"this server doesn't go by that name\n",
    )
    assert get(url, "/", Host="LOCALHOST:1234")[0] == 200
    assert get(url, "/", Origin="http://evil.example")[0] == 403
    port = urlsplit(url).port
    rebound = f"//rebound.example:{port}"
    for name, origin in (
        (url[5:], "http://evil.example"),
        (url[5:], None),
        (rebound, f"http:{rebound}"),
    ):
        stream = socket.create_connection(("127.0.0.1", port))
        with (
            pytest.raises(InvalidStatus) as refused,
            connect(
                f"ws:{name}/socket", sock=stream, origin=None if origin is None else Origin(origin)
            ),
        ):
            pass
        assert refused.value.response.status_code == 403


# Files


def test_the_page_and_its_files(url: str) -> None:
    folder = Path(bamdp.viewer.__file__).parent / "page"
    status, headers, body = get(url, "/")
    assert (status, headers["content-type"]) == (200, "text/html; charset=utf-8")
    assert body == (folder / "index.html").read_bytes()
    for file in ("main.js", "style.css", "icon.svg"):
        status, headers, body = get(url, f"/{file}")
        assert (status, body) == (200, (folder / file).read_bytes())
        assert headers["x-content-type-options"] == "nosniff"
        assert "default-src 'none'" in headers["content-security-policy"]
        assert "unsafe" not in headers["content-security-policy"]


def test_no_script_makes_html_from_text_and_all_that_is_imported_is_served() -> None:
    """The drawings of the server are parsed as XML, and their texts
    are escaped (tests/pictures).
    """
    files = {path: bytes(response.body).decode() for path, response in page_files().items()}
    for path, text in files.items():
        assert not re.search(
            "innerHTML|outerHTML|insertAdjacentHTML|createContextualFragment|text/html", text
        ), path
        assert all(
            name in files for name in re.findall(r'^import .*"\.(/.*)"', text, re.MULTILINE)
        ), path


PATHS = [
    *(
        "/watch.py",
        "/page/index.html",
        "//etc/passwd",
        "/a" * 999,
        "/..",
        "/../../../../etc/passwd",
        "/main.js/",
        "*",
    ),
    *(
        "/..%2f..%2f..%2fetc%2fpasswd",
        "/%2e%2e%2f%2e%2e%2fetc/passwd",
        "/..%5c..%5cetc",
        "/....//....//etc/passwd",
    ),
    *(
        "/index.html/../server.py",
        "/index.html%00.js",
        "/./main.js/../../server.py",
        "/file:///etc/passwd",
    ),
    *("http://127.0.0.1/etc/passwd", "/%c0%ae%c0%ae/etc/passwd", "/socket/../watch.py"),
]


@pytest.mark.parametrize("path", PATHS)
def test_no_path_reaches_the_disk(url: str, path: str) -> None:
    """As the bytes are: clients would tidy them up."""
    place = urlsplit(url)
    with socket.create_connection(
        (place.hostname or "", place.port or 0), timeout=PATIENCE
    ) as stream:
        stream.sendall(
            f"GET {path} HTTP/1.1\r\nHost: {place.netloc}\r\nConnection: close\r\n\r\n".encode()
        )
        answer = b"".join(iter(lambda: stream.recv(65536), b""))
    status, body = int(answer.split()[1]), answer.partition(b"\r\n\r\n")[2]
    assert status in (400, 404, 405) or any(
        body == bytes(file.body) for file in page_files().values()
    )
    assert b"root:" not in body
    assert b"import" not in body or status == 200


# Messages


def hostile(chance: random.Random) -> str | bytes:
    """A message of at most `MOST_BYTES`: a right one, one that was tampered with, or noise."""
    kinds: dict[str, Any] = {
        "play": None,
        "pause": None,
        "step": None,
        "speed": 1000,
        "simulations": 5,
        "start": 3,
        "go": 50,
    }
    kind, value = chance.choice(list(kinds.items()))
    message = {"type": kind} if value is None else {"type": kind, "value": value}
    odd: list[Any] = [
        None,
        -1,
        2**63,
        1e308,
        "x" * 900,
        [],
        {},
        "\ud800",
        True,
        "../../etc/passwd",
        "<script>",
        "__class__",
    ]
    match chance.randrange(6):
        case 0:
            return chance.randbytes(chance.randrange(200))
        case 1:
            return json.dumps(
                {
                    **message,
                    chance.choice(["type", "value", "seed", "__proto__"]): chance.choice(odd),
                }
            )
        case 2:
            return json.dumps(message)[: chance.randrange(30)]
        case 3:
            return chance.choice(
                ["[" * MOST_BYTES, '{"a":' * 200, "9" * MOST_BYTES, '"' + "\\u0000" * 150 + '"']
            )
    return json.dumps(message)


def test_no_message_ends_the_server(url: str) -> None:
    chance = random.Random(4)
    with connect(url.replace("http", "ws") + "/socket", origin=Origin(url)) as page:
        for _ in range(400):
            page.send(hostile(chance))
            with_answers(page)
        page.send(json.dumps({"type": "start", "value": 8}))
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
