"""Clinical trials with binary responses: allocation designs, their operating characteristics, exact tests."""

from bamdp.trials import designs, stopping
from bamdp.trials.analysis import TrialAnalysis
from bamdp.trials.analysis import analyse as test
from bamdp.trials.calibration import Calibration, calibrate
from bamdp.trials.characteristics import Evaluation, OperatingCharacteristics, operating_characteristics
from bamdp.trials.comparison import TrialComparison, compare
from bamdp.trials.conditional import ConditionalTest
from bamdp.trials.curves import TrialCurves, curves
from bamdp.trials.design import Design, FunctionDesign, Rule
from bamdp.trials.enough import HowMany, how_many
from bamdp.trials.fisher import FisherTest
from bamdp.trials.policy import Allocation, AllocationPolicy, TrialEnded
from bamdp.trials.protocol import protocol
from bamdp.trials.recursion import EndCounts
from bamdp.trials.trial import Stopping, Trial

__all__ = [
    "Allocation",
    "AllocationPolicy",
    "Calibration",
    "ConditionalTest",
    "Design",
    "EndCounts",
    "Evaluation",
    "FisherTest",
    "FunctionDesign",
    "HowMany",
    "OperatingCharacteristics",
    "Rule",
    "Stopping",
    "Trial",
    "TrialAnalysis",
    "TrialComparison",
    "TrialCurves",
    "TrialEnded",
    "calibrate",
    "compare",
    "curves",
    "designs",
    "how_many",
    "operating_characteristics",
    "protocol",
    "stopping",
    "test",
]
