"""The planner to take first: a good cheap policy, and a search that leaves it only for something better.

1. The base: a policy that needs no search. Gittins indices for bandits without a deadline; the posterior mean with a bonus for
   learning (`IndexPolicy`) in other finite worlds; none where the world has no table or the prior draws no tables.
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
from collections.abc import Callable, Collection
from contextlib import suppress
from copy import copy
from typing import Any, ClassVar, Literal, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bamdp import _core, _validation
from bamdp._validation import integer
from bamdp._validation.steps import Steps
from bamdp.agents._index import MODELS, solve_index
from bamdp.agents._model_based import best_actions
from bamdp.agents.gittins import arm_index, payoffs, pseudo_counts
from bamdp.exact._limits import lower_limit
from bamdp.exact.upper_bound import upper_bound
from bamdp.prior import Belief, Models, Prior, checked_prior
from bamdp.priors._conjugate import ConjugateBelief
from bamdp.priors._particles import ParticleBelief
from bamdp.priors.beta_arms import BetaArms
from bamdp.priors.finite import FiniteBelief
from bamdp.priors.normal_arms import NormalArms
from bamdp.priors.unknown_rewards import UnknownRewards, UnknownRewardsBelief
from bamdp.search.plan import CertifiedPlan, Plan
from bamdp.search.planner import Planner, default_horizon, num_states

TREES = 16  # enough for honest standard errors: docs/planning.md
LARGEST_TABLES = 10**6  # numbers in the models that stand for a belief
ROUGH = 64  # times the tolerance, for the values of models
PRECISION = 2.0**-20  # of the base's values, in units of the range of rewards; a power of two, so that scaling changes no bit
MANY = 3000  # simulations from which on it pays to start threads

Base = Literal["arms", "rows", "models", "none"]


class BayesAdaptive(Planner):
    """Plans to learn and to use what it learns, without settings to choose.

    Args:
        prior: prior over the transitions.
        rewards: reward of each state and action [S, A], or of each transition [S, A, S].
        discount: discount factor, in [0, 1); 1 with a deadline.
        terminal: terminal states, where episodes end.
        deadline: number of steps that count, which it plans for and no further; without an end if not given.
        episode_length: number of steps of each episode, after which the run goes on from `start`; goes with a deadline.
        start: the state that each of these episodes starts in.
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
        >>> agent = BayesAdaptive.for_domain(domain, simulations=100, seed=0)
        >>> bamdp.run(agent, domain, steps=200).total_reward > 0
        True
    """

    state_attributes: ClassVar[tuple[str, ...]] = ("_rng", "_solver")

    def __init__(
        self,
        prior: Prior,
        rewards: ArrayLike,
        discount: float,
        *,
        terminal: Collection[int] = (),
        deadline: int | None = None,
        episode_length: int | None = None,
        start: int | None = None,
        simulations: int | None = None,
        seconds: float | None = None,
        trees: int | None = None,
        threads: int | None = None,
        workers: int | None = None,
        memory: float = 1024.0,
        seed: int = 0,
    ) -> None:
        terminal_states = _validation.terminal_states(terminal, num_states(rewards))
        self._set_deadline(deadline, episode_length, start, num_states=num_states(rewards), terminal=terminal_states)
        discount = _validation.discount(discount, ends=self.deadline is not None)
        table = _validation.rewards(rewards)
        self._kind = _base_kind(checked_prior(prior), table, self.deadline)
        self._tolerance = PRECISION * _spread(prior, table) or PRECISION
        self._horizon = default_horizon(discount, self.deadline)
        settings = _core.Settings(
            discount=discount,
            horizon=self._horizon,
            exploration=1.0,
            auto_exploration=True,
            terminal=sorted(terminal_states),
            rollouts={"arms": "best-arm", "rows": "adaptive", "models": "mixture", "none": None}[self._kind],
            epsilon=0.0,
        )
        super().__init__(
            prior,
            rewards,
            discount,
            terminal=terminal_states,
            simulations=simulations,
            seconds=seconds,
            trees=max(workers or 1, TREES if self._kind == "arms" else 1) if trees is None else trees,
            threads=1 if threads is None and simulations is not None and simulations < MANY else threads,
            workers=workers,
            memory=memory,
            settings=settings,
            seed=seed,
        )

    def base_action(self, state: int) -> int | None:
        """The action of the base policy in `state`, ties at random; None if the prior has no such policy."""
        state = integer("state", state, 0, max(self.num_states - 1, 0))
        base = self._base(state)
        return base[0] if base else None

    def _begin_trees(self, seeds: list[list[int]]) -> None:
        super()._begin_trees(seeds)
        self._rng = np.random.default_rng(seeds[-1])
        by_values = self._kind in ("rows", "models")
        self._solver = self.belief.solver(self.rewards, self.discount, self.terminal) if by_values else None
        self._solved: int | None = None  # the state that the solver's solution is for
        self._by_mean: list[NDArray[np.float64]] = []  # values of its actions without the bonus, where the bonus is rough
        self._models: tuple[Models, NDArray[np.float64]] | None = None  # with their values

    def observe(self, state: int, action: int, reward: float, next_state: int) -> None:
        super().observe(state, action, reward, next_state)
        self._solved = None

    def _learn_many(self, steps: Steps) -> None:
        super()._learn_many(steps)
        self._solved = None

    def observe_end(self, state: int, terminated: bool) -> None:
        super().observe_end(state, terminated)
        self._solved = None if self.belief.has_ends else self._solved

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
        if self._solved != state:
            given = (self.belief, self.rewards, self.discount, state, self._tolerance, self._rng, self.on_tick)
            by_mean = solve_index(self._solver, *given, self._rest_of_run())
            self._by_mean = [] if by_mean is None else [by_mean]
            self._solved = state
        return self._solver.q_values(state)

    def _arm_indices(self) -> NDArray[np.float64]:
        prior, belief = cast(BetaArms, self.prior), cast(ConjugateBelief, self.belief)
        counts, paid = pseudo_counts(prior, self.num_actions), payoffs(self.rewards)
        for arm in range(self.num_actions):
            for outcome, n in belief.counts(0, arm).items():
                counts[arm, outcome] += n
        return np.array([arm_index(n, payoff, self.discount, 1e-6) for n, payoff in zip(counts, paid, strict=True)])

    @property
    def _is_optimal(self) -> bool:
        """Whether the base is known to be Bayes-optimal, so that there is nothing to search for."""
        return self._kind == "arms"

    def act(self, state: int) -> int:
        """Choose an action in `state` by a search within the budget; in a bandit, by Gittins indices, without one."""
        if not self._is_optimal:
            return super().act(state)
        state = integer("state", state, 0, max(self.num_states - 1, 0))
        return self._base(state)[0]

    def action_values(self, state: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        plan = self.plan(state)  # it values policies, in the same scenarios
        return plan.values, plan.standard_errors

    def _prepared_search(self, state: int) -> _core.Search:
        """The native search, whose roll-outs follow the base as it is now."""
        self._base_values(state)
        if self._kind == "rows":
            cast(_core.Solver, self._solver).set_leaf_values(self._search, self._tolerance)
        elif self._kind == "models":
            self._set_models()
        return super()._prepared_search(state)

    def _set_models(self) -> None:
        """Some models that stand for the belief, and what each action is worth in each of them, for roll-outs."""
        S, A = self.num_states, self.num_actions
        models, weights = self.belief.weighted_models(max(2, min(MODELS, LARGEST_TABLES // (S * A * S))), self._rng)
        if self._models is None or self.deadline is not None or not _same(models, self._models[0]):
            self._models = models, self._solved_values(models)
        given = (models.paid, models.terminal, models.ends)
        parts = (None if part is None else np.ascontiguousarray(part, np.float64) for part in given)
        self._search.set_models(
            np.ascontiguousarray(models.transitions),
            self._models[1],
            np.ascontiguousarray(weights),
            np.ascontiguousarray(self._expected(models)),
            2 * self._tolerance,
            *parts,
        )

    def _expected(self, models: Models) -> NDArray[np.float64]:
        """The expected reward of each action in each model. [M, S, A]"""
        if models.rewards is not None:
            return models.rewards
        if self.rewards.ndim == 3:
            return np.asarray((models.transitions * self.rewards).sum(axis=-1))
        return np.broadcast_to(self.rewards, models.transitions.shape[:3])

    def _solved_values(self, models: Models) -> NDArray[np.float64]:
        """The value of each action in each state of each model. [M, S, A]"""
        solver, left = self.belief.solver(self.rewards, self.discount, self.terminal), self._rest_of_run()
        values = []
        for m in range(len(models.transitions)):
            models.of([m]).load(solver)
            if left is None:
                solver.solve(ROUGH * self._tolerance, self.on_tick)
            else:
                solver.solve_steps(left, self.on_tick)
            values.append([solver.q_values(s) for s in range(self.num_states)])
        return np.array(values)

    def _plan_of(self, state: int, root: _core.RootStatistics, found: dict[str, Any]) -> Plan:
        steps_left, belief = self.steps_left, None
        with suppress(TypeError):  # a belief over infinitely many states, for one, can't be copied
            belief = copy(self.belief)

        seed = int(self._seed_sequence.generate_state(1)[0])  # other numbers than those of the trees

        def upper() -> float:
            """By few worlds: the wider the bound, never a wrong one."""
            if self.episode_length is not None or belief is None:
                return math.inf
            given: dict[str, Any] = {
                "horizon": steps_left,
                "terminal": self.terminal,
                "worlds": 50,
                "limit": 10**5,
                "seed": seed,
            }
            try:
                return upper_bound(belief, self.rewards, self.discount, state, **given).high
            except (TypeError, ValueError):  # no whole worlds to draw
                return math.inf

        return CertifiedPlan(**found, _lower=self._lower_bound(root.fair_returns), _upper=upper)

    def _lower_bound(self, returns: NDArray[np.float64]) -> Callable[[], float]:
        """What the policies that were played, each chosen before its scenario, are worth at least."""
        lowest = min(_lowest(self.prior, self.belief, self.rewards), 0.0 if self.terminal or self.prior.has_ends else math.inf)
        if len(returns) == 0 or lowest == -math.inf or isinstance(self.belief, ParticleBelief):
            return lambda: -math.inf
        left = math.inf if self.steps_left is None else self.steps_left
        played = (
            left if self._kind == "arms" else min(left, self._horizon)
        )  # the search's values of arms have all steps in them
        least = lowest * _weights(self.discount, played)
        rest = lowest * _weights(self.discount, left) - least
        return lambda: lower_limit(returns, least) + rest


def _weights(discount: float, steps: float) -> float:
    """The sum of the discounts of so many steps."""
    return steps if discount == 1 else (1 - discount**steps) / (1 - discount)


def _spread(prior: Prior, rewards: NDArray[np.float64]) -> float:
    """How far rewards are apart."""
    if isinstance(prior, NormalArms | UnknownRewards):
        return prior.spread
    return float(np.ptp(prior.payable(rewards))) if rewards.size else 0.0


def _same(models: Models, others: Models) -> bool:
    parts = zip(models, others, strict=True)
    return all(a is b or (a is not None and b is not None and np.array_equal(a, b)) for a, b in parts)


def _lowest(prior: Prior, belief: Belief, rewards: NDArray[np.float64]) -> float:
    """The lowest possible reward."""
    if isinstance(prior, UnknownRewards) and prior.outcomes is None:
        return float(np.min(np.asarray(prior.values)))
    if isinstance(belief, FiniteBelief) and belief.has_rewards:
        return float(belief.payable.min())
    unbounded = isinstance(prior, NormalArms | UnknownRewards) or prior.has_rewards or rewards.size == 0
    return -math.inf if unbounded else float(rewards.min())


def _base_kind(prior: Prior, rewards: NDArray[np.float64], deadline: int | None) -> Base:
    """Which base policy there is: indices of arms, values with a bonus for learning, or none."""
    S, A = rewards.shape[:2]
    if S == 0:
        return "none"
    if isinstance(prior, BetaArms) and deadline is None:
        with suppress(ValueError):  # rewards depend on the state: then there are no indices
            payoffs(rewards)
            return "arms"
    try:
        belief = prior.belief(S, A)
        solve_index(belief.solver(rewards, 0.0), belief, rewards, 0.0, 0, 1.0, np.random.default_rng(0))
    except TypeError:  # neither counts nor tables
        return "none"
    return "rows" if isinstance(prior.belief(S, A), ConjugateBelief | UnknownRewardsBelief) else "models"
