"""A prior written as two functions, at native speed: any structure, any posterior with samples,
unbounded domains.

    begin(belief, scratch, rng)                  start a simulation: draw what its steps share
    step(belief, scratch, state, action, rng)    -> (next_state, reward[, terminal[, key]])
    policy(belief, scratch, state, rng)          -> action; optional, for roll-outs

`belief` is an array learned from real steps, `scratch` is the memory of a simulation. Together the
first two must behave as one world drawn from the posterior: draw it in `begin`, or integrate it out
and keep counts in `scratch`. A policy that looks at these counts learns in the simulation.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from threading import get_ident
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bamdp import _core, validation
from bamdp.prior import Belief, Prior, ends_are_known, has_policy, policy_action
from bamdp.priors._compile import Hook, hook, native_function
from bamdp.steps import Step
from bamdp.validation import boolean

if TYPE_CHECKING:
    from bamdp.problem import BAMDP

NAMES = ("begin", "step", "policy")
Observe = Callable[[NDArray[Any], int, int, float, int], None]


class CompiledBelief(Belief):
    """A belief kept in the user's own array.

    Attributes:
        data: the array, learned from real steps.
    """

    state_attributes: ClassVar[tuple[str, ...]] = ("data", "_met")

    def __init__(self, problem: BAMDP, prior: Compiled) -> None:
        self.problem = problem
        self.data = np.array(prior.belief_array)
        self._prior = prior
        self._met = _core.VisitedStates(self.problem.num_states, self.problem.num_actions)

    @property
    def observations(self) -> int:
        """Number of steps observed."""
        return int(self._met.observations)

    def learn(self, step: Step) -> None:
        if step.reward is None:
            raise TypeError("reward must be given: a compiled prior learns from whole steps")
        # The user's function runs under the lock: no search reads a half changed array.
        self._met.observe(step.state, step.next_state, lambda: self._change(*step[:4]))

    def _change(self, *step: Any) -> None:
        """Call the user's function, while no search reads the array."""
        if self._prior.observe is None:
            return
        before = self.data.copy()
        try:
            self._prior.observe(self.data, *step)
        except BaseException:
            self.data[...] = before
            raise

    @property
    def native(self) -> tuple[Any, ...]:
        """The states visited, and the hooks with their array."""
        begin, step, policy = (made.address for made in self._prior.hooks)
        scratch = np.asarray(self._prior.scratch).tobytes()
        data = self.data.ctypes.data
        return self._met, _core.Hooks(begin, step, policy, data, scratch, self._failed)

    @property
    def rolls_out(self) -> bool:
        """Whether the user has a policy for roll-outs."""
        return self._prior.policy is not None

    def first_action(self, state: int, rng: np.random.Generator) -> int:
        """The action of the user's policy at the beginning of a simulation.

        Args:
            state: the current state.
            rng: makes the random numbers of `begin` and of the policy.
        """
        begin, _, policy = self._prior.hooks
        scratch = np.array(self._prior.scratch)
        bits = rng.integers(2**64, size=4, dtype=np.uint64)
        data, memory, generator = (part.ctypes.data for part in (self.data, scratch, bits))
        before = bits.tolist()
        if begin.address:
            status = native_function("begin", begin)(data, memory, generator)
            if status != 0:
                self._failed("begin", status, state, 0, 0, 0.0, before, scratch.tobytes())
        before = bits.tolist()
        action = int(native_function("policy", policy)(data, memory, state, generator))
        if not 0 <= action < self.problem.num_actions:
            status = min(action, 0)
            self._failed("policy", status, state, action, 0, 0.0, before, scratch.tobytes())
        return action

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
        """Raise the error of a hook: in Python, the user's own exception with its traceback."""
        failed = dict(zip(NAMES, self._prior.hooks, strict=True))[name]
        if (error := failed.errors.pop(get_ident(), None)) is not None:
            raise error
        call = {
            "begin": "begin",
            "step": f"step(state={state}, action={action})",
            "policy": f"policy(state={state})",
        }[name]
        if status in (0, 1) and name == "policy":
            raise ValueError(
                f"{call} gave the action {action}, which must be from 0 to "
                f"{self.problem.num_actions - 1}"
            )
        if status in (0, 1):
            if not abs(reward) <= validation.LARGEST_REWARD:
                accepts = (
                    f"at most {validation.LARGEST_REWARD:g} in size"
                    if np.isfinite(reward)
                    else "finite"
                )
                raise ValueError(f"{call} gave the reward {reward}, which must be {accepts}")
            raise ValueError(
                f"{call} gave next_state {next_state}, which must be from 0 to "
                f"{self.problem.num_states - 1}"
            )
        if failed.function is not None:
            template = np.asarray(self._prior.scratch)
            copy = np.frombuffer(bytearray(scratch), dtype=template.dtype).reshape(template.shape)
            arguments = {"begin": (), "step": (state, action), "policy": (state,)}[name]
            failed.function(
                self.data.copy(), copy, *arguments, np.array(rng, dtype=np.uint64)
            )  # raises, with a traceback
        raise RuntimeError(f"{call} failed with status {status}")

    def __repr__(self) -> str:
        return f"<compiled belief after {self.observations} observations>"


