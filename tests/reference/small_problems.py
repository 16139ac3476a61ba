"""Random small problems whose Bayes-optimal values can be computed: for planners that are to be
right on all of them.
"""

import numpy as np

from bamdp import BAMDP, priors
from bamdp.exact import bayes_optimal

LARGEST = 200_000  # belief states


def _solvable(problem: BAMDP) -> bool:
    try:
        return bool(np.ptp(bayes_optimal(problem, 0, limit=LARGEST).q_values) > 1e-9)
    except MemoryError:
        return False


def small(rng: np.random.Generator) -> BAMDP:
    """Two or three states and actions, two to five steps, priors of few counts."""
    while True:
        S, A, horizon = (int(rng.integers(2, high)) for high in (4, 4, 6))
        rewards = rng.choice([-1, 0, 0, 1, 3.0], (S, A) if rng.random() < 0.3 else (S, A, S))
        prior = (priors.Dirichlet(0.5), priors.SparseDirichlet(), priors.Dirichlet(0.1))[
            rng.integers(3)
        ]
        terminal = [S - 1] if rng.random() < 0.5 else []
        problem = BAMDP(
            prior, rewards, float(rng.choice([0.7, 0.95, 1.0])), horizon=horizon, terminal=terminal
        )
        if _solvable(problem):
            return problem


def rare_losses(rng: np.random.Generator) -> BAMDP:
    """The same with losses of 30 to 300 that are seldom."""
    while True:
        S, A, horizon = (int(rng.integers(2, high)) for high in (4, 4, 5))
        rewards, counts = rng.choice([-1, 0, 0, 1, 3.0], (S, A, S)), rng.uniform(0.5, 5, (S, A, S))
        for _ in range(2):
            pair = rng.integers(S), rng.integers(A), rng.integers(S)
            rewards[pair], counts[pair] = -rng.choice([30, 100, 300]), rng.uniform(0.02, 0.3)
        problem = BAMDP(
            priors.Dirichlet(counts), rewards, float(rng.choice([0.9, 1.0])), horizon=horizon
        )
        if _solvable(problem):
            return problem


def signs(rng: np.random.Generator) -> BAMDP:
    """A hall of doors, one of which pays 1 and the others −1; signs, each at a price, tell some of
    them apart; or leave.
    """
    while True:
        doors, boards, steps = (
            int(rng.integers(2, 5)),
            int(rng.integers(1, 4)),
            int(rng.integers(3, 7)),
        )
        S, A = 2 + 2 * boards, doors + boards + 1
        end = S - 1
        moves, paid = np.zeros((doors, S, A, S)), np.zeros((doors, S, A))
        shown, price = rng.integers(0, 2, (boards, doors)), rng.uniform(0.05, 0.5, boards)
        moves[:, :, :doors, end] = moves[:, :, -1, end] = moves[:, end, :, end] = 1
        paid[:, :, :doors], paid[:, :, -1] = -1, rng.uniform(0, 0.5)
        for world in range(doors):
            paid[world, :, world] = 1
            for board in range(boards):
                moves[world, :end, doors + board, 1 + 2 * board + shown[board, world]] = 1
                paid[world, :, doors + board] = -price[board]
        weights = rng.dirichlet(np.ones(doors))
        problem = BAMDP(
            priors.Finite(moves, weights=weights, rewards=paid),
            np.zeros((S, A)),
            1.0,
            horizon=steps,
            terminal=[end],
        )
        if _solvable(problem):
            return problem


def deterministic(rng: np.random.Generator) -> BAMDP:
    """Deterministic worlds that differ in a few transitions and rewards."""
    while True:
        M, S, A, steps = (int(rng.integers(*ends)) for ends in ((2, 7), (4, 9), (2, 4), (5, 10)))
        common, usual = rng.integers(0, S, (S, A)), rng.choice([0, 0, 0, -1, 1, 2.0], (S, A))
        moves, paid = np.zeros((M, S, A, S)), np.zeros((M, S, A))
        for world in range(M):
            nexts, rewards = common.copy(), usual.copy()
            for _ in range(3):
                nexts[rng.integers(S), rng.integers(A)] = rng.integers(S)
            for _ in range(2):
                rewards[rng.integers(S), rng.integers(A)] = rng.choice([-2, 3.0, 5.0])
            moves[world, np.arange(S)[:, None], np.arange(A), nexts] = 1
            paid[world] = rewards
        prior = priors.Finite(moves, rewards=paid, weights=rng.dirichlet(np.ones(M)))
        problem = BAMDP(prior, np.zeros((S, A)), float(rng.choice([0.9, 1.0])), horizon=steps)
        if _solvable(problem):
            return problem


def arms(rng: np.random.Generator) -> BAMDP:
    """Bernoulli arms, the last of which pays little and tells the worlds apart."""
    while True:
        M, A, steps = (int(rng.integers(*ends)) for ends in ((2, 6), (2, 4), (5, 11)))
        rates, pay = rng.uniform(0.05, 0.95, (M, A)), rng.uniform(0.5, 1.5, A)
        rates[:, -1], pay[-1] = rng.choice([0.02, 0.98], M), 0.05
        moves, rewards = np.zeros((M, 2, A, 2)), np.zeros((2, A, 2))
        moves[..., 1] = rates[:, None]
        moves[..., 0] = 1 - moves[..., 1]
        rewards[:, :, 1] = pay
        problem = BAMDP(
            priors.Finite(moves, weights=rng.dirichlet(np.ones(M))), rewards, 1.0, horizon=steps
        )
        if _solvable(problem):
            return problem
