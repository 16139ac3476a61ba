"""The most that an agent without knowledge of the world can earn on a problem, on average: a bound, or the exact optimum."""

from collections.abc import Mapping
from typing import Any

from bamdp.exact import bayes_optimal
from bamdp.exact import upper_bound as exact_bound
from bamdp.studies.tasks import compare


def perform(settings: Mapping[str, Any], seed: int, run: int) -> dict[str, Any]:
    """The bound for `steps` steps from the start and, where it is not exact, the mean value of knowing the world.

    A problem with episodes in one world is solved exactly; for another one the world is told some steps late.

    Example:
        >>> found = perform({"problem": "bbrl-gdl", "steps": 20, "limit": 10**5}, seed=0, run=0)
        >>> round(found["most"], 1), round(found["knowing"], 1), found["delay"]
        (2.1, 2.2, 5)
    """
    posed = compare.make_problem(compare.choose_problem(settings["problem"]))
    domain: Any = posed.domain
    given = (posed.prior, domain.rewards, domain.discount, domain.start)
    if domain.episode_length is not None:
        solved = bayes_optimal(*given, settings["steps"], restart=domain.start, time_limit=domain.episode_length)
        return {"most": solved.value}
    limit = {"limit": settings["limit"]} if "limit" in settings else {}
    bound = exact_bound(*given, horizon=settings["steps"], terminal=domain.terminal, seed=seed, **limit)
    return {"most": bound.high, "knowing": bound.knowing.value, "delay": bound.delay}
