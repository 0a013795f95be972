"""The statements of Chaudhuri & Courtade, in exact rationals, against the implementation and against each other."""

from fractions import Fraction
from functools import lru_cache, partial
from itertools import combinations_with_replacement, product

import numpy as np
import pytest
import sympy as sp
from scipy.optimize import brentq

from hdp import ADPM, adpm, affine, baselines, figures, notions
from hdp.proof import assert_monte_carlo
from hdp.sym.heterogeneous_budgets import upper_bound as sym
from hdp.sym.symbols import R, epsilon_1, epsilon_2, f, n, r, w_1, w_2
from tests.figures import lemma
from tests.figures.captions import line, number, says
from tests.figures.lemma import average, of_groups
from tests.oracles import two_groups

EXACT = 1e-14

POINTS = list(two_groups(40, 20230625))


def numbers(point):
    """Budgets, n and f as floats."""
    return [float(point[symbol]) for symbol in (epsilon_1, epsilon_2, n, f)]


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


@pytest.mark.settles("cc-eq-4", "cc-theorem-1", "cc-eq-5", "cc-eq-7", "cc-table-1", "cc-eq-18")
@pytest.mark.parametrize("point", POINTS, ids=str)
def test_statements_agree_with_the_library(point):
    """Eqs. (4) to (8), (18), (19), Table I, Theorem 1 and Remark 1: the closed form, and the solver on all users."""
    e1, _, users, share = numbers(point)
    case, everybody = is_case_a(point), vector(point)
    assert close(adpm.saturation_ratio(e1, users, share), sym.saturation_ratio.subs(point))
    for found in (adpm.two_group_bound(*numbers(point)), ADPM(everybody).mse()):
        assert close(found, sym.upper_bound.xreplace(point))
    effective = np.minimum(everybody, ADPM(everybody).level)
    assert close(effective[-1], sym.effective_epsilon_2.subs(point)) and effective[0] == e1
    stated = [in_ratios(w, point) for w in (sym.weights_a if case else sym.weights_b)]
    w = ADPM(everybody).weights
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
    """Remark 1, for the solver: the ratio to the other weight is that of the effective budgets."""
    e1, end, weights = point[epsilon_1], point[epsilon_1] * sym.saturation_ratio.subs(point), []
    for part in (0.25, 0.5, 0.9, 0.99, 1.0, 1.01, 2.0, 100.0):
        at = point | {epsilon_2: e1 + part * (end - e1)}
        w = ADPM(vector(at)).weights
        assert w[-1] / w[0] == pytest.approx(float(sym.effective_epsilon_2.subs(at) / e1), rel=1e-12)
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


def affine_error(epsilon):
    """Error B before the cap."""
    w = ADPM(epsilon).weights
    return affine.mean_squared_error(w, affine.noise_scale(w, epsilon))


@pytest.mark.settles("cc-output-range")
def test_the_output_leaves_the_interval_as_often_as_the_noise_does():
    """100 users with budget 0.1 and data 0: Laplace noise of scale 0.1, outside with probability e^-5."""
    epsilon = np.full(100, 0.1)
    outputs = ADPM(epsilon).estimate(np.zeros((200_000, 100)), 5)
    assert_monte_carlo(np.abs(outputs) > 0.5, np.exp(-5))


@pytest.mark.settles("hdp-shrinkage")
def test_where_the_algorithm_answers_zero_the_minimax_error_is_below_a_quarter():
    """One user with budget 1: B = 9/4, M/10 is private, and at no distribution its error exceeds 9/40."""
    assert ADPM([1.0]).constant and ADPM([1.0]).mse() == 0.25
    assert affine_error([1.0]) == pytest.approx(2.25, rel=1e-15)
    assert sym.shrunk_bound.subs(sym.affine_error, sp.Rational(9, 4)) == sp.Rational(9, 40)
    scale = affine.noise_scale([1.0], [1.0])
    assert affine.privacy_loss([1.0], scale) == pytest.approx(1, rel=1e-15)  # dividing the output by 10 is free
    assert all(0.81 * mean**2 + 0.01 * (0.25 - mean**2 + 2) <= 9 / 40 for mean in (0, 0.25, 0.5))  # of M/10, for coins


