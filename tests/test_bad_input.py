"""The one table of bad input: what is out of range or of another shape is refused by an error that
names the argument.

What is not of its type is tried of every plain argument of the constructors in the table. What does
not go together is in the tests of each room, with the sentence that says what would.
"""

import inspect
import re
import typing
from collections.abc import Callable
from functools import partial
from typing import Any, Literal

import numpy as np
import pytest
from gymnasium import spaces

import bamdp
from bamdp import BAMDP, MDP, agents, exact, statistics, testing
from bamdp.config.parameters import NONE, of_constructor
from bamdp.domain import UNBOUNDED
from bamdp.domains import (
    Bandit,
    Chain,
    Grid,
    GridNavi,
    Gymnasium,
    InfiniteGrid,
    Maze,
    NormalBandit,
    RandomMDP,
    Tabular,
)
from bamdp.pictures.scenes import Scene
from bamdp.priors import (
    BetaArms,
    Compiled,
    Dirichlet,
    Finite,
    GridRewards,
    Normal,
    Parametric,
    Sampled,
    SparseDirichlet,
    UnknownRewards,
)
from bamdp.suite import RL2MDP, Benchmark, HorizonTask
from reference.problems import belief_of, sized
from reference.saved_agents import Counted

NAN, INF, BEYOND, DIGITS = (
    float("nan"),
    float("inf"),
    10**400,
    10**5000,
)  # the last: more than Python prints
CHAIN, R = Chain(), np.zeros((3, 2))
PROBLEM, RANDOM, RNG = CHAIN.problem(), agents.Random(CHAIN.problem()), np.random.default_rng(0)
T = np.random.default_rng(0).dirichlet([0.7] * 3, size=(4, 3, 2))  # [M, S, A, S]
ONE = MDP(np.ones((1, 1, 1)), [[0]])
HALF, FEW = np.full((3, 2, 2), 0.5), np.zeros((3, 2, 2), np.int64)
NEXT = np.array([[0, 1], [1, 0]])
RAGGED = [[1], [1, 2]]
BELIEF, SOLUTION = PROBLEM.belief(), MDP(T[0], R)
COUNTS: list[Any] = [-1, NAN, 1e300, [1, -1], [1, 2, 3]]
TOLERANCES = [0, -1, INF]
DISCOUNTS = [1, 1.5, -0.1]

SEARCH: dict[str, list[Any]] = {
    "simulations": [0, -5, 10.0, True, 2**63, DIGITS],
    "seconds": [0, 0.0, -1, INF],
    "exploration": [-1, INF, None, "automatic"],
    "depth": [0, -1, 2**40],
    "rollouts": ["learnt"],
    "epsilon": [-0.1, 1.1],
    "learning_rate": [-0.1, 2],
    "trees": [0, 2**63, 10**9],
    "threads": [0, -1],
    "workers": [0, -1, 1.5, 10**9],
    "memory": [0, -1, INF, None],
    "seed": [-1],
}

