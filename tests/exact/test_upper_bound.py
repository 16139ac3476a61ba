"""Upper bounds against exact solutions: of the sampled worlds themselves, and of the problem."""

from functools import partial
from importlib import import_module
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from bamdp import Belief, Prior
from bamdp.exact import bayes_optimal, upper_bound
from bamdp.exact.known_mdp import q_values
from bamdp.priors import BetaArms, Dirichlet, Finite, GridRewards, SharedSlip, SparseDirichlet, UnknownRewards
from reference.mute import Mute
from reference.rejections import rejections
from bamdp import BAMDP
from reference.problems import belief_of

module: Any = import_module("bamdp.exact.upper_bound")  # the package has the function by this name
ARRAY = np.array([[[1.0, 2, 0], [0, 0, 3]], [[0.5, 0, 0.5], [1, 1, 1]], [[0, 4, 0], [2, 0, 0.1]]])
TABLES = np.random.default_rng(0).dirichlet([0.5] * 3, size=(4, 3, 2))
TABLES[:, 0, 0] = [0, 1, 0]  # certain, in all worlds
REWARDS = np.random.default_rng(1).normal(size=(3, 2, 3))
ARMS = np.array([[[0.0, 1.0]] * 2] * 2)
SLIP = SharedSlip([[0, 1], [1, 2], [2, 0]], slipped=[[1, 2], [2, 0], [0, 1]])
PRIORS: list[Prior] = [Dirichlet(), Dirichlet(ARRAY), SparseDirichlet(), Finite(TABLES, [1, 2, 0, 4]), SLIP]


class Recorded(Belief):
    """Draws worlds from a prior and keeps them."""

    def __init__(self, prior: Prior, num_states: int, num_actions: int) -> None:
        self.inner, self.drawn = belief_of(prior, num_states, num_actions), list[NDArray[np.float64]]()
        self.num_states, self.num_actions = num_states, num_actions

    def observe(self, state: int, action: int, next_state: int) -> None:
        raise AssertionError("a bound observes nothing")

    def sample_mdp(self, rng: np.random.Generator) -> NDArray[np.float64]:
        self.drawn.append(self.inner.sample(1, rng).transitions[0])
        return self.drawn[-1]

    def batches(self, worlds: int) -> NDArray[np.float64]:
        """The worlds of each batch, without those from which the default delay is chosen. [B, M, S, A, S]"""
        tables = np.array(self.drawn)
        return tables.reshape(-1, worlds, *tables.shape[1:])[1:]


@pytest.mark.parametrize(("terminal", "restart"), [((), None), ((2,), None), ((2,), 1)])
@pytest.mark.parametrize("rewards", [REWARDS, [[0.0, 0.3], [1.0, 0.0], [0.1, 0.2]]], ids=["SAS", "SA"])
@pytest.mark.parametrize("prior", PRIORS, ids=repr)
def test_told_at_the_end_it_is_the_optimum_of_the_sampled_worlds(
    prior: Prior, rewards: Any, terminal: tuple[int, ...], restart: int | None
) -> None:
    """Dynamic programming over counts, in the core, with the prior that is one of these worlds."""
    belief = Recorded(prior, 3, 2)
    bound = upper_bound(belief.problem, 0, belief=belief, delay=4, horizon=4, worlds=6, batches=5, restart=restart)
    solve = partial(bayes_optimal, rewards=rewards, discount=0.9, state=0, horizon=4, terminal=terminal, restart=restart)
    optima = [solve(Finite(tables)).value for tables in belief.batches(6)]
    assert bound.value == pytest.approx(np.mean(optima), abs=1e-9)
    assert bound.value <= bound.knowing.value + 1e-9


@pytest.mark.parametrize("state", [0, 1])
def test_the_same_for_arms(state: int) -> None:
    """With rewards that do, and do not, depend on the last outcome."""
    for rewards in (ARMS, np.array([[[0.0, 1.0], [0.0, 0.0]], [[0.0, -1.0], [0.0, 1.5]]])):
        belief = Recorded(BetaArms([1, 2], [1, 1]), 2, 2)
        bound = upper_bound(belief.problem, state, belief=belief, horizon=6, worlds=5, batches=5)
        optima = [bayes_optimal(BAMDP(Finite(tables), rewards, 0.9), state, horizon=6).value for tables in belief.batches(5)]
        assert bound.delay == 6
        assert bound.value == pytest.approx(np.mean(optima), abs=1e-9)


def test_told_at_once_it_is_the_mean_value_of_the_worlds() -> None:
    belief = Recorded(Dirichlet(ARRAY), 3, 2)
    bound = upper_bound(belief.problem, 1, belief=belief, delay=0, worlds=7, batches=5)
    nexts = np.broadcast_to(np.arange(3), (3, 2, 3)).copy()
    values = [q_values(nexts, table, REWARDS, 0.8)[1].max() for table in belief.batches(7).reshape(-1, 3, 2, 3)]
    assert bound.value == bound.knowing.value == pytest.approx(np.mean(values), abs=1e-7)


@pytest.mark.parametrize("horizon", [None, 6])
@pytest.mark.parametrize(("terminal", "restart"), [((), None), ((2,), None), ((2,), 1)])
def test_of_one_world_there_is_nothing_to_learn(terminal: tuple[int, ...], restart: int | None, horizon: int | None) -> None:
    """If each batch has one, it doesn't matter when that is told."""
    solve = partial(upper_bound, Dirichlet(ARRAY), REWARDS, 0.8, 0, terminal=terminal, restart=restart, horizon=horizon)
    bounds = [solve(worlds=1, delay=delay) for delay in range(7)]
    assert [bound.value for bound in bounds] == pytest.approx([bounds[0].knowing.value] * 7, abs=1e-7)


