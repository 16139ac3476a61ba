"""Algorithm 1 of the paper, obviously correct and slow: histories are tuples, N and Q are
dictionaries.

    N[h], N[h, a]   visits of the node <s, h> and of its action a
    Q[h, a]         mean return of that action
    P[s, a]         rows of the sampled model, drawn when first needed

Every simulation takes exactly `depth` steps (the paper's listing gives its roll-out the depth of
the node above, one step too many). The authors' program differs in three points.
"""

from dataclasses import dataclass, field
from math import log, sqrt

import numpy as np
from numpy.typing import NDArray

from reference.histories import History
from reference.rows import Rows

Model = dict[tuple[int, int], NDArray[np.float64]]


@dataclass
class Twin:
    rows: Rows
    rewards: NDArray[np.float64]
    discount: float
    depth_limit: int
    as_program: bool
    rng: np.random.Generator
    exploration: float
    epsilon: float = 0.5
    learning_rate: float = 0.2
    rollout_q: NDArray[np.float64] = field(init=False)

    def __post_init__(self) -> None:
        self.num_states, self.num_actions = self.rows.num_states, self.rows.num_actions
        self.rollout_q = np.zeros((self.num_states, self.num_actions))

    def observe(self, state: int, action: int, reward: float, next_state: int) -> None:
        self.rows.observe(state, action, next_state)
        target = reward + self.discount * self.rollout_q[next_state].max()
        self.rollout_q[state, action] += self.learning_rate * (
            target - self.rollout_q[state, action]
        )

    def search(self, state: int, simulations: int) -> int:
        self.N: dict[History, int] = {}
        self.N_action: dict[tuple[History, int], int] = {}
        self.Q: dict[tuple[History, int], float] = {}
        for _ in range(simulations):
            self.simulate(state, (), {}, 0)
        tried = [a for a in range(self.num_actions) if self.N_action[(), a] > 0]
        best = max(self.Q[(), a] for a in tried)
        return self.any_of([a for a in tried if self.Q[(), a] == best])

    def simulate(self, s: int, h: History, P: Model, d: int) -> float:
        if d == self.depth_limit:
            return 0.0
        if h not in self.N:
            self.N[h] = 0
            for b in range(self.num_actions):
                self.N_action[h, b] = 0
                self.Q[h, b] = 0.0
            a = self.any_of(range(self.num_actions)) if self.as_program else self.rollout_action(s)
            s_next, r = self.step(s, a, P)
            R = r + self.discount * self.rollout(s_next, P, d + 1)
        else:
            a = self.ucb_action(h)
            s_next, r = self.step(s, a, P)
            h_next = (*h, (a, s_next))
            if self.as_program and h_next not in self.N and self.N_action[h, a] == 0:
                R = r + self.discount * self.rollout(s_next, P, d + 1)
            else:
                R = r + self.discount * self.simulate(s_next, h_next, P, d + 1)
        self.N[h] += 1
        self.N_action[h, a] += 1
        self.Q[h, a] += (R - self.Q[h, a]) / self.N_action[h, a]
        return R

    def rollout(self, s: int, P: Model, d: int) -> float:
        if d == self.depth_limit:
            return 0.0
        s_next, r = self.step(s, self.rollout_action(s), P)
        return r + self.discount * self.rollout(s_next, P, d + 1)

    def step(self, s: int, a: int, P: Model) -> tuple[int, float]:
        row = (self.rows.line(s), a)
        if row not in P:
            P[row] = self.rows.draw(s, a, self.rng).cumsum()
        s_next = int(P[row].searchsorted(self.rng.random() * P[row][-1], side="right"))
        return s_next, float(
            self.rewards[s, a] if self.rewards.ndim == 2 else self.rewards[s, a, s_next]
        )

    def ucb_action(self, h: History) -> int:
        untried = [b for b in range(self.num_actions) if self.N_action[h, b] == 0]
        if untried:
            return self.any_of(untried)
        logarithm = log(self.N[h] + self.as_program)
        score = [
            self.Q[h, b] + self.exploration * sqrt(logarithm / self.N_action[h, b])
            for b in range(self.num_actions)
        ]
        return self.any_of([b for b in range(self.num_actions) if score[b] == max(score)])

    def rollout_action(self, s: int) -> int:
        if self.rng.random() < self.epsilon:
            return self.any_of(range(self.num_actions))
        q = self.rollout_q[s]
        return self.any_of([b for b in range(self.num_actions) if q[b] == q.max()])

    def any_of(self, actions: list[int] | range) -> int:
        return actions[int(self.rng.integers(len(actions)))] if len(actions) > 1 else actions[0]

    @property
    def depth(self) -> int:
        return max(len(h) + 1 for h in self.N)
