"""The library on one page runs as printed; what the page leaves open is filled in before it."""

from typing import Any

import numpy as np

import bamdp

PAGE = """
import bamdp

# A problem: what is possible, what it pays, what counts. The paper's M+ = <S+, A, P+, R+, gamma>.
problem = bamdp.BAMDP(
    # over transitions; rewards and terminal states too, where they are unknown
    prior=bamdp.priors.Dirichlet(known),
    rewards=-costs,                                 # [S, A] or [S, A, S]
    # or discount=1 with horizon=30: the steps that count
    discount=0.97,
    # names, optional, shown everywhere
    states=("new", "worn", "broken"), actions=("run", "service", "replace"),
)

# An agent: every one is made from a problem and its own settings.
agent = bamdp.agents.BAMCP(problem, simulations=10_000, seed=0)
action = agent.act(state)
agent.observe(state, action, reward, next_state, terminated=False)
# action, q_values, visits, standard_errors, lower, upper, tree
plan = agent.plan(state)
# [A]; one spelling for every agent that has values
agent.q_values(state)

# A belief: the posterior, three verbs.
belief = problem.belief()
belief.observe(state, action, reward, next_state, terminated=False)
belief.mean()                                       # an MDP
belief.sample(100, rng)                             # an MDP with a leading axis of 100
belief.predictive(state, action)                    # [S]

# A model: one value for every table of numbers in the library, with an optional leading axis and
# weights.
mdp = bamdp.MDP(transitions, rewards, terminal=[2])
mdp.solve(discount=0.97).q_values                   # [S, A], exact

# A world to act in, one loop.
domain = bamdp.domains.Tabular(problem.sample_world(rng), start=0, discount=0.97)
record = bamdp.run(agent, domain, steps=100, seed=0)
bamdp.agents.BAMCP(bamdp.domains.Grid(5).problem()) # a domain knows what agents are told of it

# The truth, and fair comparisons.
bamdp.exact.bayes_optimal(problem, state)
bamdp.compare(problem, [bamdp.agents.BAMCP, bamdp.agents.PosteriorMean], worlds=100)
"""


def test_the_page_runs() -> None:
    """In smaller numbers, which alone are others than printed."""
    known = np.zeros((3, 3, 3))
    known[0, 0, 1] = known[:2, 1, 0] = known[2, :2, 2] = known[:, 2, 0] = 1
    known[1, 0, 1:] = 1  # how soon a worn machine breaks
    costs = np.array([[0.0, 2.0, 9.0], [0.0, 2.0, 9.0], [8.0, 8.0, 9.0]])
    names: dict[str, Any] = {
        "known": known,
        "costs": costs,
        "rng": np.random.default_rng(0),
        "state": 0,
        "reward": 0.0,
        "next_state": 1,
    }
    names |= {"transitions": np.full((3, 3, 3), 1 / 3), "rewards": -costs}
    small = PAGE.replace("10_000", "300").replace("worlds=100", "worlds=3, steps=50")
    exec(compile(small, "page", "exec"), names)
    found = {name: names[name] for name in ("problem", "agent", "plan", "belief", "mdp", "record")}
    assert found["problem"].actions[names["action"]] == "run"
    assert "(run)" in repr(found["plan"])
    assert found["belief"].predictive(0, 0).tolist() == [0, 1, 0]
    assert found["mdp"].solve(discount=0.97).values[2] == 0
    assert len(found["record"].rewards) == 100
    assert bamdp.exact.bayes_optimal(found["problem"], 0).action == 0
