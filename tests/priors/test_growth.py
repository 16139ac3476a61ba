"""What costs as much as the successors met, not as all states: rows drawn bit by bit, long rows,
sums over many sizes.
"""

from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.special import digamma
from scipy.stats import beta, chisquare

import bamdp
from bamdp import BAMDP, _core
from bamdp.agents import BAMCP, BAUCT
from bamdp.prior import Prior
from bamdp.priors import Dirichlet, SparseDirichlet
from reference import rows
from reference.comparison import FALSE_ALARM, assert_mean, assert_multinomial
from reference.problems import belief_of, sized
from reference.rows import SparseRows

S = 600  # rows of smaller worlds are drawn whole
Multiplicities = tuple[int, ...]  # how often each distinct successor was drawn


def dirichlet_repeats(drawn: Multiplicities) -> dict[int, float]:
    """The probability that the next successor was drawn m times before; 0 is a new one."""
    alpha = 2 / S
    found = dict.fromkeys(drawn, 0.0)
    for m in drawn:
        found[m] += (alpha + m) / (2 + sum(drawn))
    return {0: 1 - sum(found.values()), **found}


def sparse_repeats(drawn: Multiplicities) -> dict[int, float]:
    K0, N = len(drawn), sum(drawn)
    C = rows.repeat_probability(S, 0.5, 1.0, K0, N)
    found = dict.fromkeys(drawn, 0.0)
    for m in drawn:
        found[m] += C * (0.5 + m) / (K0 * 0.5 + N)
    return {0: 1 - C, **found}


PRIORS: dict[str, tuple[Prior, Callable[[Multiplicities], dict[int, float]]]] = {
    "dirichlet": (Dirichlet(2 / S), dirichlet_repeats),
    "sparse": (
        SparseDirichlet(0.5, 1.0),
        sparse_repeats,
    ),  # exponent 1: many successors, a third of the time above 64
}
SCHEMES: list[tuple[type[BAMCP], str]] = [
    (BAMCP, "collapsed"),
    (BAMCP, "lazy"),
    (BAUCT, "resampled"),
]


def hub_draws(
    node: dict[str, Any], drawn: tuple[int, ...]
) -> Iterator[tuple[Multiplicities, int, int]]:
    """For each child of a node of state 0: what was drawn of its row before, how often this child
    was, and its visits.
    """
    for child in node["actions"][0]["children"]:
        after = drawn
        if node["state"] == 0:
            times = Counter(drawn)
            yield tuple(sorted(times.values())), times[child["state"]], child["visits"]
            after = (*drawn, child["state"])
        yield from hub_draws(child, after)


@pytest.mark.slow
@pytest.mark.parametrize("seen", [[], [5, 5, 9]], ids=["unseen", "seen"])
@pytest.mark.parametrize(
    ("agent_class", "sampling"), SCHEMES, ids=[sampling for _, sampling in SCHEMES]
)
@pytest.mark.parametrize("case", PRIORS)
def test_draws_of_one_row_repeat_each_other_as_they_should(
    case: str, agent_class: Any, sampling: str, seen: list[int]
) -> None:
    """All states lead back to state 0, so that a simulation draws from its row again and again."""
    prior, repeats = PRIORS[case]
    agent = agent_class(
        sized(S, 1, prior=prior), simulations=20_000, depth=7, sampling=sampling, seed=3
    )
    for state in range(1, S):
        for _ in range(30):
            agent.observe(state, 0, 0.0, 0)
    for state in seen:
        agent.observe(0, 0, 0.0, state)
    tree = agent.plan(0).tree.to_dict(depth=6)
    found: dict[Multiplicities, Counter[int]] = {}
    for drawn, times, visits in hub_draws(tree, tuple(seen)):
        found.setdefault(drawn, Counter())[times] += visits
    assert_multinomial([(counts, repeats(drawn)) for drawn, counts in found.items()])
    new = {
        child["state"]: child["visits"]
        for child in tree["actions"][0]["children"]
        if child["state"] not in seen
    }
    assert_multinomial(
        [(new, {state: 1 / (S - len(set(seen))) for state in range(S) if state not in seen})]
    )


