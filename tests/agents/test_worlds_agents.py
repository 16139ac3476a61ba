"""Agents in worlds that are functions of the user's."""

from functools import partial
from typing import Any

import numpy as np
import pytest

import bamdp
from bamdp import BAMDP, Outcome, exact
from bamdp.priors import Finite, Worlds
from bamdp.spaces import state_name
from bamdp.testing import check_agent, check_prior
from reference.world_functions import mastermind, of_tables, room, rooms

agents: Any = bamdp.agents  # they take states that may be None, by their types

RNG = np.random.default_rng(3)
M, S, A = 3, 4, 2
TABLES = RNG.dirichlet([0.5] * S, size=(M, S, A))
REWARDS = RNG.normal(size=(M, S, A)).round(2)
SETTINGS: Any = [{"discount": 0.8}, {"discount": 1, "horizon": 5}]


def pair(settings: Any) -> tuple[Any, Any]:
    """A problem of tables by `Worlds` and by `Finite`."""
    worlds = Worlds(range(M), of_tables(TABLES, REWARDS), weights=[1, 2, 3])
    one = BAMDP(worlds, actions=range(A), start=1, **settings)
    other = BAMDP(Finite(TABLES, [1, 2, 3], REWARDS), np.zeros((S, A)), start=1, **settings)
    return one, other


@pytest.mark.parametrize("settings", SETTINGS)
def test_the_posterior_mean_is_that_of_tables(settings: Any) -> None:
    one, other = pair(settings)
    by_function, by_table = agents.PosteriorMean(one), agents.PosteriorMean(other)
    for _ in range(3):
        np.testing.assert_allclose(by_function.q_values(one.start), by_table.q_values(1), atol=1e-5)
        by_function.observe(one.start, 0, REWARDS[2, 1, 0], one.state(2))
        by_table.observe(1, 0, REWARDS[2, 1, 0], 2)


@pytest.mark.parametrize("settings", SETTINGS)
def test_an_oracle_knows_the_world(settings: Any) -> None:
    one, other = pair(settings)
    mdp = bamdp.MDP(TABLES[1], REWARDS[1])
    oracle = agents.Oracle(one, world=one.prior.domain(one, 1))
    known = agents.Oracle(other, world=mdp)
    np.testing.assert_allclose(oracle.q_values(one.start), known.q_values(1), atol=1e-6)
    assert oracle.act(one.start) == known.act(1)


@pytest.mark.parametrize("settings", SETTINGS)
def test_a_sampled_world_is_solved(settings: Any) -> None:
    """Each draw is one of the worlds, and agents.BOSS is as optimistic as the best of its
    models.
    """
    one, _ = pair(settings)
    known = [
        agents.Oracle(one, world=one.prior.domain(one, m)).q_values(one.start) for m in range(M)
    ]
    for seed in range(4):
        drawn = agents.BayesianDP(one, seed=seed).q_values(one.start)
        assert any(np.allclose(drawn, values, atol=1e-5) for values in known)
    best = agents.BOSS(one, models=40, seed=0).q_values(one.start)
    assert (best >= np.max(known, axis=0) - 1e-6).all()


@pytest.mark.parametrize("settings", SETTINGS)
def test_boss_may_choose_the_world_in_every_state(settings: Any) -> None:
    """By value iteration, the best of all worlds in each state; 40 draws have each of them."""
    one, _ = pair(settings)
    q = np.zeros((S, A))
    for _ in range(settings.get("horizon", 200)):
        q = (REWARDS + settings["discount"] * TABLES @ q.max(axis=1)).max(axis=0)
    merged = agents.BOSS(one, models=40, seed=0).q_values(one.start)
    np.testing.assert_allclose(merged, q[1], atol=1e-5)


@pytest.mark.parametrize("settings", SETTINGS)
def test_the_index_policy_pays_for_learning(settings: Any) -> None:
    """By observations, a state with its reward, which is what is seen of a step."""
    one, other = pair(settings)
    values, mean = (
        agents.IndexPolicy(one).q_values(one.start),
        agents.PosteriorMean(one).q_values(one.start),
    )
    assert (values >= mean - 1e-6).all()
    assert values.max() > mean.max()
    assert (values <= agents.PosteriorMean(other).q_values(1) + 10).all()


