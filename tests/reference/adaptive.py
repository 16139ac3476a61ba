"""A slow twin of the base policy in roll-outs: greedy by values that learn from each simulated step."""

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


def adaptive_returns(
    alpha: Array,
    rewards: Array,
    discount: float,
    values: Array,
    state: int,
    first: int,
    horizon: int,
    count: int,
    seed: int,
    *,
    learns: bool = True,
) -> Array:
    """Returns of roll-outs from `state` that begin with action `first`, each in a world drawn from Dirichlet(alpha)."""
    rng = np.random.default_rng(seed)
    returns = np.zeros(count)
    for i in range(count):
        world = np.array([[rng.dirichlet(row) for row in rows] for rows in alpha])
        q, n = values.copy(), alpha.sum(axis=2)
        s = state
        for d in range(horizon):
            a = first if d == 0 else int(q[s].argmax())
            next_s = int(rng.choice(len(alpha), p=world[s, a]))
            returns[i] += discount**d * rewards[s, a]
            n[s, a] += 1
            if learns:
                q[s, a] += (rewards[s, a] + discount * q[next_s].max() - q[s, a]) / n[s, a]
            s = next_s
    return returns
