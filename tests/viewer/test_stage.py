"""Runs that are watched: the same as by `bamdp play`, side by side in step, and frames that tell
what the agents think.
"""

import copy
import io
import json
from base64 import b64decode
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import bamdp
from bamdp.config import names
from bamdp.domain import UNBOUNDED
from bamdp.runs.loop import seeds
from bamdp.viewer.stage import AgentEntry, Stage, StoppedWatchingError, WatchedRun, WatchSetup
from reference.problems import sized
from viewer.serving import played, show_of


def frames(stage: Stage, steps: int) -> list[dict[str, Any]]:
    """The frame of the first run before the first step and after each."""
    result = [stage.frame()["runs"][0]]
    for _ in range(steps):
        stage.step()
        result.append(stage.frame()["runs"][0])
    return result


def frame(words: str, steps: int = 0) -> dict[str, Any]:
    """That of the first run after some steps."""
    return frames(Stage(show_of(words)), steps)[-1]


def record_of(show: WatchSetup, steps: int) -> Any:
    """The first run of `bamdp play`."""
    agent_seed, world_seed = seeds(show.seed, 0)
    return bamdp.run(show.agents[0].make(show.domain, agent_seed), show.domain, steps, world_seed)


EVERY = [
    *(
        f"{'bandit' if 'gittins' in found.name else 'chain'} {found.name}"
        for found in names.AGENTS.find_all()
    ),
    *(
        f"{found.name} {agent}"
        for found in names.DOMAINS.find_all()
        for agent in ("bamcp", "random")
    ),
    *(
        f"{domain} bayes-adaptive"
        for domain in ("bandit", "infinite-grid", "grid-navi", "normal-bandit", "gym:FrozenLake-v1")
    ),
    *(
        "gym:Taxi-v4 bamcp",
        "gym:Blackjack-v1 bamcp",
        "grid60 bamcp",
        "random-mdp50 bamcp",
        "grid5 bamcp:trees=3",
    ),
    *("chain boss:models=2", "maze q-learning", "infinite-grid q-learning"),
]


@pytest.mark.slow
@pytest.mark.parametrize("words", EVERY)
def test_watching_changes_nothing_and_gives_json(words: str) -> None:
    words += ":simulations=30" if words.split()[1] in ("bamcp", "ba-uct") else ""
    stage = Stage(show_of(words))
    init, seen = stage.init(), frames(stage, 12)
    integers: list[int] = []
    texts = [json.dumps(message, allow_nan=False) for message in (init, *seen)]
    json.loads(texts[-1], parse_int=lambda digits: integers.append(abs(int(digits))))
    assert max(integers) < 2**53, "states of 64 bits have names"
    assert max(map(len, texts[1:])) < 200_000
    record = record_of(stage.setup, 12)
    assert [frame["decision"]["action"] for frame in seen[:-1]] == record.actions.tolist()
    assert [reward for frame in seen for reward in frame["rewards"]] == record.rewards.tolist()
    assert [frame["step"] for frame in seen] == list(range(13))
    assert seen[-1]["total"] == sum(record.rewards)
    assert len(init["agents"][0]["actions"]) == stage.setup.domain.num_actions
    assert " at 0x" not in texts[0]


def test_a_run_ends_after_its_steps() -> None:
    stage = Stage(show_of("chain random --steps 3"))
    assert [frame["decision"] is None for frame in frames(stage, 3)] == [False, False, False, True]
    assert stage.done
    with pytest.raises(ValueError, match="over after 3 steps"):
        stage.step()


# Two agents


def outcomes(run: WatchedRun) -> dict[tuple[int, int], list[tuple[int, float]]]:
    """What followed each state and action, in order."""
    found: dict[tuple[int, int], list[tuple[int, float]]] = {}
    for step in run.recording:
        found.setdefault((step.state, step.action), []).append(
            (step.next_state, step.reward or 0.0)
        )
    return found


