"""The messages of a page. Everything is checked here: what comes from the network can't be trusted.

| message                                        | meaning                                    |
|------------------------------------------------|--------------------------------------------|
| `{"type": "play"}`, `"pause"`, `"step"`        | play, pause, take one step                 |
| `{"type": "speed", "value": 5}`                | steps per second                           |
| `{"type": "simulations", "value": 2000}`       | per decision                               |
| `{"type": "start", "seed": 3, "prior": "name"}`| a new run                                  |
| `{"type": "go", "step": 120}`                  | play to this step, as fast as it goes      |
| `{"type": "certify"}`                          | compute upper bounds of the present values |
| `{"type": "film", "format": "webp"}`           | a film of the run so far                   |
"""

import json
from dataclasses import dataclass
from typing import Any, NoReturn

from bamdp import _validation
from bamdp._validation import integer, one_of, real
from bamdp.viewer.film import FORMATS
from bamdp.viewer.watched import LARGEST_SEED, MOST_SIMULATIONS

MOST_BYTES = 1024  # of one message
FASTEST = 1000.0  # steps per second


class MessageError(ValueError):
    """An invalid message; the error is shown on the page."""


@dataclass(frozen=True)
class Order:
    """To play, to pause, to take one step, or to compute upper bounds."""

    name: str


@dataclass(frozen=True)
class Speed:
    """Steps per second from now on."""

    value: float


@dataclass(frozen=True)
class Simulations:
    """Simulations per decision from now on."""

    value: int


@dataclass(frozen=True)
class Start:
    """A new run; `prior` is checked when it starts."""

    seed: int
    prior: str


@dataclass(frozen=True)
class Go:
    """Play to a step; one that was taken already changes nothing."""

    step: int


@dataclass(frozen=True)
class Film:
    """A film of the run so far."""

    format: str


Message = Order | Speed | Simulations | Start | Go | Film

KEYS: dict[str, tuple[str, ...]] = {
    "play": (),
    "pause": (),
    "step": (),
    "certify": (),
    "speed": ("value",),
    "simulations": ("value",),
    "start": ("seed", "prior"),
    "go": ("step",),
    "film": ("format",),
}


def parse(text: str | bytes | None) -> Message:
    """The message that `text` is; a `MessageError` if it is invalid.

    Example:
        >>> parse('{"type": "speed", "value": 5}')
        Speed(value=5.0)
    """
    if not isinstance(text, str):
        raise MessageError("a message must be text, not binary")
    if len(text.encode("utf-8", "replace")) > MOST_BYTES:
        raise MessageError(f"a message must have at most {MOST_BYTES} bytes")
    try:
        data = json.loads(text, parse_constant=_no_constant)
    except (ValueError, RecursionError):
        raise MessageError("a message must be JSON") from None
    if not isinstance(data, dict):
        raise MessageError("a message must be a JSON object")
    try:
        return _message(data)
    except (TypeError, ValueError, OverflowError) as error:
        raise MessageError(str(error)) from None


def _message(data: dict[str, Any]) -> Message:
    kind = one_of("type", data.get("type"), tuple(KEYS))
    keys = {"type", *KEYS[kind]}
    if set(data) != keys:
        raise ValueError(f"a message of type {kind!r} must have {', '.join(sorted(keys))} and nothing else")
    if kind == "speed":
        return Speed(_number("value", data["value"]))
    if kind == "simulations":
        return Simulations(integer("simulations", data["value"], 1, MOST_SIMULATIONS))
    if kind == "start":
        return Start(integer("seed", data["seed"], 0, LARGEST_SEED), _validation.text("prior", data["prior"]))
    if kind == "go":
        return Go(integer("step", data["step"], 0, LARGEST_SEED))
    if kind == "film":
        return Film(one_of("format", data["format"], FORMATS))
    return Order(kind)


def _number(name: str, value: Any) -> float:
    if isinstance(value, bool | str):
        raise TypeError(f"{name} must be a number, got {value!r}")
    return real(name, value, 0.1, FASTEST)


def _no_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not JSON")
