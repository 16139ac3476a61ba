"""Bad arguments of tasks, experiments, stores, sweeps and regret are rejected by name."""

from bamdp import agents, priors
from bamdp.comparing import regret
from bamdp.comparing.engine import complete
from bamdp.comparing.store import Store, load_table
from bamdp.domains import Chain
from reference.rejections import rejections
from reproduction.engine import complete as complete_tasks
from reproduction.experiment import Entry, Experiment
from reproduction.task import Task

PLAYED = {"domain": "chain", "agent": "random"}

test_rejected = rejections(
    (TypeError, "folder must be a path", lambda: Store(5)),  # type: ignore[arg-type]
    (TypeError, "store must be a path", lambda: load_table(5)),  # type: ignore[arg-type]
    (TypeError, "store must be a Store of bamdp.comparing", lambda: complete([], "results")),  # type: ignore[arg-type]
    (TypeError, "store must be a bamdp.comparing.store", lambda: complete_tasks([], "results")),  # type: ignore[arg-type]
    (TypeError, "runs must be a list of Job", lambda: complete([5])),  # type: ignore[list-item]
    (TypeError, "tasks must be a list of Task", lambda: complete_tasks([5], Store("results"))),  # type: ignore[list-item]
    (
        ValueError,
        "steps must be",
        lambda: regret.SolvedProblem.solve(Chain(), priors.Dirichlet(), steps=0),
    ),
    (TypeError, "problem must be", lambda: regret.measure(None, agents.Random)),  # type: ignore[arg-type]
    (ValueError, "kind must be", lambda: Task("play!", {}, 0)),
    (ValueError, "kind must be one of acceptance", lambda: Task("nothing", {}, 0).perform()),
    (TypeError, "settings must be a dictionary", lambda: Task("play", [], 0)),  # type: ignore[arg-type]
    (TypeError, "settings and seed must be JSON", lambda: Task("play", {"steps": 1j}, 0).key),
    (ValueError, "settings must have agent and domain", lambda: Task("play", {}, 0).perform()),
    (
        ValueError,
        "unknown setting 'slop'.* did you mean 'slip'",
        lambda: Task("play", {**PLAYED, "slop": 3}, 0).perform(),
    ),
    (
        TypeError,
        "must have a tuple of values for steps",
        lambda: Entry("", PLAYED, ({"steps": "12"},)),  # type: ignore[dict-item]
    ),
    (
        TypeError,
        "must have a tuple of values",
        lambda: Entry("", PLAYED, ({"steps": (1,)},), at={"quick": {"steps": 3}}),
    ),
    (
        ValueError,
        "runs must have a number",
        lambda: Experiment("", "", "", {"": (Entry("", PLAYED),)}, {}).tasks("quick", []),
    ),
    (ValueError, "scale must be one of", lambda: Entry("", PLAYED).points("large")),  # type: ignore[arg-type]
)
