"""What is fuzzed, and what parameters it has: read off packages and signatures.

A new agent, prior or domain is in it by being exported. Left out is what users get but never make from arguments of their own:
`Plan` and `Progress`, whose attributes are looked at where they are given, and `SavedFileError`.
"""

import inspect
from collections.abc import Callable
from functools import cache
from typing import Any

import gymnasium
from hypothesis import strategies as st

import bamdp
from bamdp import agents, domains, environments, exact, priors, statistics, testing
from bamdp.config.parameters import functions, resolve
from bamdp.domain import Scene
from bamdp.runs import loop
from fuzz.worlds import Strategy, World, tabular

CLASSES: dict[str, type[Any]] = {
    name: getattr(kind, name) for kind in (agents, priors, domains, environments) for name in kind.__all__
}
CLASSES |= {kind.__name__: kind for kind in (bamdp.BAMDP, bamdp.MDP, loop.Run, Scene)}

FUNCTIONS: dict[str, Callable[..., Any]] = {
    f.__qualname__: f
    for f in (
        bamdp.load,
        exact.bayes_optimal,
        exact.gittins_index,
        exact.normal_gittins_index,
        exact.upper_bound,
        statistics.mean,
        statistics.difference,
        statistics.slope,
        statistics.stratified,
        statistics.holm,
        statistics.standard_error,
        statistics.t_quantile,
        statistics.bootstrap,
        loop.run,
        testing.check_domain,
        testing.check_prior,
        testing.check_agent,
    )
}


def _tree(domain: Any, trees: int) -> Any:
    return agents.BAMCP(domain.problem(priors.Dirichlet()), simulations=9, trees=trees).plan(0).tree


def _record(domain: Any, steps: int) -> loop.Record:
    return loop.run(agents.Random(domain.problem()), domain, steps)


def _registered(name: str) -> Any:
    return gymnasium.make(name, disable_env_checker=True).unwrapped


# What functions give, and nobody makes by hand.
GIVEN: dict[str, Callable[[World], Strategy]] = {
    "SearchTree": lambda w: st.builds(_tree, tabular(w), st.integers(1, 2)),
    "Record": lambda w: st.builds(_record, tabular(w), st.integers(1, 9)),
    "gymnasium.make": lambda w: st.sampled_from(
        [environments.BAYES_ADAPTIVE, *(id for id in environments.ids() if "Maze" not in id)]
    ).map(_registered),
}


def parameters(target: Callable[..., Any]) -> dict[str, tuple[Any, bool]]:
    """The type of each parameter and whether it must be given; behind `**settings` of a class are those of its base."""
    return _parameters(getattr(target, "__func__", target))


@cache
def _parameters(target: Callable[..., Any]) -> dict[str, tuple[Any, bool]]:
    found: dict[str, tuple[Any, bool]] = {}
    for function in functions(target) if inspect.isclass(target) else [target]:
        for p in inspect.signature(function).parameters.values():
            if p.name in ("self", "cls") or p.kind in (p.VAR_KEYWORD, p.VAR_POSITIONAL):
                continue
            hint = resolve(p.annotation, getattr(inspect.unwrap(function), "__globals__", {}))
            found.setdefault(p.name, (hint, p.default is p.empty))
    return found
