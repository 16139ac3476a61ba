"""A one-page protocol of a design: how patients are allocated, how the trial is analysed, and what
it can be expected to do.
"""

from __future__ import annotations

import inspect
import os

import numpy as np

from bamdp import __version__, validation
from bamdp.pictures.markup import Markup, joined, table, tag
from bamdp.result import svg_image
from bamdp.trials.catalogue import get_design
from bamdp.trials.characteristics import Evaluation, Test, checked_test
from bamdp.trials.commands import typed_command, typed_number
from bamdp.trials.curves import curves
from bamdp.trials.design import Design
from bamdp.trials.designs.fixed import EqualDesign
from bamdp.trials.fisher import FisherTest
from bamdp.trials.trial import Trial

STYLE = """
@page { size: A4; margin: 14mm }
body { font: 10pt/1.4 system-ui, sans-serif; color: #1b1f24; max-width: 180mm; margin: 6mm auto }
h1 { font-size: 16pt; margin: 0 0 1mm }
h2 { font-size: 11pt; margin: 4mm 0 1mm; border-bottom: 1px solid #c5ccd3 }
p { margin: 1mm 0 }
table { border-collapse: collapse; width: 100%; font-size: 9pt }
table { font-variant-numeric: tabular-nums }
th, td { text-align: right; padding: .6mm 1.4mm; font-weight: normal }
th, td { border-bottom: 1px solid #e3e7eb }
th:first-child { text-align: left } thead th { color: #57606a } svg { width: 100%; height: auto }
code { font: 8pt ui-monospace, monospace } small { color: #57606a }
"""

VALID = (
    "Its distribution is that of this design, given the total of successes; the type I error is at "
    "most the level whatever the "
    "success probability is."
)
LATE_LOOK = (
    "At a look after n patients the responses of the first n − {delay} count. If the trial ends, "
    "nobody else is allocated, the other {delay} are followed up, and all n responses are analysed."
)
LOOK = (
    "At a look nobody is allocated before all responses so far are known; then the trial ends and "
    "is analysed, or continues."
)
NEXT = (
    "The next patient's arm, from the responses so far, in the order of the arms; --waiting N if "
    "N other patients are allocated, whose responses are not used yet. SECRET is a large "
    "random number, chosen before the trial and kept from those who recruit, who could otherwise "
    "compute the next arm; a "
    "design without randomness can be foreseen from the responses alone. In place of numbers, "
    "--log FILE reads the log of the trial, with the columns patient, arm and response."
)


def protocol(
    design: str | Design,
    trial: Trial,
    path: str | os.PathLike[str],
    *,
    title: str = "Trial protocol: allocation and analysis",
    test: Test | None = None,
) -> None:
    """Write a printable page about a design in a trial: allocation, analysis, operating
    characteristics, curves. As HTML.

    Args:
        design: a name or a design with exact values.
        trial: the trial; its success probabilities are those for which it is planned.
        path: the file, `.html`.
        title: title of the page.
        test: a `ConditionalTest`, the exact test that knows the design, which is the default, or a
            `FisherTest`.

    Example:
        >>> import tempfile, pathlib
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     file = pathlib.Path(folder, "protocol.html")
        ...     protocol("thompson", Trial([0.3, 0.5], patients=20), file)
        ...     "Operating characteristics" in file.read_text(encoding="utf-8")
        True
    """
    chosen, used = get_design(design), checked_test(test)
    file = validation.path("path", path)
    if file.suffix != ".html":
        raise ValueError(f"path must end in .html, got {str(path)!r}")
    text, valid = str(used), "It ignores the design." if isinstance(used, FisherTest) else VALID
    arms = f"Arms: {', '.join(trial.names)}; the first is the control."
    parts = [
        tag("h1", title),
        tag("p", f"{chosen.label(trial)} design. {arms} Planned for {trial}."),
        tag("h2", "Allocation"),
        *_allocation(chosen, trial),
        *_command_lines("next", NEXT, chosen, trial, used),
        tag("h2", "Analysis"),
        tag(
            "p",
            "Null hypothesis: all arms have the same success probability. "
            f"{text[0].upper()}{text[1:]}.",
        ),
        tag("p", valid),
        *(
            []
            if isinstance(used, FisherTest)
            else _command_lines("test", "At the end, with its responses:", chosen, trial, used)
        ),
        tag("h2", "Operating characteristics"),
        _characteristics(Evaluation(chosen, trial, used), trial, used),
        tag(
            "p",
            tag(
                "small",
                "All values are exact, by recursion over all outcomes of the trial; none is "
                "simulated.",
            ),
        ),
        _picture(chosen, trial, used),
        tag(
            "p",
            tag(
                "small",
                f"bamdp {__version__}. Baas, Jacko and Villar (2024), arXiv 2407.01055, for the "
                "exact test.",
            ),
        ),
    ]
    head = tag(
        "head", Markup('<meta charset="utf-8">'), tag("title", title), tag("style", Markup(STYLE))
    )
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(
        f"<!doctype html>\n{tag('html', head, tag('body', *parts), lang='en')}\n", encoding="utf-8"
    )


