"""Profiles of Hypothesis: the suite gives the same verdict every time; a campaign looks for new examples as long as it may."""

import os
from importlib.util import find_spec

from hypothesis import HealthCheck, settings

collect_ignore = [] if find_spec("atheris") else ["fuzz/targets"]

settings.register_profile("suite", derandomize=True, database=None, deadline=None, max_examples=20)
settings.register_profile(
    "campaign",
    deadline=None,
    max_examples=int(os.environ.get("EXAMPLES", "300")),
    suppress_health_check=list(HealthCheck),
    print_blob=True,
)
settings.load_profile("suite")
