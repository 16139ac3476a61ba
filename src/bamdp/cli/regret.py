"""The command `bamdp regret DOMAIN AGENT`: how far an agent is from Bayes-optimal; in place of a domain, also a problem."""

from math import isfinite
from typing import Any

from bamdp import statistics, validation
from bamdp.cli.command import Parsed, agent_command, common
from bamdp.cli.output import interval, mean_text, print_json, print_rows, setting_rows
from bamdp.cli.parser import UsageError, user_errors
from bamdp.config.parameters import Parameter
from bamdp.exact import TooManyBeliefStatesError
from bamdp.runs.engine import threads
from bamdp.runs.table import Table
from bamdp.runs.task import MOST_RUNS
from bamdp.studies.regret import SolvedProblem, learner, measure

PARAMETERS = [
    Parameter("steps", int | None, None, "horizon of the problem; infinite if not given"),
    Parameter("error", float, 0.01, "largest error of the optimal value of the infinite-horizon problem"),
    Parameter("limit", int | None, None, "largest number of belief states; five million, or what 2 GiB hold, if not given"),
    *common(runs=100),
]


def run(parsed: Parsed) -> int:
    """Solve the problem, measure the agent, and print both."""
    own = parsed.run
    with user_errors():  # first, so that mistakes show before anything is solved
        settings = parsed.settings(learner(parsed.setup.make_agent(0)))
        runs = validation.positive_integer("runs", own["runs"], MOST_RUNS)
        seed, workers = validation.seed(own["seed"]), threads(own["workers"])
    problem = _solved(parsed)
    done = measure(problem, parsed.setup.make_agent, runs, seed, workers)
    title = f"{parsed.setup.agent_name} in {parsed.setup.domain_name}, against Bayes-optimal"
    if own["json"]:
        print_json(_data(problem, done, settings))
    else:
        print_rows(title, _rows(problem, done, settings, parsed.defaults))
    return 130 if done.interrupted else 0


def _solved(parsed: Parsed) -> SolvedProblem:
    steps, limit = parsed.run["steps"], parsed.run["limit"]
    tolerance = parsed.run["error"] if steps is None else None
    with user_errors({"tolerance": "error"}):
        try:
            return SolvedProblem.solve(parsed.setup.domain, parsed.setup.prior, steps, tolerance, limit=limit)
        except TooManyBeliefStatesError as error:
            raise UsageError(_too_large(parsed, error)) from error


def _too_large(parsed: Parsed, error: TooManyBeliefStatesError) -> str:
    """What would work, in flags."""
    flags = {"steps": error.horizon, "discount": error.discount, "error": error.tolerance}
    tries = [f"--{flag} {value:g}" for flag, value in flags.items() if value is not None]
    size = str(error).partition(";")[0].replace("limit=", "the limit of ")
    names = f"{parsed.setup.domain_name} {parsed.setup.agent_name}"
    return f"bamdp regret {names}: {size}; try {' or '.join(tries)}"


def _means(problem: SolvedProblem, done: Table) -> tuple[statistics.Mean | None, statistics.Mean | None]:
    """Mean regret, and mean return with the value of what comes after the end."""
    returns = [problem.returned(row["discounted_return"]) for row in done.rows]
    return done.mean("regret"), statistics.mean(returns) if returns else None


def _data(problem: SolvedProblem, done: Table, settings: dict[str, Any]) -> dict[str, Any]:
    optimum, (regret, returned) = problem.optimum, _means(problem, done)
    return {
        "optimal_value": optimum.value,
        "error_bound": optimum.error_bound if isfinite(optimum.error_bound) else None,
        "regret": {"mean": regret.value, "ci95": interval(regret)} if regret else None,
        "by": "losses" if problem.has_values else "returns",
        "policy_value": optimum.value - regret.value if regret else None,
        "mean_return": {"mean": returned.value, "ci95": interval(returned)} if returned else None,
        "regrets": done.values("regret").tolist(),
        "steps": optimum.horizon,
        "belief_states": optimum.belief_states,
        "settings": settings,
    }


def _rows(problem: SolvedProblem, done: Table, settings: dict[str, Any], defaults: dict[str, Any]) -> list[tuple[str, str]]:
    optimum, (regret, returned) = problem.optimum, _means(problem, done)
    share = f"   {100 * regret.value / optimum.value:.3g} % of it" if regret and optimum.value > 0 else ""
    infinite = settings["steps"] is None and problem.domain.horizon is None
    error = f" ± {optimum.error_bound:.2g}" if optimum.leaf or infinite else ""
    return [
        ("Bayes-optimal value", f"{statistics.digits(optimum.value, optimum.error_bound if error else None)}{error}"),
        ("regret of the agent" if problem.has_values else "regret, by its returns", mean_text(regret) + share),
        ("plain mean return", mean_text(returned)),
        ("worlds from the prior", f"{len(done.rows)}, each of {optimum.horizon} steps"),
        ("belief states", f"{optimum.belief_states:,}"),
        *setting_rows(settings, defaults),
    ]


COMMAND = agent_command(
    run,
    PARAMETERS,
    summary="how far an agent is from Bayes-optimal, on a small problem",
    about="How far an agent is from Bayes-optimal, in worlds drawn from the prior of a domain or problem.",
    example="bamdp regret random-mdp2 bamcp --discount 0.6 --simulations 1000",
    kinds=("domain", "problem"),
)
