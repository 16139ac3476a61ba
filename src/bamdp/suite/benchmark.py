"""A benchmark: what agents are given, and the distribution of the worlds they act in.

Worlds have common random numbers: the n-th outcome of a state and action, its next state and its
reward, is the same for every agent, so that agents that do the same things, in whatever order, see
the same. If all states have the same rows and known rewards, as in a bandit, it is the n-th outcome
of the action.

Labels are permuted so that an agent that breaks ties by the number of the action has no advantage;
a prior with independent rows of the same distribution can't tell the difference.
"""

from __future__ import annotations

import copy
from collections.abc import Callable
from dataclasses import replace
from functools import singledispatch
from typing import Any, Literal, Self

import numpy as np

from bamdp import validation
from bamdp.agent import Agent
from bamdp.domain import Domain
from bamdp.domains.gymnasium import Gymnasium
from bamdp.domains.tabular import Tabular
from bamdp.mdp import Outcomes, unchecked_mdp
from bamdp.prior import Prior
from bamdp.priors.beta_arms import has_independent_arms
from bamdp.priors.symmetry import exchangeable_actions
from bamdp.priors.world_domain import WorldDomain
from bamdp.problem import BAMDP
from bamdp.runs.loop import checked_steps
from bamdp.steps import Steps
from bamdp.validation import integer

Draw = Literal["prior", "permuted", "fixed"] | Prior | Callable[[np.random.Generator], Domain]
DRAW, STEP, RESET, BEFORE = range(4)  # what a random generator is for


