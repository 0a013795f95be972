"""The statements of Chaudhuri & Courtade, in exact rationals, against the implementation and against each other."""

import itertools
from fractions import Fraction
from itertools import combinations_with_replacement, product

import numpy as np
import pytest
import sympy as sp

from hdp import adpm, affine
from hdp.proof import assert_monte_carlo
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


@pytest.mark.settles("cc-eq-4", "cc-theorem-1", "cc-eq-5", "cc-eq-7", "cc-table-1", "cc-eq-18")
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
    alone = point | {f: sp.Integer(1)}
    assert in_ratios(sym.bound_a_in_budgets - sym.bound_a_in_ratios, alone) == 0
    assert in_ratios(sym.bound_b_in_budgets - sym.bound_b_in_ratios, alone) == 0
    if point[epsilon_1] < point[epsilon_2]:
        assert close(affine.mean_squared_error(w, affine.noise_scale(w, everybody)), error)


@pytest.mark.settles("cc-eq-4", "cc-eq-22", "cc-eq-23", "cc-eq-24")
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
    assert sp.solve(sym.tangency.subs(point | {w_2: w_1 * r}), r) == [saturated]  # and at no other ratio


@pytest.mark.settles("cc-lemma-3", "cc-table-1")
@pytest.mark.parametrize("point", POINTS[:10], ids=str)
def test_the_weights_of_an_empty_group_do_not_raise_the_noise(point):
    """Lemma 3 at f = 0, where R is infinite, and at f = 1: the error is that of the plain average of one group."""
    objective, least = sym.objective.subs(point | {f: 0}), sym.one_group(n, epsilon_2).subs(point)
    w = [weight.subs(point | {f: 0}) for weight in sym.weights_a]
    assert w[1] == 1 / point[n] and objective.subs({w_1: w[0], w_2: w[1]}) == least
    one = point | {f: sp.Integer(1)}
    weights, least = sym.weights_a if is_case_a(one) else sym.weights_b, sym.one_group(n, epsilon_1).subs(point)
    w = [in_ratios(weight, one) for weight in weights]
    assert w[0] == 1 / point[n] and sym.objective.subs(one).subs({w_1: w[0], w_2: w[1]}) == least


@pytest.mark.settles("cc-eq-18")
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


@pytest.mark.settles("cc-remark-1")
@pytest.mark.parametrize("point", POINTS[:20], ids=str)
def test_the_weight_of_group_2_grows_up_to_saturation_and_is_constant_afterwards(point):
    """Remark 1, for the solver: the weight is the stated one, and its ratio to the other that of effective budgets."""
    e1, _, users, share = numbers(point)
    end = e1 * (1 + 8 / (e1 * e1 * users * share))
    fixed = {s: point[s] for s in (epsilon_1, n, f)}
    forms = (sym.effective_epsilon_2, sym.weights_a[1], sym.weights_b[1])
    effective, before, after = (sp.lambdify(epsilon_2, in_ratios(form, fixed), "math") for form in forms)
    weights = []
    for part in (0.25, 0.5, 0.9, 0.99, 1.0, 1.01, 2.0, 100.0):
        budget = e1 + part * (end - e1)
        w = adpm.weights(np.repeat([e1, budget], [round(users * share), round(users * (1 - share))]))
        assert w[-1] / w[0] == pytest.approx(effective(budget) / e1, rel=1e-12)
        assert w[-1] == pytest.approx((before if part <= 1 else after)(budget), rel=1e-12)
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


@pytest.mark.settles("cc-section-2b")
@pytest.mark.parametrize("name", sym.limits)
def test_the_six_limits_of_the_bound(name):
    """Section II-B: the limit of the right case, and the library at the limit itself."""
    bound, variable, end, values = READINGS[name]
    assert sp.simplify(sp.limit(bound, variable, end) - sym.limits[name]) == 0
    at = {s: sp.Rational(v) for s, v in zip((epsilon_1, epsilon_2, n, f), values, strict=True) if v < np.inf}
    assert close(adpm.two_group_bound(*values), sym.limits[name].subs(at))


@pytest.mark.settles("cc-2b-double-limit")
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


# -- Both ends of the switch of Algorithm 1: the output leaves the interval, and shrinking beats answering 0.

RUNS = 200_000


def affine_error(epsilon):
    """Error B before the cap."""
    w = adpm.weights(epsilon)
    return affine.mean_squared_error(w, affine.noise_scale(w, epsilon))


@pytest.mark.settles("cc-output-range")
def test_the_output_leaves_the_interval_as_often_as_the_noise_does():
    """100 users with budget 0.1 and data 0: Laplace noise of scale 0.1, outside with probability e^-5."""
    epsilon = np.full(100, 0.1)
    outputs = adpm.estimate(np.zeros((RUNS, 100)), epsilon, 5)
    assert_monte_carlo(np.abs(outputs) > 0.5, np.exp(-5))


