"""A two-armed clinical trial: what allocation designs do for the patients, and for the conclusion.

    python examples/clinical_trial.py --help

The set-up is that of Villar, Bowden and Wason (2015, Statistical Science 30): 148 patients, a control with success probability
0.3 and a new treatment with 0.5, uniform priors. Equal allocation tells the arms apart but gives half of the patients the worse
treatment. The Bayes-optimal design has the most successes among all designs, on average over the prior, and leaves too few
patients on the worse arm for a test. Designs that randomise are in between. All numbers but those of the planner are exact.

The second picture shows, for each design, how expected successes and power depend on the success probability of the treatment:
one recursion over the counts of successes and failures serves all of them.
"""

import argparse
from pathlib import Path

import numpy as np

import bamdp
from bamdp.trials import Design, EndCounts, FisherTest, Trial, designs
from bamdp.validation import require

CURVES = (
    designs.EqualDesign,
    designs.TemperedThompsonDesign,
    designs.ThompsonDesign,
    designs.ForwardGittinsDesign,
    designs.BayesOptimalDesign,
)


def power_curves(trial: Trial, drawn: list[Design], test: FisherTest, picture: Path) -> None:
    """Expected successes and power over the success probability of the last arm, that of the others as it is."""
    rates = np.linspace(0.05, 0.95, 37)
    figure = require("matplotlib.figure", "the picture needs matplotlib", "report").Figure(
        figsize=(9, 3.6), dpi=150, layout="constrained"
    )
    benefit, power = figure.subplots(1, 2)
    for design in drawn:
        end = EndCounts(design, design.rule(trial), trial)
        rows = [end.at((*trial.arms[:-1], p), (), test) for p in rates]
        reference = [trial.patients * max(*trial.arms[:-1], p) for p in rates]  # all patients on the best arm
        benefit.plot(rates, [best - row.successes for row, best in zip(rows, reference, strict=True)], label=design.name)
        power.plot(rates, [row.rejected for row in rows])
    treatment = "success probability of the last arm"
    benefit.set(title="successes fewer than with all patients on the best arm", xlabel=treatment, ylim=(0, None))
    power.set(title="probability that the test rejects", xlabel=treatment, ylim=(0, 1.02))
    power.axhline(test.alpha, color="0.5", linestyle=":", linewidth=1)
    figure.suptitle(f"{trial.patients} patients, control {trial.arms[0]:g}; {test}", fontsize=9)
    for axes in (benefit, power):
        axes.axvline(trial.arms[0], color="0.8", linewidth=1)
        axes.grid(color="0.93")
        axes.title.set_fontsize(9)
    benefit.legend(fontsize=8)
    figure.savefig(picture)


def main(words: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--arms", type=float, nargs="+", default=[0.3, 0.5], help="success probabilities (default 0.3 0.5)")
    parser.add_argument("--patients", type=int, default=148, help="number of patients (default 148)")
    parser.add_argument("--planner", type=int, default=0, help="trials to simulate with the planner (default 0)")
    parser.add_argument(
        "--picture",
        type=Path,
        default=Path("demo-output/clinical_trial.png"),
        help="output file for the plot (default demo-output/clinical_trial.png)",
    )
    options = parser.parse_args(words)
    trial = Trial(options.arms, options.patients)
    result = bamdp.trials.compare(trial)
    print(result)
    if options.planner:
        planner = bamdp.trials.compare(trial, ["bayes-adaptive"], runs=options.planner)
        print(f"\nThe planner, {options.planner} simulated trials for each value:\n\n{planner}")
    result.save(options.picture)
    curves = options.picture.with_name(f"{options.picture.stem}_curves.png")
    power_curves(trial, [make() for make in CURVES], result.test, curves)
    print(f"\nPlots: {options.picture}, {curves}")


if __name__ == "__main__":
    main()
