"""Hooks: compiled, from C and uncompiled they are one model, equal to the exact one; mistakes are
met with a sentence.
"""

import ctypes
import math
import random
import shutil
import subprocess
import traceback
from functools import cache, partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.random import random as numpy_draw

from bamdp import BAMDP
from bamdp.agents import BAMCP, BAUCT, BayesAdaptive
from bamdp.hooks import below, beta, gamma, uniform
from bamdp.priors import Compiled
from reference.belief_tree import action_values
from reference.comparison import Z_BOUND
from reference.rejections import rejections

pytestmark = pytest.mark.slow

numba = pytest.importorskip("numba")

NO_TABLE = np.empty((0, 2))


# An unbounded walk: action 0 goes on by one with unknown probability p, action 1 ends the world and
# pays the distance.
def begin(belief: Any, scratch: Any, rng: Any) -> None:
    scratch[0] = beta(belief[0], belief[1], rng)


def step(belief: Any, scratch: Any, state: Any, action: Any, rng: Any) -> Any:
    if action == 1:
        return state, 0.1 * state, True
    return (state + 1 if uniform(rng) < scratch[0] else state), 0.0, False


# The same, integrated out: counts instead of p.
def begin_collapsed(belief: Any, scratch: Any, rng: Any) -> None:
    scratch[0], scratch[1] = belief[0], belief[1]


def step_collapsed(belief: Any, scratch: Any, state: Any, action: Any, rng: Any) -> Any:
    if action == 1:
        return state, 0.1 * state, True
    forward = uniform(rng) * (scratch[0] + scratch[1]) < scratch[0]
    scratch[0 if forward else 1] += 1
    return (state + 1 if forward else state), 0.0, False


def observe(belief: Any, state: int, action: int, reward: float, next_state: int) -> None:
    if action == 0:
        belief[0 if next_state > state else 1] += 1


HOOKS: dict[str, dict[str, Any]] = {
    "drawn": {"begin": begin, "step": step},
    "collapsed": {"begin": begin_collapsed, "step": step_collapsed},
}


@cache
def walk(kind: str, compile: bool = True) -> Compiled:
    return Compiled(
        **HOOKS[kind],
        observe=observe,
        belief_array=[1.0, 1.0],
        scratch=np.zeros(2),
        compile=compile,
    )


def exact(belief: Any, state: int, action: int) -> Any:
    a, b = belief
    if action == 1:
        yield 1.0, state, 0.1 * state, True, belief
    else:
        yield a / (a + b), state + 1, 0.0, False, (a + 1, b)
        yield b / (a + b), state, 0.0, False, (a, b + 1)


@pytest.mark.parametrize("kind", HOOKS)
def test_the_root_value_is_the_exact_one(kind: str) -> None:
    agent = BAMCP(
        BAMDP(walk(kind), NO_TABLE, 0.9), simulations=40_000, depth=5, exploration=0.3, seed=1
    )
    for next_state in (6, 6):
        agent.observe(5, 0, 0.0, next_state)
    plan = agent.plan(5)
    expected = action_values(exact, (3, 1), 5, steps=5, num_actions=2, discount=0.9)
    assert plan.q_values[1] == 0.5  # the world ends: no roll-out after it
    assert plan.q_values[0] == pytest.approx(expected[0], abs=0.01)
    assert agent.belief.data.tolist() == [3, 1]


@pytest.mark.parametrize("kind", HOOKS)
def test_compiled_and_uncompiled_are_the_same(kind: str) -> None:
    """To the last bit, gamma variates included."""
    trees = []
    for compile in (True, False):
        agent = BAMCP(
            BAMDP(walk(kind, compile), NO_TABLE, 0.9), simulations=200, depth=20, trees=2, seed=4
        )
        agent.observe(-3, 0, 0.0, -2)
        trees.append(agent.plan(-2).tree.to_dict(depth=20))
    assert trees[0] == trees[1]


