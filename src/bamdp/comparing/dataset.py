"""Data sets of episodes with exact labels, to train agents that learn in context.

Each episode is in a new world drawn from the prior. It has T steps; in a world with episodes of its
own, one follows the other. A policy acts: that of the exact solution, random actions, or any agent.
At each step the label is the Bayes-optimal value of each action, given what was observed so far
(`bamdp.exact.Labels`).

Worlds and steps of the optimal and the random policy are drawn for many episodes at once, and
episodes with the same belief share its values: two arms and 20 steps have 8,855 belief states, a
million steps visit them all.
"""

from __future__ import annotations

import copy
import json
import os
import warnings
from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from bamdp import validation
from bamdp.agent import Agent
from bamdp.comparing.candidates import benchmark_with_prior
from bamdp.comparing.rows import machine
from bamdp.domain import Domain
from bamdp.domains.tabular import Tabular
from bamdp.exact.labels import Labels
from bamdp.exact.solution import Walk
from bamdp.mdp import MDP
from bamdp.prior import Prior
from bamdp.problem import BAMDP
from bamdp.progress import progress
from bamdp.runs.loop import run, seeds, within_horizon
from bamdp.suite import Benchmark
from bamdp.validation import SeedLike, require

Array = NDArray[np.float64]
Ints = NDArray[np.int64]
MakeAgent = Callable[[int, Domain], Agent]

OPTIMAL, RANDOM = "optimal", "random"  # policies that need no agent
MOST_EPISODES = 10**8
BATCH = 2 * 10**7  # numbers in the tables of worlds drawn at a time
TIES = 1e-9  # values that differ by less are equal
MINARI = "minari:"  # before the id of a data set of Minari


