"""Weights, baselines and Algorithm 1 for users with several samples, with its simulation."""

from fractions import Fraction
from itertools import product
from math import comb

import numpy as np
import pytest
import sympy as sp
from scipy.linalg import null_space
from scipy.stats import betabinom, binom

from hdp import user_level
from hdp.proof import assert_monte_carlo
from hdp.sym.user_level import model as sym
from tests.oracles import convex_weights, inf
from tests.user_level.common import beta, samples


@pytest.mark.settles("cfmt-ideal-weights")
@pytest.mark.parametrize("seed", range(5))
def test_ideal_weights_agree_with_a_convex_solver(seed):
    """The least variance among weights that sum to 1."""
    rng = np.random.default_rng(seed)
    k, p = rng.integers(1, 200, 8), rng.uniform(0.2, 0.8)
    sigma = rng.uniform(0, np.sqrt(p * (1 - p)))
    w = convex_weights(1e3 * user_level.sample_mean_variance(p, sigma, k), np.zeros(8), 1.0)
    np.testing.assert_allclose(user_level.ideal_weights(k, p, sigma), w, atol=1e-6)


@pytest.mark.settles("cfmt-estimand")
def test_the_best_estimate_of_the_mean_is_not_the_best_of_a_users_own_mean():
    """Simulated: many users of a hundred samples each; hers misses her p_i by less than everybody's."""
    rng, runs, p, spread = np.random.default_rng(3), 4000, 0.5, 0.1
    k, shape = np.full(300, 100), (0.25 / spread**2 - 1) / 2
    own = rng.beta(shape, shape, (runs, k.size))
    p_hat = rng.binomial(k, own) / k
    everybody = (p_hat @ user_level.ideal_weights(k, p, spread) - own[:, 0]) ** 2
    hers = ((p_hat - own) ** 2).mean(axis=1)  # of each of them
    assert_monte_carlo(hers, user_level.sample_mean_variance(p, spread, 100) - spread**2)
    assert everybody.mean() > 0.9 * spread**2 > 3 * hers.mean()


def test_limits_of_the_weights():
    """sigma_p -> 0: by samples; largest sigma_p: alike; k -> infinity: capped at p(1-p)/sigma_p^2."""
    k = np.array([60.0, 30, 10])
    np.testing.assert_allclose(user_level.ideal_weights(k, 0.3, 0), k / 100, rtol=1e-14)
    np.testing.assert_allclose(user_level.ideal_weights(k, 0.3, 1e-8), k / 100, rtol=1e-11)
    np.testing.assert_allclose(user_level.ideal_weights(k, 0.3, np.sqrt(0.21)), 1 / 3, rtol=1e-14)
    endless, one = user_level.ideal_weights([inf, 1], 0.5, 0.1)
    assert endless / one == pytest.approx(25, rel=1e-13)
    far = user_level.ideal_weights([10**12, 1], 0.5, 0.1)
    assert far[0] == pytest.approx(endless, rel=1e-9)
    np.testing.assert_array_equal(user_level.ideal_weights([inf, 5], 0.5, 0), [1, 0])
    np.testing.assert_array_equal(user_level.ideal_weights([9, 5], 1, 0), 0.5)


@pytest.mark.settles("cfmt-ideal-variance", "hdp-ideal-variance")
@pytest.mark.parametrize("seed", range(20))
def test_variance_lies_between_the_cap_and_twice_it(seed):
    """sigma_ideal^2 sum min(k_i/(p(1-p)), sigma_p^-2) in [1, 2]; the printed sum has p(1-p) and 1 + p(1-p)."""
    rng = np.random.default_rng(seed)
    k, p = np.exp(rng.uniform(0, 9, 30)), rng.uniform(0.001, 0.999)
    a = p * (1 - p)
    sigma = np.sqrt(a) * np.exp(rng.uniform(-9, 0))
    least = user_level.baseline_variance("ideal", k, p, sigma)
    counted = np.minimum(k, a / sigma**2)
    assert user_level.variance_of(counted / counted.sum(), k, p, sigma) <= 9 / 8 * least * (1 + 1e-12)
    caps = (sp.lambdify((sym.k, sym.p, sym.sigma_p), cap) for cap in (sym.cap, sym.printed_cap))
    true, printed = (least * sum(cap(samples, p, sigma) for samples in k) for cap in caps)
    assert 1 - 1e-12 <= true < 2 and a * (1 - 1e-12) <= printed < 1 + a + 1e-12
    rich = np.append(np.ones(1000), 1000.0)  # half of the weight counts in full, half only half: nearly 9/8
    sharp = user_level.variance_of(rich / 2000, rich, 0.5, np.sqrt(0.25 / 1000))
    assert 1.124 < sharp / user_level.baseline_variance("ideal", rich, 0.5, np.sqrt(0.25 / 1000)) < 9 / 8
    size = np.exp(rng.uniform(0, 12))  # both terms are the same at sigma^2 = a/size; at a and at 0 one alone counts
    cap = sp.lambdify((sym.k, sym.p, sym.sigma_p), sym.cap)
    for deviation, expected in ((np.sqrt(a / size), 2 - 1 / size), (np.sqrt(a) * (1 - 1e-15), 1), (1e-9 * a, 1)):
        variance = user_level.sample_mean_variance(p, deviation, size)
        assert variance * cap(size, p, deviation) == pytest.approx(expected, rel=1e-9)