def test_threads_do_not_change_the_result() -> None:
    plans = [
        BAMCP(BAMDP(walk("collapsed"), NO_TABLE, 0.9), simulations=3000, trees=3, threads=t).plan(3)
        for t in (1, 3)
    ]
    assert plans[0].q_values.tolist() == plans[1].q_values.tolist()


def test_structured_arrays() -> None:
    kind = np.dtype([("p", np.float64), ("seen", np.int64, 3)])
    belief = np.zeros(2, kind)
    belief["p"] = [0.25, 0.75]

    def step(belief: Any, scratch: Any, state: Any, action: Any, rng: Any) -> Any:
        return action, belief[action]["p"] + belief[action]["seen"][2]

    def observe(belief: Any, state: int, action: int, reward: float, next_state: int) -> None:
        belief[action]["seen"][2] += 1

    for compile in (True, False):
        agent = BAMCP(
            BAMDP(
                Compiled(step, observe=observe, belief_array=belief, compile=compile),
                np.zeros((2, 2)),
                0.0,
            ),
            simulations=20,
        )
        agent.observe(0, 0, 0.0, 0)
        assert agent.plan(0).q_values.tolist() == [1.25, 0.75]


def test_the_agent_sees_rewards_unless_told_otherwise() -> None:
    """The reward of the first step tells that of all later ones; with a key of its own the agent is
    blind to it.
    """

    def begin(belief: Any, scratch: Any, rng: Any) -> None:
        scratch[0] = below(2, rng)

    def step(belief: Any, scratch: Any, state: Any, action: Any, rng: Any) -> Any:
        return state + 1, (2.0 * scratch[0] - 1.0 if action == 0 else 0.0)

    def blind(belief: Any, scratch: Any, state: Any, action: Any, rng: Any) -> Any:
        return state + 1, (2.0 * scratch[0] - 1.0 if action == 0 else 0.0), False, state + 1

    settings: dict[str, Any] = {"simulations": 20_000, "depth": 3, "exploration": 1.0}
    seeing = BAMCP(BAMDP(Compiled(step, begin), NO_TABLE, 0.5), **settings).plan(0).q_values[0]
    unseeing = BAMCP(BAMDP(Compiled(blind, begin), NO_TABLE, 0.5), **settings).plan(0).q_values[0]
    assert seeing == pytest.approx(0.5 * (0.5 + 0.25), abs=0.02)
    assert unseeing == pytest.approx(0.0, abs=0.03)


def test_random_numbers_are_the_same_compiled() -> None:
    from bamdp.priors import _compile_numba  # noqa: F401

    @numba.njit  # type: ignore[untyped-decorator]
    def compiled(rng: Any) -> Any:
        return uniform(rng), below(10, rng), gamma(0.3, rng), beta(2.0, 3.0, rng), uniform(rng)

    first, second = (np.array([1, 2**63, 2**64 - 1, 12345], dtype=np.uint64) for _ in range(2))
    for _ in range(100):
        assert compiled(first) == compiled.py_func(second)
    assert first.tolist() == second.tolist()


def test_moments_of_the_random_numbers() -> None:
    rng, n = np.array([1, 2, 3, 4], dtype=np.uint64), 2000
    for _ in range(100):
        uniform(rng)  # a poor seed takes a few steps to spread
    for draw, mean, variance in (
        (lambda: uniform(rng), 1 / 2, 1 / 12),
        (lambda: below(4, rng), 1.5, 1.25),
        (lambda: gamma(2.5, rng), 2.5, 2.5),
        (lambda: beta(1.0, 3.0, rng), 0.25, 3 / 80),
    ):
        assert abs(np.mean([draw() for _ in range(n)]) - mean) < Z_BOUND * np.sqrt(variance / n)


# --- from C

