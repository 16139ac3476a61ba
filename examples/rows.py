"""Results of a study, one JSON object a line: what is there already isn't run again."""

import json
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor, as_completed
from pathlib import Path
from typing import Any

from rich.progress import track

Row = dict[str, Any]


def complete(path: Path, keys: Iterable[Row], compute: Callable[[Row], Row], workers: int) -> list[Row]:
    """A row for each key, from the file or computed now; each is written as soon as it is there."""
    path.parent.mkdir(parents=True, exist_ok=True)
    rows = [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []
    keys = list(keys)
    missing = [key for key in keys if not any(all(row.get(k) == v for k, v in key.items()) for row in rows)]
    with path.open("a") as file, ThreadPoolExecutor(workers) as pool:
        futures = {pool.submit(compute, key): key for key in missing}
        for future in track(as_completed(futures), total=len(missing), description=path.stem, disable=not missing):
            rows.append({**futures[future], **future.result()})
            print(json.dumps(rows[-1]), file=file, flush=True)
    return [row for row in rows if any(all(row.get(k) == v for k, v in key.items()) for key in keys)]
