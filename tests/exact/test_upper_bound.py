"""Upper bounds against exact solutions: of the sampled worlds themselves, and of the problem."""

from dataclasses import replace
from functools import partial
from itertools import pairwise
from typing import Any

import numpy as np
import pytest

from bamdp import BAMDP, MDP, Belief, Prior
from bamdp.domains import InfiniteGrid
from bamdp.exact import bayes_optimal, upper_bound
from bamdp.priors import Dirichlet, Finite, GridRewards, SparseDirichlet, UnknownRewards
from bamdp.steps import Step
from reference.mute import Mute
from reference.problems import belief_of
from reference.rejections import rejections

ARRAY = np.array([[[1.0, 2, 0], [0, 0, 3]], [[0.5, 0, 0.5], [1, 1, 1]], [[0, 4, 0], [2, 0, 0.1]]])
TABLES = np.random.default_rng(0).dirichlet([0.5] * 3, size=(4, 3, 2))
TABLES[:, 0, 0] = [0, 1, 0]  # certain, in all worlds
REWARDS = np.random.default_rng(1).normal(size=(3, 2, 3))
PRIORS: list[Prior] = [
    Dirichlet(),
    Dirichlet(ARRAY),
    SparseDirichlet(),
    Finite(TABLES, [1, 2, 0, 4]),
]


class Recorded(Belief):
    """Draws worlds of a problem and keeps them."""

    def __init__(self, problem: BAMDP) -> None:
        self.problem, self.inner, self.drawn = problem, problem.belief(), list[MDP]()

    def learn(self, step: Step) -> None:
        raise AssertionError("a bound observes nothing")

    def sample(self, count: int, rng: np.random.Generator) -> MDP:
        self.drawn.append(self.inner.sample(count, rng))
        return self.drawn[-1]

    @property
    def batches(self) -> list[MDP]:
        """The worlds of each batch, without those from which the default delay is chosen."""
        return self.drawn[1:]


@pytest.mark.parametrize(("terminal", "restart"), [((), None), ((2,), None), ((2,), 1)])
@pytest.mark.parametrize(
    "rewards", [REWARDS, [[0.0, 0.3], [1.0, 0.0], [0.1, 0.2]]], ids=["SAS", "SA"]
)
@pytest.mark.parametrize("prior", PRIORS, ids=repr)
def test_told_at_the_end_it_is_the_optimum_of_the_sampled_worlds(
    prior: Prior, rewards: Any, terminal: tuple[int, ...], restart: int | None
) -> None:
    """Dynamic programming over counts, in the core, with the prior that is one of these worlds."""
    problem = BAMDP(prior, rewards, 0.9, terminal=terminal, horizon=4)
    belief = Recorded(problem)
    bound = upper_bound(problem, 0, belief=belief, delay=4, worlds=6, batches=5, restart=restart)
    sampled = [replace(problem, prior=Finite(worlds.transitions)) for worlds in belief.batches]
    optima = [bayes_optimal(one, 0, restart=restart).value for one in sampled]
    assert bound.value == pytest.approx(np.mean(optima), abs=1e-9)
    assert bound.value <= bound.perfect_information.value + 1e-9


def test_told_at_once_it_is_the_mean_value_of_the_worlds() -> None:
    problem = BAMDP(Dirichlet(ARRAY), REWARDS, 0.8)
    belief = Recorded(problem)
    bound = upper_bound(problem, 1, belief=belief, delay=0, worlds=7, batches=5)
    values = [worlds.solve(0.8).values[:, 1] for worlds in belief.batches]
    assert (
        bound.value == bound.perfect_information.value == pytest.approx(np.mean(values), abs=1e-7)
    )


@pytest.mark.parametrize("horizon", [None, 7])
def test_the_later_the_tighter(horizon: int | None) -> None:
    """In the same worlds, not only on average."""
    problem = BAMDP(Dirichlet(), REWARDS, 0.9)
    bounds = [
        upper_bound(problem, 0, delay=d, horizon=horizon, worlds=20, batches=5) for d in range(5)
    ]
    assert all(late.value < early.value for early, late in pairwise(bounds))
    assert len({bound.perfect_information for bound in bounds}) == 1


@pytest.mark.parametrize("prior", [Dirichlet(ARRAY), SparseDirichlet()], ids=repr)
def test_the_optimum_is_below(prior: Prior) -> None:
    """One-sided 95 % limits of a mean that is too high already: a false alarm of all five has
    probability below 3e-7.
    """
    problem = BAMDP(prior, REWARDS, 0.6)
    optimum = bayes_optimal(problem, 0, tolerance=0.05)
    below = []
    for seed in range(5):
        bound = upper_bound(problem, 0, delay=3, worlds=50, seed=seed)
        assert bound.high > bound.value
        below.append(optimum.value - optimum.error_bound < bound.high)
    assert all(below)


def test_a_belief_knows_what_was_observed() -> None:
    """After many observations there is little left to learn: all bounds are near the value of the
    mean world.
    """
    problem = BAMDP(Dirichlet(), [[0.0, 0.0], [1.0, 1.0]], 0.5)
    belief = problem.belief()
    states, actions = np.repeat([0, 0, 1, 1], 3000), np.repeat([0, 1, 0, 1], 3000)
    belief.observe_many(states, actions, None, actions)
    bound = upper_bound(problem, 0, belief=belief, delay=2, worlds=50)
    assert (bound.value, bound.perfect_information.value) == pytest.approx((1.0, 1.0), abs=0.01)


