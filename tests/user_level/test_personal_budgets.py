"""Algorithm 2 with personal budgets: who loses what, exactly; its weights, its constants, and its error."""

import numpy as np
import pytest
import sympy as sp

from hdp import ADPM, affine, user_level
from hdp.clipping import optimal_weights
from hdp.figures.user_level.personal_budgets import population, predicted
from hdp.proof import assert_identity, assert_monte_carlo, assert_nonnegative
from hdp.sym.user_level import personal_budgets as sym
from hdp.sym.user_level.private import P, V, k
from hdp.sym.user_level.private import variance as of_moments
from hdp.user_level.algorithm_2 import final_release
from hdp.user_level.parts import head_size
from tests.oracles import convex_weights, exact_objective
from tests.user_level.common import draw, objective

SMALL_K = np.array([300.0] * 6 + [40.0] * 20 + [4.0] * 14)
SMALL_EPSILON = np.tile([1.0, 0.25, 2.0, 0.1, 1.5], 8)
GROUPS = {"head": 4, "tail": 6}
CONSTANT = float(sym.price.subs(sym.g, 16))


class Silent(np.random.Generator):
    """Noise of size 0 whose scales are written down, and evenly spaced draws."""

    def __init__(self):
        super().__init__(np.random.PCG64(1))
        self.scales = []

    def laplace(self, loc=0.0, scale=1.0, size=None):
        self.scales.append(float(scale))
        return np.zeros(() if size is None else size)

    def random(self, size=None, dtype=np.float64, out=None):
        return ((np.arange(np.prod(size, dtype=int)) + 0.5) / max(np.prod(size, dtype=int), 1)).reshape(size)


def exact(x, k=SMALL_K, epsilon=SMALL_EPSILON):
    """What is published without noise, and the scales that its noise would have had."""
    rng = Silent()
    return user_level.private_estimate(x, k, epsilon, rng, **GROUPS), rng.scales


@pytest.mark.settles("hdp-personal-algorithm", "hdp-personal-privacy")
def test_groups_are_disjoint_and_the_head_is_willing():
    """The head allows its budget, and of those who do it has most data; the tail has least; they are at most half."""
    rng = np.random.default_rng(2)
    for _ in range(20):
        k, eps = np.exp(rng.exponential(2, 6000)) + 1, np.exp(rng.uniform(-3, 1, 6000))
        parts = user_level.user_groups(k, eps)
        np.testing.assert_array_equal(np.sort(np.concatenate(parts[:3])), np.arange(6000))
        assert eps[parts.head].min() >= parts.head_budget > 0
        part = parts.head.size / np.count_nonzero(eps >= parts.head_budget)
        for other in np.quantile(eps, [0, 0.25, 0.5, 0.75, 1], method="lower"):
            assert part <= head_size(k, other, 0.05) / np.count_nonzero(eps >= other)
        willing = np.setdiff1d(np.flatnonzero(eps >= parts.head_budget), parts.head)
        assert k[parts.head].min() >= k[willing].max() and k[parts.middle].min() >= k[parts.tail].max()
    assert user_level.user_groups(SMALL_K, SMALL_EPSILON, head=14, tail=6).middle.size == 20
    with pytest.raises(ValueError, match="twice as many users as head and tail together, got n = 40"):
        user_level.user_groups(SMALL_K, SMALL_EPSILON, head=16, tail=6)


@pytest.mark.settles("hdp-personal-privacy")
def test_nobody_loses_more_than_her_budget_by_mean_and_answer():
    """Replace each user of tail and middle: what moves, over the scale of its noise, is at most her budget."""
    parts = user_level.user_groups(SMALL_K, SMALL_EPSILON, **GROUPS)
    x = np.full(40, 0.5)
    x[parts.head[::2]] = 0.4
    lost = np.zeros(40)
    for users, name, scale in ((parts.tail, "initial_mean", 0), (parts.middle, "estimate", 1)):
        for user in users:
            found = []
            for value in (0.0, 1.0):
                y = x.copy()
                y[user] = value
                found.append(exact(y))
            (low, scales), (high, others) = found
            assert scales == others
            lost[user] = (getattr(high, name) - getattr(low, name)) / scales[scale]
        assert np.max(lost[users] / SMALL_EPSILON[users]) == pytest.approx(1.0, rel=1e-9)
    assert np.all(lost <= SMALL_EPSILON * (1 + 1e-9)) and not lost[parts.head].any()


