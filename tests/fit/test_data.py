"""Tables as they come, and games in them: what contradicts the task, the prior or itself is an
error with its row.
"""

from dataclasses import replace
from math import nan
from pathlib import Path
from typing import Any

import numpy as np
import pandas
import pytest

from bamdp import BAMDP, MDP
from bamdp.agents import PosteriorMean
from bamdp.domains import Bandit, Gymnasium, NormalBandit, Tabular
from bamdp.fit import ChoiceRule, Exact, Model, fit, from_table, log_likelihood, read_csv, simulate
from bamdp.priors import BetaArms, Dirichlet, NormalArms
from reference.rejections import rejections

ARMS = Bandit([0.5, 0.5], 1.0, payoffs=[1, 0.8], horizon=4)
MODEL = Model(ARMS.problem(), rule=ChoiceRule(0.2))
GAME: dict[str, list[Any]] = {
    "subject": ["ann"] * 4,
    "game": [1] * 4,
    "step": [1, 2, 3, 4],
    "state": [0, 1, 1, 0],
    "action": [0, 1, 1, 0],
    "reward": [1, 0.8, 0, 0],
    "next_state": [1, 1, 0, 0],
}
TEXT = """id,block,trial,choice,points,age
ann,1,1,left,1,30
ann,1,2,right,0.8,30
ann,1,3,,,30
ann,1,4,right,0,30
bob,1,1,right,0,41
bob,1,2,left,1,41
"""
NAMES: dict[str, str] = {
    "subject": "id",
    "game": "block",
    "step": "trial",
    "action": "choice",
    "reward": "points",
}
LABELS = ["left", "right"]
CYCLE = np.roll(np.eye(3), 1, axis=1)[:, None] * np.ones(
    (3, 2, 1)
)  # both actions lead on, 0 → 1 → 2 → 0
REWARDS = np.arange(6.0).reshape(3, 2)


def value(data: Any = GAME, model: Any = MODEL, **changed: Any) -> float:
    return log_likelihood({**data, **changed} if changed else data, model, {}).value


def some(*names: str) -> dict[str, list[Any]]:
    return {name: GAME[name] for name in names}


def cycle(agent: Any, time_limit: int | None = None, **settings: Any) -> Model:
    problem = BAMDP(Dirichlet(), REWARDS, 1.0, horizon=5, start=0, **settings)
    return Model(problem, agent, ChoiceRule(1.0), time_limit=time_limit)


def walk(states: list[int], next_states: list[int], reward: float = 0.0, **settings: Any) -> Any:
    """The log-likelihood of steps by action 0 on the cycle; `reward` is paid in excess."""
    paid = [REWARDS[state, 0] + reward for state in states]
    data = {"step": list(range(len(states))), "state": states, "action": [0] * len(states)}
    return log_likelihood(
        data | {"reward": paid, "next_state": next_states}, cycle(Exact(depth=1), **settings), {}
    )


def written(folder: Path, text: str = TEXT) -> Path:
    file = folder / "bandit.csv"
    file.write_text(text, encoding="utf-8")
    return file


def test_columns_of_any_name_and_labels(tmp_path: Path) -> None:
    """With an empty cell for a missed trial, which is none; from a file and from a data frame."""
    data = read_csv(written(tmp_path), actions=LABELS, **NAMES)
    assert data["action"] == [0, 1, None, 1, 1, 0]
    assert data["age"] == [30] * 4 + [41] * 2
    found = log_likelihood(data, MODEL, {})
    assert found.choices == 5
    assert found.subjects["ann"] == pytest.approx(
        value({"action": [0, 1, 1], "reward": [1, 0.8, 0]})
    )
    frame = pandas.read_csv(tmp_path / "bandit.csv")
    assert value(from_table(frame, actions=LABELS, **NAMES)) == found.value
    assert from_table(
        {"action": [1.0, 2.0, nan, pandas.NA], "reward": [1, 0, 0, 0]}, actions=[1, 2]
    )["action"] == [
        0,
        1,
        None,
        None,
    ]