class Benchmark:
    """What agents are given, and how the world of a run is drawn.

    Args:
        domain: the rewards, discount, start, terminal states, time limit and number of steps. Its
            transitions matter only if it is itself the world. Or a problem of finitely many states,
            which starts in state 0 if it doesn't say where.
        prior: prior of the agents; the domain's or the problem's if not given.
        draw: where the world of a run comes from: "prior", the prior of the agents, of whom the
            Bayes-optimal one is then the best in expectation; another prior, if agents have a wrong
            one; "permuted", the domain with its actions relabelled at random in each state;
            "fixed", the domain as it is, or as it draws itself in each run; or a function that
            returns a domain for a `numpy.random.Generator`.
        steps: number of steps of a run; the domain's if not given.

    Attributes:
        name: name in tables. A subclass has one on the command line too, `class Mine(Benchmark,
            name="mine")`, that of its module by default; other benchmarks have the domain's repr.
        domain: the domain.
        problem: what agents are given of it, with their prior; in a world that differs from the
            domain, `world.problem()`.
        steps: number of steps of a run.

    Example:
        >>> import bamdp
        >>> benchmark = Benchmark(bamdp.domains.Grid(5), draw="permuted")
        >>> world = benchmark.world(seed=0)
        >>> world.num_states, benchmark.steps
        (25, 1000)
    """

    name: str = ""

    def __init__(
        self,
        domain: Domain | BAMDP,
        prior: Prior | None = None,
        draw: Draw = "prior",
        *,
        steps: int | None = None,
    ) -> None:
        self.domain: Domain
        named = isinstance(domain, BAMDP)
        if isinstance(domain, BAMDP):
            self.problem = domain if prior is None else replace(domain, prior=prior)
            self.domain = _domain_of(self.problem)
        elif isinstance(domain, Domain):
            self.domain, self.problem = as_tables(domain), domain.problem(prior)
        else:
            raise TypeError(f"domain must be a bamdp.Domain or a bamdp.BAMDP, got {domain!r}")
        drawn = isinstance(self.domain, WorldDomain)
        self.name = self.name or repr(self.problem if drawn else self.domain)
        self.steps = checked_steps(self.domain.steps if steps is None else steps, self.domain)
        if isinstance(draw, str):
            validation.one_of("draw", draw, ("prior", "permuted", "fixed"))
        elif not isinstance(draw, Prior) and not callable(draw):
            raise TypeError(
                f"draw must be 'prior', 'permuted', 'fixed', a prior or a function, got {draw!r}"
            )
        self.draw: Draw = draw
        source = self.problem.prior if draw == "prior" else draw
        if draw == "permuted" or (
            isinstance(source, Prior) and exchangeable_actions(source) and not named
        ):
            self.problem = replace(self.problem, actions=None)  # permuted actions lose their names
        self._make: Callable[[np.random.Generator], Domain]
        if draw == "permuted":
            self._make = self._permuted()
        elif isinstance(source, Prior):
            self._make = self._sampled(source)
        elif callable(source):
            self._make = self._drawn_by(source)
        else:
            self._make = lambda rng: self.domain

    def __init_subclass__(cls, name: str = "") -> None:
        """Name the subclass on the command line, as its module by default."""
        cls.name = name or cls.__module__.rpartition(".")[2].replace("_", "-")

    def world(self, seed: int) -> Domain:
        """The world of the run with this seed; the same for every agent, and so is the n-th outcome
        of a state and action.

        Args:
            seed: seed of the world, as in `bamdp.runs.loop.seeds`.
        """
        return with_common_outcomes(self._drawn(seed), self.problem, seed)

    def history(self, seed: int) -> Steps | None:
        """Steps in the world with this seed that agents learn from before the run; None if there
        are none.

        Here there are none; a benchmark with data of its own overrides this.

        Args:
            seed: seed of the world.
        """
        validation.seed(seed)
        return None

    def prepare(self, agent: Agent, seed: int) -> None:
        """Let an agent learn from the history of the world with this seed, which is no part of the
        run.

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
                "domain must be a Tabular one, whose transitions can be drawn or relabelled, got "
                f"{self.domain!r}; "
                "draw='fixed' takes any domain as it is, or as it draws itself in each run"
            )
        return self.domain

    def _permuted(self) -> Callable[[np.random.Generator], Domain]:
        """Worlds that are the domain with its actions in a random order in each state, the same in
        all states of a bandit.
        """
        domain, prior = self._tabular(), self.problem.prior
        self.problem.belief()  # rejects a prior of another size
        if not exchangeable_actions(prior):
            raise ValueError(
                f"draw must not be 'permuted' with {prior!r}, which knows one action from another: "
                "labels can be permuted "
                "under independent rows of the same distribution for all actions, such as "
                "SparseDirichlet() and Dirichlet()"
            )
        S, A, mdp, outcomes = domain.num_states, domain.num_actions, domain.mdp, domain.outcomes

        def make(rng: np.random.Generator) -> Domain:
            orders = rng.permuted(
                np.tile(np.arange(A), (1 if has_independent_arms(prior) else S, 1)), axis=1
            )
            at = tuple(
                np.broadcast_arrays(np.arange(S)[:, None], orders)
            )  # action a does what orders[s, a] did
            parts = mdp.probabilities[at], mdp.rewards[at], mdp.terminal, domain.successors[at]
            if outcomes is None:
                return domain.with_mdp(unchecked_mdp(*parts))
            drawn = Outcomes(
                outcomes.values, *(None if part is None else part[at] for part in outcomes[1:])
            )
            return domain.with_mdp(unchecked_mdp(*parts, outcomes=drawn))

        return make

    def _sampled(self, prior: Prior) -> Callable[[np.random.Generator], Domain]:
        """Worlds drawn from a prior; they have the rewards of the domain unless the prior is over
        rewards too.
        """
        if isinstance(self.domain, WorldDomain):
            return self.problem.sample_world
        domain = self._tabular()
        problem = replace(
            self.problem,
            prior=prior,
            terminal=frozenset() if prior.unknown_terminal else domain.terminal,
        )
        try:
            problem.sample_world(np.random.default_rng(0))
        except TypeError as error:
            raise TypeError(
                f"worlds can't be drawn from {prior!r}: {error}; give draw='fixed', another prior "
                "or a function"
            ) from None

        def make(rng: np.random.Generator) -> Domain:
            drawn = problem.sample_world(rng)
            if not prior.unknown_rewards:
                parts = drawn.probabilities, domain.rewards, drawn.terminal, drawn.successors
                drawn = unchecked_mdp(*parts, outcomes=domain.outcomes)
            return domain.with_mdp(drawn)

        return make

    def _drawn_by(
        self, draw: Callable[[np.random.Generator], Any]
    ) -> Callable[[np.random.Generator], Domain]:
        """Worlds drawn by the user's function, checked against the domain."""

        def make(rng: np.random.Generator) -> Domain:
            world = draw(rng)
            if not isinstance(world, Domain):
                raise TypeError(f"draw must return a bamdp.Domain, got {world!r}")
            for attribute, expected in _shared(self.domain).items():
                value = _shared(world)[attribute]
                if value != expected:
                    raise ValueError(
                        f"draw must return domains with the {attribute} of the benchmark's, "
                        f"{expected!r}, got {value!r}"
                    )
            return as_tables(world)

        return make

    def __repr__(self) -> str:
        draw = (
            self.draw
            if isinstance(self.draw, str)
            else getattr(self.draw, "__name__", repr(self.draw))
        )
        return (
            f"Benchmark({self.domain!r}, prior={self.problem.prior!r}, draw={draw}, "
            f"steps={self.steps})"
        )


