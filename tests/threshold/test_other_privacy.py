"""One threshold under other notions of privacy: with Gaussian noise the same bounds hold, for one mean."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.integrate import quad
from scipy.optimize import brentq
from scipy.stats import norm

from hdp import clipping, threshold
from hdp.noise import Gaussian
from hdp.sym.threshold import one_threshold as sym

BUDGETS = st.lists(st.sampled_from([1e-4, 0.003, 0.02, 0.3, 1.0, 4.0]), min_size=1, max_size=40)


def concentrated(rho):
    """How many deviations a user may move the answer under zero-concentrated privacy."""
    return float(sym.concentrated_share.subs(sym.rho_i, rho))


def approximate(epsilon, delta):
    """The same under approximate privacy: the exact guarantee of Gaussian noise, solved for the move."""
    return brentq(lambda b: Gaussian(1.0).delta(epsilon, sensitivity=b) - delta, 1e-9, 50, xtol=1e-14)


def errors(shares):
    """The best affine estimator and the best threshold with Gaussian noise, by nothing but their definitions."""
    best = clipping.optimal_weights(0.25, 1 / shares, 1)
    affine = np.sum(best**2) / 4 + np.max(best / shares) ** 2
    kept = ((np.count_nonzero(shares >= level), level) for level in np.unique(shares))
    return affine, min(0.25 / users + 1 / (users * level) ** 2 for users, level in kept)


def divergence(order, share):
    """Rényi divergence of two normal laws of deviation 1, as an integral."""
    moment = quad(lambda y: np.exp(order * norm.logpdf(y, share) + (1 - order) * norm.logpdf(y)), -30, 30)[0]
    return np.log(moment) / (order - 1)


@pytest.mark.parametrize("rho", [0.003, 0.3, 1.0])
@pytest.mark.parametrize("order", [1.1, 2.0, 8.0])
def test_concentrated_privacy_allows_so_many_deviations(order, rho):
    """The divergence at this order is the budget times the order: no less noise would do."""
    found = divergence(order, concentrated(rho))
    assert np.isclose(found, rho * order, rtol=1e-7)
    at = {sym.order: order, sym.share: concentrated(rho)}
    assert np.isclose(found, float(sym.gaussian_divergence.subs(at)), rtol=1e-7)


@settings(deadline=None, max_examples=40)
@given(BUDGETS, st.sampled_from([None, 1e-8, 1e-3]))
def test_the_bounds_hold_with_gaussian_noise(budgets, delta):
    """Both errors are those of pure budgets, and their ratio obeys Theorem 4."""
    levels = {e: concentrated(e) if delta is None else approximate(e, delta) for e in set(budgets)}
    shares = np.array([levels[e] for e in budgets])
    pure = np.array([float(sym.laplace_budget.subs(sym.share, b)) for b in shares])
    affine, one = errors(shares)
    assert np.isclose(affine, threshold.affine_mse(pure), rtol=1e-10)
    assert np.isclose(one, threshold.threshold_mse(pure), rtol=1e-10)
    assert one <= affine * threshold.harmonic_bound(len(levels), len(budgets)) * (1 + 1e-12)


@pytest.mark.parametrize("k", [2, 3])
def test_the_worst_case_is_the_same(k):
    """Of zero-concentrated budgets whose shares are those of the extremal instances."""
    n = 1000
    affine, one = errors(threshold.worst_case_budgets(k, n, 1e-3))
    assert np.isclose(one / affine, threshold.worst_case_ratio(k, n), rtol=1e-4)
