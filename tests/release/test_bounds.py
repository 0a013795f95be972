"""Bounds for values of an unknown size: what each user loses, what the interval holds, and what is counted where."""

import csv
import json
import math
from dataclasses import replace
from fractions import Fraction
from importlib.util import find_spec
from types import SimpleNamespace

import numpy as np
import pytest

from hdp.__main__ import main
from hdp.compare import Population
from hdp.proof import assert_monte_carlo
from hdp.release import (
    bounds,
    bounds_measurement,
    clipping_cost,
    left,
    new_ledger,
    plan,
    plan_bounds,
    published,
    receipts,
    release,
    release_bounds,
)
from hdp.release.arithmetic import noise_variance
from hdp.release.buckets import shortest

LARGEST, LEAST = 1.7976931348623157e308, 5e-324
VALUES = [0.0, -0.0, LEAST, -LEAST, LARGEST, -LARGEST, 1.0, -1.0, 2.0, 1 - 2**-53, 2 + 2**-51, 3.0, 4.0, -3.9, 0.3]
needs_opendp = pytest.mark.skipif(not find_spec("opendp"), reason="needs OpenDP: pip install 'unequal-privacy[opendp]'")
NOISES = pytest.mark.parametrize("noise", ["laplace", "gaussian"])


class Told:
    """What OpenDP was told, in its place, so that every law is known; `draw` gives the noise of so many counts."""

    def __init__(self, draw):
        self.draw, self.law = draw, ""
        self.t = SimpleNamespace(make_user_transformation=self._counts)
        self.m = SimpleNamespace(then_laplace=self._then("laplace"), then_gaussian=self._then("gaussian"))
        for name in ("user_domain", "user_distance", "vector_domain", "atom_domain", "l1_distance", "l2_distance"):
            setattr(self, name, lambda *_, **__: None)

    def _counts(self, *told):
        *_, self.counts, self.moved = told
        return self

    def _then(self, law):
        def then(scale):
            self.law, self.scale = law, Fraction(scale)
            return self

        return then

    def __rshift__(self, other):
        return self

    def __call__(self, x):
        self.before = self.counts(x)
        return [count + int(z) for count, z in zip(self.before, self.draw(len(self.before)), strict=True)]


@pytest.fixture
def told(monkeypatch):
    """Return a function that puts such a thing in the place of OpenDP."""

    def put(draw):
        found = Told(draw)
        monkeypatch.setattr(bounds, "opendp", lambda: found)
        monkeypatch.setattr(bounds, "version", lambda _: "0")
        return found

    return put


