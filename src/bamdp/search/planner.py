"""The base of agents with the native search of BAMCP: trees, threads, workers, and the plan."""

from __future__ import annotations

import os
from abc import abstractmethod
from time import perf_counter
from typing import TYPE_CHECKING, Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from bamdp import _core, validation
from bamdp.agent import settings_of
from bamdp.prior import Belief
from bamdp.problem import BAMDP, checked_problem, considered_actions
from bamdp.search.plan import Plan
from bamdp.search.planning_agent import PlanningAgent, checked_budget
from bamdp.search.tree import SearchTree
from bamdp.steps import Step, Steps
from bamdp.validation import fits_memory, integer, one_of, positive_integer, real

if TYPE_CHECKING:
    from bamdp.search.ray_team import RayWorkers

MOST_TREES = 10_000  # each has its own memory and random generator
SETTINGS = frozenset(dir(_core.Settings))  # names of the settings of the native search


def native_parts(belief: Belief, seeds: list[list[int]]) -> list[Any]:
    """What a native search reads of a belief, with draws by a seed for each tree and one for the
    decision.
    """
    if belief.native is None:
        raise TypeError(f"{type(belief).__name__} has no native model to search with")
    return [part(seeds) if callable(part) else part for part in belief.native]


class Planner(PlanningAgent):
    """An agent that searches trees in the core, one after another, in threads, or by workers."""

    state_attributes: ClassVar[tuple[str, ...]] = ("_search",)

    def __init__(
        self,
        problem: BAMDP,
        *,
        simulations: int | None,
        seconds: float | None,
        trees: int | None,
        threads: int | None,
        workers: int | None,
        memory: float,
        seed: int,
    ) -> None:
        self.simulations, self.seconds = checked_budget(simulations, seconds)
        self.workers = None if workers is None else positive_integer("workers", workers, MOST_TREES)
        self.trees = None if trees is None else integer("trees", trees, 1, MOST_TREES)
        self.threads = None if threads is None else positive_integer("threads", threads)
        self.memory = real("memory", memory, 0, 1e12, open_low=True)
        self.problem = checked_problem(problem)
        if self.workers is not None and self.workers > self._num_trees:
            raise ValueError(
                f"workers must be at most as many as trees, {self._num_trees}, got {self.workers}"
            )
        self._team: RayWorkers | None = None
        if self.workers is not None:
            from bamdp.search.ray_team import (
                RayWorkers,
            )  # here, as it takes a tenth of the time of `import bamdp`

            self._team = RayWorkers(self.workers, self._num_trees, (type(self), dict(vars(self))))
        super().__init__(problem, seed=seed)

    @property
    def _num_trees(self) -> int:
        """The number of trees, whether given or not."""
        return (self.workers or 1) if self.trees is None else self.trees

    @property
    def _num_threads(self) -> int:
        """The largest number of threads, whether given or not."""
        cores = (os.cpu_count() or 1) if self.workers is None else 1
        return cores if self.threads is None else self.threads

    @abstractmethod
    def _search_settings(self, belief: Belief) -> dict[str, Any]:
        """The settings of the native search that are not settings of the agent with that name."""

    def reset(self, seed: int) -> None:
        """Forget everything learned, as if newly made with `seed`."""
        self._seed_sequence = np.random.SeedSequence(validation.seed(seed))
        self.simulations_done = self.full_searches = self.steps_done = 0
        if self._team is None:
            self._begin_trees(self._draw_seeds(self._num_trees + 1))
        else:
            self._team.begin(self._draw_seeds)
            self._begin_trees(self._draw_seeds(1))

    def _begin_trees(self, seeds: list[list[int]]) -> None:
        """Reset the belief, with a tree for each seed but the last, which is for the decision."""
        problem, belief = self.problem, self.problem.belief()
        settings = _core.Settings()
        same = {name: value for name, value in settings_of(self).items() if name in SETTINGS}
        memory = {"memory": validation.mebibytes("memory", self.memory) // self._num_trees}
        for name, value in {**same, **self._search_settings(belief), **memory}.items():
            setattr(settings, name, value)
        if settings.sampling == "full" and belief.counts is not None:
            fits_memory('sampling="full"', problem.num_states**2 * problem.num_actions)
        native, *more = native_parts(belief, seeds)
        self._search = _core.make_search(native, problem.rewards, settings, seeds, *more)
        self.belief, self._rng = belief, np.random.default_rng(seeds[-1])

    def _prepared_search(self, state: int) -> _core.Search:
        """The native search, ready to plan from `state`."""
        return self._search

    def _draw_seeds(self, count: int) -> list[list[int]]:
        """New seeds, never drawn before."""
        return [
            stream.generate_state(4, np.uint64).tolist()
            for stream in self._seed_sequence.spawn(count)
        ]

    def act(self, state: int) -> int:
        """Choose an action in `state` by a search within the budget."""
        return int(self._decide(state, want_trees=False)[0].action)

    def plan(self, state: int, *, root: Literal["search", "even"] = "search") -> Plan:
        """Search like `act` and return the full result.

        Args:
            state: the current state.
            root: how simulations are shared out at the root: by the "search" as in `act`, or
                "even", the same number for each action, so that their values compare; see
                `q_values`.
        """
        even_root = one_of("root", root, ("search", "even")) == "even"
        started = perf_counter()
        decided, trees = self._decide(state, want_trees=True, even_root=even_root)
        values = decided.values
        considered = considered_actions(self.problem, state)
        if len(considered) < self.problem.num_actions:
            values = np.where(np.isin(np.arange(len(values)), considered), values, -np.inf)
        return Plan(
            action=decided.action,
            q_values=values,
            visits=decided.visits,
            standard_errors=decided.standard_errors,
            simulations=decided.simulations,
            seconds=perf_counter() - started,
            depth=decided.depth,
            tree=SearchTree(trees, self.problem),
            problem=self.problem,
            full=decided.full,
        )

    def q_values(self, state: int) -> NDArray[np.float64]:
        """Values of the actions in `state` that compare: by a search with the same number of
        simulations for each. [A]

        A search by UCB tries bad actions seldom and values them by few, early simulations.
        """
        return self.plan(state, root="even").q_values

    def observe(
        self,
        state: int,
        action: int,
        reward: float,
        next_state: int,
        terminated: bool | None = False,
    ) -> None:
        super().observe(state, action, reward, next_state, terminated)
        self._search.observe(state, action, float(reward), next_state)
        if self._team is not None:
            self._team.observe(Step(state, action, float(reward), next_state, terminated))

    def _learn_many(self, steps: Steps) -> None:
        self.belief.observe_many(*steps)
        assert steps.rewards is not None
        self._search.observe_many(steps.states, steps.actions, steps.rewards, steps.next_states)
        if self._team is not None:
            for step in steps.rows():
                self._team.observe(step)

    def check_can_be_saved(self) -> None:
        """Reject an agent with workers: part of its state is in other processes."""
        if self._team is not None:
            raise TypeError(
                "an agent with workers can't be saved: part of its state is in the workers; one "
                "with trees alone can"
            )

    def close(self) -> None:
        """Stop the workers, which otherwise stop with the agent. It stays usable: its next search
        starts new ones.
        """
        if self._team is not None:
            self._team.close()

    def _decide(
        self, state: int, *, want_trees: bool, even_root: bool = False
    ) -> tuple[_core.RootStatistics, list[_core.Tree]]:
        state = self._check_state(state)
        budget = (
            self.simulations,
            self.seconds,
            min(self._num_trees, self._num_threads),
            self.on_tick,
        )
        if self._team is None:
            search = self._prepared_search(state)
            root = search.plan(state, *budget, self._remaining_steps(), even_root)
            trees = search.trees() if want_trees else []
        else:
            roots, trees = self._team.search(state, *budget, self.steps_done, even_root, want_trees)
            root = self._search.decide(roots)
        self._count(root.simulations, root.full)
        return root, trees