@pytest.mark.settles("cfmt-ideal-weights")
def test_baselines_agree_with_the_statement_for_two_groups():
    """Library against `hdp.sym.user_level.model`, on both sides of the median's jump."""
    for heavy in (3, 5, 8):
        point = {sym.p: sp.Rational(3, 10), sym.sigma_p: sp.Rational(1, 10), sym.K: 40, sym.f: sp.Rational(heavy, 10)}
        k = np.repeat([40, 1], [heavy, 10 - heavy])
        for name in user_level.BASELINES:
            stated = float(getattr(sym, name).subs(point)) / 10
            assert user_level.baseline_variance(name, k, 0.3, 0.1) == pytest.approx(stated, rel=1e-13), name


@pytest.mark.settles("cfmt-median-reduction")
@pytest.mark.parametrize(("n", "p"), [(4, 0.5), (5, 0.5), (100, 0.9), (10_000, 0.5), (1_000_000, 0.9)])
def test_the_median_reduction_loses_a_logarithm(n, p):
    """Example 1: k_i = ceil(n/i), sigma_p = n^(-1/2); the ratio exceeds half the sum of 1/(i + 1/a), not by much."""
    i = np.arange(1, n + 1)
    k, a = np.ceil(n / i), p * (1 - p)
    kept, m = user_level.median_reduction(k)
    assert m == 2 and np.count_nonzero(kept) == n - 1
    assert user_level.median_reduction([8, 4, 2, 1])[1] == 4 == user_level.median_reduction([8, 4, 2])[1]  # just half
    ratio = [user_level.baseline_variance(b, k, p, n**-0.5) for b in ("median", "ideal")]
    bound = np.sum(1 / (i + 1 / a)) / 2
    assert bound < ratio[0] / ratio[1] < bound + 0.3 + 15 / n
    # By hand: two samples of n - 1 users, and all samples of everybody
    by_hand = (a / 2 + 1 / (2 * n)) / (n - 1) * np.sum(1 / (a / k + (1 - 1 / k) / n))
    assert ratio[0] / ratio[1] == pytest.approx(by_hand, rel=1e-12)


@pytest.mark.settles("cfmt-line-3", "cfmt-variance-proxy")
def test_ordered_pairs_count_twice():
    """Line 3 over ordered pairs is twice the sample variance, whose expectation is the mean of the users' variances."""
    rng, k = np.random.default_rng(8), np.array([40, 9, 2])
    p_hat = samples(rng, 60_000, k, beta)
    printed = sum((p_hat[:, i] - p_hat[:, j]) ** 2 for i in range(3) for j in range(3)) / 6
    once = sum((p_hat[:, i] - p_hat[:, j]) ** 2 for i in range(3) for j in range(i)) / 6
    parts = user_level.Groups(np.arange(3), np.array([], dtype=int), np.array([2]))
    mean, variance = user_level.initial_estimates(p_hat, parts)
    np.testing.assert_allclose(printed, 2 * variance, rtol=1e-12)
    np.testing.assert_allclose(once, variance, rtol=1e-12)
    np.testing.assert_array_equal(mean, p_hat[:, 2])
    expected = np.mean(user_level.sample_mean_variance(0.4, 0.2, k))
    assert_monte_carlo(variance, expected)
    assert expected == pytest.approx(0.04 + (0.24 - 0.04) * np.mean(1 / k), rel=1e-12)
    assert expected < user_level.sample_mean_variance(0.4, 0.2, k.min())
    with pytest.raises(AssertionError):
        assert_monte_carlo(printed, expected)


@pytest.mark.settles("cfmt-algorithm-1")
def test_groups_are_disjoint_and_sorted():
    """Everybody is in one group; the paper's sizes are the defaults."""
    k = np.random.default_rng(2).integers(1, 500, 1000)
    parts = user_level.groups(k)
    assert [len(g) for g in parts] == [7, 893, 100]
    assert sorted(np.concatenate(parts)) == list(range(1000))
    assert k[parts.top].min() >= k[parts.middle].max() and k[parts.middle].min() >= k[parts.bottom].max()


