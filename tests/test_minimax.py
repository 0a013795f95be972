"""Lower bounds: Theorem 2, the best bound of its argument, and every step of the argument against brute force."""

from fractions import Fraction
from itertools import product
from math import comb

import numpy as np
import pytest
import sympy as sp
from hypothesis import example, given
from hypothesis import strategies as st
from scipy import special
from scipy.optimize import linprog

from hdp import ADPM, adpm, minimax, threshold
from hdp.sym.heterogeneous_budgets import lower_bound as lower
from hdp.sym.heterogeneous_budgets import upper_bound as upper
from hdp.sym.symbols import R, epsilon_1, epsilon_2, f, n, r
from tests.oracles import budgets, inf, thorough, two_groups

SLACK = 1 + 1e-12


def shrunk_error(epsilon):
    """B/(1 + 4B), the error of an estimator that exists, with B the affine error before the cap."""
    B = threshold.affine_mse(epsilon)
    return B / (1 + 4 * B) if B < inf else 0.25


def tosses(m, bias):
    """Distribution of the number of heads of each coin, in numbers of the bias's kind."""
    coins = (1 + bias) / 2, (1 - bias) / 2
    return [[comb(m, i) * h**i * (1 - h) ** (m - i) for i in range(m + 1)] for h in coins]


def distance(p, q):
    """Total variation distance of two vectors of probabilities."""
    return sum(abs(a - b) for a, b in zip(p, q, strict=True)) / 2