@dataclass(frozen=True, eq=False)
class Compiled(Prior):
    """Your own model as two functions, and perhaps a policy, compiled by Numba or from C.

    Args:
        step: `step(belief, scratch, state, action, rng)` returns (next_state, reward), optionally
            followed by `terminal`, a bool: whether next_state is terminal, and `key`, an integer:
            what the agent observes of this step, by default the next state and the reward; with a
            key, agents can't have `reuse_tree`. Random numbers come from `rng` by the functions of
            `bamdp.hooks`.
        begin: `begin(belief, scratch, rng)` starts a simulation and returns nothing; `scratch` is
            as left by the previous one.
        observe: `observe(belief, state, action, reward, next_state)` updates `belief` after a real
            step; plain Python.
        belief_array: initial value of `belief`, any array, plain or structured; each belief starts
            with a copy.
        scratch: initial value of `scratch`; each tree of a search has a copy.
        policy: `policy(belief, scratch, state, rng)` returns an action, for roll-outs of `BAMCP`
            and `BayesAdaptive`, and leaves `scratch` as it is.
        compile: compile the functions by Numba; False runs them in Python, slowly, for
            debugging, with the same results.

    Instead of a Python function, each of these may be a Numba cfunc, a ctypes function or the
    address of a C function, as an integer; core/models/user.hpp describes these functions.

    Raises:
        TypeError: arguments or return values of a function have other types than required, or it
            draws random numbers from `numpy.random` or `random`, which ignore the agent's seed.

    Example:
        >>> import bamdp
        >>> from bamdp.hooks import uniform
        >>> def step(belief, scratch, state, action, rng):
        ...     forward = uniform(rng) < belief[action] / belief.sum()
        ...     return (state + 1, 1.0) if forward else (state, 0.0)
        >>> prior = Compiled(step, belief_array=[1.0, 3.0], compile=False)
        >>> problem = bamdp.BAMDP(prior, rewards=np.empty((0, 2)), discount=0.5)
        >>> agent = bamdp.agents.BAMCP(problem, simulations=100)
        >>> agent.act(state=0)
        1
    """

    step: Any
    begin: Any = None
    observe: Observe | None = None
    belief_array: ArrayLike = (0.0,)
    scratch: ArrayLike = (0.0,)
    compile: bool = True
    policy: Any = None
    hooks: tuple[Hook, ...] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        if self.observe is not None and not callable(self.observe):
            raise TypeError(f"observe must be a function or None, got {self.observe!r}")
        for name in ("belief_array", "scratch"):
            object.__setattr__(self, name, _native_array(name, getattr(self, name)))
        belief, scratch = np.asarray(self.belief_array), np.asarray(self.scratch)
        compile = boolean("compile", self.compile)
        made = tuple(
            hook(name, getattr(self, name), belief, scratch, compile=compile) for name in NAMES
        )
        object.__setattr__(self, "hooks", made)

    def reward_range(self, rewards: NDArray[np.float64]) -> tuple[float, float]:
        return -np.inf, np.inf  # its steps pay what they like

    def belief(self, problem: BAMDP) -> CompiledBelief:
        return CompiledBelief(problem, self)

    def __reduce__(self) -> tuple[Any, ...]:
        """For pickle: the arguments; the hooks are compiled again when unpickled."""
        for name, made in zip(NAMES, self.hooks, strict=True):
            if made.address and made.function is None:
                raise TypeError(
                    f"{name} is native code of this process; what is a Python function can be "
                    "compiled elsewhere too"
                )
        return Compiled, (
            self.step,
            self.begin,
            self.observe,
            self.belief_array,
            self.scratch,
            self.compile,
            self.policy,
        )

    def __repr__(self) -> str:
        return f"Compiled({getattr(self.step, '__name__', self.step)})"


@ends_are_known.register
def _(prior: Compiled) -> bool:
    return False  # its steps end where they like


def _native_array(name: str, value: ArrayLike) -> NDArray[Any]:
    """`value` as a C-contiguous copy for native code."""
    try:
        array = np.array(value, order="C")
    except (TypeError, ValueError):
        raise TypeError(
            f"{name} must be an array of numbers, plain or structured, got {value!r}"
        ) from None
    if array.ndim == 0 or array.size == 0 or array.dtype.hasobject:
        raise TypeError(
            f"{name} must be an array of numbers, plain or structured, not empty, got {value!r}"
        )
    array.setflags(write=False)
    return array


@has_policy.register
def _(belief: CompiledBelief) -> bool:
    return belief.rolls_out


@policy_action.register
def _(belief: CompiledBelief, state: int, rng: np.random.Generator) -> int | None:
    return belief.first_action(state, rng) if belief.rolls_out else None
