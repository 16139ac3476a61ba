"""One page and its runs: handles the messages of the page in their order, and takes steps while it
plays.

The runs work in a thread, so that messages are received meanwhile: a new run ends the search that
is under way.
"""

import asyncio
import logging
from base64 import b64encode
from collections.abc import Awaitable, Callable
from time import monotonic
from typing import Any

from bamdp.viewer.film import film
from bamdp.viewer.messages import FASTEST, Message, MessageError
from bamdp.viewer.stage import Stage, StoppedWatchingError, WatchSetup

MOST_WAITING = 16  # messages that a page may be ahead
FRAMES = 30  # per second, at most

log = logging.getLogger(__name__)


class Player:
    """Plays a show to one page; `send` gives one message to the page and may wait until the page is
    ready for it.
    """

    def __init__(
        self, setup: WatchSetup, send: Callable[[dict[str, Any]], Awaitable[None]]
    ) -> None:
        self._setup, self._send = setup, send
        self._stage: Stage | None = None
        self._playing, self._speed = False, 4.0
        self._goal: int | None = None  # a step to play to as fast as it goes
        self._asked: asyncio.Queue[Message] = asyncio.Queue(MOST_WAITING)

    def ask(self, message: Message) -> None:
        """Handle a message, after those before it; a `MessageError` if too many are waiting
        already.
        """
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
        await self._start(None)
        while True:
            due = await self._play_on() if self._playing else None
            if (message := await self._next(due)) is not None:
                await self._carry_out(message)

    async def _next(self, due: float | None) -> Message | None:
        """The next message; None if there is none until `due`."""
        if not self._asked.empty():  # a wait with no time left would not look
            return self._asked.get_nowait()
        try:
            return await asyncio.wait_for(
                self._asked.get(), None if due is None else due - monotonic()
            )
        except TimeoutError:
            return None

    async def _play_on(self) -> float:
        """The next step or, at high speed, steps; when the one after that is due."""
        goal, speed = self._goal, self._speed if self._goal is None else FASTEST
        count = max(1, round(speed / FRAMES))
        due = monotonic() + count / speed
        await self._work(lambda stage: _several(stage, count, goal))
        stage = self._stage
        if stage is None or stage.done or (goal is not None and stage.steps >= goal):
            await self._set_playing(False)
        return due

    async def _carry_out(self, message: Message) -> None:
        value = message.value
        match message.type:
            case "start":
                await self._start(value)
            case "speed":
                self._speed = value
            case "simulations":
                await self._work(lambda stage: stage.set_simulations(value))
            case "go":
                if self._stage is not None and value > self._stage.steps:
                    await self._set_playing(True, value)
            case "film":
                await self._set_playing(False)
                await self._work(
                    lambda stage: {"type": "film", "data": b64encode(film(stage)).decode()}
                )
            case "step":
                await self._set_playing(False)
                await self._work(Stage.step)
            case order:
                await self._set_playing(order == "play")

    async def _set_playing(self, playing: bool, goal: int | None = None) -> None:
        self._playing = playing and self._stage is not None and not self._stage.done
        self._goal = goal if self._playing else None
        await self._send({"type": "playing", "value": self._playing})

    async def _start(self, seed: int | None) -> None:
        """Replace the runs by new ones; if that fails, send an error and keep the old ones."""
        old = self._stage
        if self._goal is not None:
            await self._set_playing(False)
        try:
            simulations = None if old is None else old.simulations
            self._stage = await asyncio.to_thread(Stage, self._setup, seed, simulations)
        except Exception as error:
            if old is not None:
                old.resume()
            await self._tell(error)
        else:
            await self._send(self._stage.init())
        await self._work(lambda stage: None)

    async def _work(self, work: Callable[[Stage], dict[str, Any] | None]) -> None:
        """Let the runs do something in a thread, then send the message that it makes,
        else a frame.
        """
        stage = self._stage
        if stage is None:
            return
        try:
            message = await asyncio.to_thread(lambda: work(stage) or stage.frame())
        except StoppedWatchingError:  # another run is about to take its place
            return
        except Exception as error:
            await self._set_playing(False)
            await self._tell(error)
            return
        await self._send(message)

    async def _tell(self, error: Exception) -> None:
        """Send an error of the page, or of the user's own agent or domain: none ends the server."""
        if not isinstance(error, TypeError | ValueError | ImportError):
            log.error("the run failed", exc_info=error)
        await self._send({"type": "error", "message": f"{type(error).__name__}: {error}"[:500]})


def _several(stage: Stage, count: int, goal: int | None) -> None:
    """So many steps, but none after the goal, and no longer than a frame takes."""
    end = monotonic() + 1 / FRAMES
    for _ in range(count):
        if not stage.done and (goal is None or stage.steps < goal):
            stage.step()
        if monotonic() >= end:
            return
