"""What an object has learned, as JSON values and arrays, and back into a new one that was made with the same settings.

A class names the attributes that change while it learns, `learned`; those of its bases count too. Agents and domains name a
method, `learned_in`: a class that has its own version of it must have its own `learned`, too. An attribute may be a number, a
dictionary, an array, a generator, a native object (which has `state` and `restore`), or an object with a `learned` of its
own. What comes back in must be of the same kind and shape as what the new object has there. An object that knows more about
what is right has a method `check_learned`, which is called last; one that can't be saved at times has `check_can_be_saved`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from bamdp import _core
from bamdp.saving.archive import Arrays


def names(thing: Any) -> tuple[str, ...]:
    """The attributes that change while `thing` learns, those of its bases first.

    Raises:
        TypeError: its class, or one of its bases, doesn't say; or it can't be saved as it is.
    """
    if hasattr(thing, "check_can_be_saved"):
        thing.check_can_be_saved()
    classes = type(thing).__mro__[::-1]
    where = getattr(thing, "learned_in", "")
    silent = [cls for cls in classes if where in vars(cls) and not {"learned", "learned_in"} & set(vars(cls))]
    if silent or not any("learned" in vars(cls) for cls in classes):
        raise TypeError(f"{(silent or [type(thing)])[0].__name__} can't be saved: it doesn't name what it learns in `learned`")
    return tuple(dict.fromkeys(name for cls in classes for name in vars(cls).get("learned", ())))


def state_of(thing: Any, arrays: Arrays) -> dict[str, Any]:
    """What `thing` has learned, as JSON values; arrays go to `arrays`, and references take their places.

    Example:
        >>> from bamdp.agents import QLearning
        >>> agent = QLearning(num_states=2, num_actions=2, discount=0.9)
        >>> agent.observe(state=0, action=1, reward=2.0, next_state=1)
        >>> arrays = {}
        >>> state_of(agent, arrays)["_visits"]
        {'dict': [[{'tuple': [0, 1]}, 1]]}
    """
    return {name: _out(getattr(thing, name), arrays) for name in names(thing)}


def restore(thing: Any, state: Any, arrays: Arrays) -> None:
    """Make `thing`, which is new, what the one was that `state` is of; if that can't be, it is of no use any more.

    Raises:
        ValueError: `state` is not that of such a thing.
    """
    expected = names(thing)
    if not isinstance(state, dict) or set(state) != set(expected):
        raise ValueError(f"{type(thing).__name__} must have learned {', '.join(expected) or 'nothing'}")
    for name in expected:
        setattr(thing, name, _in(name, getattr(thing, name), state[name], arrays))
    if hasattr(thing, "check_learned"):
        thing.check_learned()


def encode(value: Any, arrays: Arrays) -> Any:
    """A value as JSON.

    Example:
        >>> encode((1, {2: None}), {})
        {'tuple': [1, {'dict': [[2, None]]}]}
    """
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if isinstance(value, np.generic):
        return encode(value.item(), arrays)
    if isinstance(value, np.ndarray):
        return {"array": _kept(value, arrays)}
    if isinstance(value, tuple | list):
        return {type(value).__name__: [encode(item, arrays) for item in value]}
    if isinstance(value, set | frozenset):
        return {"set": [encode(item, arrays) for item in sorted(value)]}
    if isinstance(value, dict):
        return _encode_dict(value, arrays)
    raise TypeError(f"{type(value).__name__} can't be saved, got {value!r}")


def decode(value: Any, arrays: Arrays) -> Any:
    """The value that `encode` has made JSON of.

    Example:
        >>> decode({"tuple": [1, {"dict": [[2, None]]}]}, {})
        (1, {2: None})
    """
    if not isinstance(value, dict):
        return value
    ((kind, inside),) = value.items()
    if kind == "array":
        return arrays[inside]
    if kind == "rows":
        keys, table = inside
        return {decode(key, arrays): row.copy() for key, row in zip(keys, arrays[table], strict=True)}
    if kind == "dict":
        return {decode(key, arrays): decode(item, arrays) for key, item in inside}
    make = {"tuple": tuple, "list": list, "set": frozenset}[kind]
    return make(decode(item, arrays) for item in inside)


def _kept(array: np.ndarray[Any, Any], arrays: Arrays) -> str:
    if array.dtype.kind not in "biuf":
        raise TypeError(f"an array of {array.dtype} can't be saved: it must be of numbers")
    name = f"{len(arrays)}"
    arrays[name] = array
    return name


def _encode_dict(value: dict[Any, Any], arrays: Arrays) -> Any:
    rows = list(value.values())
    if rows and all(isinstance(row, np.ndarray) and row.shape == rows[0].shape for row in rows):  # one array for all
        return {"rows": [[encode(key, arrays) for key in value], _kept(np.stack(rows), arrays)]}
    return {"dict": [[encode(key, arrays), encode(item, arrays)] for key, item in value.items()]}


def _is_native(value: Any) -> bool:
    return type(value).__module__ == _core.__name__ and hasattr(value, "restore")


def _out(value: Any, arrays: Arrays) -> Any:
    if isinstance(value, np.random.Generator):
        return encode(value.bit_generator.state, arrays)
    if _is_native(value):
        return encode(np.frombuffer(value.state(), np.uint8), arrays)
    if isinstance(value, np.ndarray) and value.dtype.kind == "V":  # structured: its bytes
        return encode(np.frombuffer(value.tobytes(), np.uint8), arrays)
    if isinstance(value, list) and value and isinstance(value[0], np.random.Generator):
        return [_out(item, arrays) for item in value]
    if hasattr(type(value), "learned"):
        return state_of(value, arrays)
    return encode(value, arrays)


def _in(name: str, new: Any, saved: Any, arrays: Arrays) -> Any:
    """`new`, the attribute of a new object, as it was saved."""
    if isinstance(new, np.random.Generator):
        new.bit_generator.state = decode(saved, arrays)
    elif _is_native(new):
        new.restore(decode(saved, arrays).tobytes())
    elif isinstance(new, np.ndarray):
        _fill(name, new, decode(saved, arrays))
    elif isinstance(new, list) and new and isinstance(new[0], np.random.Generator):
        for generator, state in zip(new, saved, strict=True):
            _in(name, generator, state, arrays)
    elif hasattr(type(new), "learned"):
        restore(new, saved, arrays)
    else:
        return _alike(name, new, decode(saved, arrays))
    return new


def _fill(name: str, new: np.ndarray[Any, Any], saved: Any) -> None:
    """In place: native code may know where it is."""
    if new.dtype.kind == "V" and saved.nbytes == new.nbytes:
        saved = np.frombuffer(saved.tobytes(), new.dtype).reshape(new.shape)
    if not isinstance(saved, np.ndarray) or saved.shape != new.shape or saved.dtype != new.dtype:
        raise ValueError(f"{name} must be an array of shape {new.shape} of {new.dtype}")
    new[...] = saved


def _alike(name: str, new: Any, saved: Any) -> Any:
    if isinstance(new, dict | set):  # perhaps a counter
        saved = type(new)(saved)
    if type(saved) is not type(new):
        raise ValueError(f"{name} must be of type {type(new).__name__}, got {type(saved).__name__}")
    return saved
