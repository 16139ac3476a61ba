"""The log of a trial: the arm and the response of each patient, in the order of allocation."""

from __future__ import annotations

import csv
import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from bamdp.trials.counts import Pulls
from bamdp.validation import nearest, suggestion

COLUMNS = ("patient", "arm", "response")
RESPONSES = {
    **dict.fromkeys(("1", "success", "yes", "true"), True),
    **dict.fromkeys(("0", "failure", "no", "false"), False),
    **dict.fromkeys(("", "na", "nan"), None),
}


@dataclass(frozen=True)
class TrialLog:
    """The patients of a trial, in the order in which they were allocated.

    A patient without a response waits for it or, when it is due, is missing: allocated as the
    others, and left out of what a design learns and of the analysis. That assumes that a response
    is missing by chance, neither for the arm nor for what it would have been.

    Attributes:
        arms: the arm of each patient, from 0.
        responses: whether they responded; None where that is not known.

    Example:
        >>> log = TrialLog((0, 1, 1), (True, None, False))
        >>> log.counts(num_arms=2)
        ((1, 0), (0, 1))
        >>> log.missing()
        (1,)
    """

    arms: tuple[int, ...]
    responses: tuple[bool | None, ...]

    def __len__(self) -> int:
        return len(self.arms)

    def counts(self, num_arms: int, patients: int | None = None) -> tuple[Pulls, Pulls]:
        """Numbers of successes and failures on each arm, of the first patients or all."""
        pairs = list(zip(self.arms, self.responses, strict=True))[:patients]
        successes, failures = (
            tuple(sum(pair == (arm, response) for pair in pairs) for arm in range(num_arms))
            for response in (True, False)
        )
        return successes, failures

    def allocated(self, num_arms: int) -> Pulls:
        """Numbers of patients on each arm, with or without a response."""
        return tuple(self.arms.count(arm) for arm in range(num_arms))

    def missing(self, patients: int | None = None) -> tuple[int, ...]:
        """The patients without a response, from 0, of the first ones or all."""
        first = self.responses[:patients]
        return tuple(patient for patient, response in enumerate(first) if response is None)

    @classmethod
    def read(cls, path: str | os.PathLike[str], names: Sequence[str]) -> TrialLog:
        r"""Read a CSV file with the columns patient, arm and response; others are ignored.

        Args:
            path: the file: a line for each patient, in the order of allocation.
            names: names of the arms, the control first.

        Raises:
            ValueError: the file is no such log; the message has the line.

        Example:
            >>> import tempfile, pathlib
            >>> with tempfile.TemporaryDirectory() as folder:
            ...     file = pathlib.Path(folder, "trial.csv")
            ...     _ = file.write_text("patient,arm,response\n1,drug,1\n2,placebo,0\n3,drug,\n")
            ...     TrialLog.read(file, ["placebo", "drug"])
            TrialLog(arms=(1, 0, 1), responses=(True, False, None))
        """
        file, arms, responses, seen = Path(path), [], [], set()
        with file.open(newline="", encoding="utf-8-sig") as stream:
            head = stream.readline()
            stream.seek(0)
            rows = csv.DictReader(
                stream, delimiter=";" if head.count(";") > head.count(",") else ","
            )
            rows.fieldnames = [name.strip().lower() for name in rows.fieldnames or ()]
            for column in COLUMNS:
                if column not in rows.fieldnames:
                    near = nearest(column, rows.fieldnames)
                    raise ValueError(
                        f"{file.name} must have the columns {', '.join(COLUMNS)} in its first "
                        f"line, and has no '{column}'{f', but {near!r}' if near else ''}"
                    )
            last = 0
            for row in rows:
                patient, arm, response = ((row[column] or "").strip() for column in COLUMNS)
                if not (patient or arm or response):
                    continue
                where = f"line {rows.line_num} of {file.name}"
                if arm not in names:
                    raise ValueError(
                        f"{where}: arm must be one of {', '.join(names)}, got '{arm}'"
                        f"{suggestion(arm, names) or '; --names gives them, the control first'}"
                    )
                if response.lower() not in RESPONSES:
                    raise ValueError(
                        f"{where}: response must be 1 or 0, or empty if it is not known, got "
                        f"'{response}'"
                    )
                if patient in seen:
                    raise ValueError(f"{where}: patient '{patient}' is there twice")
                if patient.isdecimal():
                    if int(patient) < last:
                        raise ValueError(
                            f"{where}: patients must be in the order of allocation, got {patient} "
                            f"after {last}"
                        )
                    last = int(patient)
                seen.add(patient)
                arms.append(list(names).index(arm))
                responses.append(RESPONSES[response.lower()])
        return cls(tuple(arms), tuple(responses))