@pytest.mark.parametrize(
    "ids",
    [("1_11", "11_1"), ("01", "1", "001"), ("2.10", "2.1"), ("1e2", "100", "1_00"), ("1.0", "1")],
)
@pytest.mark.parametrize("column", ["subject", "game"])
def test_ids_that_differ_stay_different(tmp_path: Path, ids: tuple[str, ...], column: str) -> None:
    """Each is a person, or a game, with one choice of two arms that are equal then."""
    rows = "".join(f"{name},0,1\n" for name in ids)
    for head, names in ((column, {}), ("who", {column: "who"})):
        data = read_csv(written(tmp_path, f"{head},action,reward\n{rows}"), **names)
        assert data[column] == list(ids)
        equal = Model(Bandit([0.5, 0.5], 1.0, horizon=1).problem(), Exact(), ChoiceRule(0.1))
        assert log_likelihood(data, equal, {}).value == pytest.approx(len(ids) * np.log(0.5))


def test_ids_that_print_back_the_same_are_numbers(tmp_path: Path) -> None:
    """In the order of numbers, then; rewards are numbers, and labels texts, anyway."""
    text = "subject,game,action,reward,age\n10,1.5,01,0.80,1e1\n9,-2.0,1,1.00,2_0\n"
    data = read_csv(written(tmp_path, text), actions=["1", "01"])
    ids = {"subject": [10, 9], "game": [1.5, -2.0]}
    assert data == ids | {"action": [1, 0], "reward": [0.8, 1], "age": ["1e1", "2_0"]}
    assert [each.subject for each in fit(data, MODEL)] == [9, 10]
    mixed = written(tmp_path, "action,reward\n1,1\n02.0,1\n")
    assert read_csv(mixed, actions=[1, 2])["action"] == [0, 1]


@pytest.mark.parametrize(
    ("theirs", "ours"),
    [
        *(
            (name, "subject")
            for name in (
                "Subject",
                "Participant ID",
                "subj_id",
                "id",
                "subjcet",
                "subject_code",
                "mouse_name",
            )
        ),
        *((name, "game") for name in ("Game", "block", "Session.Nr")),
        *(("Trial", "step"), ("t", "step"), ("NextState", "next_state"), ("is_forced", "forced")),
    ],
)
def test_a_column_that_may_be_one_of_ours_is_an_error(theirs: str, ours: str) -> None:
    """Or all people would be one, or all games; if it is named, it is read."""
    data = some("action", "reward") | {theirs: [1, 1, 0, 0]}
    what = f"data has no column {ours}, and '{theirs}' may be it"
    how = f"{ours}='{theirs}' in read_csv or from_table, or --{ours.replace('_', '-')} {theirs}"
    for table in (data, pandas.DataFrame(data)):
        with pytest.raises(ValueError, match=f"{what}: use {how}; if it is something else"):
            value(table)
    assert from_table(data, **{ours: theirs})[ours] == [1, 1, 0, 0]


def test_columns_beside_ours_are_read_by_nothing_and_named() -> None:
    """A synonym beside the column that it means, and a column that looks like nothing of ours."""
    rest: dict[str, list[Any]] = {name: [1] * 4 for name in ("block", "age", "gender", "stage")}
    assert value(GAME | rest) == value()
    fits = fit(GAME | rest, MODEL)
    assert fits.notes() == ["columns that were not read: block, age, gender, stage"]
    assert fits.notes()[0] in str(fits)
    whole = fit(some("action", "reward") | {"Proband": [1, 1, 2, 2]}, MODEL).notes()[-1]
    assert "not read: Proband; there is no column subject: all rows are one person" in whole
    assert fit(GAME, MODEL).notes() == []
    many = {f"x{i}": [1] * 4 for i in range(12)}
    assert fit(GAME | many, MODEL).notes()[0].endswith("x8, x9 and 2 more")


def test_an_index_of_a_data_frame_is_no_column() -> None:
    frame = pandas.DataFrame(GAME).set_index("subject")
    with pytest.raises(ValueError, match=r"'subject' may be it: use data\.reset_index\(\); if"):
        value(frame)
    assert value(frame.reset_index()) == value()


