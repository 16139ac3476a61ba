"""The Bellman equations of models of a belief, solved in the core from the last solution on.

A belief with counts is read by the core itself: sparse, and after one more observation only the
changed row. Any other passes through the tables of an `MDP`. Several models are solved as one: in
every state the best of any of them (BOSS).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cache, singledispatch
from typing import TYPE_CHECKING, Any, ClassVar, cast

import numpy as np
from numpy.typing import NDArray

from bamdp import _core
from bamdp.mdp import MDP, resample, termination
from bamdp.prior import Belief
from bamdp.problem import require_table
from bamdp.validation import UNBOUNDED

if TYPE_CHECKING:
    from bamdp.priors.grid_rewards import GridRewards
    from bamdp.problem import BAMDP

Tick = Callable[[], None] | None
LONGEST = 2**31 - 1  # steps of a path, without a horizon
BONUSES = (0.0, 0.5, 1.0)
BONUS_WORLDS = 1000  # take about 20 ms for each of them


class ModelSolver:
    """A solver for models of a belief, with the rewards, discount and terminal states of its
    problem.

    Args:
        belief: the belief.
    """

    state_attributes: ClassVar[tuple[str, ...]] = ("native",)
    has_tables: ClassVar[bool] = True

    def __init__(self, belief: Belief) -> None:
        problem = belief.problem
        self.belief, self.discount = belief, problem.discount
        self.native = _core.Solver(
            problem.rewards,
            self.discount,
            sorted(problem.terminal),
            belief.problem.prior.unknown_terminal,
        )

    def load(self, mdp: MDP) -> None:
        """Load an MDP, or several to be solved as one."""
        known = mdp if mdp.num_models is not None else None
        tables, paid = (
            part if known else part[None] for part in (mdp.transitions, mdp.expected_rewards)
        )
        ends = None
        if self.belief.problem.prior.unknown_terminal:
            ends = termination(mdp)
            ends = np.ascontiguousarray(ends if known else ends[None])
            over = mdp.terminal if known else mdp.terminal[None]
            paid = np.where(over[..., None], 0.0, paid)
        own = np.ascontiguousarray(paid) if self.belief.problem.prior.unknown_rewards else None
        self.native.load_tables(np.ascontiguousarray(tables), own, ends)

    def load_mean(self, bonus: float = 0.0) -> None:
        """Load the posterior mean, with each reward increased by bonus / (1 + pseudo-counts +
        visits).
        """
        if self.belief.counts is not None and self.belief.native is not None:
            transitions, *learned = self.belief.native
            self.native.load_mean(transitions, bonus, *learned)
        elif bonus != 0:
            raise TypeError(
                f"{type(self.belief).__name__} has no counts to make an exploration bonus of"
            )
        else:
            self.load(self.belief.mean())

    def load_samples(self, count: int, rng: np.random.Generator) -> None:
        """Load models drawn from the posterior."""
        if self.belief.counts is not None and self.belief.native is not None:
            transitions, *learned = self.belief.native
            seed = rng.integers(2**64, size=4, dtype=np.uint64).tolist()
            self.native.load_samples(transitions, count, seed, None, *learned)
        else:
            self.load(self.belief.sample(count, rng))

    def solve(
        self, tolerance: float, left: _core.StepsLeft | None = None, on_tick: Tick = None
    ) -> None:
        """Solve to within `tolerance`; with a known number of steps left, exactly."""
        if left is None:
            self.native.solve(tolerance, on_tick)
        else:
            self.native.solve_steps(left, on_tick)

    def q_values(self, state: int) -> NDArray[np.float64]:
        """The value of each action in `state`. [A]"""
        return self.native.q_values(state)

    def q_table(self) -> NDArray[np.float64]:
        """The value of each action in each state. [S, A]"""
        return self.native.q_table().reshape(self.belief.problem.num_states, -1)


class OpenLoopPlanner:
    """Open-loop planner for models that can only be simulated: the best sequence of actions, or
    path.

    Args:
        belief: the belief.
        index: with a bonus for what is learned on the way.

    Raises:
        TypeError: the belief has no such search.
    """

    state_attributes: ClassVar[tuple[str, ...]] = ("native", "_steps")
    has_tables: ClassVar[bool] = False

    def __init__(self, belief: Belief, *, index: bool = False) -> None:
        self.belief, self.settings = belief, _core.Settings()
        self.settings.discount, self.settings.terminal = (
            belief.problem.discount,
            sorted(belief.problem.terminal),
        )
        if belief.native is None or not has_paths(belief, index=index):
            raise TypeError(f"{type(belief).__name__} has no open-loop search")
        first, *hooks = belief.native
        if index:
            prior = cast("GridRewards", belief.problem.prior)
            self.settings.bonus = best_bonus(prior.columns, prior.rows, self.settings.discount)
        self.native = _core.make_open_loop(first, belief.problem.rewards, self.settings, *hooks)
        self._steps = LONGEST

    def load_mean(self, bonus: float = 0.0) -> None:
        """Plan in the posterior mean, by the same random numbers at each step where
        it takes some.
        """
        self.native.load(0, 1)

    def load_samples(self, count: int, rng: np.random.Generator) -> None:
        """Plan in the best of models drawn from the posterior."""
        self.native.load(count, int(rng.integers(2**63)))

    def solve(
        self, tolerance: float, left: _core.StepsLeft | None = None, on_tick: Tick = None
    ) -> None:
        """Plan no further than the steps left."""
        self._steps = LONGEST if left is None else left.steps

    def q_values(self, state: int) -> NDArray[np.float64]:
        """The return of the best sequence that begins with each action. [A]"""
        return self.native.q_values(state, self._steps)


def has_paths(belief: Belief, *, index: bool = False) -> bool:
    """Whether the core searches for the best sequence of actions under a belief without tables;
    with `index`, one with a bonus for what is learned on the way.
    """
    if belief.native is None or belief.problem.num_states < UNBOUNDED:
        return False
    kinds = {type(part) for part in belief.native}
    return _core.GridBelief in kinds or (_core.Hooks in kinds and not index)


@cache
def best_bonus(columns: tuple[float, float], rows: tuple[float, float], discount: float) -> float:
    """The scale of the index of lines, of 0, 1/2 and 1, whose paths earn most in worlds drawn from
    a prior of the infinite grid.

    Example:
        >>> best_bonus((1.0, 2.0), (2.0, 1.0), 0.97)
        1.0
    """
    native = _core.GridBelief(columns, rows, True, (0.5, 0.5), 5.0, 20, 10)
    return max(
        BONUSES, key=lambda bonus: _core.simulated_return(native, discount, bonus, BONUS_WORLDS, 1)
    )


def default_depth(problem: BAMDP) -> int:
    """The number of steps until rewards are discounted to about 0.01: 89 at 0.95, 151 at 0.97, 458
    at 0.99; all at 1.
    """
    if problem.discount == 1:
        return cast(int, problem.horizon)
    return max(1, int(math.log(0.01) / math.log(problem.discount))) if problem.discount > 0 else 1


@singledispatch
def solver_of(belief: Belief, who: str, *, index: bool = False) -> Any:
    """The solver for a belief: of tables, or of paths where there are none.

    Args:
        belief: the belief.
        who: the agent, for messages.
        index: with a bonus for what is learned on a path.
    """
    if belief.problem.num_states < UNBOUNDED:
        return ModelSolver(belief)
    try:
        return OpenLoopPlanner(belief, index=index)
    except TypeError:
        require_table(belief.problem, who)
        raise


def particles(belief: Belief, count: int, rng: np.random.Generator) -> MDP:
    """Weighted particles of a belief: the worlds that are possible, or else some that are drawn
    from it.

    Args:
        belief: the belief.
        count: how many at most.
        rng: random generator of draws.

    Raises:
        TypeError: the belief can't be sampled, or its worlds pay random rewards.
    """
    if belief.particles is not None:
        return resample(belief.particles, count)
    drawn = belief.sample(count, rng)
    if drawn.outcomes is not None and (
        drawn.outcomes.probabilities is None or (drawn.outcomes.probabilities.max(-1) < 1).any()
    ):
        raise TypeError(
            f"worlds of {type(belief).__name__} pay random rewards, which a table of rewards can't "
            "say"
        )
    return drawn
