"""The server behind a page: a few files from memory, and a socket that carries messages and frames.

No path from the network reaches the disk: the page's files are read beforehand and looked up by
name. A request must name a host that is ours, which foreign names that were made to point here (DNS
rebinding) are not, and a socket must be opened by a page from that same host.
"""

import asyncio
import json
import re
import socket
from collections.abc import Awaitable, Callable
from contextlib import suppress
from functools import partial
from importlib import resources
from ipaddress import ip_address
from typing import Any, Protocol

import uvicorn
from starlette.applications import Starlette
from starlette.requests import HTTPConnection, Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route, WebSocketRoute
from starlette.websockets import WebSocket, WebSocketDisconnect

from bamdp.pictures.shapes import stylesheet
from bamdp.viewer.messages import MOST_BYTES, Message, MessageError, parse

LOOPBACK = frozenset({"127.0.0.1", "localhost", "[::1]"})  # names of this machine for itself
ANY = ("0.0.0.0", "::")  # hosts that stand for all addresses of this machine
MOST_PAGES = 8  # open at the same time, each with its own run

HOST = re.compile(
    r"(?P<name>\[[0-9a-f:.]+\]|[0-9a-z._-]+)(:[0-9]{0,5})?", re.ASCII | re.IGNORECASE
)  # RFC 9110, 7.2

TYPES = {
    ".html": "text/html",
    ".css": "text/css",
    ".js": "text/javascript",
    ".svg": "image/svg+xml",
    ".json": "application/json",
}

HEADERS = {
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
        "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    ),
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cache-Control": "no-store",
}


Send = Callable[[dict[str, Any]], Awaitable[None]]  # gives one message to a page


class PagePlayer(Protocol):
    """What plays to one page; see `bamdp.viewer.player.Player`."""

    async def play(self) -> None:
        """Play until it is cancelled."""

    def ask(self, message: Message) -> None:
        """Handle a message, after those before it."""

    def close(self) -> None:
        """End what is under way."""


MakePlayer = Callable[[Send], PagePlayer]


def make_server(make_player: MakePlayer, host: str) -> uvicorn.Server:
    """A server at `host`, with a new player for each page."""
    config = uvicorn.Config(
        application(make_player, host),
        lifespan="off",
        log_level="warning",
        ws_max_size=MOST_BYTES,
        timeout_graceful_shutdown=2,
        server_header=False,
    )
    return uvicorn.Server(config)


def listen(host: str, port: int) -> tuple[socket.socket, str]:
    """A listener at `host` and a port, 0 for a free one, and the address of the page; an `OSError`
    if that isn't possible.
    """
    listener = socket.create_server(
        (host, port), family=socket.AF_INET6 if ":" in host else socket.AF_INET
    )
    shown = dict(zip(ANY, ("127.0.0.1", "::1"), strict=True)).get(host, host)
    return listener, f"http://{_bracketed(shown)}:{listener.getsockname()[1]}/"


def is_local(host: str) -> bool:
    """Whether only this machine can reach a server at `host`."""
    return _bracketed(host) in LOOPBACK


def refusal(connection: HTTPConnection, served_at: str) -> str:
    """Why a request is refused, "" if it isn't: it must name a host that is ours, and a socket must
    be opened by our page.

    A server at all addresses also goes by any numerical address.
    """
    host, origin = connection.headers.get("host", ""), connection.headers.get("origin")
    if not _is_ours(host, served_at):
        return "this server doesn't go by that name"
    foreign = origin is not None and origin != f"http://{host}"
    if foreign or (origin is None and connection.scope["type"] == "websocket"):
        return "only pages of this server may use it"
    return ""


def _is_ours(host: str, served_at: str) -> bool:
    parts = HOST.fullmatch(host)
    if parts is None:
        return False
    name = parts["name"].lower()
    if name in LOOPBACK | {_bracketed(served_at).lower()}:
        return True
    try:
        return served_at in ANY and (
            name == socket.gethostname().lower() or bool(ip_address(name.strip("[]")))
        )
    except ValueError:
        return False


def _bracketed(host: str) -> str:
    return f"[{ip_address(host)}]" if ":" in host else host


def page_files() -> dict[str, Response]:
    """The files of the page, by their path."""
    files = {}
    for file in resources.files("bamdp.viewer").joinpath("page").iterdir():
        kind = TYPES.get("." + file.name.rpartition(".")[2])
        if kind is not None:
            files["/" + file.name] = Response(file.read_bytes(), media_type=kind, headers=HEADERS)
    files["/roles.css"] = Response(stylesheet(), media_type=TYPES[".css"], headers=HEADERS)
    files["/"] = files["/index.html"]
    return files


def application(make_player: MakePlayer, served_at: str) -> Starlette:
    """The application behind the pages at a host."""
    files = page_files()
    pages: set[WebSocket] = set()

    async def file(request: Request) -> Response:
        if refused := refusal(request, served_at):
            return PlainTextResponse(f"{refused}\n", 403, headers=HEADERS)
        return files.get(request.url.path) or PlainTextResponse(
            "there is no such page\n", 404, headers=HEADERS
        )

    async def run(websocket: WebSocket) -> None:
        if refusal(websocket, served_at):
            await websocket.close()  # before it was accepted: answered with 403
            return
        await websocket.accept()
        if len(pages) >= MOST_PAGES:
            await _send(
                websocket,
                {
                    "type": "error",
                    "message": f"{MOST_PAGES} pages are open already: close one, then reload",
                },
            )
            await websocket.close(1013)
            return
        pages.add(websocket)
        try:
            await _serve(websocket, make_player)
        finally:
            pages.discard(websocket)

    return Starlette(
        routes=[WebSocketRoute("/socket", run), Route("/{path:path}", file, methods=["GET"])]
    )


async def _serve(websocket: WebSocket, make_player: MakePlayer) -> None:
    """One page, until it is closed."""
    player = make_player(partial(_send, websocket))
    tasks = [asyncio.create_task(player.play()), asyncio.create_task(_listen(websocket, player))]
    try:
        done, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        for task in done:
            task.result()  # an error of the server itself
    finally:
        player.close()
        for task in tasks:
            task.cancel()


async def _listen(websocket: WebSocket, player: PagePlayer) -> None:
    while (message := await websocket.receive())["type"] != "websocket.disconnect":
        try:
            player.ask(parse(message.get("text")))
        except MessageError as error:
            await _send(websocket, {"type": "error", "message": str(error)})


async def _send(websocket: WebSocket, message: dict[str, Any]) -> None:
    with suppress(
        WebSocketDisconnect, RuntimeError
    ):  # the page is gone, as its listener notices too
        await websocket.send_text(json.dumps(message, allow_nan=False, separators=(",", ":")))