def test_a_column_that_is_missing_is_made() -> None:
    """One person, one game, rows in order; of Beta arms outcomes follow from the rewards, states
    from the outcomes.
    """
    assert value(some("action", "reward")) == value()
    assert value(state=[0] * 4) == value()
    assert value(state=[0] * 4, next_state=[0] * 4) == value()
    assert value(state=[0] * 4, next_state=[0] * 4, reward=[0] * 4) != value()
    two = some("action", "reward") | {"subject": ["a", "b"] * 2}
    assert value(two) == value(two | {"step": [1, 1, 2, 2]})


def test_data_frames_and_texts_are_columns() -> None:
    """In any order, with any index, of any of the types that pandas has for texts, numbers and
    missing cells.
    """
    frame = pandas.DataFrame(GAME)
    assert value(frame.sample(frac=1, random_state=0)) == value()
    assert value(frame.set_index(pandas.Index([7, 7, 9, 9]))) == value()
    assert value(frame.astype({"subject": "category"}).convert_dtypes()) == value()
    assert value({name: [str(cell) for cell in cells] for name, cells in GAME.items()}) == value()
    with pytest.raises(
        ValueError, match=r"one column 'action', with one cell in each row, got shape \(4, 2\)"
    ):
        value(pandas.concat([frame, frame[["action"]]], axis=1))


@pytest.mark.parametrize("missed", [-1, nan, None, "", "NA", pandas.NA])
def test_a_missed_trial_is_none(missed: Any) -> None:
    with_gap = {name: [*cells[:1], cells[0], *cells[1:]] for name, cells in GAME.items()}
    with_gap["step"], with_gap["action"][1] = [1, 2, 3, 4, 5], missed
    assert value(with_gap) == value()


def test_the_order_of_steps_is_that_of_numbers() -> None:
    """Not of texts, where 10 comes before 2, nor of doubles, which don't tell nanoseconds apart."""
    assert value(step=["8", "9", "10", "11"]) == value()
    assert value(step=[2**60, 2**60 + 1, 2**60 + 2, 2**60 + 3]) == value()


def test_files_that_are_no_tables(tmp_path: Path) -> None:
    file = written(tmp_path, "subject,action,action\nann,0,1\n")
    with pytest.raises(
        ValueError,
        match=r"bandit\.csv: the first line must have each name once, got 'action' twice",
    ):
        read_csv(file)
    for encoding in ("utf-16", "utf-16-le", "latin-1"):
        file.write_text("subject,action\nJürgen,0\n", encoding=encoding)
        with pytest.raises(
            ValueError,
            match=r"bandit\.csv must be a table in UTF-8, which spreadsheets save as 'CSV UTF-8'",
        ):
            read_csv(file)
    with pytest.raises(
        ValueError, match=r"bandit.csv, line 3: there must be as many cells as in the first line"
    ):
        read_csv(written(tmp_path, "subject,game\nann,1\nann,1,2\n"))
    file.write_text("action,reward\n0,1\n1,0.8\n", encoding="utf-8-sig")  # the mark of spreadsheets
    assert read_csv(file) == {"action": [0, 1], "reward": [1, 0.8]}


def test_rewards_that_are_parameters_are_not_those_of_the_data() -> None:
    """A utility; what the other arm pays is known, and outcomes are read from either."""

    def utility(bonus: float) -> BAMDP:
        return Bandit([0.5, 0.5], 1.0, payoffs=[bonus, 0.8], horizon=4).problem()

    model = Model(utility, rule=ChoiceRule(0.2), parameters={"bonus": (0.5, 2)})
    found = log_likelihood(GAME, model, {"bonus": 1}).value
    assert found == value()
    uncoded = GAME | {"reward": [5, 0.8, 0, 0], "next_state": [0] * 4, "state": [0] * 4}
    assert log_likelihood(uncoded, model, {"bonus": 1}).value == found
    with pytest.raises(
        ValueError, match=r"step 2: reward is 0\.7, and action 1 \(arm B\) pays 0 or 0\.8"
    ):
        log_likelihood(GAME | {"reward": [5, 0.7, 0, 0]}, model, {"bonus": 1})


