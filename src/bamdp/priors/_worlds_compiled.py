"""Worlds with too many outcomes to list: the user draws a step and gives its likelihood.

    step(world, state, action, rng)                         -> (next_state, reward, done)
    likelihood(world, state, action, reward, next_state)    -> probability or density

Both are compiled by Numba. With a memory, an array of what steps leave behind, both have it after
`world`; `step` changes it, and each simulation begins with a copy of that of the real steps.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bamdp.hooks import Generator, uniform
from bamdp.priors._compile import Hook, check_randomness, hook
from bamdp.priors._worlds_list import like
from bamdp.priors._worlds_rows import name_of
from bamdp.validation import LARGEST_REWARD, UNBOUNDED, integer, short_repr

Array = NDArray[np.float64]
Function = Callable[..., Any]
REQUIRED = {
    "step": ("world", "state", "action", "rng"),
    "likelihood": ("world", "state", "action", "reward", "next_state"),
    "move": ("world", "rng"),
}
RETURNS = "(next_state, reward, done), an integer that is not negative, a float and a bool"


class IntegerStates:
    """States that are their own numbers, 0, 1, …; ~n, which is negative, is n at an end."""

    def __init__(self, ended: frozenset[int]) -> None:
        self.ended = ended

    def number(self, state: Any, seen: Any = None) -> int:
        """The number of a state: itself."""
        if seen is not None:
            raise TypeError(f"seen must be None where worlds are compiled, got {seen!r}")
        return self.start(state)

    def start(self, state: Any) -> int:
        """The number of a start state: itself."""
        return integer("state", state, 0, UNBOUNDED)

    def checked(self, value: Any, name: str = "state") -> int:
        """`value`, if it is a number."""
        return integer(name, value, -(2**63), 2**63 - 1)

    def text(self, number: int) -> str:
        """A state as people read it."""
        return f"{~number}, done" if number < 0 else str(number)


@dataclass(frozen=True)
class CompiledFunctions:
    """The user's functions of a world that is a row of numbers.

    Args:
        step: draws a step.
        likelihood: of a step.
        move: moves a world in place, only with a memory; None if there is none.
        example: a world, for its form.
        memory: what steps leave behind, at first; None if nothing.
        compile: whether the functions are compiled by Numba.
    """

    step: Function
    likelihood: Function
    move: Function | None
    example: Any
    memory: Array | None
    compile: bool

    def __post_init__(self) -> None:
        for name in ("step", "likelihood", "move"):
            function = getattr(self, name)
            if function is not None:
                check_arguments(name, function, self.memory is not None)
                check_randomness(name, function)

    def row(self, world: Any) -> Array:
        """The numbers of a world. [d]"""
        return np.atleast_1d(np.asarray(world, np.float64))

    def step_once(
        self, world: Any, memory: Array | None, state: int, action: int, rng: Generator
    ) -> tuple[int, float]:
        """One step, in Python; the state is negative if it ends the episode."""
        function = undecorated(self.step)
        text = f"{name_of(function)}({short_repr(world)}, {state}, {action})"
        parts = (world,) if memory is None else (world, memory)
        try:
            drawn = function(*parts, state, action, rng)
        except Exception as error:
            error.add_note(f"raised in the call {text}")
            raise
        return _checked_step(text, drawn)

    def likelihoods(self, rows: Array, memory: Array, step: tuple[int, int, float, int]) -> Array:
        """Of a step, (state, action, reward, next_state), in each world. [M]"""
        state, action, reward, next_state = step
        values: Array = self._loops[0](rows, memory, state, action, reward, next_state)
        wrong = np.flatnonzero(~((values >= 0) & np.isfinite(values)))
        if len(wrong):
            world = like(self.example, rows[wrong[0]])
            raise ValueError(
                f"{name_of(self.likelihood)}({short_repr(world)}, {state}, {action}, {reward:g}, "
                f"{next_state}) must return a finite number that is not negative, got "
                f"{values[wrong[0]]:g}"
            )
        return values

    def move_all(self, rows: Array, memory: Array, rng: Generator) -> None:
        """Move all worlds in place."""
        self._loops[1](rows, memory, rng)

    @property
    def _loops(self) -> tuple[Function, Function]:
        made = vars(self).get("_made_loops")
        if made is None:
            parts = (self.likelihood, self.move, self.example, self.memory is not None)
            made = (_compiled if self.compile else _plain)(_loops, *parts)
            vars(self)["_made_loops"] = made
        return made  # type: ignore[no-any-return]

    def hooks(self, count: int, data: Array) -> tuple[Hook, Hook]:
        """The functions `begin` and `step` of a search over `count` worlds in `data`.

        `data` is [count] cumulative weights, [count, d] worlds and the memory, all flat; the
        scratch of a search is the world that was drawn and a memory.
        """
        shape = None if self.memory is None else self.memory.shape
        size = 0 if self.memory is None else self.memory.size
        width = (len(data) - size) // count - 1
        parts = (self.step, self.example, count, width, shape)
        wrappers = _plain(_search_functions, *parts)
        scratch = np.zeros(1 + size)
        if not self.compile:
            made = (hook(n, f, data, scratch, compile=False) for n, f in _named(wrappers))
            return tuple(made)  # type: ignore[return-value]
        compiled = _compiled(_search_functions, *parts)
        return tuple(
            replace(hook(n, f, data, scratch, compile=True), function=slow)
            for (n, f), slow in zip(_named(compiled), wrappers, strict=True)
        )  # type: ignore[return-value]


def _named(functions: Sequence[Function]) -> Iterator[tuple[str, Function]]:
    return zip(("begin", "step"), functions, strict=True)


def check_arguments(name: str, function: Any, has_memory: bool) -> None:
    """Reject a function of other arguments."""
    import inspect

    world, *rest = REQUIRED[name]
    wanted = [world, *(["memory"] if has_memory else []), *rest]
    have = list(inspect.signature(undecorated(function)).parameters) if callable(function) else None
    if have is None or len(have) != len(wanted):
        what = short_repr(function) if have is None else f"a function of ({', '.join(have)})"
        raise TypeError(f"{name} must be a function of ({', '.join(wanted)}), got {what}")


def undecorated(function: Any) -> Function:
    """A function as it is in Python, of one that is compiled perhaps."""
    return getattr(function, "py_func", function)  # type: ignore[no-any-return]


def _checked_step(text: str, drawn: Any) -> tuple[int, float]:
    try:
        next_state, reward, done = drawn
        fits = isinstance(next_state, int | np.integer) and next_state >= 0
        paid = float(reward)
    except (TypeError, ValueError):
        fits, paid = False, 0.0
    if not fits or not isinstance(done, bool | np.bool_):
        raise TypeError(f"{text} must return {RETURNS}, got {short_repr(drawn)}")
    if not abs(paid) <= LARGEST_REWARD:
        raise ValueError(f"{text}: reward must be finite, got {paid:g}")
    return (~int(next_state) if done else int(next_state)), paid


# ---- functions for Numba, which run in Python too


def _plain(make: Function, function: Any, *rest: Any) -> Any:
    """Functions made of the user's, in Python."""
    parts = [undecorated(part) if callable(part) else part for part in (function, *rest)]
    return make(lambda f: f, _world_in_python, *parts)