# What is called with right arguments but for one, and the values that it must refuse.
BAD: list[tuple[Callable[..., Any], dict[str, list[Any]]]] = [
    (
        partial(BAMDP, Dirichlet(), R, 0.9),
        {
            "prior": [None],
            "rewards": [R[0], np.zeros((3, 2, 2)), np.zeros((3, 0)), R + NAN, [["a"]], R + 1e300],
            "discount": [1.1, -0.1],
            "terminal": [[3], 1, range(3)],
            "horizon": [0, 1.5],
            "episode_length": [0, 5],
            "start": [3],
            "states": [("a", "b"), 3, ("a", "b", "b")],
            "actions": ["ab", ("go", "go"), (0, 1)],
        },
    ),
    (
        partial(MDP, T[0], R),
        {
            "transitions": [T[0, 0], HALF, 2 * T[0], -T[0], "no", RAGGED],
            "rewards": [R[0], R + 1e300, R + NAN],
            "terminal": [[3], 1, [0, 1, 2], np.ones(3, bool), [[0], [1]]],
            "successors": [T[0], FEW + 3, FEW[0], FEW[:, :, :1], [[0], [0, 1]]],
            "weights": [[1]],
            "outcomes": [np.ones((3, 2))],
        },
    ),
    (
        partial(MDP, T, R),
        {"terminal": [np.eye(3, dtype=bool), [[0], [1]]], "weights": [[1, 2], [-1, 1, 1, 1]]},
    ),
    (
        partial(SOLUTION.solve, 0.9),
        {"discount": DISCOUNTS, "tolerance": TOLERANCES, "horizon": [0]},
    ),
    (MDP(T, R).take, {"index": [4, [[0, 1]], []]}),
    # --- priors and beliefs
    (
        Dirichlet,
        {
            "alpha": [
                0,
                -1.0,
                INF,
                [1e308, 1e308],
                np.full((2, 1, 2), 1e15),
                [1, -1],
                [0.0, 0.0],
                [1, NAN],
                [],
                RAGGED,
            ]
        },
    ),
    (SparseDirichlet, {"alpha": [0, INF, 1e9], "exponent": [1e300]}),
    (BetaArms, {"successes": [*COUNTS[:4], [[1]]], "failures": COUNTS[:4]}),
    (partial(BetaArms, [1, 2]), {"failures": [[1, 2, 3]]}),
    (
        GridRewards,
        {"columns": [(0, 1), (BEYOND, 1)], "rows": [3], "cap": [-1], "proposal": ["gibs"]},
    ),
    (
        partial(Finite, T),
        {
            "transitions": [T[0], 2 * T, [T[0], T[0, :2]]],
            "weights": [[1, 2], [0] * 4, [1, 1, 1, -1], [1.7e308] * 4, [1e300, 1, 1, 1e-300]],
            "rewards": [R, np.zeros((4, 2, 2)), np.full((4, 3, 2), NAN)],
            "terminal": [[[0], [1]], [[5]] * 4, np.zeros((4, 2), bool), 3],
        },
    ),
    (
        partial(Normal, 0),
        {"deviation": [-1, 1e-9], "noise": [0], "degrees": [2, NAN, "many"], "mean": [NAN, INF]},
    ),
    (
        partial(UnknownRewards, Dirichlet()),
        {
            "transitions": [(0, 1)],
            "values": [[], [1, 1], [0, 1e300]],
            "alpha": [-1, 0, [1, 2, 3]],
            "outcomes": [(0, 1)],
        },
    ),
    (partial(Sampled, Counted), {"batch": [0]}),
    (
        partial(Compiled, lambda *given: None),
        {"step": [5, "step"], "observe": [3], "scratch": [RAGGED, [object()]]},
    ),
    (
        partial(Parametric, lambda p, s, a: 1, [1.0, 2]),
        {"function": [3], "rewards": [R], "parameters": [[], [1, NAN]]},
    ),
    (partial(Parametric, lambda p, s, a: 1, [1.0, 2]), {"weights": [[1, 2, 3]]}),
    (partial(BELIEF.sample, 1), {"rng": [0, None]}),
    (
        partial(BELIEF.observe_many, [0, 1], [0, 0], [0.0, 0.0], [1, 1]),
        {
            "states": [[0], [0.5, 0], [[0]], [5, 0]],
            "actions": [[0, 2]],
            "rewards": [["a", 0], [NAN, 0]],
            "terminated": [[2, 0]],
        },
    ),
    # --- domains
    (
        partial(Tabular, ONE, 0.9),
        {
            "mdp": [np.ones((1, 1, 1)), MDP([np.ones((1, 1, 1))], [[0]])],
            "discount": DISCOUNTS,
            "start": [1],
            "steps": [0],
            "prior": [5],
            "time_limit": [0],
            "episode_length": [3],
        },
    ),
    (
        partial(Grid(5).step, 0, 0, RNG),
        {"state": [25, -1, 1.0], "action": [4, -1, True], "rng": [None]},
    ),
    (partial(NormalBandit([0, 1]).step, 0, 0, RNG), {"state": [1], "action": [2]}),
    (Grid, {"size": [1, 2.5, 2**20], "slip": [1.5]}),
    (partial(Grid(5).state, 0, 0), {"x": [5], "y": [-1]}),
    (Grid(5).cell, {"state": [25]}),
    (Maze, {"slip": [-0.1], "discount": DISCOUNTS}),
    (partial(Maze().state, 0, 0), {"x": [7, 1], "y": [6], "flags": [8]}),
    (Maze().cell, {"state": [264]}),
    (Chain, {"slip": [2]}),
    (Bandit, {"probabilities": [[], [[0.5]], [0.5, 1.5]], "payoffs": [[1, 2, 3]]}),
    (partial(NormalBandit, [0, 1]), {"means": [1.0, [0, NAN]], "deviations": [0, [1, 2, 3]]}),
    (
        RandomMDP,
        {
            "num_states": [0, 10**6],
            "num_actions": [0],
            "rows": ["thin"],
            "rewards": ["none"],
            "seed": [-1],
        },
    ),
    (GridNavi, {"size": [2], "goal": [6, 25], "episode_length": [0], "episodes": [-1]}),
    (
        partial(InfiniteGrid(seed=0).state, 0, 0, False),
        {"content": [""], "x": [2**31], "y": [-(2**31)]},
    ),
    (partial(InfiniteGrid(seed=0).holds, 0, 0), {"x": ["0"], "y": ["0"]}),
    (
        partial(Scene, "map", lambda state: (0, 0)),
        {"kind": ["maps"], "place": [(0, 0)], "actions": [(1, 2)]},
    ),
    (
        partial(Gymnasium, "FrozenLake-v1"),
        {
            "environment": ["Nope-v0", "no_such_module:Nope-v0", spaces.Discrete(2)],
            "rewards": ["known", R],
            "prior": [R],
            "values": ["some"],
        },
    ),
    # --- agents
    (
        partial(agents.BAMCP, PROBLEM),
        {**SEARCH, "sampling": ["eager", "resampled"], "nodes": ["states"], "variant": ["text"]},
    ),
    (
        partial(agents.BAMCP, PROBLEM),
        {"final_move": ["random"], "reuse_tree": ["no", None], "problem": [2, CHAIN]},
    ),
    (partial(agents.BAUCT, PROBLEM), {**SEARCH, "sampling": ["lazy"]}),
    (partial(agents.BEB, PROBLEM), {"beta": [-1], "mean": ["median"]}),
    (partial(agents.BOSS, PROBLEM), {"models": [0, 10**9], "visits": [-1]}),
    (partial(agents.SBOSS, PROBLEM), {"delta": [-1], "criterion": ["range"]}),
    (partial(agents.BayesianDP, PROBLEM), {"period": [0], "resample": ["never"]}),
    (partial(agents.PosteriorMean, PROBLEM), {"tolerance": TOLERANCES, "ties": ["last"]}),
    (partial(agents.EpsilonGreedy, PROBLEM), {"epsilon": [2], "half_life": [0]}),
    (partial(agents.Softmax, PROBLEM), {"temperature": [0], "half_life": [-1]}),
    (
        partial(agents.BFS3, PROBLEM),
        {"branching": [0], "depth": [0], "trajectories": [0], "vmax": [-1], "memory": [0, -1]},
    ),
    (partial(agents.BFS3, PROBLEM), {"tree": ["oak"], "leaves": ["green"]}),
    (
        partial(agents.QLearning, PROBLEM),
        {"temperature": [-1.0], "learning_rate": [-1.0], "decay": [1e300]},
    ),
    (partial(agents.IEQL, PROBLEM), {"theta": [1e-300], "alpha": [-1.0]}),
    (partial(agents.VPI, PROBLEM), {"alpha": [-1.0], "lam": [1e-300], "beta": [-1.0]}),
    (partial(agents.Oracle, PROBLEM, world=CHAIN.mdp), {"world": [None, ONE], "seed": [-1]}),
    (agents.Oracle(PROBLEM, world=CHAIN.mdp).act, {"state": [5]}),
    (agents.IEQL(sized(2, 2)).bonus, {"visits": [0]}),
    (agents.Random(PROBLEM).save, {"path": [b"x", 5]}),
    # --- runs, exact solutions, statistics, files, checks
    (
        partial(bamdp.run, RANDOM, CHAIN, 2),
        {
            "agent": [None],
            "domain": [None],
            "steps": [0, 2.5, 10**12],
            "seed": [-1, "x"],
            "on_step": [5],
        },
    ),
    (partial(bamdp.load, "file"), {"path": [5, "a\0b"], "agent_class": [5]}),
    (
        partial(exact.bayes_optimal, PROBLEM, 0),
        {"state": [5], "horizon": [0], "tolerance": TOLERANCES, "restart": [5]},
    ),
    (
        partial(exact.upper_bound, PROBLEM, 0),
        {"state": [5], "horizon": [0], "delay": [-1], "worlds": [0], "batches": [4]},
    ),
    (
        partial(exact.gittins_index, 1, 1, 0.9),
        {"successes": [*COUNTS[:3], [1, 1e300]], "failures": COUNTS[:3]},
    ),
    (
        partial(exact.gittins_index, [1, 2], 1, 0.9),
        {"failures": [[1, 2, 3]], "discount": DISCOUNTS, "tolerance": TOLERANCES},
    ),
    (
        partial(exact.finite_gittins_index, 1, 1, 3),
        {"steps": [0, 2.5], "successes": [-1, NAN], "tolerance": [0]},
    ),
    (
        partial(exact.normal_gittins_index, 0, 1, 1, 0.9),
        {
            "mean": [NAN],
            "deviation": [-1, 1e-9],
            "noise": [0],
            "discount": DISCOUNTS,
            "tolerance": [1e-12],
        },
    ),
    (statistics.mean, {"values": [["x"], [1e308, 1e308], []]}),
    (statistics.standard_error, {"values": [[1.0]]}),
    (partial(statistics.slope, [1.0, 2.0], [1.0, 2.0]), {"x": [[1.0, 1.0], [1.0]], "y": [[1.0]]}),
    (statistics.t_quantile, {"freedom": [0]}),
    (statistics.holm, {"p_values": [[0.5, 1.5]]}),
    (partial(statistics.bootstrap, [1.0, 2.0]), {"seed": ["x"]}),
    (statistics.mean([1.0, 2.0]).side, {"of": [np.datetime64("2000")]}),
    (partial(statistics.ratio, [1.0, 2.0], [1.0, 2.0]), {"top": [[1.0]], "bottom": [[1.0, -1.0]]}),
    (partial(statistics.stratified, [1.0, 2], [0, 0], [1.0]), {"strata": [[0], [0, 1]]}),
    (testing.check_domain, {"domain": [None]}),
    (partial(testing.check_agent, agents.Random, CHAIN), {"agent": [None], "steps": [0]}),
    # --- problems
    (
        partial(Benchmark, CHAIN),
        {"domain": ["chain"], "prior": [3], "draw": ["permute", 3], "steps": [0]},
    ),
    (Benchmark(CHAIN).world, {"seed": [-1]}),
    (HorizonTask, {"free": [0], "information": ["some"], "discount": [1.5]}),
    (HorizonTask().history, {"seed": [-1]}),
    (RL2MDP, {"episodes": [101, 0], "discount": [-0.1]}),
]


