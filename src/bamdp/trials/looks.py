"""Whether an observed trial ends at a look: exactly, or by the re-randomisation test."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from bamdp.trials.conditional import ConditionalTest
from bamdp.trials.counts import Pulls
from bamdp.trials.recursion import feasible, stopped_at
from bamdp.trials.rerandomisation import OF_OBSERVED, RerandomisationTest
from bamdp.trials.simulation import Counts

if TYPE_CHECKING:
    from bamdp.trials.design import Design, Rule
    from bamdp.trials.log import TrialLog
    from bamdp.trials.trial import Trial


def ends_at_look(
    design: Design,
    rule: Rule,
    trial: Trial,
    look: int,
    successes: Pulls,
    failures: Pulls,
    missing: tuple[int, ...] = (),
) -> bool:
    """Whether the trial ends at a look with these known responses, of the first look − delay
    patients but those whose responses are missing.
    """
    pulls = tuple(map(sum, zip(successes, failures, strict=True)))
    if rule.exact and feasible(design, trial, missing):
        stopped = stopped_at(design, trial, look, rule, missing=missing)
        return pulls in stopped and bool(stopped[pulls][successes] > 0)
    # Looks do not depend on the test of the analysis.
    again = RerandomisationTest(
        design, rule, trial, ConditionalTest(), again=OF_OBSERVED, missing=missing
    )
    counts = Counts(np.array(successes)[:, None], np.array(pulls)[:, None])
    return bool(again.stops(look, counts)[0])


def look_of_end(design: Design, rule: Rule, trial: Trial, log: TrialLog) -> int | None:
    """The look at which a trial ends by its log; None if there is none so far."""
    for look in () if trial.stopping is None else trial.stopping.looks:
        known = look - trial.delay
        if look <= len(log) and ends_at_look(
            design, rule, trial, look, *log.counts(trial.num_arms, known), log.missing(known)
        ):
            return look
    return None
