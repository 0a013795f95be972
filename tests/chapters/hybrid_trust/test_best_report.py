"""Local reports: the statements beside minimisation, the library, and linear programs over all reports on a grid."""

from fractions import Fraction
from itertools import permutations

import numpy as np
import pytest
import sympy as sp
from scipy.optimize import brentq, linprog, minimize_scalar

from hdp import compare
from hdp.compare import secret_release
from hdp.sym.hybrid_trust import best_report as sym
from hdp.sym.hybrid_trust.amplification import rho
from hdp.sym.hybrid_trust.baselines import c, w
from hdp.sym.symbols import n, v
from hdp.users import Users
from tests.figures.captions import line, positions, says

BUDGETS = [0.1, 0.5, 1.0, 2.0, 4.0, 8.0]


def value(statement, **at):
    """A statement at numbers for symbols, by their names; e^-epsilon and e^(epsilon/2) follow."""
    statement = statement.subs(sym.in_budget)
    return float(statement.subs({s: at[s.name] for s in statement.free_symbols}))


@pytest.mark.settles("hdp-best-report")
@pytest.mark.parametrize("budget", BUDGETS)
@pytest.mark.parametrize("distance", [0.0, 0.3])
def test_statements_agree_with_the_library(budget, distance):
    """All three variances, and at the switching variances those of two reports are equal."""
    at = {"epsilon": budget, "v": 0.1, "d_mu": distance}
    for name, statement in (("one-bit", sym.one_bit), ("staircase", sym.staircase), ("piecewise", sym.piecewise)):
        found = compare.report_variance(name, budget, 0.1, 0.5 + distance)
        assert value(statement, **at) == pytest.approx(found, rel=1e-11)
    pairs = (
        (sym.bit_from_staircase, sym.one_bit, sym.staircase),
        (sym.bit_from_piecewise, sym.one_bit, sym.piecewise),
        (sym.piecewise_to_staircase, sym.piecewise, sym.staircase),
    )
    for turn, one, other in pairs:
        there = {v: turn}
        assert value(one.subs(there), **at) == pytest.approx(value(other.subs(there), **at), rel=1e-10)
    anywhere = compare.report_variance("piecewise", budget, 0.1)
    assert value(v + sym.piecewise_most, **at) == pytest.approx(anywhere, rel=1e-11)


@pytest.mark.settles("hdp-best-staircase")
@pytest.mark.parametrize("budget", BUDGETS)
def test_the_step_of_the_staircase_is_the_best_and_beats_laplace_noise(budget):
    """The variance written anew as a sum over steps, minimised over the width of their upper parts."""
    fall, k = np.exp(-budget), np.arange(int(60 / budget) + 2)

    def moment(gamma, power):
        edges = k**power, (k + gamma) ** power, (k + 1) ** power
        return 2 / power * np.sum(fall**k * ((edges[1] - edges[0]) + fall * (edges[2] - edges[1])))

    def variance(gamma):
        return moment(gamma, 3) / moment(gamma, 1)

    best = minimize_scalar(variance, bounds=(0, 1), method="bounded", options={"xatol": 1e-10})
    assert value(sym.staircase_noise, epsilon=budget) == pytest.approx(best.fun, rel=1e-9)
    assert best.fun < 2 / budget**2
    assert fall + (1 - fall) * best.x == pytest.approx(value(sym.best_step_mass, epsilon=budget), rel=1e-4)
    for gamma in (0.1, 0.7):
        mass = {sym.step_mass: fall + (1 - fall) * gamma}
        assert value(sym.staircase_of_step.subs(mass), epsilon=budget) == pytest.approx(variance(gamma), rel=1e-10)


@pytest.mark.settles("hdp-best-piecewise")
@pytest.mark.parametrize("budget", BUDGETS)
@pytest.mark.parametrize("square", [0.0, 0.1, 0.25])
def test_a_smaller_chance_to_leave_the_window_is_better(budget, square):
    """A mixture of two uniform laws; the published chance is not the best."""
    odds = np.exp(budget)

    def noise(z):
        """Of a value whose squared distance from 1/2 this is; its window moves such that the report is unbiased."""
        slope, width = 1 / (1 - z), 1 / (z * odds - 1)
        return z * (slope + width) ** 2 / 12 + (1 - z) * (width**2 / 12 + slope**2 * square) - square

    for z in (0.1 + 0.9 / odds, odds**-0.5, 0.5 + 0.5 / odds):
        stated = sym.piecewise_of_step.subs({sym.z: z, sym.odds: odds, sym.square: square})
        assert float(stated) == pytest.approx(noise(z), rel=1e-9)
    published = value(sym.piecewise_slope * square + sym.piecewise_least, epsilon=budget)
    assert noise(odds**-0.5) == pytest.approx(published, rel=1e-9)
    best = minimize_scalar(noise, bounds=((1 + 1e-9) / odds, 1 - 1e-9), options={"xatol": 1e-12})
    assert best.fun < published and best.x < odds**-0.5


