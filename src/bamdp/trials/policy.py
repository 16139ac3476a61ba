"""A design for the clinic: the allocation of the next patient, and the whole table for other
programs.
"""

from __future__ import annotations

import csv
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import comb
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from bamdp import validation
from bamdp.progress import progress
from bamdp.trials.catalogue import get_design
from bamdp.trials.counts import Array, Layer, Pulls, compositions, grid, observed
from bamdp.trials.design import Design
from bamdp.trials.log import TrialLog
from bamdp.trials.looks import ends_at_look, look_of_end
from bamdp.trials.recursion import feasible, going_on, stopped_at
from bamdp.trials.trial import Trial
from bamdp.validation import integer, require

LINES = 2 * 10**7  # that a table may have


@dataclass(frozen=True)
class Allocation:
    """The allocation of one patient.

    Attributes:
        arm: name of the arm.
        probability: the probability with which the design allocates the patient to it.
        probabilities: those of all arms, by name.
        patient: number of the patient, from 1 on.
    """

    arm: str
    probability: float
    probabilities: dict[str, float]
    patient: int

    def __str__(self) -> str:
        all_arms = ", ".join(f"{name} {p:.4g}" for name, p in self.probabilities.items())
        drawn = f"patient {self.patient}: arm {self.arm}, with probability {self.probability:.4g}"
        return f"{drawn} (all arms: {all_arms})"


class TrialEnded(Exception):  # noqa: N818 - a result, not an error
    """There is no next patient, as the trial ends at a look.

    Attributes:
        patients: number of patients with which it ends.
        waiting: number of them whose responses were not used at the look: they are followed up,
            and are part of the analysis.
    """

    def __init__(self, patients: int, waiting: int = 0) -> None:
        self.patients, self.waiting = patients, waiting
        late = ""
        if waiting:
            late = f"; the responses of the last {waiting} are still part of the analysis"
        super().__init__(f"The trial ends at the look after {patients} patients{late}")


