"""Worlds drawn from priors over rewards: their rewards have the posterior, and a step pays what the world says."""

from typing import Any

import numpy as np
import pytest
from scipy import stats

from bamdp.domains import Chain, Tabular
from bamdp.priors import Dirichlet, Normal, NormalArms, UnknownRewards
from bamdp.testing import check_domain
from reference.comparison import FALSE_ALARM, Z_BOUND, assert_mean, assert_multinomial
from reference.problems import belief_of

DRAWS = 3000
SEEN = [(0, 1, 5.0, 2), (0, 1, 5.0, 0), (0, 1, 0.0, 2), (2, 0, 5.0, 2)]


def draws(belief: Any) -> Any:
    return belief.sample(DRAWS, np.random.default_rng(1))


def assert_distributed(sample: Any, distribution: Any) -> None:
    """By Kolmogorov–Smirnov, with a false-alarm rate of FALSE_ALARM."""
    assert stats.kstest(sample, distribution.cdf).pvalue > FALSE_ALARM


def test_probabilities_of_values_are_beta() -> None:
    belief = belief_of(UnknownRewards(Dirichlet(1.0), values=(0.0, 1.0, 5.0), alpha=(1.0, 0.0, 2.0)), 3, 2)
    for step in SEEN:
        belief.observe(*step)
    worlds = draws(belief)
    theta = worlds.outcomes.probabilities
    assert theta[..., 1].max() == 0, "its alpha is 0"
    assert_distributed(theta[:, 0, 1, 2], stats.beta(2 + 2, 1 + 1))
    assert_distributed(theta[:, 1, 1, 2], stats.beta(2, 1))
    np.testing.assert_allclose(worlds.rewards, theta @ [0, 1, 5])
    assert_mean(worlds.rewards[:, 0, 1], belief.mean_reward(0, 1))
    assert_distributed(worlds.transitions[:, 0, 1, 2], stats.beta(1 + 2, 2 + 1))


def test_exact_rewards_are_drawn_once() -> None:
    belief = belief_of(UnknownRewards(Dirichlet(1.0), (0.0, 1.0, 5.0), (1.0, 1.0, 2.0), deterministic=True), 3, 2)
    belief.observe(0, 1, 1.0, 2)
    worlds = draws(belief)
    made = Tabular(worlds.take(0), 0.9)
    assert not made.random_rewards
    check_domain(made)
    assert set(worlds.rewards[:, 0, 1]) == {1.0}, "it was observed"
    values, counts = np.unique(worlds.rewards[:, 0, 0], return_counts=True)
    expected = {0.0: 0.25, 1.0: 0.25, 5.0: 0.5}
    assert_multinomial([(dict(zip(values.tolist(), counts.tolist(), strict=True)), expected)])


@pytest.mark.parametrize("degrees", [np.inf, 5.0])
def test_means_and_variances_of_normal_rewards(degrees: float) -> None:
    """The mean is normal, or Student's t; the variance, if unknown, is scaled-inverse-χ²; both as the posterior has them."""
    belief: Any = belief_of(UnknownRewards(Dirichlet(1.0), outcomes=Normal(1.0, 2.0, 1.5, degrees)), 2, 2)
    for reward in (2.0, 3.5, 1.0):
        belief.observe(0, 1, reward, 0)
    worlds = draws(belief)
    for state, action in ((0, 1), (1, 0)):
        known = belief.outcome(state, action)
        means, deviations = worlds.rewards[:, state, action], worlds.outcomes.deviations[:, state, action]
        if np.isinf(degrees):
            assert set(deviations) == {1.5}
            assert_distributed(means, stats.norm(known.mean, known.deviation))
        else:
            assert_distributed(means, stats.t(known.degrees, known.mean, known.deviation))
            assert_distributed(known.degrees * known.noise**2 / deviations**2, stats.chi2(known.degrees))
        standard = (means - known.mean) / deviations * known.noise / known.deviation
        assert_distributed(standard, stats.norm())


def test_the_first_reward_of_a_world_is_the_predicted_one() -> None:
    """Of worlds and steps together: a Student's t around the mean with the scale of the next reward."""
    arms = NormalArms(0.0, 1.0, 2.0, degrees=4.0)
    belief, rng = belief_of(arms, 1, 1), np.random.default_rng(0)
    paid = [Tabular(belief.sample(1, rng).take(0), 0.9).step(0, 0, rng)[1] for _ in range(DRAWS)]
    assert_distributed(paid, stats.t(4.0, 0.0, np.hypot(1.0, 2.0)))


def test_a_world_with_random_rewards_as_a_domain() -> None:
    for prior in (UnknownRewards(Dirichlet(), alpha=5.0), UnknownRewards(Dirichlet(), outcomes=Normal(1.0, 1.0, 0.5))):
        made = Chain().with_mdp(belief_of(prior, 5, 2).sample(1, np.random.default_rng(3)).take(0))
        assert made.random_rewards
        check_domain(made)
        rng = np.random.default_rng(0)
        paid = np.array([made.step(2, 1, rng)[1] for _ in range(2000)])
        assert abs(paid.mean() - made.rewards[2, 1]) < Z_BOUND * paid.std() / 2000**0.5
        assert paid.std() > 0.05
    assert not made.with_mdp(Chain().mdp).random_rewards
