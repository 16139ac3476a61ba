"""What a page may ask for: everything else is refused with a sentence."""

import json
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bamdp.viewer.messages import MOST_BYTES, MessageError, parse


@pytest.mark.parametrize(
    "message",
    [
        *({"type": name} for name in ("play", "pause", "step", "compute_bounds")),
        {"type": "speed", "value": 0.5},
        {"type": "simulations", "value": 2000},
        {"type": "start", "seed": 7, "prior": "wrong"},
        {"type": "go", "step": 120},
        {"type": "film", "format": "gif"},
    ],
)
def test_messages(message: dict[str, object]) -> None:
    found = parse(json.dumps(message))
    assert {"type": found.type, **found.values} == message


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        (None, "must be text, not binary"),
        (b"{}", "must be text, not binary"),
        ("", "must be JSON"),
        ("play", "must be JSON"),
        ('{"type": "speed", "value": NaN}', "must be JSON"),
        ('{"type": "speed", "value": Infinity}', "must be JSON"),
        ("[" * 1000, "must be JSON"),
        ("[]", "must be a JSON object"),
        ('"play"', "must be a JSON object"),
        ("{}", "type must be one of 'play', "),
        ('{"type": ["play"]}', "type must be one of 'play', "),
        ('{"type": "quit"}', "got 'quit'"),
        ('{"type": "play", "value": 1}', "must have type and nothing else"),
        ('{"type": "speed"}', "must have type, value and nothing else"),
        ('{"type": "speed", "value": 0}', r"value must be a finite number in \[0.1, 1000\], got 0"),
        ('{"type": "speed", "value": 1e400}', "value must be a finite number"),
        ('{"type": "speed", "value": "5"}', "value must be a number, got '5'"),
        ('{"type": "speed", "value": true}', "value must be a number, got True"),
        ('{"type": "speed", "value": {}}', "value must be a finite number"),
        ('{"type": "simulations", "value": 0}', "simulations must be an integer from 1 to 1000000, got 0"),
        ('{"type": "simulations", "value": 10.5}', "simulations must be an integer"),
        ('{"type": "simulations", "value": null}', "simulations must be an integer"),
        ('{"type": "simulations", "value": true}', "simulations must be an integer"),
        ('{"type": "start", "seed": -1, "prior": "right"}', "seed must be an integer from 0"),
        ('{"type": "start", "seed": 9007199254740992, "prior": "right"}', "seed must be an integer from 0"),
        ('{"type": "start", "seed": 1, "prior": 2}', "prior must be a"),
        ('{"type": "go", "step": -1}', "step must be an integer from 0"),
        ('{"type": "go", "step": 1e3}', "step must be an integer from 0"),
        ('{"type": "go"}', "must have step, type and nothing else"),
        ('{"type": "film", "format": "exe"}', "format must be one of 'webp', 'gif', got 'exe'"),
        ('{"type": "film", "format": ["webp"]}', "format must be one of 'webp', 'gif'"),
        (json.dumps({"type": "start", "seed": 1, "prior": "x" * MOST_BYTES}), "at most 1024 bytes"),
        ("9" * 900, "must be a JSON object"),
    ],
)
def test_everything_else_is_refused(text: str | bytes | None, complaint: str) -> None:
    with pytest.raises(MessageError, match=complaint):
        parse(text)


JSON = st.recursive(
    st.none() | st.booleans() | st.floats() | st.integers() | st.text(max_size=20),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["type", "value", "seed", "prior", "step", "format", "x"]), inner)
    ),
    max_leaves=6,
)


@given(
    st.one_of(st.text(), JSON.map(json.dumps), st.fixed_dictionaries({"type": st.just("start"), "seed": JSON}).map(json.dumps))
)
def test_nothing_gets_past_as_another_error(text: str) -> None:
    with suppress(MessageError):
        parse(text)
