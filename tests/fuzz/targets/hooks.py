"""Coverage-guided: user functions of Lazy, Sampled and Compiled that return garbage.

What comes is an error that says so, and an agent that plans again as soon as the functions are right.
"""

from collections.abc import Callable
from typing import Any

import atheris
import numpy as np

from bamdp import BAMDP
from bamdp.agents import BAMCP
from bamdp.priors import Compiled, Lazy, Sampled
from fuzz.targets.instrument import fuzz

SEEDS = (b"\x00" * 40, b"\x01" * 40, b"\x02" * 40, bytes(range(64)))
S, A, BATCH = 3, 2, 2
KINDS = ("f8", "i8", "u8", "f4", "?", "c16", "U2", "O")


class OwnError(Exception):
    """What the user's code raises."""


class Source:
    """Values, right ones at first, from the fuzzer's bytes."""

    def __init__(self, data: bytes) -> None:
        self.bytes = atheris.FuzzedDataProvider(data)
        self.tame = False

    def mangled(self, right: Any) -> Any:
        """`right`, or something near it, or nothing like it."""
        if self.tame:
            return right
        match self.bytes.ConsumeIntInRange(0, 7):
            case 0:
                raise OwnError
            case 1:
                return self.scalar()
            case 2:
                return self.array()
            case 3:
                return tuple(self.scalar() for _ in range(self.bytes.ConsumeIntInRange(0, 5)))
            case 4:
                return tuple(self.array() for _ in range(self.bytes.ConsumeIntInRange(0, 4)))
            case 5 if isinstance(right, tuple):
                parts = list(right)
                parts[self.bytes.ConsumeIntInRange(0, len(parts) - 1)] = self.scalar()
                return tuple(parts)
            case 6 if isinstance(right, np.ndarray):
                right = right.copy()
                right.flat[self.bytes.ConsumeIntInRange(0, right.size - 1)] = self.bytes.ConsumeFloat()
        return right

    def scalar(self) -> Any:
        choices: list[Callable[[], Any]] = [
            self.bytes.ConsumeFloat,
            lambda: self.bytes.ConsumeInt(9),
            lambda: self.bytes.ConsumeIntInRange(-1, S),
            self.bytes.ConsumeBool,
            lambda: self.bytes.ConsumeUnicode(3),
            lambda: None,
            lambda: np.uint64(self.bytes.ConsumeIntInRange(0, 2**64 - 1)),
        ]
        return choices[self.bytes.ConsumeIntInRange(0, len(choices) - 1)]()

    def array(self) -> Any:
        shape = [self.bytes.ConsumeIntInRange(0, 3) for _ in range(self.bytes.ConsumeIntInRange(0, 4))]
        kind = KINDS[self.bytes.ConsumeIntInRange(0, len(KINDS) - 1)]
        content = [self.bytes.ConsumeFloat() for _ in range(int(np.prod(shape)))]
        with np.errstate(all="ignore"):
            return np.array(content, dtype="f8").reshape(shape).astype(kind)


def priors(source: Source) -> list[Any]:
    class Posterior:
        def __init__(self, problem: BAMDP) -> None:
            pass

        def observe(self, state: int, action: int, reward: float | None, next_state: int, terminated: bool) -> None:
            source.mangled(None)

        def sample_row(self, state: int, action: int, rng: Any) -> Any:
            return source.mangled((np.arange(S), np.full(S, 1 / S), np.ones(S)))

        def sample(self, count: int, rng: Any) -> Any:
            return source.mangled(np.full((count, S, A, S), 1 / S))

    def step(belief: Any, scratch: Any, state: int, action: int, rng: Any) -> Any:
        return source.mangled((state, 1.0, False, 0))

    return [Lazy(Posterior), Sampled(Posterior, BATCH), Compiled(step, compile=False)]


def one(data: bytes) -> None:
    """One agent, some calls with functions gone wild, then some with tame ones."""
    source = Source(data)
    source.tame = True
    prior = priors(source)[source.bytes.ConsumeIntInRange(0, 2)]
    agent = BAMCP(BAMDP(prior, np.ones((S, A)), 0.9), simulations=3, depth=4, trees=1 + source.bytes.ConsumeBool(), threads=1)
    source.tame = False
    for _ in range(3):
        try:
            plan = agent.plan(0)
            assert np.isfinite(plan.q_values).all()
            agent.observe(0, plan.action, 1.0, 1)
        except (TypeError, ValueError, OwnError):
            pass
    source.tame = True
    plan = agent.plan(0)
    assert plan.visits.sum() == 3
    assert np.isfinite(plan.q_values).all()


if __name__ == "__main__":
    fuzz(one, "bamdp.priors")
