"""One search by several processes, on Ray (extra `ray`): each has a copy of the agent and searches some of its trees.

A copy learns what the agent has learned since it was last asked. A worker that dies is replaced by another one, which is told
everything; its trees have other seeds from then on.
"""

from __future__ import annotations

import pickle
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from bamdp import _core
from bamdp.executors import ray as cluster

TICK = 0.05  # seconds
DEATHS = 3  # in one search, after which it is given up

Seed = list[int]
Step = tuple[int, int, float, int]
Found = tuple[list[_core.RootStatistics], list[_core.Tree]]


@dataclass
class _Worker:
    """A process that may be anywhere.

    Attributes:
        first: the number of its first tree.
        seeds: one for each of its trees.
        process: Ray's actor; None if there is none yet.
        told: how many steps it knows; None if it doesn't even know the seeds.
    """

    first: int
    seeds: list[Seed]
    process: Any = None
    told: int | None = None


class Team:
    """The workers of an agent. They end with it.

    Args:
        workers: how many.
        trees: that they search between them.
        agent: what to make copies of: its class, and its settings by name.
    """

    def __init__(self, workers: int, trees: int, agent: tuple[type, dict[str, Any]]) -> None:
        self._ray = cluster.joined()
        self._trees, self._agent = trees, self._pickled(agent)
        # No core is reserved: agents that wait for one another's workers would wait for ever.
        self._start = self._ray.remote(num_cpus=0, max_restarts=0, max_task_retries=0, scheduling_strategy="SPREAD")(
            Copy
        ).remote
        self._workers = [_Worker(trees * i // workers, []) for i in range(workers)]

    def _pickled(self, agent: tuple[type, dict[str, Any]]) -> bytes:
        try:
            return bytes(self._ray.cloudpickle.dumps(agent))
        except Exception as error:  # pickling runs code of the user's
            raise TypeError(
                f"workers must be None with {agent[1]['prior']!r}, which can't leave this process: {error}"
            ) from error

    def begin(self, draw_seeds: Callable[[int], list[Seed]]) -> None:
        """Forget everything; `draw_seeds` gives seeds that nobody has yet."""
        self._draw_seeds = draw_seeds
        self._steps: list[Step] = []
        ends = [*(worker.first for worker in self._workers[1:]), self._trees]
        for worker, end in zip(self._workers, ends, strict=True):
            worker.seeds, worker.told = draw_seeds(end - worker.first), None

    def observe(self, step: Step) -> None:
        """One real step."""
        self._steps.append(step)

    def search(
        self,
        state: int,
        simulations: int | None,
        seconds: float | None,
        threads: int,
        on_tick: Callable[[], None] | None,
        want_trees: bool,
    ) -> Found:
        """What each tree found out, in their order, and the trees themselves if they are wanted.

        If `on_tick` raises, or a copy does, the workers end; there are others for the next search.
        """
        budget = (state, simulations, seconds, threads, self._trees, want_trees)
        asked = {self._ask(worker, budget): worker for worker in self._workers}
        found: dict[int, Found] = {}
        deaths = 0
        try:
            while asked:
                for answer in self._ray.wait(list(asked), num_returns=len(asked), timeout=TICK)[0]:
                    worker = asked.pop(answer)
                    try:
                        found[worker.first] = self._ray.get(answer)
                    except self._ray.exceptions.RayTaskError as error:
                        raise error.cause from error  # as if it had been raised here
                    except self._ray.exceptions.RayActorError as error:
                        deaths += 1
                        if deaths == DEATHS:
                            raise cluster.ClusterError(f"workers died {DEATHS} times in one search: {error}") from error
                        self._replace(worker)
                        asked[self._ask(worker, budget)] = worker
                if asked and on_tick is not None:
                    on_tick()
        except BaseException:
            self.close()
            raise
        parts = [found[worker.first] for worker in self._workers]
        return [root for roots, _ in parts for root in roots], [tree for _, trees in parts for tree in trees]

    def close(self) -> None:
        """End all processes; there are others for the next search."""
        for worker in self._workers:
            self._replace(worker)

    def _ask(self, worker: _Worker, budget: tuple[Any, ...]) -> Any:
        start = None
        if worker.process is None:
            worker.process = self._start()
        if worker.told is None:
            start, worker.told = (self._agent, worker.seeds), 0
        steps, worker.told = self._steps[worker.told :], len(self._steps)
        return worker.process.search.remote(start, steps, worker.first, *budget)

    def _replace(self, worker: _Worker) -> None:
        """End a process, if it isn't dead already; its trees were lost, so they get other seeds."""
        if worker.process is not None:
            self._ray.kill(worker.process)
        worker.process, worker.told, worker.seeds = None, None, self._draw_seeds(len(worker.seeds))


class Copy:
    """An agent within a worker's process, with some of the trees."""

    agent: Any

    def search(
        self,
        start: tuple[bytes, list[Seed]] | None,
        steps: list[Step],
        first: int,
        state: int,
        simulations: int | None,
        seconds: float | None,
        threads: int,
        all_trees: int,
        want_trees: bool,
    ) -> Found:
        """Learn from the steps since the last search, and search."""
        if start is not None:
            agent, seeds = start
            self.agent = _made(agent)
            self.agent._begin_trees([*seeds, [0] * 4])  # the last one is for the decision, which isn't made here
        for step in steps:
            self.agent.observe(*step)
        search = self.agent._prepared_search()
        found = search.search(state, simulations, seconds, threads, None, first, all_trees)
        return found, search.trees() if want_trees else []


def _made(pickled: bytes) -> Any:
    try:
        kind, settings = pickle.loads(pickled)
    except Exception as error:  # code of the user's runs here too
        raise TypeError(
            f"a worker can't make a copy of the agent, whose parts must be found on every machine: {error}"
        ) from error
    agent = kind.__new__(kind)
    vars(agent).update(settings)
    return agent