@pytest.mark.parametrize("mass", [0.1, 1.0, 4.0])
def test_whole_rows_of_large_worlds(mass: float) -> None:
    """Powers of a symmetric Dirichlet vector: E Σ θ^m = S α(α + 1) … (α + m − 1) / M(M + 1) … (M +
    m − 1).
    """
    alpha = mass / S
    belief = belief_of(Dirichlet(alpha), S, 1)
    for _ in range(3):
        belief.observe(0, 0, None, 7)
    tables = [
        belief.sample(1, np.random.default_rng(seed)).transitions[0][:, 0] for seed in range(10)
    ]
    drawn = np.concatenate([table[1:] for table in tables])
    assert drawn.sum(axis=1) == pytest.approx(1)
    second = (1 + alpha) / (1 + mass)
    third = second * (2 + alpha) / (2 + mass)
    assert_mean((drawn**2).sum(axis=1), second)
    assert_mean((drawn**3).sum(axis=1), third)
    for small in (1e-3, 1e-9, 1e-15):  # each weight is Beta(α, M − α)
        assert_mean((drawn > small).sum(axis=1), S * beta.sf(small, alpha, mass - alpha))
    assert_mean(drawn.reshape(len(drawn), 20, -1).sum(axis=2), 1 / 20)  # no state is preferred
    assert_mean([table[0, 7] for table in tables], (3 + alpha) / (3 + mass))


def _fresh_probability(num_states: int, alpha: float, exponent: float, K0: int, N: int) -> float:
    """1 − C, term by term."""
    k: NDArray[np.longdouble] = np.arange(K0, num_states + 1, dtype=np.longdouble)
    w = -exponent * np.log(k)
    for j in range(K0):
        w += np.log(k - j)
    for j in range(N):
        w -= np.log(k * np.longdouble(alpha) + j)
    w = np.exp(w - w.max())
    extra = (k - K0) * np.longdouble(alpha)
    return float((w * extra / (K0 * alpha + extra + N)).sum() / w.sum())


@pytest.mark.slow
@pytest.mark.parametrize("num_states", [513, 20_000])
@pytest.mark.parametrize(
    ("alpha", "exponent"), [(0.2, 2.0), (0.001, 1.0), (1.0, 0.0), (20.0, -3.0), (0.2, 8.0)]
)
def test_sums_over_many_support_sizes(num_states: int, alpha: float, exponent: float) -> None:
    core = _core.SparseDirichletBelief(num_states, 1, alpha, exponent)
    for K0, N in [(1, 1), (1, 5), (2, 2), (10, 15), (60, 60), (60, 200)]:
        expected = _fresh_probability(num_states, alpha, exponent, K0, N)
        assert 1 - core.repeat_probability(K0, N) == pytest.approx(expected, rel=1e-11, abs=1e-14)


def test_a_sum_over_a_trillion_support_sizes() -> None:
    """Σ_k k^-2 / (1 + αk) = π²/6 − α (ψ(1 + 1/α) + γ), but for 1/S."""
    alpha = 0.2
    core = _core.SparseDirichletBelief(10**12, 1, alpha, 2.0)
    sum_of_all = np.pi**2 / 6
    expected = (1 + alpha) * (1 - alpha * (digamma(1 + 1 / alpha) + np.euler_gamma) / sum_of_all)
    assert core.repeat_probability(1, 1) == pytest.approx(expected, abs=1e-11)