@pytest.mark.settles("hdp-shrinkage-theorem")
def test_the_bound_gains_a_factor_of_two_and_the_estimator_up_to_four():
    """The bound holds, gains 2 at B = 1/4 and less elsewhere; cM, which is half of one public value, gains 4."""
    B = sym.affine_error
    gain = sym.switched_bound / sym.shrunk_bound
    assert gain.subs(B, sp.Rational(1, 4)) == 2
    assert all(1 < gain.subs(B, b) < 2 for b in (sp.Rational(k, 100) for k in range(1, 200) if k != 25))
    assert ADPM([np.inf]).mse() == float(4 * sym.one_public_user)
    rng = np.random.default_rng(5)
    gains = {}
    for budgets in [[np.inf], [1e3], *(10 ** rng.uniform(-2, 2, size) for size in rng.integers(1, 9, 40))]:
        w = ADPM(budgets).weights
        scale = affine.noise_scale(w, budgets)
        before = affine.mean_squared_error(w, scale)
        c, shrunk = 1 / (1 + 4 * before), float(sym.shrunk_bound.subs(B, before))
        at_ends = max((1 - c) ** 2, c**2 * (w @ w)) / 4 + 2 * (c * scale) ** 2  # a point mass, or a fair coin
        assert at_ends <= shrunk * (1 + 1e-12) < min(before, 0.25)
        gains[tuple(budgets)] = ADPM(budgets).mse() / at_ends
    assert gains[(np.inf,)] == 4 and all(1 < gain <= 4 for gain in gains.values())
    assert gains[(1e3,)] > 3.9


# -- What the figures draw, by the library.


# -- Two groups: as items of the one lemma, and as budgets of users.


def items(epsilon_1, epsilon_2, n, f):
    """Variance and noise cost of each group's mean."""
    size = np.array([n * f, n * (1 - f)])
    return 1 / (4 * size), 1 / (size * np.array([epsilon_1, epsilon_2]))


@lru_cache(maxsize=1024)
def optimum(epsilon_1, epsilon_2, n, f):
    """Weights of the groups and the error of the affine estimator, from the solver."""
    return lemma.optimum(*items(epsilon_1, epsilon_2, n, f))


def budgets(epsilon_1, epsilon_2, n, f):
    first = round(n * f)
    return np.repeat([epsilon_1, epsilon_2], [first, round(n) - first])


def saturation(epsilon_1, n, f):
    return epsilon_1 * adpm.saturation_ratio(epsilon_1, n, f)


def in_order(function):
    """Nothing is drawn where group 2 is the stricter one."""

    def drawn(epsilon_1, epsilon_2, n, f):
        return function(epsilon_1, epsilon_2, n, f) if epsilon_2 >= epsilon_1 else np.nan

    return drawn


def baseline(name):
    """Error of a baseline; LDPE has two groups also where the budgets agree."""

    @in_order
    def error(epsilon_1, epsilon_2, n, f):
        second = np.nextafter(epsilon_2, np.inf) if name == "ldpe" else epsilon_2
        return 1e4 * baselines.expected_mse(name, budgets(epsilon_1, second, n, f))

    return error


@in_order
def sampling_jensen(epsilon_1, epsilon_2, n, f):
    return 1e4 * average(n * (1 - f) + n * f * np.expm1(epsilon_1) / np.expm1(epsilon_2), epsilon_2)


def released(epsilon_1, epsilon_2, n, f, kind):
    """What a user of each group loses, in the notion's unit: weight over noise; nothing where 0 is answered."""
    notion, sizes = notions.Notion(("pure", "gdp", "zcdp")[int(kind)]), np.array([n * f, n * (1 - f)])
    reach = notion.reach([epsilon_1, epsilon_2])
    w, error = of_groups(sizes, reach, kappa=2.0 if int(kind) == 0 else 1.0)
    counts = w / sizes  # of each member
    return notion.loss(counts / np.max(counts / reach)) if error <= 0.25 else np.full(2, np.nan)


def loss_of(group):
    """Drawn where group 2 is the less strict one."""
    return lambda epsilon_1, epsilon_2, n, f, kind: (
        released(epsilon_1, epsilon_2, n, f, kind)[group] if epsilon_2 >= epsilon_1 else np.nan
    )