C = """
#include <stdint.h>
int32_t begin(const void* belief, void* scratch, uint64_t* rng) {
    for (int i = 0; i < 2; ++i) ((double*)scratch)[i] = ((const double*)belief)[i];
    return 0;
}
static double uniform(uint64_t* s) {
    const uint64_t sum = s[0] + s[3], bits = (sum << 23 | sum >> 41) + s[0], t = s[1] << 17;
    s[2] ^= s[0]; s[3] ^= s[1]; s[1] ^= s[2]; s[0] ^= s[3]; s[2] ^= t;
    s[3] = s[3] << 45 | s[3] >> 19;
    return (double)(bits >> 11) * 0x1p-53;
}
int32_t step(const void* belief, void* scratch, int64_t state, int64_t action, uint64_t* rng,
             int64_t* next_state, double* reward, int64_t* key) {
    double* n = (double*)scratch;
    if (state == 1000) return -7;
    *next_state = state;
    *reward = action == 1 ? 0.1 * (double)state : 0;
    if (action == 1) return 1;
    const int forward = uniform(rng) * (n[0] + n[1]) < n[0];
    n[forward ? 0 : 1] += 1;
    *next_state = state + forward;
    return 0;
}
"""


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> ctypes.CDLL:
    if shutil.which("cc") is None:
        pytest.skip("no C compiler")
    folder: Path = tmp_path_factory.mktemp("hooks")
    (folder / "walk.c").write_text(C)
    subprocess.run(
        ["cc", "-O2", "-shared", "-fPIC", "walk.c", "-o", "walk.so"], cwd=folder, check=True
    )
    library = ctypes.CDLL(str(folder / "walk.so"))
    pointer, integer = ctypes.c_void_p, ctypes.c_int64
    library.begin.argtypes = [pointer] * 3
    library.step.argtypes = [pointer, pointer, integer, integer, *[pointer] * 4]
    return library


def test_c_functions_are_the_same(library: ctypes.CDLL) -> None:
    addresses = [ctypes.cast(f, ctypes.c_void_p).value for f in (library.begin, library.step)]
    expected = (
        BAMCP(BAMDP(walk("collapsed"), NO_TABLE, 0.9), simulations=1000).plan(2).q_values.tolist()
    )
    for begin, step in ((library.begin, library.step), addresses):
        prior = Compiled(step, begin, observe, belief_array=[1.0, 1.0], scratch=np.zeros(2))
        assert (
            BAMCP(BAMDP(prior, NO_TABLE, 0.9), simulations=1000).plan(2).q_values.tolist()
            == expected
        )


def test_a_c_function_that_fails(library: ctypes.CDLL) -> None:
    agent = BAMCP(
        BAMDP(
            Compiled(library.step, library.begin, belief_array=[1.0, 1.0], scratch=np.zeros(2)),
            NO_TABLE,
            0.9,
        )
    )
    with pytest.raises(RuntimeError, match=r"step\(state=1000, action=\d\) failed with status -7"):
        agent.plan(1000)
    assert agent.plan(0).simulations == 1000


def test_wrong_c_signatures(library: ctypes.CDLL) -> None:
    with pytest.raises(TypeError, match="step must be c_int"):
        Compiled(library.begin)
    undeclared = ctypes.CDLL(library._name).step
    with pytest.raises(TypeError, match="declare the argtypes"):
        Compiled(undeclared)
    undeclared.argtypes, undeclared.restype = library.step.argtypes, ctypes.c_double
    with pytest.raises(TypeError, match=r"got c_double\("):
        Compiled(undeclared)


