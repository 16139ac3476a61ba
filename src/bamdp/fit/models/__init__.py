"""Models of how people value actions, one file each: planning ahead, and its alternatives."""

from bamdp.choice_rule import ChoiceRule
from bamdp.config.parameters import Parameter, of_constructor
from bamdp.config.registry import Entry, Registry
from bamdp.fit.models.exact import Exact
from bamdp.fit.models.hybrid import Hybrid
from bamdp.fit.models.posterior_means import PosteriorMeans
from bamdp.fit.models.rescorla_wagner import RescorlaWagner
from bamdp.fit.models.thompson import Thompson
from bamdp.fit.models.ucb import UCB
from bamdp.fit.models.win_stay_lose_shift import WinStayLoseShift

__all__ = [
    "MODELS",
    "UCB",
    "Exact",
    "Hybrid",
    "PosteriorMeans",
    "RescorlaWagner",
    "Thompson",
    "WinStayLoseShift",
]


class ModelRegistry(Registry):
    """Models of choices; settings are those of the valuation and of the choice rule."""

    def parameters(self, entry: Entry) -> list[Parameter]:
        return [*super().parameters(entry), *of_constructor(ChoiceRule)]


MODELS = ModelRegistry("model", __name__, "bamdp.fit.valuation:Valuation")
