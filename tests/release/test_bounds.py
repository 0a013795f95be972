"""Bounds for values of an unknown size: what each user loses, what the interval holds, and what is counted where."""

import json
import math
from dataclasses import replace
from fractions import Fraction
from importlib.util import find_spec
from itertools import combinations

import numpy as np
import pytest

from hdp.__main__ import main
from hdp.release import Ledger, clipping_cost, measurement, measuring, plan, plan_bounds, receipts
from hdp.release.buckets import histogram, shortest
from hdp.users import Users

LARGEST, LEAST = 1.7976931348623157e308, 5e-324
VALUES = [0.0, -0.0, LEAST, -LEAST, LARGEST, -LARGEST, 1.0, -1.0, 2.0, 1 - 2**-53, 2 + 2**-51, 3.0, 4.0, -3.9, 0.3]
needs_opendp = pytest.mark.skipif(not find_spec("opendp"), reason="needs OpenDP: pip install 'unequal-privacy[opendp]'")
NOISES = pytest.mark.parametrize("noise", ["laplace", "gaussian"])


def small(seed, noise):
    """A few users with large budgets, so that so few can be told of: some public, unusable and local; few buckets."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(3, 7))
    epsilon = rng.choice([0.0, 40.0, 90.0, 100 / 3, math.inf], n, p=[0.1, 0.3, 0.3, 0.2, 0.1])
    epsilon[:2] = 90.0
    trust = np.where(rng.random(n) < 0.2, "local", "curator")
    trust[0] = "curator"
    users, share = Users(epsilon, trust), float(rng.choice([0.3, 0.5, 1.0]))
    made = plan_bounds(users, share, outside=0.9, beta=0.5, noise=noise, lowest=0, highest=2)
    return users, made, rng


@pytest.mark.settles("hdp-release-bounds")
@needs_opendp
@NOISES
def test_every_loss_is_what_the_receipt_says_and_within_the_share_of_the_budget(noise):
    """By the counts for two values of a user: their distance is at most what OpenDP's account of her rests on."""
    attained = 0
    for seed in range(50):
        users, made, rng = small(seed, noise)
        kind, spent, measure = made.kind_of(users), receipts(made, users).spent, measurement(made, users)
        x, c = rng.choice(VALUES, users.size), made.scale
        for i in range(users.size):
            share, budget = int(made.kinds.share[kind[i]]), float(users.epsilon[i])
            assert measure.map(i) == pytest.approx(spent[i], rel=1e-12)
            assert math.isinf(budget) or Fraction(spent[i]) <= Fraction(made.share) * Fraction(budget)
            for other in VALUES:
                y = np.where(np.arange(users.size) == i, other, x)
                first, second = (histogram(made, made.kinds.share[kind], v) for v in (x, y))
                apart = [abs(a - b) for a, b in zip(first, second, strict=True)]
                cost = Fraction(sum(apart), c) if noise == "laplace" else Fraction(sum(a * a for a in apart), 2 * c * c)
                assert cost <= Fraction(spent[i]) and sum(apart) <= 2 * share
                attained += cost >= Fraction(spent[i]) * (1 - Fraction(1, 2**50)) and cost > 0
    assert attained > 200


@pytest.mark.settles("hdp-release-bounds")
def test_every_float_is_counted_where_fractions_say():
    """Ends of buckets and their neighbours, subnormal numbers, the largest ones, and zeros of both signs."""
    for lowest, highest in ((-10, 40), (-166, 166), (0, 1), (3, 7)):
        made = plan_bounds([400.0] * 3, 1.0, outside=0.9, lowest=lowest, highest=highest)
        ends, middle = made.edges.tolist(), highest - lowest
        near = [v for e in ends for v in (e, math.nextafter(e, math.inf), math.nextafter(e, -math.inf))]
        values, expected = [*near, *VALUES, 1e308, -1e308], [0] * (len(ends) - 1)
        for value in values:
            reached = sum(Fraction(e) <= abs(Fraction(value)) for e in ends[middle + 1 :])
            if reached <= middle:
                expected[middle + int(math.copysign(reached, value))] += 2**42
        assert histogram(made, np.full(len(values), 2**42), np.array(values)) == expected


