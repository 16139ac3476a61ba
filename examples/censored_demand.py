"""Ordering stock under unknown demand, of which only the sales are seen: does it pay to order more
in order to see more?

    python examples/censored_demand.py --help

A shop orders fresh goods each week that sell for 1 each, and throws away what is left. Demand is
negative binomial, more variable than Poisson, with an unknown mean that is the same every week:
about 8, give or take as much (an exponential distribution). What is observed is the smaller one of
demand and stock: a customer who finds the shelf empty leaves no trace. Who orders little learns
little, and who orders nothing learns nothing.

Ordering for the posterior mean is the newsvendor's rule with all that is known. With a good margin
it orders enough to learn on the way. With a thin one (--cost 0.8, the default) the best guess is
that the goods don't pay; it never orders any, and never finds out that they would. All agents face
the same shops with the same customers.

Costs of 0.5, 0.7 and 0.8 were tried; docs/gallery.md has the first and the last.
"""

import argparse
from pathlib import Path

import numpy as np
from scipy.stats import expon, nbinom

import bamdp
from bamdp.agents import BayesAdaptive
from bamdp.suite import Benchmark

SHELF = 16
STOCKS = np.arange(0, SHELF + 1, 2)  # what can be ordered
SOLD = np.arange(SHELF + 1)  # last week: the state, which has no effect on the next one
SHAPE = 2.0  # variance = mean + mean² / SHAPE
MEAN = 8.0


def sales(mean: np.ndarray, state: int, action: int) -> np.ndarray:
    """The probability of each number of sales, for each mean demand. [M, S]"""
    stock = STOCKS[action]
    demand = nbinom.pmf(SOLD, SHAPE, SHAPE / (SHAPE + mean[:, None]))
    seen = np.where(stock > SOLD, demand, 0.0)
    seen[:, stock] = 1 - seen.sum(axis=1)  # sold out: demand was at least that
    return seen


def shop(cost: float, weeks: int) -> Benchmark:
    """Shops whose mean demand is drawn from the prior."""
    prior = bamdp.priors.Parametric(sales, expon(scale=MEAN), points=15)
    profit = np.broadcast_to(
        SOLD - cost * STOCKS[:, None], (len(SOLD), len(STOCKS), len(SOLD))
    )  # [S, A, S]
    return Benchmark(bamdp.BAMDP(prior, profit, discount=1, horizon=weeks))


def main(words: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--cost", type=float, default=0.8, help="cost of one item that sells for 1 (default 0.8)"
    )
    parser.add_argument(
        "--worlds", type=int, default=100, help="shops drawn from the prior (default 100)"
    )
    parser.add_argument("--weeks", type=int, default=52, help="weeks per shop (default 52)")
    parser.add_argument(
        "--simulations",
        type=int,
        default=100,
        help="simulations of the planner per week (default 100)",
    )
    parser.add_argument("--seed", type=int, default=0, help="random seed (default 0)")
    parser.add_argument(
        "--picture",
        type=Path,
        default=Path("demo-output/demand.png"),
        help="output file for the plot",
    )
    options = parser.parse_args(words)
    agents = {
        "knows the demand": "oracle",
        "BayesAdaptive": ("bayes-adaptive", {"simulations": options.simulations}),
        "PSRL (Thompson)": "bayesian-dp",
        "posterior mean": "posterior-mean",
    }
    problem = shop(options.cost, options.weeks)
    result = bamdp.compare(
        problem, agents, worlds=options.worlds, seed=options.seed, against="posterior mean"
    )
    print(result)
    planner = BayesAdaptive(problem.problem, simulations=options.simulations)
    record = bamdp.run(planner, problem.world(options.seed), steps=options.weeks, seed=options.seed)
    low, high = planner.belief.parameter_interval()
    print(
        f"\nOrders of the planner in one shop: {', '.join(map(str, STOCKS[record.actions[:10]]))}, "
        "…"
    )
    print(f"Its mean demand, after {options.weeks} weeks: {low:.1f} to {high:.1f} (95 %)")
    result.save(options.picture)
    print(f"Plot: {options.picture}")


if __name__ == "__main__":
    main()
