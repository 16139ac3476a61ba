"""One run that is watched: it advances step by step and describes what there is to see, as frames ready for JSON.

Nothing here knows of pages or sockets. A decision is made before its frame and carried out by the next step, so that a frame
shows one moment: the world, the belief, and the search behind the next action. The random numbers are those of `bamdp play`.
"""

import threading
from typing import Any

from bamdp.config import described
from bamdp.domain import UNBOUNDED, on_a_circle
from bamdp.pictures.views import Plain, action_name, view
from bamdp.prior import Belief
from bamdp.runs.loop import Run, Step, seeds
from bamdp.search.plan import CertifiedPlan
from bamdp.validation import integer, one_of
from bamdp.viewer.decision import Decision, decide, numbers
from bamdp.viewer.pictures import picture_of
from bamdp.viewer.show import WatchSetup

MOST_SIMULATIONS = 1_000_000
LARGEST_SEED = 2**53 - 1  # the largest whole number that a page can name
MOST_RECORDED = 200_000  # steps that are kept for a film, 200 bytes each
LARGEST_BOUNDED = 300_000  # S·A·S of worlds for which an upper bound is computed, in two seconds or so


class StoppedWatchingError(Exception):
    """The run was stopped in the middle of a search."""


class Episodes:
    """The episodes of a run that have ended."""

    def __init__(self) -> None:
        self._count, self._sum, self._now, self._zero_or_one = 0, 0.0, 0.0, True

    def add(self, step: Step) -> None:
        self._now += float(step.reward)
        if step.terminated or step.truncated:
            self._count, self._sum = self._count + 1, self._sum + self._now
            self._zero_or_one = self._zero_or_one and self._now in (0.0, 1.0)
            self._now = 0.0

    def to_json(self) -> dict[str, Any]:
        """Their number, mean return and, if each paid 0 or 1, the share that paid 1."""
        mean = self._sum / self._count if self._count else None
        return {"count": self._count, "mean": mean, "success": mean if self._zero_or_one else None}


class WatchedRun:
    """One run of a show; the first run of `bamdp play` with the same seed is the same, if the show has one agent.

    If not given, the seed is the show's, the prior the first of the show's, and simulations per decision are the agent's own;
    `index` is that of the agent.
    """

    def __init__(
        self,
        show: WatchSetup,
        seed: int | None = None,
        prior: str | None = None,
        simulations: int | None = None,
        index: int = 0,
    ) -> None:
        self.show, self.contender = show, show.agents[index]
        self.seed = integer("seed", show.seed if seed is None else seed, 0)
        names = tuple(choice.name for choice in show.priors)
        self.prior = names[0] if prior is None else one_of("prior", prior, names)
        agent_seed, world_seed = seeds(self.seed, 0)
        world = show.world(world_seed)
        agent = self.contender.make(world, agent_seed, show.priors[names.index(self.prior)].prior)
        if show.problem is not None:
            show.problem.prepare(agent, world_seed)
        self._stopped = threading.Event()
        if hasattr(agent, "on_tick"):
            agent.on_tick = self.check
        self.agent = agent
        self.decision: Decision | None = None  # of the present moment, once it was asked for
        self._run = Run(agent, world, world_seed)
        self.view = self.picture(agent.belief)
        self.start = self._run.state
        self.steps, self.total = 0, 0.0  # so far
        self._episodes = Episodes()
        self.recording: list[Step] = []  # for a film
        self._news: list[float] = []
        if simulations is not None and simulations != getattr(agent, "simulations", None):
            self.set_simulations(simulations)

    @property
    def state(self) -> int:
        """Where the agent is."""
        return self._run.state

    @property
    def domain(self) -> Any:
        """The world of this run."""
        return self._run.domain

    @property
    def done(self) -> bool:
        """All steps were taken."""
        return self.steps >= self.show.steps

    def stop(self) -> None:
        """Stop: a search under way ends with a `StoppedWatchingError`. May be called from another thread."""
        self._stopped.set()

    def resume(self) -> None:
        self._stopped.clear()

    def check(self) -> None:
        """Raise a `StoppedWatchingError` if it was stopped."""
        if self._stopped.is_set():
            raise StoppedWatchingError

    def step(self) -> None:
        """Carry out the decision and learn from its outcome."""
        if self.done:
            raise ValueError(f"the run is over after {self.steps} steps: start a new one")
        self.check()
        step = self._run.step(self._decide().action)
        self.decision = None
        self.view.observe(*step[:4])
        if len(self.recording) < MOST_RECORDED:
            self.recording.append(step)
        self._episodes.add(step)
        self.steps += 1
        self.total += float(step.reward)
        self._news.append(float(step.reward))

    def _decide(self) -> Decision:
        """The decision of this moment, made once."""
        self.decision = self.decision or decide(self.agent, self._run.state)
        return self.decision

    def set_simulations(self, simulations: int) -> None:
        """Search with this many simulations from now on; the present decision is made again."""
        if not hasattr(self.agent, "simulations"):
            raise ValueError(f"{self.contender.name} does no simulations")
        self.agent.simulations = integer("simulations", simulations, 1, MOST_SIMULATIONS)
        self.decision = None

    @property
    def boundable(self) -> bool:
        """Whether an upper bound of the Bayes-optimal value can be computed in a few seconds."""
        S, A = self._run.domain.num_states, self._run.domain.num_actions
        return S < UNBOUNDED and S * A * S <= LARGEST_BOUNDED

    def compute_bounds(self) -> None:
        """Compute the upper bound of the present plan, if it has one."""
        decision = self.decision
        if decision is not None and isinstance(decision.plan, CertifiedPlan) and self.boundable:
            _ = decision.plan.upper  # kept by the plan

    def picture(self, belief: Belief | None, *, truth: bool = False) -> Plain:
        """A view of the world before the first step; of the world itself if `truth`."""
        scene = self.show.scene or on_a_circle(self.domain.num_states)
        return view(self.domain, scene, self.agent.problem, belief, truth=truth)

    def init(self) -> dict[str, Any]:
        """What stays the same throughout the run."""
        agent, ground = self.agent, self.view.ground()
        return {
            "agent": self.contender.name,
            "about": described(agent),
            "actions": [action_name(name) for name in self.view.actions],
            "prior": None if agent.belief is None else self.prior,
            "simulations": getattr(agent, "simulations", None),
            "simulates": hasattr(agent, "simulations"),
            "world": {"kind": self.view.kind, "ground": None if ground is None else ground.svg(), "legend": self.view.legend()},
        }

    def frame(self) -> dict[str, Any]:
        """The present moment; the rewards are those since the last frame."""
        state = self._run.state
        decision = None if self.done else self._decide()
        moment = self.view.moment(state, None if decision is None else decision.action)
        news, self._news = self._news, []
        return {
            "step": self.steps,
            "total": numbers([self.total])[0],
            "rewards": numbers(news),
            "episodes": self._episodes.to_json() if self.domain.has_episodes else None,
            "done": self.done,
            "simulations": getattr(self.agent, "simulations", None),
            "world": {
                "label": self.view.label(state),
                "moment": None if moment is None else moment.svg(),
                "expected": [drawing.svg() for drawing in self.view.expected(state)],
                "picture": picture_of(self.domain),
            },
            "decision": None if decision is None else decision.to_json(self.view.label, boundable=self.boundable),
        }
