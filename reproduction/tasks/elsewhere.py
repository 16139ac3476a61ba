"""Agents in the worlds of published tables of others, in blocks: what each world paid."""

from collections.abc import Mapping
from functools import partial
from typing import Any

from bamdp.comparing.candidates import benchmark_of, draw, make_candidate
from bamdp.config.names import AGENTS
from bamdp.config.spec import parse_spec
from bamdp.domains import Tabular
from bamdp.runs.loop import run as run_episode
from bamdp.runs.loop import seeds
from reproduction.tasks import kind

DIGITS = 5  # significant, of stored numbers
REGRET = ("banditbench",)  # benchmarks whose tables are of regrets


@kind
def elsewhere(settings: Mapping[str, Any], seed: int, run: int) -> dict[str, Any]:
    """An agent in a block of worlds, as in `bamdp.compare`. Lists by world, of the worlds from `run
    * worlds` on.

    `total_reward` is what was paid; `expected_reward`, the sum of the mean rewards of what the
    agent did, has the same mean and less noise; `regret`, in place of the first, is what the best
    arm would have paid, less the second. All settings but `problem`, `agent` and `worlds` are the
    agent's.

    Example:
        >>> row = elsewhere({"problem": "rl2-arms:pulls=10,arms=5", "agent": "random", "worlds": 3},
        ...     seed=0, run=0)
        >>> len(row["total_reward"]), row["steps"]
        (3, 30)
    """
    own = {name: value for name, value in settings.items() if value is not None}
    problem, agent, worlds = (own.pop(name) for name in ("problem", "agent", "worlds"))
    choice, benchmark = parse_spec(AGENTS, agent, own), benchmark_of(problem)
    rows, seconds = [], 0.0
    for i in range(worlds):
        agent_seed, world_seed = seeds(seed, run * worlds + i)
        made, world = draw(benchmark, partial(make_candidate, choice), agent_seed, world_seed)
        assert isinstance(world, Tabular)
        record = run_episode(made, world, benchmark.steps, world_seed)
        means = world.mdp.expected_rewards
        earned = float(means[record.states, record.actions].sum())
        seconds += record.seconds
        rows.append({"expected_reward": earned})
        if problem.partition(":")[0] in REGRET:
            rows[-1]["regret"] = benchmark.steps * float(means.max()) - earned
        else:
            rows[-1]["total_reward"] = record.total_reward
    measured = {name: [float(f"{row[name]:.{DIGITS}g}") for row in rows] for name in rows[0]}
    return {**measured, "steps": benchmark.steps * worlds, "agent_seconds": round(seconds, 6)}
