"""A two-armed clinical trial: what allocation designs do for the patients, and for the conclusion.

    python examples/clinical_trial.py --help

The set-up is that of Villar, Bowden and Wason (2015, Statistical Science 30): 148 patients, a
control with success probability 0.3 and a new treatment with 0.5, uniform priors. Equal allocation
tells the arms apart but gives half of the patients the worse treatment. The Bayes-optimal design
has the most successes among all designs, on average over the prior, and leaves too few patients on
the worse arm for a test. Designs that randomise are in between. All numbers are exact.

The second picture shows, for each design, the type I error at every null, and how power, expected
successes and patients on the worse arm depend on the success probability of the treatment: one
recursion over the counts serves all of them.
"""

import argparse
from pathlib import Path

import bamdp
from bamdp.trials import Trial

CURVES = ["equal", "tempered-thompson", "thompson", "forward-gittins", "bayes-optimal"]


def main(words: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--arms",
        type=float,
        nargs="+",
        default=[0.3, 0.5],
        help="success probabilities (default 0.3 0.5)",
    )
    parser.add_argument(
        "--patients", type=int, default=148, help="number of patients (default 148)"
    )
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
    table = options.picture.with_name(f"{options.picture.stem}_table.svg")
    result.save(table)
    bamdp.trials.curves(trial, CURVES).save(options.picture)
    print(f"\nPlots: {table}, {options.picture}")


if __name__ == "__main__":
    main()
