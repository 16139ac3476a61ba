"""Rows on demand: a map of 40 000 cells with three kinds of ground, each with an unknown slip
probability.

A transition table of this domain would have 200 000 rows of 40 000 numbers for each simulation.
`Lazy` asks only for the rows that a simulation visits, and `begin` samples the parameters they
share: one slip probability for each kind of ground.
"""

from typing import Any

import numpy as np

from bamdp import BAMDP
from bamdp.agents import BAMCP
from bamdp.priors import Lazy

SIDE = 200
MOVES = ((0, 1), (0, -1), (1, 0), (-1, 0))
GROUND = np.random.default_rng(0).integers(
    3, size=(SIDE, SIDE)
)  # the map is known: road, mud or ice
NAMES, TRUE_SLIPS = ("road", "mud", "ice"), (0.05, 0.3, 0.7)


def moved(state: int, action: int) -> int:
    row, column = divmod(state, SIDE)
    down, right = MOVES[action]
    return (row + down) % SIDE * SIDE + (column + right) % SIDE


class Grounds:
    """A Beta posterior for each kind of ground: [slips, holds]."""

    asked = 0

    def __init__(self, problem: BAMDP) -> None:
        self.counts = np.ones((3, 2))

    def observe(
        self, state: int, action: int, reward: float | None, next_state: int, terminated: bool
    ) -> None:
        slipped = next_state == state  # after a slip the agent stays in its cell
        self.counts[GROUND.flat[state], 0 if slipped else 1] += 1

    def begin(self, rng: np.random.Generator) -> None:
        self.slips = rng.beta(self.counts[:, 0], self.counts[:, 1])

    def sample_row(self, state: int, action: int, rng: np.random.Generator) -> Any:
        Grounds.asked += 1
        slip = self.slips[GROUND.flat[state]]
        return np.array([state, moved(state, action)]), np.array([slip, 1 - slip])


def main() -> None:
    start, goal = 0, 3 * SIDE + 3
    rewards = np.zeros((SIDE**2, 4))
    rewards[goal] = 1.0
    agent = BAMCP(
        BAMDP(Lazy(Grounds), rewards, 0.8), simulations=200, depth=12, exploration=0.5, seed=0
    )

    state, steps, rng = start, 0, np.random.default_rng(1)
    while state != goal and steps < 60:
        action = agent.act(state)
        slipped = rng.random() < TRUE_SLIPS[GROUND.flat[state]]
        next_state = state if slipped else moved(state, action)
        agent.observe(state, action, rewards[state, action], next_state)
        state, steps = next_state, steps + 1

    print(
        f"{steps} steps, {Grounds.asked / agent.simulations_done:.1f} of {rewards.size} rows drawn "
        "per simulation"
    )
    counts = agent.belief.posterior.counts
    for name, truth, (slips, holds) in zip(NAMES, TRUE_SLIPS, counts, strict=True):
        believed = slips / (slips + holds)
        print(
            f"  {name}: true slip probability {truth}, posterior mean {believed:.2f} after "
            f"{slips + holds - 2:g} steps"
        )


if __name__ == "__main__":
    main()
