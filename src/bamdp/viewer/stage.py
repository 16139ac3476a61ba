"""The runs of a show side by side, one for each agent, in step."""

from typing import Any

from bamdp.config import described
from bamdp.viewer.show import WatchSetup
from bamdp.viewer.watched import WatchedRun


class Stage:
    """One run of each agent of a show, with the same seeds.

    If not given, the seed is the show's, the prior the first of the show's, and simulations per decision are the agents' own.
    """

    def __init__(
        self, show: WatchSetup, seed: int | None = None, prior: str | None = None, simulations: list[int | None] | None = None
    ) -> None:
        self.show = show
        budgets = simulations or [None] * len(show.agents)
        self.runs = [WatchedRun(show, seed, prior, budget, index) for index, budget in enumerate(budgets)]

    @property
    def done(self) -> bool:
        """All steps were taken."""
        return self.runs[0].done

    @property
    def steps(self) -> int:
        """The number of steps taken."""
        return self.runs[0].steps

    @property
    def simulations(self) -> list[int | None]:
        """Simulations per decision of each agent."""
        return [getattr(run.agent, "simulations", None) for run in self.runs]

    def stop(self) -> None:
        """Stop: a search under way ends with a `StoppedWatchingError`. May be called from another thread."""
        for run in self.runs:
            run.stop()

    def resume(self) -> None:
        for run in self.runs:
            run.resume()

    def check(self) -> None:
        """Raise a `StoppedWatchingError` if it was stopped."""
        self.runs[0].check()

    def step(self) -> None:
        """One step of every run; those that are behind catch up, after one that was stopped or failed."""
        goal = min(run.steps for run in self.runs) + 1
        for run in self.runs:
            if run.steps < goal:
                run.step()

    def set_simulations(self, simulations: int) -> None:
        """Search with this many simulations from now on, in all agents that search."""
        searching = [run for run in self.runs if hasattr(run.agent, "simulations")]
        for run in searching or self.runs[:1]:
            run.set_simulations(simulations)

    def compute_bounds(self) -> None:
        """Compute the upper bounds of the present plans."""
        for run in self.runs:
            run.compute_bounds()

    def init(self) -> dict[str, Any]:
        """What stays the same throughout the runs."""
        first, show = self.runs[0], self.show
        return {
            "type": "init",
            "domain": show.domain_name,
            "about": described(show.domain),
            "description": show.description,
            "settings": show.settings,
            "steps": show.steps,
            "seed": first.seed,
            "prior": first.prior,
            "priors": [{"name": choice.name, "text": choice.text} for choice in show.priors],
            "agents": [run.init() for run in self.runs],
        }

    def frame(self) -> dict[str, Any]:
        """The present moment of all runs."""
        return {"type": "frame", "step": self.steps, "done": self.done, "runs": [run.frame() for run in self.runs]}
