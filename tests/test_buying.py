"""Buying privacy: exact fractions over every set of sellers, a search over the total loss."""

from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from scipy.integrate import quad
from scipy.optimize import minimize_scalar

from hdp import ADPM, affine, buying
from tests.oracles import inf, thorough

PRICES = st.lists(st.sampled_from([0.0, 0.01, 0.1, 0.5, 1.0, 1.5, 3.0, 4.0, 40.0, inf]), min_size=1, max_size=6)
PRICES = PRICES.filter(lambda c: min(c) < inf)
MONEY = st.sampled_from([0.125, 0.5, 1.0, 4.0, 30.0])


@pytest.mark.settles("hdp-second-lemma", "hdp-buying-truth")
@thorough
@given(PRICES, MONEY)
def test_losses_are_depths_and_payments_are_volumes(price, money):
    """The level holds the volume, everybody's loss is 8/B of her depth, and all the money is spent."""
    level, bought = buying.price_level(price, money), buying.buy(price, money)
    assert bought.error == pytest.approx(np.sum(bought.weights**2) / 4 + 2 * bought.scale**2, rel=1e-13)
    if level == inf:
        assert bought.scale == bought.payment == 0
        return
    loss = affine.privacy_loss(bought.weights, bought.scale)
    paid = sum(c * e for c, e in zip(price, loss, strict=True) if e > 0)
    exact = [Fraction(c) for c in price if c < inf]
    volume = sum(c * max(Fraction(level) - c, 0) for c in exact)
    assert float(volume) == pytest.approx(money**2 / 8, rel=1e-9)
    depths = [8 / money * max(level - c, 0) for c in price]
    assert bought.epsilon == pytest.approx(depths, rel=1e-9, abs=1e-9)
    assert paid == pytest.approx(money, rel=1e-9) and bought.payment == pytest.approx(money, rel=1e-9)
    depth = sum(max(level - c, 0) for c in exact)
    assert bought.error == pytest.approx(level / (4 * depth), rel=1e-9)


@pytest.mark.settles("hdp-buying-twin")
@pytest.mark.parametrize("numbers", [[0.1, 0.2, 0.2, 5.0], [1.0, 2.0, 9.0], [0.3] * 9, [0.0, inf, 2.0]], ids=str)
def test_the_level_is_that_of_the_first_lemma(numbers):
    """Prices for budgets, and an eighth of the squared money for 8: for eight of money, the same number."""
    assert buying.price_level(numbers, 8.0) == pytest.approx(ADPM(numbers).level, rel=1e-14)


@pytest.mark.settles("hdp-buying-alike")
@thorough
@example([*np.linspace(1.0, 30.0, 60)], 10.0)
@example([*np.linspace(1.0, 30.0, 60)], 80.0)
@example([1.0, 3.0], 6.92)  # one user or both: the same at the root of 48
@example([1.0, 3.0], 6.94)
@given(PRICES, MONEY)
def test_equal_losses_err_at_most_twice_as_much(price, money):
    counts = np.sort([c for c in price if c < inf])
    k = np.arange(1, counts.size + 1)
    every = 1 / (4 * k) + 2 * (np.cumsum(counts) / k / money) ** 2
    best = buying.buy(price, money).error
    assert best * (1 - 1e-13) <= every.min() <= 2 * best


def at_total(price, rate, total):
    """Least error plus payment if the losses sum to this: water over the prices."""
    c = np.sort([c for c in price if c < inf]) * rate * total
    k = np.arange(1, c.size + 1)
    w = 2 * np.maximum(((0.5 + np.cumsum(c)) / k).min() - c, 0)
    return w @ w / 4 + c @ w + 2 / total**2


