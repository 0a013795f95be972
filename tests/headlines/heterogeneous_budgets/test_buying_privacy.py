"""Privacy that is bought for a sum of money, and at a rate."""

import numpy as np
import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st
from scipy.integrate import quad

from hdp import adpm, buying
from tests.populations import BUDGETS, PRIVATE, SIZES, groups, thorough

BUYING = "heterogeneous-budgets/buying-privacy"
MORE, LESS = 1 + 1e-9, 1 - 1e-9  # what rounding may do
PRICES = BUDGETS.filter(lambda c: np.isfinite(c).any())  # numbers like budgets: some free, some priceless
MONEY = st.floats(0.01, 1000)
few = settings(thorough, max_examples=10)


def error(sold):
    """What an average errs by that causes these losses."""
    return (sold @ sold / 4 + 2) / sold.sum() ** 2


def others(sold, price, seed, step):
    """Losses near these: all a little different, or money moved from one user to another."""
    rng = np.random.default_rng(seed)
    for i, j in rng.integers(0, sold.size, (20, 2)):
        yield sold * (1 + step * rng.uniform(-1, 1, sold.size))
        other, part = sold.copy(), step * sold[i]
        other[i] -= part
        other[j] += part * price[i] / price[j] if 0 < price[i] < np.inf and 0 < price[j] < np.inf else part
        yield other


def affordable(sold, price, money, limit):
    """As much more or less of everything as the money and the limit allow."""
    buys = np.where(np.isfinite(price), sold, 0)
    cost = np.where(buys > 0, price, 0) @ buys
    return np.minimum(buys * (money / cost if cost else 1), limit)


@thorough
@given(PRICES, MONEY, st.one_of(st.floats(1e-3, 10), st.just(np.inf)), st.integers(0, 99), st.sampled_from([1e-3, 0.1]))
@example(np.array([1.0, 1.5, 2.0, 2.5, 3.0]), 8.0, 1.3, 0, 1e-3)
def test_no_other_losses_for_the_money_err_less(price, money, limit, seed, step):
    assume(np.any(price[np.isfinite(price)] > 0) or limit < np.inf)
    sold = buying.buy(price, money, limit).epsilon
    assert np.all(sold <= limit) and np.where(sold > 0, price, 0) @ sold <= money * MORE
    for other in others(sold, price, seed, step):
        assert error(affordable(np.minimum(other, limit), price, money, limit)) >= error(sold) * LESS


@thorough
@given(PRICES.filter(lambda c: np.any(c[np.isfinite(c)] > 0)), MONEY)
def test_everybody_sells_in_proportion_to_how_far_she_is_below_a_level(price, money):
    sold, level = buying.buy(price, money).epsilon, buying.price_level(price, money)
    rounded = 1e-12 * level * 8 / money
    assert sold == pytest.approx(np.maximum(level - price, 0) * 8 / money, rel=1e-6, abs=rounded)


@thorough
@given(PRICES)
def test_the_level_of_prices_is_that_of_budgets(numbers):
    assert buying.price_level(numbers, 8) == pytest.approx(adpm.clipping_level(numbers), rel=1e-12)


@thorough
@given(PRICES, MONEY)
@example(groups((10, 10**5), (0.0, 0.0913)), 1.0)
def test_the_same_loss_of_the_cheapest_at_most_doubles_the_error(price, money):
    assert buying.buy_alike(price, money).error <= 2 * buying.buy(price, money).error * MORE


def test_slightly_dearer_privacy_can_turn_nearly_everybody_away():
    price, low, high = groups((4, 400), (1.0, 30.0)), 0.0002, 0.00025
    while high > low * (1 + 1e-9):
        middle = (low + high) / 2
        low, high = (middle, high) if buying.buy_at_rate(price, middle).epsilon[-1] > 0 else (low, middle)
    many, cheap = buying.buy_at_rate(price, low), buying.buy_at_rate(price, high)
    assert np.all(many.epsilon > 0) and np.count_nonzero(cheap.epsilon) == 4
    assert many.error + low * many.payment == pytest.approx(cheap.error + high * cheap.payment, rel=1e-6)


@thorough
@given(SIZES, SIZES, st.floats(1e-9, 0.02), st.floats(1e-3, 1e3))
@example(3, 3000, 1e-4, 1.0)
@example(1, 3000, 1e-4, 1.0)
def test_at_one_price_the_total_is_the_same_however_many_sell(some, more, worth, price):
    totals = [buying.buy_at_rate(np.full(n, price), worth / price).epsilon.sum() for n in (some, more)]
    assert totals[0] == pytest.approx(totals[1], rel=1e-9) or 0 in totals


@thorough
@given(PRICES, MONEY, st.floats(0.01, 10), st.floats(1.01, 3))
@example(np.array([2.0]), 8.0, 5.9, 1.01)
def test_who_asks_for_more_sells_less_or_nothing(rivals, money, price, factor):
    sells, then = (buying.buy(np.append(rivals, z), money).epsilon[-1] for z in (price, factor * price))
    assert then < sells or then == 0


@few
@given(PRIVATE.map(lambda c: c[:6]), MONEY, st.floats(0.1, 10), st.floats(0.1, 10))
@example(np.array([2.0]), 8.0, 1.0, 2.0)
def test_no_price_gains_more_than_the_true_one(rivals, money, true, named):
    end = buying.price_level(rivals, money)

    def gain(z):
        sold = lambda y: buying.buy(np.append(rivals, y), money).epsilon[-1]  # noqa: E731
        area = quad(sold, z, end, epsrel=1e-7, points=[c for c in rivals if z < c < end])[0] if z < end else 0.0
        return (z - true) * sold(z) + area

    assert gain(named) <= gain(true) + 1e-6 * abs(gain(true))
