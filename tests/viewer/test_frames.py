"""Frames of a watched run: they tell what the agent thinks, change nothing, and are JSON."""

import json
import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import bamdp
from bamdp.config import names
from bamdp.domain import UNBOUNDED
from bamdp.pictures.beliefs import Rows
from bamdp.pictures.shapes import Arrow, Cell, Circle, Label
from bamdp.pictures.views import Arms, Endless, Map
from bamdp.runs import loop as play
from bamdp.viewer.show import Contender, PriorChoice, WatchSetup, prior_choices
from bamdp.viewer.watched import StoppedWatchingError, WatchedRun
from reference.mute import Mute
from reference.problems import belief_of, sized
from viewer.serving import show_of


def frames(run: WatchedRun, steps: int) -> list[dict[str, Any]]:
    """The frame before the first step and after each."""
    result = [run.frame()]
    for _ in range(steps):
        run.step()
        result.append(run.frame())
    return result


def played(words: str, steps: int) -> tuple[list[int], list[float]]:
    """Actions and rewards of the first run of `bamdp play`."""
    show = show_of(words)
    agent_seed, world_seed = play.seeds(show.seed, 0)
    record = bamdp.run(show.agents[0].make(show.domain, agent_seed, show.priors[0].prior), show.domain, steps, world_seed)
    return record.actions.tolist(), record.rewards.tolist()


EVERY = [
    *(f"{'bandit' if 'gittins' in found.name else 'chain'} {found.name}" for found in names.find_all("agent")),
    *(f"{found.name} {agent}" for found in names.find_all("domain") for agent in ("bamcp", "random")),
    *(f"{domain} bayes-adaptive" for domain in ("bandit", "infinite-grid", "grid-navi", "normal-bandit", "gym:FrozenLake-v1")),
    "gym:Taxi-v4 bamcp",
    "gym:Blackjack-v1 bamcp",
    "grid60 bamcp",
    "random-mdp50 bamcp",
    "grid5 bamcp:trees=3",
    "chain boss:models=2",
    "maze q-learning",
    "infinite-grid q-learning",
]


@pytest.mark.slow
@pytest.mark.parametrize("words", EVERY)
def test_watching_changes_nothing_and_gives_json(words: str) -> None:
    words += ":simulations=30" if words.split()[1] in ("bamcp", "ba-uct") else ""
    run = WatchedRun(show_of(words))
    init = run.init()
    seen = frames(run, 12)
    texts = [json.dumps(message, allow_nan=False) for message in (init, *seen)]
    assert max(map(len, texts[1:])) < 200_000
    actions = [frame["decision"]["action"] for frame in seen[:-1]]
    rewards = [reward for frame in seen for reward in frame["rewards"]]
    assert (actions, rewards) == played(words, 12)
    assert [frame["step"] for frame in seen] == list(range(13))
    assert seen[-1]["total"] == sum(rewards)
    assert len(init["actions"]) == run.show.domain.num_actions
    assert " at 0x" not in texts[0]


def test_a_run_ends_after_its_steps() -> None:
    run = WatchedRun(show_of("chain random --steps 3"))
    seen = frames(run, 3)
    assert [frame["done"] for frame in seen] == [False, False, False, True]
    assert seen[-1]["decision"] is None
    with pytest.raises(ValueError, match="over after 3 steps"):
        run.step()


@pytest.mark.slow
def test_seeds_and_priors_make_runs() -> None:
    show = show_of("infinite-grid bamcp:simulations=50")

    def totals(*settings: Any) -> list[float]:
        return [frame["total"] for frame in frames(WatchedRun(show, *settings), 40)]

    assert totals() == totals(0, "right")
    assert totals() != totals(1)
    assert totals(0, "right") != totals(0, "wrong")
    with pytest.raises(ValueError, match="prior must be one of 'right', 'wrong', got 'left'"):
        WatchedRun(show, 0, "left")
    with pytest.raises(ValueError, match="seed must be"):
        WatchedRun(show, -1)


