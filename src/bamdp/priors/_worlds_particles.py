"""Beliefs over worlds that are drawn: particles, which are resampled and moved."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from bamdp.priors._worlds_belief import WorldsBelief, observed_number
from bamdp.priors._worlds_list import ListedWorlds
from bamdp.priors._worlds_moves import (
    Likelihood,
    ObservedStep,
    moved,
    resampled,
    warn_if_few,
)
from bamdp.steps import Step, Steps, learn_all

if TYPE_CHECKING:
    from bamdp.priors.worlds import Worlds
    from bamdp.problem import BAMDP

RESCUE = 10  # draws for each particle, for a step that no particle allows


class ParticlesBelief(WorldsBelief):
    """A belief over worlds that are drawn from the prior, by weighted particles.

    Attributes:
        worlds: the particles; `weights` has their probabilities. [M]
    """

    def __init__(self, problem: BAMDP, prior: Worlds) -> None:
        super().__init__(problem, prior, ListedWorlds(prior.listed.worlds))
        self._counts: Counter[ObservedStep] = Counter()
        self._has_warned = False

    @property
    def effective_sample_size(self) -> float:
        """The number of different worlds of equal weight that would be as many."""
        weights: dict[int, float] = {}
        for world, weight in zip(self.worlds, self.weights.tolist(), strict=True):
            weights[id(world)] = weights.get(id(world), 0.0) + weight
        return 1 / sum(weight**2 for weight in weights.values())

    def learn(self, step: Step) -> None:
        base = self._prior.numbers.base(step.state)
        number = observed_number(self.problem, step.next_state, step.terminated)
        observed = ObservedStep(base, step.action, number, step.reward)
        try:
            super().learn(step)
        except ValueError:
            if not self._rescue(observed):
                raise
            super().learn(step)
        self._counts[observed] += 1
        if 1 / (self.weights**2).sum() < len(self.worlds) / 2:
            self._move()

    def _learn_many(self, steps: Steps) -> None:
        """One by one: particles move in between."""
        self._check_numbers(steps)
        learn_all(self.learn, steps, self._undo())

    def _undo(self) -> Callable[[], None]:
        return partial(self._restore, self._captured())

    def _likelihood(self, counts: Counter[ObservedStep]) -> Likelihood:
        prior, actions = self._prior, self.problem.actions
        assert actions is not None
        return Likelihood(prior.function, actions, prior.vectorised, counts)

    def _move(self) -> None:
        """Resample the particles, and move them."""
        prior = self._prior
        rng = np.random.default_rng([prior.seed, self.observations])
        worlds = moved(self.worlds, self.weights, prior.moves, self._likelihood(self._counts), rng)
        self._replace(worlds, np.full(len(worlds), 1 / len(worlds)))
        if not self._has_warned:
            self._has_warned = warn_if_few(worlds)

    def _rescue(self, step: ObservedStep) -> bool:
        """Draw new particles for a step that no particle allows; whether one of them does."""
        prior, count = self._prior, len(self.worlds)
        rng = np.random.default_rng([prior.seed, self.observations, RESCUE])
        drawn = [prior.draw(rng) for _ in range(RESCUE * count)]
        values = self._likelihood(self._counts + Counter([step])).of(drawn)
        if values.max() == -np.inf:
            return False
        kept = [drawn[i] for i in resampled(np.exp(values - values.max()), rng, count)]
        # The step is still to be observed: then all have the same weight.
        last = self._likelihood(Counter([step])).of(kept)
        self._replace(kept, np.exp(-last) / np.exp(-last).sum())
        return True

    def _replace(self, worlds: list[Any], weights: NDArray[np.float64]) -> None:
        """Put other worlds in the place of the particles."""
        self.times_moved += 1
        for m, (old, new) in enumerate(zip(self.worlds, worlds, strict=True)):
            if new is not old:
                self.rows.forget(m)
        self._listed.replace(worlds)
        self._native.set_weights(weights)

    def _captured(self) -> Any:
        return list(self.worlds), Counter(self._counts), self._has_warned, self._native.state()

    def _for_file(self) -> Any:
        different = {id(world): world for world in self.worlds}
        place = {name: i for i, name in enumerate(different)}
        which = np.array([place[id(world)] for world in self.worlds])
        native = np.frombuffer(self._native.state(), np.uint8)
        steps = [(tuple(step), count) for step, count in self._counts.items()]
        return dict(enumerate(different.values())), which, steps, self._has_warned, native

    def _restore(self, captured: Any) -> None:
        if len(captured) == 5:  # of a file
            different, which, steps, has_warned, native = captured
            form = getattr(type(self._prior.listed.worlds[0]), "_make", lambda world: world)
            named = {i: form(world) for i, world in different.items()}
            worlds = [named[i] for i in which.tolist()]
            counts = {ObservedStep(*step): count for step, count in steps}
            captured = worlds, counts, has_warned, native.tobytes()
        worlds, counts, self._has_warned, native = captured
        self._replace(worlds, self._native.weights)
        self._counts = Counter(counts)
        self._native.restore(native)

    def __deepcopy__(self, memo: dict[int, Any]) -> ParticlesBelief:
        fresh = ParticlesBelief(self.problem, self._prior)
        fresh._restore(self._captured())
        return fresh

    def __repr__(self) -> str:
        return (
            f"<belief over {len(self.worlds)} particles, effective sample size "
            f"{self.effective_sample_size:.0f}, after {self.observations} observations>"
        )
