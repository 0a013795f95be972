"""How long a million users take from budgets to an answer, with OpenDP's noise and a ledger."""

from time import perf_counter

import numpy as np
import pytest

from hdp.release import Ledger, Plan, plan, receipts
from hdp.users import Users

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
    rng = np.random.default_rng(1)
    levels = rng.choice([0.1, 0.5, 2.0, np.inf], MILLION)
    trust = "curator" if method in ("adpm", "threshold") else np.where(rng.random(MILLION) < 0.2, "local", "curator")
    records = rng.integers(1, 50, MILLION) if options else 1
    epsilon = rng.lognormal(size=MILLION) if budgets == "all different" else levels
    people = Users(epsilon, trust, records, values=rng.random(MILLION))
    sent, seconds, marks = "report:{}:{}:0/{}", {}, [perf_counter()]

    def mark(step):
        marks.append(perf_counter())
        seconds[step] = marks[-1] - marks[-2]

    def everything():
        made = plan(people, method, noise=noise, **options)
        mark("plan")
        made = Plan.from_json(made.to_json())
        mark("written and read")
        kind, shares = made.kind_of(people).tolist(), np.where(made.kinds.bit, 1, made.kinds.share).tolist()
        handed = [sent.format(made.digest[:16], row, shares[row]) for row in kind] if made.reported else None
        ledger = Ledger.new(tmp_path / f"{perf_counter()}.json", made)
        mark("reports and ledger")
        ledger.release(made, people.having(reports=handed))
        mark("release")
        receipts(made, people)
        mark("receipts")

    benchmark.pedantic(everything, rounds=1)
    benchmark.extra_info |= seconds
    print(
        f"\nn = 10^6, {method}, {noise}, {budgets}:",
        ", ".join(f"{step} {time:.2f} s" for step, time in seconds.items()),
    )
