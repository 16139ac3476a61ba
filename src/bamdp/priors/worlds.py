"""Worlds that you can write: what is unknown, and one function that says what may happen.

A world is whatever is unknown: a number, a code, a row of draws, a program. `outcomes(world, state,
action)` says what may happen in it, with which probability; it is simulation, likelihood and
predictive at once. With prior weights w⁰,

    w_m ∝ w_m⁰ Π P_m(o | s, a) over the observed steps,   P(o | s, a) = Σ_m w_m P_m(o | s, a)

An observation o is the next state, what is seen there, the reward, and whether the episode ended.
A row of outcomes is requested once, when it is first needed, and kept in the core: what follows is
as fast as with tables.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import KW_ONLY, dataclass, field
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bamdp import _core, validation
from bamdp.mdp import checked_weights
from bamdp.prior import Prior
from bamdp.priors._worlds_belief import WorldsBelief
from bamdp.priors._worlds_list import ListedWorlds
from bamdp.priors._worlds_moves import Moves
from bamdp.priors._worlds_particles import ParticlesBelief
from bamdp.priors._worlds_rows import ConsideredActions, WorldFunction, name_of
from bamdp.priors._worlds_states import Outcome, StateNumbers
from bamdp.priors.world_domain import WorldDomain
from bamdp.problem import BAMDP, actions_in, draw_world, state_numbers
from bamdp.validation import generator, positive_integer, short_repr

__all__ = ["Outcome", "Worlds"]

Array = NDArray[np.float64]
Actions = tuple[Hashable, ...]
MOST_PARTICLES = 10**5


@dataclass(frozen=True, eq=False)
class Worlds(Prior):
    """Worlds and one function, which says what may happen in a world.

    Args:
        worlds: the worlds that are possible: a list of anything, such as numbers, codes and
            functions; or draws of a fitted model, as an array [M] or [M, d], a dictionary of
            arrays [M] or [M, …], a data frame, or an `InferenceData`, `DataTree` or data set with
            the dimensions chain and draw, whose worlds then have names, `world.name`.
        outcomes: `outcomes(world, state, action)` returns what may happen, a `bamdp.Outcome` or a
            list of them, whose probabilities sum to one. A state is anything hashable, an action
            one of those of the problem. If not given, each world is a function of its own,
            `world(state, action)`.
        weights: probability of each world, up to a factor; uniform if not given. [M]
        value: `value(world, state)`, what is still to be earned by one who knows the world, or
            more: an upper bound for `BayesAdaptive`, where solving each world takes too long, and
            the value of a leaf of `BAMCP` with `rollouts="value"`.
        policy: `policy(belief, state, rng)` returns an action: a policy of your own, for the
            roll-outs of `BAMCP` and as a base policy of `BayesAdaptive`. `belief.weights` and
            `belief.likeliest` are those of the simulation; `rng` is a generator of NumPy.
        actions_in: `actions_in(state)` lists the actions that are considered in a state; if not
            given, all. Agents and exact solvers neither search nor take others, and a world to act
            in rejects them. An observed step with another action is learned from like any.
        vectorised: whether `outcomes` gets all worlds at once, as an array or a tuple of arrays
            with names, and returns a list of outcomes whose `reward`, `done` and `probability` are
            numbers or arrays [M].
        names: names of the columns of an array of draws.
        particles: number of worlds, where `worlds` is a function `draw(rng)` that draws one from
            the prior. They are weighted by what is observed; when their effective sample size falls
            below half, they are resampled and moved by Metropolis and Hastings.
        log_prior: `log_prior(world)`, the log density of the prior up to a constant, for worlds
            that are numbers or tuples of numbers: moves are then random walks scaled by the
            particles' covariance; if not given, independent draws from the prior.
        move: a move of your own, `move(world, log_likelihood, rng)` returns a world; it must leave
            the posterior unchanged. `log_likelihood(world)` is that of the steps so far.
        seed: seed of the particles and of their moves.

    Attributes:
        numbers: the number of each state and observation that was met.

    Example:
        >>> import bamdp
        >>> def outcomes(bias, state, action):
        ...     if action == "stop":
        ...         return bamdp.Outcome("end", done=True)
        ...     return [bamdp.Outcome("heads", 1.0, probability=bias),
        ...             bamdp.Outcome("tails", -1.0, probability=1 - bias)]
        >>> problem = bamdp.BAMDP(Worlds([0.2, 0.9], outcomes), discount=1, horizon=10,
        ...     episodes=1, start="ready", actions=["toss", "stop"])
        >>> belief = problem.belief()
        >>> belief.observe(problem.state("ready"), 0, 1.0, problem.state("heads"))
        >>> belief.weights.round(2)
        array([0.18, 0.82])
    """

    worlds: Any
    outcomes: Callable[..., Any] | None = None
    _: KW_ONLY
    weights: ArrayLike | None = None
    value: Callable[[Any, Any], float] | None = None
    policy: Callable[..., Any] | None = None
    actions_in: Callable[[Any], Sequence[Any]] | None = None
    vectorised: bool = False
    names: Sequence[str] | None = None
    particles: int = 1000
    log_prior: Callable[[Any], float] | None = None
    move: Callable[..., Any] | None = None
    seed: int = 0
    listed: ListedWorlds = field(init=False, repr=False)
    initial_weights: Array = field(init=False, repr=False)
    numbers: StateNumbers = field(init=False, repr=False)
    function: WorldFunction = field(init=False, repr=False)
    _rows: dict[Actions, _core.WorldRows] = field(init=False, repr=False)
    _considered: dict[Actions, ConsideredActions] = field(init=False, repr=False)

    unknown_rewards = True
    unknown_terminal = True

    def __post_init__(self) -> None:
        if self.outcomes is not None:
            validation.function("outcomes", self.outcomes)
        vectorised = validation.boolean("vectorised", self.vectorised)
        if vectorised and self.outcomes is None:
            raise TypeError("outcomes must be a function of all worlds with vectorised=True")
        for name in ("value", "policy", "actions_in", "log_prior", "move"):
            if getattr(self, name) is not None:
                validation.function(name, getattr(self, name))
        listed = self._drawn() if self.is_sampled else ListedWorlds(self.worlds, self.names)
        if self.outcomes is None:
            wrong = next((world for world in listed.worlds if not callable(world)), None)
            if wrong is not None:
                raise TypeError(
                    "outcomes must be a function outcomes(world, state, action), or each world "
                    f"must be one, world(state, action), got the world {short_repr(wrong)}"
                )
        numbers = StateNumbers()
        weights = checked_weights(self.weights, len(listed.worlds), "worlds")
        weights.setflags(write=False)
        for name, value in (
            ("listed", listed),
            ("initial_weights", weights),
            ("numbers", numbers),
            ("function", WorldFunction(self.outcomes, numbers)),
            ("_rows", {}),
            ("_considered", {}),
        ):
            object.__setattr__(self, name, value)

    @property
    def is_sampled(self) -> bool:
        """Whether its worlds are drawn by a function."""
        return callable(self.worlds)

    def _drawn(self) -> ListedWorlds:
        """The first particles."""
        if self.weights is not None or self.names is not None:
            raise TypeError("weights and names must be None for a function draw(rng) of worlds")
        count = positive_integer("particles", self.particles, MOST_PARTICLES)
        rng = np.random.default_rng(validation.seed(self.seed))
        return ListedWorlds([self.draw(rng) for _ in range(count)])

    def reward_range(self, rewards: Array) -> tuple[float, float]:
        return -np.inf, np.inf  # its outcomes pay what they like

    def belief(self, problem: BAMDP) -> WorldsBelief:
        if self.is_sampled:
            return ParticlesBelief(problem, self)
        return WorldsBelief(problem, self, self.listed)

    def draw(self, rng: np.random.Generator) -> Any:
        """A world drawn from the prior."""
        rng = generator(rng)
        if self.is_sampled:
            return self.worlds(rng)
        return self.listed.worlds[rng.choice(len(self.initial_weights), p=self.initial_weights)]

    def domain(self, problem: BAMDP, world: Any) -> WorldDomain:
        """One of its worlds, to act in.

        Args:
            problem: a problem of this prior.
            world: the world, such as one of `worlds`.

        Example:
            >>> import bamdp
            >>> prior = Worlds([1, 2], lambda world, state, action: bamdp.Outcome(state + world))
            >>> problem = bamdp.BAMDP(prior, discount=0.5, start=0, actions=["go"])
            >>> domain = prior.domain(problem, 2)
            >>> next_state, reward = domain.step(problem.state(0), 0, np.random.default_rng(0))
            >>> prior.numbers[next_state].state
            2
        """
        return WorldDomain(problem, world, self.function)

    def rows(self, problem: BAMDP, listed: ListedWorlds) -> _core.WorldRows:
        """The rows of worlds; those of a list, which never change, are shared by all beliefs."""
        actions = problem.actions
        assert actions is not None  # of a problem with these worlds
        if listed is not self.listed:
            return self._new_rows(actions, listed)
        if actions not in self._rows:
            self._rows[actions] = self._new_rows(actions, listed)
        return self._rows[actions]

    def _new_rows(self, actions: Actions, listed: ListedWorlds) -> _core.WorldRows:
        function, count = self.function, len(listed.worlds)

        def row(world: int, number: int, action: int) -> Any:
            return function.row(listed.worlds[world], number, actions[action])

        def all_rows(world: int, number: int, action: int) -> Any:
            return function.rows(listed.together, count, number, actions[action])

        rows = _core.WorldRows(count, len(actions), all_rows if self.vectorised else row)
        considered = self.considered(actions)
        if considered is not None:
            rows.set_actions_in(considered)
        return rows

    def considered(self, actions: Actions) -> ConsideredActions | None:
        """The actions that are considered in a state by its number; None if all are."""
        if self.actions_in is None:
            return None
        if actions not in self._considered:
            self._considered[actions] = ConsideredActions(self.actions_in, self.numbers, actions)
        return self._considered[actions]

    @property
    def moves(self) -> Moves:
        """How particles are moved."""
        return Moves(self.draw, self.log_prior, self.move)

    @property
    def code(self) -> str:
        """The user's code, by the name of its function."""
        function = self.outcomes if self.outcomes is not None else self.listed.worlds[0]
        return f"the function {name_of(function)} of bamdp.priors.Worlds"

    def __repr__(self) -> str:
        what = "particles" if self.is_sampled else "worlds"
        name = "" if self.outcomes is None else f", {name_of(self.outcomes)}"
        return f"Worlds({len(self.listed.worlds)} {what}{name})"


@state_numbers.register
def _(prior: Worlds) -> StateNumbers:
    return prior.numbers


@draw_world.register
def _(prior: Worlds, problem: BAMDP, rng: np.random.Generator) -> WorldDomain:
    return prior.domain(problem, prior.draw(rng))


@actions_in.register
def _(prior: Worlds, problem: BAMDP) -> ConsideredActions | None:
    assert problem.actions is not None
    return prior.considered(problem.actions)
