"""One run that is watched: it advances step by step and describes what there is to see, as frames ready for JSON.

Nothing here knows of pages or sockets. A decision is made before its frame and carried out by the next step, so that a frame
shows one moment: the world, the belief, and the search behind the next action. The random numbers are those of `bamdp play`.
"""

import threading
from array import array
from typing import Any

from bamdp._validation import integer, one_of
from bamdp.agent import Agent
from bamdp.config.setup import described
from bamdp.domain import UNBOUNDED
from bamdp.runs.loop import Run, Step, seeds
from bamdp.search.plan import CertifiedPlan
from bamdp.viewer.decision import Decision, decide, numbers
from bamdp.viewer.pictures import picture_of
from bamdp.viewer.show import Show
from bamdp.viewer.worlds import view

MOST_SIMULATIONS = 1_000_000
LARGEST_SEED = 2**53 - 1  # the largest whole number that a page can name
MOST_RECORDED = 1_000_000  # steps that are kept for a film, 32 bytes each
LARGEST_BOUNDED = 300_000  # S·A·S of worlds for which an upper bound is computed, in two seconds or so


class StoppedError(Exception):
    """The run was stopped in the middle of a search."""


class _Foresighted(Agent):
    """Decides ahead, so that a decision can be looked at before a `Run` carries it out; all else is the agent's."""

    def __init__(self, agent: Agent) -> None:
        self.agent, self.problem, self.steps_done = agent, agent.problem, agent.steps_done
        self.decision: Decision | None = None

    def decide(self, state: int) -> Decision:
        self.decision = self.decision or decide(self.agent, state)
        return self.decision

    def act(self, state: int) -> int:
        return self.decide(state).action

    def observe(self, state: int, action: int, reward: float, next_state: int, terminated: bool | None = False) -> None:
        self.decision = None
        self.agent.observe(state, action, reward, next_state, terminated)

    def end_episode(self) -> None:
        self.agent.end_episode()


class Recording:
    """The first `MOST_RECORDED` steps of a run, for a film."""

    def __init__(self) -> None:
        self.states, self.actions, self.rewards, self.next_states = array("q"), array("q"), array("d"), array("q")

    def __len__(self) -> int:
        return len(self.states)

    def add(self, step: Step) -> None:
        if len(self) < MOST_RECORDED:
            self.states.append(step.state)
            self.actions.append(step.action)
            self.rewards.append(float(step.reward))
            self.next_states.append(step.next_state)


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
        self, show: Show, seed: int | None = None, prior: str | None = None, simulations: int | None = None, index: int = 0
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
        self._agent = _Foresighted(agent)
        self._run = Run(self._agent, world, world_seed)
        self._view = view(self._run.domain, agent, show.scene)
        self.start = self._run.state
        self.steps, self.total = 0, 0.0  # so far
        self.recording, self._episodes = Recording(), Episodes()
        self._news: list[float] = []
        if simulations is not None and simulations != getattr(agent, "simulations", None):
            self.set_simulations(simulations)

    @property
    def agent(self) -> Agent:
        return self._agent.agent

    @property
    def domain(self) -> Any:
        """The world of this run."""
        return self._run.domain

    @property
    def done(self) -> bool:
        """All steps were taken."""
        return self.steps >= self.show.steps

    def stop(self) -> None:
        """Stop: a search under way ends with a `StoppedError`. May be called from another thread."""
        self._stopped.set()

    def resume(self) -> None:
        self._stopped.clear()

    def check(self) -> None:
        """Raise a `StoppedError` if it was stopped."""
        if self._stopped.is_set():
            raise StoppedError

    def step(self) -> None:
        """Carry out the decision and learn from its outcome."""
        if self.done:
            raise ValueError(f"the run is over after {self.steps} steps: start a new one")
        self.check()
        step = self._run.step()
        self._view.observe(step)
        self.recording.add(step)
        self._episodes.add(step)
        self.steps += 1
        self.total += float(step.reward)
        self._news.append(float(step.reward))

    def set_simulations(self, simulations: int) -> None:
        """Search with this many simulations from now on; the present decision is made again."""
        if not hasattr(self.agent, "simulations"):
            raise ValueError(f"{self.contender.name} does no simulations")
        self.agent.simulations = integer("simulations", simulations, 1, MOST_SIMULATIONS)
        self._agent.decision = None

    @property
    def boundable(self) -> bool:
        """Whether an upper bound of the Bayes-optimal value can be computed in a few seconds."""
        S, A = self._run.domain.num_states, self._run.domain.num_actions
        return S < UNBOUNDED and S * A * S <= LARGEST_BOUNDED

    def certify(self) -> None:
        """Compute the upper bound of the present plan, if it has one."""
        decision = self._agent.decision
        if decision is not None and isinstance(decision.plan, CertifiedPlan) and self.boundable:
            _ = decision.plan.upper  # kept by the plan

    def hello(self) -> dict[str, Any]:
        """What stays the same throughout the run."""
        agent = self.agent
        return {
            "agent": self.contender.name,
            "about": described(agent),
            "actions": self._view.actions,
            "prior": None if agent.belief is None else self.prior,
            "simulations": getattr(agent, "simulations", None),
            "simulates": hasattr(agent, "simulations"),
            "world": self._view.layout(),
        }

    def frame(self) -> dict[str, Any]:
        """The present moment; the rewards are those since the last frame."""
        state = self._run.state
        decision = None if self.done else self._agent.decide(state)
        news, self._news = self._news, []
        return {
            "step": self.steps,
            "total": numbers([self.total])[0],
            "rewards": numbers(news),
            "episodes": self._episodes.to_json() if self.domain.has_episodes else None,
            "done": self.done,
            "simulations": getattr(self.agent, "simulations", None),
            "world": {**self._view.frame(state), "picture": picture_of(self.domain)},
            "decision": None if decision is None else decision.to_json(self._view.label, boundable=self.boundable),
        }
