"""The checkers of contracts let the good pass and see each kind of breach: a check that can't fail
is a defect.
"""

import itertools
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from bamdp import BAMDP, MDP, Agent, Belief, Domain, Prior
from bamdp.domains import Chain
from bamdp.mdp import as_mdp
from bamdp.pictures.scenes import Scene, scene
from bamdp.priors import Dirichlet
from bamdp.steps import Step
from bamdp.testing import check_agent, check_domain, check_prior
from reference.problems import sized


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
        (
            {"step": lambda self, s, a, rng: (next(count) % 2, Coin.step(self, s, a, rng)[1])},
            "depend on their arguments alone",
        ),
        (
            {"step": lambda self, s, a, rng: (Coin.step(self, s, a, rng)[0], 7.0)},
            "the table `rewards` has",
        ),
        (
            {"step": lambda self, s, a, rng: Coin.step(self, s % 2, a % 2, rng)},
            "must raise a ValueError",
        ),
        (
            {"step": lambda self, s, a, rng: (2, Coin.step(self, s, a, rng)[1])},
            "must return a next state",
        ),
        (
            {"rewards": property(lambda self: np.zeros(2), lambda self, table: None)},
            "rewards must have shape",
        ),
        (
            {"reset": lambda self, rng: next(count) % 2},
            "reset and step must depend on their arguments alone",
        ),
        ({"terminal": frozenset([0])}, "reset must not return a terminal state, got 0"),
        ({"terminal": frozenset([2])}, "each of terminal must be an integer from 0 to 1"),
        ({"time_limit": 0}, "time_limit must be an int of at least 1, got 0"),
    ],
)
def test_a_bad_domain_fails(changed: dict[str, Any], sentence: str) -> None:
    with pytest.raises(AssertionError, match=sentence):
        check_domain(bad(Coin, **changed), prior=Dirichlet())


@pytest.mark.parametrize(
    ("drawn", "sentence"),
    [
        (
            Scene("graph", lambda s: (s, 0), actions=("forward",)),
            "must name none or all 2 actions",
        ),
        (Scene("graph", lambda s: (float("nan"), 0.0)), "two finite numbers"),
    ],
)
def test_a_bad_scene_fails(drawn: Scene, sentence: str) -> None:
    class Drawn(Coin):
        pass

    scene.register(Drawn, lambda domain: drawn)
    with pytest.raises(AssertionError, match=sentence):
        check_domain(Drawn(), prior=Dirichlet())


def test_good_things_pass() -> None:
    check_domain(Coin(), prior=Dirichlet())
    check_prior(Makes(Counts), 3, 2)
    check_prior(
        Makes(lambda problem: bad(Counts, problem, mean=impossible, sample=impossible)), 3, 2
    )
    for agent in (
        Counter,
        Counter(Chain().problem()),
        lambda seed: Counter(Chain().problem(), seed=seed),
    ):
        check_agent(agent, Chain())


def impossible(*given: Any) -> Any:
    """What a belief need not be able to do."""
    raise TypeError


def normalised(rows: Any) -> Any:
    return rows / rows.sum(axis=-1, keepdims=True)


class Counts(Belief):
    """Laplace's rule of succession."""

    def __init__(self, problem: BAMDP) -> None:
        self.problem = problem
        self.seen = np.ones(
            (self.problem.num_states, self.problem.num_actions, self.problem.num_states)
        )

    def learn(self, step: Step) -> None:
        self.seen[step.state, step.action, step.next_state] += 1

    def predictive(self, state: int, action: int) -> NDArray[np.float64]:
        return np.asarray(normalised(self.seen[state, action]))

    def mean(self) -> MDP:
        return as_mdp(self.problem, normalised(self.seen))

    def sample(self, count: int, rng: np.random.Generator) -> MDP:
        return as_mdp(
            self.problem, normalised(rng.standard_gamma(self.seen, size=(count, *self.seen.shape)))
        )