@dataclass(frozen=True)
class Dataset:
    """Episodes of T steps with exact labels.

    Attributes:
        states: state before each step, and after the last one. [N, T + 1]
        actions: action of each step. [N, T]
        rewards: reward of each step. [N, T]
        next_states: state that each step led to; the state before the next step, unless an episode
            of the domain ended in between. [N, T]
        q_values: Bayes-optimal value of each action before each step. [N, T, A]
        num_states: number of states.
        about: what made it: the command, the seed, the version.

    Example:
        >>> import bamdp
        >>> arms = bamdp.domains.Bandit([0.5, 0.5], discount=1.0, horizon=20)
        >>> data = make_dataset(arms, episodes=1000, seed=0)
        >>> data.actions.shape, float(data.regrets.max()) < 1e-9
        ((1000, 20), True)
    """

    states: Ints
    actions: Ints
    rewards: Array
    next_states: Ints
    q_values: Array
    num_states: int
    about: Mapping[str, Any] = field(default_factory=dict)

    @property
    def optimal_actions(self) -> Ints:
        """The first of the best actions before each step. [N, T]"""
        best = self.q_values >= self.q_values.max(axis=-1, keepdims=True) - TIES
        actions: Ints = best.argmax(axis=-1)
        return actions

    @property
    def regrets(self) -> Array:
        """What each action lost: the highest value less its own. [N, T]"""
        chosen = np.take_along_axis(self.q_values, self.actions[..., None], axis=-1)[..., 0]
        lost: Array = self.q_values.max(axis=-1) - chosen
        return lost

    def columns(self) -> dict[str, NDArray[Any]]:
        """The columns of Minari's layout, one row for each observation: T + 1 an episode.

        A row has the observation, the action taken there, and what followed; in the last row of an
        episode, of which only the observation counts, these are 0. Infos are those of the
        environment `bamdp/BayesAdaptive-v0` with the observation: the values of the actions that
        can be taken (NaN in the last row), the best one (−1 there), and the regret of the last one.
        """
        N, T = self.actions.shape
        A = self.q_values.shape[-1]
        last = np.arange(T) == T - 1
        return {
            "episode_id": np.repeat(np.arange(N), T + 1),
            "observations": self.states.ravel(),
            "actions": _padded(self.actions, 0),
            "rewards": _padded(self.rewards, 0.0),
            "terminations": np.zeros(N * (T + 1), dtype=bool),
            "truncations": _padded(np.broadcast_to(last, (N, T)), False),
            "infos.q_values": np.pad(
                self.q_values, ((0, 0), (0, 1), (0, 0)), constant_values=np.nan
            ).reshape(-1, A),
            "infos.optimal_action": _padded(self.optimal_actions, -1),
            "infos.regret": np.pad(self.regrets, ((0, 0), (1, 0))).ravel(),
        }

    def dpt(self) -> dict[str, NDArray[Any]]:
        """The keys of the decision-pretrained transformer (Lee et al. 2023), states and actions
        one-hot.

        There a label is the best action of the true task, one for the whole context. Here it is the
        best action after each part of it: `optimal_actions[:, t]` in `query_states[:, t]`, with the
        first t steps as the context. [N, T, …]
        """
        states, actions = (
            np.eye(size, dtype=np.float32) for size in (self.num_states, self.q_values.shape[-1])
        )
        return {
            "context_states": states[self.states[:, :-1]],
            "context_actions": actions[self.actions],
            "context_next_states": states[self.next_states],
            "context_rewards": self.rewards[..., None].astype(np.float32),
            "query_states": states[self.states[:, :-1]],
            "optimal_actions": actions[self.optimal_actions],
        }

    def save(self, path: str | os.PathLike[str], layout: str = "minari") -> None:
        """Write the data set to a file.

        Args:
            path: a `.npz` file, or `.parquet` (extra `parquet`); or `minari:ID`, a data set of that
                id by Minari's own writer, if it is installed.
            layout: the columns of "minari"; or "dpt", as `.npz`.
        """
        validation.one_of("layout", layout, ("minari", "dpt"))
        if layout == "minari" and str(path).startswith(MINARI):
            self._to_minari(str(path).removeprefix(MINARI))
            return
        path = checked_output(path, layout)
        columns = self.dpt() if layout == "dpt" else self.columns()
        path.parent.mkdir(parents=True, exist_ok=True)
        part = path.with_name(f".{path.name}.part")
        try:
            with part.open("wb") as file:
                if path.suffix == ".npz":
                    arrays: dict[str, Any] = {"about": json.dumps(dict(self.about)), **columns}
                    np.savez(file, **arrays)
                else:
                    self._to_parquet(file, columns)
            part.replace(path)
        finally:
            part.unlink(missing_ok=True)

    def _to_parquet(self, file: Any, columns: Mapping[str, NDArray[Any]]) -> None:
        pyarrow, parquet = (
            require(name, "a Parquet file needs pyarrow", "parquet")
            for name in ("pyarrow", "pyarrow.parquet")
        )
        values = columns["infos.q_values"]
        infos = {
            "q_values": pyarrow.FixedSizeListArray.from_arrays(values.ravel(), values.shape[1]),
            "optimal_action": pyarrow.array(columns["infos.optimal_action"]),
            "regret": pyarrow.array(columns["infos.regret"]),
        }
        plain = {name: column for name, column in columns.items() if "." not in name}
        table = pyarrow.table(
            {
                **plain,
                "infos": pyarrow.StructArray.from_arrays(list(infos.values()), names=list(infos)),
            }
        )
        about = {"bamdp": json.dumps(dict(self.about))}
        parquet.write_table(table.replace_schema_metadata(about), file)

    def _to_minari(self, name: str) -> None:
        from gymnasium import spaces

        minari, buffers = (
            require(module, "a data set of Minari needs Minari", "minari")
            for module in ("minari", "minari.data_collector.episode_buffer")
        )
        columns = self.columns()
        N, T = self.actions.shape
        rows = {key: column.reshape(N, T + 1, -1) for key, column in columns.items()}
        episodes = [
            buffers.EpisodeBuffer(
                id=n,
                observations=rows["observations"][n, :, 0],
                actions=rows["actions"][n, :T, 0],
                rewards=rows["rewards"][n, :T, 0].tolist(),
                terminations=rows["terminations"][n, :T, 0].tolist(),
                truncations=rows["truncations"][n, :T, 0].tolist(),
                infos={
                    "q_values": rows["infos.q_values"][n],
                    "optimal_action": rows["infos.optimal_action"][n, :, 0].tolist(),
                    "regret": rows["infos.regret"][n, :, 0].tolist(),
                },
            )
            for n in range(N)
        ]
        with warnings.catch_warnings():  # it asks for an author and an environment
            warnings.simplefilter("ignore", UserWarning)
            minari.create_dataset_from_buffers(
                name,
                episodes,
                observation_space=spaces.Discrete(self.num_states),
                action_space=spaces.Discrete(self.q_values.shape[-1]),
                algorithm_name=str(self.about.get("policy")),
                description=json.dumps(dict(self.about)),
                data_format="arrow",
            )

    def __repr__(self) -> str:
        N, T = self.actions.shape
        return f"<data set of {N:,} episodes of {T} steps>"