@pytest.mark.settles("hdp-personal-privacy")
def test_nobody_loses_more_than_her_budget_by_the_variance():
    """Exact chances of the scales for two neighbours that move two scores apart: nearly the head's budget is lost."""
    runs, parts = 5000, user_level.user_groups(SMALL_K, SMALL_EPSILON, **GROUPS)
    assert parts.head_budget <= SMALL_EPSILON[parts.head].min()
    x = np.full(40, 0.5)
    x[parts.head[2:]] = 0.1, 0.5
    y = x.copy()
    y[parts.head[0]] = 1.0
    one, two = (exact(np.tile(z, (runs, 1)))[0].initial_variance for z in (x, y))
    chances = [np.mean(found > 0.5) for found in (one, two)]
    loss = abs(np.log(chances[0] / chances[1]))
    assert 0.9 * parts.head_budget < loss < 1.01 * SMALL_EPSILON[parts.head].min()


@pytest.mark.settles("hdp-personal-algorithm")
@pytest.mark.parametrize("seed", range(5))
def test_the_answers_weights_solve_the_convex_programme(seed):
    """Least variance plus noise over the simplex, by a solver that knows nothing of levels."""
    rng = np.random.default_rng(seed)
    k, eps = np.exp(rng.uniform(0, 6, 12)) + 1, np.exp(rng.uniform(-3, 2, 12))
    plan = final_release(k, 12, 0.4, 0.01, 0.02, eps, 0.05)
    v = 0.24 / k + (1 - 1 / k) * 0.01
    problem = v, (plan.upper - plan.lower) / eps, 2.0
    w = convex_weights(*problem)
    assert plan.variance == pytest.approx(float(exact_objective(w, *problem)), rel=1e-6)
    np.testing.assert_allclose(plan.weights, w, atol=1e-4)


@pytest.mark.settles("hdp-personal-algorithm")
def test_the_first_mean_is_as_accurate_as_it_says():
    """Its accuracy is the statement's, exceeded rarely, and its variance that of weights and noise."""
    rng, eps, at_least = np.random.default_rng(3), np.repeat([0.05, 1.0], [30, 20]), 0.1
    x = (rng.random((40_000, 50)) < 0.4).astype(float)
    found, alpha = user_level.private_mean(x, eps, at_least, rng)
    w = ADPM(eps).weights
    scale = affine.noise_scale(w, eps)
    at = {sym.eta: scale, sym.norm: float(np.linalg.norm(w)), sym.beta: at_least}
    first, second = sym.first_terms
    assert float((first + second).subs(at)) == pytest.approx(alpha, rel=1e-12)
    assert_identity(sym.laplace_tail.subs(sym.t, first), sym.beta / 2)
    assert_identity(sym.hoeffding_tail.subs(sym.t, second), sym.beta / 2)
    assert np.mean(np.abs(found - 0.4) > alpha) <= at_least
    assert user_level.private_mean(np.zeros((1000, 50)), eps, at_least, rng)[0].min() == 0.01 < alpha  # 1/(2m)
    unclipped = x @ w + np.random.default_rng(4).laplace(0, scale, 40_000)
    assert_monte_carlo((unclipped - 0.4) ** 2, 0.24 * (w @ w) + 2 * scale**2)


def real_and_best(v, d, eps, factor, widths):
    """Error with weights for wrong variances and widths, and half-variance least error."""
    w = optimal_weights(factor * v, widths * d / eps, 2.0)
    real = np.sum(w**2 * v) + 2 * np.max(w * widths * d / eps) ** 2
    best = optimal_weights(v / 2, d / eps, 2.0)
    return real, np.sum(best**2 * v / 2) + 2 * np.max(best * d / eps) ** 2


