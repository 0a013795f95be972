"""The baselines: one contract over all of them, exact errors against brute force, and their privacy."""

import bisect
import math
from fractions import Fraction
from itertools import permutations, product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from hdp import ADPM, baselines
from hdp.baselines import BASELINES, privacy_loss_witness, sampling
from hdp.baselines.sampling import coins, draw_masks, inclusion, sample_size_law
from hdp.laplace_sum import LaplaceMixture
from hdp.proof import assert_monte_carlo
from hdp.sym.heterogeneous_budgets import experiments as sym
from tests.oracles import budgets, inf, thorough

EXACT = 1e-13
ALL = tuple(BASELINES)
EVERY = pytest.mark.parametrize("name", ALL)
UNBIASED = [name for name in ALL if name != "stretching"]
USERS = np.array([0.3, 0.3, 0.5, 1.0, 1.0, 2.0, 2.0, 2.5])
VECTORS = {
    "no public": USERS,
    "two groups": np.repeat([0.5, 2.0], [5, 3]),
    "public and unusable": np.array([0.3, 0.3, 0.5, 1.0, 2.0, inf, inf, 0.0]),
    "many levels": np.exp(np.linspace(-2, 1, 40)),
}
DATA = {
    "fair coin": (lambda rng, shape: rng.integers(0, 2, shape) - 0.5, 0.0, 0.25),
    "Beta(2,3) - 1/2": (lambda rng, shape: rng.beta(2, 3, shape) - 0.5, -0.1, 0.04),
}


# The contract


@pytest.mark.parametrize("case", list(product(ALL, VECTORS)), ids=str)
def test_estimate_is_reproducible_and_works_on_the_last_axis(case):
    """A seed or an equal generator gives equal output; (..., n) becomes (...); one data set becomes a float."""
    name, epsilon = case[0], VECTORS[case[1]]
    x = np.random.default_rng(1).uniform(-0.5, 0.5, (3, 4, epsilon.size))
    first = baselines.estimator(name, epsilon).estimate(x, 7)
    assert first.shape == (3, 4) and np.isfinite(first).all() and np.unique(first).size == 12
    np.testing.assert_array_equal(first, baselines.estimator(name, epsilon).estimate(x, np.random.default_rng(7)))
    assert type(baselines.estimator(name, epsilon).estimate(list(x[0, 0]), 7)) is float
    assert baselines.estimator(name, epsilon).estimate(x[:0], 7).shape == (0, 4)


@EVERY
@pytest.mark.parametrize("epsilon", VECTORS.values(), ids=VECTORS)
@pytest.mark.parametrize("data", DATA)
def test_expected_error_agrees_with_monte_carlo(name, epsilon, data):
    """The squared error, and the mean of the unbiased ones, within 4 standard errors."""
    draw, mean, variance = DATA[data]
    rng = np.random.default_rng(3)
    estimates = baselines.estimator(name, epsilon).estimate(draw(rng, (60_000, epsilon.size)), rng)
    assert_monte_carlo((estimates - mean) ** 2, baselines.expected_mse(name, epsilon, variance, mean))
    if name in UNBIASED:
        assert_monte_carlo(estimates, mean)


@pytest.mark.parametrize("epsilon", VECTORS.values(), ids=VECTORS)
def test_panel_has_the_same_errors(epsilon):
    """All at once on shared noise, within 4 standard errors each."""
    rng = np.random.default_rng(5)
    found = baselines.panel(epsilon, ALL)(rng.uniform(-0.5, 0.5, (60_000, epsilon.size)), rng)
    assert list(found) == list(ALL)
    for name, estimates in found.items():
        assert_monte_carlo(estimates**2, baselines.expected_mse(name, epsilon, 1 / 12))
    masked = np.ma.zeros((3, epsilon.size))
    masked[0, 0] = np.ma.masked
    for x, message in ((np.zeros(epsilon.size), "x must have shape"), (masked, "x must not be masked")):
        with pytest.raises(ValueError, match=message):
            baselines.panel(epsilon)(x, rng)


