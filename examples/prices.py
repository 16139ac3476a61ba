"""From a fitted model to a plan: prices of a stock, by draws of the posterior of a demand model.

Demand at a price is Poisson(exp(a - b price)); (a, b) are rows of draws, as PyMC or Stan would
give them. Every week's sales tell more of them, which the plan takes into account.
"""

import math
from typing import Any

import numpy as np

import bamdp
from bamdp import Outcome

rng = np.random.default_rng(3)
draws = {"a": rng.normal(2.0, 0.5, 200), "b": np.abs(rng.normal(0.5, 0.25, 200))}


def sales(draw: Any, state: tuple[int, int], price: float) -> list[Outcome]:
    """One week: how many are sold, at most the stock."""
    week, stock = state
    rate = math.exp(draw.a - draw.b * price)
    p = [math.exp(-rate) * rate**k / math.factorial(k) for k in range(stock)]
    p.append(1 - sum(p))
    return [
        Outcome((week + 1, stock - k), price * k, done=week == 3, probability=p[k])
        for k in range(stock + 1)
    ]


def main() -> None:
    problem = bamdp.BAMDP(
        bamdp.priors.Worlds(draws, sales),
        discount=1,
        horizon=4,
        episodes=1,
        start=(0, 6),
        actions=(1.0, 2.0, 4.0),
    )
    agents = {
        "BayesAdaptive": (bamdp.agents.BayesAdaptive, {"simulations": 300}),
        "posterior mean": bamdp.agents.PosteriorMean,
    }
    print(bamdp.compare(problem, agents, worlds=200, workers=1))


if __name__ == "__main__":
    main()
