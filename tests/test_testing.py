"""The checkers of contracts let the good pass and see each kind of breach: a check that can't fail is a defect."""

import itertools
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from bamdp import Agent, Belief, Domain, Prior
from bamdp.domain import Scene
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


def bad(kind: type[Any], *given: Any, **changed: Any) -> Any:
    """Something good but for what is changed."""
    return type("Bad", (kind,), changed)(*given)


count = itertools.count()


@pytest.mark.parametrize(
    ("changed", "sentence"),
    [
        ({"step": lambda self, s, a, rng: (next(count) % 2, Coin.step(self, s, a, rng)[1])}, "depend on its arguments alone"),
        ({"step": lambda self, s, a, rng: (Coin.step(self, s, a, rng)[0], 7.0)}, "the table `rewards` has"),
        ({"step": lambda self, s, a, rng: Coin.step(self, s % 2, a % 2, rng)}, "must raise a ValueError"),
        ({"step": lambda self, s, a, rng: (2, Coin.step(self, s, a, rng)[1])}, "must return a next state"),
        ({"rewards": property(lambda self: np.zeros(2), lambda self, table: None)}, "rewards must have shape"),
        ({"reset": lambda self, rng: next(count) % 2}, "reset must depend on the generator alone"),
        ({"terminal": frozenset([0])}, "reset must not return a terminal state, got 0"),
        ({"terminal": frozenset([2])}, "terminal must be a set of states"),
        ({"time_limit": 0}, "time_limit must be None or an int of at least 1, got 0"),
        ({"scene": lambda self: Scene("graph", lambda s: (s, 0), actions=("forward",))}, "must name none or all 2 actions"),
        ({"scene": lambda self: Scene("graph", lambda s: (float("nan"), 0.0))}, "two finite numbers"),
    ],
)
def test_a_bad_domain_fails(changed: dict[str, Any], sentence: str) -> None:
    with pytest.raises(AssertionError, match=sentence):
        check_domain(bad(Coin, **changed))


def test_good_things_pass() -> None:
    check_domain(Coin())
    check_prior(Makes(Counts), 3, 2)
    check_prior(Makes(lambda S, A: bad(Counts, S, A, predictive=impossible, sample_mdp=impossible)), 3, 2)
    for agent in (Counter, Counter(2), lambda seed: Counter(2, seed=seed)):
        check_agent(agent, Chain())


def impossible(*given: Any) -> Any:
    """What a belief need not be able to do."""
    raise TypeError


def normalised(rows: Any) -> Any:
    return rows / rows.sum(axis=-1, keepdims=True)


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
        return np.asarray(normalised(self.counts[state, action]))

    def sample_mdp(self, rng: np.random.Generator) -> NDArray[np.float64]:
        return np.asarray(normalised(rng.standard_gamma(self.counts)))


@dataclass(frozen=True)
class Makes(Prior):
    make: Callable[[int, int], Belief]

    def belief(self, num_states: int, num_actions: int) -> Belief:
        return self.make(num_states, num_actions)


def learns_too_early(self: Counts, *given: int) -> None:
    self.counts[0, 0, 0] += 1
    Counts.observe(self, *given)


def wrapped(self: Counts, s: int, a: int, n: int) -> None:
    self.counts[s % self.num_states, a % self.num_actions, n % self.num_states] += 1


@pytest.mark.parametrize(
    ("changed", "sentence"),
    [
        (
            {"sample_mdp": lambda self, rng: normalised(rng.standard_gamma(np.ones_like(self.counts)))},
            "the average of sample_mdp must be mean",
        ),
        ({"predictive": lambda self, s, a: self.counts[s, a]}, "sum to one"),
        (
            {"predictive": lambda self, s, a: normalised(1 / self.counts[s, a]), "sample_mdp": impossible},
            "must not make it less probable",
        ),
        ({"mean": lambda self: np.full(self.counts.shape, 1 / self.num_states)}, "must be the row of mean"),
        ({"observe": wrapped}, "must raise a ValueError"),
        ({"observe": learns_too_early}, "a rejected observation must leave the belief unchanged"),
    ],
)
def test_a_bad_belief_fails(changed: dict[str, Any], sentence: str) -> None:
    with pytest.raises(AssertionError, match=sentence):
        check_prior(Makes(lambda S, A: bad(Counts, S, A, **changed)), 3, 2)


def test_a_bad_prior_fails() -> None:
    shared = Counts(3, 2)
    for make, sentence in ((lambda S, A: Counts(S + 1, A), "has sizes"), (lambda S, A: shared, "a prior must not change")):
        with pytest.raises(AssertionError, match=sentence):
            check_prior(Makes(make), 3, 2)


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


def forgets_nothing(self: Counter, seed: int) -> None:
    self.seed, self.count = seed, getattr(self, "count", 0)


def new_seed(self: Counter, seed: int) -> None:
    self.seed, self.count = next(count), 0


def gullible(self: Counter, state: int, action: int, reward: float, next_state: int) -> None:
    self.count += 1 if next_state in range(5) else 10


@pytest.mark.parametrize(
    ("changed", "sentence"),
    [
        ({"reset": forgets_nothing}, "reset"),
        ({"reset": new_seed}, "two agents with the same seed must act alike"),
        ({"act": lambda self, state: self.num_actions}, "act must return an action"),
        ({"observe": gullible}, "a state out of range must not change"),
        ({"act": lambda self, state: Counter.act(self, max(state, 0))}, "act must reject both states"),
        ({"act": lambda self, state: ([Counter.act(self, 0)] * 5)[state]}, "must raise a ValueError"),
    ],
)
def test_a_bad_agent_fails(changed: dict[str, Any], sentence: str) -> None:
    with pytest.raises(AssertionError, match=sentence):
        check_agent(type("Bad", (Counter,), changed), Chain())