def test_each_run_has_its_own_noise():
    """More runs than a block of SM has rows: on zeros its answers follow those of UNI, but for the sample's size."""
    n = 2**17
    found = baselines.panel(np.linspace(0.5, 2.0, n), ("sm", "uni"))(np.zeros((6, n)), np.random.default_rng(6))
    ratio = found["sm"] / found["uni"]
    np.testing.assert_allclose(ratio, ratio[0], rtol=0.02)


@thorough
@given(epsilon=budgets(max_size=12), order=st.randoms(use_true_random=False), v=st.floats(0, 0.16))
def test_permutations_and_unusable_users_change_nothing(epsilon, order, v):
    """Renumbering the users, and adding one with budget 0, leave the error as it is."""
    shuffled = [*epsilon, 0.0]
    order.shuffle(shuffled)
    errors = [[baselines.expected_mse(name, e, v, 0.3) for name in ALL] for e in (shuffled, epsilon)]
    np.testing.assert_allclose(*errors, rtol=EXACT, err_msg=str(ALL))


EXTREMES = [[1e-300, 1e300], [1e-300] * 3, [5e-324, 1.0], [1e300, 1e300], [1.7e308] * 3, [1e-300, inf], [800, 700, 1]]


@pytest.mark.parametrize("case", list(product(ALL, EXTREMES)), ids=str)
def test_extreme_budgets_are_silent(case):
    """No warning, no NaN; the error may be infinite."""
    name, epsilon = case
    with np.errstate(all="raise"):
        error = baselines.expected_mse(name, epsilon, 0.2)
    assert error >= 0
    if error < 1e100:
        assert np.isfinite(baselines.estimator(name, epsilon).estimate(np.zeros(len(epsilon)), 1))


def test_the_least_data_are_silent():
    """Their products with the weights are no floats."""
    with np.errstate(all="raise"):
        baselines.panel([0.5, 1.0])(np.full((2, 2), 5e-324), 1)


# Exact errors, by definition and in fractions


@thorough
@given(e=st.lists(st.floats(1e-4, 10), min_size=1, max_size=8))
def test_fme_agrees_with_the_reconstruction_in_words(e):
    """The smallest k with eps_(k+1) > 1/sqrt(n - k), strictly, compared by squares."""
    ascending, n = sorted(map(Fraction, e)), len(e)
    k = next((k for k in range(n) if ascending[k] ** 2 * (n - k) > 1), n)
    if k < n and abs(float(ascending[k] ** 2 * (n - k)) - 1) < 1e-12:
        return  # the floating-point square root may decide such a tie either way
    clipped = [float(x) for x in ascending[:k]] + [1 / math.sqrt(n - k) for _ in range(n - k)]
    total = math.fsum(clipped)
    expected = sum((c / total) ** 2 for c in clipped) / 4 + 2 / total**2
    assert baselines.expected_mse("fme", e) == pytest.approx(expected, rel=EXACT, abs=0)


def over_samples(kept, dropped, value):
    """The mean of a function of who is kept."""
    total = 0.0
    for who in map(np.array, product([False, True], repeat=len(kept))):
        chance = np.prod(np.where(who, kept, dropped))
        if chance > 0:
            total = total + chance * value(who)
    return total


@pytest.mark.parametrize(("distinct", "alike"), [*((d, 30) for d in (1, 63, 64, 65, 200, 1000)), (1, 7000)])
def test_sample_size_law_is_the_same_one_coin_at_a_time(distinct, alike):
    """Groups and users of their own together, by adding one user after the other."""
    kept, dropped = inclusion(np.append(np.linspace(0.1, 3.0, distinct), np.repeat([0.5, 3.5], [alike, 2])))
    law = np.ones(1)
    for p, q in zip(kept, dropped, strict=True):
        law = np.convolve(law, [q, p])
    smallest, found = sample_size_law(kept, dropped)
    np.testing.assert_allclose(found, law[smallest : smallest + found.size], rtol=1e-11, atol=1e-60)
    assert law[:smallest].sum() + law[smallest + found.size :].sum() < 1e-55