def test_the_default_delay_is_the_largest_that_the_limit_allows() -> None:
    bounded = partial(
        upper_bound, BAMDP(Dirichlet(), REWARDS, 0.9), 0, worlds=10, batches=5, limit=5000
    )
    chosen = bounded().delay
    assert bounded(delay=chosen).delay == chosen > 1
    with pytest.raises(
        ValueError,
        match=f"^delay must be at most {chosen} for limit=5,000 and 10 worlds, got {chosen + 1}$",
    ):
        bounded(delay=chosen + 1)
    assert bounded(limit=1).delay == 1, "the best first action needs no history"


@pytest.mark.parametrize("horizon", [1, 2, 10, 130, None])
def test_on_a_grid_of_equal_lines_the_bound_is_that_of_a_straight_path(horizon: int | None) -> None:
    """All but known lines, p = 0.3 and q = 0.6: each new cell pays 0.18, and after 120 moves each
    step 1.
    """
    domain = InfiniteGrid(discount=0.9)
    problem = domain.problem(GridRewards(columns=(3e5, 7e5), rows=(6e5, 4e5)))
    steps = 1000 if horizon is None else horizon
    pays = np.where(np.arange(steps) <= 120, 0.18, 1.0) * 0.9 ** np.arange(steps)
    for content in (False, True):
        bound = upper_bound(
            problem, domain.state(0, 0, content), horizon=horizon, worlds=2, batches=5
        )
        assert bound.value == pytest.approx(content + pays[1:].sum(), rel=0.01)


def test_on_the_grid_cells_that_were_left_pay_nothing() -> None:
    """With all cells around the agent empty, the second next one is the first to pay."""
    domain = InfiniteGrid(discount=0.9)
    problem = domain.problem(GridRewards(columns=(3e5, 7e5), rows=(6e5, 4e5)))
    belief, places = (
        problem.belief(),
        [(0, 0), (1, 0), (1, 1), (0, 1), (-1, 1), (-1, 0), (-1, -1), (0, -1), (0, 0)],
    )
    moves = {(0, 1): 0, (1, 0): 1, (0, -1): 2, (-1, 0): 3}
    for (x, y), (u, v) in pairwise(places):
        belief.observe(
            domain.state(x, y, False), moves[u - x, v - y], 0.0, domain.state(u, v, False)
        )
    bound = upper_bound(
        problem, domain.state(0, 0, False), horizon=4, belief=belief, worlds=2, batches=5
    )
    assert bound.value == pytest.approx(0.18 * (0.9**2 + 0.9**3), rel=0.01)


def test_on_the_grid_a_reward_is_not_collected_again_by_turning_back() -> None:
    domain = InfiniteGrid(discount=0.9)
    problem = domain.problem(GridRewards(columns=(3e5, 7e5), rows=(6e5, 4e5)))
    belief, start = problem.belief(), domain.state(0, 0, False)
    belief.observe(start, 1, 0.0, domain.state(1, 0, True))
    bound = upper_bound(problem, start, horizon=4, belief=belief, worlds=2, batches=5)
    assert bound.value == pytest.approx(0.9 + 0.18 * (0.9**2 + 0.9**3), rel=0.01)


class Silent(Dirichlet):
    """A prior of the user's own, whose belief can't be sampled."""

    def belief(self, problem: BAMDP) -> Belief:  # type: ignore[override]
        return Mute(problem)


def bad(prior: Any = None, rewards: Any = REWARDS, terminal: Any = (), **settings: Any) -> Any:
    settings = {"worlds": 2, "batches": 5, **settings}
    return lambda: upper_bound(
        BAMDP(prior or Dirichlet(), rewards, 0.9, terminal=terminal), 0, **settings
    )


test_rejected = rejections(
    (ValueError, "^state must not be terminal", bad(terminal=[0])),
    (ValueError, "^restart must not be terminal", bad(terminal=[1], restart=1)),
    (
        ValueError,
        "^rewards must be those of finitely many states",
        bad(GridRewards(), np.zeros((0, 4)), delay=1),
    ),
    (ValueError, "^belief must be .*differs in rewards", bad(belief=belief_of(Dirichlet(), 2, 2))),
    (
        TypeError,
        "^prior must be one over transitions alone.*got UnknownRewards",
        bad(UnknownRewards(Dirichlet())),
    ),
    (TypeError, "^prior must be one that can sample whole transition tables", bad(Silent())),
    (ValueError, "^delay must be an integer from 0 to 3, got 4", bad(delay=4, horizon=3)),
    (MemoryError, "^worlds=1000000 needs a table of", bad(rewards=np.zeros((40, 2)), worlds=10**6)),
)


def test_few_worlds_need_no_memory_for_many() -> None:
    """500 drawn ones would take 1.2 GiB. Told at once, each is worth its own value."""
    rng = np.random.default_rng(2)
    tables, rewards = rng.dirichlet(np.ones(200), size=(12, 200, 8)), rng.random((200, 8))
    problem = BAMDP(Finite(tables), rewards, 0.5)
    values = np.zeros((12, 200))
    for _ in range(60):
        values = (rewards + 0.5 * np.einsum("wsan,wn->wsa", tables, values)).max(axis=2)
    assert upper_bound(problem, 0, delay=0).value == pytest.approx(values[:, 0].mean())