@pytest.mark.parametrize(
    "words",
    [
        "grid5 random posterior-mean",
        "gym:FrozenLake-v1 random posterior-mean",
        "infinite-grid random bamcp:simulations=20",
        "grid-navi random posterior-mean",
        "riverswim random posterior-mean",
    ],
)
def test_the_same_outcomes_for_both(words: str) -> None:
    """The n-th outcome of a state and action, however often it was tried before."""
    stage = played(f"{words} --seed 4", 60)
    first, second = map(outcomes, stage.runs)
    common = first.keys() & second.keys()
    assert common
    assert [run.name for run in stage.runs] == words.split()[1:]
    # in the infinite grid rewards are consumed: a state is left with the same outcome only the
    # first time
    for pair in common:
        n = 1 if "infinite" in words else min(len(first[pair]), len(second[pair]))
        assert first[pair][:n] == second[pair][:n]


def test_the_same_agent_twice_does_the_same() -> None:
    stage = played("grid5 bamcp:simulations=30 bamcp:simulations=30", 40)
    assert stage.runs[0].recording == stage.runs[1].recording
    assert (
        stage.runs[0].recording != played("grid5 bamcp:simulations=30", 40, 1).runs[0].recording
    ), "another seed"


def test_problems_draw_a_world_for_each_seed() -> None:
    stage = played("paper-grid5 random posterior-mean --seed 3", 30)
    world = bamdp.suite.PaperGrid(5).world(seeds(3, 0)[1])
    assert (stage.runs[0].domain.successors == world.successors).all()  # type: ignore[attr-defined]
    assert (Stage(stage.setup, 4).runs[0].domain.successors != world.successors).any()  # type: ignore[attr-defined]
    init = stage.init()
    assert init["agents"][0]["actions"] == [f"action {k}" for k in range(4)], (
        "labels are permuted: up isn't up"
    )
    assert init["agents"][0]["world"]["kind"] == "map"
    assert init["description"].startswith("The grids of the paper")
    assert (init["domain"], init["steps"]) == ("paper-grid5", 1000)
    chosen = show_of("riverswim:discount=0.9,episodes=3 random")
    assert (chosen.domain.discount, chosen.steps) == (0.9, 60)
    assert show_of("grid-navi random").problem is None, "a domain of the same name comes first"
    for arms in ("two-arms random", "bandit:probabilities=0.3,0.6 random"):
        assert played(arms, 3).init()["agents"][0]["actions"] == ["arm A", "arm B"], "as in trials"


def test_what_happened_before_the_run_is_known() -> None:
    """The forced choices of the Horizon task."""
    problem = bamdp.suite.HorizonTask()
    agent = bamdp.agents.PosteriorMean(problem.problem)
    problem.prepare(agent, seeds(3, 0)[1])
    assert (
        frame("horizon-task posterior-mean --seed 3")["decision"]["values"]
        == agent.q_values(0).tolist()
    )
    assert len(set(agent.q_values(0).tolist())) == 2, "something was learned"


def test_simulations_follow_the_names_and_can_be_changed() -> None:
    stage = Stage(show_of("grid5 bamcp:simulations=30,trees=2 bayes-adaptive:simulations=77"))
    assert stage.simulations == [30, 77]
    assert "trees=2" in stage.init()["agents"][0]["about"]
    assert stage.frame()["runs"][0]["decision"]["search"]["simulations"] == 30
    stage.set_simulations(50)
    shown = stage.frame()["runs"]
    assert [run["simulations"] for run in shown] == [50, 50]
    assert shown[0]["decision"]["search"]["simulations"] == 50, "the decision is made again"
    mixed = Stage(show_of("grid5 random bamcp:simulations=30"), 2, [None, 40])
    assert mixed.simulations == [None, 40]
    with pytest.raises(ValueError, match="random does no simulations"):
        Stage(show_of("grid5 random posterior-mean")).set_simulations(9)


class Late(bamdp.agents.Random):
    """Fails once."""

    def observe(
        self,
        state: int,
        action: int,
        reward: float,
        next_state: int,
        terminated: bool | None = False,
    ) -> None:
        self.seen = getattr(self, "seen", 0) + 1
        if self.seen == 3:
            raise ZeroDivisionError


