"""The statements of Chaudhuri & Courtade, in exact rationals, against the implementation and against each other."""

from fractions import Fraction
from itertools import combinations_with_replacement, product

import numpy as np
import pytest
import sympy as sp

from hdp import adpm, affine
from hdp.sym.heterogeneous_budgets import upper_bound as sym
from hdp.sym.symbols import R, epsilon_1, epsilon_2, f, n, r, w_1, w_2
from tests.oracles import two_groups

EXACT = 1e-14

POINTS = list(two_groups(40, 20230625))


def numbers(point):
    """Budgets, n and f as floats, without rounding."""
    values = [point[symbol] for symbol in (epsilon_1, epsilon_2, n, f)]
    assert all(Fraction(float(v)) == Fraction(int(v.p), int(v.q)) for v in map(sp.Rational, values))
    return [float(v) for v in values]


def vector(point):
    """The budget of every user."""
    e1, e2, users, share = numbers(point)
    return np.repeat([e1, e2], [round(users * share), round(users * (1 - share))])


def close(value, exact):
    """Compare a float with a rational number."""
    return abs(sp.Rational(value) - exact) <= EXACT * abs(exact)


def in_ratios(expression, point):
    """Insert r and R as well."""
    exact = {R: sym.saturation_ratio.subs(point), r: sym.budget_ratio.subs(point)}
    return sp.sympify(expression).subs(exact).subs(point)


def is_case_a(point):
    """Tell whether r <= R."""
    return bool(in_ratios(r - R, point) <= 0)


def test_the_points_cover_both_cases_and_the_cap():
    """Otherwise the comparisons below would say less than they seem to."""
    cases = [is_case_a(point) for point in POINTS]
    capped = [adpm.two_group_bound(*numbers(point)) == 0.25 for point in POINTS]
    assert 5 < sum(cases) < 35 and 1 < sum(capped) < 20


@pytest.mark.parametrize("point", POINTS, ids=str)
def test_statements_agree_with_the_library(point):
    """Eqs. (4) to (8), (18), (19), Table I, Theorem 1 and Remark 1: the closed form, and the solver on all users."""
    e1, _, users, share = numbers(point)
    case, everybody = is_case_a(point), vector(point)
    assert close(adpm.saturation_ratio(e1, users, share), sym.saturation_ratio.subs(point))
    for found in (adpm.two_group_bound(*numbers(point)), adpm.worst_case_mse(everybody)):
        assert close(found, sym.upper_bound.xreplace(point))
    effective = adpm.effective_epsilon(everybody)
    assert close(effective[-1], sym.effective_epsilon_2.subs(point)) and effective[0] == e1
    stated = [in_ratios(w, point) for w in (sym.weights_a if case else sym.weights_b)]
    w = adpm.weights(everybody)
    assert close(w[0], stated[0]) and close(w[-1], stated[1])
    at = {w_1: stated[0], w_2: stated[1]} | point
    assert sym.constraint.subs(at) == 1 / point[n]
    error = sym.objective.subs(at)
    in_budgets = [in_ratios(form, point) for form in (sym.bound_a_in_budgets, sym.bound_b_in_budgets)]
    assert in_budgets == [in_ratios(form, point) for form in (sym.bound_a_in_ratios, sym.bound_b_in_ratios)]
    assert in_budgets[not case] == error
    if point[epsilon_1] < point[epsilon_2]:
        assert close(affine.mean_squared_error(w, affine.noise_scale(w, everybody)), error)


@pytest.mark.parametrize("point", POINTS[:10], ids=str)
def test_tangency_where_group_1_sets_the_noise(point):
    """Eqs. (22) to (24): difference quotients along the constraint; the slope vanishes where w_2 = R w_1."""
    e1, users, share = (point[symbol] for symbol in (epsilon_1, n, f))
    second = lambda first: (1 / users - share * first) / (1 - share)  # noqa: E731
    error = lambda x: users * (share * x**2 + (1 - share) * second(x) ** 2) / 4 + 2 * (x / e1) ** 2  # noqa: E731
    slope = lambda x: sym.tangency.subs(point | {w_1: x, w_2: second(x)})  # noqa: E731
    h = sp.Rational(1, 100)
    for x in (1 / users, 1 / (3 * users)):  # a parabola has its slope as a central difference
        assert sym.constraint.subs(point | {w_1: x, w_2: second(x)}) == 1 / users
        assert (second(x + h) - second(x - h)) / (2 * h) == sym.constraint_slope.subs(point)
        assert (error(x + h) - error(x - h)) / (2 * h) == slope(x)
    saturated = sym.saturation_ratio.subs(point)
    tangent = 1 / (users * (share + (1 - share) * saturated))
    assert slope(tangent) == 0 and second(tangent) == saturated * tangent
    assert sym.tangency.subs(point | {w_2: w_1 * sym.budget_ratio.subs(point | {epsilon_2: e1 * saturated})}) == 0


