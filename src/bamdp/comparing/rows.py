"""Rows: a run as a flat dictionary of plain values, with what was measured and where it comes from.

A row has `key`, `kind`, `seed` and `run`, its settings as `settings.NAME`, what was measured by
name, and the provenance `version`, `commit`, `cpu`, `date` and `seconds`. The key is a hash of
kind, settings, seed and run, the same on any machine.
"""

from __future__ import annotations

import hashlib
import json
import platform
import subprocess
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import Any

from bamdp import validation

Row = dict[str, Any]

MOST_RUNS = 10**6
SETTING = "settings."  # before the names of settings in a row
IDENTITY = ("key", "kind", "seed", "run")
PROVENANCE = ("version", "commit", "cpu", "date", "seconds")


def make_row(
    key: str,
    kind: str,
    settings: Mapping[str, Any],
    seed: int,
    run: int,
    result: Mapping[str, Any],
    seconds: float,
) -> Row:
    """The row of a run that took `seconds`."""
    return {
        "key": key,
        "kind": kind,
        "seed": seed,
        "run": run,
        **{f"{SETTING}{name}": value for name, value in settings.items()},
        **result,
        **machine(),
        "seconds": round(seconds, 3),
        "date": datetime.now(UTC).date().isoformat(),
    }


def row_key(*parts: Any, default: Callable[[Any], Any] | None = None) -> str:
    """A hash of JSON values; numbers that are equal have the same one, and None counts as absent.

    Other values have none, unless `default` makes JSON values of them.

    Example:
        >>> row_key("play", {"steps": 50}, 0, 3) == row_key(
        ...     "play", {"steps": 50.0, "at": None}, 0, 3)
        True
    """
    try:
        text = json.dumps(_canonical(parts), sort_keys=True, allow_nan=False, default=default)
    except (TypeError, ValueError, RecursionError) as error:
        raise TypeError(f"kind, settings and seed must be JSON values: {error}") from None
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def row_settings(row: Mapping[str, Any]) -> dict[str, Any]:
    """The settings of a row by name."""
    return {
        name.removeprefix(SETTING): value for name, value in row.items() if name.startswith(SETTING)
    }


def measured(row: Mapping[str, Any]) -> dict[str, Any]:
    """What was measured, of all that is in a row."""
    fixed = {*IDENTITY, *PROVENANCE}
    return {
        name: value
        for name, value in row.items()
        if name not in fixed and not name.startswith(SETTING)
    }


def check_identity(kind: str, seed: Any, run: Any) -> tuple[int, int]:
    """Seed and run as plain integers, which JSON needs."""
    if not validation.text("kind", kind).isidentifier():
        raise ValueError(f"kind must be the name of a function, got {kind!r}")
    return validation.seed(seed), validation.integer("run", run, 0)


@cache
def machine() -> dict[str, Any]:
    """The library's version, its commit if it is a checkout, and the processor."""
    from bamdp import __version__

    here = Path(__file__).parent
    git = ["git", "-C", str(here), "rev-parse", "--short", "HEAD"]
    in_checkout = (here.parents[2] / ".git").exists()  # src/bamdp/comparing of a repository
    commit = (
        subprocess.run(git, capture_output=True, text=True, check=False).stdout.strip()
        if in_checkout
        else ""
    )
    return {"version": __version__, "commit": commit or None, "cpu": _cpu()}


def _cpu() -> str:
    info = Path("/proc/cpuinfo")
    lines = info.read_text().splitlines() if info.exists() else []
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.processor() or platform.machine()


def _canonical(value: Any) -> Any:
    """A canonical form of equal values: 1.0 as 1, tuples as lists, and None left out."""
    if isinstance(value, Mapping):
        return {str(name): _canonical(item) for name, item in value.items() if item is not None}
    if isinstance(value, list | tuple):
        return [_canonical(item) for item in value]
    return int(value) if isinstance(value, float) and value.is_integer() else value
