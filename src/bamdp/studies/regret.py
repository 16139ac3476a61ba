"""How far an agent's policy is from Bayes-optimal, on a problem small enough to be solved exactly.

Worlds are drawn from the prior, as the agent believes they are, and it acts in each. With V and Q the exact Bayes-optimal
values after the history h_t (`bamdp.exact.bayes_optimal`), the regret of its policy π is

    V(h_0) − V^π(h_0) = E_π Σ_t γᵗ (V(h_t) − Q(h_t, a_t))

(the performance difference lemma, Kakade and Langford 2002, for the Bayes-adaptive MDP). The sum is known for each run and,
however random the world, zero if no action was wrong: few worlds tell a good planner from a lucky one. The mean of the returns
estimates V^π too, with far more noise; it is reported as well.

A run goes on after the end of an episode with the next one, and so does the problem (`restart` and `time_limit` of
`bamdp.exact.bayes_optimal`).

Where the belief states are too many to be kept, but the value is known (`BayesOptimal.walk`), as for GridNavi, the regret of a
run is V(h_0) minus its return.

The identity holds for policies that depend on the history alone. An agent that knows the world (`Agent.uses_true_model`)
has another optimum, above V, and is rejected.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from bamdp import validation
from bamdp.agent import Agent
from bamdp.domain import Domain
from bamdp.domains.tabular import Tabular
from bamdp.exact.bayes_optimal import LONGEST, BayesOptimal, TooManyBeliefStatesError, bayes_optimal
from bamdp.prior import Prior
from bamdp.problem import BAMDP
from bamdp.problems import Problem
from bamdp.runs.engine import complete, shown, threads
from bamdp.runs.loop import Record
from bamdp.runs.table import Table
from bamdp.runs.task import MOST_RUNS, LocalTask, measures


def regret_of(record: Record, optimum: BayesOptimal) -> float:
    """What the actions of a run gave away, Σ_t γᵗ (V(h_t) − Q(h_t, a_t))."""
    walk, regret = optimum.walk(), 0.0
    columns = (record.actions, record.next_states, record.rewards, record.terminated)
    for action, next_state, reward, terminated in zip(*(column.tolist() for column in columns), strict=True):
        values = walk.values
        regret += record.discount**walk.depth * float(values.max() - values[action])
        walk.step(action, next_state, reward, terminated)
    return regret


def keeps_values(optimum: BayesOptimal) -> bool:
    """Whether the values of all belief states can be kept."""
    try:
        optimum.walk()
    except TooManyBeliefStatesError:
        return False
    return True


def learner(agent: Agent) -> Agent:
    """`agent`, if its actions depend on the history alone."""
    if not isinstance(agent, Agent):
        raise TypeError(f"agent must be a bamdp.Agent, got {agent!r}")
    if agent.uses_true_model:
        raise ValueError(
            f"agent must be one that learns the world, got {type(agent).__name__}, which knows it: "
            "regret is to the best that can be done without knowing, and it may earn more"
        )
    return agent


@dataclass(frozen=True)
class SolvedProblem:
    """A small problem and its exact solution.

    Attributes:
        domain: its start state and time limit are those of the problem; its transitions aren't.
        problem: what agents are told.
        optimum: the solution from the start state.
    """

    domain: Tabular
    problem: BAMDP
    optimum: BayesOptimal

    @classmethod
    def solve(
        cls,
        domain: Domain | BAMDP,
        prior: Prior | None = None,
        steps: int | None = None,
        tolerance: float | None = None,
        **settings: Any,
    ) -> SolvedProblem:
        """Solve the problem of `steps` steps, or the infinite-horizon one to the precision `tolerance`.

        Args:
            domain: a problem, or a `Tabular` domain, whose transitions are not used.
            prior: prior over the worlds: `Dirichlet`, `SparseDirichlet`, `BetaArms`, `Finite` or `Parametric`; the domain's if
                not given.
            steps: number of steps of a run, over any number of episodes.
            tolerance: maximum error of the optimal value. Give one of the two, unless the domain has a horizon.
            settings: `limit`, the maximum number of belief states.

        Raises:
            TooManyBeliefStatesError: the problem is too large, by an estimate made at once; it says what would work.
        """
        if isinstance(domain, BAMDP):
            domain = Problem(domain).domain
        if not isinstance(domain, Tabular) or domain.start is None:
            raise TypeError(f"domain must be a Tabular one, with one start state, got {type(domain).__name__}")
        if domain.horizon is not None:
            if steps not in (None, domain.horizon):
                raise ValueError(
                    f"steps must be the horizon of {domain!r}, {domain.horizon}, which agents plan for, got {steps}"
                )
            steps, tolerance = domain.horizon, None
        if (steps is None) == (tolerance is None):
            raise ValueError(f"give either steps or tolerance, got steps={steps} and tolerance={tolerance}")
        steps = None if steps is None else validation.positive_integer("steps", steps, LONGEST)
        problem, limit = domain.problem(prior), domain.time_limit or domain.episode_length
        optimum = bayes_optimal(problem, domain.start, steps, tolerance, restart=domain.start, time_limit=limit, **settings)
        return cls(domain, problem, optimum)

    @property
    def has_values(self) -> bool:
        """Whether the values of all belief states can be kept; else regrets come from returns."""
        return keeps_values(self.optimum)

    def world(self, seed: int) -> Tabular:
        """A world drawn from the prior."""
        (own,) = np.random.SeedSequence(validation.seed(seed)).spawn(1)  # the run itself uses the seed
        world, domain = self.problem.sample_world(np.random.default_rng(own)), self.domain
        settings: Any = {name: getattr(domain, name) for name in ("start", "time_limit", "horizon", "episode_length")}
        return Tabular(world, domain.discount, prior=self.problem.prior, **settings)


def measure(
    problem: SolvedProblem, make_agent: Callable[[int, Domain], Agent], runs: int = 100, seed: int = 0, workers: int = 1
) -> Table:
    """Let an agent act in `runs` worlds drawn from the prior; the table has the columns `regret` and `return`.

    Args:
        problem: the solved problem.
        make_agent: makes an agent from its seed and the world of the run, whose transitions it must not use.
        runs: number of worlds.
        seed: the seeds of worlds and agents are derived from it.
        workers: runs at a time; the results don't depend on it.

    Example:
        >>> import bamdp
        >>> world = bamdp.domains.Bandit([0.5, 0.5], discount=0.6)
        >>> problem = SolvedProblem.solve(world, tolerance=0.01)
        >>> table = measure(problem, lambda seed, world: bamdp.agents.Gittins(world.problem(), seed=seed), runs=20)
        >>> bool(table.values("regret").max() < 1e-3)
        True
    """
    if not isinstance(problem, SolvedProblem):
        raise TypeError(f"problem must be a SolvedProblem, as SolvedProblem.solve makes one, got {problem!r}")
    validation.function("make_agent", make_agent)
    runs, seed, workers = validation.positive_integer("runs", runs, MOST_RUNS), validation.seed(seed), threads(workers)

    by_losses = problem.has_values

    def draw(agent_seed: int, world_seed: int) -> tuple[Agent, Domain]:
        world = problem.world(world_seed)
        return learner(make_agent(agent_seed, world)), world

    def measured(record: Record, agent: Agent) -> dict[str, Any]:
        optimum = problem.optimum
        regret = regret_of(record, optimum) if by_losses else optimum.value - record.discounted_return
        after = record.discount**optimum.horizon * optimum.leaf  # the value of what comes after the end of the run
        return {**measures(record, agent), "regret": regret, "return": record.discounted_return + after}

    tasks = [LocalTask(draw, problem.optimum.horizon, seed, run, measures=measured) for run in range(runs)]
    with shown("steps") as show:
        return complete(tasks, workers=workers, show=show).table(tasks)
