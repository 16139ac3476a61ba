"""Calls in any order: observe before act, act after reset, plan twice, end an episode twice, go on after a terminal state.

Each agent has a twin of the same seed that is spared the calls that were refused. Both must answer alike for ever: then a
refused call has changed nothing, neither what was learned nor the chances to come.
"""

import inspect
from typing import Any, ClassVar

import numpy as np
import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, precondition, rule, run_state_machine_as_test

from bamdp import MDP, Agent, Domain, agents
from bamdp.config import parameters
from bamdp.domains import Bandit, Grid, Tabular
from fuzz.calls import Refused, attempt
from fuzz.lives import check, known
from fuzz.values import junk

pytestmark = pytest.mark.slow

ENDING = Tabular(MDP(Grid(2).transitions, Grid(2).rewards, terminal=[3]), 0.9)
ALWAYS_LEFT = Tabular(MDP(np.ones((1, 1, 1)), [[-1.0]]), 0.0)
BANDIT = Bandit([0.3, 0.9], 0.9)
WORLDS: dict[str, tuple[Domain, ...]] = {
    "Gittins": (BANDIT, Bandit([0.3, 0.9], 1.0, horizon=6))
}  # of agents for some worlds alone
SMALL = {"simulations": 6, "trajectories": 4, "depth": 2, "branching": 2}

numbers = st.integers(0, 3)
bad_places = st.integers(0, 3)


class CallOrders(RuleBasedStateMachine):
    """One agent and its twin."""

    name: ClassVar[str]

    @initialize(number=numbers, seed=st.integers(0, 9))
    def begin(self, number: int, seed: int) -> None:
        worlds = WORLDS.get(self.name, (ENDING, Grid(2), ALWAYS_LEFT))
        self.world = worlds[number % len(worlds)]
        kind: type[Agent] = getattr(agents, self.name)
        taken = {parameter.name for parameter in parameters.of_constructor(kind)}
        budget: dict[str, Any] = {name: value for name, value in SMALL.items() if name in taken}
        if kind.uses_true_model:
            budget["world"] = self.world.mdp
        self.agent, self.twin = (kind(self.world.problem(), seed=seed, **budget) for _ in range(2))

    def call(self, method: str, *given: Any) -> None:
        before = known(self.agent)
        signature = inspect.signature(getattr(self.agent, method)).parameters.values()
        named = dict(zip((each.name for each in signature if each.default is each.empty), given, strict=True))
        try:
            answer = attempt(getattr(self.agent, method), named)
        except Refused:
            assert known(self.agent) == before, f"{method}({named}) was refused and yet changed something"
            return
        check(self.agent, method, answer)
        same(answer, getattr(self.twin, method)(*given))

    @rule(state=numbers)
    def act(self, state: int) -> None:
        self.call("act", state)

    @precondition(lambda self: hasattr(self.agent, "plan"))
    @rule(state=numbers)
    def plan(self, state: int) -> None:
        self.call("plan", state)

    @rule(state=numbers, action=numbers, seed=numbers)
    def step(self, state: int, action: int, seed: int) -> None:
        """What the world really does, also after a terminal state."""
        s, a = state % self.world.num_states, action % self.world.num_actions
        next_state, reward = self.world.step(s, a, np.random.default_rng(seed))
        self.call("observe", s, a, reward, next_state)

    @rule(state=numbers, action=numbers, next_state=numbers)
    def observe(self, state: int, action: int, next_state: int) -> None:
        """What need not be possible, or in range."""
        self.call("observe", state, action, 0.5, next_state)

    @rule(place=bad_places, value=junk)
    def observe_anything(self, place: int, value: Any) -> None:
        given: list[Any] = [0, 0, 1.0, 0]
        given[place] = value
        self.call("observe", *given)

    @rule(value=junk)
    def act_anywhere(self, value: Any) -> None:
        self.call("act", value)

    @rule(seed=st.one_of(numbers, junk))
    def reset(self, seed: Any) -> None:
        self.call("reset", seed)

    @rule()
    def end_episode(self) -> None:
        self.call("end_episode")

    def teardown(self) -> None:
        if hasattr(self, "agent"):
            self.call("act", 0)


def same(first: Any, second: Any) -> None:
    """The same answer of both."""
    if hasattr(first, "visits"):
        first, second = [(p.action, p.q_values.tolist(), p.visits.tolist(), p.simulations) for p in (first, second)]
    assert first == second


@pytest.mark.parametrize("name", agents.__all__)
def test_call_orders(name: str) -> None:
    machine = type(f"{name}Calls", (CallOrders,), {"name": name})
    examples = max(8, settings().max_examples // 4)
    run_state_machine_as_test(machine, settings=settings(max_examples=examples, stateful_step_count=12))
