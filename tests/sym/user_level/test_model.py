"""Sections 1 to 3 of Cummings, Feldman, McMillan & Talwar: what wrong weights cost, and what linear ones do."""

from itertools import product

import numpy as np
import pytest
import sympy as sp

from hdp import user_level
from hdp.sym.user_level import model as sym
from hdp.sym.user_level.model import k, mean_variance, p, sigma_p


def test_a_wrong_variance_costs_at_most_kantorovich():
    """A variance of D that is `factor` times too large: the error from the users' weights; nearly attained."""
    rng, nearest = np.random.default_rng(9), 0
    for _ in range(60):
        factor, mean, heavy = rng.uniform(1, 9), rng.uniform(0.1, 0.9), int(rng.integers(1, 40))
        spread = np.sqrt(mean * (1 - mean) / factor) * rng.choice([0.01, 0.1, 0.9])
        samples = np.repeat([10.0 ** rng.integers(0, 9), 1.0], [heavy, 40 - heavy])
        weights = user_level.ideal_weights(samples, mean, spread * np.sqrt(factor))
        found = user_level.variance_of(weights, samples, mean, spread)
        found /= user_level.baseline_variance("ideal", samples, mean, spread)
        at = {sym.factor: factor, p: mean, sigma_p: spread, sym.K: samples[0], sym.f: heavy / 40}
        assert found == pytest.approx(float((sym.misjudged / sym.ideal).subs(at)), rel=1e-9)
        nearest = max(nearest, (found - 1) / float(sym.kantorovich.subs(at) - 1))
        assert nearest <= 1 + 1e-9
    assert nearest > 0.8
    extremes = {sym.lowest: 1, sym.highest: sym.factor}
    assert sp.simplify(sym.wrong_weights.subs(extremes) - sym.kantorovich) == 0
    assert sym.kantorovich.subs(sym.factor, 2) == sp.Rational(9, 8)


def law_of_two(D, counts):
    """Probability of every pair of numbers of successes."""

    def one(count, s):
        return sum(q * sp.binomial(count, s) * x**s * (1 - x) ** (count - s) for x, q in D.items())

    pairs = product(*(range(c + 1) for c in counts))
    return {pair: sp.prod([one(c, s) for c, s in zip(counts, pair, strict=True)]) for pair in pairs}


def test_the_best_unbiased_estimate_need_not_be_linear():
    """Footnote 2: 2 and 3 samples, D on {0, 1/2}; the difference of unbiased estimates of E[P^2] helps."""
    half = sp.Rational(1, 2)
    counts, D = (2, 3), {sp.S.Zero: half, half: half}
    law = law_of_two(D, counts)
    expect = lambda g: sum(q * g(*pair) for pair, q in law.items())  # noqa: E731
    mean, between = sp.Rational(1, 4), sp.Rational(1, 16)
    variances = [mean_variance.subs({p: mean, sigma_p: sp.sqrt(between), k: c}) for c in counts]
    first = (1 / variances[0]) / sum(1 / x for x in variances)
    linear = lambda s, r: first * sp.Rational(s, 2) + (1 - first) * sp.Rational(r, 3)  # noqa: E731
    null = lambda s, r: sp.Rational(s * (s - 1), 2) - sp.Rational(r * (r - 1), 6)  # noqa: E731
    assert expect(linear) == mean and expect(null) == 0
    error = expect(lambda *x: (linear(*x) - mean) ** 2)
    assert error == 1 / sum(1 / x for x in variances)
    covariance, power = expect(lambda *x: linear(*x) * null(*x)), expect(lambda *x: null(*x) ** 2)
    better = lambda *x: linear(*x) - covariance / power * null(*x)  # noqa: E731
    assert expect(better) == mean
    assert expect(lambda *x: (better(*x) - mean) ** 2) == error - covariance**2 / power < error
    assert abs(covariance**2 / power / error - sp.Rational(8, 10_000)) < sp.Rational(5, 100_000)
    for other in ({sp.Rational(1, 3): sp.S.One}, {sp.S.Zero: sp.Rational(1, 5), sp.S.One: sp.Rational(4, 5)}):
        truth = sum(x * q for x, q in other.items())  # still unbiased for other D
        assert sum(q * better(*pair) for pair, q in law_of_two(other, counts).items()) == truth