def positions(call: Any) -> list[str]:
    """The names of the arguments that are given by position."""
    return list(inspect.signature(call.func).parameters)[: len(call.args)]


def cases() -> list[Any]:
    found = []
    for call, table in BAD:
        function = call.func if isinstance(call, partial) else call
        for name, values in table.items():
            where = getattr(function, "__qualname__", str(function))
            found += [
                pytest.param(call, name, value, id=f"{where}-{name}-{n}")
                for n, value in enumerate(values)
            ]
    return found


@pytest.mark.parametrize(("call", "name", "value"), cases())
def test_bad_input(call: Any, name: str, value: Any) -> None:
    given = {}
    if isinstance(call, partial):
        given = {**dict(zip(positions(call), call.args, strict=True)), **call.keywords}
        call = call.func
    with pytest.raises((ValueError, TypeError, MemoryError), match=rf"\b{name}\b") as caught:
        call(**{**given, name: value})
    assert not re.search("unexpected keyword|missing", str(caught.value)), caught.value
    assert re.search("must|got|needs|goes with|are for", str(caught.value)), caught.value


NEVER: dict[Any, list[Any]] = {
    int: [NAN, "x", 2.5, [1]],
    float: [NAN, "x", 1j],
    bool: [NAN, "no", 2],
    Literal: [NAN, "?", 3],
}


