"""Bad input: an error that names the argument, what it got and what it accepts; and nothing has changed."""

import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from bamdp.agents import BAMCP, BAUCT, Oracle, Random
from bamdp.domains import DoubleLoop, Tabular
from bamdp.episode import run
from bamdp.priors import BetaArms, Dirichlet, SparseDirichlet

FINE = np.array([[[0.5, 0.5]], [[1, 0]]])
NAN, INF = float("nan"), float("inf")
REWARDS = np.zeros((3, 2))

AGENT = [
    ("prior", None),
    ("prior", "Dirichlet"),
    ("prior", Dirichlet),
    ("rewards", [[0.0, NAN], [0, 0]]),
    ("rewards", [[0.0, INF], [0, 0]]),
    ("rewards", [0.0, 1.0]),
    ("rewards", np.zeros((2, 2, 3))),
    ("rewards", np.zeros((0, 2))),
    ("rewards", np.zeros((2, 0))),
    ("rewards", [[0.0], [0.0, 1.0]]),
    ("rewards", "many"),
    ("rewards", None),
    ("rewards", [[1j, 0]]),
    ("discount", 1.0),
    ("discount", 1),
    ("discount", -0.1),
    ("discount", NAN),
    ("discount", "0.9x"),
    ("discount", None),
    ("discount", [0.9]),
    ("simulations", 0),
    ("simulations", -5),
    ("simulations", 10.0),
    ("simulations", "10"),
    ("simulations", True),
    ("simulations", 2**63),
    ("seconds", 0),
    ("seconds", 0.0),
    ("seconds", -1),
    ("seconds", NAN),
    ("seconds", INF),
    ("seconds", "1 s"),
    ("exploration", -1),
    ("exploration", NAN),
    ("exploration", INF),
    ("exploration", None),
    ("horizon", 0),
    ("horizon", -1),
    ("horizon", 2.5),
    ("horizon", 2**40),
    ("rollouts", "learnt"),
    ("epsilon", -0.1),
    ("epsilon", 1.1),
    ("epsilon", NAN),
    ("learning_rate", -0.1),
    ("learning_rate", 2),
    ("learning_rate", None),
    ("sampling", "eager"),
    ("sampling", 1),
    ("nodes", "states"),
    ("expand_after", -1),
    ("expand_after", 1.0),
    ("expand_after", 2**31),
    ("first_action", "best"),
    ("log_term", "N+1"),
    ("log_term", 1),
    ("final_move", "random"),
    ("reuse_tree", "no"),
    ("reuse_tree", None),
    ("trees", 0),
    ("trees", 1.5),
    ("threads", 0),
    ("threads", -1),
    ("seed", -1),
    ("seed", 0.5),
    ("seed", None),
]


def short(value: object) -> str:
    return re.sub(r"\s+", " ", repr(value))[:40]


@pytest.mark.parametrize("agent_class", [BAMCP, BAUCT])
@pytest.mark.parametrize(("name", "value"), AGENT, ids=[f"{name}={short(value)}" for name, value in AGENT])
def test_agents(agent_class: type[BAMCP], name: str, value: Any) -> None:
    settings: dict[str, Any] = {"prior": Dirichlet(), "rewards": REWARDS, "discount": 0.9, name: value}
    with pytest.raises((ValueError, TypeError), match=rf"\b{name}\b.*") as caught:
        agent_class(**settings)
    assert re.search("must|got", str(caught.value))


def test_samplings_of_the_other_agent() -> None:
    with pytest.raises(ValueError, match="sampling must be one of 'collapsed', 'lazy', 'full', got 'resampled'"):
        BAMCP(Dirichlet(), REWARDS, 0.9, sampling="resampled")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="sampling must be one of 'collapsed', 'resampled', got 'lazy'"):
        BAUCT(Dirichlet(), REWARDS, 0.9, sampling="lazy")  # type: ignore[arg-type]