def test_counts_of_long_rows(tmp_path: Path) -> None:
    """Rows grow in turns, beyond the length up to which they are looked through; a copy goes on as
    they do.
    """
    rng, expected = np.random.default_rng(0), {row: Counter[int]() for row in range(4)}
    agent = BAMCP(BAMDP(Dirichlet(), np.zeros((300, 2)), 0.9), simulations=1)
    for i in range(4000):
        state, action, next_state = (
            int(rng.integers(2)),
            int(rng.integers(2)),
            int(rng.integers(5 + i // 20)),
        )
        agent.observe(state, action, 0.0, next_state)
        expected[2 * state + action][next_state] += 1
        if i == 2000:
            agent.save(tmp_path / "agent")
            agent = bamdp.load(tmp_path / "agent")  # type: ignore[assignment]
    belief = agent.belief
    assert {row: belief.counts(row // 2, row % 2) for row in range(4)} == expected


@pytest.mark.parametrize("every", [1, 100], ids=["one by one", "anew"])
def test_new_successors_of_long_rows_are_new(every: int) -> None:
    """Two states are unseen: draws of new ones meet seen ones, and the other one if it is new in
    the same simulation.
    """
    states, seen = 19, 17
    agent = BAMCP(
        BAMDP(SparseDirichlet(5.0, -5.0), np.zeros((states, 1)), 0.9),
        simulations=1,
        depth=5,
        seed=1,
    )
    reference = SparseRows(states, 1, 5.0, -5.0)
    for i in range(seen):
        agent.observe(0, 0, 0.0, i)
        reference.observe(0, 0, i)
        if i % every == 0:
            agent.plan(0)
    for state in range(1, states):
        for _ in range(30):
            agent.observe(state, 0, 0.0, 0)
    agent.simulations = 200_000
    root = agent.plan(0).tree.to_dict(depth=3)
    children = {child["state"]: child for child in root["actions"][0]["children"]}
    assert_multinomial([(_visits(root), dict(enumerate(reference.predictive(0, 0))))])
    again = []
    for new in (17, 18):
        (back,) = (node for node in children[new]["actions"][0]["children"] if node["state"] == 0)
        again.append((_visits(back), dict(enumerate(reference.after(0, 0, new).predictive(0, 0)))))
    assert_multinomial(again)


def _visits(node: dict[str, Any]) -> dict[int, int]:
    return {child["state"]: child["visits"] for child in node["actions"][0]["children"]}


# Rows observed more often than their draws are kept one by one: the same distribution, and memory
# that no longer grows.
SEEN = {0: 0.7, 1: 0.25, 2: 0.05}
SIMULATIONS = 20_000


def observed(count: int) -> Iterator[int]:
    """Next states after state 0, in an order that is not that of their numbers."""
    yield from (
        np.random.default_rng(0).choice(list(SEEN), size=count, p=list(SEEN.values())).tolist()
    )


def watched(prior: Any, count: int, *, every: int) -> BAMCP:
    """An agent that has seen state 0 so often, and planned after each `every` steps: urns grow one
    by one, or are made anew.
    """
    agent = BAMCP(
        BAMDP(prior, np.zeros((6, 1)), 0.5), depth=3, simulations=1, rollouts="uniform", seed=1
    )
    for i, next_state in enumerate(observed(count)):
        agent.observe(0, 0, 0.0, next_state)
        if i % every == 0:
            agent.act(0)
    return agent


@pytest.mark.slow
@pytest.mark.parametrize("every", [1, 7])
@pytest.mark.parametrize("prior", [Dirichlet(), SparseDirichlet()], ids=["dirichlet", "sparse"])
def test_successors_have_the_predictive_distribution(prior: Any, every: int) -> None:
    agent = watched(prior, 20_000, every=every)
    agent.simulations = SIMULATIONS
    expected = agent.belief.predictive(0, 0)
    root = agent.plan(0).tree.to_dict(depth=2)
    first = {child["state"]: child for child in root["actions"][0]["children"]}
    second = {child["state"]: child for child in first[0]["actions"][0]["children"]}
    for found in (
        first,
        second,
    ):  # a draw hardly changes an urn of so many: the second is distributed as the first
        n = np.array([found[s]["visits"] if s in found else 0 for s in SEEN])
        p = expected[list(SEEN)] / expected[list(SEEN)].sum()
        assert chisquare(n, n.sum() * p).pvalue > FALSE_ALARM


def test_memory_does_not_grow_with_the_length_of_a_run(tmp_path: Path) -> None:
    """What is saved is what is kept."""
    for prior in (Dirichlet(), SparseDirichlet()):
        sizes = []
        for count in (3000, 6000, 12_000):
            watched(prior, count, every=1).save(tmp_path / "agent")
            sizes.append((tmp_path / "agent").stat().st_size)
        assert sizes[0] < sizes[1]
        assert sizes[2] < sizes[1] + 100
