"""Tied parameters: how slippery is the ice? One number for the whole world, learned anywhere, used everywhere.

A short way leads over a bridge; who slips there falls, and climbs back to the start. The long way around is safe. Whether the
bridge is worth it depends on one slip probability, and it can be learned on the way, at no risk.
"""

import numpy as np

import bamdp
from bamdp.agents import BAMCP
from bamdp.domains import Tabular
from bamdp.priors import Dirichlet, SharedSlip

START, BRIDGE, DETOUR, GOAL, WATER, S = 0, (1, 2, 3), tuple(range(4, 13)), 13, 14, 15
OVER, AROUND = 0, 1


def places() -> tuple[np.ndarray, np.ndarray]:
    """Where each action is meant to lead, and where it leads with a slip. [S, 2]"""
    intended, slipped = np.zeros((S, 2), dtype=int), np.zeros((S, 2), dtype=int)
    for way in (BRIDGE, DETOUR):
        for here, there in zip(way, (*way[1:], GOAL), strict=True):
            intended[here] = there
            slipped[here] = WATER if way is BRIDGE else here  # who slips on the detour just stays where he is
    intended[START], slipped[START] = (BRIDGE[0], DETOUR[0]), START
    intended[GOAL] = slipped[GOAL] = START
    intended[WATER], slipped[WATER] = START, WATER
    return intended, slipped


def main() -> None:
    intended, slipped = places()
    rewards = np.zeros((S, 2))
    rewards[GOAL], rewards[WATER] = 1.0, -0.5
    shared = SharedSlip(intended, slipped)
    for slip in (0.02, 0.5):
        probabilities = np.broadcast_to([1 - slip, slip], (S, 2, 2))
        world = Tabular.from_successors(np.stack([intended, slipped], axis=2), probabilities, rewards, discount=0.95)
        for prior in (shared, Dirichlet()):
            agent = BAMCP(prior, rewards, world.discount, simulations=500, seed=2)
            record = bamdp.run(agent, world, steps=150, seed=2)
            ways = record.actions[record.states == START]
            print(
                f"slip {slip}, {type(prior).__name__}: earned {record.rewards.sum():g}, "
                f"last ten times over the bridge {np.mean(ways[-10:] == OVER):.0%}"
            )
            if prior is shared:
                print(f"  {agent.belief!r}")


if __name__ == "__main__":
    main()