def test_priors_to_choose_from() -> None:
    world = bamdp.domains.InfiniteGrid(columns=(1, 3), rows=(2, 1))
    own = world.prior()
    right, wrong = prior_choices(world, own)
    assert isinstance(right.prior, bamdp.priors.GridRewards)
    assert isinstance(wrong.prior, bamdp.priors.GridRewards)
    assert (right.prior, wrong.prior.columns, wrong.prior.rows) == (own, (2, 1), (1, 3))
    assert [choice.name for choice in prior_choices(world, wrong.prior)] == ["wrong", "right"]
    other = bamdp.priors.GridRewards(columns=(5, 5))
    assert [choice.name for choice in prior_choices(world, other)] == ["asked", "right", "wrong"]
    same = bamdp.domains.InfiniteGrid(columns=(2, 2), rows=(2, 2))
    assert [choice.name for choice in prior_choices(same, same.prior())] == ["right"]
    grid = bamdp.domains.Grid(3)
    assert [choice.name for choice in prior_choices(grid, grid.prior())] == ["asked", "Dirichlet"]
    arms = prior_choices(bamdp.domains.Bandit(), bamdp.priors.BetaArms())
    assert [choice.name for choice in arms] == ["asked", "Dirichlet", "SparseDirichlet"]


# The decision


def test_a_plan_is_shown_as_it_is() -> None:
    run = WatchedRun(show_of("grid5 bamcp:simulations=400,trees=2"))
    frames(run, 20)
    shown = run.frame()["decision"]
    plan = run.decision.plan  # type: ignore[union-attr]
    assert plan is not None
    assert shown["values"] == plan.q_values.tolist()
    assert shown["search"]["visits"] == plan.visits.tolist()
    assert shown["search"]["errors"] == plan.standard_errors.tolist()
    assert shown["low"] == (plan.q_values - plan.standard_errors).tolist()
    assert shown["search"]["simulations"] == 400 == sum(shown["search"]["visits"])
    top = shown["search"]["tree"]
    assert top["visits"] == 400
    assert [edge["value"] for edge in top["actions"]] == pytest.approx(plan.q_values.tolist())
    below = [child["visits"] for edge in top["actions"] for child in edge["children"]]
    assert below
    assert min(below) >= 400 // 50


def test_states_of_64_bits_have_names() -> None:
    run = WatchedRun(show_of("infinite-grid bamcp:simulations=100"))
    integers: list[int] = []
    json.loads(json.dumps(frames(run, 5)), parse_int=lambda digits: integers.append(abs(int(digits))))
    assert max(integers) < 2**53


def test_names_are_those_of_the_problem() -> None:
    world, states = bamdp.domains.Chain(), ("a", "b", "c", "d", "e")

    def make(world: bamdp.Domain, seed: int, prior: bamdp.Prior) -> bamdp.Agent:
        problem = replace(world.problem(prior), states=states, actions=("stay", "go"))
        return bamdp.agents.BAMCP(problem, simulations=50, seed=seed)

    run = WatchedRun(WatchSetup("chain", world, (Contender("named", make),), (PriorChoice("a", "a", world.prior()),), 9, 0))
    init, frame = run.init(), frames(run, 4)[-1]
    assert init["actions"] == ["stay", "go"]
    assert all(f">{name}</text>" in frame["world"]["moment"] for name in states)
    assert frame["decision"]["search"]["tree"]["state"] == frame["world"]["label"] in states
    assert {name for row in run.view.rows.from_state(run.state) for name in row.next} <= set(states)


def test_never_tried_actions_have_no_error() -> None:
    run = WatchedRun(show_of("grid5 bamcp:simulations=1"))
    shown = run.frame()["decision"]
    assert sorted(shown["search"]["visits"]) == [0, 0, 0, 1]
    assert shown["search"]["errors"] == [None] * 4
    assert len(shown["search"]["tree"]["actions"]) == 1


def test_simulations_can_be_changed() -> None:
    run = WatchedRun(show_of("grid5 bamcp:simulations=100"))
    assert run.frame()["decision"]["search"]["simulations"] == 100
    run.set_simulations(700)
    frame = run.frame()
    assert (frame["decision"]["search"]["simulations"], frame["simulations"], frame["step"]) == (700, 700, 0)
    with pytest.raises(ValueError, match="simulations must be"):
        run.set_simulations(10**9)
    with pytest.raises(ValueError, match="random does no simulations"):
        WatchedRun(show_of("grid5 random")).set_simulations(5)


def test_more_simulations_than_a_page_may_ask_for_stay_if_the_command_line_did() -> None:
    show = show_of("chain bamcp:simulations=2000000")
    assert WatchedRun(show, simulations=2_000_000).init()["simulations"] == 2_000_000
    with pytest.raises(ValueError, match="simulations must be"):
        WatchedRun(show, simulations=3_000_000)


