"""Every example runs and says what it should, word for word where the gallery shows it; what can be checked is checked."""

import ast
import dataclasses
import importlib.util
import io
import json
import re
import runpy
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from bamdp.runs.film import world_picture
from rich.console import Console

import bamdp
from bamdp.domains import Gymnasium, InfiniteGrid
from bamdp.runs.loop import seeds
from bamdp.statistics import mean
from bamdp.testing import check_domain
from reference.documents import ROOT, text

pytestmark = pytest.mark.slow

EXAMPLES = ROOT / "examples"
NEEDS = {"compiled_world": "numba", "minigrid_lava": "minigrid"}
SHOWN_BLOCK = re.compile(r"^```sh\npython examples/(\w+)\.py\n```\n\n```text\n(.*?)^```$", re.DOTALL | re.MULTILINE)
SHOWN = dict(SHOWN_BLOCK.findall(text("docs/gallery.md")))

WRONG = "--prior-columns 2 1 --prior-rows 1 2"

# The arguments of a small run, and what it prints.
SAYS = {
    "compiled_world": ("", ["simulations a second"]),
    "lazy_rows": ("", ["rows"]),
    "slip": ("", ["slip"]),
    "unknown_rewards": ("", ["found"]),
    "which_world": ("", ["world"]),
    "show_plan": ("", ["action 1: worth"]),
    "infinite_grid": (f"--seed 4 --steps 4 --simulations 20 {WRONG} --picture p.png --film f.webp", ["in 4 steps"]),
    "clinical_trial": ("--patients 8 --planner 1", ["Gittins index", "BayesAdaptive", "Thompson", "equal", "power"]),
    "fit_choices": ("", ["optimism", "log-likelihood"]),
    "frozen_lake": (
        "--runs 2 --tuning-runs 1 --steps 30 --simulations 10",
        ["BayesAdaptive", "PSRL", "Q-learning", "posterior mean", "knows the lake", "learning_rate 0.03"],
    ),
    "minigrid_lava": (
        "--runs 2 --steps 60 --simulations 10 --environment MiniGrid-LavaGapS5-v0",
        ["MiniGrid-LavaGapS5-v0, 60 steps", "BAMCP", "Q-learning", "random"],
    ),
    "demo": (
        "--machines 6 --months 4 --simulations 5 --workers 2",
        ["6 machines of 4 months", "knows the machine", "BayesAdaptive", "PSRL", "posterior mean", "0 %"],
    ),
    "fish_stock": (
        "--worlds 3 --years 4 --simulations 5",
        ["knows the growth", "BayesAdaptive", "PSRL (Thompson)", "posterior mean", "its growth rate is"],
    ),
    "censored_demand": (
        "--worlds 3 --weeks 4 --simulations 5",
        ["knows the demand", "BayesAdaptive", "PSRL (Thompson)", "posterior mean", "Orders of the planner"],
    ),
    "wind": (
        "--winds 2 --steps 6 --simulations 20",
        ["knows the wind", "BayesAdaptive, one wind", "PSRL, one wind", "mean wind"],
    ),
}
TABLES = [name for name, (arguments, rows) in SAYS.items() if len(rows) > 2]


def example(name: str, run_name: str = "__main__") -> dict[str, Any]:
    if name in NEEDS:
        pytest.importorskip(NEEDS[name])
    return runpy.run_path(str(EXAMPLES / f"{name}.py"), run_name=run_name)