@pytest.mark.settles("hdp-best-report")
def test_budgets_where_two_reports_are_equal():
    """By root finding on the library's variances: at 1/2, over the worst values, and for coins never."""

    def root(one, other, mean):
        def gap(budget):
            return compare.report_variance(one, budget, 0.0, mean) - compare.report_variance(other, budget, 0.0, mean)

        return brentq(gap, 0.3, 12, xtol=1e-13)

    assert float(sym.stairs_budget) == pytest.approx(root("one-bit", "staircase", 0.5), rel=1e-10)
    assert float(sym.worst_budget) == pytest.approx(root("one-bit", "piecewise", None), rel=1e-10)
    assert float(sym.centre_budget) == pytest.approx(root("one-bit", "piecewise", 0.5), rel=1e-10)
    assert float(sym.late_budget) == pytest.approx(root("piecewise", "staircase", None), rel=1e-10)


def best_of_all(budget, weights, extra=()):
    """Least mean square around 1/2 of any unbiased report of 0, 1/2, 1 on a grid of outputs: a linear program."""
    odds = np.exp(budget)
    y = np.unique(np.concatenate([np.linspace(-1, 1, 41) * 1.5 * odds / (odds - 1), extra]))
    pairs = np.array([one - odds * other for one, other in permutations(np.eye(3), 2)])
    private, unbiased = np.kron(pairs, np.eye(y.size)), np.kron(np.eye(3), [np.ones(y.size), y])
    sums = [1, -0.5, 1, 0, 1, 0.5]
    found = linprog(np.kron(weights, y**2), private, np.zeros(len(private)), unbiased, sums)
    assert found.status == 0
    return found.fun


@pytest.mark.settles("hdp-report-bound")
@pytest.mark.parametrize("budget", [0.2, 0.5, *np.log([1.95, 2.0, 2.05]).tolist(), 1.0, 2.0])
def test_no_report_is_below_the_bound_and_one_attains_it(budget):
    """Over all reports on a grid, for several populations; at the value 1/2 the bound is attained."""
    odds = np.exp(budget)
    least = float(sym.least_square.subs(sym.odds, odds))
    sizes = [odds / (odds - 1), 1 / (odds - 1), (odds + 2) / (2 * (odds - 1))]
    extra = np.concatenate([sizes, np.negative(sizes), [0.0]])
    assert best_of_all(budget, [0, 1, 0], extra) == pytest.approx(least, rel=1e-7)
    for weights in ([0, 1, 0], [0.5, 0, 0.5], [0.2, 0.5, 0.3], [1, 0, 0]):
        assert best_of_all(budget, weights) >= least * (1 - 1e-7)
    bit = compare.report_variance("one-bit", budget, 0.0, 0.5)
    if budget <= np.log(2):
        assert bit - least == pytest.approx(0.25, rel=1e-9)
        assert all(compare.report_variance(name, budget, 0.0, 0.5) > least for name in compare.LOCAL_REPORTS)


@pytest.mark.settles("hdp-report-bound")
@pytest.mark.parametrize("budget", [0.2, 1.0, 3.0, 6.0])
@pytest.mark.parametrize("share", [0.5, 0.2, 0.0])
def test_for_coins_no_report_varies_less_than_one_bit(budget, share):
    """The same program for values 0 and 1, of which a share is 1; its grid has the two outputs of one bit."""
    size = 0.5 / np.tanh(budget / 2)
    found = best_of_all(budget, [1 - share, 0, share], [-size, size])
    v, square = share * (1 - share), (share - 0.5) ** 2
    assert found == pytest.approx(compare.report_variance("one-bit", budget, v, share) + square, rel=1e-4)


# -- Secret reports of two groups: statements against the library, against grids and by limits.

GROUPS = [
    (3, 1.0, 20, 1.0),
    (3, 1.0, 28, 1.0),
    (1, 1.0, 4, 2.0),
    (400, 0.02, 20, 2.0),
    (5, 1.5, 2000, 0.1),
]


