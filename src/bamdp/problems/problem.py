"""A problem: what agents are given, and the distribution of the worlds they act in.

Worlds have common random numbers: the n-th outcome of a state and action, its next state and its reward, is the same for every
agent, so that agents that do the same things, in whatever order, see the same. If all states have the same rows and known
rewards, as in a bandit, it is the n-th outcome of the action.

Labels are permuted so that an agent that breaks ties by the number of the action has no advantage; a prior with independent
rows of the same distribution can't tell the difference.
"""

from __future__ import annotations

import copy
from collections.abc import Callable
from dataclasses import replace
from typing import Any, Literal, Self

import numpy as np

from bamdp import validation
from bamdp.agent import Agent
from bamdp.domain import Domain
from bamdp.domains.tabular import Tabular
from bamdp.mdp import MDP, Outcomes
from bamdp.prior import Prior
from bamdp.problem import BAMDP
from bamdp.runs.loop import checked_steps
from bamdp.validation import Steps, integer

Draw = Literal["prior", "permuted", "fixed"] | Prior | Callable[[np.random.Generator], Domain]
DRAW, STEP, RESET, BEFORE = range(4)  # what a random generator is for


class Problem:
    """What agents are given, and how the world of a run is drawn.

    Args:
        domain: the rewards, discount, start, terminal states, time limit and number of steps. Its transitions matter only if
            it is itself the world. Or a problem of finitely many states, which starts in state 0 if it doesn't say where.
        prior: prior of the agents; the domain's or the problem's if not given.
        draw: where the world of a run comes from: "prior", the prior of the agents, of whom the Bayes-optimal one is then the
            best in expectation; another prior, if agents have a wrong one; "permuted", the domain with its actions relabelled
            at random in each state; "fixed", the domain as it is, or as it draws itself in each run; or a function that returns
            a domain for a `numpy.random.Generator`.
        steps: number of steps of a run; the domain's if not given.

    Attributes:
        called: name on the command line of a subclass, `class Mine(Problem, called="mine")`; that of its module if not given.
        domain: the domain.
        problem: what agents are given of it, with their prior; in a world that differs from the domain, `world.problem()`.
        steps: number of steps of a run.

    Example:
        >>> import bamdp
        >>> problem = Problem(bamdp.domains.Grid(5), draw="permuted")
        >>> world = problem.world(seed=0)
        >>> world.num_states, problem.steps
        (25, 1000)
    """

    called: str = ""

    def __init__(
        self, domain: Domain | BAMDP, prior: Prior | None = None, draw: Draw = "prior", *, steps: int | None = None
    ) -> None:
        self.domain: Domain
        named = isinstance(domain, BAMDP)
        if isinstance(domain, BAMDP):
            self.problem = domain if prior is None else replace(domain, prior=prior)
            self.domain = _domain_of(self.problem)
        elif isinstance(domain, Domain):
            self.domain, self.problem = domain.as_tables(), domain.problem(prior)
        else:
            raise TypeError(f"domain must be a bamdp.Domain or a bamdp.BAMDP, got {domain!r}")
        self.steps = checked_steps(self.domain.steps if steps is None else steps, self.domain)
        if isinstance(draw, str):
            validation.one_of("draw", draw, ("prior", "permuted", "fixed"))
        elif not isinstance(draw, Prior) and not callable(draw):
            raise TypeError(f"draw must be 'prior', 'permuted', 'fixed', a prior or a function, got {draw!r}")
        self.draw: Draw = draw
        source = self.problem.prior if draw == "prior" else draw
        if draw == "permuted" or (isinstance(source, Prior) and source.exchangeable_actions and not named):
            self.problem = replace(self.problem, actions=None)  # an action does not do what it was called after
        self._make = (
            self._permuted() if draw == "permuted" else self._sampled(source) if isinstance(source, Prior) else self._given
        )

    def __init_subclass__(cls, called: str = "") -> None:
        """A subclass is called `called` on the command line, else as its module."""
        cls.called = called or cls.__module__.rpartition(".")[2].replace("_", "-")

    @property
    def name(self) -> str:
        """What it is called in a table."""
        return self.called or repr(self.domain)

    def world(self, seed: int) -> Domain:
        """The world of the run with this seed; the same for every agent, and so is the n-th outcome of a state and action.

        Args:
            seed: seed of the world, as in `bamdp.runs.loop.seeds`.
        """
        made = self._drawn(seed)
        return World(made, self.problem, seed) if isinstance(made, Tabular) else made

    def history(self, seed: int) -> Steps | None:
        """Steps in the world with this seed that agents learn from before the run; None if there are none.

        Here there are none; a problem with data of its own overrides this.

        Args:
            seed: seed of the world.
        """
        validation.seed(seed)
        return None

    def prepare(self, agent: Agent, seed: int) -> None:
        """Let an agent learn from the history of the world with this seed, which is no part of the run.

        Args:
            agent: the agent, newly made.
            seed: seed of the world.
        """
        before = self.history(seed)
        if before is not None:
            agent.observe_many(*before)

    def _drawn(self, seed: int) -> Domain:
        """The world with this seed, without common random numbers."""
        return self._make(stream(validation.seed(seed), DRAW))

    def _tabular(self) -> Tabular:
        """The domain, if its tables say everything."""
        if not isinstance(self.domain, Tabular) or type(self.domain).step is not Tabular.step:
            raise TypeError(
                f"domain must be a Tabular one, whose transitions can be drawn or relabelled, got {self.domain!r}; "
                "draw='fixed' takes any domain as it is, or as it draws itself in each run"
            )
        return self.domain

    def _permuted(self) -> Callable[[np.random.Generator], Domain]:
        """Worlds that are the domain with its actions in a random order in each state, the same in all states of a bandit."""
        domain, prior = self._tabular(), self.problem.prior
        self.problem.belief()  # rejects a prior of another size
        if not prior.exchangeable_actions:
            raise ValueError(
                f"draw must not be 'permuted' with {prior!r}, which knows one action from another: labels can be permuted "
                "under independent rows of the same distribution for all actions, such as SparseDirichlet() and Dirichlet()"
            )
        S, A, mdp, outcomes = domain.num_states, domain.num_actions, domain.mdp, domain.outcomes

        def make(rng: np.random.Generator) -> Domain:
            orders = rng.permuted(np.tile(np.arange(A), (1 if prior.independent_arms else S, 1)), axis=1)
            at = tuple(np.broadcast_arrays(np.arange(S)[:, None], orders))  # action a does what orders[s, a] did
            parts = mdp.probabilities[at], mdp.rewards[at], mdp.terminal, domain.successors[at]
            if outcomes is None:
                return domain.with_mdp(MDP.unchecked(*parts))
            drawn = Outcomes(outcomes.values, *(None if part is None else part[at] for part in outcomes[1:]))
            return domain.with_mdp(MDP.unchecked(*parts, outcomes=drawn))

        return make

    def _sampled(self, prior: Prior) -> Callable[[np.random.Generator], Domain]:
        """Worlds drawn from a prior; they have the rewards of the domain unless the prior is over rewards too."""
        domain = self._tabular()
        problem = replace(self.problem, prior=prior, terminal=frozenset() if prior.unknown_terminal else domain.terminal)
        try:
            problem.sample_world(np.random.default_rng(0))
        except TypeError as error:
            raise TypeError(
                f"worlds can't be drawn from {prior!r}: {error}; give draw='fixed', another prior or a function"
            ) from None

        def make(rng: np.random.Generator) -> Domain:
            drawn = problem.sample_world(rng)
            if not prior.unknown_rewards:
                parts = drawn.probabilities, domain.rewards, drawn.terminal, drawn.successors
                drawn = MDP.unchecked(*parts, outcomes=domain.outcomes)
            return domain.with_mdp(drawn)

        return make

    def _given(self, rng: np.random.Generator) -> Domain:
        """The domain, or that of the user's function."""
        if self.draw == "fixed":
            return self.domain
        made: Any = self.draw(rng)  # type: ignore[operator]  # a function: the other kinds have their own
        if not isinstance(made, Domain):
            raise TypeError(f"draw must return a bamdp.Domain, got {made!r}")
        for attribute in ("num_states", "num_actions", "discount", "terminal", "time_limit", "horizon", "episode_length"):
            given, expected = getattr(made, attribute), getattr(self.domain, attribute)
            if given != expected:
                raise ValueError(f"draw must return domains with the {attribute} of the problem's, {expected!r}, got {given!r}")
        return made.as_tables()

    def __repr__(self) -> str:
        draw = self.draw if isinstance(self.draw, str) else getattr(self.draw, "__name__", repr(self.draw))
        return f"Problem({self.domain!r}, prior={self.problem.prior!r}, draw={draw}, steps={self.steps})"


