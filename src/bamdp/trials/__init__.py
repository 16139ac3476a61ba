"""Clinical trials with binary responses: allocation designs, their operating characteristics, exact
tests.
"""

from bamdp.trials import designs, stopping
from bamdp.trials.ab_test import ABTestValue, ab_test_value
from bamdp.trials.analysis import TrialAnalysis
from bamdp.trials.analysis import analyse as test
from bamdp.trials.calibration import Calibration, calibrate
from bamdp.trials.characteristics import (
    Evaluation,
    OperatingCharacteristics,
    operating_characteristics,
)
from bamdp.trials.comparison import TrialComparison, compare
from bamdp.trials.conditional import ConditionalTest
from bamdp.trials.curves import TrialCurves, curves
from bamdp.trials.design import Design, FunctionDesign, Rule
from bamdp.trials.fisher import FisherTest
from bamdp.trials.log import TrialLog
from bamdp.trials.outcomes import EndCounts
from bamdp.trials.policy import Allocation, AllocationPolicy, TrialEnded
from bamdp.trials.protocol import protocol
from bamdp.trials.recursion import end_counts
from bamdp.trials.trial import Stopping, Trial

__all__ = [
    "ABTestValue",
    "Allocation",
    "AllocationPolicy",
    "Calibration",
    "ConditionalTest",
    "Design",
    "EndCounts",
    "Evaluation",
    "FisherTest",
    "FunctionDesign",
    "OperatingCharacteristics",
    "Rule",
    "Stopping",
    "Trial",
    "TrialAnalysis",
    "TrialComparison",
    "TrialCurves",
    "TrialEnded",
    "TrialLog",
    "ab_test_value",
    "calibrate",
    "compare",
    "curves",
    "designs",
    "end_counts",
    "operating_characteristics",
    "protocol",
    "stopping",
    "test",
]
