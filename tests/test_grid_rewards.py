"""The infinite grid's chain against numerical integration, its model against closed forms."""

import math
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import bamdp
from bamdp import _core
from bamdp.agents import BAMCP
from bamdp.cells import state_of
from bamdp.domain import UNBOUNDED
from bamdp.domains import InfiniteGrid
from bamdp.priors import GridRewards

SETTINGS = [GridRewards(), GridRewards(proposal="authors"), GridRewards(cap="none"), GridRewards(cap=2, proposal="authors")]

# Well mixed: after [1, 2, 3, 4] the generator's first numbers are nearly zero, and a chain stays long where they put it.
SEEDS = [stream.generate_state(4, np.uint64).tolist() for stream in np.random.SeedSequence(0).spawn(2)]

# Cells (x, y) and their contents: walks whose steps see each cell once.
ONE = {(0, 0): 1}
TWO = {(0, 0): 0, (0, 1): 1}
SQUARE = {(0, 0): 1, (0, 1): 0, (1, 1): 0, (1, 0): 0}
EMPTY = {(0, 0): 0, (1, 0): 0, (1, 1): 0, (0, 1): 0}
CORNER = {(0, 0): 0, (1, 0): 1, (1, 1): 1}


def observe(belief: Any, cells: dict[tuple[int, int], int]) -> None:
    """Walk through `cells` in their order."""
    path = list(cells.items())
    for ((x, y), content), ((nx, ny), there) in pairwise(path):
        action = {(0, 1): 0, (1, 0): 1, (0, -1): 2, (-1, 0): 3}[nx - x, ny - y]
        belief.observe(state_of(x, y, bool(content)), action, state_of(nx, ny, bool(there)))