class DomainBenchmark(Problem):
    """A problem that is a domain with a discount: one entry, `class Mine(DomainBenchmark, called="mine", of=MyDomain): ...`.

    Args:
        discount: discount factor, in [0, 1).
    """

    def __init_subclass__(cls, called: str, of: Callable[..., Domain], discount: float = 0.95, **more: Any) -> None:
        """`of(discount=...)` is the domain, `discount` the default, and `more` goes to `Problem`."""
        super().__init_subclass__(called)

        def make(self: Problem, *, discount: float = discount) -> None:
            Problem.__init__(self, of(discount=discount), **more)

        cls.__init__ = make  # type: ignore[method-assign]  # each problem has its own default

    def __init__(self, *, discount: float = 0.95) -> None:
        raise NotImplementedError


class World(Tabular):
    """A tabular domain in which the n-th outcome of a state and action is the same in every run.

    Args:
        domain: the domain.
        problem: what agents are given, with the names of states and actions; its prior is their default.
        seed: seed of all outcomes and start states.
    """

    def __init__(self, domain: Tabular, problem: BAMDP, seed: int) -> None:
        vars(self).update(vars(domain))
        self._domain, self._problem, self._prior, self._seed = domain, problem, problem.prior, seed
        rows = (self.successors, self.probabilities)
        self._same_rows = not self.random_rewards and all(bool((array == array[:1]).all()) for array in rows)
        self._streams: dict[tuple[int, ...], np.random.Generator] = {}

    def for_run(self) -> Self:
        """The same world, from the first outcome of everything."""
        fresh = copy.copy(self)
        fresh._domain, fresh._streams = self._domain.for_run(), {}
        return fresh

    def reset(self, rng: np.random.Generator) -> int:
        return self._domain.reset(self._stream(RESET))

    def step(self, state: int, action: int, rng: np.random.Generator) -> tuple[int, float]:
        state = integer("state", state, 0, self.num_states - 1)
        action = integer("action", action, 0, self.num_actions - 1)
        return self._domain.step(state, action, self._stream(STEP, 0 if self._same_rows else state, action))

    def truncated(self, steps: int) -> bool:
        return self._domain.truncated(steps)

    def complete(self, prior: Prior) -> Prior:
        return self._domain.complete(prior)

    def _names(self) -> tuple[tuple[str, ...] | None, tuple[str, ...] | None]:
        return self._problem.states, self._problem.actions

    def _stream(self, *key: int) -> np.random.Generator:
        if key not in self._streams:
            self._streams[key] = stream(self._seed, *key)
        return self._streams[key]


def stream(seed: int, *key: int) -> np.random.Generator:
    """The random generator of the world `seed` for one purpose."""
    return np.random.default_rng(np.random.SeedSequence(seed, spawn_key=key))


def _domain_of(problem: BAMDP) -> Tabular:
    """A domain with all that a problem tells; its transitions are those of some world."""
    settings: Any = {name: getattr(problem, name) for name in ("prior", "horizon", "episode_length")}
    world = problem.sample_world(np.random.default_rng(0))
    return Tabular(world, problem.discount, start=problem.start or 0, **settings)