def at(users, reach, others, other, pooled=0, variance=0.25):
    """Symbols of two groups, of whose second so many quarters pool."""
    size = users + others
    return {c: Fraction(users, size), n: size, v: Fraction(variance), sym.reach_T: reach, sym.reach_L: other,
            sym.alpha: Fraction(pooled, 4)}  # fmt: skip


@pytest.mark.settles("hdp-secret-two-groups")
@pytest.mark.parametrize("pooled", [0, 1, 2])
@pytest.mark.parametrize("variance", [0.25, 0.02])
@pytest.mark.parametrize("groups", GROUPS)
def test_secret_reports_statements_agree_with_the_library(groups, variance, pooled):
    """Weight, error, the gain, and who hides whom."""
    users, reach, others, other = groups
    people = Users(np.repeat([reach, other], [users, others]), np.repeat(["curator", "local"], [users, others]))
    plan = secret_release(people, variance=variance, coalition=pooled * others // 4)
    published = secret_release(people, variance=variance, coalition=others).mse()

    def stated(expression):
        values = at(*groups, pooled, variance)
        return pytest.approx(float(expression.subs(sym.groups).subs(values)), rel=1e-9)

    assert plan.weights[:users].sum() == stated(sym.best_weight)
    assert plan.mse() == stated(sym.secret_error.subs(w, sym.best_weight))
    assert published == stated(sym.best_published) and published / plan.mse() == stated(sym.gain)
    assert (plan.curator_scale > 0) == (stated(sym.low).expected > stated(sym.kink).expected)
    hidden = plan.weights[0] == pytest.approx(plan.weights[-1] * (1 + 1 / (variance * other**2)), rel=1e-9)  # unclipped
    assert hidden == (others >= stated(sym.hiders).expected)


@pytest.mark.settles("hdp-secret-gain")
def test_the_bound_of_the_gain_is_a_supremum():
    """Budgets that vanish, in the ratio at which the two noises are equal."""
    meeting = (sym.sampling + sym.report_noise).subs(w, sym.kink)
    assert sp.simplify(meeting - sym.kink_error) == 0
    ratio = (sym.best_published / sym.kink_error).subs(sym.p, sym.kept * sym.q)
    half = ratio.subs(sym.alpha, sp.Rational(1, 2))
    assert sp.limit(half, sym.q, 0) == sym.largest_gain.subs(sym.alpha, sp.Rational(1, 2)) == sp.Rational(3, 2)
    assert sp.limit(ratio.subs(sym.alpha, 0), sym.q, 0) == sym.largest_gain.subs(sym.alpha, 0) == 2
    for place, relation in ((sym.low, -1), (sym.high, 1)):  # there the noises are indeed equal at the best weight
        beside = (place - sym.kink).subs(sym.p, sym.kept * sym.q).subs(sym.alpha, sp.Rational(1, 2))
        assert sp.sign(sp.limit(beside, sym.q, 0)) == relation


@pytest.mark.settles("hdp-secret-frontier")
@pytest.mark.parametrize("others, reach, other", [(100, 0.4, 0.3), (400, 0.1, 0.5), (64, 1.0, 1.0)])
def test_the_frontier_runs_from_equal_weights_to_the_silent_curator(others, reach, other):
    """Every point of it is the best release for its budget, without noise of the curator's."""
    users = 50
    ends = at(users, reach, others, other)
    for much in np.linspace(1, float(sym.frontier_end.subs(ends)), 7):
        here = ends | {rho: much}
        budget = float(sym.frontier_loss.subs(here))
        trust = np.repeat(["curator", "local"], [users, others])
        plan = secret_release(Users(np.repeat([budget, other], [users, others]), trust))
        assert plan.curator_scale == 0 and plan.loss[0] == pytest.approx(budget, rel=1e-9)
        assert plan.mse() == pytest.approx(float(sym.frontier_error.subs(here)), rel=1e-9)
        assert plan.weights[0] / plan.weights[-1] == pytest.approx(much, rel=1e-9)
    more = secret_release(Users(np.repeat([9.0, other], [users, others]), trust))
    assert more.mse() == pytest.approx(plan.mse(), rel=1e-9)


def laplace_errors(users, budget, others, other):
    """Least errors of two groups with Laplace noise and pure privacy, whose members weigh alike: published, secret."""

    def parts(x):
        report, own = (1 - x) / others / other, x / users / budget
        return (x**2 / users + (1 - x) ** 2 / others) / 4 + 2 * others * report**2, report, own

    def least(extra, top):
        found = minimize_scalar(lambda x: extra(*parts(x)), bounds=(0, top), method="bounded", options={"xatol": 1e-12})
        return min(found.fun, extra(*parts(top)))

    published = least(lambda error, report, own: error + 2 * own**2, 1.0)
    meet = users * budget / (users * budget + others * other)  # up to here a report has the noise of one who trusts
    return published, min(published, least(lambda error, report, own: error, meet))


@pytest.mark.settles("hdp-secret-laplace")
@pytest.mark.parametrize("others", [1, 2, 5, 20])
def test_pure_privacy_gains_one_part_in_as_many_as_send_reports(others):
    """Never more over many budgets, and almost that much where noise dominates."""
    bound, rng = float(sym.largest_laplace_gain.subs(sym.ell, others)), np.random.default_rng(others)
    gains = []
    for _ in range(200):
        budgets = np.exp(rng.uniform(-6, 1, 2))
        published, secret = laplace_errors(int(rng.integers(1, 50)), budgets[0], others, budgets[1])
        gains.append(published / secret)
    assert max(gains) <= bound * (1 + 1e-9)
    published, secret = laplace_errors(1, 1e-4, others, 1e-4)
    assert published / secret == pytest.approx(bound, rel=1e-3)


# -- What the figures draw, by the library.


EDGE = 0.02  # of a region so thin that it has no words


def equal(one, other, epsilon, mean):
    """Variance of the values at which both reports vary alike."""
    (a, c), (b, d) = ([compare.report_variance(name, epsilon, v, mean) for name in (one, other)] for v in (0.0, 0.25))
    return 0.25 * (a - c) / (a - c - (b - d))


def most(d_mu):
    """Variance of coins with this distance of the mean from 1/2."""
    return (0.5 + d_mu) * (0.5 - d_mu)


def bit(epsilon, d_mu):
    """From where one bit varies least."""
    return max(0.0, *(equal("one-bit", other, epsilon, 0.5 + d_mu) for other in ("staircase", "piecewise")))


def stairs(epsilon, d_mu):
    """Up to where the piecewise density varies less than the staircase."""
    return equal("piecewise", "staircase", epsilon, 0.5 + d_mu)


def between(epsilon, d_mu):
    """The same, where one bit does not vary less than both, and there are such values."""
    where = stairs(epsilon, d_mu)
    return where if 0 < where < equal("one-bit", "piecewise", epsilon, 0.5 + d_mu) else np.nan


def any_mean(epsilon):
    """Up to where the piecewise density varies less than one bit and the staircase, at the worst mean for each."""
    names = "one-bit", "piecewise", "staircase"
    bit, window, staircase = (compare.report_variance(name, epsilon, 0.0) for name in names)
    return bit - window if window < min(bit, staircase) else np.nan


def word(x, height):
    """A word at this budget, in the middle of its region unless that is thin."""
    return lambda d_mu: (x, height(d_mu) if height(d_mu) > EDGE else np.nan, 0.0)


def least(epsilon):
    """One over the most that a linear program over the corners of the hexagon of both densities allows, weighed."""
    E = np.exp(epsilon)
    corners = [(1 / E, 1 / E), (1, 1 / E), (1 / E, 1), (E, 1), (1, E), (E, E)]
    squares = [-((p - q) ** 2) for p, q in corners]
    return -1 / linprog(squares, A_eq=[[1] * 6, *zip(*corners, strict=True)], b_eq=[1, 1, 1]).fun


def over(name):
    """Mean square around 1/2, which is the variance of values whose mean is there, over the least."""
    return lambda epsilon, s_x: compare.report_variance(name, epsilon, s_x, 0.5) / least(epsilon)


REFERENCES = {
    "hdp-least-noise": {
        "Laplace": over("laplace"),
        "one bit": over("one-bit"),
        "piecewise": over("piecewise"),
        "staircase": over("staircase"),
        "log 2": np.log(2),
    },
    "hdp-best-report": {
        "from here upwards one bit": bit,
        "piecewise density up to here": between,
        "piecewise density up to here, if": any_mean,
        "no values vary more": most,
        "one bit": word(0.25, lambda d_mu: most(d_mu) / 2),
        "piecewise": word(3, lambda d_mu: equal("one-bit", "piecewise", 3, 0.5 + d_mu) / 2),
        "staircase": word(9, lambda d_mu: (2 * most(d_mu) + max(0.0, stairs(9, d_mu))) / 3),
    },
}


# -- The gain by the dual problem: the larger of two noises is the worst mixture of them.


def inverse_sum(first, second):
    """Least error of two independent means together."""
    return 1 / (1 / first + 1 / second)


def least_secret(c, n, b_T_reach, b_L_reach, known):
    """Largest over theta of what the best weights err by if theta of one noise is counted and the rest of the other."""
    trusting, local = c * n, (1 - c) * n

    def error(theta):
        need = (1 - theta) / (trusting * b_T_reach) ** 2
        return inverse_sum(0.25 / trusting + need, 0.25 / local + (theta + (1 - theta) * known) / b_L_reach**2 / local)

    found = minimize_scalar(lambda theta: -error(theta), bounds=(0, 1), method="bounded", options={"xatol": 1e-12})
    return max(error(0), error(1), error(found.x))


def least_published(c, n, b_T_reach, b_L_reach):
    trusting, local = c * n, (1 - c) * n
    curated = 0.25 / trusting + 1 / (trusting * b_T_reach) ** 2
    return inverse_sum(curated, (0.25 + 1 / b_L_reach**2) / local)


def gain(share):
    def at(c, n, b_T_reach, b_L_reach, alpha):
        if c * n < 1:
            return np.nan
        known = alpha if share is None else share
        at_all = least_published(c, n, b_T_reach, b_L_reach)
        return at_all / least_secret(c, n, b_T_reach, b_L_reach, known)

    return at


def hiders(b_T_reach, b_L_reach):
    """Where the deviation of the reports' noise is what one unclipped user needs, all reports weighed by variance."""
    own = 1 / (0.25 + 1 / b_L_reach**2)
    return brentq(lambda k: np.sqrt(k) * own / b_L_reach - 4 / b_T_reach, 1e-6, 1e12, xtol=1e-9, rtol=1e-14)


def alike(c, n, b_L_reach, much):
    """What a user moves the answer by who counts so many times as much as a local one, in units of the reports' noise.

    Inverse-variance weights have the ratio of the variances of a report and of a value.
    """
    local = (1 - c) * n
    weight = 1 / (c * n * much + local)
    return much * weight / (np.sqrt(local) * weight / b_L_reach)


REFERENCES |= {
    "adk-secret-gain": {
        "no coalition": gain(0.0),
        "with a coalition": gain(None),
        "no more is possible": lambda: 2.0,
        "no more with": lambda alpha: 2 - alpha,
        "up to here": lambda n, b_T_reach, b_L_reach: (
            share if (share := 1 - hiders(b_T_reach, b_L_reach) / n) >= 0.001 else np.nan
        ),
        "local users": hiders,
    },
    "adk-secret-frontier": {
        "published reports": lambda b_T_reach, c, n, b_L_reach: least_published(c, n, b_T_reach, b_L_reach) ** 0.5,
        "secret reports": lambda b_T_reach, c, n, b_L_reach: least_secret(c, n, b_T_reach, b_L_reach, 0.0) ** 0.5,
        "all count alike": lambda c, n, b_L_reach: alike(c, n, b_L_reach, 1.0),
        "KVH": lambda c, n, b_L_reach: alike(c, n, b_L_reach, (0.25 + 1 / b_L_reach**2) / 0.25),
    },
}


# -- What the captions say.


@says("adk-secret-frontier", r"Raise \(c\): the lines part and meet earlier")
def test_lines_part_and_meet_earlier(figure):
    x, spans = np.geomspace(1e-5, 100, 3000), []
    for c in positions(figure, "c"):
        ratio = line(figure, "published", x, c=c) / line(figure, "secret", x, c=c)
        spans.append(x[ratio > 1.01][[0, -1]])
    assert (np.diff(spans, axis=0) < 0).all()


@says("adk-secret-gain", "The other budget moves it to the right")
def test_the_peak_moves(figure):
    x = np.geomspace(0.001, 0.9, 300)
    for name, side in (("n", -1), ("b_T_reach", -1), ("b_L_reach", 1)):
        lines = [line(figure, "no coalition", x, **{name: v}) for v in positions(figure, name)]
        assert (side * np.diff([x[np.nanargmax(y)] for y in lines]) > 0).all()
        assert (np.diff([np.nanmax(y) for y in lines]) < 0).all()