def test_what_agents_without_a_search_go_by() -> None:
    oracle = WatchedRun(show_of("double-loop oracle")).frame()["decision"]
    assert (
        oracle["values"]
        == bamdp.agents.Oracle(bamdp.domains.DoubleLoop().problem(), world=bamdp.domains.DoubleLoop().mdp).q_values(0).tolist()
    )
    index = WatchedRun(show_of("bandit gittins")).frame()["decision"]
    assert index["measure"] == "Gittins index"
    assert len(set(index["values"])) == 1
    nothing = WatchedRun(show_of("double-loop random")).frame()["decision"]
    assert (nothing["values"], nothing["search"]) == ([], None)


# The belief


def test_transitions_are_the_posterior_mean() -> None:
    run = WatchedRun(show_of("grid5 bamcp:simulations=50"))
    frame = frames(run, 200)[-1]
    belief, label = run.agent.belief, bamdp.domains.Grid(5).scene().label
    shown = run.view.rows.from_state(run.state)
    assert len(shown) == len(frame["world"]["expected"]) == 4
    for action, (row, drawn) in enumerate(zip(shown, frame["world"]["expected"], strict=True)):
        mean = belief.predictive(run.state, action)
        assert row.count == sum(belief.counts(run.state, action).values())
        listed = {name: estimate.mean for name, estimate in row.next.items()}
        assert listed == ({label(s): p for s, p in enumerate(mean) if p >= 0.02} if row.count else {})
        assert row.rest == pytest.approx(1 - sum(listed.values()), abs=1e-12)
        assert row.others == 25 - len(listed)
        assert all(f">{name}<" in drawn and f">{p:.3f}<" in drawn for name, p in listed.items())


def test_intervals_hold_nine_tenths_of_the_posterior() -> None:
    """Of 200 draws of a Beta posterior: the share below a true quantile is off by 5.8 standard deviations with p < 10⁻⁵."""
    from scipy.stats import beta

    world = bamdp.domains.Bandit([0.3, 0.8])
    belief = belief_of(bamdp.priors.BetaArms(), 2, 2)
    rows = Rows(belief, world, str)
    for outcome in (1, 1, 0, 1, 0, 1, 1):
        belief.observe(0, 1, None, outcome)
        rows.counts[0, 1] += 1
    low, high = rows.intervals(0)[:, 1, 1]  # type: ignore[index]
    ranks = beta(1 + 5, 1 + 2).cdf([low, high])
    assert abs(ranks[0] - 0.05) < 5.8 * math.sqrt(0.05 * 0.95 / 200)
    assert abs(ranks[1] - 0.95) < 5.8 * math.sqrt(0.05 * 0.95 / 200)
    assert rows.mean(0, 1)[1] == pytest.approx(6 / 9)


@pytest.mark.slow
def test_columns_and_rows_are_the_agents_posterior() -> None:
    """Against a long chain of the agent's own belief; the bound of 0.1 is five standard errors of the means."""
    run = WatchedRun(show_of("infinite-grid bamcp:simulations=50 --seed 4"))
    frames(run, 25)
    drawn = run.view.moment(run.state)
    draws = run.agent.belief.sample_parameters(20_000, np.random.default_rng(1), thin=50)
    for role, at, values in (("columns", draws.column_coordinates, draws.columns), ("rows", draws.row_coordinates, draws.rows)):
        expected = dict(zip(at.tolist(), values.mean(axis=0).tolist(), strict=True))
        bars = [shape for shape in drawn.shapes if shape.role == role]  # type: ignore[union-attr]
        assert len(bars) == 17
        for bar in bars:
            assert isinstance(bar, Cell)
            line, mean = int(bar.title.split()[1][:-1]), (bar.height if role == "columns" else bar.width) / Endless.DEPTH
            assert f"mean {mean:.3f}" in bar.title
            assert ("nothing seen of it" in bar.title) == (line not in expected) == (bar.opacity < 1)
            assert mean == pytest.approx(expected.get(line, 1 / 3 if role == "columns" else 2 / 3), abs=0.1)


def test_agents_without_a_belief_show_none() -> None:
    run = WatchedRun(show_of("grid5 q-learning"))
    assert run.init()["prior"] is None
    assert frames(run, 3)[-1]["world"]["expected"] == []


