"""Bad arguments of agents: an error that names the argument, what it got and what it accepts; and nothing has changed."""

import re
from typing import Any

import numpy as np
import pytest

from bamdp import BAMDP, Agent, Domain, agents
from bamdp.config.names import find_all
from bamdp.domains import Bandit, Chain, DoubleLoop, InfiniteGrid
from bamdp.priors import Dirichlet
from fuzz.lives import known
from fuzz.values import Index
from reference.problems import sized
from reference.rejections import rejections

NAN, INF, DIGITS = float("nan"), float("inf"), 10**5000  # more than Python prints
CHAIN, BANDIT, REWARDS = Chain(), Bandit([0.5, 0.5], 0.5), np.zeros((3, 2))
NAMES = {found.name: found.target for found in find_all("agent")}

SEARCH: list[tuple[str, list[Any]]] = [
    ("simulations", [0, -5, 10.0, "10", True, 2**63, DIGITS]),
    ("seconds", [0, 0.0, -1, NAN, INF, "1 s"]),
    ("exploration", [-1, NAN, INF, None]),
    ("depth", [0, -1, 2.5, 2**40]),
    ("rollouts", ["learnt"]),
    ("epsilon", [-0.1, 1.1, NAN]),
    ("learning_rate", [-0.1, 2, None]),
    ("sampling", ["eager", 1]),
    ("nodes", ["states"]),
    ("variant", ["text", 1]),
    ("final_move", ["random"]),
    ("reuse_tree", ["no", None]),
    ("trees", [0, 1.5, 2**63, 10**9]),
    ("threads", [0, -1]),
    ("workers", [10**9]),
    ("seed", [-1, 0.5, None]),
]


@pytest.mark.parametrize("kind", [agents.BAMCP, agents.BAUCT])
@pytest.mark.parametrize(("name", "values"), SEARCH, ids=[name for name, _ in SEARCH])
def test_settings_of_a_search(kind: type[agents.BAMCP], name: str, values: list[Any]) -> None:
    for value in values:
        with pytest.raises((ValueError, TypeError), match=rf"\b{name}\b.*") as caught:
            kind(BAMDP(Dirichlet(), REWARDS, 0.9), **{name: value})
        assert re.search("must|got", str(caught.value))


SETTINGS: dict[type[Agent], dict[str, Any]] = {
    agents.BEB: {"beta": -1, "mean": "median"},
    agents.BOSS: {"models": 0, "visits": -1},
    agents.SBOSS: {"delta": NAN, "criterion": "range"},
    agents.BayesianDP: {"period": 0, "resample": "never"},
    agents.PosteriorMean: {"tolerance": 0, "ties": "last"},
    agents.EpsilonGreedy: {"epsilon": 2},
    agents.Softmax: {"temperature": 0},
    agents.BFS3: {"branching": 0, "depth": 0, "trajectories": 0, "vmax": -1, "tree": "oak", "leaves": "green"},
    agents.QLearning: {"temperature": -1.0, "learning_rate": -1.0, "decay": 1e300},
    agents.IEQL: {"theta": 1e-300, "alpha": -1.0},
    agents.VPI: {"alpha": -1.0, "lam": 1e-300, "beta": -1.0},
}


@pytest.mark.parametrize("kind", SETTINGS)
def test_settings(kind: type[Agent]) -> None:
    for name, value in SETTINGS[kind].items():
        with pytest.raises(ValueError, match=f"{name} must be"):
            kind(CHAIN.problem(), **{name: value})


NOT_RESAMPLED = "one of 'collapsed', 'lazy', 'full', got 'resampled'"

test_rejected = rejections(
    (ValueError, "got some int", lambda: agents.BAMCP(BAMDP(Dirichlet(), REWARDS, 0.9), simulations=DIGITS)),
    (ValueError, NOT_RESAMPLED, lambda: agents.BAMCP(CHAIN.problem(), sampling="resampled")),  # type: ignore[arg-type]
    (ValueError, "one of 'collapsed', 'resampled', got 'lazy'", lambda: agents.BAUCT(CHAIN.problem(), sampling="lazy")),  # type: ignore[arg-type]
    (MemoryError, "models=100000 needs", lambda: agents.BOSS(BAMDP(Dirichlet(), np.zeros((100, 9)), 0.9), models=10**5)),
    (
        TypeError,
        'mean="flat" needs a prior with one pseudo',
        lambda: agents.BEB(BANDIT.problem(), mean="flat"),
    ),
    (TypeError, "use BOSS", lambda: agents.SBOSS(BANDIT.problem())),
    (TypeError, "before must be counts", lambda: agents.SBOSS(CHAIN.problem()).deviation(0, 0, 5, {})),  # type: ignore[arg-type]
    (ValueError, "each next state of after", lambda: agents.SBOSS(CHAIN.problem()).deviation(0, 0, {}, {9: 1})),
    (ValueError, "visits must be", lambda: agents.IEQL(sized(2, 2, 0.9)).bonus(0)),
    (TypeError, "problem must be a bamdp.BAMDP", lambda: agents.Random(2)),  # type: ignore[arg-type]
    (ValueError, "seed must be", lambda: agents.Random(sized(2, 2, 0.9), seed=-1)),
    (ValueError, "seed.*got -1", lambda: agents.Oracle(CHAIN.problem(), world=CHAIN.mdp, seed=-1)),
    (ValueError, "state.*got 5", lambda: agents.Oracle(CHAIN.problem(), world=CHAIN.mdp).act(5)),
    (TypeError, "world must be the true MDP", lambda: agents.Oracle(InfiniteGrid().problem(), world=InfiniteGrid().mdp)),
    (ValueError, "world must be one of the problem's", lambda: agents.Oracle(CHAIN.problem(), world=DoubleLoop().mdp)),
)

