"""Agents: everything that can act in a domain."""

from bamdp.agents.ba_uct import BAUCT
from bamdp.agents.bamcp import BAMCP
from bamdp.agents.gittins import Gittins
from bamdp.agents.oracle import Oracle
from bamdp.agents.random import Random

__all__ = ["BAMCP", "BAUCT", "Gittins", "Oracle", "Random"]
