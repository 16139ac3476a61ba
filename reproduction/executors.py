"""Executors of tasks: processes of this machine, or a Ray cluster (extra `ray`).

    with bamdp.executors.connected("ray://head:10001"):
        reproduce(experiments, "paper", Store("results"), executor=RayExecutor)

Every machine of the cluster needs the same versions of bamdp, Python and Ray, and this checkout.
"""

from collections.abc import Callable
from concurrent.futures import BrokenExecutor, CancelledError, Executor, Future
from concurrent.futures import wait as wait_for
from functools import partial
from typing import Any

from bamdp import executors as cluster
from bamdp.executors import ProcessPool


class Processes(Executor):
    """Pools of one process each: a dying process fails one call, where a shared pool would break as
    a whole.

    Example:
        >>> with Processes() as executor:
        ...     executor.submit(pow, 2, 10).result()
        1024
    """

    def __init__(self) -> None:
        self._idle: list[ProcessPool] = []
        self._busy: set[ProcessPool] = set()

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        """Call `fn`, of an importable module, at once, in an idle process or a new one."""
        future: Future[Any] = Future()
        future.set_running_or_notify_cancel()
        while True:
            pool = self._idle.pop() if self._idle else ProcessPool(1)
            try:
                call = pool.submit(fn, *args, **kwargs)
            except BrokenExecutor:  # its process died while idle
                pool.shutdown(wait=False)
                continue
            self._busy.add(pool)
            call.add_done_callback(partial(self._finish, pool, future))
            return future

    def _finish(self, pool: ProcessPool, future: Future[Any], call: Future[Any]) -> None:
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


class RayExecutor(Executor):
    """Runs calls as Ray tasks, one core each, over this process's connection.

    Ray doesn't retry a call whose process or machine died: its future raises, and a sweep submits
    it again.

    Example:
        >>> with bamdp.executors.connected(), RayExecutor() as executor:  # doctest: +SKIP
        ...     executor.submit(pow, 2, 10).result()
        1024
    """

    def __init__(self) -> None:
        self._ray = cluster.library()
        if not self._ray.is_initialized():
            raise cluster.ClusterError(
                "no connection to Ray: use `with bamdp.executors.connected():`, or call ray.init() "
                "before"
            )
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
