"""Shows by the words of the command line, their runs, and a show served for real, on a free port of
this machine.
"""

import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any

from bamdp.cli import watch
from bamdp.cli.parser import parse_flags, split_words
from bamdp.viewer.player import Player
from bamdp.viewer.server import make_server
from bamdp.viewer.stage import Stage, WatchSetup


def show_of(line: str) -> WatchSetup:
    """What `bamdp watch` shows with these arguments."""
    words, flags = split_words(line.split())
    return watch.show_of(words, parse_flags(watch.FLAGS, flags, "bamdp watch", ""))


def played(show: str | WatchSetup, steps: int, *settings: Any) -> Stage:
    """The runs of a show after some steps."""
    stage = Stage(show_of(show) if isinstance(show, str) else show, *settings)
    for _ in range(steps):
        stage.step()
    return stage


@contextmanager
def serving(show: WatchSetup, host: str = "127.0.0.1", port: int = 0) -> Iterator[str]:
    """The address of the page, without the slash at its end."""
    with socket.create_server(("127.0.0.1", port)) as listener:
        server = make_server(partial(Player, show), host)
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]})
        thread.start()
        try:
            while not server.started:
                assert thread.is_alive(), "the server didn't start"
                time.sleep(0.01)
            yield f"http://127.0.0.1:{listener.getsockname()[1]}"
        finally:
            server.should_exit = True
            thread.join(20)
            assert not thread.is_alive(), "the server didn't end"