def searched(price, rate):
    """Over a fine grid of totals, and once more around the best of them."""
    grid = np.linspace(-1, 9, 2001)
    values = [at_total(price, rate, np.exp(x)) for x in grid]
    best = int(np.argmin(values))
    ends = grid[max(best - 1, 0)], grid[min(best + 1, grid.size - 1)]
    near = minimize_scalar(lambda x: at_total(price, rate, np.exp(x)), bounds=ends, options={"xatol": 1e-12})
    return min(near.fun, 0.25)


@pytest.mark.settles("hdp-buying-rate")
@pytest.mark.parametrize("seed", range(12))
def test_a_rate_buys_the_global_minimum(seed):
    rng = np.random.default_rng(seed)
    price = np.exp(3 * rng.normal(size=int(rng.integers(1, 14))))
    for rate in np.exp(rng.uniform(-9, -2, 3)):
        bought = buying.buy_at_rate(price, rate)
        assert bought.error + rate * bought.payment == pytest.approx(searched(price, rate), rel=1e-10)


TWO_VALLEYS = [1.0] * 4 + [30.0] * 400


def slopes(price, rate):
    """Signs of the changes of error plus payment, along the total loss."""
    values = [at_total(price, rate, np.exp(x)) for x in np.linspace(0, 7, 1500)]
    return np.sign(np.diff(values))


@pytest.mark.settles("hdp-buying-rate")
def test_prices_far_apart_can_have_two_minima():
    """At each of two rates two totals are the best in their neighbourhood, and another one is the better."""
    for rate, asked in ((0.0002, 404), (0.00025, 4)):
        assert np.sum(np.diff(slopes(TWO_VALLEYS, rate)) > 0) == 2
        assert np.sum(buying.buy_at_rate(TWO_VALLEYS, rate).weights > 0) == asked


@pytest.mark.settles("hdp-buying-rate")
@pytest.mark.parametrize("seed", range(8))
def test_prices_near_each_other_have_one_minimum(seed):
    """Wherever their mean is at most four times the least."""
    rng = np.random.default_rng(seed)
    price = 1 + rng.exponential(size=int(rng.integers(2, 40))) ** 2
    price = np.append(1.0, price)
    price = 1 + (price - 1) * min(1, 3 / (price - 1).mean())
    for rate in np.exp(rng.uniform(-12, 0, 6)):
        assert np.sum(np.diff(slopes(price, rate)) > 0) <= 1


def exact_limited(price, money, limit):
    """The best losses in fractions: each user sells nothing, all that she sells, or a - b p with a and b of her set."""
    p, cap = [Fraction(x) / Fraction(money) for x in price], [Fraction(min(x, 1e200)) for x in limit]
    best = None
    for kinds in product("0ac", repeat=len(p)):
        full, between = ([i for i, kind in enumerate(kinds) if kind == which] for which in "ca")
        base, squares = sum(cap[i] for i in full), sum(cap[i] ** 2 for i in full)
        rest, cost, costs = 1 - sum(p[i] * cap[i] for i in full), sum(p[i] for i in between), 0
        pairs = [((8 + squares) / base, Fraction(0))] if base else []  # money is left
        if cost:  # all money is spent
            share, costs = rest / cost, sum(p[i] ** 2 for i in between) / cost
            b = (8 + squares - base * share) / (rest + base * costs) if rest + base * costs else Fraction(0)
            pairs.append((share + b * costs, b))
        for a, b in pairs or [(Fraction(0), Fraction(0))]:
            sold = [{"0": 0, "a": a - b * p[i], "c": cap[i]}[kind] for i, kind in enumerate(kinds)]
            paid = sum(x * y for x, y in zip(p, sold, strict=True))
            if sum(sold) and paid <= 1 and all(0 <= x <= most for x, most in zip(sold, cap, strict=True)):
                error = (sum(x * x for x in sold) / 4 + 2) / sum(sold) ** 2
                best = min(best or (error, sold), (error, sold), key=lambda found: found[0])
    return float(best[0]), [float(x) for x in best[1]]


