"""The server, for real: files, headers, who is let in, and that no message ends it."""

import http.client
import json
import sys
import threading
from base64 import b64decode
from collections.abc import Iterator
from pathlib import Path
from socket import create_connection
from typing import Any
from urllib.parse import urlsplit

import pytest
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.sync.client import ClientConnection, connect
from websockets.typing import Origin

import bamdp
from bamdp.viewer.film import film
from bamdp.viewer.messages import MOST_BYTES
from bamdp.viewer.server import MOST_PAGES, page_files
from bamdp.viewer.show import Contender, PriorChoice, WatchSetup
from bamdp.viewer.stage import Stage
from viewer.serving import serving, show_of

PATIENCE = 30  # seconds for an answer, far more than it takes


@pytest.fixture(scope="module")
def show() -> WatchSetup:
    return show_of("grid5 bamcp:simulations=100 --steps 100000 --seed 2")


@pytest.fixture(scope="module")
def url(show: WatchSetup) -> Iterator[str]:
    with serving(show) as address:
        yield address


def page(url: str, **more: Any) -> Any:
    return connect(url.replace("http", "ws") + "/socket", origin=more.pop("origin", url), **more)


def tell(socket: ClientConnection, **message: Any) -> None:
    socket.send(json.dumps(message))


def hear(socket: ClientConnection, kind: str) -> dict[str, Any]:
    """The next message of a kind; others are passed over, but not errors."""
    for _ in range(300):
        message: dict[str, Any] = json.loads(socket.recv(PATIENCE))
        if message["type"] == kind:
            return message
        assert message["type"] != "error", message["message"]
    raise AssertionError(f"no {kind} among 300 messages")


def get(url: str, path: str, **headers: str) -> tuple[int, dict[str, str], bytes]:
    connection = http.client.HTTPConnection(urlsplit(url).netloc, timeout=PATIENCE)
    connection.putrequest("GET", path, skip_host="Host" in headers)
    for name, value in headers.items():
        connection.putheader(name, value)
    connection.endheaders()
    answer = connection.getresponse()
    result = answer.status, {name.lower(): value for name, value in answer.getheaders()}, answer.read()
    connection.close()
    return result


# Files


def test_the_page_and_its_files(url: str) -> None:
    status, headers, body = get(url, "/")
    assert (status, headers["content-type"]) == (200, "text/html; charset=utf-8")
    assert body == (Path(bamdp.__file__).parent / "viewer" / "page" / "index.html").read_bytes()
    for path in ("/main.js", "/style.css", "/icon.svg"):
        status, headers, _ = get(url, path)
        assert status == 200
        assert headers["x-content-type-options"] == "nosniff"
        policy = headers["content-security-policy"]
        assert "default-src 'none'" in policy
        assert "unsafe" not in policy


def test_every_file_that_scripts_import_is_served() -> None:
    files = page_files()
    for path, response in files.items():
        if path.endswith(".js"):
            names = [line.split('"')[1] for line in bytes(response.body).decode().splitlines() if line.startswith("import ")]
            assert all(name.removeprefix(".") in files for name in names), path


def test_no_script_makes_html_from_text() -> None:
    """The drawings of the server are parsed as XML, and their texts are escaped (tests/pictures)."""
    for path, response in page_files().items():
        for way in (b"innerHTML", b"outerHTML", b"insertAdjacentHTML", b"createContextualFragment", b"text/html"):
            assert way not in bytes(response.body), path


# Who is let in


def test_foreign_names_and_pages_are_rejected(url: str) -> None:
    """All that is let in or not: test_hostile.py."""
    status, _, body = get(url, "/", Host="evil.example")
    assert (status, body) == (403, b"this server doesn't go by that name\n")
    assert get(url, "/", Host="LOCALHOST:1234")[0] == 200
    assert get(url, "/", Origin="http://evil.example")[0] == 403
    assert get(url, "/", Origin=url)[0] == 200
    for origin in ("http://evil.example", None):
        with pytest.raises(InvalidStatus) as refused, page(url, origin=origin):
            pass
        assert refused.value.response.status_code == 403


