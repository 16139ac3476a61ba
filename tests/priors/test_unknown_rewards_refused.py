"""Unknown rewards: what can't be, and who can't plan with them, is refused with a sentence that says what can."""

from typing import Any

import numpy as np
import pytest

from bamdp.agents import BEB, BFS3, BOSS, SBOSS, BayesianDP, EpsilonGreedy, PosteriorMean, Softmax
from bamdp.prior import Prior
from bamdp.priors import BetaArms, Dirichlet, Finite, Lazy, Sampled, UnknownRewards


def test_mistakes() -> None:
    belief = UnknownRewards(Dirichlet(), (0, 1), deterministic=True).belief(3, 2)
    belief.observe_step(0, 0, 1.0, 1)
    with pytest.raises(ValueError, match="reward 0 after state 0 and action 0 is impossible"):
        belief.observe_step(0, 0, 0.0, 1)
    with pytest.raises(ValueError, match=r"one of the declared values \[0.0, 1.0\], got 0.5"):
        belief.observe_step(0, 0, 0.5, 1)
    with pytest.raises(ValueError, match="next_state"):
        belief.observe_step(1, 1, 1.0, 3)
    assert belief.reward_probabilities(1, 1).tolist() == [0.5, 0.5]  # nothing was learned from half a step
    with pytest.raises(TypeError, match="rewards are unknown too, the transitions alone are not enough"):
        belief.mean()
    with pytest.raises(TypeError, match="transitions must be a prior"):
        UnknownRewards((0, 1))  # type: ignore[arg-type]
    wrongs: list[dict[str, Any]] = [{"values": []}, {"values": [1, 1]}, {"alpha": -1}, {"alpha": [1, 2, 3]}, {"alpha": 0}]
    for wrong in wrongs:
        with pytest.raises(ValueError, match=f"{next(iter(wrong))} must be"):
            UnknownRewards(Dirichlet(), **wrong)


class Counts:
    """A posterior of the user's own, by rows or by tables."""

    def __init__(self, num_states: int, num_actions: int) -> None:
        self.counts = np.ones((num_states, num_actions, num_states))

    def observe(self, state: int, action: int, next_state: int) -> None:
        self.counts[state, action, next_state] += 1

    def sample_row(self, state: int, action: int, rng: np.random.Generator) -> Any:
        return rng.dirichlet(self.counts[state, action])

    def sample(self, count: int, rng: np.random.Generator) -> Any:
        rows = rng.standard_gamma(self.counts, size=(count, *self.counts.shape))
        return rows / rows.sum(axis=-1, keepdims=True)


@pytest.mark.parametrize(
    "transitions",
    [BetaArms(), Sampled(Counts), Lazy(Counts), UnknownRewards(Dirichlet())],
    ids=lambda prior: type(prior).__name__,
)
def test_other_priors_over_transitions_are_refused(transitions: Prior) -> None:
    says = rf"go with Dirichlet, .* or SharedSlip, not {type(transitions).__name__}.*Lazy and Compiled, can draw rewards"
    with pytest.raises(TypeError, match=says):
        UnknownRewards(transitions).belief(2, 2)


@pytest.mark.parametrize("kind", [BEB, BOSS, BayesianDP, PosteriorMean, EpsilonGreedy, Softmax])
def test_agents_that_solve_a_model_need_counts(kind: Any) -> None:
    tables = np.full((1, 2, 2, 2), 0.5)
    with pytest.raises(TypeError, match=f"{kind.__name__} .*rewards are unknown too, that takes Dirichlet or Sparse.*BAMCP"):
        kind(UnknownRewards(Finite(tables)), np.zeros((2, 2)), 0.9)


def test_agents_that_can_t_learn_rewards_are_refused() -> None:
    with pytest.raises(TypeError, match=r"BFS3 draws successors .*and known rewards; BAMCP works"):
        BFS3(UnknownRewards(Dirichlet()), np.zeros((2, 2)), 0.9)
    with pytest.raises(TypeError, match='mean="flat" needs a prior with one pseudo-count alpha'):
        BEB(UnknownRewards(Dirichlet()), np.zeros((2, 2)), 0.9, mean="flat")
    with pytest.raises(TypeError, match="SBOSS needs a prior with pseudo-counts alpha"):
        SBOSS(UnknownRewards(Finite(np.full((1, 2, 2, 2), 0.5))), np.zeros((2, 2)), 0.9)
