"""Beliefs over worlds that are the user's functions, by weights."""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bamdp import _core
from bamdp.prior import Belief, has_policy
from bamdp.priors._worlds_list import ListedWorlds, columns_of, number_columns
from bamdp.priors._worlds_rows import checked_value, name_of
from bamdp.priors._worlds_states import Outcome, StateNumbers
from bamdp.spaces import action_name, describe_state
from bamdp.state import Held
from bamdp.steps import Step, Steps
from bamdp.validation import (
    SeedLike,
    generator,
    integer_seed,
    positive_integer,
    require,
    short_repr,
)

if TYPE_CHECKING:
    from bamdp.priors.worlds import Worlds
    from bamdp.problem import BAMDP

Array = NDArray[np.float64]


class ParameterEstimate(NamedTuple):
    """What is known of a number: its mean, and the central interval of 95 %."""

    mean: float
    low: float
    high: float

    @classmethod
    def of(cls, values: Array, weights: Array) -> ParameterEstimate:
        """Of weighted values. [M]"""
        order = np.argsort(values)
        below = np.cumsum(weights[order])
        low, high = values[order][np.searchsorted(below, np.array([0.025, 0.975]) * below[-1])]
        return cls(float(weights @ values), float(low), float(high))


class Summary(dict[str, ParameterEstimate]):
    """What is known of each parameter, by its name; printed as a table."""

    def __str__(self) -> str:
        if not self:
            return "no parameters: worlds are no numbers; `weights` has their probabilities"
        wide = max(9, *map(len, self))
        lines = [f"{'parameter':{wide}}  {'mean':>9}  95 % interval"]
        for name, of in self.items():
            lines.append(f"{name:{wide}}  {of.mean:>9.4g}  {of.low:.4g} to {of.high:.4g}")
        return "\n".join(lines)


class SimulatedBelief:
    """What a policy of the user's sees of the belief in a simulation.

    Attributes:
        worlds: the worlds. [M]
    """

    def __init__(self, worlds: list[Any], native: _core.SimulatedBelief) -> None:
        self.worlds, self._native = worlds, native

    @property
    def weights(self) -> Array:
        """The probability of each world. [M]"""
        return self._native.weights

    @property
    def likeliest(self) -> Any:
        """The most probable world."""
        return self.worlds[int(self.weights.argmax())]


class PolicyCall:
    """A policy of the user's, as the core calls it.

    Args:
        policy: `policy(belief, state, rng)` returns an action.
        listed: the worlds.
        numbers: numbers of the states.
        actions: the actions.
        considered: those that are considered in a state, by its number; None for all.
    """

    def __init__(
        self,
        policy: Callable[..., Any],
        listed: ListedWorlds,
        numbers: StateNumbers,
        actions: tuple[Hashable, ...],
        considered: Callable[[int], list[int]] | None,
    ) -> None:
        self._policy, self._listed, self._numbers = policy, listed, numbers
        self._names, self._considered = actions, considered
        self._actions = {action: index for index, action in enumerate(actions)}

    def __call__(self, simulated: _core.SimulatedBelief, state: int, bits: int) -> int:
        belief, rng = SimulatedBelief(self._listed.worlds, simulated), np.random.default_rng(bits)
        name = self._numbers[state].state
        try:
            action = self._policy(belief, name, rng)
        except Exception as error:
            error.add_note(f"raised in the call {name_of(self._policy)} in state {name!r}")
            raise
        try:
            index = self._actions[action]
        except (KeyError, TypeError):
            index = -1
        accepted = range(len(self._names)) if self._considered is None else self._considered(state)
        if index not in accepted:
            names = tuple(self._names[a] for a in accepted)
            raise ValueError(
                f"{name_of(self._policy)} must return one of the actions {short_repr(names)} in "
                f"state {name!r}, got {short_repr(action)}"
            )
        return index


class ValueCall:
    """A value of the user's, as the core calls it.

    Args:
        value: `value(world, state)`, what a world is worth to one who knows it.
        listed: the worlds.
        numbers: numbers of the states.
    """

    def __init__(
        self, value: Callable[[Any, Any], float], listed: ListedWorlds, numbers: StateNumbers
    ) -> None:
        self._value, self._listed, self._numbers = value, listed, numbers

    def __call__(self, world: int, state: int) -> float:
        return checked_value(self._value, self._listed.worlds[world], self._numbers[state].state)


