"""What is watched, and its runs side by side: they advance in step and describe what there is to
see, as frames ready for JSON.

Nothing here knows of pages or sockets. A decision is made before its frame and carried out by the
next step, so that a frame shows one moment: the world, the belief, and the search behind the next
action. The random numbers are those of `bamdp play`.
"""

import inspect
import io
import threading
from base64 import b64encode
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from bamdp.agent import Agent, settings_of
from bamdp.config import described
from bamdp.domain import Domain
from bamdp.domains.gymnasium import Gymnasium
from bamdp.pictures.base import Plain, action_label
from bamdp.pictures.scenes import Scene, description, scene
from bamdp.pictures.views import view
from bamdp.prior import Belief, Prior
from bamdp.runs.loop import Run, has_episodes, seeds
from bamdp.steps import Step
from bamdp.suite.benchmark import Benchmark
from bamdp.viewer.decision import decide, numbers

MOST_RECORDED = 200_000  # steps that are kept for a film, 200 bytes each
LARGEST_PICTURE = 480  # pixels along each side of a picture by Gymnasium


class StoppedWatchingError(Exception):
    """The runs were stopped in the middle of a search."""


@dataclass(frozen=True)
class AgentEntry:
    """An agent that is watched."""

    name: str  # with its settings, as on the command line
    make: Callable[[Domain, int], Agent]  # makes it from the world and its seed


@dataclass(frozen=True)
class WatchSetup:
    """What is watched: a domain, and one agent or two in the same world."""

    domain_name: str
    domain: Domain
    agents: tuple[AgentEntry, ...]  # side by side
    prior: Prior | None
    steps: int  # of a run
    seed: int  # of the first run
    settings: str = ""  # further flags of the command, which a link names
    problem: Benchmark | None = (
        None  # which draws a world for each seed, if it isn't the domain itself
    )

    def world(self, seed: int) -> Domain:
        """The world of a run: that of the problem, or the domain; of two agents, with the same
        outcomes for both.
        """
        if self.problem is not None:
            return self.problem.world(seed)
        return (
            self.domain
            if len(self.agents) == 1
            else Benchmark(self.domain, draw="fixed").world(seed)
        )

    @property
    def description(self) -> str:
        """What it is about, in a sentence or two."""
        about, both = description(self.domain), ""
        if self.problem is not None:
            first = (inspect.getdoc(type(self.problem)) or "").partition("\n")[0]
            about = (
                f"{first} Each seed has its own world; the goal is to collect as much reward as "
                "possible."
            )
        if len(self.agents) > 1:
            both = (
                " Both act in the same world, with "
                f"{'the same seed' if self.domain.mdp is None else 'common random numbers'}."
            )
        return about + both

    @property
    def scene(self) -> Scene:
        """How to draw it. In worlds that a problem draws, only names of arms are right."""
        own = scene(self.domain)
        return own if self.problem is None or own.kind == "arms" else replace(own, actions=())


class WatchedRun:
    """The run of one agent; with one agent, it is the first run of `bamdp play` with the same seed.

    Args:
        setup: what is watched.
        seed: seed of the run.
        entry: the agent.
        check: called during a search; an exception raised there ends it.
    """

    def __init__(
        self, setup: WatchSetup, seed: int, entry: AgentEntry, check: Callable[[], None]
    ) -> None:
        agent_seed, world_seed = seeds(seed, 0)
        world = setup.world(world_seed)
        self.setup, self.name, self.agent = setup, entry.name, entry.make(world, agent_seed)
        if setup.problem is not None:
            setup.problem.prepare(self.agent, world_seed)
        self.agent.on_tick = check
        self._run = Run(self.agent, world, world_seed)
        self.view = self.picture(self.agent.belief)
        self.start, self.steps, self.total = self._run.state, 0, 0.0
        self.recording: list[Step] = []  # for a film
        self._episodes, self._news = (
            [0.0],
            list[float](),
        )  # returns, the last one of the present episode; rewards not yet shown
        self.decision: dict[str, Any] | None = None  # of the present moment, once it was asked for

    @property
    def state(self) -> int:
        """Where the agent is."""
        return self._run.state

    @property
    def domain(self) -> Domain:
        """The world of this run."""
        return self._run.domain

    @property
    def simulations(self) -> int | None:
        """Simulations per decision; None if the agent does none or has a budget of time."""
        return settings_of(self.agent).get("simulations")

    def set_simulations(self, simulations: int) -> None:
        """Search with this many from now on; the present decision is made again."""
        self.agent.simulations = simulations  # type: ignore[attr-defined]
        self.decision = None

    def picture(self, belief: Belief | None, *, truth: bool = False) -> Plain:
        """A view of the world before the first step; of the world itself if `truth`."""
        return view(self.domain, self.setup.scene, self.agent.problem, belief, truth=truth)

    def decide(self) -> dict[str, Any]:
        """The decision of this moment, made once."""
        self.decision = self.decision or decide(self.agent, self._run.state, self.view.label)
        return self.decision

    def step(self) -> None:
        """Carry out the decision and learn from its outcome."""
        step = self._run.step(self.decide()["action"])
        self.decision = None
        reward = step.reward or 0.0
        self.view.observe(step.state, step.action, reward, step.next_state)
        if len(self.recording) < MOST_RECORDED:
            self.recording.append(step)
        self.steps, self.total = self.steps + 1, self.total + reward
        self._news.append(reward)
        self._episodes[-1] += reward
        if step.terminated or self._run.truncated:
            self._episodes.append(0.0)

    def init(self) -> dict[str, Any]:
        """What stays the same throughout the run."""
        agent, ground = self.agent, self.view.ground()
        return {
            "agent": self.name,
            "about": described(agent),
            "actions": [action_label(name) for name in self.view.actions],
            "believes": agent.belief is not None,
            "simulations": self.simulations,
            "simulates": "simulations" in settings_of(agent),
            "world": {
                "kind": self.view.kind,
                "ground": None if ground is None else ground.svg(),
                "legend": self.view.legend(),
                "truth": self.view.kind == "endless"
                or (self.domain.mdp is not None and self.domain.num_states > 1),
            },
        }

    def frame(self, done: bool) -> dict[str, Any]:
        """The present moment; the rewards are those since the last frame."""
        state, decision = self._run.state, None if done else self.decide()
        moment = self.view.moment(state, None if decision is None else decision["action"])
        worlds, news, self._news = self.view.worlds(), self._news, []
        return {
            "step": self.steps,
            "total": numbers([self.total])[0],
            "rewards": numbers(news),
            "episodes": _episode_summary(self._episodes[:-1])
            if has_episodes(self.domain)
            else None,
            "simulations": self.simulations,
            "world": {
                "label": self.view.label(state),
                "moment": None if moment is None else moment.svg(),
                "worlds": None if worlds is None else worlds.svg(),
                "expected": [drawing.svg() for drawing in self.view.expected(state)],
                "picture": _gymnasium_picture(self.domain) if moment is None else None,
            },
            "decision": decision,
        }


