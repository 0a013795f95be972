"""The statements of Cyffers & Ziani in exact rationals: against the definitions, the library and each other."""

from fractions import Fraction
from itertools import pairwise, product

import cvxpy
import numpy as np
import pytest
import sympy as sp

from hdp import affine, threshold
from hdp.proof import assert_identity, assert_nonnegative
from hdp.sym import cz
from hdp.sym.cz import N_1, N_2, q
from hdp.sym.symbols import epsilon_1, epsilon_2
from tests.oracles import exact_level, inf

EXAMPLE = {N_1: 99, N_2: 1, epsilon_1: sp.Rational(1, 1000), epsilon_2: sp.Rational(1, 10)}


def clipped_risk(epsilon, tau):
    """Eq. (2) in exact fractions; the budgets may be infinite."""
    clipped = [min(e, tau) for e in epsilon]
    return (sum(c * c for c in clipped) + 8) / Fraction(4 * sum(clipped) ** 2)


def threshold_risk(epsilon):
    """Eq. (3) at the best of all budgets, in exact fractions."""
    counts = {tau: sum(e >= tau for e in epsilon) for tau in epsilon}
    return min(Fraction(1, 4 * m) + (0 if tau == inf else 2 / (m * Fraction(tau)) ** 2) for tau, m in counts.items())


def test_the_fair_coin_is_the_worst_distribution():
    """Definition 5: enumerate all data of three users under many distributions, in exact fractions."""
    w, eta = (Fraction(1, 2), Fraction(1, 3), Fraction(1, 6)), Fraction(1, 5)
    bound = sum(x * x for x in w) / 4 + 2 * eta**2
    points = [Fraction(k, 4) for k in (-2, -1, 0, 1, 2)]
    worst = []
    for masses in product(range(4), repeat=5):
        if sum(masses) != 4:
            continue
        law = [(x, Fraction(k, 4)) for x, k in zip(points, masses, strict=True) if k]
        mean = sum(x * p for x, p in law)
        error = sum(
            a[1] * b[1] * c[1] * (w[0] * a[0] + w[1] * b[0] + w[2] * c[0] - mean) ** 2
            for a, b, c in product(law, repeat=3)
        )
        assert error + 2 * eta**2 <= bound
        worst += [law] if error + 2 * eta**2 == bound else []
    assert worst == [[(-Fraction(1, 2), Fraction(1, 2)), (Fraction(1, 2), Fraction(1, 2))]]
    assert affine.mean_squared_error([float(x) for x in w], float(eta)) == pytest.approx(float(bound), rel=1e-15)


@pytest.mark.parametrize("seed", range(5))
def test_no_signed_weights_do_better(seed):
    """Eq. (1): a convex solver that may use negative weights finds the same error."""
    epsilon = np.exp(np.random.default_rng(seed).uniform(-1, 2, 12))
    w = cvxpy.Variable(12)
    error = cvxpy.sum_squares(w) / 4 + 2 * cvxpy.square(cvxpy.max(cvxpy.multiply(cvxpy.abs(w), 1 / epsilon)))
    best = cvxpy.Problem(cvxpy.Minimize(error), [cvxpy.sum(w) == 1]).solve(solver="CLARABEL")
    assert threshold.affine_mse(epsilon) == pytest.approx(best, rel=1e-7)
    assert w.value.min() > 0


BUDGETS = [
    [Fraction(1, 2)] * 3 + [Fraction(2), Fraction(7)],
    [Fraction(3)] * 4 + [inf],
    [Fraction(1, 9), Fraction(1, 3)],  # the level is above all budgets
    [Fraction(0), Fraction(1), Fraction(1), Fraction(40)],
    [inf, inf, inf],
]


@pytest.mark.parametrize("epsilon", BUDGETS, ids=str)
def test_the_clipped_risk_falls_to_the_level_and_rises_after_it(epsilon):
    """Claim 1, on a grid in exact fractions, with the least value of the library."""
    finite = sorted(e for e in epsilon if 0 < e < inf)
    level = exact_level([e for e in epsilon if e > 0]) if finite else inf
    turn = min(level, max(epsilon))
    grid = [Fraction(k, 8) for k in range(1, 400)]
    risks = [clipped_risk(epsilon, tau) for tau in grid]
    for (left, right), (a, b) in zip(pairwise(grid), pairwise(risks), strict=True):
        if right <= turn:
            assert a > b
        elif turn <= left < right <= max(epsilon):
            assert a < b
        elif left >= max(epsilon):
            assert a == b
    if turn < inf:
        assert clipped_risk(epsilon, turn) <= min(risks)
        least = float(clipped_risk(epsilon, turn))
    else:
        least = 1 / (4 * len(epsilon))
        assert min(risks) > least
    budgets = [float(e) for e in epsilon]
    assert threshold.affine_mse(budgets) == pytest.approx(least, rel=1e-13)
    found = [threshold.affine_mse(budgets, float(tau)) for tau in grid[::20]]
    np.testing.assert_allclose(found, [float(r) for r in risks[::20]], rtol=1e-13)


