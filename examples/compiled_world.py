"""An unbounded domain at native speed: a one-way street of slot machines with unknown success
rates.

Play the current machine or walk on to the next; there is no way back, and the street is infinite.
The state is the number of the machine. The belief about the current machine is two counts; each new
machine starts from Beta(1, 1).

`begin` and `step` are compiled by Numba. `step` integrates out the success rate: a win makes the
next win more likely. The agent observes rewards, so the tree distinguishes wins from losses without
further code.
"""

from time import perf_counter
from typing import Any

import numpy as np

import bamdp
from bamdp import BAMDP
from bamdp.agents import BAMCP
from bamdp.domain import UNBOUNDED, Domain
from bamdp.hooks import uniform
from bamdp.priors import Compiled

PLAY, WALK = 0, 1


def begin(belief: Any, scratch: Any, rng: Any) -> None:
    scratch[0], scratch[1] = belief[0], belief[1]


def step(belief: Any, scratch: Any, state: Any, action: Any, rng: Any) -> Any:
    if action == WALK:
        scratch[0] = scratch[1] = 1.0
        return state + 1, 0.0
    wins, losses = scratch[0], scratch[1]
    if uniform(rng) * (wins + losses) < wins:
        scratch[0] += 1
        return state, 1.0
    scratch[1] += 1
    return state, 0.0


def observe(belief: Any, state: int, action: int, reward: float, next_state: int) -> None:
    if action == WALK:
        belief[:] = 1.0
    else:
        belief[0 if reward == 1.0 else 1] += 1


def prior(compile: bool = True) -> Compiled:
    return Compiled(
        step, begin, observe, belief_array=np.ones(2), scratch=np.zeros(2), compile=compile
    )


class Street(Domain):
    """The real street: a machine's success rate is a function of the seed and its number, whatever
    the order of visits.
    """

    num_states, num_actions, discount, steps = UNBOUNDED, 2, 0.98, 200

    def __init__(self, seed: int) -> None:
        self.seed, self.rewards = seed, np.empty((0, 2))

    def reset(self, rng: np.random.Generator) -> int:
        return 0

    def step(self, state: int, action: int, rng: np.random.Generator) -> tuple[int, float]:
        if action == WALK:
            return state + 1, 0.0
        rate = np.random.default_rng([self.seed, state]).random()
        return state, float(rng.random() < rate)


def main() -> None:
    # The same functions uncompiled, for debugging: slower, but identical results.
    compiled, uncompiled = prior(), prior(compile=False)
    problems = [BAMDP(either, np.empty((0, 2)), 0.98) for either in (compiled, uncompiled)]
    plans = [BAMCP(problem, simulations=20, seed=0).plan(0) for problem in problems]
    assert plans[0].q_values.tolist() == plans[1].q_values.tolist()

    earned, walked, simulations, started = [], [], 0, perf_counter()
    for seed in range(3):
        world = Street(seed)
        agent = BAMCP(world.problem(compiled), simulations=200, exploration=5.0, seed=seed)
        record = bamdp.run(agent, world, seed=seed)
        earned.append(record.rewards.mean())
        walked.append(record.final_state)
        simulations += agent.simulations_done
    print(
        f"reward per step {np.mean(earned):.2f}; the first machine alone would pay 0.5 on average"
    )
    print(f"final machine in three streets: {', '.join(map(str, walked))}")
    print(f"{simulations / (perf_counter() - started):.0f} simulations a second")


if __name__ == "__main__":
    main()
