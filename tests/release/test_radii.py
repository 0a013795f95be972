"""Error bars of plans: OpenDP's law of the noise by SciPy, runs of whole releases, and what must not narrow them."""

import math
from fractions import Fraction

import numpy as np
import pytest

from hdp import adpm, affine, intervals
from hdp.compare import Population
from hdp.release import Radii, plan, radii
from hdp.release.bits import chance_of_a_lie
from hdp.release.measuring import integers

RUNS = 20_000
MANY = [0.1] * 700 + [1.0] * 300


@pytest.mark.settles("hdp-interval-radius")
def test_radii_of_a_fine_plan_are_those_of_its_weights():
    w = adpm.weights(MANY)
    scale = affine.noise_scale(w, MANY)
    found = radii(plan(MANY), 0.05)
    assert found.noise == pytest.approx(intervals.noise_radius(scale, 0.05), rel=1e-6)
    assert found.population == pytest.approx(intervals.population_radius(w, scale, 0.05), rel=1e-6)


def test_the_noise_of_local_reports_counts_with_twice_its_squared_scale():
    """With V = 2 n s^2 and c = s, the best rate gives c log(2/beta) + sqrt(2 V log(2/beta)), as Bernstein's bound."""
    made = plan(Population([2.0] * 400, "local"), "mixed", reports="noisy")
    scale = made.kinds.weight[0] * 2.0**made.bits / made.kinds.share[0]
    log, v = math.log(2 / 0.05), 2 * 400 * scale**2
    assert radii(made, 0.05).noise == pytest.approx(scale * log + math.sqrt(2 * v * log), rel=1e-6)


@pytest.mark.parametrize("sizes", [[400], [300, 200]])
def test_the_noise_of_bits_is_that_of_numbers_as_far_apart_as_the_reports(sizes):
    """By Hoeffding's bound; the two numbers that a user may report are 1 / tanh(epsilon / 2) apart."""
    budgets, count = np.array([0.5, 1.0])[: len(sizes)], np.array(sizes)
    made = plan(Population(np.repeat(budgets, count), "local"), "mixed")
    assert made.kinds.bit.all() and made.kinds.users.tolist() == sizes
    spread = np.sum(count * (made.kinds.weight / np.tanh(budgets / 2)) ** 2)
    assert radii(made, 0.05).noise == pytest.approx(math.sqrt(spread / 2 * math.log(2 / 0.05)), rel=1e-6)


@pytest.mark.parametrize("noise", ["laplace", "gaussian"])
@pytest.mark.parametrize("reports", ["simple", "noisy"])
def test_one_of_several_releases_errs_as_a_single_one_with_its_part_of_the_budgets(noise, reports):
    several, single = (
        plan(Population([e] * 300 + [2 * e] * 300, "local"), "mixed", noise=noise, reports=reports, releases=k)
        for e, k in ((2.0, 4), (0.5, 1))
    )
    assert several.kinds.bit.all() == single.kinds.bit.all() == (reports == "simple")
    assert several.error.total == pytest.approx(single.error.total, rel=1e-6)
    bars, other = radii(several, 0.05), radii(single, 0.05)
    assert (bars.noise, bars.population) == pytest.approx((other.noise, other.population), rel=1e-6)


def test_radii_are_in_the_unit_of_the_values():
    one, other = (radii(plan(MANY, bits=12, lower=low, upper=high), 0.05) for low, high in ((0, 1), (-3, 4)))
    assert other.noise == pytest.approx(7 * one.noise) and other.population == pytest.approx(7 * one.population)


@pytest.mark.parametrize("budgets", [[0.0, 1.0] * 50, [1e-15] * 2 + [1.0] * 100])
def test_whoever_hardly_takes_part_changes_no_radius(budgets):
    """Nor is anything divided by what her bit would tell."""
    used = [e for e in budgets if e == 1]
    some, all_of_them = (radii(plan(e, bits=40), 0.05) for e in (used, budgets))
    assert some == pytest.approx(all_of_them, rel=1e-9)