@pytest.mark.settles("cfmt-line-2")
def test_line_2_as_printed_is_a_sum():
    """It exceeds 1, and then estimated variances are negative; the mean of the same users has the expectation p."""
    n, p, rng = 1000, 0.4, np.random.default_rng(3)
    k = np.sort(np.random.default_rng(4).integers(1, 50, n))[::-1]
    first = rng.random((4000, n)) < rng.beta(2, 3, (4000, n))  # one sample of each user
    printed = first[:, 9 * n // 10 - 1 :].sum(axis=1)  # users 9n/10 to n
    assert_monte_carlo(printed, 101 * p)
    assert np.all(printed - printed**2 < -300) and round(101 * p - (101 * p) ** 2) == -1592
    mean, _ = user_level.initial_estimates(first * 1.0, user_level.groups(k))
    assert_monte_carlo(mean, p)


@pytest.mark.settles("cfmt-algorithm-1")
def test_estimate_is_unbiased_and_has_the_error_of_its_weights():
    """Against the conditional variance given the two other groups, run by run."""
    rng, k = np.random.default_rng(6), np.repeat([200, 30, 5, 1], [30, 30, 30, 30])
    p_hat = samples(rng, 20_000, k, beta)
    estimates = user_level.estimate(p_hat, k, top=20, bottom=20)
    assert_monte_carlo(estimates, 0.4)
    parts = user_level.groups(k, 20, 20)
    weights = user_level.plug_in_weights(k[parts.middle], *user_level.initial_estimates(p_hat, parts))
    conditional = weights**2 @ user_level.sample_mean_variance(0.4, 0.2, k[parts.middle])
    assert_monte_carlo((estimates - 0.4) ** 2 - conditional, 0)
    assert user_level.estimate(p_hat[0], k, 20, 20) == estimates[0]
    by_hand = 1 / user_level.sample_mean_variance(0.3, 0.1, k[parts.middle])  # for these first estimates
    given = user_level.plug_in_weights(k[parts.middle], 0.3, 0.1**2)
    np.testing.assert_allclose(given, by_hand / by_hand.sum(), rtol=1e-12)
    shuffled = rng.permutation(120)
    again = user_level.groups(k[shuffled], 20, 20)
    assert sorted(k[shuffled][again.middle]) == sorted(k[parts.middle])


def splitting(k, p, sigma, top, bottom, low, high):
    """The bound on the error of Algorithm 1 over the ideal one, from the statement."""
    spread = min(k.max() / user_level.median_reduction(k)[1], p * (1 - p) / sigma**2 if sigma else inf)
    at = {sym.n_users: k.size, sym.n_top: top, sym.n_bottom: bottom, sym.n_middle: k.size - top - bottom}
    at |= {sym.spread: spread, sym.lowest: low, sym.highest: high}
    return float(sym.wrong_weights.subs(at) * sym.splitting.subs(at))


def error_of_algorithm_1(k, p, sigma, top, bottom, wrong):
    """Given estimated variances `wrong` times the true ones, over the ideal error."""
    middle = user_level.groups(k, top, bottom).middle
    variance = user_level.sample_mean_variance(p, sigma, k[middle])
    weights = 1 / (wrong(middle.size) * variance)
    error = np.sum(weights**2 * variance) / weights.sum() ** 2
    return error / user_level.baseline_variance("ideal", k, p, sigma)


@pytest.mark.settles("cfmt-constant-factor", "hdp-splitting")
@pytest.mark.parametrize("seed", range(10))
def test_splitting_costs_what_the_theorem_says(seed):
    """(m+M)^2/(4mM) times 1 + b/c + t min(k_1/k_med, p(1-p)/sigma_p^2)/(n/2 - t), for any k_i and group sizes."""
    rng = np.random.default_rng(seed)
    for _ in range(30):
        n = int(rng.integers(8, 300))
        top, bottom = int(rng.integers(2, (n + 1) // 2)), int(rng.integers(1, n // 2 + 1))
        k, p = np.ceil(np.exp(rng.exponential(2, n))), rng.uniform(0.01, 0.99)
        sigma = np.sqrt(p * (1 - p)) * rng.uniform(0, 1) ** 3
        low, high = rng.uniform(0.2, 1), rng.uniform(1, 9)
        ratio = error_of_algorithm_1(k, p, sigma, top, bottom, lambda m, a=low, b=high: rng.choice([a, b], m))
        assert ratio <= splitting(k, p, sigma, top, bottom, low, high) * (1 + 1e-12)


@pytest.mark.settles("cfmt-constant-factor", "hdp-splitting")
def test_splitting_costs_that_much_somewhere():
    """Each term is approached: few rich users without and with spread, many poor ones, and weights of two kinds."""
    rich, alike = np.repeat([10**9, 10**6, 1.0], [100, 900, 1000]), np.ones(100_000)

    def halves_and_doubles(m):  # a fifth is taken for twice as good as it is, the others for half as good
        return np.where(np.arange(m) < 0.2 * m, 0.5, 2.0)

    instances = [(rich, 0, 100, 1, np.ones), (alike, 0, 2, 40_000, np.ones), (alike, 0, 2, 2, halves_and_doubles)]
    instances.append((np.repeat([10**9, 1.0], [100, 1900]), 0.1, 100, 1000, np.ones))
    for k, sigma, top, bottom, wrong in instances:
        found = error_of_algorithm_1(k, 0.5, sigma, top, bottom, wrong)
        bound = splitting(k, 0.5, sigma, top, bottom, *((1, 1) if wrong is np.ones else (0.5, 2)))
        assert 0.99 * bound < found <= bound * (1 + 1e-12)
    odd = np.repeat([10**4, 10.0, 1.0], [3, 1, 5])  # the fifth is the median; with the fourth it would be false
    assert error_of_algorithm_1(odd, 0.5, 0, 3, 4, np.ones) <= splitting(odd, 0.5, 0, 3, 4, 1, 1)


@pytest.mark.settles("cfmt-algorithm-1")
def test_estimated_weights_stay_sensible_at_the_ends():
    """A mean of 0 or 1, no variance, and more variance than there can be."""
    np.testing.assert_array_equal(user_level.plug_in_weights([5, 1], 0, 0), 0.5)
    np.testing.assert_array_equal(user_level.plug_in_weights([5, 1], 1, 0.2), 0.5)
    np.testing.assert_allclose(user_level.plug_in_weights([5, 1], 0.5, 0), [5 / 6, 1 / 6], rtol=1e-14)
    np.testing.assert_allclose(user_level.plug_in_weights([5, 1], 0.5, 9), 0.5, rtol=1e-14)


@pytest.mark.settles("cfmt-line-5")
def test_printed_ranges_overlap_and_leave_users_without_weight():
    """n = 100, log n rounded up to 5: the groups of lines 2, 3 and 5, and the sum of line 9."""
    n, top, last = 100, 5, 90
    variance, mean, weighted = range(1, top + 1), range(last, n + 1), range(top, last + 1)
    assert set(variance) & set(weighted) == {5} and set(mean) & set(weighted) == {90}
    assert set(range(top, n + 1)) - set(weighted) == set(range(91, 101))
    mended = user_level.groups(np.arange(n, 0, -1))
    assert [len(g) for g in mended] == [5, 85, 10] and len(np.unique(np.concatenate(mended))) == n


@pytest.mark.settles("cfmt-line-5")
@pytest.mark.parametrize("shared", [True, False])
def test_a_user_in_two_groups_biases_the_estimate(shared):
    """Samples 4, 4 and 1, D the point 1/5, first mean 1/4: two users for the variance, one also for the estimate."""
    p, first, expected = Fraction(1, 5), Fraction(1, 4), Fraction(0)
    law = {k: {Fraction(j, k): comb(k, j) * p**j * (1 - p) ** (k - j) for j in range(k + 1)} for k in (4, 1)}
    for one, two, three, other in product(law[4], law[4], law[1], law[4]):
        inverse = [1 / (first * (1 - first) / k + (1 - Fraction(1, k)) * (one - two) ** 2 / 2) for k in (4, 1)]
        answer = (inverse[0] * (two if shared else other) + inverse[1] * three) / sum(inverse)
        expected += law[4][one] * law[4][two] * law[1][three] * law[4][other] * answer
    assert expected == (Fraction(7252790651, 37146484375) if shared else p)


@pytest.mark.settles("cfmt-footnote-2")
@pytest.mark.parametrize(("p", "sigma"), [(0.4, 0.2), (0.1, 0.29), (0.5, 0.01)])
def test_for_beta_nothing_that_is_unbiased_for_every_law_helps_the_linear_estimate(p, sigma):
    """Users with 2 and 3 samples: the statistics whose mean is 0 for every D are not correlated with equation 1."""
    total, counts = p * (1 - p) / sigma**2 - 1, (2, 3)
    pairs = np.array(list(product(range(3), range(4))))

    def given(x, y):  # the users' own means
        return binom.pmf(pairs[:, 0], 2, x) * binom.pmf(pairs[:, 1], 3, y)

    # Four points each are enough for polynomials of degree three; D may have any two values, so both orders count alike
    nulls = null_space(np.array([given(x, y) + given(y, x) for x, y in product(np.linspace(0.1, 0.9, 4), repeat=2)]))
    chances = np.prod([betabinom.pmf(pairs[:, i], k, p * total, (1 - p) * total) for i, k in enumerate(counts)], axis=0)
    w = user_level.ideal_weights(counts, p, sigma)
    linear = pairs / counts @ w
    assert nulls.shape[1] == 3
    np.testing.assert_allclose((chances * linear) @ nulls, 0, atol=1e-12)