ACTIONS = ("left", "right", "enter")
AGENTS: Any = {
    "bamcp": (agents.BAMCP, {"simulations": 20}),
    "bayes-adaptive": (agents.BayesAdaptive, {"simulations": 20}),
    "posterior-mean": agents.PosteriorMean,
    "bayesian-dp": agents.BayesianDP,
    "boss": agents.BOSS,
    "epsilon-greedy": agents.EpsilonGreedy,
    "index-policy": agents.IndexPolicy,
    "random": agents.Random,
    "oracle": agents.Oracle,
}


def test_every_agent_can_be_compared() -> None:
    problem = rooms(4, horizon=8)
    result = bamdp.compare(problem, AGENTS, worlds=6, workers=1)
    means = {label: result.mean(label).value for label in result.agents}
    assert max(means, key=means.__getitem__) == "oracle"
    assert means["bayes-adaptive"] >= means["random"]


def test_an_agent_of_another_problem_is_named() -> None:
    """The same sizes, and other states behind the numbers."""
    agent, other = agents.BAMCP(rooms(3), simulations=5), rooms(3)
    with pytest.raises(
        ValueError, match=r"agree on the prior that numbers the states.*problem\(\)"
    ):
        bamdp.run(agent, other.prior.domain(other, 1))


def test_a_run_of_some_episodes() -> None:
    """Without a number in the problem, the goal is looked for again and again."""
    prior = Worlds(range(3), room)
    problem: Any = BAMDP(prior, discount=1, horizon=60, start=(0, False), actions=ACTIONS)
    agent, domain = agents.PosteriorMean(problem), prior.domain(problem, 1)
    for episodes in (1, 3):
        agent.reset(0)
        record = bamdp.run(agent, domain, episodes=episodes)
        assert record.terminated.sum() == episodes
        assert record.terminated[-1]
    agent.reset(0)
    assert bamdp.run(agent, domain).terminated.sum() > 3
    with pytest.raises(ValueError, match="episodes must be"):
        bamdp.run(agent, domain, episodes=0)


def found_agents() -> list[str]:
    """All agents of the package, by name."""
    return [name for name in agents.__all__ if issubclass(getattr(agents, name), bamdp.Agent)]


@pytest.mark.parametrize("name", found_agents())
def test_every_agent_works_or_says_which_do(name: str) -> None:
    """Tables are needed by some of those that the paper compares with."""
    problem = rooms(3, horizon=6)
    domain = problem.prior.domain(problem, 1)
    settings: Any = {"world": domain} if name == "Oracle" else {}
    make = partial(getattr(agents, name), problem, seed=0, **settings)
    if name in ("BEB", "BFS3", "Gittins", "SBOSS"):
        with pytest.raises(TypeError, match="BAMCP"):
            make()
        return
    record = bamdp.run(make(), domain, seed=0)
    assert len(record.actions) <= 6
    assert -18 <= record.total_reward <= -1


def test_worlds_of_a_comparison_have_common_outcomes() -> None:
    """The same agent under two names earns the same in each world, whatever the order."""
    problem = BAMDP(
        Worlds(
            [0.3, 0.6],
            lambda p, s, a: [Outcome(s, 1.0, probability=p), Outcome(s, probability=1 - p)],
        ),
        discount=1,
        horizon=20,
        start=0,
        actions=["go"],
    )
    result = bamdp.compare(
        problem, {"one": agents.Random, "other": agents.Random}, worlds=20, workers=1
    )
    one, other = (
        [row["total_reward"] for row in result.results[label]] for label in ("one", "other")
    )
    assert one == other
    assert len(set(one)) > 3


@pytest.mark.parametrize(
    "name", ["bamcp", "bayes-adaptive", "posterior-mean", "bayesian-dp", "boss"]
)
def test_contract(name: str) -> None:
    problem = rooms(4, horizon=8)
    domain = problem.prior.domain(problem, 2)
    target, settings = AGENTS[name] if isinstance(AGENTS[name], tuple) else (AGENTS[name], {})
    check_agent(lambda seed: target(problem, seed=seed, **settings), domain)


@pytest.mark.parametrize("worlds", [range(3), lambda rng: int(rng.integers(3))])
def test_the_contract_of_a_prior(worlds: Any) -> None:
    prior = Worlds(worlds, room, particles=30)
    check_prior(BAMDP(prior, discount=1, horizon=9, start=(0, False), actions=ACTIONS))
    with pytest.raises(TypeError, match="must be a problem"):
        check_prior(prior, 3, 3)


