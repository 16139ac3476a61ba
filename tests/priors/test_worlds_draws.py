"""Draws of fitted models as worlds, and the posterior as draws again."""

import warnings
from typing import Any

import numpy as np
import pandas as pd
import pytest

from bamdp import BAMDP, Outcome
from bamdp.priors import Worlds
from reference.rejections import rejections

with warnings.catch_warnings():
    warnings.simplefilter("ignore", FutureWarning)  # that ArviZ gives once a day
    az: Any = pytest.importorskip("arviz")
xr: Any = pytest.importorskip("xarray")

RNG = np.random.default_rng(0)
CHAINS, DRAWS = 2, 30
RATE, B = RNG.random((CHAINS, DRAWS)), RNG.normal(size=(CHAINS, DRAWS, 2))
SETS = xr.Dataset(
    {
        "b": (("k", "chain", "draw"), np.moveaxis(B, -1, 0)),  # in another order
        "rate": (("chain", "draw"), RATE),
    }
)


def inference_data(**groups: Any) -> Any:
    return az.from_dict(groups) if not hasattr(az, "InferenceData") else az.from_dict(**groups)


FORMS = {
    "dictionary": {"rate": RATE.ravel(), "b": B.reshape(-1, 2)},
    "InferenceData": inference_data(posterior={"rate": RATE, "b": B}),
    "DataTree": xr.DataTree.from_dict({"posterior": SETS}),
    "group": xr.DataTree.from_dict({"posterior": SETS})["posterior"],
    "dataset": SETS,
    "extract": az.extract(inference_data(posterior={"rate": RATE, "b": B})),
}


def outcomes(world: Any, state: str, action: str) -> list[Outcome]:
    return [
        Outcome("hit", 1.0, probability=world.rate),
        Outcome("miss", probability=1 - world.rate),
    ]


def of(worlds: Any, function: Any = outcomes, **settings: Any) -> Any:
    prior = Worlds(worlds, function, **settings)
    return BAMDP(prior, discount=0.9, start="miss", actions=["try"])


@pytest.mark.parametrize("form", FORMS)
def test_draws_are_worlds(form: str) -> None:
    worlds = of(FORMS[form]).prior.listed.worlds
    assert len(worlds) == CHAINS * DRAWS
    assert [world.rate for world in worlds] == RATE.ravel().tolist()
    np.testing.assert_array_equal([world.b for world in worlds], B.reshape(-1, 2))


def test_a_data_frame_and_rows_with_names_are_worlds() -> None:
    table = np.column_stack([RATE.ravel(), B[..., 0].ravel()])
    for worlds, names in (
        (pd.DataFrame(table, columns=["rate", "b"]), None),
        (table, ["rate", "b"]),
    ):
        listed = of(worlds, names=names).prior.listed.worlds
        assert [world.rate for world in listed] == RATE.ravel().tolist()
        assert list(of(worlds, names=names).belief().summary()) == ["rate", "b"]


def test_vectorised_draws_keep_their_shapes() -> None:
    def together(worlds: Any, state: str, action: str) -> list[Outcome]:
        assert worlds.b.shape == (CHAINS * DRAWS, 2)
        return [
            Outcome("hit", worlds.b[:, 0], probability=worlds.rate),
            Outcome("miss", probability=1 - worlds.rate),
        ]

    problem = of(FORMS["InferenceData"], together, vectorised=True)
    belief = problem.belief()
    belief.observe(problem.start, 0, float(B[1, 3, 0]), problem.state("hit"))
    assert belief.weights[DRAWS + 3] == pytest.approx(1)


def observed() -> Any:
    problem = of(FORMS["InferenceData"])
    belief = problem.belief()
    belief.observe(problem.start, 0, 1.0, problem.state("hit"))
    return belief


