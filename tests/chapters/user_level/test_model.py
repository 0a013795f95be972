"""Sections 1 to 3 of Cummings, Feldman, McMillan & Talwar: what wrong weights cost."""

import numpy as np
import pytest
import sympy as sp

from hdp import user_level
from hdp.sym.user_level import model as sym
from hdp.sym.user_level.model import p, sigma_p


@pytest.mark.settles("cfmt-line-3", "hdp-wrong-weights")
def test_a_wrong_variance_costs_at_most_kantorovich():
    """For any variances and estimates, and attained; a variance of D that is too large makes some too large."""
    samples = np.repeat([1000.0, 1.0], [10, 30])
    at = {sym.factor: 3, p: 0.3, sigma_p: 0.1, sym.K: 1000, sym.f: 0.25}
    found = user_level.variance_of(user_level.ideal_weights(samples, 0.3, 0.1 * 3**0.5), samples, 0.3, 0.1)
    found /= user_level.baseline_variance("ideal", samples, 0.3, 0.1)
    assert found == pytest.approx(float((sym.misjudged / sym.ideal).subs(at)), rel=1e-9)
    assert found <= float(sym.kantorovich.subs(at))
    rng = np.random.default_rng(9)
    for low, high in ((0.3, 2.4), (0.01, 0.02), (2.0, 90.0)):  # two kinds attain it
        bound = float(sym.wrong_weights.subs({sym.lowest: low, sym.highest: high}))
        kinds = np.repeat([low, high], 20)
        drawn = [(rng.uniform(low, high, 40), rng.lognormal(size=40)) for _ in range(50)]
        for wrong, v in [*drawn, (kinds, 1 / kinds)]:
            w = 1 / (wrong * v) / np.sum(1 / (wrong * v))
            found = w**2 @ v * np.sum(1 / v)
            assert found <= bound * (1 + 1e-12)
        assert found == pytest.approx(bound, rel=1e-12)
    extremes = {sym.lowest: 1, sym.highest: sym.factor}
    assert sp.simplify(sym.wrong_weights.subs(extremes) - sym.kantorovich) == 0
    assert sym.kantorovich.subs(sym.factor, 2) == sp.Rational(9, 8)


# -- What the figures draw, by the library.


def variance(k, p, sigma_p):
    return user_level.sample_mean_variance(p, sigma_p, k)


def dominates(p, sigma_p):
    return variance(1, p, sigma_p) / variance(np.inf, p, sigma_p)


def weight(k, p, sigma_p):
    """Of a user with k samples over that of a user with one."""
    return np.divide(*user_level.ideal_weights([k, 1], p, sigma_p))


def over_ideal(name):
    """Error over the least, for a population of 50 users that has the share exactly (steps of 2 %)."""

    def ratio(K, p, sigma_p, f_K):
        heavy = round(50 * f_K)
        k = np.repeat([K, 1.0], [heavy, 50 - heavy])
        named, ideal = (user_level.baseline_variance(each, k, p, sigma_p) for each in (name, "ideal"))
        return named / ideal

    return ratio


def misjudged(factor, f_K, K, p, sigma_p):
    """Error of weights for a wrong variance of D over the least; the variances may be those of no distribution."""
    truth, share = np.array([variance(K, p, sigma_p), p * (1 - p)]), np.array([f_K, 1 - f_K])
    assumed = np.array([p * (1 - p) / K + (1 - 1 / K) * factor * sigma_p**2, p * (1 - p)])
    w = share / assumed / np.sum(share / assumed)
    return np.sum(w**2 * truth / share) * np.sum(share / truth)


REFERENCES = {
    "cfmt-variance": {
        "variance of a user's mean": variance,
        "sampling alone": lambda k, p: variance(k, p, 0),
        "one sample": lambda p, sigma_p: variance(1, p, sigma_p),
        "between users": lambda p, sigma_p: variance(np.inf, p, sigma_p),
        "samples after which": dominates,
    },
    "cfmt-weights": {
        "ideal": weight,
        "its cap": lambda k, p, sigma_p: min(k, dominates(p, sigma_p)),
        "the paper's": lambda k, sigma_p: min(k, 1 / sigma_p**2),
        "all samples alike": lambda k: k,
        "weight of a user with endless data": lambda p, sigma_p: weight(np.inf, p, sigma_p),
    },
    "cfmt-baselines": {
        "every user alike": over_ideal("uniform"),
        "every sample alike": over_ideal("proportional"),
        "median": over_ideal("median"),
    },
    "cfmt-cost": {
        "two groups": misjudged,
        "bound": lambda factor: factor / 4 + 0.5 + 1 / (4 * factor),
        "doubled, as in line 3": 2.0,
        "cost of the doubled": lambda **at: misjudged(2.0, **at),
    },
}