def test_adpm_is_algorithm_1():
    """Bit by bit the same release; where it answers 0, the error is the squared mean."""
    x = np.random.default_rng(1).uniform(-0.5, 0.5, (50, USERS.size))
    np.testing.assert_array_equal(baselines.estimator("adpm", USERS).estimate(x, 3), ADPM(USERS).estimate(x, 3))
    assert baselines.expected_mse("adpm", USERS) == pytest.approx(ADPM(USERS).mse(), rel=EXACT)
    assert baselines.estimator("adpm", [0.1, 0.1]).estimate([0.5, 0.5], 1) == 0.0
    assert baselines.expected_mse("adpm", [0.1, 0.1], 0.1, 0.3) == pytest.approx(0.09, rel=1e-15)


# Table II

PRINTED = {  # log MSE: high and low variance of the budgets
    "adpm": (-9.3, -8.1),
    "propdpm": (-9.0, -8.1),
    "ldpe-users": (-7.2, -1.3),
    "sm": (-6.5, -7.9),
    "fme": (-6.2, -6.2),
    "uni": (-5.1, -7.1),
}


@pytest.mark.settles("cc-table-2")
@pytest.mark.parametrize("case", list(product(PRINTED, [(0, -4, 2), (1, -3, -2)])), ids=str)
def test_table_2(case):
    """The printed value lies within the spread of twenty drawings of the budgets, widened by its rounding."""
    name, (column, low, high) = case
    rng = np.random.default_rng(2023)
    logs = [math.log(baselines.expected_mse(name, np.exp(rng.uniform(low, high, 1000)), 0.04)) for _ in range(20)]
    assert min(logs) - 0.06 <= PRINTED[name][column] <= max(logs) + 0.06


@pytest.mark.settles("cc-table-2")
def test_four_rows_of_table_2_by_hand():
    """Equal weights, those in proportion to the budgets, local noise with those inverse to the variances; a sample."""
    e, v = np.exp(np.linspace(-2, 1, 40)), 0.04
    local = 1 / (1 / 4 + 2 / e**2)
    w = local / local.sum()
    by_hand = {
        "uni": v / 40 + 2 / (40 * e.min()) ** 2,
        "propdpm": (v * (e @ e) + 2) / e.sum() ** 2,
        "ldpe-users": w**2 @ (v + 2 / e**2),
    }
    for name, error in by_hand.items():
        assert baselines.expected_mse(name, e, v) == pytest.approx(error, rel=1e-12), name
    size = 3 + np.arange(6)  # of the sample: three are always kept, each of the other five with this chance
    law = stats.binom.pmf(np.arange(6), 5, np.expm1(0.5) / np.expm1(2))
    by_size = law @ (v / size + 2 / (2 * size) ** 2)
    assert baselines.expected_mse("sm", VECTORS["two groups"], v) == pytest.approx(by_size, rel=1e-12)


# Privacy


@thorough
@given(epsilon=budgets(max_size=12))
def test_no_affine_baseline_exceeds_a_budget(epsilon):
    """Loss of user i: her weight over the scale of the noise that covers it; her group's own for LDPE."""
    usable = np.array(epsilon) > 0
    levels = np.array(epsilon)[usable]
    groups = {"ldpe-users": np.arange(levels.size), "ldpe": np.unique(levels, return_inverse=True)[1]}
    for name in set(ALL) - {"sm"}:
        mechanism = BASELINES[name].mechanism(epsilon)
        w, scales = mechanism.weights, mechanism.scales
        scale = np.full(len(epsilon), scales[0] if scales.size and name not in groups else inf)
        if name in groups:
            scale[usable] = scales[groups[name]]
        used = w > 0
        loss = np.divide(w[used], scale[used], out=np.full(used.sum(), inf), where=scale[used] > 0)
        assert (loss <= np.array(epsilon)[used] * (1 + 1e-14)).all(), name