def test_runs_stay_in_step_after_a_failure() -> None:
    show = show_of("chain random")
    late = AgentEntry("late", lambda world, seed: Late(world.problem(), seed=seed))
    stage = played(replace(show, agents=(*show.agents, late)), 2)
    with pytest.raises(ZeroDivisionError):
        stage.step()
    assert [run.steps for run in stage.runs] == [3, 2]
    stage.step()
    assert [run.steps for run in stage.runs] == [3, 3]


def test_a_stopped_search_gives_up_and_can_go_on() -> None:
    stage = Stage(show_of("grid5 random bamcp:simulations=1000"))
    stage.frame()
    stage.stop()
    with pytest.raises(StoppedWatchingError):
        stage.step()
    stage.set_simulations(1_000_000)
    with pytest.raises(StoppedWatchingError):
        stage.frame()
    stage.resume()
    stage.set_simulations(100)
    stage.step()
    assert stage.frame()["step"] == 1


# The decision


def test_a_plan_is_shown_as_it_is() -> None:
    """Against that of a twin; the values of a tree are those of the table."""
    stage = played("grid5 bamcp:simulations=400,trees=2", 20)
    shown = stage.frame()["runs"][0]["decision"]
    twin = played("grid5 bamcp:simulations=400,trees=2", 20).runs[0]
    plan = twin.agent.plan(twin.state)  # type: ignore[attr-defined]
    assert shown["values"] == plan.q_values.tolist()
    assert shown["search"]["visits"] == plan.visits.tolist()
    assert shown["search"]["errors"] == plan.standard_errors.tolist()
    assert shown["low"] == (plan.q_values - plan.standard_errors).tolist()
    assert shown["search"]["simulations"] == 400 == sum(shown["search"]["visits"])
    top = shown["search"]["tree"]
    assert top["visits"] == 400
    assert [edge["value"] for edge in top["actions"]] == pytest.approx(plan.q_values.tolist())
    below = [child["visits"] for edge in top["actions"] for child in edge["children"]]
    assert min(below) >= 400 // 50


@pytest.mark.parametrize(
    ("words", "by"),
    [
        ("grid5 bamcp:simulations=400,trees=2", "tree"),
        ("bandit bamcp:simulations=50", "tree"),
        ("chain bfs3:trajectories=20", "tree"),
        ("grid5 bayes-adaptive:simulations=30", "tree"),
        ("normal-bandit bayes-adaptive:simulations=30", "tree"),
        ("bandit bayes-adaptive:simulations=50", "indices"),
    ],
)
def test_what_decided_is_named(words: str, by: str) -> None:
    assert frame(words, 3)["decision"]["search"]["decided"] == by


def test_never_tried_actions_have_no_error() -> None:
    shown = frame("grid5 bamcp:simulations=1")["decision"]
    assert sorted(shown["search"]["visits"]) == [0, 0, 0, 1]
    assert shown["search"]["errors"] == [None] * 4
    assert len(shown["search"]["tree"]["actions"]) == 1


def test_what_agents_without_a_search_go_by() -> None:
    loop = bamdp.domains.DoubleLoop()
    oracle = bamdp.agents.Oracle(loop.problem(), world=loop.mdp)
    assert frame("double-loop oracle")["decision"]["values"] == oracle.q_values(0).tolist()
    index = frame("bandit gittins")["decision"]
    assert (index["measure"], len(set(index["values"]))) == ("Gittins index", 1)
    informed = frame("chain vpi", 5)["decision"]
    assert all(
        high >= value for high, value in zip(informed["high"], informed["values"], strict=True)
    )
    nothing = frame("double-loop random")["decision"]
    assert (nothing["values"], nothing["search"]) == ([], None)