def test_random_rewards_of_the_problem_are_not_those_of_the_data() -> None:
    """Of a value that is random around the problem's, a person who plans by the means learns
    nothing.
    """
    exact = walk([0, 1, 2], [1, 2, 0])
    assert walk([0, 1, 2], [1, 2, 0], reward=0.25, random_rewards=True).value == exact.value
    with pytest.raises(ValueError, match=r"reward is 0\.25, and action 0 in state 0 pays 0"):
        walk([0, 1, 2], [1, 2, 0], reward=0.25)
    agent = cycle(PosteriorMean, random_rewards=True)
    data = {
        "step": [0, 1],
        "state": [0, 1],
        "action": [0, 0],
        "reward": [9, 9],
        "next_state": [1, 2],
    }
    known = data | {"reward": [REWARDS[0, 0], REWARDS[1, 0]]}
    assert log_likelihood(data, agent, {}).value == log_likelihood(known, agent, {}).value


def test_episodes_may_begin_anew() -> None:
    """In a terminal state, and after a time limit or a fixed length."""
    assert walk([0, 0, 0], [2, 2, 1], terminal=[2]).choices == 3
    assert walk([0, 1, 0], [1, 2, 1], time_limit=2).choices == 3
    assert walk([0, 1, 0], [1, 2, 1], episode_length=2).choices == 3


def test_the_clock_of_a_time_limit_starts_with_each_episode() -> None:
    """Of two steps: an episode ends in a terminal state after one, the next is cut after two."""
    clock: dict[str, Any] = {"terminal": [2], "time_limit": 2}
    anew = "state is 0, and the step before led to 1, where no episode ended"
    assert walk([0, 0, 1, 0, 1], [2, 1, 1, 1, 1], **clock).choices == 5
    with pytest.raises(ValueError, match=f"step 2: {anew}"):
        walk([0, 0, 0], [2, 1, 1], **clock)
    with pytest.raises(ValueError, match=f"step 4: {anew}"):
        walk([0, 0, 1, 0, 0], [2, 1, 1, 1, 1], **clock)


def test_environments_are_truncated_too() -> None:
    lake = Gymnasium("FrozenLake-v1", max_episode_steps=2)
    model = Model(lake.problem(), PosteriorMean, ChoiceRule(1.0), time_limit=lake.time_limit)
    data = simulate(model, {}, games=1, steps=6, worlds=lake, seed=1)
    assert data["state"][::2] == [0] * 3
    assert data["next_state"][3] == 2, "a state that doesn't end an episode"
    assert log_likelihood(data, model, {}).choices == 6


def test_worlds_are_drawn_from_the_prior_unless_they_are_given() -> None:
    """A person who knows that arm 0 always pays, and arm 1 never, lives in such worlds."""
    model = replace(
        MODEL,
        problem=Bandit([0.5, 0.5], 1.0, horizon=4).problem(BetaArms([1, 0], [0, 1])),
        rule=ChoiceRule(10),
    )
    data = simulate(model, {}, games=5)
    assert {0, 1} == set(data["action"])
    assert data["reward"] == [1 - action for action in data["action"]]


@pytest.mark.parametrize("ends", [{"time_limit": 2}, {"episode_length": 2}])
def test_simulated_people_start_episodes_anew(ends: dict[str, int]) -> None:
    model = cycle(Exact(depth=2), **ends)
    data = simulate(model, {}, games=2, worlds=Tabular(MDP(CYCLE, REWARDS), 1.0, horizon=5, **ends))  # type: ignore[arg-type]
    assert data["state"] == [0, 1, 0, 1, 0] * 2
    assert data["next_state"] == [1, 2, 1, 2, 1] * 2
    assert log_likelihood(data, model, {}).choices == 10


