"""The command `bamdp regret DOMAIN AGENT`: how far an agent is from Bayes-optimal; in place of a
domain, also a benchmark. With `--log FILE --problem PROBLEM`: how far the choices in a log are.
"""

from pathlib import Path
from typing import Any

from bamdp import validation
from bamdp.cli import COMMANDS
from bamdp.cli.output import data, every, mean_text, print_json, print_rows, texts
from bamdp.cli.parser import JSON, PRIOR, SEED, WORKERS, UsageError, command, runs_flag, user_errors
from bamdp.comparing import table
from bamdp.comparing.engine import threads
from bamdp.comparing.regret import SolvedProblem, learner, measure
from bamdp.comparing.rows import MOST_RUNS
from bamdp.comparing.table import Column, Table
from bamdp.config import Setup, setup
from bamdp.config.names import BENCHMARKS, DOMAINS, PRIORS
from bamdp.config.parameters import Parameter
from bamdp.config.spec import command_line, parse_spec
from bamdp.exact import TooManyBeliefStatesError
from bamdp.executors import cores
from bamdp.statistics import digits

FLAGS = [
    Parameter(
        "log",
        str | None,
        None,
        "score this log of choices instead of an agent: CSV with a line of names, or JSON lines, "
        ".jsonl; action and reward, and episode, step, state, next_state if there are any",
    ),
    Parameter("problem", str | None, None, "the domain or benchmark that the log is of"),
    Parameter("output", str | None, None, "with --log: a CSV file for the loss of each choice"),
    Parameter("steps", int | None, None, "horizon of the problem; infinite if not given"),
    Parameter(
        "error", float, 0.01, "largest error of the optimal value of the infinite-horizon problem"
    ),
    Parameter(
        "limit",
        int | None,
        None,
        "largest number of belief states; five million, or what 2 GiB hold, if not given",
    ),
    runs_flag(100),
    SEED,
    WORKERS,
    PRIOR,
    JSON,
]
COLUMNS = (
    Column("regret", "regret of the agent", table.mean_of("regret"), mean_text, interval=True),
    Column("mean_return", "plain mean return", table.mean_of("return"), mean_text, interval=True),
    Column("regrets", "", every("regret")),
)

EXAMPLE = "bamdp regret random-mdp2:discount=0.6 bamcp:simulations=1000"
LOG_EXAMPLE = """\
The choices of a language model, a person or a network, as a log:
  bamdp regret --log choices.csv --problem rl2-arms:pulls=20,arms=2"""


@command(
    FLAGS,
    usage=COMMANDS["regret"],
    about=(
        "How far an agent is from Bayes-optimal, in worlds drawn from the prior of a domain or "
        "benchmark."
    ),
    example=EXAMPLE,
    notes=lambda: LOG_EXAMPLE,
)
def measure_regret(words: list[str], values: dict[str, Any]) -> int:
    """Solve the problem, measure the agent, and print both."""
    if values["log"] is not None:
        return _score(words, values)
    if len(words) != 2:
        got = f"'{' '.join(words)}'" if words else "nothing"
        raise UsageError(
            f"regret needs DOMAIN AGENT, got {got}; for example: {EXAMPLE}; or --log FILE "
            "--problem PROBLEM. See bamdp regret --help"
        )
    for name in ("problem", "output"):
        if values[name] is not None:
            raise UsageError(f"--{name} goes with --log; see bamdp regret --help")
    with user_errors():  # first: fail fast
        made = setup(words[0], words[1], values["prior"], kinds=(DOMAINS, BENCHMARKS))
        about = made.texts(learner(made.make_agent(0)))
        number = validation.positive_integer("runs", values["runs"], MOST_RUNS)
        seed, workers = (
            validation.seed(values["seed"]),
            threads(cores() if values["workers"] is None else values["workers"]),
        )
    problem = _solved(made, values)
    optimum = problem.optimum
    done = measure(problem, made.make_agent, number, seed, workers)
    changed = {
        flag.name: values[flag.name]
        for flag in FLAGS
        if flag.name not in ("workers", "json") and values[flag.name] != flag.default
    }
    about["command"] = command_line("regret", made.domain_spec, made.agent_spec, **changed)
    if values["json"]:
        print_json(
            {
                "optimal_value": optimum.value,
                "error_bound": optimum.error_bound,
                "by": problem.by,
                "steps": optimum.horizon,
                "belief_states": optimum.belief_states,
                **data(COLUMNS, done.rows),
                "settings": {**about, "runs": number, "seed": seed},
            }
        )
    else:
        title = f"{made.agent_spec} in {made.domain_spec}, against Bayes-optimal"
        print_rows(title, _result_lines(problem, done, values["steps"]) | about)
    return 130 if done.interrupted else 0


def _score(words: list[str], values: dict[str, Any]) -> int:
    """Score a log and print the result; a file is written only if all of the log is right."""
    from bamdp.comparing.candidates import make_problem, problem_spec
    from bamdp.comparing.log_regret import log_regret

    if words or values["problem"] is None:
        raise UsageError(f"--log goes with --problem and no names before it; {LOG_EXAMPLE}")
    with user_errors():
        prior = None if values["prior"] is None else parse_spec(PRIORS, values["prior"]).make()
        problem = make_problem(problem_spec(values["problem"]))
        result = log_regret(
            values["log"], problem, prior=prior, steps=values["steps"], seed=values["seed"]
        )
        if values["output"] is not None:
            result.to_csv(Path(values["output"]))
    if values["json"]:
        print_json(result.data())
    else:
        title = f"{values['log']} in {values['problem']}, against Bayes-optimal"
        print_rows(title, result.lines())
    return 0


def _result_lines(problem: SolvedProblem, done: Table, steps: int | None) -> dict[str, Any]:
    """The result, line by line."""
    optimum, lost = problem.optimum, done.mean("regret")
    cut = steps is not None and problem.domain.horizon is None  # the bound is for all steps
    value = digits(optimum.value)
    if optimum.error_bound > 0 and not cut:
        error = optimum.error_bound
        value = f"{digits(optimum.value, error)} ± {error:.2g}"
    measured = texts(COLUMNS, done.rows)
    if lost is not None and optimum.value > 0:
        measured[COLUMNS[0].heading] += (
            f"   {100 * lost.value / optimum.value:.3g} % of the optimum"
        )
    runs = f"{len(done.rows)}, each of {optimum.horizon} steps; regrets by {problem.by}"
    return {
        "Bayes-optimal value": value,
        **measured,
        "worlds from the prior": runs,
        "belief states": f"{optimum.belief_states:,}",
    }


def _solved(made: Setup, values: dict[str, Any]) -> SolvedProblem:
    steps = values["steps"]
    tolerance = values["error"] if steps is None else None
    with user_errors({"tolerance": "error"}):
        try:
            return SolvedProblem.solve(
                made.domain, made.prior, steps, tolerance, limit=values["limit"]
            )
        except TooManyBeliefStatesError as error:
            raise UsageError(_too_large(made, error)) from error


def _too_large(made: Setup, error: TooManyBeliefStatesError) -> str:
    """What would work, as it is typed."""
    size = str(error).partition(";")[0].replace("limit=", "the limit of ")
    return f"bamdp regret {made.domain_spec} {made.agent_spec}: {size}; try --steps {error.horizon}"
