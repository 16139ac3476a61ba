"""Exact solutions of random small problems with every kind of prior, against the probabilities of
whole histories.
"""

from typing import Any

import numpy as np
import pytest

from bamdp import BAMDP, priors
from bamdp.exact import bayes_optimal
from reference.marginal import History, Seen, Truth, dirichlet_row, of_rows, of_worlds, sparse_row

KINDS = ["dirichlet", "sparse", "arms", "worlds", "paying worlds", "ending worlds", "all unknown"]


def random_problem(kind: str, seed: int) -> tuple[BAMDP, Truth, dict[str, Any], int]:
    """A problem, its truth, the episodes of the run, and the start."""
    rng = np.random.default_rng(seed)
    S, A = int(rng.integers(2, 4)), int(rng.integers(2, 4))
    S = 2 if kind == "arms" else S
    steps = 4 if S * A < 6 else 3
    discount = float(rng.choice([0.5, 0.9, 1.0]))
    paid = rng.normal(size=(S, A, S) if rng.random() < 0.7 else (S, A))
    paid = np.broadcast_to(paid if paid.ndim == 3 else paid[:, :, None], (S, A, S))
    end = kind in ("dirichlet", "sparse", "worlds", "paying worlds") and rng.random() < 0.5
    terminal = [S - 1] if end else []
    M = 3
    tables = rng.dirichlet([0.4] * S, size=(M, S, A))
    tables[0, 0, 0], tables[:, 0, 1] = np.eye(S)[0], np.eye(S)[1]  # rules out worlds; says nothing
    weights = rng.dirichlet(np.ones(M))
    rewards = rng.choice([-1.0, 0.0, 2.0], size=(M, S, A))
    ends = np.zeros((M, S), bool)
    ends[:, terminal] = True
    if kind in ("ending worlds", "all unknown"):
        ends[np.arange(M), rng.integers(1, S, M)] = True
    alpha = rng.choice([0.3, 1.0, 2.5], size=(S, A, S)) * (rng.random((S, A, S)) < 0.8)
    alpha[:, :, 0] += 0.5
    beta = rng.choice([0.5, 1.0, 3.0], size=(2, A))
    own = kind in ("paying worlds", "all unknown")
    prior: Any = {
        "dirichlet": priors.Dirichlet(alpha),
        "sparse": priors.SparseDirichlet(0.7, 1.5),
        "arms": priors.BetaArms(successes=beta[1], failures=beta[0]),
        "worlds": priors.Finite(tables, weights),
        "paying worlds": priors.Finite(tables, weights, rewards=rewards),
        "ending worlds": priors.Finite(tables, weights, terminal=ends),
        "all unknown": priors.Finite(tables, weights, rewards=rewards, terminal=ends),
    }[kind]
    if kind == "dirichlet":
        probability = of_rows(lambda n, s, a: dirichlet_row(n, alpha[s, a].tolist()), False, S)
    elif kind == "sparse":
        probability = of_rows(lambda n, s, a: sparse_row(n, 0.7, 1.5), False, S)
    elif kind == "arms":
        counts = beta.T.tolist()
        probability = of_rows(lambda n, s, a: dirichlet_row(n, counts[a]), True, S)
    else:
        probability = of_worlds(weights, tables, rewards if own else None, ends)

    def outcomes(state: int, a: int) -> list[Seen]:
        pays = np.unique(rewards[:, state, a]) if own else [None]
        return [
            Seen(state, a, n, float(paid[state, a, n] if r is None else r), bool(over))
            for n in range(S)
            for r in pays
            for over in np.unique(ends[:, n])
        ]

    episodes: dict[str, Any] = {}
    if rng.random() < 0.5:
        episodes = {"restart": 0, "time_limit": int(rng.integers(1, 4))}
    elif end and rng.random() < 0.5:
        episodes = {"restart": 0}
    problem = BAMDP(prior, paid, discount, terminal=terminal, horizon=steps)
    return problem, Truth(probability, outcomes, A, discount, **episodes), episodes, 0


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("kind", KINDS)
def test_values_now_and_along_a_random_path(kind: str, seed: int) -> None:
    problem, truth, episodes, state = random_problem(kind, seed)
    steps, rng = problem.horizon or 0, np.random.default_rng(seed)
    expected = truth.q_values(state, steps)
    for limit in (None, 10**6):
        optimum = bayes_optimal(problem, state, limit=limit, **episodes)
        assert optimum.q_values == pytest.approx(expected, abs=1e-10)
        assert optimum.value == pytest.approx(expected.max(), abs=1e-10)
        assert optimum.error_bound == 0
    walk, elapsed = optimum.walk(), 0
    history: History = ()
    for left in range(steps, 0, -1):
        expected = truth.q_values(state, left, history, elapsed)
        assert walk.q_values == pytest.approx(expected, abs=1e-10)
        action = int(rng.integers(problem.num_actions))
        possible = [
            seen
            for seen in truth.outcomes(state, action)
            if truth.probability((*history, seen)) > 0
        ]
        seen = possible[rng.integers(len(possible))]
        if left == 1 or (seen.ends and truth.restart is None):
            return
        walk.step(action, seen.next_state, seen.reward, seen.ends)
        history = (*history, seen)
        over = truth.restart is not None and (seen.ends or elapsed + 1 == truth.time_limit)
        state, elapsed = (truth.restart or 0, 0) if over else (seen.next_state, elapsed + 1)
