"""How far answers are said to be off: radii of plans by those of the library, whose mean it is, and when it is none."""

import math
import re
from dataclasses import replace
from fractions import Fraction
from itertools import product

import numpy as np
import pytest

from hdp import ADPM, affine, intervals
from hdp.release import Radii, accuracy, plan, radii, statement, tilt
from hdp.release.accuracy import IF_TOLD, says
from hdp.release.measuring import integers
from hdp.users import Users
from tests.release.test_plans import populations

MANY = [0.1] * 700 + [1.0] * 300


@pytest.mark.settles("hdp-interval-radius")
def test_radii_of_a_fine_plan_are_those_of_its_weights_in_the_unit_of_the_values():
    w = ADPM(MANY).weights
    scale = affine.noise_scale(w, MANY)
    wanted = intervals.noise_radius(scale, 0.05), intervals.population_radius(w, scale, 0.05)
    for low, high in ((0, 1), (-3, 4)):
        assert radii(plan(MANY, lower=low, upper=high)) == pytest.approx(np.multiply(wanted, high - low), rel=1e-6)


@pytest.mark.settles("hdp-interval-radius")
@pytest.mark.parametrize("v", [1e-4, 0.02, 0.2, 0.25])
def test_a_stated_variance_narrows_as_the_library_says_and_never_widens(v):
    made = plan(MANY, "mixed", variance=49 * v, lower=-3, upper=4)
    weights, scale = made.weights[made.kind_of(Users(MANY))], made.scale / made.total
    wanted = 7 * intervals.population_radius(weights, scale, 0.05, variance=v)
    assert radii(made).population == pytest.approx(wanted, rel=1e-6)
    told = [made, plan(Users(MANY, ["local", "curator"] * 500), "mixed", variance=v)]
    for one in [*told, *(made for _, made in populations(60, "mixed", "laplace"))]:
        known, unknown = radii(one), radii(replace(one, variance=None))
        assert known.noise == unknown.noise and known.population <= unknown.population
        assert one not in told or (known.population < unknown.population) == (v < 0.25)


def test_the_noise_of_local_reports_counts_with_twice_its_squared_scale():
    """With V = 2 n s^2 and c = s, the best rate gives c log(2/beta) + sqrt(2 V log(2/beta)), as Bernstein's bound."""
    made = plan(Users([2.0] * 400, "local"), "mixed", reports="noisy")
    scale = made.kinds.weight[0] * 2.0**made.bits / made.kinds.share[0]
    log, v = math.log(2 / 0.05), 2 * 400 * scale**2
    wanted = [scale * log + math.sqrt(2 * spread * log) for spread in (v, v + 400 * made.kinds.weight[0] ** 2 / 4)]
    assert radii(made) == pytest.approx(wanted, rel=1e-6)


@pytest.mark.parametrize("spend", [1, 1 / 3])
def test_the_noise_of_bits_is_that_of_numbers_as_far_apart_as_the_reports(spend):
    """By Hoeffding's bound; the two numbers that a user may report are 1 / tanh(epsilon / 2) apart."""
    budgets, count = np.array([0.5, 1.0]), np.array([300, 200])
    for trusting in (0, 400):
        epsilon, trust = np.repeat([*budgets / spend, 1 / spend], [*count, trusting]), ["local"] * 500
        made = plan(Users(epsilon, trust + ["curator"] * trusting), "mixed", spend=spend)
        local, own = made.kinds.local, made.weights[~made.kinds.local]
        assert made.kinds.bit.tolist() == local.tolist()
        told = np.sum(count * (made.kinds.weight[local] / np.tanh(budgets / 2)) ** 2)
        scale, spread = made.curator_weight * made.scale / max(made.total, 1), trusting * np.sum(own**2)
        wanted = [intervals.tilted(v / 4, 0.0, scale, 0.05) for v in (told, told + spread)]
        assert radii(made) == pytest.approx(wanted, rel=1e-6)
        assert trusting or wanted == pytest.approx([math.sqrt(told / 2 * math.log(2 / 0.05))] * 2)


def test_radii_without_laplace_noise_are_known():
    """A constant answer errs by half the interval, public values have no noise, and Gaussian noise counts as such."""
    assert radii(plan([0.1, 0.1], lower=2.0, upper=5.0)) == Radii(1.5, 1.5)
    assert radii(plan([math.inf] * 400)) == pytest.approx([0, math.sqrt(math.log(40) / 800)], abs=1e-6)
    made = plan([0.05] * 1000, noise="gaussian", bits=20)
    assert radii(made).noise == pytest.approx(made.scale / made.total * math.sqrt(2 * math.log(40)), rel=1e-3)


def test_rounding_is_within_the_error_bar():
    """At few bits of scale values are moved by half a unit of a share: without noise that alone decides."""
    epsilon = np.random.default_rng(3).lognormal(size=40) * 2
    made = plan(epsilon, bits=4)
    share = made.kinds.share[made.kind_of(Users(epsilon))]
    x = (np.floor(share / 2) + 0.499) / np.maximum(share, 1)
    exact = sum(Fraction(int(a)) * Fraction(v) for a, v in zip(share, x, strict=True)) / made.total
    moved = abs(float(Fraction(int(integers(x, share, 0.0, 1.0).sum()), made.total) - exact))
    fine = radii(made, 0.05).noise - intervals.noise_radius(made.scale / made.total, 0.05, 1 / made.total)
    assert 0.9 * fine < moved <= fine


@pytest.mark.parametrize(
    "epsilon", [[1.0] * 6, [2.0] * 3 + [9.0] * 3, [3.0, math.inf, 8.0, 8.0, 1.0, 40.0], [0.1] * 6], ids=str
)
@pytest.mark.parametrize("trust", ["curator", "local"])
def test_the_mean_of_the_users_is_no_further_away_than_is_said(epsilon, trust, monkeypatch):
    """Of all values at the ends of [10, 30] the farthest weighted mean; one sentence in plan, page and statement."""
    made = plan(Users(epsilon, trust), "mixed", lower=10.0, upper=30.0)
    values = np.array(list(product((10.0, 30.0), repeat=6)))
    weights = made.weights[made.kind_of(Users(epsilon, trust))]
    farthest = 0.0 if made.constant else np.abs(values @ weights - values.mean(axis=1)).max()
    assert tilt(made) == pytest.approx(farthest, abs=1e-12)
    monkeypatch.setattr(accuracy, "radii", lambda _: Radii(0.0, 9.0))
    assert ("these very users" in says(made)) == ("these very users" in statement(made)) == (tilt(made) > 0)


def test_an_answer_is_of_no_use_from_half_of_the_interval_on(monkeypatch):
    found = []
    for made in (*(plan([1.0] * n, lower=-3, upper=4) for n in range(1, 30)), *(made for _, made in populations(60))):
        found.append(radii(made).population >= (made.upper - made.lower) / 2)
        assert says(made).startswith("of no use: ") == found[-1]
        assert radii(made).population <= float(re.search("within (.*?) of", says(made))[1])
        assert (IF_TOLD in says(made)) == (made.variance is not None or made.method == "truncated")
    assert {*found[:29]} == {True, False}
    for radius in (3.5, math.nextafter(3.5, 0)):
        monkeypatch.setattr(accuracy, "radii", lambda _, radius=radius: Radii(0.0, radius))
        assert says(plan([1.0] * 9, lower=-3, upper=4)).startswith("of no use") == (radius == 3.5)