@dataclass(frozen=True)
class Makes(Prior):
    make: Callable[[BAMDP], Belief]

    def belief(self, problem: BAMDP) -> Belief:
        return self.make(problem)


def learns_too_early(self: Counts, *given: Any) -> None:
    self.seen[0, 0, 0] += 1
    Counts.observe(self, *given)


def wrapped(self: Counts, s: int, a: int, reward: Any, n: int, terminated: Any = False) -> None:
    self.seen[
        s % self.problem.num_states, a % self.problem.num_actions, n % self.problem.num_states
    ] += 1


@pytest.mark.parametrize(
    ("changed", "sentence"),
    [
        (
            {
                "sample": lambda self, n, rng: as_mdp(
                    self.problem, normalised(rng.standard_gamma(np.ones((n, *self.seen.shape))))
                )
            },
            r"the average of sample\(\) must be mean",
        ),
        (
            {"sample": lambda self, n, rng: self.mean()},
            "must return an MDP with a leading axis of 1",
        ),
        ({"mean": lambda self: as_mdp(self.problem, self.seen)}, "sum to one"),
        (
            {"predictive": lambda self, s, a: normalised(1 / self.seen[s, a]), "mean": impossible},
            "must not make it less probable",
        ),
        (
            {
                "mean": lambda self: as_mdp(
                    self.problem, np.full(self.seen.shape, 1 / self.problem.num_states)
                )
            },
            "must be the row of mean",
        ),
        ({"observe": wrapped}, "must raise a ValueError"),
        ({"observe": learns_too_early}, "a rejected observation must leave the belief unchanged"),
    ],
)
def test_a_bad_belief_fails(changed: dict[str, Any], sentence: str) -> None:
    with pytest.raises(AssertionError, match=sentence):
        check_prior(Makes(lambda problem: bad(Counts, problem, **changed)), 3, 2)


def test_a_bad_prior_fails() -> None:
    large, shared = Counts(sized(4, 2)), Counts(sized(3, 2))
    for made, sentence in (
        (large, "the problem's size"),
        (shared, "a prior must not change"),
        (5, "return a Belief"),
    ):
        with pytest.raises(AssertionError, match=sentence):
            check_prior(Makes(lambda problem, made=made: made), 3, 2)  # type: ignore[misc]  # a default


class Counter(Agent):
    """Visits actions by the number of observations and the seed."""

    state_attributes = ("seed",)

    def act(self, state: int) -> int:
        self._check_state(state)
        return (self.steps_done**2 + self.seed) % 3 % self.problem.num_actions

    def reset(self, seed: int) -> None:
        super().reset(seed)
        self.seed = seed


def forgets_nothing(self: Counter, seed: int) -> None:
    done = getattr(self, "steps_done", 0)
    Counter.reset(self, seed)
    self.steps_done = done


def new_seed(self: Counter, seed: int) -> None:
    Counter.reset(self, next(count))


def gullible(
    self: Counter, state: int, action: int, reward: float, next_state: int, terminated: Any = False
) -> None:
    self.steps_done += 1 if next_state in range(5) else 10


@pytest.mark.parametrize(
    ("changed", "sentence"),
    [
        ({"reset": forgets_nothing}, "reset"),
        ({"reset": new_seed}, "two agents with the same seed must act alike"),
        ({"act": lambda self, state: self.problem.num_actions}, "act must return an action"),
        ({"observe": gullible}, "a state out of range must not change"),
        (
            {"act": lambda self, state: Counter.act(self, max(state, 0))},
            "act must reject both states",
        ),
        (
            {"act": lambda self, state: ([Counter.act(self, 0)] * 5)[state]},
            "must raise a ValueError",
        ),
    ],
)
def test_a_bad_agent_fails(changed: dict[str, Any], sentence: str) -> None:
    with pytest.raises(AssertionError, match=sentence):
        check_agent(type("Bad", (Counter,), changed), Chain())
