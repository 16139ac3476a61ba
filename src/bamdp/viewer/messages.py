"""The messages of a page. Everything is checked here: what comes from the network can't be trusted.

| message                                        | meaning                                    |
|------------------------------------------------|--------------------------------------------|
| `{"type": "play"}`, `"pause"`, `"step"`        | play, pause, take one step                 |
| `{"type": "speed", "value": 5}`                | steps per second                           |
| `{"type": "simulations", "value": 2000}`       | per decision                               |
| `{"type": "start", "seed": 3, "prior": "name"}`| a new run                                  |
| `{"type": "go", "step": 120}`                  | play to this step, as fast as it goes      |
| `{"type": "compute_bounds"}`                          | compute upper bounds of the present values |
| `{"type": "film", "format": "webp"}`           | a film of the run so far                   |
"""

import json
from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple, NoReturn

from bamdp import validation
from bamdp.validation import integer, one_of, real
from bamdp.viewer.film import FORMATS
from bamdp.viewer.watched import LARGEST_SEED, MOST_SIMULATIONS

MOST_BYTES = 1024  # of one message
FASTEST = 1000.0  # steps per second


class MessageError(ValueError):
    """An invalid message; the error is shown on the page."""


class Message(NamedTuple):
    """What a page asks for; whether there is such a prior is checked when the run starts."""

    type: str
    values: dict[str, Any]


def _speed(value: Any) -> float:
    if isinstance(value, bool | str):
        raise TypeError(f"value must be a number, got {value!r}")
    return real("value", value, 0.1, FASTEST)


CHECKS: dict[str, dict[str, Callable[[Any], Any]]] = {
    "play": {},
    "pause": {},
    "step": {},
    "compute_bounds": {},
    "speed": {"value": _speed},
    "simulations": {"value": lambda value: integer("simulations", value, 1, MOST_SIMULATIONS)},
    "start": {"seed": lambda value: integer("seed", value, 0, LARGEST_SEED), "prior": partial(validation.text, "prior")},
    "go": {"step": lambda value: integer("step", value, 0, LARGEST_SEED)},
    "film": {"format": lambda value: one_of("format", value, FORMATS)},
}


def parse(text: str | bytes | None) -> Message:
    """The message that `text` is; a `MessageError` if it is invalid.

    Example:
        >>> parse('{"type": "speed", "value": 5}')
        Message(type='speed', values={'value': 5.0})
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
        kind = one_of("type", data.pop("type", None), tuple(CHECKS))
        if data.keys() != CHECKS[kind].keys():
            keys = ", ".join(sorted({"type", *CHECKS[kind]}))
            raise ValueError(f"a message of type {kind!r} must have {keys} and nothing else")
        return Message(kind, {key: check(data[key]) for key, check in CHECKS[kind].items()})
    except (TypeError, ValueError, OverflowError) as error:
        raise MessageError(str(error)) from None


def _no_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not JSON")
