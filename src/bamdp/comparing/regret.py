"""How far a policy is from Bayes-optimal, on a problem small enough to be solved exactly.

Worlds are drawn from the prior, as the agent believes they are, and it acts in each. With V and Q
the exact Bayes-optimal values after the history h_t (`bamdp.exact.bayes_optimal`) and G the
discounted return of a run, the regret of its policy π is

    V(h_0) − V^π(h_0) = E_π Σ_t γᵗ (V(h_t) − Q(h_t, a_t)) = V(h_0) − E_π G

(the performance difference lemma, Kakade and Langford 2002, for the Bayes-adaptive MDP). A run thus
has a regret by its losses, the sum, and one by its return; both have the same mean. The sum is
zero, however random the world, if no action was wrong: few worlds tell a good planner from a lucky
one.
It needs the values of all belief states (`BayesOptimal.keeps_values`); elsewhere, as for GridNavi,
regrets are by returns.

A run continues after the end of an episode with the next one, and so does the problem (`restart`
and `time_limit` of `bamdp.exact.bayes_optimal`).

The identity holds for policies that depend on the history alone. An agent that knows the world
(`Agent.uses_true_model`) has another optimum, above V, and is rejected.
`bamdp.comparing.policy_regret` measures policies of the Bayes-adaptive environment, agents of
other libraries.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from bamdp import validation
from bamdp.agent import Agent
from bamdp.comparing.engine import complete, progress_bar, threads
from bamdp.comparing.planned import PlannedRun, measures
from bamdp.comparing.rows import MOST_RUNS
from bamdp.comparing.table import Table
from bamdp.domain import Domain
from bamdp.domains.tabular import Tabular
from bamdp.exact import BayesOptimal, bayes_optimal
from bamdp.exact.solution import LONGEST
from bamdp.prior import Prior
from bamdp.problem import BAMDP
from bamdp.runs.loop import Record
from bamdp.steps import Step, Steps
from bamdp.suite.benchmark import Benchmark

By = Literal["losses", "returns"]


@dataclass(frozen=True)
class Optimum:
    """What the runs of a policy are measured against.

    Args:
        value: the Bayes-optimal value of a run.
        solution: the solution that it is from; None if only the value is known.

    Example:
        >>> import bamdp
        >>> problem = bamdp.domains.Bandit([0.2, 0.7], 1.0, horizon=2).problem()
        >>> optimum = Optimum.of(bamdp.exact.bayes_optimal(problem, state=0))
        >>> failed = [Step(0, 0, 0.0, 0), Step(0, 0, 0.0, 0)]  # the same arm again, after a failure
        >>> optimum.by, round(optimum.regret(failed, discount=1.0, discounted_return=0.0), 3)
        ('losses', 0.167)
    """

    value: float
    solution: BayesOptimal | None = None

    @classmethod
    def of(cls, solution: BayesOptimal) -> Optimum:
        """The optimum of a solution."""
        return cls(solution.value, solution)

    @property
    def by(self) -> By:
        """What regrets are computed from."""
        return "losses" if self.solution is not None and self.solution.keeps_values else "returns"

    def regret(self, steps: Iterable[Step], discount: float, discounted_return: float) -> float:
        """The regret of a run, by its losses where the values of all belief states are known."""
        if self.solution is None or self.by == "returns":
            return self.value - discounted_return
        walk, losses = self.solution.walk(), 0.0
        before: Step | None = None
        for step in steps:
            if before is not None:
                walk.step(before.action, before.next_state, before.reward, before.terminated)
            q = walk.q_values
            losses += discount**walk.depth * float(q.max() - q[step.action])
            before = step
        return losses


def regret_of(record: Record, optimum: Optimum) -> float:
    """The regret of the run of an agent."""
    columns = record.states, record.actions, record.rewards, record.next_states, record.terminated
    return optimum.regret(Steps(*columns).rows(), record.discount, record.discounted_return)


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
        """Solve the problem of `steps` steps, or the infinite-horizon one to the precision
        `tolerance`.

        Args:
            domain: a problem, or a `Tabular` domain, whose transitions are not used.
            prior: prior over the worlds: `Dirichlet`, `SparseDirichlet`, `BetaArms`, `Finite` or
                `Parametric`; the domain's if not given.
            steps: number of steps of a run, over any number of episodes.
            tolerance: maximum error of the optimal value. Give one of the two, unless the domain
                has a horizon.
            settings: `limit`, the maximum number of belief states.

        Raises:
            TooManyBeliefStatesError: the problem is too large, by an estimate made at once; it says
                what would work.
        """
        if isinstance(domain, BAMDP):
            domain = Benchmark(domain).domain
        if not isinstance(domain, Tabular) or domain.start is None:
            raise TypeError(
                f"domain must be a Tabular one, with one start state, got {type(domain).__name__}"
            )
        if domain.horizon is not None:
            if steps not in (None, domain.horizon):
                raise ValueError(
                    f"steps must be the horizon of {domain!r}, {domain.horizon}, which agents plan "
                    f"for, got {steps}"
                )
            steps, tolerance = domain.horizon, None
        if (steps is None) == (tolerance is None):
            raise ValueError(
                f"give either steps or tolerance, got steps={steps} and tolerance={tolerance}"
            )
        steps = None if steps is None else validation.positive_integer("steps", steps, LONGEST)
        problem = domain.problem(prior)
        optimum = bayes_optimal(
            problem,
            domain.start,
            steps,
            tolerance,
            restart=domain.start,
            time_limit=domain.time_limit,
            **settings,
        )
        return cls(domain, problem, optimum)

    @property
    def by(self) -> By:
        """What regrets are computed from."""
        return Optimum.of(self.optimum).by

    def world(self, seed: int) -> Tabular:
        """A world drawn from the prior."""
        (own,) = np.random.SeedSequence(validation.seed(seed)).spawn(
            1
        )  # the run itself uses the seed
        world, domain = self.problem.sample_world(np.random.default_rng(own)), self.domain
        length = domain.episode_length
        settings: Any = {
            "start": domain.start,
            "horizon": domain.horizon,
            "episode_length": length,
            "time_limit": domain.time_limit if length is None else None,
        }
        return Tabular(world, domain.discount, prior=self.problem.prior, **settings)


def measure(
    problem: SolvedProblem,
    make_agent: Callable[[int, Domain], Agent],
    runs: int = 100,
    seed: int = 0,
    workers: int = 1,
) -> Table:
    """Let an agent act in `runs` worlds drawn from the prior; the table has the columns `regret`
    and `return`.

    Args:
        problem: the solved problem.
        make_agent: makes an agent from its seed and the world of the run, whose transitions it must
            not use.
        runs: number of worlds.
        seed: the seeds of worlds and agents are derived from it.
        workers: runs at a time; the results don't depend on it.

    Example:
        >>> import bamdp
        >>> world = bamdp.domains.Bandit([0.5, 0.5], discount=0.6)
        >>> problem = SolvedProblem.solve(world, tolerance=0.01)
        >>> table = measure(problem, lambda seed, world: bamdp.agents.Gittins(world.problem(),
        ...     seed=seed), runs=20)
        >>> bool(table.values("regret").max() < 1e-3)
        True
    """
    if not isinstance(problem, SolvedProblem):
        raise TypeError(
            f"problem must be a SolvedProblem, as SolvedProblem.solve makes one, got {problem!r}"
        )
    validation.function("make_agent", make_agent)
    runs, seed, workers = (
        validation.positive_integer("runs", runs, MOST_RUNS),
        validation.seed(seed),
        threads(workers),
    )

    optimum, solution = Optimum.of(problem.optimum), problem.optimum

    def draw(agent_seed: int, world_seed: int) -> tuple[Agent, Domain]:
        world = problem.world(world_seed)
        return learner(make_agent(agent_seed, world)), world

    def measured(record: Record, agent: Agent) -> dict[str, Any]:
        after = record.discount**solution.horizon * solution.leaf  # of the end of the run
        return {
            **measures(record, agent),
            "regret": regret_of(record, optimum),
            "return": record.discounted_return + after,
        }

    tasks = [
        PlannedRun(draw, solution.horizon, seed, run, measures=measured) for run in range(runs)
    ]
    with progress_bar("steps") as show:
        return complete(tasks, workers=workers, show=show).table(tasks)