@pytest.mark.settles("hdp-personal-price")
def test_first_estimates_cost_at_most_the_price():
    """The quadratic form is certified; two users attain it; random instances obey it."""
    a, rest, m = sp.symbols("a rest m", nonnegative=True)
    form = sym.believed * (sym.line * sym.least - sym.believed) - (sym.g - 1) * sym.paid * sym.least
    assert_identity(sym.paid, 2 * sym.V + sym.s * sym.N)
    assert_identity(sym.largest_c, 2 * (sym.g - 1))  # twice the largest variance believed, as V is half the true one
    for g in (2 + rest, 2 - 1 / (2 * (1 + rest))):  # for less than 3/2 no variance lies between 1/2 and g - 1
        region = {sym.g: g, sym.c: 1 + (2 * g - 3) * a / (a + 1), sym.s: g * m / (m + 1)}
        assert_nonnegative(sp.factor(form.subs(region)))
    assert_identity(sym.line**2 / (4 * (sym.g - 1)), sym.price)
    N = 1 / (2 * sym.g * (2 * sym.g - 3))  # the noise of a second user that makes the first one's weight the stated one
    first = sym.g * N / (sp.Rational(1, 2) + sym.g * N)
    assert_identity(first, sym.sharp_weight)
    assert_identity(sp.factor((first**2 + (1 - first) ** 2 * sym.g * N) * (2 + 1 / N)), sym.price)  # for every g
    rng, largest = np.random.default_rng(5), 0.0
    for _ in range(400):
        n, g = int(rng.integers(2, 8)), float(rng.choice([3.0, 16.0, 23.0]))
        v, d, eps = (np.exp(rng.normal(0, 3, n)) for _ in range(3))
        factor = rng.choice([0.5, g - 1, rng.uniform(0.5, g - 1)], n)
        widths = np.sqrt(rng.choice([g, 1.0, rng.uniform(0, g)], n))
        real, best = real_and_best(v, d, eps, factor, widths)
        largest = max(largest, real / best / float(sym.price.subs(sym.g, g)))
        assert largest <= 1 + 1e-9
    assert largest > 0.9


@pytest.mark.settles("hdp-personal-accuracy")
def test_how_wrong_estimates_can_be_where_the_head_has_less_data():
    """Variances are certified, and both shapes of intervals, for up to q times the samples of the head's poorest."""
    z, u, more = sp.symbols("z u more", nonnegative=True)
    region = {k: (1 + more) * (1 + z), P: V + u, sym.q: 1 + more}
    head = V + (P - V) * sym.q / k  # Var(D(k/q))
    assert_nonnegative(sp.factor(((1 + 8 * sym.q) * of_moments - P / k - 8 * (1 - 1 / k) * head).subs(region)))
    most = sp.Rational(3, 2) + 8 * sym.q
    assert_nonnegative(sp.factor((most * of_moments - 3 * P / (2 * k) - 8 * (1 - 1 / k) * head).subs(region)))
    few = (1 + 8 * sym.q) * of_moments - P / k - 8 * (1 - 1 / k) * P  # for k <= q the head's variance is at most P
    assert_nonnegative(sp.factor(few.subs({k: 1 + z, P: V + u, sym.q: 1 + z + more})))
    room = 2 * sp.sqrt(1 + 8 * sym.q) - sp.Rational(1, 2), 8 * sp.sqrt(2 * sym.q) + sp.Rational(3, 2)
    for shape, rest in zip((sym.proportional, sym.sub_gaussian), room, strict=True):
        assert_identity(sp.expand(shape) - 1 - most, rest)  # positive, so c = 2 * most is allowed
    rng = np.random.default_rng(6)
    for _ in range(200):
        ratio, spread, samples = float(rng.uniform(1, 50)), 0.5 * rng.uniform(0, 1) ** 3, float(rng.uniform(50, 1e4))
        v_head = user_level.sample_mean_variance(0.5, spread, samples / ratio)
        true, wide = (user_level.half_width(samples, 100, x, 0.05) for x in (max(spread**2, 1e-9), 8 * v_head))
        assert wide + true <= np.sqrt(float(sym.sub_gaussian.subs(sym.q, ratio))) * true * (1 + 1e-9)