def test_sockets_under_foreign_names_are_refused(url: str) -> None:
    port = urlsplit(url).port
    with (
        pytest.raises(InvalidStatus) as refused,
        connect(
            f"ws://rebound.example:{port}/socket",
            sock=create_connection(("127.0.0.1", port)),
            origin=Origin(f"http://rebound.example:{port}"),
        ),
    ):
        pass
    assert refused.value.response.status_code == 403


# Messages


def test_the_numbers_are_the_agents(url: str, show: WatchSetup) -> None:
    twin = Stage(show)
    with page(url) as socket:
        assert hear(socket, "init") == json.loads(json.dumps(twin.init()))
        for _ in range(5):
            found, expected = hear(socket, "frame"), json.loads(json.dumps(twin.frame()))
            for frame in (found, expected):
                del frame["runs"][0]["decision"]["search"]["seconds"]
            assert found == expected
            tell(socket, type="step")
            twin.step()


def test_play_and_pause(url: str) -> None:
    with page(url) as socket:
        tell(socket, type="speed", value=1000)
        tell(socket, type="simulations", value=20_000)  # the next step is always overdue
        tell(socket, type="play")
        assert hear(socket, "playing")["value"] is True
        while hear(socket, "frame")["step"] < 5:
            pass
        tell(socket, type="pause")
        assert hear(socket, "playing")["value"] is False
        tell(socket, type="step")
        first = hear(socket, "frame")["step"]
        tell(socket, type="step")
        assert hear(socket, "frame")["step"] == first + 1


def test_play_ends_with_the_run() -> None:
    with serving(show_of("chain random --steps 50")) as url, page(url) as socket:
        tell(socket, type="speed", value=1000)
        tell(socket, type="play")
        rewards = []
        while True:
            frame = hear(socket, "frame")
            rewards += frame["runs"][0]["rewards"]
            if frame["done"]:
                break
        assert hear(socket, "playing")["value"] is False
        assert (frame["step"], len(rewards), sum(rewards)) == (50, 50, frame["runs"][0]["total"])
        tell(socket, type="step")
        assert "the run is over" in hear_error(socket)


def hear_error(socket: ClientConnection) -> str:
    while (message := json.loads(socket.recv(PATIENCE)))["type"] != "error":
        pass
    return str(message["message"])


def test_new_runs(url: str, show: WatchSetup) -> None:
    with page(url) as socket:
        hear(socket, "frame")
        tell(socket, type="simulations", value=33)
        assert hear(socket, "frame")["runs"][0]["decision"]["search"]["simulations"] == 33
        tell(socket, type="start", seed=9, prior="Dirichlet")
        init = hear(socket, "init")
        assert (init["seed"], init["prior"]) == (9, "Dirichlet")
        frame = hear(socket, "frame")
        assert (frame["step"], frame["runs"][0]["simulations"]) == (0, 33)
        twin = Stage(show, 9, "Dirichlet", [33])
        assert frame["runs"][0]["decision"]["values"] == twin.frame()["runs"][0]["decision"]["values"]


def test_a_new_run_ends_a_long_search() -> None:
    with serving(show_of("grid5 bamcp:seconds=600")) as url, page(url) as socket:
        assert hear(socket, "init")["seed"] == 0
        tell(socket, type="start", seed=1, prior="asked")
        assert hear(socket, "init")["seed"] == 1


def test_going_to_a_step_plays_to_it_and_pauses(url: str) -> None:
    with page(url) as socket:
        hear(socket, "frame")
        tell(socket, type="go", step=37)
        assert hear(socket, "playing")["value"] is True
        while (frame := hear(socket, "frame"))["step"] < 37:
            pass
        assert frame["step"] == 37
        assert hear(socket, "playing")["value"] is False
        tell(socket, type="go", step=12)  # in the past: nothing to do
        tell(socket, type="step")
        assert hear(socket, "frame")["step"] == 38


def test_a_pause_ends_a_long_way(url: str) -> None:
    with page(url) as socket:
        hear(socket, "frame")
        tell(socket, type="go", step=99_999)
        hear(socket, "frame")
        tell(socket, type="pause")
        while hear(socket, "playing")["value"]:
            pass
        tell(socket, type="step")
        assert hear(socket, "frame")["step"] < 99_999


