"""The base of agents that search: budgets, plans and trees."""

from bamdp.search import worlds_solver as _worlds_solver  # registers its solver  # noqa: F401
