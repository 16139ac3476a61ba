"""How a search should branch on a normal reward: `python benchmarks/normal_branches.py`, two
minutes on one core.

BAMCP with leaves valued by the posterior mean, and nodes that tell 1, 2, 3, … intervals of rewards
apart; 1 is no branching.

1. One decision with a known answer: an arm with mean x ± 1 and noise 1, or a sure reward of 0, at a
   discount of 0.9. Right is the arm if x is above −ν, where ν is its Gittins index. 17 arms within
   0.8 of that, and 40 seeds: the mean distance of x from −ν, counted where the decision was wrong.
2. The tabular MDPs of RL² (Duan et al. 2016): ten states, five actions, flat Dirichlet rows, mean
   rewards N(1, 1), noise 1. The discounted sum of the mean rewards of 60 steps, less that of the
   agent that doesn't branch, in the same worlds.
"""

import argparse

import numpy as np
from numpy.typing import NDArray

import bamdp
from bamdp import BAMDP, MDP
from bamdp.agents import BAMCP
from bamdp.domains import Tabular
from bamdp.exact import normal_gittins_index
from bamdp.priors import Dirichlet, Normal, NormalArms, UnknownRewards, unknown_rewards
from bamdp.suite import Benchmark

INTERVALS, BUDGETS = (1, 2, 3, 4, 8, 16, 64), (1000, 10_000)
DISCOUNT, STEPS = 0.9, 60
PRIOR = UnknownRewards(Dirichlet(1.0), outcomes=Normal(mean=1, deviation=1, noise=1))


class NoisyTable(Tabular):
    """Tables whose rewards have standard normal noise."""

    def step(self, state: int, action: int, rng: np.random.Generator) -> tuple[int, float]:
        next_state, mean = super().step(state, action, rng)
        return next_state, mean + float(rng.standard_normal())


def drawn(rng: np.random.Generator) -> NoisyTable:
    return NoisyTable(
        MDP(rng.dirichlet(np.ones(10), size=(10, 5)), rng.normal(1, 1, size=(10, 5))), DISCOUNT
    )


def loss(simulations: int, seeds: int) -> float:
    """The mean distance from indifference of wrong decisions."""
    indifferent = -float(normal_gittins_index(0, 1, 1, DISCOUNT))
    total = 0.0
    for x in indifferent + np.linspace(-0.8, 0.8, 17):
        problem = BAMDP(NormalArms(mean=[x, 0], deviation=[1, 0]), np.zeros((1, 2)), DISCOUNT)
        for seed in range(seeds):
            agent = BAMCP(problem, simulations=simulations, rollouts="posterior-mean", seed=seed)
            total += abs(x - indifferent) * ((agent.act(0) == 0) != (x > indifferent)) / seeds / 17
    return total


def scores(simulations: int, worlds: int) -> NDArray[np.float64]:
    """The discounted sum of mean rewards in each world. [worlds]"""
    problem, found = Benchmark(drawn(np.random.default_rng(0)), PRIOR, drawn), []
    for seed in range(worlds):
        world = problem.world(seed)
        agent = BAMCP(
            world.problem(PRIOR), simulations=simulations, rollouts="posterior-mean", seed=seed
        )
        run = bamdp.run(agent, world, steps=STEPS, seed=seed)
        found.append(world.rewards[run.states[:STEPS], run.actions] @ DISCOUNT ** np.arange(STEPS))
    return np.array(found)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=40)
    parser.add_argument("--worlds", type=int, default=100)
    given = parser.parse_args()
    for simulations in BUDGETS:
        for intervals in INTERVALS:
            unknown_rewards.BRANCHES = intervals
            print(
                f"one arm, {simulations:5} simulations, {intervals:2} intervals: "
                f"{loss(simulations, given.seeds):.3f}",
                flush=True,
            )
    alone = np.zeros(given.worlds)
    for intervals in INTERVALS[:5]:
        unknown_rewards.BRANCHES = intervals
        found = scores(BUDGETS[0], given.worlds)
        alone = found if intervals == 1 else alone
        off = found - alone
        error = off.std(ddof=1) / len(off) ** 0.5
        print(
            f"RL², {intervals} intervals: {found.mean():.2f}, {off.mean():+.2f} ± {error:.2f}",
            flush=True,
        )


if __name__ == "__main__":
    main()