@pytest.mark.settles("hdp-personal-share")
def test_the_middle_has_at_least_the_share_that_is_promised():
    """For every clip and every population, and exactly that if all users are alike."""
    rng, nearest = np.random.default_rng(7), 0.0
    for n in [2, 60] * 200:
        k, eps = np.exp(rng.exponential(rng.uniform(0, 3), n)) + 1, np.exp(rng.normal(0, rng.uniform(0, 2), n))
        spread, clip = 0.5 * rng.uniform(0, 1) ** 3, np.exp(rng.uniform(-6, 9))
        middle = rng.permutation(n)[: rng.integers(1, n)]
        v = user_level.sample_mean_variance(0.5, spread, k)
        parts = np.minimum(1 / v, clip * eps / user_level.half_width(k, n, spread**2, 0.05))
        promised = user_level.least_share(k, eps, middle)
        nearest = max(nearest, promised / (parts[middle].sum() / parts.sum()))
    assert 0.99 < nearest <= 1 + 1e-12
    assert user_level.least_share(np.full(10, 5.0), np.full(10, 0.3), range(7)) == pytest.approx(0.7)
    inside, outside = ((4, 1), (1, 2)), ((2, 2), (8, 1), (8, 4))  # the last has more of both than each inside
    slow = 1 / (1 + sum(1 / sum(min(1, a / c) * min(1, b / e) for a, b in inside) for c, e in outside))
    assert user_level.least_share([4, 1, 2, 8, 8], [1, 2, 2, 1, 4], [0, 1]) == pytest.approx(slow, rel=1e-14)


def test_the_budget_of_a_head_of_given_size_is_that_of_the_default_size():
    """A hundred are a smaller part of the five thousand who allow 0.1, but too few for a variance at that budget."""
    k, eps = np.full(5000, 100), np.repeat([0.1, 1.0], 2500)
    budgets = {user_level.user_groups(k, eps, head=size).head_budget for size in (100, 200, None)}
    assert budgets == {1.0} and 100 / 5000 < 100 / 2500


@pytest.mark.settles("hdp-personal-accuracy")
def test_the_error_is_within_the_constant_on_random_instances():
    """First estimates anywhere in their ranges, widths proportional to deviations, personal budgets."""
    rng, largest = np.random.default_rng(8), 0.0
    for _ in range(60):
        k, eps = np.sort(np.exp(rng.uniform(0, 3, 200)))[::-1], np.exp(rng.normal(0, 1.5, 200))
        parts = user_level.user_groups(k, eps, head=6)
        poorest, middle = k[parts.head].min(), parts.middle
        q = max(1.0, k[middle].max() / poorest)
        g = float(sym.proportional.subs(sym.q, q))
        spread = rng.uniform(0, 0.3)
        v, of_head = (user_level.sample_mean_variance(0.5, spread, x) for x in (k, poorest))
        believed = rng.uniform(0.5, 1.5) * 0.25 / k + (1 - 1 / k) * rng.uniform(1, 8) * of_head
        d, wrong = 3 * np.sqrt(v), np.sqrt(g) * rng.choice([1.0, rng.uniform(0.3, 1)])
        w = optimal_weights(believed[middle], (wrong * d / eps)[middle], 2.0)
        real = np.sum(w**2 * v[middle]) + 2 * np.max(w * (wrong * d / eps)[middle]) ** 2
        ideal = objective(np.sqrt(v / 2), d, eps, optimal_weights(v / 2, d / eps, 2.0))
        share = user_level.least_share(k, eps, middle)
        largest = max(largest, real / ideal / float(sym.constant.subs({sym.g: g, sym.omega: share})))
    assert 0.1 < largest < 1
    assert sym.equal_budgets == sp.Rational(961, 15) and CONSTANT == pytest.approx(961 / 60)


@pytest.mark.settles("hdp-personal-checked")
@pytest.mark.parametrize(("generous", "strict"), [(0.1, 0.1), (0.9, 0.3)])
def test_the_error_in_a_simulation(generous, strict):
    """Near its prediction, below that of one budget and of leaving the strict out, far below the constant."""
    rng, shape = np.random.default_rng(9), (0.25 / 0.03**2 - 1) / 2
    k, eps = population(strict, 400.0, generous)
    errors = []
    for _ in range(10):
        found = user_level.private_estimate(draw(k, shape, rng, 100), k, eps, rng)
        errors.append((found.estimate - 0.5) ** 2)
    errors = np.concatenate(errors)
    bar = errors.std() / np.sqrt(errors.size)
    assert abs(errors.mean() - predicted(k, eps, 0.03)) < 4 * bar < 0.2 * errors.mean()
    some = eps == 1.0
    others = predicted(k, np.full(k.size, strict), 0.03), predicted(k[some], eps[some], 0.03)
    assert errors.mean() + 4 * bar < min(others)
    assert errors.mean() + 4 * bar < 2 * user_level.private_ideal(k, 0.5, 0.03, eps).variance