CALLS: dict[tuple[str, str], list[tuple[Any, ...]]] = {
    ("plan", "state"): [(-1,), (3,), (2**70,), (0.0,), (None,)],
    ("act", "state"): [(3,), (True,)],
    ("observe", "state"): [(3, 0, 0.0, 0), (-1, 0, 0.0, 0), ("0", 0, 0.0, 0)],
    ("observe", "action"): [(0, 2, 0.0, 0), (0, -1, 0.0, 0), (0, 0.0, 0.0, 0)],
    ("observe", "reward"): [(0, 0, NAN, 0), (0, 0, INF, 0), (0, 0, None, 0), (0, 0, "", 0)],
    ("observe", "next_state"): [(0, 0, 0.0, 3), (0, 0, 0.0, -1), (0, 0, 0.0, 1.0), (0, 0, 0.0, 2)],  # the last: impossible
    ("reset", "seed"): [(-1,), (None,)],
}


@pytest.mark.parametrize(("method", "name"), CALLS)
def test_a_rejected_call_changes_nothing(method: str, name: str) -> None:
    """Neither the belief nor the kept tree nor the random numbers to come."""
    settings: dict[str, Any] = {"simulations": 50, "reuse_tree": True, "seed": 4}
    disturbed, twin = (agents.BAMCP(BAMDP(Dirichlet([1, 2, 0]), REWARDS + 0.1, 0.9), **settings) for _ in range(2))
    for agent in (disturbed, twin):
        agent.plan(0)
        agent.observe(0, 0, 0.5, 1)
    for arguments in CALLS[method, name]:
        with pytest.raises((ValueError, TypeError), match=rf"^{name}\b.*(must|impossible)"):
            getattr(disturbed, method)(*arguments)
    assert disturbed.simulations_done == twin.simulations_done
    for _ in range(2):
        assert known(disturbed.belief) == known(twin.belief)
        plans = [agent.plan(1) for agent in (disturbed, twin)]
        assert plans[0].q_values.tolist() == plans[1].q_values.tolist()
        assert plans[0].action == plans[1].action
        for agent in (disturbed, twin):
            agent.observe(1, 1, 1.0, 0)
            agent.observe(0, 0, 0.0, 1)


def made(name: str, domain: Domain, **settings: Any) -> Any:
    if name == "oracle":
        settings["world"] = domain.mdp
    return NAMES[name](domain.problem(Dirichlet() if name == "sboss" else None), **settings)


@pytest.mark.parametrize("name", NAMES)
def test_a_rejected_call_of_any_agent_forgets_nothing(name: str) -> None:
    agent = made(name, BANDIT)
    agent.observe(0, 0, 0.0, 1)
    before = known(agent)
    bad: list[tuple[str, Any, str]] = [
        ("reset", ("x",), "seed must be"),
        ("observe", (0, 2, 0.0, 1), "action must be"),
        ("observe", (0, 1, 0.0, 2), "next_state must be"),
        ("observe", (0, 1, NAN, 1), "reward must be"),
    ]
    for method, given, says in bad:
        with pytest.raises((TypeError, ValueError), match=says):
            getattr(agent, method)(*given)
    assert known(agent) == before


@pytest.mark.parametrize("one", [np.array(1), np.uint8(1), np.int64(1), Index(1)], ids=["array", "uint8", "int64", "index"])
@pytest.mark.parametrize("name", NAMES)
def test_integers_of_any_kind_are_accepted(name: str, one: Any) -> None:
    """What the belief takes, the search takes too."""
    agent, twin = (made(name, BANDIT) for _ in range(2))
    agent.observe(one, one, np.float32(0.5), one)
    twin.observe(1, 1, 0.5, 1)
    assert known(agent) == known(twin)
    assert agent.act(one) == twin.act(1)
    if name == "bamcp":
        assert agent.plan(one).q_values.tolist() == twin.plan(1).q_values.tolist()
