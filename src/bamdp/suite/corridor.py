"""An endless corridor of rooms, each with a machine of its own unknown success rate.

    p_x ~ Beta(success),   P(a try in room x pays 1) = p_x

| action | 0                     | 1                     | 2                   |
|--------|-----------------------|-----------------------|---------------------|
|        | x − 1, or stay        | x + 1, or stay        | try the machine     |

A move fails with probability `slip`. The state is the room, any integer. Staying with a good
machine competes with looking for a better one, on either side, and the way back takes a random
time: an infinite-armed bandit with travel.

The prior has three hooks (`bamdp.priors.Compiled`), which Numba compiles. `step` integrates out the
success rates: of each room it keeps the wins and losses of real steps, in `belief`, and of the
simulation, in `scratch`. `policy`, for roll-outs, tries the machine of a room while its index is
high, and else walks right. The index is that of docs/planner.md for N more tries,

    m + z(N / (n + 2)) √(m (1 − m) / (n + 1)),   z(u) = 0.72 √(log(1 + u) u / (u + ½))

with m the mean and n the pseudo-counts and tries. It is high if it is above the middle between mean
and index of a room that was never tried: on the way there nothing is earned.
"""

from __future__ import annotations

from collections import Counter
from typing import Any, Self

import numpy as np

from bamdp import validation
from bamdp.domain import UNBOUNDED, Domain
from bamdp.hooks import uniform
from bamdp.pictures.scenes import Scene, description, scene
from bamdp.prior import Prior
from bamdp.priors.compiled import Compiled
from bamdp.problem import BAMDP
from bamdp.suite.benchmark import Benchmark
from bamdp.validation import beta_parameters, integer, positive_integer, real

ROOMS = 1024  # counts of rooms, by the room modulo it: a run must be shorter
TOUCHED = 512  # rooms that a simulation can try
LEFT, RIGHT, TRY = range(3)
ACTIONS = ("left", "right", "try")


def begin(belief: Any, scratch: Any, rng: Any) -> None:
    """Forget the tries of the last simulation; their rooms are listed after their number."""
    for i in range(1, int(scratch[0, 0]) + 1):
        room = int(scratch[i, 0])
        scratch[TOUCHED + room, 0] = scratch[TOUCHED + room, 1] = 0.0
    scratch[0, 0] = 0.0


def step(belief: Any, scratch: Any, state: Any, action: Any, rng: Any) -> Any:
    """Walk, or try the machine. After its rooms `belief` has the prior, the slip, and numbers for
    the policy.
    """
    if action != TRY:
        moved = uniform(rng) >= belief[ROOMS + 1, 0]
        return state + (2 * action - 1) * int(moved), 0.0
    room = state % ROOMS
    at = TOUCHED + room
    wins = belief[ROOMS, 0] + belief[room, 0] + scratch[at, 0]
    losses = belief[ROOMS, 1] + belief[room, 1] + scratch[at, 1]
    if scratch[at, 0] + scratch[at, 1] == 0 and scratch[0, 0] < TOUCHED - 1:
        scratch[0, 0] += 1
        scratch[int(scratch[0, 0]), 0] = room
    won = uniform(rng) * (wins + losses) < wins
    scratch[at, 0 if won else 1] += 1
    return state, 1.0 if won else 0.0


def policy(belief: Any, scratch: Any, state: Any, rng: Any) -> Any:
    """Try, while the index of the room is high enough; else walk right."""
    room = state % ROOMS
    wins = belief[ROOMS, 0] + belief[room, 0] + scratch[TOUCHED + room, 0]
    n = wins + belief[ROOMS, 1] + belief[room, 1] + scratch[TOUCHED + room, 1]
    mean, u = wins / n, belief[ROOMS + 2, 0] / (n + 2)
    z = 0.72 * np.sqrt(np.log(1 + u) * u / (u + 0.5))
    index = mean + z * np.sqrt(mean * (1 - mean) / (n + 1))
    return TRY if index >= belief[ROOMS + 2, 1] else RIGHT


def observe(belief: Any, state: int, action: int, reward: float, next_state: int) -> None:
    """Count a real try."""
    if action == TRY:
        belief[state % ROOMS, 0 if reward > 0 else 1] += 1


