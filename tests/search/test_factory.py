"""How a search is made: what goes with what, and one sentence that says what would where something doesn't."""

import pickle
from typing import Any, get_args

import numpy as np
import pytest

from bamdp import Prior, _core, priors
from bamdp.agents import BAMCP, BAUCT, BFS3
from bamdp.agents.bamcp import Rollouts
from reference.saved_agents import Counted
from bamdp import BAMDP
from reference.problems import belief_of

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
    "posterior-mean": {"Dirichlet", "SparseDirichlet", "BetaArms", "Finite", "SharedSlip", "unknown rewards, Dirichlet"},
    "straight": {"GridRewards"},
    "best-arm": {"BetaArms"},
    "hindsight": {"BetaArms"},
}


def made(name: str, **settings: Any) -> BAMCP:
    kind = BAUCT if settings.get("sampling") == "resampled" else BAMCP
    rewards = np.empty((0, 4)) if name == "GridRewards" else np.array([[[0.0, 1.0]] * 2] * 2)
    return kind(PRIORS[name][0], rewards, 0.5, simulations=5, **settings)


@pytest.mark.parametrize("name", PRIORS)
def test_the_rollouts_of_each_prior(name: str) -> None:
    assert made(name).rollouts == ("straight" if name == "GridRewards" else "learned")
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
        _core.make_bfs3(belief_of(PRIORS["Finite"][0], 2, 2).model(SEEDS)[0])


def test_settings_have_names_only() -> None:
    with pytest.raises(TypeError):
        _core.Settings(0.9)  # type: ignore[call-arg]
    for name in ("sampling", "final_move"):
        with pytest.raises(ValueError, match=f'{name} must not be "eager"'):
            _core.Settings(**dict[str, Any]({name: "eager"}))
    native = belief_of(priors.Dirichlet(), 2, 2).model(SEEDS)[0]
    with pytest.raises(ValueError, match=r'rollouts must be one of "learned", .*, got "eager"'):
        _core.make_search(native, np.zeros((2, 2)), _core.Settings(rollouts="eager"), SEEDS)


def test_pickled_settings_make_the_same_search() -> None:
    """Every setting is away from its default: one that got lost or mixed up would change the search."""
    given: dict[str, Any] = {
        "discount": 0.8,
        "horizon": 7,
        "exploration": 0.5,
        "log_offset": 1,
        "expand_after": 1,
        "first_action_random": True,
        "lattice": True,
        "reuse_tree": True,
        "terminal": [3, 1],
        "memory": 4000,
        "final_move": "visits",
        "sampling": "lazy",
        "rollouts": "learned",
        "epsilon": 0.1,
        "learning_rate": 0.7,
    }
    settings = _core.Settings(**given)
    assert pickle.loads(pickle.dumps(settings)).__getstate__() == settings.__getstate__()
    assert (settings.sampling, settings.rollouts, settings.memory) == ("lazy", "learned", 4000)
    plain = _core.Settings()
    assert sum(a != b for a, b in zip(settings.__getstate__(), plain.__getstate__(), strict=True)) == len(given)


def test_leaf_values_are_for_tables_of_them() -> None:
    solver = _core.Solver(np.zeros((2, 2)), 0.5, [])
    belief = belief_of(priors.Dirichlet(), 2, 2)
    belief.load_mean(solver)
    solver.solve(1e-6)
    for rollouts, has in (("posterior-mean", True), ("learned", False)):
        search = _core.make_search(belief.model(SEEDS)[0], np.ones((2, 2)), _core.Settings(rollouts=rollouts), SEEDS)
        if has:
            assert search.plan(0, 1, None, 1, None).q_values.max() == 1.0  # nothing is known yet of what comes after
            solver.set_leaf_values(search, 1e-6)
        else:
            with pytest.raises(TypeError, match='"posterior-mean"'):
                solver.set_leaf_values(search, 1e-6)