def test_the_summary_has_parameters_by_name() -> None:
    summary, weights = observed().summary(), RATE.ravel() / RATE.sum()
    assert list(summary) == ["rate", "b[0]", "b[1]"]
    assert summary["rate"].mean == pytest.approx(weights @ RATE.ravel())
    assert summary["b[1]"].mean == pytest.approx(weights @ B[..., 1].ravel())
    below = weights[RATE.ravel() < summary["rate"].low].sum()
    above = weights[RATE.ravel() > summary["rate"].high].sum()
    assert below <= 0.025 < below + weights.max()
    assert above <= 0.025 < above + weights.max()
    assert [line.split()[0] for line in str(summary).splitlines()] == [
        "parameter",
        "rate",
        "b[0]",
        "b[1]",
    ]


def test_worlds_that_are_numbers_are_one_parameter() -> None:
    def outcome(bias: float, state: str, action: str) -> Outcome:
        return Outcome("hit", bias)

    assert of([0.5, 1.0], outcome).belief().summary() == {"world": (0.75, 0.5, 1.0)}
    assert list(of([(1, 2), (3, 4)], outcome).belief().summary()) == ["world[0]", "world[1]"]
    assert not of(["a", "b"], outcome).belief().summary()
    assert "no parameters" in str(of(["a", "b"], outcome).belief().summary())


def test_the_posterior_comes_out_as_draws() -> None:
    """Weighted means; 4,000 independent draws have a standard error of 0.0046 and 0.016: five of
    them, a false alarm in 10⁶.
    """
    belief = observed()
    data = belief.to_inferencedata(draws=2000, chains=2)
    assert dict(data.posterior["b"].sizes) == {"chain": 2, "draw": 2000, "b_dim_0": 2}
    summary = belief.summary()
    assert float(data.posterior["rate"].mean()) == pytest.approx(summary["rate"].mean, abs=0.023)
    assert float(data.posterior["b"][..., 1].mean()) == pytest.approx(
        summary["b[1]"].mean, abs=0.08
    )
    assert float(data.prior["rate"].mean()) == pytest.approx(RATE.mean(), abs=0.023)
    assert summary["rate"].mean > RATE.mean() + 0.1
    pairs = {*zip(RATE.ravel(), B[..., 0].ravel(), strict=True)}
    drawn = zip(
        data.posterior["rate"].to_numpy().ravel(),
        data.posterior["b"].to_numpy()[..., 0].ravel(),
        strict=True,
    )
    assert set(drawn) <= pairs, "the parameters of a draw belong together"


def test_it_goes_in_again() -> None:
    again = of(observed().to_inferencedata(draws=50))
    assert len(again.prior.listed.worlds) == 200


def test_draws_of_particles() -> None:
    def draw(rng: np.random.Generator) -> float:
        return float(rng.random())

    def toss(bias: float, state: str, action: str) -> list[Outcome]:
        return [
            Outcome("hit", 1.0, probability=bias),
            Outcome("miss", probability=1 - bias),
        ]

    problem = of(draw, toss, particles=200)
    belief = problem.belief()
    for _ in range(8):
        belief.observe(problem.start, 0, 1.0, problem.state("hit"))
    data = belief.to_inferencedata(draws=500)
    assert float(data.posterior["world"].mean()) == pytest.approx(0.9, abs=0.05)
    assert float(data.prior["world"].mean()) == pytest.approx(0.5, abs=0.1)


def program(state: str, action: str) -> Outcome:
    return Outcome(state)


test_rejected = rejections(
    (
        ValueError,
        "worlds must be draws with a group posterior",
        lambda: of(inference_data(prior={"a": np.zeros((1, 3))})),
    ),
    (
        ValueError,
        "worlds must be draws with a group posterior",
        lambda: of(xr.DataTree.from_dict({"prior": SETS})),
    ),
    (
        ValueError,
        "a must have the dimensions chain and draw",
        lambda: of(xr.Dataset({"a": ("x", [1.0, 2.0])})),
    ),
    (
        TypeError,
        "worlds must be numbers, or have names for numbers, for to_inferencedata",
        lambda: of([program], None).belief().to_inferencedata(),
    ),
    (ValueError, "draws must be an integer", lambda: observed().to_inferencedata(draws=0)),
    (ValueError, "chains must be an integer", lambda: observed().to_inferencedata(chains=0)),
)