@pytest.mark.settles("hdp-tosses", "hdp-gap")
@pytest.mark.parametrize("m", [*range(12), 25, 60])
@pytest.mark.parametrize("bias", [0.0, 1e-9, 0.125, 0.3, 0.5, 0.75, 0.999, 1.0])
def test_coin_distance_agrees_with_exact_fractions(m, bias):
    """The binomial sum, relative to the last digit; never above the tangent sqrt(m) delta, nor above 1."""
    exact, d = distance(*tosses(m, Fraction(bias))), Fraction(bias)
    assert exact == d * sum(comb(2 * i, i) * ((1 - d**2) / 4) ** i for i in range((m + 1) // 2))
    found = minimax.coin_distance(m, bias)
    assert abs(Fraction(found) - exact) <= Fraction(1e-13) * exact
    bound = float(lower.tosses_bound.subs({lower.delta: bias, lower.coins: m}))
    assert found <= min(bound, 1) * SLACK
    if 0 < bias < 1:
        assert bound <= np.sqrt(m / 2 * bias * np.log((1 + bias) / (1 - bias))) * SLACK  # Pinsker's
    assert found <= bias * float(lower.coin_slope.subs(lower.coins, m)) * SLACK


@pytest.mark.settles("cc-kl")
def test_divergence_and_distance_of_the_coins():
    """KL between 2 delta^2 and 3 delta^2 up to 1/2, distance delta, Pinsker; 3 is not enough near 1."""
    for delta in np.linspace(0.01, 0.5, 50):
        p, q = [(1 + delta) / 2, (1 - delta) / 2], [(1 - delta) / 2, (1 + delta) / 2]
        kl = sum(a * np.log(a / b) for a, b in zip(p, q, strict=True))
        assert kl == pytest.approx(float(lower.divergence.subs(lower.delta, delta)), rel=1e-12)
        bound = float(lower.divergence_bound.subs(lower.delta, delta))
        assert 2 * delta**2 <= kl <= bound and distance(p, q) == pytest.approx(delta)
        assert (p[0] - p[1]) / 2 == pytest.approx(float(lower.half_distance.subs(lower.delta, delta)))
    assert float((lower.divergence - lower.divergence_bound).subs(lower.delta, 0.9)) > 0


def farthest(users, one, other):
    """Largest |Q_1(S) - Q_2(S)| over all private mechanisms and events, by a linear program.

    `one` and `other` hold the chances of each user's values.
    """
    size = len(one[0])
    data = list(product(range(size), repeat=len(users)))
    index = {x: i for i, x in enumerate(data)}
    rows, limits = [], []
    for x, (i, e) in product(data, enumerate(users)):
        for value in set(range(size)) - {x[i]}:
            if e < inf:
                row = np.zeros(len(data))
                row[index[x]], row[index[(*x[:i], value, *x[i + 1 :])]] = 1, -np.exp(e)
                rows, limits = [*rows, row, -row], [*limits, 0.0, np.expm1(e)]
    weights = [np.array([np.prod([p[v] for p, v in zip(c, x, strict=True)]) for x in data]) for c in (one, other)]
    solved = linprog(weights[1] - weights[0], rows or None, limits or None, bounds=(0, 1))
    assert solved.status == 0
    return -solved.fun


def separation(users, bias):
    """Of two coins."""
    heads, tails = (1 + bias) / 2, (1 - bias) / 2
    return farthest(users, [(tails, heads)] * len(users), [(heads, tails)] * len(users))


LEMMA_5 = [
    sp.lambdify((lower.delta, lower.influence, lower.coins, lower.total_variation), bound)
    for bound in (lower.sharp_51, lower.eq_51, lower.eq_29)
]
INFLUENCE = [sp.lambdify(lower.budget, e) for e in (lower.sharp_16, lower.eq_16, lower.budget)]


@pytest.mark.settles("cc-eq-29", "cc-lemma-5", "cc-eq-51", "hdp-le-cam")
@thorough
@example([0.01], 0.5)
@example([0.5], 0.3)
@example([inf], 0.3)
@example([inf, inf, inf], 0.01)
@given(
    st.lists(st.one_of(st.floats(0, 5), st.sampled_from([0.0, 0.5, inf])), min_size=1, max_size=4),
    st.floats(0.01, 0.5),
)
def test_no_mechanism_separates_the_coins_better_than_the_hybrid_bound(users, bias):
    """Over all mechanisms and for every k: sharp Lemma 5 holds, and is at most the printed one and its form (29)."""
    apart, rounding = separation(users, bias), 1e-15  # of 1 - e^-x, where x is below the distance of doubles at 1
    for k in range(len(users) + 1):
        m, sums = len(users) - k, [sum(influence(min(e, 700.0)) for e in users[:k]) for influence in INFLUENCE]
        at = [bound(bias, s, m, minimax.coin_distance(m, bias)) for bound, s in zip(LEMMA_5, sums, strict=True)]
        assert apart <= at[0] + 1e-7 and at[0] <= at[1] * SLACK + rounding and at[1] <= at[2] * SLACK + rounding


@pytest.mark.settles("cc-lemma-5", "cc-eq-51")
@pytest.mark.parametrize("chances", [((0.2, 0.3, 0.5), (0.4, 0.4, 0.2)), ((0.1, 0.0, 0.9), (0.1, 0.2, 0.7))], ids=str)
@pytest.mark.parametrize("users", [[0.5], [2.0, 0.1], [inf, 0.7, 0.0]], ids=str)
def test_each_side_of_the_triangle_for_values_of_more_kinds(users, chances):
    """Lemma 5 beyond coins, users in any order, for every k: (54), and (55) to (74) without the factor 2."""
    one, other = ([np.array(c)] * len(users) for c in chances)
    apart, logarithm = distance(*chances), special.rel_entr(*chances).sum() / lower.delta
    printed = lower.eq_51.subs(lower.divergence / lower.delta, logarithm).subs(lower.delta, apart)
    for k in range(len(users) + 1):
        between, cost = one[:k] + other[k:], -np.expm1(-np.array(users[:k])).sum()
        first, second = farthest(users, one, between), farthest(users, between, other)
        at = {lower.coins: len(users) - k, lower.influence: 0}
        assert first <= float(printed.subs(at)) + 1e-7 and second <= apart * cost + 1e-7
        assert farthest(users, one, other) <= float(printed.subs(at | {lower.influence: cost})) + 1e-7


@pytest.mark.settles("cc-lemma-2", "cc-eq-16", "cc-eq-51")
@pytest.mark.parametrize("epsilon", [0.01, 0.5, 2.0, 10.0])
def test_largest_influence_of_one_user_is_the_hyperbolic_tangent(epsilon):
    """One user with a coin of bias 1: the linear program attains tanh(eps/2), below 1 - e^-eps."""
    found = separation([epsilon], 1.0)
    assert found == pytest.approx(float(lower.sharp_16.subs(lower.budget, epsilon)), rel=1e-7)
    assert found == pytest.approx(np.tanh(epsilon / 2), rel=1e-7)
    assert found < lower.eq_16.subs(lower.budget, epsilon)


POINTS = list(two_groups(25, 2305))
SYMBOLS = (epsilon_1, epsilon_2, n, f)


@pytest.mark.settles("cc-eq-46", "cc-theorem-2")
def test_lower_bound_is_the_statement_at_exact_rationals():
    """Theorem 2 in both cases, 1e-14; each case occurs."""
    factors = set()
    capped_b = {epsilon_1: sp.Rational(1, 2), epsilon_2: sp.Integer(64), n: sp.Integer(4), f: sp.Integer(1)}
    assert upper.bound_b_in_budgets.xreplace(capped_b) > upper.cap  # only one group, in case (B), can meet the cap
    for point in [*POINTS, capped_b]:
        values = [float(point[s]) for s in SYMBOLS]
        exact = lower.lower_bound.xreplace(point)
        assert abs(sp.Rational(minimax.lower_bound(*values)) - exact) <= 1e-14 * exact
        factors.add(upper.upper_bound.xreplace(point) / exact)
    assert factors == {1048, 1560}


def steps(point):
    """Every step of the argument at a point: the statement, and what the one before makes of it."""
    e1, e2, users, share = (point[s] for s in SYMBOLS)
    private, generous, mean = users * share, users * (1 - share), share * e1 + (1 - share) * e2
    unit = lower.eq_29.subs(lower.delta, 1)
    linear = lambda influence, tosses: unit.subs({lower.influence: influence, lower.coins: tosses})  # noqa: E731
    slopes = {
        "slope_none": linear(0, users),
        "slope_first": 2 * private * e1 + sp.sqrt(32 * generous),  # more than `slope_first_tight`
        "slope_all": linear(users * mean, 0),
    }
    argument = [min(1 / (2 * a), sp.Rational(1, 2)) ** 2 / 16 for a in slopes.values()]  # delta^2/16
    yield from slopes.items()
    yield "slope_first_tight", linear(private * e1, generous)
    argument += [16 * a for a in argument[:2]]
    yield from zip(("eq_37", "eq_38", "eq_39", "eq_25", "eq_26"), argument, strict=True)
    yield "eq_34", lower.eq_28.subs({lower.gamma: lower.half_distance, lower.total_variation: lower.A * lower.delta})
    inside_41 = 2 / (users * mean) ** 2
    inside_42 = 1 / (2 * ((4 * private * e1) ** 2 / share + 128 * generous))  # 2 (a^2/f + b^2) > (a + b)^2
    inside_43 = (1 / users + 256 * share * inside_42) / 262  # less than the weights 6 and 256 f of (37) and (42)
    yield from {"inside_41": inside_41, "inside_42": inside_42, "inside_43": inside_43}.items()
    yield "inside_45", inside_43 / 16 / lower.factor_45
    yield "eq_27", min(4 * inside_41, sp.Rational(1, 4))
    yield "factor_41", 1 / (256 * (users * mean) ** 2) / inside_41
    yield "factor_46", 1 / (1 / lower.factor_41 + 1 / lower.factor_45)
    yield "derivative_47", sp.diff(lower.U - lower.L_3, r)
    yield "difference_48", (lower.U - lower.L_3).subs(r, R)
    yield "difference_49", (lower.U - lower.L_3).subs(r, R) - lower.L_2


@pytest.mark.settles("cc-lemma-4", "cc-eq-25", "cc-eq-30", "cc-eq-37", "cc-eq-46", "cc-theorem-2")
@pytest.mark.parametrize("point", POINTS[::3])
def test_every_step_of_the_argument_is_as_stated(point):
    """(25) to (50): slopes from Lemma 5, bounds at the paper's delta, the constants 512, 1048 and 1560."""
    at = point | {R: upper.saturation_ratio.subs(point), r: upper.budget_ratio.subs(point)}
    at |= {lower.delta: sp.Rational(3, 10), lower.A: sp.Rational(1, 2)}
    for name, derived in steps(point):
        stated, derived = (float(sp.sympify(e).subs(at)) for e in (getattr(lower, name), derived))
        assert stated == pytest.approx(derived, rel=1e-12), name
    bounds = [float(e.xreplace(point)) for e in (lower.eq_37, lower.eq_38, lower.eq_39)]
    for name, constant, bound in zip(("eq_25", "eq_26", "eq_27"), (16, 16, 2048), bounds, strict=True):
        assert float(getattr(lower, name).subs(at)) <= constant * bound * SLACK, name
    assert float(lower.lower_bound.xreplace(point)) <= max(bounds) * SLACK


@pytest.mark.settles("cc-eq-46")
@pytest.mark.parametrize(
    "arguments, factor",
    [
        ((0.0, 1.0, 100, 0.5), 1560),  # R is infinite
        ((0.5, inf, 100, 0.0), 1560),
        ((0.5, 0.5, 100, 1.0), 1560),
        ((inf, inf, 100, 0.5), 1048),
        ((0.5, inf, 100, 0.5), 1048),
        ((0.1, 0.1 + 8 / (1000 * 0.7 * 0.1), 1000, 0.7), 1048),  # r = R: both cases hold
        ((1e-200, 2e200, 10, 0.5), 1048),  # R = 1.6e400 is no float, and its product with the budget is
        ((1e-200, 1e200, 10, 0.5), 1560),
    ],
)
def test_limits_of_the_lower_bound(arguments, factor):
    """Empty groups, unusable and public users: Theorem 1 over the constant of the case, without a warning."""
    with np.errstate(all="raise"):
        assert minimax.lower_bound(*arguments) == adpm.two_group_bound(*arguments) / factor


def on_a_grid(epsilon):
    """Largest bound over every k and a fine grid of biases; a lower bound of the maximum, close to it."""
    total = np.append(0.0, np.cumsum(np.tanh(np.sort(epsilon) / 2)))[:, None]
    m = np.arange(len(epsilon), -1, -1)[:, None]
    delta = np.concatenate([np.geomspace(1e-7, 1, 3000), np.linspace(1e-3, 1, 2000)])
    return (delta**2 / 4 * (1 - delta * total - minimax.coin_distance(m, delta))).max()


@pytest.mark.settles("hdp-le-cam")
@pytest.mark.parametrize("seed", range(6))
def test_one_best_bias_for_each_k_and_a_best_k_near_the_end_of_a_run(seed):
    """Where anything is proved the bound rises, then falls; of the best k one is 0 or even from the end, and near."""
    rng = np.random.default_rng(seed)
    runs = rng.integers(1, 7, 4)
    epsilon = np.repeat(np.sort(rng.choice([0.0, 0.02, 0.1, 0.3, 1.0, 4.0, inf], 4, replace=False)), runs)
    delta, n = np.linspace(0, 1, 4001), epsilon.size
    total = np.append(0.0, np.cumsum(np.tanh(epsilon / 2)))
    tosses = np.array([minimax.coin_distance(n - k, delta) for k in range(n + 1)])
    found = delta**2 / 4 * (1 - delta * total[:, None] - tosses)
    for bound in found:
        steps = np.diff(bound[bound > -1e-15])
        assert np.all(np.diff(np.sign(steps[np.abs(steps) > 1e-15])) <= 0)
    ends = np.append(0, np.cumsum(runs))
    near = {k for end in ends for k in (end - 1, end, end + 1) if 0 <= k <= n and (k == 0 or (n - k) % 2 == 0)}
    assert found.max() == pytest.approx(max(found[k].max() for k in near), rel=1e-12)


@pytest.mark.settles("hdp-le-cam")
@thorough
@given(budgets(max_size=30))
def test_two_coins_describe_their_bound_and_none_are_better(epsilon):
    """delta and k give the bound by the formula; the search over blocks, ends of ties and even n - k loses nothing."""
    coins, grid = minimax.two_coins(epsilon), on_a_grid(epsilon)
    assert grid <= coins.bound * SLACK and coins.bound <= grid * (1 + 1e-4)
    influence = np.tanh(np.sort(epsilon)[: coins.k] / 2).sum()
    left = 1 - coins.delta * influence - minimax.coin_distance(len(epsilon) - coins.k, coins.delta)
    assert coins.bound == pytest.approx(coins.delta**2 / 4 * left, rel=1e-12) == minimax.le_cam(epsilon)


@pytest.mark.settles("cc-eq-3")
@thorough
@given(budgets(max_size=30))
def test_le_cam_never_exceeds_an_upper_bound(epsilon):
    """Neither Algorithm 1 nor its shrunk version."""
    assert 0 < minimax.le_cam(epsilon) <= shrunk_error(epsilon) * SLACK
    assert minimax.le_cam(epsilon) <= ADPM(epsilon).mse() * SLACK


@pytest.mark.settles("hdp-any-budgets")
def test_the_factor_for_any_budgets_is_the_best_of_the_argument():
    """27/4 times the least (1 + t)/(t (1 - t)) over the shares t of the level, at the stated share; below 40."""
    t = sp.Symbol("t", positive=True)
    common = (1 + t) / (t * (1 - t))
    assert sp.solve(sp.diff(common, t), t) == [lower.any_budgets_share]
    least = common.subs(t, lower.any_budgets_share)
    squared = 1 / lower.best_for_slope.args[0][0].subs(lower.A, 1)  # 27, by which L >= 1/(27 A^2)
    assert sp.simplify(squared * least / 4 - lower.any_budgets_factor) == 0
    assert lower.any_budgets_factor < 40


@pytest.mark.settles("hdp-any-budgets")
@thorough
@given(budgets(max_size=60))
def test_the_slope_of_the_chosen_k_is_bounded_by_the_error(epsilon):
    """A = s/2 + sqrt(m) for the users below the share of the level: 27 A^2 U <= factor, and L >= 1/(27 A^2)."""
    assert ADPM(epsilon).mse() <= float(lower.any_budgets_factor) * minimax.le_cam(epsilon) * SLACK
    level = ADPM(epsilon).level
    enjoyed = np.minimum(epsilon, ADPM(epsilon).level)
    if level == inf:
        return
    private = np.array(epsilon) <= float(lower.any_budgets_share) * level
    slope = enjoyed[private].sum() / 2 + np.sqrt(np.count_nonzero(~private))
    error = level / (4 * enjoyed.sum())  # Algorithm 1 before the cap
    assert 27 * slope**2 * error <= float(lower.any_budgets_factor) * SLACK
    proved = float(lower.best_for_slope.subs(lower.A, slope))
    assert minimax.le_cam(epsilon) >= proved / SLACK
    assert min(error, 0.25) <= float(lower.any_budgets_factor) * proved * SLACK


@pytest.mark.parametrize(
    "epsilon",
    [
        np.geomspace(1e-300, 1e300, 1001),
        np.repeat([1e-3, 0.05, 2.0, inf], [90_000, 9000, 900, 100]),
        np.repeat([0.0, 5e-324, 1.7e308], [5, 5, 5]),
        np.full(10**6, 1.0),
        np.random.default_rng(5).random(10**6),
    ],
    ids=["600 decades", "four groups", "ends", "a million equal", "a million"],
)
def test_extreme_vectors(epsilon):
    """Silent, valid, and within the factor of the theorem for each bound."""
    with np.errstate(all="raise"):
        bounds, error = (minimax.le_cam(epsilon), minimax.van_trees(epsilon)), ADPM(epsilon).mse()
    for bound, factor in zip(bounds, (40, 14.6), strict=True):
        assert 0 < bound <= shrunk_error(epsilon) * SLACK and error <= factor * bound


def test_free_privacy_in_the_limit():
    """The two normal distributions; where noise rules or nothing is known, see the gap of strict users."""
    z = np.linspace(0.5, 1.2, 2001)
    normal = (z**2 * special.erfc(z)).max()
    assert minimax.le_cam(np.full(10**6, 5.0)) == pytest.approx(normal / (2 * 10**6), rel=1e-4)


@pytest.mark.settles("hdp-strict-users")
@pytest.mark.parametrize(
    "users, budget, ratio",
    [(10, 0.01, 1 / 0.95), (10**6, 1e-8, 1 / 0.995), (10**6, 1e-6, 2), (10**6, 2e-6, 6.75), (10**6, 1e-5, 13.5)],
)
def test_the_gap_of_strict_users(users, budget, ratio):
    """27/2 needs n eps -> infinity with n eps^2 -> 0; for n eps -> 0 both bounds tend to 1/4 and the ratio to 1."""
    epsilon = np.full(users, budget)
    found = ADPM(epsilon).mse() / minimax.le_cam(epsilon)
    assert found == pytest.approx(ratio, rel=1e-3)
    assert found == pytest.approx(float(lower.strict_gap.subs(lower.total_budget, users * budget)), rel=1e-3)


@pytest.mark.settles("cc-public-benefit")
def test_a_public_group_may_be_a_benefit_and_is_none_over_a_saturated_one():
    """No private estimator has with 1000 strict users what Algorithm 1 has if 300 are public; R eps_1 is as good."""
    strict, public = np.full(1000, 0.01), np.repeat([0.01, inf], [700, 300])
    assert minimax.le_cam(strict) > 1.5 * ADPM(public).mse()
    for vector, budget in ((strict, 0.01), (public, inf)):  # the bound of Theorem 1 is what is divided
        assert adpm.two_group_bound(0.01, budget, 1000, 0.7) == pytest.approx(ADPM(vector).mse(), rel=1e-12)
    saturated = np.repeat([0.01, 0.01 * adpm.saturation_ratio(0.01, 1000, 0.7)], [700, 300])
    assert ADPM(saturated).mse() == pytest.approx(ADPM(public).mse(), rel=1e-12)


@pytest.mark.settles("cc-saturation")
@pytest.mark.parametrize("e1, users, share", [(0.001, 2000, 0.99), (0.1, 1000, 0.7), (0.5, 20, 0.05), (2.0, 2, 0.5)])
@pytest.mark.parametrize("beyond", [1.0, 3.0, inf])
def test_no_algorithm_gains_more_than_the_constant_beyond_saturation(e1, users, share, beyond):
    """Theorem 2 at any budget beyond R eps_1, times its constant, is the algorithm's error at R eps_1."""
    saturation = e1 * adpm.saturation_ratio(e1, users, share)
    groups = [round(users * share), round(users * (1 - share))]
    error = ADPM(np.repeat([e1, saturation], groups)).mse()
    assert 1048 * minimax.lower_bound(e1, beyond * saturation * SLACK, users, share) == pytest.approx(error, rel=1e-9)
    assert 40 * minimax.le_cam(np.repeat([e1, beyond * saturation], groups)) > error
    point = dict(zip(SYMBOLS, (e1, 1e9 * saturation, users, share), strict=True))  # the statement, far beyond
    assert 1048 * float(lower.lower_bound.subs(point)) == pytest.approx(error, rel=1e-9)