def test_a_cfunc_of_the_users_own() -> None:
    pointer = numba.types.voidptr
    integers, floats = (
        numba.types.CPointer(numba.types.int64),
        numba.types.CPointer(numba.types.float64),
    )

    def native(belief, scratch, state, action, rng, next_state, reward, key):  # type: ignore[no-untyped-def]
        numba.carray(next_state, 1)[0] = state + 1
        numba.carray(reward, 1)[0] = 0.5
        return 0

    taken = (pointer, pointer, numba.int64, numba.int64, pointer, integers, floats, integers)
    good = numba.cfunc(numba.int32(*taken))(native)
    assert BAMCP(BAMDP(Compiled(good), NO_TABLE, 0.5), simulations=10, depth=2).plan(
        0
    ).q_values.tolist() == [0.75, 0.75]
    wrong = numba.cfunc(numba.int64(*taken))(native)
    with pytest.raises(TypeError, match=r"step must be c_int\(c_void_p, c_void_p, .*, got c_long"):
        Compiled(wrong)


# --- mistakes


def returning(value: Any) -> Any:
    def step(belief: Any, scratch: Any, state: Any, action: Any, rng: Any) -> Any:
        return value

    return step


@pytest.mark.parametrize("compile", [True, False])
@pytest.mark.parametrize(
    ("value", "sentence"),
    [
        (1, r"step must return \(next_state, reward\)"),
        ((1.0, 1.0), "next_state must be an integer, got (float64|1.0)"),
        ((1, 1), "reward must be a float, got (int64|1)"),
        ((True, 1.0), "next_state must be an integer, got (bool|True)"),
        ((1, 1.0, 0), "terminal must be a bool, got (int64|0)"),
        ((1, 1.0, False, 0.5), "key must be an integer, got (float64|0.5)"),
        ((1, 1.0, False, 1, 1), "step must return"),
    ],
)
def test_wrong_return_types(value: Any, sentence: str, compile: bool) -> None:
    with pytest.raises(TypeError, match=sentence):
        BAMCP(
            BAMDP(Compiled(returning(value), compile=compile), NO_TABLE, 0.9), simulations=1
        ).plan(0)


make: Any = Compiled
TAKES = (
    r"step must take \(belief, scratch, state, action, rng\), got a function of \(state, action\)"
)
BEGINS = r"begin must take \(belief, scratch, rng\)"

test_rejected = rejections(
    *(
        (TypeError, TAKES, partial(make, lambda state, action: (state, 0.0), compile=c))
        for c in (True, False)
    ),
    *((TypeError, BEGINS, partial(make, step, lambda rng: 0, compile=c)) for c in (True, False)),
    (TypeError, "compile must be True or False", lambda: make(step, compile="yes")),
)


def test_begin_returns_nothing() -> None:
    with pytest.raises(TypeError, match="begin must return nothing, got int64"):
        Compiled(step, lambda belief, scratch, rng: 1)
    agent = BAMCP(
        BAMDP(Compiled(step, lambda belief, scratch, rng: 1, compile=False), NO_TABLE, 0.9)
    )
    with pytest.raises(TypeError, match="begin must return nothing, got 1"):
        agent.plan(0)


def test_what_numba_can_not_compile() -> None:
    def unknown(belief: Any, scratch: Any, state: Any, action: Any, rng: Any) -> Any:
        return state.nonsense(), 0.0

    with pytest.raises(TypeError, match=r"Numba can't compile step: .*compile=False"):
        Compiled(unknown)


@pytest.mark.parametrize("compile", [True, False])
@pytest.mark.parametrize("threads", [1, 2])
def test_an_exception_arrives_with_its_traceback_and_the_agent_is_unharmed(
    compile: bool, threads: int
) -> None:
    def step(belief: Any, scratch: Any, state: Any, action: Any, rng: Any) -> Any:
        if state >= 1000:
            raise ZeroDivisionError("in my own code")
        return state, 0.0

    agent = BAMCP(
        BAMDP(Compiled(step, compile=compile), NO_TABLE, 0.9),
        simulations=50,
        trees=2,
        threads=threads,
    )
    with pytest.raises(ZeroDivisionError, match="in my own code") as caught:
        agent.plan(1000)
    assert "raise ZeroDivisionError" in "".join(traceback.format_exception(caught.value))
    assert agent.plan(0).visits.sum() == 50


