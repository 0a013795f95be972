"""One threshold under other notions of privacy: with Gaussian noise, or any other, the same bounds hold."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.integrate import quad
from scipy.optimize import brentq
from scipy.stats import norm

from hdp import clipping, threshold
from hdp.noise import Gaussian
from hdp.sym.symbols import N_1, N_2
from hdp.sym.threshold import one_threshold as sym

BUDGETS = st.lists(st.sampled_from([1e-4, 0.003, 0.02, 0.3, 1.0, 4.0]), min_size=1, max_size=40)


def concentrated(rho):
    """How many deviations a user may move the answer under zero-concentrated privacy."""
    return float(sym.concentrated_share.subs(sym.rho_i, rho))


def approximate(epsilon, delta):
    """The same under approximate privacy: the exact guarantee of Gaussian noise, solved for the move."""
    return brentq(lambda b: Gaussian(1.0).delta(epsilon, sensitivity=b) - delta, 1e-9, 50, xtol=1e-14)


def errors(shares, kappa=1.0):
    """The best affine estimator and the best threshold, by nothing but their definitions; 1 is Gaussian noise."""
    best = clipping.optimal_weights(0.25, 1 / shares, kappa)
    affine = np.sum(best**2) / 4 + kappa * np.max(best / shares) ** 2
    kept = ((np.count_nonzero(shares >= level), level) for level in np.unique(shares))
    return affine, min(0.25 / users + kappa / (users * level) ** 2 for users, level in kept)


def divergence(order, share):
    """Rényi divergence of two normal laws of deviation 1, as an integral."""
    moment = quad(lambda y: np.exp(order * norm.logpdf(y, share) + (1 - order) * norm.logpdf(y)), -30, 30)[0]
    return np.log(moment) / (order - 1)


@pytest.mark.settles("cz-section-7")
@pytest.mark.parametrize("rho", [0.003, 0.3, 1.0])
@pytest.mark.parametrize("order", [1.1, 2.0, 8.0])
def test_concentrated_privacy_allows_so_many_deviations(order, rho):
    """The divergence at this order is the budget times the order: no less noise would do."""
    found = divergence(order, concentrated(rho))
    assert np.isclose(found, rho * order, rtol=1e-7)
    at = {sym.order: order, sym.share: concentrated(rho)}
    assert np.isclose(found, float(sym.gaussian_divergence.subs(at)), rtol=1e-7)


@pytest.mark.settles("cz-section-7")
@settings(deadline=None, max_examples=40)
@given(BUDGETS, st.sampled_from([None, 1e-8, 1e-3]))
def test_the_bounds_hold_with_gaussian_noise(budgets, delta):
    """Both errors are those of pure budgets, and their ratio obeys the bounds, Theorem 1 beside a public user."""
    levels = {e: concentrated(e) if delta is None else approximate(e, delta) for e in set(budgets)}
    shares = np.array([levels[e] for e in budgets])
    pure = np.array([float(sym.laplace_budget.subs(sym.share, b)) for b in shares])
    affine, one = errors(shares)
    assert np.isclose(affine, threshold.affine_mse(pure), rtol=1e-10)
    assert np.isclose(one, threshold.threshold_mse(pure), rtol=1e-10)
    assert one <= affine * threshold.worst_case_ratio(len(levels), len(budgets)) * (1 + 1e-12)
    affine, one = errors(np.append(np.full(len(budgets), shares[0]), np.inf))
    assert one < 2 * affine


@pytest.mark.settles("hdp-any-noise")
@settings(deadline=None, max_examples=40)
@given(st.lists(st.floats(1e-3, 20.0) | st.just(np.inf), min_size=1, max_size=30), st.floats(0.01, 200.0))
def test_thresholds_lose_as_much_whatever_the_noise(reaches, kappa):
    """Both errors by their definitions are those of pure budgets, with the trivial answer too."""
    b = np.array(reaches)
    best, one = errors(b, kappa)
    same = b * float(sym.with_noise[sym.strictness].subs({sym.strictness: 1, sym.kappa: kappa}))
    assert np.isclose(best, threshold.affine_mse(same), rtol=1e-10)
    assert np.isclose(one, threshold.threshold_mse(same), rtol=1e-10)
    k, n = len(set(reaches)), b.size
    assert one <= best * threshold.worst_case_ratio(k, n) * (1 + 1e-9)
    assert min(one, 0.25) <= min(best, 0.25) * threshold.worst_case_ratio(k, n) * (1 + 1e-9)


@pytest.mark.settles("hdp-any-noise")
@pytest.mark.parametrize("kappa", [0.5, 1.0, 12.0, 100.0])
def test_the_worst_cases_are_reached_whatever_the_noise(kappa):
    """2, F for few budgets and G for two, by the definitions, at reaches that the extremal budgets translate to."""
    back = np.sqrt(kappa / 2)
    at = {N_1: 10**4, N_2: 1}
    best, one = errors(np.append(np.full(10**4, float(sym.public_worst_budget.subs(at))) * back, np.inf), kappa)
    assert one / best == pytest.approx(2, rel=1e-3)
    for k in (2, 3):
        best, one = errors(threshold.worst_case_budgets(k, 1000, 1e-4) * back, kappa)
        assert one / best == pytest.approx(threshold.worst_case_ratio(k, 1000), rel=1e-5)
    eps = threshold.saturating_budgets([20, 800])
    best, one = errors(eps * back, kappa)
    assert min(one, 0.25) / best == pytest.approx(0.25 / threshold.affine_mse(eps), rel=1e-9)
