"""`make fuzz SECONDS=60`: the coverage-guided targets, one after the other, from seeds and from what earlier runs found."""

import importlib
import os
import subprocess
import sys
from pathlib import Path

TARGETS = ("results", "hooks")
ROOT = Path(__file__).parents[2]


def main(seconds: int) -> int:
    codes = []
    for name in TARGETS:
        corpus = ROOT / "build" / "fuzz" / name
        corpus.mkdir(parents=True, exist_ok=True)
        for number, seed in enumerate(importlib.import_module(f"fuzz.targets.{name}").SEEDS):
            (corpus / f"seed{number}").write_bytes(seed)
        options = [f"-max_total_time={seconds}", "-timeout=60", "-rss_limit_mb=2048", "-max_len=512", "-verbosity=0"]
        options += ["-print_final_stats=1", f"-artifact_prefix={corpus.parent}/{name}-"]
        environment = {**os.environ, "PYTHONPATH": str(ROOT / "tests")}
        print(f"{name}: {seconds} s, corpus {corpus.relative_to(ROOT)}", flush=True)
        line = [sys.executable, "-m", f"fuzz.targets.{name}", *options, str(corpus)]
        codes.append(subprocess.run(line, cwd=ROOT, env=environment, check=False).returncode)
    return max(map(abs, codes))


if __name__ == "__main__":
    sys.path.insert(0, str(ROOT / "tests"))
    sys.exit(main(int(sys.argv[1])))