def test_a_timeout_takes_a_step_and_teaches_nothing() -> None:
    """With the same belief and one step fewer: as if the horizon were shorter."""
    lost = {
        "action": [0, None, 1, 0],
        "timeout": [0, 1, 0, 0],
        "forced": [1, 0, 1, 0],
        "reward": [1, 0, 0, 0],
    }
    taken = {"action": [0, 1, 1, 0], "forced": [1, 1, 1, 0], "reward": [1, 0, 0, 0]}
    for task in (
        Bandit([0.5, 0.5], 1.0, payoffs=[1, 2], horizon=5),
        NormalBandit([0, 0], 1.0, 1.0, horizon=5),
    ):
        model, ahead = (
            Model(task.problem(), agent, ChoiceRule(0.5)) for agent in (Exact(), Exact(depth=2))
        )
        assert value(lost, model) == pytest.approx(value(lost, ahead))
        assert value(lost, model) != value(taken, model)


def test_conditions_are_given_to_the_problem() -> None:
    """The horizon of a game is a column; each game is valued with its own."""

    def task(horizon: int) -> Any:
        return NormalBandit([50, 50], 8.0, 1.0, horizon=horizon).problem(NormalArms(50, 16, 8))

    model = Model(task, Exact(), ChoiceRule, {"temperature": (0.1, 50)}, conditions=["horizon"])
    design = [{"horizon": 3}, {"horizon": 5}]
    data = simulate(model, {"temperature": 4.0}, games=4, forced=(0, 1), conditions=design, seed=2)
    assert data["horizon"] == [3] * 3 + [5] * 5 + [3] * 3 + [5] * 5
    assert data["forced"] == [1, 1, 0, 1, 1, 0, 0, 0] * 2
    each = []
    for horizon in (3, 5):
        rows = [i for i, cell in enumerate(data["horizon"]) if cell == horizon]
        own = {name: [cells[i] for i in rows] for name, cells in data.items()}
        each.append(value(own, Model(task(horizon), Exact(), ChoiceRule(4.0))))
    assert log_likelihood(data, model, {"temperature": 4.0}).value == pytest.approx(sum(each))
    assert fit(data, model)[0].choices == 8
    with pytest.raises(
        ValueError,
        match="row 2: horizon must be the same in all rows of a game, got 9 here and 3 in row 1",
    ):
        log_likelihood(
            data | {"horizon": [3, 9, *data["horizon"][2:]]}, model, {"temperature": 4.0}
        )


@pytest.mark.parametrize("missing", [nan, None, " ", "NaN", pandas.NA, pandas.NaT])
@pytest.mark.parametrize(
    "name", ["subject", "game", "step", "state", "reward", "next_state", "forced"]
)
def test_a_missing_cell_is_an_error(name: str, missing: Any) -> None:
    cells = (GAME | {"forced": [0] * 4})[name]
    with pytest.raises(ValueError, match=f"(row 3|step 3): {name} (is missing|must be a number)"):
        value(**{name: [*cells[:2], missing, cells[3]]})


def csv(old: str, new: str, **more: Any) -> Any:
    """A fit of the table with one text replaced."""

    def call() -> None:
        from tempfile import TemporaryDirectory

        with TemporaryDirectory() as folder:
            fit(
                read_csv(
                    written(Path(folder), TEXT.replace(old, new)),
                    **{"actions": LABELS} | NAMES | more,
                ),
                MODEL,
            )

    return call


PATH = Model(
    Tabular(MDP([[[1, 0], [0, 1]]] * 2, [[0, 1], [1, 0]]), 1.0, horizon=5).problem(), PosteriorMean
)
TIMEOUT = {"action": [0, None, 1, 0], "timeout": [0, 1, 0, 0]}

