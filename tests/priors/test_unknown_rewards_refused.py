"""Unknown rewards: what can't be, and who can't plan with them, is refused with a sentence that says what can."""

from typing import Any

import numpy as np
import pytest

from bamdp.agents import BEB, BFS3, BOSS, SBOSS, BayesianDP, EpsilonGreedy, PosteriorMean, Softmax
from bamdp.prior import Prior
from bamdp.priors import BetaArms, Dirichlet, Finite, Lazy, Sampled, UnknownRewards
from reference.rejections import rejections
from reference.saved_agents import Counted
from bamdp import BAMDP
from reference.problems import belief_of

NOTHING = np.zeros((2, 2))


def test_mistakes() -> None:
    belief = belief_of(UnknownRewards(Dirichlet(), (0, 1), deterministic=True), 3, 2)
    belief.observe(0, 0, 1.0, 1)
    with pytest.raises(ValueError, match="reward 0 after state 0 and action 0 is impossible"):
        belief.observe(0, 0, 0.0, 1)
    with pytest.raises(ValueError, match=r"one of the declared values \[0.0, 1.0\], got 0.5"):
        belief.observe(0, 0, 0.5, 1)
    with pytest.raises(ValueError, match="next_state"):
        belief.observe(1, 1, 1.0, 3)
    assert belief.reward_probabilities(1, 1).tolist() == [0.5, 0.5]  # nothing was learned from half a step
    with pytest.raises(TypeError, match="rewards are unknown too, the transitions alone are not enough"):
        belief.mean().transitions
    with pytest.raises(TypeError, match="transitions must be a prior"):
        UnknownRewards((0, 1))  # type: ignore[arg-type]
    wrongs: list[dict[str, Any]] = [{"values": []}, {"values": [1, 1]}, {"alpha": -1}, {"alpha": [1, 2, 3]}, {"alpha": 0}]
    for wrong in wrongs:
        with pytest.raises(ValueError, match=f"{next(iter(wrong))} must be"):
            UnknownRewards(Dirichlet(), **wrong)


@pytest.mark.parametrize(
    "transitions",
    [BetaArms(), Sampled(Counted), Lazy(Counted), UnknownRewards(Dirichlet())],
    ids=lambda prior: type(prior).__name__,
)
def test_other_priors_over_transitions_are_refused(transitions: Prior) -> None:
    says = rf"go with Dirichlet, .* or SharedSlip, not {type(transitions).__name__}.*Lazy and Compiled, can draw rewards"
    with pytest.raises(TypeError, match=says):
        belief_of(UnknownRewards(transitions), 2, 2)


@pytest.mark.parametrize("kind", [BEB, BOSS, BayesianDP, PosteriorMean, EpsilonGreedy, Softmax])
def test_agents_that_solve_a_model_need_counts(kind: Any) -> None:
    with pytest.raises(TypeError, match=f"{kind.__name__} .*rewards are unknown too, that takes Dirichlet or Sparse.*BAMCP"):
        kind(HALVES, NOTHING, 0.9)


UNKNOWN, HALVES = UnknownRewards(Dirichlet()), UnknownRewards(Finite(np.full((1, 2, 2, 2), 0.5)))

test_rejected = rejections(
    (
        TypeError,
        "BFS3 draws successors .*where rewards are unknown too.*BAMCP needs only a model",
        lambda: BFS3(BAMDP(UNKNOWN, NOTHING, 0.9)),
    ),
    (TypeError, 'mean="flat" needs a prior with one pseudo-count alpha', lambda: BEB(BAMDP(UNKNOWN, NOTHING, 0.9), mean="flat")),
    (TypeError, "SBOSS .*takes pseudo-counts alpha or the posterior variance", lambda: SBOSS(BAMDP(HALVES, NOTHING, 0.9))),
)
