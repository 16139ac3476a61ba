"""The contract of an allocation design: which arm the next patient gets, given the responses so
far.

A design that looks at the counts of successes and failures alone gives, for each patient, the
probabilities of the arms as a function of these counts. Its operating characteristics are then
exact (`bamdp.trials.recursion`). Counts come as one array per arm, and the arrays broadcast against
each other: a rule written with NumPy's operations works for one state and for millions.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from math import comb
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from bamdp.trials.counts import Array, Counts, Pulls
from bamdp.validation import function, text

if TYPE_CHECKING:
    from bamdp.trials.trial import Trial

FEW = 4 * 10**8  # counts


class Rule(ABC):
    """What a design does in one trial.

    Attributes:
        exact: whether `probabilities` is known, and not only draws from it.
    """

    exact = True

    @abstractmethod
    def probabilities(self, successes: Counts, failures: Counts, patient: int) -> Array:
        """The probability with which the patient is allocated to each arm; the first patient is 0.
        [A, …]
        """

    def cuts(self, pulls: Pulls, patient: int) -> NDArray[np.uint16] | None:
        """For two arms and each s_1: the first arm is chosen below the first s_2, either arm up to
        the second, then the other.

        None if probabilities are not of this form; where they are, the recursion is faster. [n_1 +
        1, 2]
        """
        return None

    def draw(
        self, successes: Counts, failures: Counts, patient: int, rng: np.random.Generator
    ) -> NDArray[np.int64]:
        """An arm for the patient in each of many trials. [N]"""
        if len(successes) == 2:
            first = self.probabilities(successes, failures, patient)[0]
            return np.asarray(rng.random(first.shape) >= first, dtype=np.int64)
        sums = np.cumsum(self.probabilities(successes, failures, patient), axis=0)
        return np.asarray(
            (rng.random(sums.shape[1:]) * sums[-1] >= sums[:-1]).sum(axis=0), dtype=np.int64
        )


class Design(ABC):
    """A way to allocate patients to arms.

    A new design is a class in a file of its own in `bamdp/trials/designs`: it is found by its
    `key`.

    Attributes:
        name: name in tables.
        key: name in `compare` and on the command line; none if empty.
        adaptive: whether allocation depends on responses. If not, blocks and late responses make no
            difference.
        default: whether it is shown where no designs are named.
        block: number of patients that the design allocates together; None if the trial says.
        balances: whether allocation depends on the numbers of patients on the arms, and not on
            their responses: those whose response is late or missing count as the others.
    """

    name: str
    key: str = ""
    adaptive: bool = True
    default: bool = True
    block: int | None = None
    balances: bool = False

    @abstractmethod
    def rule(self, trial: Trial) -> Rule:
        """The rule for a trial."""

    def possible(self, trial: Trial) -> bool:
        """Whether there is a rule for the trial."""
        return True

    def quick(self, trial: Trial) -> bool:
        """Whether simulated trials take seconds, not minutes, in a long trial."""
        return True

    def label(self, trial: Trial) -> str:
        """Its name in the tables of a trial."""
        return self.name

    def remark(self, trial: Trial) -> str:
        """What has to be said about it beside its characteristics in the trial, if anything."""
        return ""

    def block_of(self, trial: Trial) -> int:
        """The number of patients allocated together."""
        if not self.adaptive:
            return 1
        if self.block is not None and trial.block not in (1, self.block):
            raise ValueError(
                f"block of the design is {self.block} and that of the trial {trial.block}: set one "
                "of them, or both to the same"
            )
        return self.block or trial.block

    def __repr__(self) -> str:
        return f"<design: {self.name}>"


class FunctionDesign(Design):
    """A design from a function of the counts.

    Args:
        name: name in tables.
        probabilities: function of successes and failures, an array per arm, and the number of the
            patient, from 0; it returns the probability of each arm, or numbers proportional to it.
            [A, …]

    Example:
        >>> def play_the_winner(successes, failures, patient):
        ...     return [1 + s + sum(failures) - f for s, f in zip(successes, failures)]
        >>> from bamdp.trials import Trial, operating_characteristics
        >>> urn = FunctionDesign("urn", play_the_winner)
        >>> row = operating_characteristics(urn, Trial([0.3, 0.5], patients=40))
        >>> row.exact, round(row.successes.value, 2)
        (True, 16.58)
    """

    def __init__(
        self, name: str, probabilities: Callable[[Counts, Counts, int], Sequence[Array] | Array]
    ) -> None:
        self.name = text("name", name)
        self._function = function("probabilities", probabilities)

    def rule(self, trial: Trial) -> Rule:
        return FunctionRule(self._function, self.name)


class FunctionRule(Rule):
    """The probabilities of a function, or numbers proportional to them."""

    def __init__(self, weights: Callable[..., Any], name: str) -> None:
        self._weights, self._name = weights, name

    def probabilities(self, successes: Counts, failures: Counts, patient: int) -> Array:
        values = self._weights(successes, failures, patient)
        arrays = [np.asarray(value, dtype=np.float64) for value in values]
        if len(arrays) != len(successes):
            raise ValueError(
                f"the design {self._name!r} must give {len(successes)} probabilities, one per arm, "
                f"got {len(arrays)}"
            )
        weights = np.stack(np.broadcast_arrays(*arrays, *successes, *failures)[: len(arrays)])
        sums = weights.sum(axis=0)
        if not (np.isfinite(sums).all() and (weights >= 0).all() and (sums > 0).all()):
            raise ValueError(
                f"the design {self._name!r} must give probabilities, not negative, with a positive "
                "sum"
            )
        return np.asarray(weights / sums)


def is_small(trial: Trial) -> bool:
    """Whether a trial has so few counts that a rule may take long, or much memory, for each: 310
    patients on two arms.
    """
    arms = trial.num_arms
    return comb(trial.patients + 2 * arms - 1, 2 * arms) <= FEW


def equally(winners: NDArray[np.bool_]) -> Array:
    """Equal probabilities of all that are true along the first axis."""
    return np.asarray(winners / winners.sum(axis=0))


def best_of(indices: Sequence[Array]) -> Array:
    """The arm with the highest index, or any of those that have it. [A, …]"""
    highest = indices[0]
    for index in indices[1:]:
        highest = np.maximum(highest, index)
    return equally(np.stack([index == highest for index in indices]))


def at_counts(table: Callable[[Pulls], Array], successes: Counts, failures: Counts) -> Array:
    """Entries of tables [A, n_1 + 1, …, n_A + 1], one for each pulls (n_1, …, n_A), at some counts.
    [A, …]
    """
    pulls = [s + f for s, f in zip(successes, failures, strict=True)]
    if all(n.min() == n.max() for n in pulls):
        return _at(table(tuple(int(n.flat[0]) for n in pulls)), successes)
    flat = [array.ravel() for array in np.broadcast_arrays(*pulls, *successes)]
    flat_pulls, flat_successes = flat[: len(pulls)], flat[len(pulls) :]
    kinds, which = np.unique(np.stack(flat_pulls), axis=1, return_inverse=True)
    entries = np.empty((len(pulls), which.size))
    for kind, numbers in enumerate(kinds.T.tolist()):
        here = np.flatnonzero(which.ravel() == kind)
        entries[:, here] = _at(table(tuple(numbers)), [s[here] for s in flat_successes])
    return entries.reshape(len(pulls), *np.broadcast_shapes(*(n.shape for n in pulls)))


def _at(table: Array, successes: Counts) -> Array:
    index: Any = (slice(None), *successes)
    return np.asarray(table[index])