def test_a_function_that_draws_breaks_the_contract() -> None:
    """Outcomes must be listed: here the world says other things than the belief has been told."""
    rng = np.random.default_rng(0)
    prior = Worlds([1, 2], lambda world, state, action: Outcome(int(rng.integers(world + 2))))
    with pytest.raises(AssertionError, match="must allow the steps of worlds drawn"):
        check_prior(BAMDP(prior, discount=0.9, start=0, actions=["go"]))


def test_small_problems_are_solved_exactly() -> None:
    problem = mastermind()
    optimum = exact.bayes_optimal(problem, problem.start)
    agent = agents.BayesAdaptive(problem, simulations=3000)
    plan = agent.plan(problem.start)
    assert plan.q_lower.max() == pytest.approx(optimum.value, abs=1e-9)
    bound = exact.upper_bound(problem, problem.start, delay=1)
    assert bound.high >= optimum.value - 1e-9


def test_a_world_that_never_ends_is_not_enumerated() -> None:
    problem: Any = BAMDP(
        Worlds([1, 2], lambda world, s, a: Outcome(s + world, 1.0)),
        discount=0.9999,
        start=0,
        actions=["go"],
    )
    with pytest.raises(ValueError, match="rows can be reached"):
        agents.PosteriorMean(problem).act(problem.start)
    with pytest.raises(ValueError, match="too many"):
        exact.bayes_optimal(problem, problem.start, tolerance=0.1)
    assert agents.BAMCP(problem, simulations=10, depth=20).act(problem.start) == 0


# ---- saving, by the names of functions


def drawn_bias(rng: np.random.Generator) -> float:
    return float(rng.random())


def tossed_coin(bias: float, state: tuple[str, int], action: str) -> list[Outcome]:
    name, heads = state
    return [
        Outcome((name, heads + 1), 1.0, probability=bias),
        Outcome((name, heads), seen="tails", probability=1 - bias),
    ]


def saved_problem(worlds: Any = (0.2, 0.9), outcomes: Any = tossed_coin) -> Any:
    prior = Worlds(worlds, outcomes, particles=50)
    return BAMDP(prior, discount=1, horizon=30, start=("coin", 0), actions=["toss"])


@pytest.mark.parametrize("worlds", [(0.2, 0.9), drawn_bias], ids=["listed", "particles"])
def test_a_saved_agent_goes_on_as_it_was(worlds: Any, tmp_path: Any) -> None:
    problem = saved_problem(worlds)
    agent = agents.BAMCP(problem, simulations=50, seed=2)
    for heads in range(12):
        agent.act(problem.state(("coin", heads)))
        agent.observe(problem.state(("coin", heads)), 0, 1.0, problem.state(("coin", heads + 1)))
    agent.save(tmp_path / "agent.bamdp")
    twin: Any = bamdp.load(tmp_path / "agent.bamdp", prior=saved_problem(worlds).prior)
    assert twin.belief.worlds == agent.belief.worlds
    state = problem.state(("coin", 12))
    assert state_name(twin.problem, state) == "('coin', 12)"
    for one in (agent, twin):
        one.observe(state, 0, 0.0, one.problem.state(("coin", 12), seen="tails"))
    np.testing.assert_array_equal(twin.belief.weights, agent.belief.weights)
    assert twin.plan(state).q_values.tolist() == agent.plan(state).q_values.tolist()


def test_saving_needs_a_name(tmp_path: Any) -> None:
    agent = agents.BAMCP(saved_problem(outcomes=lambda *call: tossed_coin(*call)), simulations=10)
    with pytest.raises(TypeError, match=r"<lambda> can't be saved: a file has the names"):
        agent.save(tmp_path / "agent.bamdp")
    assert not list(tmp_path.iterdir())


def test_loading_needs_the_same_prior(tmp_path: Any) -> None:
    path = tmp_path / "agent.bamdp"
    problem = saved_problem()
    agent = agents.BAMCP(problem, simulations=10)
    agent.act(problem.start)
    agent.save(path)
    with pytest.raises(bamdp.SavedFileError, match=r"tossed_coin.*load\(path, prior=...\)"):
        bamdp.load(path)
    cases = [
        (Worlds((0.2, 0.9), room), "must have outcomes=.*tossed_coin, as in the file, got .*room"),
        (saved_problem((0.2, 0.3, 0.4)).prior, "worlds and weights"),
        (bamdp.priors.Dirichlet(), "must be a bamdp.priors.Worlds"),
    ]
    for prior, message in cases:
        with pytest.raises(bamdp.SavedFileError, match=message):
            bamdp.load(path, prior=prior)
    strange = Worlds((0.2, 0.9), tossed_coin)
    strange.numbers.number("another")
    with pytest.raises(bamdp.SavedFileError, match="has met other states"):
        bamdp.load(path, prior=strange)