def constructors() -> dict[str, Any]:
    """Every class of the table and every agent, with right arguments."""
    found: dict[Any, Any] = {
        getattr(agents, name): partial(getattr(agents, name), PROBLEM) for name in agents.__all__
    }
    found |= {getattr(call, "func", call): call for call, _ in BAD}
    found[agents.Gittins] = partial(agents.Gittins, Bandit().problem())
    return {target.__name__: call for target, call in found.items() if inspect.isclass(target)}


@pytest.mark.parametrize("name", constructors())
def test_what_is_not_of_an_arguments_type(name: str) -> None:
    call = constructors()[name]
    given = (
        dict(zip(positions(call), call.args, strict=True)) | call.keywords
        if isinstance(call, partial)
        else {}
    )
    target = getattr(call, "func", call)
    for parameter in of_constructor(target):
        kinds = [kind for kind in parameter.types if kind is not NONE]
        wrong = (
            NEVER.get(typing.get_origin(kinds[0]) or kinds[0], [NAN]) if len(kinds) == 1 else [NAN]
        )
        for value in wrong:
            with pytest.raises((ValueError, TypeError), match=rf"\b{parameter.name}\b"):
                target(**{**given, parameter.name: value})


# --- what comes out of functions of the user


@pytest.mark.parametrize("outcome", [(2**70, 1.0), (-(2**63) - 1, 1.0), (0, 1.0, False, 2**63)])
def test_outcomes_of_a_hook_are_not_cut_to_64_bits(outcome: tuple[Any, ...]) -> None:
    prior = Compiled(lambda belief, scratch, state, action, rng: outcome, compile=False)
    with pytest.raises(ValueError, match="64-bit integer"):
        agents.BAMCP(BAMDP(prior, np.empty((0, 2)), 0.9), simulations=2).act(0)


