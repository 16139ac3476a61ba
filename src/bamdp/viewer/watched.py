"""One run that is watched: it advances step by step and describes what there is to see, as frames ready for JSON.

Nothing here knows of pages or sockets. A decision is made before its frame and carried out by the next step, so that a frame
shows one moment: the world, the belief, and the search behind the next action. The random numbers are those of `bamdp play`.
"""

import threading
from typing import Any

from bamdp._validation import integer, one_of
from bamdp.agent import Agent
from bamdp.config.setup import described
from bamdp.episode import Run
from bamdp.runner import seeds
from bamdp.viewer.decision import Decision, decide, numbers
from bamdp.viewer.show import Show
from bamdp.viewer.worlds import view

MOST_SIMULATIONS = 1_000_000
LARGEST_SEED = 2**53 - 1  # the largest whole number that a page can name


class StoppedError(Exception):
    """The run was stopped in the middle of a search."""


class _Foresighted(Agent):
    """Passes everything on, but decides ahead, so that the decision can be looked at before it is carried out."""

    def __init__(self, agent: Agent) -> None:
        self.agent = agent
        self.decision: Decision | None = None

    def decide(self, state: int) -> Decision:
        self.decision = decide(self.agent, state)
        return self.decision

    def act(self, state: int) -> int:
        return (self.decision or self.decide(state)).action

    def observe(self, state: int, action: int, reward: float, next_state: int) -> None:
        self.decision = None
        self.agent.observe(state, action, reward, next_state)

    def observe_end(self, state: int, terminated: bool) -> None:
        self.agent.observe_end(state, terminated)

    def end_episode(self) -> None:
        self.agent.end_episode()

    def reset(self, seed: int) -> None:
        self.decision = None
        self.agent.reset(seed)


class WatchedRun:
    """One run of a show; the first run of `bamdp play` with the same seed is the same.

    If not given, the seed is the show's, the prior the first of the show's, and simulations per decision are the agent's own.
    """

    def __init__(self, show: Show, seed: int | None = None, prior: str | None = None, simulations: int | None = None) -> None:
        self.show = show
        self.seed = integer("seed", show.seed if seed is None else seed, 0)
        names = tuple(choice.name for choice in show.priors)
        self.prior = names[0] if prior is None else one_of("prior", prior, names)
        agent_seed, world_seed = seeds(self.seed, 0)
        agent = show.make_agent(agent_seed, show.priors[names.index(self.prior)].prior)
        self._stopped = threading.Event()
        if hasattr(agent, "on_tick"):
            agent.on_tick = self._check
        self._agent = _Foresighted(agent)
        self._run = Run(self._agent, show.domain, world_seed)
        self._view = view(self._run.domain, getattr(agent, "belief", None))
        self.steps, self.total = 0, 0.0  # so far
        self._news: list[float] = []
        if simulations is not None and simulations != getattr(agent, "simulations", None):
            self.set_simulations(simulations)

    @property
    def agent(self) -> Agent:
        return self._agent.agent

    @property
    def done(self) -> bool:
        """All steps were taken."""
        return self.steps >= self.show.steps

    def stop(self) -> None:
        """Stop: a search under way ends with a `StoppedError`. May be called from another thread."""
        self._stopped.set()

    def resume(self) -> None:
        self._stopped.clear()

    def _check(self) -> None:
        if self._stopped.is_set():
            raise StoppedError

    def step(self) -> None:
        """Carry out the decision and learn from its outcome."""
        if self.done:
            raise ValueError(f"the run is over after {self.steps} steps: start a new one")
        self._check()
        step = self._run.step()
        self._view.observe(step.state, step.action, step.next_state)
        self.steps += 1
        self.total += float(step.reward)
        self._news.append(float(step.reward))

    def set_simulations(self, simulations: int) -> None:
        """Search with this many simulations from now on; the present decision is made again."""
        if not hasattr(self.agent, "simulations"):
            raise ValueError(f"{self.show.agent_name} does no simulations")
        self.agent.simulations = integer("simulations", simulations, 1, MOST_SIMULATIONS)
        self._agent.decision = None

    def hello(self) -> dict[str, Any]:
        """What stays the same throughout the run."""
        domain, scene, agent = self._run.domain, self._run.domain.scene(), self.agent
        names = scene.actions if scene is not None and scene.actions else range(domain.num_actions)
        return {
            "type": "hello",
            "domain": self.show.domain_name,
            "agent": self.show.agent_name,
            "about": {"domain": described(self.show.domain), "agent": described(agent)},
            "actions": [str(name) for name in names],
            "steps": self.show.steps,
            "seed": self.seed,
            "prior": self.prior if hasattr(agent, "belief") else None,
            "priors": [{"name": choice.name, "text": choice.text} for choice in self.show.priors],
            "simulations": getattr(agent, "simulations", None),
            "simulates": hasattr(agent, "simulations"),
            "world": self._view.layout(),
        }

    def frame(self) -> dict[str, Any]:
        """The present moment; the rewards are those since the last frame."""
        state = self._run.state
        decision = None if self.done else self._agent.decision or self._agent.decide(state)
        news, self._news = self._news, []
        return {
            "type": "frame",
            "step": self.steps,
            "total": numbers([self.total])[0],
            "rewards": numbers(news),
            "done": self.done,
            "simulations": getattr(self.agent, "simulations", None),
            "world": self._view.frame(state),
            "decision": None if decision is None else decision.to_json(self._view.label),
        }
