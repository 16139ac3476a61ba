"""Beliefs over worlds whose steps are drawn, and a world of them to act in; see
`_worlds_compiled`.
"""

from __future__ import annotations

from collections import Counter
from threading import get_ident
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from bamdp import _core
from bamdp.hooks import Generator
from bamdp.prior import Belief
from bamdp.priors._worlds_belief import Summary, estimates_of, observed_number
from bamdp.priors._worlds_compiled import CompiledFunctions
from bamdp.priors._worlds_list import columns_of, like
from bamdp.priors._worlds_moves import moved, resampled, warn_if_few
from bamdp.priors.world_domain import WorldDomain
from bamdp.spaces import action_name, describe_state
from bamdp.state import Held
from bamdp.steps import Step
from bamdp.validation import generator, integer

if TYPE_CHECKING:
    from bamdp.priors.worlds import Worlds
    from bamdp.problem import BAMDP

Array = NDArray[np.float64]


class CompiledStep(NamedTuple):
    """A step by which worlds are weighted."""

    state: int
    action: int
    reward: float
    next_state: int


class StepLikelihood:
    """The log-likelihood of counted steps, of worlds as the user has them.

    Args:
        functions: the user's functions.
        counts: how often each step was observed.
    """

    def __init__(self, functions: CompiledFunctions, counts: Counter[CompiledStep]) -> None:
        self._functions, self._counts = functions, counts

    def __call__(self, world: Any) -> float:
        """Of one world; −∞ if a step is impossible there."""
        return float(self.of([world])[0])

    def of(self, worlds: list[Any]) -> Array:
        """Of several worlds."""
        rows = np.array([self._functions.row(world) for world in worlds])
        total = np.zeros(len(worlds))
        with np.errstate(divide="ignore"):
            for step, count in self._counts.items():
                total += count * np.log(self._functions.likelihoods(rows, np.empty(0), step))
        return total


