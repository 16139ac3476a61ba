"""The Bellman equations of models of a belief, solved in the core from the last solution on.

A belief with counts is read by the core itself: sparse, and after one more observation only the changed row. Any other passes
through the tables of an `MDP`. Several models are solved as one: in every state the best of any of them (BOSS).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from bamdp import _core
from bamdp.mdp import MDP
from bamdp.prior import Belief
from bamdp.validation import UNBOUNDED

Tick = Callable[[], None] | None
LONGEST = 2**31 - 1  # steps of a path, without a horizon


class ModelSolver:
    """A solver for models of a belief, with the rewards, discount and terminal states of its problem.

    Args:
        belief: the belief.
    """

    state_attributes: ClassVar[tuple[str, ...]] = ("native",)
    has_tables: ClassVar[bool] = True

    def __init__(self, belief: Belief) -> None:
        problem = belief.problem
        self.belief, self.discount = belief, problem.discount
        self.native = _core.Solver(problem.rewards, self.discount, sorted(problem.terminal), belief.unknown_terminal)

    def load(self, mdp: MDP) -> None:
        """Load an MDP, or several to be solved as one."""
        known = mdp if mdp.num_models is not None else None
        tables, paid = (part if known else part[None] for part in (mdp.transitions, mdp.expected_rewards))
        ends = None
        if self.belief.unknown_terminal:
            ends = mdp.ends if mdp.ends is not None else mdp.transitions - mdp.continuation
            ends = np.ascontiguousarray(ends if known else ends[None])
            over = mdp.terminal if known else mdp.terminal[None]
            paid = np.where(over[..., None], 0.0, paid)
        own = np.ascontiguousarray(paid) if self.belief.unknown_rewards else None
        self.native.load_tables(np.ascontiguousarray(tables), own, ends)

    def load_mean(self, bonus: float = 0.0) -> None:
        """Load the posterior mean, with each reward increased by bonus / (1 + pseudo-counts + visits)."""
        if self.belief.counts is not None and self.belief.native is not None:
            transitions, *learned = self.belief.native
            self.native.load_mean(transitions, bonus, *learned)
        elif bonus != 0:
            raise TypeError(f"{type(self.belief).__name__} has no counts to make an exploration bonus of")
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

    def solve(self, tolerance: float, left: _core.StepsLeft | None = None, on_tick: Tick = None) -> None:
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
        return self.native.q_table().reshape(self.belief.num_states, -1)


class OpenLoopPlanner:
    """The same for a world without tables: the best sequence of actions, or path, by `Belief.open_loop`.

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
        self.settings.discount, self.settings.terminal = belief.problem.discount, sorted(belief.problem.terminal)
        native: _core.OpenLoop | None = belief.open_loop(self.settings, index=index)
        if native is None:
            raise TypeError(f"{type(belief).__name__} has no open-loop search")
        self.native = native
        self._steps = LONGEST

    def load_mean(self, bonus: float = 0.0) -> None:
        """Plan in the posterior mean, by the same random numbers at each step where it takes some."""
        self.native.load(0, 1)

    def load_samples(self, count: int, rng: np.random.Generator) -> None:
        """Plan in the best of models drawn from the posterior."""
        self.native.load(count, int(rng.integers(2**63)))

    def solve(self, tolerance: float, left: _core.StepsLeft | None = None, on_tick: Tick = None) -> None:
        """Plan no further than the steps left."""
        self._steps = LONGEST if left is None else left.steps

    def q_values(self, state: int) -> NDArray[np.float64]:
        """The return of the best sequence that begins with each action. [A]"""
        return self.native.q_values(state, self._steps)


def solver_of(belief: Belief, who: str, *, index: bool = False) -> ModelSolver | OpenLoopPlanner:
    """The solver for a belief: of tables, or of paths where there are none."""
    if belief.num_states < UNBOUNDED:
        return ModelSolver(belief)
    try:
        return OpenLoopPlanner(belief, index=index)
    except TypeError:
        belief.problem.require_table(who)
        raise


def particles(belief: Belief, count: int, rng: np.random.Generator) -> MDP:
    """Weighted particles of a belief: the worlds that are possible, or else some that are drawn from it.

    Args:
        belief: the belief.
        count: how many at most.
        rng: random generator of draws.

    Raises:
        TypeError: the belief can't be sampled, or its worlds pay random rewards.
    """
    if belief.particles is not None:
        return belief.particles.resample(count)
    drawn = belief.sample(count, rng)
    if drawn.outcomes is not None and (
        drawn.outcomes.probabilities is None or (drawn.outcomes.probabilities.max(-1) < 1).any()
    ):
        raise TypeError(f"worlds of {type(belief).__name__} pay random rewards, which a table of rewards can't say")
    return drawn
