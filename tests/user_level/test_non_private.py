"""Users with several samples, without privacy: the variance of their means, weights, baselines and Algorithm 1."""

from fractions import Fraction

import numpy as np
import pytest
import sympy as sp

from hdp import affine, user_level
from hdp.proof import assert_monte_carlo
from hdp.sym.user_level import model as sym
from tests.oracles import convex_weights, inf
from tests.user_level.common import beta, samples


@pytest.mark.settles("cfmt-lemma-2-1", "cfmt-footnote-2", "hdp-bounded-samples")
@pytest.mark.parametrize(("p", "sigma"), [(0.5, 0.1), (0.01, 0.05), (0.9, 0.3)])
def test_variance_agrees_with_the_statement(p, sigma):
    """Library against `hdp.sym.user_level.model`."""
    for k in (1, 2, 7, 1000):
        point = {sym.p: sp.Rational(str(p)), sym.sigma_p: sp.Rational(str(sigma)), sym.k: k}
        found = user_level.sample_mean_variance(p, sigma, k)
        stated = [sym.mean_variance.subs(point), sym.information.subs(point)]
        assert [found, 1 / found] == pytest.approx(stated, rel=1e-13)


@pytest.mark.settles("cfmt-model", "cfmt-lemma-2-1")
def test_variance_agrees_with_simulation():
    """For D = Beta(2, 3)."""
    rng = np.random.default_rng(11)
    for k in (1, 3, 40):
        p_hat = samples(rng, 100_000, [k], beta)[:, 0]
        assert_monte_carlo(p_hat, 0.4)
        assert_monte_carlo((p_hat - 0.4) ** 2, user_level.sample_mean_variance(0.4, 0.2, k))


@pytest.mark.settles("cfmt-independence")
def test_numbers_of_samples_that_depend_on_the_means_give_a_bias():
    """Half of the users have K samples and mean 0.7, half one and 0.3."""
    biases = [((K * Fraction(7, 10) + Fraction(3, 10)) / (K + 1)) - Fraction(1, 2) for K in (1, 2, 9, 1000)]
    assert biases == [sym.dependence_bias.subs({sym.K: K, sym.shift: sp.Rational(1, 5)}) for K in (1, 2, 9, 1000)]
    assert biases == sorted(biases) and biases[0] == 0


@pytest.mark.settles("cfmt-definition-2-2", "cfmt-laplace-mechanism")
def test_linear_estimates_lose_their_weight_at_user_level():
    """Over all pairs of neighbours: all of a user's samples may change, or one."""
    k, scale = np.array([3, 2, 1]), 0.7
    w = user_level.ideal_weights(k, 0.5, 0.2)
    assert affine.privacy_loss(w, affine.noise_scale(w, np.full(3, 0.4))).max() == pytest.approx(0.4, rel=1e-14)
    for i, count in enumerate(k):
        answers = w[i] * np.arange(count + 1) / count  # by the number of ones
        gaps = np.abs(np.subtract.outer(answers, answers))
        at = {sym.weight: w[i], sym.eta: scale, sym.k: count}
        assert gaps.max() / scale == pytest.approx(affine.privacy_loss(w, scale)[i], rel=1e-14)
        assert gaps.max() / scale == pytest.approx(float(sym.user_loss.subs(at)), rel=1e-14)
        assert np.abs(np.diff(answers)).max() / scale == pytest.approx(float(sym.event_loss.subs(at)), rel=1e-14)


@pytest.mark.settles("hdp-bounded-samples")
@pytest.mark.parametrize("seed", range(10))
def test_samples_that_are_not_bits_vary_less(seed):
    """Users' samples on five values, D on two users: exact against the bound."""
    rng = np.random.default_rng(seed)
    values, share = rng.random(5), rng.random()
    laws = rng.dirichlet(np.ones(5), 2)
    own = laws @ values
    mean = share * own[0] + (1 - share) * own[1]
    spread = share * own[0] ** 2 + (1 - share) * own[1] ** 2 - mean**2
    for k in (1, 4):
        within = np.array([share, 1 - share]) @ (laws @ values**2 - own**2)
        square = np.array([share, 1 - share]) @ laws @ values**2
        missing = float(sym.missing_variance.subs({sym.p: mean, sym.second_moment: square, sym.k: k}))
        bits = user_level.sample_mean_variance(mean, np.sqrt(max(spread, 0)), k)
        assert within / k + spread == pytest.approx(bits - missing, rel=1e-9) and missing > 0


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
    """k -> infinity: capped at p(1-p)/sigma_p^2; all of it without spread; alike where nothing varies."""
    endless, one = user_level.ideal_weights([inf, 1], 0.5, 0.1)
    assert endless / one == pytest.approx(25, rel=1e-13)
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
    caps = [sp.lambdify((sym.k, sym.p, sym.sigma_p), cap) for cap in (sym.cap, sym.printed_cap)]
    for alone in (a / sigma**2, 1.1 * a / sigma**2):  # where the minimum changes; just below 2 for a small spread
        assert user_level.baseline_variance("ideal", [alone], p, sigma) * caps[0](alone, p, sigma) <= 2
    true, printed = (least * sum(cap(samples, p, sigma) for samples in k) for cap in caps)
    assert 1 - 1e-12 <= true < 2 and a * (1 - 1e-12) <= printed < 1 + a + 1e-12
    rich = np.append(np.ones(1000), 1000.0)  # half of the weight counts in full, half only half: nearly 9/8
    sharp = user_level.variance_of(rich / 2000, rich, 0.5, np.sqrt(0.25 / 1000))
    assert 1.124 < sharp / user_level.baseline_variance("ideal", rich, 0.5, np.sqrt(0.25 / 1000)) < 9 / 8


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
    by_hand = 1 / user_level.sample_mean_variance(0.3, 0.1, k[parts.middle])  # for these first estimates
    given = user_level.plug_in_weights(k[parts.middle], 0.3, 0.1**2)
    np.testing.assert_allclose(given, by_hand / by_hand.sum(), rtol=1e-12)


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
