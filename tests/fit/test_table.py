"""Tables as they come: other names, labels, missing columns, gaps, time-outs, and conditions; errors have the row."""

from pathlib import Path
from typing import Any

import pandas
import pytest

from bamdp.agents import PosteriorMean
from bamdp.domains import Bandit, NormalBandit, Tabular
from bamdp.fit import ChoiceRule, Exact, Model, fit, from_table, log_likelihood, read_csv, simulate
from bamdp.mdp import MDP
from bamdp.priors import NormalArms
from reference.rejections import rejections

ARMS = Bandit([0.5, 0.5], 1.0, payoffs=[1, 2], horizon=5)
MODEL = Model(ARMS.problem(), Exact(), ChoiceRule, {"temperature": (0.05, 5)})
AT = {"temperature": 0.5}
TEXT = """id,block,trial,choice,points,age
ann,1,1,left,1,30
ann,1,2,right,2,30
ann,1,3,,,30
ann,1,4,right,0,30
bob,1,1,right,0,41
bob,1,2,left,1,41
"""
NAMES: dict[str, str] = {"subject": "id", "game": "block", "step": "trial", "action": "choice", "reward": "points"}
LABELS = ["left", "right"]


def written(folder: Path, text: str = TEXT) -> Path:
    file = folder / "bandit.csv"
    file.write_text(text, encoding="utf-8")
    return file


def table(**columns: Any) -> dict[str, Any]:
    """Four trials of one person."""
    return {"subject": ["ann"] * 4, "step": [1, 2, 3, 4], "action": [0, 1, 1, 0], "reward": [1, 2, 0, 0]} | columns


def value(data: Any, model: Model = MODEL) -> float:
    return log_likelihood(data, model, AT).value


def test_columns_of_any_name_and_labels(tmp_path: Path) -> None:
    data = read_csv(written(tmp_path), actions=LABELS, **NAMES)
    assert data["action"] == [0, 1, None, 1, 1, 0]
    assert data["age"] == [30] * 4 + [41] * 2
    found = log_likelihood(data, MODEL, AT)
    assert found.choices == 5
    by_hand = table(action=[0, 1, 1], reward=[1, 2, 0], subject=["ann"] * 3, step=[1, 2, 3])
    assert found.subjects["ann"] == pytest.approx(value(by_hand))
    frame = pandas.read_csv(tmp_path / "bandit.csv")
    assert value(from_table(frame, actions=LABELS, **NAMES)) == found.value
    assert from_table({"action": [1.0, 2.0, float("nan")], "reward": [1, 0, 0]}, actions=[1, 2])["action"] == [0, 1, None]


def test_a_column_that_is_missing_is_made() -> None:
    """One person, one game, rows in order; of arms no states."""
    data = table()
    assert value({name: data[name] for name in ("action", "reward")}) == value(data)
    two = {"subject": ["a", "b"] * 2, "action": [0, 1, 1, 0], "reward": [1, 2, 0, 0]}
    assert value(two) == value(two | {"step": [1, 1, 2, 2]})


def test_normal_arms_need_no_states() -> None:
    task = NormalBandit([0, 0], 1.0, 1.0, horizon=4).problem()
    model = Model(task, Exact(), ChoiceRule, {"temperature": (0.05, 5)})
    assert value(table(reward=[0.3, -1, 2, 0.1]), model) < 0


def test_a_timeout_takes_a_step_and_teaches_nothing() -> None:
    """With the same belief and one step fewer: as if the horizon were shorter."""
    for task in (ARMS, NormalBandit([0, 0], 1.0, 1.0, horizon=5)):
        model = Model(task.problem(), Exact(), ChoiceRule, {"temperature": (0.05, 5)})
        lost = table(action=[0, None, 1, 0], timeout=[0, 1, 0, 0], forced=[1, 0, 1, 0])
        ahead = Model(task.problem(), Exact(depth=2), ChoiceRule, {"temperature": (0.05, 5)})
        taken = table(forced=[1, 1, 1, 0], action=[0, 1, 1, 0], reward=[1, 0, 0, 0])
        assert value(lost | {"reward": [1, 0, 0, 0]}, model) == pytest.approx(value(lost | {"reward": [1, 0, 0, 0]}, ahead))
        assert value(lost | {"reward": [1, 0, 0, 0]}, model) != value(taken, model)