def _allocation(design: Design, trial: Trial) -> list[Markup]:
    lines = [(inspect.getdoc(type(design)) or design.name).split("\n\n")[0].replace("\n", " ")]
    if design.adaptive:
        betas = [f"Beta({', '.join(map(typed_number, pair))})" for pair in trial.pseudo_counts]
        priors = [f"arm {name}: {beta}" for name, beta in zip(trial.names, betas, strict=True)]
        lines.append(f"Priors of the success probabilities: {'; '.join(priors)}.")
        block = design.block_of(trial)
        together = f"in blocks of {block}, with the same probabilities for all patients of a block"
        lines.append(f"Patients are allocated {together if block > 1 else 'one by one'}.")
        if trial.delay:
            lines.append(
                f"A response is used when {trial.delay} later patients have been allocated."
            )
        if trial.floor:
            lines.append(
                f"Each arm has a probability of {trial.floor:g} at least, for every patient."
            )
    if trial.stopping is not None:
        look = LATE_LOOK.format(delay=trial.delay) if trial.delay else LOOK
        lines.append(f"The trial may end early: {trial.stopping}. {look}")
    return [tag("p", line) for line in lines]


def _command_lines(
    action: str, about: str, design: Design, trial: Trial, test: Test
) -> list[Markup]:
    line = typed_command(action, design, trial, test)
    line += " --seed SECRET" if line and action == "next" else ""
    return [tag("p", about), tag("p", tag("code", line))] if line else []


def _characteristics(evaluation: Evaluation, trial: Trial, test: Test) -> Markup:
    """The planned alternative, the null at the control, and the halfway point, beside equal
    allocation.
    """
    equal = Evaluation(EqualDesign(), trial, test)
    control, planned = trial.arms[0], np.array(trial.arms)
    scenarios = {
        "planned": planned,
        "half the effect": (planned + control) / 2,
        "no effect": np.full(len(planned), control),
    }
    heads = ["", "success probabilities", "expected successes", "with equal allocation"]
    heads += [f"patients on arm {name}" for name in trial.names]
    heads += ["rejects", "equal allocation rejects"]
    heads += ["patients (equal allocation)"] if trial.stopping is not None else []
    rows = []
    for name, arms in scenarios.items():
        patients, fair = evaluation.on_arms(arms)[0], equal.on_arms(arms)[0]
        row = [name, ", ".join(f"{p:.3g}" for p in arms)]
        row += [f"{arms @ patients:.1f}", f"{arms @ fair:.1f}"]
        row += [f"{n:.1f}" for n in patients]
        row += [f"{one.rejection(arms)[0]:.3f}" for one in (evaluation, equal)]
        if trial.stopping is not None:
            row.append(f"{patients.sum():.1f} ({fair.sum():.1f})")
        rows.append(row)
    largest, at = evaluation.largest_type_1_error()
    note = tag(
        "p", f"Type I error over all success probabilities: {largest:.4f} at most, at {at:.3f}."
    )
    return joined([table(heads, rows), note])


def _picture(design: Design, trial: Trial, test: Test) -> Markup:
    compared = [EqualDesign(), design] if design.adaptive else [design]
    return svg_image(curves(trial, compared, test=test).figure(columns=2))
