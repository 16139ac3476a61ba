"""What the agents that search share: budgets, plans and trees."""
