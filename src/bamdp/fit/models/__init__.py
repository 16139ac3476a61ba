"""Models of how people value actions, one file each: planning ahead, and its alternatives.

`find` finds one by name: that of its module, with `-` for `_`.
"""

from importlib import import_module
from pkgutil import iter_modules

from bamdp.fit.models.exact import Exact
from bamdp.fit.models.hybrid import Hybrid
from bamdp.fit.models.posterior_means import PosteriorMeans
from bamdp.fit.models.rescorla_wagner import RescorlaWagner
from bamdp.fit.models.thompson import Thompson
from bamdp.fit.models.ucb import UCB
from bamdp.fit.models.win_stay_lose_shift import WinStayLoseShift
from bamdp.fit.valuation import Valuation
from bamdp.validation import suggestion

__all__ = ["UCB", "Exact", "Hybrid", "PosteriorMeans", "RescorlaWagner", "Thompson", "WinStayLoseShift", "find", "names"]


def names() -> dict[str, type[Valuation]]:
    """All of them by name.

    Example:
        >>> list(names())
        ['exact', 'hybrid', 'posterior-means', 'rescorla-wagner', 'thompson', 'ucb', 'win-stay-lose-shift']
    """
    found = {}
    for stem in sorted(module.name for module in iter_modules(__path__) if not module.name.startswith("_")):
        module = import_module(f"{__name__}.{stem}")
        kinds = [value for value in vars(module).values() if isinstance(value, type) and issubclass(value, Valuation)]
        found[stem.replace("_", "-")] = next(kind for kind in kinds if kind.__module__ == module.__name__)
    return found


def find(name: str) -> type[Valuation]:
    """The one of this name.

    Example:
        >>> find("rescorla-wagner").__name__
        'RescorlaWagner'
    """
    known = names()
    if name not in known:
        raise ValueError(f"unknown model '{name}'{suggestion(name, known) or '.'} Known: {', '.join(known)}")
    return known[name]