def checked_output(path: Any, layout: str) -> Path:
    """The path of a file that can be written in this layout."""
    checked = validation.path("output", path)
    known = (".npz", ".parquet") if layout == "minari" else (".npz",)
    if checked.suffix not in known:
        other = f", or be {MINARI}ID" if layout == "minari" else " with layout dpt"
        raise ValueError(f"output must end in {' or '.join(known)}{other}, got '{path}'")
    if checked.suffix == ".parquet":
        require("pyarrow", "a Parquet file needs pyarrow", "parquet")
    return checked


def make_dataset(
    problem: BAMDP | Domain | Benchmark,
    policy: str | MakeAgent = OPTIMAL,
    *,
    episodes: int = 1000,
    steps: int | None = None,
    prior: Prior | None = None,
    seed: SeedLike = 0,
    about: Mapping[str, Any] | None = None,
) -> Dataset:
    """Let a policy act in worlds drawn from the prior, with the exact value of each action.

    Args:
        problem: a problem, a domain, or a benchmark with worlds drawn from its prior.
        policy: "optimal", by the exact values, ties at random; "random"; or a function of a seed
            and the world of an episode that makes an agent, as in `bamdp.comparing.regret.measure`.
        episodes: number of episodes.
        steps: steps of each episode; the problem's if not given.
        prior: prior over the worlds; the problem's if not given.
        seed: all that is random follows from it.
        about: what is to be known of the data set.

    Raises:
        ValueError: there are no exact values; the message says why.
    """
    episodes = validation.positive_integer("episodes", episodes, MOST_EPISODES)
    seed = validation.integer_seed(seed)
    if isinstance(policy, str):
        validation.one_of("policy", policy, (OPTIMAL, RANDOM))
    else:
        validation.function("policy", policy)
    benchmark = benchmark_with_prior(problem, prior)
    if benchmark.draw != "prior":
        raise ValueError(
            f"problem must have worlds drawn from the prior of agents, got {benchmark!r}"
        )
    domain = tabular(benchmark)
    steps = within_horizon(benchmark.steps if steps is None else steps, domain)
    length = domain.time_limit
    labels = Labels(benchmark.problem, domain.start, steps, restart=domain.start, time_limit=length)
    values = BeliefValues(labels)
    batch = max(1, BATCH // (domain.num_states**2 * domain.num_actions))
    parts: list[tuple[NDArray[Any], ...]] = []
    with progress("episodes") as show:
        for first in range(0, episodes, batch if isinstance(policy, str) else 1000):
            count = min(episodes - first, batch if isinstance(policy, str) else 1000)
            source: Source
            if isinstance(policy, str):
                rng = np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(first,)))
                worlds = benchmark.problem.belief().sample(count, rng)
                source = _Drawn(domain, worlds, policy, rng)
            else:
                source = _Recorded(benchmark, policy, steps, seed, first, count)
            parts.append(labelled(source, values, domain, steps, count))
            show("", first + count, episodes)
    states, actions, rewards, next_states, q_values = (
        np.concatenate(column) for column in zip(*parts, strict=True)
    )
    made = {
        "problem": repr(benchmark.problem),
        "policy": policy if isinstance(policy, str) else getattr(policy, "__name__", repr(policy)),
        "seed": seed,
        "episodes": episodes,
        "steps": steps,
        "version": machine()["version"],
    }
    known = {**made, **(about or {})}
    return Dataset(states, actions, rewards, next_states, q_values, domain.num_states, known)


