"""All experiments: those of the paper, found in the modules of `bamdp.studies.paper`, and the benchmark.

An `Experiment` at the top level of such a module is one; its `order` is its place in the report.
"""

from bamdp.studies import benchmark, modules
from bamdp.studies.experiment import Experiment


def experiments() -> dict[str, Experiment]:
    """All experiments by name, in their order."""
    values = (value for module in (*modules("bamdp.studies.paper"), benchmark) for value in vars(module).values())
    found = {value.name: value for value in values if isinstance(value, Experiment)}
    return dict(sorted(found.items(), key=lambda item: item[1].order))


ALL = experiments()
