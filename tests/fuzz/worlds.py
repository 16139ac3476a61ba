"""Small worlds, priors and tables, as they should be."""

from typing import Any, NamedTuple

import numpy as np
from hypothesis import strategies as st
from hypothesis.extra import numpy as npst
from numpy.typing import NDArray

from bamdp import BAMDP, MDP, Domain, Prior, agents, domains, priors
from fuzz.values import awkward
from reference.saved_agents import Counted

Strategy = st.SearchStrategy[Any]


class World(NamedTuple):
    """How many states and actions there are."""

    S: int
    A: int


worlds: st.SearchStrategy[World] = st.builds(World, st.integers(1, 4), st.integers(1, 3))


def rows(*shape: int) -> st.SearchStrategy[NDArray[np.float64]]:
    """Probabilities."""
    weights = npst.arrays(np.float64, shape, elements=st.sampled_from([0.0, 1.0, 0.5, 1e-12])).map(
        lambda w: w + (w.sum(-1, keepdims=True) == 0)
    )
    return weights.map(lambda w: w / w.sum(-1, keepdims=True)).flatmap(awkward)


def numbers(*shape: int) -> st.SearchStrategy[NDArray[np.float64]]:
    return npst.arrays(np.float64, shape, elements=st.sampled_from([0.0, 1.0, -1.0, 2.5, 1e6, -1e-9])).flatmap(awkward)


def states(world: World, *shape: int) -> st.SearchStrategy[NDArray[np.int64]]:
    return npst.arrays(np.int64, shape, elements=st.integers(0, world.S - 1)).flatmap(awkward)


def tables(world: World) -> Strategy:
    return st.one_of(numbers(world.S, world.A), numbers(world.S, world.A, world.S))


class Coins(Counted):
    """A posterior of the user's, with a bound of its size."""

    def __init__(self, problem: BAMDP) -> None:
        if problem.num_states * problem.num_actions * problem.num_states > 10**6:
            raise MemoryError("too large for this posterior")
        super().__init__(problem)


def counted(world: World) -> st.SearchStrategy[Prior]:
    """Priors that every agent can plan with."""
    return st.one_of(
        st.just(priors.Dirichlet()),
        st.builds(priors.Dirichlet, st.sampled_from([1e-12, 0.3, 1e6])),
        st.builds(priors.SparseDirichlet, st.sampled_from([1e-12, 0.2, 1e6])),
    )


def any_prior(world: World) -> st.SearchStrategy[Prior]:
    return st.one_of(
        counted(world),
        st.builds(priors.Finite, rows(2, world.S, world.A, world.S)),
        st.builds(priors.SharedSlip, states(world, world.S, world.A), states(world, world.S, world.A)),
        st.builds(priors.UnknownRewards, counted(world), deterministic=st.booleans()),
        st.builds(priors.UnknownRewards, counted(world), outcomes=st.just(priors.Normal(0.0))),
        st.just(priors.Lazy(Coins)),
        st.just(priors.Sampled(Coins, batch=3)),
        st.just(priors.BetaArms()),
    )


def tabular(world: World) -> st.SearchStrategy[Domain]:
    return st.builds(domains.Tabular, mdps(world), st.just(0.9))


def mdps(world: World) -> st.SearchStrategy[MDP]:
    return st.builds(MDP, rows(world.S, world.A, world.S), tables(world))


def problems(world: World, prior: Strategy | None = None) -> st.SearchStrategy[BAMDP]:
    """Those without an end, and some with one."""
    made = any_prior(world) if prior is None else prior
    return st.builds(BAMDP, made, tables(world), discounts, horizon=st.sampled_from([None, None, 3, 40]))


generators = st.integers(0, 9).map(np.random.default_rng)
discounts = st.sampled_from([0.0, 0.5, 0.95, 0.9999])
grids = st.builds(domains.InfiniteGrid, seed=st.integers(0, 9))


def explorers() -> Strategy:
    """Agents whose belief a film shows."""
    return grids.map(lambda world: agents.BAMCP(world.problem(), simulations=2))


def ring(belief: Any, scratch: Any, state: int, action: int, rng: Any) -> tuple[int, float]:
    """A model of the user's: one state."""
    return 0, 1.0
