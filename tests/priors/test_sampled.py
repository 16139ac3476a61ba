"""Posteriors that the user samples, whole or row by row: threads, errors, unbounded domains."""

import traceback
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from bamdp import BAMDP
from bamdp.agents import BAMCP
from bamdp.domain import UNBOUNDED
from bamdp.priors import Lazy, Sampled
from reference.comparison import errors_of_returns
from reference.problems import belief_of, sized
from reference.rejections import rejections
from reference.saved_agents import Counted

REWARDS = np.arange(3.0)[:, None] ** 2


class Counts(Counted):
    alpha = 0.4


class Chain(Counts):
    """What it draws depends on what it drew before, as in a Markov chain."""

    drawn = 0.0

    def sample(self, count: int, rng: np.random.Generator) -> Any:
        self.drawn = 0.5 * self.drawn + float(rng.random())
        tables = super().sample(count, rng) + self.drawn
        return tables / tables.sum(axis=-1, keepdims=True)

    def sample_row(self, state: int, action: int, rng: np.random.Generator) -> Any:
        self.drawn = 0.5 * self.drawn + float(rng.random())
        row = super().sample_row(state, action, rng) + self.drawn
        return row / row.sum()


@pytest.mark.slow
@pytest.mark.parametrize("prior", [Sampled(Chain, batch=20), Lazy(Chain)], ids=["sampled", "lazy"])
def test_threads_do_not_change_the_result(prior: Sampled | Lazy) -> None:
    """Not even that of samplers with a memory."""
    rewards = np.array([[0, 0.5], [1, 0], [0, 2.0]])

    def play(threads: int) -> list[Any]:
        agent = BAMCP(
            BAMDP(prior, rewards, 0.9), simulations=300, depth=8, trees=3, threads=threads, seed=1
        )
        first = agent.plan(0)
        agent.observe(0, 1, 0.5, 2)
        return [first.q_values.tolist(), agent.plan(2).q_values.tolist()]

    expected = play(1)
    assert [play(threads) for threads in (2, 3, 3)] == [expected] * 3


# --- errors


class Wrong(Counts):
    """Returns what `answer` makes of a right answer."""

    @staticmethod
    def answer(good: Any) -> Any:
        return good

    def sample(self, count: int, rng: np.random.Generator) -> Any:
        return self.answer(super().sample(count, rng))

    def sample_row(self, state: int, action: int, rng: np.random.Generator) -> Any:
        return self.answer(super().sample_row(state, action, rng))

    @classmethod
    def answering(cls, answer: Any) -> type["Wrong"]:
        return type("Answering", (cls,), {"answer": staticmethod(answer)})


def nan_at(table: NDArray[Any]) -> NDArray[Any]:
    table[7, 1, 0, 2] = np.nan
    return table


def bad_row(table: NDArray[Any]) -> NDArray[Any]:
    table[7, 1, 0] *= 0.9
    return table


@pytest.mark.parametrize(
    ("answer", "sentence"),
    [
        (nan_at, r"sample must be finite, got nan at index \(7, 1, 0, 2\)"),
        (bad_row, r"sample: each row must sum to one, the row at index \(7, 1, 0\) sums to 0.9"),
        (
            lambda t: t[:-1],
            r"sample\(10, rng\) must return an array of shape \(10, 3, 1, 3\), got \(9, 3, 1, 3\)",
        ),
        (lambda t: (t,), "pair"),
        (
            lambda t: (np.zeros(t.shape), t),
            "successors must be integers, got numbers of type float64",
        ),
        (
            lambda t: (np.full(t.shape, 3), t),
            r"must be integers from 0 to 2, got 3 at index \(0, 0, 0, 0\)",
        ),
        (
            lambda t: (np.zeros((2, 2), int), t),
            r"must return successors and probabilities of shape \(10, 3, 1\) and k",
        ),
        (lambda t: "nonsense", "sample must be an array of numbers, got 'nonsense'"),
    ],
)
def test_bad_batches(answer: Any, sentence: str) -> None:
    agent = BAMCP(BAMDP(Sampled(Wrong.answering(answer), batch=10), REWARDS, 0.9), simulations=10)
    with pytest.raises((ValueError, TypeError), match=sentence):
        agent.plan(0)


