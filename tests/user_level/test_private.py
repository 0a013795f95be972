"""Section 4 of Cummings et al.: weights, widths, Example 1, Algorithm 2 against its bound, and its privacy."""

from fractions import Fraction

import cvxpy as cp
import mpmath
import numpy as np
import pytest
import sympy as sp
from scipy import stats
from scipy.optimize import minimize_scalar

from hdp import user_level
from hdp.clipping import optimal_weights
from hdp.figures.user_level.algorithm_2 import predicted
from hdp.proof import assert_identity, assert_nonnegative
from hdp.sym.user_level import private as sym
from hdp.user_level.algorithm_2 import final_release, scale_probabilities

TWO_LEVELS = np.repeat([400, 20], [2000, 8000])


def objective(sigma, width, epsilon, w, penalty=2.0):
    """Eq. 5 with the variances of the untruncated means."""
    return np.sum((w * sigma) ** 2) + penalty * np.max(w * width / epsilon) ** 2


def example_1(n):
    """Distinct k = ceil(n / i) with their numbers of users, sigma_i^2 at p = 1/2, and the printed interval lengths."""
    k, size = np.unique(-(-n // np.arange(1, n + 1)), return_counts=True)
    return k, size, user_level.sample_mean_variance(0.5, n**-0.5, k), 2 * user_level.half_width(k, n, 1 / n, 0.05)


def draw(k, shape, rng, runs):
    """User means, (runs, n), with p_i from Beta(shape, shape), by inversion of the beta-binomial distribution."""
    means = np.empty((runs, k.size))
    for value in np.unique(k):
        who = k == value
        below = stats.betabinom.cdf(np.arange(value), value, shape, shape)
        means[:, who] = np.searchsorted(below, rng.random((runs, who.sum()))) / value
    return means


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


def test_best_truncation_is_the_one_lemma_for_proportional_widths():
    """T* of the statement, of the library, and the clip that a convex solver finds."""
    sigma = np.array([0.1] * 3 + [0.5] * 20)
    values = {sym.D: 30, sym.c: 3, sym.r: 2, sym.kappa: 2, sym.epsilon: 2}
    t = user_level.best_truncation(sigma, 2 * sigma, 2.0)
    assert t == pytest.approx(float(sym.best_T.subs(values)), rel=1e-14) == 6.0
    assert user_level.best_truncation(sigma, 2 * sigma, 2.0, penalty=1.0) == pytest.approx(7.5, rel=1e-14)
    low = [objective(sigma, 2 * sigma, 2.0, user_level.truncated_weights(sigma, x)) for x in (0.1, 1.0, 2.0, 2.1)]
    assert low[0] == pytest.approx(low[1], rel=1e-14) == low[2] > 1.001 * low[3]  # not unique below min 1 / sigma
    w = cp.Variable(23)
    error = cp.sum(cp.multiply(sigma**2, w**2)) + 2 * cp.square(cp.max(cp.abs(cp.multiply(2 * sigma / 2.0, w))))
    cp.Problem(cp.Minimize(1e3 * error), [cp.sum(w) == 1, w >= 0]).solve(solver=cp.CLARABEL)
    np.testing.assert_allclose(user_level.truncated_weights(sigma, t), w.value, atol=1e-6)


def test_the_laplace_variance_is_twice_the_square_of_the_scale():
    """Printed eq. 5 is refuted: one user with interval [0, 1] and epsilon = 1 has noise variance 2, not 1."""
    plan = user_level.private_ideal([10**6] * 2, 0.5, 0.0, 1.0)
    w, d = plan.weights, plan.upper - plan.lower
    noise = plan.variance - np.sum(w**2) * 0.25e-6
    assert noise == pytest.approx(2 * np.max(w * d) ** 2, rel=1e-9)
    samples = plan.estimate(np.full((400_000, 2), 0.5), 3) - 0.5
    spread = np.std(samples**2) / np.sqrt(samples.size)
    assert abs(np.mean(samples**2) - noise) < 4 * spread < abs(np.mean(samples**2) - noise / 2) / 10


def test_the_printed_penalty_costs_at_most_a_factor_two():
    """The weights for b^2 in the true objective, on random instances; and strictly more than the best somewhere."""
    rng, worst = np.random.default_rng(5), 1.0
    for _ in range(200):
        sigma = rng.uniform(0.02, 0.5, 10)
        eps = 10 ** rng.uniform(-1, 1)
        truth, printed = (
            objective(
                sigma, sigma, eps, user_level.truncated_weights(sigma, user_level.best_truncation(sigma, sigma, eps, c))
            )
            for c in (2.0, 1.0)
        )
        assert truth <= printed * (1 + 1e-12) and printed <= 2 * truth
        worst = max(worst, printed / truth)
    assert worst > 1.01


def test_eq_4_is_not_optimal_for_other_widths():
    """Two users with sigma 1/2 and 1/10, widths 1 and 1, epsilon 1: exact errors by Fractions."""
    sigma, width = np.array([0.5, 0.1]), np.array([1.0, 1.0])
    t = user_level.best_truncation(sigma, width, 1.0)
    family = objective(sigma, width, 1.0, user_level.truncated_weights(sigma, t))
    equal = (Fraction(1, 4) + Fraction(1, 100)) / 4 + Fraction(2, 4)  # in min(1/v, T/d) for small T
    least = Fraction(1, 36) / 4 + Fraction(25, 36) / 100 + 2 * Fraction(25, 36)  # weights 1/6 and 5/6
    assert equal == Fraction(113, 200) and least == Fraction(101, 72)
    assert family == pytest.approx(float(least), rel=1e-14)
    ratio = width / sigma
    best = min(objective(sigma, width, 1.0, np.array([x, 1 - x])) for x in np.linspace(0, 1, 10_001))
    assert family <= (ratio.max() / ratio.min()) ** 2 * best
    ours = objective(sigma, width, 1.0, optimal_weights(sigma**2, width, 2.0))
    assert ours == pytest.approx(best, rel=1e-7) and ours == pytest.approx(float(equal), rel=1e-12)
    rng = np.random.default_rng(3)
    for _ in range(10):  # the bound for more users, and the library's weights against a convex solver
        sigma, width = rng.uniform(0.05, 0.5, 6), rng.uniform(0.05, 1, 6)
        least = objective(sigma, width, 1.0, optimal_weights(sigma**2, width, 2.0))
        t = user_level.best_truncation(sigma, width, 1.0)
        family = objective(sigma, width, 1.0, user_level.truncated_weights(sigma, t))
        ratio = width / sigma
        assert least <= family * (1 + 1e-12) and family <= (ratio.max() / ratio.min()) ** 2 * least
        w = cp.Variable(6)
        error = cp.sum_squares(cp.multiply(sigma, w)) + 2 * cp.square(cp.max(cp.abs(cp.multiply(width, w))))
        cp.Problem(cp.Minimize(error), [cp.sum(w) == 1, w >= 0]).solve(solver=cp.CLARABEL)
        np.testing.assert_allclose(optimal_weights(sigma**2, width, 2.0), w.value, atol=1e-5)


def test_the_square_stands_for_the_variance_of_a_projected_mean():
    """Section 4.1 takes sigma_i: for 100 samples 1/20, where the variance is 1/400 and hardly less when projected."""
    k, f = 100, float(user_level.half_width(100, 1000, 0.0, 0.05))
    x, chance = np.arange(k + 1) / k, stats.binom.pmf(np.arange(k + 1), k, 0.5)
    projected = np.clip(x, 0.5 - f, 0.5 + f)
    variance = chance @ (projected - 0.5) ** 2
    square = user_level.sample_mean_variance(0.5, 0.0, k)
    assert square == pytest.approx(1 / 400) and square**0.5 / square == pytest.approx(20)
    assert 0.5 * square <= 0.999 * square < variance <= square
    plan = user_level.private_ideal([k] * 1000, 0.5, 0.0, 1.0)
    assert plan.variance == pytest.approx(square / 1000 + 2 * plan.scale**2, rel=1e-12)


def price(k, p, spread, epsilon, proxy=None):
    """Best error of the private ideal estimator over the best without privacy, widths over deviations, weights."""
    v = user_level.sample_mean_variance(p, spread, k)
    d = 2 * user_level.half_width(k, k.size, spread**2 if proxy is None else proxy, 0.05)
    private = objective(np.sqrt(v), d, epsilon, optimal_weights(v, d / epsilon, 2.0))
    return private * np.sum(1 / v), d / np.sqrt(v), user_level.ideal_weights(k, p, spread)


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
        log = np.log(4 * n / 0.05)
        largest = float(sym.sub_gaussian_ratio.subs({sym.L: log, sym.P: p * (1 - p)}))
        assert ratio.max() ** 2 <= largest * (1 + 1e-12)
    found, ratio, weights = price(np.full(50, 20.0), 0.5, 0.0, 0.7)
    assert found == pytest.approx(bounds(50, 0.7, ratio, weights)[0], rel=1e-12)
    found, ratio, weights = price(np.append(1e9, np.ones(49)), 0.5, 0.0, 0.7)
    assert found == pytest.approx(bounds(50, 0.7, ratio, weights)[1], rel=1e-4)
    assert found > 1 + 16 * np.log(2 * 50 / 0.05) / 0.7**2 * 0.999  # grows with ln n


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
    prices = []
    for n in (10**3, 10**4, 10**5):  # epsilon = 1, h = ln n, k_1 / k_med at the limit: bounded
        head = np.log(n)  # the ideal's largest weight is then below 1/(1 + ln n)
        prices.append(price(np.append((n / 2 - head) / head, np.ones(n - 1)), 0.5, 0.0, 1.0)[0])
    assert max(prices) < 1 + 2 * 8 * np.log(2 * 10**5 / 0.05) / np.log(10**5)


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


@pytest.mark.parametrize(("a", "b"), [(12.0, 12.0), (2.0, 5.0), (0.5, 0.5)])
def test_the_proxy_of_a_beta_distribution_is_sub_gaussian(a, b):
    """Log-moment generating function below that of a normal variable, in 30 digits; sharp for a = b at 0."""
    proxy, mean = user_level.beta_proxy(a, b), a / (a + b)
    with mpmath.workdps(30):
        for t in (-40, -5, -0.1, -0.001, 0.001, 0.1, 5, 40):
            logarithm = mpmath.log(mpmath.hyp1f1(a, a + b, t)) - t * mpmath.mpf(mean)
            assert logarithm <= mpmath.mpf(proxy) * t**2 / 2 * (1 + 1e-12)
            if a == b and abs(t) < 0.01:
                assert logarithm >= mpmath.mpf(proxy) * t**2 / 2 * (1 - 1e-5)


@pytest.mark.parametrize(("a", "b"), [(12.0, 12.0), (2.0, 5.0), (0.5, 0.5)])
@pytest.mark.parametrize("k", [1, 7, 200])
def test_half_width_covers_beta_distributions(a, b, k):
    """Exact beta-binomial tails: each user leaves her interval with probability at most beta / n."""
    n, beta = 500, 0.05
    f = user_level.half_width(k, n, user_level.beta_proxy(a, b), beta)
    mean = a / (a + b)
    inside = stats.betabinom.pmf(np.arange(k + 1), k, a, b)[np.abs(np.arange(k + 1) / k - mean) <= f]
    assert 1 - inside.sum() <= beta / n + 1e-12


@pytest.mark.parametrize("p", [0.1, 0.5])
def test_half_width_covers_point_masses(p):
    """Exact binomial tails, and the statement."""
    n, beta = 500, 0.05
    for k in (1, 7, 200, 5000):
        f = user_level.half_width(k, n, 0, beta)
        assert f == pytest.approx(
            float(sym.point_mass_width.subs({sym.n: n, sym.beta: sp.Rational(1, 20), sym.k: k})), rel=1e-13
        )
        inside = stats.binom.pmf(np.arange(k + 1), k, p)[np.abs(np.arange(k + 1) / k - p) <= f]
        assert 1 - inside.sum() <= beta / n


def test_example_1_rates():
    """Slopes of the standard deviations over n to 10^7, from exact sums over the distinct k."""
    sizes, rows = (10**5, 10**6, 10**7), []
    for n in sizes:
        k, size, v, d = example_1(n)
        w = k / np.sum(k * size)
        best = optimal_weights(v / size, d / size, 2.0) / size
        private = np.sum(size * best**2 * v) + 2 * np.max(best * d) ** 2
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


@pytest.mark.parametrize(("n", "m"), [(1000, 1), (1000, 30), (3000, 300)])
def test_example_1_closed_forms_are_sums(n, m):
    """Digamma and trigamma in elementary terms against sums over all users."""
    i = np.arange(1, n + 1)
    v = (0.25 * i + 1 - i / n) / n
    w = 1 / np.maximum(i, m)
    w = w / w.sum()
    f = np.sqrt(2 * np.log(4 * n / 0.05) / n) + np.sqrt(np.log(4 * n / 0.05) * i / (2 * n))
    at = {sym.P: sp.Rational(1, 4), sym.n: n, sym.m: m, sym.epsilon: 3, sym.beta: sp.Rational(1, 20)}
    found = [sym.example_ideal, sym.example_uniform, sym.example_sampling, sym.example_noise]
    expected = [1 / np.sum(1 / v), v.sum() / n**2, np.sum(w * w * v), 2 * np.max(w * 2 * f / 3) ** 2]
    np.testing.assert_allclose([float(e.subs(at)) for e in found], expected, rtol=1e-12)


s, z, u = sp.symbols("s z u", nonnegative=True)
REGION = {sym.k: 1 + s, sym.P: sym.V + u}  # k at least 1, p (1 - p) at least sigma_p^2


def estimated(of_p, of_v):
    """Estimated variance of a user's mean, for p (1 - p) and the head's variance wrong by these factors."""
    head_variance = sym.variance.subs(sym.k, sym.k + z)
    return of_p * sym.P / sym.k + (1 - 1 / sym.k) * of_v * head_variance


def endless_point_mass(expression):
    """The limit where p_i do not vary and everybody has endlessly many samples."""
    return sp.limit(expression.subs({sym.V: 0, z: 0}), sym.k, sp.oo)


def test_lemma_4_2_constants_are_sharp():
    """1/2 is attained by users with one sample, 19/2 approached by a point mass; certified in between."""
    half = sp.Rational(1, 2)
    assert_nonnegative(estimated(half, 1) - sym.lower_constant * sym.variance, REGION)
    assert_nonnegative(sym.upper_constant * sym.variance - estimated(3 * half, 8), REGION)
    assert_identity((estimated(half, 1) / sym.variance).subs(sym.k, 1), sym.lower_constant)
    assert endless_point_mass(estimated(3 * half, 8) / sym.variance) == sym.upper_constant


def test_lemma_4_2_fails_for_sub_gaussian_widths():
    """Widths proportional to deviations: at most 4, approached.  Sub-Gaussian ones: 2 + 2 sqrt 2, attained."""
    assert_nonnegative((sym.width_constant - 1) ** 2 * sym.variance - estimated(1, 8), REGION)
    assert 1 + sp.sqrt(endless_point_mass(estimated(1, 8) / sym.variance)) == sym.width_constant
    f = sym.half_width
    most = sp.sqrt(16 * sym.L * sym.V) + sp.sqrt(4 * sym.L / sym.k) + sp.sqrt(sym.L / (2 * sym.k))  # f, estimated
    rest = sp.expand((sym.sub_gaussian_width_constant - 1) * f - most)
    assert_identity(rest, sp.sqrt(2 * sym.V * sym.L))  # nonnegative, and 0 for a point mass
    k, log = 10_000, 12.0
    f = np.sqrt(log / (2 * k))
    f_hat = np.sqrt(2 * 8 * 0.25 / k * log) + f
    assert (f + f_hat) / f == pytest.approx(float(sym.sub_gaussian_width_constant), rel=1e-12)
    assert (f + f_hat) / f > 4.8


def test_the_median_user_has_at_most_that_variance():
    """Eq. (7): k sigma^2 rises, so the variance grows by less than the samples fall; as much for a point mass."""
    more = sym.k + z
    rise = more * sym.variance.subs(sym.k, more) - sym.k * sym.variance
    assert_nonnegative(rise)
    assert_identity(rise.subs(sym.V, 0), 0)
    for n, head in ((100, 5), (1000, 7), (64, 16)):
        ratio = sp.Rational(n // 2 - head, head)
        assert_identity(sym.eq_7_ratio.subs({sym.n: n, sym.head: head}), ratio)
        for spread in (0.0, 0.1):
            one, median = (user_level.sample_mean_variance(0.5, spread, k) for k in (1000.0, 1000 / float(ratio)))
            assert median <= float(ratio) * one * (1 + 1e-12)
            assert spread or median == pytest.approx(float(ratio) * one, rel=1e-12)


def parts_of(k, head, truncation, spread, shape):
    """min(1/sigma^2, T/d) of all users over that of the middle, for widths of two shapes."""
    v = user_level.sample_mean_variance(0.5, spread, k)
    d = np.sqrt(v) if shape == "deviation" else user_level.half_width(k, k.size, spread**2, 0.05)
    parts = np.minimum(1 / v, truncation / d)
    return parts.sum() / parts[head : k.size - k.size // 10].sum()


@pytest.mark.parametrize("shape", ["deviation", "sub-Gaussian"])
def test_the_middle_has_at_least_half(shape):
    """For every T, group size and k_i within the third condition; a half is approached; the paper has a quarter."""
    rng = np.random.default_rng(8)
    for _ in range(300):
        n, truncation = 10 * int(rng.integers(5, 60)), float(np.exp(rng.uniform(-6, 9)))
        head = int(rng.integers(1, n // 4 + 1))
        k = np.sort(np.exp(rng.exponential(rng.uniform(0, 3), n)))[::-1].copy()
        k = np.minimum(k, k[n // 2 - 1] * (n / 2 - head) / head)
        if k[0] < k[n // 2 - 1]:
            continue
        assert parts_of(k, head, truncation, 0.5 * rng.uniform(0, 1) ** 3, shape) <= float(sym.share_constant)
    poor = np.repeat([9e6, 1e6, 1.0], [100, 900, 1000])
    sharp = parts_of(poor, 100, 1e9, 0.0, shape)
    assert 0.999 * float(sym.share_constant) < sharp < float(sym.share_constant) < float(sym.printed_share_constant)


def test_theorem_4_1_constant_is_the_product_of_its_steps():
    """Each step's factor is certified: variances, objective, normalisation, and the ideal's projected variances."""
    variances = 1 / sp.Rational(1, 2)  # sigma^2 over its estimate, at most
    assert_nonnegative(variances * estimated(sp.Rational(1, 2), 1) - sym.variance, REGION)
    objective_factor = sp.Integer(4) ** 2  # estimated squared widths and variances over the true ones
    assert_nonnegative(objective_factor * sym.variance - estimated(sp.Rational(3, 2), 8), REGION)
    assert_nonnegative((sp.sqrt(objective_factor) - 1) ** 2 * sym.variance - estimated(1, 8), REGION)
    head, rest, tail = sp.symbols("head rest tail", nonnegative=True)  # weight of the groups; `rest` after the median
    more, less = sp.symbols("more less", nonnegative=True)
    everybody = (head + (head + more + tail + less) + tail).subs(rest, tail + less)
    middle = head + more + tail + less  # between head and median at least the head's, after it at least the tail's
    normalisation = sp.Integer(2)
    assert_nonnegative(normalisation * middle - everybody)
    assert_identity(variances * objective_factor * normalisation**2 * 2, sym.theorem_constant)


def test_theorem_4_1_holds_on_random_instances_with_its_constant():
    """Estimates anywhere in the ranges of Theorem 4.1 and widths proportional to sigma: ratio at most 256."""
    rng, largest = np.random.default_rng(8), 0.0
    for _ in range(60):
        n, head = 200, 6
        k = np.sort(np.exp(rng.uniform(0, np.log(16), n)))[::-1]
        assert k[0] / k[n // 2] <= (n / 2 - head) / head
        spread = rng.uniform(0, 0.3)
        v = user_level.sample_mean_variance(0.5, spread, k)
        v_hat = rng.uniform(0.5, 1.0) * 0.25 / k + (1 - 1 / k) * rng.uniform(1, 8) * v[head - 1]
        d, d_hat = 3 * np.sqrt(v), rng.uniform(1, 4) * 3 * np.sqrt(v)
        mid, eps = slice(head, n - n // 10), 10 ** rng.uniform(-1, 1)
        w = optimal_weights(v_hat[mid], d_hat[mid] / eps, 2.0)
        real = np.sum(w**2 * v[mid]) + 2 * np.max(w * d_hat[mid] / eps) ** 2
        ideal = (
            objective(np.sqrt(v), d, eps, optimal_weights(v, d / eps, 2.0)) / 2
        )  # projected variances: half at least
        largest = max(largest, real / ideal)
    assert 2 < largest < float(sym.theorem_constant)


def test_few_users_cannot_give_a_variance():
    """One of G variances by a mechanism whose chances differ by e^(m eps) at most: randomised response is best."""
    for count, users, epsilon in ((2, 5, 0.3), (3, 4, 0.5), (4, 2, 1.0)):
        factor = np.exp(users * epsilon)
        best = most_certain(count, factor)
        assert best == pytest.approx(factor / (factor + count - 1), rel=1e-8)
        at = {sym.G: count, sym.epsilon: epsilon, sym.beta: 1 - best}
        assert float(sym.variance_users.subs(at)) == pytest.approx(users, rel=1e-6)
    need = sym.variance_users.subs({sym.G: 2, sym.beta: sp.Rational(1, 20), sym.epsilon: sp.Rational(1, 4)})
    assert f"{float(need):.1f}" == "11.8" and need > np.log(10**4)  # the paper's head has 9 or 10 users then
    one, other = np.full((1, 8), 0.5), np.tile([0.0, 1.0], (1, 4))  # ours obeys the bound: m steps, m eps
    scales = user_level.variance_scales([1000])
    p, q = (scale_probabilities(x, scales, 0.3)[0][0] for x in (one, other))
    assert np.max(np.abs(np.log(p / q))) <= 8 * 0.3


def most_certain(count, factor):
    """Largest certain chance of the right one of `count` answers, any two rows within `factor`."""
    law = cp.Variable((count, count), nonneg=True)
    pairs = [(i, j) for i in range(count) for j in range(count) if i != j]
    private = [law[i] <= factor * law[j] for i, j in pairs]
    problem = cp.Problem(cp.Maximize(cp.min(cp.diag(law))), [cp.sum(law, axis=1) == 1, *private])
    return problem.solve(solver=cp.CLARABEL, tol_gap_abs=1e-11, tol_gap_rel=1e-11, tol_feas=1e-11)


@pytest.mark.parametrize("epsilon", [0.3, 1.0, 3.0])
def test_algorithm_2_against_its_prediction_and_bound(epsilon):
    """Simulated at n = 10^4: first variance in the allowed range, error near the prediction, far below 256."""
    rng, shape = np.random.default_rng(6), (0.25 / 0.03**2 - 1) / 2
    errors, good = [], 0
    for _ in range(5):
        found = user_level.private_estimate(draw(TWO_LEVELS, shape, rng, 100), TWO_LEVELS, epsilon, rng)
        errors.append((found.estimate - 0.5) ** 2)
        v = user_level.sample_mean_variance(0.5, 0.03, 400)
        good += np.count_nonzero((found.initial_variance >= v) & (found.initial_variance <= 8 * v))
    errors = np.concatenate(errors)
    ideal = user_level.private_ideal(TWO_LEVELS, 0.5, 0.03, epsilon).variance
    assert good / errors.size >= 0.95 - 4 * np.sqrt(0.05 * 0.95 / errors.size)
    assert errors.mean() + 4 * errors.std() / np.sqrt(errors.size) < float(sym.theorem_constant) * ideal
    prediction = predicted(epsilon, 400, 20, 0.2, 0.03)[2]
    assert errors.mean() == pytest.approx(prediction, rel=0.35)


def test_private_ideal_has_the_variance_it_states():
    """Simulated; truncation cannot matter more than the failure probability."""
    rng, shape = np.random.default_rng(2), (0.25 / 0.03**2 - 1) / 2
    plan = user_level.private_ideal(TWO_LEVELS, 0.5, 0.03, 1.0)
    errors = (plan.estimate(draw(TWO_LEVELS, shape, rng, 1000), rng) - 0.5) ** 2
    assert abs(errors.mean() - plan.variance) < 4 * errors.std() / np.sqrt(errors.size)


def test_mean_is_as_accurate_as_it_says():
    """The error exceeds alpha with probability at most beta."""
    rng = np.random.default_rng(3)
    found, alpha = user_level.private_mean(rng.random((20_000, 50)) < 0.4, 0.2, 0.1, rng)
    assert np.mean(np.abs(found - 0.4) > alpha) <= 0.1


# Privacy: neighbours differ in all data of one user


def test_every_score_moves_by_at_most_one():
    """Exact loss of the variance estimator over random neighbours, with a replaced user of the largest k."""
    rng, scales, worst = np.random.default_rng(4), user_level.variance_scales([5000]), 0.0
    for _ in range(300):
        x = rng.beta(*rng.uniform(0.3, 20, 2), 40)
        y = x.copy()
        y[0] = rng.choice([0.0, 1.0, rng.random()])
        p, q = (scale_probabilities(z, scales, 0.8)[0] for z in (x, y))
        worst = max(worst, np.max(np.abs(np.log(p / q))))
    assert 0.4 < worst <= 0.8 + 1e-12
    x = np.tile([0.5, 0.5], 40)  # one pair moves the score of the first scale up, that of the second down
    x[1 : 2 * 21 : 2] = 0.6
    y = x.copy()
    y[-1] = 1.0
    p, q = (scale_probabilities(z, np.array([0.25, 1e-4]), 0.8)[0] for z in (x, y))
    assert 0.79 < np.max(np.abs(np.log(p / q))) <= 0.8 + 1e-12


def audit(first, second, event):
    """Log-ratio of the chances of an event, and its standard error."""
    a, b = np.mean(event(first)), np.mean(event(second))
    return np.log(a / b), np.sqrt((1 - a) / (a * len(first)) + (1 - b) / (b * len(second)))


def test_audit_of_the_mean():
    """The loss is epsilon, and an error of 10 % in the scale would show."""
    x = np.full((400_000, 20), 0.5)
    x[:, 0] = 0.0
    y = x.copy()
    y[:, 0] = 1.0
    low, high = (user_level.private_mean(z, 1.0, 0.05, s)[0] for s, z in enumerate((x, y)))
    loss, error = audit(low, high, lambda out: out < 0.475)
    assert abs(loss - 1.0) < 4 * error < 0.1


AUDITED = np.array([2000.0, *[50] * 30, *[5] * 60])


def test_the_final_release_spends_exactly_the_budget():
    """The users who lose most lose exactly epsilon: among them here is the one with the largest k."""
    for epsilon in (0.3, 1.0):
        plan = final_release(AUDITED, 120, 0.5, 0.004, 0.02, epsilon, 0.05)
        loss = plan.weights * (plan.upper - plan.lower) / plan.scale
        assert loss.max() == pytest.approx(epsilon, rel=1e-12) and loss[0] == pytest.approx(epsilon, rel=1e-12)


def test_audit_of_the_final_release():
    """A user's data move from one end to the other: the measured loss is epsilon, and 10 % would show."""
    plan = final_release(AUDITED, 120, 0.5, 0.004, 0.02, 1.0, 0.05)
    x = np.full((80_000, AUDITED.size), 0.5)
    x[:, 0] = 0.0
    y = x.copy()
    y[:, 0] = 1.0
    below = plan.answer(x[:1])[0]
    measured, error = audit(plan.estimate(x, 1), plan.estimate(y, 2), lambda out: out < below)
    assert abs(measured - 1.0) < 4 * error < 0.1


@pytest.mark.parametrize("who", ["head", "middle", "tail"])
def test_audit_end_to_end(who):
    """No event of the three published numbers is more than e^epsilon times as likely on a neighbour."""
    k, rng, eps = np.array([300.0, *[40] * 30, *[4] * 19]), np.random.default_rng(9), 1.0
    groups = user_level.user_groups(k, eps, head=4, tail=6)
    user = dict(zip(("head", "middle", "tail"), groups, strict=True))[who][0]
    x = np.tile(rng.random(50), (6000, 1))
    y = x.copy()
    x[:, user], y[:, user] = 0.0, 1.0
    one, two = (user_level.private_estimate(z, k, eps, s, head=4, tail=6) for s, z in enumerate((x, y)))
    for name in ("initial_mean", "initial_variance", "estimate"):
        pooled = np.concatenate([getattr(one, name), getattr(two, name)])
        for level in np.quantile(pooled, [0.1, 0.3, 0.5, 0.7, 0.9]):
            for event in (lambda out, t=level: out <= t, lambda out, t=level: out > t):
                if min(event(getattr(r, name)).mean() for r in (one, two)) > 0.01:
                    loss, error = audit(getattr(one, name), getattr(two, name), event)
                    assert abs(loss) < eps + 4 * error, (name, level)


def test_groups_are_disjoint_and_decided_by_k_alone():
    """Every user is in one group; head has the largest k, tail the smallest."""
    k = np.random.default_rng(1).permutation(np.r_[np.full(3000, 7), np.full(3000, 90)])
    head, middle, tail = user_level.user_groups(k, 1.0)
    np.testing.assert_array_equal(np.sort(np.r_[head, middle, tail]), np.arange(6000))
    assert k[head].min() >= k[middle].max() and k[middle].min() >= k[tail].max()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"k": [0.5] * 40}, "k must lie in"),
        ({"means": np.full(40, 1.2)}, "means must lie in"),
        ({"means": np.full(40, np.nan)}, "means must lie in"),
        ({"epsilon": 0.0}, "epsilon must lie in"),
        ({"epsilon": -1.0}, "epsilon must lie in"),
        ({"epsilon": np.inf}, "epsilon must lie in"),
        ({"head": np.nan}, "head must be an integer in"),
        ({"head": "a"}, "head must be an integer in"),
        ({"head": None}, "at least twice as many users"),
        ({"head": 3}, "head must be even"),
        ({"tail": 0}, "tail must be an integer in"),
        ({"beta": 0.0}, "beta must lie in"),
        ({"means": np.full(39, 0.5)}, "means must have shape"),
        ({"means": np.full(1, 0.5), "k": [5.0]}, "at least twice as many users"),
    ],
)
def test_bad_input_is_refused(change, message):
    """A clear error, never a division by zero."""
    good = {"means": np.full(40, 0.5), "k": np.full(40, 5.0), "epsilon": 1.0, "rng": 1, "head": 4, "tail": 4}
    assert np.isfinite(user_level.private_estimate(**good).estimate)
    with pytest.raises(ValueError, match=message):
        user_level.private_estimate(**good | change)


@pytest.mark.parametrize("constant", [0.0, 1.0])
def test_degenerate_data_give_finite_answers(constant):
    """All users agree on 0 or on 1: the first mean stays inside (0, 1), so no variance is 0."""
    with np.errstate(all="raise", under="ignore"):
        found = user_level.private_estimate(np.full((20, 40), constant), np.full(40, 5.0), 2.0, 1, head=4, tail=4)
    assert np.isfinite(found.estimate).all()


def test_intervals_cut_to_the_unit_interval_change_no_answer():
    """The same projected means, and less noise, than with the printed intervals."""
    rng, k = np.random.default_rng(3), np.repeat([400, 20], [20, 180])
    plan = user_level.private_ideal(k, 0.5, 0.1, 1.0)
    f = user_level.half_width(k, k.size, 0.01, 0.05)
    x = rng.random((50, k.size))
    np.testing.assert_allclose(plan.answer(x), np.clip(x, 0.5 - f, 0.5 + f) @ plan.weights, rtol=1e-13)
    length = np.minimum(0.5 + f, 1) - np.maximum(0.5 - f, 0)
    assert plan.scale == pytest.approx(np.max(plan.weights * length), rel=1e-12)
    assert np.max(plan.weights * 2 * f) > 1.2 * plan.scale


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


@pytest.mark.parametrize("n", [100, 10**4, 10**6])
def test_example_1_violates_the_third_condition(n):
    """k_1 / k_{n/2} = n/2, more than (n/2 - h)/h for every n and h; but the share of the middle tends to 1."""
    head, k = int(np.log(n)), -(-n // np.arange(1, n + 1))
    assert k[0] / k[n // 2 - 1] == n / 2 > (n / 2 - head) / head
    assert_nonnegative((sym.n / 2 - sym.eq_7_ratio).subs(sym.head, 1 + z), strict=True)
    parts = 1 / (0.25 * np.arange(1, n + 1) / n + (1 - np.arange(1, n + 1) / n) / n)
    share = sp.lambdify((sym.n, sym.head), sym.example_share.subs(sym.P, sp.Rational(1, 4)), "mpmath")
    assert float(share(mpmath.mpf(n), head)) == pytest.approx(parts[head : n - n // 10].sum() / parts.sum(), rel=1e-9)
    shares = [share(mpmath.mpf(10) ** power, power * np.log(10)) for power in (4, 16, 64, 256)]
    assert shares == sorted(shares) and shares[-1] > 0.985
