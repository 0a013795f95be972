"""The statements on releases in integers, against sums and against the library."""

import math
from fractions import Fraction

import numpy as np
import pytest
import sympy as sp
from scipy import optimize, stats

from hdp.compare import report_variance
from hdp.release import clipping_cost, plan, plan_bounds, receipts
from hdp.release.arithmetic import noise_variance
from hdp.release.bits import limit
from hdp.release.buckets import histogram, shortest
from hdp.release.measuring import integers
from hdp.sym.symbols import epsilon, n
from hdp.sym.use import real_release as sym
from hdp.users import Users
from tests.figures.captions import number, says


@pytest.mark.settles("hdp-release-error")
@pytest.mark.parametrize("bits", [0, 2, 10])
def test_the_variance_of_the_noise_is_that_of_the_library(bits):
    stated = float(sym.noise_variance.subs(sym.scale, 2**bits).evalf(30))
    assert noise_variance(bits, "laplace") == pytest.approx(stated, rel=1e-12)
    assert 2 * 4**bits - 1 / 6 < stated < 2 * 4**bits


@pytest.mark.settles("hdp-release-grid")
def test_shares_spend_what_the_statement_says():
    """Between the lower line and the budget; just below each multiple of the grid the line is met, on it the budget."""
    rng, grid = np.random.default_rng(1), Fraction(1, 2**8)
    for budget in [*rng.uniform(1e-3, 1, 50), *(edges := np.arange(1, 257, 5) / 256), *(edges - 1e-12 / 256)]:
        exact = Fraction(float(budget))
        least = sym.rounded_before.subs({sym.bits: 8, epsilon: sp.Rational(exact.numerator, exact.denominator)})
        spent = Fraction(int(limit(np.array([budget]), 8)[0]), 2**8)
        assert spent == exact // grid * grid and Fraction(int(least.p), int(least.q)) <= spent / exact <= 1
        below = exact % grid > grid * (1 - Fraction(1, 10**9))
        assert not below or float(spent / exact) == pytest.approx(float(least), abs=1e-9)


@pytest.mark.settles("hdp-release-error")
def test_rounding_moves_the_error_by_no_more_than_the_plan_says():
    """The part for rounding, from the largest offset of an answer."""
    epsilon = np.random.default_rng(2).lognormal(size=50) * 2
    made = plan(epsilon, bits=6)
    error, users = made.error, int((receipts(made).spent > 0).sum())
    offset = users / (2 * made.total)
    deviation = math.sqrt(error.sampling + error.noise + error.reports)
    bound = float(sym.rounded_mse.subs({sym.deviation: deviation, sym.offset: offset}))
    assert error.total == pytest.approx(bound, rel=1e-6)


@pytest.mark.settles("hdp-release-grid")
def test_a_rounded_sum_moves_by_one_step_more():
    """By trying: sums a budget apart, rounded to the grid, are the budget rounded up apart, below the charge."""
    grid, half, fullest = Fraction(1, 16), Fraction(1, 2), 0.0
    for budget in (Fraction(1, 1000), Fraction(1, 16), Fraction(1, 10), Fraction(33, 128), Fraction(1, 8)):
        lows = [grid * Fraction(offset, 2000) for offset in range(2000)]
        steps = [math.floor((low + budget) / grid + half) - math.floor(low / grid + half) for low in lows]
        assert max(steps) == math.ceil(budget / grid)
        charged = float(sym.rounded_after.subs({sym.bits: 4, epsilon: sp.Rational(str(budget))}) * float(budget))
        assert float(max(steps) * grid) <= charged
        fullest = max(fullest, float(max(steps) * grid) / charged)
    assert fullest > 0.97


@pytest.mark.settles("hdp-release-integers", "hdp-release-error")
def test_rounded_answers_stay_within_the_offset():
    """Answers without noise, of integers and of the values themselves; ties of rounding come near the offset."""
    epsilon = np.random.default_rng(3).lognormal(size=40) * 2
    made = plan(epsilon, bits=6)
    share = made.kinds.share[made.kind_of(Users(epsilon))]
    offset, widest = np.count_nonzero(share) / (2 * made.total), 0.0
    for part in (0.3, 0.499, 0.95):
        x = (np.floor(share / 2) + part) / np.maximum(share, 1)
        exact = share @ np.clip(x, 0, 1) / made.total
        found = integers(x, share, 0, 1).sum() / made.total
        assert abs(found - exact) <= offset
        widest = max(widest, abs(found - exact) / offset)
    assert widest > 0.9


@pytest.mark.settles("hdp-release-truncated")
def test_truncated_shares_count_by_the_length_of_the_interval():
    """Weights and bias of a plan, from its shares and its ends."""
    k = np.repeat([900.0, 30.0, 1.0], [50, 350, 600])
    made = plan(Users([0.5] * 1000, records=k), "truncated", prior=(0.4, 0.05), beta=0.5)
    kinds = made.kinds
    stated = [
        float(sym.proportion.subs({sym.share: int(a), sym.width: float(d)}))
        for a, d in zip(kinds.share, kinds.high - kinds.low, strict=True)
    ]
    np.testing.assert_allclose(made.weights, stated / np.sum(kinds.users * stated), rtol=1e-12)
    bias = float(sym.truncation_bias.subs({sym.beta: sp.Rational(1, 2), sym.n: 1000}))
    assert made.error.bias == pytest.approx(bias**2, rel=1e-12)


