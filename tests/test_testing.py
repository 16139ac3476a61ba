"""The checkers of contracts let the good pass and see each kind of breach: a check that can't fail is a defect."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from bamdp import Agent, Belief, Domain, Prior
from bamdp.domains import Chain
from bamdp.testing import check_agent, check_domain, check_prior


class Coin(Domain):
    """Two states, one fair coin."""

    def __init__(self) -> None:
        self.num_states, self.num_actions, self.discount = 2, 2, 0.9
        self.rewards: NDArray[np.float64] = np.array([[0.0, 1.0], [2.0, 3.0]])

    def reset(self, rng: np.random.Generator) -> int:
        return 0

    def step(self, state: int, action: int, rng: np.random.Generator) -> tuple[int, float]:
        if state not in (0, 1) or action not in (0, 1):
            raise ValueError(f"state and action must be 0 or 1, got {state} and {action}")
        return int(rng.integers(2)), float(self.rewards[state, action])


class Memory(Coin):
    def __init__(self) -> None:
        super().__init__()
        self.count = 0

    def step(self, state: int, action: int, rng: np.random.Generator) -> tuple[int, float]:
        self.count += 1
        _, reward = super().step(state, action, rng)
        return self.count % 2, reward


class OtherRewards(Coin):
    def step(self, state: int, action: int, rng: np.random.Generator) -> tuple[int, float]:
        return super().step(state, action, rng)[0], 7.0


class Lenient(Coin):
    def step(self, state: int, action: int, rng: np.random.Generator) -> tuple[int, float]:
        return super().step(state % 2, action % 2, rng)


class Outside(Coin):
    def step(self, state: int, action: int, rng: np.random.Generator) -> tuple[int, float]:
        return 2, super().step(state, action, rng)[1]


class Shapeless(Coin):
    def __init__(self) -> None:
        super().__init__()
        self.rewards = np.zeros(2)


class RandomStart(Coin):
    def reset(self, rng: np.random.Generator) -> int:
        self.last = 1 - getattr(self, "last", 0)
        return self.last


def test_a_good_domain_passes() -> None:
    check_domain(Coin())


@pytest.mark.parametrize(
    ("domain", "sentence"),
    [
        (Memory(), "depend on its arguments alone"),
        (OtherRewards(), "the table `rewards` has"),
        (Lenient(), "must raise a ValueError"),
        (Outside(), "must return a next state"),
        (Shapeless(), "rewards must have shape"),
        (RandomStart(), "reset must depend on the generator alone"),
    ],
    ids=lambda value: type(value).__name__,
)
def test_a_bad_domain_fails(domain: Domain, sentence: str) -> None:
    with pytest.raises(AssertionError, match=sentence):
        check_domain(domain)


class Counts(Belief):
    """Laplace's rule of succession."""

    def __init__(self, num_states: int, num_actions: int) -> None:
        self.num_states, self.num_actions = num_states, num_actions
        self.counts = np.ones((num_states, num_actions, num_states))

    def observe(self, state: int, action: int, next_state: int) -> None:
        place = (state, action, next_state)
        if not all(0 <= i < size for i, size in zip(place, self.counts.shape, strict=True)):
            raise ValueError(f"out of range: {place}")
        self.counts[place] += 1

    def predictive(self, state: int, action: int) -> NDArray[np.float64]:
        row = self.counts[state, action]
        return np.asarray(row / row.sum())

    def sample_mdp(self, rng: np.random.Generator) -> NDArray[np.float64]:
        draws = rng.standard_gamma(self.counts)
        return np.asarray(draws / draws.sum(axis=-1, keepdims=True))


class ForgetsInDraws(Counts):
    def sample_mdp(self, rng: np.random.Generator) -> NDArray[np.float64]:
        draws = rng.standard_gamma(np.ones_like(self.counts))
        return np.asarray(draws / draws.sum(axis=-1, keepdims=True))


class Unnormalised(Counts):
    def predictive(self, state: int, action: int) -> NDArray[np.float64]:
        return np.asarray(self.counts[state, action])


class Contrary(Counts):
    def predictive(self, state: int, action: int) -> NDArray[np.float64]:
        row = 1 / self.counts[state, action]
        return np.asarray(row / row.sum())

    def sample_mdp(self, rng: np.random.Generator) -> NDArray[np.float64]:
        raise TypeError


class OtherMean(Counts):
    def mean(self) -> NDArray[np.float64]:
        return np.full(self.counts.shape, 1 / self.num_states)


