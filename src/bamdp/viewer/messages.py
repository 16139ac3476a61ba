"""What a page asks for.

| message                                  | meaning                               |
|------------------------------------------|---------------------------------------|
| `{"type": "play"}`, `"pause"`, `"step"`  | play, pause, take one step            |
| `{"type": "speed", "value": 5}`          | steps per second                      |
| `{"type": "simulations", "value": 2000}` | per decision                          |
| `{"type": "start", "value": 3}`          | a new run with this seed              |
| `{"type": "go", "value": 120}`           | play to this step, as fast as it goes |
| `{"type": "film"}`                       | a film of the run so far              |

What comes from the network can't be trusted: `parse` checks all of it.
"""

import json
from collections.abc import Callable
from typing import Any, NamedTuple

from bamdp.validation import integer, one_of, real

MOST_BYTES = 1024  # of one message
FASTEST = 1000.0  # steps per second
MOST_SIMULATIONS = 1_000_000
LARGEST_SEED = 2**53 - 1  # the largest whole number that a page can name


class MessageError(ValueError):
    """An invalid message; the error is shown on the page."""


class Message(NamedTuple):
    """What a page asks for."""

    type: str
    value: Any = None


def _speed(value: Any) -> float:
    if isinstance(value, bool | str):
        raise TypeError(f"value must be a number, got {value!r}")
    return real("value", value, 0.1, FASTEST)


VALUES: dict[
    str, Callable[[Any], Any] | None
] = {  # how the value of a message is checked, if it has one
    "play": None,
    "pause": None,
    "step": None,
    "film": None,
    "speed": _speed,
    "simulations": lambda value: integer("simulations", value, 1, MOST_SIMULATIONS),
    "start": lambda value: integer("seed", value, 0, LARGEST_SEED),
    "go": lambda value: integer("step", value, 0, LARGEST_SEED),
}


def parse(text: str | bytes | None) -> Message:
    """The message that `text` is; a `MessageError` if it is invalid.

    Example:
        >>> parse('{"type": "speed", "value": 5}')
        Message(type='speed', value=5.0)
    """
    if not isinstance(text, str):
        raise MessageError("a message must be text, not binary")
    if len(text.encode("utf-8", "replace")) > MOST_BYTES:
        raise MessageError(f"a message must have at most {MOST_BYTES} bytes")
    try:
        data = json.loads(text)
    except (ValueError, RecursionError):
        raise MessageError("a message must be JSON") from None
    if not isinstance(data, dict):
        raise MessageError("a message must be a JSON object")
    try:
        kind = one_of("type", data.pop("type", None), tuple(VALUES))
        check = VALUES[kind]
        if list(data) != ([] if check is None else ["value"]):
            raise ValueError(
                f"a message of type {kind!r} must have a "
                f"type{'' if check is None else ', a value'} and nothing else"
            )
        return Message(kind) if check is None else Message(kind, check(data["value"]))
    except (TypeError, ValueError, OverflowError) as error:
        raise MessageError(str(error)) from None
