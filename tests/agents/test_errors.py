"""Bad arguments of agents: an error that names the argument, what it got and what it accepts; and nothing has changed."""

from typing import Any

import numpy as np
import pytest

from bamdp import BAMDP, Domain, agents
from bamdp.config.names import find_all
from bamdp.domains import Bandit, Chain
from bamdp.priors import Dirichlet
from fuzz.lives import known
from fuzz.values import Index
from reference.rejections import rejections

NAN, INF, DIGITS = float("nan"), float("inf"), 10**5000  # more than Python prints
CHAIN, BANDIT, REWARDS = Chain(), Bandit([0.5, 0.5], 0.5), np.zeros((3, 2))
NAMES = {found.name: found.target for found in find_all("agent")}


test_rejected = rejections(
    (ValueError, "got some int", lambda: agents.BAMCP(BAMDP(Dirichlet(), REWARDS, 0.9), simulations=DIGITS)),
    (
        TypeError,
        'mean="flat" needs a prior with one pseudo',
        lambda: agents.BEB(BANDIT.problem(), mean="flat"),
    ),
    (TypeError, "use BOSS", lambda: agents.SBOSS(BANDIT.problem())),
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
