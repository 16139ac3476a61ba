"""Information that has a price: twelve rooms, a goal in one of them, and a map three steps away.

Each step costs 1, and a wrong door costs 3. The map hangs in the other direction than the rooms:
an agent that plans with its belief fetches it, and then enters the right room at once.
"""

import bamdp
from bamdp import Outcome


def outcomes(goal: int, state: tuple[int, bool], action: str) -> Outcome:
    """What happens in the world with this goal; the map at -3 shows it."""
    x, _ = state
    if action == "enter":
        return Outcome(state, 0.0, done=True) if x == goal else Outcome(state, -3.0)
    x = max(-3, min(11, x + (1 if action == "right" else -1)))
    return Outcome((x, x == -3), -1.0, seen=goal if x == -3 else None)


def main() -> None:
    prior = bamdp.priors.Worlds(range(12), outcomes)
    problem = bamdp.BAMDP(
        prior,
        discount=1,
        horizon=30,
        episodes=1,
        start=(0, False),
        actions=("left", "right", "enter"),
    )
    agent = bamdp.agents.BayesAdaptive(problem, simulations=1000, seed=0)
    record = bamdp.run(agent, prior.domain(problem, 7), seed=0)
    print(" ".join(record.action_name(action) for action in record.actions))
    print(f"return {record.total_reward:g}; the goal was room 7")


if __name__ == "__main__":
    main()
