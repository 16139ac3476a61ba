"""What section 4.1 says of the baselines: BEB needs another bonus in each domain, BFS3's bounds stay too high in a maze."""

from bamdp import statistics
from bamdp.report.claim import Claim, Finding, Verdict, missing, short
from bamdp.report.query import Query
from bamdp.studies.paper.bfs3_bounds import BFS3_BOUNDS
from bamdp.studies.paper.table1 import SECONDS, TABLE


def bonus(query: Query) -> Finding:
    """No β is best everywhere: each is significantly worse than another one in some domain.

    Not held if one β is the best in all domains, and each other one is significantly worse in some. The p-value of being worse
    in some domain is that of the clearest one, times their number.
    """
    sweeps = {domain: query.measurements(TABLE, domain, "BEB") for domain in SECONDS}
    few = [domain for domain, found in sweeps.items() if not found or any(m.runs < statistics.FEWEST for m in found)]
    if few:
        return missing(" and ".join(few))
    lines, common = [], set.intersection(*({m.varied["beta"] for m in found} for found in sweeps.values()))
    p_values = dict.fromkeys(common, 1.0)  # of being worse somewhere
    fit = common.copy()
    tops = {domain: max(found, key=lambda m: m.point.mean().value) for domain, found in sweeps.items()}
    for domain, found in sweeps.items():
        top = tops[domain]
        apart = {m.varied["beta"]: statistics.difference(m.point.values(), top.point.values()) for m in found}
        fit &= {beta for beta, difference in apart.items() if difference.side() != -1}
        for beta in common:
            p = apart[beta].p_value() if apart[beta].value < 0 else 1.0
            p_values[beta] = min(p_values[beta], len(sweeps) * (1.0 if p is None else p))
        mean = top.point.mean().value
        lines.append(f"{domain}: best β = {top.varied['beta']:g}, {short(mean)} ({top.runs} runs per setting, {top.scale})")
    betas = ", ".join(f"{beta:g}" for beta in sorted(fit))
    lines.append(f"not significantly worse than the best in any domain: β = {betas}" if fit else "no β fits all domains")
    best = {top.varied["beta"] for top in tops.values()}
    verdict: Verdict = "held" if not fit else "not held" if fit == best else "open"
    worse = [p for beta, p in p_values.items() if beta not in fit]
    return Finding(verdict, tuple(lines), 1.0 if verdict == "open" else max(worse, default=1.0))


def bounds(query: Query) -> Finding:
    """In a maze that it knows, BFS3's upper bounds at the start are above the true value, at every budget tried."""
    lines, above = [], True
    for measurement in query.measurements(BFS3_BOUNDS, "maze", "BFS3"):
        found, settings = measurement.point.rows[0]["result"], measurement.point.settings
        above = above and found["least_upper"] > found["value"]
        upper = f"upper bounds {short(found['least_upper'])} … {short(found['greatest_upper'])}"
        lower = f"lower bounds up to {short(found['greatest_lower'])}"
        budget = f"{settings['trajectories']:,} trajectories of {settings['depth']} steps"
        lines.append(f"{budget}: {upper}, {lower}; true value {found['value']:.3f}")
    return Finding("held" if above else "not held", tuple(lines)) if lines else missing("bounds in the maze")


CLAIMS = (
    Claim("T8", "Section 4.1", "BEB needs another bonus β in each domain to do well", bonus),
    Claim(
        "T9",
        "Section 4.1",
        "In a maze BFS3's upper bounds stay above the true value until the tree is complete down to the first reward",
        bounds,
        "tests/agents/test_bfs3.py",
    ),
)
