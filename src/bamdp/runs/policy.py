"""The policy of an agent as a table and a picture: what it would do in each state now, and how far
the other actions are behind.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import singledispatch
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bamdp.agent import Agent
from bamdp.problem import BAMDP
from bamdp.progress import progress
from bamdp.result import Result, new_figure
from bamdp.search.plan import BoundedPlan, CertifiedPlan, Plan
from bamdp.search.planning_agent import PlanningAgent
from bamdp.spaces import action_name, state_name
from bamdp.steps import check_nonterminal

Array = NDArray[np.float64]
MOST_STATES = 1000  # of a policy for all states
SHOWN_STATES = 40  # of a picture
MARGIN = 0.1  # of what learning may still add: the margin of `core/search/belief_tree.hpp`


class Choice(NamedTuple):
    """What an agent would do in a state.

    Attributes:
        state: number of the state.
        action: the action it would take.
        q_values: value of each action. [A]
        doubt: the lead over the next best action below which the choice is close; 0 if no other
            action can be better, NaN where the agent doesn't say.
    """

    state: int
    action: int
    q_values: Array
    doubt: float

    @property
    def second(self) -> int | None:
        """The best of the other actions."""
        others = self.q_values.copy()
        others[self.action] = -np.inf
        return None if len(others) == 1 else int(others.argmax())

    @property
    def lead(self) -> float:
        """How much more the action is worth than the best other one."""
        if self.second is None:
            return np.inf
        return float(self.q_values[self.action] - self.q_values[self.second])

    @property
    def sureness(self) -> str:
        """How sure the choice is, in a word or two."""
        if self.doubt == 0 or self.second is None:
            return "certain"
        if np.isnan(self.doubt):
            return "not known"
        return "clear" if self.lead > self.doubt else "close"


@dataclass(frozen=True)
class Policy(Result):
    """What an agent would do in each state, with what it believes now.

    Attributes:
        problem: the problem, which names states and actions.
        agent: the agent, by its class and settings.
        choices: one for each state.
    """

    problem: BAMDP
    agent: str
    choices: tuple[Choice, ...]

    @property
    def columns(self) -> dict[str, list[Any]]:
        """Numbers are those of each row of the table; `q_values` has a list for each state."""
        named = [state_name(self.problem, choice.state) for choice in self.choices]
        return {
            "state": named,
            "action": [action_name(self.problem, choice.action) for choice in self.choices],
            "value": [float(choice.q_values[choice.action]) for choice in self.choices],
            "next_best": [self._action(choice.second) for choice in self.choices],
            "lead": [choice.lead for choice in self.choices],
            "sure": [choice.sureness for choice in self.choices],
            "q_values": [choice.q_values.tolist() for choice in self.choices],
        }

    def title(self) -> str:
        return f"What {self.agent} would do, with what it believes now"

    def table(self) -> list[list[str]]:
        rows = [["state", "action", "value", "next best", "lead", "how sure"]]
        for choice in self.choices:
            rows.append(
                [
                    state_name(self.problem, choice.state),
                    action_name(self.problem, choice.action),
                    f"{choice.q_values[choice.action]:.4g}",
                    self._action(choice.second),
                    "" if choice.second is None else f"{choice.lead:.3g}",
                    choice.sureness,
                ]
            )
        return rows

    def notes(self) -> list[str]:
        return [
            "value: what is still to be earned from this state with this action, then the best "
            "ones; lead: how much more than with the next best.",
            "certain: no other action can be better; clear: more search would hardly change the "
            "choice; close: it may, and then little depends on it.",
        ]

    def figure(self) -> Any:
        """A cell for each state and action with its value, darker the less it loses; the choice has
        a frame.
        """
        shown = self.choices[:SHOWN_STATES]
        values = np.array([choice.q_values for choice in shown])
        losses = values.max(axis=1, keepdims=True) - values
        scale = float(np.nanmax(losses, initial=0.0)) or 1.0
        A = values.shape[1]
        figure = new_figure(2.2 + 1.1 * A, 1.2 + 0.32 * len(shown))
        axes = figure.subplots()
        axes.imshow(1 - losses / scale, cmap="Blues", vmin=-0.2, vmax=1.6, aspect="auto")
        for row, choice in enumerate(shown):
            for action in range(A):
                weight = "bold" if action == choice.action else "normal"
                text = f"{choice.q_values[action]:.3g}"
                axes.text(action, row, text, ha="center", va="center", fontweight=weight)
            frame = {"fill": False, "edgecolor": "C1", "linewidth": 2}
            axes.add_patch(_rectangle(choice.action - 0.47, row - 0.45, 0.94, 0.9, **frame))
        axes.set(
            xticks=range(A),
            xticklabels=[action_name(self.problem, action) for action in range(A)],
            yticks=range(len(shown)),
            yticklabels=[state_name(self.problem, choice.state) for choice in shown],
        )
        axes.tick_params(length=0)
        axes.xaxis.tick_top()
        more = len(self.choices) - len(shown)
        rest = f"; {more} more states are not shown" if more else ""
        axes.set_xlabel(f"value of each action; framed: the choice{rest}")
        return figure

    def _action(self, action: int | None) -> str:
        return "" if action is None else action_name(self.problem, action)


def policy(agent: Agent, states: Sequence[int] | None = None) -> Policy:
    """What an agent would do in each state, what that is worth, and how sure it is.

    The agent decides in each state as if the run went on from there; nothing is learned.

    Args:
        agent: the agent, with what it has learned. It must value actions.
        states: numbers of the states; all that are not terminal if not given.

    Example:
        >>> import bamdp
        >>> problem = bamdp.BAMDP(bamdp.priors.Dirichlet([[[7, 3], [1, 0]], [[0, 1], [1, 0]]]),
        ...     [[0, -8], [-30, -38]], 0.9, states=("works", "broken"), actions=("run", "service"))
        >>> table = bamdp.policy(bamdp.agents.BayesAdaptive(problem, simulations=500))
        >>> table.columns["action"]
        ['run', 'service']
    """
    if not isinstance(agent, Agent):
        raise TypeError(f"agent must be a bamdp.Agent, got {agent!r}")
    wanted = _states(agent.problem) if states is None else list(states)
    checked = [check_nonterminal(agent.problem, state, "each of states") for state in wanted]
    if not checked:
        raise ValueError("states must be at least one state")
    choices = []
    with progress("states") as show:
        for done, state in enumerate(checked):
            show("", done, len(checked))
            choices.append(choice_in(agent, state))
    return Policy(agent.problem, type(agent).__name__, tuple(choices))


def _states(problem: BAMDP) -> list[int]:
    """All states in which an action can be taken."""
    if problem._numbers is not None or problem.num_states > MOST_STATES:
        raise ValueError(
            f"states must be given where they are not listed or are more than {MOST_STATES}: "
            "states=[...]"
        )
    return [state for state in range(problem.num_states) if state not in problem.terminal]


@singledispatch
def choice_in(agent: Agent, state: int) -> Choice:
    """What an agent would do in a state."""
    values = np.asarray(agent.q_values(state), dtype=np.float64)
    return Choice(state, int(values.argmax()), values, np.nan)


@choice_in.register
def _(agent: PlanningAgent, state: int) -> Choice:
    plan = agent.plan(state)
    others = plan.q_values.copy()
    others[plan.action] = -np.inf
    return Choice(state, plan.action, plan.q_values, doubt(plan, int(others.argmax())))


@singledispatch
def doubt(plan: Plan, second: int) -> float:
    """The lead over the second best action below which the choice of a plan is close.

    Of mean returns: two standard errors of the difference.
    """
    errors = plan.standard_errors[[plan.action, second]]
    return float(2 * np.hypot(*errors)) if np.isfinite(errors).all() else np.nan


@doubt.register
def _(plan: CertifiedPlan, second: int) -> float:
    """The margin of the search in a tree of beliefs, of what learning may still add."""
    errors = plan.standard_errors[[plan.action, second]]
    return MARGIN * float(errors.sum()) if np.isfinite(errors).all() else np.nan


@doubt.register
def _(plan: BoundedPlan, second: int) -> float:
    """None if bounds decide; else how far the upper bound of the second is above its lower one.

    Not known where bounds are of what was drawn: those of `BFS3`, and those that have met.
    """
    if np.isposinf(plan.standard_errors[plan.action]):
        return np.nan
    others = np.delete(plan.q_upper, plan.action)
    if plan.exact and others.max(initial=-np.inf) <= plan.q_lower[plan.action]:
        return 0.0
    width = float(plan.q_upper[second] - plan.q_lower[second])
    return width if width > 0 else np.nan


def _rectangle(x: float, y: float, width: float, height: float, **style: Any) -> Any:
    from matplotlib.patches import Rectangle

    return Rectangle((x, y), width, height, **style)
