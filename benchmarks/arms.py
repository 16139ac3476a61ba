"""Two arms over T steps, solved exactly, beside a plain program of three loops; `rows()` is for
bench.py.

`python benchmarks/arms.py 1000` solves one problem and prints seconds and peak memory.
"""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import tempfile
from pathlib import Path
from time import perf_counter

from bamdp import BAMDP
from bamdp.exact import optimal_arms
from bamdp.priors import BetaArms

HERE, REWARDS = Path(__file__).parent, [[[0, 1], [0, 1]]] * 2


def plain(horizons: tuple[int, ...]) -> list[float]:
    """Seconds of the plain program, which must find the same value."""
    program = Path(tempfile.mkdtemp()) / "arms"
    subprocess.run(
        [
            os.environ.get("CXX", "c++"),
            "-O3",
            "-std=c++20",
            str(HERE / "arms.cpp"),
            "-o",
            str(program),
        ],
        check=True,
    )
    times = []
    for T in horizons:
        spent, value = subprocess.run(
            [program, str(T)], check=True, capture_output=True, text=True
        ).stdout.split()
        if (
            abs(float(value) - optimal_arms(BAMDP(BetaArms(), REWARDS, 1.0, horizon=T)).value)
            > 1e-8 * T
        ):
            raise AssertionError(f"the plain program finds {value} for T = {T}")
        times.append(float(spent))
    return times


def seconds(horizon: int, repetitions: int = 5) -> float:
    """Time of the fastest solution, on all cores."""
    times = []
    for _ in range(repetitions):
        started = perf_counter()
        optimal_arms(BAMDP(BetaArms(), REWARDS, 1.0, horizon=horizon))
        times.append(perf_counter() - started)
    return min(times)


def rows() -> list[tuple[str, float, float]]:
    """(name, value, upper target)."""
    (other,), half, ours = plain((240,)), seconds(120), seconds(240)
    return [
        ("two arms, T = 240, seconds", ours, 2.0),
        ("two arms, T = 240, against a plain loop", ours / other, 0.5),
        ("two arms, T = 240 against T = 120; 16 is the fourth power", ours / half, 24.0),
    ]


if __name__ == "__main__":
    if len(sys.argv) > 1:
        started = perf_counter()
        value = optimal_arms(BAMDP(BetaArms(), REWARDS, 1.0, horizon=int(sys.argv[1]))).value
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
        print(f"T = {sys.argv[1]}: {value:.10f} in {perf_counter() - started:.1f} s, {peak:.2f} GB")
    else:
        for name, ratio, target in rows():
            print(f"{name}: {ratio:.3g}, at most {target:g}")
