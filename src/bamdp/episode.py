"""THE loop: one agent, one domain, one seed → one record. There is no second loop.

    domain ← domain.for_run; state ← domain.reset
    repeat: action ← agent.act(state); next_state, reward ← domain.step(state, action); agent.observe(…)

A reward belongs to the step in which it was paid, whatever the domain pays it for. `seconds` counts the agent's time alone.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from time import perf_counter

import numpy as np
from numpy.typing import NDArray

from bamdp import validation
from bamdp.agent import Agent
from bamdp.domain import Domain


@dataclass(frozen=True)
class Record:
    """What happened in one run.

    Attributes:
        states: the state before each step. [T]
        actions: the action of each step. [T]
        rewards: the reward of each step. [T]
        final_state: the state after the last step.
        discount: the domain's discount.
        seconds: time the agent spent acting and learning.
    """

    states: NDArray[np.int64]
    actions: NDArray[np.int64]
    rewards: NDArray[np.float64]
    final_state: int
    discount: float
    seconds: float

    @property
    def total_reward(self) -> float:
        """Undiscounted sum of rewards, the measure of the paper's Table 1."""
        return float(self.rewards.sum())

    @property
    def discounted_return(self) -> float:
        """Sum of rewards, each discounted by the steps before it."""
        return float(self.rewards @ self.discount ** np.arange(len(self.rewards)))

    def __repr__(self) -> str:
        return f"Record({len(self.rewards)} steps, total_reward={self.total_reward:g}, seconds={self.seconds:.3g})"


def run(
    agent: Agent,
    domain: Domain,
    steps: int | None = None,
    seed: int = 0,
    on_step: Callable[[int, float], None] | None = None,
) -> Record:
    """Let `agent` act in `domain` for `steps` steps; `seed` drives the world alone (the agent has its own).

    Args:
        agent: who acts; it goes on learning from where it is, call `agent.reset` for a fresh start.
        domain: where.
        steps: how many steps; the domain's own number if not given.
        seed: of the world's chances.
        on_step: called after each step with the number of steps done and the total reward, to show progress; an exception
            raised there ends the run.

    Example:
        >>> import bamdp
        >>> world = bamdp.domains.Chain()
        >>> agent = bamdp.agents.Random(world.num_actions, seed=0)
        >>> bamdp.run(agent, world, steps=100, seed=0).states[0]
        np.int64(0)
    """
    steps = validation.positive_integer("steps", domain.steps if steps is None else steps)
    rng = np.random.default_rng(np.random.SeedSequence(validation.seed(seed)))
    domain = domain.for_run()
    states = np.empty(steps, dtype=np.int64)
    actions = np.empty(steps, dtype=np.int64)
    rewards = np.empty(steps)
    state, total, seconds = domain.reset(rng), 0.0, 0.0
    for t in range(steps):
        started = perf_counter()
        action = agent.act(state)
        seconds += perf_counter() - started
        next_state, reward = domain.step(state, action, rng)
        started = perf_counter()
        agent.observe(state, action, reward, next_state)
        seconds += perf_counter() - started
        states[t], actions[t], rewards[t] = state, action, reward
        state, total = next_state, total + reward
        if on_step is not None:
            on_step(t + 1, total)
    return Record(states, actions, rewards, state, domain.discount, seconds)
