"""A custom domain, prior and agent in one file."""

from dataclasses import dataclass

import numpy as np

import bamdp
from bamdp.steps import check_state


class Ring(bamdp.domains.Tabular):
    """A ring of states: action 0 moves forward but may slip, action 1 moves back; the last state
    pays 1.
    """

    def __init__(self, size: int = 8, *, slip: float = 0.3, discount: float = 0.95) -> None:
        states = np.arange(size)
        transitions = np.zeros((size, 2, size))
        transitions[states, 0, (states + 1) % size] = 1 - slip
        transitions[states, 0, states] = slip
        transitions[states, 1, (states - 1) % size] = 1
        rewards = np.zeros((size, 2))
        rewards[-1] = 1
        super().__init__(bamdp.MDP(transitions, rewards), discount)


@dataclass(frozen=True)
class Neighbours(bamdp.Prior):
    """A step stays or leads to a neighbour on the ring, with unknown probabilities."""

    weight: float = 1.0

    def belief(self, problem: bamdp.BAMDP) -> bamdp.Belief:
        stay = np.eye(problem.num_states)
        near = np.maximum.reduce([stay, np.roll(stay, 1, axis=1), np.roll(stay, -1, axis=1)])
        alpha = self.weight * np.repeat(near[:, None, :], problem.num_actions, axis=1)  # [S, A, S]
        return bamdp.priors.Dirichlet(alpha).belief(problem)


class PosteriorSampling(bamdp.Agent):
    """Acts optimally for a world sampled from its belief, and samples another one
    every few steps.
    """

    state_attributes = ("policy",)

    def __init__(self, problem: bamdp.BAMDP, *, every: int = 10, seed: int = 0) -> None:
        self.every = every
        super().__init__(problem, seed=seed)

    def reset(self, seed: int) -> None:
        super().reset(seed)  # the belief, the random generator, and no steps
        self.draw()

    def draw(self) -> None:
        world = self.belief.sample(1, self._rng).take(0)
        self.policy = world.solve(self.problem.discount).policy

    def act(self, state: int) -> int:
        return int(self.policy[check_state(self.problem, state)])

    def observe(
        self,
        state: int,
        action: int,
        reward: float,
        next_state: int,
        terminated: bool | None = False,
    ) -> None:
        super().observe(state, action, reward, next_state, terminated)  # the belief learns
        if self.steps_done % self.every == 0:
            self.draw()
