"""The table of several designs."""

import json
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

import bamdp
from bamdp.priors import BetaArms
from bamdp.trials import FisherTest, FunctionDesign, Trial, compare
from bamdp.trials.characteristics import usual_runs
from bamdp.trials.designs import ForwardGittinsDesign, available
from bamdp.trials.stopping import ExactStopping
from reference.problems import shown
from reference.rejections import rejections

TRIAL = Trial([0.3, 0.6], 12)


def test_after_an_interrupt_the_designs_that_are_done_are_kept() -> None:
    def stop(*_: object) -> NDArray[np.float64]:
        raise KeyboardInterrupt

    stopping = FunctionDesign("stopping", stop)
    table = compare(TRIAL, ["equal", stopping, "thompson"])
    assert [row.design for row in table.rows] == ["equal"]
    assert "Interrupted: the designs that were done." in str(table)
    assert json.loads(table.to_json())["interrupted"]
    with pytest.raises(KeyboardInterrupt):
        compare(TRIAL, [stopping])


def test_the_table() -> None:
    table = compare(TRIAL)
    text = str(table)
    assert text.startswith("12 patients, success probabilities A 0.3, B 0.6")
    assert "All values are exact." in text
    assert len(table.rows) == sum(design.default for design in available().values())
    assert table["equal"].successes.value == pytest.approx(5.4)
    assert set(map(len, table.columns.values())) == {len(table.rows)}
    data = json.loads(table.to_json())
    assert data["trial"]["arms"] == [0.3, 0.6]
    assert data["columns"]["design"] == [row.design for row in table.rows]
    assert bamdp.trials.compare is compare


@pytest.mark.parametrize(("look", "fits"), [(4, False), (9, True)])
def test_designs_whose_blocks_do_not_fit_the_looks_are_left_out(look: int, fits: bool) -> None:
    table = compare(Trial([0.3, 0.6], 12, stopping=ExactStopping([look])))
    assert any("blocks of 9" in row.design for row in table.rows) == fits


def test_with_blocks_the_bayes_optimal_design_is_not_optimal_and_the_table_says_so() -> None:
    designs = ["finite-gittins", "bayes-optimal"]
    plain, blocks = (compare(Trial([0.3, 0.5], 40, block=block), designs) for block in (1, 4))
    for table, optimal in ((plain, True), (blocks, False)):
        index, design = (row.prior_successes.value for row in table.rows)
        assert (design >= index) == optimal
        assert ("another design may have more" in str(table)) != optimal
    for settings in ({"delay": 1}, {"floor": 0.1}, {"stopping": ExactStopping([4])}):
        trial = Trial([0.3, 0.6], 8, **settings)
        assert "Bayes-optimal: the optimum without" in str(compare(trial, ["bayes-optimal"]))
        assert "Bayes-optimal" not in str(compare(trial, ["equal"]))
        assert (
            "has fewer patients, and for that reason alone fewer successes"
            in str(compare(trial, ["equal"]))
        ) == ("stopping" in settings)


def test_a_data_frame() -> None:
    table = compare(TRIAL, ["equal", "gittins"])
    frame = table.to_pandas().set_index("design")
    assert frame.loc["equal", "successes"] == pytest.approx(5.4)
    assert list(frame.columns) == [name for name in table.columns if name != "design"]
    assert frame["exact"].all()


def test_simulated_values_have_intervals() -> None:
    table = compare(TRIAL, ["equal", "gittins"], runs=50)
    assert "±" in str(table)
    assert "simulated" in str(table)
    assert table.columns["runs"] == [50, 50]


def test_pictures(tmp_path: Path) -> None:
    table = compare(Trial([0.3, 0.6, 0.5], 6, block=2), ["equal", "thompson"], test=FisherTest())
    assert "blocks of 2" in str(table)
    assert "each arm against the first at 0.05/2" in str(table)
    table.save(tmp_path / "new" / "trial.svg")
    assert (tmp_path / "new" / "trial.svg").read_text(encoding="utf-8").startswith("<svg")
    assert "<table>" in shown(table)


