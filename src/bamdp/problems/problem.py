"""A problem: what agents are given, and the distribution of the worlds they act in.

| `draw`          | the world of a run                                                                                |
|-----------------|---------------------------------------------------------------------------------------------------|
| `"prior"`       | drawn from the prior that agents have: the Bayes-optimal agent is the best, in expectation         |
| another `Prior` | drawn from it: agents have a wrong prior                                                           |
| `"permuted"`    | the domain, with the labels of its actions permuted at random in each state                        |
| `"fixed"`       | the domain as it is, or as it draws itself in each run                                             |
| a function      | what it returns for a random generator                                                             |

Labels are permuted so that an agent that breaks ties by the number of the action has no advantage; a prior with independent
rows of the same distribution can't tell the difference.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from bamdp import _validation
from bamdp.domain import UNBOUNDED, Domain
from bamdp.domains.tabular import Tabular
from bamdp.episode import checked_steps
from bamdp.prior import Prior, checked_prior
from bamdp.prior import World as Drawn
from bamdp.priors import BetaArms, Dirichlet, NormalArms, SparseDirichlet
from bamdp.priors.unknown_rewards import UnknownRewards, transition_prior
from bamdp.problems._world import DRAW, World, in_world, permuted, stream, tables

Draw = Literal["prior", "permuted", "fixed"] | Prior | Callable[[np.random.Generator], Domain]

DRAWS = ("prior", "permuted", "fixed")


class Problem:
    """What agents are given, and how the world of a run is drawn.

    Args:
        domain: the rewards, discount, start, terminal states, time limit and number of steps. Its transitions matter only if
            it is itself the world.
        prior: prior of the agents; the domain's if not given.
        draw: where the world of a run comes from: "prior", the prior of the agents; another prior; "permuted", the domain with
            its actions relabelled at random in each state; "fixed", the domain as it is; or a function that returns a domain
            for a `numpy.random.Generator`.
        steps: number of steps of a run; the domain's if not given.

    Example:
        >>> import bamdp
        >>> problem = Problem(bamdp.domains.Grid(5), draw="permuted")
        >>> world = problem.world(seed=0)
        >>> world.num_states, problem.steps
        (25, 1000)
    """

    def __init__(self, domain: Domain, prior: Prior | None = None, draw: Draw = "prior", *, steps: int | None = None) -> None:
        if not isinstance(domain, Domain):
            raise TypeError(f"domain must be a bamdp.Domain, got {domain!r}")
        self.domain = tables(domain)
        self.prior = domain.prior() if prior is None else domain.complete(checked_prior(prior))
        self.steps = checked_steps(domain.steps if steps is None else steps, domain)
        self.draw: Draw = draw
        if isinstance(draw, str):
            _validation.one_of("draw", draw, DRAWS)
        elif not isinstance(draw, Prior) and not callable(draw):
            raise TypeError(f"draw must be 'prior', 'permuted', 'fixed', a prior or a function, got {draw!r}")
        self._make = self._maker()

    @property
    def name(self) -> str:
        """What it is called in a table."""
        module = type(self).__module__.rpartition(".")[2]
        return repr(self.domain) if type(self) is Problem else module.replace("_", "-")

    def world(self, seed: int) -> Domain:
        """The world of the run with this seed; the same for every agent, and so is the n-th outcome of a state and action.

        Args:
            seed: seed of the world, as in `bamdp.runner.seeds`.
        """
        seed = _validation.seed(seed)
        made = self._make(stream(seed, DRAW))
        return World(made, self.prior, seed) if isinstance(made, Tabular) else made

    def _maker(self) -> Callable[[np.random.Generator], Domain]:
        """How a world is drawn; what can't be is rejected here."""
        if self.draw == "fixed":
            return lambda rng: self.domain
        if not isinstance(self.draw, str | Prior):
            return self._called
        domain = _table_of(self.domain)
        if self.draw == "permuted":
            tied = _check_exchangeable(self.prior, domain)
            return lambda rng: permuted(domain, _orders(domain, tied, rng))
        prior = self.draw if isinstance(self.draw, Prior) else self.prior
        draw = _sampler(prior, domain)
        return lambda rng: in_world(domain, draw(rng))

    def _called(self, rng: np.random.Generator) -> Domain:
        made: Any = self.draw(rng)  # type: ignore[operator]  # a function: the other kinds have their own
        if not isinstance(made, Domain):
            raise TypeError(f"draw must return a bamdp.Domain, got {made!r}")
        same = ("num_states", "num_actions", "discount", "terminal", "time_limit", "deadline", "episode_length")
        for attribute in same:
            given, expected = getattr(made, attribute), getattr(self.domain, attribute)
            if given != expected:
                raise ValueError(f"draw must return domains with the {attribute} of the problem's, {expected!r}, got {given!r}")
        return tables(made)

    def __repr__(self) -> str:
        draw = self.draw if isinstance(self.draw, str) else getattr(self.draw, "__name__", repr(self.draw))
        return f"Problem({self.domain!r}, prior={self.prior!r}, draw={draw}, steps={self.steps})"


def _table_of(domain: Domain) -> Tabular:
    """`domain`, if its tables say everything."""
    if domain.num_states == UNBOUNDED or not isinstance(domain, Tabular) or type(domain).step is not Tabular.step:
        raise TypeError(
            f"domain must be a Tabular one, whose transitions can be drawn or relabelled, got {domain!r}; "
            "draw='fixed' takes any domain as it is, or as it draws itself in each run"
        )
    return domain


def _sampler(prior: Prior, domain: Tabular) -> Callable[[np.random.Generator], Drawn]:
    """A function that draws worlds from a prior."""
    if isinstance(prior, UnknownRewards | NormalArms):
        raise TypeError(f"worlds can't be drawn from {prior!r}, which has rewards in it; draw='fixed' or a function can")
    S, A = domain.num_states, domain.num_actions

    def draw(rng: np.random.Generator) -> Drawn:
        return prior.belief(S, A).sample_world(rng)

    try:
        draw(np.random.default_rng(0))
    except TypeError as error:
        raise TypeError(
            f"worlds can't be drawn from {prior!r}: {error}; give draw='fixed', another prior or a function"
        ) from None
    return draw


def _check_exchangeable(prior: Prior, domain: Tabular) -> bool:
    """Reject a prior that knows one action of a state from another; return whether all states share their rows."""
    prior.belief(domain.num_states, domain.num_actions)  # rejects a prior of another size
    rows = transition_prior(prior)
    if isinstance(rows, SparseDirichlet):
        return False
    if isinstance(rows, Dirichlet):
        alpha = np.asarray(1.0 if rows.alpha is None else rows.alpha)
        if alpha.ndim < 3 or bool((alpha == alpha[:, :1]).all()):
            return False
    if isinstance(rows, BetaArms) and all(np.ptp(count) == 0 for count in (rows.successes, rows.failures)):
        return True
    raise ValueError(
        f"draw must not be 'permuted' with {prior!r}, which knows one action from another: labels can be permuted under "
        "independent rows of the same distribution for all actions, such as SparseDirichlet() and Dirichlet()"
    )


def _orders(domain: Tabular, tied: bool, rng: np.random.Generator) -> NDArray[np.int64]:
    """A random order of the actions in each state, or one for all states. [S, A]"""
    S, A = domain.num_states, domain.num_actions
    rows = np.tile(np.arange(A), (1 if tied else S, 1))
    return np.broadcast_to(rng.permuted(rows, axis=1), (S, A))
