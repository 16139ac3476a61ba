"""What is fuzzed, and what each parameter should be: a table that is read off packages and signatures.

A new agent, prior or domain is in it by being exported; only a parameter of a new kind (neither a number, a choice nor one of
the names below) needs a line here, and a test says so.
"""

from __future__ import annotations

import inspect
import typing
from collections.abc import Callable, Collection, Iterable
from functools import cache
from typing import Any, Literal, NamedTuple

import numpy as np
from hypothesis import strategies as st
from hypothesis.extra import numpy as npst
from numpy.typing import NDArray

from bamdp import Domain, Prior, agents, bellman, domains, episode, exact, flags, priors, statistics
from fuzz.values import awkward

Strategy = st.SearchStrategy[Any]


class World(NamedTuple):
    """How many states and actions there are."""

    S: int
    A: int


worlds: st.SearchStrategy[World] = st.builds(World, st.integers(1, 4), st.integers(1, 3))

CLASSES: dict[str, type[Any]] = {name: getattr(kind, name) for kind in (agents, priors, domains) for name in kind.__all__}
FUNCTIONS: dict[str, Callable[..., Any]] = {
    f.__qualname__: f
    for f in (
        exact.bayes_optimal,
        exact.gittins_index,
        bellman.policy_rewards,
        bellman.optimal_total,
        statistics.mean,
        statistics.difference,
        statistics.slope,
        statistics.standard_error,
        statistics.t_quantile,
        episode.run,
        domains.Tabular.from_successors,
    )
}


def parameters(target: Callable[..., Any]) -> dict[str, tuple[Any, bool]]:
    """The type of each parameter and whether it must be given; behind `**settings` of a class are those of its base."""
    return _parameters(getattr(target, "__func__", target))


@cache
def _parameters(target: Callable[..., Any]) -> dict[str, tuple[Any, bool]]:
    found: dict[str, tuple[Any, bool]] = {}
    for function in flags._functions(target) if inspect.isclass(target) else [target]:
        for p in inspect.signature(function).parameters.values():
            if p.name in ("self", "cls") or p.kind in (p.VAR_KEYWORD, p.VAR_POSITIONAL):
                continue
            hint = flags._resolve(p.annotation, getattr(inspect.unwrap(function), "__globals__", {}))
            found.setdefault(p.name, (hint, p.default is p.empty))
    return found


# --- what parameters should be


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


class Coins:
    """A posterior of the user's: counts, drawn from row by row or whole."""

    def __init__(self, num_states: int, num_actions: int) -> None:
        if num_states * num_actions * num_states > 10**6:
            raise MemoryError("too large for this posterior")
        self.counts = np.ones((num_states, num_actions, num_states))

    def observe(self, state: int, action: int, next_state: int) -> None:
        self.counts[state, action, next_state] += 1

    def sample_row(self, state: int, action: int, rng: np.random.Generator) -> NDArray[np.float64]:
        return rng.dirichlet(self.counts[state, action])

    def sample(self, count: int, rng: np.random.Generator) -> NDArray[np.float64]:
        draws = rng.standard_gamma(self.counts, size=(count, *self.counts.shape))
        return np.asarray(draws / draws.sum(axis=-1, keepdims=True))


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
        st.just(priors.Lazy(Coins)),
        st.just(priors.Sampled(Coins, batch=3)),
        st.just(priors.BetaArms()),
    )


def tabular(world: World) -> st.SearchStrategy[Domain]:
    return st.builds(domains.Tabular, rows(world.S, world.A, world.S), tables(world), st.just(0.9))


generators = st.integers(0, 9).map(np.random.default_rng)
discounts = st.sampled_from([0.0, 0.5, 0.95, 0.9999])

NAMES: dict[str, Callable[[World], Strategy]] = {
    "prior": lambda w: st.one_of(counted(w), any_prior(w)),
    "rewards": tables,
    "discount": lambda w: discounts,
    "terminal": lambda w: st.sets(st.integers(1, max(1, w.S - 1)), max_size=1),
    "num_states": lambda w: st.just(w.S),
    "num_actions": lambda w: st.just(w.A),
    "state": lambda w: st.integers(0, w.S - 1),
    "next_state": lambda w: st.integers(0, w.S - 1),
    "action": lambda w: st.integers(0, w.A - 1),
    "reward": lambda w: st.sampled_from([0.0, 1.0, -1.0, 1e6]),
    "start": lambda w: st.just(0),
    "seed": lambda w: st.integers(0, 2**70),
    "domain": tabular,
    "rng": lambda w: generators,
    "posterior": lambda w: st.just(Coins),
    "values": lambda w: st.just((0.0, 1.0)),
    "weights": lambda w: numbers(2).map(np.abs),
    "policy": lambda w: states(w, w.S),
    "visits": lambda w: st.integers(1, 9),
    "environment": lambda w: st.sampled_from(["FrozenLake-v1", "CliffWalking-v1"]),
    "make": lambda w: st.just(""),
    "agent": lambda w: st.builds(agents.Random, st.just(w.A)),
    "on_step": lambda w: st.none(),
    "simulations": lambda w: st.integers(1, 5),
    "workers": lambda w: st.none(),  # each is a process of a cluster, which has tests of its own
    "seconds": lambda w: st.sampled_from([None, 0.001]),
    "depth": lambda w: st.integers(1, 3),
    "tolerance": lambda w: st.sampled_from([1e-12, 1e-6, 0.1]),
}

