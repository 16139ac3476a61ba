"""The command line, `bamdp COMMAND NAME[:SETTING=VALUE,...]... [--flags]`: one file a command.

Names and their settings are read by `bamdp.config`; flags are those of the command itself. A
command is imported when it is typed, so that the list of all commands comes at once.
"""

from dataclasses import dataclass


@dataclass(frozen=True)
class Usage:
    """How a command is typed, and what it does.

    Attributes:
        program: what is typed before the arguments: "bamdp play".
        arguments: the words before the flags: "DOMAIN AGENT", "FILE", "NAME..." for any number,
            "[AGENT]" for one that may be left out.
        summary: what it does, in the list of all commands.
    """

    program: str
    arguments: str
    summary: str

    @property
    def name(self) -> str:
        """The command: the last word before the arguments."""
        return self.program.split()[-1]


COMMANDS = {
    usage.name: usage
    for usage in (
        Usage("bamdp play", "DOMAIN AGENT", "let an agent act in a domain and see what it earns"),
        Usage(
            "bamdp regret",
            "[DOMAIN] [AGENT]",
            "how far an agent, or a log of anybody's choices, is from Bayes-optimal",
        ),
        Usage(
            "bamdp dataset",
            "PROBLEM",
            "episodes with the Bayes-optimal values of all actions, to train agents with",
        ),
        Usage(
            "bamdp tune",
            "DOMAIN AGENT",
            "try several settings of an agent in a domain and see which is best",
        ),
        Usage(
            "bamdp watch",
            "DOMAIN [AGENT [AGENT]]",
            "watch one or two agents in the browser: what they see, believe and plan",
        ),
        Usage(
            "bamdp compare",
            "BENCHMARK AGENT...",
            "agents in the same worlds with the same random numbers, in one table",
        ),
        Usage(
            "bamdp fit",
            "DATA.csv MODEL... --task TASK",
            "fit models to a table of choices and compare them; recover simulated people",
        ),
        Usage(
            "bamdp list",
            "[NAME]",
            "all domains, priors, agents and benchmarks; or the settings of one",
        ),
        Usage(
            "bamdp trial",
            "[next | table | test | protocol]",
            "designs of a clinical trial: operating characteristics, allocation, exact tests",
        ),
    )
}
