"""Numbers for states that are anything hashable, and for what is seen in them."""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from threading import Lock
from typing import Any, NamedTuple

from bamdp.validation import integer, short_repr


class Outcome(NamedTuple):
    """What may happen after an action.

    Attributes:
        state: the next state, anything hashable.
        reward: the reward of the step.
        done: whether the step ends the episode.
        seen: an observation that is no state, anything hashable: a hit, an answer, what a map
            shows. Agents learn from it, and the state is the same with and without it.
        probability: the probability of the outcome.

    Example:
        >>> Outcome("hall", reward=-1.0, seen="a noise", probability=0.5)
        Outcome(state='hall', reward=-1.0, done=False, seen='a noise', probability=0.5)
    """

    state: Hashable
    reward: float = 0.0
    done: bool = False
    seen: Hashable = None
    probability: float = 1.0


class Observation(NamedTuple):
    """What an agent sees after a step: the state, and what it has seen there."""

    state: Hashable
    seen: Hashable = None


class EndedStates(frozenset[int]):
    """The terminal states of worlds that are functions: observations that end an episode, whose
    numbers are negative. They are met as they come, so that none is listed.
    """

    def __contains__(self, number: object) -> bool:
        return isinstance(number, int) and number < 0


class StartNumber(int):
    """The number of a start state, which is no state itself, when a problem is made from another
    one's fields.
    """


class StateNumbers:
    """Numbers of observations, 0, 1, …, in the order in which they are met.

    The number n of an observation that ends the episode is ~n, which is negative. The base of an
    observation is the number of its state, with nothing seen.
    """

    def __init__(self) -> None:
        self._numbers: dict[Observation, int] = {}
        self._observations: list[Observation] = []
        self._bases: list[int] = []
        self._lock = Lock()

    ended = EndedStates()

    def number(self, state: Hashable, seen: Hashable = None) -> int:
        """The number of an observation; a new one if it is met for the first time.

        Raises:
            TypeError: it can't be hashed.
        """
        observation = Observation(state, seen)
        try:
            known = self._numbers.get(observation)
        except TypeError:
            raise TypeError(
                "states and what is seen must be hashable, such as numbers, strings and tuples of "
                f"these, got {short_repr(state if seen is None else (state, seen))}"
            ) from None
        return self._enter(observation) if known is None else known

    def start(self, state: Hashable) -> StartNumber:
        """The number of a start state; itself if it is one."""
        return state if isinstance(state, StartNumber) else StartNumber(self.number(state))

    def _enter(self, observation: Observation) -> int:
        base = None if observation.seen is None else self.number(observation.state)
        with self._lock:
            number = self._numbers.setdefault(observation, len(self._observations))
            if number == len(self._observations):
                self._observations.append(observation)
                self._bases.append(number if base is None else base)
        return number

    def known(self, state: Hashable, seen: Hashable = None) -> int | None:
        """The number of an observation; None if it was never met."""
        return self._numbers.get(Observation(state, seen))

    def base(self, number: int) -> int:
        """The number of the state in which an observation was made."""
        return self._bases[number]

    def __getitem__(self, number: int) -> Observation:
        """The observation with this number, whether it ends the episode or not."""
        return self._observations[~number if number < 0 else number]

    def __len__(self) -> int:
        return len(self._observations)

    def __iter__(self) -> Iterator[Observation]:
        """The observations, by number."""
        return iter(self._observations[:])

    def checked(self, value: Any, name: str = "state") -> int:
        """`value`, if it is the number of an observation."""
        number = integer(name, value, -(2**63), 2**63 - 1)
        if not -len(self) <= number < len(self):
            raise ValueError(
                f"{name} must be the number of a state, which problem.state(...) gives, got "
                f"{short_repr(value)}"
            )
        return number

    def text(self, number: int) -> str:
        """An observation, by its own `repr`."""
        state, seen = self[number]
        parts = [repr(state)]
        if seen is not None:
            parts.append(f"seen {seen!r}")
        if number < 0:
            parts.append("done")
        return ", ".join(parts)
