"""A custom domain, prior and agent in one file."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

import bamdp
from bamdp import MDP
from reference.problems import belief_of


class Ring(bamdp.domains.Tabular):
    """A ring of states: action 0 moves forward but may slip, action 1 moves back; the last state pays 1."""

    def __init__(self, size: int = 8, *, slip: float = 0.3, discount: float = 0.95) -> None:
        states = np.arange(size)
        transitions = np.zeros((size, 2, size))
        transitions[states, 0, (states + 1) % size] = 1 - slip
        transitions[states, 0, states] = slip
        transitions[states, 1, (states - 1) % size] = 1
        rewards = np.zeros((size, 2))
        rewards[-1] = 1
        super().__init__(transitions, rewards, discount)


@dataclass(frozen=True)
class Neighbours(bamdp.Prior):
    """A step stays or leads to a neighbour on the ring, with unknown probabilities."""

    weight: float = 1.0

    def belief(self, num_states: int, num_actions: int) -> bamdp.Belief:
        stay = np.eye(num_states)
        near = np.maximum.reduce([stay, np.roll(stay, 1, axis=1), np.roll(stay, -1, axis=1)])
        alpha = self.weight * np.repeat(near[:, None, :], num_actions, axis=1)  # [S, A, S]
        return belief_of(bamdp.priors.Dirichlet(alpha), num_states, num_actions)


class PosteriorSampling(bamdp.Agent):
    """Acts optimally for an MDP sampled from its belief, and resamples it every few steps."""

    def __init__(self, prior: bamdp.Prior, rewards: ArrayLike, discount: float, *, every: int = 10, seed: int = 0) -> None:
        self.prior, self.rewards, self.discount, self.every = prior, np.asarray(rewards), discount, every
        self.reset(seed)

    def reset(self, seed: int) -> None:
        self.rng = np.random.default_rng(seed)
        self.belief = belief_of(self.prior, *self.rewards.shape[:2])
        self.steps = 0
        self.draw()

    def draw(self) -> None:
        world = bamdp.domains.Tabular(MDP(self.belief.sample(1, self.rng).transitions[0], self.rewards), self.discount)
        self.guess = bamdp.agents.Oracle(world.problem(), world=world.mdp)

    def act(self, state: int) -> int:
        return self.guess.act(state)

    def observe(self, state: int, action: int, reward: float, next_state: int) -> None:
        self.belief.observe(state, action, None, next_state)
        self.steps += 1
        if self.steps % self.every == 0:
            self.draw()
