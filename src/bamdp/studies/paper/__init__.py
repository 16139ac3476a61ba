"""The paper as data: settings, grids, seeds and published numbers of each table and figure; no logic.

Every `Experiment` at the top level of a module of this package is found; its `order` is its place in the report.
"""

from bamdp.studies.discovery import modules
from bamdp.studies.experiment import Experiment


def experiments() -> dict[str, Experiment]:
    """All experiments by name, in their order."""
    values = (value for module in modules(__name__) for value in vars(module).values())
    found = {value.name: value for value in values if isinstance(value, Experiment)}
    return dict(sorted(found.items(), key=lambda item: item[1].order))


ALL = experiments()
