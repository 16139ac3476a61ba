"""How many users are enough: values against closed forms and simulation."""

import json
import shlex
from itertools import pairwise
from math import comb
from pathlib import Path

import pytest
from scipy.integrate import quad
from scipy.stats import beta

from bamdp import BAMDP
from bamdp.cli.main import main
from bamdp.exact import optimal_arms
from bamdp.priors import BetaArms
from bamdp.trials import AllocationPolicy, ab_test_value
from reference.rejections import rejections

Captured = pytest.CaptureFixture[str]


def test_what_can_be_gained() -> None:
    """E max of two uniform rates is 2/3: rate 1/2 and spread 1/√12 is the uniform prior."""
    found = ab_test_value([1, 2, 40], rate=0.5, spread=12**-0.5)
    assert found.best == pytest.approx([2 / 3, 4 / 3, 80 / 3], abs=1e-9)
    optimal = found.earned["optimal"][2]
    assert optimal is not None
    assert optimal.value == pytest.approx(optimal_arms(found.trial.problem).value, abs=1e-9)
    assert [found.share("equal", i) for i in range(3)] == [0, 0, 0]
    assert found.tested[0] == 0


@pytest.mark.parametrize("b", [1.0, 9.0, 4999.0, 49_999.0, 1e7])
def test_the_best_of_low_rates(b: float) -> None:
    """Of Beta(1, b), 1 − F(x) = (1 − x)^b, so that E max = Σ_k (−1)^(k+1) C(n, k)/(k b + 1)."""
    for n in (2, 3):
        rate, spread = 1 / (1 + b), (b / (2 + b)) ** 0.5 / (1 + b)
        expected = sum((-1) ** (k + 1) * comb(n, k) / (k * b + 1) for k in range(1, n + 1))
        best = ab_test_value([1], rate=rate, spread=spread, versions=n).best
        assert best == pytest.approx([expected], rel=1e-9)


@pytest.mark.parametrize("a", [1e-4, 0.1, 1000.0])
def test_the_best_of_rates_that_differ_much_and_of_high_ones(a: float) -> None:
    """Of Beta(a, 1), F(x) = x^a, so that E max = n a/(n a + 1)."""
    rate, spread = a / (a + 1), (a / (a + 2)) ** 0.5 / (a + 1)
    best = ab_test_value([1], rate=rate, spread=spread, versions=3).best
    assert best == pytest.approx([3 * a / (3 * a + 1)], rel=1e-9)


@pytest.mark.parametrize(("rate", "spread"), [(2e-5, 1e-5), (0.3, 1e-4)])
def test_the_best_of_other_rates(rate: float, spread: float) -> None:
    """By SciPy: ∫ x 3 f(x) F(x)² dx."""
    strength = rate * (1 - rate) / spread**2 - 1
    version = beta(rate * strength, (1 - rate) * strength)
    chances = [1e-12, 1e-6, 1e-3, 0.1, 0.5, 0.9, 1 - 1e-3, 1 - 1e-6, 1 - 1e-12]
    expected = 0.0
    for panel in pairwise([0, *version.ppf(chances), 1]):
        part = quad(lambda x: 3 * x * version.pdf(x) * version.cdf(x) ** 2, *panel, epsrel=1e-10)
        expected += part[0]
    best = ab_test_value([1], rate=rate, spread=spread, versions=3).best
    assert best == pytest.approx([expected], rel=1e-7)


def test_the_optimal_allocation_has_the_prior_of_the_table(capsys: Captured) -> None:
    """Rate 0.3 and spread 0.1 are Beta(6, 14): after a success and a failure of version B it is to
    be shown again; with uniform priors it would be A."""
    found = ab_test_value([30, 60], rate=0.3, spread=0.1)
    assert found.trial.pseudo_counts.tolist() == [[6, 14]] * 2
    assert found.command in str(found)
    successes, failures = [0, 1], [0, 1]
    words = shlex.split(found.command.replace(" 0 0", " 0 1"))
    assert main([*words[1:], "--json"]) == 0
    probabilities = json.loads(capsys.readouterr().out)["probabilities"]
    assert probabilities == {"A": 0, "B": 1}
    policy = AllocationPolicy("bayes-optimal", found.trial)
    assert policy.next(successes, failures).probabilities == probabilities
    rewards = [[[0, 1], [0, 1]]] * 2
    for prior, arm in ((BetaArms(6, 14), 1), (BetaArms(), 0)):
        solved = optimal_arms(BAMDP(prior, rewards, 1, horizon=60), policy=True).policy
        assert solved is not None
        assert solved.arms(successes, failures) == (arm,)
    out_of_reach = ab_test_value([5], rate=0.5, spread=0.25, versions=7).command
    assert out_of_reach.startswith("bamdp trial next --design thompson --patients 5 --prior-succ")
    assert out_of_reach.endswith("--successes 0 0 0 0 0 0 0 --failures 0 0 0 0 0 0 0")


def test_a_test_before_the_decision() -> None:
    """Three users, a uniform prior: one each, and the third gets the one that is
    better, or either.
    """
    found = ab_test_value([3], rate=0.5, spread=12**-0.5)
    value = found.earned["test, then decide"][0]
    assert value is not None
    assert value.value == pytest.approx(
        2 * 0.5 + (0.5 * 2 / 3 + 0.25 * 2 / 3 + 0.25 * 1 / 3), abs=1e-9
    )
    assert found.tested == (2,)


@pytest.mark.parametrize("versions", [2, 3])
def test_nobody_earns_more_than_the_optimum(versions: int) -> None:
    found = ab_test_value([20, 40], rate=0.2, spread=0.1, versions=versions)
    for i in range(2):
        shares = {method: found.share(method, i) for method in found.earned}
        assert all(
            share is not None and share <= shares["optimal"] + 0.02  # type: ignore[operator]
            for share in shares.values()
        )
        assert 0 < shares["test, then decide"] < 1  # type: ignore[operator]


def test_thompson_is_simulated_as_it_is_computed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Within five half-widths of 1.96 standard errors: a false alarm below 1e-20, had the seed been
    drawn at random.
    """
    exact = ab_test_value([30], rate=0.3, spread=0.15).earned["Thompson sampling"][0]
    monkeypatch.setattr("bamdp.trials.ab_test.EXACT", 0)
    drawn = ab_test_value([30], rate=0.3, spread=0.15).earned["Thompson sampling"][0]
    assert exact is not None
    assert drawn is not None
    assert drawn.half is not None
    assert abs(exact.value - drawn.value) < 2.5 * drawn.half
    assert drawn.half < 0.1


def test_the_table_and_the_picture(tmp_path: Path) -> None:
    found = ab_test_value([10, 30], rate=0.1, spread=0.05)
    assert "adapt from the first user on" in str(found)
    found.save(tmp_path / "enough.png")
    assert (tmp_path / "enough.png").stat().st_size > 10_000


test_rejected = rejections(
    (ValueError, "spread must be below 0.3", lambda: ab_test_value([10], rate=0.1, spread=0.4)),
    (ValueError, "users must be numbers in ascending order", lambda: ab_test_value([30, 10])),
    (ValueError, "rate must be", lambda: ab_test_value([10], rate=0)),
    (ValueError, "versions must be", lambda: ab_test_value([10], versions=1)),
)