@pytest.mark.parametrize("compile", [True, False])
def test_results_out_of_range(compile: bool) -> None:
    def step(belief: Any, scratch: Any, state: Any, action: Any, rng: Any) -> Any:
        return (state + 1, np.inf) if state == 1 else (state + 1, 0.0)

    prior = Compiled(step, compile=compile)
    with pytest.raises(
        ValueError, match=r"step\(state=2, action=0\) gave next_state 3, which must be from 0 to 2"
    ):
        BAMCP(BAMDP(prior, np.zeros((3, 1)), 0.9)).plan(2)
    with pytest.raises(
        ValueError, match=r"step\(state=1, action=0\) gave the reward inf, which must be finite"
    ):
        BAMCP(BAMDP(prior, np.zeros((3, 1)), 0.9)).plan(1)


def test_a_failed_observation_is_taken_back() -> None:
    def observe(belief: Any, state: int, action: int, reward: float, next_state: int) -> None:
        belief[0] = 99
        raise KeyError("mine")

    agent = BAMCP(
        BAMDP(
            Compiled(step, begin, observe, belief_array=[1.0, 1.0], scratch=np.zeros(2)),
            NO_TABLE,
            0.9,
        )
    )
    with pytest.raises(KeyError, match="mine"):
        agent.observe(0, 0, 0.0, 1)
    assert agent.belief.data.tolist() == [1.0, 1.0]
    with pytest.raises(ValueError, match="action must be an integer from 0 to 1"):
        agent.observe(0, 2, 0.0, 1)
    with pytest.raises(TypeError, match="use BAMCP"):
        BAUCT(agent.problem, sampling="resampled")
    with pytest.raises(TypeError, match="reward must be given"):
        agent.belief.observe(0, 0, None, 1)


# --- random numbers from elsewhere


@numba.njit  # type: ignore[untyped-decorator]
def compiled_draw() -> Any:
    return np.random.normal()  # noqa: NPY002 - what must be rejected


def plain_draw() -> float:
    return numpy_draw()  # noqa: NPY002


def far_away(x: float) -> float:
    return x + plain_draw()


def by_numpy(belief: Any, scratch: Any, state: Any, action: Any, rng: Any) -> Any:
    return state, np.random.random()  # noqa: NPY002


def by_python(belief: Any, scratch: Any, state: Any, action: Any, rng: Any) -> Any:
    return state, random.random()


def by_a_name(belief: Any, scratch: Any, state: Any, action: Any, rng: Any) -> Any:
    return state, numpy_draw()  # noqa: NPY002


def by_a_compiled_function(belief: Any, scratch: Any, state: Any, action: Any, rng: Any) -> Any:
    return state, compiled_draw()


def by_two_calls(belief: Any, scratch: Any, state: Any, action: Any, rng: Any) -> Any:
    return state, far_away(uniform(rng))


def by_a_closure() -> Any:
    source = np.random

    def by_a_closure(belief: Any, scratch: Any, state: Any, action: Any, rng: Any) -> Any:
        return state, source.rand()

    return by_a_closure


def inside(belief: Any, scratch: Any, state: Any, action: Any, rng: Any) -> Any:
    def inner() -> Any:
        return np.random.random()  # noqa: NPY002

    return state, inner()


FOREIGN = {
    "step uses np.random,": [by_numpy, numba.njit(by_numpy), inside],
    "step uses random,": [by_python],
    "step uses numpy_draw,": [by_a_name],
    "step uses source,": [by_a_closure()],
    "step calls compiled_draw, which uses np.random,": [by_a_compiled_function],
    "step calls plain_draw, which uses numpy_draw,": [by_two_calls],
}


