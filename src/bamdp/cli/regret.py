"""The command `bamdp regret DOMAIN AGENT`: what was asked for, and what is printed at the end."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from bamdp import _validation, statistics
from bamdp.agent import Agent
from bamdp.cli.output import finite, mean_text, print_rows
from bamdp.config.names import UsageError
from bamdp.config.parameters import Flag
from bamdp.config.setup import Request, common_flags, readable
from bamdp.exact import TooManyBeliefStatesError
from bamdp.exact.bayes_optimal import LIMIT
from bamdp.runner import MOST_RUNS, Outcome, threads
from bamdp.studies import regret


class RegretRequest(Request):
    """What `bamdp regret` was asked to do."""

    command = "regret"

    def _run_flags(self) -> list[Flag]:
        return [
            Flag("steps", int | None, None, "the problem ends after that many steps; without end if not given"),
            Flag("error", float, 0.01, "greatest error of the optimal value of the problem without end"),
            Flag("limit", int, LIMIT, "belief states allowed for the exact solution"),
            *common_flags(runs=100),
        ]

    def agent(self) -> Agent:
        """An agent as it was asked for, so that a mistake in its settings shows before anything is solved."""
        with readable():
            return regret.learner(self.make_agent(0))

    def problem(self) -> regret.Problem:
        """The exact solution, before anything is run."""
        run = self.values["run"]
        tolerance = run["error"] if run["steps"] is None else None
        with readable({"tolerance": "error"}):
            try:
                return regret.Problem.solve(self.domain, self.prior, run["steps"], tolerance, limit=run["limit"])
            except TooManyBeliefStatesError as error:
                raise UsageError(f"{error}; see --steps, --error, --discount and --limit") from error

    def measure(self, problem: regret.Problem) -> Outcome:
        """Run the agent."""
        run = self.values["run"]
        with readable():
            runs = _validation.positive_integer("runs", run["runs"], MOST_RUNS)
            seed, workers = _validation.seed(run["seed"]), threads(run["workers"])
        return regret.measure(problem, self.make_agent, runs, seed, workers)


@dataclass(frozen=True)
class Report:
    """What `bamdp regret` prints."""

    title: str
    problem: regret.Problem
    outcome: Outcome
    settings: dict[str, Any]

    @property
    def regret(self) -> statistics.Mean | None:
        """Mean over the worlds."""
        found = [result.regret for result in self.outcome.results if result.regret is not None]
        return statistics.mean(found) if found else None

    @property
    def returned(self) -> statistics.Mean | None:
        """Mean return of the worlds, with what is left at the end."""
        found = [self.problem.returned(result.discounted_return) for result in self.outcome.results]
        return statistics.mean(found) if found else None

    def print_json(self) -> None:
        """One object on standard output."""
        optimum = self.problem.optimum
        data = {
            "optimal_value": optimum.value,
            "error_bound": optimum.error_bound,
            "regret": _json(self.regret),
            "policy_value": optimum.value - self.regret.value if self.regret else None,
            "mean_return": _json(self.returned),
            "regrets": [result.regret for result in self.outcome.results],
            "steps": optimum.horizon,
            "belief_states": optimum.belief_states,
            "settings": self.settings,
        }
        print(json.dumps(finite(data), allow_nan=False))

    def print_table(self) -> None:
        """A table on standard output."""
        optimum, mean = self.problem.optimum, self.regret
        share = f"   {100 * mean.value / optimum.value:.3g} % of it" if mean and optimum.value > 0 else ""
        beyond = f" ± {optimum.error_bound:.2g}" if self.problem.leaf or self.settings["steps"] is None else ""
        rows = [
            ("Bayes-optimal value", f"{optimum.value:.6g}{beyond}"),
            ("regret of the agent", mean_text(mean) + share),
            ("plain mean return", mean_text(self.returned)),
            ("worlds from the prior", f"{len(self.outcome.results)}, each of {optimum.horizon} steps"),
            ("belief states", f"{optimum.belief_states:,}"),
        ]
        named = ("domain", "agent", "prior")
        rows += [(name, str(self.settings[name])) for name in named]
        others = ", ".join(f"{name}={value}" for name, value in self.settings.items() if name not in named)
        print_rows(self.title, [*rows, ("settings", others)])


def run(domain_name: str, agent_name: str, words: list[str]) -> int:
    """Do it, print the report, and return the exit code."""
    request = RegretRequest(domain_name, agent_name, words)
    settings = request.settings(request.agent())
    problem = request.problem()
    outcome = request.measure(problem)
    report = Report(f"{agent_name} in {domain_name}, against Bayes-optimal", problem, outcome, settings)
    (report.print_json if request.values["run"]["json"] else report.print_table)()
    return 130 if outcome.interrupted else 0


def _json(mean: statistics.Mean | None) -> dict[str, Any] | None:
    return None if mean is None else {"mean": mean.value, "ci95": None if mean.low is None else [mean.low, mean.high]}
