"""Executors for sweeps: processes of this machine, or a Ray cluster (extra `ray`), where agents' workers run, too.

    with bamdp.executors.connected("ray://head:10001"):
        reproduce(experiments, "paper", Store("results"), executor=bamdp.executors.RayExecutor)

Every machine of the cluster needs the same versions of bamdp, Python and Ray.
"""

import multiprocessing
import os
import signal
import socket
import sys
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import BrokenExecutor, CancelledError, Executor, Future, ProcessPoolExecutor
from concurrent.futures import wait as wait_for
from contextlib import contextmanager
from functools import partial
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


class Processes(Executor):
    """Pools of one process each: a dying process fails one call, where a shared pool would break as a whole.

    Example:
        >>> with Processes() as executor:
        ...     executor.submit(pow, 2, 10).result()
        1024
    """

    def __init__(self) -> None:
        self._idle: list[ProcessPoolExecutor] = []
        self._busy: set[ProcessPoolExecutor] = set()

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        """Call `fn`, of an importable module, at once, in an idle process or a new one."""
        future: Future[Any] = Future()
        future.set_running_or_notify_cancel()
        while True:
            pool = self._idle.pop() if self._idle else _pool()
            try:
                with _without_script():
                    call = pool.submit(fn, *args, **kwargs)
            except BrokenExecutor:  # its process died while idle
                pool.shutdown(wait=False)
                continue
            self._busy.add(pool)
            call.add_done_callback(partial(self._finish, pool, future))
            return future

    def _finish(self, pool: ProcessPoolExecutor, future: Future[Any], call: Future[Any]) -> None:
        """Free the process before setting the result, so that a callback finds it free."""
        self._busy.discard(pool)
        if call.cancelled() or isinstance(call.exception(), BrokenExecutor):
            pool.shutdown(wait=False)
        else:
            self._idle.append(pool)
        copy_outcome(call, future)

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """Stop all processes, each after its call."""
        for pool in [*self._busy, *self._idle]:
            pool.shutdown(wait)


def copy_outcome(call: Future[Any], future: Future[Any]) -> None:
    """Set `future` to the outcome of `call`, which is done."""
    error = CancelledError() if call.cancelled() else call.exception()
    if error is None:
        future.set_result(call.result())
    else:
        future.set_exception(error)


def _pool() -> ProcessPoolExecutor:
    context = multiprocessing.get_context("spawn")  # forking a process with threads may hang
    return ProcessPoolExecutor(1, mp_context=context, initializer=_serve)


@contextmanager
def _without_script() -> Iterator[None]:
    """Start processes that don't run the user's script again: `fn` is of an importable module, and no script needs a guard."""
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
        address: "local", for a new cluster on this machine, or ray://HOST:PORT. For anything else call `ray.init` before.
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
        settings = {"num_cpus": cpus or cores(), "include_dashboard": False, "object_store_memory": OBJECTS}
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


def joined() -> Any:
    """Ray, connected until this process ends: by an existing connection, to RAY_ADDRESS, or to a new local cluster."""
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
        raise ClusterError(f"address of a Ray cluster must be local or ray://HOST:PORT, got {address}")
    try:
        socket.create_connection((host, port), timeout=SECONDS).close()
    except OSError as error:
        raise ClusterError(f"no answer from {address}: {error.strerror or error}. Is it the head's client port?") from error


class RayExecutor(Executor):
    """Runs calls as Ray tasks, one core each, over this process's connection.

    Ray doesn't retry a call whose process or machine died: its future raises, and a sweep submits it again.

    Example:
        >>> with connected(), RayExecutor() as executor:  # doctest: +SKIP
        ...     executor.submit(pow, 2, 10).result()
        1024
    """

    def __init__(self) -> None:
        self._ray = library()
        if not self._ray.is_initialized():
            raise ClusterError("no connection to Ray: use `with bamdp.executors.connected():`, or call ray.init() before")
        self._call = self._ray.remote(num_cpus=1, max_retries=0)(_call)
        self._running: dict[Future[Any], Any] = {}

    @property
    def workers(self) -> int:
        """Current number of cores of the cluster."""
        return max(1, int(self._ray.cluster_resources().get("CPU", 0)))

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        """Call `fn` in the cluster as soon as a core is free."""
        reference = self._call.remote(fn, args, kwargs)
        future: Future[Any] = Future()
        future.set_running_or_notify_cancel()
        self._running[future] = reference
        reference.future().add_done_callback(partial(self._finish, future))
        return future

    def _finish(self, future: Future[Any], call: Future[Any]) -> None:
        self._running.pop(future, None)
        copy_outcome(call, future)

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """Wait for all calls, or cancel them; the connection is kept."""
        if wait:
            wait_for(list(self._running))
        for reference in list(self._running.values()):
            self._ray.cancel(reference, force=True)


def _call(fn: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    return fn(*args, **kwargs)