class Stage:
    """One run of each agent, with the same seeds.

    If not given, the seed is the setup's, and simulations per decision are the agents' own.
    """

    def __init__(
        self,
        setup: WatchSetup,
        seed: int | None = None,
        simulations: list[int | None] | None = None,
    ) -> None:
        self.setup, self.seed = setup, setup.seed if seed is None else seed
        self._stopped = threading.Event()
        self.runs = [WatchedRun(setup, self.seed, entry, self.check) for entry in setup.agents]
        for run, budget in zip(self.runs, simulations or [], strict=False):
            if budget is not None and budget != run.simulations:
                run.set_simulations(budget)

    @property
    def steps(self) -> int:
        """The number of steps taken."""
        return self.runs[0].steps

    @property
    def done(self) -> bool:
        """All steps were taken."""
        return self.steps >= self.setup.steps

    @property
    def simulations(self) -> list[int | None]:
        """Simulations per decision of each agent."""
        return [run.simulations for run in self.runs]

    def stop(self) -> None:
        """Stop: a search under way ends with a `StoppedWatchingError`. May be called from another
        thread.
        """
        self._stopped.set()

    def resume(self) -> None:
        """Go on after a stop."""
        self._stopped.clear()

    def check(self) -> None:
        """Raise a `StoppedWatchingError` if it was stopped."""
        if self._stopped.is_set():
            raise StoppedWatchingError

    def step(self) -> None:
        """One step of every run; those that are behind catch up, after one that was stopped or
        failed.
        """
        if self.done:
            raise ValueError(f"the run is over after {self.steps} steps: start a new one")
        goal = min(run.steps for run in self.runs) + 1
        for run in self.runs:
            self.check()
            if run.steps < goal:
                run.step()

    def set_simulations(self, simulations: int) -> None:
        """Search with this many simulations from now on, in all agents that search."""
        searching = [run for run in self.runs if "simulations" in settings_of(run.agent)]
        if not searching:
            raise ValueError(f"{self.runs[0].name} does no simulations")
        for run in searching:
            run.set_simulations(simulations)

    def init(self) -> dict[str, Any]:
        """What stays the same throughout the runs."""
        setup = self.setup
        return {
            "type": "init",
            "domain": setup.domain_name,
            "about": described(setup.domain),
            "prior": described(setup.prior),
            "description": setup.description,
            "settings": setup.settings,
            "steps": setup.steps,
            "seed": self.seed,
            "agents": [run.init() for run in self.runs],
        }

    def frame(self) -> dict[str, Any]:
        """The present moment of all runs."""
        return {
            "type": "frame",
            "step": self.steps,
            "done": self.done,
            "runs": [run.frame(self.done) for run in self.runs],
        }


def _episode_summary(returns: list[float]) -> dict[str, Any]:
    """The number of episodes, their mean return and, if each paid 0 or 1, the share that paid 1."""
    mean = sum(returns) / len(returns) if returns else None
    return {
        "count": len(returns),
        "mean": mean,
        "success": mean if set(returns) <= {0.0, 1.0} else None,
    }


def _gymnasium_picture(domain: Domain) -> str | None:
    """An environment's own picture of the present moment as a data URI; None if it has none."""
    pixels = domain.picture() if isinstance(domain, Gymnasium) else None
    if pixels is None:
        return None
    from PIL import Image

    image, buffer = Image.fromarray(pixels), io.BytesIO()
    image.thumbnail((LARGEST_PICTURE, LARGEST_PICTURE))
    image.save(buffer, "webp", quality=80)
    return f"data:image/webp;base64,{b64encode(buffer.getvalue()).decode()}"