# ---- a policy and values of the user's


def sensible(belief: Any, state: tuple[int, bool], rng: np.random.Generator) -> str:
    """To the map, if the goal isn't known, then to the likeliest room."""
    x, _ = state
    if belief.weights.max() < 0.99:
        return "left" if x > -3 else "right"
    goal = belief.likeliest
    return "enter" if x == goal else "right" if x < goal else "left"


def test_a_policy_is_rolled_out() -> None:
    """With few simulations the search lives off its roll-outs."""
    returns = {}
    for name, policy in (("own", sensible), ("learned", None)):
        problem = rooms(12, policy=policy)
        entries = {name: (agents.BAMCP, {"simulations": 100, "exploration": 10.0})}
        returns[name] = bamdp.compare(problem, entries, worlds=24, workers=1).mean(name).value
    assert returns["own"] > returns["learned"] + 5


def test_a_policy_sees_the_belief_of_the_simulation() -> None:
    seen: list[Any] = []

    def policy(belief: Any, state: Any, rng: np.random.Generator) -> str:
        seen.append((state, belief.weights.copy()))
        return sensible(belief, state, rng)

    agent = agents.BAMCP(rooms(3, horizon=10, policy=policy), simulations=50)
    agent.act(agent.problem.start)
    before = [weights for (x, _), weights in seen if -3 < x <= 0]
    after = [weights for (_, on_map), weights in seen if on_map]
    assert all(weights.sum() == pytest.approx(1) for _, weights in seen)
    assert any(np.allclose(weights, 1 / 3) for weights in before)
    assert after
    assert all(weights.max() == pytest.approx(1) for weights in after)


def test_a_policy_is_a_base() -> None:
    """Its value is a lower bound, that without any search."""
    agent = agents.BayesAdaptive(rooms(12, policy=sensible), simulations=1)
    plan = agent.plan(agent.problem.start)
    assert plan.q_lower.max() == pytest.approx(-11.5)


def test_a_policy_must_return_an_action() -> None:
    agent = agents.BAMCP(rooms(3, policy=lambda belief, state, rng: "jump"), simulations=10)
    with pytest.raises(ValueError, match=r"one of the actions.*got 'jump'"):
        agent.act(agent.problem.start)


def test_roll_outs_by_a_policy_need_one() -> None:
    with pytest.raises(TypeError, match="policy of your own"):
        agents.BAMCP(rooms(3), rollouts="policy")


def test_the_same_seed_makes_the_same_plan_with_a_policy() -> None:
    def policy(belief: Any, state: Any, rng: np.random.Generator) -> str:
        return str(rng.choice(["left", "right", "enter"]))

    plans = [
        agents.BAMCP(
            rooms(4, horizon=10, policy=policy), simulations=60, trees=2, threads=threads, seed=1
        )
        for threads in (1, 2)
    ]
    one, other = (agent.plan(agent.problem.start) for agent in plans)
    np.testing.assert_array_equal(one.q_values, other.q_values)


def test_values_of_known_worlds() -> None:
    """An upper bound instead of solving each world."""

    def value(goal: int, state: tuple[int, bool]) -> float:
        return -float(abs(goal - state[0]))

    agent = agents.BayesAdaptive(rooms(6, value=value), simulations=2000)
    plan = agent.plan(agent.problem.start)
    optimum = exact.bayes_optimal(rooms(6), 0, 18)
    assert plan.q_lower.max() <= optimum.value + 1e-9
    assert plan.q_upper.max() >= optimum.value - 1e-9
    assert plan.action == optimum.action


def test_a_value_must_be_a_number() -> None:
    agent = agents.BayesAdaptive(rooms(3, value=lambda world, state: float("nan")), simulations=5)
    with pytest.raises(ValueError, match="must return a finite number, got nan"):
        agent.act(agent.problem.start)