@pytest.mark.parametrize("epsilon", [[1e-305, 1e12], [1e-290, 1e-160, 1e28], [3e-300, 1e15, 1e15]], ids=str)
def test_stretching_keeps_a_budget_whose_weight_lacks_digits(epsilon):
    """Where its weight is below the least normal float, and rounded up by a part of itself."""
    mechanism = BASELINES["stretching"].mechanism(epsilon)
    for w, budget in zip(mechanism.weights.tolist(), epsilon, strict=True):
        assert Fraction(w) <= Fraction(budget) * Fraction(float(mechanism.scales[0])) * (1 + Fraction(1, 2**50))


def density(y, x, epsilon):
    """Exact output density of SM: a mixture over who is kept."""
    x, t = np.asarray(x), max(epsilon)
    return over_samples(*inclusion(np.asarray(epsilon)), lambda who: mean_of_all(y, x[who], t))


def largest_loss(epsilon, user):
    """Log-ratio of densities, over outputs at all cusps and between, others' data on a grid, her values at the ends."""
    grid = np.linspace(-0.5, 0.5, 5)
    outputs = np.unique(np.concatenate([np.linspace(-0.5, 0.5, 1 + 60), np.linspace(-1, 1, 81)]))
    found = 0.0
    for others in product(grid, repeat=len(epsilon) - 1):
        high, low = np.insert(others, user, 0.5), np.insert(others, user, -0.5)
        ratio = np.log(density(outputs, high, epsilon) / density(outputs, low, epsilon))
        found = max(found, np.abs(ratio).max())
    return found


def test_who_allows_nothing_loses_nothing_in_the_sample():
    """Her value is never kept, where SM keeps its promise and where it does not."""
    for epsilon in ([0.0, 1.0, 1.5], [0.0, 0.1, 0.2], [0.0, 2.0, 0.0, 1.0]):
        mechanism = BASELINES["sm"].mechanism(epsilon)
        strict = np.equal(epsilon, 0)
        assert (mechanism.kept[strict] == 0).all() and (mechanism.dropped[strict] == 1).all()
        assert (mechanism.loss[strict] == 0).all() and (mechanism.loss[~strict] > 0).all()


def test_a_sample_of_more_than_two_to_the_sixteen_users_is_counted():
    """At hardly any noise the mean of equal values is that value."""
    sampling = baselines.Sampling(*(np.full(70_005, p) for p in (0.999, 0.001)), 1e6, np.full(70_005, 1e6))
    assert sampling.estimate(np.full(70_005, 0.25), np.random.default_rng(1)) == pytest.approx(0.25, abs=1e-6)


def test_few_cusps_of_many_say_the_same(monkeypatch):
    """The largest ratio is at the ends or near the mean, and any ratio is a lower bound."""
    budgets = np.repeat([0.1, 0.5], 2000)
    every = privacy_loss_witness(budgets)
    monkeypatch.setattr(sampling, "_CUSPS", 64)
    some = privacy_loss_witness(budgets)
    assert (some <= every).all() and some[0] > 0.1
    np.testing.assert_allclose(some, every, rtol=1e-3)


@pytest.mark.settles("cc-baseline-sm", "cc-sampling-loss")
def test_sampling_breaks_its_promise_when_a_value_is_replaced():
    """Budgets ln(5/4) and ln(9/4): user 1 loses ln(21/16), exactly the closed form, and no data set gives more."""
    epsilon = np.log([5 / 4, 9 / 4])
    assert largest_loss(epsilon, 0) == pytest.approx(math.log(21 / 16), rel=1e-12)
    np.testing.assert_allclose(baselines.privacy_loss_witness(epsilon), np.log([21 / 16, 9 / 4]), rtol=1e-12)