class Source(Protocol):
    """Where the actions of many episodes come from, and what they lead to."""

    def act(self, t: int, states: Ints, q_values: Array) -> Ints:
        """The action of each episode after t steps."""

    def step(self, t: int, states: Ints, actions: Ints) -> tuple[Ints, Array, NDArray[np.bool_]]:
        """Next states, rewards, and whether the steps ended an episode of the domain."""


class _Drawn:
    """Steps of many worlds at once."""

    def __init__(self, domain: Tabular, worlds: MDP, policy: str, rng: np.random.Generator) -> None:
        self._worlds, self._policy, self._rng = worlds, policy, rng
        self._transitions = worlds.transitions.cumsum(axis=-1)

    def act(self, t: int, states: Ints, q_values: Array) -> Ints:
        if self._policy == RANDOM:
            return self._rng.integers(q_values.shape[1], size=len(states))
        best = q_values >= q_values.max(axis=1, keepdims=True) - TIES
        chosen: Ints = (best * self._rng.random(q_values.shape)).argmax(axis=1)
        return chosen

    def step(self, t: int, states: Ints, actions: Ints) -> tuple[Ints, Array, NDArray[np.bool_]]:
        every, rng = np.arange(len(states)), self._rng
        cumulative = self._transitions[every, states, actions]
        drawn = rng.random(len(states)) * cumulative[:, -1]
        next_states: Ints = (cumulative <= drawn[:, None]).sum(axis=1)
        at: tuple[Ints, ...] = (every, states, actions)
        outcomes = self._worlds.outcomes
        paid = self._worlds.rewards
        rewards = paid[(*at, next_states) if paid.ndim == 4 else at]
        if outcomes is not None and outcomes.deviations is not None:
            rewards = rewards + outcomes.deviations[at] * rng.standard_normal(len(states))
        elif outcomes is not None and outcomes.probabilities is not None:
            assert outcomes.values is not None
            shares = outcomes.probabilities[at].cumsum(axis=-1)
            among = rng.random(len(states)) * shares[:, -1]
            rewards = outcomes.values[(shares <= among[:, None]).sum(axis=1)]
        return next_states, rewards, self._worlds.terminal[every, next_states]


class _Recorded:
    """The runs of an agent, each in the world of its seed."""

    def __init__(
        self,
        benchmark: Benchmark,
        make: MakeAgent,
        steps: int,
        seed: int,
        first: int,
        count: int,
    ) -> None:
        records = []
        for i in range(first, first + count):
            agent_seed, world_seed = seeds(seed, i)
            world = benchmark.world(world_seed)
            records.append(run(make(agent_seed, world), world, steps, world_seed))
        names = ("actions", "next_states", "rewards", "terminated")
        self._columns = {name: np.array([getattr(r, name) for r in records]) for name in names}

    def act(self, t: int, states: Ints, q_values: Array) -> Ints:
        actions: Ints = self._columns["actions"][:, t]
        return actions

    def step(self, t: int, states: Ints, actions: Ints) -> tuple[Ints, Array, NDArray[np.bool_]]:
        next_states, rewards, terminated = (
            self._columns[name][:, t] for name in ("next_states", "rewards", "terminated")
        )
        return next_states, rewards, terminated