class EndlessCorridor(Domain):
    """Rooms in a row without an end, each with a machine that pays 1 with a probability of its own.

    The n-th outcome of an action in a room is a function of the seed: agents that do the same see
    the same.

    Args:
        success: the two parameters of the Beta distribution of success rates.
        slip: probability that a move fails.
        seed: seed of the world; a new world for each run if not given.
        discount: discount factor, in [0, 1).

    Example:
        >>> world = EndlessCorridor(seed=1)
        >>> world.reset(np.random.default_rng(0)), world.success_rate(0) == world.success_rate(0)
        (0, True)
    """

    steps = 100

    def __init__(
        self,
        success: tuple[float, float] = (1.0, 2.0),
        *,
        slip: float = 0.2,
        seed: int | None = None,
        discount: float = 0.95,
    ) -> None:
        self.success, self.slip = beta_parameters("success", success), real("slip", slip, 0, 1)
        self.seed = None if seed is None else validation.seed(seed)
        self.discount = validation.discount(discount)
        self.num_states, self.num_actions = UNBOUNDED, 3
        self.rewards = np.empty((0, 3))
        self._seed = 0 if self.seed is None else self.seed
        self._taken: Counter[tuple[int, int]] = Counter()
        self._prior: Prior | None = None

    def __copy__(self) -> Self:
        """The same world, from the first outcome of everything."""
        twin = type(self)(self.success, slip=self.slip, seed=self.seed, discount=self.discount)
        twin._prior = self._prior
        return twin

    def reset(self, rng: np.random.Generator) -> int:
        """Room 0; of a new world if there is no seed."""
        rng = validation.generator(rng)
        self._seed = int(rng.integers(2**63)) if self.seed is None else self.seed
        self._taken.clear()
        return 0

    def success_rate(self, room: int) -> float:
        """The success rate of the machine in a room."""
        return float(self._stream(0, room, 0).beta(*self.success))

    def step(self, state: int, action: int, rng: np.random.Generator) -> tuple[int, float]:
        state, action = (
            integer("state", state, -(2**63), 2**63 - 1),
            integer("action", action, 0, 2),
        )
        n = self._taken[state, action]
        self._taken[state, action] += 1
        drawn = self._stream(1 + action, state, n).random()
        if action == TRY:
            return state, float(drawn < self.success_rate(state))
        return state + (2 * action - 1) * (drawn >= self.slip), 0.0

    def problem(self, prior: Prior | None = None, **changes: Any) -> BAMDP:
        """What agents are told; the default prior is what the world is drawn from."""
        told = {"actions": ACTIONS, **changes}
        return super().problem(self._own_prior() if prior is None else prior, **told)

    def _own_prior(self) -> Prior:
        if self._prior is None:
            belief = np.zeros((ROOMS + 3, 2))
            belief[ROOMS], belief[ROOMS + 1] = self.success, (self.slip, 0.0)
            belief[ROOMS + 2] = self._policy_numbers()
            scratch = np.zeros((TOUCHED + ROOMS, 2))
            self._prior = Compiled(step, begin, observe, belief, scratch, policy=policy)
        return self._prior

    def _policy_numbers(self) -> tuple[float, float]:
        """How many tries are to come, and the index from which on the policy stays."""
        tries, (a, b) = self.discount / (1 - self.discount), self.success
        mean, u = a / (a + b), tries / (a + b + 2)
        z = 0.72 * np.sqrt(np.log(1 + u) * u / (u + 0.5))
        return tries, mean + z * np.sqrt(mean * (1 - mean) / (a + b + 1)) / 2

    def _stream(self, purpose: int, room: int, n: int) -> np.random.Generator:
        return np.random.default_rng([self._seed, purpose, room % 2**64, n])

    def __repr__(self) -> str:
        seed = "" if self.seed is None else f", seed={self.seed}"
        return f"EndlessCorridor(success={self.success}, slip={self.slip:g}{seed})"


@scene.register
def _(domain: EndlessCorridor) -> Scene:
    return Scene("map", lambda state: (state, 0), str, ACTIONS)


@description.register
def _(domain: EndlessCorridor) -> str:
    return (
        "An endless corridor of rooms: try the machine of this room again, or look for a "
        "better one."
    )


class Corridor(Benchmark, name="endless-corridor"):
    """The endless corridor, a new one in each run. Needs Numba, `pip install 'bamdp[numba]'`.

    Args:
        success: the two parameters of the Beta distribution of success rates.
        slip: probability that a move fails.
        discount: discount factor, in [0, 1).
        steps: number of steps of a run.
    """

    def __init__(
        self,
        *,
        success: tuple[float, float] = (1.0, 2.0),
        slip: float = 0.2,
        discount: float = 0.95,
        steps: int = 100,
    ) -> None:
        positive_integer("steps", steps, ROOMS - 1)
        super().__init__(
            EndlessCorridor(success, slip=slip, discount=discount), draw="fixed", steps=steps
        )
