"""Sections 1 to 3 of Cummings, Feldman, McMillan & Talwar: what wrong weights cost."""

import numpy as np
import pytest
import sympy as sp

from hdp import user_level
from hdp.sym.user_level import model as sym
from hdp.sym.user_level.model import p, sigma_p


@pytest.mark.settles("cfmt-line-3", "hdp-wrong-weights")
def test_a_wrong_variance_costs_at_most_kantorovich():
    """A variance of D that is `factor` times too large: the error from the users' weights; nearly attained."""
    rng, nearest = np.random.default_rng(9), 0
    symbols = (sym.factor, p, sigma_p, sym.K, sym.f)
    stated = sp.lambdify(symbols, (sym.misjudged / sym.ideal, sym.kantorovich))
    for _ in range(60):
        factor, mean, heavy = rng.uniform(1, 9), rng.uniform(0.1, 0.9), int(rng.integers(1, 40))
        spread = np.sqrt(mean * (1 - mean) / factor) * rng.choice([0.01, 0.1, 0.9])
        samples = np.repeat([10.0 ** rng.integers(0, 9), 1.0], [heavy, 40 - heavy])
        weights = user_level.ideal_weights(samples, mean, spread * np.sqrt(factor))
        found = user_level.variance_of(weights, samples, mean, spread)
        found /= user_level.baseline_variance("ideal", samples, mean, spread)
        ratio, bound = stated(factor, mean, spread, samples[0], heavy / 40)
        assert found == pytest.approx(ratio, rel=1e-9)
        nearest = max(nearest, (found - 1) / (bound - 1))
        assert nearest <= 1 + 1e-9
    assert nearest > 0.8
    for low, high in ((0.3, 2.4), (0.01, 0.02), (2.0, 90.0)):  # any variances and estimates; two kinds attain it
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