def test_the_mean_value_of_worlds_with_episodes() -> None:
    """Two steps to the end, which pays 1, and again: γ + γ³ + …; or once."""
    known = Finite([[[[0, 1, 0]], [[0, 0, 1]], [[0, 0, 1]]]])
    solve = partial(upper_bound, known, [[0.0], [1.0], [7.0]], 0.5, 0, terminal=[2], worlds=1)
    assert [solve(delay=d, restart=0).value for d in (0, 3)] == pytest.approx([0.5 / 0.75] * 2, abs=1e-9)
    assert [solve(delay=d).value for d in (0, 3)] == pytest.approx([0.5] * 2, abs=1e-9)


@pytest.mark.parametrize("horizon", [None, 7])
def test_the_later_the_tighter(horizon: int | None) -> None:
    """In the same worlds, not only on average."""
    bounds = [upper_bound(BAMDP(Dirichlet(), REWARDS, 0.9), 0, delay=d, horizon=horizon, worlds=20, batches=5) for d in range(5)]
    assert all(late.value < early.value for early, late in pairwise(bounds))
    assert len({bound.knowing for bound in bounds}) == 1


@pytest.mark.parametrize("prior", [Dirichlet(ARRAY), SparseDirichlet()], ids=repr)
def test_the_optimum_is_below(prior: Prior) -> None:
    """One-sided 95 % limits of a mean that is too high already: a false alarm of all five has probability below 3e-7."""
    optimum = bayes_optimal(BAMDP(prior, REWARDS, 0.6), 0, tolerance=0.05)
    below = []
    for seed in range(5):
        bound = upper_bound(BAMDP(prior, REWARDS, 0.6), 0, delay=3, worlds=50, seed=seed)
        assert bound.high > bound.value
        below.append(optimum.value - optimum.error_bound < bound.high)
    assert all(below)


def test_a_belief_knows_what_was_observed() -> None:
    """After many observations there is little left to learn: all bounds are near the value of the mean world."""
    belief = belief_of(Dirichlet(), 2, 2)
    for s, a, s_next in ((0, 0, 0), (0, 1, 1), (1, 0, 0), (1, 1, 1)):
        for _ in range(3000):
            belief.observe(s, a, None, s_next)
    bound = upper_bound(belief.problem, 0, belief=belief, delay=2, worlds=50)
    assert (bound.value, bound.knowing.value) == pytest.approx((1.0, 1.0), abs=0.01)


def test_the_limit_bounds_memory_for_few_worlds_too(monkeypatch: pytest.MonkeyPatch) -> None:
    """One weight per history is little; its continuations by one step are not."""
    held: list[int] = []
    original = module._Histories.next_level

    def counted(histories: Any) -> Any:
        held.append(histories.continuations)
        return original(histories)

    monkeypatch.setattr(module._Histories, "next_level", counted)
    delay = upper_bound(BAMDP(BetaArms(), ARMS, 0.9), 0, worlds=1, batches=5, limit=5000).delay
    assert len(held) == 6 * (delay - 1), "of the pilot and of five batches"
    assert sum(held) <= 6 * 5000


def test_the_default_delay_is_the_largest_that_the_limit_allows() -> None:
    bounded = partial(upper_bound, Dirichlet(), REWARDS, 0.9, 0, worlds=10, batches=5, limit=5000)
    chosen = bounded().delay
    assert bounded(delay=chosen).delay == chosen > 1
    with pytest.raises(ValueError, match=f"^delay must be at most {chosen} for limit=5,000 and 10 worlds, got {chosen + 1}$"):
        bounded(delay=chosen + 1)
    assert bounded(limit=1).delay == 1, "the best first action needs no history"


def bad(prior: Any = None, rewards: Any = REWARDS, state: int = 0, **settings: Any) -> Any:
    return partial(upper_bound, prior or Dirichlet(), rewards, 0.9, state, worlds=2, **{"batches": 5, **settings})


test_rejected = rejections(
    (ValueError, "^state must not be terminal", bad(terminal=[0])),
    (ValueError, "^restart must not be terminal", bad(terminal=[1], restart=1)),
    (ValueError, "^rewards must be those of finitely many states", bad(GridRewards(), np.zeros((0, 4)))),
    (ValueError, "^rewards are for 3 states and 2 actions", bad(belief_of(Dirichlet(), 2, 2))),
    (TypeError, "^prior must be one over transitions alone.*got UnknownRewards$", bad(UnknownRewards(Dirichlet()))),
    (TypeError, "^prior must be one over transitions alone.*got int$", bad(3)),
    (TypeError, "^prior must be one that can sample whole transition tables", bad(Mute(3, 2))),
    (ValueError, "^batches must be an integer from 5", bad(batches=4)),
    (ValueError, "^delay must be an integer from 0 to 3, got 4", bad(delay=4, horizon=3)),
    (
        MemoryError,
        "^worlds=1000000 needs a table of",
        lambda: upper_bound(BAMDP(Dirichlet(), np.zeros((40, 2)), 0.9), 0, worlds=10**6),
    ),
)
