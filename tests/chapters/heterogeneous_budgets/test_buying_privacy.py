"""The statements on buying privacy: exact numbers by definition, and against the library."""

import numpy as np
import pytest
import sympy as sp
from scipy.optimize import brentq, minimize_scalar

from hdp import buying
from hdp.sym.heterogeneous_budgets import buying_privacy as sym
from hdp.sym.symbols import n
from tests.chapters.foundations import test_one_lemma as one_lemma
from tests.figures.lemma import average

CASES = [((1, 1, 3), 4), ((2, 2, 6), 16), ((1, 2, 9), 8)]


@pytest.mark.settles("hdp-second-lemma")
@pytest.mark.parametrize("case", CASES, ids=str)
def test_levels_that_are_fractions(case):
    """The level holds what is poured, and the error is that of the losses, by definition."""
    prices, money = case
    volume = sp.Rational(money**2, 8)
    level, error = (part.doit() for part in sym.solution([sp.Integer(c) for c in prices], volume))
    assert sum(c * max(level - c, 0) for c in prices) == volume
    assert buying.price_level([float(c) for c in prices], money) == pytest.approx(float(level), rel=1e-14)
    losses = [sp.Max(sym.loss.subs({sym.price: c, sym.money: money, sym.price_level: level}), 0) for c in prices]
    assert sum(c * e for c, e in zip(prices, losses, strict=True)) == money
    assert error == (sum(e**2 for e in losses) / 4 + 2) / sum(losses) ** 2
    assert buying.buy([float(c) for c in prices], money).error == pytest.approx(float(error), rel=1e-14)


@pytest.mark.settles("hdp-buying-one-price")
@pytest.mark.parametrize("case", [(0.01, 10, 1.0), (0.001, 300, 2.0), (0.5, 40, 0.01)], ids=str)
def test_one_price(case):
    """Closed forms for a rate and for a sum of money."""
    c, users, rate = case
    at = {sym.price: c, n: users, sym.rate: rate}
    bought = buying.buy_at_rate([c] * users, rate)
    assert bought.epsilon.sum() == pytest.approx(float(sym.one_price_total.subs(at)), rel=1e-12)
    assert bought.payment == pytest.approx(float(sym.one_price_payment.subs(at)), rel=1e-12)
    assert bought.error + rate * bought.payment == pytest.approx(float(sym.one_price_least.subs(at)), rel=1e-12)
    for money in (0.3, 30.0):
        wanted = float(sym.one_price_error.subs(at | {sym.money: money}))
        assert buying.buy([c] * users, money).error == pytest.approx(wanted, rel=1e-13)


@pytest.mark.settles("hdp-buying-one-price")
@pytest.mark.parametrize("users", [2, 10, 1000])
def test_the_dearest_price(users):
    """Just below it somebody is asked, just above nobody."""
    dear = float(sym.dearest.subs({n: users, sym.rate: 0.1}))
    assert buying.buy_at_rate([dear * (1 - 1e-9)] * users, 0.1).payment > 0
    assert buying.buy_at_rate([dear * (1 + 1e-9)] * users, 0.1).payment == 0


@pytest.mark.settles("hdp-buying-rate")
@pytest.mark.parametrize("mean", [3.9, 4.1])
def test_four_is_the_limit(mean):
    """Two prices: below a mean of four times the least, u^3 times the mean paid always rises; above, it does not."""
    users, cheap = np.array([1, 9]), 1.0
    dear = cheap + (mean - cheap) * users.sum() / users[1]
    price = np.repeat([cheap, dear], users)
    ends = 1 / (2 * (price.size * dear - price.sum()))  # from this total on the dear ones are not asked
    u = np.linspace(0.5 * ends, ends, 20_000)
    spread = np.sum((price - price.mean()) ** 2)
    rises = np.diff(u**3 * (price.mean() - 2 * spread * u)) > 0
    assert rises.all() == (mean < sym.NEAR)


