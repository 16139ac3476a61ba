"""Where work is done: processes of this machine, or a Ray cluster (extra `ray`) for the workers of
agents.

    with bamdp.executors.connected("ray://head:10001"):
        bamdp.run(bamdp.agents.BAMCP(problem, workers=8), domain)

Every machine of the cluster needs the same versions of bamdp, Python and Ray.
"""

import multiprocessing
import os
import signal
import socket
import sys
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from contextlib import contextmanager
from types import ModuleType
from typing import Any
from urllib.parse import urlsplit

from bamdp.validation import require

SECONDS = 10.0  # for a machine to answer at all
ATTEMPTS = 3  # to connect: a busy head may fail to start the server process of a new client
OBJECTS = 128 * 2**20  # bytes of the object store: tasks exchange little

_STARTING = threading.Lock()
_JOINING = threading.Lock()


def cores() -> int:
    """Number of cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


class ProcessPool(ProcessPoolExecutor):
    """A pool of processes that don't run the user's script again: what they call is in importable
    modules, and no script needs a guard.
    """

    def __init__(self, workers: int) -> None:
        context = multiprocessing.get_context("spawn")  # forking a process with threads may hang
        super().__init__(workers, mp_context=context, initializer=_serve)

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        """Call `fn`, of an importable module, in an idle process."""
        with _without_script():  # submitting may start a process
            return super().submit(fn, *args, **kwargs)


@contextmanager
def _without_script() -> Iterator[None]:
    """Start processes without the user's script."""
    with _STARTING:
        script = sys.modules["__main__"]
        sys.modules["__main__"] = ModuleType("__main__")
        try:
            yield
        finally:
            sys.modules["__main__"] = script


def _serve() -> None:
    """Ignore Ctrl-C, which is for the driver, and exit when the driver dies."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    driver = multiprocessing.parent_process()
    if driver is not None:
        threading.Thread(target=_follow, args=(driver,), daemon=True).start()


def _follow(driver: Any) -> None:
    driver.join()
    os._exit(1)


class ClusterError(Exception):
    """No connection to Ray; the message says what to do."""


@contextmanager
def connected(address: str = "local", cpus: int | None = None) -> Iterator[None]:
    """Connect to Ray for the duration of the block; an existing connection is used and kept.

    Args:
        address: "local", for a new cluster on this machine, or ray://HOST:PORT. For anything else
            call `ray.init` before.
        cpus: concurrent tasks of a new cluster; all cores if not given.

    Raises:
        ClusterError: the connection failed.
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
        settings = {
            "num_cpus": cpus or cores(),
            "include_dashboard": False,
            "object_store_memory": OBJECTS,
        }
    else:
        check_reachable(address)
    # Messages of a dying machine would go to stdout, whatever log_to_driver is.
    ray._private.worker._worker_logs_enabled = False
    for attempt in range(ATTEMPTS):
        try:
            ray.init(address, log_to_driver=False, logging_level="ERROR", **settings)
            return
        except Exception as error:
            ray.shutdown()
            if not isinstance(error, ConnectionAbortedError) or attempt == ATTEMPTS - 1:
                what = str(error).strip().splitlines()[-1]  # perhaps after a remote traceback
                raise ClusterError(f"no connection to Ray at {address}: {what}") from error


def joined_cluster() -> Any:
    """Ray, connected until this process ends: by an existing connection, to RAY_ADDRESS, or to a
    new local cluster.
    """
    ray = library()
    with _JOINING:
        if not ray.is_initialized():
            connect(os.environ.get("RAY_ADDRESS", "local"))
    return ray


def library() -> Any:
    """The module `ray`, imported on first use."""
    return require("ray", "clusters and workers need Ray", "ray")


def check_reachable(address: str) -> None:
    """Fail early with a clear message: Ray itself would try for half a minute."""
    url = urlsplit(address)
    try:
        host, port = url.hostname, url.port
    except ValueError:  # the port is not a number
        host, port = None, None
    if url.scheme != "ray" or not host or not port:
        raise ClusterError(
            f"address of a Ray cluster must be local or ray://HOST:PORT, got {address}"
        )
    try:
        socket.create_connection((host, port), timeout=SECONDS).close()
    except OSError as error:
        raise ClusterError(
            f"no answer from {address}: {error.strerror or error}. Is it the head's client port?"
        ) from error