def test_conditions_are_given_to_the_problem() -> None:
    """The horizon of a game is a column; each game is valued with its own."""

    def task(horizon: int) -> Any:
        return NormalBandit([50, 50], 8.0, 1.0, horizon=horizon).problem(NormalArms(50, 16, 8))

    model = Model(task, Exact(), ChoiceRule, {"temperature": (0.1, 50)}, conditions=["horizon"])
    design = [{"horizon": 3}, {"horizon": 5}]
    data = simulate(model, {"temperature": 4.0}, games=4, forced=(0, 1), conditions=design, seed=2)
    assert data["horizon"] == [3] * 3 + [5] * 5 + [3] * 3 + [5] * 5
    assert data["forced"] == [1, 1, 0, 1, 1, 0, 0, 0] * 2
    both = log_likelihood(data, model, {"temperature": 4.0}).value
    each = []
    for horizon in (3, 5):
        rows = [i for i, cell in enumerate(data["horizon"]) if cell == horizon]
        some = {name: [cells[i] for i in rows] for name, cells in data.items()}
        plain = Model(task(horizon), Exact(), ChoiceRule, {"temperature": (0.1, 50)})
        each.append(log_likelihood(some, plain, {"temperature": 4.0}).value)
    assert both == pytest.approx(sum(each))
    assert fit(data, model)[0].choices == 8
    with pytest.raises(ValueError, match="row 2: horizon must be the same in all rows of a game, got 9 here and 3 in row 1"):
        log_likelihood(data | {"horizon": [3, 9, *data["horizon"][2:]]}, model, {"temperature": 4.0})


def csv(old: str, new: str, **more: Any) -> Any:
    def call() -> None:
        from tempfile import TemporaryDirectory

        with TemporaryDirectory() as folder:
            fit(read_csv(written(Path(folder), TEXT.replace(old, new)), **{"actions": LABELS} | NAMES | more), MODEL)

    return call


PATH = Model(Tabular(MDP([[[1, 0], [0, 1]]] * 2, [[0, 1], [1, 0]]), 1.0, horizon=5).problem(), PosteriorMean)

test_rejected = rejections(
    (
        ValueError,
        r"row 2, subject ann, game 1, step 2: reward is 1, and action 1 .* pays 0",
        csv("right,2", "right,1"),
    ),
    (ValueError, "row 4, subject ann, game 1, step 5: step 4 is missing, .* step 3 in row 3", csv("ann,1,4", "ann,1,5")),
    (ValueError, "row 4, .* step 3: there are two rows of this step; the other is row 3", csv("ann,1,4", "ann,1,3")),
    (ValueError, "row 2: action must be one of actions, got 'rihgt'; did you mean 'right'", csv("2,right", "2,rihgt")),
    (ValueError, "subject must be a column of the table, got 'idd'; did you mean 'id'", csv("", "", subject="idd")),
    (ValueError, "columns must be some of .* got 'sbuject'; did you mean 'subject'", csv("", "", sbuject="id")),
    (ValueError, "row 1, .*: action must be a number, got 'left'; labels are numbered by", csv("", "", actions=None)),
    (ValueError, "missing: action; .*action='choice'", lambda: value({"choice": [1], "reward": [1]})),
    (ValueError, "timeout is 1, and there is an action", lambda: value(table(timeout=[0, 1, 0, 0]))),
    (ValueError, "columns state and next_state: the task has 2 states", lambda: log_likelihood(table(), PATH, {})),
    (ValueError, "actions must be different labels", lambda: from_table(table(), actions=["a", "a"])),
    (
        ValueError,
        "row 1, .* a timeout took a step of the horizon, which agents don't know",
        lambda: value(
            table(action=[0, None, 1, 0], timeout=[0, 1, 0, 0]),
            Model(ARMS.problem(), PosteriorMean, ChoiceRule, {"temperature": (0.05, 5)}),
        ),
    ),
)