class WorldsBelief(Belief):
    """A belief over worlds, by weights.

    Attributes:
        worlds: the worlds; `weights` has their probabilities. [M]
        rows: what may happen in each of them, in the core.
    """

    times_moved = 0  # how often particles were replaced
    state_attributes = ("_native", "_held")

    def __init__(self, problem: BAMDP, prior: Worlds, listed: ListedWorlds) -> None:
        self.problem, self._prior, self._listed = problem, prior, listed
        self.rows = prior.rows(problem, listed)
        self._native = _core.WorldsBelief(
            self.rows, prior.initial_weights, problem.num_states, True, True
        )
        if prior.policy is not None:
            assert problem.actions is not None
            considered = prior.considered(problem.actions)
            self._native.set_policy(
                PolicyCall(prior.policy, listed, prior.numbers, problem.actions, considered)
            )
        if prior.value is not None:
            self._native.set_value(ValueCall(prior.value, listed, prior.numbers))

    @property
    def worlds(self) -> list[Any]:
        return self._listed.worlds

    @property
    def weights(self) -> Array:
        """The posterior probability of each world. [M]"""
        return self._native.weights

    @property
    def native(self) -> tuple[Any, ...]:
        return (self._native,)

    @property
    def observations(self) -> int:
        """Number of steps observed."""
        return int(self._native.observations)

    def learn(self, step: Step) -> None:
        number = observed_number(self.problem, step.next_state, step.terminated)
        paid = math.nan if step.reward is None else step.reward
        ended = int(number < 0)
        if not self._native.observe(step.state, step.action, number, paid, ended):
            raise self._impossible(step.state, step.action, step.reward, number)

    def _check_numbers(self, steps: Steps) -> None:
        """Reject states that are no numbers of observations."""
        for name, column in (("states", steps.states), ("next_states", steps.next_states)):
            for number in np.unique(column).tolist():
                self._prior.numbers.checked(number, f"each of {name}")

    def _impossible(self, state: int, action: int, reward: float | None, number: int) -> ValueError:
        text, paid = self._prior.numbers.text, "" if reward is None else f" with reward {reward:g}"
        return ValueError(
            f"{text(number)}{paid} after action {action_name(self.problem, action)} in state "
            f"{text(state)} is impossible under the prior: no world that is left allows it"
        )

    def _learn_many(self, steps: Steps) -> None:
        """In one native call."""
        assert steps.terminated is not None
        self._check_numbers(steps)
        rewards = np.full(steps.size, np.nan) if steps.rewards is None else steps.rewards
        columns = zip(steps.next_states.tolist(), steps.terminated.tolist(), strict=True)
        numbers = np.array([observed_number(self.problem, *pair) for pair in columns], np.int64)
        row = self._native.observe_many(
            steps.states, steps.actions, rewards, numbers, (numbers < 0).astype(np.int64)
        )
        if row < steps.size:
            state, action = int(steps.states[row]), int(steps.actions[row])
            paid = None if steps.rewards is None else float(rewards[row])
            error = self._impossible(state, action, paid, int(numbers[row]))
            raise ValueError(f"row {row}: {error}")

    def draw(self, rng: np.random.Generator) -> int:
        """The index of a world drawn from the posterior."""
        return int(generator(rng).choice(len(self.worlds), p=self.weights))

    def outcomes(self, state: Hashable, action: Hashable) -> list[Outcome]:
        """What may happen after an action, with the world integrated out.

        Args:
            state: the state, as the user's function has it.
            action: the action, likewise.
        """
        numbers, actions = self._prior.numbers, self.problem.actions
        assert actions is not None
        row = self._native.mean_row(numbers.number(state), actions.index(action))
        return [
            Outcome(numbers[number].state, reward, end, numbers[number].seen, p)
            for number, _, end, p, reward in row
        ]

    @property
    def likeliest(self) -> Any:
        """The most probable world."""
        return self.worlds[int(self.weights.argmax())]

    @property
    def rolls_out(self) -> bool:
        """Whether the user has a policy for roll-outs."""
        return self._prior.policy is not None

    @property
    def has_value(self) -> bool:
        """Whether the user has a function for what a world is worth."""
        return self._prior.value is not None

    def value(self, world: int, state: int) -> float:
        """What a world is worth to one who knows it, by the user's function.

        Args:
            world: index of the world.
            state: number of the state.
        """
        assert self._prior.value is not None
        return ValueCall(self._prior.value, self._listed, self._prior.numbers)(world, state)

    @property
    def effective_sample_size(self) -> float:
        """The number of worlds of equal weight that would be as many, 1 / Σ w²."""
        return float(1 / (self.weights**2).sum())

    @property
    def parameters(self) -> dict[str, ParameterEstimate]:
        """The posterior mean and 95 % interval of each parameter, where worlds have names for
        their numbers; else none.
        """
        return estimates_of(columns_of(self.worlds), self.weights)

    def summary(self) -> Summary:
        """The posterior mean and 95 % interval of each parameter by its name; of worlds that are
        numbers without a name, of `world`. None for other worlds.

        Example:
            >>> import bamdp
            >>> draws = {"rate": [0.1, 0.2, 0.4], "size": [3.0, 3.0, 5.0]}
            >>> def outcomes(world, state, action):
            ...     return [bamdp.Outcome("hit", 1.0, probability=world.rate),
            ...             bamdp.Outcome("miss", probability=1 - world.rate)]
            >>> problem = bamdp.BAMDP(bamdp.priors.Worlds(draws, outcomes), discount=0.9,
            ...     start="miss", actions=["try"])
            >>> belief = problem.belief()
            >>> belief.observe(problem.state("miss"), 0, 1.0, problem.state("hit"))
            >>> print(belief.summary())
            parameter       mean  95 % interval
            rate             0.3  0.1 to 0.4
            size           4.143  3 to 5
        """
        return estimates_of(number_columns(self.worlds), self.weights)

    def to_inferencedata(self, draws: int = 1000, *, chains: int = 4, seed: SeedLike = 0) -> Any:
        """Draws of the parameters from the posterior and from the prior, for ArviZ: an
        `InferenceData`, from ArviZ 1 on a `DataTree`. Needs the extra `arviz`.

        Worlds are drawn independently by their weights, the same ones more than once where few are
        left: `effective_sample_size` says how many they are.

        Args:
            draws: number of draws of each chain.
            chains: number of chains.
            seed: seed of the draws.

        Raises:
            TypeError: worlds are no numbers.
        """
        draws = positive_integer("draws", draws, 10**6)
        chains = positive_integer("chains", chains, 1000)
        rng = np.random.default_rng(integer_seed(seed))
        groups = {}
        for group, worlds, weights in (
            ("posterior", self.worlds, self.weights),
            ("prior", self._prior.listed.worlds, self._prior.initial_weights),
        ):
            columns = number_columns(worlds)
            if not columns:
                raise TypeError(
                    "worlds must be numbers, or have names for numbers, for to_inferencedata(), "
                    f"got {short_repr(worlds[0])}; `weights` has their probabilities"
                )
            index = rng.choice(len(worlds), size=(chains, draws), p=weights)
            groups[group] = {name: values[index] for name, values in columns.items()}
        arviz = require("arviz", "to_inferencedata() needs ArviZ", "arviz")
        if hasattr(arviz, "InferenceData"):  # before ArviZ 1
            return arviz.from_dict(**groups)
        return arviz.from_dict(groups)

    def _captured(self) -> Any:
        """What copies share of the user's own objects."""

    def _for_file(self) -> Any:
        """The same of plain values."""

    def _restore(self, captured: Any) -> None:
        """The inverse of `_captured` and of `_for_file`."""

    @property
    def _held(self) -> Held:
        """For `bamdp.state`: a file can't hold it."""
        return Held(self._prior.code, self._captured(), self._for_file)

    @_held.setter
    def _held(self, held: Held) -> None:
        self._restore(held.value)

    def __deepcopy__(self, memo: dict[int, Any]) -> WorldsBelief:
        fresh = type(self)(self.problem, self._prior, self._listed)
        fresh._native.restore(self._native.state())
        return fresh

    def __repr__(self) -> str:
        return f"<belief over {len(self.worlds)} worlds after {self.observations} observations>"


def observed_number(problem: BAMDP, next_state: int, terminated: bool | None) -> int:
    """The number of what was observed, with whether the episode ended."""
    if terminated is None:
        raise TypeError(
            "terminated must be True or False with bamdp.priors.Worlds, whose outcomes say "
            "where episodes end, got None"
        )
    if next_state < 0 and not terminated:
        raise ValueError(
            "terminated must be True after an outcome that is done, got False with "
            f"next_state {describe_state(problem, next_state)}"
        )
    return ~next_state if terminated and next_state >= 0 else next_state


def estimates_of(columns: dict[str, Array], weights: Array) -> Summary:
    """Of parameters that are numbers [M] or arrays [M, …], entry by entry."""
    summary = Summary()
    for name, values in columns.items():
        for place in np.ndindex(values.shape[1:]):
            entry = f"{name}[{', '.join(map(str, place))}]" if place else name
            summary[entry] = ParameterEstimate.of(values[(slice(None), *place)], weights)
    return summary


def world_text(world: Any) -> str:
    """A world as people read it: a function by its name."""
    return name_of(world) if callable(world) else short_repr(world)


@has_policy.register
def _(belief: WorldsBelief) -> bool:
    return belief.rolls_out