EXTREMES = [
    ([1.0, 1.0], 1.0, [1e-16, 5.0]),
    ([1.0, 1.2, 1.5], 1e-7, [2.5e-8, 2.5e-8, 1.0]),
    ([0.0, 1.0, 3.0], 1.0, [0.05, 1.0, 0.05]),
    ([1e-5, 1e-5, 9e3], 1.0, [1e3, 1e50, 1e50]),
    ([1e-50, 1e50], 1.0, [1e49, 1e50]),
    ([1e-24, 2.7e25], 7e21, [1e47, 5e-47]),
    ([3.125, 3.125], 4.08e-21, [6.5e-43, 3.9e-19]),
    ([5.8e35, 4.8e39, 8e12, 0.0], 5.8e35 * 6.97, [6.97, 1.1e38, 9.5e29, 4.6e44]),
]


@pytest.mark.settles("hdp-buying-limits", "hdp-second-lemma")
@pytest.mark.parametrize("case", [*EXTREMES, *range(40)], ids=str)
def test_with_limits_of_any_size_all_money_is_spent_as_in_fractions(case):
    """Against every set of sellers and of those who sell all; prices, limits and money from end to end of the range."""
    if isinstance(case, int):
        rng, ends = np.random.default_rng(case), (1.0, 5.0, 20.0, 50.0)[case % 4]
        size = int(rng.integers(2, 5))
        price, limit = 10 ** rng.uniform(-ends, ends, (2, size))
        if case % 3 == 0:  # as many digits alike
            price = price[0] * (1 + 10 ** rng.uniform(-15, 0, size))
        if case % 5 == 0:
            price[-1] = 0.0
        money = float(np.clip(price @ limit * 10 ** rng.uniform(-3, 0), 1e-50, 1e50))
        if case % 5:
            limit[: case % 4] = inf  # nobody, some or all without a limit
    else:
        price, money, limit = case
    with np.errstate(all="raise", under="ignore"):
        bought = buying.buy([*price, inf, 1.0], money, [*limit, 1.0, 0.0])
    error, sold = exact_limited(price, money, limit)
    sold, price, limit = [*sold, 0, 0], [*price, 0, 0], [*limit, 0, 0]  # the last two sell nothing
    assert bought.error == pytest.approx(error, rel=1e-12)
    np.testing.assert_allclose(bought.epsilon, sold, rtol=1e-9, atol=1e-18 * max(sold))
    paid = sum(Fraction(c) * Fraction(x) for c, x in zip(price, sold, strict=True))
    assert bought.payment == pytest.approx(float(paid), rel=1e-12)
    assert bought.payment <= money * (1 + 1e-12) and np.all(bought.epsilon <= limit)


@pytest.mark.settles("hdp-buying-limits")
@pytest.mark.parametrize(
    ("price", "money", "limit", "a", "b"),
    [
        ([0.0, 3.0], 8.0, [inf, 1.0], 9.0, 0.0),  # money is left
        ([0.0, 3.0], 2.0, [inf, 1.0], 38 / 3, 4.0),  # all is spent, and no limit is reached
        ([1.0, 2.0, 9.0], 4.0, [2.0] * 3, 13 / 3, 5 / 3),
    ],
)
def test_the_losses_are_those_of_the_equation(price, money, limit, a, b):
    """Its two numbers by hand; where the second user sells nothing, there is no noise in the first case."""
    bound = np.isfinite(limit)
    c, cap = np.array(price)[bound], np.array(limit)[bound]
    assert b * money + cap @ np.maximum(a - b * c - cap, 0) == pytest.approx(8)
    bought = buying.buy(price, money, limit)
    assert bought.epsilon == pytest.approx(np.minimum(np.maximum(a - b * np.array(price), 0), limit))
    assert b == 0 or bought.payment == pytest.approx(money)
    assert buying.buy([0.0, 3.0], 8.0, [inf, 0.0]).scale == 0