def test_radii_without_laplace_noise_are_known():
    """A constant answer errs by half the interval, public values have no noise, and Gaussian noise counts as such."""
    assert radii(plan([0.1, 0.1], lower=2.0, upper=5.0), 0.05) == Radii(1.5, 1.5)
    found = radii(plan([math.inf] * 400), 0.05)
    assert found.noise < 1e-6
    assert found.population == pytest.approx(math.sqrt(math.log(40) / 800), rel=1e-6)
    made = plan([0.05] * 1000, noise="gaussian", bits=20)
    scale = made.scale / made.total
    assert radii(made, 0.05).noise == pytest.approx(scale * math.sqrt(2 * math.log(40)), rel=1e-3)


def discrete(scale, rng, size):
    """Two-sided geometric noise."""
    p = 1 - math.exp(-1 / scale)
    return rng.geometric(p, size) - rng.geometric(p, size)


def simulate(made, people, mean, rng):
    """Errors of many releases: from the values' own weighted mean, and from the mean; values lie on ends or ties."""
    kind, c = made.kind_of(people), 2**made.bits
    table, population, noise = made.kinds, np.zeros(RUNS), np.zeros(RUNS)
    own = made.curator_weight / made.total if made.total else 0.0
    for row, users in enumerate(np.bincount(kind)):
        share, bit = int(table.share[row]), table.bit[row]
        weight = own * share if table.counted[row] else table.weight[row]
        ones = rng.binomial(users, mean, RUNS)
        population += weight * (ones - users * mean)
        if bit:
            lie = float(chance_of_a_lie(made.part[row : row + 1])[0])
            told = rng.binomial(ones, 1 - lie) + rng.binomial(users - ones, lie)
            noise += weight * ((told - users * lie) / (1 - 2 * lie) - ones)
        elif table.weight[row]:
            noise += weight / share * sum(discrete(c, rng, RUNS) for _ in range(users))
    if own and not made.noiseless:
        noise += own * discrete(made.scale, rng, RUNS)
    return noise, population + noise


PLANS = {
    "adpm": (Population(MANY), {}),
    "coarse": (Population(MANY), dict(bits=3)),
    "noise": (Population([0.02] * 2000), dict(bits=20)),
    "threshold": (Population(MANY), dict(method="threshold", bits=20)),
    "reports": (Population([0.5] * 40 + [6.0] * 10, "local"), dict(method="mixed", reports="noisy", bits=16)),
    "bits": (Population([0.5] * 400, "local"), dict(method="mixed")),
    "mixed": (Population([0.5] * 50 + [1.0] * 300, ["local"] * 50 + ["curator"] * 300), dict(method="mixed")),
}


@pytest.mark.settles("hdp-interval-radius")
@pytest.mark.parametrize("name", PLANS)
def test_error_bars_of_a_plan_cover(name):
    people, options = PLANS[name]
    made, beta = plan(people, **options), 0.05
    assert not made.constant
    bars = radii(made, beta)
    assert bars.noise <= bars.population
    noise, whole = simulate(made, people, 0.5, np.random.default_rng(5))
    most = beta + 3 * math.sqrt(beta * (1 - beta) / RUNS)
    assert np.mean(np.abs(noise) > bars.noise) <= most
    assert np.mean(np.abs(whole) > bars.population) <= most
    if name == "noise":  # nearly all of beta is used
        assert np.mean(np.abs(noise) > bars.noise) > 0.8 * beta
        assert np.mean(np.abs(whole) > bars.population) > 0.8 * beta


def test_rounding_is_within_the_error_bar():
    """At one bit of scale values are moved by half a unit of a share: without noise that alone decides."""
    epsilon = np.random.default_rng(3).lognormal(size=40) * 2
    made = plan(epsilon, bits=4)
    share = made.kinds.share[made.kind_of(Population(epsilon))]
    x = (np.floor(share / 2) + 0.499) / np.maximum(share, 1)
    exact = sum(Fraction(int(a)) * Fraction(v) for a, v in zip(share, x, strict=True)) / made.total
    moved = abs(float(Fraction(int(integers(x, share, 0.0, 1.0).sum()), made.total) - exact))
    fine = radii(made, 0.05).noise - intervals.noise_radius(made.scale / made.total, 0.05, 1 / made.total)
    assert 0.9 * fine < moved <= fine