OWN: dict[tuple[str, str], Callable[[World], Strategy]] = {
    ("Tabular", "transitions"): lambda w: rows(w.S, w.A, w.S),
    ("Finite", "transitions"): lambda w: rows(2, w.S, w.A, w.S),
    ("UnknownRewards", "transitions"): counted,
    ("Gittins", "prior"): lambda w: st.builds(priors.BetaArms, numbers(w.A).map(np.abs), st.just(1.0)),
    ("Gittins", "discount"): lambda w: st.sampled_from([0.0, 0.5, 0.9]),  # the work grows with 1 / (1 − discount)
    ("gittins_index", "discount"): lambda w: st.sampled_from([0.0, 0.5, 0.9]),
    ("Gittins", "rewards"): lambda w: numbers(w.A, 2).map(lambda r: np.stack([r, r])),
    ("Bandit", "probabilities"): lambda w: rows(w.A),
    ("Bandit", "payoffs"): lambda w: numbers(w.A),
    ("BetaArms", "successes"): lambda w: numbers(w.A).map(np.abs),
    ("BetaArms", "failures"): lambda w: numbers(w.A).map(lambda n: np.abs(n) + 1),
    ("Dirichlet", "alpha"): lambda w: st.one_of(st.sampled_from([None, 1e-12, 1.0, 1e6]), rows(w.S), rows(w.S, w.A, w.S)),
    ("UnknownRewards", "alpha"): lambda w: st.sampled_from([1.0, (0.5, 2.0)]),
    ("SharedSlip", "intended"): lambda w: states(w, w.S, w.A),
    ("SharedSlip", "slipped"): lambda w: states(w, w.S, w.A),
    ("SharedSlip", "probabilities"): lambda w: st.none(),
    ("Compiled", "step"): lambda w: st.just(ring),
    ("Compiled", "begin"): lambda w: st.none(),
    ("Compiled", "observe"): lambda w: st.none(),
    ("Compiled", "compile"): lambda w: st.just(False),
    ("Compiled", "belief_array"): lambda w: numbers(2),
    ("Compiled", "scratch"): lambda w: numbers(2),
    ("VPI", "alpha"): lambda w: st.sampled_from([1.001, 1.1, 2.0, 1e6]),
    ("Gymnasium", "rewards"): lambda w: st.sampled_from([None, "table", "learned"]),
    ("Grid", "size"): lambda w: st.integers(2, 4),
    ("Random", "num_actions"): lambda w: st.just(w.A),
    ("gittins_index", "successes"): lambda w: numbers(w.A).map(np.abs),
    ("gittins_index", "failures"): lambda w: numbers(w.A).map(lambda n: np.abs(n) + 1),
    ("bayes_optimal", "limit"): lambda w: st.integers(1, 1000),
    ("bayes_optimal", "horizon"): lambda w: st.sampled_from([None, 1, 3]),
    ("bayes_optimal", "tolerance"): lambda w: st.sampled_from([None, 1.0]),
    ("bayes_optimal", "prior"): counted,
    ("policy_rewards", "steps"): lambda w: st.integers(1, 5),
    ("Tabular.from_successors", "successors"): lambda w: states(w, w.S, w.A, 2),
    ("Tabular.from_successors", "probabilities"): lambda w: rows(w.S, w.A, 2),
    ("SBOSS", "before"): lambda w: st.dictionaries(st.integers(0, w.S - 1), st.integers(0, 3)),
    ("SBOSS", "after"): lambda w: st.dictionaries(st.integers(0, w.S - 1), st.integers(0, 3)),
}


def ring(belief: Any, scratch: Any, state: int, action: int, rng: Any) -> tuple[int, float]:
    """A model of the user's: one state."""
    return 0, 1.0


_made: dict[tuple[str, str, World], Strategy] = {}  # strategies take longer to make than to draw from


def right(owner: str, name: str, hint: Any, world: World) -> Strategy:
    """Values that a parameter is meant for."""
    by_name = OWN.get((owner, name)) or NAMES.get(name)
    key = owner, name, world
    if key not in _made:
        _made[key] = by_hint(hint) if by_name is None else by_name(world)
    return _made[key]


def by_hint(hint: Any) -> Strategy:
    """Values of a type."""
    choices = typing.get_args(hint)
    if typing.get_origin(hint) is Literal:
        return st.sampled_from(choices)
    if typing.get_origin(hint) is tuple:
        return st.tuples(*map(by_hint, choices))
    if typing.get_origin(hint) in (list, Collection, Iterable, typing.Sequence) or "Sequence" in str(hint):
        return st.lists(st.sampled_from([0.0, 1.0, 2.5, -3.0]), min_size=2, max_size=4)
    simple = {bool: st.booleans(), int: st.integers(1, 4), float: st.sampled_from([0.01, 0.3, 0.5, 1.0]), type(None): st.none()}
    if hint in simple:
        return simple[hint]
    known = [by_hint(part) for part in choices if part in simple or typing.get_origin(part) is Literal]
    if not known:
        raise LookupError(f"tests/fuzz/subjects.py knows no values of the type {hint}: add the parameter to NAMES or OWN")
    return st.one_of(known)
