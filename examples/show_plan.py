"""Inspecting one decision: the value of each action, and the search tree as an SVG."""

from pathlib import Path

import bamdp
from bamdp.pictures.tree import tree_svg

world = bamdp.domains.DoubleLoop()
agent = bamdp.agents.BAMCP(world.problem(), simulations=16_000, trees=16, seed=0)
bamdp.run(agent, world, steps=20, seed=0)  # gather some experience first

plan = agent.plan(state=0)
print(
    f"{plan.simulations} simulations in {plan.seconds:.3f} s, {plan.depth} steps deep; best action "
    f"{plan.action}"
)
for action, (value, error, visits) in enumerate(
    zip(plan.q_values, plan.standard_errors, plan.visits, strict=True)
):
    print(f"action {action}: worth {value:.3f} ± {error:.3f}, tried {visits} times")

path = Path("demo-output/tree.svg")
path.parent.mkdir(exist_ok=True)
path.write_text(tree_svg(plan.tree, depth=2, min_visits=1500), encoding="utf-8")
print(f"Search tree: {path}")
