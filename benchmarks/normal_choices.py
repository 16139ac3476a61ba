"""The log-likelihood of 50 people with 100 choices each between two normal arms, with exact values.

python benchmarks/normal_choices.py
"""

from __future__ import annotations

from time import perf_counter, process_time

from bamdp.exact import normal_arms
from bamdp.fit import Model, log_likelihood, simulate, tasks

PEOPLE, GAMES, STEPS = 50, 10, 10


def main() -> None:
    task = tasks.normal_arms(deviation=10, noise=10**0.5, horizon=STEPS)
    model, parameters = Model.of("exact", task), {"temperature": 3.0}
    parts = [simulate(model, parameters, games=GAMES, subject=i, seed=i) for i in range(PEOPLE)]
    data = {name: [cell for part in parts for cell in part[name]] for name in parts[0]}
    for _ in range(3):
        normal_arms._kept.cache_clear()
        started = perf_counter(), process_time()
        log_likelihood(data, model, parameters)
        print(f"{perf_counter() - started[0]:.2f} s, {process_time() - started[1]:.2f} s of CPU")


if __name__ == "__main__":
    main()