@pytest.mark.parametrize(
    ("answer", "sentence"),
    [
        (lambda row: row * np.nan, r"sample_row\(0, 0\): probabilities must be finite"),
        (lambda row: row * 0.5, r"sample_row\(0, 0\): probabilities: each row must sum to one"),
        (
            lambda row: np.append(row, 0),
            r"sample_row\(0, 0\) must return one probability for each successor",
        ),
        (lambda row: (np.array([0, 1]), row), r"got shapes \(2,\), \(3,\)"),
        (lambda row: (np.array([0, 1, 3]), row), "successors must be integers from 0 to 2, got 3"),
        (lambda row: (row,), "got a tuple of 1"),
        (lambda row: (np.arange(3), row, [0.0, np.inf, 0.0]), "rewards must be finite"),
    ],
)
def test_bad_rows(answer: Any, sentence: str) -> None:
    agent = BAMCP(BAMDP(Lazy(Wrong.answering(answer)), REWARDS, 0.9), simulations=10)
    with pytest.raises((ValueError, TypeError), match=sentence):
        agent.plan(0)


class Fails(Wrong):
    pass


def fail(good: Any) -> Any:
    raise ZeroDivisionError("in my own code")


@pytest.mark.parametrize("prior", [Sampled(Fails, batch=5), Lazy(Fails)], ids=["sampled", "lazy"])
@pytest.mark.parametrize("threads", [1, 2])
def test_an_exception_arrives_with_its_traceback_and_the_agent_is_unharmed(
    prior: Sampled | Lazy, threads: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    agent = BAMCP(BAMDP(prior, REWARDS, 0.9), simulations=60, trees=2, threads=threads)
    agent.plan(0)
    agent.observe(0, 0, float(REWARDS[0, 0]), 1)
    monkeypatch.setattr(Fails, "answer", staticmethod(fail))
    with pytest.raises(ZeroDivisionError, match="in my own code") as caught:
        agent.plan(0)
    assert "raise ZeroDivisionError" in "".join(traceback.format_exception(caught.value))
    monkeypatch.undo()
    assert agent.plan(0).visits.sum() == 60
    agent.observe(1, 0, float(REWARDS[1, 0]), 2)
    assert agent.act(2) == 0


make: Any = Sampled
lazy: Any = Lazy

test_rejected = rejections(
    (ValueError, "num_states must be finite", lambda: belief_of(Sampled(Counts), UNBOUNDED, 1)),
    (
        TypeError,
        "with a method sample, got list",
        lambda: belief_of(make(lambda problem: [1]), 2, 1),
    ),
    (TypeError, "posterior must be a class", lambda: lazy(Counts(sized(1, 1)))),
)


class Endless:
    """Steps of one or two along all the integers, how often is unknown; the reward is 1 at
    multiples of 3.
    """

    def __init__(self, problem: BAMDP) -> None:
        self.ones, self.twos, self.rewards = 1.0, 1.0, 0.0

    def observe(
        self,
        state: int,
        action: int,
        reward: float | None,
        next_state: int,
        terminated: bool | None,
    ) -> None:
        if next_state - state == 1:
            self.ones += 1
        else:
            self.twos += 1
        self.rewards += reward or 0.0

    def begin(self, rng: np.random.Generator) -> None:
        self.p = rng.beta(self.ones, self.twos)

    def sample_row(self, state: int, action: int, rng: np.random.Generator) -> Any:
        successors = np.array([state + 1, state + 2])
        return successors, [self.p, 1 - self.p], (successors % 3 == 0).astype(float)


@pytest.mark.slow
def test_an_unbounded_world_row_by_row() -> None:
    agent = BAMCP(BAMDP(Lazy(Endless), np.empty((0, 1)), 0.5), simulations=4000, depth=2, seed=2)
    agent.observe(-1, 0, 0.0, 1)
    agent.observe(1, 0, 1.0, 3)
    assert agent.belief.posterior.rewards == 1.0
    plan = agent.plan(3)  # E[p] = 1/4, E[p²] = 1/10: the reward comes only after 1 + 2 or 2 + 1
    expected = 0.5 * 2 * (1 / 4 - 1 / 10)
    assert abs(plan.q_values[0] - expected) < 5 * errors_of_returns(plan)[0]
    with pytest.raises(
        ValueError, match=r"sample_row\(0, 0\) must return \(successors, probabilities, rewards\)"
    ):
        BAMCP(BAMDP(Lazy(lambda problem: Counts(sized(2, 1))), np.empty((0, 1)), 0.5)).act(0)
