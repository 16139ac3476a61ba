"""How a search is made: what goes with what, and one sentence that says what would where something doesn't."""

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
    "SharedSlip": (priors.SharedSlip([[0, 1], [1, 0]], [[1, 0], [0, 1]]), ROOT | {"resampled"}),
    "unknown rewards, Dirichlet": (priors.UnknownRewards(priors.Dirichlet()), {"collapsed", "lazy", "resampled"}),
    "unknown rewards, Finite": (priors.UnknownRewards(priors.Finite(np.full((2, 2, 2, 2), 0.5))), {"collapsed", "lazy"}),
    "Sampled": (priors.Sampled(Counted), ROOT),
    "Lazy": (priors.Lazy(Counted), ROOT),
    "Compiled": (priors.Compiled(step, compile=False), ROOT),
    "GridRewards": (priors.GridRewards(), {"collapsed", "lazy"}),
}

# The roll-outs that are not for all priors, and for which they are.
RESTRICTED = {
    "posterior-mean": {"Dirichlet", "SparseDirichlet", "BetaArms", "Finite", "SharedSlip", "unknown rewards, Dirichlet"}
    | {"unknown rewards, Finite"},
    "straight": {"GridRewards"},
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


@pytest.mark.parametrize(
    ("name", "rollouts", "sentence"),
    [
        ("Finite", "best-arm", 'is for bandits only, with BetaArms as prior and sampling="collapsed"; here rollouts can be '),
        ("SharedSlip", "hindsight", 'is for bandits only, .*; here rollouts can be "learned", "uniform", .*"posterior-mean"'),
        (
            "Dirichlet",
            "straight",
            'is for infinite grids only, with GridRewards as prior; here rollouts can be "learned", "uni',
        ),
        ("GridRewards", "best-arm", 'is for bandits only, .*; here rollouts can be "learned", "uniform", "straight"'),
        (
            "Sampled",
            "posterior-mean",
            'needs the posterior mean .* this prior can\'t give; here rollouts can be "learned", "uni',
        ),
    ],
)
def test_sentences_name_what_would_work(name: str, rollouts: str, sentence: str) -> None:
    with pytest.raises(TypeError, match=f'^rollouts="{rollouts}" {sentence}'):
        made(name, rollouts=rollouts)


def test_bfs3_says_what_it_takes() -> None:
    for name in ("Finite", "Sampled"):
        assert BFS3(BAMDP(PRIORS[name][0], np.zeros((2, 2)), 0.5), trajectories=2, depth=2, branching=2).act(0) in (0, 1)
    with pytest.raises(TypeError, match=r"^BFS3 draws successors from models, and .* BAMCP needs only a model to search"):
        BFS3(BAMDP(PRIORS["unknown rewards, Dirichlet"][0], np.zeros((2, 2)), 0.5))
    with pytest.raises(TypeError, match=r"^BFS3 draws successors one by one: that takes Dirichlet, .* BAMCP works"):
        _core.make_bfs3(belief_of(PRIORS["Finite"][0], 2, 2).search_parts(SEEDS)[0])


def test_settings_of_the_core() -> None:
    settings = _core.Settings()
    for name in ("sampling", "final_move"):
        with pytest.raises(ValueError, match=f'{name} must not be "eager"'):
            setattr(settings, name, "eager")
    settings.rollouts = "eager"
    native = belief_of(priors.Dirichlet(), 2, 2).search_parts(SEEDS)[0]
    with pytest.raises(ValueError, match=r'rollouts must be one of "learned", .*, got "eager"'):
        _core.make_search(native, np.zeros((2, 2)), settings, SEEDS)


@pytest.mark.parametrize(
    "setting",
    [
        *({"exploration": 0.5}, {"depth": 2}, {"rollouts": "uniform"}, {"epsilon": 0.0}, {"learning_rate": 1.0}),
        *({"sampling": "lazy"}, {"nodes": "counts"}, {"variant": "program"}, {"reuse_tree": True}, {"memory": 1e-3}),
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


def test_leaf_values_are_for_tables_of_them() -> None:
    solver = _core.Solver(np.zeros((2, 2)), 0.5, [])
    belief = belief_of(priors.Dirichlet(), 2, 2)
    solver.load_mean(belief.native[0], 0.0)
    solver.solve(1e-6)
    for rollouts, has in (("posterior-mean", True), ("learned", False)):
        settings = _core.Settings()
        settings.rollouts = rollouts
        search = _core.make_search(belief.search_parts(SEEDS)[0], np.ones((2, 2)), settings, SEEDS)
        if has:
            assert search.plan(0, 1, None, 1, None).values.max() == 1.0  # nothing is known yet of what comes after
            solver.set_leaf_values(search, 1e-6)
        else:
            with pytest.raises(TypeError, match='"posterior-mean"'):
                solver.set_leaf_values(search, 1e-6)
