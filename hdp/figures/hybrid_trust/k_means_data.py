"""The numbers behind Figure 6 with their provenance; `make figures-full` computes all trials and writes the file.

It imports no figure, because the figures need it.
"""

import argparse
import json
import platform
import time
from datetime import UTC, datetime
from functools import cache
from importlib.metadata import version
from pathlib import Path

import numpy as np

from hdp.figures.hybrid_trust import k_means_trials as trials

FILE = Path(__file__).with_name("k_means.json")
SHOWN = 5  # number of iterations of the run that the reader steps through
RUN_SERIES = tuple(name for name in trials.SERIES if "printed" not in name)


def settings():
    """Everything that the numbers depend on but the code: a file with other settings is not read."""
    return {
        "centres": trials.CLUSTERS.tolist(),
        "spread": trials.SPREAD,
        "points per cluster": trials.SIZE,
        "epsilon": trials.EPSILON,
        "iterations": list(trials.ITERATIONS),
        "fractions": list(trials.FRACTIONS),
        "separation of the initial centres": trials.SEPARATION,
        "data seed": trials.DATA_SEED,
        "seed": trials.SEED,
        "iterations of the run": SHOWN,
        "series of the run": list(RUN_SERIES),
    }


def compute(count, n_jobs):
    """Simulate and summarise; the first two trials are kept whole, so that they can be repeated and compared."""
    begin = time.perf_counter()
    wcss = trials.simulate(count, n_jobs=n_jobs)
    seconds = time.perf_counter() - begin
    names = list(trials.SERIES)
    first = trials.paths(np.random.SeedSequence(trials.SEED).spawn(1)[0], SHOWN, RUN_SERIES)
    return {
        "provenance": {
            "trials": count,
            "command": f"python -m hdp.figures.hybrid_trust.k_means_data --trials {count}",
            "date": datetime.now(UTC).date().isoformat(),
            "versions": {"python": platform.python_version()} | {k: version(k) for k in ("numpy", "joblib")},
            "workers": n_jobs,
            "seconds": round(seconds, 1),
        },
        "settings": settings(),
        "mean": {name: wcss[:, :, i].mean(axis=0).tolist() for i, name in enumerate(names)},
        "error": {name: (wcss[:, :, i].std(axis=0, ddof=1) / np.sqrt(count)).tolist() for i, name in enumerate(names)},
        "median": {name: np.median(wcss[:, :, i], axis=0).tolist() for i, name in enumerate(names)},
        "first trials": wcss[:2].tolist(),
        "run": {name: path.tolist() for name, path in first.items()},
        "run wcss": {name: [trials.sum_of_squares(centres) for centres in path] for name, path in first.items()},
    }


def text(found):
    """The numbers as JSON, a series or a trial a line."""
    lines = []
    for name, part in found.items():
        named = isinstance(part, dict)
        rows = (
            [f"{json.dumps(key)}: {json.dumps(row)}" for key, row in part.items()] if named else map(json.dumps, part)
        )
        opening, closing = "{}" if named else "[]"
        lines.append(f"{json.dumps(name)}: {opening}\n " + ",\n ".join(rows) + f"\n{closing}")
    return "{\n" + ",\n".join(lines) + "\n}\n"


@cache
def load():
    """Read the file, or raise RuntimeError if it is missing or holds other settings: nothing is simulated here."""
    if not FILE.exists():
        raise RuntimeError(f"{FILE} is missing: run `make figures-full`, which computes it in some minutes")
    found = json.loads(FILE.read_text(encoding="utf-8"))
    changed = [name for name, value in settings().items() if found["settings"].get(name) != value]
    if changed:
        raise RuntimeError(f"{FILE} was computed with another {', '.join(changed)}: run `make figures-full`")
    return found


def main():
    """Compute all trials and write the file."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--trials", type=int, default=trials.TRIALS)
    parser.add_argument("--jobs", type=int, default=2)
    arguments = parser.parse_args()
    found = compute(arguments.trials, arguments.jobs)
    FILE.write_text(text(found), encoding="utf-8")
    print(f"{FILE}: {arguments.trials} trials in {found['provenance']['seconds']} s")


if __name__ == "__main__":
    main()
