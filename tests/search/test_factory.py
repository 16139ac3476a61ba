"""How a search is made: what goes with what, and one sentence that says what would where something
doesn't.
"""

from typing import Any, get_args

import numpy as np
import pytest

import bamdp
from bamdp import BAMDP, Prior, _core, priors
from bamdp.agents import BAMCP, BAUCT, BFS3
from bamdp.agents.bamcp import Rollouts
from bamdp.domains import Chain
from reference.problems import belief_of
from reference.saved_agents import Counted

SEEDS = [[1, 2, 3, 4], [5, 6, 7, 8]]


def step(belief: Any, scratch: Any, state: int, action: int, rng: Any) -> tuple[int, float]:
    return state, 0.0


ROOT = {"collapsed", "lazy", "full"}

# Each prior, and the samplings of its models.
PRIORS: dict[str, tuple[Prior, set[str]]] = {
    "Dirichlet": (priors.Dirichlet(), ROOT | {"resampled"}),
    "SparseDirichlet": (priors.SparseDirichlet(), ROOT | {"resampled"}),
    "BetaArms": (priors.BetaArms(), ROOT | {"resampled"}),
    "Finite": (priors.Finite(np.full((2, 2, 2, 2), 0.5)), ROOT),
    "unknown rewards, Dirichlet": (
        priors.UnknownRewards(priors.Dirichlet()),
        {"collapsed", "lazy", "resampled"},
    ),
    "unknown rewards, Finite": (
        priors.UnknownRewards(priors.Finite(np.full((2, 2, 2, 2), 0.5))),
        {"collapsed", "lazy"},
    ),
    "Sampled": (priors.Sampled(Counted), ROOT),
    "Lazy": (priors.Lazy(Counted), ROOT),
    "Compiled": (priors.Compiled(step, compile=False), ROOT),
    "GridRewards": (priors.GridRewards(), {"collapsed", "lazy"}),
}

# The roll-outs that are not for all priors, and for which they are.
RESTRICTED: dict[str, set[str]] = {
    "value": set(),  # of worlds with a function of the user, which are tested elsewhere
    "posterior-mean": {
        "Dirichlet",
        "SparseDirichlet",
        "BetaArms",
        "Finite",
        "unknown rewards, Dirichlet",
    }
    | {"unknown rewards, Finite"},
    "straight": {"GridRewards"},
    "policy": set(),  # of Worlds alone: tests/agents/test_worlds_agents.py
    "best-arm": {"BetaArms"},
    "hindsight": {"BetaArms"},
}


def made(name: str, **settings: Any) -> BAMCP:
    kind = BAUCT if settings.get("sampling") == "resampled" else BAMCP
    rewards = np.empty((0, 4)) if name == "GridRewards" else np.array([[[0.0, 1.0]] * 2] * 2)
    return kind(BAMDP(PRIORS[name][0], rewards, 0.5), simulations=5, **settings)


@pytest.mark.parametrize("name", PRIORS)
def test_the_rollouts_of_each_prior(name: str) -> None:
    default = made(name, rollouts="straight" if name == "GridRewards" else "learned")
    assert made(name).plan(0).q_values.tolist() == default.plan(0).q_values.tolist()
    for rollouts in get_args(Rollouts):
        if name in RESTRICTED.get(rollouts, PRIORS):
            agent = made(name, rollouts=rollouts)
            assert agent.rollouts == rollouts
            assert agent.plan(0).simulations == 5
        else:
            with pytest.raises(TypeError) as caught:
                made(name, rollouts=rollouts)
            sentence = str(caught.value)
            assert f'rollouts="{rollouts}" ' in sentence
            assert "\n" not in sentence
            assert "make_search" not in sentence


@pytest.mark.parametrize("name", PRIORS)
def test_the_samplings_of_each_prior(name: str) -> None:
    for sampling in ("collapsed", "lazy", "full", "resampled"):
        if sampling in PRIORS[name][1]:
            assert made(name, sampling=sampling).plan(0).simulations == 5
        else:
            with pytest.raises(TypeError, match=r'"collapsed"|use BAMCP') as caught:
                made(name, sampling=sampling)
            assert "\n" not in str(caught.value)


def test_bfs3_says_what_it_takes() -> None:
    for name in ("Finite", "Sampled", "unknown rewards, Dirichlet"):
        with pytest.raises(
            TypeError,
            match=r"^BFS3 needs known rewards and .* independent rows, .* BAMCP needs only",
        ):
            BFS3(BAMDP(PRIORS[name][0], np.zeros((2, 2)), 0.5))
    with pytest.raises(
        TypeError, match=r"^BFS3 draws successors one by one: that takes Dirichlet, .* BAMCP works"
    ):
        _core.make_bfs3(belief_of(PRIORS["Finite"][0], 2, 2).native[0])


@pytest.mark.parametrize(
    "setting",
    [
        *(
            {"exploration": 0.5},
            {"depth": 2},
            {"rollouts": "uniform"},
            {"epsilon": 0.0},
            {"learning_rate": 1.0},
        ),
        *(
            {"sampling": "lazy"},
            {"nodes": "counts"},
            {"variant": "program"},
            {"reuse_tree": True},
            {"memory": 1e-3},
        ),
        *({"trees": 2}, {"exploration": "auto"}, {"final_move": "visits"}),
    ],
    ids=str,
)
def test_every_setting_takes_effect(setting: dict[str, Any]) -> None:
    """One that got lost on the way to the core would change no search."""

    def found(**given: Any) -> list[Any]:
        agent = BAMCP(Chain().problem(), simulations=100, seed=1, **given)
        bamdp.run(agent, Chain(), steps=30)
        plans = [agent.plan(state) for state in (0, 0, 3)]
        return [(plan.q_values.tolist(), plan.visits.tolist(), plan.action) for plan in plans]

    assert found(**setting) != found()