def test_equation_2_is_exact_from_the_smallest_budget_on():
    """Below it the formula has more noise than the promises need: 1/(n tau) instead of 1/(n min)."""
    epsilon = np.array([0.5, 0.5, 1.0, 3.0])
    for tau in (0.1, 0.4, 0.5, 0.7, 2.0, 3.0, 9.0):
        w = np.minimum(epsilon, tau) / np.minimum(epsilon, tau).sum()
        scale = affine.noise_scale(w, epsilon)
        needed = affine.mean_squared_error(w, scale)
        if tau >= 0.5:
            assert threshold.affine_mse(epsilon, tau) == pytest.approx(needed, rel=1e-14)
        else:
            excess = 2 / (4 * tau) ** 2 - 2 / (4 * 0.5) ** 2
            assert threshold.affine_mse(epsilon, tau) - needed == pytest.approx(excess, rel=1e-12)


def test_two_levels_clipped_agree_with_the_statement():
    """`clipped_risk` for two groups, on both sides of both budgets."""
    for tau in (sp.Rational(1, 4), sp.Rational(1, 2), 1, 2, 5):
        stated = cz.clipped_risk([(7, sp.Rational(1, 2)), (3, 2)], tau)
        found = threshold.affine_mse([0.5] * 7 + [2.0] * 3, float(tau))
        assert found == pytest.approx(float(stated), rel=1e-14)


def test_risks_scale():
    """Budgets divided by c and c^2 times as many users: every risk is divided by c^2."""
    c = sp.Symbol("c", positive=True)
    scaled = {N_1: N_1 * c**2, N_2: N_2 * c**2, epsilon_1: epsilon_1 / c, epsilon_2: epsilon_2 / c}
    for risk in (cz.everybody_risk, cz.generous_risk, cz.proportional_risk, cz.public_affine, cz.private_risk):
        assert_identity(risk.subs(scaled, simultaneous=True), risk / c**2)
    assert_identity(cz.saturation.subs(scaled, simultaneous=True), cz.saturation / c)


@pytest.mark.parametrize(("users", "public"), [(1, 1), (2, 1), (10, 3), (3, 10), (1000, 2)])
def test_no_budget_beside_a_public_group_is_worse(users, public):
    """The closed form is attained at its budget, and no other budget gives more."""
    stated = {N_1: users, N_2: public}
    worst, budget = (float(e.subs(stated)) for e in (cz.public_worst_ratio, cz.public_worst_budget))

    def ratio(eps):
        each = np.repeat([eps, inf], [users, public])
        return threshold.threshold_mse(each) / threshold.affine_mse(each)

    assert ratio(budget) == pytest.approx(worst, rel=1e-12)
    ratios = [ratio(budget * k) for k in np.geomspace(0.01, 100, 400)]
    assert max(ratios) < worst
    assert max(ratios) > 0.97 * worst
    assert worst < 2


def test_example_1_in_exact_fractions():
    """From the definitions, user by user."""
    epsilon = [Fraction(1, 1000)] * 99 + [Fraction(1, 10)]
    assert exact_level(epsilon) > max(epsilon)
    ratio = threshold_risk(epsilon) / clipped_risk(epsilon, max(epsilon))
    assert threshold_risk(epsilon) == Fraction(80001, 400)
    assert 3.955 < ratio < 3.956
    stated = cz.two_level_threshold.subs(EXAMPLE) / cz.two_level_affine.subs(EXAMPLE)
    assert stated == sp.Rational(ratio.numerator, ratio.denominator)


def test_each_case_of_theorem_2_has_a_certificate(capsys):
    """Strict positivity over the whole of each region, by the signs of all coefficients."""
    d, t = sp.symbols("d t", nonnegative=True)
    proportional, everybody, generous = 4 * cz.proportional_risk, cz.everybody_risk, cz.generous_risk
    more_private = {N_1: (N_2 * (epsilon_1 + d) + t) / epsilon_1, epsilon_2: epsilon_1 + d}
    assert_nonnegative(proportional - everybody, more_private, strict=True)
    assert_nonnegative(proportional - generous, {N_2: (N_1 * epsilon_1 + t) / epsilon_2}, strict=True)
    beyond, even = 4 * cz.public_affine, N_1**2 * epsilon_1**2 / (N_1 * epsilon_1**2 + 8)  # N_2 of R_priv = R_pub
    saturated = generous.subs(epsilon_2, cz.saturation + d)
    assert_nonnegative(beyond - everybody, {N_2: even / (1 + t)}, strict=True)
    assert_nonnegative(beyond / 2 - everybody, {N_2: even / (1 + t)}, strict=True)
    assert_nonnegative(beyond - saturated, {N_2: even * (1 + t)}, strict=True)
    assert capsys.readouterr().out.count("certificate") == 5


