"""Policy-improvement planner over an index policy: a search that leaves its base policy only for something better.

1. The base: a policy that needs no search. Gittins indices for bandits without a horizon; the posterior mean with a bonus for
   learning (`IndexPolicy`) in other finite worlds and, as the best path, on the infinite grid; none in other worlds without
   tables, or where the prior draws none.
2. The search: BAMCP (Guez, Silver, Dayan 2012) with roll-outs by the base, which learns in them as the agent would. Exploration
   counts in standard deviations of the returns, so that no constant depends on the scale of the rewards. It takes half of the
   budget.
3. The decision: for each action there is a policy that begins with it and goes on by the tree, where the tree is sure, and by
   the base. The other half of the budget plays these policies and the base in common scenarios (the same world, the same
   outcome of the k-th visit to every state and action) and measures their differences. The decision is the base's action,
   unless another one's policy earned more by three standard errors; among equally good ones, the one that surely earned most.

What is compared are the returns of fixed policies in new scenarios, without bias: leaving the base is an improvement but for
chance. As the simulations grow, the tree's policy converges to the Bayes-optimal one, and the errors vanish.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from contextlib import suppress
from copy import copy
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from bamdp import _core
from bamdp.agents._index import MODELS, annuity, solve_index
from bamdp.agents._model_based import best_actions
from bamdp.agents.gittins import arm_index, payoffs
from bamdp.exact._limits import lower_limit
from bamdp.exact.arms import arms_table
from bamdp.exact.upper_bound import upper_bound
from bamdp.mdp import MDP
from bamdp.prior import Belief
from bamdp.problem import BAMDP, checked_problem
from bamdp.search.plan import CertifiedPlan, Plan
from bamdp.search.planner import Planner, default_depth
from bamdp.search.solver import ModelSolver, PathSolver, particles
from bamdp.validation import Steps, one_of

TREES = 16  # enough for honest standard errors: docs/planning.md
LARGEST_TABLES = 10**6  # numbers in the particles of a belief
ROUGH = 64  # times the tolerance, for the values of models
PRECISION = 2.0**-20  # of the base's values, in units of the range of rewards; a power of two, so that scaling changes no bit
MANY = 3000  # simulations from which on it pays to start threads

Base = Literal["arms", "rows", "models", "paths", "none"]


class BayesAdaptive(Planner):
    """Plans to learn and to use what it learns, without settings to choose.

    Args:
        problem: the problem.
        simulations: simulations per decision; 1000 if `seconds` isn't given either.
        seconds: time per decision; with both budgets, whichever is exhausted first.
        trees: number of independent trees, each with its own part of the budget; one if not given, or one per worker, and
            16 in a bandit that `act` needs no search for, so that plans have standard errors.
        threads: number of threads for the trees; if not given, all cores, or one for a small budget. Doesn't change the result.
        workers: number of processes on a Ray cluster that share the trees; see `BAMCP`.
        memory: memory limit of all trees of a search, in MiB.
        seed: seed of the agent's random generator.

    Example:
        >>> import bamdp
        >>> domain = bamdp.domains.Grid(5)
        >>> agent = BayesAdaptive(domain.problem(), simulations=100, seed=0)
        >>> bamdp.run(agent, domain, steps=200).total_reward > 0
        True
    """

    state_attributes: ClassVar[tuple[str, ...]] = ("_solver", "_bound_seed")

    def __init__(
        self,
        problem: BAMDP,
        *,
        simulations: int | None = None,
        seconds: float | None = None,
        trees: int | None = None,
        threads: int | None = None,
        workers: int | None = None,
        memory: float = 1024.0,
        seed: int = 0,
    ) -> None:
        checked_problem(problem).require_discount("BayesAdaptive")
        self._tolerance = PRECISION * problem.prior.reward_scale(problem.rewards) or PRECISION
        super().__init__(
            problem,
            simulations=simulations,
            seconds=seconds,
            trees=trees,
            threads=threads,
            workers=workers,
            memory=memory,
            seed=seed,
        )

    @property
    def _num_trees(self) -> int:
        least = TREES if self.trees is None and _has_arms(self.problem) else 1
        return max(least, super()._num_trees)

    @property
    def _num_threads(self) -> int:
        few = self.threads is None and self.simulations is not None and self.simulations < MANY
        return 1 if few else super()._num_threads

    def _search_settings(self, belief: Belief) -> dict[str, Any]:
        self._kind = _base_kind(belief)
        self._paths = PathSolver(belief, index=True) if self._kind == "paths" else None
        return {
            "discount": self.problem.discount,
            "depth": default_depth(self.problem),
            "exploration": 1.0,
            "auto_exploration": True,
            "terminal": sorted(self.problem.terminal),
            "rollouts": {"arms": "best-arm", "rows": "adaptive", "models": "mixture", "paths": "lines", "none": ""}[self._kind],
            "epsilon": 0.0,
            "bonus": self._paths.settings.bonus if self._paths is not None else 0.0,
        }

    def base_action(self, state: int) -> int | None:
        """The action of the base policy in `state`, ties at random; None if the prior has no such policy."""
        base = self._base(self._check_state(state))
        return base[0] if base else None

    def reset(self, seed: int) -> None:
        super().reset(seed)
        self._bound_seed = int(self._seed_sequence.generate_state(1)[0])  # other numbers than those of the trees

    def _begin_trees(self, seeds: list[list[int]]) -> None:
        super()._begin_trees(seeds)
        self._solver: Any = self._paths
        if self._kind in ("rows", "models"):
            self._solver = ModelSolver(self.belief)
        self._solved: int | None = None  # the state that the solver's solution is for
        self._by_mean: list[NDArray[np.float64]] = []  # values of its actions without the bonus, where the bonus is rough
        self._models: tuple[MDP, NDArray[np.float64]] | None = None  # with their values

    def observe(self, state: int, action: int, reward: float, next_state: int, terminated: bool | None = False) -> None:
        super().observe(state, action, reward, next_state, terminated)
        self._solved = None

    def _learn_many(self, steps: Steps) -> None:
        super()._learn_many(steps)
        self._solved = None

    def check_can_be_saved(self) -> None:
        """Reject what can't be saved, and prepare: a solver saves the mean, not the bonuses of the last state."""
        super().check_can_be_saved()
        self._solved = None

    def _base(self, state: int) -> list[int]:
        values = self._base_values(state)
        if values is None:
            return []
        found = [self._rng.permutation(best_actions(each, 2 * self._tolerance)) for each in (values, *self._by_mean)]
        return list(dict.fromkeys(np.concatenate(found).tolist()))

    def _base_values(self, state: int) -> NDArray[np.float64] | None:
        """The base's value of each action in `state`. [A]"""
        if self._solver is None:
            return self._arm_indices() if self._kind == "arms" else None
        if self._kind == "paths":
            return self._solver.q_values(state)  # type: ignore[no-any-return]  # native
        if self._solved != state:
            left = self._rest_of_run()
            by_mean = solve_index(self._solver, state, self._tolerance, self._rng, self.on_tick, left)
            self._by_mean = [] if by_mean is None else [by_mean]
            self._solved = state
        return self._solver.q_values(state)  # type: ignore[no-any-return]  # native

    def _arm_indices(self) -> NDArray[np.float64]:
        counts, paid = arms_table(self.belief), payoffs(self.problem.rewards)
        assert counts is not None
        each = zip(counts[:, ::-1], paid, strict=True)
        return np.array([arm_index(n, payoff, self.problem.discount, 1e-6) for n, payoff in each])

    @property
    def _is_optimal(self) -> bool:
        """Whether the base is known to be Bayes-optimal, so that there is nothing to search for."""
        return self._kind == "arms"

    def act(self, state: int) -> int:
        """Choose an action in `state` by a search within the budget; in a bandit, by Gittins indices, without one."""
        return self._base(self._check_state(state))[0] if self._is_optimal else super().act(state)

    def plan(self, state: int, *, root: Literal["search", "even"] = "search") -> Plan:
        """Search like `act` and return the full result.

        Args:
            state: the current state.
            root: makes no difference: values are those of policies, all played in the same scenarios, and compare.
        """
        one_of("root", root, ("search", "even"))
        return super().plan(state)

    def _prepared_search(self, state: int) -> _core.Search:
        """The native search, whose roll-outs follow the base as it is now."""
        self._base_values(state)
        if self._kind == "rows" and self._solver is not None:
            self._solver.native.set_leaf_values(self._search, self._tolerance)
        elif self._kind == "models":
            self._set_models()
        return super()._prepared_search(state)

    def _set_models(self) -> None:
        """Weighted particles of the belief, and the value of each action in each of them, for roll-outs."""
        S, A, belief = self.problem.num_states, self.problem.num_actions, self.belief
        models = particles(belief, max(2, min(MODELS, LARGEST_TABLES // (S * A * S))), self._rng)
        if self._models is None or self.problem.horizon is not None or not _same(models, self._models[0]):
            self._models = models, self._solved_values(models)
        own = (
            models.rewards if belief.has_rewards else None,
            models.terminal if belief.has_ends else None,
            models.transitions - models.going_on if belief.has_ends else None,
        )
        self._search.set_models(
            np.ascontiguousarray(models.transitions),
            self._models[1],
            np.ascontiguousarray(models.weights),
            np.ascontiguousarray(np.where(models.terminal[..., None], 0.0, models.expected_rewards)),
            2 * self._tolerance,
            *(None if part is None else np.ascontiguousarray(part, np.float64) for part in own),
        )

    def _solved_values(self, models: MDP) -> NDArray[np.float64]:
        """The value of each action in each state of each model. [K, S, A]"""
        solver, left, values = ModelSolver(self.belief), self._rest_of_run(), []
        for k in range(len(models.probabilities)):
            solver.load(models.take(k))
            solver.solve(ROUGH * self._tolerance, left, self.on_tick)
            values.append(solver.q_table())
        return np.array(values)

    def _plan_of(self, state: int, root: _core.RootStatistics, found: dict[str, Any]) -> Plan:
        steps_left, belief = self.steps_left, None
        with suppress(TypeError):  # that of Compiled, for one, can't be copied
            belief = copy(self.belief)
        seed = self._bound_seed

        def upper() -> float:
            """By few worlds: the wider the bound, never a wrong one; where there are none to draw, by the highest reward."""
            highest = self.problem.prior.reward_range(self.problem.rewards)[1]
            simple = max(highest, 0.0) * annuity(self.problem.discount, steps_left) if highest < math.inf else math.inf
            if self.problem.episode_length is not None or belief is None:
                return simple
            try:
                given = {"horizon": steps_left, "belief": belief, "worlds": 50, "limit": 10**5, "seed": seed}
                return upper_bound(self.problem, state, **given).high
            except (TypeError, ValueError, MemoryError):  # worlds can't be drawn, or are too large
                return simple

        return CertifiedPlan(**found, _lower=self._lower_bound(root.fair_returns), _upper=upper)

    def _lower_bound(self, returns: NDArray[np.float64]) -> Callable[[], float]:
        """What the policies that were played, each chosen before its scenario, are worth at least."""
        problem = self.problem
        lowest = problem.prior.reward_range(problem.rewards)[0]
        if problem.terminal or problem.prior.has_ends:
            lowest = min(lowest, 0.0)
        if len(returns) == 0 or lowest == -math.inf:
            return lambda: -math.inf
        left = self.steps_left
        depth = default_depth(problem) if left is None else min(left, default_depth(problem))
        played = left if self._kind == "arms" else depth  # the search's values of arms have all steps in them
        least = lowest * annuity(problem.discount, played)
        rest = lowest * annuity(problem.discount, left) - least
        return lambda: lower_limit(returns, least) + rest


def _same(models: MDP, others: MDP) -> bool:
    parts = ((getattr(models, name), getattr(others, name)) for name in ("transitions", "rewards", "terminal"))
    return all(a is b or np.array_equal(a, b) for a, b in parts)


def _has_arms(problem: BAMDP) -> bool:
    """Whether Gittins indices are Bayes-optimal."""
    if not problem.prior.independent_arms or problem.horizon is not None:
        return False
    with suppress(ValueError):  # rewards depend on the state: then there are no indices
        payoffs(problem.rewards)
        return True
    return False


def _base_kind(belief: Belief) -> Base:
    """Which base policy there is: indices of arms, values with a bonus for learning, or none."""
    if _has_arms(belief.problem):
        return "arms"
    if belief.problem.rewards.size == 0:
        return "none" if belief.open_loop(_core.Settings(), index=True) is None else "paths"
    if belief.counts is not None:
        return "rows"
    try:
        particles(belief, 1, np.random.default_rng(0))
    except TypeError:  # neither counts nor tables
        return "none"
    return "models"
