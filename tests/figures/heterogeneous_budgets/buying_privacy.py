"""Purchases of users at a few prices, by root finding and by searching over how many are asked."""

import numpy as np
import pytest
from scipy.optimize import brentq, minimize_scalar

from tests.figures.captions import number, positions, says
from tests.figures.foundations import one_lemma


def level(prices, users, money):
    """Where the water over the prices is an eighth of the squared money."""
    prices, users = np.array(prices, dtype=float), np.array(users, dtype=float)

    def missing(height):
        return users @ (prices * np.maximum(height - prices, 0)) - money**2 / 8

    return brentq(missing, prices.min(), prices.max() + money**2 / (users @ prices) + 1, xtol=1e-15, rtol=1e-15)


def error(prices, users, money):
    """From the losses, by definition."""
    users = np.array(users, dtype=float)
    loss = np.maximum(level(prices, users, money) - np.array(prices), 0) * 8 / money
    return (users @ loss**2 / 4 + 2) / (users @ loss) ** 2


def five(r_price):
    return [r_price**j for j in range(5)]


def water_level(r_price, m_price, B_money):
    return level(five(r_price), [m_price] * 5, B_money)


def floor(x_vessel, r_price):
    return one_lemma.vessel(x_vessel, five(r_price))


def water(x_vessel, r_price, m_price, B_money):
    top = water_level(r_price, m_price, B_money)
    return top if floor(x_vessel, r_price) < top else np.nan


def sellers(r_price, m_price, B_money):
    return m_price * sum(c < water_level(r_price, m_price, B_money) for c in five(r_price))


def alike(n_cheap, n_dear, r_price, B_money):
    """The same loss of each of the k cheapest, k real: all cheap ones, and any number of the others."""

    def of(k):
        mean = (n_cheap + r_price * (k - n_cheap)) / k
        return 1 / (4 * k) + 2 * (mean / B_money) ** 2

    ends = n_cheap, n_cheap + n_dear
    inside = minimize_scalar(lambda x: of(1 / x), bounds=(1 / ends[1], 1 / ends[0]), options={"xatol": 1e-14})
    return min(inside.fun, *map(of, ends))


def everybody(n_cheap, n_dear, r_price, B_money):
    mean = np.average([1, r_price], weights=[n_cheap, n_dear])
    return 1 / (4 * (n_cheap + n_dear)) + 2 * (mean / B_money) ** 2


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
        "error": lambda r_price, m_price, B_money: error(five(r_price), [m_price] * 5, B_money),
    },
    "cc-buying-money": {
        "best purchase": lambda n_cheap, n_dear, r_price, B_money: error([1, r_price], [n_cheap, n_dear], B_money),
        "same loss of the cheapest": alike,
        "same loss of everybody": everybody,
        "nobody asked": 0.25,
    },
}


# -- What the captions say.


@says("cc-buying-water", "How deep a user is under water says how much privacy she sells")
def depth_is_in_proportion_to_the_loss(figure):
    """It is no loss: at first it is more than 2 where the loss is 0.52 nats; users of one price are asked together."""
    depth, loss = number(figure, "from this price") - 1, number(figure, "privacy loss")
    assert loss == pytest.approx(8 * depth / 32) and loss == pytest.approx(0.524, abs=1e-3)
    assert {number(figure, "users who", B_money=b) % 20 for b in positions(figure, "B_money")} == {0}
