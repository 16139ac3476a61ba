"""Lemma 1 of Guez, Silver, Dayan, 2012: BAMCP, which samples a model at the root, simulates the same histories as BA-UCT."""

from bamdp.studies.experiment import Entry, Experiment

LEMMA_1 = Experiment(
    name="lemma-1",
    title="Returns of single simulations on Double-loop, by BAMCP and by BA-UCT",
    source="Lemma 1",
    heading="Lemma 1: root sampling",
    entries={
        "double-loop": tuple(
            Entry(
                label,
                {"domain": "double-loop", "agent": agent, "sampling": sampling, "agent_seed": seed, "draws": 1000},
                kind="simulated_returns",
                at={"smoke": {"draws": 100}},
            )
            for seed, (label, agent, sampling) in enumerate((("BAMCP", "bamcp", "lazy"), ("BA-UCT", "ba-uct", "resampled")))
        )
    },
    runs={"smoke": 1, "quick": 1, "paper": 1},
    order=80,
)
