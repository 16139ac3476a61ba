"""What fuzzing or reading found, each as a plain example: a refusal that names the argument, and nothing half done."""

from __future__ import annotations

import gzip
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import bamdp
from bamdp import agents, domains, priors, statistics, testing
from bamdp.cli.main import main
from bamdp.domain import UNBOUNDED, Scene
from bamdp.environments import BayesAdaptiveEnv, DomainEnv
from bamdp.exact import bayes_optimal, gittins_index, known_mdp
from bamdp.rendering import film
from bamdp.studies import regret
from bamdp.studies.experiment import Entry, Experiment, Point
from bamdp.studies.store import FILE, Store, StoreError, export, load
from bamdp.studies.sweep import complete
from bamdp.studies.task import Task
from fuzz.lives import known
from fuzz.values import Index, Rude
from fuzz.worlds import Coins

BEYOND = 10**400  # all doubles
DIGITS = 10**5000  # more than Python prints
TABLE = np.zeros((3, 2))
CHAIN = domains.Chain()
GRID = domains.InfiniteGrid(seed=0)
EXPLORER = agents.BAMCP.for_domain(GRID, simulations=1)
PLAYED = {"domain": "chain", "agent": "random"}

REFUSED: list[tuple[type[Exception], str, Callable[[], Any]]] = [
    (ValueError, "discount must be", lambda: agents.BAMCP(priors.Dirichlet(), TABLE, BEYOND)),
    (ValueError, "discount must be .*got some int", lambda: agents.BAMCP(priors.Dirichlet(), TABLE, DIGITS)),
    (
        ValueError,
        "simulations must be .*got some int",
        lambda: agents.BAMCP(priors.Dirichlet(), TABLE, 0.9, simulations=DIGITS),
    ),
    (TypeError, "discount must be", lambda: agents.BAMCP(priors.Dirichlet(), TABLE, np.array([0.9]))),  # type: ignore[arg-type]
    (TypeError, "rewards must be an array of numbers", lambda: agents.BAMCP(priors.Dirichlet(), [[BEYOND]], 0.9)),
    (TypeError, "rewards must be an array of numbers", lambda: agents.BAMCP(priors.Dirichlet(), TABLE + 1j, 0.9)),
    (TypeError, "rewards must be an array of numbers", lambda: agents.BAMCP(priors.Dirichlet(), [["1", "2"]], 0.9)),
    (TypeError, "rewards must be an array of numbers", lambda: agents.BAMCP(priors.Dirichlet(), TABLE.astype("M8[s]"), 0.9)),
    (ValueError, "rewards must have shape", lambda: agents.BAMCP(priors.Dirichlet(), np.zeros((0, 2, 0)), 0.9)),
    (TypeError, "terminal must be a collection", lambda: agents.BAMCP(priors.Dirichlet(), TABLE, 0.9, terminal=np.array(1))),
    (ValueError, "trees must be", lambda: agents.BAMCP(priors.Dirichlet(), TABLE, 0.9, trees=2**63)),
    (ValueError, "trees must be", lambda: agents.BAMCP(priors.Dirichlet(), TABLE, 0.9, trees=10**9)),
    (ValueError, "workers must be", lambda: agents.BAMCP(priors.Dirichlet(), TABLE, 0.9, workers=10**9)),
    (MemoryError, "models=100000 needs", lambda: agents.BOSS(priors.Dirichlet(), np.zeros((100, 9)), 0.9, models=10**5)),
    (ValueError, "num_actions must be", lambda: agents.Random(2**64)),
    (ValueError, "num_actions must be", lambda: priors.Dirichlet().belief(2, 2**31)),
    (ValueError, "num_states must be", lambda: priors.Lazy(Coins).belief(2**63, 2)),
    (TypeError, "num_states must be", lambda: priors.Finite(np.ones((1, 1, 1, 1))).belief(np.ones(2), 1)),  # type: ignore[arg-type]
    (TypeError, "alpha must be a number or an array", lambda: priors.Dirichlet([[1], [1, 2]])),
    (ValueError, "weights must be at most 1e.300", lambda: priors.Finite(np.ones((2, 1, 1, 1)), weights=[1.7e308, 1.7e308])),
    (ValueError, "num_actions must be the number of arms", lambda: priors.BetaArms([1, 2], [1, 1]).belief(2, 1)),
    (TypeError, "slipped must be an array", lambda: priors.SharedSlip([[0]], [[0], [0, 0]])),
    (TypeError, "scratch must be an array", lambda: priors.Compiled(lambda *a: None, scratch=[[1], [1, 2]])),
    (TypeError, "step must be a function.* got 5", lambda: priors.Compiled(5)),
    (ValueError, "columns.* must be", lambda: priors.GridRewards(columns=(BEYOND, 1))),
    (ValueError, "transitions must be an array of prob", lambda: domains.Tabular(np.zeros((0, 1, 0)), np.zeros((0, 1)), 0.9)),
    (TypeError, "prior must be", lambda: domains.Tabular(np.ones((1, 1, 1)), [[0]], 0.9, prior=5)),  # type: ignore[arg-type]
    (TypeError, "prior must be", lambda: domains.Gymnasium("FrozenLake-v1", prior=TABLE)),  # type: ignore[arg-type]
    (ValueError, "rewards must be one of", lambda: domains.Gymnasium("FrozenLake-v1", rewards=TABLE)),  # type: ignore[arg-type]
    (TypeError, "make must be a string", lambda: domains.Gymnasium("FrozenLake-v1", make=["x"])),  # type: ignore[arg-type]
    (MemoryError, "size=1048576 needs", lambda: domains.Grid(2**20)),
    (MemoryError, "num_states and num_actions needs", lambda: domains.RandomMDP(10**6, 3)),
    (MemoryError, "predictive", lambda: priors.Dirichlet(1e-9).belief(2**40, 2).predictive(0, 0)),
    (TypeError, "rng must be a numpy.random.Generator", lambda: CHAIN.step(0, 0, None)),  # type: ignore[arg-type]
    (TypeError, "rng must be", lambda: priors.Dirichlet().belief(2, 2).sample_mdp(0)),  # type: ignore[arg-type]
    (TypeError, "content must be", lambda: GRID.state(0, 0, "")),  # type: ignore[arg-type]
    (ValueError, "x and y must be of a cell within", lambda: GRID.state(2**31 - 1, 1, False)),
    (TypeError, "x must be an integer", lambda: domains.InfiniteGrid(seed=0).holds("0", 0)),  # type: ignore[arg-type]
    (ValueError, "theta must be", lambda: agents.IEQL(2, 2, 0.9, theta=1e-300)),
    (ValueError, "visits must be", lambda: agents.IEQL(2, 2, 0.9).bonus(0)),
    (ValueError, "decay must be", lambda: agents.QLearning(2, 2, 0.9, decay=1e300)),
    (ValueError, "lam must be", lambda: agents.VPI(2, 2, 0.9, lam=1e-300)),
    (TypeError, "before must be counts", lambda: agents.SBOSS.for_domain(CHAIN).deviation(0, 0, 5, {})),  # type: ignore[arg-type]
    (ValueError, "each next state of after", lambda: agents.SBOSS.for_domain(CHAIN).deviation(0, 0, {}, {9: 1})),
    (TypeError, "agent must be", lambda: bamdp.run(None, CHAIN, 1)),  # type: ignore[arg-type]
    (TypeError, "domain must be", lambda: bamdp.run(agents.Random(2), None, 1)),  # type: ignore[arg-type]
    (TypeError, "on_step must be", lambda: bamdp.run(agents.Random(2), CHAIN, 1, on_step=5)),  # type: ignore[arg-type]
    (MemoryError, "steps=1000000000000 needs", lambda: bamdp.run(agents.Random(2), CHAIN, 10**12)),
    (TypeError, "domain must have successors", lambda: known_mdp.optimal_total(None, 1)),  # type: ignore[arg-type]
    (ValueError, "policy must have shape", lambda: known_mdp.policy_rewards(CHAIN, 0, 1)),
    (ValueError, "successes and failures must have shapes", lambda: gittins_index([1, 2], [1, 2, 3], 0.5)),
    (ValueError, "successes must be at most", lambda: gittins_index([1, 1e300], [1, 1], 0.5)),
    (TypeError, "values must be numbers", lambda: statistics.mean(["x"])),  # type: ignore[list-item]
    (ValueError, "values must be at most", lambda: statistics.mean([1e308, 1e308])),
    (ValueError, "values must be at least two", lambda: statistics.standard_error([1.0])),
    (ValueError, "x and y must have the same number", lambda: statistics.slope([1.0, 2.0], [1.0])),
    (ValueError, "freedom must be", lambda: statistics.t_quantile(0)),
    (TypeError, "seed must be", lambda: statistics.bootstrap([1.0, 2.0], seed="x")),  # type: ignore[arg-type]
    (TypeError, "of must be", lambda: statistics.mean([1.0, 2.0]).side(np.datetime64("2000"))),  # type: ignore[arg-type]
    (TypeError, "successors must be", lambda: domains.Tabular.from_successors(Rude(), [[[1.0]]], [[0.0]], 0.9)),
    (ValueError, "kind must be one of", lambda: Scene("maps", str)),  # type: ignore[arg-type]
    (TypeError, "place must be a function", lambda: Scene("map", (0, 0))),  # type: ignore[arg-type]
    (TypeError, "actions must be a tuple of strings", lambda: Scene("map", lambda state: (0, 0), actions=(1, 2))),  # type: ignore[arg-type]
    (TypeError, "path must be a path", lambda: film.film(EXPLORER, GRID, 5)),  # type: ignore[arg-type]
    (TypeError, "path must be a path", lambda: bamdp.load(5)),  # type: ignore[arg-type]
    (ValueError, "path must not contain a null", lambda: bamdp.load("a\0b")),
    (TypeError, "agent_class must be", lambda: bamdp.load("file", agent_class=5)),  # type: ignore[arg-type]
    (TypeError, "path must be a path", lambda: agents.Random(2).save(b"x")),  # type: ignore[arg-type]
    (TypeError, "folder must be a path", lambda: Store(5)),  # type: ignore[arg-type]
    (TypeError, "store must be a path", lambda: load(5)),  # type: ignore[arg-type]
    (TypeError, "path must be a path", lambda: export(".", None)),  # type: ignore[arg-type]
    (TypeError, "store must be a bamdp.studies.store.Store", lambda: complete([], "results")),  # type: ignore[arg-type]
    (TypeError, "tasks must be a list of Task", lambda: complete([5], Store("results"))),  # type: ignore[list-item]
    (ValueError, "steps must be", lambda: regret.Problem.solve(CHAIN, priors.Dirichlet(), steps=0)),
    (TypeError, "problem must be", lambda: regret.measure(None, agents.Random)),  # type: ignore[arg-type]
    (ValueError, "kind must be", lambda: Task("play!", {}, 0)),
    (ValueError, "kind must be", lambda: Task("nothing", {}, 0).perform()),
    (TypeError, "settings must be a dictionary", lambda: Task("play", [], 0)),  # type: ignore[arg-type]
    (TypeError, "settings and seed must be JSON", lambda: Task("play", {"steps": 1j}, 0).key),
    (ValueError, "settings must have agent and domain", lambda: Task("play", {}, 0).perform()),
    (ValueError, "unknown setting 'slop'.* did you mean 'slip'", lambda: Task("play", {**PLAYED, "slop": 3}, 0).perform()),
    (TypeError, "grid must be a tuple", lambda: Entry("", PLAYED, ({"steps": "12"},))),  # type: ignore[dict-item]
    (TypeError, "must have a tuple of values", lambda: Entry("", PLAYED, ({"steps": (1,)},), at={"quick": {"steps": 3}})),
    (ValueError, "runs must have a number", lambda: Experiment("", "", "", {"": (Entry("", PLAYED),)}, {}).tasks("quick", [])),
    (ValueError, "scale must be one of", lambda: Entry("", PLAYED).points("large")),  # type: ignore[arg-type]
    (ValueError, "rows must be those of one run", lambda: Point(Entry("", PLAYED), PLAYED, [])),
    (TypeError, "domain must be", lambda: testing.check_domain(None)),  # type: ignore[arg-type]
    (TypeError, "agent must be a function", lambda: testing.check_agent(None, CHAIN)),  # type: ignore[arg-type]
    (ValueError, "steps must be", lambda: testing.check_agent(agents.Random, CHAIN, 0)),
    (TypeError, "seed must be", lambda: DomainEnv(CHAIN).reset(seed="x")),  # type: ignore[arg-type]
    (TypeError, "action must be", lambda: DomainEnv(CHAIN).step(0.7)),
    (TypeError, "action must be", lambda: BayesAdaptiveEnv(CHAIN).step("1")),
]


