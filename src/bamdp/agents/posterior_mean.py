"""Certainty equivalence: act optimally as if the posterior mean were the truth.

It learns from what it happens to see and never explores on purpose; the myopic baseline of Guez, Silver, Dayan (2012, Figures
S1 and S2). For bandits it is the greedy player of the arm with the highest posterior mean.
"""

from __future__ import annotations

from bamdp.agents._model_based import ModelBased


class PosteriorMean(ModelBased):
    """Acts greedily in the posterior-mean model: no exploration on purpose.

    Args:
        prior: what is known of the transitions beforehand.
        rewards: the reward of each state and action [S, A], or of each transition [S, A, S].
        discount: what a reward is worth one step later, in [0, 1).
        terminal: the states in which an episode ends.
        tolerance: greatest error of the model's values.
        ties: which of equally good actions is taken, the "first" or one at "random".
        seed: of its choices between ties.

    Example:
        >>> import bamdp
        >>> world = bamdp.domains.Bandit([0.2, 0.8])
        >>> agent = PosteriorMean.for_domain(world)
        >>> agent.observe(state=0, action=1, reward=1.0, next_state=1)
        >>> agent.act(1)
        1
    """

    def _load(self) -> None:
        self.belief.load_mean(self._solver)