class Broken(Chain):
    """Its rewards are not numbers."""

    def step(self, state: int, action: int, rng: np.random.Generator) -> tuple[int, float]:
        return 0, NAN


def test_rewards_of_a_world_must_be_finite_and_not_too_large_to_sum() -> None:
    with pytest.raises(ValueError, match="reward must be a finite number"):
        bamdp.run(RANDOM, Broken(), 3)
    with pytest.raises(ValueError, match="reward must be"):
        RANDOM.observe(0, 0, 1e300, 0)
    prior = Compiled(lambda belief, scratch, state, action, rng: (0, 1e300), compile=False)
    with pytest.raises(ValueError, match=r"gave the reward 1e\+300, which must be at most"):
        agents.BAMCP(BAMDP(prior, np.empty((0, 2)), 0.9)).act(0)


@pytest.mark.parametrize("alpha", [1e300, [1, 1], np.ones((3, 1, 3))])
def test_pseudo_counts_that_do_not_fit_the_problem(alpha: Any) -> None:
    with pytest.raises(ValueError, match=r"alpha|rewards must be of .* for the prior Dirichlet"):
        belief_of(Dirichlet(alpha), 3, 2)
    with pytest.raises(ValueError, match="num_states must be finite"):
        belief_of(Dirichlet(), UNBOUNDED, 2)
