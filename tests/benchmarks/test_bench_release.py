"""How long a million users take from budgets to an answer, with OpenDP's noise and a ledger."""

from time import perf_counter

import numpy as np
import pytest

from hdp.compare import Population
from hdp.release import Plan, plan, receipts

MILLION = 10**6


@pytest.mark.parametrize(
    ("method", "noise", "options"),
    [
        ("adpm", "laplace", {}),
        ("adpm", "gaussian", {}),
        ("threshold", "gaussian", {}),
        ("mixed", "laplace", {}),
        ("truncated", "gaussian", {"prior": (0.5, 0.02)}),
    ],
)
@pytest.mark.parametrize("budgets", ["all different", "four levels"])
def test_a_million_users(benchmark, budgets, method, noise, options, tmp_path):
    """Print the seconds of each step."""
    pytest.importorskip("opendp", reason="needs OpenDP: pip install 'unequal-privacy[opendp]'")
    from hdp.release import new_ledger, release

    rng = np.random.default_rng(1)
    levels = rng.choice([0.1, 0.5, 2.0, np.inf], MILLION)
    trust = "curator" if method in ("adpm", "threshold") else np.where(rng.random(MILLION) < 0.2, "local", "curator")
    records = rng.integers(1, 50, MILLION) if options else 1
    people = Population(rng.lognormal(size=MILLION) if budgets == "all different" else levels, trust, records)
    sent = "report:{}:{}:0/{}"
    x, seconds, marks = rng.random(MILLION), {}, [perf_counter()]

    def mark(step):
        marks.append(perf_counter())
        seconds[step] = marks[-1] - marks[-2]

    def everything():
        made = plan(people, method, noise=noise, **options)
        mark("plan")
        made = Plan.from_json(made.to_json())
        mark("written and read")
        kind, shares = made.kind_of(people).tolist(), np.where(made.kinds.bit, 1, made.kinds.share).tolist()
        handed = [sent.format(made.digest[:16], row, shares[row]) for row in kind] if method == "mixed" else None
        new_ledger(made, ledger := tmp_path / f"{perf_counter()}.json")
        mark("reports and ledger")
        release(made, people, x, ledger, reports=handed)
        mark("release")
        receipts(made, people)
        mark("receipts")

    benchmark.pedantic(everything, rounds=1)
    benchmark.extra_info |= seconds
    print(
        f"\nn = 10^6, {method}, {noise}, {budgets}:",
        ", ".join(f"{step} {time:.2f} s" for step, time in seconds.items()),
    )