@pytest.mark.settles("hdp-release-bounds")
@NOISES
@pytest.mark.parametrize("m", [1, 2, 3])
def test_the_radius_is_the_quantile_of_the_noise(noise, m):
    """By 200,000 sums: of Laplace noise exceeded as often as it says, within four standard errors; else not oftener."""
    made = plan_bounds([1.0] * 4000, 1.0, outside=0.5, beta=0.9, noise=noise, lowest=0, highest=1)
    rng, c, chance = np.random.default_rng(4), 2.0**made.bits, 0.9 / 6
    draws = rng.laplace(0, c, (200_000, m)) if noise == "laplace" else rng.normal(0, c, (200_000, m))
    rate = np.mean(np.rint(draws).sum(axis=1) > made.radius(m))
    z = (rate - chance) / math.sqrt(chance * (1 - chance) / 200_000)
    assert abs(z) < 4 if noise == "laplace" else z < 4


@pytest.mark.settles("hdp-release-bounds")
def test_the_interval_is_the_shortest_of_which_the_counts_tell():
    rng, told_of = np.random.default_rng(3), 0
    for _ in range(300):
        made = plan_bounds([40.0] * 30, 0.5, outside=0.2, lowest=-1, highest=int(rng.integers(1, 5)))
        size = made.edges.size - 1
        counts = (rng.dirichlet(np.full(size + 2, 0.3))[2:] * made.total).astype(int)
        counts += rng.integers(-9, 9, size) * made.scale
        ends, least = [*map(Fraction, made.edges.tolist())], (1 - Fraction(made.outside)) * made.total
        inside = lambda i, j: sum(map(int, counts[i:j])) - made.radius(j - i)  # noqa: B023, E731
        fits = {(ends[i], ends[j]) for i, j in combinations(range(size + 1), 2) if inside(i, j) >= least}
        found = shortest(made, counts)
        assert found in fits if fits else found is None
        assert not fits or found[1] - found[0] == min(high - low for low, high in fits)
        told_of += bool(fits)
    assert 50 < told_of < 290


@pytest.mark.settles("hdp-release-bounds")
def test_weights_are_those_of_the_best_mean():
    """Of every user whom the curator is told about; public users have the largest, and local ones none."""
    users = Users([0.01] * 9000 + [1.0] * 900 + [math.inf] * 90 + [2.0] * 90, ["curator"] * 9990 + ["local"] * 90)
    made, best = plan_bounds(users, 0.5, outside=0.5), plan(users.where(~users.local))
    own = made.kinds.counted
    ratio = made.kinds.share[own] / best.kinds.share
    assert own.tolist() == [True, True, False, True] and np.ptp(ratio / ratio[0]) < 1e-9
    assert made.kinds.share[0] < made.kinds.share[1] == made.kinds.share[3], "above the level all have the same"
    assert made.spent[2] == 0 and made.spent[3] == made.spent[1] and made.spent[0] == pytest.approx(0.005)


@pytest.mark.settles("hdp-release-ledger")
@needs_opendp
def test_bounds_and_means_are_counted_in_one_ledger(monkeypatch, tmp_path):
    """And counts that do not suffice, which tell of no interval, too."""
    counts = lambda one, users: lambda x: histogram(one, one.kinds.share[one.kind_of(users)], x)  # noqa: E731
    users = Users([1.0, 2.0] * 2000, values=np.resize([40_000.0, 90_000.0], 4000))
    far = users.having(np.geomspace(1e-3, 1e20, 4000) * np.resize([1, -1], 4000))
    made = plan_bounds(users, 0.25, outside=0.3)
    ledger = Ledger.new(tmp_path / "ledger.json", made)
    with monkeypatch.context() as patched:
        patched.setattr(measuring, "measurement", counts)
        found, none = ledger.release(made, users), ledger.release(made, far)
    assert (found.lower, found.upper) == (32768.0, 131072.0) and found.probability == 0.95 and found.outside == 0.3
    assert none.lower is None and none.upper is None and '"lower":null' in none.to_json()
    mean = plan(users, lower=found.lower, upper=found.upper, spend=0.5)
    answer = ledger.release(mean, users)
    assert answer.answer == pytest.approx(65_000, abs=2000) and ledger.published() == [found, none, answer]
    for again in (mean, made):
        with pytest.raises(ValueError, match="ledger must leave budgets for release 4"):
            ledger.release(again, users)


