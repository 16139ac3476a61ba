"""The server behind a page: a few files from memory, and a socket that carries messages and frames.

No path from the network reaches the disk: the page's files are read beforehand and looked up by name. A request must name a
host that is ours, which foreign names that were made to point here (DNS rebinding) are not, and a socket must be opened by a
page from that same host.
"""

import asyncio
import json
import re
import socket
from contextlib import suppress
from functools import partial
from importlib import resources
from ipaddress import ip_address
from typing import Any

import uvicorn
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import HTTPConnection, Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route, WebSocketRoute
from starlette.types import ASGIApp, Receive, Scope, Send
from starlette.websockets import WebSocket, WebSocketDisconnect

from bamdp.pictures.shapes import stylesheet
from bamdp.viewer.messages import MOST_BYTES, MessageError, parse
from bamdp.viewer.player import Player
from bamdp.viewer.show import WatchSetup

LOOPBACK = frozenset({"127.0.0.1", "localhost", "[::1]"})  # names of this machine for itself
MOST_PAGES = 8  # open at the same time, each with its own run

HOST = re.compile(r"(?P<name>\[[0-9a-f:.]+\]|[0-9a-z._-]+)(:[0-9]{0,5})?", re.ASCII | re.IGNORECASE)  # RFC 9110, 7.2

TYPES = {
    ".html": "text/html",
    ".css": "text/css",
    ".js": "text/javascript",
    ".svg": "image/svg+xml",
    ".json": "application/json",
}

HEADERS = {
    "Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
    "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cache-Control": "no-store",
}


def make_server(show: WatchSetup, host: str) -> uvicorn.Server:
    """The server that plays a show to pages at `host`."""
    names, any_address = host_names(host)
    config = uvicorn.Config(
        application(show, names, any_address=any_address),
        lifespan="off",
        log_level="warning",
        ws_max_size=MOST_BYTES,
        timeout_graceful_shutdown=2,
        server_header=False,
    )
    return uvicorn.Server(config)


def listen(host: str, port: int) -> tuple[socket.socket, str]:
    """A listener at `host` and a port, 0 for a free one, and the address of the page; an `OSError` if that isn't possible."""
    listener = socket.create_server((host, port), family=socket.AF_INET6 if ":" in host else socket.AF_INET)
    shown = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(host, host)
    return listener, f"http://{_bracketed(shown)}:{listener.getsockname()[1]}/"


def host_names(host: str) -> tuple[frozenset[str], bool]:
    """The names by which a server at `host` may be called, and whether any numerical address will do.

    Example:
        >>> host_names("127.0.0.1") == host_names("localhost") == (LOOPBACK, False)
        True
        >>> sorted(host_names("192.168.1.7")[0] - LOOPBACK)
        ['192.168.1.7']
    """
    if _bracketed(host) in LOOPBACK:
        return LOOPBACK, False
    if host in ("0.0.0.0", "::"):
        return LOOPBACK | {socket.gethostname().lower()}, True
    return LOOPBACK | {_bracketed(host).lower()}, False


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


def application(show: WatchSetup, names: frozenset[str], *, any_address: bool = False) -> Starlette:
    """The application that plays a show. Requests must call it by one of `names` or, if `any_address`, by a numerical one."""
    files = page_files()
    pages: set[WebSocket] = set()

    async def file(request: Request) -> Response:
        return files.get(request.url.path) or PlainTextResponse("there is no such page\n", 404, headers=HEADERS)

    async def run(websocket: WebSocket) -> None:
        await websocket.accept()
        if len(pages) >= MOST_PAGES:
            await _send(websocket, {"type": "error", "message": f"{MOST_PAGES} pages are open already: close one, then reload"})
            await websocket.close(1013)
            return
        pages.add(websocket)
        try:
            await _serve(websocket, show)
        finally:
            pages.discard(websocket)

    return Starlette(
        routes=[WebSocketRoute("/socket", run), Route("/{path:path}", file, methods=["GET"])],
        middleware=[Middleware(Guard, names=names, any_address=any_address)],
    )


class Guard:
    """Accepts requests that call the server by one of its names and, for the socket, only those of its own pages."""

    def __init__(self, app: ASGIApp, names: frozenset[str], any_address: bool) -> None:
        self._app, self._names, self._any_address = app, names, any_address

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        refusal = self._refusal(HTTPConnection(scope)) if scope["type"] in ("http", "websocket") else ""
        response = PlainTextResponse(refusal + "\n", 403, headers=HEADERS)
        if not refusal:
            await self._app(scope, receive, send)
        elif scope["type"] == "websocket":
            await _refuse(scope, receive, send, response)
        else:
            await response(scope, receive, send)

    def _refusal(self, connection: HTTPConnection) -> str:
        host = connection.headers.get("host", "")
        if not self._is_ours(host):
            return "this server doesn't go by that name"
        origin = connection.headers.get("origin")
        foreign = origin is not None and origin != f"http://{host}"
        if foreign or (origin is None and connection.scope["type"] == "websocket"):
            return "only pages of this server may use it"
        return ""

    def _is_ours(self, host: str) -> bool:
        parts = HOST.fullmatch(host)
        if parts is None:
            return False
        name = parts["name"].lower()
        if name in self._names:
            return True
        try:
            return self._any_address and bool(ip_address(name.strip("[]")))
        except ValueError:
            return False


async def _refuse(scope: Scope, receive: Receive, send: Send, response: Response) -> None:
    websocket = WebSocket(scope, receive, send)
    await websocket.receive()
    if "websocket.http.response" in scope.get("extensions", {}):
        await websocket.send_denial_response(response)
    else:
        await websocket.close(1008)


async def _serve(websocket: WebSocket, show: WatchSetup) -> None:
    """One page, until it is closed."""
    player = Player(show, partial(_send, websocket))
    tasks = [asyncio.create_task(player.play()), asyncio.create_task(_listen(websocket, player))]
    try:
        done, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        for task in done:
            task.result()  # an error of the server itself
    finally:
        player.close()
        for task in tasks:
            task.cancel()


async def _listen(websocket: WebSocket, player: Player) -> None:
    while (message := await websocket.receive())["type"] != "websocket.disconnect":
        try:
            player.ask(parse(message.get("text")))
        except MessageError as error:
            await _send(websocket, {"type": "error", "message": str(error)})


async def _send(websocket: WebSocket, message: dict[str, Any]) -> None:
    with suppress(WebSocketDisconnect, RuntimeError):  # the page is gone, as its listener notices too
        await websocket.send_text(json.dumps(message, allow_nan=False, separators=(",", ":")))