def labelled(
    source: Source, values: BeliefValues, domain: Tabular, steps: int, count: int
) -> tuple[NDArray[Any], ...]:
    """The columns of a `Dataset`: states, actions, rewards, next states and values of actions."""
    length, start = domain.time_limit, domain.start
    states = np.empty((count, steps + 1), dtype=np.int64)
    actions, next_states = np.empty((2, count, steps), dtype=np.int64)
    rewards, q = np.empty((count, steps)), np.empty((count, steps, domain.num_actions))
    states[:, 0], done = start, np.zeros(count, dtype=np.int64)  # steps of this episode
    nodes = np.zeros(count, dtype=np.int64)
    for t in range(steps):
        q[:, t] = values.at(t, nodes)
        actions[:, t] = source.act(t, states[:, t], q[:, t])
        step = source.step(t, states[:, t], actions[:, t])
        next_states[:, t], rewards[:, t], terminated = step
        done += 1
        over = terminated | (False if length is None else done == length)
        states[:, t + 1] = np.where(over, start, next_states[:, t])
        done[over] = 0
        if t + 1 < steps:
            nodes = values.after(t, nodes, actions[:, t], *step)
    return states, actions, rewards, next_states, q


class BeliefValues:
    """The values of the belief states that were visited, each computed once."""

    def __init__(self, labels: Labels) -> None:
        root = labels.walk()
        self._walks: list[list[Walk]] = [[root]] + [[] for _ in range(labels.steps)]
        self._q: list[list[Array]] = [[root.q_values]] + [[] for _ in range(labels.steps)]
        self._known: list[dict[Hashable, int]] = [{} for _ in range(labels.steps + 1)]
        self._next: list[dict[tuple[Any, ...], int]] = [{} for _ in range(labels.steps)]

    def at(self, t: int, nodes: Ints) -> Array:
        """The value of each action in some belief states after t steps. [N, A]"""
        return np.array(self._q[t])[nodes]

    def after(
        self,
        t: int,
        nodes: Ints,
        actions: Ints,
        next_states: Ints,
        rewards: Array,
        terminated: NDArray[np.bool_],
    ) -> Ints:
        """The belief states after one more step. [N]"""
        columns = nodes, actions, next_states, rewards, terminated
        codes = np.zeros(len(nodes), dtype=np.int64)
        for column in columns:
            distinct, ranks = np.unique(column, return_inverse=True)
            codes = codes * len(distinct) + ranks
        _, first, inverse = np.unique(codes, return_index=True, return_inverse=True)
        rows = zip(*(column[first].tolist() for column in columns), strict=True)
        found = np.array([self._child(t, *row) for row in rows], dtype=np.int64)
        return found[inverse]

    def _child(
        self, t: int, node: int, action: int, next_state: int, reward: float, terminated: bool
    ) -> int:
        step = node, action, next_state, reward, terminated
        child = self._next[t].get(step)
        if child is None:
            walk = copy.copy(self._walks[t][node])
            walk.step(action, next_state, reward, terminated)
            child = self._place(t + 1, walk)
            self._next[t][step] = child
        return child

    def _place(self, t: int, walk: Walk) -> int:
        known, key = self._known[t], walk.key
        if key is not None and key in known:
            return known[key]
        number = len(self._walks[t])
        if key is not None:
            known[key] = number
        self._walks[t].append(walk)
        self._q[t].append(walk.q_values)
        return number


def _padded(table: NDArray[Any], value: Any) -> NDArray[Any]:
    """A table with one more column of this value, as one list. [N · (T + 1)]"""
    return np.pad(table, ((0, 0), (0, 1)), constant_values=value).ravel()


def tabular(benchmark: Benchmark) -> Tabular:
    """The domain of a benchmark, which must be a table."""
    if not isinstance(benchmark.domain, Tabular):
        raise TypeError(f"problem must have tables of finitely many states, got {benchmark!r}")
    return benchmark.domain
