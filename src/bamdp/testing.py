"""Contract checks for domains, priors and agents, built-in and your own.

Each raises an `AssertionError` that names the broken rule. Seeds are fixed, so results are
reproducible.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from copy import copy
from functools import partial
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from bamdp import validation
from bamdp.agent import Agent
from bamdp.domain import UNBOUNDED, Domain, is_truncated
from bamdp.pictures.scenes import description, scene
from bamdp.prior import Belief, Prior, checked_prior
from bamdp.priors import Worlds
from bamdp.priors.world_domain import WorldDomain
from bamdp.problem import BAMDP
from bamdp.runs.loop import Run
from bamdp.validation import SeedLike

DRAWS = 400
EPISODES, EPISODE_STEPS = 20, 20  # played in worlds drawn from a prior
WALK = (
    401  # steps in a domain; prime, so that a hidden counter of any period shows in the next walk
)
Walked = tuple[int, int, float, int, bool]  # state, action, reward, next state, terminated


def check_domain(domain: Domain, seed: SeedLike = 0, prior: Prior | None = None) -> None:
    """Check that a domain obeys the contract of `bamdp.Domain`.

    Args:
        domain: the domain.
        seed: seed of the tested states, actions and transitions.
        prior: prior of the agents; the domain's own if not given.

    Raises:
        AssertionError: a rule is broken; the message names it.

    Example:
        >>> from bamdp.domains import Grid
        >>> check_domain(Grid(5))
    """
    _is_domain(domain)
    seed = validation.integer_seed(seed)
    problem = _check_problem(domain, prior)
    _check_scene(domain, seed)
    # Without a copy of its own it remembers nothing: any state can be stepped from.
    plain = domain.num_states < UNBOUNDED and getattr(type(domain), "__copy__", None) is None
    (start, walk), again = (_walk(copy(domain), seed, anywhere=plain) for _ in range(2))
    _require(
        (start, walk) == again,
        "reset and step must depend on their arguments alone: the same calls gave different "
        "results",
    )
    belief = problem.belief()
    _require_belief(belief, "the prior of problem() must make")
    if plain:
        _check_rewards(domain, problem.random_rewards or problem.prior.unknown_rewards, walk)
    else:
        for step in walk:
            belief.observe(*step)
    low, high = (
        (-(2**63), 2**63 - 1) if domain.num_states == UNBOUNDED else (0, domain.num_states - 1)
    )
    run, rng = copy(domain), np.random.default_rng(seed)
    run.reset(rng)
    for s, a in [(low - 1, 0), (high + 1, 0), (start, -1), (start, domain.num_actions)]:
        _require_rejected(f"step(state={s}, action={a})", partial(run.step, s, a, rng))


def check_prior(
    prior: Prior | BAMDP,
    num_states: int | None = None,
    num_actions: int | None = None,
    seed: SeedLike = 0,
) -> None:
    """Check that a prior and its beliefs obey the contracts of `bamdp.Prior` and `bamdp.Belief`.

    Methods that a belief doesn't support (`predictive`, `mean`, `sample` that raise `TypeError`)
    are skipped. Little can be checked of unbounded beliefs here: `check_domain` lets them observe a
    trajectory.

    Args:
        prior: the prior; or a problem of it, which `Worlds` needs, whose start and actions are
            its own: worlds drawn from the prior are then played, and beliefs must allow each step.
        num_states: number of states to test with; a small one, as whole tables are drawn. A
            problem has its own number, and likewise of actions.
        num_actions: number of actions to test with.
        seed: seed of the observations and the draws.

    Raises:
        AssertionError: a rule is broken; the message names it.

    Example:
        >>> from bamdp.priors import Dirichlet
        >>> check_prior(Dirichlet(), num_states=4, num_actions=2)
    """
    seed = validation.integer_seed(seed)
    if isinstance(prior, BAMDP):
        posed = prior
        if isinstance(posed.prior, Worlds):
            _check_worlds(posed, seed)
            return
        prior, num_states, num_actions = posed.prior, posed.num_states, posed.num_actions
    if isinstance(prior, Worlds):
        raise TypeError(
            "prior must be a problem, bamdp.BAMDP(prior, …), for bamdp.priors.Worlds, whose states "
            f"and actions are the problem's, got {prior!r}"
        )
    checked_prior(prior)
    num_states, num_actions = validation.sizes(num_states, num_actions)
    problem = BAMDP(
        prior, np.zeros((0 if num_states == UNBOUNDED else num_states, num_actions)), discount=0.9
    )
    before, belief = repr(prior), problem.belief()
    _require_belief(belief, "belief(problem) must return")
    sizes = belief.problem.num_states, belief.problem.num_actions
    _require(
        sizes == (num_states, num_actions),
        f"belief(problem) must be of the problem's size, got {sizes}",
    )
    if num_states == UNBOUNDED:
        for a in (-1, num_actions):
            _require_rejected(f"observe(0, {a}, 0.0, 0)", partial(belief.observe, 0, a, 0.0, 0))
        return
    rng = np.random.default_rng(seed)
    initial = _mean(belief)
    _check_beliefs(belief, rng)
    for state, action, next_state in _possible(initial, num_states, num_actions, rng):
        _check_observe(belief, state, action, next_state)
    _check_beliefs(belief, rng)
    _check_rejections(belief)
    again = _mean(problem.belief())
    unchanged = repr(prior) == before and (
        initial is None or again is None or np.array_equal(initial, again)
    )
    _require(
        unchanged,
        "a prior must not change: after one of its beliefs had observed, it made a different "
        "belief",
    )


def _check_worlds(problem: BAMDP, seed: int) -> None:
    """Play worlds drawn from the prior, and let beliefs observe them."""
    rng, before = np.random.default_rng(seed), repr(problem.prior)
    initial = _weights(problem.belief())
    for _ in range(EPISODES):
        world, belief = problem.sample_world(rng), problem.belief()
        state = world.reset(rng)
        for _ in range(EPISODE_STEPS):
            action = int(rng.integers(problem.num_actions))
            next_state, reward = world.step(state, action, rng)
            ended = next_state in world.terminal
            twin, known = copy(belief), _weights(belief)
            try:
                belief.observe(state, action, reward, next_state, ended)
            except ValueError as error:
                raise AssertionError(
                    f"a belief must allow the steps of worlds drawn from its prior: {error}"
                ) from error
            _require(
                belief.observations == twin.observations + 1,  # type: ignore[attr-defined]
                "observe must count a step",
            )
            _require(
                np.array_equal(_weights(twin), known),
                "a copy of a belief must not learn what the belief does",
            )
            if ended:
                break
            state = next_state
    _require(
        repr(problem.prior) == before and np.array_equal(_weights(problem.belief()), initial),
        "a prior must not change: after one of its beliefs had observed, it made a different "
        "belief",
    )


def _weights(belief: Belief) -> NDArray[np.float64]:
    """The weights of worlds, which must sum to one."""
    weights: NDArray[np.float64] = belief.weights.copy()  # type: ignore[attr-defined]
    _require(
        bool((weights >= 0).all()) and abs(float(weights.sum()) - 1) < 1e-9,
        f"weights must be probabilities, they sum to {weights.sum():g}",
    )
    return weights


def check_agent(
    agent: Agent | type[Agent] | Callable[[int], Agent], domain: Domain, steps: int = 20
) -> None:
    """Check that an agent obeys the contract of `bamdp.Agent`.

    Args:
        agent: an agent, an agent class, or a function that makes an agent from a seed. Only with
            the last two is a reset agent compared with a new one. The budget of a search must be
            simulations, not seconds.
        domain: the domain to test in.
        steps: number of steps of each test run.

    Raises:
        AssertionError: a rule is broken; the message names it.

    Example:
        >>> from bamdp.agents import Random
        >>> from bamdp.domains import Chain
        >>> check_agent(Random, Chain())
    """
    if not isinstance(agent, Agent):
        validation.function("agent", agent)
    _is_domain(domain)
    steps = min(validation.positive_integer("steps", steps), domain.horizon or steps)
    make = partial(_made, agent, domain)
    subject = make(1)
    first = _trajectory(subject, domain, steps)
    if not isinstance(agent, Agent):
        _require(
            _trajectory(make(1), domain, steps) == first,
            "two agents with the same seed must act alike",
        )
    subject.reset(2)
    other = _trajectory(subject, domain, steps)
    _require(
        _trajectory(make(2), domain, steps) == other,
        "reset(seed) must leave an agent as if newly made with that seed",
    )
    subject.reset(1)
    _require(
        _trajectory(subject, domain, steps) == first,
        "reset(seed) must make an agent forget everything learned",
    )
    _check_bad_states(make, domain, steps)


def _is_domain(domain: Any) -> None:
    if not isinstance(domain, Domain):
        raise TypeError(f"domain must be a bamdp.Domain, got {domain!r}")


def _walk(run: Domain, seed: int, *, anywhere: bool) -> tuple[int, list[Walked]]:
    """The start, and steps over any number of episodes; from `anywhere`, or each from where the
    last one led.
    """
    rng = np.random.default_rng(seed)
    start = state = run.reset(rng)
    walk: list[Walked] = []
    begun = 0
    for t in range(WALK):
        if anywhere:
            state = int(rng.integers(run.num_states))
        action = int(rng.integers(run.num_actions))
        next_state, reward = run.step(state, action, rng)
        inside = (
            _index(next_state, run.num_states)
            if run.num_states < UNBOUNDED
            else isinstance(next_state, int | np.integer)
        )
        _require(
            inside,
            f"step({state}, {action}) must return a next state, an int in range, got "
            f"{next_state!r}",
        )
        ended = next_state in run.terminal
        walk.append((state, action, reward, next_state, ended))
        over = ended or is_truncated(run, t + 1 - begun)
        state, begun = (run.reset(rng), t + 1) if over else (next_state, begun)
    return start, walk


def _check_rewards(domain: Domain, random: bool, walk: list[Walked]) -> None:
    """Check that a step pays what the table has; on average, if rewards are random."""

    def paid(state: int, action: int, next_state: int) -> float:
        row = domain.rewards[state, action]
        return float(row if domain.rewards.ndim == 2 else row[next_state])

    if not random:
        for s, a, reward, next_state, _ in walk:
            table = paid(s, a, next_state)
            _require(
                reward == table,
                f"step({s}, {a}) paid {reward}, but the table `rewards` has {table}",
            )
        return
    rng = np.random.default_rng(0)
    for s, a in sorted({(s, a) for s, a, *_ in walk})[:10]:
        steps = [domain.step(s, a, rng) for _ in range(DRAWS)]
        off = np.array([reward - paid(s, a, next_state) for next_state, reward in steps])
        # Within six standard errors: a false alarm of 2e-9 if rewards are normal.
        fine = abs(off.mean()) <= 6 * off.std() / DRAWS**0.5
        _require(
            fine,
            f"the rewards of step({s}, {a}) are {off.mean()} above the table `rewards`, on average",
        )


def _check_problem(domain: Domain, prior: Prior | None) -> BAMDP:
    """Check what agents are given; `BAMDP` has most of the rules."""
    limit = 1 if domain.time_limit is None else domain.time_limit
    sizes = {"num_states": domain.num_states, "num_actions": domain.num_actions}
    for name, number in {**sizes, "steps": domain.steps, "time_limit": limit}.items():
        fine = isinstance(number, int) and number >= 1
        _require(fine, f"{name} must be an int of at least 1, got {number!r}")
    try:
        problem = domain.problem(prior)
    except (TypeError, ValueError) as error:
        raise AssertionError(f"problem() must give a valid problem: {error}") from error
    own = problem.num_states, problem.num_actions
    _require(
        own == (domain.num_states, domain.num_actions),
        f"rewards must be of all states and actions, got {own}",
    )
    start = copy(domain).reset(np.random.default_rng(0))
    _require(start not in domain.terminal, f"reset must not return a terminal state, got {start}")
    return problem


def _check_scene(domain: Domain, seed: int) -> None:
    """Check the description, and the scene in the start state."""
    about = description(domain)
    _require(
        isinstance(about, str) and bool(about.strip()),
        f"the description must be a sentence, got {about!r}",
    )
    drawn, A = scene(domain), domain.num_actions
    _require(
        len(drawn.actions) in (0, A),
        f"the scene must name none or all {A} actions, got {drawn.actions!r}",
    )
    state = copy(domain).reset(np.random.default_rng(seed))
    place, label = drawn.place(state), drawn.label(state)
    fine = len(place) == 2 and bool(np.all(np.isfinite(place)))
    _require(fine, f"the scene must place states at (x, y), two finite numbers, got {place!r}")
    _require(isinstance(label, str), f"the scene must label states with strings, got {label!r}")


def _mean(belief: Belief) -> NDArray[np.float64] | None:
    try:
        return belief.mean().transitions
    except TypeError:
        return None


def _possible(
    mean: NDArray[np.float64] | None, num_states: int, num_actions: int, rng: np.random.Generator
) -> list[tuple[int, int, int]]:
    """Transitions that the belief considers possible: several of one state-action pair, then of
    random ones.
    """
    pairs = [(0, 0)] * 4 + [
        (int(rng.integers(num_states)), int(rng.integers(num_actions))) for _ in range(10)
    ]
    rows = np.full((num_states, num_actions, num_states), 1 / num_states) if mean is None else mean
    return [(s, a, int(rng.choice(num_states, p=rows[s, a]))) for s, a in pairs]


def _check_observe(belief: Belief, state: int, action: int, next_state: int) -> None:
    try:
        before = belief.predictive(state, action)[next_state]
    except TypeError:
        belief.observe(state, action, _reward(belief), next_state)
        return
    belief.observe(state, action, _reward(belief), next_state)
    after = belief.predictive(state, action)[next_state]
    rule = "observing a transition must not make it less probable"
    _require(
        after >= before - 1e-9,
        f"{rule}: {(state, action, next_state)} went from {before} to {after}",
    )


def _reward(belief: Belief) -> float | None:
    """The reward of a step of `check_prior`: that of its problem; not observed if unknown."""
    return None if belief.problem.prior.unknown_rewards else 0.0


def _check_beliefs(belief: Belief, rng: np.random.Generator) -> None:
    """Check that predictive probabilities, posterior mean and posterior samples agree."""
    mean = _mean(belief)
    if mean is None:
        return
    _check_rows("mean()", mean, belief)
    for s, a in np.ndindex(belief.problem.num_states, belief.problem.num_actions):
        same = np.allclose(belief.predictive(s, a), mean[s, a], rtol=0, atol=1e-9)
        _require(same, f"predictive({s}, {a}) must be the row of mean()")
    try:
        total = sum(_draw(belief, rng) for _ in range(DRAWS))
    except TypeError:
        return
    # Bernstein's inequality with variance at most m (1 − m): a false alarm has probability below 2
    # exp(−18) per entry.
    bound = 6 * np.sqrt(np.maximum(mean * (1 - mean), 0) / DRAWS) + 6 / DRAWS
    off = np.argwhere(np.abs(total / DRAWS - mean) > bound)
    where = tuple(int(i) for i in off[0]) if len(off) else ()
    _require(
        not where,
        f"the average of sample() must be mean(): at {where} it is "
        f"{np.asarray(total)[where] / DRAWS}",
    )


def _draw(belief: Belief, rng: np.random.Generator) -> NDArray[np.float64]:
    drawn = belief.sample(1, rng)
    _require(
        drawn.num_models == 1,
        f"sample(1, rng) must return an MDP with a leading axis of 1, got {drawn!r}",
    )
    _check_rows("sample()", drawn.transitions[0], belief)
    return np.asarray(drawn.transitions[0])


def _check_rows(name: str, table: NDArray[np.float64], belief: Belief) -> None:
    shape = (belief.problem.num_states, belief.problem.num_actions, belief.problem.num_states)
    _require(table.shape == shape, f"{name} must have shape {shape}, got {table.shape}")
    fine = bool(np.all(table >= 0)) and np.allclose(table.sum(axis=-1), 1, rtol=0, atol=1e-9)
    _require(fine, f"{name} must have rows of probabilities that sum to one")


def _check_rejections(belief: Belief) -> None:
    before = _mean(belief)
    S, A = belief.problem.num_states, belief.problem.num_actions
    for state, action, next_state in [
        (-1, 0, 0),
        (S, 0, 0),
        (0, -1, 0),
        (0, A, 0),
        (0, 0, -1),
        (0, 0, S),
    ]:
        bad = (state, action, _reward(belief), next_state)
        _require_rejected(f"observe{bad}", partial(belief.observe, *bad))
    after = _mean(belief)
    same = before is None or after is None or np.array_equal(before, after)
    _require(same, "a rejected observation must leave the belief unchanged")


def _made(agent: Any, domain: Domain, seed: int) -> Agent:
    if isinstance(agent, Agent):
        agent.reset(seed)
        return agent
    if not (inspect.isclass(agent) and issubclass(agent, Agent)):
        return cast(Agent, agent(seed))
    true = domain if isinstance(domain, WorldDomain) else domain.mdp
    given: dict[str, Any] = {"world": true} if agent.uses_true_model else {}
    return agent(domain.problem(), seed=seed, **given)


def _trajectory(agent: Agent, domain: Domain, steps: int) -> list[int]:
    course, actions = Run(agent, domain, seed=0), []
    for _ in range(steps):
        actions.append(_act(agent, course.state))
        course.step(actions[-1])
    return actions


def _act(agent: Agent, state: int) -> int:
    action = agent.act(state)
    _require(
        _index(action, agent.problem.num_actions),
        f"act must return an action, an int from 0, got {action!r}",
    )
    return int(action)


def _check_bad_states(make: Callable[[int], Agent], domain: Domain, steps: int) -> None:
    """Check that states out of range are rejected, or, by an agent that doesn't use states,
    ignored; all or none.
    """
    expected = _trajectory(make(3), domain, steps)
    agent = make(3)
    outside = (-1, domain.num_states)
    acts = [_is_rejected(f"act({bad})", partial(_act, agent, bad)) for bad in outside]
    _require(
        acts[0] == acts[1],
        f"act must reject both states out of range, {outside[0]} and {outside[1]}, got {acts}",
    )
    if not any(acts):
        agent = make(3)  # ignoring the state, act may have used random numbers
    for bad in outside:
        _is_rejected(f"observe with state={bad}", partial(agent.observe, bad, 0, 0.0, 0))
        _is_rejected(f"observe with next_state={bad}", partial(agent.observe, 0, 0, 0.0, bad))
    _require(
        _trajectory(agent, domain, steps) == expected,
        "a state out of range must not change what the agent does",
    )


def _is_rejected(what: str, call: Callable[[], Any]) -> bool:
    try:
        call()
    except (ValueError, TypeError):
        return True
    except (IndexError, KeyError, OverflowError) as error:
        raise AssertionError(
            f"{what} must raise a ValueError that names the argument, got {type(error).__name__}"
        ) from error
    return False


def _require_rejected(what: str, call: Callable[[], Any]) -> None:
    _require(_is_rejected(what, call), f"{what} is out of range and must raise a ValueError")


def _index(value: Any, size: int) -> bool:
    return (
        isinstance(value, int | np.integer)
        and not isinstance(value, bool)
        and 0 <= int(value) < size
    )


def _require_belief(value: Any, who: str) -> None:
    _require(isinstance(value, Belief), f"{who} a Belief, got {type(value).__name__}")


def _require(condition: bool, message: str) -> None:
    if not condition:
        raise AssertionError(message)