@pytest.mark.parametrize("final_move", ["upper", "lower"])
def test_a_search_by_bounds_shows_its_bounds(final_move: str) -> None:
    decision = frame(f"chain bfs3:trajectories=20,final_move={final_move}")["decision"]
    assert decision["measure"] == f"{final_move} bound"
    assert decision["values"] == decision["high" if final_move == "upper" else "low"]
    assert all(low < high for low, high in zip(decision["low"], decision["high"], strict=True))


# Names, episodes, pictures


def test_names_are_those_of_the_problem() -> None:
    world, states = bamdp.domains.Chain(), ("a", "b", "c", "d", "e")

    def make(world: bamdp.Domain, seed: int) -> bamdp.Agent:
        problem = replace(world.problem(), states=states, actions=("stay", "go"))
        return bamdp.agents.BAMCP(problem, simulations=50, seed=seed)

    stage = played(
        WatchSetup("chain", world, (AgentEntry("named", make),), world.problem().prior, 9, 0), 4
    )
    shown = stage.frame()["runs"][0]
    assert stage.init()["agents"][0]["actions"] == ["stay", "go"]
    assert all(f">{name}<" in shown["world"]["moment"] for name in states)
    assert shown["decision"]["search"]["tree"]["state"] == shown["world"]["label"] in states
    assert any(f">{name}<" in drawn for name in states for drawn in shown["world"]["expected"])


def test_episodes_are_those_of_the_record() -> None:
    words = "gym:FrozenLake-v1 random --seed 2"
    found, record = frame(words, 200)["episodes"], record_of(show_of(words), 200)
    assert found["count"] == len(record.episode_rewards) > 5
    assert found["mean"] == found["success"] == pytest.approx(record.episode_rewards.mean())
    assert frame("gym:CliffWalking-v1 oracle", 30)["episodes"] == {
        "count": 2,
        "mean": -13.0,
        "success": None,
    }
    assert frame("gym:CliffWalking-v1 oracle")["episodes"]["mean"] is None
    assert frame("chain random")["episodes"] is None


def test_an_environment_without_a_map_shows_its_own_picture() -> None:
    from PIL import Image

    head, _, data = frame("gym:Blackjack-v1 random")["world"]["picture"].partition(",")
    assert head == "data:image/webp;base64"
    assert np.asarray(Image.open(io.BytesIO(b64decode(data)))).ndim == 3
    assert frame("gym:FrozenLake-v1 random")["world"]["picture"] is None


def test_an_environment_that_draws_nothing_has_no_picture(monkeypatch: pytest.MonkeyPatch) -> None:
    lake = bamdp.domains.Gymnasium("FrozenLake-v1")
    assert lake.picture() is None

    def broken(*arguments: Any) -> None:
        raise ImportError("no module named pygame")

    monkeypatch.setattr("gymnasium.envs.toy_text.frozen_lake.FrozenLakeEnv.render", broken)
    drawn = copy.copy(lake.rendered())
    drawn.reset(np.random.default_rng(0))
    assert drawn.picture() is None
    own = bamdp.domains.Gymnasium(lambda: __import__("gymnasium").make("FrozenLake-v1"))
    assert own.rendered() is own


class Odd(bamdp.Domain):
    """Unbounded, without a picture."""

    num_states, num_actions, discount, steps = UNBOUNDED, 2, 0.9, 10
    rewards = np.empty((0, 2))

    def reset(self, rng: np.random.Generator) -> int:
        return 2**60

    def step(self, state: int, action: int, rng: np.random.Generator) -> tuple[int, float]:
        return state + 1, 2.0


def test_worlds_of_your_own_are_shown_as_far_as_possible() -> None:
    agent = AgentEntry("random", lambda world, seed: bamdp.agents.Random(sized(None, 2), seed=seed))
    stage = Stage(WatchSetup("odd", Odd(), (agent,), None, 5, 0))
    shown = frames(stage, 3)[-1]
    json.dumps([stage.init(), shown], allow_nan=False)
    assert (shown["world"]["label"], shown["total"], shown["rewards"]) == (
        str(2**60 + 3),
        6.0,
        [2.0],
    )
