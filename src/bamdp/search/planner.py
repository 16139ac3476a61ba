"""The base of agents that search: budgets, the belief, the native search, and the plan."""

from __future__ import annotations

import math
import os
from collections.abc import Callable
from time import perf_counter
from typing import TYPE_CHECKING, Any, ClassVar, Literal, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bamdp import _core, _validation
from bamdp._validation import fits_memory, fits_world, integer, one_of, positive_integer, real
from bamdp._validation.steps import Steps
from bamdp.agent import PROBLEM, Agent
from bamdp.domain import UNBOUNDED
from bamdp.prior import Belief, Prior, checked_prior
from bamdp.priors._conjugate import ConjugateBelief
from bamdp.search.plan import Plan
from bamdp.search.tree import SearchTree

if TYPE_CHECKING:
    from bamdp.search.ray_team import Team

MOST_TREES = 10_000  # each has its own memory and random generator


def default_horizon(discount: float, deadline: int | None = None) -> int:
    """The number of steps until rewards are discounted to about 0.01: 89 at 0.95, 151 at 0.97, 458 at 0.99; all at 1.

    Without a discount there must be a deadline.
    """
    if discount == 1:
        return cast(int, deadline)
    return max(1, int(math.log(0.01) / math.log(discount))) if discount > 0 else 1


def num_states(rewards: ArrayLike) -> int:
    """The number of states of a table of rewards; `UNBOUNDED` if it is empty."""
    return _validation.rewards(rewards).shape[0] or UNBOUNDED


def make_search(belief: Belief, rewards: NDArray[np.float64], settings: _core.Settings, seeds: list[list[int]]) -> _core.Search:
    """A native search with `belief`, which sees all later observations.

    Args:
        belief: belief over the transitions.
        rewards: reward of each state and action [S, A], or of each transition [S, A, S]; empty, [0, A], if unbounded.
        settings: settings of the search.
        seeds: one seed for each tree, and a last one for the decision.

    Raises:
        TypeError: the belief has no native model, or none for these settings; the message names alternatives.
    """
    fits_world(rewards, belief.num_states, belief.num_actions)
    if settings.sampling == "full" and isinstance(belief, ConjugateBelief):
        fits_memory('sampling="full"', belief.num_states**2 * belief.num_actions)
    native, *more = belief.model(seeds)
    return _core.make_search(native, rewards, settings, seeds, *more)