@pytest.mark.settles("hdp-buying-limits")
def test_with_limits_and_gifts_it_is_the_first_lemma():
    limit = [0.1, 0.5, 2.0, inf]
    bought = buying.buy([0.0] * 4, 1.0, limit)
    assert bought.epsilon == pytest.approx(ADPM(limit).loss, rel=1e-13)
    assert bought.error == pytest.approx(ADPM(limit).mse(), rel=1e-13)


@pytest.mark.settles("hdp-buying-truth")
@pytest.mark.parametrize("seed", range(6))
def test_who_asks_for_more_sells_less_and_nothing_from_the_others_level_on(seed):
    rng = np.random.default_rng(seed)
    price, money = np.exp(rng.normal(size=int(rng.integers(2, 8)))), float(np.exp(rng.normal()))
    price = np.append(price, [0.0, inf][: seed % 3])
    sold = [losses(price, money, own) for own in (0.0, *np.exp(np.linspace(-6, 4, 400)))]
    assert np.all((np.diff(sold) < 0) | (np.array(sold[1:]) == 0))
    out = buying.price_level(price[1:], money)
    assert losses(price, money, out * 1.0001) == 0 < losses(price, money, out * 0.9999)


def losses(price, money, own):
    """What the first user sells if she asks for this."""
    return buying.buy(np.append(own, price[1:]), money).epsilon[0]


@pytest.mark.parametrize(
    ("price", "money"),
    [
        ([0.0, 9.0], 1e-3),
        ([0.0, 1e50], 0.43),
        ([1e-8, 9.0], 1e-3),
        ([1.0, 1.0 + 1e-9, 3.0], 1e-6),
        ([0.0, 0.25], 1.78e-45),
        ([1e-20, 1.0], 2.896918194981052e-10),
        ([3e-19, 3e23, 9e41], 5e9),
    ],
)
def test_little_money_beside_a_gift_or_a_cheap_user_is_spent_to_the_last_digit(price, money):
    """Nothing is lost in a difference of the level and a price that are nearly alike; losses in fractions."""
    bought, c = buying.buy(price, money), [Fraction(x) for x in price]
    sets = [c[:k] for k in range(1, len(c) + 1) if sum(c[:k])]
    level = min((Fraction(money) ** 2 / 8 + sum(x * x for x in chosen)) / sum(chosen) for chosen in sets)
    expected = [float(8 * max(level - x, 0) / Fraction(money)) for x in c]
    np.testing.assert_allclose(bought.epsilon, expected, rtol=1e-14)
    assert bought.payment == pytest.approx(money, rel=1e-14)


@pytest.mark.settles("hdp-buying-truth")
@pytest.mark.parametrize("seed", range(2))
def test_paid_by_the_area_nobody_gains_by_a_false_price(seed):
    """A user who is paid her price and what she would have sold at higher ones gains most by telling the truth."""
    rng = np.random.default_rng(seed)
    price, money = np.exp(rng.normal(size=4)), 2.0
    out = buying.price_level(price[1:], money)

    def gain(told, true):
        area = quad(lambda z: losses(price, money, z), told, max(out, told), limit=200, points=sorted(price[1:]))[0]
        return (told - true) * losses(price, money, told) + area

    for true in (0.2 * out, 0.7 * out, 1.2 * out):
        honest = gain(true, true)
        assert honest >= -1e-9
        assert all(gain(told, true) <= honest + 1e-7 for told in np.linspace(0.05, 1.5, 6) * out)


@pytest.mark.parametrize(
    "case", [([1e50, 1e-50], 1.0), ([1e-50] * 3, 1e50), ([1e50] * 3, 1e-50), ([0.0, 1e50], 1e-50)], ids=str
)
def test_ends_of_the_range(case):
    price, money = case
    bought = buying.buy(price, money, [1.0] * len(price))
    assert np.isfinite(bought.error) and bought.weights.sum() == pytest.approx(1, rel=1e-12)
    assert bought.payment <= money * (1 + 1e-9)
    assert buying.buy_at_rate(price, money).error <= 0.25