def test_bounds_when_asked_for() -> None:
    show = show_of("chain bayes-adaptive:simulations=200 --seed 5")
    twin = Stage(show)
    twin.frame()
    twin.compute_bounds()
    with serving(show) as url, page(url) as socket:
        assert hear(socket, "frame")["runs"][0]["decision"]["bounds"]["upper"] is None
        tell(socket, type="compute_bounds")
        assert hear(socket, "frame")["runs"][0]["decision"]["bounds"] == twin.frame()["runs"][0]["decision"]["bounds"]


def test_a_film_of_the_run(url: str, show: WatchSetup) -> None:
    twin = Stage(show)
    with page(url, max_size=None) as socket:
        hear(socket, "frame")
        for _ in range(3):
            tell(socket, type="step")
            hear(socket, "frame")
            twin.step()
        tell(socket, type="film", format="gif")
        message = hear(socket, "film")
        assert (message["format"], b64decode(message["data"])) == ("gif", film(twin, "gif"))


def test_without_pillow_a_film_is_an_error(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "PIL", None)
    with page(url) as socket:
        hear(socket, "frame")
        tell(socket, type="film", format="webp")
        assert "a film needs Pillow, which is not installed: pip install 'bamdp[viewer]'" in hear_error(socket)


@pytest.mark.parametrize("message", ["[", '{"type":"start","seed":1,"prior":"nobody"}', b"\x00\x01"])
def test_bad_messages_get_an_error_and_nothing_else(url: str, message: str | bytes) -> None:
    with page(url) as socket:
        hear(socket, "frame")
        socket.send(message)
        assert hear_error(socket)
        tell(socket, type="step")
        while hear(socket, "frame")["step"] == 0:  # as shown before, if the old run goes on after a failed start
            pass


def test_messages_that_are_too_long_close_the_socket(url: str) -> None:
    with page(url) as socket:
        hear(socket, "frame")
        socket.send("x" * (MOST_BYTES + 1))
        with pytest.raises(ConnectionClosed) as closed:
            socket.recv(PATIENCE)
        assert closed.value.rcvd is not None
        assert closed.value.rcvd.code == 1009
    with page(url) as socket:
        hear(socket, "frame")


def test_too_many_messages_at_once_get_an_error(url: str) -> None:
    with page(url) as socket:
        hear(socket, "frame")
        tell(socket, type="simulations", value=200_000)
        for _ in range(30):
            tell(socket, type="step")
        assert "too many messages at once" in hear_error(socket)


def test_too_many_pages_get_an_error(url: str) -> None:
    sockets = [page(url).__enter__() for _ in range(MOST_PAGES)]
    try:
        for socket in sockets:
            hear(socket, "frame")
        with page(url) as socket:
            assert "close one, then reload" in hear_error(socket)
    finally:
        for socket in sockets:
            socket.close()


class Clumsy(bamdp.agents.Random):
    """Fails in its third step, with an error that isn't a mistake of the page."""

    def observe(self, state: int, action: int, reward: float, next_state: int, terminated: bool | None = False) -> None:
        self.seen = getattr(self, "seen", 0) + 1
        if self.seen == 3:
            raise ZeroDivisionError("<b>oops</b>")


def test_an_agent_that_fails_is_no_end_of_the_server(caplog: pytest.LogCaptureFixture) -> None:
    world = bamdp.domains.Chain()
    priors = (PriorChoice("asked", "asked", world.prior()),)
    clumsy = Contender("clumsy", lambda world, seed, prior: Clumsy(world.problem(), seed=seed))
    show = WatchSetup("chain", world, (clumsy,), priors, 100, 0)
    with serving(show) as url, page(url) as socket:
        hear(socket, "frame")
        tell(socket, type="speed", value=1000)
        tell(socket, type="play")
        assert hear_error(socket) == "ZeroDivisionError: <b>oops</b>"
        tell(socket, type="start", seed=1, prior="asked")
        assert hear(socket, "frame")["step"] == 0
    assert "the run failed" in caplog.text


def test_closing_the_page_ends_its_search() -> None:
    show = show_of("grid5 bamcp:seconds=600")
    before = threading.active_count()
    with serving(show) as url, page(url) as socket:  # leaving waits for the server, which waits for its threads
        hear(socket, "init")
    assert threading.active_count() <= before + 1