PRIORS: list[tuple[str, Callable[[], Any]]] = [
    ("alpha", lambda: Dirichlet(0)),
    ("alpha", lambda: Dirichlet(-1.0)),
    ("alpha", lambda: Dirichlet(NAN)),
    ("alpha", lambda: Dirichlet(INF)),
    ("alpha", lambda: Dirichlet("one")),
    ("alpha", lambda: Dirichlet(1e300).belief(2, 2)),
    ("alpha", lambda: Dirichlet([1e308, 1e308])),
    ("alpha", lambda: Dirichlet(np.full((2, 1, 2), 1e15))),
    ("alpha", lambda: Dirichlet([1, -1])),
    ("alpha", lambda: Dirichlet([0.0, 0.0])),
    ("alpha", lambda: Dirichlet([1, NAN])),
    ("alpha", lambda: Dirichlet([])),
    ("alpha", lambda: Dirichlet([[1, 1], [1, 1]])),
    ("alpha", lambda: Dirichlet([[[1, 1]], [[0, 0]]])),
    ("alpha", lambda: Dirichlet([1, 1]).belief(3, 2)),
    ("alpha", lambda: Dirichlet(np.ones((3, 1, 3))).belief(3, 2)),
    ("alpha", lambda: BAMCP(Dirichlet([1, 1]), REWARDS, 0.9)),
    ("alpha", lambda: SparseDirichlet(alpha=0)),
    ("alpha", lambda: SparseDirichlet(alpha=INF)),
    ("alpha", lambda: SparseDirichlet(alpha=1e9)),
    ("exponent", lambda: SparseDirichlet(exponent=1e300)),
    ("failures", lambda: BetaArms(failures=1e308)),
    ("alpha", lambda: SparseDirichlet(alpha="x")),  # type: ignore[arg-type]
    ("exponent", lambda: SparseDirichlet(exponent=NAN)),
    ("exponent", lambda: SparseDirichlet(exponent=None)),  # type: ignore[arg-type]
    ("successes", lambda: BetaArms(successes=-1)),
    ("failures", lambda: BetaArms(failures=[1, NAN])),
    ("successes", lambda: BetaArms(successes=[[1]])),
    ("successes", lambda: BetaArms(0, 0)),
    ("successes", lambda: BetaArms([1, 2], [1, 2, 3])),
    ("successes", lambda: BetaArms([1, 2, 3]).belief(2, 2)),
    ("2 states", lambda: BetaArms().belief(3, 2)),
    ("num_states", lambda: Dirichlet().belief(0, 2)),
    ("num_actions", lambda: Dirichlet().belief(2, 0)),
    ("num_states", lambda: SparseDirichlet().belief(2.0, 2)),  # type: ignore[arg-type]
    ("num_actions", lambda: SparseDirichlet().belief(2, -1)),
    ("num_states", lambda: BetaArms().belief(-1, 2)),
]


@pytest.mark.parametrize(("name", "make"), PRIORS, ids=[f"{i}-{name}" for i, (name, _) in enumerate(PRIORS)])
def test_priors(name: str, make: Callable[[], Any]) -> None:
    with pytest.raises((ValueError, TypeError), match=rf"\b{name}\b"):
        make()


OTHERS: list[tuple[str, Callable[[], Any]]] = [
    ("transitions", lambda: Tabular(np.array([[[0.5, 0.4]], [[1, 0]]]), [[0], [0]], 0.9)),
    ("transitions", lambda: Tabular(np.array([[[1.5, -0.5]], [[1, 0]]]), [[0], [0]], 0.9)),
    ("transitions", lambda: Tabular(np.array([[[NAN, 1]], [[1, 0]]]), [[0], [0]], 0.9)),
    ("rewards", lambda: Tabular(FINE, [[0.0], [INF]], 0.9)),
    ("rewards", lambda: Tabular(FINE, [[0, 1], [0, 1]], 0.9)),
    ("discount", lambda: Tabular(FINE, [[0], [0]], 1.0)),
    ("steps", lambda: run(Random(2), DoubleLoop(), steps=0)),
    ("steps", lambda: run(Random(2), DoubleLoop(), steps=2.5)),  # type: ignore[arg-type]
    ("seed", lambda: run(Random(2), DoubleLoop(), steps=2, seed=-1)),
    ("seed", lambda: run(Random(2), DoubleLoop(), steps=2, seed="x")),  # type: ignore[arg-type]
    ("num_actions", lambda: Random(0)),
    ("seed", lambda: Random(2, seed=-1)),
    ("seed", lambda: Oracle.for_domain(DoubleLoop(), seed=-1)),
]


