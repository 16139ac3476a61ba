"""Beliefs kept by the user's own object: the base of `Sampled` and `Lazy`."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, ClassVar, Protocol

import numpy as np

from bamdp import _core
from bamdp.prior import Belief
from bamdp.steps import Step, check_state
from bamdp.validation import integer, real

if TYPE_CHECKING:
    from bamdp.problem import BAMDP


class Posterior(Protocol):
    """The protocol of the user's object."""

    def observe(
        self, state: int, action: int, reward: float | None, next_state: int, terminated: bool
    ) -> None:
        """Learn from one real step."""


class PosteriorBelief(Belief):
    """A belief kept by the user's own object.

    Each tree of a search draws from its own object, so that results don't depend on the timing of
    threads even if a sampler has state (a Markov chain, for example).

    Attributes:
        posterior: the object; the first tree of a search draws from it too.
    """

    state_attributes: ClassVar[tuple[str, ...]] = ("_met", "_seen", "_generators")

    def __init__(self, problem: BAMDP, make: Callable[[BAMDP], Any], method: str) -> None:
        self.problem, self._make, self._method = problem, make, method
        self._met = _core.VisitedStates(self.problem.num_states, self.problem.num_actions)
        self._seen: list[Step] = []
        self._posteriors = [self._new()]
        self._generators: list[np.random.Generator] = []  # of the draws of each tree

    @property
    def posterior(self) -> Any:
        return self._posteriors[0]

    @property
    def observations(self) -> int:
        """Number of transitions observed."""
        return int(self._met.observations)

    def learn(self, step: Step) -> None:
        seen = step._replace(terminated=bool(step.terminated))
        self._met.observe(step.state, step.next_state, lambda: self._update_all(seen))

    def _undo(self) -> Callable[[], None]:
        count, visited = len(self._seen), self._met.state()

        def undo() -> None:
            del self._seen[count:]
            self._met.restore(visited)
            self._posteriors = [self._new() for _ in self._posteriors]

        return undo

    def _update_all(self, step: Step) -> None:
        try:
            for posterior in self._posteriors:
                posterior.observe(*step)
        except BaseException:
            self._posteriors = [self._new() for _ in self._posteriors]  # none may be half updated
            raise
        self._seen.append(step)

    @property
    def native(self) -> tuple[Any, ...]:
        """The states visited, and a function that makes the source of draws."""
        return self._met, self._source

    @abstractmethod
    def _source(self, seeds: list[list[int]]) -> _core.BatchSource | _core.RowSource:
        """The native source of draws, for a tree for each seed but the last."""

    def _new(self) -> Any:
        posterior = self._make(self.problem)
        for name in (self._method, "observe"):
            if not callable(getattr(posterior, name, None)):
                raise TypeError(
                    f"posterior must make an object with a method {name}, got "
                    f"{type(posterior).__name__}"
                )
        for step in self._seen:
            posterior.observe(*step)
        return posterior

    def _samplers(
        self, seeds: list[list[int]], sampler: Callable[[int, np.random.Generator], Any]
    ) -> Callable[[], Any]:
        """A function that returns the sampler of the next tree at each call."""
        while len(self._posteriors) < len(seeds) - 1:  # the last seed is for the decision
            self._posteriors.append(self._new())
        self._generators = [np.random.default_rng(seed) for seed in seeds[:-1]]
        samplers = (sampler(tree, rng) for tree, rng in enumerate(self._generators))
        return lambda: next(samplers)

    def check_state(self) -> None:
        """After loading: the user's objects are made again, from all observations."""
        if len(self._seen) != self.observations:
            raise ValueError(
                f"{len(self._seen)} steps must have been seen, got {self.observations}"
            )
        for state, action, reward, next_state, _ in self._seen:
            integer("action", action, 0, self.problem.num_actions - 1)
            check_state(self.problem, state)
            check_state(self.problem, next_state, "next_state")
            if reward is not None:
                real("reward", reward)
        self._posteriors = [self._new() for _ in self._posteriors]

    def __repr__(self) -> str:
        return f"<belief of {type(self.posterior).__name__} after {self.observations} observations>"
