"""Section 4 of Cummings et al.: weights, widths and Example 1 of the private ideal."""

from functools import partial

import mpmath
import numpy as np
import pytest
import sympy as sp
from scipy import stats
from scipy.optimize import minimize_scalar

from hdp import user_level
from hdp.clipping import optimal_weights
from hdp.proof import assert_identity
from hdp.sym.user_level import private as sym
from hdp.user_level.algorithm_2 import final_release
from tests.oracles import convex_weights, log_ratio
from tests.user_level.common import AUDITED, neighbours, objective


def example_1(n):
    """Distinct k = ceil(n / i) with their numbers of users, sigma_i^2 at p = 1/2, and the printed interval lengths."""
    k, size = np.unique(-(-n // np.arange(1, n + 1)), return_counts=True)
    return k, size, user_level.sample_mean_variance(0.5, n**-0.5, k), 2 * user_level.half_width(k, n, 1 / n, 0.05)


@pytest.mark.settles("cfmt-eq-6")
@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("penalty", [1.0, 2.0])
def test_best_truncation_agrees_with_a_search(seed, penalty):
    """T* against a fine grid refined by a scalar minimiser, for widths that are not proportional to sigma."""
    rng = np.random.default_rng(seed)
    sigma, width = rng.uniform(0.05, 0.5, 12), rng.uniform(0.05, 1, 12)

    def at(log):
        w = user_level.truncated_weights(sigma, np.exp(log))
        return objective(sigma, width, 0.7, w, penalty)

    grid = np.linspace(0, 4, 4001)
    best = grid[np.argmin([at(x) for x in grid])]
    found = minimize_scalar(at, bounds=(best - 2e-3, best + 2e-3), method="bounded", options={"xatol": 1e-12})
    ours = at(np.log(user_level.best_truncation(sigma, width, 0.7, penalty)))
    assert ours <= found.fun * (1 + 1e-12) and ours == pytest.approx(found.fun, rel=1e-6)


@pytest.mark.settles("cfmt-eq-6")
def test_best_truncation_is_the_one_lemma_for_proportional_widths():
    """T* of the statement, of the library, and the clip that a convex solver finds."""
    sigma = np.array([0.1] * 3 + [0.5] * 20)
    values = {sym.D: 30, sym.c: 3, sym.r: 2, sym.kappa: 2, sym.epsilon: 2}
    t = user_level.best_truncation(sigma, 2 * sigma, 2.0)
    assert t == pytest.approx(float(sym.best_T.subs(values)), rel=1e-14) == 6.0
    w = convex_weights(sigma**2, 2 * sigma / 2.0, 2.0)
    np.testing.assert_allclose(user_level.truncated_weights(sigma, t), w, atol=1e-6)
    for epsilon in (0.3, 2.0, 30.0):  # the root of one rising function, and nobody else is clipped
        t = user_level.best_truncation(sigma, 2 * sigma, epsilon)
        assert t == pytest.approx(np.maximum(1 / sigma - t, 0).sum() * epsilon**2 / 8) or t == pytest.approx(2)


@pytest.mark.settles("cfmt-eq-5")
def test_the_laplace_variance_is_twice_the_square_of_the_scale():
    """And not the square, as eq. 5 has it."""
    plan = user_level.private_ideal([10**6] * 2, 0.5, 0.0, 1.0)
    w, d = plan.weights, plan.upper - plan.lower
    noise = plan.variance - np.sum(w**2) * 0.25e-6
    assert noise == pytest.approx(2 * np.max(w * d) ** 2, rel=1e-9)


def test_truncated_weights_stay_where_all_are_clipped():
    """However small the truncation is: proportional to 1 / sigma, which is 2 to 1."""
    with np.errstate(all="raise"):
        for sigma, truncation in (([1.0, 2.0], 0.1), ([1e17, 2e17], 5e-324), ([5e49, 1e50], 1e-308)):
            w = user_level.truncated_weights(sigma, truncation)
            np.testing.assert_allclose(w, [2 / 3, 1 / 3], rtol=1e-15)


def test_best_truncation_takes_the_smallest_width_there_is():
    """As if it were none, and silently."""
    sigma = np.array([0.1, 0.1, 0.5, 0.5])
    for tiny in (5e-324, 1e-310):
        width = np.array([tiny, 0.1, 0.5, 0.5])
        assert user_level.best_truncation(sigma, width, 1.0) == user_level.best_truncation(sigma, [0, *width[1:]], 1.0)
        assert user_level.best_truncation(sigma, [0.5, 0.5, tiny, 0], 1.0) > 0


@pytest.mark.settles("cfmt-eq-4")
def test_eq_4_is_not_optimal_for_other_widths():
    """It loses at most the square of the ratio of the widths, in NLE that of the largest; a release is optimal."""
    sigma, width = np.sqrt(user_level.sample_mean_variance(0.5, 0.0, [1, 25])), np.array([1.0, 1.0])
    t = user_level.best_truncation(sigma, width, 1.0)
    family = objective(sigma, width, 1.0, user_level.truncated_weights(sigma, t))
    assert family == pytest.approx(101 / 72, rel=1e-14)
    assert objective(sigma, width, 1.0, optimal_weights(sigma**2, width, 2.0)) == pytest.approx(113 / 200, rel=1e-12)
    levels = t, user_level.best_truncation(sigma, sigma, 1.0)  # in the class NLE the noise follows sigma
    weights = [user_level.truncated_weights(sigma, level) for level in levels]
    found = [user_level.noisy_linear_variance(w, sigma**2, 1.0) for w in weights]
    assert found == pytest.approx([1 / 36, 3 / 112], rel=1e-12)
    rng = np.random.default_rng(3)
    for _ in range(10):  # the bound for more users
        sigma, width = rng.uniform(0.05, 0.5, 6), rng.uniform(0.05, 1, 6)
        least = objective(sigma, width, 1.0, optimal_weights(sigma**2, width, 2.0))
        t = user_level.best_truncation(sigma, width, 1.0)
        family = objective(sigma, width, 1.0, user_level.truncated_weights(sigma, t))
        ratio = width / sigma
        assert least <= family * (1 + 1e-12) and family <= (ratio.max() / ratio.min()) ** 2 * least
        wider = sigma * np.maximum(ratio, 1)
        w = user_level.truncated_weights(sigma, user_level.best_truncation(sigma, wider, 1.0))
        found = user_level.noisy_linear_variance(w, sigma**2, 1.0)
        assert found <= max(ratio.max(), 1) ** 2 * user_level.ideal_variance(sigma**2, 1.0)
    k = np.array([2, 5, 900, 4000])
    plan = user_level.private_ideal(k, 0.5, 0.05, 2.0)  # the release has the intervals' own lengths, which are cut
    sigma = np.sqrt(user_level.sample_mean_variance(0.5, 0.05, k))
    best, printed = (convex_weights(sigma**2, d / 2.0, 2.0) for d in (plan.upper - plan.lower, sigma))
    np.testing.assert_allclose(plan.weights, best, atol=1e-5)
    assert np.abs(best - printed).max() > 0.02


@pytest.mark.settles("cfmt-approximation")
def test_the_square_stands_for_the_variance_of_a_projected_mean():
    """Section 4.1 takes sigma_i: for 100 samples 1/20, where the variance is 1/400 and hardly less when projected."""
    k, f = 100, float(user_level.half_width(100, 1000, 0.0, 0.05))
    x, chance = np.arange(k + 1) / k, stats.binom.pmf(np.arange(k + 1), k, 0.5)
    projected = np.clip(x, 0.5 - f, 0.5 + f)
    variance = chance @ (projected - 0.5) ** 2
    square = user_level.sample_mean_variance(0.5, 0.0, k)
    assert square == pytest.approx(1 / 400) and square**0.5 / square == pytest.approx(20)
    assert 0.5 * square <= 0.999 * square < variance <= square


def price(k, p, spread, epsilon, proxy=None):
    """Best error of the private ideal estimator over the best without privacy, widths over deviations, weights."""
    v = user_level.sample_mean_variance(p, spread, k)
    d = 2 * user_level.half_width(k, k.size, spread**2 if proxy is None else proxy, 0.05)
    private = objective(np.sqrt(v), d, epsilon, optimal_weights(v, d / epsilon, 2.0))
    return private * np.sum(1 / v), d / np.sqrt(v), user_level.ideal_weights(k, p, spread)


@pytest.mark.settles("cfmt-no-price")
def test_the_price_of_privacy_lies_between_its_bounds():
    """For all k_i; the lower bound is attained by equal users, the upper one approached by a single rich one."""
    rng = np.random.default_rng(21)

    def bounds(n, epsilon, ratio, weights):
        at = {sym.n: n, sym.epsilon: epsilon, sym.r_0: ratio.min(), sym.r: ratio.max(), sym.w_max: weights.max()}
        return float(sym.least_price.subs(at)), float(sym.largest_price.subs(at))

    for _ in range(100):
        n, epsilon = int(rng.integers(2, 200)), float(np.exp(rng.uniform(-3, 2)))
        k, p = np.ceil(np.exp(rng.exponential(2, n))), rng.uniform(0.1, 0.9)
        spread = np.sqrt(p * (1 - p)) * rng.uniform(0, 1) ** 3
        found, ratio, weights = price(k, p, spread, epsilon)
        low, high = bounds(n, epsilon, ratio, weights)
        assert low * (1 - 1e-12) <= found <= high * (1 + 1e-12)
        more = 2 * (ratio / epsilon) ** 2  # that of every single user, by Cauchy
        assert found >= np.max((1 + more) / (1 + more * (1 - weights))) * (1 - 1e-12)
        log = np.log(4 * n / 0.05)
        largest = float(sym.sub_gaussian_ratio.subs({sym.L: log, sym.P: p * (1 - p)}))
        assert ratio.max() ** 2 <= largest * (1 + 1e-12)
    _, ratio, _ = price(np.ones(50), 0.5, 0.5, 1.0)  # one sample each, p_i in {0, 1}: sharp
    largest = float(sym.sub_gaussian_ratio.subs({sym.L: np.log(4 * 50 / 0.05), sym.P: 0.25}))
    assert ratio[0] ** 2 == pytest.approx(largest, rel=1e-12)
    found, ratio, weights = price(np.full(50, 20.0), 0.5, 0.0, 0.7)
    assert found == pytest.approx(bounds(50, 0.7, ratio, weights)[0], rel=1e-12)
    found, ratio, weights = price(np.append(1e9, np.ones(49)), 0.5, 0.0, 0.7)
    assert found == pytest.approx(bounds(50, 0.7, ratio, weights)[1], rel=1e-4)
    assert found > 1 + 16 * np.log(2 * 50 / 0.05) / 0.7**2 * 0.999  # grows with ln n


@pytest.mark.settles("cfmt-no-price")
def test_the_condition_of_theorem_4_1_bounds_the_price():
    """No user has more than 1/(1+h) of the ideal weight, attained; so for constant epsilon the price is bounded."""
    rng, largest = np.random.default_rng(22), 0.0
    for trial in range(200):
        n, head = 2 * int(rng.integers(20, 200)), int(rng.integers(1, 20))
        half = np.full(n // 2 - 1, 1e5 ** rng.integers(0, 2))
        k = np.concatenate([half[:1] * (n / 2 - head) / head, half, np.exp(rng.uniform(0, trial % 2, n // 2))])
        k[n // 2 :] = np.minimum(k[n // 2 :], half[0])
        _, _, weights = price(np.maximum(k, 1), 0.5, 0.5 * rng.uniform(0, 1) ** 4 * (trial % 3 > 0), 1.0)
        bound = float(sym.largest_weight.subs(sym.head, head))
        assert weights.max() <= bound
        largest = max(largest, weights.max() / bound)
    assert 0.99 < largest
    _, _, weights = price(np.array([1e6, 1.0]), 0.5, 0.0, 1.0)  # n = 2: k_1 / k_1 <= (n/2 - h) / h for h = 1/2
    assert weights.max() > float(sym.largest_weight.subs(sym.head, sp.Rational(1, 2)))
    prices = []
    for n in (10**3, 10**4, 10**5):  # epsilon = 1, h = ln n, k_1 / k_med at the limit: bounded
        head = np.log(n)  # the ideal's largest weight is then below 1/(1 + ln n)
        prices.append(price(np.append((n / 2 - head) / head, np.ones(n - 1)), 0.5, 0.0, 1.0)[0])
    assert max(prices) < 1 + 2 * 8 * np.log(2 * 10**5 / 0.05) / np.log(10**5)


@pytest.mark.settles("cfmt-half-width")
def test_half_widths_are_what_their_tails_say():
    """Two tails of beta/(2n) for each user, or one of beta/n for a point mass; the library has the same widths."""
    log = sp.log(4 * sym.n / sym.beta)
    t_p, t_x = sp.sqrt(2 * sym.V * log), sp.sqrt(log / (2 * sym.k))
    assert_identity(sym.half_width.subs(sym.L, log), t_p + t_x)
    for tail in (2 * sp.exp(-(t_p**2) / (2 * sym.V)), 2 * sp.exp(-2 * sym.k * t_x**2)):
        assert_identity(tail, sym.beta / (2 * sym.n))
    assert_identity(2 * sp.exp(-2 * sym.k * sym.point_mass_width**2), sym.beta / sym.n)
    at = {sym.n: 500, sym.beta: sp.Rational(1, 20), sym.V: sp.Rational(1, 50), sym.k: 7}
    stated = [float(e.subs(sym.L, log).subs(at)) for e in (sym.half_width, sym.point_mass_width)]
    np.testing.assert_allclose([user_level.half_width(7, 500, v, 0.05) for v in (0.02, 0.0)], stated, rtol=1e-13)


BETAS = [(12.0, 12.0), (2.0, 5.0), (0.5, 0.5)]


@pytest.mark.settles("cfmt-half-width")
@pytest.mark.parametrize(("a", "b"), BETAS)
def test_the_proxy_of_a_beta_distribution_is_sub_gaussian(a, b):
    """Log-moment generating function below that of a normal variable, in 30 digits; sharp for a = b at 0."""
    proxy, mean = user_level.beta_proxy(a, b), a / (a + b)
    with mpmath.workdps(30):
        for t in (-40, -5, -0.1, -0.001, 0.001, 0.1, 5, 40):
            logarithm = mpmath.log(mpmath.hyp1f1(a, a + b, t)) - t * mpmath.mpf(mean)
            assert logarithm <= mpmath.mpf(proxy) * t**2 / 2 * (1 + 1e-12)
            if a == b and abs(t) < 0.01:
                assert logarithm >= mpmath.mpf(proxy) * t**2 / 2 * (1 - 1e-5)


LAWS = [(user_level.beta_proxy(*ends), partial(stats.betabinom, a=ends[0], b=ends[1])) for ends in BETAS]
LAWS += [(0.0, partial(stats.binom, p=p)) for p in (0.1, 0.5)]


@pytest.mark.settles("cfmt-half-width")
@pytest.mark.parametrize(("proxy", "law"), LAWS)
@pytest.mark.parametrize("k", [1, 7, 200, 5000])
def test_half_width_covers(proxy, law, k):
    """Exact tails for Beta distributions and point masses: who leaves her interval does so with beta / n at most."""
    n, beta = 500, 0.05
    f, ones = user_level.half_width(k, n, proxy, beta), np.arange(k + 1)
    inside = law(k).pmf(ones)[np.abs(ones - law(k).mean()) <= f * k]
    assert 1 - inside.sum() <= beta / n + 1e-12


@pytest.mark.settles("cfmt-example-1")
def test_example_1_rates():
    """Slopes of the standard deviations over n to 10^7, from exact sums over the distinct k."""
    sizes, rows = (10**5, 10**6, 10**7), []
    for n in sizes:
        k, size, v, d = example_1(n)
        w = k / np.sum(k * size)
        best = optimal_weights(v / size, d / size, 2.0) / size
        private = np.sum(size * best**2 * v) + 2 * np.max(best * d) ** 2
        assert np.sum(size * w**2 * v) <= 1.25 / np.sum(k * size) <= 5 / np.sum(size / v)  # the average of all samples
        richest = np.cumsum((size * v)[::-1]) / np.cumsum(size[::-1]) ** 2  # the means of those with most samples
        assert np.min(richest) >= 0.25 / (4 * n)
        cuts = (np.minimum(1 / v, t / np.sqrt(v)) for t in np.geomspace(2, v[-1] ** -0.5, 20))  # weights of eq. 4
        noise = [np.max(cut * d) / np.sum(size * cut) for cut in cuts]
        assert np.all(np.diff(noise) > 0) and noise[-1] < np.max(w * d)
        rows.append((1 / np.sum(size / v), 2 * w[-1] ** 2, 2 * np.max(w * d) ** 2, private, np.sum(size * v) / n**2))
    logs = np.log(np.array(rows)) / 2
    n = np.array(sizes, dtype=float)
    long = n * np.log(n)
    scales = {"ideal": long, "naive": np.log(n), "data": long, "private": long, "uniform": n}
    slope = {name: np.polyfit(np.log(x), logs[:, j], 1)[0] for j, (name, x) in enumerate(scales.items())}
    assert slope["uniform"] == pytest.approx(-0.5, abs=1e-4)
    for name in ("ideal", "data", "private"):
        assert slope[name] == pytest.approx(-0.5, abs=0.02), name
    assert slope["naive"] == pytest.approx(-1, abs=0.2)


@pytest.mark.settles("cfmt-example-1")
@pytest.mark.parametrize(("n", "m"), [(1000, 1), (1000, 30), (3000, 300)])
def test_example_1_closed_forms_are_sums(n, m):
    """Digamma and trigamma in elementary terms against sums over all users."""
    i = np.arange(1, n + 1)
    v = user_level.sample_mean_variance(0.5, n**-0.5, n / i)
    stated = sym.example_variance.subs({sym.P: sp.Rational(1, 4), sym.n: n})
    np.testing.assert_allclose(sp.lambdify(sym.i, stated)(i), v, rtol=1e-12)
    w = 1 / np.maximum(i, m)
    w = w / w.sum()
    f = np.sqrt(2 * np.log(4 * n / 0.05) / n) + np.sqrt(np.log(4 * n / 0.05) * i / (2 * n))
    at = {sym.P: sp.Rational(1, 4), sym.n: n, sym.m: m, sym.epsilon: 3, sym.beta: sp.Rational(1, 20)}
    by_size = 1 / i / np.sum(1 / i)  # the naive weights, of answers that are anywhere in [0, 1]
    naive = np.sum(by_size**2 * v) + 2 * (by_size[0] / 3) ** 2
    found = [sym.example_ideal, sym.example_uniform, sym.example_sampling, sym.example_noise, sym.example_naive]
    expected = [1 / np.sum(1 / v), v.sum() / n**2, np.sum(w * w * v), 2 * np.max(w * 2 * f / 3) ** 2, naive]
    np.testing.assert_allclose([float(e.subs(at)) for e in found], expected, rtol=1e-12)


@pytest.mark.settles("cfmt-eq-3")
def test_audit_of_the_final_release():
    """A user's data move from one end to the other: the measured loss is epsilon, and 10 % would show."""
    plan = final_release(AUDITED, 120, 0.5, 0.004, 0.02, 1.0, 0.05)
    x, y = neighbours(80_000, AUDITED.size)
    below = plan.answer(x[:1])[0]
    measured, error = log_ratio(plan.estimate(x, 1), plan.estimate(y, 2), lambda out: out < below)
    assert abs(measured - 1.0) < 4 * error < 0.1


@pytest.mark.settles("cfmt-eq-3")
@pytest.mark.parametrize("epsilon", [0.7, np.resize([0.2, 1.0, 5.0], AUDITED.size)], ids=["one", "each"])
def test_the_ideal_release_spends_no_more_than_the_budget_of_each(epsilon):
    """All data of a user are replaced, whatever the others have; whoever loses most loses all, to rounding."""
    rng, n = np.random.default_rng(4), AUDITED.size
    for plan in (
        user_level.private_ideal(AUDITED, 0.4, 0.02, epsilon),
        final_release(AUDITED, n, 0.4, 0.0004, 0.02, epsilon, 0.05),
    ):
        assert plan.weights.sum() == pytest.approx(1) and np.ptp(plan.upper - plan.lower) > 0.4
        for others in (np.zeros(n), np.ones(n), rng.random(n)):
            moved = np.where(np.eye(n), 1, others), np.where(np.eye(n), 0, others)
            loss = np.abs(np.subtract(*map(plan.answer, moved))) / plan.scale / epsilon
            assert loss.max() == pytest.approx(1, rel=1e-9)
        noise = plan.estimate(np.tile(others, (50, 1)), 3) - plan.answer(others)
        np.testing.assert_allclose(noise, np.random.default_rng(3).laplace(0, plan.scale, 50), atol=1e-12)


@pytest.mark.settles("cfmt-sensitivity")
def test_without_cuts_the_sensitivity_is_the_largest_ideal_weight():
    """Seen by moving each user from 0 to 1: below 1, and near 1 only if people do not differ and one has the data."""
    for n, spread, sup in ((2, 0.0, 1.0), (50, 0.0, 1.0), (50, 0.1, 1 / (1 + 49 * 0.04)), (1, 0.0, 1.0)):
        found = []
        for most in (1.0, 1e3, 1e12):
            w = user_level.ideal_weights(np.append(most, np.ones(n - 1)), 0.5, spread)
            found.append(max(np.ones(n) @ w - (np.ones(n) - one) @ w for one in np.eye(n)))
        assert found[0] == pytest.approx(1 / n) and found[-1] == pytest.approx(sup, rel=1e-8)
        assert n == 1 or max(found) < 1


@pytest.mark.settles("cfmt-equal-noise")
def test_the_noise_alone_is_least_for_weights_in_proportion_to_one_over_the_width():
    """Against other weights, and equal ones: these are best only where all intervals are equally long."""
    rng = np.random.default_rng(41)
    plan = user_level.private_ideal([1e4, 100, 1, 1], 0.5, 0.01, 1.0)
    width = plan.upper - plan.lower
    for d in (width, np.full(4, 0.3), np.ones(4)):
        best = np.max(d / d / np.sum(1 / d))
        others = [w / w.sum() for w in rng.uniform(0.9, 1.1, (500, 4)) / d]
        assert min(np.max(w * d) for w in others) > best
        assert (np.max(d / 4) == pytest.approx(best)) == (np.ptp(d) == 0)
    strict = user_level.private_ideal([1e4, 100, 1, 1], 0.5, 0.01, 1e-9)  # there the noise is all
    np.testing.assert_allclose(strict.weights, 1 / width / np.sum(1 / width), rtol=1e-6)


@pytest.mark.settles("hdp-interval-cut")
@pytest.mark.parametrize("p", [0.5, 0.2, 0.9])
def test_intervals_cut_to_the_unit_interval_change_no_answer(p):
    """The same projected means, and less noise, than with the printed intervals."""
    rng, k = np.random.default_rng(3), np.repeat([400, 20], [20, 180])
    plan = user_level.private_ideal(k, p, 0.1, 1.0)
    f = user_level.half_width(k, k.size, 0.01, 0.05)
    x = rng.random((50, k.size))
    np.testing.assert_allclose(plan.answer(x), np.clip(x, p - f, p + f) @ plan.weights, rtol=1e-13)
    length = np.minimum(p + f, 1) - np.maximum(p - f, 0)
    assert plan.scale == pytest.approx(np.max(plan.weights * length), rel=1e-12)
    assert np.max(plan.weights * 2 * f) > 1.2 * plan.scale


@pytest.mark.settles("hdp-example-1-price")
def test_the_price_of_privacy_in_example_1():
    """Both cuts: falls towards 1; data only: the noise alone is near 36 / P = 144, and does not fall below."""
    both, data = [], []
    for n in (10**4, 10**5, 10**6):
        k, size, v, d = example_1(n)
        w = optimal_weights(v / size, d / size, 2.0) / size
        ideal, shares = 1 / np.sum(size / v), k / np.sum(size * k)
        both.append((np.sum(size * w**2 * v) + 2 * np.max(w * d) ** 2) / ideal)
        data.append(2 * np.max(shares * d) ** 2 / ideal)
    assert np.all(np.diff(both) < 0) and 1 < both[-1] < 1.35
    assert np.all((np.array(data) > 144) & (np.array(data) < 160))
    width, ideal = (2 * sym.half_width).subs({sym.V: 1 / sym.n, sym.k: sym.n}), sym.P / (sym.n * sym.L)
    assert_identity(2 * (width / (sym.L * sym.epsilon)) ** 2 / ideal, 36 / (sym.P * sym.epsilon**2))  # to first order
    at = {sym.P: sp.Rational(1, 4), sym.n: 10**400, sym.epsilon: 1, sym.beta: sp.Rational(1, 20)}
    stated = ((sym.example_sampling + sym.example_noise) / sym.example_ideal).subs(at)
    assert float(stated.subs(sym.m, 1)) == pytest.approx(145, rel=3e-3)
    assert 1 < float(stated.subs(sym.m, 922)) < 1.03  # ceil(ln n), and sixteen over it are the noise


def test_the_least_chances_of_failure_have_radii():
    """Where 1/beta is no float: in thirty digits, and with no warning."""
    beta, n, k = 1e-320, 10, 4.0
    with mpmath.workdps(30), np.errstate(all="raise"):
        log = mpmath.log(n) - mpmath.log(mpmath.mpf(beta))
        wide, narrow = (log + mpmath.log(factor) for factor in (4, 2))
        expected = mpmath.sqrt(2 * mpmath.mpf(0.1) * wide) + mpmath.sqrt(wide / (2 * k))
        assert user_level.half_width(k, n, 0.1, beta) == pytest.approx(float(expected), rel=1e-13)
        expected = mpmath.sqrt(narrow / (2 * k))
        assert user_level.half_width(k, n, 0.0, beta) == pytest.approx(float(expected), rel=1e-13)
        accuracy = (narrow - mpmath.log(n)) / n + mpmath.sqrt((wide - mpmath.log(n)) / (2 * n))
        assert user_level.private_mean([0.5] * n, 1.0, beta, 1)[1] == pytest.approx(float(accuracy), rel=1e-13)


def test_a_variance_is_above_a_quarter_only_with_negative_weights():
    assert user_level.variance_of([2.0, -1.0], [1, 1], 0.5, 0.0) == 1.25