def _compiled(make: Function, function: Any, *rest: Any) -> Any:
    """Functions made of the user's, by Numba."""
    try:
        from bamdp.priors import _compile_numba
    except ImportError as error:
        raise ImportError(
            "compiled worlds need Numba: pip install 'bamdp[numba]', or compile=False to run them "
            "slowly"
        ) from error
    return make(_compile_numba.jit, _compile_numba.world_of, function, *rest)


def _world_in_python(example: Any) -> Function:
    """A function that makes a world of its numbers."""
    if isinstance(example, tuple):
        make: Any = getattr(type(example), "_make", tuple)
        return lambda row: make(row.tolist())
    if np.ndim(example) == 0:
        return lambda row: float(row[0])
    return lambda row: row


def _search_functions(
    jit: Function,
    world_of: Function,
    step: Any,
    example: Any,
    count: int,
    width: int,
    shape: tuple[int, ...] | None,
) -> tuple[Function, Function]:
    world, step = world_of(example), jit(step)
    first, memories = count, count * (1 + width)

    def begin(belief: Any, scratch: Any, rng: Any) -> None:
        drawn = uniform(rng) * belief[count - 1]
        low, high = 0, count - 1
        while low < high:
            middle = (low + high) // 2
            if drawn < belief[middle]:
                high = middle
            else:
                low = middle + 1
        scratch[0] = low
        scratch[1:] = belief[memories:]

    def without_memory(belief: Any, scratch: Any, state: Any, action: Any, rng: Any) -> Any:
        at = first + int(scratch[0]) * width
        next_state, reward, done = step(world(belief[at : at + width]), state, action, rng)
        if next_state < 0:
            raise ValueError("next_state must not be negative")
        return ~next_state if done else next_state, float(reward), done

    def with_memory(belief: Any, scratch: Any, state: Any, action: Any, rng: Any) -> Any:
        at = first + int(scratch[0]) * width
        memory = scratch[1:].reshape(shape)
        next_state, reward, done = step(world(belief[at : at + width]), memory, state, action, rng)
        if next_state < 0:
            raise ValueError("next_state must not be negative")
        return ~next_state if done else next_state, float(reward), done

    return begin, without_memory if shape is None else with_memory


def _loops(
    jit: Function,
    world_of: Function,
    likelihood: Any,
    move: Any,
    example: Any,
    has_memory: bool,
) -> tuple[Function, Function]:
    world, likelihood = world_of(example), jit(likelihood)
    move = None if move is None else jit(move)

    def without_memory(
        rows: Any, memory: Any, state: int, action: int, reward: float, next_state: int
    ) -> Any:
        values = np.empty(len(rows))
        for m in range(len(rows)):
            values[m] = likelihood(world(rows[m]), state, action, reward, next_state)
        return values

    def with_memory(
        rows: Any, memory: Any, state: int, action: int, reward: float, next_state: int
    ) -> Any:
        values = np.empty(len(rows))
        for m in range(len(rows)):
            values[m] = likelihood(world(rows[m]), memory, state, action, reward, next_state)
        return values

    def move_all(rows: Any, memory: Any, rng: Any) -> None:
        for m in range(len(rows)):
            move(rows[m], memory, rng)

    moves = None if move is None else jit(move_all)
    return jit(with_memory if has_memory else without_memory), moves  # type: ignore[return-value]