class Wraps(Counts):
    def observe(self, state: int, action: int, next_state: int) -> None:
        self.counts[state % self.num_states, action % self.num_actions, next_state % self.num_states] += 1


class ChangedByRefusal(Counts):
    def observe(self, state: int, action: int, next_state: int) -> None:
        self.counts[0, 0, 0] += 1
        super().observe(state, action, next_state)


class Numb(Counts):
    """Can do nothing but observe, which is allowed."""

    def predictive(self, state: int, action: int) -> NDArray[np.float64]:
        raise TypeError

    def sample_mdp(self, rng: np.random.Generator) -> NDArray[np.float64]:
        raise TypeError


@dataclass(frozen=True)
class Makes(Prior):
    make: Callable[[int, int], Belief]

    def belief(self, num_states: int, num_actions: int) -> Belief:
        return self.make(num_states, num_actions)


@dataclass(frozen=True)
class Shares(Prior):
    beliefs: dict[Any, Counts] = field(default_factory=dict, repr=False)

    def belief(self, num_states: int, num_actions: int) -> Belief:
        return self.beliefs.setdefault((num_states, num_actions), Counts(num_states, num_actions))


@pytest.mark.parametrize("belief", [Counts, Numb])
def test_a_good_prior_passes(belief: type[Counts]) -> None:
    check_prior(Makes(belief), 3, 2)


@pytest.mark.parametrize(
    ("prior", "sentence"),
    [
        (Makes(ForgetsInDraws), "the average of sample_mdp must be mean"),
        (Makes(Unnormalised), "sum to one"),
        (Makes(Contrary), "must not make it less probable"),
        (Makes(OtherMean), "must be the row of mean"),
        (Makes(Wraps), "must raise a ValueError"),
        (Makes(ChangedByRefusal), "a rejected observation must leave the belief unchanged"),
        (Makes(lambda S, A: Counts(S + 1, A)), "has sizes"),
        (Shares(), "a prior must not change"),
    ],
)
def test_a_bad_prior_fails(prior: Prior, sentence: str) -> None:
    with pytest.raises(AssertionError, match=sentence):
        check_prior(prior, 3, 2)


class Counter(Agent):
    """Visits actions by the number of observations and the seed."""

    def __init__(self, num_actions: int, *, seed: int = 0) -> None:
        self.num_actions = num_actions
        self.reset(seed)

    @classmethod
    def for_domain(cls, domain: Domain, prior: Prior | None = None, **settings: Any) -> "Counter":
        return cls(domain.num_actions, **settings)

    def act(self, state: int) -> int:
        if state not in range(5):
            raise ValueError("state")
        return (self.count**2 + self.seed) % 3 % self.num_actions

    def observe(self, state: int, action: int, reward: float, next_state: int) -> None:
        if not (state in range(5) and next_state in range(5)):
            raise ValueError("state")
        self.count += 1

    def reset(self, seed: int) -> None:
        self.seed, self.count = seed, 0


class Forgetless(Counter):
    def reset(self, seed: int) -> None:
        self.seed, self.count = seed, getattr(self, "count", 0)


class Unseeded(Counter):
    made = 0

    def reset(self, seed: int) -> None:
        Unseeded.made += 1
        super().reset(Unseeded.made)


class TooHigh(Counter):
    def act(self, state: int) -> int:
        return self.num_actions


class Gullible(Counter):
    def observe(self, state: int, action: int, reward: float, next_state: int) -> None:
        self.count += 1 if next_state in range(5) else 10


class OneSided(Counter):
    def act(self, state: int) -> int:
        return super().act(max(state, 0))


class Unchecked(Counter):
    def act(self, state: int) -> int:
        actions = [Counter.act(self, 0)] * 5
        return actions[state]


@pytest.mark.parametrize("agent", [Counter, Counter(2), lambda seed: Counter(2, seed=seed)])
def test_a_good_agent_passes(agent: Any) -> None:
    check_agent(agent, Chain())


@pytest.mark.parametrize(
    ("agent", "sentence"),
    [
        (Forgetless, "reset"),
        (Unseeded, "two agents with the same seed must act alike"),
        (TooHigh, "act must return an action"),
        (Gullible, "a state out of range must not change"),
        (OneSided, "act must reject both states"),
        (Unchecked, "must raise a ValueError"),
    ],
)
def test_a_bad_agent_fails(agent: type[Agent], sentence: str) -> None:
    with pytest.raises(AssertionError, match=sentence):
        check_agent(agent, Chain())
