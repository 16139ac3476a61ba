"""The state of an object as JSON values and arrays, and restoring it into a new object made with
the same settings: what copies and saved files of agents have in common.

A class names the attributes that change while it learns in `state_attributes`; those of its base
classes are added. An agent that overrides `reset` must define it, too. An attribute may be a
number, a dictionary, an array, a random generator, a native object (with `state` and `restore`), an
object with its own `state_attributes`, or a list of generators or of such objects. A restored value
must have the same type and shape as in the new object. The method `check_state`, if any, is called
last for further checks; `check_can_be_saved`, if any, is called before saving and may raise.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from bamdp import _core

Arrays = dict[str, NDArray[Any]]


def learned_names(obj: Any) -> tuple[str, ...]:
    """Names of the attributes that change while `obj` learns, those of base classes first.

    Raises:
        TypeError: a class doesn't name them, or `obj` can't be saved at present.
    """
    if hasattr(obj, "check_can_be_saved"):
        obj.check_can_be_saved()
    classes = type(obj).__mro__[::-1]
    silent = [
        cls for cls in classes if "reset" in vars(cls) and "state_attributes" not in vars(cls)
    ]
    if silent or not any("state_attributes" in vars(cls) for cls in classes):
        raise TypeError(
            f"{(silent or [type(obj)])[0].__name__} can't be saved: it doesn't name what it learns "
            "in `state_attributes`"
        )
    return tuple(
        dict.fromkeys(name for cls in classes for name in vars(cls).get("state_attributes", ()))
    )


def capture(obj: Any, arrays: Arrays) -> dict[str, Any]:
    """The state of `obj` as JSON values; arrays are added to `arrays` and replaced by references.

    Example:
        >>> import bamdp
        >>> agent = bamdp.agents.QLearning(bamdp.domains.Chain().problem())
        >>> agent.observe(state=0, action=1, reward=2.0, next_state=1)
        >>> arrays = {}
        >>> capture(agent, arrays)["_visits"]
        {'dict': [[{'tuple': [0, 1]}, 1]]}
    """
    return {name: _captured(getattr(obj, name), arrays) for name in learned_names(obj)}


def restore(obj: Any, state: Any, arrays: Arrays) -> None:
    """Restore `state` into `obj`, a new object, which is unusable if this fails.

    Raises:
        ValueError: `state` is not that of such an object.
    """
    expected = learned_names(obj)
    if not isinstance(state, dict) or not set(state) >= set(expected):  # earlier versions kept more
        raise ValueError(
            f"{type(obj).__name__} must have learned {', '.join(expected) or 'nothing'}"
        )
    for name in expected:
        setattr(obj, name, _restored(name, getattr(obj, name), state[name], arrays))
    if hasattr(obj, "check_state"):
        obj.check_state()


class Held:
    """What is made of the user's code: copies of an agent share it, a file can't hold it.

    Attributes:
        name: what it is, for a message.
        value: the value.
    """

    def __init__(self, name: str, value: Any = None) -> None:
        self.name, self.value = name, value


def encode(value: Any, arrays: Arrays) -> Any:
    """A value as JSON.

    Example:
        >>> encode((1, {2: None}), {})
        {'tuple': [1, {'dict': [[2, None]]}]}
    """
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if isinstance(value, Held):
        return {"held": value}
    if isinstance(value, np.generic):
        return encode(value.item(), arrays)
    if isinstance(value, np.ndarray):
        return {"array": _added(value, arrays)}
    if isinstance(value, tuple | list):
        return {
            "tuple" if isinstance(value, tuple) else "list": [
                encode(item, arrays) for item in value
            ]
        }
    if isinstance(value, set | frozenset):
        return {"set": [encode(item, arrays) for item in sorted(value)]}
    if isinstance(value, dict):
        return _encode_dict(value, arrays)
    raise TypeError(f"{type(value).__name__} can't be saved, got {value!r}")


def decode(value: Any, arrays: Arrays) -> Any:
    """The inverse of `encode`.

    Example:
        >>> decode({"tuple": [1, {"dict": [[2, None]]}]}, {})
        (1, {2: None})
    """
    if not isinstance(value, dict):
        return value
    ((kind, inside),) = value.items()
    if kind == "held":
        return inside
    if kind == "array":
        return arrays[inside]
    if kind == "rows":
        keys, table = inside
        return {
            decode(key, arrays): row.copy() for key, row in zip(keys, arrays[table], strict=True)
        }
    if kind == "dict":
        return {decode(key, arrays): decode(item, arrays) for key, item in inside}
    make = {"tuple": tuple, "list": list, "set": frozenset}[kind]
    return make(decode(item, arrays) for item in inside)


def _added(array: np.ndarray[Any, Any], arrays: Arrays) -> str:
    if array.dtype.kind not in "biuf":
        raise TypeError(f"an array of {array.dtype} can't be saved, only arrays of numbers")
    name = f"{len(arrays)}"
    arrays[name] = array
    return name


def _encode_dict(value: dict[Any, Any], arrays: Arrays) -> Any:
    rows = list(value.values())
    if rows and all(
        isinstance(row, np.ndarray) and row.shape == rows[0].shape for row in rows
    ):  # stacked into one array
        return {"rows": [[encode(key, arrays) for key in value], _added(np.stack(rows), arrays)]}
    return {"dict": [[encode(key, arrays), encode(item, arrays)] for key, item in value.items()]}


def _is_native(value: Any) -> bool:
    return type(value).__module__ == _core.__name__ and hasattr(value, "restore")


def _has_parts(value: Any) -> bool:
    """Whether it is a list of random generators or of objects that have a state."""
    return (
        isinstance(value, list)
        and bool(value)
        and (isinstance(value[0], np.random.Generator) or hasattr(value[0], "state_attributes"))
    )


def _captured(value: Any, arrays: Arrays) -> Any:
    if isinstance(value, np.random.Generator):
        return encode(value.bit_generator.state, arrays)
    if _is_native(value):
        return encode(np.frombuffer(value.state(), np.uint8), arrays)
    if isinstance(value, np.ndarray) and value.dtype.kind == "V":  # structured: saved as bytes
        return encode(np.frombuffer(value.tobytes(), np.uint8), arrays)
    if _has_parts(value):
        return [_captured(item, arrays) for item in value]
    if hasattr(type(value), "state_attributes"):
        return capture(value, arrays)
    return encode(value, arrays)


def _restored(name: str, new: Any, saved: Any, arrays: Arrays) -> Any:
    """The saved value for `new`, an attribute of a new object."""
    if isinstance(new, np.random.Generator):
        new.bit_generator.state = decode(saved, arrays)
    elif _is_native(new):
        new.restore(decode(saved, arrays).tobytes())
    elif isinstance(new, np.ndarray):
        _fill(name, new, decode(saved, arrays))
    elif _has_parts(new):
        for part, state in zip(new, saved, strict=True):
            _restored(name, part, state, arrays)
    elif hasattr(type(new), "state_attributes"):
        restore(new, saved, arrays)
    else:
        return _alike(name, new, decode(saved, arrays))
    return new


def _fill(name: str, new: np.ndarray[Any, Any], saved: Any) -> None:
    """Copy in place, as native code may hold a pointer to the array."""
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
