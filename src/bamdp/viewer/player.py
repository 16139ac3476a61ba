"""One page and its runs: handles the messages of the page in their order, and takes steps while it plays.

The runs work in a thread, so that messages are received meanwhile: a new run ends the search that is under way.
"""

import asyncio
import logging
from base64 import b64encode
from collections.abc import Awaitable, Callable
from time import monotonic
from typing import Any

from bamdp.viewer.film import film
from bamdp.viewer.messages import FASTEST, Message, MessageError
from bamdp.viewer.show import WatchSetup
from bamdp.viewer.stage import Stage
from bamdp.viewer.watched import StoppedWatchingError

FRAMES = 30  # per second, at most
MOST_WAITING = 16  # messages that a page may be ahead

log = logging.getLogger(__name__)


class Player:
    """Plays a show to one page; `send` gives one message to the page and may wait until the page is ready for it."""

    def __init__(self, show: WatchSetup, send: Callable[[dict[str, Any]], Awaitable[None]]) -> None:
        self._show, self._send = show, send
        self._stage: Stage | None = None
        self._playing, self._speed = False, 4.0
        self._goal: int | None = None  # a step to play to as fast as it goes
        self._asked: asyncio.Queue[Message] = asyncio.Queue(MOST_WAITING)

    def ask(self, message: Message) -> None:
        """Handle a message, after those before it; a `MessageError` if too many are waiting already."""
        if self._asked.full():
            raise MessageError("too many messages at once: wait for the last step to be done")
        if message.type == "start":
            self.close()
        self._asked.put_nowait(message)

    def close(self) -> None:
        """End the search that may be under way."""
        if self._stage is not None:
            self._stage.stop()

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
        goal, stage = self._goal, self._stage
        speed = self._speed if goal is None else FASTEST
        count = max(1, round(speed / FRAMES))
        due = monotonic() + count / speed
        await self._work(lambda stage: _several(stage, count, goal))
        if stage is None or stage.done or (goal is not None and stage.steps >= goal):
            await self._set_playing(False)
        return due

    async def _carry_out(self, message: Message) -> None:
        values = message.values
        match message.type:
            case "start":
                await self._start(**values)
            case "speed":
                self._speed = values["value"]
            case "simulations":
                await self._work(lambda stage: stage.set_simulations(values["value"]))
            case "go":
                if self._stage is not None and values["step"] > self._stage.steps:
                    await self._set_playing(True, values["step"])
            case "film":
                await self._set_playing(False)
                await self._film(values["format"])
            case "step" | "compute_bounds" as work:
                await self._set_playing(False)
                await self._work(lambda stage: getattr(stage, work)())
            case order:
                await self._set_playing(order == "play")

    async def _set_playing(self, playing: bool, goal: int | None = None) -> None:
        self._playing = playing and self._stage is not None and not self._stage.done
        self._goal = goal if self._playing else None
        await self._send({"type": "playing", "value": self._playing})

    async def _start(self, seed: int | None, prior: str | None) -> None:
        """Replace the runs by new ones; if that fails, send an error and keep the old ones."""
        old = self._stage
        if self._goal is not None:
            await self._set_playing(False)
        try:
            simulations = None if old is None else old.simulations
            self._stage = await asyncio.to_thread(Stage, self._show, seed, prior, simulations)
        except Exception as error:
            if old is not None:
                old.resume()
            await self._tell(error)
        else:
            await self._send(self._stage.init())
        await self._work(lambda stage: None)

    async def _film(self, format: str) -> None:
        """Send a film of the runs; a new run ends it."""
        stage = self._stage
        if stage is None:
            return
        try:
            data = await asyncio.to_thread(film, stage, format, stage.check)
        except StoppedWatchingError:
            return
        except Exception as error:
            await self._tell(error)
            return
        await self._send({"type": "film", "format": format, "data": b64encode(data).decode()})

    async def _work(self, work: Callable[[Stage], Any]) -> None:
        """Let the runs do something in a thread, then send a frame."""
        if self._stage is None:
            return
        try:
            frame = await asyncio.to_thread(_then_frame, self._stage, work)
        except StoppedWatchingError:  # another run is about to take its place
            return
        except Exception as error:
            await self._set_playing(False)
            await self._tell(error)
            return
        await self._send(frame)

    async def _tell(self, error: Exception) -> None:
        """Send an error of the page, or of the user's own agent or domain: none ends the server."""
        if not isinstance(error, TypeError | ValueError | ImportError):
            log.error("the run failed", exc_info=error)
        await self._send({"type": "error", "message": f"{type(error).__name__}: {error}"[:500]})


def _then_frame(stage: Stage, work: Callable[[Stage], Any]) -> dict[str, Any]:
    work(stage)
    return stage.frame()


def _several(stage: Stage, count: int, goal: int | None) -> None:
    """So many steps, but none after the goal, and no longer than a frame takes."""
    end = monotonic() + 1 / FRAMES
    for _ in range(count):
        if not stage.done and (goal is None or stage.steps < goal):
            stage.step()
        if monotonic() >= end:
            return
