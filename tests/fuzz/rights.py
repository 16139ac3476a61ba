"""What each parameter should be.

Only a parameter of a new kind (neither a number, a choice nor one of the names below) needs a line here, and a test says so.
"""

import typing
from collections.abc import Callable, Collection, Iterable
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Literal

import numpy as np
from hypothesis import strategies as st

from bamdp import BAMDP, agents, priors
from bamdp.choice_rule import ChoiceRule
from bamdp.domains import Bandit
from bamdp.environments import ids
from fuzz.worlds import (
    Coins,
    Strategy,
    World,
    any_prior,
    counted,
    discounts,
    generators,
    mdps,
    numbers,
    problems,
    ring,
    rows,
    states,
    tables,
    tabular,
)

names = st.sampled_from(sorted(name for name in ids().values() if name != "maze"))  # which takes seconds


@cache
def _saved() -> bytes:
    with TemporaryDirectory() as folder:
        agents.BayesianDP(Bandit([0.2, 0.8], 0.9).problem()).save(file := Path(folder, "agent"))
        return file.read_bytes()


def _written(content: bytes) -> str:
    """A file of the folder that the test is in."""
    Path("file").write_bytes(content)
    return "file"


files = st.one_of(st.binary(), st.builds(_saved)).map(_written)


def arms(world: World) -> Strategy:
    """Bandits; the work of their indices grows with 1 / (1 − discount)."""
    prior = st.builds(priors.BetaArms, numbers(world.A).map(np.abs), st.just(1.0))
    paid = numbers(world.A, 2).map(lambda r: np.stack([r, r]))
    return st.builds(BAMDP, prior, paid, st.sampled_from([0.0, 0.5, 0.9]), horizon=st.sampled_from([None, 1, 40]))


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
    "last_action": lambda w: st.integers(-1, w.A - 1),
    "rule": lambda w: st.builds(ChoiceRule, st.sampled_from([1e-9, 0.3, 1e9]), st.sampled_from([0.0, 0.5, 1.0]), st.just(1.0)),
    "reward": lambda w: st.sampled_from([0.0, 1.0, -1.0, 1e6]),
    "states": lambda w: states(w, 3),
    "actions": lambda w: st.lists(st.integers(0, w.A - 1), min_size=3, max_size=3),
    "next_states": lambda w: states(w, 3),
    "terminated": lambda w: st.sampled_from([True, False]),
    "start": lambda w: st.just(0),
    "horizon": lambda w: st.integers(1, 9),
    "episode_length": lambda w: st.integers(1, 4),
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
    "agent": lambda w: st.builds(agents.Random, problems(w)),
    "problem": problems,
    "mdp": mdps,
    "on_step": lambda w: st.none(),
    "simulations": lambda w: st.integers(1, 5),
    "workers": lambda w: st.none(),  # each is a process of a cluster, which has tests of its own
    "path": lambda w: files,
    "options": lambda w: st.none(),
    "render_mode": lambda w: st.sampled_from([None, "ansi", "rgb_array"]),
    "seconds": lambda w: st.sampled_from([None, 0.001]),
    "depth": lambda w: st.integers(1, 3),
    "tolerance": lambda w: st.sampled_from([1e-12, 1e-6, 0.1]),
}

