"""Two agents side by side: the same world, the same outcomes, in step; and what is shown beside the decision."""

from typing import Any

import numpy as np
import pytest

import bamdp
from bamdp.runs.loop import seeds
from bamdp.search.plan import CertifiedPlan
from bamdp.viewer.show import AgentEntry, WatchSetup
from bamdp.viewer.stage import Stage
from bamdp.viewer.watched import Episodes, StoppedWatchingError, WatchedRun
from viewer.serving import show_of


def outcomes(run: WatchedRun) -> dict[tuple[int, int], list[tuple[int, float]]]:
    """What followed each state and action, in order."""
    found: dict[tuple[int, int], list[tuple[int, float]]] = {}
    for step in run.recording:
        found.setdefault((step.state, step.action), []).append((step.next_state, step.reward))
    return found


@pytest.mark.parametrize(
    "words",
    [
        "grid5 random posterior-mean",
        "chain bamcp:simulations=20 random",
        "gym:FrozenLake-v1 random posterior-mean",
        "infinite-grid random bamcp:simulations=20",
        "grid-navi random posterior-mean",
        "riverswim random posterior-mean",
    ],
)
def test_the_same_outcomes_for_both(words: str) -> None:
    """The n-th outcome of a state and action, however often it was tried before."""
    stage = Stage(show_of(f"{words} --seed 4 --steps 60"))
    while not stage.done:
        stage.step()
    first, second = map(outcomes, stage.runs)
    common = first.keys() & second.keys()
    assert common
    assert [run.contender.name for run in stage.runs] == words.split()[1:]
    if "infinite" in words:  # rewards are consumed, so that a state is left with the same outcome only the first time
        assert all(first[pair][0] == second[pair][0] for pair in common)
        return
    for pair in common:
        n = min(len(first[pair]), len(second[pair]))
        assert first[pair][:n] == second[pair][:n]


def test_problems_draw_a_world_for_each_seed() -> None:
    show = show_of("paper-grid5 random posterior-mean --seed 3")
    stage = Stage(show)
    for _ in range(30):
        stage.step()
    world = bamdp.problems.PaperGrid(5).world(seeds(3, 0)[1])
    assert (stage.runs[0].domain.successors == world.successors).all()  # type: ignore[attr-defined]
    other = Stage(show, 4)
    assert (other.runs[0].domain.successors != world.successors).any()  # type: ignore[attr-defined]
    init = stage.init()
    assert init["agents"][0]["actions"] == [f"action {k}" for k in range(4)], "labels are permuted: up isn't up"
    assert init["agents"][0]["world"]["kind"] == "map"
    assert init["description"].startswith("The grids of the paper")
    assert (init["domain"], init["steps"]) == ("paper-grid5", 1000)
    chosen = show_of("riverswim:discount=0.9,episodes=3 random")
    assert (chosen.domain.discount, chosen.steps) == (0.9, 60)
    assert show_of("grid-navi random").problem is None, "a domain of the same name comes first"


def test_what_happened_before_the_run_is_known() -> None:
    """The forced choices of the Horizon task."""
    run = Stage(show_of("horizon-task posterior-mean --seed 3")).runs[0]
    problem, world_seed = bamdp.problems.HorizonTask(), seeds(3, 0)[1]
    agent = bamdp.agents.PosteriorMean(problem.problem)
    problem.prepare(agent, world_seed)
    assert run.frame()["decision"]["values"] == agent.q_values(0).tolist()
    assert len(set(agent.q_values(0).tolist())) == 2, "something was learned"


def test_the_same_agent_twice_does_the_same() -> None:
    stage = Stage(show_of("grid5 bamcp:simulations=30 bamcp:simulations=30 --steps 40"))
    while not stage.done:
        stage.step()
    assert stage.runs[0].recording == stage.runs[1].recording


def test_settings_follow_the_names() -> None:
    stage = Stage(show_of("grid5 bamcp:simulations=30,trees=2 bayes-adaptive:simulations=77"))
    assert stage.simulations == [30, 77]
    init = stage.init()
    assert [agent["agent"] for agent in init["agents"]] == ["bamcp:simulations=30,trees=2", "bayes-adaptive:simulations=77"]
    assert "trees=2" in init["agents"][0]["about"]
    stage.set_simulations(50)
    assert [run["simulations"] for run in stage.frame()["runs"]] == [50, 50]
    mixed = Stage(show_of("grid5 random bamcp:simulations=30"))
    mixed.set_simulations(40)
    assert mixed.simulations == [None, 40]
    with pytest.raises(ValueError, match="random does no simulations"):
        Stage(show_of("grid5 random posterior-mean")).set_simulations(9)


def test_one_agent_is_the_run_of_play() -> None:
    """Not in a world with common random numbers, which `bamdp play` hasn't."""
    show = show_of("grid5 posterior-mean --seed 9")
    stage = Stage(show)
    for _ in range(50):
        stage.step()
    agent_seed, world_seed = seeds(9, 0)
    agent = bamdp.agents.PosteriorMean(show.domain.problem(), seed=agent_seed)
    record = bamdp.run(agent, show.domain, 50, world_seed)
    assert [step.action for step in stage.runs[0].recording] == record.actions.tolist()