@pytest.mark.parametrize("name", SAYS)
def test_example(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    arguments, rows = SAYS[name]
    words = [*arguments.split(), *(["--picture", "new/picture.png"] if name in TABLES else [])]
    monkeypatch.setattr("sys.argv", [name, *words])
    monkeypatch.setenv("COLUMNS", "120")
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(EXAMPLES)  # as for a script
    example(name)
    said = capsys.readouterr().out
    assert [row for row in rows if row not in said] == []
    missing = [line for line in SHOWN.get(name, "").splitlines() if line not in said.splitlines()]
    assert not missing, f"docs/gallery.md shows what {name} doesn't say"
    if name in TABLES:
        assert Path("new/picture.png").read_bytes().startswith(b"\x89PNG")
    if name == "show_plan":
        assert Path("demo-output/tree.svg").read_text(encoding="utf-8").startswith("<svg")
    if name == "infinite_grid":
        image = pytest.importorskip("PIL.Image")
        with image.open("p.png") as picture, image.open("f.webp") as moving:
            assert np.array_equal(picture, np.asarray(world_picture(InfiniteGrid(seed=4))))
            assert moving.n_frames == 3


@pytest.mark.parametrize("name", TABLES)
def test_help_teaches(name: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr("sys.argv", [name, "--help"])
    monkeypatch.syspath_prepend(EXAMPLES)
    with pytest.raises(SystemExit, match="0"):
        example(name)
    shown = capsys.readouterr().out
    assert f"python examples/{name}.py --help" in shown
    assert shown.count("(default ") >= 4


def test_the_wrapper_of_minigrid_tells_where_the_agent_is() -> None:
    """Step by step beside the environment itself; the map is the same in every episode."""
    make = example("minigrid_lava", "lava")["environment"]
    wrapped = make("MiniGrid-LavaGapS5-v0", 3)
    check_domain(Gymnasium(lambda: make("MiniGrid-LavaGapS5-v0", 3), values=(0, 1)))
    maps = set()
    for episode in range(3):
        assert wrapped.reset(seed=episode)[0] == (1, 1, 0)
        maps.add(str(wrapped.unwrapped.grid.encode().tolist()))
        observation, *_ = wrapped.step(1)
        assert observation == (1, 1, 1), "turned right: it looks down"
        observation, reward, *_ = wrapped.step(2)
        assert (observation, reward) == ((1, 2, 1), 0.0)
    assert len(maps) == 1


def test_sales_are_the_smaller_one_of_demand_and_stock() -> None:
    """Against draws of the demand: 20,000 of each of two means, a bound of 5.7 standard errors for each of 18 numbers."""
    shop = example("censored_demand", "shop")
    means, rng = np.array([3.0, 12.0]), np.random.default_rng(0)
    rows = shop["sales"](means, 0, 3)
    for average, row in zip(means, rows, strict=True):
        demand = rng.negative_binomial(shop["SHAPE"], shop["SHAPE"] / (shop["SHAPE"] + average), 20_000)
        seen = np.bincount(np.minimum(demand, shop["STOCKS"][3]), minlength=shop["SHELF"] + 1) / 20_000
        assert (abs(seen - row) <= 5.7 * np.sqrt(row * (1 - row) / 20_000)).all()
    problem = shop["shop"](0.8, 10)
    assert problem.domain.rewards[5, 3, 4] == 4 - 0.8 * 6


def test_the_stock_of_fish_grows_as_it_says() -> None:
    """Against draws of Ricker's law, rounded to the nearest level: 20,000, a bound of 5.7 standard errors for each number."""
    fishery = example("fish_stock", "fishery")
    stock, state, action = fishery["STOCK"], 12, 2
    row = fishery["next_stock"](np.array([0.3]), state, action)[0]
    left = stock[state] * (1 - fishery["SHARES"][action])
    after = left * np.exp(0.3 * (1 - left) + np.random.default_rng(0).normal(-0.02, 0.2, 20_000))
    seen = np.bincount(abs(after[:, None] - stock).argmin(axis=1), minlength=len(stock)) / 20_000
    assert (abs(seen - row) <= 5.7 * np.sqrt(row * (1 - row) / 20_000) + 1e-12).all()
    assert fishery["next_stock"](np.array([0.3]), 0, 1).tolist() == np.eye(len(stock))[0].tolist(), "extinct"


def notebook(name: str, monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """Run each cell as Jupyter does, in the folder of the notebook; the values of the last lines of cells, if they have one."""
    monkeypatch.chdir(EXAMPLES)
    monkeypatch.setenv("MPLBACKEND", "agg")
    cells = json.loads((EXAMPLES / f"{name}.ipynb").read_text(encoding="utf-8"))["cells"]
    assert not any(cell.get("outputs") for cell in cells), "kept without outputs"
    names: dict[str, Any] = {}
    shown: list[Any] = []
    for cell in cells:
        if cell["cell_type"] == "code":
            *lines, last = ast.parse("".join(cell["source"])).body
            exec(compile(ast.Module(lines, []), "cell", "exec"), names)
            if isinstance(last, ast.Expr):
                shown.append(eval(compile(ast.Expression(last.value), "cell", "eval"), names))
            else:
                exec(compile(ast.Module([last], []), "cell", "exec"), names)
    return [value for value in shown if value is not None]


def test_every_notebook_is_run() -> None:
    assert {path.stem for path in EXAMPLES.glob("*.ipynb")} == {"quickstart", "trial", "fitting"}


def test_the_quickstart_notebook_shows_what_it_says(monkeypatch: pytest.MonkeyPatch) -> None:
    problem, actions, plan, totals, belief, result = notebook("quickstart", monkeypatch)
    assert problem.actions == ("run", "service", "replace")
    assert actions == ("service", "run")
    assert plan.lower < plan.upper
    assert totals["BayesAdaptive"] > totals["PosteriorMean"]
    assert belief[1] > 0.9, "it has seen worn machines run"
    assert result.agents[0] == "planner"
    assert all("<" in value._repr_html_() for value in (plan, result))


def test_the_trial_notebook_shows_what_it_says(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    table, cautious, curves = notebook("trial", monkeypatch)
    printed = capsys.readouterr().out
    assert "22.2 expected successes, 85% of the patients on the better arm\npower 0.09" in printed
    assert "95 % interval" in printed
    assert len(table.rows) == 9
    assert all(row.exact for row in (*table.rows, *cautious.rows))
    successes = {row.design: row.prior_successes.value for row in table.rows}
    assert max(successes, key=lambda design: successes[design]) == "Bayes-optimal"
    assert 3 * table["Bayes-optimal"].power.value < cautious["Bayes-optimal"].power.value
    assert table["equal"].successes.value < cautious["Bayes-optimal"].successes.value < table["Bayes-optimal"].successes.value
    frame = curves.to_pandas().set_index(["design", "p"])
    assert list(curves.largest) == ["equal", "tempered Thompson", "Thompson", "Bayes-optimal"]
    assert max(error for error, _ in curves.largest.values()) <= 0.05
    assert frame.loc[("equal", 0.6), "power"] == pytest.approx(table["equal"].power.value)
    assert "<svg" in table._repr_html_()


def test_the_fitting_notebook_shows_what_it_says(monkeypatch: pytest.MonkeyPatch) -> None:
    (rows, first), log_likelihood, fits, (differences, total), figure, recovery = notebook("fitting", monkeypatch)
    assert (rows, first["subject"]) == (600, "A")
    assert log_likelihood < sum(fit.log_likelihood for fit in fits), "a fit is better than a guess"
    for fit, true in zip(fits, (0.3, 0.45, 0.6, 0.7), strict=True):
        assert fit.low["optimism"] < true < fit.high["optimism"]
    assert min(differences.values()) > 0
    assert total > 10
    assert [axes.get_title() for axes in figure.axes] == [f"person {name}" for name in "ABCD"]
    assert len(recovery.rows) == 6
    assert all("<svg" in value._repr_html_() for value in (fits, recovery))


# --- the paper's domains, on a small scale

spec: Any = importlib.util.spec_from_file_location("paper_domains", EXAMPLES / "paper_domains.py")
demo: Any = importlib.util.module_from_spec(spec)
sys.modules["paper_domains"] = demo  # dataclasses look their module up
spec.loader.exec_module(demo)

SMALL = [dataclasses.replace(world, simulations=10, runs=2) for world in demo.worlds()]


def console(*, terminal: bool = False) -> Console:
    return Console(file=io.StringIO(), width=80, force_terminal=terminal, color_system=None)


def test_paper_domains(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(demo, "worlds", lambda: SMALL)
    monkeypatch.setenv("COLUMNS", "80")
    demo.main(output=tmp_path / "new", workers=2)
    shown = capsys.readouterr().out
    for world in ("Double-loop", "Grid5"):
        assert f"{world}: BAMCP, 2 runs done" in shown  # progress where there is no terminal
        assert f"{world}: 1000 steps, 10 simulations a step, 2 runs" in shown
    assert [words for words in ("387.6 ± 1.5", "72.9 ± 3", "66 ± 5", "learning.png") if words not in shown] == []
    assert (tmp_path / "new" / "learning.png").read_bytes().startswith(b"\x89PNG")


def test_paper_domains_give_the_runs_of_bamdp_run_whatever_the_workers() -> None:
    screen = console(terminal=True)
    one, three = demo.play(SMALL, 50, 7, 1, console()), demo.play(SMALL, 50, 7, 3, screen)
    assert {(world.name, entry.name) for world in SMALL for entry in demo.AGENTS} == set(one)
    for key, outcome in one.items():
        np.testing.assert_array_equal(outcome.rewards, three[key].rewards)
    for index in range(2):
        agent_seed, world_seed = seeds(7, index)
        agent = bamdp.agents.BAMCP(SMALL[1].domain.problem(), simulations=10, seed=agent_seed)
        record = bamdp.run(agent, SMALL[1].domain, 50, world_seed)
        np.testing.assert_array_equal(one["grid5", "BAMCP"].rewards[index], record.rewards)
    screen.print(demo.table(SMALL[0], one, 50))
    shown = screen.file.getvalue()  # type: ignore[attr-defined]
    assert "Grid5: BAMCP" in shown
    assert "100/100" in shown, "a bar on a terminal"
    assert "±" not in shown, "the paper's runs were longer"


def test_bands_are_the_intervals_of_the_totals() -> None:
    rewards = np.random.default_rng(0).random((5, 30))
    centre, half = demo.band(rewards)
    for step in (1, 17, 30):
        expected = mean((rewards[:, :step].sum(axis=1) / step).tolist())
        assert expected.high is not None
        assert centre[step - 1] == pytest.approx(expected.value)
        assert centre[step - 1] + half[step - 1] == pytest.approx(expected.high)


def test_a_failing_agent_ends_it_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(world: Any, seed: int) -> bamdp.Agent:
        raise RuntimeError("broken")

    bad = dataclasses.replace(demo.AGENTS[1], make=broken)
    monkeypatch.setattr(demo, "AGENTS", [demo.AGENTS[2], bad])
    worlds = [dataclasses.replace(world, simulations=1000, runs=100) for world in demo.worlds()]
    with pytest.raises(RuntimeError, match="broken"):  # all of it would take ten minutes
        demo.play(worlds, None, 0, 2, console())
