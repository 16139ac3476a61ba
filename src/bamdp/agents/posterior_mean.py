"""Certainty equivalence: act optimally as if the posterior mean were the true model.

It never explores on purpose; the myopic baseline of Guez, Silver, Dayan (2012, Figures S1 and S2).
In a bandit it pulls the arm with the highest posterior mean.
"""

from __future__ import annotations

from bamdp.agents._model_based import ModelBased


class PosteriorMean(ModelBased):
    """Acts greedily in the posterior-mean model, without exploration.

    Args:
        problem: the problem.
        tolerance: maximum error of the model's values.
        ties: how ties between actions are broken, by the "first" or at "random".
        seed: seed of the agent's random generator.

    Example:
        >>> import bamdp
        >>> agent = PosteriorMean(bamdp.domains.Bandit([0.2, 0.8]).problem())
        >>> agent.observe(state=0, action=1, reward=1.0, next_state=1)
        >>> agent.act(1)
        1
    """

    def _load(self) -> None:
        self._solver.load_mean()