@pytest.mark.settles("hdp-buying-alike")
def test_two_prices_in_the_limit():
    """Free users and very many of one price: the ratio tends to the stated one, and exceeds it nowhere."""
    free, many, found = 50, 5_000_000, []
    for d in (0.5, 2 / 3, 1.0, 2.0):  # noise of the others alone, in units of the sampling error of the free ones
        money = (8 * free / d) ** 0.5
        at = {sym.cheap: free, sym.dear: many, sym.ratio: 1e7, sym.money: money * 1e7}
        found.append(float(sym.two_alike.subs(at)) / float(sym.two_error.subs(at)))
    assert max(found) == pytest.approx(float(sym.TWO_PRICES), rel=2e-3) and max(found) < sym.ALIKE


# -- What the figures draw, by the library.


def five(r_price):
    return [r_price**j for j in range(5)]


def water_level(r_price, m_price, B_money):
    return buying.price_level(five(r_price) * round(m_price), B_money)


def floor(x_vessel, r_price):
    return one_lemma.vessel(x_vessel, five(r_price))


def water(x_vessel, r_price, m_price, B_money):
    top = water_level(r_price, m_price, B_money)
    return top if floor(x_vessel, r_price) < top else np.nan


def sellers(r_price, m_price, B_money):
    return m_price * sum(c < water_level(r_price, m_price, B_money) for c in five(r_price))


def best(n_cheap, n_dear, r_price, B_money):
    return buying.buy(np.repeat([1, r_price], [round(n_cheap), round(n_dear)]), B_money).error


def alike(n_cheap, n_dear, r_price, B_money):
    """The same loss of each of the k cheapest, k real: all cheap ones, and any number of the others."""

    def of(k):
        mean = (n_cheap + r_price * (k - n_cheap)) / k
        return 1 / (4 * k) + 2 * (mean / B_money) ** 2

    ends = n_cheap, n_cheap + n_dear
    inside = minimize_scalar(lambda x: of(1 / x), bounds=(1 / ends[1], 1 / ends[0]), options={"xatol": 1e-14})
    return min(inside.fun, *map(of, ends))


def everybody(n_cheap, n_dear, r_price, B_money):
    return average(n_cheap + n_dear, B_money / (n_cheap + r_price * n_dear))


def at_total(u_total, lambda_rate, prices, users):
    """Error and payments of the best weights for a total: water over the prices, found by its volume."""
    floors, users = lambda_rate * u_total * np.array(prices, dtype=float), np.array(users, dtype=float)
    weights = lambda height: 2 * np.maximum(height - floors, 0)  # noqa: E731
    height = brentq(lambda h: users @ weights(h) - 1, 0, floors.max() + 1, xtol=1e-16, rtol=1e-15)
    return users @ (weights(height) ** 2 / 4 + floors * weights(height)) + 2 / u_total**2


def totals(u_total, lambda_rate, r_price, n_cheap, n_dear):
    return at_total(u_total, lambda_rate, [1, r_price], [n_cheap, n_dear])


def last_total(lambda_rate, r_price, n_cheap):
    """Where the water over the cheap ones alone, 1/(2 n_1) deep, just reaches the other floor."""
    return 1 / (2 * n_cheap) / (lambda_rate * (r_price - 1))


def cheap_only(u_total, lambda_rate, r_price, n_cheap):
    dry = u_total >= last_total(lambda_rate, r_price, n_cheap)
    return np.nan if dry else at_total(u_total, lambda_rate, [1], [n_cheap])


REFERENCES = {
    "cc-buying-totals": {"best weights": totals, "only the cheap": cheap_only, "here the dear": last_total},
    "cc-buying-water": {
        "floor of a vessel": floor,
        "what she sells": water,
        "from this price": water_level,
        "users who are asked": sellers,
        "privacy loss of the cheapest": lambda **at: 8 * (water_level(**at) - 1) / at["B_money"],
        "error": lambda r_price, m_price, B_money: buying.buy(five(r_price) * round(m_price), B_money).error,
    },
    "cc-buying-money": {
        "best purchase": best,
        "same loss of the cheapest": alike,
        "same loss of everybody": everybody,
        "nobody asked": 0.25,
    },
}
