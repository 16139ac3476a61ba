"""The exact Bayes-optimal value of a small problem: the most that an agent can earn, in the mean over worlds."""

from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from bamdp.exact import bayes_optimal
from bamdp.exact.bayes_optimal import BayesOptimal
from bamdp.runs.loop import Record
from bamdp.studies.regret import regret_of
from bamdp.studies.tasks import compare


def perform(settings: Mapping[str, Any], seed: int, run: int) -> dict[str, Any]:
    """The value of `steps` steps from the start.

    Example:
        >>> perform({"problem": "two-arms", "steps": 1}, seed=0, run=0)
        {'value': 0.5, 'belief_states': 1}
    """
    found = solution(settings["problem"], settings["steps"])
    return {"value": found.value, "belief_states": found.belief_states}


@lru_cache(maxsize=1)
def solution(problem: str, steps: int) -> BayesOptimal:
    """The solution of a problem by name, for a run of `steps` steps."""
    posed = compare.make_problem(compare.choose_problem(problem))
    assert posed.domain.start is not None
    return bayes_optimal(posed.problem, posed.domain.start, steps)


def expected_return(record: Record, optimum: BayesOptimal) -> float:
    """The optimum less the regret of every action, Σ_t γᵗ (V(h_t) − Q(h_t, a_t)).

    It has the same mean over worlds as the discounted return (`bamdp.studies.regret`), for an agent that does not know the
    world, and far less variance: luck is left out.
    """
    return optimum.value - regret_of(record, optimum)