@pytest.mark.settles("cc-output-range")
def test_clamping_never_increases_an_error():
    """For every run and every mean in the interval."""
    outputs = adpm.estimate(np.full((1000, 3), 0.5), [1.0, 2.0, 3.0], 6)
    means = np.linspace(-0.5, 0.5, 11)[:, None]
    clamped = np.clip(outputs, -0.5, 0.5)
    assert np.any(clamped != outputs)
    assert np.all((clamped - means) ** 2 <= (outputs - means) ** 2)


@pytest.mark.settles("cz-affine-optimal", "hdp-shrinkage-theorem")
@pytest.mark.parametrize("epsilon", [[1.0], [0.3, 0.3], [0.1, 0.5, np.inf], [0.2] * 12])
@pytest.mark.parametrize("end", [0.0, 0.25, 0.5])
def test_shrinking_keeps_below_its_bound(epsilon, end):
    """The exact error at a coin on {m - h, m + h} inside the interval never exceeds B/(1 + 4B); simulated, too."""
    w, B = adpm.weights(epsilon), affine_error(epsilon)
    scale, c = affine.noise_scale(w, epsilon), 1 / (1 + 4 * B)
    half = 0.5 - end  # the widest coin with mean `end`
    exact = (1 - c) ** 2 * end**2 + c**2 * (half**2 * np.sum(w**2) + 2 * scale**2)
    assert exact <= B / (1 + 4 * B) * (1 + 1e-12) < min(B, 0.25)
    rng = np.random.default_rng(7)
    data = end + half * rng.choice([-1.0, 1.0], (RUNS, w.size))
    assert_monte_carlo((c * affine.estimate(data, w, scale, rng) - end) ** 2, exact)


@pytest.mark.settles("hdp-shrinkage")
def test_where_the_algorithm_answers_zero_the_minimax_error_is_below_a_quarter():
    """One user with budget 1: B = 9/4, M/10 is private, and at no distribution its error exceeds 9/40."""
    assert adpm.answers_zero([1.0]) and adpm.worst_case_mse([1.0]) == 0.25
    assert affine_error([1.0]) == pytest.approx(2.25, rel=1e-15)
    assert sym.shrunk_bound.subs(sym.affine_error, sp.Rational(9, 4)) == sp.Rational(9, 40)
    scale = affine.noise_scale([1.0], [1.0])
    assert affine.privacy_loss([1.0], scale) == pytest.approx(1, rel=1e-15)  # dividing the output by 10 is free
    rng = np.random.default_rng(8)
    for low, high in itertools.combinations_with_replacement([-0.5, -0.25, 0.0, 0.25, 0.5], 2):
        data = rng.choice([low, high], (RUNS, 1))
        answers = affine.estimate(data, [1.0], scale, rng) / 10
        mean, spread = (low + high) / 2, (high - low) / 2
        exact = 0.81 * mean**2 + 0.01 * (spread**2 + 2)
        assert exact <= 9 / 40
        assert_monte_carlo((answers - mean) ** 2, exact)


@pytest.mark.settles("hdp-shrinkage-theorem")
def test_the_bound_gains_a_factor_of_two_and_the_estimator_up_to_four():
    """The bound gains 2 at B = 1/4 and less elsewhere; cM, which is half of one public value, gains 4."""
    B = sym.affine_error
    gain = sym.switched_bound / sym.shrunk_bound
    assert gain.subs(B, sp.Rational(1, 4)) == 2
    assert all(1 < gain.subs(B, b) < 2 for b in (sp.Rational(k, 100) for k in range(1, 200) if k != 25))
    for mean in np.linspace(-0.5, 0.5, 21):  # coins at the ends have the largest variance for their mean
        error = sum(p * (x / 2 - mean) ** 2 for p, x in ((0.5 + mean, 0.5), (0.5 - mean, -0.5)))
        assert error == pytest.approx(float(sym.one_public_user), rel=1e-14)
    assert adpm.worst_case_mse([np.inf]) == float(4 * sym.one_public_user)
    rng = np.random.default_rng(5)
    gains = {}
    for budgets in [[np.inf], [1e3], *(10 ** rng.uniform(-2, 2, size) for size in rng.integers(1, 9, 40))]:
        w = adpm.weights(budgets)
        scale = affine.noise_scale(w, budgets)
        c = 1 / (1 + 4 * affine.mean_squared_error(w, scale))
        at_ends = max((1 - c) ** 2, c**2 * (w @ w)) / 4 + 2 * (c * scale) ** 2  # a point mass, or a fair coin
        gains[tuple(budgets)] = adpm.worst_case_mse(budgets) / at_ends
    assert gains[(np.inf,)] == 4 and all(1 < gain <= 4 for gain in gains.values())
    assert gains[(1e3,)] > 3.9
