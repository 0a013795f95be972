"""Section 4 of Cummings et al.: weights, widths, Example 1, Algorithm 2 against its bound, and its privacy."""

from fractions import Fraction

import cvxpy as cp
import numpy as np
import pytest
import sympy as sp
from scipy import stats
from scipy.optimize import minimize_scalar

from hdp import user_level
from hdp._user_algorithm import final_release, scale_probabilities
from hdp.clipping import optimal_weights
from hdp.figures.cfmt.algorithm import predicted
from hdp.sym import cfmt_private as sym

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


def test_lemma_4_2_fails_for_sub_gaussian_widths():
    """k = 10^4 everywhere, sigma_p = 0, the first variance at its upper end, alpha at its limit f: 4.83, not 4."""
    k, log = 10_000, 12.0
    f = np.sqrt(log / (2 * k))
    f_hat = np.sqrt(2 * 8 * 0.25 / k * log) + f
    assert (f + f_hat) / f == pytest.approx(float(sym.sub_gaussian_width_constant), rel=1e-12)
    assert (f + f_hat) / f > 4.8


def test_theorem_4_1_holds_on_random_instances_with_its_constant():
    """Estimates anywhere in the ranges of Theorem 4.1 and widths proportional to sigma: ratio at most 576."""
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
        w = user_level.truncated_weights(
            np.sqrt(v_hat[mid]), user_level.best_truncation(np.sqrt(v_hat[mid]), d_hat[mid], eps)
        )
        ideal = user_level.truncated_weights(np.sqrt(v), user_level.best_truncation(np.sqrt(v), d, eps))
        real = np.sum(w**2 * v[mid]) + 2 * np.max(w * d_hat[mid] / eps) ** 2
        largest = max(largest, real / objective(np.sqrt(v), d, eps, ideal))
        parts = np.minimum(1 / v, 7 / np.sqrt(v))
        assert parts.sum() <= 3 * parts[mid].sum()
        assert v[n // 2] <= (n / 2 - head) / head * v[0]  # eq. (7)
    assert 1 < largest < float(sym.theorem_constant)


def test_few_users_cannot_give_a_variance():
    """Two data sets of m users differ in m steps: the chances of disjoint answers differ by at most e^(m eps)."""
    one, other = np.full((1, 8), 0.5), np.tile([0.0, 1.0], (1, 4))
    scales = user_level.variance_scales([1000])
    p, q = (scale_probabilities(x, scales, 0.3)[0][0] for x in (one, other))
    assert np.max(np.abs(np.log(p / q))) <= 8 * 0.3


@pytest.mark.parametrize("epsilon", [0.3, 1.0, 3.0])
def test_algorithm_2_against_its_prediction_and_bound(epsilon):
    """Simulated at n = 10^4: first variance in the allowed range, error near the prediction, far below 576."""
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


def test_audit_of_the_final_release():
    """The users who lose most lose exactly epsilon: among them here is the one with the largest k."""
    k = np.array([2000.0, *[50] * 30, *[5] * 60])
    plan = final_release(k, 120, 0.5, 0.004, 0.02, 1.0, 0.05)
    loss = plan.weights * (plan.upper - plan.lower) / plan.scale
    assert loss.max() == pytest.approx(1.0, rel=1e-12) and loss[0] == pytest.approx(1.0, rel=1e-12)
    x = np.tile(np.full(k.size, 0.5), (400_000, 1))
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


def test_lemma_4_2_constants_are_sharp():
    """1/2 is attained by users with one sample, 9.5 approached by a point mass; between them on random instances."""
    rng = np.random.default_rng(7)
    for _ in range(300):
        p, k = rng.uniform(0.05, 0.95), rng.integers(1, 50)
        spread, later = rng.uniform(0, np.sqrt(p * (1 - p))), k + rng.integers(0, 50)
        v, head = (user_level.sample_mean_variance(p, spread, x) for x in (k, later))
        low, high = ((a * p * (1 - p) / k + (1 - 1 / k) * b * head) / v for a, b in ((0.5, 1.0), (1.5, 8.0)))
        assert 0.5 - 1e-12 <= low and high <= 9.5 + 1e-12
    assert Fraction(3, 2) + 8 * (1 - Fraction(1, 10**6)) > Fraction(949, 100)


@pytest.mark.parametrize("n", [100, 10**4, 10**6])
def test_example_1_violates_the_third_condition(n):
    """k_1 / k_{n/2} = n/2 for every n; but the middle keeps nearly all of the inverse variances."""
    head, k = int(np.log(n)), -(-n // np.arange(1, n + 1))
    assert k[0] / k[n // 2 - 1] > (n / 2 - head) / head
    parts = 1 / user_level.sample_mean_variance(0.5, n**-0.5, k)
    assert parts[head : n - n // 10].sum() > parts.sum() / 3