@pytest.mark.parametrize(("kind", "words", "call"), REFUSED, ids=[words for _, words, _ in REFUSED])
def test_refused(kind: type[Exception], words: str, call: Callable[[], Any]) -> None:
    with pytest.raises(kind, match=words):
        call()


MISTYPED = [
    ("tune chain beb --runs 1000000000000", "runs must be"),
    ("tune chain beb --workers 1000000000000", "workers must be"),
    ("tune chain beb --steps 1000000000000", "steps=1000000000000 needs"),
    ("regret bandit bamcp --error -1", "error must be"),
    ("regret bandit bamcp --error 1e-300 --discount 0.9999", "error must be larger"),
    ("regret bandit bamcp --steps 0", "steps must be"),
    ("regret bandit bamcp --reuse-tree=2", "--reuse-tree takes no value"),
]


@pytest.mark.parametrize(("line", "words"), MISTYPED, ids=[line for line, _ in MISTYPED])
def test_mistyped(line: str, words: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(line.split()) == 2
    assert capsys.readouterr().err.startswith(f"bamdp: error: {words}")


@pytest.mark.parametrize("rows", [5, "x", [5], [{"result": {}}], [{"key": "a", "seed": "0"}], [{"key": "a", "made": {0: 1j}}]])
def test_no_row_is_stored_that_could_not_be_read(tmp_path: Path, rows: Any) -> None:
    with Store(tmp_path) as store:
        store.append([{"key": "a"}])
        with pytest.raises((TypeError, ValueError), match="rows must be"):
            store.append([{"key": "b"}, *rows] if isinstance(rows, list) else rows)
    assert [row["key"] for row in store.rows()] == ["a"]


@pytest.mark.parametrize("name", ["BOSS", "SBOSS", "BayesianDP"])
def test_a_refused_reset_forgets_nothing(name: str) -> None:
    agent = getattr(agents, name).for_domain(CHAIN)
    agent.observe(0, 0, 0.0, 1)
    before = known(agent)
    with pytest.raises(TypeError, match="seed must be"):
        agent.reset("x")
    assert known(agent) == before


@pytest.mark.parametrize("one", [np.array(1), np.uint8(1), Index(1)], ids=["array", "uint8", "index"])
@pytest.mark.parametrize("name", ["BOSS", "SBOSS", "BayesianDP", "Gittins", "QLearning", "VPI"])
def test_integers_of_any_kind_are_taken_whole(name: str, one: Any) -> None:
    world = domains.Bandit([0.5, 0.5], 0.5)
    prior = priors.Dirichlet() if name == "SBOSS" else None
    agent, twin = (getattr(agents, name).for_domain(world, prior) for _ in range(2))
    agent.observe(one, one, 1.0, one)
    twin.observe(1, 1, 1.0, 1)
    assert known(agent) == known(twin)


def test_no_step_beyond_the_end_of_a_solution() -> None:
    """It was looked up in memory that isn't the solution's."""
    walk = bayes_optimal(priors.BetaArms(), [[[0, 1]] * 2] * 2, 0.9, 0, horizon=2).walk()
    for bad in ((2, 0), (0, 2), (-1, 0), (0, 10**9)):
        with pytest.raises(ValueError, match=r"^(action|next_state) must be"):
            walk.step(*bad)
    walk.step(0, 1)
    walk.step(1, 1)
    with pytest.raises(ValueError, match="the solution ends after 2 steps"):
        walk.step(0, 0)


@pytest.mark.parametrize("outcome", [(2**70, 1.0), (-(2**63) - 1, 1.0), (0, 1.0, False, 2**63)])
def test_no_outcome_of_a_hook_is_cut_to_64_bits(outcome: tuple[Any, ...]) -> None:
    prior = priors.Compiled(lambda belief, scratch, state, action, rng: outcome, compile=False)
    with pytest.raises(ValueError, match="64-bit integer"):
        agents.BAMCP(prior, np.empty((0, 2)), 0.9, simulations=2).act(0)


class Far(Coins):
    """Successors beyond 64 bits with a sign."""

    def sample_row(self, state: int, action: int, rng: np.random.Generator) -> Any:
        return np.array([2**63 + 1], dtype=np.uint64), [1.0], [0.0]


def test_no_successor_is_cut_to_64_bits() -> None:
    class Here(Far):
        def __init__(self, num_states: int, num_actions: int) -> None: ...

    with pytest.raises(ValueError, match="successors must be states from"):
        agents.BAMCP(priors.Lazy(Here), np.empty((0, 2)), 0.9, simulations=2).act(0)


class Broken(domains.Chain):
    """Pays nothing that is a number."""

    def step(self, state: int, action: int, rng: np.random.Generator) -> tuple[int, float]:
        return 0, float("nan")


def test_no_record_of_rewards_that_are_no_numbers() -> None:
    with pytest.raises(ValueError, match="reward must be a finite number"):
        bamdp.run(agents.Random(2), Broken(), 3)


def test_indices_of_arms_that_are_far_apart() -> None:
    """They took a lattice of all counts between."""
    for far in (1e6, 1e14):
        together = gittins_index([1, far, 1], [1, 1, far], 0.9, 1e-12)
        alone = [gittins_index(a, b, 0.9, 1e-12) for a, b in ((1, 1), (far, 1), (1, far))]
        np.testing.assert_allclose(together, alone, rtol=0, atol=2e-12)


def test_small_differences_have_intervals_too() -> None:
    """Squares of squares of their errors are 0."""
    first, second = [1.0, 2.0, 3.0, 4.0, 5.0], [3.0, 5.0, 5.0, 6.0, 9.0]
    tiny = statistics.difference([k * 1e-90 for k in first], [k * 1e-90 for k in second])
    usual = statistics.difference(first, second)
    assert tiny.low is not None
    assert usual.low is not None
    assert tiny.low == pytest.approx(1e-90 * usual.low)


def test_quantiles_of_many_degrees_of_freedom() -> None:
    """They took a sum of as many terms."""
    many = statistics.MANY
    assert statistics.t_quantile(many + 1) == pytest.approx(statistics.t_quantile(many), rel=1e-7)
    assert statistics.t_quantile(BEYOND) == statistics.t_quantile(2**60)
    assert statistics.t_quantile(2**60) == pytest.approx(1.959963984540054, rel=1e-12)


BAD_LINES = [
    "[" * 100_000,
    '{"key": "a", "result": []}',
    '{"key": "a", "settings": 3}',
    '{"key": "a", "made": null}',
    '{"key": "a", "seed": "0"}',
    '{"key": "a", "run": true}',
    '{"key": "a", "result": {"x": NaN}}',
    '{"key": "a", "result": {"x": 1e999}}',
    '["key"]',
]


@pytest.mark.parametrize("line", BAD_LINES, ids=lambda line: str(line)[:40])
def test_a_line_that_is_no_row(tmp_path: Path, line: str) -> None:
    (tmp_path / FILE).write_text(line + '\n{"key": "b", "made": {"seconds": "x"}}\n')
    store = Store(tmp_path)
    assert [row["key"] for row in store.rows()] == ["b"]
    assert store.bad_lines == 1
    assert load(tmp_path)["key"] == ["b"]
    assert complete([], store).total == 0, "a sweep reads it, too"


def test_a_text_that_is_no_unicode(tmp_path: Path) -> None:
    (tmp_path / FILE).write_text('{"key": "\\ud800"}\n')
    assert export(tmp_path, tmp_path / "all.csv") == 1


def test_a_compressed_file_that_is_broken_inside(tmp_path: Path) -> None:
    content = bytearray(gzip.compress(b'{"key": "a"}\n' * 100))
    content[12] ^= 0xFF
    (tmp_path / "more.jsonl.gz").write_bytes(content)
    with pytest.raises(StoreError, match=r"can't read .*more\.jsonl\.gz"):
        Store(tmp_path).rows()


def test_unbounded_worlds_are_still_worlds() -> None:
    assert priors.Lazy(Coins).posterior is Coins
    with pytest.raises(ValueError, match="num_states must be finite"):
        priors.Dirichlet().belief(np.int64(UNBOUNDED), 2)  # type: ignore[arg-type]