@pytest.mark.parametrize("factor", [3, sp.Rational(7, 2)])
def test_a_smaller_factor_has_no_certificate(factor):
    """The certificate is not blind: it fails for a factor below 4."""
    t = sp.Symbol("t", nonnegative=True)
    with pytest.raises(AssertionError, match="negative coefficients"):
        assert_nonnegative(factor * cz.proportional_risk - cz.generous_risk, {N_2: (N_1 * epsilon_1 + t) / epsilon_2})


def test_the_family_approaches_4_with_vanishing_errors():
    """User by user for whole q, in the library; both errors below the trivial 1/4; the limit by sympy."""
    ratios = []
    for whole in (3, 4, 6, 10, 15):
        users = [int(cz.two_level_family[s].subs(q, whole)) for s in (N_1, N_2)]
        eps = [float(cz.two_level_family[s].subs(q, whole)) for s in (epsilon_1, epsilon_2)]
        each = np.repeat(eps, users)
        assert threshold.threshold_mse(each) < 0.25
        ratios.append(threshold.threshold_mse(each) / threshold.affine_mse(each))
        stated = (cz.everybody_risk / cz.proportional_risk).subs(cz.two_level_family, simultaneous=True).subs(q, whole)
        assert ratios[-1] == pytest.approx(float(stated), rel=1e-12)
    assert ratios == sorted(ratios) and ratios[-1] < 4
    limits = [r.subs(cz.two_level_family, simultaneous=True) for r in (cz.everybody_risk, cz.proportional_risk)]
    assert [sp.limit(r * q**2, q, sp.oo) for r in limits] == [2, sp.Rational(1, 2)]


def test_beyond_saturation_the_golden_ratio_bounds_the_ratio():
    """Random saturated groups in the library stay below phi^2, and the extremal ones come close to it."""
    bound = (3 + 5**0.5) / 2
    rng = np.random.default_rng(1618)
    for _ in range(200):
        users, eps = rng.integers(1, [3000, 30]), 10 ** rng.uniform(-3, 1)
        each = np.repeat([eps, (eps + 8 / (users[0] * eps)) * 10 ** rng.exponential(0.1)], users)
        assert threshold.threshold_mse(each) < bound * threshold.affine_mse(each)
    users = np.array([500_000, 202])  # N_1 eps_1^2 = 0.002; N_2 = phi N_1^2 eps_1^2/(N_1 eps_1^2 + 8)
    eps = (0.002 / users[0]) ** 0.5
    each = np.repeat([eps, eps + 8 / (users[0] * eps)], users)
    assert 2.61 < threshold.threshold_mse(each) / threshold.affine_mse(each) < bound


def test_twice_the_users_are_worth_a_factor_of_four():
    """In Example 1; four times the users are worth nearly 16, and twice the budgets as much as twice the users."""
    once, twice, four = (threshold_risk([Fraction(1, 1000)] * 99 * k + [Fraction(1, 10)] * k) for k in (1, 2, 4))
    assert once / four == Fraction(320004, 20001)
    assert Fraction(3999, 1000) < once / twice < 4
    looser = threshold_risk([Fraction(2, 1000)] * 99 + [Fraction(2, 10)])
    assert Fraction(3999, 1000) < once / looser < 4
    stated = [cz.two_level_threshold.subs(EXAMPLE | {N_1: 99 * k, N_2: k}) for k in (1, 4)]
    assert stated[0] / stated[1] == sp.Rational(320004, 20001)


def test_the_affine_estimator_is_not_optimal():
    """100 users with budget 1 and 100 with budget 2: shrinking lowers the error over every two-point distribution."""
    epsilon = [Fraction(1)] * 100 + [Fraction(2)] * 100
    level = exact_level(epsilon)
    w = [min(e, level) / sum(min(f, level) for f in epsilon) for e in epsilon]
    squares, scale = sum(x * x for x in w), max(x / e for x, e in zip(w, epsilon, strict=True))
    risk = squares / 4 + 2 * scale**2
    c = 1 / (1 + 4 * risk)
    means = [Fraction(k, 100) for k in range(-50, 51)]
    shrunk = [c**2 * (squares * (Fraction(1, 4) - mu**2) + 2 * scale**2) + (1 - c) ** 2 * mu**2 for mu in means]
    assert risk == Fraction(27, 20800) and max(shrunk) <= Fraction(27, 20908) < risk
    assert threshold.affine_mse([float(e) for e in epsilon]) == pytest.approx(27 / 20800, rel=1e-14)
