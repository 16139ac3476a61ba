"""Choice rules: from the values of actions to the probabilities of choices.

    P(a) = (1 − lapse) softmax_a(V_a / temperature + stickiness · [a = last action]) + lapse / A

Temperature is in units of return, stickiness in log-odds; a lapse is a choice at random. Values
must be comparable, as those of `Agent.q_values` are.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bamdp import validation

NO_ACTION = -1  # in place of an action: a missed trial, or no last action


@dataclass(frozen=True)
class ChoiceRule:
    """Softmax with lapses and stickiness.

    Args:
        temperature: temperature of the softmax, in units of return; positive.
        lapse: probability of a choice at random, in [0, 1].
        stickiness: log-odds added to the last action; negative for those who alternate.

    Example:
        >>> ChoiceRule(temperature=0.5, lapse=0.02)
        ChoiceRule(temperature=0.5, lapse=0.02, stickiness=0.0)
    """

    temperature: float = 1.0
    lapse: float = 0.0
    stickiness: float = 0.0

    def __post_init__(self) -> None:
        for name, low, high, is_open in (
            ("temperature", 0.0, np.inf, True),
            ("lapse", 0.0, 1.0, False),
        ):
            object.__setattr__(
                self, name, validation.real(name, getattr(self, name), low, high, open_low=is_open)
            )
        object.__setattr__(self, "stickiness", validation.real("stickiness", self.stickiness))


def choice_probabilities(
    values: ArrayLike, rule: ChoiceRule, last_action: ArrayLike = NO_ACTION
) -> NDArray[np.float64]:
    """The probability of each action. [..., A]

    Args:
        values: value of each action, for one choice or many. [..., A]
        rule: the choice rule.
        last_action: the action before, of each choice; -1 if there was none. [...]

    Example:
        >>> choice_probabilities([1.0, 0.0], ChoiceRule(temperature=0.5)).round(3).tolist()
        [0.881, 0.119]
        >>> choice_probabilities([0.0, 0.0], ChoiceRule(stickiness=1.0),
        ...     last_action=1).round(3).tolist()
        [0.269, 0.731]
    """
    array = validation.real_array("values", values)
    if array.ndim == 0 or array.shape[-1] == 0:
        raise ValueError(f"values must have a value for each action, got {values!r}")
    if not isinstance(rule, ChoiceRule):
        raise TypeError(f"rule must be a ChoiceRule, got {rule!r}")
    most, last = array.shape[-1] - 1, np.empty(0)
    with suppress(ValueError, TypeError):  # of what is no array; the message is the one below
        last = np.asarray(last_action)
    if last.dtype.kind not in "iu" or (
        last.size and not NO_ACTION <= int(last.min()) <= int(last.max()) <= most
    ):
        raise ValueError(
            f"last_action must be an integer from 0 to {most}, or -1 if there was none, got "
            f"{last_action!r}"
        )
    return np.exp(log_probabilities(array, rule, last.astype(np.int64)))


def log_probabilities(
    values: NDArray[np.float64], rule: ChoiceRule, last: NDArray[np.int64]
) -> NDArray[np.float64]:
    """The logarithm of `choice_probabilities`, which underflows later."""
    with np.errstate(over="ignore"):  # to −∞, of actions that are far worse
        scaled = (values - values.max(axis=-1, keepdims=True)) / rule.temperature
        if rule.stickiness:
            scaled = scaled + rule.stickiness * (np.arange(values.shape[-1]) == last[..., None])
            scaled = scaled - scaled.max(axis=-1, keepdims=True)
    logs: NDArray[np.float64] = scaled - np.log(np.exp(scaled).sum(axis=-1, keepdims=True))
    if rule.lapse:
        with np.errstate(divide="ignore"):
            logs = np.logaddexp(np.log1p(-rule.lapse) + logs, np.log(rule.lapse / values.shape[-1]))
    return logs
