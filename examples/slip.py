"""Tied parameters: one unknown slip probability shared by all states, learned anywhere and used
everywhere.

A short route leads over a bridge; a slip there means a fall into the water and a climb back to the
start. The long detour is safe. Whether the bridge pays depends on the slip probability, which can
be learned on the detour at no risk.
"""

import numpy as np
from scipy import stats

import bamdp
from bamdp import MDP
from bamdp.agents import BayesAdaptive
from bamdp.domains import Tabular
from bamdp.priors import Dirichlet, Parametric

START, BRIDGE, DETOUR, GOAL, WATER, S = 0, (1, 2, 3), tuple(range(4, 13)), 13, 14, 15
OVER, AROUND = 0, 1


def places() -> tuple[np.ndarray, np.ndarray]:
    """Intended next state of each action, and next state after a slip. [S, 2]"""
    intended, slipped = np.zeros((S, 2), dtype=int), np.zeros((S, 2), dtype=int)
    for way in (BRIDGE, DETOUR):
        for here, there in zip(way, (*way[1:], GOAL), strict=True):
            intended[here] = there
            slipped[here] = (
                WATER if way is BRIDGE else here
            )  # a slip on the detour only costs a step
    intended[START], slipped[START] = (BRIDGE[0], DETOUR[0]), START
    intended[GOAL] = slipped[GOAL] = START
    intended[WATER], slipped[WATER] = START, WATER
    return intended, slipped


def main() -> None:
    intended, slipped = places()
    rewards = np.zeros((S, 2))
    rewards[GOAL], rewards[WATER] = 1.0, -0.5

    def rows(slip: np.ndarray, state: int, action: int) -> np.ndarray:
        """Where a step may lead, for each slip probability. [M, S]"""
        rows = np.zeros((len(slip), S))
        rows[:, intended[state, action]] = 1 - slip
        rows[:, slipped[state, action]] += slip
        return rows

    shared = Parametric(rows, stats.uniform(), points=100)
    for slip in (0.02, 0.5):
        probabilities = np.broadcast_to([1 - slip, slip], (S, 2, 2))
        world = Tabular(
            MDP(probabilities, rewards, successors=np.stack([intended, slipped], axis=2)), 0.95
        )
        for prior in (shared, Dirichlet()):
            agent = BayesAdaptive(world.problem(prior), simulations=100, seed=2)
            record = bamdp.run(agent, world, steps=150, seed=2)
            ways = record.actions[record.states == START]
            print(
                f"slip {slip}, {type(prior).__name__}: total reward {record.rewards.sum():g}, "
                f"bridge taken in {np.mean(ways[-10:] == OVER):.0%} of the last ten choices"
            )
            if prior is shared:
                print(f"  {agent.belief!r}")


if __name__ == "__main__":
    main()
