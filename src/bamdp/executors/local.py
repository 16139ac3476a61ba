"""The cores of this machine as an executor: a process for each batch in flight, none of which can harm another's."""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
from collections.abc import Callable
from concurrent.futures import BrokenExecutor, CancelledError, Executor, Future, ProcessPoolExecutor
from functools import partial
from typing import Any


def cores() -> int:
    """That this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


class Processes(Executor):
    """Pools of one process each: where a single pool would break as a whole, here a death ends one call alone.

    Example:
        >>> with Processes() as executor:
        ...     executor.submit(pow, 2, 10).result()
        1024
    """

    def __init__(self) -> None:
        self._idle: list[ProcessPoolExecutor] = []
        self._busy: set[ProcessPoolExecutor] = set()

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        """Call `fn` at once, in a process that has nothing else to do; there are as many as calls at a time."""
        answer: Future[Any] = Future()
        answer.set_running_or_notify_cancel()
        while True:
            pool = self._idle.pop() if self._idle else _pool()
            try:
                call = pool.submit(fn, *args, **kwargs)
            except BrokenExecutor:  # its process died while idle
                pool.shutdown(wait=False)
                continue
            self._busy.add(pool)
            call.add_done_callback(partial(self._finish, pool, answer))
            return answer

    def _finish(self, pool: ProcessPoolExecutor, answer: Future[Any], call: Future[Any]) -> None:
        """Free the process, then tell: who is told finds it free."""
        self._busy.discard(pool)
        if call.cancelled() or isinstance(call.exception(), BrokenExecutor):
            pool.shutdown(wait=False)
        else:
            self._idle.append(pool)
        pass_on(call, answer)

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """End all processes, each when its call is done."""
        for pool in [*self._busy, *self._idle]:
            pool.shutdown(wait)


def pass_on(call: Future[Any], answer: Future[Any]) -> None:
    """Give `answer` the outcome of `call`, which is done."""
    error = CancelledError() if call.cancelled() else call.exception()
    if error is None:
        answer.set_result(call.result())
    else:
        answer.set_exception(error)


def _pool() -> ProcessPoolExecutor:
    context = multiprocessing.get_context("spawn")  # a fork of a process with threads may hang
    return ProcessPoolExecutor(1, mp_context=context, initializer=_serve)


def _serve() -> None:
    """A worker lives and dies with its driver: Ctrl-C is for the driver alone, and one that was killed has no use for it."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    driver = multiprocessing.parent_process()
    if driver is not None:
        threading.Thread(target=_follow, args=(driver,), daemon=True).start()


def _follow(driver: Any) -> None:
    driver.join()
    os._exit(1)