@pytest.mark.parametrize("compile", [True, False])
@pytest.mark.parametrize("sentence", FOREIGN)
def test_random_numbers_come_from_the_seed(sentence: str, compile: bool) -> None:
    for hook in FOREIGN[sentence]:
        with pytest.raises(TypeError, match=rf"^{sentence} .* by the functions of bamdp\.hooks"):
            Compiled(hook, compile=compile)


def test_random_numbers_of_a_cfunc_come_from_the_seed() -> None:
    pointer, integers = numba.types.voidptr, numba.types.CPointer(numba.types.int64)

    def native(belief, scratch, state, action, rng, then, reward, key):  # type: ignore[no-untyped-def]
        numba.carray(reward, 1)[0] = np.random.random()  # noqa: NPY002
        return 0

    floats = numba.types.CPointer(numba.types.float64)
    taken = (pointer, pointer, numba.int64, numba.int64, pointer, integers, floats, integers)
    with pytest.raises(TypeError, match=r"^step uses np\.random,"):
        Compiled(numba.cfunc(numba.int32(*taken))(native))


def test_other_functions_of_numpy_are_accepted() -> None:
    def step(belief: Any, scratch: Any, state: Any, action: Any, rng: Any) -> Any:
        return state, np.mean(belief) + math.sqrt(np.cumsum(belief)[-1])

    for compile in (True, False):
        prior = Compiled(step, belief_array=[1.0, 3.0], compile=compile)
        plan = BAMCP(BAMDP(prior, NO_TABLE, 0.0), simulations=5).plan(0)
        assert plan.q_values.tolist() == [4.0, 4.0]


# --- keys


@pytest.mark.parametrize("compile", [True, False])
def test_a_tree_is_not_kept_with_keys(compile: bool) -> None:
    """That of a real step is not known: nothing could be kept. Without keys, all is."""

    def keyed(belief: Any, scratch: Any, state: Any, action: Any, rng: Any) -> Any:
        return state + 1, 0.0, False, state + 1

    def plain(belief: Any, scratch: Any, state: Any, action: Any, rng: Any) -> Any:
        return state + 1, 0.0, False

    def planner(step: Any, reuse_tree: bool) -> BAMCP:
        problem = BAMDP(Compiled(step, compile=compile), NO_TABLE, 0.5)
        return BAMCP(problem, simulations=100, depth=5, reuse_tree=reuse_tree)

    with pytest.raises(TypeError, match=r"^reuse_tree must be False where step returns a key: "):
        planner(keyed, reuse_tree=True).plan(0)
    assert planner(keyed, reuse_tree=False).plan(0).visits.sum() == 100
    agent = planner(plain, reuse_tree=True)
    visits = agent.plan(0).visits
    agent.observe(0, 0, 0.0, 1)
    assert agent.plan(1).visits.sum() >= 100 + visits[0] - 1  # the first one adds the node


# Each right action pays 1; which one that is follows from the state, or was drawn at the beginning.
def begin_parity(belief: Any, scratch: Any, rng: Any) -> None:
    scratch[0] = 1.0 if uniform(rng) < belief[0] else 0.0


def step_parity(belief: Any, scratch: Any, state: Any, action: Any, rng: Any) -> Any:
    right = (state + int(scratch[0])) % 2
    return state + 1, (1.0 if action == right else 0.0)


def knowing(belief: Any, scratch: Any, state: Any, rng: Any) -> Any:
    return (state + int(scratch[0])) % 2


@pytest.mark.parametrize(("compile", "offset"), [(True, 1.0), (False, 0.0)])
def test_roll_outs_follow_the_policy_of_the_user(compile: bool, offset: float) -> None:
    """Two simulations try each action once, and then all is right to the last step."""
    prior = Compiled(
        step_parity, begin_parity, belief_array=[offset], compile=compile, policy=knowing
    )
    problem = BAMDP(prior, NO_TABLE, 0.9, horizon=20)
    all_right = (1 - 0.9**20) / 0.1
    for agent in (
        BAMCP(problem, simulations=2),
        BayesAdaptive(problem, simulations=2),
        BAMCP(problem, simulations=2, rollouts="policy"),
    ):
        values = agent.plan(0).q_values
        assert np.sort(values) == pytest.approx([all_right - 1, all_right])
        assert values.argmax() == offset
    learned = BAMCP(problem, simulations=2, rollouts="learned").plan(0).q_values
    assert learned.max() < all_right


