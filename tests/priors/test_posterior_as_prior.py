"""A belief as the prior of another problem predicts, and learns, as the belief would."""

from typing import Any

import numpy as np
import pytest

import bamdp
from bamdp import posterior_as_prior
from bamdp.priors import BetaArms, Dirichlet, Finite, Parametric, Worlds

STEPS = ((0, 0, 1), (1, 1, 0), (0, 0, 1), (1, 0, 1))
TABLES = np.random.default_rng(0).dirichlet(np.ones(2), (4, 2, 2))


@pytest.mark.parametrize(
    "prior",
    [
        Dirichlet(),
        Dirichlet(0.5),
        Dirichlet([2.0, 1.0]),
        Dirichlet(np.full((2, 2, 2), 0.3)),
        Finite(TABLES),
        Finite(TABLES, weights=[1, 2, 3, 4]),
        BetaArms(2, [1, 3]),
    ],
    ids=repr,
)
def test_it_predicts_what_the_belief_predicts(prior: bamdp.Prior) -> None:
    problem = bamdp.BAMDP(prior, np.arange(4.0).reshape(2, 2), 0.9)
    belief = problem.belief()
    for state, action, next_state in STEPS:
        belief.observe(state, action, None, next_state)
    other = bamdp.BAMDP(posterior_as_prior(belief), -np.ones((2, 2)), 0.5).belief()
    for _ in range(2):  # before and after one more step
        for state in range(2):
            for action in range(2):
                assert other.predictive(state, action) == pytest.approx(
                    belief.predictive(state, action), abs=1e-12
                )
        for one in (belief, other):
            one.observe(1, 1, None, 1)


def test_worlds_keep_their_weights() -> None:
    def outcomes(bias: float, state: Any, action: Any) -> list[bamdp.Outcome]:
        heads = bamdp.Outcome("heads", 1.0, probability=bias)
        return [heads, bamdp.Outcome("tails", probability=1 - bias)]

    def problem(prior: Worlds) -> bamdp.BAMDP:
        return bamdp.BAMDP(prior, discount=0.5, start="heads", actions=["toss"])

    first = problem(Worlds([0.2, 0.9], outcomes))
    belief = first.belief()
    belief.observe(first.state("heads"), 0, 1.0, first.state("heads"))
    prior = posterior_as_prior(belief)
    assert isinstance(prior, Worlds)
    learned: Any = problem(prior).belief()
    assert learned.weights == pytest.approx([2 / 11, 9 / 11])
    drawn = problem(Worlds(lambda rng: rng.random(), outcomes, particles=10))
    with pytest.raises(TypeError, match="observe the same steps"):
        posterior_as_prior(drawn.belief())


def test_others_are_told_what_to_do() -> None:
    prior = Parametric(lambda p, state, action: np.stack([p, 1 - p], 1), [0.2, 0.5])
    belief = bamdp.BAMDP(prior, np.zeros((2, 1)), 0.9).belief()
    with pytest.raises(TypeError, match="observe the same steps"):
        posterior_as_prior(belief)
    with pytest.raises(TypeError, match=r"bamdp\.Belief"):
        posterior_as_prior(prior)  # type: ignore[arg-type]