@pytest.mark.parametrize(("name", "make"), OTHERS, ids=[f"{i}-{name}" for i, (name, _) in enumerate(OTHERS)])
def test_others(name: str, make: Callable[[], Any]) -> None:
    with pytest.raises((ValueError, TypeError), match=rf"\b{name}\b"):
        make()


class Index:
    """An integer only by its __index__."""

    def __index__(self) -> int:
        return 1


REFUSED: list[tuple[str, str, tuple[Any, ...]]] = [
    ("state", "plan", (-1,)),
    ("state", "plan", (3,)),
    ("state", "plan", (2**70,)),
    ("state", "plan", (0.0,)),
    ("state", "plan", (None,)),
    ("state", "act", (3,)),
    ("state", "act", (True,)),
    ("state", "observe", (3, 0, 0.0, 0)),
    ("state", "observe", (-1, 0, 0.0, 0)),
    ("state", "observe", ("0", 0, 0.0, 0)),
    ("action", "observe", (0, 2, 0.0, 0)),
    ("action", "observe", (0, -1, 0.0, 0)),
    ("action", "observe", (0, 0.0, 0.0, 0)),
    ("reward", "observe", (0, 0, NAN, 0)),
    ("reward", "observe", (0, 0, INF, 0)),
    ("reward", "observe", (0, 0, None, 0)),
    ("reward", "observe", (0, 0, "", 0)),
    ("next_state", "observe", (0, 0, 0.0, 3)),
    ("next_state", "observe", (0, 0, 0.0, -1)),
    ("next_state", "observe", (0, 0, 0.0, 1.0)),
    ("next_state", "observe", (0, 0, 0.0, 2)),  # impossible under the prior
    ("seed", "reset", (-1,)),
    ("seed", "reset", (None,)),
]


def twins() -> list[BAMCP]:
    pair = [BAMCP(Dirichlet([1, 2, 0]), REWARDS + 0.1, 0.9, simulations=50, reuse_tree=True, seed=4) for _ in range(2)]
    for agent in pair:
        agent.plan(0)
        agent.observe(0, 0, 0.5, 1)
    return pair


@pytest.mark.parametrize(("name", "method", "arguments"), REFUSED, ids=[f"{m}{a!r}" for _, m, a in REFUSED])
def test_a_refused_call_changes_nothing(name: str, method: str, arguments: tuple[Any, ...]) -> None:
    disturbed, twin = twins()
    with pytest.raises((ValueError, TypeError), match=rf"^{name}\b.*(must|impossible)"):
        getattr(disturbed, method)(*arguments)
    assert disturbed.simulations_done == twin.simulations_done
    for _ in range(2):
        for s, a in np.ndindex(3, 2):
            assert disturbed.belief.counts(s, a) == twin.belief.counts(s, a)  # type: ignore[attr-defined]
        plans = [agent.plan(1) for agent in (disturbed, twin)]
        assert plans[0].values.tolist() == plans[1].values.tolist()
        assert plans[0].action == plans[1].action
        for agent in (disturbed, twin):
            agent.observe(1, 1, 1.0, 0)
            agent.observe(0, 0, 0.0, 1)


def test_integers_of_any_kind_are_taken_whole() -> None:
    """What the belief takes, the search takes too: never one without the other."""
    for one in (np.int64(1), np.uint8(1), np.array(1), Index()):
        agent, twin = twins()
        agent.observe(one, one, np.float32(0.5), one)  # type: ignore[arg-type]
        twin.observe(1, 1, 0.5, 1)
        assert agent.plan(one).values.tolist() == twin.plan(1).values.tolist()  # type: ignore[arg-type]
