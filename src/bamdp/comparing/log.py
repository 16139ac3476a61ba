"""Logs of choices, as CSV with a line of names or as JSON lines: read, and checked line by line."""

from __future__ import annotations

import csv
import json
import math
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from bamdp import validation
from bamdp.validation import nearest, suggestion

SYNONYMS = {
    "episode": ("game", "run", "session", "world", "block"),
    "step": ("t", "trial", "round", "time"),
    "action": ("arm", "choice"),
    "reward": ("outcome", "payoff"),
    "state": ("observation",),
}


class LogError(ValueError):
    """A log can't be used; the message has its line."""


@dataclass(frozen=True)
class LogLine:
    """One line of a log.

    Attributes:
        number: its number in the file, from 1.
        cells: what is in it, by column.
    """

    number: int
    cells: Mapping[str, Any]

    def error(self, message: str) -> LogError:
        """An error of this line."""
        return LogError(f"line {self.number}: {message}")

    def has(self, name: str) -> bool:
        """Whether there is something in a column."""
        return self.cells.get(name) not in (None, "")

    def real(self, name: str) -> float:
        """A number."""
        try:
            number = float(self.cells[name])
        except (TypeError, ValueError):
            number = math.nan
        if not math.isfinite(number):
            raise self.error(f"{name} must be a number, got '{self.cells[name]}'")
        return number

    def whole(self, name: str) -> int:
        """A whole number."""
        number = self.real(name)
        if not number.is_integer():
            raise self.error(f"{name} must be a whole number, got {number:g}")
        return int(number)

    def index(self, name: str, names: Sequence[Any] | None, count: int) -> int:
        """The number of an action or state, from its name, or its number where no name ends in one.

        Example:
            >>> line = LogLine(3, {"action": "B"})
            >>> line.index("action", names=("arm A", "arm B"), count=2)
            1
        """
        text = str(self.cells[name]).strip()
        known = [str(own).lower() for own in names or ()]
        short = [own.rpartition(" ")[2] for own in known]  # "a" for "arm a"
        for spelt in (known, short):
            if spelt.count(text.lower()) == 1:
                return spelt.index(text.lower())
        try:
            number = float(text)
        except ValueError:
            number = -1.0
        numbered = [own.isdecimal() and int(own) == number for own in short]
        if sum(numbered) == 1:  # also as data frames write it, 1.0
            return numbered.index(True)
        by_number = not any(map(str.isdecimal, short))
        if by_number and number.is_integer() and 0 <= number < count:
            return int(number)
        near = nearest(text, [str(own) for own in names or ()])
        hint = f"; did you mean '{near}'?" if near else ""
        accepted = [f"one of {', '.join(map(str, names))}"] if names and count <= 10 else []
        accepted += [f"0 to {count - 1}"] if by_number else []
        said = ", or ".join(accepted) or "a name"
        raise self.error(f"{name} must be {said}, got '{text}'{hint}")


def read_episodes(log: Any) -> dict[str, list[LogLine]]:
    """The lines of each episode of a log, in the order of the file, with no step left out.

    Args:
        log: the file, `.csv` or `.jsonl`.

    Raises:
        LogError: a line has no action or reward, is no line of such a file, or is out of order.
    """
    path = validation.path("log", log)
    kind = validation.one_of("the log's ending", path.suffix, (".csv", ".jsonl", ".json"))
    try:
        text = path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        raise LogError(f"{path} must be text in UTF-8: {error}") from error
    lines = _csv_lines(text) if kind == ".csv" else _json_lines(text)
    if not lines:
        raise LogError(f"{path} has no choices")
    episodes: dict[str, list[LogLine]] = defaultdict(list)
    for line in lines:
        for needed in ("action", "reward"):
            if not line.has(needed):
                raise line.error(f"there is no {needed}{suggestion(needed, line.cells)}")
        episodes[str(line.cells.get("episode", "0"))].append(line)
    for name, some in episodes.items():
        if "step" in some[0].cells:
            _check_steps(name, some)
    return dict(episodes)


def check_length(name: str, lines: Sequence[LogLine], steps: int) -> None:
    """Whether an episode has all its steps, and no more."""
    if len(lines) > steps:
        raise lines[steps].error(
            f"episode {name} has more than the {steps} steps of the problem; without a column "
            "episode, all lines are one"
        )
    if len(lines) < steps:
        raise lines[-1].error(f"episode {name} ends after {len(lines)} of {steps} steps")


def _csv_lines(text: str) -> list[LogLine]:
    reader = csv.reader(text.splitlines())
    names = [_column(name) for name in next(reader, [])]
    if len(set(names)) < len(names):
        raise LogError(f"line 1: two columns mean the same, {', '.join(names)}")
    lines = []
    for cells in filter(None, reader):
        line = LogLine(reader.line_num, dict(zip(names, cells, strict=False)))
        if len(cells) != len(names):
            raise line.error(f"there are {len(cells)} cells, and {len(names)} names in line 1")
        lines.append(line)
    return lines


def _json_lines(text: str) -> list[LogLine]:
    lines = []
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip():
            continue
        try:
            cells = json.loads(line)
        except ValueError as error:
            raise LogError(f"line {number}: it is not JSON: {error}") from error
        if not isinstance(cells, dict):
            raise LogError(f"line {number}: there must be an object, got {line.strip()[:40]}")
        lines.append(LogLine(number, {_column(name): value for name, value in cells.items()}))
    return lines


def _column(name: str) -> str:
    """The name of a column here."""
    plain = name.strip().lower().replace(" ", "_").replace("-", "_")
    return next((ours for ours, others in SYNONYMS.items() if plain in others), plain)


def _check_steps(name: str, lines: Sequence[LogLine]) -> None:
    """Whether steps are counted from 0 or 1, without one missing."""
    first = 0
    for place, line in enumerate(lines):
        if not line.has("step"):
            raise line.error("there is no step")
        step = line.whole("step")
        if place == 0:
            first = step
            if first not in (0, 1):
                raise line.error(f"episode {name} must begin with step 0 or 1, got {step}")
        if step != first + place:
            raise line.error(f"step {first + place} of episode {name} is missing, got step {step}")
