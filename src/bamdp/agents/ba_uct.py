"""BA-UCT: UCT on the Bayes-adaptive MDP itself (Guez, Silver, Dayan 2012, section 3.1).

The search of BAMCP without root sampling: each simulated step draws from the posterior given the
real history and the simulated one so far, and updates the belief. Lemma 1 of the paper: the
simulated histories have the same distribution as BAMCP's.
"""

from __future__ import annotations

from typing import Any, ClassVar, Literal

from bamdp.agents.bamcp import BAMCP
from bamdp.problem import BAMDP


class BAUCT(BAMCP):
    """BA-UCT: the search of BAMCP, with a belief update at every simulated step instead of one
    sample per simulation.

    Args:
        problem: the problem.
        sampling: how a step is drawn: "resampled" (a row from the posterior, then the next state
            from it), or "collapsed" (the next state from the predictive probabilities; what the
            paper's BA-UCT does, and for conjugate priors the same process as BAMCP's collapsed
            sampling). Priors that only draw whole models (Finite, Sampled, Lazy, Compiled,
            GridRewards) are sampled at the root here too: then this is BAMCP.
        settings: all other settings of `BAMCP`.

    Example:
        >>> import bamdp
        >>> domain = bamdp.domains.DoubleLoop()
        >>> agent = BAUCT(domain.problem(), simulations=100, rollouts="uniform")
        >>> agent.plan(state=0).visits.sum()
        np.int64(100)
    """

    samplings: ClassVar[tuple[str, ...]] = ("collapsed", "resampled")

    def __init__(
        self,
        problem: BAMDP,
        *,
        sampling: Literal["collapsed", "resampled"] = "collapsed",
        **settings: Any,
    ) -> None:
        super().__init__(problem, sampling=sampling, **settings)  # type: ignore[arg-type]
