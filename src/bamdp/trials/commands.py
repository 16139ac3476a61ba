"""Commands for the clinic: how the allocation or the analysis of a trial is typed."""

from __future__ import annotations

import inspect
import shlex
from collections.abc import Sequence
from typing import Any

from bamdp.spaces import arm_names
from bamdp.trials.conditional import ConditionalTest
from bamdp.trials.design import Design
from bamdp.trials.fisher import FisherTest
from bamdp.trials.stopping import ExactStopping
from bamdp.trials.trial import Trial


def typed_command(
    action: str,
    design: Design,
    trial: Trial,
    test: ConditionalTest | FisherTest,
    log: str = "",
    **observed: Sequence[int],
) -> str:
    """A command for the clinic, with the log, or with successes and failures or zeros; empty if the
    trial has settings that can't be typed.
    """
    stopping, usual = trial.stopping, ConditionalTest()
    looks = (
        isinstance(stopping, ExactStopping)
        and str(stopping.test) == str(test)
        and stopping.test.spending == 1
    )
    if not design.key or not (stopping is None or looks) or getattr(test, "randomised", False):
        return ""
    flags: dict[str, Any] = {
        "floor": trial.floor,
        "block": trial.block if trial.block > 1 else 0,
        "delay": trial.delay,
    }
    if (trial.pseudo_counts != 1).any():
        successes, failures = trial.pseudo_counts.T.tolist()
        flags["prior-successes"] = " ".join(map(typed_number, successes))
        flags["prior-failures"] = " ".join(map(typed_number, failures))
    if stopping is not None:
        flags["looks"] = " ".join(map(str, stopping.looks))
    if log or trial.names != arm_names(trial.num_arms):
        flags["names"] = shlex.join(trial.names)
    if looks or action == "test":
        values = {name: getattr(test, name) for name in ("alpha", "alternative", "statistic")}
        flags |= {name: value for name, value in values.items() if value != getattr(usual, name)}
    nobody = [0] * trial.num_arms
    words = [f"--design {_typed_design(design)}", f"--patients {trial.patients}"]
    words += [f"--{flag} {value}" for flag, value in flags.items() if value]
    if log:
        return " ".join(["bamdp trial", action, *words, "--log", shlex.quote(log)])
    for name in ("successes", "failures"):
        words.append(f"--{name} {' '.join(map(str, observed.get(name, nobody)))}")
    return " ".join(["bamdp trial", action, *words])


def typed_number(number: float) -> str:
    """A number as it is typed, with all digits that it takes to read the same number back.

    Example:
        >>> [typed_number(n) for n in (2.0, 0.1, 1234567.25, 1 / 3)]
        ['2', '0.1', '1234567.25', '0.3333333333333333']
    """
    return repr(float(number)).removesuffix(".0")


def _typed_design(design: Design) -> str:
    """A design as it is typed on the command line: its name, and the settings that are not the
    defaults.
    """
    settings = [
        (name, getattr(design, name), parameter.default)
        for name, parameter in inspect.signature(type(design)).parameters.items()
    ]
    words = [f"{name}={value}" for name, value, default in settings if value != default]
    return ":".join([design.key, ",".join(words)]) if words else design.key