def small(seed, noise):
    """A few users with large budgets, so that so few can be told of: some public, unusable and local; few buckets."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(3, 7))
    epsilon = rng.choice([0.0, 40.0, 90.0, 100 / 3, math.inf], n, p=[0.1, 0.3, 0.3, 0.2, 0.1])
    epsilon[:2] = 90.0
    trust = np.where(rng.random(n) < 0.2, "local", "curator")
    trust[0] = "curator"
    users = Population(epsilon, trust)
    share = float(rng.choice([0.3, 0.5, 1.0]))
    made = plan_bounds(users, share, outside=0.9, beta=0.5, noise=noise, lowest=0, highest=2)
    if seed % 2:  # a coarse scale, and the largest shares
        coarse = replace(made, bits=3, kinds=replace(made.kinds, share=0 * made.kinds.share))
        most = np.where(made.kinds.counted, np.minimum(coarse.part / 2 * 8, 90), 0)
        most = most if noise == "laplace" else np.where(most > 0, np.floor(8 * np.sqrt(coarse.part) * (1 - 2**-45)), 0)
        most = np.where(np.isinf(most), 9, most)
        made = replace(coarse, kinds=replace(made.kinds, share=most.astype(int)))
    return users, made, rng


def loss(z, first, second, found):
    """How much likelier counts z are for the first counts, in nats; with Gaussian noise the divergence, rho."""
    if found.law == "gaussian":
        return sum((a - b) ** 2 for a, b in zip(first, second, strict=True)) / (2 * found.scale**2)
    return sum(abs(k - b) - abs(k - a) for k, a, b in zip(z, first, second, strict=True)) / found.scale


@pytest.mark.settles("hdp-release-bounds")
@NOISES
def test_every_loss_is_what_the_receipt_says_and_within_the_share_of_the_budget(noise, told):
    drawn = {}
    found, tried, attained = told(lambda size: drawn["z"]), 0, 0
    for seed in range(50):
        users, made, rng = small(seed, noise)
        kind, spent = made.kind_of(users), receipts(made, users).spent
        x = rng.choice(VALUES, users.size)
        i = int(rng.choice(np.flatnonzero(made.kinds.counted[kind])))
        for other in VALUES:
            y, drawn["z"] = np.where(np.arange(users.size) == i, other, x), [0] * 5
            first, second = (found.before for v in (x, y) if release_bounds(made, users, v))
            for z in (first, second, [9 - 3 * j for j in range(5)]):
                texts = []
                for values, before in ((x, first), (y, second)):
                    drawn["z"] = np.subtract(z, before)
                    texts.append(release_bounds(made, users, values).to_json())
                assert texts[0] == texts[1] and found.law == noise
                cost = loss(z, first, second, found)
                assert cost <= Fraction(spent[i])
                attained += cost >= Fraction(spent[i]) * (1 - Fraction(1, 2**50)) and cost > 0
                tried += 1
            apart = np.abs(np.subtract(first, second))
            assert apart.sum() <= found.moved(i) if noise == "laplace" else (apart**2).sum() <= found.moved(i) ** 2
        budget = users.epsilon[i]
        assert math.isinf(budget) or Fraction(spent[i]) <= Fraction(made.share) * Fraction(float(budget))
    assert tried > 2000 and attained > 200


@pytest.mark.settles("hdp-release-bounds")
@needs_opendp
@NOISES
def test_the_noise_of_every_count_and_opendps_account_are_the_planned_ones(noise):
    users = Population([1.0] * 40_000)
    made = plan_bounds(users, 0.1, noise=noise)
    x, measure = np.full(users.size, 3.0), bounds_measurement(made, users)
    assert measure.map(7) == pytest.approx(receipts(made, users).spent[7], rel=1e-12)
    drawn = (np.array([measure(x) for _ in range(60)]) - made.total * (made.edges[:-1] == 2.0)) / made.scale
    assert_monte_carlo(drawn.ravel(), 0, 6)
    assert_monte_carlo(drawn.ravel() ** 2, noise_variance(made.bits, noise) / made.scale**2, 6)


@pytest.mark.settles("hdp-release-bounds")
def test_every_float_is_counted_where_fractions_say(told):
    """Ends of buckets and their neighbours, subnormal numbers, the largest ones, and zeros of both signs."""
    found = told(lambda size: [0] * size)
    for lowest, highest in ((-10, 40), (-166, 166), (0, 1), (3, 7)):
        made = plan_bounds([400.0] * 3, 1.0, outside=0.9, lowest=lowest, highest=highest)
        ends, middle = made.edges.tolist(), highest - lowest
        near = [v for e in ends for v in (e, math.nextafter(e, math.inf), math.nextafter(e, -math.inf))]
        values, all_of_them = [*near, *VALUES, 1e308, -1e308], np.zeros(len(ends) - 1, dtype=int)
        for value in values:
            expected = np.zeros(len(ends) - 1, dtype=int)
            reached = sum(Fraction(e) <= abs(Fraction(value)) for e in ends[middle + 1 :])
            if reached <= middle:
                expected[middle + int(math.copysign(reached, value))] = 1
            assert bounds.histogram(made, np.array([1]), np.array([value])) == expected.tolist()
            all_of_them += expected
        many = Population([40.0] * len(values))
        made = plan_bounds(many, 1.0, outside=0.9, lowest=lowest, highest=highest)
        release_bounds(made, many, values)
        assert found.before == (int(made.kinds.share[0]) * all_of_them.astype(object)).tolist()


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
@NOISES
def test_more_is_left_out_no_oftener_than_the_plan_says(noise, told):
    """Values of which every interval leaves out a little more than it may, so that every interval is a miss."""
    rng, n = np.random.default_rng(6), 4000
    found = told(lambda size: np.rint((rng.laplace if noise == "laplace" else rng.normal)(0, float(found.scale), size)))
    users = Population([0.5] * n)
    made = plan_bounds(users, 1.0, outside=0.3, beta=0.9, noise=noise, lowest=0, highest=2)
    x = np.where(np.arange(n) < 0.299 * n, 1e9, 3.0)
    assert release_bounds(made, users, x).upper in (None, 4.0)
    x[:1201] = -1e9
    missed = [release_bounds(made, users, x).lower is not None for _ in range(3000)]
    z = (np.mean(missed) - made.beta) / math.sqrt(made.beta * (1 - made.beta) / 3000)
    assert z < 4
    assert any(missed), "and it is seen to happen"


@pytest.mark.settles("hdp-release-bounds")
def test_the_interval_is_the_shortest_of_which_the_counts_tell():
    rng, told_of = np.random.default_rng(3), 0
    for _ in range(300):
        made = plan_bounds([40.0] * 30, 0.5, outside=0.2, lowest=-1, highest=int(rng.integers(1, 5)))
        size = made.edges.size - 1
        counts = (rng.dirichlet(np.full(size + 2, 0.3))[2:] * made.total).astype(int)
        counts += rng.integers(-9, 9, size) * made.scale
        fits = {
            (Fraction(made.edges[j]) - Fraction(made.edges[i]), made.edges[i], made.edges[j])
            for i in range(size)
            for j in range(i + 1, size + 1)
            if sum(map(int, counts[i:j])) - made.radius(j - i) >= (1 - Fraction(made.outside)) * made.total
        }
        found = shortest(made, counts)
        assert (found is None) == (not fits)
        if fits:
            assert Fraction(found[1]) - Fraction(found[0]) == min(fits)[0]
            assert found in {(low, high) for _, low, high in fits}
            told_of += 1
    assert 50 < told_of < 290


def test_counts_that_do_not_suffice_give_no_interval(told, tmp_path):
    told(lambda size: [0] * size)
    users, ledger = Population([1.0] * 9000), tmp_path / "ledger.json"
    made = plan_bounds(users, 0.25)
    new_ledger(made, ledger)
    found = release_bounds(made, users, np.geomspace(1e-3, 1e12, 9000) * np.resize([1, -1], 9000), ledger)
    assert found.lower is None and found.upper is None and '"lower":null' in found.to_json()
    assert left(made, ledger)[0] == pytest.approx(0.75)
    assert published(ledger) == [found]


@pytest.mark.settles("hdp-release-bounds")
def test_weights_are_those_of_the_best_mean():
    """Of every user whom the curator is told about; public users have the largest, and local ones none."""
    users = Population([0.01] * 9000 + [1.0] * 900 + [math.inf] * 90 + [2.0] * 90, ["curator"] * 9990 + ["local"] * 90)
    made, best = plan_bounds(users, 0.5, outside=0.5), plan(users.where(~users.local))
    own = made.kinds.counted
    ratio = made.kinds.share[own] / best.kinds.share
    assert own.tolist() == [True, True, False, True] and np.ptp(ratio / ratio[0]) < 1e-9
    assert made.kinds.share[0] < made.kinds.share[1] == made.kinds.share[3], "above the level all have the same"
    found = receipts(made)
    assert found.spent[2] == 0 and found.spent[3] == found.spent[1] and found.spent[0] == pytest.approx(0.005)


@pytest.mark.settles("hdp-release-ledger")
def test_bounds_and_means_are_counted_in_one_ledger(told, tmp_path):
    told(lambda size: [0] * size)
    pytest.importorskip("opendp", reason="needs OpenDP: pip install 'unequal-privacy[opendp]'")
    users, ledger = Population([1.0, 2.0] * 2000), tmp_path / "ledger.json"
    made, x = plan_bounds(users, 0.5), np.resize([40_000.0, 90_000.0], 4000)
    new_ledger(made, ledger)
    found = release_bounds(made, users, x, ledger)
    assert (found.lower, found.upper) == (32768.0, 131072.0) and found.probability == 0.95
    mean = plan(users, lower=found.lower, upper=found.upper, releases=2)
    answer = release(mean, users, x, ledger)
    assert answer.answer == pytest.approx(65_000, abs=2000)
    assert published(ledger) == [found, answer]
    for again in (lambda: release(mean, users, x, ledger), lambda: release_bounds(made, users, x, ledger)):
        with pytest.raises(ValueError, match="ledger must leave budgets for release 3"):
            again()


@pytest.mark.settles("hdp-release-bounds", "hdp-release-ledger")
def test_the_entry_stands_before_noise_is_drawn(told, tmp_path):
    users, ledger, entered = Population([1.0] * 9000), tmp_path / "ledger.json", []
    told(lambda size: entered.append(json.loads(ledger.read_text())["spent"]) or [0] * size)
    made = plan_bounds(users, 1.0)
    new_ledger(made, ledger)
    release_bounds(made, users, [3.0] * 9000, ledger)
    with pytest.raises(ValueError, match="ledger must leave budgets"):
        release_bounds(made, users, [3.0] * 9000, ledger)
    assert entered == [[pytest.approx([1.0], abs=1e-9)]] or entered == [[pytest.approx(1.0, abs=1e-9)]]


@pytest.mark.parametrize("odd", [math.nan, math.inf, None, "0.737", 10**400])
def test_what_is_used_is_finite_and_what_is_not_used_is_not_read(odd, told, tmp_path):
    told(lambda size: [0] * size)
    users, ledger = Population([90.0, 90.0, 0.0], ["curator", "local", "curator"]), tmp_path / "ledger.json"
    made = plan_bounds(users, 1.0, outside=0.9, lowest=0, highest=2)
    new_ledger(made, ledger)
    with pytest.raises(ValueError, match=r"values must be finite where the plan uses them|values must be") as refused:
        release_bounds(made, users, [odd, 1.0, 1.0], ledger, names=["ann", "bob", "cid"])
    assert "737" not in str(refused.value) and json.loads(ledger.read_text())["plans"] == []
    assert release_bounds(made, users, [1.5, odd, odd], ledger).lower == 1.0
    with pytest.raises(ValueError, match="names must be one for each"):
        release_bounds(made, users, [1.5, 1, 1], names=["ann"])


@pytest.mark.parametrize(
    ("population", "options", "message"),
    [([0.5] * 100, {}, "share must be larger, or outside, or the users more: noise may hide"),
     ([0.5] * 100, {"share": 1.0}, "^outside must be larger, or the users more: noise may hide"),
     ([math.inf] * 9, {}, "population must have users with a budget"),
     (Population([1.0] * 9, "local"), {}, "population must have users with a budget"),
     ([1.0] * 9000, {"share": 0.0}, "share must lie in"), ([1.0] * 9000, {"outside": 1.0}, "outside must lie in"),
     ([1.0] * 9000, {"lowest": 40}, "highest must be"), ([1e18] * 9, {}, "epsilon of population must")],
)  # fmt: skip
def test_what_no_bounds_can_be_planned_for_is_refused(population, options, message):
    with pytest.raises(ValueError, match=message):
        plan_bounds(population, **({"share": 0.1} | options))


@pytest.mark.settles("hdp-release-bounds")
def test_no_plan_of_bounds_asks_for_more_than_its_part():
    made = plan_bounds([1.0] * 9000, 0.25)
    with pytest.raises(ValueError, match="share of kinds must be what its part of the budget pays"):
        replace(made, kinds=replace(made.kinds, share=made.kinds.share + 1))
    other = [replace(made, beta=0.04), replace(made, outside=0.06), plan_bounds([1.0] * 9001, 0.25)]
    assert len({one.digest for one in (made, *other)}) == 4 and plan_bounds([1.0] * 9000, 0.25).digest == made.digest


# -- What clipping costs.


def clipped(distances, weights, r):
    """How far a mean of these distances is moved."""
    return weights @ np.maximum(distances - r, 0)


@pytest.mark.settles("hdp-release-clipping")
@pytest.mark.parametrize("p", [1.2, 2.0, 5.0])
@pytest.mark.parametrize("r", [0.3, 1.0, 4.0])
def test_clipping_costs_at_most_so_much_for_a_moment_and_it_is_attained(p, r):
    rng, most = np.random.default_rng(2), clipping_cost(10 - r, 10 + r, moment=(p, 1.5))
    for _ in range(500):
        weights, distances = rng.dirichlet(np.full(6, 0.3)), rng.lognormal(0, 2, 6)
        distances *= 1.5 / (weights @ distances**p) ** (1 / p)
        assert clipped(distances, weights, r) <= most * (1 + 1e-9)
    far = max(p / (p - 1) * r, 1.5)
    part = (1.5 / far) ** p
    assert clipped(np.array([far, 0.0]), np.array([part, 1 - part]), r) == pytest.approx(most, rel=1e-12)


@pytest.mark.settles("hdp-release-clipping")
@pytest.mark.parametrize("r", [0.7, 1.5, 20.0])
def test_clipping_costs_at_most_so_much_for_a_pareto_tail_and_it_is_attained(r):
    """By the quantiles of the law that has this tail exactly."""
    chances = np.geomspace(1e-16, 1, 200_000)  # of being further away; the least ones cost next to nothing
    cost = clipped(1.5 * chances[1:] ** (-1 / 3.0), np.diff(chances), r)
    most = clipping_cost(-r, r, pareto=(3.0, 1.5))
    assert most * (1 - 1e-3) < cost <= most


@pytest.mark.parametrize("tails", [{}, {"moment": (2, 1), "pareto": (2, 1)}, {"moment": (1, 1)}, {"pareto": (3,)}])
def test_a_tail_is_one_and_in_its_range(tails):
    with pytest.raises(ValueError, match=r"moment|pareto"):
        clipping_cost(0, 1, **tails)


@needs_opendp
def test_bounds_on_the_command_line(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(1)
    rows = [f"u{i},{1 + i % 2},curator,1,{rng.uniform(9000, 60_000):.2f}" for i in range(6000)]
    (tmp_path / "users.csv").write_text("user,epsilon,trust,records,value\n" + "\n".join(rows))
    asked = ["bounds", "users.csv", "--share", "0.6", "--outside", "0.2"]
    assert main([*asked, "--new-ledger", "ledger.json", "--receipts", "receipts.csv"]) == 0
    out, err = capsys.readouterr()
    found = json.loads(out)
    assert 2048 <= found["lower"] < found["upper"] == 65536 and found["outside"] == 0.2 and "nats left" in err
    with (tmp_path / "receipts.csv").open() as file:
        spent = [float(row["spent"]) for row in csv.DictReader(file)]
    assert spent[0] == spent[2] == pytest.approx(0.6) and spent[0] <= spent[1] <= 1.2
    assert main(["published", "ledger.json"]) == 0 and json.loads(capsys.readouterr().out) == found
    rows[7] = "u7,1,curator,1,nan"
    (tmp_path / "users.csv").write_text("user,epsilon,trust,records,value\n" + "\n".join(rows))
    assert main([*asked, "--new-ledger", "other.json"]) == 2 and not (tmp_path / "other.json").exists()


def test_a_plan_says_what_clipping_costs(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    rows = [f"u{i},1,curator,1,0" for i in range(50)]
    (tmp_path / "users.csv").write_text("user,epsilon,trust,records,value\n" + "\n".join(rows))
    assert main(["plan", "users.csv", "--tail", "2", "0.25"]) == 0
    assert "clipping: moves the mean by at most 0.03125, if" in capsys.readouterr().out
