"""Information gathering with a finite prior: two doors, a prize behind one, and an oracle that is
right four times out of five.

Asking earns no reward; its value is the information. An agent that plans with its belief asks until
the odds are good enough, then opens a door, and never asks again.
"""

import numpy as np

from bamdp import BAMDP
from bamdp.agents import BayesAdaptive
from bamdp.priors import Finite
from bamdp.spaces import action_name

HALL, HEARD_LEFT, HEARD_RIGHT, PRIZE, PIT = range(5)
ASK, OPEN_LEFT, OPEN_RIGHT = range(3)


def world(prize_is_left: bool) -> np.ndarray:
    """Transition probabilities of one world. [S, A, S]"""
    table = np.zeros((5, 3, 5))
    for room in (HALL, HEARD_LEFT, HEARD_RIGHT):
        table[room, ASK, HEARD_LEFT] = 0.8 if prize_is_left else 0.2
        table[room, ASK, HEARD_RIGHT] = 1 - table[room, ASK, HEARD_LEFT]
        table[room, OPEN_LEFT, PRIZE if prize_is_left else PIT] = 1
        table[room, OPEN_RIGHT, PIT if prize_is_left else PRIZE] = 1
    table[[PRIZE, PIT], :, HALL] = 1
    return table


def main() -> None:
    tables = np.stack([world(True), world(False)])
    rewards = np.zeros((5, 3))
    rewards[PRIZE], rewards[PIT] = 1.0, -10.0

    truth, rng = tables[1], np.random.default_rng(1)
    problem = BAMDP(Finite(tables), rewards, 0.9, actions=("ask", "open left", "open right"))
    agent = BayesAdaptive(problem, simulations=1000, seed=0)
    state = HALL
    print("  P(prize is left)   action")
    for _ in range(10):
        weights = agent.belief.weights
        action = agent.act(state)
        if state not in (PRIZE, PIT):
            print(f"  {weights[0]:.3f}              {action_name(problem, action)}")
        next_state = int(rng.choice(5, p=truth[state, action]))
        agent.observe(state, action, rewards[state, action], next_state)
        state = next_state
    print(f"most probable world: the prize is {'left' if weights[0] > 0.5 else 'right'}")


if __name__ == "__main__":
    main()
