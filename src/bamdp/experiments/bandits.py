"""The bandits of the supplement of Guez, Silver, Dayan, 2012, and the convergence that its Theorem 1 promises.

What the paper does not say, and was chosen here: the range of (alpha, beta) and budgets of Figure S1, the exploration constant,
and the leaf value. The authors' program means to take the best sampled arm for ever ("hindsight") but cuts it to an integer; to
stay with the arm that looks best ("best-arm") finds better decisions within the same simulations.
"""

from __future__ import annotations

from typing import Any

# Figure S1: a sure 0.5 or an arm p ~ Beta(alpha, beta). P(correct decision) in each cell.
TABLE: dict[str, Any] = {
    "discount": 0.95,
    "sure_reward": 0.5,
    "alphas": tuple(range(1, 21)),
    "betas": tuple(range(1, 21)),
    "simulations": (100, 1_000, 10_000, 100_000),
    "runs": 50,
}
TABLE_SEARCH: dict[str, Any] = {"rollouts": "best-arm", "exploration": 3.0}

# Published: the Gittins index and the decision of (17, 19). The values that the paper derives from it, 10.088 for the arm and
# 10.0836 for the sure 0.5, take the index for the arm's worth beside the sure reward; that is 10.0225 and 10.0213.
PUBLISHED_INDEX = {(17, 19): 0.5044}

# Figure S2: eight arms, 0.6 seven times and 0.9 once; sums of rewards after 300 steps, discounted at 0.99 or not.
EIGHT_ARMS: dict[str, Any] = {
    "steps": 300,
    "runs": {"posterior-mean": 1000, "gittins": 1000, "bamcp": 100},
    "settings": {
        "bamcp": {"simulations": 50_000, "rollouts": "best-arm", "exploration": 10.0},
        "posterior-mean": {"ties": "random"},
    },
}

# Theorem 1: small problems that can be solved exactly; c below and above Rmax / (1 − discount) = 10.
CONVERGENCE: dict[str, Any] = {
    "discount": 0.9,
    "horizon": 3,
    "sure_reward": 0.52,  # beside arms of mean 0.5 that are worth a try
    "rewards": ((0.9, 1.0), (0.2, 0.8), (-0.3, -0.5)),
    "simulations": (100, 1_000, 10_000, 100_000, 1_000_000),
    "exploration": (1.0, 12.0),
    "seeds": 10,
}
