"""Gymnasium's tables, with the labels of the actions permuted in each state and run.

Agents are given the rewards and terminal states, not the transitions. Episodes of Taxi start in a random state.
"""

from functools import partial

from bamdp.domains.gymnasium import Gymnasium
from bamdp.problems.problem import OfDomain


class FrozenLake(OfDomain, called="frozen-lake", of=partial(Gymnasium, "FrozenLake-v1"), draw="permuted", steps=1000):
    """Gymnasium's FrozenLake: 16 states, slippery, holes end the episode; labels permuted."""


class CliffWalking(OfDomain, called="cliff-walking", of=partial(Gymnasium, "CliffWalking-v1"), draw="permuted", steps=500):
    """Gymnasium's CliffWalking: 48 states, a fall costs 100 and leads back to the start; labels permuted."""


class Taxi(OfDomain, called="taxi", of=partial(Gymnasium, "Taxi-v4"), draw="permuted", steps=3000):
    """Gymnasium's Taxi: 500 states, six actions; fetch a passenger and drive; labels permuted."""