class AllocationPolicy:
    """The probabilities with which a design allocates the next patient, given the responses so far.

    Args:
        design: a name or a design that is a function of the counts.
        trial: the trial.

    Example:
        >>> policy = AllocationPolicy("bayes-optimal", Trial([0.3, 0.5], patients=60))
        >>> policy.probabilities(successes=[1, 3], failures=[0, 1]).tolist()
        [1.0, 0.0]
        >>> print(policy.next(successes=[1, 3], failures=[0, 1]))
        patient 6: arm A, with probability 1 (all arms: A 1, B 0)
    """

    def __init__(self, design: str | Design, trial: Trial) -> None:
        self.design, self.trial = get_design(design), trial
        self.block = self.design.block_of(trial)
        trial.check_looks(self.block)
        self._rule = self.design.rule(trial)

    def probabilities(
        self,
        successes: Sequence[int],
        failures: Sequence[int],
        *,
        waiting: int = 0,
        missing: int = 0,
    ) -> Array:
        """The probability of each arm for the next patient, in the order of the arms. [A]

        The responses are those that the exact test assumes an adaptive design to have used, neither
        fewer nor more. Other designs may have any number of patients waiting, but at a look not
        more than the trial's delay.

        Args:
            successes: number of successes on each arm so far, in the order of the arms.
            failures: number of failures on each arm so far.
            waiting: number of patients who are allocated and whose responses are not known, or not
                used yet: those of the same block, and those that are late by the trial's `delay`.
            missing: number of patients whose responses will never be known.
        """
        s, f = observed(successes, failures)
        if len(s) != self.trial.num_arms:
            raise ValueError(
                f"successes and failures must be for the {self.trial.num_arms} arms of the trial, "
                f"got {len(s)}"
            )
        responses = sum(s) + sum(f)
        known = responses + integer("missing", missing, 0)
        patient = known + integer("waiting", waiting, 0)
        self._check_patient(patient)
        delay = self.trial.delay
        if responses < patient and self.design.balances:
            raise ValueError(
                f"the design {self.design.name!r} needs the arms of all patients, also of those "
                f"without a response, got {patient - responses} of these: give the log of the trial"
            )
        due = next((look for look in self._looks if known + delay < look <= patient), None)
        if due is not None:
            most = f"{delay} at most" if delay else "0"
            which = f"the first {due - delay} responses" if delay else "all responses so far"
            raise ValueError(
                f"waiting must be {most} at the look after {due} patients, which comes first and "
                f"needs {which}, got {responses} responses and {waiting} waiting"
            )
        used = self._used(patient) if self.design.adaptive else known
        if known != used:
            then = "count the others as waiting" if known > used else "wait for the missing ones"
            raise ValueError(
                f"successes and failures must be those of the first {used} patients, by the "
                f"trial's block and delay, got {responses} responses and {waiting} waiting: {then}"
            )
        past = [look for look in self._looks if look <= patient]
        if past and missing:
            raise ValueError(
                "missing must be 0 after a look, or the log of the trial be given, as it matters "
                f"whose responses are missing, got {missing}"
            )
        pulls = tuple(map(sum, zip(s, f, strict=True)))
        if past and known == past[-1] - delay:
            if ends_at_look(self.design, self._rule, self.trial, past[-1], s, f):
                raise TrialEnded(past[-1], delay)
            past.pop()
        if past and self._rule.exact and feasible(self.design, self.trial):
            layer = going_on(self.design, self.trial, known, patient, self._rule)
            if pulls not in layer or layer[pulls][s] <= 0:
                raise ValueError(
                    f"a trial that continues after the look after {past[-1]} patients can't have "
                    f"successes {s} and failures {f}: it has ended there, or "
                    f"{self.design.label(self.trial)} never has them"
                )
        return self._of_next(s, f, pulls, patient)

    def probabilities_after(self, log: TrialLog) -> Array:
        """The same after the patients of a log: the design uses the responses that are due, and
        leaves out those that are missing. [A]

        Example:
            >>> policy = AllocationPolicy("thompson", Trial([0.3, 0.5], patients=20, delay=2))
            >>> log = TrialLog((0, 1, 1, 0), (False, True, None, None))
            >>> policy.probabilities_after(log).round(3).tolist()  # of the first two of them
            [0.167, 0.833]
        """
        patient, A = len(log), self.trial.num_arms
        if patient and max(log.arms) >= A:
            raise ValueError(f"log must be of the {A} arms of the trial, got arm {max(log.arms)}")
        self._check_patient(patient)
        if (look := look_of_end(self.design, self._rule, self.trial, log)) is not None:
            raise TrialEnded(look, self.trial.delay)
        used = self._used(patient) if self.design.adaptive else patient
        return self._of_next(*log.counts(A, used), log.allocated(A), patient)

    def next(
        self,
        successes: Sequence[int],
        failures: Sequence[int],
        *,
        waiting: int = 0,
        missing: int = 0,
        seed: int = 0,
    ) -> Allocation:
        """Allocate the next patient, at random with the design's probabilities; the same for the
        same counts and seed.

        Args:
            successes: number of successes on each arm so far, in the order of the arms.
            failures: number of failures on each arm so far.
            waiting: number of allocated patients whose responses are not used yet.
            missing: number of patients whose responses will never be known.
            seed: seed of the draw; in a real trial, a number that those who recruit don't know.

        Raises:
            TrialEnded: the trial ends with these responses, at a look; wrong input is a
                `ValueError`.
        """
        probabilities = self.probabilities(successes, failures, waiting=waiting, missing=missing)
        patient = sum(successes) + sum(failures) + waiting + missing
        return self._drawn(probabilities, patient, seed)

    def next_after(self, log: TrialLog, *, seed: int = 0) -> Allocation:
        """Allocate the next patient after those of a log; as `next`.

        Example:
            >>> policy = AllocationPolicy("posterior-mean", Trial([0.3, 0.5], patients=20))
            >>> print(policy.next_after(TrialLog((0, 1), (False, True))))
            patient 3: arm B, with probability 1 (all arms: A 0, B 1)
        """
        return self._drawn(self.probabilities_after(log), len(log), seed)

    def overdue(self, log: TrialLog) -> tuple[int, ...]:
        """The patients of a log, from 0, whose responses are due and not there."""
        return log.missing(self._used(len(log)))

    def _drawn(self, probabilities: Array, patient: int, seed: int) -> Allocation:
        rng = np.random.default_rng([validation.seed(seed), patient])  # each patient has its own
        arm = int(rng.choice(len(probabilities), p=probabilities / probabilities.sum()))
        name, by_name = self.trial.names[arm], zip(self.trial.names, probabilities, strict=True)
        named = {one: float(p) for one, p in by_name}
        return Allocation(name, named[name], named, patient + 1)

    @property
    def _looks(self) -> tuple[int, ...]:
        return () if self.trial.stopping is None else self.trial.stopping.looks

    def _check_patient(self, patient: int) -> None:
        if patient >= self.trial.patients:
            raise ValueError(
                f"all {self.trial.patients} patients of the trial are allocated, got {patient} "
                "with those waiting"
            )

    def _used(self, patient: int) -> int:
        """The number of first patients whose responses are due when a patient is allocated."""
        return max(0, patient // self.block * self.block - self.trial.delay)

    def _of_next(self, successes: Pulls, failures: Pulls, allocated: Pulls, patient: int) -> Array:
        """The probabilities for a patient, by the responses that are used and those allocated."""
        if self.design.balances:
            successes, failures = allocated, (0,) * len(allocated)
        s, f = ([np.array([n]) for n in counts] for counts in (successes, failures))
        return self._floored(
            self._rule.probabilities(s, f, patient // self.block * self.block)[:, 0]
        )

    def to_csv(self, path: str | os.PathLike[str]) -> None:
        r"""Write the table to a file: a line for all counts at a decision, with the probability of
        each arm.

        If the trial may stop, all probabilities are 0 where it ends at a look.

        Example:
            >>> import tempfile, pathlib
            >>> with tempfile.TemporaryDirectory() as folder:
            ...     file = pathlib.Path(folder, "table.csv")
            ...     AllocationPolicy("bayes-optimal", Trial([0.3, 0.5], patients=10)).to_csv(file)
            ...     print(*file.read_text().splitlines()[:3], sep="\n")
            patient,successes_A,failures_A,successes_B,failures_B,probability_A,probability_B
            1,0,0,0,0,0.5,0.5
            2,0,1,0,0,0,1
        """
        with self._file(path).open("w", newline="", encoding="utf-8") as stream:
            csv.writer(stream, lineterminator="\n").writerow(self._columns())
            for lines in self._tables():
                np.savetxt(stream, lines, fmt="%.6g", delimiter=",")

    def to_parquet(self, path: str | os.PathLike[str]) -> None:
        """Write the same table as Parquet; needs the extra `parquet`."""
        pyarrow, parquet = (
            require(name, "a Parquet file needs pyarrow", "parquet")
            for name in ("pyarrow", "pyarrow.parquet")
        )
        numbers = {True: pyarrow.float64(), False: pyarrow.int64()}
        kinds = [(name, numbers[name.startswith("probability_")]) for name in self._columns()]
        schema = pyarrow.schema(kinds)
        with parquet.ParquetWriter(self._file(path), schema) as writer:
            for lines in self._tables():
                writer.write_table(pyarrow.table(list(lines.T), schema=schema))

    def _file(self, path: str | os.PathLike[str]) -> Path:
        """The file for a table, after a check that it is possible and not too long."""
        A = self.trial.num_arms
        decisions = range(0, self.trial.patients, self.block)
        lines = sum(comb(patient + 2 * A - 1, 2 * A - 1) for patient in decisions)
        if self.trial.delay:
            raise ValueError(
                "a table needs responses without delay; next(…, waiting=…) allocates with them"
            )
        if lines > LINES:
            raise MemoryError(
                f"the table would have {lines:,} lines, more than {LINES:,}: take fewer patients, "
                "or next(…)"
            )
        file = validation.path("path", path)
        file.parent.mkdir(parents=True, exist_ok=True)
        return file

    def _columns(self) -> list[str]:
        counts = [f"{kind}_{arm}" for arm in self.trial.names for kind in ("successes", "failures")]
        return ["patient", *counts, *(f"probability_{arm}" for arm in self.trial.names)]

    def _tables(self) -> Iterator[Array]:
        """The lines of each decision."""
        with progress("patients") as show:
            for patient in range(0, self.trial.patients, self.block):
                show("", patient, self.trial.patients)
                every = compositions(patient, self.trial.num_arms)
                yield np.concatenate([self._lines(pulls, patient) for pulls in every])

    def _lines(self, pulls: Pulls, patient: int) -> Array:
        """The patient, successes and failures of each arm in turn, then the probability of each
        arm. [lines, 1 + 3 A]
        """
        successes, failures = grid(pulls)
        probabilities = self._floored(self._rule.probabilities(successes, failures, patient))
        if self.trial.stopping is not None and patient in self.trial.stopping.looks:
            probabilities = np.where(self._ended(pulls), 0.0, probabilities)
        counts = [n for pair in zip(successes, failures, strict=True) for n in pair]
        columns = (np.array(patient + 1), *counts, *probabilities)
        shape = probabilities.shape[1:]
        return np.stack([np.broadcast_to(column, shape).ravel() for column in columns], axis=1)

    def _floored(self, probabilities: Array) -> Array:
        floor = self.trial.floor if self.design.adaptive else 0.0
        return np.asarray(floor + (1 - self.trial.num_arms * floor) * probabilities)

    @cached_property
    def _ends(self) -> Layer:
        """The counts at which the trial ends at a look, if responses are never late."""
        ends: Layer = {}
        for look in self._looks:
            ends |= stopped_at(self.design, self.trial, look, self._rule)
        return ends

    def _ended(self, pulls: Pulls) -> NDArray[np.bool_]:
        """Where the trial ends at a look, with so many patients on each arm. [n_1 + 1, …,
        n_A + 1]
        """
        return self._ends.get(pulls, np.zeros([n + 1 for n in pulls])) > 0