def mean_of_all(y, x, t):
    """Density of the mean of everybody with noise of scale 1/(m t): SM where all budgets are t."""
    return stats.laplace.pdf(y, np.mean(x), 1 / (len(x) * t))


@pytest.mark.settles("cc-baseline-sm")
def test_sampling_breaks_its_promise_when_a_record_joins():
    """Nine users with budget 1 and a tenth: 10 - ln(10/9) at the output 10, and more at any larger one."""
    nine, ten = np.zeros(9), np.zeros(10)
    np.testing.assert_array_equal(inclusion(np.ones(10))[0], 1)  # all are kept
    assert density(0.3, ten[:3], np.ones(3)) == pytest.approx(mean_of_all(0.3, ten[:3], 1.0))
    for y in (2.0, 10.0, 30.0):
        loss = np.log(mean_of_all(y, nine, 1.0) / mean_of_all(y, ten, 1.0))
        stated = sym.joining_loss.subs({sym.m: 9, sym.t: 1, sym.x: 0})
        assert loss == pytest.approx(y - math.log(10 / 9), rel=1e-12) == float(stated.subs(sym.y, y))


@pytest.mark.settles("cc-baseline-sm")
@pytest.mark.parametrize("second", [0.12, 0.3, 0.5, 0.9])
def test_sampling_breaks_its_promise_in_every_figure(second):
    """Figures 1(A) and 3(A) for any n; 1(B) and 3(B), 0.088 % at eps_2 = 0.5."""
    for users in (10, 400, 4000):
        assert baselines.privacy_loss_witness(np.repeat([0.1, 0.15], users // 2))[0] > 0.1
    loss = baselines.privacy_loss_witness(np.repeat([0.1, second], [700, 300]))[0]
    assert loss > 0.1 and (second != 0.5 or round(100 * (loss / 0.1 - 1), 3) == 0.088)


def fixed_noise(y, x, kept, t):
    """Density of the sum over the sample plus Laplace noise of scale 1/t."""
    return over_samples(kept, 1 - kept, lambda who: stats.laplace.pdf(y, np.sum(x[who]), 1 / t))


@pytest.mark.settles("cc-baseline-sm")
@pytest.mark.parametrize("epsilon", [np.log([5 / 4, 9 / 4]), np.array([0.1, 0.15, 0.15]), np.array([0.2, 0.7, 2.0])])
def test_noise_of_a_fixed_scale_keeps_the_budgets(epsilon):
    """In both senses: user 1's value is replaced, or she is not there; the mean's own noise fails in both."""
    kept, t, y = inclusion(epsilon)[0], epsilon.max(), np.linspace(-3, 3, 601)
    for others in product([-0.5, 0.0, 0.5], repeat=len(epsilon) - 1):
        with_her = [fixed_noise(y, np.array([value, *others]), kept, t) for value in (-0.5, 0.0, 0.5)]
        without = fixed_noise(y, np.array(others), kept[1:], t)
        for a, b in permutations([*with_her, without], 2):
            assert np.log(a / b).max() <= epsilon[0] * (1 + 1e-12)


@pytest.mark.parametrize("t", [2 * math.log(2), 2.0, 4.0])
@pytest.mark.parametrize("others", [(), (0.3,), (0.7, 0.7)], ids=str)
def test_sampling_is_private_for_a_generous_maximum(t, others):
    """From t = 2 ln 2 on, whatever the others allow."""
    epsilon = [0.2, *others, t]
    assert largest_loss(epsilon, 0) <= 0.2 * (1 + 1e-9)


def test_sampling_audit():
    """The implementation has the law of the counterexample: frequency of outputs near 0 on both data sets."""
    epsilon, runs, width = np.log([5 / 4, 9 / 4]), 400_000, 0.05
    p, t = inclusion(epsilon)[0][0], epsilon[1]
    for high in (0.5, -0.5):
        x = np.broadcast_to([high, -0.5], (runs, 2))
        hits = np.abs(baselines.estimator("sm", epsilon).estimate(x, 1)) < width
        both, alone = stats.laplace((high - 0.5) / 2, 1 / (2 * t)), stats.laplace(-0.5, 1 / t)
        inside = [law.cdf(width) - law.cdf(-width) for law in (both, alone)]
        assert_monte_carlo(hits.astype(float), p * inside[0] + (1 - p) * inside[1])


# The fast exact draws


def test_masks_have_exact_probabilities_and_are_independent():
    """Every probability within 4 standard errors, also below one byte's resolution; pairs uncorrelated."""
    p = np.array([0.0, 1e-3, 1 / 300, 0.1, 0.5, 129.5 / 256, 0.9, 254.5 / 256, 255.7 / 256, 1.0])
    masks = draw_masks(coins(p), 400_000, np.random.default_rng(1)).astype(float)
    assert not masks[:, 0].any() and masks[:, -1].all()
    inner, q = masks[:, 1:-1], p[1:-1]
    assert (np.abs(inner.mean(axis=0) - q) < 4 * np.sqrt(q * (1 - q) / len(masks))).all()
    correlation = np.corrcoef(inner.T)[np.triu_indices(q.size, 1)]
    assert np.abs(correlation).max() < 4 / math.sqrt(len(masks))


def test_coins_fall_with_their_probabilities():
    """A byte and the flips that are needed of a Poisson number, in fractions: up to rounding, and to 1e-18.

    `Generator.random` returns one of 2^53 numbers, of which some are below the share of the flips that a user needs.
    """
    p = np.concatenate([np.arange(513) / 512, np.random.default_rng(3).random(1000), [1e-300, 1e-9, 1 - 1e-9]])
    tossed = coins(p)
    assert tossed.most <= -math.log1p(-1 / 128)
    for chance, byte, always, yes, rate in zip(p, *tossed[:-1], strict=True):
        needed = bisect.bisect_left(range(2**53), rate, key=lambda k: tossed.most * (k / 2**53))
        share = float(Fraction(tossed.most) * needed / 2**53)
        says_yes, stays = Fraction(256 if always else int(byte), 256), Fraction(math.exp(-share))
        found = says_yes + (1 - says_yes) * Fraction(-math.expm1(-share)) if yes else says_yes * stays
        assert abs(found - Fraction(chance)) <= Fraction(chance) * Fraction(1, 10**15) + Fraction(1, 10**18)


def test_fme_clips_nobody_at_a_budget_that_the_level_only_equals():
    """Four users: 1/2 does not exceed 1/sqrt(4), so k is not 0 but 1, and the others are cut to 1/sqrt(3)."""
    assert baselines.BASELINES["fme"].mechanism([0.5, 1.0, 1.0, 1.0]).scales == pytest.approx(1 / (0.5 + 3**0.5))


@pytest.mark.parametrize("table", [2**25, 0])
@pytest.mark.parametrize("scales", [np.full(20, 0.3), np.exp(np.linspace(-5, 1, 200)), np.array([1.0, 2.0, 0.0])])
def test_sums_of_laplace_noise_have_the_right_characteristic_function(scales, table, monkeypatch):
    """E cos(u T) is the product of 1/(1 + s^2 u^2), from the bulk to the tail; also noise by noise, without a table."""
    monkeypatch.setattr("hdp.laplace_sum._TABLE", table)
    draws = LaplaceMixture(scales).sample(np.random.default_rng(2), 400_000)
    spread = math.sqrt(2 * np.sum(scales**2))
    assert_monte_carlo(draws, 0.0)
    assert_monte_carlo(draws**2, spread**2)
    for u in np.array([0.3, 1.0, 2.0]) / spread:
        assert_monte_carlo(np.cos(u * draws), np.prod(1 / (1 + (scales * u) ** 2)))
