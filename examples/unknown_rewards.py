"""Unknown rewards: an orchard with known paths and unknown trees.

Eight trees stand in a ring; at each, the agent can shake the tree or walk on. The probability that
a tree drops an apple is unknown, with a Beta prior for each tree. The agent tries trees while the
expected information is worth more than the best known tree, then settles.
"""

import numpy as np

from bamdp import BAMDP
from bamdp.agents import BayesAdaptive
from bamdp.priors import Dirichlet, UnknownRewards

TREES, SHAKE, WALK = 8, 0, 1


def main() -> None:
    paths = np.zeros(
        (TREES, 2, TREES)
    )  # pseudo-counts: with one possible next state, transitions are known
    for tree in range(TREES):
        paths[tree, SHAKE, tree] = paths[tree, WALK, (tree + 1) % TREES] = 1
    # Rewards of both actions are learned; the array of zeros only gives the numbers of states and
    # actions.
    prior = UnknownRewards(Dirichlet(paths), values=(0.0, 1.0), alpha=1.0)
    agent = BayesAdaptive(BAMDP(prior, np.zeros((TREES, 2)), 0.97), simulations=1000, seed=0)

    rng = np.random.default_rng(4)
    apples = rng.uniform(0, 0.9, size=TREES)
    state, shaken, rewards = 0, np.zeros(TREES, dtype=int), []
    for _ in range(150):
        action = agent.act(state)
        reward = float(action == SHAKE and rng.random() < apples[state])
        next_state = state if action == SHAKE else (state + 1) % TREES
        agent.observe(state, action, reward, next_state)
        shaken[state] += action == SHAKE
        rewards.append(reward)
        state = next_state

    believed = agent.belief.mean().expected_rewards
    print("tree  apples  shaken  belief")
    for tree in range(TREES):
        print(f"{tree:4d}  {apples[tree]:6.2f}  {shaken[tree]:6d}  {believed[tree, SHAKE]:6.2f}")
    late = np.mean(rewards[-50:])
    print(
        f"found tree {shaken.argmax()}; {late:.2f} apples per step at the end, {apples.max():.2f} "
        "from the best tree"
    )


if __name__ == "__main__":
    main()