@pytest.mark.parametrize("first", [Fraction(1, 4), Fraction(1, 3), Fraction(1, 2), Fraction(2, 3)])
def test_the_objective_is_the_worst_error_over_all_distributions(first):
    """Eq. (18) for two users: the exact error at every coin on a grid of pairs of values, enumerated; a fair coin."""
    w = np.array([first, 1 - first])
    point = {epsilon_1: sp.Rational(1, 2), epsilon_2: sp.Rational(3, 4), n: 2, f: sp.Rational(1, 2)}
    point |= {w_1: sp.Rational(first), w_2: sp.Rational(1 - first)}
    noise = 2 * max(first / Fraction(1, 2), (1 - first) / Fraction(3, 4)) ** 2
    values, chances = [Fraction(k, 8) for k in range(-4, 5)], [Fraction(k, 8) for k in range(9)]
    errors = {}
    for low, high in combinations_with_replacement(values, 2):
        for p in chances:
            mean = (1 - p) * low + p * high
            outcomes = product([(1 - p, low), (p, high)], repeat=2)
            error = sum(a * b * (w @ [x, y] - mean) ** 2 for (a, x), (b, y) in outcomes) + noise
            errors[low, high, p] = error
    stated = Fraction(str(sym.objective.subs(point)))
    assert max(errors.values()) == stated == errors[-Fraction(1, 2), Fraction(1, 2), Fraction(1, 2)]


@pytest.mark.parametrize("point", POINTS[:20], ids=str)
def test_the_weight_of_group_2_grows_up_to_saturation_and_is_constant_afterwards(point):
    """Remark 1, for the solver: the ratio of the weights is that of the effective budgets as stated."""
    e1, _, users, share = numbers(point)
    end = e1 * (1 + 8 / (e1 * e1 * users * share))
    effective = sp.lambdify(epsilon_2, sym.effective_epsilon_2.subs({s: point[s] for s in (epsilon_1, n, f)}), "math")
    weights = []
    for part in (0.25, 0.5, 0.9, 0.99, 1.0, 1.01, 2.0, 100.0):
        budget = e1 + part * (end - e1)
        w = adpm.weights(np.repeat([e1, budget], [round(users * share), round(users * (1 - share))]))
        assert w[-1] / w[0] == pytest.approx(effective(budget) / e1, rel=1e-12)
        weights.append(w[-1])
    assert (np.diff(weights[:5]) > 0).all()
    np.testing.assert_allclose(weights[5:], weights[4], rtol=1e-12)


READINGS = {  # Section II-B: the bound that is read, in which variable, at which limit; the same as budgets, n and f
    "f = 0": (sym.bound_a_in_budgets, f, 0, (0.5, 2.0, 1000, 0.0)),
    "equal budgets": (sym.bound_a_in_budgets, epsilon_1, epsilon_2, (0.5, 0.5, 1000, 0.3)),
    "group 1 unusable": (sym.bound_a_in_budgets, epsilon_1, 0, (0.0, 0.5, 1000, 0.25)),
    "group 2 public": (sym.bound_b_in_budgets, epsilon_2, sp.oo, (0.5, np.inf, 1000, 0.25)),
    "tight in f": (sym.bound_b_in_budgets, epsilon_1, 0, (0.0, np.inf, 1000, 0.25)),
    "tight in epsilon_1": (sym.bound_b_in_budgets, f, 1, (0.5, np.inf, 1000, 1.0)),
}


@pytest.mark.parametrize("name", sym.limits)
def test_the_six_limits_of_the_bound(name):
    """Section II-B: the limit of the right case, and the library at the limit itself."""
    bound, variable, end, values = READINGS[name]
    assert sp.simplify(sp.limit(bound, variable, end) - sym.limits[name]) == 0
    at = {s: sp.Rational(v) for s, v in zip((epsilon_1, epsilon_2, n, f), values, strict=True) if v < np.inf}
    assert close(adpm.two_group_bound(*values), sym.limits[name].subs(at))


@pytest.mark.parametrize("power", [sp.Rational(1, 4), 1, 4])
@pytest.mark.parametrize("share", [sp.Rational(1, 8), sp.Rational(3, 4)])
def test_the_double_limit_does_not_depend_on_the_path(power, share):
    """eps_1 = 1/t and eps_2 = t^power: both cases occur, and the bound tends to the stated one."""
    t, point = sp.Symbol("t", positive=True), {n: 64, f: share}
    path = {epsilon_1: 1 / t, epsilon_2: t**power} | point
    for case in (sym.bound_a_in_budgets, sym.bound_b_in_budgets):
        assert sp.limit(case.subs(path), t, sp.oo) == sym.double_limit.subs(point)
    found = adpm.two_group_bound(1e-9, 1e9 ** float(power), 64, float(share))
    assert found == pytest.approx(float(sym.double_limit.subs(point)), rel=1e-3)