class Planner(Agent):
    """An agent that searches before each action, with the given `settings`.

    Attributes:
        belief: belief over the transitions.
        simulations_done: number of simulations since the agent was made or reset.
        full_searches: number of searches since then that reached the memory limit.
        on_tick: if set, called about every 50 ms while searching; an exception raised there stops it, the agent stays usable.
            It must not call the agent.
    """

    state_attributes: ClassVar[tuple[str, ...]] = ("belief", "_search", "simulations_done", "full_searches")
    fixed: ClassVar[tuple[str, ...]] = (*PROBLEM, "trees", "workers", "memory")

    def __init__(
        self,
        prior: Prior,
        rewards: ArrayLike,
        discount: float,
        *,
        terminal: frozenset[int],
        simulations: int | None,
        seconds: float | None,
        trees: int | None,
        threads: int | None,
        workers: int | None,
        memory: float,
        settings: _core.Settings,
        seed: int,
    ) -> None:
        self.prior = checked_prior(prior)
        self.rewards = _validation.rewards(rewards)
        self.num_states, self.num_actions = self.rewards.shape[0] or UNBOUNDED, self.rewards.shape[1]
        self.discount, self.terminal = discount, terminal
        if simulations is None and seconds is None:
            simulations = 1000
        self.simulations = None if simulations is None else integer("simulations", simulations, 1, 2**31 - 1)
        self.seconds = None if seconds is None else real("seconds", seconds, 0, 1e9, open_low=True)
        self.workers = None if workers is None else positive_integer("workers", workers, MOST_TREES)
        self.trees = (self.workers or 1) if trees is None else integer("trees", trees, 1, MOST_TREES)
        if self.workers is not None and self.workers > self.trees:
            raise ValueError(f"workers must be at most as many as trees, {self.trees}, got {self.workers}")
        cores = os.cpu_count() if self.workers is None else 1
        self.threads = min(self.trees, positive_integer("threads", cores if threads is None else threads))
        self.on_tick: Callable[[], None] | None = None
        self.memory = _validation.mebibytes("memory", memory)
        settings.memory = self.memory // self.trees
        self._settings = settings
        self._team: Team | None = None
        if self.workers is not None:
            from bamdp.search.ray_team import Team  # here, as it takes a tenth of the time of `import bamdp`

            attributes = {name: value for name, value in vars(self).items() if name != "_lock"}
            self._team = Team(self.workers, self.trees, (type(self), attributes))
        self.reset(seed)

    def reset(self, seed: int) -> None:
        """Forget everything learned, as if newly made with `seed`."""
        self._seed_sequence = np.random.SeedSequence(_validation.seed(seed))
        if self._team is None:
            self._begin_trees(self._draw_seeds(self.trees + 1))
        else:
            self._team.begin(self._draw_seeds)
            self._begin_trees(self._draw_seeds(1))
        self.simulations_done = self.full_searches = 0

    def _begin_trees(self, seeds: list[list[int]]) -> None:
        """Reset the belief, with a tree for each seed but the last, which is for the decision."""
        belief = self.prior.belief(self.num_states, self.num_actions)
        search = make_search(belief, self.rewards, self._settings, seeds)
        self.belief, self._search = belief, search  # together: a search is valid for its own belief only

    def _prepared_search(self, state: int) -> _core.Search:
        """The native search, ready to plan from `state`."""
        self.belief.prepare()
        left = self._rest_of_run()
        if left is not None:
            self._search.set_steps_left(left)
        return self._search

    def _base(self, state: int) -> list[int]:
        """The actions of a base policy, equally good by it, the one that it takes first; none if there is no such policy."""
        return []

    def _draw_seeds(self, count: int) -> list[list[int]]:
        """New seeds, never drawn before."""
        return [stream.generate_state(4, np.uint64).tolist() for stream in self._seed_sequence.spawn(count)]

    def act(self, state: int) -> int:
        """Choose an action in `state` by a search within the budget."""
        return int(self._decide(state, want_trees=False)[0].action)

    def plan(self, state: int, *, root: Literal["search", "even"] = "search") -> Plan:
        """Search like `act` and return the full result.

        Args:
            state: the current state.
            root: how simulations are shared out at the root: by the "search" as in `act`, or "even", the same number for each
                action, so that their values compare; see `action_values`.
        """
        if one_of("root", root, ("search", "even")) == "search":
            return self._planned(state)
        if self._team is not None:
            raise ValueError('root must be "search" with workers, got "even"')
        self._search.set_even_root(True)
        try:
            return self._planned(state)
        finally:
            self._search.set_even_root(False)

    def action_values(self, state: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        plan = self.plan(state, root="even")
        return plan.values, plan.standard_errors

    def _planned(self, state: int) -> Plan:
        started = perf_counter()
        root, trees = self._decide(state, want_trees=True)
        found = {
            "action": root.action,
            "values": root.values,
            "visits": root.visits,
            "standard_errors": root.standard_errors,
            "simulations": root.simulations,
            "seconds": perf_counter() - started,
            "depth": root.depth,
            "tree": SearchTree(trees),
            "full": root.full,
        }
        return self._plan_of(state, root, found)

    def _plan_of(self, state: int, root: _core.RootStatistics, found: dict[str, Any]) -> Plan:
        return Plan(**found)

    def observe(self, state: int, action: int, reward: float, next_state: int) -> None:
        """Learn from one real step: the belief from the transition, the roll-out policy from the reward too.

        Raises:
            ValueError: an argument is out of range; then nothing was learned.
        """
        reward = _validation.reward(reward)
        _validation.acted_in(state, self.terminal)
        self.belief.observe_step(state, action, reward, next_state)
        self._search.observe(state, action, reward, next_state)
        if self._team is not None:
            self._team.observe((state, action, reward, next_state))

    def _learn_many(self, steps: Steps) -> None:
        self.belief.observe_many(*steps)
        assert steps.rewards is not None
        self._search.observe_many(steps.states, steps.actions, steps.rewards, steps.next_states)
        if self._team is not None:
            for state, action, reward, next_state, ended in steps.rows():
                self._team.observe((state, action, reward, next_state))  # type: ignore[arg-type]  # rewards are given
                if ended is not None and self.belief.has_ends:
                    self._team.observe((next_state, ended))

    def observe_end(self, state: int, terminated: bool) -> None:
        """Learn whether the episode was terminated on arrival in `state`; only a belief over terminal states does."""
        super().observe_end(state, terminated)
        if self._team is not None and self.belief.has_ends:
            self._team.observe((state, terminated))

    def check_can_be_saved(self) -> None:
        """Reject an agent with workers: part of its state is in other processes."""
        if self._team is not None:
            raise TypeError(
                "an agent with workers can't be saved: part of its state is in the workers; one with trees alone can"
            )

    def close(self) -> None:
        """Stop the workers, which otherwise stop with the agent. It stays usable: its next search starts new ones."""
        if self._team is not None:
            self._team.close()

    def __repr__(self) -> str:
        budgets = {"simulations": self.simulations, "seconds": self.seconds, "trees": self.trees, "workers": self.workers}
        shown = ", ".join(f"{name}={value}" for name, value in budgets.items() if value is not None)
        return f"{type(self).__name__}({self.prior!r}, {shown})"

    def _decide(self, state: int, *, want_trees: bool) -> tuple[_core.RootStatistics, list[_core.Tree]]:
        state = integer("state", state, *((0, self.num_states - 1) if self.num_states < UNBOUNDED else (-(2**63), 2**63 - 1)))
        _validation.acted_in(state, self.terminal)
        budget = (self.simulations, self.seconds, self.threads, self.on_tick)
        base = self._base(state)
        if self._team is None:
            search = self._prepared_search(state)
            root = search.plan(state, *budget, base)
            trees = search.trees() if want_trees else []
        else:
            roots, trees = self._team.search(state, *budget, base, want_trees)
            root = self._search.decide(roots, base)
        self.simulations_done += root.simulations
        self.full_searches += root.full
        return root, trees
