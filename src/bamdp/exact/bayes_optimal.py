"""The exact Bayes-optimal value and action of a small MDP.

A belief state is a state s and the counts n of the simulated transitions since the root. With P(s'
| s, a, n) the predictive probabilities given them,

    V_d(s, n) = max_a Σ_s' P(s' | s, a, n) (R(s, a, s') + γ V_{d+1}(s', n + (s, a, s')))

is computed backwards from V_H. In a terminal state V = 0 or, if the run goes on with the next
episode (`restart`), that of the start state with the same counts; with a time limit, the steps of
the episode are part of s. Two problems are solved this way:

- `horizon`: finite horizon H, V_H = 0. The result is exact for that problem, and γ may be 1.
- `tolerance`: infinite horizon. The value after H steps is between min R/(1 − γ) and max R/(1 − γ).
  V_H is the midpoint, so the error is at most γᴴ (max R − min R)/(2 (1 − γ)), and H is chosen such
  that this is at most the tolerance.

Solvers are asked in turn, the special ones first; each says whether it applies:

| solver | applies to |
|---|---|
| `normal_arms` | two normal arms: functions of the difference of their means |
| `arms` | Beta arms and a horizon: belief states with addresses, where these are needed |
| `belief_states` | conjugate rows, finitely many worlds: belief states, if they are few enough |
| `hidden_goal` | known moves and an unknown goal, as in GridNavi: the best policy is a path |
| `model_set` | a few possible models: bounds as close as the tolerance |
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from bamdp.exact._tables import with_tables
from bamdp.exact.arms import solve_beta_arms
from bamdp.exact.belief_states import BeliefStates, solve_belief_states
from bamdp.exact.hidden_goal import solve_hidden_goal
from bamdp.exact.model_set import bound_few_models, is_few
from bamdp.exact.normal_arms import solve_normal_arms
from bamdp.exact.solution import BayesOptimal, Question
from bamdp.prior import Belief
from bamdp.problem import BAMDP, checked_problem, considered_actions
from bamdp.steps import check_nonterminal

# The solution of a question; None if the solver does not apply. `BeliefStates` are enumerated when
# first asked for, once for all solvers.
Solver = Callable[[Question, BeliefStates], BayesOptimal | None]

SOLVERS: tuple[Solver, ...] = (
    solve_normal_arms,
    solve_beta_arms,
    solve_belief_states,
    solve_hidden_goal,
    bound_few_models,
)


def bayes_optimal(
    problem: BAMDP,
    state: int,
    horizon: int | None = None,
    tolerance: float | None = None,
    *,
    belief: Belief | None = None,
    restart: int | None = None,
    time_limit: int | None = None,
    limit: int | None = None,
) -> BayesOptimal:
    """The Bayes-optimal value of each action, by dynamic programming over all reachable belief
    states.

    Args:
        problem: the problem, with the prior `Dirichlet`, `SparseDirichlet`, `BetaArms`, `Finite`,
            `Parametric` or `Worlds`, or two `NormalArms` with known noise and a horizon.
        state: the current state.
        horizon: solve for a finite horizon, the problem's if not given.
        tolerance: solve for the infinite horizon to this precision, where there is no horizon; if
            not given, to 1 % of half the range of values.
        belief: the belief after observations; that of the prior if not given.
        restart: state in which the next episode starts, as in `bamdp.run`; if not given, the value
            is that of one episode, or of a problem with an episode length, of all of them.
        time_limit: number of steps after which an episode is truncated, with `restart`; never if
            not given.
        limit: enumerate the belief states, at most so many. If not given, other ways may be taken,
            and belief states are at most five million, or as many as fit in 2 GiB.

    Raises:
        TooManyBeliefStatesError: more than `limit` are needed, by an estimate made at once; it says
            what would work.

    Example:
        >>> import bamdp
        >>> one_arm_and_a_sure_half = bamdp.priors.BetaArms(successes=[17, 1], failures=[19, 0])
        >>> problem = bamdp.BAMDP(one_arm_and_a_sure_half, rewards=[[[0, 1], [0, 0.5]]] * 2,
        ...     discount=0.95)
        >>> optimum = bayes_optimal(problem, state=0, tolerance=0.001)
        >>> optimum.action, optimum.q_values.round(3).tolist()
        (0, [10.022, 10.021])
        >>> bool(optimum.upper[1] < optimum.lower[0])  # is action 0 better beyond doubt?
        False
    """
    asked = checked_problem(problem)
    left_out = _left_out(asked, state)
    problem, state, belief = with_tables(
        asked.prior, asked, state, horizon, belief, "bayes_optimal"
    )
    question = Question.of(problem, state, horizon, tolerance, belief, restart, time_limit, limit)
    belief_states = BeliefStates(question)
    for solve in SOLVERS:
        solution = solve(question, belief_states)
        if solution is not None and not left_out:
            return solution
        if solution is not None:
            values = solution.q_values.copy()
            values[left_out] = -np.inf
            return replace(solution, q_values=values)
    if not belief_states.countable:
        raise TypeError(
            "prior must be Dirichlet, SparseDirichlet, BetaArms, Finite or Parametric, or "
            f"NormalArms, got {problem.prior!r}: belief states can be enumerated only if they are "
            "counts"
        )
    raise belief_states.too_many(
        "; bamdp.exact.solve_model_set takes a few possible models, over any number of steps"
        if is_few(question.belief)
        else ""
    )


def _left_out(problem: BAMDP, state: int) -> list[int]:
    """The actions that are not considered in a state."""
    considered = considered_actions(problem, check_nonterminal(problem, state))
    return [a for a in range(problem.num_actions) if a not in considered]
