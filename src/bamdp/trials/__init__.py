"""Clinical trials with binary responses: allocation designs and their operating characteristics."""

from bamdp.trials import designs
from bamdp.trials.characteristics import OperatingCharacteristics, operating_characteristics
from bamdp.trials.comparison import TrialComparison, compare
from bamdp.trials.design import Design, FunctionDesign, Rule
from bamdp.trials.fisher import FisherTest
from bamdp.trials.recursion import EndCounts, Moments
from bamdp.trials.trial import Trial

__all__ = [
    "Design",
    "EndCounts",
    "FisherTest",
    "FunctionDesign",
    "Moments",
    "OperatingCharacteristics",
    "Rule",
    "Trial",
    "TrialComparison",
    "compare",
    "designs",
    "operating_characteristics",
]
