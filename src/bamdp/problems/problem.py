"""A problem: what agents are given, and the distribution of the worlds they act in.

Labels are permuted so that an agent that breaks ties by the number of the action has no advantage; a prior with independent
rows of the same distribution can't tell the difference.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any, Literal

import numpy as np

from bamdp import validation
from bamdp.agent import Agent
from bamdp.domain import UNBOUNDED, Domain
from bamdp.domains.normal_bandit import NormalBandit
from bamdp.domains.tabular import Tabular
from bamdp.prior import Prior
from bamdp.problem import BAMDP
from bamdp.problems.world import DRAW, World, in_world, permuted, stream
from bamdp.runs.loop import checked_steps
from bamdp.validation import Steps

Draw = Literal["prior", "permuted", "fixed"] | Prior | Callable[[np.random.Generator], Domain]
DRAWS = ("prior", "permuted", "fixed")


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
        problem: what agents are told of it, with their prior; in a world that differs from the domain, `world.problem()`.
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
        given = None
        if isinstance(domain, BAMDP):
            given = domain if prior is None else replace(domain, prior=prior)
            domain = _domain_of(given)
        if not isinstance(domain, Domain):
            raise TypeError(f"domain must be a bamdp.Domain or a bamdp.BAMDP, got {domain!r}")
        self.domain, self.problem = domain.as_tables(), given or domain.problem(prior)
        source = draw if isinstance(draw, Prior) else self.problem.prior
        alike = given is None and (draw == "prior" or isinstance(draw, Prior)) and source.exchangeable_actions
        if draw == "permuted" or alike:
            self.problem = replace(self.problem, actions=None)  # an action does not do what it was called after
        self.steps = checked_steps(domain.steps if steps is None else steps, domain)
        self.draw: Draw = draw
        if isinstance(draw, str):
            validation.one_of("draw", draw, DRAWS)
        elif not isinstance(draw, Prior) and not callable(draw):
            raise TypeError(f"draw must be 'prior', 'permuted', 'fixed', a prior or a function, got {draw!r}")
        self._make = self._maker()

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
            agent.observe_many(*before)  # type: ignore[arg-type]  # rewards are given

    def _drawn(self, seed: int) -> Domain:
        """The world with this seed, without common random numbers."""
        return self._make(stream(validation.seed(seed), DRAW))

    def _maker(self) -> Callable[[np.random.Generator], Domain]:
        """How a world is drawn; what can't be is rejected here."""
        if self.draw == "fixed":
            return lambda rng: self.domain
        if not isinstance(self.draw, str | Prior):
            return self._called
        domain = _table_of(self.domain)
        if self.draw == "permuted":
            self.problem.belief()  # rejects a prior of another size
            prior = self.problem.prior
            if not prior.exchangeable_actions:
                raise ValueError(
                    f"draw must not be 'permuted' with {prior!r}, which knows one action from another: labels can be permuted "
                    "under independent rows of the same distribution for all actions, such as SparseDirichlet() and Dirichlet()"
                )
            return lambda rng: permuted(domain, rng, tied=prior.independent_arms)
        prior = self.draw if isinstance(self.draw, Prior) else self.problem.prior
        problem = replace(self.problem, prior=prior, terminal=frozenset() if prior.has_ends else domain.terminal)
        try:
            problem.sample_world(np.random.default_rng(0))
        except TypeError as error:
            raise TypeError(
                f"worlds can't be drawn from {prior!r}: {error}; give draw='fixed', another prior or a function"
            ) from None
        return lambda rng: in_world(domain, problem.sample_world(rng), own_rewards=prior.has_rewards)

    def _called(self, rng: np.random.Generator) -> Domain:
        made: Any = self.draw(rng)  # type: ignore[operator]  # a function: the other kinds have their own
        if not isinstance(made, Domain):
            raise TypeError(f"draw must return a bamdp.Domain, got {made!r}")
        same = ("num_states", "num_actions", "discount", "terminal", "time_limit", "horizon", "episode_length")
        for attribute in same:
            given, expected = getattr(made, attribute), getattr(self.domain, attribute)
            if given != expected:
                raise ValueError(f"draw must return domains with the {attribute} of the problem's, {expected!r}, got {given!r}")
        return made.as_tables()

    def __repr__(self) -> str:
        draw = self.draw if isinstance(self.draw, str) else getattr(self.draw, "__name__", repr(self.draw))
        return f"Problem({self.domain!r}, prior={self.problem.prior!r}, draw={draw}, steps={self.steps})"


class OfDomain(Problem):
    """A problem that is a domain with a discount: one entry, `class Mine(OfDomain, called="mine", of=MyDomain): ...`.

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


def _table_of(domain: Domain) -> Tabular:
    """`domain`, if its tables say everything, with the distributions of its rewards where they are random."""
    steps = (Tabular.step, NormalBandit.step)
    if domain.num_states == UNBOUNDED or not isinstance(domain, Tabular) or type(domain).step not in steps:
        raise TypeError(
            f"domain must be a Tabular one, whose transitions can be drawn or relabelled, got {domain!r}; "
            "draw='fixed' takes any domain as it is, or as it draws itself in each run"
        )
    return domain


def _domain_of(problem: BAMDP) -> Tabular:
    """A domain with all that a problem tells; its transitions are those of some world."""
    settings: Any = {name: getattr(problem, name) for name in ("prior", "horizon", "episode_length")}
    world = problem.sample_world(np.random.default_rng(0))
    return Tabular(world, problem.discount, start=problem.start or 0, **settings)