def cut(epsilon_1, n, f, kind):
    """By the ratio that the library gives in the notion's unit."""
    return epsilon_1 * adpm.saturation_ratio(epsilon_1, n, f, measure=("pure", "gdp", "zcdp")[int(kind)])


FIGURE_1B = {
    "UNI": baseline("uni"),
    "SM": sampling_jensen,
    "LDPE": baseline("ldpe"),
    "ADPM": in_order(lambda *point: 1e4 * ADPM(budgets(*point)).mse()),
    "PropDPM": baseline("propdpm"),
    "saturation": saturation,
}
REFERENCES = {
    "cc-figure-1b": FIGURE_1B,
    "cc-effective-budget": {
        "group 2 allows": lambda epsilon_2: epsilon_2,
        "group 2 gives up": loss_of(1),
        "group 1": loss_of(0),
        "from here": cut,
        "privacy is free": cut,
    },
}


# -- Isocurves by root finding, and the optimum of the solver.

SAMPLE = 2 / 401  # between samples: one beyond its end an isocurve is drawn on the axis


def isocurve(step, a, epsilon_1, epsilon_2, n, f):
    """Relative weight of group 2 at which the error is `step` times the best one."""
    target = step * optimum(epsilon_1, epsilon_2, n, f)[1]
    variance, cost = items(epsilon_1, epsilon_2, n, f)

    def excess(b, a):
        w = np.array([f * a, (1 - f) * b])
        return (np.sum(variance * w**2) + 2 * np.max(cost * w) ** 2) / target - 1

    if excess(0, a) < 0:
        return brentq(excess, 0, 1e4, args=(a,), xtol=1e-14)
    return 0.0 if excess(0, a - SAMPLE) < 0 else np.nan


REFERENCES |= {
    "cc-figure-2": {
        "curves of equal error": [partial(isocurve, step) for step in (0.45, 0.7, 1.4, 1.9)],
        "curve of the least error": partial(isocurve, 1),
        "weights that sum": lambda a, f: (1 - f * a) / (1 - f),
        "weights as the budgets": lambda a, epsilon_1, epsilon_2: epsilon_2 / epsilon_1 * a,
        "weights at saturation": lambda a, epsilon_1, n, f: adpm.saturation_ratio(epsilon_1, n, f) * a,
        "optimum": lambda f, **at: optimum(f=f, **at)[0] / [f, 1 - f],
        "saturation ratio R": adpm.saturation_ratio,
        "ratio of the budgets": lambda epsilon_1, epsilon_2: epsilon_2 / epsilon_1,
    }
}


@pytest.mark.settles("cc-figure-2")
def test_figure_2_opens_at_the_papers_values():
    """Its three panels are the presets."""
    panels = [figures.ALL["cc-figure-2"].values(**preset.values) for preset in figures.ALL["cc-figure-2"].presets]
    assert [panel["epsilon_2"] for panel in panels] == [0.0148, 0.03, 0.1]
    assert all((panel["epsilon_1"], panel["n"], panel["f"]) == (0.01, 80_000, 0.5) for panel in panels)


# -- Both bounds from the error of the average, user by user.


def before_the_cap(epsilon, n):
    """Error of the average of n users."""
    return baselines.expected_mse("uni", np.full(round(n), epsilon))


REFERENCES |= {
    "cc-shrinkage": {
        "switch to 0": lambda epsilon, n: min(before_the_cap(epsilon, n), 0.25),
        "shrink": lambda epsilon, n: 1 / (1 / before_the_cap(epsilon, n) + 4),
        "switch": lambda n: brentq(lambda e: before_the_cap(e, n) - 0.25, 1e-4, 1e4, xtol=1e-15),
    }
}


# -- What the captions say.


@says("cc-figure-1b", "UNI is constant, above ADPM and below SM")
def test_uni_lies_between(figure):
    x = np.linspace(0.101, 1)
    uni, adpm, sm, proportional = (line(figure, name, x) for name in ("UNI", "ADPM", "SM", "PropDPM"))
    assert np.ptp(uni) < 1e-9 and (adpm < uni).all() and (uni < sm).all()
    beyond = x > number(figure, "saturation")
    assert (np.diff(proportional[beyond]) > 0).all() and np.ptp(adpm[beyond]) < 1e-9  # PropDPM rises there
