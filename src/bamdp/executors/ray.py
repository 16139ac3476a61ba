"""Ray (extra `ray`): many machines, or the cores of this one, as an executor for sweeps; agents have workers there too.

    with bamdp.executors.ray.connected("ray://head:10001"):
        reproduce(experiments, "paper", Store("results"), executor=bamdp.executors.ray.RayExecutor)

Every machine of the cluster needs the same bamdp as this one, and what Ray asks for: the same versions of Python and of Ray.
"""

from __future__ import annotations

import os
import socket
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, Future
from concurrent.futures import wait as wait_for
from contextlib import contextmanager
from functools import partial
from typing import Any
from urllib.parse import urlsplit

from bamdp._optional import require
from bamdp.executors.local import cores, pass_on

SECONDS = 10.0  # for a machine to answer at all
ATTEMPTS = 3  # to connect: a busy head may fail to start the process that serves a new client
OBJECTS = 128 * 2**20  # bytes for what tasks send each other: next to nothing

_JOINING = threading.Lock()


class ClusterError(Exception):
    """Ray doesn't answer; the message says what to do."""


@contextmanager
def connected(address: str = "local", cpus: int | None = None) -> Iterator[None]:
    """A connection to Ray for as long as the block takes; one that this process has already is used and left as it is.

    Args:
        address: "local", for a cluster of its own on this machine, or ray://HOST:PORT. For all else call `ray.init` before.
        cpus: tasks at a time of a cluster of its own; all cores if not given.

    Raises:
        ClusterError: there is no connection to be had.
    """
    ray = library()
    if ray.is_initialized():
        yield
        return
    try:
        connect(address, cpus)
        yield
    finally:
        ray.shutdown()


def connect(address: str = "local", cpus: int | None = None) -> None:
    """Connect this process to Ray until it ends; see `connected`."""
    ray = library()
    settings: dict[str, Any] = {}
    if address == "local":
        settings = {"num_cpus": cpus or cores(), "include_dashboard": False, "object_store_memory": OBJECTS}
    else:
        _knock(address)
    # Last words of a machine that dies would go to stdout, whatever log_to_driver says.
    ray._private.worker._worker_logs_enabled = False
    for attempt in range(ATTEMPTS):
        try:
            ray.init(address, log_to_driver=False, logging_level="ERROR", **settings)
            return
        except Exception as error:
            ray.shutdown()
            if not isinstance(error, ConnectionAbortedError) or attempt == ATTEMPTS - 1:
                what = str(error).strip().splitlines()[-1]  # perhaps after a traceback from there
                raise ClusterError(f"no connection to Ray at {address}: {what}") from error


def joined() -> Any:
    """Ray, connected till this process ends: as it is already, or to where RAY_ADDRESS says, or to a cluster of its own."""
    ray = library()
    with _JOINING:
        if not ray.is_initialized():
            connect(os.environ.get("RAY_ADDRESS", "local"))
    return ray


def library() -> Any:
    """Ray itself, imported when it is needed."""
    return require("ray", "clusters and workers need Ray", "ray")


def _knock(address: str) -> None:
    """Whether anybody is there: Ray itself tries for half a minute, and then says less."""
    url = urlsplit(address)
    try:
        host, port = url.hostname, url.port
    except ValueError:  # a port that is no number
        host, port = None, None
    if url.scheme != "ray" or not host or not port:
        raise ClusterError(f"the address of a Ray cluster must be local or ray://HOST:PORT, got {address}")
    try:
        socket.create_connection((host, port), timeout=SECONDS).close()
    except OSError as error:
        raise ClusterError(f"nobody answers at {address}: {error.strerror or error}. Is it the head's client port?") from error


class RayExecutor(Executor):
    """Calls as tasks of Ray, one core each, over the connection that this process has.

    Ray doesn't repeat a call whose process or machine died: its future raises, and a sweep hands it out again.

    Example:
        >>> with connected(), RayExecutor() as executor:  # doctest: +SKIP
        ...     executor.submit(pow, 2, 10).result()
        1024
    """

    def __init__(self) -> None:
        self._ray = library()
        if not self._ray.is_initialized():
            raise ClusterError("no connection to Ray: call within `with bamdp.executors.ray.connected():`, or after ray.init()")
        self._call = self._ray.remote(num_cpus=1, max_retries=0)(_call)
        self._running: dict[Future[Any], Any] = {}

    @property
    def workers(self) -> int:
        """The cores that the cluster has at this time."""
        return max(1, int(self._ray.cluster_resources().get("CPU", 0)))

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        """Call `fn` on some machine of the cluster, as soon as a core is free."""
        reference = self._call.remote(fn, args, kwargs)
        answer: Future[Any] = Future()
        answer.set_running_or_notify_cancel()
        self._running[answer] = reference
        reference.future().add_done_callback(partial(self._finish, answer))
        return answer

    def _finish(self, answer: Future[Any], call: Future[Any]) -> None:
        self._running.pop(answer, None)
        pass_on(call, answer)

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """Wait for all calls; or else end them, wherever they run. The connection stays."""
        if wait:
            wait_for(list(self._running))
        for reference in list(self._running.values()):
            self._ray.cancel(reference, force=True)


def _call(fn: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    return fn(*args, **kwargs)
