"""An executor over the cores of this machine: a process for each running call, isolated from the others."""

import multiprocessing
import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import BrokenExecutor, CancelledError, Executor, Future, ProcessPoolExecutor
from contextlib import contextmanager
from functools import partial
from types import ModuleType
from typing import Any

_STARTING = threading.Lock()


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