def test_the_null_hypothesis_has_no_best_arm() -> None:
    table = compare(Trial([0.3, 0.3], 6), ["equal", "randomised"])
    assert "—" in str(table)
    assert "share" not in table.picture()


def test_only_what_is_possible_by_default() -> None:
    names = [
        row.design
        for row in compare(Trial([0.3] * 7, 4, BetaArms([1] * 7, [1] * 6 + [0])), runs=10).rows
    ]
    assert "Bayes-optimal" not in names
    assert "Thompson" not in names
    assert "Gittins index" in names


test_rejected = rejections(
    (
        ValueError,
        "unknown design 'gitins'; did you mean 'gittins'",
        lambda: compare(TRIAL, ["gitins"]),
    ),
    (ValueError, "designs must not be empty", lambda: compare(TRIAL, [])),
    (TypeError, "trial must be a Trial", lambda: compare([0.3, 0.5])),  # type: ignore[arg-type]
    (ValueError, "must be one of '.svg', '.png'", lambda: compare(TRIAL, ["equal"]).save("x.pdf")),
    (KeyError, "unknown design 'equall'", lambda: compare(TRIAL, ["equal"])["equall"]),
)


@pytest.mark.parametrize(("block", "label"), [(1, 9), (2, 2), (5, 5)])
def test_the_forward_looking_index_is_labelled_by_its_block(block: int, label: int) -> None:
    found = compare(Trial([0.3, 0.5], 10, block=block), ["forward-gittins"])
    assert found.columns["design"] == [f"forward-looking Gittins, blocks of {label}"]


def test_blocks_may_not_contradict_each_other() -> None:
    with pytest.raises(
        ValueError, match="block of the design is 4 and that of the trial 2: set one of them"
    ):
        compare(Trial([0.3, 0.5], 10, block=2), [ForwardGittinsDesign(block=4)])
    for trial in (Trial([0.3, 0.5], 10), Trial([0.3, 0.5], 10, block=4)):
        found = compare(trial, [ForwardGittinsDesign(block=4)])
        assert found.columns["design"] == ["forward-looking Gittins, blocks of 4"]
    one = compare(Trial([0.3, 0.5], 10), [ForwardGittinsDesign(block=1)])
    assert one.columns["design"] == ["forward-looking Gittins, one by one"]


def test_a_large_trial_is_simulated_and_tested_by_fisher() -> None:
    table = compare(Trial([0.3, 0.4, 0.5, 0.6], 60), ["equal"])
    assert [(row.test, row.exact, row.runs) for row in table.rows] == [
        ("Fisher's exact test", False, 10_000)
    ]
    assert (
        "† Fisher's exact test, each arm against the first at 0.05/3: simulated designs have no "
        "exact" in str(table)
    )
    heads, cells = (str(table).splitlines()[line] for line in (2, 4))
    for column in ("type I error", "power"):
        assert cells[: heads.index(column) + len(column)].endswith("†")
    assert cells.count("†") == 2, "both are of the other test"


def test_slow_designs_are_left_out_of_long_trials_unless_they_are_named() -> None:
    table = compare(Trial([0.05, 0.06], 1600), runs=20)
    assert [row.design for row in table.rows] == [
        "equal",
        "randomised",
        "posterior mean",
        "Thompson",
    ]
    assert (
        "Left out, as they take minutes in so long a trial: forward-gittins, gittins, "
        "finite-gittins, tempered-thompson; name them."
    ) in table.notes()
    short = compare(Trial([0.05, 0.06], 20))
    assert not any("Left out" in note for note in short.notes())
    named = compare(Trial([0.05, 0.06], 1001), ["equal"], runs=20)
    assert not any("Left out" in note for note in named.notes())


def test_long_trials_are_simulated_less_often() -> None:
    runs = {n: usual_runs(Trial([0.05, 0.06], n)) for n in (100, 2500, 50_000)}
    assert runs == {100: 10_000, 2500: 4000, 50_000: 1000}