def exact(
    prior: GridRewards, cells: dict[tuple[int, int], int], points: int = 12
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    """Posterior moments of p of columns 0, 1 and q of rows 0, 1 by Gauss–Jacobi quadrature: E[p], E[p²], E[p_x q_y] as [x, y].

    Lines without cells keep their prior, so that two columns and two rows do for all cases.
    """
    from scipy.special import roots_sh_jacobi

    def rule(a: float, b: float) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        nodes, weights = roots_sh_jacobi(points, a + b - 1, a)  # weight x^(a − 1) (1 − x)^(b − 1)
        return nodes, weights / weights.sum()

    (p, wp), (q, wq) = rule(*prior.columns), rule(*prior.rows)
    axes = [p, p, q, q]
    grid = np.meshgrid(*axes, indexing="ij", sparse=True)
    weight: Any = math.prod(np.meshgrid(wp, wp, wq, wq, indexing="ij", sparse=True))
    for (x, y), content in cells.items():
        chance = grid[x] * grid[2 + y]
        weight = weight * (chance if content else 1 - chance)
    weight = weight / weight.sum()
    means = np.array([(weight * g).sum() for g in grid])
    squares = np.array([(weight * g**2).sum() for g in grid])
    products = [[(weight * grid[x] * grid[2 + y]).sum() for y in range(2)] for x in range(2)]
    return means, squares, np.array(products)


def check_chain(prior: GridRewards, cells: dict[tuple[int, int], int], belief: Any = None) -> None:
    """Means and second moments within 5 standard errors of the chain: a false alarm in about 10^-5 of all cases."""
    belief = belief or prior.belief(UNBOUNDED, 4)
    observe(belief, cells)
    draws = belief.sample_parameters(20_000, np.random.default_rng(1), thin=10, burn_in=1000)
    means, squares, _ = exact(prior, cells)
    for coordinates, values, offset in ((draws.column_coordinates, draws.columns, 0), (draws.row_coordinates, draws.rows, 2)):
        for at, chain in zip(coordinates, values.T, strict=True):
            for moment, truth in ((chain, means[offset + at]), (chain**2, squares[offset + at])):
                batches = moment.reshape(100, -1).mean(axis=1)
                error = batches.std(ddof=1) / math.sqrt(len(batches))
                assert abs(moment.mean() - truth) < 5 * error + 1e-12, (at, offset, moment.mean(), truth, error)


@pytest.mark.parametrize("prior", SETTINGS, ids=repr)
@pytest.mark.parametrize("cells", [TWO, SQUARE, EMPTY, CORNER], ids=str)
def test_chain_agrees_with_integration(prior: GridRewards, cells: dict[tuple[int, int], int]) -> None:
    check_chain(prior, cells)


@pytest.mark.parametrize("prior", [GridRewards((0.5, 0.5), (1, 3)), GridRewards((4, 1), (0.5, 0.5), cap="none")], ids=repr)
def test_chain_agrees_with_integration_under_other_priors(prior: GridRewards) -> None:
    check_chain(prior, SQUARE)


def test_a_wrong_factor_in_the_acceptance_ratio_is_seen() -> None:
    """Planted: the chain's rows have another prior than they should."""
    wrong = GridRewards(rows=(2.2, 1.0)).belief(UNBOUNDED, 4)
    with pytest.raises(AssertionError):
        check_chain(GridRewards(), SQUARE, wrong)


def leaving(belief: Any, state: int, simulations: int = 20_000) -> tuple[Any, NDArray[np.float64]]:
    """A plan of two steps from `state`: its root, and how often each action's next cell held a reward."""
    defaults: dict[str, Any] = {
        "exploration": 1e6,
        "log_offset": 0,
        "expand_after": 0,
        "first_action_random": True,
        "lattice": False,
    }
    core = _core.Settings(**(defaults | {"discount": 0.5, "horizon": 2, "reuse_tree": False}))
    search = belief.search(np.empty((0, 4)), settings=core, final_move="value", epsilon=1.0, learning_rate=0.2, seeds=SEEDS)
    root = search.plan(state, simulations, None, 1, None)
    return root, (root.values - float(state & 1)) / 0.5


@pytest.mark.parametrize("cells", [ONE, SQUARE, CORNER], ids=str)
def test_cells_never_seen_have_the_right_predictive_probability(cells: dict[tuple[int, int], int]) -> None:
    prior = GridRewards(updates_per_simulation=100)  # nearly independent draws, so that the bound below holds
    belief = prior.belief(UNBOUNDED, 4)
    observe(belief, cells)
    (x, y), content = list(cells.items())[-1]
    root, found = leaving(belief, state_of(x, y, bool(content)))
    expected = []
    for action in range(4):
        to = (x + (0, 1, 0, -1)[action], y + (1, 0, -1, 0)[action])
        expected.append(0.0 if to in cells else predictive(prior, cells, to))
    bound = 5 * np.sqrt(0.25 / root.visits)
    assert np.all(np.abs(found - expected) < bound), (found, expected)
    assert np.all(found[[e == 0 for e in expected]] == 0), "cells that were left are empty"


def predictive(prior: GridRewards, cells: dict[tuple[int, int], int], to: tuple[int, int]) -> float:
    """P(to holds a reward | cells), by integration; a line without cells has the mean of its prior."""
    means, _, products = exact(prior, cells)
    known_column, known_row = to[0] in {x for x, _ in cells}, to[1] in {y for _, y in cells}
    if known_column and known_row:
        return float(products[to])
    p = means[to[0]] if known_column else prior.columns[0] / sum(prior.columns)
    q = means[2 + to[1]] if known_row else prior.rows[0] / sum(prior.rows)
    return float(p * q)


def test_the_content_of_the_root_is_evidence_before_anything_was_observed() -> None:
    prior = GridRewards(updates_per_simulation=100)
    for content in (0, 1):
        _, found = leaving(prior.belief(UNBOUNDED, 4), state_of(0, 0, bool(content)))
        expected = [predictive(prior, {(0, 0): content}, to) for to in ((0, 1), (1, 0), (0, -1), (-1, 0))]
        assert np.allclose(found, expected, atol=0.03)


def test_a_hypothetical_root_leaves_no_trace() -> None:
    belief, other = (GridRewards(updates_per_simulation=0, updates_per_search=0).belief(UNBOUNDED, 4) for _ in range(2))
    settings: dict[str, Any] = {"settings": _core.Settings(discount=0.9, horizon=5, exploration=3, log_offset=0, expand_after=0,
        first_action_random=False, lattice=False, reuse_tree=False), "final_move": "value", "epsilon": 1.0,
        "learning_rate": 0.2, "seeds": SEEDS}  # fmt: skip
    search, fresh = belief.search(np.empty((0, 4)), **settings), other.search(np.empty((0, 4)), **settings)
    for _ in range(3):
        search.plan(state_of(5, 5, True), 10, None, 1, None)
        search.plan(state_of(-5, 5, False), 10, None, 1, None)
    observe(belief, SQUARE)
    observe(other, SQUARE)
    roots = [s.plan(state_of(1, 0, False), 20_000, None, 1, None) for s in (search, fresh)]
    # Without updates all simulations share one draw of the lines seen, but a line that was never seen is new each time.
    assert all(np.isfinite(root.values).all() for root in roots)
    assert belief.cells() == other.cells()


def test_a_cell_pays_once() -> None:
    """With p q = 1 nearly everywhere, leaving the start pays, every new cell pays, coming back pays nothing."""
    belief = GridRewards(columns=(1e6, 1e-3), rows=(1e6, 1e-3)).belief(UNBOUNDED, 4)
    observe(belief, {(0, 0): 1, (1, 0): 1})
    _, found = leaving(belief, state_of(1, 0, True))
    assert found == pytest.approx([1, 1, 1, 0], abs=0.01)


def test_a_reward_seen_but_not_left_is_still_there() -> None:
    belief = GridRewards().belief(UNBOUNDED, 4)
    observe(belief, {(0, 0): 0, (1, 0): 1})
    _, found = leaving(belief, state_of(0, 0, False))
    assert found[1] == pytest.approx(1)


@pytest.mark.parametrize(
    ("state", "action", "next_state", "says"),
    [
        ((0, 0, True), 1, (0, 1, False), "leads to"),
        ((0, 0, True), 4, (0, 1, False), "action"),
        ((1, 0, True), 3, (0, 0, False), "cell .1, 0. is not empty"),
        ((0, 0, False), 1, (1, 0, True), "cell .1, 0. is not empty"),
        ((2, 0, False), 3, (1, 0, True), "was empty or is left"),
        ((1, 1, False), 0, (1, 2, False), "held a reward"),
    ],
)
def test_what_cannot_happen_is_refused(state: Any, action: int, next_state: Any, says: str) -> None:
    belief = GridRewards().belief(UNBOUNDED, 4)
    observe(belief, {(0, 0): 1, (1, 0): 0, (1, 1): 1})
    before = belief.cells()
    with pytest.raises(ValueError, match=says):
        belief.observe(state_of(*state), action, state_of(*next_state))
    assert belief.cells() == before


def test_same_seed_same_trajectory_on_any_number_of_threads() -> None:
    world = InfiniteGrid(seed=4)
    agents = [BAMCP.for_domain(world, simulations=60, trees=3, threads=n, seed=1) for n in (1, 3, 3)]
    runs = [bamdp.run(agent, world, steps=30, seed=2) for agent in agents]
    assert runs[0].states.tolist() == runs[1].states.tolist() == runs[2].states.tolist()
    assert agents[0].belief.acceptance_rate == agents[1].belief.acceptance_rate  # type: ignore[attr-defined]


def test_diagnostics_are_reported() -> None:
    pytest.importorskip("arviz_stats")
    world = InfiniteGrid(seed=0)
    agent = BAMCP.for_domain(world, simulations=20)
    assert math.isnan(agent.belief.acceptance_rate)  # type: ignore[attr-defined]
    bamdp.run(agent, world, steps=20)
    assert 0.2 < agent.belief.acceptance_rate < 1  # type: ignore[attr-defined]
    draws = agent.belief.sample_parameters(1000, np.random.default_rng(0))  # type: ignore[attr-defined]
    columns, rows = draws.effective_sample_size()
    assert columns.shape == draws.column_coordinates.shape
    assert rows.shape == draws.row_coordinates.shape
    assert 10 < columns.min() < 2000


@pytest.mark.parametrize(
    ("settings", "says"), [({"columns": (0, 1)}, "columns"), ({"rows": 3}, "two numbers"), ({"cap": -1}, "cap")]
)
def test_bad_settings_are_refused(settings: dict[str, Any], says: str) -> None:
    with pytest.raises((ValueError, TypeError), match=says):
        GridRewards(**settings)


def test_straight_rollouts_are_for_the_grid_alone() -> None:
    world = bamdp.domains.Chain()
    with pytest.raises(TypeError, match="infinite grids only"):
        BAMCP.for_domain(world, rollouts="straight")
    with pytest.raises(TypeError, match="no end"):
        BAMCP.for_domain(InfiniteGrid(), sampling="full")
    with pytest.raises(TypeError, match="no end"):
        bamdp.agents.BAUCT.for_domain(InfiniteGrid(), sampling="resampled")