def test_what_a_policy_returns_is_checked() -> None:
    def beyond(belief: Any, scratch: Any, state: Any, rng: Any) -> Any:
        return 2

    def fraction(belief: Any, scratch: Any, state: Any, rng: Any) -> Any:
        return 0.5

    make = partial(Compiled, step_parity, belief_array=[0.0], compile=False)
    agent = BAMCP(BAMDP(make(policy=beyond), NO_TABLE, 0.9), simulations=4)
    with pytest.raises(ValueError, match=r"policy\(state=\d\) gave the action 2.*from 0 to 1"):
        agent.act(0)
    with pytest.raises(TypeError, match="policy must return an action, an integer"):
        BAMCP(BAMDP(make(policy=fraction), NO_TABLE, 0.9), simulations=4).act(0)
    with pytest.raises(TypeError, match="policy must return an action, an integer"):
        make(policy=fraction, compile=True)
    with pytest.raises(TypeError, match="policy of your own"):
        BAMCP(BAMDP(make(), NO_TABLE, 0.9), rollouts="policy")


def test_an_exception_in_a_policy_arrives() -> None:
    def failing(belief: Any, scratch: Any, state: Any, rng: Any) -> Any:
        if state == 3:
            raise ZeroDivisionError("no")
        return 0

    prior = Compiled(step_parity, belief_array=[0.0], policy=failing)
    with pytest.raises(ZeroDivisionError, match="no"):
        BAMCP(BAMDP(prior, NO_TABLE, 0.9), simulations=4).act(0)


# Action 0 pays 0.5 for sure; action 1 pays 1 in half of the worlds, and costs 1 in the others.
def begin_gamble(belief: Any, scratch: Any, rng: Any) -> None:
    scratch[0] = 1.0 if uniform(rng) < 0.5 else -1.0


def step_gamble(belief: Any, scratch: Any, state: Any, action: Any, rng: Any) -> Any:
    return state, (scratch[0] if action == 1 else belief[0])


def safe(belief: Any, scratch: Any, state: Any, rng: Any) -> Any:
    return 0


def gambling(belief: Any, scratch: Any, state: Any, rng: Any) -> Any:
    return 1


def test_the_policy_of_the_user_is_left_only_for_what_is_better_beyond_chance() -> None:
    """With one step left the two actions of a fair gamble are worth the same: a search that decides
    by the higher mean would leave either policy in half of the runs. A deviation by 2 standard
    errors has probability 0.023 for each of 50 runs; 10 or more have one of 10⁻⁷. Where 0.9 is at
    stake the worse action is tried some 20 times, which shows it in 98 of 100 runs.
    """

    def taken(policy: Any, sure: float, seed: int, simulations: int = 100) -> int:
        prior = Compiled(
            step_gamble, begin_gamble, belief_array=[sure], compile=False, policy=policy
        )
        problem = BAMDP(prior, NO_TABLE, 1, horizon=1)
        agent = BayesAdaptive(problem, simulations=simulations, seed=seed)
        assert agent.base_action(0) == policy(None, None, 0, None)
        return agent.act(0)

    runs = range(50)
    assert sum(taken(safe, 0.0, seed) for seed in runs) < 10
    assert sum(1 - taken(gambling, 0.0, seed) for seed in runs) < 10
    assert sum(taken(gambling, 0.9, seed, 500) for seed in range(10)) <= 5
    assert sum(taken(safe, -0.9, seed, 500) for seed in range(10)) >= 5
