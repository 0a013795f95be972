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
    wanted = [scale * log + math.sqrt(2 * spread * log) for spread in (v, v + 400 * made.kinds.weight[0] ** 2 / 4)]
    assert [radii(made, 0.05).noise, radii(made, 0.05).population] == pytest.approx(wanted, rel=1e-6)


@pytest.mark.parametrize("releases", [1, 3])
def test_the_noise_of_bits_is_that_of_numbers_as_far_apart_as_the_reports(releases):
    """By Hoeffding's bound; the two numbers that a user may report are 1 / tanh(epsilon / 2) apart."""
    budgets, count = np.array([0.5, 1.0]), np.array([300, 200])
    made = plan(Population(np.repeat(budgets * releases, count), "local"), "mixed", releases=releases)
    assert made.kinds.bit.all() and made.kinds.users.tolist() == [300, 200]
    spread = np.sum(count * (made.kinds.weight / np.tanh(budgets / 2)) ** 2)
    bars = radii(made, 0.05)
    assert bars.noise == bars.population == pytest.approx(math.sqrt(spread / 2 * math.log(2 / 0.05)), rel=1e-6)


def test_radii_are_in_the_unit_of_the_values():
    one, other = (radii(plan(MANY, bits=12, lower=low, upper=high), 0.05) for low, high in ((0, 1), (-3, 4)))
    assert other.noise == pytest.approx(7 * one.noise) and other.population == pytest.approx(7 * one.population)


@pytest.mark.parametrize("budgets", [[0.0, 1.0] * 50, [1e-15] * 2 + [1.0] * 100])
def test_whoever_hardly_takes_part_changes_no_radius(budgets):
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


@pytest.mark.settles("hdp-interval-radius")
def test_error_bars_of_bits_and_of_a_curators_sum_cover():
    made, beta = plan(Population([0.5] * 50 + [1.0] * 300, ["local"] * 50 + ["curator"] * 300), "mixed", bits=3), 0.05
    assert made.kinds.bit.tolist() == [True, False] and made.kinds.users.tolist() == [50, 300]
    rng, bars = np.random.default_rng(5), radii(made, beta)
    one, own = made.weights
    lie, p = float(chance_of_a_lie(0.5)), 1 - math.exp(-1 / made.scale)
    ones, others = rng.binomial(50, 0.5, RUNS), rng.binomial(300, 0.5, RUNS)
    told = rng.binomial(ones, 1 - lie) + rng.binomial(50 - ones, lie)
    noise = one * ((told - 50 * lie) / (1 - 2 * lie) - ones)
    noise += made.curator_weight / made.total * (rng.geometric(p, RUNS) - rng.geometric(p, RUNS))
    most = beta + 3 * math.sqrt(beta * (1 - beta) / RUNS)
    assert np.mean(np.abs(noise) > bars.noise) <= most
    assert np.mean(np.abs(noise + one * (ones - 25) + own * (others - 150)) > bars.population) <= most


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
