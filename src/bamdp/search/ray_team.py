"""One search by several processes, on Ray (extra `ray`): each has a copy of the agent and some of
its trees.

Before each search a copy learns from the steps since the last one. A worker that dies is replaced
by a new one, which learns from all steps; its trees get new seeds.
"""

from __future__ import annotations

import pickle
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from bamdp import _core
from bamdp import executors as cluster
from bamdp.steps import Step

TICK = 0.05  # seconds
DEATHS = 3  # of workers in one search, after which it fails

Seed = list[int]
Searched = tuple[list[_core.RootStatistics], list[_core.Tree]]


@dataclass
class _Worker:
    """A process on any machine of the cluster.

    Attributes:
        first: index of its first tree.
        seeds: one seed for each of its trees.
        process: Ray's actor; None if not started.
        steps: number of steps it has learned from; None if it has no agent yet.
    """

    first: int
    seeds: list[Seed]
    process: Any = None
    steps: int | None = None


class RayWorkers:
    """The workers of an agent, which stop with it.

    Args:
        workers: number of workers.
        trees: number of trees in all.
        agent: the agent's class, and its attributes by name.
    """

    def __init__(self, workers: int, trees: int, agent: tuple[type, dict[str, Any]]) -> None:
        self._ray = cluster.joined_cluster()
        self._trees, self._agent = trees, self._pickled(agent)
        # No core is reserved: agents that wait for one another's workers would deadlock.
        self._start = self._ray.remote(
            num_cpus=0, max_restarts=0, max_task_retries=0, scheduling_strategy="SPREAD"
        )(WorkerAgent).remote
        self._workers = [_Worker(trees * i // workers, []) for i in range(workers)]

    def _pickled(self, agent: tuple[type, dict[str, Any]]) -> bytes:
        try:
            return bytes(self._ray.cloudpickle.dumps(agent))
        except Exception as error:  # pickling runs the user's code
            raise TypeError(
                f"workers must be None with {agent[1]['problem'].prior!r}, which can't leave this "
                f"process: {error}"
            ) from error

    def begin(self, draw_seeds: Callable[[int], list[Seed]]) -> None:
        """Forget everything learned; `draw_seeds` draws new seeds."""
        self._draw_seeds = draw_seeds
        self._steps: list[Step] = []
        ends = [*(worker.first for worker in self._workers[1:]), self._trees]
        for worker, end in zip(self._workers, ends, strict=True):
            worker.seeds, worker.steps = draw_seeds(end - worker.first), None

    def observe(self, step: Step) -> None:
        """Add one real step."""
        self._steps.append(step)

    def search(
        self,
        state: int,
        simulations: int | None,
        seconds: float | None,
        threads: int,
        on_tick: Callable[[], None] | None,
        steps_done: int,
        even_root: bool,
        want_trees: bool,
    ) -> Searched:
        """The root statistics of each tree, in order, and the trees if `want_trees`.

        If `on_tick` or a copy raises, the workers stop; the next search starts new ones.
        """
        budget = (
            state,
            simulations,
            seconds,
            threads,
            self._trees,
            steps_done,
            even_root,
            want_trees,
        )
        asked = {self._ask(worker, budget): worker for worker in self._workers}
        found: dict[int, Searched] = {}
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
                            raise cluster.ClusterError(
                                f"workers died {DEATHS} times in one search: {error}"
                            ) from error
                        self._replace(worker)
                        asked[self._ask(worker, budget)] = worker
                if asked and on_tick is not None:
                    on_tick()
        except BaseException:
            self.close()
            raise
        parts = [found[worker.first] for worker in self._workers]
        return [root for roots, _ in parts for root in roots], [
            tree for _, trees in parts for tree in trees
        ]

    def close(self) -> None:
        """Stop all processes; the next search starts new ones."""
        for worker in self._workers:
            self._replace(worker)

    def _ask(self, worker: _Worker, budget: tuple[Any, ...]) -> Any:
        start = None
        if worker.process is None:
            worker.process = self._start()
        if worker.steps is None:
            start, worker.steps = (self._agent, worker.seeds), 0
        steps, worker.steps = self._steps[worker.steps :], len(self._steps)
        return worker.process.search.remote(start, steps, worker.first, *budget)

    def _replace(self, worker: _Worker) -> None:
        """Stop a process, if still alive; its trees are lost, so they get new seeds."""
        if worker.process is not None:
            self._ray.kill(worker.process)
        worker.process, worker.steps, worker.seeds = None, None, self._draw_seeds(len(worker.seeds))


class WorkerAgent:
    """A copy of the agent in a worker, with some of the trees."""

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
        steps_done: int,
        even_root: bool,
        want_trees: bool,
    ) -> Searched:
        """Learn from the steps since the last search, and search."""
        if start is not None:
            agent, seeds = start
            self.agent = _made(agent)
            self.agent._team = self.agent.on_tick = None
            self.agent.steps_done = 0
            self.agent._begin_trees(
                [*seeds, [0] * 4]
            )  # the last one is for the decision, made elsewhere
        for step in steps:
            self.agent.steps_done = 0
            self.agent.observe(*step)
        self.agent.steps_done = steps_done
        search, left = self.agent._prepared_search(state), self.agent._remaining_steps()
        found = search.search(
            state, simulations, seconds, threads, None, first, all_trees, left, even_root
        )
        return found, search.trees() if want_trees else []


def _made(pickled: bytes) -> Any:
    try:
        kind, settings = pickle.loads(pickled)  # noqa: S301 - from the user's own process
    except Exception as error:  # unpickling runs the user's code
        raise TypeError(
            "a worker can't make a copy of the agent, whose parts must be found on every machine: "
            f"{error}"
        ) from error
    agent = kind.__new__(kind)
    vars(agent).update(settings)
    return agent