OWN: dict[tuple[str, str], Callable[[World], Strategy]] = {
    ("MDP", "transitions"): lambda w: rows(w.S, w.A, w.S),
    ("MDP", "weights"): lambda w: st.none(),
    ("MDP", "successors"): lambda w: st.none(),
    ("MDP", "outcomes"): lambda w: st.none(),
    ("MDP", "values"): lambda w: numbers(w.S),
    ("BAMDP", "belief"): lambda w: st.none(),
    ("BAMDP", "states"): lambda w: st.just(tuple(f"s{s}" for s in range(w.S))),
    ("BAMDP", "actions"): lambda w: st.just(tuple(f"a{a}" for a in range(w.A))),
    ("Finite", "transitions"): lambda w: rows(2, w.S, w.A, w.S),
    ("Parametric", "function"): lambda w: st.just(lambda p, s, a: np.full((len(p), w.S), 1 / w.S)),
    ("Parametric", "parameters"): lambda w: numbers(2),
    ("Parametric", "rewards"): lambda w: st.none(),
    ("Finite", "rewards"): lambda w: st.one_of(st.none(), numbers(2, w.S, w.A)),
    ("UnknownRewards", "transitions"): counted,
    ("Gittins", "problem"): arms,
    ("gittins_index", "discount"): lambda w: st.sampled_from([0.0, 0.5, 0.9]),
    ("Bandit", "probabilities"): lambda w: rows(w.A),
    ("Bandit", "payoffs"): lambda w: numbers(w.A),
    ("BetaArms", "successes"): lambda w: numbers(w.A).map(np.abs),
    ("BetaArms", "failures"): lambda w: numbers(w.A).map(lambda n: np.abs(n) + 1),
    ("UnknownRewards", "outcomes"): lambda w: st.none(),  # not with values
    ("NormalArms", "mean"): lambda w: numbers(w.A),
    ("NormalArms", "deviation"): lambda w: st.sampled_from([0.0, 0.5, 2.0]),
    ("NormalArms", "noise"): lambda w: st.sampled_from([0.5, 2.0]),
    ("NormalArms", "degrees"): lambda w: st.sampled_from([2.5, 9.0, np.inf]),
    ("Normal", "mean"): lambda w: numbers(w.S, w.A),
    ("Normal", "deviation"): lambda w: st.sampled_from([0.0, 0.5, 2.0]),
    ("Normal", "noise"): lambda w: numbers(w.A).map(lambda n: np.abs(n) + 1),
    ("Normal", "degrees"): lambda w: st.sampled_from([2.5, 9.0, np.inf]),
    ("NormalBandit", "means"): lambda w: numbers(w.A),
    ("NormalBandit", "deviations"): lambda w: numbers(w.A).map(lambda n: np.abs(n) + 1),
    ("normal_gittins_index", "mean"): lambda w: numbers(w.A),
    ("normal_gittins_index", "deviation"): lambda w: st.sampled_from([0.0, 0.5, 2.0]),
    ("normal_gittins_index", "noise"): lambda w: st.sampled_from([0.5, 2.0]),
    ("normal_gittins_index", "discount"): lambda w: st.sampled_from([0.0, 0.5, 0.9]),
    ("normal_gittins_index", "tolerance"): lambda w: st.sampled_from([1e-6, 0.1]),
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
    ("Oracle", "world"): mdps,
    ("gittins_index", "successes"): lambda w: numbers(w.A).map(np.abs),
    ("gittins_index", "failures"): lambda w: numbers(w.A).map(lambda n: np.abs(n) + 1),
    ("bayes_optimal", "limit"): lambda w: st.integers(1, 1000),
    ("bayes_optimal", "horizon"): lambda w: st.sampled_from([None, 1, 3]),
    ("bayes_optimal", "tolerance"): lambda w: st.sampled_from([None, 1.0]),
    ("bayes_optimal", "problem"): lambda w: problems(w, counted(w)),
    ("bayes_optimal", "belief"): lambda w: st.none(),
    ("bayes_optimal", "restart"): lambda w: st.sampled_from([None, 0]),
    ("bayes_optimal", "time_limit"): lambda w: st.sampled_from([None, 1, 3]),
    ("upper_bound", "problem"): lambda w: problems(w, counted(w)),
    ("upper_bound", "belief"): lambda w: st.none(),
    ("upper_bound", "restart"): lambda w: st.sampled_from([None, 0]),
    ("upper_bound", "delay"): lambda w: st.sampled_from([None, 0, 2]),
    ("upper_bound", "horizon"): lambda w: st.sampled_from([None, 3]),
    ("upper_bound", "worlds"): lambda w: st.integers(1, 3),
    ("upper_bound", "batches"): lambda w: st.just(5),
    ("upper_bound", "limit"): lambda w: st.integers(1, 1000),
    ("policy_rewards", "steps"): lambda w: st.integers(1, 5),
    ("Tabular.from_successors", "successors"): lambda w: states(w, w.S, w.A, 2),
    ("Tabular.from_successors", "probabilities"): lambda w: rows(w.S, w.A, 2),
    ("SBOSS", "before"): lambda w: st.dictionaries(st.integers(0, w.S - 1), st.integers(0, 3)),
    ("SBOSS", "after"): lambda w: st.dictionaries(st.integers(0, w.S - 1), st.integers(0, 3)),
    ("load", "prior"): lambda w: st.none(),
    ("load", "agent_class"): lambda w: st.none(),
    ("Scene", "kind"): lambda w: st.sampled_from(["map", "graph", "arms"]),
    ("Scene", "place"): lambda w: st.just(lambda state: (state, 0)),
    ("Scene", "label"): lambda w: st.just(str),
    ("Scene", "actions"): lambda w: st.just(("left", "right")),
    ("Scene", "marks"): lambda w: st.just({(0, 0): "S"}),
    ("Scene", "walls"): lambda w: st.just((((0, 0), (1, 0)),)),
    ("DomainEnv", "domain"): lambda w: st.one_of(tabular(w), names),
    ("BayesAdaptiveEnv", "domain"): lambda w: st.one_of(tabular(w), names),
    ("BayesAdaptiveEnv", "prior"): lambda w: st.one_of(st.none(), counted(w)),
    ("BayesAdaptiveVectorEnv", "domain"): lambda w: st.one_of(tabular(w), names),
    ("BayesAdaptiveVectorEnv", "prior"): lambda w: st.one_of(st.none(), counted(w)),
    ("BayesAdaptiveVectorEnv", "num_envs"): lambda w: st.integers(1, 3),
    ("BayesAdaptiveVectorEnv", "autoreset_mode"): lambda w: st.sampled_from(["NextStep", "SameStep", "Disabled"]),
    ("BayesAdaptiveVectorEnv", "actions"): lambda w: st.lists(st.integers(0, w.A - 1), min_size=1, max_size=3),
    ("BayesAdaptiveVectorEnv", "copy"): lambda w: st.integers(0, 2),
    ("stratified", "values"): lambda w: st.just([1.0, 2.0, 3.0]),
    ("stratified", "strata"): lambda w: st.just([0, 1, 0]),
    ("stratified", "weights"): lambda w: st.just([0.5, 0.5]),
    ("check_agent", "agent"): lambda w: st.just(agents.Random),
}


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
    numbers = {int: st.integers(1, 4), float: st.sampled_from([0.01, 0.3, 0.5, 1.0])}
    simple: dict[Any, Strategy] = {**numbers, bool: st.booleans(), str: st.just("name"), type(None): st.none()}
    if hint in simple:
        return simple[hint]
    known = [by_hint(part) for part in choices if part in simple or typing.get_origin(part) is Literal]
    if not known:
        raise LookupError(f"tests/fuzz/rights.py knows no values of the type {hint}: add the parameter to NAMES or OWN")
    return st.one_of(known)