# -- The statements on Gaussian noise and on one bit in rho, against the laws and against the library.

least_variance, price = (sp.lambdify(epsilon, stated) for stated in (sym.least_variance, sym.bit_loss))


@pytest.mark.settles("hdp-release-gaussian")
@pytest.mark.parametrize("budget", [0.1, 1.0, 4.0])
def test_the_cost_of_a_bit_in_rho(budget):
    """The largest divergence over its order, from the two probabilities; orders near 1 come near it."""
    lie = 1 / (1 + math.exp(budget))
    orders = 1 + np.logspace(-4, 4, 60)
    logs = np.logaddexp(
        orders * math.log(1 - lie) + (1 - orders) * math.log(lie),
        orders * math.log(lie) + (1 - orders) * math.log(1 - lie),
    )
    stated = float(sym.bit_loss.subs(epsilon, budget))
    rates = logs / (orders - 1) / orders
    assert rates.max() <= stated and rates[0] == pytest.approx(stated, rel=1e-3)
    found = float(sym.bit_divergence.subs({epsilon: budget, sym.order: 3}))
    assert found == pytest.approx(math.log((1 - lie) ** 3 / lie**2 + lie**3 / (1 - lie) ** 2) / 2, rel=1e-12)
    assert float(sym.concentrated_share.subs(sym.rho_i, 2)) == 2


def chosen(rho, variance):
    """Whether a local user of this budget sends one bit."""
    made = plan(Users([rho] * 2000, "local"), "mixed", noise="gaussian", variance=variance)
    return bool(made.kinds.bit[0])


@pytest.mark.settles("hdp-bit-or-noise")
@pytest.mark.parametrize("variance", [0.09, 0.12, 0.2, 0.24])
def test_a_plan_chooses_one_bit_from_the_stated_variance_on(variance):
    """Up to the budget at which the statement turns, for values of this variance."""
    turn = price(optimize.brentq(lambda e: least_variance(e) - variance, 1e-2, 60))
    assert chosen(turn * (1 - 1e-6), variance) and not chosen(turn * (1 + 1e-6), variance)


@pytest.mark.settles("hdp-bit-or-noise")
def test_the_least_variance_rises_from_a_twelfth_to_a_quarter():
    """By the library's variance of one bit, and that of noise; from near the one end to near the other."""
    budgets = np.logspace(-1.5, 4, 300)
    found = report_variance("one-bit", budgets, 0.25, 0.5) - 1 / (2 * budgets * np.tanh(budgets / 2))
    np.testing.assert_allclose(least_variance(budgets), found, rtol=1e-9)
    assert (np.diff(least_variance(budgets)) > 0).all()
    assert found[0] == pytest.approx(1 / 12, rel=1e-3) and found[-1] == pytest.approx(1 / 4, rel=1e-3)


# -- The statements on bounds and on clipping, against the library.


@pytest.mark.settles("hdp-release-bounds")
@pytest.mark.parametrize("noise", ["laplace", "gaussian"])
def test_noisy_counts_cost_what_the_statement_says(noise):
    made = plan_bounds([0.3, 1.0, 2.0] * 9000, 0.3, noise=noise)
    stated = sym.bounds_loss if noise == "laplace" else sym.bounds_loss_rho
    for share, spent in zip(made.kinds.share.tolist(), made.spent.tolist(), strict=True):
        assert float(stated.subs({sym.share: share, sym.scale: made.scale})) == pytest.approx(spent, rel=1e-12)


@pytest.mark.settles("hdp-release-bounds-share")
@pytest.mark.parametrize("part", [0.05, 0.1, 0.4])
def test_the_end_goes_up_to_the_quantile_of_what_remains(part):
    """With counts that have no noise: the power of two above the quantile, which the statement has without rounding."""
    users, index = 200_000, 3.0
    made = plan_bounds([1.0] * users, part, outside=0.1, lowest=0)
    values = ((np.arange(users) + 0.5) / users) ** (-1 / index)
    low, high = shortest(made, histogram(made, np.full(users, made.kinds.share[0]), values))
    m = round(math.log2(high))  # buckets from 1 up to the end
    given = {sym.hidden_scales: made.radius(m) / made.scale, sym.left_out: 0.1, sym.tail_index: index}
    given |= {n: users, epsilon: 1.0, sym.bounds_share: part}
    known, end = 0.1 ** (-1 / index), (0.1 - made.radius(m) / made.total) ** (-1 / index)
    assert low == 1.0 and high == 2.0 ** math.ceil(math.log2(end)) and end > 1.001 * known
    least = plan([1.0] * users, upper=known).error.noise
    rest = plan([1.0] * users, spend=1 - part, upper=end).error.noise
    assert math.sqrt(rest / least) == pytest.approx(float(sym.bounds_noise.subs(given)), rel=1e-6)


