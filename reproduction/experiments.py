"""All experiments: those of the paper, found in the modules of `reproduction.paper`, the benchmark,
and the tables of others.

An `Experiment` at the top level of such a module is one; its `order` is its place in the report.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from bamdp.config.registry import modules
from bamdp.validation import suggestion
from reproduction import benchmark, elsewhere
from reproduction.experiment import Experiment


def experiments() -> dict[str, Experiment]:
    """All experiments by name, in their order."""
    values = (
        value
        for module in (*modules("reproduction.paper"), benchmark, elsewhere)
        for value in vars(module).values()
    )
    by_name = {value.name: value for value in values if isinstance(value, Experiment)}
    return dict(sorted(by_name.items(), key=lambda item: item[1].order))


ALL = experiments()


def named(names: Sequence[str]) -> list[Experiment]:
    """The experiments with these names; `all` is all of them, `NAME/PANEL` and `NAME/PANEL/ENTRY`
    are parts of one.

    Example:
        >>> [part] = named(["table1/grid10/BAMCP"])
        >>> {panel: [entry.label for entry in entries] for panel, entries in part.entries.items()}
        {'grid10': ['BAMCP']}
    """
    if "all" in names:
        return list(ALL.values())
    return [_part(ALL, *name.split("/", 2)) for name in names]


def _part(known: Mapping[str, Experiment], name: str, *inside: str) -> Experiment:
    experiment = known[_one_of("experiment", name, tuple(known), " or all")]
    if not inside:
        return experiment
    panel = _one_of(f"part of {name}", inside[0], tuple(experiment.entries))
    entries = {entry.label: entry for entry in experiment.entries[panel]}
    labels = [_one_of(f"entry of {name}/{panel}", label, tuple(entries)) for label in inside[1:]]
    return replace(
        experiment, entries={panel: tuple(entries[label] for label in labels or entries)}
    )


def _one_of(what: str, name: str, known: Sequence[str], more: str = "") -> str:
    """The known name that matches `name`, case-insensitive; the part before its colon is enough."""
    for candidate in known:
        if name.lower() in (candidate.lower(), candidate.lower().split(":")[0]):
            return candidate
    raise ValueError(
        f"unknown {what}: '{name}'{suggestion(name, known) or '.'} Known: {'; '.join(known)}{more}"
    )
