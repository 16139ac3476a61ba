"""A clinical trial with binary responses: arms, patients, and how they are allocated."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bamdp.prior import Prior
from bamdp.priors.beta_arms import BetaArms, has_independent_arms
from bamdp.problem import BAMDP, checked_names
from bamdp.spaces import arm_names
from bamdp.trials.conditional import ConditionalTest
from bamdp.trials.counts import Counts, Layer, Pulls
from bamdp.validation import integer, listed, positive_integer, real, real_array

MOST_PATIENTS = 100_000


class Stopping(ABC):
    """When a trial ends before all patients are allocated.

    Args:
        looks: numbers of patients after which it may.

    Attributes:
        test: the test of the known responses that ends it; None if it is a function of their
            counts, `stops_at`.
    """

    test: ConditionalTest | None = None

    def __init__(self, looks: Sequence[int]) -> None:
        self.looks = tuple(integer("each of looks", look, 1) for look in listed("looks", looks))
        if not self.looks or list(self.looks) != sorted(set(self.looks)):
            raise ValueError(f"looks must be numbers of patients in ascending order, got {looks!r}")

    @abstractmethod
    def stops(
        self, layer: Layer, ended: Layer, known: int, trial: Trial
    ) -> dict[Pulls, NDArray[np.bool_]]:
        """Whether the trial ends, at all counts of the responses that are known at a look.

        Args:
            layer: the probabilities of these counts, of the trials that have not ended before.
            ended: those of the trials that have ended at earlier looks, as they were known there.
            known: number of patients whose responses are due by then.
            trial: the trial.
        """

    def stops_at(self, successes: Counts, failures: Counts, trial: Trial) -> NDArray[np.bool_]:
        """Whether the trial ends at counts of known responses, an array per arm."""
        raise NotImplementedError

    def __str__(self) -> str:
        return f"looks after {', '.join(map(str, self.looks))}"


@dataclass(frozen=True, eq=False)
class Trial:
    """A trial in which each patient is allocated to an arm and responds (success) or not (failure).

    Args:
        arms: success probability of each arm; the first one is the control.
        patients: number of patients.
        prior: what is believed about the success probabilities before the trial; uniform if not
            given.
        block: number of patients who are allocated together, before any of them has responded.
        delay: number of later patients who are allocated before a response is known; 0 if the next
            one can profit from it.
        floor: smallest probability with which an adaptive design allocates a patient to an arm: the
            patient is allocated with equal probabilities with probability `floor` times the number
            of arms, else by the design.
        stopping: when the trial ends before all patients are allocated; see
            `bamdp.trials.stopping`. Never, if not given. With a delay, a look is at the responses
            that are known; those of the patients who wait are part of the analysis.
        names: names of the arms, by which they are shown; A, B, … if not given. An index of an arm,
            as of any sequence, is from 0.

    Example:
        >>> trial = Trial([0.3, 0.5], patients=148, names=["placebo", "drug"])
        >>> print(trial)
        148 patients, success probabilities placebo 0.3, drug 0.5
    """

    arms: Sequence[float]
    patients: int
    prior: BetaArms = field(default_factory=BetaArms)
    block: int = field(default=1, kw_only=True)
    delay: int = field(default=0, kw_only=True)
    floor: float = field(default=0.0, kw_only=True)
    stopping: Stopping | None = field(default=None, kw_only=True)
    names: Sequence[str] = field(default=(), kw_only=True)

    def __post_init__(self) -> None:
        arms = success_probabilities("arms", self.arms)
        patients = positive_integer("patients", self.patients, MOST_PATIENTS)
        if not (isinstance(self.prior, Prior) and has_independent_arms(self.prior)):
            raise TypeError(f"prior must be BetaArms, got {type(self.prior).__name__}")
        if not {np.size(n) for n in (self.prior.successes, self.prior.failures)} <= {1, len(arms)}:
            raise ValueError(
                f"prior must be for the {len(arms)} arms of the trial, got {self.prior!r}"
            )
        names = arm_names(len(arms)) if self.names == () else self.names
        checked: dict[str, Any] = {
            "arms": arms,
            "patients": patients,
            "block": positive_integer("block", self.block, patients),
            "delay": integer("delay", self.delay, 0, patients),
            "floor": real("floor", self.floor, 0, 1 / len(arms)),
            "names": checked_names("names", names, len(arms)),
        }
        if not all(name.strip() for name in checked["names"]):
            raise ValueError(f"each of names must have a letter, got {self.names!r}")
        for name, value in checked.items():
            object.__setattr__(self, name, value)
        if self.stopping is not None:
            if not isinstance(self.stopping, Stopping):
                raise TypeError(
                    f"stopping must be one of bamdp.trials.stopping, got {self.stopping!r}"
                )
            if self.stopping.looks[0] <= self.delay:
                raise ValueError(
                    f"looks must be after more patients than the delay, {self.delay}, or no "
                    f"response is known there, got {self.stopping.looks}"
                )
            if self.stopping.looks[-1] >= patients:
                raise ValueError(
                    f"looks must be below the number of patients, {patients}, got "
                    f"{self.stopping.looks}"
                )
            self.check_looks(self.block)

    def check_looks(self, block: int) -> None:
        """Reject looks that are not after whole blocks; designs may have a block of their own."""
        if self.stopping is not None and any(look % block for look in self.stopping.looks):
            raise ValueError(
                f"looks must be multiples of the block, {block} patients, got {self.stopping.looks}"
            )

    @cached_property
    def problem(self) -> BAMDP:
        """The trial for agents: a success pays 1, and every patient counts; in state 0 or 1, the
        last response.
        """
        rewards = np.array([[[0.0, 1.0]] * self.num_arms] * 2)
        settings: dict[str, Any] = {"states": ("failure", "success"), "actions": self.names}
        return BAMDP(self.prior, rewards, 1.0, horizon=self.patients, **settings)

    @property
    def num_arms(self) -> int:
        """Number of arms."""
        return len(self.arms)

    @property
    def best(self) -> tuple[int, ...]:
        """The indices, from 0, of the arms with the highest success probability."""
        return tuple(arm for arm, p in enumerate(self.arms) if p == max(self.arms))

    @property
    def pseudo_counts(self) -> NDArray[np.float64]:
        """The prior's counts of successes and failures of each arm. [A, 2]"""
        counts = self.prior.successes, self.prior.failures
        return np.stack([np.broadcast_to(n, self.num_arms) for n in counts], axis=1)

    @property
    def settings(self) -> list[str]:
        """Its blocks, delay, floor and looks in words, those that it has."""
        extras = [f"blocks of {self.block}"] if self.block > 1 else []
        extras += [f"responses {self.delay} patients late"] if self.delay else []
        extras += [f"each arm with probability {self.floor:g} at least"] if self.floor else []
        return extras + ([str(self.stopping)] if self.stopping is not None else [])

    def __str__(self) -> str:
        arms = ", ".join(f"{name} {p:g}" for name, p in zip(self.names, self.arms, strict=True))
        parts = [f"{self.patients} patients, success probabilities {arms}", *self.settings]
        return ", ".join(parts)


def success_probabilities(name: str, value: ArrayLike) -> tuple[float, ...]:
    """`value` as the success probabilities of at least two arms."""
    array = real_array(name, value)
    if array.ndim != 1 or array.size < 2:
        raise ValueError(
            f"{name} must be the success probabilities of at least two arms, got {value!r}"
        )
    if array.min() < 0 or array.max() > 1:
        raise ValueError(
            f"{name} must be probabilities from 0 to 1, got {array[(array < 0) | (array > 1)][0]:g}"
        )
    return tuple(array.tolist())
