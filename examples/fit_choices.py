"""Fitting choices: how optimistic are people about an arm that they don't know? From a CSV file to
a table and a figure.

`choices.csv` has the choices of four people in 15 games each; they are simulated. A game offers,
ten times, an arm that pays one at a rate that differs between games, or one half for sure. A
person's prior for the arm is Beta(2 m, 2 (1 − m)), with m their optimism. Their values are exact,
up to the last step, and they choose by softmax.
"""

from pathlib import Path

import bamdp
from bamdp.fit import ChoiceRule, Exact, FreeParameter, Model

data = bamdp.fit.read_csv(Path(__file__).with_name("choices.csv"))
bandit = bamdp.domains.Bandit([0.5, 1], discount=1.0, payoffs=[1, 0.5], horizon=10)
model = Model(
    problem=lambda optimism: bandit.problem(
        bamdp.priors.BetaArms([2 * optimism, 1], [2 * (1 - optimism), 0])
    ),
    agent=Exact(),
    rule=ChoiceRule,
    parameters={
        "optimism": FreeParameter(0.02, 0.98),
        "temperature": FreeParameter(0.02, 5, "log"),
    },
)
fits = bamdp.fit.fit(data, model)
print(fits)
fits.save("demo-output/fit_choices.png")
