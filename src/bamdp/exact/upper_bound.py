"""An upper bound on the Bayes-optimal value, for problems too large to solve.

Suppose the agent is told which world w it is in after d steps. With V_w the optimal value in w,
known, the best it can do is

    U_0(h) = E[V_w(s) | h],   U_d(h) = max_a E[r + γ U_{d−1}(h') | h, a],   V* ≤ … ≤ U_2 ≤ U_1 ≤ U_0

U_0 is the mean value of knowing the world. U_d is the bound by information relaxation (Brown, Smith
and Sun 2010) with the penalty Σ_{t<d} γᵗ (x_t − E[x_t | h_t, a_t]) + γᵈ (V_w(s_d) − U_0(h_d)), x_t
= r_t + γ U_{d−t−1}(h_{t+1}), of mean 0 for every policy: rewards less penalty are U_d(h_0) +
Σ_{t<d} γᵗ (Q_{d−t}(h_t, a_t) − U_{d−t}(h_t)) ≤ U_d(h_0), whatever one knows.

It is computed for M worlds drawn from the posterior instead of all: the weight of a world after a
history is 1/M times its likelihood, and with u(h) = Σ_w weight_w(h) · (value after h),

    u_d(h) = max_a Σ_s' (r(s, a, s') Σ_w weight_w(h a s') + γ u_{d−1}(h a s'))
    u_0(h) = Σ_w weight_w(h) V_w(s)

over all histories of d steps (`bamdp.exact._histories`).
This is the largest sample mean over policies, so its expectation is at least the largest mean: the
average over independent batches bounds V* in expectation. It is also at least the sample mean of
J_w, the value in world w of the one policy that is best for all worlds; the J_w are independent, at
most V_w, and of mean U_d: that gives a confidence limit for any distribution of rewards in their
range (`bamdp.exact._limits`). Where the belief is over few worlds with known weights, these are
taken, and the bound is exact.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import singledispatch
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bamdp import _core, statistics, validation
from bamdp.exact._augmented_states import AugmentedStates
from bamdp.exact._bound_inputs import BoundInputs
from bamdp.exact._histories import checked_delay, delayed_value
from bamdp.exact._limits import upper_limit
from bamdp.exact._tables import with_tables
from bamdp.exact.solution import LONGEST
from bamdp.mdp import annuity
from bamdp.prior import Belief
from bamdp.problem import BAMDP, checked_problem, resolve_belief
from bamdp.statistics import Mean
from bamdp.steps import check_nonterminal, check_state
from bamdp.validation import UNBOUNDED, fits_memory, integer, positive_integer

LIMIT = 10_000_000  # weights, 80 MB


@dataclass(frozen=True)
class UpperBound:
    """An upper bound on the Bayes-optimal value, estimated, or exact for a belief over few worlds.

    Attributes:
        value: the mean of the batches; its expectation is at least the Bayes-optimal value.
        standard_error: its standard error; 0 if exact.
        high: one-sided 97.5 % confidence limit, for any distribution of returns in their range;
            `value`, rounded up, if exact. The Bayes-optimal value is below it with at least this
            confidence.
        delay: after how many steps the world is told.
        perfect_information: mean value of knowing the world from the start, the bound for delay 0,
            with its 95 % interval.
    """

    value: float
    standard_error: float
    high: float
    delay: int
    perfect_information: Mean


def upper_bound(
    problem: BAMDP,
    state: int,
    *,
    delay: int | None = None,
    horizon: int | None = None,
    belief: Belief | None = None,
    restart: int | None = None,
    worlds: int = 500,
    batches: int = 10,
    limit: int = LIMIT,
    seed: int = 0,
) -> UpperBound:
    """A bound on what any agent that has to learn the world can earn on average: at most what it
    earns if told the world later.

    Args:
        problem: the problem, whose prior can sample whole transition tables; or the infinite grid,
            where the agent is told the parameters of all columns and rows from the start, and paths
            may collect rewards twice.
        state: the current state.
        delay: number of steps after which the world is told; the more, the tighter and the slower.
            By default the largest that `limit` allows.
        horizon: bound the value of so many steps; if not given, of the problem's horizon, or of all
            steps.
        belief: the belief after observations; that of the prior if not given.
        restart: state in which the next episode starts, as in `bamdp.run`; if not given, the value
            is that of one episode.
        worlds: number of worlds drawn for a batch.
        batches: number of independent batches, at least 5. Nothing is drawn if the belief is over a
            finite set of no more worlds than would be drawn for all batches.
        limit: maximum number of weights of a batch, one for each history and world, of 8 bytes
            each; and of continuations of histories by one step.
        seed: seed of the random generator.

    Raises:
        ValueError: `limit` does not allow `delay`, and the message has the largest that it allows;
            or the problem has an episode length.

    Example:
        >>> import bamdp
        >>> problem = bamdp.BAMDP(bamdp.priors.BetaArms(), rewards=[[[0, 1], [0, 1]]] * 2,
        ...     discount=0.9)
        >>> bound = upper_bound(problem, state=0, delay=8)
        >>> optimum = bamdp.exact.bayes_optimal(problem, state=0, tolerance=0.01)
        >>> known = bound.perfect_information
        >>> round(optimum.value, 2), round(bound.high, 1), round(known.value, 1)
        (6.09, 6.4, 6.7)
    """
    worlds = positive_integer("worlds", worlds, 10**6)
    limit = positive_integer("limit", limit, 10**12)
    batches = integer("batches", batches, statistics.FEWEST, 10**6)
    seed = validation.seed(seed)
    problem = checked_problem(problem)
    problem, state, belief = with_tables(
        problem.prior, problem, state, horizon, belief, "upper_bound"
    )
    if problem.num_states == UNBOUNDED and delay in (None, 0) and restart is None:
        state = check_state(problem, state)
        return _without_tables(problem, state, horizon, belief, worlds * batches, seed)
    inputs = _inputs(problem, state, horizon, belief, restart)
    listed = inputs.all_worlds(worlds * batches)
    if listed is not None:
        tables, weights = listed
        delay = checked_delay(inputs, tables, delay, limit)
        value, values = delayed_value(inputs, tables, weights, delay)
        mean = float(weights @ values)
        return UpperBound(value, 0.0, value + inputs.rounding, delay, Mean(mean, mean, mean))
    fits_memory(f"worlds={worlds}", worlds * inputs.num_cells)
    pilot, *generators = np.random.default_rng(seed).spawn(batches + 1)
    delay = checked_delay(inputs, inputs.draw(worlds, pilot), delay, limit)
    even = np.full(worlds, 1 / worlds)
    bounds, values_of_worlds = zip(
        *(delayed_value(inputs, inputs.draw(worlds, rng), even, delay) for rng in generators),
        strict=True,
    )
    value = statistics.mean(bounds).value
    perfect_information = statistics.mean([float(even @ values) for values in values_of_worlds])
    high = upper_limit(value, np.concatenate(values_of_worlds), *inputs.range)
    error = statistics.standard_error(bounds)
    return UpperBound(value, error, high + inputs.rounding, delay, perfect_information)


def _inputs(
    problem: BAMDP,
    state: int,
    horizon: int | None,
    belief: Belief | None,
    restart: int | None,
) -> BoundInputs:
    """The arguments of `upper_bound`, checked."""
    if checked_problem(problem).num_states == UNBOUNDED:
        raise ValueError(
            "rewards must be those of finitely many states, got none: whole worlds are sampled "
            "and solved"
        )
    if problem.episode_length is not None:
        raise ValueError(
            f"episode_length must be None for upper_bound, got {problem.episode_length}"
        )
    horizon = problem.horizon if horizon is None else positive_integer("horizon", horizon, LONGEST)
    validation.discount(problem.discount, ends=horizon is not None)
    state = check_nonterminal(problem, state)
    if restart is not None:
        restart = check_nonterminal(problem, restart, "restart")
    belief = resolve_belief(problem, belief)
    if belief.particles is None and (
        problem.prior.unknown_rewards or problem.prior.unknown_terminal
    ):
        raise TypeError(
            "prior must be one over transitions alone, or over finitely many worlds, got "
            f"{problem.prior!r}"
        )
    if belief.particles is None and type(belief).sample is Belief.sample:
        needed = "one that can sample whole transition tables"
        raise TypeError(f"prior must be {needed}, got {problem.prior!r}")
    discount = problem.discount
    if not (problem.prior.unknown_rewards or problem.prior.unknown_terminal):
        over = sorted(problem.terminal)
        return BoundInputs(belief, None, problem.rewards, discount, state, horizon, over, restart)
    augmented = AugmentedStates(problem, belief)
    return BoundInputs(
        belief,
        augmented,
        augmented.rewards,
        discount,
        augmented.state(state),
        horizon,
        sorted(augmented.terminal),
        None if restart is None else augmented.state(restart),
    )


def _without_tables(
    problem: BAMDP, state: int, horizon: int | None, belief: Belief | None, worlds: int, seed: int
) -> UpperBound:
    """The bound for delay 0 on the infinite grid, by paths in sampled parameters."""
    horizon = problem.horizon if horizon is None else positive_integer("horizon", horizon, LONGEST)
    belief = resolve_belief(problem, belief)
    native = None if belief.native is None else belief.native[0]
    words = np.random.default_rng(seed).integers(2**64, size=4, dtype=np.uint64).tolist()
    steps = -1 if horizon is None else horizon
    values = _perfect_information(native, state, problem.discount, steps, worlds, words)
    if values is None:
        raise TypeError(f"{type(belief).__name__} can't tell what knowing the world is worth")
    mean, error = statistics.mean(values.tolist()), statistics.standard_error(values.tolist())
    rewards = problem.prior.reward_range(problem.rewards)
    lowest, highest = (annuity(problem.discount, horizon) * reward for reward in rewards)
    return UpperBound(mean.value, error, upper_limit(mean.value, values, lowest, highest), 0, mean)


@singledispatch
def _perfect_information(
    native: Any, state: int, discount: float, steps: int, worlds: int, seed: list[int]
) -> NDArray[np.float64] | None:
    """What knowing the world is worth in drawn worlds without tables; None where it isn't known."""
    return None


@_perfect_information.register
def _(
    native: _core.GridBelief, state: int, discount: float, steps: int, worlds: int, seed: list[int]
) -> NDArray[np.float64] | None:
    return native.perfect_information_values(state, discount, steps, worlds, seed)