@pytest.mark.parametrize(
    ("users", "options", "message"),
    [([0.5] * 100, {}, "share must be larger, or outside, or the users more: noise may hide"),
     ([0.5] * 100, {"share": 1.0}, "^outside must be larger, or the users more: noise may hide"),
     ([math.inf] * 9, {}, "users must include some with a budget"), ([1e18] * 9, {}, "epsilon must let"),
     (Users([1.0] * 9, "local"), {}, "users must include some with a budget"), ([1.0], {"lowest": 40}, "highest must"),
     ([1.0] * 9000, {"share": 0.0}, "share must lie in"), ([1.0] * 9000, {"outside": 1.0}, "outside must lie in")],
)  # fmt: skip
def test_what_no_bounds_can_be_planned_for_is_refused(users, options, message):
    with pytest.raises(ValueError, match=message):
        plan_bounds(users, **({"share": 0.1} | options))


@pytest.mark.settles("hdp-release-bounds")
def test_no_plan_of_bounds_asks_for_more_than_its_part():
    made = plan_bounds([1.0] * 9000, 0.25)
    with pytest.raises(ValueError, match="share of kinds must be what its part of the budget pays"):
        replace(made, kinds=replace(made.kinds, share=made.kinds.share + 1))
    other = [replace(made, beta=0.04), replace(made, outside=0.06), plan_bounds([1.0] * 9001, 0.25)]
    assert len({one.digest for one in (made, *other)}) == 4 and plan_bounds([1.0] * 9000, 0.25).digest == made.digest


@pytest.mark.settles("hdp-release-clipping")
@pytest.mark.parametrize("r", [0.3, 1.0, 4.0, 20.0])
def test_clipping_costs_at_most_so_much_and_it_is_attained(r):
    """Of a moment by two distances; of a Pareto tail by the quantiles of the law that has it exactly."""
    rng, clipped = np.random.default_rng(2), lambda distances, weights: np.dot(weights, np.maximum(distances - r, 0))
    for p in (1.2, 2.0, 5.0):
        most, far = clipping_cost(10 - r, 10 + r, moment=(p, 1.5)), max(p / (p - 1) * r, 1.5)
        for _ in range(300):
            weights, distances = rng.dirichlet(np.full(6, 0.3)), rng.lognormal(0, 2, 6)
            distances *= 1.5 / (weights @ distances**p) ** (1 / p)
            assert clipped(distances, weights) <= most * (1 + 1e-9)
        assert clipped(far, (1.5 / far) ** p) == pytest.approx(most, rel=1e-12)
    chances = np.geomspace(1e-16, 1, 200_000)  # of being further away; the least ones cost next to nothing
    cost, most = clipped(1.5 * chances[1:] ** (-1 / 3.0), np.diff(chances)), clipping_cost(-r, r, pareto=(3.0, 1.5))
    assert most * (1 - 1e-3) < cost <= most
    for tails in ({}, {"moment": (2, 1), "pareto": (2, 1)}, {"moment": (1, 1)}, {"pareto": (3,)}):
        with pytest.raises(ValueError, match=r"moment|pareto"):
            clipping_cost(0, 1, **tails)


@needs_opendp
def test_bounds_and_what_clipping_costs_on_the_command_line(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(1)
    rows = [f"u{i},{1 + i % 2},curator,1,{rng.uniform(9000, 60_000):.2f}" for i in range(6000)]
    (tmp_path / "users.csv").write_text("user,epsilon,trust,records,value\n" + "\n".join(rows))
    asked = ["bounds", "users.csv", "--share", "0.6", "--outside", "0.2", "--new-ledger", "ledger.json"]
    assert main([*asked, "--receipts", "receipts.csv"]) == 0
    out, err = capsys.readouterr()
    found = json.loads(out)
    assert 2048 <= found["lower"] < found["upper"] == 65536 and found["outside"] == 0.2 and "nats left" in err
    spent = [float(row.split(",")[2]) for row in (tmp_path / "receipts.csv").read_text().split()[1:]]
    assert spent[0] == spent[2] == pytest.approx(0.6) and spent[0] <= spent[1] <= 1.2
    assert main(["published", "ledger.json"]) == 0 and json.loads(capsys.readouterr().out) == found
    assert main(["plan", "users.csv", "--interval", "0", "1", "--tail", "2", "0.25"]) == 0
    assert "clipping: moves the mean by at most 0.03125, if" in capsys.readouterr().out
