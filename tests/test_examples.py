"""Every example runs and says what it should, word for word where the gallery shows it; what can be
checked is checked.
"""

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

import pytest
from rich.console import Console

from reference.documents import ROOT, text
from reference.problems import shown as html

pytestmark = pytest.mark.slow

EXAMPLES = ROOT / "examples"
NEEDS = {
    "compiled_world": "numba",
    "in_context": "stable_baselines3",
    "minigrid_lava": "minigrid",
}
SHOWN_BLOCK = re.compile(
    r"^```sh\npython examples/(\w+)\.py\n```\n\n```text\n(.*?)^```$", re.DOTALL | re.MULTILINE
)
SHOWN = dict(SHOWN_BLOCK.findall(text("docs/gallery.md")))

# The arguments of a small run, and what it prints.
SAYS = {
    "compiled_world": ("", ["simulations a second"]),
    "lazy_rows": ("", ["rows"]),
    "slip": ("", ["slip"]),
    "unknown_rewards": ("", ["found"]),
    "which_world": ("", ["world"]),
    "rooms": ("", ["left left left right", "return -13; the goal was room 7"]),
    "olfactory": ("", ["steps"]),
    "infotaxis": (
        "--sources 3 --simulations 10",
        ["infotaxis ", "space-aware infotaxis ", "BAMCP "],
    ),
    "mastermind": ("", ["3.219 guesses on average"]),
    "programs": ("", ["BayesAdaptive", "random"]),
    "prices": ("", ["BayesAdaptive", "posterior mean"]),
    "in_context": (
        "--timesteps 2048 --worlds 20",
        ["Bayes-optimal  12.43", "by the losses"],
    ),
    "prompts": ("", ["2: arm B paid 0", "to an agent that learns"]),
    "show_plan": ("", ["action 1: worth"]),
    "clinical_trial": ("--patients 8", ["Gittins index", "Thompson", "equal", "power"]),
    "fit_choices": ("", ["optimism", "log-likelihood"]),
    "frozen_lake": (
        "--runs 2 --tuning-runs 1 --steps 30 --simulations 10",
        [
            "BayesAdaptive",
            "PSRL",
            "Q-learning",
            "posterior mean",
            "knows the lake",
            "learning_rate 0.03",
        ],
    ),
    "minigrid_lava": (
        "--runs 2 --steps 60 --simulations 10 --environment MiniGrid-LavaGapS5-v0",
        ["MiniGrid-LavaGapS5-v0, 60 steps", "BAMCP", "Q-learning", "random"],
    ),
    "demo": (
        "--machines 6 --months 4 --simulations 5 --workers 2",
        [
            "6 machines of 4 months",
            "knows the machine",
            "BayesAdaptive",
            "BAMCP as published",
            "PSRL",
            "posterior mean",
            "0 %",
        ],
    ),
    "fish_stock": (
        "--worlds 3 --years 4 --simulations 5",
        [
            "knows the growth",
            "BayesAdaptive",
            "PSRL (Thompson)",
            "posterior mean",
            "its growth rate is",
        ],
    ),
    "censored_demand": (
        "--worlds 3 --weeks 4 --simulations 5",
        [
            "knows the demand",
            "BayesAdaptive",
            "PSRL (Thompson)",
            "posterior mean",
            "Orders of the planner",
        ],
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
def test_example(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
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


def notebook(name: str, monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """Run each cell as Jupyter does, in the folder of the notebook; the values of the last lines of
    cells, if they have one.
    """
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
    assert {path.stem for path in EXAMPLES.glob("*.ipynb")} == {
        "quickstart",
        "lesson",
        "trial",
        "fitting",
    }


def test_the_quickstart_notebook_shows_what_it_says(monkeypatch: pytest.MonkeyPatch) -> None:
    problem, actions, plan, totals, belief, result = notebook("quickstart", monkeypatch)
    assert problem.actions == ("run", "service", "replace")
    assert actions == ("service", "run")
    assert plan.lower < plan.upper
    assert totals["BayesAdaptive"] > totals["PosteriorMean"]
    assert belief[1] > 0.9, "it has seen worn machines run"
    assert result.agents[0] == "planner"
    assert all("<" in html(value) for value in (plan, result))


def test_the_solutions_of_the_lesson_are_right(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two values are known elsewhere: ten patients (Jacko 2019), and the indices of Gittins."""
    belief, means, own, exact, cost, known, values, indices, plan, choices = notebook(
        "lesson", monkeypatch
    )
    assert belief.tolist() == pytest.approx([1 / 3, 2 / 3])
    assert means[2] == 1 / 2 > means[3]
    assert own == pytest.approx(exact, abs=1e-12) == pytest.approx(6.0217857143)
    assert 0 < cost[10] < 0.02 < cost[50]
    assert known["every second patient"] < known["greedy"] < known["best"] - 2
    assert [left for left, (a, b) in values.items() if b > a] == [4, 5, 6, 7], "from four on"
    assert list(indices.values()) == [0.761, 0.554, 0.506]
    assert plan == ("read", pytest.approx(0.7), pytest.approx(0.7))
    assert list(choices.values()) == ["read", "read", "leave", "leave"]


def test_the_trial_notebook_shows_what_it_says(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    table, cautious, curves = notebook("trial", monkeypatch)
    printed = capsys.readouterr().out
    assert "22.2 expected successes, 85% of the patients on the better arm\npower 0.09" in printed
    assert "95 % interval" in printed
    assert len(table.rows) == 9
    assert all(row.exact for row in (*table.rows, *cautious.rows))
    successes = {row.design: row.prior_successes.value for row in table.rows}
    assert max(successes, key=lambda design: successes[design]) == "Bayes-optimal"
    assert 3 * table["Bayes-optimal"].power.value < cautious["Bayes-optimal"].power.value
    assert (
        table["equal"].successes.value
        < cautious["Bayes-optimal"].successes.value
        < table["Bayes-optimal"].successes.value
    )
    frame = curves.to_pandas().set_index(["design", "p"])
    assert list(curves.largest) == ["equal", "tempered Thompson", "Thompson", "Bayes-optimal"]
    assert max(error for error, _ in curves.largest.values()) <= 0.05
    assert frame.loc[("equal", 0.6), "power"] == pytest.approx(table["equal"].power.value)
    assert "<svg" in html(table)


def test_the_fitting_notebook_shows_what_it_says(monkeypatch: pytest.MonkeyPatch) -> None:
    (rows, first), log_likelihood, fits, (differences, total), figure, recovery = notebook(
        "fitting", monkeypatch
    )
    assert (rows, first["subject"]) == (600, "A")
    assert log_likelihood < sum(fit.log_likelihood for fit in fits), "a fit is better than a guess"
    for fit, true in zip(fits, (0.3, 0.45, 0.6, 0.7), strict=True):
        assert fit.low["optimism"] < true < fit.high["optimism"]
    assert min(differences.values()) > 0
    assert total > 10
    assert [axes.get_title() for axes in figure.axes] == [f"person {name}" for name in "ABCD"]
    assert len(recovery.rows) == 6
    assert all("<svg" in html(value) for value in (fits, recovery))


# --- the paper's domains, on a small scale

spec: Any = importlib.util.spec_from_file_location("paper_domains", EXAMPLES / "paper_domains.py")
demo: Any = importlib.util.module_from_spec(spec)
sys.modules["paper_domains"] = demo  # dataclasses look their module up
spec.loader.exec_module(demo)

SMALL = [dataclasses.replace(world, simulations=10, runs=2) for world in demo.worlds()]


def console(*, terminal: bool = False) -> Console:
    return Console(file=io.StringIO(), width=80, force_terminal=terminal, color_system=None)


def test_paper_domains(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(demo, "worlds", lambda: SMALL)
    monkeypatch.setenv("COLUMNS", "80")
    demo.main(output=tmp_path / "new", workers=2)
    shown = capsys.readouterr().out
    for world in ("Double-loop", "Grid5"):
        assert f"{world}: BAMCP, 2 runs done" in shown  # progress where there is no terminal
        assert f"{world}: 1000 steps, 10 simulations a step, 2 runs" in shown
    assert [
        words
        for words in ("387.6 ± 1.5", "72.9 ± 3", "66 ± 5", "learning.png")
        if words not in shown
    ] == []
    assert (tmp_path / "new" / "learning.png").read_bytes().startswith(b"\x89PNG")
