"""The base of agents that search: budgets, plans and trees."""