def test_a_belief_that_tells_no_probabilities_shows_none() -> None:
    world = bamdp.domains.Chain()
    prior = bamdp.priors.UnknownRewards(bamdp.priors.Dirichlet(), values=(0, 2, 10))
    show = WatchSetup("chain", world, (Contender("bamcp", maker),), (PriorChoice("a", "a", prior),), 9, 0)
    run = WatchedRun(show)
    assert len(frames(run, 3)[-1]["world"]["expected"]) == 2, "the belief over transitions is inside"
    assert not Rows(Mute(sized(5, 2)), world, str).known


def maker(world: bamdp.Domain, seed: int, prior: bamdp.Prior) -> bamdp.Agent:
    return bamdp.agents.BAMCP(world.problem(prior), simulations=20, seed=seed)


# The world


def spot(shape: Cell | Circle) -> tuple[int, int]:
    return math.floor(shape.x), -math.floor(shape.y)


def test_the_endless_map_shows_what_was_seen() -> None:
    run = WatchedRun(show_of("infinite-grid:seed=5 bamcp:simulations=50"))
    world = bamdp.domains.InfiniteGrid(seed=5)
    taken: set[tuple[int, int]] = set()
    visited: set[tuple[int, int]] = set()
    last = None
    for step in range(60):
        here = world.cell(run.state)[:2]
        visited.add(here)
        if last is not None and world.holds(*last):
            taken.add(last)
        last, drawn = here, run.view.moment(run.state)
        assert drawn is not None
        boxes = {spot(s): s.role for s in drawn.shapes if isinstance(s, Cell) and "seen" in s.role}
        discs = {spot(s): s.role for s in drawn.shapes if isinstance(s, Circle) and s.role != "agent"}
        assert here in boxes
        assert len(boxes) == 17**2
        for cell, role in boxes.items():
            assert (role == "seen") == (cell in visited), f"cell {cell} at step {step}"
            kind = "taken" if cell in taken else "reward" if cell in visited else "truth"
            assert discs.get(cell) == (kind if world.holds(*cell) else None), f"cell {cell} at step {step}"
        run.step()
    assert taken


@pytest.mark.slow
def test_a_map_shows_visits_and_mean_moves() -> None:
    run = WatchedRun(show_of("grid5:slip=0 bamcp:simulations=20"))
    frames(run, 300)
    assert isinstance(run.view, Map)
    assert sorted(run.view.places) == [(x, y) for x in range(5) for y in range(5)]
    assert sum(run.view.visits.values()) == 300
    ways = {"a0": (0, -1), "a1": (1, 0), "a2": (0, 1), "a3": (-1, 0)}
    moves = [s for s in run.view.moment(run.state).shapes if isinstance(s, Arrow) and s.role in ways]
    checked = 0
    for arrow in moves:
        (x, y), (end_x, end_y) = arrow.points
        dx, dy = ways[arrow.role]
        inside = 0 <= x + dx < 5 and 0 <= y + dy < 5
        if int(arrow.title.split()[-2]) >= 5 and inside and (int(x), int(y)) != (4, 0):
            assert (end_x - x, end_y - y) == pytest.approx((0.46 * dx, 0.46 * dy), abs=0.05)
            checked += 1
    assert checked > 5
    truth = [shape for shape in run.view.ground().shapes if shape.role == "truth"]
    assert len(truth) == 100
    assert sum(isinstance(shape, Circle) for shape in truth) == 4 * 5 - 2, "moves against the edge lead nowhere"


@pytest.mark.slow
def test_a_graph_shows_the_mean_of_what_was_tried() -> None:
    run = WatchedRun(show_of("double-loop bamcp:simulations=50"))
    assert not [s for s in run.view.moment(run.state).shapes if isinstance(s, Arrow)]  # type: ignore[union-attr]
    frames(run, 60)
    belief = run.agent.belief
    arrows = [s for s in run.view.moment(run.state).shapes if isinstance(s, Arrow)]  # type: ignore[union-attr]
    expected = {
        f"action {a} in {s} leads to {n} with probability {p:.3g}, tried {sum(belief.counts(s, a).values())} times"
        for s in range(9)
        for a in range(2)
        for n, p in enumerate(belief.predictive(s, a))
        if belief.counts(s, a) and p >= 0.12
    }
    assert {arrow.title for arrow in arrows} == expected
    assert all(arrow.role in ("a0", "a1") for arrow in arrows)
    assert len(run.view.ground().shapes) == 18, "the true moves"  # type: ignore[union-attr]


