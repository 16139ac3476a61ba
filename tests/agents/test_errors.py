"""Bad arguments of agents: an error that names the argument, what it got and what it accepts; and
nothing has changed.
"""

import re
from typing import Any

import numpy as np
import pytest

from bamdp import BAMDP, MDP, Belief, Domain, Prior, agents
from bamdp.agent import setting_defaults
from bamdp.config.names import AGENTS
from bamdp.domains import Bandit, Tabular
from bamdp.mdp import as_mdp
from bamdp.priors import Compiled, Dirichlet, SharedSlip, UnknownRewards
from bamdp.state import Arrays, capture
from bamdp.steps import Step
from reference.mute import Mute
from reference.rejections import rejections

NAN, INF, DIGITS = float("nan"), float("inf"), 10**5000  # more than Python prints
BANDIT, REWARDS = Bandit([0.5, 0.5], 0.5), np.zeros((3, 2))
THREE = Tabular(
    MDP(np.tile([0.4, 0.6, 0.0], (3, 2, 1)), REWARDS + 0.1), 0.9, prior=Dirichlet([1, 2, 0])
)
PAYS = 0.1, 1.0  # of action 0 from state 0 to 1: in THREE, and in the bandit
NAMES = {found.name: found.target for found in AGENTS.find_all()}
SMALL = {"simulations": 50, "trajectories": 4, "depth": 2, "branching": 2, "reuse_tree": True}


test_rejected = rejections(
    (
        ValueError,
        "got some int",
        lambda: agents.BAMCP(BAMDP(Dirichlet(), REWARDS, 0.9), simulations=DIGITS),
    ),
    (
        TypeError,
        'mean="flat" needs a prior with one pseudo',
        lambda: agents.BEB(BANDIT.problem(), mean="flat"),
    ),
)


def made(name: str, domain: Domain, **settings: Any) -> Any:
    kind = NAMES[name]
    settings |= {
        setting: value for setting, value in SMALL.items() if setting in setting_defaults(kind)
    }
    if kind.uses_true_model:
        settings["world"] = domain.mdp
    return kind(domain.problem(Dirichlet() if name == "sboss" else None), **settings)


def known(agent: Any) -> Any:
    """Everything an agent has learned, and the state of its random generators."""
    arrays: Arrays = {}
    return capture(agent, arrays), {name: array.tobytes() for name, array in arrays.items()}


CALLS: dict[tuple[str, str], list[tuple[Any, ...]]] = {
    ("act", "state"): [(-1,), (3,), (2**70,), (0.0,), (None,), (True,)],
    ("plan", "state"): [(-1,), (3,), (0.0,)],
    ("observe", "state"): [(3, 0, 0.0, 0), (-1, 0, 0.0, 0), ("0", 0, 0.0, 0)],
    ("observe", "action"): [(0, 2, 0.0, 0), (0, -1, 0.0, 0), (0, 0.0, 0.0, 0)],
    ("observe", "reward"): [(0, 0, NAN, 0), (0, 0, INF, 0), (0, 0, None, 0), (0, 0, "", 0)],
    ("observe", "next_state"): [(0, 0, 0.0, 3), (0, 0, 0.0, -1), (0, 0, 0.0, 1.0), (0, 0, 0.1, 2)],
    ("reset", "seed"): [(-1,), (None,), ("x",)],
}


@pytest.mark.parametrize("name", NAMES)
def test_a_rejected_call_changes_nothing(name: str) -> None:
    """Neither what was learned nor the kept tree nor the random numbers to come."""
    disturbed, twin = (made(name, BANDIT if name == "gittins" else THREE, seed=4) for _ in range(2))
    for agent in (disturbed, twin):
        agent.act(0)
        agent.observe(0, 0, PAYS[name == "gittins"], 1)
    for (method, argument), bad in CALLS.items():
        for arguments in bad if hasattr(disturbed, method) else ():
            if (
                argument == "next_state"
                and arguments[-1] == 2
                and (twin.belief is None or name == "sboss")
            ):
                continue  # only a prior that excludes it makes it impossible
            with pytest.raises((ValueError, TypeError), match=rf"^{argument}\b.*(must|impossible)"):
                getattr(disturbed, method)(*arguments)
    for _ in range(2):
        assert known(disturbed) == known(twin)
        assert disturbed.act(1) == twin.act(1)
        for agent in (disturbed, twin):
            agent.observe(1, 1, 0.0 if name == "gittins" else 0.1, 0)
            agent.observe(0, 0, PAYS[name == "gittins"], 1)


class Index:
    """An integer by its __index__ alone."""

    def __init__(self, value: int) -> None:
        self.value = value

    def __index__(self) -> int:
        return self.value


@pytest.mark.parametrize(
    "one",
    [np.array(1), np.uint8(1), np.int64(1), Index(1)],
    ids=["array", "uint8", "int64", "index"],
)
@pytest.mark.parametrize("name", NAMES)
def test_integers_of_any_kind_are_accepted(name: str, one: Any) -> None:
    """What the belief takes, the search takes too."""
    agent, twin = (made(name, BANDIT) for _ in range(2))
    agent.observe(one, one, np.float32(1), one)
    twin.observe(1, 1, 1.0, 1)
    assert known(agent) == known(twin)
    assert agent.act(one) == twin.act(1)
    if name == "bamcp":
        assert agent.plan(one).q_values.tolist() == twin.plan(1).q_values.tolist()


def stay(belief: Any, scratch: Any, state: Any, action: Any, rng: Any) -> Any:
    return state, 1.0


class Rows(Belief):
    """A belief of the user's own: has a mean, and can be neither sampled nor searched."""

    def __init__(self, problem: BAMDP) -> None:
        self.problem = problem

    def learn(self, step: Step) -> None: ...

    def mean(self) -> MDP:
        return as_mdp(self.problem, THREE.transitions)


class Own(Prior):
    def __init__(self, kind: Any) -> None:
        self.kind = kind

    def belief(self, problem: BAMDP) -> Belief:
        return self.kind(problem)  # type: ignore[no-any-return]  # one of two below


ADVICE = {
    "compiled": Compiled(stay, compile=False),
    "slip": SharedSlip([[1, 0], [2, 1], [0, 2]], slipped=[[0, 1], [1, 2], [2, 0]]),
    "rewards": UnknownRewards(Dirichlet()),
    "mean alone": Own(Rows),
    "nothing": Own(Mute),
}


@pytest.mark.parametrize("name", ADVICE)
def test_the_agents_that_a_message_recommends_work(name: str) -> None:
    """Whatever an agent says who can't use a prior, each agent that it names can."""
    problem = BAMDP(ADVICE[name], REWARDS, 0.9)
    messages = []
    for choosy in ("PosteriorMean", "BayesianDP", "BOSS", "SBOSS", "BFS3", "IndexPolicy"):
        try:
            getattr(agents, choosy)(problem)
        except TypeError as error:
            messages.append(str(error).partition("; ")[2])
    assert messages, "some agent can't use it"
    for message in messages:
        named = [word for word in re.findall(r"\w+", message) if hasattr(agents, word)]
        assert {"QLearning", "Random"} <= set(named)
        for recommended in named:
            assert getattr(agents, recommended)(problem).act(0) in (0, 1)
