"""Bandits: Bernoulli arms with uniform priors, for which the Gittins index is optimal, and the
Horizon task with normal arms.

`eight-arms` has the size of Figure S2 of Guez, Silver, Dayan 2012, whose arms are fixed: seven at
0.6 and one at 0.9.

In the Horizon task (Wilson, Geana, White, Ludvig, Cohen 2014, J. Exp. Psychol. Gen. 143(6),
2074–2081) four choices are forced, then one is free, or six.

    r ~ N(μ(arm), 8²),   μ(arm) ~ N(50, 16²)

Agents learn from the forced choices before the run (`Benchmark.history`); the run is the free ones.
With one choice left the best is the arm with the higher posterior mean, however little is known of
it; with six it pays to look at the arm that is known less: people do that too. The experiment draws
one mean from {40, 60} and the other 4, 8, 12, 20 or 30 points away; the normal prior has the mean
of that distribution and about its standard deviation, but the arms are independent.

Two benchmarks of others have a known number of pulls and no discount: the arms of RL² (Duan et al.
2016, arXiv 1611.02779), with uniform means, and those of banditbench (DataWraith 2026), with means

    U(0, 1);  U(0.25, 0.75);  Beta(1, 8);  Beta(8, 1);  nine of 0.5 and one of 0.51

of which agents are not told: their prior is uniform.
"""

from __future__ import annotations

from functools import partial
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from bamdp.domains.bandit import Bandit
from bamdp.domains.normal_bandit import NormalBandit
from bamdp.priors.beta_arms import BetaArms
from bamdp.priors.normal_arms import NormalArms
from bamdp.steps import Steps
from bamdp.suite.benchmark import BEFORE, Benchmark, DomainBenchmark, stream
from bamdp.validation import boolean, one_of, positive_integer
from bamdp.validation import seed as valid_seed

MEAN, DEVIATION, NOISE = 50.0, 16.0, 8.0
FORCED = {
    "unequal": (0, 1, 1, 1),
    "equal": (0, 0, 1, 1),
}  # choices, up to the names of the arms and their order


class TwoArms(
    DomainBenchmark, name="two-arms", of=partial(Bandit, [0.5, 0.5]), discount=0.6, steps=20
):
    """Two Bernoulli arms with uniform priors: small enough for the exact solution."""


class EightArms(DomainBenchmark, name="eight-arms", of=Bandit, discount=0.99):
    """Eight Bernoulli arms drawn from uniform priors."""


class HorizonTask(Benchmark, name="horizon-task"):
    """The Horizon task of Wilson et al. (2014): two normal arms, four forced choices, then free
    ones.

    Args:
        free: number of free choices; 1 and 6 in the experiment.
        information: whether the forced choices were "unequal", three of one arm and one of the
            other, or "equal", two of each.
        discount: discount factor, in [0, 1].

    Example:
        >>> problem = HorizonTask(free=6)
        >>> forced = problem.history(seed=0)
        >>> forced.actions.tolist(), forced.rewards.round().tolist()
        ([0, 1, 1, 1], [59.0, 75.0, 86.0, 71.0])
    """

    def __init__(
        self,
        *,
        free: int = 6,
        information: Literal["unequal", "equal"] = "unequal",
        discount: float = 1.0,
    ) -> None:
        self.information = one_of("information", information, tuple(FORCED))
        arms = NormalBandit(
            [MEAN, MEAN], NOISE, discount, horizon=positive_integer("free", free, 1000)
        )
        super().__init__(arms, NormalArms(MEAN, DEVIATION, NOISE))

    def history(self, seed: int) -> Steps:
        """The forced choices in the world with this seed, and what they paid."""
        rng, world = stream(valid_seed(seed), BEFORE), self._drawn(seed)
        arms = rng.permutation(2)[list(FORCED[self.information])]
        actions = rng.permutation(arms)
        rewards = np.array([world.step(0, int(arm), rng)[1] for arm in actions])
        nowhere = np.zeros(len(actions), dtype=np.int64)
        return Steps(nowhere, actions, rewards, nowhere, None)


Means = Literal["uniform", "middle", "low", "high", "equal"]
MEANS: dict[str, tuple[float, float]] = {  # Beta(a, b), where they are of that form
    "uniform": (1, 1),
    "low": (1, 8),
    "high": (8, 1),
}


class RL2Arms(Benchmark, name="rl2-arms"):
    """The bandits of RL²: Bernoulli arms with uniform means, a known number of pulls.

    Args:
        pulls: number of pulls.
        arms: number of arms.
        discount: discount factor, in [0, 1].
    """

    def __init__(self, *, pulls: int = 10, arms: int = 5, discount: float = 1.0) -> None:
        means = [0.5] * positive_integer("arms", arms, 1000)
        super().__init__(Bandit(means, discount, horizon=positive_integer("pulls", pulls, 10**5)))


class BanditBench(Benchmark, name="banditbench"):
    """The bandits of banditbench: ten Bernoulli arms, 500 pulls, five distributions of the means.

    Args:
        means: "uniform", U(0, 1); "middle", U(0.25, 0.75); "low", Beta(1, 8); "high", Beta(8, 1);
            or "equal", nine of 0.5 and one of 0.51.
        told: whether agents have the prior that means are drawn from, which must be a Beta
            distribution; else theirs is uniform, as that of the algorithms there.
        discount: discount factor, in [0, 1].
    """

    def __init__(
        self, *, means: Means = "uniform", told: bool = False, discount: float = 1.0
    ) -> None:
        self.means = one_of("means", means, ("uniform", "middle", "low", "high", "equal"))
        if boolean("told", told) and means not in MEANS:
            raise ValueError(
                f"means must be a Beta distribution, one of {', '.join(MEANS)}, if agents are told "
                f"it, got {means!r}"
            )
        prior = BetaArms(*MEANS[means]) if told else BetaArms()

        def draw(rng: np.random.Generator) -> Bandit:
            return Bandit(_means(self.means, rng), discount, horizon=500)

        super().__init__(Bandit([0.5] * 10, discount, horizon=500), prior, draw)


def _means(kind: str, rng: np.random.Generator) -> NDArray[np.float64]:
    """The means of the arms of one world of banditbench. [10]"""
    if kind == "middle":
        return rng.uniform(0.25, 0.75, 10)
    if kind == "equal":
        return rng.permutation([0.5] * 9 + [0.51])
    return rng.beta(*MEANS[kind], 10)