test_rejected = rejections(
    (
        ValueError,
        r"step 1: reward is 0, and action 0 \(arm A\) in state 0 \(failure\) pays 1 with "
        r"next_state 1 \(success\)",
        lambda: value(reward=[0, 0, 0.8, 1]),
    ),
    (
        ValueError,
        "subject ann, game 1, step 1: reward is 99, and action 0 .* pays 0 or 1",
        lambda: value(some("subject", "action"), reward=[99] * 4),
    ),
    (
        ValueError,
        "step 3: reward is 0.8, and .* pays 0 with next_state 0",
        lambda: value(reward=[1, 0.8, 0.8, 0]),
    ),
    (
        ValueError,
        r"state is 0 \(failure\), and the step before led to 1 \(success\)",
        lambda: value(state=[0, 0, 1, 0]),
    ),
    (ValueError, "step 2: there are two rows of this step", lambda: value(step=[1, 2, 2, 3])),
    (
        ValueError,
        "step 3: action must be an integer from 0 to 1, got 2",
        lambda: value(action=[0, 1, 2, 0]),
    ),
    (
        ValueError,
        "step 2: action must be an integer from 0 to 1, got -1.5",
        lambda: value(action=[0, -1.5, 0, 0]),
    ),
    (
        ValueError,
        "step 2: state must be an integer from 0 to 1, got 7",
        lambda: value(state=[0, 7, 0, 0]),
    ),
    (
        ValueError,
        "forced must be an integer from 0 to 1, got 3",
        lambda: value(forced=[3, 0, 0, 0]),
    ),
    (ValueError, "no free choice", lambda: value(forced=[1] * 4)),
    (ValueError, "same length", lambda: value(action=[1])),
    (
        ValueError,
        "step 5: the game continues after the horizon of 4",
        lambda: value({"action": [0] * 5, "reward": [0] * 5}),
    ),
    (
        ValueError,
        "missing: action; .*action='choice'",
        lambda: value({"choice": [1], "reward": [1]}),
    ),
    (
        TypeError,
        "data must be a dictionary of columns .* got 'choices.csv'",
        lambda: value("choices.csv"),
    ),
    (
        ValueError,
        "game 1, step 0: reward is 1, and action 0 in state 1 pays 2",
        lambda: walk([1], [2], -1),
    ),
    (
        ValueError,
        "step 1: state is 0, and the step before led to 1, where no episode",
        lambda: walk([0, 0], [1, 1], terminal=[2]),
    ),
    (
        ValueError,
        "step 1: state is 0, and the step before led to 1",
        lambda: walk([0, 0], [1, 1], episode_length=2),
    ),
    (
        ValueError,
        "step 2: state is 2, and episodes start in state 0",
        lambda: walk([0, 1, 2], [1, 2, 0], episode_length=2),
    ),
    (
        ValueError,
        "no choice is made in the terminal state 2",
        lambda: walk([0, 2], [2, 0], terminal=[2]),
    ),
    *(
        (
            ValueError,
            f"{name} must be (a number|an integer)",
            lambda name=name: value(**{name: [10**400, 1, 1, 0]}),
        )
        for name in ("step", "state", "action", "reward", "next_state")
    ),
    (
        ValueError,
        r"row 2, subject ann, game 1, step 2: reward is 1, and action 1 .* pays 0",
        csv("right,0.8", "right,1"),
    ),
    (
        ValueError,
        "row 4, subject ann, game 1, step 5: step 4 is missing, .* step 3 in row 3",
        csv("ann,1,4", "ann,1,5"),
    ),
    (
        ValueError,
        "row 4, .* step 3: there are two rows of this step; the other is row 3",
        csv("ann,1,4", "ann,1,3"),
    ),
    (
        ValueError,
        "row 2: action must be one of actions, got 'rihgt'; did you mean 'right'",
        csv("2,right", "2,rihgt"),
    ),
    (
        ValueError,
        "subject must be a column of the table, got 'idd'; did you mean 'id'",
        csv("", "", subject="idd"),
    ),
    (
        ValueError,
        "columns must be some of .* got 'sbuject'; did you mean 'subject'",
        csv("", "", sbuject="id"),
    ),
    (
        ValueError,
        "row 1, .*: action must be a number, got 'left'; the order of labels must be given",
        csv("", "", actions=None),
    ),
    (ValueError, "timeout is 1, and there is an action", lambda: value(timeout=[0, 1, 0, 0])),
    (
        ValueError,
        "columns state and next_state: the task has 2 states",
        lambda: value(some("action", "reward"), PATH),
    ),
    (ValueError, "actions must be different labels", lambda: from_table(GAME, actions=["a", "a"])),
    (
        ValueError,
        "row 1, .* a timeout took a step of the horizon, which agents don't know",
        lambda: value(some("reward") | TIMEOUT, replace(MODEL, agent=PosteriorMean)),
    ),
)