class DomainBenchmark(Benchmark):
    """A benchmark that is a domain with a discount: one entry, `class Mine(DomainBenchmark,
    name="mine", of=MyDomain): ...`.

    Args:
        discount: discount factor, in [0, 1).
    """

    def __init_subclass__(
        cls, name: str, of: Callable[..., Domain], discount: float = 0.95, **more: Any
    ) -> None:
        """`of(discount=...)` is the domain, `discount` the default, and `more`
        goes to `Benchmark`.
        """
        super().__init_subclass__(name)

        def make(self: Benchmark, *, discount: float = discount) -> None:
            Benchmark.__init__(self, of(discount=discount), **more)

        cls.__init__ = make  # type: ignore[method-assign]  # each benchmark has its own default

    def __init__(self, *, discount: float = 0.95) -> None:
        raise NotImplementedError


class CommonRandomNumbers(Tabular):
    """A tabular domain in which the n-th outcome of a state and action is the same in every run.

    Args:
        domain: the domain.
        problem: what agents are given, with the names of states and actions; its prior is their
            default.
        seed: seed of all outcomes and start states.
    """

    def __init__(self, domain: Tabular, problem: BAMDP, seed: int) -> None:
        vars(self).update(vars(domain))
        self._domain, self._prior, self._seed = domain, problem.prior, seed
        self._state_names, self.action_names = problem.states, problem.actions
        rows = (self.successors, self.probabilities)
        self._same_rows = not self.random_rewards and all(
            bool((array == array[:1]).all()) for array in rows
        )
        self._streams: dict[tuple[int, ...], np.random.Generator] = {}

    def __copy__(self) -> Self:
        """The same world, from the first outcome of everything."""
        twin = object.__new__(type(self))
        vars(twin).update(vars(self))
        twin._domain, twin._streams = copy.copy(self._domain), {}
        return twin

    def problem(self, prior: Prior | None = None, **changes: Any) -> BAMDP:
        complete = self._prior if prior is None else self._domain.problem(prior).prior
        return super().problem(complete, **changes)

    def reset(self, rng: np.random.Generator) -> int:
        return self._domain.reset(self._stream(RESET))

    def step(self, state: int, action: int, rng: np.random.Generator) -> tuple[int, float]:
        state = integer("state", state, 0, self.num_states - 1)
        action = integer("action", action, 0, self.num_actions - 1)
        return self._domain.step(
            state, action, self._stream(STEP, 0 if self._same_rows else state, action)
        )

    def _stream(self, *key: int) -> np.random.Generator:
        if key not in self._streams:
            self._streams[key] = stream(self._seed, *key)
        return self._streams[key]


@singledispatch
def as_tables(domain: Domain) -> Domain:
    """The same domain as a `Tabular`, where tables say all that there is; else itself."""
    return domain


as_tables.register(Gymnasium, Gymnasium.as_tables)


@singledispatch
def with_common_outcomes(world: Domain, problem: BAMDP, seed: int) -> Domain:
    """The same world, where the n-th outcome of a state and action is a function of the seed, if
    its outcomes can be drawn beforehand; else itself.
    """
    return world


@with_common_outcomes.register
def _(world: Tabular, problem: BAMDP, seed: int) -> Domain:
    return CommonRandomNumbers(world, problem, seed)


@with_common_outcomes.register
def _(world: WorldDomain, problem: BAMDP, seed: int) -> Domain:
    return world.with_common_outcomes(seed)


def stream(seed: int, *key: int) -> np.random.Generator:
    """The random generator of the world `seed` for one purpose."""
    return np.random.default_rng(np.random.SeedSequence(seed, spawn_key=key))


def _domain_of(problem: BAMDP) -> Domain:
    """A domain with all that a problem tells; its transitions are those of some world."""
    world = problem.sample_world(np.random.default_rng(0))
    if isinstance(world, Domain):
        return world
    return Tabular(
        world,
        problem.discount,
        start=problem.start or 0,
        prior=problem.prior,
        horizon=problem.horizon,
        episode_length=problem.episode_length,
        episodes=problem.episodes,
    )


def _shared(domain: Domain) -> dict[str, Any]:
    """What worlds that a function draws must share with the domain."""
    return {
        "num_states": domain.num_states,
        "num_actions": domain.num_actions,
        "discount": domain.discount,
        "terminal": domain.terminal,
        "time_limit": domain.time_limit,
        "horizon": domain.horizon,
    }