class Late(bamdp.agents.Random):
    """Fails once."""

    def observe(self, state: int, action: int, reward: float, next_state: int, terminated: bool | None = False) -> None:
        self.seen = getattr(self, "seen", 0) + 1
        if self.seen == 3:
            raise ZeroDivisionError


def test_runs_stay_in_step_after_a_failure() -> None:
    show = show_of("chain random")
    late = AgentEntry("late", lambda world, seed, prior: Late(world.problem(), seed=seed))
    stage = Stage(WatchSetup("chain", show.domain, (show.agents[0], late), show.priors, 10, 0))
    stage.step()
    stage.step()
    with pytest.raises(ZeroDivisionError):
        stage.step()
    assert [run.steps for run in stage.runs] == [3, 2]
    stage.step()
    assert [run.steps for run in stage.runs] == [3, 3]


def test_a_stopped_stage_goes_on() -> None:
    stage = Stage(show_of("grid5 random posterior-mean"))
    stage.stop()
    for work in (stage.step, stage.check):
        with pytest.raises(StoppedWatchingError):
            work()
    stage.resume()
    stage.step()
    assert stage.steps == 1


# What is shown beside the decision


def test_bounds_are_those_of_the_plan() -> None:
    run = WatchedRun(show_of("chain bayes-adaptive --seed 1"))
    bounds = run.frame()["decision"]["bounds"]
    plan = run.decision.plan  # type: ignore[union-attr]
    assert isinstance(plan, CertifiedPlan)
    assert bounds == {"lower": plan.lower, "upper": None, "computed": False}
    run.compute_bounds()
    assert run.frame()["decision"]["bounds"] == {"lower": plan.lower, "upper": plan.upper, "computed": True}
    run.step()
    assert not run.frame()["decision"]["bounds"]["computed"]


def test_bounds_change_nothing() -> None:
    runs = [WatchedRun(show_of("chain bayes-adaptive:simulations=100")) for _ in range(2)]
    for _ in range(15):
        for run in runs:
            run.frame()
        runs[0].compute_bounds()
        for run in runs:
            run.step()
    assert runs[0].recording == runs[1].recording


@pytest.mark.parametrize("words", ["grid60 bayes-adaptive:simulations=10", "infinite-grid bayes-adaptive:simulations=10"])
def test_bounds_of_large_worlds_are_not_computed(words: str) -> None:
    run = WatchedRun(show_of(words))
    run.frame()
    run.compute_bounds()
    assert "upper" not in vars(run.decision.plan)  # type: ignore[union-attr]
    assert run.frame()["decision"]["bounds"]["upper"] is None
    assert run.frame()["decision"]["bounds"]["computed"]


def test_other_agents_have_no_bounds() -> None:
    run = WatchedRun(show_of("chain random"))
    run.compute_bounds()
    assert run.frame()["decision"]["bounds"] is None


def test_episodes_are_those_of_the_record() -> None:
    run = WatchedRun(show_of("gym:FrozenLake-v1 random --seed 2"))
    for _ in range(200):
        run.step()
    agent_seed, world_seed = seeds(2, 0)
    domain = bamdp.domains.Gymnasium("FrozenLake-v1")
    record = bamdp.run(bamdp.agents.Random(domain.problem(), seed=agent_seed), domain, 200, world_seed)
    found = run.frame()["episodes"]
    assert found["count"] == len(record.episode_rewards) > 5
    assert found["mean"] == pytest.approx(record.episode_rewards.mean())
    assert found["success"] == found["mean"]
    assert WatchedRun(show_of("chain random")).frame()["episodes"] is None


def test_success_is_for_episodes_that_pay_0_or_1() -> None:
    from bamdp.runs.loop import Step

    episodes = Episodes()
    assert episodes.to_json() == {"count": 0, "mean": None, "success": None}
    episodes.add(Step(0, 0, 1.0, 1, True, False))
    assert episodes.to_json() == {"count": 1, "mean": 1.0, "success": 1.0}
    episodes.add(Step(0, 0, 2.0, 1, False, True))
    assert episodes.to_json() == {"count": 2, "mean": 1.5, "success": None}


def test_pictures_of_gymnasium() -> None:
    import io
    from base64 import b64decode

    from PIL import Image

    run = WatchedRun(show_of("gym:FrozenLake-v1 random"))
    images = []
    for _ in range(2):
        head, _, data = run.frame()["world"]["picture"].partition(",")
        assert head == "data:image/webp;base64"
        images.append(np.asarray(Image.open(io.BytesIO(b64decode(data)))))
        while run.state == 0:
            run.step()
    assert images[0].shape == (256, 256, 3)
    assert (images[0] != images[1]).any()
    assert WatchedRun(show_of("grid5 random")).frame()["world"]["picture"] is None


def test_an_environment_that_draws_nothing_has_no_picture(monkeypatch: pytest.MonkeyPatch) -> None:
    lake = bamdp.domains.Gymnasium("FrozenLake-v1")
    assert lake.picture() is None

    def broken(*arguments: Any) -> None:
        raise ImportError("no module named pygame")

    monkeypatch.setattr("gymnasium.envs.toy_text.frozen_lake.FrozenLakeEnv.render", broken)
    drawn = lake.rendered().for_run()
    drawn.reset(np.random.default_rng(0))
    assert drawn.picture() is None
    own = bamdp.domains.Gymnasium(lambda: __import__("gymnasium").make("FrozenLake-v1"))
    assert own.rendered() is own
