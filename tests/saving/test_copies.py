"""A copy of an agent, by `copy` or `pickle`, is an agent of its own that goes on as the original
would; of a belief, too.
"""

import copy
import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from bamdp import _core, priors
from bamdp.agents import BAMCP, BayesianDP, Random
from bamdp.domains import DoubleLoop, Grid, InfiniteGrid
from reference.saved_agents import CASES_BY_NAME as CASES
from reference.saved_agents import Journey, resumed

LOOP = DoubleLoop()
STEPS = 4


def unpickled(thing: Any) -> Any:
    return pickle.loads(pickle.dumps(thing))


WAYS: list[Callable[[Any], Any]] = [copy.copy, copy.deepcopy, unpickled]


@pytest.mark.slow
@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("name", CASES)
def test_an_agent(name: str, way: Callable[[Any], Any]) -> None:
    """What one of the two learns, the other doesn't: both go on as the one does that was never
    copied.
    """
    case = CASES[name]
    journeys = [Journey(case.make(), case.world, seed=7) for _ in range(2)]
    for journey in journeys:
        journey.go(6)
        journey.act()
    alone, copied = journeys
    twin = way(copied.agent)
    assert type(twin) is type(copied.agent)
    expected = resumed(alone.agent, case.world, alone.state, alone.left, STEPS)
    for agent in (twin, copied.agent):
        assert resumed(agent, case.world, copied.state, copied.left, STEPS) == expected


class Noting(Random):
    """Learns a list of arrays, and a dictionary of them."""

    state_attributes = ("notes", "tables")

    def reset(self, seed: int) -> None:
        super().reset(seed)
        self.notes: list[Any] = []
        self.tables: dict[int, Any] = {}


@pytest.mark.parametrize("way", WAYS)
def test_no_array_is_shared(way: Callable[[Any], Any]) -> None:
    agent = Noting(LOOP.problem())
    agent.notes, agent.tables = [np.zeros(2)], {0: np.zeros(2)}
    twin = way(agent)
    agent.notes[0] += 1
    agent.tables[0] += 1
    assert twin.notes[0].tolist() == twin.tables[0].tolist() == [0, 0]


class Forgetful(Random):
    """One that doesn't say what it learns."""

    def reset(self, seed: int) -> None:
        super().reset(seed)
        self.steps = 0


@pytest.mark.parametrize("way", [*WAYS, lambda agent: agent.save("agent")])
def test_what_can_not_be_saved_can_not_be_copied(
    way: Callable[[Any], Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    agent = BAMCP(LOOP.problem(), simulations=10)
    monkeypatch.setattr(agent, "_team", object())
    with pytest.raises(TypeError, match="an agent with workers can't be saved"):
        way(agent)
    with pytest.raises(
        TypeError,
        match="Forgetful can't be saved: it doesn't name what it learns in `state_attributes`",
    ) as caught:
        way(Forgetful(LOOP.problem()))
    assert way not in WAYS or "as by agent.save and bamdp.load, and Forgetful" in str(caught.value)


BELIEFS = {
    "dirichlet": priors.Dirichlet(),
    "sparse": priors.SparseDirichlet(),
    "finite": priors.Finite([LOOP.transitions, np.full((9, 2, 9), 1 / 9)]),
    "unknown": priors.UnknownRewards(priors.Dirichlet(), values=(0.0, 1.0, 2.0)),
    "sampled": CASES["sampled"].given,
    "compiled": CASES["compiled"].given,
}


@pytest.mark.parametrize("way", [copy.copy, copy.deepcopy])
@pytest.mark.parametrize("name", BELIEFS)
def test_a_belief(name: str, way: Callable[[Any], Any]) -> None:
    agent = BAMCP(LOOP.problem(BELIEFS[name]), simulations=10)
    agent.observe(0, 0, 0.0, 1)
    belief: Any = agent.belief
    twin = way(belief)
    twin.observe(0, 0, 0.0, 1)
    twin.observe(1, 0, 0.0, 2)
    observations = [getattr(b, "transitions", b).observations for b in (belief, twin)]
    assert observations == [1, 3]
    assert agent.plan(1).simulations == 10


def native(agent: Any) -> list[Any]:
    """The parts of an agent that the core has made, or that hold such a one."""
    found = [
        part
        for part in vars(agent).values()
        if type(part).__module__ in (_core.__name__, "bamdp.search.solver")
    ]
    assert found
    return found


def test_what_can_not_be_copied_by_itself_says_so() -> None:
    agent = BAMCP(InfiniteGrid().problem(), simulations=10)
    refusal = (
        r"copy the whole agent, or save it, agent\.save\(path\), and load it, bamdp\.load\(path\)"
    )
    for part in (agent.belief, *native(agent), *native(BayesianDP(LOOP.problem()))):
        with pytest.raises(TypeError, match=refusal):
            unpickled(part)
    for way in (copy.copy, copy.deepcopy):
        for part in native(agent):
            with pytest.raises(TypeError, match=refusal):
                way(part)


@pytest.mark.parametrize("way", WAYS)
def test_a_world_that_remembers(way: Callable[[Any], Any]) -> None:
    """The object of a run is copied with what was consumed in it."""
    rng = np.random.default_rng(0)
    world = copy.copy(InfiniteGrid(seed=1))
    twin = way(world)
    x = next(x for x in range(100) if world.holds(x, 0))
    beyond, _ = world.step(world.state(x, 0, True), 1, rng)  # consumes it
    again, untouched = (w.cell(w.step(beyond, 3, rng)[0]) for w in (world, twin))
    assert again == (x, 0, False)
    assert untouched == (x, 0, True)
    assert twin.holds(5, 5) == world.holds(5, 5)
    assert way(Grid(5)).rewards.tolist() == Grid(5).rewards.tolist()