@pytest.mark.settles("hdp-release-bounds-share")
@pytest.mark.parametrize("index", [0.5, 1.5, 4.0])
def test_the_best_part_is_where_the_noise_is_least(index):
    given = {sym.hidden_scales: 20, sym.left_out: 0.1, sym.tail_index: index, n: 20_000, epsilon: 0.7}
    noise = sp.lambdify(sym.bounds_share, sp.log(sym.bounds_noise.subs(given)))
    least = float((sym.hidden / sym.left_out).subs(given))
    found = optimize.minimize_scalar(noise, bounds=(least * 1.0001, 0.9999), method="bounded", options={"xatol": 1e-10})
    assert found.x == pytest.approx(float(sym.best_bounds_share.subs(given)), rel=1e-6)
    more = [float(sym.best_bounds_share.subs(given | {n: users})) for users in (6_000, 20_000, 21_000, 10**7)]
    assert 1 > more[0] > more[1] > more[2] > more[3] > 0, "more users, a smaller part"


@pytest.mark.settles("hdp-release-clipping")
def test_clipping_costs_what_the_statement_says():
    for r in (3.0, 8.0):
        given = {sym.half: r, sym.moment_order: 2.5, sym.moment_size: 1.5, sym.pareto_start: 1.5, sym.tail_index: 2.5}
        moment, pareto = (float(stated.subs(given)) for stated in (sym.moment_cost, sym.pareto_cost))
        assert clipping_cost(-r, r, moment=(2.5, 1.5)) == pytest.approx(moment, rel=1e-12)
        assert clipping_cost(-r, r, pareto=(2.5, 1.5)) == pytest.approx(pareto, rel=1e-12)


# -- What the figures draw, by the library.


REFERENCES = {
    "hdp-release-rounding": {
        "the sum is rounded": lambda epsilon, n_bits: (
            (epsilon + math.ldexp(1, -int(n_bits))) / epsilon if math.ldexp(1, -int(n_bits)) < 2 * epsilon else math.nan
        ),
        "her share": lambda epsilon, n_bits: max(epsilon - math.ldexp(1, -int(n_bits)), 0) / epsilon,
        "her budget": 1.0,
        "grid": lambda n_bits: math.ldexp(1, -int(n_bits)),
    },
}


# -- Prices from the laws of the reports: the mean log-ratio of the two answers, and of two normal laws one apart.


def budget(variance):
    """The pure budget with which one bit varies so, by the library's variance of it."""
    return optimize.brentq(lambda e: report_variance("one-bit", e, 0.25, 0.5) - variance, 1e-2, 40, xtol=1e-15)


def bit(r_report):
    """The divergence of the order 1, which is the dearest, of telling the truth or a lie."""
    lie = 1 / (1 + math.exp(budget(r_report)))
    return (1 - lie) * math.log((1 - lie) / lie) + lie * math.log(lie / (1 - lie))


def noise(r_report, v):
    """That of two normal laws whose means are 1 apart."""
    deviation = math.sqrt(r_report - v)
    return 0.5 * (1 / deviation) ** 2


REFERENCES |= {
    "hdp-gaussian-prices": {
        "price of one bit": lambda r_report: 0.5 * budget(r_report) ** 2 / bit(r_report),
        "real price": 1.0,
        "the value": lambda r_report, v: noise(r_report, v) / bit(r_report),
    },
}


# -- What the captions say.


# -- Bounds and the mean after them: quantiles of a Pareto law, and the least by trying.


def after_bounds(s_b, n, delta_b, alpha_b, h_b):
    """Length of the interval over that which leaves out so much, over what is left for the mean; NaN without any."""
    # what may really lie outside, beside what the noise may hide
    rest = delta_b - h_b / (s_b / 2 * n) if 0 < s_b < 1 else 0
    if rest <= 0:
        return math.nan
    return stats.pareto.isf(rest, alpha_b) / stats.pareto.isf(delta_b, alpha_b) / (1 - s_b)


REFERENCES |= {
    "hdp-release-bounds-share": {
        "first bounds": after_bounds,
        "the best part": lambda **given: (turn(**given), after_bounds(turn(**given), **given)),
        "best part of the budgets": lambda **given: turn(**given),
        "least part that tells": lambda n, delta_b, h_b: h_b / (n / 2) / delta_b,
    },
}


def turn(n, delta_b, alpha_b, h_b):
    """The part at which the noise stops falling: where its logarithm has the slope 0."""
    k = 2 * h_b / n
    slope = lambda s: 1 / (1 - s) - k / (alpha_b * s * (delta_b * s - k))  # noqa: E731
    low = k / delta_b
    return optimize.brentq(slope, low * (1 + 1e-9), 1 - 1e-9, xtol=1e-16, rtol=1e-14)


@says("hdp-release-bounds-share", "for another one, multiply n by it")
def test_only_their_product_counts(figure):
    few, many = plan_bounds([2.0] * 20_000, 0.1), plan_bounds([1.0] * 40_000, 0.1)
    assert many.total / many.scale == pytest.approx(few.total / few.scale, rel=1e-9)
    assert number(figure, "least part", n=10**6) == pytest.approx(number(figure, "least part", n=10**5) / 10)