class CompiledWorldsBelief(Belief):
    """A belief over worlds whose steps are drawn by the user's functions, by weights.

    Attributes:
        rows: the numbers of each world. [M, d]
        memory: what the steps so far have left behind; empty if there is no memory.
        times_moved: how often particles were replaced.
    """

    state_attributes: ClassVar[tuple[str, ...]] = (
        "_data",
        "_logarithms",
        "_counts",
        "_met",
        "_warned",
        "times_moved",
        "_held",
    )

    def __init__(self, problem: BAMDP, prior: Worlds) -> None:
        assert prior.functions is not None
        self.problem, self._prior, self._functions = problem, prior, prior.functions
        memory = self._functions.memory
        start = np.empty(0) if memory is None else memory
        rows = np.array([self._functions.row(world) for world in prior.listed.worlds])
        M = len(rows)
        self._data = np.concatenate([np.zeros(M), rows.ravel(), start.ravel()])
        self.rows = self._data[M : M + rows.size].reshape(rows.shape)
        self.memory = self._data[M + rows.size :].reshape(start.shape)
        with np.errstate(divide="ignore"):
            self._logarithms = np.log(prior.initial_weights)
        self._counts: Counter[CompiledStep] = Counter()
        self._warned, self.times_moved = 0, 0
        self._met = _core.VisitedStates(problem.num_states, problem.num_actions)
        self._update(self._logarithms)

    @property
    def worlds(self) -> list[Any]:
        """The worlds. [M]"""
        example = self._functions.example
        return [like(example, row.copy()) for row in self.rows]

    @property
    def weights(self) -> Array:
        """The posterior probability of each world. [M]"""
        return np.exp(self._logarithms)

    @property
    def effective_sample_size(self) -> float:
        """The number of different worlds of equal weight that would be as many."""
        _, same = np.unique(self.rows, axis=0, return_inverse=True)
        return float(1 / (np.bincount(same.ravel(), self.weights) ** 2).sum())

    @property
    def parameters(self) -> Summary:
        """The posterior mean and 95 % interval of each parameter, where worlds have names."""
        return estimates_of(columns_of(self.worlds), self.weights)

    @property
    def likeliest(self) -> Any:
        """The most probable world."""
        return like(self._functions.example, self.rows[int(self._logarithms.argmax())].copy())

    @property
    def observations(self) -> int:
        """Number of steps observed."""
        return int(self._met.observations)

    @property
    def native(self) -> tuple[Any, ...]:
        begin, step = self._prior.search_hooks(len(self.rows), self._data)
        scratch = np.zeros(1 + self.memory.size).tobytes()
        return self._met, _core.Hooks(
            begin.address, step.address, 0, self._data.ctypes.data, scratch, self._failed
        )

    def draw(self, rng: np.random.Generator) -> int:
        """The index of a world drawn from the posterior."""
        return int(generator(rng).choice(len(self.rows), p=self.weights))

    def learn(self, step: Step) -> None:
        state, action, reward, next_state, terminated = step
        if reward is None:
            raise TypeError("reward must be given: compiled worlds learn from whole steps")
        number = observed_number(self.problem, next_state, terminated)
        observed = CompiledStep(state, action, reward, number)
        self._met.observe(state, number, lambda: self._change(observed))

    def _change(self, step: CompiledStep) -> None:
        """Learn, while no search reads the array."""
        updated = self._weighted(step)
        if updated.max() == -np.inf:
            if not self._rescue(step):
                raise self._impossible(step)
            updated = self._weighted(step)
        if self._prior.observe is not None:
            before = self.memory.copy()
            try:
                self._prior.observe(self.memory, *step)
            except BaseException:
                self.memory[...] = before
                raise
        if self.memory.size == 0:
            self._counts[step] += 1
        self._update(updated)
        if self._prior.is_sampled and 1 / (self.weights**2).sum() < len(self.rows) / 2:
            self._move()

    def _weighted(self, step: CompiledStep) -> Array:
        with np.errstate(divide="ignore"):
            likelihoods = self._functions.likelihoods(self.rows, self.memory, step)
            return self._logarithms + np.log(likelihoods)

    def _update(self, logarithms: Array) -> None:
        """Put weights in the place of these."""
        weights = np.exp(logarithms - logarithms.max())
        with np.errstate(divide="ignore"):
            self._logarithms[...] = logarithms - logarithms.max() - np.log(weights.sum())
        self._data[: len(weights)] = np.cumsum(weights)

    def _move(self) -> None:
        """Resample the particles, and move them."""
        prior, M = self._prior, len(self.rows)
        rng = np.random.default_rng([prior.seed, self.observations + 1])
        if self._functions.move is None:
            likelihood = StepLikelihood(self._functions, self._counts)
            worlds = moved(self.worlds, self.weights, prior.moves, likelihood, rng)
            self._replace(worlds)
            self._warned = self._warned or int(warn_if_few(worlds))
        else:
            self.rows[...] = self.rows[resampled(self.weights, rng)]
            self._functions.move_all(self.rows, self.memory, bits(rng))
        self.times_moved += 1
        self._update(np.full(M, -np.log(M)))

    def _rescue(self, step: CompiledStep) -> bool:
        """Draw new particles for a step that no particle allows; whether one of them does."""
        prior, M = self._prior, len(self.rows)
        if not prior.is_sampled or self.memory.size:
            return False
        rng = np.random.default_rng([prior.seed, self.observations + 1, RESCUE])
        drawn = [prior.draw(rng) for _ in range(RESCUE * M)]
        values = StepLikelihood(self._functions, self._counts + Counter([step])).of(drawn)
        if values.max() == -np.inf:
            return False
        kept = [drawn[i] for i in resampled(np.exp(values - values.max()), rng, M)]
        self._replace(kept)
        # The step is still to be observed: then all have the same weight.
        self._update(-StepLikelihood(self._functions, Counter([step])).of(kept))
        self.times_moved += 1
        return True

    def _replace(self, worlds: list[Any]) -> None:
        self.rows[...] = [self._functions.row(world) for world in worlds]

    def _impossible(self, step: CompiledStep) -> ValueError:
        return ValueError(
            f"next_state {describe_state(self.problem, step.next_state)} with reward "
            f"{step.reward:g} after action {action_name(self.problem, step.action)} in state "
            f"{step.state} is impossible under the prior: no world that is left allows it"
        )

    def _failed(
        self,
        name: str,
        status: int,
        state: int,
        action: int,
        next_state: int,
        reward: float,
        rng: list[int],
        scratch: bytes,
    ) -> None:
        """Raise the error of a function: in Python, with its traceback."""
        begin, step = self._prior.search_hooks(len(self.rows), self._data)
        error = (begin if name == "begin" else step).errors.pop(get_ident(), None)
        left = np.frombuffer(bytearray(scratch))
        world = like(self._functions.example, self.rows[int(left[0])].copy())
        memory = None if self.memory.size == 0 else left[1:].reshape(self.memory.shape)
        self._functions.step_once(world, memory, state, action, np.array(rng, np.uint64))
        raise error or RuntimeError(f"step({world!r}, {state}, {action}) failed: {status}")

    @property
    def _held(self) -> Held:
        """For `bamdp.state`: a file can't hold it."""
        return Held(self._prior.code)

    @_held.setter
    def _held(self, held: Held) -> None:
        pass

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        fresh = type(self)(self.problem, self._prior)
        fresh._data[...] = self._data
        fresh._logarithms[...] = self._logarithms
        fresh._counts = Counter(self._counts)
        fresh._warned, fresh.times_moved = self._warned, self.times_moved
        fresh._met.restore(self._met.state())
        return fresh

    def __repr__(self) -> str:
        return f"<belief over {len(self.rows)} worlds after {self.observations} observations>"


RESCUE = 10  # draws for each particle, for a step that no particle allows


def bits(rng: np.random.Generator) -> Generator:
    """A state of the generator of `bamdp.hooks`."""
    return rng.integers(2**64, size=4, dtype=np.uint64)


class SteppedDomain(WorldDomain):
    """One world of a problem whose steps are drawn.

    Attributes:
        world: the world.
        memory: what the steps of the run have left behind; None if there is no memory.
    """

    def __init__(self, problem: BAMDP, world: Any, prior: Worlds) -> None:
        assert prior.functions is not None
        super().__init__(problem, world, prior.function)
        self._prior, self._functions = prior, prior.functions
        self.memory: Array | None = None
        self._counts: Counter[tuple[int, int]] = Counter()
        self._begin()

    def _begin(self) -> None:
        memory = self._functions.memory
        self.memory = None if memory is None else memory.copy()

    def __copy__(self) -> Self:
        twin = super().__copy__()
        twin._counts = Counter()
        twin._begin()
        return twin

    def reset(self, rng: np.random.Generator) -> int:
        self._begin()
        return self.start

    def step(self, state: int, action: int, rng: np.random.Generator) -> tuple[int, float]:
        action = integer("action", action, 0, self.num_actions - 1)
        if self._seed is not None:
            rng = self._stream(self._seed, state, action)
        return self._functions.step_once(self.world, self.memory, state, action, bits(rng))

    def _stream(self, seed: int, state: int, action: int) -> np.random.Generator:
        """The n-th outcome of a state and action."""
        self._counts[state, action] += 1
        place = (state % 2**64, action, self._counts[state, action])
        return np.random.default_rng([seed, *place])

    def request(self, world: int, state: int, action: int) -> Any:
        raise TypeError(
            "worlds with step and likelihood can't be solved, as their outcomes are not listed; "
            "BAMCP and Random work there"
        )
