"""The command `bamdp dataset PROBLEM --output FILE`: episodes with exact labels."""

from typing import Any

from bamdp import validation
from bamdp.agent import Agent
from bamdp.cli import COMMANDS
from bamdp.cli.parser import PRIOR, SEED, STEPS, UsageError, command, user_errors
from bamdp.comparing.candidates import (
    benchmark_with_prior,
    make_candidate,
    make_problem,
    problem_spec,
)
from bamdp.config.names import AGENTS, PRIORS
from bamdp.config.parameters import Parameter
from bamdp.config.registry import UnknownNameError
from bamdp.config.spec import command_line, parse_spec
from bamdp.domain import Domain
from bamdp.validation import suggestion

FLAGS = [
    Parameter(
        "output",
        str | None,
        None,
        "the file, .npz or .parquet; or minari:ID, a data set of Minari, if that is installed",
    ),
    Parameter(
        "policy",
        str,
        "optimal",
        "who acts: optimal, by the exact values with ties at random; or an agent, such as random "
        "or bayes-adaptive:simulations=100",
    ),
    Parameter("episodes", int, 1000, "number of episodes, each in a world of its own"),
    STEPS,
    Parameter(
        "layout",
        str,
        "minari",
        "minari, the columns of its standard; or dpt, the keys of the decision-pretrained "
        "transformer",
    ),
    PRIOR,
    SEED,
]


@command(
    FLAGS,
    usage=COMMANDS["dataset"],
    about=(
        "Episodes in worlds drawn from the prior, with the Bayes-optimal value of each action at "
        "each step, for agents that learn in context. For problems that can be solved exactly: a "
        "few arms, small MDPs, a few possible worlds. The same seed gives the same data, and the "
        "file holds this command."
    ),
    example="bamdp dataset rl2-arms:pulls=20,arms=2 --episodes 50000 --output arms.npz",
)
def write_dataset(words: list[str], values: dict[str, Any]) -> int:
    """Make the data set and write it."""
    from bamdp.comparing.dataset import MINARI, OPTIMAL, RANDOM, checked_output, make_dataset

    output, layout, policy = values["output"], values["layout"], values["policy"]
    with user_errors():  # first: fail fast
        if output is None:
            raise UsageError("--output is needed: a file, .npz or .parquet, or minari:ID")
        validation.one_of("layout", layout, ("minari", "dpt"))
        if output.startswith(MINARI) and layout == "minari":
            validation.require("minari", f"{MINARI}ID needs Minari", "minari")
        else:
            checked_output(output, layout)
        try:
            agent = parse_spec(AGENTS, RANDOM if policy == OPTIMAL else policy)
        except UnknownNameError as error:
            if suggestion(policy, [OPTIMAL]):
                raise UsageError(f"unknown policy '{policy}'; did you mean '{OPTIMAL}'?") from error
            raise
        problem = problem_spec(words[0])
        prior = None if values["prior"] is None else parse_spec(PRIORS, values["prior"]).make()
        benchmark = benchmark_with_prior(make_problem(problem), prior)
        changed = {
            flag.name: values[flag.name]
            for flag in FLAGS
            if flag.name != "output" and values[flag.name] != flag.default
        }
        typed = command_line("dataset", problem, **changed, output=output)

        def make(seed: int, world: Domain) -> Agent:
            return make_candidate(agent, world, benchmark.problem.prior, seed)

        data = make_dataset(
            benchmark,
            policy if policy in (OPTIMAL, RANDOM) else make,
            episodes=values["episodes"],
            steps=values["steps"],
            seed=values["seed"],
            about={"command": typed, "policy": policy},
        )
        data.save(output, layout)
    lost = data.regrets.sum(axis=1).mean()
    print(
        f"{output}: {data.actions.size:,} steps, {data.actions.shape[0]:,} episodes; mean regret "
        f"of an episode {lost:.4g}, mean reward {data.rewards.sum(axis=1).mean():.4g}\n{typed}"
    )
    return 0