def test_arms_show_their_posterior() -> None:
    run = WatchedRun(show_of("bandit bamcp:simulations=100"))
    frames(run, 80)
    assert isinstance(run.view, Arms)
    estimates, belief = [e for e in run.view.estimates(run.state) if e is not None], run.agent.belief
    assert [e.mean for e in estimates] == [belief.predictive(0, a)[1] for a in range(8)]
    assert sum(map(run.view.pulls, range(8))) == 80
    assert [e.truth for e in estimates] == pytest.approx([0.6] * 7 + [0.9])
    assert all(e.interval is not None and e.interval[0] < e.mean < e.interval[1] for e in estimates)
    texts = [shape.text for shape in run.view.moment(run.state).shapes if isinstance(shape, Label)]
    assert all(f"{e.mean:.3f}" in texts for e in estimates)


@pytest.mark.parametrize(
    "words",
    [
        "random-mdp4:rows=flat,rewards=normal,horizon=40,episode_length=10 posterior-mean",
        "normal-bandit posterior-mean",
    ],
)
def test_unknown_rewards_are_shown_as_they_are_believed(words: str) -> None:
    """The MDPs of RL² and normal arms: a graph, and beside each action what it is expected to pay."""
    run = WatchedRun(show_of(words))
    expected = frames(run, 30)[-1]["world"]["expected"]
    belief, state = run.agent.belief, run.state
    actions = range(run.show.domain.num_actions)
    assert run.init()["world"]["kind"] == "graph"
    assert [row.reward for row in run.view.rows.from_state(state)] == [belief.mean_reward(state, a) for a in actions]
    assert all(f"pays {belief.mean_reward(state, a):.3f} on average".replace("-", "−") in expected[a] for a in actions)
    assert belief.mean().rewards[state].tolist() == [belief.mean_reward(state, a) for a in actions]


def test_worlds_too_large_to_draw_are_plain() -> None:
    assert WatchedRun(show_of("grid60 random")).init()["world"]["kind"] == "plain"
    assert WatchedRun(show_of("random-mdp50 random")).init()["world"]["kind"] == "plain"


# Worlds and agents of one's own, and giving up


class Odd(bamdp.Domain):
    """Unbounded, without a picture."""

    num_states, num_actions, discount, steps = UNBOUNDED, 2, 0.9, 10
    rewards = np.empty((0, 2))

    def reset(self, rng: np.random.Generator) -> int:
        return 2**60

    def step(self, state: int, action: int, rng: np.random.Generator) -> tuple[int, float]:
        return state + 1, 2.0


def test_worlds_of_ones_own_are_shown_as_far_as_possible() -> None:
    world = Odd()
    agent = Contender("random", lambda world, seed, _: bamdp.agents.Random(sized(None, 2), seed=seed))
    show = WatchSetup("odd", world, (agent,), (PriorChoice("a", "a", None),), 5, 0)  # type: ignore[arg-type]
    run = WatchedRun(show)
    frame = frames(run, 3)[-1]
    json.dumps([run.init(), frame], allow_nan=False)
    assert (frame["world"]["label"], frame["total"], frame["rewards"]) == (str(2**60 + 3), 6.0, [2.0])


def test_a_stopped_run_gives_up_and_can_go_on() -> None:
    run = WatchedRun(show_of("grid5 bamcp:simulations=100000"))
    before = run.frame()
    run.stop()
    with pytest.raises(StoppedWatchingError):
        run.step()
    run.set_simulations(1_000_000)
    with pytest.raises(StoppedWatchingError):
        run.frame()
    run.resume()
    run.set_simulations(100)
    run.step()
    assert run.frame()["step"] == before["step"] + 1


@pytest.mark.parametrize("final_move", ["upper", "lower"])
def test_a_search_by_bounds_shows_its_bounds(final_move: str) -> None:
    decision = WatchedRun(show_of(f"chain bfs3:trajectories=20,final_move={final_move}")).frame()["decision"]
    assert decision["measure"] == f"{final_move} bound"
    assert decision["values"] == decision["high" if final_move == "upper" else "low"]
    assert all(low < high for low, high in zip(decision["low"], decision["high"], strict=True))
