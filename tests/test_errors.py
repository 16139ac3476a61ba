"""Bad arguments of priors, runs, statistics, files and checks are rejected by name; others in test_errors.py of each folder."""

from typing import Any

import numpy as np
import pytest

import bamdp
from bamdp import BAMDP, agents, statistics, testing
from bamdp.domain import UNBOUNDED
from bamdp.domains import Chain
from bamdp.priors import BetaArms, Compiled, Dirichlet, Finite, GridRewards, Lazy, SharedSlip, SparseDirichlet
from reference.problems import belief_of
from reference.rejections import rejections

NAN, INF, BEYOND = float("nan"), float("inf"), 10**400
CHAIN = Chain()
RANDOM = agents.Random(CHAIN.problem())

PRIORS: list[tuple[Any, str, list[Any]]] = [
    (Dirichlet, "alpha", [0, -1.0, NAN, INF, "one", [1e308, 1e308], np.full((2, 1, 2), 1e15), [1, -1], [0.0, 0.0], [1, NAN]]),
    (Dirichlet, "alpha", [[], [[1, 1], [1, 1]], [[[1, 1]], [[0, 0]]], [[1], [1, 2]]]),
    (SparseDirichlet, "alpha", [0, INF, 1e9, "x"]),
    (SparseDirichlet, "exponent", [1e300, NAN, None]),
    (BetaArms, "successes", [-1, [[1]]]),
    (BetaArms, "failures", [1e308, [1, NAN]]),
    (GridRewards, "columns", [(BEYOND, 1)]),
]


@pytest.mark.parametrize(("kind", "name", "values"), PRIORS)
def test_priors(kind: Any, name: str, values: list[Any]) -> None:
    for value in values:
        with pytest.raises((ValueError, TypeError), match=rf"\b{name}\b"):
            kind(**{name: value})


test_rejected_by_priors = rejections(
    (ValueError, "alpha", lambda: belief_of(Dirichlet(1e300), 2, 2)),
    (ValueError, "alpha", lambda: belief_of(Dirichlet([1, 1]), 3, 2)),
    (ValueError, "alpha", lambda: belief_of(Dirichlet(np.ones((3, 1, 3))), 3, 2)),
    (ValueError, "successes", lambda: BetaArms(0, 0)),
    (ValueError, "successes", lambda: BetaArms([1, 2], [1, 2, 3])),
    (ValueError, "successes", lambda: belief_of(BetaArms([1, 2, 3]), 2, 2)),
    (ValueError, "rewards must be for as many arms", lambda: belief_of(BetaArms([1, 2], [1, 1]), 2, 1)),
    (ValueError, "2 states", lambda: belief_of(BetaArms(), 3, 2)),
    (ValueError, "num_states must be finite", lambda: belief_of(Dirichlet(), UNBOUNDED, 2)),
    (ValueError, "weights must be at most 1e.300", lambda: Finite(np.ones((2, 1, 1, 1)), weights=[1.7e308, 1.7e308])),
    (TypeError, "slipped must be an array", lambda: SharedSlip([[0]], [[0], [0, 0]])),
    (TypeError, "scratch must be an array", lambda: Compiled(lambda *a: None, scratch=[[1], [1, 2]])),
    (TypeError, "step must be a function.* got 5", lambda: Compiled(5)),
    (TypeError, "rng must be", lambda: belief_of(Dirichlet(), 2, 2).sample(1, 0)),
)

test_rejected_elsewhere = rejections(
    (ValueError, "steps", lambda: bamdp.run(RANDOM, CHAIN, steps=0)),
    (TypeError, "steps", lambda: bamdp.run(RANDOM, CHAIN, steps=2.5)),  # type: ignore[arg-type]
    (MemoryError, "steps=1000000000000 needs", lambda: bamdp.run(RANDOM, CHAIN, 10**12)),
    (ValueError, "seed", lambda: bamdp.run(RANDOM, CHAIN, 2, seed=-1)),
    (TypeError, "seed", lambda: bamdp.run(RANDOM, CHAIN, 2, seed="x")),  # type: ignore[arg-type]
    (TypeError, "agent must be", lambda: bamdp.run(None, CHAIN, 1)),  # type: ignore[arg-type]
    (TypeError, "domain must be", lambda: bamdp.run(RANDOM, None, 1)),  # type: ignore[arg-type]
    (TypeError, "on_step must be", lambda: bamdp.run(RANDOM, CHAIN, 1, on_step=5)),  # type: ignore[arg-type]
    (ValueError, "reward must be a finite number", lambda: bamdp.run(RANDOM, Broken(), 3)),
    (TypeError, "path must be a path", lambda: bamdp.load(5)),  # type: ignore[arg-type]
    (ValueError, "path must not contain a null", lambda: bamdp.load("a\0b")),
    (TypeError, "agent_class must be", lambda: bamdp.load("file", agent_class=5)),  # type: ignore[arg-type]
    (TypeError, "path must be a path", lambda: RANDOM.save(b"x")),  # type: ignore[arg-type]
    (TypeError, "values must be numbers", lambda: statistics.mean(["x"])),  # type: ignore[list-item]
    (ValueError, "values must be at most", lambda: statistics.mean([1e308, 1e308])),
    (ValueError, "values must not be empty", lambda: statistics.mean([])),
    (ValueError, "values must be at least two", lambda: statistics.standard_error([1.0])),
    (ValueError, "x and y must have the same number", lambda: statistics.slope([1.0, 2.0], [1.0])),
    (ValueError, "x must have two different values", lambda: statistics.slope([1.0, 1.0], [2.0, 3.0])),
    (ValueError, "freedom must be", lambda: statistics.t_quantile(0)),
    (TypeError, "seed must be", lambda: statistics.bootstrap([1.0, 2.0], seed="x")),  # type: ignore[arg-type]
    (TypeError, "of must be", lambda: statistics.mean([1.0, 2.0]).side(np.datetime64("2000"))),  # type: ignore[arg-type]
    (TypeError, "domain must be", lambda: testing.check_domain(None)),  # type: ignore[arg-type]
    (TypeError, "agent must be a function", lambda: testing.check_agent(None, CHAIN)),  # type: ignore[arg-type]
    (ValueError, "steps must be", lambda: testing.check_agent(agents.Random, CHAIN, 0)),
)


class Broken(Chain):
    """Its rewards are not numbers."""

    def step(self, state: int, action: int, rng: np.random.Generator) -> tuple[int, float]:
        return 0, NAN


@pytest.mark.parametrize("outcome", [(2**70, 1.0), (-(2**63) - 1, 1.0), (0, 1.0, False, 2**63)])
def test_outcomes_of_a_hook_are_not_cut_to_64_bits(outcome: tuple[Any, ...]) -> None:
    prior = Compiled(lambda belief, scratch, state, action, rng: outcome, compile=False)
    with pytest.raises(ValueError, match="64-bit integer"):
        agents.BAMCP(BAMDP(prior, np.empty((0, 2)), 0.9), simulations=2).act(0)


class Far:
    """Successors beyond 64 bits with a sign."""

    def __init__(self, problem: BAMDP) -> None: ...

    def observe(self, *step: Any) -> None: ...

    def sample_row(self, state: int, action: int, rng: np.random.Generator) -> Any:
        return np.array([2**63 + 1], dtype=np.uint64), [1.0], [0.0]


def test_successors_are_not_cut_to_64_bits() -> None:
    with pytest.raises(ValueError, match="successors must be states from"):
        agents.BAMCP(BAMDP(Lazy(Far), np.empty((0, 2)), 0.9), simulations=2).act(0)
