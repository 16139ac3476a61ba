"""What a page may ask for, and what it gets: messages and frames by a real socket."""

import json
import sys
import threading
from base64 import b64decode
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import ClientConnection, connect

import bamdp
from bamdp.viewer.film import film
from bamdp.viewer.messages import MOST_BYTES, Message, MessageError, parse
from bamdp.viewer.server import MOST_PAGES
from bamdp.viewer.stage import AgentEntry, Stage, WatchSetup
from viewer.serving import played, serving, show_of

PATIENCE = 30  # seconds for an answer, far more than it takes


# Messages


@pytest.mark.parametrize(
    "message",
    [("play",), ("pause",), ("step",), ("film",), ("speed", 0.5), ("simulations", 9), ("start", 7)],
)
def test_messages(message: tuple[Any, ...]) -> None:
    assert parse(json.dumps(dict(zip(("type", "value"), message, strict=False)))) == Message(
        *message
    )


REFUSED = [
    (None, "must be text, not binary"),
    (b"{}", "must be text, not binary"),
    ("", "must be JSON"),
    ("play", "must be JSON"),
    ("[" * 1000, "must be JSON"),
    ("[]", "must be a JSON object"),
    ('"play"', "must be a JSON object"),
    ("9" * 900, "must be a JSON object"),
    ("{}", "type must be one of 'play', "),
    ('{"type": ["play"]}', "type must be one of 'play', "),
    ('{"type": "quit"}', "got 'quit'"),
    ('{"type": "play", "value": 1}', "must have a type and nothing else"),
    ('{"type": "speed"}', "must have a type, a value and nothing else"),
    ('{"type": "go", "value": 1, "x": 2}', "must have a type, a value and nothing else"),
    ('{"type": "speed", "value": 0}', r"value must be a finite number in \[0.1, 1000\], got 0"),
    *(
        (f'{{"type": "speed", "value": {value}}}', "value must be a finite number")
        for value in ("NaN", "Infinity", "1e400", "{}")
    ),
    ('{"type": "speed", "value": "5"}', "value must be a number, got '5'"),
    ('{"type": "speed", "value": true}', "value must be a number, got True"),
    (
        '{"type": "simulations", "value": 0}',
        "simulations must be an integer from 1 to 1000000, got 0",
    ),
    *(
        (f'{{"type": "simulations", "value": {value}}}', "simulations must be an integer")
        for value in ("10.5", "null", "true")
    ),
    ('{"type": "start", "value": -1}', "seed must be an integer from 0"),
    ('{"type": "start", "value": 9007199254740992}', "seed must be an integer from 0"),
    ('{"type": "go", "value": 1e3}', "step must be an integer from 0"),
    (json.dumps({"type": "start", "value": "x" * MOST_BYTES}), "at most 1024 bytes"),
]


@pytest.mark.parametrize(("text", "complaint"), REFUSED)
def test_everything_else_is_refused(text: str | bytes | None, complaint: str) -> None:
    with pytest.raises(MessageError, match=complaint):
        parse(text)


JSON = st.recursive(
    st.none() | st.booleans() | st.floats() | st.integers() | st.text(max_size=20),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["type", "value", "x"]), inner)
    ),
    max_leaves=6,
)


@given(
    st.one_of(
        st.text(),
        JSON.map(json.dumps),
        JSON.map(lambda value: json.dumps({"type": "start", "value": value})),
    )
)
def test_nothing_gets_past_as_another_error(text: str) -> None:
    with suppress(MessageError):
        parse(text)


# A real socket


@pytest.fixture(scope="module")
def show() -> WatchSetup:
    return show_of("grid5 bamcp:simulations=100 --steps 100000 --seed 2")


@pytest.fixture(scope="module")
def url(show: WatchSetup) -> Iterator[str]:
    with serving(show) as address:
        yield address


def page(url: str, **more: Any) -> Any:
    return connect(url.replace("http", "ws") + "/socket", origin=more.pop("origin", url), **more)


def tell(socket: ClientConnection, type: str, value: Any = None) -> None:
    socket.send(json.dumps({"type": type} if value is None else {"type": type, "value": value}))


def hear(socket: ClientConnection, kind: str) -> dict[str, Any]:
    """The next message of a kind; others are passed over, but not errors."""
    for _ in range(300):
        message: dict[str, Any] = json.loads(socket.recv(PATIENCE))
        if message["type"] == kind:
            return message
        assert message["type"] != "error", message["message"]
    raise AssertionError(f"no {kind} among 300 messages")


def hear_error(socket: ClientConnection) -> str:
    while (message := json.loads(socket.recv(PATIENCE)))["type"] != "error":
        pass
    return str(message["message"])


def test_the_numbers_are_the_agents(url: str, show: WatchSetup) -> None:
    twin = Stage(show)
    with page(url) as socket:
        assert hear(socket, "init") == json.loads(json.dumps(twin.init()))
        for _ in range(5):
            found, expected = hear(socket, "frame"), json.loads(json.dumps(twin.frame()))
            for frame in (found, expected):
                del frame["runs"][0]["decision"]["search"]["seconds"]
            assert found == expected
            tell(socket, "step")
            twin.step()


def test_play_and_pause(url: str) -> None:
    with page(url) as socket:
        tell(socket, "speed", 1000)
        tell(socket, "simulations", 20_000)  # the next step is always overdue
        tell(socket, "play")
        assert hear(socket, "playing")["value"] is True
        while hear(socket, "frame")["step"] < 5:
            pass
        tell(socket, "pause")
        assert hear(socket, "playing")["value"] is False
        tell(socket, "step")
        first = hear(socket, "frame")["step"]
        tell(socket, "step")
        assert hear(socket, "frame")["step"] == first + 1


