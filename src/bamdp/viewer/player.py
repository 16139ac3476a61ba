"""One page and its run: handles the messages of the page in their order, and takes steps while it plays.

The run works in a thread, so that messages are received meanwhile: a new run ends the search that is under way.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from time import monotonic
from typing import Any

from bamdp.viewer.messages import Message, MessageError, Order, Simulations, Speed, Start
from bamdp.viewer.show import Show
from bamdp.viewer.watched import StoppedError, WatchedRun

FRAMES = 30  # per second, at most
MOST_WAITING = 16  # messages that a page may be ahead

log = logging.getLogger(__name__)


class Player:
    """Plays a show to one page; `send` gives one message to the page and may wait until the page is ready for it."""

    def __init__(self, show: Show, send: Callable[[dict[str, Any]], Awaitable[None]]) -> None:
        self._show, self._send = show, send
        self._run: WatchedRun | None = None
        self._playing, self._speed = False, 4.0
        self._asked: asyncio.Queue[Message] = asyncio.Queue(MOST_WAITING)

    def ask(self, message: Message) -> None:
        """Handle a message, after those before it; a `MessageError` if too many are waiting already."""
        if self._asked.full():
            raise MessageError("too many messages at once: wait for the last step to be done")
        if isinstance(message, Start):
            self.close()
        self._asked.put_nowait(message)

    def close(self) -> None:
        """End the search that may be under way."""
        if self._run is not None:
            self._run.stop()

    async def play(self) -> None:
        """Show the first run, then handle messages and take steps while it plays, for ever."""
        await self._start(None, None)
        while True:
            due = await self._play_on() if self._playing else None
            message = await self._next(due)
            if message is not None:
                await self._carry_out(message)

    async def _next(self, due: float | None) -> Message | None:
        """The next message; None if there is none until `due`."""
        if not self._asked.empty():  # a wait with no time left would not look
            return self._asked.get_nowait()
        try:
            return await asyncio.wait_for(self._asked.get(), None if due is None else due - monotonic())
        except TimeoutError:
            return None

    async def _play_on(self) -> float:
        """The next step or, at high speed, steps; when the one after that is due."""
        count = max(1, round(self._speed / FRAMES))
        due = monotonic() + count / self._speed
        await self._work(lambda run: _several(run, count))
        if self._run is None or self._run.done:
            await self._set_playing(False)
        return due

    async def _carry_out(self, message: Message) -> None:
        match message:
            case Start(seed, prior):
                await self._start(seed, prior)
            case Speed(value):
                self._speed = value
            case Simulations(value):
                await self._work(lambda run: run.set_simulations(value))
            case Order("step"):
                await self._set_playing(False)
                await self._work(lambda run: run.step())
            case Order(name):
                await self._set_playing(name == "play")

    async def _set_playing(self, playing: bool) -> None:
        self._playing = playing and self._run is not None and not self._run.done
        await self._send({"type": "playing", "value": self._playing})

    async def _start(self, seed: int | None, prior: str | None) -> None:
        """Replace the run by a new one; if that fails, send an error and keep the old one."""
        old = self._run
        try:
            simulations = None if old is None else getattr(old.agent, "simulations", None)
            self._run = await asyncio.to_thread(WatchedRun, self._show, seed, prior, simulations)
        except Exception as error:
            if old is not None:
                old.resume()
            await self._tell(error)
        else:
            await self._send(self._run.hello())
        await self._work(lambda run: None)

    async def _work(self, work: Callable[[WatchedRun], Any]) -> None:
        """Let the run do something in a thread, then send a frame."""
        if self._run is None:
            return
        try:
            frame = await asyncio.to_thread(_then_frame, self._run, work)
        except StoppedError:  # another run is about to take its place
            return
        except Exception as error:
            await self._set_playing(False)
            await self._tell(error)
            return
        await self._send(frame)

    async def _tell(self, error: Exception) -> None:
        """Send an error of the page, or of the user's own agent or domain: none ends the server."""
        if not isinstance(error, TypeError | ValueError):
            log.error("the run failed", exc_info=error)
        await self._send({"type": "error", "message": f"{type(error).__name__}: {error}"[:500]})


def _then_frame(run: WatchedRun, work: Callable[[WatchedRun], Any]) -> dict[str, Any]:
    work(run)
    return run.frame()


def _several(run: WatchedRun, count: int) -> None:
    """So many steps, but no longer than a frame takes."""
    end = monotonic() + 1 / FRAMES
    for _ in range(count):
        if not run.done:
            run.step()
        if monotonic() >= end:
            return
