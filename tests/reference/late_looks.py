"""Looks with late responses, by every history of a small trial: a slow twin of the recursion."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product
from math import comb

import numpy as np

from bamdp.trials import ConditionalTest, Design, Trial

History = tuple[tuple[int, int], ...]  # the arm and the response of each patient


@dataclass
class Path:
    """A history of all patients, with the product of its allocation probabilities.

    Attributes:
        ended: the look at which it ends, else all patients; None until that is known.
        rejects: whether the test rejects there.
        p_value: of the test there.
    """

    history: History
    weight: float
    ended: int | None = None
    rejects: bool = False
    p_value: float = 1.0


def counts(history: History, patients: int, arms: int, missing: tuple[int, ...] = ()) -> np.ndarray:
    """Failures and successes of each arm among the first patients. [2, A]"""
    table = np.zeros((2, arms), dtype=np.int64)
    for patient, (arm, response) in enumerate(history[:patients]):
        table[response, arm] += patient not in missing
    return table


def paths(design: Design, trial: Trial, missing: tuple[int, ...] = ()) -> list[Path]:
    """All histories, whoever ends."""
    rule, block = design.rule(trial), design.block_of(trial)

    def extended(past: History, weight: float) -> Iterator[Path]:
        if len(past) == trial.patients:
            yield Path(past, weight)
            return
        first = len(past) // block * block
        used = first - trial.delay if design.adaptive else first
        known = counts(past, max(0, used), trial.num_arms, missing)
        s, f = ([np.array([n]) for n in row] for row in (known[1], known[0]))
        probabilities = rule.probabilities(s, f, first if design.adaptive else len(past))[:, 0]
        if design.adaptive:
            probabilities = trial.floor + (1 - trial.num_arms * trial.floor) * probabilities
        responses = (0,) if len(past) in missing else (0, 1)
        for arm, response in product(range(trial.num_arms), responses):
            if probabilities[arm] > 0:
                step = (*past, (arm, response))
                yield from extended(step, weight * float(probabilities[arm]))

    return list(extended((), 1.0))


def analysed(
    design: Design,
    trial: Trial,
    test: ConditionalTest,
    stopping: ConditionalTest | None,
    missing: tuple[int, ...] = (),
) -> list[Path]:
    """Every history with its end, decision and p-value.

    At a look after n patients the known responses are those of the first n − delay. The trial ends
    where `stopping`, as a test of them, rejects at its share of the level, less what has ended
    before. All n responses are then analysed, beside those of all trials that have not ended
    earlier.
    """
    every, A = paths(design, trial, missing), trial.num_arms
    looks = () if trial.stopping is None else trial.stopping.looks

    def statistic(path: Path, patients: int, by: ConditionalTest) -> float:
        table = counts(path.history, patients, A, missing)
        pulls = tuple(table.sum(axis=0).tolist())
        return float(by.statistics(pulls)[tuple(table[1].tolist())])

    def responses(patients: int) -> int:
        return patients - sum(patient < patients for patient in missing)

    def total(path: Path, patients: int) -> int:
        return int(counts(path.history, patients, A, missing)[1].sum())

    def probability(some: list[Path], patients: int) -> float:
        """Given the total of successes of so many; each is in 2^(those who respond later)."""
        later = 2 ** (responses(trial.patients) - responses(patients))
        n = responses(patients)
        return (
            sum(one.weight for one in some) / later / comb(n, total(some[0], patients))
            if some
            else 0
        )

    def decide(
        patients: int, by: ConditionalTest, bad: list[Path], at: list[Path]
    ) -> dict[int, float]:
        """The probability of a statistic as large or larger, or of a bad end before, by path."""
        p_values = {}
        for S in {total(path, patients) for path in at}:
            here = [path for path in at if total(path, patients) == S]
            before = probability([path for path in bad if total(path, patients) == S], patients)
            values = {id(path): statistic(path, patients, by) for path in here}
            larger: dict[float, float] = {}
            for path in here:
                value = values[id(path)]
                if value not in larger:
                    some = [one for one in here if values[id(one)] >= value]
                    larger[value] = probability(some, patients) + before
                p_values[id(path)] = larger[value]
        return p_values

    for n in (*looks, trial.patients):
        reached = [path for path in every if path.ended is None]
        share = (n / trial.patients) ** test.spending
        p_values = decide(n, test, [path for path in every if path.rejects], reached)
        stops = {id(path): 0.0 for path in reached}
        if n < trial.patients:
            assert stopping is not None
            known = n - trial.delay
            stops = decide(
                known, stopping, [path for path in every if path.ended is not None], reached
            )
            part = stopping.alpha * (known / trial.patients) ** stopping.spending
            stops = {path: p / part for path, p in stops.items()}
        for path in reached:
            if stops[id(path)] <= 1 + 1e-9:
                path.ended, path.p_value = n, min(1.0, p_values[id(path)] / share)
                path.rejects = path.p_value <= test.alpha * (1 + 1e-9)
    return every