def test_play_ends_with_the_run() -> None:
    with serving(show_of("chain random --steps 50")) as url, page(url) as socket:
        tell(socket, "speed", 1000)
        tell(socket, "play")
        rewards = []
        while True:
            frame = hear(socket, "frame")
            rewards += frame["runs"][0]["rewards"]
            if frame["done"]:
                break
        assert hear(socket, "playing")["value"] is False
        assert (frame["step"], len(rewards), sum(rewards)) == (50, 50, frame["runs"][0]["total"])
        tell(socket, "step")
        assert "the run is over" in hear_error(socket)


def test_new_runs(url: str, show: WatchSetup) -> None:
    with page(url) as socket:
        hear(socket, "frame")
        tell(socket, "simulations", 33)
        assert hear(socket, "frame")["runs"][0]["decision"]["search"]["simulations"] == 33
        tell(socket, "start", 9)
        assert hear(socket, "init")["seed"] == 9
        frame = hear(socket, "frame")
        assert (frame["step"], frame["runs"][0]["simulations"]) == (0, 33)
        twin = Stage(show, 9, [33])
        assert (
            frame["runs"][0]["decision"]["values"] == twin.frame()["runs"][0]["decision"]["values"]
        )


def test_a_new_run_and_closing_the_page_end_a_long_search() -> None:
    before = threading.active_count()
    with (
        serving(show_of("grid5 bamcp:seconds=600")) as url,
        page(url) as socket,
    ):  # leaving waits for the server's threads
        assert hear(socket, "init")["seed"] == 0
        tell(socket, "start", 1)
        assert hear(socket, "init")["seed"] == 1
    assert threading.active_count() <= before + 1


def test_going_to_a_step_plays_to_it_and_pauses(url: str) -> None:
    with page(url) as socket:
        hear(socket, "frame")
        tell(socket, "go", 37)
        assert hear(socket, "playing")["value"] is True
        while (frame := hear(socket, "frame"))["step"] < 37:
            pass
        assert frame["step"] == 37
        assert hear(socket, "playing")["value"] is False
        tell(socket, "go", 12)  # in the past: nothing to do
        tell(socket, "step")
        assert hear(socket, "frame")["step"] == 38
        tell(socket, "go", 99_999)
        hear(socket, "frame")
        tell(socket, "pause")  # ends a long way
        while hear(socket, "playing")["value"]:
            pass


def test_a_film_of_the_run(url: str, show: WatchSetup, monkeypatch: pytest.MonkeyPatch) -> None:
    with page(url, max_size=None) as socket:
        hear(socket, "frame")
        for _ in range(3):
            tell(socket, "step")
            hear(socket, "frame")
        tell(socket, "film")
        assert b64decode(hear(socket, "film")["data"]) == film(played(show, 3))
        monkeypatch.setitem(sys.modules, "PIL", None)
        tell(socket, "film")
        assert (
            "a film needs Pillow, which is not installed: pip install 'bamdp[viewer]'"
            in hear_error(socket)
        )


@pytest.mark.parametrize("message", ["[", '{"type":"start","value":-1}', b"\x00\x01"])
def test_bad_messages_get_an_error_and_nothing_else(url: str, message: str | bytes) -> None:
    with page(url) as socket:
        hear(socket, "frame")
        socket.send(message)
        assert hear_error(socket)
        tell(socket, "step")
        assert hear(socket, "frame")["step"] == 1


def test_messages_that_are_too_long_close_the_socket(url: str) -> None:
    with page(url) as socket:
        hear(socket, "frame")
        socket.send("x" * (MOST_BYTES + 1))
        with pytest.raises(ConnectionClosed) as closed:
            socket.recv(PATIENCE)
        assert closed.value.rcvd is not None
        assert closed.value.rcvd.code == 1009


def test_too_many_messages_at_once_get_an_error(url: str) -> None:
    with page(url) as socket:
        hear(socket, "frame")
        tell(socket, "simulations", 200_000)
        for _ in range(30):
            tell(socket, "step")
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
    """Fails in its third step, with an error that isn't a mistake of the page; and can be made
    twice.
    """

    made = 0

    def __init__(self, *arguments: Any, **settings: Any) -> None:
        type(self).made += 1
        if self.made == 3:
            raise ZeroDivisionError("not again")
        super().__init__(*arguments, **settings)

    def observe(
        self,
        state: int,
        action: int,
        reward: float,
        next_state: int,
        terminated: bool | None = False,
    ) -> None:
        self.seen = getattr(self, "seen", 0) + 1
        if self.seen == 3:
            raise ZeroDivisionError("<b>oops</b>")


def test_an_agent_that_fails_is_no_end_of_the_server(caplog: pytest.LogCaptureFixture) -> None:
    world = bamdp.domains.Chain()
    clumsy = AgentEntry("clumsy", lambda world, seed: Clumsy(world.problem(), seed=seed))
    with (
        serving(WatchSetup("chain", world, (clumsy,), world.problem().prior, 100, 0)) as url,
        page(url) as socket,
    ):
        hear(socket, "frame")
        tell(socket, "speed", 1000)
        tell(socket, "play")
        assert hear_error(socket) == "ZeroDivisionError: <b>oops</b>"
        tell(socket, "start", 1)
        assert hear(socket, "frame")["step"] == 0
        tell(socket, "start", 2)
        assert hear_error(socket) == "ZeroDivisionError: not again"
        tell(socket, "step")
        while hear(socket, "frame")["step"] == 0:  # the old run goes on
            pass
    assert "the run failed" in caplog.text
