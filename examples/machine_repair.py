"""Machine repair with unknown failure rates: servicing early prevents learning how long the machine would have lasted.

    python examples/machine_repair.py --help

A machine is new, worn or broken. Each month it runs, is serviced (which makes a worn machine new) or is replaced. All costs
are known, and roughly how fast a new machine wears. Little is known about worn machines: the prior mean is that one in ten
breaks each month, with the weight of one observation. This machine might run for years or break at once.

Planning with the posterior mean services every worn machine, because one in ten is too many. A worn machine then never runs,
the prior is never tested, and the service cost is paid forever. Posterior sampling (PSRL) and BAMCP both find out, BAMCP
because its plan shows that exploration pays. Here BAMCP values the leaves of its tree by the posterior mean. The paper's
roll-outs act half at random: machines stay broken and new ones are replaced, and this cost hides the differences that matter.

Failure rates are drawn from the prior; all agents face the same machines and the same random numbers.

The problem was chosen, among about eight with other costs and priors, as one where a search this short agrees with the exact
solution. With a worse prior for worn machines (one in five a week), PSRL did better than BAMCP.
"""

import argparse
from pathlib import Path
from typing import Any

import numpy as np

import bamdp
from bamdp.problems import Problem

NEW, WORN, BROKEN = range(3)
RUN, SERVICE, REPLACE = range(3)
DISCOUNT = 0.97
COSTS = np.array([[0, 8, 15], [0, 8, 15], [30, 38, 45]])  # a broken machine costs 30 a month, plus the action [S, A]

# Pseudo-counts: zero means impossible; a row with one possible next state is known. [S, A, S]
ALPHA = np.zeros((3, 3, 3))
ALPHA[NEW, RUN] = [7, 2.9, 0.1]  # weight of ten observations
ALPHA[WORN, RUN] = [0, 0.9, 0.1]  # weight of one
ALPHA[BROKEN, [RUN, SERVICE], BROKEN] = ALPHA[[NEW, WORN], SERVICE, NEW] = ALPHA[:, REPLACE, NEW] = 1


def machines(months: int) -> Problem:
    """Machines whose rates are drawn from the prior."""
    expected = bamdp.domains.Tabular(ALPHA / ALPHA.sum(axis=2, keepdims=True), -COSTS, DISCOUNT)
    return Problem(expected, bamdp.priors.Dirichlet(ALPHA), steps=months)


def main(words: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--machines", type=int, default=100, help="machines drawn from the prior (default 100)")
    parser.add_argument("--years", type=int, default=3, help="years per machine (default 3)")
    parser.add_argument("--simulations", type=int, default=1000, help="simulations of BAMCP per month (default 1000)")
    parser.add_argument("--seed", type=int, default=0, help="random seed (default 0)")
    parser.add_argument("--picture", type=Path, default=Path("demo-output/machine_repair.png"), help="output file for the plot")
    options = parser.parse_args(words)
    search: dict[str, Any] = {"simulations": options.simulations, "exploration": 30.0}  # of the order of the returns at stake
    agents = {
        "knows the rates": "oracle",
        "BAMCP": ("bamcp", {**search, "rollouts": "posterior-mean"}),
        "BAMCP, learned roll-outs": ("bamcp", {**search, "horizon": 36}),
        "PSRL": "bayesian-dp",
        "posterior mean": "posterior-mean",
    }
    problem = machines(12 * options.years)
    result = bamdp.compare(problem, agents, worlds=options.machines, seed=options.seed, against="posterior mean")
    print(result)
    result.save(options.picture)
    print(f"Plot: {options.picture}")


if __name__ == "__main__":
    main()
