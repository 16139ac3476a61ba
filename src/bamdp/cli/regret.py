"""The command `bamdp regret DOMAIN AGENT`: how far an agent is from Bayes-optimal; in place of a domain, also a problem."""

from typing import Any

from bamdp import validation
from bamdp.cli.output import data, every, mean_text, print_json, print_rows, texts
from bamdp.cli.parser import JSON, PRIOR, SEED, WORKERS, UsageError, command, runs, user_errors
from bamdp.config import Setup, setup
from bamdp.config.choice import command_line
from bamdp.config.parameters import Parameter
from bamdp.exact import TooManyBeliefStatesError
from bamdp.executors import cores
from bamdp.runs import table
from bamdp.runs.engine import threads
from bamdp.runs.table import Column
from bamdp.runs.task import MOST_RUNS
from bamdp.statistics import digits
from bamdp.studies.regret import SolvedProblem, learner, measure

FLAGS = [
    Parameter("steps", int | None, None, "horizon of the problem; infinite if not given"),
    Parameter("error", float, 0.01, "largest error of the optimal value of the infinite-horizon problem"),
    Parameter("limit", int | None, None, "largest number of belief states; five million, or what 2 GiB hold, if not given"),
    runs(100),
    SEED,
    WORKERS,
    PRIOR,
    JSON,
]
COLUMNS = (
    Column("regret", "regret of the agent", table.mean("regret"), mean_text, interval=True),
    Column("mean_return", "plain mean return", table.mean("return"), mean_text, interval=True),
    Column("regrets", "", every("regret")),
)


def run(words: list[str], values: dict[str, Any]) -> int:
    """Solve the problem, measure the agent, and print both."""
    with user_errors():  # first: fail fast
        made = setup(words[0], words[1], values["prior"], kinds=("domain", "problem"))
        about = made.texts(learner(made.make_agent(0)))
        number = validation.positive_integer("runs", values["runs"], MOST_RUNS)
        seed, workers = validation.seed(values["seed"]), threads(cores() if values["workers"] is None else values["workers"])
    problem = _solved(made, values)
    done = measure(problem, made.make_agent, number, seed, workers)
    rows = done.rows
    given = {p.name: values[p.name] for p in FLAGS if p.name not in ("workers", "json") and values[p.name] != p.default}
    about["command"] = command_line("regret", made.domain_choice, made.agent_choice, **given)
    optimum, by = problem.optimum, "losses" if problem.has_values else "returns"
    if values["json"]:
        bound = {"error_bound": optimum.error_bound, "by": by, "steps": optimum.horizon, "belief_states": optimum.belief_states}
        found = {"optimal_value": optimum.value, **bound, **data(COLUMNS, rows)}
        print_json({**found, "settings": {**about, "runs": number, "seed": seed}})
        return 130 if done.interrupted else 0
    exact = not optimum.leaf and (values["steps"] or problem.domain.horizon) is not None
    lost = done.mean("regret")
    share = f"   {100 * lost.value / optimum.value:.3g} % of the optimum" if lost is not None and optimum.value > 0 else ""
    value = digits(optimum.value) if exact else f"{digits(optimum.value, optimum.error_bound)} ± {optimum.error_bound:.2g}"
    found = {
        "Bayes-optimal value": value,
        **texts(COLUMNS, rows),
        "worlds from the prior": f"{len(rows)}, each of {optimum.horizon} steps; regrets by {by}",
        "belief states": f"{optimum.belief_states:,}",
    }
    found[COLUMNS[0].heading] += share
    print_rows(f"{made.agent_choice} in {made.domain_choice}, against Bayes-optimal", found | about)
    return 130 if done.interrupted else 0


def _solved(made: Setup, values: dict[str, Any]) -> SolvedProblem:
    steps = values["steps"]
    tolerance = values["error"] if steps is None else None
    with user_errors({"tolerance": "error"}):
        try:
            return SolvedProblem.solve(made.domain, made.prior, steps, tolerance, limit=values["limit"])
        except TooManyBeliefStatesError as error:
            raise UsageError(_too_large(made, error)) from error


def _too_large(made: Setup, error: TooManyBeliefStatesError) -> str:
    """What would work, as it is typed."""
    size = str(error).partition(";")[0].replace("limit=", "the limit of ")
    return f"bamdp regret {made.domain_choice} {made.agent_choice}: {size}; try --steps {error.horizon}"


COMMAND = command(
    run,
    FLAGS,
    arguments="DOMAIN AGENT",
    summary="how far an agent is from Bayes-optimal, on a small problem",
    about="How far an agent is from Bayes-optimal, in worlds drawn from the prior of a domain or problem.",
    example="bamdp regret random-mdp2:discount=0.6 bamcp:simulations=1000",
)
