"""Weights in later settings, by errors that are written out here."""

import numpy as np
from hypothesis import example, given, settings
from hypothesis import strategies as st

from hdp import adpm, clipping, given_data
from tests.populations import BUDGETS, PRIVATE, groups, thorough

PAGE = "synthesis/later-weights"
few = settings(deadline=None, max_examples=30)
STEPS, D = 12, 30


def settings_of(e):
    """For each setting with a curator: its best weights, as the library has them, and the error of any weights."""
    with np.errstate(divide="ignore"):
        costs, width = 1 / e, 4 * np.sqrt(np.log(max(e.size, 2)))
    most = lambda w: np.max(w * costs)  # noqa: E731
    mean = lambda error: lambda w: error(w / w.sum())  # noqa: E731  weights that sum to 1
    return {
        "drawn": (adpm.weights(e), mean(lambda w: w @ w / 4 + 2 * most(w) ** 2)),
        "given": (given_data.weights(e), lambda w: np.abs(w - 1 / e.size).sum() ** 2 / 4 + 2 * most(w) ** 2),
        "gaussian": (
            clipping.optimal_weights(1.0, width * costs, 2.0), mean(lambda w: w @ w + 2 * (width * most(w)) ** 2)
        ),
        "steps": (
            adpm.weights(e / np.sqrt(STEPS), notion="gdp", dimension=D),
            mean(lambda w: w @ w / 4 + D * STEPS * most(w) ** 2),
        ),
    }  # fmt: skip


@few
@given(PRIVATE.filter(lambda e: e.min() >= 1e-3 and e.max() <= 1e3 and e.size <= 3000), st.integers(0, 99))
@example(np.repeat([0.1, 0.5, 9.0], [30, 20, 10]), 1)
def test_the_best_weights_follow_the_budgets_up_to_a_cap(e, seed):
    for w, error in settings_of(e).values():
        cap = w.max() / np.max(w / e)
        clipped = np.minimum(e, cap)
        assert np.allclose(w / w.sum(), clipped / clipped.sum(), rtol=1e-6)
        z = np.random.default_rng(seed).normal(size=(20, e.size))
        others = [w * np.exp(size * direction) for size, direction in zip(np.geomspace(1e-4, 1, 20), z, strict=True)]
        assert min(map(error, others)) >= error(w) * (1 - 1e-9)


@thorough
@given(st.integers(1, 3000), st.integers(1, 3000), st.floats(0.01, 5))
@example(30, 20, 0.1)
def test_one_formula_has_four_caps(strict, others, e):
    budgets = groups((strict, others), (e, np.inf))
    found = {name: w[-1] / w[0] for name, (w, _) in settings_of(budgets).items()}
    reports = 0.25 + 2 / budgets**2
    width = 4 * np.sqrt(np.log(budgets.size))
    stated = {"drawn": (2, 0.25, 1), "gaussian": (2, 1, width), "steps": (D, 0.25, STEPS**0.5)}
    for name, (kappa, v, length) in stated.items():
        assert np.isclose(found[name], 1 + kappa * (length / e) ** 2 / (strict * v), rtol=1e-6)
    assert np.isclose(reports[0] / reports[-1], 1 + 2 / e**2 / 0.25) and found["given"] <= found["drawn"] * (1 + 1e-9)


@thorough
@given(BUDGETS, st.floats(1, 100), st.floats(-1, 1))
@example(np.full(50, 1e-3), 10.0, -1.0)
def test_a_level_that_is_off_costs_at_most_the_square(e, g, where):
    def error(level):
        clipped = np.minimum(e, level)
        return (clipped @ clipped / 4 + 2) / clipped.sum() ** 2

    best = min(adpm.clipping_level(e), e.max()) if np.isfinite(e).any() else 1.0
    if np.isfinite(e[e > 0]).any():
        assert error(best * g**where) <= g**2 * error(best) * (1 + 1e-9)


@few
@given(BUDGETS, st.integers(1, 1000), st.integers(1, 50))
def test_steps_are_dimensions(e, steps, d):
    each = adpm.weights(e / np.sqrt(steps), notion="gdp", dimension=d)
    assert np.allclose(each, adpm.weights(e, notion="gdp", dimension=d * steps), rtol=1e-6)


@few
@given(
    PRIVATE.filter(lambda e: e.size <= 60),
    st.lists(st.floats(0.01, 1), min_size=1, max_size=6).map(np.array),
    st.integers(0, 99),
)
@example(np.array([0.1, 1.0]), np.array([1.0, 0.01]), 1)
def test_no_other_shape_and_weights_together_err_less(e, sigma, seed):
    def error(w, s):
        reach = np.max(w / e) * np.sqrt(np.sum(sigma**2 / s**2))
        return np.sum(sigma**2) * (w @ w) + reach**2 * np.sum(s**2)

    shape = np.sqrt(sigma)
    w = clipping.optimal_weights(np.sum(sigma**2), 1 / e, np.sum(sigma) ** 2)
    rng = np.random.default_rng(seed)
    for size in np.geomspace(1e-3, 2, 40):
        other = w * np.exp(size * rng.normal(size=e.size))
        s = shape * np.exp(size * rng.normal(size=sigma.size))
        assert error(other / other.sum(), s) >= error(w, shape) * (1 - 1e-9)
